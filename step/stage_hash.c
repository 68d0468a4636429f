/* State hashes: equal bits for equal states, whatever the threads, the instruction set, the compiler. */
#include "state/iterators.h"
#include "step/stages.h"
#include "world/state_view.h"
#include "world/world.h"

#include <string.h>

/* A multiply-and-rotate mix per word: fast, and every bit of every word reaches the result. */
static uint64_t mix(uint64_t h, uint64_t word)
{
    h ^= word;
    h *= 0x9e3779b97f4a7c15ull;
    return (h << 29 | h >> 35) * 0xbf58476d1ce4e5b9ull;
}

static uint64_t mix_floats(uint64_t h, const float *values, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        h = mix(h, bits);
    }
    return h;
}

static uint64_t mix_vec3(uint64_t h, dry_vec3 v)
{
    const float values[3] = {v.x, v.y, v.z};
    return mix_floats(h, values, 3);
}

static uint64_t mix_quat(uint64_t h, dry_quat q)
{
    const float values[4] = {q.x, q.y, q.z, q.w};
    return mix_floats(h, values, 4);
}

static uint64_t mix_double(uint64_t h, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return mix(h, bits);
}

static uint64_t mix_motion(uint64_t h, const dry_body_pose *pose, const dry_body_velocity *velocity)
{
    h = mix_double(h, pose->position.x);
    h = mix_double(h, pose->position.y);
    h = mix_double(h, pose->position.z);
    h = mix_quat(h, pose->orientation);
    h = mix_vec3(h, velocity->linear);
    return mix_vec3(h, velocity->angular);
}

static uint64_t hash_bodies(const dry_world *world, uint64_t h)
{
    const dry_bodies *bodies = &world->bodies;
    for (dry_body_iterator it = dry_bodies_by_age(bodies); dry_next_body(&it);) {
        int row = it.row;
        h = mix_motion(h, &bodies->pose[row], &bodies->velocity[row]);
        const dry_body_force *force = dry_bodies_force(bodies, row);
        h = mix_vec3(h, force->force);
        h = mix_vec3(h, force->torque);
        h = mix_floats(h, &bodies->mass[row].inverse_mass, 1);
        h = mix_vec3(h, bodies->mass[row].inverse_inertia);
        h = mix_floats(h, &bodies->rest[row].timer, 1);
        const dry_body_drive *drive = &bodies->drive[row];
        const float rates[3] = {drive->gravity_scale, drive->linear_damping, drive->angular_damping};
        h = mix_floats(h, rates, 3);
        h = mix(h, drive->locks);
        const uint32_t lasting = DRY_BODY_ENABLED | DRY_BODY_CAN_SLEEP | DRY_BODY_QUARANTINED;
        h = mix(h, (uint64_t)(bodies->state[row].flags & lasting) | (uint64_t)bodies->state[row].type << 32 |
                       (uint64_t)(row < bodies->awake_count) << 40);
        h = mix(h, bodies->state[row].colors);
    }
    return h;
}

static uint64_t hash_contacts(const dry_world *world, uint64_t h)
{
    for (int i = -1; (i = dry_contacts_next(&world->contacts, i)) >= 0;) {
        const dry_contact_link *link = &world->contacts.link[i];
        const dry_manifold *m = &world->contacts.manifold[i];
        h = mix(h, (uint64_t)(uint32_t)m->shape_a << 32 | (uint32_t)m->shape_b);
        h = mix(h, (uint64_t)(link->flags & DRY_CONTACT_TOUCHING) << 48 |
                       (uint64_t)(uint16_t)link->color << 32 | (uint32_t)link->points);
        h = mix_vec3(h, m->normal);
        for (int k = 0; k < 3; k++)
            h = mix_double(h, m->built_position[k]);
        h = mix_quat(h, m->built_orientation);
        h = mix_double(h, m->height);
        const float mixed[5] = {m->friction, m->restitution, m->substep, m->clearance, m->radius_b};
        h = mix_floats(h, mixed, 5);
        h = mix_vec3(h, m->friction_impulse);
        h = mix_floats(h, &m->torsion_impulse, 1);
        for (int p = 0; p < link->points; p++) {
            h = mix(h, m->feature[p]);
            h = mix_vec3(h, m->points[p].anchor_b);
            h = mix_floats(h, &m->points[p].touch_height, 1);
            h = mix_floats(h, &m->impulse[p], 1);
        }
    }
    return h;
}

static uint64_t hash_joints(const dry_world *world, uint64_t h)
{
    for (int i = -1; (i = dry_slots_next(&world->joints.slots, i)) >= 0;) {
        const dry_joint *joint = &world->joints.joint[i];
        h = mix_vec3(h, joint->impulse);
        h = mix_floats(h, &joint->substep, 1);
        h = mix(h, (uint32_t)joint->color);
    }
    return h;
}

/* During the solver's stages the state is in rows and bundles, so those are hashed too: rows by slot,
 * since their order is the world's own. */
static uint64_t hash_rows(const dry_world *world, uint64_t h)
{
    const dry_bodies *bodies = &world->bodies;
    for (int slot = -1; (slot = dry_slots_next(&bodies->slots, slot)) >= 0;) {
        int row = dry_bodies_row(bodies, slot);
        if (row >= bodies->awake_count || bodies->state[row].type != DRY_BODY_DYNAMIC)
            continue;
        const dry_solver_row *r = &world->solver.rows[row + 1];
        h = mix_floats(h, r->ul, 3);
        h = mix_floats(h, r->ua, 3);
        h = mix_floats(h, r->dl, 3);
        h = mix_floats(h, r->da, 3);
    }
    return h;
}

uint64_t dry_hash_stage(const dry_world *world, dry_stage stage)
{
    uint64_t h = dry_world_hash(world);
    if (stage >= DRY_STAGE_PREPARE && stage <= DRY_STAGE_IMPACTS)
        h = hash_rows(world, h);
    if (stage == DRY_STAGE_PREPARE) {
        const float *values = world->solver.bundles[DRY_KIND_CONTACT].bundle;
        size_t count = (size_t)world->solver.bundles[DRY_KIND_CONTACT].count * sizeof(dry_contact_bundle) /
                       sizeof(float);
        for (size_t i = 0; i < count; i += 4096)
            h = mix_floats(h, values + i, (int)(count - i < 4096 ? count - i : 4096));
    }
    return h;
}

uint64_t dry_world_hash(const dry_world *world)
{
    if (!world)
        return 0;
    uint64_t h = mix(0x6472797374306e65ull, (uint64_t)world->bodies.count);
    h = hash_bodies(world, h);
    h = hash_contacts(world, h);
    return hash_joints(world, h);
}

uint64_t dry_world_motion_hash(const dry_world *world)
{
    return world ? dry_state_motion_hash(&world->bodies) : 0;
}

uint64_t dry_world_stage_hash(const dry_world *world, dry_stage stage)
{
    return world && (unsigned)stage < DRY_STAGE_COUNT ? world->stage_hash[stage] : 0;
}
