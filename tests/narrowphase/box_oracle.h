/* Box against box, written a second time, for one pair in scalar code. */
#ifndef TESTS_NARROWPHASE_BOX_ORACLE_H
#define TESTS_NARROWPHASE_BOX_ORACLE_H

#include "narrowphase/local_manifold.h"
#include "state/geometry.h"

#include <stdbool.h>

/* Fills a manifold as dry_collide does for two boxes. Returns whether the reference face missed and the
 * contact was chosen again. */
bool box_oracle_collide(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                        float margin, dry_local_manifold *manifold);

#endif
