/* SPDX-License-Identifier: MIT
 * Shapes: the geometry with which bodies touch. */
#ifndef DRYSTONE_SHAPE_H
#define DRYSTONE_SHAPE_H

#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dry_shape_type {
    DRY_SHAPE_SPHERE = 0,
    DRY_SHAPE_CAPSULE, /**< all points within `radius` of a segment along the shape's y axis */
    DRY_SHAPE_BOX,
    DRY_SHAPE_HALFSPACE,    /**< points with normal . x <= offset in the shape's frame; static bodies only */
    DRY_SHAPE_CYLINDER,     /**< `radius` about the shape's y axis, from -half_length to half_length */
    DRY_SHAPE_HULL,         /**< a convex polyhedron: `data` of dry_hull_create */
    DRY_SHAPE_COMPOUND,     /**< shapes at fixed places: `data` of dry_compound_create */
    DRY_SHAPE_MESH,         /**< triangles: `data` of dry_mesh_create; static and kinematic bodies only */
    DRY_SHAPE_HEIGHT_FIELD, /**< terrain: `data` of dry_height_field_create; static and kinematic bodies only
                             */
    DRY_SHAPE_TYPE_COUNT
} dry_shape_type;

/** A form that shapes share (shape_data.h). */
typedef struct dry_shape_data dry_shape_data;

/** Decides which shapes touch. Two shapes touch if the mask of each has a bit of the other's category. Two
 * shapes of the same group other than 0 ignore the masks: they always touch in a positive group, never in a
 * negative one. */
typedef struct dry_filter {
    uint64_t category; /**< 1 */
    uint64_t mask;     /**< all ones */
    int32_t group;     /**< 0 */
} dry_filter;

/** How a pair combines a coefficient of its two sides. Where the sides have different rules, the one that
 * comes later in this list holds. */
typedef enum dry_combination {
    DRY_COMBINE_GEOMETRIC_MEAN = 0, /**< sqrt(a b) */
    DRY_COMBINE_MEAN,               /**< (a + b) / 2 */
    DRY_COMBINE_SMALLEST,
    DRY_COMBINE_LARGEST,
    DRY_COMBINE_PRODUCT,
    DRY_COMBINE_COUNT
} dry_combination;

/** The surface of a shape, or of a part of it; defaults last. The coefficients are those of dry_shape_def,
 * which explains each. Springs of a pair are always in series. */
typedef struct dry_material {
    float friction;            /**< 0 to 1e3; 0.6 */
    float static_friction;     /**< 0 to 1e3; 0 */
    float contact_stiffness;   /**< N/m, 0 to 1e15; 0 */
    float contact_damping;     /**< N s/m, 0 to 1e15, and 0 without contact_stiffness; 0 */
    float restitution;         /**< 0 to 1; 0 */
    float rolling_resistance;  /**< 0 to 1e3; 0 */
    dry_vec3 surface_velocity; /**< the surface moves past its body, as a belt does: m/s in the body's frame,
                                  each |component| <= 1e5. Only the part along a contact's tangents counts.
                                  What touches a surface that moves does not fall asleep; 0 */
    dry_combination friction_rule;           /**< geometric mean */
    dry_combination static_friction_rule;    /**< geometric mean */
    dry_combination restitution_rule;        /**< largest */
    dry_combination rolling_resistance_rule; /**< largest */
    uint64_t id;                             /**< free for the program: hits and contacts repeat it; 0 */
} dry_material;

/** Returns the defaults above. */
DRY_API dry_material dry_default_material(void);

/** Kinds of events that a shape may ask for, as bits. A pair of shapes raises the events of a kind if one of
 * them asks for it. */
typedef enum dry_shape_events {
    DRY_SHAPE_EVENTS_NONE = 0,
    DRY_SHAPE_EVENTS_CONTACTS = 1, /**< begins and ends of contacts (dry_contact_event) */
    DRY_SHAPE_EVENTS_HITS = 2,     /**< hits (dry_hit_event) */
    DRY_SHAPE_EVENTS_ALL = 3,
} dry_shape_events;

/** The definition of a shape; defaults last. A type ignores the sizes of the others. */
typedef struct dry_shape_def {
    dry_shape_type type;   /**< box */
    dry_vec3 half_extents; /**< box: m, each 1e-4 to 1e6; 0.5 */
    float radius;          /**< sphere, capsule and cylinder: m, 1e-4 to 1e6; 0.5 */
    float half_length;     /**< capsule: half the segment's length, m, 0 to 1e6; cylinder: half its length, m,
                              1e-4 to 1e6; 0.5 */
    dry_vec3 normal;       /**< half-space: outward, length within 1e-3 of 1; (0, 1, 0) */
    float offset;          /**< half-space: m, |offset| <= 1e6; 0 */
    dry_shape_data *data;  /**< hull, compound, mesh and height field: the form, to which the shape adds a
                              reference; else  ignored; null */
    dry_vec3 scale;        /**< along the shape's axes, each |component| 1e-3 to 1e3; a negative one mirrors.
                              Refused where the form would become another: of a sphere and a capsule three
                              alike but for signs, of a half-space 1, of a compound such as all children
                              can take; (1, 1, 1) */
    dry_transform pose;    /**< in the body's frame, each |position component| <= 1e6 m; identity */
    float density;         /**< kg/m^3, 0 to 1e9; 0 adds no mass; 1000 */
    float friction;        /**< coefficient, 0 to 1e3; a pair uses sqrt(friction_a * friction_b); 0.6 */
    float static_friction; /**< coefficient mu_s of a patch that sticks, 0 to 1e3; below `friction` it means
                              `friction`. A pair uses the geometric mean, as for friction, mu_d. A patch
                              that sticks holds up to mu_s times its normal force. Under a greater load it
                              slides from the next step on against mu_d times that force, until it stops or
                              turns back [Waterson 5.53]. Torsion, rolling and impacts follow `friction`. A
                              new contact sticks. Every friction model and every solver takes it. A pyramid
                              of cubes that all have it takes 25 % more instructions a step; a world without
                              it, none; 0 */
    float contact_stiffness;  /**< k of the surface at each point of a contact, N/m, 0 to 1e15. A pair uses
                                 both in series, k = 1 / (1 / k_a + 1 / k_b), with [Spook 9-11] in place of
                                 the world's contact_hertz, contact_stiffness and push_factor; a shape of 0 is
                                 rigid beside one that has k, and two of 0 follow the world. XPBD takes
                                 implicit Euler steps of it. Refused by PBD and AVBD, whose contacts are
                                 rigid. A step of a pyramid takes 40 % more instructions where every pair has
                                 its own, 25 % with the world's contact_stiffness, and 7 % where one has it
                                 elsewhere; a world without pays nothing; 0 */
    float contact_damping;    /**< c of that spring, N s/m, 0 to 1e15; must be 0 if contact_stiffness is 0. A
                                 pair uses k^2 (c_a / k_a^2 + c_b / k_b^2), which loses what both lose where the
                                 load changes slowly against c / k. Too little of it lets heaps gain energy as
                                 points of contacts come and go, as with the world's contact_damping; 0 */
    float restitution;        /**< coefficient, 0 to 1; a pair uses the larger one; 0 */
    float rolling_resistance; /**< coefficient c of rolling resistance, 0 to 1e3: a sphere or a capsule of
                                 radius r that presses on this shape with N, or is this shape, rolls
                                 against a moment of c r N about the axes along the surface. A pair uses the
                                 larger c and 1 / r = 1 / r_a + 1 / r_b, where flat shapes have 1 / r = 0;
                                 boxes and half-spaces do not roll on each other. A sphere that rolls at v on
                                 a level floor stops after 7 v^2 / (10 c g). Spin about the normal meets
                                 the friction of a patch with this radius, a moment of mu c r N. 0 */
    const dry_material *materials; /**< the surface, copied by the shape, in place of the coefficients above,
                                      which must then have their defaults. A shape touches with the first,
                                      unless its data name others for their parts; null */
    int material_count; /**< number of `materials`, 0 to 65,536; 0: the coefficients above are the surface,
                           with the rules of dry_default_material; 0 */
    dry_filter filter;  /**< touches every shape */
    uint32_t events; /**< the kinds of dry_shape_events that the shape asks for, as long as it lives; a shape
                        that asks for none still takes part in those that its partner asks for. What
                        shapes touch does not depend on it; ALL */
    uint64_t user_data; /**< free for the program; 0 */
} dry_shape_def;

/** Returns the defaults above: a box with sides of 1 m. */
DRY_API dry_shape_def dry_default_shape_def(void);

/** Adds a shape to a body and wakes the body. Updates the body's mass, unless dry_body_set_mass gave it.
 * Errors: STALE_ID, ARGUMENT, MEMORY, LOCKED. */
DRY_API dry_result dry_body_create_shape(dry_world *world, dry_body_id body, const dry_shape_def *def,
                                         dry_shape_id *id);
/** Destroys a shape with its contacts (with end events). Wakes the body and the bodies that touched the
 * shape. Updates the mass as dry_body_create_shape does. Errors: STALE_ID, MEMORY, LOCKED. */
DRY_API dry_result dry_shape_destroy(dry_world *world, dry_shape_id id);

/** Tells whether the id names a living shape of this world. */
DRY_API bool dry_shape_is_valid(const dry_world *world, dry_shape_id id);

/** Reads the present definition. Fields that the type ignores (a sphere's half_extents, a half-space's
 * density) hold their defaults. The coefficients are those of the first material; `materials` is null:
 * dry_shape_get_materials reads them. Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_shape_get_def(const dry_world *world, dry_shape_id id, dry_shape_def *def);
/** Reads the body that the shape belongs to. Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_shape_get_body(const dry_world *world, dry_shape_id id, dry_body_id *body);

/** Reads the materials of a shape, of which it has at least one. Sets *count to their number and writes at
 * most `capacity` of them. Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_shape_get_materials(const dry_world *world, dry_shape_id id, dry_material *materials,
                                           int capacity, int *count);
/** Reads dry_shape_def.user_data as it is now. Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_shape_get_user_data(const dry_world *world, dry_shape_id id, uint64_t *user_data);

/** Replaces all materials of the shape, 1 to 65,536, for its present contacts, too, and wakes the body and
 * what lies on a body that cannot move. Errors: STALE_ID, ARGUMENT, MEMORY, LOCKED. */
DRY_API dry_result dry_shape_set_materials(dry_world *world, dry_shape_id id, const dry_material *materials,
                                           int count);

/* The next five change the shape's only material. A shape with several refuses them: ARGUMENT. */

/** Sets the friction of the shape and of its present contacts, and wakes the body.
 * Errors: STALE_ID, ARGUMENT, MEMORY, LOCKED. */
DRY_API dry_result dry_shape_set_friction(dry_world *world, dry_shape_id id, float friction);
/** Sets the static friction of the shape and of its present contacts, and wakes the body.
 * Errors: STALE_ID, ARGUMENT, MEMORY, LOCKED. */
DRY_API dry_result dry_shape_set_static_friction(dry_world *world, dry_shape_id id, float static_friction);
/** Sets the spring of the shape's surface (dry_shape_def.contact_stiffness, contact_damping), for its present
 * contacts from the next step on, and wakes the body. Errors: STALE_ID, ARGUMENT, MEMORY, LOCKED. */
DRY_API dry_result dry_shape_set_contact_spring(dry_world *world, dry_shape_id id, float stiffness,
                                                float damping);
/** Sets the restitution of the shape and of its present contacts.
 * Errors: STALE_ID, ARGUMENT, MEMORY, LOCKED. */
DRY_API dry_result dry_shape_set_restitution(dry_world *world, dry_shape_id id, float restitution);
/** Sets the rolling resistance of the shape, for its present contacts from the next step on, and wakes the
 * body. Errors: STALE_ID, ARGUMENT, MEMORY, LOCKED. */
DRY_API dry_result dry_shape_set_rolling_resistance(dry_world *world, dry_shape_id id,
                                                    float rolling_resistance);
/** Gives the shape another form: type, sizes, data and scale of `geometry`; its other members are ignored.
 * Ends the shape's contacts (with end events); the next step begins those of the new form. Updates the mass
 * as dry_body_create_shape does. Wakes the body and the bodies that touched the shape. Errors: STALE_ID,
 * ARGUMENT, MEMORY, LOCKED. */
DRY_API dry_result dry_shape_set_geometry(dry_world *world, dry_shape_id id, const dry_shape_def *geometry);
/** Moves the shape in its body's frame, with all else as dry_shape_set_geometry does. */
DRY_API dry_result dry_shape_set_pose(dry_world *world, dry_shape_id id, dry_transform pose);
/** Replaces a rectangle of heights of a height field, row by row: the samples from (row, column) on. Wakes
 * the bodies near it, and contacts there are found anew. Data that the shape shares are copied at the first
 * call, and others keep the old heights; each further call takes time for its rectangle alone. Errors:
 * STALE_ID, ARGUMENT (another type of shape, a rectangle without samples or one that leaves the field, a
 * height that is not finite or beyond 1e6), MEMORY, LOCKED. */
DRY_API dry_result dry_shape_set_heights(dry_world *world, dry_shape_id id, int row, int column, int rows,
                                         int columns, const float *heights);
/** Sets the density of the shape, kg/m^3, with all else as dry_shape_set_geometry does; ARGUMENT for a
 * half-space, which has none. */
DRY_API dry_result dry_shape_set_density(dry_world *world, dry_shape_id id, float density);
/** Sets the filter. Ends the shape's contacts (with end events); the next step begins those that the new
 * filter allows. Wakes the body and the bodies that touched the shape. Errors: STALE_ID, MEMORY, LOCKED. */
DRY_API dry_result dry_shape_set_filter(dry_world *world, dry_shape_id id, dry_filter filter);
/** Sets dry_shape_def.user_data; wakes nothing. Errors: STALE_ID, LOCKED. */
DRY_API dry_result dry_shape_set_user_data(dry_world *world, dry_shape_id id, uint64_t user_data);

#ifdef __cplusplus
}
#endif

#endif
