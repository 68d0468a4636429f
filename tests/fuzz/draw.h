/* Declares how a turn draws the arguments of its call from the bytes of the input.
 *
 * The same bytes must always give the same call: the corpus keeps inputs for the code that they reach. So a
 * function reads its bytes in an order that the compiler does not choose. */
#ifndef TESTS_FUZZ_DRAW_H
#define TESTS_FUZZ_DRAW_H

#include "tests/fuzz/turn.h"

/* Samples a side of the height fields that are drawn. */
enum { FUZZ_FIELD_SIDE = 5 };

/* Reads the next byte; 0 behind the end. */
unsigned draw_byte(fuzz_turn *t);
/* Returns a number from 0 to end - 1. */
int draw_below(fuzz_turn *t, int end);
/* Returns true for the bytes from 256 - 256 / one_in on, so that zeros behind an input's end mean "no". */
bool draw_chance(fuzz_turn *t, int one_in);
/* Reads an integer of 1 to 8 bytes, the lowest first. */
uint64_t draw_bits(fuzz_turn *t, int bytes);
/* Returns an integer from low to high; now and then any other where the turn is wild. */
int draw_whole(fuzz_turn *t, int low, int high);

/* Returns a number from -typical to typical; now and then any other where the turn is wild. */
float draw_number(fuzz_turn *t, double typical);
/* Returns a number from low to high; now and then any other where the turn is wild. */
float draw_between(fuzz_turn *t, double low, double high);
/* Returns any number: an extreme, any bits, or a power of two times `typical`. Does not set `bad_number`. */
float draw_wild_number(fuzz_turn *t, double typical);

dry_vec3 draw_vector(fuzz_turn *t, double typical);
/* Returns a place within 2 m of the point 1 m above the origin. */
dry_position draw_position(fuzz_turn *t);
/* Returns a unit quaternion, often the identity; now and then any other where the turn is wild. */
dry_quat draw_rotation(fuzz_turn *t);
dry_pose draw_pose(fuzz_turn *t);
/* Returns a velocity, often zero. */
dry_velocity draw_velocity(fuzz_turn *t);

/* Return an id of the model, or now and then one that most probably names nothing, which sets `bad_id`. */
dry_body_id draw_body(fuzz_turn *t);
dry_shape_id draw_shape(fuzz_turn *t);
dry_joint_id draw_joint(fuzz_turn *t);

dry_filter draw_filter(fuzz_turn *t);
/* Returns a shape for a body of a type. */
dry_shape_def draw_shape_def(fuzz_turn *t, dry_body_type of);

#endif
