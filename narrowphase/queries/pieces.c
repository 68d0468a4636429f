/* The walk over the pieces of a shape. A type made of pieces has its case here; all queries but rays follow.
 *
 * Reads: a geometry. Next: search.c. */
#include "narrowphase/queries/search.h"

#include "geometry/compound.h"
#include "geometry/triangles.h"

typedef struct piece_walk {
    const dry_target *target;
    dry_visit_piece *visit;
    void *context;
    dry_double3 axis[3]; /* of the shape */
    dry_triangle_sides sides;
} piece_walk;

static void visit_child(void *context, int child)
{
    const piece_walk *walk = context;
    const dry_piece piece = dry_compound_piece(&walk->target->geometry, child);
    const dry_placed_pose pose = dry_placed_pose_mul(&walk->target->pose, &piece.pose);
    const dry_query_piece found = {
        .solid = dry_placed_of(&piece.geometry, &pose), .child = child, .triangle = -1, .face = UINT32_MAX};
    walk->visit(walk->context, &found);
}

/* Faces that are no triangles look outward, whichever side of triangles is met. */
static bool visit_face(void *context, uint32_t slot)
{
    const piece_walk *walk = context;
    dry_double3 at[3], corner[3];
    dry_triangles_corners(&walk->target->geometry, slot, at);
    for (int i = 0; i < 3; i++) {
        corner[i] = double3_add_scaled(walk->target->pose.position, at[i].x, walk->axis[0]);
        corner[i] = double3_add_scaled(corner[i], at[i].y, walk->axis[1]);
        corner[i] = double3_add_scaled(corner[i], at[i].z, walk->axis[2]);
    }
    const dry_double3 n = double3_cross(double3_sub(corner[1], corner[0]), double3_sub(corner[2], corner[0]));
    const bool is_triangle = slot < DRY_TRIANGLES_END;
    const double side = is_triangle && walk->sides == DRY_SIDES_BACK ? -1.0 : 1.0;
    const double length = double3_length(n);
    if (!(length > 0.0))
        return true;
    const dry_double3 normal = double3_scale(n, 1.0 / length);
    const uint32_t number = dry_triangles_number(&walk->target->geometry, slot);
    const dry_query_piece found = {.solid = dry_placed_triangle(corner),
                                   .child = walk->target->as_child - 1,
                                   .triangle = is_triangle ? (int)number : -1,
                                   .face = number,
                                   .material = dry_triangles_material(&walk->target->geometry, slot),
                                   .has_front = walk->sides != DRY_SIDES_BOTH,
                                   .mirrored = dry_triangles_are_mirrored(&walk->target->geometry),
                                   .front = double3_scale(normal, side),
                                   .normal = normal};
    return walk->visit(walk->context, &found);
}

void dry_visit_pieces(const dry_target *target, const dry_extents *box, dry_visit_piece *visit, void *context)
{
    piece_walk walk = {.target = target, .visit = visit, .context = context, .sides = target->sides};
    if (target->geometry.type == DRY_SHAPE_COMPOUND) {
        dry_compound_query(&target->geometry, box, visit_child, &walk);
    } else if (dry_type_has_triangles(target->geometry.type)) {
        if (walk.sides == DRY_SIDES_OF_SHAPE)
            walk.sides = dry_triangles_have_backs(&target->geometry) ? DRY_SIDES_BOTH : DRY_SIDES_FRONT;
        double3_axes(target->pose.orientation, walk.axis);
        dry_triangles_visit(&target->geometry, true, double3_of(box->low), double3_of(box->high), visit_face,
                            &walk);
    } else {
        const dry_query_piece whole = {.solid = dry_placed_of(&target->geometry, &target->pose),
                                       .child = target->as_child - 1,
                                       .triangle = -1,
                                       .face = UINT32_MAX};
        visit(context, &whole);
    }
}
