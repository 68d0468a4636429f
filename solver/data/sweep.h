/* Sweeps over constraint bundles: their parameters, which all kernels of contacts and joints read, and their
 * purposes. */
#ifndef SOLVER_DATA_SWEEP_H
#define SOLVER_DATA_SWEEP_H

#include "solver/data/solver_row.h"

#include <drystone/world.h>
#include <stdbool.h>
#include <stdint.h>

struct dry_row_frame;
struct dry_contact_cold;
struct dry_contact_compliance;
struct dry_contact_impact;
struct dry_contact_header;
struct dry_contact_past;
struct dry_contact_spring;
struct dry_contact_stiction;

/* The most, m/s, at which a sweep closes a joint that is solved for positions; beyond, kernels take a share
 * (sweeps/joints/joint_lanes.h). The error along a turned row counts h w^2 r / 2 of a body that rotates on a
 * lever arm, which is no error: the speed is that of 9600 m/s^2 in substeps of 1/240 s. */
#define DRY_POSITION_SPEED_MAX 20.0f

/* The same for all bundles of one tier. */
typedef struct dry_sweep {
    dry_solver_row *rows;
    dry_solver_row *sums;         /* where summed changes go while `rows` stay as they are */
    struct dry_row_frame *search; /* by body row: records of the line search along joints' impulses */
    const dry_start_row *start;   /* velocities when the substep began; row r has `start[r - 1]` */
    const struct dry_contact_header *headers;        /* which blocks each contact bundle has */
    struct dry_contact_cold *cold;                   /* the cold blocks */
    const struct dry_contact_compliance *compliance; /* by contact bundle */
    struct dry_contact_impact *impact;               /* the blocks of impacts */
    struct dry_contact_stiction *stiction; /* static friction, by cold block; null while no shape has any */
    struct dry_contact_past *past;         /* by contact bundle; null while no impulses fall on */
    const struct dry_contact_spring *springs;  /* likewise; null while no shape has a stiffness */
    const struct dry_contact_turning *turning; /* by contact bundle; null while no contact turns */
    float turned, turned_way; /* lead of velocities over the middle, s; its sum over substeps, s^2 */
    uint32_t *loads; /* bits of the largest load of row r + 1, m/s^2: the step's last sweep raises them; null
                        in all others */
    float time;      /* since the step began, s */
    float acceleration_time; /* from the step's middle to the substep's end, s: rows' accelerations change
                                speeds */
    float rate_free;         /* 1 / h: a gap may close within the substep */
    float rate;              /* a [Spook 9], 1/s */
    float relative_softness; /* eps / S_ii, for stiffness given as a frequency */
    float softness;          /* eps [Spook 11] in 1/kg, for stiffness given as k */
    float approach_scale;    /* 1 - b [Spook 10], for stiffness given as k */
    float bias_speed_max;    /* at which overlaps separate, m/s */
    float relaxation;        /* xi [Waterson 4.73] of sweeps with the position term */
    float joint_speed_max;   /* the same of rigid joints */
    float bounce_speed;      /* approach speed from which on stops bounce, and contacts of turned bundles
                                and of articulations, m/s or rad/s */
    float substep;           /* h, s */
    bool tally;              /* the last sweep of a substep: joints add their impulses to those of the step */
    bool first;              /* turned: joints forget their impulses first */
    bool afresh;             /* turned: contacts forget their impulses first */
    bool backward;           /* the last phase comes first */
    bool shuffled;           /* phases go in the order that `shuffle` draws */
    uint32_t shuffle;
    int32_t prefetch_end;  /* bundles before this one are prefetched, where they exceed the last cache */
    bool prefetch_rows;    /* so are their bodies' rows, except in partitions, where they are near */
    bool spook;            /* contacts: stiffness is given as k */
    bool summed;           /* contacts: changes go to `sums`, and bodies' masses are split */
    bool frictionless;     /* contacts: two-phase friction's first phase, normal rows alone */
    dry_friction friction; /* contacts: the friction model */
} dry_sweep;

/* The purpose of a sweep.
 *   warm     applies the impulses that the bundles hold
 *   solve    one sweep with the position term [Spook 27-32]
 *   relax    one sweep without the position term
 *   carry    leaves out what the substep shall not begin with of the impulses of the one before
 *   exchange two-phase friction: takes back one phase's impulses of contacts, and applies the other's */
typedef enum dry_sweep_kind {
    DRY_SWEEP_WARM,
    DRY_SWEEP_SOLVE,
    DRY_SWEEP_RELAX,
    DRY_SWEEP_CARRY,
    DRY_SWEEP_EXCHANGE,
    DRY_SWEEP_COUNT
} dry_sweep_kind;

/* The destination of a sweep's changes of velocities, and where the bodies are meanwhile.
 *   direct   into the bodies' rows at once, along rows of the step's beginning
 *   summed   into sums that are added to the rows when the sweep is over; each body's mass is split among its
 *            constraints
 *   turned   into the bodies' rows at once, along rows of the bodies as they are moved and turned at the
 *            substep's end */
typedef enum dry_update {
    DRY_UPDATE_DIRECT,
    DRY_UPDATE_SUMMED,
    DRY_UPDATE_TURNED,
    DRY_UPDATE_COUNT
} dry_update;

/* One sweep over bundles [begin, end) of an array of bundles. */
typedef void dry_sweep_kernel(void *bundles, int begin, int end, const dry_sweep *sweep);

#endif
