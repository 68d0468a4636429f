/* Points ahead of a triangle. Below a slope that rises from its edge the plane is out of the way of all
 * bodies: there it may reach beyond the edge, as far as bodies approach in the step, and as far as a point is
 * below it. Below the edge there is a wedge where points lie over neither of the two planes' triangles.
 *
 * The slope is a triangle of the same surface, or another surface: it rises from the edge, and is near the
 * point. */
#include "narrowphase/patches/near_triangles.h"

/* A surface goes on as another unless that one falls away by this slope. Less would not show beside a needle.
 */
#define FALL_LEAST 5e-3f

/* Returns how far a point lies beyond an edge of a triangle, m. */
static float beyond_edge(const dry_near_triangle *t, int k, dry_vec3 point)
{
    return vec3_dot(t->outward[k], vec3_sub(point, t->corner[k]));
}

bool dry_lies_within(const dry_near_triangle *triangle, dry_vec3 point, float distance)
{
    for (int k = 0; k < 3; k++)
        if (beyond_edge(triangle, k, point) > distance)
            return false;
    return true;
}

bool dry_lies_across(const dry_near_triangle *triangle, const dry_near_triangle *other, dry_vec3 point)
{
    for (int k = 0; k < 3; k++) {
        const float beyond = beyond_edge(triangle, k, point);
        for (int i = 0; i < 3 && beyond > SAME_SURFACE; i++)
            if (beyond_edge(triangle, k, other->corner[i]) > beyond)
                return true;
    }
    return false;
}

/* Tells whether a point lies over the plane of a triangle, where any triangle has it. */
static bool is_over_plane(const dry_near_list *list, const dry_near_triangle *of, dry_vec3 point)
{
    for (int i = 0; i < list->count; i++) {
        const dry_near_triangle *t = &list->triangle[i];
        if (dry_is_plane(t->normal, t->offset, of->normal, of->offset) &&
            dry_lies_within(t, point, SAME_SURFACE))
            return true;
    }
    return false;
}

/* Tells whether a point lies over the surface that rises beyond an edge. */
static bool is_over_neighbor(const dry_near_list *list, const dry_near_triangle *t, int edge, dry_vec3 point)
{
    int its_edge, i = dry_near_list_beyond(list, 0, t, edge, &its_edge);
    while (i < list->count && !is_over_plane(list, &list->triangle[i], point))
        i = dry_near_list_beyond(list, i + 1, t, edge, &its_edge);
    return i < list->count;
}

/* Tells whether another surface rises from a point of an edge, and is near a point beyond it. */
static bool is_near_other(const dry_patch_pair *pair, dry_vec3 normal, dry_vec3 on_edge, dry_vec3 point)
{
    return !pair->admit_beside(pair->beside, on_edge, normal, SAME_SURFACE, LEAN_MOST) &&
           !pair->admit_beside(pair->beside, point, normal, pair->closing, LEAN_MOST);
}

bool dry_lies_ahead(const dry_near_list *list, const dry_near_triangle *triangle, dry_vec3 point, float depth)
{
    const bool is_deep = depth >= SAME_SURFACE;
    const float far = is_deep ? depth : list->pair->closing;
    int edge = -1;
    dry_vec3 on_edge = point;
    for (int k = 0; k < 3; k++) {
        const float beyond = beyond_edge(triangle, k, point);
        if (beyond <= SAME_SURFACE)
            continue;
        const int edges = is_deep ? triangle->rises : triangle->rises | triangle->ends;
        if (edge >= 0 || !(edges >> k & 1) || beyond > far)
            return false;
        edge = k;
        on_edge = vec3_add_scaled(point, -beyond, triangle->outward[k]);
    }
    if (edge < 0)
        return false;
    return triangle->rises >> edge & 1 ? is_over_neighbor(list, triangle, edge, point)
                                       : is_near_other(list->pair, triangle->normal, on_edge, point);
}

/* Tells whether the plane of a triangle goes on beyond an edge of it, in another triangle of the list. */
static bool plane_goes_on(const dry_near_list *list, const dry_near_triangle *t, int edge)
{
    int its_edge;
    const int i = dry_near_list_beyond(list, 0, t, edge, &its_edge);
    const dry_near_triangle *other = &list->triangle[i];
    return i < list->count && dry_is_plane(t->normal, t->offset, other->normal, other->offset);
}

/* Tells whether other surfaces go on in the plane of a triangle from a point on an edge where its own ends:
 * they admit the triangle's normal, and none that leans outward. */
static bool others_go_on(const dry_patch_pair *pair, const dry_near_triangle *t, int edge, dry_vec3 point)
{
    const dry_vec3 leaning =
        vec3_normalize_or(vec3_add_scaled(t->normal, FALL_LEAST, t->outward[edge]), t->normal);
    return !pair->admit_beside(pair->beside, point, leaning, SAME_SURFACE, LEAN_MOST) &&
           pair->admit_beside(pair->beside, point, t->normal, SAME_SURFACE, LEAN_MOST);
}

bool dry_goes_on(const dry_near_list *list, const dry_near_triangle *triangle, dry_vec3 point)
{
    bool is_on_edge = false;
    for (int k = 0; k < 3 && triangle->ends; k++) {
        if (beyond_edge(triangle, k, point) < -SAME_SURFACE)
            continue;
        is_on_edge = true;
        if (!(triangle->ends >> k & 1 ? others_go_on(list->pair, triangle, k, point)
                                      : plane_goes_on(list, triangle, k)))
            return false;
    }
    return is_on_edge;
}
