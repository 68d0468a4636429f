/* The sides of triangles on which a piece lies: every level beside the scalar one, bit by bit and for every
 * count, and the scalar one beside plain code in double that knows the piece by its corners, its ends, or its
 * axis. */
#include "narrowphase/patches/reach.h"
#include "narrowphase/patches/sides.h"
#include "tests/narrowphase/hull_pairs.h"

enum { POINTS_MAX = 64 };

/* A piece in double: points with a ball about each, or a cylinder. */
typedef struct plain_piece {
    d3 point[POINTS_MAX];
    int count;
    double rounding, radius, half; /* of a cylinder: radius and half length */
    d3 axis, across;               /* of a cylinder */
} plain_piece;

typedef struct drawn_piece {
    dry_geometry geometry;
    dry_quat orientation;
    double size;
} drawn_piece;

static drawn_piece draw_piece(uint64_t *seed)
{
    drawn_piece p = {.orientation = random_quat(seed)};
    p.size = exp(random_in(seed, log(0.05), log(2)));
    const double x = p.size * random_in(seed, 0.3, 1), y = p.size * random_in(seed, 0.3, 1),
                 z = p.size * random_in(seed, 0.3, 1);
    static const dry_shape_type types[] = {DRY_SHAPE_BOX, DRY_SHAPE_SPHERE, DRY_SHAPE_CAPSULE,
                                           DRY_SHAPE_CYLINDER, DRY_SHAPE_HULL};
    const int kind = random_below(seed, 5);
    p.geometry = (dry_geometry){v3(x, y, z), types[kind], NULL};
    if (types[kind] == DRY_SHAPE_HULL)
        p.geometry.data = hulls[random_below(seed, HULLS)];
    if (random_below(seed, 4) == 0)
        p.orientation = quat_about((d3){0, 0, 1}, TEST_PI / 2 * random_below(seed, 4));
    return p;
}

static plain_piece plain_of(const drawn_piece *drawn)
{
    const dry_geometry *g = &drawn->geometry;
    plain_piece p = {.axis = d3_turn(drawn->orientation, (d3){0, 1, 0}),
                     .across = d3_turn(drawn->orientation, (d3){1, 0, 0})};
    const d3 size = d3_of(g->size);
    if (g->type == DRY_SHAPE_HULL || g->type == DRY_SHAPE_BOX) {
        const dry_transform pose = {{0, 0, 0}, drawn->orientation};
        solid s;
        solid_of(&s, g, &pose);
        assert_true(s.vertices <= POINTS_MAX);
        for (int i = 0; i < s.vertices; i++)
            p.point[p.count++] = s.vertex[i];
    } else if (g->type == DRY_SHAPE_CYLINDER) {
        p.radius = size.x;
        p.half = size.y;
    } else {
        p.rounding = size.x;
        const double half = g->type == DRY_SHAPE_CAPSULE ? size.y : 0;
        p.point[p.count++] = d3_scale(p.axis, -half);
        if (half > 0)
            p.point[p.count++] = d3_scale(p.axis, half);
    }
    return p;
}

/* Returns the least product of a unit vector with a point of the piece. */
static double least_along(const plain_piece *p, d3 n)
{
    const d3 beside = d3_sub(n, d3_scale(p->axis, d3_dot(n, p->axis)));
    double least =
        p->count > 0 ? 1e30 : -(p->radius * d3_length(beside) + p->half * fabs(d3_dot(n, p->axis)));
    for (int i = 0; i < p->count; i++)
        least = fmin(least, d3_dot(n, p->point[i]));
    return least - p->rounding;
}

/* Returns how much the kernel may round the extent of a cylinder: it takes the sine of the angle to the axis
 * from the cosine, and so half of the digits where the axis is along the normal. */
static double lost_along(const plain_piece *p, d3 n)
{
    const double sine = d3_length(d3_sub(n, d3_scale(p->axis, d3_dot(n, p->axis))));
    return p->radius * fmin(5e-4, 5e-7 / (sine + 1e-9));
}

/* Writes the points that are judged, and whether each one may be any point of a flat end. Returns their
 * number. */
static int judged_points(const plain_piece *p, d3 n, d3 at[POINTS_MAX])
{
    if (p->count > 0) {
        memcpy(at, p->point, (size_t)p->count * sizeof *at);
        return p->count;
    }
    const double along = d3_dot(n, p->axis);
    const d3 beside = d3_sub(d3_scale(p->axis, along), n);
    const d3 down = d3_length(beside) > 1e-12 ? d3_unit(beside) : p->across, side = d3_cross(p->axis, down);
    int count = 0;
    for (int i = 0; i < 2; i++) {
        const d3 end = d3_scale(p->axis, i ? p->half : -p->half);
        const d3 ways[4] = {down, d3_scale(down, -1), side, d3_scale(side, -1)};
        for (int k = 0; k < (fabs(along) > 0.5 ? 4 : 1); k++)
            at[count++] = d3_add(end, d3_scale(ways[k], p->radius));
    }
    return count;
}

/* A triangle in double, as the kernel reads it. */
typedef struct plain_triangle {
    d3 corner[3], normal, outward[3];
    double offset, over[3];
} plain_triangle;

static plain_triangle read_triangle(const dry_sides *s, int i)
{
    plain_triangle t = {.normal = {s->normal[0][i], s->normal[1][i], s->normal[2][i]},
                        .offset = s->offset[i]};
    for (int k = 0; k < 3; k++) {
        t.corner[k] = (d3){s->corner[k][0][i], s->corner[k][1][i], s->corner[k][2][i]};
        t.over[k] = s->over[k][i];
    }
    for (int k = 0; k < 3; k++)
        t.outward[k] = d3_unit(d3_cross(d3_sub(t.corner[(k + 1) % 3], t.corner[k]), t.normal));
    return t;
}

/* Puts a triangle near a piece into a lane: of any size and shape, needles and slivers among them. */
static void draw_triangle(uint64_t *seed, dry_sides *s, int i, double size)
{
    const d3 n = sphere_point(seed), u = d3_unit(d3_cross(n, sphere_point(seed))), v = d3_cross(n, u);
    const double offset = size * random_in(seed, -2, 0.5), cell = size * exp(random_in(seed, -4, 3)),
                 thin = random_below(seed, 3) ? 1 : exp(random_in(seed, -6, 0));
    double at[3][2];
    for (int k = 0; k < 3; k++) {
        at[k][0] = cell * random_in(seed, -1, 1);
        at[k][1] = cell * thin * random_in(seed, -1, 1);
    }
    const bool turned =
        (at[1][0] - at[0][0]) * (at[2][1] - at[0][1]) - (at[1][1] - at[0][1]) * (at[2][0] - at[0][0]) < 0;
    for (int k = 0; k < 3; k++) {
        const double *p = at[turned && k ? 3 - k : k];
        const d3 c = d3_add(d3_scale(n, offset), d3_add(d3_scale(u, p[0]), d3_scale(v, p[1])));
        s->corner[k][0][i] = (float)c.x;
        s->corner[k][1][i] = (float)c.y;
        s->corner[k][2][i] = (float)c.z;
        s->over[k][i] = random_below(seed, 2) ? 1e-3f : (float)(size * random_in(seed, 0, 0.5));
    }
    s->normal[0][i] = (float)n.x;
    s->normal[1][i] = (float)n.y;
    s->normal[2][i] = (float)n.z;
    s->offset[i] = (float)offset;
}

/* Compares a lane's bits with those in double. Bits that a rounding decides may be either. */
static void check_bits(const plain_piece *p, const plain_triangle *t, const dry_side_rule *rule, int bits,
                       double tiny)
{
    d3 at[POINTS_MAX];
    const int count = judged_points(p, t->normal, at);
    const double margin = rule->margin, lowest = least_along(p, t->normal) - t->offset + rule->same_height;
    int surely = 0, maybe = 0;
    for (int i = 0; i < count; i++) {
        const double height = d3_dot(t->normal, at[i]) - t->offset - p->rounding;
        bool over = height <= margin - tiny, may = height <= margin + tiny;
        for (int k = 0; k < 3; k++) {
            const double past = d3_dot(t->outward[k], d3_sub(at[i], t->corner[k]));
            if (height <= fmin(lowest, margin) - tiny && past > tiny)
                surely |= DRY_SIDES_BEYOND << k;
            if (height <= fmin(lowest, margin) + tiny && past > -tiny)
                maybe |= DRY_SIDES_BEYOND << k;
            over &= past <= t->over[k] - tiny;
            may &= past <= t->over[k] + tiny;
        }
        surely |= over ? DRY_SIDES_BORNE : 0;
        maybe |= may ? DRY_SIDES_BORNE : 0;
    }
    /* Any point of a flat end bears: it is borne, wherever the edges are. */
    const double along = fabs(d3_dot(t->normal, p->axis));
    surely |= p->count == 0 && along > 0.5 + 1e-5 ? DRY_SIDES_BORNE : 0;
    maybe |= p->count == 0 && along > 0.5 - 1e-5 ? DRY_SIDES_BORNE : 0;
    if ((surely & ~bits) || (bits & ~maybe))
        fail_msg("bits %x, surely %x, maybe %x", bits, surely, maybe);
}

static void check_lane(const plain_piece *p, const dry_sides *s, int i, const dry_side_rule *rule,
                       double size)
{
    const plain_triangle t = read_triangle(s, i);
    double far = size, least = least_along(p, t.normal) - t.offset, worst = least;
    for (int k = 0; k < 3; k++)
        far = fmax(far, d3_length(t.corner[k]));
    /* An edge's direction loses digits where the edge is short. */
    const double flat = 3e-6 * far + lost_along(p, t.normal);
    double tiny[3], loose = flat;
    for (int k = 0; k < 3; k++) {
        const double edge = d3_length(d3_sub(t.corner[(k + 1) % 3], t.corner[k]));
        tiny[k] = 3e-6 * far + 1e-6 * far / edge * far + lost_along(p, t.outward[k]);
        loose = fmax(loose, tiny[k]);
    }
    if (loose > 0.1 * size)
        return;
    assert_near(s->height[i], least, flat);
    assert_near(s->most[i], -least_along(p, d3_scale(t.normal, -1)), flat);
    for (int k = 0; k < 3; k++) {
        const double beyond = least_along(p, t.outward[k]) - d3_dot(t.outward[k], t.corner[k]);
        assert_near(s->beyond[k][i], beyond, tiny[k]);
        worst = fmax(worst, beyond);
    }
    /* A piece beyond the margin touches nothing, and nobody asks. */
    if (worst < rule->margin - loose)
        check_bits(p, &t, rule, (int)s->touched[i], loose);
}

static void find(dry_level level, dry_sides *sides, int count, const dry_reach *reach,
                 const dry_side_rule *rule)
{
    dry_pair_kernels_at(level)->find_sides(sides, count, reach);
    dry_pair_kernels_at(level)->find_touched(sides, count, reach, rule);
}

static void sides_are_as_in_double(void **state)
{
    (void)state;
    uint64_t seed = 35;
    int borne = 0, beyond = 0, none = 0;
    for (int n = 0; n < test_pick(20000, 2000); n++) {
        const drawn_piece drawn = draw_piece(&seed);
        const plain_piece plain = plain_of(&drawn);
        double size = plain.rounding + plain.radius + plain.half;
        for (int i = 0; i < plain.count; i++)
            size = fmax(size, plain.rounding + d3_length(plain.point[i]));
        dry_reach reach;
        dry_sides sides;
        dry_reach_begin(&reach, &drawn.geometry, drawn.orientation, DRY_LEVEL_SCALAR);
        const double margin = size * random_in(&seed, 0, 0.3);
        const dry_side_rule rule = {(float)margin, (float)(0.05 * size)};
        for (int i = 0; i < DRY_SIDES; i++)
            draw_triangle(&seed, &sides, i, size);
        find(DRY_LEVEL_SCALAR, &sides, DRY_SIDES, &reach, &rule);
        for (int i = 0; i < DRY_SIDES; i++) {
            check_lane(&plain, &sides, i, &rule, size);
            const int bits = (int)sides.touched[i];
            borne += bits & DRY_SIDES_BORNE;
            beyond += bits > DRY_SIDES_BORNE;
            none += bits == 0;
        }
    }
    assert_true(borne > 1000 && beyond > 1000 && none > 1000);
}

/* Puts numbers into a triangle that no scene has. */
static void spoil(uint64_t *seed, dry_sides *s, int i)
{
    static const float extreme[] = {0.0f, -0.0f, 1e-30f, 1e-40f, 1e6f, -1e6f, 1.0f, -1e-20f};
    for (int k = 0; k < 3; k++) {
        const int axis = random_below(seed, 3);
        s->corner[k][axis][i] = extreme[random_below(seed, 8)];
    }
    const int axis = random_below(seed, 3);
    s->normal[axis][i] = extreme[random_below(seed, 8)];
    s->offset[i] = extreme[random_below(seed, 8)];
}

/* Compares the results of two runs over `count` triangles, bit by bit. */
static void check_same(const dry_sides *a, const dry_sides *b, int count, const char *name)
{
    const size_t bytes = (size_t)count * sizeof(float);
    bool same = memcmp(a->height, b->height, bytes) == 0 && memcmp(a->most, b->most, bytes) == 0 &&
                memcmp(a->touched, b->touched, bytes) == 0;
    for (int k = 0; k < 3; k++) {
        same &= memcmp(a->beyond[k], b->beyond[k], bytes) == 0;
        for (int axis = 0; axis < 3; axis++)
            same &= memcmp(a->outward[k][axis], b->outward[k][axis], bytes) == 0;
    }
    if (!same)
        fail_msg("%d triangles at %s", count, name);
}

static void levels_are_alike(void **state)
{
    (void)state;
    uint64_t seed = 36;
    for (int n = 0; n < test_pick(20000, 2000); n++) {
        const drawn_piece drawn = draw_piece(&seed);
        const int count = 1 + n % DRY_SIDES;
        const double margin = drawn.size * random_in(&seed, 0, 0.3);
        const dry_side_rule rule = {(float)margin, (float)(0.05 * drawn.size)};
        dry_sides given;
        dry_reach reach;
        memset(&given, 0, sizeof given);
        for (int i = 0; i < DRY_SIDES; i++) {
            draw_triangle(&seed, &given, i, drawn.size);
            if (random_below(&seed, 10) == 0)
                spoil(&seed, &given, i);
        }
        dry_reach_begin(&reach, &drawn.geometry, drawn.orientation, DRY_LEVEL_SCALAR);
        dry_sides expected = given;
        find(DRY_LEVEL_SCALAR, &expected, count, &reach, &rule);
        for (int level = 0; level < DRY_LEVEL_COUNT; level++) {
            dry_level usable;
            dry_sides found = given;
            if (!dry_level_find(dry_level_isa((dry_level)level), &usable))
                continue;
            find(usable, &found, count, &reach, &rule);
            check_same(&expected, &found, count, dry_isa_name(dry_level_isa(usable)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_are_as_in_double),
        cmocka_unit_test(levels_are_alike),
    };
    return cmocka_run_group_tests(tests, make_hulls, free_hulls);
}
