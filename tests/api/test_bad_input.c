/* Bad numbers, in every field of every definition and in every call: an error result, nothing changed, and
 * the world steps on. test_bad_calls.c has the rest of bad input. */
#include "tests/bad_input_world.h"

/* Fields of definitions. A float or double also gets what is not finite. */
typedef enum field_kind { FIELD_FLOAT, FIELD_DOUBLE, FIELD_INT } field_kind;

typedef struct field {
    const char *name;
    size_t offset;
    field_kind kind;
    double bad[3];
    int bad_count;
} field;

#define FIELD(type, member, field_kind_, ...)                                                                \
    {                                                                                                        \
#member, offsetof(type, member), field_kind_,                                                        \
            {__VA_ARGS__ }, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double))                          \
    }

/* Puts the n-th bad value into the field; false after the last. */
static bool spoil(void *def, const field *at, int n)
{
    static const double not_finite[] = {NAN, INFINITY, -INFINITY};
    int extra = at->kind == FIELD_INT ? 0 : 3;
    if (n >= at->bad_count + extra)
        return false;
    double value = n < at->bad_count ? at->bad[n] : not_finite[n - at->bad_count];
    char *place = (char *)def + at->offset;
    if (at->kind == FIELD_FLOAT)
        memcpy(place, &(float){(float)value}, sizeof(float));
    else if (at->kind == FIELD_DOUBLE)
        memcpy(place, &value, sizeof value);
    else
        memcpy(place, &(int){(int)value}, sizeof(int));
    return true;
}

#define S(member, kind, ...) FIELD(dry_settings, member, kind, __VA_ARGS__)
static const field settings_fields[] = {
    S(gravity.x, FIELD_FLOAT, 2e6, -2e6),
    S(gravity.y, FIELD_FLOAT, 2e6, -2e6),
    S(gravity.z, FIELD_FLOAT, 2e6, -2e6),
    S(method.solver, FIELD_INT, -1, DRY_SOLVER_COUNT),
    S(method.friction, FIELD_INT, -1, DRY_FRICTION_COUNT),
    S(substeps, FIELD_INT, -1, 257),
    S(substeps_min, FIELD_INT, 0, -1, 257),
    S(substeps_max, FIELD_INT, 0, 3, 257), /* 3 is less than the floor's default */
    S(sweeps, FIELD_INT, -1, 257),
    S(sweeps_min, FIELD_INT, 0, 257),
    S(sweeps_max, FIELD_INT, 0, 257),
    S(relax_sweeps, FIELD_INT, -1, 257),
    S(method.relaxation, FIELD_FLOAT, 0, -1, 2),
    S(method.order, FIELD_INT, -1, DRY_ORDER_COUNT),
    S(contact_hertz, FIELD_FLOAT, -1, 2e5),
    S(contact_damping_ratio, FIELD_FLOAT, -1, 2e3),
    S(contact_stiffness, FIELD_FLOAT, -1, 2e15),
    S(contact_damping, FIELD_FLOAT, -1, 2e3),
    S(method.push_factor, FIELD_FLOAT, -1, 1.5),
    S(push_out_speed_max, FIELD_FLOAT, 0, -1),
    S(restitution_speed_min, FIELD_FLOAT, -1),
    S(spin_max, FIELD_FLOAT, 0, -1, 2e6),
    S(hit_speed_min, FIELD_FLOAT, -1),
    S(shape_pairs_max, FIELD_INT, 15, (1 << 24) + 1),
    S(speculative_margin, FIELD_FLOAT, -1, 1.5),
    S(recycle_distance, FIELD_FLOAT, -1),
    S(levers, FIELD_INT, -1, DRY_LEVERS_COUNT),
    S(method.integrator, FIELD_INT, -1, DRY_INTEGRATOR_COUNT),
    S(joint_solver, FIELD_INT, DRY_JOINT_SOLVER_WORLD, -1, DRY_JOINT_SOLVER_COUNT),
    S(method.joint_regularization, FIELD_DOUBLE, 0, 1e-17, 1e-3),
    S(lever_distance, FIELD_FLOAT, -1),
    S(lever_angle, FIELD_FLOAT, -1, 1.5),
    S(method.colors_max, FIELD_INT, -1, 65),
    S(sleep_speed_max, FIELD_FLOAT, -1),
    S(sleep_after, FIELD_FLOAT, -1),
};

static void test_settings_fields(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, 1);
    for (int i = 0; i < COUNT_OF(settings_fields); ++i) {
        for (int n = 0;; ++n) {
            dry_settings settings = dry_world_get_settings(f.world);
            if (!spoil(&settings, &settings_fields[i], n))
                break;
            assert_refused(&f, dry_world_set_settings(f.world, &settings), DRY_ERROR_ARGUMENT);
            dry_world_def def = test_world_def();
            def.settings = settings;
            dry_world *world = f.world;
            assert_int_equal(dry_world_create(&def, &world), DRY_ERROR_ARGUMENT);
            assert_null(world);
        }
    }
    fixture_end(&f);
}

#define W(member, kind, ...) FIELD(dry_world_def, member, kind, __VA_ARGS__)
static const field world_fields[] = {
    W(threads, FIELD_INT, -1, 1025),
    W(isa, FIELD_INT, -1, DRY_ISA_COUNT),
    W(team, FIELD_INT, -1, DRY_TEAM_TASKS, DRY_TEAM_COUNT),
    W(body_capacity, FIELD_INT, -1, 1 << 24),
};

static void *never_allocate(size_t bytes, size_t alignment, void *user)
{
    (void)bytes, (void)alignment, (void)user;
    return NULL;
}

static void *never_start(void (*run)(void *argument), void *argument, void *user)
{
    (void)run, (void)argument, (void)user;
    return NULL;
}

static void test_world_def_fields(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(world_fields); ++i) {
        dry_world_def def = test_world_def();
        dry_world *world = NULL;
        for (int n = 0; spoil(&def, &world_fields[i], n); ++n) {
            assert_int_equal(dry_world_create(&def, &world), DRY_ERROR_ARGUMENT);
            assert_null(world);
        }
    }
    dry_world *world = NULL;
    dry_world_def half = test_world_def();
    half.allocator.allocate = never_allocate;
    assert_int_equal(dry_world_create(&half, &world), DRY_ERROR_ARGUMENT);
    half = dry_default_world_def();
    half.tasks.start = never_start;
    half.tasks.finish = NULL;
    assert_int_equal(dry_world_create(&half, &world), DRY_ERROR_ARGUMENT);
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; ++isa) {
        dry_world_def def = test_world_def();
        def.isa = (dry_isa)isa;
        bool available = dry_isa_available((dry_isa)isa);
        assert_int_equal(dry_world_create(&def, &world), available ? DRY_OK : DRY_ERROR_UNSUPPORTED);
        if (available)
            assert_int_equal(dry_world_isa(world), isa);
        dry_world_destroy(world);
    }
    for (int team = 0; team < DRY_TEAM_TASKS; ++team) {
        dry_world_def def = test_world_def();
        def.team = (dry_team)team;
        bool available = dry_team_available((dry_team)team);
        assert_int_equal(dry_world_create(&def, &world), available ? DRY_OK : DRY_ERROR_UNSUPPORTED);
        if (available)
            assert_int_equal(dry_world_team(world), team);
        dry_world_destroy(world);
    }
    assert_true(dry_team_available(dry_default_world_def().team));
    assert_false(dry_team_available(DRY_TEAM_TASKS));
}

#define B(member, kind, ...) FIELD(dry_body_def, member, kind, __VA_ARGS__)
static const field body_fields[] = {
    B(type, FIELD_INT, -1, DRY_BODY_TYPE_COUNT),
    B(pose.position.x, FIELD_DOUBLE, 2e9, -2e9),
    B(pose.position.y, FIELD_DOUBLE, 2e9, -1e300),
    B(pose.position.z, FIELD_DOUBLE, 1e300, -2e9),
    B(pose.orientation.x, FIELD_FLOAT, 0.5, 1e30),
    B(pose.orientation.y, FIELD_FLOAT, 0.5, 1e30),
    B(pose.orientation.z, FIELD_FLOAT, -0.5, 1e30),
    B(pose.orientation.w, FIELD_FLOAT, 0, 1.01, 1e30),
    B(velocity.linear.x, FIELD_FLOAT, 2e5, 1e38),
    B(velocity.linear.y, FIELD_FLOAT, -2e5, 1e38),
    B(velocity.linear.z, FIELD_FLOAT, 2e5, 1e38),
    B(velocity.angular.x, FIELD_FLOAT, 2e4, 1e38),
    B(velocity.angular.y, FIELD_FLOAT, -2e4, 1e38),
    B(velocity.angular.z, FIELD_FLOAT, 2e4, 1e38),
    B(gravity_scale, FIELD_FLOAT, 2e6, -2e6),
    B(linear_damping, FIELD_FLOAT, -1),
    B(angular_damping, FIELD_FLOAT, -1),
    B(locks, FIELD_INT, 64, -1),
    B(shape_count, FIELD_INT, -1),
    B(mass, FIELD_FLOAT, -1, 2e15),
};

static void test_body_fields(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, 1);
    dry_shape_def shape = sphere_shape(0.5);
    for (int i = 0; i < COUNT_OF(body_fields); ++i) {
        for (int n = 0;; ++n) {
            dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(50, 50, 50), &shape);
            dry_body_id id;
            if (!spoil(&def, &body_fields[i], n))
                break;
            assert_refused(&f, dry_world_create_body(f.world, &def, &id), DRY_ERROR_ARGUMENT);
        }
    }
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(50, 50, 50), NULL);
    dry_body_id id;
    def.shape_count = 1; /* shapes promised, none given */
    assert_refused(&f, dry_world_create_body(f.world, &def, &id), DRY_ERROR_ARGUMENT);
    fixture_end(&f);
}

#define H(member, kind, ...) FIELD(dry_shape_def, member, kind, __VA_ARGS__)
static const field shape_fields[] = {
    H(type, FIELD_INT, -1, DRY_SHAPE_TYPE_COUNT),
    H(pose.position.x, FIELD_FLOAT, 2e6, -2e6),
    H(pose.position.y, FIELD_FLOAT, 2e6, -2e6),
    H(pose.position.z, FIELD_FLOAT, 2e6, -2e6),
    H(pose.orientation.x, FIELD_FLOAT, 0.5),
    H(pose.orientation.y, FIELD_FLOAT, 0.5),
    H(pose.orientation.z, FIELD_FLOAT, 0.5),
    H(pose.orientation.w, FIELD_FLOAT, 0, 1.01),
    H(density, FIELD_FLOAT, -1, 2e9),
    H(friction, FIELD_FLOAT, -1, 2e3),
    H(static_friction, FIELD_FLOAT, -1, 2e3),
    H(contact_stiffness, FIELD_FLOAT, -1, 2e15),
    H(contact_damping, FIELD_FLOAT, -1, 1, 2e15),
    H(restitution, FIELD_FLOAT, -0.1, 1.1),
    H(rolling_resistance, FIELD_FLOAT, -0.1, 2e3),
};
static const field box_fields[] = {
    H(half_extents.x, FIELD_FLOAT, 0, -1, 2e6),
    H(half_extents.y, FIELD_FLOAT, 5e-5, -1, 2e6),
    H(half_extents.z, FIELD_FLOAT, 0, -1, 2e6),
};
static const field sphere_fields[] = {H(radius, FIELD_FLOAT, 0, -1, 2e6)};
static const field capsule_fields[] = {H(radius, FIELD_FLOAT, 0, -1, 2e6),
                                       H(half_length, FIELD_FLOAT, -1, 2e6)};
static const field halfspace_fields[] = {
    H(normal.x, FIELD_FLOAT, 0.5, 1e30),
    H(normal.y, FIELD_FLOAT, 0, 1.01, 1e30),
    H(normal.z, FIELD_FLOAT, -0.5),
    H(offset, FIELD_FLOAT, 2e6, -2e6),
};

static void check_shape_fields(fixture *f, dry_shape_def sound, dry_body_id body, const field *fields,
                               int count)
{
    for (int i = 0; i < count; ++i) {
        for (int n = 0;; ++n) {
            dry_shape_def def = sound;
            dry_shape_id id;
            dry_body_id made;
            if (!spoil(&def, &fields[i], n))
                break;
            assert_refused(f, dry_body_create_shape(f->world, body, &def, &id), DRY_ERROR_ARGUMENT);
            dry_body_def whole = body_def(DRY_BODY_STATIC, pose_at(50, 50, 50), &def);
            assert_refused(f, dry_world_create_body(f->world, &whole, &made), DRY_ERROR_ARGUMENT);
        }
    }
}

static void test_shape_fields(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, 1);
    check_shape_fields(&f, box_shape(1, 1, 1), f.dynamic, shape_fields, COUNT_OF(shape_fields));
    check_shape_fields(&f, box_shape(1, 1, 1), f.dynamic, box_fields, COUNT_OF(box_fields));
    check_shape_fields(&f, sphere_shape(1), f.dynamic, sphere_fields, COUNT_OF(sphere_fields));
    check_shape_fields(&f, capsule_shape(1, 1), f.dynamic, capsule_fields, COUNT_OF(capsule_fields));
    dry_shape_def halfspace = halfspace_shape(v3(0, 1, 0), 0);
    check_shape_fields(&f, halfspace, f.floor, halfspace_fields, COUNT_OF(halfspace_fields));
    dry_shape_id id;
    assert_refused(&f, dry_body_create_shape(f.world, f.dynamic, &halfspace, &id), DRY_ERROR_ARGUMENT);
    assert_refused(&f, dry_body_create_shape(f.world, f.kinematic, &halfspace, &id), DRY_ERROR_ARGUMENT);
    assert_refused(&f, dry_body_set_type(f.world, f.floor, DRY_BODY_DYNAMIC), DRY_ERROR_ARGUMENT);
    fixture_end(&f);
}

#define J(member, kind, ...) FIELD(dry_joint_def, member, kind, __VA_ARGS__)
static const field joint_fields[] = {
    J(type, FIELD_INT, -1, DRY_JOINT_TYPE_COUNT), J(anchor_a.x, FIELD_FLOAT, 2e6, -2e6),
    J(anchor_a.y, FIELD_FLOAT, 2e6, -2e6),        J(anchor_a.z, FIELD_FLOAT, 2e6, -2e6),
    J(anchor_b.x, FIELD_FLOAT, 2e6, -2e6),        J(anchor_b.y, FIELD_FLOAT, 2e6, -2e6),
    J(anchor_b.z, FIELD_FLOAT, 2e6, -2e6),        J(length, FIELD_FLOAT, -1, 2e6),
    J(stiffness, FIELD_FLOAT, -1, 2e15),          J(solver, FIELD_INT, -1, DRY_JOINT_SOLVER_COUNT),
    J(damping, FIELD_FLOAT, -1, 2e15, 1), /* 1 without stiffness is no spring */
};
static const field target_fields[] = {
    J(target.x, FIELD_DOUBLE, 1.1e9, 1e274),
    J(target.y, FIELD_DOUBLE, -1.1e9, -1e274),
    J(target.z, FIELD_DOUBLE, 1.1e9, 1e274),
};

/* The place in the world is bounded as bodies' positions are, in creation and in change. */
static void test_joint_targets(void **state)
{
    (void)state;
    static const dry_joint_type types[] = {DRY_JOINT_TARGET, DRY_JOINT_BALL, DRY_JOINT_HINGE};
    for (int k = 0; k < COUNT_OF(types); ++k) {
        fixture f;
        fixture_make(&f, 1);
        dry_joint_id id, refused;
        dry_joint_def sound = dry_default_joint_def(types[k]);
        sound.body_b = f.other;
        sound.target = (dry_position){3, 0.5, 0};
        assert_ok(dry_world_create_joint(f.world, &sound, &id));
        for (int i = 0; i < COUNT_OF(target_fields); ++i) {
            dry_joint_def def = sound;
            for (int n = 0; spoil(&def, &target_fields[i], n); ++n) {
                assert_refused(&f, dry_world_create_joint(f.world, &def, &refused), DRY_ERROR_ARGUMENT);
                assert_refused(&f, dry_joint_set_def(f.world, id, &def), DRY_ERROR_ARGUMENT);
            }
        }
        sound.target = (dry_position){1e9, -1e9, 1e9};
        assert_ok(dry_world_create_joint(f.world, &sound, &refused));
        assert_ok(dry_joint_destroy(f.world, refused));
        fixture_end(&f);
    }
}

static void test_joint_fields(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, 1);
    dry_joint_id id;
    for (int i = 0; i < COUNT_OF(joint_fields); ++i) {
        for (int n = 0;; ++n) {
            dry_joint_def def = sound_joint(&f);
            if (!spoil(&def, &joint_fields[i], n))
                break;
            assert_refused(&f, dry_world_create_joint(f.world, &def, &id), DRY_ERROR_ARGUMENT);
        }
    }
    dry_joint_def def = sound_joint(&f);
    def.body_b = def.body_a;
    assert_refused(&f, dry_world_create_joint(f.world, &def, &id), DRY_ERROR_ARGUMENT);
    fixture_end(&f);
}

static void test_numbers_in_calls(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY, -1e30f, 1e30f};
    fixture f;
    fixture_make(&f, 1);
    for (int which = 0; which < NUMBER_CALLS; ++which) {
        for (int n = 0; n < COUNT_OF(bad); ++n) {
            if (bad[n] > 0 && isfinite(bad[n]) && number_may_be_large(which))
                continue;
            assert_refused(&f, call_with_number(f.world, which, f.dynamic, f.kinematic, f.shape, bad[n]),
                           DRY_ERROR_ARGUMENT);
        }
    }
    assert_refused(&f, dry_world_step(f.world, -1e-6f), DRY_ERROR_ARGUMENT);
    assert_refused(&f, dry_world_step(f.world, 1.001f), DRY_ERROR_ARGUMENT);
    assert_refused(&f, dry_body_move_to(f.world, f.kinematic, pose_at(0, 9, 0), 0), DRY_ERROR_ARGUMENT);
    assert_refused(&f, dry_body_set_type(f.world, f.dynamic, DRY_BODY_TYPE_COUNT), DRY_ERROR_ARGUMENT);
    assert_refused(&f, dry_body_set_locks(f.world, f.dynamic, 64), DRY_ERROR_ARGUMENT);
    dry_ray nowhere = {.mask = ~0ull};
    dry_ray_hit hit;
    assert_refused(&f, dry_world_cast_ray(f.world, &nowhere, &hit), DRY_ERROR_ARGUMENT);
    fixture_end(&f);
}

static void test_masses(void **state)
{
    (void)state;
    static const dry_mass bad[] = {
        {0, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
        {-1, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
        {2e15f, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
        {1, {0, 0, 0}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
        {1, {0, 0, 0}, {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}},
        {1, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}},
        {1, {0, 0, 0}, {{1, 0.5f, 0}, {0, 1, 0}, {0, 0, 1}}},
        {1, {0, 0, 0}, {{1, 2, 0}, {2, 1, 0}, {0, 0, 1}}},
        {1, {0, 0, 0}, {{NAN, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    };
    fixture f;
    fixture_make(&f, 1);
    for (int i = 0; i < COUNT_OF(bad); ++i)
        assert_refused(&f, dry_body_set_mass(f.world, f.dynamic, &bad[i]), DRY_ERROR_ARGUMENT);
    fixture_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings_fields),  cmocka_unit_test(test_world_def_fields),
        cmocka_unit_test(test_body_fields),      cmocka_unit_test(test_shape_fields),
        cmocka_unit_test(test_joint_fields),     cmocka_unit_test(test_joint_targets),
        cmocka_unit_test(test_numbers_in_calls), cmocka_unit_test(test_masses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
