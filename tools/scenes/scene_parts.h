/* Declares what the files of tools/scenes/ share: adding to a scene, checking it, and error messages of one
 * line.
 *
 * A scene grows body by body; the shapes of a body follow it. Finishing the scene then points every body's
 * definition at its shapes. Memory comes from malloc, since a scene belongs to no world. */
#ifndef TOOLS_SCENES_SCENE_PARTS_H
#define TOOLS_SCENES_SCENE_PARTS_H

#include "core/compiler.h"
#include "state/joint_list.h"
#include "tools/scenes/scenes.h"

#define DRY_SCENE_BODIES_MAX ((1 << 24) - 1)
#define DRY_SCENE_MASS_MAX 1e15
#define DRY_SCENE_GROUP_MAX 1000000000
#define DRY_SCENE_ID_MAX 9007199254740992.0 /* 2^53: a number of JSON holds each whole number up to it */

/* Writes a message of one line; a byte that would break the line, such as a newline in a quoted id, becomes a
 * space. Always returns false, so that a check can end with `return dry_scene_fail(...)`. */
bool dry_scene_fail(char *error, size_t error_bytes, const char *format, ...)
#if defined(__GNUC__)
    DRY_PRINTF(3, 4)
#endif
        ;

/* Returns a copy from malloc; null if there is no memory. */
char *dry_scene_copy_text(const char *text);

/* Each adds an element and returns its index, or -1 if there is no memory. A shape belongs to the last body,
 * and its materials are copied. The caller sets the bodies and anchors c and d of a joint of four bodies. */
int dry_scene_add_body(dry_scene *scene, const char *id, const dry_body_def *def);
int dry_scene_add_shape(dry_scene *scene, const dry_shape_def *def);
int dry_scene_add_joint(dry_scene *scene, const dry_joint_def *def, int body_a, int body_b);
void dry_scene_finish(dry_scene *scene);

/* Each creates data, or finds those of a form with equal contents. The scene holds their reference. *data is
 * null after a failure, of which alone `report` tells; it may be null. Errors are those of dry_hull_create
 * and the other calls that create data. */
dry_result dry_scene_add_hull(dry_scene *scene, const dry_vec3 *points, int count, int max_vertices,
                              dry_shape_data **data, dry_hull_report *report);
dry_result dry_scene_add_mesh(dry_scene *scene, const dry_mesh *mesh, const dry_mesh_options *options,
                              dry_shape_data **data, dry_mesh_report *report);
dry_result dry_scene_add_height_field(dry_scene *scene, const dry_height_field_def *field,
                                      dry_shape_data **data, dry_height_field_report *report);
/* Data of children are those of the scene's forms. */
dry_result dry_scene_add_compound(dry_scene *scene, const dry_shape_def *children, int count,
                                  dry_shape_data **data);
void dry_scene_free_forms(dry_scene *scene);

/* Reserves room for one more element. Doubling the capacity keeps a million additions linear. */
bool dry_scene_grow(void **array, int *capacity, int count, size_t element_bytes);

/* Checks every range that the public headers and the scene file state. A scene that passes can be built, and
 * read again after writing. The message has a place such as bodies[3].shapes[0].radius and the expected
 * value. */
bool dry_scene_check(const dry_scene *scene, char *error, size_t error_bytes);

/* Checks a child of a compound that the scene does not have yet. The message begins with the field. */
bool dry_scene_check_child(const dry_scene *scene, const dry_shape_def *child, char *error,
                           size_t error_bytes);

/* Normalizes a quaternion or a normal. Rounding leaves |q|^2 within 5e-7 of 1; such a value stays as it is,
 * so that a written scene reads back exactly. */
void dry_scene_normalize(float *const *x, int count);

/* The names of rules of combination in the scene file. */
extern const char *const dry_scene_rule_names[DRY_COMBINE_COUNT];

/* The names of the types of shapes in the scene file. */
extern const char *const dry_scene_shape_names[DRY_SHAPE_TYPE_COUNT];

/* The events that a shape asks for, by the bits of dry_shape_def.events. */
extern const char *const dry_scene_event_names[DRY_SHAPE_EVENTS_ALL + 1];

/* Returns the volume of a shape with its scale, m^3; 0 for a half-space. */
double dry_scene_volume(const dry_scene *scene, const dry_shape_def *shape);

/* Returns the mass of a body of the scene, kg: what it states, or that of its shapes. */
double dry_scene_body_mass(const dry_scene *scene, const dry_scene_body *body);

/* A number of a joint, or of one of its axes, as the scene file has it. Reader, checker and writer walk
 * tables of these. The value is from `low` to `high`, or the default, which may be infinite; then it is left
 * out. */
typedef struct dry_scene_number {
    const char *name;
    size_t offset; /* of a float in dry_joint_def or dry_joint_axis */
    float low, high;
    uint32_t has;    /* a joint's: what a type with the number has, DRY_JOINT_HAS_... */
    dry_motor motor; /* an axis's: the motor that its presence makes; OFF: none */
} dry_scene_number;

/* Both end with a null name. */
extern const dry_scene_number dry_scene_joint_numbers[];
extern const dry_scene_number dry_scene_axis_numbers[];

static inline float *dry_scene_number_in(void *owner, const dry_scene_number *number)
{
    return (float *)(void *)((char *)owner + number->offset);
}

static inline float dry_scene_number_of(const void *owner, const dry_scene_number *number)
{
    return *(const float *)(const void *)((const char *)owner + number->offset);
}

/* Tells whether a joint of this type has the number. */
static inline bool dry_scene_joint_has(dry_joint_type type, const dry_scene_number *number)
{
    return dry_joint_has(type, number->has);
}

/* Tells whether a joint must state a number: a distance joint its length, but for a rope or a strut without a
 * spring. `length` is the last number, so that a reader knows the others. */
bool dry_scene_joint_needs(const dry_joint_def *def, const dry_scene_number *number);

/* A joint type as the scene file has it. */
typedef struct dry_scene_joint_form {
    const char *name;
    bool bare;     /* has nothing but its two bodies */
    bool framed;   /* has orientation_a and orientation_b, which are optional */
    bool states;   /* its axes have `state` */
    bool corners;  /* has bodies and anchors c and d */
    uint32_t axes; /* bits of the axes that it has */
} dry_scene_joint_form;
extern const dry_scene_joint_form dry_scene_joint_forms[DRY_JOINT_TYPE_COUNT];
extern const char *const dry_scene_axis_names[DRY_AXIS_COUNT];

/* The names of the solvers that a joint may state, from DRY_JOINT_SOLVER_ITERATIVE on. A joint that states
 * none is solved as the world's others are. */
enum { DRY_SCENE_JOINT_SOLVERS = DRY_JOINT_SOLVER_COUNT - DRY_JOINT_SOLVER_ITERATIVE };
extern const char *const dry_scene_joint_solver_names[DRY_SCENE_JOINT_SOLVERS];

/* Returns an axis that is free and along which nothing acts, which an axis in the file begins as. */
dry_joint_axis dry_scene_free_axis(void);

/* A hash table from ids to indices of bodies, with open addressing, at most half full. */
typedef struct dry_scene_ids {
    int *slots; /* index of a body + 1; 0 if empty */
    size_t mask;
} dry_scene_ids;

/* Adds all ids; the first of equal ids stays. Sets *duplicate to the first body that repeats an id, or to -1.
 * Returns false if there is no memory. */
bool dry_scene_ids_make(dry_scene_ids *ids, const dry_scene *scene, int *duplicate);
/* Returns the index of the body with the id, or -1. */
int dry_scene_ids_find(const dry_scene_ids *ids, const dry_scene *scene, const char *id);
void dry_scene_ids_free(dry_scene_ids *ids);

#endif
