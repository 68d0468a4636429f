/* Makers for worlds of bodies and joints that are solved directly, and what is measured of them. Bodies do
 * not touch unless a test says so. */
#ifndef TESTS_ARTICULATED_H
#define TESTS_ARTICULATED_H

#include "tests/test_world.h"

enum { RIG_MAX = 2048 };

typedef struct rig {
    dry_world *world;
    dry_body_id body[RIG_MAX];
    dry_joint_id joint[RIG_MAX];
    int bodies, joints;
    bool touching; /* new bodies touch */
} rig;

static const dry_body_id the_world = {0};

/* An axis along z of the world, as the x axis of a joint's frame. */
static inline dry_quat frame_z(void)
{
    return quat_about((d3){0, 1, 0}, -TEST_PI / 2);
}

static inline dry_settings direct_settings(void)
{
    dry_settings settings = test_settings();
    settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
    return settings;
}

static inline void rig_make(rig *r, dry_settings settings)
{
    memset(r, 0, sizeof *r);
    r->world = world_with(settings);
}

static inline void rig_direct(rig *r)
{
    rig_make(r, direct_settings());
}

static inline void rig_weightless(rig *r)
{
    dry_settings settings = direct_settings();
    settings.gravity = v3(0, 0, 0);
    rig_make(r, settings);
}

static inline dry_body_id rig_add(rig *r, const dry_body_def *def)
{
    assert_true(r->bodies < RIG_MAX);
    return r->body[r->bodies++] = add_def(r->world, def);
}

static inline dry_body_id rig_box(rig *r, d3 at, dry_quat q, d3 half, double mass)
{
    dry_shape_def shape = box_shape(half.x, half.y, half.z);
    if (!r->touching)
        shape.filter.mask = 0;
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, (dry_pose){{at.x, at.y, at.z}, q}, &shape);
    def.mass = (float)mass;
    return rig_add(r, &def);
}

/* A bar in the plane z = 0, its x axis from one point to the other. */
static inline dry_body_id rig_bar(rig *r, d3 from, d3 to, double mass)
{
    const d3 along = d3_sub(to, from);
    return rig_box(r, d3_scale(d3_add(from, to), 0.5), quat_about((d3){0, 0, 1}, atan2(along.y, along.x)),
                   (d3){0.5 * d3_length(along), 0.05, 0.05}, mass);
}

/* a^-1 b, rounded once. */
static inline dry_quat quat_between(dry_quat a, dry_quat b)
{
    const d3 u = {-a.x, -a.y, -a.z}, v = {b.x, b.y, b.z};
    const double w = (double)a.w * b.w - d3_dot(u, v);
    const d3 x = d3_add(d3_add(d3_scale(v, a.w), d3_scale(u, b.w)), d3_cross(u, v));
    return (dry_quat){(float)x.x, (float)x.y, (float)x.z, (float)w};
}

/* A joint whose frames are this one in the world, at this point. A null body a is the world. */
static inline dry_joint_def joint_at(const rig *r, dry_joint_type type, dry_body_id a, dry_body_id b, d3 at,
                                     dry_quat frame)
{
    dry_joint_def def = dry_default_joint_def(type);
    def.body_a = a;
    def.body_b = b;
    const bool framed = type != DRY_JOINT_BALL && type != DRY_JOINT_DISTANCE && type != DRY_JOINT_TARGET;
    for (int side = 0; side < 2; ++side) {
        const dry_body_id id = side ? b : a;
        dry_vec3 *anchor = side ? &def.anchor_b : &def.anchor_a;
        dry_quat *orientation = side ? &def.orientation_b : &def.orientation_a, turned = frame;
        if (id.bits) {
            const dry_pose pose = pose_of(r->world, id);
            *anchor = v3_of(d3_turn_back(pose.orientation, d3_sub(at, d3_at(pose.position))));
            turned = quat_between(pose.orientation, frame);
        } else {
            def.target = (dry_position){at.x, at.y, at.z};
        }
        if (framed)
            *orientation = turned;
    }
    return def;
}

static inline dry_joint_id rig_join(rig *r, dry_joint_def def)
{
    assert_true(r->joints < RIG_MAX);
    assert_ok(dry_world_create_joint(r->world, &def, &r->joint[r->joints]));
    return r->joint[r->joints++];
}

static inline dry_joint_id rig_ball(rig *r, dry_body_id a, dry_body_id b, d3 at)
{
    return rig_join(r, joint_at(r, DRY_JOINT_BALL, a, b, at, QUAT_IDENTITY));
}

/* A hinge about z of the world. */
static inline dry_joint_id rig_pin(rig *r, dry_body_id a, dry_body_id b, d3 at)
{
    return rig_join(r, joint_at(r, DRY_JOINT_HINGE, a, b, at, frame_z()));
}

/* The largest error of all joints, m or rad. Written so that a value that is not a number counts. */
static inline double worst_error(const rig *r)
{
    double worst = 0;
    for (int i = 0; i < r->joints; ++i) {
        float gap, angle;
        if (!dry_joint_is_valid(r->world, r->joint[i]))
            continue;
        assert_ok(dry_joint_get_error(r->world, r->joint[i], &gap, &angle));
        const double larger = (double)(gap > angle ? gap : angle);
        if (!(larger <= worst))
            worst = larger;
    }
    return worst;
}

static inline double energy_of(const rig *r)
{
    return dry_world_energy(r->world).total_J;
}

static inline void rig_free(rig *r)
{
    dry_world_destroy(r->world);
    r->world = NULL;
}

static inline void rig_touching(rig *r, const dry_world_def *def)
{
    memset(r, 0, sizeof *r);
    r->world = world_from(def);
    r->touching = true;
    add_floor(r->world, 0.6, 0);
}

static inline dry_world_def sleepy_def(void)
{
    dry_world_def def = test_world_def();
    def.settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
    return def;
}

/* Five bodies of a tree in space, thrown at random. */
static inline void make_floating(rig *r, uint64_t seed, bool unequal, double speed)
{
    rig_weightless(r);
    for (int i = 0; i < 5; ++i) {
        const d3 half = unequal ? (d3){random_in(&seed, 0.02, 0.5), random_in(&seed, 0.02, 0.5), 0.1}
                                : (d3){0.3, 0.3, 0.3};
        const dry_quat orientation = random_quat(&seed);
        const double density = unequal ? pow(10, random_in(&seed, -1, 1)) : 1;
        rig_box(r, (d3){i < 4 ? i : 1, i < 4 ? 0 : 1, 0}, orientation, half, density);
        const d3 at = {i < 4 ? i - 0.5 : 1, i < 4 ? 0 : 0.5, 0};
        if (i)
            rig_join(r, joint_at(r, i % 2 ? DRY_JOINT_HINGE : DRY_JOINT_BALL, r->body[i < 4 ? i - 1 : 1],
                                 r->body[i], at, random_quat(&seed)));
    }
    for (int i = 0; i < 5; ++i) {
        const d3 velocity = random_d3(&seed, speed), spin = random_d3(&seed, speed);
        set_velocity(r->world, r->body[i], velocity, spin);
    }
}

/* A trunk with four legs of two parts each, on hinges, half a meter above the floor. */
static inline void add_walker(rig *r, double x, double z)
{
    const dry_body_id trunk = rig_box(r, (d3){x, 1.5, z}, QUAT_IDENTITY, (d3){0.6, 0.1, 0.3}, 10);
    for (int leg = 0; leg < 4; ++leg) {
        const d3 hip = {x + (leg % 2 ? 0.5 : -0.5), 1.4, z + (leg / 2 ? 0.45 : -0.45)};
        const d3 knee = {hip.x + 0.15, 1.0, hip.z}, foot = {hip.x, 0.6, hip.z};
        const dry_body_id upper = rig_bar(r, hip, knee, 1), lower = rig_bar(r, knee, foot, 1);
        for (int part = 0; part < 2; ++part) {
            dry_pose pose = pose_of(r->world, part ? lower : upper);
            pose.position.z = hip.z;
            assert_ok(dry_body_set_pose(r->world, part ? lower : upper, pose));
        }
        rig_pin(r, trunk, upper, hip);
        rig_pin(r, upper, lower, knee);
    }
}

/* The least and the largest energy, and the worst joint error, of some steps. */
typedef struct watch {
    double least, largest, error;
} watch;

static inline watch watch_steps(rig *r, int steps, float dt)
{
    watch w = {INFINITY, -INFINITY, 0};
    for (int i = 0; i < steps; ++i) {
        run_steps(r->world, 1, dt);
        const double energy = energy_of(r);
        assert_true(isfinite(energy));
        w.least = fmin(w.least, energy);
        w.largest = fmax(w.largest, energy);
        w.error = fmax(w.error, worst_error(r));
    }
    return w;
}

static inline bool all_finite(const rig *r)
{
    for (int i = 0; i < r->bodies; ++i)
        if (dry_body_is_valid(r->world, r->body[i]) && !body_is_finite(r->world, r->body[i]))
            return false;
    return true;
}

#endif
