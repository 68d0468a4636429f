/* Thousands of random calls on small worlds, valid and invalid ones mixed. After each call the world's inner
 * structures must agree (world_checker.h), events must tell exactly what changed, and what was refused must
 * have changed nothing; the same calls on more threads end in the same state.
 *
 * DRYSTONE_FUZZ_SEED and DRYSTONE_FUZZ_ROUNDS run other and more rounds. */
#include "tests/counting_allocator.h"
#include "tests/world_checker.h"

enum { BODIES_MAX = 20, JOINTS_MAX = 12, SHAPES_EACH = 3, GONE_MAX = 32, PAIRS_MAX = 512 };

typedef struct fuzz_pair {
    uint64_t a, b; /* ids of shapes, a < b */
    int touching;  /* begins less ends */
} fuzz_pair;

/* The test's own copy of what the world should hold. */
typedef struct fuzz {
    dry_world *world;
    counting_allocator counter;
    uint64_t seed;
    int round, operation;
    dry_body_id bodies[BODIES_MAX];
    bool told_asleep[BODIES_MAX];
    dry_joint_id joints[JOINTS_MAX];
    int body_count, joint_count;
    uint64_t gone[GONE_MAX]; /* ids that once lived, of any kind */
    int gone_count;
    fuzz_pair pairs[PAIRS_MAX]; /* as told by begin and end events */
    int pair_count;
    int refusals, refused_steps; /* for want of memory */
    bool was_refused;            /* the last step */
} fuzz;

static int below(fuzz *f, int end)
{
    return random_below(&f->seed, end);
}

static bool chance(fuzz *f, int one_in)
{
    return below(f, one_in) == 0;
}

static double between(fuzz *f, double low, double high)
{
    return random_in(&f->seed, low, high);
}

static dry_vec3 vector(fuzz *f, double bound)
{
    return v3_of(random_d3(&f->seed, bound));
}

static dry_pose some_pose(fuzz *f)
{
    d3 p = random_d3(&f->seed, 2);
    return (dry_pose){{p.x, p.y + 1.5, p.z}, chance(f, 3) ? QUAT_IDENTITY : random_quat(&f->seed)};
}

static dry_velocity some_velocity(fuzz *f)
{
    if (chance(f, 4))
        return (dry_velocity){0};
    return (dry_velocity){vector(f, 3), vector(f, 3)};
}

static dry_shape_def some_shape(fuzz *f, dry_body_type type)
{
    dry_shape_def def = dry_default_shape_def();
    def.type = (dry_shape_type)below(f, type == DRY_BODY_STATIC ? 4 : 3);
    def.half_extents = v3(between(f, 0.1, 0.7), between(f, 0.1, 0.7), between(f, 0.1, 0.7));
    def.radius = (float)between(f, 0.1, 0.5);
    def.half_length = (float)between(f, 0, 0.5);
    if (chance(f, 2))
        def.pose = (dry_transform){vector(f, 0.5), random_quat(&f->seed)};
    if (def.type == DRY_SHAPE_HALFSPACE)
        def.pose = (dry_transform){v3(0, -0.5, 0), QUAT_IDENTITY};
    def.density = chance(f, 6) ? 0 : 1000;
    def.restitution = chance(f, 3) ? 0.5f : 0;
    def.rolling_resistance = chance(f, 4) ? 0.05f : 0;
    if (chance(f, 4))
        def.filter = (dry_filter){1ull << below(f, 2), 1 + (uint64_t)below(f, 3), below(f, 3) - 1};
    return def;
}

static dry_body_def some_body(fuzz *f, dry_shape_def shapes[SHAPES_EACH])
{
    static const dry_body_type types[] = {DRY_BODY_STATIC, DRY_BODY_KINEMATIC, DRY_BODY_DYNAMIC,
                                          DRY_BODY_DYNAMIC, DRY_BODY_DYNAMIC};
    dry_body_def def = dry_default_body_def();
    def.type = types[below(f, COUNT_OF(types))];
    def.pose = some_pose(f);
    def.velocity = some_velocity(f);
    def.locks = chance(f, 8) ? (unsigned)below(f, 64) : 0;
    def.enabled = !chance(f, 10);
    def.awake = !chance(f, 5);
    def.can_sleep = !chance(f, 10);
    def.mass = chance(f, 4) ? (float)between(f, 0.1, 1000) : 0;
    def.shape_count = below(f, SHAPES_EACH + 1);
    def.shapes = shapes;
    for (int i = 0; i < def.shape_count; ++i)
        shapes[i] = some_shape(f, def.type);
    return def;
}

/* A living body's id; now and then one that is not. */
static dry_body_id some_id(fuzz *f)
{
    if (f->gone_count && chance(f, 40))
        return (dry_body_id){f->gone[below(f, f->gone_count)]};
    if (f->body_count == 0 || chance(f, 80))
        return (dry_body_id){0};
    return f->bodies[below(f, f->body_count)];
}

static dry_shape_id some_shape_id(fuzz *f)
{
    dry_shape_id ids[16];
    int count = 0;
    if (f->body_count == 0 ||
        dry_body_get_shapes(f->world, f->bodies[below(f, f->body_count)], ids, 16, &count) != DRY_OK ||
        count == 0)
        return (dry_shape_id){0};
    return ids[below(f, count < 16 ? count : 16)];
}

static void bury(fuzz *f, uint64_t bits)
{
    f->gone[f->gone_count < GONE_MAX ? f->gone_count++ : below(f, GONE_MAX)] = bits;
}

/* Forgets what no longer lives. */
static void sweep_ids(fuzz *f)
{
    int kept = 0;
    for (int i = 0; i < f->body_count; ++i) {
        if (!dry_body_is_valid(f->world, f->bodies[i])) {
            bury(f, f->bodies[i].bits);
            continue;
        }
        f->told_asleep[kept] = f->told_asleep[i];
        f->bodies[kept++] = f->bodies[i];
    }
    f->body_count = kept;
    kept = 0;
    for (int i = 0; i < f->joint_count; ++i)
        if (dry_joint_is_valid(f->world, f->joints[i]))
            f->joints[kept++] = f->joints[i];
    f->joint_count = kept;
}

static dry_result create_some(fuzz *f)
{
    dry_shape_def shapes[3][SHAPES_EACH];
    dry_body_def defs[3];
    int count = 1 + below(f, 3);
    if (f->body_count + count > BODIES_MAX)
        return DRY_OK;
    for (int i = 0; i < count; ++i)
        defs[i] = some_body(f, shapes[i]);
    if (chance(f, 12))
        defs[below(f, count)].velocity.linear.y = chance(f, 2) ? NAN : 2e5f;
    dry_result result = dry_world_create_bodies(f->world, count, defs, f->bodies + f->body_count);
    if (result == DRY_OK)
        for (int i = 0; i < count; ++i, ++f->body_count)
            f->told_asleep[f->body_count] =
                defs[i].type == DRY_BODY_DYNAMIC && !dry_body_is_awake(f->world, f->bodies[f->body_count]);
    return result;
}

enum { NEIGHBORS_MAX = 64 };

/* Adds the dynamic bodies that touch a body or are joined to it to a list of `count`. */
static int neighbors_of(const fuzz *f, dry_body_id id, dry_body_id *found, int count)
{
    dry_contact contacts[NEIGHBORS_MAX];
    dry_joint_id joints[JOINTS_MAX];
    int touching = 0, joined = 0;
    if (!dry_body_is_valid(f->world, id))
        return count;
    assert_ok(dry_body_get_contacts(f->world, id, contacts, NEIGHBORS_MAX, &touching));
    assert_ok(dry_body_get_joints(f->world, id, joints, JOINTS_MAX, &joined));
    for (int i = 0; i < touching + joined && count < NEIGHBORS_MAX; ++i) {
        dry_joint_def joint = {0};
        dry_body_def def;
        if (i >= touching)
            assert_ok(dry_joint_get_def(f->world, joints[i - touching], &joint));
        dry_body_id a = i < touching ? contacts[i].body_a : joint.body_a;
        dry_body_id b = i < touching ? contacts[i].body_b : joint.body_b;
        found[count] = a.bits == id.bits ? b : a;
        assert_ok(dry_body_get_def(f->world, found[count], &def));
        count += def.type == DRY_BODY_DYNAMIC && def.enabled;
    }
    return count;
}

/* A body that lost its neighbor is awake. */
static void check_awake(const fuzz *f, const dry_body_id *ids, int count)
{
    for (int i = 0; i < count; ++i)
        check(!dry_body_is_valid(f->world, ids[i]) || dry_body_is_awake(f->world, ids[i]));
}

static dry_result destroy_some(fuzz *f)
{
    dry_body_id ids[3], near_ids[NEIGHBORS_MAX];
    int count = 1 + below(f, 3), near_count = 0;
    for (int i = 0; i < count; ++i) { /* a duplicate is refused */
        ids[i] = some_id(f);
        near_count = neighbors_of(f, ids[i], near_ids, near_count);
    }
    dry_result result = dry_world_destroy_bodies(f->world, count, ids);
    if (result == DRY_OK)
        check_awake(f, near_ids, near_count);
    return result;
}

static dry_result set_enabled(fuzz *f, dry_body_id id)
{
    dry_body_id near_ids[NEIGHBORS_MAX];
    dry_body_def def = {0};
    if (dry_body_is_valid(f->world, id))
        assert_ok(dry_body_get_def(f->world, id, &def));
    int near_count = neighbors_of(f, id, near_ids, 0);
    bool enabled = !chance(f, 3);
    dry_result result = dry_body_set_enabled(f->world, id, enabled);
    if (result == DRY_OK && enabled != def.enabled)
        check_awake(f, near_ids, near_count);
    return result;
}

static dry_result create_joint(fuzz *f)
{
    if (f->joint_count == JOINTS_MAX)
        return DRY_OK;
    dry_joint_def def = dry_default_joint_def((dry_joint_type)below(f, DRY_JOINT_TYPE_COUNT));
    def.body_a = some_id(f);
    def.body_b = some_id(f);
    def.anchor_a = vector(f, 1);
    def.anchor_b = vector(f, 1);
    def.stiffness = chance(f, 3) ? 1e4f : 0;
    def.collide = chance(f, 3);
    dry_result result = dry_world_create_joint(f->world, &def, &f->joints[f->joint_count]);
    f->joint_count += result == DRY_OK;
    return result;
}

static dry_result destroy_joint(fuzz *f)
{
    dry_joint_id id = {0};
    if (f->joint_count)
        id = f->joints[below(f, f->joint_count)];
    return dry_joint_destroy(f->world, id);
}

static dry_result set_motion(fuzz *f)
{
    dry_body_id ids[3];
    dry_pose poses[3];
    dry_velocity velocities[3];
    int count = below(f, 4), which = 1 + below(f, 3);
    for (int i = 0; i < count; ++i) {
        ids[i] = some_id(f);
        poses[i] = some_pose(f);
        velocities[i] = some_velocity(f);
    }
    if (count && chance(f, 20))
        poses[count - 1].orientation.w += 0.5f;
    return dry_world_set_motion(f->world, count, ids, which & 1 ? poses : NULL,
                                which & 2 ? velocities : NULL);
}

static dry_result set_mass(fuzz *f)
{
    dry_mass mass = {(float)between(f, 0.1, 100), vector(f, 0.3), {{0}}};
    for (int i = 0; i < 3; ++i)
        mass.inertia[i][i] = (float)between(f, 1, 2);
    mass.inertia[0][1] = mass.inertia[1][0] = (float)between(f, -0.5, 0.5);
    if (chance(f, 10))
        mass.inertia[2][2] = -1;
    return dry_body_set_mass(f->world, some_id(f), &mass);
}

static dry_result change_settings(fuzz *f)
{
    dry_settings settings = dry_world_get_settings(f->world);
    settings.gravity = chance(f, 3) ? vector(f, 9) : v3(0, -9.81, 0);
    settings.solver = (dry_solver)below(f, DRY_SOLVER_COUNT);
    settings.friction = (dry_friction)below(f, DRY_FRICTION_COUNT);
    settings.contact_stiffness = chance(f, 3) ? 1e5f : 0;
    settings.substeps = below(f, 3);
    settings.colors_max = chance(f, 2) ? 1 + below(f, 3) : 0;
    settings.sleep = !chance(f, 4);
    settings.sleep_after = chance(f, 6) ? 0 : 0.05f;
    settings.sleep_speed_max = chance(f, 2) ? 0.5f : 0.05f;
    settings.warm_start = !chance(f, 4);
    settings.recycle_distance = chance(f, 4) ? 0 : 0.005f;
    settings.levers = chance(f, 2) ? DRY_LEVERS_HELD : DRY_LEVERS_TRUE;
    settings.lever_angle = chance(f, 4) ? 0 : 0.004f;
    settings.hit_speed_min = chance(f, 2) ? 0 : 1;
    if (chance(f, 10))
        settings.sweeps = 0;
    return dry_world_set_settings(f->world, &settings);
}

/* Queries find what they find; what they return must live. */
static dry_result ask(fuzz *f)
{
    dry_ray ray = {{between(f, -3, 3), 5, between(f, -3, 3)}, vector(f, 8), ~0ull};
    dry_ray_hit hits[8], hit;
    dry_overlap overlap = {some_pose(f), v3(0.5, 0.5, 0.5), chance(f, 2) ? 0.7f : 0, ~0ull};
    dry_shape_id shapes[8];
    dry_contact contacts[8];
    dry_joint_id joints[JOINTS_MAX];
    dry_mass mass;
    int count;
    if (f->body_count) {
        dry_body_id body = f->bodies[below(f, f->body_count)];
        assert_ok(dry_body_get_mass(f->world, body, &mass));
        assert_true(mass.mass >= 0 && isfinite(mass.mass));
        assert_ok(dry_body_get_joints(f->world, body, joints, JOINTS_MAX, &count));
        for (int i = 0; i < count; ++i)
            assert_true(dry_joint_is_valid(f->world, joints[i]));
    }
    assert_ok(dry_world_cast_ray_all(f->world, &ray, hits, 8, &count));
    assert_ok(dry_world_cast_ray(f->world, &ray, &hit));
    assert_true((count > 0) == (hit.shape.bits != 0));
    if (count)
        assert_true(hit.shape.bits == hits[0].shape.bits && hit.fraction == hits[0].fraction);
    for (int i = 0; i < count && i < 8; ++i)
        assert_true(dry_shape_is_valid(f->world, hits[i].shape) &&
                    (i == 0 || hits[i].fraction >= hits[i - 1].fraction));
    assert_ok(dry_world_cast_rays(f->world, 1, &ray, &hit));
    assert_ok(dry_world_overlap(f->world, &overlap, shapes, 8, &count));
    for (int i = 0; i < count && i < 8; ++i)
        assert_true(dry_shape_is_valid(f->world, shapes[i]));
    return dry_body_get_contacts(f->world, some_id(f), contacts, 8, &count);
}

static dry_result change_shape(fuzz *f)
{
    dry_shape_id id = some_shape_id(f), made;
    dry_shape_def def;
    dry_body_id body;
    switch (below(f, 7)) {
    case 6:
        return dry_shape_set_rolling_resistance(f->world, id, chance(f, 8) ? -1 : (float)between(f, 0, 0.2));
    case 0:
        return dry_shape_set_friction(f->world, id, chance(f, 8) ? -1 : (float)between(f, 0, 1));
    case 1:
        return dry_shape_set_restitution(f->world, id, (float)between(f, 0, 1.1));
    case 2:
        return dry_shape_set_filter(f->world, id,
                                    (dry_filter){1ull << below(f, 2), 1 + (uint64_t)below(f, 3), 0});
    case 3:
        return dry_shape_destroy(f->world, id);
    default:
        body = some_id(f);
        def = some_shape(f, chance(f, 4) ? DRY_BODY_STATIC : DRY_BODY_DYNAMIC);
        return dry_body_create_shape(f->world, body, &def, &made);
    }
}

static dry_result push(fuzz *f)
{
    dry_body_id id = some_id(f);
    dry_vec3 amount = vector(f, 1000);
    dry_position point = some_pose(f).position;
    if (chance(f, 15))
        amount.z = INFINITY;
    switch (below(f, 6)) {
    case 0:
        return dry_body_apply_force(f->world, id, amount);
    case 1:
        return dry_body_apply_force_at(f->world, id, amount, point);
    case 2:
        return dry_body_apply_torque(f->world, id, amount);
    case 3:
        return dry_body_apply_impulse(f->world, id, amount);
    case 4:
        return dry_body_apply_impulse_at(f->world, id, amount, point);
    default: /* now and then more than a float holds: quarantine */
        return dry_body_apply_force(f->world, id, chance(f, 4) ? v3(0, 1e18, 0) : amount);
    }
}

static dry_result change_body(fuzz *f)
{
    dry_body_id id = some_id(f);
    switch (below(f, 11)) {
    case 0:
    case 1:
        return set_enabled(f, id);
    case 2:
    case 3:
        return dry_body_set_awake(f->world, id, chance(f, 2));
    case 4:
        return dry_body_set_can_sleep(f->world, id, !chance(f, 3));
    case 5:
        return dry_body_set_type(f->world, id, (dry_body_type)below(f, DRY_BODY_TYPE_COUNT));
    case 6:
        return set_mass(f);
    case 7:
        return dry_body_set_mass_from_shapes(f->world, id);
    case 8:
        return dry_body_set_locks(f->world, id, chance(f, 2) ? 0 : (unsigned)below(f, 65));
    case 9:
        return dry_body_move_to(f->world, id, some_pose(f), 0.5f);
    default:
        return dry_body_set_gravity_scale(f->world, id, (float)between(f, -1, 2));
    }
}

/* Steps. */

static fuzz_pair *pair_at(fuzz *f, dry_shape_id shape_a, dry_shape_id shape_b)
{
    uint64_t a = shape_a.bits < shape_b.bits ? shape_a.bits : shape_b.bits,
             b = shape_a.bits + shape_b.bits - a;
    int i = 0;
    while (i < f->pair_count && (f->pairs[i].a != a || f->pairs[i].b != b))
        i++;
    check(i < PAIRS_MAX);
    if (i == f->pair_count)
        f->pairs[f->pair_count++] = (fuzz_pair){a, b, 0};
    return &f->pairs[i];
}

/* Each pair touched before it ended and did not before it began; what is left is what touches now. Ends come
 * before begins, but for bodies put in quarantine at the end of the step in which they touched, and for what
 * a refused step found before it ran out of memory: there only the sum counts. */
static void check_contact_events(fuzz *f, const dry_events *events)
{
    bool in_order = events->quarantine_count == 0 && !f->was_refused;
    for (int i = 0; i < events->contact_end_count; ++i)
        check(--pair_at(f, events->contact_ends[i].shape_a, events->contact_ends[i].shape_b)->touching >= 0 ||
              !in_order);
    for (int i = 0; i < events->contact_begin_count; ++i)
        check(++pair_at(f, events->contact_begins[i].shape_a, events->contact_begins[i].shape_b)->touching <=
                  1 ||
              !in_order);
    int kept = 0;
    for (int i = 0; i < f->pair_count; ++i) {
        check(f->pairs[i].touching == 0 || f->pairs[i].touching == 1);
        if (f->pairs[i].touching)
            f->pairs[kept++] = f->pairs[i];
    }
    f->pair_count = kept;
    static dry_contact contacts[PAIRS_MAX];
    check(dry_world_get_contacts(f->world, contacts, PAIRS_MAX) == kept);
    for (int i = 0; i < kept; ++i) {
        check(pair_at(f, contacts[i].shape_a, contacts[i].shape_b)->touching == 1);
        check(contacts[i].point_count <= 4 && (contacts[i].point_count >= 1 || f->refused_steps > 0));
    }
}

static void check_body_events(fuzz *f, const dry_events *events, float dt)
{
    for (int i = 0; i < events->sleep_count; ++i)
        for (int k = 0; k < f->body_count; ++k)
            if (f->bodies[k].bits == events->sleeps[i].body.bits) {
                check(f->told_asleep[k] != events->sleeps[i].asleep);
                f->told_asleep[k] = events->sleeps[i].asleep;
            }
    for (int k = 0; k < f->body_count; ++k) {
        dry_body_def def;
        assert_ok(dry_body_get_def(f->world, f->bodies[k], &def));
        if (def.type == DRY_BODY_DYNAMIC && def.enabled)
            check(f->told_asleep[k] == !def.awake);
        check(body_is_finite(f->world, f->bodies[k]));
    }
    check(dt > 0 || events->moved_count == 0);
    for (int i = 0; i < events->moved_count; ++i) {
        dry_pose pose = pose_of(f->world, events->moved[i].body);
        assert_memory_equal(&pose.position, &events->moved[i].pose.position, sizeof pose.position);
    }
    for (int i = 0; i < events->quarantine_count; ++i) {
        dry_body_def def;
        assert_ok(dry_body_get_def(f->world, events->quarantines[i].body, &def));
        check(!def.enabled && !def.awake);
    }
}

/* All that moves, bit for bit. */
static uint64_t motion_hash(const fuzz *f)
{
    uint64_t hash = 0;
    for (int i = 0; i < f->body_count; ++i) {
        dry_pose pose = pose_of(f->world, f->bodies[i]);
        dry_velocity velocity;
        assert_ok(dry_body_get_velocity(f->world, f->bodies[i], &velocity));
        const unsigned char *bytes[3] = {(void *)&pose.position, (void *)&pose.orientation,
                                         (void *)&velocity};
        const size_t sizes[3] = {sizeof pose.position, sizeof pose.orientation, sizeof velocity};
        for (int k = 0; k < 3; ++k)
            for (size_t b = 0; b < sizes[k]; ++b)
                hash = (hash ^ bytes[k][b]) * 0x100000001b3ull;
    }
    return hash;
}

static void step(fuzz *f)
{
    static const float dts[] = {0, 1.0f / 60, 1.0f / 60, 1.0f / 60, 1.0f / 240, 0.1f};
    float dt = dts[below(f, COUNT_OF(dts))];
    uint64_t before = motion_hash(f), steps = dry_world_step_count(f->world);
    dry_result result = dry_world_step(f->world, dt);
    if (result != DRY_OK) {
        check(result == DRY_ERROR_MEMORY && f->counter.fail_at >= 0);
        check(motion_hash(f) == before && dry_world_step_count(f->world) == steps);
        f->refused_steps++;
        f->was_refused = true;
        check_world(f->world, false);
        return;
    }
    check(dry_world_step_count(f->world) == steps + 1);
    check(dt > 0 || motion_hash(f) == before);
    check_world(f->world, f->refused_steps == 0);
    dry_events events = dry_world_events(f->world);
    check_contact_events(f, &events);
    check_body_events(f, &events, dt);
    f->was_refused = false;
}

typedef dry_result operation(fuzz *f);

static void operate(fuzz *f)
{
    static operation *const operations[] = {create_some, destroy_some, create_joint, destroy_joint,
                                            set_motion,  set_motion,   change_body,  change_body,
                                            change_body, change_shape, change_shape, push,
                                            push,        ask,          create_some,  create_joint};
    if (f->body_count < 6 || !chance(f, 3)) {
        int which = below(f, COUNT_OF(operations) + (chance(f, 10) ? 1 : 0));
        operation *call = which < COUNT_OF(operations) ? operations[which] : change_settings;
        uint64_t hash = dry_world_hash(f->world);
        dry_result result = call(f);
        snprintf(checker_place, sizeof checker_place, "round %d, call %d (operation %d, %s)", f->round,
                 f->operation, which, dry_result_name(result));
        if (result != DRY_OK)
            check(dry_world_hash(f->world) == hash);
        check(result != DRY_ERROR_MEMORY || f->counter.fail_at >= 0);
        f->refusals += result == DRY_ERROR_MEMORY;
        check_world(f->world, false);
        sweep_ids(f);
        dry_body_id ids[BODIES_MAX];
        check(dry_world_get_bodies(f->world, ids, BODIES_MAX) == f->body_count);
        for (int i = 0; i < f->body_count; ++i)
            check(ids[i].bits == f->bodies[i].bits);
    } else {
        snprintf(checker_place, sizeof checker_place, "round %d, call %d (step)", f->round, f->operation);
        step(f);
    }
}

typedef struct fuzz_plan {
    int round, operations;
    int threads;
    dry_isa isa;
    int fail_within; /* 0: no allocation fails */
} fuzz_plan;

static uint64_t environment_number(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 0) : otherwise;
}

typedef struct outcome {
    uint64_t hash;
    int refusals, refused_steps;
} outcome;

static outcome run_plan(const fuzz_plan *plan)
{
    static fuzz f;
    f = (fuzz){.seed =
                   environment_number("DRYSTONE_FUZZ_SEED", 1) * 7919 + (uint64_t)plan->round * 104729 + 1,
               .round = plan->round,
               .counter = {.fail_at = -1}};
    dry_world_def def = dry_default_world_def();
    def.tag = 7;
    def.threads = plan->threads;
    def.isa = plan->isa;
    def.settings.sleep_after = 0.1f;
    def.allocator = counting_hooks(&f.counter);
    f.world = world_from(&def);
    run_steps(f.world, 2, TEST_DT); /* nothing to do yet */
    for (f.operation = 0; f.operation < plan->operations; ++f.operation) {
        if (plan->fail_within) /* one of its first allocations, of half the calls */
            f.counter.fail_at =
                chance(&f, 2) ? (int64_t)f.counter.calls + below(&f, plan->fail_within) : INT64_MAX;
        operate(&f);
    }
    f.counter.fail_at = -1;
    step(&f);
    outcome end = {dry_world_hash(f.world), f.refusals, f.refused_steps};
    dry_world_destroy(f.world);
    assert_int_equal(f.counter.bytes, 0);
    assert_int_equal(f.counter.wrong, 0);
    return end;
}

static int rounds(void)
{
    return (int)environment_number("DRYSTONE_FUZZ_ROUNDS", (uint64_t)test_pick(12, 3));
}

static void test_random_calls(void **state)
{
    (void)state;
    for (int round = 0; round < rounds(); ++round) {
        outcome end = run_plan(&(fuzz_plan){round, 1500, 1, DRY_ISA_AUTO, 0});
        assert_int_equal(end.refusals, 0);
        assert_true(run_plan(&(fuzz_plan){round, 1500, 3, DRY_ISA_SCALAR, 0}).hash == end.hash);
    }
}

static void test_random_calls_without_memory(void **state)
{
    (void)state;
    /* Young worlds, since old ones have all the memory they need. */
    int all = 0, all_steps = 0;
    for (int round = 0; round < 20 * rounds(); ++round) {
        outcome end = run_plan(&(fuzz_plan){round, 80, 1, DRY_ISA_AUTO, 1 + round % 6});
        all += end.refusals;
        all_steps += end.refused_steps;
    }
    print_message("refused: %d calls, %d steps\n", all, all_steps);
    assert_true(all > 20 * rounds() && all_steps > 10 * rounds());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_calls),
        cmocka_unit_test(test_random_calls_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
