/* Articulations that nothing else acts on move by themselves, in double, in substeps of their own.
 *
 * With half of each substep's forces before and half after, the joint correction of poses and the correction
 * of velocities where it ends are RATTLE, the Velocity-Verlet method of constrained motion: it is its own
 * reverse, and keeps energy over any time.
 *
 * Reads bodies, forces; writes the motion of an articulation's bodies. Next: correct.c. */
#include "solver/articulations/correct.h"
#include "solver/articulations/springs.h"
#include "solver/articulations/vibration.h"
#include "solver/context.h"

/* Half a substep's change of velocity by forces, where the substep begins or ends. */
static void kick(const dry_linkage *l, bool at_end)
{
    const dry_bodies *bodies = l->step->bodies;
    const dry_double3 gravity = double3_of(l->step->settings->gravity);
    const double half = 0.5 * l->h;
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_articulated_body *body = &l->body[b];
        if (!body->moves || l->step->state->invalid[body->row])
            continue;
        dry_precise_motion *m = at_end ? &body->end : &body->begin;
        const dry_body_force *force = dry_bodies_force(bodies, body->row);
        if (body->inverse_mass > 0.0)
            m->velocity = double3_add_scaled(
                m->velocity, half * (double)bodies->properties[body->row].gravity_scale, gravity);
        const double share = half / (double)body->parts;
        m->velocity = double3_add_scaled(m->velocity, share * body->inverse_mass, double3_of(force->force));
        m->spin = double3_add_scaled(m->spin, share,
                                     dry_articulated_swing(body, m->orientation, double3_of(force->torque)));
    }
}

/* Moves bodies by a substep of their velocities. */
static void drift(const dry_linkage *l)
{
    const dry_double3 none = {0};
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        l->body[b].moved = double3_add_scaled(none, l->h, l->body[b].begin.velocity);
        l->body[b].turned = double3_add_scaled(none, l->h, l->body[b].begin.spin);
    }
    dry_linkage_move(l);
}

/* The velocity correction, where the substep ends. */
static void stop_rows(const dry_linkage *l)
{
    dry_search s = dry_search_begin();
    for (;;) {
        double largest = 0.0;
        for (int j = 0; j < l->joints; j++) {
            const dry_articulated_joint *joint = &l->joint[j];
            const int first = joint->row - l->articulation->row_begin;
            for (int i = first; i < first + joint->rows; i++) {
                l->x[i] = i < first + dry_linkage_locked(joint)
                              ? -dry_linkage_speed(l, joint, &l->row[i], true)
                              : -dry_spring_left_speed(l, joint, i - first);
                largest = dry_larger(largest, fabs(l->x[i]));
            }
        }
        if (!dry_search_goes_on(&s, largest))
            return;
        dry_linkage_solve_again(l);
        dry_linkage_count_impulses(l, 1.0);
        dry_springs_take(l, 1.0);
        for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
            dry_articulated_body *body = &l->body[b];
            if (!body->moves)
                continue;
            body->end.velocity = double3_add_scaled(body->end.velocity, body->inverse_mass, body->impulse);
            body->end.spin =
                double3_add_scaled(body->end.spin, 1.0,
                                   dry_articulated_swing(body, body->end.orientation, body->angular_impulse));
        }
    }
}

/* Closes joints that are open when a step begins, without changing velocities. What no motion can close
 * stays. */
static void settle(const dry_linkage *l)
{
    const bool stays = dry_linkage_find_offsets(l, l->h);
    l->articulation->stuck = false;
    if (!(dry_linkage_largest_error(l) > DRY_OPEN))
        return;
    dry_springs_factor(l, DRY_SPRINGS_REST);
    dry_linkage at_once = *l;
    at_once.h = 0.0;
    dry_linkage_move(&at_once);
    l->articulation->stuck = dry_linkage_is_stuck(&at_once, dry_linkage_close(&at_once, false));
    dry_linkage_advance(&at_once);
    dry_linkage_find_rows(l, DRY_AT_BEGIN);
    dry_springs_factor(l, DRY_SPRINGS_POSITION);
    for (int i = 0; i < l->rows; i++)
        l->offset[i] = stays || l->articulation->error > DRY_OPEN ? l->row[i].error : 0.0;
}

/* A step that changes the energy by more than a share, beyond the work of forces, is made anew in more
 * substeps, as is one that leaves joints open: in up to SUBSTEPS_MAX, or SUBSTEPS_STUCK if its joints
 * contradict each other. A pendulum changes its energy by 1.5e-4 in a step of 1/60 s, and gives it back: the
 * method is its own reverse. One substep is given the larger share therefore; several, whose number changes,
 * are not their own reverse. */
#define ENERGY_SHARE 3e-4
#define ENERGY_SHARE_OF_MANY 1e-4
enum { SUBSTEPS_MORE = 4, SUBSTEPS_STUCK = 64, SUBSTEPS_MAX = 256 };
/* The change of energy falls nearly with the square of the number of substeps. This many times what that asks
 * for is taken. */
#define MARGIN 1.2

/* Returns the substeps that the joints' forces of the last step ask for. */
static int substeps_for_forces(const dry_linkage *l)
{
    const double followed = DRY_VIBRATION_FOLLOWED * DRY_VIBRATION_FOLLOWED;
    const double fastest = fmax(dry_linkage_last_vibration(l) / followed, dry_springs_vibration(l));
    const double wanted = (double)l->step->dt * sqrt(fastest);
    return wanted < (double)SUBSTEPS_MAX ? 1 + (int)wanted : SUBSTEPS_MAX;
}

/* The kinetic energy of an articulation, what forces have added since the step began, and what springs
 * hold, J. */
typedef struct energies {
    double kinetic, work;
    double
        unseen; /* what forces may add, as joints are closed within DRY_CLOSED; not where springs hold them */
    dry_springs_energy springs;
    bool driven; /* something that no impulse moves moves it */
} energies;

static energies find_energies(const dry_linkage *l)
{
    energies e = {.springs = dry_springs_find_energy(l)};
    const dry_bodies *bodies = l->step->bodies;
    const dry_double3 gravity = double3_of(l->step->settings->gravity);
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        const dry_articulated_body *body = &l->body[b];
        const dry_double3 v = body->end.velocity, inverse = body->inverse_inertia;
        if (!body->moves) {
            e.driven =
                e.driven || double3_dot(v, v) > 0.0 || double3_dot(body->end.spin, body->end.spin) > 0.0;
            continue;
        }
        if (l->step->state->invalid[body->row])
            continue; /* quarantine takes its energy along */
        const double mass = body->inverse_mass > 0.0 ? 1.0 / body->inverse_mass : 0.0;
        const dry_double3 w = rotation_apply_inverse(body->end.orientation, body->end.spin);
        const dry_double3 inertia = {inverse.x > 0.0 ? 1.0 / inverse.x : 0.0,
                                     inverse.y > 0.0 ? 1.0 / inverse.y : 0.0,
                                     inverse.z > 0.0 ? 1.0 / inverse.z : 0.0};
        const dry_position from = bodies->pose[body->row].position, to = body->end.center;
        const dry_double3 moved = {to.x - from.x, to.y - from.y, to.z - from.z};
        const dry_body_force *force = dry_bodies_force(bodies, body->row);
        e.kinetic += 0.5 * mass * double3_dot(v, v) + 0.5 * double3_dot(double3_mul(inertia, w), w);
        const double weight = mass * (double)bodies->properties[body->row].gravity_scale;
        const dry_double3 acts =
            double3_add_scaled((dry_double3){0}, 1.0 / (double)body->parts, double3_of(force->force));
        const dry_double3 all = double3_add_scaled(acts, weight, gravity);
        e.work += double3_dot(all, moved);
        e.unseen += l->springs > 0 ? 0.0 : DRY_CLOSED * sqrt(double3_dot(all, all));
        e.driven = e.driven || vec3_length_squared(force->torque) > 0.0f;
    }
    return e;
}

/* Returns the energy that joints may have given or taken, since they are closed within DRY_CLOSED, J: the
 * work of their forces along what is open. Forces change little from step to step, so that it comes and goes.
 */
static double unseen_work(const dry_linkage *l)
{
    double sum = 0.0;
    for (int j = 0; j < l->joints && l->springs == 0; j++) {
        const dry_double3 p = l->joint[j].impulse;
        sum += sqrt(double3_dot(p, p));
    }
    return DRY_CLOSED * sum / (double)l->step->dt;
}

/* How a step went. */
typedef struct outcome {
    bool closed, kept; /* joints; energy */
    double allowed;    /* kinetic energy, J */
    double change;     /* of energy, as a share of what a step may change it by */
} outcome;

/* Moves an articulation by a step in substeps of `l->h`. */
static outcome try_substeps(const dry_linkage *l, int substeps)
{
    dry_linkage_begin(l);
    dry_linkage_find_rows(l, DRY_AT_BEGIN);
    dry_springs_begin(l);
    bool closed = true;
    energies first = {0};
    for (int s = 0; s < substeps; s++) {
        if (s > 0)
            dry_linkage_advance(l);
        dry_springs_factor(l, DRY_SPRINGS_POSITION);
        settle(l);
        if (s == 0)
            first = find_energies(l);
        dry_springs_push_begin(l);
        kick(l, false);
        drift(l);
        dry_linkage_close(l, true);
        closed = closed && l->articulation->error <= DRY_OPEN;
        if (s == substeps - 1)
            dry_linkage_unite_parts(l);
        kick(l, true);
        dry_linkage_find_rows(l, DRY_AT_END);
        dry_springs_push_end(l);
        dry_springs_factor(l, DRY_SPRINGS_SPEED);
        stop_rows(l);
    }
    const energies last = find_energies(l);
    const double released = first.springs.elastic - last.springs.elastic;
    const double allowed = first.kinetic + last.work - first.work + released;
    const double unit = fmax(first.kinetic, last.kinetic) + fabs(last.work) + fabs(released);
    const double changed = fabs(first.kinetic - last.kinetic) + fabs(released);
    const double share = substeps > 1 ? ENERGY_SHARE_OF_MANY : ENERGY_SHARE;
    const double gain = last.kinetic - allowed,
                 most = share * unit + last.springs.lag * changed + last.unseen + unseen_work(l);
    const bool kept = gain <= most && (gain >= -most || last.springs.damped);
    return (outcome){closed, kept || last.driven, allowed, fabs(gain) / most};
}

/* Returns the velocity of the center of mass of an articulation in flight, and its kinetic energy; none for
 * one that something holds. */
static dry_double3 common_motion(const dry_linkage *l, double *kinetic)
{
    dry_double3 momentum = {0};
    double mass = 0.0;
    *kinetic = 0.0;
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        const dry_articulated_body *body = &l->body[b];
        if (!body->moves || l->step->state->invalid[body->row] || !(body->inverse_mass > 0.0))
            continue;
        mass += 1.0 / body->inverse_mass;
        momentum = double3_add_scaled(momentum, 1.0 / body->inverse_mass, body->end.velocity);
    }
    const dry_double3 none = {0};
    if (!l->step->islands->island[l->articulation->island].floating || !(mass > 0.0))
        return none;
    *kinetic = 0.5 * double3_dot(momentum, momentum) / mass;
    return double3_add_scaled(none, 1.0 / mass, momentum);
}

/* Takes back what velocities gained: a linkage that is jammed. */
static void limit_energy(const dry_linkage *l, double allowed)
{
    double common;
    const dry_double3 center = common_motion(l, &common);
    const double kinetic = find_energies(l).kinetic - common;
    allowed -= common;
    const double share = kinetic > allowed ? sqrt(fmax(allowed, 0.0) / kinetic) : 1.0;
    const dry_double3 none = {0};
    for (int b = l->articulation->body_begin; b < l->articulation->body_end && share < 1.0; b++) {
        dry_precise_motion *m = &l->body[b].end;
        m->velocity = double3_add_scaled(center, share, double3_add_scaled(m->velocity, -1.0, center));
        m->spin = double3_add_scaled(none, share, m->spin);
    }
}

/* Returns how many times as many substeps a step takes that is made anew. */
static int find_more(const dry_linkage *l, const outcome *o)
{
    if (!o->closed || l->articulation->stuck || !(o->change < INFINITY))
        return SUBSTEPS_MORE;
    return (int)fmin((double)SUBSTEPS_MORE, fmax(2.0, ceil(MARGIN * sqrt(o->change))));
}

int dry_linkage_move_alone(dry_linkage l, int substeps)
{
    const double dt = (double)l.step->dt;
    dry_linkage_begin(&l);
    if (l.springs > 0)
        dry_linkage_find_rows(&l, DRY_AT_BEGIN);
    substeps = dry_max_int(substeps, substeps_for_forces(&l));
    for (;;) {
        l.h = dt / (double)substeps;
        const outcome o = try_substeps(&l, substeps);
        if (o.kept && o.closed)
            return substeps;
        const int most = l.articulation->stuck ? SUBSTEPS_STUCK : SUBSTEPS_MAX;
        if (substeps >= most) {
            if (!o.kept)
                limit_energy(&l, o.allowed);
            return 1;
        }
        substeps = dry_min_int(find_more(&l, &o) * substeps, most);
    }
}
