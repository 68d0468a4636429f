/* The points with which a piece and a solid touch. Next: contact.c. */
#ifndef NARROWPHASE_QUERIES_CONTACT_H
#define NARROWPHASE_QUERIES_CONTACT_H

#include "narrowphase/queries/pieces.h"

typedef struct dry_query_point {
    dry_double3 on_a;  /* on the surface of the piece, m */
    double separation; /* from there to the solid along the normal, m; negative inside */
} dry_query_point;

typedef struct dry_query_contact {
    dry_double3 normal; /* unit, from the piece to the solid */
    int count;          /* 0 to 4 */
    int deepest;        /* the number of that point */
    dry_query_point point[4];
    dry_double3 at; /* where the piece is met, on its surface: the deepest point, or the solid's way out, m */
} dry_query_contact;

/* Finds the contact that the step would have: up to four points no farther apart than `margin`, m. Returns
 * whether they may be that near: then without points they are nearest at an edge or a corner. That of a
 * triangle and a box or a hull is on the triangle's face. */
bool dry_piece_meet(const dry_query_piece *piece, const dry_placed *solid, double margin,
                    dry_query_contact *contact);

#endif
