/* The world that bad input is tried on, and how a refusal is recognised. */
#ifndef TESTS_BAD_INPUT_WORLD_H
#define TESTS_BAD_INPUT_WORLD_H

#include "tests/every_call.h"

/* A world with everything in it, and ids of things that were in it. */
typedef struct fixture {
    dry_world *world;
    dry_body_id floor, dynamic, other, kinematic, stale_body;
    dry_shape_id shape, stale_shape;
    dry_joint_id joint, stale_joint;
    int log_lines;
    char line[512]; /* the last one of the log */
} fixture;

static inline void count_line(const char *line, void *user)
{
    fixture *f = user;
    f->log_lines++;
    assert_true(line && line[0] && !strchr(line, '\n'));
    snprintf(f->line, sizeof f->line, "%s", line);
}

static inline dry_joint_def sound_joint(const fixture *f)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
    def.body_a = f->dynamic;
    def.body_b = f->other;
    def.length = 3;
    return def;
}

static inline void fixture_make(fixture *f, uint16_t tag)
{
    *f = (fixture){0};
    dry_world_def def = test_world_def();
    def.tag = tag;
    def.settings.sleep = false;
    def.log = (dry_log){count_line, f};
    f->world = world_from(&def);
    f->dynamic = add_dynamic(f->world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    f->floor = add_floor(f->world, 0.6, 0);
    f->other = add_dynamic(f->world, pose_at(3, 0.5, 0), sphere_shape(0.5));
    f->kinematic = add_body(f->world, DRY_BODY_KINEMATIC, pose_at(-5, 2, 0), box_shape(1, 0.1, 1));
    f->stale_body = add_dynamic(f->world, pose_at(9, 0.5, 0), sphere_shape(0.5));
    int count;
    assert_ok(dry_body_get_shapes(f->world, f->stale_body, &f->stale_shape, 1, &count));
    assert_ok(dry_body_get_shapes(f->world, f->dynamic, &f->shape, 1, &count));
    dry_joint_def joint = sound_joint(f);
    assert_ok(dry_world_create_joint(f->world, &joint, &f->joint));
    joint.body_b = f->stale_body;
    joint.length = 9;
    assert_ok(dry_world_create_joint(f->world, &joint, &f->stale_joint));
    assert_ok(dry_body_destroy(f->world, f->stale_body));
    run_steps(f->world, 5, TEST_DT);
    assert_int_equal(f->log_lines, 0);
}

/* The call was refused for the expected reason, said so once, and left the state as it was. */
#define assert_refused(f, call, expected)                                                                    \
    do {                                                                                                     \
        uint64_t hash_before = dry_world_hash((f)->world);                                                   \
        dry_statistics before_ = dry_world_statistics((f)->world);                                           \
        int lines_before = (f)->log_lines;                                                                   \
        assert_int_equal((call), (expected));                                                                \
        dry_statistics after_ = dry_world_statistics((f)->world);                                            \
        assert_true(dry_world_hash((f)->world) == hash_before);                                              \
        assert_int_equal(before_.bodies, after_.bodies);                                                     \
        assert_int_equal(before_.shapes, after_.shapes);                                                     \
        assert_int_equal(before_.joints, after_.joints);                                                     \
        assert_true((f)->log_lines > lines_before);                                                          \
        assert_string_equal(dry_last_error(), (f)->line);                                                    \
    } while (0)

static inline void fixture_end(fixture *f)
{
    run_steps(f->world, 5, TEST_DT);
    assert_true(body_is_finite(f->world, f->dynamic) && body_is_finite(f->world, f->other));
    assert_near(position_of(f->world, f->dynamic).y, 0.5, 0.01);
    dry_world_destroy(f->world);
}

#endif
