/* Hull against capsule: the capsule's segment against the hull, at one point or at both ends of a stretch
 * that lies on a face.
 *
 * The feature is 4 times the part of the hull, plus the part of the capsule (DRY_CAPSULE_LOW, _HIGH,
 * _BETWEEN). Parts of the hull are its faces, then INSIDE, and from FIRST_PLACE on the places between
 * vertices. */
#include "narrowphase/depth.h"
#include "narrowphase/pairs/pairs.h"
#include "narrowphase/pairs/polytope_closest.h"
#include "narrowphase/pairs/round.h"
#include "narrowphase/pairs/rules.h"

enum { INSIDE = 1 << 10, FIRST_PLACE = 1 << 11 };

/* A hull and the core of a capsule about its center: the points middle + t half, t from -1 to 1. */
typedef struct meeting {
    dry_polytope hull;
    const dry_polytope_kernels *kernels;
    dry_vec3 middle, half;
    float radius, margin, rounding;
} meeting;

static dry_vec3 core_at(const meeting *m, float t)
{
    return vec3_add_scaled(m->middle, t, m->half);
}

/* Adds a point; on_hull is in the frame of the pair. */
static void add(const meeting *m, dry_vec3 on_hull, float separation, uint32_t part, uint32_t end,
                dry_local_manifold *manifold)
{
    dry_add_core_point(manifold, on_hull, 0.0f, separation, m->radius, m->margin, 4 * part + end);
}

/* Finds the stretch of the core that lies over a face, seen along the normal n. Returns false if there is
 * none. */
static bool stretch_over_face(const meeting *m, int face, dry_vec3 n, float *low, float *high)
{
    const dry_polytope *p = &m->hull;
    const dry_vec3 own = dry_polytope_normal(p, face);
    const float inverse = 1.0f / vec3_dot(own, n);
    /* The core, moved along n into the plane of the face. */
    const float height = vec3_dot(own, m->middle) - dry_polytope_offset(p, face);
    const dry_vec3 middle = vec3_add_scaled(m->middle, -height * inverse, n);
    const dry_vec3 half = vec3_add_scaled(m->half, -vec3_dot(own, m->half) * inverse, n);
    *low = -1.0f;
    *high = 1.0f;
    int h = p->first[face];
    do {
        const dry_vec3 from = dry_polytope_vertex(p, p->origin[h]);
        const dry_vec3 along = vec3_sub(dry_polytope_vertex(p, p->origin[p->next[h]]), from);
        const dry_vec3 inward = vec3_scale(vec3_cross(own, along), p->winding);
        const float at = vec3_dot(inward, vec3_sub(middle, from)), slope = vec3_dot(inward, half);
        const float length = vec3_length(inward);
        if (dry_abs(slope) <= 1e-6f * length * vec3_length(half)) {
            if (at < -m->rounding * length)
                return false;
        } else if (slope > 0.0f) {
            *low = dry_max(*low, -at / slope);
        } else {
            *high = dry_min(*high, -at / slope);
        }
        h = p->next[h];
    } while (h != p->first[face]);
    return *low <= *high;
}

/* Returns whether a stretch is long enough, and flat enough on the face, to touch at both ends. */
static bool lies_on_face(const meeting *m, int face, float low, float high)
{
    const float across = vec3_dot(dry_polytope_normal(&m->hull, face), m->half);
    const float along = sqrtf(dry_max(0.0f, vec3_length_squared(m->half) - across * across));
    return dry_abs(across) <= along && (high - low) * along > PAIR_STRETCH_LEAST * m->radius;
}

/* Adds the core's point at t against a face, with the separation measured along the normal. */
static void add_face_point(const meeting *m, int face, float t, uint32_t end, dry_local_manifold *manifold)
{
    const dry_vec3 own = dry_polytope_normal(&m->hull, face), point = core_at(m, t);
    const float height = vec3_dot(own, point) - dry_polytope_offset(&m->hull, face);
    const float separation = height / vec3_dot(own, manifold->normal);
    add(m, dry_polytope_from_center(&m->hull, vec3_add_scaled(point, -separation, manifold->normal)),
        separation, (uint32_t)face, end, manifold);
}

/* Names the place on the hull by the vertices that it lies between. */
static uint32_t place_of(const dry_closest_points *found)
{
    int low = found->of_a[0], high = low;
    for (int i = 1; i < found->count; i++) {
        low = dry_min_int(low, found->of_a[i]);
        high = dry_max_int(high, found->of_a[i]);
    }
    return FIRST_PLACE + (uint32_t)(low << 8 | high);
}

/* Adds the points of a core, given the points of both, about the hull's center, that are nearest, or that
 * touch once the core has left the hull on the shortest way, and the place on the hull. */
static void add_points(const meeting *m, const dry_gap *gap, uint32_t place, dry_local_manifold *manifold)
{
    const dry_vec3 n = triple_round(gap->normal), on_core = triple_round(gap->on_b);
    const dry_vec3 on_hull = dry_polytope_from_center_double(&m->hull, gap->on_a);
    const float distance = (float)gap->separation, square = vec3_length_squared(m->half);
    const float t = square > 0.0f ? vec3_dot(vec3_sub(on_core, m->middle), m->half) / square : 0.0f;
    manifold->normal = n;
    const int face = dry_polytope_face_along(&m->hull, m->kernels, n);
    const float cosine = vec3_dot(dry_polytope_normal(&m->hull, face), n);
    uint32_t part = place;
    float low, high;
    if (cosine > (float)PAIR_ON_FACE) {
        part = (uint32_t)face;
        if (stretch_over_face(m, face, n, &low, &high) && lies_on_face(m, face, low, high)) {
            /* Over an edge of the face, or over another face in almost the same plane, the nearest point
             * takes the place of the nearer end. */
            const bool over = cosine >= 1.0f - 1e-6f && t >= low - 1e-4f && t <= high + 1e-4f;
            const bool low_nearer = dry_abs(t - low) <= dry_abs(t - high);
            if (over || !low_nearer)
                add_face_point(m, face, low, DRY_CAPSULE_LOW, manifold);
            if (!over)
                add(m, on_hull, distance, part, low_nearer ? DRY_CAPSULE_LOW : DRY_CAPSULE_HIGH, manifold);
            if (over || low_nearer)
                add_face_point(m, face, high, DRY_CAPSULE_HIGH, manifold);
            if (manifold->count > 0)
                return;
        }
    }
    add(m, on_hull, distance, part, dry_capsule_part(t, 1.0f), manifold);
}

void dry_collide_hull_capsule(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                              float margin, dry_local_manifold *manifold)
{
    meeting m;
    m.kernels = dry_polytope_kernels_at(DRY_LEVEL_LEAST_LANES);
    m.radius = b->size.x;
    m.margin = margin;
    dry_polytope_begin(&m.hull, a, NULL);
    const double *center = m.hull.center;
    const dry_vec3 at = b_in_a->position;
    /* In double and in float: see dry_polytope_from_center_double. */
    const dry_triple middle =
        triple((double)at.x - center[0], (double)at.y - center[1], (double)at.z - center[2]);
    m.middle = triple_round(middle);
    m.half = quat_rotate(b_in_a->orientation, vec3(0.0f, b->size.y, 0.0f));
    const float distance = vec3_length(m.middle);
    m.rounding = PAIR_ROUNDING * (distance + m.hull.radius + b->size.y);
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->count = 0;
    manifold->separation_min = distance - m.hull.radius - b->size.y - m.radius - m.rounding;
    if (manifold->separation_min > margin)
        return;
    m.kernels->polytope_place_vertices(&m.hull);
    const dry_polytope_at hull = {&m.hull, m.kernels, {0.0, 0.0, 0.0}};
    const dry_placed core = {.kind = DRY_PLACED_SEGMENT,
                             .center = middle,
                             .axis[1] = triple_of(m.half),
                             .half[1] = 1.0,
                             .reach = (double)b->size.y};
    dry_closest_points found;
    dry_find_closest(&(dry_convex){dry_polytope_support_at, &hull},
                     &(dry_convex){dry_placed_support_at, &core}, middle, &found);
    manifold->separation_min = (float)found.distance - m.radius;
    if (manifold->separation_min > margin)
        return;
    m.kernels->polytope_place_planes(&m.hull);
    dry_gap gap = {found.distance, found.normal, found.on_a, found.on_b};
    /* At a smaller distance the direction is rounding error. */
    if (found.count < 4 && found.distance > (double)m.rounding) {
        add_points(&m, &gap, place_of(&found), manifold);
        return;
    }
    const dry_placed_pose home = {{0.0, 0.0, 0.0}, {0.0f, 0.0f, 0.0f, 1.0f}};
    dry_placed solid = dry_placed_of(a, &home);
    solid.center = home.position;
    dry_placed_depth(&solid, &core, gap.on_a, &gap);
    add_points(&m, &gap, INSIDE, manifold);
}
