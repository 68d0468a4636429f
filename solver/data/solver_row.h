/* The solver's row of a body: every sweep gathers and scatters it, one cache line.
 *
 * Rows are whitened [DESIGN 5]: u = M^(1/2) W. The linear part is sqrt(m) v in world axes; the angular part
 * is D^(1/2) R^T omega, in the principal frame where the step begins for the solver: where the body is
 * then, or at its rest pose (solver/bodies/begin.h). `d` is the displacement from there, whitened the same
 * way, so that a separation is s0 + g . d with the same row g as a velocity.
 *
 * The sixteen floats are ordered in four groups of four: a gather is 16-byte loads and 4x4 transposes at
 * every width, and velocities alone are the first two groups. Row 0 is always zero: it stands for static and
 * kinematic bodies, is read like any other row, and is never written. */
#ifndef SOLVER_DATA_SOLVER_ROW_H
#define SOLVER_DATA_SOLVER_ROW_H

typedef struct dry_solver_row {
    _Alignas(64) union {
        struct {
            float ul[3]; /* sqrt(kg) m/s */
            float ua[3]; /* sqrt(kg m^2) rad/s */
        };
        float u[6];
    };
    union {
        struct {
            float dl[3]; /* sqrt(kg) m */
            float da[3]; /* sqrt(kg m^2) rad */
        };
        float d[6];
    };
    float inv_sqrt_inertia[3]; /* 1 / sqrt(I_i), kg^-1/2 m^-1; 0 if the rotation is locked */
    float inv_sqrt_mass;       /* 1 / sqrt(m), kg^-1/2; 0 if the translation is locked */
} dry_solver_row;
_Static_assert(sizeof(dry_solver_row) == 64, "one cache line per body");

/* The row's velocity when the substep began: warm starting applies the change since then again. Until the
 * first substep begins, the velocity with a substep's forces. */
typedef struct dry_start_row {
    float u[6];
} dry_start_row;

/* A body's whitening while a step is solved: W = D^(-1/2) R^T takes a world angular direction to its row's
 * angular part. Computed where it is needed, from the row and from the pose, which finalize has not moved
 * yet. Storing it would cost one more cache line for each body. */
typedef struct dry_whitening {
    float axes[3][3];      /* axes[i] = principal axis i in the world / sqrt(I_i); 0 where locked */
    float sqrt_inertia[3]; /* sqrt(I_i); 0 where locked */
    float inv_sqrt_mass;   /* 1 / sqrt(m), kg^-1/2; 0 where locked */
} dry_whitening;

#endif
