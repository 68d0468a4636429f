/* What the files of a restoration share: each checks a part of the tables of a save and derives what is not
 * saved. Nothing in the tables is trusted before its check. Next: snapshot/restore.c. */
#ifndef SNAPSHOT_RESTORE_PARTS_H
#define SNAPSHOT_RESTORE_PARTS_H

#include "jobs/jobs.h"
#include "snapshot/read.h"

typedef struct dry_restoration {
    dry_tables *tables;
    dry_memory *memory; /* of the tables */
    dry_save_fault *fault;
    bool no_memory; /* a part has failed for lack of memory */
} dry_restoration;

/* Notes a fault; returns false. */
static inline bool dry_restore_fail(const dry_restoration *r, int column, const char *field, int64_t row,
                                    const char *text)
{
    return dry_save_fail(r->fault, dry_columns[column].id, field, row, text);
}

/* Notes that memory has failed; returns false. */
static inline bool dry_restore_lacks_memory(dry_restoration *r)
{
    r->no_memory = true;
    return false;
}

/* Tells whether a world keeps an orientation: it normalizes what it is given and what has turned. */
static inline bool dry_is_kept_unit(dry_quat q)
{
    return dry_abs(quat_length_squared(q) - 1.0f) <= 1e-5f;
}

/* The parts, in the order in which they are called. Return false with the fault. */
bool dry_restore_slots(dry_restoration *r);
bool dry_restore_bodies(dry_restoration *r);
bool dry_restore_shapes(dry_restoration *r);
bool dry_restore_proxies(dry_restoration *r);
bool dry_restore_joints(dry_restoration *r);
bool dry_restore_contacts(dry_restoration *r);
bool dry_restore_colors(dry_restoration *r);
bool dry_restore_pairs(dry_restoration *r, dry_jobs *jobs);

/* Tells whether a slot is taken; any number may be asked for. */
static inline bool dry_restore_lives(const dry_slots *slots, int slot)
{
    return slot >= 0 && slot < slots->used && dry_slots_is_taken(slots, slot);
}

/* Returns the row of a body that lives. */
static inline const dry_body_state *dry_restored_state(const dry_restoration *r, int body)
{
    return dry_body_state_of(&r->tables->bodies, body);
}

static inline bool dry_restored_dynamic(const dry_restoration *r, int body)
{
    return dry_restored_state(r, body)->type == DRY_BODY_DYNAMIC;
}

#endif
