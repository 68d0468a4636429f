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

/* Returns the lowest color that is free at two bodies (slots), and marks it as taken at the dynamic ones;
 * DRY_COLOR_OVERFLOW if none below `colors_max` is free. */
int dry_color_take(dry_bodies *bodies, int body_a, int body_b, int colors_max);

/* Does so for `count` bodies, at most four; -1: the world. */
int dry_color_take_all(dry_bodies *bodies, const int *body, int count, int colors_max);

/* Gives a color back at the dynamic ones of two bodies, which may be one. Does nothing for OVERFLOW and NONE.
 */
void dry_color_release(dry_bodies *bodies, int body_a, int body_b, int color);
void dry_color_release_all(dry_bodies *bodies, const int *body, int count, int color);

#endif
