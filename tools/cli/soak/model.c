/* Keeps account of live and dead ids (model.h). */
#include "tools/cli/soak/model.h"

#include <string.h>

enum { SHAPES_MAX = 8 }; /* of a new body */

bool model_has_room(const soak_model *model)
{
    return model->body_count + MODEL_MORE <= MODEL_BODIES &&
           model->shape_count + MODEL_MORE * SHAPES_MAX <= MODEL_SHAPES &&
           model->joint_count + MODEL_MORE <= MODEL_JOINTS;
}

void model_add_shape(soak_model *model, const dry_world *world, dry_body_id body, dry_shape_id id)
{
    if (model->shape_count < MODEL_SHAPES) {
        model->shapes[model->shape_count++] = (model_shape){id, body, DRY_SHAPE_TYPE_COUNT};
        model_change_shape(model, world, id);
    }
}

void model_change_shape(soak_model *model, const dry_world *world, dry_shape_id id)
{
    dry_shape_def def;
    for (int i = model->shape_count - 1; i >= 0; i--) {
        if (model->shapes[i].id.bits == id.bits && dry_shape_get_def(world, id, &def) == DRY_OK) {
            model->shapes[i].type = def.type;
            return;
        }
    }
}

void model_add_body(soak_model *model, const dry_world *world, dry_body_id id)
{
    dry_shape_id shapes[SHAPES_MAX];
    int count = 0;
    model->bodies[model->body_count++] = id;
    if (dry_body_get_shapes(world, id, shapes, SHAPES_MAX, &count) == DRY_OK) {
        for (int i = 0; i < count && i < SHAPES_MAX; i++) {
            model_add_shape(model, world, id, shapes[i]);
        }
    }
}

void model_add_joint(soak_model *model, const dry_joint_def *def, const dry_body_id *others, dry_joint_id id)
{
    model_joint *joint = &model->joints[model->joint_count++];
    *joint = (model_joint){id, {def->body_a, def->body_b}, def->type};
    for (int i = 2; others != NULL && i < MODEL_JOINT_BODIES; i++) {
        joint->bodies[i] = others[i - 2];
    }
}

static void remove_shape_at(soak_model *model, int at)
{
    model->dead_shapes[model->dead_shape_count++ % MODEL_DEAD] = model->shapes[at].id;
    model->shape_count--;
    memmove(&model->shapes[at], &model->shapes[at + 1],
            (size_t)(model->shape_count - at) * sizeof *model->shapes);
}

static void remove_joint_at(soak_model *model, int at)
{
    model->dead_joints[model->dead_joint_count++ % MODEL_DEAD] = model->joints[at].id;
    model->joint_count--;
    memmove(&model->joints[at], &model->joints[at + 1],
            (size_t)(model->joint_count - at) * sizeof *model->joints);
}

void model_remove_shape(soak_model *model, dry_shape_id id)
{
    for (int i = model->shape_count - 1; i >= 0; i--) {
        if (model->shapes[i].id.bits == id.bits) {
            remove_shape_at(model, i);
        }
    }
}

dry_joint_type model_joint_type(const soak_model *model, dry_joint_id id)
{
    for (int i = 0; i < model->joint_count; i++) {
        if (model->joints[i].id.bits == id.bits) {
            return model->joints[i].type;
        }
    }
    return DRY_JOINT_BALL;
}

void model_remove_joint(soak_model *model, dry_joint_id id)
{
    for (int i = model->joint_count - 1; i >= 0; i--) {
        if (model->joints[i].id.bits == id.bits) {
            remove_joint_at(model, i);
        }
    }
}

static bool joins(const model_joint *joint, dry_body_id id)
{
    for (int side = 0; side < MODEL_JOINT_BODIES; side++) {
        if (joint->bodies[side].bits == id.bits) {
            return true;
        }
    }
    return false;
}

void model_remove_body(soak_model *model, dry_body_id id)
{
    for (int i = model->joint_count - 1; i >= 0; i--) {
        if (joins(&model->joints[i], id)) {
            remove_joint_at(model, i);
        }
    }
    for (int i = model->shape_count - 1; i >= 0; i--) {
        if (model->shapes[i].body.bits == id.bits) {
            remove_shape_at(model, i);
        }
    }
    for (int i = model->body_count - 1; i >= 0; i--) {
        if (model->bodies[i].bits == id.bits) {
            model->dead_bodies[model->dead_body_count++ % MODEL_DEAD] = id;
            model->body_count--;
            memmove(&model->bodies[i], &model->bodies[i + 1],
                    (size_t)(model->body_count - i) * sizeof *model->bodies);
        }
    }
}

static bool all_live(const soak_model *model, const dry_world *world)
{
    bool live = true;
    for (int i = 0; i < model->body_count; i++) {
        live = live && dry_body_is_valid(world, model->bodies[i]);
    }
    for (int i = 0; i < model->shape_count; i++) {
        live = live && dry_shape_is_valid(world, model->shapes[i].id);
    }
    for (int i = 0; i < model->joint_count; i++) {
        live = live && dry_joint_is_valid(world, model->joints[i].id);
    }
    return live;
}

static bool all_dead(const soak_model *model, const dry_world *world)
{
    bool dead = true;
    for (unsigned i = 0; i < MODEL_DEAD; i++) {
        dead = dead && !(i < model->dead_body_count && dry_body_is_valid(world, model->dead_bodies[i])) &&
               !(i < model->dead_shape_count && dry_shape_is_valid(world, model->dead_shapes[i])) &&
               !(i < model->dead_joint_count && dry_joint_is_valid(world, model->dead_joints[i]));
    }
    return dead;
}

const char *model_compare(const soak_model *model, const dry_world *world)
{
    dry_body_id ids[MODEL_BODIES];
    dry_statistics statistics = dry_world_statistics(world);
    if (dry_world_get_bodies(world, ids, MODEL_BODIES) != model->body_count ||
        memcmp(ids, model->bodies, (size_t)model->body_count * sizeof *ids) != 0) {
        return "the list of bodies is not that of the calls";
    }
    if (statistics.bodies != model->body_count || statistics.shapes != model->shape_count ||
        statistics.joints != model->joint_count) {
        return "a count of the statistics is not that of the calls";
    }
    if (!all_live(model, world)) {
        return "the id of a living object is not valid";
    }
    return all_dead(model, world) ? NULL : "the id of a destroyed object is valid";
}
