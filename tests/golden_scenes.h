/* Lists the sizes of the built-in scenes that the determinism tests run, and turns one run into its hashes.
 * Shared by test_determinism.c and hash_scenes.c, so that golden_hashes.txt is one list for every machine. */
#ifndef TESTS_GOLDEN_SCENES_H
#define TESTS_GOLDEN_SCENES_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/scenes/scene_parts.h"
#include "tools/scenes/scenes.h"

/* The size and the steps of a scene. */
typedef struct golden_length {
    const char *name;
    int size, steps;
} golden_length;

/* Returns what an emulator runs in a few seconds; a scene not named here runs at its smallest size. */
static inline golden_length golden_length_of(const dry_scene_builtin *builtin)
{
    static const golden_length lengths[] = {{"tower", 10, 120},
                                            {"pyramid", 12, 120},
                                            {"pyramids", 2, 120},
                                            {"pile", 200, 120},
                                            {"mass-ratio", 100, 120},
                                            {"mixed", 80, 120},
                                            {"bridge", 12, 120},
                                            {"bridge-load", 1, 40},
                                            {"kapla", 2, 120},
                                            {"spheres", 3, 120},
                                            {"spheres-elastic", 3, 120},
                                            {"ball-hinge", 3, 120},
                                            {"peaucellier", 2, 120},
                                            {"scissor", 2, 120},
                                            {"chain", 8, 120},
                                            {"spider", 12, 120},
                                            {"tree", 3, 120},
                                            {"lever", 7500, 120},
                                            {"four-bar", 2, 30},
                                            {"tube", 2, 120},
                                            {"octahedra", 1, 12},
                                            {"octahedra-cube", 2, 12},
                                            {"lattice", 3, 120},
                                            {"strandbeest", 6, 120},
                                            {"ragdolls", 1, 120},
                                            {"crane", 6, 120},
                                            {"hulls", 60, 120},
                                            {"shapes", 60, 120},
                                            {"terrain", 60, 120},
                                            {"field", 60, 120},
                                            {"slide", 2, 60}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i)
        if (strcmp(builtin->name, lengths[i].name) == 0)
            return lengths[i];
    return (golden_length){builtin->name, builtin->size_min, 120};
}

/* The hashes of one world. `state` covers all that decides the future, `motion` poses and velocities alone: a
 * change of what the engine keeps renews the first and must leave the second as it was. */
typedef struct golden_hashes {
    uint64_t state, motion;
} golden_hashes;

/* The solvers of joints with which all scenes have lines. `auto`, which chooses between the two, has some
 * among the variants. */
enum { GOLDEN_SOLVERS_END = DRY_JOINT_SOLVER_DIRECT + 1 };

/* A scene whose joints are solved directly has a line of its own. */
static inline const char *golden_suffix(dry_joint_solver solver)
{
    return solver == DRY_JOINT_SOLVER_DIRECT ? "+direct" : "";
}

/* Tells whether a scene also runs with direct joints: those that are made of joints do. */
static inline bool golden_runs_direct(const dry_scene_builtin *builtin)
{
    static const char *const without[] = {"tower",           "pyramid", "pyramids", "pile",
                                          "mass-ratio",      "mixed",   "kapla",    "spheres",
                                          "spheres-elastic", "hulls"};
    for (size_t i = 0; i < sizeof without / sizeof *without; ++i)
        if (strcmp(builtin->name, without[i]) == 0)
            return false;
    return true;
}

static inline void golden_print(FILE *file, const dry_scene_builtin *builtin, dry_joint_solver solver,
                                golden_hashes hashes)
{
    const golden_length length = golden_length_of(builtin);
    fprintf(file, "%s%s %d %d %016" PRIx64 " %016" PRIx64 "\n", builtin->name, golden_suffix(solver),
            length.size, length.steps, hashes.state, hashes.motion);
}

/* Makes a scene. Returns false and prints the reason on standard error if that cannot be. */
static inline bool golden_make(const char *name, int size, dry_scene *scene)
{
    char error[256] = "out of memory";
    if (dry_scene_make(name, size, scene, error, sizeof error))
        return true;
    fprintf(stderr, "%s: %s\n", name, error);
    return false;
}

/* Runs a scene for some steps, and frees it. Returns false and prints the reason on standard error if the
 * scene cannot be built or stepped. */
static inline bool golden_run_scene(dry_scene *scene, int steps, const dry_world_def *base,
                                    golden_hashes *hashes)
{
    dry_world_def def = *base;
    def.settings.gravity = scene->gravity;
    dry_world *world = NULL;
    dry_body_id *ids = malloc((size_t)scene->body_count * sizeof *ids);
    dry_result result = ids ? dry_world_create(&def, &world) : DRY_ERROR_MEMORY;
    if (result == DRY_OK)
        result = dry_scene_build(scene, world, ids);
    for (int i = 0; i < steps && result == DRY_OK; ++i)
        result = dry_world_step(world, scene->dt);
    if (result == DRY_OK)
        *hashes = (golden_hashes){dry_world_hash(world), dry_world_motion_hash(world)};
    else
        fprintf(stderr, "%s: %s\n", scene->name, dry_result_name(result));
    dry_world_destroy(world);
    free(ids);
    dry_scene_free(scene);
    return result == DRY_OK;
}

/* Runs a built-in scene likewise. */
static inline bool golden_run(const dry_scene_builtin *builtin, const dry_world_def *base,
                              golden_hashes *hashes)
{
    const golden_length length = golden_length_of(builtin);
    dry_scene scene;
    return golden_make(builtin->name, length.size, &scene) &&
           golden_run_scene(&scene, length.steps, base, hashes);
}

/* A small scene with other settings or other shapes than the default, which has a line of its own. */
typedef struct golden_variant {
    const char *name, *scene;
    int size, steps;
    void (*set)(dry_settings *settings); /* null: the default settings */
    void (*change)(dry_scene *scene);    /* null: the shapes as they are */
} golden_variant;

static inline void golden_relaxation(dry_settings *settings)
{
    settings->sweeps = 2;
    settings->method.relaxation = 1.3f;
}

static inline void golden_adaptive(dry_settings *settings)
{
    golden_relaxation(settings);
    settings->method.relaxation_adaptive = true;
}

static inline void golden_adaptive_jacobi(dry_settings *settings)
{
    golden_adaptive(settings);
    settings->method.solver = DRY_SOLVER_JACOBI;
}

/* Defines a change of one setting. */
#define GOLDEN_SETTING(name, change)                                                                         \
    static inline void golden_##name(dry_settings *settings)                                                 \
    {                                                                                                        \
        settings->change;                                                                                    \
    }
GOLDEN_SETTING(forward, method.order = DRY_ORDER_FORWARD)
GOLDEN_SETTING(layers_up, method.order = DRY_ORDER_LAYERS_UP)
GOLDEN_SETTING(layers_down, method.order = DRY_ORDER_LAYERS_DOWN)
GOLDEN_SETTING(layers, method.order = DRY_ORDER_LAYERS)
GOLDEN_SETTING(shuffled, method.order = DRY_ORDER_SHUFFLED)
GOLDEN_SETTING(shuffled_sweeps, method.order = DRY_ORDER_SHUFFLED_SWEEPS)

static inline void golden_relaxed_direct(dry_settings *settings)
{
    golden_relaxation(settings);
    settings->joint_solver = DRY_JOINT_SOLVER_DIRECT;
    settings->method.order = DRY_ORDER_LAYERS;
}

static inline void golden_static_friction(dry_scene *scene)
{
    for (int i = 0; i < scene->shape_count; ++i)
        scene->shapes[i].friction = 0.3f, scene->shapes[i].static_friction = 0.5f;
}

/* Every third shape has a surface of rubber, every third one of wood. */
static inline void golden_springs(dry_scene *scene)
{
    for (int i = 0; i < scene->shape_count; ++i) {
        scene->shapes[i].contact_stiffness = i % 3 == 0 ? 2e5f : i % 3 == 1 ? 4e6f : 0.0f;
        scene->shapes[i].contact_damping = scene->shapes[i].contact_stiffness / 200.0f;
    }
}

static inline void golden_springs_summed(dry_settings *settings)
{
    settings->method.solver = DRY_SOLVER_JACOBI;
    settings->method.friction = DRY_FRICTION_TWO_PHASE;
    settings->contact_stiffness = 1e6f;
}

GOLDEN_SETTING(weight_box, method.friction = DRY_FRICTION_WEIGHT_BOX)
GOLDEN_SETTING(velocity_friction, method.friction = DRY_FRICTION_VELOCITY)
GOLDEN_SETTING(scaled_box, method.friction = DRY_FRICTION_SCALED_BOX)
GOLDEN_SETTING(two_phase, method.friction = DRY_FRICTION_TWO_PHASE)

static inline void golden_velocity_xpbd(dry_settings *settings)
{
    golden_velocity_friction(settings);
    settings->method.solver = DRY_SOLVER_XPBD;
}

static inline void golden_layers_xpbd(dry_settings *settings)
{
    golden_layers(settings);
    settings->method.solver = DRY_SOLVER_XPBD;
}

static inline void golden_shuffled_pbd(dry_settings *settings)
{
    golden_shuffled_sweeps(settings);
    settings->method.solver = DRY_SOLVER_PBD;
}

static inline void golden_relaxed_xpbd(dry_settings *settings)
{
    golden_relaxation(settings);
    settings->method.solver = DRY_SOLVER_XPBD;
    settings->method.order = DRY_ORDER_FORWARD;
}

/* The stiffness k of classical PBD. */
static inline void golden_soft_pbd(dry_settings *settings)
{
    golden_relaxation(settings);
    settings->method.solver = DRY_SOLVER_PBD;
    settings->method.relaxation = 0.7f;
}

/* Every impulse begins anew. */
static inline void golden_cold_weight_box(dry_settings *settings)
{
    settings->method.solver = DRY_SOLVER_PBD;
    settings->method.friction = DRY_FRICTION_WEIGHT_BOX;
    settings->warm_start = false;
}

static inline void golden_scaled_box_jacobi(dry_settings *settings)
{
    golden_scaled_box(settings);
    settings->method.solver = DRY_SOLVER_JACOBI;
}

GOLDEN_SETTING(push, method.push_factor = 0.2f)
GOLDEN_SETTING(levers, levers = DRY_LEVERS_TRUE)
GOLDEN_SETTING(cold, warm_start = false)
GOLDEN_SETTING(euler, method.integrator = DRY_INTEGRATOR_EULER)

static inline void golden_exponential(dry_settings *settings)
{
    settings->method.integrator = DRY_INTEGRATOR_EXPONENTIAL;
    settings->method.modified_inertia = true;
}

GOLDEN_SETTING(explicit, method.integrator = DRY_INTEGRATOR_EXPLICIT)
GOLDEN_SETTING(implicit, method.integrator = DRY_INTEGRATOR_IMPLICIT)
GOLDEN_SETTING(jacobi, method.solver = DRY_SOLVER_JACOBI)
GOLDEN_SETTING(pbd, method.solver = DRY_SOLVER_PBD)
GOLDEN_SETTING(xpbd, method.solver = DRY_SOLVER_XPBD)
GOLDEN_SETTING(avbd, method.solver = DRY_SOLVER_AVBD)
GOLDEN_SETTING(stiff_pbd, method.solver = DRY_SOLVER_PBD; settings->method.geometric_stiffness = true)
GOLDEN_SETTING(stiff_xpbd, method.solver = DRY_SOLVER_XPBD; settings->method.geometric_stiffness = true)
GOLDEN_SETTING(auto, joint_solver = DRY_JOINT_SOLVER_AUTO)
GOLDEN_SETTING(direct, joint_solver = DRY_JOINT_SOLVER_DIRECT)
#undef GOLDEN_SETTING

/* Joins each four bodies that follow one another: every second joint is rigid, the others are springs. */
static inline void golden_volumes(dry_scene *scene)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_VOLUME);
    for (int i = 1; i + 3 < scene->body_count; ++i) {
        def.volume = 0.125f * (float)(i % 3 - 1);
        def.stiffness = i % 2 ? 0.0f : 1000.0f;
        const int joint = dry_scene_add_joint(scene, &def, i, i + 1);
        if (joint < 0)
            return;
        scene->joints[joint].body_c = i + 2;
        scene->joints[joint].body_d = i + 3;
        scene->joints[joint].anchor_c.x = 0.25f;
    }
}

/* The ground is a plate that turns and tilts. */
static inline void golden_turntable(dry_scene *scene)
{
    for (int i = 0; i < scene->body_count; ++i) {
        dry_scene_body *body = &scene->bodies[i];
        dry_shape_def *shape = &scene->shapes[body->first_shape];
        if (body->def.type != DRY_BODY_STATIC)
            continue;
        body->def.type = DRY_BODY_KINEMATIC;
        body->def.velocity.angular = (dry_vec3){0.02f, 2.0f, 0.01f};
        if (shape->type == DRY_SHAPE_HALFSPACE) {
            shape->type = DRY_SHAPE_BOX;
            shape->half_extents = (dry_vec3){20.0f, 0.5f, 20.0f};
            body->def.pose.position.y -= 0.5;
        }
    }
}

static inline void golden_swept_aside(dry_settings *settings)
{
    settings->joint_solver = DRY_JOINT_SOLVER_ITERATIVE;
    settings->gravity.x = -15.0f;
}

/* A figure with direct joints falls on one whose joints are solved in sweeps. */
static inline void golden_both_solvers(dry_scene *scene)
{
    for (int i = scene->joint_count / 2; i < scene->joint_count; ++i)
        scene->joints[i].def.solver = DRY_JOINT_SOLVER_DIRECT;
}

/* Ends with a variant without a name. */
static const golden_variant golden_variants[] = {
    {"pyramid+relaxation", "pyramid", 6, 30, golden_relaxation, NULL},
    {"joints+relaxation", "joints", 1, 20, golden_relaxation, NULL},
    {"pyramid+adaptive", "pyramid", 6, 30, golden_adaptive, NULL},
    {"pyramid+jacobi+adaptive", "pyramid", 6, 30, golden_adaptive_jacobi, NULL},
    {"pyramid+forward", "pyramid", 6, 30, golden_forward, NULL},
    {"pyramid+layers-up", "pyramid", 6, 30, golden_layers_up, NULL},
    {"pyramid+layers-down", "pyramid", 6, 30, golden_layers_down, NULL},
    {"pyramid+layers", "pyramid", 6, 30, golden_layers, NULL},
    {"pyramid+shuffled", "pyramid", 6, 30, golden_shuffled, NULL},
    {"pyramid+shuffled-sweeps", "pyramid", 6, 30, golden_shuffled_sweeps, NULL},
    {"ragdolls+direct+relaxation+layers", "ragdolls", 1, 20, golden_relaxed_direct, NULL},
    {"mixed+static-friction", "mixed", 30, 60, NULL, golden_static_friction},
    {"mixed+weight-box", "mixed", 30, 60, golden_weight_box, golden_static_friction},
    {"mixed+velocity", "mixed", 30, 60, golden_velocity_friction, NULL},
    {"mixed+velocity+xpbd", "mixed", 30, 30, golden_velocity_xpbd, NULL},
    {"mixed+scaled-box", "mixed", 30, 60, golden_scaled_box, NULL},
    {"mixed+scaled-box+jacobi", "mixed", 30, 30, golden_scaled_box_jacobi, NULL},
    {"mixed+two-phase", "mixed", 30, 60, golden_two_phase, NULL},
    {"tower+push-factor", "tower", 6, 30, golden_push, NULL},
    {"mixed+levers-true", "mixed", 30, 60, golden_levers, NULL},
    {"mixed+cold", "mixed", 30, 30, golden_cold, NULL},
    {"mixed+euler", "mixed", 30, 60, golden_euler, NULL},
    {"mixed+exponential+modified-inertia", "mixed", 30, 60, golden_exponential, NULL},
    {"mixed+explicit", "mixed", 30, 60, golden_explicit, NULL},
    {"mixed+implicit", "mixed", 30, 60, golden_implicit, NULL},
    {"mixed+jacobi", "mixed", 30, 60, golden_jacobi, NULL},
    {"joints+jacobi", "joints", 1, 20, golden_jacobi, NULL},
    {"tower+pbd", "tower", 10, 60, golden_pbd, NULL},
    {"tower+xpbd", "tower", 10, 60, golden_xpbd, NULL},
    {"mixed+xpbd", "mixed", 80, 60, golden_xpbd, NULL},
    {"joints+xpbd", "joints", 1, 60, golden_xpbd, NULL},
    {"ragdolls+pbd", "ragdolls", 2, 60, golden_pbd, NULL},
    {"tower+avbd", "tower", 10, 30, golden_avbd, NULL},
    {"mass-ratio+avbd", "mass-ratio", 100, 30, golden_avbd, NULL},
    {"mixed+avbd", "mixed", 80, 30, golden_avbd, NULL},
    {"bridge+avbd", "bridge", 12, 30, golden_avbd, NULL},
    {"ball-hinge+avbd", "ball-hinge", 3, 30, golden_avbd, NULL},
    {"vehicle+avbd", "vehicle", 1, 30, golden_avbd, NULL},
    {"mixed+springs", "mixed", 30, 60, NULL, golden_springs},
    {"mixed+springs+jacobi+two-phase", "mixed", 30, 60, golden_springs_summed, golden_springs},
    {"mixed+springs+xpbd", "mixed", 30, 60, golden_xpbd, golden_springs},
    {"ragdolls+springs+direct", "ragdolls", 1, 20, golden_direct, golden_springs},
    {"mixed+volumes", "mixed", 30, 60, NULL, golden_volumes},
    {"mixed+volumes+jacobi", "mixed", 30, 60, golden_jacobi, golden_volumes},
    {"mixed+volumes+xpbd", "mixed", 30, 60, golden_xpbd, golden_volumes},
    {"mixed+turntable", "mixed", 30, 60, NULL, golden_turntable},
    {"mixed+turntable+xpbd", "mixed", 30, 60, golden_xpbd, golden_turntable},
    {"ragdolls+both-solvers", "ragdolls", 2, 40, golden_swept_aside, golden_both_solvers},
    {"ragdolls+auto", "ragdolls", 1, 30, golden_auto, NULL},
    {"bridge+auto", "bridge", 12, 40, golden_auto, NULL},
    {"four-bar+auto", "four-bar", 2, 30, golden_auto, NULL},
    {"vehicle+auto", "vehicle", 1, 30, golden_auto, NULL},
    {"mixed+static-friction+xpbd", "mixed", 30, 30, golden_xpbd, golden_static_friction},
    {"ragdolls+static-friction+pbd+cold", "ragdolls", 1, 30, golden_cold_weight_box, golden_static_friction},
    {"mixed+static-friction+avbd", "mixed", 30, 20, golden_avbd, golden_static_friction},
    {"ragdolls+pbd+geometric-stiffness", "ragdolls", 2, 40, golden_stiff_pbd, NULL},
    {"crane+xpbd+geometric-stiffness", "crane", 6, 20, golden_stiff_xpbd, NULL},
    {"mixed+layers+xpbd", "mixed", 30, 20, golden_layers_xpbd, NULL},
    {"ragdolls+shuffled-sweeps+pbd", "ragdolls", 1, 20, golden_shuffled_pbd, NULL},
    {"mixed+relaxation+xpbd", "mixed", 30, 20, golden_relaxed_xpbd, NULL},
    {"ragdolls+relaxation+pbd", "ragdolls", 1, 20, golden_soft_pbd, NULL},
    {NULL, NULL, 0, 0, NULL, NULL},
};

/* Runs a variant at a size. */
static inline bool golden_run_variant(const golden_variant *variant, int size, const dry_world_def *base,
                                      golden_hashes *hashes)
{
    dry_world_def def = *base;
    dry_scene scene;
    if (!golden_make(variant->scene, size, &scene))
        return false;
    if (variant->set)
        variant->set(&def.settings);
    if (variant->change)
        variant->change(&scene);
    return golden_run_scene(&scene, variant->steps, &def, hashes);
}

static inline void golden_print_variant(FILE *file, const golden_variant *variant, golden_hashes hashes)
{
    fprintf(file, "%s %d %d %016" PRIx64 " %016" PRIx64 "\n", variant->name, variant->size, variant->steps,
            hashes.state, hashes.motion);
}

#endif
