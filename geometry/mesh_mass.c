/* Volume, center and inertia of the solid that a mesh bounds: sums of tetrahedra between each triangle and
 * one vertex of the mesh, in double. Distances from that vertex keep the digits of solids far off the origin.
 */
#include "geometry/mesh.h"

/* The three corners of a triangle from a point. */
typedef struct corners {
    double at[3][3];
} corners;

static corners corners_of(const dry_mesh *mesh, int triangle, dry_vec3 from)
{
    corners c;
    for (int i = 0; i < 3; i++) {
        const dry_vec3 v = mesh->vertices[mesh->triangles[3 * triangle + i]];
        c.at[i][0] = (double)v.x - (double)from.x;
        c.at[i][1] = (double)v.y - (double)from.y;
        c.at[i][2] = (double)v.z - (double)from.z;
    }
    return c;
}

/* a . (b x c): six times the volume of the tetrahedron. */
static double triple(const corners *c)
{
    const double *a = c->at[0], *b = c->at[1], *d = c->at[2];
    return a[0] * (b[1] * d[2] - b[2] * d[1]) + a[1] * (b[2] * d[0] - b[0] * d[2]) +
           a[2] * (b[0] * d[1] - b[1] * d[0]);
}

double dry_mesh_volume_under(const dry_mesh *mesh, int triangle, dry_vec3 from)
{
    const corners c = corners_of(mesh, triangle, from);
    return triple(&c) / 6.0;
}

/* With s = a + b + c and V the volume of the tetrahedron of 0, a, b, c, the integral of x is V s / 4, and
 * that of x x^T is V (s s^T + a a^T + b b^T + c c^T) / 20. */
dry_solid dry_mesh_integrate(const dry_mesh *mesh)
{
    const dry_vec3 from = mesh->vertices[mesh->triangles[0]];
    double six_volumes = 0.0, first[3] = {0}, second[3][3] = {{0}};
    for (int t = 0; t < mesh->triangle_count; t++) {
        const corners c = corners_of(mesh, t, from);
        const double v = triple(&c);
        double sum[3];
        six_volumes += v;
        for (int i = 0; i < 3; i++) {
            sum[i] = c.at[0][i] + c.at[1][i] + c.at[2][i];
            first[i] += v * sum[i];
        }
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++)
                second[i][j] += v * (sum[i] * sum[j] + c.at[0][i] * c.at[0][j] + c.at[1][i] * c.at[1][j] +
                                     c.at[2][i] * c.at[2][j]);
    }
    dry_solid solid = {.volume = six_volumes / 6.0};
    double center[3], (*spread)[3] = solid.spread;
    for (int i = 0; i < 3; i++)
        center[i] = first[i] / (4.0 * six_volumes);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            spread[i][j] = spread[j][i] = second[i][j] / 120.0 - solid.volume * center[i] * center[j];
    const double trace = spread[0][0] + spread[1][1] + spread[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            solid.inertia.m[i][j] = solid.inertia.m[j][i] = (i == j ? trace : 0.0) - spread[i][j];
    solid.center[0] = (double)from.x + center[0];
    solid.center[1] = (double)from.y + center[1];
    solid.center[2] = (double)from.z + center[2];
    return solid;
}
