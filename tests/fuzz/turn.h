/* Declares a turn: one public call whose kind and arguments come from an input's bytes, made on one world.
 *
 * A turn never changes the input or the model, so that the same turn can be taken in twin worlds, and again
 * where memory ran out. */
#ifndef TESTS_FUZZ_TURN_H
#define TESTS_FUZZ_TURN_H

#include "tests/fuzz/model.h"

typedef struct fuzz_turn {
    dry_world *world;
    const fuzz_model *model;
    const uint8_t *at, *end; /* the bytes not read yet; behind the end are zeros */
    bool wild;               /* numbers may be extreme or not finite */
    bool bad_number;         /* an argument that the call reads is not finite */
    bool bad_id;             /* an id names nothing in the world */
    bool is_step;
    bool moves_time; /* a step of more than 0 s */
    uint64_t answer; /* hash of all that the call wrote, but the ids that it made */
    fuzz_change change;
} fuzz_turn;

/* The number of kinds, of which some kinds of calls have several. */
enum { FUZZ_KINDS = 64 };

/* Makes a call of a kind, 0 to FUZZ_KINDS - 1. */
dry_result fuzz_turn_take(fuzz_turn *turn, int kind);
const char *fuzz_kind_name(int kind);

/* Reads the next byte. */
unsigned fuzz_byte(fuzz_turn *turn);

/* Adds the events of the last step to the answer. */
void fuzz_answer_events(fuzz_turn *turn);

#endif
