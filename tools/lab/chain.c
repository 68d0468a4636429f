/* Chains in worlds (chain.h). */
#include "tools/lab/chain.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

lab_chain lab_chain_of(int count, double mass, double heavy)
{
    /* Joints as stiff as sweeps solve beside others, with so much damping that [Spook 11]'s eps is below 1e-6
     * of the diagonal. The stiffness is below (2 pi 0.19 / h)^2 of a row's mass. */
    lab_chain chain = {.count = count, .stiffness = 2000.0 * mass, .damping = 1e9, .step = 0.01};
    for (int i = 0; i < count; i++)
        chain.mass[i] = i == 0 || i == count - 1 ? heavy : mass;
    return chain;
}

void lab_chain_slowest(lab_chain *chain)
{
    /* Body i gets the opposite of what the impulses i - 1 and i would give. */
    for (int i = 0; i < chain->count; i++)
        chain->speed[i] = (sin((i + 1) * pi / chain->count) - sin(i * pi / chain->count)) / chain->mass[i];
}

dry_world *lab_chain_world(lab_run *run, const lab_chain *chain, const dry_settings *settings)
{
    dry_world *world = lab_world(run, settings);
    dry_body_id id[LAB_CHAIN_MAX];
    dry_shape_def ball = dry_default_shape_def();
    ball.type = DRY_SHAPE_SPHERE;
    ball.radius = 0.1f;
    for (int i = 0; i < chain->count; i++) {
        dry_body_def def = dry_default_body_def();
        def.type = DRY_BODY_DYNAMIC;
        def.shapes = &ball;
        def.shape_count = 1;
        def.mass = (float)chain->mass[i];
        def.pose.position.x = i;
        def.velocity.linear.x = (float)chain->speed[i];
        lab_check(run, dry_world_create_body(world, &def, &id[i]));
    }
    for (int i = 0; i + 1 < chain->count; i++) {
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
        def.body_a = id[i];
        def.body_b = id[i + 1];
        def.stiffness = (float)chain->stiffness;
        def.damping = (float)(chain->damping * chain->stiffness * chain->step);
        lab_check(run, dry_world_create_joint(world, &def, &(dry_joint_id){0}));
    }
    return world;
}

lab_problem lab_chain_problem(lab_run *run, const lab_chain *chain, lab_system *system)
{
    const dry_settings settings = lab_settings(1);
    *system = lab_system_of(run, lab_chain_world(run, chain, &settings));
    const lab_spook spook = lab_spook_of(chain->stiffness, chain->damping, chain->step);
    return lab_system_problem(run, system, &spook, settings.gravity, chain->step);
}

int *lab_chain_colors(lab_run *run, int n)
{
    int *order = lab_take(run, (size_t)n, sizeof *order), at = 0;
    for (int parity = 0; parity < 2; parity++)
        for (int i = parity; i < n; i += 2)
            order[at++] = i;
    return order;
}

void lab_chain_engine(lab_run *run, const lab_chain *chain, dry_settings settings, int count, double *lengths,
                      double *impulses)
{
    lab_system system;
    const lab_problem p = lab_chain_problem(run, chain, &system);
    double *x = lab_doubles(run, p.n), *r = lab_doubles(run, p.n);
    const bool adaptive = settings.method.relaxation_adaptive;
    lengths[0] = lab_residual(&p, x, r);
    for (int k = 1; k <= count; k++) {
        settings.sweeps = k;
        settings.method.relaxation_adaptive = adaptive && k > 1; /* there are two to compare */
        dry_world *world = lab_chain_world(run, chain, &settings);
        lab_check(run, dry_world_step(world, (float)chain->step));
        lab_system_impulses(run, &system, world, x);
        lengths[k] = lab_residual(&p, x, r);
        for (int i = 0; impulses && i < p.n; i++)
            impulses[k * p.n + i] = x[i];
    }
}

lab_problem lab_chain_blocks(lab_run *run, const lab_chain *chain, double s)
{
    const int n = chain->count;
    lab_problem p = lab_problem_of(run, n);
    for (int i = 0; i < n; i++) {
        const int neighbors = (i > 0) + (i + 1 < n);
        p.a[i * n + i] = chain->mass[i] + s * neighbors;
        if (i > 0)
            p.a[i * n + i - 1] = p.a[(i - 1) * n + i] = -s;
    }
    return p;
}
