/* One call on a world as data: drawn once, and then made on a world and on its twin. */
#ifndef TOOLS_CLI_SOAK_CALL_H
#define TOOLS_CLI_SOAK_CALL_H

#include "tools/cli/soak/lots.h"
#include "tools/cli/soak/model.h"

enum {
    CALL_BODIES = MODEL_MORE,
    CALL_SHAPES = 3,
    CALL_FOUND = 16,
    CALL_NUMBERS = 16,
    CALL_MATERIALS = 4,
    CALL_HEIGHTS = 8, /* of one side of a rectangle of heights */
    CALL_VOLUMES = CALL_BODIES / MODEL_JOINT_BODIES
};

typedef struct call_kind call_kind;

/* The answer of a call, beside its result. */
typedef struct soak_answer {
    dry_body_id bodies[CALL_BODIES];
    dry_shape_id shapes[CALL_FOUND];
    dry_joint_id joint, volumes[CALL_VOLUMES];
    dry_ray_hit hit;
    double numbers[CALL_NUMBERS]; /* of other queries */
    int count;
} soak_answer;

/* A kind of call reads those of the arguments that it needs, and all that it draws: a drawn number that is
 * none must make the call fail. */
typedef struct soak_call {
    const call_kind *kind;
    dry_body_id bodies[CALL_BODIES];
    int body_count;
    dry_shape_id shape;
    dry_joint_id joint;
    dry_body_def body_def;
    dry_shape_def shape_defs[CALL_SHAPES];
    dry_joint_def joint_def;
    dry_settings settings;
    dry_pose poses[CALL_BODIES];
    dry_velocity velocities[CALL_BODIES];
    dry_vec3 vector, other_vector;
    dry_position point;
    dry_mass mass;
    dry_filter filter;
    dry_material materials[CALL_MATERIALS];
    int material_count;
    float number, other_number;
    float heights[CALL_HEIGHTS * CALL_HEIGHTS];
    int rectangle[4]; /* of heights: row, column, rows, columns */
    int choice;
    soak_answer answer; /* of the call, once it was made */
} soak_call;

struct call_kind {
    const char *name;
    int share; /* of the calls that are made at random */
    void (*draw)(soak_call *call, soak_lots *lots, const soak_model *model);
    dry_result (*make)(dry_world *world, soak_call *call);
    /* Brings the model up to date after a call that was done; null if no id came or went. */
    void (*done)(soak_model *model, const dry_world *world, const soak_call *call);
};

/* The kinds of calls, in families, each ended by a kind without a name. */
extern const call_kind body_calls[], joint_calls[], motion_calls[], query_calls[], shape_calls[],
    world_calls[];

/* Draws a call of any kind. */
void call_draw(soak_call *call, soak_lots *lots, const soak_model *model);
/* Draws the arguments of a kind, by its name. */
void call_draw_named(soak_call *call, const char *name, soak_lots *lots, const soak_model *model);

/* Draws an id of the model, or now and then one that is dead or null. */
dry_body_id draw_body(soak_lots *lots, const soak_model *model);
dry_shape_id draw_shape(soak_lots *lots, const soak_model *model);
dry_joint_id draw_joint(soak_lots *lots, const soak_model *model);
/* Draws a pose above the ground. */
dry_pose draw_pose(soak_lots *lots);
/* Draws type, sizes, data and scale of a shape that any body may have. */
dry_shape_def draw_geometry(soak_lots *lots);
/* Draws a shape that any body may have. */
dry_shape_def draw_shape_def(soak_lots *lots);
/* Draws a mesh or a height field, with materials in the call if its data name any. */
dry_shape_def draw_triangles(soak_call *call, soak_lots *lots);
dry_material draw_material(soak_lots *lots);

#endif
