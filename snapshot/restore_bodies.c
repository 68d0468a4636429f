/* Slots and bodies of a save: rows are a permutation, lists have no cycles, numbers are in the ranges of the
 * calls. Derives the slots' counts, the bodies' slots, their list by age and the counts of types. */
#include "snapshot/restore_parts.h"
#include "world/check.h"

#include <string.h>

/* Counts the free slots of a list, which ends. */
static bool follow_free(const dry_slots *slots, int *count)
{
    const int listed_end = slots->used - slots->unlisted;
    *count = 0;
    for (int slot = slots->free; slot >= 0; slot = slots->slots[slot].row)
        if (slot >= listed_end || dry_slots_is_taken(slots, slot) || dry_slots_is_retired(slots, slot) ||
            ++*count > slots->used)
            return false;
    return true;
}

static bool restore_slots(dry_restoration *r, dry_slots *slots, int column)
{
    int free_count, retired = 0;
    for (int slot = 0; slot < slots->used; slot++) {
        const uint32_t generation = slots->slots[slot].generation;
        const bool taken = dry_slots_is_taken(slots, slot);
        if (generation > 2 * DRY_SLOT_USES_MAX)
            return dry_restore_fail(r, column, "generation", slot, "no slot is used so often");
        if (taken && dry_lease_of(generation / 2) >= slots->leases->count)
            return dry_restore_fail(r, column, "generation", slot, "the world has drawn no lease for it");
    }
    dry_slots_count(slots);
    if (slots->unlisted < 0 || slots->unlisted > slots->used)
        return dry_restore_fail(r, column, "unlisted", -1, "there are not so many slots");
    for (int slot = 0; slot < slots->used - slots->unlisted; slot++)
        retired += dry_slots_is_retired(slots, slot);
    for (int slot = slots->used - slots->unlisted; slot < slots->used; slot++)
        if (dry_slots_is_taken(slots, slot))
            return dry_restore_fail(r, column, "generation", slot,
                                    "a slot behind the list of free ones is taken");
    if (!follow_free(slots, &free_count) ||
        slots->count + free_count + retired + slots->unlisted != slots->used)
        return dry_restore_fail(r, column, "free", -1, "the list of free slots is not that of all free ones");
    return true;
}

bool dry_restore_slots(dry_restoration *r)
{
    dry_tables *t = r->tables;
    const char *error = dry_leases_error(&t->leases);
    if (error)
        return dry_restore_fail(r, DRY_COLUMN_LEASE, "value", -1, error);
    if (!restore_slots(r, &t->bodies.slots, DRY_COLUMN_BODY_SLOT) ||
        !restore_slots(r, &t->shapes.slots, DRY_COLUMN_SHAPE_SLOT) ||
        !restore_slots(r, &t->joints.slots, DRY_COLUMN_JOINT_SLOT))
        return false;
    for (int slot = -1; (slot = dry_slots_next(&t->shapes.slots, slot)) >= 0;)
        if (t->shapes.slots.slots[slot].row != slot)
            return dry_restore_fail(r, DRY_COLUMN_SHAPE_SLOT, "row", slot, "a shape's row is its slot");
    return true;
}

/* Gives each body its slot. */
static bool place_bodies(const dry_restoration *r)
{
    dry_bodies *bodies = &r->tables->bodies;
    if (bodies->slots.count != bodies->count)
        return dry_restore_fail(r, DRY_COLUMN_BODY_SLOT, "generation", -1,
                                "taken slots are not as many as bodies");
    for (int slot = -1; (slot = dry_slots_next(&bodies->slots, slot)) >= 0;) {
        const int row = bodies->slots.slots[slot].row;
        if (row < 0 || row >= bodies->count || bodies->state[row].slot >= 0)
            return dry_restore_fail(r, DRY_COLUMN_BODY_SLOT, "row", slot, "rows are no permutation");
        bodies->state[row].slot = slot;
    }
    return true;
}

/* Links the bodies by age, from each body's next newer one. */
static bool link_ages(const dry_restoration *r)
{
    dry_bodies *bodies = &r->tables->bodies;
    const int column = DRY_COLUMN_BODY_STATE;
    int newest = -1, oldest = -1, count = 0;
    for (int row = 0; row < bodies->count; row++) {
        const int newer = bodies->state[row].newer;
        if (newer < 0) {
            if (newer != -1 || newest >= 0)
                return dry_restore_fail(r, column, "newer", row, "two bodies are the newest");
            newest = bodies->state[row].slot;
            continue;
        }
        if (!dry_restore_lives(&bodies->slots, newer) || dry_body_state_of(bodies, newer)->older >= 0)
            return dry_restore_fail(r, column, "newer", row, "no body, or one that comes after another");
        dry_body_state_of(bodies, newer)->older = bodies->state[row].slot;
    }
    for (int row = 0; row < bodies->count; row++)
        if (bodies->state[row].older < 0)
            oldest = bodies->state[row].slot;
    for (int slot = oldest; slot >= 0 && count <= bodies->count;
         slot = dry_body_state_of(bodies, slot)->newer)
        count++;
    if (count != bodies->count)
        return dry_restore_fail(r, column, "newer", -1, "the list of bodies has a cycle");
    bodies->oldest = dry_max_int(oldest, 0);
    bodies->newest = dry_max_int(newest, 0);
    return true;
}

static bool are_at_least_0(dry_vec3 v)
{
    return v.x >= 0.0f && v.y >= 0.0f && v.z >= 0.0f;
}

/* Checks what the flags and the type of a body say of its columns. */
static bool check_flags(const dry_restoration *r, int row)
{
    const dry_bodies *bodies = &r->tables->bodies;
    const dry_body_state *state = &bodies->state[row];
    const int column = DRY_COLUMN_BODY_STATE;
    const uint32_t flags = state->flags;
    const bool awake = row < bodies->awake_count, enabled = flags & DRY_BODY_ENABLED;
    const bool dynamic = state->type == DRY_BODY_DYNAMIC;
    if ((unsigned)state->type >= DRY_BODY_TYPE_COUNT)
        return dry_restore_fail(r, column, "type", row, "type is unknown");
    if ((flags & ~(uint32_t)DRY_BODY_KNOWN) || (flags & DRY_BODY_DESTROYED) ||
        (enabled && (flags & DRY_BODY_QUARANTINED)))
        return dry_restore_fail(r, column, "flags", row, "bits that no body has");
    if (awake && (!enabled || state->type == DRY_BODY_STATIC))
        return dry_restore_fail(r, column, "flags", row, "a body that can't move is awake");
    if ((flags & DRY_BODY_FORCED) && !(awake && dynamic && bodies->force))
        return dry_restore_fail(r, column, "flags", row, "a body at rest has forces");
    if ((flags & DRY_BODY_UNMOVED) && !(awake && dynamic))
        return dry_restore_fail(r, column, "flags", row, "a body at rest has moved little");
    if ((flags & DRY_BODY_OWN_FRAME) && !bodies->local)
        return dry_restore_fail(r, column, "flags", row, "a frame of its own without a column");
    if ((flags & DRY_BODY_MASS_KEPT) && (!bodies->kept_mass || dynamic))
        return dry_restore_fail(r, column, "flags", row, "a dynamic body keeps no mass");
    if ((flags & (DRY_BODY_TARGETED | DRY_BODY_ARRIVED)) &&
        (state->type != DRY_BODY_KINEMATIC || !bodies->target || (enabled && !awake)))
        return dry_restore_fail(r, column, "flags", row, "a body that no call moves has a target");
    return true;
}

static bool check_motion(const dry_restoration *r, int row)
{
    const dry_bodies *bodies = &r->tables->bodies;
    const dry_body_state *state = &bodies->state[row];
    const dry_body_velocity *v = &bodies->velocity[row];
    const dry_body_mass *mass = &bodies->mass[row];
    const dry_body_force *force = dry_bodies_force(bodies, row);
    const dry_position p = bodies->pose[row].position;
    const bool awake = row < bodies->awake_count, enabled = state->flags & DRY_BODY_ENABLED;
    /* The center of a body that is placed at the edge of the world may lie beyond the edge. */
    if (!dry_finite_position((dry_position){0.5 * p.x, 0.5 * p.y, 0.5 * p.z}))
        return dry_restore_fail(r, DRY_COLUMN_BODY_POSE, "position", row, "outside of the world");
    if (!dry_is_kept_unit(bodies->pose[row].orientation))
        return dry_restore_fail(r, DRY_COLUMN_BODY_POSE, "orientation", row, "not of unit length");
    if ((state->type == DRY_BODY_STATIC || (enabled && !awake)) &&
        (!vec3_is_zero(v->linear) || !vec3_is_zero(v->angular)))
        return dry_restore_fail(r, DRY_COLUMN_BODY_VELOCITY, NULL, row, "a body at rest moves");
    if (!(mass->inverse_mass >= 0.0f) || !are_at_least_0(mass->inverse_inertia) ||
        (state->type != DRY_BODY_DYNAMIC &&
         (mass->inverse_mass > 0.0f || !vec3_is_zero(mass->inverse_inertia))))
        return dry_restore_fail(r, DRY_COLUMN_BODY_MASS, NULL, row, "no mass of a body of this type");
    if (!(state->flags & DRY_BODY_FORCED) && (!vec3_is_zero(force->force) || !vec3_is_zero(force->torque)))
        return dry_restore_fail(r, DRY_COLUMN_BODY_FORCE, NULL, row, "a force that no flag tells");
    return true;
}

static bool check_numbers(const dry_restoration *r, int row)
{
    const dry_bodies *bodies = &r->tables->bodies;
    const dry_body_properties *p = &bodies->properties[row];
    const dry_body_sleep *sleep = &bodies->sleep[row];
    const dry_body_state *state = &bodies->state[row];
    if (!(dry_abs(p->gravity_scale) <= 1e6f) || !(p->linear_damping >= 0.0f) ||
        !(p->angular_damping >= 0.0f) || (p->locks & ~(uint32_t)DRY_LOCK_ALL))
        return dry_restore_fail(r, DRY_COLUMN_BODY_PROPERTIES, NULL, row, "a number is out of its range");
    if (!(sleep->timer >= 0.0f) || !(sleep->load >= -1.0f) || !(sleep->compliance >= -1.0f) ||
        !(dry_abs(sleep->rest) <= FLT_MAX) || sleep->still < 0 || sleep->still > 2)
        return dry_restore_fail(r, DRY_COLUMN_BODY_SLEEP, NULL, row, "a number is out of its range");
    if (dry_bodies_rests(bodies, row) && !bodies->rest_pose)
        return dry_restore_fail(r, DRY_COLUMN_BODY_SLEEP, "rest", row, "a rest without a pose");
    if (!(state->mass >= 0.0f) || !(state->radius >= 0.0f))
        return dry_restore_fail(r, DRY_COLUMN_BODY_STATE, "mass, radius", row, "below 0");
    if (bodies->local && (!dry_is_kept_unit(bodies->local[row].origin.orientation) ||
                          !dry_finite3(bodies->local[row].origin.position, 1e9f)))
        return dry_restore_fail(r, DRY_COLUMN_BODY_LOCAL, "origin", row, "no frame");
    if ((state->flags & DRY_BODY_TARGETED)
            ? !dry_finite_position(bodies->target[row].position) ||
                  !dry_is_kept_unit(bodies->target[row].orientation)
            : bodies->target &&
                  memcmp(&bodies->target[row], &dry_body_default_target, sizeof *bodies->target) != 0)
        return dry_restore_fail(r, DRY_COLUMN_BODY_TARGET, NULL, row, "no pose, or one that no flag tells");
    if (bodies->rest_pose && !dry_is_kept_unit(bodies->rest_pose[row].orientation))
        return dry_restore_fail(r, DRY_COLUMN_BODY_REST_POSE, "orientation", row, "not of unit length");
    if (bodies->borne && (bodies->borne[row].holds & ~1))
        return dry_restore_fail(r, DRY_COLUMN_BODY_BORNE, "holds", row, "neither 0 nor 1");
    return true;
}

/* Lists where bodies are in the list of those that woke or fell asleep. */
static bool place_sleep_changes(const dry_restoration *r)
{
    const dry_tables *t = r->tables;
    int flagged = 0;
    for (int row = 0; row < t->bodies.count; row++)
        flagged += (t->bodies.state[row].flags & DRY_BODY_SLEEP_LISTED) != 0;
    if (flagged != t->sleep_change_count)
        return dry_restore_fail(r, DRY_COLUMN_SLEEP_CHANGE, NULL, -1, "not as many as bodies with the flag");
    for (int i = 0; i < t->sleep_change_count; i++)
        if (dry_restore_lives(&t->bodies.slots, t->sleep_changes[i]))
            dry_body_state_of(&t->bodies, t->sleep_changes[i])->listed_at = i;
    for (int i = 0; i < t->sleep_change_count; i++) {
        const int slot = t->sleep_changes[i];
        if (!dry_restore_lives(&t->bodies.slots, slot) || dry_restored_state(r, slot)->listed_at != i ||
            !(dry_restored_state(r, slot)->flags & DRY_BODY_SLEEP_LISTED))
            return dry_restore_fail(r, DRY_COLUMN_SLEEP_CHANGE, "value", i,
                                    "no body with the flag, or twice");
    }
    return true;
}

static void count_types(dry_bodies *bodies)
{
    for (int row = 0; row < bodies->count; row++) {
        const bool dynamic = bodies->state[row].type == DRY_BODY_DYNAMIC;
        bodies->dynamic_count += dynamic;
        bodies->awake_dynamic_count += dynamic && row < bodies->awake_count;
        bodies->quarantined_count += (bodies->state[row].flags & DRY_BODY_QUARANTINED) != 0;
    }
}

bool dry_restore_bodies(dry_restoration *r)
{
    dry_bodies *bodies = &r->tables->bodies;
    if (bodies->awake_count < 0 || bodies->awake_count > bodies->count)
        return dry_restore_fail(r, DRY_COLUMN_BODIES, "awake_count", 0, "there are not so many bodies");
    if (!place_bodies(r) || !link_ages(r))
        return false;
    for (int row = 0; row < bodies->count; row++)
        if (!check_flags(r, row) || !check_motion(r, row) || !check_numbers(r, row))
            return false;
    count_types(bodies);
    return place_sleep_changes(r);
}
