/* Articulations that nothing else acts on: their step by RATTLE, in double, in substeps of their own [Tomcin
 * 3].
 *
 * A large articulation does not fit a cache. So a substep is a few streams (stream.h), between them the
 * factor and two solutions. Reads articulations; writes them. Next: correct.c. */
#include "methods/direct/closing.h"
#include "methods/direct/springs.h"
#include "methods/direct/stream.h"
#include "solver/data/context.h"
#include "state/settings.h"

#include <string.h>

/* Gives a body half a substep's change of velocity by forces, where the substep begins or ends. */
static void kick(const dry_linkage *l, dry_articulated_body *body, dry_precise_motion *m)
{
    const dry_bodies *bodies = l->step->bodies;
    if (!body->moves || l->step->state->bodies.invalid[body->row])
        return;
    const double half = 0.5 * l->h;
    const dry_body_force *force = dry_bodies_force(bodies, body->row);
    if (body->inverse_mass > 0.0)
        m->velocity =
            double3_add_scaled(m->velocity, half * (double)bodies->properties[body->row].gravity_scale,
                               double3_of(l->step->settings->gravity));
    const double share = half / (double)body->parts;
    m->velocity = double3_add_scaled(m->velocity, share * body->inverse_mass, double3_of(force->force));
    m->spin = double3_add_scaled(m->spin, share,
                                 dry_articulated_swing(body, m->orientation, double3_of(force->torque)));
}

/* Moves bodies by a substep of their velocities. */
static void drift(dry_stream *stream, int begin, int end)
{
    const dry_linkage *l = stream->l;
    const dry_double3 none = {0};
    for (int b = begin; b < end; b++) {
        dry_articulated_body *body = &l->body[b];
        kick(l, body, &body->begin);
        body->moved = double3_add_scaled(none, l->h, body->begin.velocity);
        body->turned = double3_add_scaled(none, l->h, body->begin.spin);
    }
}

static void kick_at_end(dry_stream *stream, int begin, int end)
{
    for (int b = begin; b < end; b++)
        kick(stream->l, &stream->l->body[b], &stream->l->body[b].end);
}

/* Gives bodies a share of the last solve's impulses where the substep begins, which changes where they are
 * led. */
static void take_at_begin(dry_stream *stream, int begin, int end)
{
    const double share = stream->share, time = stream->l->h;
    for (int b = begin; b < end; b++) {
        dry_articulated_body *body = &stream->l->body[b];
        if (!body->moves)
            continue;
        const dry_double3 swing = dry_articulated_swing(body, body->begin.orientation, body->angular_impulse);
        body->moved = double3_add_scaled(body->moved, share * time * body->inverse_mass, body->impulse);
        body->turned = double3_add_scaled(body->turned, share * time, swing);
        dry_articulated_push(body, &body->begin, share);
    }
}

/* Gives bodies those impulses where the substep ends. */
static void take_at_end(dry_stream *stream, int begin, int end)
{
    for (int b = begin; b < end; b++)
        dry_articulated_push(&stream->l->body[b], &stream->l->body[b].end, 1.0);
}

/* Fills x with the speeds that rows are to lose where the substep ends. */
static void find_speeds(dry_stream *stream, int begin, int end)
{
    const dry_linkage *l = stream->l;
    for (int j = begin; j < end; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const dry_articulated_row *row = dry_linkage_rows_of(l, joint);
        double *x = &l->x[joint->row - l->articulation->row_begin];
        for (int i = 0; i < joint->rows; i++) {
            const bool locked = i < dry_linkage_locked(joint);
            x[i] = locked ? -dry_linkage_speed(l, joint, &row[i], true) : -dry_spring_left_speed(l, joint, i);
            stream->largest = dry_larger(stream->largest, fabs(x[i]));
            if (locked)
                stream->open = dry_larger(stream->open, fabs(row[i].error));
        }
    }
}

static double run(dry_stream *stream, const dry_stream_pass *passes, int count)
{
    dry_stream_run(stream, passes, count);
    return stream->largest;
}

/* Gives bodies a share of the last solve's impulses where the substep begins. `sums` tells whether bodies
 * have their sums. Returns the largest error that joints have then. */
static double take_impulses(const dry_linkage *l, double share, bool sums)
{
    static const dry_stream_pass passes[] = {
        {dry_stream_clear, DRY_BODIES},
        {dry_stream_sum, DRY_JOINTS_IN_TURN},
        {take_at_begin, DRY_BODIES},
        {dry_stream_place, DRY_BODIES},
        {dry_stream_find_errors, DRY_JOINTS_IN_TURN},
    };
    const int first = sums ? 2 : 0;
    dry_springs_take(l, share);
    dry_stream stream = dry_stream_of(l);
    stream.share = share;
    return run(&stream, passes + first, 5 - first);
}

/* Lets the errors with which a substep begins close in the time of the step. Velocities take corrections
 * over, and where rows hardly grip, as in a straight chain between two walls, 1e-9 m move bodies by its root.
 */
static void keep_errors(const dry_linkage *l)
{
    for (int i = 0; i < l->rows; i++)
        l->offset[i] = (1.0 - l->h / (double)l->step->dt) * l->row[i].error;
}

/* Begins a substep, after the one before if it `goes_on`: moves bodies, and closes joints. */
static void move(const dry_linkage *l, bool goes_on)
{
    static const dry_stream_pass passes[] = {
        {dry_stream_advance, DRY_BODIES},
        {drift, DRY_BODIES},
        {dry_stream_place, DRY_BODIES},
        {dry_stream_find_errors, DRY_JOINTS_IN_TURN},
    };
    const int first = goes_on ? 0 : 1;
    dry_stream stream = dry_stream_of(l);
    dry_linkage_close(l, run(&stream, passes + first, 4 - first), 1.0 / l->h, take_impulses);
}

/* Finds the rows where the substep ends, and the speeds there. Begins the velocity correction with the
 * impulses of the joint correction: both are half of a substep's force, an instant apart. Redundant rows
 * begin with none: theirs are to have the least norm. Returns how the rows are then; `halfway` becomes true
 * if the factor was made with the first half of a solution for these speeds. */
static dry_stream arrive(const dry_linkage *l, bool *halfway)
{
    static const dry_stream_pass passes[] = {
        {dry_stream_count, DRY_JOINTS},
        {kick_at_end, DRY_BODIES},
        {dry_stream_find_rows, DRY_JOINTS},
        {dry_stream_clear, DRY_BODIES},
        {dry_stream_sum, DRY_JOINTS_IN_TURN},
        {dry_stream_count, DRY_JOINTS},
        {take_at_end, DRY_BODIES},
        {find_speeds, DRY_JOINTS_IN_TURN},
    };
    enum { ALL = 8, TO_ROWS = 3, SPEEDS = 7 };
    dry_stream stream = dry_stream_of(l);
    *halfway = false;
    memcpy(l->impulses, l->carried, (size_t)l->rows * sizeof *l->impulses);
    if (l->springs == 0 && l->factor->redundant == 0 && l->articulation->error <= DRY_JOINTS_OPEN) {
        dry_stream_run(&stream, passes, ALL);
        dry_linkage_factor_forward(l);
        *halfway = true;
        return stream;
    }
    dry_stream_run(&stream, passes, TO_ROWS);
    dry_springs_push_end(l);
    dry_springs_factor(l, DRY_SPRINGS_SPEED);
    dry_stream_run(&stream, passes + SPEEDS, ALL - SPEEDS);
    return stream;
}

/* The velocity correction, where the substep ends, from this speed on. */
static void stop_rows(const dry_linkage *l, double speed, bool halfway)
{
    static const dry_stream_pass passes[] = {
        {dry_stream_clear, DRY_BODIES}, {dry_stream_sum, DRY_JOINTS_IN_TURN}, {dry_stream_count, DRY_JOINTS},
        {take_at_end, DRY_BODIES},      {find_speeds, DRY_JOINTS_IN_TURN},
    };
    dry_search s = dry_search_begin();
    while (dry_search_goes_on(&s, speed)) {
        const bool sums = halfway ? dry_linkage_solve_on(l) : dry_linkage_solve_again(l);
        const int first = sums ? 2 : 0;
        halfway = false;
        dry_springs_take(l, 1.0);
        dry_stream stream = dry_stream_of(l);
        speed = run(&stream, passes + first, 5 - first);
    }
}

/* Closes joints that are open when a step begins, without changing velocities. What no motion can close
 * stays. `open` is the largest error. Returns whether offsets may be other than 0. */
static bool settle(const dry_linkage *l, double open)
{
    const bool stays = dry_linkage_find_offsets(l, open, l->h);
    if (!(open > DRY_JOINTS_OPEN))
        return stays;
    dry_linkage at_once = *l;
    at_once.h = 0.0;
    dry_springs_factor(l, DRY_SPRINGS_REST);
    dry_linkage_move(&at_once);
    const double asked = dry_linkage_close_poses(&at_once);
    dry_linkage_close_in_rounds(&at_once, asked);
    if (dry_linkage_needs_fine(&at_once))
        return false;
    dry_linkage_advance(&at_once);
    dry_linkage_take_inertia(l, false);
    dry_linkage_find_rows(l, DRY_AT_BEGIN);
    dry_springs_factor(l, DRY_SPRINGS_POSITION);
    for (int i = 0; i < l->rows; i++)
        l->offset[i] = stays || l->articulation->error > DRY_JOINTS_OPEN ? l->row[i].error : 0.0;
    return true;
}

/* A step that changes the energy by more than a share, beyond the work of forces, is made anew in up to
 * SUBSTEPS_OF_ENERGY; one that leaves joints open that were closed, in up to SUBSTEPS_OF_JOINTS; or in as
 * many as the joints' forces ask for, SUBSTEPS_OF_FORCES at most. A pendulum changes its energy by 1.5e-4 in
 * a step of 1/60 s, and gives it back: the method is its own reverse. One substep is given the larger share
 * therefore; several, whose number changes, are not their own reverse. */
#define ENERGY_SHARE 3e-4
#define ENERGY_SHARE_OF_MANY 1e-4
enum { SUBSTEPS_MORE = 4, SUBSTEPS_OF_ENERGY = 64, SUBSTEPS_OF_JOINTS = 256, SUBSTEPS_OF_FORCES = 1024 };
/* The change of energy falls nearly with the square of the number of substeps. This many times what that asks
 * for is taken. */
#define MARGIN 1.2

/* Returns the substeps that the joints' own `hertz` ask for: one a radian. */
static double substeps_of_hertz(const dry_linkage *l)
{
    float hertz = 0.0f;
    for (int j = 0; j < l->joints; j++)
        if (l->joint[j].joint >= 0)
            hertz = dry_max(hertz, l->step->joints->def[l->joint[j].joint].hertz);
    return (double)dry_min(6.2831853f * hertz * l->step->dt, (float)(l->step->settings->substeps_max - 1));
}

/* Returns how many substeps the settings allow. A ceiling that is not lowered is that of tiers alone. Joints
 * that stay open in so many close later. */
static int substeps_allowed(const dry_linkage *l)
{
    const dry_settings *settings = l->step->settings;
    if (settings->substeps > 0)
        return settings->substeps;
    return settings->substeps_max < dry_settings_default().substeps_max ? settings->substeps_max
                                                                        : SUBSTEPS_OF_FORCES;
}

/* Returns the substeps that follow a vibration of joints, by the square of its frequency, and that springs or
 * the joints themselves ask for. */
static int substeps_for_forces(const dry_linkage *l, double vibration)
{
    const double fastest = fmax(vibration, dry_springs_vibration(l));
    const double wanted = fmax((double)l->step->dt * sqrt(fastest), substeps_of_hertz(l));
    const int most = substeps_allowed(l);
    return wanted < (double)most ? 1 + (int)wanted : most;
}

/* The kinetic energy of an articulation, what forces have added since the step began, and what springs
 * hold, J. */
typedef struct energies {
    double kinetic, work;
    double unseen; /* what forces may add, as joints are closed within DRY_JOINTS_CLOSED; not where springs
                      hold them */
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
        const dry_double3 v = body->end.velocity;
        if (!body->moves) {
            e.driven =
                e.driven || double3_dot(v, v) > 0.0 || double3_dot(body->end.spin, body->end.spin) > 0.0;
            continue;
        }
        if (l->step->state->bodies.invalid[body->row])
            continue; /* quarantine takes its energy along */
        const double mass = body->inverse_mass > 0.0 ? 1.0 / body->inverse_mass : 0.0;
        const dry_position from = bodies->pose[body->row].position, to = body->end.center;
        const dry_double3 moved = {to.x - from.x, to.y - from.y, to.z - from.z};
        const dry_body_force *force = dry_bodies_force(bodies, body->row);
        e.kinetic += 0.5 * mass * double3_dot(v, v) + dry_articulated_turning_energy(body, &body->end);
        const double weight = mass * (double)bodies->properties[body->row].gravity_scale;
        const dry_double3 acts =
            double3_add_scaled((dry_double3){0}, 1.0 / (double)body->parts, double3_of(force->force));
        const dry_double3 all = double3_add_scaled(acts, weight, gravity);
        e.work += double3_dot(all, moved);
        e.unseen += l->springs > 0 ? 0.0 : DRY_JOINTS_CLOSED * sqrt(double3_dot(all, all));
        e.driven = e.driven || vec3_length_squared(force->torque) > 0.0f;
    }
    return e;
}

/* Returns the energy that joints may have given or taken, since they are closed within DRY_JOINTS_CLOSED, J:
 * the work of their forces along what is open. Forces change little from step to step, so that it comes and
 * goes.
 */
static double unseen_work(const dry_linkage *l)
{
    double sum = 0.0;
    for (int j = 0; j < l->joints && l->springs == 0; j++) {
        const dry_double3 p = l->joint[j].impulse;
        sum += sqrt(double3_dot(p, p));
    }
    return DRY_JOINTS_CLOSED * sum / (double)l->step->dt;
}

/* How a step went. */
typedef struct outcome {
    bool closed, kept; /* joints; energy */
    bool finer;        /* joints stay open that a fine factor closes */
    double change;     /* of energy, as a share of what a step may change it by */
} outcome;

/* Moves an articulation by a step in substeps of `l->h`, with fine factors if asked to. */
static outcome try_substeps(const dry_linkage *l, int substeps, bool fine)
{
    dry_linkage_begin(l);
    l->articulation->fine = fine;
    dry_linkage_find_rows(l, DRY_AT_BEGIN);
    dry_springs_begin(l);
    bool closed = true, offsets = true;
    double open = l->articulation->error_begin = dry_linkage_largest_error(l);
    energies first = {0};
    for (int s = 0; s < substeps; s++) {
        /* Rows and factor are the same, and no joint is open by more than it may close in that time. */
        const bool straight = s > 0 && !offsets && l->springs == 0 && !(open > DRY_JOINTS_OPEN) &&
                              !(open > l->h * (double)l->step->settings->push_out_speed_max);
        l->articulation->stuck = false;
        if (!straight) {
            if (s > 0)
                dry_linkage_advance(l);
            dry_springs_factor(l, DRY_SPRINGS_POSITION);
            offsets = settle(l, open);
            if (l->articulation->fine != fine)
                return (outcome){.finer = true};
            if (s == 0)
                first = find_energies(l);
            dry_springs_push_begin(l);
        }
        if (!(open > DRY_JOINTS_OPEN))
            keep_errors(l);
        move(l, straight);
        if (dry_linkage_needs_fine(l))
            return (outcome){.finer = true};
        closed = closed && l->articulation->error <= DRY_JOINTS_OPEN;
        if (s == substeps - 1)
            dry_linkage_unite_parts(l);
        bool halfway;
        const dry_stream end = arrive(l, &halfway);
        open = end.open;
        stop_rows(l, end.largest, halfway);
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
    return (outcome){.closed = closed, .kept = kept || last.driven, .change = fabs(gain) / most};
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
    dry_linkage_begin(&l);
    if (l.springs > 0)
        dry_linkage_find_rows(&l, DRY_AT_BEGIN);
    const int first = dry_max_int(substeps, substeps_for_forces(&l, dry_linkage_last_vibration(&l)));
    const double dt = (double)l.step->dt, rate = 1.0 / dt;
    int asked = 0; /* by the forces that a try has found */
    l.articulation->coarse = false;
    substeps = first;
    for (bool fine = false;;) {
        l.h = dt / (double)substeps;
        const outcome o = try_substeps(&l, substeps, fine);
        if (!o.finer && o.kept && o.closed)
            return substeps;
        if (!o.finer)
            asked = dry_max_int(
                asked, substeps_for_forces(&l, dry_linkage_vibration(&l, dt, rate * rate, rate * rate)));
        const int tried = o.closed ? SUBSTEPS_OF_ENERGY : SUBSTEPS_OF_JOINTS;
        const bool far = l.articulation->error_begin > DRY_JOINTS_FAR;
        const int most = far ? first : dry_min_int(dry_max_int(tried, asked), substeps_allowed(&l));
        if (o.finer) {
            fine = true;
        } else if (fine && substeps >= most) {
            l.articulation->coarse = true;
            fine = false;
            substeps = first;
        } else if (substeps >= most) {
            return far ? substeps : 1;
        } else {
            substeps = dry_min_int(find_more(&l, &o) * substeps, most);
        }
    }
}
