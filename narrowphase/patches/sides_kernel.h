/* Triangles in lanes: the sides of them on which a piece lies.
 *
 * Reads: a piece, triangles. Writes: their results. Kernel files only. */
#ifndef NARROWPHASE_PATCHES_SIDES_KERNEL_H
#define NARROWPHASE_PATCHES_SIDES_KERNEL_H

#include "narrowphase/patches/reach.h"
#include "narrowphase/patches/sides.h"
#include "simd/lane_vectors.h"

/* Four planes a triangle: its own, and one for each edge, which faces outward. */
typedef struct sides_planes {
    lane_vec3 normal[4];
    lane offset[4];
} sides_planes;

/* Returns a unit vector along a; `fallback` where a has no direction. */
LANE_INLINE lane_vec3 sides_normalize(lane_vec3 a, lane_vec3 fallback)
{
    const lane length = lane_sqrt(lane_vec3_dot(a, a));
    const lane_mask known = lane_less(lane_set(1e-18f), length);
    const lane inverse = 1.0f / lane_select(known, length, lane_set(1.0f));
    return lane_vec3_select(known, lane_vec3_scale(a, inverse), fallback);
}

/* Returns the unit vector that points out of a triangle across an edge; 0 if the edge has no length. */
LANE_INLINE lane_vec3 sides_outward(lane_vec3 along, lane_vec3 normal)
{
    const lane length = lane_sqrt(lane_vec3_dot(along, along));
    const lane_mask known = lane_less(lane_zero(), length);
    const lane inverse = lane_select(known, 1.0f / lane_select(known, length, lane_set(1.0f)), lane_zero());
    return lane_vec3_scale(lane_vec3_cross(along, normal), inverse);
}

LANE_INLINE sides_planes sides_planes_of(const dry_sides *sides, int i)
{
    sides_planes p;
    lane_vec3 corner[3];
    for (int k = 0; k < 3; k++)
        corner[k] = lane_vec3_load(sides->corner[k][0] + i, DRY_SIDES);
    p.normal[0] = lane_vec3_load(sides->normal[0] + i, DRY_SIDES);
    p.offset[0] = lane_load(sides->offset + i);
    for (int k = 0; k < 3; k++) {
        const lane_vec3 along = lane_vec3_sub(corner[(k + 1) % 3], corner[k]);
        p.normal[k + 1] = sides_outward(along, p.normal[0]);
        p.offset[k + 1] = lane_vec3_dot(p.normal[k + 1], corner[k]);
    }
    return p;
}

/* Does what sides_extents does for a cylinder. */
LANE_INLINE void sides_cylinder_extents(const dry_reach *piece, const sides_planes *p, lane least[4],
                                        lane *most)
{
    const lane_vec3 axis = lane_vec3_spread(piece->axes.y);
    for (int k = 0; k < 4; k++) {
        const lane along = lane_vec3_dot(axis, p->normal[k]);
        const lane across = lane_sqrt(lane_max(lane_zero(), 1.0f - along * along));
        least[k] = lane_zero() - (across * piece->piece.size.x + lane_abs(along) * piece->piece.size.y);
    }
    *most = lane_zero() - least[0];
}

/* Finds how far the piece reaches along the planes' normals: at least, and for the triangle's at most. */
LANE_INLINE void sides_extents(const dry_reach *piece, const sides_planes *p, lane least[4], lane *most)
{
    const float *x = piece->vertices, *y = x + piece->room, *z = y + piece->room;
    *most = lane_set(-FLT_MAX);
    for (int k = 0; k < 4; k++)
        least[k] = lane_set(FLT_MAX);
    for (int i = 0; i < piece->count; i++) {
        const lane_vec3 v = lane_vec3_spread(vec3(x[i], y[i], z[i]));
        const lane height = lane_vec3_dot(p->normal[0], v);
        *most = lane_max(*most, height);
        least[0] = lane_min(least[0], height);
        for (int k = 1; k < 4; k++)
            least[k] = lane_min(least[k], lane_vec3_dot(p->normal[k], v));
    }
    if (piece->count == 0)
        sides_cylinder_extents(piece, p, least, most);
    *most = *most + piece->rounding;
    for (int k = 0; k < 4; k++)
        least[k] = least[k] - (p->offset[k] + piece->rounding);
}

/* Bits that are set of each triangle. */
typedef struct sides_touched {
    lane_mask is_borne, beyond[3];
} sides_touched;

/* The rule of a bundle of triangles. */
typedef struct sides_rule {
    lane margin, lowest; /* heights of the points that may bear, and of the lowest of them */
    lane over[3];        /* how far beyond the edges points are over the triangle */
} sides_rule;

/* Judges a point of the piece whose lowest surface is `rounding` below it. */
LANE_INLINE void sides_judge(const sides_planes *p, lane_vec3 v, float rounding, const sides_rule *rule,
                             lane_mask may, sides_touched *touched)
{
    const lane height = lane_vec3_dot(p->normal[0], v) - (p->offset[0] + rounding);
    may = lane_mask_and(may, lane_less_equal(height, rule->margin));
    const lane_mask is_lowest = lane_mask_and(may, lane_less_equal(height, rule->lowest));
    for (int k = 0; k < 3; k++) {
        const lane past = lane_vec3_dot(p->normal[k + 1], v) - p->offset[k + 1];
        may = lane_mask_and(may, lane_less_equal(past, rule->over[k]));
        touched->beyond[k] =
            lane_mask_or(touched->beyond[k], lane_mask_and(is_lowest, lane_less(lane_zero(), past)));
    }
    touched->is_borne = lane_mask_or(touched->is_borne, may);
}

/* Judges the lowest points of both ends of a cylinder, and points all around them if they face a plane: then
 * any point of an end may bear. */
LANE_INLINE void sides_judge_cylinder(const sides_planes *p, const dry_reach *piece, const sides_rule *rule,
                                      sides_touched *touched)
{
    const lane_vec3 axis = lane_vec3_spread(piece->axes.y), n = p->normal[0];
    const lane along = lane_vec3_dot(n, axis);
    const lane_mask all = lane_less_equal(lane_zero(), lane_zero());
    const lane_vec3 zero = {lane_zero(), lane_zero(), lane_zero()};
    const lane_vec3 down =
        sides_normalize(lane_vec3_add_scaled(lane_vec3_add_scaled(zero, lane_set(-1.0f), n), along, axis),
                        lane_vec3_spread(piece->axes.x));
    const lane_vec3 side = lane_vec3_cross(axis, down);
    const lane_mask faces = lane_less(lane_set(0.5f), lane_abs(along));
    const lane radius = lane_set(piece->piece.size.x);
    touched->is_borne = faces;
    for (int i = 0; i < 2; i++) {
        const float half = i ? piece->piece.size.y : -piece->piece.size.y;
        const lane_vec3 end = lane_vec3_add_scaled(zero, lane_set(half), axis);
        sides_judge(p, lane_vec3_add_scaled(end, radius, down), 0.0f, rule, all, touched);
        sides_judge(p, lane_vec3_add_scaled(end, -radius, down), 0.0f, rule, faces, touched);
        sides_judge(p, lane_vec3_add_scaled(end, radius, side), 0.0f, rule, faces, touched);
        sides_judge(p, lane_vec3_add_scaled(end, -radius, side), 0.0f, rule, faces, touched);
    }
}

static void find_touched(dry_sides *sides, int count, const dry_reach *piece, const dry_side_rule *rule)
{
    const lane_mask all = lane_less_equal(lane_zero(), lane_zero());
    const lane_mask none = lane_less(lane_zero(), lane_zero());
    const float *x = piece->vertices, *y = x + piece->room, *z = y + piece->room;
    for (int i = 0; i < count; i += DRY_LANES) {
        const sides_planes planes = sides_planes_of(sides, i);
        const sides_rule here = {
            lane_set(rule->margin),
            lane_load(sides->height + i) + rule->same_height,
            {lane_load(sides->over[0] + i), lane_load(sides->over[1] + i), lane_load(sides->over[2] + i)}};
        sides_touched touched = {none, {none, none, none}};
        for (int v = 0; v < piece->count; v++)
            sides_judge(&planes, lane_vec3_spread(vec3(x[v], y[v], z[v])), piece->rounding, &here, all,
                        &touched);
        if (piece->count == 0)
            sides_judge_cylinder(&planes, piece, &here, &touched);
        lane bits = lane_select(touched.is_borne, lane_set((float)DRY_SIDES_BORNE), lane_zero());
        for (int k = 0; k < 3; k++)
            bits =
                bits + lane_select(touched.beyond[k], lane_set((float)(DRY_SIDES_BEYOND << k)), lane_zero());
        lane_store(sides->touched + i, bits);
    }
}

static void find_sides(dry_sides *sides, int count, const dry_reach *piece)
{
    for (int i = 0; i < count; i += DRY_LANES) {
        const sides_planes planes = sides_planes_of(sides, i);
        lane least[4], most;
        sides_extents(piece, &planes, least, &most);
        for (int k = 0; k < 3; k++) {
            lane_vec3_store(sides->outward[k][0] + i, DRY_SIDES, planes.normal[k + 1]);
            lane_store(sides->beyond[k] + i, least[k + 1]);
        }
        lane_store(sides->height + i, least[0]);
        lane_store(sides->most + i, most);
    }
}

#endif
