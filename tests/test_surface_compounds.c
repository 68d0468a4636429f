/* Tests compounds with meshes and height fields as children: one child is that shape to the bit, several are
 * several shapes; saved bytes come back, and what can't be honored is refused. */
#include "tests/counting_allocator.h"
#include "tests/log_lines.h"
#include "tests/query_shapes.h"
#include "tests/triangle_floor.h"

static dry_shape_def compound_shape(const dry_shape_def *children, int count)
{
    dry_shape_data *data = NULL;
    assert_ok(dry_compound_create(children, count, NULL, &data));
    return data_shape(DRY_SHAPE_COMPOUND, data);
}

/* A hilly mesh or a hilly field about the origin, with materials 0 to 3. */
static dry_shape_def hilly_shape(bool field, bool solid, uint64_t *seed)
{
    enum { CELLS = 16 };
    uint16_t materials[2 * CELLS * CELLS];
    for (int i = 0; i < 2 * CELLS * CELLS; i++)
        materials[i] = (uint16_t)random_below(seed, 4);
    materials[0] = 3;
    dry_shape_data *data = NULL;
    if (field) {
        float heights[(CELLS + 1) * (CELLS + 1)];
        for (int i = 0; i < (CELLS + 1) * (CELLS + 1); i++)
            heights[i] = (float)random_in(seed, 0, 0.4);
        const dry_height_field_def def = {.rows = CELLS + 1,
                                          .columns = CELLS + 1,
                                          .spacing = {0.5f, 0.5f},
                                          .heights = heights,
                                          .material_indices = materials,
                                          .solid_depth = solid ? 1.0f : 0.0f};
        assert_ok(dry_height_field_create(&def, NULL, &data, NULL));
        return data_shape(DRY_SHAPE_HEIGHT_FIELD, data);
    }
    surface s = solid ? torus_surface(16, 12, 0.4) : grid_surface(CELLS, 0.5, 0.4, seed);
    if (solid)
        surface_move(&s, QUAT_IDENTITY, (d3){4, 0, 4}, 3);
    const dry_mesh mesh = surface_mesh(&s);
    const dry_mesh_options options = {.solid = solid, .material_indices = materials};
    assert_ok(dry_mesh_create(&mesh, &options, NULL, &data, NULL));
    surface_free(&s);
    return data_shape(DRY_SHAPE_MESH, data);
}

static const dry_material four_materials[4] = {{.friction = 0.3f, .id = 11},
                                               {.friction = 0.9f, .restitution = 0.4f, .id = 12},
                                               {.friction = 0.1f, .id = 13},
                                               {.friction = 0.6f, .id = 14}};

/* A world with a surface, as itself or as the only child of a compound, and bodies above it. */
static dry_world *world_on(const dry_shape_def *ground_shape, bool as_child, bool moves, int threads)
{
    dry_world_def def = test_world_def();
    def.threads = threads;
    dry_world *world = world_from(&def);
    dry_shape_def shape = as_child ? compound_shape(ground_shape, 1) : *ground_shape;
    shape.materials = four_materials;
    shape.material_count = 4;
    dry_body_def ground =
        body_def(moves ? DRY_BODY_KINEMATIC : DRY_BODY_STATIC, pose_at(0.1, -0.3, 0.2), &shape);
    ground.pose.orientation = quat_about((d3){0, 1, 0}, moves ? 0.3 : 0);
    ground.velocity.angular = v3(0, moves ? 0.2 : 0, 0);
    add_def(world, &ground);
    if (as_child)
        dry_shape_data_release(shape.data);
    uint64_t seed = 77;
    for (int i = 0; i < 24; i++) {
        const dry_shape_def kinds[] = {sphere_shape(0.25), capsule_shape(0.15, 0.2),
                                       box_shape(0.3, 0.2, 0.25), cylinder_shape(0.2, 0.2)};
        dry_pose pose = pose_at(1 + i % 6 * 1.1, 1.2 + 0.3 * (i % 4), 1.5 + i / 6 * 1.3);
        pose.orientation = random_quat(&seed);
        add_dynamic(world, pose, kinds[i % 4]);
    }
    return world;
}

static void bodies_move_alike(const dry_world *a, const dry_world *b)
{
    const dry_statistics s = dry_world_statistics(a), t = dry_world_statistics(b);
    assert_int_equal(s.pairs, t.pairs);
    assert_int_equal(s.manifolds, t.manifolds);
    dry_body_id one[32], other[32];
    const int count = dry_world_get_bodies(a, one, 32);
    assert_int_equal(dry_world_get_bodies(b, other, 32), count);
    for (int i = 0; i < count; i++) {
        dry_pose p, q;
        dry_velocity v, w;
        assert_ok(dry_body_get_pose(a, one[i], &p));
        assert_ok(dry_body_get_pose(b, other[i], &q));
        assert_ok(dry_body_get_velocity(a, one[i], &v));
        assert_ok(dry_body_get_velocity(b, other[i], &w));
        assert_memory_equal(&p.position, &q.position, sizeof p.position);
        assert_memory_equal(&p.orientation, &q.orientation, sizeof p.orientation);
        assert_memory_equal(&v, &w, sizeof v);
    }
}

/* Contacts of the ground name the child beside the triangle. */
static void contacts_are_alike(const dry_world *a, const dry_world *b)
{
    dry_body_id one[1], other[1];
    dry_contact x[128], y[128];
    int count, also;
    dry_world_get_bodies(a, one, 1);
    dry_world_get_bodies(b, other, 1);
    assert_ok(dry_body_get_contacts(a, one[0], x, 128, &count));
    assert_ok(dry_body_get_contacts(b, other[0], y, 128, &also));
    assert_int_equal(count, also);
    assert_true(count > 0 && count <= 128);
    for (int i = 0; i < count; i++) {
        assert_int_equal(x[i].triangle_a, y[i].triangle_a);
        assert_true(x[i].triangle_a >= 0);
        assert_int_equal(x[i].child_a, -1);
        assert_int_equal(y[i].child_a, 0);
        assert_true(x[i].material_a == y[i].material_a && x[i].material_a >= 11);
        assert_int_equal(x[i].point_count, y[i].point_count);
        assert_memory_equal(&x[i].normal, &y[i].normal, sizeof x[i].normal);
        for (int k = 0; k < x[i].point_count; k++) {
            assert_int_equal(x[i].points[k].feature, y[i].points[k].feature);
            assert_true(x[i].points[k].separation == y[i].points[k].separation);
            assert_true(x[i].points[k].normal_impulse_Ns == y[i].points[k].normal_impulse_Ns);
        }
    }
}

/* Meshes and fields, on static and kinematic bodies, solid ones too. */
static void one_child_collides_as_that_shape(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        uint64_t seed = 5 + (uint64_t)kind;
        dry_shape_def ground = hilly_shape(kind & 1, kind & 2, &seed);
        ground.scale = kind & 4 ? v3(1.1, 0.9, -1) : v3(1, 1, 1);
        ground.pose.position = v3(0, 0, kind & 4 ? 8 : 0);
        dry_shape_def alone = ground;
        dry_world *a = world_on(&alone, false, kind & 4, 1), *b = world_on(&ground, true, kind & 4, 2);
        for (int i = 0; i < test_pick(300, 60); i++) {
            run_steps(a, 1, TEST_DT);
            run_steps(b, 1, TEST_DT);
            bodies_move_alike(a, b);
            if (i == 40)
                contacts_are_alike(a, b);
        }
        dry_world_destroy(a);
        dry_world_destroy(b);
        dry_shape_data_release(ground.data);
    }
}

/* Fails unless two answers are the same but for the child; ids are those of different worlds. */
#define ASSERT_ALIKE(x, y)                                                                                   \
    do {                                                                                                     \
        assert_int_equal((x).shape.bits != 0, (y).shape.bits != 0);                                          \
        assert_int_equal((x).triangle, (y).triangle);                                                        \
        assert_int_equal((x).child, -1);                                                                     \
        assert_int_equal((y).child, (x).shape.bits ? 0 : -1);                                                \
        assert_true((x).material == (y).material && (x).back == (y).back);                                   \
        assert_memory_equal(&(x).barycentric, &(y).barycentric, sizeof(x).barycentric);                      \
        assert_memory_equal(&(x).normal, &(y).normal, sizeof(x).normal);                                     \
    } while (0)

/* Asks two worlds the same; returns the number of answers. */
static int ask_both(const dry_world *a, const dry_world *b, uint64_t *seed)
{
    const dry_world *world[2] = {a, b};
    const dry_shape_def kinds[] = {sphere_shape(0.3), box_shape(0.2, 0.3, 0.4), capsule_shape(0.2, 0.3)};
    const dry_shape_def *shape = &kinds[random_below(seed, 3)];
    const d3 from = random_d3(seed, 6), way = random_d3(seed, 8);
    const dry_pose pose = {{from.x + 4, 0.5 * from.y, from.z + 4}, random_quat(seed)};
    const dry_triangle_sides sides = (dry_triangle_sides)random_below(seed, DRY_SIDES_COUNT);
    const dry_ray ray = {
        .origin = pose.position, .translation = v3_of(way), .mask = UINT64_MAX, .sides = sides};
    const dry_cast_query cast = {
        .shape = shape, .pose = pose, .translation = v3_of(way), .mask = UINT64_MAX, .sides = sides};
    const dry_collide_query at = {
        .shape = shape, .pose = pose, .margin = 0.1f, .mask = UINT64_MAX, .sides = sides};
    const dry_closest_query near = {
        .shape = shape, .pose = pose, .max_distance = 3, .mask = UINT64_MAX, .sides = sides};
    const dry_overlap over = {.pose = pose, .half_extents = v3(0.3, 0.2, 0.4), .mask = UINT64_MAX};
    const dry_contains_query in = {.point = pose.position, .mask = UINT64_MAX};
    dry_ray_hit hit[2];
    dry_cast_hit met[2];
    dry_closest_hit closest[2];
    dry_collide_hit contacts[2][64];
    dry_contains_hit holders[2][2];
    dry_shape_id shapes[2];
    int touching[2], overlaps[2], holding[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(dry_world_cast_ray(world[i], &ray, &hit[i]));
        assert_ok(dry_world_cast_shape(world[i], &cast, &met[i]));
        assert_ok(dry_world_closest(world[i], &near, &closest[i]));
        assert_ok(dry_world_collide(world[i], &at, contacts[i], 64, &touching[i]));
        assert_ok(dry_world_overlap(world[i], &over, shapes, 2, &overlaps[i]));
        assert_ok(dry_world_contains(world[i], &in, holders[i], 2, &holding[i]));
    }
    ASSERT_ALIKE(hit[0], hit[1]);
    ASSERT_ALIKE(met[0], met[1]);
    ASSERT_ALIKE(closest[0], closest[1]);
    assert_true(hit[0].fraction == hit[1].fraction && met[0].fraction == met[1].fraction);
    assert_true(met[0].depth == met[1].depth && closest[0].distance == closest[1].distance);
    assert_int_equal(touching[0], touching[1]);
    assert_true(touching[0] <= 64);
    for (int i = 0; i < touching[0]; i++) {
        ASSERT_ALIKE(contacts[0][i], contacts[1][i]);
        assert_true(contacts[0][i].depth == contacts[1][i].depth);
        assert_int_equal(contacts[0][i].count, contacts[1][i].count);
    }
    assert_int_equal(overlaps[0], overlaps[1]);
    assert_int_equal(holding[0], holding[1]);
    if (holding[0] > 0)
        assert_true(holders[0][0].child == -1 && holders[1][0].child == 0);
    return (hit[0].shape.bits != 0) + (met[0].shape.bits != 0) + touching[0] + overlaps[0] + holding[0];
}

static void triangles_are_alike(const dry_world *a, const dry_world *b)
{
    const dry_world *world[2] = {a, b};
    dry_shape_triangle found[2][512];
    int count[2];
    for (int i = 0; i < 2; i++) {
        dry_body_id body;
        dry_shape_id shape;
        int shapes;
        dry_world_get_bodies(world[i], &body, 1);
        assert_ok(dry_body_get_shapes(world[i], body, &shape, 1, &shapes));
        assert_ok(dry_shape_get_triangles(world[i], shape, (dry_position){1, -3, 1}, (dry_position){6, 3, 4},
                                          found[i], 512, &count[i]));
    }
    assert_int_equal(count[0], count[1]);
    assert_true(count[0] > 10 && count[0] <= 512);
    for (int i = 0; i < count[0]; i++) {
        assert_int_equal(found[0][i].triangle, found[1][i].triangle);
        assert_memory_equal(found[0][i].corners, found[1][i].corners, sizeof found[0][i].corners);
        assert_int_equal(found[0][i].child, -1);
        assert_int_equal(found[1][i].child, 0);
    }
}

static void one_child_answers_as_that_shape(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        uint64_t seed = 15 + (uint64_t)kind;
        const dry_shape_def ground = hilly_shape(kind & 1, kind & 2, &seed);
        dry_world *world[2];
        for (int i = 0; i < 2; i++) {
            dry_shape_def shape = i ? compound_shape(&ground, 1) : ground;
            shape.materials = four_materials;
            shape.material_count = 4;
            shape.scale = kind & 4 ? v3(1.2, -0.8, 1) : v3(1, 1, 1);
            world[i] = world_with(test_settings());
            dry_pose pose = pose_at(0.1, -0.3, 0.2);
            pose.orientation = quat_about((d3){0, 1, 0}, 0.1);
            add_body(world[i], DRY_BODY_STATIC, pose, shape);
            if (i)
                dry_shape_data_release(shape.data);
        }
        int answers = 0;
        for (int i = 0; i < test_pick(400, 100); i++)
            answers += ask_both(world[0], world[1], &seed);
        assert_true(answers > 50);
        triangles_are_alike(world[0], world[1]);
        for (int i = 0; i < 2; i++)
            dry_world_destroy(world[i]);
        dry_shape_data_release(ground.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_child_collides_as_that_shape),
        cmocka_unit_test(one_child_answers_as_that_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
