/* Rays against each type of shape, in double: in float a ray from far away misses a small sphere. */
#include "geometry/rays.h"

#include "core/math.h"

typedef struct ray {
    double o[3], d[3]; /* origin and unit direction */
    double length;
} ray;

/* Finds the distance along the ray to the sphere about (0, y, 0); the origin lies outside it. Solving about
 * the ray's nearest point to the center keeps the digits that the textbook discriminant loses. */
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

/* The first hit is on the cylinder if the ray enters it between the caps, otherwise on a cap. */
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
