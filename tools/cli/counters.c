/* Reads the processor's counters (counters.h). Each event has its own file, because kernels before 6.13 do
 * not pass a group of events on to new threads. */
#define _GNU_SOURCE
#include "tools/cli/counters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *counter_name(int counter)
{
    static const char *const names[COUNTER_COUNT] = {"cycles", "instructions", "cache_misses",
                                                     "branch_misses"};
    return counter >= 0 && counter < COUNTER_COUNT ? names[counter] : NULL;
}

#ifdef __linux__
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

static const counter_event hardware[COUNTER_COUNT] = {
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
};

static int open_event(counter_event event)
{
    struct perf_event_attr attributes = {
        .type = event.type,
        .size = sizeof attributes,
        .config = event.config,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Explains a refusal. The reason decides the remedy: the kernel's setting, or another machine. */
static void say_why(counters *c, int error)
{
    char level[16] = "unknown";
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
    if (file != NULL) {
        if (fgets(level, sizeof level, file) != NULL) {
            level[strcspn(level, "\n")] = '\0';
        }
        fclose(file);
    }
    bool forbidden = error == EACCES || error == EPERM;
    bool absent = error == ENOENT || error == EOPNOTSUPP || error == ENODEV;
    snprintf(
        c->refused, sizeof c->refused,
        "no hardware counters: perf_event_open: %s: %s (kernel.perf_event_paranoid is %s)", strerror(error),
        forbidden ? "not allowed; a perf_event_paranoid of 2 or less allows it, unless a container forbids "
                    "the call"
        : absent  ? "this processor, or the virtual machine, shows none"
                  : "the kernel refused",
        level);
}

bool counters_open(counters *c, const counter_event events[COUNTER_COUNT])
{
    *c = (counters){.good = true};
    int first_error = 0;
    for (int i = 0; i < COUNTER_COUNT; i++) {
        c->files[i] = open_event((events != NULL ? events : hardware)[i]);
        if (c->files[i] >= 0) {
            c->open = true;
        } else if (first_error == 0) {
            first_error = errno;
        }
    }
    if (!c->open) {
        say_why(c, first_error);
    }
    return c->open;
}

void counters_close(counters *c)
{
    for (int i = 0; c->open && i < COUNTER_COUNT; i++) {
        if (c->files[i] >= 0) {
            close(c->files[i]);
        }
    }
    c->open = false;
}

static counter_reading read_counter(counters *c, int counter)
{
    counter_reading now = {0};
    if (c->files[counter] >= 0 && read(c->files[counter], &now, sizeof now) != (ssize_t)sizeof now) {
        c->good = false;
    }
    return now;
}

#else

bool counters_open(counters *c, const counter_event events[COUNTER_COUNT])
{
    (void)events;
    *c = (counters){.files = {-1, -1, -1, -1}};
    snprintf(c->refused, sizeof c->refused, "no hardware counters: perf_event_open is Linux's");
    return false;
}

void counters_close(counters *c)
{
    (void)c;
}

static counter_reading read_counter(counters *c, int counter)
{
    (void)c;
    (void)counter;
    return (counter_reading){0};
}

#endif

static void stage_begins(dry_stage stage, void *user)
{
    counters *c = user;
    (void)stage;
    for (int i = 0; i < COUNTER_COUNT; i++) {
        c->begin[i] = read_counter(c, i);
    }
}

static void stage_ends(dry_stage stage, void *user)
{
    counters *c = user;
    for (int i = 0; i < COUNTER_COUNT; i++) {
        counter_reading now = read_counter(c, i), *sum = &c->sum[stage][i];
        sum->value += now.value - c->begin[i].value;
        sum->enabled += now.enabled - c->begin[i].enabled;
        sum->running += now.running - c->begin[i].running;
    }
}

dry_stage_hook counters_hook(counters *c)
{
    return (dry_stage_hook){stage_begins, stage_ends, c};
}

void counters_clear(counters *c)
{
    memset(c->sum, 0, sizeof c->sum);
}

double counters_total(const counters *c, dry_stage stage, int counter)
{
    const counter_reading *sum = &c->sum[stage][counter];
    if (!c->good || c->files[counter] < 0 || sum->running == 0) {
        return (double)NAN;
    }
    return (double)sum->value * ((double)sum->enabled / (double)sum->running);
}
