/* Scenes: the built-in ones and scene files, shared by the tool, the tests and perf/.
 *
 * A dry_scene is a plain description; dry_scene_build puts it into a world. */
#ifndef SCENES_SCENES_H
#define SCENES_SCENES_H

#include <drystone/drystone.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dry_scene_body {
    char *id;         /* unique within the scene */
    dry_body_def def; /* def.shapes points into dry_scene.shapes once the scene is finished */
    int first_shape;
    bool has_mass;
} dry_scene_body;

typedef struct dry_scene_joint {
    dry_joint_def def; /* body ids not set; the indices below are */
    int body_a, body_b;
} dry_scene_joint;

typedef struct dry_scene {
    char *name;
    dry_vec3 gravity;
    float dt;
    dry_scene_body *bodies;
    dry_shape_def *shapes;
    dry_scene_joint *joints;
    int body_count, shape_count, joint_count;
    int body_capacity, shape_capacity, joint_capacity;
} dry_scene;

typedef struct dry_scene_builtin {
    const char *name;
    const char *summary; /* one line */
    const char *size_unit;
    int size_default, size_min, size_max;
} dry_scene_builtin;

/* The built-in scenes, ended by a null name. */
const dry_scene_builtin *dry_scene_builtins(void);

/* Fills *scene with a built-in scene; size 0 is its default. False with a one-line message that says
 * what was expected: unknown name, size out of range, out of memory. */
bool dry_scene_make(const char *name, int size, dry_scene *scene, char *error, size_t error_bytes);

/* Reads a scene file. The message names the file, the place in it (line or path such as
 * bodies[3].shapes[0].radius), and what was expected. Beside the fields that every reader of the format
 * knows, a joint may state "stiffness", "damping" and "collide" (0, 0, false), as in dry_joint_def. */
bool dry_scene_read(const char *path, dry_scene *scene, char *error, size_t error_bytes);

/* Writes a scene as a scene file (numbers read back exactly). */
bool dry_scene_write(const dry_scene *scene, const char *path, char *error, size_t error_bytes);

void dry_scene_free(dry_scene *scene);

/* Creates the scene's bodies and joints in a world in the scene's order; `ids` has room for body_count.
 * Gravity is a setting of the world and is not touched. */
dry_result dry_scene_build(const dry_scene *scene, dry_world *world, dry_body_id *ids);

#ifdef __cplusplus
}
#endif

#endif
