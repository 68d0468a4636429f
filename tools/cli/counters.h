/* Counts events of the processor, stage by stage, through Linux's perf_event_open.
 *
 * The counts include the work of this process outside the kernel, on all threads created after counters_open.
 * The time in which workers wait within a stage therefore counts, too. */
#ifndef TOOLS_CLI_COUNTERS_H
#define TOOLS_CLI_COUNTERS_H

#include <drystone/drystone.h>

enum { COUNTER_CYCLES, COUNTER_INSTRUCTIONS, COUNTER_CACHE_MISSES, COUNTER_BRANCH_MISSES, COUNTER_COUNT };

/* Returns the name of a counter as in the report; null past the last one. */
const char *counter_name(int counter);

/* An event of the kernel: `type` and `config` of its perf_event_attr. */
typedef struct counter_event {
    uint32_t type;
    uint64_t config;
} counter_event;

/* A growing count. If events share too few counters, each event counts for a part of the time only. */
typedef struct counter_reading {
    uint64_t value, enabled, running;
} counter_reading;

typedef struct counters {
    int files[COUNTER_COUNT]; /* -1 if the kernel does not count the event */
    bool open;                /* true if the kernel counts any event */
    bool good;                /* true until a read fails */
    counter_reading begin[COUNTER_COUNT];
    counter_reading sum[DRY_STAGE_COUNT][COUNTER_COUNT];
    char refused[256]; /* the reason in one line if `open` is false */
} counters;

/* Begins to count `events`, or the hardware's if null. Returns false and sets `refused` if the kernel counts
 * none of them. Call before the world is created, so that its threads count. */
bool counters_open(counters *c, const counter_event events[COUNTER_COUNT]);
void counters_close(counters *c);

/* Returns a hook that adds each stage's counts to `sum`. */
dry_stage_hook counters_hook(counters *c);
void counters_clear(counters *c);

/* Returns the count in a stage since counters_clear, scaled up for the time in which the event had no
 * counter; NaN if the event never had one. */
double counters_total(const counters *c, dry_stage stage, int counter);

#endif
