/* An edge or a corner that is met has a normal of its own, which tells nothing of the slope beside it. */
#include "narrowphase/queries/search.h"

#include <float.h>

typedef struct face_choice {
    dry_double3 at, way; /* the point from the core's center, m */
    double slack, least;
    dry_double3 normal;
} face_choice;

/* Chooses a face with this unit normal and offset from the center, m, if it is a better one. */
static void consider(face_choice *c, dry_double3 normal, double offset)
{
    const double along = double3_dot(normal, c->way);
    if (double3_dot(normal, c->at) < offset - c->slack || along >= c->least)
        return;
    c->least = along;
    c->normal = normal;
}

static void consider_hull(face_choice *c, const dry_placed *s)
{
    for (int i = 0; i < s->hull->face_count; i++) {
        double offset;
        const dry_double3 normal = dry_placed_hull_normal(s, i, &offset);
        consider(c, normal, offset);
    }
}

dry_double3 dry_piece_face_normal(const dry_query_piece *piece, dry_double3 point, dry_double3 normal,
                                  dry_double3 way, double slack)
{
    const dry_placed *s = &piece->solid;
    face_choice c = {double3_sub(point, s->center), way, slack, DBL_MAX, normal};
    if (s->kind == DRY_PLACED_TRIANGLE)
        return double3_dot(normal, piece->normal) < 0.0 ? double3_neg(piece->normal) : piece->normal;
    if (s->kind == DRY_PLACED_HULL)
        consider_hull(&c, s);
    const bool round = s->kind == DRY_PLACED_CYLINDER;
    for (int i = 0; i < 3; i++) {
        if (s->kind != DRY_PLACED_BOX && !(round && i == 1))
            continue;
        consider(&c, s->axis[i], s->half[i]);
        consider(&c, double3_neg(s->axis[i]), s->half[i]);
    }
    if (round) {
        const dry_double3 out = double3_add_scaled(c.at, -double3_dot(c.at, s->axis[1]), s->axis[1]);
        const double length = double3_length(out);
        if (length > 0.0)
            consider(&c, double3_scale(out, 1.0 / length), s->half[0]);
    }
    return c.normal;
}
