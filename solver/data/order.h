/* An order of sweeps other than the default one, by color forward and backward in turns. The second volume
 * has those there are (methods/method.h). */
#ifndef SOLVER_DATA_ORDER_H
#define SOLVER_DATA_ORDER_H

#include "core/memory.h"
#include "solver/data/sweep.h"
#include "solver/data/tiers.h"
#include "state/bodies.h"

struct dry_edge;
struct dry_solver_step;

typedef struct dry_sweep_order {
    /* Finds the layers that are a tier's partitions, and how many each tier has; 0 if it has no bodies. False
     * if memory fails. Layers follow poses: no layout outlives its step. Null: the order has no layers. */
    bool (*find_layers)(struct dry_solver_step *step, dry_memory *memory, int partitions[DRY_RANGE_COUNT]);
    /* Return the layer of a row of an island, of a contact and of a joint. */
    int (*layer_of_row)(const struct dry_solver_step *step, int row);
    int (*layer_of_contact)(const struct dry_solver_step *step, const struct dry_edge *edge);
    int (*layer_of_joint)(const struct dry_solver_step *step, int joint);
    /* Changes what the default order says of sweep `i` of its kind in this step; null: nothing. */
    void (*set)(const struct dry_solver_step *step, dry_sweep *sweep, dry_sweep_kind kind, int i);
    /* Draws the order in which a sweep goes through phases. Null: the order is not shuffled. */
    void (*draw)(const dry_sweep *sweep, const dry_phase *phases, int count, uint8_t drawn[DRY_COLOR_COUNT]);
} dry_sweep_order;

#endif
