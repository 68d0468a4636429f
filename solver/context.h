/* The solver: from manifolds and joints to new velocities and displacements.
 *
 * Stages, in the order step/step.c calls them:
 *   layout (bands.c, slabs.c,    classes cut into bands,
 *           layout.c)            constraints dealt into bundles by class, band and colour
 *   begin bodies (bodies.c)      velocities whitened, forces turned into a substep's change
 *   prepare (prepare_*.c)        bundles filled from manifolds, joints, poses
 *   solve (substeps.c, passes.c)  N substeps: forces; sweeps; move; relax
 *   impacts (substeps.c)         restitution
 *   store (store.c)              impulses back to manifolds and joints
 * and step/finalize.c takes rows back to poses and velocities. */
#ifndef SOLVER_CONTEXT_H
#define SOLVER_CONTEXT_H

#include "jobs/jobs.h"
#include "simd/processor.h"
#include "solver/bundles.h"
#include "solver/contacts/source.h"
#include "solver/islands/islands.h"
#include "solver/rows/body_blocks.h"
#include "solver/sweep.h"
#include "state/contacts.h"
#include "state/joints.h"

#include <stdatomic.h>

/* What momentum.c sums up; only where an island floats. */
typedef struct dry_drift_row {
    float force[3];  /* what forces change ul by in one substep */
    float moved[3];  /* ul when the body last moved */
    float torque[3]; /* sum of displacement x impulse, N m s */
} dry_drift_row;

/* In the order in which a sweep goes through them. */
typedef enum dry_kind { DRY_KIND_BALL, DRY_KIND_DISTANCE, DRY_KIND_CONTACT, DRY_KIND_COUNT } dry_kind;

typedef struct dry_bundle_range {
    int begin, end;
} dry_bundle_range;

/* What can be solved side by side: the bundles of one colour of one band. OVERFLOW's, a band's last, are
 * solved one after the other. */
typedef struct dry_phase {
    int color;
    dry_bundle_range bundles[DRY_KIND_COUNT];
} dry_phase;

/* Bodies of a class, and the constraints whose lowest body is one of them (bands.c). Most classes have one
 * band; where there are more, no constraint reaches past the next one's bodies. */
typedef struct dry_band {
    int body_begin, body_end; /* in dry_solver.order */
    int phase_begin, phase_end;
} dry_band;

/* Where a class's constraints and bodies are. */
typedef struct dry_class_range {
    int substeps, sweeps;
    int body_begin, body_end;   /* in dry_solver.order */
    bool floating;              /* some island of it floats */
    atomic_bool locked;         /* some body of it has locked axes; set from workers */
    bool bands_apart;           /* no constraint joins bodies of two bands */
    int band_begin, band_end;   /* in dry_solver.bands */
    int phase_begin, phase_end; /* in the order in which a sweep goes through them; none is empty */
    dry_bundle_range bundles[DRY_KIND_COUNT]; /* of all phases */
} dry_class_range;

typedef struct dry_solver_state {
    dry_level level; /* whose kernels the world runs */
    /* Row r + 1 of these belongs to body row r; row 0 is zero and stands for what cannot be pushed. */
    dry_solver_row *rows;
    dry_solver_row *sums; /* Jacobi only */
    dry_start_row *start; /* row r of this and the next two belongs to body row r; a world lends the memory */
    dry_drift_row *drift; /* only while some island floats */
    bool *unsound;        /* not finite or over the speed limits: finalize puts the body in quarantine */
    int32_t *order;       /* awake dynamic rows by class and band */
    dry_contact_bundle *contact;
    dry_contact_lanes *lanes; /* of each contact bundle, as its note is */
    dry_contact_note *notes;
    dry_contact_bundle_rare *rare; /* records in the order of their bundles; 0 is what ordinary ones share */
    dry_ball_bundle *ball;
    dry_distance_bundle *distance;
    struct dry_island_momentum *momentum; /* one for each floating island */
    int momentum_capacity, momentum_count;
    int rows_capacity, sums_capacity, start_capacity, drift_capacity, unsound_capacity, order_capacity;
    int contact_capacity, lanes_capacity, notes_capacity, rare_capacity, ball_capacity, distance_capacity;
    int contact_count, ball_count, distance_count; /* bundles in this step */
    dry_class_range ranges[DRY_TIER_COUNT];
    dry_band *bands;
    dry_phase *phases;
    struct dry_deal *deals; /* layout.c: one for each band of each class */
    int bands_capacity, phases_capacity, deals_capacity, phase_count;
    dry_solver dealt_for; /* the setting when constraints were dealt */
    uint16_t *slab;       /* slabs.c: by row, of the first `slab_rows`; 0 rows: there are none. All of
                             `slab_classes` together */
    int32_t *slab_bodies; /* how many each slab has */
    int slab_capacity, slab_bodies_capacity, slab_rows, slab_count;
    int slab_wait;         /* dealings until they are looked for again */
    uint32_t slab_classes; /* bit c: they were found for class c */
    int colors;            /* colours in use, for statistics */
    int overflow;          /* constraints that found none */
    atomic_bool impacts;   /* some bundle may bounce; set from workers */
    atomic_bool hits;      /* some lane approaches faster than hit_speed_min; likewise */
    atomic_bool marked;    /* some bundle wants a rare record; likewise */
} dry_solver_state;

/* What every stage of one step is given. */
typedef struct dry_solver_step {
    dry_solver_state *state;
    const dry_settings *settings;
    dry_jobs *jobs;
    dry_bodies *bodies;
    const dry_shapes *shapes;
    dry_contacts *contacts;
    dry_joints *joints;
    dry_islands *islands;
    uint64_t number; /* steps done before this one, and which stage is under way: for probes */
    dry_stage stage;
    float dt;
} dry_solver_step;

/* The row of a body that belongs to an island; -1 if it does not. */
static inline int dry_island_row(const dry_solver_step *step, int body)
{
    int row = dry_bodies_row(step->bodies, body);
    return row < step->bodies->awake_count && step->bodies->rest[row].island >= 0 ? row : -1;
}

void dry_solver_free(dry_solver_state *state, dry_memory *memory);

/* The substeps of a class under these settings. */
int dry_island_substeps(const dry_settings *settings, int island_class);
/* The sweeps with the position term of a class, in each substep. */
int dry_island_sweeps(const dry_settings *settings, int island_class);
/* The class of an island, from what it is and what it was. */
void dry_difficulty_rate(dry_solver_step *step);

/* bands.c: how many bands each class has, 0 if it has no bodies. Which a body is in, dry_island.band says
 * where they are apart, state->slab where not. False if memory fails. */
bool dry_bands_update(dry_solver_step *step, dry_memory *memory, int bands[DRY_TIER_COUNT]);
/* slabs.c: those of the classes whose bits are set, kept or found; state->slab_rows is 0 where there are
 * none. False if memory fails. */
bool dry_slabs_update(dry_solver_step *step, dry_memory *memory, uint32_t classes);
/* Sorts constraints into bundles; false, and nothing changed outside, if memory fails. */
bool dry_solver_layout(dry_solver_step *step, dry_memory *memory);
void dry_solver_begin_bodies(dry_solver_step *step);
/* False, and nothing changed outside, if memory for rare records fails. */
bool dry_solver_prepare(dry_solver_step *step, dry_memory *memory);
void dry_solver_solve(dry_solver_step *step);
void dry_solver_impacts(dry_solver_step *step);
void dry_solver_store(dry_solver_step *step);

/* momentum.c: what impulses at moved bodies would do to a floating island's angular momentum. */
void dry_momentum_free(dry_solver_state *state, dry_memory *memory);
bool dry_momentum_reserve(dry_solver_step *step, dry_memory *memory);
/* Of some bodies of a class with floating islands, after each substep and after the impacts. */
void dry_momentum_gather(const dry_solver_step *step, const int32_t *rows, int count, float h);
void dry_momentum_repair(dry_solver_step *step);

/* The parts of prepare, for bundles [begin, end) of a class with substeps of length h. The first leaves
 * contact bundles that want a rare record marked with -1; when they have records, the second fills them. */
void dry_prepare_contacts(const dry_solver_step *step, int begin, int end, float h);
void dry_prepare_rare_contacts(const dry_solver_step *step, int begin, int end, float h);
void dry_prepare_balls(const dry_solver_step *step, int begin, int end, float h);
void dry_prepare_distances(const dry_solver_step *step, int begin, int end, float h);

/* SPOOK's parameters for one kind of constraint in substeps of length h. */
typedef struct dry_spook {
    float rate;              /* a [Spook 9], 1/s */
    float relative_softness; /* eps / S_ii, for stiffness as a frequency */
    float softness;          /* eps [Spook 11], 1/kg, for stiffness as k */
    float approach;          /* 1 - b [Spook 10] */
} dry_spook;

/* From a frequency (Hz) and a damping ratio on the constraint's own mass: k = w^2 / S_ii, d = 2 zeta / (w h).
 */
dry_spook dry_spook_from_hertz(float hertz, float ratio, float h);
/* From k (N/m) and d (substeps). */
dry_spook dry_spook_from_stiffness(float stiffness, float damping, float h);
/* The contact spring that the settings ask for. */
dry_spook dry_spook_contact(const dry_settings *settings, float h);

/* "Rigid" is as stiff as substeps of length h converge on: a quarter of their rate, but not beyond what any
 * scene needs, so that tiny steps do not turn rounding into speed. */
#define DRY_HERTZ_PER_SUBSTEP_RATE 0.25f
#define DRY_HERTZ_MAX 1000.0f
float dry_hertz_of_substep(float h);

#endif
