/* A box or a half-space of a static or kinematic body, as the rule of seams sees it: a solid that may hide an
 * edge of the solid beside it.
 *
 * A surface that several solids make has a normal at a point only if each of the solids that has the point
 * has this normal there: the proximal normal cone of a union is the intersection of the cones of its parts
 * [Clarke et al., Nonsmooth Analysis and Control Theory, 1.1]. Next: seams.c. */
#ifndef NARROWPHASE_SURFACE_FIXED_SOLID_H
#define NARROWPHASE_SURFACE_FIXED_SOLID_H

#include "core/math.h"

/* Surfaces that continue each other within this distance are one surface, m. It is 1 mm, and 1/20 of it for
 * rounding. */
#define DRY_SEAM_REACH 1.05e-3f
/* A solid that rises this far above the surface beside it is a step, m. Between this height and the reach
 * lies the room for rounding. */
#define DRY_SEAM_STEP 1.25e-3f
/* A point this near to a solid lies on it, m. */
#define DRY_SEAM_ON 1e-4f

/* A box; a half-space is one that is so large that its sides are never near. Its `axes` lead from its frame
 * to the world. */
typedef struct dry_fixed_solid {
    dry_vec3 center, half; /* m; the center relative to the dynamic body's */
    dry_mat3 axes;
} dry_fixed_solid;

/* A face of a solid. */
typedef struct dry_solid_face {
    int axis;   /* -1: none */
    float sign; /* 1 or -1: its side */
} dry_solid_face;

static inline dry_vec3 dry_solid_place(const dry_fixed_solid *solid, dry_vec3 point)
{
    return mat3_mul_transposed(&solid->axes, vec3_sub(point, solid->center));
}

/* Tells whether a place lies on a solid or inside. */
static inline bool dry_solid_has(const dry_fixed_solid *solid, dry_vec3 place)
{
    const dry_vec3 p = vec3_abs(place);
    return p.x <= solid->half.x + DRY_SEAM_REACH && p.y <= solid->half.y + DRY_SEAM_REACH &&
           p.z <= solid->half.z + DRY_SEAM_REACH;
}

/* Returns how far a direction in a solid's frame lies outside of the solid's cone of normals at a place: the
 * largest component that no normal there has; 1 deep inside, where there is no normal. A face that is given
 * counts as one that has the place. */
static inline float dry_solid_strays(const dry_fixed_solid *solid, dry_vec3 place, dry_vec3 direction,
                                     dry_solid_face face)
{
    const float p[3] = {place.x, place.y, place.z}, n[3] = {direction.x, direction.y, direction.z};
    const float half[3] = {solid->half.x, solid->half.y, solid->half.z};
    float most = 0.0f;
    bool on_face = false;
    for (int k = 0; k < 3; k++) {
        const bool high = p[k] >= half[k] - DRY_SEAM_REACH || (k == face.axis && face.sign > 0.0f);
        const bool low = p[k] <= DRY_SEAM_REACH - half[k] || (k == face.axis && face.sign < 0.0f);
        most = dry_max(most, (high && n[k] > 0.0f) || (low && n[k] < 0.0f) ? 0.0f : dry_abs(n[k]));
        on_face = on_face || high || low;
    }
    return on_face ? most : 1.0f;
}

/* Returns the face whose normal is nearest to a direction in a solid's frame. */
static inline dry_solid_face dry_solid_face_along(dry_vec3 direction)
{
    const dry_vec3 absolute = vec3_abs(direction);
    int axis = absolute.y > absolute.x ? 1 : 0;
    axis = absolute.z > vec3_get(absolute, axis) ? 2 : axis;
    return (dry_solid_face){axis, vec3_get(direction, axis) < 0.0f ? -1.0f : 1.0f};
}

/* Returns the normal of a face in the world. */
static inline dry_vec3 dry_solid_normal(const dry_fixed_solid *solid, dry_solid_face face)
{
    const dry_vec3 *axes = &solid->axes.x;
    return vec3_scale(axes[face.axis], face.sign);
}

/* Returns the point of a solid that is nearest to a point. */
static inline dry_vec3 dry_solid_nearest(const dry_fixed_solid *solid, dry_vec3 point)
{
    const dry_vec3 h = solid->half, place = dry_solid_place(solid, point);
    const dry_vec3 inside = vec3_max(vec3_neg(h), vec3_min(place, h));
    return vec3_add(solid->center, mat3_mul(&solid->axes, inside));
}

/* Returns the distance of a place from a solid, m; 0 inside. */
static inline float dry_solid_distance(const dry_fixed_solid *solid, dry_vec3 place)
{
    const dry_vec3 h = solid->half;
    return vec3_distance(place, vec3_max(vec3_neg(h), vec3_min(place, h)));
}

#endif
