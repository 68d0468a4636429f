/* What one shape alone determines: bounds, volume, inertia, rays.
 *
 * Pure functions of dry_geometry. Mass properties and rays are worked out in double, where a float's
 * cancellation would show (a ray from far away at a small sphere; a long thin capsule's moments). */
#include "geometry/geometry.h"

/* Beyond every valid coordinate (1e9 m), and its square is still finite. */
#define HUGE_EXTENT 1e18f

static const double pi = 3.14159265358979323846;

dry_vec3 dry_geometry_extents(const dry_geometry *geometry, dry_quat q)
{
    dry_vec3 h = geometry->size;
    dry_mat3 r = mat3_from_quat(q);
    switch (geometry->type) {
    case DRY_SHAPE_SPHERE:
        return vec3(h.x, h.x, h.x);
    case DRY_SHAPE_CAPSULE: {
        float pad = h.x + DRY_ROTATION_ERROR * (h.x + h.y);
        return vec3_add(vec3_scale(vec3_abs(r.y), h.y), vec3(pad, pad, pad));
    }
    case DRY_SHAPE_BOX: {
        dry_mat3 absolute = {vec3_abs(r.x), vec3_abs(r.y), vec3_abs(r.z)};
        float pad = DRY_ROTATION_ERROR * (h.x + h.y + h.z);
        return vec3_add(mat3_mul(&absolute, h), vec3(pad, pad, pad));
    }
    default:
        return vec3(HUGE_EXTENT, HUGE_EXTENT, HUGE_EXTENT);
    }
}

float dry_geometry_radius(const dry_geometry *geometry)
{
    dry_vec3 h = geometry->size;
    switch (geometry->type) {
    case DRY_SHAPE_SPHERE:
        return h.x;
    case DRY_SHAPE_CAPSULE:
        return (h.x + h.y) * (1.0f + 2e-7f);
    case DRY_SHAPE_BOX:
        return vec3_length(h) * (1.0f + 4e-7f);
    default:
        return HUGE_EXTENT;
    }
}

/* A half-space bounds no mass: 0. */
double dry_geometry_volume(const dry_geometry *geometry)
{
    double x = (double)geometry->size.x, y = (double)geometry->size.y, z = (double)geometry->size.z;
    switch (geometry->type) {
    case DRY_SHAPE_SPHERE:
        return 4.0 / 3.0 * pi * x * x * x;
    case DRY_SHAPE_CAPSULE:
        return pi * x * x * (2.0 * y + 4.0 / 3.0 * x);
    case DRY_SHAPE_BOX:
        return 8.0 * x * y * z;
    default:
        return 0.0;
    }
}

/* A capsule is a cylinder and two hemispheres. A hemisphere's moment about a diameter of its flat side is
 * 2/5 m r^2 and its centroid lies 3/8 r above it, so about an axis L further down it is
 * m (2/5 r^2 + L^2 + 3/4 r L). */
static dry_vec3 capsule_unit_inertia(double r, double half_length)
{
    double cylinder = 2.0 * half_length / (2.0 * half_length + 4.0 / 3.0 * r);
    double caps = 1.0 - cylinder;
    double axial = cylinder * 0.5 * r * r + caps * 0.4 * r * r;
    double across = cylinder * (0.25 * r * r + half_length * half_length / 3.0) +
                    caps * (0.4 * r * r + half_length * half_length + 0.75 * r * half_length);
    return vec3((float)across, (float)axial, (float)across);
}

dry_vec3 dry_geometry_unit_inertia(const dry_geometry *geometry)
{
    double x = (double)geometry->size.x, y = (double)geometry->size.y, z = (double)geometry->size.z;
    switch (geometry->type) {
    case DRY_SHAPE_SPHERE: {
        float i = (float)(0.4 * x * x);
        return vec3(i, i, i);
    }
    case DRY_SHAPE_CAPSULE:
        return capsule_unit_inertia(x, y);
    case DRY_SHAPE_BOX:
        return vec3((float)((y * y + z * z) / 3.0), (float)((x * x + z * z) / 3.0),
                    (float)((x * x + y * y) / 3.0));
    default:
        return vec3(0.0f, 0.0f, 0.0f);
    }
}

typedef struct ray {
    double o[3], d[3]; /* origin and unit direction */
    double length;
} ray;

/* Distance along the ray to the sphere about (0, y, 0); the origin is outside it. Solved about the point
 * nearest to the centre, which keeps the digits that the textbook discriminant loses. */
static bool ray_sphere(const ray *r, double y, double radius, double *distance)
{
    double m[3] = {r->o[0], r->o[1] - y, r->o[2]};
    double along = -(m[0] * r->d[0] + m[1] * r->d[1] + m[2] * r->d[2]);
    double n[3] = {m[0] + along * r->d[0], m[1] + along * r->d[1], m[2] + along * r->d[2]};
    double square = radius * radius - (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (along < 0.0 || square < 0.0)
        return false;
    *distance = along - sqrt(square);
    return true;
}

/* The capsule's first meeting point is on its cylinder if that lies between the caps, otherwise on a cap. */
static bool ray_capsule(const ray *r, double radius, double half_length, double *distance)
{
    double across = r->d[0] * r->d[0] + r->d[2] * r->d[2];
    if (across > 0.0) {
        double along = -(r->o[0] * r->d[0] + r->o[2] * r->d[2]) / across;
        double nx = r->o[0] + along * r->d[0], nz = r->o[2] + along * r->d[2];
        double square = radius * radius - (nx * nx + nz * nz);
        if (square < 0.0)
            return false;
        double s = along - sqrt(square / across);
        double y = r->o[1] + s * r->d[1];
        if (s >= 0.0 && y >= -half_length && y <= half_length) {
            *distance = s;
            return true;
        }
    }
    double low, high;
    bool hit_low = ray_sphere(r, -half_length, radius, &low);
    bool hit_high = ray_sphere(r, half_length, radius, &high);
    if (hit_low && (!hit_high || low < high))
        *distance = low;
    else if (hit_high)
        *distance = high;
    return hit_low || hit_high;
}

static bool ray_box(const ray *r, const double half[3], double *distance, int *axis)
{
    double enter = -1.0, leave = r->length;
    *axis = 0;
    for (int k = 0; k < 3; k++) {
        if (r->d[k] == 0.0) {
            if (r->o[k] > half[k] || r->o[k] < -half[k])
                return false;
            continue;
        }
        double side = r->d[k] > 0.0 ? half[k] : -half[k];
        double in = (-side - r->o[k]) / r->d[k], out = (side - r->o[k]) / r->d[k];
        if (in > enter) {
            enter = in;
            *axis = k;
        }
        leave = out < leave ? out : leave;
    }
    *distance = enter;
    return enter >= 0.0 && enter <= leave;
}

static bool is_inside(const dry_geometry *geometry, const double o[3])
{
    double x = (double)geometry->size.x, y = (double)geometry->size.y, z = (double)geometry->size.z;
    switch (geometry->type) {
    case DRY_SHAPE_SPHERE:
    case DRY_SHAPE_CAPSULE: {
        double over = o[1] > y ? o[1] - y : o[1] < -y ? o[1] + y : 0.0;
        return o[0] * o[0] + over * over + o[2] * o[2] <= x * x;
    }
    case DRY_SHAPE_BOX:
        return o[0] <= x && o[0] >= -x && o[1] <= y && o[1] >= -y && o[2] <= z && o[2] >= -z;
    default:
        return o[1] <= 0.0;
    }
}

static dry_vec3 unit_normal(double x, double y, double z)
{
    double length = sqrt(x * x + y * y + z * z);
    if (!(length > 0.0))
        return vec3(0.0f, 1.0f, 0.0f);
    return vec3((float)(x / length), (float)(y / length), (float)(z / length));
}

bool dry_geometry_cast_ray(const dry_geometry *geometry, dry_vec3 origin, dry_vec3 translation,
                           float *fraction, dry_vec3 *normal)
{
    ray r = {{(double)origin.x, (double)origin.y, (double)origin.z},
             {(double)translation.x, (double)translation.y, (double)translation.z},
             0.0};
    if (is_inside(geometry, r.o)) {
        *fraction = 0.0f;
        *normal = unit_normal(-r.d[0], -r.d[1], -r.d[2]);
        return true;
    }
    r.length = sqrt(r.d[0] * r.d[0] + r.d[1] * r.d[1] + r.d[2] * r.d[2]);
    if (!(r.length > 0.0))
        return false;
    for (int k = 0; k < 3; k++)
        r.d[k] /= r.length;

    double half[3] = {(double)geometry->size.x, (double)geometry->size.y, (double)geometry->size.z};
    double distance = 0.0;
    int axis = 1;
    bool hit;
    switch (geometry->type) {
    case DRY_SHAPE_SPHERE:
        half[1] = 0.0;
        hit = ray_sphere(&r, 0.0, half[0], &distance);
        break;
    case DRY_SHAPE_CAPSULE:
        hit = ray_capsule(&r, half[0], half[1], &distance);
        break;
    case DRY_SHAPE_BOX:
        hit = ray_box(&r, half, &distance, &axis);
        break;
    default:
        hit = r.d[1] < 0.0;
        distance = hit ? -r.o[1] / r.d[1] : 0.0;
        break;
    }
    if (!hit || distance > r.length)
        return false;

    *fraction = (float)(distance > 0.0 ? distance / r.length : 0.0);
    if (geometry->type == DRY_SHAPE_BOX || geometry->type == DRY_SHAPE_HALFSPACE) {
        float sign = r.d[axis] > 0.0 ? -1.0f : 1.0f;
        *normal = vec3(axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f);
    } else {
        double x = r.o[0] + distance * r.d[0], y = r.o[1] + distance * r.d[1], z = r.o[2] + distance * r.d[2];
        double over = y > half[1] ? y - half[1] : y < -half[1] ? y + half[1] : 0.0;
        *normal = unit_normal(x, over, z);
    }
    return true;
}
