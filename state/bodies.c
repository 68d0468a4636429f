/* Rows of bodies: growing, adding, removing and swapping them, from the lists of columns. */
#include "state/bodies.h"

#include <string.h>

bool dry_bodies_reserve(dry_bodies *bodies, dry_memory *memory, int more)
{
    if (!dry_slots_reserve(&bodies->slots, memory, more))
        return false;
    int needed = bodies->count + more;
    if (needed <= bodies->capacity)
        return true;
    int wanted = dry_memory_grown(bodies->capacity, needed, sizeof(dry_body_state));
    /* Every column grows before any is replaced, so that a failure half way leaves all as they were. */
    bool ok = true;
#define X(ID, type, name, ...)                                                                               \
    type *name = dry_memory_allocate(memory, (size_t)wanted * sizeof(type), DRY_CACHE_LINE);                 \
    ok = ok && name != NULL;
    DRY_BODY_COLUMNS(X)
#undef X
#define X(ID, type, name, ...)                                                                               \
    type *name = NULL;                                                                                       \
    if (bodies->name)                                                                                        \
        name = dry_memory_allocate(memory, (size_t)wanted * sizeof(type), DRY_CACHE_LINE);                   \
    ok = ok && !name == !bodies->name;
    DRY_BODY_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...)                                                                               \
    if (!ok) {                                                                                               \
        dry_memory_release(memory, name, (size_t)wanted * sizeof(type));                                     \
    } else {                                                                                                 \
        if (bodies->name && bodies->count)                                                                   \
            memcpy(name, bodies->name, (size_t)bodies->count * sizeof(type));                                \
        dry_memory_release(memory, bodies->name, (size_t)bodies->capacity * sizeof(type));                   \
        bodies->name = name;                                                                                 \
    }
    DRY_BODY_COLUMNS(X)
    DRY_BODY_RARE_COLUMNS(X)
#undef X
    if (ok)
        bodies->capacity = wanted;
    return ok;
}

#define X(ID, type, name, ...)                                                                               \
    bool dry_bodies_need_##name(dry_bodies *bodies, dry_memory *memory)                                      \
    {                                                                                                        \
        int capacity = 0;                                                                                    \
        return DRY_MAKE(memory, bodies->name, capacity, bodies->capacity, bodies->count,                     \
                        dry_body_default_##name);                                                            \
    }
DRY_BODY_RARE_COLUMNS(X)
#undef X

/* Marks a row, and the slot of the body that it has now. */
static void mark_row(const dry_bodies *bodies, int row)
{
    dry_mark(bodies->marks, DRY_MARKED_BODY, row);
    dry_mark(bodies->marks, DRY_MARKED_BODY_SLOT, bodies->state[row].slot);
}

static void link_newest(dry_bodies *bodies, int slot)
{
    dry_body_state *state = dry_body_state_of(bodies, slot);
    state->older = state->newer = -1;
    if (bodies->count > 1) {
        state->older = bodies->newest;
        dry_bodies_mark(bodies, bodies->newest);
        dry_body_state_of(bodies, bodies->newest)->newer = slot;
    } else {
        bodies->oldest = slot;
    }
    bodies->newest = slot;
}

static void unlink_age(dry_bodies *bodies, int slot)
{
    int older = dry_body_state_of(bodies, slot)->older, newer = dry_body_state_of(bodies, slot)->newer;
    DRY_ASSERT(older < 0 ? bodies->oldest == slot : dry_body_state_of(bodies, older)->newer == slot);
    DRY_ASSERT(newer < 0 ? bodies->newest == slot : dry_body_state_of(bodies, newer)->older == slot);
    if (older >= 0) {
        dry_bodies_mark(bodies, older);
        dry_body_state_of(bodies, older)->newer = newer;
    } else {
        bodies->oldest = dry_max_int(newer, 0);
    }
    if (newer >= 0) {
        dry_bodies_mark(bodies, newer);
        dry_body_state_of(bodies, newer)->older = older;
    } else {
        bodies->newest = dry_max_int(older, 0);
    }
}

int dry_bodies_add(dry_bodies *bodies)
{
    DRY_ASSERT(bodies->count < bodies->capacity);
    int row = bodies->count++;
    int slot = dry_slots_take(&bodies->slots, row);
#define X(ID, type, name, FIELDS, number)                                                                    \
    if (bodies->name)                                                                                        \
        bodies->name[row] = (type){FIELDS(DRY_FIELD_DEFAULT, type)};
    DRY_BODY_COLUMNS(X)
    DRY_BODY_RARE_COLUMNS(X)
#undef X
    bodies->state[row].slot = slot;
    mark_row(bodies, row);
    link_newest(bodies, slot);
    return slot;
}

void dry_bodies_swap(dry_bodies *bodies, int row_a, int row_b)
{
    DRY_ASSERT(row_a >= 0 && row_a < bodies->count && row_b >= 0 && row_b < bodies->count);
    if (row_a == row_b)
        return;
    mark_row(bodies, row_a);
    mark_row(bodies, row_b);
#define X(ID, type, name, ...)                                                                               \
    if (bodies->name) {                                                                                      \
        type name = bodies->name[row_a];                                                                     \
        bodies->name[row_a] = bodies->name[row_b];                                                           \
        bodies->name[row_b] = name;                                                                          \
    }
    DRY_BODY_COLUMNS(X)
    DRY_BODY_RARE_COLUMNS(X)
#undef X
    bodies->slots.slots[bodies->state[row_a].slot].row = row_a;
    bodies->slots.slots[bodies->state[row_b].slot].row = row_b;
}

/* Takes a body out of the counts of its type and flags. */
static void uncount(dry_bodies *bodies, int row)
{
    const dry_body_state *state = &bodies->state[row];
    const bool dynamic = state->type == DRY_BODY_DYNAMIC;
    bodies->dynamic_count -= dynamic;
    bodies->awake_dynamic_count -= dynamic && row < bodies->awake_count;
    bodies->quarantined_count -= (state->flags & DRY_BODY_QUARANTINED) != 0;
}

void dry_bodies_take_out(dry_bodies *bodies, int slot)
{
    DRY_ASSERT(!dry_bodies_is_awake(bodies, slot));
    unlink_age(bodies, slot);
    uncount(bodies, dry_bodies_row(bodies, slot));
    dry_bodies_swap(bodies, dry_bodies_row(bodies, slot), bodies->count - 1);
    bodies->count--;
}

void dry_bodies_remove(dry_bodies *bodies, int slot)
{
    dry_bodies_take_out(bodies, slot);
    dry_mark(bodies->marks, DRY_MARKED_BODY_SLOT, slot);
    dry_slots_release(&bodies->slots, slot);
}

/* Moves a row to another place. A body that is about to leave keeps nothing but the row of its slot. */
static void move_row(dry_bodies *bodies, int from, int to, const uint32_t *leaving)
{
    if (from == to)
        return;
    int slot = bodies->state[from].slot;
    if (dry_slot_set_has(leaving, slot)) {
        bodies->state[to].slot = slot;
    } else {
#define X(ID, type, name, ...)                                                                               \
    if (bodies->name)                                                                                        \
        bodies->name[to] = bodies->name[from];
        DRY_BODY_COLUMNS(X)
        DRY_BODY_RARE_COLUMNS(X)
#undef X
    }
    bodies->slots.slots[slot].row = to;
}

void dry_bodies_take_out_many(dry_bodies *bodies, const dry_body_id *ids, int count, const uint32_t *leaving)
{
    enum { AHEAD = 8 };
    dry_mark_all(bodies->marks);
    /* Links, types and flags are read from rows that the second loop overwrites. */
    for (int i = 0; i < count; i++) {
        if (i + AHEAD < count)
            DRY_PREFETCH(dry_body_state_of(bodies, dry_slots_of(ids[i + AHEAD].bits)));
        unlink_age(bodies, dry_slots_of(ids[i].bits));
        uncount(bodies, dry_bodies_row(bodies, dry_slots_of(ids[i].bits)));
    }
    for (int i = 0; i < count; i++) {
        int row = dry_bodies_row(bodies, dry_slots_of(ids[i].bits));
        if (row < bodies->awake_count) {
            int last = --bodies->awake_count;
            move_row(bodies, last, row, leaving);
            row = last;
        }
        move_row(bodies, --bodies->count, row, leaving);
    }
}

/* Forgets what a body bore. One that has not moved keeps the place from which that is told: many small pushes
 * are one motion. */
static void forget_load(dry_bodies *bodies, int row, bool keeps_place)
{
    const dry_body_borne old = bodies->borne[row];
    bodies->borne[row] = dry_body_default_borne;
    if (keeps_place) {
        bodies->borne[row].from = old.from;
        bodies->borne[row].turned_from = old.turned_from;
    }
}

void dry_bodies_move_awake(dry_bodies *bodies, int slot, bool awake)
{
    if (dry_bodies_is_awake(bodies, slot) == awake)
        return;
    const int row = dry_bodies_row(bodies, slot), dynamic = bodies->state[row].type == DRY_BODY_DYNAMIC;
    mark_row(bodies, row);
    bodies->awake_dynamic_count += awake ? dynamic : -dynamic;
    if (awake)
        dry_bodies_swap(bodies, row, bodies->awake_count++);
    else
        dry_bodies_swap(bodies, row, --bodies->awake_count);
}

void dry_bodies_set_awake(dry_bodies *bodies, int slot, bool awake)
{
    if (dry_bodies_is_awake(bodies, slot) == awake)
        return;
    const int row = dry_bodies_row(bodies, slot);
    if (bodies->correction)
        bodies->correction[row] = dry_body_default_correction;
    if (bodies->borne)
        forget_load(bodies, row, awake || (bodies->state[row].flags & DRY_BODY_UNMOVED));
    bodies->state[row].flags &= ~(uint32_t)DRY_BODY_UNMOVED;
    dry_bodies_move_awake(bodies, slot, awake);
}

void dry_bodies_set_type(dry_bodies *bodies, int slot, int32_t type)
{
    dry_body_state *state = dry_body_state_of(bodies, slot);
    DRY_ASSERT(!dry_bodies_is_awake(bodies, slot));
    bodies->dynamic_count += (type == DRY_BODY_DYNAMIC) - (state->type == DRY_BODY_DYNAMIC);
    state->type = type;
}

void dry_bodies_set_quarantined(dry_bodies *bodies, int slot, bool quarantined)
{
    dry_body_state *state = dry_body_state_of(bodies, slot);
    bodies->quarantined_count += quarantined - ((state->flags & DRY_BODY_QUARANTINED) != 0);
    dry_mark_all(bodies->marks);
    state->flags &= ~(uint32_t)DRY_BODY_QUARANTINED;
    state->flags |= quarantined ? DRY_BODY_QUARANTINED : 0u;
}

/* Far beyond what quarantine lets pass (solver/bodies/invalid.h), and no sum or product of it overflows. */
#define GIVEN_SPEED_MAX 1e6f /* m/s, rad/s */

static float given_speed(float speed, bool locked)
{
    return locked ? 0.0f : dry_clamp(speed, -GIVEN_SPEED_MAX, GIVEN_SPEED_MAX);
}

void dry_bodies_give_velocity(dry_bodies *bodies, int row, dry_vec3 linear, dry_vec3 angular)
{
    const bool dynamic = bodies->state[row].type == DRY_BODY_DYNAMIC;
    const uint32_t locks = dynamic ? bodies->properties[row].locks : 0;
    bodies->velocity[row] = (dry_body_velocity){
        {given_speed(linear.x, locks & DRY_LOCK_LINEAR_X), given_speed(linear.y, locks & DRY_LOCK_LINEAR_Y),
         given_speed(linear.z, locks & DRY_LOCK_LINEAR_Z)},
        {given_speed(angular.x, locks & DRY_LOCK_ANGULAR_X),
         given_speed(angular.y, locks & DRY_LOCK_ANGULAR_Y),
         given_speed(angular.z, locks & DRY_LOCK_ANGULAR_Z)},
    };
}

void dry_bodies_drop_target(dry_bodies *bodies, int row)
{
    const uint32_t flags = bodies->state[row].flags;
    bodies->state[row].flags = flags & ~(uint32_t)(DRY_BODY_TARGETED | DRY_BODY_ARRIVED);
    if (!(flags & DRY_BODY_TARGETED))
        return;
    bodies->target[row] = dry_body_default_target;
    bodies->velocity[row] = (dry_body_velocity){0};
}

dry_body_pose dry_bodies_inner_pose(const dry_bodies *bodies, int row, const dry_pose *pose)
{
    const dry_transform *origin = dry_bodies_origin(bodies, row);
    dry_body_pose inner;
    inner.orientation = quat_normalize(quat_mul(pose->orientation, quat_conjugate(origin->orientation)));
    inner.position = position_add(pose->position, vec3_neg(quat_rotate(inner.orientation, origin->position)));
    return inner;
}

static bool rounds_to(dry_double3 precise, dry_vec3 v)
{
    return (float)precise.x == v.x && (float)precise.y == v.y && (float)precise.z == v.z;
}

dry_precise_motion dry_bodies_precise_motion(const dry_bodies *bodies, int row)
{
    const dry_body_pose *pose = &bodies->pose[row];
    const dry_body_velocity *velocity = &bodies->velocity[row];
    dry_precise_motion m = {pose->position, rotation_from_quat(pose->orientation),
                            double3_of(velocity->linear), double3_of(velocity->angular)};
    if (!bodies->precise)
        return m;
    const dry_body_precise *precise = &bodies->precise[row];
    const dry_rotation *q = &precise->orientation;
    if ((float)q->x == pose->orientation.x && (float)q->y == pose->orientation.y &&
        (float)q->z == pose->orientation.z && (float)q->w == pose->orientation.w)
        m.orientation = *q;
    if (rounds_to(precise->linear, velocity->linear))
        m.velocity = precise->linear;
    if (rounds_to(precise->angular, velocity->angular))
        m.spin = precise->angular;
    return m;
}
