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
#include "core/cones.h"
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
    int32_t block;   /* in `balance`; -1: it is in none yet */
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

typedef struct static_loads {
    dry_solver_step *step;
    dry_vec3 up, across[2];
    float gravity;     /* m/s^2 */
    float rise_min;    /* of the normal of a footing */
    float speed_max;   /* of a body that has not moved: one step's fall is less, m/s */
    float gap_max;     /* a wider gap does not close within a quarter of the step, m */
    float overlap_max; /* a deeper overlap is worked off, and with an impulse on top would be thrown, m */
    carried *load;     /* of each row */
    dry_cones balance; /* of an island whose loads are not vertical, with displacements of bodies' centers,
                          and of points at their radii */
    footing *footings; /* of each cone; those of a contact one after the other */
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
        s->load[row] = (carried){.block = -1};
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

/* Returns the axes of a cone: the normal, and two tangents. */
static dry_vec3 axis_of(dry_vec3 normal, int k)
{
    const dry_vec3 across = vec3_perpendicular(normal);
    return k == 0 ? normal : k == 1 ? across : vec3_cross(normal, across);
}

/* Adds a cone for each point of a contact that touches or is about to. */
static void add_cones(static_loads *s, int contact)
{
    const dry_contact_link *link = &s->step->contacts->link[contact];
    footing *f = s->footings + s->balance.count;
    for (int count = add_footings(s, contact, 0, f, 0); count > 0; count--, f++) {
        dry_cone *c = &s->balance.cone[s->balance.count++];
        c->friction = (double)s->step->contacts->manifold[contact].friction;
        for (int i = 0; i < 36; i++) {
            const int side = i / 6 % 2, row = dry_island_row(s->step, side ? link->body_b : link->body_a);
            const dry_vec3 axis = vec3_scale(axis_of(f->normal, i / 12), side ? 1.0f : -1.0f);
            const dry_vec3 moment = vec3_cross(f->arm[side], axis);
            c->block[side] = row < 0 ? -1 : s->load[row].block;
            c->way[i / 12][i % 12] = row < 0 ? 0.0f
                                     : i % 6 < 3
                                         ? vec3_get(axis, i % 3)
                                         : vec3_get(moment, i % 3) / s->step->bodies->state[row].radius;
        }
    }
}

/* Gives contacts the impulses of the forces: friction at the middle of their points, and torsion about it. */
static void keep_forces(const static_loads *s)
{
    const float dt = s->step->dt;
    for (int i = 0; i < s->balance.count; i++) {
        const footing *f = &s->footings[i];
        const double *force = s->balance.cone[i].force;
        const dry_contact_link *link = &s->step->contacts->link[f->contact];
        dry_manifold *m = &s->step->contacts->manifold[f->contact];
        const dry_quat b = s->step->bodies->pose[dry_bodies_row(s->step->bodies, link->body_b)].orientation;
        dry_vec3 offset = f->arm[1], impulse = vec3_scale(axis_of(f->normal, 1), (float)force[1] * dt);
        impulse = vec3_add_scaled(impulse, (float)force[2] * dt, axis_of(f->normal, 2));
        if (i == 0 || f->contact != f[-1].contact) {
            memset(m->impulse, 0, sizeof m->impulse);
            m->friction_impulse = vec3(0.0f, 0.0f, 0.0f);
            m->torsion_impulse = 0.0f;
            m->substep = -dt;
        }
        const float share = -1.0f / (float)link->points;
        for (int k = 0; k < link->points; k++)
            offset = vec3_add_scaled(offset, share, quat_rotate(b, m->points[k].anchor_b));
        m->impulse[f->point] = (float)force[0] * dt;
        m->friction_impulse = vec3_add(m->friction_impulse, impulse);
        m->torsion_impulse += vec3_dot(vec3_cross(offset, impulse), f->normal);
    }
}

/* Finds the forces of an island in which loads are not vertical, if some balance. Its bodies are listed from
 * neighbor to neighbor. Returns false if memory fails. */
static bool find_thrust(static_loads *s, int row, dry_memory *memory, dry_scratch *scratch)
{
    enum { STEPS_MIN = 6, STEPS_MAX = 20, WORK_MAX = 6 << 20 }; /* products of blocks, some 40 ns each */
    const dry_contacts *contacts = s->step->contacts;
    const dry_bodies *bodies = s->step->bodies;
    dry_envelope *list = &s->balance.blocks;
    const size_t most = 4 * (size_t)s->step->islands->island[bodies->sleep[row].island].manifolds;
    int64_t work = 0;
    bool placed = true;
    list->row[0].of = row;
    s->load[row].block = 0;
    list->count = 1;
    for (int p = 0; p < list->count; p++) {
        dry_envelope_row *body = &list->row[p];
        placed &= is_placed(bodies, body->of, s->speed_max);
        body->first = p;
        for (dry_contact_iterator it = dry_contacts_of(contacts, &bodies->state[body->of]);
             dry_next_contact(&it);) {
            const int other = dry_island_row(s->step, it.other);
            if (other < 0 || !(contacts->link[it.contact].flags & DRY_CONTACT_TOUCHING))
                continue;
            if (s->load[other].block < 0) {
                s->load[other].block = list->count;
                list->row[list->count++].of = other;
            }
            body->first = dry_min_int(body->first, s->load[other].block);
        }
        work += (int64_t)(p + 1 - body->first) * (p + 1 - body->first);
    }
    const size_t terms = dry_envelope_place(list), n = 6 * (size_t)list->count;
    if (!placed || STEPS_MIN * work > WORK_MAX)
        return true;
    if (!dry_scratch_reserve(scratch, memory,
                             dry_scratch_bytes(most, sizeof(footing)) +
                                 dry_scratch_bytes(most, sizeof(dry_cone)) +
                                 dry_scratch_bytes(terms + 4 * n, sizeof(double))))
        return false;
    const size_t mark = scratch->used;
    s->footings = DRY_SCRATCH_TAKE(scratch, footing, most);
    s->balance.cone = DRY_SCRATCH_TAKE(scratch, dry_cone, most);
    double *of = list->term = DRY_SCRATCH_TAKE(scratch, double, terms + 4 * n);
    s->balance = (dry_cones){
        *list, s->balance.cone, of + terms, of + terms + n, of + terms + 2 * n, of + terms + 3 * n, 0};
    memset(s->balance.load, 0, 4 * n * sizeof *of);
    for (int p = 0; p < list->count; p++) {
        row = list->row[p].of;
        for (int k = 0; k < 3; k++)
            s->balance.load[6 * p + k] = -(double)(weight_of(s, row) * vec3_get(s->up, k));
        for (dry_contact_iterator it = dry_contacts_of(contacts, &bodies->state[row]); dry_next_contact(&it);)
            if (it.side == 0 || dry_island_row(s->step, it.other) < 0)
                add_cones(s, it.contact);
    }
    if (dry_cones_balance(&s->balance, work * STEPS_MAX > WORK_MAX ? (int)(WORK_MAX / work) : STEPS_MAX))
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
        .balance.blocks.row = DRY_SCRATCH_TAKE(scratch, dry_envelope_row, rows + 1),
    };
    ranked_row *ranked = DRY_SCRATCH_TAKE(scratch, ranked_row, rows);
    const int count = weigh_bodies(&s, ranked);
    for (int i = 0; i < count; i++)
        hand_on(&s, ranked[i].row);
    s.rise_min = -2.0f; /* any footing has a cone; rounding may take a rise below -1 */
    for (int i = 0; i < count; i++) {
        const dry_island *island = &step->islands->island[step->bodies->sleep[ranked[i].row].island];
        if (island->thrusts && !island->floating && island->joints == 0 && s.load[ranked[i].row].block < 0 &&
            !find_thrust(&s, ranked[i].row, memory, scratch))
            return false;
    }
    dry_scratch_give_back(scratch, mark < scratch->used ? mark : 0);
    return true;
}
