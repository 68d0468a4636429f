/* Stage "prepare": contact bundles from manifolds.
 *
 * source.c finds the inputs of each bundle; prepare_kernel.h does the arithmetic, sixteen manifolds at a
 * time. Reads manifolds, poses, rows. Writes bundles [begin, end) and their headers. Next: substeps.c. */
#include "solver/sweeps/contacts/prepare.h"

#include "core/math.h"
#include "simd/fours.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/stiffened.h"
#include "solver/constraint/spook.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/layout.h"
#include "solver/sweeps/contacts/kernel_list.h"

#include <string.h>

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
        if (!source->island[lane]) /* the lane is empty */
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
    uint32_t flags = source->flags;
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

/* Returns the numbers of a pair's spring, or of the settings' where the pair has none. */
static dry_spook spook_of_pair(const dry_solver_step *step, const dry_surface *pair, float h)
{
    const dry_settings *settings = step->settings;
    if (pair->contact_stiffness > 0.0f)
        return step->method->springs->contact_spring(pair->contact_stiffness, pair->contact_damping, h);
    return dry_spook_given_as_k(settings) ? step->method->springs->contact(settings, h, 0.0f)
                                          : (dry_spook){0};
}

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

/* Prepares one bundle in `c`; `source` is the previous bundle's, or zero. */
static void prepare_bundle(const dry_solver_step *step, const dry_prepare *prepare,
                           dry_contact_source *source, dry_contact_bundle *c, int b, float h)
{
    dry_solver_state *state = step->state;
    dry_contact_header *header = &state->sweeps.headers[b];
    dry_contact_cold *cold = header->cold > 0 ? &state->sweeps.cold[header->cold] : NULL;
    dry_contact_speeds speeds;
    DRY_ASSERT(header->cold < dry_max_int(state->sweeps.cold_capacity, 1));
    header->lanes = dry_contact_find_source(step, prepare, b, h, source, c);
    dry_contact_kernels_at(state->sweeps.level)->contact_prepare(source, c, cold, &speeds, prepare);
    header->round = source->round;
    if (source->any_turning)
        dry_rare_contact_kernels_at(state->sweeps.level)
            ->contact_rates(source, c, &state->sweeps.turning[b], prepare);
    header->turns = source->any_turning;
    set_compliance(source, header, &state->sweeps.compliance[b]);
    uint32_t flags = flags_of(step, source, &speeds, header);
    if (header->hits)
        raise(&state->sweeps.hits);
    header->falls = source->any_falls;
    if (header->falls)
        note_past(source, c, &state->sweeps.past[b], h);
    header->lengthens = source->lengthens;
    header->stays = source->all_stay && !cold && flags == 0 && !header->mixed && !header->hits;
    if (flags & DRY_BUNDLE_IMPACT && header->impact == 0)
        header->impact = !cold && flags == DRY_BUNDLE_IMPACT ? DRY_BLOCK_FOR_BOUNCES : DRY_BLOCK_WANTED;
    if (cold) {
        cold->flags = (int32_t)(flags & ~(uint32_t)DRY_BUNDLE_IMPACT);
        if (flags & DRY_BUNDLE_STICTION)
            dry_stiction_prepare(step, source, c, &speeds, b);
        if (flags & DRY_BUNDLE_SPRING)
            prepare_springs(step, source, b, h);
        memcpy(cold->rubbing, source->rubbing, sizeof cold->rubbing);
    } else if (flags & ~(uint32_t)DRY_BUNDLE_IMPACT) {
        header->cold = DRY_BLOCK_WANTED;
    }
    if (header->impact < 0 || header->cold < 0)
        raise(&state->sweeps.marked);
}

/* Contacts lie at random in a large world, and so do their bodies. Links are therefore prefetched some
 * bundles ahead, then manifolds, and the bodies' columns when the links have arrived
 * (DECISIONS.md). */
enum { LANES_AHEAD = 4, LINKS_AHEAD = 3, MANIFOLDS_AHEAD = 2, BODIES_AHEAD = 1 };

static DRY_ALWAYS_INLINE void prefetch_manifold(const dry_contacts *contacts, int contact, bool turn)
{
    const dry_manifold *m = &contacts->manifold[contact];
    DRY_PREFETCH(m->points);
    DRY_PREFETCH(m->impulse);
    if (turn || contacts->link[contact].flags & DRY_CONTACT_RECYCLED)
        DRY_PREFETCH(m->built_position);
    if (contacts->rest)
        DRY_PREFETCH(&contacts->rest[contact]);
}

static DRY_ALWAYS_INLINE void prefetch_body(const dry_solver_step *step, int slot, int shape, bool turn)
{
    const int row = dry_bodies_row(step->bodies, slot);
    if (turn) {
        DRY_PREFETCH(&step->bodies->velocity[row]);
        DRY_PREFETCH(&step->bodies->mass[row]);
        DRY_PREFETCH(&step->shapes->form[shape]);
    }
    DRY_PREFETCH(&step->bodies->pose[row]);
    DRY_PREFETCH(&step->bodies->pose[row].orientation.w);
    DRY_PREFETCH(&step->bodies->sleep[row]);
    if (row < step->bodies->awake_count)
        DRY_PREFETCH(&step->state->bodies.rows[row + 1]);
}

/* Prefetches what the bundles after b need that come before `end`. */
static DRY_ALWAYS_INLINE void prefetch_ahead(const dry_solver_step *step, int b, int end, bool turn)
{
    const dry_contacts *contacts = step->contacts;
    const dry_bundle_members *members = &step->state->sweeps.bundles[DRY_KIND_CONTACT].members[b];
    if (b + LANES_AHEAD < end)
        DRY_PREFETCH(&members[LANES_AHEAD]);
    for (int lane = 0; lane < DRY_BUNDLE && b + LINKS_AHEAD < end; lane++)
        if (members[LINKS_AHEAD].index[lane] >= 0)
            DRY_PREFETCH(&contacts->link[members[LINKS_AHEAD].index[lane]]);
    for (int lane = 0; lane < DRY_BUNDLE && b + MANIFOLDS_AHEAD < end; lane++)
        if (members[MANIFOLDS_AHEAD].index[lane] >= 0)
            prefetch_manifold(contacts, members[MANIFOLDS_AHEAD].index[lane], turn);
    for (int lane = 0; lane < DRY_BUNDLE && b + BODIES_AHEAD < end; lane++) {
        const int contact = members[BODIES_AHEAD].index[lane];
        if (contact < 0)
            continue;
        const dry_manifold *m = &contacts->manifold[contact];
        prefetch_body(step, contacts->link[contact].body_a, m->shape_a, turn);
        prefetch_body(step, contacts->link[contact].body_b, m->shape_b, turn);
    }
}

/* Tells whether a bundle that stays is what preparing it would make: none of its contacts was built anew, nor
 * is the rest pose of one of its bodies another one. */
static bool is_up_to_date(const dry_solver_step *step, int b, bool some_rested)
{
    const dry_solver_state *s = step->state;
    const int lanes = s->sweeps.headers[b].lanes;
    bool anew = dry_members_have(s->sweeps.bundles[DRY_KIND_CONTACT].members[b].index, lanes,
                                 step->contacts->built_bits);
    const dry_contact_bundle *c = &dry_contact_bundles(s)[b];
    for (int lane = 0; lane < lanes && some_rested; lane++)
        anew |= (c->row_a[lane] > 0 && s->bodies.rested[c->row_a[lane] - 1]) ||
                (c->row_b[lane] > 0 && s->bodies.rested[c->row_b[lane] - 1]);
    return !anew;
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
    const bool turn = step->bodies->awake_count > DRY_ROWS_NEAR && dry_some_contacts_turn(step);
    dry_contact_source source;
    _Alignas(DRY_CACHE_LINE) dry_contact_bundle made;
    memset(&source, 0, sizeof source);
    for (int b = part.begin; b < part.end; b++) {
        if (state->sweeps.headers[b].stays && is_up_to_date(step, b, some_rested))
            continue;
        prefetch_ahead(step, b, part.end, turn);
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
        DRY_ASSERT(header->impact >= 0 && header->impact < dry_max_int(s->sweeps.impact_capacity, 1));
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
    const dry_quat *none = &dry_body_default_rest_pose.orientation;
    dry_contact_source source; /* of which turning reads orientations and shares */
    for (int b = part.begin; b < part.end; b++) {
        dry_contact_bundle *c = &dry_contact_bundles(s)[b];
        dry_contact_cold *cold =
            s->sweeps.headers[b].cold > 0 ? &s->sweeps.cold[s->sweeps.headers[b].cold] : NULL;
        bool turned = false;
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            const int32_t row_a = c->row_a[lane], row_b = c->row_b[lane];
            source.orientation_a[lane] = row_a ? dry_frames_orientation(step, row_a - 1) : none;
            source.orientation_b[lane] = row_b ? dry_frames_orientation(step, row_b - 1) : none;
            turned = turned || is_whitened_anew(s, row_a) || is_whitened_anew(s, row_b);
        }
        if (!turned)
            continue;
        if (prepare.split_masses) {
            DRY_ASSERT(cold); /* each bundle has one */
            memcpy(source.share[0], cold->share_a, sizeof source.share[0]);
            memcpy(source.share[1], cold->share_b, sizeof source.share[1]);
        }
        dry_contact_kernels_at(s->sweeps.level)->contact_turn(&source, c, cold, &prepare);
    }
}
