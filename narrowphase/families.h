/* The contacts of a pair of shapes that are made of pieces: which pairs of pieces are near enough to have
 * one. */
#ifndef NARROWPHASE_FAMILIES_H
#define NARROWPHASE_FAMILIES_H

#include "core/scratch.h"
#include "jobs/jobs.h"
#include "narrowphase/contact_update.h"

/* Adds the missing children of all active parents whose bodies have moved since their pieces were last looked
 * at, and marks those that nobody wants any more. The order of the new contacts depends on their parents
 * alone. Sets update->patches, which live as long as the scratch memory. Returns false if memory fails: the
 * next step looks again. */
bool dry_families_update(dry_contact_update *update, dry_bodies *bodies, dry_memory *memory,
                         dry_scratch *scratch, dry_jobs *jobs);

#endif
