/* Ids that never repeat: the numbers of a process, what worlds make of them, and what saves, rewinds,
 * restarts and other processes do to them. The counters begin near their ends where a loop would take too
 * long. */
#include "tests/log_lines.h"
#include "tests/saved_worlds.h"
#include "tests/world_checker.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 4096 };

/* Ids or numbers that were given out. */
typedef struct id_set {
    uint64_t id[MANY];
    int count;
} id_set;

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void keep(id_set *set, uint64_t id)
{
    assert_true(set->count < MANY && id != 0);
    set->id[set->count++] = id;
}

/* No id was given out twice, in this set and, unless it is null, in another one. */
static void assert_all_differ(const id_set *set, const id_set *other)
{
    id_set all = *set;
    for (int i = 0; other && i < other->count; i++)
        keep(&all, other->id[i]);
    qsort(all.id, (size_t)all.count, sizeof *all.id, compare);
    for (int i = 1; i < all.count; i++)
        assert_true(all.id[i - 1] != all.id[i]);
}

static dry_world *numbered_world(void)
{
    dry_world_def def = test_world_def();
    def.tag = 0;
    return world_from(&def);
}

/* Creates and destroys a ball with a joint many times, all in the same slots. Keeps the ids. */
static void shoot(dry_world *world, int shots, id_set *bodies, id_set *shapes, id_set *joints)
{
    const dry_body_id floor = add_body(world, DRY_BODY_STATIC, pose_at(0, -9, 0), box_shape(1, 1, 1));
    for (int i = 0; i < shots; i++) {
        const dry_body_id ball = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        dry_shape_id shape;
        dry_joint_id joint;
        int count;
        def.body_a = floor;
        def.body_b = ball;
        assert_ok(dry_world_create_joint(world, &def, &joint));
        assert_ok(dry_body_get_shapes(world, ball, &shape, 1, &count));
        keep(bodies, ball.bits);
        keep(shapes, shape.bits);
        keep(joints, joint.bits);
        assert_ok(dry_body_destroy(world, ball));
        assert_true(!dry_body_is_valid(world, ball) && !dry_shape_is_valid(world, shape));
        assert_false(dry_joint_is_valid(world, joint));
    }
    keep(bodies, floor.bits);
}

/* ---- Numbers ---- */

/* Each number is given out once, whatever the lengths of draws and the numbers that loads bring along. */
static void test_numbers_are_given_out_once(void **state)
{
    (void)state;
    enum { ROUNDS = 3000, HELD = 64 };
    uint64_t seed = 11, behind = DRY_NUMBERS_BEGIN, held[HELD][2];
    int holds = 0;
    dry_numbers_restart();
    for (int i = 0; i < ROUNDS; i++) {
        const int lease = random_below(&seed, DRY_LEASES_MAX);
        const uint64_t count = UINT64_C(1) << lease;
        if (i % 50 == 0 && holds < HELD) {
            const int ahead = random_below(&seed, 1 << 22);
            held[holds][0] = behind + (uint64_t)ahead;
            held[holds][1] = count;
            dry_numbers_pass_over(held[holds][0], count);
            holds++;
            continue;
        }
        const uint64_t first = dry_numbers_draw(count);
        assert_true(first >= behind && first + count <= DRY_NUMBERS_END);
        behind = first + count;
        for (int k = 0; k < holds; k++)
            assert_true(first + count <= held[k][0] || held[k][0] + held[k][1] <= first);
    }
    /* A load costs two blocks of 65,536 numbers at most. */
    assert_true(DRY_NUMBERS_END - behind - dry_numbers_left() <= (uint64_t)holds * 2 * 65536);
}

static void assert_range_is_refused(uint64_t begin, uint64_t end, const char *why)
{
    log_lines lines = {0};
    const dry_log log = {keep_line, &lines};
    const dry_number_range range = {begin, end}, before = dry_get_number_range();
    const uint64_t left = dry_numbers_left();
    assert_int_equal(dry_set_number_range(range, &log), DRY_ERROR_ARGUMENT);
    assert_int_equal(lines.count, 1);
    assert_non_null(strstr(lines.last, why));
    assert_int_equal(dry_set_number_range(range, NULL), DRY_ERROR_ARGUMENT);
    assert_true(dry_get_number_range().begin == before.begin && dry_get_number_range().end == before.end);
    assert_true(dry_numbers_left() == left);
}

static void test_ranges(void **state)
{
    (void)state;
    const uint64_t begin = DRY_NUMBERS_BEGIN, end = DRY_NUMBERS_END;
    dry_numbers_restart();
    assert_true(dry_get_number_range().begin == begin && dry_get_number_range().end == end);
    assert_true(dry_numbers_left() == end - begin);
    assert_range_is_refused(begin - 1, end, "within");
    assert_range_is_refused(begin, end + 1, "within");
    assert_range_is_refused(begin + 5, begin + 5, "empty");
    assert_range_is_refused(begin + 5, begin + 4, "empty");
    assert_range_is_refused(0, UINT64_MAX, "within");
    /* Before anything was drawn any range goes, also a second time. */
    assert_ok(dry_set_number_range((dry_number_range){end - 10, end}, NULL));
    assert_ok(dry_set_number_range((dry_number_range){begin + 100, begin + 104}, NULL));
    assert_true(dry_numbers_draw(1) == begin + 100 && dry_numbers_draw(2) == begin + 101);
    assert_range_is_refused(begin + 101, end, "hold numbers outside");
    assert_range_is_refused(begin, begin + 102, "hold numbers outside");
    assert_range_is_refused(end - 10, end, "hold numbers outside");
    /* A longer draw than there is room for is refused, a shorter one is not. */
    assert_true(dry_numbers_draw(2) == 0 && dry_numbers_left() == 1);
    assert_ok(dry_set_number_range((dry_number_range){begin, begin + 105}, NULL));
    assert_true(dry_numbers_draw(2) == begin + 103 && dry_numbers_draw(1) == 0 && dry_numbers_left() == 0);
    dry_numbers_restart();
}

enum { DRAWERS = 4, DRAWS = 1000 };

static void *draw_many(void *argument)
{
    id_set *set = argument;
    for (int i = 0; i < DRAWS; i++) {
        keep(set, dry_numbers_draw(1));
        /* Another world's numbers, a little ahead, as if loaded meanwhile. */
        if (i % 100 == 0)
            dry_numbers_pass_over(DRY_NUMBERS_BEGIN + (uint64_t)i * 4096, 4096);
    }
    return NULL;
}

static void test_threads_draw_at_once(void **state)
{
    (void)state;
    static id_set sets[DRAWERS], all;
    pthread_t threads[DRAWERS];
    dry_numbers_restart();
    for (int i = 0; i < DRAWERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, draw_many, &sets[i]), 0);
    for (int i = 0; i < DRAWERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < DRAWERS; i++)
        for (int k = 0; k < DRAWS; k++)
            keep(&all, sets[i].id[k]);
    assert_all_differ(&all, NULL);
    dry_numbers_restart();
}

/* ---- Leases ---- */

/* Returns the numbers that a world takes in which a slot is used so often, 1 at least. */
static uint64_t numbers_for(uint32_t uses)
{
    return (UINT64_C(1) << (dry_lease_of(uses) + 1)) - 1;
}

/* A billion worlds and a hundred billion objects fit into half of all numbers: the bound of core/leases.h,
 * held to the function that draws. */
static void test_numbers_suffice(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t uses = 0; uses < DRY_SLOT_USES_MAX; uses += 1 + uses / 64)
        assert_true(numbers_for(uses) <= 1 + uses / 32);
    for (int lease = 0; lease + 1 < DRY_LEASES_MAX; lease++) {
        const uint32_t drawn_at = DRY_NUMBER_USES * ((UINT32_C(1) << (lease + 1)) - 1);
        assert_int_equal(dry_lease_of(drawn_at - 1), lease);
        assert_int_equal(dry_lease_of(drawn_at), lease + 1);
        assert_true(numbers_for(drawn_at) <= 1 + drawn_at / 32);
    }
    assert_int_equal(dry_lease_of(DRY_SLOT_USES_MAX - 1), DRY_LEASES_MAX - 1);
    assert_true(numbers_for(DRY_SLOT_USES_MAX - 1) == UINT16_MAX);
    const uint64_t worlds = UINT64_C(1000000000), objects = UINT64_C(100000000000);
    const uint64_t half = (DRY_NUMBERS_END - DRY_NUMBERS_BEGIN) / 2;
    assert_true(worlds + objects / 32 <= half);
    /* Distinct reuses under distinct leases make distinct ids, and those of the next lease are elsewhere. */
    dry_leases leases = {.count = 0};
    dry_numbers_restart();
    assert_true(dry_leases_draw(&leases, DRY_LEASES_MAX));
    assert_null(dry_leases_error(&leases));
    for (int i = 0; i < 20000; i++) {
        const uint32_t a = (uint32_t)random_below(&seed, (int)DRY_SLOT_USES_MAX);
        const uint32_t b = (uint32_t)random_below(&seed, (int)DRY_SLOT_USES_MAX);
        assert_true((dry_leases_bits(&leases, a) == dry_leases_bits(&leases, b)) == (a == b));
        assert_true((dry_leases_bits(&leases, a) & DRY_SLOTS_MAX) == 0);
    }
    dry_numbers_restart();
}

/* Leases that no draw makes are refused. */
static void test_bad_leases(void **state)
{
    (void)state;
    const uint64_t begin = DRY_NUMBERS_BEGIN, end = DRY_NUMBERS_END;
    dry_leases leases = {{begin, begin + 7, begin + 1}, 3};
    assert_null(dry_leases_error(&leases));
    leases.first[2] = begin + 4; /* and 5, 6, 7 */
    assert_non_null(dry_leases_error(&leases));
    leases.first[2] = end - 4;
    assert_null(dry_leases_error(&leases));
    leases.first[2] = end - 3;
    assert_non_null(dry_leases_error(&leases));
    leases.first[2] = UINT64_MAX;
    assert_non_null(dry_leases_error(&leases));
    leases.first[2] = begin - 1;
    assert_non_null(dry_leases_error(&leases));
    leases = (dry_leases){{begin}, 0};
    assert_non_null(dry_leases_error(&leases));
    leases.count = DRY_LEASES_MAX + 1;
    assert_non_null(dry_leases_error(&leases));
    dry_leases_of_tag(&leases, 9);
    assert_null(dry_leases_error(&leases));
    leases.first[15]++;
    assert_non_null(dry_leases_error(&leases));
    dry_leases_of_tag(&leases, 9);
    leases.count = 2;
    assert_non_null(dry_leases_error(&leases));
    dry_leases_of_tag(&leases, 0);
    assert_non_null(dry_leases_error(&leases));
}

/* ---- Worlds ---- */

/* Worlds one after the other and beside each other, each with slots that are reused past several leases. */
static void test_ids_of_many_worlds(void **state)
{
    (void)state;
    static id_set bodies, shapes, joints;
    bodies.count = shapes.count = joints.count = 0;
    dry_numbers_restart();
    dry_world *beside = numbered_world();
    for (int i = 0; i < 4; i++) {
        dry_world *world = numbered_world();
        shoot(world, 300, &bodies, &shapes, &joints);
        shoot(beside, 200, &bodies, &shapes, &joints);
        check_world(world, false);
        dry_world_destroy(world);
    }
    assert_all_differ(&bodies, NULL);
    assert_all_differ(&shapes, NULL);
    assert_all_differ(&joints, NULL);
    int valid = 0;
    for (int i = 0; i < bodies.count; i++)
        valid += dry_body_is_valid(beside, (dry_body_id){bodies.id[i]});
    assert_int_equal(valid, 4); /* its floors */
    /* A dead world's ids are stale in one made where it was, and those of a tag in one with a number. */
    dry_world_def def = test_world_def();
    dry_world *tagged = world_from(&def);
    const dry_body_id id = add_dynamic(tagged, pose_at(0, 0, 0), sphere_shape(0.5));
    assert_false(dry_body_is_valid(beside, id));
    assert_true(id.bits >> 46 == 1);
    dry_world_destroy(tagged);
    dry_world_destroy(beside);
}

/* A tag makes ids follow from the calls alone, past leases too, and draws nothing. */
static void test_tags_draw_nothing(void **state)
{
    (void)state;
    static id_set bodies[2], shapes[2], joints[2];
    dry_numbers_restart();
    for (int i = 0; i < 2; i++) {
        dry_world_def def = test_world_def();
        def.tag = UINT16_MAX;
        dry_world *world = world_from(&def);
        shoot(world, 500, &bodies[i], &shapes[i], &joints[i]);
        dry_world_destroy(world);
    }
    assert_all_differ(&bodies[0], NULL);
    assert_memory_equal(bodies[0].id, bodies[1].id, sizeof bodies[0].id);
    assert_memory_equal(joints[0].id, joints[1].id, sizeof joints[0].id);
    assert_true(dry_numbers_left() == DRY_NUMBERS_END - DRY_NUMBERS_BEGIN);
}

/* Puts the counts of a world's free slots near the end of a lease. */
static void age_slots(dry_slots *slots, uint32_t uses)
{
    for (int slot = 0; slot < slots->used; slot++)
        if (!dry_slots_is_taken(slots, slot) && !dry_slots_is_retired(slots, slot))
            slots->slots[slot].generation = 2 * uses;
    dry_slots_count(slots);
}

/* The last numbers of a process are given out, then worlds and objects are refused, and nothing repeats. */
static void test_numbers_run_out(void **state)
{
    (void)state;
    enum { LEFT = 8 };
    log_lines lines = {0};
    dry_world_def def = test_world_def();
    dry_world *worlds[LEFT], *none = NULL;
    id_set first = {.count = 0}, shapes = {.count = 0}, joints = {.count = 0};
    def.tag = 0;
    def.log = (dry_log){keep_line, &lines};
    dry_numbers_restart();
    assert_ok(dry_set_number_range((dry_number_range){DRY_NUMBERS_END - LEFT, DRY_NUMBERS_END}, NULL));
    for (int i = 0; i < LEFT; i++) {
        worlds[i] = world_from(&def);
        shoot(worlds[i], 3, &first, &shapes, &joints);
    }
    assert_all_differ(&first, NULL);
    assert_int_equal(dry_world_create(&def, &none), DRY_ERROR_NUMBERS);
    assert_true(none == NULL && lines.count == 1);
    assert_non_null(strstr(lines.last, "no world numbers left"));
    /* A world goes on until a slot has no use left: then creation is refused, and changes nothing. */
    dry_world *world = worlds[LEFT / 2];
    age_slots(&world->bodies.slots, DRY_NUMBER_USES - 1);
    const dry_body_id last = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    assert_ok(dry_body_destroy(world, last));
    const uint64_t hash = dry_world_hash(world);
    dry_body_def body = dry_default_body_def();
    dry_body_id id = {0};
    assert_int_equal(dry_world_create_body(world, &body, &id), DRY_ERROR_NUMBERS);
    assert_non_null(strstr(lines.last, "dry_world_create_bod"));
    assert_true(id.bits == 0 && dry_world_hash(world) == hash && !dry_body_is_valid(world, last));
    /* A tag needs no number. */
    def.tag = 1;
    dry_world_destroy(world_from(&def));
    for (int i = 0; i < LEFT; i++)
        dry_world_destroy(worlds[i]);
    dry_numbers_restart();
}

/* At the end of all leases a slot is retired, and the world goes on with another one; so it does after a save
 * of that state. */
static void test_retired_slots(void **state)
{
    (void)state;
    static id_set bodies, shapes, joints;
    bodies.count = shapes.count = joints.count = 0;
    dry_numbers_restart();
    dry_world *world = numbered_world();
    shoot(world, 2, &bodies, &shapes, &joints);
    assert_true(dry_leases_draw(&world->leases, DRY_LEASES_MAX));
    for (int i = 0; i < 3; i++) {
        const dry_body_id one = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
        const dry_body_id two = add_dynamic(world, pose_at(3, 0, 0), sphere_shape(0.5));
        assert_ok(dry_body_destroy(world, one));
        assert_ok(dry_body_destroy(world, two));
        age_slots(&world->bodies.slots, DRY_SLOT_USES_MAX - 2);
        age_slots(&world->shapes.slots, DRY_SLOT_USES_MAX - 2);
        age_slots(&world->joints.slots, DRY_SLOT_USES_MAX - 2);
        shoot(world, 5, &bodies, &shapes, &joints);
        check_world(world, false);
    }
    assert_true(world->bodies.slots.retired > 0 && world->joints.slots.retired > 0);
    assert_all_differ(&bodies, NULL);
    assert_all_differ(&joints, NULL);
    bytes save = save_of(world);
    dry_world *other = loaded(&save, 0);
    bytes again = save_of(other);
    assert_same_bytes(&save, &again);
    check_world(other, false);
    assert_int_equal(other->bodies.slots.retired, world->bodies.slots.retired);
    id_set a = {.count = 0}, b = {.count = 0}, c = {.count = 0}, d = {.count = 0};
    shoot(world, 5, &a, &c, &d);
    shoot(other, 5, &b, &c, &d);
    assert_memory_equal(a.id, b.id, sizeof *a.id * (size_t)a.count);
    dry_world_destroy(other);
    dry_world_destroy(world);
    free(save.at);
    free(again.at);
}

/* ---- Saves, rewinds, restarts, processes ---- */

/* A world that is taken back to an earlier state yields the same ids again, from the numbers that it drew. */
static void test_rewinding_takes_back_ids_not_draws(void **state)
{
    (void)state;
    static id_set bodies[3], shapes[3], joints[3];
    dry_numbers_restart();
    dry_world *world = numbered_world(), *stranger = numbered_world();
    const dry_body_id kept = add_dynamic(world, pose_at(5, 5, 5), sphere_shape(0.5));
    bytes save = save_of(world);
    shoot(world, 300, &bodies[0], &shapes[0], &joints[0]);
    const uint64_t left = dry_numbers_left();
    for (int i = 1; i < 3; i++) {
        dry_world_destroy(numbered_world()); /* draws in between, which must not show */
        assert_ok(dry_world_restore(world, save.at, save.size, NULL, NULL));
        assert_true(dry_body_is_valid(world, kept));
        shoot(world, 300, &bodies[i], &shapes[i], &joints[i]);
        assert_memory_equal(bodies[0].id, bodies[i].id, sizeof bodies[0].id);
        assert_memory_equal(shapes[0].id, shapes[i].id, sizeof shapes[0].id);
        assert_memory_equal(joints[0].id, joints[i].id, sizeof joints[0].id);
        check_world(world, false);
    }
    assert_true(dry_numbers_left() == left - 2);
    /* Another world's state brings its ids along. */
    const dry_body_id own = add_dynamic(stranger, pose_at(0, 0, 0), sphere_shape(0.5));
    assert_ok(dry_world_restore(stranger, save.at, save.size, NULL, NULL));
    assert_true(dry_body_is_valid(stranger, kept) && !dry_body_is_valid(stranger, own));
    dry_world_destroy(stranger);
    dry_world_destroy(world);
    free(save.at);
}

/* A loaded world keeps its ids and those that come next, beside its original. Once each has drawn further
 * numbers, no id of one is good in the other. */
static void test_loaded_beside_its_original(void **state)
{
    (void)state;
    static id_set a, b, shapes, joints;
    a.count = b.count = shapes.count = joints.count = 0;
    dry_numbers_restart();
    dry_world *world = numbered_world();
    const dry_body_id kept = add_dynamic(world, pose_at(5, 5, 5), sphere_shape(0.5));
    const dry_body_id gone = add_dynamic(world, pose_at(9, 5, 5), sphere_shape(0.5));
    assert_ok(dry_body_destroy(world, gone));
    bytes save = save_of(world);
    dry_world *other = loaded(&save, 1);
    assert_true(dry_body_is_valid(other, kept) && !dry_body_is_valid(other, gone));
    assert_true(dry_numbers_left() == DRY_NUMBERS_END - DRY_NUMBERS_BEGIN - 1);
    shoot(world, 300, &a, &shapes, &joints);
    shoot(other, 300, &b, &shapes, &joints);
    const int same = DRY_NUMBER_USES; /* of the ball's slot, under the lease that both have */
    assert_memory_equal(a.id, b.id, sizeof *a.id * (size_t)same);
    id_set later_a = {.count = 0}, later_b = {.count = 0};
    for (int i = same; i < 300; i++) {
        keep(&later_a, a.id[i]);
        keep(&later_b, b.id[i]);
    }
    assert_all_differ(&later_a, &later_b);
    dry_world_destroy(world);
    dry_world_destroy(other);
    free(save.at);
}

/* A process that begins anew and loads worlds of the last one gives none of their numbers to new ones. */
static void test_restarts(void **state)
{
    (void)state;
    enum { WORLDS = 5 };
    static id_set old, new, shapes, joints;
    old.count = new.count = shapes.count = joints.count = 0;
    bytes saves[WORLDS];
    dry_numbers_restart();
    for (int i = 0; i < WORLDS; i++) {
        dry_world *world = numbered_world();
        shoot(world, 20 << i, &old, &shapes, &joints);
        saves[i] = save_of(world);
        dry_world_destroy(world);
    }
    for (int round = 0; round < 3; round++) {
        dry_world *worlds[WORLDS];
        dry_numbers_restart();
        for (int i = 0; i < WORLDS; i++)
            worlds[i] = loaded(&saves[i], i);
        /* What the loaded worlds draw from now on is new as well. */
        dry_world *world = numbered_world();
        new.count = shapes.count = joints.count = 0;
        shoot(world, 300, &new, &shapes, &joints);
        assert_all_differ(&old, &new);
        id_set more = {.count = 0};
        shoot(worlds[round], 700, &more, &shapes, &joints);
        assert_all_differ(&new, &more);
        assert_true(!dry_body_is_valid(worlds[round], (dry_body_id){new.id[new.count - 1]}));
        for (int i = 0; i < WORLDS; i++)
            dry_world_destroy(worlds[i]);
        dry_world_destroy(world);
    }
    for (int i = 0; i < WORLDS; i++)
        free(saves[i].at);
}

/* Makes worlds in a process with one of two ranges; goes on with a saved world in the second one. */
static void live_in_range(int which, const bytes *save, id_set *bodies)
{
    const uint64_t middle = (DRY_NUMBERS_BEGIN + DRY_NUMBERS_END) / 2;
    const dry_number_range ranges[] = {{DRY_NUMBERS_BEGIN, middle}, {middle, DRY_NUMBERS_END}};
    id_set shapes = {.count = 0}, joints = {.count = 0};
    assert_ok(dry_set_number_range(ranges[which], NULL));
    dry_world *world = save ? loaded(save, 0) : numbered_world(), *other = numbered_world();
    shoot(world, 500, bodies, &shapes, &joints);
    shoot(other, 500, bodies, &shapes, &joints);
    dry_world_destroy(other);
    dry_world_destroy(world);
}

/* Two processes with ranges of their own, of which the second goes on with a world of the first. */
static void test_two_processes(void **state)
{
    (void)state;
    static id_set here, there, shapes, joints;
    here.count = shapes.count = joints.count = 0;
    int ends[2];
    dry_numbers_restart();
    const uint64_t middle = (DRY_NUMBERS_BEGIN + DRY_NUMBERS_END) / 2;
    assert_ok(dry_set_number_range((dry_number_range){DRY_NUMBERS_BEGIN, middle}, NULL));
    dry_world *moved = numbered_world();
    shoot(moved, 500, &here, &shapes, &joints);
    bytes save = save_of(moved);
    dry_world_destroy(moved);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dry_numbers_restart();
        there.count = 0;
        live_in_range(1, &save, &there);
        const bool written = write(ends[1], &there, sizeof there) == (ssize_t)sizeof there;
        _exit(written ? 0 : 1);
    }
    size_t got = 0;
    close(ends[1]);
    for (ssize_t more; got < sizeof there; got += (size_t)more) {
        more = read(ends[0], (char *)&there + got, sizeof there - got);
        if (more <= 0)
            break;
    }
    close(ends[0]);
    int status = 0;
    assert_true(waitpid(child, &status, 0) == child && status == 0 && got == sizeof there);
    live_in_range(0, NULL, &here);
    assert_true(there.count == 1002);
    assert_all_differ(&here, &there);
    dry_numbers_restart();
    free(save.at);
}

/* Rooms of all pools have ids of the process's numbers, 1,024 of each. */
static void test_rooms(void **state)
{
    (void)state;
    enum { POOLS = 3, USES = 1024 };
    static id_set ids;
    const int count[POOLS] = {USES + 1, 1, 0};
    log_lines lines = {0};
    dry_world_def def = test_world_def();
    def.threads = 1;
    dry_rooms *pools[POOLS];
    dry_rooms_def pool = dry_default_rooms_def();
    pool.workers = 1;
    pool.log = (dry_log){keep_line, &lines};
    dry_room_def room = dry_default_room_def();
    room.rate = 0.01f;
    room.dt = TEST_DT;
    dry_room_id id;
    ids.count = 0;
    dry_numbers_restart();
    assert_ok(dry_set_number_range((dry_number_range){DRY_NUMBERS_END - 3, DRY_NUMBERS_END}, NULL));
    for (int p = 0; p < POOLS; p++) {
        assert_ok(dry_rooms_create(&pool, &pools[p]));
        for (int i = 0; i < count[p]; i++) {
            assert_ok(dry_rooms_add(pools[p], &room, world_from(&def), &id));
            keep(&ids, id.bits);
            assert_true(id.bits >> 30 >= DRY_NUMBERS_END - 3);
            if (i % 7 > 0)
                assert_ok(dry_rooms_remove(pools[p], id));
        }
    }
    assert_all_differ(&ids, NULL);
    assert_false(dry_rooms_has(pools[1], (dry_room_id){ids.id[0]}));
    dry_world *refused = world_from(&def);
    assert_int_equal(dry_rooms_add(pools[2], &room, refused, &id), DRY_ERROR_NUMBERS);
    assert_true(id.bits == 0 && lines.count == 1);
    assert_non_null(strstr(lines.last, "no numbers left"));
    dry_world_destroy(refused); /* it is the caller's still */
    for (int p = 0; p < POOLS; p++)
        dry_rooms_destroy(pools[p]);
    dry_numbers_restart();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_given_out_once),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_threads_draw_at_once),
        cmocka_unit_test(test_numbers_suffice),
        cmocka_unit_test(test_bad_leases),
        cmocka_unit_test(test_ids_of_many_worlds),
        cmocka_unit_test(test_tags_draw_nothing),
        cmocka_unit_test(test_numbers_run_out),
        cmocka_unit_test(test_retired_slots),
        cmocka_unit_test(test_rewinding_takes_back_ids_not_draws),
        cmocka_unit_test(test_loaded_beside_its_original),
        cmocka_unit_test(test_restarts),
        cmocka_unit_test(test_two_processes),
        cmocka_unit_test(test_rooms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
