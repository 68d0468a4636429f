/* Worlds in which each method, each setting and each kind of object with memory of its own is in use, for the
 * tests of allocations that fail. */
#ifndef TESTS_MEMORY_SCENES_H
#define TESTS_MEMORY_SCENES_H

#include "tests/counting_allocator.h"

enum { BODIES = 14, WARM_STEPS = 40 };

/* Places of bodies. */
typedef enum scene_place { HEAP, CHAIN, SLEEPERS, TWO_PILES } scene_place;

/* A scene: each method, and each setting and kind of object that has memory of its own. */
typedef struct scene_kind {
    const char *name;
    scene_place place;
    void (*set)(dry_settings *settings); /* null: as they are */
    void (*then)(dry_settings *settings);
    bool volumes, materials;
    bool compounds; /* every third body, and boards on the floor */
    bool surfaces;  /* a compound of a mesh, a height field and a box on the floor */
} scene_kind;

/* Defines a change of settings. */
#define SETTING(name, change)                                                                                \
    static inline void set_##name(dry_settings *settings)                                                    \
    {                                                                                                        \
        settings->change;                                                                                    \
    }
SETTING(gauss_seidel, method.solver = DRY_SOLVER_GAUSS_SEIDEL)
SETTING(jacobi, method.solver = DRY_SOLVER_JACOBI)
SETTING(pbd, method.solver = DRY_SOLVER_PBD)
SETTING(xpbd, method.solver = DRY_SOLVER_XPBD)
SETTING(stiff_pbd, method.solver = DRY_SOLVER_PBD; settings->method.geometric_stiffness = true)
SETTING(stiff_xpbd, method.solver = DRY_SOLVER_XPBD; settings->method.geometric_stiffness = true)
SETTING(avbd, method.solver = DRY_SOLVER_AVBD)
SETTING(adaptive, sweeps = 2; settings->method.relaxation = 1.3f; settings->method.relaxation_adaptive = true)
SETTING(layers, method.order = DRY_ORDER_LAYERS)
SETTING(shuffled, method.order = DRY_ORDER_SHUFFLED_SWEEPS)
SETTING(exponential, method.integrator = DRY_INTEGRATOR_EXPONENTIAL; settings->method.modified_inertia = true)
SETTING(push, method.push_factor = 0.2f; settings->method.friction = DRY_FRICTION_TWO_PHASE)
SETTING(direct, joint_solver = DRY_JOINT_SOLVER_DIRECT)
SETTING(xpbd_swept, method.solver = DRY_SOLVER_XPBD; settings->joint_solver = DRY_JOINT_SOLVER_ITERATIVE)
#undef SETTING

static const scene_kind kinds[] = {
    {"heap", HEAP, NULL, set_jacobi, false, false, false, false},
    {"chain", CHAIN, NULL, set_direct, false, false, false, false},
    {"sleepers", SLEEPERS, NULL, set_avbd, false, false, false, false},
    {"two piles", TWO_PILES, NULL, set_layers, false, false, false, false},
    {"blocks", HEAP, set_avbd, set_xpbd, false, false, false, false},
    {"jacobi", HEAP, set_jacobi, set_adaptive, true, true, false, false},
    {"pbd", CHAIN, set_pbd, set_gauss_seidel, true, false, false, false},
    {"xpbd", CHAIN, set_xpbd, set_jacobi, true, false, false, false},
    {"stiff pbd", CHAIN, set_stiff_pbd, set_xpbd, false, false, false, false},
    {"stiff xpbd", CHAIN, set_xpbd, set_stiff_xpbd, false, false, false, false},
    {"xpbd, heap", HEAP, set_xpbd, set_gauss_seidel, false, true, false, false},
    {"adaptive", HEAP, set_adaptive, set_shuffled, false, false, false, false},
    {"layers", HEAP, set_layers, set_exponential, true, false, false, false},
    {"shuffled", HEAP, set_shuffled, set_layers, false, true, false, false},
    {"exponential", HEAP, set_exponential, set_push, false, false, false, false},
    {"push", HEAP, set_push, set_adaptive, false, false, false, false},
    {"direct", CHAIN, set_direct, set_xpbd_swept, true, false, false, false},
    {"materials", TWO_PILES, NULL, set_jacobi, true, true, false, false},
    {"compounds", HEAP, NULL, set_jacobi, false, false, true, false},
    {"surfaces", HEAP, NULL, set_jacobi, false, false, false, true},
};
enum { PLAIN = 5 };
/* A world under a counting allocator, always the same for a kind. */
typedef struct scene {
    const scene_kind *kind;
    counting_allocator counter;
    dry_world *world;
    dry_body_id floor, ids[BODIES];
    dry_joint_id joint;
    dry_shape_id shape;
} scene;

static inline dry_joint_id join(dry_world *world, dry_body_id a, dry_body_id b, double stiffness)
{
    dry_joint_def def = dry_default_joint_def(stiffness > 0 ? DRY_JOINT_DISTANCE : DRY_JOINT_BALL);
    def.body_a = a;
    def.body_b = b;
    def.anchor_a = v3(0.45, 0, 0);
    def.anchor_b = v3(-0.45, 0, 0);
    def.stiffness = (float)stiffness;
    def.damping = stiffness > 0 ? 10 : 0;
    dry_joint_id id;
    assert_ok(dry_world_create_joint(world, &def, &id));
    return id;
}

static inline dry_pose place_of(scene_place place, int i)
{
    switch (place) {
    case CHAIN:
        return pose_at(0.9 * i, 3, 0);
    case SLEEPERS:
        return pose_at(0.6 * (i % 4), 0.25 + 0.5 * (i / 4), 0);
    case TWO_PILES:
        return pose_at(i % 2 ? 0.55 : 0, 0.3 + 0.62 * (i / 2), 0);
    default:
        return pose_at(0.3 * (i % 3), 0.5 + 0.5 * i, 0.2 * (i % 2));
    }
}

/* Returns a volume joint over four bodies of the scene, from the one numbered `first` on. */
static inline dry_volume_def volume_def(const scene *s, int first)
{
    dry_volume_def def = {.joint = dry_default_joint_def(DRY_JOINT_VOLUME),
                          .body_c = s->ids[first + 2],
                          .body_d = s->ids[first + 3],
                          .anchor_c = v3(0, 0, 0.2),
                          .anchor_d = v3(0, 0, -0.2)};
    def.joint.body_a = s->ids[first];
    def.joint.body_b = s->ids[first + 1];
    return def;
}

static inline void add_joints(scene *s, const scene_kind *kind)
{
    const bool rigid = dry_world_get_settings(s->world).method.solver == DRY_SOLVER_PBD;
    for (int i = 1; i < BODIES && kind->place == CHAIN; i++)
        s->joint = join(s->world, s->ids[i - 1], s->ids[i], i % 3 == 0 && !rigid ? 1e4 : 0);
    if (kind->place != CHAIN)
        s->joint = join(s->world, s->ids[0], s->ids[3], rigid ? 0 : 1e3);
    const dry_volume_def volume = volume_def(s, 6);
    dry_joint_id id;
    if (kind->volumes)
        assert_ok(dry_world_create_volumes(s->world, 1, &volume, &id));
}

/* Returns data of two boxes and a ball. */
static inline dry_shape_data *compound_data(void)
{
    dry_shape_def child[3] = {box_shape(0.3, 0.1, 0.1), box_shape(0.1, 0.3, 0.1), sphere_shape(0.15)};
    child[0].pose.position = v3(0.2, 0, 0);
    child[1].pose.position = v3(0, 0.2, 0);
    child[2].pose.position = v3(0, 0, 0.2);
    dry_shape_data *data = NULL;
    assert_ok(dry_compound_create(child, 3, NULL, &data));
    return data;
}

/* Returns data of a ramp, a hilly field and a box. */
static inline dry_shape_data *surfaces_data(void)
{
    static const dry_vec3 corners[4] = {{-1, 0, -1}, {-1, 0, 1}, {1, 0.2f, 1}, {1, 0.2f, -1}};
    static const int32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    static const float heights[9] = {0, 0.2f, 0, 0.1f, 0, 0.1f, 0.2f, 0, 0.1f};
    const dry_mesh mesh = {corners, triangles, 4, 2};
    const dry_height_field_def field = {.rows = 3, .columns = 3, .spacing = {0.5f, 0.5f}, .heights = heights};
    dry_shape_def child[3] = {dry_default_shape_def(), dry_default_shape_def(), box_shape(0.3, 0.1, 0.3)};
    child[0].type = DRY_SHAPE_MESH;
    child[1].type = DRY_SHAPE_HEIGHT_FIELD;
    child[1].pose.position = v3(0.3, 0, -0.5);
    child[2].pose.position = v3(-0.2, 0, 0.1);
    dry_shape_data *data = NULL;
    assert_ok(dry_mesh_create(&mesh, NULL, NULL, &child[0].data, NULL));
    assert_ok(dry_height_field_create(&field, NULL, &child[1].data, NULL));
    assert_ok(dry_compound_create(child, 3, NULL, &data));
    dry_shape_data_release(child[0].data);
    dry_shape_data_release(child[1].data);
    return data;
}

/* Adds a static compound, and drops the reference to its data. */
static inline void add_ground(scene *s, d3 at, dry_shape_data *data)
{
    dry_shape_def ground = dry_default_shape_def();
    ground.type = DRY_SHAPE_COMPOUND;
    ground.data = data;
    add_body(s->world, DRY_BODY_STATIC, pose_at(at.x, at.y, at.z), ground);
    dry_shape_data_release(data);
}

static inline void make_scene(scene *s, const scene_kind *kind)
{
    *s = (scene){.kind = kind, .counter = {.fail_at = -1}};
    dry_world_def def = test_world_def();
    def.allocator = counting_hooks(&s->counter);
    def.settings.sleep = kind->place == SLEEPERS;
    def.settings.sleep_after = 0.1f;
    if (kind->set)
        kind->set(&def.settings);
    s->world = world_from(&def);
    s->floor = add_floor(s->world, 0.6, 0);
    dry_shape_data *data = kind->compounds ? compound_data() : NULL;
    dry_shape_def compound = dry_default_shape_def();
    compound.type = DRY_SHAPE_COMPOUND;
    compound.data = data;
    if (data)
        add_body(s->world, DRY_BODY_STATIC, pose_at(0.5, 0.2, 0), compound);
    if (kind->surfaces)
        add_ground(s, (d3){0.3, 0.3, 0}, surfaces_data());
    for (int i = 0; i < BODIES; i++) {
        dry_shape_def shape = kind->place == SLEEPERS ? box_shape(0.25, 0.25, 0.25)
                              : i % 3 == 0            ? sphere_shape(0.3)
                              : i % 3 == 1            ? capsule_shape(0.2, 0.2)
                                                      : box_shape(0.3, 0.2, 0.3);
        shape.contact_stiffness = kind->materials && i % 2 ? 1e6f : 0;
        shape.static_friction = kind->materials && i % 4 == 2 ? 0.8f : 0;
        s->ids[i] = add_dynamic(s->world, place_of(kind->place, i), data && i % 3 == 0 ? compound : shape);
    }
    dry_shape_data_release(data);
    add_joints(s, kind);
    run_steps(s->world, WARM_STEPS, TEST_DT);
    int count;
    assert_ok(dry_body_get_shapes(s->world, s->ids[BODIES / 2], &s->shape, 1, &count));
}

static inline void end_scene(scene *s)
{
    dry_world_destroy(s->world);
    assert_int_equal(s->counter.bytes, 0);
    assert_int_equal(s->counter.wrong, 0);
}

#endif
