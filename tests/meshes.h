/* Meshes for tests: surfaces that grow triangle by triangle, and shapes made of them. */
#ifndef TESTS_MESHES_H
#define TESTS_MESHES_H

#include "geometry/mesh_tree.h"
#include "tests/triangle_oracles.h"

typedef struct surface {
    dry_vec3 *vertex;
    int32_t *corner;
    int vertices, triangles, vertices_max, triangles_max;
} surface;

static inline int surface_vertex(surface *s, d3 at)
{
    if (s->vertices == s->vertices_max) {
        s->vertices_max = 2 * s->vertices_max + 64;
        s->vertex = realloc(s->vertex, (size_t)s->vertices_max * sizeof *s->vertex);
        assert_non_null(s->vertex);
    }
    s->vertex[s->vertices] = v3_of(at);
    return s->vertices++;
}

static inline void surface_triangle(surface *s, int a, int b, int c)
{
    if (s->triangles == s->triangles_max) {
        s->triangles_max = 2 * s->triangles_max + 64;
        s->corner = realloc(s->corner, 3 * (size_t)s->triangles_max * sizeof *s->corner);
        assert_non_null(s->corner);
    }
    int32_t *corner = &s->corner[3 * s->triangles++];
    corner[0] = a, corner[1] = b, corner[2] = c;
}

/* Turns a triangle over. */
static inline void surface_turn(surface *s, int t)
{
    const int32_t other = s->corner[3 * t];
    s->corner[3 * t] = s->corner[3 * t + 1], s->corner[3 * t + 1] = other;
}

/* Adds a triangle with vertices of its own. */
static inline void surface_loose(surface *s, d3 a, d3 b, d3 c)
{
    const int i = surface_vertex(s, a), j = surface_vertex(s, b), k = surface_vertex(s, c);
    surface_triangle(s, i, j, k);
}

static inline void surface_free(surface *s)
{
    free(s->vertex);
    free(s->corner);
    *s = (surface){0};
}

static inline dry_mesh surface_mesh(const surface *s)
{
    return (dry_mesh){s->vertex, s->corner, s->vertices, s->triangles};
}

static inline dry_mesh_tree *surface_build(const surface *s, uint32_t flags, dry_mesh_report *report)
{
    const dry_mesh mesh = surface_mesh(s);
    const dry_mesh_tree_def def = {&mesh, NULL, flags};
    return dry_mesh_tree_build(&def, NULL, report);
}

static inline dry_mesh_tree *surface_tree(const surface *s)
{
    dry_mesh_report report;
    dry_mesh_tree *tree = surface_build(s, 0, &report);
    assert_int_equal(report.error, DRY_MESH_BUILT);
    assert_non_null(tree);
    assert_true(dry_mesh_tree_check(tree, tree->bytes));
    return tree;
}

static inline void surface_move(surface *s, dry_quat q, d3 by, double scale)
{
    for (int i = 0; i < s->vertices; i++)
        s->vertex[i] = v3_of(d3_add(d3_turn(q, d3_scale(d3_of(s->vertex[i]), scale)), by));
}

/* Puts triangles in another order. `original` holds, for each new number, the old one. */
static inline void surface_shuffle(surface *s, uint64_t *seed, int *original)
{
    for (int i = 0; i < s->triangles; i++)
        original[i] = i;
    for (int i = s->triangles - 1; i > 0; i--) {
        const int j = random_below(seed, i + 1), other = original[i];
        original[i] = original[j], original[j] = other;
        for (int k = 0; k < 3; k++) {
            const int32_t c = s->corner[3 * i + k];
            s->corner[3 * i + k] = s->corner[3 * j + k], s->corner[3 * j + k] = c;
        }
    }
}

/* Gives each corner a vertex of its own. */
static inline void surface_unweld(surface *s)
{
    surface loose = {0};
    for (int t = 0; t < s->triangles; t++)
        surface_loose(&loose, d3_of(s->vertex[s->corner[3 * t]]), d3_of(s->vertex[s->corner[3 * t + 1]]),
                      d3_of(s->vertex[s->corner[3 * t + 2]]));
    surface_free(s);
    *s = loose;
}

/* A grid of n x n cells of `size` from the origin on, with diagonals at random; rough: heights at random. */
static inline surface grid_surface(int n, double size, double rough, uint64_t *seed)
{
    surface s = {0};
    for (int r = 0; r <= n; r++)
        for (int c = 0; c <= n; c++)
            surface_vertex(&s, (d3){c * size, rough > 0 ? random_in(seed, 0, rough) : 0, r * size});
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            const int a = r * (n + 1) + c, b = a + 1, d = a + n + 1, e = d + 1;
            const bool forward = random_below(seed, 2);
            surface_triangle(&s, a, d, forward ? e : b);
            if (forward)
                surface_triangle(&s, a, e, b);
            else
                surface_triangle(&s, b, d, e);
        }
    return s;
}

/* A torus around y, closed, outward; radii 1 and `tube`. */
static inline surface torus_surface(int n, int m, double tube)
{
    surface s = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            const double a = 2 * TEST_PI * i / n, b = 2 * TEST_PI * j / m, r = 1 + tube * cos(b);
            surface_vertex(&s, (d3){r * cos(a), tube * sin(b), r * sin(a)});
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            const int k = (i + 1) % n, l = (j + 1) % m;
            surface_triangle(&s, i * m + j, i * m + l, k * m + l);
            surface_triangle(&s, i * m + j, k * m + l, k * m + j);
        }
    return s;
}

/* A sphere of radius 1 from an octahedron whose edges are divided n times, closed, outward. */
static inline surface sphere_surface(int n)
{
    surface s = {0};
    for (int o = 0; o < 8; o++) {
        const d3 sign = {o & 1 ? -1 : 1, o & 2 ? -1 : 1, o & 4 ? -1 : 1};
        const bool mirrored = sign.x * sign.y * sign.z < 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n - i; j++)
                for (int half = 0; half < (j < n - i - 1 ? 2 : 1); half++) {
                    static const int steps[2][3][2] = {{{0, 0}, {1, 0}, {0, 1}}, {{1, 0}, {1, 1}, {0, 1}}};
                    d3 at[3];
                    for (int k = 0; k < 3; k++) {
                        const double a = i + steps[half][k][0], b = j + steps[half][k][1], c = n - a - b;
                        at[k] = d3_unit((d3){sign.x * a, sign.y * b, sign.z * c});
                    }
                    surface_loose(&s, at[0], at[mirrored ? 2 : 1], at[mirrored ? 1 : 2]);
                }
    }
    return s;
}

/* Triangles anywhere in a cube of half side 1, of some size, of which every fourth is a needle. */
static inline surface soup_surface(int count, double size, uint64_t *seed)
{
    surface s = {0};
    for (int t = 0; t < count; t++) {
        const d3 a = random_d3(seed, 1), b = d3_add(a, random_d3(seed, size));
        const d3 c = d3_add(t % 4 ? a : b, random_d3(seed, t % 4 ? size : 1e-4 * size));
        surface_loose(&s, a, b, c);
    }
    return s;
}

static inline surface box_surface(d3 half)
{
    surface s = {0};
    for (int i = 0; i < 8; i++)
        surface_vertex(&s,
                       (d3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
    static const int sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int k = 0; k < 6; k++) {
        surface_triangle(&s, sides[k][0], sides[k][1], sides[k][2]);
        surface_triangle(&s, sides[k][0], sides[k][2], sides[k][3]);
    }
    return s;
}

static inline d3 surface_at(const surface *s, int triangle, int corner)
{
    return d3_of(s->vertex[s->corner[3 * triangle + corner]]);
}

static inline triangle3 surface_triangle3(const surface *s, int t)
{
    return (triangle3){{surface_at(s, t, 0), surface_at(s, t, 1), surface_at(s, t, 2)}};
}

#endif
