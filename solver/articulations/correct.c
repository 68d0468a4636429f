/* Stage "impacts", last part: the joint correction of articulations, and the velocity correction of those
 * that are alone [Tomcin 3].
 *
 * Predicted poses are corrected by impulses where the step began, until all joints are closed where it ends:
 * Newton's method with the factor of the step's begin. Then velocities are corrected where it ends. With half
 * of each substep's forces before and half after, that is RATTLE, the Velocity-Verlet method of constrained
 * motion: it is its own reverse, and keeps energy over any time.
 *
 * Articulations that nothing else acts on do all of this in double, in substeps of their own. The others
 * start from the solver's rows; where contacts touch, poses are corrected without velocities [Tomcin 7].
 *
 * Reads rows, articulations; writes articulations, from which finalize takes the bodies' motion. Next:
 * store.c. */
#include "solver/articulations/articulation_rows.h"
#include "solver/articulations/linkage.h"
#include "solver/articulations/springs.h"
#include "solver/articulations/stops.h"
#include "solver/articulations/vibration.h"
#include "solver/context.h"
#include "solver/joints/joint_side.h"
#include "solver/joints/joint_type.h"
#include "solver/rows/invalid.h"

/* Joints are closed within this, m or rad, and rows' speeds, m/s or rad/s: eps_P [Tomcin 3]. */
#define CLOSED 1e-9
/* Beyond this, m or rad, a joint is open already when the step begins, as its user made it. It is closed
 * without changing velocities, or it would fly. */
#define OPEN 1e-7
/* A correction is stuck that leaves more than this share of what it was to close, if as much of that is
 * beyond all impulses. Newton's method also stops early where bodies turn fast, with rows of another pose. */
#define STUCK 0.5
/* Rounds of closing joints and holding stops are so many at most. Rows are made anew after one that leaves
 * more than the first share of what stops are passed by, and one that leaves more than the second is the
 * last. */
enum { STOP_ROUNDS = 8 };
#define SLOW 0.5
#define VAIN 0.9
enum { ITERATIONS = 50, PATIENCE = 4, SHORTENINGS = 4 };

/* A search that ends when it has found or gains nothing. */
typedef struct search {
    double least;
    int iterations, in_vain;
} search;

static search begin_search(void)
{
    return (search){.least = INFINITY};
}

/* Tells whether to go on from an error. */
static bool goes_on(search *s, double error)
{
    if (!(error > CLOSED) || s->iterations == ITERATIONS || !(error <= 1e6))
        return false;
    s->in_vain = error < 0.9 * s->least ? 0 : s->in_vain + 1;
    s->least = fmin(s->least, error);
    s->iterations++;
    return s->in_vain < PATIENCE;
}

static void scale(const dry_linkage *l, double by)
{
    for (int i = 0; i < l->rows; i++)
        l->x[i] *= by;
}

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

/* Gives bodies a share of the last solve's impulses: where the substep began, to their displacements and
 * velocities, or to their poses alone, where it ends. */
static void take_impulses(const dry_linkage *l, double time, double share, bool velocities)
{
    if (velocities)
        dry_springs_take(l, share);
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_articulated_body *body = &l->body[b];
        if (!body->moves)
            continue;
        const dry_double3 none = {0};
        const dry_double3 swing = dry_articulated_swing(body, body->begin.orientation, body->angular_impulse);
        if (!velocities) {
            dry_articulated_shift(body, double3_add_scaled(none, share * body->inverse_mass, body->impulse),
                                  double3_add_scaled(none, share, swing));
            continue;
        }
        body->moved = double3_add_scaled(body->moved, share * time * body->inverse_mass, body->impulse);
        body->turned = double3_add_scaled(body->turned, share * time, swing);
        body->begin.velocity =
            double3_add_scaled(body->begin.velocity, share * body->inverse_mass, body->impulse);
        body->begin.spin = double3_add_scaled(body->begin.spin, share, swing);
    }
    if (velocities)
        dry_linkage_move(l);
}

/* The joint correction: A p = -c / h [Tomcin 3], again and again. Without velocities only poses change. An
 * iteration that would open the joints further is shortened: near poses that no motion can reach, Newton's
 * method leads anywhere. Returns the error before. */
static double close_joints(const dry_linkage *l, bool velocities)
{
    const double time = velocities ? l->h : 1.0;
    search s = begin_search();
    double error = dry_linkage_find_errors(l);
    const double asked = error;
    while (goes_on(&s, error)) {
        scale(l, -1.0 / time);
        if (velocities)
            dry_linkage_solve_again(l);
        else
            dry_linkage_solve(l);
        double share = 1.0, next;
        take_impulses(l, time, share, velocities);
        for (int i = 0; (next = dry_linkage_find_errors(l), !(next < error)) && share > 0.0; i++) {
            const double shorter = i < SHORTENINGS ? 0.25 * share : 0.0;
            take_impulses(l, time, shorter - share, velocities);
            share = shorter;
        }
        if (velocities)
            dry_linkage_count_impulses(l, share);
        error = next;
        if (share == 0.0)
            break;
    }
    l->articulation->error = error;
    l->articulation->corrections++;
    l->articulation->iterations += s.iterations;
    l->articulation->iterations_max = dry_max_int(l->articulation->iterations_max, s.iterations);
    return asked;
}

/* Tells whether a correction of poses alone that was to close `asked` is stuck. */
static bool is_stuck(const dry_linkage *l, double asked)
{
    const double error = l->articulation->error;
    return error > OPEN && error > STUCK * asked && dry_linkage_find_unsolvable(l) > STUCK * error;
}

/* Lets all parts of a body end where the first one does, which finalize takes. The next step begins with all
 * of them there: its rows are then those of this step's end, and so is its factor. */
static void unite_parts(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b += l->body[b].parts)
        for (int i = 1; i < l->body[b].parts; i++) {
            l->body[b + i].end.center = l->body[b].end.center;
            l->body[b + i].end.orientation = l->body[b].end.orientation;
        }
}

/* The velocity correction, where the substep ends. */
static void stop_rows(const dry_linkage *l)
{
    search s = begin_search();
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
        if (!goes_on(&s, largest))
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
    if (!(dry_linkage_largest_error(l) > OPEN))
        return;
    dry_springs_factor(l, DRY_SPRINGS_REST);
    dry_linkage at_once = *l;
    at_once.h = 0.0;
    dry_linkage_move(&at_once);
    l->articulation->stuck = is_stuck(&at_once, close_joints(&at_once, false));
    dry_linkage_advance(&at_once);
    dry_linkage_find_rows(l, DRY_AT_BEGIN);
    dry_springs_factor(l, DRY_SPRINGS_POSITION);
    for (int i = 0; i < l->rows; i++)
        l->offset[i] = stays || l->articulation->error > OPEN ? l->row[i].error : 0.0;
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
/* A step begins with this share of the substeps that the one before took. */
#define SUBSTEPS_KEPT 0.5

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
    double unseen; /* what forces may add, as joints are closed within CLOSED; not where springs hold them */
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
        e.unseen += l->springs > 0 ? 0.0 : CLOSED * sqrt(double3_dot(all, all));
        e.driven = e.driven || vec3_length_squared(force->torque) > 0.0f;
    }
    return e;
}

/* Returns the energy that joints may have given or taken, since they are closed within CLOSED, J: the work of
 * their forces along what is open. Forces change little from step to step, so that it comes and goes. */
static double unseen_work(const dry_linkage *l)
{
    double sum = 0.0;
    for (int j = 0; j < l->joints && l->springs == 0; j++) {
        const dry_double3 p = l->joint[j].impulse;
        sum += sqrt(double3_dot(p, p));
    }
    return CLOSED * sum / (double)l->step->dt;
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
        close_joints(l, true);
        closed = closed && l->articulation->error <= OPEN;
        if (s == substeps - 1)
            unite_parts(l);
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

/* Moves an articulation by a step. Returns the substeps that it took; 1 if no number of them was enough. */
static int move_alone(dry_linkage l, int substeps)
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

/* Takes a body's motion from its row; none if it is invalid, which finalize then sees. */
static void read_valid_row(const dry_solver_step *step, dry_articulated_body *body)
{
    bool *invalid = &step->state->invalid[body->row];
    *invalid = *invalid || !dry_row_is_valid(&step->state->rows[body->row + 1]);
    if (*invalid)
        body->begin.velocity = body->begin.spin = body->moved = body->turned = (dry_double3){0};
    else
        dry_articulated_read_row(step, body, false);
}

static double turning_energy(const dry_articulated_body *body, const dry_precise_motion *m)
{
    const dry_double3 inverse = body->inverse_inertia;
    const dry_double3 w = rotation_apply_inverse(m->orientation, m->spin);
    const dry_double3 inertia = {inverse.x > 0.0 ? 1.0 / inverse.x : 0.0,
                                 inverse.y > 0.0 ? 1.0 / inverse.y : 0.0,
                                 inverse.z > 0.0 ? 1.0 / inverse.z : 0.0};
    return 0.5 * double3_dot(double3_mul(inertia, w), w);
}

/* Lets a body that joints turned keep the energy of its turning. Sweeps turn with the inertia of the step's
 * begin, and its angular momentum there, taken for that at the end, may be any energy of a slender body. */
static void keep_turning_energy(dry_articulated_body *body)
{
    const double before = turning_energy(body, &body->begin), after = turning_energy(body, &body->end);
    const dry_double3 none = {0};
    if (after > 0.0 && before < INFINITY)
        body->end.spin = double3_add_scaled(none, sqrt(before / after), body->end.spin);
}

/* Joints that were closed and end open by more than this, m or rad, are torn: the motion of a step led where
 * no search finds back. */
#define TORN 1e-4
/* No smaller part of the way is tried, but none. */
#define LEAST_PART 0.01

/* Reads the motion that sweeps have found, or a share of it: of velocities as of displacements. */
static void read_motion(const dry_linkage *l, double share)
{
    const dry_double3 none = {0};
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_articulated_body *body = &l->body[b];
        if (!body->moves)
            continue;
        read_valid_row(l->step, body);
        if (share == 1.0)
            continue;
        body->moved = double3_add_scaled(none, share, body->moved);
        body->turned = double3_add_scaled(none, share, body->turned);
        body->begin.velocity = double3_add_scaled(none, share, body->begin.velocity);
        body->begin.spin = double3_add_scaled(none, share, body->begin.spin);
    }
    dry_linkage_move(l);
}

/* Makes the rows and the factor of where bodies are. */
static void make_rows_anew(const dry_linkage *l)
{
    dry_linkage_find_rows(l, DRY_IN_SWEEPS);
    dry_linkage_factor(l);
}

/* Closes joints where bodies went this part of the way that sweeps led them. Returns the largest error. */
static double close_at(const dry_linkage *l, double share)
{
    read_motion(l, share);
    if (share != 1.0)
        make_rows_anew(l);
    const double asked = close_joints(l, false);
    if (l->articulation->error > OPEN) { /* boxes bent a straight bridge: its rows are others now */
        make_rows_anew(l);
        close_joints(l, false);
    }
    l->articulation->stuck = is_stuck(l, asked);
    return l->articulation->error;
}

/* Closes joints where sweeps led their bodies. If that tears joints, bodies go a part of the way; all of it
 * if bodies that no impulse moves tear them. */
static void close_on_the_way(const dry_linkage *l)
{
    const double most = fmax(TORN, 2.0 * l->articulation->error_begin);
    for (double share = 1.0; share > LEAST_PART; share *= 0.5)
        if (close_at(l, share) <= most)
            return;
    if (close_at(l, 0.0) <= most)
        return;
    read_motion(l, 1.0);
    make_rows_anew(l);
    close_at(l, 1.0);
}

/* Closes joints and brings bodies back to the stops that they have passed, in turns. Bodies may have turned
 * far since the last substep began: rows are made anew, once, if a round gains little. */
static void hold_stops(const dry_linkage *l)
{
    double least = INFINITY;
    bool anew = false;
    for (int i = 0; i < STOP_ROUNDS; i++) {
        double beyond = dry_stops_find(l);
        if (beyond > CLOSED && !(beyond < SLOW * least) && !anew) {
            anew = true;
            make_rows_anew(l);
            beyond = dry_stops_find(l);
            least = INFINITY;
        }
        if (!(beyond > CLOSED) || !(beyond < VAIN * least))
            return;
        least = beyond;
        dry_stops_move_back(l);
        close_joints(l, false);
    }
}

/* Closes the joints of an articulation after the sweeps of a step. Sweeps have found the velocities, with
 * contacts and motors: poses alone are corrected [Tomcin 7]. Velocities that were corrected without contacts
 * would move what contacts hold. */
static void correct_shared(const dry_linkage *l)
{
    if (l->springs > 0) /* the last rows have the springs of sweeps in their factor */
        dry_springs_factor(l, DRY_SPRINGS_REST);
    close_on_the_way(l);
    hold_stops(l);
    unite_parts(l);
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        if (l->body[b].moves)
            keep_turning_energy(&l->body[b]);
    dry_linkage_find_rows(l, DRY_AT_END);
}

/* Finds the joint with the largest error of the locked rows where the step ends. */
static void find_gap(const dry_linkage *l)
{
    l->articulation->gap = 0.0;
    l->articulation->open = -1;
    for (int j = 0; j < l->joints; j++)
        for (int i = 0; i < dry_linkage_locked(&l->joint[j]) && l->joint[j].joint >= 0; i++) {
            const double error = fabs(l->row[l->joint[j].row - l->articulation->row_begin + i].error);
            if (error > l->articulation->gap) {
                l->articulation->gap = error;
                l->articulation->open = l->joint[j].joint;
            }
        }
}

/* Joints that a step among contacts opens by more than this, m or rad, ask for more substeps. */
#define OPENS 1e-6
/* Open joints ask for so many at most. */
enum { SUBSTEPS_OPEN = 64 };
/* While joints are open and do not open further, they ask for this share of the square of those in the step
 * before. */
#define SETTLING 0.9

/* Returns the square of the rate of substeps that open joints ask for, 1/s^2. A straight chain between two
 * walls moves freely within a substep, and bends by the square of its length. */
static double find_opening(const dry_linkage *l, int substeps)
{
    const dry_articulation *a = l->articulation;
    if (a->stuck || !(a->gap > OPENS))
        return 0.0;
    const double most = (double)SUBSTEPS_OPEN / (double)l->step->dt;
    if (a->gap > a->error_begin + OPENS) {
        const double rate = fmin(2.0 * (double)substeps / (double)l->step->dt, most);
        return rate * rate;
    }
    return SETTLING * fmin(dry_linkage_last_vibration(l), most * most);
}

/* Returns the square of the rate of substeps, 1/s^2, by which a step begins with a share of those that the
 * one before took. */
static double find_kept_rate(const dry_linkage *l, int substeps)
{
    const double rate = (SUBSTEPS_KEPT * (double)substeps - 0.5) / (double)l->step->dt;
    return substeps > 1 ? rate * rate : 0.0;
}

/* Finds the vibration for the next step, unless one substep follows it. Where sweeps find the impulses, those
 * are the last substep's. Substeps are those of the step, which an articulation alone may have made anew. */
static void find_vibration(const dry_linkage *l, bool alone, int substeps)
{
    const bool freely = alone || l->articulation->driven;
    const double dt = (double)l->step->dt, followed = freely ? 1.0 : DRY_VIBRATION_SWEPT;
    const double rate = followed * DRY_VIBRATION_FOLLOWED / dt;
    l->articulation->vibration =
        dry_linkage_vibration(l, alone ? dt : dt / (double)substeps, rate * rate) / (followed * followed);
    const double asked = alone ? find_kept_rate(l, substeps) : find_opening(l, substeps);
    l->articulation->vibration = fmax(l->articulation->vibration, asked);
}

static void correct_many(void *context, int begin, int end, int worker)
{
    (void)worker;
    dry_solver_step *step = context;
    for (int i = begin; i < end; i++) {
        const bool alone = dry_articulation_is_alone(step, i);
        int substeps = dry_articulation_range(step, i)->substeps;
        const dry_linkage l = dry_linkage_of(step, i, (double)step->dt / (alone ? (double)substeps : 1.0));
        l.articulation->corrections = l.articulation->iterations = l.articulation->iterations_max = 0;
        if (alone)
            substeps = move_alone(l, substeps);
        else
            correct_shared(&l);
        find_gap(&l);
        find_vibration(&l, alone, substeps);
    }
}

void dry_articulations_correct(dry_solver_step *step)
{
    dry_articulations_for(step, correct_many, step);
}

dry_articulation_statistics dry_articulations_count(const dry_articulations *a)
{
    dry_articulation_statistics s = {.count = a->count};
    for (int i = 0; i < a->count; i++) {
        const dry_articulation *articulation = &a->articulation[i];
        const dry_articulation_factor *f = &a->factors[articulation->factor];
        for (int k = articulation->link_begin; k < articulation->link_end; k++)
            s.joints += a->link[k].joint >= 0;
        s.rows += articulation->row_end - articulation->row_begin;
        s.redundant_rows += f->redundant;
        s.raised_pivots += f->raised;
        s.nonzeros += (uint64_t)f->factor.counts.l_nonzeros;
        s.corrections += (uint64_t)articulation->corrections;
        s.iterations += (uint64_t)articulation->iterations;
        s.iterations_max = dry_max_int(s.iterations_max, articulation->iterations_max);
    }
    return s;
}

static dry_vec3 rounded(dry_double3 v)
{
    return vec3((float)v.x, (float)v.y, (float)v.z);
}

static void store_joint(const dry_solver_step *step, const dry_articulated_joint *joint, float substep)
{
    const dry_articulated_body *b = &step->state->articulations.body[joint->body[1]];
    const dry_vec3 anchor = step->joints->joint[joint->joint].anchor_b;
    const dry_double3 arm = rotation_apply(b->end.orientation, double3_of(anchor));
    const dry_double3 moment = double3_add_scaled(joint->moment, -1.0, double3_cross(arm, joint->impulse));
    const float none[DRY_BLOCK_ROWS] = {0};
    dry_joint_store_rows(step, joint->joint, rounded(moment), none);
    dry_joint_store(step, joint->joint, rounded(joint->impulse), substep, 0.0f);
    if (joint->springs > 0)
        dry_springs_store(step, joint);
}

void dry_articulations_store(const dry_solver_step *step)
{
    const dry_articulations *a = &step->state->articulations;
    for (int i = 0; i < a->count; i++) {
        const dry_articulation *articulation = &a->articulation[i];
        /* Sweeps carry impulses on from substep to substep; what they add up to is the last one's. */
        const int substeps =
            dry_articulation_is_alone(step, i) ? 1 : dry_articulation_range(step, i)->substeps;
        for (int j = articulation->joint_begin; j < articulation->joint_end; j++)
            if (a->joint[j].joint >= 0) {
                store_joint(step, &a->joint[j], step->dt / (float)substeps);
                step->joints->direct[a->joint[j].joint].vibration = (float)articulation->vibration;
            }
    }
}
