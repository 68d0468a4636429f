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

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Removes the part of v along e. */
static void keep_across(double v[3], const double e[3], double square)
{
    const double along = dot(v, e) / square;
    for (int k = 0; k < 3; k++)
        v[k] -= along * e[k];
}

/* Returns the steps of 180 / 16 degrees that an angle needs, from its cosine. */
static int steps_of(double cosine)
{
    static const double bounds[DRY_MESH_ANGLE_STEPS - 1] = {
        0.98078528040323043,  0.92387953251128674,  0.83146961230254524,  0.70710678118654757,
        0.55557023301960229,  0.38268343236508984,  0.19509032201612833,  0.0,
        -0.19509032201612819, -0.38268343236508973, -0.55557023301960196, -0.70710678118654746,
        -0.83146961230254535, -0.92387953251128674, -0.98078528040323043};
    int steps = 1;
    while (steps < DRY_MESH_ANGLE_STEPS && cosine < bounds[steps - 1])
        steps++;
    return steps;
}

static uint8_t code_of(dry_mesh_edge kind, int steps)
{
    return (uint8_t)((int)kind | (steps - 1) << 2);
}

uint8_t dry_mesh_edge_code(const double e[3], const double a[3], const double b[3])
{
    const double square = dot(e, e);
    double across[3] = {a[0], a[1], a[2]}, other[3] = {b[0], b[1], b[2]};
    double longest = square;
    longest = dot(a, a) > longest ? dot(a, a) : longest;
    longest = dot(b, b) > longest ? dot(b, b) : longest;
    keep_across(across, e, square);
    keep_across(other, e, square);
    const double n[3] = {e[1] * across[2] - e[2] * across[1], e[2] * across[0] - e[0] * across[2],
                         e[0] * across[1] - e[1] * across[0]};
    const double width = dot(across, across), other_width = dot(other, other);
    const double least = width < other_width ? width : other_width;
    const double most = width < other_width ? other_width : width;
    const double share = longest * SHARE_SQUARE;
    const double height = dot(other, n), facing = dot(across, other); /* |e| |a| |b| sine, |a| |b| cosine */
    const double step = share < STEP_SQUARE ? share : STEP_SQUARE;
    const double narrow = share < NARROW_SQUARE ? share : NARROW_SQUARE;
    if (facing < 0.0 && (height * height <= FLAT_SINE_SQUARE * square * width * other_width ||
                         height * height <= step * square * most))
        return code_of(DRY_MESH_EDGE_FLAT, 1);
    if (least <= narrow)
        return code_of(DRY_MESH_EDGE_FLAT, 1);
    const int steps = steps_of(-facing / sqrt(width * other_width));
    return code_of(height > 0.0 ? DRY_MESH_EDGE_CONCAVE : DRY_MESH_EDGE_CONVEX, steps);
}

uint8_t dry_mesh_edge_join(uint8_t a, uint8_t b)
{
    const int kind = a & 3;
    if (kind != (b & 3))
        return code_of(DRY_MESH_EDGE_FLAT, 1);
    return a < b ? a : b;
}
