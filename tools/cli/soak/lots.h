/* Draws the numbers of a soak from its seed, so that every run of a seed does the same. */
#ifndef TOOLS_CLI_SOAK_LOTS_H
#define TOOLS_CLI_SOAK_LOTS_H

#include "tools/cli/soak/forms.h"

typedef struct soak_lots {
    uint64_t state;
    int odds;                /* one number in `odds` is not a sound one; 0 draws sound numbers only */
    bool invalid;            /* a number was drawn that no call may accept: infinite or not a number */
    const soak_forms *forms; /* the shape data that shapes draw from */
} soak_lots;

/* Begins the numbers of a seed. Equal seeds give equal numbers, and neighboring seeds unlike ones. */
soak_lots lots_begin(uint64_t seed);

uint64_t lots_bits(soak_lots *lots);
/* Draws a whole number from 0 to end - 1. */
int lots_below(soak_lots *lots, int end);
/* Draws true once in `in` times. */
bool lots_once_in(soak_lots *lots, int in);
/* Draws a number from low to high, or now and then, if `odds` says so, one that is huge, tiny or none. */
float lots_number(soak_lots *lots, double low, double high);
/* Draws a vector with each component within `size`. */
dry_vec3 lots_vector(soak_lots *lots, double size);
/* Draws a rotation, all of them equally often. */
dry_quat lots_rotation(soak_lots *lots);

#endif
