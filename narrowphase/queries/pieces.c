/* The walk over the pieces of a shape. A type made of pieces has its case here; all queries but rays follow.
 *
 * Reads: a geometry. Next: search.c. */
#include "narrowphase/queries/pieces.h"

#include "geometry/compound.h"

typedef struct child_walk {
    const dry_geometry *compound;
    const dry_placed_pose *pose;
    dry_visit_piece *visit;
    void *context;
} child_walk;

static void visit_child(void *context, int child)
{
    const child_walk *walk = context;
    const dry_piece piece = dry_compound_piece(walk->compound, child);
    const dry_placed_pose pose = dry_placed_pose_mul(walk->pose, &piece.pose);
    const dry_placed solid = dry_placed_of(&piece.geometry, &pose);
    walk->visit(walk->context, &solid, child, -1);
}

void dry_visit_pieces(const dry_geometry *geometry, const dry_placed_pose *pose, const dry_extents *box,
                      dry_visit_piece *visit, void *context)
{
    if (geometry->type == DRY_SHAPE_COMPOUND) {
        child_walk walk = {geometry, pose, visit, context};
        dry_compound_query(geometry, box, visit_child, &walk);
        return;
    }
    const dry_placed solid = dry_placed_of(geometry, pose);
    visit(context, &solid, -1, -1);
}
