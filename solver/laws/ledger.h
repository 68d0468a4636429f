/* The energy and the momentum of islands: one account, and one repair (ledger.c). */
#ifndef SOLVER_LAWS_LEDGER_H
#define SOLVER_LAWS_LEDGER_H

#include "core/inertia.h"
#include "core/memory.h"
#include "core/shared.h"
#include "solver/bodies/whitening.h"
#include "solver/constraint/joints/error.h"

struct dry_island;
struct dry_solver_state;
struct dry_solver_step;

/* Bodies that move as one rigid body, by their momenta. */
typedef struct dry_rigid_motion {
    dry_position origin; /* of lengths, near the bodies */
    double mass;
    dry_double3 center;
    dry_double3 velocity; /* of the center of mass; the linear momentum until that is divided, N s */
    dry_double3 kept;     /* likewise, the one that bodies get */
    dry_double3 angular;  /* angular momentum about the center of mass, N m s */
    dry_inertia inertia;  /* about the center of mass */
    dry_double3 rotation; /* what every body's rotation gets, rad/s */
    double share;         /* of its relative motion that a body keeps */
} dry_rigid_motion;

typedef struct dry_island_ledger {
    dry_rigid_motion rigid; /* from the position of its first body */
    dry_double3 error;      /* excess of angular momentum about the origin, later about the center, N m s */
    double energy;          /* kinetic of rows, twice, J */
    double own;             /* likewise of the bodies, which count as heavier under loads: heavier.c */
    double lift;            /* that lifts each body by its radius, J */
    double begun;           /* that of the begin, with the work of forces, J */
    double tension;         /* that springs had at the begin, J */
    double springs;         /* by how much that has grown, J */
    double work;            /* that springs and motors did, where a method sums it, J */
    double lent;            /* that open joints may hold and give back, where a method says it, J */
    double account;         /* J */
    double substeps;
    int32_t joints;
    bool relaxed;  /* its rows are made in each substep, and relaxed: closing joints leaves no speed */
    bool floating; /* it keeps its momentum */
    bool counts;   /* it has an account */
    bool far;      /* some joint of it turns by DRY_LINKAGE_FAR in the step, or is direct */
    bool fast;     /* some body turns by DRY_FAST_ROTATION in the step */
    bool gives;    /* sweeps of its method may give it energy, whatever turns */
    bool exact;    /* joints keep both momenta to rounding at any speed, and take no energy while it floats */
    bool loses;    /* some body goes into quarantine, and momentum with it */
} dry_island_ledger;

/* A member of a dry_method that tells whether an island has an account: the work of all that drives it is
 * known. A spring by itself is solved exactly, at the middle of each substep [Spook 8-11], where its energy
 * is another. */
DRY_SHARED bool dry_ledger_has_account(const struct dry_solver_step *step, const struct dry_island *island);
/* Returns the record of an island, or of that of an active joint, if it has an account; else null. */
DRY_SHARED dry_island_ledger *dry_ledger_account_in(const struct dry_solver_step *step, int island);
DRY_SHARED dry_island_ledger *dry_ledger_account(const struct dry_solver_step *step, int joint);
/* Finds the islands that keep momentum or have an account, and makes room for their sums. False if memory
 * fails. */
bool dry_ledger_reserve(struct dry_solver_step *step, dry_memory *memory);
/* Adds the work that springs and motors do on a row's island in a substep, J. */
DRY_SHARED void dry_ledger_add_work(const struct dry_solver_step *step, int row, double work);
/* Takes back what islands have gained: momentum that no force gave, and energy beyond their accounts. */
void dry_ledger_close(struct dry_solver_step *step);

/* Joints in sweeps that a step let open are held where it ends (hold.c). */

/* The state of a joint while its step ends. */
typedef struct dry_joint_hold {
    dry_joint_error begin;   /* how far it was open when the step began; of figures with an open joint */
    dry_joint_error allowed; /* how far it may end, if so */
    float gap_end, turn_end; /* the squares where it ends, if the kernels that make rows have told them */
    int32_t seen; /* it was closed when so many joints of its figure had moved their bodies; -1: it is open */
    int32_t row[2]; /* of its bodies, if they are of an island; else -1 */
    int32_t figure; /* joints that hang together are one: a row of it; -1: the joint cannot be held */
    int32_t next;   /* joint of the figure; -1: none */
    bool told;      /* gap_end and turn_end are */
} dry_joint_hold;

/* Makes room for all active joints and awake rows. False if memory fails. */
bool dry_joints_hold_reserve(struct dry_solver_step *step, dry_memory *memory);
/* Moves bodies so that joints in sweeps, and their stops, are open by little. Changes no velocity. */
void dry_joints_hold(struct dry_solver_step *step);

/* Returns the share of its motion that a row keeps at a step's end, in which gravity gives `fall` m/s and
 * forces `forced` (statics.c). Where static bodies squeeze a body and one lets go, kept impulses would shoot
 * it out. So one that touches static bodies alone gets the energy that it had, or that of the speed at which
 * overlaps separate. */
float dry_statics_share(const struct dry_solver_step *step, int row, const dry_body_velocity *end,
                        dry_quat orientation, float fall, float forced);

/* Motion of one body with the others (rigid_motion.c). */

/* Returns the place of a body relative to the origin, m, as the step began and where its row is now. */
dry_double3 dry_rigid_begin(const struct dry_solver_step *step, int row, const dry_rigid_motion *m);
dry_double3 dry_rigid_place(const struct dry_solver_step *step, int row, const dry_rigid_motion *m);
/* Returns the whitened angular velocity of one in the world, and the angular momentum in the world of a
 * whitened one. */
dry_double3 dry_rigid_whiten(const dry_whitening *w, dry_double3 angular);
dry_double3 dry_rigid_momentum(const dry_whitening *w, dry_double3 whitened);
/* Adds a body's mass and momentum. */
DRY_SHARED void dry_rigid_add_mass(const struct dry_solver_step *step, int row, dry_rigid_motion *m);
/* Divides momenta by the mass. */
DRY_SHARED void dry_rigid_divide(dry_rigid_motion *m);
/* Adds a body's inertia and angular momentum about the center of mass. */
DRY_SHARED void dry_rigid_add_inertia(const struct dry_solver_step *step, int row, dry_rigid_motion *m);
/* Gives a body its share of its velocity and of the center's, the change of that, and the rotation. */
DRY_SHARED void dry_rigid_move(const struct dry_solver_step *step, int row, const dry_rigid_motion *m);
/* Scales all of the motion of a body. */
DRY_SHARED void dry_rigid_scale(const struct dry_solver_step *step, int row, double share);

#endif
