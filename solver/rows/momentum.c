/* Angular momentum of floating islands.
 *
 * Both bodies of a contact take its impulse at one point, so that a pair's angular momentum is kept as long
 * as the bodies are where the lever arms were made. Within a step they move on. An impulse J on a body
 * displaced by d acts at x + d with the lever arm of x, and adds d x J to the angular momentum. Summed over
 * an island that nothing fixed holds, this is the only error of its angular momentum. A rigid rotation of the
 * whole island takes the error back exactly. An island that something fixed holds has no momentum to keep.
 *
 * Reads rows, start rows and momentum rows after each substep; writes velocities after the impacts. Next:
 * store.c. */
#include "solver/rows/momentum.h"

#include "solver/context.h"
#include "solver/rows/whitening.h"

typedef struct dry_island_momentum {
    double error[3]; /* excess of angular momentum, N m s; then the correction, rad/s */
    double mass, center[3];
    double inertia[3][3]; /* about the center of mass, kg m^2 */
    int32_t island;
} dry_island_momentum;

void dry_momentum_free(dry_solver_state *state, dry_memory *memory)
{
    DRY_RELEASE(memory, state->momentum, state->momentum_capacity);
    DRY_RELEASE(memory, state->momentum_row, state->momentum_row_capacity);
}

bool dry_momentum_reserve(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    int count = 0;
    for (int c = 0; c < DRY_TIER_COUNT; c++)
        s->ranges[c].floating = false;
    for (int i = 0; i < step->islands->count; i++) {
        const dry_island *island = &step->islands->island[i];
        if (!island->floating)
            continue;
        count++;
        s->ranges[island->tier].floating = true;
    }
    if (!DRY_RESERVE(memory, s->momentum, s->momentum_capacity, count))
        return false;
    if (count > 0 &&
        !DRY_RESERVE(memory, s->momentum_row, s->momentum_row_capacity, step->bodies->awake_count))
        return false;
    s->momentum_count = 0;
    for (int i = 0; i < step->islands->count && count > 0; i++) {
        dry_island *island = &step->islands->island[i];
        island->momentum = island->floating ? s->momentum_count : -1;
        if (island->floating)
            s->momentum[s->momentum_count++] = (dry_island_momentum){.island = i};
    }
    return true;
}

static void add_cross(float sum[3], const float a[3], const float b[3])
{
    sum[0] += a[1] * b[2] - a[2] * b[1];
    sum[1] += a[2] * b[0] - a[0] * b[2];
    sum[2] += a[0] * b[1] - a[1] * b[0];
}

void dry_momentum_add(dry_momentum_row *sum, const float displacement[3], const float change[3])
{
    add_cross(sum->angular_impulse, displacement, change);
}

/* Sums displacement x impulse; sqrt(m) cancels, so that it is dl x (change of ul). */
void dry_momentum_gather(const dry_solver_step *step, const int32_t *rows, int count, float h)
{
    dry_solver_state *s = step->state;
    for (int i = 0; i < count; i++) {
        int row = rows[i];
        const dry_solver_row *r = &s->rows[row + 1];
        const dry_start_row *start = &s->start[row];
        dry_momentum_row *sum = &s->momentum_row[row];
        float before[3], solved[3], relaxed[3];
        for (int k = 0; k < 3; k++) {
            before[k] = r->dl[k] - h * sum->moved[k];
            solved[k] = sum->moved[k] - start->u[k] - sum->force[k];
            relaxed[k] = r->ul[k] - sum->moved[k];
        }
        add_cross(sum->angular_impulse, before, solved);
        add_cross(sum->angular_impulse, r->dl, relaxed);
    }
}

/* Returns the momentum record of a row's island, or null. */
static dry_island_momentum *record_of(const dry_solver_step *step, int row)
{
    int island = step->bodies->sleep[row].island;
    if (island < 0 || !step->islands->island[island].floating)
        return NULL;
    return &step->state->momentum[step->islands->island[island].momentum];
}

/* Computes a body's position at the step's end relative to a common origin, so that lengths stay near the
 * island's. */
static void position_of(const dry_solver_step *step, int row, const dry_position *origin, double x[3])
{
    const dry_solver_row *r = &step->state->rows[row + 1];
    double inv_sqrt_mass = (double)r->inv_sqrt_mass;
    const dry_position *p = &step->bodies->pose[row].position;
    x[0] = p->x - origin->x + (double)r->dl[0] * inv_sqrt_mass;
    x[1] = p->y - origin->y + (double)r->dl[1] * inv_sqrt_mass;
    x[2] = p->z - origin->z + (double)r->dl[2] * inv_sqrt_mass;
}

static dry_whitening whitening_of(const dry_solver_step *step, int row)
{
    return dry_whitening_of(&step->state->rows[row + 1], step->bodies->pose[row].orientation);
}

/* Adds a body's inertia about the island's center of mass. */
static void add_inertia(const dry_solver_step *step, int row, const double arm[3], dry_island_momentum *m)
{
    const dry_whitening white = whitening_of(step, row), *w = &white;
    double mass = 1.0 / (double)step->bodies->mass[row].inverse_mass;
    double arm2 = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double own = 0.0;
            for (int k = 0; k < 3; k++) {
                /* axes[k] holds the axis over sqrt(I), so that I a a^T is I^2 times their product. */
                double inertia = (double)w->sqrt_inertia[k] * (double)w->sqrt_inertia[k];
                own += inertia * inertia * (double)w->axes[k][i] * (double)w->axes[k][j];
            }
            m->inertia[i][j] += own + mass * ((i == j ? arm2 : 0.0) - arm[i] * arm[j]);
        }
}

/* Replaces the error by the angular velocity -I^-1 error that takes it back. False if the inertia is
 * singular. */
static bool solve_rotation(dry_island_momentum *m)
{
    const double(*a)[3] = (const double(*)[3])m->inertia;
    double c[3][3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        for (int p = 0; p < 3; p++) {
            int q = (p + 1) % 3, r = (p + 2) % 3;
            c[i][p] = a[j][q] * a[k][r] - a[j][r] * a[k][q];
        }
    }
    double determinant = a[0][0] * c[0][0] + a[0][1] * c[0][1] + a[0][2] * c[0][2];
    if (!(determinant > 0.0))
        return false;
    double rotation[3];
    for (int i = 0; i < 3; i++)
        rotation[i] = -(c[0][i] * m->error[0] + c[1][i] * m->error[1] + c[2][i] * m->error[2]) / determinant;
    for (int i = 0; i < 3; i++)
        m->error[i] = rotation[i];
    return true;
}

/* Adds a rigid rotation of the island to one of its bodies. */
static void rotate_row(const dry_solver_step *step, int row, const double arm[3], const double omega[3])
{
    const dry_whitening white = whitening_of(step, row), *w = &white;
    dry_solver_row *r = &step->state->rows[row + 1];
    double root_mass = 1.0 / (double)w->inv_sqrt_mass;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r->ul[i] += (float)((omega[j] * arm[k] - omega[k] * arm[j]) * root_mass);
        double inertia = (double)w->sqrt_inertia[i] * (double)w->sqrt_inertia[i];
        r->ua[i] += (float)(inertia * ((double)w->axes[i][0] * omega[0] + (double)w->axes[i][1] * omega[1] +
                                       (double)w->axes[i][2] * omega[2]));
    }
}

void dry_momentum_repair(dry_solver_step *step)
{
    dry_solver_state *s = step->state;
    const dry_bodies *bodies = step->bodies;
    if (s->momentum_count == 0)
        return;
    dry_position origin = bodies->pose[0].position;
    double x[3], arm[3];
    for (int row = 0; row < bodies->awake_count; row++) {
        dry_island_momentum *m = record_of(step, row);
        if (!m)
            continue;
        double mass = 1.0 / (double)bodies->mass[row].inverse_mass;
        position_of(step, row, &origin, x);
        m->mass += mass;
        for (int i = 0; i < 3; i++) {
            m->center[i] += mass * x[i];
            m->error[i] += (double)s->momentum_row[row].angular_impulse[i];
        }
    }
    for (int row = 0; row < bodies->awake_count; row++) {
        dry_island_momentum *m = record_of(step, row);
        if (!m)
            continue;
        position_of(step, row, &origin, x);
        for (int i = 0; i < 3; i++)
            arm[i] = x[i] - m->center[i] / m->mass;
        add_inertia(step, row, arm, m);
    }
    for (int i = 0; i < s->momentum_count; i++)
        if (!solve_rotation(&s->momentum[i]))
            s->momentum[i].error[0] = s->momentum[i].error[1] = s->momentum[i].error[2] = 0.0;
    for (int row = 0; row < bodies->awake_count; row++) {
        const dry_island_momentum *m = record_of(step, row);
        if (!m)
            continue;
        position_of(step, row, &origin, x);
        for (int i = 0; i < 3; i++)
            arm[i] = x[i] - m->center[i] / m->mass;
        rotate_row(step, row, arm, m->error);
    }
}
