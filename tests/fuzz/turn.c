/* Turns an input's bytes into public calls: some 60 kinds of them. */
#include "tests/fuzz/turn.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Reading bytes. */

unsigned fuzz_byte(fuzz_turn *t)
{
    return t->at < t->end ? *t->at++ : 0;
}

static int below(fuzz_turn *t, int end)
{
    return (int)(fuzz_byte(t) % (unsigned)end);
}

/* A bit of chance: true for the bytes from 256 - 256 / one_in on, so that the zeros behind an input's end
 * mean "no". */
static bool chance(fuzz_turn *t, int one_in)
{
    return fuzz_byte(t) >= 256u - 256u / (unsigned)one_in;
}

static uint64_t word(fuzz_turn *t, int bytes)
{
    uint64_t bits = 0;
    for (int i = 0; i < bytes; ++i)
        bits |= (uint64_t)fuzz_byte(t) << 8 * i;
    return bits;
}

static float wild_number(fuzz_turn *t, double typical)
{
    static const float extremes[] = {NAN,    INFINITY, FLT_MAX, FLT_MIN, FLT_TRUE_MIN, 1e-38f, 1e-30f, 1e-20f,
                                     1e-12f, 1e-8f,    1e-7f,   1e-6f,   1e-5f,        1e-4f,  1e-3f,  0.0f,
                                     1.0f,   1.001f,   1e2f,    1e3f,    1e4f,         1e5f,   1e6f,   1e7f,
                                     1e8f,   1e9f,     1e12f,   1e15f,   1e18f,        1e20f,  1e30f,  63.0f};
    const unsigned how = fuzz_byte(t);
    if (how < 128)
        return how < 64 ? extremes[how % 32] : -extremes[how % 32];
    if (how < 160) {
        const uint32_t bits = (uint32_t)word(t, 4);
        float x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    return (float)ldexp(typical, (int)fuzz_byte(t) - 128);
}

/* A number from -typical to typical; now and then any other where the turn is wild. */
static float number(fuzz_turn *t, double typical)
{
    const unsigned b = fuzz_byte(t);
    if (!t->wild || b < 224)
        return (float)((int8_t)b / 128.0 * typical);
    const float x = wild_number(t, typical);
    t->bad_number |= !isfinite(x);
    return x;
}

/* A number from low to high; now and then any other where the turn is wild. */
static float between(fuzz_turn *t, double low, double high)
{
    const float x = number(t, 1);
    return fabsf(x) <= 1 ? (float)(low + (high - low) * 0.5 * (1 + (double)x)) : x;
}

static dry_vec3 vector(fuzz_turn *t, double typical)
{
    const float x = number(t, typical), y = number(t, typical);
    return (dry_vec3){x, y, number(t, typical)};
}

static dry_position position(fuzz_turn *t)
{
    const double x = (double)number(t, 2), y = (double)number(t, 2) + 1;
    return (dry_position){x, y, (double)number(t, 2)};
}

static dry_quat rotation(fuzz_turn *t)
{
    if (!chance(t, 2))
        return (dry_quat){0, 0, 0, 1};
    const float x = number(t, 1), y = number(t, 1), z = number(t, 1), w = number(t, 1);
    const float scale = sqrtf(x * x + y * y + z * z + w * w);
    if (!(scale > 0.01f && scale < 10) || (t->wild && chance(t, 8)))
        return (dry_quat){x, y, z, w};
    return (dry_quat){x / scale, y / scale, z / scale, w / scale};
}

static dry_pose pose(fuzz_turn *t)
{
    const dry_position p = position(t);
    return (dry_pose){p, rotation(t)};
}

static dry_velocity velocity(fuzz_turn *t)
{
    if (!chance(t, 2))
        return (dry_velocity){{0, 0, 0}, {0, 0, 0}};
    const dry_vec3 v = vector(t, 5);
    return (dry_velocity){v, vector(t, 10)};
}

static int whole(fuzz_turn *t, int low, int high)
{
    const int x = low + below(t, high - low + 1);
    return t->wild && chance(t, 8) ? (int)(uint32_t)word(t, 4) : x;
}

/* Ids. */

/* An id that most probably names nothing: null, dead, of another world or kind, one bit off, made up. */
static uint64_t wrong_id(fuzz_turn *t)
{
    const fuzz_model *m = t->model;
    const int dead = m->dead_count < FUZZ_DEAD_MAX ? m->dead_count : FUZZ_DEAD_MAX;
    switch (below(t, 8)) {
    case 0:
        return 0;
    case 1:
        return word(t, 8);
    case 2:
        return m->body_count ? m->bodies[below(t, m->body_count)].id.bits ^ 1ull << below(t, 64) : 0;
    case 3:
        return m->shape_count ? m->shapes[below(t, m->shape_count)].id.bits : 0;
    case 4:
        return m->joint_count ? m->joints[below(t, m->joint_count)].id.bits : 0;
    case 5: /* the tag lies in the highest 16 bits or the lowest ones */
        return m->body_count ? m->bodies[below(t, m->body_count)].id.bits ^ 3ull << (chance(t, 2) ? 48 : 0)
                             : 0;
    default:
        return dead ? m->dead[below(t, dead)] : 0;
    }
}

static dry_body_id body(fuzz_turn *t)
{
    const fuzz_model *m = t->model;
    const unsigned which = fuzz_byte(t);
    if (m->body_count && which < 240)
        return m->bodies[(int)which % m->body_count].id;
    const dry_body_id id = {wrong_id(t)};
    t->bad_id |= !fuzz_model_find_body(m, id.bits);
    return id;
}

static dry_shape_id shape(fuzz_turn *t)
{
    const fuzz_model *m = t->model;
    const unsigned which = fuzz_byte(t);
    if (m->shape_count && which < 240)
        return m->shapes[(int)which % m->shape_count].id;
    const dry_shape_id id = {wrong_id(t)};
    t->bad_id |= !fuzz_model_has_shape(m, id.bits);
    return id;
}

static dry_joint_id joint(fuzz_turn *t)
{
    const fuzz_model *m = t->model;
    const unsigned which = fuzz_byte(t);
    if (m->joint_count && which < 240)
        return m->joints[(int)which % m->joint_count].id;
    const dry_joint_id id = {wrong_id(t)};
    t->bad_id |= !fuzz_model_has_joint(m, id.bits);
    return id;
}

static void answer(fuzz_turn *t, const void *bytes, size_t count)
{
    t->answer = fuzz_hash(t->answer, bytes, count);
}

static void answer_number(fuzz_turn *t, uint64_t bits)
{
    answer(t, &bits, sizeof bits);
}

/* Definitions. */

static dry_shape_def shape_def(fuzz_turn *t, dry_body_type of)
{
    dry_shape_def def = dry_default_shape_def();
    def.type = (dry_shape_type)below(t, of == DRY_BODY_STATIC ? 4 : 3);
    if (t->wild && chance(t, 16))
        def.type = (dry_shape_type)fuzz_byte(t);
    if (def.type == DRY_SHAPE_BOX) {
        const float x = between(t, 0.1, 0.7), y = between(t, 0.1, 0.7);
        def.half_extents = (dry_vec3){x, y, between(t, 0.1, 0.7)};
    } else if (def.type == DRY_SHAPE_HALFSPACE) {
        if (t->wild && chance(t, 4)) {
            def.normal = vector(t, 1);
            def.offset = number(t, 1);
        }
    } else {
        def.radius = between(t, 0.1, 0.5);
        if (def.type == DRY_SHAPE_CAPSULE)
            def.half_length = between(t, 0, 0.5);
    }
    const unsigned more = fuzz_byte(t);
    if (more & 1 && def.type != DRY_SHAPE_HALFSPACE) {
        const dry_vec3 p = vector(t, 0.5);
        def.pose = (dry_transform){p, rotation(t)};
    }
    if (more & 2 && def.type != DRY_SHAPE_HALFSPACE)
        def.density = chance(t, 2) ? 0 : between(t, 1, 5000);
    if (more & 4)
        def.friction = between(t, 0, 1);
    if (more & 8)
        def.restitution = between(t, 0, 1);
    if (more & 16)
        def.rolling_resistance = between(t, 0, 0.2);
    if (more & 32)
        def.filter = (dry_filter){1ull << below(t, 2), 1 + (uint64_t)below(t, 3), below(t, 3) - 1};
    if (more & 64)
        def.user_data = word(t, 2);
    return def;
}

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
    b->def.type = types[below(t, 5)];
    b->def.pose = pose(t);
    const unsigned more = fuzz_byte(t);
    if (more & 1)
        b->def.velocity = velocity(t);
    if (more & 2)
        b->def.locks = t->wild ? fuzz_byte(t) : fuzz_byte(t) & DRY_LOCK_ALL;
    if (more & 4) {
        b->def.enabled = !chance(t, 3);
        b->def.awake = !chance(t, 2);
        b->def.can_sleep = !chance(t, 4);
    }
    if (more & 8)
        b->def.mass = between(t, 0.1, 100);
    if (more & 16) {
        b->def.gravity_scale = number(t, 2);
        b->def.linear_damping = between(t, 0, 2);
        b->def.angular_damping = between(t, 0, 2);
    }
    b->def.user_data = more;
    b->def.shapes = b->shapes;
    b->def.shape_count = more & 32 ? below(t, 4) : 1;
    for (int i = 0; i < b->def.shape_count; ++i)
        b->shapes[i] = shape_def(t, b->def.type);
    if (t->wild && more >= 0xf8)
        b->def.type = (dry_body_type)fuzz_byte(t);
}

/* Tells the model of bodies that a call made. */
static void made(fuzz_turn *t, int i, const dry_body_def *def, dry_body_id id)
{
    fuzz_change *c = &t->change;
    c->made_bodies[i] = id;
    c->made_types[i] = def->type;
    c->made_enabled[i] = def->enabled;
    c->made_body_count = i + 1;
}

static bool has_room(const fuzz_turn *t, int bodies, int shapes)
{
    return t->model->body_count + bodies <= FUZZ_BODIES_MAX &&
           t->model->shape_count + shapes <= FUZZ_SHAPES_MAX;
}

/* Calls on bodies. */

static dry_result create_bodies(fuzz_turn *t)
{
    built bodies[3];
    dry_body_def defs[3];
    dry_body_id ids[3];
    const int count = 1 + below(t, 3);
    if (!has_room(t, count, 3 * count))
        return DRY_OK;
    for (int i = 0; i < count; ++i) {
        build(t, &bodies[i]);
        defs[i] = bodies[i].def;
    }
    const dry_result result = dry_world_create_bodies(t->world, count, defs, ids);
    for (int i = 0; i < count && result == DRY_OK; ++i)
        made(t, i, &defs[i], ids[i]);
    return result;
}

static dry_result create_body(fuzz_turn *t)
{
    built b;
    dry_body_id id;
    if (!has_room(t, 1, 3))
        return DRY_OK;
    build(t, &b);
    const dry_result result = dry_world_create_body(t->world, &b.def, &id);
    if (result == DRY_OK)
        made(t, 0, &b.def, id);
    return result;
}

/* Enough bodies in touch to make a step worth several workers. */
static dry_result create_crowd(fuzz_turn *t)
{
    enum { SIDE = 10, CROWD = SIDE * SIDE };
    static dry_body_def defs[CROWD];
    static dry_body_id ids[CROWD];
    dry_shape_def shapes[2] = {dry_default_shape_def(), dry_default_shape_def()};
    shapes[1].type = DRY_SHAPE_SPHERE;
    if (t->model->body_count > 20 || !has_room(t, CROWD, CROWD))
        return DRY_OK;
    const double apart = 1 + 0.01 * below(t, 4), height = 0.5 + 0.01 * (double)(int8_t)fuzz_byte(t);
    const int spheres = 1 + below(t, 8);
    for (int i = 0; i < CROWD; ++i) {
        defs[i] = dry_default_body_def();
        defs[i].type = DRY_BODY_DYNAMIC;
        defs[i].pose.position = (dry_position){i % SIDE * apart, height + i % 3 * 0.001, i / SIDE * apart};
        defs[i].shapes = &shapes[i % spheres == 1];
        defs[i].shape_count = 1;
    }
    defs[0].type = DRY_BODY_STATIC;
    const dry_result result = dry_world_create_bodies(t->world, CROWD, defs, ids);
    for (int i = 0; i < CROWD && result == DRY_OK; ++i)
        made(t, i, &defs[i], ids[i]);
    return result;
}

static dry_result destroy_bodies(fuzz_turn *t)
{
    dry_body_id ids[3];
    const int count = 1 + below(t, 3);
    for (int i = 0; i < count; ++i) {
        ids[i] = body(t);
        for (int k = 0; k < i; ++k)
            t->bad_id |= ids[k].bits == ids[i].bits;
        t->change.gone_bodies[i] = ids[i];
    }
    t->change.gone_body_count = count;
    return dry_world_destroy_bodies(t->world, count, ids);
}

static dry_result destroy_body(fuzz_turn *t)
{
    t->change.gone_bodies[0] = body(t);
    t->change.gone_body_count = 1;
    return dry_world_destroy_body(t->world, t->change.gone_bodies[0]);
}

static dry_result set_motion(fuzz_turn *t)
{
    dry_body_id ids[3];
    dry_pose poses[3];
    dry_velocity velocities[3];
    const int count = below(t, 4), which = 1 + below(t, 3);
    for (int i = 0; i < count; ++i) {
        ids[i] = body(t);
        if (which & 1)
            poses[i] = pose(t);
        if (which & 2)
            velocities[i] = velocity(t);
    }
    return dry_world_set_motion(t->world, count, ids, which & 1 ? poses : NULL,
                                which & 2 ? velocities : NULL);
}

static dry_result set_pose(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    return dry_body_set_pose(t->world, id, pose(t));
}

static dry_result set_velocity(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    return dry_body_set_velocity(t->world, id, velocity(t));
}

static dry_result move_to(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    const dry_pose target = pose(t);
    return dry_body_move_to(t->world, id, target, between(t, 0.01, 1));
}

static dry_result set_type(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    t->change.set_body = id;
    t->change.set_type = whole(t, 0, DRY_BODY_TYPE_COUNT - 1);
    return dry_body_set_type(t->world, id, (dry_body_type)t->change.set_type);
}

static dry_result set_gravity_scale(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    return dry_body_set_gravity_scale(t->world, id, number(t, 2));
}

static dry_result set_damping(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    const float linear = between(t, 0, 2);
    return dry_body_set_damping(t->world, id, linear, between(t, 0, 2));
}

static dry_result set_locks(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    return dry_body_set_locks(t->world, id, (unsigned)whole(t, 0, DRY_LOCK_ALL));
}

static dry_result set_user_data(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    return dry_body_set_user_data(t->world, id, word(t, 2));
}

static dry_result enable(fuzz_turn *t, dry_body_id id, bool enabled)
{
    t->change.set_body = id;
    t->change.set_enabled = enabled;
    return dry_body_set_enabled(t->world, id, enabled);
}

static dry_result set_enabled(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    return enable(t, id, !chance(t, 2));
}

/* Takes a body out of quarantine, if there is one; any body otherwise. */
static dry_result mend(fuzz_turn *t)
{
    const unsigned first = fuzz_byte(t);
    for (int i = 0; i < t->model->body_count; ++i) {
        const fuzz_model_body *b = &t->model->bodies[(i + (int)first) % t->model->body_count];
        if (b->quarantined)
            return enable(t, b->id, true);
    }
    return enable(t, body(t), true);
}

static dry_result set_awake(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    return dry_body_set_awake(t->world, id, !chance(t, 2));
}

static dry_result set_can_sleep(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    return dry_body_set_can_sleep(t->world, id, !chance(t, 2));
}

static dry_result set_mass(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    dry_mass mass = {between(t, 0.1, 100), {0, 0, 0}, {{0}}};
    mass.center = vector(t, 0.3);
    for (int i = 0; i < 3; ++i)
        mass.inertia[i][i] = between(t, 1, 2);
    if (chance(t, 2)) {
        const float x = number(t, 0.5), y = number(t, 0.5);
        mass.inertia[0][1] = mass.inertia[1][0] = x;
        mass.inertia[0][2] = mass.inertia[2][0] = y;
    }
    return dry_body_set_mass(t->world, id, &mass);
}

static dry_result set_mass_from_shapes(fuzz_turn *t)
{
    return dry_body_set_mass_from_shapes(t->world, body(t));
}

/* Forces. */

static dry_result apply_force(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    return dry_body_apply_force(t->world, id, vector(t, 5000));
}

static dry_result apply_force_at(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    const dry_vec3 force = vector(t, 5000);
    return dry_body_apply_force_at(t->world, id, force, position(t));
}

static dry_result apply_torque(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    return dry_body_apply_torque(t->world, id, vector(t, 5000));
}

static dry_result apply_impulse(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    return dry_body_apply_impulse(t->world, id, vector(t, 1000));
}

static dry_result apply_impulse_at(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    const dry_vec3 impulse = vector(t, 1000);
    return dry_body_apply_impulse_at(t->world, id, impulse, position(t));
}

static dry_result apply_angular_impulse(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    return dry_body_apply_angular_impulse(t->world, id, vector(t, 1000));
}

static dry_result apply_forces(fuzz_turn *t)
{
    dry_body_id ids[3];
    dry_vec3 forces[3], torques[3];
    const int count = below(t, 4), which = 1 + below(t, 3);
    for (int i = 0; i < count; ++i) {
        ids[i] = body(t);
        if (which & 1)
            forces[i] = vector(t, 5000);
        if (which & 2)
            torques[i] = vector(t, 5000);
    }
    return dry_world_apply_forces(t->world, count, ids, which & 1 ? forces : NULL,
                                  which & 2 ? torques : NULL);
}

/* More than a float can keep in a velocity: quarantine. */
static dry_result break_body(fuzz_turn *t)
{
    static const float sizes[] = {1e8f, 1e12f, 1e18f, -1e18f};
    const dry_body_id id = body(t);
    const float size = sizes[below(t, 4)];
    const dry_vec3 amount = {size, below(t, 2) ? size : 0, below(t, 2) ? 0 : size};
    switch (below(t, 4)) {
    case 0:
        return dry_body_apply_force(t->world, id, amount);
    case 1:
        return dry_body_apply_torque(t->world, id, amount);
    case 2:
        return dry_body_apply_impulse(t->world, id, amount);
    default:
        return dry_body_apply_angular_impulse(t->world, id, amount);
    }
}

/* Shapes. */

static dry_result create_shape(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    const fuzz_model_body *of = fuzz_model_find_body(t->model, id.bits);
    dry_shape_id made_id = {0};
    int count = 0;
    for (int i = 0; i < t->model->shape_count; ++i)
        count += t->model->shapes[i].body.bits == id.bits;
    if (count == FUZZ_SHAPES_EACH_MAX || !has_room(t, 0, 1))
        return DRY_OK;
    const dry_shape_def def = shape_def(t, of ? of->type : DRY_BODY_STATIC);
    const dry_result result = dry_body_create_shape(t->world, id, &def, &made_id);
    t->change.made_shape = (fuzz_model_shape){made_id, id};
    return result;
}

static dry_result shape_destroy(fuzz_turn *t)
{
    t->change.gone_shape = shape(t);
    return dry_shape_destroy(t->world, t->change.gone_shape);
}

static dry_result shape_set_friction(fuzz_turn *t)
{
    const dry_shape_id id = shape(t);
    return dry_shape_set_friction(t->world, id, between(t, 0, 1));
}

static dry_result shape_set_restitution(fuzz_turn *t)
{
    const dry_shape_id id = shape(t);
    return dry_shape_set_restitution(t->world, id, between(t, 0, 1));
}

static dry_result shape_set_rolling_resistance(fuzz_turn *t)
{
    const dry_shape_id id = shape(t);
    return dry_shape_set_rolling_resistance(t->world, id, between(t, 0, 0.2));
}

static dry_result shape_set_filter(fuzz_turn *t)
{
    const dry_shape_id id = shape(t);
    const dry_filter filter = {1ull << below(t, 2), 1 + (uint64_t)below(t, 3), below(t, 3) - 1};
    return dry_shape_set_filter(t->world, id, filter);
}

static dry_result shape_set_user_data(fuzz_turn *t)
{
    const dry_shape_id id = shape(t);
    return dry_shape_set_user_data(t->world, id, word(t, 2));
}

/* Joints. */

static dry_joint_def joint_def(fuzz_turn *t)
{
    dry_joint_def def = dry_default_joint_def((dry_joint_type)below(t, DRY_JOINT_TYPE_COUNT));
    def.body_a = body(t);
    def.body_b = body(t);
    def.anchor_a = vector(t, 1);
    def.anchor_b = vector(t, 1);
    if (def.type == DRY_JOINT_DISTANCE)
        def.length = between(t, 0, 2);
    const unsigned more = fuzz_byte(t);
    if (more & 1) {
        def.stiffness = between(t, 1, 1e5);
        def.damping = between(t, 0, 1e3);
    }
    def.collide = more & 2;
    def.user_data = more;
    if (t->wild && more >= 0xf8)
        def.type = (dry_joint_type)fuzz_byte(t);
    return def;
}

static dry_result create_joints_of(fuzz_turn *t, int count)
{
    dry_joint_def defs[3];
    dry_joint_id ids[3];
    if (t->model->joint_count + count > FUZZ_JOINTS_MAX)
        return DRY_OK;
    for (int i = 0; i < count; ++i)
        defs[i] = joint_def(t);
    const dry_result result = count == 1 ? dry_world_create_joint(t->world, defs, ids)
                                         : dry_world_create_joints(t->world, count, defs, ids);
    for (int i = 0; i < count && result == DRY_OK; ++i)
        t->change.made_joints[i] = (fuzz_model_joint){ids[i], defs[i].body_a, defs[i].body_b};
    t->change.made_joint_count = count;
    return result;
}

static dry_result create_joint(fuzz_turn *t)
{
    return create_joints_of(t, 1);
}

static dry_result create_joints(fuzz_turn *t)
{
    return create_joints_of(t, 2 + below(t, 2));
}

static dry_result joint_destroy(fuzz_turn *t)
{
    t->change.gone_joint = joint(t);
    return dry_joint_destroy(t->world, t->change.gone_joint);
}

/* Settings: some numbers of them at once. */

typedef struct setting {
    size_t offset;
    double low, high; /* the tame range */
} setting;
#define FLOAT_SETTING(member, low, high)                                                                     \
    {                                                                                                        \
        offsetof(dry_settings, member), low, high                                                            \
    }
static const setting float_settings[] = {
    FLOAT_SETTING(gravity.x, -5, 5),
    FLOAT_SETTING(gravity.y, -15, 5),
    FLOAT_SETTING(gravity.z, -5, 5),
    FLOAT_SETTING(contact_hertz, 0, 60),
    FLOAT_SETTING(contact_damping_ratio, 0, 5),
    FLOAT_SETTING(contact_stiffness, 0, 1e6),
    FLOAT_SETTING(contact_damping, 0, 4),
    FLOAT_SETTING(push_out_speed_max, 0.1, 2),
    FLOAT_SETTING(restitution_speed_min, 0, 2),
    FLOAT_SETTING(hit_speed_min, 0, 2),
    FLOAT_SETTING(speculative_margin, 0, 0.1),
    FLOAT_SETTING(recycle_distance, 0, 0.01),
    FLOAT_SETTING(lever_distance, 0, 0.01),
    FLOAT_SETTING(lever_angle, 0, 0.01),
    FLOAT_SETTING(sleep_speed_max, 0, 0.5),
    FLOAT_SETTING(sleep_after, 0, 0.1),
};
#undef FLOAT_SETTING

/* Lets no step take more than a moment: bounds the product of two counts. */
static void bound_product(int a, int *b)
{
    if (a > 0 && a <= 256 && *b > 0 && *b <= 256 && a * *b > 512)
        *b = 512 / a;
}

static void change_setting(fuzz_turn *t, dry_settings *s)
{
    enum { FLOATS = sizeof float_settings / sizeof *float_settings };
    const int which = below(t, FLOATS + 15);
    if (which < FLOATS) {
        const setting *f = &float_settings[which];
        *(float *)(void *)((char *)s + f->offset) = chance(t, 4) ? 0 : between(t, f->low, f->high);
        return;
    }
    switch (which - FLOATS) {
    case 0:
        s->solver = (dry_solver)whole(t, 0, DRY_SOLVER_COUNT - 1);
        break;
    case 1:
        s->friction = (dry_friction)whole(t, 0, DRY_FRICTION_COUNT - 1);
        break;
    case 2:
        s->levers = (dry_levers)whole(t, 0, DRY_LEVERS_COUNT - 1);
        break;
    case 3:
        s->substeps = whole(t, 0, 12);
        break;
    case 4:
        s->substeps_min = whole(t, 1, 8);
        break;
    case 5:
        s->substeps_max = whole(t, 8, 64);
        break;
    case 6:
        s->sweeps = whole(t, 0, 4);
        break;
    case 7:
        s->sweeps_min = whole(t, 1, 2);
        break;
    case 8:
        s->sweeps_max = whole(t, 2, 6);
        break;
    case 9:
        s->relax_sweeps = whole(t, 0, 3);
        break;
    case 10:
    case 11:
        s->colors_max = whole(t, 0, 4);
        break;
    case 12:
        s->sleep = !chance(t, 2);
        break;
    default:
        s->warm_start = !chance(t, 2);
    }
    bound_product(s->substeps, &s->sweeps);
    bound_product(s->substeps, &s->sweeps_max);
    bound_product(s->substeps, &s->relax_sweeps);
    bound_product(s->substeps_max, &s->sweeps);
    bound_product(s->substeps_max, &s->sweeps_max);
    bound_product(s->substeps_max, &s->relax_sweeps);
}

static dry_result set_settings(fuzz_turn *t)
{
    dry_settings settings = dry_world_get_settings(t->world);
    const int count = 1 + below(t, 3);
    for (int i = 0; i < count; ++i)
        change_setting(t, &settings);
    return dry_world_set_settings(t->world, &settings);
}

/* Steps. */

void fuzz_answer_events(fuzz_turn *t)
{
    const dry_events e = dry_world_events(t->world);
    const int counts[] = {e.moved_count, e.contact_begin_count, e.contact_end_count,
                          e.hit_count,   e.sleep_count,         e.quarantine_count};
    answer(t, counts, sizeof counts);
    for (int i = 0; i < e.moved_count; ++i) {
        answer_number(t, e.moved[i].body.bits);
        answer_number(t, e.moved[i].user_data);
    }
    for (int i = 0; i < e.contact_begin_count; ++i)
        answer(t, &e.contact_begins[i], sizeof e.contact_begins[i]);
    for (int i = 0; i < e.contact_end_count; ++i)
        answer(t, &e.contact_ends[i], sizeof e.contact_ends[i]);
    for (int i = 0; i < e.hit_count; ++i) {
        answer_number(t, e.hits[i].shape_a.bits);
        answer_number(t, e.hits[i].shape_b.bits);
        answer(t, &e.hits[i].point, sizeof e.hits[i].point);
        answer(t, &e.hits[i].normal, sizeof e.hits[i].normal);
        answer(t, &e.hits[i].speed_m_s, sizeof e.hits[i].speed_m_s);
    }
    for (int i = 0; i < e.sleep_count; ++i) {
        answer_number(t, e.sleeps[i].body.bits);
        answer_number(t, e.sleeps[i].asleep);
    }
    for (int i = 0; i < e.quarantine_count; ++i)
        answer_number(t, e.quarantines[i].body.bits);
}

static dry_result step(fuzz_turn *t)
{
    static const float lengths[] = {1.0f / 60, 1.0f / 60, 1.0f / 60, 1.0f / 60, 1.0f / 240, 0.1f, 0, 1};
    float dt = lengths[below(t, 8)];
    if (t->wild && chance(t, 2)) {
        dt = wild_number(t, 0.01);
        t->bad_number |= !isfinite(dt);
    }
    t->is_step = true;
    t->moves_time = dt >= 1e-7f;
    return dry_world_step(t->world, dt);
}

/* Readers. */

static dry_result get_motion(fuzz_turn *t)
{
    dry_body_id ids[2];
    for (int i = 0; i < 2; ++i)
        ids[i] = body(t);
    dry_pose poses[2];
    dry_velocity velocities[2];
    bool awake[2];
    const dry_result result = dry_world_get_motion(t->world, 2, ids, poses, velocities, awake);
    if (result == DRY_OK) {
        for (int i = 0; i < 2; ++i) {
            answer(t, &poses[i].position, sizeof poses[i].position);
            answer(t, &poses[i].orientation, sizeof poses[i].orientation);
        }
        answer(t, velocities, sizeof velocities);
        answer(t, awake, sizeof awake);
    }
    return result;
}

static dry_result get_body(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    dry_body_def def;
    dry_mass mass;
    dry_position center;
    dry_result result = dry_body_get_def(t->world, id, &def);
    FUZZ_CHECK(dry_body_get_mass(t->world, id, &mass) == result);
    FUZZ_CHECK(dry_body_get_center(t->world, id, &center) == result);
    if (result == DRY_OK) {
        answer(t, &mass, sizeof mass);
        answer(t, &center, sizeof center);
        answer_number(t, def.locks);
        answer_number(t, def.user_data);
        answer(t, &def.mass, sizeof def.mass);
    }
    answer_number(t, (uint64_t)dry_body_tier(t->world, id));
    answer_number(t, (uint64_t)dry_body_tier_reason(t->world, id));
    return result;
}

static void answer_contact(fuzz_turn *t, const dry_contact *c)
{
    const uint64_t ids[] = {c->shape_a.bits, c->shape_b.bits, c->body_a.bits, c->body_b.bits};
    answer(t, ids, sizeof ids);
    answer(t, &c->normal, sizeof c->normal);
    answer(t, &c->friction_impulse_Ns, sizeof c->friction_impulse_Ns);
    answer(t, &c->torsion_impulse_Nms, sizeof c->torsion_impulse_Nms);
    answer(t, &c->rolling_impulse_Nms, sizeof c->rolling_impulse_Nms);
    for (int i = 0; i < c->point_count; ++i) {
        answer(t, &c->points[i].position, sizeof c->points[i].position);
        answer(t, &c->points[i].separation, sizeof(float));
        answer(t, &c->points[i].normal_impulse_Ns, sizeof(float));
        answer_number(t, c->points[i].feature);
    }
}

static dry_result get_contacts(fuzz_turn *t)
{
    const dry_body_id id = body(t);
    dry_contact contacts[8];
    int count = 0;
    const dry_result result = dry_body_get_contacts(t->world, id, contacts, 8, &count);
    for (int i = 0; i < count && i < 8 && result == DRY_OK; ++i)
        answer_contact(t, &contacts[i]);
    return result;
}

static dry_result get_all_contacts(fuzz_turn *t)
{
    static dry_contact contacts[FUZZ_PAIRS_MAX];
    const int capacity = below(t, 64), count = dry_world_get_contacts(t->world, contacts, capacity);
    for (int i = 0; i < count && i < capacity; ++i)
        answer_contact(t, &contacts[i]);
    answer_number(t, (uint64_t)count);
    return DRY_OK;
}

static dry_result get_joint(fuzz_turn *t)
{
    const dry_joint_id id = joint(t);
    dry_joint_def def;
    dry_vec3 impulse;
    const dry_result result = dry_joint_get_def(t->world, id, &def);
    FUZZ_CHECK(dry_joint_get_impulse(t->world, id, &impulse) == result);
    if (result == DRY_OK) {
        FUZZ_CHECK(fuzz_model_find_body(t->model, def.body_a.bits) &&
                   fuzz_model_find_body(t->model, def.body_b.bits));
        answer(t, &impulse, sizeof impulse);
        answer_number(t, def.user_data);
    }
    return result;
}

static dry_result get_shape(fuzz_turn *t)
{
    const dry_shape_id id = shape(t);
    dry_shape_def def;
    dry_body_id of;
    const dry_result result = dry_shape_get_def(t->world, id, &def);
    FUZZ_CHECK(dry_shape_get_body(t->world, id, &of) == result);
    if (result == DRY_OK) {
        FUZZ_CHECK(fuzz_model_find_body(t->model, of.bits));
        answer(t, &def.pose, sizeof def.pose);
        answer(t, &def.friction, sizeof def.friction);
        answer_number(t, def.user_data);
    }
    return result;
}

static dry_result get_energy(fuzz_turn *t)
{
    const dry_energy energy = dry_world_energy(t->world);
    answer(t, &energy, sizeof energy);
    const dry_statistics s = dry_world_statistics(t->world);
    const int counts[] = {s.awake_bodies, s.manifolds, s.points,  s.awake_manifolds,
                          s.colors,       s.overflow,  s.islands, s.substeps};
    answer(t, counts, sizeof counts);
    return DRY_OK;
}

/* Queries. */

static dry_ray ray(fuzz_turn *t)
{
    const dry_position origin = position(t);
    const dry_vec3 along = vector(t, 8);
    return (dry_ray){origin, along, chance(t, 4) ? fuzz_byte(t) : ~0ull};
}

static void answer_hit(fuzz_turn *t, const dry_ray_hit *hit)
{
    answer_number(t, hit->shape.bits);
    if (!hit->shape.bits)
        return;
    FUZZ_CHECK(fuzz_model_has_shape(t->model, hit->shape.bits));
    FUZZ_CHECK(fuzz_model_find_body(t->model, hit->body.bits));
    FUZZ_CHECK(hit->fraction >= 0 && hit->fraction <= 1);
    FUZZ_CHECK(isfinite(hit->point.x) && isfinite(hit->point.y) && isfinite(hit->point.z));
    FUZZ_CHECK(isfinite(hit->normal.x) && isfinite(hit->normal.y) && isfinite(hit->normal.z));
    answer(t, &hit->point, sizeof hit->point);
    answer(t, &hit->normal, sizeof hit->normal);
    answer(t, &hit->fraction, sizeof hit->fraction);
}

static dry_result cast_ray(fuzz_turn *t)
{
    const dry_ray r = ray(t);
    dry_ray_hit first, hits[8];
    int count;
    const dry_result result = dry_world_cast_ray(t->world, &r, &first);
    FUZZ_CHECK(dry_world_cast_ray_all(t->world, &r, hits, 8, &count) == result);
    if (result != DRY_OK)
        return result;
    answer_hit(t, &first);
    FUZZ_CHECK((count > 0) == (first.shape.bits != 0));
    if (count)
        FUZZ_CHECK(first.shape.bits == hits[0].shape.bits && first.fraction == hits[0].fraction);
    for (int i = 0; i < count && i < 8; ++i) {
        answer_hit(t, &hits[i]);
        FUZZ_CHECK(i == 0 || hits[i].fraction >= hits[i - 1].fraction);
    }
    return DRY_OK;
}

static dry_result cast_rays(fuzz_turn *t)
{
    dry_ray rays[2];
    dry_ray_hit hits[2];
    for (int i = 0; i < 2; ++i)
        rays[i] = ray(t);
    const dry_result result = dry_world_cast_rays(t->world, 2, rays, hits);
    for (int i = 0; i < 2 && result == DRY_OK; ++i)
        answer_hit(t, &hits[i]);
    return result;
}

static dry_overlap overlap(fuzz_turn *t)
{
    const dry_pose at = pose(t);
    dry_overlap o = {at, {0.5f, 0.5f, 0.5f}, 0, chance(t, 4) ? fuzz_byte(t) : ~0ull};
    if (chance(t, 2))
        o.radius = between(t, 0.1, 2);
    else {
        const float x = between(t, 0.1, 2), y = between(t, 0.1, 2);
        o.half_extents = (dry_vec3){x, y, between(t, 0.1, 2)};
    }
    return o;
}

static dry_result overlap_one(fuzz_turn *t)
{
    const dry_overlap o = overlap(t);
    dry_shape_id shapes[8];
    int count;
    const dry_result result = dry_world_overlap(t->world, &o, shapes, 8, &count);
    for (int i = 0; result == DRY_OK && i < count && i < 8; ++i) {
        FUZZ_CHECK(fuzz_model_has_shape(t->model, shapes[i].bits));
        answer_number(t, shapes[i].bits);
    }
    return result;
}

static dry_result overlap_two(fuzz_turn *t)
{
    dry_overlap both[2];
    dry_shape_id shapes[2 * 4];
    int counts[2];
    for (int i = 0; i < 2; ++i)
        both[i] = overlap(t);
    const dry_result result = dry_world_overlaps(t->world, 2, both, shapes, 4, counts);
    for (int i = 0; result == DRY_OK && i < 2 * 4; ++i)
        if (i % 4 < counts[i / 4])
            answer_number(t, shapes[i].bits);
    return result;
}

/* All kinds. */

typedef struct fuzz_kind {
    const char *name;
    dry_result (*take)(fuzz_turn *turn);
} fuzz_kind;

#define KIND(name)                                                                                           \
    {                                                                                                        \
#name, name                                                                                          \
    }
static const fuzz_kind kinds[FUZZ_KINDS] = {
    KIND(step), /* what is read behind an input's end */
    KIND(create_bodies),
    KIND(create_body),
    KIND(create_crowd),
    KIND(destroy_bodies),
    KIND(destroy_body),
    KIND(set_motion),
    KIND(set_pose),
    KIND(set_velocity),
    KIND(move_to),
    KIND(set_type),
    KIND(set_gravity_scale),
    KIND(set_damping),
    KIND(set_locks),
    KIND(set_user_data),
    KIND(set_enabled),
    KIND(mend),
    KIND(set_awake),
    KIND(set_can_sleep),
    KIND(set_mass),
    KIND(set_mass_from_shapes),
    KIND(apply_force),
    KIND(apply_force_at),
    KIND(apply_torque),
    KIND(apply_impulse),
    KIND(apply_impulse_at),
    KIND(apply_angular_impulse),
    KIND(apply_forces),
    KIND(break_body),
    KIND(create_shape),
    KIND(shape_destroy),
    KIND(shape_set_friction),
    KIND(shape_set_restitution),
    KIND(shape_set_rolling_resistance),
    KIND(shape_set_filter),
    KIND(shape_set_user_data),
    KIND(create_joint),
    KIND(create_joints),
    KIND(joint_destroy),
    KIND(set_settings),
    KIND(get_motion),
    KIND(get_body),
    KIND(get_contacts),
    KIND(get_all_contacts),
    KIND(get_joint),
    KIND(get_shape),
    KIND(get_energy),
    KIND(cast_ray),
    KIND(cast_rays),
    KIND(overlap_one),
    KIND(overlap_two),
    KIND(step),
    KIND(step),
    KIND(step),
    KIND(step),
    KIND(step),
    KIND(step),
    KIND(step),
    KIND(step),
    KIND(mend),
    KIND(create_body),
    KIND(create_joint),
    KIND(create_bodies),
    KIND(create_joints),
};
#undef KIND

dry_result fuzz_turn_take(fuzz_turn *turn, int kind)
{
    turn->answer = FUZZ_HASH_BEGIN;
    turn->change.set_type = turn->change.set_enabled = -1;
    return kinds[kind].take(turn);
}

const char *fuzz_kind_name(int kind)
{
    return kinds[kind].name;
}
