/* Adds to the engine what this library has, when it is loaded. */
#include "core/compiler.h"
#include "methods/added_kernels.h"
#include "methods/methods.h"
#include "methods/volumes/quad.h"
#include "solver/data/constraint.h"
#include "solver/data/part.h"
#include "solver/methods/method.h"
#include "solver/sweeps/contacts/kind.h"
#include "solver/sweeps/joints/joint_bundles.h"

#include <pthread.h>

static void add_all(void)
{
    dry_part_add(DRY_SOLVER_PART_DIRECT, &dry_part_direct);
    dry_part_add(DRY_SOLVER_PART_TWO_PHASE, &dry_part_two_phase);
    dry_part_add(DRY_SOLVER_PART_RELAXATION, &dry_part_relaxation);
    dry_integrators_add(dry_integrate_bodies);
    dry_contact_kernels_add(dry_added_contact_kernels_at);
    dry_joint_kernels_add(dry_added_joint_kernels_at);
    dry_method_add(DRY_SOLVER_PBD, &dry_method_pbd);
    dry_method_add(DRY_SOLVER_XPBD, &dry_method_xpbd);
    dry_method_add(DRY_SOLVER_AVBD, &dry_method_avbd);
    for (int order = DRY_ORDER_COLOR + 1; order < DRY_ORDER_COUNT; order++)
        dry_order_add((dry_order)order, &dry_sweep_orders[order]);
    dry_kind_add(&dry_kind_quad);
    dry_quad_type_add();
}

void dry_methods_register(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_all);
}

DRY_AT_LOAD static void at_load(void)
{
    dry_methods_register();
}
