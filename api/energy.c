/* The mechanical energy of a world. Sums in double by age of the bodies, slot of the joints and index of the
 * contacts, which no thread changes. */
#include "core/gyroscopic.h"
#include "narrowphase/manifold.h"
#include "solver/constraint/joints/error.h"
#include "solver/constraint/joints/joint_type.h"
#include "state/iterators.h"
#include "world/constraint_graph.h"
#include "world/world.h"

#include <drystone/world.h>

/* Rotates a vector in double. Divides by the length of the quaternion, whose rounding would change energies
 * by 1e-7 of themselves. */
static dry_double3 rotate(dry_quat q, dry_vec3 v)
{
    const dry_double3 u = {(double)q.x, (double)q.y, (double)q.z}, from = double3_of(v);
    const double w = (double)q.w, scale = 2.0 / (u.x * u.x + u.y * u.y + u.z * u.z + w * w);
    const dry_double3 t = double3_cross(u, from), tt = double3_cross(u, t);
    return (dry_double3){from.x + scale * (w * t.x + tt.x), from.y + scale * (w * t.y + tt.y),
                         from.z + scale * (w * t.z + tt.z)};
}

static void add_body(const dry_world *world, int row, dry_energy *energy)
{
    const dry_bodies *bodies = &world->bodies;
    const dry_body_mass *mass = &bodies->mass[row];
    const dry_position x = bodies->pose[row].position;
    const double m = mass->inverse_mass > 0.0f ? 1.0 / (double)mass->inverse_mass : 0.0;
    const dry_double3 g = double3_of(world->settings.gravity), v = double3_of(bodies->velocity[row].linear);
    const dry_double3 w =
        rotate(quat_conjugate(bodies->pose[row].orientation), bodies->velocity[row].angular);
    const dry_double3 i = double3_inverse(double3_of(mass->inverse_inertia));
    energy->kinetic_J +=
        0.5 * m * double3_dot(v, v) + 0.5 * (i.x * w.x * w.x + i.y * w.y * w.y + i.z * w.z * w.z);
    energy->gravitational_J -=
        m * (double)bodies->properties[row].gravity_scale * (g.x * x.x + g.y * x.y + g.z * x.z);
}

/* Returns the energy of a spring. */
static double spring_energy(float stiffness, double stretch)
{
    return 0.5 * (double)stiffness * stretch * stretch;
}

/* Returns the energy of soft stops given by their k. */
static double stop_energy(const dry_joint_axis *acts, double value)
{
    const double below = (double)acts->min - value, above = value - (double)acts->max;
    return acts->stop_stiffness > 0.0f ? spring_energy(acts->stop_stiffness, fmax(fmax(below, above), 0.0))
                                       : 0.0;
}

/* Returns the energy of a joint's springs. */
static double joint_energy(const dry_world *world, int index)
{
    const dry_joint *joint = &world->joints.joint[index];
    const dry_joint_def *def = &world->joints.def[index];
    if (!(joint->flags & DRY_JOINT_ENABLED) || !dry_joint_drives(joint) ||
        !dry_joint_moves_bodies(world, index))
        return 0.0;
    const dry_joint_description *type = dry_joint_types[def->type];
    if (type->kind == DRY_KIND_QUAD)
        return spring_energy(def->stiffness, dry_joint_quad_now(&world->bodies, &world->joints, index).error);
    const dry_joint_frames frames = dry_joint_frames_now(&world->bodies, joint, def);
    const double apart = sqrt(double3_dot(frames.apart, frames.apart));
    if (dry_joint_has_kind(joint, DRY_KIND_POINT) || dry_joint_has_kind(joint, DRY_KIND_LINE))
        return spring_energy(def->stiffness,
                             type->kind == DRY_KIND_LINE ? apart - (double)def->length : apart);
    dry_joint_parts parts;
    dry_joint_find_parts(def, &frames, &parts);
    const bool direct = dry_joint_is_direct(&world->settings, &world->joints, index);
    const dry_joint_axes_state *counted = &world->joints.axes[index];
    double sum = 0.0, value;
    for (int i = 0; i < parts.free_count; i++) {
        const dry_joint_axis *acts = &parts.acts[i];
        dry_joint_row spring = parts.free[i], stop = parts.free[i];
        const double known =
            dry_joint_known_value(def, parts.coordinate[i], direct, counted, &spring, &value);
        sum += spring_energy(acts->stiffness, known - (double)acts->rest);
        sum +=
            stop_energy(acts, dry_joint_known_value(def, parts.coordinate[i], false, counted, &stop, &value));
    }
    return sum;
}

/* Returns the energy of a contact's points as springs of the pair's stiffness or the settings', N/m. */
static double contact_energy(const dry_world *world, int contact)
{
    const dry_contact_link *link = &world->contacts.link[contact];
    const dry_manifold *manifold = &world->contacts.manifold[contact];
    const float own = dry_contacts_surface(&world->contacts, &world->shapes, contact).contact_stiffness;
    const double stiffness = (double)(own > 0.0f ? own : world->settings.contact_stiffness);
    if (stiffness == 0.0)
        return 0.0;
    const dry_body_pose *a = dry_body_pose_of(&world->bodies, link->body_a);
    const dry_body_pose *b = dry_body_pose_of(&world->bodies, link->body_b);
    const dry_vec3 normal = dry_manifold_normal(manifold, a);
    double energy = 0.0;
    for (int i = 0; i < link->points; i++) {
        const double separation = (double)dry_manifold_separation(manifold, i, normal, a, b);
        energy += separation < 0.0 ? 0.5 * stiffness * separation * separation : 0.0;
    }
    return energy;
}

dry_energy dry_world_energy(const dry_world *world)
{
    dry_energy energy = {0};
    if (!world)
        return energy;
    for (dry_body_iterator it = dry_bodies_by_age(&world->bodies); dry_next_body(&it);)
        if (world->bodies.state[it.row].type == DRY_BODY_DYNAMIC)
            add_body(world, it.row, &energy);
    const dry_joints *joints = &world->joints;
    for (int slot = -1; (slot = dry_slots_next(&joints->slots, slot)) >= 0;)
        energy.elastic_J += joint_energy(world, slot);
    if (world->settings.contact_stiffness > 0.0f || world->shapes.spring)
        for (int i = -1; (i = dry_contacts_next_touching(&world->contacts, i)) >= 0;)
            energy.elastic_J += contact_energy(world, i);
    energy.total_J = energy.kinetic_J + energy.gravitational_J + energy.elastic_J;
    return energy;
}
