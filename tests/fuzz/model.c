/* Keeps the fuzzer's own model of a world and compares it with what the public calls tell. */
#include "tests/fuzz/model.h"

#include <math.h>
#include <string.h>

const fuzz_model_body *fuzz_model_find_body(const fuzz_model *model, uint64_t bits)
{
    for (int i = 0; i < model->body_count; ++i)
        if (model->bodies[i].id.bits == bits)
            return &model->bodies[i];
    return NULL;
}

bool fuzz_model_has_shape(const fuzz_model *model, uint64_t bits)
{
    for (int i = 0; i < model->shape_count; ++i)
        if (model->shapes[i].id.bits == bits)
            return true;
    return false;
}

bool fuzz_model_has_joint(const fuzz_model *model, uint64_t bits)
{
    for (int i = 0; i < model->joint_count; ++i)
        if (model->joints[i].id.bits == bits)
            return true;
    return false;
}

bool fuzz_model_has_room(const fuzz_model *model, int bodies, int shapes)
{
    return model->body_count + bodies <= FUZZ_BODIES_MAX && model->shape_count + shapes <= FUZZ_SHAPES_MAX;
}

static fuzz_model_body *body_of(fuzz_model *model, dry_body_id id)
{
    return (fuzz_model_body *)(uintptr_t)fuzz_model_find_body(model, id.bits);
}

/* Remembers an id that names nothing any more. The last ones stay. */
static void bury(fuzz_model *model, uint64_t bits)
{
    model->dead[model->dead_count++ % FUZZ_DEAD_MAX] = bits;
}

static void remove_shapes(fuzz_model *model, dry_body_id body, dry_shape_id shape)
{
    int kept = 0;
    for (int i = 0; i < model->shape_count; ++i) {
        if (model->shapes[i].body.bits == body.bits || model->shapes[i].id.bits == shape.bits)
            bury(model, model->shapes[i].id.bits);
        else
            model->shapes[kept++] = model->shapes[i];
    }
    model->shape_count = kept;
}

/* Tells whether a body is one of a joint's. */
static bool joins(const fuzz_model_joint *joint, dry_body_id body)
{
    return joint->a.bits == body.bits || joint->b.bits == body.bits || joint->far[0].bits == body.bits ||
           joint->far[1].bits == body.bits;
}

static void remove_joints(fuzz_model *model, dry_body_id body, dry_joint_id joint)
{
    int kept = 0;
    for (int i = 0; i < model->joint_count; ++i) {
        const fuzz_model_joint *j = &model->joints[i];
        const bool of_body = body.bits && joins(j, body);
        if (of_body || j->id.bits == joint.bits)
            bury(model, j->id.bits);
        else
            model->joints[kept++] = *j;
    }
    model->joint_count = kept;
}

static void remove_body(fuzz_model *model, dry_body_id id)
{
    remove_shapes(model, id, (dry_shape_id){0});
    remove_joints(model, id, (dry_joint_id){0});
    int at = (int)(body_of(model, id) - model->bodies);
    model->body_count--;
    memmove(&model->bodies[at], &model->bodies[at + 1],
            (size_t)(model->body_count - at) * sizeof *model->bodies);
    bury(model, id.bits);
}

static void add_body(fuzz_model *model, const fuzz_change *change, int i, const dry_world *world)
{
    const dry_body_id id = change->made_bodies[i];
    FUZZ_CHECK(!fuzz_model_find_body(model, id.bits));
    fuzz_model_body *body = &model->bodies[model->body_count++];
    *body = (fuzz_model_body){.id = id, .type = change->made_types[i], .enabled = change->made_enabled[i]};
    body->told_asleep = body->type == DRY_BODY_DYNAMIC && !dry_body_is_awake(world, id);
    dry_shape_id shapes[FUZZ_SHAPES_EACH_MAX];
    int count;
    FUZZ_CHECK(dry_body_get_shapes(world, id, shapes, FUZZ_SHAPES_EACH_MAX, &count) == DRY_OK);
    for (int k = 0; k < count; ++k)
        model->shapes[model->shape_count++] = (fuzz_model_shape){shapes[k], id};
}

void fuzz_model_apply(fuzz_model *model, const fuzz_change *change, const dry_world *world)
{
    for (int i = 0; i < change->made_body_count; ++i)
        add_body(model, change, i, world);
    for (int i = 0; i < change->made_joint_count; ++i)
        model->joints[model->joint_count++] = change->made_joints[i];
    if (change->made_shape.id.bits)
        model->shapes[model->shape_count++] = change->made_shape;
    for (int i = 0; i < change->gone_body_count; ++i)
        remove_body(model, change->gone_bodies[i]);
    if (change->gone_shape.bits)
        remove_shapes(model, (dry_body_id){0}, change->gone_shape);
    if (change->gone_joint.bits)
        remove_joints(model, (dry_body_id){0}, change->gone_joint);
    fuzz_model_body *body = change->set_body.bits ? body_of(model, change->set_body) : NULL;
    if (body && change->set_type >= 0)
        body->type = (dry_body_type)change->set_type;
    if (body && change->set_enabled >= 0) {
        body->enabled = change->set_enabled;
        fuzz_sums.mended += body->enabled && body->quarantined;
        body->quarantined &= !body->enabled;
    }
}

/* Events. */

static fuzz_pair *pair_at(fuzz_model *model, dry_shape_id shape_a, dry_shape_id shape_b)
{
    uint64_t a = shape_a.bits < shape_b.bits ? shape_a.bits : shape_b.bits,
             b = shape_a.bits + shape_b.bits - a;
    int i = 0;
    while (i < model->pair_count && (model->pairs[i].a != a || model->pairs[i].b != b))
        i++;
    FUZZ_CHECK(i < FUZZ_PAIRS_MAX);
    if (i == model->pair_count)
        model->pairs[model->pair_count++] = (fuzz_pair){a, b, 0};
    return &model->pairs[i];
}

/* Each pair touched before it ended and did not before it began; the pairs left are those that touch now.
 * Ends come before begins, except for bodies put into quarantine at the end of the step in which they
 * touched. */
static void take_contacts(fuzz_model *model, const dry_world *world, const dry_events *events)
{
    bool in_order = events->quarantine_count == 0;
    for (int i = 0; i < events->contact_end_count; ++i) {
        const dry_contact_event *e = &events->contact_ends[i];
        FUZZ_CHECK(--pair_at(model, e->shape_a, e->shape_b)->touching >= 0 || !in_order);
    }
    for (int i = 0; i < events->contact_begin_count; ++i) {
        const dry_contact_event *e = &events->contact_begins[i];
        FUZZ_CHECK(++pair_at(model, e->shape_a, e->shape_b)->touching <= 1 || !in_order);
        if (in_order)
            FUZZ_CHECK(dry_shape_is_valid(world, e->shape_a) && dry_shape_is_valid(world, e->shape_b));
    }
    int kept = 0;
    for (int i = 0; i < model->pair_count; ++i) {
        FUZZ_CHECK(model->pairs[i].touching == 0 || model->pairs[i].touching == 1);
        if (model->pairs[i].touching)
            model->pairs[kept++] = model->pairs[i];
    }
    model->pair_count = kept;
    /* A pair has at least one contact, and one with a compound may have several. */
    static dry_contact contacts[FUZZ_PAIRS_MAX];
    const int count = dry_world_get_contacts(world, contacts, FUZZ_PAIRS_MAX);
    int seen = 0;
    FUZZ_CHECK(count >= kept && count <= FUZZ_PAIRS_MAX);
    for (int i = 0; i < count; ++i) {
        fuzz_pair *pair = pair_at(model, contacts[i].shape_a, contacts[i].shape_b);
        FUZZ_CHECK(pair->touching == 1 || pair->touching == 2);
        FUZZ_CHECK(contacts[i].point_count >= 1 && contacts[i].point_count <= 4);
        seen += pair->touching == 1;
        pair->touching = 2;
    }
    FUZZ_CHECK(seen == kept && model->pair_count == kept);
    for (int i = 0; i < kept; ++i)
        model->pairs[i].touching = 1;
}

static void take_bodies(fuzz_model *model, const dry_world *world, const dry_events *events, bool moves_time)
{
    for (int i = 0; i < events->quarantine_count; ++i) {
        fuzz_model_body *body = body_of(model, events->quarantines[i].body);
        dry_body_def def;
        FUZZ_CHECK(body && body->type != DRY_BODY_STATIC && body->enabled && !body->quarantined);
        FUZZ_CHECK(dry_body_get_def(world, body->id, &def) == DRY_OK && !def.enabled && !def.awake);
        const dry_vec3 v = def.velocity.linear, w = def.velocity.angular;
        FUZZ_CHECK(v.x == 0 && v.y == 0 && v.z == 0 && w.x == 0 && w.y == 0 && w.z == 0);
        body->quarantined = true;
        body->enabled = false;
    }
    fuzz_sums.quarantines += (uint64_t)events->quarantine_count;
    for (int i = 0; i < events->sleep_count; ++i) {
        fuzz_model_body *body = body_of(model, events->sleeps[i].body);
        if (!body) /* destroyed since */
            continue;
        FUZZ_CHECK(body->told_asleep != events->sleeps[i].asleep);
        body->told_asleep = events->sleeps[i].asleep;
    }
    for (int i = 0; i < model->body_count; ++i) {
        const fuzz_model_body *body = &model->bodies[i];
        if (body->type == DRY_BODY_DYNAMIC && body->enabled)
            FUZZ_CHECK(body->told_asleep == !dry_body_is_awake(world, body->id));
    }
    FUZZ_CHECK(moves_time || events->moved_count == 0);
    for (int i = 0; i < events->moved_count; ++i) {
        const dry_moved_event *e = &events->moved[i];
        dry_pose pose;
        FUZZ_CHECK(dry_body_get_pose(world, e->body, &pose) == DRY_OK);
        FUZZ_CHECK(memcmp(&pose.position, &e->pose.position, sizeof pose.position) == 0);
        FUZZ_CHECK(memcmp(&pose.orientation, &e->pose.orientation, sizeof pose.orientation) == 0);
    }
}

/* Events name joints that there are. One beyond its bounds acts until it breaks; no conflict is named twice.
 */
static void take_joints(const fuzz_model *model, const dry_world *world, const dry_events *events)
{
    for (int i = 0; i < events->joint_count; ++i) {
        bool enabled;
        FUZZ_CHECK(fuzz_model_has_joint(model, events->joints[i].joint.bits));
        FUZZ_CHECK(dry_joint_get_enabled(world, events->joints[i].joint, &enabled) == DRY_OK);
        FUZZ_CHECK(enabled != events->joints[i].broken);
    }
    for (int i = 0; i < events->conflict_count; ++i) {
        const dry_conflict_event *e = &events->conflicts[i];
        FUZZ_CHECK(fuzz_model_has_joint(model, e->joint.bits));
        FUZZ_CHECK(isfinite(e->error) && e->error > 0.99e-4f);
        for (int k = 0; k < i; ++k)
            FUZZ_CHECK(events->conflicts[k].joint.bits != e->joint.bits);
    }
}

void fuzz_model_take_events(fuzz_model *model, const dry_world *world, bool moves_time)
{
    const dry_events events = dry_world_events(world);
    take_contacts(model, world, &events);
    take_bodies(model, world, &events, moves_time);
    take_joints(model, world, &events);
}

/* Checks. */

static bool are_finite(const float *numbers, int count)
{
    for (int i = 0; i < count; ++i)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static void check_lists(const fuzz_model *model, const dry_world *world, const fuzz_model_body *body)
{
    dry_shape_id shapes[FUZZ_SHAPES_EACH_MAX];
    dry_joint_id joints[FUZZ_JOINTS_MAX];
    int shape_count, joint_count, at = 0, joined = 0;
    FUZZ_CHECK(dry_body_get_shapes(world, body->id, shapes, FUZZ_SHAPES_EACH_MAX, &shape_count) == DRY_OK);
    for (int i = 0; i < model->shape_count; ++i)
        if (model->shapes[i].body.bits == body->id.bits) {
            FUZZ_CHECK(at < shape_count && shapes[at].bits == model->shapes[i].id.bits);
            at++;
        }
    FUZZ_CHECK(at == shape_count);
    FUZZ_CHECK(dry_body_get_joints(world, body->id, joints, FUZZ_JOINTS_MAX, &joint_count) == DRY_OK);
    for (int i = 0; i < model->joint_count; ++i)
        if (joins(&model->joints[i], body->id)) {
            FUZZ_CHECK(joined < joint_count && joints[joined].bits == model->joints[i].id.bits);
            joined++;
        }
    FUZZ_CHECK(joined == joint_count);
}

static void check_body(const fuzz_model *model, const dry_world *world, const fuzz_model_body *body)
{
    dry_body_def def;
    dry_mass mass;
    dry_position center;
    FUZZ_CHECK(dry_body_is_valid(world, body->id));
    FUZZ_CHECK(dry_body_get_def(world, body->id, &def) == DRY_OK);
    FUZZ_CHECK(def.type == body->type && def.enabled == body->enabled);
    FUZZ_CHECK(dry_body_get_mass(world, body->id, &mass) == DRY_OK);
    FUZZ_CHECK(dry_body_get_center(world, body->id, &center) == DRY_OK);
    const dry_position p = def.pose.position;
    FUZZ_CHECK(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
    FUZZ_CHECK(isfinite(center.x) && isfinite(center.y) && isfinite(center.z));
    FUZZ_CHECK(are_finite(&def.pose.orientation.x, 4));
    FUZZ_CHECK(are_finite(&def.velocity.linear.x, 3) && are_finite(&def.velocity.angular.x, 3));
    FUZZ_CHECK(isfinite(def.gravity_scale) && isfinite(def.mass) && def.mass >= 0);
    FUZZ_CHECK(isfinite(mass.mass) && mass.mass >= 0 && are_finite(&mass.center.x, 3));
    for (int i = 0; i < 3; ++i)
        FUZZ_CHECK(are_finite(mass.inertia[i], 3));
    check_lists(model, world, body);
}

/* Checks all contacts, and that the counts of them are theirs. */
static void check_contacts(const dry_world *world, const dry_statistics *statistics)
{
    static dry_contact contacts[FUZZ_PAIRS_MAX];
    int count = dry_world_get_contacts(world, contacts, FUZZ_PAIRS_MAX), points = 0, awake = 0;
    FUZZ_CHECK(count <= FUZZ_PAIRS_MAX);
    for (int i = 0; i < count; ++i) {
        const dry_contact *c = &contacts[i];
        points += c->point_count;
        awake += dry_body_is_awake(world, c->body_a) || dry_body_is_awake(world, c->body_b);
        FUZZ_CHECK(are_finite(&c->normal.x, 3) && are_finite(&c->friction_impulse_Ns.x, 3));
        FUZZ_CHECK(isfinite(c->torsion_impulse_Nms) && are_finite(&c->rolling_impulse_Nms.x, 3));
        for (int k = 0; k < c->point_count; ++k) {
            const dry_contact_point *p = &c->points[k];
            FUZZ_CHECK(isfinite(p->position.x) && isfinite(p->position.y) && isfinite(p->position.z));
            FUZZ_CHECK(isfinite(p->separation) && isfinite(p->normal_impulse_Ns));
        }
    }
    FUZZ_CHECK(statistics->manifolds == count && statistics->awake_manifolds == awake);
    FUZZ_CHECK(dry_world_count_contacts(world).points == points);
}

static void check_dead(const fuzz_model *model, const dry_world *world)
{
    const int count = model->dead_count < FUZZ_DEAD_MAX ? model->dead_count : FUZZ_DEAD_MAX;
    for (int i = 0; i < count; ++i) {
        const uint64_t bits = model->dead[i];
        FUZZ_CHECK(dry_body_is_valid(world, (dry_body_id){bits}) == !!fuzz_model_find_body(model, bits));
        FUZZ_CHECK(dry_shape_is_valid(world, (dry_shape_id){bits}) == fuzz_model_has_shape(model, bits));
        FUZZ_CHECK(dry_joint_is_valid(world, (dry_joint_id){bits}) == fuzz_model_has_joint(model, bits));
    }
}

void fuzz_model_check(const fuzz_model *model, const dry_world *world)
{
    dry_body_id ids[FUZZ_BODIES_MAX];
    int quarantined = 0, dynamic = 0, awake = 0;
    FUZZ_CHECK(dry_world_get_bodies(world, ids, FUZZ_BODIES_MAX) == model->body_count);
    for (int i = 0; i < model->body_count; ++i) {
        FUZZ_CHECK(ids[i].bits == model->bodies[i].id.bits);
        check_body(model, world, &model->bodies[i]);
        quarantined += model->bodies[i].quarantined;
        dynamic += model->bodies[i].type == DRY_BODY_DYNAMIC;
        awake += model->bodies[i].type == DRY_BODY_DYNAMIC && dry_body_is_awake(world, ids[i]);
    }
    for (int i = 0; i < model->shape_count; ++i)
        FUZZ_CHECK(dry_shape_is_valid(world, model->shapes[i].id));
    for (int i = 0; i < model->joint_count; ++i) {
        dry_vec3 impulse;
        FUZZ_CHECK(dry_joint_get_impulse(world, model->joints[i].id, &impulse) == DRY_OK);
        FUZZ_CHECK(are_finite(&impulse.x, 3));
        dry_vec3 force, torque;
        float error[2];
        FUZZ_CHECK(dry_joint_get_reaction(world, model->joints[i].id, &force, &torque) == DRY_OK);
        FUZZ_CHECK(are_finite(&force.x, 3) && are_finite(&torque.x, 3));
        FUZZ_CHECK(dry_joint_get_peak_force(world, model->joints[i].id, &error[0]) == DRY_OK);
        FUZZ_CHECK(are_finite(error, 1) && error[0] >= 0);
        FUZZ_CHECK(dry_joint_get_error(world, model->joints[i].id, &error[0], &error[1]) == DRY_OK);
        FUZZ_CHECK(are_finite(error, 2));
    }
    const dry_statistics statistics = dry_world_statistics(world);
    check_contacts(world, &statistics);
    check_dead(model, world);
    FUZZ_CHECK(statistics.bodies == model->body_count && statistics.dynamic_bodies == dynamic);
    FUZZ_CHECK(statistics.shapes == model->shape_count && statistics.joints == model->joint_count);
    FUZZ_CHECK(statistics.quarantined_bodies == quarantined && statistics.awake_bodies == awake);
    const dry_energy energy = dry_world_energy(world);
    FUZZ_CHECK(isfinite(energy.total_J));
}
