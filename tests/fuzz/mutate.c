/* Changes scene files for libFuzzer: numbers, elements of arrays, and fields of joints. Bytes changed blindly
 * rarely leave a text that is JSON. */
#include "tests/fuzz/fuzz.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t size_max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed);

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Replaces `length` bytes at `at`. Returns the new size, or `size` unless there is room. */
static size_t splice(uint8_t *data, size_t size, size_t size_max, size_t at, size_t length, const char *text,
                     size_t text_length)
{
    if (size - length + text_length > size_max)
        return size;
    memmove(data + at + text_length, data + at + length, size - at - length);
    memcpy(data + at, text, text_length);
    return size - length + text_length;
}

static bool in_number(uint8_t c)
{
    return isdigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* Finds the first number from a random place on. Returns its length, 0 if there is none. */
static size_t find_number(const uint8_t *data, size_t size, unsigned *seed, size_t *at)
{
    for (size_t i = next(seed) % size; i < size; ++i) {
        if (!isdigit(data[i]) && data[i] != '-')
            continue;
        size_t begin = i, end = i;
        while (begin > 0 && in_number(data[begin - 1]))
            begin--;
        while (end < size && in_number(data[end]))
            end++;
        *at = begin;
        return end - begin;
    }
    return 0;
}

static size_t change_number(uint8_t *data, size_t size, size_t size_max, unsigned *seed)
{
    static const char *const extremes[] = {
        "0",      "-0",    "1",     "-1",   "0.5",  "1e-4", "1e-38", "1e-45", "1e-20", "1e-7", "1e-12",
        "1e6",    "-1e6",  "1e9",   "-1e9", "1e15", "1e5",  "1e4",   "1e3",   "1.001", "1e38", "1e39",
        "1e-320", "1e308", "1e999", "2e-4", "100",  "0.01", "0.707", "1e12",  "1e-3",  "3"};
    size_t at, length = find_number(data, size, seed, &at);
    if (length == 0 || length > 40)
        return size;
    char old[48], text[48];
    memcpy(old, data + at, length);
    old[length] = '\0';
    const double x = strtod(old, NULL);
    switch (next(seed) % 4) {
    case 0:
        snprintf(text, sizeof text, "%.9g", x * (0.5 + next(seed) % 1024 / 512.0));
        break;
    case 1:
        snprintf(text, sizeof text, "%.9g", x + (next(seed) % 1024 - 512.0) / 256);
        break;
    default:
        snprintf(text, sizeof text, "%s", extremes[next(seed) % (sizeof extremes / sizeof *extremes)]);
    }
    if (strpbrk(text, "in")) /* infinite or not a number */
        return size;
    return splice(data, size, size_max, at, length, text, strlen(text));
}

/* Returns the length of the object, array or string that begins at `at`; 0 if it has no end. */
static size_t length_of(const uint8_t *data, size_t size, size_t at)
{
    int depth = 0;
    bool quoted = false;
    for (size_t i = at; i < size; ++i) {
        if (quoted) {
            i += data[i] == '\\';
            quoted = i >= size || data[i] != '"';
        } else {
            quoted = data[i] == '"';
            depth += (data[i] == '{' || data[i] == '[') - (data[i] == '}' || data[i] == ']');
        }
        if (!quoted && depth == 0)
            return i - at + 1;
    }
    return 0;
}

/* Doubles or removes an object of an array, with its comma. */
static size_t change_object(uint8_t *data, size_t size, size_t size_max, unsigned *seed)
{
    size_t at = 1 + next(seed) % size;
    while (at < size && data[at] != '{')
        at++;
    const size_t length = at < size ? length_of(data, size, at) : 0;
    if (length == 0)
        return size;
    if (next(seed) % 3 == 0) {
        const size_t comma = at + length < size && data[at + length] == ',';
        return splice(data, size, size_max, at, length + comma, "", 0);
    }
    char *copy = malloc(length + 1);
    if (!copy)
        return size;
    memcpy(copy, data + at, length);
    copy[length] = ',';
    const size_t grown = splice(data, size, size_max, at, 0, copy, length + 1);
    free(copy);
    return grown;
}

/* Gives a body that was doubled an id of its own: appends a digit to one. */
static size_t change_id(uint8_t *data, size_t size, size_t size_max, unsigned *seed)
{
    static const char key[] = "\"id\": \"";
    const char digit[] = {(char)('0' + next(seed) % 10)};
    for (size_t i = next(seed) % size; i + sizeof key <= size; ++i)
        if (memcmp(data + i, key, sizeof key - 1) == 0)
            return splice(data, size, size_max, i + sizeof key - 1, 0, digit, 1);
    return size;
}

/* Finds a text from a random place on. Returns its place, or `size`. */
static size_t find_text(const uint8_t *data, size_t size, const char *text, unsigned *seed)
{
    const size_t length = strlen(text);
    for (size_t i = next(seed) % size; i + length <= size; ++i)
        if (memcmp(data + i, text, length) == 0)
            return i;
    return size;
}

/* Gives a joint another type, or a field that it may lack: before its anchor, in its axes or in one of them.
 */
static size_t change_joint(uint8_t *data, size_t size, size_t size_max, unsigned *seed)
{
    static const char *const types[] = {"ball",  "distance",   "target", "hinge",   "slider", "universal",
                                        "fixed", "cone-twist", "wheel",  "generic", "align"};
    static const struct {
        const char *at;
        bool behind;
        const char *fields[12];
    } places[] = {
        {"\"anchor_b\"",
         false,
         {"\"length_min\":0.5,", "\"length_max\":1.5,", "\"length\":1,", "\"collide\":true,",
          "\"stiffness\":9,", "\"damping\":1,", "\"break_force\":10,", "\"break_torque\":3,",
          "\"event_force\":1,", "\"swing_max\":0.5,", "\"force_max\":50,", "\"axes\": {},"}},
        {"\"axes\": {",
         true,
         {"\"x\": {\"max\": 1},", "\"y\": {\"stiffness\": 9},", "\"z\": {\"state\": \"free\"},",
          "\"rx\": {\"velocity\": 3},", "\"ry\": {\"min\": -1},", "\"rz\": {\"friction\": 1},"}},
        {"x\": {",
         true,
         {"\"min\": -0.25,", "\"max\": 0.25,", "\"stop_hertz\": 5,", "\"stop_restitution\": 1,",
          "\"velocity\": 1,", "\"position\": 0.5,", "\"motor_hertz\": 3,", "\"force_max\": 20,",
          "\"stiffness\": 30,", "\"damping\": 2,", "\"friction\": 0.5,", "\"state\": \"limited\","}},
    };
    const unsigned kind = next(seed) % 4;
    if (kind == 3) {
        const unsigned type_count = sizeof types / sizeof *types;
        const char *from = types[next(seed) % type_count], *to = types[next(seed) % type_count];
        const size_t at = find_text(data, size, from, seed);
        return at < size ? splice(data, size, size_max, at, strlen(from), to, strlen(to)) : size;
    }
    const char *field = places[kind].fields[next(seed) % 12];
    const size_t at = find_text(data, size, places[kind].at, seed);
    const size_t behind = places[kind].behind ? strlen(places[kind].at) : 0;
    return at < size && field ? splice(data, size, size_max, at + behind, 0, field, strlen(field)) : size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed)
{
    if (size < 2)
        return LLVMFuzzerMutate(data, size, size_max);
    const unsigned changes = 1 + next(&seed) % 3;
    for (unsigned i = 0; i < changes && size > 1; ++i) {
        switch (next(&seed) % 10) {
        case 0:
        case 1:
            size = LLVMFuzzerMutate(data, size, size_max);
            break;
        case 2:
            size = change_object(data, size, size_max, &seed);
            break;
        case 3:
            size = change_object(data, size, size_max, &seed);
            if (size > 1)
                size = change_id(data, size, size_max, &seed);
            break;
        case 4:
        case 5:
            size = change_joint(data, size, size_max, &seed);
            break;
        default:
            size = change_number(data, size, size_max, &seed);
        }
    }
    return size;
}
