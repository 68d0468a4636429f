/* Declares what tests of joints share: makers and reads that must succeed. */
#ifndef TESTS_TEST_JOINT_H
#define TESTS_TEST_JOINT_H

#include "tests/test_world.h"

static inline dry_joint_id join(dry_world *world, const dry_joint_def *def)
{
    dry_joint_id id = {0};
    assert_ok(dry_world_create_joint(world, def, &id));
    return id;
}

static inline dry_joint_axis_state axis_of(const dry_world *world, dry_joint_id id, dry_axis axis)
{
    dry_joint_axis_state state = {0};
    assert_ok(dry_joint_get_axis(world, id, axis, &state));
    return state;
}

#endif
