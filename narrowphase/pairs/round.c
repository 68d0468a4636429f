/* Contacts of spheres and capsules with each other and with boxes. The core of a round shape is a point or
 * a segment; separations are those of the cores less the radii.
 *
 * Features: sphere pairs 0. Capsules: 1 for the low end of the stretch in contact, 2 for its high end, 3
 * for a point between; against a box, 4 times the part of the box is added: faces 2 axis + (negative side),
 * then its 27 regions from 6 on. */
#include "narrowphase/pairs/pairs.h"

enum { LOW = 1, HIGH = 2, BETWEEN = 3, FIRST_REGION = 6 };

/* Segments within this sine of parallel touch along a stretch, not at a point. */
#define PARALLEL_SINE 0.05f
/* A normal this close to a face's takes both ends of a capsule that lies on it. */
#define ON_FACE 0.95f
#define EDGE_ABSOLUTE 0.005f
#define EDGE_RELATIVE 0.05f

static int sign_of(float x)
{
    return x < 0.0f ? -1 : 1;
}

/* One point, from the cores' nearest points and the unit normal. */
static void add_core_point(dry_local_manifold *manifold, dry_vec3 core_a, float radius_a,
                           float core_separation, float radius_b, float margin, uint32_t feature)
{
    float separation = core_separation - radius_a - radius_b;
    if (separation <= margin)
        dry_manifold_add(manifold, vec3_add_scaled(core_a, radius_a + 0.5f * separation, manifold->normal),
                         separation, feature);
}

void dry_collide_sphere_sphere(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                               float margin, dry_local_manifold *manifold)
{
    manifold->count = 0;
    manifold->normal = vec3_normalize_or(b_in_a->position, vec3(0.0f, 1.0f, 0.0f));
    manifold->apart = vec3_length(b_in_a->position) - a->size.x - b->size.x;
    add_core_point(manifold, vec3(0.0f, 0.0f, 0.0f), a->size.x, vec3_length(b_in_a->position), b->size.x,
                   margin, 0);
}

void dry_collide_capsule_sphere(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                float margin, dry_local_manifold *manifold)
{
    dry_vec3 core = vec3(0.0f, dry_clamp(b_in_a->position.y, -a->size.y, a->size.y), 0.0f);
    dry_vec3 d = vec3_sub(b_in_a->position, core);
    manifold->count = 0;
    manifold->normal = vec3_normalize_or(d, vec3(1.0f, 0.0f, 0.0f));
    manifold->apart = vec3_length(d) - a->size.x - b->size.x;
    add_core_point(manifold, core, a->size.x, vec3_length(d), b->size.x, margin, 0);
}

/* The nearest points of the segments c +- y and 0 +- half_a (0, 1, 0), as distances from their middles
 * along their unit directions [Ericson, Real-Time Collision Detection, 5.1.9]. */
static void nearest_on_segments(dry_vec3 c, dry_vec3 y, float half_a, float half_b, float *on_a, float *on_b)
{
    float cosine = y.y, along = vec3_dot(c, y);
    float sine_squared = y.x * y.x + y.z * y.z;
    float s = 0.0f;
    if (sine_squared > 1e-12f)
        s = dry_clamp((c.y - cosine * along) / sine_squared, -half_a, half_a);
    else /* any point of the stretch beside b will do: its middle */
        s = 0.5f * (dry_clamp(c.y - half_b, -half_a, half_a) + dry_clamp(c.y + half_b, -half_a, half_a));
    float t = dry_clamp(cosine * s - along, -half_b, half_b);
    s = dry_clamp(c.y + cosine * t, -half_a, half_a);
    *on_b = dry_clamp(cosine * s - along, -half_b, half_b);
    *on_a = s;
}

void dry_collide_capsule_capsule(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                 float margin, dry_local_manifold *manifold)
{
    dry_vec3 c = b_in_a->position, y = quat_rotate(b_in_a->orientation, vec3(0.0f, 1.0f, 0.0f));
    float half_a = a->size.y, half_b = b->size.y, s, t;
    nearest_on_segments(c, y, half_a, half_b, &s, &t);
    dry_vec3 core = vec3(0.0f, s, 0.0f);
    dry_vec3 d = vec3_sub(vec3_add_scaled(c, t, y), core);
    float distance = vec3_length(d);
    manifold->count = 0;
    manifold->apart = distance - a->size.x - b->size.x;
    if (manifold->apart > margin)
        return;

    /* Nearer than this, the direction is rounding error. */
    float rounding = 2e-7f * (dry_abs(c.x) + dry_abs(c.y) + dry_abs(c.z) + dry_abs(s) + dry_abs(t)) + 1e-15f;
    float sine = sqrtf(y.x * y.x + y.z * y.z);
    if (distance > rounding) {
        manifold->normal = vec3_scale(d, 1.0f / distance);
    } else {
        /* The segments cross: out by the shortest way, across both. */
        dry_vec3 across = vec3(y.z, 0.0f, -y.x);
        manifold->normal = sine > 1e-3f ? vec3_scale(across, 1.0f / sine) : vec3(1.0f, 0.0f, 0.0f);
        if (vec3_dot(manifold->normal, c) < 0.0f)
            manifold->normal = vec3_neg(manifold->normal);
        distance = vec3_dot(manifold->normal, d);
    }

    /* The stretch of a that has b beside it, at both of its ends. */
    if (sine < PARALLEL_SINE && dry_abs(manifold->normal.y) < 0.2f) {
        float half = half_b * dry_abs(y.y);
        float low = dry_max(c.y - half, -half_a), high = dry_min(c.y + half, half_a);
        if (high - low > 0.1f * dry_min(a->size.x, b->size.x)) {
            float ends[2] = {low, high};
            for (uint32_t i = 0; i < 2; i++) {
                dry_vec3 p = vec3(0.0f, ends[i], 0.0f);
                float on_b = dry_clamp((ends[i] - c.y) / y.y, -half_b, half_b);
                dry_vec3 q = vec3_add_scaled(c, on_b, y);
                add_core_point(manifold, p, a->size.x, vec3_dot(manifold->normal, vec3_sub(q, p)), b->size.x,
                               margin, LOW + i);
            }
            if (manifold->count > 0)
                return;
        }
    }
    uint32_t feature = s <= -half_a ? LOW : s >= half_a ? HIGH : BETWEEN;
    add_core_point(manifold, core, a->size.x, distance, b->size.x, margin, feature);
}

void dry_collide_box_sphere(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                            float margin, dry_local_manifold *manifold)
{
    dry_vec3 p = b_in_a->position, h = a->size;
    dry_vec3 q = vec3_max(vec3_neg(h), vec3_min(p, h));
    dry_vec3 d = vec3_sub(p, q);
    float distance = vec3_length(d);
    manifold->count = 0;
    manifold->apart = distance - b->size.x;
    if (distance > 1e-18f) {
        manifold->normal = vec3_scale(d, 1.0f / distance);
        add_core_point(manifold, q, 0.0f, distance, b->size.x, margin, 0);
        return;
    }
    /* The centre is inside: out through the nearest face. */
    float depth[3] = {dry_abs(p.x) - h.x, dry_abs(p.y) - h.y, dry_abs(p.z) - h.z};
    int k = depth[1] > depth[0] ? 1 : 0;
    k = depth[2] > depth[k] ? 2 : k;
    float sign = (float)sign_of(vec3_get(p, k));
    manifold->normal = vec3(k == 0 ? sign : 0.0f, k == 1 ? sign : 0.0f, k == 2 ? sign : 0.0f);
    add_core_point(manifold, vec3_add_scaled(p, -depth[k], manifold->normal), 0.0f, depth[k], b->size.x,
                   margin, 0);
}

/* A capsule's core in a box's frame: middle + t half, t in -1 to 1. */
typedef struct core {
    float h[3], middle[3], half[3];
    float radius;
} core;

static float at(const core *c, int k, float t)
{
    return c->middle[k] + t * c->half[k];
}

static dry_vec3 core_point(const core *c, float t)
{
    return vec3(at(c, 0, t), at(c, 1, t), at(c, 2, t));
}

static float beyond(float x, float h)
{
    return x - dry_clamp(x, -h, h);
}

/* Half the derivative of the squared distance from the box along the core: it never falls. */
static float slope(const core *c, float t)
{
    float sum = 0.0f;
    for (int k = 0; k < 3; k++)
        sum += c->half[k] * beyond(at(c, k, t), c->h[k]);
    return sum;
}

/* Where the core is nearest to the box. The squared distance is convex and piecewise quadratic: its slope is
 * piecewise linear between the planes of the box's faces, so its root follows by interpolation. */
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

/* The stretch of the core that lies over a face (across axis k) of the box, looking along the normal n; false
 * if there is none. */
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

/* Whether the stretch is long enough, and lies flat enough on the face, to touch at both ends. */
static bool lies_on_face(const core *c, int k, float low, float high)
{
    float x = c->half[(k + 1) % 3], y = c->half[(k + 2) % 3];
    float along = sqrtf(x * x + y * y);
    return dry_abs(c->half[k]) <= along && (high - low) * along > 0.1f * c->radius;
}

static uint32_t end_feature(float t)
{
    return t <= -1.0f ? LOW : t >= 1.0f ? HIGH : BETWEEN;
}

/* A point of the core at t against the face across k, the separation measured along the normal. */
static void add_face_point(const core *c, int k, float t, float margin, uint32_t end,
                           dry_local_manifold *manifold)
{
    float n = vec3_get(manifold->normal, k);
    float height = (n < 0.0f ? -at(c, k, t) : at(c, k, t)) - c->h[k];
    float separation = height / dry_abs(n);
    add_core_point(manifold, vec3_add_scaled(core_point(c, t), -separation, manifold->normal), 0.0f,
                   separation, c->radius, margin, 4 * (2 * (uint32_t)k + (n < 0.0f ? 1u : 0u)) + end);
}

/* The core is outside the box, nearest at t. */
static void shallow(const core *c, float t, dry_vec3 nearest, float distance, float margin,
                    dry_local_manifold *manifold)
{
    dry_vec3 n = manifold->normal, absolute = vec3_abs(n);
    int k = absolute.y > absolute.x ? 1 : 0;
    k = absolute.z > vec3_get(absolute, k) ? 2 : k;
    float along = vec3_get(n, k), low, high;
    uint32_t part = 2 * (uint32_t)k + (along < 0.0f ? 1 : 0);
    if (dry_abs(along) > ON_FACE) {
        if (stretch_over_face(c, k, n, &low, &high) && lies_on_face(c, k, low, high)) {
            /* Off the face proper, the nearest point stands in for the nearer end. */
            bool over = dry_abs(along) >= 1.0f - 1e-6f, low_nearer = dry_abs(t - low) <= dry_abs(t - high);
            if (over || !low_nearer)
                add_face_point(c, k, low, margin, LOW, manifold);
            if (!over)
                add_core_point(manifold, nearest, 0.0f, distance, c->radius, margin,
                               4 * part + (low_nearer ? LOW : HIGH));
            if (over || low_nearer)
                add_face_point(c, k, high, margin, HIGH, manifold);
            if (manifold->count > 0)
                return;
        }
    } else {
        uint32_t region = 0;
        for (int i = 2; i >= 0; i--)
            region = region * 3 + (vec3_get(n, i) == 0.0f ? 0u : vec3_get(n, i) < 0.0f ? 1u : 2u);
        part = FIRST_REGION + region;
    }
    add_core_point(manifold, nearest, 0.0f, distance, c->radius, margin, 4 * part + end_feature(t));
}

/* The core crosses the box: the separating axis test of a segment, three face axes and three axes across
 * an edge and the core, names the shortest way out. */
static void deep(const core *c, float t_nearest, float margin, dry_local_manifold *manifold)
{
    float along[3], scale = dry_max(c->h[0], dry_max(c->h[1], c->h[2]));
    for (int k = 0; k < 3; k++)
        along[k] = dry_abs(c->middle[k]) - c->h[k] - dry_abs(c->half[k]);
    int face = along[1] > along[0] ? 1 : 0;
    face = along[2] > along[face] ? 2 : face;

    float length = sqrtf(c->half[0] * c->half[0] + c->half[1] * c->half[1] + c->half[2] * c->half[2]);
    scale = dry_min(scale, length + c->radius);
    float best = along[face] + EDGE_ABSOLUTE * scale + EDGE_RELATIVE * dry_abs(along[face]);
    int edge = -1;
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        float x = c->half[v], y = c->half[u]; /* axis k x half = (0, -x, y) along (k, u, v) */
        float across = sqrtf(x * x + y * y);
        if (!(across > 1e-3f * length))
            continue;
        float separation =
            (dry_abs(y * c->middle[v] - x * c->middle[u]) - c->h[u] * dry_abs(x) - c->h[v] * dry_abs(y)) /
            across;
        if (separation > best) {
            best = separation;
            edge = k;
        }
    }

    float n[3] = {0.0f, 0.0f, 0.0f};
    if (edge >= 0) {
        int u = (edge + 1) % 3, v = (edge + 2) % 3;
        float x = c->half[v], y = c->half[u];
        float inverse = 1.0f / sqrtf(x * x + y * y);
        if (y * c->middle[v] - x * c->middle[u] < 0.0f)
            inverse = -inverse;
        n[u] = -x * inverse;
        n[v] = y * inverse;
        manifold->normal = vec3(n[0], n[1], n[2]);
        /* The edge's line passes (sign h) across it; the core is nearest where its (u, v) part is. */
        float eu = n[u] < 0.0f ? -c->h[u] : c->h[u], ev = n[v] < 0.0f ? -c->h[v] : c->h[v];
        float t = ((eu - c->middle[u]) * y + (ev - c->middle[v]) * x) * (inverse * inverse);
        t = dry_clamp(t, -1.0f, 1.0f);
        dry_vec3 q = vec3_add_scaled(core_point(c, t), -best, manifold->normal);
        uint32_t region = 0;
        for (int i = 2; i >= 0; i--)
            region = region * 3 + (i == edge ? 0u : n[i] < 0.0f ? 1u : 2u);
        add_core_point(manifold, q, 0.0f, best, c->radius, margin, 4 * (FIRST_REGION + region) + BETWEEN);
        return;
    }

    float sign = (float)sign_of(c->middle[face]), low, high;
    n[face] = sign;
    manifold->normal = vec3(n[0], n[1], n[2]);
    if (!stretch_over_face(c, face, manifold->normal, &low, &high))
        low = high = t_nearest;
    bool low_deeper = sign * c->half[face] >= 0.0f;
    if (lies_on_face(c, face, low, high)) {
        add_face_point(c, face, low, margin, LOW, manifold);
        add_face_point(c, face, high, margin, HIGH, manifold);
    } else {
        add_face_point(c, face, low_deeper ? low : high, margin, low_deeper ? LOW : HIGH, manifold);
    }
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
    manifold->apart = distance - c.radius;
    if (manifold->apart > margin)
        return;
    /* Nearer than this, the direction is rounding error. */
    dry_vec3 size = vec3_add_scaled(vec3_abs(middle), dry_abs(t), vec3_abs(half));
    if (distance > 2e-7f * dry_max(size.x, dry_max(size.y, size.z))) {
        manifold->normal = vec3_scale(d, 1.0f / distance);
        shallow(&c, t, vec3_sub(p, d), distance, margin, manifold);
    } else {
        deep(&c, t, margin, manifold);
    }
}
