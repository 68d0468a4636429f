/* Rays and overlaps against brute force; batches and threads against single calls. */
#include "tests/query_reference.h"

#include <pthread.h>

enum { BODIES = 120, SHAPES_MAX = 2 * BODIES + 1, RAYS = 600, OVERLAPS = 300, HITS_MAX = SHAPES_MAX };
static const double MARGIN = 2e-4; /* closer than this is too close to call */

typedef struct query_scene {
    dry_world *world;
    d3 origin;
    reference_shape shapes[SHAPES_MAX]; /* in creation order */
    int shape_count;
} query_scene;

/* Bodies of all types and shapes, some of two shapes, moved about by a few steps, some asleep. */
static query_scene scene_make(d3 origin, uint64_t seed, bool floor)
{
    query_scene scene = {.world = world_with(dry_default_settings()), .origin = origin};
    if (floor) {
        dry_shape_def shape = halfspace_shape(v3(0.6, 0.8, 0), -3);
        add_body(scene.world, DRY_BODY_STATIC, pose_at(origin.x, origin.y, origin.z), shape);
    }
    for (int i = 0; i < BODIES; ++i) {
        dry_shape_def shapes[2];
        for (int k = 0; k < 2; ++k) {
            int kind = random_below(&seed, 3);
            if (kind == 0) {
                shapes[k] = sphere_shape(random_in(&seed, 0.2, 0.8));
            } else if (kind == 1) {
                const double radius = random_in(&seed, 0.1, 0.5);
                shapes[k] = capsule_shape(radius, random_in(&seed, 0, 1));
            } else {
                const d3 half = random_d3_in(&seed, 0.1, 1);
                shapes[k] = box_shape(half.x, half.y, half.z);
            }
            shapes[k].pose.position = v3_of(random_d3(&seed, 0.5));
            shapes[k].pose.orientation = random_quat(&seed);
            shapes[k].filter.category = 1ull << random_below(&seed, 4);
        }
        dry_body_type type = (dry_body_type)random_below(&seed, DRY_BODY_TYPE_COUNT);
        d3 p = d3_add(origin, random_d3(&seed, 8));
        dry_body_def def = body_def(type, (dry_pose){{p.x, p.y, p.z}, random_quat(&seed)}, shapes);
        def.shape_count = 1 + random_below(&seed, 2);
        def.awake = i % 5 != 0;
        if (type != DRY_BODY_STATIC)
            def.velocity = (dry_velocity){v3_of(random_d3(&seed, 2)), v3_of(random_d3(&seed, 2))};
        add_def(scene.world, &def);
    }
    run_steps(scene.world, 5, TEST_DT);
    dry_body_id ids[BODIES + 1];
    int count = dry_world_get_bodies(scene.world, ids, BODIES + 1);
    for (int i = 0; i < count; ++i) {
        dry_shape_id own[2];
        int own_count = 0;
        assert_ok(dry_body_get_shapes(scene.world, ids[i], own, 2, &own_count));
        for (int k = 0; k < own_count; ++k)
            scene.shapes[scene.shape_count++] = reference_of(scene.world, own[k]);
    }
    return scene;
}

static dry_ray random_ray(const query_scene *scene, uint64_t *seed)
{
    d3 from = d3_add(scene->origin, random_d3(seed, 11)), to = d3_add(scene->origin, random_d3(seed, 11));
    dry_ray ray = {.origin = {from.x, from.y, from.z}, .translation = v3_of(d3_sub(to, from)), .mask = ~0ull};
    if (random_below(seed, 3) == 0)
        ray.mask = 1ull << random_below(seed, 4);
    if (random_below(seed, 8) == 0) /* along an axis: zero components */
        ray.translation = v3(0, random_below(seed, 2) ? 9 : -9, 0);
    return ray;
}

/* Returns the result of brute force for one shape: 1 hit, 0 missed, -1 too close to decide. */
static int reference_hit(const reference_shape *s, const dry_ray *ray, double *fraction, d3 *normal)
{
    double t;
    d3 n, from = d3_at(ray->origin), along = d3_of(ray->translation);
    if (!(s->category & ray->mask))
        return 0;
    bool outer = reference_ray(s, from, along, MARGIN, &t, &n);
    bool inner = reference_ray(s, from, along, -MARGIN, &t, &n);
    if (outer != inner)
        return -1;
    return outer && reference_ray(s, from, along, 0, fraction, normal) ? 1 : 0;
}

static const reference_shape *reference_find(const query_scene *scene, dry_shape_id id)
{
    for (int i = 0; i < scene->shape_count; ++i)
        if (scene->shapes[i].shape.bits == id.bits)
            return &scene->shapes[i];
    fail_msg("a query returned a shape that is not in the world");
    return NULL;
}

/* The fraction's error along a ray that meets a surface at a slant grows with 1 / cos. */
static void check_hit(const query_scene *scene, const dry_ray *ray, const dry_ray_hit *hit)
{
    const reference_shape *s = reference_find(scene, hit->shape);
    assert_true(hit->body.bits == s->body.bits);
    assert_true(s->category & ray->mask);
    double t, length = d3_length(d3_of(ray->translation));
    d3 n;
    if (reference_hit(s, ray, &t, &n) != 1)
        return;
    d3 at = d3_add(d3_at(ray->origin), d3_scale(d3_of(ray->translation), hit->fraction));
    assert_near(d3_length(d3_sub(at, d3_at(hit->point))), 0, 1e-4);
    if (t == 0) {
        assert_near(hit->fraction, 0, 0);
        assert_near(d3_length(d3_sub(d3_of(hit->normal), n)), 0, 1e-5);
        return;
    }
    double slant = fmax(0.05, -d3_dot(n, d3_unit(d3_of(ray->translation))));
    assert_near(hit->fraction * length, t * length, 1e-4 / slant);
    double off = reference_distance(s, d3_turn_back(s->orientation, d3_sub(d3_at(hit->point), s->position)));
    assert_near(off, 0, 1e-4);
    /* On an edge of a box the normal may be either face's. */
    d3 local = d3_turn_back(s->orientation, d3_sub(d3_at(hit->point), s->position));
    int near_faces = 0;
    for (int k = 0; k < 3; ++k)
        near_faces += fabs(component(s->half, k) - fabs(component(local, k))) < 1e-3;
    if (s->type != DRY_SHAPE_BOX || near_faces == 1)
        assert_near(d3_length(d3_sub(d3_of(hit->normal), n)), 0, 1e-3 / slant);
}

static void check_ray(const query_scene *scene, const dry_ray *ray)
{
    static dry_ray_hit hits[HITS_MAX];
    dry_ray_hit first;
    int count = -1, sure = 0, unsure = 0;
    double nearest = 2;
    for (int i = 0; i < scene->shape_count; ++i) {
        double t;
        d3 n;
        int answer = reference_hit(&scene->shapes[i], ray, &t, &n);
        sure += answer == 1;
        unsure += answer == -1;
        if (answer == 1 && t < nearest)
            nearest = t;
    }
    assert_ok(dry_world_cast_ray_all(scene->world, ray, hits, HITS_MAX, &count));
    assert_true(count >= sure && count <= sure + unsure);
    for (int i = 0; i < count; ++i) {
        check_hit(scene, ray, &hits[i]);
        assert_true(i == 0 || hits[i - 1].fraction <= hits[i].fraction);
        for (int k = 0; k < i; ++k)
            assert_true(hits[k].shape.bits != hits[i].shape.bits);
    }
    assert_ok(dry_world_cast_ray(scene->world, ray, &first));
    assert_int_equal(first.shape.bits != 0, count > 0);
    if (count) {
        assert_memory_equal(&first, &hits[0], sizeof first);
        if (!unsure)
            assert_near(first.fraction, nearest, 2e-3);
    }
    if (count > 2) { /* little room: the nearest come */
        dry_ray_hit two[2];
        int all = 0;
        assert_ok(dry_world_cast_ray_all(scene->world, ray, two, 2, &all));
        assert_int_equal(all, count);
        assert_memory_equal(two, hits, sizeof two);
    }
}

static void check_rays_at(d3 origin, uint64_t seed, bool floor)
{
    query_scene scene = scene_make(origin, seed, floor);
    for (int i = 0; i < test_pick(RAYS, RAYS / 10); ++i) {
        dry_ray ray = random_ray(&scene, &seed);
        check_ray(&scene, &ray);
    }
    dry_world_destroy(scene.world);
}

static void test_rays_against_brute_force(void **state)
{
    (void)state;
    check_rays_at((d3){0, 0, 0}, 21, false);
    check_rays_at((d3){0, 0, 0}, 22, true);
    check_rays_at((d3){4e6, -1e6, 2.5e6}, 23, true);
}

static dry_overlap random_overlap(const query_scene *scene, uint64_t *seed)
{
    d3 p = d3_add(scene->origin, random_d3(seed, 9));
    dry_overlap overlap = {.pose = {{p.x, p.y, p.z}, random_quat(seed)}, .mask = ~0ull};
    if (random_below(seed, 2))
        overlap.radius = (float)random_in(seed, 0.05, 4);
    else
        overlap.half_extents = v3_of(random_d3_in(seed, 0.05, 3));
    if (random_below(seed, 3) == 0)
        overlap.mask = 3ull << random_below(seed, 3);
    return overlap;
}

static void check_overlap(const query_scene *scene, const dry_overlap *overlap)
{
    dry_shape_id found[SHAPES_MAX];
    int count = -1, next = 0;
    assert_ok(dry_world_overlap(scene->world, overlap, found, SHAPES_MAX, &count));
    for (int i = 0; i < scene->shape_count; ++i) { /* both are in creation order */
        const reference_shape *s = &scene->shapes[i];
        double gap = s->category & overlap->mask ? reference_gap(s, overlap) : 1;
        bool is_found = next < count && found[next].bits == s->shape.bits;
        next += is_found;
        if (fabs(gap) > MARGIN)
            assert_int_equal(is_found, gap < 0);
    }
    assert_int_equal(next, count);
    if (count > 1) {
        dry_shape_id one[1] = {{0}};
        int all = 0;
        assert_ok(dry_world_overlap(scene->world, overlap, one, 1, &all));
        assert_int_equal(all, count);
        assert_true(one[0].bits == found[0].bits);
    }
}

static void test_overlaps_against_brute_force(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        uint64_t seed = (uint64_t)(31 + k);
        query_scene scene = scene_make(k ? (d3){-3e6, 7e5, 1e6} : (d3){0, 0, 0}, seed, true);
        for (int i = 0; i < test_pick(OVERLAPS, OVERLAPS / 5); ++i) {
            dry_overlap overlap = random_overlap(&scene, &seed);
            check_overlap(&scene, &overlap);
        }
        dry_world_destroy(scene.world);
    }
}

static void test_batches_equal_single_calls(void **state)
{
    (void)state;
    uint64_t seed = 41;
    query_scene scene = scene_make((d3){0, 0, 0}, seed, true);
    static dry_ray rays[RAYS];
    static dry_ray_hit hits[RAYS];
    for (int i = 0; i < RAYS; ++i)
        rays[i] = random_ray(&scene, &seed);
    uint64_t hash = dry_world_hash(scene.world);
    assert_ok(dry_world_cast_rays(scene.world, RAYS, rays, hits));
    for (int i = 0; i < RAYS; ++i) {
        dry_ray_hit single;
        assert_ok(dry_world_cast_ray(scene.world, &rays[i], &single));
        assert_true(single.shape.bits == hits[i].shape.bits);
        if (single.shape.bits)
            assert_memory_equal(&single, &hits[i], sizeof single);
    }

    enum { EACH = 6 };
    static dry_overlap overlaps[OVERLAPS];
    static dry_shape_id found[OVERLAPS * EACH];
    static int counts[OVERLAPS];
    for (int i = 0; i < OVERLAPS; ++i)
        overlaps[i] = random_overlap(&scene, &seed);
    assert_ok(dry_world_overlaps(scene.world, OVERLAPS, overlaps, found, EACH, counts));
    for (int i = 0; i < OVERLAPS; ++i) {
        dry_shape_id single[EACH];
        int count = 0;
        assert_ok(dry_world_overlap(scene.world, &overlaps[i], single, EACH, &count));
        assert_int_equal(count, counts[i]);
        for (int k = 0; k < count && k < EACH; ++k)
            assert_true(single[k].bits == found[i * EACH + k].bits);
    }
    assert_true(dry_world_hash(scene.world) == hash);
    dry_world_destroy(scene.world);
}

typedef struct reader {
    const query_scene *scene;
    const dry_ray *rays;
    const dry_ray_hit *expected;
    const dry_overlap *overlaps;
    const int *counts;
    int wrong;
} reader;

/* Counts what differs: assertions are not for threads. */
static void *read_all(void *argument)
{
    reader *r = argument;
    const dry_world *world = r->scene->world;
    for (int i = 0; i < RAYS; ++i) {
        dry_ray_hit hit;
        int count = 0;
        dry_pose pose;
        r->wrong += dry_world_cast_ray(world, &r->rays[i], &hit) != DRY_OK;
        r->wrong += hit.shape.bits != r->expected[i].shape.bits ||
                    (hit.shape.bits && hit.fraction != r->expected[i].fraction);
        const dry_overlap *overlap = &r->overlaps[i % OVERLAPS];
        r->wrong += dry_world_overlap(world, overlap, NULL, 0, &count) != DRY_OK;
        r->wrong += count != r->counts[i % OVERLAPS];
        r->wrong +=
            dry_body_get_pose(world, r->scene->shapes[i % r->scene->shape_count].body, &pose) != DRY_OK;
    }
    return NULL;
}

static void test_queries_from_many_threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    uint64_t seed = 51;
    query_scene scene = scene_make((d3){0, 0, 0}, seed, true);
    static dry_ray rays[RAYS];
    static dry_ray_hit expected[RAYS];
    static dry_overlap overlaps[OVERLAPS];
    static int counts[OVERLAPS];
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < RAYS; ++i) {
            rays[i] = random_ray(&scene, &seed);
            assert_ok(dry_world_cast_ray(scene.world, &rays[i], &expected[i]));
        }
        for (int i = 0; i < OVERLAPS; ++i) {
            overlaps[i] = random_overlap(&scene, &seed);
            assert_ok(dry_world_overlap(scene.world, &overlaps[i], NULL, 0, &counts[i]));
        }
        pthread_t threads[THREADS];
        reader readers[THREADS];
        for (int i = 0; i < THREADS; ++i) {
            readers[i] = (reader){&scene, rays, expected, overlaps, counts, 0};
            assert_int_equal(pthread_create(&threads[i], NULL, read_all, &readers[i]), 0);
        }
        for (int i = 0; i < THREADS; ++i) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_int_equal(readers[i].wrong, 0);
        }
        run_steps(scene.world, 1, TEST_DT);
    }
    dry_world_destroy(scene.world);
}

/* Queries see a body where it was just put, and cease to see it once it is destroyed, without a step. */
static void test_queries_see_changes_at_once(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id ball = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    dry_ray ray = {.origin = {50, 5, 0}, .translation = {0, -10, 0}, .mask = ~0ull};
    dry_ray_hit hit;
    assert_ok(dry_world_cast_ray(world, &ray, &hit));
    assert_true(hit.shape.bits == 0);
    assert_ok(dry_body_set_pose(world, ball, pose_at(50, 0, 0)));
    assert_ok(dry_world_cast_ray(world, &ray, &hit));
    assert_true(hit.body.bits == ball.bits);
    assert_near(hit.fraction, 0.45, 1e-5);
    assert_near(hit.normal.y, 1, 1e-5);
    assert_ok(dry_body_destroy(world, ball));
    assert_ok(dry_world_cast_ray(world, &ray, &hit));
    assert_true(hit.shape.bits == 0);
    dry_world_destroy(world);
}

/* A query as its default function makes it asks every shape, and so does one whose mask is left 0. */
static void test_default_queries_ask_all(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_shape_def ball = sphere_shape(0.5);
    ball.filter.category = 1ull << 63;
    dry_body_def def = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), &ball);
    const dry_body_id body = add_def(world, &def);
    for (int zero = 0; zero < 2; zero++) {
        dry_ray ray = dry_default_ray();
        dry_cast_query cast = dry_default_cast_query();
        dry_overlap overlap = dry_default_overlap();
        dry_collide_query collide = dry_default_collide_query();
        dry_closest_query closest = dry_default_closest_query();
        dry_contains_query contains = dry_default_contains_query();
        uint64_t *masks[] = {&ray.mask,     &cast.mask,    &overlap.mask,
                             &collide.mask, &closest.mask, &contains.mask};
        for (int i = 0; i < COUNT_OF(masks); i++) {
            assert_true(*masks[i] == UINT64_MAX);
            *masks[i] = zero ? 0 : UINT64_MAX;
        }
        ray.translation.y = cast.translation.y = 1;
        cast.shape = collide.shape = &ball;
        closest.pose.position.x = 5;
        dry_ray_hit ray_hit;
        dry_cast_hit cast_hit;
        dry_closest_hit closest_hit;
        int overlaps, contacts, holders;
        assert_ok(dry_world_cast_ray(world, &ray, &ray_hit));
        assert_true(ray_hit.body.bits == body.bits);
        assert_ok(dry_world_cast_shape(world, &cast, &cast_hit));
        assert_true(cast_hit.body.bits == body.bits);
        assert_ok(dry_world_closest(world, &closest, &closest_hit));
        assert_true(closest_hit.body.bits == body.bits);
        assert_near(closest_hit.distance, 4.5, 1e-5);
        assert_ok(dry_world_overlap(world, &overlap, NULL, 0, &overlaps));
        assert_ok(dry_world_collide(world, &collide, NULL, 0, &contacts));
        assert_ok(dry_world_contains(world, &contains, NULL, 0, &holders));
        assert_true(overlaps == 1 && contacts == 1 && holders == 1);
        ray.mask = 1; /* and not one bit more than is asked for */
        assert_ok(dry_world_cast_ray(world, &ray, &ray_hit));
        assert_true(ray_hit.shape.bits == 0);
    }
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays_against_brute_force),
        cmocka_unit_test(test_overlaps_against_brute_force),
        cmocka_unit_test(test_batches_equal_single_calls),
        cmocka_unit_test(test_queries_from_many_threads),
        cmocka_unit_test(test_queries_see_changes_at_once),
        cmocka_unit_test(test_default_queries_ask_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
