/* A soak's own account of which bodies, shapes and joints live, to hold a world's ids against. */
#ifndef TOOLS_CLI_SOAK_MODEL_H
#define TOOLS_CLI_SOAK_MODEL_H

#include <drystone/drystone.h>

enum {
    MODEL_BODIES = 512,
    MODEL_SHAPES = 2048,
    MODEL_JOINTS = 1024,
    MODEL_DEAD = 64,
    MODEL_JOINT_BODIES = 4,
    MODEL_MORE = 8 /* bodies or joints that one call adds at most */
};

typedef struct model_shape {
    dry_shape_id id;
    dry_body_id body;
    dry_shape_type type;
} model_shape;

typedef struct model_joint {
    dry_joint_id id;
    dry_body_id bodies[MODEL_JOINT_BODIES]; /* null: the world, or none */
    dry_joint_type type;
} model_joint;

/* All lists are in creation order. */
typedef struct soak_model {
    dry_body_id bodies[MODEL_BODIES];
    model_shape shapes[MODEL_SHAPES];
    model_joint joints[MODEL_JOINTS];
    int body_count, shape_count, joint_count;
    /* Ids that died last, in rings. */
    dry_body_id dead_bodies[MODEL_DEAD];
    dry_shape_id dead_shapes[MODEL_DEAD];
    dry_joint_id dead_joints[MODEL_DEAD];
    unsigned dead_body_count, dead_shape_count, dead_joint_count;
} soak_model;

/* Tells whether the lists have room for what one call may add. */
bool model_has_room(const soak_model *model);
/* Adds a body with the shapes that `world` says it has. */
void model_add_body(soak_model *model, const dry_world *world, dry_body_id id);
void model_add_shape(soak_model *model, const dry_world *world, dry_body_id body, dry_shape_id id);
/* Notes the type that a shape has now. */
void model_change_shape(soak_model *model, const dry_world *world, dry_shape_id id);
/* Adds a joint; `others` are its bodies after b, null if it has two. */
void model_add_joint(soak_model *model, const dry_joint_def *def, const dry_body_id *others, dry_joint_id id);
/* Removes a body with its shapes and joints. */
void model_remove_body(soak_model *model, dry_body_id id);
void model_remove_shape(soak_model *model, dry_shape_id id);
/* Returns the type of a living joint, that of a ball joint for any other id. */
dry_joint_type model_joint_type(const soak_model *model, dry_joint_id id);
void model_remove_joint(soak_model *model, dry_joint_id id);

/* Compares the lists with the world's ids and counts. Returns null, or what differs. */
const char *model_compare(const soak_model *model, const dry_world *world);

#endif
