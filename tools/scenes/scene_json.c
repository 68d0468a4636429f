/* Parses a file into JSON values and reads typed fields from them. An error names its place in the file.
 *
 * Reads a file; writes one error line. Next: scene_file.c, which knows the fields. */
#include "tools/scenes/scene_json.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_BYTES_MAX ((size_t)1 << 30)

static void append_place(const dry_json_place *at, char *text, size_t bytes)
{
    if (!at || (!at->parent && !at->key))
        return;
    append_place(at->parent, text, bytes);
    size_t used = strlen(text);
    if (at->key)
        snprintf(text + used, bytes - used, "%s%.60s", used > 0 ? "." : "", at->key);
    else
        snprintf(text + used, bytes - used, "[%d]", at->index);
}

void dry_json_fail(dry_json_reader *r, const dry_json_place *at, const char *format, ...)
{
    if (r->failed)
        return;
    r->failed = true;
    char where[256] = "", what[512];
    append_place(at, where, sizeof where);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    dry_scene_fail(r->error, r->error_bytes, "%s: %s%s%s", r->file, where, where[0] ? ": " : "", what);
}

static const char *kind_name(json_type kind)
{
    switch (kind) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    default:
        return "null";
    }
}

bool dry_json_expect_kind(dry_json_reader *r, const dry_json_place *at, const json_t *value, json_type kind)
{
    if (r->failed)
        return false;
    if (json_typeof(value) != kind)
        dry_json_fail(r, at, "expected %s, got %s", kind_name(kind), kind_name(json_typeof(value)));
    return !r->failed;
}

json_t *dry_json_field(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                       json_type kind, int required)
{
    if (r->failed)
        return NULL;
    json_t *value = json_object_get(object, key);
    const dry_json_place here = {at, key, 0};
    if (!value) {
        if (required)
            dry_json_fail(r, &here, "expected %s, but the field is missing", kind_name(kind));
        return NULL;
    }
    return dry_json_expect_kind(r, &here, value, kind) ? value : NULL;
}

void dry_json_expect_known(dry_json_reader *r, const dry_json_place *at, json_t *object,
                           const char *const *known)
{
    if (r->failed)
        return;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        int i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (known[i])
            continue;
        char list[256] = "";
        for (i = 0; known[i]; i++) {
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", known[i]);
        }
        const dry_json_place here = {at, key, 0};
        dry_json_fail(r, &here, "unknown field, expected one of %s", list);
        return;
    }
}

int dry_json_name(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                  const char *const *names, int count)
{
    const json_t *value = dry_json_field(r, at, object, key, JSON_STRING, DRY_JSON_REQUIRED);
    if (!value)
        return -1;
    char list[256] = "";
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], json_string_value(value)) == 0)
            return i;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s\"%s\"", i > 0 ? " or " : "", names[i]);
    }
    const dry_json_place here = {at, key, 0};
    dry_json_fail(r, &here, "expected %s, got \"%.60s\"", list, json_string_value(value));
    return -1;
}

double dry_json_double(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                       int required, double absent)
{
    const json_t *value = dry_json_field(r, at, object, key, JSON_REAL, required);
    return value ? json_real_value(value) : absent;
}

/* The nine digits that name the largest float lie just above it; halfway to what would be the next float,
 * numbers stop to round down. */
static float to_float(dry_json_reader *r, const dry_json_place *at, double x)
{
    if (fabs(x) <= (double)FLT_MAX)
        return (float)x;
    if (fabs(x) < 0x1.ffffffp127)
        return x > 0.0 ? FLT_MAX : -FLT_MAX;
    dry_json_fail(r, at, "expected a number that is finite in single precision, got %.9g", x);
    return 0.0f;
}

void dry_json_float(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                    int required, float *x)
{
    const dry_json_place here = {at, key, 0};
    const json_t *value = dry_json_field(r, at, object, key, JSON_REAL, required);
    if (value)
        *x = to_float(r, &here, json_real_value(value));
}

static void read_numbers(dry_json_reader *r, const dry_json_place *here, const json_t *value, double *x,
                         int count)
{
    if (json_array_size(value) != (size_t)count) {
        dry_json_fail(r, here, "expected %d numbers, got %zu elements", count, json_array_size(value));
        return;
    }
    for (int k = 0; k < count; k++) {
        const dry_json_place element = {here, NULL, k};
        const json_t *number = json_array_get(value, (size_t)k);
        if (dry_json_expect_kind(r, &element, number, JSON_REAL))
            x[k] = json_real_value(number);
    }
}

void dry_json_doubles(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                      int required, double *x, int count)
{
    const json_t *value = dry_json_field(r, at, object, key, JSON_ARRAY, required);
    const dry_json_place here = {at, key, 0};
    if (value)
        read_numbers(r, &here, value, x, count);
}

void dry_json_element(dry_json_reader *r, const dry_json_place *at, const json_t *array, int i, dry_vec3 *v)
{
    const json_t *value = json_array_get(array, (size_t)i);
    const dry_json_place here = {at, NULL, i};
    double x[3] = {0.0, 0.0, 0.0};
    if (dry_json_expect_kind(r, &here, value, JSON_ARRAY))
        read_numbers(r, &here, value, x, 3);
    float *const to[] = {&v->x, &v->y, &v->z};
    for (int k = 0; k < 3; k++) {
        const dry_json_place element = {&here, NULL, k};
        *to[k] = to_float(r, &element, x[k]);
    }
}

static void read_floats(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                        int required, float *const *x, int count)
{
    double read[4] = {0};
    for (int k = 0; k < count; k++)
        read[k] = (double)*x[k];
    dry_json_doubles(r, at, object, key, required, read, count);
    const dry_json_place here = {at, key, 0};
    for (int k = 0; k < count; k++) {
        const dry_json_place element = {&here, NULL, k};
        *x[k] = to_float(r, &element, read[k]);
    }
}

void dry_json_vector(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                     int required, dry_vec3 *v)
{
    read_floats(r, at, object, key, required, (float *const[]){&v->x, &v->y, &v->z}, 3);
}

void dry_json_rotation(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                       dry_quat *q)
{
    read_floats(r, at, object, key, DRY_JSON_OPTIONAL, (float *const[]){&q->x, &q->y, &q->z, &q->w}, 4);
}

bool dry_json_bool(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                   bool absent)
{
    const json_t *value = r->failed ? NULL : json_object_get(object, key);
    const dry_json_place here = {at, key, 0};
    if (value && !json_is_boolean(value))
        dry_json_fail(r, &here, "expected true or false, got %s", kind_name(json_typeof(value)));
    return value ? json_is_true(value) : absent;
}

typedef struct source {
    FILE *file;
    size_t bytes;
    bool too_long;
} source;

static size_t read_block(void *buffer, size_t bytes, void *user)
{
    source *from = user;
    size_t got = fread(buffer, 1, bytes, from->file);
    from->bytes += got;
    from->too_long = from->bytes > FILE_BYTES_MAX;
    return from->too_long || ferror(from->file) ? (size_t)-1 : got;
}

json_t *dry_json_parse(dry_json_reader *r)
{
    struct stat status;
    source from = {.file = fopen(r->file, "rb")};
    if (!from.file || fstat(fileno(from.file), &status) != 0) {
        dry_json_fail(r, NULL, "expected a file to read: %s", strerror(errno));
        if (from.file)
            fclose(from.file);
        return NULL;
    }
    json_t *root = NULL;
    json_error_t error;
    errno = 0;
    if (S_ISDIR(status.st_mode)) {
        dry_json_fail(r, NULL, "expected a scene file, got a directory");
    } else {
        /* All numbers are read as doubles, so that an integer of 30 digits is valid, too. */
        root =
            json_load_callback(read_block, &from, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
        if (from.too_long)
            dry_json_fail(r, NULL, "expected at most %zu bytes", FILE_BYTES_MAX);
        else if (ferror(from.file))
            dry_json_fail(r, NULL, "expected a file to read: %s", strerror(errno));
        else if (!root && !r->failed) {
            bool overflow = json_error_code(&error) == json_error_numeric_overflow;
            r->failed = true;
            dry_scene_fail(r->error, r->error_bytes, "%s:%d:%d: expected %s: %s", r->file, error.line,
                           error.column, overflow ? "a finite number" : "JSON", error.text);
        }
    }
    fclose(from.file);
    if (r->failed && root) {
        json_decref(root);
        root = NULL;
    }
    return root;
}
