/* XPBD: constraints are solved for positions, one after another, each at the bodies as the others have moved
 * and turned them [Waterson 4.8]. Springs have their compliance [Waterson 6.4], and total multipliers make a
 * spring alone independent of the number of sweeps. Velocities follow from positions; sliding friction is
 * solved for velocities afterwards [Waterson 5.5-5.6]. */
#include "solver/methods/positions.h"

const dry_method dry_method_xpbd = {
    .name = "xpbd",
    .refuses = dry_positions_refuse,
    .refuses_joint = dry_positions_refuse_joint,
    DRY_METHOD_OF_POSITIONS,
};
