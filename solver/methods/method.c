/* The table of solver methods, and their names. */
#include "solver/methods/method.h"

#include "state/settings.h"

#include <string.h>

static const dry_method *const methods[DRY_SOLVER_COUNT] = {
#define X(method, METHOD) [DRY_SOLVER_##METHOD] = &dry_method_##method,
    DRY_METHODS(X)
#undef X
};
static const char *const names[DRY_SOLVER_COUNT] = {"gauss-seidel", "jacobi", "pbd", "xpbd", "avbd"};

const dry_method *dry_method_of(const dry_settings *settings)
{
    return methods[settings->method.solver];
}

const char *dry_settings_error(const dry_settings *settings)
{
    const char *error = dry_settings_range_error(settings);
    if (error)
        return error;
    const dry_method *method = dry_method_of(settings);
    if (settings->method.geometric_stiffness && method->no_geometric_stiffness)
        return method->no_geometric_stiffness;
    return method->refuses ? method->refuses(settings) : NULL;
}

const char *dry_settings_joint_error(const dry_settings *settings, const dry_joint_def *def)
{
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
