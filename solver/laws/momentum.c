/* Momentum of floating islands.
 *
 * Both bodies of a contact take its impulse at one point, so that a pair's angular momentum is kept as long
 * as the bodies are where the lever arms were made. Within a step they move on. An impulse J on a body
 * displaced by d acts at x + d with the lever arm of x, and adds d x J to the angular momentum. Contacts have
 * the lever arms of the time at which their surfaces meet, joints those of their substeps' beginnings. In
 * an island that nothing fixed holds the error is measured, as the growth beyond the moments of forces. A
 * rigid rotation of the whole island takes the error back exactly. An island that something fixed holds has
 * no momentum to keep, and one that loses a body to quarantine does not keep it.
 *
 * That rotation may add energy: omega . L + omega . I omega / 2, with L before it. The motion of the bodies
 * relative to the island, moved as one rigid body, has no momentum of either kind. In an island with a body
 * that turns fast, or with an open joint (spin.c), it is scaled down until it has given that energy;
 * elsewhere that is less than what sweeps leave.
 *
 * The sweeps of some methods keep no linear momentum either (dry_method.loses_momentum), and where joints are
 * prepared for each substep its rounding grows: an island gets the velocity of its center back that forces
 * alone would give.
 *
 * Reads rows and momentum rows; writes velocities after the last substep. Next: store.c. */
#include "solver/laws/momentum.h"

#include "solver/bodies/sums.h"

#include "solver/bodies/body_blocks.h"
#include "solver/bodies/invalid.h"
#include "solver/bodies/turned.h"
#include "solver/bodies/whitening.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/laws/spin.h"
#include "solver/plan/islands.h"

typedef struct dry_island_momentum {
    dry_position origin; /* of lengths: the position of its first body */
    double error[3];     /* excess of angular momentum about the origin, later about the center, N m s */
    double mass, center[3];
    double velocity[3];   /* of the center of mass; the linear momentum until that is divided, N s */
    double kept[3];       /* likewise as forces alone would have it */
    double angular[3];    /* angular momentum about the center of mass, N m s */
    double inertia[3][3]; /* about the center of mass, kg m^2 */
    double energy;        /* kinetic, twice, J */
    double allowed;       /* by rigid joints, twice, J; 0 where something else does work */
    double rotation[3];   /* what every body's rotation gets, rad/s */
    double share;         /* of its relative motion that a body keeps */
    bool fast;  /* some body turns by DRY_FAST_ROTATION in the step, a joint is open, or the method gives
                   energy to linkages */
    bool loses; /* some body goes into quarantine, and momentum with it */
    int32_t island;
} dry_island_momentum;

void dry_momentum_free(dry_solver_state *state, dry_memory *memory)
{
    DRY_RELEASE(memory, state->laws.momentum, state->laws.momentum_capacity);
    DRY_RELEASE(memory, state->bodies.momentum_row, state->bodies.momentum_row_capacity);
}

/* Tells whether an island's momentum is looked after here. Articulations keep their own. */
static bool keeps_momentum(const dry_island *island)
{
    return island->floating && !island->alone;
}

bool dry_momentum_reserve(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    int count = 0;
    for (int c = 0; c < s->plan.range_count; c++)
        s->plan.ranges[c].floating = false;
    for (int i = 0; i < step->islands->count; i++) {
        const dry_island *island = &step->islands->island[i];
        if (!keeps_momentum(island))
            continue;
        count++;
        s->plan.ranges[dry_island_range(island)].floating = true;
    }
    if (!DRY_RESERVE(memory, s->laws.momentum, s->laws.momentum_capacity, count))
        return false;
    if (count > 0 && !DRY_RESERVE(memory, s->bodies.momentum_row, s->bodies.momentum_row_capacity,
                                  step->bodies->awake_count))
        return false;
    s->laws.momentum_count = 0;
    for (int i = 0; i < step->islands->count && count > 0; i++) {
        dry_island *island = &step->islands->island[i];
        island->momentum = keeps_momentum(island) ? s->laws.momentum_count : -1;
        if (island->momentum >= 0)
            s->laws.momentum[s->laws.momentum_count++] = (dry_island_momentum){.island = i};
    }
    return true;
}

/* Returns the momentum record of a row's island, or null. */
static dry_island_momentum *record_of(const dry_solver_step *step, int row)
{
    int island = step->bodies->sleep[row].island;
    if (island < 0 || !keeps_momentum(&step->islands->island[island]))
        return NULL;
    return &step->state->laws.momentum[step->islands->island[island].momentum];
}

/* Tells whether the body of a row stays in the world. */
static bool is_valid(const dry_solver_step *step, int row)
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_vec3 v = vec3_scale(vec3(r->ul[0], r->ul[1], r->ul[2]), r->inv_sqrt_mass);
    const dry_vec3 w = {r->ua[0] * r->inv_sqrt_inertia[0], r->ua[1] * r->inv_sqrt_inertia[1],
                        r->ua[2] * r->inv_sqrt_inertia[2]};
    return !step->state->bodies.invalid[row] && r->inv_sqrt_mass > 0.0f &&
           dry_speeds_are_valid(vec3_length_squared(v), vec3_length_squared(w));
}

/* Computes a body's position at the step's end relative to its island's origin, so that lengths stay near the
 * island's. */
static void position_of(const dry_solver_step *step, int row, const dry_island_momentum *m, double x[3])
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    double inv_sqrt_mass = (double)r->inv_sqrt_mass;
    const dry_position *p = &step->bodies->pose[row].position;
    x[0] = p->x - m->origin.x + (double)r->dl[0] * inv_sqrt_mass;
    x[1] = p->y - m->origin.y + (double)r->dl[1] * inv_sqrt_mass;
    x[2] = p->z - m->origin.z + (double)r->dl[2] * inv_sqrt_mass;
}

static dry_whitening whitening_of(const dry_solver_step *step, int row)
{
    return dry_whitening_of(&step->state->bodies.rows[row + 1], step->bodies->pose[row].orientation);
}

static dry_solver_row *row_of(const dry_solver_step *step, int row)
{
    return &step->state->bodies.rows[row + 1];
}

/* Adds a row's part of an angular momentum, about the center and about the origin. `turn` is the whitened one
 * about the center. */
static void add_angular(const dry_whitening *w, const double x[3], const float ul[3], const double turn[3],
                        double times, double sum[3])
{
    double p[3];
    for (int i = 0; i < 3; i++)
        p[i] = (double)ul[i] / (double)w->inv_sqrt_mass;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        double own = 0.0;
        for (int a = 0; a < 3; a++)
            own += (double)w->sqrt_inertia[a] * (double)w->sqrt_inertia[a] * (double)w->axes[a][i] * turn[a];
        sum[i] += times * (x[j] * p[k] - x[k] * p[j] + own);
    }
}

/* Adds what a body has more in angular momentum than forces gave it. */
static void add_excess(const dry_solver_step *step, int row, dry_island_momentum *m)
{
    const dry_whitening w = whitening_of(step, row);
    const dry_momentum_row *sum = &step->state->bodies.momentum_row[row];
    const dry_position *p = &step->bodies->pose[row].position;
    const double begin[3] = {p->x - m->origin.x, p->y - m->origin.y, p->z - m->origin.z};
    const int tier = dry_island_range(&step->islands->island[m->island]);
    double end[3], turn[3], first[3], forced[3];
    for (int k = 0; k < 3; k++)
        first[k] = (double)sum->begin[3 + k], forced[k] = (double)sum->force[3 + k];
    position_of(step, row, m, end);
    dry_turned_momentum(step, row, turn);
    add_angular(&w, end, row_of(step, row)->u, turn, 1.0, m->error);
    add_angular(&w, begin, sum->begin, first, -1.0, m->error);
    add_angular(&w, begin, sum->force, forced, -(double)step->state->plan.ranges[tier].substeps, m->error);
    for (int i = 0; i < 3; i++)
        m->error[i] -= (double)sum->angular_force[i];
}

/* Returns twice the energy that a body had at the step's beginning, with the work of forces. */
static double allowed_energy(const dry_solver_step *step, int row, const dry_island *island)
{
    const dry_momentum_row *sum = &step->state->bodies.momentum_row[row];
    const float *d = row_of(step, row)->d;
    const double rate =
        (double)step->state->plan.ranges[dry_island_range(island)].substeps / (double)step->dt;
    double energy = 0.0;
    for (int k = 0; k < 6; k++)
        energy +=
            (double)sum->begin[k] * (double)sum->begin[k] + 2.0 * rate * (double)sum->force[k] * (double)d[k];
    return energy;
}

static void add_center(const dry_solver_step *step, int row, dry_island_momentum *m)
{
    if (m->mass == 0.0)
        m->origin = step->bodies->pose[row].position;
    const dry_solver_row *r = row_of(step, row);
    const double mass = 1.0 / (double)step->bodies->mass[row].inverse_mass;
    double x[3];
    position_of(step, row, m, x);
    const dry_island *island = &step->islands->island[m->island];
    const dry_method *method = step->method;
    add_excess(step, row, m);
    const dry_momentum_row *sum = &step->state->bodies.momentum_row[row];
    const double substeps = (double)step->state->plan.ranges[dry_island_range(island)].substeps;
    /* Contacts of a method that loses momentum are rigid: forces alone do work on them. */
    if ((island->spin >= 0 && !island->sprung) || (method->loses_momentum && island->joints == 0))
        m->allowed += allowed_energy(step, row, island);
    double turn[3];
    dry_turned_momentum(step, row, turn);
    m->mass += mass;
    for (int i = 0; i < 3; i++) {
        m->center[i] += mass * x[i];
        m->velocity[i] += (double)r->ul[i] / (double)r->inv_sqrt_mass;
        m->kept[i] += ((double)sum->begin[i] + substeps * (double)sum->force[i]) / (double)r->inv_sqrt_mass;
        m->energy += (double)r->ul[i] * (double)r->ul[i] + turn[i] * (double)r->ua[i];
    }
    const dry_vec3 turned = {r->ua[0] * r->inv_sqrt_inertia[0], r->ua[1] * r->inv_sqrt_inertia[1],
                             r->ua[2] * r->inv_sqrt_inertia[2]};
    m->fast |= vec3_length(turned) * step->dt > DRY_FAST_ROTATION || dry_spin_is_open(step, m->island) ||
               (method->gives_energy && island->joints > 0);
}

/* Computes a body's lever arm from the island's center of mass. */
static void arm_of(const dry_solver_step *step, int row, const dry_island_momentum *m, double arm[3])
{
    position_of(step, row, m, arm);
    for (int i = 0; i < 3; i++)
        arm[i] -= m->center[i];
}

/* Returns an element of a body's inertia about its center, in the world. */
static double own_inertia(const double *turned, const dry_whitening *w, int i, int j)
{
    static const int8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double own = 0.0;
    for (int k = 0; k < 3; k++)
        for (int p = turned ? 0 : k; p < (turned ? 3 : k + 1); p++) {
            /* axes[k] holds the axis over sqrt(I), so that I a a^T is I^2 times their product. */
            const double inertia = (double)w->sqrt_inertia[k] * (double)w->sqrt_inertia[k];
            const double other = (double)w->sqrt_inertia[p] * (double)w->sqrt_inertia[p];
            const double n = turned ? turned[at[k][p]] : 1.0;
            own += n * (inertia * other * (double)w->axes[k][i] * (double)w->axes[p][j]);
        }
    return own;
}

/* Adds a body's inertia and angular momentum about the island's center of mass. */
static void add_inertia(const dry_solver_step *step, int row, const double arm[3], dry_island_momentum *m)
{
    const dry_whitening white = whitening_of(step, row), *w = &white;
    const dry_solver_row *r = row_of(step, row);
    const double mass = 1.0 / (double)step->bodies->mass[row].inverse_mass;
    const double arm2 = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2];
    const dry_turned_row *turned = dry_turned_of(step, row);
    double relative[3], turn[3], inertia[6];
    dry_turned_momentum(step, row, turn);
    if (turned)
        dry_turned_inertia(turned, r, inertia);
    for (int i = 0; i < 3; i++)
        relative[i] = (double)r->ul[i] * (double)r->inv_sqrt_mass - m->velocity[i];
    for (int i = 0; i < 3; i++) {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        m->angular[i] += mass * (arm[p] * relative[q] - arm[q] * relative[p]);
        for (int k = 0; k < 3; k++) {
            const double of_axis = (double)w->sqrt_inertia[k] * (double)w->sqrt_inertia[k];
            m->angular[i] += of_axis * (double)w->axes[k][i] * turn[k];
        }
        for (int j = 0; j < 3; j++)
            m->inertia[i][j] += own_inertia(turned ? inertia : NULL, w, i, j) +
                                mass * ((i == j ? arm2 : 0.0) - arm[i] * arm[j]);
    }
}

/* Computes I^-1 v. False if the inertia is singular. */
static bool solve_inertia(const dry_island_momentum *m, const double v[3], double x[3])
{
    const double(*a)[3] = m->inertia;
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
    for (int i = 0; i < 3; i++)
        x[i] = (c[0][i] * v[0] + c[1][i] * v[1] + c[2][i] * v[2]) / determinant;
    return true;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The share of the relative motion's energy that is left for the rounding of rows and of finalize. */
#define ALLOWED_ROUNDING 2e-6

/* Finds the rotation that takes the error back and the share of the relative motion that stays. */
static void find_repair(dry_island_momentum *m)
{
    double rotation[3], back[3];
    m->share = 1.0;
    if (m->loses)
        return;
    if (!solve_inertia(m, m->angular, rotation) || !solve_inertia(m, m->error, back))
        return;
    /* Twice the energy that L - error has over L, moved as one. */
    const double gain = dot(m->error, back) - 2.0 * dot(m->error, rotation);
    const double relative = m->energy - m->mass * dot(m->kept, m->kept) - dot(m->angular, rotation);
    if (m->fast && relative > 0.0) {
        double given = gain > 0.0 ? gain : 0.0;
        if (m->allowed > 0.0)
            given = m->energy + gain - m->allowed + ALLOWED_ROUNDING * relative;
        m->share = sqrt(fmin(1.0, fmax(0.0, 1.0 - given / relative)));
    }
    for (int i = 0; i < 3; i++)
        m->rotation[i] = (1.0 - m->share) * rotation[i] - back[i];
}

/* Moves one body of an island: a share of its velocity and of the island's, and the rotation. */
static void repair_row(const dry_solver_step *step, int row, const double arm[3],
                       const dry_island_momentum *m)
{
    const dry_whitening white = whitening_of(step, row), *w = &white;
    dry_solver_row *r = row_of(step, row);
    const double root_mass = 1.0 / (double)w->inv_sqrt_mass, *omega = m->rotation;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double turned = (1.0 - m->share) * m->velocity[i] + omega[j] * arm[k] - omega[k] * arm[j];
        const double velocity = turned + (m->kept[i] - m->velocity[i]);
        const double inertia = (double)w->sqrt_inertia[i] * (double)w->sqrt_inertia[i];
        const double angular =
            inertia * ((double)w->axes[i][0] * omega[0] + (double)w->axes[i][1] * omega[1] +
                       (double)w->axes[i][2] * omega[2]);
        r->ul[i] = (float)(m->share * (double)r->ul[i] + velocity * root_mass);
        r->ua[i] = (float)(m->share * (double)r->ua[i] + angular);
    }
}

/* Gives an island the velocity of the center that forces alone would give, and the energy and the angular
 * momentum that go with it. */
static void keep_center(dry_island_momentum *m)
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        m->error[i] -= m->mass * (m->center[j] * (m->velocity[k] - m->kept[k]) -
                                  m->center[k] * (m->velocity[j] - m->kept[j]));
        m->energy += m->mass * (m->kept[i] * m->kept[i] - m->velocity[i] * m->velocity[i]);
    }
}

/* Finds the centers of islands and their velocities. */
static void find_centers(dry_solver_step *step)
{
    dry_solver_state *s = step->state;
    for (int i = 0; i < s->laws.momentum_count; i++) {
        dry_island_momentum *m = &s->laws.momentum[i];
        if (m->loses)
            continue;
        for (int k = 0; k < 3; k++) {
            m->center[k] /= m->mass;
            m->velocity[k] /= m->mass;
            m->kept[k] /= m->mass;
        }
        keep_center(m);
    }
}

void dry_momentum_repair(dry_solver_step *step)
{
    dry_solver_state *s = step->state;
    const int count = step->bodies->awake_count;
    if (s->laws.momentum_count == 0)
        return;
    double arm[3];
    for (int row = 0; row < count; row++) {
        dry_island_momentum *m = record_of(step, row);
        if (m && is_valid(step, row))
            add_center(step, row, m);
        else if (m)
            m->loses = true;
    }
    find_centers(step);
    for (int row = 0; row < count; row++) {
        dry_island_momentum *m = record_of(step, row);
        if (!m || m->loses)
            continue;
        arm_of(step, row, m, arm);
        add_inertia(step, row, arm, m);
    }
    for (int i = 0; i < s->laws.momentum_count; i++)
        find_repair(&s->laws.momentum[i]);
    for (int row = 0; row < count; row++) {
        const dry_island_momentum *m = record_of(step, row);
        if (!m || m->loses)
            continue;
        arm_of(step, row, m, arm);
        repair_row(step, row, arm, m);
    }
}
