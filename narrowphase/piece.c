/* The frame of a pair of pieces: float loses nothing in it, however large piece a is. */
#include "narrowphase/piece.h"

#include "geometry/compound.h"

dry_piece dry_contact_piece(const dry_contacts *contacts, const dry_shapes *shapes, int contact, int side)
{
    const dry_manifold *m = &contacts->manifold[contact];
    const int shape = side ? m->shape_b : m->shape_a;
    const dry_piece whole = dry_piece_of(shapes, shape);
    if (whole.geometry.type != DRY_SHAPE_COMPOUND)
        return whole;
    uint32_t slot;
    const int child = dry_compound_child_of(&whole.geometry, contacts->family[contact].piece[side], &slot);
    dry_piece piece = dry_compound_piece(&whole.geometry, child);
    piece.pose = transform_mul(&whole.pose, &piece.pose);
    return piece;
}

/* Returns the distance of a point from the nearest face of a box, inside or outside, m. */
static double depth_of(dry_vec3 half, dry_double3 point)
{
    double inside = DBL_MAX, outside = 0.0;
    for (int i = 0; i < 3; i++) {
        const double over = fabs(double3_get(point, i)) - (double)vec3_get(half, i);
        inside = over < 0.0 && -over < inside ? -over : inside;
        outside = over > outside ? over : outside;
    }
    return outside > 0.0 ? outside : inside;
}

/* Replaces a large box by the part that b may reach, and puts the frame's origin into the middle of that
 * part. A cut lies four times as far from b as the nearest face: no way out of the box leads through the cut.
 */
static void cut_box(dry_pair_frame *frame, dry_double3 b_in_a, float radius_b)
{
    const double least = 16.0 * (double)radius_b, depth = 4.0 * depth_of(frame->a.size, b_in_a);
    const double reach = depth > least ? depth : least;
    float half[3], position[3];
    for (int i = 0; i < 3; i++) {
        const double h = (double)vec3_get(frame->a.size, i), b = double3_get(b_in_a, i);
        const double low = double_max(-h - b, -reach), high = double_min(h - b, reach);
        half[i] = (float)(0.5 * (high - low));
        position[i] = (float)(-0.5 * (high + low));
    }
    frame->a.size = vec3(half[0], half[1], half[2]);
    frame->b_in_a.position = vec3(position[0], position[1], position[2]);
}

dry_double3 dry_piece_place(const dry_transform *a, const dry_transform *b, const dry_relative_pose *relative)
{
    dry_mat3 rotation = mat3_from_quat(relative->orientation), axes = mat3_from_quat(a->orientation);
    dry_vec3 b_local = mat3_mul(&rotation, b->position);
    const dry_double3 there = double3_add(relative->position, double3_of(b_local)),
                      offset = double3_sub(there, double3_of(a->position));
    return mat3_mul_transposed_double(&axes, offset);
}

static inline dry_transform pose_at(const dry_transform *a, const dry_transform *b,
                                    const dry_relative_pose *relative, dry_double3 in_a)
{
    return (dry_transform){vec3_of(in_a), quat_mul(quat_conjugate(a->orientation),
                                                   quat_mul(relative->orientation, b->orientation))};
}

dry_transform dry_pose_b_in_a(const dry_transform *a, const dry_transform *b,
                              const dry_relative_pose *relative)
{
    return pose_at(a, b, relative, dry_piece_place(a, b, relative));
}

dry_pair_frame dry_pair_frame_of(const dry_piece *a, const dry_piece *b, const dry_relative_pose *relative)
{
    const dry_double3 in_a = dry_piece_place(&a->pose, &b->pose, relative);
    dry_pair_frame frame = {a->geometry, b->geometry, pose_at(&a->pose, &b->pose, relative, in_a)};
    if (!dry_frame_follows_b(a))
        return frame;
    /* A half-space slides along its plane to a place under b. */
    if (a->geometry.type == DRY_SHAPE_HALFSPACE)
        frame.b_in_a.position.x = frame.b_in_a.position.z = 0.0f;
    else if (a->geometry.type == DRY_SHAPE_BOX)
        cut_box(&frame, in_a, b->radius);
    else
        frame.b_in_a.position = vec3(0.0f, 0.0f, 0.0f);
    return frame;
}
