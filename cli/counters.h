/* The processor's own counters, stage by stage, through Linux's perf_event_open.
 *
 * Counted is what this process does outside the kernel, on all threads made after counters_open: so what
 * workers spend on waiting within a stage counts too. */
#ifndef CLI_COUNTERS_H
#define CLI_COUNTERS_H

#include <drystone/drystone.h>

enum { COUNTER_CYCLES, COUNTER_INSTRUCTIONS, COUNTER_CACHE_MISSES, COUNTER_BRANCH_MISSES, COUNTER_COUNT };

/* The names, as the report has them; null past the last one. */
const char *counter_name(int counter);

/* One of the kernel's events: `type` and `config` of its perf_event_attr. */
typedef struct counter_event {
    uint32_t type;
    uint64_t config;
} counter_event;

/* Counts grow; where events take turns on too few counters, each ran for a part of the time only. */
typedef struct counter_reading {
    uint64_t value, enabled, running;
} counter_reading;

typedef struct counters {
    int files[COUNTER_COUNT]; /* -1: the kernel does not count this event */
    bool open;                /* any of them */
    bool good;                /* until a read fails */
    counter_reading begin[COUNTER_COUNT];
    counter_reading sum[DRY_STAGE_COUNT][COUNTER_COUNT];
    char refused[256]; /* why it is not open, in one line */
} counters;

/* Begins to count; `events` null: the hardware's. False, with `refused` said, if the kernel counts none of
 * them. Before the world is made, whose threads are then counted. */
bool counters_open(counters *c, const counter_event events[COUNTER_COUNT]);
void counters_close(counters *c);

/* Adds each stage's counts to `sum`. */
dry_stage_hook counters_hook(counters *c);
void counters_clear(counters *c);

/* The count in a stage since counters_clear, made up for the time in which the event had no counter; NaN if
 * it never had one. */
double counters_total(const counters *c, dry_stage stage, int counter);

#endif
