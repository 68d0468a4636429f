/* The contact of a piece and a solid, by the function of the pair. A triangle is a prism below the side that
 * is met, as it is in the step.
 *
 * Reads: a piece, a solid. Writes: a contact. Next: narrowphase/collide.h. */
#include "narrowphase/queries/search.h"

#include "narrowphase/collide.h"
#include "narrowphase/pairs/hull_hull.h"
#include "narrowphase/pairs/polytope.h"
#include "narrowphase/patches/near_triangles.h"
#include "narrowphase/piece.h"

static dry_double3 origin_of(const dry_placed *s)
{
    return double3_sub(s->center,
                       double3_from_axes(s->axis, double3_of(vec3_mul(s->about, s->geometry.size))));
}

/* Returns a vector of the pair's frame in that of the query. A prism's axes are the query's. */
static dry_double3 turned_back(const dry_placed *a, dry_vec3 v)
{
    return a->kind == DRY_PLACED_TRIANGLE ? double3_of(v) : double3_from_axes(a->axis, double3_of(v));
}

/* Makes the prism of a triangle, about an origin. Where both sides are met, the solid's center chooses. */
static dry_geometry prism_of(const dry_query_piece *piece, const dry_placed *solid, dry_double3 origin,
                             dry_prism *prism)
{
    const dry_placed *a = &piece->solid;
    const dry_double3 side = piece->has_front ? piece->front : double3_sub(solid->center, a->center);
    const bool turned = double3_dot(side, piece->normal) < 0.0;
    dry_near_triangle t = {.normal = vec3_of(turned ? double3_neg(piece->normal) : piece->normal)};
    for (int i = 0; i < 3; i++)
        t.corner[turned && i > 0 ? 3 - i : i] =
            vec3_of(double3_add(double3_sub(a->center, origin), a->corner[i]));
    t.area = (float)double3_length(
        double3_cross(double3_sub(a->corner[1], a->corner[0]), double3_sub(a->corner[2], a->corner[0])));
    dry_prism_make(prism, &t, (float)((double)DRY_PRISM_DEPTH * (solid->reach + solid->radius)));
    return dry_prism_geometry(prism);
}

bool dry_piece_meet(const dry_query_piece *piece, const dry_placed *solid, double margin,
                    dry_query_contact *contact)
{
    const dry_placed *a = &piece->solid;
    const dry_double3 origin = origin_of(solid);
    const bool is_triangle = a->kind == DRY_PLACED_TRIANGLE;
    dry_prism prism;
    const dry_piece first = {is_triangle ? prism_of(piece, solid, origin, &prism) : a->geometry,
                             transform_identity(), (float)(a->reach + a->radius)};
    const dry_piece second = {solid->geometry, transform_identity(), (float)(solid->reach + solid->radius)};
    const dry_double3 way =
        is_triangle ? double3(0.0, 0.0, 0.0) : double3_along_axes(a->axis, double3_sub(origin, origin_of(a)));
    const dry_relative_pose relative = {way, quat_mul(quat_conjugate(a->turn), solid->turn)};
    const dry_pair_frame frame = dry_pair_frame_of(&first, &second, &relative);
    dry_local_manifold found = {.normal = {0.0f, 1.0f, 0.0f}}; /* which a triangle without points leaves */
    if (is_triangle && dry_type_is_polytope(solid->geometry.type))
        dry_collide_on_face(DRY_LEVEL_LEAST_LANES, &frame.a, &frame.b, &frame.b_in_a, (float)margin,
                            DRY_PRISM_TRIANGLE, &found);
    else
        dry_collide(&frame.a, &frame.b, &frame.b_in_a, (float)margin, &found);
    contact->normal = turned_back(a, found.normal);
    contact->count = found.count;
    contact->deepest = 0;
    for (int i = 0; i < found.count; i++) {
        const dry_local_point *p = &found.points[i];
        const dry_vec3 from = vec3_sub(p->position, frame.b_in_a.position);
        const dry_double3 middle = double3_add(origin, turned_back(a, from));
        const double separation = (double)p->separation;
        contact->point[i] =
            (dry_query_point){double3_add_scaled(middle, -0.5 * separation, contact->normal), separation};
        if (separation < contact->point[contact->deepest].separation)
            contact->deepest = i;
    }
    if (found.count > 0)
        contact->at = contact->point[contact->deepest].on_a;
    return found.count > 0 || (double)found.separation_min <= margin;
}
