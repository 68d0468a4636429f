/* The calls that read a world: motion, objects, contacts, rays and overlaps. */
#include "tests/fuzz/calls.h"
#include "tests/fuzz/draw.h"

#include <math.h>

dry_result call_get_motion(fuzz_turn *t)
{
    dry_body_id ids[2];
    for (int i = 0; i < 2; ++i)
        ids[i] = draw_body(t);
    dry_pose poses[2];
    dry_velocity velocities[2];
    bool awake[2];
    const dry_result result = dry_world_get_motion(t->world, 2, ids, poses, velocities, awake);
    if (result == DRY_OK) {
        for (int i = 0; i < 2; ++i) {
            FUZZ_ANSWER(t, poses[i].position);
            FUZZ_ANSWER(t, poses[i].orientation);
        }
        FUZZ_ANSWER(t, velocities);
        FUZZ_ANSWER(t, awake);
    }
    return result;
}

dry_result call_get_body(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    dry_body_def def;
    dry_mass mass;
    dry_position center = {0};
    dry_result result = dry_body_get_def(t->world, id, &def);
    FUZZ_CHECK(dry_body_get_mass(t->world, id, &mass) == result);
    FUZZ_CHECK(dry_body_get_center(t->world, id, &center) == result);
    dry_vec3 velocity, acceleration;
    float inverse_mass[3][3];
    const dry_position off = {center.x + 0.5, center.y + 0.25, center.z - 0.125};
    FUZZ_CHECK(dry_body_get_velocity_at(t->world, id, off, &velocity) == result);
    FUZZ_CHECK(dry_body_get_acceleration_at(t->world, id, off, &acceleration) == result);
    FUZZ_CHECK(dry_body_get_inverse_mass_at(t->world, id, off, center, inverse_mass) == result);
    if (result == DRY_OK) {
        FUZZ_ANSWER(t, velocity);
        FUZZ_ANSWER(t, acceleration);
        FUZZ_ANSWER(t, inverse_mass);
        FUZZ_ANSWER(t, mass);
        FUZZ_ANSWER(t, center);
        fuzz_answer_number(t, def.locks);
        fuzz_answer_number(t, def.user_data);
        FUZZ_ANSWER(t, def.mass);
    }
    fuzz_answer_number(t, (uint64_t)dry_body_tier(t->world, id));
    fuzz_answer_number(t, (uint64_t)dry_body_tier_reason(t->world, id));
    return result;
}

static void answer_contact(fuzz_turn *t, const dry_contact *c)
{
    const uint64_t ids[] = {c->shape_a.bits, c->shape_b.bits, c->body_a.bits, c->body_b.bits};
    FUZZ_ANSWER(t, ids);
    FUZZ_ANSWER(t, c->normal);
    FUZZ_ANSWER(t, c->friction_impulse_Ns);
    FUZZ_ANSWER(t, c->torsion_impulse_Nms);
    FUZZ_ANSWER(t, c->rolling_impulse_Nms);
    for (int i = 0; i < c->point_count; ++i) {
        FUZZ_ANSWER(t, c->points[i].position);
        FUZZ_ANSWER(t, c->points[i].separation);
        FUZZ_ANSWER(t, c->points[i].normal_impulse_Ns);
        fuzz_answer_number(t, c->points[i].feature);
    }
}

dry_result call_get_contacts(fuzz_turn *t)
{
    const dry_body_id id = draw_body(t);
    dry_contact contacts[8];
    int count = 0;
    const dry_result result = dry_body_get_contacts(t->world, id, contacts, 8, &count);
    for (int i = 0; i < count && i < 8 && result == DRY_OK; ++i)
        answer_contact(t, &contacts[i]);
    return result;
}

dry_result call_get_all_contacts(fuzz_turn *t)
{
    static dry_contact contacts[FUZZ_PAIRS_MAX];
    const int capacity = draw_below(t, 64), count = dry_world_get_contacts(t->world, contacts, capacity);
    for (int i = 0; i < count && i < capacity; ++i)
        answer_contact(t, &contacts[i]);
    fuzz_answer_number(t, (uint64_t)count);
    return DRY_OK;
}

dry_result call_get_joint(fuzz_turn *t)
{
    const dry_joint_id id = draw_joint(t);
    dry_joint_def def;
    dry_vec3 impulse;
    const dry_result result = dry_joint_get_def(t->world, id, &def);
    FUZZ_CHECK(dry_joint_get_impulse(t->world, id, &impulse) == result);
    if (result == DRY_OK) {
        FUZZ_CHECK((def.body_a.bits == 0 || fuzz_model_find_body(t->model, def.body_a.bits)) &&
                   fuzz_model_find_body(t->model, def.body_b.bits));
        FUZZ_ANSWER(t, impulse);
        bool enabled = false;
        FUZZ_CHECK(dry_joint_get_enabled(t->world, id, &enabled) == DRY_OK);
        uint64_t data = 0;
        FUZZ_CHECK(dry_joint_get_user_data(t->world, id, &data) == DRY_OK && data == def.user_data);
        fuzz_answer_number(t, enabled);
        for (int axis = 0; axis < DRY_AXIS_COUNT; ++axis) {
            dry_joint_axis_state state = {0};
            if (dry_joint_get_axis(t->world, id, (dry_axis)axis, &state) == DRY_OK)
                FUZZ_CHECK(isfinite(state.value) && isfinite(state.speed) && isfinite(state.motor_force) &&
                           isfinite(state.spring_force) && isfinite(state.stop_force));
            FUZZ_ANSWER(t, state);
        }
        fuzz_answer_number(t, def.user_data);
        const dry_position at = {def.anchor_a.x, def.anchor_b.y, def.anchor_a.z};
        if (dry_joint_def_place(t->world, &def, at, impulse) == DRY_OK)
            FUZZ_ANSWER(t, def.orientation_b);
    }
    return result;
}

dry_result call_get_shape(fuzz_turn *t)
{
    const dry_shape_id id = draw_shape(t);
    dry_shape_def def;
    dry_body_id of;
    const dry_result result = dry_shape_get_def(t->world, id, &def);
    FUZZ_CHECK(dry_shape_get_body(t->world, id, &of) == result);
    uint64_t user_data = 0;
    FUZZ_CHECK(dry_shape_get_user_data(t->world, id, &user_data) == result);
    if (result == DRY_OK) {
        FUZZ_CHECK(user_data == def.user_data);
        FUZZ_CHECK(fuzz_model_find_body(t->model, of.bits));
        FUZZ_ANSWER(t, def.pose);
        FUZZ_ANSWER(t, def.friction);
        fuzz_answer_number(t, def.user_data);
    }
    return result;
}

dry_result call_get_energy(fuzz_turn *t)
{
    const dry_energy energy = dry_world_energy(t->world);
    FUZZ_ANSWER(t, energy);
    const dry_statistics s = dry_world_statistics(t->world);
    const dry_contact_counts c = dry_world_count_contacts(t->world);
    const int counts[] = {s.awake_bodies, s.manifolds, c.points,  s.awake_manifolds,
                          s.colors,       s.overflow,  s.islands, s.substeps};
    FUZZ_ANSWER(t, counts);
    FUZZ_ANSWER(t, c);
    return DRY_OK;
}

static dry_ray ray(fuzz_turn *t)
{
    const dry_position origin = draw_position(t);
    const dry_vec3 along = draw_vector(t, 8);
    return (dry_ray){
        .origin = origin, .translation = along, .mask = draw_chance(t, 4) ? draw_byte(t) : ~0ull};
}

static void answer_hit(fuzz_turn *t, const dry_ray_hit *hit)
{
    fuzz_answer_number(t, hit->shape.bits);
    if (!hit->shape.bits)
        return;
    FUZZ_CHECK(fuzz_model_has_shape(t->model, hit->shape.bits));
    FUZZ_CHECK(fuzz_model_find_body(t->model, hit->body.bits));
    FUZZ_CHECK(hit->fraction >= 0 && hit->fraction <= 1);
    FUZZ_CHECK(isfinite(hit->point.x) && isfinite(hit->point.y) && isfinite(hit->point.z));
    FUZZ_CHECK(isfinite(hit->normal.x) && isfinite(hit->normal.y) && isfinite(hit->normal.z));
    fuzz_answer_number(t, hit->shape_user_data);
    fuzz_answer_number(t, hit->body_user_data);
    FUZZ_ANSWER(t, hit->point);
    FUZZ_ANSWER(t, hit->normal);
    FUZZ_ANSWER(t, hit->fraction);
}

dry_result call_cast_ray(fuzz_turn *t)
{
    const dry_ray r = ray(t);
    dry_ray_hit first, hits[8];
    int count;
    const dry_result result = dry_world_cast_ray(t->world, &r, &first);
    FUZZ_CHECK(dry_world_cast_ray_all(t->world, &r, hits, 8, &count) == result);
    if (result != DRY_OK)
        return result;
    answer_hit(t, &first);
    FUZZ_CHECK((count > 0) == (first.shape.bits != 0));
    if (count)
        FUZZ_CHECK(first.shape.bits == hits[0].shape.bits && first.fraction == hits[0].fraction);
    for (int i = 0; i < count && i < 8; ++i) {
        answer_hit(t, &hits[i]);
        FUZZ_CHECK(i == 0 || hits[i].fraction >= hits[i - 1].fraction);
    }
    return DRY_OK;
}

dry_result call_cast_rays(fuzz_turn *t)
{
    dry_ray rays[2];
    dry_ray_hit hits[2];
    for (int i = 0; i < 2; ++i)
        rays[i] = ray(t);
    const dry_result result = dry_world_cast_rays(t->world, 2, rays, hits);
    for (int i = 0; i < 2 && result == DRY_OK; ++i)
        answer_hit(t, &hits[i]);
    return result;
}

static dry_overlap overlap(fuzz_turn *t)
{
    const dry_pose at = draw_pose(t);
    dry_overlap o = {
        .pose = at, .half_extents = {0.5f, 0.5f, 0.5f}, .mask = draw_chance(t, 4) ? draw_byte(t) : ~0ull};
    if (draw_chance(t, 2))
        o.radius = draw_between(t, 0.1, 2);
    else {
        const float x = draw_between(t, 0.1, 2), y = draw_between(t, 0.1, 2);
        o.half_extents = (dry_vec3){x, y, draw_between(t, 0.1, 2)};
    }
    return o;
}

dry_result call_overlap_one(fuzz_turn *t)
{
    const dry_overlap o = overlap(t);
    dry_shape_id shapes[8];
    int count;
    const dry_result result = dry_world_overlap(t->world, &o, shapes, 8, &count);
    for (int i = 0; result == DRY_OK && i < count && i < 8; ++i) {
        FUZZ_CHECK(fuzz_model_has_shape(t->model, shapes[i].bits));
        fuzz_answer_number(t, shapes[i].bits);
    }
    return result;
}

dry_result call_overlap_two(fuzz_turn *t)
{
    dry_overlap both[2];
    dry_shape_id shapes[2 * 4];
    int counts[2];
    for (int i = 0; i < 2; ++i)
        both[i] = overlap(t);
    const dry_result result = dry_world_overlaps(t->world, 2, both, shapes, 4, counts);
    for (int i = 0; result == DRY_OK && i < 2 * 4; ++i)
        if (i % 4 < counts[i / 4])
            fuzz_answer_number(t, shapes[i].bits);
    return result == DRY_OK && draw_chance(t, 2) ? ask_about_shape(t) : result;
}
