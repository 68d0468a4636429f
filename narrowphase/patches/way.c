/* The way of a piece within the step. A piece whose center ends the step behind a surface would not come
 * back.
 *
 * The center's way is a ray. Where it passes a triangle, the piece is cast along the way, and the plane
 * across the normal of the first touch is the surface for this step. The piece meets it as a ball would: with
 * a point below its center, which stops the center however the piece turns. Then it slides on along the
 * plane.
 *
 * Reads: a piece, its way, a surface. Next: narrowphase/queries/search.h. */
#include "geometry/triangles.h"
#include "narrowphase/patches/patches.h"
#include "narrowphase/queries/search.h"

/* Finds the normal and a point of the plane that a solid meets whose center passes a triangle, or comes
 * nearer than 3/4 of the solid's extent: deep in a surface it may be taken to be at the other side. With all
 * of the extent bodies at rest do so, too. */
static bool meets(const dry_patch_pair *pair, const dry_placed *solid, dry_triple way, dry_placed_hit *hit,
                  uint32_t *slot)
{
    int number;
    const double length = triple_length(way);
    const dry_triple ahead = triple_sub(dry_placed_support(solid, way, &number), solid->center);
    if (!(length > 0.0))
        return false;
    way = triple_scale(way, 1.0 + 0.75 * (triple_dot(ahead, way) / length + solid->radius) / length);
    const dry_geometry *surface = &pair->surface;
    const dry_triple at = triple(pair->at[0], pair->at[1], pair->at[2]),
                     from = triple_add_scaled(at, 1.0, solid->center);
    const int sides = dry_triangles_have_backs(surface) ? DRY_MESH_FRONTS | DRY_MESH_BACKS : DRY_MESH_FRONTS;
    const dry_mesh_ray ray = dry_triangles_ray(surface, (double[3]){from.x, from.y, from.z},
                                               (double[3]){way.x, way.y, way.z}, sides);
    dry_mesh_hit passed;
    if (!dry_triangles_cast_ray(surface, &ray, &passed) || passed.slot >= DRY_TRIANGLES_END)
        return false;
    const dry_target target = {*surface, {triple_neg(at), {0.0f, 0.0f, 0.0f, 1.0f}}, DRY_SIDES_OF_SHAPE, 0};
    dry_query_piece piece;
    *slot = passed.slot;
    /* A cast that begins in a triangle does not tell what comes after. */
    if (!dry_target_cast(&target, solid, way, 1.0, hit, &piece) || hit->depth > 0.0 ||
        !(triple_dot(hit->normal, way) < 0.0)) {
        hit->normal = triple_of(dry_triangles_normal(surface, &passed));
        hit->point = triple_add_scaled(solid->center, passed.fraction, way);
    }
    return true;
}

int dry_way_find(const dry_patch_pair *pair, dry_patch_plane *planes, int most)
{
    if (vec3_length_squared(pair->way) <= DRY_WAY_SHORTEST * DRY_WAY_SHORTEST * pair->radius * pair->radius)
        return 0;
    const dry_placed_pose pose = {{0.0, 0.0, 0.0}, pair->orientation};
    const dry_placed begin = dry_placed_of(&pair->piece, &pose);
    dry_placed solid = begin;
    dry_triple way = triple_of(pair->way);
    dry_placed_hit hit;
    uint32_t slot;
    int count = 0, number;
    while (count < dry_min_int(most, 3) && meets(pair, &solid, way, &hit, &slot)) {
        const dry_triple n = hit.normal;
        const dry_triple lowest =
            triple_add_scaled(dry_placed_support(&solid, triple_neg(n), &number), -solid.radius, n);
        const double gap = triple_dot(n, triple_sub(lowest, hit.point)), passing = -triple_dot(n, way);
        const double first = gap - triple_dot(n, triple_sub(solid.center, begin.center));
        const double foot = triple_dot(n, triple_sub(lowest, solid.center)) - 0.5 * first;
        dry_patch *patch = &planes[count++].patch;
        *patch = (dry_patch){
            {.normal = triple_round(n), .rolls = true}, slot, dry_triangles_material(&pair->surface, slot)};
        dry_local_manifold_add(&patch->found, triple_round(triple_add_scaled(begin.center, foot, n)),
                               (float)first, 0);
        const double share = dry_clamp_double(gap / passing, 0.0, 1.0);
        solid.center = triple_add_scaled(solid.center, share, way);
        way = triple_add_scaled(way, passing, n);
        way = triple_scale(way, 1.0 - share);
    }
    return count;
}
