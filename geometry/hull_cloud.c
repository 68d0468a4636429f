/* Checks a cloud of points and rounds it to its grid. Next: hull_growth.h. */
#include "geometry/hull_cloud.h"

#include "geometry/geometry.h"

/* The most units from the center to a point: one less than the 24 bits of a float, since the center is
 * rounded, too. */
static const double most_units = (1 << 24) - 2;

/* A number of at most 2^51 that is added and taken away again is rounded to a whole number. */
static const double whole = 6755399441055744.0; /* 1.5 * 2^52 */

static double get(dry_vec3 v, int axis)
{
    return (double)vec3_get(v, axis);
}

/* Chooses the unit and the center of an axis between `low` and `high`. */
static void choose_grid(dry_hull_cloud *cloud, int axis, double low, double high)
{
    const double half = 0.5 * (high - low);
    int exponent;
    frexp(half, &exponent);
    double unit = ldexp(1.0, exponent - 24);
    if (half > most_units * unit)
        unit *= 2.0;
    cloud->unit[axis] = unit;
    cloud->center[axis] = floor(0.5 * (low + high) / unit + 0.5) * unit;
    cloud->tolerance[axis] = DRY_HULL_TOLERANCE * half / unit;
}

dry_hull_report dry_hull_cloud_measure(dry_hull_cloud *cloud)
{
    dry_vec3 low = cloud->points[0], high = low;
    for (int i = 0; i < cloud->count; i++) {
        const dry_vec3 p = cloud->points[i];
        if (!dry_is_within_extent(p))
            return (dry_hull_report){.fault = DRY_HULL_BAD_POINT, .point = i};
        low = vec3_min(low, p);
        high = vec3_max(high, p);
    }
    if (cloud->count < 4)
        return (dry_hull_report){.fault = DRY_HULL_FEW_POINTS, .point = -1};
    int thin = 0;
    for (int k = 0; k < 3; k++) {
        /* As floats, so that a cube of 1e-4f m passes. */
        thin += !((float)(get(high, k) - get(low, k)) >= (float)DRY_HULL_THINNEST);
    }
    if (thin > 0)
        return (dry_hull_report){.fault = thin == 3   ? DRY_HULL_EQUAL
                                          : thin == 2 ? DRY_HULL_COLLINEAR
                                                      : DRY_HULL_COPLANAR,
                                 .point = -1};
    for (int k = 0; k < 3; k++)
        choose_grid(cloud, k, get(low, k), get(high, k));
    return (dry_hull_report){.fault = DRY_HULL_SOUND, .point = -1};
}

void dry_hull_cloud_fill(dry_hull_cloud *cloud)
{
    const double per_unit[3] = {1.0 / cloud->unit[0], 1.0 / cloud->unit[1], 1.0 / cloud->unit[2]};
    for (int i = 0; i < cloud->count; i++)
        for (int k = 0; k < 3; k++) {
            const double at = (get(cloud->points[i], k) - cloud->center[k]) * per_unit[k];
            cloud->grid[3 * (size_t)i + (size_t)k] = (float)((at + whole) - whole);
        }
}

bool dry_hull_cloud_before(const dry_hull_cloud *cloud, int a, int b)
{
    const dry_vec3 p = cloud->points[a], q = cloud->points[b];
    if (p.x != q.x)
        return p.x < q.x;
    if (p.y != q.y)
        return p.y < q.y;
    return p.z < q.z;
}
