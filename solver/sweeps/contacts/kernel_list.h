/* The kernels of contacts. Lists feed the tables, the tests and the benchmarks. kernels.c fills a table for
 * each level; rare_kernels.c fills one of the kernels that no default uses for each of DRY_RARE_LEVELS. */
#ifndef SOLVER_SWEEPS_CONTACTS_KERNEL_LIST_H
#define SOLVER_SWEEPS_CONTACTS_KERNEL_LIST_H

#include "simd/processor.h"
#include "solver/data/bundle.h"
#include "solver/data/sweep.h"

struct dry_contact_bundle;
struct dry_contact_cold;
struct dry_contact_source;
struct dry_contact_speeds;
struct dry_contact_turning;
struct dry_prepare;

/* X(kernel): sweeps over bundles, named after their purpose (solver/data/sweep.h). "cone" has the default
 * settings built in: the friction cone, and stiffness as a frequency. */
#define DRY_CONTACT_SWEEPS(X)                                                                                \
    X(contact_warm)                                                                                          \
    X(contact_solve_cone)                                                                                    \
    X(contact_relax_cone)

/* X(kernel): "any" reads from the sweep's parameters (mode.h) the kind of stiffness, and whether changes go
 * to the sums. */
#define DRY_RARE_CONTACT_SWEEPS(X)                                                                           \
    X(contact_solve_any)                                                                                     \
    X(contact_relax_any)                                                                                     \
    X(contact_carry)

/* X(kernel): what the second volume adds (kind.h), for each rare level. "turned" is for methods that solve
 * for positions, "model" for other friction than the cone, "exchange" for that of two phases. */
#define DRY_ADDED_CONTACT_SWEEPS(X)                                                                          \
    X(contact_warm_turned)                                                                                   \
    X(contact_solve_turned)                                                                                  \
    X(contact_relax_turned)                                                                                  \
    X(contact_solve_model)                                                                                   \
    X(contact_relax_model)                                                                                   \
    X(contact_exchange)

/* Makes one contact bundle from a source, and its cold block unless that is null. */
typedef void dry_contact_prepare(const struct dry_contact_source *source, struct dry_contact_bundle *bundle,
                                 struct dry_contact_cold *cold, struct dry_contact_speeds *speeds,
                                 const struct dry_prepare *prepare);

/* Finds how the rows of a prepared bundle change within the step. */
typedef void dry_contact_rates(const struct dry_contact_source *source, struct dry_contact_bundle *bundle,
                               struct dry_contact_turning *turning, const struct dry_prepare *prepare);

/* Takes friction's impulses along the tangents from the world, as preparing does: a bundle that stays is the
 * one that would be prepared. */
typedef void dry_contact_keep(struct dry_contact_bundle *bundle, dry_lanes friction[3]);

/* Gives a contact bundle the frames that its bodies' rows are in now. */
typedef void dry_contact_turn(const struct dry_contact_source *source, struct dry_contact_bundle *bundle,
                              struct dry_contact_cold *cold, const struct dry_prepare *prepare);

typedef struct dry_contact_kernels {
#define X(name) dry_sweep_kernel *name;
    DRY_CONTACT_SWEEPS(X)
#undef X
    dry_contact_prepare *contact_prepare;
    dry_contact_keep *contact_keep;
    dry_contact_turn *contact_turn;
} dry_contact_kernels;

typedef struct dry_rare_contact_kernels {
#define X(name) dry_sweep_kernel *name;
    DRY_RARE_CONTACT_SWEEPS(X)
#undef X
    dry_contact_rates *contact_rates;
} dry_rare_contact_kernels;

typedef struct dry_added_contact_kernels {
#define X(name) dry_sweep_kernel *name;
    DRY_ADDED_CONTACT_SWEEPS(X)
#undef X
} dry_added_contact_kernels;

DRY_RARE_TABLES(dry_rare_contact_kernels, dry_rare_contact_kernels_at)
DRY_TABLES(dry_contact_kernels, dry_contact_kernels_at)

#endif
