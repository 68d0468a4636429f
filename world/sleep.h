/* Waking bodies and putting them to sleep. Bodies sleep by island; waking spreads through touching contacts
 * and joints. Waking never fails: its room is reserved when bodies, contacts and joints are created. */
#ifndef WORLD_SLEEP_H
#define WORLD_SLEEP_H

#include "state/bodies.h"

/* Tells whether a body is an enabled dynamic one that sleeps, and may wake in the step under way. */
bool dry_body_is_sleeper(const dry_world *world, int slot);
/* Wakes a body and all that contacts and joints connect to it, through awake bodies, too; their loads are
 * those with which they fell asleep. A body that cannot move wakes its neighbors instead. */
void dry_body_rouse(dry_world *world, int slot);
/* Wakes a body whose load something changes, with the sleepers that contacts and joints connect to it if it
 * sleeps. A body that cannot move wakes its neighbors instead. */
void dry_body_wake(dry_world *world, int slot);
/* Wakes a dynamic body that moves or bears another load, with those that joints connect with it. Sleepers
 * that touch it hold it as static bodies do, until step/wake.c wakes them. */
void dry_body_wake_alone(dry_world *world, int slot);
/* Wakes every body that touches a body or is joined to it. */
void dry_body_wake_neighbors(dry_world *world, int slot);
/* Wakes every sleeping body whose bounds overlap those of a body that has been placed and is not awake. */
void dry_body_wake_overlapping(dry_world *world, int slot);
/* Puts a body's whole island to sleep. */
void dry_body_sleep_island(dry_world *world, int slot);
/* Starts an awake dynamic body's sleep timer anew: something that it touched or was joined to is gone. */
void dry_body_reset_sleep_timer(dry_world *world, int slot);
/* Moves one awake body to the sleeping rows, without velocity or force. Its constraints stay active until
 * dry_constraints_deactivate_sleeping. */
void dry_body_put_to_sleep(dry_world *world, int slot);
/* Drops the forces that were to act on a body in the next step. */
void dry_body_clear_forces(dry_bodies *bodies, int slot);

#endif
