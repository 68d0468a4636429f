/* The normal and the separation of a cylinder and its partner.
 *
 * Flat faces come first: where the partner's deepest point lies over an end of the cylinder, or the
 * cylinder's over a face, that plane's normal is the answer. Pairs that are apart are searched for their
 * nearest points. Pairs that overlap begin with the best of a few directions, and climb: the partner is moved
 * out along the direction until it is just apart, and the normal of its nearest points there separates the
 * pair at least as well as the direction did. Shallow overlaps take two or three rounds. Two cylinders climb
 * from feature to feature (cylinder_climb.c).
 *
 * Reads: a pair. Writes: a gap. Next: cylinder_nearest.c. */
#include "core/assert.h"
#include "narrowphase/pairs/cylinder.h"

enum { CLIMBS_MAX = 12, STARTS_MAX = 6 };

/* Shapes are moved this far apart to see the normal of an overlap, of their size. */
#define APART 1e-4
/* A climb ends when the next direction is better by no more than this, of the size. */
#define GAIN_LEAST 1e-8
/* A face may be worse than the best direction by this, of the smaller size: its normal is steadier. */
#define FACE_COST 2e-5
/* A face that is no deeper in than this, of the size, needs no comparison: others gain no more than that. */
#define SHALLOW 1e-4
/* A face that is no deeper in than this needs no climb if it is the best of all directions. */
#define MODERATE 3e-3
/* A climb begins at a direction whose depth is at most this often that of the best. */
#define STARTS_DEPTH 4.0
/* A start nearer than this to the end of a climb, by the cosine, leads to nothing new: where a climb ends
 * with the normal n and the depth d, every direction m has at least the depth d (m . n). */
#define NEAR_COSINE 0.995
/* A direction this near to the axis, by the sine, sees the whole end. */
#define FLAT 1e-7

typedef struct direction {
    dry_double3 normal;
    double separation; /* along it, m */
} direction;

typedef struct search {
    const dry_cylinder_pair *pair;
    double scale; /* about the size of both, m */
    int count;
    direction best[STARTS_MAX]; /* the best ones, best first */
} search;

/* Tells whether a partner is no mirror image of itself: it has another depth from behind. */
static bool has_a_front(const dry_placed *p)
{
    return p->kind == DRY_PLACED_HULL || p->kind == DRY_PLACED_TRIANGLE;
}

static double size_of(const dry_placed *p)
{
    if (p->kind == DRY_PLACED_HULL)
        return (double)p->hull->measures.radius * (double)vec3_largest(vec3_abs(p->geometry.size));
    return p->kind == DRY_PLACED_TRIANGLE ? p->reach : p->half[0] + p->half[1] + p->half[2];
}

static double separation_along(const dry_cylinder_pair *pair, dry_double3 n)
{
    int number;
    const dry_placed *p = &pair->partner;
    const double own = dry_cylinder_reach(&pair->cylinder, n), along = double3_dot(n, p->axis[1]);
    if (p->kind == DRY_PLACED_CYLINDER)
        return double3_dot(n, p->center) - p->half[1] * fabs(along) -
               p->half[0] * double3_length(double3_add_scaled(n, -along, p->axis[1])) - own;
    return double3_dot(n, dry_placed_support(p, double3_neg(n), &number)) - p->radius - own;
}

static void take_direction(search *s, dry_double3 n)
{
    const double separation = separation_along(s->pair, n);
    int at = s->count;
    while (at > 0 && separation > s->best[at - 1].separation)
        at--;
    if (at == STARTS_MAX)
        return;
    s->count = dry_min_int(s->count + 1, STARTS_MAX);
    for (int i = s->count - 1; i > at; i--)
        s->best[i] = s->best[i - 1];
    DRY_ASSERT(at < s->count && (at == 0 || s->best[at - 1].separation >= separation));
    s->best[at] = (direction){n, separation};
}

/* Takes a direction of any length, on the partner's side, and the opposite one if asked to. */
static void take_across(search *s, dry_double3 d)
{
    const double length = double3_length(d);
    if (!(length > 1e-6))
        return;
    const bool away = double3_dot(d, s->pair->partner.center) < 0.0;
    const dry_double3 n = double3_scale(d, (away ? -1.0 : 1.0) / length);
    take_direction(s, n);
    if (has_a_front(&s->pair->partner))
        take_direction(s, double3_neg(n));
}

/* Takes the normals of the partner's faces. Those of a hull are many, and only worth it in overlap. */
static void take_faces(search *s)
{
    const dry_placed *p = &s->pair->partner;
    for (int i = 0; i < 3 && p->kind == DRY_PLACED_BOX; i++)
        take_across(s, p->axis[i]);
    if (p->kind == DRY_PLACED_CYLINDER)
        take_across(s, p->axis[1]);
}

static void take_ends(search *s)
{
    take_direction(s, double3(0.0, s->pair->partner.center.y < 0.0 ? -1.0 : 1.0, 0.0));
    if (has_a_front(&s->pair->partner))
        take_direction(s, double3(0.0, s->pair->partner.center.y < 0.0 ? 1.0 : -1.0, 0.0));
}

/* Takes directions that matter where the shapes overlap: across the axis, and across the axis and an edge. */
static void take_more(search *s)
{
    const dry_placed *p = &s->pair->partner;
    const bool is_on_axis = p->center.x * p->center.x + p->center.z * p->center.z < 1e-12;
    take_across(s, is_on_axis ? double3(1.0, 0.0, 0.0) : double3(p->center.x, 0.0, p->center.z));
    if (p->kind == DRY_PLACED_BOX || p->kind == DRY_PLACED_SEGMENT || p->kind == DRY_PLACED_CYLINDER)
        for (int i = 0; i < 3; i++)
            if (i == 1 || p->kind == DRY_PLACED_BOX)
                take_across(s, double3(-p->axis[i].z, 0.0, p->axis[i].x));
    if (p->kind == DRY_PLACED_SEGMENT || p->kind == DRY_PLACED_CYLINDER)
        take_across(s, double3_add_scaled(p->center, -double3_dot(p->center, p->axis[1]), p->axis[1]));
    for (int i = 0; p->kind == DRY_PLACED_HULL && i < p->hull->face_count; i++)
        take_direction(s, double3_neg(dry_placed_hull_normal(p, i, NULL)));
    for (int i = 0; p->kind == DRY_PLACED_TRIANGLE && i < 3; i++) {
        const dry_double3 edge = double3_sub(p->corner[(i + 1) % 3], p->corner[i]);
        take_across(s, double3(-edge.z, 0.0, edge.x));
        if (i == 0)
            take_across(s, double3_cross(edge, p->corner[2]));
    }
}

/* Tells whether a point lies over a box's face across axis k. */
static bool is_over_face(const dry_placed *p, int k, dry_double3 at)
{
    const dry_double3 from = double3_sub(at, p->center);
    const int u = (k + 1) % 3, v = (k + 2) % 3;
    return fabs(double3_dot(from, p->axis[u])) <= p->half[u] &&
           fabs(double3_dot(from, p->axis[v])) <= p->half[v];
}

/* Tells whether a direction is the normal of a flat face that has the other shape's deepest point, and fills
 * in the gap. A point that lies deeper than the face's shape is thick has left it on the other side. Faces of
 * hulls are left to the search. */
static bool touches_face(const search *s, dry_double3 n, double separation, dry_cylinder_gap *gap)
{
    const dry_cylinder *c = &s->pair->cylinder;
    const dry_placed *p = &s->pair->partner;
    if (n.x == 0.0 && n.z == 0.0 && separation >= -2.0 * c->half_length) {
        int number;
        const dry_double3 q = dry_placed_support(p, double3_neg(n), &number);
        if (q.x * q.x + q.z * q.z <= c->radius * c->radius) {
            *gap = (dry_cylinder_gap){n, separation, double3(q.x, n.y * c->half_length, q.z)};
            return true;
        }
    }
    dry_double3 at = dry_cylinder_support(c, n);
    if (n.x * n.x + n.z * n.z < FLAT * FLAT)
        at.x = at.z = 0.0;
    bool touches = false;
    for (int k = 0; k < 3 && p->kind == DRY_PLACED_BOX; k++)
        touches = touches || (fabs(double3_dot(n, p->axis[k])) > 1.0 - 1e-12 &&
                              separation >= -2.0 * p->half[k] && is_over_face(p, k, at));
    if (p->kind == DRY_PLACED_CYLINDER && separation >= -2.0 * p->half[1] &&
        fabs(double3_dot(n, p->axis[1])) > 1.0 - 1e-12) {
        const dry_double3 from = double3_sub(at, p->center);
        const dry_double3 across = double3_add_scaled(from, -double3_dot(from, p->axis[1]), p->axis[1]);
        touches = double3_dot(across, across) <= p->half[0] * p->half[0];
    }
    if (touches)
        *gap = (dry_cylinder_gap){n, separation, at};
    return touches;
}

void dry_cylinder_climb(const dry_cylinder_pair *pair, dry_double3 start, double scale, dry_cylinder_gap *gap)
{
    const double radius = pair->partner.radius;
    direction d = {start, separation_along(pair, start)};
    if (pair->partner.kind == DRY_PLACED_CYLINDER && dry_cylinders_climb(pair, start, gap))
        return;
    *gap = (dry_cylinder_gap){d.normal, d.separation, dry_cylinder_support(&pair->cylinder, d.normal)};
    for (int i = 0; i < CLIMBS_MAX; i++) {
        const dry_double3 shift = double3_scale(d.normal, APART * scale - (d.separation + radius));
        dry_cylinder_gap found;
        if (!dry_cylinder_separate(pair, shift, d.normal, scale, &found))
            break;
        const double separation = separation_along(pair, found.normal), gain = separation - d.separation;
        if (!(gain >= -GAIN_LEAST * scale))
            break;
        d = (direction){found.normal, separation};
        *gap = (dry_cylinder_gap){found.normal, separation, found.on_cylinder};
        if (gain < GAIN_LEAST * scale)
            break;
    }
}

/* Returns the smaller of the least sizes of two shapes with faces, else 0. */
static double least_size(const dry_cylinder_pair *pair)
{
    const dry_placed *p = &pair->partner;
    double least = double_min(pair->cylinder.radius, pair->cylinder.half_length);
    if (p->kind == DRY_PLACED_BOX)
        least = double_min(least, double_min(p->half[0], double_min(p->half[1], p->half[2])));
    if (p->kind == DRY_PLACED_CYLINDER)
        least = double_min(least, double_min(p->half[0], p->half[1]));
    return p->kind == DRY_PLACED_BOX || p->kind == DRY_PLACED_CYLINDER ? least : 0.0;
}

/* Finds the gap of shapes that overlap. `face` is the best direction among the normals of faces and ends. The
 * climbs from the starts before `first` have led to `gap`; without any its separation is -DBL_MAX. */
static void find_overlap(search *s, direction face, int first, dry_cylinder_gap *gap)
{
    const dry_cylinder_pair *pair = s->pair;
    if (s->best[0].separation > -MODERATE * s->scale &&
        touches_face(s, s->best[0].normal, s->best[0].separation, gap))
        return;
    const double least = STARTS_DEPTH * s->best[0].separation - SHALLOW * s->scale;
    for (int i = first; i < s->count && (i == 0 || s->best[i].separation > least); i++) {
        dry_cylinder_gap other;
        if (first > 0 && double3_dot(s->best[i].normal, gap->normal) > NEAR_COSINE)
            continue;
        dry_cylinder_climb(pair, s->best[i].normal, s->scale, &other);
        if (other.separation > gap->separation)
            *gap = other;
    }
    if (face.separation >= gap->separation - FACE_COST * least_size(pair) && face.separation <= 0.0)
        *gap = (dry_cylinder_gap){face.normal, face.separation, gap->on_cylinder};
}

bool dry_cylinder_find_gap(const dry_cylinder_pair *pair, double margin, dry_cylinder_gap *gap)
{
    const dry_placed *p = &pair->partner;
    search s = {.pair = pair, .scale = pair->cylinder.radius + pair->cylinder.half_length + size_of(p)};
    take_faces(&s);
    take_ends(&s);
    const direction face = s.best[0];
    gap->separation = face.separation;
    if (face.separation > margin)
        return false;
    for (int i = 0; i < s.count && s.best[i].separation > -SHALLOW * s.scale; i++)
        if (touches_face(&s, s.best[i].normal, s.best[i].separation, gap))
            return gap->separation <= margin;
    const dry_double3 none = {0.0, 0.0, 0.0};
    if (p->kind == DRY_PLACED_CYLINDER) {
        take_more(&s);
        if (dry_cylinders_climb(pair, s.best[0].normal, gap)) {
            if (gap->separation <= 0.0)
                find_overlap(&s, face, 1, gap);
            return gap->separation <= margin;
        }
    }
    if (!(face.separation <= 0.0 && touches_face(&s, face.normal, face.separation, gap)) &&
        dry_cylinder_separate(pair, none, face.normal, s.scale, gap)) {
        gap->separation -= p->radius;
        return gap->separation <= margin;
    }
    *gap = (dry_cylinder_gap){.separation = -DBL_MAX};
    if (p->kind != DRY_PLACED_CYLINDER)
        take_more(&s);
    find_overlap(&s, face, 0, gap);
    return gap->separation <= margin;
}
