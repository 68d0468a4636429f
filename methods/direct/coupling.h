/* Contacts and bounded axes of articulations: between the halves of a solve of joints, each is solved for
 * what all joints let it move [Tomcin 7].
 *
 * With A = L D L^T, a body's joint rows G_b and its whitened velocity u_b without the joints' impulses, let
 * x be what the rows' speeds lack, y = D^-1/2 L^-1 x and Y_b = D^-1/2 L^-1 G_b. Then the body's velocity with
 * the joints' impulses is u_b + Y_b^T y. An impulse f on it adds f to u_b and takes Y_b f from y. Y_b is
 * nonzero on one path of the elimination tree alone. */
#ifndef METHODS_DIRECT_COUPLING_H
#define METHODS_DIRECT_COUPLING_H

#include "core/memory.h"
#include "solver/data/articulations.h"

struct dry_linkage;
struct dry_solver_step;
struct dry_tier_range;

/* Lists the items of the layout. False if memory fails. */
bool dry_coupling_update(struct dry_solver_step *step, dry_memory *memory);

/* Finds Y of an articulation's bodies, once its rows are factored. */
void dry_coupling_find_columns(const struct dry_linkage *linkage);
/* Finds the rows and S of all items of a tier, null: of all tiers; again, of those on fine factors. Marks
 * heavy articulations, and returns whether there are any. */
bool dry_coupling_find_blocks(struct dry_solver_step *step, const struct dry_tier_range *range, bool again);

/* Does a warm or exchange sweep over the items of a tier. */
void dry_coupling_apply(struct dry_solver_step *step, const struct dry_tier_range *range,
                        const dry_sweep *sweep, dry_sweep_kind kind);
/* Multiplies the impulses of those items, but of joints, by the scale that the line search has found for
 * their bodies. */
void dry_coupling_scale(struct dry_solver_step *step, const struct dry_tier_range *range);
/* Begins visits, once the joints are solved: y is 0, and u that of the bodies' rows; 0 unless they are
 * `moving`.
 */
void dry_coupling_begin(const struct dry_linkage *linkage, bool moving);
/* Visits the items of a tier between the halves. */
void dry_coupling_visit(struct dry_solver_step *step, const struct dry_tier_range *range,
                        const dry_sweep *sweep, dry_sweep_kind kind);
/* The back half: the impulses of the linkage's rows from y. */
void dry_coupling_answer(const struct dry_linkage *linkage);
/* Returns the whitened impulse that the items gave to a body in the visits; null: none. */
const double *dry_coupling_given(const struct dry_linkage *linkage, int body);
/* Fills a body's velocity with the joints' impulses, u + Y^T y. */
void dry_coupling_velocity(const struct dry_solver_step *step, const dry_coupled_body *body, double v[6]);
/* Gives a whitened impulse to a body, and to its joints. */
void dry_coupling_push(const struct dry_solver_step *step, dry_coupled_body *body, const double f[6]);
/* Returns whether items act on an articulation. */
bool dry_coupling_acts(const struct dry_linkage *linkage);

#endif
