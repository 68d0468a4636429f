/* The way of a piece within the step. A piece whose center ends the step behind a surface would not come
 * back.
 *
 * The ball about the center that lies within the piece stands for it: no surface comes nearer to the center
 * than its radius, however the piece turns in the step, so a piece that lands on a corner or turns on an edge
 * never feels it. Where the center's way passes a triangle, the ball is cast along it, and meets the plane
 * across the normal of the first touch, with a point below the center. Then it slides on along the plane.
 *
 * Reads: a piece, its way, a surface. Next: narrowphase/queries/search.h. */
#include "geometry/triangles.h"
#include "narrowphase/patches/patches.h"
#include "narrowphase/queries/search.h"

/* Tells whether a center's way may pass a triangle of the list: a way within the margin meets no others. */
static bool may_pass(const dry_near_list *near, dry_vec3 from, dry_vec3 way)
{
    bool may = vec3_length(near->pair->way) > near->pair->margin;
    for (int i = 0; i < near->count && !may; i++) {
        const dry_near_triangle *t = &near->triangle[i];
        const float before = vec3_dot(t->normal, from) - t->offset, after = before + vec3_dot(t->normal, way);
        may = dry_min(before, after) <= SAME_SURFACE && dry_max(before, after) >= -SAME_SURFACE;
    }
    return may;
}

/* Finds the normal and a point of the plane that a ball meets whose center passes a triangle, or comes nearer
 * than 3/4 of its radius: deep in a surface it may be taken to be at the other side. With all of the radius
 * bodies at rest do so, too. */
static bool meets(const dry_near_list *near, const dry_placed *ball, dry_double3 way, dry_placed_hit *hit,
                  uint32_t *slot)
{
    const double length = double3_length(way);
    if (!(length > 0.0))
        return false;
    way = double3_scale(way, 1.0 + 0.75 * ball->radius / length);
    if (!may_pass(near, vec3_of(ball->center), vec3_of(way)))
        return false;
    const dry_patch_pair *pair = near->pair;
    const dry_geometry *surface = &pair->surface;
    const dry_double3 from = double3_add(pair->at, ball->center);
    const int sides = dry_triangles_have_backs(surface) ? DRY_MESH_FRONTS | DRY_MESH_BACKS : DRY_MESH_FRONTS;
    const dry_mesh_ray ray = dry_triangles_ray(surface, from, way, sides);
    dry_mesh_hit passed;
    if (!dry_triangles_cast_ray(surface, &ray, &passed) || passed.slot >= DRY_TRIANGLES_END)
        return false;
    const dry_target target = {
        *surface, {double3_neg(pair->at), {0.0f, 0.0f, 0.0f, 1.0f}}, DRY_SIDES_OF_SHAPE, 0};
    dry_query_piece piece;
    *slot = passed.slot;
    /* A cast that begins in a triangle does not tell what comes after. */
    if (!dry_target_cast(&target, ball, way, 1.0, hit, &piece) || hit->depth > 0.0 ||
        !(double3_dot(hit->normal, way) < 0.0)) {
        hit->normal = double3_of(dry_triangles_normal(surface, &passed));
        hit->point = double3_add_scaled(ball->center, passed.fraction, way);
    }
    return true;
}

int dry_way_find(const dry_near_list *near, dry_patch_plane *planes, int most)
{
    const dry_patch_pair *pair = near->pair;
    if (vec3_length_squared(pair->way) <= DRY_WAY_SHORTEST * DRY_WAY_SHORTEST * pair->radius * pair->radius)
        return 0;
    const dry_placed_pose pose = {{0.0, 0.0, 0.0}, pair->orientation};
    const dry_placed piece = dry_placed_of(&pair->piece, &pose);
    dry_placed ball = dry_placed_point(piece.center);
    ball.radius = dry_placed_inner_radius(&piece);
    dry_double3 way = double3_of(pair->way);
    dry_placed_hit hit;
    uint32_t slot;
    int count = 0;
    while (count < dry_min_int(most, 3) && meets(near, &ball, way, &hit, &slot)) {
        const dry_double3 n = hit.normal;
        const double gap = double3_dot(n, double3_sub(ball.center, hit.point)) - ball.radius;
        const double passing = -double3_dot(n, way);
        const double first = double3_dot(n, double3_sub(piece.center, hit.point)) - ball.radius;
        dry_patch *patch = &planes[count++].patch;
        *patch = (dry_patch){
            {.normal = vec3_of(n), .rolls = true}, slot, dry_triangles_material(&pair->surface, slot)};
        dry_local_manifold_add(&patch->found,
                               vec3_of(double3_add_scaled(piece.center, -ball.radius - 0.5 * first, n)),
                               (float)first, 0);
        const double share = dry_clamp_double(gap / passing, 0.0, 1.0);
        ball.center = double3_add_scaled(ball.center, share, way);
        way = double3_scale(double3_add_scaled(way, passing, n), 1.0 - share);
    }
    return count;
}
