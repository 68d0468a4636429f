/* Impacts against closed form: Newton's law of restitution with Coulomb's cone [Spook 1-7], flat and edge
 * landings, and what no chain, pile or bounce may do: gain energy, or change momentum. */
#include "tests/solver/impact_law.h"

#include "world/world.h"

/* Rods and corners. */

/* Returns the body's lowest point, and how far above it the next corner or end lies. */
static d3 lowest_point(const dry_world *world, dry_body_id id, const dry_shape_def *shape, double *clear)
{
    const dry_pose pose = pose_of(world, id);
    const bool box = shape->type == DRY_SHAPE_BOX;
    d3 best = {0, 0, 0};
    double low = 1e9;
    *clear = 1e9;
    for (int i = 0; i < (box ? 8 : 2); ++i) {
        const d3 h = d3_of(shape->half_extents);
        d3 p = box ? (d3){i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z}
                   : (d3){0, (double)(i ? shape->half_length : -shape->half_length), 0};
        p = d3_add(d3_turn(pose.orientation, p), d3_at(pose.position));
        if (!box)
            p.y -= (double)shape->radius;
        if (p.y < low) {
            *clear = low - p.y;
            low = p.y;
            best = p;
        } else if (p.y - low < *clear) {
            *clear = p.y - low;
        }
    }
    return best;
}

static void assert_side(const dry_world *world, dry_body_id id, const impact_side *expected, double scale)
{
    const d3 v = d3_sub(velocity_of(world, id), expected->v), w = d3_sub(spin_of(world, id), expected->w);
    assert_at_most(d3_length(v), 0.01 * scale);
    assert_at_most(d3_length(w) * d3_length(expected->r), 0.01 * scale);
}

/* One corner or rod's end meets a floor, or the face of another free body, within one step. */
static bool check_impact(uint64_t *seed, bool pair, law *l)
{
    dry_settings settings = test_settings_weightless();
    settings.restitution_speed_min = 0.1f;
    dry_world *world = world_with(settings);
    dry_shape_def shape;
    if (random_below(seed, 2)) {
        const d3 half = random_d3_in(seed, 0.1, 0.6);
        shape = box_shape(half.x, half.y, half.z);
    } else {
        const double radius = random_in(seed, 0.02, 0.2);
        shape = capsule_shape(radius, random_in(seed, 0.3, 0.8));
    }
    shape.restitution = (float)l->e;
    dry_shape_def under = box_shape(3, 0.5, 3);
    under.restitution = 0;
    under.density = (float)random_in(seed, 5, 500);
    shape.friction = under.friction = (float)l->mu;
    const dry_body_id a =
        add_body(world, pair ? DRY_BODY_DYNAMIC : DRY_BODY_STATIC, pose_at(0, -0.5, 0), under);
    const dry_body_id b = add_dynamic(world, (dry_pose){{0.3, 5, -0.2}, random_quat(seed)}, shape);
    /* A time so short that nothing turns meanwhile. */
    const float dt = 2e-5f;
    double clear;
    d3 point = lowest_point(world, b, &shape, &clear);
    if (clear < 0.05) { /* an edge */
        dry_world_destroy(world);
        return false;
    }
    dry_pose pose = pose_of(world, b);
    pose.position.y -= point.y - 2e-5;
    assert_ok(dry_body_set_pose(world, b, pose));
    point.y = 0;
    const d3 velocity = {random_in(seed, -3, 3), random_in(seed, -9, -3), random_in(seed, -3, 3)};
    set_velocity(world, b, velocity, random_d3(seed, 3));
    impact_side sides[2] = {{.v = {0, 0, 0}}, side_of(world, b, point)};
    if (pair) {
        const d3 velocity_a = random_d3(seed, 1), spin_a = random_d3(seed, 0.3);
        set_velocity(world, a, velocity_a, spin_a);
        sides[0] = side_of(world, a, point);
    }
    const d3 u = d3_sub(speed_of(&sides[1]), speed_of(&sides[0])), n = {0, 1, 0};
    if (u.y > -1) {
        dry_world_destroy(world);
        return false;
    }
    double k[3][3] = {{0}};
    add_matrix(&sides[1], k);
    if (pair)
        add_matrix(&sides[0], k);
    const d3 j = impulse_of(l, (const double(*)[3])k, u, n);
    apply(&sides[1], j);
    if (pair)
        apply(&sides[0], d3_scale(j, -1));
    run_steps(world, 1, dt);
    assert_side(world, b, &sides[1], d3_length(u));
    if (pair)
        assert_side(world, a, &sides[0], d3_length(u));
    dry_world_destroy(world);
    return true;
}

static void test_rods_and_corners(void **state)
{
    (void)state;
    uint64_t seed = 77;
    law l = {0};
    int done = 0;
    for (int i = 0; i < test_pick(200, 60); ++i) {
        l.e = random_in(&seed, 0.05, 1);
        l.mu = random_below(&seed, 4) ? random_in(&seed, 0, 1) : 0;
        done += check_impact(&seed, i % 2, &l);
    }
    assert_true(done > test_pick(80, 20) && l.sticks > 10 && l.slides > 10);
}

/* Landings. */

/* A box that lands flat leaves flat, with e times its speed; on an edge it does as a rod does, in the plane
 * across. */
static void test_flat_landing_stays_flat(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < test_pick(60, 12); ++i) {
        dry_settings settings = test_settings_weightless();
        dry_world *world = world_with(settings);
        const double e = random_in(&seed, 0.1, 1);
        add_floor(world, random_in(&seed, 0, 1), 0);
        const d3 h = {random_in(&seed, 0.05, 1), random_in(&seed, 0.05, 1), random_in(&seed, 0.05, 1)};
        dry_shape_def shape = box_shape(h.x, h.y, h.z);
        shape.restitution = (float)e;
        const dry_quat q = quat_about((d3){0, 1, 0}, random_in(&seed, 0, 6));
        const dry_body_id box =
            add_dynamic(world, (dry_pose){{0, h.y + random_in(&seed, 0, 0.05), 0}, q}, shape);
        set_velocity(world, box, (d3){0, -4, 0}, (d3){0, 0, 0});
        run_steps(world, 2, TEST_DT);
        assert_near(velocity_of(world, box).y, 4 * e, 1e-5 * 4);
        assert_at_most(d3_length(spin_of(world, box)), 1e-4);
        dry_world_destroy(world);
    }
}

/* Two boxes that meet face to face, center before center, and pass each other meanwhile, without friction:
 * only the speed across the faces changes. Their lever arms lie along the normal, as those of spheres do. */
static void test_faces_that_slide_bounce_along_their_normal(void **state)
{
    (void)state;
    dry_settings settings = test_settings_weightless();
    dry_world *world = world_with(settings);
    dry_shape_def shape = box_shape(1, 1, 1);
    shape.friction = 0;
    shape.restitution = 0.5f;
    const dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), shape),
                      b = add_dynamic(world, pose_at(2.02, 0, 0), shape);
    const dry_velocity falls = {{-3, 2, 0}, {0, 0, 0}};
    assert_ok(dry_body_set_velocity(world, b, falls));
    run_steps(world, 2, TEST_DT);
    const d3 of_a = velocity_of(world, a), of_b = velocity_of(world, b);
    assert_at_most(fabs(of_b.x - of_a.x - 1.5), 1e-3); /* the faces' middle is not the centers' */
    assert_at_most(fabs(of_a.y) + fabs(of_a.z), 1e-5);
    assert_at_most(fabs(of_b.y - 2) + fabs(of_b.z), 1e-5);
    dry_world_destroy(world);
}

static void test_edge_landing_is_a_rod(void **state)
{
    (void)state;
    const double angle = 0.5, length = 1, thin = 0.02, e = 0.5, v = 3;
    for (int frictional = 0; frictional < 2; ++frictional) {
        dry_world *world = world_with(test_settings_weightless());
        add_floor(world, frictional ? 100 : 0, 0);
        dry_shape_def shape = box_shape(length / 2, thin, 0.4);
        shape.restitution = (float)e;
        shape.friction = frictional ? 100 : 0;
        const dry_quat q = quat_about((d3){0, 0, 1}, angle);
        const d3 edge = d3_turn(q, (d3){-length / 2, -thin, 0});
        const dry_body_id rod = add_dynamic(world, (dry_pose){{0, 0.001 - edge.y, 0}, q}, shape);
        set_velocity(world, rod, (d3){0, -v, 0}, (d3){0, 0, 0});
        impact_side s = side_of(world, rod, (d3){edge.x, 0, 0});
        s.r = edge;
        double k[3][3] = {{0}};
        add_matrix(&s, k);
        law l = {.e = e, .mu = frictional ? 100 : 0};
        apply(&s, impulse_of(&l, (const double(*)[3])k, speed_of(&s), (d3){0, 1, 0}));
        run_steps(world, 1, 1.0f / 480);
        assert_side(world, rod, &s, v);
        impact_side after = side_of(world, rod, (d3){0, 0, 0});
        after.r = edge;
        assert_near(speed_of(&after).y, e * v, 0.01 * v);
        dry_world_destroy(world);
    }
}

/* Energy and momentum. */

typedef struct crowd {
    dry_world *world;
    dry_body_id id[256];
    int count;
} crowd;

static void crowd_add(crowd *c, dry_pose pose, dry_shape_def shape)
{
    c->id[c->count++] = add_dynamic(c->world, pose, shape);
}

/* Adds body `i` of 27 that rush towards the origin. */
static void crowd_add_rushing(crowd *c, int i, dry_shape_def shape, double e, double mu, uint64_t *seed)
{
    shape.restitution = (float)e;
    shape.friction = (float)mu;
    shape.density = (float)random_in(seed, 100, 3000);
    const d3 x = {(i % 3 - 1) * 1.1, (i / 3 % 3 - 1) * 1.1, (i / 9 - 1) * 1.1};
    crowd_add(c, (dry_pose){{x.x, x.y, x.z}, random_quat(seed)}, shape);
    const d3 velocity = d3_add(d3_scale(x, -3), random_d3(seed, 1));
    set_velocity(c->world, c->id[i], velocity, random_d3(seed, 3));
}

static double crowd_energy(const crowd *c, double gravity)
{
    double sum = 0;
    for (int i = 0; i < c->count; ++i)
        sum += kinetic_energy(c->world, c->id[i]) +
               mass_of(c->world, c->id[i]).mass * gravity * center_of(c->world, c->id[i]).y;
    return sum;
}

/* Sum of m (v^2 + g y): the terms whose roundings energy takes on. */
static double crowd_scale(const crowd *c, double gravity)
{
    double sum = 0;
    for (int i = 0; i < c->count; ++i)
        sum += kinetic_energy(c->world, c->id[i]) +
               mass_of(c->world, c->id[i]).mass * gravity * fabs(center_of(c->world, c->id[i]).y);
    return sum;
}

/* Runs a crowd. Returns the largest rise of its energy above any earlier one, as a share of the energy that
 * rounds. */
static double crowd_gain(crowd *c, double gravity, double seconds, float dt, bool loses, double *kept)
{
    double least = crowd_energy(c, gravity), start = least, gain = 0;
    const double scale = crowd_scale(c, gravity);
    for (int i = 0; i < (int)(seconds / (double)dt + 0.5); ++i) {
        run_steps(c->world, 1, dt);
        const double energy = crowd_energy(c, gravity);
        gain = fmax(gain, energy - least);
        least = loses ? start : fmin(least, energy);
    }
    if (kept)
        *kept = crowd_energy(c, gravity) / start;
    return gain / scale;
}

/* Each step rounds every velocity by half of 2^-23 of itself, by chance up or down: after n steps by sqrt(n)
 * of it, and the energy by twice as much. Five standard deviations. */
static double rounding_of(double seconds, float dt)
{
    return 5 * sqrt(seconds / (double)dt) * FLT_EPSILON;
}

/* A ball that loses nothing bounces on, at every step: neither gains nor loses. */
static void test_elastic_ball_keeps_its_energy(void **state)
{
    (void)state;
    static const float steps[] = {1.0f / 30, 1.0f / 60, 0.01f, 0.001f};
    for (int i = 0; i < COUNT_OF(steps); ++i) {
        dry_settings settings = test_settings();
        settings.restitution_speed_min = 0;
        crowd c = {.world = world_with(settings)};
        add_floor(c.world, 0, 0);
        dry_shape_def ball = sphere_shape(0.1);
        ball.restitution = 1;
        crowd_add(&c, pose_at(0, 5, 0), ball);
        const double seconds = steps[i] < 0.005f ? 5 : 20;
        double kept;
        assert_at_most(crowd_gain(&c, TEST_G, seconds, steps[i], false, &kept),
                       rounding_of(seconds, steps[i]));
        assert_near(kept, 1, rounding_of(seconds, steps[i]));
        dry_world_destroy(c.world);
    }
}

/* The speed at the surface: a ball dropped from h returns to e^2 h, whatever the step. */
static void test_speed_at_the_surface(void **state)
{
    (void)state;
    static const double restitutions[] = {0.3, 0.6, 0.9};
    static const float steps[] = {1.0f / 20, 1.0f / 60, 0.004f};
    for (int i = 0; i < COUNT_OF(restitutions); ++i)
        for (int k = 0; k < COUNT_OF(steps); ++k) {
            const double e = restitutions[i], h = 2, r = 0.25;
            crowd c = {.world = world_with(test_settings())};
            add_floor(c.world, 0.5, 0);
            dry_shape_def ball = sphere_shape(r);
            ball.restitution = (float)e;
            crowd_add(&c, pose_at(0, h + r, 0), ball);
            while (velocity_of(c.world, c.id[0]).y <= 0)
                run_steps(c.world, 1, steps[k]);
            const double m = mass_of(c.world, c.id[0]).mass;
            assert_near(crowd_energy(&c, TEST_G) - m * TEST_G * r, e * e * m * TEST_G * h,
                        1e-5 * m * TEST_G * h);
            dry_world_destroy(c.world);
        }
}

/* Newton's cradle: balls in a row with small gaps pass the momentum on, one after the other within a step. */
static void test_cradle(void **state)
{
    (void)state;
    for (int n = 2; n <= 12; n += 5)
        for (int touching = 0; touching < 2; ++touching) {
            dry_settings settings = test_settings_weightless();
            settings.restitution_speed_min = 0;
            crowd c = {.world = world_with(settings)};
            dry_shape_def ball = sphere_shape(0.1);
            ball.restitution = 1;
            ball.friction = 0;
            for (int i = 0; i < n; ++i) {
                const double x = i * (touching ? 0.2 : 0.2005) - (i ? 0 : 0.1);
                dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(x, 0, 0), &ball);
                def.velocity.linear.x = i ? 0 : 4;
                c.id[c.count++] = add_def(c.world, &def);
            }
            run_steps(c.world, 12, TEST_DT);
            for (int i = 0; i < n; ++i)
                assert_near(velocity_of(c.world, c.id[i]).x, i == n - 1 ? 4 : 0, 1e-4);
            dry_world_destroy(c.world);
        }
}

/* Two balls, the upper one a little above the lower one, dropped 1 m. */
static void test_two_balls(void **state)
{
    (void)state;
    static const float steps[] = {1.0f / 60, 0.01f, 0.002f};
    static const double restitutions[] = {0.5, 0.9, 1};
    for (int i = 0; i < COUNT_OF(steps); ++i)
        for (int k = 0; k < COUNT_OF(restitutions); ++k) {
            crowd c = {.world = world_with(test_settings())};
            add_floor(c.world, 0.3, restitutions[k]);
            dry_shape_def ball = sphere_shape(0.1);
            ball.restitution = (float)restitutions[k];
            crowd_add(&c, pose_at(0, 1.1, 0), ball);
            crowd_add(&c, pose_at(0, 1.31, 0), ball);
            assert_at_most(crowd_gain(&c, TEST_G, 4, steps[i], restitutions[k] < 1, NULL),
                           rounding_of(4, steps[i]));
            dry_world_destroy(c.world);
        }
}

/* Crowds in space: momentum and angular momentum stay, for balls, rods and boxes with any e and mu. A rod's
 * or a box's impact is solved for the orientation that the step began with. The energy of balls rises by no
 * more than sweeps leave that stop what meets slowly: in 18 of 2,000 crowds by over 7e-6, in none by 5e-4. */
static void test_crowds_in_space(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int run = 0; run < test_pick(12, 4); ++run) {
        dry_settings settings = test_settings_weightless();
        settings.restitution_speed_min = run % 2 ? 0 : 1;
        crowd c = {.world = world_with(settings)};
        const double e = run % 3 == 0 ? 1 : random_in(&seed, 0, 1);
        const double mu = random_below(&seed, 3) ? random_in(&seed, 0, 1) : 0;
        double scale_p = 0, scale_l = 0;
        for (int i = 0; i < 27; ++i) {
            const int kind = run % 4 == 3 ? i % 3 : run % 4;
            const double size = random_in(&seed, 0.1, 0.3), length = random_in(&seed, 0.1, 0.3);
            crowd_add_rushing(&c, i,
                              kind == 0   ? sphere_shape(size)
                              : kind == 1 ? capsule_shape(0.1, length)
                                          : box_shape(size, 0.2, length),
                              e, mu, &seed);
            const double p = mass_of(c.world, c.id[i]).mass * d3_length(velocity_of(c.world, c.id[i]));
            scale_p += p;
            scale_l +=
                d3_length(center_of(c.world, c.id[i])) * p + d3_length(spin_momentum(c.world, c.id[i]));
        }
        const d3 p = total_momentum(c.world, c.id, c.count),
                 l = total_angular_momentum(c.world, c.id, c.count);
        const double gain = crowd_gain(&c, 0, 2, TEST_DT, false, NULL);
        if (run % 4 == 0)
            assert_at_most(gain, 5e-4);
        assert_at_most(d3_length(d3_sub(total_momentum(c.world, c.id, c.count), p)) / scale_p,
                       256 * FLT_EPSILON);
        assert_at_most(d3_length(d3_sub(total_angular_momentum(c.world, c.id, c.count), l)) / scale_l,
                       256 * FLT_EPSILON);
        dry_world_destroy(c.world);
    }
}

/* Balls in space that bounce at any speed never gain energy. In the crowds named first two balls pass each
 * other: along the normal that the step began with they would meet. */
static void test_balls_in_space_gain_nothing(void **state)
{
    (void)state;
    static const uint64_t passing[] = {47, 56, 80, 512, 562, 915};
    for (uint64_t run = 0; run < COUNT_OF(passing) + (uint64_t)test_pick(60, 6); ++run) {
        uint64_t seed = run < COUNT_OF(passing) ? passing[run] : run;
        dry_settings settings = test_settings_weightless();
        settings.restitution_speed_min = 0;
        crowd c = {.world = world_with(settings)};
        const double e = random_below(&seed, 2) ? 1 : random_in(&seed, 0, 1);
        const double mu = random_below(&seed, 2) ? random_in(&seed, 0, 1) : 0;
        for (int i = 0; i < 27; ++i)
            crowd_add_rushing(&c, i, sphere_shape(random_in(&seed, 0.1, 0.3)), e, mu, &seed);
        assert_at_most(crowd_gain(&c, 0, 2, TEST_DT, false, NULL), rounding_of(2, TEST_DT));
        dry_world_destroy(c.world);
    }
}

/* Rods and boxes that turn by up to a radian a step meet in space: the impact acts on the orientation that
 * the step began with, and nothing is gained at the one that they come to. The bound is that of the free
 * rotation: a part of a tenth of a radian errs by less than 1e-6, and there are up to nine in a step. Without
 * warm start, whose impulses act for a moment after the blow that they stopped. */
static void test_fast_pairs_in_space_gain_nothing(void **state)
{
    (void)state;
    static const struct {
        double speed, spin;
    } motions[] = {{5, 1}, {20, 10}, {20, 50}, {100, 5}};
    uint64_t seed = 29;
    for (int run = 0; run < test_pick(4000, 400); ++run) {
        const double speed = motions[run % 4].speed, spin = motions[run % 4].spin;
        dry_settings settings = test_settings_weightless();
        settings.warm_start = false;
        crowd c = {.world = world_with(settings)};
        double scale_p = 0, scale_l = 0;
        for (int i = 0; i < 2; ++i) {
            const bool rod = random_below(&seed, 2) == 1;
            const double width = random_in(&seed, 0.1, 0.3), length = random_in(&seed, 0.3, 1);
            dry_shape_def shape = rod ? capsule_shape(width, length) : box_shape(length - 0.2, width, 0.3);
            shape.restitution = run / 4 % 2 ? 0.84f : 0;
            const double aside = random_in(&seed, -0.2, 0.2), above = random_in(&seed, -0.2, 0.2);
            const d3 x = {3.0 * i - 1.5, above, aside};
            crowd_add(&c, (dry_pose){{x.x, x.y, x.z}, random_quat(&seed)}, shape);
            set_velocity(c.world, c.id[i], (d3){i ? -speed : speed, 0, 0}, random_d3(&seed, spin));
            const double p = mass_of(c.world, c.id[i]).mass * speed;
            scale_p += p;
            scale_l += d3_length(x) * p + d3_length(spin_momentum(c.world, c.id[i]));
        }
        const d3 p = total_momentum(c.world, c.id, c.count),
                 l = total_angular_momentum(c.world, c.id, c.count);
        assert_at_most(crowd_gain(&c, 0, 1, TEST_DT, false, NULL), 60 * 9 * 1e-6);
        assert_at_most(d3_length(d3_sub(total_momentum(c.world, c.id, c.count), p)) / scale_p,
                       256 * FLT_EPSILON);
        assert_at_most(d3_length(d3_sub(total_angular_momentum(c.world, c.id, c.count), l)) / scale_l,
                       1024 * FLT_EPSILON);
        dry_world_destroy(c.world);
    }
}

/* Piles that fall on a floor: their energy never grows, for any e and friction. Those that lose nothing
 * bounce on at any speed. */
static void test_piles_gain_nothing(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int run = 0; run < test_pick(12, 4); ++run) {
        dry_settings settings = test_settings();
        settings.restitution_speed_min = run % 3 ? 1 : 0;
        crowd c = {.world = world_with(settings)};
        const double e = run % 3 == 0 ? 1 : random_in(&seed, 0, 1), mu = run % 4 ? random_in(&seed, 0, 1) : 0;
        add_floor(c.world, mu, e);
        for (int i = 0; i < 36; ++i) {
            const int kind = run % 3 == 1 ? i % 2 : 0;
            dry_shape_def shape = kind ? box_shape(0.1, 0.1, 0.1) : sphere_shape(0.1);
            shape.restitution = (float)e;
            shape.friction = (float)mu;
            crowd_add(&c,
                      (dry_pose){{i % 3 * 0.31 + random_in(&seed, 0, 0.01), 0.5 + i / 9 * 0.31,
                                  i / 3 % 3 * 0.31 + random_in(&seed, 0, 0.01)},
                                 kind ? random_quat(&seed) : QUAT_IDENTITY},
                      shape);
        }
        const double gain = crowd_gain(&c, TEST_G, 3, run % 5 ? TEST_DT : 0.005f, e < 1, NULL);
        assert_at_most(gain, rounding_of(3, TEST_DT));
        dry_world_destroy(c.world);
    }
}

/* Adds a body of spheres and cubes that bounce without loss, in a heap of their own. */
static dry_body_id add_burr(dry_world *world, d3 at, d3 velocity, d3 spin, uint64_t *seed)
{
    enum { SHAPES = 16 };
    dry_shape_def shapes[SHAPES];
    for (int i = 0; i < SHAPES; ++i) {
        shapes[i] = i % 2 ? box_shape(0.15, 0.15, 0.15) : sphere_shape(0.2);
        shapes[i].pose.position = v3_of(random_d3(seed, 0.5));
        shapes[i].restitution = 1;
    }
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(at.x, at.y, at.z), shapes);
    def.shape_count = SHAPES;
    def.mass = 1;
    def.velocity = (dry_velocity){v3_of(velocity), v3_of(spin)};
    dry_body_id id;
    assert_ok(dry_world_create_body(world, &def, &id));
    return id;
}

/* Five bodies that bounce in many places, at up to 90 m/s between walls: the solves of a step are bounded by
 * its contacts. */
static void test_few_bodies_in_many_places_cost_a_bounded_step(void **state)
{
    (void)state;
    enum { BURRS = 5, SOLVES_A_CONTACT = 64, SOLVES_MIN = 4096, SWEEPS_MAX = 32 };
    uint64_t seed = 5;
    for (int run = 0; run < test_pick(20, 10); ++run) {
        dry_world *world = world_with(test_settings());
        for (int i = 0; i < 5; ++i) {
            dry_shape_def wall =
                i == 4 ? box_shape(20, 0.5, 20) : box_shape(i < 2 ? 0.5 : 5, 10, i < 2 ? 5 : 0.5);
            const double x = i % 2 ? 2.2 : -2.2;
            const dry_pose pose = i == 4 ? pose_at(0, -0.5, 0) : pose_at(i < 2 ? x : 0, 5, i < 2 ? 0 : x);
            wall.restitution = 1;
            dry_body_def def = body_def(DRY_BODY_STATIC, pose, &wall);
            dry_body_id id;
            assert_ok(dry_world_create_body(world, &def, &id));
        }
        for (int i = 0; i < BURRS; ++i) {
            const d3 at = d3_add((d3){0, 1 + 1.3 * i, 0}, random_d3(&seed, 0.5));
            const d3 velocity = random_d3(&seed, 50), spin = random_d3(&seed, 50);
            add_burr(world, at, velocity, spin, &seed);
        }
        for (int step = 0; step < 5; ++step) {
            const uint64_t before = world->solver.sweeps.impact_counts.solves;
            run_steps(world, 1, TEST_DT);
            const double contacts = world->solver.sweeps.bundles[DRY_KIND_CONTACT].count * DRY_BUNDLE;
            assert_at_most((double)(world->solver.sweeps.impact_counts.solves - before),
                           (SOLVES_A_CONTACT + SWEEPS_MAX) * contacts + BURRS * SOLVES_MIN);
        }
        dry_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rods_and_corners),
        cmocka_unit_test(test_flat_landing_stays_flat),
        cmocka_unit_test(test_faces_that_slide_bounce_along_their_normal),
        cmocka_unit_test(test_edge_landing_is_a_rod),
        cmocka_unit_test(test_elastic_ball_keeps_its_energy),
        cmocka_unit_test(test_speed_at_the_surface),
        cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_two_balls),
        cmocka_unit_test(test_crowds_in_space),
        cmocka_unit_test(test_balls_in_space_gain_nothing),
        cmocka_unit_test(test_fast_pairs_in_space_gain_nothing),
        cmocka_unit_test(test_piles_gain_nothing),
        cmocka_unit_test(test_few_bodies_in_many_places_cost_a_bounded_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
