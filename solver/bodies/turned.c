/* How bodies that turn their frames have rotated. Writes rows at the step's end, for frames.c and
 * laws/hold.c; ledger.c and finish.c read what it leaves. */
#include "solver/bodies/turned.h"

#include "core/angle.h"
#include "solver/data/context.h"
#include "solver/data/rounding.h"
#include "solver/data/terms.h"

static const dry_turned_row unturned = {.orientation = {0.0, 0.0, 0.0, 1.0}};

bool dry_body_turns(const dry_solver_step *step, int row, float angle)
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    float by_row = 0.0f;
    for (int k = 0; k < 3; k++)
        by_row += (r->ua[k] * r->inv_sqrt_inertia[k]) * (r->ua[k] * r->inv_sqrt_inertia[k]);
    return dry_turns(vec3_length_squared(step->bodies->velocity[row].angular), 1.0f, angle, step->dt) ||
           dry_turns(by_row, 1.0f, angle, step->dt);
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

bool dry_turned_applies(const dry_solver_step *step, int row, float h)
{
    const dry_solver_state *s = step->state;
    const dry_solver_row *r = &s->bodies.rows[row + 1];
    const dry_vec3 inverse = step->bodies->mass[row].inverse_inertia;
    if (s->bodies.invalid[row] || step->bodies->properties[row].locks ||
        !(dry_min(inverse.x, dry_min(inverse.y, inverse.z)) > 0.0f))
        return false;
    /* A body that makes more than half a rotation in a substep keeps the frame of the step's beginning. */
    const dry_double3 w = dry_row_vector(r, r->ua);
    return double3_dot(w, w) * (double)h * (double)h <= DRY_PI * DRY_PI;
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
    const double sine2 = double3_dot(imaginary, imaginary);
    if (q.w > 0.0 && sine2 < DRY_SMALL_ANGLE2 &&
        double3_dot(last, last) < 1.0) /* most bodies in most steps */
        return double3_scale(imaginary, 2.0 * arc_sine_ratio(sine2));
    const double sine = sqrt(sine2);
    if (!(sine > DRY_DOUBLE_ROUNDING))
        return double3_scale(imaginary, 2.0);
    const double along = double3_dot(imaginary, last) / sine;
    const double angle = dry_angle_near(2.0 * dry_angle_of(sine, q.w), along);
    return double3_scale(imaginary, angle / sine);
}

void dry_turned_add(dry_turned_row *turned, dry_double3 way)
{
    turned->orientation = rotation_normalize(rotation_mul(rotation_from_vector(way), turned->orientation));
    turned->rotation = vector_near(turned->orientation, turned->rotation);
}

void dry_turned_set(const dry_solver_step *step, int row, dry_double3 momentum)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    dry_turned_row *turned = &step->state->bodies.turned[row];
    DRY_ASSERT(row < step->state->bodies.turned_count);
    const dry_double3 own = rotation_apply_inverse(turned->orientation, momentum);
    dry_row_whiten(r, rotation_apply(turned->orientation, double3_mul(dry_row_rotor(r).inverse, own)), r->ua);
    dry_row_whiten(r, turned->rotation, r->da);
    turned->turns = 1;
}

void dry_turned_shift(const dry_solver_step *step, int row, dry_double3 way)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    dry_turned_row *of_row = row < step->state->bodies.turned_count ? &step->state->bodies.turned[row] : NULL,
                   plain;
    if (!of_row || !of_row->turns) {
        const dry_double3 moved = dry_row_vector(r, r->da);
        plain = (dry_turned_row){.orientation = rotation_from_vector(moved), .rotation = moved};
        of_row = &plain;
    }
    dry_turned_add(of_row, way);
    const double *rotation = &of_row->rotation.x;
    for (int k = 0; k < 3; k++)
        if (r->inv_sqrt_inertia[k] > 0.0f)
            r->da[k] = (float)(rotation[k] / (double)r->inv_sqrt_inertia[k]);
}

dry_double3 dry_turned_momentum(const dry_solver_step *step, int row, dry_double3 u)
{
    const dry_turned_row *turned = dry_turned_of(step, row);
    if (!turned)
        return u;
    const dry_rotor rotor = dry_row_rotor(&step->state->bodies.rows[row + 1]);
    const dry_double3 roots = double3_of_floats(step->state->bodies.rows[row + 1].inv_sqrt_inertia);
    const dry_double3 spin = rotation_apply_inverse(turned->orientation, double3_mul(roots, u));
    return double3_mul(roots, rotation_apply(turned->orientation, double3_mul(rotor.inertia, spin)));
}

const dry_turned_row *dry_turned_of(const dry_solver_step *step, int row)
{
    const dry_solver_state *s = step->state;
    return row < s->bodies.turned_count && s->bodies.turned[row].turns && !s->bodies.invalid[row]
               ? &s->bodies.turned[row]
               : NULL;
}
