/* Whether the solver's layout is sound: every constraint in one lane, no body twice in what is solved side by
 * side, and no constraint past the next band. From scratch, as all of world_checker.h, which includes this.
 */
#ifndef TESTS_LAYOUT_CHECKER_H
#define TESTS_LAYOUT_CHECKER_H

#include <limits.h>

/* Of a phase, the lanes of one kind. */
static inline const int32_t *checker_lanes(const dry_solver_state *s, int k, int bundle)
{
    return k == DRY_KIND_CONTACT ? s->lanes[bundle].contact
           : k == DRY_KIND_BALL  ? s->ball[bundle].joint
                                 : s->distance[bundle].joint;
}

typedef struct layout_checker {
    int *contact_lanes, *joint_lanes; /* how many lanes each constraint has */
    int *met;                         /* by row: the last group of lanes that had it */
    int *band;                        /* by row: the band that lists it, an index of the solver's */
    int group;                        /* a phase, or of OVERFLOW a bundle */
} layout_checker;

/* One lane: its constraint's bodies belong to `band` or, unless bands are apart, the next, one of them to the
 * first. */
static inline void check_lane(const dry_world *world, layout_checker *l, const dry_phase *phase, int k,
                              int index, int band, bool apart)
{
    int sides[2], lowest = INT_MAX, highest = -1;
    if (k == DRY_KIND_CONTACT) {
        const dry_contact_link *link = &world->contacts.link[index];
        sides[0] = link->body_a, sides[1] = link->body_b;
        check(link->color == phase->color);
        ++l->contact_lanes[index];
    } else {
        const dry_joint *joint = &world->joints.joint[index];
        sides[0] = joint->body_a, sides[1] = joint->body_b;
        check(joint->color == phase->color && (joint->def.type == DRY_JOINT_BALL) == (k == DRY_KIND_BALL));
        ++l->joint_lanes[index];
    }
    for (int i = 0; i < 2; ++i) {
        int row = world->bodies.slots.slots[sides[i]].row;
        if (!checker_dynamic(world, sides[i]) || !checker_awake(world, sides[i]))
            continue;
        check(l->met[row] != l->group);
        l->met[row] = l->group;
        lowest = l->band[row] < lowest ? l->band[row] : lowest;
        highest = l->band[row] > highest ? l->band[row] : highest;
    }
    check(lowest == band && highest <= band + !apart);
}

static inline void check_phase(const dry_world *world, layout_checker *l, int p, int band, bool apart)
{
    const dry_solver_state *s = &world->solver;
    const dry_phase *phase = &s->phases[p];
    int bundles = 0;
    ++l->group;
    for (int k = 0; k < DRY_KIND_COUNT; ++k) {
        const dry_bundle_range range = phase->bundles[k];
        check(range.begin == (p ? phase[-1].bundles[k].end : 0) && range.begin <= range.end);
        bundles += range.end - range.begin;
        for (int b = range.begin; b < range.end; ++b) {
            l->group += phase->color == DRY_COLOR_OVERFLOW;
            for (int lane = 0; lane < DRY_BUNDLE; ++lane)
                if (checker_lanes(s, k, b)[lane] >= 0)
                    check_lane(world, l, phase, k, checker_lanes(s, k, b)[lane], band, apart);
        }
    }
    check(bundles > 0);
}

/* A class lists each of its bodies in one band; its phases go through the bands, in each through rising
 * colours. */
static inline void check_class(const dry_world *world, layout_checker *l, int island_class)
{
    const dry_solver_state *s = &world->solver;
    const dry_class_range *range = &s->ranges[island_class];
    int body = range->body_begin, phase = range->phase_begin;
    for (int b = range->band_begin; b < range->band_end; ++b) {
        check(s->bands[b].body_begin == body && s->bands[b].body_end >= body);
        for (; body < s->bands[b].body_end; ++body) {
            int row = s->order[body];
            check(l->band[row] < 0);
            check(world->islands.island[world->bodies.rest[row].island].island_class == island_class);
            l->band[row] = b;
        }
    }
    check(body == range->body_end);
    for (int b = range->band_begin; b < range->band_end; ++b) {
        check(s->bands[b].phase_begin == phase && s->bands[b].phase_end >= phase);
        for (int color = -1; phase < s->bands[b].phase_end; ++phase) {
            check(s->phases[phase].color > color && s->phases[phase].color <= DRY_COLOR_OVERFLOW);
            color = s->phases[phase].color;
            check_phase(world, l, phase, b, range->bands_apart);
        }
    }
    check(phase == range->phase_end);
}

/* Two bodies that only kinematic motion moves have nothing to solve. */
static inline bool checker_solves(const dry_world *world, int body_a, int body_b, int color)
{
    return color != DRY_COLOR_NONE && ((checker_dynamic(world, body_a) && checker_awake(world, body_a)) ||
                                       (checker_dynamic(world, body_b) && checker_awake(world, body_b)));
}

/* Returns how many bands the class of most has. */
static inline int check_layout(const dry_world *world)
{
    const dry_solver_state *s = &world->solver;
    const dry_contacts *contacts = &world->contacts;
    const dry_joints *joints = &world->joints;
    if (world->islands.stale || world->islands.patched || !world->islands.dealt)
        return 0;
    const int rows = world->bodies.awake_count;
    layout_checker l = {
        calloc((size_t)contacts->used + 1, sizeof *l.contact_lanes),
        calloc((size_t)joints->slots.used + 1, sizeof *l.joint_lanes),
        calloc((size_t)rows + 1, sizeof *l.met),
        malloc(((size_t)rows + 1) * sizeof *l.band),
        0,
    };
    for (int row = 0; row < rows; ++row)
        l.band[row] = -1;
    int bodies = 0, phases = 0, bundles[DRY_KIND_COUNT] = {0}, bands = 0;
    for (int c = 0; c < DRY_TIER_COUNT; ++c) {
        const dry_class_range *range = &s->ranges[c];
        check(range->body_begin == bodies && range->phase_begin == phases);
        check_class(world, &l, c);
        bodies = range->body_end, phases = range->phase_end;
        for (int k = 0; k < DRY_KIND_COUNT; ++k) {
            check(range->bundles[k].begin == bundles[k]);
            bundles[k] = phases ? s->phases[phases - 1].bundles[k].end : 0;
            check(range->bundles[k].end == bundles[k]);
        }
        bands = range->band_end - range->band_begin > bands ? range->band_end - range->band_begin : bands;
    }
    check(phases == s->phase_count);
    for (int row = 0; row < rows; ++row)
        check((l.band[row] >= 0) == (world->bodies.rest[row].island >= 0));
    for (int i = 0; i < contacts->used; ++i) {
        const dry_contact_link *link = &contacts->link[i];
        bool solved = (link->flags & DRY_CONTACT_USED) &&
                      checker_solves(world, link->body_a, link->body_b, link->color);
        check(l.contact_lanes[i] == solved);
    }
    for (int i = 0; i < joints->slots.used; ++i) {
        const dry_joint *joint = &joints->joint[i];
        bool solved = checker_lives(&joints->slots, i) &&
                      checker_solves(world, joint->body_a, joint->body_b, joint->color);
        check(l.joint_lanes[i] == solved);
    }
    free(l.contact_lanes);
    free(l.joint_lanes);
    free(l.met);
    free(l.band);
    return bands;
}

#endif
