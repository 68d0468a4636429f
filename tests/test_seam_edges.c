/* The contacts for which the rule of seams looks around: those with a point near an edge of the fixed box, or
 * with a normal that is not its face's. The oracle reads the points where the collide functions found them.
 */
#include "narrowphase/surface/seams.h"
#include "tests/collide_shapes.h"

/* Distances and components within this of a limit may fall on either side of it. */
#define ROUNDING 1e-5

typedef struct touch {
    dry_piece a, b;
    dry_body_pose pose_a, pose_b;
    dry_relative_pose relative;
    dry_pair_frame frame;
    dry_local_manifold found;
    int side;
} touch;

static dry_transform inverse(const dry_transform *t)
{
    const dry_transform identity = transform_identity();
    return transform_relative(t, &identity);
}

/* Puts a piece anywhere into a body, so that the piece is where it is to be in the world. */
static dry_piece piece_at(random_source *rng, dry_geometry geometry, const dry_transform *at,
                          dry_body_pose *body)
{
    const dry_vec3 position = random_vector(rng, 0.3);
    const dry_piece piece = {geometry, {position, random_quat(rng)}, vec3_length(geometry.size)};
    const dry_transform back = inverse(&piece.pose), pose = transform_mul(at, &back);
    *body = (dry_body_pose){{pose.position.x, pose.position.y, pose.position.z}, pose.orientation};
    return piece;
}

/* Draws a box that lies on a fixed one, or that pokes it anyhow. Returns whether they touch. */
static bool draw(random_source *rng, touch *t)
{
    const float x = (float)uniform(rng, 0.1, 1), y = (float)uniform(rng, 0.1, 1);
    const dry_geometry fixed = box(x, y, (float)uniform(rng, 0.1, 1));
    const float half = (float)uniform(rng, 0.02, 0.3);
    const dry_geometry moving = box(half, half, half);
    dry_transform above = {random_vector(rng, 1), random_quat(rng)};
    if (below(rng, 4)) {
        const float height = fixed.size.y + half + (float)uniform(rng, -0.01, 0.01);
        above.position = vec3(above.position.x * fixed.size.x, height, above.position.z * fixed.size.z);
        above.orientation = turn(1, uniform(rng, 0, 6));
    }
    const dry_vec3 origin = random_vector(rng, 5);
    const dry_transform low = {origin, random_quat(rng)}, high = transform_mul(&low, &above);
    t->side = below(rng, 2);
    t->a = piece_at(rng, t->side ? moving : fixed, t->side ? &high : &low, &t->pose_a);
    t->b = piece_at(rng, t->side ? fixed : moving, t->side ? &low : &high, &t->pose_b);
    t->relative = dry_relative_pose_of(&t->pose_a, &t->pose_b);
    t->frame = dry_pair_frame_of(&t->a, &t->b, &t->relative);
    dry_collide(&t->frame.a, &t->frame.b, &t->frame.b_in_a, MARGIN, &t->found);
    return t->found.count > 0;
}

/* Turns a vector of the collision frame into the frame of the fixed piece. */
static void to_fixed(const touch *t, const double v[3], double out[3])
{
    double axes[3][3];
    matrix(t->side ? t->frame.b_in_a.orientation : quat_identity(), axes);
    for (int k = 0; k < 3; k++)
        out[k] = dot(axes[k], v);
}

/* Returns by how much the points and the normal pass the limits, at most: what is above 0 makes it look
 * around. */
static double excess_of(const touch *t)
{
    const double half[3] = {t->frame.a.size.x, t->frame.a.size.y, t->frame.a.size.z};
    const double other[3] = {t->frame.b.size.x, t->frame.b.size.y, t->frame.b.size.z};
    double normal[3], n[3], origin[3], most = -1;
    to_double(t->found.normal, normal);
    to_double(t->side ? t->frame.b_in_a.position : vec3(0, 0, 0), origin);
    to_fixed(t, normal, n);
    int axis = 0;
    for (int k = 1; k < 3; k++)
        axis = fabs(n[k]) > fabs(n[axis]) ? k : axis;
    for (int k = 0; k < 3; k++)
        most = k != axis ? fmax(most, fabs(n[k]) - 1e-4) : most;
    for (int i = 0; i < t->found.count; i++) {
        const double gap = (t->side ? 0.5 : -0.5) * (double)t->found.points[i].separation;
        double point[3], place[3];
        to_double(t->found.points[i].position, point);
        for (int k = 0; k < 3; k++)
            point[k] += gap * normal[k] - origin[k];
        to_fixed(t, point, place);
        for (int k = 0; k < 3; k++)
            most = k != axis ? fmax(most, fabs(place[k]) - ((t->side ? other : half)[k] - 0.05)) : most;
    }
    return most;
}

static void contacts_near_edges_are_looked_at(void **state)
{
    (void)state;
    random_source rng = {.state = 17};
    int yes = 0, no = 0;
    for (int i = 0; i < 20000; i++) {
        touch t;
        if (!draw(&rng, &t))
            continue;
        dry_manifold manifold = {0};
        const dry_features none = {.count = 0};
        const dry_contact_pair pair =
            dry_contact_pair_of(&t.a, &t.b, &t.pose_a, &t.pose_b, &t.relative, vec3(0, 0, 0));
        const int points = dry_manifold_build(&manifold, &none, &pair, t.frame.b_in_a.position, &t.found);
        const dry_vec3 half = t.side ? t.b.geometry.size : t.a.geometry.size;
        const bool looks = dry_seams_may_have(&pair, &manifold, points, t.side, half);
        const double excess = excess_of(&t);
        if (fabs(excess) > ROUNDING && looks != (excess > 0))
            fail_msg("pair %d, side %d: %s, but the excess is %g", i, t.side,
                     looks ? "looks" : "does not look", excess);
        *(looks ? &yes : &no) += 1;
    }
    assert_true(yes > 1000 && no > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_near_edges_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
