/* The numbers, vectors and rules of a surface: the only lists of them. Checks, columns, setters, how a pair
 * mixes them, scene files and random shapes of tests walk them. The physics alone reads one by its name.
 *
 * X(name, standard, high, error, column, member, mix, kept, written, odds, low, most)
 *
 *   name      member of dry_shape_def, dry_material and dry_surface (state/shapes.h), and key in scene files
 *   standard  its default
 *   high      its largest value, the least is 0; `def` in it is the definition or material
 *   error     what the log says of a value outside
 *   column    where the world keeps it for a shape: column and member, declared below
 *   mix       the number of a pair, of the materials `a` and `b`
 *   kept      DRY_KEPT: a contact's manifold keeps the pair's number under this name; DRY_UNKEPT: none does
 *   written   a scene file has the number even where it is 0
 *   odds      a random shape has the number once in so many, or DRY_SURFACE_WITH_LAST, and then
 *   low, most draws it from this range */
#ifndef STATE_SURFACE_H
#define STATE_SURFACE_H

#include <drystone/shape.h>

/* Odds of a number that a random shape has if it has the number before. */
#define DRY_SURFACE_WITH_LAST 0

/* Does what is to be done of numbers that manifolds keep. */
#define DRY_KEPT(statement) statement
#define DRY_UNKEPT(statement)

/* clang-format off */
#define DRY_SURFACE_NUMBERS(X)                                                                               \
    X(friction, 0.6f, 1e3f, "friction must be 0 to 1e3", form, friction,                                     \
      by_rule(a.friction_rule, b.friction_rule, a.friction, b.friction), DRY_KEPT, true, 1, 0.0, 1.0)        \
    /* No surface has less static friction than friction. */                                                 \
    X(static_friction, 0.0f, 1e3f, "static_friction must be 0 to 1e3", stiction, friction,                   \
      by_rule(a.static_friction_rule, b.static_friction_rule, dry_max(a.static_friction, a.friction),        \
              dry_max(b.static_friction, b.friction)),                                                       \
      DRY_UNKEPT, false, 8, 0.0, 1.5)                                                                        \
    X(contact_stiffness, 0.0f, 1e15f, "contact_stiffness must be 0 to 1e15", spring, stiffness,              \
      series_stiffness(a.contact_stiffness, b.contact_stiffness),                                      \
      DRY_UNKEPT, false, 8, 1e4, 1e8)                                                                        \
    X(contact_damping, 0.0f, def->contact_stiffness > 0.0f ? 1e15f : 0.0f,                                   \
      "contact_damping must be 0 to 1e15, and 0 if contact_stiffness is 0", spring, damping,                 \
      series_damping(a.contact_stiffness, a.contact_damping, b.contact_stiffness,                     \
                         b.contact_damping),                                                                \
      DRY_UNKEPT, false, DRY_SURFACE_WITH_LAST, 0.0, 1e4)                                                    \
    X(restitution, 0.0f, 1.0f, "restitution must be 0 to 1", form, restitution,                              \
      by_rule(a.restitution_rule, b.restitution_rule, a.restitution, b.restitution), DRY_KEPT, true, 4,      \
      0.0, 1.0)                                                                                              \
    X(rolling_resistance, 0.0f, 1e3f, "rolling_resistance must be 0 to 1e3", rolling, resistance,            \
      by_rule(a.rolling_resistance_rule, b.rolling_resistance_rule, a.rolling_resistance,                    \
              b.rolling_resistance),                                                                         \
      DRY_UNKEPT, true, 8, 0.0, 0.1)

/* Vectors that materials alone have: X(name, limit, error, column, member, most). `limit` bounds each component;
 * random materials draw components up to `most`. */
#define DRY_SURFACE_VECTORS(X)                                                                               \
    X(surface_velocity, 1e5f, "surface_velocity must be finite and at most 1e5", belt, velocity, 3.0)

/* The numbers and rules of a surface in definitions, M(F, T, number, listed, type, name, standard, unit):
 * `number` in recordings, as in state/definitions.h, and `listed` in the list of materials. */
#define DRY_SURFACE_MEMBERS_OF(M, F, T)                                                                      \
    M(F, T, 21, 1, float, friction, 0.6f, "")                                                                \
    M(F, T, 22, 2, float, static_friction, 0.0f, "")                                                         \
    M(F, T, 23, 3, float, contact_stiffness, 0.0f, "N/m")                                                    \
    M(F, T, 24, 4, float, contact_damping, 0.0f, "N s/m")                                                    \
    M(F, T, 25, 5, float, restitution, 0.0f, "")                                                             \
    M(F, T, 26, 6, float, rolling_resistance, 0.0f, "")
#define DRY_RULE_MEMBERS_OF(M, F, T)                                                                         \
    M(F, T, 28, 8, dry_combination, friction_rule, DRY_COMBINE_GEOMETRIC_MEAN, "")                           \
    M(F, T, 29, 9, dry_combination, static_friction_rule, DRY_COMBINE_GEOMETRIC_MEAN, "")                    \
    M(F, T, 30, 10, dry_combination, restitution_rule, DRY_COMBINE_LARGEST, "")                              \
    M(F, T, 31, 11, dry_combination, rolling_resistance_rule, DRY_COMBINE_LARGEST, "")

/* Rules of combination, which materials alone have: X(name, standard). */
#define DRY_RULE(X, T, number, listed, type, name, standard, unit) X(name, standard)
#define DRY_SURFACE_RULES(X) DRY_RULE_MEMBERS_OF(DRY_RULE, X, )

#define DRY_DEFINED_MEMBER(F, T, number, listed, type, name, standard, unit)                                 \
    F(T, number, type, name, , standard, "")
#define DRY_SURFACE_MEMBERS(F, T) DRY_SURFACE_MEMBERS_OF(DRY_DEFINED_MEMBER, F, T)
#define DRY_MATERIAL_MEMBERS(F, T)                                                                           \
    DRY_SURFACE_MEMBERS(F, T)                                                                                \
    F(T, 27, dry_vec3, surface_velocity, , DRY_VEC3_DEFAULT, "")                                             \
    DRY_RULE_MEMBERS_OF(DRY_DEFINED_MEMBER, F, T)

/* The calls dry_shape_set_<call> that change them: ONE of the number of that name, or BOTH of two numbers, with
 * the size of usual values. Each begins with T and its number in recordings (snapshot/calls.h). `wakes`: the
 * change may move a body at rest. */
#define DRY_SURFACE_CALLS(ONE, BOTH, T)                                                                      \
    ONE(T, 26, friction, true)                                                                               \
    ONE(T, 27, static_friction, true)                                                                        \
    BOTH(T, 28, contact_spring, true, contact_stiffness, contact_damping, 1e6f, 1e3f)                        \
    ONE(T, 29, restitution, false)                                                                           \
    ONE(T, 30, rolling_resistance, true)

/* Tells whether a surface has a stiffness of its own. */
static inline bool dry_material_has_spring(const dry_material *material)
{
    return material->contact_stiffness > 0.0f;
}

/* The fields of their columns (state/fields.h, state/shapes.h): those that every shape has in its form, and
 * columns that few shapes need. */
#define DRY_SURFACE_FORM_FIELDS(F, T)                                                                        \
    F(T, 6, float, friction, , 0.0f, "", DRY_HASHED, DRY_BY_CALLS,                                           \
      "coefficient; a pair uses the geometric mean")                                                         \
    F(T, 7, float, restitution, , 0.0f, "", DRY_HASHED, DRY_BY_CALLS, "coefficient; a pair uses the larger")

/* Rolling resistance: how the shape's surface resists round shapes that roll on it. */
#define DRY_SHAPE_ROLLING_FIELDS(F, T)                                                                       \
    F(T, 1, float, resistance, , 0.0f, "", DRY_HASHED, DRY_BY_CALLS, "coefficient; a pair uses the larger")

/* Static friction: how much more than its friction the shape holds while it sticks. */
#define DRY_SHAPE_STICTION_FIELDS(F, T)                                                                      \
    F(T, 1, float, friction, , 0.0f, "", DRY_HASHED, DRY_BY_CALLS,                                           \
      "coefficient of a patch that sticks; below the shape's friction: as that")

/* The spring of a shape's surface, at each point of its contacts. */
#define DRY_SHAPE_SPRING_FIELDS(F, T)                                                                        \
    F(T, 1, float, stiffness, , 0.0f, "N/m", DRY_HASHED, DRY_BY_CALLS,                                       \
      "k; a pair uses both in series; 0: rigid beside a shape that has one")                                 \
    F(T, 2, float, damping, , 0.0f, "N s/m", DRY_HASHED, DRY_BY_CALLS, "c of that spring")

/* The motion of the surface past its body. */
#define DRY_SHAPE_BELT_FIELDS(F, T)                                                                          \
    F(T, 1, dry_vec3, velocity, , DRY_VEC3_DEFAULT, "m/s", DRY_HASHED, DRY_BY_CALLS, "in the user's body frame")

/* The rules by which a pair combines coefficients. */
#define DRY_SHAPE_RULES_FIELDS(F, T)                                                                         \
    F(T, 1, uint8_t, friction_rule, , DRY_COMBINE_GEOMETRIC_MEAN, "", DRY_HASHED, DRY_BY_CALLS,              \
      "DRY_COMBINE_...; of two the larger number holds")                                                     \
    F(T, 2, uint8_t, static_friction_rule, , DRY_COMBINE_GEOMETRIC_MEAN, "", DRY_HASHED, DRY_BY_CALLS,       \
      "likewise")                                                                                            \
    F(T, 3, uint8_t, restitution_rule, , DRY_COMBINE_LARGEST, "", DRY_HASHED, DRY_BY_CALLS, "likewise")      \
    F(T, 4, uint8_t, rolling_resistance_rule, , DRY_COMBINE_LARGEST, "", DRY_HASHED, DRY_BY_CALLS, "likewise")

/* Materials of a shape. The columns hold the first; a shape that has several has a part of the list of
 * materials (state/materials.c), with the first in it, too. */
#define DRY_SHAPE_MATERIAL_FIELDS(F, T)                                                                      \
    F(T, 1, uint64_t, id, , 0, "", DRY_HASHED, DRY_BY_CALLS, "of the first material, as the caller gave it") \
    F(T, 2, uint64_t, hash, , 0, "", DRY_HASHED, DRY_BY_CALLS, "of all of several materials")                \
    F(T, 3, int32_t, begin, , 0, "", DRY_DERIVED("a place in memory"), DRY_BY_CALLS,                        \
      "of several materials, in the list")                                                                   \
    F(T, 4, int32_t, count, , 0, "", DRY_HASHED, DRY_BY_CALLS, "of several materials; 0: the first is the only one")

/* `hash` of the shape's materials stands for these in the state hash. Places in the list are no state, their
 * order is. */
#define DRY_LISTED_MEMBER(F, T, number, listed, type, name, standard, unit)                                  \
    F(T, listed, type, material.name, , standard, unit, DRY_SAVED("its shape has their hash"), DRY_BY_CALLS, \
      "of the material")
#define DRY_LISTED_MATERIAL_FIELDS(F, T)                                                                     \
    DRY_SURFACE_MEMBERS_OF(DRY_LISTED_MEMBER, F, T)                                                          \
    F(T, 7, dry_vec3, material.surface_velocity, , DRY_VEC3_DEFAULT, "m/s",                                  \
      DRY_SAVED("its shape has their hash"), DRY_BY_CALLS, "of the material")                                \
    DRY_RULE_MEMBERS_OF(DRY_LISTED_MEMBER, F, T)                                                             \
    F(T, 12, uint64_t, material.id, , 0, "", DRY_SAVED("its shape has their hash"), DRY_BY_CALLS,            \
      "of the material")                                                                                     \
    F(T, 13, int32_t, shape, , -1, "", DRY_SAVED("its shape has their hash"), DRY_BY_CALLS,                  \
      "slot; -1: none any more")
/* clang-format on */

#endif
