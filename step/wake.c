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
#include "step/wake.h"

#include "narrowphase/manifold.h"
#include "solver/plan/islands.h"
#include "state/iterators.h"
#include "step/holders.h"
#include "world/sleep.h"
#include "world/world.h"

/* Code that few steps run is compiled for size. */
#define SMALL __attribute__((cold))

#include <float.h>

/* A body has moved once it is farther than this from where it slept, m: an eighth of the depth at which a
 * loaded point rests. Of small bodies a share of the radius. In 32 piles of 30 to 131 boxes that are pushed
 * with 400 N s each second, 24 % of the boxes are awake, and in 4 a box hangs. With half of it that is 32 %
 * and 4, with twice as much 19 % and 7. */
static const float MOVED = 5e-4f, MOVED_OF_RADIUS = 2e-3f;

static bool is_sleeper(const dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    return state->type == DRY_BODY_DYNAMIC && (state->flags & DRY_BODY_ENABLED) &&
           !dry_bodies_is_awake(&world->bodies, slot) && !dry_body_is_held(world, slot);
}

/* Returns the slot of the sleeper on a side of an edge, -1 if none is. */
static int sleeper_of(const dry_world *world, const dry_edge *edge, int *side)
{
    const dry_contact_link *link = &world->contacts.link[edge->contact];
    *side = edge->row_b == DRY_EDGE_FIXED;
    if (edge->row_a != DRY_EDGE_FIXED && edge->row_b != DRY_EDGE_FIXED)
        return -1;
    const int slot = *side ? link->body_b : link->body_a;
    return is_sleeper(world, slot) ? slot : -1;
}

/* Returns the speed at which the body on a side goes against the other, which stands, where they meet within
 * dt, m/s; 0 if they do not. */
static float approach_of(const dry_world *world, const dry_contact_frame *f, int slot, int side, float dt)
{
    const dry_body_velocity *v = dry_body_velocity_of(&world->bodies, slot);
    const float sign = side ? -1.0f : 1.0f;
    float fastest = 0.0f;
    for (int i = 0; i < f->points; i++) {
        const dry_vec3 at = vec3_add(v->linear, vec3_cross(v->angular, dry_contact_arm(f, i, side)));
        const float speed = sign * vec3_dot(at, f->normal);
        const float gap = dry_manifold_separation(f->manifold, i, f->normal, f->pose[0], f->pose[1]);
        if (speed > fastest && gap < speed * dt)
            fastest = speed;
    }
    return fastest;
}

/* Wakes the sleeper on the other side of a contact if the body on this side gives it more than the speed at
 * which bodies sleep. Until the blow has gone through, the speed is in the column of the one that is struck.
 */
SMALL static void strike(dry_world *world, int contact, int slot, int side, int sleeper, float dt)
{
    dry_bodies *bodies = &world->bodies;
    const dry_contact_frame f = dry_contact_frame_of(world, contact);
    const float mine = dry_body_mass_of(bodies, slot)->inverse_mass,
                its = dry_body_mass_of(bodies, sleeper)->inverse_mass;
    const float speed = approach_of(world, &f, slot, side, dt) * its / dry_max(mine + its, FLT_MIN);
    if (!(speed > world->settings.sleep_speed_max))
        return;
    const dry_vec3 along = vec3_scale(f.normal, side ? -speed : speed);
    const int first = bodies->awake_count;
    dry_body_wake_alone(world, sleeper);
    for (int row = first; row < bodies->awake_count; row++)
        bodies->velocity[row].linear = along;
}

/* Passes a blow on from a body that it woke. */
static void pass_on(dry_world *world, int slot, float dt)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);) {
        const dry_contact_link *link = &world->contacts.link[it.contact];
        if ((link->flags & DRY_CONTACT_TOUCHING) && is_sleeper(world, it.other))
            strike(world, it.contact, slot, link->body_b == slot, it.other, dt);
    }
}

/* Wakes what awake bodies strike within dt. */
static void wake_struck(dry_world *world, float dt)
{
    dry_bodies *bodies = &world->bodies;
    const int first = bodies->awake_count;
    for (int i = 0, side; i < world->islands.edge_count; i++) {
        const dry_edge *edge = &world->islands.edge[i];
        const int sleeper = sleeper_of(world, edge, &side), row = side ? edge->row_a : edge->row_b;
        if (sleeper >= 0 && row >= 0)
            strike(world, edge->contact, bodies->state[row].slot, !side, sleeper, dt);
    }
    for (int row = first; row < bodies->awake_count; row++)
        pass_on(world, bodies->state[row].slot, dt);
    for (int row = first; row < bodies->awake_count; row++)
        bodies->velocity[row] = (dry_body_velocity){0};
}

/* Makes room for the list of sleepers. Waking takes its promised room behind it. Returns false if memory
 * fails.
 */
static bool reserve_holders(dry_world *world, size_t bytes)
{
    return dry_bodies_need_borne(&world->bodies, &world->memory) &&
           dry_scratch_reserve(&world->scratch, &world->memory,
                               bytes + dry_scratch_promised(&world->scratch));
}

/* Tells whether an unmoved body is another one now: it has moved, or bears a force. */
SMALL static bool has_moved(const dry_world *world, int row)
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
SMALL static void follow_unmoved(dry_world *world)
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

/* Wakes the sleepers that do not hold what awake bodies do to them. Returns false if memory fails. */
SMALL static bool wake_loaded(dry_world *world, float dt)
{
    const size_t bytes = dry_scratch_bytes((size_t)world->bodies.count, sizeof(dry_holder));
    size_t mark = 0;
    dry_holders holders = {.world = world, .dt = dt};
    for (int i = 0, side; i < world->islands.edge_count; i++) {
        const int slot = sleeper_of(world, &world->islands.edge[i], &side);
        if (slot < 0)
            continue;
        if (!holders.holder) {
            if (!reserve_holders(world, bytes))
                return false;
            follow_unmoved(world);
            mark = world->scratch.used;
            holders.holder = dry_scratch_take(&world->scratch, bytes);
        }
        const dry_edge *edge = &world->islands.edge[i];
        const int other = side ? edge->row_a : edge->row_b;
        if (other >= 0 && (world->bodies.state[other].flags & DRY_BODY_UNMOVED))
            dry_holders_note(&holders, slot);
        else
            dry_holders_add(&holders, slot);
    }
    if (!holders.holder)
        return true;
    const int tired = dry_holders_balance(&holders);
    for (int i = 0; i < tired; i++)
        if (is_sleeper(world, holders.holder[i].slot))
            dry_body_wake_alone(world, holders.holder[i].slot);
    dry_scratch_give_back(&world->scratch, mark);
    return true;
}

bool dry_wake_neighbors(dry_world *world, float dt)
{
    const dry_bodies *bodies = &world->bodies;
    if (bodies->awake_count == 0 || bodies->awake_dynamic_count == bodies->dynamic_count)
        return true;
    if (!wake_loaded(world, dt))
        return false;
    wake_struck(world, dt);
    return true;
}
