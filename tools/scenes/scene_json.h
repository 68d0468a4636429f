/* Reads JSON values together with their places, for the reader of scene files.
 *
 * The reader keeps the first failure, and all later calls do nothing. The code that reads an object is
 * therefore a plain list of its fields. */
#ifndef TOOLS_SCENES_SCENE_JSON_H
#define TOOLS_SCENES_SCENE_JSON_H

#include "core/compiler.h"
#include "tools/scenes/point_file.h"
#include "tools/scenes/scene_parts.h"

#include <jansson.h>

enum { DRY_JSON_OPTIONAL = 0, DRY_JSON_REQUIRED = 1 };

/* One step of the path from the file's root: a key, or an index if the key is null. */
typedef struct dry_json_place {
    const struct dry_json_place *parent;
    const char *key;
    int index;
} dry_json_place;

typedef struct dry_json_reader {
    const char *file;
    char *error;
    size_t error_bytes;
    bool failed;
    dry_scene *scene;      /* the result */
    dry_scene_ids ids;     /* ids of its bodies, for the joints */
    dry_point_file points; /* those of the file that a shape named last */
    char *points_name;     /* its path; null: none */
} dry_json_reader;

/* Gives back the points that the reader keeps. */
void dry_json_free_points(dry_json_reader *r);

/* Read the data of a mesh or a height field (scene_triangles.c). */
void dry_json_mesh(dry_json_reader *r, const dry_json_place *at, const json_t *object, dry_shape_def *def);
void dry_json_height_field(dry_json_reader *r, const dry_json_place *at, const json_t *object,
                           dry_shape_def *def);

/* Reads a whole number; 0 if it is absent. */
double dry_json_whole(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                      int required, double low, double high);
/* Reads an array of at most `most` points into memory from malloc; null after a failure. */
dry_vec3 *dry_json_points(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                          int most, int *count);
/* Reads the file of a shape into r->points, unless the last shape had the same file. */
bool dry_json_point_file(dry_json_reader *r, const dry_json_place *at, const json_t *object);

/* Reads a shape and adds it to the last body. */
void dry_json_shape(dry_json_reader *r, const dry_json_place *at, json_t *object);

/* Parses r->file. All numbers become finite JSON_REAL values. Returns null and lets the reader fail on any
 * error. */
json_t *dry_json_parse(dry_json_reader *r);

/* Lets the reader fail with "file: place: message". A null place is the whole file. */
void dry_json_fail(dry_json_reader *r, const dry_json_place *at, const char *format, ...)
#if defined(__GNUC__)
    DRY_PRINTF(3, 4)
#endif
        ;

bool dry_json_expect_kind(dry_json_reader *r, const dry_json_place *at, const json_t *value, json_type kind);

/* Lets the reader fail at the first key that is not in the null-ended list. */
void dry_json_expect_known(dry_json_reader *r, const dry_json_place *at, json_t *object,
                           const char *const *known);

/* Returns the field's value if the field exists and has that kind; else null. */
json_t *dry_json_field(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                       json_type kind, int required);

/* Returns the index of a required string in the list of names, or -1. */
int dry_json_name(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                  const char *const *names, int count);

bool dry_json_bool(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                   bool absent);
double dry_json_double(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                       int required, double absent);

/* Reads the optional materials of a shape into memory from malloc; null if it has none, or after a failure.
 */
dry_material *dry_json_materials(dry_json_reader *r, const dry_json_place *at, const json_t *object,
                                 int *count);

/* The functions below read optional fields: an absent field leaves the value unchanged. */
void dry_json_doubles(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                      int required, double *x, int count);
void dry_json_float(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                    int required, float *x);
void dry_json_vector(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                     int required, dry_vec3 *v);
/* Reads element i of an array as three numbers. */
void dry_json_element(dry_json_reader *r, const dry_json_place *at, const json_t *array, int i, dry_vec3 *v);
void dry_json_rotation(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                       dry_quat *q);

#endif
