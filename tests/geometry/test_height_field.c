/* Height fields: queries against brute force over their triangles, edges, replacement, faults, bytes. */
#include "geometry/height_tiles.h"
#include "tests/blocks.h"
#include "tests/counting_allocator.h"
#include "tests/form_admits.h"
#include "tests/triangle_oracles.h"

enum { SIDE_MAX = 90 };

/* A definition with its arrays. */
typedef struct terrain {
    dry_height_field_def def;
    float height[SIDE_MAX * SIDE_MAX];
    uint8_t hole[SIDE_MAX * SIDE_MAX];
    uint16_t material[SIDE_MAX * SIDE_MAX];
} terrain;

static terrain *make_terrain(int rows, int columns, double rough, uint64_t *seed)
{
    terrain *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->def =
        (dry_height_field_def){.rows = rows,
                               .columns = columns,
                               .spacing = {(float)random_in(seed, 0.1, 3), (float)random_in(seed, 0.1, 3)},
                               .heights = t->height,
                               .holes = t->hole,
                               .material_indices = t->material,
                               .solid_depth = 2,
                               .diagonal = (dry_diagonal)random_below(seed, 2)};
    const double base = random_in(seed, -100, 100);
    for (int i = 0; i < rows * columns; i++)
        t->height[i] = (float)(base + random_in(seed, 0, rough));
    for (int i = 0; i < (rows - 1) * (columns - 1); i++) {
        t->hole[i] = i > 0 && random_below(seed, 10) == 0;
        t->material[i] = (uint16_t)random_below(seed, 300);
    }
    return t;
}

static dry_height_field *build(const terrain *t)
{
    dry_height_field_report report;
    dry_height_field *field = dry_height_field_build(&t->def, NULL, &report);
    assert_int_equal(report.error, DRY_HEIGHT_BUILT);
    assert_non_null(field);
    assert_true(dry_height_field_check(field, field->bytes));
    return field;
}

/* Makes one of the terrains that the tests go over. */
static terrain *some_terrain(int n, uint64_t *seed)
{
    static const int sides[][2] = {{2, 2}, {2, 60}, {60, 2}, {5, 5}, {6, 17}, {33, 9}, {40, 40}};
    const int *side = sides[n % COUNT_OF(sides)];
    return make_terrain(side[0], side[1], n % 3 ? 1.5 : 0, seed);
}

static d3 sample_of(const terrain *t, int row, int column)
{
    return (d3){(double)t->def.spacing[0] * column, (double)t->height[row * t->def.columns + column],
                (double)t->def.spacing[1] * row};
}

/* The triangle of a cell, as the page of formats says. */
static triangle3 cell_triangle(const terrain *t, int row, int column, int half)
{
    const d3 a = sample_of(t, row, column), b = sample_of(t, row, column + 1);
    const d3 d = sample_of(t, row + 1, column), e = sample_of(t, row + 1, column + 1);
    if (t->def.diagonal == DRY_DIAGONAL_BACKWARD)
        return half ? (triangle3){{b, d, e}} : (triangle3){{a, d, b}};
    return half ? (triangle3){{a, e, b}} : (triangle3){{a, d, e}};
}

static int cells_of(const terrain *t)
{
    return (t->def.rows - 1) * (t->def.columns - 1);
}

static triangle3 triangle_of(const terrain *t, int triangle)
{
    const int cell = triangle / 2, columns = t->def.columns - 1;
    return cell_triangle(t, cell / columns, cell % columns, triangle % 2);
}

static d3 random_near(const terrain *t, double more, uint64_t *seed)
{
    const d3 end = sample_of(t, t->def.rows - 1, t->def.columns - 1);
    const double base = t->height[0];
    return (d3){random_in(seed, -more, end.x + more), random_in(seed, base - 2 - more, base + 3 + more),
                random_in(seed, -more, end.z + more)};
}

static void test_triangles(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int n = 0; n < 14; n++) {
        terrain *t = some_terrain(n, &seed);
        dry_height_field *field = build(t);
        for (int i = 0; i < 2 * cells_of(t); i++) {
            dry_double3 corner[3];
            dry_height_field_triangle(field, (uint32_t)i, corner);
            const triangle3 own = triangle_of(t, i);
            for (int k = 0; k < 3; k++)
                assert_true(corner[k].x == own.at[k].x && corner[k].y == own.at[k].y &&
                            corner[k].z == own.at[k].z);
            assert_true(triangle_normal(own).y > 0);
            assert_int_equal(dry_height_field_is_hole(field, (size_t)i / 2), t->hole[i / 2]);
            assert_int_equal(dry_height_field_material(field, (size_t)i / 2), t->material[i / 2]);
        }
        release_field(field, NULL);
        free(t);
    }
}

/* Rays. */

static void check_ray(const terrain *t, const dry_height_field *field, d3 o, d3 d, int sides)
{
    const double doubt = 1e-9;
    const dry_mesh_ray ray = {{o.x, o.y, o.z}, {d.x, d.y, d.z}, sides};
    dry_mesh_hit hit = {.fraction = 2};
    const bool is_hit = dry_height_field_cast_ray(field, &ray, &hit);
    int sure = 0, possible = 0;
    double first = 2;
    for (int i = 0; i < 2 * cells_of(t); i++) {
        double f, w[3];
        const triangle3 own = triangle_of(t, i);
        if (t->hole[i / 2] || !solve_hit(own, o, d, &f, w) || least_of(w) < -doubt || f < -doubt ||
            f > 1 + doubt ||
            !(sides & (d3_dot(triangle_normal(own), d) < 0 ? DRY_MESH_FRONTS : DRY_MESH_BACKS)))
            continue;
        possible++;
        if (least_of(w) < doubt || f < doubt || f > 1 - doubt)
            continue;
        sure++;
        first = fmin(first, f);
    }
    assert_true(is_hit ? possible > 0 : sure == 0);
    if (sure > 0)
        assert_true(hit.fraction <= first + 1e-9);
    if (!is_hit)
        return;
    double f = 0, w[3];
    const triangle3 own = triangle_of(t, (int)hit.triangle);
    assert_true(solve_hit(own, o, d, &f, w));
    assert_false(t->hole[hit.triangle / 2]);
    assert_near(hit.fraction, f, 1e-9);
    for (int k = 0; k < 3; k++)
        assert_near(hit.barycentric[k], w[k], 1e-7);
    assert_int_equal(hit.back, d3_dot(triangle_normal(own), d) > 0);
}

static void test_rays(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int n = 0; n < test_pick(42, 14); n++) {
        terrain *t = some_terrain(n, &seed);
        t->def.solid_depth = 0; /* a surface */
        dry_height_field *field = build(t);
        for (int i = 0; i < 100; i++) {
            const d3 o = random_near(t, i % 4 * 3, &seed);
            d3 d = d3_sub(random_near(t, 1, &seed), o);
            if (i % 7 == 0)
                d = (d3){i % 2 ? d.x : 0, i % 3 ? d.y : 0, i % 5 ? 0 : d.z};
            check_ray(t, field, o, d, 1 + random_below(&seed, 3));
        }
        release_field(field, NULL);
        free(t);
    }
}

/* Rays through samples, edges and along rows miss nothing where there are no holes. */
static void test_watertight(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int n = 0; n < 20; n++) {
        terrain *t = make_terrain(9 + n, 30 - n, n % 4 ? 0.5 : 0, &seed);
        t->def.holes = NULL;
        dry_height_field *field = build(t);
        for (int i = 0; i < 600; i++) {
            const int row = 1 + random_below(&seed, t->def.rows - 2);
            const int column = 1 + random_below(&seed, t->def.columns - 2);
            const int to_row = row + random_below(&seed, 2), to_column = column + random_below(&seed, 2);
            const d3 p = sample_of(t, row, column), q = sample_of(t, to_row, to_column);
            const d3 at = d3_add(p, d3_scale(d3_sub(q, p), i % 2 ? random_in(&seed, 0, 1) : 0));
            const d3 side = i % 3 ? random_d3(&seed, 0.5) : (d3){0, 0, 0};
            const d3 o = d3_add(at, (d3){side.x, 5, side.z}), d = d3_scale(d3_sub(at, o), 2);
            dry_mesh_hit hit;
            const dry_mesh_ray down = {{o.x, o.y, o.z}, {d.x, d.y, d.z}, DRY_MESH_FRONTS};
            const d3 e = d3_add(o, d);
            const dry_mesh_ray up = {{e.x, e.y, e.z}, {-d.x, -d.y, -d.z}, DRY_MESH_BACKS};
            assert_true(dry_height_field_cast_ray(field, &down, &hit));
            assert_true(dry_height_field_cast_ray(field, &up, &hit));
        }
        release_field(field, NULL);
        free(t);
    }
}

/* Boxes. */

typedef struct visits {
    uint8_t seen[2 * SIDE_MAX * SIDE_MAX];
    int count, end_at;
} visits;

static bool note_visit(void *context, uint32_t triangle)
{
    visits *v = context;
    assert_int_equal(v->seen[triangle], 0);
    v->seen[triangle] = 1;
    return ++v->count != v->end_at;
}

static bool meets_box(triangle3 t, d3 low, d3 high)
{
    const d3 *p = t.at;
    return fmin(p[0].x, fmin(p[1].x, p[2].x)) <= high.x && fmax(p[0].x, fmax(p[1].x, p[2].x)) >= low.x &&
           fmin(p[0].y, fmin(p[1].y, p[2].y)) <= high.y && fmax(p[0].y, fmax(p[1].y, p[2].y)) >= low.y &&
           fmin(p[0].z, fmin(p[1].z, p[2].z)) <= high.z && fmax(p[0].z, fmax(p[1].z, p[2].z)) >= low.z;
}

static void test_boxes(void **state)
{
    (void)state;
    uint64_t seed = 4;
    visits *v = malloc(sizeof *v);
    for (int n = 0; n < test_pick(42, 14); n++) {
        terrain *t = some_terrain(n, &seed);
        dry_height_field *field = build(t);
        for (int i = 0; i < 60; i++) {
            const d3 p = random_near(t, 2, &seed), half = random_d3_in(&seed, 0, i % 2 ? 1 : 20);
            dry_box box;
            d3 low = d3_sub(p, half), high = d3_add(p, half);
            if (i % 3 == 0) /* sides on samples */
                low = sample_of(t, random_below(&seed, t->def.rows), random_below(&seed, t->def.columns));
            if (i % 6 == 0)
                high = low;
            box = (dry_box){{(float)low.x, (float)low.y, (float)low.z},
                            {(float)high.x, (float)high.y, (float)high.z}};
            low = (d3){box.min[0], box.min[1], box.min[2]};
            high = (d3){box.max[0], box.max[1], box.max[2]};
            memset(v, 0, sizeof *v);
            v->end_at = -1;
            assert_true(dry_height_field_visit(field, &box, false, note_visit, v));
            for (int k = 0; k < 2 * cells_of(t); k++)
                assert_int_equal(v->seen[k], !t->hole[k / 2] && meets_box(triangle_of(t, k), low, high));
            const int all = v->count;
            memset(v, 0, sizeof *v);
            v->end_at = all;
            assert_int_equal(dry_height_field_visit(field, &box, false, note_visit, v), all == 0);
        }
        release_field(field, NULL);
        free(t);
    }
    free(v);
}

static void test_nearest(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int n = 0; n < test_pick(42, 14); n++) {
        terrain *t = some_terrain(n, &seed);
        dry_height_field *field = build(t);
        for (int i = 0; i < 40; i++) {
            const d3 p = random_near(t, i % 4 ? 3.0 * (i % 4) : 1e4, &seed);
            const double from[3] = {p.x, p.y, p.z};
            double best = INFINITY;
            for (int k = 0; k < 2 * cells_of(t); k++)
                if (!t->hole[k / 2])
                    best = fmin(best, triangle_distance(triangle_of(t, k), p));
            double at[3], distance = 1e7;
            const int triangle = (int)form_nearest(DRY_SHAPE_HEIGHT_FIELD, field, from, &distance, at);
            const double room = 1e-11 * (1 + d3_length(p));
            const d3 found = {at[0], at[1], at[2]};
            assert_true(triangle >= 0);
            assert_near(distance, best, room);
            assert_at_most(triangle_distance(triangle_of(t, triangle), found), room);
            assert_false(t->hole[triangle / 2]);
            distance = best - 2 * room;
            assert_int_equal(form_nearest(DRY_SHAPE_HEIGHT_FIELD, field, from, &distance, at), -1);
        }
        release_field(field, NULL);
        free(t);
    }
}

/* The height under a point is where a ray straight down hits; solid is what lies below within the depth. */
static void test_samples(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int n = 0; n < 28; n++) {
        terrain *t = some_terrain(n, &seed);
        dry_height_field *field = build(t);
        for (int i = 0; i < 100; i++) {
            const d3 p = random_near(t, 0.2, &seed);
            const dry_mesh_ray ray = {{p.x, 300, p.z}, {0, -600, 0}, DRY_MESH_FRONTS};
            dry_mesh_hit hit;
            uint32_t triangle;
            double height;
            const bool is_over = dry_height_field_cast_ray(field, &ray, &hit);
            assert_int_equal(is_over, dry_height_field_sample(field, p.x, p.z, &triangle, &height));
            if (!is_over)
                continue;
            assert_int_equal(triangle, hit.triangle);
            assert_near(height, 300 - 600 * hit.fraction, 1e-9);
            const dry_double3 at = {p.x, p.y, p.z};
            assert_int_equal(dry_height_field_contains(field, at), p.y <= height && p.y >= height - 2);
        }
        release_field(field, NULL);
        free(t);
    }
}

/* Edges. */

static bool is_at(d3 a, d3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* A neighbor has the edge the other way round, and says the same of its kind. */
static void test_neighbors(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int kinds[4] = {0};
    for (int n = 0; n < 28; n++) {
        terrain *t = some_terrain(n, &seed);
        dry_height_field *field = build(t);
        for (int i = 0; i < 2 * cells_of(t); i++)
            for (int k = 0; !t->hole[i / 2] && k < 3; k++) {
                int edge = -1, other = -1;
                dry_edge_angle edges[3], its_edges[3];
                dry_height_field_edges(field, (uint32_t)i, edges);
                const dry_mesh_edge kind = edges[k].kind;
                const triangle3 own = triangle_of(t, i);
                for (int j = 0; j < 2 * cells_of(t); j++) {
                    const triangle3 its = triangle_of(t, j);
                    for (int l = 0; !t->hole[j / 2] && l < 3; l++)
                        if (is_at(own.at[k], its.at[(l + 1) % 3]) && is_at(own.at[(k + 1) % 3], its.at[l]))
                            other = j, edge = l;
                }
                kinds[kind]++;
                if (other < 0) {
                    assert_int_equal(kind, DRY_MESH_EDGE_OPEN);
                } else {
                    const triangle3 its = triangle_of(t, other);
                    dry_height_field_edges(field, (uint32_t)other, its_edges);
                    assert_int_equal(kind, its_edges[edge].kind);
                    assert_int_equal(edges[k].steps, its_edges[edge].steps);
                    const double fall =
                        d3_dot(triangle_normal(own), d3_sub(its.at[(edge + 2) % 3], own.at[k]));
                    if (kind == DRY_MESH_EDGE_CONVEX)
                        assert_true(fall < 0);
                    if (kind == DRY_MESH_EDGE_CONCAVE)
                        assert_true(fall > 0);
                }
            }
        release_field(field, NULL);
        free(t);
        if (n == 7)
            n = 20; /* the larger ones once */
    }
    for (int k = 0; k < 4; k++)
        assert_true(kinds[k] > 0);
}

static void test_normals(void **state)
{
    (void)state;
    uint64_t seed = 8;
    terrain *t = make_terrain(20, 20, 0, &seed);
    t->def.holes = NULL;
    for (int i = 0; i < 400; i++) /* a roof of 30 degrees along row 10 */
        t->height[i] = (float)(-abs(i / 20 - 10) * (double)t->def.spacing[1] * tan(TEST_PI / 6));
    dry_height_field *field = build(t);
    for (int n = 0; n < 2000; n++) {
        const int row = 1 + random_below(&seed, 18), column = 1 + random_below(&seed, 18);
        const d3 at = sample_of(t, row, column);
        const double tilt = random_in(&seed, -1, 1), p[3] = {at.x, at.y, at.z},
                     normal[3] = {0, cos(tilt), sin(tilt)};
        const double slope = TEST_PI / 6, side = row < 10 ? -slope : slope;
        if (fabs(fabs(tilt) - slope) < 0.01)
            continue;
        assert_int_equal(form_admits(DRY_SHAPE_HEIGHT_FIELD, field, p, normal),
                         row == 10 && fabs(tilt) < slope);
        const double own[3] = {0, cos(side), sin(side)};
        assert_true(form_admits(DRY_SHAPE_HEIGHT_FIELD, field, p, own));
    }
    release_field(field, NULL);
    free(t);
}

/* Replacement. */

static void test_replacement(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int n = 0; n < 40; n++) {
        terrain *t = make_terrain(2 + random_below(&seed, SIDE_MAX - 2),
                                  2 + random_below(&seed, SIDE_MAX - 2), 1, &seed);
        dry_height_field *field = build(t);
        for (int i = 0; i < 10; i++) {
            float heights[SIDE_MAX * SIDE_MAX];
            dry_height_rectangle w = {.row = random_below(&seed, t->def.rows),
                                      .column = random_below(&seed, t->def.columns)};
            w.rows = 1 + random_below(&seed, t->def.rows - w.row);
            w.columns = 1 + random_below(&seed, t->def.columns - w.column);
            for (int k = 0; k < w.rows * w.columns; k++) {
                heights[k] = (float)random_in(&seed, -5, 5);
                t->height[(w.row + k / w.columns) * t->def.columns + w.column + k % w.columns] = heights[k];
            }
            int64_t element;
            assert_int_equal(dry_height_field_replace_error(field, &w, heights, &element), DRY_HEIGHT_BUILT);
            dry_height_field_replace(field, &w, heights);
            dry_height_field *anew = build(t);
            assert_int_equal(anew->bytes, field->bytes);
            assert_memory_equal(anew, field, field->bytes);
            release_field(anew, NULL);
            anew = malloc(field->bytes);
            memcpy(anew, field, field->bytes);
            const int bad = random_below(&seed, w.rows * w.columns);
            heights[bad] = n % 2 ? NAN : -2e6f;
            assert_int_equal(dry_height_field_replace_error(field, &w, heights, &element),
                             DRY_HEIGHT_BAD_HEIGHT);
            assert_int_equal(element, bad);
            const dry_height_rectangle outside[] = {{-1, 0, 1, 1},
                                                    {0, -1, 1, 1},
                                                    {0, 0, 0, 1},
                                                    {0, 0, 1, 0},
                                                    {w.row, w.column, t->def.rows - w.row + 1, 1},
                                                    {w.row, w.column, 1, t->def.columns - w.column + 1},
                                                    {w.row, w.column, INT32_MAX, 1},
                                                    {t->def.rows, 0, 1, 1}};
            for (int k = 0; k < COUNT_OF(outside); k++)
                assert_int_equal(dry_height_field_replace_error(field, &outside[k], heights, &element),
                                 DRY_HEIGHT_OUTSIDE);
            assert_memory_equal(anew, field, field->bytes);
            free(anew);
        }
        release_field(field, NULL);
        free(t);
    }
}

/* Faults and bytes. */

static void test_bad_input(void **state)
{
    (void)state;
    uint64_t seed = 10;
    terrain *t = make_terrain(6, 7, 1, &seed);
    const dry_height_field_def good = t->def;
    dry_height_field_report report;
    for (int n = 0; n < 19; n++) {
        static const dry_height_field_error errors[] = {
            DRY_HEIGHT_BAD_SIDE,    DRY_HEIGHT_BAD_SIDE,    DRY_HEIGHT_BAD_SIDE,    DRY_HEIGHT_BAD_SIDE,
            DRY_HEIGHT_BAD_SIDE,    DRY_HEIGHT_BAD_SPACING, DRY_HEIGHT_BAD_SPACING, DRY_HEIGHT_BAD_SPACING,
            DRY_HEIGHT_BAD_SPACING, DRY_HEIGHT_BAD_SPACING, DRY_HEIGHT_BAD_DEPTH,   DRY_HEIGHT_BAD_DEPTH,
            DRY_HEIGHT_BAD_DEPTH,   DRY_HEIGHT_BAD_HEIGHT,  DRY_HEIGHT_BAD_HEIGHT,  DRY_HEIGHT_BAD_HEIGHT,
            DRY_HEIGHT_ALL_HOLES};
        static const int sides[] = {1, 0, -1, DRY_HEIGHT_FIELD_SIDE_MAX + 1};
        static const float spacings[] = {0, -1, NAN, INFINITY, 3e5f}, depths[] = {-1, NAN, 2e6f};
        static const float heights[] = {NAN, INFINITY, -1.1e6f};
        t->def = good;
        const float kept = t->height[17];
        if (n < 4)
            *(n % 2 ? &t->def.rows : &t->def.columns) = sides[n];
        else if (n == 4)
            t->def.rows = INT32_MIN;
        else if (n < 10)
            t->def.spacing[n % 2] = spacings[n - 5];
        else if (n < 13)
            t->def.solid_depth = depths[n - 10];
        else if (n < 16)
            t->height[17] = heights[n - 13];
        else
            memset(t->hole, 1, sizeof t->hole);
        assert_null(dry_height_field_build(&t->def, NULL, &report));
        assert_int_equal(report.error, errors[n < 16 ? n : 16]);
        assert_int_equal(report.element, n >= 13 && n < 16 ? 17 : -1);
        t->height[17] = kept;
    }
    t->hole[3] = 0;
    t->def = good;
    dry_height_field *field = build(t);
    release_field(field, NULL);
    for (int i = 0; i <= DRY_HEIGHT_OUTSIDE; i++)
        assert_true(strlen(dry_height_field_error_name((dry_height_field_error)i)) > 3);
    counting_allocator counter = {.fail_at = 0};
    const dry_allocator hooks = counting_hooks(&counter);
    assert_null(dry_height_field_build(&t->def, &hooks, &report));
    assert_int_equal(report.error, DRY_HEIGHT_NO_MEMORY);
    counter.fail_at = -1;
    field = dry_height_field_build(&t->def, &hooks, &report);
    assert_true(dry_height_field_check(field, field->bytes)); /* no byte of the allocator's pattern */
    release_field(field, &hooks);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
    free(t);
}

static bool count_visit(void *context, uint32_t triangle)
{
    (void)triangle;
    ++*(int *)context;
    return true;
}

static void test_bad_bytes(void **state)
{
    (void)state;
    uint64_t seed = 11;
    terrain *t = make_terrain(30, 41, 1, &seed);
    dry_height_field *field = build(t);
    const size_t size = field->bytes;
    for (size_t cut = 0; cut < size; cut++) {
        char *bytes = aligned_alloc(64, (cut + 64) / 64 * 64);
        memcpy(bytes, field, cut);
        assert_false(dry_height_field_check(bytes, cut));
        free(bytes);
    }
    dry_height_field *changed = aligned_alloc(64, size);
    int passed = 0;
    for (int n = 0; n < test_pick(10000, 2000); n++) {
        memcpy(changed, field, size);
        const size_t at =
            n % 2 ? (size_t)random_below(&seed, (int)sizeof *field) : (size_t)random_below(&seed, (int)size);
        ((uint8_t *)changed)[at] ^= (uint8_t)(1 << random_below(&seed, 8));
        assert_false(dry_height_field_check(changed, size));
        /* With the hashes made right, the numbers are checked one by one. */
        if (changed->bytes != size || changed->rows != field->rows || changed->columns != field->columns ||
            changed->holes != field->holes || changed->tiles[0] != field->tiles[0] ||
            changed->heights != field->heights)
            continue;
        changed->fixed_hash = dry_height_field_fixed_hash(changed);
        changed->height_sum =
            dry_height_field_sum(changed, 0, dry_height_hash_tiles(30), 0, dry_height_hash_tiles(41));
        changed->hash = dry_height_field_hash(changed);
        if (!dry_height_field_check(changed, size))
            continue;
        passed++;
        const d3 o = random_near(t, 1, &seed), d = random_d3(&seed, 100);
        const dry_mesh_ray ray = {{o.x, o.y, o.z}, {d.x, d.y, d.z}, 3};
        const dry_box box = {{-10, -1e6f, -10}, {1000, 1e6f, 1000}};
        int count = 0;
        dry_mesh_hit hit;
        dry_height_field_cast_ray(changed, &ray, &hit);
        dry_height_field_visit(changed, &box, false, count_visit, &count);
        assert_true(count > 0);
    }
    assert_true(passed > 0);
    free(changed);
    release_field(field, NULL);
    free(t);
}

/* Equal fields have equal bytes, everywhere; any sample, hole or material changes the hash. */
static void test_hash(void **state)
{
    (void)state;
    uint64_t seed = 12;
    terrain *t = make_terrain(50, 70, 1, &seed);
    dry_height_field *field = build(t);
    if (field->hash != 0x7a9968dd52890b46ull)
        fail_msg("%016llx", (unsigned long long)field->hash);
    assert_at_most((double)field->bytes, 50 * 70 * (6 + 2) + 1024.0);
    const uint64_t hash = field->hash;
    release_field(field, NULL);
    for (int n = 0; n < 60; n++) {
        const int i = random_below(&seed, 49 * 69);
        const terrain kept = *t;
        if (n % 3 == 0)
            t->height[i] += 1e-3f;
        else if (n % 3 == 1)
            t->hole[i] = !t->hole[i];
        else
            t->material[i]++;
        field = build(t);
        assert_true(field->hash != hash);
        release_field(field, NULL);
        *t = kept;
        t->def.heights = t->height;
    }
    for (int i = 0; i < 49 * 69; i++)
        t->material[i] &= 255;
    field = build(t);
    assert_int_equal(field->material_bytes, 1);
    assert_at_most((double)field->bytes, 50 * 70 * 6 + 1024.0);
    release_field(field, NULL);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangles),   cmocka_unit_test(test_rays),
        cmocka_unit_test(test_watertight),  cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_nearest),     cmocka_unit_test(test_samples),
        cmocka_unit_test(test_neighbors),   cmocka_unit_test(test_normals),
        cmocka_unit_test(test_replacement), cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_bad_bytes),   cmocka_unit_test(test_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
