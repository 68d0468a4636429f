/* Tests the bundle that the prepare kernel makes of a manifold, against masses, levers and world-space
 * velocities in double precision (kernel_equations.h). That every instruction set makes the same is
 * test_kernels.c's matter. */
#include "core/quat_pack.h"
#include "tests/solver/kernel_equations.h"

#include "core/math.h"

typedef struct drawn {
    pair p;
    dry_quat orientation_a, orientation_b, held_b; /* the last one turns b's lever arm */
    d3 normal, between, levers[4];                 /* of b, world; lever arms of a are `between` more */
    double rise, separation[4];
    int points;
    double scale;
} drawn;

static void turn_axes(body *b, dry_quat q)
{
    const d3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++)
        b->axes[i] = d3_turn(q, units[i]);
}

static void put_manifold(uint64_t *seed, drawn *d, dry_manifold *m)
{
    for (int i = 0; i < 4; i++) {
        dry_manifold_point *point = &m->points[i];
        point->anchor_b = v3_of(random_d3(seed, 1));
        d3 arm = d3_turn(d->orientation_b, d3_of(point->anchor_b));
        d->separation[i] = random_in(seed, -0.05, 0.03);
        point->touch_height = (float)(d->rise + d3_dot(d->normal, arm) - d->separation[i]);
        m->impulse[i] = (float)random_in(seed, 0, 2);
        /* Midway between the surfaces. */
        d3 lever = d3_turn(d->held_b, d3_of(point->anchor_b));
        d->levers[i] = d3_add(lever, d3_scale(d->normal, -0.5 * d->separation[i]));
        if (i >= d->points) /* what is left of points that were */
            m->impulse[i] = 7.0f, point->touch_height = -3.0f, point->anchor_b.x = 100.0f;
    }
    m->torsion_impulse = (float)random_in(seed, -1, 1);
    m->friction_impulse = v3_of(random_d3(seed, 1));
}

static void put_kinematic(data_source *s, int lane, int side, const body *b)
{
    if (!is_kinematic(b))
        return;
    put_d3(s->kinematic[2 * side], lane, b->v);
    put_d3(s->kinematic[2 * side + 1], lane, b->w);
}

/* Lever arms that follow from the present poses, or in some lanes from those when the anchors were made. */
static void put_levers(uint64_t *seed, drawn *d, kernel_data *data, int lane)
{
    data_source *s = &data->source[0];
    const bool held = random_below(seed, 2) == 0;
    const d3 between = random_d3(seed, 2), built = random_d3(seed, 2);
    const dry_quat relative = random_quat(seed);
    dry_manifold *m = &data->manifold[1 + lane];
    dry_quat_pack(random_quat(seed), m->built);
    const dry_quat a = dry_quat_unpack(m->built);
    put_d3(s->between, lane, between);
    m->built_orientation = relative;
    m->built_position[0] = built.x, m->built_position[1] = built.y, m->built_position[2] = built.z;
    s->held[lane] = held;
    d->between = held ? d3_turn(a, built) : between;
    d->held_b = held ? quat_mul(a, relative) : d->orientation_b;
}

static void random_lane(uint64_t *seed, drawn *d, kernel_data *data, int lane)
{
    bool summed = data->prepare.split_masses;
    data_source *s = &data->source[0];
    random_pair(seed, &d->p, lane, summed, 0);
    d->orientation_a = random_quat(seed), d->orientation_b = random_quat(seed);
    turn_axes(&d->p.a, d->orientation_a);
    turn_axes(&d->p.b, d->orientation_b);
    d->normal = random_unit(seed);
    d->points = 1 + random_below(seed, 4);
    d->scale = (float)random_in(seed, 0, 2);
    d->rise = (float)random_in(seed, -0.1, 0.1);
    put_levers(seed, d, data, lane);
    put_manifold(seed, d, &data->manifold[1 + lane]);
    s->manifold[lane] = 1 + lane;
    s->orientation_a[lane] = 1 + 2 * lane;
    s->orientation_b[lane] = 2 + 2 * lane;
    data->orientation[1 + 2 * lane] = d->orientation_a;
    data->orientation[2 + 2 * lane] = d->orientation_b;
    put_d3(s->normal, lane, d->normal);
    s->rise[lane] = (float)d->rise;
    s->friction[lane] = (float)random_in(seed, 0, 1.5);
    s->impulse_scale[lane] = (float)d->scale;
    s->count[lane] = (float)d->points;
    s->patch_least[lane] = (float)random_in(seed, 0, 0.5);
    if (random_below(seed, 2) == 0) {
        s->rolling_limit[lane] = (float)random_in(seed, 0.01, 1);
        put_d3(s->rolling_impulse, lane, random_d3(seed, 1));
    }
    const body *bodies[] = {&d->p.a, &d->p.b};
    const int32_t rows[] = {d->p.row_a, d->p.row_b};
    for (int side = 0; side < 2; side++) {
        if (rows[side]) {
            put_row(&data->rows[rows[side]], bodies[side]);
        } else {
            d->p.share[side] = 1;
        }
        s->share[side][lane] = (float)d->p.share[side];
        put_kinematic(s, lane, side, bodies[side]);
    }
    data->contact[0].row_a[lane] = rows[0];
    data->contact[0].row_b[lane] = rows[1];
}

static void close_to(double actual, double expected, const char *what)
{
    pair p = {.magnitude = magnitude_of(1, expected)};
    assert_close(&p, actual, expected, what, "contact_prepare");
}

static d3 get_d3(dry_lanes *lanes, int lane)
{
    return (d3){lanes[0][lane], lanes[1][lane], lanes[2][lane]};
}

static void close_to_d3(d3 actual, d3 expected, const char *what)
{
    close_to(actual.x, expected.x, what);
    close_to(actual.y, expected.y, what);
    close_to(actual.z, expected.z, what);
}

/* The frame's axes on one side, whitened. */
static void assert_axes(float (*axes)[3][DRY_BUNDLE], int lane, const d3 frame[3], const body *b)
{
    float expected[3][3][DRY_BUNDLE];
    put_frame(expected, lane, frame, b);
    for (int k = 0; k < 3; k++)
        close_to_d3(get_d3(axes[k], lane), get_d3(expected[k], lane), "axes of the frame");
}

/* Returns the offset of point i from the patch's center: the bundle has three, and the fourth is minus their
 * sum. */
static d3 get_offset(const dry_contact_bundle *c, int i, int lane)
{
    d3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        d3 offset = {c->offset[k][0][lane], c->offset[k][1][lane], 0};
        if (k == i)
            return offset;
        sum = d3_sub(sum, offset);
    }
    return sum;
}

static void assert_normals(const drawn *d, kernel_data *data, int lane, const row *normal, const d3 frame[3],
                           d3 center)
{
    dry_contact_bundle *c = &data->contact[0];
    dry_contact_cold *cold = &data->cold[0];
    const dry_manifold *m = &data->manifold[1 + lane];
    const pair *p = &d->p;
    double fastest = 0;
    for (int i = 0; i < d->points; i++) {
        const row *g = &normal[i];
        d3 offset = in_frame(frame, d3_sub(d->levers[i], center));
        offset.z = 0;
        close_to_d3(get_offset(c, i, lane), offset, "place of a point");
        double mass = row_mass(g, g, &p->a, &p->b, p->share), approach = row_speed(g, &p->a, &p->b);
        close_to((double)c->inverse_mass[i][lane] * mass, 1, "mass of a normal");
        close_to((double)c->separation[i][lane], d->separation[i], "separation");
        close_to((double)c->impulse[i][lane], d->scale * (double)m->impulse[i], "impulse");
        close_to((double)cold->kinematic_normal[i][lane], row_kinematic(g, p), "kinematic normal");
        fastest = fmin(fastest, approach);
    }
    for (int i = 0; i < 2; i++) {
        const row *g = &normal[2 * i], *h = &normal[2 * i + 1];
        if (2 * i + 1 >= d->points) {
            assert_true(c->pair_coupling[i][lane] == 0);
            continue;
        }
        pair room = {.magnitude =
                         row_mass(g, g, &p->a, &p->b, p->share) + row_mass(h, h, &p->a, &p->b, p->share)};
        assert_close(&room, (double)c->pair_coupling[i][lane],
                     PAIR_COUPLING * row_mass(g, h, &p->a, &p->b, p->share), "pair coupling",
                     "contact_prepare");
    }
    for (int i = 0; i < 2; i++)
        for (int j = 2; j < d->points; j++) {
            /* The terms are as large as the rows' own masses, and may cancel. */
            pair room = {.magnitude = row_mass(&normal[i], &normal[i], &p->a, &p->b, p->share) +
                                      row_mass(&normal[j], &normal[j], &p->a, &p->b, p->share)};
            assert_close(&room, (double)c->coupling[i][j - 2][lane],
                         row_mass(&normal[i], &normal[j], &p->a, &p->b, p->share), "coupling",
                         "contact_prepare");
        }
    close_to((double)data->speeds[0].fastest[lane], fastest, "fastest approach");
    for (int i = 0; i < 4; i++) {
        if (i >= d->points)
            assert_true(c->inverse_mass[i][lane] == 0 && c->impulse[i][lane] == 0 &&
                        c->separation[i][lane] == 0);
    }
}

/* Tests that a block times its inverse is 1, but for the digits that the larger diagonal takes off the
 * smaller's. */
static void assert_inverse(double k[2][2], dry_lanes inverse[3], int lane, const char *what)
{
    const double xx = (double)inverse[0][lane], xy = (double)inverse[1][lane], yy = (double)inverse[2][lane];
    const double m[2][2] = {{xx, xy}, {xy, yy}};
    const double worse = magnitude_of(1, (k[0][0] + k[1][1]) * (xx + yy));
    const pair room = {.magnitude = worse * worse};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            assert_close(&room, k[i][0] * m[0][j] + k[i][1] * m[1][j], i == j, what, "contact_prepare");
}

static void assert_rolling(const drawn *d, kernel_data *data, int lane, const d3 frame[3], d3 center)
{
    data_source *s = &data->source[0];
    dry_contact_cold *cold = &data->cold[0];
    const pair *p = &d->p;
    const row rolling[2] = {{frame[0], center, center, true}, {frame[1], center, center, true}};
    double k[2][2];
    for (int i = 0; i < 2; i++) {
        close_to((double)cold->rolling_impulse[i][lane],
                 d->scale * d3_dot(get_d3(s->rolling_impulse, lane), frame[i]), "rolling impulse");
        close_to((double)cold->kinematic_rolling[i][lane], row_kinematic(&rolling[i], p),
                 "kinematic rolling");
        for (int j = 0; j < 2; j++)
            k[i][j] = row_mass(&rolling[i], &rolling[j], &p->a, &p->b, p->share);
    }
    assert_inverse(k, cold->rolling_mass, lane, "rolling mass");
    assert_true(cold->rolling_limit[lane] == s->rolling_limit[lane]);
}

static void assert_patch(const drawn *d, kernel_data *data, int lane, const d3 frame[3], d3 center)
{
    dry_contact_bundle *c = &data->contact[0];
    dry_contact_cold *cold = &data->cold[0];
    const dry_manifold *m = &data->manifold[1 + lane];
    const pair *p = &d->p;
    double patch_radius = 0;
    for (int i = 0; i < d->points; i++)
        patch_radius += d3_length(d3_sub(d->levers[i], center)) / d->points;
    patch_radius = fmax(patch_radius, (double)data->source[0].rolling_limit[lane]);
    patch_radius = fmax(patch_radius, (double)data->source[0].patch_least[lane]);
    close_to((double)c->patch_radius[lane], patch_radius, "patch_radius");
    assert_axes(c->axis_a, lane, frame, &p->a);
    assert_axes(c->axis_b, lane, frame, &p->b);
    /* The least gap has closed when the contact acts. */
    double gap = d->separation[0];
    for (int i = 1; i < d->points; i++)
        gap = fmin(gap, d->separation[i]);
    const d3 closes = d3_scale(d->normal, 0.5 * fmax(gap, 0));
    const d3 arm_a = d3_sub(d3_add(d->between, center), closes), arm_b = d3_add(center, closes);
    close_to_d3(get_d3(c->lever_arm_a, lane), in_frame(frame, arm_a), "lever of a");
    close_to_d3(get_d3(c->lever_arm_b, lane), in_frame(frame, arm_b), "lever of b");
    const row tangent[2] = {{frame[0], arm_a, arm_b, false}, {frame[1], arm_a, arm_b, false}};
    double k[2][2];
    for (int i = 0; i < 2; i++) {
        close_to((double)c->friction_impulse[i][lane],
                 d->scale * d3_dot(d3_of(m->friction_impulse), tangent[i].direction), "friction impulse");
        close_to((double)cold->kinematic_tangent[i][lane], row_kinematic(&tangent[i], p),
                 "kinematic tangent");
        for (int j = 0; j < 2; j++)
            k[i][j] = row_mass(&tangent[i], &tangent[j], &p->a, &p->b, p->share);
    }
    assert_inverse(k, c->friction_mass, lane, "friction mass");
    assert_rolling(d, data, lane, frame, center);
    const row torsion = {d->normal, center, center, true};
    close_to((double)c->torsion_impulse[lane], d->scale * (double)m->torsion_impulse, "torsion impulse");
    close_to((double)cold->kinematic_torsion[lane], row_kinematic(&torsion, p), "kinematic torsion");
    float friction = data->source[0].friction[lane];
    assert_true(c->friction[lane] == friction);
    /* mu m g, m the pair's reduced mass [Spook 43-44]. */
    close_to((double)cold->friction_box[lane],
             (double)friction * (double)data->prepare.gravity / (p->a.inverse_mass + p->b.inverse_mass),
             "box");
}

static void check_prepare(bool summed)
{
    static kernel_data data;
    uint64_t seed = summed ? 17 : 16;
    int kinematic = 0;
    for (int round = 0; round < ROUNDS; round++) {
        drawn lanes[DRY_BUNDLE];
        memset(&data, 0, sizeof data);
        data.prepare = (dry_prepare){.gravity = 9.81f, .split_masses = summed};
        data.orientation[0].w = 1.0f;
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            random_lane(&seed, &lanes[lane], &data, lane);
        kernel_run(kernel_named("contact_prepare"), DRY_LEVEL_SCALAR, &data, 0, 1);
        dry_contact_bundle *c = &data.contact[0];
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            const drawn *d = &lanes[lane];
            row normal[4];
            d3 frame[3], center = {0, 0, 0};
            frame_of(d->normal, frame);
            for (int i = 0; i < d->points; i++)
                center = d3_add(center, d3_scale(d->levers[i], 1.0 / d->points));
            for (int i = 0; i < 4; i++)
                normal[i] = (row){d->normal, d3_add(d->between, d->levers[i]), d->levers[i], false};
            close_to_d3(get_d3(c->normal, lane), d->normal, "normal");
            assert_true(data.cold[0].share_a[lane] == (float)d->p.share[0]);
            assert_true(data.cold[0].share_b[lane] == (float)d->p.share[1]);
            assert_normals(d, &data, lane, normal, frame, center);
            assert_patch(d, &data, lane, frame, center);
            kinematic += is_kinematic(&d->p.a) || is_kinematic(&d->p.b);
        }
    }
    assert_true(kinematic > 100);
}

static void test_prepare(void **state)
{
    (void)state;
    check_prepare(false);
}

static void test_prepare_with_split_masses(void **state)
{
    (void)state;
    check_prepare(true);
}

/* Returns v after a while in which it turns with w. */
static d3 after_turning(d3 v, d3 w, double time)
{
    const double rate = d3_length(w);
    if (rate == 0)
        return v;
    const d3 axis = d3_scale(w, 1 / rate), across = d3_cross(axis, v);
    return d3_add(d3_add(v, d3_scale(across, sin(rate * time))),
                  d3_scale(d3_cross(axis, across), 1 - cos(rate * time)));
}

/* A contact of two bodies that go on as they move. */
typedef struct moving {
    d3 va, wa, vb, wb, ra, rb, bend; /* levers of the patch's center; of the plane over its body */
    d3 slide;                        /* of the point over its body, besides what rolls off */
    double side;
    double radius; /* of a side that is round about an axis, or if that is zero in all directions */
    d3 normal, axis;
} moving;

/* Returns where the round side is nearest to the other's plane, from its middle: the normal leads from a to
 * b. */
static d3 nearest(const moving *m, d3 normal, d3 axis)
{
    const d3 across = d3_sub(normal, d3_scale(axis, d3_dot(axis, normal)));
    return d3_scale(across, (m->side > 0 ? m->radius : -m->radius) / d3_length(across));
}

/* Returns how far the point of a round side is from where its body alone would carry it, some time later. */
static d3 rolled_off(const moving *m, d3 plane, d3 points, double time)
{
    if (m->radius == 0)
        return (d3){0, 0, 0};
    return d3_sub(nearest(m, after_turning(m->normal, plane, time), after_turning(m->axis, points, time)),
                  after_turning(nearest(m, m->normal, m->axis), points, time));
}

/* Returns b's velocity against a's along an axis that turns with the plane, at a point that turns with the
 * other body and lies at an offset from the center, some time later. */
static double speed_later(const moving *m, d3 axis, d3 offset, double time)
{
    const d3 spin = d3_sub(m->wb, m->wa), plane = d3_add(d3_add(m->wa, d3_scale(spin, m->side)), m->bend),
             points = d3_sub(m->wb, d3_scale(spin, m->side)), by_a = d3_add(m->va, d3_cross(m->wa, m->ra)),
             by_b = d3_add(m->vb, d3_cross(m->wb, m->rb)),
             center = d3_add(d3_scale(by_a, m->side), d3_scale(by_b, 1 - m->side)),
             off = d3_add(rolled_off(m, plane, points, time), d3_scale(m->slide, time)),
             o = d3_add(after_turning(offset, points, time), off),
             ra = d3_add(d3_add(m->ra, o), d3_scale(d3_sub(center, m->va), time)),
             rb = d3_add(d3_add(m->rb, o), d3_scale(d3_sub(center, m->vb), time));
    return d3_dot(after_turning(axis, plane, time),
                  d3_sub(d3_add(m->vb, d3_cross(m->wb, rb)), d3_add(m->va, d3_cross(m->wa, ra))));
}

/* Tests rates against differences of those speeds. */
static void assert_rates(const moving *m, const dry_contact_turning *turning, int lane, const d3 frame[3])
{
    const double h = 1e-4, size = 1 + d3_length(m->wa) + d3_length(m->wb);
    for (int k = 0; k < 9; k++) { /* the normal at nine places, the tangents at the center */
        const double x = k % 3 - 1, y = k / 3 - 1;
        const d3 offset = d3_add(d3_scale(frame[0], x), d3_scale(frame[1], y));
        const double expected =
            (speed_later(m, frame[2], offset, h) - speed_later(m, frame[2], offset, -h)) / (2 * h);
        pair p = {.magnitude = 10 * size * size};
        assert_close(&p,
                     (double)turning->normal[0][lane] + x * (double)turning->normal[1][lane] +
                         y * (double)turning->normal[2][lane],
                     expected, "rate of a normal", "contact_rates");
        const d3 none = {0, 0, 0};
        if (k < 2)
            assert_close(&p, (double)turning->tangent[k][lane],
                         (speed_later(m, frame[k], none, h) - speed_later(m, frame[k], none, -h)) / (2 * h),
                         "rate of a tangent", "contact_rates");
    }
}

/* Draws a contact's turning: of two sides, of a ball or of a side that is round about an axis. */
static void draw_turning(uint64_t *seed, dry_contact_source *source, int lane, d3 normal, moving *m)
{
    const int kind = random_below(seed, 3);
    source->turning[lane] = (float)random_below(seed, 2);
    m->side = kind ? random_below(seed, 2) : 0.5 * random_below(seed, 3);
    source->side[lane] = (float)m->side;
    m->normal = normal;
    if (kind)
        m->radius = 0.25 * (1 + random_below(seed, 8));
    if (kind == 1)
        source->ball[lane] = (float)m->radius;
    if (kind == 2) {
        d3 across; /* the axis is not along the normal */
        do {
            const d3 any = random_d3(seed, 1);
            m->axis = d3_scale(any, 1 / d3_length(any));
            across = d3_cross(m->axis, normal);
        } while (!(d3_length(across) > 0.3));
        const double length = d3_length(across);
        put_d3(source->rim, lane, d3_scale(across, sqrt(m->radius / length) / length));
    }
}

/* Rows change as the bodies and the contact turn; on all levels alike. */
static void test_rates(void **state)
{
    (void)state;
    static kernel_data data;
    static dry_contact_source source;
    static dry_contact_turning turning[2];
    uint64_t seed = 19;
    for (int round = 0; round < ROUNDS; round++) {
        drawn lanes[DRY_BUNDLE];
        moving moves[DRY_BUNDLE] = {0};
        memset(&data, 0, sizeof data);
        data.orientation[0].w = 1.0f;
        source = (dry_contact_source){.any_turning = true, .flags = DRY_BUNDLE_KINEMATIC};
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            random_lane(&seed, &lanes[lane], &data, lane);
            draw_turning(&seed, &source, lane, lanes[lane].normal, &moves[lane]);
            put_d3(source.gained, lane, random_d3(&seed, 1));
            put_d3(source.slide, lane, random_d3(&seed, 1));
            if (source.side[lane] < 1) /* facets are a's */
                put_d3(source.bend, lane, random_d3(&seed, 1));
        }
        memcpy(source.kinematic, data.source[0].kinematic, sizeof source.kinematic);
        kernel_run(kernel_named("contact_prepare"), DRY_LEVEL_SCALAR, &data, 0, 1);
        dry_contact_bundle *c = &data.contact[0];
        dry_rare_contact_kernels_at(DRY_LEVEL_SCALAR)->contact_rates(&source, c, &turning[0], &data.prepare);
        for (int level = DRY_LEVEL_SCALAR + 1; level < DRY_LEVEL_COUNT; level++) {
            if (!dry_isa_available(dry_level_isa((dry_level)level)))
                continue;
            dry_rare_contact_kernels_at((dry_level)level)
                ->contact_rates(&source, c, &turning[1], &data.prepare);
            assert_memory_equal(&turning[0], &turning[1], sizeof turning[0]);
        }
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            const pair *p = &lanes[lane].p;
            d3 frame[3];
            frame_of(lanes[lane].normal, frame);
            const d3 a = get_d3(c->lever_arm_a, lane), b = get_d3(c->lever_arm_b, lane);
            moving *m = &moves[lane];
            m->va = p->a.v, m->wa = p->a.w, m->wb = p->b.w;
            m->vb = d3_add(p->b.v, get_d3(source.gained, lane));
            m->bend = get_d3(source.bend, lane);
            m->slide = get_d3(source.slide, lane);
            for (int k = 0; k < 3; k++) {
                m->ra = d3_add(m->ra, d3_scale(frame[k], k == 0 ? a.x : k == 1 ? a.y : a.z));
                m->rb = d3_add(m->rb, d3_scale(frame[k], k == 0 ? b.x : k == 1 ? b.y : b.z));
            }
            if (source.turning[lane] > 0)
                assert_rates(m, &turning[0], lane, frame);
            else
                assert_true(turning[0].normal[0][lane] == 0 && turning[0].tangent[0][lane] == 0);
        }
    }
}

/* A lane without a manifold, and bodies that nothing moves, get rows of no mass: a sweep leaves them alone.
 */
static void test_nothing_to_push(void **state)
{
    (void)state;
    static kernel_data data;
    uint64_t seed = 18;
    data.orientation[0].w = 1.0f;
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        data.source[0].normal[lane == 3 ? 2 : 1][lane] = data.source[0].share[0][lane] =
            data.source[0].share[1][lane] = 1.0f;
    drawn d = {.orientation_a = random_quat(&seed),
               .orientation_b = random_quat(&seed),
               .held_b = {0, 0, 0, 1},
               .normal = {0, 0, 1},
               .points = 4};
    put_manifold(&seed, &d, &data.manifold[1]);
    data.source[0].manifold[3] = 1;
    data.source[0].count[3] = 4;
    kernel_run(kernel_named("contact_prepare"), DRY_LEVEL_SCALAR, &data, 0, 1);
    dry_contact_bundle *c = &data.contact[0];
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        for (int i = 0; i < 4; i++)
            assert_true(c->inverse_mass[i][lane] == 0);
        for (int i = 0; i < 3; i++)
            assert_true(c->friction_mass[i][lane] == 0);
        assert_true(data.cold[0].friction_box[lane] == 0);
    }
    for (size_t i = 0; i < sizeof *c / sizeof(dry_lanes); i++)
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            float number;
            memcpy(&number, (char *)c + i * sizeof(dry_lanes) + 4 * (size_t)lane, 4);
            assert_true(isfinite(number));
        }
    data.sweep = random_sweep(&seed);
    data.headers[0].lanes = DRY_BUNDLE;
    dry_contact_bundle before = *c;
    kernel_run(kernel_named("contact_solve_cone"), DRY_LEVEL_SCALAR, &data, 0, 1);
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        for (int i = 0; i < 4; i++)
            assert_true(c->impulse[i][lane] == before.impulse[i][lane]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prepare),
        cmocka_unit_test(test_prepare_with_split_masses),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_nothing_to_push),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
