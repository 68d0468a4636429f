/* Lists the joint types of the scene file: the name of each type, and its fields beyond those of all joints.
 *
 * scene_file.c, scene_write.c and scene_check.c read, write and check a joint by this table. */
#include "scenes/scene_parts.h"

#include <stddef.h>

#define FIELD(name, high) #name, offsetof(dry_joint_def, name), high

const dry_scene_joint_form dry_scene_joint_forms[DRY_JOINT_TYPE_COUNT] = {
    [DRY_JOINT_BALL] = {.name = "ball"},
    [DRY_JOINT_DISTANCE] = {.name = "distance", .fields = {{FIELD(length, 1e6f)}}},
};
