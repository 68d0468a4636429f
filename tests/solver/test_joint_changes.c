/* Scenes of joints that are solved directly: joints that break, come and go in every step, and memory that
 * fails at every place. */
#include "methods/direct/articulations.h"
#include "tests/counting_allocator.h"
#include "tests/scene_files.h"
#include "tests/world_checker.h"

/* A scene whose joints have ids. */
typedef struct jointed {
    dry_scene scene;
    dry_world *world;
    dry_body_id *ids;
    dry_joint_id *joints;
} jointed;

/* Returns the definition of a joint of the scene in the world. */
static dry_joint_def joint_of(const jointed *j, int k)
{
    const dry_scene_joint *joint = &j->scene.joints[k];
    dry_joint_def def = joint->def;
    def.body_a = joint->body_a == DRY_SCENE_WORLD ? (dry_body_id){0} : j->ids[joint->body_a];
    def.body_b = j->ids[joint->body_b];
    return def;
}

static void open_jointed(jointed *j, const char *name, int size)
{
    memset(j, 0, sizeof *j);
    j->scene = scene_of(name, size);
    j->ids = calloc((size_t)j->scene.body_count, sizeof *j->ids);
    j->joints = calloc((size_t)j->scene.joint_count, sizeof *j->joints);
    assert_true(j->ids && j->joints);
}

static void close_jointed(jointed *j)
{
    dry_world_destroy(j->world);
    dry_scene_free(&j->scene);
    free(j->ids);
    free(j->joints);
}

static dry_world_def def_for(const jointed *j)
{
    dry_world_def def = test_world_def();
    def.settings.gravity = j->scene.gravity;
    def.settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
    return def;
}

static void build_jointed(jointed *j, const dry_world_def *def)
{
    j->world = world_from(def);
    const int joints = j->scene.joint_count;
    j->scene.joint_count = 0;
    assert_ok(dry_scene_build(&j->scene, j->world, j->ids));
    j->scene.joint_count = joints;
    for (int k = 0; k < joints; ++k) {
        const dry_joint_def joint = joint_of(j, k);
        assert_ok(dry_world_create_joint(j->world, &joint, &j->joints[k]));
    }
}

/* Counts of changes of the joints of a scene. */
typedef struct changes {
    int broken, removed, added, touched;
} changes;

/* Lets a joint break in the next step: its bound is a small part of the load that it bears. */
static void weaken(jointed *j, int k)
{
    dry_joint_def def;
    dry_vec3 force, torque;
    assert_ok(dry_joint_get_def(j->world, j->joints[k], &def));
    assert_ok(dry_joint_get_reaction(j->world, j->joints[k], &force, &torque));
    def.break_force = (float)fmax(1e-3, 0.1 * d3_length(d3_of(force)));
    assert_ok(dry_joint_set_def(j->world, j->joints[k], &def));
}

/* Puts back one joint that was taken and one that broke, then takes one and lets another break: each the
 * first of its kind from a random one on. */
static void change_joints(jointed *j, uint64_t *seed, changes *c)
{
    const int joints = j->scene.joint_count;
    const int turn[] = {random_below(seed, joints), random_below(seed, joints), random_below(seed, joints)};
    bool added = false, mended = false, removed = false, weakened = false;
    for (int i = 0; i < joints; ++i) {
        const int k = (turn[0] + i) % joints;
        bool enabled = true;
        if (!dry_joint_is_valid(j->world, j->joints[k])) {
            const dry_joint_def def = joint_of(j, k);
            if (!added)
                assert_ok(dry_world_create_joint(j->world, &def, &j->joints[k]));
            c->added += !added;
            added = true;
            continue;
        }
        assert_ok(dry_joint_get_enabled(j->world, j->joints[k], &enabled));
        if (!enabled && !mended) {
            const dry_joint_def def = joint_of(j, k);
            assert_ok(dry_joint_set_def(j->world, j->joints[k], &def));
            assert_ok(dry_joint_set_enabled(j->world, j->joints[k], true));
            mended = true;
        }
    }
    for (int i = 0; i < joints && !removed; ++i) {
        const int k = (turn[1] + i) % joints;
        if ((removed = dry_joint_is_valid(j->world, j->joints[k])))
            assert_ok(dry_joint_destroy(j->world, j->joints[k]));
    }
    c->removed += removed;
    for (int i = 0; i < joints && !weakened; ++i) {
        const int k = (turn[2] + i) % joints;
        if ((weakened = dry_joint_is_valid(j->world, j->joints[k])))
            weaken(j, k);
    }
}

/* Small sizes of the scenes of joints: chains, loops, a hub that is split, machines with motors, stops and
 * springs, and figures that lie on the floor and on boxes. */
static const struct {
    const char *name;
    int size;
    bool touches; /* other bodies, within a second */
} changing[] = {
    {"ragdolls", 1, true},     {"vehicle", 1, true},     {"crane", 6, false}, {"excavator", 1, true},
    {"strandbeest", 4, true},  {"scissor", 4, false},    {"tube", 1, false},  {"spider", 40, true},
    {"peaucellier", 1, false}, {"bridge-load", 2, true}, {"door", 1, true},   {"lattice", 2, false},
};

/* In every step a joint breaks, one goes, and one comes back where its bodies are by now. All stays finite,
 * and one thread has the bits of four that have scalar kernels. */
static void test_joints_change_in_every_step(void **state)
{
    (void)state;
    const int steps = test_pick(60, 12);
    for (int n = 0; n < COUNT_OF(changing); ++n) {
        jointed j[2];
        changes c[2] = {{0}};
        uint64_t seed[2] = {7 + (uint64_t)n, 7 + (uint64_t)n};
        for (int w = 0; w < 2; ++w) {
            open_jointed(&j[w], changing[n].name, changing[n].size);
            dry_world_def def = def_for(&j[w]);
            def.threads = w ? 4 : 1;
            def.isa = w ? DRY_ISA_SCALAR : DRY_ISA_AUTO;
            build_jointed(&j[w], &def);
        }
        for (int step = 0; step < steps; ++step) {
            for (int w = 0; w < 2; ++w) {
                change_joints(&j[w], &seed[w], &c[w]);
                run_steps(j[w].world, 1, j[w].scene.dt);
                const dry_events events = dry_world_events(j[w].world);
                for (int i = 0; i < events.joint_count; ++i)
                    c[w].broken += events.joints[i].broken;
                c[w].touched += events.contact_begin_count;
            }
            if (dry_world_hash(j[0].world) != dry_world_hash(j[1].world))
                fail_msg("%s: the worlds differ after step %d", changing[n].name, step);
            for (int i = 0; i < j[0].scene.body_count; ++i)
                if (!body_is_finite(j[0].world, j[0].ids[i]))
                    fail_msg("%s: body %d is not finite after step %d", changing[n].name, i, step);
        }
        assert_true(c[0].broken >= steps / 4 || (test_quick() && changing[n].touches));
        assert_true(c[0].touched > 0 || !changing[n].touches || test_quick());
        assert_true(c[0].removed == steps && c[0].added >= steps - 1);
        for (int w = 0; w < 2; ++w)
            close_jointed(&j[w]);
    }
}

/* A world whose allocations are refused one after the other: the first attempt of a call is refused its first
 * allocation, and each later attempt the first one of which the attempt before did not keep the memory. */
typedef struct refusing {
    counting_allocator counter;
    bool on;
    int refusals;
    int granted; /* in an attempt, before the one that is refused */
    size_t held; /* after the last attempt, bytes */
    bool split;  /* the world has had a body that its factor is of in parts */
} refusing;

static void begin_attempt(refusing *r)
{
    r->counter.fail_at = r->on ? (int64_t)r->counter.calls + r->granted : -1;
}

/* Tells whether the attempt was refused, so that another one follows. */
static bool was_refused(refusing *r, dry_result result)
{
    const bool refused = r->on && (int64_t)r->counter.calls > r->counter.fail_at;
    assert_int_equal(result, refused ? DRY_ERROR_MEMORY : DRY_OK);
    r->counter.fail_at = -1;
    r->refusals += refused;
    /* An attempt that kept nothing more would be refused the same allocation again. */
    r->granted = !refused ? 0 : r->granted == 0 || r->counter.bytes <= r->held ? r->granted + 1 : r->granted;
    assert_true(r->granted < 500);
    r->held = r->counter.bytes;
    return refused;
}

/* Makes a call until no allocation of it is left to refuse. A refused one does not change what the hash is
 * of: the state, or the motion alone after a step, which may keep contacts that it found. */
#define INSIST(call) INSIST_ON(dry_world_hash, call)
#define INSIST_ON(hash_of, call)                                                                             \
    do {                                                                                                     \
        const uint64_t hash = hash_of(j.world);                                                              \
        bool refused = true;                                                                                 \
        while (refused) {                                                                                    \
            begin_attempt(r);                                                                                \
            const dry_result result = (call);                                                                \
            if ((refused = was_refused(r, result))) {                                                        \
                assert_true(hash_of(j.world) == hash);                                                       \
                check_world(j.world, false);                                                                 \
            }                                                                                                \
        }                                                                                                    \
    } while (0)

enum { FAULT_STEPS = 40 };

/* Makes a scene and runs it; joints go, change and come back on the way. Returns the hashes of all steps. */
static uint64_t run_refused(const char *name, int size, refusing *r)
{
    jointed j;
    open_jointed(&j, name, size);
    dry_world_def def = def_for(&j);
    def.allocator = counting_hooks(&r->counter);
    j.world = world_from(&def);
    for (int i = 0; i < j.scene.body_count; ++i)
        INSIST(dry_world_create_body(j.world, &j.scene.bodies[i].def, &j.ids[i]));
    for (int k = 0; k < j.scene.joint_count; ++k) {
        const dry_joint_def joint = joint_of(&j, k);
        INSIST(dry_world_create_joint(j.world, &joint, &j.joints[k]));
    }
    uint64_t hashes = 0, seed = 5;
    for (int step = 0; step < FAULT_STEPS; ++step) {
        const int k = random_below(&seed, j.scene.joint_count);
        dry_joint_def joint = joint_of(&j, k);
        const bool hinge = joint.type == DRY_JOINT_HINGE;
        joint.axes[DRY_AXIS_RX].friction = hinge ? 1 : 0;
        if (step % 8 == 3)
            INSIST(dry_joint_destroy(j.world, j.joints[k]));
        if (step % 8 == 3)
            INSIST(dry_world_create_joint(j.world, &joint, &j.joints[k]));
        if (step % 8 == 5 && hinge)
            INSIST(dry_joint_set_def(j.world, j.joints[k], &joint));
        if (step % 8 == 7)
            INSIST(dry_joint_set_enabled(j.world, j.joints[k], step % 16 == 7));
        INSIST_ON(dry_world_motion_hash, dry_world_step(j.world, j.scene.dt));
        hashes = hashes * 6364136223846793005u + dry_world_hash(j.world);
    }
    const dry_articulations *a = &j.world->solver.articulations;
    for (int i = 0; i < a->factor_count; ++i)
        r->split |= a->factors[i].per_part > 0;
    close_jointed(&j);
    assert_int_equal(r->counter.bytes, 0);
    assert_int_equal(r->counter.wrong, 0);
    return hashes;
}
#undef INSIST
#undef INSIST_ON

/* Stops, motors, springs, contacts, a hub that is split, joints that come and go: each allocation is refused
 * once. The world stays as it was, the next attempt succeeds, and all goes on as if none had been refused. */
static void test_each_allocation_fails_once(void **state)
{
    (void)state;
    for (int n = 0; n < COUNT_OF(changing); ++n) {
        snprintf(checker_place, sizeof checker_place, "scene %s", changing[n].name);
        refusing plain = {.counter = {.fail_at = -1}}, r = {.counter = {.fail_at = -1}, .on = true};
        const uint64_t expected = run_refused(changing[n].name, changing[n].size, &plain);
        const uint64_t found = run_refused(changing[n].name, changing[n].size, &r);
        if (found != expected)
            fail_msg("%s: %d refusals changed the motion", changing[n].name, r.refusals);
        assert_true(r.refusals > 100);
        assert_true(r.split || strcmp(changing[n].name, "spider") != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_change_in_every_step),
        cmocka_unit_test(test_each_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
