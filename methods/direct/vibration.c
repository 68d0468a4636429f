/* The vibration that the forces of joints give to bodies, which the next step's substeps must follow. Reads
 * an articulation's rows, its factor and the joints' impulses where a step ends. Next: the islands' tiers of
 * the next step, solver/plan/difficulty.c, and alone.c.
 *
 * A body that turns by t under a force F at the lever arm r is turned back by K t, K = (F.r) I - (F r^T +
 * r F^T) / 2, the second derivative of the joint's rows times its impulses. A bar of a lattice has a large K,
 * but nothing can turn it. So the vibration is that of P K P in whitened coordinates, where P = 1 - Y^T Y
 * takes away what joints do not allow: its largest eigenvalue is the square of the fastest frequency, found
 * by the method of Lanczos. */
#include "core/assert.h"
#include "methods/direct/closing.h"

#include "methods/direct/linkage.h"
#include "methods/direct/springs.h"
#include "solver/data/context.h"
#include "solver/data/rounding.h"

#include <float.h>
#include <string.h>

/* Adds what the force of a joint does to its bodies as they turn. */
static void add_stiffness(const dry_linkage *l, const dry_articulated_joint *link, double time)
{
    const dry_joint *joint = &l->step->joints->joint[link->joint];
    const double rate = 1.0 / time;
    for (int side = 0; side < 2; side++) {
        const dry_articulated_body *body = &l->body[link->body[side]];
        if (!body->moves)
            continue;
        dry_vibrating_body *v = &l->vibrating[link->body[side]];
        const double sign = side ? rate : -rate;
        const dry_vec3 anchor = side ? joint->anchor_b : joint->anchor_a;
        const dry_double3 arm = rotation_apply(body->end.orientation, double3_of(anchor));
        const dry_double3 force = link->impulse;
        double f[3], r[3];
        for (int k = 0; k < 3; k++) {
            f[k] = sign * double3_dot(force, v->axes[k]);
            r[k] = double3_dot(arm, v->axes[k]);
        }
        const double along = sign * double3_dot(force, arm);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                v->stiffness[i][k] +=
                    along * double3_dot(v->axes[i], v->axes[k]) - 0.5 * (f[i] * r[k] + r[i] * f[k]);
    }
}

/* Fills the whitening and the stiffness of bodies. */
static void begin(const dry_linkage *l, double time)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        const dry_articulated_body *body = &l->body[b];
        dry_vibrating_body *v = &l->vibrating[b];
        *v = (dry_vibrating_body){.inv_sqrt_mass = sqrt(body->inverse_mass)};
        const double inverse[3] = {body->inverse_inertia.x, body->inverse_inertia.y, body->inverse_inertia.z};
        for (int k = 0; k < 3 && body->moves; k++) {
            const double root = sqrt(inverse[k]);
            v->axes[k] =
                rotation_apply(body->end.orientation,
                               (dry_double3){k == 0 ? root : 0.0, k == 1 ? root : 0.0, k == 2 ? root : 0.0});
        }
    }
    for (int j = 0; j < l->joints; j++)
        if (l->joint[j].joint >= 0)
            add_stiffness(l, &l->joint[j], time);
}

/* Replaces a symmetric matrix by its square. */
static void square(double matrix[3][3])
{
    double product[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                product[i][k] += matrix[i][j] * matrix[j][k];
    memcpy(matrix, product, sizeof product);
}

/* Returns a bound of the vibration of a body by itself, by all of its joints: the largest absolute eigenvalue
 * of its stiffness, and up to a part in 14 more. The sum of the squares of K^8 is that of its eigenvalues to
 * the 16th power. */
static double bound_of(const dry_vibrating_body *v)
{
    double power[3][3], sum = 0.0;
    memcpy(power, v->stiffness, sizeof power);
    for (int i = 0; i < 3; i++)
        square(power);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            sum += power[i][k] * power[i][k];
    return sqrt(sqrt(sqrt(sqrt(sum))));
}

/* Returns the speed of a row by the whitened velocities `next`. */
static double speed_of(const dry_linkage *l, const dry_articulated_joint *joint,
                       const dry_articulated_row *row)
{
    double speed = 0.0;
    for (int side = 0; side < 2; side++) {
        const dry_vibrating_body *v = &l->vibrating[joint->body[side]];
        const double *u = v->next;
        const double linear = row->linear.x * u[0] + row->linear.y * u[1] + row->linear.z * u[2];
        double angular = 0.0;
        for (int k = 0; k < 3; k++)
            angular += double3_dot(row->angular[side], v->axes[k]) * u[3 + k];
        speed += (side ? 1.0 : -1.0) * (v->inv_sqrt_mass * linear + angular);
    }
    return speed;
}

/* Takes from `next` what joints do not allow. Springs allow all. */
static void project(const dry_linkage *l)
{
    for (int j = 0; j < l->joints; j++) {
        const int first = l->joint[j].row - l->articulation->row_begin;
        for (int i = first; i < first + l->joint[j].rows; i++)
            l->impulses[i] =
                i < first + dry_linkage_locked(&l->joint[j]) ? -speed_of(l, &l->joint[j], &l->row[i]) : 0.0;
    }
    dry_factor_solve(&l->factor->factor, l->impulses, l->jobs);
    dry_linkage_sum_impulses(l);
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        const dry_articulated_body *body = &l->body[b];
        if (!body->moves)
            continue;
        dry_vibrating_body *v = &l->vibrating[b];
        v->next[0] += v->inv_sqrt_mass * body->impulse.x;
        v->next[1] += v->inv_sqrt_mass * body->impulse.y;
        v->next[2] += v->inv_sqrt_mass * body->impulse.z;
        for (int k = 0; k < 3; k++)
            v->next[3 + k] += double3_dot(v->axes[k], body->angular_impulse);
    }
}

/* Replaces `next` by K times `now`. */
static void multiply(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_vibrating_body *v = &l->vibrating[b];
        for (int i = 0; i < 3; i++) {
            v->next[i] = 0.0;
            v->next[3 + i] = 0.0;
            for (int k = 0; k < 3; k++)
                v->next[3 + i] += v->stiffness[i][k] * v->now[3 + k];
        }
    }
}

/* Writes a vector in which each body turns another way to `now`: no mode is at right angles to it. */
static void scatter(const dry_linkage *l)
{
    uint32_t random = 1;
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        for (int k = 0; k < 6; k++) {
            random = random * 1664525u + 1013904223u;
            l->vibrating[b].now[k] = (double)(random >> 8) / (double)(1 << 23) - 1.0;
        }
}

/* Returns the number of eigenvalues of a tridiagonal matrix above x: Sturm's. */
static int count_above(const double *diagonal, const double *beside, int n, double x)
{
    int count = 0;
    double d = 1.0;
    for (int i = 0; i < n; i++) {
        d = diagonal[i] - x - (i > 0 ? beside[i - 1] * beside[i - 1] / d : 0.0);
        if (d == 0.0)
            d = DBL_MIN;
        count += d > 0.0;
    }
    return count;
}

static double largest_of(const double *diagonal, const double *beside, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(diagonal[i]) + (i > 0 ? beside[i - 1] : 0.0) + (i < n - 1 ? beside[i] : 0.0));
    double low = 0.0, high = most;
    for (int i = 0; i < 30; i++) {
        const double x = 0.5 * (low + high);
        if (count_above(diagonal, beside, n, x) > 0 || count_above(diagonal, beside, n, -x) < n)
            low = x;
        else
            high = x;
    }
    return high;
}

/* Returns the sum of the products of `next` with `now`, or with itself. */
static double product(const dry_linkage *l, bool with_now)
{
    double sum = 0.0;
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        const dry_vibrating_body *v = &l->vibrating[b];
        for (int k = 0; k < 6; k++)
            sum += v->next[k] * (with_now ? v->now[k] : v->next[k]);
    }
    return sum;
}

/* Lets `next` of this length become `now`, a unit vector. */
static void advance(const dry_linkage *l, double length)
{
    DRY_ASSERT(length > 0.0 && length < INFINITY);
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_vibrating_body *v = &l->vibrating[b];
        for (int k = 0; k < 6; k++) {
            v->last[k] = v->now[k];
            v->now[k] = v->next[k] / length;
        }
    }
}

/* Takes from `next` what it has of the two vectors before. */
static void take_away(const dry_linkage *l, double of_now, double of_last)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_vibrating_body *v = &l->vibrating[b];
        for (int k = 0; k < 6; k++)
            v->next[k] -= of_now * v->now[k] + of_last * v->last[k];
    }
}

/* Vectors of the method. With 8 the frequency is within 1.5 % of that with 40, for chains of 10 to 1,000
 * links; with 4 within 6 %. */
enum { VECTORS = 8 };

/* A mode's part of the first vector, whose values are between -1 and 1, is taken to be at least this. */
#define LEAST_PART 1e-3

/* Tells whether no eigenvalue is above `followed`. With A = P K P, a mode of eigenvalue w has w^n times its
 * part of the first vector s in A^n s. The length of that follows from `first`, the length of P K s, and from
 * the tridiagonal matrix, of which n columns are known. */
static bool is_followed(const double *diagonal, const double *beside, int n, double first, double followed)
{
    double power[VECTORS + 1] = {first / followed}, length = 0.0;
    DRY_ASSERT(n < VECTORS && followed > 0.0);
    for (int m = 0; m < n; m++) {
        double next[VECTORS + 1] = {0};
        for (int i = 0; i <= m; i++) {
            next[i] += diagonal[i] / followed * power[i];
            next[i + 1] += beside[i] / followed * power[i];
            if (i > 0)
                next[i - 1] += beside[i - 1] / followed * power[i];
        }
        memcpy(power, next, sizeof power);
    }
    for (int i = 0; i <= n; i++)
        length += power[i] * power[i];
    return length <= LEAST_PART * LEAST_PART;
}

/* Between `followed` and `sure` the search ends where a vector raises the eigenvalue by less than this. */
#define ENOUGH 1.21

/* Returns the largest absolute eigenvalue of P K P; any lower value if it is not above `followed`, and one
 * that the search has nearly found if it is not above `sure`. */
static double find_fastest(const dry_linkage *l, double followed, double sure)
{
    scatter(l);
    multiply(l);
    project(l);
    double diagonal[VECTORS], beside[VECTORS], largest = 0.0, first = 0.0, found = 0.0;
    int n = 0;
    for (; n < VECTORS; n++) {
        const double length = sqrt(product(l, false));
        largest = fmax(largest, length);
        if (!(length > DRY_DOUBLE_ROUNDING * largest) || !(length < INFINITY))
            break;
        if (n > 0)
            beside[n - 1] = length;
        else
            first = length;
        if (is_followed(diagonal, beside, n, first, followed))
            break;
        const double before = found;
        found = largest_of(diagonal, beside, n);
        if (n > 1 && found <= ENOUGH * before && is_followed(diagonal, beside, n, first, sure))
            break;
        advance(l, length);
        multiply(l);
        project(l);
        diagonal[n] = product(l, true);
        take_away(l, diagonal[n], n > 0 ? length : 0.0);
    }
    return largest_of(diagonal, beside, n);
}

double dry_linkage_last_vibration(const dry_linkage *l)
{
    float largest = 0.0f;
    for (int j = 0; j < l->joints; j++)
        if (l->joint[j].joint >= 0)
            largest = dry_max(largest, l->step->joints->direct[l->joint[j].joint].vibration);
    return (double)largest;
}

double dry_linkage_vibration(const dry_linkage *l, double time, double followed, double sure)
{
    double bound = 0.0;
    begin(l, time);
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        bound = fmax(bound, bound_of(&l->vibrating[b]));
    if (!(bound > followed) || !(bound < FLT_MAX))
        return fmin(bound, FLT_MAX);
    dry_springs_factor(l, DRY_SPRINGS_REST);
    return fmin(bound, find_fastest(l, followed, sure));
}
