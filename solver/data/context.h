/* The solver's memory between and within steps, and the parts of a world that its stages are given. */
#ifndef SOLVER_DATA_CONTEXT_H
#define SOLVER_DATA_CONTEXT_H

#include "core/math.h"
#include "jobs/jobs.h"
#include "simd/processor.h"
#include "solver/data/articulations.h"
#include "solver/data/contacts/bundle.h"
#include "solver/data/solver_row.h"
#include "solver/data/tiers.h"
#include "state/contacts.h"
#include "state/joints.h"

#include <stdatomic.h>

/* The bundles of one kind. */
typedef struct dry_bundle_array {
    void *bundle;                /* of the kind's own type, in scratch memory */
    dry_bundle_members *members; /* of each bundle */
    int members_capacity, count;
} dry_bundle_array;

/* Bodies whose changes are summed one after the other. The sums of these blocks are then added in order, so
 * that threads do not change the result. */
enum { DRY_CHANGE_BLOCK = 512 };

/* Slabs, slabs.c. Where constraints go by layers, `slab` has the band of each row. */
typedef struct dry_slabs {
    uint16_t *slab;  /* of each of the first `rows` rows in `tiers`; 0 rows: there are no slabs */
    int32_t *bodies; /* the number of bodies in each of `count` slabs */
    int capacity, bodies_capacity, rows, count;
    int wait;       /* steps until slabs are searched for again */
    uint32_t tiers; /* bit t: tier t has slabs */
} dry_slabs;

/* The plan of a step, which plan/ keeps while nothing changes. Capacities stand where they leave no gap. */
typedef struct dry_plan {
    dry_tier_range *ranges; /* of all tiers; twice as many once there were joints: tiers.h */
    int32_t *order;         /* awake dynamic rows by tier and partition */
    dry_partition *partitions;
    dry_phase *phases;                /* of all tiers; one more, without bundles, ends the last one */
    int32_t *constraints;             /* of each awake row, among which its mass is split; null: it is not */
    struct dry_motor_masses *motors;  /* of each active joint; only while some joint has DRY_JOINT_SERVO */
    struct dry_island_layers *layers; /* of each island, only while constraints go by layers */
    dry_slabs slabs;
    int range_count, order_capacity, partitions_capacity, phases_capacity, constraints_capacity,
        layers_capacity, motors_capacity, phase_count;
    uint32_t slabs_wanted;   /* bit t: tier t of the last layout is large enough for them */
    int colors;              /* colors in use, for statistics */
    int overflow;            /* constraints without a color */
    dry_solver assigned_for; /* the method when constraints were assigned */
    dry_order assigned_in;   /* and their order */
} dry_plan;

/* The rows of awake bodies: bodies/. */
typedef struct dry_body_rows {
    /* Row r + 1 belongs to body row r. Row 0 is zero: it stands for bodies that no impulse moves. */
    dry_solver_row *rows;
    dry_solver_row
        *sums; /* only for a method that needs them or keeps forces there, or adaptive relaxation */
    /* Adaptive relaxation alone has these. Values of each block of a tier's bodies in a sweep; the last
     * sweep's change, sqrt(J), negative before a substep's first one; and the relaxation that follows. */
    double *changes, change;
    float relaxation;
    dry_start_row *start; /* row r of this and the next two belongs to body row r; scratch memory */
    uint32_t *load;       /* bits of each body's largest load in this step, m/s^2 */
    /* By how much each body that has joints has turned in this step, rad; only while joints are active. Stage
     * "finalize" writes it, sleep.c reads it. */
    float *turned_angle;
    uint8_t *invalid;                      /* dry_motion_fault: a body with one goes into quarantine */
    bool *rested;                          /* of one that stays: its rest pose is another one from now on */
    struct dry_momentum_row *momentum_row; /* only while some island floats; scratch memory */
    struct dry_turned_row
        *turned; /* by row; only while bodies turn their frames within a step: bodies/turned.h */
    struct dry_stiffened_row *stiffened; /* by row; only with geometric stiffness: bodies/stiffened.h */
    struct dry_row_frame *frames;        /* by row; only while rows of joints are those of a substep */
    atomic_bool some_rested;             /* some of `rested` are true; set from workers */
    int rows_capacity, sums_capacity, changes_capacity, load_capacity, turned_angle_capacity;
    int invalid_capacity, rested_capacity, turned_capacity, turned_count, stiffened_capacity;
    int stiffened_count, frames_capacity, frames_count;
    int frames_turning; /* bodies that turn their frames */
} dry_body_rows;

/* Bundles, and what their sweeps share: sweeps/. */
typedef struct dry_bundle_set {
    dry_bundle_array bundles[DRY_KIND_COUNT];
    dry_contact_header *headers; /* of each contact bundle */
    const void *kept;            /* contact bundles from here on are still in memory; null: none are */
    dry_contact_cold *cold; /* cold blocks in the order of their bundles; ordinary bundles share block 0 */
    dry_contact_impact *impact;         /* blocks of impacts in the order of their bundles, from 1 on */
    dry_contact_stiction *stiction;     /* as `cold`; only while some shape has static friction */
    struct dry_contact_spring *springs; /* likewise; only while some shape has a stiffness */
    dry_contact_compliance *compliance; /* of each contact bundle */
    dry_contact_turning *turning;       /* of each contact bundle; only while some contact turns */
    struct dry_contact_past *past;      /* of each contact bundle; only while some impulses fall on */
    struct dry_impact_row *impact_rows; /* only while something may bounce; as the rows of bodies */
    struct dry_island_impacts *island_impacts;
    dry_impact_counts impact_counts;
    int headers_capacity, cold_capacity, impact_capacity, compliance_capacity, stiction_capacity,
        springs_capacity, past_capacity, turning_capacity;
    int impact_rows_capacity, island_impacts_capacity;
    float stored_dt;     /* of the step that stored the bundles, s; 0: they have to be prepared */
    dry_level level;     /* whose kernels the world runs */
    atomic_bool impacts; /* some lane with restitution approaches; set from workers */
    atomic_bool hits;    /* some lane approaches faster than hit_speed_min; set from workers */
    atomic_bool open;    /* some joint is open, of those whose rows are made in lanes; set from workers */
    bool all_cold;       /* the settings give each contact bundle a cold block */
    atomic_bool marked;  /* some bundle needs a block; set from workers */
} dry_bundle_set;

/* Records of the laws, which bound energy and momentum and hold joints: laws/. */
typedef struct dry_law_records {
    struct dry_island_ledger *ledger; /* of each island that keeps momentum or has an account */
    struct dry_linkage *linkage; /* those whose energy is bounded within the step: methods/linkage_energy.c */
    int32_t *linkage_row;        /* the rows of each, by rising row */
    double *stored; /* of each joint by slot: by how much the energy of its springs has grown, J */
    double *search; /* of each island, while rows of joints are those of a substep: the slope and the curve of
                       its energy by the impulses that it begins with: sweeps/line_search.c */
    struct dry_joint_hold *hold; /* of each active joint, for methods that hold joints: laws/hold.c */
    int32_t *held;               /* the numbers of those that are held, by figure */
    int32_t *moved_in;  /* of each row, likewise: which move of its figure moved its body last; before
                           the first, the first joint of a figure */
    int32_t *figure_of; /* and the set of bodies on joints that it is of, by core/disjoint_sets.h */
    int ledger_capacity, ledger_count, stored_capacity, linkage_capacity, linkage_row_capacity;
    int search_capacity, hold_capacity, held_capacity, held_count, moved_in_capacity, figure_of_capacity;
    uint64_t repairs; /* of energy, since the world was created */
    bool stores;      /* some island with an account has springs */
    bool floats;      /* some island floats */
} dry_law_records;

/* One part for each room that keeps something. */
typedef struct dry_solver_state {
    dry_plan plan;
    dry_body_rows bodies;
    dry_articulations articulations;
    dry_bundle_set sweeps;
    dry_law_records laws;
    struct dry_blocks *blocks; /* only for a method that descends on bodies; kept by methods/blocks */
} dry_solver_state;

/* The parts of a world that every stage of one step is given. */
typedef struct dry_solver_step {
    dry_solver_state *state;
    const dry_settings *settings;
    const struct dry_method *method;            /* that the settings choose */
    const struct dry_sweep_order *order;        /* likewise; null: the default one (method.h) */
    const dry_constraint_kind *const *kinds;    /* of each dry_kind */
    const struct dry_solver_part *const *parts; /* by dry_solver_part_index; null: the part is absent */
    dry_jobs *jobs;
    dry_bodies *bodies;
    const dry_shapes *shapes;
    dry_contacts *contacts;
    dry_joints *joints;
    struct dry_islands *islands;
    uint64_t number; /* steps done before this one; for probes, as is `stage` */
    dry_stage stage;
    float dt;
    int held;    /* rows from this one on are of bodies that a step of some bodies holds as static */
    bool stored; /* bundles of contacts are as the last step stored them, for the same lanes */
} dry_solver_step;

/* Returns the bundles of a kind in the phases of a tier; those of articulations are not among them. */
static inline dry_bundle_range dry_swept_bundles(const dry_solver_state *state, const dry_tier_range *range,
                                                 int kind)
{
    return (dry_bundle_range){state->plan.phases[range->phase_begin].begin[kind],
                              state->plan.phases[range->phase_end].begin[kind]};
}

/* Returns those that act on the tier's articulations. */
static inline dry_bundle_range dry_coupled_bundles(const dry_solver_state *state, const dry_tier_range *range,
                                                   int kind)
{
    return dry_phase_bundles(&state->plan.phases[range->phase_end], kind);
}

/* Returns all bundles of a kind in a tier: those of its phases, then the coupled ones. */
static inline dry_bundle_range dry_tier_bundles(const dry_solver_state *state, const dry_tier_range *range,
                                                int kind)
{
    return (dry_bundle_range){state->plan.phases[range->phase_begin].begin[kind],
                              state->plan.phases[range->phase_end + 1].begin[kind]};
}

/* Computes the displacement of a solver row since the step began, whitened, `ahead` seconds later. */
static inline void dry_row_displacement(const dry_solver_row *r, float ahead, float d[6])
{
    for (int k = 0; k < 6; k++)
        d[k] = ahead > 0.0f ? r->d[k] + ahead * r->u[k] : r->d[k];
}

/* Returns the contact bundles. */
static inline dry_contact_bundle *dry_contact_bundles(const dry_solver_state *state)
{
    return state->sweeps.bundles[DRY_KIND_CONTACT].bundle;
}

/* Returns the row of a body that belongs to an island; -1 if the body belongs to none. */
static inline int dry_island_row(const dry_solver_step *step, int body)
{
    if (body < 0) /* the world */
        return -1;
    int row = dry_bodies_row(step->bodies, body);
    return row < step->bodies->awake_count && step->bodies->sleep[row].island >= 0 ? row : -1;
}

/* Returns how many times as much a contact gives way, for its effective mass, as one of two bodies that move:
 * more than once if one of its bodies sleeps. That one holds the other like a static body does, but the
 * spring between the two is the same. */
static inline float dry_sleeper_gives(const dry_solver_step *step, int contact)
{
    const dry_bodies *bodies = step->bodies;
    const dry_contact_link *link = &step->contacts->link[contact];
    const int row[2] = {dry_bodies_row(bodies, link->body_a), dry_bodies_row(bodies, link->body_b)};
    const bool sleeps[2] = {row[0] >= bodies->awake_count, row[1] >= bodies->awake_count};
    if (sleeps[0] == sleeps[1] || dry_max_int(row[0], row[1]) >= step->held)
        return 1.0f;
    const float held = bodies->mass[row[sleeps[0]]].inverse_mass,
                holds = bodies->mass[row[sleeps[1]]].inverse_mass;
    return held > 0.0f ? (held + holds) / held : 1.0f;
}

/* Finds the rows of a joint's bodies that belong to an island, all to one. Returns how many there are. */
static inline int dry_joint_rows_of(const dry_solver_step *step, int joint, int row[DRY_JOINT_SIDES])
{
    const dry_joint *of = &step->joints->joint[joint];
    int count = 0;
    for (int side = 0; side < dry_joint_sides(of); side++) {
        row[count] = dry_island_row(step, dry_joint_body(step->joints, joint, side));
        count += row[count] >= 0;
    }
    return count;
}

/* Returns their island; -1: no body of the joint belongs to one. */
static inline int dry_joint_island(const dry_solver_step *step, int joint)
{
    int row = -1;
    for (int side = 0; side < dry_joint_sides(&step->joints->joint[joint]) && row < 0; side++)
        row = dry_island_row(step, dry_joint_body(step->joints, joint, side));
    return row < 0 ? -1 : step->bodies->sleep[row].island;
}

/* Returns among how many constraints the mass of a body of an island is split; 1 if it is not, or if no row
 * has the body. A body whose copies all move must be counted with all its constraints, also those of
 * overflow: with fewer, the copies' changes add up to more than the constraints asked for, and grow from
 * sweep to sweep.
 */
static inline float dry_mass_share(const dry_solver_state *state, int row)
{
    return state->plan.constraints && row >= 0 ? (float)dry_max_int(1, state->plan.constraints[row]) : 1.0f;
}

#endif
