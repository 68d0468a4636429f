/* Compounds: shapes at fixed places, which collide as one shape. */
#ifndef GEOMETRY_COMPOUND_H
#define GEOMETRY_COMPOUND_H

#include "geometry/geometry.h"
#include "geometry/shape_data.h"

/* Contacts name a part of a compound by one number, its piece. A convex child is one piece, and a child of
 * triangles one for each slot of its data: child and triangle follow from the number. */
typedef struct dry_compound {
    int count;
    int surface_count;     /* children that are surfaces of triangles */
    const uint32_t *first; /* piece of each child, and the number of all pieces */
    const dry_extents
        *bounds;          /* of each child without the compound's scale; then rows of boxes around them */
    dry_piece children[]; /* in the compound's frame */
} dry_compound;

static inline const dry_compound *dry_compound_of(const dry_geometry *geometry)
{
    return geometry->data->form;
}

/* Returns the reason why shapes make no compound, and writes the number of the child; null if they do. */
const char *dry_compound_error(const dry_shape_def *children, int count, int *child);

/* Makes a compound of sound children, and retains their data. Returns null if memory fails. */
dry_shape_data *dry_compound_make(const dry_shape_def *children, int count,
                                  const dry_data_services *services);

uint64_t dry_compound_hash(const dry_compound *compound);

/* Returns a child of a compound as the compound's scale leaves it. */
dry_piece dry_compound_piece(const dry_geometry *compound, int child);

/* Returns the child that has a piece. Writes the slot of the triangle that it is; 0 for a convex child. */
int dry_compound_child_of(const dry_geometry *compound, uint32_t piece, uint32_t *slot);

/* Returns the lowest number of a child that holds a point, m; -1: none. */
int dry_compound_child_at(const dry_geometry *compound, dry_double3 point);

/* Visits the children whose bounds overlap a box in the compound's frame, by rising number. */
typedef void dry_compound_visit(void *context, int child);
void dry_compound_query(const dry_geometry *compound, const dry_extents *box, dry_compound_visit *visit,
                        void *context);

#endif
