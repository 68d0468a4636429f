/* Bodies whose frame turns within a step. Reads and writes rows, in the substeps of methods/blocks, at the
 * step's end for frames.c and laws/hold.c; ledger.c and finish.c read what it leaves. */
#include "solver/bodies/turned.h"

#include "core/angle.h"
#include "core/integrate.h"
#include "solver/data/context.h"

#include <string.h>

/* A body that turns by more than this in a substep, rad, keeps the frame of the step's beginning. */
#define TURNED_ANGLE_MAX 3.0
/* Below this sine of half its angle a rotation's vector is twice the imaginary part, to rounding. */
#define VECTOR_SINE_MIN 1e-9
/* Newton's steps of the midpoint rule: at 0.5 rad its error after three is below rounding. */
enum { MIDPOINT_STEPS = 4 };

static const dry_turned_row unturned = {.orientation = {0.0, 0.0, 0.0, 1.0},
                                        .matrix = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};

bool dry_body_turns(const dry_solver_step *step, int row, float angle)
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const float limit = (angle / step->dt) * (angle / step->dt);
    float by_row = 0.0f;
    for (int k = 0; k < 3; k++)
        by_row += (r->ua[k] * r->inv_sqrt_inertia[k]) * (r->ua[k] * r->inv_sqrt_inertia[k]);
    return !(vec3_length_squared(step->bodies->velocity[row].angular) <= limit) || !(by_row <= limit);
}

void dry_turned_free(dry_solver_state *state, dry_memory *memory)
{
    DRY_RELEASE(memory, state->bodies.turned, state->bodies.turned_capacity);
}

bool dry_turned_reserve(const dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    const int rows = step->bodies->awake_count;
    if (!DRY_RESERVE(memory, s->bodies.turned, s->bodies.turned_capacity, rows))
        return false;
    s->bodies.turned_count = rows;
    for (int row = 0; row < rows; row++)
        s->bodies.turned[row] = unturned;
    return true;
}

/* Returns the rotation vector of a whitened one in the principal frame of the step's beginning. */
static dry_double3 vector_of(const dry_solver_row *r, const float whitened[3])
{
    return (dry_double3){(double)whitened[0] * (double)r->inv_sqrt_inertia[0],
                         (double)whitened[1] * (double)r->inv_sqrt_inertia[1],
                         (double)whitened[2] * (double)r->inv_sqrt_inertia[2]};
}

bool dry_turned_applies(const dry_solver_step *step, int row, float h)
{
    const dry_solver_state *s = step->state;
    const dry_solver_row *r = &s->bodies.rows[row + 1];
    const dry_vec3 inverse = step->bodies->mass[row].inverse_inertia;
    if (s->bodies.invalid[row] || step->bodies->properties[row].locks ||
        !(dry_min(inverse.x, dry_min(inverse.y, inverse.z)) > 0.0f))
        return false;
    const dry_double3 w = vector_of(r, r->ua);
    return double3_dot(w, w) * (double)h * (double)h <= TURNED_ANGLE_MAX * TURNED_ANGLE_MAX;
}

void dry_turned_begin(const dry_solver_step *step, int row, float h, const float force[3])
{
    dry_turned_row *turned = &step->state->bodies.turned[row];
    *turned = unturned;
    turned->turns = dry_turned_applies(step, row, h);
    memcpy(turned->force, force, sizeof turned->force);
}

/* Returns asin(x) / x for x^2 up to DRY_SMALL_ANGLE2: eight terms of the series are exact to rounding. */
static double arc_sine_ratio(double x2)
{
    double sum = 6435.0 / 557056.0;
    sum = 143.0 / 10240.0 + x2 * sum;
    sum = 231.0 / 13312.0 + x2 * sum;
    sum = 63.0 / 2816.0 + x2 * sum;
    sum = 35.0 / 1152.0 + x2 * sum;
    sum = 5.0 / 112.0 + x2 * sum;
    sum = 3.0 / 40.0 + x2 * sum;
    sum = 1.0 / 6.0 + x2 * sum;
    return 1.0 + x2 * sum;
}

/* Returns the vector of a rotation: of all that differ by whole turns about its axis the one nearest to the
 * last. */
static dry_double3 vector_near(dry_rotation q, dry_double3 last)
{
    const dry_double3 imaginary = {q.x, q.y, q.z};
    const double sine2 = double3_dot(imaginary, imaginary), sine = sqrt(sine2);
    if (q.w > 0.0 && sine2 < DRY_SMALL_ANGLE2 &&
        double3_dot(last, last) < 1.0) /* most bodies in most steps */
        return double3_add_scaled((dry_double3){0.0, 0.0, 0.0}, 2.0 * arc_sine_ratio(sine2), imaginary);
    if (!(sine > VECTOR_SINE_MIN))
        return (dry_double3){2.0 * q.x, 2.0 * q.y, 2.0 * q.z};
    const double along = double3_dot(imaginary, last) / sine;
    const double angle = dry_angle_near(2.0 * dry_angle_of(sine, q.w), along);
    return double3_add_scaled((dry_double3){0.0, 0.0, 0.0}, angle / sine, imaginary);
}

static void find_matrix(dry_turned_row *turned)
{
    for (int k = 0; k < 3; k++) {
        const dry_double3 axis = rotation_apply(turned->orientation, (dry_double3){k == 0, k == 1, k == 2});
        turned->matrix[0][k] = axis.x, turned->matrix[1][k] = axis.y, turned->matrix[2][k] = axis.z;
    }
}

/* Computes R^T v. */
static void turn_in(const dry_turned_row *turned, const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = turned->matrix[0][i] * v[0] + turned->matrix[1][i] * v[1] + turned->matrix[2][i] * v[2];
}

/* Computes R v. */
static void turn_out(const dry_turned_row *turned, const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = turned->matrix[i][0] * v[0] + turned->matrix[i][1] * v[1] + turned->matrix[i][2] * v[2];
}

typedef void turn_vector(const dry_turned_row *turned, const double v[3], double out[3]);

static void turn_velocity(const dry_turned_row *turned, const dry_solver_row *r, float ua[3],
                          turn_vector *turn)
{
    double w[3], out[3];
    for (int k = 0; k < 3; k++)
        w[k] = (double)ua[k] * (double)r->inv_sqrt_inertia[k];
    turn(turned, w, out);
    for (int k = 0; k < 3; k++)
        ua[k] = (float)(out[k] / (double)r->inv_sqrt_inertia[k]);
}

void dry_turned_velocity_in(const dry_turned_row *turned, const dry_solver_row *r, float ua[3])
{
    turn_velocity(turned, r, ua, turn_in);
}

void dry_turned_row_in(const dry_turned_row *turned, const dry_solver_row *r, float g[3])
{
    double torque[3], in[3];
    for (int k = 0; k < 3; k++)
        torque[k] = (double)g[k] / (double)r->inv_sqrt_inertia[k];
    turn_in(turned, torque, in);
    for (int k = 0; k < 3; k++)
        g[k] = (float)(in[k] * (double)r->inv_sqrt_inertia[k]);
}

/* Gives a row in the frame of the substep the displacement of its rotation. */
static void displacement_in(const dry_turned_row *turned, dry_solver_row *r)
{
    double moved[3];
    turn_in(turned, turned->rotation, moved);
    for (int k = 0; k < 3; k++)
        r->da[k] = (float)(moved[k] / (double)r->inv_sqrt_inertia[k]);
}

void dry_turned_in(const dry_solver_step *step, int row)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_turned_row *turned = &step->state->bodies.turned[row];
    dry_turned_velocity_in(turned, r, r->ua);
    displacement_in(turned, r);
}

void dry_turned_out(const dry_solver_step *step, int row)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_turned_row *turned = &step->state->bodies.turned[row];
    turn_velocity(turned, r, r->ua, turn_out);
    for (int k = 0; k < 3; k++)
        r->da[k] = (float)(turned->rotation[k] / (double)r->inv_sqrt_inertia[k]);
}

/* Returns the angular velocity in the body's frame after a time by Euler's equations: D (w' - w) + h m x D m
 * = 0 with m = (w + w') / 2, whose derivative is D + h / 2 ([m]x D - [D m]x). */
static dry_double3 spin_freely(const dry_rotor *rotor, dry_double3 w, double h)
{
    dry_double3 next = w;
    for (int i = 0; i < MIDPOINT_STEPS; i++) {
        const dry_double3 m = {0.5 * (w.x + next.x), 0.5 * (w.y + next.y), 0.5 * (w.z + next.z)};
        const dry_double33 derivative = rotor_matrix(rotor, m, 0.5 * h, 0.0, 1.0);
        const dry_double3 change = double3_add_scaled(next, -1.0, w);
        const dry_double3 excess = double3_add_scaled(double3_mul(rotor->inertia, change), h,
                                                      double3_cross(m, double3_mul(rotor->inertia, m)));
        dry_double3 correction;
        if (!double33_solve(&derivative, excess, rotor_scale(rotor), &correction))
            return w;
        next = double3_add_scaled(next, -1.0, correction);
    }
    const double before = double3_dot(w, double3_mul(rotor->inertia, w));
    const double after = double3_dot(next, double3_mul(rotor->inertia, next));
    return after <= before * (1.0 + 1e-6) ? next : w;
}

void dry_turned_spin(const dry_solver_step *step, int row, float time)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_turned_row *turned = &step->state->bodies.turned[row];
    dry_rotor rotor;
    double inverse[3], w[3], in[3];
    for (int k = 0; k < 3; k++) {
        inverse[k] = (double)r->inv_sqrt_inertia[k] * (double)r->inv_sqrt_inertia[k];
        w[k] = (double)r->ua[k] * (double)r->inv_sqrt_inertia[k];
    }
    rotor.inverse = (dry_double3){inverse[0], inverse[1], inverse[2]};
    rotor.inertia = (dry_double3){1.0 / inverse[0], 1.0 / inverse[1], 1.0 / inverse[2]};
    if (inverse[0] == inverse[1] && inverse[1] == inverse[2])
        return;
    turn_in(turned, w, in);
    const dry_double3 next = spin_freely(&rotor, (dry_double3){in[0], in[1], in[2]}, (double)time);
    const double of[3] = {next.x, next.y, next.z};
    turn_out(turned, of, w);
    for (int k = 0; k < 3; k++)
        r->ua[k] = (float)(w[k] / (double)r->inv_sqrt_inertia[k]);
}

void dry_turned_forced(const dry_solver_step *step, int row, float change[3])
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_turned_row *turned = &step->state->bodies.turned[row];
    memcpy(change, turned->force, sizeof turned->force);
    dry_turned_row_in(turned, r, change);
    turn_velocity(turned, r, change, turn_out);
}

void dry_turned_add(dry_turned_row *turned, dry_double3 way)
{
    turned->orientation = rotation_normalize(rotation_mul(rotation_from_vector(way), turned->orientation));
    const dry_double3 sum = vector_near(
        turned->orientation, (dry_double3){turned->rotation[0], turned->rotation[1], turned->rotation[2]});
    turned->rotation[0] = sum.x, turned->rotation[1] = sum.y, turned->rotation[2] = sum.z;
}

void dry_turned_displace(const dry_solver_step *step, int row, const float da[3])
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    dry_turned_row *turned = &step->state->bodies.turned[row];
    double change[3], way[3];
    for (int k = 0; k < 3; k++)
        change[k] = ((double)da[k] - (double)r->da[k]) * (double)r->inv_sqrt_inertia[k];
    turn_out(turned, change, way);
    dry_turned_add(turned, (dry_double3){way[0], way[1], way[2]});
    displacement_in(turned, r);
}

void dry_turned_move(const dry_solver_step *step, int row, float h)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    dry_turned_row *turned = &step->state->bodies.turned[row];
    const dry_double3 w = vector_of(r, r->ua);
    dry_turned_add(turned, (dry_double3){(double)h * w.x, (double)h * w.y, (double)h * w.z});
    for (int k = 0; k < 3; k++)
        r->da[k] = (float)(turned->rotation[k] / (double)r->inv_sqrt_inertia[k]);
}

void dry_turned_set(const dry_solver_step *step, int row, dry_double3 momentum)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    dry_turned_row *turned = &step->state->bodies.turned[row];
    const double l[3] = {momentum.x, momentum.y, momentum.z};
    double own[3], w[3];
    find_matrix(turned);
    turn_in(turned, l, own);
    for (int k = 0; k < 3; k++)
        own[k] *= (double)r->inv_sqrt_inertia[k] * (double)r->inv_sqrt_inertia[k];
    turn_out(turned, own, w);
    for (int k = 0; k < 3; k++) {
        r->ua[k] = (float)(w[k] / (double)r->inv_sqrt_inertia[k]);
        r->da[k] = (float)(turned->rotation[k] / (double)r->inv_sqrt_inertia[k]);
    }
    turned->turns = 1;
}

void dry_turned_shift(const dry_solver_step *step, int row, dry_double3 way)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    dry_turned_row *of_row = row < step->state->bodies.turned_count ? &step->state->bodies.turned[row] : NULL,
                   plain;
    if (!of_row || !of_row->turns) {
        const dry_double3 moved = vector_of(r, r->da);
        plain = (dry_turned_row){.orientation = rotation_from_vector(moved),
                                 .rotation = {moved.x, moved.y, moved.z}};
        of_row = &plain;
    }
    dry_turned_add(of_row, way);
    find_matrix(of_row);
    for (int k = 0; k < 3; k++)
        if (r->inv_sqrt_inertia[k] > 0.0f)
            r->da[k] = (float)(of_row->rotation[k] / (double)r->inv_sqrt_inertia[k]);
}

void dry_turned_next(const dry_solver_step *step, int row)
{
    find_matrix(&step->state->bodies.turned[row]);
    dry_turned_out(step, row);
}

void dry_turned_inertia(const dry_turned_row *turned, const dry_solver_row *r, double inertia[6])
{
    for (int i = 0, at = 0; i < 3; i++)
        for (int j = i; j < 3; j++, at++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                const double inverse = (double)r->inv_sqrt_inertia[k] * (double)r->inv_sqrt_inertia[k];
                sum += turned->matrix[i][k] * turned->matrix[j][k] / inverse;
            }
            inertia[at] = (double)r->inv_sqrt_inertia[i] * (double)r->inv_sqrt_inertia[j] * sum;
        }
}

void dry_turned_momentum(const dry_solver_step *step, int row, double momentum[3])
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_turned_row *turned = dry_turned_of(step, row);
    double n[6];
    for (int k = 0; k < 3; k++)
        momentum[k] = (double)r->ua[k];
    if (!turned)
        return;
    dry_turned_inertia(turned, r, n);
    const double x = momentum[0], y = momentum[1], z = momentum[2];
    momentum[0] = n[0] * x + n[1] * y + n[2] * z;
    momentum[1] = n[1] * x + n[3] * y + n[4] * z;
    momentum[2] = n[2] * x + n[4] * y + n[5] * z;
}

const dry_turned_row *dry_turned_of(const dry_solver_step *step, int row)
{
    const dry_solver_state *s = step->state;
    return row < s->bodies.turned_count && s->bodies.turned[row].turns && !s->bodies.invalid[row]
               ? &s->bodies.turned[row]
               : NULL;
}
