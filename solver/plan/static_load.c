/* The impulses of contacts below bodies that were just placed at rest.
 *
 * Sweeps pass a load on by a few contacts each: a stack of N levels would need about N^2 of them until its
 * lowest contact carries all, and sink meanwhile. So each new body hands its weight down before the first
 * sweep, and each body below hands on what it was given, from the highest to the lowest. A body presses on
 * what it stands on as a rigid footing does: with a pressure that changes linearly over the points, and is
 * nowhere negative.
 *
 * Reads islands, loads, poses, velocities and contacts. Writes impulses of contacts, for the warm start.
 * Next: difficulty.c. */
#include "core/heap.h"
#include "narrowphase/manifold.h"
#include "solver/constraint/spook.h"
#include "solver/data/context.h"
#include "solver/plan/islands.h"

#include <float.h>
#include <math.h>

/* The load that a body has been given: a force along gravity, and where it acts. */
typedef struct carried {
    float force;     /* N */
    float moment[2]; /* times the way from the body's center across gravity, N m */
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
} footing;

enum { FOOTINGS_MAX = 64 };

/* The normal of a contact that carries rises by more than this. */
static const float RISE_MIN = 0.3f;

typedef struct static_loads {
    dry_solver_step *step;
    dry_vec3 up, across[2];
    float gravity;     /* m/s^2 */
    float gap_max;     /* a wider gap does not close within a quarter of the step, m */
    float overlap_max; /* a deeper overlap is worked off, and with an impulse on top would be thrown, m */
    carried *load;     /* of each row */
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
           bodies->properties[row].gravity_scale > 0.0f &&
           vec3_length_squared(bodies->velocity[row].linear) < speed_max * speed_max;
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
    if (rise < RISE_MIN)
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
        *f = (footing){.contact = contact, .point = k, .other = other, .borne = borne};
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
    for (int end = s->step->bodies->state[row].contacts; end >= 0;
         end = contacts->link[end / 2].next[end % 2])
        count = add_footings(s, end / 2, end % 2, footings, count);
    if (count == FOOTINGS_MAX)
        return; /* a part of the points alone would press on one corner */
    for (int i = 0; i < count; i++) {
        dry_manifold *m = &contacts->manifold[footings[i].contact];
        m->substep = -s->step->dt;
        m->impulse[footings[i].point] = 0.0f;
    }
    DRY_ASSERT(s->step->islands->island[s->step->bodies->sleep[row].island].placed != DRY_NONE_PLACED);
    if (count > 0)
        s->step->islands->island[s->step->bodies->sleep[row].island].placed = DRY_PLACED;
    for (int before = count + 1; count > 0 && count < before;) {
        before = count;
        count = share_load(load, footings, count);
    }
    for (int i = 0; i < count; i++) {
        const footing *f = &footings[i];
        contacts->manifold[f->contact].impulse[f->point] = f->force / f->borne * s->step->dt;
        if (f->other < 0)
            continue;
        s->load[f->other].force += f->force;
        for (int k = 0; k < 2; k++)
            s->load[f->other].moment[k] += f->force * f->other_at[k];
    }
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
static int weigh_bodies(const static_loads *s, float speed_max, ranked_row *ranked)
{
    const dry_bodies *bodies = s->step->bodies;
    const dry_position origin = bodies->pose[0].position;
    dry_heap heap = {ranked, sizeof *ranked, bodies->awake_count, 0, is_higher, NULL};
    for (int row = 0; row < bodies->awake_count; row++) {
        s->load[row] = (carried){0};
        const int island = bodies->sleep[row].island;
        if (island < 0 || s->step->islands->island[island].placed == DRY_NONE_PLACED)
            continue;
        const float inverse = bodies->mass[row].inverse_mass;
        if (inverse > 0.0f && is_placed(bodies, row, speed_max))
            s->load[row].force = bodies->properties[row].gravity_scale * s->gravity / inverse;
        const float height = vec3_dot(s->up, position_sub(bodies->pose[row].position, origin));
        const ranked_row next = {height, row};
        dry_heap_keep(&heap, &next);
    }
    dry_heap_sort(&heap);
    return heap.kept;
}

bool dry_static_loads(dry_solver_step *step, dry_memory *memory, dry_scratch *scratch)
{
    for (int i = 0; i < step->islands->count; i++)
        step->islands->island[i].placed = DRY_NONE_PLACED;
    const float gravity = vec3_length(step->settings->gravity);
    const float speed_max = 2.0f * gravity * step->dt; /* one step's fall is less */
    if (!step->settings->warm_start || dry_spook_given_as_k(step->settings) || gravity == 0.0f ||
        !find_placed(step, speed_max))
        return true;
    const size_t rows = (size_t)step->bodies->awake_count;
    if (!dry_scratch_reserve(scratch, memory,
                             dry_scratch_bytes(rows, sizeof(carried)) +
                                 dry_scratch_bytes(rows, sizeof(ranked_row))))
        return false;
    const size_t mark = scratch->used;
    const dry_vec3 up = vec3_scale(step->settings->gravity, -1.0f / gravity);
    const dry_vec3 across = vec3_perpendicular(up);
    static_loads s = {
        .step = step,
        .up = up,
        .across = {across, vec3_cross(up, across)},
        .gravity = gravity,
        .gap_max = gravity * step->dt * step->dt / 16.0f,
        .overlap_max = gravity * step->dt * step->dt / 128.0f,
        .load = DRY_SCRATCH_TAKE(scratch, carried, rows),
    };
    ranked_row *ranked = DRY_SCRATCH_TAKE(scratch, ranked_row, rows);
    const int count = weigh_bodies(&s, speed_max, ranked);
    for (int i = 0; i < count; i++)
        hand_on(&s, ranked[i].row);
    dry_scratch_give_back(scratch, mark);
    return true;
}
