/* Hello, Drystone: ten cubes fall on the ground and make a tower.
 *
 *     cc hello.c -o hello $(pkg-config --cflags --libs drystone) && ./hello */
#include <drystone/drystone.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the reason of a call that has failed. */
static void must(dry_result result)
{
    if (result != DRY_OK) {
        fprintf(stderr, "%s\n", dry_last_error());
        exit(1);
    }
}

int main(void)
{
    dry_world_def world_def = dry_default_world_def();
    dry_world *world;
    must(dry_world_create(&world_def, &world));

    dry_shape_def ground_shape = dry_default_shape_def();
    ground_shape.type = DRY_SHAPE_HALFSPACE;      /* all points with y <= 0 */
    dry_body_def ground = dry_default_body_def(); /* static, at the origin */
    ground.shapes = &ground_shape;
    ground.shape_count = 1;
    dry_body_id ground_id;
    must(dry_world_create_body(world, &ground, &ground_id));

    dry_shape_def cube_shape = dry_default_shape_def(); /* a box with sides of 1 m */
    dry_body_def cube = dry_default_body_def();
    cube.type = DRY_BODY_DYNAMIC;
    cube.shapes = &cube_shape;
    cube.shape_count = 1;
    dry_body_id cubes[10];
    for (int i = 0; i < 10; i++) {
        cube.pose.position.y = 0.6 + 1.1 * i; /* 10 cm apart */
        must(dry_world_create_body(world, &cube, &cubes[i]));
    }

    for (int step = 0; step < 120; step++) /* two seconds */
        must(dry_world_step(world, 1.0f / 60.0f));

    int standing = 0;
    for (int i = 0; i < 10; i++) {
        dry_pose pose;
        must(dry_body_get_pose(world, cubes[i], &pose));
        if (i % 3 == 0)
            printf("cube %d is at %.3f m\n", i, pose.position.y);
        standing += pose.position.y > i + 0.48 && pose.position.y < i + 0.5;
    }
    dry_world_destroy(world);
    return standing == 10 ? 0 : 1;
}
