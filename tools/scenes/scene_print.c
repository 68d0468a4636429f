/* Prints the values of a scene file. Next: scene_write.c. */
#include "tools/scenes/scene_print.h"

#include <stdlib.h>
#include <string.h>

/* Prints digits with a decimal point, which JSON requires; a locale may have printed a comma. */
static void print_digits(FILE *file, char *digits)
{
    char *comma = strchr(digits, ',');
    if (comma)
        *comma = '.';
    fputs(digits, file);
}

/* Prints 6 digits if they read back exactly, else 9 digits (15 or 17 for a double): 0.6 stays 0.6. */
void dry_print_float(FILE *file, float x)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.6g", (double)x);
    if ((float)strtod(digits, NULL) != x)
        snprintf(digits, sizeof digits, "%.9g", (double)x);
    print_digits(file, digits);
}

void dry_print_double(FILE *file, double x)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.15g", x);
    if (strtod(digits, NULL) != x)
        snprintf(digits, sizeof digits, "%.17g", x);
    print_digits(file, digits);
}

void dry_print_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', file);
        if (*c < 0x20)
            fprintf(file, "\\u%04x", *c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}

void dry_print_number(FILE *file, const char *key, float x)
{
    fprintf(file, ", \"%s\": ", key);
    dry_print_float(file, x);
}

void dry_print_floats(FILE *file, const char *key, const float *x, int count)
{
    fprintf(file, ", \"%s\": [", key);
    for (int k = 0; k < count; k++) {
        if (k > 0)
            fputs(", ", file);
        dry_print_float(file, x[k]);
    }
    fputc(']', file);
}

void dry_print_vector(FILE *file, const char *key, dry_vec3 v)
{
    dry_print_floats(file, key, (const float[]){v.x, v.y, v.z}, 3);
}

void dry_print_rotation(FILE *file, const char *key, dry_quat q)
{
    dry_print_floats(file, key, (const float[]){q.x, q.y, q.z, q.w}, 4);
}

void dry_print_place(FILE *file, const char *key, dry_position p)
{
    const double x[3] = {p.x, p.y, p.z};
    fprintf(file, ", \"%s\": [", key);
    for (int k = 0; k < 3; k++) {
        fputs(k > 0 ? ", " : "", file);
        dry_print_double(file, x[k]);
    }
    fputc(']', file);
}
