// A program of another project, in C++: a box set down on a half-space stays there. Built by test_install
// against the installed package.
#include <drystone/drystone.h>

#include <cmath>
#include <cstdio>
#include <memory>

int main()
{
    dry_world_def world_def = dry_default_world_def();
    world_def.threads = 2;
    dry_world *made = nullptr;
    if (dry_world_create(&world_def, &made) != DRY_OK)
        return 1;
    std::unique_ptr<dry_world, decltype(&dry_world_destroy)> world(made, dry_world_destroy);

    dry_shape_def ground = dry_default_shape_def();
    ground.type = DRY_SHAPE_HALFSPACE;
    dry_shape_def box = dry_default_shape_def();
    dry_body_def defs[2] = {dry_default_body_def(), dry_default_body_def()};
    defs[0].shapes = &ground;
    defs[0].shape_count = 1;
    defs[1].type = DRY_BODY_DYNAMIC;
    defs[1].pose.position.y = 0.5;
    defs[1].shapes = &box;
    defs[1].shape_count = 1;
    dry_body_id bodies[2];
    if (dry_world_create_bodies(world.get(), 2, defs, bodies) != DRY_OK)
        return 1;

    for (int step = 0; step < 60; ++step)
        if (dry_world_step(world.get(), 1.0f / 60.0f) != DRY_OK)
            return 1;

    dry_pose pose;
    if (dry_body_get_pose(world.get(), bodies[1], &pose) != DRY_OK)
        return 1;
    std::printf("drystone %s, rests at %.4f m\n", dry_version(), pose.position.y);
    return std::fabs(pose.position.y - 0.5) < 0.01 ? 0 : 1;
}
