/* Reads OBJ and STL files (point_file.h): vertices and faces alone. Normals, colors, groups and materials are
 * passed over. Next: scene_shapes.c, which makes hulls of the points. */
#include "tools/scenes/point_file.h"

#include "tools/scenes/scene_parts.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BYTES_MAX ((size_t)1 << 31)
#define POINTS_MAX 100000000
#define COMPONENT_MAX 1e6

enum { STL_HEADER = 84, STL_TRIANGLE = 50, NUMBER_BYTES = 64 };

/* A file in memory, ended by a null byte, and the place of the reader in it. */
typedef struct source {
    const char *path;
    char *text, *at, *end; /* `at` is the next byte, in the line `line`; `end` is its newline or last byte */
    size_t bytes;
    int line;
    dry_point_file *file;
    char *error;
    size_t error_bytes;
} source;

static bool fail(const source *s, const char *expected)
{
    if (s->line > 0)
        return dry_scene_fail(s->error, s->error_bytes, "%s:%d: expected %s", s->path, s->line, expected);
    return dry_scene_fail(s->error, s->error_bytes, "%s: expected %s", s->path, expected);
}

/* ---- The file ---- */

static bool load_open(source *s, FILE *stream)
{
    struct stat status;
    char reason[160];
    if (fstat(fileno(stream), &status) != 0 || !S_ISREG(status.st_mode))
        return fail(s, "an ordinary file");
    if ((uint64_t)status.st_size > BYTES_MAX)
        return fail(s, "at most 2 GiB");
    s->text = malloc((size_t)status.st_size + 1);
    if (!s->text)
        return dry_scene_fail(s->error, s->error_bytes, "%s: out of memory", s->path);
    s->bytes = fread(s->text, 1, (size_t)status.st_size, stream);
    s->text[s->bytes] = '\0';
    if (!ferror(stream))
        return true;
    snprintf(reason, sizeof reason, "a file to read: %s", strerror(errno));
    return fail(s, reason);
}

static bool load(source *s)
{
    char reason[160];
    struct stat status;
    /* Opening a pipe without a writer would wait for one. */
    FILE *stream = stat(s->path, &status) == 0 && S_ISFIFO(status.st_mode) ? NULL : fopen(s->path, "rb");
    if (!stream) {
        snprintf(reason, sizeof reason, "a file to read: %s", strerror(errno != 0 ? errno : EINVAL));
        return fail(s, reason);
    }
    const bool loaded = load_open(s, stream);
    fclose(stream);
    return loaded;
}

/* ---- Lines and words ---- */

/* Moves to the next line. Returns false behind the last one. */
static bool next_line(source *s)
{
    if (s->line > 0)
        s->at = s->end + 1;
    if (s->at >= s->text + s->bytes)
        return false;
    s->line++;
    s->end = memchr(s->at, '\n', (size_t)(s->text + s->bytes - s->at));
    if (!s->end)
        s->end = s->text + s->bytes;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Returns the length of the next word of the line; 0 at the line's end. */
static size_t next_word(source *s)
{
    while (s->at < s->end && is_space(*s->at))
        s->at++;
    size_t length = 0;
    while (s->at + length < s->end && !is_space(s->at[length]))
        length++;
    return length;
}

static bool take_word(source *s, const char *word)
{
    const size_t length = next_word(s);
    if (length != strlen(word) || memcmp(s->at, word, length) != 0)
        return false;
    s->at += length;
    return true;
}

/* Reads a decimal number. strtod wants the decimal point of the program's locale. */
static bool take_number(source *s, double *x)
{
    const size_t length = next_word(s);
    char word[NUMBER_BYTES], *end;
    if (length == 0 || length >= sizeof word || memchr(s->at, '\0', length))
        return false;
    memcpy(word, s->at, length);
    word[length] = '\0';
    char *point = strchr(word, '.');
    if (point)
        *point = localeconv()->decimal_point[0];
    if (strpbrk(word, "xXnN")) /* hexadecimal digits, and what is no finite number */
        return false;
    *x = strtod(word, &end);
    s->at += length;
    return *end == '\0';
}

/* ---- Points and triangles ---- */

static bool add_point(source *s, const double x[3])
{
    dry_point_file *f = s->file;
    for (int k = 0; k < 3; k++)
        if (!(fabs(x[k]) <= COMPONENT_MAX))
            return fail(s, "a vertex of three numbers from -1e+06 to 1e+06");
    if (f->point_count >= POINTS_MAX)
        return fail(s, "at most 100,000,000 vertices");
    if (!dry_scene_grow((void **)&f->points, &f->point_capacity, f->point_count, sizeof *f->points))
        return dry_scene_fail(s->error, s->error_bytes, "%s: out of memory", s->path);
    f->points[f->point_count++] = (dry_vec3){(float)x[0], (float)x[1], (float)x[2]};
    return true;
}

static bool add_triangle(source *s, int32_t a, int32_t b, int32_t c)
{
    dry_point_file *f = s->file;
    if (!dry_scene_grow((void **)&f->triangles, &f->triangle_capacity, f->triangle_count,
                        3 * sizeof *f->triangles))
        return dry_scene_fail(s->error, s->error_bytes, "%s: out of memory", s->path);
    int32_t *to = &f->triangles[3 * (size_t)f->triangle_count++];
    to[0] = a;
    to[1] = b;
    to[2] = c;
    return true;
}

static bool read_vertex(source *s)
{
    double x[3];
    for (int k = 0; k < 3; k++)
        if (!take_number(s, &x[k]))
            return fail(s, "a vertex of three numbers from -1e+06 to 1e+06");
    return add_point(s, x);
}

/* ---- OBJ ---- */

/* Reads the number of a vertex from a word such as 7, 7/2/3 or -1, which is the last vertex so far. */
static bool take_corner(source *s, int32_t *corner)
{
    const size_t length = next_word(s);
    char word[NUMBER_BYTES], *end;
    if (length == 0 || length >= sizeof word)
        return false;
    memcpy(word, s->at, length);
    word[length] = '\0';
    s->at += length;
    const long number = strtol(word, &end, 10), count = s->file->point_count;
    if (end == word || (*end != '\0' && *end != '/'))
        return false;
    if (number == 0 || number > count || number < -count)
        return false;
    *corner = (int32_t)(number > 0 ? number - 1 : count + number);
    return true;
}

/* Cuts a polygon into triangles that share its first corner. */
static bool read_face(source *s)
{
    static const char expected[] = "a face of at least three numbers of vertices above it";
    int32_t first, before, corner;
    if (!take_corner(s, &first) || !take_corner(s, &before) || next_word(s) == 0)
        return fail(s, expected);
    while (next_word(s) > 0) {
        if (!take_corner(s, &corner))
            return fail(s, expected);
        if (!add_triangle(s, first, before, corner))
            return false;
        before = corner;
    }
    return true;
}

static bool read_obj(source *s)
{
    while (next_line(s)) {
        if (take_word(s, "v")) {
            if (!read_vertex(s))
                return false;
        } else if (take_word(s, "f")) {
            if (!read_face(s))
                return false;
        }
    }
    return true;
}

/* ---- STL ---- */

static bool read_stl_text(source *s)
{
    int corners = 0;
    while (next_line(s)) {
        if (take_word(s, "vertex")) {
            if (corners == 3)
                return fail(s, "endloop after three vertices");
            if (!read_vertex(s))
                return false;
            corners++;
        } else if (take_word(s, "endloop") || take_word(s, "endfacet")) {
            const int32_t count = s->file->point_count;
            if (corners != 0 && corners != 3)
                return fail(s, "three vertices in a facet");
            if (corners == 3 && !add_triangle(s, count - 3, count - 2, count - 1))
                return false;
            corners = 0;
        } else if (next_word(s) > 0 && !take_word(s, "facet") && !take_word(s, "outer") &&
                   !take_word(s, "solid") && !take_word(s, "endsolid")) {
            return fail(s, "a line of an STL file, such as \"vertex 0 0 1\"");
        }
    }
    return corners == 0 || fail(s, "three vertices in a facet");
}

static uint32_t read_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t stl_triangles(const source *s)
{
    return s->bytes >= STL_HEADER ? read_u32((const unsigned char *)s->text + STL_HEADER - 4) : 0;
}

static bool read_stl_bytes(source *s)
{
    const uint64_t count = stl_triangles(s);
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *at = (const unsigned char *)s->text + STL_HEADER + STL_TRIANGLE * i + 12;
        for (int corner = 0; corner < 3; corner++) {
            double x[3];
            for (int k = 0; k < 3; k++) {
                const uint32_t bits = read_u32(at + 12 * corner + 4 * k);
                float number;
                memcpy(&number, &bits, sizeof number);
                x[k] = (double)number;
                if (!(fabs(x[k]) <= COMPONENT_MAX))
                    return dry_scene_fail(s->error, s->error_bytes,
                                          "%s: triangle %llu: expected numbers from -1e+06 to 1e+06", s->path,
                                          (unsigned long long)i);
            }
            if (!add_point(s, x))
                return false;
        }
        const int32_t points = s->file->point_count;
        if (!add_triangle(s, points - 3, points - 2, points - 1))
            return false;
    }
    return true;
}

/* Some writers begin the bytes with "solid", too, so the size decides. */
static bool read_stl(source *s)
{
    if (s->bytes >= STL_HEADER && s->bytes == STL_HEADER + STL_TRIANGLE * stl_triangles(s))
        return read_stl_bytes(s);
    if (s->bytes >= 5 && memcmp(s->text, "solid", 5) == 0)
        return read_stl_text(s);
    return fail(s, "an STL file: 84 bytes and 50 for each triangle, or text that begins with \"solid\"");
}

static bool ends_in(const char *path, const char *lower, const char *upper)
{
    const size_t length = strlen(path), ending = strlen(lower);
    return length > ending &&
           (strcmp(path + length - ending, lower) == 0 || strcmp(path + length - ending, upper) == 0);
}

bool dry_point_file_read(const char *path, dry_point_file *file, char *error, size_t error_bytes)
{
    memset(file, 0, sizeof *file);
    source s = {.path = path, .file = file, .error = error, .error_bytes = error_bytes};
    const bool obj = ends_in(path, ".obj", ".OBJ");
    if (!obj && !ends_in(path, ".stl", ".STL"))
        return fail(&s, "a name that ends in .obj or .stl");
    bool read = load(&s);
    if (read) {
        s.at = s.text;
        read = obj ? read_obj(&s) : read_stl(&s);
    }
    if (read && file->point_count == 0) {
        s.line = 0;
        read = fail(&s, "at least one vertex");
    }
    free(s.text);
    if (!read)
        dry_point_file_free(file);
    return read;
}

void dry_point_file_free(dry_point_file *file)
{
    free(file->points);
    free(file->triangles);
    memset(file, 0, sizeof *file);
}
