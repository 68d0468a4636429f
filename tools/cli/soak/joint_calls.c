/* The calls that create, destroy and change joints. */
#include "state/joint_list.h"
#include "tools/cli/soak/call.h"
#include "tools/scenes/scenes.h"

#include <math.h>

/* Draws a number from -1 to 1 that is always sound: bounds may be infinite, so that an odd one might be
 * accepted. */
static float draw_bound(soak_lots *lots)
{
    return (float)(lots_below(lots, 2001) - 1000) * 1e-3f;
}

/* Lets something act along an axis. */
static void draw_axis(dry_joint_axis *axis, soak_lots *lots)
{
    axis->min = -INFINITY;
    axis->max = INFINITY;
    if (lots_once_in(lots, 2)) {
        axis->min = -0.1f - fabsf(draw_bound(lots));
        axis->max = 0.1f + fabsf(draw_bound(lots));
        if (lots_once_in(lots, 3)) {
            axis->stop_restitution = lots_number(lots, 0.0, 1.0);
        } else if (lots_once_in(lots, 2)) {
            axis->stop_hertz = lots_number(lots, 1.0, 10.0);
        }
    }
    if (lots_once_in(lots, 3)) {
        axis->motor = (dry_motor)(1 + lots_below(lots, DRY_MOTOR_COUNT - 1));
        axis->velocity = axis->motor == DRY_MOTOR_POSITION ? 0.0f : lots_number(lots, -5.0, 5.0);
        axis->position = axis->motor == DRY_MOTOR_VELOCITY ? 0.0f : lots_number(lots, -1.0, 1.0);
        axis->force_max = 1e3f * fabsf(draw_bound(lots));
    }
    if (lots_once_in(lots, 3)) {
        axis->stiffness = lots_number(lots, 1.0, 1e4);
        axis->rest = lots_number(lots, -1.0, 1.0);
    }
    if (lots_once_in(lots, 3)) {
        axis->damping = lots_number(lots, 0.0, 1e3);
    }
    if (lots_once_in(lots, 3)) {
        axis->friction = lots_number(lots, 0.0, 1e3);
    }
}

/* Draws all of a definition but its type and its bodies. */
static void draw_rest(dry_joint_def *def, soak_lots *lots)
{
    if (!dry_joint_has(def->type, DRY_JOINT_HAS_ROWS)) {
        return;
    }
    def->anchor_a = lots_vector(lots, 0.5);
    def->anchor_b = lots_vector(lots, 0.5);
    if (dry_joint_has(def->type, DRY_JOINT_HAS_LENGTH)) {
        def->length = lots_number(lots, 0.0, 2.0);
        def->length_max = lots_once_in(lots, 3) ? 2.0f + draw_bound(lots) : INFINITY;
    }
    if (dry_joint_has(def->type, DRY_JOINT_HAS_FRICTION) && lots_once_in(lots, 3)) {
        def->friction = lots_number(lots, 0.0, 1e3);
    }
    if (dry_joint_has(def->type, DRY_JOINT_HAS_ANGULAR_SPRING) && lots_once_in(lots, 3)) {
        def->stiffness = lots_number(lots, 0.0, 1e5);
        def->angular_stiffness = lots_number(lots, 1.0, 1e4);
        def->angular_damping = lots_number(lots, 0.0, 1e2);
    }
    if (dry_joint_has(def->type, DRY_JOINT_HAS_VOLUME)) {
        def->volume = lots_number(lots, -1.0, 1.0);
        def->solver = lots_once_in(lots, 2) ? DRY_JOINT_SOLVER_WORLD : DRY_JOINT_SOLVER_ITERATIVE;
    } else {
        def->collide = lots_once_in(lots, 3);
        def->solver = (dry_joint_solver)lots_below(lots, DRY_JOINT_SOLVER_COUNT);
    }
    if (lots_once_in(lots, 8)) {
        def->hertz = lots_number(lots, 0.0, 300.0);
    }
    if (lots_once_in(lots, 8)) {
        def->break_force = lots_number(lots, 1e3, 1e5);
        def->event_torque = lots_number(lots, 1e2, 1e4);
    }
    if (dry_joint_has(def->type, DRY_JOINT_HAS_TEETH)) {
        def->teeth_a = (float)(1 + lots_below(lots, 20));
        def->teeth_b = (float)(21 + lots_below(lots, 20));
        def->teeth_b *= lots_once_in(lots, 3) ? -1.0f : 1.0f;
    }
    if (dry_joint_has(def->type, DRY_JOINT_HAS_RADIUS)) {
        def->radius = lots_number(lots, 0.1, 1.0);
        def->radius *= lots_once_in(lots, 2) ? -1.0f : 1.0f;
    }
    if (dry_joint_has(def->type, DRY_JOINT_HAS_FRAMES)) {
        def->orientation_a = lots_rotation(lots);
        def->orientation_b = lots_rotation(lots);
        for (int i = 0; i < DRY_AXIS_COUNT; i++) {
            /* An axis that is locked unless it is set may be set, too. */
            bool has = def->axes[i].min < def->axes[i].max || dry_joint_has(def->type, DRY_JOINT_HAS_STATES);
            if (has && lots_once_in(lots, 2)) {
                draw_axis(&def->axes[i], lots);
            }
        }
    } else if (lots_once_in(lots, 3)) {
        def->stiffness = lots_number(lots, 1.0, 1e5);
        def->damping = lots_number(lots, 0.0, 1e3);
    }
}

/* Draws a type of joints of four bodies, or of two. */
static dry_joint_type draw_type(soak_lots *lots, bool four)
{
    dry_joint_type types[DRY_JOINT_TYPE_COUNT];
    int count = 0;
    for (int type = 0; type < DRY_JOINT_TYPE_COUNT; type++) {
        if (dry_joint_has((dry_joint_type)type, DRY_JOINT_HAS_CORNERS) == four) {
            types[count++] = (dry_joint_type)type;
        }
    }
    return types[lots_below(lots, count)];
}

static void draw_joint_def(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->joint_def = dry_default_joint_def(draw_type(lots, false));
    dry_joint_def *def = &call->joint_def;
    if (!dry_joint_has(def->type, DRY_JOINT_HAS_ROWS) ||
        (def->type != DRY_JOINT_TARGET && !lots_once_in(lots, 6))) {
        def->body_a = draw_body(lots, model);
    }
    def->body_b = draw_body(lots, model);
    draw_rest(def, lots);
}

static void draw_joint_change(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->joint = draw_joint(lots, model);
    call->joint_def = dry_default_joint_def(model_joint_type(model, call->joint));
    draw_rest(&call->joint_def, lots);
}

static dry_result make_set_joint_def(dry_world *world, soak_call *call)
{
    dry_joint_def now, def = call->joint_def;
    if (dry_joint_get_def(world, call->joint, &now) == DRY_OK) {
        def.body_a = now.body_a;
        def.body_b = now.body_b;
    }
    return dry_joint_set_def(world, call->joint, &def);
}

static void draw_axis_change(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->joint = draw_joint(lots, model);
    call->choice = lots_below(lots, DRY_AXIS_COUNT);
    call->joint_def = dry_default_joint_def(DRY_JOINT_GENERIC);
    draw_axis(&call->joint_def.axes[call->choice], lots);
}

static dry_result make_set_joint_axes(dry_world *world, soak_call *call)
{
    dry_joint_axis_change change = {call->joint, (dry_axis)call->choice, call->joint_def.axes[call->choice]};
    return dry_world_set_joint_axes(world, 1, &change);
}

static dry_result make_set_joint_motor(dry_world *world, soak_call *call)
{
    const dry_joint_axis *a = &call->joint_def.axes[call->choice];
    return dry_joint_set_motor(world, call->joint, (dry_axis)call->choice, a->motor, a->position);
}

static void draw_joint_enabled(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->joint = draw_joint(lots, model);
    call->choice = lots_below(lots, 3);
}

static dry_result make_set_joint_enabled(dry_world *world, soak_call *call)
{
    return dry_joint_set_enabled(world, call->joint, call->choice > 0);
}

static dry_result make_create_joint(dry_world *world, soak_call *call)
{
    return dry_world_create_joint(world, &call->joint_def, &call->answer.joint);
}

static void add_joint(soak_model *model, const dry_world *world, const soak_call *call)
{
    (void)world;
    model_add_joint(model, &call->joint_def, NULL, call->answer.joint);
}

static void draw_destroy_joint(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->joint = draw_joint(lots, model);
}

static dry_result make_destroy_joint(dry_world *world, soak_call *call)
{
    return dry_joint_destroy(world, call->joint);
}

static void remove_joint(soak_model *model, const dry_world *world, const soak_call *call)
{
    (void)world;
    model_remove_joint(model, call->joint);
}

static void draw_volumes(soak_call *call, soak_lots *lots, const soak_model *model)
{
    call->body_count = MODEL_JOINT_BODIES * (1 + lots_below(lots, CALL_VOLUMES));
    for (int i = 0; i < call->body_count; i++) {
        call->bodies[i] = draw_body(lots, model);
    }
    call->joint_def = dry_default_joint_def(draw_type(lots, true));
    call->vector = lots_vector(lots, 0.5);
    call->other_vector = lots_vector(lots, 0.5);
    draw_rest(&call->joint_def, lots);
}

static dry_result make_create_volumes(dry_world *world, soak_call *call)
{
    dry_scene_joint joints[CALL_VOLUMES];
    const int count = call->body_count / MODEL_JOINT_BODIES;
    for (int i = 0; i < count; i++) {
        const int a = MODEL_JOINT_BODIES * i;
        joints[i] = (dry_scene_joint){
            .def = call->joint_def,
            .body_a = a,
            .body_b = a + 1,
            .body_c = a + 2,
            .body_d = a + 3,
            .anchor_c = call->vector,
            .anchor_d = call->other_vector,
        };
    }
    return dry_scene_create_volumes(world, count, joints, call->bodies, call->answer.volumes);
}

static void add_volumes(soak_model *model, const dry_world *world, const soak_call *call)
{
    (void)world;
    for (int i = 0; i < call->body_count / MODEL_JOINT_BODIES; i++) {
        const dry_body_id *bodies = call->bodies + (ptrdiff_t)MODEL_JOINT_BODIES * i;
        dry_joint_def def = call->joint_def;
        def.body_a = bodies[0];
        def.body_b = bodies[1];
        model_add_joint(model, &def, bodies + 2, call->answer.volumes[i]);
    }
}

const call_kind joint_calls[] = {
    {"create_joint", 6, draw_joint_def, make_create_joint, add_joint},
    {"create_volumes", 3, draw_volumes, make_create_volumes, add_volumes},
    {"destroy_joint", 4, draw_destroy_joint, make_destroy_joint, remove_joint},
    {"set_joint_def", 3, draw_joint_change, make_set_joint_def, NULL},
    {"set_joint_axes", 3, draw_axis_change, make_set_joint_axes, NULL},
    {"set_joint_motor", 1, draw_axis_change, make_set_joint_motor, NULL},
    {"set_joint_enabled", 2, draw_joint_enabled, make_set_joint_enabled, NULL},
    {0},
};
