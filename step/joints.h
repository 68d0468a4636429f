#ifndef STEP_JOINTS_H
#define STEP_JOINTS_H

#include <drystone/types.h>

/* Raises the events of joints that contradict each other and of those whose force or torque exceeds a bound,
 * and disables those that break. */
void dry_joints_raise_events(dry_world *world);

#endif
