/* Bodies as columns: every column group, who writes it in which stage, in one list.
 *
 * A *slot* names a body for as long as it lives; a *row* is where its columns are now. Rows
 * [0, awake_count) are the awake movable bodies, so a stage loops over one dense range and a sleeping world
 * costs nothing. Waking, sleeping, and destroying swap rows (dry_bodies_swap).
 *
 * Inside, a body's frame is its principal frame: origin at the centre of mass, axes along the principal
 * axes of inertia, so inertia is three numbers and M^(1/2) is diagonal [CSE169]. `local` leads back to the
 * frame that the user gave. */
#ifndef STATE_BODIES_H
#define STATE_BODIES_H

#include "core/math.h"
#include "core/memory.h"
#include "core/slots.h"

#include <drystone/body.h>

/* Where the principal frame is. World axes; metres. */
typedef struct dry_body_pose {
    dry_position position;
    dry_quat orientation;
} dry_body_pose;
_Static_assert(sizeof(dry_body_pose) == 40, "a pose is three doubles and four floats");

/* Of the centre of mass, world axes; m/s and rad/s. */
typedef struct dry_body_velocity {
    dry_vec3 linear, angular;
} dry_body_velocity;

/* 1/kg and 1/(kg m^2) along the principal axes. All 0 for static and kinematic bodies; an inertia of 0
 * is a locked rotation. */
typedef struct dry_body_mass {
    float inverse_mass;
    dry_vec3 inverse_inertia;
} dry_body_mass;
_Static_assert(sizeof(dry_body_mass) == 16, "a mass is one 16-byte load");

/* Sums of what apply_force and apply_torque gave since the last step; N and N m, world axes. Zero but with
 * FORCED, or with MASS_KEPT: a body that was dynamic and is not keeps its mass where forces would be, which
 * only dynamic bodies have. */
typedef struct dry_body_force {
    union {
        struct {
            dry_vec3 force, torque;
        };
        dry_body_mass kept;
    };
} dry_body_force;
_Static_assert(sizeof(dry_body_force) == 24, "six floats");

/* What changes motion besides forces. */
typedef struct dry_body_drive {
    float gravity_scale;
    float linear_damping, angular_damping; /* 1/s */
    uint32_t locks;                        /* DRY_LOCK_... */
} dry_body_drive;

/* The user's body frame in the principal frame. */
typedef struct dry_body_local {
    dry_transform origin;
} dry_body_local;

enum {
    DRY_BODY_ENABLED = 1,
    DRY_BODY_CAN_SLEEP = 2,
    DRY_BODY_MASS_GIVEN = 4,  /* dry_body_set_mass: shapes no longer decide it */
    DRY_BODY_MASS_SCALED = 8, /* dry_body_def.mass: shapes decide the form, `mass` the amount */
    DRY_BODY_FORCED = 16,     /* `force` is not zero */
    DRY_BODY_QUARANTINED = 32,
    DRY_BODY_SLEEP_LISTED = 64, /* fell asleep or woke since the last step's events */
    DRY_BODY_TOLD_ASLEEP = 128, /* what those events last said */
    DRY_BODY_DOOMED = 256,      /* marked by the batch that destroys it */
    DRY_BODY_OWN_FRAME = 512,   /* the user's frame is another than the principal one */
    DRY_BODY_MASS_KEPT = 1024   /* `force` holds what `mass` will be when the body is dynamic again */
};

/* The rest: read when something begins, ends, or is asked for. */
typedef struct dry_body_state {
    uint64_t user_data;
    uint64_t colors; /* bit c: a constraint of colour c holds this body (dynamic only) */
    int32_t slot;
    int32_t type; /* dry_body_type */
    uint32_t flags;
    int32_t first_shape; /* list through dry_shape_link.next */
    int32_t last_shape;
    int32_t contacts;     /* head of the list of contacts, as contact * 2 + side; -1 */
    int32_t joints;       /* likewise */
    float mass;           /* kg: the amount given by MASS_SCALED, else the present mass */
    float radius;         /* farthest point of its shapes from the centre of mass, m */
    int32_t listed_at;    /* with SLEEP_LISTED: where in the world's list */
    int32_t older, newer; /* slots of the bodies created just before and after it, of those that live; -1 */
} dry_body_state;
_Static_assert(sizeof(dry_body_state) == 64, "one cache line per body");

/* How long a body has been at rest and which island it is in; awake rows only. */
typedef struct dry_body_rest {
    float timer;    /* s */
    int32_t island; /* index into dry_islands, -1 none; islands.c and sleep.c keep links here meanwhile */
} dry_body_rest;

/* X(type, name): written by
 *   pose      finalize; set_pose                  velocity  finalize; set_velocity, impulses
 *   mass      mass changes                        drive     setters
 *   state     graph; lifecycle calls              rest      graph (island); finalize (timer) */
#define DRY_BODY_COLUMNS(X)                                                                                  \
    X(dry_body_pose, pose)                                                                                   \
    X(dry_body_velocity, velocity)                                                                           \
    X(dry_body_mass, mass)                                                                                   \
    X(dry_body_drive, drive)                                                                                 \
    X(dry_body_state, state)                                                                                 \
    X(dry_body_rest, rest)

/* What few bodies have: absent, a null pointer, until the world's first body needs it; from then on it is a
 * column like the others. The call that brings the need makes it before it changes anything
 * (dry_bodies_need_...): no step does. Absent, all rows have dry_body_no_...; dry_bodies_force and
 * dry_bodies_origin read either way.
 *   force     apply_force, changes of type; cleared by finalize
 *   local     mass changes */
#define DRY_BODY_RARE_COLUMNS(X)                                                                             \
    X(dry_body_force, force)                                                                                 \
    X(dry_body_local, local)

typedef struct dry_bodies {
    dry_slots slots;
    int count;       /* rows in use */
    int awake_count; /* rows [0, awake_count): enabled, awake, dynamic or kinematic */
    int capacity;
    int oldest, newest; /* slots, if there are any bodies: ends of the list in creation order */
#define X(type, name) type *name;
    DRY_BODY_COLUMNS(X)
    DRY_BODY_RARE_COLUMNS(X)
#undef X
} dry_bodies;

/* What a row has where the column is absent. */
static const dry_body_force dry_body_no_force = {0};
static const dry_body_local dry_body_no_local = {{{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}}};

/* Room for `more` bodies; false, and nothing lost, if memory fails. */
bool dry_bodies_reserve(dry_bodies *bodies, dry_memory *memory, int more);
void dry_bodies_free(dry_bodies *bodies, dry_memory *memory);
/* Makes a rare column, if it is absent, for the rows that there is room for; false, and nothing changed, if
 * memory fails. */
bool dry_bodies_need_force(dry_bodies *bodies, dry_memory *memory);
bool dry_bodies_need_local(dry_bodies *bodies, dry_memory *memory);

/* A new body at the end of the rows, not awake, columns zeroed; returns its slot. Room must be reserved. */
int dry_bodies_add(dry_bodies *bodies);
/* Removes a body; it must not be awake. */
void dry_bodies_remove(dry_bodies *bodies, int slot);
/* The same but for its slot, which is still to be released. Until then its columns can be read behind the
 * last row. */
void dry_bodies_take_out(dry_bodies *bodies, int slot);
/* Takes many out, awake or not. The others' rows come to be what they are when each in turn is made to sleep
 * and taken out; the columns of those that leave, of which `leaving` is the set, are lost. */
void dry_bodies_take_out_many(dry_bodies *bodies, const dry_body_id *ids, int count, const uint32_t *leaving);
/* Exchanges two rows. */
void dry_bodies_swap(dry_bodies *bodies, int row_a, int row_b);
/* Moves a body into or out of the awake rows. */
void dry_bodies_set_awake(dry_bodies *bodies, int slot, bool awake);

static inline int dry_bodies_row(const dry_bodies *bodies, int slot)
{
    return bodies->slots.slots[slot].row;
}

/* dry_body_pose_of, dry_body_velocity_of, ...: return a body's element of a column by its slot. A rare column
 * must be there. The pointer holds until rows move. */
#define X(type, name)                                                                                        \
    static inline type *dry_body_##name##_of(const dry_bodies *bodies, int slot)                             \
    {                                                                                                        \
        return &bodies->name[dry_bodies_row(bodies, slot)];                                                  \
    }
DRY_BODY_COLUMNS(X)
DRY_BODY_RARE_COLUMNS(X)
#undef X

static inline bool dry_bodies_is_awake(const dry_bodies *bodies, int slot)
{
    return bodies->slots.slots[slot].row < bodies->awake_count;
}

static inline const dry_body_force *dry_bodies_force(const dry_bodies *bodies, int row)
{
    return bodies->force ? &bodies->force[row] : &dry_body_no_force;
}

static inline const dry_transform *dry_bodies_origin(const dry_bodies *bodies, int row)
{
    return bodies->local ? &bodies->local[row].origin : &dry_body_no_local.origin;
}

/* A frame that is at `origin` in the principal frame. */
static inline dry_pose dry_pose_of_origin(const dry_body_pose *pose, const dry_transform *origin)
{
    return (dry_pose){position_add(pose->position, quat_rotate(pose->orientation, origin->position)),
                      quat_normalize(quat_mul(pose->orientation, origin->orientation))};
}

/* The user's frame of a row. */
static inline dry_pose dry_bodies_user_pose(const dry_bodies *bodies, int row)
{
    const dry_body_pose *pose = &bodies->pose[row];
    if (!(bodies->state[row].flags & DRY_BODY_OWN_FRAME))
        return (dry_pose){pose->position, pose->orientation};
    return dry_pose_of_origin(pose, dry_bodies_origin(bodies, row));
}

/* The opposite of dry_bodies_user_pose. */
static inline dry_body_pose dry_bodies_inner_pose(const dry_bodies *bodies, int row, const dry_pose *pose)
{
    const dry_transform *origin = dry_bodies_origin(bodies, row);
    dry_body_pose inner;
    inner.orientation = quat_normalize(quat_mul(pose->orientation, quat_conjugate(origin->orientation)));
    inner.position = position_add(pose->position, vec3_neg(quat_rotate(inner.orientation, origin->position)));
    return inner;
}

#endif
