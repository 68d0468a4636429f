/* Stage "prepare", before the layout: bands, slabs of bodies across a class whose bundles no cache holds, so
 * thick that a constraint joins bodies of one band or of two neighbours. Then one sweep can follow another
 * two bands behind it, through what the first left in the cache (sweep.c).
 *
 * Slabs lie across the axis along which consecutive rows are nearest to each other, in slabs: so a band's
 * rows lie close together in memory. Bodies keep their bands while no constraint reaches past the next one
 * and the number of rows stays: what moves a little is not dealt anew.
 *
 * Reads poses, islands with their edges, active joints. Writes dry_solver_state.band. Next: layout.c. */
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* 24 MB of bundles. Half of it, base 200, gains nothing. */
    EDGES_MIN = 98304,
    /* Bodies of a band, in the mean: 0.7 MB of a pyramid's bundles, so that eight sweeps two bands apart lie
     * within 11 MB. */
    BAND_BODIES = 600,
    BANDS_MIN = 32,
    /* No band has more than one body in this many: a band's constraints are one worker's. */
    BAND_SHARE = 16,
};

/* Of one class. */
typedef struct class_measure {
    int edges;
    bool plain; /* nothing in it needs each sweep to end before the next begins */
    bool fits;  /* all constraints are within one band or two neighbours */
} class_measure;

typedef struct axis_measure {
    double low, high; /* of the bodies' centres, m */
    double reach;     /* largest distance of two that a constraint joins, m */
    double steps;     /* sum of the distances of consecutive ones, m */
} axis_measure;

static int class_of(const dry_solver_step *step, int row)
{
    return step->islands->island[step->bodies->rest[row].island].island_class;
}

/* The row of a body that belongs to an island; -1 if it does not. */
static int island_row(const dry_solver_step *step, int body)
{
    int row = dry_bodies_row(step->bodies, body);
    return row < step->bodies->awake_count && step->bodies->rest[row].island >= 0 ? row : -1;
}

static void fit(const dry_solver_state *s, class_measure *m, int row_a, int row_b)
{
    if (row_a >= 0 && row_b >= 0 && s->band_rows > 0 && abs((int)s->band[row_a] - (int)s->band[row_b]) > 1)
        m->fits = false;
}

static void measure_classes(const dry_solver_step *step, class_measure m[DRY_CLASS_COUNT])
{
    const dry_islands *islands = step->islands;
    for (int i = 0; i < islands->count; i++) {
        if (islands->island[i].floating)
            m[islands->island[i].island_class].plain = false;
    }
    for (int i = 0; i < islands->edge_count; i++) {
        const dry_edge *edge = &islands->edge[i];
        if (edge->color == DRY_EDGE_UNCOLORED)
            continue;
        class_measure *c = &m[class_of(step, edge->row_a >= 0 ? edge->row_a : edge->row_b)];
        c->edges++;
        if (edge->color == DRY_COLOR_OVERFLOW)
            c->plain = false;
        fit(step->state, c, edge->row_a, edge->row_b);
    }
    for (int i = 0; i < step->joints->active_count; i++) {
        const dry_joint *joint = &step->joints->joint[step->joints->active[i]];
        int a = island_row(step, joint->body_a), b = island_row(step, joint->body_b);
        if (joint->color == DRY_COLOR_NONE || (a < 0 && b < 0))
            continue;
        class_measure *c = &m[class_of(step, a >= 0 ? a : b)];
        if (joint->color == DRY_COLOR_OVERFLOW)
            c->plain = false;
        fit(step->state, c, a, b);
    }
}

static bool goes_in_bands(const class_measure *m)
{
    return m->plain && m->edges >= EDGES_MIN;
}

static void along(const dry_solver_step *step, int row, double p[3])
{
    const dry_position *at = &step->bodies->pose[row].position;
    p[0] = at->x, p[1] = at->y, p[2] = at->z;
}

static void reach(const dry_solver_step *step, const class_measure *m, axis_measure axis[3], int a, int b)
{
    double pa[3], pb[3];
    if (a < 0 || b < 0 || !goes_in_bands(&m[class_of(step, a)]))
        return;
    along(step, a, pa);
    along(step, b, pb);
    for (int k = 0; k < 3; k++)
        axis[k].reach = fmax(axis[k].reach, fabs(pb[k] - pa[k]));
}

/* Returns how many bodies there are. */
static int measure_axes(const dry_solver_step *step, const class_measure *m, axis_measure axis[3])
{
    int count = 0;
    double p[3], last[3];
    for (int row = 0; row < step->bodies->awake_count; row++) {
        if (step->bodies->rest[row].island < 0 || !goes_in_bands(&m[class_of(step, row)]))
            continue;
        along(step, row, p);
        for (int k = 0; k < 3; k++) {
            axis[k].low = count ? fmin(axis[k].low, p[k]) : p[k];
            axis[k].high = count ? fmax(axis[k].high, p[k]) : p[k];
            axis[k].steps += count ? fabs(p[k] - last[k]) : 0.0;
            last[k] = p[k];
        }
        count++;
    }
    for (int i = 0; i < step->islands->edge_count; i++)
        reach(step, m, axis, step->islands->edge[i].row_a, step->islands->edge[i].row_b);
    for (int i = 0; i < step->joints->active_count; i++) {
        const dry_joint *joint = &step->joints->joint[step->joints->active[i]];
        reach(step, m, axis, island_row(step, joint->body_a), island_row(step, joint->body_b));
    }
    return count;
}

/* How thick slabs across an axis must be, m: more than the reach, that rounding does not matter. */
static double thickness_of(const axis_measure *axis, int bodies)
{
    double thin = fmax(1.001 * axis->reach, 1e-6 * (axis->high - axis->low));
    double slabs = (axis->high - axis->low) / thin;
    return thin * fmax(1.0, floor(slabs * BAND_BODIES / bodies));
}

/* Gives each row its band; one band to all where they would be few, or one of them large. */
static bool find_bands(dry_solver_step *step, const class_measure *m, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    const int rows = step->bodies->awake_count;
    axis_measure axis[3] = {{0}};
    const int bodies = measure_axes(step, m, axis);
    const axis_measure *best = NULL;
    double best_thickness = 0.0;
    for (int k = 0; k < 3; k++) {
        double thickness = thickness_of(&axis[k], bodies);
        if (thickness > 0.0 && axis[k].high - axis[k].low >= BANDS_MIN * thickness &&
            (!best || axis[k].steps * best_thickness < best->steps * thickness))
            best = &axis[k], best_thickness = thickness;
    }
    s->band_rows = rows;
    s->band_count = best ? 1 + (int)((best->high - best->low) / best_thickness) : 1;
    if (!DRY_RESERVE(memory, s->band, s->band_capacity, rows) ||
        !DRY_RESERVE(memory, s->band_bodies, s->band_bodies_capacity, s->band_count)) {
        s->band_rows = 0;
        return false;
    }
    memset(s->band, 0, (size_t)rows * sizeof *s->band);
    memset(s->band_bodies, 0, (size_t)s->band_count * sizeof *s->band_bodies);
    int most = 0;
    for (int row = 0; row < rows && best; row++) {
        double p[3];
        if (step->bodies->rest[row].island < 0 || !goes_in_bands(&m[class_of(step, row)]))
            continue;
        along(step, row, p);
        s->band[row] = (uint16_t)((p[best - axis] - best->low) / best_thickness);
        most = dry_max_int(most, ++s->band_bodies[s->band[row]]);
    }
    if (most > bodies / BAND_SHARE)
        s->band_count = 1;
    return true;
}

bool dry_bands_update(dry_solver_step *step, dry_memory *memory, int bands[DRY_CLASS_COUNT])
{
    dry_solver_state *s = step->state;
    for (int c = 0; c < DRY_CLASS_COUNT; c++)
        bands[c] = 1;
    if (step->islands->edge_count < EDGES_MIN || step->settings->solver == DRY_SOLVER_JACOBI)
        return true;
    if (s->band_rows != step->bodies->awake_count)
        s->band_rows = 0;
    for (int attempt = 0; attempt < 2; attempt++) {
        class_measure m[DRY_CLASS_COUNT];
        bool any = false, all_fit = true;
        for (int c = 0; c < DRY_CLASS_COUNT; c++)
            m[c] = (class_measure){.plain = true, .fits = true};
        measure_classes(step, m);
        for (int c = 0; c < DRY_CLASS_COUNT; c++)
            if (goes_in_bands(&m[c])) {
                any = true;
                all_fit &= m[c].fits;
                bands[c] = s->band_rows > 0 && m[c].fits ? s->band_count : 1;
            }
        if (!any || (s->band_rows > 0 && all_fit))
            return true;
        if (attempt == 0 && !find_bands(step, m, memory))
            return false;
    }
    return true;
}
