/* Reports a run: as JSON for programs, as text for people. */
#ifndef TOOLS_CLI_REPORT_H
#define TOOLS_CLI_REPORT_H

#include "tools/cli/counters.h"
#include "tools/cli/samples.h"
#include "tools/scenes/measure/energy.h"
#include "tools/scenes/measure/joint_errors.h"
#include "tools/scenes/measure/quality.h"
#include <drystone/drystone.h>
#include <stdio.h>

typedef struct run_report {
    const char *scene;
    int steps_asked, steps; /* done */
    int warmup;             /* number of first steps that the timings leave out */
    float dt;
    dry_solver solver;
    int substeps_set;                          /* the setting; 0 takes the tiers' */
    int substeps;                              /* largest number of substeps in any step */
    dry_articulation_statistics articulations; /* largest of any step; of all steps what corrections did */
    int threads;
    dry_team team;
    dry_isa isa, sweep_isa; /* of all kernels, and of those that sweep constraints */
    bool sleep;
    bool interrupted;
    const char *failure;      /* why the run ended before its last step, or null */
    double wall_s;            /* all steps, and the tool's work between them */
    const counters *counters; /* of the timed steps; null if not asked for */
    const samples *times;     /* ms: column 0 is the step, the others are its stages */
    double outside_ms;        /* of the timed steps: their time outside all stages, sum and largest */
    double outside_max_ms;
    double staged_ms;              /* sum of the steps whose stages are timed */
    long lost_cores;               /* times that the kernel took a thread's core away, in all steps */
    dry_statistics statistics;     /* after the last step */
    dry_contact_counts contacts;   /* then, too */
    int quarantined_dynamic;       /* dynamic bodies put into quarantine */
    bool quarantined_all;          /* all of them: the run failed */
    const char *quarantined_first; /* id of the first body; null if there is none */
    int quarantined_first_step;    /* 0 if there is none */
    size_t empty_bytes;            /* memory of the world before the scene was built */
    size_t peak_rss_bytes;         /* of the process; includes reading the scene */
    size_t engine_bytes;           /* by tools/scenes/measure/resident.h; 0 if not known */
    uint64_t allocations_in_steps; /* after the first steps that the timings leave out */
    bool has_quality;
    dry_quality quality;
    dry_joint_errors joint_errors; /* known with the quality */
    bool has_energy;               /* false where the scene may gain energy */
    dry_energy_record energy;
    uint64_t hash;
} run_report;

/* Writes the report as JSON. Returns false if there is no memory or the stream fails. */
bool report_write_json(FILE *stream, const run_report *report);

void report_print(FILE *stream, const run_report *report);

/* Writes a count with commas between thousands into `text` and returns `text`. */
const char *report_count(long long count, char *text, size_t bytes);

#endif
