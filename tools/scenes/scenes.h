/* Scenes, built in or from files, for the tool, the tests and perf/.
 *
 * A dry_scene is a plain description; dry_scene_build creates its bodies and joints in a world. */
#ifndef TOOLS_SCENES_SCENES_H
#define TOOLS_SCENES_SCENES_H

#include <drystone/drystone.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dry_scene_body {
    char *id;         /* unique within the scene */
    dry_body_def def; /* def.shapes points into dry_scene.shapes after the scene is finished */
    int first_shape;
    bool has_mass;
} dry_scene_body;

/* As a joint's body_a: the world. */
#define DRY_SCENE_WORLD (-1)

typedef struct dry_scene_joint {
    dry_joint_def def; /* without ids of bodies; the indices below name them */
    int body_a, body_b;
    int body_c, body_d; /* of a volume joint, as are the next */
    dry_vec3 anchor_c, anchor_d;
} dry_scene_joint;

/* Shape data as the scene describes them. Shapes with equal data have one form. */
typedef struct dry_scene_form {
    dry_shape_type type;
    dry_shape_data *data; /* with one reference, which the scene holds */
    dry_vec3 *points;     /* of a hull or of triangles, m, in the scene's order */
    int point_count, max_vertices;
    int32_t *triangles; /* of a mesh, or of a height field's cells that are no holes: three points each */
    int triangle_count;
    bool two_sided, solid;      /* of a mesh */
    dry_height_field_def field; /* of a height field; its arrays are the next three */
    float *heights;
    uint8_t *holes;
    uint16_t *material_indices; /* for each triangle of a mesh, or each cell; null: none */
    dry_shape_def *children;    /* of a compound; their data are forms of the scene, too */
    int child_count;
    struct dry_polytope *polytope; /* of a hull's points, by tools/scenes/polytope.c */
    uint64_t contents;             /* a hash of all this */
} dry_scene_form;

typedef struct dry_scene {
    char *name;
    dry_vec3 gravity;
    float dt;
    dry_scene_body *bodies;
    dry_shape_def *shapes; /* def.data is null or that of a form; def.materials are the scene's */
    dry_scene_joint *joints;
    dry_scene_form *forms;
    int body_count, shape_count, joint_count, form_count;
    int body_capacity, shape_capacity, joint_capacity, form_capacity;
    int *form_slots; /* two hash tables of forms (forms.c): by contents and by data */
    size_t form_mask;
} dry_scene;

/* Returns the form of a shape's data; null if the scene has none. */
const dry_scene_form *dry_scene_form_of(const dry_scene *scene, const dry_shape_data *data);

typedef struct dry_scene_builtin {
    const char *name;
    const char *summary; /* one line */
    const char *size_unit;
    int size_default, size_min, size_max;
} dry_scene_builtin;

/* Returns the built-in scenes; the last element has a null name. */
const dry_scene_builtin *dry_scene_builtins(void);

/* Fills *scene with a built-in scene; a size of 0 takes the scene's default. Returns false with a message of
 * one line: an unknown name, a size out of range, or no memory. */
bool dry_scene_make(const char *name, int size, dry_scene *scene, char *error, size_t error_bytes);

/* Reads a scene file. An error message names the file, the place in it (a line, or a path such as
 * bodies[3].shapes[0].radius), and the expected value. docs/scene_files.md has the format. */
bool dry_scene_read(const char *path, dry_scene *scene, char *error, size_t error_bytes);

/* Writes a scene as a scene file, whose numbers read back exactly. */
bool dry_scene_write(const dry_scene *scene, const char *path, char *error, size_t error_bytes);

/* Writes a scene as a scene file to an open stream. Returns false, with a message, if the scene has a value
 * for which the format has no field; ferror tells of the stream. */
bool dry_scene_print(const dry_scene *scene, FILE *stream, char *error, size_t error_bytes);

/* Shifts each dynamic body along x and z by up to `shift_max_m`, uniformly distributed. The shifts depend on
 * the seed and the order of the bodies alone. */
void dry_scene_disorder(dry_scene *scene, double shift_max_m, uint64_t seed);

/* Adds `times` the mass of all dynamic bodies to the dynamic body with this id: a load on the frame of a
 * machine. Its inertia scales with its mass. Returns false if the scene has no such body, or the mass would
 * be out of range. */
bool dry_scene_add_load(dry_scene *scene, const char *id, double times);

void dry_scene_free(dry_scene *scene);

/* Creates the scene's bodies and joints in a world, in the scene's order. `ids` has room for body_count ids.
 * Does not change the world's gravity, which is a setting. */
dry_result dry_scene_build(const dry_scene *scene, dry_world *world, dry_body_id *ids);

/* Creates `count` volume joints, at least one, all or none. Their bodies are those of `bodies` at their
 * indices. */
dry_result dry_scene_create_volumes(dry_world *world, int count, const dry_scene_joint *joints,
                                    const dry_body_id *bodies, dry_joint_id *ids);

#ifdef __cplusplus
}
#endif

#endif
