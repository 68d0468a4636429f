/* Graph coloring: no two constraints of one color share a dynamic body, so workers may solve the constraints
 * of a color in any order.
 *
 * The coloring is persistent and incremental: a constraint takes the lowest color that is free at both its
 * bodies when it begins, and gives the color back when it ends. A constraint that finds none overflows and is
 * solved in order. All of this is serial and depends on the sorted order of begins and ends alone.
 *
 * Writes dry_body_state.colors. The caller writes the constraint's color. */
#ifndef SOLVER_PLAN_COLORING_H
#define SOLVER_PLAN_COLORING_H

#include "state/contacts.h"

/* Returns the lowest color that is free at `count` bodies (slots; -1: the world), at most four, and marks it
 * as taken at the dynamic ones; DRY_COLOR_OVERFLOW if none below `colors_max` is free. */
int dry_color_take(dry_bodies *bodies, const int *body, int count, int colors_max);

/* Gives a color back at the dynamic ones of some bodies. Does nothing for OVERFLOW and NONE. */
void dry_color_release(dry_bodies *bodies, const int *body, int count, int color);

#endif
