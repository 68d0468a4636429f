/* Tests volume joints: one row over four bodies, against closed forms. */
#include "tests/counting_allocator.h"
#include "tests/test_joint.h"

/* Four corners of a cube of edge 2 hold a regular tetrahedron of volume 8/3, whose gradients have 2/3 sqrt 3.
 */
static const d3 regular[4] = {{1, 1, 1}, {1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}};
#define REGULAR_VOLUME (8.0 / 3.0)

typedef struct tetrahedron {
    dry_body_id id[4];
    dry_joint_id joint;
} tetrahedron;

static dry_volume_def volume_def(const dry_body_id id[4], double volume)
{
    dry_volume_def def = {.joint = dry_default_joint_def(DRY_JOINT_VOLUME), .body_c = id[2], .body_d = id[3]};
    def.joint.body_a = id[0];
    def.joint.body_b = id[1];
    def.joint.volume = (float)volume;
    return def;
}

/* Four balls of 1 kg with their centers at points. */
static void add_balls(dry_world *world, const d3 at[4], double height, dry_body_id id[4])
{
    dry_shape_def ball = sphere_shape(0.1);
    ball.density = (float)(1.0 / (4.0 / 3.0 * TEST_PI * 1e-3));
    for (int i = 0; i < 4; i++)
        id[i] = add_dynamic(world, pose_at(at[i].x, at[i].y + height, at[i].z), ball);
}

static double volume_of(const d3 p[4])
{
    return d3_dot(d3_sub(p[1], p[0]), d3_cross(d3_sub(p[2], p[0]), d3_sub(p[3], p[0]))) / 6;
}

static double volume_now(const dry_world *world, const dry_body_id id[4])
{
    d3 p[4];
    for (int i = 0; i < 4; i++)
        p[i] = position_of(world, id[i]);
    return volume_of(p);
}

static dry_joint_id add_volume(dry_world *world, const dry_volume_def *def)
{
    dry_joint_id id = {0};
    assert_ok(dry_world_create_volumes(world, 1, def, &id));
    return id;
}

static tetrahedron add_regular(dry_world *world, double height, double volume, double stiffness)
{
    tetrahedron t;
    add_balls(world, regular, height, t.id);
    dry_volume_def def = volume_def(t.id, volume);
    def.joint.stiffness = (float)stiffness;
    t.joint = add_volume(world, &def);
    return t;
}

/* Bodies that fly apart along the gradient, each at speed v: the row's velocity is 4 n v, and its mass takes
 * it away to rounding, in one sweep. What is left closes in 52 ms, until that is slower than a velocity of 3
 * m/s is rounded. */
static void test_row_stops_its_velocity(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    tetrahedron t = add_regular(world, 0, REGULAR_VOLUME, 0);
    for (int i = 0; i < 4; i++)
        set_velocity(world, t.id[i], d3_add(d3_scale(regular[i], 0.1), (d3){3, 0, 0}), (d3){0, 0, 0});
    run_steps(world, 1, TEST_DT);
    for (int i = 0; i < 4; i++) {
        const d3 v = velocity_of(world, t.id[i]);
        assert_near(v.x, 3, 1e-5);
        assert_near(d3_length(d3_sub(v, (d3){3, 0, 0})), 0, 1e-5);
    }
    run_steps(world, 120, TEST_DT);
    assert_near(volume_now(world, t.id), REGULAR_VOLUME, 1.3e-5);
    dry_world_destroy(world);
}

/* A spring of the volume under known forces: balls at distance s sqrt 3 span s^3 of the volume, and each is
 * pushed out by k (V0 - V) n, with n = 2/sqrt 3 s^2. Forces of that size towards the middle keep them there,
 * for as long as rounding has not tipped the balance of their directions. */
static void test_spring_balances_forces(void **state)
{
    (void)state;
    const double k = 1000, s = 0.9, volume = REGULAR_VOLUME * s * s * s;
    const double pressure = k * (REGULAR_VOLUME - volume), force = pressure * 2 / sqrt(3) * s * s;
    dry_world *world = world_with(test_settings_weightless());
    tetrahedron t;
    add_balls(world, regular, 0, t.id);
    dry_volume_def def = volume_def(t.id, REGULAR_VOLUME);
    def.joint.stiffness = (float)k;
    def.joint.damping = 20;
    t.joint = add_volume(world, &def);
    for (int step = 0; step < 150; step++) {
        for (int i = 0; i < 4; i++) {
            const d3 inward = d3_scale(d3_unit(position_of(world, t.id[i])), -force);
            assert_ok(dry_body_apply_force(world, t.id[i], v3_of(inward)));
        }
        run_steps(world, 1, TEST_DT);
    }
    float measured, pressed;
    dry_vec3 on_b, torque;
    assert_ok(dry_joint_get_volume(world, t.joint, &measured, &pressed));
    assert_near((double)measured, volume, 1e-5 * volume);
    assert_near((double)pressed, pressure, 1e-4 * pressure);
    assert_ok(dry_joint_get_reaction(world, t.joint, &on_b, &torque));
    assert_near(d3_length(d3_sub(d3_of(on_b), d3_scale(d3_unit(regular[1]), force))), 0, 1e-4 * force);
    assert_near(d3_length(d3_of(torque)), 0, 0);
    assert_near(dry_world_energy(world).elastic_J, 0.5 * pressure * pressure / k, 1e-3);
    dry_world_destroy(world);
}

/* Free balls breathe: m r'' = -k 4 n^2 r, so that w^2 = 16/3 k. */
static void test_spring_keeps_its_frequency(void **state)
{
    (void)state;
    const double w = 2 * TEST_PI, k = 3.0 / 16 * w * w, depth = 1e-3;
    dry_world *world = world_with(test_settings_weightless());
    d3 at[4];
    dry_body_id id[4];
    for (int i = 0; i < 4; i++)
        at[i] = d3_scale(regular[i], 1 - depth / sqrt(3));
    add_balls(world, at, 0, id);
    dry_volume_def def = volume_def(id, REGULAR_VOLUME);
    def.joint.stiffness = (float)k;
    (void)add_volume(world, &def);
    double worst = 0;
    for (int step = 1; step <= 600; step++) {
        run_steps(world, 1, TEST_DT);
        const double moved = d3_length(position_of(world, id[0])) - sqrt(3);
        worst = fmax(worst, fabs(moved + depth * cos(w * step / 60.0)));
    }
    assert_at_most(worst, 0.1 * depth);
    dry_world_destroy(world);
}

/* Boxes that spin and fly, with anchors off their centers: forces and moments of the row add up to nothing.
 */
static void test_momenta_are_kept(void **state)
{
    (void)state;
    static const double stiffnesses[] = {0, 50};
    for (int variant = 0; variant < 2; variant++) {
        uint64_t seed = 17;
        dry_world *world = world_with(test_settings_weightless());
        tetrahedron t;
        dry_volume_def def = {0};
        for (int i = 0; i < 4; i++) {
            const dry_pose pose = {{regular[i].x, regular[i].y, regular[i].z}, random_quat(&seed)};
            dry_shape_def box = box_shape(0.1, 0.2, 0.3);
            box.density = (float)(20 << i);
            t.id[i] = add_dynamic(world, pose, box);
            const d3 velocity = random_d3(&seed, 1), spin = random_d3(&seed, 1);
            set_velocity(world, t.id[i], velocity, spin);
        }
        def = volume_def(t.id, 0.9 * REGULAR_VOLUME);
        def.joint.stiffness = (float)stiffnesses[variant];
        def.joint.anchor_a = v3(0.1, 0.2, 0.3);
        def.joint.anchor_b = v3(-0.1, 0.2, -0.3);
        def.anchor_c = v3(0.1, -0.2, 0.3);
        def.anchor_d = v3(-0.1, -0.2, 0.3);
        t.joint = add_volume(world, &def);
        const d3 linear = total_momentum(world, t.id, 4), angular = total_angular_momentum(world, t.id, 4);
        run_steps(world, 240, TEST_DT);
        const d3 gained = d3_sub(total_momentum(world, t.id, 4), linear);
        const d3 turned = d3_sub(total_angular_momentum(world, t.id, 4), angular);
        assert_near(d3_length(gained), 0, 1e-5 * d3_length(linear));
        assert_near(d3_length(turned), 0, 1e-5 * d3_length(angular));
        float volume, pressure;
        assert_ok(dry_joint_get_volume(world, t.joint, &volume, &pressure));
        if (stiffnesses[variant] == 0)
            assert_near((double)volume, 0.9 * REGULAR_VOLUME, 1e-3);
        dry_world_destroy(world);
    }
}

/* The methods that take volume joints. */
static const dry_solver methods[] = {DRY_SOLVER_GAUSS_SEIDEL, DRY_SOLVER_JACOBI, DRY_SOLVER_PBD,
                                     DRY_SOLVER_XPBD};

/* Two static corners, one that a kinematic body carries away, and one that is free: it follows the volume. */
static void test_other_bodies_hold_their_corners(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT_OF(methods); m++) {
        dry_settings settings = test_settings_weightless();
        settings.method.solver = methods[m];
        dry_world *world = world_with(settings);
        dry_body_id id[4];
        id[0] = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(0.1));
        id[1] = add_body(world, DRY_BODY_STATIC, pose_at(1, 0, 0), sphere_shape(0.1));
        id[2] = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, 1, 0), sphere_shape(0.1));
        id[3] = add_dynamic(world, pose_at(0, 0, 1), sphere_shape(0.1));
        const dry_volume_def def = volume_def(id, 1.0 / 6);
        (void)add_volume(world, &def);
        set_velocity(world, id[2], (d3){0, 0.5, 0}, (d3){0, 0, 0});
        run_steps(world, 120, TEST_DT);
        assert_near(position_of(world, id[2]).y, 2, 1e-4);
        assert_near(volume_now(world, id), 1.0 / 6, 2e-3);
        dry_world_destroy(world);
    }
}

/* A ball of springs about a volume that falls: the springs give way, the volume does not, but for what a blow
 * presses in before substeps follow it. It lands on an edge, off which rounding tips it after 7 to 10 s;
 * after 13 s it lies on a face. */
static void test_soft_tetrahedron_falls(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT_OF(methods); m++) {
        dry_settings settings = test_settings();
        settings.method.solver = methods[m];
        dry_world *world = world_with(settings);
        (void)add_floor(world, 0.5, 0);
        tetrahedron t = add_regular(world, 3, REGULAR_VOLUME, 0);
        for (int a = 0; a < 4 && methods[m] != DRY_SOLVER_PBD; a++)
            for (int b = a + 1; b < 4; b++) {
                dry_joint_def spring = dry_default_joint_def(DRY_JOINT_DISTANCE);
                spring.body_a = t.id[a];
                spring.body_b = t.id[b];
                spring.length = (float)(2 * sqrt(2));
                spring.stiffness = 200;
                spring.damping = 2;
                spring.collide = true;
                (void)join(world, &spring);
            }
        const bool by_position = methods[m] == DRY_SOLVER_PBD || methods[m] == DRY_SOLVER_XPBD;
        const int steps = by_position ? 600 : 960;
        double worst = 0, late = 0;
        for (int step = 0; step < steps; step++) {
            run_steps(world, 1, TEST_DT);
            const double off = fabs(volume_now(world, t.id) / REGULAR_VOLUME - 1);
            worst = fmax(worst, off);
            late = step >= steps - 60 ? fmax(late, off) : late;
        }
        assert_at_most(worst, by_position ? 5e-5 : 1e-2);
        assert_at_most(late, by_position ? 5e-5 : 5e-4);
        dry_world_destroy(world);
    }
}

/* Points that span nothing: in one place, in one line, in one plane, turned inside out. */
static void test_degenerate_points_stay_finite(void **state)
{
    (void)state;
    static const d3 shapes[][4] = {
        {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
        {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}},
        {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}},
        {{0, 0, 0}, {1e-6, 0, 0}, {0, 1e-6, 0}, {0, 0, 1e-6}},
        {{0, 0, 0}, {1e-20, 0, 0}, {0, 1, 0}, {0, 0, 1e-12}},
        {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}},
    };
    static const double volumes[] = {0, 1, -1e6, 1e18}, stiffnesses[] = {0, 1e-30, 1e3, 1e15};
    for (int m = 0; m < COUNT_OF(methods); m++)
        for (int s = 0; s < COUNT_OF(shapes); s++)
            for (int v = 0; v < COUNT_OF(volumes); v++)
                for (int k = 0; k < COUNT_OF(stiffnesses); k++) {
                    dry_settings settings = test_settings();
                    settings.method.solver = methods[m];
                    dry_world *world = world_with(settings);
                    dry_shape_def ball = sphere_shape(0.01);
                    ball.filter.group = -1;
                    dry_body_id id[4];
                    for (int i = 0; i < 4; i++)
                        id[i] =
                            add_dynamic(world, pose_at(shapes[s][i].x, shapes[s][i].y, shapes[s][i].z), ball);
                    dry_volume_def def = volume_def(id, volumes[v]);
                    def.joint.stiffness = (float)stiffnesses[k];
                    dry_joint_id joint;
                    const bool refused = methods[m] == DRY_SOLVER_PBD && stiffnesses[k] > 0;
                    assert_int_equal(dry_world_create_volumes(world, 1, &def, &joint),
                                     refused ? DRY_ERROR_ARGUMENT : DRY_OK);
                    double fastest = 0;
                    for (int step = 0; step < 30 && !refused; step++) {
                        run_steps(world, 1, TEST_DT);
                        for (int i = 0; i < 4; i++) {
                            assert_true(body_is_finite(world, id[i]));
                            fastest = fmax(fastest, d3_length(velocity_of(world, id[i])));
                        }
                        float error_m, error_rad, volume, pressure;
                        assert_ok(dry_joint_get_error(world, joint, &error_m, &error_rad));
                        assert_ok(dry_joint_get_volume(world, joint, &volume, &pressure));
                        if (!(isfinite(error_m) && isfinite(volume) && isfinite(pressure)))
                            fail_msg("solver %d shape %d volume %g k %g: error %g, volume %g, pressure %g",
                                     methods[m], s, volumes[v], stiffnesses[k], (double)error_m,
                                     (double)volume, (double)pressure);
                    }
                    /* Rows that sweeps over velocities keep rigid part overlaps no faster than contacts do.
                     */
                    if (stiffnesses[k] == 0 &&
                        (methods[m] == DRY_SOLVER_GAUSS_SEIDEL || methods[m] == DRY_SOLVER_JACOBI))
                        assert_at_most(fastest, 10);
                    dry_world_destroy(world);
                }
}

/* A tetrahedron sleeps as one, wakes as one, and any of its bodies takes the joint with it. */
static void test_bodies_share_the_joint(void **state)
{
    (void)state;
    for (int last = 0; last < 4; last++) {
        dry_settings settings = test_settings();
        settings.sleep = true;
        settings.gravity = v3(0, 0, 0);
        dry_world *world = world_with(settings);
        tetrahedron t = add_regular(world, 0, REGULAR_VOLUME, 0);
        run_steps(world, 60, TEST_DT);
        for (int i = 0; i < 4; i++)
            assert_false(dry_body_is_awake(world, t.id[i]));
        assert_ok(dry_body_set_awake(world, t.id[last], true));
        for (int i = 0; i < 4; i++)
            assert_true(dry_body_is_awake(world, t.id[i]));
        assert_ok(dry_body_set_awake(world, t.id[last], false));
        for (int i = 0; i < 4; i++)
            assert_false(dry_body_is_awake(world, t.id[i]));
        dry_joint_id listed[2];
        int count;
        for (int i = 0; i < 4; i++) {
            assert_ok(dry_body_get_joints(world, t.id[i], listed, 2, &count));
            assert_true(count == 1 && listed[0].bits == t.joint.bits);
        }
        assert_ok(dry_body_set_enabled(world, t.id[last], false));
        run_steps(world, 2, TEST_DT);
        assert_ok(dry_body_set_enabled(world, t.id[last], true));
        run_steps(world, 2, TEST_DT);
        assert_ok(dry_body_destroy(world, t.id[last]));
        assert_false(dry_joint_is_valid(world, t.joint));
        for (int i = 0; i < 4; i++)
            if (i != last) {
                assert_ok(dry_body_get_joints(world, t.id[i], listed, 2, &count));
                assert_int_equal(count, 0);
            }
        run_steps(world, 2, TEST_DT);
        dry_world_destroy(world);
    }
}

/* The definition reads back, changes but for its bodies, and the joint breaks by the force on body b. */
static void test_joint_calls_take_it(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    dry_body_id id[4];
    add_balls(world, regular, 0, id);
    dry_volume_def def = volume_def(id, REGULAR_VOLUME), read;
    def.anchor_c = v3(0.1, 0, 0);
    def.anchor_d = v3(0, 0.2, 0);
    const dry_joint_id joint = add_volume(world, &def);
    assert_ok(dry_joint_get_volume_def(world, joint, &read));
    assert_true(read.body_c.bits == id[2].bits && read.body_d.bits == id[3].bits);
    assert_memory_equal(&read.anchor_c, &def.anchor_c, sizeof def.anchor_c);
    assert_memory_equal(&read.anchor_d, &def.anchor_d, sizeof def.anchor_d);
    assert_true(read.joint.type == DRY_JOINT_VOLUME && read.joint.volume == def.joint.volume);
    read.joint.stiffness = 1000;
    read.joint.volume *= 1.25f;
    read.joint.break_force = 100;
    assert_ok(dry_joint_set_def(world, joint, &read.joint));
    read.joint.body_b = id[2];
    assert_int_equal(dry_joint_set_def(world, joint, &read.joint), DRY_ERROR_ARGUMENT);
    run_steps(world, 1, TEST_DT);
    bool enabled;
    assert_ok(dry_joint_get_enabled(world, joint, &enabled));
    assert_false(enabled);
    read.joint.body_b = id[1];
    read.joint.break_force = 0;
    assert_ok(dry_joint_set_def(world, joint, &read.joint));
    assert_ok(dry_joint_set_enabled(world, joint, true));
    /* From rest the volume passes its target in 20 ms; until then the pressure falls from k (V_0 - V) to 0.
     */
    for (int i = 0; i < 4; i++) {
        assert_ok(dry_body_set_pose(world, id[i], pose_at(regular[i].x, regular[i].y, regular[i].z)));
        set_velocity(world, id[i], (d3){0, 0, 0}, (d3){0, 0, 0});
    }
    run_steps(world, 1, TEST_DT);
    float volume, pressure;
    assert_ok(dry_joint_get_volume(world, joint, &volume, &pressure));
    assert_true(pressure > 0 && pressure < 1000 * 0.25 * REGULAR_VOLUME);
    assert_ok(dry_joint_destroy(world, joint));
    dry_world_destroy(world);
}

static void test_bad_definitions_are_refused(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id id[4];
    add_balls(world, regular, 0, id);
    const dry_volume_def good = volume_def(id, 1);
    dry_volume_def bad[12];
    for (int i = 0; i < COUNT_OF(bad); i++)
        bad[i] = good;
    bad[0].joint = dry_default_joint_def(DRY_JOINT_BALL);
    bad[0].joint.body_a = id[0], bad[0].joint.body_b = id[1];
    bad[1].body_c = id[1];
    bad[2].body_d = id[0];
    bad[3].anchor_c.x = NAN;
    bad[4].anchor_d.y = 2e6f;
    bad[5].joint.volume = INFINITY;
    bad[6].joint.volume = NAN;
    bad[7].joint.collide = false;
    bad[8].joint.solver = DRY_JOINT_SOLVER_DIRECT;
    bad[9].joint.solver = DRY_JOINT_SOLVER_AUTO;
    bad[10].joint.damping = 1;
    bad[11].joint.orientation_a = quat_about((d3){1, 0, 0}, 1);
    const uint64_t before = dry_world_hash(world);
    for (int i = 0; i < COUNT_OF(bad); i++) {
        dry_joint_id joint;
        if (dry_world_create_volumes(world, 1, &bad[i], &joint) != DRY_ERROR_ARGUMENT)
            fail_msg("definition %d is taken", i);
        const dry_volume_def two[2] = {good, bad[i]};
        dry_joint_id ids[2];
        assert_int_equal(dry_world_create_volumes(world, 2, two, ids), DRY_ERROR_ARGUMENT);
    }
    dry_volume_def stale = good;
    dry_joint_id joint;
    stale.body_d = (dry_body_id){0};
    assert_int_equal(dry_world_create_volumes(world, 1, &stale, &joint), DRY_ERROR_STALE_ID);
    assert_int_equal(dry_world_create_volumes(world, 1, NULL, &joint), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_create_volumes(world, -1, &good, &joint), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_create_volumes(NULL, 1, &good, &joint), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_create_joint(world, &good.joint, &joint), DRY_ERROR_ARGUMENT);
    assert_ok(dry_world_create_volumes(world, 0, NULL, NULL));
    assert_true(before == dry_world_hash(world));
    dry_world_destroy(world);
}

static void test_other_joints_and_methods_refuse_volumes(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id id[4];
    add_balls(world, regular, 0, id);
    const dry_volume_def good = volume_def(id, 1);
    dry_joint_id joint;
    dry_joint_def ball = dry_default_joint_def(DRY_JOINT_BALL);
    ball.body_a = id[0], ball.body_b = id[1];
    joint = join(world, &ball);
    dry_volume_def read;
    float volume, pressure;
    assert_int_equal(dry_joint_get_volume_def(world, joint, &read), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_get_volume(world, joint, &volume, &pressure), DRY_ERROR_ARGUMENT);
    ball.volume = 1;
    assert_int_equal(dry_joint_set_def(world, joint, &ball), DRY_ERROR_ARGUMENT);
    /* The method that has rows over two bodies alone refuses the joint, and the world that has it the method.
     */
    joint = add_volume(world, &good);
    assert_int_equal(dry_joint_get_volume(world, joint, &volume, NULL), DRY_ERROR_ARGUMENT);
    dry_settings settings = dry_world_get_settings(world);
    settings.method.solver = DRY_SOLVER_AVBD;
    assert_int_equal(dry_world_set_settings(world, &settings), DRY_ERROR_ARGUMENT);
    assert_ok(dry_joint_destroy(world, joint));
    assert_int_equal(dry_joint_get_volume_def(world, joint, &read), DRY_ERROR_STALE_ID);
    assert_ok(dry_world_set_settings(world, &settings));
    assert_int_equal(dry_world_create_volumes(world, 1, &good, &joint), DRY_ERROR_ARGUMENT);
    dry_world_destroy(world);
}

/* A lattice of cubes of five tetrahedra each, with or without colors enough: threads give the same bits. */
static dry_world *make_lattice(int threads, int colors, dry_solver solver, int *count, dry_body_id *id)
{
    enum { N = 4 };
    static const int corners[5][4][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                         {{1, 1, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}},
                                         {{1, 0, 1}, {1, 0, 0}, {0, 0, 1}, {1, 1, 1}},
                                         {{0, 1, 1}, {0, 0, 1}, {0, 1, 0}, {1, 1, 1}},
                                         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}};
    dry_world_def def = test_world_def();
    def.threads = threads;
    def.settings.method.colors_max = colors;
    def.settings.method.solver = solver;
    dry_world *world = world_from(&def);
    (void)add_floor(world, 0.5, 0);
    *count = 0;
    for (int i = 0; i < N * N * N; i++)
        id[(*count)++] = add_dynamic(world, pose_at(i % N, 1 + i / N % N, i / N / N), sphere_shape(0.2));
    for (int cube = 0; cube < (N - 1) * (N - 1) * (N - 1); cube++)
        for (int k = 0; k < 5; k++) {
            dry_body_id four[4];
            d3 p[4];
            for (int i = 0; i < 4; i++) {
                const int x = cube % (N - 1) + corners[k][i][0],
                          y = cube / (N - 1) % (N - 1) + corners[k][i][1],
                          z = cube / (N - 1) / (N - 1) + corners[k][i][2];
                four[i] = id[x + N * (y + N * z)];
                p[i] = (d3){x, y, z};
            }
            const dry_volume_def volume = volume_def(four, volume_of(p));
            (void)add_volume(world, &volume);
        }
    return world;
}

static void test_threads_give_the_same_bits(void **state)
{
    (void)state;
    static const int colors[] = {0, 3};
    for (int c = 0; c < 2; c++)
        for (int m = 0; m < COUNT_OF(methods); m++) {
            uint64_t hash = 0;
            for (int threads = 1; threads <= 8; threads += 7) {
                dry_body_id id[64];
                int count;
                dry_world *world = make_lattice(threads, colors[c], methods[m], &count, id);
                run_steps(world, 60, TEST_DT);
                for (int i = 0; i < count; i++)
                    assert_at_most(d3_length(velocity_of(world, id[i])), 60);
                assert_true((dry_world_statistics(world).overflow > 50) == (colors[c] > 0));
                assert_true(threads == 1 || hash == dry_world_hash(world));
                hash = dry_world_hash(world);
                dry_world_destroy(world);
            }
        }
}

/* Beside rigid edges, in sweeps or solved directly, in any order: the volume and the edges stay. */
static void test_it_stands_beside_other_joints(void **state)
{
    (void)state;
    for (int order = 0; order < DRY_ORDER_COUNT; order++)
        for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver < DRY_JOINT_SOLVER_COUNT; solver++) {
            dry_settings settings = test_settings();
            settings.method.order = (dry_order)order;
            settings.joint_solver = (dry_joint_solver)solver;
            dry_world *world = world_with(settings);
            (void)add_floor(world, 0.5, 0);
            tetrahedron t = add_regular(world, 2, REGULAR_VOLUME, 0);
            dry_joint_id edge[2];
            for (int i = 0; i < 2; i++) {
                dry_joint_def rod = dry_default_joint_def(DRY_JOINT_DISTANCE);
                rod.body_a = t.id[2 * i];
                rod.body_b = t.id[2 * i + 1];
                rod.length = (float)(2 * sqrt(2));
                edge[i] = join(world, &rod);
            }
            run_steps(world, 180, TEST_DT);
            assert_near(volume_now(world, t.id), REGULAR_VOLUME, 0.01 * REGULAR_VOLUME);
            for (int i = 0; i < 2; i++) {
                float error_m, error_rad;
                assert_ok(dry_joint_get_error(world, edge[i], &error_m, &error_rad));
                assert_at_most((double)error_m, 0.01);
            }
            dry_world_destroy(world);
        }
}

/* Whichever allocation fails, nothing was created and the world goes on. */
static void test_memory_that_fails(void **state)
{
    (void)state;
    int failures = 0;
    for (int at = 0; at < 12; at++) {
        counting_allocator counter = {.fail_at = -1};
        dry_world_def def = test_world_def();
        def.allocator = counting_hooks(&counter);
        dry_world *world = world_from(&def);
        dry_body_id id[4];
        add_balls(world, regular, 5, id);
        const dry_volume_def volume = volume_def(id, REGULAR_VOLUME);
        dry_joint_id joint;
        const uint64_t before = dry_world_hash(world);
        counter.fail_at = (int64_t)counter.calls + at;
        dry_result result = dry_world_create_volumes(world, 1, &volume, &joint);
        if (result != DRY_OK) {
            assert_int_equal(result, DRY_ERROR_MEMORY);
            assert_true(before == dry_world_hash(world));
            failures++;
        }
        counter.fail_at = -1;
        if (result != DRY_OK)
            joint = add_volume(world, &volume);
        counter.fail_at = (int64_t)counter.calls + at;
        result = dry_world_step(world, TEST_DT);
        failures += result != DRY_OK;
        counter.fail_at = -1;
        run_steps(world, 10, TEST_DT);
        const uint64_t calls = counter.calls;
        run_steps(world, 10, TEST_DT);
        assert_int_equal(counter.calls, calls);
        dry_world_destroy(world);
        assert_int_equal(counter.bytes, 0);
    }
    assert_true(failures > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_stops_its_velocity),
        cmocka_unit_test(test_spring_balances_forces),
        cmocka_unit_test(test_spring_keeps_its_frequency),
        cmocka_unit_test(test_momenta_are_kept),
        cmocka_unit_test(test_other_bodies_hold_their_corners),
        cmocka_unit_test(test_soft_tetrahedron_falls),
        cmocka_unit_test(test_degenerate_points_stay_finite),
        cmocka_unit_test(test_bodies_share_the_joint),
        cmocka_unit_test(test_joint_calls_take_it),
        cmocka_unit_test(test_bad_definitions_are_refused),
        cmocka_unit_test(test_other_joints_and_methods_refuse_volumes),
        cmocka_unit_test(test_threads_give_the_same_bits),
        cmocka_unit_test(test_it_stands_beside_other_joints),
        cmocka_unit_test(test_memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
