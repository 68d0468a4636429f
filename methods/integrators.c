/* Stage "finalize", first part: the rotation of bodies by the documents' integrators, one body at a time.
 *
 * A step of n substeps is n steps of the integrator, each as long as a substep. The mean velocity of the
 * substeps turns the body, so that it turns as far as the solver's rows say; the last one is what it keeps.
 * With one substep both are the velocity after the solve, and the step is the documents' own. */
#include "core/integrate.h"
#include "methods/methods.h"
#include "solver/bodies/whitening.h"

#include <math.h>

/* Returns the angular velocity of a momentum, both in the world. */
static dry_double3 rotor_velocity(const dry_rotor *r, dry_double3 momentum)
{
    return rotation_scale_principal(r->q, r->inverse, momentum);
}

/* Semi-implicit Euler [Tamis 3.2.4]: o' = o + h/2 w o with w = I^-1 l at the present orientation. */
static void rotor_euler(dry_rotor *r, dry_double3 momentum, double h)
{
    const dry_double3 w = rotor_velocity(r, momentum);
    const dry_rotation rate = rotation_mul((dry_rotation){w.x, w.y, w.z, 0.0}, r->q);
    r->q = rotation_normalize(rotation_add_scaled(r->q, 0.5 * h, rate));
}

/* Rotates by |w| h about w = I^-1 l [CSE169, Tamis 12.4.1]. */
static void rotor_exponential(dry_rotor *r, dry_double3 momentum, double h)
{
    const dry_double3 w = rotor_velocity(r, momentum);
    r->q = rotation_normalize(
        rotation_mul(rotation_from_vector((dry_double3){h * w.x, h * w.y, h * w.z}), r->q));
}

/* Returns the angular velocity in the body's frame after h under the gyroscopic torque of its beginning
 * [Waterson 4.4]: w' = w - h D^-1 (w x D w). */
static dry_double3 rotor_explicit(const dry_rotor *r, dry_double3 w, double h)
{
    const dry_double3 torque = double3_cross(w, double3_mul(r->inertia, w));
    return double3_add_scaled(w, -h, double3_mul(r->inverse, torque));
}

/* Returns it under the torque of its end, by one step of Newton's method from the beginning: D (w' - w) +
 * h w' x D w' = 0, whose derivative is D + h ([w]x D - [D w]x). */
static dry_double3 rotor_implicit(const dry_rotor *r, dry_double3 w, double h)
{
    const dry_double3 torque = double3_cross(w, double3_mul(r->inertia, w));
    const dry_double33 derivative = rotor_matrix(r, w, h, 0.0, 1.0);
    dry_double3 change;
    if (!double33_solve(&derivative, torque, rotor_scale(r), &change))
        return w;
    return double3_add_scaled(w, -h, change);
}

/* Rotates by the angular velocity w of the body's frame over h. */
static void rotor_turn(dry_rotor *r, dry_double3 w, double h)
{
    r->q = rotation_normalize(
        rotation_mul(r->q, rotation_from_vector((dry_double3){h * w.x, h * w.y, h * w.z})));
}

/* Returns the rotation vector by which impulses turn the body in a step, with the modified inertia of
 * [Waterson 4.17]: I + I [w h]x - [I w h]x, at the orientation and the velocity w that the step leads to
 * without them. `moment` is the sum of angular impulses times the time that they act, kg m^2 rad. */
static dry_double3 rotor_pushed(const dry_rotor *r, dry_double3 w, dry_double3 moment, double h)
{
    const dry_double33 modified = rotor_matrix(r, rotation_apply_inverse(r->q, w), h, 1.0, 0.0);
    dry_double3 turned;
    if (!double33_solve(&modified, rotation_apply_inverse(r->q, moment), rotor_scale(r), &turned))
        return rotor_velocity(r, moment);
    return rotation_apply(r->q, turned);
}

/* A body's rotation in a step. */
typedef struct rotor_step {
    dry_integrator integrator;
    int steps;
    double h;
} rotor_step;

/* Moves a rotor whose angular velocity at the beginning is `velocity`, in the world. Returns the velocity at
 * the end. */
static dry_double3 move(const rotor_step *s, dry_rotor *r, dry_double3 velocity)
{
    if (s->integrator == DRY_INTEGRATOR_EULER || s->integrator == DRY_INTEGRATOR_EXPONENTIAL) {
        const dry_double3 momentum = rotation_scale_principal(r->q, r->inertia, velocity);
        for (int i = 0; i < s->steps; i++) {
            if (s->integrator == DRY_INTEGRATOR_EULER)
                rotor_euler(r, momentum, s->h);
            else
                rotor_exponential(r, momentum, s->h);
        }
        return rotor_velocity(r, momentum);
    }
    dry_double3 w = rotation_apply_inverse(r->q, velocity);
    for (int i = 0; i < s->steps; i++) {
        w = s->integrator == DRY_INTEGRATOR_EXPLICIT ? rotor_explicit(r, w, s->h)
                                                     : rotor_implicit(r, w, s->h);
        rotor_turn(r, w, s->h);
    }
    return rotation_apply(r->q, w);
}

/* Returns the angular velocity at the end of a rotor that began with `last`: impulses have changed it. Those
 * with a momentum keep it; the others go on from the velocity. */
static dry_double3 end_velocity(const rotor_step *s, const dry_rotor *from, const dry_rotor *to,
                                dry_double3 last)
{
    if (s->integrator == DRY_INTEGRATOR_EULER || s->integrator == DRY_INTEGRATOR_EXPONENTIAL)
        return rotor_velocity(to, rotation_scale_principal(from->q, from->inertia, last));
    dry_rotor r = *from;
    return move(s, &r, last);
}

static void integrate(const dry_solver_step *step, const dry_finish_block *block, int i,
                      dry_body_motion *motion)
{
    const int row = block->row[i];
    const dry_bodies *bodies = step->bodies;
    const dry_solver_row *solved = &step->state->bodies.rows[row + 1];
    const dry_quat begin = bodies->pose[row].orientation;
    const dry_vec3 inverse = bodies->mass[row].inverse_inertia;
    const double dt = (double)step->dt;
    rotor_step s = {.integrator = step->settings->method.integrator};
    s.steps = (int)(dt / (double)block->substep[i] + 0.5);
    s.h = dt / (double)s.steps;
    dry_rotor from = {.q = rotation_from_quat(begin), .inverse = double3_of(inverse)};
    from.inertia = double3_inverse(from.inverse);
    dry_rotor to = from;
    const dry_whitening w = dry_whitening_of(solved, begin);
    const dry_double3 turned = double3_of(dry_whitening_to_world(&w, solved->da));
    const dry_double3 last =
        double3_of(vec3(motion->angular[0][i], motion->angular[1][i], motion->angular[2][i]));
    const dry_double3 mean = {turned.x / dt, turned.y / dt, turned.z / dt};
    if (step->settings->method.modified_inertia) {
        const float damping = 1.0f / (1.0f + step->dt * bodies->properties[row].angular_damping);
        const dry_double3 first = double3_of(vec3_scale(bodies->velocity[row].angular, damping));
        const dry_double3 free = move(&s, &to, first);
        const dry_double3 moment =
            rotation_scale_principal(from.q, from.inertia, double3_add_scaled(turned, -dt, first));
        to.q =
            rotation_normalize(rotation_mul(rotation_from_vector(rotor_pushed(&to, free, moment, dt)), to.q));
    } else {
        move(&s, &to, mean);
    }
    const dry_double3 end = end_velocity(&s, &from, &to, last);
    const dry_quat q = {(float)to.q.x, (float)to.q.y, (float)to.q.z, (float)to.q.w};
    const dry_vec3 angular = vec3_of(end);
    motion->orientation[0][i] = q.x, motion->orientation[1][i] = q.y;
    motion->orientation[2][i] = q.z, motion->orientation[3][i] = q.w;
    motion->orientation_squared[i] = quat_length_squared(q);
    motion->angular[0][i] = angular.x, motion->angular[1][i] = angular.y, motion->angular[2][i] = angular.z;
    motion->angular_squared[i] = vec3_length_squared(angular);
    motion->angular_speed[i] = sqrtf(motion->angular_squared[i]);
}

void dry_integrate_bodies(const dry_solver_step *step, const dry_finish_block *block, int count,
                          dry_body_motion *motion)
{
    for (int i = 0; i < count; i++)
        if (block->substep[i] > 0.0f)
            integrate(step, block, i, motion);
}
