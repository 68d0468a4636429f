/* The kernels that take bodies sixteen at a time, at every instruction set, against the functions that take
 * them one at a time: the same bits, on plausible, extreme and random data, with any rows in any order. */
#include "tests/kernel_random.h"

#include "core/gyroscopic.h"
#include "core/rotation.h"
#include "geometry/bounds.h"
#include "solver/rows/body_blocks.h"
#include "solver/rows/kernel_list.h"
#include "solver/rows/whitening.h"

#include <inttypes.h>

enum { BODIES = 40 };

typedef struct body_data {
    dry_body_pose pose[BODIES];
    dry_body_velocity velocity[BODIES];
    dry_body_mass mass[BODIES];
    dry_body_force force[BODIES];
    dry_body_drive drive[BODIES];
    dry_shape_form form[BODIES];
    _Alignas(64) dry_solver_row rows[1 + BODIES];
    dry_start_row start[BODIES];
    dry_body_squares squares;
    dry_body_block block;
    dry_body_motion motion;
    dry_vec3 gravity;
    float dt, h;
} body_data;

static const dataset datasets[] = {
    {0.0, false, false}, {0.02, false, false}, {0.3, false, false},
    {0.02, true, false}, {0.3, true, false},   {0.0, false, true},
};

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
        fill_floats(seed, set, FIELD_POSITIVE, &d->drive[i], 3);
        for (int k = 0; k < 4; k++) /* what nothing moves or turns */
            if (random_below(seed, 8) == 0)
                memset((char *)&d->mass[i] + 4 * k, 0, 4);
        dry_shape_form *form = &d->form[i];
        fill_floats(seed, set, FIELD_POSITIVE, &form->geometry.size, 3);
        fill_floats(seed, set, FIELD_SIGNED, &form->pose.position, 3);
        form->pose.orientation = random_below(seed, 2) ? random_quat(seed) : quat_identity();
        const int types[] = {DRY_SHAPE_BOX, DRY_SHAPE_CAPSULE, DRY_SHAPE_SPHERE};
        form->geometry.type = types[random_below(seed, 3)];
    }
    /* Slow turns take a way of their own. */
    double turns = random_below(seed, 2) ? 0.05 : 3.0;
    for (int i = 1; i <= BODIES; i++) {
        fill_floats(seed, set, FIELD_SIGNED, &d->rows[i], 12);
        for (int k = 0; k < 3 && !set->any_bits; k++)
            d->rows[i].da[k] *= (float)turns;
        const float *inverse = (const float *)&d->mass[i - 1];
        for (int k = 0; k < 3; k++)
            d->rows[i].ang[k] = sqrtf(inverse[1 + k]);
        d->rows[i].lin = sqrtf(inverse[0]);
    }
    for (int i = 0; i < DRY_BUNDLE; i++) {
        d->block.row[i] = random_below(seed, BODIES);
        int form = random_below(seed, BODIES);
        int type = d->form[form].geometry.type;
        d->block.form[i] = &d->form[form];
        d->block.kind[i] = type == DRY_SHAPE_BOX ? 0.0f : type == DRY_SHAPE_CAPSULE ? 1.0f : 2.0f;
        d->block.free[i] = (float)random_below(seed, 2);
        d->block.gyroscopic[i] = (float)random_below(seed, 2);
    }
    d->block.any_free = random_below(seed, 2);
    d->block.any_gyroscopic = random_below(seed, 2);
    fill_floats(seed, set, FIELD_SIGNED, &d->gravity, 3);
    d->dt = 0.016f;
    d->h = 0.004f;
}

static dry_bodies columns_of(body_data *d)
{
    return (dry_bodies){
        .pose = d->pose, .velocity = d->velocity, .mass = d->mass, .force = d->force, .drive = d->drive};
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

static void begin_one(body_data *d, int lane)
{
    dry_bodies bodies = columns_of(d);
    int row = d->block.row[lane];
    const dry_whitening white = dry_whitening_of(&bodies, row), *w = &white;
    dry_solver_row *r = &d->rows[row + 1];
    dry_whiten_velocity(&bodies, row, d->dt, w, r->ul, r->ua);
    float root_mass = w->lin > 0.0f ? 1.0f / w->lin : 0.0f;
    dry_vec3 pull = vec3_scale(d->gravity, d->drive[row].gravity_scale * root_mass * d->h);
    const float force[6] = {pull.x, pull.y, pull.z, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < 6; k++) {
        d->start[row].u[k] = r->u[k] + (w->lin > 0.0f ? force[k] : 0.0f);
        r->d[k] = 0.0f;
    }
    for (int k = 0; k < 3; k++)
        r->ang[k] = w->ang[k];
    r->lin = w->lin;
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
                dry_body_kernels_at(level)->bodies_begin(&begin, found.block.row, &found.squares);
                same_floats(expected.start, found.start, sizeof found.start / 4, "start");
                for (int row = 0; row < BODIES; row++)
                    same_floats(&expected.rows[row + 1], &found.rows[row + 1], 16, "row");
                for (int lane = 0; lane < DRY_BUNDLE; lane++) {
                    int row = found.block.row[lane];
                    const dry_whitening white = dry_whitening_of(&bodies, row), *w = &white;
                    const float *u = found.start[row].u;
                    dry_vec3 v = vec3_scale(vec3(u[0], u[1], u[2]), w->lin);
                    float linear = vec3_length_squared(v);
                    float angular = vec3_length_squared(dry_whitened_angular(w, u + 3));
                    same_floats(&linear, &found.squares.linear[lane], 1, "square of the speed");
                    same_floats(&angular, &found.squares.angular[lane], 1, "square of the spin");
                }
            }
        }
}

static void put3(dry_lanes *to, int lane, dry_vec3 v)
{
    to[0][lane] = v.x, to[1][lane] = v.y, to[2][lane] = v.z;
}

static void finish_one(body_data *d, int lane)
{
    dry_bodies bodies = columns_of(d);
    dry_body_motion *m = &d->motion;
    int row = d->block.row[lane];
    const dry_whitening white = dry_whitening_of(&bodies, row), *w = &white;
    const dry_solver_row *r = &d->rows[row + 1];
    dry_vec3 first_linear, first;
    float u[6];
    dry_damped_velocity(&bodies, row, d->dt, &first_linear, &first);
    dry_whiten_velocity(&bodies, row, d->dt, w, u, u + 3);
    for (int i = 0; i < 6; i++)
        u[i] = r->u[i] - u[i];
    dry_vec3 linear = vec3_add(first_linear, vec3_scale(vec3(u[0], u[1], u[2]), w->lin));
    dry_vec3 angular = vec3_add(first, dry_whitened_angular(w, u + 3));
    if (d->block.any_free && d->block.free[lane] > 0.0f) {
        dry_vec3 pull = vec3_scale(d->gravity, d->drive[row].gravity_scale);
        pull = vec3_add_scaled(pull, d->mass[row].inverse_mass, d->force[row].force);
        linear = vec3_add_scaled(first_linear, d->dt, pull);
    }
    dry_quat q = d->pose[row].orientation;
    dry_vec3 turned = dry_whitened_angular(w, r->da);
    if (d->block.any_gyroscopic && d->block.gyroscopic[lane] > 0.0f) {
        dry_gyro g = gyro_begin(q, d->mass[row].inverse_inertia, first, angular, d->dt);
        for (int part = 0; part < g.parts; part++)
            g.q = turn_freely(g.q, g.momentum, g.inverse, g.h);
        q = gyro_turn(&g, quat_from_rotation(vec3_add_scaled(turned, -d->dt, first)));
        angular = gyro_velocity(&g, q);
    } else {
        q = quat_normalize(quat_mul(quat_from_rotation(turned), q));
    }
    put3(m->linear, lane, linear);
    put3(m->angular, lane, angular);
    put3(m->moved, lane, vec3_scale(vec3(r->dl[0], r->dl[1], r->dl[2]), w->lin));
    m->turn[0][lane] = q.x, m->turn[1][lane] = q.y, m->turn[2][lane] = q.z, m->turn[3][lane] = q.w;
    m->linear2[lane] = vec3_length_squared(linear);
    m->angular2[lane] = vec3_length_squared(angular);
    m->turn2[lane] = quat_length_squared(q);
    m->speed[lane] = vec3_length(linear);
    m->spin[lane] = vec3_length(angular);
    const dry_shape_form *form = d->block.form[lane];
    put3(m->offset, lane, quat_rotate(q, form->pose.position));
    put3(m->extents, lane, dry_geometry_extents(&form->geometry, quat_mul(q, form->pose.orientation)));
}

static void test_finish(void **state)
{
    (void)state;
    static body_data data, expected, unforced, found;
    int64_t numbers = 0, all = 0;
    for (int s = 0; s < COUNT_OF(datasets); s++)
        for (int round = 0; round < test_pick(300, 30); round++) {
            uint64_t seed = 70001u * (unsigned)(s + 1) + (unsigned)round;
            fill(&data, &seed, &datasets[s]);
            expected = unforced = data;
            memset(unforced.force, 0, sizeof unforced.force);
            for (int lane = 0; lane < DRY_BUNDLE; lane++)
                finish_one(&unforced, lane);
            for (int lane = 0; lane < DRY_BUNDLE; lane++) {
                finish_one(&expected, lane);
                all++;
                numbers += isfinite(expected.motion.speed[lane]) && isfinite(expected.motion.turn2[lane]);
            }
            for (int i = 0; i < DRY_LEVEL_COUNT; i++) {
                const dry_level level = (dry_level)i;
                if (!dry_isa_available(dry_level_isa(level)))
                    continue;
                found = data;
                dry_bodies bodies = columns_of(&found);
                const dry_body_finish finish = {&bodies, found.rows, found.gravity, found.dt};
                dry_body_kernels_at(level)->bodies_finish(&finish, &found.block, &found.motion);
                same_floats(&expected.motion, &found.motion, sizeof found.motion / 4, dry_level_name(level));
                bodies = columns_without_force(&found);
                dry_body_kernels_at(level)->bodies_finish(&finish, &found.block, &found.motion);
                same_floats(&unforced.motion, &found.motion, sizeof found.motion / 4, "without forces");
            }
        }
    assert_true(numbers > all / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begin),
        cmocka_unit_test(test_finish),
    };
    return cmocka_run_group_tests_name("kernel_bodies", tests, NULL, NULL);
}
