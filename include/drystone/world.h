/* SPDX-License-Identifier: MIT
 * Worlds: creation, settings, the step, statistics, hashes. */
#ifndef DRYSTONE_WORLD_H
#define DRYSTONE_WORLD_H

#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The instruction set that the solver's kernels run on. All give the same bits. */
typedef enum dry_isa {
    DRY_ISA_AUTO = 0, /**< the widest that this build and this processor have */
    DRY_ISA_SCALAR,
    DRY_ISA_SSE2,
    DRY_ISA_NEON,
    DRY_ISA_AVX2,
    DRY_ISA_AVX512,
    DRY_ISA_COUNT
} dry_isa;

/** How the constraint equation is iterated. */
typedef enum dry_solver {
    DRY_SOLVER_GAUSS_SEIDEL = 0, /**< colour by colour [Spook 17-20]; the default */
    DRY_SOLVER_JACOBI,           /**< all constraints at once, each body's mass split among them */
    DRY_SOLVER_COUNT
} dry_solver;

/** How friction is limited. */
typedef enum dry_friction {
    DRY_FRICTION_CONE = 0,   /**< |f| <= mu * normal impulse, at the patch's centre, with torsion */
    DRY_FRICTION_SCALED_BOX, /**< each tangent within mu * reduced mass * g * h [Spook 43-44] */
    DRY_FRICTION_TWO_PHASE,  /**< cone limited by the normal impulses of the sweep before [Spook p. 9] */
    DRY_FRICTION_VELOCITY,   /**< cone along the present sliding velocity [Spook p. 9] */
    DRY_FRICTION_COUNT
} dry_friction;

/** Everything that may be tuned, all of it changeable between steps. 0 in a count or a stiffness means
 *  "choose for me". */
typedef struct dry_settings {
    dry_vec3 gravity;      /**< m/s^2, each |component| <= 1e6; (0, -9.81, 0) */
    dry_solver solver;     /**< Gauss-Seidel */
    dry_friction friction; /**< cone */
    int substeps;          /**< 1 to 256 for all islands; 0: each island its own, by its difficulty */
    int substeps_min;      /**< floor of the automatic choice, 1 to 256; 4 */
    int substeps_max;      /**< ceiling of the automatic choice, substeps_min to 256; 32 */
    int sweeps; /**< sweeps with the position term per substep, 1 to 256, for all islands; 0: each island its
                     own: where it asks for more substeps than substeps_max, sweeps make up for it; 0
                     (Jacobi runs each twice) */
    int sweeps_min;              /**< floor of the automatic choice, 1 to 256; 1 */
    int sweeps_max;              /**< ceiling of the automatic choice, sweeps_min to 256; 4 */
    int relax_sweeps;            /**< sweeps without it per substep, 0 to 256; 1 */
    bool warm_start;             /**< start from the last step's impulses; true */
    float contact_hertz;         /**< contact stiffness as a frequency on the pair's own mass, 0 to 1e5 Hz;
                                      0: a fixed share of the substep rate */
    float contact_damping_ratio; /**< damping ratio of that spring, 0 to 1e3 */
    float contact_stiffness;     /**< k of [Spook 11], N/m, 0 to 1e15; if not 0 it replaces contact_hertz */
    float contact_damping;       /**< d of [Spook 9-11], in substeps, 0 to 1e3; used with contact_stiffness */
    float push_out_speed_max;    /**< largest speed at which overlap is pushed apart, m/s, > 0; 4 */
    float restitution_speed_min; /**< approach speed below which nothing bounces, m/s, >= 0; 1 */
    float hit_speed_min;         /**< approach speed above which a hit event is made, m/s, >= 0; 1 */
    float speculative_margin;    /**< contacts exist from this distance on, m, 0 to 1; 0.02 */
    float recycle_distance;      /**< a manifold is updated, not rebuilt, while its bodies moved less
                                      relative to each other, m, >= 0; 0 rebuilds always */
    int colors_max;              /**< colours before constraints overflow, 1 to 64; 0: 64 */
    bool sleep;                  /**< islands at rest go to sleep; true */
    float sleep_speed_max;       /**< m/s (and the same at a body's rim), >= 0; 0.05 */
    float sleep_after;           /**< seconds at rest before sleep, >= 0; 0.5 */
} dry_settings;

/** The stages of a step, in order. */
typedef enum dry_stage {
    DRY_STAGE_PAIRS = 0, /**< bounds, tree, new pairs */
    DRY_STAGE_CONTACTS,  /**< narrowphase, manifolds updated or rebuilt */
    DRY_STAGE_GRAPH,     /**< colours, islands, wake-ups */
    DRY_STAGE_PREPARE,   /**< constraint bundles */
    DRY_STAGE_SOLVE,     /**< all substeps */
    DRY_STAGE_IMPACTS,   /**< restitution [Spook 1-7] */
    DRY_STAGE_STORE,     /**< impulses back to manifolds and joints */
    DRY_STAGE_FINALIZE,  /**< poses, bounds, sleep, events */
    DRY_STAGE_COUNT
} dry_stage;

/** "pairs", "contacts", ...; null if out of range. */
DRY_API const char *dry_stage_name(dry_stage stage);

/** Called on the calling thread at the begin and the end of each stage that a step runs; each begin has its
 *  end, in a step that fails too. Neither counts in the stage's time. They may not call into the world. */
typedef struct dry_stage_hook {
    void (*begin)(dry_stage stage, void *user);
    void (*end)(dry_stage stage, void *user);
    void *user;
} dry_stage_hook;

typedef struct dry_world_def {
    dry_settings settings;
    int threads;             /**< workers, the calling thread included; 0: one per physical core; 1: no
                                  threads are ever made; at most 1024. A step with fewer than 256 awake
                                  bodies, contacts and joints together stays on the calling thread. */
    bool pin_threads;        /**< bind OpenMP workers to cores (never the calling thread); false */
    dry_isa isa;             /**< AUTO, which the environment variable DRYSTONE_ISA may override */
    uint16_t tag;            /**< mixed into ids so that another world's are told apart; 0: drawn from the
                                  world's address. Set it where ids must repeat from run to run. */
    bool hash_stages;        /**< keep a hash after each stage (dry_world_stage_hash); slow; false */
    bool count_stage_times;  /**< measure stage times (dry_statistics.stage_ms); true */
    int body_capacity;       /**< room to reserve at once, in bodies, 0 to 2^24 */
    dry_allocator allocator; /**< null functions: the C library's */
    dry_log log;             /**< null: silent */
    dry_tasks tasks;         /**< null functions: OpenMP */
    bool trace_workers;      /**< keep what each worker did in a step (dry_world_worker_spans); false */
    dry_stage_hook hook;     /**< null functions: none */
} dry_world_def;

DRY_API dry_settings dry_default_settings(void);
DRY_API dry_world_def dry_default_world_def(void);

/** Creates a world. Errors: ARGUMENT (a setting out of range; the log says which), MEMORY, UNSUPPORTED
 *  (def->isa). On error *world is null. */
DRY_API dry_result dry_world_create(const dry_world_def *def, dry_world **world);

/** Destroys a world and all that is in it. Null is fine. */
DRY_API void dry_world_destroy(dry_world *world);

DRY_API dry_settings dry_world_get_settings(const dry_world *world);

/** Replaces all settings, or none on error (ARGUMENT). Takes effect with the next step. */
DRY_API dry_result dry_world_set_settings(dry_world *world, const dry_settings *settings);

/** Advances time by `dt` seconds, 0 to 1. 0 refreshes contacts and events and moves nothing.
 *  Errors: ARGUMENT; LOCKED; MEMORY: no body moved and the step may be tried again. */
DRY_API dry_result dry_world_step(dry_world *world, float dt);

/** Steps done so far. */
DRY_API uint64_t dry_world_step_count(const dry_world *world);

/** The instruction set in use, never AUTO. */
DRY_API dry_isa dry_world_isa(const dry_world *world);

/** The number of workers in use, the calling thread included. */
DRY_API int dry_world_threads(const dry_world *world);

/** "scalar", "sse2", "neon", "avx2", "avx512", "auto"; null if out of range. */
DRY_API const char *dry_isa_name(dry_isa isa);
/** The opposite: true and *isa if the name is known. */
DRY_API bool dry_isa_from_name(const char *name, dry_isa *isa);
/** Whether this build has it and this processor runs it. */
DRY_API bool dry_isa_available(dry_isa isa);
/** Whether it was compiled into this build. */
DRY_API bool dry_isa_compiled(dry_isa isa);

/** "gauss-seidel", "jacobi"; null if out of range. */
DRY_API const char *dry_solver_name(dry_solver solver);
DRY_API bool dry_solver_from_name(const char *name, dry_solver *solver);

/** The machine as the library sees it. */
typedef struct dry_machine {
    char processor[128];
    int cores;            /**< physical cores this process may use */
    int hardware_threads; /**< logical processors this process may use */
    int numa_nodes;
    size_t l1_bytes, l2_bytes, l3_bytes; /**< data caches seen by one core; 0 if unknown */
} dry_machine;
DRY_API dry_machine dry_machine_describe(void);

/** The substep tiers, by the substeps that an island of the tier asks for: 1, 2, 4, 6, 8, 12, 16, 24, 32. */
#define DRY_TIER_COUNT 9
/** Returns the substeps of a tier before dry_settings.substeps_min and _max apply; 0 if out of range. */
DRY_API int dry_tier_substeps(int tier);

typedef struct dry_statistics {
    double step_ms;                         /**< the last step, whole */
    double stage_ms[DRY_STAGE_COUNT];       /**< the last step, by stage */
    double stage_start_ms[DRY_STAGE_COUNT]; /**< when each stage began, from the step's begin */
    int bodies;                             /**< all, disabled included */
    int dynamic_bodies;
    int awake_bodies;       /**< dynamic and awake */
    int quarantined_bodies; /**< now in quarantine */
    int shapes;
    int joints;
    int pairs;                           /**< shape pairs whose fat bounds overlap, asleep included */
    int manifolds;                       /**< touching pairs, asleep included */
    int points;                          /**< contact points of those */
    int awake_manifolds;                 /**< solved in the last step */
    int recycled_manifolds;              /**< of those, updated and not rebuilt */
    int colors;                          /**< colours in use */
    int overflow;                        /**< constraints that found no colour */
    int islands;                         /**< awake islands */
    int islands_in_tier[DRY_TIER_COUNT]; /**< awake islands by tier */
    int substeps;                        /**< the most substeps that an island ran in the last step */
    size_t memory_bytes;                 /**< held from the allocator now */
    uint64_t allocations;                /**< calls of the allocator so far */
    uint64_t allocations_in_steps;       /**< of those, inside dry_world_step */
    uint64_t allocations_in_last_step;
} dry_statistics;

DRY_API dry_statistics dry_world_statistics(const dry_world *world);

/** What one worker did in one go: items of one stage that it claimed one after the other. */
typedef struct dry_worker_span {
    dry_stage stage;
    double begin_ms, end_ms; /**< from the step's begin, as dry_statistics.stage_start_ms */
} dry_worker_span;

/** The spans of one worker (0 is the calling thread) in the last step, in order and apart from each other;
 *  valid until the next step. A stage that runs on the calling thread alone may have none. *count of them are
 *  there, and *lost (which may be null) found no room: the room grows at the begin of the next step. Null,
 *  and 0 of both, if there are none, without dry_world_def.trace_workers, or if `worker` is out of range. */
DRY_API const dry_worker_span *dry_world_worker_spans(const dry_world *world, int worker, int *count,
                                                      int *lost);

/** A hash of everything that decides the future: poses, velocities, impulses, sleep, in creation order.
 *  Equal for every thread count, instruction set and compiler. Bodies' ids do not enter. */
DRY_API uint64_t dry_world_hash(const dry_world *world);

/** Returns a hash of all poses and velocities, in the order in which the bodies were created. Worlds that
 *  move alike have equal motion hashes, whatever else they keep: ids, sleep timers and impulses do not enter.
 *  Equal for every thread count, instruction set and compiler; 0 for a null world. */
DRY_API uint64_t dry_world_motion_hash(const dry_world *world);

/** The state hash as it was after `stage` of the last step; 0 without dry_world_def.hash_stages. */
DRY_API uint64_t dry_world_stage_hash(const dry_world *world, dry_stage stage);

#ifdef __cplusplus
}
#endif

#endif
