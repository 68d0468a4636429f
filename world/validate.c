/* Validation of bodies, shapes and pairs. Next: world/validate_graph.c, world/validate_layout.c. */
#include "world/validate_checks.h"

#include "broadphase/fat_box.h"
#include "broadphase/internal.h"
#include "world/bounds.h"
#include "world/check.h"
#include "world/shapes.h"

#include <math.h>

static void validate_slots(const dry_slots *slots, const dry_validation *validation)
{
    int living = 0, free_count = 0;
    for (int slot = 0; slot < slots->used; slot++)
        living += checked_lives(slots, slot);
    for (int slot = slots->free; slot >= 0; slot = slots->slots[slot].row) {
        CHECK(slot < slots->used && !checked_lives(slots, slot));
        CHECK(++free_count <= slots->used);
    }
    int retired = 0;
    for (int slot = 0; slot < slots->used; slot++) {
        retired += dry_slots_is_retired(slots, slot);
        free_count += slot < slots->used - slots->unlisted && dry_slots_is_retired(slots, slot);
        CHECK(!checked_lives(slots, slot) ||
              dry_lease_of(slots->slots[slot].generation / 2) < slots->leases->count);
    }
    CHECK(retired == slots->retired);
    free_count += slots->unlisted;
    CHECK(living == slots->count && living + free_count == slots->used && slots->used <= slots->capacity);
}

/* The center of mass of a body that is placed at the edge of the world may lie beyond it until the body is
 * stepped, which is then its end. */
static bool is_placed(const dry_body_pose *pose)
{
    const dry_position p = pose->position;
    return dry_finite_position((dry_position){0.5 * p.x, 0.5 * p.y, 0.5 * p.z}) &&
           dry_finite_quat(pose->orientation);
}

/* A body at rest, or one that no force acts on, has none of either. */
static void validate_motion(const dry_world *world, int row, const dry_validation *validation)
{
    const dry_bodies *bodies = &world->bodies;
    const dry_body_state *state = &bodies->state[row];
    const dry_body_velocity *v = &bodies->velocity[row];
    const dry_body_mass *mass = &bodies->mass[row];
    bool awake = row < bodies->awake_count, enabled = (state->flags & DRY_BODY_ENABLED) != 0;
    CHECK(is_placed(&bodies->pose[row]));
    CHECK(isfinite(mass->inverse_mass) && vec3_is_finite(mass->inverse_inertia));
    if (state->type != DRY_BODY_DYNAMIC) {
        CHECK(mass->inverse_mass == 0 && vec3_length_squared(mass->inverse_inertia) == 0);
        CHECK(state->colors == 0);
    }
    if (state->type == DRY_BODY_STATIC || (enabled && !awake))
        CHECK(vec3_length_squared(v->linear) == 0 && vec3_length_squared(v->angular) == 0);
    const dry_body_force *force = dry_bodies_force(bodies, row);
    CHECK(bodies->force || !(state->flags & DRY_BODY_FORCED));
    CHECK(bodies->kept_mass || !(state->flags & DRY_BODY_MASS_KEPT));
    CHECK(bodies->target || !(state->flags & DRY_BODY_TARGETED));
    CHECK(bodies->local || !(state->flags & DRY_BODY_OWN_FRAME));
    CHECK((awake && state->type == DRY_BODY_DYNAMIC) || !(state->flags & DRY_BODY_UNMOVED));
    if (state->flags & DRY_BODY_MASS_KEPT)
        CHECK(state->type != DRY_BODY_DYNAMIC && !(state->flags & DRY_BODY_FORCED));
    if (!(state->flags & DRY_BODY_FORCED))
        CHECK(vec3_length_squared(force->force) + vec3_length_squared(force->torque) == 0);
    else
        CHECK(awake && state->type == DRY_BODY_DYNAMIC);
}

static void validate_row(const dry_world *world, int row, const dry_validation *validation)
{
    const dry_bodies *bodies = &world->bodies;
    const dry_body_state *state = &bodies->state[row];
    bool awake = row < bodies->awake_count, enabled = (state->flags & DRY_BODY_ENABLED) != 0;
    CHECK(checked_lives(&bodies->slots, state->slot) && bodies->slots.slots[state->slot].row == row);
    CHECK((unsigned)state->type < DRY_BODY_TYPE_COUNT);
    CHECK(!awake || (enabled && state->type != DRY_BODY_STATIC));
    CHECK(!(state->flags & DRY_BODY_DESTROYED));
    CHECK(!(enabled && (state->flags & DRY_BODY_QUARANTINED)));
    int shapes = 0, last = -1;
    for (int shape = state->first_shape; shape >= 0; shape = world->shapes.link[shape].next) {
        CHECK(checked_lives(&world->shapes.slots, shape) && world->shapes.form[shape].body == state->slot);
        CHECK(++shapes <= world->shapes.slots.count);
        last = shape;
    }
    CHECK(last == state->last_shape);
    validate_motion(world, row, validation);
}

/* The list of bodies by creation: mutual links, every body once. */
static void validate_ages(const dry_bodies *bodies, const dry_validation *validation)
{
    int count = 0, before = -1;
    for (int slot = bodies->count > 0 ? bodies->oldest : -1; slot >= 0;) {
        CHECK(checked_lives(&bodies->slots, slot) && ++count <= bodies->count);
        const dry_body_state *state = &bodies->state[bodies->slots.slots[slot].row];
        CHECK(state->older == before);
        before = slot;
        slot = state->newer;
    }
    CHECK(count == bodies->count && (count == 0 || before == bodies->newest));
}

/* The kept counts are those of the rows. */
static void validate_counts(const dry_bodies *bodies, const dry_validation *validation)
{
    int dynamic = 0, awake = 0, quarantined = 0;
    for (int row = 0; row < bodies->count; row++) {
        dynamic += bodies->state[row].type == DRY_BODY_DYNAMIC;
        awake += bodies->state[row].type == DRY_BODY_DYNAMIC && row < bodies->awake_count;
        quarantined += (bodies->state[row].flags & DRY_BODY_QUARANTINED) != 0;
    }
    CHECK(dynamic == bodies->dynamic_count && awake == bodies->awake_dynamic_count);
    CHECK(quarantined == bodies->quarantined_count);
}

/* The list of bodies that fell asleep or woke: each that says so, where it says. */
static void validate_sleep_list(const dry_world *world, const dry_validation *validation)
{
    int listed = 0;
    for (int row = 0; row < world->bodies.count; row++)
        listed += (world->bodies.state[row].flags & DRY_BODY_SLEEP_LISTED) != 0;
    CHECK(listed == world->sleep_changed_count);
    CHECK(world->bodies.count <= world->sleep_changed_capacity);
    for (int i = 0; i < world->sleep_changed_count; i++) {
        int slot = world->sleep_changed[i];
        CHECK(checked_lives(&world->bodies.slots, slot));
        CHECK(checked_state(world, slot)->flags & DRY_BODY_SLEEP_LISTED);
        CHECK(checked_state(world, slot)->listed_at == i);
    }
}

static void validate_bodies(const dry_world *world, const dry_validation *validation)
{
    const dry_bodies *bodies = &world->bodies;
    validate_slots(&bodies->slots, validation);
    validate_slots(&world->shapes.slots, validation);
    validate_slots(&world->joints.slots, validation);
    CHECK(bodies->count == bodies->slots.count && bodies->count <= bodies->capacity);
    CHECK(bodies->awake_count >= 0 && bodies->awake_count <= bodies->count);
    for (int row = 0; row < bodies->count; row++)
        validate_row(world, row, validation);
    validate_ages(bodies, validation);
    validate_counts(bodies, validation);
    validate_sleep_list(world, validation);
}

/* The proxy of an enabled body's shape: in the tree for its motion, its fat box around the shape. */
static void validate_proxy(const dry_world *world, int shape, const dry_validation *validation)
{
    const dry_broadphase *broadphase = world->broadphase;
    const dry_shape_form *form = &world->shapes.form[shape];
    const unsigned char state = broadphase->proxies.flags[form->proxy];
    CHECK(broadphase->proxies.user[form->proxy] == (uint32_t)shape && (state & DRY_PROXY_USED));
    CHECK(((state & DRY_PROXY_MOVABLE) != 0) == (checked_state(world, form->body)->type != DRY_BODY_STATIC));
    if (state & DRY_PROXY_MOVABLE)
        CHECK(((state & DRY_PROXY_SLEEPING) != 0) == !checked_awake(world, form->body));
    bool unbounded = form->geometry.type == DRY_SHAPE_HALFSPACE;
    CHECK(((state & DRY_PROXY_UNBOUNDED) != 0) == unbounded);
    if (unbounded)
        return;
    dry_bounds bounds = dry_shape_bounds(world, shape);
    dry_box tight = dry_box_from_bounds(broadphase->proxies.origin, &bounds);
    const dry_box *fat = &broadphase->proxies.box[form->proxy];
    for (int axis = 0; axis < 3; axis++)
        CHECK(fat->min[axis] <= tight.min[axis] && tight.max[axis] <= fat->max[axis]);
}

static void validate_shapes(const dry_world *world, const dry_validation *validation)
{
    int proxies = 0, owned = 0;
    for (int shape = 0; shape < world->shapes.slots.used; shape++) {
        if (!checked_lives(&world->shapes.slots, shape))
            continue;
        const dry_shape_form *form = &world->shapes.form[shape];
        owned++;
        if (form->geometry.type == DRY_SHAPE_HALFSPACE)
            CHECK(checked_state(world, form->body)->type == DRY_BODY_STATIC);
        CHECK((form->proxy >= 0) == checked_enabled(world, form->body));
        if (form->proxy < 0)
            continue;
        proxies++;
        validate_proxy(world, shape, validation);
    }
    int listed = 0;
    for (int row = 0; row < world->bodies.count; row++)
        for (int shape = world->bodies.state[row].first_shape; shape >= 0;
             shape = world->shapes.link[shape].next)
            listed++;
    CHECK(owned == world->shapes.slots.count && owned == listed);
    CHECK(proxies == dry_broadphase_proxy_count(world->broadphase));
}

/* The work of one call of validate_pairs, in pairs of shapes. A world with more pairs has some of its shapes
 * checked against all others, other ones in each step. */
enum { PAIRS_MAX = 1 << 18 };

static void validate_pairs(const dry_world *world, const dry_validation *validation)
{
    if (world->pairs_left_out) /* until they move, bodies in one place lack the pairs that were left out */
        return;
    const dry_broadphase *broadphase = world->broadphase;
    int shapes = world->shapes.slots.used;
    int some = shapes > 0 ? dry_min_int(shapes, PAIRS_MAX / shapes + 1) : 0;
    int first = shapes > 0 ? (int)(world->step_count * (uint64_t)some % (uint64_t)shapes) : 0;
    for (int i = 0; i < some; i++) {
        int a = (first + i) % shapes;
        if (!checked_lives(&world->shapes.slots, a) || world->shapes.form[a].proxy < 0)
            continue;
        int p = world->shapes.form[a].proxy;
        for (int b = some == shapes ? a + 1 : 0; b < shapes; b++) {
            if (a == b || !checked_lives(&world->shapes.slots, b) || world->shapes.form[b].proxy < 0)
                continue;
            int q = world->shapes.form[b].proxy;
            if (((broadphase->proxies.flags[p] | broadphase->proxies.flags[q]) & DRY_PROXY_MOVED) ||
                !dry_broadphase_overlaps(broadphase, p, q) || !dry_validate_may_touch(world, a, b))
                continue;
            CHECK(dry_pair_map_find(&world->contacts.pairs, dry_pair_key_of((uint32_t)a, (uint32_t)b)) >= 0);
        }
    }
}

void dry_world_validate(const dry_world *world, uint32_t invariants, const dry_validation *validation)
{
    if (invariants & DRY_VALID_BODIES)
        validate_bodies(world, validation);
    if (invariants & DRY_VALID_SHAPES)
        validate_shapes(world, validation);
    if (invariants & DRY_VALID_GRAPH)
        dry_validate_graph(world, invariants, validation);
    if (invariants & DRY_VALID_PAIRS)
        validate_pairs(world, validation);
    if (invariants & DRY_VALID_ISLANDS)
        dry_validate_islands(world, validation);
    if (invariants & DRY_VALID_LAYOUT)
        (void)dry_world_validate_layout(world, validation);
}
