/* Scenes that others made: stones that stand until a ball arrives, dominoes that fall one after another. */
#include "tests/scene_worlds.h"

#ifndef DRYSTONE_TEST_DATA
#define DRYSTONE_TEST_DATA "tests/data"
#endif

typedef struct loaded {
    dry_scene scene;
    dry_world *world;
    dry_body_id *ids;
} loaded;

static loaded load(const char *name, bool sleep)
{
    loaded l;
    char path[512], error[256] = "";
    snprintf(path, sizeof path, "%s/%s", DRYSTONE_TEST_DATA, name);
    if (!dry_scene_read(path, &l.scene, error, sizeof error))
        fail_msg("%s", error);
    dry_settings settings = dry_default_settings();
    settings.gravity = l.scene.gravity;
    settings.sleep = sleep;
    l.world = world_with(settings);
    l.ids = built_in(l.world, &l.scene);
    return l;
}

static void unload(loaded *l)
{
    dry_world_destroy(l->world);
    dry_scene_free(&l->scene);
    free(l->ids);
}

static int find_body(const dry_scene *scene, const char *id)
{
    for (int i = 0; i < scene->body_count; ++i)
        if (strcmp(scene->bodies[i].id, id) == 0)
            return i;
    fail_msg("no body %s", id);
    return -1;
}

static double moved(const loaded *l, int i)
{
    return d3_length(d3_sub(position_of(l->world, l->ids[i]), d3_at(l->scene.bodies[i].def.pose.position)));
}

/* The angle between a body's z axis now and upright, which in both scenes is +z. */
static double tilt(const loaded *l, int i)
{
    double z = d3_turn(pose_of(l->world, l->ids[i]).orientation, (d3){0, 0, 1}).z;
    return acos(fmax(-1, fmin(1, z)));
}

/* Tells whether the ball touches a dynamic body. */
static bool ball_has_arrived(const loaded *l, int ball)
{
    dry_contact contacts[64];
    int count = 0;
    assert_ok(dry_body_get_contacts(l->world, l->ids[ball], contacts, 64, &count));
    for (int k = 0; k < count && k < 64; ++k) {
        dry_body_id other =
            contacts[k].body_a.bits == l->ids[ball].bits ? contacts[k].body_b : contacts[k].body_a;
        dry_body_def def;
        assert_ok(dry_body_get_def(l->world, other, &def));
        if (def.type == DRY_BODY_DYNAMIC)
            return true;
    }
    return false;
}

static void check_stonehenge(bool sleep)
{
    loaded l = load("stonehenge.json", sleep);
    int ball = find_body(&l.scene, "wrecking_ball3"), arrival = -1;
    assert_int_equal(l.scene.body_count, 78);
    for (int step = 0; step < 1200 && arrival < 0; ++step) {
        run_steps(l.world, 1, l.scene.dt);
        if (ball_has_arrived(&l, ball)) {
            arrival = step;
            break;
        }
        for (int i = 0; i < l.scene.body_count; ++i) {
            if (i == ball || l.scene.bodies[i].def.type != DRY_BODY_DYNAMIC)
                continue;
            assert_at_most(moved(&l, i), 0.01);
            assert_at_most(tilt(&l, i), 0.01);
        }
    }
    assert_true(arrival > 60); /* it starts 30 m away */
    run_steps(l.world, 300, l.scene.dt);
    int displaced = 0;
    for (int i = 0; i < l.scene.body_count; ++i) {
        assert_true(body_is_finite(l.world, l.ids[i]));
        if (i != ball && l.scene.bodies[i].def.type == DRY_BODY_DYNAMIC)
            displaced += moved(&l, i) > 1;
    }
    assert_true(displaced >= 3);
    assert_int_equal(dry_world_statistics(l.world).quarantined_bodies, 0);
    unload(&l);
}

static void test_stonehenge_stands_until_the_ball_comes(void **state)
{
    (void)state;
    check_stonehenge(false);
    check_stonehenge(true);
}

/* Each domino's predecessor on the shortest way from the first one, over gaps that a domino spans. The
 * chain forks after the first row, into both U-turns. */
static void find_predecessors(const dry_scene *scene, int first, int *before)
{
    const double reach = 0.18;
    double way[256];
    bool done[256] = {false};
    assert_true(scene->body_count <= 256);
    for (int i = 0; i < scene->body_count; ++i) {
        way[i] = i == first ? 0 : INFINITY;
        before[i] = -1;
    }
    for (;;) {
        int next = -1;
        for (int i = 0; i < scene->body_count; ++i)
            if (!done[i] && isfinite(way[i]) && (next < 0 || way[i] < way[next]))
                next = i;
        if (next < 0)
            return;
        done[next] = true;
        for (int i = 0; i < scene->body_count; ++i) {
            if (scene->bodies[i].def.type != DRY_BODY_DYNAMIC)
                continue;
            double gap = d3_length(d3_sub(d3_at(scene->bodies[i].def.pose.position),
                                          d3_at(scene->bodies[next].def.pose.position)));
            if (gap < reach && way[next] + gap < way[i]) {
                way[i] = way[next] + gap;
                before[i] = next;
            }
        }
    }
}

static void check_dominoes(bool sleep)
{
    const double falling = 15 * TEST_PI / 180, fallen = 45 * TEST_PI / 180;
    loaded l = load("dominoes.json", sleep);
    int before[256], fell_at[256], first = find_body(&l.scene, "body2"), standing = 0;
    find_predecessors(&l.scene, first, before);
    for (int i = 0; i < l.scene.body_count; ++i) {
        fell_at[i] = -1;
        if (l.scene.bodies[i].def.type == DRY_BODY_DYNAMIC) {
            assert_true(i == first || before[i] >= 0);
            standing++;
        }
    }
    assert_int_equal(standing, 96);
    for (int step = 0; step < 16 * 240 && standing > 0; ++step) {
        run_steps(l.world, 1, l.scene.dt);
        for (int i = 0; i < l.scene.body_count; ++i) {
            if (l.scene.bodies[i].def.type != DRY_BODY_DYNAMIC || fell_at[i] >= 0 || tilt(&l, i) < falling)
                continue;
            fell_at[i] = step;
            standing--;
            if (i != first && fell_at[before[i]] < 0)
                fail_msg("%s falls before %s", l.scene.bodies[i].id, l.scene.bodies[before[i]].id);
        }
    }
    assert_int_equal(standing, 0);
    run_steps(l.world, 240, l.scene.dt);
    for (int i = 0; i < l.scene.body_count; ++i)
        if (l.scene.bodies[i].def.type == DRY_BODY_DYNAMIC)
            assert_true(tilt(&l, i) > fallen);
    unload(&l);
}

/* Asleep while they wait, the dominoes are woken in turn: the chain runs the same way. */
static void test_dominoes_fall_in_order(void **state)
{
    (void)state;
    check_dominoes(false);
    check_dominoes(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stonehenge_stands_until_the_ball_comes),
        cmocka_unit_test(test_dominoes_fall_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
