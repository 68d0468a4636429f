/* Makes contacts and groups of bodies for the kernel benchmarks (block_sets.h). Their lanes lie as in a step:
 * bodies of one color gather the contacts of their lists, which they share with bodies of other colors. */
#include "perf/block_sets.h"

#include "methods/blocks/blocks.h"
#include "perf/prepared_world.h"
#include "solver/bodies/begin.h"
#include "solver/stages/stages.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 4 };

/* Bases of pyramids. L2: about half a MiB of contacts, L3: 8 MB, MEMORY: 80 MB. */
static const int sides[SET_SIZES] = {8, 36, 152, 484};

/* Begins a substep with the velocities that forces alone would give. */
static void begin_targets(const dry_solver_state *s, int awake)
{
    for (int row = 0; row < awake; row++)
        for (int k = 0; k < 6; k++) {
            float *u = &s->bodies.rows[row + 1].u[k];
            s->blocks->force[row].u[k] = s->bodies.start[row].u[k] - *u;
            s->blocks->target[row].u[k] = *u = s->bodies.start[row].u[k];
        }
}

static void count_items(block_set *set, const dry_blocks *blocks)
{
    for (int i = 0; i < set->contacts; i++)
        set->manifolds += blocks->contact[i].row[0] || blocks->contact[i].row[1];
    for (int g = 0; g < set->groups; g++)
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            set->bodies += blocks->group[g].row[lane] > 0;
}

block_set *block_set_make(set_size size)
{
    block_set *set = bench_allocate(sizeof *set);
    set->size = size;
    dry_world_def def = bench_world_def(0);
    def.settings.method.solver = DRY_SOLVER_AVBD;
    def.settings.substeps = 4;
    set->made = bench_world_make("pyramid", sides[size], STEPS, &def);
    dry_world *world = set->made.world;
    prepare_world(world, 1.0f / 60.0f);
    dry_solver_step step = dry_solver_step_of(world, 1.0f / 60.0f);
    dry_solver_begin_bodies(&step);
    bool done = dry_solver_prepare(&step, &world->memory) && dry_blocks_prepare(&step, &world->memory);
    bench_check(done ? DRY_OK : DRY_ERROR_MEMORY, "blocks");
    const dry_solver_state *s = &world->solver;
    begin_targets(s, world->bodies.awake_count);
    set->contacts = s->blocks->contact_count;
    set->groups = s->blocks->group_count;
    set->row_count = world->bodies.awake_count + 1;
    count_items(set, s->blocks);
    set->contact = bench_allocate((size_t)set->contacts * sizeof *set->contact);
    set->rows = bench_allocate((size_t)set->row_count * sizeof *set->rows);
    memcpy(set->contact, s->blocks->contact, (size_t)set->contacts * sizeof *set->contact);
    memcpy(set->rows, s->bodies.rows, (size_t)set->row_count * sizeof *set->rows);
    set->sweep = dry_block_sweep_of(&step, step.dt / 4.0f);
    return set;
}

void block_set_free(block_set *set)
{
    if (!set)
        return;
    bench_world_free(&set->made);
    free(set->contact);
    free(set->rows);
    free(set);
}

void block_set_restore(block_set *set)
{
    memcpy(set->sweep.contact, set->contact, (size_t)set->contacts * sizeof *set->contact);
    memcpy(set->sweep.sweep.rows, set->rows, (size_t)set->row_count * sizeof *set->rows);
}

void block_set_run(const block_set *set, dry_block_kernel *run, bool over_groups, bool one)
{
    if (over_groups)
        run(&set->sweep, 0, one ? 1 : set->groups);
    else
        run(&set->sweep, 0, one ? DRY_BUNDLE : set->contacts);
}

uint64_t block_set_hash(const block_set *set)
{
    uint64_t hash = BENCH_HASH_BEGIN;
    hash = bench_hash(hash, set->sweep.contact, (size_t)set->contacts * sizeof *set->contact);
    return bench_hash(hash, set->sweep.sweep.rows, (size_t)set->row_count * sizeof *set->rows);
}

size_t block_set_bytes(const block_set *set)
{
    return (size_t)set->contacts * (sizeof *set->contact + 2 * sizeof *set->sweep.entry) +
           (size_t)set->row_count * sizeof *set->rows;
}
