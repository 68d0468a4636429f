/* Bytes of hulls from outside: the saved ones pass, and changed ones do not unless the hull stays sound. */
#include "geometry/hull_build.h"
#include "tests/blocks.h"
#include "tests/geometry/hull_clouds.h"

/* A copy of a block in memory of its exact size, so that a sanitizer sees reads beyond it. */
static void *copy_of(const void *bytes, size_t size)
{
    const size_t room = (size + DRY_HULL_ALIGNMENT - 1) / DRY_HULL_ALIGNMENT * DRY_HULL_ALIGNMENT;
    char *copy = aligned_alloc(DRY_HULL_ALIGNMENT, room + (room == 0) * DRY_HULL_ALIGNMENT);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

static dry_hull *draw_hull(int n, int max_vertices)
{
    static cloud c;
    dry_hull *hull = NULL;
    cloud_draw(&c, n);
    const dry_result result = dry_hull_build(c.at, c.count, max_vertices, NULL, &hull, NULL);
    assert_true(result == DRY_OK || max_vertices > 0);
    return hull;
}

/* What must hold of accepted bytes: indices in range, twins, loops, Euler; no vertex outside of a face. */
static void assert_usable(const dry_hull *hull)
{
    int corners = 0;
    assert_int_equal(hull->vertex_count - hull->half_edge_count / 2 + hull->face_count, 2);
    for (int face = 0; face < hull->face_count; face++) {
        const d3 n = d3_of(dry_hull_normal(hull, face));
        const float *c = hull->measures.center;
        int h = dry_hull_firsts(hull)[face];
        do {
            assert_true(h < hull->half_edge_count && dry_hull_origins(hull)[h] < hull->vertex_count);
            assert_int_equal(dry_hull_faces(hull)[h], face);
            assert_int_equal(dry_hull_origins(hull)[dry_hull_nexts(hull)[h]], dry_hull_origins(hull)[h ^ 1]);
            h = dry_hull_nexts(hull)[h];
            assert_true(++corners <= hull->half_edge_count);
        } while (h != dry_hull_firsts(hull)[face]);
        for (int v = 0; v < hull->vertex_count; v++) {
            const d3 p = d3_sub(d3_of(dry_hull_vertex(hull, v)), (d3){c[0], c[1], c[2]});
            assert_true(d3_dot(n, p) <= dry_hull_offset(hull, face));
        }
    }
    assert_int_equal(corners, hull->half_edge_count);
}

static void test_saved(void **state)
{
    (void)state;
    for (int n = 0; n < 10 * COUNT_OF(cloud_kinds); n++) {
        dry_hull *hull = draw_hull(n, 0);
        void *copy = copy_of(hull, hull->bytes);
        assert_true(dry_hull_check(copy, hull->bytes));
        assert_usable(copy);
        free(copy);
        release_hull(hull, NULL);
    }
}

/* Every length but the right one is refused. */
static void test_cut_short(void **state)
{
    (void)state;
    for (int n = 0; n < COUNT_OF(cloud_kinds); n++) {
        dry_hull *hull = draw_hull(n, 8);
        for (size_t size = 0; hull && size < hull->bytes; size++) {
            void *copy = copy_of(hull, size);
            assert_false(dry_hull_check(copy, size));
            free(copy);
        }
        if (hull) {
            assert_false(dry_hull_check(hull, hull->bytes + DRY_HULL_ALIGNMENT));
            assert_false(dry_hull_check((const char *)hull + 1, hull->bytes - 1));
        }
        release_hull(hull, NULL);
    }
    assert_false(dry_hull_check(NULL, 4096));
}

/* Changes each byte in several ways. All but vertices and normals follow from the rest: there no change
 * passes. The last bits of those may be others: of a coordinate of 1e-40 m, say. */
static void test_changed_bytes(void **state)
{
    (void)state;
    uint64_t seed = 9;
    int accepted = 0;
    for (int n = 0; n < test_pick(2, 1) * COUNT_OF(cloud_kinds); n++) {
        dry_hull *hull = draw_hull(n, 12);
        if (!hull)
            continue;
        char *copy = copy_of(hull, hull->bytes);
        const size_t normals_end = hull->planes_at + 3 * hull->face_room * sizeof(float);
        for (size_t i = 0; i < hull->bytes; i++)
            for (int way = 0; way < 3; way++) {
                const char before = copy[i];
                copy[i] = (char)(way == 0 ? before ^ 1 : way == 1 ? before ^ 0x80 : (int)random_bits(&seed));
                if (copy[i] != before && dry_hull_check(copy, hull->bytes)) {
                    accepted++;
                    if (!(i >= hull->vertices_at && i < normals_end))
                        fail_msg("byte %zu of %u may change", i, hull->bytes);
                    assert_usable((const dry_hull *)(const void *)copy);
                }
                copy[i] = before;
            }
        free(copy);
        release_hull(hull, NULL);
    }
    print_message("%d changes of numbers are as good\n", accepted);
}

/* Many changes at once. */
static void test_shuffled_bytes(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int n = 0; n < test_pick(20000, 2000); n++) {
        dry_hull *hull = draw_hull(4 + 19 * (n % 7), 12);
        char *copy = copy_of(hull, hull->bytes);
        const size_t begin = random_below(&seed, 2) ? hull->origin_at : 0;
        for (int k = random_below(&seed, 6); k >= 0; k--) {
            const size_t i = begin + random_bits(&seed) % (hull->bytes - begin);
            const size_t j = begin + random_bits(&seed) % (hull->bytes - begin);
            copy[i] = random_below(&seed, 2) ? copy[j] : (char)random_bits(&seed);
        }
        if (dry_hull_check(copy, hull->bytes))
            assert_usable((const dry_hull *)(const void *)copy);
        free(copy);
        release_hull(hull, NULL);
    }
}

/* A hull whose topology is turned inside out, with all that follows from it computed anew, is none. */
static void test_inside_out(void **state)
{
    (void)state;
    for (int n = 0; n < COUNT_OF(cloud_kinds); n++) {
        dry_hull *hull = draw_hull(n, 0);
        dry_hull *copy = copy_of(hull, hull->bytes);
        float *planes = (float *)(void *)((char *)copy + copy->planes_at);
        uint8_t *origin = (uint8_t *)copy + copy->origin_at;
        uint16_t *next = (uint16_t *)(void *)((char *)copy + copy->next_at);
        for (int h = 0; h < hull->half_edge_count; h++) {
            next[dry_hull_nexts(hull)[h]] = (uint16_t)h;
            origin[h] = dry_hull_origins(hull)[h ^ 1];
        }
        for (int i = 0; i < 3 * hull->face_room; i++)
            planes[i] = 0.0f - planes[i];
        dry_hull_measure(copy, &copy->measures);
        for (int face = 0; face < hull->face_room; face++)
            planes[3 * hull->face_room + face] =
                dry_hull_least_offset(copy, face < hull->face_count ? face : 0);
        assert_false(dry_hull_check(copy, copy->bytes));
        free(copy);
        release_hull(hull, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saved),         cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_changed_bytes), cmocka_unit_test(test_shuffled_bytes),
        cmocka_unit_test(test_inside_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
