/* A program of another project, in C: one box falls for a second onto nothing, and the distance is that of
 * a free fall. Built by test_install against the installed package. */
#include <drystone/drystone.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    dry_world_def world_def = dry_default_world_def();
    world_def.threads = 1;
    dry_world *world = NULL;
    if (dry_world_create(&world_def, &world) != DRY_OK)
        return 1;

    dry_shape_def box = dry_default_shape_def();
    dry_body_def body_def = dry_default_body_def();
    body_def.type = DRY_BODY_DYNAMIC;
    body_def.pose.position.y = 100.0;
    body_def.shapes = &box;
    body_def.shape_count = 1;
    dry_body_id body;
    if (dry_world_create_body(world, &body_def, &body) != DRY_OK)
        return 1;

    for (int step = 0; step < 64; ++step)
        if (dry_world_step(world, 1.0f / 64.0f) != DRY_OK)
            return 1;

    dry_pose pose;
    if (dry_body_get_pose(world, body, &pose) != DRY_OK)
        return 1;
    dry_world_destroy(world);

    /* y0 - g t^2 / 2, and at most g t dt / 2 more for an explicit step of 1/64 s. */
    double fallen = 100.0 - pose.position.y;
    printf("drystone %s, fell %.3f m in 1 s\n", dry_version(), fallen);
    return fabs(fallen - 0.5 * 9.81) <= 0.5 * 9.81 / 64.0 + 1e-4 ? 0 : 1;
}
