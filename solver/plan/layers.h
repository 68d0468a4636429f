/* Layers along gravity as partitions of a tier (layers.c). */
#ifndef SOLVER_PLAN_LAYERS_H
#define SOLVER_PLAN_LAYERS_H

#include "core/memory.h"
#include "solver/plan/islands.h"
#include "solver/plan/layout.h"

#include <drystone/world.h>

struct dry_solver_state;
struct dry_solver_step;

/* Returns whether an order of constraints goes by layers. */
static inline bool dry_order_has_layers(dry_order order)
{
    return order == DRY_ORDER_LAYERS_UP || order == DRY_ORDER_LAYERS_DOWN || order == DRY_ORDER_LAYERS;
}

/* Finds the band of each row, and how many layers each tier has; 0 if the tier has no bodies. False if memory
 * fails. */
bool dry_layers_update(struct dry_solver_step *step, dry_memory *memory, int partitions[DRY_RANGE_COUNT]);
/* Returns the layer of what acts on the bodies of two rows; -1: no impulse moves that body, and it is below
 * the other if `side` is -1, above if 1. */
int dry_layer_of_bodies(const struct dry_solver_state *state, int row_a, int row_b, int side);
int dry_layer_of_contact(const struct dry_solver_step *step, const dry_edge *edge);
int dry_layer_of_joint(const struct dry_solver_step *step, int joint);

#endif
