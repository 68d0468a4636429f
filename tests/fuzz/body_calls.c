/* The calls that create and destroy bodies and set their properties. */
#include "tests/fuzz/calls.h"
#include "tests/fuzz/draw.h"

/* A body and room for its shapes. */
typedef struct built {
    dry_body_def def;
    dry_shape_def shapes[3];
} built;

static void build(fuzz_turn *t, built *b)
{
    static const dry_body_type types[] = {DRY_BODY_DYNAMIC, DRY_BODY_DYNAMIC, DRY_BODY_DYNAMIC,
                                          DRY_BODY_STATIC, DRY_BODY_KINEMATIC};
    b->def = dry_default_body_def();
    b->def.type = types[draw_below(t, 5)];
    b->def.pose = draw_pose(t);
    const unsigned more = draw_byte(t);
    if (more & 1)
        b->def.velocity = draw_velocity(t);
    if (more & 2)
        b->def.locks = t->wild ? draw_byte(t) : draw_byte(t) & DRY_LOCK_ALL;
    if (more & 4) {
        b->def.enabled = !draw_chance(t, 3);
        b->def.awake = !draw_chance(t, 2);
        b->def.can_sleep = !draw_chance(t, 4);
    }
    if (more & 8)
        b->def.mass = draw_between(t, 0.1, 100);
    if (more & 16) {
        b->def.gravity_scale = draw_number(t, 2);
        b->def.linear_damping = draw_between(t, 0, 2);
        b->def.angular_damping = draw_between(t, 0, 2);
    }
    b->def.user_data = more;
    b->def.shapes = b->shapes;
    b->def.shape_count = more & 32 ? draw_below(t, 4) : 1;
    for (int i = 0; i < b->def.shape_count; ++i)
        b->shapes[i] = draw_shape_def(t, b->def.type);
    if (t->wild && more >= 0xf8)
        b->def.type = (dry_body_type)draw_byte(t);
}

/* Notes the bodies that a call made, for the model. */
static void note_made(fuzz_turn *t, int count, const dry_body_def *defs, const dry_body_id *ids)
{
    fuzz_change *c = &t->change;
    for (int i = 0; i < count; ++i) {
        c->made_bodies[i] = ids[i];
        c->made_types[i] = defs[i].type;
        c->made_enabled[i] = defs[i].enabled;
    }
    c->made_body_count = count;
}

static dry_result create(fuzz_turn *t, int count, bool batch)
{
    built bodies[3];
    dry_body_def defs[3];
    dry_body_id ids[3];
    if (!fuzz_model_has_room(t->model, count, 3 * count))
        return DRY_OK;
    for (int i = 0; i < count; ++i) {
        build(t, &bodies[i]);
        defs[i] = bodies[i].def;
    }
    const dry_result result = batch ? dry_world_create_bodies(t->world, count, defs, ids)
                                    : dry_world_create_body(t->world, defs, ids);
    if (result == DRY_OK)
        note_made(t, count, defs, ids);
    return result;
}

dry_result call_create_body(fuzz_turn *t)
{
    return create(t, 1, false);
}

dry_result call_create_bodies(fuzz_turn *t)
{
    return create(t, 1 + draw_below(t, 3), true);
}

/* Creates enough bodies in touch to make a step worth several workers. */
dry_result call_create_crowd(fuzz_turn *t)
{
    enum { SIDE = 10, CROWD = SIDE * SIDE };
    static dry_body_def defs[CROWD];
    static dry_body_id ids[CROWD];
    dry_shape_def shapes[2] = {dry_default_shape_def(), dry_default_shape_def()};
    shapes[1].type = DRY_SHAPE_SPHERE;
    if (t->model->body_count > 20 || !fuzz_model_has_room(t->model, CROWD, CROWD))
        return DRY_OK;
    const double apart = 1 + 0.01 * draw_below(t, 4), height = 0.5 + 0.01 * (double)(int8_t)draw_byte(t);
    const int spheres = 1 + draw_below(t, 8);
    for (int i = 0; i < CROWD; ++i) {
        defs[i] = dry_default_body_def();
        defs[i].type = DRY_BODY_DYNAMIC;
        defs[i].pose.position = (dry_position){i % SIDE * apart, height + i % 3 * 0.001, i / SIDE * apart};
        defs[i].shapes = &shapes[i % spheres == 1];
        defs[i].shape_count = 1;
    }
    defs[0].type = DRY_BODY_STATIC;
    const dry_result result = dry_world_create_bodies(t->world, CROWD, defs, ids);
    if (result == DRY_OK)
        note_made(t, CROWD, defs, ids);
    return result;
}

dry_result call_destroy_bodies(fuzz_turn *t)
{
    dry_body_id ids[3];
    const int count = 1 + draw_below(t, 3);
    for (int i = 0; i < count; ++i) {
        ids[i] = draw_body(t);
        for (int k = 0; k < i; ++k)
            t->bad_id |= ids[k].bits == ids[i].bits;
        t->change.gone_bodies[i] = ids[i];
    }
    t->change.gone_body_count = count;
    return dry_world_destroy_bodies(t->world, count, ids);
}

dry_result call_destroy_body(fuzz_turn *t)
{
    t->change.gone_bodies[0] = draw_body(t);
    t->change.gone_body_count = 1;
    return dry_body_destroy(t->world, t->change.gone_bodies[0]);
}

dry_result call_set_type(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    t->change.set_body = id;
    t->change.set_type = draw_whole(t, 0, DRY_BODY_TYPE_COUNT - 1);
    return dry_body_set_type(t->world, id, (dry_body_type)t->change.set_type);
}

dry_result call_set_gravity_scale(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    return dry_body_set_gravity_scale(t->world, id, draw_number(t, 2));
}

dry_result call_set_damping(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    const float linear = draw_between(t, 0, 2);
    return dry_body_set_damping(t->world, id, linear, draw_between(t, 0, 2));
}

dry_result call_set_locks(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    return dry_body_set_locks(t->world, id, (unsigned)draw_whole(t, 0, DRY_LOCK_ALL));
}

dry_result call_set_user_data(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    return dry_body_set_user_data(t->world, id, draw_bits(t, 2));
}

static dry_result enable(fuzz_turn *t, dry_body_id id, bool enabled)
{
    t->change.set_body = id;
    t->change.set_enabled = enabled;
    return dry_body_set_enabled(t->world, id, enabled);
}

dry_result call_set_enabled(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    return enable(t, id, !draw_chance(t, 2));
}

/* Takes a body out of quarantine, if there is one; any body otherwise. */
dry_result call_mend(fuzz_turn *t)
{
    const unsigned first = draw_byte(t);
    for (int i = 0; i < t->model->body_count; ++i) {
        const fuzz_model_body *b = &t->model->bodies[(i + (int)first) % t->model->body_count];
        if (b->quarantined)
            return enable(t, b->id, true);
    }
    return enable(t, draw_body(t), true);
}

/* Sets a property that is either on or off. */
static dry_result set_flag(fuzz_turn *t, dry_result (*set)(dry_world *, dry_body_id, bool))
{
    const dry_body_id id = draw_body(t);
    return set(t->world, id, !draw_chance(t, 2));
}

dry_result call_set_awake(fuzz_turn *t)
{
    return set_flag(t, dry_body_set_awake);
}

dry_result call_set_can_sleep(fuzz_turn *t)
{
    return set_flag(t, dry_body_set_can_sleep);
}

dry_result call_set_mass(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    dry_mass mass = {draw_between(t, 0.1, 100), {0, 0, 0}, {{0}}};
    mass.center = draw_vector(t, 0.3);
    for (int i = 0; i < 3; ++i)
        mass.inertia[i][i] = draw_between(t, 1, 2);
    if (draw_chance(t, 2)) {
        const float x = draw_number(t, 0.5), y = draw_number(t, 0.5);
        mass.inertia[0][1] = mass.inertia[1][0] = x;
        mass.inertia[0][2] = mass.inertia[2][0] = y;
    }
    return dry_body_set_mass(t->world, id, &mass);
}

dry_result call_set_mass_from_shapes(fuzz_turn *t)
{
    return dry_body_set_mass_from_shapes(t->world, draw_body(t));
}
