/* What methods cannot honor by their nature: the table behind docs/methods.md. A test that goes over all
 * methods asks it which settings to leave out; test_methods.c holds the library to it. */
#ifndef TESTS_METHOD_LIMITS_H
#define TESTS_METHOD_LIMITS_H

#include "tests/test_world.h"

typedef struct method_limit {
    dry_solver solver;
    const char *what, *reason;
    bool (*is_set)(const dry_settings *settings);
    void (*set)(dry_settings *settings);
} method_limit;

#define METHOD_LIMIT(name, condition, change)                                                                \
    static inline bool limit_is_##name(const dry_settings *s)                                                \
    {                                                                                                        \
        return condition;                                                                                    \
    }                                                                                                        \
    static inline void limit_set_##name(dry_settings *s)                                                     \
    {                                                                                                        \
        change;                                                                                              \
    }
METHOD_LIMIT(two_phase, s->method.friction == DRY_FRICTION_TWO_PHASE,
             s->method.friction = DRY_FRICTION_TWO_PHASE)
METHOD_LIMIT(direct, s->joint_solver == DRY_JOINT_SOLVER_DIRECT, s->joint_solver = DRY_JOINT_SOLVER_DIRECT)
METHOD_LIMIT(relax, s->relax_sweeps == 0, s->relax_sweeps = 0)
METHOD_LIMIT(relaxation, s->method.relaxation != 1 || s->method.relaxation_adaptive,
             s->method.relaxation = 0.5f)
METHOD_LIMIT(adaptive, s->method.relaxation_adaptive, (s->sweeps = 2, s->method.relaxation_adaptive = true))
METHOD_LIMIT(order, s->method.order != DRY_ORDER_COLOR, s->method.order = DRY_ORDER_LAYERS)
METHOD_LIMIT(push, s->method.push_factor > 0, s->method.push_factor = 0.2f)
METHOD_LIMIT(integrator, s->method.integrator != DRY_INTEGRATOR_RUNGE_KUTTA,
             s->method.integrator = DRY_INTEGRATOR_EULER)
METHOD_LIMIT(not_cone, s->method.friction != DRY_FRICTION_CONE, s->method.friction = DRY_FRICTION_VELOCITY)
METHOD_LIMIT(damping, s->contact_damping_ratio != 3, s->contact_damping_ratio = 1)
METHOD_LIMIT(auto, s->joint_solver == DRY_JOINT_SOLVER_AUTO, s->joint_solver = DRY_JOINT_SOLVER_AUTO)
METHOD_LIMIT(stiffness, s->contact_stiffness > 0, s->contact_stiffness = 1e6f)
METHOD_LIMIT(hertz, s->contact_hertz > 0, s->contact_hertz = 30)
METHOD_LIMIT(geometric, s->method.geometric_stiffness, s->method.geometric_stiffness = true)
#undef METHOD_LIMIT

#define LIMIT(solver, name, what, reason)                                                                    \
    {                                                                                                        \
        DRY_SOLVER_##solver, what, reason, limit_is_##name, limit_set_##name                                 \
    }
#define LIMITS_OF_POSITIONS(solver)                                                                          \
    LIMIT(solver, two_phase, "two-phase friction", "no phase without friction"),                             \
        LIMIT(solver, direct, "direct joints", "no velocity that a direct solve could start from"),          \
        LIMIT(solver, relax, "relax_sweeps 0", "slide in the sweeps over velocities"),                       \
        LIMIT(solver, adaptive, "an adaptive relaxation", "turn each change of relaxation into motion"),     \
        LIMIT(solver, push, "push_factor", "close overlaps by position"),                                    \
        LIMIT(solver, integrator, "an integrator of first order", "end each substep at their own positions")
static const method_limit method_limits[] = {
    LIMIT(GAUSS_SEIDEL, geometric, "geometric_stiffness", "solves for velocities"),
    LIMIT(JACOBI, order, "an order", "all constraints at once"),
    LIMIT(JACOBI, geometric, "geometric_stiffness", "solves for velocities"),
    LIMITS_OF_POSITIONS(PBD),
    LIMITS_OF_POSITIONS(XPBD),
    LIMIT(PBD, stiffness, "contact_stiffness", "no compliance"),
    LIMIT(PBD, hertz, "contact_hertz", "no compliance"),
    LIMIT(PBD, damping, "contact_damping_ratio", "no compliance"),
    LIMIT(AVBD, not_cone, "friction but in a cone", "no friction but the cone"),
    LIMIT(AVBD, stiffness, "contact_stiffness", "rigid contacts"),
    LIMIT(AVBD, hertz, "contact_hertz", "rigid contacts"),
    LIMIT(AVBD, damping, "contact_damping_ratio", "rigid contacts"),
    LIMIT(AVBD, direct, "direct joints", "no joints directly"),
    LIMIT(AVBD, auto, "joints that choose", "no joints directly"),
    LIMIT(AVBD, relaxation, "a relaxation", "the whole step of a body"),
    LIMIT(AVBD, order, "an order but by color", "colors of bodies"),
    LIMIT(AVBD, push, "push_factor", "rigid contacts"),
    LIMIT(AVBD, integrator, "an integrator of first order", "must be Runge-Kutta"),
    LIMIT(AVBD, geometric, "geometric_stiffness", "in each body's system, always"),
};

/* Returns the first limit that settings exceed; null if their method honors them. */
static inline const method_limit *limit_of(const dry_settings *settings)
{
    for (int i = 0; i < COUNT_OF(method_limits); i++)
        if (method_limits[i].solver == settings->method.solver && method_limits[i].is_set(settings))
            return &method_limits[i];
    return NULL;
}

/* Tasks that each method does on its own (test_every_method.c). */
typedef enum method_task {
    METHOD_FALL,
    METHOD_SLIDE,
    METHOD_STICK,
    METHOD_BOUNCE,
    METHOD_MOMENTA,
    METHOD_PENDULUM,
    METHOD_TOWER,
    METHOD_MASS_RATIO,
    METHOD_BOX_SLEEP,
    METHOD_TOWER_SLEEP,
    METHOD_ONE_PLACE,
    METHOD_OPEN_JOINTS,
    METHOD_OPEN_RATIO,
    METHOD_HEAVY_LOAD,
    METHOD_LOAD_IN_ONE,
    METHOD_TASKS
} method_task;

static const char *const method_tasks[METHOD_TASKS] = {
    "a fall of 1 s",
    "a box that slides",
    "a box that sticks to a slope",
    "a ball that bounces",
    "momenta in space",
    "a pendulum for 10 s",
    "a tower of ten stands",
    "1000 kg on 1 kg",
    "a box sleeps and wakes",
    "a tower of ten sleeps and wakes",
    "bodies of all masses in one place",
    "a chain whose joints begin 0.1 to 3 m open",
    "the same, masses of 1 to 1e5",
    "ten links of 1 kg bear 10 t, and open no further",
    "the same in one fixed substep",
};

/* Tasks that a method does not do by its nature, and why. */
static const struct {
    dry_solver solver;
    method_task task;
    const char *reason;
} method_failures[] = {
    {DRY_SOLVER_PBD, METHOD_TOWER, "rigid contacts tremble in stacks"},
    {DRY_SOLVER_AVBD, METHOD_TOWER, "stacks tremble by what a body falls in a substep"},
    {DRY_SOLVER_PBD, METHOD_MASS_RATIO, "rigid contacts throw a heavy load off"},
    {DRY_SOLVER_PBD, METHOD_TOWER_SLEEP, "what trembles does not sleep"},
    {DRY_SOLVER_PBD, METHOD_HEAVY_LOAD, "32 sweeps a step hand on too little of a load"},
    {DRY_SOLVER_XPBD, METHOD_HEAVY_LOAD, "32 sweeps a step hand on too little of a load"},
    {DRY_SOLVER_PBD, METHOD_LOAD_IN_ONE, "one sweep hands a load on by one link"},
    {DRY_SOLVER_XPBD, METHOD_LOAD_IN_ONE, "one sweep hands a load on by one link"},
};

/* Returns why a method cannot do a task; null if it can. */
static inline const char *method_cannot(dry_solver solver, method_task task)
{
    for (int i = 0; i < COUNT_OF(method_failures); i++)
        if (method_failures[i].solver == solver && method_failures[i].task == task)
            return method_failures[i].reason;
    return NULL;
}

#endif
