/* Tests of what the picture rests on: solids in the depth buffer against rays followed step by step or in
 * closed form, the film's file, and the summary of step times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/cli/picture/apng.h"
#include "tools/cli/picture/parts.h"
#include "tools/cli/picture/raster.h"
#include "tools/cli/samples.h"
#include <stdlib.h>
#include <string.h>

static uint32_t random_state;

static double random_unit(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) / 16777216.0;
}

static double random_between(double low, double high)
{
    return low + (high - low) * random_unit();
}

static vec random_vector(double bound)
{
    double x = random_between(-bound, bound), y = random_between(-bound, bound);
    return vec_make(x, y, random_between(-bound, bound));
}

static vec random_direction(void)
{
    for (;;) {
        vec v = random_vector(1);
        if (vec_length(v) < 1.0 && vec_length(v) > 0.1) {
            return vec_unit(v);
        }
    }
}

static dry_polytope *unit_cube; /* whose half extents are 1 */

static solid random_solid(solid_kind kind)
{
    solid s = {.kind = kind};
    s.axis[0] = random_direction();
    s.axis[1] = vec_unit(vec_cross(s.axis[0], random_direction()));
    s.axis[2] = vec_cross(s.axis[0], s.axis[1]);
    s.center = random_vector(3);
    for (int i = 0; i < 3; i++) {
        s.half[i] = random_between(0.2, 1.5);
    }
    if (kind == SOLID_HULL) { /* of a box's corners, mirrored */
        s.polytope = unit_cube;
        s.origin = s.center;
        for (int i = 0; i < 3; i++) {
            s.scale[i] = i == 1 ? -s.half[i] : s.half[i];
        }
    }
    s.radius = kind == SOLID_BOX || kind == SOLID_HULL || kind == SOLID_CYLINDER
                   ? sqrt(s.half[0] * s.half[0] + s.half[1] * s.half[1] + s.half[2] * s.half[2])
               : kind == SOLID_SPHERE ? s.half[0]
                                      : s.half[0] + s.half[1];
    return s;
}

/* How far a point is from a solid; negative inside. Exact outside and at the surface. */
static double signed_distance(const solid *s, vec p)
{
    vec from = vec_sub(p, s->center);
    double local[3], outside = 0.0, inside = -1e30;
    for (int i = 0; i < 3; i++) {
        local[i] = vec_dot(from, s->axis[i]);
        double gap = fabs(local[i]) - s->half[i];
        outside += gap > 0.0 ? gap * gap : 0.0;
        inside = fmax(inside, gap);
    }
    if (s->kind == SOLID_CYLINDER) {
        double side = sqrt(local[0] * local[0] + local[2] * local[2]) - s->half[0];
        double end = fabs(local[1]) - s->half[1];
        return side > 0.0 && end > 0.0 ? sqrt(side * side + end * end) : fmax(side, end);
    }
    if (s->kind == SOLID_BOX || s->kind == SOLID_HULL) {
        return inside > 0.0 ? sqrt(outside) : inside;
    }
    double along = s->kind == SOLID_CAPSULE ? fmin(fmax(local[1], -s->half[1]), s->half[1]) : 0.0;
    return vec_length(vec_along(from, -along, s->axis[1])) - s->half[0];
}

/* Walks along a ray by the distance to the solid until it touches; negative if it passes by. */
static double march(const solid *s, vec origin, vec direction, double least)
{
    double t = least, speed = vec_length(direction);
    for (int i = 0; i < 2000 && t < 100.0; i++) {
        double distance = signed_distance(s, vec_along(origin, t, direction));
        if (distance < 1e-9) {
            return t;
        }
        t += distance / speed;
    }
    return -1e30;
}

static raster_view some_view(bool perspective)
{
    vec forward = vec_unit(vec_make(0.3, -0.4, -0.9));
    vec right = vec_unit(vec_cross(forward, vec_make(0.0, 1.0, 0.0)));
    vec eye = vec_scale(forward, -14.0);
    return perspective ? raster_view_perspective(eye, forward, right, 0.5, 160, 120)
                       : raster_view_parallel(vec_make(0.0, 0.0, 0.0), 7.0, forward, 150);
}

static void check_solid(const raster_view *view, const solid *s, int *hits, int *disagreements)
{
    raster r;
    int order = 0;
    assert_true(raster_create(&r, view->width, view->height, true));
    raster_clear(&r, view->perspective);
    raster_draw(&r, view, s, &order, 1);
    for (int y = 0; y < view->height; y += 3) {
        for (int x = 0; x < view->width; x += 3) {
            size_t i = (size_t)y * (size_t)view->width + (size_t)x;
            vec origin = view->origin, direction = view->direction;
            if (view->perspective) {
                direction = raster_ray(view, x + 0.5, y + 0.5);
            } else {
                origin = vec_along(vec_along(origin, x + 0.5, view->dx), y + 0.5, view->dy);
            }
            double t = march(s, origin, direction, view->perspective ? 0.0 : -20.0), key;
            bool met = t > -1e29;
            if (met != (r.id[i] == 1) || met != raster_solid_key(view, s, x + 0.5, y + 0.5, &key)) {
                ++*disagreements; /* a ray that just grazes may go either way */
                continue;
            }
            if (met) {
                double expected = view->perspective ? 1.0 / t : -t;
                assert_true(fabs(key - expected) < 1e-5 * fmax(1.0, fabs(expected)));
                assert_true(fabs((double)r.key[i] - expected) < 1e-4 * fmax(1.0, fabs(expected)));
                ++*hits;
            }
        }
    }
    raster_free(&r);
}

static void test_solids_are_where_rays_meet_them(void **state)
{
    (void)state;
    random_state = 7;
    for (int kind = SOLID_BOX; kind <= SOLID_HULL; kind++) {
        if (kind == SOLID_HALFSPACE) {
            continue;
        }
        int hits = 0, disagreements = 0;
        for (int i = 0; i < 40; i++) {
            solid s = random_solid((solid_kind)kind);
            for (int perspective = 0; perspective < 2; perspective++) {
                raster_view view = some_view(perspective == 1);
                check_solid(&view, &s, &hits, &disagreements);
            }
        }
        assert_true(hits > 1000);
        assert_true(disagreements <= hits / 500);
    }
}

/* A plate over three random corners, its front above. */
static solid random_triangle(void)
{
    solid s = {.kind = SOLID_TRIANGLE, .radius = 6.0};
    do {
        for (int i = 0; i < 3; i++) {
            s.corner[i] = random_vector(3);
        }
        s.axis[1] = vec_cross(vec_sub(s.corner[1], s.corner[0]), vec_sub(s.corner[2], s.corner[0]));
    } while (vec_length(s.axis[1]) < 2.0);
    s.axis[1] = vec_unit(s.axis[1]);
    s.axis[0] = vec_unit(vec_sub(s.corner[1], s.corner[0]));
    s.axis[2] = vec_cross(s.axis[0], s.axis[1]);
    s.half[0] = s.half[2] = 1.0;
    s.half[1] = 1e-3;
    s.center = vec_along(s.corner[0], -s.half[1], s.axis[1]);
    return s;
}

/* Finds where a line meets a triangle [Moller, Trumbore 1997]; negative if it passes by. */
static double triangle_distance(const solid *s, vec origin, vec direction)
{
    vec p = vec_sub(s->corner[1], s->corner[0]), q = vec_sub(s->corner[2], s->corner[0]);
    vec across = vec_cross(direction, q), from = vec_sub(origin, s->corner[0]);
    double scale = vec_dot(p, across), u = vec_dot(from, across) / scale;
    vec other = vec_cross(from, p);
    double v = vec_dot(direction, other) / scale;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0 ? vec_dot(q, other) / scale : -1e30;
}

static void test_triangles_are_where_rays_meet_them(void **state)
{
    (void)state;
    random_state = 9;
    int hits = 0, disagreements = 0;
    raster_view view = some_view(true);
    for (int i = 0; i < 60; i++) {
        solid s = random_triangle();
        for (int y = 0; y < view.height; y += 3) {
            for (int x = 0; x < view.width; x += 3) {
                vec direction = raster_ray(&view, x + 0.5, y + 0.5);
                double t = triangle_distance(&s, view.origin, direction), key, edge;
                bool met = t > 0.0;
                if (met != raster_solid_key(&view, &s, x + 0.5, y + 0.5, &key)) {
                    disagreements++; /* the sides lie outside by a thousandth */
                } else if (met) {
                    vec at = vec_along(view.origin, 1.0 / key, direction);
                    vec normal = picture_normal(&s, at, &edge);
                    double height = vec_dot(vec_sub(at, s.corner[0]), s.axis[1]);
                    assert_true(height < 1e-9 && height > -2.0 * s.half[1] - 1e-9);
                    assert_true(vec_dot(normal, direction) < 0.0);
                    hits++;
                }
            }
        }
    }
    assert_true(hits > 1000);
    assert_true(disagreements <= hits / 20);
}

/* Normals and distances to edges of a box written as a hull are those of the box; a cylinder's follow from
 * the place. */
static void test_normals_and_edges(void **state)
{
    (void)state;
    random_state = 23;
    for (int i = 0; i < 300; i++) {
        solid box = random_solid(SOLID_BOX), hull = box, cylinder = box;
        double edges[2], edge;
        vec on = box.center;
        const int face = i % 3;
        double rim = 1e30, unit_rim = 1e30;
        for (int k = 0; k < 3; k++) {
            const double share = k == face ? (i % 2 ? 1.0 : -1.0) : random_between(-0.99, 0.99);
            on = vec_along(on, share * box.half[k], box.axis[k]);
            rim = k == face ? rim : fmin(rim, (1.0 - fabs(share)) * box.half[k]);
            unit_rim = k == face ? unit_rim : fmin(unit_rim, 1.0 - fabs(share));
        }
        hull.kind = SOLID_HULL;
        hull.polytope = unit_cube;
        hull.origin = hull.center;
        for (int k = 0; k < 3; k++) {
            hull.scale[k] = 1.0;
            hull.half[k] = 1.0;
        }
        vec n = picture_normal(&box, on, &edges[0]);
        assert_true(vec_dot(n, box.axis[face]) * (i % 2 ? 1.0 : -1.0) > 0.9999);
        assert_true(fabs(edges[0] - rim) < 1e-9);
        vec scaled = vec_make(0.0, 0.0, 0.0), local = vec_sub(on, box.center);
        for (int k = 0; k < 3; k++) { /* the same place on the unit cube */
            scaled = vec_along(scaled, vec_dot(local, box.axis[k]) / box.half[k], box.axis[k]);
        }
        vec m = picture_normal(&hull, vec_add(box.center, scaled), &edges[1]);
        assert_true(vec_dot(n, m) > 0.9999 && fabs(edges[1] - unit_rim) < 1e-9);
        cylinder.kind = SOLID_CYLINDER;
        vec across = vec_unit(vec_along(box.axis[0], random_between(-3.0, 3.0), box.axis[2]));
        double height = random_between(-0.99, 0.99) * box.half[1];
        on = vec_along(vec_along(box.center, box.half[0], across), height, box.axis[1]);
        assert_true(vec_dot(picture_normal(&cylinder, on, &edge), across) > 0.9999);
        assert_true(fabs(edge - (box.half[1] - fabs(height))) < 1e-9);
        on = vec_along(vec_along(box.center, 0.4 * box.half[0], across), -box.half[1], box.axis[1]);
        assert_true(vec_dot(picture_normal(&cylinder, on, &edge), box.axis[1]) < -0.9999);
        assert_true(fabs(edge - 0.6 * box.half[0]) < 1e-9);
    }
}

static void test_half_space_is_a_plane(void **state)
{
    (void)state;
    raster_view view = some_view(true);
    solid ground = {.kind = SOLID_HALFSPACE, .center = {0.0, -2.0, 0.0}, .axis = {{0}, {0.0, 1.0, 0.0}}};
    double key;
    assert_true(raster_solid_key(&view, &ground, 80.0, 60.0, &key));
    vec p = vec_along(view.origin, 1.0 / key, raster_ray(&view, 80.0, 60.0));
    assert_true(fabs(p.y + 2.0) < 1e-9);
    ground.center.y = 40.0; /* the viewer is inside: nothing to be seen */
    assert_false(raster_solid_key(&view, &ground, 80.0, 60.0, &key));
}

static void test_nearest_wins_in_any_order(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    solid solids[COUNT];
    int order[COUNT];
    random_state = 11;
    for (int i = 0; i < COUNT; i++) {
        solids[i] = random_solid((solid_kind)(i % 3));
    }
    for (int perspective = 0; perspective < 2; perspective++) {
        raster_view view = some_view(perspective == 1);
        size_t pixels = (size_t)view.width * (size_t)view.height;
        raster sorted, reversed;
        assert_true(raster_create(&sorted, view.width, view.height, true));
        assert_true(raster_create(&reversed, view.width, view.height, true));
        raster_clear(&sorted, view.perspective);
        raster_clear(&reversed, view.perspective);
        for (int i = 0; i < COUNT; i++) {
            order[i] = i;
        }
        assert_true(raster_sort(&view, solids, order, COUNT));
        for (int i = 1; i < COUNT; i++) {
            vec step = vec_sub(solids[order[i]].center, solids[order[i - 1]].center);
            assert_true(vec_dot(step, view.forward) > -1e-5);
        }
        raster_draw(&sorted, &view, solids, order, COUNT);
        for (int i = 0; i < COUNT / 2; i++) {
            int swap = order[i];
            order[i] = order[COUNT - 1 - i];
            order[COUNT - 1 - i] = swap;
        }
        raster_draw(&reversed, &view, solids, order, COUNT);
        assert_memory_equal(sorted.key, reversed.key, pixels * sizeof *sorted.key);
        assert_memory_equal(sorted.id, reversed.id, pixels * sizeof *sorted.id);
        int checked = 0;
        for (size_t i = 0; i < pixels; i += 37) { /* the nearest of all, each asked by itself */
            double x = (double)(i % (size_t)view.width) + 0.5, y = (double)(i / (size_t)view.width) + 0.5;
            double best = view.perspective ? 0.0 : -1e30, key;
            for (int k = 0; k < COUNT; k++) {
                if (raster_solid_key(&view, &solids[k], x, y, &key)) {
                    best = fmax(best, key);
                }
            }
            if (sorted.id[i] != 0 && fabs(best - (double)sorted.key[i]) < 1e-4 * fmax(1.0, fabs(best))) {
                checked++;
            }
        }
        assert_true(checked > 100);
        raster_free(&sorted);
        raster_free(&reversed);
    }
}

static void test_projection_inverts_the_ray(void **state)
{
    (void)state;
    for (int perspective = 0; perspective < 2; perspective++) {
        raster_view view = some_view(perspective == 1);
        vec p = vec_make(1.5, -0.7, 2.2);
        double x, y, t;
        raster_project(&view, p, &x, &y, &t);
        vec back = view.perspective ? vec_along(view.origin, t, raster_ray(&view, x, y))
                                    : vec_along(vec_along(vec_along(view.origin, x, view.dx), y, view.dy), t,
                                                view.forward);
        assert_true(vec_length(vec_sub(back, p)) < 1e-9);
    }
}

static uint32_t number_at(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The CRC of PNG by its definition, bit by bit. */
static uint32_t crc_of(const unsigned char *bytes, size_t count)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < 8 * count; i++) {
        crc = crc >> 1 ^ (((crc ^ bytes[i / 8] >> i % 8) & 1) ? 0xedb88320u : 0u);
    }
    return ~crc;
}

enum { WIDE = 40, HIGH = 30, FRAMES = 4 };

/* Draws the frames of a film: a block, one that is larger, the same again, and one at the other end. */
static void draw_frame(int frame, unsigned char *rgb)
{
    static const int block[FRAMES][4] = {{3, 4, 5, 6}, {3, 4, 9, 11}, {3, 4, 9, 11}, {30, 20, 40, 30}};
    memset(rgb, 40, (size_t)3 * WIDE * HIGH);
    for (int y = block[frame][1]; y < block[frame][3]; y++) {
        memset(rgb + 3 * (WIDE * y + block[frame][0]), 200, 3 * (size_t)(block[frame][2] - block[frame][0]));
    }
}

static bool write_film(FILE *file, apng *film)
{
    static const unsigned char colors[] = {40, 40, 40, 200, 200, 200};
    unsigned char rgb[3 * WIDE * HIGH];
    palette p;
    assert_true(palette_make(&p, colors, 2, colors, 2));
    assert_true(apng_begin(film, file, WIDE, HIGH, &p, 0.1, FRAMES + 3)); /* which it mends at the end */
    bool good = true;
    for (int frame = 0; good && frame < FRAMES; frame++) {
        draw_frame(frame, rgb);
        good = apng_add(film, rgb);
    }
    good = good && apng_end(film);
    apng_free(film);
    palette_free(&p);
    return good;
}

/* Every chunk has its sum; frames and their data are numbered in one row; each frame is what has changed. */
static void test_film_is_a_sound_file(void **state)
{
    (void)state;
    /* The first frame is whole, the third has one pixel that stays. */
    static const uint32_t part[FRAMES][4] = {{40, 30, 0, 0}, {6, 7, 3, 4}, {1, 1, 0, 0}, {37, 26, 3, 4}};
    static unsigned char bytes[1 << 16];
    apng film;
    FILE *file = tmpfile();
    assert_true(file && write_film(file, &film));
    rewind(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    uint32_t frames = 0, sequence = 0, told = 0, length;
    const unsigned char *at = bytes + 8;
    for (; memcmp(at + 4, "IEND", 4) != 0; at += 12 + length) {
        length = number_at(at);
        assert_true((size_t)(at - bytes) + 24 + length <= size);
        assert_int_equal(number_at(at + 8 + length), crc_of(at + 4, 4 + length));
        if (memcmp(at + 4, "acTL", 4) == 0) {
            told = number_at(at + 8);
        } else if (memcmp(at + 4, "fcTL", 4) == 0) {
            assert_true(frames < FRAMES);
            for (int k = 0; k < 4; k++) {
                assert_int_equal(number_at(at + 12 + 4 * k), part[frames][k]);
            }
            assert_int_equal(number_at(at + 8), sequence++);
            frames++;
        } else if (memcmp(at + 4, "fdAT", 4) == 0) {
            assert_int_equal(number_at(at + 8), sequence++);
        }
    }
    assert_int_equal((size_t)(at - bytes) + 12, size);
    assert_true(frames == FRAMES && told == FRAMES && sequence == 2 * FRAMES - 1);

    file = fopen("/dev/full", "wb");
    if (file) {
        setvbuf(file, NULL, _IONBF, 0);
        assert_false(write_film(file, &film));
        assert_non_null(strstr(film.fault, "No space"));
        fclose(file);
    }
}

static void test_quantiles(void **state)
{
    (void)state;
    samples s;
    samples_init(&s, 2);
    assert_true(samples_quantile(&s, 0, 0.5) == 0.0);
    for (int i = 100; i >= 1; i--) {
        double row[2] = {i, 1000.0 + 2.0 * i};
        assert_true(samples_add(&s, row));
    }
    assert_true(samples_quantile(&s, 0, 0.5) == 50.5);
    assert_true(samples_quantile(&s, 0, 0.99) == 99.0);
    assert_true(samples_quantile(&s, 1, 1.0) == 1200.0);
    assert_true(s.first_min == 1.0 && s.first_max == 100.0 && s.first_sum == 5050.0);
    samples_free(&s);
}

/* However long a run is, memory stays bounded and the kept rows stay evenly spaced. */
static void test_samples_of_a_long_run(void **state)
{
    (void)state;
    samples s;
    long long count = 5LL * SAMPLE_ROWS + 12345;
    samples_init(&s, 1);
    for (long long i = 0; i < count; i++) {
        double value = (double)i;
        assert_true(samples_add(&s, &value));
    }
    assert_true(s.capacity <= SAMPLE_ROWS);
    assert_true(s.count > SAMPLE_ROWS / 2 - 1);
    for (int i = 0; i < s.count; i++) {
        assert_true(s.rows[i] == (float)(i * s.stride));
    }
    assert_true(fabs(samples_quantile(&s, 0, 0.5) - 0.5 * (double)count) < 0.01 * (double)count);
    assert_true(s.first_max == (double)(count - 1));
    samples_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solids_are_where_rays_meet_them),
        cmocka_unit_test(test_triangles_are_where_rays_meet_them),
        cmocka_unit_test(test_normals_and_edges),
        cmocka_unit_test(test_half_space_is_a_plane),
        cmocka_unit_test(test_nearest_wins_in_any_order),
        cmocka_unit_test(test_projection_inverts_the_ray),
        cmocka_unit_test(test_film_is_a_sound_file),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_samples_of_a_long_run),
    };
    dry_vec3 corners[8];
    for (int i = 0; i < 8; i++) {
        corners[i] = (dry_vec3){i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f};
    }
    unit_cube = dry_polytope_make(corners, 8);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dry_polytope_free(unit_cube);
    return failed;
}
