/* Judges how two triangles meet at an edge. */
#include "geometry/mesh_edges.h"

/* Squares of sines and lengths below which an edge is flat: an angle of 2.5 degrees, half of the least ridge
 * that must be felt; a step of 1 mm, or 1/32 of the longest side where that is less, between one triangle's
 * corner and the other's plane: a needle has no more certain normal. A triangle narrower than 0.1 mm has
 * none at all. */
#define FLAT_SINE_SQUARE 0.0019026 /* sin(2.5 degrees)^2 */
#define STEP_SQUARE 1e-6
#define NARROW_SQUARE 1e-8
#define SHARE_SQUARE (1.0 / 1024.0)

/* Returns the steps of 180 / 16 degrees that an angle needs. Its cosine is facing / sqrt(squares). */
static int steps_of(double facing, double squares)
{
    /* cosine |cosine| of the multiples of a step */
    static const double bounds[DRY_MESH_ANGLE_STEPS - 1] = {
        0.96193976625564337,   0.85355339059327376,  0.69134171618254492,  0.5,
        0.30865828381745508,   0.14644660940672624,  0.038060233744356624, 0.0,
        -0.038060233744356624, -0.14644660940672624, -0.30865828381745508, -0.5,
        -0.69134171618254492,  -0.85355339059327376, -0.96193976625564337};
    const double square = facing * fabs(facing);
    int steps = 1;
    while (steps < DRY_MESH_ANGLE_STEPS && square < bounds[steps - 1] * squares)
        steps++;
    return steps;
}

static uint8_t code_of(dry_mesh_edge kind, int steps)
{
    return (uint8_t)((int)kind | (steps - 1) << 2);
}

/* The normals n and m are as long as the edge times the width of their triangle. Nothing is divided. */
uint8_t dry_mesh_edge_code(dry_double3 e, dry_double3 a, dry_double3 b)
{
    const dry_double3 n = double3_cross(e, a), m = double3_cross(b, e);
    const double square = double3_dot(e, e), own = double3_dot(n, n), other = double3_dot(m, m);
    const double longest = double_max(double_max(square, double3_dot(a, a)), double3_dot(b, b));
    const double least = own < other ? own : other, most = own > other ? own : other;
    const double share = longest * SHARE_SQUARE;
    const double height = double3_dot(b, n),
                 facing = double3_dot(n, m); /* |n| |m| / |e| sine, |n| |m| cosine */
    const double step = share < STEP_SQUARE ? share : STEP_SQUARE;
    const double narrow = share < NARROW_SQUARE ? share : NARROW_SQUARE;
    if (facing > 0.0 &&
        (height * height * square <= FLAT_SINE_SQUARE * own * other || height * height <= step * most))
        return code_of(DRY_MESH_EDGE_FLAT, 1);
    if (least <= narrow * square)
        return code_of(DRY_MESH_EDGE_FLAT, 1);
    return code_of(height > 0.0 ? DRY_MESH_EDGE_CONCAVE : DRY_MESH_EDGE_CONVEX,
                   steps_of(facing, own * other));
}

uint8_t dry_mesh_edge_join(uint8_t a, uint8_t b)
{
    const int kind = a & 3;
    if (kind != (b & 3))
        return code_of(DRY_MESH_EDGE_FLAT, 1);
    return a < b ? a : b;
}
