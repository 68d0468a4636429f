/* Fuzzes deltas. An input is the number of a delta, and changes of its bytes, or of those of the save that it
 * leads to: then the delta is coded anew. All checksums are made those of the changed bytes. A mirror refuses
 * the delta and is as before, so that the delta without changes still brings it to the bits of its world; or
 * it takes the delta and is a sound world, which steps, and whose save gives the same world again. All memory
 * comes back. */
#include "tests/fuzz/changed_bytes.h"

#include "snapshot/delta.h"
#include "tools/scenes/scenes.h"

#include <drystone/history.h>

enum { STEPS = 2, BEHIND_MAX = 3 };

/* Worlds of which deltas tell: small ones with all kinds of shapes and joints. */
typedef struct origin {
    const char *scene;
    int size, steps, behind; /* steps before the delta begins, and from there to its end */
    dry_solver solver;
    dry_joint_solver joints;
} origin;

static const origin origins[] = {
    {"tower", 6, 5, 1, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE},
    {"mixed", 20, 40, BEHIND_MAX, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE},
    {"mixed", 20, 20, 1, DRY_SOLVER_AVBD, DRY_JOINT_SOLVER_ITERATIVE},
    {"ragdolls", 1, 30, 2, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_AUTO},
    {"shapes", 8, 60, 1, DRY_SOLVER_XPBD, DRY_JOINT_SOLVER_ITERATIVE},
    {"hulls", 8, 60, 2, DRY_SOLVER_JACOBI, DRY_JOINT_SOLVER_ITERATIVE},
};
enum { ORIGINS = (int)(sizeof origins / sizeof *origins) };

/* A delta, the saves at both of its ends without data of shapes, and the save from which mirrors are made. */
typedef struct made_delta {
    bytes start, base, end, delta;
    uint64_t hash; /* of the world at the end */
} made_delta;

static bytes state_of(const dry_world *world)
{
    bytes b = {malloc(SAVE_MAX), 0};
    const dry_sink sink = {append, &b};
    const dry_save_options options = {.without_shape_data = true};
    FUZZ_CHECK(b.at && dry_world_save(world, &options, &sink) == DRY_OK);
    return b;
}

/* Pushes, removes and adds bodies, so that rows of all tables change. */
static void stir(dry_world *world)
{
    dry_body_id ids[64];
    dry_shape_def shape = dry_default_shape_def();
    dry_body_def def = dry_default_body_def();
    const int found = (int)dry_world_get_bodies(world, ids, 64), count = found < 64 ? found : 64;
    for (int i = 0; i < count; i += 5)
        (void)dry_body_apply_impulse(world, ids[i], (dry_vec3){(float)i, 3, -2});
    FUZZ_CHECK(dry_body_destroy(world, ids[count - 1]) == DRY_OK);
    shape.type = DRY_SHAPE_SPHERE;
    shape.radius = 0.3f;
    def.type = DRY_BODY_DYNAMIC;
    def.pose.position = (dry_position){0.2, 4, 0.1};
    def.shapes = &shape;
    def.shape_count = 1;
    FUZZ_CHECK(dry_world_create_body(world, &def, ids) == DRY_OK);
}

/* Returns the delta of an origin, which is made once. */
static const made_delta *delta_of_origin(int which)
{
    static made_delta made[ORIGINS];
    made_delta *m = &made[which];
    if (m->delta.at)
        return m;
    const origin *from = &origins[which];
    char error[256];
    dry_scene scene;
    dry_world *world;
    dry_history *history;
    dry_world_def def = dry_default_world_def();
    FUZZ_CHECK(dry_scene_make(from->scene, from->size, &scene, error, sizeof error));
    def.tag = 1;
    def.threads = 1;
    def.settings.method.solver = from->solver;
    def.settings.joint_solver = from->joints;
    def.settings.gravity = scene.gravity;
    dry_body_id *ids = malloc((size_t)scene.body_count * sizeof *ids);
    FUZZ_CHECK(ids && dry_world_create(&def, &world) == DRY_OK &&
               dry_scene_build(&scene, world, ids) == DRY_OK);
    for (int i = 0; i < from->steps; ++i)
        FUZZ_CHECK(dry_world_step(world, scene.dt) == DRY_OK);
    FUZZ_CHECK(dry_world_create_history(world, BEHIND_MAX, &history) == DRY_OK);
    const uint64_t step = dry_world_step_count(world);
    m->start = save_of(world);
    m->base = state_of(world);
    for (int i = 0; i < from->behind; ++i) {
        stir(world);
        FUZZ_CHECK(dry_world_step(world, scene.dt) == DRY_OK);
    }
    m->end = state_of(world);
    m->hash = dry_world_hash(world);
    m->delta.at = malloc(SAVE_MAX);
    const dry_sink sink = {append, &m->delta};
    FUZZ_CHECK(m->delta.at && dry_world_save_delta(world, step, &sink) == DRY_OK);
    dry_world_destroy(world);
    dry_scene_free(&scene);
    free(ids);
    return m;
}

static bytes copy_of(const bytes *b)
{
    bytes copy = {malloc(b->size), b->size};
    FUZZ_CHECK(copy.at != NULL);
    memcpy(copy.at, b->at, b->size);
    return copy;
}

static dry_saved sections_of(const bytes *b)
{
    dry_saved saved;
    dry_save_fault fault;
    FUZZ_CHECK(dry_saved_find(b->at, b->size, &saved, &fault));
    return saved;
}

/* Changes the bytes of a delta. Its checksums become those of its code, and of the save that this makes. */
static bytes change_delta(const made_delta *m, const uint8_t *data, size_t size)
{
    bytes b = copy_of(&m->delta);
    change_all(&b, data, size);
    dry_delta_header header;
    memcpy(&header, b.at, sizeof header);
    const char *code = (const char *)b.at + sizeof header;
    const dry_saved base = sections_of(&m->base);
    char *save = calloc(1, SAVE_MAX);
    FUZZ_CHECK(save != NULL);
    header.code_sum = dry_delta_sum(code, b.size - sizeof header);
    if (header.bytes <= SAVE_MAX && header.bytes % 8 == 0 &&
        dry_delta_decode(&base, code, b.size - sizeof header, save, (size_t)header.bytes))
        header.sum = dry_delta_sum_of_save(save, (size_t)header.bytes);
    memcpy(b.at, &header, sizeof header);
    free(save);
    return b;
}

/* Changes the save to which a delta leads, and codes the delta anew; with 0 bytes of code if it is no save
 * any more. */
static bytes change_end(const made_delta *m, const uint8_t *data, size_t size)
{
    bytes end = copy_of(&m->end), b;
    dry_delta_header header;
    memcpy(&header, m->delta.at, sizeof header);
    change_all(&end, data, size);
    repair(&end);
    const dry_saved base = sections_of(&m->base);
    b.at = malloc(sizeof header + dry_delta_code_max(end.size));
    FUZZ_CHECK(b.at != NULL);
    header.code_bytes = dry_delta_encode(&base, end.at, end.size, (char *)b.at + sizeof header);
    header.code_sum = dry_delta_sum(b.at + sizeof header, (size_t)header.code_bytes);
    header.sum = dry_delta_sum_of_save((const char *)end.at, end.size);
    memcpy(b.at, &header, sizeof header);
    b.size = sizeof header + (size_t)header.code_bytes;
    free(end.at);
    return b;
}

/* Checks that a mirror that refused a delta can take the one that was not changed. */
static void check_refused(dry_world *mirror, const made_delta *m, uint64_t hash)
{
    FUZZ_CHECK(dry_world_hash(mirror) == hash);
    FUZZ_CHECK(dry_world_apply_delta(mirror, m->delta.at, m->delta.size, NULL) == DRY_OK);
    FUZZ_CHECK(dry_world_hash(mirror) == m->hash);
    validate(mirror, "after the sound delta");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_count_input();
    if (size == 0)
        return 0;
    const made_delta *m = delta_of_origin(data[0] % ORIGINS);
    const bool codes = data[0] / ORIGINS % 2;
    bytes b = codes ? change_end(m, data + 1, size - 1) : change_delta(m, data + 1, size - 1);
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = dry_default_world_def();
    dry_world *mirror = NULL;
    def.threads = 1;
    def.allocator = counting_hooks(&counter);
    fuzz_place("%s of origin %d, %zu bytes of input", codes ? "end" : "delta", data[0] % ORIGINS, size);
    FUZZ_CHECK(dry_world_load(m->start.at, m->start.size, &def, NULL, &mirror, NULL) == DRY_OK);
    const uint64_t hash = dry_world_hash(mirror);
    fuzz_sums.calls++;
    if (dry_world_apply_delta(mirror, b.at, b.size, NULL) == DRY_OK) {
        step_beside_twin(mirror, &def, STEPS);
    } else {
        fuzz_sums.refused++;
        check_refused(mirror, m, hash);
    }
    dry_world_destroy(mirror);
    FUZZ_CHECK(counter.bytes == 0 && counter.wrong == 0);
    free(b.at);
    return 0;
}
