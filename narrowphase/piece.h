/* The convex pieces of a pair of bodies, and the frame in which a pair of pieces collides.
 *
 * Reads: shapes, and the relative pose of the bodies. Next: collide.h. */
#ifndef NARROWPHASE_PIECE_H
#define NARROWPHASE_PIECE_H

#include "core/double3.h"
#include "geometry/geometry.h"
#include "state/bodies.h"
#include "state/contacts.h"

/* The pose of one body as seen from another. */
typedef struct dry_relative_pose {
    dry_double3 position; /* of b's center in a's principal frame, m */
    dry_quat orientation;
} dry_relative_pose;

static inline dry_relative_pose dry_relative_pose_of(const dry_body_pose *a, const dry_body_pose *b)
{
    const dry_mat3 axes = mat3_from_quat(a->orientation);
    const dry_double3 way = {b->position.x - a->position.x, b->position.y - a->position.y,
                             b->position.z - a->position.z};
    return (dry_relative_pose){mat3_mul_transposed_double(&axes, way),
                               quat_mul(quat_conjugate(a->orientation), b->orientation)};
}

static inline dry_piece dry_piece_of(const dry_shapes *shapes, int shape)
{
    const dry_shape_form *form = &shapes->form[shape];
    return (dry_piece){dry_shapes_geometry(shapes, shape), form->pose, form->radius};
}

/* Returns the piece of a side of a contact: 0 is a, 1 is b. */
dry_piece dry_contact_piece(const dry_contacts *contacts, const dry_shapes *shapes, int contact, int side);

/* A pair of pieces as the collide functions take it. The frame has a's axes. Its origin is that of a, or of
 * the part of a that is near b. */
typedef struct dry_pair_frame {
    dry_geometry a, b; /* a: the part of it that is near b, if it is large */
    dry_transform b_in_a;
} dry_pair_frame;

/* Collision works in floats. At this distance from the frame's origin three roundings of a coordinate make an
 * error of 0.1 mm: a larger piece lends only its axes to the frame, and the part near the other piece, m. */
#define DRY_LARGE_RADIUS 512.0f

/* Tells whether the frame's origin follows b, since piece a is without bounds, of triangles, or large. */
static inline bool dry_frame_follows_b(const dry_piece *a)
{
    return a->geometry.type == DRY_SHAPE_HALFSPACE || dry_type_has_triangles(a->geometry.type) ||
           (a->geometry.type == DRY_SHAPE_BOX && a->radius > DRY_LARGE_RADIUS);
}

/* Returns where b is in the frame of the whole of a, m. */
dry_double3 dry_piece_place(const dry_transform *a, const dry_transform *b,
                            const dry_relative_pose *relative);

/* Returns the pose of piece b in the frame of the whole of piece a. Their poses in their bodies are given. */
dry_transform dry_pose_b_in_a(const dry_transform *a, const dry_transform *b,
                              const dry_relative_pose *relative);

dry_pair_frame dry_pair_frame_of(const dry_piece *a, const dry_piece *b, const dry_relative_pose *relative);

#endif
