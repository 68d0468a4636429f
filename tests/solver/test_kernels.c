/* Every kernel at every instruction set gives the scalar kernel's bits: on plausible, extreme and random
 * data, on every range of bundles, with every number of lanes in use. And what kernels must leave alone.
 *
 * The results of the kernels are compared with the equations in test_kernel_prepare.c, test_kernel_contacts.c
 * and test_kernel_joints.c. */
#include "core/quat_pack.h"
#include "tests/solver/kernel_random.h"

#include "narrowphase/manifold_motion.h"
#include "narrowphase/pairs/kernel_list.h"
#include "narrowphase/piece.h"
#include "solver/bodies/kernel_list.h"

#include <inttypes.h>

static const dataset datasets[] = {
    {0.0, false, false}, {0.01, false, false}, {0.05, false, false}, {0.3, false, false},
    {1.0, false, false}, {0.01, true, false},  {0.3, true, false},   {0.0, false, true},
};

static const char *dataset_name(const dataset *set)
{
    static char name[64];
    snprintf(name, sizeof name, set->any_bits ? "random bits" : "%g%% extreme%s", 100 * set->extreme,
             set->not_numbers ? " or not finite" : "");
    return name;
}

/* Finds the levels beside scalar that this processor has. */
static int other_levels(dry_level levels[DRY_LEVEL_COUNT])
{
    int count = 0;
    for (int level = DRY_LEVEL_SCALAR + 1; level < DRY_LEVEL_COUNT; level++)
        if (dry_isa_available(dry_level_isa((dry_level)level)))
            levels[count++] = (dry_level)level;
    return count;
}

/* One word in this many must be a number after a kernel, or the comparison would be of NaN with NaN. */
static int64_t words, numbers;

static void count_numbers(const kernel_data *data)
{
    for (int b = 0; b < DATA_BUNDLES; b++)
        for (int i = 0; i < 4 * DRY_BUNDLE; i++) {
            words++;
            numbers += isfinite(data->contact[b].impulse[i / DRY_BUNDLE][i % DRY_BUNDLE]) != 0;
        }
}

static void check_range(const kernel_data *start, const dataset *set, uint64_t seed, int begin, int end)
{
    static kernel_data expected, found;
    dry_level levels[DRY_LEVEL_COUNT];
    int count = other_levels(levels);
    for (int k = 0; k < COUNT_OF(all_kernels); k++) {
        expected = *start;
        kernel_run(&all_kernels[k], DRY_LEVEL_SCALAR, &expected, begin, end);
        if (strcmp(all_kernels[k].name, "contact_solve_cone") == 0)
            count_numbers(&expected);
        for (int i = 0; i < count; i++) {
            found = *start;
            kernel_run(&all_kernels[k], levels[i], &found, begin, end);
            if (data_all_same(&expected, &found))
                continue;
            print_error("%s at %s is not what it is at scalar: bundles [%d, %d), %s, seed %" PRIu64 "\n",
                        all_kernels[k].name, dry_isa_name(dry_level_isa(levels[i])), begin, end,
                        dataset_name(set), seed);
            fail();
        }
    }
}

static void test_every_level_gives_the_scalar_bits(void **state)
{
    (void)state;
    static kernel_data start;
    words = numbers = 0;
    for (int s = 0; s < COUNT_OF(datasets); s++)
        for (int round = 0; round < test_pick(40, 6); round++) {
            uint64_t seed = 1000003u * (unsigned)(s + 1) + (unsigned)round, generator = seed;
            fill_data(&start, &generator, &datasets[s], DRY_BUNDLE);
            check_range(&start, &datasets[s], seed, 0, DATA_BUNDLES);
        }
    assert_true(numbers > words / 3);
}

static void test_every_range_and_tail(void **state)
{
    (void)state;
    static kernel_data start;
    for (int s = 0; s < COUNT_OF(datasets); s += test_pick(3, 6))
        for (int used = 0; used <= DRY_BUNDLE; used++) {
            uint64_t seed = 77000u + 100u * (unsigned)s + (unsigned)used, generator = seed;
            fill_data(&start, &generator, &datasets[s], used);
            check_range(&start, &datasets[s], seed, DATA_BUNDLES - 1, DATA_BUNDLES);
        }
    for (int begin = 0; begin <= DATA_BUNDLES; begin++)
        for (int end = begin; end <= DATA_BUNDLES; end++) {
            uint64_t seed = 5000u + 10u * (unsigned)begin + (unsigned)end, generator = seed;
            fill_data(&start, &generator, &datasets[2], 11);
            check_range(&start, &datasets[2], seed, begin, end);
        }
}

/* The rest is about the scalar kernels alone: the others are equal. */

/* Tells whether a kernel writes its bundles' part of an array. */
static bool kernel_writes(const kernel_entry *kernel, const char *name)
{
    static const char *const written[] = {
        [KERNEL_CONTACT] = "contact", [KERNEL_PREPARE] = "contact", [KERNEL_POINT] = "point",
        [KERNEL_LINE] = "line",       [KERNEL_BLOCK] = "block",     [KERNEL_AXES] = "axes",
        [KERNEL_QUAD] = "quad"};
    bool own = strcmp(name, written[kernel->kind]) == 0 && kernel->work != WORK_SLOPE;
    own |= (kernel->kind >= KERNEL_CONTACT && strcmp(name, "cold") == 0) ||
           (kernel->kind == KERNEL_CONTACT && (strcmp(name, "stiction") == 0 || strcmp(name, "past") == 0)) ||
           (kernel->kind == KERNEL_AXES && strcmp(name, "block") == 0) ||
           (kernel->kind == KERNEL_PREPARE && strcmp(name, "speeds") == 0);
    return own;
}

/* Bundles outside the range, bodies that no bundle of it names, row 0, and what the kernel only reads. */
static void test_nothing_else_is_written(void **state)
{
    (void)state;
    static kernel_data start, after;
    for (int k = 0; k < COUNT_OF(all_kernels); k++)
        for (int begin = 0; begin <= DATA_BUNDLES; begin++)
            for (int end = begin; end <= DATA_BUNDLES; end++) {
                const kernel_entry *kernel = &all_kernels[k];
                uint64_t seed = 31u + (unsigned)k;
                fill_data(&start, &seed, &datasets[0], 7);
                after = start;
                kernel_run(kernel, DRY_LEVEL_SCALAR, &after, begin, end);
                for (int a = 0; a < BUNDLE_ARRAYS; a++) {
                    const char *name = data_arrays[a].name;
                    const bool own = kernel_writes(kernel, name);
                    if (!data_same(&start, &after, name, 0, own ? begin : DATA_BUNDLES) ||
                        !data_same(&start, &after, name, own ? end : 0, DATA_BUNDLES))
                        fail_msg("%s of bundles [%d, %d) wrote this", kernel->name, begin, end);
                }
                const bool sweeps = kernel->work == WORK_SWEEP && kernel->kind != KERNEL_PREPARE;
                if (!data_same(&start, &after, kernel_is_summed(kernel) ? "rows" : "sums", 0, DATA_ROWS) ||
                    (!sweeps && !data_same(&start, &after, "rows", 0, DATA_ROWS)) ||
                    (kernel->work != WORK_SLOPE && !data_same(&start, &after, "frames", 0, DATA_ROWS)))
                    fail_msg("%s wrote this", kernel->name);
                const dry_solver_row *was = kernel_is_summed(kernel) ? start.sums : start.rows;
                const dry_solver_row *is = kernel_is_summed(kernel) ? after.sums : after.rows;
                bool named[DATA_ROWS] = {false};
                for (int b = begin; b < end; b++)
                    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
                        const int32_t *rows_a[] = {[KERNEL_CONTACT] = start.contact[b].row_a,
                                                   [KERNEL_PREPARE] = start.contact[b].row_a,
                                                   [KERNEL_POINT] = start.point[b].row_a,
                                                   [KERNEL_LINE] = start.line[b].row_a,
                                                   [KERNEL_BLOCK] = start.block[b].row_a,
                                                   [KERNEL_AXES] = start.axes[b].row_a,
                                                   [KERNEL_QUAD] = start.quad[b].side[0].row};
                        const int32_t *rows_b[] = {[KERNEL_CONTACT] = start.contact[b].row_b,
                                                   [KERNEL_PREPARE] = start.contact[b].row_b,
                                                   [KERNEL_POINT] = start.point[b].row_b,
                                                   [KERNEL_LINE] = start.line[b].row_b,
                                                   [KERNEL_BLOCK] = start.block[b].row_b,
                                                   [KERNEL_AXES] = start.axes[b].row_b,
                                                   [KERNEL_QUAD] = start.quad[b].side[1].row};
                        named[rows_a[kernel->kind][lane]] = named[rows_b[kernel->kind][lane]] = true;
                        for (int side = 2; side < DRY_QUAD_SIDES && kernel->kind == KERNEL_QUAD; side++)
                            named[start.quad[b].side[side].row[lane]] = true;
                    }
                for (int r = 0; r < DATA_ROWS; r++) {
                    if (r == 0 || !named[r])
                        assert_memory_equal(&was[r], &is[r], sizeof *is);
                    assert_memory_equal(was[r].dl, is[r].dl, sizeof *is - offsetof(dry_solver_row, dl));
                    if (r > 0 && !named[r])
                        assert_memory_equal(&start.frames[r - 1], &after.frames[r - 1], sizeof *start.frames);
                }
            }
}

/* Each kernel changes something, so that the tests above compare work with work. */
static void test_every_kernel_does_something(void **state)
{
    (void)state;
    static kernel_data start, after;
    for (int k = 0; k < COUNT_OF(all_kernels); k++) {
        uint64_t seed = 99;
        fill_data(&start, &seed, &datasets[0], DRY_BUNDLE);
        start.sweep.frictionless = false;      /* relaxing springs without friction does nothing */
        start.sweep.afresh = false;            /* nor does relaxing without impulses */
        for (int b = 0; b < DATA_BUNDLES; b++) /* impulses that do not fall are carried as they are */
            for (int lane = 0; lane < DRY_BUNDLE; lane++) {
                start.past[b].sustained[lane] = 0, start.past[b].fall[lane] = 0.5f;
                start.past[b].impulse[0][lane] = start.past[b].impulse[1][lane] = 100;
            }
        after = start;
        kernel_run(&all_kernels[k], DRY_LEVEL_SCALAR, &after, 0, DATA_BUNDLES);
        int changed = 0;
        const dry_solver_row *was = kernel_is_summed(&all_kernels[k]) ? start.sums : start.rows;
        const dry_solver_row *is = kernel_is_summed(&all_kernels[k]) ? after.sums : after.rows;
        for (int r = 1; r < DATA_ROWS; r++)
            changed += memcmp(&was[r], &is[r], sizeof *is) != 0;
        if (all_kernels[k].kind == KERNEL_PREPARE)
            changed = memcmp(start.contact, after.contact, sizeof start.contact) ? DATA_ROWS : 0;
        if (all_kernels[k].work == WORK_MAKE)
            changed =
                memcmp(start.point, after.point, offsetof(kernel_data, source) - offsetof(kernel_data, point))
                    ? DATA_ROWS
                    : 0;
        for (int r = 1; r < DATA_ROWS && all_kernels[k].work == WORK_SLOPE; r++)
            changed += memcmp(&start.frames[r], &after.frames[r], sizeof *start.frames) != 0;
        if (changed < DATA_ROWS / 2)
            fail_msg("%s changed %d of %d rows", all_kernels[k].name, changed, DATA_ROWS - 1);
    }
}

/* Sweeping bundles one call at a time is sweeping them in one call. */
static void test_ranges_compose(void **state)
{
    (void)state;
    static kernel_data whole, parts;
    for (int k = 0; k < COUNT_OF(all_kernels); k++) {
        uint64_t seed = 600u + (unsigned)k;
        fill_data(&whole, &seed, &datasets[1], 13);
        parts = whole;
        kernel_run(&all_kernels[k], DRY_LEVEL_SCALAR, &whole, 0, DATA_BUNDLES);
        for (int b = 0; b < DATA_BUNDLES; b++)
            kernel_run(&all_kernels[k], DRY_LEVEL_SCALAR, &parts, b, b + 1);
        if (!data_all_same(&whole, &parts))
            fail_msg("%s, bundle by bundle", all_kernels[k].name);
    }
}

/* A bundle is the same whether its cold block is made or not. */
static void test_preparing_without_a_record(void **state)
{
    (void)state;
    static kernel_data with, without;
    dry_level levels[DRY_LEVEL_COUNT];
    int count = other_levels(levels);
    levels[count++] = DRY_LEVEL_SCALAR;
    for (int i = 0; i < count; i++)
        for (uint64_t seed = 1; seed < 20; seed++) {
            uint64_t generator = seed;
            fill_data(&with, &generator, &datasets[0], 13);
            without = with;
            prepare_run(dry_contact_kernels_at(levels[i])->contact_prepare, &with, 0, DATA_BUNDLES, true);
            memcpy(without.cold, with.cold, sizeof with.cold);
            prepare_run(dry_contact_kernels_at(levels[i])->contact_prepare, &without, 0, DATA_BUNDLES, false);
            without.prepare = with.prepare;
            if (!data_all_same(&with, &without))
                fail_msg("%s, seed %d", dry_isa_name(dry_level_isa(levels[i])), (int)seed);
        }
}

/* A bundle that goes past the caches is the one that stays. */
static void test_streaming_copies_the_bundle(void **state)
{
    (void)state;
    static kernel_data start, kept, streamed;
    static _Alignas(64) dry_contact_bundle there;
    dry_level levels[DRY_LEVEL_COUNT];
    int count = other_levels(levels);
    levels[count++] = DRY_LEVEL_SCALAR;
    uint64_t seed = 99;
    fill_data(&start, &seed, &datasets[0], DRY_BUNDLE);
    for (int i = 0; i < count; i++) {
        kept = streamed = start;
        memset(&there, -1, sizeof there);
        prepare_run(dry_contact_kernels_at(levels[i])->contact_prepare, &kept, 0, 1, true);
        streamed.prepare.stream_to = &there;
        prepare_run(dry_contact_kernels_at(levels[i])->contact_prepare, &streamed, 0, 1, true);
        assert_memory_equal(&there, &kept.contact[0], sizeof there);
        assert_memory_equal(&streamed.contact[0], &kept.contact[0], sizeof there);
    }
}

static void swap_words(void *element, const array *all, int lane_a, int lane_b)
{
    for (int f = 0; f < all->field_count; f++) {
        const field *one = &all->fields[f];
        for (size_t at = 0; at + sizeof(dry_lanes) <= one->bytes; at += sizeof(dry_lanes)) {
            uint32_t lanes[DRY_BUNDLE];
            if (strcmp(one->name, "padding") == 0)
                continue;
            memcpy(lanes, (char *)element + one->offset + at, sizeof lanes);
            uint32_t swapped = lanes[lane_a];
            lanes[lane_a] = lanes[lane_b];
            lanes[lane_b] = swapped;
            memcpy((char *)element + one->offset + at, lanes, sizeof lanes);
        }
    }
}

/* The lane of a constraint does not change its result: lanes exchanged before are lanes exchanged
 * after, at every level. */
static void test_a_lane_is_like_any_other(void **state)
{
    (void)state;
    static kernel_data straight, exchanged;
    dry_level levels[DRY_LEVEL_COUNT];
    int count = other_levels(levels);
    levels[count++] = DRY_LEVEL_SCALAR;
    for (int l = 0; l < count; l++)
        for (int k = 0; k < COUNT_OF(all_kernels); k++) {
            uint64_t seed = 4242u + (unsigned)k;
            fill_data(&straight, &seed, &datasets[1], 14);
            /* An empty lane may come to lie anywhere. */
            straight.headers[DATA_BUNDLES - 1].lanes = DRY_BUNDLE;
            straight.point[DATA_BUNDLES - 1].lanes = straight.line[DATA_BUNDLES - 1].lanes = DRY_BUNDLE;
            straight.block[DATA_BUNDLES - 1].lanes = straight.axes[DATA_BUNDLES - 1].lanes = DRY_BUNDLE;
            for (int b = 0; b < DATA_BUNDLES; b++)
                straight.quad[b].lanes = DRY_BUNDLE;
            exchanged = straight;
            int swaps[DATA_BUNDLES][8][2];
            for (int pass = 0; pass < 2; pass++) {
                for (int b = 0; b < DATA_BUNDLES; b++)
                    for (int i = 0; i < 8; i++)
                        for (int a = 0; a < BUNDLE_ARRAYS; a++) {
                            int *pair = swaps[b][pass ? 7 - i : i];
                            if (pass == 0 && a == 0)
                                pair[0] = random_below(&seed, DRY_BUNDLE),
                                pair[1] = random_below(&seed, DRY_BUNDLE);
                            char *element = (char *)&exchanged + data_arrays[a].offset;
                            swap_words(element + (size_t)b * data_arrays[a].element_bytes, &data_arrays[a],
                                       pair[0], pair[1]);
                        }
                if (pass == 0) {
                    kernel_run(&all_kernels[k], levels[l], &straight, 0, DATA_BUNDLES);
                    kernel_run(&all_kernels[k], levels[l], &exchanged, 0, DATA_BUNDLES);
                }
            }
            if (!data_all_same(&straight, &exchanged))
                fail_msg("%s at %s with lanes exchanged", all_kernels[k].name,
                         dry_isa_name(dry_level_isa(levels[l])));
        }
}

static void test_empty_lanes_stay_empty(void **state)
{
    (void)state;
    static kernel_data start, after;
    for (int k = 0; k < COUNT_OF(all_kernels); k++)
        for (int flags = 0;
             flags < 4 && all_kernels[k].kind != KERNEL_PREPARE && all_kernels[k].work != WORK_MAKE;
             flags++) {
            uint64_t seed = 7u + (unsigned)k;
            fill_data(&start, &seed, &datasets[0], 0);
            start.cold[DATA_BUNDLES - 1].flags = flags & ~DRY_BUNDLE_IMPACT;
            start.headers[DATA_BUNDLES - 1].impact = flags & DRY_BUNDLE_IMPACT ? DATA_BUNDLES - 1 : 0;
            after = start;
            kernel_run(&all_kernels[k], DRY_LEVEL_SCALAR, &after, DATA_BUNDLES - 1, DATA_BUNDLES);
            /* Zero, whatever its sign. */
            for (int a = 0; a < RANDOM_ARRAYS; a++)
                for (size_t at = 0; at < data_arrays[a].element_bytes; at += 4) {
                    size_t word =
                        data_arrays[a].offset + (DATA_BUNDLES - 1) * data_arrays[a].element_bytes + at;
                    uint32_t was, is;
                    memcpy(&was, (char *)&start + word, 4);
                    memcpy(&is, (char *)&after + word, 4);
                    if (was != is && !(was == 0 && is == 0x80000000u))
                        fail_msg("%s left %08x in an empty lane", all_kernels[k].name, is);
                }
            assert_memory_equal(start.rows, after.rows, sizeof start.rows);
            assert_memory_equal(start.sums, after.sums, sizeof start.sums);
        }
}

/* Rows that are made in empty lanes move nothing: between lanes in use there may be some. */
static void test_rows_of_empty_lanes_move_nothing(void **state)
{
    (void)state;
    static kernel_data start, after;
    for (int m = 0; m < COUNT_OF(all_kernels); m++)
        for (int k = 0; k < COUNT_OF(all_kernels) && all_kernels[m].work == WORK_MAKE; k++) {
            if (all_kernels[k].kind != all_kernels[m].kind || all_kernels[k].work == WORK_MAKE)
                continue;
            uint64_t seed = 70u + (unsigned)k;
            fill_data(&start, &seed, &datasets[0], 0);
            start.point[DATA_BUNDLES - 1].lanes = start.line[DATA_BUNDLES - 1].lanes = DRY_BUNDLE;
            start.block[DATA_BUNDLES - 1].lanes = start.axes[DATA_BUNDLES - 1].lanes = DRY_BUNDLE;
            kernel_run(&all_kernels[m], DRY_LEVEL_SCALAR, &start, DATA_BUNDLES - 1, DATA_BUNDLES);
            after = start;
            kernel_run(&all_kernels[k], DRY_LEVEL_SCALAR, &after, DATA_BUNDLES - 1, DATA_BUNDLES);
            if (!data_all_same(&start, &after))
                fail_msg("%s after %s", all_kernels[k].name, all_kernels[m].name);
        }
}

/* The fields above are the structures' own, without holes, and the tables are whole. */
static void test_lists_are_complete(void **state)
{
    (void)state;
    for (int a = 0; a < COUNT_OF(data_arrays); a++) {
        size_t at = 0;
        for (int f = 0; f < data_arrays[a].field_count; f++) {
            assert_int_equal(data_arrays[a].fields[f].offset, at);
            at += data_arrays[a].fields[f].bytes;
        }
        /* Lanes stay aligned in arrays: nothing else follows the last field. */
        const size_t unit = data_arrays[a].fields[0].kind == FIELD_DOUBLE ? sizeof(double) : 64;
        const size_t lines = (at + unit - 1) / unit * unit;
        assert_true(data_arrays[a].element_bytes == at || data_arrays[a].element_bytes == lines);
    }
    for (int i = 0; i < DRY_LEVEL_COUNT; i++) {
        const dry_level level = (dry_level)i;
        /* Each level has kernels of its own; test_kernel_bodies.c and test_collide_boxes.c run the others. */
#define X(name) assert_true(dry_body_kernels_at(level)->name != NULL);
        DRY_BODY_KERNELS(X)
#undef X
#define X(name, result, parameters) assert_true(dry_pair_kernels_at(level)->name != NULL);
        DRY_PAIR_KERNELS(X)
#undef X
        for (int k = 0; k < COUNT_OF(all_kernels); k++) {
            dry_sweep_kernel *kernel, *other;
            memcpy(&kernel, kernel_at(&all_kernels[k], level), sizeof kernel);
            assert_true(kernel != NULL);
            for (int e = 0; e < k; e++) {
                memcpy(&other, kernel_at(&all_kernels[e], level), sizeof other);
                assert_true(kernel != other || kernel_is_summed(&all_kernels[k]));
            }
        }
    }
}

/* Sets what a contact's kernel finds, contact by contact: b's motion in a's frame, and a's rotation. */
static void expect_motion(const dry_motion_source *source, int lane, dry_manifold_motion *expected)
{
    const dry_manifold *m = source->manifold[lane];
    const dry_body_pose *a = source->a[lane];
    const dry_relative_pose r = dry_relative_pose_of(a, source->b[lane]);
    const float up = 1099511627776.0f;
    const dry_quat old = m->built_orientation, built = dry_quat_unpack(m->built), now = a->orientation;
    const dry_quat rotation =
        quat_mul((dry_quat){-up * old.x, -up * old.y, -up * old.z, up * old.w}, r.orientation);
    const float half_sine = vec3_length(vec3(rotation.x, rotation.y, rotation.z));
    const dry_vec3 moved =
        vec3((float)(r.position.x - m->built_position[0]), (float)(r.position.y - m->built_position[1]),
             (float)(r.position.z - m->built_position[2]));
    expected->distance[lane] = vec3_length(moved) + 2.0f / up * half_sine * dry_manifold_radius_b(m);
    expected->half_sine[lane] = 1.0f / up * half_sine;
    expected->cosine[lane] = built.x * now.x + built.y * now.y + built.z * now.z + built.w * now.w;
}

/* Contacts near and far, turned by anything from nothing to a half turn, with every largest component. */
static void test_motions_of_manifolds(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int round = 0; round < 300; round++) {
        dry_manifold manifold[DRY_MOTIONS] = {{.radius_b = 0}};
        dry_body_pose a[DRY_MOTIONS], b[DRY_MOTIONS];
        dry_motion_source source;
        dry_manifold_motion expected = {.distance = {0.0f}};
        for (int i = 0; i < DRY_MOTIONS; i++) {
            dry_manifold *m = &manifold[i];
            const double far = round % 3 == 0 ? 1e6 : 1.0, near = round % 5 == 0 ? 0.0 : 1e-3;
            const d3 at = random_d3(&seed, far), other = random_d3(&seed, 1);
            a[i] = (dry_body_pose){{at.x, at.y, at.z}, random_quat(&seed)};
            b[i] = (dry_body_pose){{at.x + other.x, at.y + other.y, at.z + other.z}, random_quat(&seed)};
            const dry_relative_pose r = dry_relative_pose_of(&a[i], &b[i]);
            for (int k = 0; k < 3; k++) {
                m->built_position[k] = double3_get(r.position, k) + random_in(&seed, -near, near);
                m->built[k] = (uint16_t)random_below(&seed, 1 << 16);
                m->feature[k] = (uint16_t)random_below(&seed, 1 << 16);
            }
            m->built_orientation = round % 7 == 0 ? random_quat(&seed) : r.orientation;
            m->radius_b = dry_radius_pack((float)random_in(&seed, 0, 10));
            source.manifold[i] = m;
            source.a[i] = &a[i], source.b[i] = &b[i];
        }
        for (int i = 0; i < DRY_MOTIONS; i++)
            expect_motion(&source, i, &expected);
        for (int l = 0; l < DRY_LEVEL_COUNT; l++) {
            dry_manifold_motion found = {.distance = {0.0f}};
            if (!dry_isa_available(dry_level_isa((dry_level)l)))
                continue;
            dry_pair_kernels_at((dry_level)l)->manifold_motions(&source, DRY_MOTIONS, &found);
            assert_memory_equal(&found, &expected, sizeof found);
        }
    }
}

/* Every instruction set that is available has a level. */
static void test_levels_of_instruction_sets(void **state)
{
    (void)state;
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; isa++) {
        dry_level level;
        assert_int_equal(dry_level_find((dry_isa)isa, &level), dry_isa_available((dry_isa)isa));
        if (!dry_isa_available((dry_isa)isa))
            continue;
        assert_int_equal(dry_level_isa(level), isa);
        for (int lanes = 1; lanes <= DRY_BUNDLE; lanes++)
            assert_true(dry_level_narrowed(level, lanes) <= level);
        assert_int_equal(dry_level_narrowed(level, DRY_BUNDLE), level);
        assert_true(dry_level_rare(level) <= level);
        assert_int_equal(dry_level_rare(dry_level_rare(level)), dry_level_rare(level));
        assert_true(dry_level_seldom(level) <= level && dry_level_seldom(level) >= dry_level_rare(level));
        assert_int_equal(dry_level_seldom(dry_level_seldom(level)), dry_level_seldom(level));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_are_complete),
        cmocka_unit_test(test_levels_of_instruction_sets),
        cmocka_unit_test(test_motions_of_manifolds),
        cmocka_unit_test(test_every_kernel_does_something),
        cmocka_unit_test(test_nothing_else_is_written),
        cmocka_unit_test(test_every_level_gives_the_scalar_bits),
        cmocka_unit_test(test_every_range_and_tail),
        cmocka_unit_test(test_ranges_compose),
        cmocka_unit_test(test_preparing_without_a_record),
        cmocka_unit_test(test_streaming_copies_the_bundle),
        cmocka_unit_test(test_a_lane_is_like_any_other),
        cmocka_unit_test(test_empty_lanes_stay_empty),
        cmocka_unit_test(test_rows_of_empty_lanes_move_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
