/* Joints' impulses and loads, which the next step begins with. */
#ifndef SOLVER_BODIES_JOINT_IMPULSES_H
#define SOLVER_BODIES_JOINT_IMPULSES_H

#include "core/shared.h"
#include "state/joints.h"

struct dry_solver_step;

/* Stores the impulse of a joint's last substep, of length h, and advances its load. The load that was
 * measured is the acceleration with which the joint's force would part its bodies, m/s^2. An impulse that is
 * not finite is forgotten: the joint begins anew. */
DRY_SHARED void dry_joint_store(const struct dry_solver_step *step, int joint, dry_vec3 impulse, float h,
                                float measured);

/* The impulses that the rows of a joint gave in a step. */
typedef struct dry_joint_total {
    double row[DRY_COORDINATE_COUNT];  /* of each row: in all substeps, N s, N m s */
    double last[DRY_COORDINATE_COUNT]; /* in the last substep */
    dry_vec3 linear[DRY_COORDINATE_COUNT],
        about[DRY_COORDINATE_COUNT]; /* of an impulse of 1, about b's anchor */
    float peak;                      /* the largest force's impulse of a substep, squared */
} dry_joint_total;

/* Stores what kernels have added up of a joint's rows, as dry_joint_store_total; some methods have no such
 * kernels, and tell it. */
void dry_joint_store_sums(const struct dry_solver_step *step, int joint, dry_joint_total *total, int rows,
                          float h, bool adds);
/* Stores what a joint gave body b in a step: an impulse, one about its anchor, and the square of the largest
 * force's impulse in a substep of length h. With `adds` they are added to what another lane stored. */
DRY_SHARED void dry_joint_store_total(const struct dry_solver_step *step, int joint, dry_vec3 linear,
                                      dry_vec3 angular, float peak, float h, bool adds);

/* Stores the angular impulse and the impulses of the rows of a block, which dry_joint_store then follows. */
DRY_SHARED void dry_joint_store_rows(const struct dry_solver_step *step, int joint, dry_vec3 angular,
                                     const float *rows);
/* Adds what the axes of a joint gave to what its block stored, if it has one; `axes` is their new state. */
void dry_joint_store_axes(const struct dry_solver_step *step, int joint, dry_vec3 linear, dry_vec3 angular,
                          const dry_joint_axes_state *axes, float h);

#endif
