/* Stage "contacts": reads contacts for the rule of seams, and builds one anew on the face that goes on.
 *
 * Reads: manifolds, poses, shapes. Writes: one manifold with its flags. Next: seams.c. */
#include "narrowphase/surface/seam_contact.h"

#include "core/quat_pack.h"
#include "narrowphase/collide.h"
#include "narrowphase/manifold.h"
#include "narrowphase/manifold_build.h"

#include <string.h>

dry_fixed_solid dry_seam_solid(const dry_seam_columns *s, int contact, const dry_body_pose *moving)
{
    const float large = 1e6f, thick = 100.0f;
    const dry_piece piece = dry_seam_fixed_piece(s, contact);
    const dry_body_pose *pose = dry_seam_fixed_pose(s, contact);
    const dry_quat q = quat_mul(pose->orientation, piece.pose.orientation);
    dry_fixed_solid solid = {dry_seam_way(moving, pose), piece.geometry.size, mat3_from_quat(q)};
    solid.center = vec3_add(solid.center, quat_rotate(pose->orientation, piece.pose.position));
    if (piece.geometry.type == DRY_SHAPE_HALFSPACE) {
        const float above = -vec3_dot(solid.center, solid.axes.y); /* of the body over the plane */
        solid.center = vec3_scale(solid.axes.y, -above - thick);
        solid.half = vec3(large, thick, large);
    }
    return solid;
}

dry_seam_contact dry_seam_read(const dry_seam_columns *s, int contact)
{
    const dry_contact_link *link = &s->contacts->link[contact];
    const dry_manifold *m = &s->contacts->manifold[contact];
    const dry_body_pose *a = dry_body_pose_of(s->bodies, link->body_a),
                        *b = dry_body_pose_of(s->bodies, link->body_b);
    const bool fixed_is_a = !dry_seam_is_dynamic(s->bodies, link->body_a);
    const dry_vec3 n = dry_manifold_normal(m, a);
    dry_seam_contact c = {.count = link->points,
                          .fixed_is_a = fixed_is_a,
                          .fixed_shape = fixed_is_a ? m->shape_a : m->shape_b,
                          .moving_shape = fixed_is_a ? m->shape_b : m->shape_a,
                          .fixed_body = fixed_is_a ? link->body_a : link->body_b,
                          .normal = fixed_is_a ? n : vec3_neg(n)};
    c.solid = dry_seam_solid(s, contact, fixed_is_a ? b : a);
    dry_vec3 b_center = fixed_is_a ? vec3(0.0f, 0.0f, 0.0f) : dry_seam_way(a, b);
    float rise = (float)(dry_manifold_height(n, a, b) - m->height);
    if (fixed_is_a && link->flags & DRY_CONTACT_MEETS) {
        const dry_vec3 built =
            quat_rotate(a->orientation, vec3((float)m->built_position[0], (float)m->built_position[1],
                                             (float)m->built_position[2]));
        b_center = vec3_sub(built, dry_seam_way(a, b));
        rise = 0.0f;
    }
    for (int i = 0; i < c.count; i++) {
        const dry_vec3 anchor = quat_rotate(b->orientation, m->points[i].anchor_b);
        const float separation = rise + vec3_dot(n, anchor) - m->points[i].touch_height;
        const dry_vec3 point =
            vec3_add_scaled(vec3_add(b_center, anchor), fixed_is_a ? -separation : 0.0f, n);
        c.points[i] = dry_solid_nearest(&c.solid, point);
    }
    return c;
}

/* The cosine of the smallest angle, 1 degree, at which a face bends from the surface beside it. */
#define DRY_SEAM_FLAT 0.99985f
/* Features of points that the rule makes; those of pairs are below it. */
#define DRY_SEAM_FEATURE 0x8000u

/* The ends of a shape: its surface lies at most `radius` from what they span. */
typedef struct shape_ends {
    int count;
    float radius;
    dry_vec3 points[4];
} shape_ends;

/* Returns the points of a shape that are nearest to a half-space with a normal, in the frame of `pose`. */
static shape_ends ends_over_plane(const dry_geometry *geometry, const dry_transform *pose, dry_vec3 normal)
{
    const dry_geometry plane = {.type = DRY_SHAPE_HALFSPACE};
    const dry_transform frame = dry_halfspace_frame(normal, 0.0f);
    const dry_transform seen = transform_relative(&frame, pose);
    dry_local_manifold found;
    shape_ends ends = {0};
    dry_collide(&plane, geometry, &seen, FLT_MAX, &found);
    for (; ends.count < found.count; ends.count++) {
        const dry_local_point *p = &found.points[ends.count];
        ends.points[ends.count] = transform_point(&frame, vec3(p->position.x, p->separation, p->position.z));
    }
    return ends;
}

/* Returns the ends of a shape that look most against a direction, in the frame of `pose`. Of a box they are
 * the corners of one face, as against a half-space. */
static shape_ends ends_of(const dry_geometry *geometry, const dry_transform *pose, dry_vec3 direction)
{
    const dry_vec3 size = geometry->size;
    if (geometry->type == DRY_SHAPE_SPHERE)
        return (shape_ends){1, size.x, {pose->position}};
    if (geometry->type == DRY_SHAPE_CAPSULE) {
        const dry_vec3 half = quat_rotate(pose->orientation, vec3(0.0f, size.y, 0.0f));
        return (shape_ends){2, size.x, {vec3_sub(pose->position, half), vec3_add(pose->position, half)}};
    }
    if (geometry->type != DRY_SHAPE_BOX)
        return ends_over_plane(geometry, pose, direction);
    const dry_mat3 r = mat3_from_quat(pose->orientation);
    const dry_vec3 axes[3] = {vec3_scale(r.x, size.x), vec3_scale(r.y, size.y), vec3_scale(r.z, size.z)};
    const dry_solid_face down = dry_solid_face_along(mat3_mul_transposed(&r, direction));
    const dry_vec3 *u = &axes[(down.axis + 1) % 3], *v = &axes[(down.axis + 2) % 3];
    const dry_vec3 center = vec3_add_scaled(pose->position, -down.sign, axes[down.axis]);
    shape_ends ends = {.count = 4};
    for (int i = 0; i < 4; i++)
        ends.points[i] =
            vec3_add_scaled(vec3_add_scaled(center, i & 1 ? 1.0f : -1.0f, *u), i & 2 ? 1.0f : -1.0f, *v);
    return ends;
}

/* Returns how far an end of a contact's body may move in this step, m: one that spins is faster than its
 * center. */
static float way_of_ends(const dry_seam_columns *s, const dry_contact_link *link, const dry_manifold *m)
{
    const dry_body_velocity *a = dry_body_velocity_of(s->bodies, link->body_a),
                            *b = dry_body_velocity_of(s->bodies, link->body_b);
    const int moving = dry_seam_is_dynamic(s->bodies, link->body_a) ? link->body_a : link->body_b;
    const float rim = dry_body_state_of(s->bodies, moving)->radius *
                      vec3_length(dry_body_velocity_of(s->bodies, moving)->angular);
    return dry_min(dry_contact_closing(s->settings, a->linear, b->linear, dry_manifold_bounces(m)) +
                       rim * s->settings->dt,
                   DRY_CLOSING_MAX);
}

/* A face of a box, and the surface that bears beside it, in the box's frame. */
typedef struct face_reach {
    dry_solid_face face;
    dry_vec3 half;           /* of the box, m */
    dry_vec3 beside, normal; /* a point of that surface, and its normal; 0: no surface to look at */
    float margin, deepest;   /* the range of separations, m */
    float ahead;             /* how far an end may move in this step, m */
} face_reach;

/* Tells whether an end lies over a face, or comes over it in this step. The latter counts where the face
 * bends up from the surface beside it: on that one alone the end would be below the face when it comes there.
 */
static bool is_over(const face_reach *f, dry_vec3 end, float radius, float separation)
{
    float beyond = 0.0f;
    for (int k = 0; k < 3; k++)
        if (k != f->face.axis)
            beyond = dry_max(beyond, dry_abs(vec3_get(end, k)) - vec3_get(f->half, k));
    const float bend = vec3_get(f->normal, f->face.axis) * f->face.sign;
    if (beyond <= DRY_SEAM_REACH || beyond > f->ahead || bend > DRY_SEAM_FLAT || bend <= 0.0f)
        return beyond <= DRY_SEAM_REACH;
    return separation >= vec3_dot(f->normal, vec3_sub(end, f->beside)) - radius - DRY_SEAM_REACH;
}

/* Finds the ends of a shape over a face of a box, in the box's frame. */
static void collide_face(const face_reach *f, const dry_geometry *moving, const dry_transform *pose,
                         dry_local_manifold *found)
{
    dry_vec3 normal = {0.0f, 0.0f, 0.0f};
    *(f->face.axis == 0 ? &normal.x : f->face.axis == 1 ? &normal.y : &normal.z) = f->face.sign;
    const shape_ends ends = ends_of(moving, pose, normal);
    *found = (dry_local_manifold){.normal = normal};
    for (int i = 0; i < ends.count; i++) {
        const dry_vec3 end = ends.points[i];
        const float separation =
            f->face.sign * vec3_get(end, f->face.axis) - vec3_get(f->half, f->face.axis) - ends.radius;
        if (separation <= f->margin && separation >= f->deepest && is_over(f, end, ends.radius, separation))
            dry_local_manifold_add(found, vec3_add_scaled(end, -ends.radius - 0.5f * separation, normal),
                                   separation, DRY_SEAM_FEATURE | (uint32_t)i);
    }
}

/* Turns points found in the frame of shape b, as of a pair whose first shape is b, into those of the pair. */
static void swap_found(const dry_transform *b_in_a, dry_local_manifold *found)
{
    const dry_mat3 r = mat3_from_quat(b_in_a->orientation);
    found->normal = vec3_neg(mat3_mul(&r, found->normal));
    for (int i = 0; i < found->count; i++)
        found->points[i].position = vec3_add(b_in_a->position, mat3_mul(&r, found->points[i].position));
}

/* Writes what a contact has beside its manifold, once that was built anew. */
static void write_rest(const dry_seam_columns *s, int contact, const dry_features *old)
{
    dry_contact_link *link = &s->contacts->link[contact];
    dry_manifold *m = &s->contacts->manifold[contact];
    unsigned flags = link->flags | DRY_CONTACT_CUT | DRY_CONTACT_VOID;
    flags &= ~(unsigned)(DRY_CONTACT_RECYCLED | DRY_CONTACT_RENEWED | DRY_CONTACT_MEETS);
    link->flags = (uint16_t)flags;
    dry_contacts_follow_rest(s->contacts, contact, old);
    if (link->points == 0) {
        dry_contacts_forget_sticking(s->contacts, contact);
        dry_manifold_set_clearance(m, 0.0f); /* the next step looks again */
    } else if (s->settings->holds_levers) {
        dry_quat_pack(dry_body_pose_of(s->bodies, link->body_a)->orientation, m->built);
    } else {
        memset(m->built, 0, sizeof m->built);
    }
}

/* Describes the face of a contact's box, as the ends of its body meet it. */
static face_reach reach_of(const dry_seam_columns *s, int contact, const dry_seam_face *face)
{
    const dry_contact_link *link = &s->contacts->link[contact];
    const dry_vec3 half = dry_seam_fixed_piece(s, contact).geometry.size;
    const float ahead = way_of_ends(s, link, &s->contacts->manifold[contact]);
    face_reach reach = {.face = face->face,
                        .half = half,
                        .margin = dry_contact_margin(s->settings, ahead),
                        .deepest = face->deep ? -1.5f * vec3_get(half, face->face.axis) : -DRY_SEAM_REACH,
                        .ahead = ahead};
    if (face->bearer < 0 || s->contacts->link[face->bearer].points == 0)
        return reach;
    const dry_seam_contact bearer = dry_seam_read(s, face->bearer);
    const dry_vec3 up = mat3_mul_transposed(&bearer.solid.axes, bearer.normal);
    if (dry_abs(vec3_get(up, dry_solid_face_along(up).axis)) < DRY_SEAM_FLAT)
        return reach; /* an edge bears: its normal tells of no surface */
    const int moving = s->shapes->form[bearer.moving_shape].body;
    const dry_fixed_solid solid = dry_seam_solid(s, contact, dry_body_pose_of(s->bodies, moving));
    reach.beside = dry_solid_place(&solid, bearer.points[0]);
    reach.normal = mat3_mul_transposed(&solid.axes, bearer.normal);
    return reach;
}

void dry_seam_build_on_face(const dry_seam_columns *s, int contact, const dry_seam_face *face)
{
    dry_contact_link *link = &s->contacts->link[contact];
    dry_manifold *m = &s->contacts->manifold[contact];
    const dry_piece a = dry_contact_piece(s->contacts, s->shapes, contact, 0),
                    b = dry_contact_piece(s->contacts, s->shapes, contact, 1);
    const dry_body_pose *pose_a = dry_body_pose_of(s->bodies, link->body_a),
                        *pose_b = dry_body_pose_of(s->bodies, link->body_b);
    const dry_relative_pose relative = dry_relative_pose_of(pose_a, pose_b);
    /* The whole box: a face of it is asked for. Far from its center floats are coarse. */
    const dry_transform b_in_a = dry_pose_b_in_a(&a.pose, &b.pose, &relative);
    const bool has_face = face->face.axis >= 0;
    const face_reach reach = has_face ? reach_of(s, contact, face) : (face_reach){0};
    dry_local_manifold found = {.count = 0};
    if (has_face && !dry_seam_is_dynamic(s->bodies, link->body_a)) {
        collide_face(&reach, &b.geometry, &b_in_a, &found);
    } else if (has_face) {
        const dry_transform a_in_b = {quat_rotate_inverse(b_in_a.orientation, vec3_neg(b_in_a.position)),
                                      quat_conjugate(b_in_a.orientation)};
        collide_face(&reach, &a.geometry, &a_in_b, &found);
        swap_found(&b_in_a, &found);
    }
    const dry_contact_pair pair =
        dry_contact_pair_of(&a, &b, pose_a, pose_b, &relative, vec3(0.0f, 0.0f, 0.0f));
    const dry_quat rolling = m->built_orientation;
    const dry_features old = dry_contacts_features(s->contacts, contact);
    link->points = (uint8_t)dry_manifold_build(m, &old, &pair, b_in_a.position, &found);
    for (int i = 0; i < link->points && s->contacts->wide; i++)
        s->contacts->wide[contact].high[i] = 0;
    if (link->points > 0 && link->flags & DRY_CONTACT_ROUND)
        m->built_orientation = rolling;
    write_rest(s, contact, &old);
}
