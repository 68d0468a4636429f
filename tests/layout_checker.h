/* Whether the solver's layout is what DESIGN asks: every constraint in one lane, and no body twice in what is
 * solved side by side. From scratch, as all of world_checker.h, which includes this. */
#ifndef TESTS_LAYOUT_CHECKER_H
#define TESTS_LAYOUT_CHECKER_H

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
    int group;                        /* a phase, or of OVERFLOW a bundle */
} layout_checker;

static inline void check_lane(const dry_world *world, layout_checker *l, const dry_phase *phase, int k,
                              int index, int island_class)
{
    int sides[2], moved = 0;
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
        check(world->islands.island[world->bodies.rest[row].island].island_class == island_class);
        check(l->met[row] != l->group);
        l->met[row] = l->group;
        moved++;
    }
    check(moved > 0);
}

/* A phase's bundles begin where the last one's end; its bands do not fall, and in a band its colours rise. */
static inline void check_phase(const dry_world *world, layout_checker *l, int p, int island_class, int *band)
{
    const dry_solver_state *s = &world->solver;
    const dry_phase *phase = &s->phases[p];
    int bundles = 0, any = -1;
    ++l->group;
    for (int k = 0; k < DRY_KIND_COUNT; ++k) {
        const dry_bundle_range range = phase->bundles[k];
        check(range.begin == (p ? phase[-1].bundles[k].end : 0) && range.begin <= range.end);
        bundles += range.end - range.begin;
        for (int b = range.begin; b < range.end; ++b) {
            l->group += phase->color == DRY_COLOR_OVERFLOW;
            for (int lane = 0; lane < DRY_BUNDLE; ++lane) {
                int index = checker_lanes(s, k, b)[lane];
                if (index < 0)
                    continue;
                check_lane(world, l, phase, k, index, island_class);
                check(any < 0 || phase->color == DRY_COLOR_OVERFLOW || index / DRY_BAND == any / DRY_BAND);
                any = index;
            }
        }
    }
    check(bundles > 0 && (any >= 0 || phase->color == DRY_COLOR_OVERFLOW));
    const bool first = p == s->ranges[island_class].phase_begin;
    if (phase->color == DRY_COLOR_OVERFLOW) {
        check(p + 1 == s->ranges[island_class].phase_end);
    } else {
        check(first || *band < any / DRY_BAND || (*band == any / DRY_BAND && phase[-1].color < phase->color));
        *band = any / DRY_BAND;
    }
}

/* Two bodies that only kinematic motion moves have nothing to solve. */
static inline bool checker_solves(const dry_world *world, int body_a, int body_b, int color)
{
    return color != DRY_COLOR_NONE && ((checker_dynamic(world, body_a) && checker_awake(world, body_a)) ||
                                       (checker_dynamic(world, body_b) && checker_awake(world, body_b)));
}

/* Returns how many bands there are. */
static inline int check_layout(const dry_world *world)
{
    const dry_solver_state *s = &world->solver;
    const dry_contacts *contacts = &world->contacts;
    const dry_joints *joints = &world->joints;
    if (world->islands.stale || world->islands.patched || !world->islands.dealt)
        return 0;
    layout_checker l = {
        calloc((size_t)contacts->used + 1, sizeof *l.contact_lanes),
        calloc((size_t)joints->slots.used + 1, sizeof *l.joint_lanes),
        calloc((size_t)world->bodies.count + 1, sizeof *l.met),
        0,
    };
    int phases = 0, bands = 0;
    for (int c = 0; c < DRY_CLASS_COUNT; ++c) {
        const dry_class_range *range = &s->ranges[c];
        check(range->phase_begin == phases && range->phase_begin <= range->phase_end);
        int band = -1;
        for (int k = 0; k < DRY_KIND_COUNT; ++k)
            check(range->bundles[k].begin == (phases ? s->phases[phases - 1].bundles[k].end : 0));
        for (; phases < range->phase_end; ++phases) {
            check_phase(world, &l, phases, c, &band);
            bands = band >= bands ? band + 1 : bands;
        }
        for (int k = 0; k < DRY_KIND_COUNT; ++k)
            check(range->bundles[k].end == (phases ? s->phases[phases - 1].bundles[k].end : 0));
    }
    check(phases == s->phase_count);
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
    return bands;
}

#endif
