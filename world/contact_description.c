/* A contact's description: ids, user data, normal, points and impulses. Reads links, manifolds, families,
 * shapes and poses. */
#include "world/events.h"

#include "geometry/compound.h"
#include "geometry/triangles.h"
#include "narrowphase/manifold.h"
#include "world/world.h"

dry_contact_event dry_contact_event_of(const dry_world *world, int contact)
{
    const dry_contact_link *link = &world->contacts.link[contact];
    const dry_manifold *m = &world->contacts.manifold[contact];
    const dry_shape_link *shapes = world->shapes.link;
    return (dry_contact_event){
        .shape_a = dry_shape_id_of(world, m->shape_a),
        .shape_b = dry_shape_id_of(world, m->shape_b),
        .body_a = dry_body_id_of(world, link->body_a),
        .body_b = dry_body_id_of(world, link->body_b),
        .shape_user_data_a = shapes[m->shape_a].user_data,
        .shape_user_data_b = shapes[m->shape_b].user_data,
        .body_user_data_a = dry_body_state_of(&world->bodies, link->body_a)->user_data,
        .body_user_data_b = dry_body_state_of(&world->bodies, link->body_b)->user_data,
    };
}

/* The parts of a shape that a contact touches with, by their numbers; -1: it has none. */
typedef struct touched_part {
    int32_t child, triangle;
} touched_part;

static touched_part part_of(const dry_world *world, int contact, int side)
{
    const dry_manifold *m = &world->contacts.manifold[contact];
    dry_geometry geometry = dry_shapes_geometry(&world->shapes, side ? m->shape_b : m->shape_a);
    touched_part part = {-1, -1};
    if (!dry_contact_is_child(&world->contacts.link[contact]))
        return part;
    uint32_t slot = world->contacts.family[contact].piece[side];
    if (geometry.type == DRY_SHAPE_COMPOUND) {
        part.child = dry_compound_child_of(&geometry, slot, &slot);
        geometry = dry_compound_piece(&geometry, part.child).geometry;
    }
    if (dry_type_has_triangles(geometry.type))
        part.triangle = (int32_t)dry_triangles_number(&geometry, slot);
    return part;
}

dry_contact dry_contact_describe(const dry_world *world, int index)
{
    const dry_contact_link *link = &world->contacts.link[index];
    const dry_manifold *m = &world->contacts.manifold[index];
    const dry_body_pose *a = dry_body_pose_of(&world->bodies, link->body_a);
    const dry_body_pose *b = dry_body_pose_of(&world->bodies, link->body_b);
    const dry_contact_event who = dry_contact_event_of(world, index);
    const touched_part part_a = part_of(world, index, 0), part_b = part_of(world, index, 1);
    dry_contact contact = {
        DRY_BETWEEN(who),
        .child_a = part_a.child,
        .child_b = part_b.child,
        .triangle_a = part_a.triangle,
        .triangle_b = part_b.triangle,
        .material_a = dry_contacts_material(&world->contacts, &world->shapes, index, 0).id,
        .material_b = dry_contacts_material(&world->contacts, &world->shapes, index, 1).id,
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
