/* What a run was and what came of it: as JSON for programs, as text for people. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/counters.h"
#include "cli/samples.h"
#include "scenes/measure/quality.h"
#include <drystone/drystone.h>
#include <stdio.h>

typedef struct run_report {
    const char *scene;
    int steps_asked, steps; /* done */
    int warmup;             /* first steps left out of the timings, as it was in the end */
    float dt;
    dry_solver solver;
    int substeps_set; /* as set; 0: by difficulty */
    int substeps;     /* the most that ran in any step */
    int threads;
    dry_isa isa;
    bool sleep;
    bool interrupted;
    const char *failure;           /* null, or why the run ended before its last step */
    double wall_s;                 /* all steps, with what the tool does between them */
    const counters *counters;      /* null: not asked for; else over the steps that are timed */
    const samples *times;          /* column 0 the step, then the stages, ms */
    dry_statistics statistics;     /* after the last step */
    size_t empty_bytes;            /* what a world held before the scene was put in */
    size_t peak_rss_bytes;         /* of the process, reading the scene included */
    size_t engine_bytes;           /* by scenes/measure/resident.h; 0: not known */
    uint64_t allocations_in_steps; /* after the warm-up */
    bool has_quality;
    dry_quality quality;
    uint64_t hash;
} run_report;

/* False if memory fails or the stream does. */
bool report_write_json(FILE *stream, const run_report *report);

void report_print(FILE *stream, const run_report *report);

/* A count with commas between thousands, written into `text`. */
const char *report_count(long long count, char *text, size_t bytes);

#endif
