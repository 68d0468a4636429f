/* Creation, change and removal of joints, with what follows from them for contacts, sleep and pairs. */
#include "world/joints.h"

#include "solver/constraint/joints/joint_type.h"
#include "state/iterators.h"
#include "world/constraint_graph.h"
#include "world/sleep.h"
#include "world/world.h"

/* Ends the contacts between two bodies that a new joint forbids to touch. */
static void end_contacts_between(dry_world *world, int a, int b)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, a);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);)
        if (it.other == b)
            dry_contact_end(world, it.contact);
}

/* Returns the user's frame on a side of a joint, in the principal frame of the body. */
static const dry_transform *origin_of(const dry_world *world, int index, int side)
{
    static const dry_transform world_frame = {.orientation = {0.0f, 0.0f, 0.0f, 1.0f}};
    const int body = dry_joint_body(&world->joints, index, side);
    return body < 0 ? &world_frame : dry_bodies_origin(&world->bodies, dry_bodies_row(&world->bodies, body));
}

void dry_joint_place(dry_world *world, int index, int side)
{
    const dry_transform *in = origin_of(world, index, side);
    if (side >= 2) {
        dry_joint_corners *corners = &world->joints.corners[index];
        *(side == 2 ? &corners->anchor_c : &corners->anchor_d) =
            transform_point(in, side == 2 ? corners->given_c : corners->given_d);
        return;
    }
    dry_joint *joint = &world->joints.joint[index];
    const dry_joint_def *def = &world->joints.def[index];
    const dry_vec3 anchor = transform_point(in, side ? def->anchor_b : def->anchor_a);
    const dry_quat given = side ? def->orientation_b : def->orientation_a;
    const dry_quat frame = quat_normalize(quat_mul(in->orientation, quat_normalize(given)));
    *(side ? &joint->anchor_b : &joint->anchor_a) = anchor;
    *(side ? &joint->frame_b : &joint->frame_a) = frame;
}

void dry_joint_derive(dry_joints *joints, int index)
{
    dry_joint *joint = &joints->joint[index];
    const dry_joint_def *def = &joints->def[index];
    const bool watched = def->break_force > 0.0f || def->break_torque > 0.0f || def->event_force > 0.0f ||
                         def->event_torque > 0.0f;
    bool servo = false;
    for (int i = 0; i < DRY_AXIS_COUNT; i++)
        servo = servo || dry_joint_aims(&def->axes[i]);
    joint->features = dry_joint_features(def);
    joint->flags = watched ? joint->flags | DRY_JOINT_WATCHED : joint->flags & ~DRY_JOINT_WATCHED;
    dry_joints_set_servo(joints, index, servo);
}

/* Takes a definition over, but for its effects on other things. */
static void define(dry_world *world, int index, const dry_joint_def *def)
{
    dry_joint *joint = &world->joints.joint[index];
    world->joints.def[index] = dry_joint_def_to_solve(def);
    joint->flags &=
        ~(DRY_JOINT_RESTLESS | DRY_JOINT_CONFLICT | DRY_JOINT_LOADED); /* the next step finds out again */
    dry_joint_derive(&world->joints, index);
    for (int side = 0; side < dry_joint_sides(joint); side++)
        dry_joint_place(world, index, side);
}

void dry_joint_wake(dry_world *world, int index)
{
    const dry_joint *joint = &world->joints.joint[index];
    if (!dry_joint_has_dynamic(world, index))
        return;
    for (int side = joint->body_a < 0; side < dry_joint_sides(joint); side++)
        dry_body_wake(world, dry_joint_body(&world->joints, index, side));
}

void dry_joint_reset_sleep_timers(dry_world *world, int index)
{
    const dry_joint *joint = &world->joints.joint[index];
    for (int side = joint->body_a < 0; side < dry_joint_sides(joint); side++)
        dry_body_reset_sleep_timer(world, dry_joint_body(&world->joints, index, side));
}

/* Ends the contacts between a joint's bodies if it forbids them. */
static void end_forbidden_contacts(dry_world *world, int index)
{
    const dry_joint *joint = &world->joints.joint[index];
    if (joint->body_a >= 0 && dry_joint_forbids_contacts(&world->joints, index))
        end_contacts_between(world, joint->body_a, joint->body_b);
}

/* Lets the next step search for the pairs of a joint's bodies anew. */
static void search_pairs(dry_world *world, int index)
{
    const int a = world->joints.joint[index].body_a;
    if (a < 0)
        return;
    const dry_body_state *state = dry_body_state_of(&world->bodies, a);
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        if (world->shapes.form[it.shape].proxy >= 0)
            dry_broadphase_mark_moved(world->broadphase, world->shapes.form[it.shape].proxy);
}

int dry_joint_create(dry_world *world, const dry_joint_def *def, const dry_joint_corner *corners)
{
    const dry_slots *slots = &world->bodies.slots;
    int body[DRY_JOINT_SIDES] = {def->body_a.bits == 0 ? -1 : dry_slots_find(slots, def->body_a.bits),
                                 dry_slots_find(slots, def->body_b.bits)};
    for (int i = 0; corners && i < 2; i++)
        body[2 + i] = dry_slots_find(slots, corners[i].body.bits);
    const int index = dry_joints_add(&world->joints, &world->bodies, corners ? DRY_JOINT_SIDES : 2, body);
    if (corners) {
        world->joints.corners[index].given_c = corners[0].anchor;
        world->joints.corners[index].given_d = corners[1].anchor;
    }
    define(world, index, def);
    end_forbidden_contacts(world, index);
    dry_joint_wake(world, index);
    dry_joint_activate(world, index);
    return index;
}

/* Tells whether bundles and islands see no difference between two definitions of a joint. */
static bool is_scheduled_alike(const dry_settings *settings, const dry_joint_def *a, const dry_joint_def *b)
{
    const uint32_t features = dry_joint_features(a);
    const dry_joint_counts x = dry_joint_count(a), y = dry_joint_count(b);
    bool same = features == dry_joint_features(b) && x.locked == y.locked;
    if (dry_joint_solver_of(settings, features) != DRY_JOINT_SOLVER_ITERATIVE)
        same = same && x.springs == y.springs && x.bounded == y.bounded && x.stops == y.stops &&
               x.unbounded_motor == y.unbounded_motor;
    return same;
}

void dry_joint_redefine(dry_world *world, int index, const dry_joint_def *def)
{
    const bool collided = world->joints.def[index].collide;
    const dry_joint_def before = world->joints.def[index], after = dry_joint_def_to_solve(def);
    const bool same = is_scheduled_alike(&world->settings, &before, &after);
    if (dry_joint_count(&before).locked != dry_joint_count(&after).locked)
        dry_joints_clear_impulses(&world->joints, index); /* the impulses are of rows that it had */
    define(world, index, def);
    if (collided && !def->collide)
        end_forbidden_contacts(world, index);
    if (!collided && def->collide)
        search_pairs(world, index);
    dry_joint_wake(world, index);
    world->islands.stale = world->islands.stale || !same;
    world->islands.grouped = false; /* springs, motors and marks of loads enter the groups */
}

void dry_joint_set_axis(dry_world *world, int index, int axis, const dry_joint_axis *settings)
{
    dry_joint_def *def = &world->joints.def[index];
    const dry_joint_def before = *def;
    def->axes[axis] = *settings;
    dry_joint_derive(&world->joints, index);
    world->joints.joint[index].flags &= ~(DRY_JOINT_RESTLESS | DRY_JOINT_CONFLICT);
    dry_joint_wake(world, index);
    world->islands.stale = world->islands.stale || !is_scheduled_alike(&world->settings, &before, def);
    world->islands.grouped = false;
}

void dry_joint_enable(dry_world *world, int index)
{
    world->joints.joint[index].flags |= DRY_JOINT_ENABLED;
    end_forbidden_contacts(world, index);
    dry_joint_wake(world, index);
    dry_joint_activate(world, index);
}

void dry_joint_disable(dry_world *world, int index)
{
    dry_joint *joint = &world->joints.joint[index];
    dry_joint_deactivate(world, index);
    joint->flags &= ~(DRY_JOINT_ENABLED | DRY_JOINT_CONFLICT);
    dry_joints_clear_impulses(&world->joints, index);
    dry_joint_reset_sleep_timers(world, index);
    search_pairs(world, index);
    world->islands.stale = true;
}

void dry_joints_forget_impulses(dry_world *world, int slot, bool idle)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);)
        if (!idle || !dry_joint_moves_bodies(world, it.joint))
            dry_joints_clear_impulses(&world->joints, it.joint);
}

void dry_joint_remove(dry_world *world, int index)
{
    dry_joint_wake(world, index);
    dry_joint_deactivate(world, index);
    search_pairs(world, index);
    dry_joints_remove(&world->joints, &world->bodies, index);
    world->islands.stale = true;
}
