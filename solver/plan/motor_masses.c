/* Stage "graph": the masses that motors to a position move.
 *
 * A joint that is a bridge of the graph of joints parts it into two figures. Its motor moves one against the
 * other, each held rigid as it is now: the inner motor of an arm has the inertia of the whole arm beyond. All
 * that no impulse moves is one body of the graph. A joint of a loop is no bridge, and its motor has the mass
 * of its two bodies. One search in depth finds the bridges and sums up what lies beyond them.
 *
 * Reads joints, masses, poses, islands. Writes plan.motors. Next: difficulty.c, whose substeps follow. */
#include "solver/plan/islands.h"

#include "core/inertia.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/constraint/spook.h"
#include "solver/data/context.h"
#include "state/iterators.h"

#include <math.h>

/* Bodies that are held rigid. */
typedef struct figure {
    double mass;         /* kg */
    dry_double3 moment;  /* mass times place, from the origin of the search, kg m */
    dry_inertia inertia; /* about that origin */
    bool locked;         /* some body cannot move along or about each axis */
} figure;

/* The numbers of rows that the search has not met; what no impulse moves has 0. */
enum { UNSEEN = -2, REACHED = -1, GROUND = 0 };

/* A row in the search. */
typedef struct visit {
    dry_joint_iterator next;
    figure beyond;         /* the row and all that was found from it */
    int32_t number;        /* in the order of first visits */
    int32_t low;           /* least number that joints lead to from there */
    int32_t parent, joint; /* the row from which it was found, and by which joint; -1: none */
    int32_t root;
} visit;

typedef struct search {
    const dry_solver_step *step;
    visit *visit;   /* by row */
    int32_t *order; /* rows by their numbers; before that, those that are reached */
    int count;
} search;

/* Tells whether a joint connects two bodies. It is active, since one to a disabled body holds nothing. */
static bool connects(const dry_solver_step *step, int joint)
{
    const dry_joint *of = &step->joints->joint[joint];
    return of->active >= 0 && dry_joint_sides(of) == 2;
}

/* Returns the row on the other side of the joint that an iterator names; -1: no impulse moves it. */
static int other_row(const dry_solver_step *step, const dry_joint_iterator *it)
{
    return dry_island_row(step, dry_joint_body(step->joints, it->joint, 1 - it->side));
}

static dry_double3 place_of(const dry_solver_step *step, int row, int origin)
{
    const dry_position *at = &step->bodies->pose[row].position, *from = &step->bodies->pose[origin].position;
    return (dry_double3){at->x - from->x, at->y - from->y, at->z - from->z};
}

/* Returns one body as a figure. */
static figure figure_of(const dry_solver_step *step, int row, int origin)
{
    const dry_body_mass *mass = &step->bodies->mass[row];
    const dry_vec3 i = mass->inverse_inertia;
    figure f = {.locked = step->bodies->properties[row].locks != 0 ||
                          !(mass->inverse_mass > 0.0f && i.x > 0.0f && i.y > 0.0f && i.z > 0.0f)};
    if (f.locked)
        return f;
    const dry_double3 at = place_of(step, row, origin);
    const double moments[3] = {1.0 / (double)i.x, 1.0 / (double)i.y, 1.0 / (double)i.z};
    f.mass = 1.0 / (double)mass->inverse_mass;
    f.moment = double3_scale(at, f.mass);
    dry_inertia_add_rotated(&f.inertia, step->bodies->pose[row].orientation, moments);
    dry_inertia_add_point_mass(&f.inertia, f.mass, (const double[]){at.x, at.y, at.z});
    return f;
}

static void add_figure(figure *to, const figure *f, double sign)
{
    to->mass += sign * f->mass;
    to->moment = double3_add_scaled(to->moment, sign, f->moment);
    for (int i = 0; i < 9; i++)
        to->inertia.m[i / 3][i % 3] += sign * f->inertia.m[i / 3][i % 3];
    to->locked = to->locked || f->locked;
}

/* Lists a row that the search has not met. */
static void reach(search *s, int row)
{
    if (row < 0 || s->visit[row].number != UNSEEN)
        return;
    s->visit[row].number = REACHED;
    s->order[s->count++] = row;
}

static void begin_visit(search *s, int row, int parent, int joint, int root)
{
    const int number = GROUND + 1 + s->count++;
    s->visit[row] = (visit){.next = dry_joints_of(s->step->joints, &s->step->bodies->state[row]),
                            .beyond = figure_of(s->step, row, root),
                            .number = number,
                            .low = number,
                            .parent = parent,
                            .joint = joint,
                            .root = root};
}

/* Visits all rows that joints connect with one, which `joint` holds if it is not -1. */
static void visit_from(search *s, int root, int joint)
{
    begin_visit(s, root, -1, joint, root);
    for (int row = root; row >= 0;) {
        visit *v = &s->visit[row];
        if (dry_next_joint(&v->next)) {
            if (v->next.joint == v->joint || !connects(s->step, v->next.joint))
                continue;
            const int other = other_row(s->step, &v->next);
            const int number = other < 0 ? GROUND : s->visit[other].number;
            if (number == REACHED) {
                begin_visit(s, other, row, v->next.joint, root);
                row = other;
            } else {
                v->low = dry_min_int(v->low, number);
            }
            continue;
        }
        if (v->parent >= 0) {
            visit *p = &s->visit[v->parent];
            p->low = dry_min_int(p->low, v->low);
            add_figure(&p->beyond, &v->beyond, 1.0);
        }
        row = v->parent;
    }
}

/* A figure as one body. Zero: nothing moves it. */
typedef struct solid {
    double inverse_mass;
    dry_double3 inverse[3]; /* of the inertia about it, by columns */
    dry_double3 offset;     /* its center of mass, from that of the joint's own body */
} solid;

static solid solid_of(const dry_solver_step *step, const figure *f, int row, int origin)
{
    const dry_double3 center = double3_scale(f->moment, 1.0 / f->mass);
    dry_inertia about = f->inertia;
    dry_inertia_add_point_mass(&about, -f->mass, (const double[]){center.x, center.y, center.z});
    solid s = {.inverse_mass = 1.0 / f->mass, .offset = double3_sub(center, place_of(step, row, origin))};
    (void)dry_inertia_invert(&about, s.inverse);
    return s;
}

/* Returns what a solid adds to the product of two rows. Not inlined: it would be so four times over. */
static DRY_NOINLINE double solid_product(const solid *s, const dry_joint_row *p, const dry_joint_row *q,
                                         int side)
{
    const dry_double3 u = double3_sub(side ? p->angular_b : p->angular_a,
                                      double3_cross(s->offset, p->linear)),
                      v = double3_sub(side ? q->angular_b : q->angular_a,
                                      double3_cross(s->offset, q->linear));
    return s->inverse_mass * double3_dot(p->linear, q->linear) +
           double3_dot(u, double3_from_axes(s->inverse, v));
}

/* Returns the inverse mass that two solids have along a free row, without what the joint's locked rows hold:
 * none of these is implied by the others. */
static double inverse_mass_along(const solid sides[2], const dry_joint_parts *parts, int free)
{
    const int locked = parts->locked_count;
    double a[DRY_ELIMINATION_SIDE][DRY_ELIMINATION_SIDE];
    for (int i = 0; i <= locked; i++) {
        const dry_joint_row *p = i < locked ? &parts->locked[i] : &parts->free[free];
        for (int k = 0; k <= locked; k++) {
            const dry_joint_row *q = k < locked ? &parts->locked[k] : &parts->free[free];
            a[i][k] = solid_product(&sides[0], p, q, 0) + solid_product(&sides[1], p, q, 1);
        }
    }
    dry_rows_eliminate(a, locked, locked + 1);
    return a[locked][locked];
}

/* A motor that is as stiff as substeps converge on bends by this at most under all that hangs on it, m or
 * rad. The tip of an arm of n such motors sinks by (n + 1) / 2 of it for each meter: of eight by 1.1 %. */
#define BEND 0.0025
/* Such a motor has this frequency times the substep on its two bodies, in rotations. */
#define DRIVEN_ANGLE (DRY_DRIVE_SHARE * DRY_HERTZ_PER_SUBSTEP_RATE)

/* Returns the force or moment that the weight of all beyond a row's joint has along a free row. */
static double weight_along(const search *s, int row, const dry_joint_row *free,
                           const dry_joint_frames *frames)
{
    const visit *v = &s->visit[row];
    const dry_double3 weight = double3_scale(double3_of(s->step->settings->gravity), v->beyond.mass);
    if (!dry_joint_row_turns(free))
        return double3_dot(free->linear, weight);
    const int side = dry_island_row(s->step, s->step->joints->joint[v->joint].body_b) == row;
    const dry_double3 center = double3_scale(v->beyond.moment, 1.0 / v->beyond.mass);
    const dry_double3 joint =
        double3_add(place_of(s->step, row, v->root), side ? frames->b.arm : frames->a.arm);
    return double3_dot(free->angular_b, double3_cross(double3_sub(center, joint), weight));
}

/* Finds the masses of a joint's motors, from the row that was found by it. */
static void find_masses(const search *s, int row)
{
    const visit *v = &s->visit[row], *root = &s->visit[v->root];
    const dry_solver_step *step = s->step;
    const dry_joint *joint = &step->joints->joint[v->joint];
    const dry_joint_def *def = &step->joints->def[v->joint];
    const int side = dry_island_row(step, joint->body_b) == row;
    solid whole[2] = {{0}}, alone[2] = {{0}};
    figure rest = root->beyond;
    add_figure(&rest, &v->beyond, -1.0);
    if (v->beyond.locked || (root->joint < 0 && rest.locked))
        return;
    const figure own = figure_of(step, row, v->root);
    whole[side] = solid_of(step, &v->beyond, row, v->root);
    alone[side] = solid_of(step, &own, row, v->root);
    if (v->parent >= 0) {
        const figure other = figure_of(step, v->parent, v->root);
        if (root->joint < 0)
            whole[1 - side] = solid_of(step, &rest, v->parent, v->root);
        if (!other.locked)
            alone[1 - side] = solid_of(step, &other, v->parent, v->root);
    }
    const dry_joint_frames frames = dry_joint_frames_now(step->bodies, joint, def);
    dry_joint_parts parts;
    dry_joint_find_parts(def, &frames, &parts);
    dry_motor_masses *masses = &step->state->plan.motors[joint->active];
    for (int i = 0; i < parts.free_count; i++) {
        const double inverse = dry_joint_aims(&parts.acts[i]) ? inverse_mass_along(whole, &parts, i) : 0.0;
        if (!(inverse > 0.0))
            continue;
        const double hertz = (double)parts.acts[i].motor_hertz, both = inverse_mass_along(alone, &parts, i);
        /* On the two bodies alone it is as much faster as these are lighter. */
        const double w = 6.283185307179586 * hertz * sqrt(both / inverse);
        const double least = sqrt(fabs(weight_along(s, row, &parts.free[i], &frames)) * both / BEND);
        masses->mass[parts.coordinate[i]] = (float)(1.0 / inverse);
        masses->rate = dry_max(masses->rate, (float)w / DRY_SPRING_ANGLE);
        if (hertz == 0.0)
            masses->rate = dry_max(masses->rate, (float)least / (6.2831853f * DRIVEN_ANGLE));
    }
}

/* A motor that begins to move is half a substep ahead of its closed form. With frequency w and damping ratio
 * z it moves by less than w / (1 + z) of its way in a second, so that this keeps it within LAG / 2 of its
 * way; with 20 Hz and a ratio of 0.2 it is within a third of that. */
#define LAG 0.1f

/* Returns what is known of a joint's motors without those that hang on it. */
static dry_motor_masses masses_alone(const dry_joint_def *def)
{
    dry_motor_masses masses = {0};
    for (int i = 0; i < DRY_AXIS_COUNT; i++) {
        const dry_joint_axis *axis = &def->axes[i];
        const float w = 6.2831853f * axis->motor_hertz;
        masses.rate = dry_max(masses.rate, w / ((1.0f + axis->motor_damping_ratio) * LAG));
    }
    return masses;
}

bool dry_find_motor_masses(dry_solver_step *step, dry_memory *memory, dry_scratch *scratch)
{
    const dry_joints *joints = step->joints;
    dry_plan *plan = &step->state->plan;
    const size_t rows = (size_t)step->bodies->awake_count;
    if (joints->servo_count == 0)
        return true;
    if (!DRY_RESERVE(memory, plan->motors, plan->motors_capacity, joints->active_count) ||
        !dry_scratch_reserve(scratch, memory,
                             dry_scratch_bytes(rows, sizeof(visit)) +
                                 dry_scratch_bytes(rows, sizeof(int32_t))))
        return false;
    const size_t mark = scratch->used;
    search s = {.step = step,
                .visit = DRY_SCRATCH_TAKE(scratch, visit, rows),
                .order = DRY_SCRATCH_TAKE(scratch, int32_t, rows)};
    for (size_t row = 0; row < rows; row++)
        s.visit[row].number = UNSEEN;
    for (int i = 0; i < joints->active_count; i++) {
        const dry_joint *joint = &joints->joint[joints->active[i]];
        if (!(joint->flags & DRY_JOINT_SERVO))
            continue;
        plan->motors[i] = masses_alone(&joints->def[joints->active[i]]);
        reach(&s, dry_island_row(step, joint->body_a));
        reach(&s, dry_island_row(step, joint->body_b));
    }
    for (int i = 0; i < s.count; i++) { /* and all that joints connect with those */
        const dry_body_state *state = &step->bodies->state[s.order[i]];
        for (dry_joint_iterator it = dry_joints_of(joints, state); dry_next_joint(&it);)
            if (connects(step, it.joint))
                reach(&s, other_row(step, &it));
    }
    const int reached = s.count;
    s.count = 0;
    for (int i = 0; i < reached; i++) {
        const dry_body_state *state = &step->bodies->state[s.order[i]];
        for (dry_joint_iterator it = dry_joints_of(joints, state); dry_next_joint(&it);)
            if (connects(step, it.joint) && other_row(step, &it) < 0 && s.visit[s.order[i]].number == REACHED)
                visit_from(&s, s.order[i], it.joint);
    }
    for (int i = 0; i < reached; i++)
        if (s.visit[s.order[i]].number == REACHED)
            visit_from(&s, s.order[i], -1);
    for (int i = 0; i < reached; i++) {
        const visit *v = &s.visit[s.order[i]];
        if (v->joint >= 0 && v->low == v->number && (joints->joint[v->joint].flags & DRY_JOINT_SERVO))
            find_masses(&s, s.order[i]);
    }
    dry_scratch_give_back(scratch, mark);
    return true;
}

const dry_motor_masses *dry_motor_masses_of(const dry_solver_step *step, int joint)
{
    const dry_joint *of = &step->joints->joint[joint];
    return of->flags & DRY_JOINT_SERVO ? &step->state->plan.motors[of->active] : NULL;
}
