/* Steps of some bodies: with all bodies named they are whole steps, to the bit; all others stay as they are,
 * to the bit; what is held is like what is static. */
#include "tests/golden_scenes.h"
#include "tests/memory_scenes.h"
#include "tests/saved_worlds.h"
#include "tests/world_checker.h"

enum { BODIES_MAX = 512 };

/* The ids of all bodies of a world, in an order that a seed shuffles. */
typedef struct id_list {
    dry_body_id id[BODIES_MAX];
    int count;
} id_list;

static id_list all_ids(const dry_world *world, uint64_t seed)
{
    id_list l = {.count = 0};
    for (int row = 0; row < world->bodies.count; row++) {
        const int at = random_below(&seed, ++l.count);
        assert_true(l.count <= BODIES_MAX);
        l.id[l.count - 1] = l.id[at];
        l.id[at] = dry_body_id_of(world, world->bodies.state[row].slot);
    }
    return l;
}

/* What a step may not change of a body. */
typedef struct body_copy {
    dry_body_pose pose;
    dry_body_velocity velocity;
    dry_body_sleep sleep;
    dry_body_force force;
    uint32_t flags;
    bool named, awake;
} body_copy;

typedef struct contact_copy {
    dry_manifold manifold;
    dry_contact_link link;
} contact_copy;

/* Bodies by slot, contacts and impulses of joints by index. */
typedef struct world_copy {
    body_copy body[BODIES_MAX];
    contact_copy *contact;
    dry_joint_rows_state *joint;
    int contacts;
} world_copy;

static world_copy copy_of(const dry_world *world, const id_list *named)
{
    world_copy c = {.contacts = world->contacts.used};
    const dry_bodies *bodies = &world->bodies;
    for (int row = 0; row < bodies->count; row++)
        c.body[bodies->state[row].slot] =
            (body_copy){bodies->pose[row],        bodies->velocity[row],
                        bodies->sleep[row],       *dry_bodies_force(bodies, row),
                        bodies->state[row].flags, false,
                        row < bodies->awake_count};
    for (int i = 0; i < named->count; i++)
        c.body[dry_slots_of(named->id[i].bits)].named = true;
    c.contact = calloc((size_t)c.contacts + 1, sizeof *c.contact);
    c.joint = calloc((size_t)world->joints.slots.used + 1, sizeof *c.joint);
    assert_true(c.contact && c.joint);
    for (int i = 0; i < c.contacts; i++)
        c.contact[i] = (contact_copy){world->contacts.manifold[i], world->contacts.link[i]};
    for (int i = 0; i < world->joints.slots.used; i++)
        c.joint[i] = world->joints.rows[i];
    return c;
}

static void free_copy(world_copy *c)
{
    free(c->contact);
    free(c->joint);
}

static bool is_unnamed(const world_copy *c, int slot)
{
    return slot < 0 || !c->body[slot].named;
}

/* Checks that the bodies that were not named, and contacts and joints between them, are as they were. */
static void check_others(const dry_world *world, const world_copy *before)
{
    const id_list none = {.count = 0};
    world_copy now = copy_of(world, &none);
    for (int row = 0; row < world->bodies.count; row++) {
        const int slot = world->bodies.state[row].slot;
        const body_copy *a = &before->body[slot], *b = &now.body[slot];
        if (a->named)
            continue;
        check(memcmp(&a->pose, &b->pose, sizeof a->pose) == 0);
        check(memcmp(&a->velocity, &b->velocity, sizeof a->velocity) == 0);
        check(memcmp(&a->sleep, &b->sleep, sizeof a->sleep) == 0);
        check(memcmp(&a->force, &b->force, sizeof a->force) == 0);
        check((a->flags & ~(uint32_t)DRY_BODY_SLEEP_LISTED) ==
                  (b->flags & ~(uint32_t)DRY_BODY_SLEEP_LISTED) ||
              (a->flags & DRY_BODY_SLEEP_LISTED));
        check(a->awake == b->awake);
    }
    for (int i = 0; i < before->contacts; i++) {
        const dry_contact_link *a = &before->contact[i].link, *b = &now.contact[i].link;
        if (!(a->flags & DRY_CONTACT_USED) || !is_unnamed(before, a->body_a) ||
            !is_unnamed(before, a->body_b))
            continue;
        check(a->flags == b->flags && a->color == b->color && a->points == b->points);
        check(memcmp(&before->contact[i].manifold, &now.contact[i].manifold, sizeof(dry_manifold)) == 0);
    }
    for (int i = -1; (i = dry_slots_next(&world->joints.slots, i)) >= 0;) {
        const dry_joint *joint = &world->joints.joint[i];
        if (is_unnamed(before, joint->body_a) && is_unnamed(before, joint->body_b) &&
            dry_joint_sides(joint) == 2)
            check(memcmp(&before->joint[i], &now.joint[i], sizeof before->joint[i]) == 0);
    }
    free_copy(&now);
}

/* Steps a scene twice: whole, and by the names of all bodies. */
static void check_all_named(const char *name, int size, int steps, dry_joint_solver solver)
{
    dry_scene made;
    dry_settings settings = test_settings();
    settings.joint_solver = solver;
    settings.sleep = true;
    settings.sleep_after = 0.2f;
    assert_true(golden_make(name, size, &made));
    dry_world *whole = scene_world(&made, &settings, 1), *named = scene_world(&made, &settings, 3);
    for (int i = 0; i < steps; i++) {
        const id_list ids = all_ids(named, (uint64_t)i + 1);
        assert_ok(dry_world_step(whole, made.dt));
        assert_ok(dry_world_step_only(named, made.dt, ids.id, ids.count));
        if (dry_world_hash(whole) != dry_world_hash(named))
            fail_msg("%s: hashes differ after step %d", name, i + 1);
    }
    dry_world_destroy(whole);
    dry_world_destroy(named);
    dry_scene_free(&made);
}

static void test_all_named(void **state)
{
    (void)state;
    const int steps = test_pick(120, 30);
    check_all_named("pyramid", 8, steps, DRY_JOINT_SOLVER_ITERATIVE);
    check_all_named("mixed", 40, steps, DRY_JOINT_SOLVER_ITERATIVE);
    check_all_named("ragdolls", 1, steps, DRY_JOINT_SOLVER_ITERATIVE);
    check_all_named("ragdolls", 1, steps, DRY_JOINT_SOLVER_DIRECT);
    check_all_named("ball-hinge", 3, steps, DRY_JOINT_SOLVER_AUTO);
    check_all_named("terrain", 20, steps, DRY_JOINT_SOLVER_ITERATIVE);
}

/* Loads the world and steps both, some bodies and then all. */
static void check_loaded(dry_world *world, const id_list *ids, int turn)
{
    bytes b = save_of(world);
    dry_world *other = loaded(&b, turn);
    check_world(other, false);
    for (int i = 0; i < 3; i++) {
        if (i == 0) {
            assert_ok(dry_world_step_only(world, TEST_DT, ids->id, ids->count));
            assert_ok(dry_world_step_only(other, TEST_DT, ids->id, ids->count));
        } else {
            assert_ok(dry_world_step(world, TEST_DT));
            assert_ok(dry_world_step(other, TEST_DT));
        }
        check(dry_world_hash(world) == dry_world_hash(other));
    }
    dry_world_destroy(other);
    free(b.at);
}

/* Does something to the world that steps follow: bodies wake, fly off, turn kinematic, and are replaced;
 * joints break. */
static void stir(scene *s, uint64_t *seed)
{
    dry_body_id *at = &s->ids[random_below(seed, BODIES)];
    const d3 speed = random_d3(seed, 4);
    switch (random_below(seed, 12)) {
    case 0:
        (void)dry_body_set_velocity(s->world, *at, (dry_velocity){v3_of(speed), v3(0, 0, 1)});
        break;
    case 1:
        (void)dry_body_set_type(s->world, *at, (dry_body_type)random_below(seed, 3));
        break;
    case 2: /* too fast: quarantine */
        (void)dry_body_apply_impulse(s->world, *at, v3(1e8, 0, 0));
        break;
    case 3:
        assert_ok(dry_body_set_enabled(s->world, *at, true));
        break;
    case 4: {
        dry_joint_def def;
        if (dry_joint_get_def(s->world, s->joint, &def) == DRY_OK) {
            def.break_force = 1;
            (void)dry_joint_set_def(s->world, s->joint, &def);
        }
        break;
    }
    case 5:
        (void)dry_joint_set_enabled(s->world, s->joint, true);
        break;
    case 6:
        assert_ok(dry_body_destroy(s->world, *at));
        *at = add_dynamic(s->world, pose_at(speed.x / 4, 3, speed.z / 4), box_shape(0.3, 0.2, 0.4));
        break;
    case 7:
        assert_ok(dry_body_set_awake(s->world, *at, false));
        break;
    case 8:
        (void)dry_body_apply_force(s->world, *at, v3(0, 30, 0));
        break;
    default:
        break;
    }
}

/* Steps some of the bodies again and again, beside whole steps and calls. Checks the others, unless some lost
 * a support, and all structures. */
static void check_random_subsets(const scene_kind *kind, uint64_t seed, int turns)
{
    scene s;
    make_scene(&s, kind);
    snprintf(checker_place, sizeof checker_place, "%s, seed %llu", kind->name, (unsigned long long)seed);
    dry_settings settings = dry_world_get_settings(s.world);
    settings.sleep = true;
    assert_ok(dry_world_set_settings(s.world, &settings));
    for (int turn = 0; turn < turns; turn++) {
        id_list ids = all_ids(s.world, seed + (uint64_t)turn);
        ids.count = random_below(&seed, ids.count + 1);
        if (random_below(&seed, 5) == 0)
            assert_ok(dry_world_step(s.world, TEST_DT));
        world_copy before = copy_of(s.world, &ids);
        assert_ok(dry_world_step_only(s.world, turn % 11 == 10 ? 0 : TEST_DT, ids.id, ids.count));
        const dry_events events = dry_world_events(s.world);
        if (events.quarantine_count + events.joint_count == 0)
            check_others(s.world, &before);
        check_world(s.world, false);
        free_copy(&before);
        if (turn % 9 == 8)
            check_loaded(s.world, &ids, turn);
        stir(&s, &seed);
        check_world(s.world, false);
    }
    dry_world_destroy(s.world);
    assert_int_equal(s.counter.wrong, 0);
}

static void test_random_subsets(void **state)
{
    (void)state;
    const char *more = getenv("DRYSTONE_STEP_ONLY_SEEDS");
    const int seeds = more ? atoi(more) : test_pick(4, 1);
    for (int kind = 0; kind < COUNT_OF(kinds); kind++)
        for (int seed = 1; seed <= seeds; seed++)
            check_random_subsets(&kinds[kind], 1000 * (uint64_t)seed + (uint64_t)kind, test_pick(60, 20));
}

/* A world of which one half has never seen the other: steps of the first half alone leave no trace in the
 * second. */
static void test_far_bodies(void **state)
{
    (void)state;
    dry_world *worlds[2];
    id_list near = {.count = 0}, far = {.count = 0};
    for (int w = 0; w < 2; w++) {
        near.count = far.count = 0;
        worlds[w] = world_with(test_settings());
        add_floor(worlds[w], 0.6, 0);
        for (int i = 0; i < 12; i++) {
            const double x = i % 2 ? 100.0 : 0.0;
            const dry_body_id id = add_dynamic(worlds[w], pose_at(x + 0.1 * (i % 3), 0.6 + 0.6 * i, 0),
                                               i % 3 ? box_shape(0.5, 0.5, 0.5) : sphere_shape(0.5));
            id_list *l = i % 2 ? &far : &near;
            l->id[l->count++] = id;
        }
        join(worlds[w], far.id[0], far.id[3], 0);
        join(worlds[w], near.id[0], near.id[3], 0);
    }
    for (int i = 0; i < test_pick(240, 60); i++) {
        assert_ok(dry_world_step(worlds[0], TEST_DT));
        assert_ok(dry_world_step(worlds[1], TEST_DT));
        for (int k = 0; k < 3; k++)
            assert_ok(dry_world_step_only(worlds[1], TEST_DT, near.id, near.count));
        for (int k = 0; k < far.count; k++) {
            const dry_pose a = pose_of(worlds[0], far.id[k]);
            const dry_pose b = pose_of(worlds[1], far.id[k]);
            if (memcmp(&a, &b, sizeof a) != 0)
                fail_msg("body %d differs after step %d", k, i + 1);
        }
    }
    dry_world_destroy(worlds[0]);
    dry_world_destroy(worlds[1]);
}

/* A stack falls on a body that flies, and is held: it comes to rest as it does on a static one. */
static void test_held_as_static(void **state)
{
    (void)state;
    dry_world *worlds[2];
    dry_body_id ids[5], base = {0};
    for (int w = 0; w < 2; w++) {
        worlds[w] = world_with(test_settings());
        base = add_body(worlds[w], w ? DRY_BODY_STATIC : DRY_BODY_DYNAMIC, pose_at(0, 50, 0),
                        box_shape(2, 0.5, 2));
        if (w == 0)
            set_velocity(worlds[w], base, (d3){3, -7, 2}, (d3){1, 2, 3});
        for (int i = 0; i < 5; i++)
            ids[i] = add_dynamic(worlds[w], pose_at(0.02 * i, 51.1 + 1.05 * i, 0), box_shape(0.5, 0.5, 0.5));
        /* By a body of its own: a color that the joint took from the base would give its contact another. */
        const dry_body_id hook =
            add_body(worlds[w], w ? DRY_BODY_STATIC : DRY_BODY_DYNAMIC, pose_at(3, 55, 0), sphere_shape(0.2));
        join(worlds[w], hook, ids[4], 50);
    }
    for (int i = 0; i < 300; i++) {
        assert_ok(dry_world_step_only(worlds[0], TEST_DT, ids, 5));
        assert_ok(dry_world_step(worlds[1], TEST_DT));
        for (int k = 0; k < 5; k++) {
            const dry_pose a = pose_of(worlds[0], ids[k]), b = pose_of(worlds[1], ids[k]);
            if (memcmp(&a, &b, sizeof a) != 0)
                fail_msg("body %d differs after step %d", k, i + 1);
        }
    }
    assert_near(velocity_of(worlds[0], base).y, -7.0, 0);
    assert_near(velocity_of(worlds[0], ids[4]).y, 0.0, 1e-3);
    dry_world_destroy(worlds[0]);
    dry_world_destroy(worlds[1]);
}

/* A body falls on one that sleeps and is not named: this one wakes in the next whole step. */
static void test_sleepers(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    settings.sleep = true;
    dry_world *world = world_with(settings);
    add_floor(world, 0.6, 0);
    const dry_body_id low = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 120, TEST_DT);
    assert_false(dry_body_is_awake(world, low));
    const dry_body_id high = add_dynamic(world, pose_at(0, 3, 0), box_shape(0.5, 0.5, 0.5));
    const d3 before = position_of(world, low);
    for (int i = 0; i < 200; i++) {
        assert_ok(dry_world_step_only(world, TEST_DT, &high, 1));
        assert_false(dry_body_is_awake(world, low));
        assert_true(dry_world_events(world).moved_count <= 1);
    }
    assert_near(position_of(world, high).y, before.y + 1, 0.02);
    assert_near(d3_length(d3_sub(position_of(world, low), before)), 0, 0);
    set_velocity(world, high, (d3){0, -1, 0}, (d3){0, 0, 0});
    check_world(world, true);
    assert_ok(dry_world_step(world, TEST_DT));
    assert_true(dry_body_is_awake(world, low));
    check_world(world, true);
    dry_world_destroy(world);
}

static void test_refusals(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.6, 0);
    const dry_body_id a = add_dynamic(world, pose_at(0, 2, 0), sphere_shape(0.5));
    const dry_body_id b = add_dynamic(world, pose_at(3, 2, 0), sphere_shape(0.5));
    const dry_body_id gone = add_dynamic(world, pose_at(6, 2, 0), sphere_shape(0.5));
    assert_ok(dry_body_destroy(world, gone));
    run_steps(world, 3, TEST_DT);
    const uint64_t hash = dry_world_hash(world);
    const dry_body_id twice[] = {a, b, a}, dead[] = {a, gone};
    assert_int_equal(dry_world_step_only(world, TEST_DT, twice, 3), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_step_only(world, TEST_DT, dead, 2), DRY_ERROR_STALE_ID);
    assert_int_equal(dry_world_step_only(world, TEST_DT, NULL, 1), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_step_only(world, TEST_DT, &a, -1), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_step_only(world, 2, &a, 1), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_step_only(NULL, TEST_DT, &a, 1), DRY_ERROR_ARGUMENT);
    assert_true(dry_world_hash(world) == hash && dry_world_step_count(world) == 3);
    assert_ok(dry_world_step_only(world, TEST_DT, NULL, 0));
    assert_int_equal(dry_world_step_count(world), 4);
    assert_ok(dry_world_step_only(world, TEST_DT, twice, 2));
    dry_world_destroy(world);
}

/* Fails each allocation of a step in turn. No body moves, and the others are as they were. */
static void check_memory(const scene_kind *kind)
{
    for (int64_t at = 0;; at++) {
        scene s;
        make_scene(&s, kind);
        snprintf(checker_place, sizeof checker_place, "%s, allocation %d", kind->name, (int)at);
        id_list ids = all_ids(s.world, 7);
        ids.count = ids.count / 2;
        const uint64_t motion = dry_world_motion_hash(s.world);
        world_copy before = copy_of(s.world, &ids);
        s.counter.fail_at = (int64_t)s.counter.calls + at;
        const dry_result result = dry_world_step_only(s.world, TEST_DT, ids.id, ids.count);
        s.counter.fail_at = -1;
        check_others(s.world, &before);
        check_world(s.world, false);
        if (result != DRY_OK) {
            assert_int_equal(result, DRY_ERROR_MEMORY);
            check(dry_world_motion_hash(s.world) == motion);
            assert_ok(dry_world_step_only(s.world, TEST_DT, ids.id, ids.count));
            check_others(s.world, &before);
        }
        assert_ok(dry_world_step(s.world, TEST_DT));
        check_world(s.world, false);
        free_copy(&before);
        dry_world_destroy(s.world);
        assert_int_equal(s.counter.wrong, 0);
        assert_int_equal(s.counter.bytes, 0);
        if (result == DRY_OK)
            break;
    }
}

static void test_memory(void **state)
{
    (void)state;
    for (int kind = 0; kind < COUNT_OF(kinds); kind += test_pick(1, 4))
        check_memory(&kinds[kind]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_all_named),
        cmocka_unit_test(test_held_as_static), cmocka_unit_test(test_sleepers),
        cmocka_unit_test(test_far_bodies),     cmocka_unit_test(test_random_subsets),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
