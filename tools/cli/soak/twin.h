/* A world and its twin: the same calls on another instruction set with another number of threads, from
 * another team. The first of the two has an allocator that fails now and then. Both must answer the same and
 * keep the same state. */
#ifndef TOOLS_CLI_SOAK_TWIN_H
#define TOOLS_CLI_SOAK_TWIN_H

#include "core/compiler.h"
#include "tools/cli/file_bytes.h"
#include "tools/cli/soak/call.h"
#include "tools/cli/soak/counted_memory.h"

enum { HISTORY_STEPS = 8 }; /* that the history of a side keeps */

typedef struct soak_side {
    dry_world *world;
    counted_memory memory;
    dry_world_def def;
    dry_history *history; /* null: none */
    file_bytes recording; /* if `def` has a sink */
    char log_line[200];   /* the last one */
} soak_side;

/* The bodies that a step names. */
typedef enum step_kind {
    STEP_WHOLE,    /* none: dry_world_step */
    STEP_NAMED,    /* those of the list, on both sides */
    STEP_ALL_NAMED /* all of them, on the first side; the other makes a whole step */
} step_kind;

typedef struct soak_step {
    step_kind kind;
    float dt;
    const dry_body_id *ids;
    int count;
} soak_step;

typedef struct soak_twin {
    soak_side sides[2];
    soak_lots failures; /* of the first side's allocator */
    int failure_odds; /* one call in this many finds an allocator that fails; 0 leaves the allocator alone */
    uint64_t hash;    /* of both states, if hash_known */
    bool hash_known;
    bool reloads_some;               /* worlds are taken through saves */
    bool keeps_steps;                /* both sides have histories */
    unsigned reloads;                /* so far */
    uint64_t calls, steps, refusals; /* calls and steps made, calls and steps refused for want of memory */
    char difference[256];            /* what was not as it should be; empty if all was */
} soak_twin;

/* Returns a log that keeps the last line of a side. */
dry_log twin_log(soak_side *side);

/* Creates both worlds. Returns false, with *twin saying why, if anything is not as it should be. */
bool twin_create(soak_twin *twin, const dry_world_def defs[2]);
/* Destroys both worlds, which must give all their memory back. */
bool twin_destroy(soak_twin *twin);

/* Makes a call on both worlds. Returns its result; a result other than DRY_OK must have changed nothing. */
dry_result twin_call(soak_twin *twin, soak_call *call);
/* Makes a step of both worlds. A result other than DRY_OK and MEMORY must have changed nothing. */
dry_result twin_step(soak_twin *twin, const soak_step *step);
/* Compares the state hashes of both worlds. */
bool twin_compare(soak_twin *twin, const char *after);
/* Begins the history of a side, if sides keep steps. */
dry_result twin_begin_history(const soak_twin *twin, soak_side *side);
/* Destroys the world of a side, whose state has this hash. Its recording, if there is one, must lead there on
 * the instruction set and with the threads of the other side. */
bool twin_end_world(soak_twin *twin, int side, uint64_t hash);
/* Takes one of the worlds, the other in the next call, through a save. */
bool twin_reload(soak_twin *twin);

/* Lets the first side's allocator fail soon, now and then. */
void twin_arm(soak_twin *twin);
/* Tells whether memory was refused, so that the call is to be made again; the allocator then fails no more.
 */
bool twin_refused(soak_twin *twin, dry_result result, const char *name);

/* Notes the first thing that is not as it should be. Returns false. */
bool twin_differs(soak_twin *twin, const char *format, ...) DRY_PRINTF(2, 3);

#endif
