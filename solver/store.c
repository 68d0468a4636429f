/* Stage "store": impulses from bundles back to manifolds and joints, for the next step's warm start and for
 * whoever asks. Reads bundles; writes manifolds and joints. Next: world/finalize.c. */
#include "solver/solver.h"

typedef struct store_job {
    const dry_solver_step *step;
    int offset;
    float h;
} store_job;

static void store_contacts(void *context, int begin, int end, int worker)
{
    (void)worker;
    const store_job *job = context;
    const dry_solver_state *s = job->step->state;
    for (int b = begin + job->offset; b < end + job->offset; b++) {
        const dry_contact_bundle *c = &s->contact[b];
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            int index = s->lanes[b].contact[lane];
            if (index < 0)
                continue;
            dry_manifold *m = &job->step->contacts->manifold[index];
            for (int i = 0; i < m->count; i++)
                m->impulse[i] = c->impulse[i][lane];
            dry_vec3 n = vec3(c->normal[0][lane], c->normal[1][lane], c->normal[2][lane]);
            dry_vec3 t = vec3(c->tangent[0][lane], c->tangent[1][lane], c->tangent[2][lane]);
            m->friction_impulse = vec3_add_scaled(vec3_scale(t, c->friction_impulse[0][lane]),
                                                  c->friction_impulse[1][lane], vec3_cross(n, t));
            m->twist_impulse = c->twist_impulse[lane];
            m->substep = job->h;
        }
    }
}

static void store_balls(const store_job *job, int begin, int end)
{
    for (int b = begin; b < end; b++) {
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

static void store_distances(const store_job *job, int begin, int end)
{
    for (int b = begin; b < end; b++) {
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
    for (int c = 0; c < DRY_CLASS_COUNT; c++) {
        const dry_class_range *range = &step->state->ranges[c];
        int begin = range->contact_begin[0], end = range->contact_begin[DRY_COLOR_COUNT];
        store_job job = {step, begin, step->dt / (float)range->substeps};
        dry_jobs_for(step->jobs, end - begin, 16, store_contacts, &job);
        store_balls(&job, range->ball_begin[0], range->ball_begin[DRY_COLOR_COUNT]);
        store_distances(&job, range->distance_begin[0], range->distance_begin[DRY_COLOR_COUNT]);
    }
}
