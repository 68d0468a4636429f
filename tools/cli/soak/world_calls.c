/* The call on a whole world: settings. */
#include "tools/cli/soak/call.h"

#include <math.h>

/* Gives up a number; one that is none stays, so that the call is refused. */
static void give_up(float *number, float standard)
{
    if (isfinite(*number))
        *number = standard;
}

/* Gives up what the solver refuses (docs/methods.md). */
static void suit_solver(dry_settings *s)
{
    const dry_settings standard = dry_default_settings();
    if (s->method.solver != DRY_SOLVER_PBD && s->method.solver != DRY_SOLVER_XPBD)
        s->method.geometric_stiffness = standard.method.geometric_stiffness;
    if (s->method.solver == DRY_SOLVER_GAUSS_SEIDEL || s->method.solver == DRY_SOLVER_JACOBI)
        return;
    s->method.relaxation_adaptive = standard.method.relaxation_adaptive;
    if (s->method.solver == DRY_SOLVER_AVBD) {
        give_up(&s->method.relaxation, standard.method.relaxation);
        s->method.order = standard.method.order;
    }
    give_up(&s->method.push_factor, standard.method.push_factor);
    s->method.integrator = standard.method.integrator;
    s->method.modified_inertia = standard.method.modified_inertia;
    if (s->relax_sweeps == 0)
        s->relax_sweeps = 1;
    if (s->joint_solver == DRY_JOINT_SOLVER_DIRECT || s->method.solver == DRY_SOLVER_AVBD)
        s->joint_solver = DRY_JOINT_SOLVER_ITERATIVE;
    if (s->method.friction == DRY_FRICTION_TWO_PHASE || s->method.solver == DRY_SOLVER_AVBD)
        s->method.friction = standard.method.friction;
    if (s->method.solver != DRY_SOLVER_XPBD) {
        give_up(&s->contact_hertz, 0.0f);
        give_up(&s->contact_stiffness, 0.0f);
    }
}

static void draw_settings(soak_call *call, soak_lots *lots, const soak_model *model)
{
    (void)model;
    dry_settings *s = &call->settings;
    *s = dry_default_settings();
    s->gravity = lots_once_in(lots, 4) ? lots_vector(lots, 20.0) : s->gravity;
    s->method.solver =
        lots_once_in(lots, 2) ? (dry_solver)lots_below(lots, DRY_SOLVER_COUNT) : DRY_SOLVER_GAUSS_SEIDEL;
    s->method.friction = (dry_friction)lots_below(lots, DRY_FRICTION_COUNT);
    s->levers = (dry_levers)lots_below(lots, DRY_LEVERS_COUNT);
    s->joint_solver =
        (dry_joint_solver)(DRY_JOINT_SOLVER_ITERATIVE +
                           lots_below(lots, DRY_JOINT_SOLVER_COUNT - DRY_JOINT_SOLVER_ITERATIVE));
    s->method.joint_regularization = lots_once_in(lots, 6) ? 1e-13 : 1e-10;
    s->substeps = lots_once_in(lots, 3) ? lots_below(lots, 9) : 0;
    s->sweeps = lots_once_in(lots, 6) ? lots_below(lots, 4) : 0;
    s->relax_sweeps = lots_once_in(lots, 6) ? lots_below(lots, 4) : 1;
    s->warm_start = !lots_once_in(lots, 10);
    s->contact_hertz = lots_once_in(lots, 6) ? lots_number(lots, 0.0, 100.0) : 0.0f;
    s->contact_stiffness = lots_once_in(lots, 10) ? lots_number(lots, 1e4, 1e8) : 0.0f;
    if (s->contact_hertz == 0.0f && s->contact_stiffness == 0.0f && lots_once_in(lots, 8))
        s->method.push_factor = lots_number(lots, 0.0, 1.0);
    if (s->joint_solver == DRY_JOINT_SOLVER_ITERATIVE && lots_once_in(lots, 4)) {
        s->method.integrator = (dry_integrator)lots_below(lots, DRY_INTEGRATOR_COUNT);
        s->method.modified_inertia =
            s->method.integrator != DRY_INTEGRATOR_RUNGE_KUTTA && lots_once_in(lots, 2);
    }
    s->push_out_speed_max = lots_once_in(lots, 6) ? lots_number(lots, 0.1, 10.0) : s->push_out_speed_max;
    s->speculative_margin = lots_once_in(lots, 6) ? lots_number(lots, 0.0, 0.2) : s->speculative_margin;
    s->recycle_distance = lots_once_in(lots, 6) ? lots_number(lots, 0.0, 0.1) : s->recycle_distance;
    s->method.colors_max = lots_once_in(lots, 6) ? lots_below(lots, 65) : 0;
    s->sleep = !lots_once_in(lots, 4);
    s->sleep_after = lots_once_in(lots, 3) ? lots_number(lots, 0.0, 0.2) : s->sleep_after;
    s->sleep_speed_max = lots_once_in(lots, 6) ? lots_number(lots, 0.0, 0.5) : s->sleep_speed_max;
    s->method.relaxation = lots_once_in(lots, 4) ? lots_number(lots, 0.1, 1.9) : 1.0f;
    s->method.relaxation_adaptive = s->sweeps >= 2 && lots_once_in(lots, 2);
    if (s->method.solver == DRY_SOLVER_GAUSS_SEIDEL && lots_once_in(lots, 4))
        s->method.order = (dry_order)lots_below(lots, DRY_ORDER_COUNT);
    s->method.geometric_stiffness = lots_once_in(lots, 2);
    suit_solver(s);
}

static dry_result make_set_settings(dry_world *world, soak_call *call)
{
    return dry_world_set_settings(world, &call->settings);
}

const call_kind world_calls[] = {
    {"set_settings", 2, draw_settings, make_set_settings, NULL},
    {0},
};
