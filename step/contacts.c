/* Stage "contacts": the manifolds of active contacts, in parallel.
 *
 * Reads poses, shapes, fat bounds and old manifolds. Writes manifolds, and the bits of contacts that start or
 * cease to touch or that are lost. Next: step/graph.c. */
#include "narrowphase/contact_update.h"
#include "step/stages.h"
#include "world/world.h"

typedef struct contacts_job {
    dry_world *world;
    dry_contact_settings settings;
    dry_contact_update update;
} contacts_job;

static void update_range(void *context, dry_items items)
{
    const contacts_job *job = context;
    dry_contacts_update(&job->update, items.begin, items.end);
}

bool dry_stage_contacts(dry_world *world, dry_solver_step *step)
{
    const dry_settings *settings = &world->settings;
    const float angle = settings->lever_angle; /* at most 1 */
    /* Looking takes 22 ns of the 95 of a moving contact in a large pile. */
    contacts_job job = {
        .world = world,
        .settings = {.level = world->solver.sweeps.level,
                     .margin = settings->speculative_margin,
                     .recycle_distance = settings->recycle_distance,
                     .dt = step->dt,
                     .gravity = settings->gravity,
                     .looks_for_still = 2 * world->islands.staying > world->bodies.awake_count,
                     .holds_levers = settings->levers == DRY_LEVERS_HELD,
                     .lever_distance = settings->lever_distance,
                     .lever_half_sine = 0.5f * angle - angle * angle * angle / 48.0f}};
    job.update = (dry_contact_update){.contacts = &world->contacts,
                                      .bodies = &world->bodies,
                                      .shapes = &world->shapes,
                                      .broadphase = world->broadphase,
                                      .settings = &job.settings};
    if (world->contacts.family &&
        !dry_families_update(&job.update, &world->bodies, &world->memory, &world->scratch, world->jobs))
        return false;
    dry_contacts_list_active(&world->contacts);
    dry_jobs_for(world->jobs, world->contacts.active_word_count, 1, update_range, &job);
    return true;
}
