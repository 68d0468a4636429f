/* Contacts that turn with their bodies: their frames in the middle of the step.
 *
 * A contact's impulses are repeated for all substeps. Held at the step's beginning, they make energy in what
 * rocks; at the mean of the substeps' beginnings, (dt - h) / 2 from there, they neither make nor lose any
 * (DESIGN, "Frames of the middle"). Next: prepare_kernel.h, which finds the rows and how they change. */
#include "narrowphase/turning.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/data/terms.h"
#include "solver/plan/layout.h"
#include "solver/sweeps/contacts/prepare.h"

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

/* Returns the velocity of a body, which is zero where it sleeps. */
static const dry_body_velocity *velocity_of(const dry_solver_step *step, int row)
{
    static const dry_body_velocity rests;
    return row < step->bodies->awake_count ? &step->bodies->velocity[row] : &rests;
}

void dry_contact_fill_turning(const dry_contact_filling *f, int lane)
{
    dry_contact_source *source = f->source;
    const dry_solver_step *step = f->step;
    const dry_island *island = source->island[lane];
    const dry_vec3 n = dry_lanes_get3((const dry_lanes *)source->normal, lane);
    const dry_body_velocity *velocity[2] = {velocity_of(step, source->row[0][lane]),
                                            velocity_of(step, source->row[1][lane])};
    const float a = vec3_length_squared(velocity[0]->angular), b = vec3_length_squared(velocity[1]->angular),
                square = dry_max(a, b);
    /* A body that no impulse moves turns a contact at any speed. */
    const bool turns = (a > 0.0f && !f->moves[0][lane]) || (b > 0.0f && !f->moves[1][lane]) ||
                       dry_turns(square, 1.0f, DRY_MIDDLE_ANGLE, step->dt);
    const bool held = source->held[lane] > 0.0f && !dry_turns(square, 1.0f, DRY_FAST_ROTATION, step->dt);
    /* A change that is linear in time says little of rows that turn by over half a radian. */
    const bool fast = 4.0f * square * step->dt * step->dt > 1.0f;
    const dry_turning_time time = {0.5f * (step->dt - dry_island_substep(step, island)), step->dt,
                                   DRY_TURNING_ANGLE_MIN / step->dt, turns};
    dry_turning_contact found;
    source->turning[lane] = 0.0f;
    if (!(turns || dry_contact_is_child(&step->contacts->link[f->contact[lane]])) || fast || held ||
        island->floating || island->direct || !touches(f, lane, n) ||
        !dry_turning_find(step->bodies, step->contacts, step->shapes, f->contact[lane], velocity, n, &time,
                          &found))
        return;
    source->turning[lane] = 1.0f;
    source->side[lane] = found.side;
    source->ball[lane] = found.ball;
    dry_lanes_put3(source->rim, lane, found.rim);
    dry_lanes_put3(source->begin_normal, lane, n);
    dry_lanes_put3(source->normal, lane, found.normal);
    dry_lanes_put3(source->between, lane, found.later);
    dry_lanes_put3(source->gained, lane, found.gained);
    dry_lanes_put3(source->bend, lane, found.bend);
    dry_lanes_put3(source->carried_from, lane, found.from);
    dry_lanes_put3(source->carried_to, lane, found.moved);
    dry_lanes_put3(source->carry, lane, vec3(found.carry.x, found.carry.y, found.carry.z));
    source->carry[3][lane] = found.carry.w;
    source->held[lane] = 0.0f;
    source->any_turning = true;
    source->all_stay = false;
}
