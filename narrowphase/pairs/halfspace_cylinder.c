/* Half-space against cylinder: four points of the rim of the lower end, or both ends of the lowest line of
 * the side. The lowest point is always one of them. A cylinder that leans by less than 45 degrees shows its
 * end.
 *
 * The feature is the part of the cylinder. */
#include "narrowphase/pairs/halfspace.h"
#include "narrowphase/pairs/pairs.h"
#include "narrowphase/pairs/rules.h"

/* Parts of a rim, and what those of the upper end have added. */
enum { DEEPEST, OPPOSITE, LEFT, RIGHT, HIGH = 8 };

void dry_collide_halfspace_cylinder(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                                    float margin, dry_local_manifold *manifold)
{
    (void)a;
    dry_halfspace_begin(manifold);
    const dry_mat3 r = mat3_from_quat(b_in_a->orientation);
    const dry_vec3 axis = r.y, half = vec3_scale(axis, b->size.y);
    const float across = sqrtf(axis.x * axis.x + axis.z * axis.z), along = dry_abs(axis.y);
    const float side = axis.y > 0.0f ? -1.0f : 1.0f;
    /* Down from the axis to the lowest point of a rim. */
    dry_vec3 down = across > 1e-9f ? vec3(axis.y * axis.x / across, -across, axis.y * axis.z / across) : r.x;
    const dry_vec3 lean = vec3_add_scaled(manifold->lean, -vec3_dot(manifold->lean, axis), axis);
    const float aside = vec3_length(lean);
    if (across < PAIR_FLAT_SINE && aside > PAIR_LEAN_LEAST * vec3_length(manifold->lean))
        down = vec3_scale(lean, 1.0f / aside);
    const dry_vec3 low = vec3_add_scaled(b_in_a->position, b->size.x, down);
    if (along < across) {
        dry_halfspace_add(manifold, vec3_sub(low, half), margin, DEEPEST);
        dry_halfspace_add(manifold, vec3_add(low, half), margin, DEEPEST + HIGH);
        manifold->rolls = true;
        return;
    }
    const uint32_t high = side > 0.0f ? HIGH : 0;
    const dry_vec3 end = vec3_add_scaled(b_in_a->position, side, half);
    const dry_vec3 left = vec3_scale(vec3_cross(axis, down), b->size.x), out = vec3_scale(down, b->size.x);
    dry_halfspace_add(manifold, vec3_add(end, out), margin, DEEPEST + high);
    dry_halfspace_add(manifold, vec3_sub(end, out), margin, OPPOSITE + high);
    dry_halfspace_add(manifold, vec3_add(end, left), margin, LEFT + high);
    dry_halfspace_add(manifold, vec3_sub(end, left), margin, RIGHT + high);
    manifold->rolls = across > (float)PAIR_STRETCH_SINE || manifold->count < 3;
}
