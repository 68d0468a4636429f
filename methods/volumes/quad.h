/* The joints of volumes, and the bundle of joints with one row over four bodies. */
#ifndef METHODS_VOLUMES_QUAD_H
#define METHODS_VOLUMES_QUAD_H

#include "solver/constraint/joints/joint_type.h"
#include "solver/data/joints/line.h"

enum { DRY_QUAD_SIDES = 4 };

/* One body's part of the row, whitened. */
typedef struct dry_quad_side {
    int32_t row[DRY_BUNDLE];
    dry_lanes linear[3], angular[3];
} dry_quad_side;

/* The row is divided by the length of its gradient, so that errors are lengths and impulses N s, as those of
 * a line. */
typedef struct dry_quad_bundle {
    _Alignas(64) dry_quad_side side[DRY_QUAD_SIDES];
    dry_single_row single;
    dry_lanes per_length;     /* 1 / the gradient's length, 1/m^2 */
    dry_lanes direction_b[3]; /* the row's direction at body b, world: for the impulse that is stored */
    int32_t lanes;            /* lanes before this one are in use */
} dry_quad_bundle;

extern const dry_constraint_kind dry_kind_quad;

/* Tells what the joint keeps: the one type that has quads. */
extern const dry_joint_description dry_quad_type;

/* Adds it to the engine. */
void dry_quad_type_add(void);

#endif
