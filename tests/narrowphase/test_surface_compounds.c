/* Tests compounds with meshes and height fields as children: one child is that shape to the bit, several are
 * several shapes; saved bytes come back, and what can't be honored is refused. */
#include "tests/counting_allocator.h"
#include "tests/log_lines.h"
#include "tests/narrowphase/triangle_floor.h"
#include "tests/query_shapes.h"

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

/* A child with a pose and a scale in a compound with another scale answers as the shape at that place. */
static void a_turned_child_is_the_turned_shape(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        uint64_t seed = 40 + (uint64_t)kind;
        dry_shape_def child = hilly_shape(kind & 1, kind & 2, &seed);
        const dry_quat q = random_quat(&seed);
        const d3 at = random_d3(&seed, 2);
        child.scale = v3(0.5, 1.2, 0.6);
        child.pose = (dry_transform){v3_of(at), q};
        dry_shape_def whole = compound_shape(&child, 1), alone = child;
        whole.scale = v3(2, 2, -2);
        alone.scale = v3(1, 2.4, -1.2);
        alone.pose = (dry_transform){v3(2 * at.x, 2 * at.y, -2 * at.z), {-q.x, -q.y, q.z, q.w}};
        dry_world *world[2] = {world_with(test_settings()), world_with(test_settings())};
        const dry_shape_def *shape[2] = {&alone, &whole};
        for (int i = 0; i < 2; i++) {
            dry_shape_def def = *shape[i];
            def.materials = four_materials;
            def.material_count = 4;
            add_body(world[i], DRY_BODY_STATIC, pose_at(0, 0, 0), def);
        }
        int hits = 0;
        for (int i = 0; i < test_pick(300, 80); i++) {
            const d3 from = random_d3(&seed, 12), aim = random_d3(&seed, 4);
            const d3 own = d3_turn(q, (d3){0.5 * (aim.x + 4), 0.3 * aim.y, 0.6 * (aim.z + 4)});
            const d3 to = {2 * (at.x + own.x), 2 * (at.y + own.y), -2 * (at.z + own.z)};
            const dry_ray ray = {.origin = {from.x, from.y, from.z},
                                 .translation = v3_of(d3_scale(d3_sub(to, from), 2)),
                                 .mask = UINT64_MAX,
                                 .sides = DRY_SIDES_BOTH};
            dry_ray_hit hit[2];
            for (int k = 0; k < 2; k++)
                assert_ok(dry_world_cast_ray(world[k], &ray, &hit[k]));
            if (hit[0].triangle != hit[1].triangle)
                continue; /* through an edge */
            hits += hit[0].shape.bits != 0;
            assert_near(hit[0].fraction, hit[1].fraction, 1e-5);
            assert_near(hit[0].normal.x, hit[1].normal.x, 1e-5);
        }
        assert_true(hits > 15);
        for (int i = 0; i < 2; i++)
            dry_world_destroy(world[i]);
        dry_shape_data_release(whole.data);
        dry_shape_data_release(child.data);
    }
}

/* A mesh, a field and a box in a row, flush in y = 0, under balls that rest. */
static dry_shape_def row_of_three(void)
{
    surface s = {0};
    surface_quad(&s, (d3){0, 0, 0}, (d3){0, 0, 1}, (d3){1, 0, 1}, (d3){1, 0, 0});
    dry_shape_def child[3] = {data_shape(DRY_SHAPE_MESH, mesh_data(&s, false)),
                              data_shape(DRY_SHAPE_HEIGHT_FIELD, field_data(4, 0.25, DRY_DIAGONAL_FORWARD)),
                              box_shape(0.5, 0.2, 0.5)};
    surface_free(&s);
    child[1].pose.position = v3(1, 0, 0);
    child[2].pose.position = v3(2.5, -0.2, 0.5);
    const dry_shape_def row = compound_shape(child, 3);
    dry_shape_data_release(child[0].data);
    dry_shape_data_release(child[1].data);
    return row;
}

/* Contacts, and rays from above, name the child, and a triangle where it has some. */
static void answers_name_child_and_triangle(void **state)
{
    (void)state;
    const dry_shape_def row = row_of_three();
    dry_world *world = world_with(test_settings());
    const dry_body_id ground = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), row);
    for (int i = 0; i < 3; i++)
        add_dynamic(world, pose_at(i + 0.4, 0.2, 0.3), sphere_shape(0.2));
    run_steps(world, 60, TEST_DT);
    dry_contact contacts[4];
    int count, seen = 0;
    assert_ok(dry_body_get_contacts(world, ground, contacts, 4, &count));
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; i++) {
        seen |= 1 << contacts[i].child_a;
        assert_int_equal(contacts[i].triangle_a >= 0, contacts[i].child_a < 2);
        assert_near(contacts[i].normal.y, 1, 1e-6);
        assert_near(contacts[i].points[0].position.x, contacts[i].child_a + 0.4, 0.01);
    }
    assert_int_equal(seen, 7);
    for (int i = 0; i < 3; i++) {
        const dry_ray ray = {.origin = {i + 0.9, 1, 0.9}, .translation = v3(0, -2, 0), .mask = UINT64_MAX};
        dry_ray_hit hit;
        assert_ok(dry_world_cast_ray(world, &ray, &hit));
        assert_int_equal(hit.child, i);
        assert_int_equal(hit.triangle >= 0, i < 2);
        assert_near(hit.fraction, 0.5, 1e-6);
    }
    dry_world_destroy(world);
    dry_shape_data_release(row.data);
}

/* A board that lies over all three children bears on each; a box that leaves one for the next does not jump.
 * After some steps nothing allocates. */
static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    const dry_shape_def row = row_of_three();
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = test_world_def();
    def.allocator = counting_hooks(&counter);
    dry_world *world = world_from(&def);
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), row);
    const dry_body_id board = add_dynamic(world, pose_at(1.5, 0.1, 0.5), box_shape(1.3, 0.1, 0.3));
    run_steps(world, 120, TEST_DT);
    assert_near(position_of(world, board).y, 0.1, 1e-3);
    counter.fail_at = 0;
    for (int i = 0; i < 200; i++) {
        set_velocity(world, board, (d3){i % 100 < 50 ? 0.2 : -0.2, 0, 0}, (d3){0, 0, 0});
        run_steps(world, 1, TEST_DT);
        assert_near(position_of(world, board).y, 0.1, 1e-3);
    }
    counter.fail_at = -1;
    dry_world_destroy(world);
    assert_int_equal(counter.bytes, 0);
    dry_shape_data_release(row.data);
}

static void what_no_body_can_have_is_refused(void **state)
{
    (void)state;
    uint64_t seed = 3;
    log_lines lines = {0};
    dry_shape_def child = hilly_shape(false, false, &seed), row = row_of_three();
    child.pose.orientation = quat_about((d3){0, 1, 0}, 0.3);
    dry_shape_def whole = compound_shape(&child, 1);
    dry_world_def settings = test_world_def();
    settings.log = (dry_log){keep_line, &lines};
    dry_world *world = world_from(&settings);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 0, 0), &row);
    const dry_body_id fixed = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, 0, 0), row);
    const dry_body_id ball = add_dynamic(world, pose_at(0, 2, 0), sphere_shape(0.5));
    dry_body_id id;
    dry_shape_id shape;
    const uint64_t hash = dry_world_hash(world);
    assert_int_equal(dry_world_create_body(world, &def, &id), DRY_ERROR_ARGUMENT);
    assert_non_null(strstr(lines.last, "use a compound of hulls"));
    assert_int_equal(dry_body_create_shape(world, ball, &row, &shape), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_body_set_type(world, fixed, DRY_BODY_DYNAMIC), DRY_ERROR_ARGUMENT);
    assert_non_null(strstr(lines.last, "use a compound of hulls"));
    def.type = DRY_BODY_STATIC;
    def.shapes = &whole; /* its triangles have materials 0 to 3 */
    assert_int_equal(dry_world_create_body(world, &def, &id), DRY_ERROR_ARGUMENT);
    assert_non_null(strstr(lines.last, "material index 3"));
    whole.materials = four_materials;
    whole.material_count = 4;
    whole.scale = v3(1, 2, 1); /* would shear the child */
    assert_int_equal(dry_world_create_body(world, &def, &id), DRY_ERROR_ARGUMENT);
    assert_non_null(strstr(lines.last, "scale"));
    assert_true(dry_world_hash(world) == hash);
    whole.scale = v3(-2, 2, 2);
    assert_ok(dry_world_create_body(world, &def, &id));
    dry_world_destroy(world);
    dry_shape_data_release(row.data);
    dry_shape_data_release(whole.data);
    dry_shape_data_release(child.data);
}

/* Compounds of convex shapes fall on a compound of all kinds, so that a pair has many contacts of both kinds:
 * the same state for every number of threads, and none is below the ground. */
static void threads_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t seed = 61, hash[2];
    dry_shape_def ground[4] = {hilly_shape(false, false, &seed), hilly_shape(true, true, &seed),
                               box_shape(1, 0.5, 1), box_shape(0.5, 0.6, 4)};
    ground[1].pose.position = v3(8, 0, 0);
    ground[2].pose.position = v3(8, 0.2, 4);
    ground[3].pose.position = v3(4, 0, 4);
    dry_shape_def child[3] = {box_shape(0.5, 0.1, 0.1), box_shape(0.1, 0.1, 0.5), sphere_shape(0.2)};
    child[2].pose.position = v3(0.4, 0.2, 0);
    dry_shape_def land = compound_shape(ground, 4);
    const dry_shape_def cross = compound_shape(child, 3);
    land.materials = four_materials;
    land.material_count = 4;
    for (int way = 0; way < 2; way++) {
        dry_world_def def = test_world_def();
        def.threads = way ? 4 : 1;
        dry_world *world = world_from(&def);
        add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), land);
        for (int i = 0; i < 100; i++)
            add_dynamic(world, pose_at(1.5 + i % 10 * 1.3, 1 + i % 3 * 0.5, 1 + i / 10 * 0.6), cross);
        run_steps(world, test_pick(200, 60), TEST_DT);
        dry_body_id ids[101];
        const int count = dry_world_get_bodies(world, ids, 101);
        for (int i = 0; i < count; i++)
            if (position_of(world, ids[i]).x > 0.5 && position_of(world, ids[i]).x < 15.5 &&
                position_of(world, ids[i]).z > 0.5 && position_of(world, ids[i]).z < 7.5)
                assert_true(position_of(world, ids[i]).y > -0.05);
        hash[way] = dry_world_hash(world);
        assert_true(dry_world_statistics(world).manifolds > 200);
        dry_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
    dry_shape_data_release(land.data);
    dry_shape_data_release(cross.data);
    dry_shape_data_release(ground[0].data);
    dry_shape_data_release(ground[1].data);
}

/* A living shape becomes a compound with triangles and another shape again; what it holds stays held. */
static void a_living_shape_may_change(void **state)
{
    (void)state;
    const dry_shape_def row = row_of_three();
    dry_world *world = world_with(test_settings());
    dry_shape_def block = box_shape(3, 0.5, 3);
    block.pose.position = v3(1, -0.5, 0);
    const dry_body_id ground = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), block);
    dry_body_id crates[3];
    for (int i = 0; i < 3; i++)
        crates[i] = add_dynamic(world, pose_at(i + 0.4, 0.2, 0.3), box_shape(0.2, 0.2, 0.2));
    dry_shape_id shape;
    int count;
    assert_ok(dry_body_get_shapes(world, ground, &shape, 1, &count));
    for (int way = 0; way < 4; way++) {
        const dry_transform place = {v3(way % 2 ? 1 : 0, way % 2 ? -0.5 : 0, 0), QUAT_IDENTITY};
        assert_ok(dry_shape_set_geometry(world, shape, way % 2 ? &block : &row));
        assert_ok(dry_shape_set_pose(world, shape, place));
        run_steps(world, 60, TEST_DT);
        for (int i = 0; i < 3; i++)
            assert_near(position_of(world, crates[i]).y, 0.2, 1e-3);
    }
    dry_world_destroy(world);
    dry_shape_data_release(row.data);
}

/* Many children in an order without sense: queries find those that a list of all does. */
static void rows_of_boxes_lose_no_child(void **state)
{
    (void)state;
    enum { CHILDREN = 700 };
    uint64_t seed = 91;
    surface s = {0};
    surface_quad(&s, (d3){-0.2, 0, -0.2}, (d3){-0.2, 0, 0.2}, (d3){0.2, 0, 0.2}, (d3){0.2, 0, -0.2});
    dry_shape_data *tile = mesh_data(&s, true);
    surface_free(&s);
    static dry_shape_def child[CHILDREN];
    for (int i = 0; i < CHILDREN; i++) {
        child[i] = i % 3 ? data_shape(DRY_SHAPE_MESH, tile) : sphere_shape(0.2);
        child[i].pose.position = v3_of(random_d3(&seed, 8));
        child[i].pose.orientation = random_quat(&seed);
    }
    const dry_shape_def all = compound_shape(child, CHILDREN);
    dry_world *one = world_with(test_settings()), *many = world_with(test_settings());
    add_body(one, DRY_BODY_STATIC, pose_at(0, 0, 0), all);
    dry_body_def def = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), child);
    def.shape_count = CHILDREN;
    add_def(many, &def);
    int hits = 0;
    for (int i = 0; i < test_pick(500, 150); i++) {
        const d3 from = random_d3(&seed, 9), aim = d3_of(child[random_below(&seed, CHILDREN)].pose.position);
        const d3 way = d3_scale(d3_sub(aim, from), 1.5);
        const dry_ray ray = {
            .origin = {from.x, from.y, from.z}, .translation = v3_of(way), .mask = UINT64_MAX};
        const dry_shape_def ball = sphere_shape(0.3);
        const dry_closest_query near = {
            .shape = &ball, .pose = pose_at(from.x, from.y, from.z), .max_distance = 2, .mask = UINT64_MAX};
        dry_ray_hit a, b;
        dry_closest_hit c, d;
        assert_ok(dry_world_cast_ray(one, &ray, &a));
        assert_ok(dry_world_cast_ray(many, &ray, &b));
        assert_ok(dry_world_closest(one, &near, &c));
        assert_ok(dry_world_closest(many, &near, &d));
        assert_int_equal(a.shape.bits != 0, b.shape.bits != 0);
        assert_int_equal(c.shape.bits != 0, d.shape.bits != 0);
        assert_near(a.fraction, b.fraction, 1e-5);
        assert_near(c.distance, d.distance, 1e-5);
        hits += a.shape.bits != 0;
    }
    assert_true(hits > 100);
    dry_world_destroy(one);
    dry_world_destroy(many);
    dry_shape_data_release(all.data);
    dry_shape_data_release(tile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_child_collides_as_that_shape),
        cmocka_unit_test(one_child_answers_as_that_shape),
        cmocka_unit_test(a_turned_child_is_the_turned_shape),
        cmocka_unit_test(answers_name_child_and_triangle),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(what_no_body_can_have_is_refused),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(a_living_shape_may_change),
        cmocka_unit_test(rows_of_boxes_lose_no_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
