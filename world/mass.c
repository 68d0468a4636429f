/* A body's mass properties: summed from its shapes, turned to principal axes, written to the columns
 * [CSE169].
 *
 * Reads: shapes and their places in the body, a user's mass. Writes: mass, the body's own frame, the places
 * of its shapes and joints, its contacts' anchors, its bounds. */
#include "world/mass.h"

#include "core/inertia.h"
#include "geometry/geometry.h"
#include "state/iterators.h"
#include "world/bounds.h"
#include "world/check.h"
#include "world/joints.h"
#include "world/world.h"

#include <string.h>

/* Sizes and densities at the ends of their ranges give masses that float cannot carry. A larger mass counts
 * as MASS_MAX, kg; a larger inverse as INVERSE_..._MAX, 1/kg and 1/(kg m^2). INERTIA_RATIO_MIN bounds the
 * smallest principal moment from below, relative to the largest: rounding may leave a rod less than nothing.
 */
static const double MASS_MAX = 1e15;
static const double INERTIA_RATIO_MIN = 1e-7;
static const float INVERSE_MASS_MAX = 1e15f, INVERSE_INERTIA_MAX = 1e25f;

/* A shape's share of its body's mass: its center of mass and principal axes in the body's user frame. */
typedef struct shape_share {
    double mass; /* kg */
    dry_transform frame;
    dry_vec3 unit_inertia; /* m^2 */
} shape_share;

static shape_share share_of(const dry_shapes *shapes, int shape)
{
    const dry_geometry geometry = dry_shapes_geometry(shapes, shape);
    const dry_shape_mass mass = dry_geometry_mass(&geometry);
    return (shape_share){(double)shapes->link[shape].density_or_offset * mass.volume,
                         transform_mul(dry_shapes_pose(shapes, shape), &mass.frame), mass.unit_inertia};
}

/* Writes the total mass, kg, and the center of mass, m, of the shapes of a body, in the body's user frame. */
static double sum_masses(const dry_shapes *shapes, const dry_body_state *state, double center[3])
{
    double total = 0.0;
    center[0] = center[1] = center[2] = 0.0;
    for (dry_shape_iterator it = dry_shapes_of(shapes, state); dry_next_shape(&it);) {
        const shape_share share = share_of(shapes, it.shape);
        const dry_vec3 *at = &share.frame.position;
        total += share.mass;
        center[0] += share.mass * (double)at->x;
        center[1] += share.mass * (double)at->y;
        center[2] += share.mass * (double)at->z;
    }
    for (int i = 0; i < 3 && total > 0.0; i++)
        center[i] /= total;
    return total;
}

/* Returns a body's mass properties as its shapes give them, in the user's frame; all 0 if they give none. */
static dry_mass mass_from_shapes(const dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    const dry_shapes *shapes = &world->shapes;
    double center[3], total = sum_masses(shapes, state, center);
    dry_mass out = {0};
    if (total <= 0.0)
        return out;
    double scale = 1.0;
    if (state->flags & DRY_BODY_MASS_SCALED)
        scale = (double)state->mass / total;
    else if (total > MASS_MAX)
        scale = MASS_MAX / total;
    dry_inertia inertia = {0};
    for (dry_shape_iterator it = dry_shapes_of(shapes, state); dry_next_shape(&it);) {
        const shape_share share = share_of(shapes, it.shape);
        const dry_transform *pose = &share.frame;
        const double mass = share.mass * scale;
        const dry_vec3 unit = share.unit_inertia;
        const double moments[3] = {mass * (double)unit.x, mass * (double)unit.y, mass * (double)unit.z};
        dry_inertia_add_rotated(&inertia, pose->orientation, moments);
        const double r[3] = {(double)pose->position.x - center[0], (double)pose->position.y - center[1],
                             (double)pose->position.z - center[2]};
        dry_inertia_add_point_mass(&inertia, mass, r);
    }
    out.mass = (float)(total * scale);
    out.center = vec3((float)center[0], (float)center[1], (float)center[2]);
    dry_inertia_to_float(&inertia, out.inertia);
    return out;
}

/* Returns the pose of a shape in its body's user frame. */
static dry_transform shape_user_pose(const dry_shapes *shapes, int shape)
{
    const dry_geometry_core *geometry = &shapes->form[shape].geometry;
    const dry_transform *pose = dry_shapes_pose(shapes, shape);
    if (geometry->type != DRY_SHAPE_HALFSPACE)
        return *pose;
    dry_transform plane = dry_halfspace_frame(geometry->size, shapes->link[shape].density_or_offset);
    return transform_mul(pose, &plane);
}

/* Writes the places of a body's shapes and joints in its principal frame, and the body's bounding radius. */
static void place_shapes_and_joints(dry_world *world, int row)
{
    const dry_transform *origin = dry_bodies_origin(&world->bodies, row);
    dry_body_state *state = &world->bodies.state[row];
    world->islands.stale = true; /* islands hold bounding radii */
    state->radius = 0.0f;
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);) {
        dry_shape_form *form = &world->shapes.form[it.shape];
        dry_transform pose = shape_user_pose(&world->shapes, it.shape);
        form->pose = transform_mul(origin, &pose);
        form->pose.orientation = quat_normalize(form->pose.orientation);
        if (form->geometry.type != DRY_SHAPE_HALFSPACE)
            state->radius = dry_max(state->radius, vec3_length(form->pose.position) + form->radius);
    }
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);)
        dry_joint_place(world, it.joint, it.side);
}

/* Carries what contacts hold in a body's principal frame over to its new one; `change` is the old frame in
 * the new. Manifolds stay correct for readers before the next step, which makes new anchors. */
static void move_anchors(dry_world *world, int row, const dry_transform *change)
{
    const dry_body_state *state = &world->bodies.state[row];
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);) {
        dry_manifold *m = &world->contacts.manifold[it.contact];
        if (it.side) {
            for (int i = 0; i < world->contacts.link[it.contact].points; i++)
                m->points[i].anchor_b = transform_point(change, m->points[i].anchor_b);
        } else {
            m->normal = quat_rotate(change->orientation, m->normal);
            m->height += (double)vec3_dot(m->normal, change->position);
        }
    }
    dry_contacts_void_anchors(&world->contacts, state);
}

/* Sets a body's principal frame, given in the user's frame. The user's frame stays where it is in the world.
 */
static void set_principal_frame(dry_world *world, int row, const dry_transform *principal)
{
    dry_bodies *bodies = &world->bodies;
    const dry_transform *origin = dry_bodies_origin(bodies, row), identity = transform_identity();
    dry_transform now = transform_relative(principal, &identity);
    bool is_own = !transform_is_identity(&now);
    if (!is_own)
        now = identity; /* without negative zeros, as an absent column has it */
    if (memcmp(&now, origin, sizeof now) == 0)
        return;
    dry_pose user = dry_pose_of_origin(&bodies->pose[row], origin);
    dry_position old_center = bodies->pose[row].position;
    dry_transform from_old = transform_relative(origin, &identity);
    dry_transform change = transform_mul(&now, &from_old);
    bodies->local[row].origin = now;
    bodies->state[row].flags &= ~(uint32_t)DRY_BODY_OWN_FRAME;
    if (is_own)
        bodies->state[row].flags |= DRY_BODY_OWN_FRAME;
    bodies->pose[row] = dry_bodies_inner_pose(bodies, row, &user);
    /* The motion stays: the velocity of the new center is v + omega x r. */
    dry_vec3 moved = position_sub(bodies->pose[row].position, old_center);
    const dry_body_velocity *v = &bodies->velocity[row];
    dry_bodies_give_velocity(bodies, row, vec3_add(v->linear, vec3_cross(v->angular, moved)), v->angular);
    move_anchors(world, row, &change);
}

/* Returns the inverses of principal moments, 1/(kg m^2), within the limits above. */
static dry_vec3 inverse_moments(const double moments[3])
{
    double largest = moments[0] > moments[1] ? moments[0] : moments[1];
    largest = moments[2] > largest ? moments[2] : largest;
    double least = largest * INERTIA_RATIO_MIN;
    float inverse[3];
    for (int i = 0; i < 3; i++)
        inverse[i] = dry_min((float)(1.0 / (moments[i] > least ? moments[i] : least)), INVERSE_INERTIA_MAX);
    return vec3(inverse[0], inverse[1], inverse[2]);
}

/* Keeps a mass that the user gave while the body's type changes: a body that is not dynamic has the mass in a
 * column of its own. */
static void keep_mass(dry_bodies *bodies, int row)
{
    uint32_t *flags = &bodies->state[row].flags;
    bool keep = bodies->state[row].type != DRY_BODY_DYNAMIC;
    if (keep == ((*flags & DRY_BODY_MASS_KEPT) != 0))
        return;
    *flags ^= DRY_BODY_MASS_KEPT;
    dry_body_mass mass = bodies->mass[row];
    bodies->mass[row] = bodies->kept_mass[row];
    bodies->kept_mass[row] = mass;
}

/* Returns the principal frame in the user's frame and writes the moments of inertia about its axes. */
static dry_transform principal_frame(const dry_mass *mass, double moments[3])
{
    dry_inertia inertia = dry_inertia_from_float(mass->inertia);
    return (dry_transform){mass->center, dry_inertia_principal_axes(&inertia, moments)};
}

bool dry_mass_reserve(dry_world *world, const dry_mass *mass)
{
    double moments[3];
    dry_transform frame = principal_frame(mass, moments);
    return transform_is_identity(&frame) || dry_bodies_need_local(&world->bodies, &world->memory);
}

void dry_mass_apply(dry_world *world, int slot, const dry_mass *mass)
{
    dry_bodies *bodies = &world->bodies;
    int row = dry_bodies_row(bodies, slot);
    dry_body_state *state = &bodies->state[row];
    dry_transform principal = {mass->center, quat_identity()};
    bodies->mass[row] = (dry_body_mass){0};
    if (state->flags & DRY_BODY_MASS_KEPT)
        bodies->kept_mass[row] = dry_body_default_kept_mass;
    state->flags &= ~(uint32_t)DRY_BODY_MASS_KEPT;
    if (state->type == DRY_BODY_DYNAMIC && mass->mass > 0.0f) {
        double moments[3];
        principal = principal_frame(mass, moments);
        bodies->mass[row].inverse_mass = dry_min(1.0f / mass->mass, INVERSE_MASS_MAX);
        bodies->mass[row].inverse_inertia = inverse_moments(moments);
    }
    if (!(state->flags & DRY_BODY_MASS_SCALED))
        state->mass = mass->mass;
    set_principal_frame(world, row, &principal);
    place_shapes_and_joints(world, row);
    dry_body_update_bounds(world, row, vec3(0.0f, 0.0f, 0.0f));
}

void dry_mass_refresh(dry_world *world, int slot)
{
    const dry_bodies *bodies = &world->bodies;
    int row = dry_bodies_row(bodies, slot);
    if (bodies->state[row].flags & DRY_BODY_MASS_GIVEN) {
        keep_mass(&world->bodies, row);
        place_shapes_and_joints(world, row);
        return;
    }
    dry_mass mass = mass_from_shapes(world, slot);
    if (bodies->state[row].type == DRY_BODY_DYNAMIC && mass.mass <= 0.0f) {
        /* No shape has a mass: the mass and inertia of a ball of radius 1 m keep the body movable. */
        float total = bodies->state[row].flags & DRY_BODY_MASS_SCALED ? bodies->state[row].mass : 1.0f;
        mass = (dry_mass){.mass = total};
        for (int i = 0; i < 3; i++)
            mass.inertia[i][i] = 0.4f * total;
    }
    dry_mass_apply(world, slot, &mass);
}

dry_mass dry_mass_of(const dry_world *world, int slot)
{
    const dry_bodies *bodies = &world->bodies;
    int row = dry_bodies_row(bodies, slot);
    dry_mass mass = {0};
    dry_transform identity = transform_identity();
    dry_transform principal = transform_relative(dry_bodies_origin(bodies, row), &identity);
    mass.center = principal.position;
    const dry_double3 i = double3_inverse(double3_of(bodies->mass[row].inverse_inertia));
    mass.mass = bodies->mass[row].inverse_mass > 0.0f ? 1.0f / bodies->mass[row].inverse_mass : 0.0f;
    dry_inertia inertia = {0};
    dry_inertia_add_rotated(&inertia, principal.orientation, (const double[]){i.x, i.y, i.z});
    dry_inertia_to_float(&inertia, mass.inertia);
    return mass;
}

const char *dry_mass_error(const dry_mass *mass)
{
    if (!(mass->mass > 0.0f && mass->mass <= 1e15f))
        return "mass must be above 0 and at most 1e15";
    if (!dry_finite3(mass->center, 1e6f))
        return "center must be finite and at most 1e6";
    return dry_inertia_error(mass->inertia);
}
