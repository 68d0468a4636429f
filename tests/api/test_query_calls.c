/* Casts of shapes, contacts at a pose, closest points and points inside: the order of answers, filters, parts
 * of shapes, and batches. The numbers themselves are judged by test_queries_convex.c and by
 * test_query_answers.c. */
#include "tests/query_shapes.h"

#include "core/math.h"

enum { BODIES = 60, QUERIES = 250, HITS_MAX = 512, CHILDREN = 3 };

typedef struct scene {
    dry_world *world;
    dry_body_id body[BODIES];
    dry_shape_data *hull, *compound, *mesh, *field;
    dry_shape_def child[CHILDREN];
} scene;

enum { SIDE = 7, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

/* A bumpy square of triangles, 3 m wide. */
typedef struct surface {
    dry_vec3 vertices[VERTICES];
    int32_t triangles[3 * TRIANGLES];
} surface;

static void draw_square(surface *s, uint64_t *seed)
{
    int count = 0;
    for (int i = 0; i < VERTICES; i++)
        s->vertices[i] = v3(0.5 * (i % SIDE) - 1.5, random_in(seed, -0.2, 0.2), 0.5 * (i / SIDE) - 1.5);
    for (int i = 0; i < VERTICES; i++) {
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1)
            continue;
        const int32_t corner[6] = {i, i + SIDE, i + 1, i + 1, i + SIDE, i + SIDE + 1};
        for (int k = 0; k < 6; k++)
            s->triangles[count++] = corner[k];
    }
}

static dry_shape_data *mesh_of(const surface *s, bool two_sided)
{
    const dry_mesh mesh = {s->vertices, s->triangles, VERTICES, TRIANGLES};
    const dry_mesh_options options = {.two_sided = two_sided};
    dry_shape_data *data = NULL;
    assert_ok(dry_mesh_create(&mesh, &options, NULL, &data, NULL));
    return data;
}

static void make_data(scene *s, uint64_t *seed)
{
    dry_vec3 points[12];
    float heights[36];
    surface square;
    for (int i = 0; i < 12; i++)
        points[i] = v3_of(random_d3(seed, 1));
    assert_ok(dry_hull_create(points, 12, 0, NULL, &s->hull, NULL));
    s->child[0] = box_shape(0.5, 0.2, 0.3);
    s->child[1] = cylinder_shape(0.3, 0.4);
    s->child[2] = data_shape(DRY_SHAPE_HULL, s->hull);
    for (int i = 0; i < CHILDREN; i++) {
        s->child[i].pose.position = v3_of(random_d3(seed, 1));
        s->child[i].pose.orientation = random_quat(seed);
    }
    assert_ok(dry_compound_create(s->child, CHILDREN, NULL, &s->compound));
    draw_square(&square, seed);
    s->mesh = mesh_of(&square, true);
    for (int i = 0; i < 36; i++)
        heights[i] = (float)random_in(seed, -0.2, 0.2);
    const dry_height_field_def field = {
        .rows = 6, .columns = 6, .spacing = {0.5f, 0.5f}, .heights = heights, .solid_depth = 0.3f};
    assert_ok(dry_height_field_create(&field, NULL, &s->field, NULL));
}

static dry_shape_def draw_shape(const scene *s, int kind, uint64_t *seed)
{
    const double x = random_in(seed, 0.2, 1), y = random_in(seed, 0.2, 1);
    switch (kind) {
    case 0:
        return sphere_shape(x);
    case 1:
        return capsule_shape(0.5 * x, y);
    case 2:
        return cylinder_shape(x, y);
    case 3:
        return box_shape(x, y, random_in(seed, 0.2, 1));
    case 4:
        return data_shape(DRY_SHAPE_HULL, s->hull);
    case 5:
        return data_shape(DRY_SHAPE_COMPOUND, s->compound);
    case 6:
        return data_shape(DRY_SHAPE_MESH, s->mesh);
    default:
        return data_shape(DRY_SHAPE_HEIGHT_FIELD, s->field);
    }
}

static scene scene_make(int threads, dry_isa isa)
{
    uint64_t seed = 3;
    scene s = {0};
    dry_world_def def = test_world_def();
    def.threads = threads;
    def.isa = isa;
    s.world = world_from(&def);
    make_data(&s, &seed);
    const dry_shape_def floor = halfspace_shape(v3(0.6, 0.8, 0), -4);
    s.body[0] = add_body(s.world, DRY_BODY_STATIC, pose_at(0, 0, 0), floor);
    for (int i = 1; i < BODIES; i++) {
        dry_shape_def shape = draw_shape(&s, i % 8, &seed);
        shape.filter.category = 1ull << random_below(&seed, 4);
        const d3 p = random_d3(&seed, 7);
        const dry_pose pose = {{p.x, p.y, p.z}, random_quat(&seed)};
        const dry_body_type type = i % 8 > 5 || i % 3 == 0 ? DRY_BODY_STATIC : DRY_BODY_DYNAMIC;
        s.body[i] = add_body(s.world, type, pose, shape);
    }
    run_steps(s.world, 3, TEST_DT);
    return s;
}

static void scene_end(scene *s)
{
    dry_world_destroy(s->world);
    dry_shape_data_release(s->hull);
    dry_shape_data_release(s->compound);
    dry_shape_data_release(s->mesh);
    dry_shape_data_release(s->field);
}

static dry_pose draw_pose(uint64_t *seed)
{
    const d3 p = random_d3(seed, 7);
    return (dry_pose){{p.x, p.y, p.z}, random_quat(seed)};
}

static uint64_t draw_mask(uint64_t *seed)
{
    return random_below(seed, 3) ? UINT64_MAX : 1ull << random_below(seed, 4);
}

/* The questions of one round: the same shape at the same pose. */
typedef struct questions {
    dry_shape_def shape;
    dry_cast_query cast;
    dry_collide_query collide;
    dry_closest_query closest;
    dry_contains_query contains;
} questions;

static void draw_questions(const scene *s, questions *q, uint64_t *seed)
{
    const dry_pose pose = draw_pose(seed);
    const d3 way = random_d3(seed, 8);
    const uint64_t mask = draw_mask(seed);
    memset(q, 0, sizeof *q);
    q->shape = draw_shape(s, random_below(seed, 5), seed);
    q->shape.pose.position = v3_of(random_d3(seed, 1));
    q->cast = (dry_cast_query){.shape = &q->shape, .pose = pose, .translation = v3_of(way), .mask = mask};
    q->collide = (dry_collide_query){.shape = &q->shape, .pose = pose, .mask = mask};
    q->collide.margin = (float)random_in(seed, 0, 0.5);
    q->closest = (dry_closest_query){.shape = &q->shape, .pose = pose, .mask = mask};
    q->closest.max_distance = (float)random_in(seed, 0, 6);
    if (random_below(seed, 4) == 0)
        q->closest.shape = NULL;
    q->contains = (dry_contains_query){.point = pose.position, .mask = mask};
}

/* Padding is left out. */
#define SAME(member) (memcmp(&a->member, &b->member, sizeof a->member) == 0)
#define SAME_PART                                                                                            \
    (SAME(shape) && SAME(body) && SAME(shape_user_data) && SAME(body_user_data) && a->child == b->child)
#define SAME_TRIANGLE                                                                                        \
    (a->triangle == b->triangle && SAME(barycentric) && a->back == b->back && SAME(material))

static bool same_cast(const dry_cast_hit *a, const dry_cast_hit *b)
{
    return SAME_PART && SAME_TRIANGLE && SAME(point) && SAME(normal) && SAME(fraction) && SAME(depth);
}

static bool same_contact(const dry_collide_hit *a, const dry_collide_hit *b)
{
    bool same = SAME_PART && SAME_TRIANGLE && SAME(normal) && SAME(depth) && a->count == b->count;
    for (int i = 0; i < a->count && same; i++)
        same = SAME(points[i].position) && SAME(points[i].separation);
    return same;
}

static bool same_nearest(const dry_closest_hit *a, const dry_closest_hit *b)
{
    return SAME_PART && SAME_TRIANGLE && SAME(point) && SAME(on_query) && SAME(normal) && SAME(distance);
}

static bool same_holder(const dry_contains_hit *a, const dry_contains_hit *b)
{
    return SAME_PART;
}

static dry_cast_hit casts[2][HITS_MAX];
static dry_collide_hit contacts[2][HITS_MAX];
static dry_closest_hit nearest[2][HITS_MAX];
static dry_contains_hit holders[2][HITS_MAX];

/* Holds the answers about the whole world to those about each body, which come in creation order. */
static void check_casts(const scene *s, dry_cast_query q)
{
    int all, one, sum = 0;
    bool met;
    dry_cast_hit first;
    assert_ok(dry_world_cast_shape_all(s->world, &q, casts[0], HITS_MAX, &all));
    assert_ok(dry_world_cast_shape(s->world, &q, &first));
    assert_ok(dry_world_cast_shape_any(s->world, &q, &met));
    assert_int_equal(met, all > 0);
    assert_int_equal(first.shape.bits, all ? casts[0][0].shape.bits : 0);
    for (int i = 0; i < BODIES; i++) {
        q.body = s->body[i];
        assert_ok(dry_world_cast_shape_all(s->world, &q, casts[1], HITS_MAX, &one));
        for (int k = 0; k < one; k++, sum++) {
            int place = 0;
            while (place < all && casts[0][place].shape.bits != casts[1][k].shape.bits)
                place++;
            assert_true(place < all);
            assert_true(same_cast(&casts[0][place], &casts[1][k]));
        }
    }
    assert_int_equal(sum, all);
    for (int i = 1; i < all; i++) {
        const dry_cast_hit *a = &casts[0][i - 1], *b = &casts[0][i];
        assert_true(a->fraction < b->fraction || (a->fraction == b->fraction && a->depth >= b->depth));
    }
    if (all)
        assert_true(same_cast(&first, &casts[0][0]));
}

static void check_contacts(const scene *s, dry_collide_query q)
{
    int all, one, sum = 0;
    assert_ok(dry_world_collide(s->world, &q, contacts[0], HITS_MAX, &all));
    assert_true(all <= HITS_MAX);
    for (int i = 0; i < BODIES; i++) {
        q.body = s->body[i];
        assert_ok(dry_world_collide(s->world, &q, contacts[1], HITS_MAX, &one));
        sum += one;
        for (int k = 0, place = 0; k < one; k++) {
            while (place < all && !same_contact(&contacts[0][place], &contacts[1][k]))
                place++;
            assert_true(place < all);
        }
    }
    assert_int_equal(sum, all);
    for (int i = 0; i < all; i++) {
        const dry_collide_hit *c = &contacts[0][i];
        assert_true(i == 0 || c->depth <= contacts[0][i - 1].depth);
        assert_true(c->depth >= -q.margin - 1e-6f && c->count >= 1 && c->count <= 4);
        float deepest = INFINITY;
        for (int k = 0; k < c->count; k++) {
            assert_true(c->points[k].separation <= q.margin + 1e-6f);
            deepest = fminf(deepest, c->points[k].separation);
        }
        assert_near(deepest, -c->depth, 1e-4);
    }
}

static void check_nearest(const scene *s, dry_closest_query q)
{
    int all, one, sum = 0;
    dry_closest_hit first;
    assert_ok(dry_world_closest_all(s->world, &q, nearest[0], HITS_MAX, &all));
    assert_ok(dry_world_closest(s->world, &q, &first));
    assert_int_equal(first.shape.bits, all ? nearest[0][0].shape.bits : 0);
    if (all)
        assert_true(same_nearest(&first, &nearest[0][0]));
    for (int i = 0; i < BODIES; i++) {
        q.body = s->body[i];
        assert_ok(dry_world_closest_all(s->world, &q, nearest[1], HITS_MAX, &one));
        for (int k = 0; k < one; k++, sum++) {
            int place = 0;
            while (place < all && nearest[0][place].shape.bits != nearest[1][k].shape.bits)
                place++;
            assert_true(place < all);
            assert_true(same_nearest(&nearest[0][place], &nearest[1][k]));
        }
    }
    assert_int_equal(sum, all);
    for (int i = 0; i < all; i++) {
        const dry_closest_hit *c = &nearest[0][i];
        assert_true(i == 0 || c->distance >= nearest[0][i - 1].distance);
        const d3 between = d3_sub(d3_at(c->on_query), d3_at(c->point));
        assert_at_most(d3_length(d3_sub(between, d3_scale(d3_of(c->normal), c->distance))), 1e-4);
    }
}

static void answers_about_the_world_are_those_about_each_body(void **state)
{
    (void)state;
    uint64_t seed = 8;
    scene s = scene_make(1, DRY_ISA_AUTO);
    for (int i = 0; i < QUERIES; i++) {
        questions q;
        draw_questions(&s, &q, &seed);
        check_casts(&s, q.cast);
        check_contacts(&s, q.collide);
        check_nearest(&s, q.closest);
        int all, one, sum = 0;
        assert_ok(dry_world_contains(s.world, &q.contains, holders[0], HITS_MAX, &all));
        for (int k = 0; k < BODIES; k++) {
            q.contains.body = s.body[k];
            assert_ok(dry_world_contains(s.world, &q.contains, holders[1], HITS_MAX, &one));
            for (int j = 0; j < one; j++, sum++)
                assert_true(same_holder(&holders[0][sum], &holders[1][j]));
        }
        assert_int_equal(sum, all);
    }
    scene_end(&s);
}

static void ignored_bodies_alone_are_left_out(void **state)
{
    (void)state;
    uint64_t seed = 12;
    scene s = scene_make(1, DRY_ISA_AUTO);
    int left_out = 0;
    for (int i = 0; i < QUERIES; i++) {
        questions q;
        draw_questions(&s, &q, &seed);
        int all, rest, found = 0;
        assert_ok(dry_world_closest_all(s.world, &q.closest, nearest[0], HITS_MAX, &all));
        if (all < 2)
            continue;
        /* A null id and a dead one ignore nothing. */
        const dry_body_id ignore[4] = {
            nearest[0][0].body, {0}, {nearest[0][0].body.bits + (1ull << 40)}, nearest[0][all / 2].body};
        q.closest.ignore = q.cast.ignore = q.contains.ignore = q.collide.ignore = ignore;
        q.closest.ignore_count = q.cast.ignore_count = q.contains.ignore_count = q.collide.ignore_count = 4;
        assert_ok(dry_world_closest_all(s.world, &q.closest, nearest[1], HITS_MAX, &rest));
        for (int k = 0; k < all; k++) {
            const uint64_t body = nearest[0][k].body.bits;
            if (body == ignore[0].bits || body == ignore[3].bits)
                left_out++;
            else
                assert_true(same_nearest(&nearest[0][k], &nearest[1][found++]));
        }
        assert_int_equal(found, rest);
        dry_ray ray = {.origin = q.cast.pose.position, .translation = q.cast.translation, .mask = UINT64_MAX};
        dry_ray_hit hit, again;
        assert_ok(dry_world_cast_ray(s.world, &ray, &hit));
        ray.ignore = &hit.body;
        ray.ignore_count = 1;
        assert_ok(dry_world_cast_ray(s.world, &ray, &again));
        assert_true(hit.shape.bits == 0 ||
                    (again.body.bits != hit.body.bits && again.fraction >= hit.fraction) ||
                    again.shape.bits == 0);
    }
    assert_true(left_out > QUERIES);
    scene_end(&s);
}

/* Children of a compound, and triangles of a mesh, answer as shapes of their own would. */
static void parts_are_named(void **state)
{
    (void)state;
    uint64_t seed = 21;
    scene s = scene_make(1, DRY_ISA_AUTO);
    dry_world *alone = world_with(test_settings_weightless()),
              *apart = world_with(test_settings_weightless());
    const dry_pose pose = {{1, 2, 3}, random_quat(&seed)};
    dry_body_id whole = add_body(alone, DRY_BODY_STATIC, pose, data_shape(DRY_SHAPE_COMPOUND, s.compound));
    dry_body_id part[CHILDREN];
    for (int i = 0; i < CHILDREN; i++)
        part[i] = add_body(apart, DRY_BODY_STATIC, pose, s.child[i]);
    int hits = 0;
    for (int i = 0; i < QUERIES; i++) {
        questions q;
        draw_questions(&s, &q, &seed);
        q.closest.max_distance = 100;
        q.closest.mask = q.cast.mask = UINT64_MAX;
        q.cast.translation = v3_of(d3_scale(d3_sub(d3_at(pose.position), d3_at(q.cast.pose.position)), 1.5));
        dry_closest_hit a, b;
        dry_cast_hit c, d;
        assert_ok(dry_world_closest(alone, &q.closest, &a));
        assert_ok(dry_world_closest(apart, &q.closest, &b));
        assert_int_equal(a.body.bits, whole.bits);
        assert_int_equal(b.body.bits, part[a.child].bits);
        assert_int_equal(b.child, -1);
        assert_near(a.distance, b.distance, 1e-5);
        assert_ok(dry_world_cast_shape(alone, &q.cast, &c));
        assert_ok(dry_world_cast_shape(apart, &q.cast, &d));
        assert_int_equal(c.shape.bits != 0, d.shape.bits != 0);
        if (!c.shape.bits)
            continue;
        hits++;
        assert_int_equal(d.body.bits, part[c.child].bits);
        assert_near(c.fraction, d.fraction, 1e-4);
        const dry_ray ray = {
            .origin = q.cast.pose.position, .translation = q.cast.translation, .mask = UINT64_MAX};
        dry_ray_hit e, f;
        assert_ok(dry_world_cast_ray(alone, &ray, &e));
        assert_ok(dry_world_cast_ray(apart, &ray, &f));
        if (e.shape.bits && f.shape.bits)
            assert_int_equal(f.body.bits, part[e.child].bits);
    }
    assert_true(hits > 10);
    dry_world_destroy(alone);
    dry_world_destroy(apart);
    scene_end(&s);
}

static d3 point_of(const surface *s, int triangle, dry_vec3 weight, const dry_pose *pose)
{
    const float w[3] = {weight.x, weight.y, weight.z};
    d3 sum = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        sum = d3_add(sum, d3_scale(d3_of(s->vertices[s->triangles[3 * triangle + i]]), w[i]));
    return d3_add(d3_turn(pose->orientation, sum), d3_at(pose->position));
}

/* A mesh beside one body for each of its triangles, which are small enough for a search without a tree. */
static void triangles_are_named(void **state)
{
    (void)state;
    uint64_t seed = 31;
    static surface square;
    draw_square(&square, &seed);
    scene s = scene_make(1, DRY_ISA_AUTO);
    dry_world *alone = world_with(test_settings_weightless()),
              *apart = world_with(test_settings_weightless());
    const dry_pose pose = {{1, 2, 3}, random_quat(&seed)};
    dry_shape_data *mesh = mesh_of(&square, true);
    add_body(alone, DRY_BODY_STATIC, pose, data_shape(DRY_SHAPE_MESH, mesh));
    for (int i = 0; i < TRIANGLES; i++) {
        const dry_mesh one = {square.vertices, square.triangles + 3 * i, VERTICES, 1};
        const dry_mesh_options options = {.two_sided = true};
        dry_shape_data *data = NULL;
        assert_ok(dry_mesh_create(&one, &options, NULL, &data, NULL));
        add_body(apart, DRY_BODY_STATIC, pose, data_shape(DRY_SHAPE_MESH, data));
        dry_shape_data_release(data);
    }
    int hits = 0;
    for (int i = 0; i < 2 * QUERIES; i++) {
        questions q;
        draw_questions(&s, &q, &seed);
        q.closest.max_distance = 100;
        q.closest.mask = q.cast.mask = q.collide.mask = UINT64_MAX;
        /* Some ways are long beside the shape. */
        q.cast.translation = v3_of(
            d3_scale(d3_sub(d3_at(pose.position), d3_at(q.cast.pose.position)), random_in(&seed, 0.2, 20)));
        dry_closest_hit a, b;
        dry_cast_hit c, d;
        int many, single;
        assert_ok(dry_world_closest(alone, &q.closest, &a));
        assert_ok(dry_world_closest(apart, &q.closest, &b));
        assert_near(a.distance, b.distance, 1e-5);
        if (a.distance > 0)
            assert_at_most(
                d3_length(d3_sub(point_of(&square, a.triangle, a.barycentric, &pose), d3_at(a.point))), 1e-4);
        assert_ok(dry_world_cast_shape(alone, &q.cast, &c));
        assert_ok(dry_world_cast_shape(apart, &q.cast, &d));
        assert_int_equal(c.shape.bits != 0, d.shape.bits != 0);
        assert_near(c.fraction, d.fraction, 1e-5);
        hits += c.shape.bits != 0;
        if (c.shape.bits && c.depth == 0)
            assert_at_most(
                d3_length(d3_sub(point_of(&square, c.triangle, c.barycentric, &pose), d3_at(c.point))), 1e-3);
        assert_ok(dry_world_collide(alone, &q.collide, contacts[0], HITS_MAX, &many));
        assert_ok(dry_world_collide(apart, &q.collide, contacts[1], HITS_MAX, &single));
        assert_int_equal(many, single);
        for (int k = 0; k < many; k++)
            assert_near(contacts[0][k].depth, contacts[1][k].depth, 1e-5);
        const dry_ray ray = {
            .origin = q.cast.pose.position, .translation = q.cast.translation, .mask = UINT64_MAX};
        dry_ray_hit r;
        assert_ok(dry_world_cast_ray(alone, &ray, &r));
        if (r.shape.bits)
            assert_at_most(
                d3_length(d3_sub(point_of(&square, r.triangle, r.barycentric, &pose), d3_at(r.point))), 1e-4);
    }
    assert_true(hits > QUERIES);
    dry_shape_data_release(mesh);
    dry_world_destroy(alone);
    dry_world_destroy(apart);
    scene_end(&s);
}

/* Tells whether a triangle has a point in a box about a center, by cutting its surface into small parts. */
static bool has_point_in(const dry_shape_triangle *t, d3 center, double half)
{
    enum { PARTS = 60 };
    const d3 a = d3_at(t->corners[0]), u = d3_sub(d3_at(t->corners[1]), a),
             v = d3_sub(d3_at(t->corners[2]), a);
    for (int i = 0; i <= PARTS; i++)
        for (int k = 0; k <= PARTS - i; k++) {
            const d3 p = d3_add(a, d3_add(d3_scale(u, (double)i / PARTS), d3_scale(v, (double)k / PARTS)));
            if (fabs(p.x - center.x) <= half && fabs(p.y - center.y) <= half && fabs(p.z - center.z) <= half)
                return true;
        }
    return false;
}

/* Checks that the largest box there is reads all that lies on one side of a plane across x. */
static void check_one_side(const dry_world *world, dry_shape_id id, double x, const dry_shape_triangle *all,
                           int count)
{
    static dry_shape_triangle some[TRIANGLES];
    const dry_position low = {-1e9, -1e9, -1e9}, high = {x, 1e9, 1e9};
    int part, next = 0;
    assert_ok(dry_shape_get_triangles(world, id, low, high, some, TRIANGLES, &part));
    for (int k = 0; k < count; k++) {
        const dry_position *c = all[k].corners;
        const double beyond = fmin(c[0].x, fmin(c[1].x, c[2].x)) - x;
        const bool is_read = next < part && some[next].triangle == k;
        next += is_read;
        assert_true(is_read ? beyond < 1e-5 : beyond > -1e-5);
    }
}

static void triangles_in_a_box_are_read(void **state)
{
    (void)state;
    uint64_t seed = 52;
    scene s = scene_make(1, DRY_ISA_AUTO);
    dry_world *world = world_with(test_settings_weightless());
    const dry_pose pose = {{1e5, 2, 3}, random_quat(&seed)};
    dry_shape_id id[2];
    for (int i = 0; i < 2; i++) {
        dry_shape_def def =
            i ? data_shape(DRY_SHAPE_HEIGHT_FIELD, s.field) : data_shape(DRY_SHAPE_MESH, s.mesh);
        def.scale.x = i ? 1 : -1.5f;
        const dry_body_id body = add_body(world, DRY_BODY_STATIC, pose, def);
        assert_ok(dry_body_get_shapes(world, body, &id[i], 1, &(int){0}));
    }
    static dry_shape_triangle all[TRIANGLES], some[TRIANGLES];
    int found = 0;
    for (int i = 0; i < 40; i++) {
        int count, part;
        const d3 at = d3_add(d3_at(pose.position), random_d3(&seed, 1.5));
        const double half = random_in(&seed, 0.1, 0.8);
        const dry_position far_low = {0, -100, -100}, far_high = {2e5, 100, 100};
        assert_ok(dry_shape_get_triangles(world, id[i % 2], far_low, far_high, all, TRIANGLES, &count));
        assert_int_equal(count, i % 2 ? 50 : TRIANGLES);
        const dry_position low = {at.x - half, at.y - half, at.z - half},
                           high = {at.x + half, at.y + half, at.z + half};
        assert_ok(dry_shape_get_triangles(world, id[i % 2], low, high, some, TRIANGLES, &part));
        int next = 0;
        for (int k = 0; k < count; k++) {
            assert_int_equal(all[k].triangle, k);
            const bool is_read = next < part && some[next].triangle == k;
            next += is_read;
            if (has_point_in(&all[k], at, half))
                assert_true(is_read);
            if (is_read)
                assert_true(has_point_in(&all[k], at, half + 0.05));
        }
        assert_int_equal(next, part);
        found += part;
        check_one_side(world, id[i % 2], at.x, all, count);
    }
    assert_true(found > 100);
    int count = 7;
    const dry_position a = {0, 0, 0}, b = {-1, 1, 1}, nowhere = {NAN, 0, 0};
    assert_int_equal(dry_shape_get_triangles(world, id[0], a, b, NULL, 0, &count), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_get_triangles(world, id[0], nowhere, a, NULL, 0, &count), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_get_triangles(s.world, (dry_shape_id){1}, a, a, NULL, 0, &count),
                     DRY_ERROR_STALE_ID);
    assert_int_equal(count, 7);
    dry_world_destroy(world);
    scene_end(&s);
}

static void batches_have_the_bits_of_single_calls(void **state)
{
    (void)state;
    static questions q[QUERIES];
    static dry_cast_query cast[QUERIES];
    static dry_collide_query collide[QUERIES];
    static dry_closest_query closest[QUERIES];
    static dry_contains_query contains[QUERIES];
    static dry_cast_hit cast_hits[QUERIES], cast_hit;
    static dry_collide_hit collide_hits[QUERIES][4], collide_hit[4];
    static dry_closest_hit closest_hits[QUERIES], closest_hit;
    static dry_contains_hit contains_hits[QUERIES][4], contains_hit[4];
    static int counts[2][QUERIES];
    scene one = scene_make(1, DRY_ISA_SCALAR);
    uint64_t seed = 44;
    for (int i = 0; i < QUERIES; i++) {
        draw_questions(&one, &q[i], &seed);
        cast[i] = q[i].cast, collide[i] = q[i].collide, closest[i] = q[i].closest,
        contains[i] = q[i].contains;
    }
    for (int threads = 1; threads <= 8; threads = threads == 1 ? 2 : 4 * threads) {
        scene s = scene_make(threads, DRY_ISA_AUTO);
        assert_ok(dry_world_cast_shapes(s.world, QUERIES, cast, cast_hits));
        assert_ok(dry_world_collides(s.world, QUERIES, collide, collide_hits[0], 4, counts[0]));
        assert_ok(dry_world_closests(s.world, QUERIES, closest, closest_hits));
        assert_ok(dry_world_contains_points(s.world, QUERIES, contains, contains_hits[0], 4, counts[1]));
        for (int i = 0; i < QUERIES; i++) {
            int count;
            assert_ok(dry_world_cast_shape(one.world, &cast[i], &cast_hit));
            assert_true(same_cast(&cast_hit, &cast_hits[i]));
            assert_ok(dry_world_closest(one.world, &closest[i], &closest_hit));
            assert_true(same_nearest(&closest_hit, &closest_hits[i]));
            assert_ok(dry_world_collide(one.world, &collide[i], collide_hit, 4, &count));
            assert_int_equal(count, counts[0][i]);
            for (int k = 0; k < count && k < 4; k++)
                assert_true(same_contact(&collide_hit[k], &collide_hits[i][k]));
            assert_ok(dry_world_contains(one.world, &contains[i], contains_hit, 4, &count));
            assert_int_equal(count, counts[1][i]);
            for (int k = 0; k < count && k < 4; k++)
                assert_true(same_holder(&contains_hit[k], &contains_hits[i][k]));
        }
        scene_end(&s);
    }
    scene_end(&one);
}

/* A plane of a shape's face: normal . x = offset. */
typedef struct face_plane {
    d3 normal;
    double offset;
} face_plane;

/* Writes the faces of a static box, hull or cylinder in the world; the side of a cylinder as it is at `p`. */
static int faces_of(const dry_shape_def *def, dry_pose pose, d3 p, face_plane *faces)
{
    dry_shape_data_face own[64];
    int count = 0;
    const d3 center = {pose.position.x, pose.position.y, pose.position.z};
    if (def->type == DRY_SHAPE_HULL)
        assert_ok(dry_shape_data_get_faces(def->data, own, COUNT_OF(own), &count));
    else
        for (int axis = 0; axis < 3; axis++)
            for (int sign = -1; sign <= 1; sign += 2) {
                const float n[3] = {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
                const float half[3] = {def->half_extents.x, def->half_extents.y, def->half_extents.z};
                if (def->type == DRY_SHAPE_BOX || axis == 1)
                    own[count++] = (dry_shape_data_face){
                        {n[0], n[1], n[2]}, def->type == DRY_SHAPE_BOX ? half[axis] : def->half_length, 0};
            }
    if (def->type == DRY_SHAPE_CYLINDER) {
        const dry_vec3 at = quat_rotate_inverse(pose.orientation, v3_of(d3_sub(p, center)));
        const float length = hypotf(at.x, at.z);
        own[count++] = (dry_shape_data_face){{at.x / length, 0, at.z / length}, def->radius, 0};
    }
    for (int i = 0; i < count; i++) {
        const d3 normal = d3_of(quat_rotate(pose.orientation, own[i].normal));
        faces[i] = (face_plane){normal, (double)own[i].offset + d3_dot(normal, center)};
    }
    return count;
}

/* Balls meet faces, edges and corners from all sides: the face that is told lies at the point, and none that
 * does looks more against the way. A ray's face is that of its normal. */
static void test_casts_tell_faces(void **state)
{
    (void)state;
    uint64_t seed = 6721;
    int edges = 0;
    for (int n = 0; n < 3000; n++) {
        dry_vec3 points[20];
        dry_shape_data *hull = NULL;
        for (int i = 0; i < COUNT_OF(points); i++)
            points[i] = v3_of(random_d3(&seed, 1));
        assert_ok(dry_hull_create(points, COUNT_OF(points), 0, NULL, &hull, NULL));
        dry_shape_def shape = n % 3 == 0   ? box_shape(0.5, 0.7, 0.9)
                              : n % 3 == 1 ? cylinder_shape(0.5, 0.8)
                                           : data_shape(DRY_SHAPE_HULL, hull);
        dry_world *world = world_with(test_settings());
        const dry_pose pose = {{3, 2, 1}, random_quat(&seed)};
        add_body(world, DRY_BODY_STATIC, pose, shape);
        const dry_shape_def ball = sphere_shape(random_in(&seed, 0.01, 0.5));
        const d3 from = d3_scale(d3_unit(random_d3(&seed, 1)), 4), aim = random_d3(&seed, 0.9);
        dry_cast_query query = dry_default_cast_query();
        query.shape = &ball;
        query.pose.position = (dry_position){3 + from.x, 2 + from.y, 1 + from.z};
        query.translation = v3_of(d3_scale(d3_sub(aim, from), 1.5));
        dry_cast_hit hit;
        dry_ray_hit ray_hit;
        assert_ok(dry_world_cast_shape(world, &query, &hit));
        dry_ray ray = dry_default_ray();
        ray.origin = query.pose.position;
        ray.translation = query.translation;
        assert_ok(dry_world_cast_ray(world, &ray, &ray_hit));
        assert_memory_equal(&ray_hit.normal, &ray_hit.face_normal, sizeof ray_hit.normal);
        if (hit.shape.bits) {
            face_plane faces[64];
            const d3 p = {hit.point.x, hit.point.y, hit.point.z}, told = d3_of(hit.face_normal);
            const d3 way = d3_unit(d3_of(query.translation));
            const int count = faces_of(&shape, pose, p, faces);
            double best = 1, off = 1;
            for (int i = 0; i < count; i++) {
                if (d3_dot(faces[i].normal, p) > faces[i].offset - 1e-5)
                    best = fmin(best, d3_dot(faces[i].normal, way));
                if (d3_length(d3_sub(faces[i].normal, told)) < 1e-4)
                    off = fabs(d3_dot(told, p) - faces[i].offset);
            }
            assert_at_most(off, 1.5e-3);
            assert_at_most(d3_dot(told, way), best + 1e-5);
            edges += d3_length(d3_sub(told, d3_of(hit.normal))) > 1e-2;
        }
        dry_shape_data_release(hull);
        dry_world_destroy(world);
    }
    assert_true(edges > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_casts_tell_faces),
        cmocka_unit_test(answers_about_the_world_are_those_about_each_body),
        cmocka_unit_test(ignored_bodies_alone_are_left_out),
        cmocka_unit_test(parts_are_named),
        cmocka_unit_test(triangles_are_named),
        cmocka_unit_test(triangles_in_a_box_are_read),
        cmocka_unit_test(batches_have_the_bits_of_single_calls),
    };
    return cmocka_run_group_tests_name("calls of queries", tests, NULL, NULL);
}
