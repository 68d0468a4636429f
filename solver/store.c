/* Stage "store": impulses from bundles back to manifolds and joints, for the next step's warm start and for
 * whoever asks. Reads bundles; writes manifolds and joints. Next: step/finalize.c. */
#include "solver/context.h"
#include "solver/stages.h"

typedef struct store_job {
    const dry_solver_step *step;
    int offset;
    float h;
} store_job;

/* Bundles between fetching and working: manifolds lie at random in a large world, and of a bundle ten lines
 * are read, here and there, which the processor does not foresee. */
enum { STORE_LOOK_AHEAD = 2 };

DRY_FETCH void prefetch_impulses(const dry_contact_bundle *c)
{
    for (int i = 0; i < 3; i++)
        __builtin_prefetch(c->normal[i]);
    for (int i = 0; i < 4; i++)
        __builtin_prefetch(c->impulse[i]);
    __builtin_prefetch(c->friction_impulse[0]);
    __builtin_prefetch(c->friction_impulse[1]);
    __builtin_prefetch(c->twist_impulse);
}

DRY_FETCH void prefetch_manifolds(const dry_contacts *contacts, const dry_contact_lanes *lanes)
{
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        if (lanes->contact[lane] >= 0)
            __builtin_prefetch(contacts->manifold[lanes->contact[lane]].impulse, 1);
}

static void store_bundle(dry_contacts *contacts, const dry_contact_bundle *c, const dry_contact_lanes *lanes,
                         float h)
{
    /* Friction in the world: f1 t1 + f2 t2, the tangents as frame_of_normal has them. */
    dry_lanes friction[3];
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        float x = c->normal[0][lane], y = c->normal[1][lane], z = c->normal[2][lane];
        float f1 = c->friction_impulse[0][lane], f2 = c->friction_impulse[1][lane];
        float sign = z < 0.0f ? -1.0f : 1.0f, r = 1.0f / (1.0f + fabsf(z)), g2 = sign * f2;
        friction[0][lane] = f1 - x * r * (x * f1 + y * g2);
        friction[1][lane] = g2 - y * r * (x * f1 + y * g2);
        friction[2][lane] = -sign * (x * f1 + y * g2);
    }
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        int index = lanes->contact[lane];
        if (index < 0)
            continue;
        dry_manifold *m = &contacts->manifold[index];
        for (int i = 0; i < 4; i++)
            m->impulse[i] = c->impulse[i][lane];
        m->friction_impulse = vec3(friction[0][lane], friction[1][lane], friction[2][lane]);
        m->twist_impulse = c->twist_impulse[lane];
        m->substep = h;
    }
}

static void store_contacts(void *context, int begin, int end, int worker)
{
    (void)worker;
    const store_job *job = context;
    const dry_solver_state *s = job->step->state;
    dry_contacts *contacts = job->step->contacts;
    for (int b = begin + job->offset; b < end + job->offset; b++) {
        if (b + STORE_LOOK_AHEAD < end + job->offset) {
            prefetch_manifolds(contacts, &s->lanes[b + STORE_LOOK_AHEAD]);
            prefetch_impulses(&s->contact[b + STORE_LOOK_AHEAD]);
        }
        store_bundle(contacts, &s->contact[b], &s->lanes[b], job->h);
    }
}

static void store_balls(const store_job *job, dry_bundle_range bundles)
{
    for (int b = bundles.begin; b < bundles.end; b++) {
        const dry_ball_bundle *c = &job->step->state->ball[b];
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            if (c->joint[lane] < 0)
                continue;
            dry_joint *joint = &job->step->joints->joint[c->joint[lane]];
            joint->impulse = vec3(c->impulse[0][lane], c->impulse[1][lane], c->impulse[2][lane]);
            joint->substep = job->h;
        }
    }
}

static void store_distances(const store_job *job, dry_bundle_range bundles)
{
    for (int b = bundles.begin; b < bundles.end; b++) {
        const dry_distance_bundle *c = &job->step->state->distance[b];
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            if (c->joint[lane] < 0)
                continue;
            dry_joint *joint = &job->step->joints->joint[c->joint[lane]];
            dry_vec3 axis = vec3(c->axis[0][lane], c->axis[1][lane], c->axis[2][lane]);
            joint->impulse = vec3_scale(axis, c->impulse[lane]);
            joint->substep = job->h;
        }
    }
}

void dry_solver_store(dry_solver_step *step)
{
    for (int c = 0; c < DRY_TIER_COUNT; c++) {
        const dry_class_range *range = &step->state->ranges[c];
        const dry_bundle_range contacts = range->bundles[DRY_KIND_CONTACT];
        store_job job = {step, contacts.begin, step->dt / (float)range->substeps};
        dry_jobs_for(step->jobs, contacts.end - contacts.begin, 16, store_contacts, &job);
        store_balls(&job, range->bundles[DRY_KIND_BALL]);
        store_distances(&job, range->bundles[DRY_KIND_DISTANCE]);
    }
}
