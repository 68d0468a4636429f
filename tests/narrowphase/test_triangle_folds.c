/* Wedges at edges where points lie over neither triangle: above one that is too flat for a ridge round bodies
 * find ground, and nothing that reaches into rough ground goes without a contact. */
#include "narrowphase/patches/patches.h"
#include "tests/narrowphase/triangle_floor.h"

/* Adds two sheets that fall away from x = y = 0 by an angle. */
static void add_fold(dry_world *world, double angle)
{
    surface s = {0};
    const d3 left = {-4 * cos(angle), -4 * sin(angle), 0}, right = {-left.x, left.y, 0};
    const d3 near = {0, 0, -4}, far = {0, 0, 4};
    surface_quad(&s, d3_add(left, near), d3_add(left, far), far, near);
    surface_quad(&s, near, far, d3_add(right, far), d3_add(right, near));
    dry_shape_def shape = data_shape(DRY_SHAPE_MESH, mesh_data(&s, false));
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape);
    dry_shape_data_release(shape.data);
    surface_free(&s);
}

/* Returns the distance of a point from such sheets, along the normal of the one below it or from their edge.
 */
static double above_fold(d3 p, double angle)
{
    const double across = fabs(p.x) * cos(angle) - p.y * sin(angle);
    return across > 0 ? fabs(p.x) * sin(angle) + p.y * cos(angle) : hypot(p.x, p.y);
}

/* Returns the distance of a capsule's core, or of a ball's center. */
static double core_above_fold(dry_pose pose, double half, double angle)
{
    const d3 axis = d3_turn(pose.orientation, (d3){0, half, 0});
    double least = INFINITY;
    for (int i = -10; i <= 10; i++)
        least = fmin(least, above_fold(d3_add(d3_at(pose.position), d3_scale(axis, 0.1 * i)), angle));
    return least;
}

/* A ball or a capsule along the edge, on the edge or near it. */
static void folds_bear_round_bodies(void **state)
{
    (void)state;
    const double degree = TEST_PI / 180;
    for (int run = 0; run < 54; run++) {
        const double angle = (run % 3 == 0 ? 0.4 : run % 3 == 1 ? 0.8 : 1.2) * degree;
        const double radius = 0.1 + 0.2 * (run / 3 % 3), x = 0.002 * (run / 9 % 3);
        const double half = run < 27 ? 0 : 0.4;
        dry_world *world = world_with(test_settings());
        add_fold(world, angle);
        dry_shape_def shape = half > 0 ? capsule_shape(radius, half) : sphere_shape(radius);
        dry_pose pose = pose_at(x, radius, 0.3);
        pose.orientation = quat_about((d3){1, 0, 0}, TEST_PI / 2);
        const dry_body_id id = add_dynamic(world, pose, shape);
        for (int i = 0; i < 90; i++) {
            run_steps(world, 1, TEST_DT);
            const double above = core_above_fold(pose_of(world, id), half, angle);
            if (!(above > radius - 1e-3))
                fail_msg("run %d, step %d: %.2f mm deep", run, i, (radius - above) * 1e3);
        }
        dry_world_destroy(world);
    }
}

/* Rough ground of cells of 1 m. */
enum { SIDE = 9, POINTS = 300, NEAR_MAX = 256 };

typedef struct ground {
    float height[SIDE * SIDE];
    bool backward;
    dry_shape_data *data;
} ground;

static ground draw_ground(uint64_t *seed)
{
    ground g = {.backward = random_below(seed, 2)};
    for (int i = 0; i < SIDE * SIDE; i++)
        g.height[i] = (float)random_in(seed, -0.4, 0);
    const dry_height_field_def def = {.rows = SIDE,
                                      .columns = SIDE,
                                      .spacing = {1, 1},
                                      .heights = g.height,
                                      .diagonal = g.backward ? DRY_DIAGONAL_BACKWARD : DRY_DIAGONAL_FORWARD};
    assert_int_equal(dry_height_field_create(&def, NULL, &g.data, NULL), DRY_OK);
    return g;
}

static double ground_at(const ground *g, double x, double z)
{
    const int c = (int)floor(x), r = (int)floor(z);
    const float *h = &g->height[r * SIDE + c];
    const double u = x - c, w = z - r, a = h[0], b = h[1], d = h[SIDE], e = h[SIDE + 1];
    if (g->backward)
        return u + w < 1 ? a + u * (b - a) + w * (d - a) : e + (1 - u) * (d - e) + (1 - w) * (b - e);
    return u < w ? a + w * (d - a) + u * (e - d) : a + u * (b - a) + w * (e - b);
}

/* A ball, a capsule or a box in some attitude, and points of its surface about its center. */
typedef struct piece {
    dry_geometry geometry;
    dry_quat orientation;
    double reach;
    d3 point[POINTS];
} piece;

static piece draw_piece(uint64_t *seed)
{
    static const dry_shape_type types[] = {DRY_SHAPE_SPHERE, DRY_SHAPE_CAPSULE, DRY_SHAPE_BOX};
    const dry_shape_type type = types[random_below(seed, 3)];
    const double x = random_in(seed, 0.05, 0.5), y = random_in(seed, 0.05, 0.5);
    const d3 half = {x, y, random_in(seed, 0.05, 0.5)};
    piece p = {.geometry = {v3_of(half), type, NULL}, .orientation = random_quat(seed), .reach = x};
    if (type != DRY_SHAPE_SPHERE)
        p.reach = type == DRY_SHAPE_BOX ? d3_length(half) : x + y;
    for (int i = 0; i < POINTS; i++) {
        const d3 way = random_d3(seed, 1);
        const double along = random_in(seed, -1, 1), most = fmax(fmax(fabs(way.x), fabs(way.y)), fabs(way.z));
        const d3 on_box = d3_scale((d3){way.x * half.x, way.y * half.y, way.z * half.z}, 1 / most);
        const d3 corner = {i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? half.z : -half.z};
        d3 at = d3_scale(d3_unit(way), x);
        at.y += type == DRY_SHAPE_CAPSULE ? y * along : 0;
        if (type == DRY_SHAPE_BOX)
            at = i < 8 ? corner : on_box;
        p.point[i] = d3_turn(p.orientation, at);
    }
    return p;
}

/* Returns the height of a piece at which points that are drawn in by a tenth come `deep` below the ground. */
static double lower(const ground *g, const piece *p, double x, double z, double deep)
{
    double height = -INFINITY;
    for (int i = 0; i < POINTS; i++) {
        const d3 at = d3_scale(p->point[i], 0.9);
        height = fmax(height, ground_at(g, x + at.x, z + at.z) - at.y - deep);
    }
    return height;
}

static bool admit_all(const void *context, dry_vec3 point, dry_vec3 normal, float distance, float slope)
{
    (void)context, (void)point, (void)normal, (void)distance, (void)slope;
    return true;
}

static bool none_is_level(const void *context, dry_vec3 point, dry_vec3 normal, float reach, float distance)
{
    return !admit_all(context, point, normal, reach, distance);
}

static int patches_at(const ground *g, const piece *p, d3 at)
{
    static dry_near_triangle triangles[NEAR_MAX];
    static dry_patch_plane planes[DRY_PLANES_PER_TRIANGLE * NEAR_MAX + 1];
    static dry_patch_candidate candidates[DRY_CANDIDATES_PER_TRIANGLE * NEAR_MAX];
    const dry_patch_room room = {triangles, NEAR_MAX, planes, candidates};
    const dry_patch_pair pair = {.surface = {{1, 1, 1}, DRY_SHAPE_HEIGHT_FIELD, g->data},
                                 .piece = p->geometry,
                                 .radius = (float)p->reach,
                                 .at = {at.x, at.y, at.z},
                                 .orientation = p->orientation,
                                 .margin = 0.02f,
                                 .lean = {0, -9.8f, 0},
                                 .level = DRY_LEVEL_SCALAR,
                                 .admit_beside = admit_all,
                                 .level_beside = none_is_level};
    const dry_patches_found found = dry_patches_find(&pair, &room);
    assert_true(found.near <= NEAR_MAX);
    return found.count;
}

static void pieces_in_the_ground_have_contacts(void **state)
{
    (void)state;
    uint64_t seed = 3520;
    int missed = 0, tried = 0;
    for (int run = 0; run < test_pick(1000, 200); run++) {
        ground g = draw_ground(&seed);
        for (int i = 0; i < 20; i++) {
            const piece p = draw_piece(&seed);
            const double x = random_in(&seed, 2, 6), z = random_in(&seed, 2, 6);
            const double deep = random_in(&seed, 0, 0.1) * p.reach;
            const d3 at = {x, lower(&g, &p, x, z, deep), z};
            if (at.y < ground_at(&g, x, z) + 0.1 * p.reach)
                continue;
            tried++;
            if (patches_at(&g, &p, at) == 0) {
                print_error("run %d, %d: nothing at %.4f %.4f %.4f\n", run, i, at.x, at.y, at.z);
                missed++;
            }
        }
        dry_shape_data_release(g.data);
    }
    print_message("%d pieces, %d of them without a contact\n", tried, missed);
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_bear_round_bodies),
        cmocka_unit_test(pieces_in_the_ground_have_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
