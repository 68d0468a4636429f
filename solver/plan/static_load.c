/* The impulses of contacts below bodies that were just placed at rest.
 *
 * Sweeps pass a load on by a few contacts each: a stack of N levels would need about N^2 of them until its
 * lowest contact carries all, and sink meanwhile. So each new body hands its weight down before the first
 * sweep, and each body below hands on what it was given, from the highest to the lowest. A body presses on
 * what it stands on as a rigid footing does: with a pressure that changes linearly over the points, and is
 * nowhere negative. Where that leaves bodies out of balance, as below an arch, forces are those of springs in
 * all contacts of the island.
 *
 * Reads islands, loads, poses, velocities and contacts. Writes impulses of contacts, for the warm start.
 * Next: difficulty.c. */
#include "core/double3.h"
#include "core/envelope.h"
#include "core/heap.h"
#include "narrowphase/manifold.h"
#include "solver/constraint/spook.h"
#include "solver/data/context.h"
#include "solver/plan/islands.h"
#include "state/iterators.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The load that a body has been given: a force along gravity, and where it acts. */
typedef struct carried {
    float force;     /* N */
    float moment[2]; /* times the way from the body's center across gravity, N m */
    int32_t place;   /* in the list of its island; -1: it is in none yet */
} carried;

typedef struct ranked_row {
    float height; /* along the vertical, m */
    int32_t row;
} ranked_row;

/* One point at which a body stands on another. */
typedef struct footing {
    int32_t contact, point, other; /* row; -1: not in an island */
    float at[2];                   /* from the body's center, across gravity, m */
    float other_at[2];             /* from the other's */
    float borne;                   /* along gravity for each N of its normal force */
    float force;                   /* along gravity, N */
    dry_vec3 normal, arm[2];       /* from the centers of a and b, m */
    bool slips;                    /* friction does not hold on the slope */
} footing;

enum { FOOTINGS_MAX = 64 };

/* The normal of a contact that carries rises by more than this. */
static const float RISE_MIN = 0.3f;

/* A footing as a spring of stiffness 1, whose force is the one of Coulomb's cone that is nearest to what its
 * displacement asks for. The energy of an island of springs is convex. Where it is least, the forces balance
 * the weights, if any forces of the cones do; Newton's method finds the place. Bodies have displacements of
 * their centers, and of points at their radii. */
typedef struct spring {
    footing at;                /* of side 0 */
    dry_vec3 axis[3];          /* the normal and two tangents */
    int32_t place[2];          /* of a and b in the list; -1: in no island */
    float way[3][12];          /* how the gap changes along each axis with each displacement of a and b */
    double friction, force[3]; /* on b, N */
} spring;

typedef struct static_loads {
    dry_solver_step *step;
    dry_vec3 up, across[2];
    float gravity;     /* m/s^2 */
    float rise_min;    /* of the normal of a footing */
    float speed_max;   /* of a body that has not moved: one step's fall is less, m/s */
    float gap_max;     /* a wider gap does not close within a quarter of the step, m */
    float overlap_max; /* a deeper overlap is worked off, and with an impulse on top would be thrown, m */
    carried *load;     /* of each row */
    dry_envelope list; /* the bodies of an island whose loads are not vertical, and their equations */
    spring *springs;   /* `count` of it */
    double *at, *left, *to; /* displacements; forces that are not balanced, N; Newton's step */
    int count;
} static_loads;

static bool is_higher(const void *context, const void *first, const void *second)
{
    (void)context;
    const ranked_row *a = first, *b = second;
    return a->height != b->height ? a->height > b->height : a->row < b->row;
}

/* Tells whether a body was placed and has not moved. */
static bool is_placed(const dry_bodies *bodies, int row, float speed_max)
{
    return bodies->sleep[row].load < 0.0f && bodies->state[row].contacts >= 0 &&
           bodies->mass[row].inverse_mass > 0.0f && bodies->properties[row].gravity_scale > 0.0f &&
           vec3_length_squared(bodies->velocity[row].linear) < speed_max * speed_max;
}

/* Returns the weight of a body, N. */
static float weight_of(const static_loads *s, int row)
{
    const dry_bodies *bodies = s->step->bodies;
    return bodies->properties[row].gravity_scale * s->gravity / bodies->mass[row].inverse_mass;
}

/* Finds the points of a contact at which a body stands on another. Contacts that the solver knows have their
 * impulses already. */
static int add_footings(const static_loads *s, int contact, int side, footing *footings, int count)
{
    const dry_contacts *contacts = s->step->contacts;
    const dry_bodies *bodies = s->step->bodies;
    const dry_contact_link *link = &contacts->link[contact];
    if (!(link->flags & DRY_CONTACT_TOUCHING))
        return count;
    const dry_manifold *m = &contacts->manifold[contact];
    if (m->substep > 0.0f || dry_contacts_have_spring(contacts, s->step->shapes, contact))
        return count;
    const int row_a = dry_bodies_row(bodies, link->body_a), row_b = dry_bodies_row(bodies, link->body_b);
    const dry_body_pose *a = &bodies->pose[row_a], *b = &bodies->pose[row_b];
    const dry_vec3 n = dry_manifold_normal(m, a);
    const float rise = side ? vec3_dot(n, s->up) : -vec3_dot(n, s->up);
    if (rise < s->rise_min)
        return count;
    /* Friction along the slope, as much as holds or as there is, bears a part. */
    const float sine = sqrtf(dry_max(1.0f - rise * rise, 0.0f));
    const float borne = rise + sine * dry_min(m->friction, sine / rise);
    const int other = dry_island_row(s->step, side ? link->body_a : link->body_b);
    const dry_vec3 between = position_sub(b->position, a->position);
    for (int k = 0; k < link->points && count < FOOTINGS_MAX; k++) {
        const float separation = dry_manifold_separation(m, k, n, a, b);
        if (separation > s->gap_max || separation < -s->overlap_max)
            continue;
        const dry_vec3 from_b = quat_rotate(b->orientation, m->points[k].anchor_b);
        const dry_vec3 from_a = vec3_add(between, from_b);
        footing *f = &footings[count++];
        *f = (footing){.contact = contact, .point = k, .other = other, .borne = borne, .normal = n};
        f->arm[0] = from_a, f->arm[1] = from_b;
        f->slips = sine > m->friction * rise;
        for (int i = 0; i < 2; i++) {
            f->at[i] = vec3_dot(s->across[i], side ? from_b : from_a);
            f->other_at[i] = vec3_dot(s->across[i], side ? from_a : from_b);
        }
    }
    return count;
}

/* Shares a load among the points that carry: a + b x + c z, with the load's force and moments. Returns the
 * number of points that carry still, those that would pull left out. */
static int share_load(const carried *load, footing *footings, int count)
{
    float middle[2] = {0.0f, 0.0f}, xx = 0.0f, xz = 0.0f, zz = 0.0f;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            middle[k] += footings[i].at[k] / (float)count;
    for (int i = 0; i < count; i++) {
        const float x = footings[i].at[0] - middle[0], z = footings[i].at[1] - middle[1];
        xx += x * x;
        xz += x * z;
        zz += z * z;
    }
    /* A line of points resists no moment about itself. A larger part than what sums and middle round by would
     * take moments away: with 1e-4 an overhang of ten planks swings by 5 um. */
    const float least = 8.0f * FLT_EPSILON * dry_max(xx + zz, middle[0] * middle[0] + middle[1] * middle[1]);
    xx += least;
    zz += least;
    const float mx = load->moment[0] - load->force * middle[0],
                mz = load->moment[1] - load->force * middle[1];
    const float determinant = xx * zz - xz * xz;
    const float inverse = determinant > 0.0f ? 1.0f / determinant : 0.0f; /* 0: all points are in one place */
    const float slope_x = (zz * mx - xz * mz) * inverse, slope_z = (xx * mz - xz * mx) * inverse;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        footing f = footings[i];
        f.force =
            load->force / (float)count + slope_x * (f.at[0] - middle[0]) + slope_z * (f.at[1] - middle[1]);
        if (f.force > 0.0f)
            footings[kept++] = f;
    }
    return kept;
}

/* Hands a body's load on to what the body stands on. */
static void hand_on(const static_loads *s, int row)
{
    const carried *load = &s->load[row];
    if (load->force <= 0.0f)
        return;
    footing footings[FOOTINGS_MAX];
    int count = 0;
    dry_contacts *contacts = s->step->contacts;
    dry_island *island = &s->step->islands->island[s->step->bodies->sleep[row].island];
    const dry_body_state *body = &s->step->bodies->state[row];
    for (dry_contact_iterator it = dry_contacts_of(contacts, body); dry_next_contact(&it);)
        count = add_footings(s, it.contact, it.side, footings, count);
    if (count == FOOTINGS_MAX)
        return; /* a part of the points alone would press on one corner */
    for (int i = 0; i < count; i++) {
        dry_manifold *m = &contacts->manifold[footings[i].contact];
        m->substep = -s->step->dt;
        m->impulse[footings[i].point] = 0.0f;
    }
    DRY_ASSERT(island->placed != DRY_NONE_PLACED);
    if (count > 0)
        island->placed = DRY_PLACED;
    for (int before = count + 1; count > 0 && count < before;) {
        before = count;
        count = share_load(load, footings, count);
    }
    float left[2] = {load->moment[0], load->moment[1]};
    for (int i = 0; i < count; i++) {
        const footing *f = &footings[i];
        island->thrusts |= f->slips;
        left[0] -= f->force * f->at[0];
        left[1] -= f->force * f->at[1];
        contacts->manifold[f->contact].impulse[f->point] = f->force / f->borne * s->step->dt;
        if (f->other < 0)
            continue;
        s->load[f->other].force += f->force;
        for (int k = 0; k < 2; k++)
            s->load[f->other].moment[k] += f->force * f->other_at[k];
    }
    const float most = body->radius * load->force * (1.0f / 64.0f);
    island->thrusts |= count == 0 || dry_abs(left[0]) + dry_abs(left[1]) > most;
}

/* Marks the islands with contacts of which some body was placed and has not moved. Returns whether there are
 * any. */
static bool find_placed(const dry_solver_step *step, float speed_max)
{
    const dry_bodies *bodies = step->bodies;
    bool any = false;
    for (int row = 0; row < bodies->awake_count; row++) {
        const int island = bodies->sleep[row].island;
        if (island >= 0 && step->islands->island[island].manifolds > 0 && is_placed(bodies, row, speed_max))
            step->islands->island[island].placed = DRY_SOME_PLACED, any = true;
    }
    return any;
}

/* Gives each placed body its own weight to carry, and lists the rows of their islands from the highest on. */
static int weigh_bodies(const static_loads *s, ranked_row *ranked)
{
    const dry_bodies *bodies = s->step->bodies;
    const dry_position origin = bodies->pose[0].position;
    dry_heap heap = {ranked, sizeof *ranked, bodies->awake_count, 0, is_higher, NULL};
    for (int row = 0; row < bodies->awake_count; row++) {
        s->load[row] = (carried){.place = -1};
        const int island = bodies->sleep[row].island;
        if (island < 0 || s->step->islands->island[island].placed == DRY_NONE_PLACED)
            continue;
        if (is_placed(bodies, row, s->speed_max))
            s->load[row].force = weight_of(s, row);
        const float height = vec3_dot(s->up, position_sub(bodies->pose[row].position, origin));
        const ranked_row next = {height, row};
        dry_heap_keep(&heap, &next);
    }
    dry_heap_sort(&heap);
    return heap.kept;
}

/* Adds a spring for each point of a contact that touches or is about to. */
static void add_springs(static_loads *s, int contact)
{
    const dry_contact_link *link = &s->step->contacts->link[contact];
    const dry_manifold *m = &s->step->contacts->manifold[contact];
    const int slot[2] = {link->body_a, link->body_b};
    footing footings[FOOTINGS_MAX];
    const int count = add_footings(s, contact, 0, footings, 0);
    for (spring *g = s->springs + s->count; g < s->springs + s->count + count; g++) {
        const footing f = g->at = footings[g - s->springs - s->count];
        g->friction = (double)m->friction;
        g->axis[0] = f.normal;
        g->axis[1] = vec3_perpendicular(f.normal);
        g->axis[2] = vec3_cross(f.normal, g->axis[1]);
        for (int i = 0; i < 36; i++) {
            const int side = i / 6 % 2, row = dry_island_row(s->step, slot[side]);
            const dry_vec3 axis = vec3_scale(g->axis[i / 12], side ? 1.0f : -1.0f);
            g->place[side] = row < 0 ? -1 : s->load[row].place;
            g->way[i / 12][i % 12] = row < 0     ? 0.0f
                                     : i % 6 < 3 ? vec3_get(axis, i % 3)
                                                 : vec3_get(vec3_cross(f.arm[side], axis), i % 3) /
                                                       s->step->bodies->state[row].radius;
        }
    }
    s->count += count;
}

/* Finds the forces of all springs, what they leave of the weights, and the matrix. Returns the work of what
 * is left along Newton's step. */
static double press(static_loads *s, bool with_matrix)
{
    double work = 0.0;
    for (int i = 0; i < 6 * s->list.count; i++)
        s->left[i] =
            i % 6 < 3 ? -(double)(weight_of(s, s->list.row[i / 6].of) * vec3_get(s->up, i % 3)) : 0.0;
    for (spring *g = s->springs; g < s->springs + s->count; g++) {
        double p[3] = {0.0, 0.0, 0.0}, way[12], *force = memset(g->force, 0, sizeof g->force);
        for (int i = 0; i < 12; i++)
            for (int k = 0; k < 3 && g->place[i / 6] >= 0; k++)
                p[k] -= (double)g->way[k][i] * s->at[6 * g->place[i / 6] + i % 6];
        const double size = sqrt(p[1] * p[1] + p[2] * p[2]);
        const bool sticks = p[0] >= 0.0 && size <= g->friction * p[0];
        const bool slides = !sticks && g->friction * size > -p[0];
        const double mu = slides ? g->friction : 0.0, x = slides ? p[1] / size : 1.0,
                     y = slides ? p[2] / size : 0.0;
        /* The force of one that slides follows a line of the cone, and turns with the displacement. */
        const double axis[3][3] = {{1.0, mu * x, mu * y}, {0.0, -y, x}, {0.0, x, y}},
                     share = 1.0 / (1.0 + mu * mu);
        const double turns = slides ? mu * share * (p[0] + mu * size) / size : 0.0;
        const double stiffness[3] = {sticks || slides ? share : 0.0, sticks ? 1.0 : turns,
                                     sticks ? 1.0 : 0.0};
        for (int k = 0; k < 3 && stiffness[k] > 0.0; k++) {
            const double *to = axis[k], size_k = stiffness[k] * (to[0] * p[0] + to[1] * p[1] + to[2] * p[2]);
            for (int i = 0; i < 3; i++)
                force[i] += size_k * to[i];
            for (int i = 0; i < 12; i++) {
                way[i] = to[0] * (double)g->way[0][i] + to[1] * (double)g->way[1][i] +
                         to[2] * (double)g->way[2][i];
                if (g->place[i / 6] >= 0)
                    s->left[6 * g->place[i / 6] + i % 6] += size_k * way[i];
            }
            if (with_matrix)
                dry_envelope_add(&s->list, g->place, way, stiffness[k]);
        }
    }
    for (int i = 0; i < 6 * s->list.count; i++)
        work += s->left[i] * s->to[i];
    return work;
}

/* Finds displacements at which the forces balance the weights. Returns false if there are none: most of the
 * work of Newton's steps is then that against what holds bodies which no spring does. */
static bool find_balance(static_loads *s, int steps)
{
    enum { TRIES_MAX = 20, HELD = 1 << 30, BALANCED = 1 << 14 };
    const int n = 6 * s->list.count;
    for (int loose = 0; steps > 0 && loose < 3; steps--) {
        dry_envelope_clear(&s->list, 1.0 / HELD);
        press(s, true);
        bool balanced = true;
        for (int i = 0; i < n; i++)
            balanced &= dry_abs((float)s->left[i]) * BALANCED < weight_of(s, s->list.row[i / 6].of);
        if (balanced)
            return true;
        dry_envelope_solve(&s->list, s->left, s->to);
        double work = 0.0, held = 0.0, share = 1.0;
        for (int i = 0; i < n; i++) {
            work += s->left[i] * s->to[i];
            held += s->to[i] * s->to[i] / HELD;
            s->at[i] += s->to[i];
        }
        loose = 4.0 * held > 3.0 * work ? loose + 1 : 0;
        for (int k = 0; k < TRIES_MAX; k++) {
            const double now = 4.0 * press(s, false);
            if (now > -work && (now < work || k == 0))
                break;
            share *= 0.5;
            for (int i = 0; i < n; i++)
                s->at[i] += (now < 0.0 ? -share : share) * s->to[i];
        }
    }
    return false;
}

/* Gives contacts the impulses of the forces: friction at the middle of their points, and torsion about it. */
static void keep_forces(const static_loads *s)
{
    for (const spring *g = s->springs; g < s->springs + s->count; g++) {
        const dry_contact_link *link = &s->step->contacts->link[g->at.contact];
        dry_manifold *m = &s->step->contacts->manifold[g->at.contact];
        const dry_quat b = s->step->bodies->pose[dry_bodies_row(s->step->bodies, link->body_b)].orientation;
        dry_vec3 offset = g->at.arm[1], impulse = vec3_scale(g->axis[1], (float)g->force[1] * s->step->dt);
        impulse = vec3_add_scaled(impulse, (float)g->force[2] * s->step->dt, g->axis[2]);
        if (g == s->springs || g->at.contact != g[-1].at.contact) {
            memset(m->impulse, 0, sizeof m->impulse);
            m->friction_impulse = vec3(0.0f, 0.0f, 0.0f);
            m->torsion_impulse = 0.0f;
            m->substep = -s->step->dt;
        }
        for (int k = 0; k < link->points; k++)
            offset =
                vec3_add_scaled(offset, -1.0f / (float)link->points, quat_rotate(b, m->points[k].anchor_b));
        m->impulse[g->at.point] = (float)g->force[0] * s->step->dt;
        m->friction_impulse = vec3_add(m->friction_impulse, impulse);
        m->torsion_impulse += vec3_dot(vec3_cross(offset, impulse), g->at.normal);
    }
}

/* Finds the forces of an island in which loads are not vertical, if some balance. Its bodies are listed from
 * neighbor to neighbor. Returns false if memory fails. */
static bool find_thrust(static_loads *s, int row, dry_memory *memory, dry_scratch *scratch)
{
    enum { STEPS_MIN = 6, STEPS_MAX = 20, WORK_MAX = 8 << 20 }; /* products of blocks: 0.1 us each */
    const dry_contacts *contacts = s->step->contacts;
    const dry_bodies *bodies = s->step->bodies;
    const size_t springs = 4 * (size_t)s->step->islands->island[bodies->sleep[row].island].manifolds;
    int64_t work = 0;
    bool placed = true;
    s->list.row[0].of = row;
    s->load[row].place = 0;
    s->list.count = 1;
    for (int p = 0; p < s->list.count; p++) {
        dry_envelope_row *body = &s->list.row[p];
        placed &= is_placed(bodies, body->of, s->speed_max);
        body->first = p;
        for (dry_contact_iterator it = dry_contacts_of(contacts, &bodies->state[body->of]);
             dry_next_contact(&it);) {
            const int other = dry_island_row(s->step, it.other);
            if (other < 0 || !(contacts->link[it.contact].flags & DRY_CONTACT_TOUCHING))
                continue;
            if (s->load[other].place < 0) {
                s->load[other].place = s->list.count;
                s->list.row[s->list.count++].of = other;
            }
            body->first = dry_min_int(body->first, s->load[other].place);
        }
        work += (int64_t)(p + 1 - body->first) * (p + 1 - body->first);
    }
    const size_t terms = dry_envelope_place(&s->list), n = 6 * (size_t)s->list.count;
    if (!placed || STEPS_MIN * work > WORK_MAX)
        return true;
    if (!dry_scratch_reserve(scratch, memory,
                             dry_scratch_bytes(springs, sizeof(spring)) +
                                 dry_scratch_bytes(terms + 3 * n, sizeof(double))))
        return false;
    const size_t mark = scratch->used;
    s->springs = DRY_SCRATCH_TAKE(scratch, spring, springs);
    s->at = DRY_SCRATCH_TAKE(scratch, double, terms + 3 * n);
    s->left = s->at + n, s->to = s->left + n, s->list.term = s->to + n;
    memset(s->at, 0, 3 * n * sizeof *s->at);
    s->count = 0;
    for (int p = 0; p < s->list.count; p++)
        for (dry_contact_iterator it = dry_contacts_of(contacts, &bodies->state[s->list.row[p].of]);
             dry_next_contact(&it);)
            if (it.side == 0 || dry_island_row(s->step, it.other) < 0)
                add_springs(s, it.contact);
    if (find_balance(s, work * STEPS_MAX > WORK_MAX ? (int)(WORK_MAX / work) : STEPS_MAX))
        keep_forces(s);
    dry_scratch_give_back(scratch, mark);
    return true;
}

bool dry_static_loads(dry_solver_step *step, dry_memory *memory, dry_scratch *scratch)
{
    for (int i = 0; i < step->islands->count; i++)
        step->islands->island[i].placed = DRY_NONE_PLACED, step->islands->island[i].thrusts = false;
    const float gravity = vec3_length(step->settings->gravity);
    const float speed_max = 2.0f * gravity * step->dt;
    if (!step->settings->warm_start || dry_spook_given_as_k(step->settings) || gravity == 0.0f ||
        !find_placed(step, speed_max))
        return true;
    const size_t rows = (size_t)step->bodies->awake_count;
    if (!dry_scratch_reserve(scratch, memory,
                             dry_scratch_bytes(rows, sizeof(carried)) +
                                 dry_scratch_bytes(rows, sizeof(ranked_row)) +
                                 dry_scratch_bytes(rows + 1, sizeof(dry_envelope_row))))
        return false;
    const size_t mark = scratch->used;
    const dry_vec3 up = vec3_scale(step->settings->gravity, -1.0f / gravity);
    const dry_vec3 across = vec3_perpendicular(up);
    static_loads s = {
        .step = step,
        .up = up,
        .across = {across, vec3_cross(up, across)},
        .gravity = gravity,
        .rise_min = RISE_MIN,
        .speed_max = speed_max,
        .gap_max = gravity * step->dt * step->dt / 16.0f,
        .overlap_max = gravity * step->dt * step->dt / 128.0f,
        .load = DRY_SCRATCH_TAKE(scratch, carried, rows),
        .list.row = DRY_SCRATCH_TAKE(scratch, dry_envelope_row, rows + 1),
    };
    ranked_row *ranked = DRY_SCRATCH_TAKE(scratch, ranked_row, rows);
    const int count = weigh_bodies(&s, ranked);
    for (int i = 0; i < count; i++)
        hand_on(&s, ranked[i].row);
    s.rise_min = -2.0f; /* any footing is a spring; rounding may take a rise below -1 */
    for (int i = 0; i < count; i++) {
        const dry_island *island = &step->islands->island[step->bodies->sleep[ranked[i].row].island];
        if (island->thrusts && !island->floating && island->joints == 0 && s.load[ranked[i].row].place < 0 &&
            !find_thrust(&s, ranked[i].row, memory, scratch))
            return false;
    }
    dry_scratch_give_back(scratch, mark < scratch->used ? mark : 0);
    return true;
}
