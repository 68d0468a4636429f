/* Tables of what the scene file has of joints: the types, and the numbers of joints and of their axes, from
 * the lists of the engine.
 *
 * scene_file.c, scene_write.c and scene_check.c read, write and check a joint by these tables. */
#include "tools/scenes/scene_parts.h"

#include <math.h>
#include <stddef.h>

const dry_scene_joint_form dry_scene_joint_forms[DRY_JOINT_TYPE_COUNT] = {
#define X(type, TYPE, text, bits, has_bits)                                                                  \
    [DRY_JOINT_##TYPE] = {.name = text,                                                                      \
                          .bare = !((has_bits)&DRY_JOINT_HAS_ROWS),                                          \
                          .framed = ((has_bits)&DRY_JOINT_HAS_FRAMES) != 0,                                  \
                          .states = ((has_bits)&DRY_JOINT_HAS_STATES) != 0,                                  \
                          .corners = ((has_bits)&DRY_JOINT_HAS_CORNERS) != 0,                                \
                          .axes = bits},
    DRY_JOINT_TYPES(X)
#undef X
};

const char *const dry_scene_axis_names[DRY_AXIS_COUNT] = {"x", "y", "z", "rx", "ry", "rz"};

const char *const dry_scene_joint_solver_names[DRY_SCENE_JOINT_SOLVERS] = {"iterative", "direct", "auto"};

/* clang-format off */
const dry_scene_number dry_scene_joint_numbers[] = {
#define X(name, low, high, owner, ...)                                                                       \
    {#name, offsetof(dry_joint_def, name), low, high, DRY_JOINT_HAS_##owner, DRY_MOTOR_OFF},
    DRY_JOINT_NUMBERS(X)
#undef X
    {0},
};

const dry_scene_number dry_scene_axis_numbers[] = {
#define X(name, low, high, motor, ...)                                                                       \
    {#name, offsetof(dry_joint_axis, name), low, high, 0, DRY_MOTOR_##motor},
    DRY_JOINT_AXIS_NUMBERS(X)
#undef X
    {0},
};
/* clang-format on */

bool dry_scene_joint_needs(const dry_joint_def *def, const dry_scene_number *number)
{
    return number->offset == offsetof(dry_joint_def, length) && dry_scene_joint_has(def->type, number) &&
           (def->stiffness != 0.0f || (def->length_min == 0.0f && def->length_max == INFINITY));
}

dry_joint_axis dry_scene_free_axis(void)
{
    return dry_default_joint_def(DRY_JOINT_HINGE).axes[DRY_AXIS_RX];
}
