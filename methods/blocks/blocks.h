/* Block descent: the bodies of a tier in blocks of one color, the contacts of each, and what descends on
 * them. The method is described in methods/avbd.c.
 *
 * Arrays exist from the first step with the method on until the world goes; a step that another method solves
 * neither grows nor reads them. The penalties that are kept between steps are columns of contacts and joints,
 * which a world has only once the method has needed them. Contact i is lane i % 16 of contact bundle i / 16.
 */
#ifndef METHODS_BLOCKS_BLOCKS_H
#define METHODS_BLOCKS_BLOCKS_H

#include "core/memory.h"
#include "solver/data/bundle.h"
#include "solver/data/sweep.h"
#include "solver/data/tiers.h"

#include <stdatomic.h>

struct dry_solver_state;
struct dry_solver_step;

/* One body's part of a contact: 12 floats that kernels gather together. */
typedef struct dry_block_side {
    float axis[3][3];   /* the frame's axes in the principal frame, whitened */
    float lever_arm[3]; /* from the body's center to the patch's, in the frame, m */
} dry_block_side;

/* A contact as bodies read it: in groups of four floats, which kernels gather lane by lane. What contacts
 * alone read is in their bundles. The impulses are the multipliers of the augmented Lagrangian, times the
 * length of the substep. A mass rho stands for a penalty k: rho = k h^2. */
typedef struct dry_block_contact {
    _Alignas(64) float normal[3]; /* world, from a to b */
    float friction;               /* mu */
    dry_block_side side[2];       /* of a and of b */
    float offset[2][4];           /* points from the patch's center along the tangents, m */
    float bias[4];                /* speed that the substep's error adds to g . u, m/s */
    float impulse[4];             /* along the normal, N s per substep */
    float friction_impulse[2];    /* along the tangents, N s per substep */
    float torsion_impulse;        /* about the normal, N m s per substep */
    float patch_radius;           /* m */
    float penalty[2];             /* rho of each point's normal and of the tangents, kg */
    int32_t row[2];               /* of a and of b; 0: no impulse moves it */
    float kinematic[3];           /* speeds that kinematic bodies add: tangents, torsion, m/s and rad/s */
    float turns;                  /* 1: the patch turns with the bodies; 0: one rolls over it */
    float rolling_impulse[2];     /* about the tangents, N m s per substep */
    float rolling_limit;          /* over the normal impulse, m */
    float rolling_radius;         /* rho of rolling over that of the tangents is its square, m */
    struct {
        float friction; /* mu_s, above mu; 0 of a contact that has mu alone */
        float slides;   /* 1: the patch slides, and has mu; 0: it sticks */
    } stiction;
    float kinematic_rolling[2]; /* rad/s */
} dry_block_contact;
_Static_assert(sizeof(dry_block_contact) == 256, "four cache lines");

/* A row of a joint as blocks read it. A stop's row has the sign with which its gap grows. */
typedef struct dry_block_joint_row {
    _Alignas(64) float g[2][6];         /* of a, with its minus sign [Spook 25], and of b; whitened */
    float bias, impulse, penalty, mass; /* as of a contact; N s or N m s, kg or kg m^2 */
    float low, high, hold, spare;       /* bounds of the impulse; hold 1: the multiplier is kept, 0: a
                                           spring, whose penalty is 1 / eps [Spook 11] */
    float geometric[2][6];              /* of a unit impulse for each body, 1/(kg m): xx xy xz yy yz zz of its
                                           geometric stiffness, whitened [Waterson 7.5] */
    int32_t row[2];                     /* of a and of b; 0: no impulse moves it */
    float error, kinematic, acceleration; /* where the row was made; as in the joint's bundle */
    float rate;                           /* a spring's a [Spook 9], 1/s; of a rigid row 1 if its error
                                             is corrected, else 0 */
    float approach;                       /* a spring's 1 - b [Spook 10] */
    float speed;                          /* that a motor wants, m/s or rad/s */
    float relaxed;                        /* the bias of sweeps that correct no rigid row's position */
    float stop_restitution;
    int32_t stop;         /* 1: `error` is a gap, and the impulse at least 0 */
    int32_t joint, turns; /* the joint's slot; 1: the row has no linear part */
    float *source;        /* the impulse in the bundle */
} dry_block_joint_row;
_Static_assert(sizeof(dry_block_joint_row) == 192, "three cache lines");

/* Up to sixteen bodies of one color. Entry j of lane l is entry[group.entry + 16 j + l]: contact * 2 + side,
 * where side 1 is b. A lane with fewer contacts has the empty contact there. */
typedef struct dry_block_group {
    _Alignas(64) int32_t row[DRY_BUNDLE]; /* 0 in lanes without a body */
    int32_t entry, count;
    int32_t row_entry, row_count; /* likewise of rows of joints */
    int32_t lanes;
    int32_t locks; /* index of its locks; -1: no body of it has locked axes */
} dry_block_group;

/* Locked axes of a group: 1 where one is locked, and the whitened directions of locked rotations. */
typedef struct dry_block_locks {
    _Alignas(64) dry_lanes linear[3], angular[3][3];
} dry_block_locks;

/* The groups of one color, which workers take at once. */
typedef struct dry_block_color {
    int32_t begin, end;
} dry_block_color;

/* The largest penalties, over the masses of their rows, and the share of a penalty that the next step begins
 * with, gamma of the method. */
#define DRY_BLOCK_PENALTY_MOST 1e5f
#define DRY_BLOCK_PENALTY_KEPT 0.99f

typedef struct dry_block_tier {
    int color_begin, color_end;     /* in dry_blocks.color */
    int contact_begin, contact_end; /* in dry_blocks.contact */
    int row_begin, row_end;         /* in dry_blocks.row */
} dry_block_tier;

/* X(type, name): the arrays, each with its capacity. The last contact and the last row are empty. `entry` and
 * `row_entry` are of groups. Row r has the contact * 2 + side in list[first[r]] to list[first[r + 1]], and
 * likewise rows of joints. Awake rows have the velocity `target` that forces alone would give in the substep,
 * and `force`, the change by them. */
#define DRY_BLOCK_ARRAYS(X)                                                                                  \
    X(dry_block_contact, contact)                                                                            \
    X(dry_block_group, group)                                                                                \
    X(dry_block_color, color)                                                                                \
    X(dry_block_locks, locks)                                                                                \
    X(dry_block_joint_row, row)                                                                              \
    X(int32_t, entry)                                                                                        \
    X(int32_t, row_entry)                                                                                    \
    X(int32_t, first)                                                                                        \
    X(int32_t, list)                                                                                         \
    X(int32_t, row_first)                                                                                    \
    X(int32_t, row_list)                                                                                     \
    X(uint8_t, body_color)                                                                                   \
    X(dry_start_row, target)                                                                                 \
    X(dry_start_row, force)

typedef struct dry_blocks {
#define X(type, name)                                                                                        \
    type *name;                                                                                              \
    int name##_capacity;
    DRY_BLOCK_ARRAYS(X)
#undef X
    atomic_bool rolling;  /* some contact resists rolling; set from workers */
    atomic_bool stiction; /* some contact has static friction; set from workers */
    int contact_count, group_count, color_count, locks_count, entry_count, row_count, row_entry_count;
    dry_block_tier tier[DRY_RANGE_COUNT];
} dry_blocks;

/* The parameters of the kernels of block descent: the same for all groups and contacts of a tier. */
typedef struct dry_block_sweep {
    dry_sweep sweep; /* what all methods have: `rate` is that of joints, too; `stiction` is null while no
                        contact has static friction */
    const dry_start_row *target, *force; /* of row r: target[r - 1], force[r - 1] */
    dry_block_contact *contact;
    struct dry_contact_bundle *bundle; /* contact i is lane i % 16 of bundle i / 16 */
    const dry_block_group *group;
    const dry_block_locks *locks;
    const int32_t *entry;
    dry_block_joint_row *row;
    const int32_t *row_entry;
    float growth;      /* of a penalty over the row's mass for each m/s of its error, s/m */
    float penalty_max; /* over the row's mass */
    bool rolling;      /* some contact resists rolling */
    bool last;         /* the substep's last sweep */
} dry_block_sweep;

/* Returns the parameters of all substeps of length h, but for their times. */
dry_block_sweep dry_block_sweep_of(const struct dry_solver_step *step, float h);

/* Lists the bodies whose frames turn, and takes their rows to those of the first half substep; takes rows on
 * by a substep; and by half of one at the step's end. (frames.c) */
bool dry_blocks_begin_frames(struct dry_solver_step *step, dry_memory *memory);
void dry_blocks_follow_frames(struct dry_solver_step *step, const dry_tier_range *range, float h);
void dry_blocks_end_frame(const struct dry_solver_step *step, int row, float h);

/* Colors the bodies and lists their contacts. False if memory fails: nothing that outlives the step has
 * changed then. */
bool dry_blocks_prepare(struct dry_solver_step *step, dry_memory *memory);

/* Copies all contacts from their bundles; writes a tier's impulses back; keeps its penalties and loads.
 * (contacts.c) */
void dry_block_contacts_copy(const struct dry_solver_step *step);
/* Gives the contacts of bodies whose frames turn the rows of the present frames. */
void dry_block_contacts_turn(const struct dry_solver_step *step, const dry_tier_range *range);
void dry_block_contacts_write(const struct dry_solver_step *step, const dry_tier_range *range);
void dry_block_contacts_keep(const struct dry_solver_step *step, const dry_tier_range *range);

/* Colors the bodies of all tiers and makes their groups, once contacts and rows are there. False if memory
 * fails. (groups.c) */
bool dry_block_groups_make(const struct dry_solver_step *step, dry_blocks *blocks, dry_memory *memory);

/* Returns the number of entries of a body in a list. */
static inline int dry_block_degree(const int32_t *first, int row)
{
    return first[row + 1] - first[row];
}

/* Counts the rows that a tier's joints may have; copies those that they have from their bundles, and returns
 * the number of the last one + 1. Rows before `end` were copied before: each stays where it is. (rows.c) */
int dry_block_rows_most(const struct dry_solver_step *step, const dry_tier_range *range);
int dry_block_rows_copy(const struct dry_solver_step *step, const dry_tier_range *range,
                        dry_block_joint_row *rows, int begin, int end);
/* Finds the errors of a substep; updates multipliers. */
void dry_block_rows_begin(const struct dry_solver_step *step, const dry_block_sweep *sweep, int begin,
                          int end);
void dry_block_rows_multiply(const dry_block_sweep *sweep, int begin, int end);
/* Adds the work of springs and motors in a substep to their islands. */
void dry_block_rows_work(const struct dry_solver_step *step, const dry_block_sweep *sweep, int begin,
                         int end);
/* Keeps penalties for the next step; writes impulses back. */
void dry_block_rows_keep(const struct dry_solver_step *step, const dry_block_joint_row *rows, int begin,
                         int end, float h);
void dry_block_rows_write(const dry_block_joint_row *rows, int begin, int end);
/* Runs the substeps of a tier. */
void dry_blocks_run(struct dry_substeps *run);
/* Keeps the penalties of contacts for the next step. */
void dry_blocks_store(struct dry_solver_step *step);

#endif
