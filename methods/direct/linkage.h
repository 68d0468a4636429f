/* One articulation at work: its bodies' motion, its rows, the factor of A = G M^-1 G^T [Tomcin 3], and
 * impulses. */
#ifndef METHODS_DIRECT_LINKAGE_H
#define METHODS_DIRECT_LINKAGE_H

#include "methods/direct/articulations.h"

/* No row's speed or error is solved for beyond this, in m, rad and s. Bodies beyond all bounds go into
 * quarantine when the step ends; their neighbors must not see them. */
#define DRY_SPEED_SOLVED_MAX 1e9

/* The share of eps_T in a fine factor. */
#define DRY_FINE 1e-4

/* An articulation in a step, in substeps of length h. */
typedef struct dry_linkage {
    struct dry_solver_step *step;
    dry_articulation *articulation;
    dry_articulated_body *body;     /* all bodies; those of a joint by their index */
    dry_articulated_joint *joint;   /* its own */
    dry_articulated_row *row;       /* its own */
    dry_articulated_swings *swings; /* its own */
    dry_articulated_spring *spring; /* all springs; those of a joint by their index */
    uint64_t *hash;                 /* of its joints */
    /* Values of each row: */
    double *x, *impulses;          /* right-hand sides, and the impulses that they lead to */
    double *offset;                /* the part of the error that no motion can take away, m or rad */
    double *acceleration;          /* of bodies that move on freely */
    double *carried;               /* impulses of a substep, where sweeps share the bodies, N s or N m s */
    dry_vibrating_body *vibrating; /* by body */
    dry_articulation_factor *factor;
    dry_jobs *jobs;      /* whose workers share its tasks; null: the calling thread alone works on it */
    double *stop_matrix; /* room of the present worker for its stops */
    int index;           /* of the articulation in the list */
    int joints, rows, springs;
    double h;
} dry_linkage;

/* Adds the impulses of a substep to those of the step, and lets the next one begin without impulses. */
static inline void dry_linkage_end_substep(dry_articulated_joint *joint)
{
    joint->earlier_impulse = double3_add_scaled(joint->earlier_impulse, 1.0, joint->impulse);
    joint->earlier_moment = double3_add_scaled(joint->earlier_moment, 1.0, joint->moment);
    joint->impulse = joint->moment = (dry_double3){0};
}

/* Returns the articulation with this number. */
dry_linkage dry_linkage_of(struct dry_solver_step *step, int articulation, double h);

/* Fills masses, and motions when the step begins. */
void dry_linkage_begin(const dry_linkage *l);
/* Moves bodies from where the substep began by `moved` and `turned`: finalize takes articulated bodies from
 * there. */
void dry_linkage_move(const dry_linkage *l);
/* Moves a body on from where it ends. A correction of poses has no velocity: added to a rotation of a radian,
 * it would turn the body about another axis than its rows say. */
void dry_articulated_shift(dry_articulated_body *body, dry_double3 moved, dry_double3 turned);
/* Lets the next substep begin where this one ended. */
void dry_linkage_advance(const dry_linkage *l);

/* Fills the rows where the substep begins, or where it ends. Impulses meet the inertia that bodies have
 * there; in sweeps that of the step's begin, wherever the frames are: solver's rows are whitened by it. */
typedef enum dry_linkage_place { DRY_AT_BEGIN, DRY_AT_END, DRY_IN_SWEEPS } dry_linkage_place;
void dry_linkage_find_rows(const dry_linkage *l, dry_linkage_place place);
/* Returns the first row of a joint. */
static inline dry_articulated_row *dry_linkage_rows_of(const dry_linkage *l,
                                                       const dry_articulated_joint *joint)
{
    return &l->row[joint->row - l->articulation->row_begin];
}
static inline dry_articulated_swings *dry_linkage_swings_of(const dry_linkage *l,
                                                            const dry_articulated_joint *joint)
{
    return &l->swings[joint->row - l->articulation->row_begin];
}
/* Gives bodies their own inverse masses again. */
void dry_linkage_take_masses(const dry_linkage *l);
/* Gives bodies their own inertia again; or if `spread`, as much more as their mass has where their joints
 * are. A correction of poses alone may have any. A body of 0.1 m that a joint holds 100 m away would turn its
 * way along the arm: by so much that rows say nothing of where it ends. */
void dry_linkage_take_inertia(const dry_linkage *l, bool spread);
/* Gives bodies the inverse masses and inertias by which the solver's rows are whitened, and which are rounded
 * to float. Beside a heavy load that rounding is more than what joints leave of a light body's mobility. */
void dry_linkage_take_whitening(const dry_linkage *l);
/* Fills x with the accelerations of rows, m/s^2 or rad/s^2, by the motion of bodies where they are now.
 * Returns the largest. */
double dry_linkage_find_accelerations(const dry_linkage *l);
/* Returns the energy of the motion that gives the rows the speeds in x, J, and loses x. */
double dry_linkage_energy_asked(const dry_linkage *l);
/* Returns the largest error of the present locked rows. */
double dry_linkage_largest_error(const dry_linkage *l);
/* Sets the rows' offsets to the part of their errors, of which this is the largest, that stays open for a
 * step of `time` seconds: joints that their user opened close no faster than overlaps part. Returns whether
 * some does. */
bool dry_linkage_find_offsets(const dry_linkage *l, double largest, double time);
/* Returns the larger of two numbers, and once one is no number, that: a search must see it. */
static inline double dry_larger(double a, double b)
{
    return b > a || b != b ? b : a;
}
/* Fills x with the errors where the substep ends, less their offsets, and of springs with what is left of
 * their equation. Returns the largest. */
double dry_linkage_find_errors(const dry_linkage *l);
/* Assembles and factors A of the rows, unless the factor is theirs already: where a step begins, it mostly is
 * the one of the last step's end. */
void dry_linkage_factor(const dry_linkage *l);
/* The same, with the first half of a solution for x. dry_linkage_solve_on goes on with it, as
 * dry_linkage_solve_again. */
void dry_linkage_factor_forward(const dry_linkage *l);
bool dry_linkage_solve_on(const dry_linkage *l);

/* Solves (A + Sigma) p = x for the rows' impulses, and sums those of each body. */
void dry_linkage_solve(const dry_linkage *l);
/* The same, for a search that solves again for what is left: without redundant rows a shorter way leaves
 * alpha p, and the sums to the caller. Returns whether the bodies have them. */
bool dry_linkage_solve_again(const dry_linkage *l);
/* Sums, for each body, the impulses of the rows. */
void dry_linkage_sum_impulses(const dry_linkage *l);
/* Returns the largest part of x that no impulses give to the rows: at the least sum of squares all of it is.
 */
double dry_linkage_find_unsolvable(const dry_linkage *l);
/* Returns the number of a joint's locked rows, which come before those of its springs. */
static inline int dry_linkage_locked(const dry_articulated_joint *joint)
{
    return joint->rows - joint->springs;
}
/* Adds those impulses to what the joints gave in the step. */
void dry_linkage_count_impulses(const dry_linkage *l);

/* Moves an articulation that nothing else acts on by a step, in `substeps` or more. Returns the substeps that
 * it took; 1 if the budget of substeps was not enough. (alone.c) */
int dry_linkage_move_alone(dry_linkage l, int substeps);
/* Closes the joints of an articulation after the sweeps of a step. Sweeps have found the velocities, with
 * contacts and motors: poses alone are corrected [Tomcin 7]. Velocities that were corrected without contacts
 * would move what contacts hold. (swept.c) */
void dry_linkage_correct_swept(const dry_linkage *l);

/* Returns the rate of a row by velocities where the substep begins, or ends. */
double dry_linkage_speed(const dry_linkage *l, const dry_articulated_joint *joint,
                         const dry_articulated_row *row, bool at_end);

/* Returns the energy of a body's rotation, J. */
static inline double dry_articulated_turning_energy(const dry_articulated_body *body,
                                                    const dry_precise_motion *m)
{
    const dry_double3 w = rotation_apply_inverse(m->orientation, m->spin);
    return 0.5 * double3_dot(double3_mul(double3_inverse(body->inverse_inertia), w), w);
}

/* Returns I^-1 v of a body at an orientation. */
static inline dry_double3 dry_articulated_swing(const dry_articulated_body *body, dry_rotation at,
                                                dry_double3 v)
{
    return rotation_scale_principal(at, body->inverse_inertia, v);
}

/* Gives a share of the last solve's impulses to a body's motion, where the substep begins or ends. */
static inline void dry_articulated_push(const dry_articulated_body *body, dry_precise_motion *m, double share)
{
    if (!body->moves)
        return;
    const dry_double3 swing = dry_articulated_swing(body, m->orientation, body->angular_impulse);
    m->velocity = double3_add_scaled(m->velocity, share * body->inverse_mass, body->impulse);
    m->spin = double3_add_scaled(m->spin, share, swing);
}

#endif
