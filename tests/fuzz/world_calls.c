/* The calls on a whole world: settings and steps. */
#include "tests/fuzz/calls.h"
#include "tests/fuzz/draw.h"

#include <math.h>
#include <stddef.h>

/* A member of the settings. */
typedef struct setting {
    size_t offset;
    double low, high; /* the tame range */
} setting;

#define SETTING(member, low, high)                                                                           \
    {                                                                                                        \
        offsetof(dry_settings, member), low, high                                                            \
    }
static const setting float_settings[] = {
    SETTING(gravity.x, -5, 5),
    SETTING(gravity.y, -15, 5),
    SETTING(gravity.z, -5, 5),
    SETTING(contact_hertz, 0, 60),
    SETTING(contact_damping_ratio, 0, 5),
    SETTING(contact_stiffness, 0, 1e6),
    SETTING(contact_damping, 0, 4),
    SETTING(push_out_speed_max, 0.1, 2),
    SETTING(restitution_speed_min, 0, 2),
    SETTING(spin_max, 1, 1e4),
    SETTING(hit_speed_min, 0, 2),
    SETTING(speculative_margin, 0, 0.1),
    SETTING(recycle_distance, 0, 0.01),
    SETTING(lever_distance, 0, 0.01),
    SETTING(lever_angle, 0, 0.01),
    SETTING(method.relaxation, 0.1, 1.9),
    SETTING(sleep_speed_max, 0, 0.5),
    SETTING(sleep_after, 0, 0.1),
    SETTING(method.push_factor, 0, 1),
};

/* Integers and enumerations. */
static const setting whole_settings[] = {
    SETTING(method.solver, 0, DRY_SOLVER_COUNT - 1),
    SETTING(method.friction, 0, DRY_FRICTION_COUNT - 1),
    SETTING(levers, 0, DRY_LEVERS_COUNT - 1),
    SETTING(joint_solver, DRY_JOINT_SOLVER_ITERATIVE, DRY_JOINT_SOLVER_COUNT - 1),
    SETTING(joint_solver, DRY_JOINT_SOLVER_ITERATIVE, DRY_JOINT_SOLVER_COUNT - 1), /* twice as often */
    SETTING(substeps, 0, 12),
    SETTING(substeps_min, 1, 8),
    SETTING(substeps_max, 8, 64),
    SETTING(sweeps, 0, 4),
    SETTING(sweeps_min, 1, 2),
    SETTING(sweeps_max, 2, 6),
    SETTING(relax_sweeps, 0, 3),
    SETTING(method.order, 0, DRY_ORDER_COUNT - 1),
    SETTING(method.colors_max, 0, 4),
    SETTING(method.colors_max, 0, 4), /* twice as often */
    SETTING(method.integrator, 0, DRY_INTEGRATOR_COUNT - 1),
};
#undef SETTING
_Static_assert(sizeof(dry_solver) == sizeof(int) && sizeof(dry_friction) == sizeof(int) &&
                   sizeof(dry_levers) == sizeof(int) && sizeof(dry_joint_solver) == sizeof(int) &&
                   sizeof(dry_integrator) == sizeof(int) && sizeof(dry_order) == sizeof(int),
               "whole_settings writes them as integers");

enum {
    FLOATS = sizeof float_settings / sizeof *float_settings,
    WHOLES = sizeof whole_settings / sizeof *whole_settings
};

/* Lets no step take more than a moment: bounds the product of two counts. */
static void bound_product(int a, int *b)
{
    if (a > 0 && a <= 256 && *b > 0 && *b <= 256 && a * *b > 512)
        *b = 512 / a;
}

static void change_setting(fuzz_turn *t, dry_settings *s)
{
    const int which = draw_below(t, FLOATS + WHOLES + 5);
    if (which < FLOATS) {
        const setting *f = &float_settings[which];
        *(float *)(void *)((char *)s + f->offset) = draw_chance(t, 4) ? 0 : draw_between(t, f->low, f->high);
    } else if (which < FLOATS + WHOLES) {
        const setting *w = &whole_settings[which - FLOATS];
        *(int *)(void *)((char *)s + w->offset) = draw_whole(t, (int)w->low, (int)w->high);
    } else if (which == FLOATS + WHOLES + 4) {
        s->method.geometric_stiffness = !draw_chance(t, 4);
    } else if (which == FLOATS + WHOLES + 3) {
        s->method.joint_regularization = draw_chance(t, 4) ? 1e-10 : draw_between(t, 1e-16, 1e-4);
    } else {
        *(which == FLOATS + WHOLES ? &s->sleep : &s->warm_start) = !draw_chance(t, 2);
    }
    bound_product(s->substeps, &s->sweeps);
    bound_product(s->substeps, &s->sweeps_max);
    bound_product(s->substeps, &s->relax_sweeps);
    bound_product(s->substeps_max, &s->sweeps);
    bound_product(s->substeps_max, &s->sweeps_max);
    bound_product(s->substeps_max, &s->relax_sweeps);
    /* Settings that go together only. */
    s->method.relaxation_adaptive = s->sweeps >= 2 && (s->method.solver == DRY_SOLVER_GAUSS_SEIDEL ||
                                                       s->method.solver == DRY_SOLVER_JACOBI);
    if (s->method.solver == DRY_SOLVER_JACOBI)
        s->method.order = DRY_ORDER_COLOR;
    if (s->method.solver != DRY_SOLVER_PBD && s->method.solver != DRY_SOLVER_XPBD)
        s->method.geometric_stiffness = false;
}

dry_result call_set_settings(fuzz_turn *t)
{
    dry_settings settings = dry_world_get_settings(t->world);
    const int count = 1 + draw_below(t, 3);
    for (int i = 0; i < count; ++i)
        change_setting(t, &settings);
    return dry_world_set_settings(t->world, &settings);
}

dry_result call_step(fuzz_turn *t)
{
    static const float lengths[] = {1.0f / 60, 1.0f / 60, 1.0f / 60, 1.0f / 60, 1.0f / 240, 0.1f, 0, 1};
    float dt = lengths[draw_below(t, 8)];
    if (t->wild && draw_chance(t, 2)) {
        dt = draw_wild_number(t, 0.01);
        t->bad_number |= !isfinite(dt);
    }
    t->is_step = true;
    t->moves_time = dt >= 1e-7f;
    return dry_world_step(t->world, dt);
}
