/* Graph colouring: no two constraints of one colour share a dynamic body, so a colour's constraints can be
 * solved side by side, in any order, by any worker.
 *
 * Persistent and incremental: a constraint takes the lowest colour free at both its bodies when it begins
 * and gives it back when it ends. What finds none overflows and is solved in order. Everything here is
 * serial and depends only on the order of begins and ends, which is sorted.
 *
 * Writes dry_body_state.colors and the constraint's color. */
#ifndef SOLVER_ISLANDS_COLORING_H
#define SOLVER_ISLANDS_COLORING_H

#include "state/contacts.h"

/* The colour for a constraint between two bodies (slots), marked as taken at those that are dynamic;
 * DRY_COLOR_OVERFLOW if none below `colors_max` is free. */
int dry_color_take(dry_bodies *bodies, int body_a, int body_b, int colors_max);

/* Gives a colour back; does nothing for OVERFLOW and NONE. */
void dry_color_release(dry_bodies *bodies, int body_a, int body_b, int color);

#endif
