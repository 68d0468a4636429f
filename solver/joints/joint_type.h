/* A joint type: what its definition must hold, and its rows at a step's beginning. */
#ifndef SOLVER_JOINTS_JOINT_TYPE_H
#define SOLVER_JOINTS_JOINT_TYPE_H

#include "solver/constraint.h"
#include "solver/joints/joint_side.h"

#include <stddef.h>

/* The measure of a joint, for the rows that its kind has. */
typedef struct dry_joint_rows {
    dry_vec3 axis;  /* line: the direction of its row; the rows of a point lie along the world's axes */
    float error[3]; /* of each row when the step begins, m */
    float acceleration[3]; /* dG/dt W: how fast the error's speed grows as the lever arms rotate, m/s^2 */
} dry_joint_rows;

typedef struct dry_joint_description {
    dry_kind kind;
    /* Sets the fields whose defaults are not zero. */
    void (*set_defaults)(dry_joint_def *def);
    /* Returns what is wrong with the fields that are the type's own, in words; null if nothing. */
    const char *(*check)(const dry_joint_def *def);
    void (*measure)(const dry_joint *joint, const dry_joint_side *a, const dry_joint_side *b,
                    dry_joint_rows *rows);
    /* Returns the length by which the spring is stretched, m, from anchor_b - anchor_a in the world. */
    double (*stretch)(const dry_joint_def *def, const double apart[3]);
} dry_joint_description;

#define X(type, TYPE, KIND) extern const dry_joint_description dry_joint_##type;
DRY_JOINT_TYPES(X)
#undef X

extern const dry_joint_description *const dry_joint_types[DRY_JOINT_TYPE_COUNT];

/* Returns what is wrong with a definition, but for its bodies, in words; null if nothing. */
const char *dry_joint_def_error(const dry_joint_def *def);
/* Returns what is wrong with a length, used or not; null if nothing. Inline, so that types need nothing of
 * their table. */
static inline const char *dry_joint_length_error(const dry_joint_def *def)
{
    return def->length >= 0.0f && def->length <= 1e6f ? NULL : "length must be 0 to 1e6";
}

#endif
