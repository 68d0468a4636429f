/* The last steps of a twin: going back by some of them, and a mirror that deltas bring along. */
#ifndef TOOLS_CLI_SOAK_PAST_H
#define TOOLS_CLI_SOAK_PAST_H

#include "tools/cli/soak/twin.h"

/* The end of a step. */
typedef struct soak_moment {
    uint64_t serial; /* unlike that of any other end of a step, before or after a way back */
    uint64_t step, hash;
    soak_model model;
} soak_moment;

/* A world that was loaded from a save of the first side. */
typedef struct soak_mirror {
    soak_side side;
    uint64_t serial; /* of the end of a step at which it is; 0: of none */
    file_bytes bytes;
    bool lacked_data; /* the last delta has data that only the first side's world has */
} soak_mirror;

typedef struct soak_past {
    soak_moment moments[HISTORY_STEPS]; /* that of step n is at n % HISTORY_STEPS */
    uint64_t last_serial;
    soak_mirror mirror;
} soak_past;

/* Makes a step of both worlds, and now and then of a mirror, which must come to the same state. */
dry_result past_step(soak_past *past, soak_twin *twin, soak_lots *lots, const soak_model *model,
                     const soak_step *step);
/* Now and then brings both worlds back by some steps, and the model with them. Returns whether it did. */
bool past_rewind(soak_past *past, soak_twin *twin, soak_lots *lots, soak_model *model);
/* Destroys the mirror, which must give all its memory back. */
void past_end(soak_past *past, soak_twin *twin);

#endif
