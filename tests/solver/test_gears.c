/* Gears, and racks with pinions: speeds by their numbers of teeth, forces by their radii, and what is kept,
 * against closed forms, with every solver that takes them. */
#include "tests/test_joint.h"

#include "core/math.h"

static const dry_quat x_to_z = {0.0f, -0.70710678f, 0.0f, 0.70710678f};
/* x along z, y along x. */
static const dry_quat across_z = {-0.5f, -0.5f, -0.5f, 0.5f};

static dry_world *world_of(int way)
{
    return world_with(joint_settings(way, test_settings_weightless()));
}

/* Adds a wheel about z, a sphere of this radius and mass, that may touch nothing. */
static dry_body_id add_wheel(dry_world *world, double x, double radius, double mass)
{
    dry_shape_def shape = sphere_shape(radius);
    shape.filter.mask = 0;
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(x, 0, 0), &shape);
    def.mass = (float)mass;
    return add_def(world, &def);
}

static double inertia_of(double radius, double mass)
{
    return 0.4 * mass * radius * radius;
}

/* Holds a wheel at its center on body a, which may be the world, by a hinge about z. */
static dry_joint_id add_bearing(dry_world *world, dry_body_id a, dry_body_id wheel, double x, double at_a)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
    def.body_a = a;
    def.body_b = wheel;
    def.orientation_a = def.orientation_b = x_to_z;
    if (a.bits == 0)
        def.target.x = x;
    else
        def.anchor_a = v3(at_a, 0, 0);
    return join(world, &def);
}

/* Returns a gear between wheels whose centers are along x: y of a toward b, y of b toward a, x along z. */
static dry_joint_def gear_def(dry_body_id a, dry_body_id b, int teeth_a, int teeth_b)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_GEAR);
    def.body_a = a;
    def.body_b = b;
    def.teeth_a = (float)teeth_a;
    def.teeth_b = (float)teeth_b;
    def.orientation_a = across_z;
    def.orientation_b = quat_mul(quat_about((d3){0, 0, 1}, TEST_PI), across_z);
    return def;
}

static double turns_of(const dry_world *world, dry_body_id body)
{
    return spin_of(world, body).z;
}

/* A torque T on wheel a of a pair on bearings speeds it up by T / (I_a + I_b (z_a / z_b)^2), and b by - z_a /
 * z_b of that; a ring turns the same way. The teeth stay where they mesh, and bear I_b w_b' / r_b. */
static void test_wheels_turn_by_their_teeth(void **state)
{
    (void)state;
    static const int teeth[][2] = {{1, 1}, {1, 2}, {3, 2}, {20, 31}, {1, -3}};
    for (int way = 0; way < JOINT_WAYS; way++)
        for (int i = 0; i < COUNT_OF(teeth); i++) {
            dry_world *world = world_of(way);
            const double ratio = (double)teeth[i][0] / teeth[i][1], r_a = 1 / (1 + 1 / ratio);
            const dry_body_id a = add_wheel(world, 0, 0.3, 2), b = add_wheel(world, 1, 0.5, 5), none = {0};
            add_bearing(world, none, a, 0, 0);
            add_bearing(world, none, b, 1, 0);
            const dry_joint_def def = gear_def(a, b, teeth[i][0], teeth[i][1]);
            const dry_joint_id gear = join(world, &def);
            const double i_a = inertia_of(0.3, 2), i_b = inertia_of(0.5, 5), torque = 0.4;
            const double rate = torque / (i_a + i_b * ratio * ratio);
            double seconds = 0;
            for (int step = 0; step < 120; ++step) {
                assert_ok(dry_body_apply_torque(world, a, v3(0, 0, torque)));
                run_steps(world, 1, TEST_DT);
                seconds += (double)TEST_DT;
                float gap, turned;
                assert_ok(dry_joint_get_error(world, gear, &gap, &turned));
                assert_at_most((double)gap, is_direct(way) ? 1e-6 : 2e-3);
            }
            assert_near(turns_of(world, a), rate * seconds, 0.01 * rate * seconds);
            assert_near(turns_of(world, b), -ratio * rate * seconds, 0.01 * fabs(ratio) * rate * seconds);
            dry_vec3 force, moment;
            assert_ok(dry_joint_get_reaction(world, gear, &force, &moment));
            const double tooth = i_b * fabs(ratio) * rate / fabs(r_a / ratio);
            if (way < VELOCITY_WAYS)
                assert_near(fabs((double)force.y), tooth, 0.02 * tooth);
            dry_world_destroy(world);
        }
}

/* The same about a housing that floats: angular momentum about z is kept, and so are energy and the ratio of
 * the speeds against the housing. */
static void test_gears_on_a_floating_housing_keep_momentum(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; way++) {
        dry_world *world = world_of(way);
        dry_shape_def shape = box_shape(1, 0.2, 0.2);
        shape.filter.mask = 0;
        dry_body_def housing_def = body_def(DRY_BODY_DYNAMIC, pose_at(0.5, 0, 0), &shape);
        housing_def.mass = 4;
        const dry_body_id housing = add_def(world, &housing_def);
        const dry_body_id a = add_wheel(world, 0, 0.3, 2), b = add_wheel(world, 1, 0.5, 5);
        add_bearing(world, housing, a, 0, -0.5);
        add_bearing(world, housing, b, 1, 0.5);
        const dry_joint_def def = gear_def(a, b, 2, 3);
        join(world, &def);
        dry_velocity v = {0};
        v.angular.z = 6;
        assert_ok(dry_body_set_velocity(world, a, v));
        v.angular.z = -4;
        assert_ok(dry_body_set_velocity(world, b, v));
        const double energy = dry_world_energy(world).kinetic_J;
        const double momentum = 6 * inertia_of(0.3, 2) - 4 * inertia_of(0.5, 5);
        run_steps(world, 120, TEST_DT);
        const dry_body_id bodies[] = {housing, a, b};
        double now = 0;
        for (int i = 0; i < COUNT_OF(bodies); i++) {
            const dry_mass mass = mass_of(world, bodies[i]);
            const d3 at = position_of(world, bodies[i]);
            const d3 u = velocity_of(world, bodies[i]);
            now += (double)mass.inertia[2][2] * turns_of(world, bodies[i]) +
                   (double)mass.mass * (at.x * u.y - at.y * u.x);
        }
        assert_near(now, momentum, 0.01 * 6 * inertia_of(0.3, 2));
        assert_near(dry_world_energy(world).kinetic_J, energy, 0.01 * energy);
        const double turn = turns_of(world, housing);
        assert_near(2 * (turns_of(world, a) - turn) + 3 * (turns_of(world, b) - turn), 0, 0.05);
        dry_world_destroy(world);
    }
}

/* A planet on an arm about a sun that stands still turns by 1 + z_sun / z_planet for each turn of the arm. */
static void test_planet_turns_with_its_arm(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; way++) {
        dry_world *world = world_of(way);
        const dry_body_id sun = add_wheel(world, 0, 0.3, 2), planet = add_wheel(world, 1, 0.3, 2);
        dry_joint_def fixed = dry_default_joint_def(DRY_JOINT_FIXED);
        fixed.body_b = sun;
        join(world, &fixed);
        dry_shape_def shape = box_shape(0.5, 0.1, 0.1);
        shape.filter.mask = 0;
        dry_body_def arm_def = body_def(DRY_BODY_DYNAMIC, pose_at(0.5, 0, 0), &shape);
        const dry_body_id arm = add_def(world, &arm_def);
        dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
        hinge.body_b = arm;
        hinge.anchor_b = v3(-0.5, 0, 0);
        hinge.orientation_a = hinge.orientation_b = x_to_z;
        hinge.axes[DRY_AXIS_RX].motor = DRY_MOTOR_VELOCITY;
        hinge.axes[DRY_AXIS_RX].velocity = 2;
        join(world, &hinge);
        add_bearing(world, arm, planet, 1, 0.5);
        const dry_joint_def gear = gear_def(sun, planet, 3, 2);
        join(world, &gear);
        run_steps(world, 240, TEST_DT);
        assert_near(turns_of(world, arm), 2, 0.01);
        assert_near(turns_of(world, planet), 2 * 2.5, 0.05);
        dry_world_destroy(world);
    }
}

/* A force F on a rack speeds it up by F / (m + I / r^2), for many turns of its pinion, which turns by the way
 * over r; on the other side of the pinion, backwards. */
static void test_rack_moves_by_its_pinion(void **state)
{
    (void)state;
    for (int way = 0; way < JOINT_WAYS; way++)
        for (int side = -1; side <= 1; side += 2) {
            dry_world *world = world_of(way);
            const dry_body_id none = {0}, pinion = add_wheel(world, 0, 0.3, 2);
            add_bearing(world, none, pinion, 0, 0);
            dry_shape_def shape = box_shape(2, 0.1, 0.1);
            shape.filter.mask = 0;
            dry_body_def rack_def = body_def(DRY_BODY_DYNAMIC, pose_at(0, -0.25 * side, 0), &shape);
            rack_def.mass = 3;
            const dry_body_id rack = add_def(world, &rack_def);
            dry_joint_def slider = dry_default_joint_def(DRY_JOINT_SLIDER);
            slider.body_b = rack;
            slider.target.y = -0.25 * side;
            join(world, &slider);
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_RACK);
            def.body_a = pinion;
            def.body_b = rack;
            def.radius = (float)(0.25 * side);
            def.orientation_a = def.orientation_b = across_z;
            const dry_joint_id id = join(world, &def);
            const double force = 5, rate = force / (3 + inertia_of(0.3, 2) / (0.25 * 0.25));
            double seconds = 0;
            for (int step = 0; step < 240; ++step) {
                assert_ok(dry_body_apply_force(world, rack, v3(force, 0, 0)));
                run_steps(world, 1, TEST_DT);
                seconds += (double)TEST_DT;
                float gap, turned;
                assert_ok(dry_joint_get_error(world, id, &gap, &turned));
                assert_at_most((double)gap, is_direct(way) ? 1e-6 : 2e-3);
            }
            assert_near(velocity_of(world, rack).x, rate * seconds, 0.01 * rate * seconds);
            assert_near(turns_of(world, pinion), rate * seconds / (0.25 * side),
                        0.01 * rate * seconds / 0.25);
            assert_true(position_of(world, rack).x > 2 * 2 * TEST_PI * 0.25);
            dry_world_destroy(world);
        }
}

static void test_bad_gears_are_refused(void **state)
{
    (void)state;
    dry_world *world = world_of(0);
    const dry_body_id a = add_wheel(world, 0, 0.3, 2), b = add_wheel(world, 1, 0.3, 2);
    static const float teeth[][2] = {{0, 1},  {-1, 2},   {1.5f, 2}, {1, 0},       {1, 0.5f},
                                     {4, -4}, {2e4f, 1}, {1, NAN},  {INFINITY, 1}};
    dry_joint_id id;
    for (int i = 0; i < COUNT_OF(teeth); i++) {
        dry_joint_def def = gear_def(a, b, 1, 1);
        def.teeth_a = teeth[i][0];
        def.teeth_b = teeth[i][1];
        assert_int_equal(dry_world_create_joint(world, &def, &id), DRY_ERROR_ARGUMENT);
    }
    dry_joint_def rack = dry_default_joint_def(DRY_JOINT_RACK);
    rack.body_a = a;
    rack.body_b = b;
    static const float radii[] = {0, 1e-7f, -2e6f, NAN, INFINITY};
    for (int i = 0; i < COUNT_OF(radii); i++) {
        rack.radius = radii[i];
        assert_int_equal(dry_world_create_joint(world, &rack, &id), DRY_ERROR_ARGUMENT);
    }
    dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
    hinge.body_b = b;
    hinge.teeth_a = 2;
    assert_int_equal(dry_world_create_joint(world, &hinge, &id), DRY_ERROR_ARGUMENT);
    hinge.teeth_a = 1;
    hinge.radius = 2;
    assert_int_equal(dry_world_create_joint(world, &hinge, &id), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_statistics(world).joints, 0);
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wheels_turn_by_their_teeth),
        cmocka_unit_test(test_gears_on_a_floating_housing_keep_momentum),
        cmocka_unit_test(test_planet_turns_with_its_arm),
        cmocka_unit_test(test_rack_moves_by_its_pinion),
        cmocka_unit_test(test_bad_gears_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
