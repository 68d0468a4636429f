/* How a pair of shapes mixes the numbers of its surfaces. Reads materials. Next: state/contacts.h. */
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

/* Combines a coefficient by that rule of two which comes later. */
static float by_rule(dry_combination rule_a, dry_combination rule_b, float a, float b)
{
    switch (rule_a > rule_b ? rule_a : rule_b) {
    case DRY_COMBINE_MEAN:
        return 0.5f * (a + b);
    case DRY_COMBINE_SMALLEST:
        return dry_min(a, b);
    case DRY_COMBINE_LARGEST:
        return dry_max(a, b);
    case DRY_COMBINE_PRODUCT:
        return a * b;
    default:
        return sqrtf(a * b);
    }
}

dry_surface dry_shapes_mixed(const dry_shapes *shapes, dry_surface_pair pair)
{
    const dry_material a = dry_shapes_material(shapes, pair.shape[0], pair.material[0]);
    const dry_material b = dry_shapes_material(shapes, pair.shape[1], pair.material[1]);
    return (dry_surface){
#define X(name, standard, high, error, column, member, mix, ...) .name = mix,
        DRY_SURFACE_NUMBERS(X)
#undef X
    };
}

bool dry_shapes_have_spring(const dry_shapes *shapes, dry_surface_pair pair)
{
    bool has = false;
    for (int side = 0; side < 2 && shapes->spring; side++) {
        const dry_material material = dry_shapes_material(shapes, pair.shape[side], pair.material[side]);
        has = has || dry_material_has_spring(&material);
    }
    return has;
}
