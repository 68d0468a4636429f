/* Fuzzes the public calls. An input is a stream of calls, which two twin worlds take in turns. They differ in
 * instruction set, threads and reserved room, so that after each call both must have the same result, the
 * same answer and the same state hash. The first twin runs out of memory now and then; it must be as it was
 * before, and the same call, made again, must bring it to its twin's state. (After a step that starved the
 * input ends: the manifolds which that step rebuilt are as new in the next one, which then differs by
 * rounding.)
 *
 * The first twin is recorded. At the end a replay of it, on the widest instruction set, must come to its
 * state.
 *
 * After each call ids, lists, events and statistics are those of the fuzzer's own model (model.h), every
 * number is finite, the inner structures agree (host/validate/validate.h), and the memory held is the memory
 * reported. */
#include "tests/fuzz/draw.h"

#include "host/validate/validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/counting_allocator.h"
#include "tests/sanitizers.h"

enum { CALLS_MAX = 250, WORK_MAX = 20000 };

typedef struct twin {
    dry_world *world;
    counting_allocator counter;
} twin;

/* A recording, as bytes that grow. */
typedef struct recorded_bytes {
    char *at;
    size_t size, room;
} recorded_bytes;

typedef struct twins {
    twin a, b;
    recorded_bytes recording; /* of the first */
    fuzz_model model;
    int calls;
    uint64_t hash, motion; /* of both worlds, after the last call */
    int64_t work;          /* bodies and constraints times substeps */
    bool refused_step;
    bool hash_stages;
} twins;

static void invalid(const dry_validation *validation, const char *condition, const char *file, int line)
{
    (void)validation;
    fuzz_failed(condition, file, line);
}

static void validate(const dry_world *world, bool settled)
{
    const dry_validation validation = {.failed = invalid, .place = "fuzz_calls"};
    dry_world_validate(world, settled ? DRY_SETTLED_ALL : DRY_SETTLED_NONE, &validation);
}

static void check_log_line(const char *line, void *user)
{
    (void)user;
    FUZZ_CHECK(line && line[0] && !strpbrk(line, "\n\r\t\033"));
}

static bool record(void *user, const void *more, size_t size)
{
    recorded_bytes *to = user;
    if (to->size + size > to->room) {
        to->room = 2 * (to->size + size);
        to->at = realloc(to->at, to->room);
        FUZZ_CHECK(to->at);
    }
    memcpy(to->at + to->size, more, size);
    to->size += size;
    return true;
}

/* Creates a world out of an input's first bytes; memory may run out on the way. */
static void make_worlds(twins *t, fuzz_turn *from)
{
    dry_world_def def = dry_default_world_def();
    const unsigned sets = draw_byte(from), more = draw_byte(from), fail = draw_byte(from);
    def.tag = 7;
    def.threads = 1;
    def.isa = fuzz_isa(sets & 15);
    def.log.write = check_log_line;
    def.hash_stages = t->hash_stages = more & 1;
    def.settings.sleep_after = 0.1f;
    if (more & 2)
        def.settings.substeps = 2;
    if (more & 4)
        def.settings.levers = DRY_LEVERS_TRUE;
    if (more & 8)
        def.settings.method.solver = !(fail & 4) ? DRY_SOLVER_JACOBI
                                     : fail & 8  ? DRY_SOLVER_XPBD
                                                 : DRY_SOLVER_PBD;
    if (more & 64 && !(fail & 1))
        def.settings.method.solver = DRY_SOLVER_AVBD;
    const bool positions = def.settings.method.solver >= DRY_SOLVER_PBD;
    if (fail & 1)
        def.settings.joint_solver = fail & 2 || positions ? DRY_JOINT_SOLVER_AUTO : DRY_JOINT_SOLVER_DIRECT;
    t->a.counter = t->b.counter = (counting_allocator){.fail_at = -1};
    def.allocator = counting_hooks(&t->a.counter);
    def.recording.sink = (dry_sink){record, &t->recording};
    if (fail < 64) {
        t->a.counter.fail_at = fail;
        t->a.counter.fail_all = more & 16;
    }
    dry_result result = dry_world_create(&def, &t->a.world);
    if (result != DRY_OK) {
        FUZZ_CHECK(result == DRY_ERROR_MEMORY && fail < 64 && !t->a.world && t->a.counter.bytes == 0);
        t->a.counter.fail_at = -1;
        t->recording.size = 0;
        result = dry_world_create(&def, &t->a.world);
    }
    t->a.counter.fail_at = -1;
    FUZZ_CHECK(result == DRY_OK);
    def.recording.sink.write = NULL;
    def.isa = fuzz_isa(sets >> 4);
    def.threads = 1 + (int)(more >> 6);
    def.body_capacity = more & 32 ? 50 : 0;
    def.allocator = counting_hooks(&t->b.counter);
    FUZZ_CHECK(dry_world_create(&def, &t->b.world) == DRY_OK);
}

static void end_world(twin *t)
{
    dry_world_destroy(t->world);
    FUZZ_CHECK(t->counter.bytes == 0 && t->counter.wrong == 0);
}

static void check_memory(const twin *t)
{
    FUZZ_CHECK(t->counter.wrong == 0);
    FUZZ_CHECK(dry_world_statistics(t->world).memory_bytes == t->counter.bytes);
}

/* A call that starves: it changes nothing. */
static void check_starved(twins *t, const fuzz_turn *turn, uint64_t steps)
{
    fuzz_sums.starved++;
    FUZZ_CHECK(dry_world_motion_hash(t->a.world) == t->motion);
    FUZZ_CHECK(dry_world_step_count(t->a.world) == steps);
    if (turn->is_step)
        t->refused_step = true;
    else
        FUZZ_CHECK(dry_world_hash(t->a.world) == t->hash);
    check_memory(&t->a);
    validate(t->a.world, false);
    fuzz_model_check(&t->model, t->a.world);
}

/* Takes a turn in the first twin. Where memory runs out, takes it again. */
static dry_result take_first(twins *t, fuzz_turn *turn, int kind, int64_t fail_within, bool fail_all)
{
    const uint64_t steps = dry_world_step_count(t->a.world);
    const fuzz_turn fresh = *turn;
    turn->world = t->a.world;
    if (fail_within >= 0)
        t->a.counter.fail_at = (int64_t)t->a.counter.calls + fail_within;
    t->a.counter.fail_all = fail_all;
    dry_result result = fuzz_turn_take(turn, kind);
    t->a.counter.fail_at = -1;
    if (result == DRY_ERROR_MEMORY) {
        FUZZ_CHECK(fail_within >= 0);
        check_starved(t, turn, steps);
        *turn = fresh;
        turn->world = t->a.world;
        result = fuzz_turn_take(turn, kind);
    }
    return result;
}

/* Compares the twins after a step, and takes over its events. */
static void check_step(twins *t, fuzz_turn *a, fuzz_turn *b)
{
    fuzz_sums.steps++;
    if (!a->moves_time)
        FUZZ_CHECK(dry_world_motion_hash(t->a.world) == t->motion);
    fuzz_answer_events(a);
    fuzz_answer_events(b);
    FUZZ_CHECK(a->answer == b->answer);
    for (int stage = 0; t->hash_stages && stage < DRY_STAGE_COUNT; ++stage)
        FUZZ_CHECK(dry_world_stage_hash(t->a.world, (dry_stage)stage) ==
                   dry_world_stage_hash(t->b.world, (dry_stage)stage));
    fuzz_model_take_events(&t->model, t->b.world, b->moves_time);
    const dry_statistics s = dry_world_statistics(t->b.world);
    t->work += (int64_t)(s.awake_bodies + s.awake_manifolds + s.joints) * s.substeps;
}

/* The dynamic bodies that touch a body or are joined to it. */
enum { NEIGHBORS_MAX = 64 };
typedef struct neighbors {
    dry_body_id ids[NEIGHBORS_MAX];
    int count;
} neighbors;

/* Adds the bodies that a contact or a joint has beside `id`, if they move. Null is the world. */
static void add_neighbors(const dry_world *world, dry_body_id id, const dry_body_id *bodies, int count,
                          neighbors *found)
{
    for (int i = 0; i < count && found->count < NEIGHBORS_MAX; ++i) {
        dry_body_def def;
        if (bodies[i].bits == 0 || bodies[i].bits == id.bits)
            continue;
        FUZZ_CHECK(dry_body_get_def(world, bodies[i], &def) == DRY_OK);
        if (def.type == DRY_BODY_DYNAMIC && def.enabled)
            found->ids[found->count++] = bodies[i];
    }
}

static void find_neighbors(const dry_world *world, dry_body_id id, neighbors *found)
{
    dry_contact contacts[NEIGHBORS_MAX];
    dry_joint_id joints[FUZZ_JOINTS_MAX];
    int touching = 0, joined = 0;
    if (!dry_body_is_valid(world, id))
        return;
    FUZZ_CHECK(dry_body_get_contacts(world, id, contacts, NEIGHBORS_MAX, &touching) == DRY_OK);
    FUZZ_CHECK(dry_body_get_joints(world, id, joints, FUZZ_JOINTS_MAX, &joined) == DRY_OK);
    if (touching > NEIGHBORS_MAX)
        touching = NEIGHBORS_MAX;
    for (int i = 0; i < touching; ++i) {
        const dry_body_id both[] = {contacts[i].body_a, contacts[i].body_b};
        add_neighbors(world, id, both, 2, found);
    }
    for (int i = 0; i < joined; ++i) {
        dry_volume_def joint = {.body_c = {0}};
        bool enabled = true;
        FUZZ_CHECK(dry_joint_get_def(world, joints[i], &joint.joint) == DRY_OK);
        FUZZ_CHECK(dry_joint_get_enabled(world, joints[i], &enabled) == DRY_OK);
        if (joint.joint.type == DRY_JOINT_VOLUME)
            FUZZ_CHECK(dry_joint_get_volume_def(world, joints[i], &joint) == DRY_OK);
        const dry_body_id all[] = {joint.joint.body_a, joint.joint.body_b, joint.body_c, joint.body_d};
        if (enabled && joint.joint.type != DRY_JOINT_FILTER)
            add_neighbors(world, id, all, 4, found);
    }
}

/* Finds the bodies that a call leaves without a neighbor: they must be awake afterwards. */
static void find_left(const twins *t, const fuzz_change *change, neighbors *left)
{
    for (int i = 0; i < change->gone_body_count; ++i)
        find_neighbors(t->b.world, change->gone_bodies[i], left);
    const fuzz_model_body *set = fuzz_model_find_body(&t->model, change->set_body.bits);
    if (set && change->set_enabled == 0 && set->enabled)
        find_neighbors(t->b.world, set->id, left);
}

static void check_awake(const twins *t, const neighbors *left)
{
    for (int i = 0; i < left->count; ++i)
        FUZZ_CHECK(!dry_body_is_valid(t->b.world, left->ids[i]) ||
                   dry_body_is_awake(t->b.world, left->ids[i]));
}

static void take(twins *t, fuzz_turn *input)
{
    const unsigned first = draw_byte(input), how = first >> 6;
    const int kind = (int)(first & 63);
    const unsigned fail = how >= 2 ? draw_byte(input) : 0;
    input->wild = how & 1;
    fuzz_turn a = *input, b = *input;
    fuzz_place("turn %d, %s%s", t->calls, fuzz_kind_name(kind), how >= 2 ? ", starved" : "");
    const dry_result result = take_first(t, &a, kind, how >= 2 ? (int64_t)(fail >> 1) : -1, fail & 1);
    neighbors left = {.count = 0};
    find_left(t, &a.change, &left);
    b.world = t->b.world;
    const dry_result other = fuzz_turn_take(&b, kind);
    fuzz_place("turn %d, %s%s: %s, %s", t->calls, fuzz_kind_name(kind), how >= 2 ? ", starved" : "",
               dry_result_name(result), dry_result_name(other));
    fuzz_sums.calls++;
    fuzz_sums.refused += result != DRY_OK;
    FUZZ_CHECK(result == other && a.at == b.at && a.answer == b.answer);
    FUZZ_CHECK(memcmp(&a.change, &b.change, sizeof a.change) == 0);
    FUZZ_CHECK(result == DRY_OK || result == DRY_ERROR_ARGUMENT || result == DRY_ERROR_STALE_ID);
    FUZZ_CHECK(!(a.bad_number || a.bad_id) || result != DRY_OK);
    FUZZ_CHECK(a.bad_id || result != DRY_ERROR_STALE_ID);
    if (t->refused_step)
        return;
    if (result == DRY_OK) {
        check_awake(t, &left);
        fuzz_model_apply(&t->model, &b.change, t->b.world);
        if (a.is_step)
            check_step(t, &a, &b);
    }
    const uint64_t hash = dry_world_hash(t->a.world), motion = dry_world_motion_hash(t->a.world);
    FUZZ_CHECK(dry_world_hash(t->b.world) == hash);
    FUZZ_CHECK(dry_world_motion_hash(t->b.world) == motion);
    FUZZ_CHECK(result == DRY_OK || hash == t->hash);
    t->hash = hash;
    t->motion = motion;
    check_memory(&t->a);
    check_memory(&t->b);
    validate(t->b.world, a.is_step && result == DRY_OK);
    fuzz_model_check(&t->model, t->a.world);
    fuzz_model_check(&t->model, t->b.world);
    input->at = b.at;
}

/* Replays the first twin. */
static void check_recording(twins *t)
{
    dry_world_def def = dry_default_world_def();
    dry_replay *replay = NULL;
    bool more = true;
    def.threads = 1;
    fuzz_place("the replay");
    FUZZ_CHECK(dry_replay_create(t->recording.at, t->recording.size, &def, NULL, &replay) == DRY_OK);
    while (more)
        FUZZ_CHECK(dry_replay_step(replay, &more) == DRY_OK);
    const dry_replay_report report = dry_replay_get_report(replay);
    if (report.difference.kind != DRY_DIFFERENCE_NONE)
        fuzz_place("the replay: %s", report.difference.text);
    FUZZ_CHECK(report.difference.kind == DRY_DIFFERENCE_NONE);
    FUZZ_CHECK(dry_world_hash(dry_replay_world(replay)) == dry_world_hash(t->a.world));
    dry_replay_destroy(replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static twins t;
    /* The thread sanitizer takes the worlds of four threads, the most there are: what fewer share, they
     * share. */
    if (TEST_THREAD_SANITIZER && (size < 2 || data[1] < 3 << 6))
        return 0;
    fuzz_count_input();
    memset(&t, 0, sizeof t);
    fuzz_turn input = {.at = data, .end = data + size, .model = &t.model};
    make_worlds(&t, &input);
    t.hash = dry_world_hash(t.a.world);
    t.motion = dry_world_motion_hash(t.a.world);
    for (t.calls = 0; t.calls < CALLS_MAX && t.work < WORK_MAX && input.at < input.end && !t.refused_step;
         ++t.calls)
        take(&t, &input);
    check_recording(&t);
    end_world(&t.a);
    end_world(&t.b);
    free(t.recording.at);
    return 0;
}
