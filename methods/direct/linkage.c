/* One articulation at work: its bodies, and their motion in a substep. Reads poses, velocities, masses;
 * writes the articulation's bodies. Next: linkage_rows.c. */
#include "methods/direct/linkage.h"

#include "core/assert.h"
#include "core/rotation.h"
#include "methods/direct/articulations.h"
#include "methods/direct/stream.h"
#include "solver/bodies/whitening.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"

dry_linkage dry_linkage_of(dry_solver_step *step, int index, double h)
{
    dry_articulations *a = &step->state->articulations;
    dry_articulation *articulation = &a->articulation[index];
    const int rows = articulation->row_end - articulation->row_begin;
    DRY_ASSERT(index >= 0 && index < a->count && articulation->factor >= 0 && rows <= a->row_count);
    double *values = a->values + (int64_t)DRY_ROW_VALUES * articulation->row_begin;
    return (dry_linkage){
        .step = step,
        .articulation = articulation,
        .body = a->body,
        .joint = a->joint + articulation->joint_begin,
        .row = a->row + articulation->row_begin,
        .swings = a->swings + articulation->row_begin,
        .spring = a->spring,
        .hash = a->hash + articulation->joint_begin,
        .vibrating = a->vibrating,
        .x = values,
        .impulses = values + rows,
        .offset = values + 2 * (int64_t)rows,
        .acceleration = values + 3 * (int64_t)rows,
        .carried = values + 4 * (int64_t)rows,
        .factor = &a->factors[articulation->factor],
        .jobs = a->shared ? step->jobs : NULL,
        .index = index,
        .joints = articulation->joint_end - articulation->joint_begin,
        .rows = rows,
        .springs = articulation->spring_end - articulation->spring_begin,
        .h = h,
    };
}

/* Tells whether workers share an articulation: by itself it would keep one busy longer than the others. */
static bool is_shared(const dry_solver_step *step, int index)
{
    const dry_articulations *a = &step->state->articulations;
    const dry_articulation *articulation = &a->articulation[index];
    const int64_t rows = articulation->row_end - articulation->row_begin;
    return a->factors[articulation->factor].factor.tasks > 1 &&
           rows * dry_jobs_workers(step->jobs) > a->row_count;
}

typedef struct articulations_run {
    const dry_solver_step *step;
    dry_jobs_run *run;
    void *context;
} articulations_run;

static void run_alone(void *context, dry_items items)
{
    const articulations_run *r = context;
    for (int i = items.begin; i < items.end; i++)
        if (!is_shared(r->step, i))
            r->run(r->context, (dry_items){i, i + 1, items.worker});
}

void dry_articulations_for(dry_solver_step *step, dry_jobs_run *run, void *context)
{
    dry_articulations *a = &step->state->articulations;
    articulations_run r = {step, run, context};
    DRY_ASSERT(!a->shared);
    dry_jobs_for(step->jobs, a->count, 1, run_alone, &r);
    a->shared = true;
    for (int i = 0; i < a->count; i++)
        if (is_shared(step, i))
            run(context, (dry_items){i, i + 1, 0});
    a->shared = false;
}

static dry_double3 scaled(dry_double3 v, double s)
{
    return (dry_double3){s * v.x, s * v.y, s * v.z};
}

static double inverse_mass_of(const dry_bodies *bodies, const dry_articulated_body *body)
{
    const bool locked = (bodies->properties[body->row].locks & DRY_LOCKS_LINEAR) == DRY_LOCKS_LINEAR;
    return locked ? 0.0 : (double)body->parts * (double)bodies->mass[body->row].inverse_mass;
}

static dry_double3 inverse_inertia_of(const dry_bodies *bodies, const dry_articulated_body *body)
{
    if ((bodies->properties[body->row].locks & DRY_LOCKS_ANGULAR) == DRY_LOCKS_ANGULAR)
        return (dry_double3){0};
    return scaled(double3_of(bodies->mass[body->row].inverse_inertia), (double)body->parts);
}

static void begin_body(const dry_linkage *l, dry_articulated_body *body)
{
    const dry_bodies *bodies = l->step->bodies;
    const int row = body->row;
    DRY_ASSERT(row >= 0 && row < bodies->awake_count && body->parts > 0);
    const dry_body_properties *p = &bodies->properties[row];
    body->begin = dry_bodies_precise_motion(bodies, row);
    const double dt = (double)l->step->dt;
    body->begin.velocity = scaled(body->begin.velocity, 1.0 / (1.0 + dt * (double)p->linear_damping));
    body->begin.spin = scaled(body->begin.spin, 1.0 / (1.0 + dt * (double)p->angular_damping));
    body->inverse_mass = inverse_mass_of(bodies, body);
    body->inverse_inertia = inverse_inertia_of(bodies, body);
    if (l->step->state->bodies.invalid[row])
        body->begin.velocity = body->begin.spin = (dry_double3){0};
    body->end = body->begin;
}

void dry_linkage_begin(const dry_linkage *l)
{
    l->articulation->fine = l->articulation->heavy = false;
    for (int j = 0; j < l->joints; j++) {
        dry_articulated_joint *joint = &l->joint[j];
        joint->impulse = joint->moment = joint->earlier_impulse = joint->earlier_moment = (dry_double3){0};
        for (int side = 0; side < 2; side++) {
            dry_articulated_body *body = &l->body[joint->body[side]];
            body->moved = body->turned = (dry_double3){0};
            if (body->moves) {
                begin_body(l, body);
                continue;
            }
            body->begin = (dry_precise_motion){.orientation = {0.0, 0.0, 0.0, 1.0}};
            const dry_joints *joints = l->step->joints;
            if (joint->joint >= 0)
                body->begin = dry_precise_of(dry_side_motion_of(
                    l->step->bodies, dry_joint_body(joints, joint->joint, side), &joints->def[joint->joint]));
            body->end = body->begin;
        }
    }
}

/* Returns where a body's orientation is led. A body whose moments of inertia differ turns freely with the
 * momentum of its mean velocity: the same map forth and back, and so without gain. */
static dry_rotation turned(const dry_linkage *l, const dry_articulated_body *body)
{
    const dry_double3 inverse = body->inverse_inertia;
    dry_rotation q = body->begin.orientation;
    const bool round = (inverse.x == inverse.y && inverse.y == inverse.z) || !(inverse.x > 0.0) ||
                       !(inverse.y > 0.0) || !(inverse.z > 0.0);
    /* Without time there is no velocity: joints that are closed at once only turn bodies. */
    if (round || !body->moves || !(l->h > 0.0))
        return rotation_normalize(rotation_mul(rotation_from_vector(body->turned), q));
    const dry_double3 inertia = {1.0 / inverse.x, 1.0 / inverse.y, 1.0 / inverse.z};
    const dry_double3 momentum = rotation_scale_principal(q, inertia, scaled(body->turned, 1.0 / l->h));
    const int parts = gyro_parts(sqrt(double3_dot(body->turned, body->turned)));
    for (int i = 0; i < parts; i++)
        q = gyro_move_freely(q, momentum, inverse, l->h / (double)parts);
    return q;
}

/* Lets a body end with the angular momentum that it has where the substep begins. */
static void keep_momentum(dry_articulated_body *body)
{
    const dry_double3 inverse = body->inverse_inertia;
    if (!body->moves || !(inverse.x > 0.0 && inverse.y > 0.0 && inverse.z > 0.0))
        return;
    const dry_double3 inertia = {1.0 / inverse.x, 1.0 / inverse.y, 1.0 / inverse.z};
    const dry_double3 momentum = rotation_scale_principal(body->begin.orientation, inertia, body->begin.spin);
    body->end.spin = rotation_scale_principal(body->end.orientation, inverse, momentum);
}

static void place_body(const dry_linkage *l, dry_articulated_body *body)
{
    if (!body->moves) {
        body->moved = scaled(body->begin.velocity, l->h);
        body->turned = scaled(body->begin.spin, l->h);
    }
    const dry_position p = body->begin.center;
    body->end = body->begin;
    body->end.center = (dry_position){p.x + body->moved.x, p.y + body->moved.y, p.z + body->moved.z};
    body->end.orientation = turned(l, body);
    keep_momentum(body);
}

void dry_articulated_shift(dry_articulated_body *body, dry_double3 moved, dry_double3 turned)
{
    const dry_position p = body->end.center;
    body->moved = double3_add_scaled(body->moved, 1.0, moved);
    body->turned = double3_add_scaled(body->turned, 1.0, turned);
    body->end.center = (dry_position){p.x + moved.x, p.y + moved.y, p.z + moved.z};
    const dry_rotation turn = rotation_from_vector(turned);
    body->end.orientation = rotation_normalize(rotation_mul(turn, body->end.orientation));
    /* Its velocity turns with it. With the angular momentum from before, a slender body would spin about its
     * length. */
    body->end.spin = rotation_apply(turn, body->end.spin);
}

void dry_stream_place(dry_stream *stream, int begin, int end)
{
    for (int b = begin; b < end; b++)
        place_body(stream->l, &stream->l->body[b]);
}

void dry_linkage_move(const dry_linkage *l)
{
    dry_stream stream = dry_stream_of(l);
    dry_stream_place(&stream, l->articulation->body_begin, l->articulation->body_end);
}

void dry_stream_advance(dry_stream *stream, int begin, int end)
{
    for (int b = begin; b < end; b++) {
        dry_articulated_body *body = &stream->l->body[b];
        body->begin = body->end;
        body->moved = body->turned = (dry_double3){0};
    }
}

void dry_linkage_advance(const dry_linkage *l)
{
    dry_stream stream = dry_stream_of(l);
    dry_stream_advance(&stream, l->articulation->body_begin, l->articulation->body_end);
}

void dry_linkage_take_masses(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        if (l->body[b].moves)
            l->body[b].inverse_mass = inverse_mass_of(l->step->bodies, &l->body[b]);
}

/* Adds to a body's moments of inertia those of its mass at an anchor. */
static void spread_inertia(dry_articulated_body *body, dry_double3 anchor)
{
    if (!body->moves || !(body->inverse_mass > 0.0))
        return;
    const double more = double3_dot(anchor, anchor) / body->inverse_mass;
    const dry_double3 i = body->inverse_inertia;
    body->inverse_inertia =
        (dry_double3){i.x / (1.0 + more * i.x), i.y / (1.0 + more * i.y), i.z / (1.0 + more * i.z)};
}

void dry_linkage_take_inertia(const dry_linkage *l, bool spread)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        if (l->body[b].moves)
            l->body[b].inverse_inertia = inverse_inertia_of(l->step->bodies, &l->body[b]);
    for (int j = 0; j < l->joints && spread; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        if (joint->joint < 0)
            continue;
        spread_inertia(&l->body[joint->body[0]], double3_of(l->step->joints->joint[joint->joint].anchor_a));
        spread_inertia(&l->body[joint->body[1]], double3_of(l->step->joints->joint[joint->joint].anchor_b));
    }
}

double dry_linkage_speed(const dry_linkage *l, const dry_articulated_joint *joint,
                         const dry_articulated_row *row, bool at_end)
{
    const dry_articulated_body *a = &l->body[joint->body[0]], *b = &l->body[joint->body[1]];
    const dry_precise_motion *of_a = at_end ? &a->end : &a->begin, *of_b = at_end ? &b->end : &b->begin;
    return double3_dot(row->linear, of_b->velocity) - double3_dot(row->linear, of_a->velocity) +
           double3_dot(row->angular[1], of_b->spin) - double3_dot(row->angular[0], of_a->spin);
}
