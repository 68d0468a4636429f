/* Measures the errors of joints (joint_errors.h). A joint of two bodies is read twice, which changes no
 * largest value. */
#include "tools/scenes/measure/joint_errors.h"

#include <stdlib.h>

/* Returns the larger number; NaN if one is, so that no number hides it. */
static double larger(double a, double b)
{
    return a >= b || a != a ? a : b;
}

static void add_joint(const dry_world *world, dry_joint_id id, dry_joint_errors *errors)
{
    float error_m, error_rad;
    if (dry_joint_get_error(world, id, &error_m, &error_rad) != DRY_OK)
        return;
    errors->max_m = larger(errors->max_m, (double)error_m);
    errors->max_rad = larger(errors->max_rad, (double)error_rad);
}

bool dry_joint_errors_measure(const dry_scene *scene, const dry_world *world, const dry_body_id *ids,
                              dry_joint_errors *errors)
{
    *errors = (dry_joint_errors){0};
    /* No body has more joints than the scene. */
    dry_joint_id *joints = malloc(((size_t)scene->joint_count + 1) * sizeof *joints);
    if (!joints)
        return false;
    for (int i = 0; i < scene->body_count && scene->joint_count > 0; i++) {
        int count = 0;
        if (dry_body_get_joints(world, ids[i], joints, scene->joint_count, &count) != DRY_OK)
            continue; /* the body is gone, and its joints with it */
        for (int k = 0; k < count && k < scene->joint_count; k++)
            add_joint(world, joints[k], errors);
    }
    free(joints);
    return true;
}
