/* Islands: sets of awake bodies that contacts and joints connect. They do not interact within a step, so
 * each has its own substep count and sleeps by itself.
 *
 * Rebuilt only after the graph changed. Reads the active contacts and joints; writes dry_body_rest.island
 * and the islands. Next: solver/difficulty.c. */
#ifndef SOLVER_ISLANDS_H
#define SOLVER_ISLANDS_H

#include "narrowphase/contact_columns.h"
#include "solver/joint_columns.h"

typedef struct dry_island {
    int32_t bodies;    /* dynamic ones */
    int32_t manifolds; /* touching contacts, those with static bodies included */
    int32_t joints;
    int32_t island_class; /* by substeps: difficulty.c */
    float rest_time;      /* the shortest rest timer of its bodies, s */
    int32_t momentum;     /* index into the solver's records, if floating */
    bool driven;          /* touches a moving kinematic body: may not sleep */
    bool floating;        /* two or more bodies that nothing fixed, moved or locked holds */
} dry_island;

/* What difficulty.c gathers about an island in one pass over its bodies and contacts. */
typedef struct dry_island_measure {
    float low, high; /* extent along gravity, m */
    float radius;    /* mean radius of its bodies, m; the sum first */
    float ratio;     /* largest ratio of two touching bodies' masses */
} dry_island_measure;

typedef struct dry_islands {
    dry_island *island;
    dry_island_measure *measure;
    int32_t *parent; /* union-find over awake rows */
    int island_capacity, measure_capacity, parent_capacity;
    int count;
    bool stale; /* the graph changed since they were built */
} dry_islands;

/* Room for `rows` awake rows; false if memory fails. */
bool dry_islands_reserve(dry_islands *islands, dry_memory *memory, int rows);
void dry_islands_free(dry_islands *islands, dry_memory *memory);

/* Builds islands afresh, numbered by their first row. Room for the awake rows must be reserved. */
void dry_islands_build(dry_islands *islands, dry_bodies *bodies, const dry_contacts *contacts,
                       const dry_joints *joints);

#endif
