/* Stage "prepare": contact bundles from manifolds.
 *
 * This file finds the inputs of each bundle; prepare_kernel.h does the arithmetic, sixteen manifolds at a
 * time. Reads manifolds, poses, rows. Writes bundles [begin, end) and their headers. Next: substeps.c. */
#include "solver/sweeps/contacts/prepare.h"

#include "core/math.h"
#include "narrowphase/manifold.h"
#include "simd/fours.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/start.h"
#include "solver/bodies/stiffened.h"
#include "solver/constraint/spook.h"
#include "solver/data/contacts/source.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/islands.h"
#include "solver/sweeps/contacts/kernel_list.h"

#include <string.h>

static const dry_manifold no_manifold;
static const dry_surface no_surface;
static const dry_quat no_rotation = {0.0f, 0.0f, 0.0f, 1.0f};

/* Returns the solver row of a body, 0 if no impulse moves it. Copies a kinematic body's velocity. */
static DRY_ALWAYS_INLINE int32_t row_of(const dry_bodies *bodies, int row, dry_contact_source *source,
                                        int lane, int side)
{
    if (row >= bodies->awake_count)
        return 0;
    if (bodies->sleep[row].island >= 0)
        return row + 1;
    const dry_body_velocity *v = &bodies->velocity[row];
    dry_lanes_put3(source->kinematic[2 * side], lane, v->linear);
    dry_lanes_put3(source->kinematic[2 * side + 1], lane, v->angular);
    source->any_kinematic = true;
    return 0;
}

/* Returns the patch's center from the center of the body on a side, m. */
static dry_vec3 arm_of(const dry_solver_step *step, int contact, int side, dry_quat orientation_b,
                       dry_vec3 between)
{
    const dry_manifold *m = &step->contacts->manifold[contact];
    const int points = step->contacts->link[contact].points;
    dry_vec3 sum = vec3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < points; i++)
        sum = vec3_add(sum, m->points[i].anchor_b);
    const dry_vec3 arm = quat_rotate(orientation_b, vec3_scale(sum, 1.0f / (float)dry_max_int(points, 1)));
    return side ? arm : vec3_add(arm, between);
}

/* Takes the velocity of a turning kinematic surface where the patch is in the midst of the step. Taken where
 * the step begins, it is that of half a step before, and what rolls or rides on the surface gains energy: a
 * ball on a turntable some 2 pi^2 / n of its speed in a round of n steps. The patch moves with the other
 * body, on a round one with its center, by at most its lever arm: farther, the contact does not last. */
static void lead_surface(const dry_solver_step *step, dry_contact_source *source, int contact, int lane,
                         int side, const int row[2], dry_vec3 between)
{
    const dry_bodies *bodies = step->bodies;
    const dry_contact_link *link = &step->contacts->link[contact];
    const dry_manifold *m = &step->contacts->manifold[contact];
    const dry_body_velocity *table = &bodies->velocity[row[side]], *rider = &bodies->velocity[row[!side]];
    if (vec3_length_squared(table->angular) == 0.0f ||
        dry_type_is_round(step->shapes->form[side ? m->shape_b : m->shape_a].geometry.type))
        return;
    const dry_vec3 arm = arm_of(step, contact, !side, bodies->pose[row[1]].orientation, between);
    dry_vec3 velocity = vec3_sub(rider->linear, table->linear);
    if (!(link->flags & DRY_CONTACT_ROUND))
        velocity = vec3_add(velocity, vec3_cross(rider->angular, arm));
    const dry_vec3 way = vec3_scale(velocity, 0.5f * step->dt);
    const float length = vec3_length(way), most = vec3_length(arm);
    const float share = length > most ? most / length : 1.0f;
    const dry_vec3 more = vec3_cross(table->angular, vec3_scale(way, share));
    dry_lanes *moves = source->kinematic[2 * side];
    dry_lanes_put3(moves, lane, vec3_add(dry_lanes_get3((const dry_lanes *)moves, lane), more));
}

/* Adds the motion of a side's surface past its body, along the tangents: friction sees it as that of a
 * kinematic body. A belt that moves through the surface presses nobody. Not inlined: it is rare. */
DRY_NOINLINE static void add_belt(const dry_solver_step *step, dry_contact_source *source, int contact,
                                  int lane, int side, int row, dry_vec3 n)
{
    const dry_material material = dry_contacts_material(step->contacts, step->shapes, contact, side);
    if (vec3_is_zero(material.surface_velocity))
        return;
    const dry_quat frame = dry_bodies_user_pose(step->bodies, row).orientation;
    const dry_vec3 velocity = quat_rotate(frame, material.surface_velocity);
    const dry_vec3 along = vec3_add_scaled(velocity, -vec3_dot(velocity, n), n);
    dry_lanes *moves = source->kinematic[2 * side];
    dry_lanes_put3(moves, lane, vec3_add(dry_lanes_get3((const dry_lanes *)moves, lane), along));
    source->any_kinematic = true;
}

/* Returns the way of b's center across the normal until the surfaces meet, relative to a's, m. */
static dry_vec3 way_across(const dry_manifold *m, const dry_body_pose *a, dry_vec3 between, dry_vec3 n)
{
    const double *p = m->built_position;
    const dry_vec3 then = quat_rotate(a->orientation, vec3((float)p[0], (float)p[1], (float)p[2]));
    const dry_vec3 way = vec3_sub(then, between);
    return vec3_add_scaled(way, -vec3_dot(way, n), n);
}

/* Tells whether a contact has its lever arms as they were when its anchors were made. Those of this step are
 * as built. In an island that topples they would hold it up. In a floating island they would change its
 * angular momentum, and with a moving kinematic body they would falsify the velocity of its surface. */
static bool holds_levers(const dry_solver_step *step, const dry_contact_link *link,
                         const dry_contact_bundle *c, int lane)
{
    const int32_t row_a = c->row_a[lane], row_b = c->row_b[lane], row = row_a ? row_a : row_b;
    if (!(link->flags & DRY_CONTACT_RECYCLED) || row == 0)
        return false;
    const dry_bodies *bodies = step->bodies;
    if (row_a == 0 || row_b == 0) {
        const int fixed = dry_bodies_row(bodies, row_a == 0 ? link->body_a : link->body_b);
        const dry_body_velocity *v = &bodies->velocity[fixed];
        if (fixed < bodies->awake_count &&
            vec3_length_squared(v->linear) + vec3_length_squared(v->angular) > 0.0f)
            return false;
    }
    const dry_island *island = &step->islands->island[bodies->sleep[row - 1].island];
    return !island->floating && !island->hinged;
}

/* Copies the rolling resistance of a contact with a round shape, if there is any. */
static void find_rolling(dry_contact_source *source, const dry_manifold *m, int lane)
{
    const float limit = dry_manifold_rolling_limit(m);
    if (limit == 0.0f)
        return;
    source->rolling_limit[lane] = limit;
    dry_lanes_put3(source->rolling_impulse, lane, dry_manifold_rolling_impulse(m));
    source->any_rolling = true;
}

/* Returns the load that both bodies of a contact bear for long, m/s^2. */
static float load_of(const dry_bodies *bodies, int32_t row_a, int32_t row_b)
{
    float load = FLT_MAX;
    for (int side = 0; side < 2; side++) {
        const int32_t row = side ? row_b : row_a;
        if (row > 0 && bodies->sleep[row - 1].load >= 0.0f)
            load = dry_min(load, bodies->sleep[row - 1].load);
    }
    return load;
}

/* Returns the share of its impulses that a contact of two bodies keeps. Where joints forbid them to part,
 * friction presses them harder from step to step. So two that joints hold keep no more than what bears their
 * island, or would part them, through a lever. Of 600 drawn chains of boxes that overlap 73 lost bodies, and
 * 3 do; with levers of 3 and 30 as many. */
static float share_kept(const dry_solver_step *step, const dry_island *island, const dry_manifold *m,
                        const int row[2])
{
    enum { LEVER = 16 };
    const dry_body_state *a = &step->bodies->state[row[0]], *b = &step->bodies->state[row[1]];
    const float part = (a->mass + b->mass) * step->settings->push_out_speed_max,
                most = LEVER * (dry_abs(m->substep) * island->support + part),
                all = m->impulse[0] + m->impulse[1] + m->impulse[2] + m->impulse[3];
    return a->joints >= 0 && b->joints >= 0 && all > most ? most / all : 1.0f;
}

/* Fills a lane of the source and the bundle's rows. */
static void find_lane(const dry_solver_step *step, dry_contact_source *source, dry_contact_bundle *c,
                      int contact, int lane, bool splits_masses, float h)
{
    const dry_contact_link *link = &step->contacts->link[contact];
    const dry_manifold *m = &step->contacts->manifold[contact];
    const dry_bodies *bodies = step->bodies;
    int row_a = dry_bodies_row(bodies, link->body_a), row_b = dry_bodies_row(bodies, link->body_b);
    c->row_a[lane] = row_of(bodies, row_a, source, lane, 0);
    c->row_b[lane] = row_of(bodies, row_b, source, lane, 1);
    const dry_body_pose *a = dry_start_pose(step, row_a), *b = dry_start_pose(step, row_b);
    dry_vec3 between = position_sub(b->position, a->position);
    dry_vec3 n = dry_manifold_normal(m, a);
    const int rows[2] = {row_a, row_b};
    for (int side = 0; side < 2 && source->any_kinematic; side++)
        if ((side ? c->row_b : c->row_a)[lane] == 0 && (side ? c->row_a : c->row_b)[lane] > 0 &&
            rows[side] < bodies->awake_count)
            lead_surface(step, source, contact, lane, side, rows, between);
    for (int side = 0; side < 2 && step->shapes->belt; side++)
        add_belt(step, source, contact, lane, side, rows[side], n);
    if (link->flags & DRY_CONTACT_MEETS)
        between = vec3_add(between, way_across(m, a, between, n));
    source->manifold[lane] = m;
    source->orientation_a[lane] = &a->orientation;
    source->orientation_b[lane] = &b->orientation;
    dry_lanes_put3(source->between, lane, between);
    if (step->settings->levers == DRY_LEVERS_HELD) {
        const bool held = holds_levers(step, link, c, lane);
        source->held[lane] = held ? 1.0f : 0.0f;
        source->any_held |= held;
    }
    dry_lanes_put3(source->normal, lane, n);
    source->friction[lane] = m->friction;
    const int32_t solved = c->row_a[lane] ? c->row_a[lane] : c->row_b[lane];
    if (step->shapes->stiction || step->shapes->spring) {
        const dry_surface pair = dry_contacts_surface(step->contacts, step->shapes, contact);
        source->surface[lane] = pair;
        source->any_stiction |= pair.static_friction > m->friction;
        source->any_spring |= pair.contact_stiffness > 0.0f;
    }
    const dry_island *island = solved ? &step->islands->island[bodies->sleep[solved - 1].island] : NULL;
    source->compliance[lane] = island ? island->compliance * dry_sleeper_gives(step, rows) : 1.0f;
    /* Lever arms of new anchors are the bodies' own, and held from the next step on. */
    source->all_stay &= island && island->stays && (link->flags & DRY_CONTACT_RECYCLED);
    source->fall[lane] = island ? step->islands->island[bodies->sleep[solved - 1].island].rated.fall : 0.0f;
    if (source->fall[lane] > 0.0f) {
        source->load[lane] = load_of(bodies, c->row_a[lane], c->row_b[lane]);
        source->any_falls = true;
    }
    if (step->contacts->rest) {
        const bool may = island && island->lengthened;
        const float *length = may ? step->contacts->rest[contact].length : dry_contact_default_rest.length;
        const bool has = length[0] != 0.0f || length[1] != 0.0f || length[2] != 0.0f || length[3] != 0.0f;
        source->rest[lane] = length;
        source->any_rest |= has;
        source->lengthens |= (uint16_t)(has && !island->rests) << lane;
    }
    source->lengthens |= (uint16_t)(island && island->settles) << lane;
    source->rise[lane] = (float)(dry_manifold_height(n, a, b) - m->height);
    source->count[lane] = (float)link->points;
    source->patch_least[lane] = link->flags & DRY_CONTACT_ROUND ? 0.0f : DRY_PATCH_LEAST;
    if (splits_masses) {
        source->share[0][lane] = c->row_a[lane] ? dry_mass_share(step->state, row_a) : 1.0f;
        source->share[1][lane] = c->row_b[lane] ? dry_mass_share(step->state, row_b) : 1.0f;
    }
    if (link->flags & DRY_CONTACT_ROUND)
        find_rolling(source, m, lane);
    source->impulse_scale[lane] = 0.0f;
    const float substep = dry_abs(m->substep);
    if (step->settings->warm_start && substep > 0.0f)
        source->impulse_scale[lane] = substep == h ? 1.0f : h / substep;
    if (island && island->joints > 0 && c->row_a[lane] && c->row_b[lane])
        source->impulse_scale[lane] *= share_kept(step, island, m, rows);
}

static void clear_lane(dry_contact_source *source, dry_contact_bundle *c, int lane)
{
    c->row_a[lane] = c->row_b[lane] = 0;
    source->manifold[lane] = &no_manifold;
    source->orientation_a[lane] = source->orientation_b[lane] = &no_rotation;
    source->held[lane] = 0.0f;
    source->rest[lane] = dry_contact_default_rest.length;
    for (int i = 0; i < 3; i++) {
        source->between[i][lane] = 0.0f;
        source->normal[i][lane] = i == 1 ? 1.0f : 0.0f;
    }
    source->compliance[lane] = 1.0f;
    source->load[lane] = source->fall[lane] = 0.0f;
    source->friction[lane] = source->rise[lane] = source->count[lane] = source->impulse_scale[lane] = 0.0f;
    source->patch_least[lane] = 0.0f;
    source->surface[lane] = no_surface;
    source->share[0][lane] = source->share[1][lane] = 1.0f;
}

static void raise(atomic_bool *flag)
{
    if (!atomic_load_explicit(flag, memory_order_relaxed))
        atomic_store_explicit(flag, true, memory_order_relaxed);
}

/* Gives a bundle the compliance of its lanes, or theirs to each where those with a manifold differ. */
static void set_compliance(const dry_contact_source *source, dry_contact_header *header,
                           dry_contact_compliance *compliance)
{
    header->mixed = false;
    header->compliance = 0.0f;
    for (int lane = 0; lane < header->lanes; lane++) {
        if (source->manifold[lane] == &no_manifold)
            continue;
        header->mixed |= header->compliance > 0.0f && source->compliance[lane] != header->compliance;
        header->compliance = source->compliance[lane];
    }
    if (header->mixed)
        memcpy(compliance->lane, source->compliance, sizeof compliance->lane);
}

/* Returns the flags of a prepared bundle, and marks the lanes that hit in its header. */
static uint32_t flags_of(const dry_solver_step *step, const dry_contact_source *source,
                         const dry_contact_speeds *speeds, dry_contact_header *header)
{
    const dry_settings *settings = step->settings;
    uint32_t flags = source->any_kinematic ? DRY_BUNDLE_KINEMATIC : 0;
    if (source->any_rolling)
        flags |= DRY_BUNDLE_ROLLING;
    if (source->any_stiction)
        flags |= DRY_BUNDLE_STICTION;
    if (source->any_spring)
        flags |= DRY_BUNDLE_SPRING;
    /* Gravity may bring a contact to the threshold within the step. */
    const float bounce = settings->restitution_speed_min - vec3_length(settings->gravity) * step->dt;
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        float fastest = speeds->fastest[lane];
        if (dry_manifold_bounces(source->manifold[lane])) {
            flags |= DRY_BUNDLE_IMPACT;
            if (fastest < -bounce)
                raise(&step->state->sweeps.impacts);
        }
        if (fastest < -settings->hit_speed_min)
            header->hits |= (uint16_t)(1u << lane);
    }
    return flags;
}

int dry_contact_find_source(const dry_solver_step *step, int bundle, float h, dry_contact_source *source,
                            dry_contact_bundle *c)
{
    const int32_t *members = step->state->sweeps.bundles[DRY_KIND_CONTACT].members[bundle].index;
    int lanes = 0;
    if (source->any_kinematic) {
        memset(source->kinematic, 0, sizeof source->kinematic);
        source->any_kinematic = false;
    }
    if (source->any_rolling) {
        memset(source->rolling_limit, 0, sizeof source->rolling_limit);
        memset(source->rolling_impulse, 0, sizeof source->rolling_impulse);
        source->any_rolling = false;
    }
    source->any_held = source->any_stiction = source->any_spring = source->any_rest = false;
    source->lengthens = 0;
    source->all_stay = true;
    source->any_falls = false;
    const bool splits_masses = step->method->splits_masses;
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        if (members[lane] >= 0) {
            find_lane(step, source, c, members[lane], lane, splits_masses, h);
            lanes = lane + 1;
        } else {
            clear_lane(source, c, lane);
        }
    }
    return lanes;
}

/* Returns the numbers of a pair's spring, or of the settings' where the pair has none. */
static dry_spook spook_of_pair(const dry_solver_step *step, const dry_surface *pair, float h)
{
    const dry_settings *settings = step->settings;
    const bool positions = step->method->positions;
    if (pair->contact_stiffness > 0.0f)
        return (positions ? dry_spook_implicit : dry_spook_from_spring)(pair->contact_stiffness,
                                                                        pair->contact_damping, h);
    if (!dry_spook_given_as_k(settings))
        return (dry_spook){.rate = 0.0f};
    return positions ? dry_spook_contact_implicit(settings, h, 0.0f) : dry_spook_contact(settings, h, 0.0f);
}

/* Fills the springs of a bundle. */
static void prepare_springs(const dry_solver_step *step, const dry_contact_source *source, int b, float h)
{
    dry_solver_state *state = step->state;
    dry_contact_spring *s = &state->sweeps.springs[state->sweeps.headers[b].cold];
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        const dry_spook spook = spook_of_pair(step, &source->surface[lane], h);
        s->rate[lane] = spook.rate;
        s->softness[lane] = spook.softness;
        s->approach[lane] = spook.approach;
        s->given[lane] = spook.softness > 0.0f ? 1.0f : 0.0f;
    }
}

/* Returns the bits of the lanes with a round shape, and of empty ones. */
static uint16_t round_lanes(const dry_contact_source *source)
{
    uint32_t bits = 0;
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        bits |= (uint32_t)(source->patch_least[lane] == 0.0f) << lane;
    return (uint16_t)bits;
}

/* Notes what contacts bear as the step begins. */
static void note_past(const dry_contact_source *source, const dry_contact_bundle *c, dry_contact_past *past,
                      float h)
{
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        for (int k = 0; k < 2; k++)
            past->impulse[k][lane] = c->impulse[2 * k][lane] + c->impulse[2 * k + 1][lane];
        past->fall[lane] = source->fall[lane];
        past->sustained[lane] = dry_min(DRY_LOAD_BAND * h * source->load[lane], FLT_MAX);
    }
}

/* Marks a bundle that wants a block. */
static void mark(dry_solver_state *state, int32_t *block, int32_t wanted)
{
    *block = wanted;
    raise(&state->sweeps.marked);
}

/* Prepares one bundle in `c`; `source` is the previous bundle's, or zero. */
static void prepare_bundle(const dry_solver_step *step, const dry_prepare *prepare,
                           dry_contact_source *source, dry_contact_bundle *c, int b, float h)
{
    dry_solver_state *state = step->state;
    dry_contact_header *header = &state->sweeps.headers[b];
    dry_contact_cold *cold = header->cold > 0 ? &state->sweeps.cold[header->cold] : NULL;
    dry_contact_speeds speeds;
    header->lanes = dry_contact_find_source(step, b, h, source, c);
    if (step->method->positions)
        header->round = round_lanes(source);
    dry_contact_kernels_at(state->sweeps.level)->contact_prepare(source, c, cold, &speeds, prepare);
    set_compliance(source, header, &state->sweeps.compliance[b]);
    uint32_t flags = flags_of(step, source, &speeds, header);
    if (header->hits)
        raise(&state->sweeps.hits);
    header->falls = step->islands->unloads && source->any_falls;
    if (header->falls)
        note_past(source, c, &state->sweeps.past[b], h);
    header->lengthens = source->lengthens;
    header->stays = source->all_stay && !cold && flags == 0 && !header->mixed && !header->hits;
    if (flags & DRY_BUNDLE_IMPACT && header->impact == 0)
        mark(state, &header->impact,
             !cold && flags == DRY_BUNDLE_IMPACT ? DRY_BLOCK_FOR_BOUNCES : DRY_BLOCK_WANTED);
    if (cold) {
        cold->flags = (int32_t)(flags & ~(uint32_t)DRY_BUNDLE_IMPACT);
        if (flags & DRY_BUNDLE_STICTION)
            dry_stiction_prepare(step, source, c, &speeds, b);
        if (flags & DRY_BUNDLE_SPRING)
            prepare_springs(step, source, b, h);
    } else if (flags & ~(uint32_t)DRY_BUNDLE_IMPACT) {
        mark(state, &header->cold, DRY_BLOCK_WANTED);
    }
}

/* Contacts lie at random in a large world, and so do their bodies. Links are therefore prefetched some
 * bundles ahead, then manifolds, and the bodies' columns when the links have arrived
 * (solver/sweeps/contacts/DECISIONS.md).
 */
enum { LANES_AHEAD = 4, LINKS_AHEAD = 3, MANIFOLDS_AHEAD = 2, BODIES_AHEAD = 1 };

static DRY_ALWAYS_INLINE void prefetch_links(const dry_solver_step *step, int b)
{
    const int32_t *contact = step->state->sweeps.bundles[DRY_KIND_CONTACT].members[b].index;
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        if (contact[lane] >= 0)
            DRY_PREFETCH(&step->contacts->link[contact[lane]]);
}

static DRY_ALWAYS_INLINE void prefetch_manifolds(const dry_solver_step *step, int b)
{
    const int32_t *contact = step->state->sweeps.bundles[DRY_KIND_CONTACT].members[b].index;
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        if (contact[lane] >= 0) {
            const dry_manifold *m = &step->contacts->manifold[contact[lane]];
            DRY_PREFETCH(m->points);
            DRY_PREFETCH(m->impulse);
            if (step->contacts->link[contact[lane]].flags & DRY_CONTACT_RECYCLED)
                DRY_PREFETCH(m->built_position);
            if (step->contacts->rest)
                DRY_PREFETCH(&step->contacts->rest[contact[lane]]);
        }
}

static DRY_ALWAYS_INLINE void prefetch_bodies(const dry_solver_step *step, int b)
{
    const int32_t *contact = step->state->sweeps.bundles[DRY_KIND_CONTACT].members[b].index;
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        if (contact[lane] >= 0) {
            const dry_contact_link *link = &step->contacts->link[contact[lane]];
            const int row[2] = {dry_bodies_row(step->bodies, link->body_a),
                                dry_bodies_row(step->bodies, link->body_b)};
            for (int side = 0; side < 2; side++) {
                DRY_PREFETCH(&step->bodies->pose[row[side]]);
                DRY_PREFETCH(&step->bodies->pose[row[side]].orientation.w);
                DRY_PREFETCH(&step->bodies->sleep[row[side]]);
                if (row[side] < step->bodies->awake_count)
                    DRY_PREFETCH(&step->state->bodies.rows[row[side] + 1]);
            }
        }
}

/* Tells whether a bundle that stays is what preparing it would make: none of its contacts was built anew, nor
 * is the rest pose of one of its bodies another one. Empty lanes look at contact 0. */
static bool is_up_to_date(const dry_solver_step *step, int b, bool some_rested)
{
    const dry_solver_state *s = step->state;
    const int32_t *members = s->sweeps.bundles[DRY_KIND_CONTACT].members[b].index;
    const int lanes = s->sweeps.headers[b].lanes;
    uint64_t anew = 0;
    for (int lane = 0; lane < lanes; lane++) {
        const int contact = dry_max_int(members[lane], 0);
        anew |= step->contacts->built_bits[contact / 64] >> contact % 64;
    }
    const dry_contact_bundle *c = &dry_contact_bundles(s)[b];
    for (int lane = 0; lane < lanes && some_rested; lane++)
        anew |= (c->row_a[lane] > 0 && s->bodies.rested[c->row_a[lane] - 1]) ||
                (c->row_b[lane] > 0 && s->bodies.rested[c->row_b[lane] - 1]);
    return !(anew & 1);
}

dry_prepare dry_contact_prepare_of(const dry_solver_step *step)
{
    return (dry_prepare){
        .rows = step->state->bodies.rows,
        .gravity_vector = step->settings->gravity,
        .gravity = vec3_length(step->settings->gravity),
        .friction = step->settings->method.friction,
        .split_masses = step->method->splits_masses,
    };
}

void dry_prepare_contacts(const dry_solver_step *step, dry_bundle_part part)
{
    dry_prepare prepare = dry_contact_prepare_of(step);
    dry_solver_state *state = step->state;
    /* Bundles that will have left the cache before the first sweep are written past it. Otherwise their lines
     * would be read before they are written, and would evict bodies that prepare reads once per color. */
    const dry_bundle_array *array = &state->sweeps.bundles[DRY_KIND_CONTACT];
    dry_contact_bundle *bundles = array->bundle;
    bool streams = (size_t)array->count * sizeof *bundles > DRY_BUNDLES_NEAR_BYTES;
    const bool some_rested = atomic_load_explicit(&state->bodies.some_rested, memory_order_relaxed);
    dry_contact_source source;
    _Alignas(DRY_CACHE_LINE) dry_contact_bundle made;
    memset(&source, 0, sizeof source);
    for (int b = part.begin; b < part.end; b++) {
        if (state->sweeps.headers[b].stays && is_up_to_date(step, b, some_rested))
            continue;
        if (b + LANES_AHEAD < part.end)
            DRY_PREFETCH(&array->members[b + LANES_AHEAD]);
        if (b + LINKS_AHEAD < part.end)
            prefetch_links(step, b + LINKS_AHEAD);
        if (b + MANIFOLDS_AHEAD < part.end)
            prefetch_manifolds(step, b + MANIFOLDS_AHEAD);
        if (b + BODIES_AHEAD < part.end)
            prefetch_bodies(step, b + BODIES_AHEAD);
        prepare.stream_to = streams ? &bundles[b] : NULL;
        prepare_bundle(step, &prepare, &source, streams ? &made : &bundles[b], b, part.h);
    }
    if (streams)
        stream_end();
}

/* Begins the impacts of a bundle. A sweep that relaxes may come before the first round: coupled.c. */
static void begin_impacts(const dry_solver_step *step, int b, dry_contact_impact *impact)
{
    const int32_t *members = step->state->sweeps.bundles[DRY_KIND_CONTACT].members[b].index;
    for (int lane = 0; lane < DRY_BUNDLE; lane++)
        impact->restitution[lane] =
            members[lane] >= 0 ? step->contacts->manifold[members[lane]].restitution : 0.0f;
    memset(impact->speed, 0, sizeof impact->speed);
}

void dry_prepare_marked_contacts(const dry_solver_step *step, dry_bundle_part part)
{
    dry_solver_state *s = step->state;
    const dry_prepare prepare = dry_contact_prepare_of(step);
    dry_contact_source source;
    memset(&source, 0, sizeof source);
    for (int b = part.begin; b < part.end; b++) {
        const dry_contact_header *header = &s->sweeps.headers[b];
        if (header->cold > 0 && !s->sweeps.all_cold)
            prepare_bundle(step, &prepare, &source, &dry_contact_bundles(s)[b], b, part.h);
        if (header->impact > 0)
            begin_impacts(step, b, &s->sweeps.impact[header->impact]);
    }
}

/* Tells whether a solver row is whitened otherwise than when contacts were prepared. */
static bool is_whitened_anew(const dry_solver_state *s, int32_t row)
{
    return row > 0 && (dry_frames_turn(s, row - 1) || dry_stiffened_of(s, row - 1));
}

void dry_turn_contacts(const dry_solver_step *step, dry_bundle_part part)
{
    dry_solver_state *s = step->state;
    const dry_prepare prepare = dry_contact_prepare_of(step);
    dry_contact_turn_source source;
    memset(&source, 0, sizeof source);
    for (int b = part.begin; b < part.end; b++) {
        dry_contact_bundle *c = &dry_contact_bundles(s)[b];
        dry_contact_cold *cold =
            s->sweeps.headers[b].cold > 0 ? &s->sweeps.cold[s->sweeps.headers[b].cold] : NULL;
        bool turned = false;
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            const int32_t row_a = c->row_a[lane], row_b = c->row_b[lane];
            source.orientation_a[lane] = row_a ? dry_frames_orientation(step, row_a - 1) : &no_rotation;
            source.orientation_b[lane] = row_b ? dry_frames_orientation(step, row_b - 1) : &no_rotation;
            turned = turned || is_whitened_anew(s, row_a) || is_whitened_anew(s, row_b);
        }
        if (!turned)
            continue;
        if (prepare.split_masses) { /* each bundle has a cold block */
            memcpy(source.share[0], cold->share_a, sizeof source.share[0]);
            memcpy(source.share[1], cold->share_b, sizeof source.share[1]);
        }
        dry_contact_kernels_at(s->sweeps.level)->contact_turn(&source, c, cold, &prepare);
    }
}
