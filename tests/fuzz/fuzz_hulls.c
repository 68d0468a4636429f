/* Fuzzes hulls. An input is a limit of vertices, a form of numbers, and a cloud of points in that form. A
 * build ends; its hull passes its own check, has all points within the tolerance, and the same bits for the
 * points in the opposite order. Then some bytes of the block are changed, as the input's end says: the check
 * reads nothing beyond, and what passes has a sound topology. All memory comes back.
 *
 * Zeros behind an input's end mean an early end: libFuzzer grows inputs from small to large. */
#include "tests/blocks.h"
#include "tests/fuzz/fuzz.h"

#include "geometry/hull_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/counting_allocator.h"

enum { POINTS_MAX = 2000 };

typedef struct reader {
    const uint8_t *at, *end;
} reader;

static unsigned read_byte(reader *r)
{
    return r->at < r->end ? *r->at++ : 0;
}

/* How coordinates are written. */
enum { BITS, STEPS, TURNED_STEPS, NOISY_STEPS, FORMS };

/* Any float, or a step of a grid of 16 by axis. */
static float read_number(reader *r, int form, float step)
{
    if (form != BITS)
        return step * ((float)(read_byte(r) % 17) - 8.0f);
    uint32_t bits = 0;
    float number;
    for (int i = 0; i < 4; ++i)
        bits = bits << 8 | read_byte(r);
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Rotates a point by about one radian about an axis near (1, 2, 3): coordinates get all their digits. */
static dry_vec3 rotate(dry_vec3 p)
{
    const float m[3][3] = {{0.573138f, -0.609007f, 0.548292f},
                           {0.740349f, 0.671645f, -0.027880f},
                           {-0.351279f, 0.421906f, 0.835823f}};
    float q[3];
    for (int i = 0; i < 3; ++i)
        q[i] = m[i][0] * p.x + m[i][1] * p.y + m[i][2] * p.z;
    return (dry_vec3){q[0], q[1], q[2]};
}

static int read_points(reader *r, int form, dry_vec3 *points)
{
    const float step = ldexpf(1.0f, (int)(read_byte(r) % 28) - 10);
    const float noise = ldexpf(step, -(int)(read_byte(r) % 28));
    int count = 0;
    while (r->end - r->at > (form == BITS ? 12 : 3) && count < POINTS_MAX) {
        dry_vec3 p;
        p.x = read_number(r, form, step);
        p.y = read_number(r, form, step);
        p.z = read_number(r, form, step);
        if (form == TURNED_STEPS)
            p = rotate(p);
        if (form == NOISY_STEPS)
            p.y += noise * (float)(read_byte(r) % 3);
        points[count++] = p;
    }
    return count;
}

static void check_around(const dry_hull *hull, const dry_vec3 *points, int count, double cut)
{
    dry_vec3 low = points[0], high = low;
    for (int i = 0; i < count; ++i) {
        low = (dry_vec3){fminf(low.x, points[i].x), fminf(low.y, points[i].y), fminf(low.z, points[i].z)};
        high = (dry_vec3){fmaxf(high.x, points[i].x), fmaxf(high.y, points[i].y), fmaxf(high.z, points[i].z)};
    }
    const double size = fmax((double)high.x - (double)low.x,
                             fmax((double)high.y - (double)low.y, (double)high.z - (double)low.z));
    for (int i = 0; i < count; ++i)
        FUZZ_CHECK(outside_of_hull(hull, (double[3]){(double)points[i].x, (double)points[i].y,
                                                     (double)points[i].z}) <= cut + 1e-5 * size);
}

static void check_topology(const dry_hull *hull)
{
    FUZZ_CHECK(hull->vertex_count - hull->half_edge_count / 2 + hull->face_count == 2);
    for (int h = 0; h < hull->half_edge_count; ++h) {
        const int next = dry_hull_nexts(hull)[h];
        FUZZ_CHECK(next < hull->half_edge_count && dry_hull_origins(hull)[h] < hull->vertex_count);
        FUZZ_CHECK(dry_hull_faces(hull)[h] == dry_hull_faces(hull)[next]);
        FUZZ_CHECK(dry_hull_origins(hull)[next] == dry_hull_origins(hull)[h ^ 1]);
    }
}

/* Changes bytes of the block as the input's last bytes say, and cuts it. */
static void check_changed(const dry_hull *hull, reader *r)
{
    const size_t bytes = hull->bytes;
    char *copy = aligned_alloc(DRY_HULL_ALIGNMENT, bytes);
    if (!copy)
        abort();
    memcpy(copy, hull, bytes);
    for (int i = 0; i < 4; ++i) {
        const size_t at = ((size_t)read_byte(r) << 8 | read_byte(r)) % bytes;
        copy[at] = (char)((unsigned char)copy[at] ^ read_byte(r));
    }
    if (dry_hull_check(copy, bytes))
        check_topology((const dry_hull *)(const void *)copy);
    FUZZ_CHECK(!dry_hull_check(copy, bytes - DRY_HULL_ALIGNMENT));
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static dry_vec3 points[POINTS_MAX];
    /* The last twelve bytes are the changes of the block. */
    const size_t cloud = size > 12 ? size - 12 : 0;
    reader r = {data, data + cloud}, changes = {data + cloud, data + size};
    fuzz_count_input();
    const unsigned limit = read_byte(&r);
    const int form = (int)(read_byte(&r) % FORMS);
    const int count = read_points(&r, form, points);
    counting_allocator counter = {.fail_at = -1};
    const dry_allocator allocator = counting_hooks(&counter);
    dry_hull *hull = NULL, *again = NULL;
    dry_hull_report report, other;
    fuzz_place("%d points, form %d, limit %u", count, form, limit);
    const dry_result result = dry_hull_build(points, count, (int)limit, &allocator, &hull, &report);
    FUZZ_CHECK((result == DRY_OK) == (hull != NULL));
    FUZZ_CHECK((result == DRY_OK) == (report.fault == DRY_HULL_SOUND));
    if (hull) {
        fuzz_sums.built++;
        FUZZ_CHECK(dry_hull_check(hull, hull->bytes));
        check_topology(hull);
        check_around(hull, points, count, report.cut_m + report.flat_m);
        for (int i = 0; i < count / 2; ++i) {
            const dry_vec3 p = points[i];
            points[i] = points[count - 1 - i];
            points[count - 1 - i] = p;
        }
        FUZZ_CHECK(dry_hull_build(points, count, (int)limit, &allocator, &again, &other) == DRY_OK);
        FUZZ_CHECK(again->bytes == hull->bytes && memcmp(again, hull, hull->bytes) == 0);
        FUZZ_CHECK(memcmp(&report.cut_m, &other.cut_m, sizeof report.cut_m) == 0);
        check_changed(hull, &changes);
    }
    release_hull(hull, &allocator);
    release_hull(again, &allocator);
    FUZZ_CHECK(counter.bytes == 0 && counter.wrong == 0);
    return 0;
}
