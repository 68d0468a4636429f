/* Bodies that are placed where loads are not vertical: arches, catenaries, domes, houses of cards. They stand
 * where limit analysis lets rigid stones stand, with the forces of statics from the first step on. */
#include "tests/quick.h"
#include "tests/test_world.h"

#include "core/envelope.h"
#include "solver/data/context.h"
#include "solver/plan/islands.h"
#include "step/stages.h"
#include "world/world.h"

static const double PI = 3.14159265358979, FRICTION = 0.7, DENSITY = 2400, RADIUS = 5, DEPTH = 1;

enum { BODIES_MAX = 200 };

typedef struct building {
    dry_world *world;
    dry_body_id body[BODIES_MAX];
    d3 from[BODIES_MAX]; /* the centers, once all are placed */
    int count;
} building;

static building begin(double friction)
{
    building b = {.world = world_with(test_settings())};
    add_floor(b.world, friction, 0);
    return b;
}

static void add(building *b, dry_pose pose, dry_shape_def shape)
{
    assert_in_range(b->count, 0, BODIES_MAX - 1);
    b->body[b->count] = add_dynamic(b->world, pose, shape);
    b->from[b->count] = center_of(b->world, b->body[b->count]);
    b->count++;
}

/* Adds the hull of eight corners. */
static void add_stone(building *b, const d3 corner[8], double friction)
{
    d3 center = {0, 0, 0};
    dry_vec3 points[8];
    for (int i = 0; i < 8; i++)
        center = d3_add(center, d3_scale(corner[i], 0.125));
    for (int i = 0; i < 8; i++)
        points[i] = v3_of(d3_sub(corner[i], center));
    dry_shape_def def = data_shape(DRY_SHAPE_HULL, NULL);
    assert_ok(dry_hull_create(points, 8, 0, NULL, &def.data, NULL));
    def.friction = (float)friction;
    def.density = (float)DENSITY;
    add(b, pose_at(center.x, center.y, center.z), def);
    dry_shape_data_release(def.data);
}

/* Returns by how much the bodies have moved from where they were placed, at most, m. */
static double moved(const building *b)
{
    double most = 0;
    for (int i = 0; i < b->count; i++)
        most = fmax(most, d3_length(d3_sub(center_of(b->world, b->body[i]), b->from[i])));
    return most;
}

/* Adds an arch of stones between `lines` + 1 section lines in the plane z = 0. */
static building arch_of(const d3 *in, const d3 *out, int stones, double friction)
{
    building b = begin(friction);
    for (int i = 0; i < stones; i++) {
        const d3 q[4] = {in[i], out[i], in[i + 1], out[i + 1]};
        d3 corner[8];
        for (int k = 0; k < 8; k++)
            corner[k] = d3_add(q[k / 2], (d3){0, 0, (k % 2 - 0.5) * DEPTH});
        add_stone(&b, corner, friction);
    }
    return b;
}

static building semicircle(double thickness, int stones, double friction)
{
    d3 in[BODIES_MAX + 1], out[BODIES_MAX + 1];
    for (int i = 0; i <= stones; i++) {
        const d3 way = {-cos(PI * i / stones), sin(PI * i / stones), 0};
        in[i] = d3_scale(way, RADIUS - thickness / 2);
        out[i] = d3_scale(way, RADIUS + thickness / 2);
    }
    return arch_of(in, out, stones, friction);
}

/* An inverted catenary y = rise + a - a cosh(x / a), cut flat on the floor. */
static building catenary(double a, double thickness, int stones)
{
    d3 in[BODIES_MAX + 1], out[BODIES_MAX + 1];
    const double half = a * sinh(RADIUS / a), rise = a * cosh(RADIUS / a) - a;
    for (int i = 0; i <= stones; i++) {
        const double x = a * asinh(half * (2.0 * i / stones - 1) / a);
        const d3 middle = {x, rise + a - a * cosh(x / a), 0}, normal = d3_unit((d3){sinh(x / a), 1, 0});
        d3 way = d3_scale(normal, thickness / 2);
        if (i == 0 || i == stones)
            way = (d3){thickness / 2 / normal.x, 0, 0};
        in[i] = d3_sub(middle, way);
        out[i] = d3_add(middle, way);
    }
    return arch_of(in, out, stones, FRICTION);
}

/* A hemisphere of stones with a hole at the top. */
static building dome(double thickness, int rings, int stones)
{
    building b = begin(FRICTION);
    for (int i = 0; i < rings * stones; i++) {
        d3 corner[8];
        for (int k = 0; k < 8; k++) {
            const double up = 1.42 * (i / stones + (k & 1)) / rings,
                         around = 2 * PI * (i % stones + (k >> 1 & 1)) / stones;
            const double r = RADIUS + thickness * ((k >> 2) - 0.5);
            corner[k] = (d3){r * cos(up) * cos(around), r * sin(up), r * cos(up) * sin(around)};
        }
        add_stone(&b, corner, FRICTION);
    }
    return b;
}

/* Pairs of cards that lean on each other, in levels, with flat cards between. */
static building cards(int levels, double angle)
{
    const double length = 0.088, thick = 0.003, high = length * cos(angle) + thick * sin(angle),
                 wide = length * sin(angle) + thick * cos(angle);
    building b = begin(0.6);
    double y = 0;
    for (int level = 0; level < levels; level++) {
        const int pairs = levels - level;
        for (int i = 0; i < 2 * pairs; i++) {
            dry_pose pose = pose_at(wide * (i + 0.5 - pairs), y + high / 2, 0);
            pose.orientation = quat_about((d3){0, 0, 1}, i % 2 ? angle : -angle);
            add(&b, pose, box_shape(thick / 2, length / 2, 0.0315));
        }
        y += high;
        for (int i = 1; i < pairs; i++)
            add(&b, pose_at(wide * (2 * i - pairs), y + thick / 2, 0),
                box_shape(0.98 * wide, thick / 2, 0.0315));
        y += level + 1 < levels ? thick : 0;
    }
    return b;
}

static void assert_stands(building b, double bound, const char *what, double size)
{
    run_steps(b.world, 60 * test_pick(30, 3), TEST_DT);
    if (!(moved(&b) <= bound))
        fail_msg("%s %g: moved by %g m", what, size, moved(&b));
    dry_world_destroy(b.world);
}

/* Limit analysis lets 31 stones stand from t/R 0.10713 on at this friction. */
static void test_arches_stand_as_limit_analysis_says(void **state)
{
    (void)state;
    static const double stands[] = {0.108, 0.12, 0.2}, falls[] = {0.105, 0.09};
    for (int i = 0; i < COUNT_OF(stands); i++)
        assert_stands(semicircle(stands[i] * RADIUS, 31, FRICTION), 1e-3, "arch", stands[i]);
    for (int i = 0; i < COUNT_OF(falls); i++) {
        building b = semicircle(falls[i] * RADIUS, 31, FRICTION);
        for (int k = 0; k < 3600 && moved(&b) < 1; k++)
            run_steps(b.world, 1, TEST_DT);
        assert_true(moved(&b) >= 1);
        dry_world_destroy(b.world);
    }
}

/* Friction of 0.3 is too little for any thickness below 0.2 of the radius; 0.4 is enough. */
static void test_arches_slip_as_limit_analysis_says(void **state)
{
    (void)state;
    assert_stands(semicircle(0.2 * RADIUS, 31, 0.4), 1e-3, "friction", 0.4);
    building b = semicircle(0.2 * RADIUS, 31, 0.3);
    for (int k = 0; k < 3600 && moved(&b) < 1; k++)
        run_steps(b.world, 1, TEST_DT);
    assert_true(moved(&b) >= 1);
    dry_world_destroy(b.world);
}

static void test_catenaries_stand(void **state)
{
    (void)state;
    static const double thickness[] = {0.05, 0.02, 0.01};
    for (int i = 0; i < COUNT_OF(thickness); i++)
        assert_stands(catenary(3.1, thickness[i] * RADIUS, 31), 1e-3, "catenary", thickness[i]);
}

static void test_domes_stand(void **state)
{
    (void)state;
    assert_stands(dome(0.1 * RADIUS, 6, 12), 1e-3, "dome", 0.1);
    assert_stands(dome(0.05 * RADIUS, 8, 16), 1e-3, "dome", 0.05);
}

static void test_houses_of_cards_stand(void **state)
{
    (void)state;
    static const double degrees[] = {15, 17.93, 20, 24.64, 25};
    for (int i = 0; i < COUNT_OF(degrees); i++)
        for (int levels = 2; levels <= test_pick(5, 3); levels++)
            assert_stands(cards(levels, degrees[i] * PI / 180), 1e-3, "cards", levels + 0.01 * degrees[i]);
}

/* Adds the force and the moment about the center with which a contact acts on a body, of its guessed
 * impulses. */
static void add_contact(const dry_contact *c, dry_body_id body, d3 center, d3 *force, d3 *moment)
{
    const double sign = (c->body_b.bits == body.bits ? 1 : -1) / (double)c->substep_s;
    d3 middle = {0, 0, 0};
    for (int k = 0; k < c->point_count; k++) {
        const d3 at = d3_at(c->points[k].position);
        const d3 push = d3_scale(d3_of(c->normal), sign * (double)c->points[k].normal_impulse_Ns);
        middle = d3_add(middle, d3_scale(at, 1.0 / c->point_count));
        *force = d3_add(*force, push);
        *moment = d3_add(*moment, d3_cross(d3_sub(at, center), push));
    }
    const d3 rub = d3_scale(d3_of(c->friction_impulse_Ns), sign);
    *force = d3_add(*force, rub);
    *moment = d3_add(*moment, d3_cross(d3_sub(middle, center), rub));
    *moment = d3_add(*moment, d3_scale(d3_of(c->normal), sign * (double)c->torsion_impulse_Nms));
}

/* Finds the contacts in a step in which nothing can move, forgets all loads, and gives the first impulses. */
static void press(dry_world *world)
{
    run_steps(world, 1, 1e-6f);
    for (int i = 0; i < world->contacts.count; i++)
        world->contacts.manifold[i].substep = 0.0f;
    for (int row = 0; row < world->bodies.awake_count; row++)
        world->bodies.sleep[row].load = -1.0f;
    dry_solver_step step = dry_solver_step_of(world, TEST_DT);
    assert_true(dry_static_loads(&step, &world->memory, &world->scratch));
}

/* Before the first sweep forces and moments balance on each body, and no contact slips or pulls. */
static void test_the_first_impulses_balance(void **state)
{
    (void)state;
    building all[] = {semicircle(0.12 * RADIUS, 31, FRICTION), catenary(3.1, 0.01 * RADIUS, 30),
                      dome(0.06 * RADIUS, 6, 12), cards(4, 0.35)};
    for (int n = 0; n < COUNT_OF(all); n++) {
        building *b = &all[n];
        press(b->world);
        for (int i = 0; i < b->count; i++) {
            dry_contact contacts[32];
            int count = 0;
            const double weight = mass_of(b->world, b->body[i]).mass * TEST_G;
            d3 force = {0, -weight, 0}, moment = {0, 0, 0}, center = center_of(b->world, b->body[i]);
            assert_ok(dry_body_get_contacts(b->world, b->body[i], contacts, COUNT_OF(contacts), &count));
            for (int k = 0; k < count; k++)
                if (contacts[k].substep_s > 0.0f)
                    add_contact(&contacts[k], b->body[i], center, &force, &moment);
            assert_at_most(d3_length(force), 1e-3 * weight);
            assert_at_most(d3_length(moment), 1e-3 * weight);
        }
        dry_world_destroy(b->world);
    }
}

/* A factor of a matrix with random neighbors solves its equations. */
static void test_an_envelope_solves(void **state)
{
    (void)state;
    enum { BLOCKS = 12, SIZE = 6 * BLOCKS };
    uint64_t seed = 3;
    static double dense[SIZE][SIZE], term[36 * BLOCKS * (BLOCKS + 2)], right[SIZE], x[SIZE];
    dry_envelope_row row[BLOCKS + 1];
    dry_envelope e = {row, term, BLOCKS};
    for (int p = 0; p < BLOCKS; p++)
        row[p].first = random_below(&seed, p + 1);
    assert_in_range(dry_envelope_place(&e), 36 * BLOCKS, COUNT_OF(term));
    dry_envelope_clear(&e, 0.5);
    for (int i = 0; i < SIZE; i++) {
        dense[i][i] = 0.5;
        right[i] = random_in(&seed, -1, 1);
    }
    for (int n = 0; n < 10 * BLOCKS; n++) {
        const int32_t p = random_below(&seed, BLOCKS),
                      q = row[p].first + random_below(&seed, p + 1 - row[p].first);
        const int32_t block[2] = {p, q < p ? q : -1};
        double g[12];
        for (int i = 0; i < 12; i++)
            g[i] = block[i / 6] < 0 ? 0 : random_in(&seed, -1, 1);
        dry_envelope_add(&e, block, g, 2.0);
        for (int i = 0; i < 144; i++)
            if (block[i / 72] >= 0 && block[i % 12 / 6] >= 0)
                dense[6 * block[i / 72] + i / 12 % 6][6 * block[i % 12 / 6] + i % 6] +=
                    2.0 * g[i / 12] * g[i % 12];
    }
    dry_envelope_solve(&e, right, x);
    for (int i = 0; i < SIZE; i++) {
        double sum = 0;
        for (int k = 0; k < SIZE; k++)
            sum += dense[i][k] * x[k];
        assert_near(sum, right[i], 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_envelope_solves),
        cmocka_unit_test(test_the_first_impulses_balance),
        cmocka_unit_test(test_arches_stand_as_limit_analysis_says),
        cmocka_unit_test(test_arches_slip_as_limit_analysis_says),
        cmocka_unit_test(test_catenaries_stand),
        cmocka_unit_test(test_domes_stand),
        cmocka_unit_test(test_houses_of_cards_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
