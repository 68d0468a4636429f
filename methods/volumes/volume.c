/* The volume joint: four points, each on a body of its own, span a tetrahedron of constant volume,
 * (b - a) . ((c - a) x (d - a)) / 6 = volume. One row [Waterson 5-6]: its gradient at a point is a third of
 * the area of the face across from the point, along that face's normal. */
#include "methods/volumes/quad.h"

static void volume_set_defaults(dry_joint_def *def)
{
    def->collide = true;
}

static const char *volume_check(const dry_joint_def *def)
{
    if (!def->collide)
        return "collide must be true: a volume joint keeps no bodies from touching";
    if (def->solver != DRY_JOINT_SOLVER_WORLD && def->solver != DRY_JOINT_SOLVER_ITERATIVE)
        return "solver must be the world's or iterative: a row over four bodies is left to sweeps";
    return NULL;
}

static dry_quad_value volume_value(const dry_joint_def *def, const dry_double3 edge[3])
{
    dry_quad_value now = {0};
    double squares = 0.0;
    for (int i = 0; i < 3; i++) {
        const dry_double3 face = double3_cross(edge[(i + 1) % 3], edge[(i + 2) % 3]);
        now.gradient[i + 1] = double3_add_scaled((dry_double3){0}, 1.0 / 6.0, face);
        now.gradient[0] = double3_add_scaled(now.gradient[0], -1.0, now.gradient[i + 1]);
        squares += double3_dot(now.gradient[i + 1], now.gradient[i + 1]);
    }
    now.value = double3_dot(edge[0], now.gradient[1]);
    now.error = now.value - (double)def->volume;
    now.steepness = sqrt(squares + double3_dot(now.gradient[0], now.gradient[0]));
    return now;
}

static double volume_curvature(const dry_double3 edge[3], const dry_double3 rate[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += double3_dot(edge[i], double3_cross(rate[(i + 1) % 3], rate[(i + 2) % 3]));
    return sum / 3.0;
}

/* Returns the cube root of a number that is not negative, by arithmetic that every machine does alike.
 * Not inlined, as it is long. */
static DRY_NOINLINE double cube_root(double x)
{
    if (!(x > 0.0))
        return 0.0;
    int exponent;
    frexp(x, &exponent);
    double root = ldexp(1.0, exponent / 3 + 1);
    for (int i = 0; i < 8; i++)
        root = (2.0 * root + x / (root * root)) / 3.0;
    return root;
}

/* Returns error / steepness, at most the edge of a cube of that volume. */
static double volume_gap(double error, double steepness)
{
    const double most = cube_root(fabs(error));
    return fabs(error) < most * steepness ? error / steepness : error < 0.0 ? -most : most;
}

const dry_joint_description dry_quad_type = {
    .kind = DRY_KIND_QUAD,
    .locked = 1,
    .value = volume_value,
    .curvature = volume_curvature,
    .gap = volume_gap,
    .set_defaults = volume_set_defaults,
    .check = volume_check,
};

void dry_quad_type_add(void)
{
    dry_joint_type_add(DRY_JOINT_VOLUME, &dry_quad_type);
}
