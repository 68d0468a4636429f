/* Computes the masses of solids (parts.h), by closed forms, and of hulls by the integrals of polytope.c. */
#include "tools/scenes/measure/parts.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Returns the mass, and computes the diagonal of the second moments along the solid's axes. */
static double diagonal_of(const dry_solid *s, double *second)
{
    const double *h = s->half, r = s->radius;
    double mass, l, ball;
    switch (s->type) {
    case DRY_SHAPE_BOX:
        mass = 8.0 * h[0] * h[1] * h[2] * s->density;
        for (int k = 0; k < 3; k++)
            second[k] = mass / 3.0 * h[k] * h[k];
        return mass;
    case DRY_SHAPE_CYLINDER:
        mass = 2.0 * pi * h[0] * h[0] * h[1] * s->density;
        second[0] = second[2] = 0.25 * mass * h[0] * h[0];
        second[1] = mass / 3.0 * h[1] * h[1];
        return mass;
    case DRY_SHAPE_SPHERE:
    case DRY_SHAPE_CAPSULE:
        /* A cylinder of length l and two hemispheres, whose centers of mass lie 3/8 r outside the cylinder's
         * ends. */
        l = 2.0 * h[1];
        mass = pi * r * r * l * s->density;
        ball = 4.0 / 3.0 * pi * r * r * r * s->density;
        second[0] = second[2] = 0.25 * mass * r * r + 0.2 * ball * r * r;
        second[1] = mass * l * l / 12.0 + ball * (0.2 * r * r + 0.25 * l * l + 0.375 * l * r);
        return mass + ball;
    default:
        second[0] = second[1] = second[2] = 0.0;
        return 0.0;
    }
}

dry_solid_mass dry_solid_get_mass(const dry_solid *solid)
{
    dry_solid_mass m = {.center = {solid->center[0], solid->center[1], solid->center[2]}};
    double own[3][3] = {{0.0}}, diagonal[3];
    const dry_polytope *p = solid->polytope;
    if (p) {
        const double *scale = solid->half, stretch = fabs(scale[0] * scale[1] * scale[2]) * solid->density;
        m.mass = p->volume * stretch;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                own[i][k] = p->second[i][k] * scale[i] * scale[k] * stretch;
                m.center[k] += p->center[i] * scale[i] * solid->axis[i][k];
            }
    } else {
        m.mass = diagonal_of(solid, diagonal);
        for (int k = 0; k < 3; k++)
            own[k][k] = diagonal[k];
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    m.second[i][k] += own[a][b] * solid->axis[a][i] * solid->axis[b][k];
    return m;
}
