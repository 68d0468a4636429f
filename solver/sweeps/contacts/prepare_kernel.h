/* The prepare kernel: sixteen manifolds into one contact bundle. Compiled once per instruction set.
 *
 * Reads manifolds, orientations and rows through the pointers of a dry_contact_source; writes the bundle and
 * its cold block. All is in the contact's frame (frame.h). Both bodies' lever arms lead to one
 * point, midway between the surfaces, so that a contact's impulses change neither the pair's momentum nor its
 * angular momentum. A lane without a manifold, and a point that a manifold lacks, gets rows of no mass.
 * Included by kernels.c alone. */
#ifndef SOLVER_SWEEPS_CONTACTS_PREPARE_KERNEL_H
#define SOLVER_SWEEPS_CONTACTS_PREPARE_KERNEL_H

#include "simd/lane_quat_pack.h"
#include "solver/data/contacts/source.h"
#include "solver/sweeps/contacts/motion.h"

/* One body; vectors in the frame. */
typedef struct prepare_side {
    lane_quat orientation;
    frame_inertia inverse_inertia; /* times the share */
    lane_vec3 linear;              /* velocity, sqrt(kg) m/s, world */
    lane_vec3 angular;             /* velocity, rad/s */
    lane_vec3 lever_arm;           /* from the body's center to the patch's, m */
    lane inv_sqrt_mass, share;
} prepare_side;

typedef struct prepare_pair {
    contact_pair m; /* the frame, and the fields that are in the bundle already */
    prepare_side a, b;
    contact_points points;
    lane present[4];   /* 1 where there is a point, else 0 */
    lane inverse_mass; /* 1/m_a + 1/m_b, with shares */
} prepare_pair;

LANE_INLINE lane_quat prepare_gather_quat(const dry_quat *const *orientation)
{
    const float *address[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        address[i] = &orientation[i]->x;
    lane q[4];
    lane_gather4(address, 0, q);
    return (lane_quat){q[0], q[1], q[2], q[3]};
}

LANE_INLINE void prepare_side_gather(const dry_prepare *p, const dry_quat *const *orientation,
                                     const int32_t *row, const float *share, const contact_frame *frame,
                                     const contact_side *bundle, prepare_side *side, int at)
{
    side->orientation = prepare_gather_quat(orientation + at);
    lane_velocity velocity;
    lane_gather_velocity(p->rows, row + at, &velocity);
    const lane_whitening whitening = lane_gather_whitening(p->rows, row + at);
    /* By way of the world: the frame's axes are exact where the normal is. One quaternion's product would
     * turn all contacts of a tower in the same direction. */
    const lane_mat3 principal = lane_mat3_from_quat(side->orientation);
    const lane_vec3 world[3] = {frame->t1, frame->t2, frame->normal};
    lane_vec3 axis[3];
    for (int k = 0; k < 3; k++) {
        const lane_vec3 unit = lane_vec3_without_noise(lane_mat3_mul_transposed(principal, world[k]));
        axis[k] = lane_vec3_mul(unit, whitening.inv_sqrt_inertia);
        field_store3(bundle->axis[k], at, axis[k]);
    }
    side->angular = lane_mat3_mul_transposed((lane_mat3){axis[T1], axis[T2], axis[N]}, velocity.ua);
    side->linear = velocity.ul;
    side->inv_sqrt_mass = whitening.inv_sqrt_mass;
    side->share = p->split_masses ? LOAD(share) : lane_set(1.0f);
    side->inverse_inertia = frame_inertia_scaled(frame_inertia_of(axis), side->share);
}

/* The inputs of lever arms: b's orientation, and the way from a's center to b's in the world, m. */
typedef struct prepare_levers {
    lane_quat b;
    lane_vec3 between;
} prepare_levers;

/* Returns those of held lanes as they were when the anchors were made. A stack of rigid bodies has no elastic
 * tilt; only soft contacts give it one, and a load that acts along tilted lever arms makes the stack buckle.
 * Separations and the normal are always the present ones. */
LANE_INLINE prepare_levers prepare_levers_of(const dry_contact_source *source, const prepare_pair *m,
                                             const float *const *manifold, int at)
{
    prepare_levers levers = {m->b.orientation, lane_vec3_load(source->between[0] + at, DRY_BUNDLE)};
    if (!source->any_held)
        return levers;
    lane packed[4], relative[4], position[3];
    lane_gather4(manifold, offsetof(dry_manifold, feature) / 4, packed);
    lane_gather4(manifold, offsetof(dry_manifold, built_orientation) / 4, relative);
    const lane_quat a = lane_quat_unpack(packed[2], packed[3]);
    const lane_quat b = lane_quat_mul(a, (lane_quat){relative[0], relative[1], relative[2], relative[3]});
    lane_gather3_doubles(manifold, offsetof(dry_manifold, built_position) / 4, position);
    const lane_vec3 between = lane_quat_rotate(a, (lane_vec3){position[0], position[1], position[2]});
    const lane_mask held = lane_less(lane_zero(), lane_load(source->held + at));
    levers.b = lane_quat_select(held, b, levers.b);
    levers.between = (lane_vec3){lane_select(held, between.x, levers.between.x),
                                 lane_select(held, between.y, levers.between.y),
                                 lane_select(held, between.z, levers.between.z)};
    return levers;
}

_Static_assert(offsetof(dry_manifold, built) == offsetof(dry_manifold, feature) + 10 &&
                   offsetof(dry_manifold, feature) % 16 == 0,
               "the kernel gathers four words that end with `built`");

/* Stores the lever arms to the patch's center, which lies midway between the surfaces. A contact acts when
 * its surfaces meet: where all points are apart, the least gap has closed by then, and each arm leads to the
 * body's own surface. */
LANE_INLINE void prepare_lever_arms(prepare_pair *m, lane_vec3 center, lane_vec3 between, lane gap)
{
    const lane half = lane_mul(lane_set(0.5f), gap);
    m->b.lever_arm = center;
    m->a.lever_arm = lane_vec3_add(center, contact_frame_from_world(&m->m.frame, between));
    m->b.lever_arm.z = lane_add(m->b.lever_arm.z, half);
    m->a.lever_arm.z = lane_sub(m->a.lever_arm.z, half);
}

/* Returns the lanes whose contact turns with its bodies. */
LANE_INLINE lane_mask prepare_turns(const dry_contact_source *source, int at)
{
    return source->any_turning ? lane_less(lane_zero(), lane_load(source->turning + at))
                               : lane_less(lane_zero(), lane_zero());
}

/* Returns where a point is in the middle of the step, from b's center. */
LANE_INLINE lane_vec3 prepare_carried(const dry_contact_source *source, lane_vec3 arm, int at)
{
    const lane_vec3 from = lane_vec3_load(source->carried_from[0] + at, DRY_BUNDLE),
                    to = lane_vec3_load(source->carried_to[0] + at, DRY_BUNDLE);
    const lane_quat turn = lane_quat_load(source->carry[0] + at, DRY_BUNDLE);
    return lane_vec3_add(lane_quat_rotate(turn, lane_vec3_add(arm, from)), to);
}

/* Finds the manifold's points: their positions, and the distances between the surfaces. Held lever arms are
 * those of b's orientation, and of the centers, when the anchors were made; separations are always the
 * present ones. */
LANE_INLINE void prepare_points(const dry_contact_source *source, dry_contact_bundle *c, prepare_pair *m,
                                const float *const *manifold, int at)
{
    lane count = lane_load(source->count + at), rise = lane_load(source->rise + at);
    lane inverse_count = lane_div(lane_set(1.0f), lane_max(count, lane_set(1.0f)));
    const prepare_levers levers = prepare_levers_of(source, m, manifold, at);
    lane_vec3 place[4], sum = lane_vec3_zero(), normal = m->m.frame.normal;
    lane gap = lane_set(FLT_MAX);
    const lane_mask turns = prepare_turns(source, at);
    if (source->any_turning)
        normal = lane_vec3_select(turns, lane_vec3_load(source->begin_normal[0] + at, DRY_BUNDLE), normal);
    for (int i = 0; i < 4; i++) {
        lane point[4];
        lane_gather4(manifold, 4 * i, point);
        lane_mask here = lane_less(lane_set((float)i), count);
        m->present[i] = lane_select(here, lane_set(1.0f), lane_zero());
        const lane_vec3 anchor = {point[0], point[1], point[2]};
        lane_vec3 arm = lane_quat_rotate(m->b.orientation, anchor);
        lane height = lane_vec3_dot(normal, arm);
        lane separation = lane_sub(lane_add(rise, height), point[3]);
        if (source->any_held)
            arm = lane_vec3_select(turns, arm, lane_quat_rotate(levers.b, anchor));
        if (source->any_turning)
            arm = lane_vec3_select(turns, prepare_carried(source, arm, at), arm);
        place[i] = contact_frame_from_world(&m->m.frame, arm);
        place[i].z = lane_add_mul(place[i].z, lane_set(-0.5f), separation);
        lane_store(c->separation[i] + at, lane_mul(m->present[i], separation));
        gap = lane_select(here, lane_min(gap, separation), gap);
        sum = lane_vec3_add_scaled(sum, m->present[i], place[i]);
    }
    const lane_vec3 center = lane_vec3_scale(sum, inverse_count);
    prepare_lever_arms(m, center, levers.between, lane_mul(m->present[0], lane_max(gap, lane_zero())));
    field_store3(c->lever_arm_a, at, m->a.lever_arm);
    field_store3(c->lever_arm_b, at, m->b.lever_arm);
    lane radius = lane_zero();
    for (int i = 0; i < 4; i++) {
        lane_vec3 offset = lane_vec3_scale(lane_vec3_sub(place[i], center), m->present[i]);
        radius = lane_add(radius, lane_sqrt(lane_vec3_dot(offset, offset)));
        if (i < 3) {
            lane_store(c->offset[i][0] + at, offset.x);
            lane_store(c->offset[i][1] + at, offset.y);
        }
    }
    lane_store(c->patch_radius + at,
               lane_max(lane_mul(radius, inverse_count), lane_load(source->patch_least + at)));
    m->points = contact_points_of(c, at);
}

/* Takes the lengths of the points' springs from their separations. */
LANE_INLINE void prepare_lengths(const dry_contact_source *source, dry_contact_bundle *c, int at)
{
    lane length[4];
    lane_gather4(source->rest + at, 0, length);
    for (int i = 0; i < 4; i++)
        lane_store(c->separation[i] + at, lane_sub(lane_load(c->separation[i] + at), length[i]));
}

/* Returns g_i . g_j of the normal rows of points i and j. */
LANE_INLINE lane prepare_coupling(const prepare_pair *m, int i, int j)
{
    const contact_points *p = &m->points;
    lane sum = m->inverse_mass;
    for (int k = 0; k < 2; k++) {
        /* A unit impulse has the angular impulse (y, -x, 0), with y and x from the body's center. */
        const prepare_side *side = k ? &m->b : &m->a;
        const frame_inertia *w = &side->inverse_inertia;
        lane xi = lane_add(side->lever_arm.x, p->x[i]), yi = lane_add(side->lever_arm.y, p->y[i]);
        lane xj = lane_add(side->lever_arm.x, p->x[j]), yj = lane_add(side->lever_arm.y, p->y[j]);
        lane across = lane_sub_mul(lane_mul(w->xx, yj), w->xy, xj);
        lane along = lane_sub_mul(lane_mul(w->yy, xj), w->xy, yj);
        sum = lane_add(sum, lane_add(lane_mul(xi, along), lane_mul(yi, across)));
    }
    return sum;
}

/* Stores the normal rows' couplings and masses. */
LANE_INLINE void prepare_normal_masses(dry_contact_bundle *c, const prepare_pair *m, int at)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            lane_store(c->coupling[i][j] + at, prepare_coupling(m, i, 2 + j));
    for (int i = 0; i < 4; i++)
        lane_store(c->inverse_mass[i] + at,
                   lane_mul(m->present[i], lane_inverse_or_zero(prepare_coupling(m, i, i))));
    for (int i = 0; i < 2; i++) {
        lane both = lane_mul(m->present[2 * i], m->present[2 * i + 1]);
        lane coupling = lane_mul(lane_set(DRY_PAIR_COUPLING), prepare_coupling(m, 2 * i, 2 * i + 1));
        lane_store(c->pair_coupling[i] + at, lane_mul(both, coupling));
    }
}

/* Stores the inverse of a 2x2 block; 0 where it has none. */
LANE_INLINE void prepare_store_inverse(dry_lanes mass[3], lane xx, lane xy, lane yy, int at)
{
    xy = lane_without_noise(xy, xx);
    const lane inverse = lane_inverse_or_zero(lane_sub_mul(lane_mul(xx, yy), xy, xy));
    lane_store(mass[0] + at, lane_mul(yy, inverse));
    lane_store(mass[1] + at, lane_negate(lane_mul(xy, inverse)));
    lane_store(mass[2] + at, lane_mul(xx, inverse));
}

/* Stores the inverse of friction's 2x2 block at the patch's center. */
LANE_INLINE void prepare_friction_masses(dry_contact_bundle *c, const prepare_pair *m, int at)
{
    lane xx = m->inverse_mass, xy = lane_zero(), yy = m->inverse_mass;
    for (int k = 0; k < 2; k++) {
        /* Unit impulses along the tangents have the angular impulses (0, rz, -ry) and (-rz, 0, rx). */
        const prepare_side *side = k ? &m->b : &m->a;
        const frame_inertia *w = &side->inverse_inertia;
        const lane_vec3 r = side->lever_arm;
        lane x1 = lane_sub_mul(lane_mul(w->xy, r.z), w->xz, r.y);
        lane y1 = lane_sub_mul(lane_mul(w->yy, r.z), w->yz, r.y);
        lane z1 = lane_sub_mul(lane_mul(w->yz, r.z), w->zz, r.y);
        lane x2 = lane_sub_mul(lane_mul(w->xz, r.x), w->xx, r.z);
        lane z2 = lane_sub_mul(lane_mul(w->zz, r.x), w->xz, r.z);
        xx = lane_sub_mul(lane_add_mul(xx, r.z, y1), r.y, z1);
        xy = lane_add_mul(lane_sub_mul(xy, r.z, x1), r.x, z1);
        yy = lane_add_mul(lane_sub_mul(yy, r.z, x2), r.x, z2);
    }
    prepare_store_inverse(c->friction_mass, xx, xy, yy, at);
}

/* Stores the previous step's impulses, scaled to this step's substeps. */
LANE_INLINE void prepare_impulses(const dry_contact_source *source, dry_contact_bundle *c,
                                  const prepare_pair *m, const float *const *manifold, int at)
{
    lane friction[4], impulse[4], scale = lane_load(source->impulse_scale + at);
    lane_gather4(manifold, offsetof(dry_manifold, friction_impulse) / 4, friction);
    lane_gather4(manifold, offsetof(dry_manifold, impulse) / 4, impulse);
    for (int i = 0; i < 4; i++)
        lane_store(c->impulse[i] + at, lane_mul(lane_mul(scale, m->present[i]), impulse[i]));
    const lane_vec3 world = {friction[0], friction[1], friction[2]};
    lane_store(c->friction_impulse[0] + at, lane_mul(scale, lane_vec3_dot(world, m->m.frame.t1)));
    lane_store(c->friction_impulse[1] + at, lane_mul(scale, lane_vec3_dot(world, m->m.frame.t2)));
    lane_store(c->torsion_impulse + at, lane_mul(scale, friction[3]));
}

/* Velocities that kinematic bodies add, in the frame. */
typedef struct prepare_kinematic {
    lane_vec3 linear; /* of b's center relative to a's, m/s */
    lane_vec3 a, b;   /* angular, rad/s */
} prepare_kinematic;

LANE_INLINE lane_vec3 prepare_load_kinematic(const dry_contact_source *source, const contact_frame *frame,
                                             int which, int at)
{
    return contact_frame_from_world(frame, lane_vec3_load(source->kinematic[which][0] + at, DRY_BUNDLE));
}

LANE_INLINE prepare_kinematic prepare_kinematic_of(const dry_contact_source *source,
                                                   const contact_frame *frame, int at)
{
    return (prepare_kinematic){
        .linear = lane_vec3_sub(prepare_load_kinematic(source, frame, 2, at),
                                prepare_load_kinematic(source, frame, 0, at)),
        .a = prepare_load_kinematic(source, frame, 1, at),
        .b = prepare_load_kinematic(source, frame, 3, at),
    };
}

/* Enlarges the patch: a contact that resists rolling with c r N has a patch as large as c r, whose friction
 * brakes torsion too. Otherwise a ball would spin in place without end. */
LANE_INLINE void prepare_rolling_patch(const dry_contact_source *source, dry_contact_bundle *c, int at)
{
    lane limit = lane_load(source->rolling_limit + at);
    lane_store(c->patch_radius + at, lane_max(lane_load(c->patch_radius + at), limit));
}

/* Stores the inverse of the 2x2 block about the tangents. */
LANE_INLINE void prepare_rolling_masses(dry_contact_cold *cold, const prepare_pair *m, int at)
{
    const frame_inertia *a = &m->a.inverse_inertia, *b = &m->b.inverse_inertia;
    lane xx = lane_add(a->xx, b->xx), xy = lane_add(a->xy, b->xy), yy = lane_add(a->yy, b->yy);
    prepare_store_inverse(cold->rolling_mass, xx, xy, yy, at);
}

/* Stores the two rows about the tangents: limit, masses, impulses of the last step. */
LANE_INLINE void prepare_rolling(const dry_contact_source *source, dry_contact_cold *cold,
                                 const prepare_pair *m, int at)
{
    prepare_rolling_masses(cold, m, at);
    lane_store(cold->rolling_limit + at, lane_load(source->rolling_limit + at));
    lane scale = lane_load(source->impulse_scale + at);
    const lane_vec3 world = lane_vec3_load(source->rolling_impulse[0] + at, DRY_BUNDLE);
    lane_store(cold->rolling_impulse[0] + at, lane_mul(scale, lane_vec3_dot(world, m->m.frame.t1)));
    lane_store(cold->rolling_impulse[1] + at, lane_mul(scale, lane_vec3_dot(world, m->m.frame.t2)));
}

/* Returns the weight of the bodies that move, along the normal [Tamis 5.4, with m (g . n)], N. */
LANE_INLINE lane prepare_weight(const prepare_pair *m, const dry_prepare *p)
{
    const lane la = m->a.inv_sqrt_mass, lb = m->b.inv_sqrt_mass;
    const lane mass =
        lane_add(lane_inverse_or_zero(lane_mul(la, la)), lane_inverse_or_zero(lane_mul(lb, lb)));
    const lane_vec3 g = lane_vec3_set(p->gravity_vector.x, p->gravity_vector.y, p->gravity_vector.z);
    return lane_mul(mass, lane_abs(lane_vec3_dot(g, m->m.frame.normal)));
}

LANE_INLINE void prepare_cold(const dry_contact_source *source, dry_contact_cold *cold, dry_contact_bundle *c,
                              const prepare_pair *m, const dry_prepare *p, int at)
{
    lane_store(cold->share_a + at, m->a.share);
    lane_store(cold->share_b + at, m->b.share);
    const lane friction = lane_load(source->friction + at);
    if (p->friction == DRY_FRICTION_WEIGHT_BOX) {
        lane_store(cold->friction_box + at, lane_mul(friction, prepare_weight(m, p)));
    } else {
        /* The reduced mass of the pair carries the representative load [Spook 43-44]. */
        lane la = m->a.inv_sqrt_mass, lb = m->b.inv_sqrt_mass;
        lane pair = lane_add_mul(lane_mul(la, la), lb, lb);
        lane load = lane_mul(friction, lane_set(p->gravity));
        lane_store(cold->friction_box + at, lane_mul(load, lane_inverse_or_zero(pair)));
    }
    /* The phase without friction starts from the last step's normal impulses. */
    for (int i = 0; i < 4; i++)
        lane_store(cold->other_impulse[i] + at, LOAD(c->impulse[i]));
    for (int i = 0; i < 2; i++) {
        lane_store(cold->other_friction[i] + at, lane_zero());
        lane_store(cold->other_rolling[i] + at, lane_zero());
    }
    lane_store(cold->other_torsion + at, lane_zero());
}

LANE_INLINE contact_normal_motion prepare_normal_motion(const prepare_pair *m, lane along, lane_vec3 a,
                                                        lane_vec3 b, int at)
{
    const lane about_a[2] = {a.x, a.y}, about_b[2] = {b.x, b.y};
    return contact_normal_motion_of(&m->m, along, about_a, about_b, at);
}

/* Finds the fastest approach of each lane's points when the step begins, and stores what kinematic bodies
 * add. */
LANE_INLINE void prepare_approach(const dry_contact_source *source, dry_contact_cold *cold,
                                  const prepare_pair *m, dry_contact_speeds *speeds, int at)
{
    const contact_points *points = &m->points;
    lane_vec3 linear = contact_relative(m->a.inv_sqrt_mass, m->a.linear, m->b.inv_sqrt_mass, m->b.linear);
    contact_normal_motion own =
        prepare_normal_motion(m, lane_vec3_dot(m->m.frame.normal, linear), m->a.angular, m->b.angular, at);
    contact_normal_motion kinematic = own;
    lane_vec3 kinematic_tangent = lane_vec3_zero();
    if (source->flags & DRY_BUNDLE_KINEMATIC) {
        prepare_kinematic k = prepare_kinematic_of(source, &m->m.frame, at);
        kinematic = prepare_normal_motion(m, k.linear.z, k.a, k.b, at);
        kinematic_tangent = contact_tangent_velocity_of(&m->m, k.linear, k.a, k.b, at);
        if (cold) {
            lane_store(cold->kinematic_tangent[0] + at, kinematic_tangent.x);
            lane_store(cold->kinematic_tangent[1] + at, kinematic_tangent.y);
            lane_store(cold->kinematic_torsion + at, lane_sub(k.b.z, k.a.z));
            lane_store(cold->kinematic_rolling[0] + at, lane_sub(k.b.x, k.a.x));
            lane_store(cold->kinematic_rolling[1] + at, lane_sub(k.b.y, k.a.y));
        }
    }
    lane fastest = lane_zero();
    for (int i = 0; i < 4; i++) {
        lane approach = contact_normal_motion_at(own, points->x[i], points->y[i]);
        if (source->flags & DRY_BUNDLE_KINEMATIC) {
            lane added = contact_normal_motion_at(kinematic, points->x[i], points->y[i]);
            approach = lane_add(approach, added);
            if (cold)
                lane_store(cold->kinematic_normal[i] + at, added);
        }
        approach = lane_mul(m->present[i], approach);
        fastest = lane_min(fastest, approach);
    }
    lane_store(speeds->fastest + at, fastest);
    if (source->flags & DRY_BUNDLE_STICTION) {
        lane_vec3 tangent = contact_tangent_velocity_of(&m->m, contact_frame_from_world(&m->m.frame, linear),
                                                        m->a.angular, m->b.angular, at);
        if (source->flags & DRY_BUNDLE_KINEMATIC)
            tangent = lane_vec3_add(tangent, kinematic_tangent);
        lane_store(speeds->tangent[0] + at, tangent.x);
        lane_store(speeds->tangent[1] + at, tangent.y);
    }
}

LANE_INLINE lane prepare_inverse_mass(const prepare_pair *m)
{
    lane inverse_a = lane_mul(m->a.inv_sqrt_mass, m->a.inv_sqrt_mass);
    lane inverse_b = lane_mul(m->b.inv_sqrt_mass, m->b.inv_sqrt_mass);
    return lane_add_mul(lane_mul(inverse_a, m->a.share), inverse_b, m->b.share);
}

/* Prepares lanes [at, at + DRY_LANES) of one bundle. */
LANE_INLINE void prepare_lanes(const dry_contact_source *source, dry_contact_bundle *c,
                               dry_contact_cold *cold, dry_contact_speeds *speeds, const dry_prepare *p,
                               int at)
{
    const float *manifold[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        manifold[i] = &source->manifold[at + i]->points[0].anchor_b.x;
    prepare_pair m;
    field_store3(c->normal, at, lane_vec3_load(source->normal[0] + at, DRY_BUNDLE));
    contact_begin(&m.m, c, at);
    prepare_side_gather(p, source->orientation_a, c->row_a, source->share[0], &m.m.frame, &m.m.a, &m.a, at);
    prepare_side_gather(p, source->orientation_b, c->row_b, source->share[1], &m.m.frame, &m.m.b, &m.b, at);
    m.inverse_mass = prepare_inverse_mass(&m);
    prepare_points(source, c, &m, manifold, at);
    if (source->any_rest)
        prepare_lengths(source, c, at);
    prepare_normal_masses(c, &m, at);
    prepare_friction_masses(c, &m, at);
    prepare_impulses(source, c, &m, manifold, at);
    prepare_approach(source, cold, &m, speeds, at);
    lane_store(c->friction + at, lane_load(source->friction + at));
    if (cold)
        prepare_cold(source, cold, c, &m, p, at);
    if (source->flags & DRY_BUNDLE_ROLLING)
        prepare_rolling_patch(source, c, at);
    if (cold && (source->flags & DRY_BUNDLE_ROLLING))
        prepare_rolling(source, cold, &m, at);
}

/* Takes friction's impulses from the world, as prepare_impulses does. */
LANE_INLINE void keep_lanes(dry_lanes friction[3], dry_contact_bundle *c, int at)
{
    const contact_frame frame = contact_frame_of_normal(field_load3(c->normal, at));
    const lane_vec3 world = lane_vec3_load(friction[0] + at, DRY_BUNDLE);
    lane_store(c->friction_impulse[0] + at, lane_vec3_dot(world, frame.t1));
    lane_store(c->friction_impulse[1] + at, lane_vec3_dot(world, frame.t2));
}

/* Whitens the axes of a prepared bundle anew, and finds the masses along them. The contact stays as it is in
 * the world. A bundle whose rows are in the frames of the step's beginning keeps its bits. */
LANE_INLINE void turn_lanes(const dry_contact_source *source, dry_contact_bundle *c, dry_contact_cold *cold,
                            const dry_prepare *p, int at)
{
    prepare_pair m;
    contact_begin(&m.m, c, at);
    prepare_side_gather(p, source->orientation_a, c->row_a, source->share[0], &m.m.frame, &m.m.a, &m.a, at);
    prepare_side_gather(p, source->orientation_b, c->row_b, source->share[1], &m.m.frame, &m.m.b, &m.b, at);
    m.inverse_mass = prepare_inverse_mass(&m);
    m.a.lever_arm = field_load3(c->lever_arm_a, at);
    m.b.lever_arm = field_load3(c->lever_arm_b, at);
    m.points = contact_points_of(c, at);
    for (int i = 0; i < 4; i++)
        m.present[i] =
            lane_select(lane_less(lane_zero(), LOAD(c->inverse_mass[i])), lane_set(1.0f), lane_zero());
    prepare_normal_masses(c, &m, at);
    prepare_friction_masses(c, &m, at);
    if (cold && (cold->flags & DRY_BUNDLE_ROLLING))
        prepare_rolling_masses(cold, &m, at);
}

/* Stores how rows change within the step, J'v. With the velocities of the bodies, the velocity p of the point
 * of contact and the rotation W of its plane, that is
 *     w_b x (p - v_b) - w_a x (p - v_a) - W x u,
 * where u is b's surface's velocity relative to a's. All is in the contact's frame. */
LANE_INLINE void prepare_turning(const dry_contact_source *source, dry_contact_turning *turning,
                                 dry_contact_bundle *c, const dry_prepare *p, int at)
{
    contact_pair m;
    lane_displacement unused;
    contact_begin(&m, c, at);
    lane_gather_rows(p->rows, c->row_a + at, &m.a.velocity, &unused, &m.a.inv_sqrt_mass);
    lane_gather_rows(p->rows, c->row_b + at, &m.b.velocity, &unused, &m.b.inv_sqrt_mass);
    const lane_mask turns = prepare_turns(source, at);
    const lane side = lane_load(source->side + at), ball = lane_load(source->ball + at);
    lane_vec3 linear = contact_frame_from_world(
        &m.frame, contact_relative(m.a.inv_sqrt_mass, m.a.velocity.ul, m.b.inv_sqrt_mass, m.b.velocity.ul));
    lane_vec3 wa = contact_angular_motions(&m.a, m.a.velocity.ua, at),
              wb = contact_angular_motions(&m.b, m.b.velocity.ua, at);
    if (source->flags & DRY_BUNDLE_KINEMATIC) {
        const prepare_kinematic k = prepare_kinematic_of(source, &m.frame, at);
        linear = lane_vec3_add(linear, k.linear);
        linear = lane_vec3_add(
            linear, contact_frame_from_world(&m.frame, lane_vec3_load(source->gained[0] + at, DRY_BUNDLE)));
        wa = lane_vec3_add(wa, k.a);
        wb = lane_vec3_add(wb, k.b);
    }
    const lane_vec3 bend =
        contact_frame_from_world(&m.frame, lane_vec3_load(source->bend[0] + at, DRY_BUNDLE));
    const lane_vec3 spin = lane_vec3_sub(wb, wa), over = lane_vec3_sub(spin, bend),
                    plane = lane_vec3_add(lane_vec3_add_scaled(wa, side, spin), bend),
                    point = lane_vec3_sub_scaled(wb, side, spin);
    const lane_vec3 by_b = lane_vec3_cross(wb, field_load3(c->lever_arm_b, at)),
                    u = lane_vec3_sub(lane_vec3_add(linear, by_b),
                                      lane_vec3_cross(wa, field_load3(c->lever_arm_a, at)));
    /* A round side's point rolls off: w x n is (w.y, -w.x, 0). */
    const lane_vec3 rim = contact_frame_from_world(&m.frame, lane_vec3_load(source->rim[0] + at, DRY_BUNDLE));
    const lane along = lane_sub_mul(lane_mul(rim.x, over.y), rim.y, over.x);
    lane_vec3 from_b = lane_vec3_add_scaled(lane_vec3_sub_scaled(by_b, side, u), along, rim);
    from_b.x = lane_add_mul(from_b.x, ball, over.y);
    from_b.y = lane_sub_mul(from_b.y, ball, over.x);
    from_b = lane_vec3_add(
        from_b, contact_frame_from_world(&m.frame, lane_vec3_load(source->slide[0] + at, DRY_BUNDLE)));
    const lane_vec3 from_a = lane_vec3_add(from_b, linear);
    const lane_vec3 rate = lane_vec3_sub(
        lane_vec3_sub(lane_vec3_cross(wb, from_b), lane_vec3_cross(wa, from_a)), lane_vec3_cross(plane, u));
    const lane normal[3] = {rate.z, lane_sub_mul(lane_mul(spin.x, point.z), plane.x, spin.z),
                            lane_sub_mul(lane_mul(spin.y, point.z), plane.y, spin.z)};
    for (int i = 0; i < 3; i++)
        lane_store(turning->normal[i] + at, lane_select(turns, normal[i], lane_zero()));
    lane_store(turning->tangent[0] + at, lane_select(turns, rate.x, lane_zero()));
    lane_store(turning->tangent[1] + at, lane_select(turns, rate.y, lane_zero()));
}

/* Copies a bundle past the caches, so that its lines are not read first and evict nothing. */
LANE_INLINE void prepare_stream(dry_contact_bundle *to, const dry_contact_bundle *from)
{
    float *t = (float *)(void *)to;
    const float *f = (const float *)(const void *)from;
    for (size_t i = 0; i < sizeof *to / sizeof *t; i += DRY_LANES)
        lane_stream(t + i, lane_load(f + i));
}

#endif
