/* Holding: for one step, all bodies but some that a call names stay as if they were static.
 *
 * While bodies are held, the rows are
 *
 *      | named, awake | named, asleep | all others |
 *      0         awake_count        named        count
 *
 * so that stages see the others as they see static bodies, and only named ones wake or fall asleep. Active
 * contacts and active joints are those of the named bodies that are awake. The end of the step brings all of
 * this back to where it was.
 *
 * Reads rows, contacts, joints, the plan. Writes them, and what waits aside. Next: step/step.c. */
#ifndef WORLD_HOLD_H
#define WORLD_HOLD_H

#include "solver/data/context.h"

#include <drystone/types.h>

/* A named body, and the row to which it goes back. */
typedef struct dry_named_body {
    int32_t slot, row;
    bool awake; /* after the step */
} dry_named_body;

/* Records that wait aside while bodies are held, and what is left of that: `wakes` is empty between calls. */
typedef struct dry_hold {
    bool on;
    bool unsettled; /* a sleeper may be joined to an awake body, or touch one that moves by itself: the next
                     * whole step wakes it */
    bool partial;   /* some awake body is held */
    int named;      /* rows before this one are those of named bodies */
    dry_named_body *body;
    uint32_t *set;      /* of named rows; while bodies are held, of places of named joints in `list` */
    uint32_t *wakes;    /* set of slots: held bodies that wake when the step is over */
    uint64_t *contacts; /* set of active contacts that are held */
    int32_t *list;      /* the list of active joints */
    dry_slabs slabs;    /* the plan's */
    int body_capacity, set_capacity, wakes_capacity, contacts_capacity, list_capacity;
    int set_words, contact_words, list_count, wake_count, awake_count, awake_dynamic_count;
    float ways_dt;
    bool weighed;
} dry_hold;

/* Holds all bodies but `count` named ones. Does nothing if no other body could move or wake. `name` is the
 * call. Errors: STALE_ID, ARGUMENT (an id comes twice), MEMORY; then nothing has changed. */
dry_result dry_hold_begin(dry_world *world, const char *name, const dry_body_id *ids, int count);
/* Ends the hold after a step, whether that has failed or not. */
void dry_hold_end(dry_world *world);
/* Wakes the sleeping bodies that awake ones touch or are joined to, if steps that held bodies left some. */
void dry_hold_settle(dry_world *world);

#endif
