/* Makes the built-in scenes of ground. Heights come from products and sums alone.
 *
 * Writes a dry_scene through maker.h. Next: builtin.c, which lists the scenes. */
#include "tools/scenes/grounds.h"

#include "tools/scenes/heaps.h"

#include <stdlib.h>

/* Samples of ground in rows along z, `step` apart, about the origin. */
typedef struct ground {
    int side; /* cells in a row, and rows */
    double step;
    float *height; /* (side + 1)^2, m */
} ground;

/* Returns a wave of period 1 and height 1 that two parabolas make. */
static double wave(double t)
{
    const double u = t - floor(t);
    return u < 0.5 ? 16.0 * u * (0.5 - u) : -16.0 * (u - 0.5) * (1.0 - u);
}

static double height_at(double x, double z)
{
    return 1.5 * wave(x / 25.0) * wave(z / 31.0 + 0.2) + 0.5 * wave(x / 9.0 + z / 16.0);
}

static double place_of(const ground *g, int i)
{
    return g->step * (i - 0.5 * g->side);
}

/* Makes wavy ground under a square of hulls, `side` in a row, with 16 m around it. Its heights are freed with
 * free. */
static ground make_ground(maker *m, int side)
{
    ground g = {4 * side + 64, 0.5, NULL};
    const size_t row = (size_t)g.side + 1;
    g.height = malloc(row * row * sizeof *g.height);
    m->failed = m->failed || !g.height;
    for (int r = 0; r <= g.side && !m->failed; r++)
        for (int c = 0; c <= g.side; c++)
            g.height[(size_t)r * row + (size_t)c] = (float)height_at(place_of(&g, c), place_of(&g, r));
    return g;
}

/* Adds a mesh of `rows` times `columns` cells, whose vertices are given row by row; random diagonals if
 * `random`. */
static void add_mesh(maker *m, const dry_vec3 *vertices, int rows, int columns, bool random)
{
    const int cells = rows * columns;
    int32_t *triangles = malloc((size_t)cells * 6 * sizeof *triangles);
    m->failed = m->failed || !triangles;
    for (int i = 0; i < cells && !m->failed; i++) {
        const int32_t a = i / columns * (columns + 1) + i % columns, b = a + 1, d = a + columns + 1,
                      e = d + 1;
        const bool turned = random && dry_random_bits(&m->random) & 1;
        const int32_t two[6] = {a, d, turned ? b : e, turned ? b : a, turned ? d : e, turned ? e : b};
        for (int k = 0; k < 6; k++)
            triangles[6 * i + k] = two[k];
    }
    dry_shape_def shape = shape_of(DRY_SHAPE_MESH);
    const dry_mesh mesh = {vertices, triangles, (rows + 1) * (columns + 1), 2 * cells};
    const dry_mesh_options options = {0};
    m->failed = m->failed || dry_scene_add_mesh(m->scene, &mesh, &options, &shape.data, NULL) != DRY_OK;
    add_shape(m, &shape);
    free(triangles);
}

static void add_ground_mesh(maker *m, const ground *g)
{
    const size_t row = (size_t)g->side + 1;
    dry_vec3 *vertices = malloc(row * row * sizeof *vertices);
    m->failed = m->failed || !vertices;
    for (size_t i = 0; i < row * row && !m->failed; i++)
        vertices[i] =
            (dry_vec3){(float)place_of(g, (int)(i % row)), g->height[i], (float)place_of(g, (int)(i / row))};
    add_mesh(m, vertices, g->side, g->side, false);
    free(vertices);
}

/* Adds a height field, whose first sample lies at the shape's origin. */
static void add_field(maker *m, int side, double step, const float *heights, double x, double z)
{
    const dry_height_field_def def = {
        .rows = side + 1, .columns = side + 1, .spacing = {(float)step, (float)step}, .heights = heights};
    dry_shape_def shape = shape_of(DRY_SHAPE_HEIGHT_FIELD);
    shape.pose.position = (dry_vec3){(float)x, 0.0f, (float)z};
    m->failed = m->failed || dry_scene_add_height_field(m->scene, &def, &shape.data, NULL) != DRY_OK;
    add_shape(m, &shape);
}

/* Drops hulls in three or more layers. */
static void make_hulls_on_ground(maker *m, int size, bool is_field)
{
    const double spacing = 2.0;
    int side = 1;
    while (3 * side * side < size && side < 40)
        side++;
    ground g = make_ground(m, side);
    add_body(m, "ground", DRY_BODY_STATIC, 0.0, 0.0, 0.0);
    if (is_field)
        add_field(m, g.side, g.step, g.height, place_of(&g, 0), place_of(&g, 0));
    else
        add_ground_mesh(m, &g);
    free(g.height);
    dry_shape_data *forms[DRY_HULL_FORMS];
    const int count = size < DRY_HULL_FORMS ? size : DRY_HULL_FORMS;
    for (int i = 0; i < count; i++)
        forms[i] = dry_draw_hull(m);
    for (int i = 0; i < size; i++) {
        dry_shape_def hull = shape_of(DRY_SHAPE_HULL);
        hull.data = forms[i % DRY_HULL_FORMS];
        const int layer = i / (side * side);
        const double x = spacing * (i % side - 0.5 * (side - 1)),
                     z = spacing * (i / side % side - 0.5 * (side - 1));
        turn(m, add_next(m, x, height_at(x, z) + 1.5 + 1.75 * layer, z));
        add_shape(m, &hull);
    }
}

void dry_make_terrain(maker *m, int size)
{
    make_hulls_on_ground(m, size, false);
}

void dry_make_field(maker *m, int size)
{
    make_hulls_on_ground(m, size, true);
}

/* The floor of a slide: from x = -5 to 55 m, and 6 m to either side. */
enum { SLIDE_BEGIN = -5, SLIDE_LENGTH = 60, SLIDE_WIDTH = 12 };

/* Adds a flat mesh of cells, whose inner vertices lie up to `jitter` of a cell off their places. */
static void add_flat_mesh(maker *m, int rows, int columns, double jitter)
{
    dry_vec3 *vertices = malloc((size_t)(rows + 1) * (size_t)(columns + 1) * sizeof *vertices);
    m->failed = m->failed || !vertices;
    for (int r = 0; r <= rows && !m->failed; r++)
        for (int c = 0; c <= columns; c++) {
            const bool inner = r > 0 && r < rows && c > 0 && c < columns;
            const double x = inner ? jitter * dry_random_signed(&m->random) : 0.0;
            const double z = inner ? jitter * dry_random_signed(&m->random) : 0.0;
            vertices[r * (columns + 1) + c] =
                (dry_vec3){(float)(SLIDE_BEGIN + SLIDE_LENGTH * (c + x) / columns), 0.0f,
                           (float)(SLIDE_WIDTH * ((r + z) / rows - 0.5))};
        }
    if (!m->failed)
        add_mesh(m, vertices, rows, columns, true);
    free(vertices);
}

/* Adds tiles of 1 m: boxes, or hulls of the same form. */
static void add_tiles(maker *m, bool hulls)
{
    dry_vec3 corner[8];
    dry_shape_def tile = hulls ? shape_of(DRY_SHAPE_HULL) : box_of(0.5f, 0.5f, 0.5f);
    for (int i = 0; i < 8; i++)
        corner[i] = (dry_vec3){i & 1 ? 0.5f : -0.5f, i & 2 ? 0.5f : -0.5f, i & 4 ? 0.5f : -0.5f};
    if (hulls)
        m->failed = m->failed || dry_scene_add_hull(m->scene, corner, 8, 0, &tile.data, NULL) != DRY_OK;
    for (int i = 0; i < SLIDE_LENGTH * SLIDE_WIDTH; i++) {
        tile.friction = 0.0f;
        tile.pose.position = (dry_vec3){(float)(SLIDE_BEGIN + i % SLIDE_LENGTH) + 0.5f, -0.5f,
                                        (float)(i / SLIDE_LENGTH - SLIDE_WIDTH / 2) + 0.5f};
        add_shape(m, &tile);
    }
}

static void add_slide_floor(maker *m, int kind)
{
    const float level[25] = {0.0f};
    add_body(m, "floor", DRY_BODY_STATIC, 0.0, 0.0, 0.0);
    if (kind == 1) {
        dry_shape_def plane = shape_of(DRY_SHAPE_HALFSPACE);
        add_shape(m, &plane);
    } else if (kind == 2) {
        add_flat_mesh(m, 40, 200, 0.3);
    } else if (kind == 3) {
        add_flat_mesh(m, 480, 1, 0.0);
    } else if (kind == 5) {
        for (int i = 0; i < 15 * 3; i++)
            add_field(m, 4, 1.0, level, SLIDE_BEGIN + 4.0 * (i % 15), -6.0 + 4.0 * (i / 15));
    } else {
        add_tiles(m, kind == 6);
    }
}

void dry_make_slide(maker *m, int size)
{
    add_slide_floor(m, size);
    dry_shape_def shape[] = {shape_of(DRY_SHAPE_SPHERE), shape_of(DRY_SHAPE_CAPSULE),
                             shape_of(DRY_SHAPE_CYLINDER), shape_of(DRY_SHAPE_BOX), shape_of(DRY_SHAPE_HULL)};
    enum { SHAPES = sizeof shape / sizeof *shape };
    dry_vec3 points[12];
    for (int i = 0; i < 12; i++) {
        static const float across[6][2] = {{0.5f, 0.0f},  {0.25f, 0.4f},   {-0.25f, 0.4f},
                                           {-0.5f, 0.0f}, {-0.25f, -0.4f}, {0.25f, -0.4f}};
        points[i] = (dry_vec3){across[i / 2][0], i % 2 ? 0.5f : -0.5f, across[i / 2][1]};
    }
    m->failed = m->failed || dry_scene_add_hull(m->scene, points, 12, 0, &shape[4].data, NULL) != DRY_OK;
    shape[1].radius = 0.25f;
    shape[1].half_length = 0.25f;
    for (int i = 0; i < SHAPES && !m->failed; i++) {
        shape[i].friction = 0.0f;
        const bool lies = shape[i].type == DRY_SHAPE_CAPSULE;
        const int body = add_next(m, 0.0, lies ? 0.25 : 0.5, 2.0 * (i - 2) + 0.13);
        if (body < 0)
            return;
        dry_body_def *def = &m->scene->bodies[body].def;
        def->velocity.linear = (dry_vec3){5.0f, 0.0f, 0.0f};
        if (lies)
            def->pose.orientation = (dry_quat){0.0f, 0.0f, 0.70710678f, 0.70710678f};
        add_shape(m, &shape[i]);
    }
}
