/* Overlaps and touching pairs of the quality measure against constructions whose depth is known. */
#include "tests/tools/quality_bench.h"

#include "tools/scenes/measure/parts.h"

#include <stdlib.h>

/* Turns the whole state about the world's origin and moves it: depths must not change. */
static void move_all(bench *b, dry_quat q, dry_position by)
{
    for (int i = 0; i < b->scene.body_count; i++) {
        dry_position p = rotate(q, b->poses[i].position);
        b->poses[i].position = (dry_position){p.x + by.x, p.y + by.y, p.z + by.z};
        b->poses[i].orientation = multiply(q, b->poses[i].orientation);
    }
}

/* Body a at the origin against b at (x, y, z) turned by `turned`: the depth, which must be the same with
 * the pair turned together, moved far off, and the bodies in the other order. Depth below 0: no touch. */
static void assert_depth(void (*a)(bench *b), void (*b)(bench *b), dry_position at, dry_quat turned,
                         double depth)
{
    for (int variant = 0; variant < 8; variant++) {
        bench built;
        bench_init(&built);
        int first = add_body(&built, DRY_BODY_DYNAMIC, 0.0, 0.0, 0.0);
        int second = first + 1;
        if (variant & 1) {
            b(&built);
            add_body(&built, DRY_BODY_STATIC, 0.0, 0.0, 0.0);
            a(&built);
            second = first;
        } else {
            a(&built);
            add_body(&built, DRY_BODY_STATIC, 0.0, 0.0, 0.0);
            b(&built);
        }
        built.poses[second].position = at;
        built.poses[second].orientation = turned;
        if (variant & 2)
            move_all(&built, about(1.0, 2.0, -3.0, 2.2), (dry_position){0.0, 0.0, 0.0});
        if (variant & 4)
            move_all(&built, about(0.0, 0.0, 1.0, 0.0), (dry_position){-123.0, 1e4, 77.0});
        dry_quality quality = measure(&built);
        assert_int_equal(quality.touching_pairs, depth >= 0.0 ? 1 : 0);
        /* Poses are floats' quaternions; 1e-6 is their rounding on arms of a few meters. */
        assert_near(quality.penetration_max_m, depth >= 0.0 ? depth : 0.0, 2e-6);
        assert_near(quality.penetration_mean_m, depth >= 0.0 ? depth : 0.0, 2e-6);
        dry_scene_free(&built.scene);
    }
}

static void slab(bench *b)
{
    add_box(b, 3.0f, 0.25f, 2.0f);
}
/* Solid where x >= -0.5. */
static void wall(bench *b)
{
    add_halfspace(b, (dry_vec3){-1.0f, 0.0f, 0.0f}, 0.5f);
}

static dry_position at(double x, double y, double z)
{
    return (dry_position){x, y, z};
}

static void test_box_box(void **state)
{
    (void)state;
    const dry_quat none = {0.0f, 0.0f, 0.0f, 1.0f};
    const double root2 = sqrt(2.0), root3 = sqrt(3.0);
    assert_depth(unit_cube, unit_cube, at(0.9, 0.1, -0.2), none, 0.1);
    assert_depth(unit_cube, unit_cube, at(0.3, 0.95, 0.96), none, 0.04);
    assert_depth(unit_cube, unit_cube, at(1.001, 0.0, 0.0), none, -1.0);
    assert_depth(unit_cube, unit_cube, at(1.00005, 0.3, 0.0), none, 0.0); /* a gap that counts as touch */
    assert_depth(unit_cube, unit_cube, at(0.0, 0.0, 0.0), none, 1.0);
    assert_depth(slab, unit_cube, at(1.0, 0.7, 0.5), none, 0.05);
    /* A cube on its edge, then on its vertex, into a face. */
    assert_depth(slab, unit_cube, at(0.5, 0.25 + 0.5 * root2 - 0.03, 0.1), about(0, 0, 1, PI / 4), 0.03);
    dry_quat vertex = about(1.0, 0.0, -1.0, acos(1.0 / root3)); /* (1, 1, 1) turned to y */
    assert_depth(slab, unit_cube, at(0.5, 0.25 + 0.5 * root3 - 0.02, 0.1), vertex, 0.02);
    assert_depth(slab, unit_cube, at(0.5, 0.25 + 0.5 * root3 + 0.02, 0.1), vertex, -1.0);
    /* Crossed edges: a cube turned 45 degrees about x over one turned 45 degrees about z, seen from the
     * first: its edge along x meets the other's along z, heights sqrt(1/2) each. Both are set in a common
     * turn so that the first is the unturned body. */
    dry_quat first = about(1, 0, 0, PI / 4), second = about(0, 0, 1, PI / 4);
    dry_quat back = {-first.x, -first.y, -first.z, first.w};
    dry_position apart = rotate(back, at(0.1, root2 - 0.05, -0.15));
    assert_depth(unit_cube, unit_cube, apart, multiply(back, second), 0.05);
    apart = rotate(back, at(0.1, root2 + 0.05, -0.15));
    assert_depth(unit_cube, unit_cube, apart, multiply(back, second), -1.0);
}

static void test_sphere_pairs(void **state)
{
    (void)state;
    const dry_quat none = {0.0f, 0.0f, 0.0f, 1.0f};
    assert_depth(ball, ball, at(0.48, 0.64, 0.0), none, 0.2);
    assert_depth(ball, ball, at(0.6, 0.81, 0.0), none, -1.0);
    assert_depth(ball, rod, at(0.7, 0.9, 0.0), none, 0.05);                   /* beside the segment */
    assert_depth(ball, rod, at(0.3, 1.4, 0.0), none, 0.25);                   /* 0.5 from its end */
    assert_depth(ball, rod, at(1.6, 0.0, 0.0), about(0, 0, 1, PI / 2), 0.15); /* lying */
    assert_depth(unit_cube, ball, at(0.95, 0.2, 0.1), none, 0.05);            /* face */
    assert_depth(unit_cube, ball, at(0.8, 0.9, 0.0), none, 0.0);              /* edge: center 0.5 away */
    assert_depth(unit_cube, ball, at(0.7, 0.7, 0.6), none, 0.2);              /* vertex: (.2, .2, .1) away */
    assert_depth(unit_cube, ball, at(0.81, 0.91, 0.0), none, -1.0);
    assert_depth(unit_cube, ball, at(0.1, 0.3, -0.2), none, 0.7); /* center 0.2 inside */
    assert_depth(ball, ground, at(7.0, -0.575, 3.0), none, 0.05);
    assert_depth(ball, ground, at(7.0, -0.7, 3.0), none, -1.0);
    assert_depth(ball, wall, at(0.9, 0.0, 0.0), none, 0.1);
}

static void test_capsule_pairs(void **state)
{
    (void)state;
    const dry_quat none = {0.0f, 0.0f, 0.0f, 1.0f};
    const double root2 = sqrt(2.0);
    assert_depth(rod, rod, at(0.3, 1.5, 0.4), none, 0.0);                     /* parallel, 0.5 apart */
    assert_depth(rod, rod, at(0.0, 2.4, 0.0), none, 0.1);                     /* end to end */
    assert_depth(rod, rod, at(0.45, 0.9, 0.9), about(1, 0, 0, PI / 2), 0.05); /* crossed */
    assert_depth(rod, rod, at(0.0, 0.5, 0.5), about(1, 0, 0, PI / 2), 0.5);   /* axes meet */
    assert_depth(rod, rod, at(0.3, 0.0, 1.4), about(1, 0, 0, PI / 2), 0.0);   /* end to side: (.3, .4) */
    assert_depth(unit_cube, rod, at(0.7, 0.9, 0.1), none, 0.05);              /* side on face */
    assert_depth(unit_cube, rod, at(0.0, 1.7, 0.1), none, 0.05);              /* end on face */
    assert_depth(unit_cube, rod, at(0.1, 1.3, 0.0), none, 0.25 + 0.2);        /* end inside by 0.2 */
    /* The axis along the diagonal of the cube's x-y square, whichever way: out along z by 0.5. */
    assert_depth(unit_cube, rod, at(0.0, 0.0, 0.0), about(0, 0, 1, PI / 4), 0.25 + 0.5);
    /* The axis along (-1, 1, 0), its middle 0.1 sqrt(2) inside the edge at (0.5, 0.5): out over it. */
    assert_depth(unit_cube, rod, at(0.4, 0.4, 0.0), about(0, 0, 1, PI / 4), 0.25 + 0.1 * root2);
    /* Over an edge at 45 degrees: the segment's middle 0.2 from the edge. */
    double reach = 0.5 + 0.2 / root2;
    assert_depth(unit_cube, rod, at(reach, reach, 0.0), about(0, 0, 1, PI / 4), 0.05);
    reach = 0.5 + 0.26 / root2;
    assert_depth(unit_cube, rod, at(reach, reach, 0.0), about(0, 0, 1, PI / 4), -1.0);
    /* The ground's plane is 0.125 above its origin, the wall's -0.5 from it; the rod reaches 1.25 down and
     * 0.25 aside. */
    assert_depth(rod, ground, at(0.0, -1.35, 0.0), none, 0.025);
    assert_depth(rod, wall, at(0.725, 0.0, 0.0), none, 0.025);
    assert_depth(rod, wall, at(0.8, 0.0, 0.0), none, -1.0);
}

static void test_box_on_halfspace(void **state)
{
    (void)state;
    const dry_quat none = {0.0f, 0.0f, 0.0f, 1.0f};
    assert_depth(unit_cube, ground, at(0.0, -0.6, 0.0), none, 0.025);
    assert_depth(unit_cube, ground, at(0.0, -0.63, 0.0), none, -1.0);
    /* The half-space turned so that its plane meets the cube's edge. */
    assert_depth(unit_cube, ground, at(0.0, 0.0, 0.0), about(0, 0, 1, PI / 4), 0.125 + 0.5 * sqrt(2.0));
}

/* A body and a shape pose both turn and move the shape. */
static void test_shape_poses_in_compounds(void **state)
{
    (void)state;
    bench b;
    bench_init(&b);
    int dumbbell = add_body(&b, DRY_BODY_DYNAMIC, 0.0, 2.0, 0.0);
    for (int side = -1; side <= 1; side += 2) {
        dry_shape_def *ball_shape = add_shape(&b, DRY_SHAPE_SPHERE);
        ball_shape->radius = 0.25f;
        ball_shape->pose.position.x = (float)side;
    }
    dry_shape_def *bar = add_shape(&b, DRY_SHAPE_CAPSULE);
    bar->radius = 0.125f;
    bar->half_length = 1.0f;
    bar->pose.orientation = about(0, 0, 1, PI / 2);
    add_body(&b, DRY_BODY_STATIC, 0.0, 0.0, 0.0);
    add_box(&b, 5.0f, 0.5f, 5.0f);
    dry_quality quality = measure(&b);
    assert_int_equal(quality.touching_pairs, 0); /* its own shapes overlap, which is nobody's concern */

    /* Lying on the floor: both balls 0.05 deep, the bar 0.075 above. */
    b.poses[dumbbell].position.y = 0.7;
    quality = measure(&b);
    assert_int_equal(quality.touching_pairs, 2);
    assert_near(quality.penetration_max_m, 0.05, 1e-6);
    /* Upright: one ball 0.05 deep, and the bar's end, 0.125 further in, still 0.075 above. */
    b.poses[dumbbell].position.y = 1.7;
    b.poses[dumbbell].orientation = about(0, 0, 1, PI / 2);
    quality = measure(&b);
    assert_int_equal(quality.touching_pairs, 1);
    assert_near(quality.penetration_mean_m, 0.05, 1e-6);
    dry_scene_free(&b.scene);
}

static void test_which_pairs_count(void **state)
{
    (void)state;
    bench b;
    bench_init(&b);
    for (int i = 0; i < 4; i++) {
        add_body(&b, i < 2 ? DRY_BODY_STATIC : DRY_BODY_DYNAMIC, 0.9 * i, 0.0, 0.0);
        unit_cube(&b);
    }
    assert_int_equal(measure(&b).touching_pairs, 2); /* not the two static ones */
    assert_near(measure(&b).penetration_max_m, 0.1, 1e-9);
    assert_near(measure(&b).penetration_mean_m, 0.1, 1e-9);

    dry_joint_def joint = dry_default_joint_def(DRY_JOINT_BALL);
    assert_true(dry_scene_add_joint(&b.scene, &joint, 3, 2) >= 0);
    assert_int_equal(measure(&b).touching_pairs, 1);
    b.scene.joints[0].def.collide = true;
    assert_int_equal(measure(&b).touching_pairs, 2);

    b.scene.shapes[2].filter.mask = 2;
    assert_int_equal(measure(&b).touching_pairs, 0);
    b.scene.shapes[2].filter.group = b.scene.shapes[1].filter.group = 7;
    assert_int_equal(measure(&b).touching_pairs, 1);
    b.scene.shapes[2].filter = b.scene.shapes[1].filter = b.scene.shapes[0].filter;
    b.scene.shapes[2].filter.group = b.scene.shapes[3].filter.group = -7;
    assert_int_equal(measure(&b).touching_pairs, 1);
    b.scene.bodies[2].def.enabled = false;
    assert_int_equal(measure(&b).touching_pairs, 0);
    dry_scene_free(&b.scene);
}

/* The mean is over all touching pairs, resting ones of depth 0 included. */
static void test_mean_depth(void **state)
{
    (void)state;
    bench b;
    bench_init(&b);
    const double heights[4] = {0.5, 1.5, 2.4, 3.1};
    add_body(&b, DRY_BODY_STATIC, 0.0, -1.0, 0.0);
    add_box(&b, 10.0f, 1.0f, 10.0f);
    for (int i = 0; i < 4; i++) {
        add_body(&b, DRY_BODY_DYNAMIC, 0.0, heights[i], 0.0);
        unit_cube(&b);
    }
    dry_quality quality = measure(&b);
    assert_int_equal(quality.touching_pairs, 4);
    assert_near(quality.penetration_max_m, 0.3, 1e-9);
    assert_near(quality.penetration_mean_m, (0.0 + 0.0 + 0.1 + 0.3) / 4.0, 1e-9);
    dry_scene_free(&b.scene);
}

/* The grid against all pairs: sizes over five decades, statics among them, seen through bounds. */
typedef struct pair_count {
    const dry_solid *solids;
    unsigned char *seen;
    int count;
} pair_count;

static void count_pair(const dry_solid *a, const dry_solid *b, void *user)
{
    pair_count *pairs = user;
    int i = (int)(a - pairs->solids), j = (int)(b - pairs->solids);
    pairs->seen[(i < j ? i : j) * pairs->count + (i < j ? j : i)]++;
}

static void test_pairs_are_those_of_all_pairs(void **state)
{
    (void)state;
    enum { COUNT = 600 };
    dry_solid *solids = calloc(COUNT, sizeof *solids);
    unsigned char *seen = malloc((size_t)COUNT * COUNT);
    assert_non_null(solids);
    assert_non_null(seen);
    uint64_t random = 99;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < COUNT; i++) {
            solids[i] =
                (dry_solid){.type = DRY_SHAPE_SPHERE, .body = i / 2, .dynamic = uniform(&random) < 0.7};
            if (i % 100 == 0)
                solids[i].type = DRY_SHAPE_HALFSPACE;
            double first = uniform(&random), size = pow(10.0, -3.0 + 5.0 * first * uniform(&random));
            for (int k = 0; k < 3; k++) {
                double center = round == 3 ? 1e7 : (uniform(&random) - 0.5) * pow(10.0, round);
                double half = 0.5 * size * (0.01 + uniform(&random));
                solids[i].low[k] = center - half;
                solids[i].high[k] = center + half;
            }
        }
        memset(seen, 0, (size_t)COUNT * COUNT);
        pair_count pairs = {solids, seen, COUNT};
        assert_true(dry_solid_pairs(solids, COUNT, count_pair, &pairs));
        int found = 0;
        for (int i = 0; i < COUNT; i++) {
            for (int j = i + 1; j < COUNT; j++) {
                const dry_solid *a = &solids[i], *b = &solids[j];
                bool plane_a = a->type == DRY_SHAPE_HALFSPACE, plane_b = b->type == DRY_SHAPE_HALFSPACE;
                bool meet = !(plane_a && plane_b);
                for (int k = 0; k < 3 && !plane_a && !plane_b; k++)
                    meet = meet && a->low[k] <= b->high[k] && b->low[k] <= a->high[k];
                bool wanted = meet && a->body != b->body && (a->dynamic || b->dynamic);
                assert_int_equal(seen[i * COUNT + j], wanted);
                found += wanted;
            }
        }
        assert_true(found > COUNT);
    }
    free(solids);
    free(seen);
}

/* Random boxes against a brute-force bound: no direction separates them by less than the depth, and
 * moving them apart by it along the best direction found by sampling is not much better. */
static void test_box_depth_is_least_over_directions(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int run = 0; run < 60; run++) {
        dry_solid box[2];
        memset(box, 0, sizeof box);
        for (int n = 0; n < 2; n++) {
            box[n].type = DRY_SHAPE_BOX;
            double x = uniform(&random) - 0.5, y = uniform(&random) - 0.5, z = uniform(&random) - 0.5;
            dry_quat q = about(x, y, z, 6.0 * uniform(&random));
            const dry_position unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
            for (int k = 0; k < 3; k++) {
                dry_position axis = rotate(q, unit[k]);
                box[n].axis[k][0] = axis.x, box[n].axis[k][1] = axis.y, box[n].axis[k][2] = axis.z;
                box[n].half[k] = 0.2 + uniform(&random);
                box[n].center[k] = n * (uniform(&random) - 0.5);
            }
        }
        double depth = dry_solid_overlap(&box[0], &box[1]), least = INFINITY;
        for (int i = 0; i < 20000; i++) {
            double d[3], length = 0.0, overlap = 0.0, apart = 0.0;
            for (int k = 0; k < 3; k++) {
                d[k] = uniform(&random) - 0.5;
                length += d[k] * d[k];
            }
            length = sqrt(length);
            for (int k = 0; k < 3; k++)
                apart += d[k] / length * (box[1].center[k] - box[0].center[k]);
            for (int n = 0; n < 2; n++)
                for (int k = 0; k < 3; k++)
                    overlap +=
                        box[n].half[k] *
                        fabs(box[n].axis[k][0] * d[0] + box[n].axis[k][1] * d[1] + box[n].axis[k][2] * d[2]) /
                        length;
            overlap -= fabs(apart);
            least = overlap < least ? overlap : least;
        }
        assert_true(depth > 0.0 && depth <= least + 1e-6);
        assert_true(least - depth < 0.06);
    }
}

/* 40 x 40 x 25 cubes in touch: every neighbor pair once. */
static void test_many_bodies(void **state)
{
    (void)state;
    enum { X = 40, Y = 40, Z = 25, COUNT = X * Y * Z };
    dry_scene scene;
    memset(&scene, 0, sizeof scene);
    dry_pose *poses = malloc(COUNT * sizeof *poses);
    dry_velocity *velocities = calloc(COUNT, sizeof *velocities);
    assert_non_null(poses);
    assert_non_null(velocities);
    for (int i = 0; i < COUNT; i++) {
        dry_body_def def = dry_default_body_def();
        dry_shape_def cube = dry_default_shape_def();
        cube.half_extents = (dry_vec3){0.5f, 0.5f, 0.5f};
        def.type = DRY_BODY_DYNAMIC;
        /* 2 mm into each other in y, far enough aside in x and z not to touch. */
        def.pose.position = (dry_position){1.5 * (i % X), 0.998 * (i / X % Y), 1.5 * (i / (X * Y))};
        poses[i] = def.pose;
        assert_true(dry_scene_add_body(&scene, "b", &def) == i && dry_scene_add_shape(&scene, &cube) == i);
    }
    dry_scene_finish(&scene);
    dry_quality quality;
    assert_true(dry_quality_measure_poses(&scene, poses, velocities, &quality));
    assert_int_equal(quality.touching_pairs, X * (Y - 1) * Z);
    assert_near(quality.penetration_max_m, 0.002, 1e-12);
    assert_near(quality.penetration_mean_m, 0.002, 1e-12);
    free(poses);
    free(velocities);
    dry_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_box),
        cmocka_unit_test(test_sphere_pairs),
        cmocka_unit_test(test_capsule_pairs),
        cmocka_unit_test(test_box_on_halfspace),
        cmocka_unit_test(test_shape_poses_in_compounds),
        cmocka_unit_test(test_which_pairs_count),
        cmocka_unit_test(test_mean_depth),
        cmocka_unit_test(test_pairs_are_those_of_all_pairs),
        cmocka_unit_test(test_box_depth_is_least_over_directions),
        cmocka_unit_test(test_many_bodies),
    };
    return cmocka_run_group_tests_name("quality_overlap", tests, NULL, NULL);
}
