/* Vectors, quaternions and matrices of core/math.h and the rotations of core/rotation.h, against the same
 * formulas in long double with the C library's sine and cosine. */
#include "core/quat_pack.h"
#include "tests/test_world.h"

#include "core/integrate.h"
#include "core/math.h"
#include "core/rotation.h"

typedef long double ld;

/* A float operation's result lies within half of FLT_EPSILON of its value; this many of them in a row. */
static double rounding(int operations, double size)
{
    return 0.5 * FLT_EPSILON * operations * size;
}

typedef struct ld3 {
    ld x, y, z;
} ld3;

static ld3 ld3_of(dry_vec3 v)
{
    return (ld3){v.x, v.y, v.z};
}

static ld3 ld3_cross(ld3 a, ld3 b)
{
    return (ld3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static ld ld3_dot(ld3 a, ld3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static void assert_vec3(dry_vec3 actual, ld3 expected, double tolerance)
{
    assert_near((double)actual.x, (double)expected.x, tolerance);
    assert_near((double)actual.y, (double)expected.y, tolerance);
    assert_near((double)actual.z, (double)expected.z, tolerance);
}

/* Rodrigues' rotation by `angle` about the unit axis. */
static ld3 ld_rotate(ld3 axis, ld angle, ld3 v)
{
    ld c = cosl(angle), s = sinl(angle), along = ld3_dot(axis, v) * (1 - c);
    ld3 across = ld3_cross(axis, v);
    return (ld3){c * v.x + s * across.x + along * axis.x, c * v.y + s * across.y + along * axis.y,
                 c * v.z + s * across.z + along * axis.z};
}

static dry_vec3 random_vec3(uint64_t *seed, double bound)
{
    return v3_of(random_d3(seed, bound));
}

static const ld pi = 3.14159265358979323846264338327950288L;

/* Rotations. */

static void test_sine_and_cosine(void **state)
{
    (void)state;
    for (int i = 0; i <= 200000; i++) {
        double x = (double)pi * i / 200000, x2 = x * x, sinc, cosine;
        dry_sinc_cos(x2, &sinc, &cosine);
        ld exact = sqrtl((ld)x2);
        /* Terms of the series for pi add up to cosh(pi) = 12: some of double's last places. */
        assert_near(cosine, (double)cosl(exact), 16 * DBL_EPSILON);
        assert_near(sinc, exact > 0 ? (double)(sinl(exact) / exact) : 1.0, 8 * DBL_EPSILON);
    }
    double sinc, cosine;
    dry_sinc_cos(0, &sinc, &cosine);
    assert_true(sinc == 1 && cosine == 1);
}

/* The quaternion is the nearest floats, or a neighbor: the double behind it is right to some 1e-15. */
static void assert_rotation(dry_vec3 v)
{
    dry_quat q = quat_from_rotation(v);
    ld3 axis = ld3_of(v);
    ld angle = sqrtl(ld3_dot(axis, axis));
    ld half = angle / 2, s = angle > 0 ? sinl(half) / angle : 0.5L, c = cosl(half);
    /* q and -q are the same rotation; whole turns may come out as either. */
    ld sign = (ld)q.x * s * axis.x + (ld)q.y * s * axis.y + (ld)q.z * s * axis.z + (ld)q.w * c < 0 ? -1 : 1;
    /* Taking off n turns loses n times the last place of 2 pi. */
    double tolerance = FLT_EPSILON / 2 * 1.01 + (double)angle * 4e-16;
    assert_near((double)q.x, (double)(sign * s * axis.x), tolerance);
    assert_near((double)q.y, (double)(sign * s * axis.y), tolerance);
    assert_near((double)q.z, (double)(sign * s * axis.z), tolerance);
    assert_near((double)q.w, (double)(sign * c), tolerance);
    double length = sqrt((double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z +
                         (double)q.w * (double)q.w);
    assert_near(length, 1.0, FLT_EPSILON);
}

static void test_rotation_vectors(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        d3 axis = random_d3(&seed, 1);
        double size = random_in(&seed, i % 3 == 2 ? 1 : 0, i % 3 == 0 ? 0.2 : i % 3 == 1 ? 10 : 2);
        if (i % 3 == 2)
            size = ldexp(size, random_below(&seed, 60) - 45);
        assert_rotation(v3_of(d3_scale(d3_unit(axis), size)));
    }
}

static void test_rotation_limits(void **state)
{
    (void)state;
    dry_quat none = quat_from_rotation(vec3(0, 0, 0));
    assert_true(none.x == 0 && none.y == 0 && none.z == 0 && none.w == 1);
    /* Tiny rotations are half the vector, down to the smallest numbers. */
    for (int e = -149; e < -13; e++) {
        dry_vec3 v = vec3(ldexpf(1, e), ldexpf(-1, e), 0);
        dry_quat q = quat_from_rotation(v);
        assert_true(q.x == ldexpf(0.5f, e) && q.y == -ldexpf(0.5f, e) && q.z == 0 && q.w == 1);
    }
    /* About half a turn and about whole turns, from both sides. */
    for (int turns = 1; turns <= 9; turns++)
        for (int ulps = -3; ulps <= 3; ulps++) {
            float angle = (float)(turns * (double)pi);
            for (int i = 0; i < 3 && ulps; i++)
                angle = nextafterf(angle, ulps > 0 ? INFINITY : 0);
            assert_rotation(vec3(angle, 0, 0));
            assert_rotation(vec3(0, -angle, 0));
            assert_rotation(v3_of(d3_scale(d3_unit((d3){1, 2, -2}), (double)angle)));
        }
    /* A value that is no rotation must not look like one, whatever the processor makes of integers out of
     * range. */
    const float too_far[] = {1.01e9f, 1e30f, FLT_MAX, INFINITY, -INFINITY, NAN};
    for (int i = 0; i < COUNT_OF(too_far); i++)
        assert_false(isfinite(quat_length_squared(quat_from_rotation(vec3(0, too_far[i], 1)))));
    /* The fastest spin for the longest step: 1e4 rad/s for a second. */
    assert_rotation(vec3(1e4f, 0, 0));
    assert_rotation(vec3(-5773.0f, 5773.0f, 5773.0f));
}

/* Small turns one after the other are one large turn. */
static void test_rotations_add_up(void **state)
{
    (void)state;
    dry_quat q = quat_identity(), step = quat_from_rotation(vec3(0, 0.001f, 0));
    for (int i = 0; i < 3000; i++)
        q = quat_normalize(quat_mul(step, q));
    dry_quat whole = quat_from_rotation(vec3(0, 3.0f, 0));
    /* 3000 quaternions' roundings, which add up like a random walk. */
    assert_near((double)q.y, (double)whole.y, rounding(200, 1));
    assert_near((double)q.w, (double)whole.w, rounding(200, 1));
}

/* Vectors and quaternions. */

static void test_vectors(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 20000; i++) {
        dry_vec3 a = random_vec3(&seed, 10), b = random_vec3(&seed, 10);
        float s = (float)random_in(&seed, -3, 3);
        ld3 la = ld3_of(a), lb = ld3_of(b);
        assert_vec3(vec3_add(a, b), (ld3){la.x + lb.x, la.y + lb.y, la.z + lb.z}, rounding(1, 20));
        assert_vec3(vec3_sub(a, b), (ld3){la.x - lb.x, la.y - lb.y, la.z - lb.z}, rounding(1, 20));
        assert_vec3(vec3_scale(a, s), (ld3){la.x * s, la.y * s, la.z * s}, rounding(1, 30));
        assert_vec3(vec3_mul(a, b), (ld3){la.x * lb.x, la.y * lb.y, la.z * lb.z}, rounding(1, 100));
        assert_vec3(vec3_add_scaled(a, s, b), (ld3){la.x + s * lb.x, la.y + s * lb.y, la.z + s * lb.z},
                    rounding(2, 40));
        assert_vec3(vec3_cross(a, b), ld3_cross(la, lb), rounding(3, 200));
        assert_near((double)vec3_dot(a, b), (double)ld3_dot(la, lb), rounding(5, 300));
        assert_near((double)vec3_length(a), (double)sqrtl(ld3_dot(la, la)), rounding(5, 18));
        assert_near((double)vec3_length_squared(a), (double)ld3_dot(la, la), rounding(5, 300));
        ld3 apart = {la.x - lb.x, la.y - lb.y, la.z - lb.z};
        assert_near((double)vec3_distance(a, b), (double)sqrtl(ld3_dot(apart, apart)), rounding(6, 35));
        assert_vec3(vec3_neg(a), (ld3){-la.x, -la.y, -la.z}, 0);
        assert_vec3(vec3_abs(a), (ld3){fabsl(la.x), fabsl(la.y), fabsl(la.z)}, 0);
        assert_vec3(vec3_min(a, b), (ld3){fminl(la.x, lb.x), fminl(la.y, lb.y), fminl(la.z, lb.z)}, 0);
        assert_vec3(vec3_max(a, b), (ld3){fmaxl(la.x, lb.x), fmaxl(la.y, lb.y), fmaxl(la.z, lb.z)}, 0);
        assert_true(vec3_get(a, 0) == a.x && vec3_get(a, 1) == a.y && vec3_get(a, 2) == a.z);
        assert_true(dry_clamp(a.x, -2, 3) == fmaxf(-2, fminf(a.x, 3)));

        dry_vec3 n = vec3_normalize_or(a, vec3(9, 9, 9)), p = vec3_perpendicular(n);
        ld size = sqrtl(ld3_dot(la, la));
        assert_vec3(n, (ld3){la.x / size, la.y / size, la.z / size}, rounding(6, 1));
        assert_near((double)vec3_length(p), 1, rounding(8, 1));
        assert_near((double)vec3_dot(p, n), 0, rounding(8, 1));
    }
}

static void test_vector_limits(void **state)
{
    (void)state;
    dry_vec3 fallback = vec3(0, 1, 0);
    assert_true(vec3_normalize_or(vec3(0, 0, 0), fallback).y == 1);
    assert_true(vec3_normalize_or(vec3(1e-30f, 1e-30f, 0), fallback).y == 1);
    assert_true(vec3_normalize_or(vec3(NAN, 0, 0), fallback).y == 1);
    assert_true(vec3_normalize_or(vec3(0, 0, -1e-10f), fallback).z == -1);
    static const dry_vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    for (int i = 0; i < COUNT_OF(axes); i++) {
        dry_vec3 p = vec3_perpendicular(axes[i]);
        assert_true(vec3_dot(p, axes[i]) == 0 && vec3_length(p) == 1);
    }
    /* Around the direction at which the choice changes. */
    for (int i = -20; i <= 20; i++) {
        double x = 0.57735 + i * 1e-7, y = sqrt((1 - x * x) / 2);
        dry_vec3 n = v3(x, y, y), p = vec3_perpendicular(n);
        assert_near((double)vec3_dot(p, n), 0, rounding(8, 1));
        assert_near((double)vec3_length(p), 1, rounding(8, 1));
    }
    assert_true(vec3_is_finite(vec3(FLT_MAX, -FLT_MAX, 0)));
    for (int i = 0; i < 3; i++) {
        static const float bad[] = {INFINITY, -INFINITY, NAN};
        assert_false(vec3_is_finite(vec3(bad[i], 0, 0)) || vec3_is_finite(vec3(0, bad[i], 0)) ||
                     vec3_is_finite(vec3(0, 0, bad[i])));
    }
    assert_true(dry_min_int(-2, 3) == -2 && dry_max_int(-2, 3) == 3);
    assert_true(dry_abs(-0.5f) == 0.5f && dry_min(1, 2) == 1 && dry_max(1, 2) == 2);
}

static void test_quaternions(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        d3 axis_a = d3_unit(random_d3(&seed, 1)), axis_b = d3_unit(random_d3(&seed, 1));
        ld angle_a = (ld)random_in(&seed, -3.1, 3.1), angle_b = (ld)random_in(&seed, -3.1, 3.1);
        dry_quat a = quat_about(axis_a, (double)angle_a), b = quat_about(axis_b, (double)angle_b);
        ld3 la = {axis_a.x, axis_a.y, axis_a.z}, lb = {axis_b.x, axis_b.y, axis_b.z};
        dry_vec3 v = random_vec3(&seed, 5);
        ld3 turned_b = ld_rotate(lb, angle_b, ld3_of(v)), turned_a = ld_rotate(la, angle_a, ld3_of(v));
        double tolerance = rounding(24, 9);
        assert_vec3(quat_rotate(a, v), turned_a, tolerance);
        assert_vec3(quat_rotate_inverse(a, v), ld_rotate(la, -angle_a, ld3_of(v)), tolerance);
        /* b first, then a. */
        assert_vec3(quat_rotate(quat_mul(a, b), v), ld_rotate(la, angle_a, turned_b), 2 * tolerance);
        dry_mat3 m = mat3_from_quat(a);
        assert_vec3(mat3_mul(&m, v), turned_a, tolerance);
        assert_vec3(mat3_mul_transposed(&m, v), ld_rotate(la, -angle_a, ld3_of(v)), tolerance);
        assert_vec3(m.x, ld_rotate(la, angle_a, (ld3){1, 0, 0}), rounding(8, 1));
        assert_vec3(m.y, ld_rotate(la, angle_a, (ld3){0, 1, 0}), rounding(8, 1));
        assert_vec3(m.z, ld_rotate(la, angle_a, (ld3){0, 0, 1}), rounding(8, 1));
        float s = (float)random_in(&seed, 0.1, 9);
        dry_quat n = quat_normalize((dry_quat){a.x * s, a.y * s, a.z * s, a.w * s});
        assert_near((double)quat_length_squared(n), 1, rounding(10, 1));
        assert_near((double)n.w, (double)a.w, rounding(8, 1));
        dry_quat one = quat_mul(a, quat_conjugate(a));
        assert_near((double)one.w, 1, rounding(8, 1));
        assert_near((double)(one.x * one.x + one.y * one.y + one.z * one.z), 0, 1e-12);
    }
}

static void test_transforms(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 20000; i++) {
        dry_transform a = {random_vec3(&seed, 4), random_quat(&seed)},
                      b = {random_vec3(&seed, 4), random_quat(&seed)};
        dry_vec3 p = random_vec3(&seed, 4);
        double tolerance = rounding(60, 20);
        d3 expected = d3_add(d3_of(a.position), d3_turn(a.orientation, d3_of(p)));
        dry_vec3 world = transform_point(&a, p);
        assert_near((double)world.x, expected.x, tolerance);
        assert_near((double)world.y, expected.y, tolerance);
        assert_near((double)world.z, expected.z, tolerance);
        dry_vec3 back = transform_relative(&a, &(dry_transform){world, quat_identity()}).position;
        assert_at_most((double)vec3_distance(back, p), tolerance);
        /* Going through b's frame into a's, and back again. */
        dry_transform ab = transform_mul(&a, &b), again = transform_relative(&a, &ab);
        assert_at_most(
            (double)vec3_distance(transform_point(&ab, p), transform_point(&a, transform_point(&b, p))),
            tolerance);
        assert_at_most((double)vec3_distance(again.position, b.position), tolerance);
        assert_near(
            fabs((double)(again.orientation.x * b.orientation.x + again.orientation.y * b.orientation.y +
                          again.orientation.z * b.orientation.z + again.orientation.w * b.orientation.w)),
            1, tolerance);
    }
    dry_transform identity = transform_identity();
    assert_true(transform_point(&identity, vec3(1, 2, 3)).z == 3);
}

/* Far from the origin a difference keeps a float's precision of the difference, not of the positions. */
static void test_positions(void **state)
{
    (void)state;
    dry_position far = {1e7, -1e9, 3e8}, near = position_add(far, vec3(0.125f, -0.25f, 1024.5f));
    dry_vec3 apart = position_sub(near, far);
    assert_true(apart.x == 0.125f && apart.y == -0.25f && apart.z == 1024.5f);
    dry_position moved = position_add((dry_position){1e7, 0, 0}, vec3(1e-4f, 0, 0));
    assert_near(moved.x - 1e7, 1e-4, 2e-9);
}

/* The angle between a quaternion and what is left of it in 48 bits. */
static double packing_error(dry_quat q)
{
    uint16_t packed[3];
    dry_quat_pack(q, packed);
    return turn_angle(quat_mul(quat_conjugate(q), dry_quat_unpack(packed)));
}

static void test_packed_quaternions(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 20000; i++)
        assert_at_most(packing_error(random_quat(&seed)), (double)DRY_QUAT_PACK_ERROR + rounding(20, 1));
    /* All components alike are the largest error; aligned boxes must have none. */
    assert_at_most(packing_error((dry_quat){-0.5f, 0.5f, -0.5f, 0.5f}), (double)DRY_QUAT_PACK_ERROR);
    for (int axis = 0; axis < 4; axis++)
        for (int sign = -1; sign <= 1; sign += 2) {
            float c[4] = {0};
            c[axis] = (float)sign;
            uint16_t packed[3];
            dry_quat_pack((dry_quat){c[0], c[1], c[2], c[3]}, packed);
            dry_quat q = dry_quat_unpack(packed);
            assert_true(q.x == (float)(axis == 0) && q.y == (float)(axis == 1) && q.z == (float)(axis == 2) &&
                        q.w == (float)(axis == 3));
        }
}

/* Twice the energy of a rotor with angular momentum l in the world. */
static double rotor_energy(const dry_rotor *r, dry_double3 l)
{
    return double3_dot(l, rotation_scale_principal(r->q, r->inverse, l));
}

static dry_double3 random_double3(uint64_t *state, double size)
{
    const d3 v = d3_scale(d3_unit(random_d3(state, 1)), size);
    return (dry_double3){v.x, v.y, v.z};
}

/* Turns a rotor as frames do: by twice the half turn of its momentum. */
static void turn_freely(dry_rotor *r, dry_double3 l, double h)
{
    const dry_double3 none = {0, 0, 0}, t = rotor_half_turn(r, rotation_apply_inverse(r->q, l), h);
    r->q = rotation_normalize(rotation_mul(r->q, rotation_from_vector(double3_add_scaled(none, 2, t))));
}

/* Half turns solve their equation. Tops with moments of up to 100:1 that turn by up to a radian a step keep
 * their energy over 10,000 steps if two moments are equal, within bounds if none are, and come back if time
 * does. */
static void test_half_turns(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (int i = 0; i < 60; ++i) {
        const bool symmetric = i % 2 == 0;
        const double slim = pow(10, random_in(&random, -2, 0)), h = 0.01;
        dry_rotor r = {.q = rotation_from_vector(random_double3(&random, 2))};
        r.inertia = (dry_double3){1, symmetric ? 1 : random_in(&random, 0.9, 1), slim};
        r.inverse = (dry_double3){1 / r.inertia.x, 1 / r.inertia.y, 1 / r.inertia.z};
        const dry_double3 w = random_double3(&random, random_in(&random, 1, symmetric ? 100 : 20));
        const dry_double3 l = rotation_scale_principal(r.q, r.inertia, w);
        const dry_double3 own = rotation_apply_inverse(r.q, l), t = rotor_half_turn(&r, own, h);
        const dry_double3 middle = rotation_apply_inverse(rotation_from_vector(t), own);
        const dry_double3 excess = double3_add_scaled(t, -0.5 * h, double3_mul(r.inverse, middle));
        assert_at_most(sqrt(double3_dot(excess, excess)), 1e-12 * (1 + 1 / slim));
        const dry_rotation begin = r.q;
        const double energy = rotor_energy(&r, l);
        for (int k = 0; k < 10000; ++k) {
            turn_freely(&r, l, h);
            assert_near(rotor_energy(&r, l), energy, (symmetric ? 1e-8 : 0.02) * energy);
        }
        r.q = begin;
        turn_freely(&r, l, h);
        turn_freely(&r, l, -h);
        const double back = r.q.x * begin.x + r.q.y * begin.y + r.q.z * begin.z + r.q.w * begin.w;
        assert_near(fabs(back), 1, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sine_and_cosine), cmocka_unit_test(test_rotation_vectors),
        cmocka_unit_test(test_rotation_limits), cmocka_unit_test(test_rotations_add_up),
        cmocka_unit_test(test_vectors),         cmocka_unit_test(test_vector_limits),
        cmocka_unit_test(test_quaternions),     cmocka_unit_test(test_transforms),
        cmocka_unit_test(test_positions),       cmocka_unit_test(test_packed_quaternions),
        cmocka_unit_test(test_half_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
