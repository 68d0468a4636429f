/* Floors of triangles: what slides or rolls over a flat one moves as on a half-space, however it is cut. */
#include "tests/narrowphase/slides.h"
#include "tests/narrowphase/triangle_floor.h"

/* The floor of the test that runs: too large for a stack. */
static triangle_floor triangle_floors[1];

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
    FIELDS_TOGETHER,
    HULLS,
    HULLS_APART,
    MIXED,
    MIXED_APART,
    MIXED_TOGETHER,
    TILES_TOGETHER,
    ON_GROUND,
    FLAT_KINDS
} flat_kind;

static const char *const flat_names[FLAT_KINDS] = {"random triangles",
                                                   "needles along",
                                                   "needles across",
                                                   "needles askew",
                                                   "T-junctions",
                                                   "unwelded",
                                                   "fields",
                                                   "fields of bodies",
                                                   "fields of a compound",
                                                   "hulls",
                                                   "hulls of bodies",
                                                   "all kinds",
                                                   "all kinds of bodies",
                                                   "all kinds of a compound",
                                                   "meshes and fields of a compound",
                                                   "all kinds on a half-space"};

/* Adds tiles of 1 m side by side: boxes, hulls, meshes and fields. */
static void add_mixed(triangle_floor *f, int columns, int rows, d3 corner, uint64_t *seed)
{
    for (int i = 0; i < columns; i++)
        for (int k = 0; k < rows; k++) {
            const d3 at = d3_add(corner, (d3){i, 0, k});
            surface s = {0};
            switch (random_below(seed, 4)) {
            case 0:
                floor_add(f, DRY_SHAPE_BOX, NULL, d3_add(at, (d3){0.5, -0.3, 0.5}))->half_extents =
                    v3(0.5, 0.3, 0.5);
                break;
            case 1:
                floor_add_hulls(f, 1, 1, at, seed);
                break;
            case 2:
                surface_quad(&s, (d3){0, 0, 0}, (d3){0, 0, 1}, (d3){1, 0, 1}, (d3){1, 0, 0});
                surface_shift(&s, at);
                floor_add_surface(f, &s);
                break;
            default:
                floor_add(f, DRY_SHAPE_HEIGHT_FIELD, field_data(4, 0.25, DRY_DIAGONAL_FORWARD), at);
            }
        }
}

/* Adds tiles side by side, of meshes and fields in turns. */
static void add_tiles(triangle_floor *f, int count, double side, d3 corner, uint64_t *seed)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++) {
            const d3 at = d3_add(corner, (d3){i * side, 0, k * side});
            if ((i + k) % 2) {
                floor_add(f, DRY_SHAPE_HEIGHT_FIELD, field_data(16, side / 16, DRY_DIAGONAL_FORWARD), at);
                continue;
            }
            surface s = grid_surface(16, side / 16, 0, seed);
            floor_add_surface(f, &s)->pose.position = v3_of(at);
        }
}

/* Makes a floor that is `length` long from x = 0 on. */
static void make_flat(triangle_floor *f, flat_kind kind, double length)
{
    uint64_t seed = 3506 + (uint64_t)kind;
    surface s = {0};
    f->together = kind == FIELDS_TOGETHER || kind == MIXED_TOGETHER || kind == TILES_TOGETHER;
    f->apart = kind == FIELDS_APART || kind == HULLS_APART || kind == MIXED_APART;
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
    case FIELDS_TOGETHER:
        floor_add_fields(f, 8, (length + 3) / 8, (d3){-1.5, 0, -(length + 3) / 16 * 7.95});
        return;
    case MIXED:
    case MIXED_APART:
    case MIXED_TOGETHER:
        add_mixed(f, (int)length + 3, 4, (d3){-1.5, 0, -2.1}, &seed);
        return;
    case TILES_TOGETHER:
        add_tiles(f, 8, (length + 3) / 8, (d3){-1.5, 0, -(length + 3) / 16 * 7.95}, &seed);
        return;
    case ON_GROUND:
        *floor_add(f, DRY_SHAPE_HALFSPACE, NULL, (d3){0, 0, 0}) = halfspace_shape(v3(0, 1, 0), 0);
        f->shapes[0].friction = 0;
        add_mixed(f, (int)length / 2, 1, (d3){1.2, 0, -0.6}, &seed);
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

/* Follows all movers over a floor, without friction at 5 m/s. Returns how many do not move as on a
 * half-space. */
static int carry(flat_kind kind, double length, dry_quat turn, const char *how)
{
    triangle_floor *f = &triangle_floors[0];
    int failed = 0;
    *f = (triangle_floor){0};
    make_flat(f, kind, length);
    const int count = f->count;
    for (int k = 2; k < 8; k++) {
        mover m = mover_of(k, sizes[k]);
        if (k == 2)
            m.attitude = quat_about((d3){0, 1, 0}, 0.4);
        f->count = 0;
        follow_floor(f, &m, 5, length, turn, &tracks[0]);
        f->count = count;
        follow_floor(f, &m, 5, length, turn, &tracks[1]);
        char name[80];
        snprintf(name, sizeof name, "%s%s, %s", flat_names[kind], how, m.name);
        failed += !runs_alike(&tracks[1], &tracks[0], &flat_bounds, name);
    }
    floor_end(f);
    return failed;
}

static void one_shape_carries(void **state)
{
    (void)state;
    const double length = test_pick(50, 8);
    int failed = 0;
    for (int kind = 0; kind < FIELDS; kind++)
        failed += carry((flat_kind)kind, length, QUAT_IDENTITY, "");
    failed += carry(RANDOM_FLOOR, length, quat_about((d3){0.3, -0.7, 0.5}, 1.234), ", turned");
    assert_int_equal(failed, 0);
}

/* Shapes side by side, of one body and of many. */
static void many_shapes_carry(void **state)
{
    (void)state;
    int failed = 0;
    for (int kind = FIELDS; kind < FLAT_KINDS; kind++)
        failed += carry((flat_kind)kind, test_pick(50, 8), QUAT_IDENTITY, "");
    assert_int_equal(failed, 0);
}

/* A ball and a lying cylinder that roll with friction keep their speed. On hulls and boxes the cylinder tilts
 * by 0.05 mrad, since points at borders bear, too, and rolls in a wide curve. */
static void rolling_keeps_its_speed(void **state)
{
    (void)state;
    const double length = test_pick(50, 8);
    triangle_floor *f = &triangle_floors[0];
    int failed = 0;
    for (int kind = 0; kind < ON_GROUND; kind++) {
        const bounds rolling = {1e-3, 1, 1e-2, kind < HULLS ? 0.02 : 0.5, 1};
        *f = (triangle_floor){.friction = 0.6};
        make_flat(f, (flat_kind)kind, length);
        const int count = f->count;
        for (int k = 0; k < 7; k += 6) {
            mover m = mover_of(k, sizes[k]);
            m.rolls = true;
            m.shape.friction = 0.6f;
            f->count = 0;
            follow_floor(f, &m, 5, length, QUAT_IDENTITY, &tracks[0]);
            f->count = count;
            follow_floor(f, &m, 5, length, QUAT_IDENTITY, &tracks[1]);
            assert_near(tracks[0].speed, 5, 0.05);
            failed += !runs_alike(&tracks[1], &tracks[0], &rolling, flat_names[kind]);
        }
        floor_end(f);
    }
    assert_int_equal(failed, 0);
}

/* Gives a surface's shape a pose and a scale, and the surface the coordinates that undo them. */
static void disguise(surface *s, dry_shape_def *shape, uint64_t *seed)
{
    d3 scale = {1, 1, 1};
    if (random_below(seed, 2)) {
        scale = (d3){random_in(seed, 0.3, 3), random_in(seed, 0.3, 3), random_in(seed, 0.3, 3)};
        scale.x *= random_below(seed, 2) ? -1 : 1;
        scale.y *= random_below(seed, 2) ? -1 : 1;
        scale.z *= random_below(seed, 2) ? -1 : 1;
    }
    const bool turned = random_below(seed, 3) == 0;
    const dry_quat q = turned ? random_quat(seed) : QUAT_IDENTITY;
    const d3 at = turned ? random_d3(seed, 3) : (d3){0, 0, 0};
    for (int i = 0; i < s->vertices; i++) {
        const d3 own = d3_turn_back(q, d3_sub(d3_of(s->vertex[i]), at));
        s->vertex[i] = v3_of((d3){own.x / scale.x, own.y / scale.y, own.z / scale.z});
    }
    for (int t = 0; t < s->triangles && scale.x * scale.y * scale.z < 0; t++) {
        const int32_t second = s->corner[3 * t + 1];
        s->corner[3 * t + 1] = s->corner[3 * t + 2];
        s->corner[3 * t + 2] = second;
    }
    shape->scale = v3_of(scale);
    shape->pose = (dry_transform){v3_of(at), q};
}

/* Deals the triangles of a surface out to shapes, all of which have the same pose and scale: strips of about
 * the same number, or each triangle by itself. */
static void deal(triangle_floor *f, const surface *s, int parts, const dry_shape_def *like, bool from_back,
                 uint64_t *seed)
{
    const bool strips = parts > 1 && random_below(seed, 2);
    surface part[4] = {{0}};
    for (int t = 0; t < s->triangles; t++) {
        const int to = parts == 1 ? 0 : strips ? t * parts / s->triangles : random_below(seed, parts);
        surface_loose(&part[to], surface_at(s, t, 0), surface_at(s, t, 1), surface_at(s, t, 2));
    }
    for (int i = 0; i < parts; i++) {
        if (part[i].triangles == 0)
            continue;
        dry_shape_def *added = floor_add(f, DRY_SHAPE_MESH, mesh_data(&part[i], from_back), (d3){0, 0, 0});
        added->pose = like->pose;
        added->scale = like->scale;
        surface_free(&part[i]);
    }
}

/* Makes one flat mesh, or `parts` of them, or a height field, `length` long and `wide` across, of triangles
 * of some size. */
static void make_drawn(triangle_floor *f, uint64_t *seed, double length, double wide, double size, int parts)
{
    const int columns = (int)((length + wide) / size) + 4, rows = (int)(wide / size) + 3;
    const int kind = random_below(seed, parts > 1 ? 4 : 5);
    surface s = {0};
    if (kind == 4) {
        const int cells = columns > rows ? columns : rows;
        dry_shape_data *data = field_data(cells, size, (dry_diagonal)random_below(seed, 2));
        floor_add(f, DRY_SHAPE_HEIGHT_FIELD, data, (d3){-wide / 2, 0, -size * cells / 2});
        return;
    }
    if (kind == 3) {
        const double narrow = random_in(seed, 0.02, 0.2);
        const int count = (int)((2 * length + 2 * wide) / narrow);
        s = needle_surface(count, narrow, 2 * length + 2 * wide, random_in(seed, 0, TEST_PI));
    } else if (kind == 2) {
        s = junction_surface(-wide / 2, length + wide / 2, -wide / 2, wide / 2, 0.5 * size, 2 * size, seed);
    } else {
        s = drawn_surface(columns, rows, size, seed);
        surface_shift(&s, (d3){-wide / 2 - size, 0, -size * rows / 2});
        if (kind == 1)
            surface_spoil(&s, seed);
    }
    const bool from_back = random_below(seed, 4) == 0;
    dry_shape_def shape = dry_default_shape_def();
    disguise(&s, &shape, seed);
    for (int t = 0; t < s.triangles && from_back; t++) {
        const int32_t second = s.corner[3 * t + 1];
        s.corner[3 * t + 1] = s.corner[3 * t + 2];
        s.corner[3 * t + 2] = second;
    }
    deal(f, &s, parts, &shape, from_back, seed);
    surface_free(&s);
}

/* Triangles of 2 cm to 5 m under movers of 5 cm to 2 m at 1 to 10 m/s; meshes turned, scaled, mirrored and
 * used from the back, height fields with either diagonal. Returns whether the mover runs as on a half-space.
 */
static bool run_drawn(int run, int parts)
{
    uint64_t seed = 35060 + 7919 * (uint64_t)run;
    random_bits(&seed);
    const int kind = random_below(&seed, 8);
    const double size = 0.025 * pow(40, random_in(&seed, 0, 1)), speed = random_in(&seed, 1, 10);
    const double length = fmin(6, 6 * speed), wide = 6 * size + 1;
    double cell = 0.02 * pow(250, random_in(&seed, 0, 1));
    cell = fmax(cell, sqrt((length + wide) * wide / test_pick(20000, 5000)));
    const mover m = mover_of(kind, size);
    const dry_quat turn = random_below(&seed, 3) ? QUAT_IDENTITY : random_quat(&seed);
    triangle_floor *f = &triangle_floors[0];
    *f = (triangle_floor){.friction = m.shape.friction, .apart = parts > 1 && run % 2};
    follow_floor(f, &m, speed, length, turn, &tracks[0]);
    make_drawn(f, &seed, length, wide, cell, parts);
    follow_floor(f, &m, speed, length, turn, &tracks[1]);
    const bounds b = {1e-3, 1, kind == 0 ? 1e-2 : 2e-3, 0.02, 2e-3};
    char name[160];
    snprintf(name, sizeof name, "run %d, %s of %.3f m at %.2f m/s, cells of %.3f m, %d %s", run, m.name,
             2 * size, speed, cell, f->count, f->shapes[0].type == DRY_SHAPE_MESH ? "meshes" : "fields");
    const bool alike = runs_alike(&tracks[1], &tracks[0], &b, name);
    floor_end(f);
    return alike;
}

static void drawn_floors_carry(void **state)
{
    (void)state;
    int failed = 0;
    for (int run = 0; run < test_pick(200, 30); run++)
        failed += !run_drawn(run, 1);
    assert_int_equal(failed, 0);
}

/* The same where two to four meshes share the triangles. The last ones have once failed. */
static void shared_floors_carry(void **state)
{
    (void)state;
    static const int once[] = {20050, 20106, 20139, 20210, 20349, 20378, 30495, 30505, 40341, 40838};
    int failed = 0;
    for (int run = 0; run < test_pick(60, 15); run++)
        failed += !run_drawn(10000 + run, 2 + run % 3);
    for (int i = 0; i < COUNT_OF(once); i++)
        failed += !run_drawn(once[i], 1 + once[i] % 4);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_shape_carries),       cmocka_unit_test(many_shapes_carry),
        cmocka_unit_test(rolling_keeps_its_speed), cmocka_unit_test(drawn_floors_carry),
        cmocka_unit_test(shared_floors_carry),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    slides_end();
    return failed;
}
