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

/* The numbers of kinds in inputs; some kinds have several. */
enum { FUZZ_KINDS = 64 };

/* Makes a call of the kind with a number from 0 to FUZZ_KINDS - 1. */
dry_result fuzz_turn_take(fuzz_turn *turn, int kind);
const char *fuzz_kind_name(int kind);

/* Adds what a call wrote to the answer. */
void fuzz_answer(fuzz_turn *turn, const void *bytes, size_t count);
#define FUZZ_ANSWER(turn, object) fuzz_answer((turn), &(object), sizeof(object))
/* Adds an integer of any size or sign. */
void fuzz_answer_number(fuzz_turn *turn, uint64_t bits);
/* Adds the events of the last step. */
void fuzz_answer_events(fuzz_turn *turn);

#endif
