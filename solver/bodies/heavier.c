/* End of stage "begin bodies": bodies that are too light for the loads that go through them. Reads joints,
 * their loads, masses; writes rows. Next: sweeps/contacts/prepare.c.
 *
 * A joint in sweeps is a spring of w^2 times the mass that it moves, w as the substep rate allows: a load of
 * A opens it by A / w^2. Tiers follow the loads, but not if the number of substeps is given, or at its
 * maximum. A rope of light links would then open by meters, and its links swing faster than substeps follow:
 * with the force F at a lever arm of r, the square of their frequency is 2 F r / I, and impulses that carry
 * on feed such a swing.
 *
 * There a body counts as heavier, in mass and inertia: mass scaling, as in explicit finite elements. Its
 * joints then open by no more than those whose loads tiers follow, and half as far again where a rope ends.
 * Its weight, its velocity and the forces on it are those of the body: what hangs below rests where it
 * should, and the rope sways more slowly. Contacts meet the heavier body, too: a ball bounces off a loaded
 * link as off a heavier one.
 *
 * Only the load that goes through a body from one joint to another counts. The load of a single joint is due
 * to the body's own motion, and would grow with its mass. Such a body does not keep its momentum, so that
 * islands that nothing fixed holds are left alone. Joints that are solved directly keep their bodies as they
 * are. */
#include "solver/bodies/begin.h"

#include "solver/data/context.h"
#include "solver/data/rounding.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/islands.h"
#include "state/iterators.h"

#include <math.h>

/* Tells whether rows of an island may be heavier than their bodies. */
static bool is_strained(const dry_solver_step *step, int island)
{
    return island >= 0 && step->islands->island[island].strained;
}

double dry_row_heaviness(const dry_solver_step *step, int row)
{
    if (!is_strained(step, step->bodies->sleep[row].island))
        return 1.0;
    const double root = (double)step->state->bodies.rows[row + 1].inv_sqrt_mass;
    const double inverse = (double)step->bodies->mass[row].inverse_mass;
    const double times = root > 0.0 ? inverse / (root * root) : 1.0;
    return times > 1.0 + DRY_FLOAT_ROUNDING ? times : 1.0;
}

static void make_heavier(const dry_solver_step *step, int row, double times)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    float *start = step->state->bodies.start[row].u;
    const double root = sqrt(fmin(times, 1.0 / DRY_FLOAT_ROUNDING));
    for (int k = 0; k < 6; k++) { /* until the first substep begins, the start is the one with the forces */
        const double force = (double)start[k] - (double)r->u[k], u = root * (double)r->u[k];
        r->u[k] = (float)u;
        start[k] = (float)(u + force / root);
    }
    for (int k = 0; k < 3; k++)
        r->inv_sqrt_inertia[k] = (float)((double)r->inv_sqrt_inertia[k] / root);
    r->inv_sqrt_mass = (float)((double)r->inv_sqrt_mass / root);
}

/* Returns how many times as heavy a body would have to be for a joint to open no further than tiers let it:
 * each side may take half of that, or all that the other one leaves. 0: as heavy as it is. */
static double times_by(const dry_solver_step *step, int joint, int row, float h)
{
    const double all = (double)step->joints->load[joint].value;
    const double borne = (double)dry_joint_load_borne_by(&step->joints->joint[joint], h);
    if (!(all > borne)) /* most joints */
        return 0.0;
    int rows[DRY_JOINT_SIDES];
    const int count = dry_joint_rows_of(step, joint, rows);
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += (double)step->bodies->mass[rows[i]].inverse_mass;
    const double own = all * (double)step->bodies->mass[row].inverse_mass / sum;
    const double left = borne - (all - own);
    return own / (left > 0.5 * borne ? left : 0.5 * borne);
}

/* Returns how many times as heavy a body is to count, for the load that goes through it: its second most
 * loaded joint asks for that, if one of them acts and is no spring. */
static double times_of(const dry_solver_step *step, int row, float h)
{
    double most = 0.0, next = 0.0;
    bool rigid = false;
    for (dry_joint_iterator it = dry_joints_of(step->joints, &step->bodies->state[row]);
         dry_next_joint(&it);) {
        const dry_joint *joint = &step->joints->joint[it.joint];
        if (!(step->joints->load[it.joint].value > 0.0f) || !(joint->flags & DRY_JOINT_ENABLED))
            continue;
        const double times = times_by(step, it.joint, row, h);
        next = times > most ? most : times > next ? times : next;
        most = times > most ? times : most;
        rigid = rigid ||
                (times > 1.0 && joint->active >= 0 && !dry_joint_is_spring(&step->joints->def[it.joint]));
    }
    return rigid ? next : 0.0;
}

void dry_rows_make_heavier(const dry_solver_step *step, const int32_t *rows, int count, float h)
{
    if (!(step->dt > 0.0f) || step->joints->active_count == 0)
        return;
    for (int i = 0; i < count; i++) {
        const int row = rows[i], island = step->bodies->sleep[row].island;
        if (!is_strained(step, island) || step->islands->island[island].floating ||
            step->state->bodies.invalid[row] || step->bodies->properties[row].locks != 0)
            continue;
        const double times = times_of(step, row, h);
        if (times > 1.0 + DRY_FLOAT_ROUNDING && !dry_joints_hold_directly(step, row))
            make_heavier(step, row, times);
    }
}

float dry_joint_relief(const dry_solver_step *step, int joint)
{
    if (!is_strained(step, dry_joint_island(step, joint)))
        return 1.0f;
    int rows[DRY_JOINT_SIDES];
    const int count = dry_joint_rows_of(step, joint, rows);
    double of_bodies = 0.0, of_rows = 0.0;
    for (int i = 0; i < count; i++) {
        const double times = dry_row_heaviness(step, rows[i]);
        of_bodies += (double)step->bodies->mass[rows[i]].inverse_mass;
        of_rows += (double)step->bodies->mass[rows[i]].inverse_mass / times;
    }
    return of_rows > 0.0 ? (float)(of_bodies / of_rows) : 1.0f;
}
