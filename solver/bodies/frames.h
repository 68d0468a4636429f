/* The frames in which the rows of turning bodies are whitened.
 *
 * A row is whitened in the principal frame of the step's beginning, and its angular part counts as if the
 * body's inertia stayed there. A slender link under a joint's impulse does not bear that. Rows of joints that
 * are those of a substep turn with the link, and the inertia does not. A torque across the link would turn it
 * about its length, where its inertia is the least. Its spin feeds on that, and the joint opens. So there the
 * rows of their bodies are whitened in the principal frame of the substep's middle; in islands with rows in
 * lanes, only those of bodies that turn far. Impulses act on the inertia that the body has there. From frame
 * to frame a body keeps its angular momentum, and its rotation since the step began. At the step's end its
 * row is in the frame of the beginning again, and turned.h has its inertia in it.
 *
 * Methods that solve for positions have the frame of the substep's beginning (methods/position_substeps.c).
 * Block descent has it for bodies of joints that turn by less than 3 rad in a substep. There, a velocity
 * turns with its body. Between two substeps it follows Euler's equations, as a step of the implicit midpoint
 * rule. That keeps the energy, and the spin of a rod about its length, whatever the ratio of the moments.
 *
 * Bodies with joints that are solved directly have no such frames: articulations follow them in double
 * (methods/direct). Bodies that touch them may have one. */
#ifndef SOLVER_BODIES_FRAMES_H
#define SOLVER_BODIES_FRAMES_H

#include "core/gyroscopic.h"
#include "core/memory.h"
#include "core/shared.h"
#include "solver/bodies/whitening.h"

#include <stdbool.h>

struct dry_island;
struct dry_solver_state;
struct dry_solver_step;
struct dry_tier_range;

typedef struct dry_row_frame {
    /* All that a substep of joints in sweeps needs of bodies that do not turn their frames: 64 bytes. */
    double slope;      /* of the energy by the impulses of joints; then the scale of these: line_search.c */
    double curve;      /* likewise */
    float before[6];   /* the row's velocity without these impulses: likewise */
    float force[6];    /* the change of the row's velocity by forces in a substep, whitened as the row is */
    dry_rotation turn; /* of the frame, in the principal frame of the step's beginning */
    dry_quat orientation; /* of the frame in the world */
    dry_quat ahead; /* the body's rotation in the world from the step's beginning until errors are measured:
                       methods/position_substeps.c */
    bool turns;     /* else the frame is the one of the step's beginning */
} dry_row_frame;

/* Keeps the velocity with which the line search of a substep begins. */
static inline void dry_frame_begin_search(dry_row_frame *frame, const float u[6])
{
    for (int k = 0; k < 6; k++)
        frame->before[k] = u[k];
    frame->slope = frame->curve = 0.0;
}

/* Lists the bodies of swept joints whose frames turn in this step: by a rule, of tiers from `first` on, whose
 * rows of joints are those of a substep. Rows must be prepared; their frames are those of the step's
 * beginning. False if memory fails. */
typedef bool dry_frame_rule(const struct dry_solver_step *step, int row, const struct dry_island *island);
DRY_SHARED bool dry_frames_list(struct dry_solver_step *step, dry_memory *memory, int first,
                                dry_frame_rule *turns);
/* Lists those of tiers of swept joints that turn far, and takes their rows to the frames of the first
 * substep's middle. False if memory fails. */
bool dry_frames_begin(struct dry_solver_step *step, dry_memory *memory);
/* Takes a row, its start and its force to a frame, with their angular momenta. `turn` is its rotation, in the
 * principal frame of the step's beginning. */
DRY_SHARED void dry_frames_take(const struct dry_solver_step *step, int row, dry_rotation turn);
/* Gives a row the displacement of its body's rotation (turned.h), in its frame. */
DRY_SHARED void dry_frames_place(const struct dry_solver_step *step, int row);
/* Finds a body's rotation since the step began, from the way that its row has turned in the last frame. */
DRY_SHARED void dry_frames_find_rotation(const struct dry_solver_step *step, int row, float h);
/* Calls `run` for the valid rows of a tier whose frames turn. */
typedef void dry_frame_run(const struct dry_solver_step *step, int row, float h);
DRY_SHARED void dry_frames_over(struct dry_solver_step *step, const struct dry_tier_range *range, float h,
                                dry_frame_run *run);
/* Takes rows that have moved in a substep to the frames of the next one. The velocities that they have now
 * are its starts. */
void dry_frames_follow(struct dry_solver_step *step, const struct dry_tier_range *range, float h);
/* Takes the rows of a tier to the frame of the step's beginning, once `run` has been called for each with the
 * length of a substep; null: none is. */
DRY_SHARED void dry_frames_end(struct dry_solver_step *step, const struct dry_tier_range *range,
                               dry_frame_run *run);
/* Tells whether the row of an awake body is whitened in a frame of its own now. */
DRY_SHARED bool dry_frames_turn(const struct dry_solver_state *state, int row);
/* Returns the orientation of the frame that the row of an awake body is whitened in now. */
const dry_quat *dry_frames_orientation(const struct dry_solver_step *step, int row);
/* Returns the whitening of that row. */
DRY_SHARED dry_whitening dry_frames_whitening(const struct dry_solver_step *step, int row);

#endif
