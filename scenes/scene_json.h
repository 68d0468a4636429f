/* JSON values with the place where they stand, for the scene file's reader.
 *
 * The first failure is kept and everything after it does nothing, so that reading an object is a plain
 * list of its fields. */
#ifndef SCENES_SCENE_JSON_H
#define SCENES_SCENE_JSON_H

#include "scenes/scene_parts.h"

#include <jansson.h>

enum { DRY_JSON_OPTIONAL = 0, DRY_JSON_REQUIRED = 1 };

/* A step of the way from the file's root: a key, or an index where the key is null. */
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
    dry_scene *scene;  /* being read */
    dry_scene_ids ids; /* of its bodies, while joints are read */
} dry_json_reader;

/* Parses r->file. All numbers come as JSON_REAL and finite. Null, and the reader failed, on any error. */
json_t *dry_json_parse(dry_json_reader *r);

/* Fails with "file: place: message". A null place is the whole file. */
void dry_json_fail(dry_json_reader *r, const dry_json_place *at, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

bool dry_json_expect_kind(dry_json_reader *r, const dry_json_place *at, const json_t *value, json_type kind);

/* Fails on the first key that is not in the null-ended list. */
void dry_json_expect_known(dry_json_reader *r, const dry_json_place *at, json_t *object,
                           const char *const *known);

/* The field's value if it is there and of that kind; null otherwise. */
json_t *dry_json_field(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                       json_type kind, int required);

/* The index of the string in the list of names, or -1. Required. */
int dry_json_name(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                  const char *const *names, int count);

bool dry_json_bool(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                   bool absent);
double dry_json_double(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                       int required, double absent);

/* The rest leave the value as it is where the field is absent. */
void dry_json_doubles(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                      int required, double *x, int count);
void dry_json_float(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                    int required, float *x);
void dry_json_vector(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                     int required, dry_vec3 *v);
/* The field "orientation". */
void dry_json_rotation(dry_json_reader *r, const dry_json_place *at, const json_t *object, dry_quat *q);

#endif
