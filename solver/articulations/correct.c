/* Stage "impacts", last part: the joint correction and the velocity correction of articulations [Tomcin 3].
 *
 * Predicted poses are corrected by impulses where the step began, until all joints are closed where it ends:
 * Newton's method with the one factor of the step. Then velocities are corrected where it ends. With half of
 * each substep's forces before and half after, that is RATTLE, the Velocity-Verlet method of constrained
 * motion: it is its own reverse, and keeps energy over any time.
 *
 * Articulations that nothing else acts on do all of this in double, in substeps of their own. The others
 * start from the solver's rows; where contacts touch, poses are corrected without velocities [Tomcin 7].
 *
 * Reads rows, articulations; writes articulations, from which finalize takes the bodies' motion. Next:
 * store.c. */
#include "solver/articulations/articulation_rows.h"
#include "solver/articulations/linkage.h"
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

/* Gives bodies a share of the last solve's impulses where the substep began: to their displacements, and to
 * their velocities. */
static void take_impulses(const dry_linkage *l, double time, double share, bool velocities)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_articulated_body *body = &l->body[b];
        if (!body->moves)
            continue;
        const dry_double3 swing = dry_articulated_swing(body, body->begin.orientation, body->angular_impulse);
        body->moved = double3_add_scaled(body->moved, share * time * body->inverse_mass, body->impulse);
        body->turned = double3_add_scaled(body->turned, share * time, swing);
        if (velocities) {
            body->begin.velocity =
                double3_add_scaled(body->begin.velocity, share * body->inverse_mass, body->impulse);
            body->begin.spin = double3_add_scaled(body->begin.spin, share, swing);
        }
    }
    dry_linkage_move(l);
}

/* The joint correction: A p = -c / h [Tomcin 3], again and again. Without velocities only poses change. An
 * iteration that would open the joints further is shortened: near poses that no motion can reach, Newton's
 * method leads anywhere. */
static void close_joints(const dry_linkage *l, bool velocities)
{
    const double time = velocities ? l->h : 1.0;
    search s = begin_search();
    double error = dry_linkage_find_errors(l);
    while (goes_on(&s, error)) {
        scale(l, -1.0 / time);
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
                l->x[i] = -dry_linkage_speed(l, joint, &l->row[i], true);
                largest = dry_larger(largest, fabs(l->x[i]));
            }
        }
        if (!goes_on(&s, largest))
            return;
        dry_linkage_solve(l);
        dry_linkage_count_impulses(l, 1.0);
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

/* Returns the largest error of the present rows. */
static double largest_error(const dry_linkage *l)
{
    double largest = 0.0;
    for (int i = 0; i < l->rows; i++)
        largest = dry_larger(largest, fabs(l->row[i].error));
    return largest;
}

/* Closes joints that are open when a step begins, without changing velocities. What no motion can close
 * stays. */
static void settle(const dry_linkage *l)
{
    const bool stays = dry_linkage_find_offsets(l, l->h);
    if (!(largest_error(l) > OPEN))
        return;
    dry_linkage at_once = *l;
    at_once.h = 0.0;
    dry_linkage_move(&at_once);
    close_joints(&at_once, false);
    dry_linkage_advance(&at_once);
    dry_linkage_find_rows(l, DRY_AT_BEGIN);
    dry_linkage_factor(l);
    for (int i = 0; i < l->rows; i++)
        l->row[i].offset = stays || l->articulation->error > OPEN ? l->row[i].error : 0.0;
}

/* Velocity-Verlet follows a vibration while w h < 2; half of that keeps its energy. */
#define VIBRATION 1.0
/* A step that changes the energy by this share, beyond the work of forces, is made anew in more substeps. */
#define ENERGY_SHARE 0.001
enum { SUBSTEPS_MORE = 4, SUBSTEPS_TRIED = 64, SUBSTEPS_MAX = 256 };

/* Returns the substeps that the joints' forces of the last step ask for. */
static int substeps_for_forces(const dry_linkage *l)
{
    float largest = 0.0f;
    for (int j = 0; j < l->joints; j++)
        if (l->joint[j].joint >= 0)
            largest = dry_max(largest, dry_joint_vibration(l->step, l->joint[j].joint));
    const double wanted = (double)l->step->dt * sqrt((double)largest) / VIBRATION;
    return wanted < (double)SUBSTEPS_MAX ? 1 + (int)wanted : SUBSTEPS_MAX;
}

/* The kinetic energy of an articulation, and what forces have added since the step began, J. */
typedef struct energies {
    double kinetic, work;
    bool driven; /* something that no impulse moves moves it */
} energies;

static energies find_energies(const dry_linkage *l)
{
    energies e = {0};
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
        e.work += mass * (double)bodies->properties[body->row].gravity_scale * double3_dot(gravity, moved) +
                  double3_dot(double3_of(force->force), moved) / (double)body->parts;
        e.driven = e.driven || vec3_length_squared(force->torque) > 0.0f;
    }
    return e;
}

/* How a step went. */
typedef struct outcome {
    bool closed, kept; /* joints; energy */
    double allowed;    /* kinetic energy, J */
} outcome;

/* Moves an articulation by a step in substeps of `l->h`. */
static outcome try_substeps(const dry_linkage *l, int substeps)
{
    dry_linkage_begin(l);
    dry_linkage_find_rows(l, DRY_AT_BEGIN);
    bool closed = true;
    energies first = {0};
    for (int s = 0; s < substeps; s++) {
        if (s > 0)
            dry_linkage_advance(l);
        dry_linkage_factor(l);
        settle(l);
        if (s == 0)
            first = find_energies(l);
        kick(l, false);
        drift(l);
        close_joints(l, true);
        closed = closed && l->articulation->error <= OPEN;
        kick(l, true);
        dry_linkage_find_rows(l, DRY_AT_END);
        dry_linkage_factor(l);
        stop_rows(l);
    }
    const energies last = find_energies(l);
    const double allowed = first.kinetic + last.work - first.work;
    const double unit = fmax(first.kinetic, last.kinetic) + fabs(last.work);
    return (outcome){closed, fabs(last.kinetic - allowed) <= ENERGY_SHARE * unit || last.driven, allowed};
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

static void move_alone(dry_linkage l, int substeps)
{
    const double dt = (double)l.step->dt;
    dry_linkage_begin(&l);
    substeps = dry_max_int(substeps, substeps_for_forces(&l));
    for (;;) {
        l.h = dt / (double)substeps;
        const outcome o = try_substeps(&l, substeps);
        if (o.kept && o.closed)
            return;
        if (substeps >= SUBSTEPS_TRIED) {
            if (!o.kept)
                limit_energy(&l, o.allowed);
            return;
        }
        substeps = dry_min_int(SUBSTEPS_MORE * substeps, SUBSTEPS_TRIED);
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

/* Closes the joints of an articulation after the sweeps of a step. Sweeps have found the velocities, with
 * contacts and motors: poses alone are corrected [Tomcin 7]. */
static void correct_shared(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        if (l->body[b].moves)
            read_valid_row(l->step, &l->body[b]);
    dry_linkage_move(l);
    close_joints(l, false);
    dry_linkage_find_rows(l, DRY_AT_END);
    dry_linkage_factor(l);
    stop_rows(l);
}

static void correct_many(void *context, int begin, int end, int worker)
{
    (void)worker;
    dry_solver_step *step = context;
    for (int i = begin; i < end; i++) {
        const bool alone = dry_articulation_is_alone(step, i);
        const int substeps = alone ? dry_articulation_range(step, i)->substeps : 1;
        const dry_linkage l = dry_linkage_of(step, i, (double)step->dt / (double)substeps);
        if (alone)
            move_alone(l, substeps);
        else
            correct_shared(&l);
    }
}

void dry_articulations_correct(dry_solver_step *step)
{
    dry_jobs_for(step->jobs, step->state->articulations.count, 1, correct_many, step);
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
            if (a->joint[j].joint >= 0)
                store_joint(step, &a->joint[j], step->dt / (float)substeps);
    }
}
