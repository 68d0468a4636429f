/* Files of points and triangles in a program's exchange formats: OBJ, and STL as text or as bytes. */
#ifndef TOOLS_SCENES_POINT_FILE_H
#define TOOLS_SCENES_POINT_FILE_H

#include <drystone/types.h>

/* The points of a file, m, and its triangles by numbers of points. A polygon of an OBJ file is a fan of
 * triangles; each triangle of an STL file has three points of its own. */
typedef struct dry_point_file {
    dry_vec3 *points;
    int32_t *triangles; /* three numbers each */
    int point_count, triangle_count;
    int point_capacity, triangle_capacity;
} dry_point_file;

/* Reads a file whose name ends in .obj or .stl. Returns false with a message of one line that names the file,
 * the line where there are lines, and the expected value. A file without a point is an error. */
bool dry_point_file_read(const char *path, dry_point_file *file, char *error, size_t error_bytes);

void dry_point_file_free(dry_point_file *file);

#endif
