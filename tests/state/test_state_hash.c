/* The state hash sees all that decides the future, and nothing else: bit by bit in memory, as the lists of
 * fields say, and by what the public calls can change. */
#include "tests/test_world.h"

#include "state/column_rows.h"
#include "state/hash_mix.h"
#include "state/state.h"
#include "world/state_tables.h"
#include "world/world.h"

/* A world that uses every column: a heap with joints, a lopsided body, forces, filters, a sleeper, a
 * half-space, a mass kept, an end that waits for its event. */
typedef struct full_world {
    dry_world *world;
    dry_body_id heap[12], pushed, kept, chain[3], gone;
    dry_shape_id shape;
    dry_joint_id joint;
} full_world;

static void make_chain(full_world *f)
{
    for (int i = 0; i < 3; ++i)
        f->chain[i] = add_dynamic(f->world, pose_at(20 + 2 * i, 10, 0), sphere_shape(0.5));
    for (int i = 0; i < 2; ++i) {
        dry_joint_def def = dry_default_joint_def(i ? DRY_JOINT_DISTANCE : DRY_JOINT_BALL);
        def.solver = i ? DRY_JOINT_SOLVER_WORLD : DRY_JOINT_SOLVER_DIRECT;
        def.body_a = f->chain[i];
        def.body_b = f->chain[i + 1];
        def.anchor_a = v3(1, 0, 0);
        def.anchor_b = v3(-1, 0, 0);
        def.length = i ? 0.5f : 0;
        assert_ok(dry_world_create_joint(f->world, &def, &f->joint));
    }
}

static full_world make_full_world(uint16_t tag, int capacity)
{
    full_world f = {0};
    dry_world_def def = test_world_def();
    def.tag = tag;
    def.body_capacity = capacity;
    f.world = world_from(&def);
    add_floor(f.world, 0.6, 0);
    add_body(f.world, DRY_BODY_STATIC, pose_at(0, -5, 0), halfspace_shape(v3(0, 1, 0), 0));
    for (int i = 0; i < 12; ++i)
        f.heap[i] = add_dynamic(f.world, pose_at(0.3 * (i % 3), 0.5 + 0.95 * i, 0), box_shape(0.5, 0.5, 0.5));
    make_chain(&f);
    dry_shape_def aside = box_shape(0.2, 0.2, 0.2);
    aside.pose.position = v3(0.3, 0, 0);
    aside.filter.category = 6;
    aside.static_friction = 0.75f;
    aside.contact_stiffness = 1e7f;
    f.pushed = add_dynamic(f.world, pose_at(-20, 3, 0), aside);
    int count;
    assert_ok(dry_body_get_shapes(f.world, f.pushed, &f.shape, 1, &count));
    f.kept = add_dynamic(f.world, pose_at(-30, 3, 0), sphere_shape(0.5));
    dry_mass mass = mass_of(f.world, f.kept);
    assert_ok(dry_body_set_mass(f.world, f.kept, &mass));
    assert_ok(dry_body_set_type(f.world, f.kept, DRY_BODY_KINEMATIC));
    add_dynamic(f.world, pose_at(-50, 0.6, 0), box_shape(0.5, 0.5, 0.5)); /* in touch and awake at the end */
    f.gone = add_dynamic(f.world, pose_at(-40, 3, 0), sphere_shape(0.5));
    assert_ok(dry_body_destroy(f.world, f.gone));
    run_steps(f.world, 30, TEST_DT);
    assert_ok(dry_body_apply_force_at(f.world, f.pushed, v3(1, 2, 3), (dry_position){-20, 3, 1}));
    assert_ok(dry_body_destroy(f.world, f.heap[0]));
    assert_ok(dry_body_set_awake(f.world, f.heap[11], false));
    assert_ok(dry_body_move_to(f.world, f.kept, pose_at(1, 2, 3), TEST_DT));
    return f;
}

/* Flips a bit of a field in a row; the hash must change if and only if the list says that the bit counts. */
static void flip(const dry_tables *tables, const dry_column *column, const dry_field *field, char *at,
                 int bit, bool seen)
{
    uint64_t before = dry_state_hash(tables);
    at[bit / 8] ^= (char)(1 << bit % 8);
    bool changed = dry_state_hash(tables) != before;
    at[bit / 8] ^= (char)(1 << bit % 8);
    if (changed != seen)
        fail_msg("%s.%s: bit %d %s the hash", column->id, field->name, bit,
                 changed ? "is said to add nothing to" : "adds nothing to");
}

/* Columns by which other rows are found: flipping their bits leads nowhere. */
static bool leads_elsewhere(int column)
{
    return column == DRY_COLUMN_SCHEDULE || column == DRY_COLUMN_BODY_SLOT ||
           column == DRY_COLUMN_SHAPE_SLOT || column == DRY_COLUMN_JOINT_SLOT ||
           column == DRY_COLUMN_BODIES || column == DRY_COLUMN_BODY_SLOTS ||
           column == DRY_COLUMN_SHAPE_SLOTS || column == DRY_COLUMN_JOINT_SLOTS ||
           column == DRY_COLUMN_PROXIES || column == DRY_COLUMN_CONTACT_USED;
}

/* Fields that decide which rows count or which slot they have. */
static bool is_key(int column, const dry_field *field)
{
    return (column == DRY_COLUMN_BODY_STATE && strcmp(field->name, "slot") == 0) ||
           (column == DRY_COLUMN_CONTACT_LINK && strcmp(field->name, "points") == 0) ||
           column == DRY_COLUMN_PROXY_FLAGS;
}

static void flip_field(const dry_tables *tables, int id, const dry_column_rows *rows, int row,
                       const dry_field *field)
{
    char *at = (char *)(uintptr_t)rows->rows + (size_t)row * rows->stride + field->offset;
    int bytes = field->size;
    /* The rest of a struct that has padding inside is checked by its own list. */
    if (strcmp(field->type, "dry_joint_def") == 0 || strcmp(field->type, "bool") == 0)
        return;
    for (int i = 0; i < bytes; ++i) {
        int bit = 8 * i + (row + i) % 8;
        bool seen = field->hashed_bits == UINT64_MAX || (bit < 64 && (field->hashed_bits >> bit & 1));
        if (field->by_point)
            seen = i < bytes / 4 * rows->points[row].points;
        flip(tables, &dry_columns[id], field, at, bit, field->hashed_bits != 0 && seen);
    }
}

static void test_fields(void **state)
{
    (void)state;
    full_world f = make_full_world(1, 0);
    /* Columns that only another solver makes. */
    assert_true(dry_contacts_need_penalty(&f.world->contacts, &f.world->memory));
    assert_true(dry_contacts_need_wide(&f.world->contacts, &f.world->memory));
    assert_true(dry_contacts_need_family(&f.world->contacts, &f.world->memory));
    assert_true(dry_bodies_need_borne(&f.world->bodies, &f.world->memory));
    assert_true(dry_shapes_need_asset(&f.world->shapes, &f.world->memory));
    assert_true(dry_shapes_need_belt(&f.world->shapes, &f.world->memory));
    assert_true(dry_shapes_need_rules(&f.world->shapes, &f.world->memory));
    assert_true(dry_shapes_need_events(&f.world->shapes, &f.world->memory));
    assert_true(dry_shapes_need_material(&f.world->shapes, &f.world->memory));
    assert_true(dry_joints_need_penalty(&f.world->joints, &f.world->memory));
    assert_true(dry_joints_need_corners(&f.world->joints, &f.world->memory));
    dry_tables view = dry_world_state(f.world);
    dry_column_rows rows[DRY_COLUMN_COUNT];
    dry_find_column_rows(&view, rows);
    int empty = 0;
    for (int id = 0; id < DRY_COLUMN_COUNT; ++id) {
        int checked = 0;
        for (int row = 0; row < rows[id].count && checked < 3; ++row) {
            if (!dry_row_counts(&rows[id], row))
                continue;
            checked++;
            for (int i = 0; i < dry_columns[id].field_count && !leads_elsewhere(id); ++i)
                if (!is_key(id, &dry_columns[id].fields[i]))
                    flip_field(&view, id, &rows[id], row, &dry_columns[id].fields[i]);
        }
        if (checked == 0)
            print_message("%s has no rows\n", dry_columns[id].id);
        empty += checked == 0;
    }
    /* Slabs come with a hundred thousand contacts, the list of materials with shapes that have several. */
    assert_true(empty <= 3);
    dry_world_destroy(f.world);
}

/* Rows at their defaults add nothing, in whatever column: an empty world that has all columns. */
static void test_defaults_add_nothing(void **state)
{
    (void)state;
    for (int id = 0; id < DRY_COLUMN_COUNT; ++id) {
        const dry_column *column = &dry_columns[id];
        assert_true(column->field_count > 0 && column->size > 0);
        for (int i = 0; i < column->field_count; ++i) {
            const dry_field *field = &column->fields[i];
            assert_true(field->offset + field->size <= (int)column->size);
            /* Hashed, or a reason why not. */
            assert_true((field->hashed_bits != 0) == (field->unhashed[0] == 0));
            assert_true(field->writers != 0 && field->meaning[0] != 0);
        }
        for (int other = 0; other < id; ++other)
            assert_true(dry_columns[other].number != column->number);
    }
    /* Columns that are there and have nothing but defaults. */
    dry_world *plain = world_with(test_settings()), *needy = world_with(test_settings());
    assert_ok(dry_body_destroy(plain, add_dynamic(plain, pose_at(0, 9, 0), sphere_shape(1))));
    dry_shape_def shape = sphere_shape(1);
    shape.pose.position = v3(1, 0, 0);
    shape.filter.group = 3;
    dry_body_id id = add_dynamic(needy, pose_at(0, 9, 0), shape);
    assert_ok(dry_body_apply_force(needy, id, v3(1, 0, 0)));
    assert_ok(dry_body_destroy(needy, id));
    for (int i = 0; i < 2; ++i)
        add_dynamic(i ? needy : plain, pose_at(0, 3, 0), box_shape(1, 1, 1));
    assert_true(needy->bodies.force && needy->shapes.filter && !plain->bodies.force && !plain->shapes.filter);
    assert_true(dry_world_hash(plain) == dry_world_hash(needy));
    dry_world_destroy(plain);
    dry_world_destroy(needy);
}

/* One public call on a full world: the hash changes, or it does not. */
#define CHANGES(call)                                                                                        \
    do {                                                                                                     \
        full_world f = make_full_world(1, 0);                                                                \
        uint64_t before = dry_world_hash(f.world);                                                           \
        assert_ok(call);                                                                                     \
        if (dry_world_hash(f.world) == before)                                                               \
            fail_msg("%s does not change the hash", #call);                                                  \
        dry_world_destroy(f.world);                                                                          \
    } while (0)

#define KEEPS(call)                                                                                          \
    do {                                                                                                     \
        full_world f = make_full_world(1, 0);                                                                \
        uint64_t before = dry_world_hash(f.world);                                                           \
        assert_ok(call);                                                                                     \
        if (dry_world_hash(f.world) != before)                                                               \
            fail_msg("%s changes the hash", #call);                                                          \
        dry_world_destroy(f.world);                                                                          \
    } while (0)

static dry_result set_one_setting(dry_world *world, const dry_field *field)
{
    dry_settings settings = dry_world_get_settings(world);
    char *at = (char *)&settings + field->offset;
    if (strcmp(field->type, "bool") == 0)
        *(bool *)(void *)at = !*(bool *)(void *)at;
    else if (strcmp(field->type, "float") == 0)
        *(float *)(void *)at = 0.75f;
    else if (strcmp(field->type, "double") == 0)
        *(double *)(void *)at = 1e-12;
    else if (strcmp(field->type, "dry_vec3") == 0)
        *(dry_vec3 *)(void *)at = v3(0, -9.8, 0);
    else if (strcmp(field->name, "method.solver") == 0 || strcmp(field->name, "method.friction") == 0)
        *(int *)(void *)at = 1;
    else
        *(int *)(void *)at += 1;
    if (strcmp(field->name, "levers") == 0)
        settings.levers = settings.levers == DRY_LEVERS_TRUE ? DRY_LEVERS_HELD : DRY_LEVERS_TRUE;
    /* Some go together only. */
    if (strcmp(field->name, "method.solver") == 0 || strcmp(field->name, "method.friction") == 0)
        settings.contact_stiffness = 0;
    if (strcmp(field->name, "method.relaxation_adaptive") == 0)
        settings.sweeps_min = 2;
    return dry_world_set_settings(world, &settings);
}

static dry_result set_same_settings(dry_world *world)
{
    dry_settings settings = dry_world_get_settings(world);
    return dry_world_set_settings(world, &settings);
}

static void test_settings_change_it(void **state)
{
    (void)state;
    const dry_column *column = &dry_columns[DRY_COLUMN_SETTINGS];
    assert_int_equal(column->field_count, 38);
    for (int i = 0; i < column->field_count; ++i) {
        const dry_field *field = &column->fields[i];
        if (strcmp(field->name, "method.integrator") != 0 &&
            strcmp(field->name, "method.modified_inertia") != 0 &&
            strcmp(field->name, "method.geometric_stiffness") != 0)
            CHANGES(set_one_setting(f.world, field));
    }
    /* The full world has a direct joint, which other integrators refuse. */
    dry_settings settings = test_settings();
    dry_world *world = world_with(settings);
    const uint64_t plain = dry_world_hash(world);
    settings.method.integrator = DRY_INTEGRATOR_EULER;
    assert_ok(dry_world_set_settings(world, &settings));
    const uint64_t euler = dry_world_hash(world);
    settings.method.modified_inertia = true;
    assert_ok(dry_world_set_settings(world, &settings));
    assert_true(euler != plain && dry_world_hash(world) != euler && dry_world_hash(world) != plain);
    dry_world_destroy(world);
    /* The full world is solved for velocities. */
    settings = test_settings();
    settings.method.solver = DRY_SOLVER_PBD;
    world = world_with(settings);
    const uint64_t without = dry_world_hash(world);
    settings.method.geometric_stiffness = true;
    assert_ok(dry_world_set_settings(world, &settings));
    assert_true(dry_world_hash(world) != without);
    dry_world_destroy(world);
    KEEPS(set_same_settings(f.world));
}

static dry_result recreate(full_world *f)
{
    /* The same body in the same slot: only the generation tells. */
    dry_body_id id = add_dynamic(f->world, pose_at(60, 3, 0), sphere_shape(0.5));
    uint64_t before = dry_world_hash(f->world), motion = dry_world_motion_hash(f->world);
    assert_ok(dry_body_destroy(f->world, id));
    add_dynamic(f->world, pose_at(60, 3, 0), sphere_shape(0.5));
    assert_true(dry_world_hash(f->world) != before && dry_world_motion_hash(f->world) == motion);
    return DRY_OK;
}

static dry_result joint_destroyed(full_world *f)
{
    return dry_joint_destroy(f->world, f->joint);
}

static dry_result joint_created(full_world *f, float length)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
    dry_joint_id id;
    def.body_a = f->chain[0];
    def.body_b = f->chain[2];
    def.length = length;
    return dry_world_create_joint(f->world, &def, &id);
}

static void test_calls_change_it(void **state)
{
    (void)state;
    dry_shape_def ball = sphere_shape(0.25);
    dry_shape_id shape;
    dry_mass mass = {.mass = 3, .inertia = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}};
    CHANGES(dry_body_set_pose(f.world, f.pushed, pose_at(-20, 3.001, 0)));
    CHANGES(dry_body_set_velocity(f.world, f.pushed, (dry_velocity){{1, 0, 0}, {0, 0, 0}}));
    CHANGES(dry_body_apply_force(f.world, f.pushed, v3(1e-6, 0, 0)));
    CHANGES(dry_body_apply_torque(f.world, f.chain[0], v3(1e-6, 0, 0)));
    CHANGES(dry_body_set_damping(f.world, f.pushed, 0.1f, 0));
    CHANGES(dry_body_set_damping(f.world, f.pushed, 0, 0.1f));
    CHANGES(dry_body_set_gravity_scale(f.world, f.pushed, 0.5f));
    CHANGES(dry_body_set_locks(f.world, f.pushed, DRY_LOCK_LINEAR_X));
    CHANGES(dry_body_set_type(f.world, f.pushed, DRY_BODY_KINEMATIC));
    CHANGES(dry_body_set_enabled(f.world, f.pushed, false));
    CHANGES(dry_body_set_can_sleep(f.world, f.pushed, false));
    CHANGES(dry_body_set_awake(f.world, f.pushed, false));
    CHANGES(dry_body_set_awake(f.world, f.heap[11], true));
    CHANGES(dry_body_set_mass(f.world, f.pushed, &mass));
    CHANGES(dry_shape_set_friction(f.world, f.shape, 0.25f));
    CHANGES(dry_shape_set_static_friction(f.world, f.shape, 2));
    CHANGES(dry_shape_set_contact_spring(f.world, f.shape, 1e6f, 0));
    CHANGES(dry_shape_set_contact_spring(f.world, f.shape, 1e6f, 1e3f));
    CHANGES(dry_shape_set_restitution(f.world, f.shape, 0.25f));
    CHANGES(dry_shape_set_rolling_resistance(f.world, f.shape, 0.25f));
    CHANGES(dry_shape_set_filter(f.world, f.shape, (dry_filter){6, 1, 0}));
    CHANGES(dry_shape_set_filter(f.world, f.shape, (dry_filter){6, UINT64_MAX, 1}));
    CHANGES(dry_shape_destroy(f.world, f.shape));
    CHANGES(dry_body_create_shape(f.world, f.pushed, &ball, &shape));
    CHANGES(dry_body_destroy(f.world, f.heap[3]));
    CHANGES(recreate(&f));
    CHANGES(joint_destroyed(&f));
    CHANGES(joint_created(&f, 2));
    CHANGES(dry_world_step(f.world, TEST_DT));
    KEEPS(dry_body_set_user_data(f.world, f.pushed, 99));
    KEEPS(dry_shape_set_user_data(f.world, f.shape, 99));
    KEEPS(dry_body_set_can_sleep(f.world, f.pushed, true));
}

/* Two bodies exchange velocities that differ in a few low bits: the words of a sum must not cancel. */
static void test_exchanged_rows(void **state)
{
    (void)state;
    dry_world_def def = test_world_def();
    dry_world *world = world_from(&def);
    dry_body_id body[16];
    for (int i = 0; i < 16; ++i)
        body[i] = add_dynamic(world, pose_at(3 * i, 5, 0), sphere_shape(0.5));
    for (int i = 0; i < 15; ++i)
        for (int step = 1; step <= 8; ++step) {
            const dry_velocity slow = {{1, 2, 3}, {4, 5, 6}};
            dry_velocity fast = slow;
            for (int k = 0; k < step; ++k)
                fast.linear.x = nextafterf(fast.linear.x, 2);
            assert_ok(dry_body_set_velocity(world, body[i], slow));
            assert_ok(dry_body_set_velocity(world, body[i + 1], fast));
            uint64_t before = dry_world_hash(world);
            assert_ok(dry_body_set_velocity(world, body[i], fast));
            assert_ok(dry_body_set_velocity(world, body[i + 1], slow));
            assert_true(before != dry_world_hash(world));
        }
    dry_world_destroy(world);
}

/* The tag of ids and reserved room do not enter; definitions of joints and shapes do, before any step. */
static void test_tag_and_room(void **state)
{
    (void)state;
    full_world a = make_full_world(1, 0), b = make_full_world(4711, 5000);
    assert_true(dry_world_hash(a.world) == dry_world_hash(b.world));
    assert_true(a.heap[1].bits != b.heap[1].bits);
    run_steps(a.world, 20, TEST_DT);
    run_steps(b.world, 20, TEST_DT);
    assert_true(dry_world_hash(a.world) == dry_world_hash(b.world));
    assert_ok(joint_created(&a, 2));
    assert_ok(joint_created(&b, 2.5f));
    assert_true(dry_world_hash(a.world) != dry_world_hash(b.world));
    assert_true(dry_world_motion_hash(a.world) == dry_world_motion_hash(b.world));
    dry_world_destroy(a.world);
    dry_world_destroy(b.world);
}

/* Hashes all fields of all living rows of each column. Bodies count by slot. */
static void hash_columns(const dry_world *world, uint64_t hash[DRY_COLUMN_COUNT])
{
    dry_tables view = dry_world_state(world);
    dry_column_rows columns[DRY_COLUMN_COUNT];
    dry_find_column_rows(&view, columns);
    for (int id = 0; id < DRY_COLUMN_COUNT; ++id) {
        const dry_column_rows *rows = &columns[id];
        hash[id] = 0;
        for (int row = 0; row < rows->count; ++row) {
            if (!dry_row_counts(rows, row))
                continue;
            uint64_t h = (uint64_t)(rows->bodies ? rows->bodies[row].slot : row);
            const char *at = (const char *)rows->rows + (size_t)row * rows->stride;
            for (int i = 0; i < dry_columns[id].field_count; ++i) {
                const dry_field *field = &dry_columns[id].fields[i];
                h = dry_hash_mix_bytes(h, at + field->offset, field->size);
            }
            /* Mixed once more: rows that exchange small numbers would cancel in the sum. */
            hash[id] += dry_hash_mix(h ^ h >> 32, (uint64_t)id);
        }
    }
}

/* The changes of a step show in the columns' hashes, and moved rows show in the slots alone. What rests may
 * keep its bits: a box in touch slides. */
static void test_column_hashes(void **state)
{
    (void)state;
    full_world f = make_full_world(1, 0);
    uint64_t before[DRY_COLUMN_COUNT], after[DRY_COLUMN_COUNT];
    set_velocity(f.world, f.heap[1], (d3){1, 0, 0}, (d3){0, 0, 0});
    hash_columns(f.world, before);
    dry_bodies_swap(&f.world->bodies, 0, 1);
    hash_columns(f.world, after);
    for (int id = 0; id < DRY_COLUMN_COUNT; ++id)
        assert_true((before[id] != after[id]) == (id == DRY_COLUMN_BODY_SLOT));
    dry_bodies_swap(&f.world->bodies, 0, 1);
    run_steps(f.world, 1, TEST_DT);
    hash_columns(f.world, after);
    assert_true(before[DRY_COLUMN_BODY_POSE] != after[DRY_COLUMN_BODY_POSE]);
    assert_true(before[DRY_COLUMN_CONTACT_MANIFOLD] != after[DRY_COLUMN_CONTACT_MANIFOLD]);
    assert_true(before[DRY_COLUMN_SETTINGS] == after[DRY_COLUMN_SETTINGS]);
    assert_true(before[DRY_COLUMN_SHAPE_FORM] == after[DRY_COLUMN_SHAPE_FORM]);
    assert_true(before[DRY_COLUMN_JOINT_DEF] == after[DRY_COLUMN_JOINT_DEF]);
    dry_world_destroy(f.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_defaults_add_nothing),
        cmocka_unit_test(test_settings_change_it),
        cmocka_unit_test(test_calls_change_it),
        cmocka_unit_test(test_exchanged_rows),
        cmocka_unit_test(test_tag_and_room),
        cmocka_unit_test(test_column_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
