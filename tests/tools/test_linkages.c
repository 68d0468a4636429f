/* Built-in scenes of joints: they begin closed, with velocities that keep them closed, and have the rows and
 * the redundant rows that their formulas say. */
#include "tests/tools/linkages.h"

/* Counts the rows of a joint that no motor, spring or stop makes. */
static int count_rows(const dry_joint_def *def)
{
    static const int rows[DRY_JOINT_TYPE_COUNT] = {
        [DRY_JOINT_BALL] = 3,       [DRY_JOINT_DISTANCE] = 1,  [DRY_JOINT_TARGET] = 3, [DRY_JOINT_HINGE] = 5,
        [DRY_JOINT_SLIDER] = 5,     [DRY_JOINT_UNIVERSAL] = 4, [DRY_JOINT_FIXED] = 6,  [DRY_JOINT_WHEEL] = 3,
        [DRY_JOINT_CONE_TWIST] = 3, [DRY_JOINT_GENERIC] = 0,   [DRY_JOINT_ALIGN] = 2,  [DRY_JOINT_GEAR] = 1,
        [DRY_JOINT_RACK] = 1,
    };
    int count = rows[def->type];
    const dry_joint_axis *steering = &def->axes[DRY_AXIS_RY];
    if (def->type == DRY_JOINT_WHEEL && steering->min == 0.0f && steering->max == 0.0f)
        count++;
    if (def->type == DRY_JOINT_FIXED)
        count -= 3 * (def->stiffness > 0.0f) + 3 * (def->angular_stiffness > 0.0f);
    for (int i = 0; i < DRY_AXIS_COUNT && def->type == DRY_JOINT_GENERIC; i++)
        count += def->axes[i].min == def->axes[i].max;
    return count;
}

typedef struct expected_scene {
    const char *name;
    int size, dynamic, other, joints, rows;
} expected_scene;

static const expected_scene expected_scenes[] = {
    {"ball-hinge", 1, 1, 0, 2, 6},
    {"ball-hinge", 7, 7, 0, 14, 42},
    {"peaucellier", 1, 7, 0, 10, 50},
    {"peaucellier", 3, 21, 0, 30, 150},
    {"scissor", 10, 61, 0, 101, 505}, /* 500, and the carriage's slider */
    {"scissor", 220, 1321, 0, 2201, 11005},
    {"chain", 1, 2, 0, 2, 6},
    {"chain", 1000, 1001, 0, 1001, 3003},
    {"spider", 10, 11, 1, 10, 30},
    {"spider", 1000, 1001, 1, 1000, 3000},
    {"tree", 1, 3, 0, 3, 9},
    {"tree", 9, 1023, 0, 1023, 3069},
    {"lever", 7500, 2, 1, 2, 10},
    {"four-bar", 1, 4, 0, 6, 30},
    {"four-bar", 5, 20, 0, 30, 150},
    {"tube", 8, 8 * 24, 6, 8 * 36, 8 * 108},
    {"tube", 150, 150 * 24, 6, 150 * 36, 150 * 108},
    {"octahedra", 3, 3 * 336, 12, 3 * 432, 3 * 2064},
    {"octahedra-cube", 3, 3 * 36 - 9 + 27 * 24, 9, 27 * 36, 27 * 172},
    /* k^2 (k - 1) bars up, as many along x and along z but for the last node of each row. */
    {"lattice", 4, 48 + 48 + 2 * 36, 16, 2 * (48 + 2 * 36), 6 * (48 + 2 * 36)},
    {"strandbeest", 1, 8, 1, 10, 50},
    {"strandbeest", 10, 62, 1, 91, 455},
    {"strandbeest", 100, 602, 1, 901, 4505},
    {"ragdolls", 1, 25, 5, 14, 58},
    {"ragdolls", 100, 2500, 5, 1400, 5800},
    {"door", 3, 9, 4, 6, 30},
    {"vehicle", 2, 10, 6, 8, 28},
    {"crane", 20, 23, 2, 23, 73},
    {"excavator", 1, 11, 1, 13, 65},
    {"springboard", 3, 18, 4, 15, 45},
    {"hoist", 2, 6, 3, 10, 34},
};

static void test_counts(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(expected_scenes); i++) {
        const expected_scene *e = &expected_scenes[i];
        dry_scene scene = scene_of(e->name, e->size);
        int dynamic = 0, rows = 0;
        for (int k = 0; k < scene.body_count; k++)
            dynamic += scene.bodies[k].def.type == DRY_BODY_DYNAMIC;
        for (int k = 0; k < scene.joint_count; k++)
            rows += count_rows(&scene.joints[k].def);
        if (dynamic != e->dynamic || scene.body_count - dynamic != e->other ||
            scene.joint_count != e->joints || rows != e->rows)
            fail_msg("%s %d: %d dynamic bodies, %d others, %d joints, %d rows", e->name, e->size, dynamic,
                     scene.body_count - dynamic, scene.joint_count, rows);
        dry_scene_free(&scene);
    }
}

/* Returns the distance between a joint's anchors, and the length of the difference of their velocities. */
static double anchor_gap(const dry_scene *scene, const dry_scene_joint *joint, double *speed)
{
    const side a = side_of(scene, joint, false), b = side_of(scene, joint, true);
    const d3 r_a = d3_turn(a.rotation, d3_of(joint->def.anchor_a)),
             r_b = d3_turn(b.rotation, d3_of(joint->def.anchor_b));
    const d3 v_a = d3_add(a.velocity, d3_cross(a.spin, r_a)), v_b = d3_add(b.velocity, d3_cross(b.spin, r_b));
    *speed = d3_length(d3_sub(v_b, v_a));
    return d3_length(d3_sub(d3_add(b.at, r_b), d3_add(a.at, r_a)));
}

/* All joints begin closed, but for the bar that is 1 % too long, and their anchors move together. All scenes
 * make steps that leave every body finite and none in quarantine. */
static void test_starts_closed_and_steps(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(expected_scenes); i++) {
        const expected_scene *e = &expected_scenes[i];
        if (test_quick() && e->dynamic > 300)
            continue;
        dry_scene scene = scene_of(e->name, e->size);
        const bool wrong = strcmp(e->name, "four-bar") == 0;
        double gap = 0, fastest = 0;
        for (int k = 0; k < scene.joint_count; k++) {
            if (scene.joints[k].def.type >= DRY_JOINT_GEAR) /* its anchors are apart */
                continue;
            double speed, gap_here = anchor_gap(&scene, &scene.joints[k], &speed);
            gap = fmax(gap, gap_here);
            fastest = fmax(fastest, scene.joints[k].def.type == DRY_JOINT_SLIDER ? 0 : speed);
        }
        built b = build_scene(scene, scene.gravity);
        double error_m, error_rad;
        read_errors(&b, &error_m, &error_rad);
        if (wrong) {
            assert_near(gap, 0.01, 1e-6);
            assert_near(error_m, 0.01, 1e-6);
            assert_at_most(fastest, 0.021); /* the end that is 1 cm too low at 2 rad/s */
        } else {
            assert_at_most(gap, 1e-6);
            assert_at_most(error_m, 1e-6);
            assert_at_most(fastest, 1e-5);
        }
        assert_at_most(error_rad, 1e-6);
        run_steps(b.world, 10, b.scene.dt);
        for (int k = 0; k < b.scene.body_count; k++)
            assert_true(body_is_finite(b.world, b.ids[k]));
        assert_int_equal(dry_world_statistics(b.world).quarantined_bodies, 0);
        free_built(&b);
    }
}

/* Writes the row that keeps the joint's anchors together along `axis`. Column 6 k + i is a component of body
 * k's velocity, linear ones first. */
static void linear_row(const dry_scene *scene, const dry_scene_joint *joint, d3 axis, double *row)
{
    for (int s = 0; s < 2; s++) {
        const int body = s ? joint->body_b : joint->body_a;
        if (body == DRY_SCENE_WORLD || scene->bodies[body].def.type != DRY_BODY_DYNAMIC)
            continue;
        const side here = side_of(scene, joint, s);
        const d3 r = d3_turn(here.rotation, d3_of(s ? joint->def.anchor_b : joint->def.anchor_a));
        const d3 linear = d3_scale(axis, s ? 1 : -1), angular = d3_cross(r, linear);
        const double parts[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
        memcpy(row + 6 * body, parts, sizeof parts);
    }
}

/* Writes the row that keeps the bodies from rotating against each other about `axis`. */
static void angular_row(const dry_scene *scene, const dry_scene_joint *joint, d3 axis, double *row)
{
    for (int s = 0; s < 2; s++) {
        const int body = s ? joint->body_b : joint->body_a;
        if (body == DRY_SCENE_WORLD || scene->bodies[body].def.type != DRY_BODY_DYNAMIC)
            continue;
        const double sign = s ? 1 : -1, parts[3] = {sign * axis.x, sign * axis.y, sign * axis.z};
        memcpy(row + 6 * body + 3, parts, sizeof parts);
    }
}

/* Writes the rows of a ball joint, a hinge, a slider or a universal joint; returns how many there are. */
static int joint_rows(const dry_scene *scene, const dry_scene_joint *joint, double *rows, int columns)
{
    const side a = side_of(scene, joint, false);
    const d3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int count = 0;
    for (int k = joint->def.type == DRY_JOINT_SLIDER ? 1 : 0; k < 3; k++)
        linear_row(scene, joint, d3_turn(a.rotation, d3_turn(joint->def.orientation_a, units[k])),
                   rows + columns * count++);
    if (joint->def.type == DRY_JOINT_BALL)
        return count;
    for (int k = joint->def.type == DRY_JOINT_HINGE; k < (joint->def.type == DRY_JOINT_UNIVERSAL ? 1 : 3);
         k++)
        angular_row(scene, joint, d3_turn(a.rotation, d3_turn(joint->def.orientation_a, units[k])),
                    rows + columns * count++);
    return count;
}

/* Returns the rank of a matrix, which it destroys, by elimination with the largest pivot of all. Entries that
 * single precision's anchors leave of a redundant row are far below the bound. */
static int find_rank(double *matrix, int rows, int columns)
{
    for (int rank = 0; rank < rows; rank++) {
        int row = rank, column = 0;
        double largest = 0;
        for (int i = rank; i < rows; i++)
            for (int k = 0; k < columns; k++)
                if (fabs(matrix[i * columns + k]) > largest) {
                    largest = fabs(matrix[i * columns + k]);
                    row = i;
                    column = k;
                }
        if (largest < 1e-5)
            return rank;
        for (int k = 0; k < columns; k++) {
            const double x = matrix[row * columns + k];
            matrix[row * columns + k] = matrix[rank * columns + k];
            matrix[rank * columns + k] = x;
        }
        for (int i = rank + 1; i < rows; i++) {
            const double factor = matrix[i * columns + column] / matrix[rank * columns + column];
            for (int k = 0; k < columns && factor != 0; k++)
                matrix[i * columns + k] -= factor * matrix[rank * columns + k];
        }
    }
    return rows;
}

/* The factors of direct joints tell the rows that elimination with pivoting finds: all, and the redundant
 * ones. Split bodies add rows of fixations, none of them redundant. No pivot falls below that of a redundant
 * row. */
static void check_factors(const dry_scene *scene, int rows, int redundant)
{
    built b = build_scene_with(*scene, v3(0, 0, 0), DRY_JOINT_SOLVER_DIRECT);
    run_steps(b.world, 1, 1e-4f);
    const dry_articulation_statistics s = dry_world_statistics(b.world).articulations;
    assert_int_equal(s.joints, scene->joint_count);
    assert_true(s.rows >= rows && (s.rows - rows) % 6 == 0);
    assert_int_equal(s.redundant_rows, redundant);
    assert_int_equal(s.raised_pivots, 0);
    assert_true(s.nonzeros >= (uint64_t)s.rows);
    dry_world_destroy(b.world);
    free(b.ids);
}

/* The redundant rows are those of the formulas in the scenes' comments; what is left of 6 n are the degrees
 * of freedom. */
static void test_redundant_rows(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int size, redundant, freedoms;
    } expected[] = {
        {"ball-hinge", 1, 1, 1},
        {"ball-hinge", 4, 4, 4},
        {"peaucellier", 1, 9, 1},
        {"peaucellier", 2, 18, 2},
        {"scissor", 1, 16, 3},
        {"scissor", 3, 48, 7}, /* the lift, and each axle about itself */
        {"chain", 5, 0, 18},
        {"spider", 12, 0, 42},
        {"tree", 3, 0, 45},
        {"lever", 7500, 0, 2},
        {"four-bar", 2, 14, 2},
        {"tube", 2, 0, 72}, /* nodes about three axes, bars about their own */
        {"lattice", 2, 0, 24},
        {"octahedra-cube", 1, 6, 8}, /* corners along their axes, the sides down; the lowest one tilts */
        /* In its plane each hinge of a leg takes what its bodies have; across it 3 of 5 rows a hinge serve 3
         * freedoms a body. The machine floats, and its shaft turns. */
        {"strandbeest", 1, 9, 7},
        {"strandbeest", 4, 36, 7},
        /* Afloat, with a slewing house and three cylinders. */
        {"excavator", 1, 9, 10},
    };
    for (int i = 0; i < COUNT_OF(expected); i++) {
        dry_scene scene = scene_of(expected[i].name, expected[i].size);
        const int columns = 6 * scene.body_count;
        double *rows = calloc((size_t)(6 * scene.joint_count) * (size_t)columns, sizeof *rows);
        assert_non_null(rows);
        int count = 0, dynamic = 0;
        for (int k = 0; k < scene.joint_count; k++)
            count += joint_rows(&scene, &scene.joints[k], rows + columns * count, columns);
        for (int k = 0; k < scene.body_count; k++)
            dynamic += scene.bodies[k].def.type == DRY_BODY_DYNAMIC;
        const int rank = find_rank(rows, count, columns);
        if (count - rank != expected[i].redundant || 6 * dynamic - rank != expected[i].freedoms)
            fail_msg("%s %d: %d redundant rows of %d, %d degrees of freedom", expected[i].name,
                     expected[i].size, count - rank, count, 6 * dynamic - rank);
        check_factors(&scene, count, count - rank);
        free(rows);
        dry_scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_starts_closed_and_steps),
        cmocka_unit_test(test_redundant_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
