/* Stage "finalize", last part: still islands fall asleep.
 *
 * Reads sleep timers, islands, velocities of kinematic bodies. Writes the order of rows, velocities, forces,
 * activity and colors of constraints, the list of sleep changes. Next: the next step's pairs.c. */
#include "step/sleep.h"

#include "world/constraint_graph.h"
#include "world/sleep.h"
#include "world/world.h"

#include <float.h>

/* Returns true if an island has been still for long enough; with sleep_after 0 that is one step. */
static bool may_sleep(const dry_world *world, const dry_island *island)
{
    return world->settings.sleep && !island->kinematic && island->shortest_timer > 0.0f &&
           island->shortest_timer >= world->settings.sleep_after;
}

static bool is_still_kinematic(const dry_bodies *bodies, int row)
{
    const dry_body_velocity *v = &bodies->velocity[row];
    return bodies->state[row].type == DRY_BODY_KINEMATIC &&
           vec3_length_squared(v->linear) + vec3_length_squared(v->angular) == 0.0f;
}

/* Keeps the islands awake in which a motor has not reached its target. */
static void keep_restless_awake(dry_world *world)
{
    const dry_joints *joints = &world->joints;
    for (int i = 0; i < joints->active_count; i++) {
        const dry_joint *joint = &joints->joint[joints->active[i]];
        if (!(joint->flags & DRY_JOINT_RESTLESS))
            continue;
        for (int side = joint->body_a < 0; side < dry_joint_sides(joint); side++) {
            const int body = dry_joint_body(joints, joints->active[i], side);
            const int row = dry_bodies_row(&world->bodies, body);
            const int island = row < world->bodies.awake_count ? world->bodies.sleep[row].island : -1;
            if (island >= 0)
                world->islands.island[island].shortest_timer = 0.0f;
        }
    }
}

/* Sets each island's shortest sleep timer. Returns true if any awake body may fall
 * asleep. */
static bool measure_stillness(dry_world *world)
{
    const dry_bodies *bodies = &world->bodies;
    dry_islands *islands = &world->islands;
    bool some = false;
    for (int i = 0; i < islands->count; i++)
        islands->island[i].shortest_timer = FLT_MAX;
    for (int row = 0; row < bodies->awake_count; row++) {
        const dry_body_sleep *sleep = &bodies->sleep[row];
        if (sleep->island < 0) {
            some |= is_still_kinematic(bodies, row);
            continue;
        }
        dry_island *island = &islands->island[sleep->island];
        island->shortest_timer = dry_min(island->shortest_timer, sleep->timer);
    }
    keep_restless_awake(world);
    for (int i = 0; i < islands->count; i++)
        some |= may_sleep(world, &islands->island[i]);
    return some;
}

void dry_sleep_still_islands(dry_world *world)
{
    const dry_bodies *bodies = &world->bodies;
    if (!measure_stillness(world))
        return;
    /* Rows are visited from the last down: a body that falls asleep exchanges its row with the last awake
     * one, which has been visited. */
    for (int row = bodies->awake_count - 1; row >= 0; row--) {
        int island = bodies->sleep[row].island;
        bool sleeps =
            island >= 0 ? may_sleep(world, &world->islands.island[island]) : is_still_kinematic(bodies, row);
        if (sleeps)
            dry_body_put_to_sleep(world, bodies->state[row].slot);
    }
    dry_constraints_deactivate_sleeping(world);
}
