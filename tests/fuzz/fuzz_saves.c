/* Fuzzes loads and replays. An input is the number of a save or a recording, and changes of its bytes: each
 * is a place and a value. The checksums are made those of the changed bytes. A load refuses them or makes a
 * sound world, which steps and whose save gives the same world again. A replay refuses them, or has a sound
 * world after each step. All memory comes back.
 *
 * A change names its place as a share of the bytes, so that an input means much the same for another save. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "scenes/scenes.h"
#include "snapshot/recording.h"
#include "tests/counting_allocator.h"
#include "world/validate.h"
#include "world/world.h"

enum { CHANGE_BYTES = 6, CHANGES_MAX = 64, STEPS = 3, REPLAY_STEPS = 6, SAVE_MAX = 1 << 19 };

/* The saves and recordings that inputs change: small scenes with all kinds of shapes, joints and settings. */
typedef struct origin {
    const char *scene;
    int size, steps;
    dry_solver solver;
    dry_joint_solver joints;
} origin;

static const origin origins[] = {
    {"tower", 6, 5, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE},
    {"mixed", 20, 40, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE},
    {"mixed", 20, 40, DRY_SOLVER_AVBD, DRY_JOINT_SOLVER_ITERATIVE},
    {"ragdolls", 1, 30, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_AUTO},
    {"ragdolls", 1, 30, DRY_SOLVER_XPBD, DRY_JOINT_SOLVER_ITERATIVE},
    {"shapes", 8, 60, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE},
    {"hulls", 8, 60, DRY_SOLVER_JACOBI, DRY_JOINT_SOLVER_ITERATIVE},
    {"crane", 6, 20, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_DIRECT},
};
enum { ORIGINS = (int)(sizeof origins / sizeof *origins) };

typedef struct bytes {
    uint8_t *at;
    size_t size;
} bytes;

static bool append(void *user, const void *more, size_t size)
{
    bytes *to = user;
    if (to->size + size > SAVE_MAX)
        return false;
    memcpy(to->at + to->size, more, size);
    to->size += size;
    return true;
}

static bytes save_of(const dry_world *world)
{
    bytes b = {malloc(SAVE_MAX), 0};
    const dry_sink sink = {append, &b};
    FUZZ_CHECK(b.at && dry_world_save(world, NULL, &sink) == DRY_OK);
    return b;
}

/* Returns the save or the recording of an origin, which is made once. */
static const bytes *bytes_of_origin(int which, bool records)
{
    static bytes made[2][ORIGINS];
    bytes *b = &made[records][which];
    if (b->at)
        return b;
    const origin *from = &origins[which];
    char error[256];
    dry_scene scene;
    dry_world *world;
    dry_world_def def = dry_default_world_def();
    FUZZ_CHECK(dry_scene_make(from->scene, from->size, &scene, error, sizeof error));
    def.tag = 1;
    def.threads = 1;
    def.settings.solver = from->solver;
    def.settings.joint_solver = from->joints;
    def.settings.gravity = scene.gravity;
    if (records) {
        *b = (bytes){malloc(SAVE_MAX), 0};
        def.recording = (dry_recording_def){{append, b}, 2, 3};
    }
    dry_body_id *ids = malloc((size_t)scene.body_count * sizeof *ids);
    FUZZ_CHECK(ids && dry_world_create(&def, &world) == DRY_OK &&
               dry_scene_build(&scene, world, ids) == DRY_OK);
    for (int i = 0; i < (records ? REPLAY_STEPS : from->steps); ++i)
        FUZZ_CHECK(dry_world_step(world, scene.dt) == DRY_OK);
    FUZZ_CHECK(dry_world_is_recording(world) == records);
    if (!records)
        *b = save_of(world);
    dry_world_destroy(world);
    dry_scene_free(&scene);
    free(ids);
    return b;
}

/* Changes a word of 1 to 4 bytes: sets it, adds to it, copies one from elsewhere, or takes a number that is
 * wrong in many places. */
static void change(bytes *b, const uint8_t *how)
{
    static const uint32_t odd[] = {0,          UINT32_MAX, 0x7fffffff, 0x80000000u,    0x7fc00000, 0x7f800000,
                                   0x3f800000, 0x40000000, 0x00ffffff, UINT32_MAX - 1, 0xffff,     63};
    const size_t place = (size_t)((how[0] | how[1] << 8 | how[2] << 16) * (uint64_t)(b->size - 8) >> 24);
    const unsigned kind = how[3] >> 5, size = 1 + (how[3] & 3);
    uint8_t *at = b->at + (kind & 1 ? place : place & ~(size_t)3);
    uint32_t word;
    memcpy(&word, at, sizeof word);
    uint32_t value = how[4] | (uint32_t)how[5] << 8;
    if (kind < 2)
        value = word ^ 1u << how[4] % 32;
    else if (kind < 4)
        value = word + (uint32_t)(int8_t)how[4];
    else if (kind < 6)
        value = odd[how[4] % (sizeof odd / sizeof *odd)];
    else if (kind == 6)
        memcpy(&value, at + (how[4] < b->size - (size_t)(at - b->at) - 4 ? how[4] & ~3 : 0), sizeof value);
    memcpy(at, &value, size);
}

/* Makes all checksums those of the bytes, those of saves in recordings first. */
static void repair(const bytes *b)
{
    for (size_t at = sizeof(dry_save_header); at + sizeof(dry_section_header) + 8 <= b->size;) {
        dry_section_header header;
        memcpy(&header, b->at + at, sizeof header);
        if (header.bytes % 8 != 0 || header.bytes > b->size - at - sizeof header - 8)
            return;
        if (header.kind == DRY_BLOCK_SAVE && header.bytes > 8 + sizeof(dry_save_header))
            repair(&(bytes){b->at + at + sizeof header + 8, (size_t)header.bytes - 8});
        dry_checksum sum = dry_checksum_begin();
        dry_checksum_add(&sum, b->at + at, (sizeof header + (size_t)header.bytes) / 8);
        const uint64_t end = dry_checksum_end(&sum);
        at += sizeof header + (size_t)header.bytes;
        memcpy(b->at + at, &end, sizeof end);
        at += sizeof end;
    }
}

static void check_failed(const dry_validation *validation, const char *condition, const char *file, int line)
{
    (void)validation;
    fuzz_failed(condition, file, line);
}

static void validate(const dry_world *world, const char *place)
{
    const dry_validation validation = {.failed = check_failed, .place = place};
    dry_world_validate(world, DRY_VALID_BETWEEN_CALLS, &validation);
}

/* Steps a world, and a world of its save beside it. */
static void use(dry_world *world, const dry_world_def *def)
{
    dry_world *twin = NULL;
    validate(world, "after the load");
    bytes again = save_of(world);
    FUZZ_CHECK(dry_world_load(again.at, again.size, def, NULL, &twin, NULL) == DRY_OK);
    FUZZ_CHECK(dry_world_hash(world) == dry_world_hash(twin));
    free(again.at);
    for (int i = 0; i < STEPS; ++i) {
        const dry_result result = dry_world_step(world, 1.0f / 60.0f);
        FUZZ_CHECK(result == DRY_OK && dry_world_step(twin, 1.0f / 60.0f) == DRY_OK);
        FUZZ_CHECK(dry_world_hash(world) == dry_world_hash(twin));
        fuzz_sums.steps++;
    }
    validate(world, "after steps");
    dry_world_destroy(twin);
}

/* Replays bytes that may be a recording. Returns whether they were refused. */
static bool replay_is_refused(const bytes *b, const dry_world_def *def)
{
    dry_replay *replay = NULL;
    dry_result result = dry_replay_create(b->at, b->size, def, NULL, &replay);
    bool more = result == DRY_OK;
    for (int i = 0; i < 2 * REPLAY_STEPS && more; ++i) {
        result = dry_replay_step(replay, &more);
        FUZZ_CHECK(result == DRY_OK || !more);
        validate(dry_replay_world(replay), "in a replay");
        fuzz_sums.steps++;
    }
    FUZZ_CHECK(result == DRY_OK || result == DRY_ERROR_ARGUMENT || result == DRY_ERROR_UNSUPPORTED);
    dry_replay_destroy(replay);
    return result != DRY_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_count_input();
    if (size == 0)
        return 0;
    const bool records = data[0] / ORIGINS % 2;
    const bytes *from = bytes_of_origin(data[0] % ORIGINS, records);
    bytes b = {malloc(from->size), from->size};
    FUZZ_CHECK(b.at != NULL);
    memcpy(b.at, from->at, from->size);
    for (size_t at = 1; at + CHANGE_BYTES <= size && at < CHANGES_MAX * CHANGE_BYTES; at += CHANGE_BYTES)
        change(&b, data + at);
    repair(&b);
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = dry_default_world_def();
    dry_world *world = NULL;
    def.threads = 1;
    def.allocator = counting_hooks(&counter);
    fuzz_place("%s of origin %d, %zu bytes of input", records ? "recording" : "save", data[0] % ORIGINS,
               size);
    fuzz_sums.calls++;
    if (records)
        fuzz_sums.refused += replay_is_refused(&b, &def);
    else if (dry_world_load(b.at, b.size, &def, NULL, &world, NULL) == DRY_OK)
        use(world, &def);
    else
        fuzz_sums.refused++;
    dry_world_destroy(world);
    FUZZ_CHECK(counter.bytes == 0 && counter.wrong == 0);
    free(b.at);
    return 0;
}
