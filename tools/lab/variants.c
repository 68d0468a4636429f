/* Methods and trials (variants.h). */
#include "tools/lab/variants.h"

#include "tools/lab/bodies.h"

#include <math.h>
#include <time.h>

const lab_variant lab_variants[LAB_VARIANTS] = {
    {"Gauss-Seidel", DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE, DRY_ORDER_COLOR, 1.0f},
    {"Gauss-Seidel, direct joints", DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_DIRECT, DRY_ORDER_COLOR, 1.0f},
    {"Jacobi", DRY_SOLVER_JACOBI, DRY_JOINT_SOLVER_ITERATIVE, DRY_ORDER_COLOR, 1.0f},
    {"PBD", DRY_SOLVER_PBD, DRY_JOINT_SOLVER_ITERATIVE, DRY_ORDER_COLOR, 1.0f},
    {"XPBD", DRY_SOLVER_XPBD, DRY_JOINT_SOLVER_ITERATIVE, DRY_ORDER_COLOR, 1.0f},
    {"AVBD", DRY_SOLVER_AVBD, DRY_JOINT_SOLVER_ITERATIVE, DRY_ORDER_COLOR, 1.0f},
    {"Gauss-Seidel, layers up", DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE, DRY_ORDER_LAYERS_UP,
     1.0f},
    {"Gauss-Seidel forward, relaxed by 1.3", DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE,
     DRY_ORDER_FORWARD, 1.3f},
};

void lab_variant_apply(const lab_variant *v, dry_settings *settings)
{
    settings->method.solver = v->solver;
    settings->joint_solver = v->joints;
    settings->method.order = v->order;
    settings->method.relaxation = v->relaxation;
}

/* Room for what a look reads. */
typedef struct watch {
    const lab_trial *trial;
    dry_position *start;
    dry_contact *contacts;
    dry_joint_id *joints;
    int contact_room, joint_room;
} watch;

/* Returns the largest overlap or opening of the present state. */
static double opening_of(lab_run *run, watch *w)
{
    const lab_trial *t = w->trial;
    double worst = 0.0;
    int count = dry_world_get_contacts(t->world, NULL, 0);
    if (count > w->contact_room) {
        w->contact_room = 2 * count;
        w->contacts = lab_take(run, (size_t)w->contact_room, sizeof *w->contacts);
    }
    dry_world_get_contacts(t->world, w->contacts, count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < w->contacts[i].point_count; k++)
            worst = fmax(worst, -(double)w->contacts[i].points[k].separation);
    for (int i = 0; i < t->bodies && w->joint_room > 1; i++) {
        lab_check(run, dry_body_get_joints(t->world, t->ids[i], w->joints, w->joint_room, &count));
        for (int k = 0; k < count; k++) {
            float gap, angle;
            lab_check(run, dry_joint_get_error(t->world, w->joints[k], &gap, &angle));
            worst = fmax(worst, (double)gap);
        }
    }
    return worst;
}

static double length_of(double x, double y, double z)
{
    return sqrt(x * x + y * y + z * z);
}

static void look(lab_run *run, watch *w, lab_outcome *o)
{
    const lab_trial *t = w->trial;
    o->opening = fmax(o->opening, opening_of(run, w));
    o->speed = 0.0;
    o->substeps = 0;
    for (int i = 0; i < t->bodies; i++) {
        const dry_position at = lab_position(run, t->world, t->ids[i]), from = w->start[i];
        dry_velocity v;
        lab_check(run, dry_body_get_velocity(t->world, t->ids[i], &v));
        const int tier = dry_body_tier(t->world, t->ids[i]);
        o->substeps =
            tier >= 0 && dry_tier_substeps(tier) > o->substeps ? dry_tier_substeps(tier) : o->substeps;
        o->moved = fmax(o->moved, length_of(at.x - from.x, at.y - from.y, at.z - from.z));
        o->sideways = fmax(o->sideways, length_of(at.x - from.x, 0.0, at.z - from.z));
        o->speed = fmax(o->speed, length_of((double)v.linear.x, (double)v.linear.y, (double)v.linear.z));
    }
}

lab_outcome lab_watch(lab_run *run, const lab_trial *trial)
{
    lab_outcome o = {0};
    watch w = {.trial = trial, .joint_room = dry_world_statistics(trial->world).joints + 1};
    w.joints = lab_take(run, (size_t)w.joint_room, sizeof *w.joints);
    w.start = lab_take(run, (size_t)trial->bodies, sizeof *w.start);
    for (int i = 0; i < trial->bodies; i++)
        w.start[i] = lab_position(run, trial->world, trial->ids[i]);
    const int half = trial->steps / 2;
    clock_t spent = 0; /* processor time: others may use the machine */
    for (int step = 1; step <= trial->steps; step++) {
        const clock_t begin = clock();
        lab_check(run, dry_world_step(trial->world, trial->dt));
        if (dry_world_statistics(trial->world).quarantined_bodies > 0)
            return (lab_outcome){INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, 0, false};
        if (step <= half)
            continue;
        spent += clock() - begin;
        if (step % trial->every == 0 || step == trial->steps)
            look(run, &w, &o);
    }
    o.time_ms = 1e3 * (double)spent / CLOCKS_PER_SEC / (trial->steps - half);
    return o;
}

lab_outcome lab_refused(void)
{
    return (lab_outcome){NAN, NAN, NAN, NAN, NAN, 0, true};
}
