/* Faces that press on several surfaces at once. Reads a body's contacts. Called by
 * solver/sweeps/contacts/source.c. */
#include "core/math.h"
#include "narrowphase/manifold.h"
#include "state/iterators.h"

#include <string.h>

/* Returns the area of a contact's patch, m^2, and its points' shares of it, whose center is the area's.
 * Points 0 and 1 are across from each other, as are 2 and 3: both diagonals give two triangles. */
static float patch_area(const dry_contacts *contacts, int contact, float share[4])
{
    static const int8_t corner[4][3] = {{0, 1, 2}, {0, 1, 3}, {2, 3, 0}, {2, 3, 1}};
    const dry_manifold_point *p = contacts->manifold[contact].points;
    const int last = contacts->link[contact].points - 1;
    float all = 0.0f;
    memset(share, 0, 4 * sizeof *share);
    for (int i = 0; i < 4 && last >= 2; i++) {
        const int k[3] = {dry_min_int(corner[i][0], last), dry_min_int(corner[i][1], last),
                          dry_min_int(corner[i][2], last)};
        const dry_vec3 one = vec3_sub(p[k[1]].anchor_b, p[k[0]].anchor_b),
                       two = vec3_sub(p[k[2]].anchor_b, p[k[0]].anchor_b);
        const float area = vec3_length(vec3_cross(one, two)) / 12.0f; /* a third, of half of the area */
        for (int j = 0; j < 3; j++)
            share[k[j]] += area;
        all += 3.0f * area;
    }
    return all;
}

bool dry_contact_shares_face(const dry_contacts *contacts, const dry_shapes *shapes, const dry_bodies *bodies,
                             int contact, int side, float share[4])
{
    const int rows[2] = {dry_bodies_row(bodies, contacts->link[contact].body_a),
                         dry_bodies_row(bodies, contacts->link[contact].body_b)};
    const dry_vec3 n = dry_manifold_normal(&contacts->manifold[contact], &bodies->pose[rows[0]]);
    const bool moves =
        !vec3_is_zero(dry_contacts_material(contacts, shapes, contact, !side).surface_velocity);
    const float own = patch_area(contacts, contact, share);
    float all = 0.0f, of_other[4];
    bool unlike = false;
    dry_contact_iterator it = dry_contacts_of(contacts, &bodies->state[rows[side]]);
    while (own > 0.0f && dry_next_contact(&it)) {
        const dry_contact_link *link = &contacts->link[it.contact];
        const dry_manifold *m = &contacts->manifold[it.contact];
        const float cosine =
            vec3_dot(n, dry_manifold_normal(m, &bodies->pose[dry_bodies_row(bodies, link->body_a)]));
        if (!(link->flags & DRY_CONTACT_TOUCHING) || !((side == it.side ? cosine : -cosine) > 0.5f))
            continue;
        all += patch_area(contacts, it.contact, of_other);
        unlike |=
            it.contact != contact &&
            (moves || m->friction != contacts->manifold[contact].friction ||
             !vec3_is_zero(dry_contacts_material(contacts, shapes, it.contact, !it.side).surface_velocity));
    }
    for (int i = 0; i < 4 && unlike; i++)
        share[i] /= all;
    return unlike;
}
