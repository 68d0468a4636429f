/* A solid height field at random, and the closed mesh of the same faces: top, sides, walls of holes and
 * underside. Next: test_solid_queries.c. */
#ifndef TESTS_API_SOLID_GROUNDS_H
#define TESTS_API_SOLID_GROUNDS_H

#include "tests/query_shapes.h"

enum { SIDE = 7, CELLS = SIDE - 1, SAMPLES = SIDE * SIDE, FACES_MAX = CELLS * CELLS * 12 };

/* A field at random, with holes. Heights and depth are multiples of 2^-10 m: the mesh has the same corners.
 */
typedef struct terrain {
    dry_height_field_def def;
    float height[SAMPLES];
    uint8_t hole[CELLS * CELLS];
    uint16_t material[CELLS * CELLS];
    /* The closed mesh: samples, then those below them; triangles of the field by their numbers, then others.
     */
    dry_vec3 vertex[2 * SAMPLES];
    int32_t corner[3 * FACES_MAX];
    uint16_t face_material[FACES_MAX];
    int32_t number[FACES_MAX]; /* of the triangle in the field; -1 for another face */
    int faces;
} terrain;

static inline bool is_ground(const terrain *t, int row, int column)
{
    return row >= 0 && column >= 0 && row < CELLS && column < CELLS && !t->hole[row * CELLS + column];
}

/* Fills holes until no two cells meet at a corner alone: four walls would share an edge, and the mesh of a
 * solid has two triangles at each. */
static inline void fill_corners(terrain *t)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (int r = 0; r + 1 < CELLS; r++)
            for (int c = 0; c + 1 < CELLS; c++) {
                const bool a = is_ground(t, r, c), b = is_ground(t, r, c + 1);
                const bool d = is_ground(t, r + 1, c), e = is_ground(t, r + 1, c + 1);
                if (a != e || b != d || a == b)
                    continue;
                t->hole[(r + a) * CELLS + c] = t->hole[(r + !a) * CELLS + c + 1] = 0;
                changed = true;
            }
    }
}

static inline void draw_terrain(terrain *t, double rough, int holes_in_ten, uint64_t *seed)
{
    *t = (terrain){.def = {.rows = SIDE, .columns = SIDE, .spacing = {1, 1.25f}, .solid_depth = 1.5f}};
    t->def.heights = t->height;
    t->def.holes = t->hole;
    t->def.material_indices = t->material;
    t->def.diagonal = (dry_diagonal)random_below(seed, 2);
    for (int i = 0; i < SAMPLES; i++)
        t->height[i] = (float)(floor(1024 * random_in(seed, -rough, rough)) / 1024);
    for (int i = 0; i < CELLS * CELLS; i++) {
        t->hole[i] = i > 0 && random_below(seed, 10) < holes_in_ten;
        t->material[i] = (uint16_t)(i % 2);
    }
    fill_corners(t);
}

static inline void add_face(terrain *t, int a, int b, int c, int cell, int number)
{
    const int corner[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        t->corner[3 * t->faces + i] = corner[i];
    t->face_material[t->faces] = t->material[cell];
    t->number[t->faces++] = number;
}

/* Adds the two triangles of a cell on top, or turned and below. */
static inline void add_cell(terrain *t, int cell, int below)
{
    const int a = cell / CELLS * SIDE + cell % CELLS, b = a + 1, d = a + SIDE, e = d + 1;
    const int forward[6] = {a, d, e, a, e, b}, backward[6] = {a, d, b, b, d, e};
    const int *at = t->def.diagonal == DRY_DIAGONAL_FORWARD ? forward : backward;
    for (int half = 0; half < 2; half++, at += 3)
        add_face(t, at[0] + below, at[below ? 2 : 1] + below, at[below ? 1 : 2] + below, cell,
                 below ? -1 : 2 * cell + half);
}

static inline void add_walls(terrain *t, int cell)
{
    const int r = cell / CELLS, c = cell % CELLS, a = r * SIDE + c;
    const int around[5] = {a, a + SIDE, a + SIDE + 1, a + 1, a}; /* counterclockwise seen from above */
    const int beyond[4][2] = {{r, c - 1}, {r + 1, c}, {r, c + 1}, {r - 1, c}};
    for (int k = 0; k < 4; k++) {
        const int p = around[k], q = around[k + 1];
        if (is_ground(t, beyond[k][0], beyond[k][1]))
            continue;
        add_face(t, p + SAMPLES, q + SAMPLES, q, cell, -1);
        add_face(t, p + SAMPLES, q, p, cell, -1);
    }
}

static inline dry_shape_data *close_mesh(terrain *t)
{
    for (int i = 0; i < SAMPLES; i++) {
        const double x = (i % SIDE) * (double)t->def.spacing[0], z = (i / SIDE) * (double)t->def.spacing[1];
        t->vertex[i] = v3(x, (double)t->height[i], z);
        t->vertex[i + SAMPLES] = v3(x, (double)t->height[i] - (double)t->def.solid_depth, z);
    }
    for (int part = 0; part < 3; part++)
        for (int cell = 0; cell < CELLS * CELLS; cell++) {
            if (!is_ground(t, cell / CELLS, cell % CELLS))
                continue;
            if (part < 2)
                add_cell(t, cell, part ? SAMPLES : 0);
            else
                add_walls(t, cell);
        }
    const dry_mesh mesh = {t->vertex, t->corner, 2 * SAMPLES, t->faces};
    const dry_mesh_options options = {.solid = true, .material_indices = t->face_material};
    dry_shape_data *data = NULL;
    assert_ok(dry_mesh_create(&mesh, &options, NULL, &data, NULL));
    return data;
}

static inline dry_shape_data *make_field(const terrain *t)
{
    dry_shape_data *data = NULL;
    assert_ok(dry_height_field_create(&t->def, NULL, &data, NULL));
    return data;
}

/* Returns a compound of one shape, which takes the data. */
static inline dry_shape_data *make_compound(dry_shape_type type, dry_shape_data *data, dry_vec3 scale)
{
    dry_shape_def child = data_shape(type, data);
    child.scale = scale;
    dry_shape_data *compound = NULL;
    assert_ok(dry_compound_create(&child, 1, NULL, &compound));
    dry_shape_data_release(data);
    return compound;
}

/* Returns a world with one static body of the data, whose two materials have ids. */
static inline dry_world *world_of(dry_shape_type type, dry_shape_data *data, dry_pose pose, dry_vec3 scale)
{
    dry_material materials[2] = {dry_default_material(), dry_default_material()};
    materials[0].id = 10;
    materials[1].id = 11;
    dry_shape_def def = data_shape(type, data);
    def.scale = scale;
    def.materials = materials;
    def.material_count = 2;
    dry_world *world = world_with(test_settings());
    add_body(world, DRY_BODY_STATIC, pose, def);
    dry_shape_data_release(data);
    return world;
}

/* The same ground as a field and as its oracle, at one place. */
typedef struct grounds {
    terrain t;
    dry_world *field, *mesh;
    dry_pose pose;
    dry_vec3 scale;
} grounds;

static inline void make_grounds(grounds *g, int n, uint64_t *seed)
{
    draw_terrain(&g->t, n % 4 ? 1 : 0, n % 3 * 2, seed);
    const d3 at = random_d3(seed, 100);
    g->pose = (dry_pose){{at.x, at.y, at.z}, random_quat(seed)};
    g->scale = n % 2 ? v3(-1.5, 2, 0.75) : v3(1, 1, 1);
    if (n % 5 == 4)
        g->field =
            world_of(DRY_SHAPE_COMPOUND, make_compound(DRY_SHAPE_HEIGHT_FIELD, make_field(&g->t), g->scale),
                     g->pose, v3(1, 1, 1));
    else
        g->field = world_of(DRY_SHAPE_HEIGHT_FIELD, make_field(&g->t), g->pose, g->scale);
    g->mesh = world_of(DRY_SHAPE_MESH, close_mesh(&g->t), g->pose, g->scale);
}

static inline void destroy_grounds(grounds *g)
{
    dry_world_destroy(g->field);
    dry_world_destroy(g->mesh);
}

/* Draws a point of the ground's frame in and around the solid, in the world. */
static inline d3 draw_place(const grounds *g, uint64_t *seed)
{
    const double x = random_in(seed, -1.5, SIDE + 0.5), y = random_in(seed, -4, 2.5);
    const double z = random_in(seed, -1.5, 1.25 * SIDE + 0.5);
    const d3 at = {x * (double)g->scale.x, y * (double)g->scale.y, z * (double)g->scale.z};
    return d3_add(d3_at(g->pose.position), d3_turn(g->pose.orientation, at));
}

#endif
