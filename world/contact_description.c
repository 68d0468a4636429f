/* A contact's description: ids, normal, points and impulses. Reads links, manifolds and poses. */
#include "world/contact_description.h"

#include "narrowphase/manifold.h"
#include "world/world.h"

dry_contact_event dry_contact_event_of(const dry_world *world, int contact)
{
    const dry_contact_link *link = &world->contacts.link[contact];
    const dry_manifold *m = &world->contacts.manifold[contact];
    return (dry_contact_event){dry_shape_id_of(world, m->shape_a), dry_shape_id_of(world, m->shape_b),
                               dry_body_id_of(world, link->body_a), dry_body_id_of(world, link->body_b)};
}

dry_contact dry_contact_describe(const dry_world *world, int index)
{
    const dry_contact_link *link = &world->contacts.link[index];
    const dry_manifold *m = &world->contacts.manifold[index];
    const dry_body_pose *a = dry_body_pose_of(&world->bodies, link->body_a);
    const dry_body_pose *b = dry_body_pose_of(&world->bodies, link->body_b);
    dry_contact contact = {
        .shape_a = dry_shape_id_of(world, m->shape_a),
        .shape_b = dry_shape_id_of(world, m->shape_b),
        .body_a = dry_body_id_of(world, link->body_a),
        .body_b = dry_body_id_of(world, link->body_b),
        .normal = dry_manifold_normal(m, a),
        .friction_impulse_Ns = m->friction_impulse,
        .torsion_impulse_Nms = m->torsion_impulse,
        .rolling_impulse_Nms = link->points > 0 && (link->flags & DRY_CONTACT_ROUND)
                                   ? dry_manifold_rolling_impulse(m)
                                   : vec3(0.0f, 0.0f, 0.0f),
        .substep_s = dry_abs(m->substep),
        .point_count = link->points,
    };
    const dry_features features = dry_contacts_features(&world->contacts, index);
    for (int i = 0; i < link->points; i++) {
        const dry_manifold_point *p = &m->points[i];
        float separation = dry_manifold_separation(m, i, contact.normal, a, b);
        dry_vec3 arm =
            vec3_add_scaled(quat_rotate(b->orientation, p->anchor_b), -0.5f * separation, contact.normal);
        contact.points[i] = (dry_contact_point){
            .position = position_add(b->position, arm),
            .separation = separation,
            .normal_impulse_Ns = m->impulse[i],
            .feature = features.of[i],
        };
    }
    return contact;
}
