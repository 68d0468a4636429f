/* The lever arms of a contact, which stand for all substeps: the one place that chooses them.
 *
 * Impulses at arms of the step's beginning make energy in what rocks. At the mean of the substeps'
 * beginnings, (dt - h) / 2 from there, they neither make nor lose any (DESIGN, "Frames of the middle"). A
 * load along arms that tilt on soft contacts makes a stack buckle, which held arms do not. Held arms prop
 * islands that topple (plan/hinges.c), change a floating one's momentum, and falsify surfaces that move.
 *
 * Writes the source of a lane. Next: prepare_kernel.h, which finds the rows and how they change. */
#include "narrowphase/turning.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/data/terms.h"
#include "solver/plan/layout.h"
#include "solver/sweeps/contacts/prepare.h"

typedef enum contact_arms {
    ARMS_NOW,    /* of the step's beginning */
    ARMS_LED,    /* likewise, on a kinematic surface that moves on, for methods whose rows turn */
    ARMS_HELD,   /* of when the anchors were made */
    ARMS_MIDDLE, /* of the middle of the step, where bodies turn */
} contact_arms;

bool dry_some_contacts_turn(const dry_solver_step *step)
{
    return dry_method_turns(step->method) && (step->islands->turning || step->contacts->family ||
                                              step->bodies->awake_dynamic_count < step->bodies->awake_count);
}

/* Tells whether some point of a contact touches. */
static bool touches(const dry_contact_filling *f, int lane, dry_vec3 n)
{
    const dry_manifold *m = f->source->manifold[lane];
    if (m->substep > 0.0f && m->impulse[0] + m->impulse[1] + m->impulse[2] + m->impulse[3] > 0.0f)
        return true;
    for (int i = 0; i < (int)f->source->count[lane]; i++) {
        const float height = vec3_dot(n, quat_rotate(*f->source->orientation_b[lane], m->points[i].anchor_b));
        if (f->source->rise[lane] + height <= m->points[i].touch_height)
            return true;
    }
    return false;
}

/* Puts a lane in the middle of the step. False for a contact that does not turn, or turns so far that a
 * change which is linear in time says little of its rows: over half a radian. */
DRY_NOINLINE static bool put_middle(const dry_contact_filling *f, int lane, bool held)
{
    const dry_solver_step *step = f->step;
    dry_contact_source *source = f->source;
    const dry_vec3 n = dry_lanes_get3((const dry_lanes *)source->normal, lane);
    const dry_body_velocity velocity[2] = {dry_bodies_motion(step->bodies, source->row[0][lane]),
                                           dry_bodies_motion(step->bodies, source->row[1][lane])};
    const float a = vec3_length_squared(velocity[0].angular), b = vec3_length_squared(velocity[1].angular),
                square = dry_max(a, b);
    /* A body that no impulse moves turns a contact at any speed. */
    const bool turns = (a > 0.0f && !f->moves[0][lane]) || (b > 0.0f && !f->moves[1][lane]) ||
                       dry_turns(square, 1.0f, DRY_MIDDLE_ANGLE, step->dt);
    if (!(turns || dry_contact_is_child(&step->contacts->link[f->contact[lane]])) ||
        4.0f * square * step->dt * step->dt > 1.0f ||
        (held && !dry_turns(square, 1.0f, DRY_FAST_ROTATION, step->dt)) || !touches(f, lane, n))
        return false;
    const dry_turning_time time = {0.5f * (step->dt - dry_island_substep(step, source->island[lane])),
                                   step->dt, DRY_TURNING_ANGLE_MIN / step->dt, turns};
    dry_turning_contact found;
    if (!dry_turning_find(step->bodies, step->contacts, step->shapes, f->contact[lane], velocity, n, &time,
                          &found))
        return false;
    source->side[lane] = found.side;
    source->ball[lane] = found.ball;
    dry_lanes_put3(source->rim, lane, found.rim);
    dry_lanes_put3(source->slide, lane, found.slide);
    dry_lanes_put3(source->begin_normal, lane, n);
    dry_lanes_put3(source->normal, lane, found.normal);
    dry_lanes_put3(source->between, lane, found.later);
    dry_lanes_put3(source->gained, lane, found.gained);
    dry_lanes_put3(source->bend, lane, found.bend);
    dry_lanes_put3(source->carried_from, lane, found.from);
    dry_lanes_put3(source->carried_to, lane, found.moved);
    dry_lanes_put3(source->carry, lane, vec3(found.carry.x, found.carry.y, found.carry.z));
    source->carry[3][lane] = found.carry.w;
    return true;
}

/* Tells whether a kinematic body of a contact moves. */
static bool beside_mover(const dry_contact_filling *f, int lane)
{
    const int side = f->moves[0][lane] > 0;
    if (f->moves[side][lane] > 0)
        return false;
    const dry_body_velocity v = dry_bodies_motion(f->step->bodies, f->source->row[side][lane]);
    return vec3_length_squared(v.linear) + vec3_length_squared(v.angular) > 0.0f;
}

/* Adds the velocity of a turning kinematic surface where the patch is in the midst of the step. That of the
 * begin gives what rolls or rides on it some 2 pi^2 / n of its speed in a round of n steps. The patch moves
 * with the other body, on a round one with its center, by at most its lever arm. */
DRY_NOINLINE static void lead_surface(const dry_contact_filling *f, int lane)
{
    const int side = f->moves[0][lane] > 0;
    const dry_bodies *bodies = f->step->bodies;
    const dry_contact_link *link = &f->step->contacts->link[f->contact[lane]];
    const int table = f->source->row[side][lane], rider = f->source->row[!side][lane];
    const dry_manifold *m = f->source->manifold[lane];
    const dry_vec3 spin = bodies->velocity[table].angular;
    if (vec3_length_squared(spin) == 0.0f ||
        dry_type_is_round(f->step->shapes->form[side ? m->shape_b : m->shape_a].geometry.type))
        return;
    dry_vec3 arm = vec3(0.0f, 0.0f, 0.0f); /* of the rider, to the patch's center */
    for (int i = 0; i < link->points; i++)
        arm = vec3_add(arm, m->points[i].anchor_b);
    arm = vec3_scale(arm, 1.0f / (float)dry_max_int(link->points, 1));
    arm = quat_rotate(*f->source->orientation_b[lane], arm);
    if (side) /* the rider is a */
        arm = vec3_add(arm, position_sub(bodies->pose[table].position, bodies->pose[rider].position));
    dry_vec3 velocity = vec3_sub(bodies->velocity[rider].linear, bodies->velocity[table].linear);
    if (!(link->flags & DRY_CONTACT_ROUND))
        velocity = vec3_add(velocity, vec3_cross(bodies->velocity[rider].angular, arm));
    const dry_vec3 way = vec3_scale(velocity, 0.5f * f->step->dt);
    const float length = vec3_length(way), most = vec3_length(arm);
    dry_lanes *moves = f->source->kinematic[2 * side];
    const dry_vec3 led = vec3_cross(spin, vec3_scale(way, length > most ? most / length : 1.0f));
    dry_lanes_put3(moves, lane, vec3_add(dry_lanes_get3((const dry_lanes *)moves, lane), led));
}

void dry_contact_fill_arms(const dry_contact_filling *f, int lane)
{
    dry_contact_source *source = f->source;
    const dry_island *island = source->island[lane];
    const unsigned flags = f->step->contacts->link[f->contact[lane]].flags;
    const bool moved = beside_mover(f, lane), may_turn = f->some_turn && !island->floating && !island->direct;
    const bool held = f->step->settings->levers == DRY_LEVERS_HELD && flags & DRY_CONTACT_RECYCLED &&
                      !island->floating && !island->hinged && !moved;
    const contact_arms arms = may_turn && put_middle(f, lane, held)                             ? ARMS_MIDDLE
                              : held                                                            ? ARMS_HELD
                              : moved && (island->direct || !dry_method_turns(f->step->method)) ? ARMS_LED
                                                                                                : ARMS_NOW;
    source->held[lane] = arms == ARMS_HELD ? 1.0f : 0.0f;
    source->turning[lane] = arms == ARMS_MIDDLE ? 1.0f : 0.0f;
    source->any_held |= arms == ARMS_HELD;
    source->any_turning |= arms == ARMS_MIDDLE;
    /* Arms of new anchors are the bodies' own, and held from the next step on where no surface is round. */
    source->all_stay &= arms != ARMS_MIDDLE && flags & (DRY_CONTACT_RECYCLED | DRY_CONTACT_ROUND) &&
                        island->phase == DRY_ISLAND_STAYS;
    if (arms == ARMS_LED)
        lead_surface(f, lane);
}
