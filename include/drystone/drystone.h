/* SPDX-License-Identifier: MIT
 * Includes every public header of Drystone. */
#ifndef DRYSTONE_DRYSTONE_H
#define DRYSTONE_DRYSTONE_H

#include <drystone/body.h>
#include <drystone/event.h>
#include <drystone/history.h>
#include <drystone/joint.h>
#include <drystone/mesh.h>
#include <drystone/methods.h>
#include <drystone/numbers.h>
#include <drystone/query.h>
#include <drystone/recording.h>
#include <drystone/rooms.h>
#include <drystone/save.h>
#include <drystone/shape.h>
#include <drystone/shape_data.h>
#include <drystone/types.h>
#include <drystone/world.h>

#endif
