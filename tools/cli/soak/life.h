/* The life of one world and its twin: made, filled, stirred, emptied, destroyed. The seed decides all of it.
 */
#ifndef TOOLS_CLI_SOAK_LIFE_H
#define TOOLS_CLI_SOAK_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORLD_THREADS = 4, LIFE_THREADS = 2 * (WORLD_THREADS - 1) }; /* at most; those that worlds start */

/* The sums of lives. */
typedef struct soak_figures {
    uint64_t worlds, steps, calls;
    uint64_t refusals;    /* calls and steps that the allocator made fail */
    uint64_t quarantines; /* bodies that entered quarantine */
    uint64_t hash;        /* the sum of the hashes that each life took before it emptied its world */
    double simulated_s;
    double energy_gained; /* the largest rise of a world without stirring, over its energy at the start */
    size_t bytes_max;     /* the most memory that one world held */
} soak_figures;

void figures_add(soak_figures *sum, const soak_figures *figures);

/* Lives one life; one of the two worlds goes through a save every `reload_every` steps, if that is not 0.
 * Returns false with a line in `failure` if anything was not as it should be. Returns early when a signal was
 * noted (tools/cli/stop.h). */
bool life_run(uint64_t seed, uint64_t reload_every, soak_figures *figures, char *failure,
              size_t failure_bytes);

#endif
