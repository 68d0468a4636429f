/* The list of kernels, and the table through which drivers call them.
 *
 * One list feeds the declarations, the tables, the tests and the benchmarks. solver/kernels.c is compiled
 * once per instruction set; each compilation fills one table; dispatch picks one per world. */
#ifndef SIMD_KERNEL_LIST_H
#define SIMD_KERNEL_LIST_H

#include "solver/rows/solver_row.h"

#include <drystone/world.h>

#include <stdbool.h>

/* What a sweep needs besides its bundles; the same for all bundles of one island class. */
typedef struct dry_sweep {
    dry_solver_row *rows;
    dry_solver_row *sums;                 /* Jacobi: where changes go while `rows` stay as they are */
    const struct dry_contact_note *notes; /* which record each contact bundle has */
    float time;                           /* since the step began, s: kinematic bodies' displacement */
    float turn_speed;                     /* the end of the substep after the step's middle, s */
    float turn_gap;                       /* what turning adds to a linear displacement by now, s^2 */
    float rate_free;                      /* 1 / h: a gap may close within the substep */
    float rate;                           /* a [Spook 9], 1/s */
    float mass_scale;                     /* 1 / (1 + eps / S_ii), for stiffness given as a frequency */
    float impulse_scale;                  /* (eps / S_ii) mass_scale */
    float softness;                       /* eps [Spook 11] in 1/kg, for stiffness given as k */
    float approach_scale;                 /* 1 - b [Spook 10] in the first substep, else 0 */
    float push_speed_max;                 /* m/s */
    float restitution_speed;              /* m/s */
    float substep;                        /* h, s */
    int32_t fetch_end; /* bundles before this one are fetched ahead, where they exceed the last cache */
    bool fetch_rows;   /* and their bodies' rows, unless those of a band are near */
} dry_sweep;

/* X(kernel, bundle type). A kernel works on bundles [begin, end) of its arrays.
 *   warm     apply the impulses that the bundles hold
 *   solve    one sweep with the position term; stiffness as a frequency, or as k [Spook 27-32]
 *   relax    one sweep without it
 *   impact   restitution [Spook 1-7]
 * Kernels named jacobi_ read `rows` and add what they change to `sums`. */
#define DRY_CONTACT_KERNELS(X)                                                                               \
    X(contact_warm)                                                                                          \
    X(contact_solve_cone)                                                                                    \
    X(contact_solve_cone_spook)                                                                              \
    X(contact_relax_cone)                                                                                    \
    X(contact_solve_box)                                                                                     \
    X(contact_relax_box)                                                                                     \
    X(contact_solve_two_phase)                                                                               \
    X(contact_relax_two_phase)                                                                               \
    X(contact_solve_velocity)                                                                                \
    X(contact_relax_velocity)                                                                                \
    X(contact_impact)                                                                                        \
    X(jacobi_contact_solve)                                                                                  \
    X(jacobi_contact_relax)

#define DRY_BALL_KERNELS(X)                                                                                  \
    X(ball_warm)                                                                                             \
    X(ball_solve)                                                                                            \
    X(ball_relax)                                                                                            \
    X(jacobi_ball_solve)                                                                                     \
    X(jacobi_ball_relax)

#define DRY_DISTANCE_KERNELS(X)                                                                              \
    X(distance_warm)                                                                                         \
    X(distance_solve)                                                                                        \
    X(distance_relax)                                                                                        \
    X(jacobi_distance_solve)                                                                                 \
    X(jacobi_distance_relax)

/* X(kernel): makes one contact bundle from a source, and its rare record unless that is null. */
#define DRY_PREPARE_KERNELS(X) X(contact_prepare)

/* X(kernel): box against box, many pairs at once. */
#define DRY_COLLIDE_KERNELS(X) X(collide_boxes)

/* X(kernel, type). Bodies sixteen at a time: rows from poses and velocities, and the opposite. */
#define DRY_BODY_KERNELS(X)                                                                                  \
    X(bodies_begin, dry_body_begin_kernel)                                                                   \
    X(bodies_finish, dry_body_finish_kernel)

struct dry_body_begin;
struct dry_body_squares;
struct dry_body_finish;
struct dry_body_block;
struct dry_body_motion;
struct dry_contact_note;
struct dry_contact_source;
struct dry_contact_speeds;
struct dry_prepare;
struct dry_contact_bundle;
struct dry_contact_bundle_rare;
struct dry_ball_bundle;
struct dry_distance_bundle;
struct dry_box_pair;
struct dry_local_manifold;

typedef void dry_contact_kernel(struct dry_contact_bundle *bundles, struct dry_contact_bundle_rare *rare,
                                int begin, int end, const dry_sweep *sweep);
typedef void dry_prepare_kernel(const struct dry_contact_source *source, struct dry_contact_bundle *bundle,
                                struct dry_contact_bundle_rare *rare, struct dry_contact_speeds *speeds,
                                const struct dry_prepare *prepare);
typedef void dry_ball_kernel(struct dry_ball_bundle *bundles, int begin, int end, const dry_sweep *sweep);
typedef void dry_distance_kernel(struct dry_distance_bundle *bundles, int begin, int end,
                                 const dry_sweep *sweep);

/* Bodies row[0 .. 15]; a row may be named more than once. */
typedef void dry_body_begin_kernel(const struct dry_body_begin *begin, const int32_t *row,
                                   struct dry_body_squares *squares);
typedef void dry_body_finish_kernel(const struct dry_body_finish *finish, const struct dry_body_block *block,
                                    struct dry_body_motion *motion);
/* Pairs [0, count) give manifolds [0, count). */
typedef void dry_collide_kernel(const struct dry_box_pair *pairs, int count,
                                struct dry_local_manifold *manifolds);

typedef struct dry_kernels {
    dry_isa isa;
#define X(name) dry_contact_kernel *name;
    DRY_CONTACT_KERNELS(X)
#undef X
#define X(name) dry_prepare_kernel *name;
    DRY_PREPARE_KERNELS(X)
#undef X
#define X(name) dry_collide_kernel *name;
    DRY_COLLIDE_KERNELS(X)
#undef X
#define X(name) dry_ball_kernel *name;
    DRY_BALL_KERNELS(X)
#undef X
#define X(name) dry_distance_kernel *name;
    DRY_DISTANCE_KERNELS(X)
#undef X
#define X(name, type) type *name;
    DRY_BODY_KERNELS(X)
#undef X
} dry_kernels;

/* The tables of the levels in this build; fma is no level but one lane with the instructions of AVX2. */
extern const dry_kernels dry_kernels_scalar;
#if defined(__x86_64__)
extern const dry_kernels dry_kernels_sse2, dry_kernels_fma, dry_kernels_avx2, dry_kernels_avx512;
#elif defined(__aarch64__)
extern const dry_kernels dry_kernels_neon;
#endif

#endif
