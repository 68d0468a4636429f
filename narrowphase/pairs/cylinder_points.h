/* The points of a pair with a cylinder while they are gathered: more than four may be offered. */
#ifndef NARROWPHASE_PAIRS_CYLINDER_POINTS_H
#define NARROWPHASE_PAIRS_CYLINDER_POINTS_H

#include "narrowphase/pairs/cylinder.h"

enum { DRY_OFFERED_MAX = 64 };

/* Parts of the cylinder that touch; those of the upper end have DRY_PART_HIGH added. */
enum {
    DRY_PART_DEEPEST = 0, /* of the rim; also the end of a line along the side */
    DRY_PART_OPPOSITE,
    DRY_PART_LEFT,
    DRY_PART_RIGHT,
    DRY_PART_BETWEEN,                 /* the first of four points of the rim between those */
    DRY_PART_SIDE = DRY_PART_BETWEEN, /* a single point between the ends */
    DRY_PART_END,                     /* a single point within the rim */
    DRY_PART_HIGH = 8,
    DRY_PART_CORNER = 16, /* with 4 times a corner's number: a corner of the partner, within the rim */
};

typedef struct dry_offered {
    dry_triple at; /* on the cylinder */
    double separation;
    uint32_t feature;
} dry_offered;

typedef struct dry_point_list {
    const dry_cylinder_pair *pair;
    const dry_cylinder_gap *gap;
    double margin;
    dry_triple u;         /* unit, across the axis: from it to the deepest point */
    double across, along; /* the normal's components across and along the axis, not negative */
    double side;          /* 1 or -1: the sign of the end that faces the partner */
    bool leans;           /* the load leans to a side, along `lean`, a unit vector across the axis */
    dry_triple lean;
    uint32_t place; /* part of the partner, added to each feature */
    int count;
    dry_offered point[DRY_OFFERED_MAX];
} dry_point_list;

/* A flat disc: an end of a cylinder. */
typedef struct dry_disc {
    dry_triple center, axis;
    double radius;
} dry_disc;

/* A straight core: the points middle + t half, t from -1 to 1, and a radius around them. */
typedef struct dry_line {
    dry_triple middle, half;
    double radius;
} dry_line;

/* A face of the partner: corners counterclockwise seen from outside, and the outward normal. */
typedef struct dry_facet {
    int count;
    const dry_triple *corner;
    dry_triple normal;
} dry_facet;

static inline void dry_offer(dry_point_list *list, dry_triple at, double separation, uint32_t feature)
{
    if (separation <= list->margin && list->count < DRY_OFFERED_MAX)
        list->point[list->count++] = (dry_offered){at, separation, list->place + feature};
}

/* Each of these offers the points of two parts that face each other along the normal. */
void dry_offer_end_on_facet(dry_point_list *list, const dry_facet *facet);
void dry_offer_side_on_facet(dry_point_list *list, const dry_facet *facet);
void dry_offer_end_on_end(dry_point_list *list, const dry_disc *other);
/* The partner's line on the cylinder's end, or the cylinder's side on the partner's end. */
void dry_offer_line_on_end(dry_point_list *list, const dry_line *line);
void dry_offer_side_on_end(dry_point_list *list, const dry_disc *other);
/* The partner's line along the cylinder's side. */
void dry_offer_line_on_side(dry_point_list *list, const dry_line *line);

/* Returns the end of the cylinder that faces the partner. */
static inline dry_disc dry_facing_end(const dry_point_list *list)
{
    const dry_cylinder *c = &list->pair->cylinder;
    return (dry_disc){triple(0.0, list->side * c->half_length, 0.0), triple(0.0, 1.0, 0.0), c->radius};
}

/* Returns the line of the cylinder's side that faces the partner. */
static inline dry_line dry_facing_side(const dry_point_list *list)
{
    const dry_cylinder *c = &list->pair->cylinder;
    return (dry_line){triple_scale(list->u, c->radius), triple(0.0, c->half_length, 0.0), 0.0};
}

#endif
