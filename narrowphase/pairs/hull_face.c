/* The face of the other polytope that looks against the reference face, cut by that one's sides. Next:
 * outline.c. */
#include "narrowphase/pairs/hull_face.h"

#include "narrowphase/pairs/hull_rules.h"
#include "narrowphase/pairs/outline.h"

void dry_hull_face_contact(const dry_hull_search *s, bool of_b, int face, dry_local_manifold *manifold)
{
    const dry_polytope *reference = of_b ? &s->b : &s->a, *other = of_b ? &s->a : &s->b;
    const dry_polytope *lesser = s->a.radius < s->b.radius ? &s->a : &s->b;
    const dry_vec3 normal = dry_polytope_normal(reference, face), against = vec3_neg(normal);
    const int other_face =
        dry_polytope_face_around(other, dry_polytope_support(other, s->kernels, against), against);
    const int h = reference->first[face];
    const dry_vec3 first = dry_polytope_vertex(reference, reference->origin[h]),
                   second = dry_polytope_vertex(reference, reference->origin[reference->next[h]]);
    dry_view v = dry_view_along(of_b ? against : normal, vec3_sub(second, first));
    v.origin = triple(lesser->center[0], lesser->center[1], lesser->center[2]);
    v.place = PAIR_SAME_PLACE * s->half;
    v.margin = s->margin;
    v.name_bits = DRY_HULL_NAME_BITS;
    dry_outline a, b;
    dry_clipped found;
    dry_outline_face(&v, &s->a, of_b ? other_face : face, &a);
    dry_outline_face(&v, &s->b, of_b ? face : other_face, &b);
    dry_outlines_clip(&v, &a, &b, of_b, &found);
    dry_clipped_write(&v, &a, &found, PAIR_SAME_DEPTH * s->half, manifold);
}
