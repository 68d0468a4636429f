/* Islands: sets of awake bodies that contacts and joints connect. Islands do not interact within a step, so
 * each has its own substep count and sleeps by itself.
 *
 * Islands are rebuilt only after the graph changed. Reads the active contacts and joints. Writes
 * dry_body_sleep.island, the islands, and the edges. Passes over the graph read edges, which are twelve bytes
 * side by side, instead of a link and two slots at random. Next: solver/plan/difficulty.c. */
#ifndef SOLVER_PLAN_ISLANDS_H
#define SOLVER_PLAN_ISLANDS_H

#include "core/scratch.h"
#include "state/contacts.h"
#include "state/joints.h"

#include <drystone/world.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The measurements of an island that later stages read. */
typedef struct dry_island_rating {
    float guess;      /* a safe bound of its load while some body's is not measured, m/s^2; else 0 */
    float fall;       /* share by which an impact's impulses that fall go on to fall */
    float compliance; /* of its most loaded body with a known one, s^2; then the one of this step */
    float rest;       /* that of bodies whose contacts have lengths; where it settles the one that it takes */
    float fading;     /* share of the lengths that is left as the step begins; 1: its rest ends */
    float left;       /* share that this step leaves */
    bool falls;       /* a load that is measured first is that of an impact */
} dry_island_rating;

/* The bodies that were placed at rest, as static_load.c finds them. */
typedef enum dry_island_placement {
    DRY_NONE_PLACED,
    DRY_SOME_PLACED, /* there are some: weights go down through the island's contacts */
    DRY_PLACED       /* and they press on these */
} dry_island_placement;

/* How the joints of an island are solved. */
typedef enum dry_island_solved {
    DRY_JOINTS_NONE,
    DRY_JOINTS_SWEPT, /* rows of its joints are made in each substep */
    DRY_JOINTS_ALONE  /* all are solved directly, and nothing else acts */
} dry_island_solved;

typedef struct dry_island {
    int32_t bodies;    /* dynamic ones */
    int32_t manifolds; /* touching contacts, those with static bodies included */
    int32_t joints;
    int32_t first;        /* row of a body of it */
    int16_t tier;         /* of substeps: difficulty.c */
    uint16_t partition;   /* of the tier; 0 if the tier has slabs or one partition: plan/partitions.c */
    float shortest_timer; /* the shortest one of its bodies, s */
    int32_t ledger;       /* index into the solver's records: laws/ledger.c; -1: it has none */
    bool kinematic : 1;   /* touches an awake kinematic body or a belt, and so may not sleep */
    bool floating : 1;    /* two or more bodies, none of them fixed, locked, or held by a kinematic one */
    bool strained : 1;    /* some joint in sweeps bears more than the tier's substeps do */
    bool hinged : 1;      /* with held lever arms: it topples, as far as its supports tell: hinges.c */
    bool open : 1;        /* a joint is open as the step begins: step/correction.c */
    bool rises : 1;       /* points come up before it settles: rest.c */
    bool deep : 1;        /* it rises, or is to rise and lies deep: difficulty.c */
    bool thrusts : 1;     /* weights that go straight down do not balance: static_load.c */
    uint8_t placed;       /* a dry_island_placement: static_load.c */
    uint8_t solved;       /* a dry_island_solved: difficulty.c, layout.c */
    uint8_t before;       /* a dry_island_phase: the one that its bodies remember */
    uint8_t phase;        /* likewise, in this step: rest.c */
    uint8_t reason;       /* of the tier, a dry_tier_reason: difficulty.c */
    uint32_t features;    /* those of all its joints, DRY_JOINT_... */
    uint32_t direct;      /* those of its joints that are solved directly; 0: there are none */
    atomic_bool goes_on;  /* some point still rises; after a rest, lengths still fade: rest.c */
    float support;        /* normal forces of its contacts with fixed and kinematic bodies, N */
    float hinged_support; /* of those that are hinges, N */
    float compliance;     /* of its contacts, over that of the tier's: difficulty.c */
    dry_island_rating rated;
} dry_island;

/* Tells whether the contacts of an island have their lengths and keep them in this step. */
static inline bool dry_island_rests(const dry_island *island)
{
    return island->phase & (DRY_ISLAND_RESTS | DRY_ISLAND_STAYS);
}

/* Returns the range of bodies and bundles that an island belongs to: plan/layout.h. */
static inline int dry_island_range(const dry_island *island)
{
    return island->tier + (island->solved == DRY_JOINTS_SWEPT ? DRY_TIER_COUNT : 0);
}

/* The others, which difficulty.c takes of an island in passes over the bodies. */
typedef struct dry_island_measure {
    float load;           /* largest load of its bodies, m/s^2 */
    float joint_square;   /* of the largest frequency that a load of its joints asks for, rad^2/s^2 */
    float hertz;          /* the largest that a joint of it asks for, Hz */
    float low, high;      /* extent along gravity, m; for the guess */
    float radius, mass;   /* sums of the bodies' radii, m, and masses, kg; for the guess */
    float lightest_alone; /* of a body that no direct joint holds, kg; likewise */
    float squares;        /* sum of the squares of the bodies' speeds, m^2/s^2 */
    float spin;           /* the largest square of an angular velocity, rad^2/s^2 */
    float least_inverse, most_inverse; /* inverse masses of its heaviest and lightest body, 1/kg */
    float vibration;                   /* the largest of its joints that are solved directly, rad^2/s^2 */
    int32_t direct;  /* joints that are solved directly, and along whose axes nothing acts */
    int32_t heavy;   /* bodies whose load asks for more than 8 substeps */
    int32_t settled; /* bodies with a known compliance */
    int32_t resting; /* bodies whose contacts have lengths, all for the same compliance */
    float press;     /* of an island that settles: largest load of a point over its body's radius, 1/s^2 */
    bool fresh;      /* the load of some body is not measured yet */
} dry_island_measure;

/* An edge is a touching contact of an island. These stand for the rows of bodies in no island: bodies that
 * cannot move or sleep, and awake kinematic ones. */
enum { DRY_EDGE_FIXED = -1, DRY_EDGE_KINEMATIC = -2 };
enum { DRY_EDGE_UNCOLORED = 127 }; /* DRY_COLOR_NONE in seven bits */
typedef struct dry_edge {
    int32_t contact;
    int32_t row_a : 25; /* a world has fewer than 2^24 bodies; at least one row is in an island */
    uint32_t color : 7; /* DRY_COLOR_... */
    int32_t row_b;
} dry_edge;
_Static_assert(sizeof(dry_edge) == 12, "passes over the graph stream edges");

/* Joints with locked rows that hang together: joint_groups.c. */
typedef struct dry_joint_group {
    int32_t bodies, joints;
    bool grounded;       /* some joint holds a body to something that no impulse moves */
    bool locked, driven; /* some joint has locked rows; some has a motor */
    bool direct, loaded; /* for its graph; for its load */
} dry_joint_group;

typedef struct dry_islands {
    dry_island *island;
    dry_island_measure *measure; /* in scratch memory, for dry_difficulty_rate */
    dry_edge *edge;              /* by rising contact */
    int island_capacity, edge_capacity, count, edge_count;
    bool stale;             /* rows, joints or edges changed since the islands were built */
    bool patched;           /* only edges changed, and the edges are up to date */
    bool scheduled;         /* the solver's layout is of these islands in these tiers */
    dry_joint_group *group; /* only while some joint's solver is chosen for it */
    int32_t *group_of;      /* of each active joint; -1: none */
    int group_capacity, group_of_capacity, group_count;
    bool unloads;    /* some island has contacts whose impulses fall on */
    uint8_t phases;  /* of all islands, each a dry_island_phase */
    int32_t staying; /* bodies of islands that stay */
    bool turning;    /* some body of an island turns by more than DRY_MIDDLE_ANGLE in this step */
    bool leaving;    /* some island that stayed in the last step does not, or has other lever arms */
    bool weighed;    /* the weight that hangs on joints is that of the present gravity */
    bool grouped;    /* groups are those of the present joints, rows and settings */
} dry_islands;

/* Tells whether lengths of some island's contacts change in this step. */
static inline bool dry_islands_lengthen(const dry_islands *islands, const dry_contacts *contacts)
{
    const int fades = contacts->rest ? DRY_ISLAND_ENDS | DRY_ISLAND_FADES : 0;
    return islands->phases & (DRY_ISLAND_SETTLES | DRY_ISLAND_RISES | fades);
}

/* Reserves room for `edges` touching contacts. Returns false if memory fails. */
bool dry_islands_reserve(dry_islands *islands, dry_memory *memory, int edges);

/* A patch of the edges: first removes the edges of contacts that ended, by rising contact; then inserts those
 * of contacts that began, by falling contact. In a pile some hundreds of tens of thousands change in each
 * step. The edges between are moved in runs, within the array. Islands must not be stale. */
typedef struct dry_edge_patch {
    dry_islands *islands;
    int read, write; /* the edges between the two are free */
} dry_edge_patch;

dry_edge_patch dry_islands_begin_removing(dry_islands *islands);
void dry_islands_remove_edge(dry_edge_patch *patch, int contact);
void dry_islands_end_removing(dry_edge_patch *patch);
/* Begins inserting `count` edges. Room must be reserved. */
dry_edge_patch dry_islands_begin_inserting(dry_islands *islands, int count);
void dry_islands_insert_edge(dry_edge_patch *patch, const dry_bodies *bodies, const dry_contacts *contacts,
                             int contact);

/* Builds the islands, numbered by their first row, and the edges if they are not patched. Room for the edges
 * must be reserved. Returns false if memory fails. If it fails for the islands, these stay stale, no body is
 * in an island, and the edges are the new ones. */
bool dry_islands_build(dry_islands *islands, dry_memory *memory, dry_scratch *scratch, dry_bodies *bodies,
                       const dry_contacts *contacts, const dry_shapes *shapes, const dry_joints *joints);

struct dry_solver_step;
/* Sets the supports of every island, and whether it is hinged. (hinges.c) */
void dry_islands_find_supports(struct dry_solver_step *step);
/* Gives contacts below bodies that were placed at rest the impulses with which they carry them, before a
 * sweep has found these. Returns false if memory fails; the next call then gives them. (static_load.c) */
bool dry_static_loads(struct dry_solver_step *step, dry_memory *memory, dry_scratch *scratch);
/* Gives a load to the joints whose load is not known, if something holds their bodies or springs pull at
 * them. Returns false if memory fails. (hanging_load.c) */
bool dry_hanging_loads(struct dry_solver_step *step, dry_memory *memory, dry_scratch *scratch);

/* Islands at rest (rest.c): the springs of their contacts have lengths at which they bear the load. */

/* Tells whether a load, or what it asks for, is another now. */
static inline bool dry_load_changed(float before, float now)
{
    return !(now <= 1.5f * before && before <= 1.5f * now);
}

/* Tells whether contacts alone hold an island, and take lengths once it is calm. */
bool dry_island_may_settle(const struct dry_solver_step *step, const dry_island *island);
/* Finds which islands rest, settle, or end their rest in this step, and the compliance of those that settle,
 * of the tier `least` or above; where bodies were placed at rest, of `floor` at most. Each tier's sweeps
 * converge on `converged`, s^2. Loads above `beyond`, m/s^2, are more than stiffness bears. */
void dry_rest_find(const struct dry_solver_step *step, const float *converged, int least, int floor,
                   float beyond);
/* Returns dry_body_sleep.rest of a body of an island after a step. A rest ends if some body is not slow, or
 * if its load, once `load`, is another now, m/s^2. */
float dry_rest_after(const struct dry_solver_step *step, int island, bool slow, float load, float measured);

/* Groups of joints, by which it is chosen how joints are solved whose solver is `auto`. (joint_groups.c) */

/* Returns the square of the frequency of a spring of two sides, rad^2/s^2; 0 for other joints. */
float dry_joint_spring_square(const struct dry_solver_step *step, int joint);
/* Finds the groups, unless they are found already, and marks the joints that they make direct. Returns false
 * if memory fails. */
bool dry_joint_groups_update(struct dry_solver_step *step, dry_memory *memory, dry_scratch *scratch);
/* Marks the joints of the groups in which some joint is overloaded. Returns true if there are more than
 * before. */
bool dry_joint_groups_load(struct dry_solver_step *step,
                           bool (*is_overloaded)(const struct dry_solver_step *step, int joint));

/* The masses that motors to a position move. (motor_masses.c) */

/* Sweeps converge on a chain of springs while their own frequency times the substep is below this: 40 springs
 * that hang at rest stay there at 0.75, and swing by themselves at 0.93. */
#define DRY_SPRING_ANGLE 0.65f

/* The masses that a joint's motors move. */
typedef struct dry_motor_masses {
    float mass[DRY_AXIS_COUNT]; /* along each axis, kg or kg m^2; 0: that of the joint's two bodies */
    float rate;                 /* of the substeps that they ask for, 1/s */
} dry_motor_masses;

/* Finds these masses for the active joints that have such motors. Returns false if memory fails. */
bool dry_find_motor_masses(struct dry_solver_step *step, dry_memory *memory, dry_scratch *scratch);
/* Returns those of an active joint; null if it has no such motor. */
const dry_motor_masses *dry_motor_masses_of(const struct dry_solver_step *step, int joint);

#endif
