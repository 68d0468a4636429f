/* How a pair of shapes mixes the numbers of its surfaces. */
#include "state/shapes.h"

#include <float.h>
#include <math.h>

/* Springs in series bear the same force F: they give way by F / k_a + F / k_b, and lose c (F' / k)^2 each.
 * Stiffness 0 is rigid. Two springs make one above 0, since 0 stands for a pair without a spring. */
static float series_stiffness(float k_a, float k_b)
{
    if (k_a == 0.0f || k_b == 0.0f)
        return k_a + k_b;
    return dry_max(k_a * (k_b / (k_a + k_b)), FLT_MIN);
}

static float series_damping(float k_a, float c_a, float k_b, float c_b)
{
    if (k_a == 0.0f || k_b == 0.0f)
        return k_a == 0.0f ? c_b : c_a;
    const float of_a = k_b / (k_a + k_b), of_b = k_a / (k_a + k_b); /* of the overlap */
    return of_a * of_a * c_a + of_b * of_b * c_b;
}

dry_surface dry_shapes_surface(const dry_shapes *shapes, int shape)
{
    dry_surface surface = {0};
#define X(name, standard, high, error, column, member, ...)                                                  \
    if (shapes->column)                                                                                      \
        surface.name = shapes->column[shape].member;
    DRY_SURFACE_NUMBERS(X)
#undef X
    return surface;
}

dry_surface dry_shapes_mixed(const dry_shapes *shapes, int shape_a, int shape_b)
{
    const dry_surface a = dry_shapes_surface(shapes, shape_a), b = dry_shapes_surface(shapes, shape_b);
    return (dry_surface){
#define X(name, standard, high, error, column, member, mix, ...) .name = mix,
        DRY_SURFACE_NUMBERS(X)
#undef X
    };
}

bool dry_shapes_have_spring(const dry_shapes *shapes, int shape_a, int shape_b)
{
    return shapes->spring &&
           (shapes->spring[shape_a].stiffness > 0.0f || shapes->spring[shape_b].stiffness > 0.0f);
}
