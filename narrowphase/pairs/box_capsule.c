/* Box against capsule: the capsule's segment against the box, at one point or at both ends of a stretch that
 * lies on a face.
 *
 * The feature is 4 times the part of the box, plus the part of the capsule (DRY_CAPSULE_LOW, _HIGH,
 * _BETWEEN). Parts of the box are its faces, 2 axis + (negative side), then from FIRST_REGION on its 27
 * regions: faces, edges and corners by the signs of the normal. */
#include "core/math.h"
#include "narrowphase/depth.h"
#include "narrowphase/pairs/pairs.h"
#include "narrowphase/pairs/round.h"
#include "narrowphase/pairs/rules.h"

enum { FIRST_REGION = 6 };

/* The core of a capsule in the frame of a box: the points middle + t half, t from -1 to 1. */
typedef struct core {
    float h[3]; /* of the box: half extents, m */
    float middle[3], half[3];
    float radius;
} core;

/* Returns coordinate k of the core's point at t. */
static float at(const core *c, int k, float t)
{
    return c->middle[k] + t * c->half[k];
}

static dry_vec3 core_point(const core *c, float t)
{
    return vec3(at(c, 0, t), at(c, 1, t), at(c, 2, t));
}

/* Returns how far x lies beyond the interval -h to h, with its sign. */
static float beyond(float x, float h)
{
    return x - dry_clamp(x, -h, h);
}

/* Returns half the derivative of the squared distance from the box along the core. The distance is convex, so
 * the derivative never falls with t. */
static float slope(const core *c, float t)
{
    float sum = 0.0f;
    for (int k = 0; k < 3; k++)
        sum += c->half[k] * beyond(at(c, k, t), c->h[k]);
    return sum;
}

/* Returns t where the core is nearest to the box. The slope of the squared distance is linear between the
 * planes of the box's faces, so interpolation between them finds its root. */
static float nearest_to_box(const core *c)
{
    float low = -1.0f, high = 1.0f, slope_low = slope(c, low), slope_high = slope(c, high);
    if (slope_low > 0.0f)
        return low;
    if (slope_high < 0.0f)
        return high;
    float flat_low = slope_low == 0.0f ? low : slope_high == 0.0f ? high : 2.0f;
    float flat_high = slope_high == 0.0f ? high : slope_low == 0.0f ? low : -2.0f;
    for (int k = 0; k < 3; k++) {
        for (int side = -1; side <= 1 && c->half[k] != 0.0f; side += 2) {
            float t = ((float)side * c->h[k] - c->middle[k]) / c->half[k];
            if (!(t > low && t < high))
                continue;
            float value = slope(c, t);
            if (value < 0.0f) {
                low = t;
                slope_low = value;
            } else if (value > 0.0f) {
                high = t;
                slope_high = value;
            } else {
                flat_low = dry_min(flat_low, t);
                flat_high = dry_max(flat_high, t);
            }
        }
    }
    if (flat_low <= flat_high)
        return dry_clamp(0.5f * (flat_low + flat_high), low, high);
    return slope_high > slope_low ? low + (high - low) * (-slope_low / (slope_high - slope_low)) : low;
}

/* Finds the stretch of the core that lies over the box's face across axis k, seen along the normal n. Returns
 * false if there is none. */
static bool stretch_over_face(const core *c, int k, dry_vec3 n, float *low, float *high)
{
    float along = vec3_get(n, k), sign = along < 0.0f ? -1.0f : 1.0f;
    float height = sign * c->middle[k] - c->h[k], climb = sign * c->half[k];
    *low = -1.0f;
    *high = 1.0f;
    for (int i = 1; i < 3; i++) {
        int u = (k + i) % 3;
        float lean = vec3_get(n, u) / dry_abs(along);
        float middle = c->middle[u] - lean * height, half = c->half[u] - lean * climb;
        if (dry_abs(half) <= 1e-12f * c->h[u]) {
            if (dry_abs(middle) > c->h[u])
                return false;
            continue;
        }
        float end = half > 0.0f ? c->h[u] : -c->h[u];
        *low = dry_max(*low, (-end - middle) / half);
        *high = dry_min(*high, (end - middle) / half);
    }
    return *low <= *high;
}

/* Returns whether a stretch is long enough, and flat enough on the face, to touch at both ends. */
static bool lies_on_face(const core *c, int k, float low, float high)
{
    float x = c->half[(k + 1) % 3], y = c->half[(k + 2) % 3];
    float along = sqrtf(x * x + y * y);
    return dry_abs(c->half[k]) <= along && (high - low) * along > PAIR_STRETCH_LEAST * c->radius;
}

/* Adds the core's point at t against the face across k, with the separation measured along the normal. */
static void add_face_point(const core *c, int k, float t, float margin, uint32_t end,
                           dry_local_manifold *manifold)
{
    float n = vec3_get(manifold->normal, k);
    float height = (n < 0.0f ? -at(c, k, t) : at(c, k, t)) - c->h[k];
    float separation = height / dry_abs(n);
    dry_add_core_point(manifold, vec3_add_scaled(core_point(c, t), -separation, manifold->normal), 0.0f,
                       separation, c->radius, margin, 4 * (2 * (uint32_t)k + (n < 0.0f ? 1u : 0u)) + end);
}

/* Adds the points of a core that is nearest to the box at t, or touches it there once it has left the box on
 * the shortest way. */
static void add_points(const core *c, float t, dry_vec3 nearest, float distance, float margin,
                       dry_local_manifold *manifold)
{
    dry_vec3 n = manifold->normal, absolute = vec3_abs(n);
    int k = absolute.y > absolute.x ? 1 : 0;
    k = absolute.z > vec3_get(absolute, k) ? 2 : k;
    float along = vec3_get(n, k), low, high;
    uint32_t part = 2 * (uint32_t)k + (along < 0.0f ? 1 : 0);
    if (dry_abs(along) > (float)PAIR_ON_FACE) {
        if (stretch_over_face(c, k, n, &low, &high) && lies_on_face(c, k, low, high)) {
            /* Over an edge of the face, the nearest point takes the place of the nearer end. */
            bool over = dry_abs(along) >= 1.0f - 1e-6f, low_nearer = dry_abs(t - low) <= dry_abs(t - high);
            if (over || !low_nearer)
                add_face_point(c, k, low, margin, DRY_CAPSULE_LOW, manifold);
            if (!over)
                dry_add_core_point(manifold, nearest, 0.0f, distance, c->radius, margin,
                                   4 * part + (low_nearer ? DRY_CAPSULE_LOW : DRY_CAPSULE_HIGH));
            if (over || low_nearer)
                add_face_point(c, k, high, margin, DRY_CAPSULE_HIGH, manifold);
            if (manifold->count > 0)
                return;
        }
    } else {
        uint32_t region = 0;
        for (int i = 2; i >= 0; i--)
            region = region * 3 + (vec3_get(n, i) == 0.0f ? 0u : vec3_get(n, i) < 0.0f ? 1u : 2u);
        part = FIRST_REGION + region;
    }
    dry_add_core_point(manifold, nearest, 0.0f, distance, c->radius, margin,
                       4 * part + dry_capsule_part(t, 1.0f));
}

void dry_collide_box_capsule(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                             float margin, dry_local_manifold *manifold)
{
    dry_vec3 middle = b_in_a->position, half = quat_rotate(b_in_a->orientation, vec3(0.0f, b->size.y, 0.0f));
    core c = {{a->size.x, a->size.y, a->size.z},
              {middle.x, middle.y, middle.z},
              {half.x, half.y, half.z},
              b->size.x};
    float t = nearest_to_box(&c);
    dry_vec3 p = core_point(&c, t);
    dry_vec3 d = vec3(beyond(p.x, c.h[0]), beyond(p.y, c.h[1]), beyond(p.z, c.h[2]));
    float distance = vec3_length(d);
    manifold->count = 0;
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->separation_min = distance - c.radius;
    if (manifold->separation_min > margin)
        return;
    /* At a smaller distance the direction is rounding error. */
    dry_vec3 size = vec3_add_scaled(vec3_abs(middle), dry_abs(t), vec3_abs(half));
    if (distance > 2e-7f * dry_max(size.x, dry_max(size.y, size.z))) {
        manifold->normal = vec3_scale(d, 1.0f / distance);
        add_points(&c, t, vec3_sub(p, d), distance, margin, manifold);
        return;
    }
    const dry_placed_pose home = {{0.0, 0.0, 0.0}, {0.0f, 0.0f, 0.0f, 1.0f}};
    const dry_placed_pose there = {triple_of(middle), b_in_a->orientation};
    const dry_placed box = dry_placed_of(a, &home), segment = dry_placed_of(b, &there);
    dry_gap gap;
    dry_placed_depth(&box, &segment, triple_of(p), &gap);
    const dry_vec3 from = vec3_sub(triple_round(gap.on_b), middle);
    const float square = vec3_length_squared(half);
    manifold->normal = triple_round(gap.normal);
    add_points(&c, square > 0.0f ? vec3_dot(from, half) / square : 0.0f, triple_round(gap.on_a),
               (float)gap.separation, margin, manifold);
}
