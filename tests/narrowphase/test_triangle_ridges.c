/* Floors that are not flat: ridges, ramps, rims, walls, steps and basins of triangles are felt, and nothing
 * falls through. */
#include "tests/narrowphase/triangle_floor.h"

static dry_body_id add_surface(dry_world *world, surface *s, double friction)
{
    dry_shape_def shape = data_shape(DRY_SHAPE_MESH, mesh_data(s, false));
    shape.friction = (float)friction;
    const dry_body_id id = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape);
    dry_shape_data_release(shape.data);
    surface_free(s);
    return id;
}

/* Adds a rectangle in cells of about `size`: from x0 to x1 along (cos, sin) of an angle, 4 m wide. */
static void add_sheet(surface *s, double x0, double x1, double angle, double size)
{
    const int columns = (int)ceil((x1 - x0) / size), rows = (int)ceil(4 / size);
    for (int i = 0; i < columns; i++)
        for (int k = 0; k < rows; k++) {
            const double a = x0 + (x1 - x0) * i / columns, b = x0 + (x1 - x0) * (i + 1) / columns;
            const double z = -2 + 4.0 * k / rows, w = -2 + 4.0 * (k + 1) / rows;
            const d3 p = {a * cos(angle), a * sin(angle), z}, q = {b * cos(angle), b * sin(angle), z};
            const d3 o = {p.x, p.y, w}, r = {q.x, q.y, w};
            if ((i + k) % 2)
                surface_quad(s, p, o, r, q);
            else
                surface_quad(s, o, r, q, p);
        }
}

/* Two planes that meet in x = z = 0 and y = 0: the left one falls to the right by an angle, the right one
 * rises. */
typedef struct valley {
    double left, right; /* radians */
} valley;

typedef enum valley_kind {
    OF_HALFSPACES,
    OF_ONE_MESH,
    OF_TWO_BODIES,
    OF_SHORT_CELLS,
    VALLEY_KINDS
} valley_kind;

static void make_valley(dry_world *world, const valley *v, valley_kind kind)
{
    if (kind == OF_HALFSPACES) {
        dry_shape_def left = halfspace_shape(v3(sin(v->left), cos(v->left), 0), 0),
                      right = halfspace_shape(v3(-sin(v->right), cos(v->right), 0), 0);
        left.friction = right.friction = 0;
        add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), left);
        add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), right);
        return;
    }
    const double size = kind == OF_SHORT_CELLS ? 0.07 : 1;
    surface s = {0};
    add_sheet(&s, -8, 0, -v->left, size);
    if (kind == OF_TWO_BODIES)
        add_surface(world, &s, 0);
    add_sheet(&s, 0, 12, v->right, size);
    add_surface(world, &s, 0);
}

typedef struct descent {
    double depth;         /* of the lowest corner or point below either plane, m */
    double height, speed; /* over the right plane at the end; m, m/s */
} descent;

/* Returns how far a body reaches along a direction from its center; shape 0 is a ball, 1 a box, 2 a capsule
 * along x. */
static double reach_of(const dry_shape_def *shape, dry_quat attitude, d3 n)
{
    const d3 own = d3_turn_back(attitude, n), half = d3_of(shape->half_extents);
    if (shape->type == DRY_SHAPE_BOX)
        return fabs(own.x) * half.x + fabs(own.y) * half.y + fabs(own.z) * half.z;
    return shape->radius + (shape->type == DRY_SHAPE_CAPSULE ? fabs(own.x) * shape->half_length : 0);
}

/* Lets a body go on the left plane, `from` m away from where the planes meet. */
static descent descend(const valley *v, valley_kind kind, const dry_shape_def *shape, double from,
                       double speed)
{
    dry_world *world = world_with(test_settings());
    make_valley(world, v, kind);
    const d3 left = {sin(v->left), cos(v->left), 0}, right = {-sin(v->right), cos(v->right), 0};
    const dry_quat tilt = quat_about((d3){0, 0, 1}, -v->left);
    const d3 at = d3_turn(tilt, (d3){-from, reach_of(shape, QUAT_IDENTITY, (d3){0, 1, 0}), 0.1});
    const dry_body_id id = add_dynamic(world, (dry_pose){{at.x, at.y, at.z}, tilt}, *shape);
    set_velocity(world, id, d3_turn(tilt, (d3){speed, 0, 0}), (d3){0, 0, 0});
    descent d = {0};
    for (int i = 0; i < 120; i++) {
        run_steps(world, 1, TEST_DT);
        const dry_pose pose = pose_of(world, id);
        d.height =
            d3_dot(d3_at(pose.position), right) - reach_of(shape, pose.orientation, d3_scale(right, -1));
        d.depth = fmax(d.depth, -d.height);
        d.depth = fmax(d.depth, reach_of(shape, pose.orientation, d3_scale(left, -1)) -
                                    d3_dot(d3_at(pose.position), left));
    }
    d.speed = d3_length(velocity_of(world, id));
    dry_world_destroy(world);
    return d;
}

static int differs(descent a, descent twin, const char *name)
{
    const bool differs = !(a.depth <= twin.depth + 5e-3 && fabs(a.height - twin.height) <= 5e-3 &&
                           fabs(a.speed / twin.speed - 1) <= 0.02);
    if (differs)
        print_error("%s: %.2f mm deep (%.2f), ends at %.2f mm (%.2f), %.3f m/s (%.3f)\n", name, a.depth * 1e3,
                    twin.depth * 1e3, a.height * 1e3, twin.height * 1e3, a.speed, twin.speed);
    return differs;
}

/* A slope of 5 degrees up, and a ramp of 30 degrees down onto the flat, are what two half-spaces are. Starts
 * are drawn where those let the last box go alike from places 1 cm apart, and at 0.9 m/s or more. */
static void valleys_are_felt(void **state)
{
    (void)state;
    uint64_t seed = 3511;
    static const char *const names[] = {"half-spaces", "one mesh", "two bodies", "short cells"};
    const double degree = TEST_PI / 180;
    const valley valleys[] = {{0, 5 * degree}, {30 * degree, 0}, {20 * degree, 25 * degree}};
    int failed = 0;
    for (int run = 0; run < test_pick(10, 3) * COUNT_OF(valleys); run++)
        for (int shape = 0; shape < 3; shape++) {
            const int i = run % COUNT_OF(valleys);
            dry_shape_def def = shape == 0   ? sphere_shape(0.2)
                                : shape == 1 ? box_shape(0.4, 0.15, 0.3)
                                             : capsule_shape(0.15, 0.2);
            def.friction = 0;
            if (shape == 2)
                def.pose.orientation = quat_about((d3){0, 0, 1}, TEST_PI / 2);
            const double from = run < 3 ? 2 : random_in(&seed, 1.7, 2.15), speed = i == 0 ? 3 : 0;
            const descent twin = descend(&valleys[i], OF_HALFSPACES, &def, from, speed);
            for (int kind = OF_ONE_MESH; kind < VALLEY_KINDS; kind++) {
                char name[80];
                snprintf(name, sizeof name, "valley %d, shape %d from %.3f m, %s", i, shape, from,
                         names[kind]);
                failed += differs(descend(&valleys[i], (valley_kind)kind, &def, from, speed), twin, name);
            }
        }
    assert_int_equal(failed, 0);
}

/* Returns how deep the lowest corner of a box is below y = 0. */
static double depth_of_box(dry_pose pose, d3 half)
{
    const d3 up = d3_turn_back(pose.orientation, (d3){0, 1, 0});
    return fabs(up.x) * half.x + fabs(up.y) * half.y + fabs(up.z) * half.z - pose.position.y;
}

/* Drops a slab on `corners` triangles of 200 m around a point near the origin; on a half-space, if there are
 * none. Returns how deep it comes; infinity if it falls through. */
static double drop_slab(int corners, d3 center, dry_quat attitude, double height)
{
    dry_world *world = world_with(test_settings());
    const d3 half = {1, 0.015, 1};
    surface s = {0};
    for (int i = 0; i < corners; i++) {
        const double a = 2 * TEST_PI * i / corners, b = 2 * TEST_PI * (i + 1) / corners;
        surface_loose(&s, center, (d3){200 * cos(b), 0, 200 * sin(b)}, (d3){200 * cos(a), 0, 200 * sin(a)});
    }
    if (corners > 0)
        add_surface(world, &s, 0.6);
    else
        add_floor(world, 0.6, 0);
    const dry_body_id id =
        add_dynamic(world, (dry_pose){{0, height, 0}, attitude}, box_shape(half.x, half.y, half.z));
    double deep = 0;
    for (int i = 0; i < 150; i++) {
        run_steps(world, 1, TEST_DT);
        deep = fmax(deep, depth_of_box(pose_of(world, id), half));
    }
    if (position_of(world, id).y < 0)
        deep = INFINITY;
    dry_world_destroy(world);
    return deep;
}

/* A thin slab in any attitude on a few triangles that are large. */
static void slabs_do_not_fall_through(void **state)
{
    (void)state;
    uint64_t seed = 3512;
    double deepest[2] = {0, 0};
    int failed = 0;
    for (int run = 0; run < test_pick(200, 40); run++) {
        const double x = random_in(&seed, -1, 1), z = random_in(&seed, -1, 1);
        const dry_quat attitude = random_quat(&seed);
        double height = random_in(&seed, 1.2, 2.5);
        const dry_pose still = {{0, 0, 0}, attitude};
        height = fmax(height, depth_of_box(still, (d3){1, 0.015, 1}) + 0.01);
        const double twin = drop_slab(0, (d3){x, 0, z}, attitude, height);
        const double deep = drop_slab(run % 2 ? 8 : 4, (d3){x, 0, z}, attitude, height);
        deepest[0] = fmax(deepest[0], twin);
        deepest[1] = fmax(deepest[1], deep);
        if (deep > 20e-3) {
            print_error("slab %d from %.2f m: %.1f mm deep, on a half-space %.1f mm\n", run, height,
                        deep * 1e3, twin * 1e3);
            failed++;
        }
    }
    print_message("deepest slab %.2f mm, on a half-space %.2f mm\n", deepest[1] * 1e3, deepest[0] * 1e3);
    assert_int_equal(failed, 0);
}

/* A plateau whose top is y = 0, from x = -2 to 0, closed or open, in one cell or in many. */
static void add_plateau(dry_world *world, int kind)
{
    surface s = {0};
    if (kind < 2)
        s = box_surface((d3){1, 1, 2});
    if (kind == 1)
        for (int t = 0; t < 12; t++)
            surface_loose(&s, surface_at(&s, t, 0), surface_at(&s, t, 1), surface_at(&s, t, 2));
    if (kind < 2)
        surface_shift(&s, (d3){-1, -1, 0});
    else
        add_sheet(&s, -2, 0, 0, kind == 2 ? 4 : 0.05);
    add_surface(world, &s, 0.6);
}

static void rims_bear(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (int beyond = 0; beyond < 2; beyond++) {
            dry_world *world = world_with(test_settings());
            add_plateau(world, kind);
            const double x = beyond ? 0.03 : -0.03;
            const dry_body_id id = add_dynamic(world, pose_at(x, 0.25, 0.3), box_shape(0.25, 0.25, 0.25));
            run_steps(world, 240, TEST_DT);
            const d3 at = position_of(world, id);
            if (beyond ? at.y > -0.5 : d3_length(d3_sub(at, (d3){x, 0.25, 0.3})) > 5e-3)
                fail_msg("plateau %d, center at %.2f m: ends at %.4f %.4f %.4f", kind, x, at.x, at.y, at.z);
            dry_world_destroy(world);
        }
}

/* A box that overlaps a wall is pushed sideways, whether its base is above the wall's or not. */
static void walls_push_sideways(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (int depth = 0; depth < 3; depth++) {
            dry_world *world = world_with(test_settings_weightless());
            add_plateau(world, kind);
            const double overlap = 0.01 * (1 << depth);
            const dry_body_id id =
                add_dynamic(world, pose_at(0.25 - overlap, -0.3, 0.3), box_shape(0.25, 0.25, 0.25));
            run_steps(world, 120, TEST_DT);
            const d3 at = position_of(world, id);
            if (at.x < 0.249 || fabs(at.y + 0.3) > 2e-3)
                fail_msg("plateau %d, %.2f m deep: ends at %.4f %.4f %.4f", kind, overlap, at.x, at.y, at.z);
            dry_world_destroy(world);
        }
}

/* The distance of a point from the surface of stairs that go down along x: treads from x = 0 on. */
enum { STAIRS = 8 };
static const double tread = 0.4, rise = 0.2;

static double above_stairs(d3 p)
{
    double best = INFINITY;
    for (int i = -1; i <= STAIRS; i++) {
        const double x0 = i < 0 ? -20 : tread * i, x1 = i == STAIRS ? 40 : tread * (i + 1),
                     y = -rise * (i + 1);
        const d3 on = {fmin(fmax(p.x, x0), x1), y, p.z}, side = {x1, fmin(fmax(p.y, y - rise), y), p.z};
        const d3 a = d3_sub(p, on), b = d3_sub(p, side);
        best = fmin(best, d3_length(a));
        best = i < STAIRS ? fmin(best, d3_length(b)) : best;
    }
    const int i = p.x < 0 ? -1 : p.x >= tread * STAIRS ? STAIRS : (int)(p.x / tread);
    return p.y < -rise * (i + 1) ? -best : best;
}

static void a_ball_comes_down_stairs(void **state)
{
    (void)state;
    for (int run = 0; run < 6; run++) {
        surface s = {0};
        for (int i = -1; i <= STAIRS; i++) {
            const double x0 = i < 0 ? -3 : tread * i, x1 = i == STAIRS ? 30 : tread * (i + 1),
                         y = -rise * (i + 1);
            surface_quad(&s, (d3){x0, y, -2}, (d3){x0, y, 2}, (d3){x1, y, 2}, (d3){x1, y, -2});
            if (i < STAIRS)
                surface_quad(&s, (d3){x1, y, -2}, (d3){x1, y, 2}, (d3){x1, y - rise, 2},
                             (d3){x1, y - rise, -2});
        }
        dry_world *world = world_with(test_settings());
        add_surface(world, &s, 0.6);
        const double radius = 0.05 + 0.05 * run;
        const dry_body_id id = add_dynamic(world, pose_at(-1, radius, 0.1), sphere_shape(radius));
        set_velocity(world, id, (d3){1.5, 0, 0}, (d3){0, 0, -1.5 / radius});
        for (int i = 0; i < 360; i++) {
            run_steps(world, 1, TEST_DT);
            const double above = above_stairs(position_of(world, id));
            if (above < radius - 5e-3)
                fail_msg("radius %.2f, step %d: %.2f mm deep", radius, i, (radius - above) * 1e3);
        }
        assert_near(position_of(world, id).y, radius - rise * (STAIRS + 1), 2e-3);
        assert_true(position_of(world, id).x > tread * STAIRS);
        assert_near(position_of(world, id).z, 0.1, 1e-3);
        dry_world_destroy(world);
    }
}

/* A bowl of planes that meet in the origin and rise by an angle; nearly round, or uneven. */
static surface basin(int planes, double angle, double uneven, uint64_t *seed)
{
    surface s = {0};
    d3 rim[64];
    for (int i = 0; i < planes; i++) {
        const double a = 2 * TEST_PI * i / planes;
        rim[i] = (d3){3 * cos(a), 3 * tan(angle) * (1 + random_in(seed, -uneven, uneven)), 3 * sin(a)};
    }
    for (int i = 0; i < planes; i++)
        surface_loose(&s, (d3){0, 0, 0}, rim[(i + 1) % planes], rim[i]);
    return s;
}

static void basins_hold(void **state)
{
    (void)state;
    uint64_t seed = 3513;
    for (int run = 0; run < 8; run++) {
        dry_world *world = world_with(test_settings());
        const bool round = run % 2 == 0;
        const double angle = 0.3 + 0.1 * run, radius = 0.3;
        surface s = basin(30, angle, round ? 0 : 0.2, &seed);
        add_surface(world, &s, 0.6);
        const dry_body_id id = add_dynamic(world, pose_at(0.1, 0.8, 0.05),
                                           round ? sphere_shape(radius) : box_shape(0.3, 0.2, 0.25));
        run_steps(world, 600, TEST_DT);
        const d3 at = position_of(world, id);
        const double speed = d3_length(velocity_of(world, id)) + radius * d3_length(spin_of(world, id));
        /* The planes touch a ball about their axis; flats of 6 degrees each leave it a little room. */
        const double height = radius / cos(atan(tan(angle) * cos(TEST_PI / 30)));
        if (speed > 1e-3 || (round && fabs(at.y - height) > 5e-3) || at.y < 0.1)
            fail_msg("basin %d: speed %.5f m/s at %.4f %.4f %.4f, ball's height %.4f", run, speed, at.x, at.y,
                     at.z, height);
        dry_world_destroy(world);
    }
}

/* A box of 1 m on bumps of 2 cm. */
static void a_box_rests_on_bumps(void **state)
{
    (void)state;
    uint64_t seed = 3514;
    for (int run = 0; run < 2; run++) {
        surface s = grid_surface(100, 0.02, 0.01, &seed);
        surface_shift(&s, (d3){-1, 0, -1});
        dry_world *world = world_with(test_settings());
        add_surface(world, &s, 0.6);
        const dry_body_id id = add_dynamic(
            world, (dry_pose){{0, 0.6, 0}, quat_about((d3){0, 1, 0}, 0.3 * run)}, box_shape(0.5, 0.5, 0.5));
        run_steps(world, test_pick(180, 60), TEST_DT);
        const double speed = d3_length(velocity_of(world, id)) + d3_length(spin_of(world, id));
        const d3 at = position_of(world, id);
        if (speed > 2e-3 || fabs(at.y - 0.509) > 2e-3)
            fail_msg("bumps %d: speed %.5f m/s at %.4f %.4f %.4f", run, speed, at.x, at.y, at.z);
        dry_world_destroy(world);
    }
}

/* Ground of 16 x 16 cells: bumps, a ridge, a valley, a tip, a pit, or a slope up to a border. */
enum { GROUND = 17, BORDER = 5, KINDS = 4 };
typedef struct ground {
    int form;
    double cell;
    float height[GROUND * GROUND];
} ground;

/* Adds drawn ground: a field, a mesh, or one with two sides. */
static ground add_ground(dry_world *world, int kind, uint64_t *random)
{
    ground g = {random_below(random, BORDER + 1), random_in(random, 0.05, 0.5), {0}};
    const double slope = 0.05 * pow(40, random_in(random, 0, 1));
    dry_shape_def shape = dry_default_shape_def();
    surface s = {0};
    for (int i = 0; i < GROUND * GROUND; i++) {
        const double x = i % GROUND - 8, z = i / GROUND - 8, far = fmax(fabs(x), fabs(z));
        const double rises[] = {random_in(random, -0.5, 0.5), -fabs(x), fabs(x), -far, far, x};
        g.height[i] = (float)(rises[g.form] * slope * g.cell);
        surface_vertex(&s, (d3){x * g.cell, (double)g.height[i], z * g.cell});
    }
    for (int i = 0; i < GROUND * (GROUND - 1); i++)
        if (i % GROUND < GROUND - 1) {
            surface_triangle(&s, i, i + GROUND, i + 1);
            surface_triangle(&s, i + 1, i + GROUND, i + GROUND + 1);
        }
    const float cell = (float)g.cell;
    dry_height_field_def field = {.rows = GROUND, .columns = GROUND, .spacing = {cell, cell}};
    field.heights = g.height;
    field.diagonal = DRY_DIAGONAL_BACKWARD;
    shape.type = kind == 0 ? DRY_SHAPE_HEIGHT_FIELD : DRY_SHAPE_MESH;
    shape.data = kind > 0 ? mesh_data(&s, kind > 1) : NULL;
    if (kind == 0)
        assert_ok(dry_height_field_create(&field, NULL, &shape.data, NULL));
    const double corner = kind == 0 ? -8 * g.cell : 0;
    add_body(world, DRY_BODY_STATIC, pose_at(corner, 0, corner), shape);
    dry_shape_data_release(shape.data);
    surface_free(&s);
    return g;
}

/* Returns the height of the ground at a place; far below beyond the border. */
static double ground_at(const ground *g, double x, double z)
{
    const double u = x / g->cell + 8, v = z / g->cell + 8, a = u - floor(u), b = v - floor(v);
    if (u < 0 || v < 0 || u >= GROUND - 1 || v >= GROUND - 1)
        return -INFINITY;
    const float *h = g->height + (int)v * GROUND + (int)u;
    const double p = (double)h[1], q = (double)h[GROUND], low = (double)h[0], high = (double)h[GROUND + 1];
    return a + b <= 1 ? low + a * (p - low) + b * (q - low)
                      : high + (1 - a) * (q - high) + (1 - b) * (p - high);
}

/* Draws a ball, a capsule, a box, a cylinder or a hull of 1 to 20 cm. */
static dry_shape_def draw_body(uint64_t *random)
{
    static const dry_shape_type types[] = {DRY_SHAPE_SPHERE, DRY_SHAPE_CAPSULE, DRY_SHAPE_BOX,
                                           DRY_SHAPE_CYLINDER, DRY_SHAPE_HULL};
    const double half = 0.005 * pow(20, random_in(random, 0, 1)), thin = half * random_in(random, 0.15, 1);
    dry_shape_def def = capsule_shape(thin, half);
    def.half_extents = v3(half, thin, random_in(random, thin, half));
    def.type = types[random_below(random, COUNT_OF(types))];
    while (def.type == DRY_SHAPE_HULL && !def.data) {
        dry_vec3 points[8];
        for (int i = 0; i < 8; i++) {
            points[i] = v3_of(d3_turn(random_quat(random), (d3){half, 0, 0}));
            points[i].y *= (float)(thin / half);
        }
        (void)dry_hull_create(points, 8, 0, NULL, &def.data, NULL);
    }
    return def;
}

/* Throws a body at a vertex, an edge or a face, by up to 1 m a step. Returns whether it passes the ground. */
static bool passes(uint64_t random)
{
    const int kind = random_below(&random, KINDS), place = random_below(&random, 3);
    const double side = kind == KINDS - 1 ? -1 : 1; /* -1: from below */
    dry_settings settings = test_settings();
    settings.gravity.y *= (float)side;
    dry_world *world = world_with(settings);
    const ground g = add_ground(world, kind, &random);
    const dry_shape_def shape = draw_body(&random);
    const double reach = 2 * (double)shape.half_length, way = 0.05 * pow(20, random_in(&random, 0, 1));
    const double x = g.form == BORDER ? 7.99 * g.cell
                     : place > 1      ? g.cell * random_in(&random, -1, 1)
                                      : 0,
                 z = g.cell * (random_below(&random, 9) - 4 + (place > 0 ? random_in(&random, 0, 1) : 0));
    dry_pose pose = pose_at(x, ground_at(&g, x, z) + side * (reach + way * random_in(&random, 0.1, 2)), z);
    pose.orientation = random_quat(&random);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose, &shape);
    def.velocity.linear = v3(0, -side * way / TEST_DT, 0);
    def.velocity.angular.x = (float)(random_below(&random, 2) * random_in(&random, -20, 20));
    const dry_body_id body = add_def(world, &def);
    dry_shape_data_release(shape.data);
    double height = 0;
    for (int step = 0; step < 40 && isfinite(height) && height >= -reach; step++) {
        run_steps(world, 1, TEST_DT);
        const d3 at = position_of(world, body);
        height = side * (at.y - ground_at(&g, at.x, at.z));
    }
    dry_world_destroy(world);
    return isfinite(height) && height < -reach;
}

/* Bodies thrown at drawn ground: 448 of 3,000 passed when contacts saw only what is near as the step begins,
 * and fat boxes of most shapes did not hold their ways. 12 still do: most of them bounce, or spin, from one
 * face to another. */
static void fast_bodies_do_not_pass(void **state)
{
    (void)state;
    const int bodies = test_pick(3000, 400);
    int passed = 0;
    for (int i = 0; i < bodies; i++)
        passed += passes(671 + (uint64_t)i);
    print_message("%d of %d bodies passed\n", passed, bodies);
    assert_in_range(passed * 200, 0, bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valleys_are_felt),
        cmocka_unit_test(slabs_do_not_fall_through),
        cmocka_unit_test(rims_bear),
        cmocka_unit_test(walls_push_sideways),
        cmocka_unit_test(a_ball_comes_down_stairs),
        cmocka_unit_test(basins_hold),
        cmocka_unit_test(a_box_rests_on_bumps),
        cmocka_unit_test(fast_bodies_do_not_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
