/* Tests rays on the solid below a height field: its sides, the walls of its holes and its underside stop
 * them. The oracle asks `dry_world_contains` along the ray.
 *
 * Next: test_height_field.c, which tests the triangles, and test_solid_surfaces.c. */
#include "tests/test_world.h"

enum { SIDE = 8, CELLS = SIDE - 1, PROBES = 400 };

/* A field at random, with holes. */
typedef struct terrain {
    dry_height_field_def def;
    float height[SIDE * SIDE];
    uint8_t hole[CELLS * CELLS];
    uint16_t material[CELLS * CELLS];
} terrain;

static void make_terrain(terrain *t, double rough, int holes_in_ten, uint64_t *seed)
{
    *t = (terrain){.def = {.rows = SIDE, .columns = SIDE, .spacing = {1, 1}, .solid_depth = 1.5f}};
    t->def.heights = t->height;
    t->def.holes = t->hole;
    t->def.material_indices = t->material;
    t->def.diagonal = (dry_diagonal)random_below(seed, 2);
    for (int i = 0; i < SIDE * SIDE; i++)
        t->height[i] = (float)random_in(seed, -rough, rough);
    for (int i = 0; i < CELLS * CELLS; i++) {
        t->hole[i] = i > 0 && random_below(seed, 10) < holes_in_ten;
        t->material[i] = (uint16_t)(i % 2);
    }
}

static dry_body_id add_terrain(dry_world *world, const terrain *t, dry_pose pose, dry_vec3 scale)
{
    dry_material materials[2] = {dry_default_material(), dry_default_material()};
    materials[0].id = 10;
    materials[1].id = 11;
    dry_shape_def def = dry_default_shape_def();
    def.type = DRY_SHAPE_HEIGHT_FIELD;
    def.scale = scale;
    def.materials = materials;
    def.material_count = 2;
    assert_ok(dry_height_field_create(&t->def, NULL, &def.data, NULL));
    const dry_body_id body = add_body(world, DRY_BODY_STATIC, pose, def);
    dry_shape_data_release(def.data);
    return body;
}

static bool is_inside(const dry_world *world, d3 p)
{
    const dry_contains_query query = {.point = {p.x, p.y, p.z}, .mask = UINT64_MAX};
    dry_contains_hit hit;
    int count;
    assert_ok(dry_world_contains(world, &query, &hit, 1, &count));
    return count > 0;
}

static dry_ray_hit cast(const dry_world *world, d3 from, d3 way, dry_triangle_sides sides)
{
    const dry_ray ray = {
        .origin = {from.x, from.y, from.z}, .translation = v3_of(way), .mask = UINT64_MAX, .sides = sides};
    dry_ray_hit hit;
    assert_ok(dry_world_cast_ray(world, &ray, &hit));
    return hit;
}

/* A slab: the answers have a closed form. */
static void a_slab_is_met_from_everywhere(void **state)
{
    (void)state;
    uint64_t seed = 1;
    static terrain t;
    make_terrain(&t, 0, 0, &seed);
    dry_world *world = world_with(test_settings());
    add_terrain(world, &t, pose_at(0, 0, 0), v3(1, 1, 1));
    const struct {
        d3 from, way, normal;
        double fraction;
        bool on_top;
        uint64_t material;
    } cases[] = {
        {{-1, -0.5, 2.5}, {4, 0, 0}, {-1, 0, 0}, 0.25, false, 10},
        {{9, -1.25, 2.5}, {-4, 0, 0}, {1, 0, 0}, 0.5, false, 10},
        {{2.5, -0.75, -1}, {0, 0, 4}, {0, 0, -1}, 0.25, false, 10},
        {{3.5, -0.25, 11}, {0, 0, -8}, {0, 0, 1}, 0.5, false, 11},
        {{3.5, -3.5, 2.25}, {0, 8, 0}, {0, -1, 0}, 0.25, false, 11},
        {{3.5, 2, 2.25}, {0, -8, 0}, {0, 1, 0}, 0.25, true, 11},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        const dry_ray_hit hit = cast(world, cases[i].from, cases[i].way, DRY_SIDES_FRONT);
        assert_true(hit.shape.bits != 0);
        assert_near(hit.fraction, cases[i].fraction, 1e-6);
        assert_near(d3_length(d3_sub(d3_of(hit.normal), cases[i].normal)), 0, 1e-6);
        assert_int_equal(hit.triangle >= 0, cases[i].on_top);
        assert_true(hit.material == cases[i].material);
        assert_int_equal(hit.material_index, cases[i].material - 10);
        assert_int_equal(hit.back, 0);
        assert_near(hit.barycentric.x + hit.barycentric.y + hit.barycentric.z, cases[i].on_top, 1e-6);
    }
    /* Sides of triangles say nothing about the faces that are none. */
    assert_near(cast(world, (d3){-1, -0.5, 2.5}, (d3){4, 0, 0}, DRY_SIDES_BACK).fraction, 0.25, 1e-6);
    /* Past the slab, below it, above it, and away from it. */
    assert_true(!cast(world, (d3){-1, -1.6, 2.5}, (d3){20, 0, 0}, DRY_SIDES_BOTH).shape.bits);
    assert_true(!cast(world, (d3){-1, 0.1, 2.5}, (d3){20, 0, 0}, DRY_SIDES_BOTH).shape.bits);
    assert_true(!cast(world, (d3){-1, -0.5, 2.5}, (d3){-4, 0, 0}, DRY_SIDES_BOTH).shape.bits);
    dry_world_destroy(world);
}

/* Compares a ray that starts outside with points along it: outside before the hit, inside right behind it. */
static bool check_ray(const dry_world *world, d3 from, d3 way)
{
    const dry_ray_hit hit = cast(world, from, way, DRY_SIDES_FRONT);
    const bool is_hit = hit.shape.bits != 0;
    const double end = is_hit ? (double)hit.fraction : 1, slack = 2e-5;
    for (int i = 0; i < PROBES; i++) {
        const double at = (i + 0.5) / PROBES;
        if (at < end - slack)
            assert_false(is_inside(world, d3_add(from, d3_scale(way, at))));
    }
    if (!is_hit)
        return false;
    assert_true(d3_dot(d3_of(hit.normal), way) < 0);
    assert_near(d3_length(d3_of(hit.normal)), 1, 1e-6);
    /* A ray may leave the solid again right behind an edge; few do. */
    return is_inside(world, d3_add(from, d3_scale(way, end + slack)));
}

static void rays_stop_where_the_solid_begins(void **state)
{
    (void)state;
    uint64_t seed = 2;
    int hits = 0, misses = 0, unsure = 0;
    for (int n = 0; n < test_pick(40, 8); n++) {
        static terrain t;
        make_terrain(&t, n % 4 ? 1 : 0, n % 3, &seed);
        dry_world *world = world_with(test_settings());
        const d3 at = random_d3(&seed, 100);
        dry_pose pose = pose_at(at.x, at.y, at.z);
        pose.orientation = random_quat(&seed);
        dry_vec3 scale = v3(1, 1, 1);
        if (n % 2)
            scale = v3(-1.5, 2, 0.75);
        add_terrain(world, &t, pose, scale);
        for (int i = 0; i < 60; i++) {
            const d3 from = d3_add(at, random_d3(&seed, 15));
            const d3 to = d3_add(at, random_d3(&seed, 7));
            if (is_inside(world, from))
                continue;
            const d3 way = d3_scale(d3_sub(to, from), 2);
            const bool is_hit = cast(world, from, way, DRY_SIDES_FRONT).shape.bits != 0;
            const bool is_sure = check_ray(world, from, way);
            hits += is_hit;
            misses += !is_hit;
            unsure += is_hit && !is_sure;
        }
        dry_world_destroy(world);
    }
    assert_true(hits > 50 && misses > 50);
    assert_true(unsure <= hits / 50);
}

/* A batch has the bits of single calls where fields, meshes and other shapes lie behind each other. */
static void a_batch_has_the_bits_of_single_calls(void **state)
{
    (void)state;
    enum { RAYS = 300 };
    uint64_t seed = 3;
    static terrain t;
    dry_world *world = world_with(test_settings());
    make_terrain(&t, 1, 1, &seed);
    add_terrain(world, &t, pose_at(-3, 0, -3), v3(1, 1, 1));
    const dry_vec3 vertices[] = {{-4, 0, -4}, {4, 0, -4}, {4, 0, 4}, {-4, 0, 4}};
    const int32_t triangles[] = {0, 2, 1, 0, 3, 2};
    const dry_mesh mesh = {vertices, triangles, 4, 2};
    dry_shape_def def = dry_default_shape_def();
    def.type = DRY_SHAPE_MESH;
    assert_ok(dry_mesh_create(&mesh, NULL, NULL, &def.data, NULL));
    for (int i = 0; i < 12; i++) {
        const d3 at = random_d3(&seed, 4);
        dry_pose pose = pose_at(at.x, at.y, at.z);
        pose.orientation = random_quat(&seed);
        add_body(world, DRY_BODY_STATIC, pose, i % 4 ? def : sphere_shape(0.5));
    }
    dry_shape_data_release(def.data);
    static dry_ray rays[RAYS];
    static dry_ray_hit hits[RAYS];
    int met = 0;
    for (int i = 0; i < RAYS; i++) {
        const d3 from = random_d3(&seed, 12);
        const d3 to = random_d3(&seed, 4);
        const d3 way = d3_scale(d3_sub(to, from), 2);
        rays[i] = (dry_ray){.origin = {from.x, from.y, from.z},
                            .translation = v3_of(way),
                            .mask = UINT64_MAX,
                            .sides = (dry_triangle_sides)(i % DRY_SIDES_COUNT)};
    }
    assert_ok(dry_world_cast_rays(world, RAYS, rays, hits));
    for (int i = 0; i < RAYS; i++) {
        dry_ray_hit hit;
        assert_ok(dry_world_cast_ray(world, &rays[i], &hit));
        assert_memory_equal(&hits[i], &hit, sizeof hit);
        met += hit.shape.bits != 0;
    }
    assert_true(met > RAYS / 2);
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slab_is_met_from_everywhere),
        cmocka_unit_test(rays_stop_where_the_solid_begins),
        cmocka_unit_test(a_batch_has_the_bits_of_single_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
