/* Fuzzes loads and replays. An input is the number of a save or a recording, and changes of its bytes: each
 * is a place and a value. The checksums are made those of the changed bytes. A load refuses them or makes a
 * sound world, which steps and whose save gives the same world again. A replay refuses them, or has a sound
 * world after each step. All memory comes back.
 *
 * A change names its place as a share of the bytes, so that an input means much the same for another save.
 * Before these changes an input may leave out, double and move whole sections of a save, and take sections of
 * another save in. */
#include "tests/fuzz/changed_bytes.h"

#include "state/columns.h"
#include "tests/golden_scenes.h"
#include "tools/scenes/scenes.h"
#include "world/world.h"

enum { STEPS = 3, REPLAY_STEPS = 6 };

/* The saves and recordings that inputs change: small scenes that have together all that a save may have. */
typedef struct origin {
    const char *scene; /* built-in, or a file */
    int size, steps;
    dry_solver solver;
    dry_joint_solver joints;
    void (*change)(dry_scene *scene);
} origin;

static const origin origins[] = {
    {"tower", 6, 5, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE, NULL},
    {"mixed", 20, 40, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE, NULL},
    {"mixed", 20, 40, DRY_SOLVER_AVBD, DRY_JOINT_SOLVER_ITERATIVE, NULL},
    {"ragdolls", 1, 30, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_AUTO, NULL},
    {"ragdolls", 1, 30, DRY_SOLVER_XPBD, DRY_JOINT_SOLVER_ITERATIVE, NULL},
    {"shapes", 8, 60, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE, NULL},
    {"hulls", 8, 60, DRY_SOLVER_JACOBI, DRY_JOINT_SOLVER_ITERATIVE, NULL},
    {"crane", 6, 20, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_DIRECT, NULL},
    {"mixed", 20, 40, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE, golden_springs},
    {"mixed", 20, 40, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE, golden_static_friction},
    {"joints", 1, 20, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_DIRECT, NULL},
    {"hoist", 1, 20, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_AUTO, NULL},
    {"tests/data/every_field.json", 0, 10, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_AUTO, NULL},
    {"tests/fuzz/workshop.json", 0, 30, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE, NULL},
    {"tests/fuzz/workshop.json", 0, 30, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_DIRECT, NULL},
    {"tests/fuzz/workshop.json", 0, 30, DRY_SOLVER_JACOBI, DRY_JOINT_SOLVER_AUTO, NULL},
};
enum { ORIGINS = (int)(sizeof origins / sizeof *origins) };

/* Makes what a step leaves or calls make: targets, a force, a sleeper, a kept mass, events that wait. */
static void call_between_steps(dry_world *world, const dry_body_id *ids, int count)
{
    int dynamic = 0;
    for (int i = 0; i < count; ++i) {
        dry_pose pose;
        dry_body_type type;
        FUZZ_CHECK(dry_body_get_type(world, ids[i], &type) == DRY_OK);
        FUZZ_CHECK(dry_body_get_pose(world, ids[i], &pose) == DRY_OK);
        pose.position.y += 0.01;
        FUZZ_CHECK(type != DRY_BODY_KINEMATIC ||
                   dry_body_move_to(world, ids[i], pose, 1.0f / 60.0f) == DRY_OK);
        dynamic = type == DRY_BODY_DYNAMIC ? i : dynamic;
    }
    dry_mass mass;
    FUZZ_CHECK(dry_body_apply_force(world, ids[dynamic - 1], (dry_vec3){0.0f, 1.0f, 0.0f}) == DRY_OK);
    FUZZ_CHECK(dry_body_get_mass(world, ids[dynamic], &mass) == DRY_OK);
    FUZZ_CHECK(dry_body_set_mass(world, ids[dynamic], &mass) == DRY_OK);
    FUZZ_CHECK(dry_body_set_type(world, ids[dynamic], DRY_BODY_STATIC) == DRY_OK);
    FUZZ_CHECK(dry_body_set_awake(world, ids[count / 2], false) == DRY_OK);
    FUZZ_CHECK(dry_body_destroy(world, ids[count / 3]) == DRY_OK);
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
    fuzz_place("origin %s", from->scene);
    if (!(from->size == 0 ? dry_scene_read(from->scene, &scene, error, sizeof error)
                          : dry_scene_make(from->scene, from->size, &scene, error, sizeof error)))
        fuzz_failed(error, __FILE__, __LINE__);
    if (from->change)
        from->change(&scene);
    def.tag = 1;
    def.threads = 1;
    def.settings.method.solver = from->solver;
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
    call_between_steps(world, ids, scene.body_count);
    FUZZ_CHECK(dry_world_is_recording(world) == records);
    if (!records)
        *b = save_of(world);
    dry_world_destroy(world);
    dry_scene_free(&scene);
    free(ids);
    return b;
}

enum { SECTIONS_MAX = 256, SECTION_CHANGE_BYTES = 3 };

/* Finds where sections begin, and the end of END. Returns their number. */
static int find_sections(const bytes *b, size_t *begin)
{
    int count = 0;
    dry_section_header header = {0};
    begin[0] = sizeof(dry_save_header);
    while (count < SECTIONS_MAX && begin[count] < b->size) {
        memcpy(&header, b->at + begin[count], sizeof header);
        begin[count + 1] = begin[count] + sizeof header + (size_t)header.bytes + 8;
        count++;
    }
    return count;
}

/* The origins have all columns between them, but those that no save has, and two of piles and large worlds.
 */
static void check_columns(void)
{
    static const dry_column_id none[] = {DRY_COLUMN_CONTACT_USED,
                                         DRY_COLUMN_CONTACT_ACTIVE,
                                         DRY_COLUMN_CONTACT_TOUCHING,
                                         DRY_COLUMN_CONTACT_STARTING,
                                         DRY_COLUMN_CONTACT_ENDING,
                                         DRY_COLUMN_CONTACT_LOST,
                                         DRY_COLUMN_CONTACT_BUILT,
                                         DRY_COLUMN_CONTACT_PARENT,
                                         DRY_COLUMN_JOINT_ACTIVE,
                                         DRY_COLUMN_BODY_BORNE,
                                         DRY_COLUMN_SLAB};
    size_t begin[SECTIONS_MAX + 1];
    bool has[SECTIONS_MAX] = {false};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        has[dry_columns[none[i]].number] = true;
    for (int which = 0; which < ORIGINS; which++) {
        const bytes *b = bytes_of_origin(which, false);
        dry_section_header header;
        for (int i = find_sections(b, begin) - 1; i >= 0; i--) {
            memcpy(&header, b->at + begin[i], sizeof header);
            has[header.number] = true;
        }
    }
    for (int i = 0; i < DRY_COLUMN_COUNT; i++) {
        fuzz_place("%s", dry_columns[i].id);
        FUZZ_CHECK(has[dry_columns[i].number]);
    }
}

/* Replaces `left_out` bytes by others. */
static void splice(bytes *b, size_t at, size_t left_out, const uint8_t *more, size_t size)
{
    bytes made = {malloc(b->size - left_out + size), b->size - left_out + size};
    FUZZ_CHECK(made.at != NULL);
    memcpy(made.at, b->at, at);
    if (size > 0)
        memcpy(made.at + at, more, size);
    memcpy(made.at + at + size, b->at + at + left_out, b->size - at - left_out);
    free(b->at);
    *b = made;
}

/* Leaves out, doubles, moves or replaces a section but END, or puts in one of another save; END counts them.
 */
static void change_section(bytes *b, const uint8_t *how)
{
    size_t begin[SECTIONS_MAX + 1], other[SECTIONS_MAX + 1];
    const bytes *from = bytes_of_origin(how[0] / 8 % ORIGINS, false);
    const int count = find_sections(b, begin) - 1, others = find_sections(from, other) - 1;
    const int i = how[1] % count, k = how[2] % others, to = how[2] % count, kind = how[0] % 8;
    const size_t size = begin[i + 1] - begin[i], more = other[k + 1] - other[k];
    if (count < 2 || b->size > SAVE_MAX)
        return;
    if (kind < 2) {
        splice(b, begin[i], size, NULL, 0);
    } else if (kind == 2) {
        splice(b, begin[to], 0, b->at + begin[i], size);
    } else if (kind == 3) {
        splice(b, begin[to], 0, b->at + begin[i], size);
        splice(b, begin[i] + (to <= i ? size : 0), size, NULL, 0);
    } else if (kind == 4) {
        splice(b, begin[i], 0, from->at + other[k], more);
    } else { /* that of the same column, if the other save has it */
        for (int j = 0; j < others; j++)
            if (memcmp(b->at + begin[i], from->at + other[j], 4) == 0) {
                splice(b, begin[i], size, from->at + other[j], other[j + 1] - other[j]);
                break;
            }
    }
    const int now = find_sections(b, begin) - 1;
    const uint32_t rows = (uint32_t)now;
    memcpy(b->at + begin[now] + offsetof(dry_section_header, rows), &rows, sizeof rows);
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
    if (fuzz_sums.inputs == 1)
        check_columns();
    if (size == 0)
        return 0;
    const bool records = data[0] / ORIGINS % 2;
    const bytes *from = bytes_of_origin(data[0] % ORIGINS, records);
    bytes b = {malloc(from->size), from->size};
    FUZZ_CHECK(b.at != NULL);
    memcpy(b.at, from->at, from->size);
    size_t at = 1;
    for (int sections = records ? 0 : data[0] / (2 * ORIGINS) % 4; sections > 0;
         sections--, at += SECTION_CHANGE_BYTES)
        if (at + SECTION_CHANGE_BYTES <= size)
            change_section(&b, data + at);
    if (at < size)
        change_all(&b, data + at, size - at);
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
        step_beside_twin(world, &def, STEPS);
    else
        fuzz_sums.refused++;
    dry_world_destroy(world);
    FUZZ_CHECK(counter.bytes == 0 && counter.wrong == 0);
    free(b.at);
    return 0;
}
