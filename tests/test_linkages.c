/* Built-in scenes of joints: they begin closed, with velocities that keep them closed, have the rows and the
 * redundant rows that their formulas say, and move as their geometry lets them. */
#include "tests/scene_files.h"
#include "tests/test_world.h"

#include "scenes/linkages.h"

/* A scene in a world of its own. */
typedef struct built {
    dry_scene scene;
    dry_world *world;
    dry_body_id *ids;
} built;

static built build_scene_with(dry_scene scene, dry_vec3 gravity, dry_joint_solver solver)
{
    built b = {.scene = scene};
    dry_settings settings = test_settings();
    settings.gravity = gravity;
    settings.joint_solver = solver;
    b.world = world_with(settings);
    b.ids = calloc((size_t)scene.body_count, sizeof *b.ids);
    assert_non_null(b.ids);
    assert_ok(dry_scene_build(&b.scene, b.world, b.ids));
    return b;
}

static built build_scene(dry_scene scene, dry_vec3 gravity)
{
    return build_scene_with(scene, gravity, DRY_JOINT_SOLVER_ITERATIVE);
}

static void free_built(built *b)
{
    dry_world_destroy(b->world);
    dry_scene_free(&b->scene);
    free(b->ids);
}

/* Counts the rows of a joint that no motor, spring or stop makes. */
static int count_rows(const dry_joint_def *def)
{
    static const int rows[DRY_JOINT_TYPE_COUNT] = {
        [DRY_JOINT_BALL] = 3,       [DRY_JOINT_DISTANCE] = 1,  [DRY_JOINT_TARGET] = 3, [DRY_JOINT_HINGE] = 5,
        [DRY_JOINT_SLIDER] = 5,     [DRY_JOINT_UNIVERSAL] = 4, [DRY_JOINT_FIXED] = 6,  [DRY_JOINT_WHEEL] = 3,
        [DRY_JOINT_CONE_TWIST] = 3, [DRY_JOINT_GENERIC] = 0,   [DRY_JOINT_ALIGN] = 2,
    };
    int count = rows[def->type];
    const dry_joint_axis *steering = &def->axes[DRY_AXIS_RY];
    if (def->type == DRY_JOINT_WHEEL && steering->min == 0.0f && steering->max == 0.0f)
        count++;
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
};

static void test_counts(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(expected_scenes); i++) {
        const expected_scene *e = &expected_scenes[i];
        dry_scene scene;
        make(e->name, e->size, &scene);
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

/* A body of a scene in double precision; the world is a body that does not move. */
typedef struct side {
    d3 at, velocity, spin;
    dry_quat rotation;
} side;

static side side_of(const dry_scene *scene, const dry_scene_joint *joint, bool b)
{
    const int body = b ? joint->body_b : joint->body_a;
    if (body == DRY_SCENE_WORLD)
        return (side){.at = d3_at(joint->def.target), .rotation = QUAT_IDENTITY};
    const dry_body_def *def = &scene->bodies[body].def;
    return (side){d3_at(def->pose.position), d3_of(def->velocity.linear), d3_of(def->velocity.angular),
                  def->pose.orientation};
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

/* Reads the largest errors of all joints of the world. */
static void read_errors(const built *b, double *error_m, double *error_rad)
{
    *error_m = *error_rad = 0;
    for (int i = 0; i < b->scene.body_count; i++) {
        int count = 0;
        assert_ok(dry_body_get_joints(b->world, b->ids[i], NULL, 0, &count));
        dry_joint_id *joints = calloc((size_t)count + 1, sizeof *joints);
        assert_non_null(joints);
        assert_ok(dry_body_get_joints(b->world, b->ids[i], joints, count, &count));
        for (int k = 0; k < count; k++) {
            float m, rad;
            assert_ok(dry_joint_get_error(b->world, joints[k], &m, &rad));
            *error_m = fmax(*error_m, (double)m);
            *error_rad = fmax(*error_rad, (double)rad);
        }
        free(joints);
    }
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
        dry_scene scene;
        make(e->name, e->size, &scene);
        const bool wrong = strcmp(e->name, "four-bar") == 0;
        double gap = 0, fastest = 0;
        for (int k = 0; k < scene.joint_count; k++) {
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

/* Writes the rows of a ball joint, a hinge or a slider; returns how many there are. */
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
    for (int k = joint->def.type == DRY_JOINT_HINGE ? 1 : 0; k < 3; k++)
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
        /* In its plane each hinge of a leg takes what its bodies have; across it 3 of 5 rows a hinge serve 3
         * freedoms a body. The machine floats, and its shaft turns. */
        {"strandbeest", 1, 9, 7},
        {"strandbeest", 4, 36, 7},
        /* Afloat, with a slewing house and three cylinders. */
        {"excavator", 1, 9, 10},
    };
    for (int i = 0; i < COUNT_OF(expected); i++) {
        dry_scene scene;
        make(expected[i].name, expected[i].size, &scene);
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

/* Returns the intersection to the left of the line from a to b of the circles about them, in the plane of z,
 * by angles. */
static d3 meet_left(d3 a, double radius_a, d3 b, double radius_b)
{
    const d3 line = d3_sub(b, a);
    const double l = d3_length(line);
    const double corner = acos((radius_a * radius_a + l * l - radius_b * radius_b) / (2 * radius_a * l));
    const double angle = atan2(line.y, line.x) + corner;
    return d3_add(a, (d3){radius_a * cos(angle), radius_a * sin(angle), 0});
}

/* Returns the distance between the two anchors that a bar's joints have in its frame. */
static double bar_length(const dry_scene *scene, int bar)
{
    d3 first = {0, 0, 0}, farthest = {0, 0, 0};
    bool any = false;
    for (int i = 0; i < scene->joint_count; i++) {
        const dry_scene_joint *joint = &scene->joints[i];
        if (joint->body_a != bar && joint->body_b != bar)
            continue;
        const d3 anchor = d3_of(joint->body_a == bar ? joint->def.anchor_a : joint->def.anchor_b);
        if (!any)
            first = anchor;
        any = true;
        if (d3_length(d3_sub(anchor, first)) > d3_length(d3_sub(farthest, first)))
            farthest = anchor;
    }
    return d3_length(d3_sub(farthest, first));
}

/* Poses the linkage whose pen hangs from O in the direction `angle` from -y. Writes where A, B, C, D are. */
static void pose_peaucellier(double arm, double side_length, double crank, double angle, d3 p[4])
{
    const double reach = 2 * crank * cos(angle);
    const d3 o = {0, 0, 0}, c = {reach * sin(angle), -reach * cos(angle), 0};
    p[2] = c;
    p[0] = meet_left(c, side_length, o, arm);
    p[1] = meet_left(o, arm, c, side_length);
    p[3] = d3_sub(d3_add(p[0], p[1]), c); /* the rhombus */
}

/* The lengths are such that the pen moves on its line, to the rounding of double precision, and begins on it
 * to that of single precision. */
static void test_peaucellier_pen(void **state)
{
    (void)state;
    dry_scene scene;
    make("peaucellier", 1, &scene);
    double lengths[DRY_PEAUCELLIER_BARS];
    for (int i = 0; i < DRY_PEAUCELLIER_BARS; i++)
        lengths[i] = bar_length(&scene, i);
    const double arm = lengths[DRY_BAR_ARM_LEFT], side_length = lengths[DRY_BAR_PEN];
    assert_true(arm == 4 && lengths[DRY_BAR_ARM_RIGHT] == arm);
    assert_true(side_length == 2 && lengths[DRY_BAR_INNER_LEFT] == 2 && lengths[DRY_BAR_INNER_RIGHT] == 2 &&
                lengths[DRY_BAR_OUTER_RIGHT] == 2);
    assert_true(lengths[DRY_BAR_CRANK] == 1.5); /* as far as Q is from O */
    for (int i = -20; i <= 20; i++) {
        d3 p[4];
        pose_peaucellier(arm, side_length, lengths[DRY_BAR_CRANK], 0.042 * i, p);
        assert_near(p[3].y, DRY_PEN_LINE, 1e-12);
    }
    const dry_body_def *bar = &scene.bodies[DRY_BAR_PEN].def;
    const d3 pen = d3_add(d3_at(bar->pose.position), d3_turn(bar->pose.orientation, (d3){DRY_PEN_X, 0, 0}));
    assert_near(pen.y, DRY_PEN_LINE, 1e-6);
    assert_near(pen.x, 0, 1e-6);
    dry_scene_free(&scene);
}

/* The kinetic energy at the start lifts the linkage's bars to sin^2 = 0.555, just short of the singular pose
 * at 5/9: heights from the linkage's geometry, masses and inertias from the engine. */
static void test_peaucellier_swings_near_the_singular_pose(void **state)
{
    (void)state;
    dry_scene scene;
    make("peaucellier", 1, &scene);
    built b = build_scene(scene, scene.gravity);
    double kinetic = 0, lift[2];
    for (int i = 0; i < DRY_PEAUCELLIER_BARS; i++)
        kinetic += kinetic_energy(b.world, b.ids[i]);
    for (int k = 0; k < 2; k++) {
        d3 p[4];
        const d3 o = {0, 0, 0}, q = {0, -1.5, 0};
        pose_peaucellier(4, 2, 1.5, k ? asin(sqrt(0.555)) : 0, p);
        const d3 ends[DRY_PEAUCELLIER_BARS][2] = {
            [DRY_BAR_ARM_LEFT] = {o, p[0]},      [DRY_BAR_ARM_RIGHT] = {o, p[1]},
            [DRY_BAR_INNER_LEFT] = {p[0], p[2]}, [DRY_BAR_INNER_RIGHT] = {p[1], p[2]},
            [DRY_BAR_PEN] = {p[0], p[3]},        [DRY_BAR_OUTER_RIGHT] = {p[1], p[3]},
            [DRY_BAR_CRANK] = {q, p[2]},
        };
        lift[k] = 0;
        for (int i = 0; i < DRY_PEAUCELLIER_BARS; i++)
            lift[k] += mass_of(b.world, b.ids[i]).mass * TEST_G * 0.5 * (ends[i][0].y + ends[i][1].y);
    }
    assert_near(kinetic / (lift[1] - lift[0]), 1, 2e-4);
    free_built(&b);
}

/* eps_T from 1e-10 to 1e-16 has little effect on convergence [Tomcin 4]: mean iterations of a joint
 * correction are within 20 % of their mean. No step is made anew, though near the singular pose joints that
 * are open by less than 1e-9 m give and take more than the little energy that is left there. */
static void test_iterations_do_not_follow_eps(void **state)
{
    (void)state;
    enum { EPSILONS = 7 };
    const int steps = test_pick(2000, 400);
    double mean[EPSILONS], all = 0;
    for (int k = 0; k < EPSILONS; k++) {
        dry_scene scene;
        make("peaucellier", 1, &scene);
        built b = build_scene_with(scene, scene.gravity, DRY_JOINT_SOLVER_DIRECT);
        dry_settings settings = dry_world_get_settings(b.world);
        settings.joint_regularization = pow(10, -10 - k);
        assert_ok(dry_world_set_settings(b.world, &settings));
        const double start = dry_world_energy(b.world).kinetic_J;
        const double total = dry_world_energy(b.world).total_J;
        uint64_t iterations = 0;
        for (int step = 0; step < steps; step++) {
            run_steps(b.world, 1, scene.dt);
            const dry_articulation_statistics s = dry_world_statistics(b.world).articulations;
            assert_int_equal(s.corrections, 1);
            iterations += s.iterations;
            assert_near(dry_world_energy(b.world).total_J, total, 1e-3 * start);
        }
        mean[k] = (double)iterations / steps;
        all += mean[k] / EPSILONS;
        free_built(&b);
    }
    for (int k = 0; k < EPSILONS; k++)
        assert_near(mean[k], all, 0.2 * all);
}

/* Returns the foot of the left leg relative to the crank's axis, by Jansen's holy numbers, with the crank at
 * `angle`. */
static d3 jansen_foot(double angle)
{
    const d3 pin = {0.15 * cos(angle), 0.15 * sin(angle), 0}, pivot = {-0.38, -0.078, 0};
    const d3 top = meet_left(pivot, 0.415, pin, 0.5), lower = meet_left(pin, 0.619, pivot, 0.393);
    const d3 outer = meet_left(pivot, 0.401, top, 0.558);
    const d3 ankle = meet_left(lower, 0.367, outer, 0.394);
    return meet_left(lower, 0.49, ankle, 0.657);
}

enum { FIRST_LEG = 3, LEG_BODIES = 6 }; /* after floor, frame and shaft */

/* Returns where the middle of a leg's sole is in the foot's frame, which is the leg's last body. */
static d3 sole_of(const dry_scene *scene, int leg)
{
    const dry_body_def *foot = &scene->bodies[FIRST_LEG + LEG_BODIES * leg + LEG_BODIES - 1].def;
    const dry_shape_def *sole = &foot->shapes[foot->shape_count - 1];
    assert_int_equal(sole->type, DRY_SHAPE_SPHERE);
    return d3_of(sole->pose.position);
}

/* All feet begin where the holy numbers put them, right ones as mirror images of left ones whose crank is
 * mirrored. The lowest foot begins 0.4 m above the floor, a third of the machine's height. */
static void test_strandbeest_feet(void **state)
{
    (void)state;
    const int legs = 24;
    static const int twelfths[12] = {0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11};
    dry_scene scene;
    make("strandbeest", legs, &scene);
    const d3 axis = d3_at(scene.bodies[1].def.pose.position);
    double lowest = INFINITY, highest = 0;
    for (int i = 0; i < legs; i++) {
        const dry_pose *pose = &scene.bodies[FIRST_LEG + LEG_BODIES * i + LEG_BODIES - 1].def.pose;
        const d3 foot =
            d3_sub(d3_add(d3_at(pose->position), d3_turn(pose->orientation, sole_of(&scene, i))), axis);
        const double angle = TEST_PI / 6 * twelfths[i / 2 % 12];
        const d3 at = jansen_foot(i % 2 ? TEST_PI - angle : angle);
        assert_near(foot.x, i % 2 ? -at.x : at.x, 1e-6);
        assert_near(foot.y, at.y, 1e-6);
        lowest = fmin(lowest, foot.y + axis.y - 0.02);
    }
    for (int i = 0; i < scene.joint_count; i++) {
        const side a = side_of(&scene, &scene.joints[i], false);
        const d3 r = d3_turn(a.rotation, d3_of(scene.joints[i].def.anchor_a));
        highest = fmax(highest, a.at.y + r.y);
    }
    assert_near(lowest, 0.4, 1e-6);
    assert_near((highest - lowest) / 3, 0.4, 0.04);
    dry_scene_free(&scene);
}

/* A slowly driven leg's foot follows the path that the holy numbers give, some 0.4 m long, over a whole
 * rotation. Iterated joints give way by millimeters. */
static void test_strandbeest_foot_path(void **state)
{
    (void)state;
    dry_scene scene;
    make("strandbeest", 2, &scene);
    scene.bodies[1].def.type = DRY_BODY_STATIC; /* the frame */
    dry_joint_axis *crank = &scene.joints[0].def.axes[DRY_AXIS_RX];
    crank->motor = DRY_MOTOR_VELOCITY;
    crank->velocity = 0.5f;
    crank->force_max = 5.0f;
    built b = build_scene(scene, v3(0, 0, 0));
    dry_settings settings = dry_world_get_settings(b.world);
    settings.substeps_min = 64;
    assert_ok(dry_world_set_settings(b.world, &settings));
    const d3 axis = position_of(b.world, b.ids[1]);
    const double bound = 0.005;
    double turned = 0, before = 0;
    for (int step = 0; step < 800; step++) {
        run_steps(b.world, 1, TEST_DT);
        const d3 x = d3_turn(pose_of(b.world, b.ids[2]).orientation, (d3){1, 0, 0});
        const double angle = atan2(x.y, x.x);
        turned += remainder(angle - before, 2 * TEST_PI);
        before = angle;
        for (int leg = 0; leg < 2; leg++) {
            const dry_pose pose = pose_of(b.world, b.ids[FIRST_LEG + LEG_BODIES * leg + LEG_BODIES - 1]);
            const d3 foot =
                d3_sub(d3_add(d3_at(pose.position), d3_turn(pose.orientation, sole_of(&scene, leg))), axis);
            const d3 at = jansen_foot(leg ? TEST_PI - angle : angle);
            assert_near(foot.x, leg ? -at.x : at.x, bound);
            assert_near(foot.y, at.y, bound);
        }
    }
    assert_true(fabs(turned) > 2 * TEST_PI);
    free_built(&b);
}

/* A load of k times a machine's mass makes its mass k + 1 times as large, and its frame's alone. */
static void test_load_of_a_frame(void **state)
{
    (void)state;
    double masses[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        dry_scene scene;
        make("strandbeest", 4, &scene);
        if (k == 1)
            assert_true(dry_scene_add_load(&scene, "frame", 10));
        assert_false(dry_scene_add_load(&scene, "floor", 1));
        assert_false(dry_scene_add_load(&scene, "no body", 1));
        assert_false(dry_scene_add_load(&scene, "frame", 1e15));
        built b = build_scene(scene, scene.gravity);
        for (int i = 1; i < scene.body_count; i++)
            masses[k] += mass_of(b.world, b.ids[i]).mass;
        assert_true(scene.bodies[1].has_mass == (k == 1) && !scene.bodies[2].has_mass);
        free_built(&b);
    }
    assert_near(masses[1] / masses[0], 11, 1e-5);
}

/* The first parallelogram of `four-bar` has one rocker that is 1 % too long. One event names one of its six
 * hinges; the others close, and iterative joints tell nothing. No energy is gained. */
static void test_four_bar_tells_its_conflict(void **state)
{
    (void)state;
    for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver <= DRY_JOINT_SOLVER_DIRECT; solver++) {
        dry_scene scene;
        make("four-bar", 3, &scene);
        built b = build_scene_with(scene, v3(0, -TEST_G, 0), (dry_joint_solver)solver);
        const double start = dry_world_energy(b.world).total_J;
        int told = 0;
        for (int step = 0; step < 300; step++) {
            run_steps(b.world, 1, TEST_DT);
            assert_at_most(dry_world_energy(b.world).total_J, start + 1e-6 * fabs(start));
            const dry_events events = dry_world_events(b.world);
            for (int i = 0; i < events.conflict_count; i++, told++) {
                dry_joint_def def;
                assert_ok(dry_joint_get_def(b.world, events.conflicts[i].joint, &def));
                int body = 0;
                while (b.ids[body].bits != def.body_b.bits)
                    assert_true(++body < b.scene.body_count);
                assert_true(body < 4);
                assert_true(events.conflicts[i].error > 1e-3f && events.conflicts[i].error < 0.01f);
            }
        }
        assert_int_equal(told, solver == DRY_JOINT_SOLVER_DIRECT);
        free_built(&b);
    }
}

/* No other scene has joints that contradict each other. */
static void test_other_scenes_have_no_conflict(void **state)
{
    (void)state;
    static const char *const names[] = {"ball-hinge", "peaucellier", "chain", "tree",   "spider",
                                        "lattice",    "strandbeest", "crane", "bridge", "door"};
    for (int n = 0; n < COUNT_OF(names); n++) {
        dry_scene scene;
        make(names[n], 0, &scene);
        built b = build_scene_with(scene, scene.gravity, DRY_JOINT_SOLVER_DIRECT);
        for (int step = 0; step < test_pick(120, 20); step++) {
            run_steps(b.world, 1, scene.dt);
            const dry_events events = dry_world_events(b.world);
            if (events.conflict_count)
                fail_msg("%s: a joint is open by %g after step %d", names[n],
                         (double)events.conflicts[0].error, step);
        }
        free_built(&b);
    }
}

/* Rows of flaps fall and beat about like whips. Whatever their way, as gravity differs by a ten-thousandth,
 * they neither gain nor lose much of their energy in 10 s. */
static void test_flaps_keep_their_energy(void **state)
{
    (void)state;
    const int sizes[] = {3, 5, 10};
    for (int i = 0; i < 8 * COUNT_OF(sizes); i++) {
        dry_scene scene;
        make("ball-hinge", sizes[i / 8], &scene);
        dry_vec3 gravity = scene.gravity;
        gravity.y *= 1 + 1e-4f * (float)(i % 8);
        built b = build_scene_with(scene, gravity, DRY_JOINT_SOLVER_DIRECT);
        const double start = dry_world_energy(b.world).total_J;
        double least = 0, largest = 0, kinetic = 0;
        for (int step = 0; step < test_pick(600, 120); step++) {
            run_steps(b.world, 1, scene.dt);
            const dry_energy energy = dry_world_energy(b.world);
            least = fmin(least, energy.total_J - start);
            largest = fmax(largest, energy.total_J - start);
            kinetic = fmax(kinetic, energy.kinetic_J);
        }
        assert_at_most(largest, 5e-4 * kinetic);
        assert_at_most(-5e-3 * kinetic, least);
        free_built(&b);
    }
}

/* Nothing can turn in a hanging tube or lattice: however large the forces in its bars, a step takes one
 * substep. */
static void test_rigid_structures_take_one_substep(void **state)
{
    (void)state;
    for (int n = 0; n < 2; n++) {
        dry_scene scene;
        make("tube", n == 0 ? 8 : 20, &scene);
        built b = build_scene_with(scene, scene.gravity, DRY_JOINT_SOLVER_DIRECT);
        for (int step = 0; step < test_pick(30, 4); step++) {
            run_steps(b.world, 1, scene.dt);
            assert_int_equal(dry_world_statistics(b.world).articulations.corrections, 1);
            assert_at_most(fabs(dry_world_energy(b.world).kinetic_J), 1e-9);
        }
        free_built(&b);
    }
}

/* The load of a frame presses on its feet and on all joints. Neither raises the tier while a machine stands:
 * what a foot moves is as heavy as its load, and no leg can turn by itself. Twelve legs stand. Four tilt with
 * any solver: their center of mass is 15 mm beside the line through the two lowest feet, away from the third.
 */
static void test_load_of_a_frame_raises_no_tier(void **state)
{
    (void)state;
    enum { STEPS = 150 };
    const int steps = test_pick(STEPS, 60);
    int tier[STEPS];
    const double loads[] = {0, 1, 10, 100, 1000};
    for (int k = 0; k < COUNT_OF(loads); k++) {
        dry_scene scene;
        make("strandbeest", 12, &scene);
        if (loads[k] > 0)
            assert_true(dry_scene_add_load(&scene, "frame", loads[k]));
        built b = build_scene_with(scene, scene.gravity, DRY_JOINT_SOLVER_DIRECT);
        for (int step = 0; step < steps; step++) {
            run_steps(b.world, 1, scene.dt);
            tier[step] = k == 0 ? dry_body_tier(b.world, b.ids[1]) : tier[step];
            assert_int_equal(dry_body_tier(b.world, b.ids[1]), tier[step]);
            const d3 up = d3_turn(pose_of(b.world, b.ids[1]).orientation, (d3){0, 1, 0});
            assert_at_most(hypot(up.x, up.z), 0.02);
        }
        assert_true(tier[steps - 1] > 0);
        free_built(&b);
    }
}

/* Four legs are no stand: the center of mass of the machine is outside the triangle of its three lowest feet.
 */
static void test_four_legs_are_no_stand(void **state)
{
    (void)state;
    dry_scene scene;
    make("strandbeest", 4, &scene);
    built b = build_scene(scene, scene.gravity);
    d3 foot[4], center = {0, 0, 0};
    double mass = 0;
    for (int i = 1; i < scene.body_count; i++) {
        const double m = mass_of(b.world, b.ids[i]).mass;
        center = d3_add(center, d3_scale(center_of(b.world, b.ids[i]), m));
        mass += m;
    }
    center = d3_scale(center, 1 / mass);
    for (int leg = 0; leg < 4; leg++) {
        const dry_pose pose = pose_of(b.world, b.ids[FIRST_LEG + LEG_BODIES * leg + LEG_BODIES - 1]);
        foot[leg] = d3_add(d3_at(pose.position), d3_turn(pose.orientation, sole_of(&scene, leg)));
    }
    /* Legs 0 and 3 are the lowest, 2 is 30 mm higher and 1 is 180 mm higher. */
    assert_true(fabs(foot[0].y - foot[3].y) < 0.003 && foot[2].y - foot[3].y > 0.029 &&
                foot[1].y - foot[3].y > 0.17);
    const d3 along = d3_unit((d3){foot[3].x - foot[0].x, 0, foot[3].z - foot[0].z});
    const d3 across = {-along.z, 0, along.x}; /* toward +z, where the third foot is */
    assert_true(d3_dot(across, d3_sub(foot[2], foot[0])) > 0.02);
    assert_near(d3_dot(across, d3_sub(center, foot[0])), -0.0155, 0.0005);
    free_built(&b);
}

/* The frame lands on the legs when a machine falls over. However heavy it is, no body is lost, no joint opens
 * and no energy is gained. The rows of its parts have less of alpha than the legs, so that few iterations
 * close them. */
static void test_heavy_machines_fall_in_one_piece(void **state)
{
    (void)state;
    const struct {
        int legs, steps;
        double load;
    } cases[] = {{10, 240, 1000}, {10, 240, 3000}, {40, 30, 1000}};
    for (int k = 0; k < COUNT_OF(cases); k++) {
        dry_scene scene;
        make("strandbeest", cases[k].legs, &scene);
        assert_true(dry_scene_add_load(&scene, "frame", cases[k].load));
        built b = build_scene_with(scene, scene.gravity, DRY_JOINT_SOLVER_DIRECT);
        const double start = dry_world_energy(b.world).total_J;
        for (int step = 0; step < cases[k].steps; step++) {
            run_steps(b.world, 1, scene.dt);
            assert_at_most(dry_world_energy(b.world).total_J, start * (1 + 1e-6));
            double error_m, error_rad;
            read_errors(&b, &error_m, &error_rad);
            assert_at_most(error_m, 1e-8);
            assert_at_most(error_rad, 1e-8);
            assert_true(dry_world_statistics(b.world).articulations.iterations_max <= 6);
        }
        assert_int_equal(dry_world_statistics(b.world).quarantined_bodies, 0);
        free_built(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_starts_closed_and_steps),
        cmocka_unit_test(test_redundant_rows),
        cmocka_unit_test(test_peaucellier_pen),
        cmocka_unit_test(test_peaucellier_swings_near_the_singular_pose),
        cmocka_unit_test(test_iterations_do_not_follow_eps),
        cmocka_unit_test(test_strandbeest_feet),
        cmocka_unit_test(test_strandbeest_foot_path),
        cmocka_unit_test(test_load_of_a_frame),
        cmocka_unit_test(test_four_bar_tells_its_conflict),
        cmocka_unit_test(test_other_scenes_have_no_conflict),
        cmocka_unit_test(test_flaps_keep_their_energy),
        cmocka_unit_test(test_rigid_structures_take_one_substep),
        cmocka_unit_test(test_load_of_a_frame_raises_no_tier),
        cmocka_unit_test(test_four_legs_are_no_stand),
        cmocka_unit_test(test_heavy_machines_fall_in_one_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
