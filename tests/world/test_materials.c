/* Tests materials: rules of combination by closed form, several materials of a shape, its setters and bad
 * input, ids in hits and contacts. test_belts.c has surfaces that move. */
#include "tests/log_lines.h"
#include "tests/test_world.h"

#include "state/shapes.h"

static dry_world *logging_world(dry_settings settings, log_lines *lines)
{
    dry_world_def def = test_world_def();
    def.settings = settings;
    def.log = (dry_log){keep_line, lines};
    return world_from(&def);
}

static bool lines_have(const log_lines *lines, const char *text)
{
    return strstr(lines->last, text) != NULL;
}

static void clear_lines(log_lines *lines)
{
    *lines = (log_lines){0};
}

static dry_shape_def shape_with(dry_shape_def shape, const dry_material *materials, int count)
{
    shape.friction = dry_default_shape_def().friction;
    shape.materials = materials;
    shape.material_count = count;
    return shape;
}

static bool same_material(const dry_material *a, const dry_material *b)
{
    return a->friction == b->friction && a->static_friction == b->static_friction &&
           a->contact_stiffness == b->contact_stiffness && a->contact_damping == b->contact_damping &&
           a->restitution == b->restitution && a->rolling_resistance == b->rolling_resistance &&
           a->surface_velocity.x == b->surface_velocity.x && a->surface_velocity.y == b->surface_velocity.y &&
           a->surface_velocity.z == b->surface_velocity.z && a->friction_rule == b->friction_rule &&
           a->static_friction_rule == b->static_friction_rule && a->restitution_rule == b->restitution_rule &&
           a->rolling_resistance_rule == b->rolling_resistance_rule && a->id == b->id;
}

static dry_material random_material(uint64_t *seed)
{
    dry_material m = dry_default_material();
    m.friction = (float)random_in(seed, 0, 2);
    m.static_friction = (float)random_in(seed, 0, 2);
    m.restitution = (float)random_in(seed, 0, 1);
    m.rolling_resistance = (float)random_in(seed, 0, 0.5);
    m.friction_rule = (dry_combination)random_below(seed, DRY_COMBINE_COUNT);
    m.static_friction_rule = (dry_combination)random_below(seed, DRY_COMBINE_COUNT);
    m.restitution_rule = (dry_combination)random_below(seed, DRY_COMBINE_COUNT);
    m.rolling_resistance_rule = (dry_combination)random_below(seed, DRY_COMBINE_COUNT);
    m.id = random_bits(seed);
    return m;
}

/* The rules, written a second time. */
static double combined(dry_combination rule_a, dry_combination rule_b, double a, double b)
{
    const double by_rule[] = {sqrt(a * b), (a + b) / 2, fmin(a, b), fmax(a, b), a * b};
    return by_rule[rule_a > rule_b ? rule_a : rule_b];
}

static void rules_combine_by_closed_form(void **state)
{
    (void)state;
    uint64_t seed = 35;
    dry_shape_form form[2] = {{.body = 0}, {.body = 1}};
    dry_shape_rules rules[2];
    dry_shape_rolling rolling[2];
    dry_shape_stiction stiction[2];
    dry_shapes shapes = {.form = form, .rules = rules, .rolling = rolling, .stiction = stiction};
    int met[DRY_COMBINE_COUNT][DRY_COMBINE_COUNT] = {{0}};
    for (int i = 0; i < 2000; i++) {
        dry_material m[2];
        for (int k = 0; k < 2; k++) {
            m[k] = random_material(&seed);
            dry_shapes_set_materials(&shapes, k, &m[k], 1);
            m[k].id = 0; /* without its column the id has no place */
            const dry_material back = dry_shapes_material(&shapes, k, 0);
            assert_true(same_material(&back, &m[k]));
        }
        met[m[0].friction_rule][m[1].friction_rule]++;
        const dry_surface pair = dry_shapes_mixed(&shapes, (dry_surface_pair){{0, 1}, {0, 0}});
        const dry_surface back = dry_shapes_mixed(&shapes, (dry_surface_pair){{1, 0}, {0, 0}});
        assert_memory_equal(&pair, &back, sizeof pair);
        assert_near(
            pair.friction,
            combined(m[0].friction_rule, m[1].friction_rule, (double)m[0].friction, (double)m[1].friction),
            1e-6);
        assert_near(pair.static_friction,
                    combined(m[0].static_friction_rule, m[1].static_friction_rule,
                             fmax((double)m[0].static_friction, (double)m[0].friction),
                             fmax((double)m[1].static_friction, (double)m[1].friction)),
                    1e-6);
        assert_near(pair.restitution,
                    combined(m[0].restitution_rule, m[1].restitution_rule, (double)m[0].restitution,
                             (double)m[1].restitution),
                    1e-6);
        assert_near(pair.rolling_resistance,
                    combined(m[0].rolling_resistance_rule, m[1].rolling_resistance_rule,
                             (double)m[0].rolling_resistance, (double)m[1].rolling_resistance),
                    1e-6);
    }
    for (int a = 0; a < DRY_COMBINE_COUNT; a++)
        for (int b = 0; b < DRY_COMBINE_COUNT; b++)
            assert_true(met[a][b] > 0);
}

/* A shape's own coefficients and the same ones as a material make the same motion, bit for bit. */
static void one_material_is_the_own_coefficients(void **state)
{
    (void)state;
    uint64_t motion[2];
    for (int way = 0; way < 2; way++) {
        dry_world *world = world_with(test_settings());
        dry_shape_def floor = box_shape(10, 1, 10), ball = sphere_shape(0.3), box = box_shape(0.4, 0.2, 0.3);
        dry_material m = dry_default_material();
        m.friction = floor.friction = ball.friction = box.friction = 0.5f;
        m.static_friction = floor.static_friction = ball.static_friction = box.static_friction = 0.7f;
        m.restitution = floor.restitution = ball.restitution = box.restitution = 0.4f;
        m.rolling_resistance = floor.rolling_resistance = ball.rolling_resistance = box.rolling_resistance =
            0.05f;
        if (way) {
            dry_shape_def *shape[] = {&floor, &ball, &box};
            const dry_shape_def standard = dry_default_shape_def();
            for (int i = 0; i < 3; i++) {
                *shape[i] = shape_with(*shape[i], &m, 1);
                shape[i]->static_friction = standard.static_friction;
                shape[i]->restitution = standard.restitution;
                shape[i]->rolling_resistance = standard.rolling_resistance;
            }
        }
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), floor);
        const dry_body_id a = add_dynamic(world, pose_at(0, 1, 0), ball);
        const dry_body_id b = add_dynamic(world, pose_at(2, 1, 0), box);
        set_velocity(world, a, (d3){2, 0, 1}, (d3){0, 0, 0});
        set_velocity(world, b, (d3){3, 0, 0.5}, (d3){0, 1, 0});
        run_steps(world, 120, TEST_DT);
        motion[way] = dry_world_motion_hash(world);
        dry_world_destroy(world);
    }
    assert_true(motion[0] == motion[1]);
}

/* A box that slides on a floor slows down by mu g, with mu by each rule. */
static void a_slide_follows_the_rule(void **state)
{
    (void)state;
    for (int rule = 0; rule < DRY_COMBINE_COUNT; rule++) {
        dry_world *world = world_with(test_settings());
        dry_material ground = dry_default_material(), block = dry_default_material();
        ground.friction = 0.8f;
        block.friction = 0.3f;
        block.friction_rule = (dry_combination)rule;
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), shape_with(box_shape(50, 1, 5), &ground, 1));
        const dry_body_id id =
            add_dynamic(world, pose_at(0, 0.2, 0), shape_with(box_shape(0.5, 0.2, 0.5), &block, 1));
        run_steps(world, 30, TEST_DT);
        set_velocity(world, id, (d3){5, 0, 0}, (d3){0, 0, 0});
        run_steps(world, 30, TEST_DT);
        const double mu = combined((dry_combination)rule, DRY_COMBINE_GEOMETRIC_MEAN, 0.8, 0.3);
        assert_near(5 - velocity_of(world, id).x, mu * 9.81 * 0.5, 0.01 * mu * 9.81 * 0.5);
        dry_world_destroy(world);
    }
}

/* A pair whose friction has the smallest rule and static friction the largest sticks by the one and slides
 * by the other, though no surface has static friction. It takes two steps to slide. Springs elsewhere change
 * nothing. */
static void rules_alone_make_static_friction(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        const double tangent = way & 1 ? 0.9 : 0.5, down = 9.81 / sqrt(1 + tangent * tangent);
        dry_settings settings = test_settings();
        settings.gravity = v3(tangent * down, -down, 0);
        dry_world *world = world_with(settings);
        dry_material ice = dry_default_material();
        ice.friction = 0.1f;
        ice.friction_rule = DRY_COMBINE_SMALLEST;
        ice.static_friction_rule = DRY_COMBINE_LARGEST;
        dry_shape_def floor = shape_with(box_shape(20, 1, 20), &ice, 1), box = box_shape(0.5, 0.1, 0.5);
        box.friction = 0.8f;
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), floor);
        const dry_body_id id = add_dynamic(world, pose_at(0, 0.1, 0), box);
        dry_shape_def soft = box_shape(1, 1, 1);
        soft.contact_stiffness = 1e6f;
        if (way & 2)
            add_body(world, DRY_BODY_STATIC, pose_at(0, -100, 0), soft);
        run_steps(world, 60, TEST_DT);
        assert_near(velocity_of(world, id).x, way & 1 ? 0.8 * down : 0, 0.03 * down);
        dry_world_destroy(world);
    }
}

/* Several materials are read back, and a shape without parts touches with the first. */
static void a_shape_has_several(void **state)
{
    (void)state;
    enum { MANY = 300 };
    static dry_material given[MANY], back[MANY];
    uint64_t seed = 7;
    for (int i = 0; i < MANY; i++)
        given[i] = random_material(&seed);
    dry_world *world = world_with(test_settings());
    const dry_body_id floor =
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), shape_with(box_shape(50, 1, 5), given, MANY));
    const dry_shape_id shape = shape_of_body(world, floor);
    int count = 0;
    assert_ok(dry_shape_get_materials(world, shape, back, MANY, &count));
    assert_int_equal(count, MANY);
    for (int i = 0; i < MANY; i++)
        assert_true(same_material(&given[i], &back[i]));
    assert_ok(dry_shape_get_materials(world, shape, NULL, 0, &count));
    assert_int_equal(count, MANY);
    dry_shape_def def;
    assert_ok(dry_shape_get_def(world, shape, &def));
    assert_true(!def.materials && def.material_count == 0 && def.friction == given[0].friction &&
                def.restitution == given[0].restitution);
    const dry_body_id box = add_dynamic(world, pose_at(0, 0.2, 0), box_shape(0.5, 0.2, 0.5));
    run_steps(world, 10, TEST_DT);
    dry_contact contact;
    assert_ok(dry_body_get_contacts(world, box, &contact, 1, &count));
    assert_int_equal(count, 1);
    const bool first = contact.body_a.bits == floor.bits;
    assert_true((first ? contact.material_a : contact.material_b) == given[0].id);
    assert_true((first ? contact.material_b : contact.material_a) == 0);
    dry_world_destroy(world);
}

static void set_materials_replaces_all(void **state)
{
    (void)state;
    dry_world *world = world_with(dry_default_settings());
    dry_material m[3];
    uint64_t seed = 17;
    for (int i = 0; i < 3; i++)
        m[i] = random_material(&seed);
    const dry_body_id floor = add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), box_shape(50, 1, 5));
    const dry_shape_id shape = shape_of_body(world, floor);
    const dry_body_id box = add_dynamic(world, pose_at(0, 0.2, 0), box_shape(0.5, 0.2, 0.5));
    run_steps(world, 180, TEST_DT);
    assert_false(dry_body_is_awake(world, box));
    for (int count = 3; count > 0; count--) {
        dry_material back[3];
        int got = 0;
        assert_ok(dry_shape_set_materials(world, shape, m, count));
        assert_true(dry_body_is_awake(world, box));
        assert_ok(dry_shape_get_materials(world, shape, back, 3, &got));
        assert_int_equal(got, count);
        for (int i = 0; i < count; i++)
            assert_true(same_material(&back[i], &m[i]));
    }
    dry_material ice = dry_default_material();
    ice.friction = 0.0f;
    ice.id = 99;
    assert_ok(dry_shape_set_materials(world, shape, &ice, 1)); /* its present contact follows */
    set_velocity(world, box, (d3){5, 0, 0}, (d3){0, 0, 0});
    run_steps(world, 60, TEST_DT);
    assert_near(velocity_of(world, box).x, 5, 1e-3);
    dry_contact contact;
    int count = 0;
    assert_ok(dry_body_get_contacts(world, box, &contact, 1, &count));
    assert_true(count == 1 && contact.material_a + contact.material_b == 99);
    dry_world_destroy(world);
}

/* The setters of single coefficients change the only material, and leave its rules and its id. A shape with
 * several refuses them. */
static void setters_change_the_only_material(void **state)
{
    (void)state;
    log_lines lines = {0};
    dry_world *world = logging_world(test_settings(), &lines);
    uint64_t seed = 23;
    dry_material m[2];
    for (int i = 0; i < 2; i++)
        m[i] = random_material(&seed);
    const dry_shape_id shape = shape_of_body(
        world, add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape_with(box_shape(1, 1, 1), m, 1)));
    assert_ok(dry_shape_set_friction(world, shape, 0.25f));
    assert_ok(dry_shape_set_static_friction(world, shape, 0.5f));
    assert_ok(dry_shape_set_contact_spring(world, shape, 1e6f, 1e3f));
    assert_ok(dry_shape_set_restitution(world, shape, 0.125f));
    assert_ok(dry_shape_set_rolling_resistance(world, shape, 0.75f));
    dry_material want = m[0], back;
    want.friction = 0.25f;
    want.static_friction = 0.5f;
    want.contact_stiffness = 1e6f;
    want.contact_damping = 1e3f;
    want.restitution = 0.125f;
    want.rolling_resistance = 0.75f;
    int count = 0;
    assert_ok(dry_shape_get_materials(world, shape, &back, 1, &count));
    assert_true(count == 1 && same_material(&back, &want));

    assert_int_equal(dry_shape_set_friction(world, shape, -1), DRY_ERROR_ARGUMENT);
    assert_true(lines_have(&lines, "dry_shape_set_friction: friction must be 0 to 1e3"));
    assert_ok(dry_shape_set_materials(world, shape, m, 2));
    const uint64_t hash = dry_world_hash(world);
    assert_int_equal(dry_shape_set_friction(world, shape, 0.25f), DRY_ERROR_ARGUMENT);
    assert_true(lines_have(&lines, "dry_shape_set_friction: the shape has several materials"));
    assert_int_equal(dry_shape_set_static_friction(world, shape, 0.25f), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_set_contact_spring(world, shape, 1e6f, 1e3f), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_set_restitution(world, shape, 0.25f), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_set_rolling_resistance(world, shape, 0.25f), DRY_ERROR_ARGUMENT);
    assert_true(dry_world_hash(world) == hash);
    dry_world_destroy(world);
}

/* A bad material, and what the log says of it. */
typedef struct bad_material {
    void (*spoil)(dry_material *m);
    const char *says;
} bad_material;

#define SPOIL(name, change)                                                                                  \
    static void spoil_##name(dry_material *m)                                                                \
    {                                                                                                        \
        change;                                                                                              \
    }
SPOIL(friction, m->friction = NAN)
SPOIL(static_friction, m->static_friction = -1)
SPOIL(stiffness, m->contact_stiffness = INFINITY)
SPOIL(damping, m->contact_damping = 1)
SPOIL(restitution, m->restitution = 1.5f)
SPOIL(rolling, m->rolling_resistance = 1e4f)
SPOIL(velocity, m->surface_velocity.y = NAN)
SPOIL(speed, m->surface_velocity.z = -2e5f)
SPOIL(rule, m->friction_rule = DRY_COMBINE_COUNT)
SPOIL(other_rule, m->restitution_rule = (dry_combination)-1)
#undef SPOIL

static void bad_materials_are_refused(void **state)
{
    (void)state;
    static const bad_material cases[] = {
        {spoil_friction, "materials[1]: friction must be 0 to 1e3"},
        {spoil_static_friction, "materials[1]: static_friction must be 0 to 1e3"},
        {spoil_stiffness, "materials[1]: contact_stiffness must be 0 to 1e15"},
        {spoil_damping, "materials[1]: contact_damping must be 0 to 1e15, and 0 if contact_stiffness is 0"},
        {spoil_restitution, "materials[1]: restitution must be 0 to 1"},
        {spoil_rolling, "materials[1]: rolling_resistance must be 0 to 1e3"},
        {spoil_velocity, "materials[1]: surface_velocity must be finite and at most 1e5"},
        {spoil_speed, "materials[1]: surface_velocity must be finite and at most 1e5"},
        {spoil_rule, "materials[1]: friction_rule is unknown"},
        {spoil_other_rule, "materials[1]: restitution_rule is unknown"},
    };
    log_lines lines = {0};
    dry_world *world = logging_world(test_settings(), &lines);
    const dry_body_id body = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), box_shape(1, 1, 1));
    dry_shape_id shape = shape_of_body(world, body), made;
    dry_body_id other;
    const uint64_t hash = dry_world_hash(world);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        dry_material m[2] = {dry_default_material(), dry_default_material()};
        cases[i].spoil(&m[1]);
        const dry_shape_def def = shape_with(box_shape(1, 1, 1), m, 2);
        dry_body_def of = body_def(DRY_BODY_STATIC, pose_at(0, 5, 0), &def);
        clear_lines(&lines);
        assert_int_equal(dry_shape_set_materials(world, shape, m, 2), DRY_ERROR_ARGUMENT);
        assert_true(lines_have(&lines, cases[i].says));
        clear_lines(&lines);
        assert_int_equal(dry_body_create_shape(world, body, &def, &made), DRY_ERROR_ARGUMENT);
        assert_true(lines_have(&lines, cases[i].says));
        clear_lines(&lines);
        assert_int_equal(dry_world_create_body(world, &of, &other), DRY_ERROR_ARGUMENT);
        assert_true(lines_have(&lines, cases[i].says));
        assert_true(dry_world_hash(world) == hash);
    }
    dry_material m = dry_default_material();
    assert_int_equal(dry_shape_set_materials(world, shape, NULL, 1), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_set_materials(world, shape, &m, 0), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_set_materials(world, shape, &m, -1), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_set_materials(world, shape, &m, 65537), DRY_ERROR_ARGUMENT);
    dry_shape_def def = shape_with(box_shape(1, 1, 1), NULL, 1);
    assert_int_equal(dry_body_create_shape(world, body, &def, &made), DRY_ERROR_ARGUMENT);
    def.materials = &m;
    def.material_count = -1;
    assert_int_equal(dry_body_create_shape(world, body, &def, &made), DRY_ERROR_ARGUMENT);
    assert_true(dry_world_hash(world) == hash);
    dry_world_destroy(world);
}

/* Own coefficients beside materials are refused, unless they have their defaults. */
static void both_given_is_refused(void **state)
{
    (void)state;
    log_lines lines = {0};
    dry_world *world = logging_world(test_settings(), &lines);
    const dry_body_id body = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), box_shape(1, 1, 1));
    const dry_material m = dry_default_material();
    dry_shape_id made;
    for (int i = 0; i < 6; i++) {
        dry_shape_def def = shape_with(box_shape(1, 1, 1), &m, 1);
        float *const own[] = {&def.friction,        &def.static_friction, &def.contact_stiffness,
                              &def.contact_damping, &def.restitution,     &def.rolling_resistance};
        *own[i] = 0.5f;
        clear_lines(&lines);
        const uint64_t hash = dry_world_hash(world);
        assert_int_equal(dry_body_create_shape(world, body, &def, &made), DRY_ERROR_ARGUMENT);
        assert_true(lines_have(&lines, "are both given") && dry_world_hash(world) == hash);
    }
    dry_world_destroy(world);
}

/* Methods with rigid contacts refuse a material with a spring, be it the last, where it is given and where
 * they are chosen. */
static void springs_are_refused_as_ever(void **state)
{
    (void)state;
    static const dry_solver rigid[] = {DRY_SOLVER_PBD, DRY_SOLVER_AVBD};
    dry_material m[3] = {dry_default_material(), dry_default_material(), dry_default_material()};
    m[2].contact_stiffness = 1e6f;
    const dry_shape_def sprung = shape_with(box_shape(1, 1, 1), m, 3);
    for (int i = 0; i < COUNT_OF(rigid); i++) {
        log_lines lines = {0};
        dry_settings settings = test_settings();
        settings.method.solver = rigid[i];
        dry_world *world = logging_world(settings, &lines);
        const dry_body_id body = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), box_shape(1, 1, 1));
        dry_shape_id made;
        assert_int_equal(dry_body_create_shape(world, body, &sprung, &made), DRY_ERROR_ARGUMENT);
        assert_true(lines_have(&lines, "materials[2]") && lines_have(&lines, "contact_stiffness must be 0"));
        assert_int_equal(dry_shape_set_materials(world, shape_of_body(world, body), m, 3),
                         DRY_ERROR_ARGUMENT);
        dry_world_destroy(world);

        world = world_with(test_settings());
        const dry_body_id other = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sprung);
        assert_int_equal(dry_world_set_settings(world, &settings), DRY_ERROR_ARGUMENT);
        assert_ok(dry_shape_set_materials(world, shape_of_body(world, other), m, 2));
        assert_ok(dry_world_set_settings(world, &settings));
        dry_world_destroy(world);
    }
}

/* Hits carry the ids of both sides; an id is not part of the motion, but of the state. */
static void hits_repeat_the_id(void **state)
{
    (void)state;
    dry_material m[2] = {dry_default_material(), dry_default_material()};
    m[0].id = UINT64_MAX;
    m[1].id = UINT64_C(1) << 60;
    dry_world *world = world_with(test_settings());
    const dry_body_id floor =
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), shape_with(box_shape(5, 1, 5), &m[0], 1));
    add_dynamic(world, pose_at(0, 1, 0), shape_with(sphere_shape(0.2), &m[1], 1));
    int hits = 0;
    for (int step = 0; step < 60; step++) {
        run_steps(world, 1, TEST_DT);
        const dry_events e = dry_world_events(world);
        for (int i = 0; i < e.hit_count; i++, hits++) {
            const bool first = e.hits[i].body_a.bits == floor.bits;
            assert_true((first ? e.hits[i].material_a : e.hits[i].material_b) == m[0].id);
            assert_true((first ? e.hits[i].material_b : e.hits[i].material_a) == m[1].id);
        }
    }
    assert_true(hits > 0);
    const uint64_t hash = dry_world_hash(world);
    m[0].id = 5;
    assert_ok(dry_shape_set_materials(world, shape_of_body(world, floor), &m[0], 1));
    assert_true(dry_world_hash(world) != hash);
    dry_world_destroy(world);
}

/* Shapes with several materials come, change and go: each keeps its own, whatever holes the others leave. */
static void materials_survive_their_neighbors(void **state)
{
    (void)state;
    enum { SHAPES = 40, MOST = 50, TURNS = 2000 };
    static dry_material list[SHAPES][MOST], back[MOST];
    dry_body_id body[SHAPES] = {{0}};
    int count[SHAPES] = {0};
    uint64_t seed = 77;
    dry_world *world = world_with(test_settings());
    size_t bytes = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        const int i = random_below(&seed, SHAPES), some = 1 + random_below(&seed, MOST);
        const int what = random_below(&seed, 3);
        if (count[i] > 0 && what == 0) {
            assert_ok(dry_body_destroy(world, body[i]));
            count[i] = 0;
        } else {
            for (int k = 0; k < some; k++)
                list[i][k] = random_material(&seed);
            if (count[i] > 0)
                assert_ok(dry_shape_set_materials(world, shape_of_body(world, body[i]), list[i], some));
            else
                body[i] = add_body(world, DRY_BODY_STATIC, pose_at(3 * i, 0, 0),
                                   shape_with(box_shape(1, 1, 1), list[i], some));
            count[i] = some;
        }
        const int k = random_below(&seed, SHAPES);
        int got = 0;
        if (count[k] > 0)
            assert_ok(dry_shape_get_materials(world, shape_of_body(world, body[k]), back, MOST, &got));
        assert_int_equal(got, count[k]);
        for (int n = 0; n < got; n++)
            assert_true(same_material(&back[n], &list[k][n]));
        if (turn == TURNS / 2)
            bytes = dry_world_statistics(world).memory_bytes;
    }
    assert_true(dry_world_statistics(world).memory_bytes < 2 * bytes);
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_combine_by_closed_form),
        cmocka_unit_test(one_material_is_the_own_coefficients),
        cmocka_unit_test(a_slide_follows_the_rule),
        cmocka_unit_test(rules_alone_make_static_friction),
        cmocka_unit_test(a_shape_has_several),
        cmocka_unit_test(set_materials_replaces_all),
        cmocka_unit_test(setters_change_the_only_material),
        cmocka_unit_test(bad_materials_are_refused),
        cmocka_unit_test(both_given_is_refused),
        cmocka_unit_test(springs_are_refused_as_ever),
        cmocka_unit_test(hits_repeat_the_id),
        cmocka_unit_test(materials_survive_their_neighbors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
