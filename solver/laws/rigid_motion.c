/* Bodies that move as one rigid body, for the ledger and for linkages within a step. Reads rows, frames,
 * poses, masses; writes velocities. */
#include "solver/laws/ledger.h"

#include "solver/bodies/frames.h"
#include "solver/bodies/turned.h"
#include "solver/data/context.h"

dry_double3 dry_rigid_begin(const dry_solver_step *step, int row, const dry_rigid_motion *m)
{
    const dry_position *p = &step->bodies->pose[row].position;
    return double3(p->x - m->origin.x, p->y - m->origin.y, p->z - m->origin.z);
}

dry_double3 dry_rigid_place(const dry_solver_step *step, int row, const dry_rigid_motion *m)
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    return double3_add_scaled(dry_rigid_begin(step, row, m), (double)r->inv_sqrt_mass,
                              double3_of_floats(r->dl));
}

dry_double3 dry_rigid_whiten(const dry_whitening *w, dry_double3 angular)
{
    double whitened[3];
    for (int k = 0; k < 3; k++) {
        const double root = (double)w->sqrt_inertia[k];
        whitened[k] = root * root * double3_dot(dry_whitening_axis(w, k), angular);
    }
    return double3(whitened[0], whitened[1], whitened[2]);
}

dry_double3 dry_rigid_momentum(const dry_whitening *w, dry_double3 whitened)
{
    const dry_double3 axis[3] = {dry_whitening_axis(w, 0), dry_whitening_axis(w, 1),
                                 dry_whitening_axis(w, 2)},
                      root = double3_of_floats(w->sqrt_inertia);
    return double3_from_axes(axis, double3_mul(double3_mul(root, root), whitened));
}

void dry_rigid_add_mass(const dry_solver_step *step, int row, dry_rigid_motion *m)
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const double mass = 1.0 / (double)step->bodies->mass[row].inverse_mass;
    m->mass += mass;
    m->center = double3_add_scaled(m->center, mass, dry_rigid_place(step, row, m));
    m->velocity = double3_add(m->velocity, double3_over(double3_of_floats(r->ul), (double)r->inv_sqrt_mass));
}

void dry_rigid_divide(dry_rigid_motion *m)
{
    m->center = double3_over(m->center, m->mass);
    m->velocity = double3_over(m->velocity, m->mass);
    m->kept = double3_over(m->kept, m->mass);
}

void dry_rigid_add_inertia(const dry_solver_step *step, int row, dry_rigid_motion *m)
{
    const dry_whitening w = dry_frames_whitening(step, row);
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const double mass = 1.0 / (double)step->bodies->mass[row].inverse_mass;
    const dry_double3 arm = double3_sub(dry_rigid_place(step, row, m), m->center);
    const dry_double3 relative =
        double3_sub(double3_scale(double3_of_floats(r->ul), (double)r->inv_sqrt_mass), m->velocity);
    const dry_double3 own = dry_turned_momentum(step, row, double3_of_floats(r->ua));
    m->angular = double3_add_scaled(double3_add(m->angular, dry_rigid_momentum(&w, own)), mass,
                                    double3_cross(arm, relative));
    dry_inertia_add_point_mass(&m->inertia, mass, (const double[]){arm.x, arm.y, arm.z});
    for (int i = 0; i < 3; i++) {
        const dry_double3 turn = dry_rigid_whiten(&w, double3(i == 0, i == 1, i == 2)),
                          column = dry_rigid_momentum(&w, dry_turned_momentum(step, row, turn));
        m->inertia.m[0][i] += column.x, m->inertia.m[1][i] += column.y, m->inertia.m[2][i] += column.z;
    }
}

void dry_rigid_move(const dry_solver_step *step, int row, const dry_rigid_motion *m)
{
    const dry_whitening w = dry_frames_whitening(step, row);
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_double3 arm = double3_sub(dry_rigid_place(step, row, m), m->center),
                      turned =
                          double3_add_scaled(double3_cross(m->rotation, arm), 1.0 - m->share, m->velocity),
                      velocity = double3_add(turned, double3_sub(m->kept, m->velocity)),
                      linear = double3_over(velocity, (double)w.inv_sqrt_mass),
                      angular = dry_rigid_whiten(&w, m->rotation);
    const double added[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int k = 0; k < 6; k++)
        r->u[k] = (float)(dry_scale_motion(m->share, (double)r->u[k]) + added[k]);
}

void dry_rigid_scale(const dry_solver_step *step, int row, double share)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    for (int k = 0; k < 6; k++)
        r->u[k] = (float)dry_scale_motion(share, (double)r->u[k]);
}
