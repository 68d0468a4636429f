/* Tests that events, contacts and hits of rays say who: bodies, user data and children of both sides, also of
 * shapes and bodies that were destroyed meanwhile. */
#include "tests/saved_worlds.h"

/* User data of the k-th body, and of its shape, in these tests. */
static uint64_t body_mark(int k)
{
    return (UINT64_C(1) << 63) + 1000 + (uint64_t)k;
}

static uint64_t shape_mark(int k)
{
    return (UINT64_C(1) << 40) + 2000 + (uint64_t)k;
}

static dry_body_id add_marked(dry_world *world, dry_body_type type, dry_pose pose, dry_shape_def shape, int k)
{
    shape.user_data = shape_mark(k);
    dry_body_def def = body_def(type, pose, &shape);
    def.user_data = body_mark(k);
    return add_def(world, &def);
}

/* A marked body and its shape, as they were when they lived. */
typedef struct known {
    dry_body_id body;
    dry_shape_id shape;
} known;

static known known_of(const dry_world *world, dry_body_id body)
{
    return (known){body, shape_of_body(world, body)};
}

/* Checks one side of an event or a contact. `k` is the index in `all` of the body that it names. */
static int side_is(const known *all, int count, dry_shape_id shape, dry_body_id body, uint64_t shape_data,
                   uint64_t body_data)
{
    int k = 0;
    while (k < count && all[k].body.bits != body.bits)
        k++;
    assert_true(k < count);
    assert_true(shape.bits == all[k].shape.bits);
    assert_true(shape_data == shape_mark(k) && body_data == body_mark(k));
    return k;
}

/* Checks both sides of an event, a hit or a contact. Fills in which bodies they are, a's first. */
#define SIDES_ARE(all, count, e, sides)                                                                      \
    do {                                                                                                     \
        sides[0] =                                                                                           \
            side_is(all, count, (e)->shape_a, (e)->body_a, (e)->shape_user_data_a, (e)->body_user_data_a);   \
        sides[1] =                                                                                           \
            side_is(all, count, (e)->shape_b, (e)->body_b, (e)->shape_user_data_b, (e)->body_user_data_b);   \
    } while (0)

/* A ball falls on a floor and flies on: begin, hit, contact and end name the two. */
static void a_bounce_says_who(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    known all[2];
    all[0] = known_of(world, add_marked(world, DRY_BODY_STATIC, pose_at(0, -1, 0), box_shape(5, 1, 5), 0));
    dry_shape_def ball = sphere_shape(0.2);
    ball.restitution = 0.8f;
    all[1] = known_of(world, add_marked(world, DRY_BODY_DYNAMIC, pose_at(0, 1, 0), ball, 1));
    int begins = 0, hits = 0, ends = 0, contacts = 0, sides[2];
    for (int step = 0; step < 60; step++) {
        run_steps(world, 1, TEST_DT);
        const dry_events e = dry_world_events(world);
        for (int i = 0; i < e.contact_begin_count; i++, begins++)
            SIDES_ARE(all, 2, &e.contact_begins[i], sides);
        for (int i = 0; i < e.contact_end_count; i++, ends++)
            SIDES_ARE(all, 2, &e.contact_ends[i], sides);
        for (int i = 0; i < e.hit_count; i++, hits++) {
            const dry_hit_event *hit = &e.hits[i];
            SIDES_ARE(all, 2, hit, sides);
            assert_true(sides[0] != sides[1]);
            assert_near(hit->normal.y, sides[0] == 0 ? 1 : -1, 1e-4);
            assert_true(hit->child_a == -1 && hit->child_b == -1);
            assert_true(hit->triangle_a == -1 && hit->triangle_b == -1);
            assert_true(hit->material_a == 0 && hit->material_b == 0);
        }
        dry_contact contact;
        int count = 0;
        assert_ok(dry_body_get_contacts(world, all[1].body, &contact, 1, &count));
        for (; count > 0; count--, contacts++) {
            SIDES_ARE(all, 2, &contact, sides);
            assert_true(contact.child_a == -1 && contact.child_b == -1);
            assert_true(contact.triangle_a == -1 && contact.triangle_b == -1);
        }
    }
    assert_true(begins > 0 && hits > 0 && ends > 0 && contacts > 0);
    dry_world_destroy(world);
}

/* The ways in which the contacts of the second of two bodies end between two steps. */
enum { BY_SHAPE, BY_BODY, BY_BOTH_BODIES, BY_FILTER, BY_DISABLING, WAYS };

static void end_contacts(dry_world *world, const known all[2], int way)
{
    const dry_body_id both[] = {all[0].body, all[1].body};
    switch (way) {
    case BY_SHAPE:
        assert_ok(dry_shape_destroy(world, all[1].shape));
        break;
    case BY_BODY:
        assert_ok(dry_body_destroy(world, all[1].body));
        break;
    case BY_BOTH_BODIES:
        assert_ok(dry_world_destroy_bodies(world, 2, both));
        break;
    case BY_FILTER:
        assert_ok(dry_shape_set_filter(world, all[1].shape, (dry_filter){2, 0, 0}));
        break;
    default:
        assert_ok(dry_body_set_enabled(world, all[1].body, false));
    }
}

/* An end event that waits for the next step has the user data of the moment at which the contact ended,
 * whoever takes the place of the shape meanwhile. */
static void an_end_says_who_it_was(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        dry_world *world = world_with(test_settings());
        known all[2];
        all[0] =
            known_of(world, add_marked(world, DRY_BODY_STATIC, pose_at(0, -1, 0), box_shape(5, 1, 5), 0));
        all[1] = known_of(
            world, add_marked(world, DRY_BODY_DYNAMIC, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5), 1));
        run_steps(world, 10, TEST_DT);
        end_contacts(world, all, way);
        if (way == BY_FILTER || way == BY_DISABLING) {
            assert_ok(dry_body_set_user_data(world, all[1].body, 5));
            assert_ok(dry_shape_set_user_data(world, all[1].shape, 6));
        }
        add_marked(world, DRY_BODY_DYNAMIC, pose_at(0, 20, 0), box_shape(0.5, 0.5, 0.5), 7);
        run_steps(world, 1, TEST_DT);
        const dry_events e = dry_world_events(world);
        assert_int_equal(e.contact_end_count, 1);
        int sides[2];
        SIDES_ARE(all, 2, &e.contact_ends[0], sides);
        assert_true(sides[0] != sides[1]);
        assert_int_equal(dry_shape_is_valid(world, all[1].shape), way == BY_FILTER || way == BY_DISABLING);
        dry_world_destroy(world);
    }
}

/* Many bodies that are destroyed at once end as those that go one by one. */
static void a_crowd_ends_by_name(void **state)
{
    (void)state;
    enum { BODIES = 300 };
    for (int kept = 0; kept < 2; kept++) {
        dry_world *world = world_with(test_settings());
        static known all[BODIES + 1];
        static dry_body_id ids[BODIES];
        for (int i = 0; i < BODIES; i++) {
            const dry_pose pose = pose_at(3 * (i % 20), 0.5 + i / 200, 3 * (i / 20 % 10));
            ids[i] = add_marked(world, DRY_BODY_DYNAMIC, pose, box_shape(0.5, 0.5, 0.5), i);
            all[i] = known_of(world, ids[i]);
        }
        dry_shape_def ground = box_shape(200, 1, 200);
        all[BODIES] = known_of(world, add_marked(world, DRY_BODY_STATIC, pose_at(0, -1, 0), ground, BODIES));
        run_steps(world, 10, TEST_DT);
        const int contacts = dry_world_get_contacts(world, NULL, 0);
        assert_true(contacts >= BODIES);
        assert_ok(dry_world_destroy_bodies(world, kept ? BODIES / 2 : BODIES, ids));
        run_steps(world, 1, TEST_DT);
        const dry_events e = dry_world_events(world);
        assert_int_equal(e.contact_end_count, contacts - dry_world_get_contacts(world, NULL, 0));
        assert_true(e.contact_end_count >= BODIES / 2);
        for (int i = 0; i < e.contact_end_count; i++) {
            int sides[2];
            SIDES_ARE(all, BODIES + 1, &e.contact_ends[i], sides);
            assert_true(sides[0] != sides[1]);
        }
        dry_world_destroy(world);
    }
}

enum { TILES = 6 };

static dry_shape_data *row_of_tiles(void)
{
    dry_shape_def tile[TILES];
    for (int i = 0; i < TILES; i++) {
        tile[i] = box_shape(0.4, 0.25, 0.4);
        tile[i].pose.position = v3(2 * i, -0.25, 0);
    }
    dry_shape_data *data = NULL;
    assert_ok(dry_compound_create(tile, TILES, NULL, &data));
    return data;
}

/* Checks a child against the place at which it touches: tiles lie 2 m apart. */
static void child_is_at(int child, double x)
{
    assert_int_equal(child, (int)floor(0.5 * x + 0.5));
}

/* A ball over each tile but one, and a row of tiles that falls on the balls of the same row. */
static void contacts_and_hits_name_children(void **state)
{
    (void)state;
    dry_shape_data *data = row_of_tiles();
    dry_world *world = world_with(test_settings());
    const dry_body_id floor =
        add_marked(world, DRY_BODY_STATIC, pose_at(0, 0, 0), data_shape(DRY_SHAPE_COMPOUND, data), 0);
    for (int i = 0; i < TILES; i++)
        add_marked(world, DRY_BODY_DYNAMIC, pose_at(2 * i, 1, 0), sphere_shape(0.3), 1);
    const dry_body_id roof =
        add_marked(world, DRY_BODY_DYNAMIC, pose_at(0, 3.5, 0), data_shape(DRY_SHAPE_COMPOUND, data), 2);
    int hits[2] = {0}, contacts[2] = {0};
    for (int step = 0; step < 60; step++) {
        run_steps(world, 1, TEST_DT);
        const dry_events e = dry_world_events(world);
        for (int i = 0; i < e.hit_count; i++) {
            const dry_hit_event *hit = &e.hits[i];
            const bool in_a = hit->body_a.bits == floor.bits || hit->body_a.bits == roof.bits;
            const dry_body_id row = in_a ? hit->body_a : hit->body_b;
            assert_int_equal(in_a ? hit->child_b : hit->child_a, -1);
            child_is_at(in_a ? hit->child_a : hit->child_b, hit->point.x);
            hits[row.bits == roof.bits]++;
        }
        static dry_contact all[64];
        const int count = dry_world_get_contacts(world, all, COUNT_OF(all));
        assert_true(count <= COUNT_OF(all));
        for (int i = 0; i < count; i++) {
            const dry_contact *c = &all[i];
            const bool in_a = c->body_a.bits == floor.bits || c->body_a.bits == roof.bits;
            const dry_body_id row = in_a ? c->body_a : c->body_b;
            assert_int_equal(in_a ? c->child_b : c->child_a, -1);
            child_is_at(in_a ? c->child_a : c->child_b, c->points[0].position.x);
            contacts[row.bits == roof.bits]++;
        }
    }
    assert_true(hits[0] >= TILES && hits[1] >= TILES && contacts[0] > TILES && contacts[1] > TILES);
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

/* Two compounds that touch name a child of each. */
static void both_sides_name_a_child(void **state)
{
    (void)state;
    dry_shape_data *data = row_of_tiles();
    dry_world *world = world_with(test_settings());
    add_marked(world, DRY_BODY_STATIC, pose_at(0, 0, 0), data_shape(DRY_SHAPE_COMPOUND, data), 0);
    const dry_body_id top =
        add_marked(world, DRY_BODY_DYNAMIC, pose_at(4, 0.5, 0), data_shape(DRY_SHAPE_COMPOUND, data), 1);
    run_steps(world, 30, TEST_DT);
    dry_contact contacts[16];
    int count = 0;
    assert_ok(dry_body_get_contacts(world, top, contacts, 16, &count));
    assert_int_equal(count, TILES - 2);
    for (int i = 0; i < count; i++) {
        const bool top_first = contacts[i].body_a.bits == top.bits;
        const double x = contacts[i].points[0].position.x;
        child_is_at(top_first ? contacts[i].child_b : contacts[i].child_a, x);
        child_is_at(top_first ? contacts[i].child_a : contacts[i].child_b, x - 4);
    }
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

static void rays_say_who(void **state)
{
    (void)state;
    enum { BODIES = 8 };
    dry_world *world = world_with(test_settings());
    dry_ray rays[BODIES + 1];
    dry_ray_hit hits[BODIES + 1], all[BODIES];
    dry_body_id ids[BODIES];
    for (int i = 0; i < BODIES; i++) {
        ids[i] = add_marked(world, DRY_BODY_STATIC, pose_at(3 * i, 0, 0), sphere_shape(1), i);
        rays[i] = (dry_ray){.origin = {3 * i, 5, 0}, .translation = v3(0, -9, 0), .mask = UINT64_MAX};
    }
    rays[BODIES] = (dry_ray){.origin = {-9, 5, 0}, .translation = v3(0, -9, 0), .mask = UINT64_MAX};
    assert_ok(dry_world_cast_rays(world, BODIES + 1, rays, hits));
    for (int i = 0; i < BODIES; i++) {
        assert_true(hits[i].body.bits == ids[i].bits);
        assert_true(hits[i].body_user_data == body_mark(i) && hits[i].shape_user_data == shape_mark(i));
        assert_ok(dry_world_cast_ray(world, &rays[i], &all[0]));
        assert_memory_equal(&all[0], &hits[i], sizeof hits[i]);
    }
    assert_true(hits[BODIES].shape.bits == 0 && hits[BODIES].body_user_data == 0 &&
                hits[BODIES].shape_user_data == 0);
    const dry_ray through = {.origin = {-5, 0, 0}, .translation = v3(40, 0, 0), .mask = UINT64_MAX};
    int count = 0;
    assert_ok(dry_world_cast_ray_all(world, &through, all, BODIES, &count));
    assert_int_equal(count, BODIES);
    for (int i = 0; i < BODIES; i++)
        assert_true(all[i].body_user_data == body_mark(i) && all[i].shape_user_data == shape_mark(i));
    dry_world_destroy(world);
}

/* User data are read back, stay out of the state hash, and so do those of an end that waits. */
static void user_data_stay_out_of_the_hash(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int way = 0; way < 2; way++) {
        dry_world *world = world_with(test_settings());
        add_marked(world, DRY_BODY_STATIC, pose_at(0, -1, 0), box_shape(5, 1, 5), 0);
        const dry_body_id box =
            add_marked(world, DRY_BODY_DYNAMIC, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5), 10 * way);
        const dry_shape_id shape = shape_of_body(world, box);
        uint64_t data = 0;
        assert_ok(dry_body_get_user_data(world, box, &data));
        assert_true(data == body_mark(10 * way));
        assert_ok(dry_shape_get_user_data(world, shape, &data));
        assert_true(data == shape_mark(10 * way));
        assert_ok(dry_body_set_user_data(world, box, 3));
        assert_ok(dry_shape_set_user_data(world, shape, 4 + (uint64_t)way));
        assert_ok(dry_body_get_user_data(world, box, &data));
        assert_true(data == 3);
        assert_ok(dry_shape_get_user_data(world, shape, &data));
        assert_true(data == 4 + (uint64_t)way);
        run_steps(world, 10, TEST_DT);
        assert_ok(dry_body_destroy(world, box));
        hash[way] = dry_world_hash(world);
        assert_int_equal(dry_shape_get_user_data(world, shape, &data), DRY_ERROR_STALE_ID);
        assert_int_equal(dry_body_get_user_data(world, box, &data), DRY_ERROR_STALE_ID);
        dry_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

static void bad_reads_are_refused(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    const dry_body_id box = add_marked(world, DRY_BODY_STATIC, pose_at(0, 0, 0), box_shape(1, 1, 1), 0);
    const dry_shape_id shape = shape_of_body(world, box);
    uint64_t data = 17;
    assert_int_equal(dry_body_get_user_data(NULL, box, &data), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_get_user_data(NULL, shape, &data), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_body_get_user_data(world, box, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_get_user_data(world, shape, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_body_get_user_data(world, (dry_body_id){0}, &data), DRY_ERROR_STALE_ID);
    assert_int_equal(dry_shape_get_user_data(world, (dry_shape_id){0}, &data), DRY_ERROR_STALE_ID);
    assert_int_equal(dry_joint_get_user_data(world, (dry_joint_id){0}, &data), DRY_ERROR_STALE_ID);
    assert_int_equal(dry_joint_get_user_data(NULL, (dry_joint_id){0}, &data), DRY_ERROR_ARGUMENT);
    assert_int_equal(data, 17);
    dry_world_destroy(world);
}

/* Sleep, quarantine and joint events carry the user data of what they name, as it is then. */
static void events_of_one_thing_carry_user_data(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    settings.sleep = true;
    dry_world *world = world_with(settings);
    const dry_body_id floor = add_floor(world, 0.6, 0);
    dry_body_id box[3];
    for (int k = 0; k < 3; ++k)
        box[k] = add_marked(world, DRY_BODY_DYNAMIC, pose_at(3 * k, 0.5, 0), box_shape(0.5, 0.5, 0.5), k);
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_FIXED);
    dry_joint_id joint;
    uint64_t data = 0;
    def.body_a = floor;
    def.body_b = box[2];
    def.anchor_a = v3(6, 0.5f, 0);
    def.break_force = 1e4f;
    def.user_data = UINT64_MAX - 7;
    assert_ok(dry_world_create_joint(world, &def, &joint));
    assert_ok(dry_joint_get_user_data(world, joint, &data));
    assert_true(data == UINT64_MAX - 7);
    int slept = 0;
    for (int step = 0; step < 90; ++step) {
        run_steps(world, 1, TEST_DT);
        const dry_events events = dry_world_events(world);
        for (int i = 0; i < events.sleep_count; ++i, ++slept)
            for (int k = 0; k < 3; ++k)
                assert_true(events.sleeps[i].asleep && (events.sleeps[i].body.bits != box[k].bits ||
                                                        events.sleeps[i].user_data == body_mark(k)));
    }
    assert_int_equal(slept, 3);
    assert_ok(dry_body_set_user_data(world, box[1], 5));
    assert_ok(dry_body_apply_force(world, box[1], v3(0, 1e18f, 0)));
    assert_ok(dry_body_apply_force(world, box[2], v3(0, 1e6f, 0)));
    run_steps(world, 1, TEST_DT);
    const dry_events events = dry_world_events(world);
    assert_true(events.quarantine_count == 1 && events.quarantines[0].body.bits == box[1].bits);
    assert_true(events.quarantines[0].user_data == 5);
    assert_true(events.joint_count == 1 && events.joints[0].joint.bits == joint.bits);
    assert_true(events.joints[0].broken && events.joints[0].user_data == UINT64_MAX - 7);
    dry_world_destroy(world);
}

/* Counts of events that a ball and the floor below raise. */
typedef struct told {
    int begins, ends, hits;
    uint64_t motion;
} told;

/* Throws a ball at a floor in a world that was loaded, and takes the ball away. */
static told drop(uint32_t floor_asks, uint32_t ball_asks)
{
    dry_world *world = world_with(test_settings());
    dry_shape_def below = box_shape(5, 0.5, 5), ball = sphere_shape(0.5), read;
    told all = {0, 0, 0, 0};
    below.events = floor_asks;
    ball.events = ball_asks;
    add_body(world, DRY_BODY_STATIC, pose_at(0, -0.5, 0), below);
    const dry_body_id thrown = add_dynamic(world, pose_at(0, 0.6, 0), ball);
    set_velocity(world, thrown, (d3){0, -3, 0}, (d3){0, 0, 0});
    assert_ok(dry_shape_get_def(world, shape_of_body(world, thrown), &read));
    assert_int_equal(read.events, ball_asks);
    const bool plain = floor_asks == DRY_SHAPE_EVENTS_ALL && ball_asks == DRY_SHAPE_EVENTS_ALL;
    assert_true((world->shapes.events == NULL) == plain);
    bytes save = save_of(world);
    dry_world *other = loaded(&save, 2);
    dry_world_destroy(world);
    for (int step = 0; step < 40; ++step) {
        if (step == 30) {
            all.motion = dry_world_motion_hash(other);
            assert_ok(dry_body_destroy(other, thrown));
        }
        run_steps(other, 1, TEST_DT);
        const dry_events events = dry_world_events(other);
        all.begins += events.contact_begin_count;
        all.ends += events.contact_end_count;
        all.hits += events.hit_count;
    }
    dry_world_destroy(other);
    free(save.at);
    return all;
}

/* A pair raises a kind if one of its shapes asks, and moves the same whatever they ask for. */
static void shapes_ask_for_kinds(void **state)
{
    (void)state;
    const told all = drop(DRY_SHAPE_EVENTS_ALL, DRY_SHAPE_EVENTS_ALL);
    assert_true(all.begins == 1 && all.ends == 1 && all.hits == 1);
    for (uint32_t floor = 0; floor <= DRY_SHAPE_EVENTS_ALL; ++floor)
        for (uint32_t ball = 0; ball <= DRY_SHAPE_EVENTS_ALL; ++ball) {
            const told some = drop(floor, ball);
            const int contacts = ((floor | ball) & DRY_SHAPE_EVENTS_CONTACTS) != 0;
            assert_true(some.begins == contacts && some.ends == contacts);
            assert_int_equal(some.hits, ((floor | ball) & DRY_SHAPE_EVENTS_HITS) != 0);
            assert_true(some.motion == all.motion);
        }
    dry_world *world = world_with(test_settings());
    dry_shape_def bad = sphere_shape(0.5);
    const dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    dry_shape_id shape;
    bad.events = DRY_SHAPE_EVENTS_ALL + 1;
    assert_int_equal(dry_body_create_shape(world, body, &bad, &shape), DRY_ERROR_ARGUMENT);
    dry_shape_data *compound;
    bad.events = DRY_SHAPE_EVENTS_HITS;
    assert_int_equal(dry_compound_create(&bad, 1, NULL, &compound), DRY_ERROR_ARGUMENT);
    /* A slot that is used again has the events of its new shape. */
    assert_ok(dry_body_create_shape(world, body, &bad, &shape));
    assert_ok(dry_shape_destroy(world, shape));
    bad.events = DRY_SHAPE_EVENTS_ALL;
    assert_ok(dry_body_create_shape(world, body, &bad, &shape));
    assert_ok(dry_shape_get_def(world, shape, &bad));
    assert_int_equal(bad.events, DRY_SHAPE_EVENTS_ALL);
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bounce_says_who),
        cmocka_unit_test(an_end_says_who_it_was),
        cmocka_unit_test(a_crowd_ends_by_name),
        cmocka_unit_test(contacts_and_hits_name_children),
        cmocka_unit_test(both_sides_name_a_child),
        cmocka_unit_test(rays_say_who),
        cmocka_unit_test(user_data_stay_out_of_the_hash),
        cmocka_unit_test(bad_reads_are_refused),
        cmocka_unit_test(events_of_one_thing_carry_user_data),
        cmocka_unit_test(shapes_ask_for_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
