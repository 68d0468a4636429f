/* The pose at which a round shape meets another shape within a step. */
#ifndef NARROWPHASE_MEETING_H
#define NARROWPHASE_MEETING_H

#include "narrowphase/local_manifold.h"
#include "narrowphase/piece.h"

/* The pieces of a pair, and the motion of their bodies when the step begins. */
typedef struct dry_meeting {
    const dry_piece *a, *b;
    dry_vec3 velocity; /* of b's center relative to a's, in a's principal frame, m/s */
    float ahead;       /* how long the normal has to serve, s */
    float margin;      /* of the points, m */
    dry_vec3 lean;     /* the way that the load leans, in a's frame (collide.h) */
} dry_meeting;

/* Collides a pair at the pose that it has when its surfaces meet, if they do in time as the bodies' centers
 * move now; else at a pose whose normal keeps the shapes apart meanwhile, mostly the present one.
 * Moves `relative` there and returns the way of b's center in a's frame, m. Fills the frame of the pair
 * and the points found there. */
dry_vec3 dry_meeting_collide(const dry_meeting *meeting, dry_relative_pose *relative, dry_pair_frame *frame,
                             dry_local_manifold *found);

#endif
