/* SPDX-License-Identifier: MIT
 * Shapes: what bodies touch with. */
#ifndef DRYSTONE_SHAPE_H
#define DRYSTONE_SHAPE_H

#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dry_shape_type {
    DRY_SHAPE_SPHERE = 0,
    DRY_SHAPE_CAPSULE, /**< a segment along the shape's y axis with a radius around it */
    DRY_SHAPE_BOX,
    DRY_SHAPE_HALFSPACE, /**< points with normal . x <= offset in the shape's frame; static bodies only */
    DRY_SHAPE_TYPE_COUNT
} dry_shape_type;

/** Two shapes touch if each one's mask has a bit of the other's category, unless they share a group
 *  other than 0: then a positive group always touches and a negative one never. */
typedef struct dry_filter {
    uint64_t category; /**< 1 */
    uint64_t mask;     /**< all ones */
    int32_t group;     /**< 0 */
} dry_filter;

typedef struct dry_shape_def {
    dry_shape_type type;
    dry_vec3 half_extents; /**< box, m, each 1e-4 to 1e6 */
    float radius;          /**< sphere and capsule, m, 1e-4 to 1e6 */
    float half_length;     /**< capsule: half the segment, m, 0 to 1e6 */
    dry_vec3 normal;       /**< half-space: unit within 1e-3; (0, 1, 0) */
    float offset;          /**< half-space, m, |offset| <= 1e6; 0 */
    dry_transform pose;    /**< in the body's frame, |position| <= 1e6 */
    float density;         /**< kg/m^3, 0 to 1e9; 1000. 0 adds no mass. */
    float friction;        /**< >= 0, at most 1e3; a pair uses sqrt(fa * fb); 0.6 */
    float restitution;     /**< 0 to 1; a pair uses the larger; 0 */
    dry_filter filter;
    uint64_t user_data;
} dry_shape_def;

/** A box of half extents 0.5 with the defaults above. */
DRY_API dry_shape_def dry_default_shape_def(void);

/** Adds a shape to a body and, unless the mass was given outright, updates its mass.
 *  Errors: STALE_ID, ARGUMENT, MEMORY, LOCKED. */
DRY_API dry_result dry_body_create_shape(dry_world *world, dry_body_id body, const dry_shape_def *def,
                                         dry_shape_id *id);
DRY_API dry_result dry_shape_destroy(dry_world *world, dry_shape_id id);
DRY_API bool dry_shape_is_valid(const dry_world *world, dry_shape_id id);
/** The definition as it is now; what the type has no use for (a sphere's half_extents, a half-space's
 * density) is as by default. */
DRY_API dry_result dry_shape_get_def(const dry_world *world, dry_shape_id id, dry_shape_def *def);
DRY_API dry_result dry_shape_get_body(const dry_world *world, dry_shape_id id, dry_body_id *body);
DRY_API dry_result dry_shape_set_friction(dry_world *world, dry_shape_id id, float friction);
DRY_API dry_result dry_shape_set_restitution(dry_world *world, dry_shape_id id, float restitution);
DRY_API dry_result dry_shape_set_filter(dry_world *world, dry_shape_id id, dry_filter filter);
DRY_API dry_result dry_shape_set_user_data(dry_world *world, dry_shape_id id, uint64_t user_data);

#ifdef __cplusplus
}
#endif

#endif
