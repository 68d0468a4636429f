/* A field of heights as an asset: samples in rows and columns, cells between four samples, two triangles a
 * cell. One block of memory without pointers; saving it is copying it.
 *
 *      header | heights | holes | materials | levels of tiles
 *
 *      x = column spacing[0], z = row spacing[1], y = the height, all in the field's frame, m
 *
 *      (r, c) a --- b (r, c+1)     forward:  0: a d e   1: a e b      counterclockwise seen from above
 *             |     |              backward: 0: a d b   1: b d e
 *   (r+1, c) d --- e (r+1, c+1)    cell = r (columns - 1) + c, triangle = 2 cell + 0 or 1
 *
 * Tiles of 4 x 4 cells, and above them tiles of 2 x 2 tiles each, hold the least and the largest height of
 * their cells that are no holes. They lead boxes, rays and searches. Four bytes are the height, 0.7 the
 * tiles, an eighth the hole, one or two the material.
 *
 * The hash is a sum over tiles of samples: a rectangle of heights is replaced, tiles and hash included, in
 * time that its own samples decide.
 *
 * Edges: a neighbor's number follows from the triangle's. Kinds of edges are computed when they are asked
 * for, by the rule of a mesh (mesh_edge_code.c). Scale: see mesh_tree.h.
 *
 * Next: height_field.c (build, replacement), height_field_queries.c, height_field_rays.c. */
#ifndef GEOMETRY_HEIGHT_FIELD_H
#define GEOMETRY_HEIGHT_FIELD_H

#include "geometry/mesh_tree.h"

enum {
    DRY_HEIGHT_FIELD_SIDE_MAX = 16385,
    DRY_HEIGHT_FIELD_TILE = 4, /* cells a side */
    DRY_HEIGHT_FIELD_LEVELS_MAX = 13,
};

/* The heights of a tile; of one without cells: infinity and -infinity. */
typedef struct dry_height_range {
    float min, max; /* m */
} dry_height_range;

/* The beginning of a block. Offsets are in bytes from here. */
typedef struct dry_height_field {
    uint32_t magic, version;
    uint64_t bytes; /* of the whole block */
    uint64_t hash;
    uint64_t fixed_hash;   /* of all but the heights */
    uint64_t height_sum;   /* over the hashes of tiles of samples */
    int32_t rows, columns; /* samples */
    float spacing[2];      /* m, along x and z */
    float solid_depth;     /* m; 0: a surface */
    uint32_t backward;     /* which diagonal */
    uint32_t holes_present, material_bytes, levels, unused;
    uint64_t heights, holes, materials;
    uint64_t tiles[DRY_HEIGHT_FIELD_LEVELS_MAX]; /* for each level; the last one has one tile */
} dry_height_field;
_Static_assert(sizeof(dry_height_field) == 208, "a header has no padding");

static inline const void *dry_height_field_at(const dry_height_field *field, uint64_t offset)
{
    return (const char *)field + offset;
}

/* Returns a sample, which those of its row follow. */
static inline const float *dry_height_field_samples(const dry_height_field *field, int row, int column)
{
    const float *heights = dry_height_field_at(field, field->heights);
    return &heights[(size_t)row * (size_t)field->columns + (size_t)column];
}

static inline float dry_height_field_height(const dry_height_field *field, int row, int column)
{
    return *dry_height_field_samples(field, row, column);
}

static inline size_t dry_height_field_cell(const dry_height_field *field, int row, int column)
{
    return (size_t)row * (size_t)(field->columns - 1) + (size_t)column;
}

static inline bool dry_height_field_is_hole(const dry_height_field *field, size_t cell)
{
    const uint8_t *holes = dry_height_field_at(field, field->holes);
    return field->holes_present && holes[cell / 8] >> (cell % 8) & 1;
}

static inline uint16_t dry_height_field_material(const dry_height_field *field, size_t cell)
{
    const void *materials = dry_height_field_at(field, field->materials);
    if (field->material_bytes == 0)
        return 0;
    return field->material_bytes == 1 ? ((const uint8_t *)materials)[cell]
                                      : ((const uint16_t *)materials)[cell];
}

/* Returns the number of tiles of a level along one side, which has `samples`. */
static inline int dry_height_field_tiles(int samples, int level)
{
    const int cells = DRY_HEIGHT_FIELD_TILE << level;
    return (samples - 1 + cells - 1) / cells;
}

static inline const dry_height_range *dry_height_field_tile(const dry_height_field *field, int level, int row,
                                                            int column)
{
    const dry_height_range *tiles = dry_height_field_at(field, field->tiles[level]);
    return &tiles[(size_t)row * (size_t)dry_height_field_tiles(field->columns, level) + (size_t)column];
}

/* Returns the range of all heights of cells. */
static inline dry_height_range dry_height_field_range(const dry_height_field *field)
{
    return *dry_height_field_tile(field, (int)field->levels - 1, 0, 0);
}

/* Writes the corners of a triangle, m. */
void dry_height_field_triangle(const dry_height_field *field, uint32_t triangle, dry_double3 corner[3]);

/* The faces of a field: its triangles, and below each triangle what bounds the solid there. A face's number
 * is the triangle's, with bits above it that tell which one. */
enum {
    DRY_HEIGHT_FACE_SHIFT = 29,
    DRY_HEIGHT_FACE_UNDER = 1, /* the underside */
    DRY_HEIGHT_FACE_WALL = 2,  /* under edge k, with no cell beyond: halves 2 + 2 k and 3 + 2 k */
    DRY_HEIGHT_TRIANGLE_MASK = (1 << DRY_HEIGHT_FACE_SHIFT) - 1,
    DRY_HEIGHT_FACES_MAX = 8, /* at one triangle */
};

/* Writes the faces at a triangle, itself first. Returns their number: 1 where the field is a surface. */
int dry_height_field_faces(const dry_height_field *field, uint32_t triangle,
                           uint32_t faces[DRY_HEIGHT_FACES_MAX]);

/* Writes the corners of a face, m, counterclockwise seen from outside. */
void dry_height_field_face(const dry_height_field *field, uint32_t face, dry_double3 corner[3]);

/* Writes the kinds and angles of a triangle's edges. */
void dry_height_field_edges(const dry_height_field *field, uint32_t triangle, dry_edge_angle edges[3]);

/* Building. */

/* Builds a block in memory of the allocator, which takes it back; null means an error, which the
 * report names. `allocator` may be null for the C library's. */
dry_height_field *dry_height_field_build(const dry_height_field_def *def, const dry_allocator *allocator,
                                         dry_height_field_report *report);

/* A rectangle of samples. */
typedef struct dry_height_rectangle {
    int row, column, rows, columns;
} dry_height_rectangle;

/* Returns why heights, given row by row, can't replace those of a rectangle; DRY_HEIGHT_BUILT if they can. */
dry_height_field_error dry_height_field_replace_error(const dry_height_field *field,
                                                      const dry_height_rectangle *where, const float *heights,
                                                      int64_t *element);
/* Replaces a rectangle of heights by heights without an error. */
void dry_height_field_replace(dry_height_field *field, const dry_height_rectangle *where,
                              const float *heights);

/* Returns the box of all cells around the samples of a rectangle, holes too, with the solid below, m. */
dry_box dry_height_field_rectangle_box(const dry_height_field *field, const dry_height_rectangle *where);

/* Tells whether `size` bytes, aligned to 8, are a block. It trusts nothing, as dry_mesh_tree_check. */
bool dry_height_field_check(const void *bytes, size_t size);

/* Queries, all in the field's frame. */

/* Visits all triangles, or all faces, whose box meets a box. Returns false if the visitor ended the query. */
bool dry_height_field_visit(const dry_height_field *field, const dry_box *box, bool all_faces,
                            dry_triangles_visitor *visit, void *context);

/* Finds the first face on a ray, as dry_mesh_tree_cast_ray: a triangle, which alone has weights of corners,
 * or another face of the solid, which is met from outside alone, and whose triangle is UINT32_MAX. A hit's
 * slot is its face. */
bool dry_height_field_cast_ray(const dry_height_field *field, const dry_mesh_ray *ray, dry_mesh_hit *hit);

/* Finds the triangle over or under a point, and the height there. Returns false beside the field and in
 * holes. */
bool dry_height_field_sample(const dry_height_field *field, double x, double z, uint32_t *triangle,
                             double *height);

/* Tells whether a point lies in the solid: at most solid_depth below the surface. */
bool dry_height_field_contains(const dry_height_field *field, dry_double3 point);

#endif
