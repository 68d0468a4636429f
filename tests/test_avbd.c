/* Block descent (AVBD): motion against closed forms, heavy on light, what it refuses, and the same bits for
 * all threads and instruction sets. */
#include "tests/slopes.h"
#include "tests/test_world.h"

#include "simd/processor.h"
#include "solver/methods/blocks/block_sweep.h"
#include "solver/methods/blocks/kernel_list.h"

static dry_settings avbd_settings(void)
{
    dry_settings settings = test_settings();
    settings.solver = DRY_SOLVER_AVBD;
    return settings;
}

static dry_body_id add_cube(dry_world *world, double x, double y, double mass)
{
    const dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
    dry_body_def def = dry_default_body_def();
    def.type = DRY_BODY_DYNAMIC;
    def.pose = pose_at(x, y, 0);
    def.shapes = &shape;
    def.shape_count = 1;
    def.mass = (float)mass;
    dry_body_id id;
    assert_ok(dry_world_create_body(world, &def, &id));
    return id;
}

/* Two unit particles whose error is 1 and whose rho is 1 move by -1/2 and +1/4 in a sweep [Waterson 7.53]:
 * a sweep of blocks keeps no momentum. At every instruction set. */
static void test_two_particles(void **state)
{
    (void)state;
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; isa++) {
        dry_level level;
        if (!dry_isa_available((dry_isa)isa) || !dry_level_find((dry_isa)isa, &level))
            continue;
        static dry_solver_row rows[3];
        static dry_start_row target[2];
        static dry_block_contact contact[2 * DRY_BUNDLE];
        static dry_block_group group[2];
        static _Alignas(64) int32_t entry[2 * DRY_BUNDLE];
        memset(rows, 0, sizeof rows);
        memset(target, 0, sizeof target);
        memset(contact, 0, sizeof contact);
        memset(group, 0, sizeof group);
        for (int i = 0; i < 2 * DRY_BUNDLE; i++) {
            entry[i] = 2 * DRY_BUNDLE; /* the empty contact */
            contact[i].normal[1] = 1;
            for (int p = 0; p < 4; p++)
                contact[i].bias[p] = FLT_MAX;
        }
        contact[0].bias[0] = -1;
        contact[0].penalty[0] = 1;
        contact[0].row[0] = 1, contact[0].row[1] = 2;
        for (int body = 0; body < 2; body++) {
            rows[body + 1].inv_sqrt_mass = 1;
            group[body] = (dry_block_group){
                .row = {body + 1}, .entry = body * DRY_BUNDLE, .count = 1, .lanes = 1, .locks = -1};
            entry[body * DRY_BUNDLE] = body;
        }
        const dry_block_sweep sweep = {
            .rows = rows, .target = target, .contact = contact, .group = group, .entry = entry, .h = 1};
        const dry_block_kernels *kernels = dry_block_kernels_at(level);
        kernels->blocks_descend(&sweep, 0, 1);
        kernels->blocks_descend(&sweep, 1, 2);
        assert_near(rows[1].ul[1], -0.5, 1e-7);
        assert_near(rows[2].ul[1], 0.25, 1e-7);
    }
}

/* Bodies that nothing touches have the bits of every other method. */
static void test_free_fall(void **state)
{
    (void)state;
    double v[2], y[2];
    for (int solver = 0; solver < 2; solver++) {
        dry_settings settings = avbd_settings();
        settings.solver = solver ? DRY_SOLVER_AVBD : DRY_SOLVER_GAUSS_SEIDEL;
        dry_world *world = world_with(settings);
        const dry_body_id id = add_cube(world, 0, 0, 3);
        run_steps(world, 120, TEST_DT);
        v[solver] = velocity_of(world, id).y, y[solver] = position_of(world, id).y;
        dry_world_destroy(world);
    }
    assert_near(v[1], -TEST_G * 2, 1e-4);
    assert_near(y[1], -TEST_G * 2, 1e-4);
    assert_true(v[0] == v[1] && y[0] == y[1]);
}

/* A dropped box comes to rest on the ground and stays. */
static void test_box_comes_to_rest(void **state)
{
    (void)state;
    dry_world *world = world_with(avbd_settings());
    add_floor(world, 0.6, 0);
    const dry_body_id id = add_cube(world, 0, 2, 1000);
    run_steps(world, 120, TEST_DT);
    assert_near(position_of(world, id).y, 0.5, 1e-5);
    assert_at_most(d3_length(velocity_of(world, id)), 1e-5);
    dry_world_destroy(world);
}

/* A block on a slope sticks below the angle of friction, and slides above it as Coulomb says. */
static void test_slope(void **state)
{
    (void)state;
    const double friction = 0.35, angle[2] = {atan(0.9 * friction), atan(1.2 * friction)};
    for (int slides = 0; slides < 2; slides++) {
        const double a = angle[slides];
        dry_settings settings = avbd_settings();
        settings.gravity = v3(TEST_G * sin(a), -TEST_G * cos(a), 0);
        dry_world *world = world_with(settings);
        add_floor(world, friction, 0);
        dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
        shape.friction = (float)friction;
        const dry_body_id id = add_dynamic(world, pose_at(0, 0.5, 0), shape);
        run_steps(world, 240, TEST_DT);
        const double v = slides ? TEST_G * (sin(a) - friction * cos(a)) * 4 : 0;
        assert_near(velocity_of(world, id).x, v, 1e-3 * v + 1e-5);
        assert_near(position_of(world, id).x, 2 * v, 2e-3 * v + 1e-5);
        dry_world_destroy(world);
    }
}

/* Builds a tower of cubes whose masses grow by a factor, and returns how far any cube is from its place at
 * any time of 10 s, m. */
static double tower_error(int count, double factor)
{
    dry_world *world = world_with(avbd_settings());
    dry_body_id id[16];
    double mass = 1, worst = 0;
    add_floor(world, 0.6, 0);
    for (int i = 0; i < count; i++, mass *= factor)
        id[i] = add_cube(world, 0, 0.5 + i, mass);
    for (int step = 0; step < 600; step++) {
        run_steps(world, 1, TEST_DT);
        for (int i = 0; i < count; i++)
            worst = fmax(worst, d3_length(d3_sub(position_of(world, id[i]), (d3){0, 0.5 + i, 0})));
    }
    dry_world_destroy(world);
    return worst;
}

static void test_towers(void **state)
{
    (void)state;
    assert_at_most(tower_error(5, 1), 1e-4);
    assert_at_most(tower_error(10, 2), 5e-3);
    assert_at_most(tower_error(2, 1000), 5e-3);
}

/* A setting that the method cannot honor is an error that names it. */
static void test_refusals(void **state)
{
    (void)state;
    dry_world *world = world_with(avbd_settings());
    for (int i = 0; i < 7; i++) {
        dry_settings settings = avbd_settings();
        settings.friction = i < 3 ? (dry_friction)(DRY_FRICTION_SCALED_BOX + i) : DRY_FRICTION_CONE;
        settings.contact_stiffness = i == 3 ? 1e6f : 0;
        settings.contact_hertz = i == 4 ? 30 : 0;
        settings.contact_damping_ratio = i == 5 ? 1 : settings.contact_damping_ratio;
        settings.joint_solver = i == 6 ? DRY_JOINT_SOLVER_AUTO : DRY_JOINT_SOLVER_ITERATIVE;
        assert_int_equal(dry_world_set_settings(world, &settings), DRY_ERROR_ARGUMENT);
        dry_world_def def = test_world_def();
        def.settings = settings;
        dry_world *none;
        assert_int_equal(dry_world_create(&def, &none), DRY_ERROR_ARGUMENT);
        settings.solver = DRY_SOLVER_GAUSS_SEIDEL;
        assert_ok(dry_world_set_settings(world, &settings));
        settings = avbd_settings();
        assert_ok(dry_world_set_settings(world, &settings));
    }
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_particles),
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_box_comes_to_rest),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_towers),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
