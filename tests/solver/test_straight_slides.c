/* Tests that friction turns nothing that slides straight, neither a box over tiles, nor a table on two feet,
 * and that it turns a box on two unlike surfaces as Coulomb's law says, integrated over the face.
 *
 * Reads the public library. Next file: tests/solver/test_belts.c. */
#include "tests/test_world.h"

static const double mu = 0.4, fast = 5;

static dry_body_id add_sliding(dry_world *world, dry_shape_def shape, int feet)
{
    dry_shape_def shapes[2] = {shape, shape};
    shapes[1].pose.position = v3(0, 0, 1.2f);
    shapes[0].friction = shapes[1].friction = (float)mu;
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, (double)shape.half_extents.y, 0), shapes);
    def.shape_count = feet;
    return add_def(world, &def);
}

/* Slides a body along x until it stops. It goes v^2 / (2 mu g) without turning. */
static void slide_straight(dry_world *world, dry_body_id id)
{
    run_steps(world, 30, TEST_DT);
    const d3 start = position_of(world, id);
    set_velocity(world, id, (d3){fast, 0, 0}, (d3){0, 0, 0});
    for (int i = 0; i < 90; i++) {
        run_steps(world, 1, TEST_DT);
        assert_near(spin_of(world, id).y, 0, 0.02);
    }
    const d3 way = d3_sub(position_of(world, id), start);
    const double expected = fast * fast / (2 * mu * TEST_G);
    assert_near(way.x, expected, 0.01 * expected + fast / 60 / 2);
    assert_near(way.z, 0, 2e-3);
}

/* The patches of the tiles under a box bear unlike loads, and their centers are not those of their loads.
 * Torsion of each patch makes up for it. */
static void a_box_slides_straight_over_tiles(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * DRY_SOLVER_COUNT; k++) {
        dry_settings settings = test_settings();
        settings.method.solver = (dry_solver)(k / 2);
        dry_world *world = world_with(settings);
        for (int i = -2; i < 12; i++)
            for (int j = -3; j < 3; j++) {
                dry_shape_def tile = box_shape(0.25, 0.25, 0.25);
                tile.friction = (float)mu;
                add_body(world, DRY_BODY_STATIC, pose_at(0.5 * i, -0.25, 0.5 * j + 0.1), tile);
            }
        const double half = k % 2 ? 0.6 : 0.3;
        slide_straight(world, add_sliding(world, box_shape((float)half, 0.1f, (float)(0.8 * half)), 1));
        dry_world_destroy(world);
    }
}

/* Likewise the two feet of a table, side by side. */
static void a_table_slides_straight(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; solver++) {
        dry_settings settings = test_settings();
        settings.method.solver = (dry_solver)solver;
        dry_world *world = world_with(settings);
        dry_shape_def floor = box_shape(50, 1, 50);
        floor.friction = (float)mu;
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), floor);
        slide_straight(world, add_sliding(world, box_shape(0.5, 0.2, 0.5), 2));
        dry_world_destroy(world);
    }
}

/* A box on two surfaces that meet at z = edge. */
typedef struct two_surfaces {
    d3 half; /* of the box, m */
    double edge, mu[2], belt[2], yaw, along, across, spin, seconds;
} two_surfaces;

typedef struct sliding {
    double x, z, u, w, yaw, spin;
} sliding;

/* Adds what Coulomb's law does to the box in dt, integrated over its face. The pressure is linear over the
 * face, and balances the box. */
static void slide_by_law(const two_surfaces *s, sliding *b, double dt)
{
    enum { GRID = 40 };
    const double c = cos(b->yaw), n = sin(b->yaw),
                 inertia = (s->half.x * s->half.x + s->half.z * s->half.z) / 3;
    double fx = 0, fz = 0, moment = 0, slope_x = 0, slope_z = 0;
    for (int round = 0; round < 3; round++) {
        fx = fz = moment = 0;
        for (int i = 0; i < GRID * GRID; i++) {
            const double x = s->half.x * ((2 * (i % GRID) + 1.0) / GRID - 1),
                         z = s->half.z * ((2 * (i / GRID) + 1.0) / GRID - 1);
            const double rx = c * x + n * z, rz = -n * x + c * z;
            const int k = b->z + rz > s->edge;
            const double u = b->u + b->spin * rz - s->belt[k], w = b->w - b->spin * rx;
            const double press = fmax(1 + slope_x * x + slope_z * z, 0) * TEST_G / (GRID * GRID);
            const double f = -s->mu[k] * press / (hypot(u, w) + 1e-9);
            fx += f * u, fz += f * w, moment += f * (rz * u - rx * w);
        }
        const double x = -s->half.y * fx / TEST_G, z = -s->half.y * fz / TEST_G;
        slope_x = 3 * (c * x - n * z) / (s->half.x * s->half.x);
        slope_z = 3 * (n * x + c * z) / (s->half.z * s->half.z);
    }
    b->u += dt * fx, b->w += dt * fz, b->spin += dt * moment / inertia;
    b->x += dt * b->u, b->z += dt * b->w, b->yaw += dt * b->spin;
}

static void turn_on(two_surfaces s)
{
    dry_world *world = world_with(test_settings());
    dry_material m = dry_default_material();
    m.friction_rule = DRY_COMBINE_SMALLEST;
    for (int k = 0; k < 2; k++) {
        m.friction = (float)s.mu[k], m.surface_velocity = v3(s.belt[k], 0, 0);
        dry_shape_def floor = box_shape(50, 1, 10);
        floor.friction = dry_default_shape_def().friction, floor.materials = &m, floor.material_count = 1;
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, s.edge + (k ? 10 : -10)), floor);
    }
    m.friction = 10, m.surface_velocity = v3(0, 0, 0);
    dry_shape_def shape = box_shape((float)s.half.x, (float)s.half.y, (float)s.half.z);
    shape.friction = dry_default_shape_def().friction, shape.materials = &m, shape.material_count = 1;
    dry_pose pose = pose_at(0, s.half.y, 0);
    pose.orientation = (dry_quat){0, (float)sin(s.yaw / 2), 0, (float)cos(s.yaw / 2)};
    const dry_body_id box = add_dynamic(world, pose, shape);
    run_steps(world, s.belt[0] != 0 ? 0 : 30, TEST_DT);
    set_velocity(world, box, (d3){s.along, 0, s.across}, (d3){0, s.spin, 0});
    sliding law = {0, 0, s.along, s.across, s.yaw, s.spin};
    for (int i = 0; i < (int)(60 * s.seconds + 0.5); i++) {
        run_steps(world, 1, TEST_DT);
        for (int k = 0; k < 10; k++)
            slide_by_law(&s, &law, (double)TEST_DT / 10);
    }
    assert_near(spin_of(world, box).y, law.spin, 0.02 * fabs(law.spin));
    assert_near(velocity_of(world, box).x, law.u, 0.005 * fabs(law.u) + 0.005);
    dry_world_destroy(world);
}

/* Each surface bears its share of the face, and rubs where it is. */
static void a_box_on_two_surfaces_turns(void **state)
{
    (void)state;
    const two_surfaces all[] = {
        {.half = {0.5, 0.5, 0.5}, .mu = {0, 0.6}, .along = 3, .seconds = 0.25},
        {.half = {0.5, 0.1, 0.5}, .mu = {0, 0.6}, .along = 3, .seconds = 0.25},
        {.half = {0.5, 0.2, 0.5}, .mu = {0.2, 0.6}, .along = 3, .seconds = 0.25},
        {.half = {0.5, 0.2, 0.5}, .edge = 0.25, .mu = {0, 0.6}, .along = 3, .seconds = 0.25},
        {.half = {0.5, 0.2, 0.5}, .edge = -0.25, .mu = {0, 0.6}, .along = 3, .seconds = 0.25},
        {.half = {0.5, 0.2, 0.5}, .mu = {0, 0.6}, .yaw = 0.4, .along = 3, .seconds = 0.25},
        {.half = {1, 0.1, 0.2}, .mu = {0, 0.6}, .along = 3, .seconds = 0.25},
        {.half = {0.2, 0.1, 1}, .mu = {0, 0.6}, .along = 3, .seconds = 0.25},
        {.half = {0.5, 0.2, 0.5}, .mu = {0, 0.6}, .along = 2, .spin = 4, .seconds = 0.2},
        {.half = {0.5, 0.2, 0.5}, .mu = {0.1, 0.6}, .along = 3, .across = 0.5, .seconds = 0.15},
        {.half = {0.5, 0.2, 0.5}, .mu = {0.3, 0.3}, .belt = {1, -1}, .seconds = 0.5},
    };
    for (int i = 0; i < COUNT_OF(all); i++)
        turn_on(all[i]);
}

/* Friction takes energy, however fast a body turns on two surfaces. */
static void a_spin_on_two_surfaces_slows_down(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int i = 0; i < test_pick(60, 40); i++) {
        dry_world *world = world_with(test_settings());
        const d3 half = {random_in(&seed, 0.2, 0.7), random_in(&seed, 0.05, 0.4), random_in(&seed, 0.2, 0.7)};
        const double edge = random_in(&seed, -0.5, 0.5) * half.z;
        for (int k = 0; k < 2; k++) {
            dry_shape_def floor = box_shape(50, 1, 10);
            floor.friction = (float)random_in(&seed, 0, 1);
            add_body(world, DRY_BODY_STATIC, pose_at(0, -1, edge + (k ? 10 : -10)), floor);
        }
        dry_shape_def shape = box_shape((float)half.x, (float)half.y, (float)half.z);
        shape.friction = 1;
        const dry_body_id box = add_dynamic(world, pose_at(0, half.y, 0), shape);
        run_steps(world, 30, TEST_DT);
        set_velocity(world, box, (d3){random_in(&seed, -0.5, 0.5), 0, random_in(&seed, -0.5, 0.5)},
                     (d3){0, random_in(&seed, -12, 12), 0});
        const double first = dry_world_energy(world).total_J;
        double before = first, gained = 0;
        for (int step = 0; step < 120; step++) {
            run_steps(world, 1, TEST_DT);
            const double now = dry_world_energy(world).total_J;
            gained += fmax(now - before, 0), before = now;
        }
        assert_true(gained < 0.002 * (first - before));
        dry_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_slides_straight_over_tiles),
        cmocka_unit_test(a_table_slides_straight),
        cmocka_unit_test(a_box_on_two_surfaces_turns),
        cmocka_unit_test(a_spin_on_two_surfaces_slows_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
