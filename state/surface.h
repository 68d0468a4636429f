/* The numbers of a shape's surface: the only list of them. Checks, columns, scene files and random shapes of
 * tests walk it. The physics alone names a number: how a pair mixes it, and what it does.
 *
 * X(name, standard, high, error, column, member, written, odds, low, most)
 *
 *   name      member of dry_shape_def, and key in scene files
 *   standard  its default
 *   high      its largest value, the least is 0; `def` in it is the definition
 *   error     what the log says of a value outside
 *   column    where the world keeps it (state/shapes.h): column and member
 *   written   a scene file has the number even where it is 0
 *   odds      a random shape has the number once in so many, or DRY_SURFACE_WITH_LAST, and then
 *   low, most draws it from this range */
#ifndef STATE_SURFACE_H
#define STATE_SURFACE_H

#include <drystone/shape.h>

/* Odds of a number that a random shape has if it has the number before. */
#define DRY_SURFACE_WITH_LAST 0

/* clang-format off */
#define DRY_SURFACE_NUMBERS(X)                                                                               \
    X(friction, 0.6f, 1e3f, "friction must be 0 to 1e3", form, friction, true, 1, 0.0, 1.0)                  \
    X(static_friction, 0.0f, 1e3f, "static_friction must be 0 to 1e3", stiction, friction, false,            \
      8, 0.0, 1.5)                                                                                           \
    X(contact_stiffness, 0.0f, 1e15f, "contact_stiffness must be 0 to 1e15", spring, stiffness, false,       \
      8, 1e4, 1e8)                                                                                           \
    X(contact_damping, 0.0f, def->contact_stiffness > 0.0f ? 1e15f : 0.0f,                                   \
      "contact_damping must be 0 to 1e15, and 0 if contact_stiffness is 0", spring, damping, false,          \
      DRY_SURFACE_WITH_LAST, 0.0, 1e4)                                                                       \
    X(restitution, 0.0f, 1.0f, "restitution must be 0 to 1", form, restitution, true, 4, 0.0, 1.0)           \
    X(rolling_resistance, 0.0f, 1e3f, "rolling_resistance must be 0 to 1e3", rolling, resistance, true,      \
      8, 0.0, 0.1)

/* The calls dry_shape_set_<call> that change them (api/shapes.c), for tests that draw calls: X of the number
 * of that name, or BOTH of two numbers, with the size of usual values. */
#define DRY_SURFACE_CALLS(X, BOTH)                                                                           \
    X(friction)                                                                                              \
    X(static_friction)                                                                                       \
    BOTH(contact_spring, 1e6f, 1e3f)                                                                         \
    X(restitution)                                                                                           \
    X(rolling_resistance)
/* clang-format on */

#endif
