/* Measures the stages before the solver, one by one on one thread: broadphase, narrowphase by pair of shapes,
 * contacts recycled and rebuilt, bundles prepared.
 *
 * Each batch works on the same state. If a stage depends on its previous results, the benchmark restores
 * them outside the timed part. */
#include "narrowphase/collide.h"
#include "narrowphase/pairs/box_pair.h"
#include "perf/near_pairs.h"
#include "perf/prepared_world.h"
#include "solver/bodies/begin.h"
#include "solver/stages/stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Broadphase: boxes of 1 m, as dense as a pile, in a cube. */

typedef enum broad_case { BROAD_SETTLED, BROAD_MOVING, BROAD_BUILD } broad_case;

typedef struct broad_run {
    broad_case what;
    int boxes;
    int moving; /* one box in `moving` moves */
} broad_run;

typedef struct broad {
    dry_memory memory;
    dry_scratch scratch;
    dry_jobs *jobs;
    dry_broadphase *broadphase;
    dry_bounds *bounds;
    int *proxy;
} broad;

static void broad_fill(broad *b, int boxes)
{
    b->broadphase = dry_broadphase_create(&b->memory, &b->scratch, NULL, NULL);
    bench_check(b->broadphase && dry_broadphase_reserve(b->broadphase, boxes) ? DRY_OK : DRY_ERROR_MEMORY,
                "broadphase");
    for (int i = 0; i < boxes; i++)
        b->proxy[i] = dry_broadphase_add(b->broadphase, &b->bounds[i], (uint32_t)i, true);
}

static uint64_t broad_find(broad *b, bool hash, int *count)
{
    const dry_pair *pairs;
    dry_scratch_begin(&b->scratch, &b->memory, DRY_LIFETIME_PAIRS);
    if (!dry_broadphase_find_pairs(b->broadphase, b->jobs, NULL, NULL, &pairs, count))
        bench_check(DRY_ERROR_MEMORY, "broadphase");
    return hash ? bench_hash(BENCH_HASH_BEGIN, pairs, (size_t)*count * sizeof *pairs) : 0;
}

/* Moves boxes to their places, or 1 m beside them: out of their fat boxes, among other neighbors. */
static void broad_move(broad *b, const broad_run *one, double by)
{
    for (int i = 0; i < one->boxes; i++) {
        dry_bounds bounds = b->bounds[i];
        if (one->moving && i % one->moving == 0) {
            bounds.min.x += by;
            bounds.max.x += by;
        }
        dry_broadphase_update(b->broadphase, b->proxy[i], &bounds, (dry_vec3){0.0f, 0.0f, 0.0f});
    }
}

static void bench_broadphase(bench_state *state, const void *context)
{
    const broad_run *one = context;
    broad b = {0};
    dry_memory_init(&b.memory, (dry_allocator){0});
    dry_memory memory = b.memory; /* of the team */
    const dry_jobs_def jobs = {.threads = 1};
    b.jobs = dry_jobs_create(&memory, &jobs);
    b.bounds = bench_allocate((size_t)one->boxes * sizeof *b.bounds);
    b.proxy = bench_allocate((size_t)one->boxes * sizeof *b.proxy);
    uint64_t seed = 1;
    float side = 1.0f;
    while ((double)side * side * side < 1.5 * one->boxes)
        side += 1.0f;
    for (int i = 0; i < one->boxes; i++) {
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = (double)bench_random_in(&seed, 0.0f, side);
        b.bounds[i] = (dry_bounds){{at[0], at[1], at[2]}, {at[0] + 1, at[1] + 1, at[2] + 1}};
    }
    bench_batches batches = {0};
    int pairs = 0;
    broad_fill(&b, one->boxes);
    broad_find(&b, false, &pairs);
    while (bench_next(state)) {
        if (one->what == BROAD_BUILD) {
            dry_memory_release_all(&b.memory);
            b.scratch = (dry_scratch){0};
        }
        bench_begin(&batches);
        if (one->what == BROAD_BUILD)
            broad_fill(&b, one->boxes);
        else
            broad_move(&b, one, 1.0);
        broad_find(&b, false, &pairs);
        bench_end(&batches, state);
        /* All present pairs: every proxy counts as moved. */
        for (int i = 0; i < one->boxes; i++)
            dry_broadphase_mark_moved(b.broadphase, b.proxy[i]);
        int all;
        bench_work(&batches, broad_find(&b, true, &all));
        if (one->moving) {
            broad_move(&b, one, 0.0);
            broad_find(&b, false, &all);
        }
    }
    bench_report(&batches, state, one->boxes, "box");
    bench_counter(state, "pairs", pairs);
    dry_memory_release_all(&b.memory);
    dry_jobs_destroy(&memory, b.jobs);
    free(b.bounds);
    free(b.proxy);
}

/* Narrowphase: random places at which most pairs touch. */

enum { POSES = 1024 };

typedef struct collide_run {
    dry_shape_type a, b;
    bool batch; /* 64 pairs at a time, in lanes, as in the contact stage */
} collide_run;

static const char *const shape_names[] = {
    [DRY_SHAPE_SPHERE] = "sphere",
    [DRY_SHAPE_CAPSULE] = "capsule",
    [DRY_SHAPE_BOX] = "box",
    [DRY_SHAPE_HALFSPACE] = "half-space",
};

static void bench_collide(bench_state *state, const void *context)
{
    const collide_run *one = context;
    dry_geometry a = near_shape(one->a), b = near_shape(one->b);
    static dry_transform poses[POSES];
    static dry_local_manifold found[POSES];
    dry_level level = DRY_LEVEL_SCALAR;
    bench_check(dry_level_find(DRY_ISA_AUTO, &level) ? DRY_OK : DRY_ERROR_UNSUPPORTED, "DRYSTONE_ISA");
    dry_box_pair pairs[DRY_BOX_PAIRS_MAX];
    near_poses(poses, POSES, one->a == DRY_SHAPE_HALFSPACE);
    bench_batches batches = {0};
    while (bench_next(state)) {
        bench_begin(&batches);
        for (int i = 0; i < POSES; i += DRY_BOX_PAIRS_MAX) {
            if (!one->batch) {
                for (int k = i; k < i + DRY_BOX_PAIRS_MAX; k++)
                    dry_collide(&a, &b, &poses[k], NEAR_MARGIN, &found[k]);
                continue;
            }
            for (int k = 0; k < DRY_BOX_PAIRS_MAX; k++)
                pairs[k] = dry_box_pair_of(a.size, b.size, &poses[i + k], NEAR_MARGIN);
            dry_collide_boxes(level, pairs, DRY_BOX_PAIRS_MAX, &found[i]);
        }
        bench_end(&batches, state);
        bench_work(&batches, near_hash(found, POSES));
    }
    double points = 0.0, touching = 0.0;
    for (int i = 0; i < POSES; i++) {
        points += found[i].count;
        touching += found[i].count > 0;
    }
    bench_report(&batches, state, POSES, "pair");
    bench_counter(state, "points_per_pair", points / POSES);
    bench_counter(state, "share_touching", touching / POSES);
}

/* Contacts and prepare: a world after some steps, each stage called alone. */

typedef struct stage_run {
    enum { STAGE_KEPT, STAGE_REBUILT, STAGE_PREPARE } what;
    dry_isa isa; /* of prepare */
    const char *scene;
    int size, steps;
} stage_run;

static bench_world *use_world(const stage_run *one)
{
    static bench_world current;
    static const char *scene;
    if (!current.world || strcmp(scene, one->scene) != 0) {
        bench_world_free(&current);
        dry_world_def def = bench_world_def(1);
        current = bench_world_make(one->scene, one->size, one->steps, &def);
        scene = one->scene;
        prepare_world(current.world, current.scene.dt);
    }
    return &current;
}

static void bench_contacts(bench_state *state, const void *context)
{
    const stage_run *one = context;
    bench_world *made = use_world(one);
    dry_world *world = made->world;
    dry_solver_step step = dry_solver_step_of(world, made->scene.dt);
    dry_settings settings = world->settings;
    world->settings.recycle_distance = one->what == STAGE_KEPT ? 1e9f : 0.0f;
    (void)dry_stage_contacts(world, &step);
    bench_batches batches = {0};
    while (bench_next(state)) {
        bench_begin(&batches);
        (void)dry_stage_contacts(world, &step);
        bench_end(&batches, state);
        bench_work(&batches, bench_hash(BENCH_HASH_BEGIN, world->contacts.manifold,
                                        (size_t)world->contacts.used * sizeof *world->contacts.manifold));
    }
    double recycled = 0.0, touching = 0.0;
    for (int contact = -1; (contact = dry_contacts_next_active(&world->contacts, contact)) >= 0;) {
        recycled += (world->contacts.link[contact].flags & DRY_CONTACT_RECYCLED) != 0;
        touching += world->contacts.link[contact].points > 0;
    }
    world->settings = settings;
    bench_report(&batches, state, world->contacts.active_count, "contact");
    bench_counter(state, "share_kept", recycled / world->contacts.active_count);
    bench_counter(state, "share_touching", touching / world->contacts.active_count);
}

static void bench_prepare(bench_state *state, const void *context)
{
    const stage_run *one = context;
    bench_world *made = use_world(one);
    dry_world *world = made->world;
    dry_solver_step step = dry_solver_step_of(world, made->scene.dt);
    const dry_level level = world->solver.sweeps.level;
    (void)dry_level_find(one->isa, &world->solver.sweeps.level);
    const dry_bundle_array *array = &world->solver.sweeps.bundles[DRY_KIND_CONTACT];
    dry_solver_begin_bodies(&step);
    bench_batches batches = {0};
    while (bench_next(state)) {
        bench_begin(&batches);
        (void)dry_solver_prepare(&step, &world->memory);
        bench_end(&batches, state);
        bench_work(&batches, bench_hash(BENCH_HASH_BEGIN, array->bundle,
                                        (size_t)array->count * sizeof(dry_contact_bundle)));
    }
    world->solver.sweeps.level = level;
    double manifolds = 0.0;
    for (int b = 0; b < array->count; b++)
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            manifolds += array->members[b].index[lane] >= 0;
    bench_report(&batches, state, manifolds, "manifold");
}

static void register_broadphase(bool tiny)
{
    const int boxes[] = {tiny ? 300 : 10000, 100000};
    const struct {
        const char *name;
        broad_case what;
        int moving;
    } cases[] = {{"settled", BROAD_SETTLED, 0},
                 {"moving_1_of_100", BROAD_MOVING, 100},
                 {"moving_all", BROAD_MOVING, 1},
                 {"build", BROAD_BUILD, 0}};
    for (int n = 0; n < (tiny ? 1 : 2); n++)
        for (int c = 0; c < 4; c++) {
            broad_run run = {cases[c].what, boxes[n], cases[c].moving};
            char name[96];
            snprintf(name, sizeof name, "broadphase/%s/%d", cases[c].name, boxes[n]);
            bench_register(name, bench_broadphase, &run, sizeof run, 0);
        }
}

static void register_collide(void)
{
    static const dry_shape_type types[] = {DRY_SHAPE_HALFSPACE, DRY_SHAPE_SPHERE, DRY_SHAPE_CAPSULE,
                                           DRY_SHAPE_BOX};
    for (int a = 0; a < 4; a++)
        for (int b = a > 1 ? a : 1; b < 4; b++) {
            collide_run run = {types[a], types[b], false};
            char name[96];
            snprintf(name, sizeof name, "collide/%s/%s", shape_names[run.a], shape_names[run.b]);
            bench_register(name, bench_collide, &run, sizeof run, 0);
        }
    collide_run batch = {DRY_SHAPE_BOX, DRY_SHAPE_BOX, true};
    bench_register("collide/box/box/batch", bench_collide, &batch, sizeof batch, 0);
}

static void register_stages(bool tiny)
{
    const stage_run scenes[] = {{.scene = "pyramid", .size = tiny ? 6 : 100, .steps = tiny ? 5 : 60},
                                {.scene = "pile", .size = tiny ? 30 : 5000, .steps = tiny ? 30 : 300}};
    for (int i = 0; i < 2; i++) {
        stage_run run = scenes[i];
        char name[96];
        for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; isa++) {
            if (!dry_isa_available((dry_isa)isa))
                continue;
            run.what = STAGE_PREPARE;
            run.isa = (dry_isa)isa;
            snprintf(name, sizeof name, "prepare/%s/%s", run.scene, dry_isa_name(run.isa));
            bench_register(name, bench_prepare, &run, sizeof run, 0);
        }
        run.what = STAGE_KEPT;
        snprintf(name, sizeof name, "contacts/%s/kept", run.scene);
        bench_register(name, bench_contacts, &run, sizeof run, 0);
        run.what = STAGE_REBUILT;
        snprintf(name, sizeof name, "contacts/%s/rebuilt", run.scene);
        bench_register(name, bench_contacts, &run, sizeof run, 0);
    }
}

int main(int argc, char **argv)
{
    bool tiny = bench_tiny(&argc, argv);
    register_broadphase(tiny);
    register_collide();
    register_stages(tiny);
    return bench_main(argc, argv, tiny);
}
