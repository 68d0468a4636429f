/* Hulls beside those of qhull, where it is installed: the library is not linked to it. */
#include "geometry/hull_build.h"
#include "tests/blocks.h"
#include "tests/geometry/hull_clouds.h"

#ifdef HAVE_QHULL

#include <libqhull_r/qhull_ra.h>

/* qhull's hull of a cloud: its vertices, volume and area. */
typedef struct other_hull {
    int vertices;
    double volume, area;
    bool is_vertex[CLOUD_MOST];
} other_hull;

static void ask_qhull(const cloud *c, other_hull *other)
{
    static coordT at[3 * CLOUD_MOST];
    for (int i = 0; i < c->count; i++) {
        at[3 * i] = c->at[i].x;
        at[3 * i + 1] = c->at[i].y;
        at[3 * i + 2] = c->at[i].z;
    }
    qhT context, *qh = &context;
    memset(other, 0, sizeof *other);
    QHULL_LIB_CHECK
    qh_zero(qh, stderr);
    char options[] = "qhull FA Pp";
    assert_int_equal(qh_new_qhull(qh, 3, c->count, at, False, options, NULL, stderr), 0);
    qh_getarea(qh, qh->facet_list);
    other->volume = qh->totvol;
    other->area = qh->totarea;
    vertexT *vertex;
    FORALLvertices
    {
        const int id = qh_pointid(qh, vertex->point);
        other->vertices++;
        other->is_vertex[id] = true;
    }
    int long_blocks, long_bytes;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &long_blocks, &long_bytes);
}

static double area_of(const dry_hull *hull)
{
    double area = 0;
    for (int face = 0; face < hull->face_count; face++) {
        const int first = dry_hull_firsts(hull)[face];
        const d3 from = d3_of(dry_hull_vertex(hull, dry_hull_origins(hull)[first]));
        d3 sum = {0, 0, 0};
        for (int h = dry_hull_nexts(hull)[first]; dry_hull_nexts(hull)[h] != first;
             h = dry_hull_nexts(hull)[h]) {
            const d3 b = d3_of(dry_hull_vertex(hull, dry_hull_origins(hull)[h]));
            const d3 d = d3_of(dry_hull_vertex(hull, dry_hull_origins(hull)[dry_hull_nexts(hull)[h]]));
            sum = d3_add(sum, d3_cross(d3_sub(b, from), d3_sub(d, from)));
        }
        area += 0.5 * d3_length(sum);
    }
    return area;
}

/* Tells whether a vertex of the hull has the place of a point. */
static bool has_vertex_at(const dry_hull *hull, dry_vec3 p)
{
    for (int v = 0; v < hull->vertex_count; v++) {
        const dry_vec3 q = dry_hull_vertex(hull, v);
        if (p.x == q.x && p.y == q.y && p.z == q.z)
            return true;
    }
    return false;
}

/* Clouds in general position have the same vertices; all have the same volume and area within the tolerance.
 */
static void test_qhull(void **state)
{
    (void)state;
    static cloud c;
    static other_hull other;
    int same = 0, compared = 0;
    for (int n = 0; n < test_pick(40, 10) * COUNT_OF(cloud_kinds); n++) {
        cloud_draw(&c, 20000 + n);
        dry_hull *hull = NULL;
        dry_hull_report report;
        if (strcmp(c.name, "slab") == 0)
            continue; /* qhull measures all axes by one size */
        assert_ok(dry_hull_build(c.at, c.count, 0, NULL, &hull, &report));
        const double size = cloud_size(&c), area = area_of(hull);
        ask_qhull(&c, &other);
        if (report.cut_m <= 1e-5 * size && report.flat_m == 0) {
            assert_near(area, other.area, 4e-5 * size * size);
            assert_near(hull->measures.solid.volume, other.volume, 1e-5 * size * other.area);
        }
        const bool general = (strcmp(c.name, "sphere") == 0 || strcmp(c.name, "ball") == 0 ||
                              strcmp(c.name, "bell") == 0 || strcmp(c.name, "few") == 0) &&
                             report.flat_m == 0;
        if (general && other.vertices <= DRY_HULL_VERTICES_MAX) {
            compared++;
            same += hull->vertex_count == other.vertices;
            int missing = 0;
            for (int i = 0; i < c.count; i++)
                missing += other.is_vertex[i] && !has_vertex_at(hull, c.at[i]);
            /* A point that hardly stands out is left out here. */
            assert_at_most(missing, 1);
        }
        release_hull(hull, NULL);
    }
    print_message("%d of %d hulls have the vertices of qhull's\n", same, compared);
    assert_true(same >= compared - compared / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_qhull)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

/* Says by its exit status that the test is skipped. */
int main(void)
{
    print_message("qhull is not installed\n");
    return 77;
}

#endif
