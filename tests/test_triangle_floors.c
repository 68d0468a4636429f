/* Floors of triangles: what slides or rolls over a flat one moves as on a half-space, however it is cut. */
#include "tests/slides.h"
#include "tests/triangle_floor.h"

static const double sizes[] = {0.1, 0.3, 0.25, 0.1, 0.15, 0.25, 0.25, 0.25};
static const bounds flat_bounds = {1e-3, 1, 2e-3, 0.02, 2e-3};

/* Kinds of floors that are flat. */
typedef enum flat_kind {
    RANDOM_FLOOR,
    NEEDLES_ALONG,
    NEEDLES_ACROSS,
    NEEDLES_ASKEW,
    JUNCTIONS,
    UNWELDED,
    FIELDS,
    FIELDS_APART,
    HULLS,
    HULLS_APART,
    FLAT_KINDS
} flat_kind;

static const char *const flat_names[FLAT_KINDS] = {
    "random triangles", "needles along", "needles across",   "needles askew", "T-junctions",
    "unwelded",         "fields",        "fields of bodies", "hulls",         "hulls of bodies"};

/* Makes a floor that is `length` long from x = 0 on. */
static void make_flat(triangle_floor *f, flat_kind kind, double length)
{
    uint64_t seed = 3506 + (uint64_t)kind;
    surface s = {0};
    f->apart = kind == FIELDS_APART || kind == HULLS_APART;
    const int long_cells = (int)(4 * length) + 12;
    switch (kind) {
    case RANDOM_FLOOR: { /* 100,352 triangles, if the floor is long */
        const int rows = length > 40 ? 50176 / long_cells : 24;
        s = drawn_surface(long_cells, rows, 0.25, &seed);
        surface_shift(&s, (d3){-1.5, 0, -0.125 * rows});
        break;
    }
    case NEEDLES_ALONG:
        s = needle_surface(160, 0.025, 110, 0);
        break;
    case NEEDLES_ACROSS:
        s = needle_surface((int)(80 * length) + 160, 0.025, 110, TEST_PI / 2);
        break;
    case NEEDLES_ASKEW:
        s = needle_surface((int)(80 * length) + 160, 0.025, 110, 0.7);
        break;
    case JUNCTIONS:
        s = junction_surface(-1.5, length + 1.5, -2, 2, 0.1, 1, &seed);
        break;
    case UNWELDED:
        s = drawn_surface(long_cells, 16, 0.25, &seed);
        surface_spoil(&s, &seed);
        surface_shift(&s, (d3){-1.5, 0, -2});
        break;
    case FIELDS:
    case FIELDS_APART:
        floor_add_fields(f, 8, (length + 3) / 8, (d3){-1.5, 0, -(length + 3) / 16 * 7.95});
        return;
    default:
        floor_add_hulls(f, (int)length + 3, 4, (d3){-1.5, 0, -2.1}, &seed);
        return;
    }
    floor_add_surface(f, &s);
}

static void follow_floor(const triangle_floor *f, const mover *m, double speed, double length, dry_quat turn,
                         track *t)
{
    const slide_floor floor = {make_triangle_floor, f, {0, 0, 0}};
    follow(&floor, m, speed, length, turn, t);
}

/* Without friction at 5 m/s over each floor, and over the first one also turned by an odd angle with gravity.
 */
static void flat_floors_carry(void **state)
{
    (void)state;
    const double length = test_pick(50, 8);
    int failed = 0;
    triangle_floor *f = &triangle_floors[0];
    for (int kind = 0; kind < FLAT_KINDS; kind++) {
        *f = (triangle_floor){0};
        make_flat(f, (flat_kind)kind, length);
        const int count = f->count;
        for (int turned = 0; turned < (kind == RANDOM_FLOOR ? 2 : 1); turned++)
            for (int k = 2; k < 8; k++) {
                const dry_quat turn = turned ? quat_about((d3){0.3, -0.7, 0.5}, 1.234) : QUAT_IDENTITY;
                mover m = mover_of(k, sizes[k]);
                if (k == 2)
                    m.attitude = quat_about((d3){0, 1, 0}, 0.4);
                f->count = 0;
                follow_floor(f, &m, 5, length, turn, &tracks[0]);
                f->count = count;
                follow_floor(f, &m, 5, length, turn, &tracks[1]);
                char name[80];
                snprintf(name, sizeof name, "%s%s, %s", flat_names[kind], turned ? ", turned" : "", m.name);
                failed += !runs_alike(&tracks[1], &tracks[0], &flat_bounds, name);
            }
        floor_end(f);
    }
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_floors_carry),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    slides_end();
    return failed;
}
