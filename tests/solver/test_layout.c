/* Worlds that are assigned in partitions: the layout is sound, wavefronts give the bits of one pass after the
 * other, islands together those of islands alone, and so does any team and instruction set. Small worlds'
 * layouts are checked by fuzz_calls.c and test_destroy.c after each call. */
#include "tests/counting_allocator.h"
#include "tests/world_checker.h"

#include "solver/bodies/begin.h"
#include "solver/data/constraint.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/layout.h"
#include "solver/stages/stages.h"
#include "solver/sweeps/passes.h"
#include "step/stages.h"

#include <limits.h>

enum { BASE = 262, LINKS = 20, STEPS = 2 };

/* Returns the id of a cube of the pyramid, which was made after the floor and half of the chain. */
static dry_body_id cube_of(const dry_body_id *bodies, int level, int i)
{
    return bodies[1 + LINKS / 2 + level * BASE - level * (level - 1) / 2 + i];
}

/* Makes a volume joint over four bodies that keeps the volume that it finds. */
static dry_joint_id add_volume(dry_world *world, const dry_body_id id[4])
{
    dry_volume_def def = {.joint = dry_default_joint_def(DRY_JOINT_VOLUME), .body_c = id[2], .body_d = id[3]};
    def.joint.body_a = id[0];
    def.joint.body_b = id[1];
    def.anchor_c = v3(0, 0, 0.5);
    def.anchor_d = v3(0, 0.3, -0.5);
    dry_joint_id joint;
    float pressure;
    assert_ok(dry_world_create_volumes(world, 1, &def, &joint));
    assert_ok(dry_joint_get_volume(world, joint, &def.joint.volume, &pressure));
    assert_true(dry_abs(def.joint.volume) > 0.05f);
    assert_ok(dry_joint_set_def(world, joint, &def.joint));
    return joint;
}

enum { VOLUME_COLUMNS = 9, VOLUMES = (BASE / 3 - VOLUME_COLUMNS) * VOLUME_COLUMNS };

/* Returns the cubes of one of the volumes up the pyramid, on three levels; any of them comes first. */
static void cubes_of_volume(const dry_body_id *bodies, int volume, dry_body_id id[4])
{
    const int level = 3 * (volume / VOLUME_COLUMNS) + volume % 3, i = 2 * (volume % VOLUME_COLUMNS);
    for (int k = 0; k < 4; ++k)
        id[(k + volume) % 4] = cube_of(bodies, level + (k < 3 ? k : 1), i + k / 3);
}

/* A pyramid of cubes that leans a little, and a chain in front of it, made in part before and in part after;
 * it floats. */
static dry_world *make_world(const dry_world_def *def)
{
    dry_world *world = world_from(def);
    add_floor(world, 0.6, 0);
    dry_body_id ids[LINKS];
    for (int i = 0; i < LINKS / 2; ++i)
        ids[i] = add_dynamic(world, pose_at(2 * i, 20, 3), sphere_shape(0.5));
    for (int level = 0; level < BASE; ++level)
        for (int i = 0; i < BASE - level; ++i)
            add_dynamic(world, pose_at(0.999 * i + 0.501 * level, 0.499 + 0.999 * level, 0.001 * (i % 3)),
                        box_shape(0.5, 0.5, 0.5));
    for (int i = LINKS / 2; i < LINKS; ++i)
        ids[i] = add_dynamic(world, pose_at(2 * (LINKS - 1 - i), 20, 5), sphere_shape(0.5));
    for (int i = 0; i < LINKS; ++i) {
        /* Every kind of bundles. */
        static const dry_joint_type types[] = {DRY_JOINT_BALL, DRY_JOINT_DISTANCE, DRY_JOINT_HINGE};
        dry_joint_def joint = dry_default_joint_def(types[i % COUNT_OF(types)]);
        if (joint.type == DRY_JOINT_HINGE)
            joint.axes[DRY_AXIS_RX].friction = 1;
        joint.body_a = ids[i];
        joint.body_b = ids[(i + 1) % LINKS];
        dry_joint_id id;
        assert_ok(dry_world_create_joint(world, &joint, &id));
    }
    /* Four of the chain's bodies, 0.667 m^3 at first. */
    dry_volume_def volume = {.joint = dry_default_joint_def(DRY_JOINT_VOLUME),
                             .body_c = ids[1],
                             .body_d = ids[LINKS - 2],
                             .anchor_d = v3(0, 1, 0)};
    volume.joint.body_a = ids[0];
    volume.joint.body_b = ids[LINKS - 1];
    volume.joint.volume = 0.7f;
    dry_joint_id id;
    assert_ok(dry_world_create_volumes(world, 1, &volume, &id));
    return world;
}

/* The same with volume joints all the way up the pyramid. */
static dry_world *make_world_with_volumes(const dry_world_def *def)
{
    dry_world *world = make_world(def);
    static dry_body_id bodies[BASE * (BASE + 1) / 2 + LINKS + 1];
    assert_int_equal(dry_world_get_bodies(world, bodies, COUNT_OF(bodies)), COUNT_OF(bodies));
    for (int k = 0; k < VOLUMES; ++k) {
        dry_body_id id[4];
        cubes_of_volume(bodies, k, id);
        (void)add_volume(world, id);
    }
    return world;
}

static dry_world_def def_of(int threads, dry_isa isa)
{
    dry_world_def def = test_world_def();
    def.settings = test_settings();
    def.settings.substeps = 8;      /* two batches of passes at one time */
    def.settings.substeps_min = 16; /* one tier, that of the pyramid's load, for the floating chain, too */
    def.isa = isa;
    def.threads = threads;
    snprintf(checker_place, sizeof checker_place, "%d threads, %s", threads, dry_isa_name(isa));
    return def;
}

/* Tests that the contacts of a color follow each other by the lower of their two rows. */
static void check_rows_ascend(const dry_world *world)
{
    const dry_solver_state *s = &world->solver;
    const dry_bundle_members *members = s->sweeps.bundles[DRY_KIND_CONTACT].members;
    int lanes = 0;
    for (int i = 0; i < s->plan.phase_count; ++i) {
        const dry_bundle_range range = dry_phase_bundles(&s->plan.phases[i], DRY_KIND_CONTACT);
        int last = 0;
        for (int b = range.begin; b < range.end && s->plan.phases[i].color < DRY_COLOR_OVERFLOW; ++b) {
            for (int lane = 0; lane < DRY_BUNDLE; ++lane) {
                const int contact = members[b].index[lane];
                if (contact < 0)
                    continue;
                const dry_contact_link *link = &world->contacts.link[contact];
                const int row = dry_min_int(dry_bodies_row(&world->bodies, link->body_a),
                                            dry_bodies_row(&world->bodies, link->body_b));
                check(row >= last && row < world->bodies.awake_count); /* what does not move comes after */
                last = row;
                ++lanes;
            }
        }
    }
    check(lanes > DRY_ROWS_NEAR);
}

static uint64_t run(int threads, dry_isa isa)
{
    dry_world_def def = def_of(threads, isa);
    dry_world *world = make_world(&def);
    for (int step = 0; step < STEPS; ++step) {
        run_steps(world, 1, TEST_DT);
        check(check_layout(world) >= 32);
        check_rows_ascend(world);
    }
    uint64_t hash = dry_world_hash(world);
    dry_world_destroy(world);
    return hash;
}

static void test_any_team_and_level(void **state)
{
    (void)state;
    const uint64_t expected = run(1, DRY_ISA_AUTO);
    assert_true(run(2, DRY_ISA_AUTO) == expected);
    assert_true(run(12, DRY_ISA_AUTO) == expected);
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; ++isa)
        if (dry_isa_available((dry_isa)isa) && !test_quick())
            assert_true(run(1, (dry_isa)isa) == expected);
}

/* Volumes of which two slabs have a part: each side may be the one that alone is in a slab, and the pair of
 * the first two sides may not show that there are two. */
static void test_volumes_across_slabs(void **state)
{
    (void)state;
    for (int colors = 0; colors <= 3; colors += 3) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 5; threads += test_pick(2, 4)) {
            dry_world_def def = def_of(threads, DRY_ISA_AUTO);
            def.settings.substeps = 2;
            def.settings.method.colors_max = colors;
            dry_world *world = make_world_with_volumes(&def);
            run_steps(world, STEPS, TEST_DT);
            check(check_layout(world) >= 32);
            check((dry_world_statistics(world).overflow > VOLUMES) == (colors > 0));
            hash = threads > 1 ? hash : dry_world_hash(world);
            assert_true(dry_world_hash(world) == hash);
            static dry_body_id bodies[BASE * BASE];
            (void)dry_world_get_bodies(world, bodies, COUNT_OF(bodies));
            int cut = 0, hidden = 0, alone[4] = {0};
            for (int k = 0; k < VOLUMES; ++k) {
                dry_body_id id[4];
                int slab[4], lowest = INT_MAX, in_lowest = 0;
                cubes_of_volume(bodies, k, id);
                for (int side = 0; side < 4; ++side) {
                    const int slot = dry_slots_find(&world->bodies.slots, id[side].bits);
                    slab[side] = world->solver.plan.slabs.slab[dry_bodies_row(&world->bodies, slot)];
                    lowest = dry_min_int(lowest, slab[side]);
                }
                for (int side = 0; side < 4; ++side)
                    in_lowest += slab[side] == lowest;
                for (int side = 0; side < 4; ++side)
                    alone[side] += in_lowest == 1 && slab[side] == lowest;
                cut += in_lowest < 4;
                hidden += in_lowest < 4 && slab[0] == slab[1];
            }
            assert_true(cut > 50 && hidden > 10);
            for (int side = 0; side < 4; ++side)
                assert_true(alone[side] > 5);
            dry_world_destroy(world);
        }
    }
}

/* A volume that comes to join bodies far apart by its last side alone: slabs go, and come again without it.
 */
static void test_a_volume_across_all(void **state)
{
    (void)state;
    dry_world_def def = def_of(1, DRY_ISA_AUTO);
    def.settings.substeps = 1;
    dry_world *world = make_world_with_volumes(&def);
    run_steps(world, 1, TEST_DT);
    check(check_layout(world) >= 32);
    static dry_body_id bodies[BASE * BASE];
    (void)dry_world_get_bodies(world, bodies, COUNT_OF(bodies));
    const dry_body_id id[4] = {cube_of(bodies, 0, 1), cube_of(bodies, 0, 2), cube_of(bodies, 1, 1),
                               cube_of(bodies, BASE - 1, 0)};
    const dry_joint_id far = add_volume(world, id);
    for (int step = 0; step < STEPS; ++step) {
        run_steps(world, 1, TEST_DT);
        check(check_layout(world) == 1);
    }
    assert_ok(dry_joint_destroy(world, far));
    /* Not every step searches for partitions. */
    for (int i = 0; i < 20; ++i) {
        add_dynamic(world, pose_at(-5, 5 + 2 * i, 0), sphere_shape(0.5));
        run_steps(world, 1, TEST_DT);
    }
    check(check_layout(world) >= 32);
    dry_world_destroy(world);
}

typedef struct passes {
    dry_solver_step step;
    const dry_tier_range *range;
    dry_pass pass[DRY_PASSES_MAX];
    int at_once;
} passes;

static void run_passes(void *context)
{
    passes *p = context;
    for (int k = 0; k < DRY_PASSES_MAX; k += p->at_once)
        dry_run_passes(&p->step, p->range, &p->pass[k], dry_min_int(p->at_once, DRY_PASSES_MAX - k));
}

/* Stages up to prepare. */
static void prepare(dry_world *world, dry_solver_step *step)
{
    assert_true(dry_stage_pairs(world, step));
    assert_true(dry_stage_contacts(world, step));
    assert_true(dry_stage_graph(world, step));
    assert_true(dry_solver_layout(step, &world->memory, &world->scratch) && dry_take_solver_scratch(world));
    dry_solver_begin_bodies(step);
    assert_true(dry_solver_prepare(step, &world->memory));
}

/* Bundles and rows as a step has them, swept again and again: all kinds of passes in one wavefront, in
 * wavefronts of three, and one after the other. Two-phase friction gives bundles the cold blocks that its own
 * kind of sweep exchanges impulses with. */
static void test_wavefronts_are_as_one_by_one(void **state)
{
    (void)state;
    dry_world_def def = def_of(2, DRY_ISA_AUTO);
    def.settings.method.friction = DRY_FRICTION_TWO_PHASE;
    dry_world *world = make_world(&def);
    for (int i = 0; i < 2; ++i) /* an island that floats */
        (void)add_dynamic(world, pose_at(-20, 20 + 0.99 * i, 0), sphere_shape(0.5));
    run_steps(world, 1, TEST_DT);
    dry_solver_state *s = &world->solver;
    passes p = {.step = dry_solver_step_of(world, TEST_DT), .range = &s->plan.ranges[0]};
    prepare(world, &p.step);
    for (int c = 0; c < DRY_TIER_COUNT; ++c)
        if (s->plan.ranges[c].partition_end - s->plan.ranges[c].partition_begin > 1)
            p.range = &s->plan.ranges[c];
    assert_true(dry_passes_at_once(&p.step, p.range) > 1);
    assert_true(p.range->floating);
    dry_sweep_kernels kernels[DRY_SWEEP_COUNT];
    for (int i = 0; i < DRY_SWEEP_COUNT; ++i) {
        kernels[i].update = DRY_UPDATE_DIRECT;
        kernels[i].then = NULL;
        for (int k = 0; k < DRY_KIND_COUNT; ++k)
            for (int fill = 0; fill < DRY_FILL_COUNT; ++fill)
                kernels[i].kernel[k][fill] = dry_constraint_kinds[k]->kernel(
                    dry_constraint_kinds[k], s->sweeps.level, (dry_sweep_kind)i, DRY_UPDATE_DIRECT,
                    &def.settings, false);
    }
    static const dry_body_work work[] = {DRY_WORK_FIRST_FORCES, DRY_WORK_NONE, DRY_WORK_MOVE,
                                         DRY_WORK_NEXT_FORCES};
    for (int i = 0; i < DRY_PASSES_MAX; ++i) {
        const float h = TEST_DT / 4;
        dry_sweep sweep = {.rows = s->bodies.rows,
                           .start = s->bodies.start,
                           .headers = s->sweeps.headers,
                           .cold = s->sweeps.cold,
                           .impact = s->sweeps.impact,
                           .compliance = s->sweeps.compliance,
                           .time = h * (float)(i / 3),
                           .rate_free = 1 / h,
                           .rate = 0.5f / h,
                           .relative_softness = 0.25f,
                           .bias_speed_max = 4,
                           .relaxation = 1,
                           .substep = h,
                           .backward = i % 7 < 3,
                           .prefetch_rows = i % 3 == 0,
                           .prefetch_end = i % 2 ? dry_tier_bundles(s, p.range, DRY_KIND_CONTACT).end : 0};
        p.pass[i] = (dry_pass){work[i % COUNT_OF(work)],
                               i % 5 == 4 ? NULL : &kernels[(i + i / 3) % DRY_SWEEP_COUNT], sweep};
    }
    enum { BUNDLES = 4 }; /* of contacts: joints in sweeps have ranges of their own, and one pass at a time */
    struct {
        void *at;
        size_t bytes;
        char *before, *after;
    } part[BUNDLES + 1] = {
        {s->bodies.rows, (size_t)(world->bodies.awake_count + 1) * sizeof *s->bodies.rows, NULL, NULL},
        {s->bodies.start, (size_t)world->bodies.awake_count * sizeof *s->bodies.start, NULL, NULL},
        {s->bodies.momentum_row, (size_t)world->bodies.awake_count * sizeof *s->bodies.momentum_row, NULL,
         NULL},
        {s->sweeps.cold, (size_t)(1 + s->sweeps.bundles[DRY_KIND_CONTACT].count) * sizeof *s->sweeps.cold,
         NULL, NULL},
    };
    part[BUNDLES].at = s->sweeps.bundles[DRY_KIND_CONTACT].bundle;
    part[BUNDLES].bytes = (size_t)s->sweeps.bundles[DRY_KIND_CONTACT].count * sizeof(dry_contact_bundle);
    for (int i = 0; i < COUNT_OF(part); ++i) {
        part[i].before = malloc(part[i].bytes), part[i].after = malloc(part[i].bytes);
        memcpy(part[i].before, part[i].at, part[i].bytes);
    }
    static const int at_once[] = {1, DRY_PASSES_MAX, 3, 2};
    for (int k = 0; k < COUNT_OF(at_once); ++k) {
        for (int i = 0; i < COUNT_OF(part); ++i)
            memcpy(part[i].at, part[i].before, part[i].bytes);
        p.at_once = at_once[k];
        dry_jobs_begin_parallel(world->jobs, run_passes, &p);
        for (int i = 0; i < COUNT_OF(part); ++i) {
            if (k == 0)
                memcpy(part[i].after, part[i].at, part[i].bytes);
            assert_true(memcmp(part[i].after, part[i].before, part[i].bytes) != 0);
            assert_memory_equal(part[i].after, part[i].at, part[i].bytes);
        }
    }
    for (int i = 0; i < COUNT_OF(part); ++i) {
        free(part[i].before);
        free(part[i].after);
    }
    dry_world_destroy(world);
}

/* A body that reaches across everything: no partitions, and the same as ever. Without it there are partitions
 * again. */
static void test_a_body_across_all(void **state)
{
    (void)state;
    dry_world_def def = def_of(1, DRY_ISA_AUTO);
    def.settings.substeps = 1;
    dry_world *world = make_world(&def);
    dry_body_id ram = add_dynamic(world, pose_at(0.5 * BASE, 0.5 * BASE, -0.999), box_shape(BASE, BASE, 0.5));
    for (int step = 0; step < STEPS; ++step) {
        run_steps(world, 1, TEST_DT);
        check(check_layout(world) == 1);
    }
    assert_ok(dry_body_destroy(world, ram));
    /* Not every step searches for partitions. */
    for (int i = 0; i < 20; ++i) {
        add_dynamic(world, pose_at(-5, 5 + 2 * i, 0), sphere_shape(0.5));
        run_steps(world, 1, TEST_DT);
    }
    check(check_layout(world) >= 32);
    /* One that flew away has no say in which slab the others are in. */
    const int rows = world->bodies.awake_count;
    uint16_t *slab = malloc((size_t)rows * sizeof *slab);
    memcpy(slab, world->solver.plan.slabs.slab, (size_t)rows * sizeof *slab);
    add_dynamic(world, pose_at(0, 1e9, 0), sphere_shape(0.5));
    run_steps(world, 1, TEST_DT);
    check(check_layout(world) >= 32);
    int moved = 0;
    for (int row = 0; row < rows; ++row)
        moved += abs((int)world->solver.plan.slabs.slab[row] - (int)slab[row]) > 1;
    assert_int_equal(moved, 0);
    free(slab);
    dry_world_destroy(world);
}

/* An assignment for one solver is made anew for the other. */
static void test_another_solver(void **state)
{
    (void)state;
    dry_world_def def = def_of(1, DRY_ISA_AUTO);
    def.settings.substeps = 1;
    dry_world *world = make_world(&def);
    for (int i = 0; i < 4; ++i) {
        dry_settings settings = def.settings;
        settings.method.solver = i % 2 ? DRY_SOLVER_JACOBI : DRY_SOLVER_GAUSS_SEIDEL;
        assert_ok(dry_world_set_settings(world, &settings));
        run_steps(world, 1, 0);
        check(i % 2 ? check_layout(world) == 1 : check_layout(world) >= 32);
    }
    dry_world_destroy(world);
}

/* Cubes that fall onto ledges, one above the other, all along the slabs: each leaves with half its speed. */
static void test_bounces_in_slabs(void **state)
{
    (void)state;
    enum { LEDGES = 60 };
    uint64_t hash = 0;
    for (int threads = 1; threads <= 5; threads += 2) {
        dry_world_def def = def_of(threads, DRY_ISA_AUTO);
        def.settings.gravity = v3(0, 0, 0);
        dry_world *world = make_world(&def);
        dry_body_id balls[LEDGES];
        for (int i = 0; i < LEDGES; ++i) {
            dry_shape_def ball = sphere_shape(0.5);
            ball.restitution = 0.5f;
            dry_shape_def ledge = box_shape(1, 0.5, 1);
            ledge.restitution = 0.5f;
            add_body(world, DRY_BODY_STATIC, pose_at(-5, 4 * i, 0), ledge);
            balls[i] = add_dynamic(world, pose_at(-5, 4 * i + 1.001, 0), ball);
            set_velocity(world, balls[i], (d3){0, -3, 0}, (d3){0, 0, 0});
        }
        run_steps(world, 1, TEST_DT);
        check(check_layout(world) >= 32);
        for (int i = 0; i < LEDGES; ++i)
            assert_near(velocity_of(world, balls[i]).y, 1.5, 1e-4);
        hash = threads > 1 ? hash : dry_world_hash(world);
        assert_true(dry_world_hash(world) == hash);
        dry_world_destroy(world);
    }
}

enum { HUNG = 40 };

/* Adds a chain of joints that are solved directly and hangs from the world, along most of the slabs: in front
 * of the pyramid, or with its links in touch with the cubes. */
static void add_hung_chain(dry_world *world, bool touching, dry_body_id link[HUNG])
{
    const double z = touching ? 0.749 : 2;
    for (int i = 0; i < HUNG; ++i) {
        dry_shape_def shape = box_shape(0.2, 1.4, 0.25);
        shape.filter.group = -9;
        link[i] = add_dynamic(world, pose_at(0.5 * BASE, 3 * HUNG - 3 * i, z), shape);
        dry_joint_def joint = dry_default_joint_def(DRY_JOINT_BALL);
        joint.solver = DRY_JOINT_SOLVER_DIRECT;
        joint.body_b = link[i];
        joint.anchor_b = v3(0, 1.5, 0);
        if (i) {
            joint.body_a = link[i - 1];
            joint.anchor_a = v3(0, -1.5, 0);
        } else {
            joint.target = (dry_position){0.5 * BASE, 3 * HUNG + 1.5, z};
        }
        dry_joint_id id;
        assert_ok(dry_world_create_joint(world, &joint, &id));
    }
    set_velocity(world, link[HUNG - 1], (d3){0, 0, touching ? 0 : 3}, (d3){0, 0, 0});
}

/* Slabs do not cut an articulation. One that moves by itself is solved as a whole, whatever slabs its bodies
 * lie in: its bits are those that it has without the pyramid. One that touches the pyramid takes part in each
 * pass, and its tier has one partition. */
static void test_articulations_are_not_cut(void **state)
{
    (void)state;
    for (int touching = 0; touching < 2; ++touching) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 3; threads += 2) {
            dry_world_def def = def_of(threads, DRY_ISA_AUTO);
            def.settings.substeps_min = 1; /* the tier of what joints alone hold */
            def.settings.gravity = v3(0, 0, 0);
            dry_body_id link[HUNG], single[HUNG];
            dry_world *world = make_world(&def), *alone = world_from(&def);
            add_hung_chain(world, touching, link);
            add_hung_chain(alone, touching, single);
            run_steps(world, 1, TEST_DT);
            run_steps(alone, 1, TEST_DT);
            assert_int_equal(dry_world_statistics(world).articulations.joints, HUNG);
            check(touching ? check_layout(world) == 1 : check_layout(world) >= 32);
            int lowest = INT_MAX, highest = 0, moved = 0;
            for (int i = 0; i < HUNG; ++i) {
                const dry_pose pose = pose_of(world, link[i]), expected = pose_of(alone, single[i]);
                const int slot = dry_slots_find(&world->bodies.slots, link[i].bits);
                const int slab =
                    touching ? 0 : world->solver.plan.slabs.slab[dry_bodies_row(&world->bodies, slot)];
                lowest = dry_min_int(lowest, slab);
                highest = dry_max_int(highest, slab);
                moved += memcmp(&pose, &expected, sizeof pose) != 0;
            }
            /* Else the chain would show nothing. */
            assert_true(touching || highest - lowest > 8);
            assert_true(touching ? moved > 0 : moved == 0);
            hash = threads > 1 ? hash : dry_world_hash(world);
            assert_true(dry_world_hash(world) == hash);
            dry_world_destroy(world);
            dry_world_destroy(alone);
        }
    }
}

enum { HEAPS = 60, HEAP_BASE = 9 };

/* Pyramids apart from each other, `count` of them from the one numbered `first`, then beside each two cubes
 * that fall in touch. */
static void add_heaps(dry_world *world, int first, int count)
{
    for (int heap = first; heap < first + count; ++heap)
        for (int level = 0; level < HEAP_BASE; ++level)
            for (int i = 0; i < HEAP_BASE - level; ++i)
                add_dynamic(world,
                            pose_at(20 * (heap % 10) + 0.999 * i + 0.5 * level, 0.499 + 0.999 * level,
                                    5 * (heap / 10) + 0.003 * ((heap + i) % 4)),
                            box_shape(0.5, 0.5, 0.5));
    for (int heap = first; heap < first + count; ++heap)
        for (int i = 0; i < 2; ++i)
            add_dynamic(world, pose_at(20 * (heap % 10) - 3, 6 + 0.999 * i, 5 * (heap / 10) + 0.2 * i),
                        box_shape(0.5, 0.5, 0.5));
}

/* Joins four cubes of each heap. */
static void add_volumes_to_heaps(dry_world *world)
{
    enum { CUBES = HEAP_BASE * (HEAP_BASE + 1) / 2 };
    dry_body_id bodies[1 + HEAPS * CUBES]; /* from the floor on */
    (void)dry_world_get_bodies(world, bodies, COUNT_OF(bodies));
    for (int heap = 0; heap < HEAPS; ++heap) {
        const dry_body_id *cube = bodies + 1 + heap * CUBES;
        (void)add_volume(world, (const dry_body_id[]){cube[0], cube[1], cube[HEAP_BASE], cube[2]});
    }
}

/* Many heaps are swept in partitions of some, the partitions by one worker each: every heap moves as it does
 * alone, whether its constraints have colors or not. What floats does but for rounding, since its place is
 * measured from the first body's. */
static void test_islands_as_alone(void **state)
{
    (void)state;
    enum { BODIES = HEAP_BASE * (HEAP_BASE + 1) / 2 };
    static const int teams[] = {1, 2, 5, 1, 2}, colors_max[] = {0, 0, 0, 2, 2};
    uint64_t hash = 0;
    for (int t = 0; t < COUNT_OF(teams); ++t) {
        dry_world_def def = def_of(teams[t], DRY_ISA_AUTO);
        def.settings.substeps = 0;
        def.settings.method.colors_max = colors_max[t];
        dry_world *world = world_from(&def);
        add_floor(world, 0.6, 0.5);
        add_heaps(world, 0, HEAPS);
        run_steps(world, 20, TEST_DT);
        check(check_layout(world) > 1);
        hash = t && colors_max[t] == colors_max[t - 1] ? hash : dry_world_hash(world);
        assert_true(dry_world_hash(world) == hash);
        for (int heap = 0; heap < HEAPS; heap += 7) {
            dry_world_def one = def_of(1, DRY_ISA_AUTO);
            one.settings = def.settings;
            dry_world *alone = world_from(&one);
            add_floor(alone, 0.6, 0.5);
            add_heaps(alone, heap, 1);
            run_steps(alone, 20, TEST_DT);
            check(check_layout(alone) == 1);
            for (int i = 0; i < BODIES; ++i) {
                const dry_bodies *a = &world->bodies, *b = &alone->bodies;
                int in_all = a->slots.slots[1 + heap * BODIES + i].row, by_itself = b->slots.slots[1 + i].row;
                assert_memory_equal(&a->pose[in_all], &b->pose[by_itself], sizeof *a->pose);
                assert_memory_equal(&a->velocity[in_all], &b->velocity[by_itself], sizeof *a->velocity);
            }
            dry_world_destroy(alone);
        }
        dry_world_destroy(world);
    }
}

/* The layout of every setting that changes what is assigned, or how it is swept; heaps with a volume joint
 * and a cube that may not turn, on a floor that moves. */
static void test_islands_in_any_setting(void **state)
{
    (void)state;
    for (int variant = 0; variant < 7; ++variant) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 5; threads += test_pick(2, 4)) {
            dry_world_def def = def_of(threads, DRY_ISA_AUTO);
            def.settings.substeps = variant == 0 ? 32 : 2;
            def.settings.method.colors_max = variant == 1 ? 2 : 0;
            def.settings.relax_sweeps = variant == 2 ? 0 : 1;
            def.settings.warm_start = variant != 3;
            def.settings.method.solver = variant == 4 ? DRY_SOLVER_JACOBI : DRY_SOLVER_GAUSS_SEIDEL;
            def.settings.method.friction = variant == 5   ? DRY_FRICTION_TWO_PHASE
                                           : variant == 6 ? DRY_FRICTION_VELOCITY
                                                          : DRY_FRICTION_CONE;
            def.settings.contact_stiffness = variant == 6 ? 1e8f : 0;
            dry_world *world = world_from(&def);
            dry_body_id floor =
                add_body(world, DRY_BODY_KINEMATIC, pose_at(90, -0.5, 15), box_shape(150, 0.5, 50));
            set_velocity(world, floor, (d3){0.3, 0, 0}, (d3){0, 0, 0});
            add_heaps(world, 0, HEAPS);
            add_volumes_to_heaps(world);
            dry_shape_def cube = box_shape(0.5, 0.5, 0.5);
            dry_body_def locked = body_def(DRY_BODY_DYNAMIC, pose_at(-8, 0.499, 0), &cube);
            locked.locks = DRY_LOCK_ANGULAR_Y;
            add_def(world, &locked);
            run_steps(world, 5, TEST_DT);
            check(variant == 4 ? check_layout(world) == 1 : check_layout(world) > 1);
            hash = threads > 1 ? hash : dry_world_hash(world);
            assert_true(dry_world_hash(world) == hash);
            dry_world_destroy(world);
        }
    }
}

/* A step that could not be assigned anew for another solver leaves nothing of it behind. */
static void test_another_solver_without_memory(void **state)
{
    (void)state;
    uint64_t expected = 0;
    bool refused = true;
    for (int fail_at = -1; refused || fail_at == 0; ++fail_at) {
        counting_allocator counter = {.fail_at = -1};
        dry_world_def def = def_of(1, DRY_ISA_AUTO);
        def.allocator = counting_hooks(&counter);
        def.settings.method.solver = DRY_SOLVER_JACOBI;
        dry_world *world = world_from(&def);
        add_floor(world, 0.6, 0);
        add_heaps(world, 0, 12);
        run_steps(world, 2, TEST_DT);
        dry_settings settings = def.settings;
        settings.method.solver = DRY_SOLVER_GAUSS_SEIDEL;
        assert_ok(dry_world_set_settings(world, &settings));
        refused = false;
        if (fail_at >= 0) {
            counter.fail_at = (int64_t)counter.calls + fail_at;
            refused = dry_world_step(world, 0) != DRY_OK;
            counter.fail_at = -1;
        }
        settings.method.solver = DRY_SOLVER_JACOBI;
        assert_ok(dry_world_set_settings(world, &settings));
        for (int step = 0; step < 3; ++step) {
            run_steps(world, 1, TEST_DT);
            check(check_layout(world) == 1);
        }
        expected = fail_at < 0 ? dry_world_hash(world) : expected;
        assert_true(dry_world_hash(world) == expected);
        dry_world_destroy(world);
        assert_int_equal(counter.bytes, 0);
        refused = refused || fail_at < 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_team_and_level),
        cmocka_unit_test(test_wavefronts_are_as_one_by_one),
        cmocka_unit_test(test_a_body_across_all),
        cmocka_unit_test(test_another_solver),
        cmocka_unit_test(test_bounces_in_slabs),
        cmocka_unit_test(test_islands_as_alone),
        cmocka_unit_test(test_islands_in_any_setting),
        cmocka_unit_test(test_another_solver_without_memory),
        cmocka_unit_test(test_volumes_across_slabs),
        cmocka_unit_test(test_a_volume_across_all),
        cmocka_unit_test(test_articulations_are_not_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
