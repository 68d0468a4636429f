/* Questions about a scaled hull: bounds, mass, rays and distances to its faces.
 *
 * A scale S moves a point p of the hull to S p. A plane with normal n then has the normal S^-1 n. */
#include "geometry/hull.h"

#include "geometry/scaled.h"
#include "state/hash_mix.h"

/* Finds the least and the largest a . v. Each of the lanes keeps its own: these are the same values in any
 * order, up to the sign of zero, which adding zero takes away. */
static void span_along(const dry_hull *hull, dry_vec3 a, float *low, float *high)
{
    const float *x = dry_hull_vertices(hull, 0), *y = dry_hull_vertices(hull, 1);
    const float *z = dry_hull_vertices(hull, 2);
    float lows[DRY_HULL_LANES], highs[DRY_HULL_LANES];
    for (int i = 0; i < DRY_HULL_LANES; i++)
        lows[i] = highs[i] = a.x * x[i] + a.y * y[i] + a.z * z[i];
    for (int v = DRY_HULL_LANES; v < hull->vertex_room; v += DRY_HULL_LANES)
        for (int i = 0; i < DRY_HULL_LANES; i++) {
            const float along = a.x * x[v + i] + a.y * y[v + i] + a.z * z[v + i];
            lows[i] = dry_min(along, lows[i]);
            highs[i] = dry_max(along, highs[i]);
        }
    *low = lows[0];
    *high = highs[0];
    for (int i = 1; i < DRY_HULL_LANES; i++) {
        *low = dry_min(lows[i], *low);
        *high = dry_max(highs[i], *high);
    }
    *low += 0.0f;
    *high += 0.0f;
}

void dry_hull_bounds(const dry_hull *hull, dry_vec3 scale, dry_quat orientation, dry_vec3 *min, dry_vec3 *max)
{
    const dry_mat3 r = mat3_from_quat(orientation);
    span_along(hull, vec3_mul(vec3(r.x.x, r.y.x, r.z.x), scale), &min->x, &max->x);
    span_along(hull, vec3_mul(vec3(r.x.y, r.y.y, r.z.y), scale), &min->y, &max->y);
    span_along(hull, vec3_mul(vec3(r.x.z, r.y.z, r.z.z), scale), &min->z, &max->z);
}

/* The volume grows by |det S|, and the integral of r r^T is S (that) S |det S|. */
dry_solid dry_hull_solid(const dry_hull *hull, dry_vec3 scale)
{
    const double s[3] = {(double)scale.x, (double)scale.y, (double)scale.z};
    const double grows = fabs(s[0] * s[1] * s[2]);
    dry_solid solid = hull->measures.solid;
    solid.volume *= grows;
    for (int i = 0; i < 3; i++) {
        solid.center[i] = solid.center[i] * s[i] + 0.0;
        for (int j = 0; j < 3; j++)
            solid.spread[i][j] *= s[i] * s[j] * grows;
    }
    const double trace = solid.spread[0][0] + solid.spread[1][1] + solid.spread[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            solid.inertia.m[i][j] = (i == j ? trace : 0.0) - solid.spread[i][j];
    return solid;
}

static double along_normal(const dry_hull *hull, int face, dry_double3 v)
{
    return double3_dot(double3_of(dry_hull_normal(hull, face)), v);
}

static double above_face(const dry_hull *hull, int face, dry_double3 p)
{
    const float *c = hull->measures.center;
    const dry_double3 from_center = {p.x - (double)c[0], p.y - (double)c[1], p.z - (double)c[2]};
    return along_normal(hull, face, from_center) - (double)dry_hull_offset(hull, face);
}

static dry_vec3 unit_of(dry_double3 v, double sign)
{
    const double per_length = sign / double3_length(v);
    return vec3((float)(v.x * per_length), (float)(v.y * per_length), (float)(v.z * per_length));
}

bool dry_hull_contains(const dry_hull *hull, dry_vec3 scale, dry_double3 point)
{
    const dry_double3 p = dry_unscaled_point(scale, point);
    for (int face = 0; face < hull->face_count; face++)
        if (!(above_face(hull, face, p) <= 0.0))
            return false;
    return true;
}

/* Tells whether a vertex rises above the plane through a point. */
static bool vertex_rises(const dry_hull *hull, dry_vec3 scale, dry_double3 point, dry_double3 normal,
                         double distance, double slope)
{
    for (int i = 0; i < hull->vertex_count; i++) {
        const dry_double3 vertex = double3_of(vec3_mul(scale, dry_hull_vertex(hull, i)));
        const dry_double3 way = double3_sub(vertex, point);
        if (double3_dot(way, normal) > distance + slope * double3_length(way))
            return true;
    }
    return false;
}

/* Tells whether a direction leads out of one of the faces at a point, but the face `on`. */
static bool leads_out(const dry_double3 *normals, int count, int on, dry_double3 way)
{
    for (int i = 0; i < count; i++)
        if (i != on && double3_dot(normals[i], way) > 0.0)
            return true;
    return false;
}

/* Vertices tell of the edges. Seen from the middle of a long edge, they all lie along it: so the normal is
 * also followed along the faces at the point, and into the hull. */
bool dry_hull_admits(const dry_hull *hull, dry_vec3 scale, dry_double3 point, dry_double3 normal,
                     double distance, double slope)
{
    dry_double3 at[DRY_HULL_FACES_MAX];
    const dry_double3 p = dry_unscaled_point(scale, point);
    int count = 0;
    for (int face = 0; face < hull->face_count; face++) {
        const dry_double3 f = dry_unscaled_point(scale, double3_of(dry_hull_normal(hull, face)));
        const double length = double3_length(f), above = above_face(hull, face, p) / length;
        if (above > distance)
            return true;
        if (above >= -distance)
            at[count++] = (dry_double3){f.x / length, f.y / length, f.z / length};
    }
    if (!leads_out(at, count, -1, normal) || vertex_rises(hull, scale, point, normal, distance, slope))
        return false;
    for (int i = 0; i < count; i++) {
        const double along = double3_dot(normal, at[i]);
        const dry_double3 way = double3_add_scaled(normal, -along, at[i]);
        if (along > 0.0 && double3_length(way) > slope && !leads_out(at, count, i, way))
            return false;
    }
    return true;
}

/* The part of a segment within some half-spaces, as shares of its length. */
typedef struct cut_segment {
    double enter, leave;
    int face; /* through which it enters; -1: none, it starts inside */
} cut_segment;

/* Cuts a segment by all faces. Returns whether a part of it is left. Linear maps keep shares. */
static bool cut_by_faces(const dry_hull *hull, dry_double3 from, dry_double3 along, cut_segment *s)
{
    *s = (cut_segment){0.0, 1.0, -1};
    for (int face = 0; face < hull->face_count; face++) {
        const double above = above_face(hull, face, from), climb = along_normal(hull, face, along);
        if (above > 0.0) {
            if (!(above <= -climb))
                return false;
            if (s->face < 0 || above / -climb > s->enter) {
                s->enter = above / -climb;
                s->face = face;
            }
        } else if (climb > 0.0 && -above < s->leave * climb) {
            s->leave = -above / climb;
        }
    }
    return s->enter <= s->leave;
}

bool dry_hull_cast_ray(const dry_hull *hull, dry_vec3 scale, dry_double3 origin, dry_double3 translation,
                       double *fraction, dry_vec3 *normal)
{
    cut_segment s;
    if (!cut_by_faces(hull, dry_unscaled_point(scale, origin), dry_unscaled_point(scale, translation), &s))
        return false;
    *fraction = s.enter;
    if (s.face >= 0) {
        *normal = unit_of(dry_unscaled_point(scale, double3_of(dry_hull_normal(hull, s.face))), 1.0);
        return true;
    }
    *normal = double3_length(translation) > 0.0 ? unit_of(translation, -1.0) : vec3(0.0f, 1.0f, 0.0f);
    return true;
}

uint64_t dry_hull_hash(const dry_hull *hull)
{
    return dry_hash_spread(dry_hash_mix_bytes(0x68756c6c68756c6cull, hull, hull->bytes));
}
