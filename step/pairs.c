/* Stage "pairs": shapes whose fat bounds overlap become contacts.
 *
 * Reads proxies (kept up to date by finalize and by calls). Writes new contacts, in sorted order, so that
 * contact indices depend on neither threads nor history of the tree. Next: contacts.c. */
#include "state/iterators.h"
#include "step/stages.h"
#include "world/bounds.h"
#include "world/check.h"
#include "world/constraint_graph.h"
#include "world/world.h"

#include <limits.h>

static int drop_known(const void *context, dry_pair *pairs, int count)
{
    const dry_world *world = context;
    return dry_pair_map_drop_known(&world->contacts.pairs, pairs, count);
}

static bool may_touch(const dry_world *world, int shape_a, int shape_b)
{
    return dry_shapes_may_touch(&world->bodies, &world->shapes, &world->joints, shape_a, shape_b);
}

/* How many more pairs dynamic bodies may get before they are crowded; UNKNOWN until one is asked for. */
typedef struct pair_room {
    int *left;           /* by body's slot, set for the bodies of the pairs alone; scratch memory */
    int left_out;        /* pairs of two crowded bodies */
    dry_body_id crowded; /* a body of the first such pair */
    int triangles;       /* pairs of two shapes of triangles; no body that moves by itself has one */
    dry_pair untouched;  /* the first such pair */
} pair_room;

enum { UNKNOWN = INT_MIN };

/* Sets the room of the pairs' bodies to UNKNOWN. Other bodies have no entry, so that a step costs what its
 * pairs cost, in a world of any size. Returns false if memory fails. */
static bool begin_room(dry_world *world, const dry_pair *pairs, int count, pair_room *room)
{
    const size_t slots = (size_t)world->bodies.slots.used;
    const dry_shape_form *form = world->shapes.form;
    if (!dry_scratch_reserve(&world->scratch, &world->memory, dry_scratch_bytes(slots, sizeof(int))))
        return false;
    *room = (pair_room){0};
    room->left = DRY_SCRATCH_TAKE(&world->scratch, int, slots);
    for (int i = 0; i < count; i++)
        room->left[form[pairs[i].first].body] = room->left[form[pairs[i].second].body] = UNKNOWN;
    return true;
}

/* Returns how many pairs a body has less than shape_pairs_max for each of its shapes; 0 if it has them all.
 */
static int pairs_missing(const dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    int64_t count = 0;
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        count += world->settings.shape_pairs_max;
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);)
        count -= !dry_contact_is_child(&world->contacts.link[it.contact]);
    return (int)(count < 0 ? 0 : count > INT_MAX ? INT_MAX : count);
}

/* Returns the room of a body. One that is not dynamic has room for all. */
static int *room_of(const dry_world *world, pair_room *room, int slot)
{
    int *left = &room->left[slot];
    if (*left != UNKNOWN)
        return left;
    const bool dynamic = dry_body_state_of(&world->bodies, slot)->type == DRY_BODY_DYNAMIC;
    *left = dynamic ? pairs_missing(world, slot) : INT_MAX;
    return left;
}

/* Takes room for a pair; false if both of its bodies are crowded: then they are two of many that lie in one
 * place, and pushing them apart takes no more pairs than they have. The room of one body is mostly enough: a
 * walk over a body's contacts waits for memory at each, and finds the same later. */
static bool take_room(dry_world *world, pair_room *room, int shape_a, int shape_b)
{
    const int body_a = world->shapes.form[shape_a].body, body_b = world->shapes.form[shape_b].body;
    int *a = &room->left[body_a], *b = &room->left[body_b];
    if (*a <= 0 && *b <= 0 && *room_of(world, room, body_a) == 0 && *room_of(world, room, body_b) == 0) {
        if (room->left_out++ == 0)
            room->crowded = dry_body_id_of(world, body_a);
        return false;
    }
    *a -= *a > 0 && *a < INT_MAX;
    *b -= *b > 0 && *b < INT_MAX;
    return true;
}

/* Reserves the exact room for many new pairs at once, as in a scene's first step. Returns false if memory
 * fails. */
static bool reserve_many(dry_world *world, const dry_pair *pairs, int count)
{
    const int many = 64;
    if (count < many)
        return true;
    int touching = 0;
    for (int i = 0; i < count; i++)
        touching += may_touch(world, (int)pairs[i].first, (int)pairs[i].second);
    const int64_t most = (int64_t)world->settings.shape_pairs_max * world->shapes.slots.count;
    return dry_contacts_reserve(&world->contacts, &world->memory, touching < most ? touching : (int)most);
}

/* Prefetches what may_touch and dry_contacts_add read: first the shape, then its body. */
static DRY_ALWAYS_INLINE void prefetch_shape(const dry_world *world, uint32_t shape)
{
    DRY_PREFETCH(&world->shapes.form[shape]);
    DRY_PREFETCH(dry_shapes_filter(&world->shapes, (int)shape));
}

static DRY_ALWAYS_INLINE void prefetch_body(const dry_world *world, uint32_t shape)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, world->shapes.form[shape].body);
    DRY_PREFETCH(state);
    DRY_PREFETCH(state + 1);
}

/* Tells of crowded bodies: in the log once for a world, in the statistics as long as the body that they name
 * has its full number of pairs. A step finds a pair again only when one of its bodies leaves its fat box. */
static void tell_crowd(dry_world *world, pair_room *room)
{
    dry_statistics *s = &world->statistics;
    if (room->left_out > 0) {
        s->crowded_pairs = room->left_out;
        s->crowded_body = room->crowded;
        if (!world->pairs_left_out)
            dry_world_fail(
                world, DRY_OK,
                "dry_world_step: %d pairs left out: their bodies have shape_pairs_max already; one "
                "of them is body %016llx",
                s->crowded_pairs, (unsigned long long)s->crowded_body.bits);
        world->pairs_left_out = true;
    } else if (s->crowded_pairs > 0) {
        const int slot = dry_slots_find(&world->bodies.slots, s->crowded_body.bits);
        if (slot < 0 || pairs_missing(world, slot) > 0) {
            s->crowded_pairs = 0;
            s->crowded_body = (dry_body_id){0};
        }
    }
}

static bool has_triangles(const dry_world *world, int shape)
{
    const dry_geometry geometry = dry_shapes_geometry(&world->shapes, shape);
    return dry_geometry_has_triangles(&geometry);
}

/* Notes a pair of shapes that may not touch, if it is one of two shapes of triangles. */
static void note_triangles(const dry_world *world, pair_room *room, dry_pair pair)
{
    const int a = (int)pair.first, b = (int)pair.second;
    const dry_shape_form *form = world->shapes.form;
    if (!has_triangles(world, a) || !has_triangles(world, b) || form[a].body == form[b].body ||
        !dry_shapes_filters_agree(&world->shapes, a, b))
        return;
    if (room->triangles++ == 0)
        room->untouched = pair;
}

/* Tells of shapes of triangles that are near each other: in the log once for a world, in the statistics
 * always. */
static void tell_triangles(dry_world *world, const pair_room *room)
{
    if (room->triangles == 0)
        return;
    if (world->statistics.triangle_pairs == 0)
        dry_world_fail(world, DRY_OK,
                       "dry_world_step: shapes %016llx and %016llx are near each other and do not touch: "
                       "both are made of triangles",
                       (unsigned long long)dry_shape_id_of(world, (int)room->untouched.first).bits,
                       (unsigned long long)dry_shape_id_of(world, (int)room->untouched.second).bits);
    world->statistics.triangle_pairs += (uint64_t)room->triangles;
}

/* Tells whether a shape comes first in its contact: anchors lie on the second, which is near. */
static bool comes_first(const dry_world *world, int shape)
{
    const int32_t type = world->shapes.form[shape].geometry.type;
    return dry_type_properties(type) & DRY_TYPE_UNBOUNDED || has_triangles(world, shape);
}

/* Tells whether the bodies of both shapes are held in this step: others than named ones find no pair. */
static bool are_held(const dry_world *world, int shape_a, int shape_b)
{
    return dry_body_is_held(world, world->shapes.form[shape_a].body) &&
           dry_body_is_held(world, world->shapes.form[shape_b].body);
}

/* Lets the next step find the pairs of a shape again. */
static void find_again(dry_world *world, int shape)
{
    const int proxy = world->shapes.form[shape].proxy;
    if (proxy >= 0)
        dry_broadphase_mark_moved(world->broadphase, proxy);
}

/* Makes contacts of the pairs that may touch; false if memory fails. */
static bool add_pairs(dry_world *world, const dry_pair *pairs, int count)
{
    enum { LOOK_AHEAD = 8 };
    pair_room room;
    if (!reserve_many(world, pairs, count) || !begin_room(world, pairs, count, &room))
        return false;
    for (int i = 0; i < count; i++) {
        if (i + 2 * LOOK_AHEAD < count) {
            prefetch_shape(world, pairs[i + 2 * LOOK_AHEAD].first);
            prefetch_shape(world, pairs[i + 2 * LOOK_AHEAD].second);
            prefetch_body(world, pairs[i + LOOK_AHEAD].first);
            prefetch_body(world, pairs[i + LOOK_AHEAD].second);
        }
        int a = (int)pairs[i].first, b = (int)pairs[i].second;
        if (are_held(world, a, b)) {
            /* By the body that can move: a static shape may overlap a whole world. */
            const dry_body_state *of_a = dry_body_state_of(&world->bodies, world->shapes.form[a].body);
            find_again(world, of_a->type == DRY_BODY_STATIC ? b : a);
            continue;
        }
        if (!may_touch(world, a, b)) {
            note_triangles(world, &room, pairs[i]);
            continue;
        }
        if (!take_room(world, &room, a, b))
            continue;
        if (!dry_contacts_reserve(&world->contacts, &world->memory, 1))
            return false;
        if (comes_first(world, b))
            dry_contacts_add(&world->contacts, &world->bodies, &world->shapes, b, a);
        else
            dry_contacts_add(&world->contacts, &world->bodies, &world->shapes, a, b);
    }
    tell_crowd(world, &room);
    tell_triangles(world, &room);
    return true;
}

/* Makes the contact of a shape with a half-space, unless there is one or they may not touch. Returns false if
 * memory fails. */
static bool add_halfspace(dry_world *world, int halfspace, int shape)
{
    const dry_pair key = dry_pair_key_of((uint32_t)halfspace, (uint32_t)shape);
    if (dry_pair_map_find(&world->contacts.pairs, key) >= 0 || !may_touch(world, halfspace, shape))
        return true;
    DRY_ASSERT(comes_first(world, halfspace) && !comes_first(world, shape));
    if (!dry_contacts_reserve(&world->contacts, &world->memory, 1))
        return false;
    dry_contacts_add(&world->contacts, &world->bodies, &world->shapes, halfspace, shape);
    return true;
}

/* Makes contacts of fast bodies with half-spaces that they reach within this step. A fat box looks ahead by a
 * limited distance only, and by none after a call has given the body its velocity: a fast body would be below
 * the surface before its fat box reaches the half-space. Returns false if memory fails. */
static bool add_pairs_ahead(dry_world *world, float dt)
{
    /* Half of the margin within which a half-space reaches a fat box: contacts of slower bodies are there. */
    const float displacement_min = 0.05f;
    const dry_bodies *bodies = &world->bodies;
    if (!dry_broadphase_has_unbounded(world->broadphase))
        return true;
    for (int row = 0; row < bodies->awake_count; row++) {
        dry_vec3 ahead = vec3_scale(bodies->velocity[row].linear, dt);
        if (vec3_length_squared(ahead) <= displacement_min * displacement_min)
            continue;
        for (dry_shape_iterator it = dry_shapes_of(&world->shapes, &bodies->state[row]);
             dry_next_shape(&it);) {
            const dry_bounds bounds = dry_bounds_swept(dry_shape_bounds(world, it.shape), ahead);
            for (int64_t h = -1; (h = dry_broadphase_next_unbounded(world->broadphase, &bounds, h)) >= 0;)
                if (!add_halfspace(world, (int)h, it.shape))
                    return false;
        }
    }
    return true;
}

/* Lets the fat boxes of shapes hold their ways over this step. Those that a step leaves do, unless a call has
 * changed a body since or this step is longer. */
static void hold_ways(dry_world *world, float dt)
{
    const dry_bodies *bodies = &world->bodies;
    if (dt <= world->ways_dt)
        return;
    world->ways_dt = dt;
    for (int row = 0; row < bodies->awake_count; row++)
        for (dry_shape_iterator it = dry_shapes_of(&world->shapes, &bodies->state[row]); dry_next_shape(&it);)
            if (world->shapes.pieced > 0 || dry_type_is_curved(world->shapes.form[it.shape].geometry.type))
                dry_shape_update_bounds(world, it.shape, vec3_scale(bodies->velocity[row].linear, dt));
}

bool dry_stage_pairs(dry_world *world, dry_solver_step *step)
{
    const dry_pair *pairs;
    int count;
    hold_ways(world, step->dt);
    dry_scratch_begin(&world->scratch, &world->memory, DRY_LIFETIME_PAIRS);
    if (!dry_broadphase_find_pairs(world->broadphase, world->jobs, drop_known, world, &pairs, &count))
        return false;
    if (!add_pairs(world, pairs, count)) {
        /* The next step must find the missing pairs again: their proxies count as moved. */
        for (int i = 0; i < count; i++)
            find_again(world, (int)pairs[i].first);
        return false;
    }
    return add_pairs_ahead(world, step->dt);
}
