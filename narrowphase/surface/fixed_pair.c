/* Stage "contacts": a pair of a fixed and a dynamic body as the rule of seams sees it, whichever comes first.
 *
 * Reads: poses, shapes. Writes: the points found, and DRY_CONTACT_VOID. Next: solid_faces.c. */
#include "narrowphase/surface/fixed_pair.h"

#include "geometry/compound.h"
#include "narrowphase/surface/solid_faces.h"

/* Turns a manifold of a pair into that of the pair in the other order, in the frame of b. */
static void turn_round(const dry_transform *b_in_a, dry_local_manifold *m)
{
    m->normal = quat_rotate_inverse(b_in_a->orientation, vec3_neg(m->normal));
    for (int i = 0; i < m->count; i++) {
        const dry_vec3 at = vec3_sub(m->points[i].position, b_in_a->position);
        m->points[i].position = quat_rotate_inverse(b_in_a->orientation, at);
    }
}

/* Returns the child of a compound whose piece is on a side of a contact; -1 if the shape is no compound. */
static int child_of(const dry_contact_update *u, int contact, int side)
{
    const dry_manifold *m = &u->contacts->manifold[contact];
    const dry_geometry shape = dry_shapes_geometry(u->shapes, side ? m->shape_b : m->shape_a);
    uint32_t slot;
    if (shape.type != DRY_SHAPE_COMPOUND)
        return -1;
    return dry_compound_child_of(&shape, u->contacts->family[contact].piece[side], &slot);
}

/* Returns the neighbors of a fixed piece; `pose` is that of the other piece in its frame. The frame's origin
 * is found from the moving body, since a large solid's center is far. */
static dry_neighbors neighbors_of(const dry_contact_update *u, int contact, const dry_contact_pair *pair,
                                  const dry_transform *pose, bool moves_a)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    const dry_manifold *m = &u->contacts->manifold[contact];
    const dry_quat of_a = pair->pose_a->orientation, of_b = pair->pose_b->orientation;
    const dry_quat axes =
        moves_a ? quat_mul(of_b, pair->piece_b->orientation) : quat_mul(of_a, pair->piece_a->orientation);
    const dry_vec3 piece =
        moves_a ? quat_rotate(of_a, pair->piece_a->position) : quat_rotate(of_b, pair->piece_b->position);
    /* A pair that meets later in the step is seen where it meets. */
    const dry_vec3 met = vec3_sub(piece, quat_rotate(axes, pose->position)),
                   way = quat_rotate(of_a, pair->way);
    return (dry_neighbors){.update = u,
                           .fixed = moves_a ? link->body_b : link->body_a,
                           .moving = moves_a ? link->body_a : link->body_b,
                           .shape = moves_a ? m->shape_a : m->shape_b,
                           .own = moves_a ? m->shape_b : m->shape_a,
                           .child = child_of(u, contact, moves_a),
                           .axes = axes,
                           .origin = moves_a ? vec3_sub(met, way) : vec3_add(met, way)};
}

void dry_keep_to_faces(const dry_contact_update *u, int contact, const dry_contact_pair *pair,
                       const dry_pair_frame *frame, float margin, dry_local_manifold *found)
{
    const dry_contact_link *link = &u->contacts->link[contact];
    if (found->count == 0)
        return;
    const bool moves_a = dry_body_state_of(u->bodies, link->body_a)->type == DRY_BODY_DYNAMIC;
    const dry_geometry *solid = moves_a ? &frame->b : &frame->a;
    dry_local_manifold turned = *found;
    if (moves_a)
        turn_round(&frame->b_in_a, &turned);
    if (!dry_solid_asks(solid, &turned))
        return;
    const dry_transform identity = transform_identity();
    const dry_transform a_in_b = transform_relative(&frame->b_in_a, &identity);
    const dry_solid_floor floor = {solid, moves_a ? &frame->a : &frame->b, moves_a ? &a_in_b : &frame->b_in_a,
                                   margin, u->settings->level};
    const dry_neighbors neighbors = neighbors_of(u, contact, pair, floor.pose, moves_a);
    if (!dry_solid_keep_to_faces(&floor, &neighbors, &turned))
        return;
    if (moves_a)
        turn_round(&a_in_b, &turned);
    *found = turned;
}
