/* Volume and inertia of each type of shape, in double: a long thin capsule's moments cancel in float. */
#include "geometry/mass.h"

#include "core/math.h"

static const double pi = 3.14159265358979323846;

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

/* A capsule is a cylinder and two hemispheres. The moment of a hemisphere about a diameter of its flat side
 * is 2/5 m r^2, and its centroid lies 3/8 r above that side. About an axis L further down the moment is m
 * (2/5 r^2 + L^2 + 3/4 r L). */
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
