/* Contacts of articulations: the rules of rows.h for one lane in double, by the motion of its rows. Reads and
 * writes a contact bundle's impulses.
 *
 * Surfaces that meet within a substep bounce in its sweeps, by Newton's law along the normal [Spook 1-7]:
 * the rounds of solver/sweeps/impacts.c know nothing of joints. */
#define DRY_LANES 1
#define DRY_LANE_DOUBLE
#include "solver/sweeps/contacts/kind.h"

#include "solver/data/context.h"
#include "solver/data/joints/triangle.h"
#include "solver/sweeps/contacts/coupled_motion.h"
#include "solver/sweeps/contacts/load.h"
#include "solver/sweeps/contacts/rows.h"

/* Joints have the rows of the substep. Lever arms of the step's beginning would let bodies that turn as one
 * seem to meet, where no impulse keeps them apart: both lead to one point wherever the centers are now. */
void dry_contact_couple(const dry_solver_step *step, int bundle, int at, dry_coupled_rows *rows)
{
    dry_contact_bundle *c = &dry_contact_bundles(step->state)[bundle];
    const dry_solver_row *a = &step->state->bodies.rows[c->row_a[at]];
    const dry_solver_row *b = &step->state->bodies.rows[c->row_b[at]];
    const double root[2] = {(double)a->inv_sqrt_mass, (double)b->inv_sqrt_mass};
    const lane_vec3 moved = {root[1] * (double)b->d[0] - root[0] * (double)a->d[0],
                             root[1] * (double)b->d[1] - root[0] * (double)a->d[1],
                             root[1] * (double)b->d[2] - root[0] * (double)a->d[2]};
    const contact_frame frame = contact_frame_of_normal(field_load3(c->normal, at));
    const lane_vec3 shift = contact_frame_from_world(&frame, moved);
    dry_contact_find_rows(c, at, root, (double[3]){shift.x, shift.y, shift.z}, rows);
}

/* Newton's steps for sliding friction. Its equation is nearly linear: 6 leave less than 1e-6 of the limit in
 * 998 of 1,000 generated cases (eigenvalues of K up to 1:1e7), and 6 % at most. */
enum { SLIDING_STEPS = 6 };

/* Clamps an impulse f, which would stop the motion along two rows, to Coulomb's cone. Outside the cone the
 * patch slides. Friction has the size of its limit then, and opposes the sliding that it leaves: mu f = -v',
 * v' = v + K (f - old). So (K + mu) f = K old - v, for the mu that gives f this size: no friction takes more
 * energy. Joints may leave one direction a thousand times the mobility of the other. Friction against v, as
 * in sweep_kernels.h, would throw the body along the first one. */
LANE_INLINE contact_tangents friction_in_cone(contact_inverse block, contact_tangents f, contact_tangents v,
                                              contact_tangents old, lane limit, int at)
{
    (void)at;
    if (f.x * f.x + f.y * f.y <= limit * limit)
        return f;
    if (!(limit > 0.0))
        return (contact_tangents){0.0, 0.0};
    const double xx = block->k[0], xy = block->k[1], yy = block->k[2];
    const contact_tangents r = {xx * old.x + xy * old.y - v.x, xy * old.x + yy * old.y - v.y};
    const double trace = xx + yy, size = sqrt(r.x * r.x + r.y * r.y);
    if (!(size > 0.0)) /* nothing moves, and nothing is to */
        return friction_shortened(f, limit);
    /* |f| is at least |r| / (trace K + mu): the root lies above this mu, from which Newton's method rises. */
    const double least = DRY_LEAST_MOBILITY * trace;
    double mu = fmax(size / limit - trace, least);
    for (int i = 0; i < SLIDING_STEPS; i++) {
        const double a = xx + mu, c = yy + mu;
        const double inverse = 1.0 / fmax(a * c - xy * xy, least * least);
        f = (contact_tangents){inverse * (c * r.x - xy * r.y), inverse * (a * r.y - xy * r.x)};
        const double square = f.x * f.x + f.y * f.y;
        const double bend = inverse * (c * f.x * f.x - 2.0 * xy * f.x * f.y + a * f.y * f.y);
        if (!(bend > 0.0) || !(square > limit * limit))
            break;
        mu += (sqrt(square) / limit - 1.0) * square / bend;
    }
    return friction_shortened(f, limit);
}

/* Lets surfaces bounce that meet within the substep: their row asks for the speed -e u. */
static void bounce(contact_row *row, const contact_point *p, dry_contact_impact *impact, const dry_sweep *s,
                   contact_mode mode, double mass, int i, int at)
{
    if (!impact)
        return;
    float *back = &impact->speed[i][at];
    if (mode.position) {
        const bool meet = p->start < -(double)s->bounce_speed && p->q + p->start * (double)s->substep < 0.0;
        *back = meet ? -(float)dry_contact_rebound(impact, at, p->start) : 0.0f;
    }
    if (!(*back < 0.0f))
        return;
    row->softness = row->inverse_softness = 1.0;
    row->residual = mass * friction_relaxed(p->v + (double)*back, s, mode);
}

/* Bounds the impulse that parts two bodies of one articulation by the one that would part them by themselves:
 * where joints leave a hundredth of the motion, its whole speed would throw what turns about them. */
static void bound_push(contact_row *row, const contact_point *p, const dry_sweep *s, contact_mode mode,
                       double mass, double apart)
{
    if (mode.position && mass * apart > 1.0 + DRY_FLOAT_ROUNDING)
        row->residual =
            fmax(row->residual, friction_relaxed(mass * p->v - (double)s->bias_speed_max / apart, s, mode));
}

LANE_INLINE void contact_solve_pairs(dry_contact_bundle *c, dry_contact_cold *cold, const dry_sweep *s,
                                     contact_pair *m, const contact_softness *soft, contact_mode mode,
                                     contact_lanes lanes, int at)
{
    dry_coupled_motion *rows = m->rows;
    for (int k = 0; k < POINTS; k += 2) {
        const double *mass = &m->mass[k];
        const bool both = mass[0] > 0.0 && mass[1] > 0.0;
        const double coupling = both ? (double)DRY_PAIR_COUPLING * rows->block[k][k + 1] : 0.0;
        contact_row row[2];
        for (int i = 0; i < 2; i++) {
            const double q = (double)c->separation[k + i][at] + rows->moved[k + i];
            const contact_point point = contact_with_kinematic(
                (contact_point){rows->speed[k + i], rows->begin[k + i], q}, cold, s, mode, k + i, at);
            row[i] = contact_row_of(c, s, point, mass[i], coupling, soft, mode, k + i, at);
            bound_push(&row[i], &point, s, mode, mass[i], rows->apart[k + i]);
            bounce(&row[i], &point, soft->impact, s, mode, mass[i], k + i, at);
        }
        double total[2];
        contact_solve_pair(row, soft, lanes, total);
        for (int i = 0; i < 2; i++) {
            c->impulse[k + i][at] = mass[i] > 0.0 ? (float)total[i] : 0.0f;
            dry_coupled_push(rows, k + i, (double)c->impulse[k + i][at] - row[i].old);
        }
    }
}

/* Applies the impulses that the bundle holds, or exchanges them for those of friction's other phase. */
static void apply_held(dry_contact_bundle *c, dry_contact_cold *cold, int at, dry_sweep_kind kind,
                       dry_coupled_motion *m)
{
    float *now[ROWS], *other[ROWS];
    contact_find_impulses(c, cold, at, now, other);
    for (int i = 0; i < ROWS && now[i]; i++)
        m->change[i] += contact_held_impulse(now[i], other[i], kind == DRY_SWEEP_EXCHANGE);
}

void dry_contact_visit(const dry_solver_step *step, int bundle, int at, const dry_sweep *sweep,
                       dry_sweep_kind kind, dry_coupled_motion *motion)
{
    dry_contact_bundle *c = &dry_contact_bundles(step->state)[bundle];
    const dry_contact_header *header = &sweep->headers[bundle];
    dry_contact_cold *cold = &sweep->cold[header->cold];
    if (kind == DRY_SWEEP_WARM || kind == DRY_SWEEP_EXCHANGE) {
        apply_held(c, cold, at, kind, motion);
        return;
    }
    const contact_mode mode = {
        .flags = contact_flags_of(header, cold),
        .position = kind == DRY_SWEEP_SOLVE,
        .relaxed = kind == DRY_SWEEP_SOLVE,
        .spook = sweep->spook,
        .springs = sweep->springs,
        .frictionless = sweep->frictionless,
        .friction = sweep->friction,
    };
    contact_pair m = contact_pair_of(motion, c, at);
    const contact_softness soft = contact_softness_of(header, cold, sweep, mode, at);
    for (int i = 0; i < DRY_COUPLED_PASSES; i++)
        contact_solve_rows(c, cold, sweep, &m, &soft, mode, at);
    if (sweep->loads)
        contact_note_loads(c, sweep, m.mass, at);
}

void dry_contact_scale(const dry_solver_step *step, int bundle, int at, float by)
{
    dry_contact_bundle *c = &dry_contact_bundles(step->state)[bundle];
    float *now[ROWS], *other[ROWS];
    contact_find_impulses(c, &step->state->sweeps.cold[step->state->sweeps.headers[bundle].cold], at, now,
                          other);
    for (int i = 0; i < ROWS && now[i]; i++)
        *now[i] *= by;
}
