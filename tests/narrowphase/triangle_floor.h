/* Floors made of triangles, or of one half-space, for tests of what lies and moves on them. Surfaces are flat
 * in y = 0 unless the name says otherwise. */
#ifndef TESTS_NARROWPHASE_TRIANGLE_FLOOR_H
#define TESTS_NARROWPHASE_TRIANGLE_FLOOR_H

#include "tests/meshes.h"

enum { FLOOR_SHAPES_MAX = 1024 };

/* Shapes with their poses; without any, a half-space. The floor owns their data. */
typedef struct triangle_floor {
    dry_shape_def shapes[FLOOR_SHAPES_MAX];
    int count;
    bool apart;    /* a body for each shape */
    bool together; /* one compound of all shapes */
    double friction;
} triangle_floor;

/* Adds the shapes as one compound. Children have the surface of the compound. */
static inline void make_compound_floor(dry_world *world, const triangle_floor *f, dry_body_def *def)
{
    dry_shape_def compound = dry_default_shape_def(), *child = malloc((size_t)f->count * sizeof *child);
    assert_non_null(child);
    for (int i = 0; i < f->count; i++) {
        child[i] = f->shapes[i];
        child[i].friction = compound.friction;
    }
    compound.type = DRY_SHAPE_COMPOUND;
    assert_ok(dry_compound_create(child, f->count, NULL, &compound.data));
    compound.friction = (float)f->friction;
    def->shapes = &compound;
    add_def(world, def);
    dry_shape_data_release(compound.data);
    free(child);
}

static inline void make_triangle_floor(dry_world *world, const void *of, dry_quat turn)
{
    const triangle_floor *f = of;
    dry_shape_def plane = halfspace_shape(v3(0, 1, 0), 0);
    plane.friction = (float)f->friction;
    dry_body_def def = body_def(DRY_BODY_STATIC, (dry_pose){{0, 0, 0}, turn}, &plane);
    if (f->count > 0 && f->together) {
        make_compound_floor(world, f, &def);
        return;
    }
    if (f->count > 0)
        def.shapes = f->shapes;
    if (f->count > 0 && !f->apart)
        def.shape_count = f->count;
    if (!f->apart || f->count == 0) {
        add_def(world, &def);
        return;
    }
    for (int i = 0; i < f->count; i++) {
        dry_shape_def shape = f->shapes[i];
        const d3 at = d3_turn(turn, d3_of(shape.pose.position));
        shape.pose.position = v3(0, 0, 0);
        def.shapes = &shape;
        def.pose.position = (dry_position){at.x, at.y, at.z};
        add_def(world, &def);
    }
}

/* Adds a shape that uses data, of which the floor takes over the reference. */
static inline dry_shape_def *floor_add(triangle_floor *f, dry_shape_type type, dry_shape_data *data, d3 at)
{
    assert_true(f->count < FLOOR_SHAPES_MAX);
    dry_shape_def *shape = &f->shapes[f->count++];
    *shape = dry_default_shape_def();
    shape->type = type;
    shape->data = data;
    shape->friction = (float)f->friction;
    shape->pose.position = v3_of(at);
    return shape;
}

static inline dry_shape_data *mesh_data(const surface *s, bool two_sided)
{
    const dry_mesh mesh = surface_mesh(s);
    const dry_mesh_options options = {.two_sided = two_sided};
    dry_shape_data *data = NULL;
    assert_ok(dry_mesh_create(&mesh, &options, NULL, &data, NULL));
    return data;
}

/* Adds a mesh and frees the surface. */
static inline dry_shape_def *floor_add_surface(triangle_floor *f, surface *s)
{
    dry_shape_def *shape = floor_add(f, DRY_SHAPE_MESH, mesh_data(s, false), (d3){0, 0, 0});
    surface_free(s);
    return shape;
}

static inline void floor_end(triangle_floor *f)
{
    for (int i = 0; i < f->count; i++)
        dry_shape_data_release(f->shapes[i].data);
    f->count = 0;
}

static inline void surface_shift(surface *s, d3 by)
{
    surface_move(s, QUAT_IDENTITY, by, 1);
}

static inline void surface_quad(surface *s, d3 a, d3 b, d3 c, d3 d)
{
    surface_loose(s, a, b, c);
    surface_loose(s, a, c, d);
}

/* A grid whose vertices are moved by up to a part of a cell. Diagonals are drawn where a cell is convex. */
static inline surface drawn_surface(int columns, int rows, double size, uint64_t *seed)
{
    surface s = {0};
    for (int r = 0; r <= rows; r++)
        for (int c = 0; c <= columns; c++) {
            const double x = random_in(seed, -0.4, 0.4), z = random_in(seed, -0.4, 0.4);
            surface_vertex(&s, (d3){(c + x) * size, 0, (r + z) * size});
        }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            const int at[4] = {r * (columns + 1) + c, (r + 1) * (columns + 1) + c,
                               (r + 1) * (columns + 1) + c + 1, r * (columns + 1) + c + 1};
            int first = random_below(seed, 2);
            for (int i = 0; i < 4; i++) {
                const d3 o = d3_of(s.vertex[at[i]]), u = d3_sub(d3_of(s.vertex[at[(i + 1) % 4]]), o),
                         v = d3_sub(d3_of(s.vertex[at[(i + 3) % 4]]), o);
                if (d3_cross(u, v).y < 0.02 * size * size)
                    first = i % 2; /* the diagonal runs through a corner that points inward */
            }
            surface_triangle(&s, at[first], at[first + 1], at[(first + 2) % 4]);
            surface_triangle(&s, at[first], at[(first + 2) % 4], at[(first + 3) % 4]);
        }
    return s;
}

/* Strips of two triangles, `wide` across, along x from -length / 2 on, turned by an angle. */
static inline surface needle_surface(int count, double wide, double length, double angle)
{
    surface s = {0};
    for (int i = 0; i < count; i++) {
        const double x = length / 2, z = (i - count / 2) * wide;
        surface_quad(&s, (d3){-x, 0, z}, (d3){-x, 0, z + wide}, (d3){x, 0, z + wide}, (d3){x, 0, z});
    }
    surface_move(&s, quat_about((d3){0, 1, 0}, angle), (d3){0, 0, 0}, 1);
    return s;
}

/* Rows of cells from x0 to x1 whose widths and depths are drawn: corners lie on the edges of neighbors. Each
 * triangle has vertices of its own. */
static inline surface junction_surface(double x0, double x1, double z0, double z1, double low, double high,
                                       uint64_t *seed)
{
    surface s = {0};
    for (double z = z0, deep; z < z1; z += deep) {
        deep = low * pow(high / low, random_in(seed, 0, 1));
        for (double x = x0, wide; x < x1; x += wide) {
            wide = low * pow(high / low, random_in(seed, 0, 1));
            const d3 a = {x, 0, z}, b = {x, 0, z + deep}, c = {x + wide, 0, z + deep}, d = {x + wide, 0, z};
            if (random_below(seed, 2))
                surface_quad(&s, a, b, c, d);
            else
                surface_quad(&s, b, c, d, a);
        }
    }
    return s;
}

/* Gives each corner a vertex of its own, and adds each third triangle once more. */
static inline void surface_spoil(surface *s, uint64_t *seed)
{
    surface_unweld(s);
    const int triangles = s->triangles;
    for (int t = 0; t < triangles; t += 3)
        surface_loose(s, surface_at(s, t, 0), surface_at(s, t, 1), surface_at(s, t, 2));
    int *original = malloc((size_t)s->triangles * sizeof *original);
    assert_non_null(original);
    surface_shuffle(s, seed, original);
    free(original);
}

/* A flat field of cells. */
static inline dry_shape_data *field_data(int cells, double size, dry_diagonal diagonal)
{
    float *heights = calloc((size_t)(cells + 1) * (size_t)(cells + 1), sizeof *heights);
    assert_non_null(heights);
    const dry_height_field_def def = {.rows = cells + 1,
                                      .columns = cells + 1,
                                      .spacing = {(float)size, (float)size},
                                      .heights = heights,
                                      .diagonal = diagonal};
    dry_shape_data *data = NULL;
    assert_ok(dry_height_field_create(&def, NULL, &data, NULL));
    free(heights);
    return data;
}

/* Fields side by side, with either diagonal in turns. */
static inline void floor_add_fields(triangle_floor *f, int count, double side, d3 corner)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++) {
            dry_shape_data *data =
                field_data(16, side / 16, (i + k) % 2 ? DRY_DIAGONAL_FORWARD : DRY_DIAGONAL_BACKWARD);
            floor_add(f, DRY_SHAPE_HEIGHT_FIELD, data, d3_add(corner, (d3){i * side, 0, k * side}));
        }
}

/* Hulls side by side: prisms below triangles of tiles of 1 m, or below the tiles. */
static inline void floor_add_hulls(triangle_floor *f, int columns, int rows, d3 corner, uint64_t *seed)
{
    for (int i = 0; i < columns; i++)
        for (int k = 0; k < rows; k++) {
            const int cut = random_below(seed, 3); /* 2: not cut */
            for (int half = 0; half < (cut == 2 ? 1 : 2); half++) {
                dry_vec3 points[8];
                int count = 0;
                for (int c = 0; c < 4; c++)
                    if (cut == 2 || c != (cut + 2 * half) % 4)
                        for (int side = 0; side < 2; side++)
                            points[count++] =
                                v3(c == 1 || c == 2 ? 1 : 0, side ? -0.3 : 0, c == 2 || c == 3 ? 1 : 0);
                dry_shape_data *data = NULL;
                assert_ok(dry_hull_create(points, count, 0, NULL, &data, NULL));
                floor_add(f, DRY_SHAPE_HULL, data, d3_add(corner, (d3){i, 0, k}));
            }
        }
}

#endif
