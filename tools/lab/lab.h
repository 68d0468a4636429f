/* The bench of methods: what the source documents predict of solvers, beside exact and measured values.
 *
 * An experiment fills a result with rows and plots. Each row has the document's prediction, the exact value
 * of the same quantity, and the value that a solver or a world shows. The lab reads worlds through the public
 * headers only, and solves the constraint equation with solvers of its own, in double precision. */
#ifndef TOOLS_LAB_LAB_H
#define TOOLS_LAB_LAB_H

#include <drystone/drystone.h>
#include <stdio.h>

enum { LAB_TEXT = 120, LAB_SERIES_MAX = 8 };

/* The relation of the measured value to the exact one; to the predicted one, where there is no exact one. */
typedef enum lab_relation { LAB_EQUAL, LAB_AT_MOST, LAB_AT_LEAST } lab_relation;

/* One line of an experiment's table. A value that does not exist is NAN. */
typedef struct lab_row {
    char quantity[LAB_TEXT]; /* what is measured, with its unit */
    char source[32];         /* equation, such as "Waterson 8.11" */
    double predicted;        /* by the document's formula */
    double exact;            /* by a closed form or by matrices in double precision */
    double measured;         /* by a solver that iterates, or by the engine */
    lab_relation relation;
    double error;     /* of the measured value: digits below it say nothing; 0: all that are printed hold */
    double tolerance; /* largest |measured - exact| / |exact|, of the absolute values where exact is 0; beyond
                         a bound, where exact is one */
    double time_ms;   /* processor time of a step on this machine */
    double time;      /* time_ms over that of the default in the same run */
    const char
        *why; /* of a row with an infinite tolerance: why nothing bounds it; null: nothing to hold to */
} lab_row;

typedef struct lab_series {
    char name[LAB_TEXT];
    double *x, *y;
    int count;
} lab_series;

/* A chart of a few curves. */
typedef struct lab_plot {
    char name[32]; /* of the file, after the experiment's name */
    char title[LAB_TEXT], x_label[LAB_TEXT], y_label[LAB_TEXT];
    bool log_x, log_y;
    lab_series series[LAB_SERIES_MAX];
    int series_count;
} lab_plot;

typedef struct lab_run lab_run;

typedef struct lab_experiment {
    const char *name, *title;
    const char *text; /* what is set up and what was found: paragraphs of the page */
    int parts;        /* calls of lab_part, for the progress */
    void (*perform)(lab_run *run);
    bool slow; /* runs only where it is named or all are asked for */
} lab_experiment;

/* Returns the experiments; the last element has a null name. */
const lab_experiment *lab_experiments(void);

/* Returns the experiment of this name, or null. */
const lab_experiment *lab_find(const char *name);

typedef struct lab_result {
    const lab_experiment *experiment;
    lab_row *rows;
    lab_plot *plots;
    int row_count, plot_count;
    int row_capacity, plot_capacity;
    void *memory; /* of the curves */
} lab_result;

typedef struct lab_options {
    bool quick;  /* small sizes and short runs, for tests */
    int threads; /* workers of each world; 0 means one, where the tool's --threads 0 means one per core */
    /* Is called before each part of an experiment; false ends the experiment. May be null. */
    bool (*progress)(const char *experiment, int part, int parts, void *user);
    void *user;
} lab_options;

/* Performs an experiment. Returns null, or in words why it failed: no memory, a world that refused a call, or
 * "interrupted". The caller frees the result in both cases. */
const char *lab_perform(const lab_experiment *experiment, const lab_options *options, lab_result *result);
void lab_result_free(lab_result *result);

/* Returns measured - exact as a share of exact, or itself where exact is 0; measured - predicted where there
 * is no exact value. */
double lab_row_difference(const lab_row *row);
/* Tells whether the measured value agrees with the exact one, or with the predicted one if there is no exact
 * one; whether it keeps the bound where that value is one. A row with neither reports a number, and holds. */
bool lab_row_holds(const lab_row *row);

/* Writers. The caller looks at ferror. */
void lab_write_csv(FILE *stream, const lab_result *result);
void lab_write_curves(FILE *stream, const lab_result *result);
void lab_write_svg(FILE *stream, const lab_plot *plot);
/* Writes the head of the page, then a chapter for each experiment. `plots` is the link to the folder of its
 * plots, named after experiment and plot, or null if there is none. */
void lab_write_page_head(FILE *stream);
void lab_write_page_chapter(FILE *stream, const lab_result *result, const char *plots);

#endif
