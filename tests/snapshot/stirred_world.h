/* Declares what the tests of histories and deltas share: calls of every kind between steps, by a seed. */
#ifndef TESTS_SNAPSHOT_STIRRED_WORLD_H
#define TESTS_SNAPSHOT_STIRRED_WORLD_H

#include "tests/every_call.h"
#include "tests/memory_scenes.h"

static inline dry_history *history_of(dry_world *world, int steps)
{
    dry_history *history = NULL;
    assert_ok(dry_world_create_history(world, steps, &history));
    return history;
}

/* Makes calls with bodies, shapes and joints of the world, by a seed. They depend on the world and the seed
 * alone. */
static inline void stir(dry_world *world, uint64_t seed)
{
    enum { IDS = 64, CALLS = 4 };
    dry_body_id bodies[IDS];
    dry_shape_id shape;
    dry_joint_id joint;
    int count;
    for (int i = 0; i < CALLS; ++i) {
        const int found = (int)dry_world_get_bodies(world, bodies, IDS);
        const int made = found < IDS ? found : IDS;
        const int pick = random_below(&seed, made + 1), shape_call = random_below(&seed, SHAPE_CALLS),
                  joint_call = random_below(&seed, JOINT_CALLS), kind = random_below(&seed, 4);
        const double x = random_in(&seed, -1, 1), y = random_in(&seed, 0.5, 3);
        if (pick == made || made < BODIES / 2)
            add_dynamic(world, pose_at(x, y, 0.3 * i), i % 2 ? sphere_shape(0.2) : box_shape(0.2, 0.1, 0.3));
        else if (kind == 0 && dry_body_get_shapes(world, bodies[pick], &shape, 1, &count) == DRY_OK && count)
            call_with_shape(world, shape_call, shape);
        else if (kind == 1 && dry_body_get_joints(world, bodies[pick], &joint, 1, &count) == DRY_OK && count)
            call_with_joint(world, joint_call, joint);
        else
            call_with_body(world, random_below(&seed, BODY_CALLS), bodies[pick]);
    }
    if (random_below(&seed, 8) == 0) {
        dry_settings settings = dry_world_get_settings(world);
        settings.gravity.x = (float)random_in(&seed, -1, 1);
        assert_ok(dry_world_set_settings(world, &settings));
    }
}

#endif
