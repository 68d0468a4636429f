/* Whether a world's inner structures agree with each other: rows and slots, lists, colours, pairs, islands.
 * Every check is made from scratch, without the code that keeps the structures.
 *
 * Reads the inner headers; a failed check names itself and fails the test. */
#ifndef TESTS_WORLD_CHECKER_H
#define TESTS_WORLD_CHECKER_H

#include "tests/test_world.h"

#include "broadphase/fat_box.h"
#include "broadphase/internal.h"
#include "world/world.h"

#define check(condition) checker_expect((condition), #condition, __FILE__, __LINE__)

/* What to print with a failure: set by the test that runs. */
static char checker_place[256];

static inline void checker_expect(bool holds, const char *what, const char *file, int line)
{
    if (holds)
        return;
    print_error("%s: not so: %s\n", checker_place, what);
    _fail(file, line);
}

static inline bool checker_lives(const dry_slots *slots, int slot)
{
    return slot >= 0 && slot < slots->used && dry_slots_is_taken(slots, slot);
}

static inline void check_slots(const dry_slots *slots)
{
    int living = 0, free = 0;
    for (int i = 0; i < slots->used; ++i)
        living += checker_lives(slots, i);
    for (int i = slots->free; i >= 0; i = slots->slots[i].row) {
        check(i < slots->used && !checker_lives(slots, i));
        check(++free <= slots->used);
    }
    check(living == slots->count && living + free == slots->used && slots->used <= slots->capacity);
}

static inline const dry_body_state *checker_state(const dry_world *world, int body)
{
    return &world->bodies.state[world->bodies.slots.slots[body].row];
}

static inline bool checker_enabled(const dry_world *world, int body)
{
    return (checker_state(world, body)->flags & DRY_BODY_ENABLED) != 0;
}

static inline bool checker_dynamic(const dry_world *world, int body)
{
    return checker_state(world, body)->type == DRY_BODY_DYNAMIC;
}

static inline bool checker_awake(const dry_world *world, int body)
{
    return world->bodies.slots.slots[body].row < world->bodies.awake_count;
}

/* The colours of all active constraints, body by body: each at most once, and just those that the body
 * says it gave. */
static inline void check_color(const dry_world *world, uint64_t *taken, int body_a, int body_b, int color)
{
    check(color >= 0 && color <= DRY_COLOR_OVERFLOW);
    if (color == DRY_COLOR_OVERFLOW)
        return;
    const int sides[2] = {body_a, body_b};
    for (int i = 0; i < 2; ++i) {
        if (!checker_dynamic(world, sides[i]))
            continue;
        check(!(taken[sides[i]] >> color & 1));
        taken[sides[i]] |= 1ull << color;
    }
}

static inline void check_row(const dry_world *world, int row)
{
    const dry_bodies *bodies = &world->bodies;
    const dry_body_state *state = &bodies->state[row];
    const dry_body_velocity *v = &bodies->velocity[row];
    const dry_body_mass *m = &bodies->mass[row];
    bool awake = row < bodies->awake_count, enabled = (state->flags & DRY_BODY_ENABLED) != 0;
    check(checker_lives(&bodies->slots, state->slot) && bodies->slots.slots[state->slot].row == row);
    check((unsigned)state->type < DRY_BODY_TYPE_COUNT);
    check(!awake || (enabled && state->type != DRY_BODY_STATIC));
    check(!(state->flags & DRY_BODY_DOOMED));
    check(!(enabled && (state->flags & DRY_BODY_QUARANTINED)));
    check(dry_finite_position(bodies->pose[row].position) && dry_finite_quat(bodies->pose[row].orientation));
    if (state->type != DRY_BODY_DYNAMIC) {
        check(m->inverse_mass == 0 && vec3_length_squared(m->inverse_inertia) == 0);
        check(state->colors == 0);
    }
    check(isfinite(m->inverse_mass) && vec3_is_finite(m->inverse_inertia));
    if (state->type == DRY_BODY_STATIC || (state->type == DRY_BODY_DYNAMIC && enabled && !awake))
        check(vec3_length_squared(v->linear) == 0 && vec3_length_squared(v->angular) == 0);
    if (state->type == DRY_BODY_KINEMATIC && enabled && !awake)
        check(vec3_length_squared(v->linear) + vec3_length_squared(v->angular) == 0);
    const dry_body_force *f = dry_bodies_force(bodies, row);
    check(bodies->force || !(state->flags & DRY_BODY_FORCED));
    check(bodies->kept_mass || !(state->flags & DRY_BODY_MASS_KEPT));
    check(bodies->local || !(state->flags & DRY_BODY_OWN_FRAME));
    if (state->flags & DRY_BODY_MASS_KEPT)
        check(state->type != DRY_BODY_DYNAMIC && !(state->flags & DRY_BODY_FORCED));
    if (!(state->flags & DRY_BODY_FORCED))
        check(vec3_length_squared(f->force) + vec3_length_squared(f->torque) == 0);
    else
        check(awake && state->type == DRY_BODY_DYNAMIC);
    int shapes = 0, last = -1;
    for (int s = state->first_shape; s >= 0; s = world->shapes.link[s].next) {
        check(checker_lives(&world->shapes.slots, s) && world->shapes.form[s].body == state->slot);
        check(++shapes <= world->shapes.slots.count);
        last = s;
    }
    check(last == state->last_shape);
}

/* The list of bodies whose sleep changed: those that say so, once each. */
static inline void check_sleep_list(const dry_world *world)
{
    int listed = 0;
    for (int row = 0; row < world->bodies.count; ++row)
        listed += (world->bodies.state[row].flags & DRY_BODY_SLEEP_LISTED) != 0;
    check(listed == world->sleep_changed_count);
    for (int i = 0; i < world->sleep_changed_count; ++i) {
        int slot = world->sleep_changed[i];
        check(checker_lives(&world->bodies.slots, slot));
        check(checker_state(world, slot)->flags & DRY_BODY_SLEEP_LISTED);
        check(checker_state(world, slot)->listed_at == i);
        for (int j = 0; j < i; ++j)
            check(world->sleep_changed[j] != slot);
    }
}

/* Proxies and half-spaces: those of enabled bodies, where the shapes are. */
static inline void check_shapes(const dry_world *world)
{
    const dry_broadphase *b = world->broadphase;
    int proxies = 0, halfspaces = 0, owned = 0;
    for (int s = 0; s < world->shapes.slots.used; ++s) {
        if (!checker_lives(&world->shapes.slots, s))
            continue;
        const dry_shape_form *form = &world->shapes.form[s];
        bool enabled = checker_enabled(world, form->body);
        owned++;
        if (form->geometry.type == DRY_SHAPE_HALFSPACE) {
            int listed = 0;
            for (int i = 0; i < world->halfspace_count; ++i)
                listed += world->halfspaces[i] == s;
            check(listed == enabled && form->proxy == -1);
            check(checker_state(world, form->body)->type == DRY_BODY_STATIC);
            halfspaces += listed;
            continue;
        }
        check((form->proxy >= 0) == enabled);
        if (!enabled)
            continue;
        proxies++;
        check(b->proxies.user[form->proxy] == (uint32_t)s &&
              (b->proxies.flags[form->proxy] & DRY_PROXY_USED));
        check(((b->proxies.flags[form->proxy] & DRY_PROXY_MOVABLE) != 0) ==
              (checker_state(world, form->body)->type != DRY_BODY_STATIC));
        if (b->proxies.flags[form->proxy] & DRY_PROXY_MOVABLE)
            check(((b->proxies.flags[form->proxy] & DRY_PROXY_SLEEPING) != 0) ==
                  !dry_bodies_is_awake(&world->bodies, form->body));
        dry_bounds bounds = dry_shape_bounds(world, s);
        dry_box tight = dry_box_from_bounds(b->proxies.origin, &bounds);
        const dry_box *fat = &b->proxies.box[form->proxy];
        for (int k = 0; k < 3; ++k)
            check(fat->min[k] <= tight.min[k] && tight.max[k] <= fat->max[k]);
    }
    int listed = 0;
    for (int row = 0; row < world->bodies.count; ++row)
        listed += dry_body_shape_count(world, world->bodies.state[row].slot);
    check(owned == world->shapes.slots.count && owned == listed);
    check(proxies == dry_broadphase_proxy_count(b) && halfspaces == world->halfspace_count);
}

static inline bool checker_joint_forbids(const dry_world *world, int a, int b)
{
    for (int i = 0; i < world->joints.slots.used; ++i) {
        const dry_joint *joint = &world->joints.joint[i];
        if (checker_lives(&world->joints.slots, i) && !joint->def.collide &&
            ((joint->body_a == a && joint->body_b == b) || (joint->body_a == b && joint->body_b == a)))
            return true;
    }
    return false;
}

static inline bool checker_may_touch(const dry_world *world, int shape_a, int shape_b)
{
    int a = world->shapes.form[shape_a].body, b = world->shapes.form[shape_b].body;
    const dry_filter *f = dry_shapes_filter(&world->shapes, shape_a);
    const dry_filter *g = dry_shapes_filter(&world->shapes, shape_b);
    if (a == b || !checker_enabled(world, a) || !checker_enabled(world, b) ||
        (!checker_dynamic(world, a) && !checker_dynamic(world, b)) || checker_joint_forbids(world, a, b))
        return false;
    if (f->group && f->group == g->group)
        return f->group > 0;
    return (f->mask & g->category) && (g->mask & f->category);
}

/* Whether a list through a body holds a constraint's side, with sound links; for contacts and joints. */
#define CHECK_LIST(world, head, links, side_bodies)                                                          \
    do {                                                                                                     \
        for (int row_ = 0; row_ < (world)->bodies.count; ++row_) {                                           \
            int before_ = -1, steps_ = 0;                                                                    \
            for (int c_ = (world)->bodies.state[row_].head; c_ >= 0; c_ = (links)[c_ >> 1].next[c_ & 1]) {   \
                check((links)[c_ >> 1].prev[c_ & 1] == before_);                                             \
                check((c_ & 1 ? (links)[c_ >> 1].body_b : (links)[c_ >> 1].body_a) ==                        \
                      (world)->bodies.state[row_].slot);                                                     \
                check(++steps_ <= 1 << 20);                                                                  \
                before_ = c_;                                                                                \
                ++(side_bodies);                                                                             \
            }                                                                                                \
        }                                                                                                    \
    } while (0)

static inline void check_contacts(const dry_world *world, uint64_t *taken, bool fresh)
{
    const dry_contacts *c = &world->contacts;
    int living = 0, active = 0, touches = 0, sides = 0;
    for (int i = 0; i < c->used; ++i) {
        const dry_contact_link *link = &c->link[i];
        const dry_manifold *m = &c->manifold[i];
        check((c->used_bits[i / 64] >> i % 64 & 1) == ((link->flags & DRY_CONTACT_USED) != 0));
        if (!(link->flags & DRY_CONTACT_USED)) {
            check(!(link->flags & (DRY_CONTACT_TOUCHING | DRY_CONTACT_ACTIVE)));
            check(!((c->active_bits[i / 64] | c->touching_bits[i / 64]) >> i % 64 & 1));
            continue;
        }
        living++;
        check(checker_lives(&world->shapes.slots, m->shape_a) &&
              checker_lives(&world->shapes.slots, m->shape_b));
        check(world->shapes.form[m->shape_a].body == link->body_a);
        check(world->shapes.form[m->shape_b].body == link->body_b);
        check(checker_may_touch(world, m->shape_a, m->shape_b));
        check(dry_pair_set_find(&c->pairs, (uint32_t)m->shape_a, (uint32_t)m->shape_b) == i);
        bool awake = checker_awake(world, link->body_a) || checker_awake(world, link->body_b);
        check(((link->flags & DRY_CONTACT_ACTIVE) != 0) == awake);
        check((c->active_bits[i / 64] >> i % 64 & 1) == awake);
        active += awake;
        bool touching = (link->flags & DRY_CONTACT_TOUCHING) != 0;
        check((c->touching_bits[i / 64] >> i % 64 & 1) == touching);
        touches += touching;
        check(link->color == DRY_COLOR_NONE || (touching && awake));
        check(link->color != DRY_COLOR_NONE || !touching || !awake || link->points == 0);
        if (link->color != DRY_COLOR_NONE)
            check_color(world, taken, link->body_a, link->body_b, link->color);
        if (touching && checker_dynamic(world, link->body_a) && checker_dynamic(world, link->body_b))
            check(checker_awake(world, link->body_a) == checker_awake(world, link->body_b));
        if (fresh) {
            check(touching == (link->points > 0));
            check(!(link->flags & (DRY_CONTACT_CHANGED | DRY_CONTACT_LOST)));
        }
    }
    CHECK_LIST(world, contacts, c->link, sides);
    check(living == c->count && living == c->pairs.count);
    for (int word = 0; word < c->full; ++word)
        check(~c->used_bits[word] == 0);
    check(active == c->active_count && touches == c->touching_count && sides == 2 * living);
    int listed = 0;
    for (int word = 0; word < dry_contact_words(c) && c->listed; ++word)
        check(c->active_bits[word] == 0 || c->active_words[listed++] == word);
    check(!c->listed || listed == c->active_word_count);
}

/* Every permitted pair whose fat boxes overlap has a contact, unless one of them awaits the next search. */
static inline void check_pairs_complete(const dry_world *world)
{
    const dry_broadphase *b = world->broadphase;
    for (int s = 0; s < world->shapes.slots.used; ++s)
        for (int t = s + 1; t < world->shapes.slots.used; ++t) {
            if (!checker_lives(&world->shapes.slots, s) || !checker_lives(&world->shapes.slots, t))
                continue;
            int p = world->shapes.form[s].proxy, q = world->shapes.form[t].proxy;
            if (p < 0 || q < 0 || ((b->proxies.flags[p] | b->proxies.flags[q]) & DRY_PROXY_MOVED) ||
                !dry_box_overlaps(&b->proxies.box[p], &b->proxies.box[q]) || !checker_may_touch(world, s, t))
                continue;
            check(dry_pair_set_find(&world->contacts.pairs, (uint32_t)s, (uint32_t)t) >= 0);
        }
}

static inline void check_joints(const dry_world *world, uint64_t *taken)
{
    const dry_joints *joints = &world->joints;
    int active = 0, sides = 0;
    for (int i = 0; i < joints->slots.used; ++i) {
        const dry_joint *joint = &joints->joint[i];
        if (!checker_lives(&joints->slots, i))
            continue;
        check(checker_lives(&world->bodies.slots, joint->body_a) &&
              checker_lives(&world->bodies.slots, joint->body_b));
        bool works = checker_enabled(world, joint->body_a) && checker_enabled(world, joint->body_b);
        bool awake = checker_awake(world, joint->body_a) || checker_awake(world, joint->body_b);
        check((joint->active >= 0) == (works && awake));
        check((joint->color != DRY_COLOR_NONE) == (joint->active >= 0));
        if (joint->active >= 0) {
            check(joint->active < joints->active_count && joints->active[joint->active] == i);
            active++;
            check_color(world, taken, joint->body_a, joint->body_b, joint->color);
        }
        if (works && checker_dynamic(world, joint->body_a) && checker_dynamic(world, joint->body_b))
            check(checker_awake(world, joint->body_a) == checker_awake(world, joint->body_b));
    }
    CHECK_LIST(world, joints, joints->joint, sides);
    check(active == joints->active_count && sides == 2 * joints->slots.count);
}

static inline void checker_join(int *label, int count, int a, int b)
{
    int from = label[a], to = label[b];
    for (int i = 0; i < count; ++i)
        if (label[i] == from)
            label[i] = to;
}

/* Islands that are not stale are the components of the graph of awake dynamic bodies. */
static inline void check_islands(const dry_world *world)
{
    const dry_bodies *bodies = &world->bodies;
    if (world->islands.stale)
        return;
    int n = bodies->awake_count, *label = malloc((size_t)(n + 1) * sizeof *label);
    for (int i = 0; i < n; ++i)
        label[i] = i;
    for (int k = 0; k < world->contacts.used + world->joints.active_count; ++k) {
        int a, b;
        if (k < world->contacts.used) {
            const dry_contact_link *link = &world->contacts.link[k];
            if (!(link->flags & DRY_CONTACT_TOUCHING) || !(link->flags & DRY_CONTACT_ACTIVE))
                continue;
            a = link->body_a, b = link->body_b;
        } else {
            const dry_joint *joint = &world->joints.joint[world->joints.active[k - world->contacts.used]];
            a = joint->body_a, b = joint->body_b;
        }
        if (checker_dynamic(world, a) && checker_dynamic(world, b) && checker_awake(world, a) &&
            checker_awake(world, b))
            checker_join(label, n, bodies->slots.slots[a].row, bodies->slots.slots[b].row);
    }
    for (int i = 0; i < n; ++i) {
        int island = bodies->rest[i].island, members = 0;
        check((island >= 0) == (bodies->state[i].type == DRY_BODY_DYNAMIC) && island < world->islands.count);
        for (int j = 0; island >= 0 && j < n; ++j) {
            check((label[i] == label[j]) == (bodies->rest[j].island == island));
            members += label[i] == label[j];
        }
        check(island < 0 || world->islands.island[island].bodies == members);
    }
    free(label);
}

#include "tests/layout_checker.h"

/* `paired`: a step has just been done. `fresh`: and none was ever refused, so manifolds agree with flags. */
static inline void check_world(const dry_world *world, bool paired, bool fresh)
{
    const dry_bodies *bodies = &world->bodies;
    check_slots(&bodies->slots);
    check_slots(&world->shapes.slots);
    check_slots(&world->joints.slots);
    check(bodies->count == bodies->slots.count && bodies->count <= bodies->capacity);
    check(bodies->awake_count >= 0 && bodies->awake_count <= bodies->count);
    check(bodies->count <= world->sleep_changed_capacity);
    for (int row = 0; row < bodies->count; ++row)
        check_row(world, row);
    check_sleep_list(world);
    check_shapes(world);
    uint64_t *taken = calloc((size_t)bodies->slots.used + 1, sizeof *taken);
    check_contacts(world, taken, fresh);
    check_joints(world, taken);
    for (int row = 0; row < bodies->count; ++row)
        check(bodies->state[row].colors == taken[bodies->state[row].slot]);
    free(taken);
    if (paired)
        check_pairs_complete(world);
    check_islands(world);
    check_layout(world);
    check(!world->stepping);
}

#endif
