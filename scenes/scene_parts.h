/* What the files of scenes/ share: growing a scene, checking it, and one-line error messages.
 *
 * A scene is grown body by body, each body's shapes right after it, and is then finished, which points
 * every body's definition at its shapes. Memory comes from malloc: a scene belongs to no world. */
#ifndef SCENES_SCENE_PARTS_H
#define SCENES_SCENE_PARTS_H

#include "scenes/scenes.h"

#define DRY_SCENE_BODIES_MAX (1 << 24)
#define DRY_SCENE_MASS_MAX 1e15

/* Writes one line (bytes that would break it, such as a newline inside a quoted id, become spaces).
 * Always false, so that a check can end in `return dry_scene_fail(...)`. */
bool dry_scene_fail(char *error, size_t error_bytes, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* A copy from malloc, null if there is no memory. */
char *dry_scene_copy_text(const char *text);

/* Each returns the new index, or -1 if there is no memory. A shape goes to the last body. */
int dry_scene_add_body(dry_scene *scene, const char *id, const dry_body_def *def);
int dry_scene_add_shape(dry_scene *scene, const dry_shape_def *def);
int dry_scene_add_joint(dry_scene *scene, const dry_joint_def *def, int body_a, int body_b);
void dry_scene_finish(dry_scene *scene);

/* Every range that the public headers and the scene file state, so that neither dry_scene_build nor a
 * later reading fails. The message is a place such as bodies[3].shapes[0].radius and what was expected. */
bool dry_scene_check(const dry_scene *scene, char *error, size_t error_bytes);

/* From id to body index: open addressing, at most half full. */
typedef struct dry_scene_ids {
    int *slots; /* body index + 1; 0 is empty */
    size_t mask;
} dry_scene_ids;

/* Enters all ids; of equal ones the first stays and *duplicate is the first body that repeats one (-1 if
 * none does). False if there is no memory. */
bool dry_scene_ids_make(dry_scene_ids *ids, const dry_scene *scene, int *duplicate);
/* The body of that id, or -1. */
int dry_scene_ids_find(const dry_scene_ids *ids, const dry_scene *scene, const char *id);
void dry_scene_ids_free(dry_scene_ids *ids);

#endif
