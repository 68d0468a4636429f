/* Tests casts of shapes, closest points and contacts on all faces of a solid height field: top, sides, walls
 * of holes and underside. The oracle is the closed mesh of the same faces; a slab has a box's answers.
 *
 * Next: test_solid_rays.c, which tests rays on the same faces. */
#include "tests/api/solid_grounds.h"

enum { HITS_MAX = 256 };

static dry_shape_data *make_hull(uint64_t *seed)
{
    dry_vec3 points[12];
    for (int i = 0; i < 12; i++)
        points[i] = v3_of(random_d3(seed, 0.5));
    dry_shape_data *data = NULL;
    assert_ok(dry_hull_create(points, 12, 0, NULL, &data, NULL));
    return data;
}

static dry_shape_def draw_shape(dry_shape_data *hull, uint64_t *seed)
{
    const double a = random_in(seed, 0.05, 0.6), b = random_in(seed, 0.05, 0.6),
                 c = random_in(seed, 0.05, 0.6);
    switch (random_below(seed, 5)) {
    case 0:
        return sphere_shape(a);
    case 1:
        return capsule_shape(a, b);
    case 2:
        return cylinder_shape(a, b);
    case 3:
        return box_shape(a, b, c);
    default:
        return data_shape(DRY_SHAPE_HULL, hull);
    }
}

/* The largest extent of a shape drawn above and of the ground, m: errors are shares of it. */
static const double size = 15;

/* Counts of what drawn queries have met. */
typedef struct tally {
    int others, triangles, inside, none;
} tally;

static void count_hit(tally *n, bool is_hit, int triangle, bool is_inside)
{
    n->none += !is_hit;
    n->triangles += is_hit && triangle >= 0;
    n->others += is_hit && triangle < 0;
    n->inside += is_inside;
}

static int number_at(const grounds *g, int triangle)
{
    assert_true(triangle >= 0 && triangle < g->t.faces);
    return g->t.number[triangle];
}

static bool is_within(dry_vec3 weights)
{
    return fmin((double)weights.x, fmin((double)weights.y, (double)weights.z)) > 1e-4;
}

/* Compares what a hit on the field and one on the mesh say of the face. On an edge either of two may answer.
 */
#define assert_same_face(g, hit, other)                                                                      \
    do {                                                                                                     \
        const bool is_triangle = (hit).triangle >= 0;                                                        \
        assert_near((hit).barycentric.x + (hit).barycentric.y + (hit).barycentric.z, is_triangle, 1e-6);     \
        if (!is_within((other).barycentric))                                                                 \
            break;                                                                                           \
        assert_int_equal((hit).triangle, number_at(g, (other).triangle));                                    \
        assert_true((hit).material == (other).material);                                                     \
        assert_int_equal((hit).material_index, (other).material_index);                                      \
        assert_int_equal((hit).back, is_triangle && (other).back);                                           \
    } while (0)

static void check_closest(const grounds *g, const dry_shape_def *shape, dry_pose pose, int sides, tally *n)
{
    const dry_closest_query query = {
        .shape = shape, .pose = pose, .max_distance = 3, .mask = ~0ull, .sides = (dry_triangle_sides)sides};
    dry_closest_hit hit, other;
    assert_ok(dry_world_closest(g->field, &query, &hit));
    assert_ok(dry_world_closest(g->mesh, &query, &other));
    assert_int_equal(hit.shape.bits != 0, other.shape.bits != 0);
    count_hit(n, hit.shape.bits != 0, hit.triangle, hit.shape.bits && hit.distance < 0);
    if (!hit.shape.bits)
        return;
    assert_near(hit.distance, other.distance, 1e-5 * size);
    assert_near(d3_length(d3_sub(d3_at(hit.point), d3_at(other.point))), 0, 1e-5 * size);
    assert_same_face(g, hit, other);
}

static void check_cast(const grounds *g, const dry_shape_def *shape, dry_pose pose, d3 way, int sides,
                       tally *n)
{
    const dry_cast_query query = {.shape = shape,
                                  .pose = pose,
                                  .translation = v3_of(way),
                                  .mask = ~0ull,
                                  .sides = (dry_triangle_sides)sides};
    dry_cast_hit hit, other;
    assert_ok(dry_world_cast_shape(g->field, &query, &hit));
    assert_ok(dry_world_cast_shape(g->mesh, &query, &other));
    assert_int_equal(hit.shape.bits != 0, other.shape.bits != 0);
    count_hit(n, hit.shape.bits != 0, hit.triangle, hit.shape.bits && hit.depth > 0);
    if (!hit.shape.bits)
        return;
    assert_near((double)hit.fraction * d3_length(way), (double)other.fraction * d3_length(way), 1e-5 * size);
    assert_near(hit.depth, other.depth, 1e-5 * size);
    assert_near(d3_length(d3_sub(d3_of(hit.normal), d3_of(other.normal))), 0, 1e-4);
    assert_same_face(g, hit, other);
}

static void check_collide(const grounds *g, const dry_shape_def *shape, dry_pose pose, int sides, tally *n)
{
    const dry_collide_query query = {
        .shape = shape, .pose = pose, .margin = 0.1f, .mask = ~0ull, .sides = (dry_triangle_sides)sides};
    static dry_collide_hit hits[HITS_MAX], others[HITS_MAX];
    int count, other_count;
    assert_ok(dry_world_collide(g->field, &query, hits, HITS_MAX, &count));
    assert_ok(dry_world_collide(g->mesh, &query, others, HITS_MAX, &other_count));
    assert_int_equal(count, other_count);
    assert_true(count < HITS_MAX);
    n->none += count == 0;
    for (int i = 0; i < count; i++) {
        assert_near(hits[i].depth, others[i].depth, 1e-5 * size);
        assert_same_face(g, hits[i], others[i]);
        count_hit(n, true, hits[i].triangle, hits[i].depth > 0);
    }
    /* With less room the same ones come first. */
    dry_collide_hit few[3];
    assert_ok(dry_world_collide(g->field, &query, few, 3, &other_count));
    for (int i = 0; i < 3 && i < count; i++)
        assert_true(few[i].depth == hits[i].depth && few[i].triangle == hits[i].triangle &&
                    few[i].points[0].position.x == hits[i].points[0].position.x);
}

static void assert_all_met(const tally *n, int least)
{
    assert_true(n->others >= least && n->triangles >= least && n->inside >= least && n->none >= least);
}

static void a_field_has_the_answers_of_its_closed_mesh(void **state)
{
    (void)state;
    static const int sides[] = {DRY_SIDES_OF_SHAPE, DRY_SIDES_FRONT, DRY_SIDES_BOTH};
    uint64_t seed = 41;
    tally closest = {0}, cast = {0}, collide = {0};
    dry_shape_data *hull = make_hull(&seed);
    const int draws = test_pick(48, 12);
    for (int n = 0; n < draws; n++) {
        static grounds g;
        make_grounds(&g, n, &seed);
        for (int i = 0; i < 100; i++) {
            const dry_shape_def shape = draw_shape(hull, &seed);
            const d3 at = draw_place(&g, &seed);
            const d3 to = draw_place(&g, &seed);
            const dry_pose pose = {{at.x, at.y, at.z}, random_quat(&seed)};
            check_closest(&g, i % 8 ? &shape : NULL, pose, sides[i % 3], &closest);
            check_cast(&g, &shape, pose, d3_sub(to, at), sides[i % 3], &cast);
            check_collide(&g, &shape, pose, sides[i % 3], &collide);
        }
        destroy_grounds(&g);
    }
    assert_all_met(&closest, draws);
    assert_all_met(&cast, draws);
    assert_all_met(&collide, draws);
    dry_shape_data_release(hull);
}

/* A slab and a box of its size answer alike from outside; a ball also from inside. Both sides are asked: one
 * side alone lets pass a shape that slips past an edge with its center behind one face and away from another.
 */
static void a_slab_has_the_answers_of_a_box(void **state)
{
    (void)state;
    uint64_t seed = 43;
    static grounds g;
    g.pose = (dry_pose){{20, -30, 40}, random_quat(&seed)};
    g.scale = v3(1, 1, 1);
    draw_terrain(&g.t, 0, 0, &seed);
    g.field = world_of(DRY_SHAPE_HEIGHT_FIELD, make_field(&g.t), g.pose, g.scale);
    g.mesh = world_with(test_settings());
    dry_shape_def box = box_shape(0.5 * CELLS, 0.75, 0.625 * CELLS);
    box.pose.position = v3(0.5 * CELLS, -0.75, 0.625 * CELLS);
    add_body(g.mesh, DRY_BODY_STATIC, g.pose, box);
    dry_shape_data *hull = make_hull(&seed);
    int hits = 0, inside = 0;
    for (int i = 0; i < test_pick(3000, 600); i++) {
        const dry_shape_def shape = draw_shape(hull, &seed);
        const d3 at = draw_place(&g, &seed);
        const d3 to = draw_place(&g, &seed);
        const d3 way = d3_sub(to, at);
        const dry_closest_query near = {.shape = &shape,
                                        .pose = {{at.x, at.y, at.z}, random_quat(&seed)},
                                        .max_distance = 10,
                                        .mask = ~0ull};
        dry_closest_hit hit, other;
        assert_ok(dry_world_closest(g.field, &near, &hit));
        assert_ok(dry_world_closest(g.mesh, &near, &other));
        if (other.distance < 0 && shape.type != DRY_SHAPE_SPHERE)
            continue;
        assert_near(hit.distance, other.distance, 1e-5 * size);
        inside += other.distance < 0;
        const dry_cast_query cast = {.shape = &shape,
                                     .pose = near.pose,
                                     .translation = v3_of(way),
                                     .mask = ~0ull,
                                     .sides = DRY_SIDES_BOTH};
        dry_cast_hit first, second;
        assert_ok(dry_world_cast_shape(g.field, &cast, &first));
        assert_ok(dry_world_cast_shape(g.mesh, &cast, &second));
        assert_int_equal(first.shape.bits != 0, second.shape.bits != 0);
        assert_near((double)first.fraction * d3_length(way), (double)second.fraction * d3_length(way),
                    1e-5 * size);
        assert_near(first.depth, second.depth, 1e-5 * size);
        hits += first.shape.bits != 0 && first.depth == 0;
    }
    assert_true(hits > test_pick(400, 80) && inside > test_pick(40, 8));
    dry_shape_data_release(hull);
    destroy_grounds(&g);
}

/* `sides` asks for triangles alone: other faces are met from outside whatever it says. Without a depth there
 * are none, and a call for triangles gives none but triangles. */
static void faces_that_are_no_triangles(void **state)
{
    (void)state;
    uint64_t seed = 44;
    static terrain t;
    draw_terrain(&t, 0, 0, &seed);
    const dry_shape_def ball = sphere_shape(0.25);
    for (int depth = 0; depth < 2; depth++) {
        t.def.solid_depth = 1.5f * (float)depth;
        dry_world *world = world_of(DRY_SHAPE_HEIGHT_FIELD, make_field(&t), pose_at(0, 0, 0), v3(1, 1, 1));
        for (int sides = 0; sides < DRY_SIDES_COUNT; sides++) {
            const dry_cast_query aside = {.shape = &ball,
                                          .pose = pose_at(-1, -1, 2.6),
                                          .translation = {4, 0, 0},
                                          .mask = ~0ull,
                                          .sides = (dry_triangle_sides)sides};
            dry_cast_hit hit;
            assert_ok(dry_world_cast_shape(world, &aside, &hit));
            assert_int_equal(hit.shape.bits != 0, depth);
            assert_true(hit.triangle == -1 && hit.back == 0);
            assert_near(hit.fraction, depth ? 0.75 / 4 : 0, 1e-6);
            assert_near(hit.normal.x, depth ? -1 : 0, 1e-6);
            const dry_closest_query below = {
                .pose = pose_at(2.3, -2, 2.6), .max_distance = 1, .mask = ~0ull, .sides = aside.sides};
            dry_closest_hit near;
            assert_ok(dry_world_closest(world, &below, &near));
            assert_int_equal(near.shape.bits != 0, depth);
            assert_near(near.distance, depth ? 0.5 : 0, 1e-6);
            assert_true(near.triangle == -1);
        }
        dry_body_id body;
        assert_int_equal(dry_world_get_bodies(world, &body, 1), 1);
        dry_shape_id shape;
        int count;
        assert_ok(dry_body_get_shapes(world, body, &shape, 1, &count));
        assert_ok(dry_shape_get_triangles(world, shape, (dry_position){-9, -9, -9}, (dry_position){9, 9, 9},
                                          NULL, 0, &count));
        assert_int_equal(count, 2 * CELLS * CELLS);
        dry_world_destroy(world);
    }
}

/* A batch has the bits of single calls. */
static void batches_have_the_bits_of_single_calls(void **state)
{
    (void)state;
    enum { QUERIES = 200, EACH = 3 };
    uint64_t seed = 45;
    static grounds g;
    make_grounds(&g, 1, &seed);
    const dry_shape_def box = box_shape(0.4, 0.3, 0.5);
    static dry_closest_query near[QUERIES];
    static dry_cast_query cast[QUERIES];
    static dry_collide_query touch[QUERIES];
    static dry_closest_hit nearest[QUERIES];
    static dry_cast_hit first[QUERIES];
    static dry_collide_hit deepest[QUERIES * EACH];
    int counts[QUERIES];
    for (int i = 0; i < QUERIES; i++) {
        const d3 at = draw_place(&g, &seed);
        const d3 to = draw_place(&g, &seed);
        const dry_pose pose = {{at.x, at.y, at.z}, random_quat(&seed)};
        near[i] = (dry_closest_query){.shape = &box, .pose = pose, .max_distance = 2, .mask = ~0ull};
        cast[i] = (dry_cast_query){
            .shape = &box, .pose = pose, .translation = v3_of(d3_sub(to, at)), .mask = ~0ull};
        touch[i] = (dry_collide_query){.shape = &box, .pose = pose, .margin = 0.3f, .mask = ~0ull};
    }
    assert_ok(dry_world_closests(g.field, QUERIES, near, nearest));
    assert_ok(dry_world_cast_shapes(g.field, QUERIES, cast, first));
    assert_ok(dry_world_collides(g.field, QUERIES, touch, deepest, EACH, counts));
    for (int i = 0; i < QUERIES; i++) {
        dry_closest_hit a;
        dry_cast_hit b;
        dry_collide_hit c[EACH];
        int count;
        assert_ok(dry_world_closest(g.field, &near[i], &a));
        assert_ok(dry_world_cast_shape(g.field, &cast[i], &b));
        assert_ok(dry_world_collide(g.field, &touch[i], c, EACH, &count));
        assert_memory_equal(&a, &nearest[i], sizeof a);
        assert_memory_equal(&b, &first[i], sizeof b);
        assert_int_equal(count, counts[i]);
        assert_memory_equal(c, &deepest[i * EACH], (size_t)(count < EACH ? count : EACH) * sizeof *c);
    }
    destroy_grounds(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_has_the_answers_of_its_closed_mesh),
        cmocka_unit_test(a_slab_has_the_answers_of_a_box),
        cmocka_unit_test(faces_that_are_no_triangles),
        cmocka_unit_test(batches_have_the_bits_of_single_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
