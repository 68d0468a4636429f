/* Points of bodies off their centers of mass: velocity, acceleration, inverse mass [CSE169]. */
#include "core/gyroscopic.h"
#include "world/check.h"
#include "world/world.h"

#include <drystone/body.h>

/* The motion of a body, or a change of it, world axes. */
typedef struct motion {
    dry_double3 linear, angular;
} motion;

/* Returns the row of a body that a call reads at points; or a refusal. */
static int row_at(const dry_world *world, dry_body_id id, const dry_position *points, int count,
                  const void *out, const char *name)
{
    const int row = dry_row_to_read(world, id, out, name);
    for (int i = 0; row >= 0 && i < count; i++)
        if (!dry_finite_position(points[i]))
            return -(int)dry_refuse(world, name, "point must be finite and at most 1e9");
    return row;
}

static dry_double3 arm_to(const dry_world *world, int row, dry_position point)
{
    const dry_position center = world->bodies.pose[row].position;
    return (dry_double3){point.x - center.x, point.y - center.y, point.z - center.z};
}

static dry_double3 add(dry_double3 a, dry_double3 b)
{
    return double3_add(a, b);
}

/* Rounds to the nearest float that is finite. */
static float rounded_number(double x)
{
    return (float)fmax(-(double)FLT_MAX, fmin(x, (double)FLT_MAX));
}

static dry_vec3 rounded(dry_double3 v)
{
    return (dry_vec3){rounded_number(v.x), rounded_number(v.y), rounded_number(v.z)};
}

static motion motion_of(const dry_world *world, int row)
{
    const dry_body_velocity *v = &world->bodies.velocity[row];
    return (motion){double3_of(v->linear), double3_of(v->angular)};
}

/* v + omega x r */
static dry_double3 at_arm(motion m, dry_double3 arm)
{
    return add(m.linear, double3_cross(m.angular, arm));
}

/* Takes what locked axes forbid from a change of motion, as calls that give impulses do. */
static motion unlocked(const dry_world *world, int row, motion m)
{
    const uint32_t locks = world->bodies.properties[row].locks;
    return (motion){
        {locks & DRY_LOCK_LINEAR_X ? 0.0 : m.linear.x, locks & DRY_LOCK_LINEAR_Y ? 0.0 : m.linear.y,
         locks & DRY_LOCK_LINEAR_Z ? 0.0 : m.linear.z},
        {locks & DRY_LOCK_ANGULAR_X ? 0.0 : m.angular.x, locks & DRY_LOCK_ANGULAR_Y ? 0.0 : m.angular.y,
         locks & DRY_LOCK_ANGULAR_Z ? 0.0 : m.angular.z}};
}

static bool is_moved(const dry_world *world, int row)
{
    const dry_body_state *state = &world->bodies.state[row];
    return state->type == DRY_BODY_DYNAMIC && (state->flags & DRY_BODY_ENABLED);
}

/* Returns dv/dt and d omega/dt of a body that nothing touches. */
static motion acceleration_of(const dry_world *world, int row)
{
    const dry_bodies *bodies = &world->bodies;
    const dry_body_properties *p = &bodies->properties[row];
    const dry_body_force *force = dry_bodies_force(bodies, row);
    const dry_rotation q = rotation_from_quat(bodies->pose[row].orientation);
    const dry_double3 inverse = double3_of(bodies->mass[row].inverse_inertia);
    const motion m = motion_of(world, row);
    const dry_double3 momentum = rotation_scale_principal(q, double3_inverse(inverse), m.angular);
    dry_double3 torque = double3_of(force->torque);
    if (!p->locks)
        torque = add(torque, double3_cross(momentum, m.angular));
    motion a = {
        double3_add_scaled(double3_add_scaled((dry_double3){0}, (double)bodies->mass[row].inverse_mass,
                                              double3_of(force->force)),
                           (double)p->gravity_scale, double3_of(world->settings.gravity)),
        rotation_scale_principal(q, inverse, torque)};
    a.linear = double3_add_scaled(a.linear, -(double)p->linear_damping, m.linear);
    a.angular = double3_add_scaled(a.angular, -(double)p->angular_damping, m.angular);
    return unlocked(world, row, a);
}

dry_result dry_body_get_velocity_at(const dry_world *world, dry_body_id id, dry_position point,
                                    dry_vec3 *velocity)
{
    const int row = row_at(world, id, &point, 1, velocity, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(row));
    *velocity = rounded(at_arm(motion_of(world, row), arm_to(world, row, point)));
    return DRY_OK;
}

dry_result dry_body_get_acceleration_at(const dry_world *world, dry_body_id id, dry_position point,
                                        dry_vec3 *acceleration)
{
    const int row = row_at(world, id, &point, 1, acceleration, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(row));
    const dry_double3 arm = arm_to(world, row, point), spin = motion_of(world, row).angular;
    const motion change = is_moved(world, row) ? acceleration_of(world, row) : (motion){0};
    *acceleration = rounded(add(at_arm(change, arm), double3_cross(spin, double3_cross(spin, arm))));
    return DRY_OK;
}

/* Column k is the velocity at `seen` after a unit impulse along axis k at `pushed`. */
dry_result dry_body_get_inverse_mass_at(const dry_world *world, dry_body_id id, dry_position pushed,
                                        dry_position seen, float inverse_mass[3][3])
{
    const dry_position points[2] = {pushed, seen};
    const int row = row_at(world, id, points, 2, inverse_mass, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(row));
    const bool moved = is_moved(world, row);
    const dry_double3 from = arm_to(world, row, pushed), to = arm_to(world, row, seen);
    const dry_rotation q = rotation_from_quat(world->bodies.pose[row].orientation);
    const dry_body_mass *mass = &world->bodies.mass[row];
    for (int k = 0; k < 3; k++) {
        const dry_double3 unit = {k == 0, k == 1, k == 2}, none = {0};
        const motion change = {
            double3_add_scaled(none, (double)mass->inverse_mass, unit),
            rotation_scale_principal(q, double3_of(mass->inverse_inertia), double3_cross(from, unit))};
        const dry_vec3 column = rounded(moved ? at_arm(unlocked(world, row, change), to) : none);
        inverse_mass[0][k] = column.x;
        inverse_mass[1][k] = column.y;
        inverse_mass[2][k] = column.z;
    }
    return DRY_OK;
}
