/* The tables of solver methods, of orders of sweeps, and of parts, and their names. */
#include "solver/methods/method.h"

#include "core/assert.h"
#include "solver/data/context.h"
#include "state/settings.h"

#include <string.h>

/* X(METHOD, name): all methods, in the order of dry_solver. */
#define DRY_METHODS(X)                                                                                       \
    X(GAUSS_SEIDEL, "gauss-seidel")                                                                          \
    X(JACOBI, "jacobi")                                                                                      \
    X(PBD, "pbd")                                                                                            \
    X(XPBD, "xpbd")                                                                                          \
    X(AVBD, "avbd")

#define X(METHOD, name) [DRY_SOLVER_##METHOD] = name,
static const char *const names[DRY_SOLVER_COUNT] = {DRY_METHODS(X)};
#undef X
#define X(METHOD, name) [DRY_SOLVER_##METHOD] = "solver " name DRY_NEEDS_METHODS,
static const char *const missing[DRY_SOLVER_COUNT] = {DRY_METHODS(X)};
#undef X
static const char *const missing_order[DRY_ORDER_COUNT] = {
    [DRY_ORDER_FORWARD] = "order forward" DRY_NEEDS_METHODS,
    [DRY_ORDER_LAYERS_UP] = "order layers-up" DRY_NEEDS_METHODS,
    [DRY_ORDER_LAYERS_DOWN] = "order layers-down" DRY_NEEDS_METHODS,
    [DRY_ORDER_LAYERS] = "order layers" DRY_NEEDS_METHODS,
    [DRY_ORDER_SHUFFLED] = "order shuffled" DRY_NEEDS_METHODS,
    [DRY_ORDER_SHUFFLED_SWEEPS] = "order shuffled-sweeps" DRY_NEEDS_METHODS,
};
static const char *const missing_friction[DRY_FRICTION_COUNT] = {
    [DRY_FRICTION_SCALED_BOX] = "friction scaled-box" DRY_NEEDS_METHODS,
    [DRY_FRICTION_TWO_PHASE] = "friction two-phase" DRY_NEEDS_METHODS,
    [DRY_FRICTION_VELOCITY] = "friction velocity" DRY_NEEDS_METHODS,
    [DRY_FRICTION_WEIGHT_BOX] = "friction weight-box" DRY_NEEDS_METHODS,
};
static const char *const missing_integrator[DRY_INTEGRATOR_COUNT] = {
    [DRY_INTEGRATOR_EULER] = "integrator euler" DRY_NEEDS_METHODS,
    [DRY_INTEGRATOR_EXPONENTIAL] = "integrator exponential" DRY_NEEDS_METHODS,
    [DRY_INTEGRATOR_EXPLICIT] = "integrator explicit" DRY_NEEDS_METHODS,
    [DRY_INTEGRATOR_IMPLICIT] = "integrator implicit" DRY_NEEDS_METHODS,
};
static const char *const missing_joint_solver[] = {
    [DRY_JOINT_SOLVER_DIRECT] = "joint_solver direct" DRY_NEEDS_METHODS,
    [DRY_JOINT_SOLVER_AUTO] = "joint_solver auto" DRY_NEEDS_METHODS,
};

/* Written as the library of methods is loaded. */
static const dry_method *methods[DRY_SOLVER_COUNT] = {
    [DRY_SOLVER_GAUSS_SEIDEL] = &dry_method_gauss_seidel,
    [DRY_SOLVER_JACOBI] = &dry_method_jacobi,
};
static const dry_sweep_order *orders[DRY_ORDER_COUNT];

void dry_method_add(dry_solver solver, const dry_method *method)
{
    DRY_ASSERT(!methods[solver]);
    methods[solver] = method;
}

void dry_order_add(dry_order order, const dry_sweep_order *sweep_order)
{
    DRY_ASSERT(!orders[order]);
    orders[order] = sweep_order;
}

const dry_method *dry_method_of(const dry_settings *settings)
{
    DRY_ASSERT(methods[settings->method.solver]);
    return methods[settings->method.solver];
}

const dry_sweep_order *dry_order_of(const dry_settings *settings)
{
    DRY_ASSERT(settings->method.order == DRY_ORDER_COLOR || orders[settings->method.order]);
    return orders[settings->method.order];
}

static bool has_library(void)
{
    return dry_solver_parts[DRY_SOLVER_PART_DIRECT] != NULL;
}

/* Returns what settings ask for that this program lacks; null: it has all. What the second library documents
 * is refused as a whole. */
static const char *find_missing(const dry_settings *settings)
{
    const dry_method_settings *of = &settings->method;
    if (has_library())
        return NULL;
    const char *const texts[] = {
        methods[of->solver] ? NULL : missing[of->solver],
        missing_order[of->order],
        missing_friction[of->friction],
        missing_integrator[of->integrator],
        of->relaxation_adaptive ? "relaxation_adaptive" DRY_NEEDS_METHODS : NULL,
        of->push_factor != 0.0f ? "a push_factor above 0" DRY_NEEDS_METHODS : NULL,
        missing_joint_solver[settings->joint_solver],
        of->joint_regularization != dry_settings_default().method.joint_regularization
            ? "another joint_regularization than the default" DRY_NEEDS_METHODS
            : NULL,
    };
    const char *found = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !found; i++)
        found = texts[i];
    return found;
}

const char *dry_settings_error(const dry_settings *settings)
{
    const char *error = dry_settings_range_error(settings);
    error = error ? error : find_missing(settings);
    if (error)
        return error;
    const dry_method *method = dry_method_of(settings);
    if (settings->method.geometric_stiffness && method->no_geometric_stiffness)
        return method->no_geometric_stiffness;
    return method->refuses ? method->refuses(settings) : NULL;
}

const char *dry_settings_joint_error(const dry_settings *settings, const dry_joint_def *def)
{
    if (missing_joint_solver[def->solver] && !has_library())
        return missing_joint_solver[def->solver] + strlen("joint_"); /* of a joint it is `solver` */
    const dry_method *method = dry_method_of(settings);
    return method->refuses_joint ? method->refuses_joint(def) : NULL;
}

const char *dry_settings_spring_error(const dry_settings *settings)
{
    return dry_method_of(settings)->no_contact_springs;
}

const char *dry_solver_name(dry_solver solver)
{
    return (unsigned)solver < DRY_SOLVER_COUNT ? names[solver] : NULL;
}

bool dry_solver_from_name(const char *name, dry_solver *solver)
{
    for (int i = 0; name && solver && i < DRY_SOLVER_COUNT; i++)
        if (strcmp(name, names[i]) == 0) {
            *solver = (dry_solver)i;
            return true;
        }
    return false;
}

/* Written as the library of methods is loaded. */
const dry_solver_part *dry_solver_parts[DRY_SOLVER_PART_COUNT] = {
    [DRY_SOLVER_PART_IMPACTS] = &dry_part_impacts,
};

void dry_part_add(dry_solver_part_index index, const dry_solver_part *part)
{
    DRY_ASSERT(!dry_solver_parts[index] || dry_solver_parts[index] == part);
    dry_solver_parts[index] = part;
}

void dry_parts_find(dry_solver_step *step, bool listed)
{
    for (int t = 0; t < step->state->plan.range_count; t++) {
        dry_tier_range *range = &step->state->plan.ranges[t];
        range->parts = 0;
        /* Before the layout no tier knows its bodies; after it, parts act on tiers that have some. */
        const bool some = listed || range->body_begin < range->body_end;
        for (int p = 0; p < DRY_SOLVER_PART_COUNT && some; p++) {
            const dry_solver_part *part = step->parts[p];
            if (part && part->acts && (part->reserve || !listed) && part->acts(step, range))
                range->parts |= (uint8_t)(1u << p);
        }
        range->listed = listed ? range->parts : range->listed;
    }
}
