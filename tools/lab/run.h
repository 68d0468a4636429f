/* One experiment while it runs: its memory and worlds, which end with it, and the calls that fill its result.
 *
 * A call that fails ends the experiment by a jump back to lab_perform. Experiments therefore read as straight
 * code, and hold nothing that lab_run does not know of. */
#ifndef TOOLS_LAB_RUN_H
#define TOOLS_LAB_RUN_H

#include "core/compiler.h"
#include "tools/lab/lab.h"

#include <setjmp.h>

struct lab_chunk;

struct lab_run {
    const lab_options *options;
    lab_result *result;
    struct lab_chunk *chunks; /* memory of lab_take */
    dry_world *world;         /* the present one, or null */
    int part;
    const char *failure;
    jmp_buf failed;
};

/* Runs work that may end by lab_fail. Returns null, or in words why it ended. The memory that it took stays.
 */
const char *lab_try(lab_run *run, void (*work)(lab_run *run, void *context), void *context);
/* Frees all memory and the world of a run. */
void lab_run_end(lab_run *run);

/* Ends the experiment. */
_Noreturn void lab_fail(lab_run *run, const char *why);
/* Ends the experiment unless `result` is DRY_OK. */
void lab_check(lab_run *run, dry_result result);

/* Begins the next part: shows the progress, and frees what lab_take returned and the world of the last part.
 */
void lab_part(lab_run *run);

/* Returns memory, cleared, for `count` elements; valid until the next part. */
void *lab_take(lab_run *run, size_t count, size_t bytes);
double *lab_doubles(lab_run *run, int count);

/* Adds a row. The quantity is formatted as printf does. */
lab_row *lab_add(lab_run *run, const char *source, double predicted, double exact, double measured,
                 double tolerance, const char *quantity, ...)
#if defined(__GNUC__)
    DRY_PRINTF(7, 8)
#endif
        ;

/* Says of a row without a bound why it has none: theory has nothing to say of it. */
void lab_unbounded(lab_row *row, const char *why);

/* Says that the exact value of a row, or the predicted one where there is no exact one, is a bound. */
void lab_bound(lab_row *row, lab_relation relation);

/* Says how far the measured value of a row may be off. */
void lab_uncertain(lab_row *row, double error);

/* Gives a row the time of a step, and that of the default in the same run. */
void lab_time(lab_row *row, double time_ms, double default_ms);

/* Adds a plot, and curves to the last plot. The arrays are copied. */
lab_plot *lab_add_plot(lab_run *run, const char *name, const char *title, const char *x_label,
                       const char *y_label);
void lab_add_curve(lab_run *run, const char *name, const double *x, const double *y, int count);
/* Adds the curve y[i] over i + first. */
void lab_add_sequence(lab_run *run, const char *name, double first, const double *y, int count);

/* Creates a world in place of the last one: no sleep, the threads of the options, no events. Without gravity.
 */
dry_world *lab_world(lab_run *run, const dry_settings *settings);
/* Returns settings for one step that is one substep of `sweeps` sweeps from nothing. */
dry_settings lab_settings(int sweeps);

#endif
