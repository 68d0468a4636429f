/* The time of building, checking and measuring hulls, processor time of one thread, by number and kind of
 * points.
 *
 *   hulls [KIND POINTS]...     by default the kinds and numbers of the table below
 *
 * Kinds: sphere, ball, box (in it), faces (on those of a turned box), cone (the rim of a flat one, turned). A
 * row has the least and the median time of turns with clouds of other seeds. */
#define _POSIX_C_SOURCE 200809L

#include "geometry/hull_build.h"
#include "tests/blocks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS_MAX = 501 };

static uint64_t seed = 0x9e3779b97f4a7c15ull;

static double uniform(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (double)((seed * 0x2545F4914F6CDD1Dull) >> 11) / 4503599627370496.0 - 1.0;
}

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* Draws a point of the ball, with at least a tenth of its radius. */
static double draw_in_ball(double p[3])
{
    for (;;) {
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            p[k] = uniform();
            square += p[k] * p[k];
        }
        if (square <= 1.0 && square > 0.01)
            return sqrt(square);
    }
}

static void draw_point(const char *kind, double p[3])
{
    const double radius = draw_in_ball(p);
    double scale = 1.0;
    if (strcmp(kind, "sphere") == 0)
        scale = 1.0 / radius;
    else if (strcmp(kind, "box") == 0)
        for (int k = 0; k < 3; ++k)
            p[k] = uniform();
    else if (strcmp(kind, "faces") == 0)
        scale = 1.0 / fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2])));
    for (int k = 0; k < 3; ++k)
        p[k] *= scale;
    if (strcmp(kind, "cone") == 0) {
        const double across = sqrt(p[0] * p[0] + p[2] * p[2]);
        p[0] /= across;
        p[1] = 0.0;
        p[2] /= across;
    }
}

/* Faces and rims are turned, so that rounding bends them. */
static dry_vec3 place_of(const char *kind, const double p[3])
{
    static const double turn[3][3] = {
        {0.573138, -0.609007, 0.548292}, {0.740349, 0.671645, -0.027880}, {-0.351279, 0.421906, 0.835823}};
    double q[3] = {p[0], p[1], p[2]};
    if (strcmp(kind, "faces") == 0 || strcmp(kind, "cone") == 0)
        for (int k = 0; k < 3; ++k)
            q[k] = turn[k][0] * p[0] + turn[k][1] * p[1] + turn[k][2] * p[2];
    return (dry_vec3){(float)q[0], (float)q[1], (float)q[2]};
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool run(const char *kind, int count)
{
    static double build[TURNS_MAX], check[TURNS_MAX];
    const int turns = count <= 1000 ? TURNS_MAX : count <= 100000 ? 11 : 3;
    dry_vec3 *points = malloc((size_t)count * sizeof *points);
    dry_hull *hull = NULL;
    dry_hull_report report;
    int vertices = 0, faces = 0;
    bool sound = points != NULL;
    for (int i = 0; i < turns && sound; ++i) {
        for (int k = 0; k < count; ++k) {
            double p[3];
            draw_point(kind, p);
            if (k == 0 && strcmp(kind, "cone") == 0)
                memcpy(p, (double[3]){0.0, 0.001, 0.0}, sizeof p);
            points[k] = place_of(kind, p);
        }
        const double begin = microseconds();
        sound = dry_hull_build(points, count, 0, NULL, &hull, &report) == DRY_OK;
        const double built = microseconds();
        if (!sound)
            break;
        sound = dry_hull_check(hull, hull->bytes);
        build[i] = built - begin;
        check[i] = microseconds() - built;
        vertices = hull->vertex_count;
        faces = hull->face_count;
        release_hull(hull, NULL);
    }
    free(points);
    if (!sound) {
        fprintf(stderr, "hulls: no hull of %d points of kind %s\n", count, kind);
        return false;
    }
    qsort(build, (size_t)turns, sizeof *build, compare);
    qsort(check, (size_t)turns, sizeof *check, compare);
    printf("%-7s%9d%12.1f%12.1f%12.1f%10d%7d%12.3g\n", kind, count, build[0], build[turns / 2],
           check[turns / 2], vertices, faces, report.cut_m);
    return true;
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"sphere", "ball", "box", "faces", "cone"};
    static const int counts[] = {32, 128, 1000, 100000, 1000000};
    bool sound = true;
    printf("%-7s%9s%12s%12s%12s%10s%7s%12s\n", "kind", "points", "least us", "median us", "check us",
           "vertices", "faces", "cut m");
    for (int i = 1; i + 1 < argc; i += 2)
        sound = run(argv[i], atoi(argv[i + 1])) && sound;
    for (int k = 0; k < 5 && argc < 3; ++k)
        for (int i = 0; i < 5; ++i)
            sound = run(kinds[k], counts[i]) && sound;
    return sound ? 0 : 1;
}
