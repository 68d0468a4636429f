/* Settings of a world: reading and replacing them. Next: state/settings.h, which has the
 * defaults and ranges. */
#include "state/settings.h"
#include "snapshot/record.h"
#include "solver/methods/method.h"
#include "state/contacts.h"
#include "world/check.h"
#include "world/sleep.h"
#include "world/world.h"

#include <drystone/world.h>
#include <string.h>

dry_settings dry_default_settings(void)
{
    return dry_settings_default();
}

dry_settings dry_world_get_settings(const dry_world *world)
{
    return world ? world->settings : dry_default_settings();
}

/* Tells whether a joint of the world says by itself that it may be solved directly. */
static bool has_direct_joint(const dry_world *world)
{
    for (int slot = -1; (slot = dry_slots_next(&world->joints.slots, slot)) >= 0;) {
        const dry_joint_solver solver = world->joints.def[slot].solver;
        if (solver == DRY_JOINT_SOLVER_DIRECT || solver == DRY_JOINT_SOLVER_AUTO)
            return true;
    }
    return false;
}

/* Returns why some joint of the world does not go together with new settings; null if all do. */
static const char *joints_error(const dry_world *world, const dry_settings *settings)
{
    for (int joint = -1; (joint = dry_slots_next(&world->joints.slots, joint)) >= 0;) {
        const char *error = dry_settings_joint_error(settings, &world->joints.def[joint]);
        if (error)
            return error;
    }
    return NULL;
}

/* Returns why some shape of the world does not go together with new settings; null if all do. */
static const char *shapes_error(const dry_world *world, const dry_settings *settings)
{
    const dry_shapes *shapes = &world->shapes;
    const char *error = shapes->spring ? dry_settings_spring_error(settings) : NULL;
    for (int shape = -1; error && (shape = dry_slots_next(&shapes->slots, shape)) >= 0;)
        for (int i = 0; i < dry_shapes_material_count(shapes, shape); i++) {
            const dry_material material = dry_shapes_material(shapes, shape, i);
            if (dry_material_has_spring(&material))
                return error;
        }
    return NULL;
}

dry_result dry_world_set_settings(dry_world *world, const dry_settings *settings)
{
    DRY_RETURN_REFUSAL(dry_check_change(world, __func__));
    const char *error = settings ? dry_settings_error(settings) : "settings is null";
    if (!error && (error = joints_error(world, settings)))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: a joint: %s", __func__, error);
    if (!error)
        error = shapes_error(world, settings);
    if (error)
        return dry_refuse(world, __func__, error);
    if (settings->method.integrator != DRY_INTEGRATOR_RUNGE_KUTTA && has_direct_joint(world))
        return dry_refuse(world, __func__,
                          "integrator must be Runge-Kutta while a joint's own solver "
                          "is direct or auto");
    /* New gravity may move sleeping bodies. */
    bool gravity_changed = memcmp(&settings->gravity, &world->settings.gravity, sizeof(dry_vec3)) != 0;
    bool wake = gravity_changed || (world->settings.sleep && !settings->sleep);
    /* A contact without points, found to be farther apart than the old margin, may be within the new one.
     * Lever arms that are to be held must have been recorded. */
    if (settings->speculative_margin != world->settings.speculative_margin ||
        settings->levers != world->settings.levers)
        for (int row = 0; row < world->bodies.count; row++)
            dry_contacts_void_anchors(&world->contacts, &world->bodies.state[row]);
    world->islands.stale = world->islands.stale || settings->joint_solver != world->settings.joint_solver;
    world->islands.weighed = world->islands.grouped = false; /* gravity and substeps enter both */
    world->solver.sweeps.stored_dt = 0.0f;                   /* bundles follow the old ones */
    for (int row = 0; row < world->bodies.count; row++)
        world->bodies.sleep[row].still = 0; /* anchors are kept by the old ones */
    world->substeps_set = world->substeps_set || settings->substeps_max != world->settings.substeps_max;
    world->settings = *settings;
    if (wake)
        for (int slot = -1; (slot = dry_slots_next(&world->bodies.slots, slot)) >= 0;)
            if (dry_body_state_of(&world->bodies, slot)->type == DRY_BODY_DYNAMIC)
                dry_body_wake(world, slot);
    return DRY_RECORD(world, dry_world_set_settings, settings);
}
