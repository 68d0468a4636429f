/* The active set method of Lawson and Hanson (1974): impulses never attract, and each change of the set of
 * pressed rows brings them nearer. A row that rounding alone presses, and lets go at once, ends the search:
 * it would be found again and again. */
#include "methods/direct/complementarity.h"

#include "core/assert.h"
#include "solver/data/rounding.h"

#include <math.h>
#include <stdint.h>

/* The share of its own element that is added on the diagonal, so that rows that say the same have a factor.
 */
#define REGULARIZATION 1e-10
/* Changes of the set, at most: some, and some for each row. */
enum { STEPS = 16, STEPS_OF_ROW = 4 };

typedef struct search {
    const dry_complementarity *of;
    int n, pressed;
    const double *gap;
    double *s, *factor, *impulse;
    double wanted[DRY_COMPLEMENTARITY_MAX]; /* impulses that close the gaps of all pressed rows */
    bool is_known[DRY_COMPLEMENTARITY_MAX]; /* the row of S is filled, which is that of a pressed row */
    bool is_pressed[DRY_COMPLEMENTARITY_MAX], is_fixed[DRY_COMPLEMENTARITY_MAX];
    int32_t row[DRY_COMPLEMENTARITY_MAX]; /* the pressed rows */
    double scale;                         /* the largest gap */
} search;

/* Presses a row, unless nothing moves along it. */
static void press(search *p, int row)
{
    double *s = p->s + (int64_t)row * p->n;
    DRY_ASSERT(row >= 0 && row < p->n && !p->is_pressed[row]);
    if (!p->is_known[row])
        p->of->find_row(p->of->context, row, s);
    p->is_known[row] = true;
    p->is_fixed[row] = !(s[row] > 0.0);
    p->is_pressed[row] = !p->is_fixed[row];
}

/* Factors S = L L^T of the pressed rows. */
static bool factor_pressed(search *p)
{
    p->pressed = 0;
    for (int i = 0; i < p->n; i++)
        if (p->is_pressed[i])
            p->row[p->pressed++] = i;
    for (int i = 0; i < p->pressed; i++) {
        const double *s = p->s + (int64_t)p->row[i] * p->n;
        double *to = p->factor + (int64_t)i * p->n;
        for (int j = 0; j <= i; j++) {
            const double *other = p->factor + (int64_t)j * p->n;
            double sum = s[p->row[j]] + (i == j ? REGULARIZATION * s[p->row[i]] : 0.0);
            for (int k = 0; k < j; k++)
                sum -= to[k] * other[k];
            if (i == j && !(sum > 0.0))
                return false;
            to[j] = i == j ? sqrt(sum) : sum / other[j];
        }
    }
    return true;
}

/* Finds the impulses that close the gaps of the pressed rows. */
static bool solve_pressed(search *p)
{
    if (!factor_pressed(p))
        return false;
    double x[DRY_COMPLEMENTARITY_MAX];
    for (int i = 0; i < p->pressed; i++) {
        const double *l = p->factor + (int64_t)i * p->n;
        x[i] = -p->gap[p->row[i]];
        for (int k = 0; k < i; k++)
            x[i] -= l[k] * x[k];
        x[i] /= l[i];
    }
    for (int i = p->pressed - 1; i >= 0; i--) {
        for (int k = i + 1; k < p->pressed; k++)
            x[i] -= p->factor[(int64_t)k * p->n + i] * x[k];
        x[i] /= p->factor[(int64_t)i * p->n + i];
    }
    /* Rows that contradict each other would move by the largest gap over REGULARIZATION. Impulses beyond the
     * geometric mean of that and the gap are no solution. */
    bool bounded = true;
    for (int i = 0; i < p->pressed; i++) {
        const int row = p->row[i];
        p->wanted[row] = x[i];
        const double moves = x[i] * p->s[(int64_t)row * p->n + row];
        bounded = bounded && REGULARIZATION * moves * moves <= p->scale * p->scale;
    }
    return bounded;
}

/* Takes the impulses as far as none attracts to those that are wanted. The row that ends there is pressed no
 * longer, and returned; -1: all could go the whole way. */
static int go(search *p)
{
    double share = 1.0;
    int first = -1;
    for (int i = 0; i < p->pressed; i++) {
        const double from = p->impulse[p->row[i]], to = p->wanted[p->row[i]];
        if (!(to > 0.0) && !(from >= share * (from - to))) {
            share = from / (from - to);
            first = p->row[i];
        }
    }
    DRY_ASSERT(!(share < 0.0 || share > 1.0));
    for (int i = 0; i < p->pressed; i++) {
        double *impulse = &p->impulse[p->row[i]];
        *impulse = fmax(*impulse + share * (p->wanted[p->row[i]] - *impulse), 0.0);
    }
    if (first >= 0) {
        p->impulse[first] = 0.0;
        p->is_pressed[first] = false;
    }
    return first;
}

/* Returns the row that is passed the furthest; -1: none is. */
static int find_passed(const search *p)
{
    double worst = -DRY_DOUBLE_ROUNDING * p->scale;
    int passed = -1;
    for (int i = 0; i < p->n; i++) {
        if (p->is_pressed[i] || p->is_fixed[i])
            continue;
        double opens = p->gap[i];
        for (int k = 0; k < p->pressed; k++)
            opens += p->s[(int64_t)p->row[k] * p->n + i] * p->impulse[p->row[k]];
        if (opens < worst) {
            worst = opens;
            passed = i;
        }
    }
    return passed;
}

bool dry_complementarity_solve(const dry_complementarity *problem, bool held, double *impulse)
{
    const int n = problem->n;
    search p = {.of = problem, .n = n, .gap = problem->gap, .s = problem->room, .impulse = impulse};
    p.factor = p.s + (int64_t)n * n;
    DRY_ASSERT(n <= DRY_COMPLEMENTARITY_MAX);
    for (int i = 0; i < n; i++)
        p.scale = fmax(p.scale, fabs(p.gap[i]));
    for (int i = 0; i < n; i++) /* a loop of its own: gcc 12 for Arm fails on both in one */
        impulse[i] = 0.0;
    for (int i = 0; i < n && held; i++)
        press(&p, i);
    int last = -1; /* the row that is pressed since the last step */
    for (int step = 0; step < STEPS_OF_ROW * n + STEPS; step++) {
        if (!solve_pressed(&p))
            return false;
        if (held)
            break;
        const int gone = go(&p);
        if (gone >= 0 && gone == last)
            return false;
        last = gone >= 0 ? -1 : find_passed(&p);
        if (gone < 0 && last < 0)
            return true;
        if (last >= 0)
            press(&p, last);
    }
    for (int i = 0; i < n && held; i++)
        impulse[i] = p.wanted[i];
    return held;
}
