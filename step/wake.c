/* Stage "graph", the part that wakes sleepers beside awake bodies.
 *
 * A body that a call pushes wakes alone. The sleepers that it touches hold it as static bodies do. They wake
 * for one of two reasons. A sleeper that is struck wakes before the solve, with all behind it that the blow
 * reaches: a body that holds like a static one would take the momentum away. A sleeper wakes, too, when its
 * supports do not hold what it bears more since it fell asleep (holders.c). It wakes at rest, and its
 * contacts have the impulses that they had, so that waking makes no energy.
 *
 * Loads are not looked at while a body has hardly moved from where it slept. Springs are so stiff that 10 um
 * change a load by as much as a body's weight. The pile held there before, and holds there again. Pushes add
 * up: the place stays while the body sleeps.
 *
 * Reads edges of islands, poses, velocities, manifolds and their impulses. Writes the loads of sleepers, and
 * what waking writes (world/sleep.c). Next: solver/plan/difficulty.c. */
#include "step/stages.h"

#include "narrowphase/manifold.h"
#include "solver/plan/islands.h"
#include "state/iterators.h"
#include "step/holders.h"
#include "world/sleep.h"
#include "world/world.h"

#include <float.h>
#include <string.h>

/* A body has moved once it is farther than this from where it slept, m: an eighth of the depth at which a
 * loaded point rests. Of small bodies a share of the radius. In 32 piles of 30 to 131 boxes that are pushed
 * with 400 N s each second, 25 % of the boxes are awake, and in 5 a box hangs. With half of it that is 32 %
 * and 3, with twice as much 20 % and 11. Of cubes of 10 cm in 24 piles 24 % are awake, and in 10 one is over
 * 0.5 mm elsewhere; with half of the share that is 33 % and 8, with twice of it 18 % and 13. */
static const float MOVED = 5e-4f, MOVED_OF_RADIUS = 2e-3f;

/* Returns the slot of the sleeper on a side of an edge, -1 if none is. */
static int sleeper_of(const dry_world *world, const dry_edge *edge, int *side)
{
    DRY_ASSERT(edge->row_a >= 0 || edge->row_b >= 0);
    const dry_contact_link *link = &world->contacts.link[edge->contact];
    *side = edge->row_b == DRY_EDGE_FIXED;
    if (edge->row_a != DRY_EDGE_FIXED && edge->row_b != DRY_EDGE_FIXED)
        return -1;
    const int slot = *side ? link->body_b : link->body_a;
    return dry_body_is_sleeper(world, slot) ? slot : -1;
}

/* A blow on its way through bodies. */
typedef struct blow {
    dry_world *world;
    float dt;                    /* s */
    uint32_t *struck;            /* set of the rows of those that were struck */
    dry_body_velocity *velocity; /* of these, by row: what the blow gives them */
    int32_t *row;                /* these, in turn */
    int count;
} blow;

static size_t blow_bytes(const dry_bodies *bodies)
{
    return dry_scratch_bytes((size_t)dry_slot_set_words(bodies->count), sizeof(uint32_t)) +
           dry_scratch_bytes((size_t)bodies->count, sizeof(dry_body_velocity)) +
           dry_scratch_bytes((size_t)bodies->count, sizeof(int32_t));
}

static blow begin_blow(dry_world *world, float dt)
{
    const int count = world->bodies.count, words = dry_slot_set_words(count);
    blow b = {.world = world, .dt = dt};
    b.struck = DRY_SCRATCH_TAKE(&world->scratch, uint32_t, words);
    b.velocity = DRY_SCRATCH_TAKE(&world->scratch, dry_body_velocity, count);
    b.row = DRY_SCRATCH_TAKE(&world->scratch, int32_t, count);
    memset(b.struck, 0, (size_t)words * sizeof *b.struck);
    return b;
}

/* Returns the velocity that a body has, or will have once the blow is there. */
static dry_body_velocity velocity_of(const blow *b, int slot, bool after)
{
    const int row = dry_bodies_row(&b->world->bodies, slot);
    return after && dry_slot_set_has(b->struck, row) ? b->velocity[row] : b->world->bodies.velocity[row];
}

/* Returns the speed at which the bodies of a contact meet within dt, m/s; 0 if they do not. */
static float approach_of(const dry_world *world, int contact, const dry_body_velocity v[2], float dt,
                         dry_vec3 *normal)
{
    const dry_contact_frame f = dry_contact_frame_of(world, contact);
    float fastest = 0.0f;
    for (int i = 0; i < f.points; i++) {
        dry_vec3 at[2];
        for (int side = 0; side < 2; side++)
            at[side] = vec3_add(v[side].linear, vec3_cross(v[side].angular, dry_contact_arm(&f, i, side)));
        const float speed = vec3_dot(vec3_sub(at[0], at[1]), f.normal);
        const float gap = dry_manifold_separation(f.manifold, i, f.normal, f.pose[0], f.pose[1]);
        if (speed > fastest && gap < speed * dt)
            fastest = speed;
    }
    *normal = f.normal;
    return fastest;
}

/* Returns a bound of the speed at which points of two bodies meet, m/s. */
static float fastest_approach(const dry_world *world, const int slot[2], const dry_body_velocity v[2])
{
    float speed = vec3_length(vec3_sub(v[0].linear, v[1].linear));
    for (int side = 0; side < 2; side++)
        speed += vec3_length(v[side].angular) * dry_body_state_of(&world->bodies, slot[side])->radius;
    return speed;
}

static void give(blow *b, int row, dry_vec3 along)
{
    if (!dry_slot_set_has(b->struck, row)) {
        DRY_ASSERT(b->count < b->world->bodies.awake_count && row < b->world->bodies.awake_count);
        dry_slot_set_add(b->struck, row);
        b->velocity[row] = b->world->bodies.velocity[row];
        b->row[b->count++] = row;
    }
    b->velocity[row].linear = vec3_add(b->velocity[row].linear, along);
}

/* Strikes the body on a side of a contact, if the other one gives it more than the speed at which bodies
 * sleep. A sleeper wakes; the blow goes on from either. */
DRY_COLD static void strike(blow *b, int contact, int side, bool after)
{
    dry_world *world = b->world;
    dry_bodies *bodies = &world->bodies;
    const dry_contact_link *link = &world->contacts.link[contact];
    const int slot[2] = {link->body_a, link->body_b};
    const dry_body_velocity v[2] = {velocity_of(b, slot[0], after), velocity_of(b, slot[1], after)};
    const float least = world->settings.sleep_speed_max;
    if (fastest_approach(world, slot, v) <= least)
        return;
    const float its = dry_body_mass_of(bodies, slot[side])->inverse_mass,
                others = dry_body_mass_of(bodies, slot[!side])->inverse_mass;
    dry_vec3 normal;
    const float speed = approach_of(world, contact, v, b->dt, &normal) * its / dry_max(its + others, FLT_MIN);
    if (!(speed > least))
        return;
    const dry_vec3 along = vec3_scale(normal, side ? speed : -speed);
    const int first = bodies->awake_count;
    if (dry_body_is_sleeper(world, slot[side]))
        dry_body_wake_alone(world, slot[side]);
    else
        give(b, dry_bodies_row(bodies, slot[side]), along);
    for (int row = first; row < bodies->awake_count; row++)
        give(b, row, along);
}

/* Passes the blow on from a body that was struck. */
static void pass_on(blow *b, int row)
{
    const dry_world *world = b->world;
    const int slot = world->bodies.state[row].slot;
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);) {
        const dry_contact_link *link = &world->contacts.link[it.contact];
        if (!(link->flags & DRY_CONTACT_TOUCHING))
            continue;
        const dry_body_state *other = dry_body_state_of(&world->bodies, it.other);
        const int other_row = dry_bodies_row(&world->bodies, it.other);
        if (dry_body_is_sleeper(world, it.other) ||
            (other->type == DRY_BODY_DYNAMIC && other_row < world->bodies.awake_count &&
             !dry_slot_set_has(b->struck, other_row)))
            strike(b, it.contact, link->body_a == slot, true);
    }
}

/* Wakes what awake bodies strike within dt. The first blows are those of all edges, at the speeds that bodies
 * have; a struck body that is awake already hands its blow on to sleepers, too. */
static void wake_struck(dry_world *world, float dt)
{
    const size_t mark = world->scratch.used;
    blow b = begin_blow(world, dt);
    for (int i = 0, side; i < world->islands.edge_count; i++) {
        const dry_edge *edge = &world->islands.edge[i];
        if (edge->row_a == DRY_EDGE_FIXED || edge->row_b == DRY_EDGE_FIXED) {
            if (sleeper_of(world, edge, &side) >= 0)
                strike(&b, edge->contact, side, false);
            continue;
        }
        if (edge->row_a >= 0)
            strike(&b, edge->contact, 0, false);
        if (edge->row_b >= 0)
            strike(&b, edge->contact, 1, false);
    }
    for (int i = 0; i < b.count; i++)
        pass_on(&b, b.row[i]);
    dry_scratch_give_back(&world->scratch, mark);
}

/* Makes room for the list of sleepers, and then, in its place, for a blow. Waking takes its promised room
 * behind them. Returns false if memory fails. */
static bool reserve_lists(dry_world *world)
{
    const size_t holders = dry_scratch_bytes((size_t)world->bodies.count, sizeof(dry_holder)),
                 blows = blow_bytes(&world->bodies);
    return dry_bodies_need_borne(&world->bodies, &world->memory) &&
           dry_scratch_reserve(&world->scratch, &world->memory,
                               (holders > blows ? holders : blows) + dry_scratch_promised(&world->scratch));
}

/* Tells whether an unmoved body is another one now: it has moved, or bears a force. */
DRY_COLD static bool has_moved(const dry_world *world, int row)
{
    const dry_body_borne *borne = &world->bodies.borne[row];
    const dry_body_state *state = &world->bodies.state[row];
    const dry_body_pose *pose = &world->bodies.pose[row];
    const dry_quat turn = quat_mul(pose->orientation, quat_conjugate(borne->turned_from));
    const float angle = 2.0f * vec3_length(vec3(turn.x, turn.y, turn.z));
    const float way = vec3_length(position_sub(pose->position, borne->from)) + angle * state->radius;
    return !(way <= dry_min(MOVED, MOVED_OF_RADIUS * state->radius)) || (state->flags & DRY_BODY_FORCED);
}

static bool has_place(const dry_body_borne *borne)
{
    const dry_quat q = borne->turned_from;
    return q.x != 0.0f || q.y != 0.0f || q.z != 0.0f || q.w != 0.0f;
}

/* Follows the bodies that woke among sleepers until they move. */
DRY_COLD static void follow_unmoved(dry_world *world)
{
    dry_bodies *bodies = &world->bodies;
    for (int row = 0; row < bodies->awake_count; row++) {
        dry_body_borne *borne = &bodies->borne[row];
        if (!(bodies->state[row].flags & DRY_BODY_UNMOVED))
            continue;
        if (!has_place(borne)) {
            borne->from = bodies->pose[row].position;
            borne->turned_from = bodies->pose[row].orientation;
        }
        if (has_moved(world, row)) {
            bodies->state[row].flags &= ~(uint32_t)DRY_BODY_UNMOVED;
            *borne = dry_body_default_borne;
        }
    }
}

/* Wakes the sleepers that do not hold what awake bodies do to them. */
DRY_COLD static void wake_loaded(dry_world *world, float dt)
{
    const size_t mark = world->scratch.used;
    dry_holders holders = {.world = world, .dt = dt};
    holders.holder = DRY_SCRATCH_TAKE(&world->scratch, dry_holder, world->bodies.count);
    for (int i = 0, side; i < world->islands.edge_count; i++) {
        const dry_edge *edge = &world->islands.edge[i];
        const int slot = sleeper_of(world, edge, &side), other = side ? edge->row_a : edge->row_b;
        if (slot < 0)
            continue;
        if (other >= 0 && (world->bodies.state[other].flags & DRY_BODY_UNMOVED))
            dry_holders_note(&holders, slot);
        else
            dry_holders_add(&holders, slot);
    }
    const int tired = dry_holders_balance(&holders);
    for (int i = 0; i < tired; i++)
        if (dry_body_is_sleeper(world, holders.holder[i].slot))
            dry_body_wake_alone(world, holders.holder[i].slot);
    dry_scratch_give_back(&world->scratch, mark);
}

/* Tells whether an awake body touches a sleeper. */
static bool any_touches_sleeper(const dry_world *world)
{
    for (int i = 0, side; i < world->islands.edge_count; i++)
        if (sleeper_of(world, &world->islands.edge[i], &side) >= 0)
            return true;
    return false;
}

bool dry_wake_neighbors(dry_world *world, float dt)
{
    const dry_bodies *bodies = &world->bodies;
    if (bodies->awake_count == 0 || bodies->awake_dynamic_count == bodies->dynamic_count ||
        !any_touches_sleeper(world))
        return true;
    if (!reserve_lists(world))
        return false;
    follow_unmoved(world);
    wake_loaded(world, dt);
    wake_struck(world, dt);
    return true;
}
