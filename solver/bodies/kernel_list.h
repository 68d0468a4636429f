/* The kernels of bodies: rows from poses and velocities at a step's beginning, and the opposite at its end.
 * One list feeds the table, the tests and the benchmarks; kernels.c fills one table for each level. */
#ifndef SOLVER_BODIES_KERNEL_LIST_H
#define SOLVER_BODIES_KERNEL_LIST_H

#include "simd/processor.h"

struct dry_begin_block;
struct dry_body_begin;
struct dry_body_squares;
struct dry_body_finish;
struct dry_finish_block;
struct dry_body_motion;
struct dry_half_turns;

typedef void dry_bodies_begin(const struct dry_body_begin *begin, const struct dry_begin_block *block,
                              struct dry_body_squares *squares);
typedef void dry_bodies_finish(const struct dry_body_finish *finish, const struct dry_finish_block *block,
                               struct dry_body_motion *motion);

/* X(kernel): its type is dry_<kernel>. Bodies sixteen at a time. */
#define DRY_BODY_KERNELS(X)                                                                                  \
    X(bodies_begin)                                                                                          \
    X(bodies_finish)

typedef struct dry_body_kernels {
#define X(name) dry_##name *name;
    DRY_BODY_KERNELS(X)
#undef X
    void (*find_half_turns)(struct dry_half_turns *turns); /* core/half_turns.h */
} dry_body_kernels;

DRY_TABLES(dry_body_kernels, dry_body_kernels_at)

#endif
