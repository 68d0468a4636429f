/* Bodies that move as one rigid body, for the ledger and for linkages within a step. Reads rows, frames,
 * poses, masses; writes velocities. */
#include "solver/laws/rigid_motion.h"

#include "solver/bodies/frames.h"
#include "solver/bodies/turned.h"
#include "solver/data/context.h"

void dry_rigid_place(const dry_solver_step *step, int row, const dry_rigid_motion *m, double x[3])
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    double inv_sqrt_mass = (double)r->inv_sqrt_mass;
    const dry_position *p = &step->bodies->pose[row].position;
    x[0] = p->x - m->origin.x + (double)r->dl[0] * inv_sqrt_mass;
    x[1] = p->y - m->origin.y + (double)r->dl[1] * inv_sqrt_mass;
    x[2] = p->z - m->origin.z + (double)r->dl[2] * inv_sqrt_mass;
}

void dry_rigid_add_mass(const dry_solver_step *step, int row, dry_rigid_motion *m)
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const double mass = 1.0 / (double)step->bodies->mass[row].inverse_mass;
    double x[3];
    dry_rigid_place(step, row, m, x);
    m->mass += mass;
    for (int i = 0; i < 3; i++) {
        m->center[i] += mass * x[i];
        m->velocity[i] += (double)r->ul[i] / (double)r->inv_sqrt_mass;
    }
}

void dry_rigid_divide(dry_rigid_motion *m)
{
    for (int k = 0; k < 3; k++) {
        m->center[k] /= m->mass;
        m->velocity[k] /= m->mass;
        m->kept[k] /= m->mass;
    }
}

/* Computes a body's lever arm from the center of mass. */
static void arm_of(const dry_solver_step *step, int row, const dry_rigid_motion *m, double arm[3])
{
    dry_rigid_place(step, row, m, arm);
    for (int i = 0; i < 3; i++)
        arm[i] -= m->center[i];
}

/* Returns an element of a body's inertia about its center, in the world. */
static double own_inertia(const double *turned, const dry_whitening *w, int i, int j)
{
    static const int8_t at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double own = 0.0;
    for (int k = 0; k < 3; k++)
        for (int p = turned ? 0 : k; p < (turned ? 3 : k + 1); p++) {
            /* axes[k] holds the axis over sqrt(I), so that I a a^T is I^2 times their product. */
            const double inertia = (double)w->sqrt_inertia[k] * (double)w->sqrt_inertia[k];
            const double other = (double)w->sqrt_inertia[p] * (double)w->sqrt_inertia[p];
            const double n = turned ? turned[at[k][p]] : 1.0;
            own += n * (inertia * other * (double)w->axes[k][i] * (double)w->axes[p][j]);
        }
    return own;
}

void dry_rigid_add_inertia(const dry_solver_step *step, int row, dry_rigid_motion *m)
{
    const dry_whitening white = dry_frames_whitening(step, row), *w = &white;
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const double mass = 1.0 / (double)step->bodies->mass[row].inverse_mass;
    double arm[3];
    arm_of(step, row, m, arm);
    const double arm2 = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2];
    const dry_turned_row *turned = dry_turned_of(step, row);
    double relative[3], turn[3], inertia[6];
    dry_turned_momentum(step, row, turn);
    if (turned)
        dry_turned_inertia(turned, r, inertia);
    for (int i = 0; i < 3; i++)
        relative[i] = (double)r->ul[i] * (double)r->inv_sqrt_mass - m->velocity[i];
    for (int i = 0; i < 3; i++) {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        m->angular[i] += mass * (arm[p] * relative[q] - arm[q] * relative[p]);
        for (int k = 0; k < 3; k++) {
            const double of_axis = (double)w->sqrt_inertia[k] * (double)w->sqrt_inertia[k];
            m->angular[i] += of_axis * (double)w->axes[k][i] * turn[k];
        }
        for (int j = 0; j < 3; j++)
            m->inertia.m[i][j] += own_inertia(turned ? inertia : NULL, w, i, j) +
                                  mass * ((i == j ? arm2 : 0.0) - arm[i] * arm[j]);
    }
}

bool dry_inertia_solve(const dry_inertia *inertia, const double v[3], double x[3])
{
    const double(*a)[3] = inertia->m;
    double c[3][3];
    for (int i = 0; i < 3; i++)
        for (int p = 0; p < 3; p++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3, q = (p + 1) % 3, r = (p + 2) % 3;
            c[i][p] = a[j][q] * a[k][r] - a[j][r] * a[k][q];
        }
    const double determinant = a[0][0] * c[0][0] + a[0][1] * c[0][1] + a[0][2] * c[0][2];
    if (!(determinant > 0.0))
        return false;
    for (int i = 0; i < 3; i++)
        x[i] = (c[0][i] * v[0] + c[1][i] * v[1] + c[2][i] * v[2]) / determinant;
    return true;
}

void dry_rigid_move(const dry_solver_step *step, int row, const dry_rigid_motion *m)
{
    const dry_whitening white = dry_frames_whitening(step, row), *w = &white;
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    double arm[3];
    arm_of(step, row, m, arm);
    const double root_mass = 1.0 / (double)w->inv_sqrt_mass, *omega = m->rotation;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double turned = (1.0 - m->share) * m->velocity[i] + omega[j] * arm[k] - omega[k] * arm[j];
        const double velocity = turned + (m->kept[i] - m->velocity[i]);
        const double inertia = (double)w->sqrt_inertia[i] * (double)w->sqrt_inertia[i];
        const double angular =
            inertia * ((double)w->axes[i][0] * omega[0] + (double)w->axes[i][1] * omega[1] +
                       (double)w->axes[i][2] * omega[2]);
        r->ul[i] = (float)(dry_scale_motion(m->share, (double)r->ul[i]) + velocity * root_mass);
        r->ua[i] = (float)(dry_scale_motion(m->share, (double)r->ua[i]) + angular);
    }
}

void dry_rigid_scale(const dry_solver_step *step, int row, double share)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    for (int k = 0; k < 6; k++)
        r->u[k] = (float)dry_scale_motion(share, (double)r->u[k]);
}
