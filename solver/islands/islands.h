/* Islands: sets of awake bodies that contacts and joints connect. They do not interact within a step, so
 * each has its own substep count and sleeps by itself.
 *
 * Rebuilt only after the graph changed. Reads the active contacts and joints; writes dry_body_rest.island,
 * the islands, and the edges: what passes over the graph read, twelve bytes side by side instead of a link
 * and two slots at random. Next: solver/islands/difficulty.c. */
#ifndef SOLVER_ISLANDS_ISLANDS_H
#define SOLVER_ISLANDS_ISLANDS_H

#include "core/scratch.h"
#include "state/contacts.h"
#include "state/joints.h"

typedef struct dry_island {
    int32_t bodies;    /* dynamic ones */
    int32_t manifolds; /* touching contacts, those with static bodies included */
    int32_t joints;
    int16_t island_class; /* by substeps: difficulty.c */
    uint16_t band;        /* in its class; 0 where that has slabs or one band: bands.c */
    float rest_time;      /* the shortest rest timer of its bodies, s */
    float ratio;          /* largest ratio of two of its bodies' masses, in touch or jointed */
    int32_t momentum;     /* index into the solver's records, if floating */
    bool driven;          /* touches a moving kinematic body: may not sleep */
    bool floating;        /* two or more bodies that nothing fixed, moved or locked holds */
} dry_island;

/* What difficulty.c gathers about an island in one pass over its bodies. */
typedef struct dry_island_measure {
    float low, high; /* extent along gravity, m */
    float radius;    /* mean radius of its bodies, m; the sum first */
} dry_island_measure;

/* A touching contact of an island. Rows that no island has: */
enum { DRY_EDGE_FIXED = -1, DRY_EDGE_DRIVEN = -2 }; /* cannot move or sleeps; awake and kinematic */
enum { DRY_EDGE_UNCOLORED = 127 };                  /* DRY_COLOR_NONE in seven bits */
typedef struct dry_edge {
    int32_t contact;
    int32_t row_a : 25; /* there are 2^24 bodies at most; one of the two in an island */
    uint32_t color : 7; /* DRY_COLOR_... */
    int32_t row_b;
} dry_edge;
_Static_assert(sizeof(dry_edge) == 12, "a walk over the graph streams them");

typedef struct dry_islands {
    dry_island *island;
    dry_island_measure *measure;
    dry_edge *edge; /* by rising contact */
    int island_capacity, measure_capacity, edge_capacity;
    int count, edge_count;
    bool stale;    /* rows, joints or edges changed since they were built */
    bool patched;  /* no more than edges did, and those are up to date */
    bool measured; /* `measure` has the radii of these islands */
    bool dealt;    /* the solver's layout is of these islands in these classes */
} dry_islands;

/* Room for `edges` touching contacts; false if memory fails. */
bool dry_islands_reserve(dry_islands *islands, dry_memory *memory, int edges);
void dry_islands_free(dry_islands *islands, dry_memory *memory);

/* The edges of contacts that ended, then of those that began, each in rising order, the second from the last
 * one down: in a pile some hundreds change in each step, of tens of thousands. What stays is moved in runs,
 * within the array. Only while the islands are not stale. */
typedef struct dry_edge_patch {
    dry_islands *islands;
    int read, write; /* what lies between is to be written over */
} dry_edge_patch;

dry_edge_patch dry_islands_begin_removing(dry_islands *islands);
void dry_islands_remove_edge(dry_edge_patch *patch, int contact);
void dry_islands_end_removing(dry_edge_patch *patch);
/* Room for so many more must be reserved. */
dry_edge_patch dry_islands_begin_inserting(dry_islands *islands, int count);
void dry_islands_insert_edge(dry_edge_patch *patch, const dry_bodies *bodies, const dry_contacts *contacts,
                             int contact);

/* Builds islands afresh, numbered by their first row; the edges too, if they are not patched. Room for the
 * edges must be reserved. Returns false if memory fails. If it fails for the islands, these stay stale, no
 * body is in one, and the edges are the new ones. */
bool dry_islands_build(dry_islands *islands, dry_memory *memory, dry_scratch *scratch, dry_bodies *bodies,
                       const dry_contacts *contacts, const dry_joints *joints);

#endif
