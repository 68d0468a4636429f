/* Settings: defaults, ranges, names. */
#include "api/settings.h"
#include "state/contacts.h"
#include "world/check.h"
#include "world/sleep.h"
#include "world/world.h"

#include <drystone/world.h>
#include <string.h>

dry_settings dry_default_settings(void)
{
    return (dry_settings){
        .gravity = {0.0f, -9.81f, 0.0f},
        .solver = DRY_SOLVER_GAUSS_SEIDEL,
        .friction = DRY_FRICTION_CONE,
        .substeps = 0,
        .substeps_min = 4,
        .substeps_max = 32,
        .sweeps = 0,
        .sweeps_min = 1,
        .sweeps_max = 4,
        .relax_sweeps = 1,
        .warm_start = true,
        .contact_hertz = 0.0f,
        .contact_damping_ratio = 1.0f,
        .contact_stiffness = 0.0f,
        .contact_damping = 2.0f,
        .push_out_speed_max = 4.0f,
        .restitution_speed_min = 1.0f,
        .hit_speed_min = 1.0f,
        .speculative_margin = 0.02f,
        .recycle_distance = 0.005f,
        .colors_max = 0,
        .sleep = true,
        .sleep_speed_max = 0.05f,
        .sleep_after = 0.5f,
    };
}

static bool in_range(float x, float low, float high)
{
    return x >= low && x <= high;
}

const char *dry_settings_error(const dry_settings *s)
{
    if (!dry_finite3(s->gravity, 1e6f))
        return "gravity must be finite, each component at most 1e6";
    if ((unsigned)s->solver >= DRY_SOLVER_COUNT)
        return "solver is unknown";
    if ((unsigned)s->friction >= DRY_FRICTION_COUNT)
        return "friction is unknown";
    if (s->substeps < 0 || s->substeps > 256)
        return "substeps must be 0 to 256";
    if (s->substeps_min < 1 || s->substeps_min > 256)
        return "substeps_min must be 1 to 256";
    if (s->substeps_max < s->substeps_min || s->substeps_max > 256)
        return "substeps_max must be substeps_min to 256";
    if (s->sweeps < 0 || s->sweeps > 256)
        return "sweeps must be 0 to 256";
    if (s->sweeps_min < 1 || s->sweeps_min > 256)
        return "sweeps_min must be 1 to 256";
    if (s->sweeps_max < s->sweeps_min || s->sweeps_max > 256)
        return "sweeps_max must be sweeps_min to 256";
    if (s->relax_sweeps < 0 || s->relax_sweeps > 256)
        return "relax_sweeps must be 0 to 256";
    if (!in_range(s->contact_hertz, 0.0f, 1e5f))
        return "contact_hertz must be 0 to 1e5";
    if (!in_range(s->contact_damping_ratio, 0.0f, 1e3f))
        return "contact_damping_ratio must be 0 to 1e3";
    if (!in_range(s->contact_stiffness, 0.0f, 1e15f))
        return "contact_stiffness must be 0 to 1e15";
    if (!in_range(s->contact_damping, 0.0f, 1e3f))
        return "contact_damping must be 0 to 1e3";
    if (!in_range(s->push_out_speed_max, FLT_MIN, FLT_MAX))
        return "push_out_speed_max must be finite and above 0";
    if (!in_range(s->restitution_speed_min, 0.0f, FLT_MAX))
        return "restitution_speed_min must be finite and not negative";
    if (!in_range(s->hit_speed_min, 0.0f, FLT_MAX))
        return "hit_speed_min must be finite and not negative";
    if (!in_range(s->speculative_margin, 0.0f, 1.0f))
        return "speculative_margin must be 0 to 1";
    if (!in_range(s->recycle_distance, 0.0f, FLT_MAX))
        return "recycle_distance must be finite and not negative";
    if (s->colors_max < 0 || s->colors_max > 64)
        return "colors_max must be 0 to 64";
    if (!in_range(s->sleep_speed_max, 0.0f, FLT_MAX))
        return "sleep_speed_max must be finite and not negative";
    if (!in_range(s->sleep_after, 0.0f, FLT_MAX))
        return "sleep_after must be finite and not negative";
    return NULL;
}

dry_settings dry_world_get_settings(const dry_world *world)
{
    return world ? world->settings : dry_default_settings();
}

dry_result dry_world_set_settings(dry_world *world, const dry_settings *settings)
{
    dry_result result;
    if (!dry_check_world(world, "dry_world_set_settings", &result))
        return result;
    const char *error = settings ? dry_settings_error(settings) : "settings is null";
    if (error)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_world_set_settings: %s", error);
    /* Gravity moves what rests; a colour limit binds what is coloured. */
    bool gravity_changed = memcmp(&settings->gravity, &world->settings.gravity, sizeof(dry_vec3)) != 0;
    bool wake = gravity_changed || (world->settings.sleep && !settings->sleep);
    /* What was found farther apart than the old margin may be within the new one. */
    if (settings->speculative_margin != world->settings.speculative_margin)
        for (int row = 0; row < world->bodies.count; row++)
            dry_contacts_void_anchors(&world->contacts, &world->bodies.state[row]);
    world->settings = *settings;
    if (wake)
        for (int slot = -1; (slot = dry_slots_next(&world->bodies.slots, slot)) >= 0;)
            if (dry_body_state_of(&world->bodies, slot)->type == DRY_BODY_DYNAMIC)
                dry_body_wake(world, slot);
    return DRY_OK;
}

static const char *const solver_names[DRY_SOLVER_COUNT] = {
    [DRY_SOLVER_GAUSS_SEIDEL] = "gauss-seidel",
    [DRY_SOLVER_JACOBI] = "jacobi",
};

const char *dry_solver_name(dry_solver solver)
{
    return (unsigned)solver < DRY_SOLVER_COUNT ? solver_names[solver] : NULL;
}

bool dry_solver_from_name(const char *name, dry_solver *solver)
{
    for (int i = 0; name && solver && i < DRY_SOLVER_COUNT; i++)
        if (strcmp(name, solver_names[i]) == 0) {
            *solver = (dry_solver)i;
            return true;
        }
    return false;
}
