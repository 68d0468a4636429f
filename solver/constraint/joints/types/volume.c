/* The volume joint: four points, each on a body of its own, span a tetrahedron of constant volume,
 * (b - a) . ((c - a) x (d - a)) / 6 = volume. One row [Waterson 5-6]: its gradient at a point is a third of
 * the area of the face across from the point, along that face's normal. */
#include "solver/constraint/joints/types/volume.h"

#include "solver/constraint/joints/joint_type.h"

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

static dry_double3 minus(dry_double3 a, dry_double3 b)
{
    return double3_add_scaled(a, -1.0, b);
}

dry_tetrahedron dry_tetrahedron_of(const dry_double3 edge[3])
{
    dry_tetrahedron t = {0};
    double squares = 0.0;
    for (int i = 0; i < 3; i++) {
        const dry_double3 face = double3_cross(edge[(i + 1) % 3], edge[(i + 2) % 3]);
        t.gradient[i + 1] = double3_add_scaled((dry_double3){0}, 1.0 / 6.0, face);
        t.gradient[0] = minus(t.gradient[0], t.gradient[i + 1]);
        squares += double3_dot(t.gradient[i + 1], t.gradient[i + 1]);
    }
    t.volume = double3_dot(edge[0], t.gradient[1]);
    t.steepness = sqrt(squares + double3_dot(t.gradient[0], t.gradient[0]));
    return t;
}

double dry_tetrahedron_curvature(const dry_double3 edge[3], const dry_double3 rate[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += double3_dot(edge[i], double3_cross(rate[(i + 1) % 3], rate[(i + 2) % 3]));
    return sum / 3.0;
}

dry_tetrahedron dry_volume_now(const dry_bodies *bodies, const dry_joints *joints, int joint)
{
    dry_double3 arm[DRY_POINTS], edge[3];
    dry_position center[DRY_POINTS];
    for (int side = 0; side < DRY_POINTS; side++) {
        const dry_body_pose *pose = dry_body_pose_of(bodies, dry_joint_body(joints, joint, side));
        center[side] = pose->position;
        arm[side] = rotation_apply(rotation_from_quat(pose->orientation),
                                   double3_of(dry_joint_anchor(joints, joint, side)));
    }
    for (int i = 0; i < 3; i++) {
        const dry_double3 centers = {center[i + 1].x - center[0].x, center[i + 1].y - center[0].y,
                                     center[i + 1].z - center[0].z};
        edge[i] = double3_add_scaled(centers, 1.0, minus(arm[i + 1], arm[0]));
    }
    return dry_tetrahedron_of(edge);
}

/* Returns the cube root of a number that is not negative, by arithmetic that every machine does alike.
 * Not inlined, as it is long. */
static __attribute__((noinline)) double cube_root(double x)
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

double dry_volume_gap(double error, double steepness)
{
    const double most = cube_root(fabs(error));
    return fabs(error) < most * steepness ? error / steepness : error < 0.0 ? -most : most;
}

static double volume_off(const dry_bodies *bodies, const dry_joints *joints, int joint, double *gap)
{
    const dry_tetrahedron now = dry_volume_now(bodies, joints, joint);
    const double error = now.volume - (double)joints->def[joint].volume;
    *gap = dry_volume_gap(error, now.steepness);
    return error;
}

const dry_joint_description dry_joint_volume = {
    .kind = DRY_KIND_QUAD,
    .off = volume_off,
    .set_defaults = volume_set_defaults,
    .check = volume_check,
};
