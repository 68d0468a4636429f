/* The kernels that begin and finish a step for sixteen bodies, at every instruction set, against scalar
 * functions of one body: the same bits, on plausible, extreme and random data, for rows in any order, with
 * locked axes, forces, kinematic bodies and free ones. */
#include "tests/solver/kernel_random.h"

#include "core/half_turns.h"
#include "geometry/geometry.h"
#include "solver/bodies/body_blocks.h"
#include "solver/bodies/kernel_list.h"
#include "solver/bodies/whitening.h"

#include <inttypes.h>

enum { BODIES = 40 };

typedef struct body_data {
    dry_body_pose pose[BODIES];
    dry_body_velocity velocity[BODIES];
    dry_body_mass mass[BODIES];
    dry_body_force force[BODIES];
    dry_body_properties properties[BODIES];
    dry_shape_form form[BODIES];
    _Alignas(64) dry_solver_row rows[1 + BODIES];
    dry_start_row start[BODIES];
    dry_body_squares squares;
    dry_begin_block begin_block;
    dry_finish_block block;
    dry_body_motion motion;
    dry_vec3 gravity;
    float dt, h;
    int free_count; /* bodies that only forces moved */
} body_data;

static const dataset datasets[] = {
    {0.0, false, false}, {0.02, false, false}, {0.3, false, false},
    {0.02, true, false}, {0.3, true, false},   {0.0, false, true},
};

/* Locks of a random third of the bodies, among them those of all axes. */
static uint32_t random_locks(uint64_t *seed)
{
    static const uint32_t whole[] = {DRY_LOCK_ALL, DRY_LOCKS_LINEAR, DRY_LOCKS_ANGULAR};
    switch (random_below(seed, 6)) {
    case 0:
        return (uint32_t)random_below(seed, DRY_LOCK_ALL + 1);
    case 1:
        return whole[random_below(seed, 3)];
    default:
        return 0;
    }
}

/* Sixteen bodies of every kind, or in some rounds none of a kind. */
static void fill_blocks(body_data *d, uint64_t *seed)
{
    dry_finish_block *finish = &d->block;
    dry_begin_block *begin = &d->begin_block;
    const bool free = random_below(seed, 2), gyroscopic = random_below(seed, 2);
    const bool kinematic = random_below(seed, 2), locked = random_below(seed, 2);
    begin->any_forced = random_below(seed, 2);
    begin->any_moved = random_below(seed, 2);
    begin->any_locked = random_below(seed, 2);
    for (int i = 0; i < BODIES; i++)
        d->properties[i].locks = random_locks(seed);
    for (int i = 0; i < DRY_BUNDLE; i++) {
        const int row = begin->row[i] = finish->row[i];
        const uint32_t locks = d->properties[row].locks;
        begin->start[i] = finish->start[i] = &d->pose[row];
        begin->forced[i] = row % 2 ? 1.0f : 0.0f;
        for (int k = 0; k < 3; k++) { /* the same for all lanes of a row */
            begin->moved[k][i] = 1e-3f * (float)(row % (7 + k)) - 2e-3f;
            begin->turned[k][i] = 1e-4f * (float)(row % (5 + k)) - 2e-4f;
        }
        finish->free[i] = (float)random_below(seed, 2);
        finish->gyroscopic[i] = (float)random_below(seed, 2);
        finish->bounded[i] = (float)random_below(seed, 2);
        finish->kinematic[i] = (float)random_below(seed, 2);
        finish->locked[i] = 0.0f;
        if (kinematic && finish->kinematic[i] > 0.0f) {
            finish->free[i] = finish->gyroscopic[i] = 0.0f;
        } else if (locked && locks) {
            finish->locked[i] = 1.0f;
            finish->free[i] = finish->gyroscopic[i] = 0.0f;
        }
        for (int k = 0; k < 3; k++) {
            bool is_locked = !kinematic || finish->kinematic[i] <= 0.0f;
            begin->locks.linear[k][i] = locks >> k & 1 ? 1.0f : 0.0f;
            begin->locks.angular[k][i] = locks >> (3 + k) & 1 ? 1.0f : 0.0f;
            finish->locks.linear[k][i] = is_locked ? begin->locks.linear[k][i] : 0.0f;
            finish->locks.angular[k][i] = is_locked ? begin->locks.angular[k][i] : 0.0f;
        }
    }
    finish->any_forced = random_below(seed, 2);
    finish->any_moved = begin->any_moved;
    finish->any_free = free, finish->any_gyroscopic = gyroscopic;
    finish->any_kinematic = kinematic, finish->any_locked = locked;
}

static void fill(body_data *d, uint64_t *seed, const dataset *set)
{
    memset(d, 0, sizeof *d);
    for (int i = 0; i < BODIES; i++) {
        d->pose[i].orientation = random_quat(seed);
        if (set->any_bits)
            fill_floats(seed, set, FIELD_SIGNED, &d->pose[i].orientation, 4);
        fill_floats(seed, set, FIELD_SIGNED, &d->velocity[i], 6);
        fill_floats(seed, set, FIELD_POSITIVE, &d->mass[i], 4);
        fill_floats(seed, set, FIELD_SIGNED, &d->force[i], 6);
        fill_floats(seed, set, FIELD_POSITIVE, &d->properties[i], 3);
        for (int k = 0; k < 4; k++) /* what nothing moves or turns */
            if (random_below(seed, 8) == 0)
                memset((char *)&d->mass[i] + 4 * k, 0, 4);
        dry_shape_form *form = &d->form[i];
        fill_floats(seed, set, FIELD_POSITIVE, &form->geometry.size, 3);
        fill_floats(seed, set, FIELD_SIGNED, &form->pose.position, 3);
        form->pose.orientation = random_below(seed, 2) ? random_quat(seed) : quat_identity();
        const int types[] = {DRY_SHAPE_BOX, DRY_SHAPE_CAPSULE, DRY_SHAPE_SPHERE, DRY_SHAPE_CYLINDER};
        form->geometry.type = types[random_below(seed, 4)];
    }
    /* Slow turns take a way of their own. */
    double turns = random_below(seed, 2) ? 0.05 : 3.0;
    for (int i = 1; i <= BODIES; i++) {
        fill_floats(seed, set, FIELD_SIGNED, &d->rows[i], 12);
        for (int k = 0; k < 3 && !set->any_bits; k++)
            d->rows[i].da[k] *= (float)turns;
        const float *inverse = (const float *)&d->mass[i - 1];
        for (int k = 0; k < 3; k++)
            d->rows[i].inv_sqrt_inertia[k] = sqrtf(inverse[1 + k]);
        d->rows[i].inv_sqrt_mass = sqrtf(inverse[0]);
    }
    for (int i = 0; i < DRY_BUNDLE; i++) {
        d->block.row[i] = random_below(seed, BODIES);
        int form = random_below(seed, BODIES);
        int type = d->form[form].geometry.type;
        d->block.form[i] = &d->form[form];
        d->block.shape_type[i] = (float)type;
    }
    fill_blocks(d, seed);
    fill_floats(seed, set, FIELD_SIGNED, &d->gravity, 3);
    d->dt = 0.016f;
    d->h = 0.004f;
    for (int i = 0; i < DRY_BUNDLE; i++)
        d->block.substep[i] = d->h;
}

static dry_bodies columns_of(body_data *d)
{
    return (dry_bodies){.pose = d->pose,
                        .velocity = d->velocity,
                        .mass = d->mass,
                        .force = d->force,
                        .properties = d->properties};
}

/* As they are in a world where nobody has applied a force. */
static dry_bodies columns_without_force(body_data *d)
{
    dry_bodies bodies = columns_of(d);
    bodies.force = NULL;
    return bodies;
}

static void same_floats(const void *expected, const void *found, int count, const char *what)
{
    for (int i = 0; i < count; i++) {
        uint32_t a, b;
        memcpy(&a, (const char *)expected + 4 * i, 4);
        memcpy(&b, (const char *)found + 4 * i, 4);
        if (!same_word(a, b, FIELD_SIGNED))
            fail_msg("%s, number %d: expected %08x, found %08x", what, i, a, b);
    }
}

/* The scalar functions of one body: the oracle. */

static dry_solver_row roots_of(const body_data *d, int row, uint32_t locks)
{
    dry_body_mass mass = d->mass[row];
    if ((locks & DRY_LOCKS_LINEAR) == DRY_LOCKS_LINEAR)
        mass.inverse_mass = 0.0f;
    if ((locks & DRY_LOCKS_ANGULAR) == DRY_LOCKS_ANGULAR)
        mass.inverse_inertia = vec3(0.0f, 0.0f, 0.0f);
    return (dry_solver_row){.inv_sqrt_inertia = {sqrtf(mass.inverse_inertia.x), sqrtf(mass.inverse_inertia.y),
                                                 sqrtf(mass.inverse_inertia.z)},
                            .inv_sqrt_mass = sqrtf(mass.inverse_mass)};
}

static void damped_velocity(const body_data *d, int row, dry_vec3 *linear, dry_vec3 *angular)
{
    const dry_body_properties *properties = &d->properties[row];
    *linear = vec3_scale(d->velocity[row].linear, 1.0f / (1.0f + d->dt * properties->linear_damping));
    *angular = vec3_scale(d->velocity[row].angular, 1.0f / (1.0f + d->dt * properties->angular_damping));
}

static void whiten_velocity(const body_data *d, int row, const dry_whitening *w, float u[6])
{
    float sqrt_mass = w->inv_sqrt_mass > 0.0f ? 1.0f / w->inv_sqrt_mass : 0.0f;
    dry_vec3 linear, angular;
    damped_velocity(d, row, &linear, &angular);
    u[0] = linear.x * sqrt_mass, u[1] = linear.y * sqrt_mass, u[2] = linear.z * sqrt_mass;
    for (int i = 0; i < 3; i++) {
        float root = w->sqrt_inertia[i];
        u[3 + i] =
            (w->axes[i][0] * angular.x + w->axes[i][1] * angular.y + w->axes[i][2] * angular.z) * root * root;
    }
}

static void begin_one(body_data *d, int lane)
{
    int row = d->begin_block.row[lane];
    uint32_t locks = d->begin_block.any_locked ? d->properties[row].locks : 0;
    dry_solver_row *r = &d->rows[row + 1];
    *r = roots_of(d, row, locks);
    const dry_whitening white = dry_whitening_of(r, d->pose[row].orientation), *w = &white;
    whiten_velocity(d, row, w, r->u);
    float sqrt_mass = w->inv_sqrt_mass > 0.0f ? 1.0f / w->inv_sqrt_mass : 0.0f;
    const dry_begin_block *block = &d->begin_block;
    for (int k = 0; k < 3 && block->any_moved; k++) {
        const float along = w->axes[k][0] * block->turned[0][lane] + w->axes[k][1] * block->turned[1][lane] +
                            w->axes[k][2] * block->turned[2][lane];
        r->dl[k] = block->moved[k][lane] * sqrt_mass;
        r->da[k] = along * w->sqrt_inertia[k] * w->sqrt_inertia[k];
    }
    dry_vec3 pull = vec3_scale(d->gravity, d->properties[row].gravity_scale * sqrt_mass * d->h);
    float force[6] = {pull.x, pull.y, pull.z, 0.0f, 0.0f, 0.0f};
    if (d->begin_block.any_forced && d->begin_block.forced[lane] > 0.0f) {
        const dry_body_force *given = &d->force[row];
        force[0] += given->force.x * w->inv_sqrt_mass * d->h;
        force[1] += given->force.y * w->inv_sqrt_mass * d->h;
        force[2] += given->force.z * w->inv_sqrt_mass * d->h;
        for (int i = 0; i < 3; i++)
            force[3 + i] = (w->axes[i][0] * given->torque.x + w->axes[i][1] * given->torque.y +
                            w->axes[i][2] * given->torque.z) *
                           d->h;
    }
    if (!(w->inv_sqrt_mass > 0.0f))
        force[0] = force[1] = force[2] = 0.0f;
    if (locks) {
        dry_whitening_lock(w, locks, r->ul, r->ua);
        dry_whitening_lock(w, locks, force, force + 3);
    }
    for (int k = 0; k < 6; k++)
        d->start[row].u[k] = r->u[k] + force[k];
    for (int k = 0; k < 3; k++)
        d->squares.force[k][lane] = force[k];
}

static void test_begin(void **state)
{
    (void)state;
    static body_data data, expected, found;
    for (int s = 0; s < COUNT_OF(datasets); s++)
        for (int round = 0; round < test_pick(300, 30); round++) {
            uint64_t seed = 50021u * (unsigned)(s + 1) + (unsigned)round;
            fill(&data, &seed, &datasets[s]);
            expected = data;
            for (int lane = 0; lane < DRY_BUNDLE; lane++)
                begin_one(&expected, lane);
            for (int i = 0; i < DRY_LEVEL_COUNT; i++) {
                const dry_level level = (dry_level)i;
                if (!dry_isa_available(dry_level_isa(level)))
                    continue;
                found = data;
                dry_bodies bodies = columns_of(&found);
                const dry_body_begin begin = {&bodies,       found.rows, found.start,
                                              found.gravity, found.dt,   found.h};
                dry_body_kernels_at(level)->bodies_begin(&begin, &found.begin_block, &found.squares);
                same_floats(expected.start, found.start, sizeof found.start / 4, "start");
                for (int row = 0; row < BODIES; row++)
                    same_floats(&expected.rows[row + 1], &found.rows[row + 1], 16, "row");
                for (int lane = 0; lane < DRY_BUNDLE; lane++) {
                    int row = found.begin_block.row[lane];
                    const dry_whitening white = dry_whitening_of(&found.rows[row + 1],
                                                                 found.pose[row].orientation),
                                        *w = &white;
                    const float *u = found.start[row].u;
                    dry_vec3 v = vec3_scale(vec3(u[0], u[1], u[2]), w->inv_sqrt_mass);
                    float linear = vec3_length_squared(v);
                    float angular = vec3_length_squared(dry_whitening_to_world(w, u + 3));
                    same_floats(&linear, &found.squares.linear[lane], 1, "square of the speed");
                    same_floats(&angular, &found.squares.angular[lane], 1, "square of the angular speed");
                    for (int k = 0; k < 3; k++)
                        same_floats(&expected.squares.force[k][lane], &found.squares.force[k][lane], 1,
                                    "force");
                }
            }
        }
}

static void put3(dry_lanes *to, int lane, dry_vec3 v)
{
    to[0][lane] = v.x, to[1][lane] = v.y, to[2][lane] = v.z;
}

/* The velocity and the displacement of a body's row; locked axes take no part. */
static void finish_row(const body_data *d, int row, uint32_t locks, const dry_whitening *w, dry_vec3 *linear,
                       dry_vec3 *angular)
{
    dry_vec3 first_linear, first;
    float before[6], last[6];
    damped_velocity(d, row, &first_linear, &first);
    whiten_velocity(d, row, w, before);
    memcpy(last, d->rows[row + 1].u, sizeof last);
    if (locks)
        dry_whitening_lock(w, locks, last, last + 3);
    for (int i = 0; i < 6 && !locks; i++)
        last[i] -= before[i];
    *linear = vec3_scale(vec3(last[0], last[1], last[2]), w->inv_sqrt_mass);
    *angular = dry_whitening_to_world(w, last + 3);
    if (!locks) {
        *linear = vec3_add(first_linear, *linear);
        *angular = vec3_add(first, *angular);
    }
}

/* The acceleration of a body that only forces move. */
static dry_vec3 free_acceleration(const body_data *d, int row)
{
    dry_vec3 a = vec3_scale(d->gravity, d->properties[row].gravity_scale);
    return d->block.any_forced ? vec3_add_scaled(a, d->mass[row].inverse_mass, d->force[row].force) : a;
}

/* Makes a row of what substeps do to a body that only forces move. */
static void make_free(body_data *d, int row)
{
    dry_vec3 linear, angular;
    damped_velocity(d, row, &linear, &angular);
    const dry_vec3 a = free_acceleration(d, row);
    const dry_vec3 v = vec3_add_scaled(linear, d->dt, a);
    const dry_vec3 x = vec3_add_scaled(vec3_scale(linear, d->dt), 0.5f * d->dt * (d->dt + d->h), a);
    dry_solver_row *r = &d->rows[row + 1];
    const float root = r->inv_sqrt_mass > 0.0f ? 1.0f / r->inv_sqrt_mass : 0.0f;
    r->ul[0] = v.x * root, r->ul[1] = v.y * root, r->ul[2] = v.z * root;
    r->dl[0] = x.x * root, r->dl[1] = x.y * root, r->dl[2] = x.z * root;
}

/* A body follows its parabola itself where the row is what substeps of h make of one. */
static void finish_free(body_data *d, int lane, dry_vec3 first, dry_vec3 *linear, dry_vec3 *displacement)
{
    const dry_vec3 a = free_acceleration(d, d->block.row[lane]);
    const dry_vec3 last = vec3_add_scaled(first, d->dt, a);
    const dry_vec3 chord = vec3_scale(vec3_add_scaled(first, 0.5f * d->dt, a), d->dt);
    const dry_vec3 late = vec3_scale(a, 0.5f * d->dt * d->block.substep[lane]);
    const dry_vec3 dv = vec3_sub(*linear, last), dx = vec3_sub(vec3_sub(*displacement, chord), late);
    const float speed = (vec3_length_squared(last) + vec3_length_squared(first)) * (1e-5f * 1e-5f);
    if (vec3_length_squared(dv) <= speed && vec3_length_squared(dx) <= speed * d->dt * d->dt) {
        *linear = last;
        *displacement = chord;
        d->free_count++;
    }
}

static void finish_one(body_data *d, int lane)
{
    const dry_finish_block *block = &d->block;
    dry_body_motion *m = &d->motion;
    int row = block->row[lane];
    const dry_solver_row *r = &d->rows[row + 1];
    const dry_whitening white = dry_whitening_of(r, d->pose[row].orientation), *w = &white;
    const uint32_t locks = block->any_locked && block->locked[lane] > 0.0f ? d->properties[row].locks : 0;
    dry_vec3 linear, angular, first_linear, first;
    finish_row(d, row, locks, w, &linear, &angular);
    damped_velocity(d, row, &first_linear, &first);
    dry_vec3 displacement = vec3_scale(vec3(r->dl[0], r->dl[1], r->dl[2]), w->inv_sqrt_mass);
    if (block->any_free && block->free[lane] > 0.0f)
        finish_free(d, lane, first_linear, &linear, &displacement);
    dry_vec3 rotation = dry_whitening_to_world(w, r->da);
    dry_quat q = d->pose[row].orientation;
    if (block->any_kinematic && block->kinematic[lane] > 0.0f) {
        linear = d->velocity[row].linear;
        angular = d->velocity[row].angular;
        displacement = vec3_scale(linear, d->dt);
        rotation = vec3_scale(angular, d->dt);
    }
    if (block->any_gyroscopic && block->gyroscopic[lane] > 0.0f) {
        dry_gyro g = gyro_begin(q, d->mass[row].inverse_inertia, first, angular, d->dt);
        for (int part = 0; part < g.parts; part++)
            g.q = gyro_move_freely(g.q, g.momentum, g.inverse, g.h);
        q = gyro_orientation(&g, quat_from_rotation(vec3_add_scaled(rotation, -d->dt, first)));
        dry_double3 spin = gyro_velocity(&g, q);
        if (block->bounded[lane] > 0.0f && gyro_gains_energy(&g, spin))
            spin = gyro_limited_velocity(&g, q);
        angular = vec3((float)spin.x, (float)spin.y, (float)spin.z);
    } else {
        q = quat_normalize(quat_mul(quat_from_rotation(rotation), q));
    }
    put3(m->linear, lane, linear);
    put3(m->angular, lane, angular);
    put3(m->displacement, lane, displacement);
    m->orientation[0][lane] = q.x, m->orientation[1][lane] = q.y;
    m->orientation[2][lane] = q.z, m->orientation[3][lane] = q.w;
    m->linear_squared[lane] = vec3_length_squared(linear);
    m->angular_squared[lane] = vec3_length_squared(angular);
    m->orientation_squared[lane] = quat_length_squared(q);
    m->linear_speed[lane] = vec3_length(linear);
    m->angular_speed[lane] = vec3_length(angular);
    const dry_shape_form *form = block->form[lane];
    put3(m->offset, lane, quat_rotate(q, form->pose.position));
    const dry_geometry geometry = {form->geometry.size, form->geometry.type, NULL};
    put3(m->extents, lane, dry_geometry_bounds(&geometry, quat_mul(q, form->pose.orientation)).high);
}

static void test_finish(void **state)
{
    (void)state;
    static body_data data, expected, unforced, found;
    int64_t numbers = 0, all = 0, free = 0;
    for (int s = 0; s < COUNT_OF(datasets); s++)
        for (int round = 0; round < test_pick(300, 30); round++) {
            uint64_t seed = 70001u * (unsigned)(s + 1) + (unsigned)round;
            fill(&data, &seed, &datasets[s]);
            for (int lane = 0; lane < DRY_BUNDLE && !datasets[s].any_bits; lane++)
                if (random_below(&seed, 2))
                    make_free(&data, data.block.row[lane]);
            expected = unforced = data;
            memset(unforced.force, 0, sizeof unforced.force);
            for (int lane = 0; lane < DRY_BUNDLE; lane++)
                finish_one(&unforced, lane);
            for (int lane = 0; lane < DRY_BUNDLE; lane++) {
                finish_one(&expected, lane);
                all++;
                free += expected.free_count;
                numbers += isfinite(expected.motion.linear_speed[lane]) &&
                           isfinite(expected.motion.orientation_squared[lane]);
            }
            for (int i = 0; i < DRY_LEVEL_COUNT; i++) {
                const dry_level level = (dry_level)i;
                if (!dry_isa_available(dry_level_isa(level)))
                    continue;
                found = data;
                dry_bodies bodies = columns_of(&found);
                const dry_body_finish finish = {&bodies, found.rows, found.gravity, found.dt};
                dry_body_kernels_at(level)->bodies_finish(&finish, &found.block, &found.motion);
                same_floats(&expected.motion, &found.motion, sizeof found.motion / 4,
                            dry_isa_name(dry_level_isa(level)));
                bodies = columns_without_force(&found);
                dry_body_kernels_at(level)->bodies_finish(&finish, &found.block, &found.motion);
                same_floats(&unforced.motion, &found.motion, sizeof found.motion / 4, "without forces");
            }
        }
    assert_true(numbers > all / 3 && free > all / 20);
}

/* Half rotations in lanes: those of bodies that turn by little or by many radians in a substep, also with a
 * moment of zero or an endless momentum, and in any number of lanes. */
static void test_half_turns(void **state)
{
    (void)state;
    uint64_t seed = 77;
    for (int round = 0; round < 400; round++) {
        dry_half_turns lanes = {.count = 0};
        const int count = 1 + round % DRY_HALF_TURNS;
        for (int i = 0; i < count; i++) {
            const double turn = pow(10.0, random_in(&seed, -5, round % 4 == 0 ? 2 : -1)), h = 1.0 / 480.0;
            double drawn[3], spun[3];
            for (int k = 0; k < 3; k++) {
                drawn[k] = random_in(&seed, 0.01, 1);
                spun[k] = random_in(&seed, -1, 1) * turn / h * drawn[k];
            }
            dry_double3 inertia = double3(drawn[0], drawn[1], drawn[2]),
                        l = double3(spun[0], spun[1], spun[2]);
            if (round % 40 == 39 && i == 1)
                inertia.x = 0.0;
            if (round % 40 == 38 && i == 1)
                l.y = INFINITY;
            const dry_rotor rotor = {.inertia = inertia,
                                     .inverse = {1.0 / inertia.x, 1.0 / inertia.y, 1.0 / inertia.z}};
            half_turns_add(&lanes, &rotor, l, h);
        }
        for (int level = 0; level < DRY_LEVEL_COUNT; level++) {
            if (!dry_isa_available(dry_level_isa((dry_level)level)))
                continue;
            dry_half_turns found = lanes;
            dry_body_kernels_at((dry_level)level)->find_half_turns(&found);
            for (int i = 0; i < count; i++) {
                const dry_rotor rotor = half_turns_rotor(&lanes, i);
                const dry_double3 t = half_turns_vector(&found, i),
                                  one =
                                      rotor_half_turn(&rotor, half_turns_get(lanes.momentum, i), lanes.h[i]);
                assert_true(memcmp(&one, &t, sizeof t) == 0 || (isnan(one.x) && isnan(t.x)));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begin),
        cmocka_unit_test(test_finish),
        cmocka_unit_test(test_half_turns),
    };
    return cmocka_run_group_tests_name("kernel_bodies", tests, NULL, NULL);
}
