/* Declares what tests on scenes share: built-in scenes by name, and worlds of scenes. */
#ifndef TESTS_SCENE_WORLDS_H
#define TESTS_SCENE_WORLDS_H

#include "tests/test_world.h"
#include "tools/scenes/scenes.h"

static inline dry_scene scene_of(const char *name, int size)
{
    dry_scene made;
    char error[256] = "";
    if (!dry_scene_make(name, size, &made, error, sizeof error))
        fail_msg("%s", error);
    return made;
}

/* Builds a scene in a world. Returns the ids of its bodies, for free. */
static inline dry_body_id *built_in(dry_world *world, const dry_scene *made)
{
    dry_body_id *ids = malloc(((size_t)made->body_count + 1) * sizeof *ids);
    assert_non_null(ids);
    assert_ok(dry_scene_build(made, world, ids));
    return ids;
}

static inline dry_world *scene_world(const dry_scene *made, const dry_settings *settings, int threads)
{
    dry_world_def def = test_world_def();
    def.tag = 5;
    def.threads = threads;
    def.settings = *settings;
    def.settings.gravity = made->gravity;
    dry_world *world = world_from(&def);
    free(built_in(world, made));
    return world;
}

#endif
