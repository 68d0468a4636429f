/* The worlds that `drystone rooms` makes its rooms of. */
#include "tools/cli/rooms/run.h"
#include "tools/scenes/scenes.h"

#include <stdlib.h>
#include <string.h>

static bool append(void *user, const void *more, size_t size)
{
    rooms_master *to = user;
    if (to->size + size > to->room) {
        const size_t room = 2 * (to->size + size);
        char *grown = realloc(to->bytes, room);
        if (grown == NULL) {
            return false;
        }
        to->bytes = grown;
        to->room = room;
    }
    memcpy(to->bytes + to->size, more, size);
    to->size += size;
    return true;
}

static dry_result add_body(dry_world *world, dry_body_type type, dry_shape_type shape_type, double x,
                           double y)
{
    dry_shape_def shape = dry_default_shape_def();
    dry_body_def def = dry_default_body_def();
    dry_body_id id;
    shape.type = shape_type;
    def.type = type;
    def.pose.position = (dry_position){x, y, 0.0};
    def.shapes = &shape;
    def.shape_count = 1;
    return dry_world_create_body(world, &def, &id);
}

/* Builds ten towers of ten cubes, 3 m apart. */
static dry_result build_towers(dry_world *world)
{
    dry_result result = add_body(world, DRY_BODY_STATIC, DRY_SHAPE_HALFSPACE, 0.0, 0.0);
    for (int i = 0; i < 100 && result == DRY_OK; i++) {
        result = add_body(world, DRY_BODY_DYNAMIC, DRY_SHAPE_BOX, 3.0 * (i / 10), 0.5 + i % 10);
    }
    return result;
}

/* Builds a scene that has been made or read, in a new world. */
static dry_result build_scene(const dry_scene *scene, dry_world *world)
{
    dry_body_id *ids = calloc((size_t)scene->body_count + 1, sizeof *ids);
    const dry_result result = ids != NULL ? dry_scene_build(scene, world, ids) : DRY_ERROR_MEMORY;
    free(ids);
    return result;
}

/* Steps a world for two seconds and saves it. */
static dry_result settle(dry_world *world, rooms_master *master)
{
    const dry_sink sink = {append, master};
    dry_result result = DRY_OK;
    for (float t = 0.0f; t < 2.0f && result == DRY_OK; t += master->dt) {
        result = dry_world_step(world, master->dt);
    }
    return result == DRY_OK ? dry_world_save(world, NULL, &sink) : result;
}

static bool is_file(const char *name)
{
    return strchr(name, '/') != NULL || strstr(name, ".json") != NULL;
}

bool rooms_master_make(const rooms_scene *scene, bool sleep, rooms_master *master, char *error)
{
    const bool towers = scene->name[0] == '\0';
    dry_scene made = {.dt = 1.0f / 60};
    dry_world_def def = dry_default_world_def();
    dry_world *world = NULL;
    if (!towers && is_file(scene->name) && scene->size > 0) {
        snprintf(error, ROOMS_ERROR_BYTES, "%.255s: a file has no size", scene->name);
        return false;
    }
    if (!towers &&
        !(is_file(scene->name) ? dry_scene_read(scene->name, &made, error, ROOMS_ERROR_BYTES)
                               : dry_scene_make(scene->name, scene->size, &made, error, ROOMS_ERROR_BYTES))) {
        return false;
    }
    if (!towers) {
        def.settings.gravity = made.gravity;
    }
    def.settings.sleep = sleep;
    *master = (rooms_master){.dt = made.dt};
    dry_result result = dry_world_create(&def, &world);
    if (result == DRY_OK) {
        result = towers ? build_towers(world) : build_scene(&made, world);
    }
    if (result == DRY_OK) {
        result = settle(world, master);
    }
    dry_world_destroy(world);
    if (!towers) {
        dry_scene_free(&made);
    }
    if (result != DRY_OK) {
        snprintf(error, ROOMS_ERROR_BYTES, "%.255s: %s", towers ? "the towers" : scene->name,
                 dry_result_name(result));
    }
    return result == DRY_OK;
}
