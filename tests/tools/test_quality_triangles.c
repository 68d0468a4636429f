/* The quality measure of meshes and height fields: closed forms over level ground, and brute force. */
#include "tests/tools/quality_bench.h"

#include "tools/scenes/double3.h"
#include "tools/scenes/measure/parts.h"

static double between(uint64_t *random, double low, double high)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(*random >> 11) * 0x1p-53);
}

static dry_vec3 draw_point(uint64_t *random, double reach)
{
    const double x = between(random, -reach, reach), y = between(random, -reach, reach);
    return (dry_vec3){(float)x, (float)y, (float)between(random, -reach, reach)};
}

static dry_shape_def *add_mesh(bench *b, const dry_vec3 *vertices, int count, const int32_t *triangles,
                               int triangle_count, bool two_sided)
{
    const dry_mesh mesh = {vertices, triangles, count, triangle_count};
    const dry_mesh_options options = {.two_sided = two_sided};
    dry_shape_def *shape = add_shape(b, DRY_SHAPE_MESH);
    assert_int_equal(dry_scene_add_mesh(&b->scene, &mesh, &options, &shape->data, NULL), DRY_OK);
    return shape;
}

/* Level ground at y = 0 of two large triangles, and a shape with its lowest point at `low`. */
static double depth_over_ground(dry_shape_type type, double low)
{
    const dry_vec3 corner[4] = {{-9, 0, -9}, {-9, 0, 9}, {9, 0, 9}, {9, 0, -9}};
    const int32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    dry_vec3 points[8];
    bench b;
    bench_init(&b);
    add_body(&b, DRY_BODY_STATIC, 0.0, 0.0, 0.0);
    add_mesh(&b, corner, 4, triangles, 2, false);
    const double half = type == DRY_SHAPE_SPHERE ? 0.5 : type == DRY_SHAPE_CAPSULE ? 0.75 : 0.25;
    add_body(&b, DRY_BODY_DYNAMIC, 0.3, low + half, 0.5);
    for (int i = 0; i < 8; i++)
        points[i] = (dry_vec3){i & 1 ? 1.0f : -1.0f, i & 2 ? 0.25f : -0.25f, i & 4 ? 1.0f : -1.0f};
    dry_shape_def *shape = add_shape(&b, type);
    shape->half_extents = (dry_vec3){1.0f, 0.25f, 1.0f};
    shape->radius = type == DRY_SHAPE_CAPSULE ? 0.25f : 0.5f;
    shape->half_length = type == DRY_SHAPE_CYLINDER ? 0.25f : 0.5f;
    if (type == DRY_SHAPE_HULL)
        assert_int_equal(dry_scene_add_hull(&b.scene, points, 8, 0, &shape->data, NULL), DRY_OK);
    const dry_quality quality = measure(&b);
    dry_scene_free(&b.scene);
    assert_int_equal(quality.touching_pairs > 0, low < DRY_QUALITY_GAP);
    return quality.penetration_max_m;
}

static void level_ground_tells_the_depth(void **state)
{
    (void)state;
    static const dry_shape_type types[] = {DRY_SHAPE_SPHERE, DRY_SHAPE_CAPSULE, DRY_SHAPE_BOX,
                                           DRY_SHAPE_CYLINDER, DRY_SHAPE_HULL};
    for (int i = 0; i < 5; i++) {
        assert_near(depth_over_ground(types[i], 0.01), 0.0, 0.0);
        assert_near(depth_over_ground(types[i], -0.02), 0.02, 1e-6);
        assert_near(depth_over_ground(types[i], -0.2), 0.2, 1e-6);
    }
    /* The middle of a ball has passed the front. */
    assert_near(depth_over_ground(DRY_SHAPE_SPHERE, -0.8), 0.8, 1e-6);
}

/* Returns the distance of a point from a triangle: to the plane where the foot lies inside, else to an edge.
 */
static double distance_of(const double corner[3][3], const double *p)
{
    double ab[3], ac[3], n[3], least = INFINITY;
    bool inside = true;
    d3_sub(corner[1], corner[0], ab);
    d3_sub(corner[2], corner[0], ac);
    d3_cross(ab, ac, n);
    for (int i = 0; i < 3; i++) {
        double way[3], from[3], side[3], apart[3];
        d3_sub(corner[(i + 1) % 3], corner[i], way);
        d3_sub(p, corner[i], from);
        d3_cross(way, from, side);
        inside = inside && d3_dot(side, n) >= 0.0;
        const double share = fmin(fmax(d3_dot(from, way) / d3_dot(way, way), 0.0), 1.0);
        for (int k = 0; k < 3; k++)
            apart[k] = from[k] - share * way[k];
        least = fmin(least, d3_length(apart));
    }
    double from[3];
    d3_sub(p, corner[0], from);
    return inside ? fabs(d3_dot(from, n)) / d3_length(n) : least;
}

/* A ball and a capsule against a triangle of two sides: brute force along the capsule's axis. */
static void round_shapes_are_as_deep_as_sampled(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int run = 0; run < 300; run++) {
        const dry_vec3 corner[3] = {draw_point(&random, 1.0), draw_point(&random, 1.0),
                                    draw_point(&random, 1.0)};
        const int32_t triangle[3] = {0, 1, 2};
        const double half = run % 2 ? between(&random, 0.1, 1.0) : 0.0;
        bench b;
        bench_init(&b);
        add_body(&b, DRY_BODY_STATIC, 0.1, -0.2, 0.3);
        add_mesh(&b, corner, 3, triangle, 1, true);
        b.poses[0].orientation = about(1.0, 2.0, -1.0, between(&random, -3.0, 3.0));
        add_body(&b, DRY_BODY_DYNAMIC, between(&random, -1.0, 1.0), between(&random, -1.0, 1.0), 0.2);
        if (half > 0.0)
            add_capsule(&b, 0.5f, (float)half);
        else
            add_sphere(&b, 0.5f);
        b.poses[1].orientation = about(-1.0, 0.5, 1.0, between(&random, -3.0, 3.0));
        dry_scene_finish(&b.scene);
        const dry_solid flat = dry_solid_place(&b.scene, &b.scene.shapes[0], 0, &b.poses[0]);
        const dry_solid round = dry_solid_place(&b.scene, &b.scene.shapes[1], 0, &b.poses[1]);
        double least = INFINITY;
        for (int i = 0; i <= 4000; i++) {
            double p[3];
            for (int k = 0; k < 3; k++)
                p[k] =
                    round.center[k] - flat.center[k] + round.half[1] * (i / 2000.0 - 1.0) * round.axis[1][k];
            least = fmin(least, distance_of(flat.corner, p));
        }
        assert_near(dry_solid_overlap(&round, &flat), 0.5 - least, half > 0.0 ? 6e-4 : 1e-9);
        assert_near(dry_solid_overlap(&flat, &round), 0.5 - least, half > 0.0 ? 6e-4 : 1e-9);
        dry_scene_free(&b.scene);
    }
}

/* A field lies as its equal mesh does, whatever the scale; holes have no triangles. */
static void a_field_is_the_mesh_of_its_cells(void **state)
{
    (void)state;
    uint64_t random = 6;
    for (int run = 0; run < 20; run++) {
        enum { SIDE = 5, CELLS = (SIDE - 1) * (SIDE - 1) };
        float height[SIDE * SIDE];
        uint8_t hole[CELLS] = {0};
        dry_vec3 vertex[SIDE * SIDE];
        int32_t triangle[6 * CELLS];
        int count = 0;
        hole[run % CELLS] = 1;
        for (int i = 0; i < SIDE * SIDE; i++) {
            height[i] = (float)between(&random, -0.5, 0.5);
            vertex[i] = (dry_vec3){0.5f * (float)(i % SIDE), height[i], 0.75f * (float)(i / SIDE)};
        }
        for (int i = 0; i < CELLS; i++) {
            const int a = i / (SIDE - 1) * SIDE + i % (SIDE - 1), d = a + SIDE;
            const int32_t forward[6] = {a, d, d + 1, a, d + 1, a + 1},
                          backward[6] = {a, d, a + 1, a + 1, d, d + 1};
            if (hole[i])
                continue;
            memcpy(triangle + 3 * count, run % 2 ? backward : forward, sizeof forward);
            count += 2;
        }
        const dry_height_field_def def = {.rows = SIDE,
                                          .columns = SIDE,
                                          .spacing = {0.5f, 0.75f},
                                          .heights = height,
                                          .holes = hole,
                                          .diagonal = (dry_diagonal)(run % 2)};
        dry_quality quality[2];
        for (int way = 0; way < 2; way++) {
            bench b;
            bench_init(&b);
            add_body(&b, DRY_BODY_STATIC, 0.1, 0.2, 0.3);
            dry_shape_def *shape;
            if (way) {
                shape = add_mesh(&b, vertex, SIDE * SIDE, triangle, count, false);
            } else {
                shape = add_shape(&b, DRY_SHAPE_HEIGHT_FIELD);
                assert_int_equal(dry_scene_add_height_field(&b.scene, &def, &shape->data, NULL), DRY_OK);
            }
            shape->scale = (dry_vec3){run % 3 ? -1.0f : 1.0f, 0.5f, 2.0f};
            b.poses[0].orientation = about(1.0, 0.0, 2.0, 0.3 * run);
            assert_int_equal(dry_solids_of(&b.scene, shape), count);
            for (int i = 0; i < 6; i++) {
                const dry_vec3 at = vertex[(7 * i + run) % (SIDE * SIDE)];
                add_body(&b, DRY_BODY_DYNAMIC, (double)at.x, (double)at.y, (double)at.z);
                if (i % 2)
                    add_sphere(&b, 0.4f);
                else
                    add_box(&b, 0.3f, 0.2f, 0.4f);
            }
            quality[way] = measure(&b);
            dry_scene_free(&b.scene);
        }
        assert_int_equal(quality[0].touching_pairs, quality[1].touching_pairs);
        assert_near(quality[0].penetration_max_m, quality[1].penetration_max_m, 0.0);
        assert_near(quality[0].penetration_mean_m, quality[1].penetration_mean_m, 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_ground_tells_the_depth),
        cmocka_unit_test(round_shapes_are_as_deep_as_sampled),
        cmocka_unit_test(a_field_is_the_mesh_of_its_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
