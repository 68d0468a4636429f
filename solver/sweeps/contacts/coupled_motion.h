/* A contact of articulations as the rules of rows.h see it: by the motion of its rows
 * (solver/data/coupled.h). For one lane in double. Included by coupled.c alone. */
#ifndef SOLVER_SWEEPS_CONTACTS_COUPLED_MOTION_H
#define SOLVER_SWEEPS_CONTACTS_COUPLED_MOTION_H

#include "solver/constraint/contacts/frame.h"
#include "solver/data/rounding.h"
#include "solver/data/sweep.h"
#include "solver/sweeps/contacts/lane_rows.h"

/* The 2x2 block of two rows, and its inverse; zeros if there is none. Elements xx, xy, yy. */
typedef struct contact_block {
    double k[3], inverse[3];
} contact_block;

typedef struct contact_pair {
    dry_coupled_motion *rows;
    double mass[POINTS];
    contact_block tangent, rolling;
    const dry_contact_turning *turning; /* none: contacts of articulations do not turn */
} contact_pair;

static contact_block contact_block_at(const dry_coupled_motion *m, int row)
{
    const double xx = m->block[row][row], xy = m->block[row][row + 1], yy = m->block[row + 1][row + 1];
    const double determinant = xx * yy - xy * xy;
    if (!(xx > 0.0) || !(yy > 0.0) || !(determinant > DRY_DOUBLE_ROUNDING * xx * yy)) {
        /* One direction may hardly move, and the other may: each by itself. */
        return (contact_block){{xx, xy, yy}, {dry_coupled_mass(m, row), 0.0, dry_coupled_mass(m, row + 1)}};
    }
    return (contact_block){{xx, xy, yy}, {yy / determinant, -xy / determinant, xx / determinant}};
}

static contact_pair contact_pair_of(dry_coupled_motion *m, const dry_contact_bundle *c, int at)
{
    contact_pair pair = {
        .rows = m, .tangent = contact_block_at(m, TANGENT), .rolling = contact_block_at(m, ROLLING)};
    for (int i = 0; i < POINTS; i++)
        pair.mass[i] = c->inverse_mass[i][at] > 0.0f ? dry_coupled_mass(m, i) : 0.0;
    return pair;
}

typedef const contact_block *contact_inverse;

static double contact_inverse_at(contact_inverse block, int k, int at)
{
    (void)at;
    return block->inverse[k];
}

static contact_inverse contact_tangent_inverse(const contact_pair *m, dry_contact_bundle *c)
{
    (void)c;
    return &m->tangent;
}

static contact_inverse contact_rolling_inverse(const contact_pair *m, dry_contact_cold *cold)
{
    (void)cold;
    return &m->rolling;
}

static lane_vec3 contact_tangent_velocity(const contact_pair *m, int at)
{
    (void)at;
    return (lane_vec3){m->rows->speed[TANGENT], m->rows->speed[TANGENT + 1], 0.0};
}

static lane_vec3 contact_tangent_start(const contact_pair *m, dry_contact_bundle *c, const dry_sweep *s,
                                       int at)
{
    (void)c, (void)s, (void)at;
    return (lane_vec3){m->rows->begin[TANGENT], m->rows->begin[TANGENT + 1], 0.0};
}

/* The row about axis k of the frame. */
static int contact_spin_row(int k)
{
    return k == N ? TORSION : ROLLING + k;
}

static double contact_spin(const contact_pair *m, int k, int at)
{
    (void)at;
    return m->rows->speed[contact_spin_row(k)];
}

static double contact_torsion_mass(const contact_pair *m, bool summed, int at)
{
    (void)summed, (void)at;
    return dry_coupled_mass(m->rows, TORSION);
}

static void contact_apply_friction(contact_pair *m, double p1, double p2, bool summed, int at)
{
    (void)summed, (void)at;
    dry_coupled_push(m->rows, TANGENT, p1);
    dry_coupled_push(m->rows, TANGENT + 1, p2);
}

static void contact_apply_spin(contact_pair *m, int k, double impulse, bool summed, int at)
{
    (void)summed, (void)at;
    dry_coupled_push(m->rows, contact_spin_row(k), impulse);
}

#endif
