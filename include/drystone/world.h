/* SPDX-License-Identifier: MIT
 * Worlds: creation, settings, the step, statistics, hashes. */
#ifndef DRYSTONE_WORLD_H
#define DRYSTONE_WORLD_H

#include <drystone/methods.h>
#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An instruction set for the kernels. All instruction sets compute the same bits. */
typedef enum dry_isa {
    DRY_ISA_AUTO = 0, /**< the widest one that this build and this processor have */
    DRY_ISA_SCALAR,
    DRY_ISA_SSE2,
    DRY_ISA_NEON,
    DRY_ISA_AVX2,
    DRY_ISA_AVX512,
    DRY_ISA_COUNT
} dry_isa;

/** The source of a world's workers. All teams compute the same bits. docs/reliability.md, "The host
 * process", has the limits and the cost of each. */
typedef enum dry_team {
    DRY_TEAM_OPENMP = 0, /**< OpenMP's threads, in one parallel region for each step that is shared. They
                            belong to the calling thread: all worlds that it steps in turn share them, each
                            further calling thread has its own, and they outlive the worlds. A step inside a
                            parallel region of the host's own has one worker. A world takes THREADS from its
                            next step on, and the log has one line, if OpenMP's threads fail a trial start,
                            have stacks below 96 KiB, or spin for more than 1 ms between steps on average
                            although none of OMP_WAIT_POLICY, GOMP_SPINCOUNT and KMP_BLOCKTIME is set. In a
                            child process after fork it takes THREADS without a line. The runtime ends the
                            process if the system refuses a thread after the trial: a host that cannot bear
                            that takes THREADS. */
    DRY_TEAM_THREADS,    /**< threads of the world's own, from its first shared step to dry_world_destroy */
    DRY_TEAM_TASKS, /**< lent by dry_world_def.tasks: dry_world_team tells it, dry_world_create refuses it */
    DRY_TEAM_COUNT
} dry_team;

/** The lever arms by which the impulses of contacts turn bodies. */
typedef enum dry_levers {
    DRY_LEVERS_TRUE = 0, /**< from the centers to where the surfaces touch at the step's begin */
    DRY_LEVERS_HELD, /**< as they were when the contact was built, until it moved by lever_distance or a body
                        turned by lever_angle; then it is rebuilt. Soft contacts tilt under load, and a stack
                        of them buckles under its own weight as no stack of rigid bodies does; with held lever
                        arms it does not. A normal force N then acts on the two bodies along two lines, which
                        is a false couple of at most N (d + (|r_a| + |r_b|) sin angle), with d and angle the
                        two tolerances, 2e-4 rad for rounding included, and r the lever arms. Islands that no
                        fixed body holds, islands that rest on edges because they topple, and contacts with a
                        moving kinematic body have true lever arms whatever the tolerances. */
    DRY_LEVERS_COUNT
} dry_levers;

/** The settings of a world; defaults last. All may change between steps. A count or a frequency of 0 lets the
 * library choose. */
typedef struct dry_settings {
    dry_vec3 gravity;           /**< m/s^2, each |component| <= 1e6; (0, -9.81, 0) */
    dry_method_settings method; /**< how the constraint equation is solved (methods.h): a game leaves it as it
                                     is */
    int substeps;     /**< per step, for all islands, 0 to 256; 0 gives each island the substeps of its tier;
                           0 */
    int substeps_min; /**< floor of that choice, 1 to 256; 4. Half of it where all is at rest under light
                         loads */
    int substeps_max; /**< ceiling of that choice, substeps_min to 256. Joints that are solved directly and
                           move by themselves may take up to 1024, unless this is below its default; 128 */
    int sweeps;       /**< with the position term, per substep, for all islands, 0 to 256; 0 gives an island
                           more sweeps where its tier asks for more substeps than substeps_max; Jacobi
                           runs each sweep twice; 0 */
    int sweeps_min;   /**< floor of that choice, 1 to 256; 1 */
    int sweeps_max;   /**< ceiling of that choice, sweeps_min to 256; 4 */
    int relax_sweeps; /**< sweeps without the position term, per substep, 0 to 256; 1 */
    bool warm_start;  /**< starts from the last step's impulses; of PBD and XPBD contacts alone, from
                           the last substep's; true */
    float contact_hertz;         /**< contact stiffness as a frequency on the pair's mass, Hz, 0 to 1e5;
                                      0 is as stiff as the island's load asks, in short substeps at least
                                      182 Hz; at most 0.19 of the substep rate; 0 */
    float contact_damping_ratio; /**< damping ratio of that spring, 0 to 1e3; 3 */
    float contact_stiffness;     /**< k of [Spook 11] at each point, N/m, 0 to 1e15; replaces contact_hertz
                                      if not 0. Pairs of shapes that have one use theirs; 0 */
    float contact_damping;       /**< d of [Spook 9-11], in substeps, 0 to 1e3; for contact_stiffness; 2 */
    float push_out_speed_max;    /**< largest speed at which overlapping shapes separate, m/s, above 0; 0.5 */
    float restitution_speed_min; /**< approach speed from which on shapes bounce, m/s, >= 0; 1 */
    float spin_max;           /**< angular speed that a dynamic body keeps at most where a step ends, rad/s,
                                   above 0 to 1e6. What is above is taken, with its angular momentum and its
                                   energy; position, velocity and axis stay. dry_statistics.spin_limited
                                   counts it. 1e5: a ball of 1 cm diameter rolls so fast at 500 m/s, and in
                                   a step of 1/60 s single precision rounds its rotation by 1e-4 rad. Over
                                   1e4 rad/s bodies go to quarantine if that is over 1e3 m/s at their radius
                                   of gyration */
    float hit_speed_min;      /**< approach speed above which a hit event occurs, m/s, >= 0; 1 */
    float speculative_margin; /**< distance below which a contact exists, m, 0 to 1; 0.02 */
    float recycle_distance;   /**< relative motion below which a manifold is updated and not rebuilt, m,
                                   >= 0; 0 always rebuilds, as do spheres and capsules; 0.005 */
    dry_levers levers;        /**< lever arms of contacts; HELD */
    float lever_distance;     /**< relative motion below which held lever arms stay, m, >= 0; contacts are
                                   rebuilt at recycle_distance anyway; 0.005 */
    float lever_angle;        /**< rotation of either body below which held lever arms stay, rad, 0 to 1;
                                   0.0044 */
    int shape_pairs_max;      /**< pairs for each shape of a dynamic body, 16 to 2^24: a body that has as
                                   many gets no more with dynamic bodies that have theirs. Bodies that lie
                                   in one place would have a pair with each of the others. Pairs left out
                                   are tried again as the bodies move. The search itself still finds all
                                   pairs of n bodies that come to one place in one step, n^2 / 2, and from
                                   n = 46,342 on a step answers MEMORY; 64 */
    dry_joint_solver joint_solver; /**< of joints whose own is WORLD; ITERATIVE */
    bool sleep;                    /**< puts islands at rest to sleep; true */
    float sleep_speed_max; /**< largest speed at rest, of the center and of the rim, m/s, >= 0; 0.05 */
    float sleep_after;     /**< time at rest before sleep, s, >= 0; 0.5 */
} dry_settings;

/** The stages of a step, in order. */
typedef enum dry_stage {
    DRY_STAGE_PAIRS = 0, /**< bounds, trees, new pairs */
    DRY_STAGE_CONTACTS,  /**< manifolds updated or rebuilt */
    DRY_STAGE_GRAPH,     /**< colors, islands, wake-ups */
    DRY_STAGE_PREPARE,   /**< constraint bundles */
    DRY_STAGE_SOLVE,     /**< rows of joints, all substeps, impacts [Spook 1-7] among them */
    DRY_STAGE_REPAIR,    /**< joints that opened, momentum of floating islands, energy of fast linkages */
    DRY_STAGE_STORE,     /**< impulses back to manifolds and joints */
    DRY_STAGE_FINALIZE,  /**< poses, bounds, sleep, events */
    DRY_STAGE_COUNT
} dry_stage;

/** Returns "pairs", "contacts", ...; null if out of range. */
DRY_API const char *dry_stage_name(dry_stage stage);

/** Two functions that a step calls on the calling thread at the begin and at the end of each stage. Each
 * begin has its end, also in a step that fails. Their time does not count as the stage's time. Neither
 * function may call into the world: every call that returns a dry_result returns LOCKED. With DRY_TEAM_OPENMP
 * they run inside a parallel region, where a region of the host's own has one thread. */
typedef struct dry_stage_hook {
    void (*begin)(dry_stage stage, void *user);
    void (*end)(dry_stage stage, void *user);
    void *user;
} dry_stage_hook;

/** The recording of a world (recording.h): every call that changed it, every step, and sums of the state by
 * which a replay is compared. Calls and steps hand whole blocks to the sink, and allocate nothing. A sink
 * that fails ends the recording, and the log has one line; calls and steps go on. */
typedef struct dry_recording_def {
    dry_sink sink;  /**< null function: nothing is recorded */
    int sums_every; /**< steps from one set of sums to the next, 0 for none to 2^30; 1. A step with sums takes
                       up to twice its time. A step in which nothing was awake has none. Steps of some
                       bodies, which are calls, have sums of these bodies, and count */
    int saves_every; /**< steps from one save to the next, from which a replay may begin, 0 for none to 2^30;
                        600. There is one at the beginning, and after each step that memory stopped */
} dry_recording_def;

/** The definition of a world; defaults last. */
typedef struct dry_world_def {
    dry_settings settings; /**< dry_default_settings */
    int threads;           /**< workers, the calling thread included, 0 to 1024; 0 takes one per physical core
                                of the thread's affinity mask (with OPENMP under OMP_PROC_BIND one per place of
                                OMP_PLACES), but not more than the whole processors that Linux control groups
                                leave the process (cpu.max, or cpu.cfs_quota_us); 1 never creates or wakes a
                                thread; 0. A step with fewer than 256 awake bodies, contacts and joints
                                together stays on the calling thread. The first longer step starts the threads. If
                                the system refuses threads, steps go on with those there are, and the log has one
                                line. A child process that copied the world by fork starts threads of the world's
                                own; a world that another thread was stepping at the fork stays LOCKED in the
                                child. */
    dry_team team;    /**< where the workers come from, OPENMP or THREADS. `tasks` and pin_threads go before
                           it; OPENMP where the build has it (dry_team_available), else THREADS */
    bool pin_threads; /**< binds the workers, but not the calling thread, to cores, and takes THREADS for
                           that, whatever `team` says: OpenMP's threads are the whole process's, and
                           OMP_PROC_BIND and OMP_PLACES bind them; false */
    dry_isa isa;      /**< AUTO; the environment variable DRYSTONE_ISA overrides AUTO */
    uint16_t tag;     /**< 0 gives the world a number of its own, so that it recognizes the ids of all other
                           worlds, dead ones too (drystone/numbers.h); 0. With a tag, ids follow from the tag
                           and the calls alone: set it where they must be the same in every run. Worlds with
                           the same tag have the same ids. */
    bool hash_stages; /**< keeps a hash after each stage (dry_world_stage_hash); slow; false */
    bool count_stage_times;      /**< measures dry_statistics.stage_ms; true */
    int body_capacity;           /**< bodies for which to reserve room at once, 0 to 2^24 - 1; 0 */
    dry_allocator allocator;     /**< null functions take the C library's */
    dry_log log;                 /**< a null function keeps the world silent */
    dry_tasks tasks;             /**< null functions take the threads of `team` */
    bool trace_workers;          /**< records the work of each worker (dry_world_worker_spans); false */
    dry_stage_hook hook;         /**< null functions are not called */
    dry_recording_def recording; /**< none */
} dry_world_def;

/** Returns the defaults above. */
DRY_API dry_settings dry_default_settings(void);
DRY_API dry_world_def dry_default_world_def(void);

/** Creates a world. On error *world is null. Errors: ARGUMENT (a setting out of range, or settings that do
 * not go together; the log says which); MEMORY; UNSUPPORTED (def->isa, def->team); NUMBERS. */
DRY_API dry_result dry_world_create(const dry_world_def *def, dry_world **world);

/** Destroys a world with all its bodies and joints. Does nothing for null; in a callback of the world's own
 * it writes that to the log and does nothing. */
DRY_API void dry_world_destroy(dry_world *world);

/** Returns the present settings; the defaults for a null world. */
DRY_API dry_settings dry_world_get_settings(const dry_world *world);

/** Replaces all settings from the next step on. New gravity, and turning sleep off, wakes all bodies.
 * Errors: ARGUMENT (as in dry_world_create), LOCKED. */
DRY_API dry_result dry_world_set_settings(dry_world *world, const dry_settings *settings);

/** Advances time by `dt` seconds, 0 or 1e-7 to 1. A step of 0 updates contacts and events and moves no body.
 * Errors: ARGUMENT; LOCKED; MEMORY: no body has moved, nothing was created or destroyed, and the step may be
 * tried again. A step that memory stops may have found contacts and woken bodies already, which the state
 * hash shows; the step that is then tried again may move bodies slightly differently from one that memory
 * never stopped. The pool makes the steps of a room's world: there the call is LOCKED, but for steps that the
 * room's functions took back (dry_history_rewind, dry_world_restore). */
DRY_API dry_result dry_world_step(dry_world *world, float dt);

/** Advances `count` bodies by `dt` seconds, as dry_world_step does, while all others are held as if they were
 * static: for a program that predicts some bodies. Held bodies keep poses, velocities, forces, sleep and
 * their timers, and contacts between them keep their impulses; named bodies touch them, and joints to them
 * hold as to static ones. A held body does not wake. If a named body falls asleep on one that is awake, or
 * comes to rest against one that sleeps, the next dry_world_step wakes the one that sleeps. A named body that
 * sleeps goes on sleeping until something named wakes it, and a static one stays. If all bodies are named,
 * the call is dry_world_step, bit for bit. Events are those of the named bodies, and those that waited. The
 * work follows the named bodies and what they touch. Errors: ARGUMENT (`dt` as in dry_world_step; a body that
 * is named twice; null), STALE_ID, LOCKED, MEMORY as in dry_world_step. */
DRY_API dry_result dry_world_step_only(dry_world *world, float dt, const dry_body_id *ids, int count);

/** Returns the number of steps done. */
DRY_API uint64_t dry_world_step_count(const dry_world *world);

/** Tells whether the world has a recording whose sink has taken all bytes so far. */
DRY_API bool dry_world_is_recording(const dry_world *world);

/** Returns the instruction set in use, never AUTO for a world. */
DRY_API dry_isa dry_world_isa(const dry_world *world);

/** Returns the instruction set whose kernels sweep constraints under the present settings. Settings beside
 * the defaults (another solver or friction model, stiffness of contacts, relaxation) have kernels for SCALAR
 * and AVX2 on x86-64, for SCALAR and NEON on AArch64; a world of another instruction set then runs the next
 * narrower one. So do, in every world, joints that are solved directly. The bits are the same. AUTO for a
 * null world. */
DRY_API dry_isa dry_world_sweep_isa(const dry_world *world);

/** Returns the number of workers in use, the calling thread included: fewer than asked for once the system
 * has refused to start threads, OpenMP has given fewer, or a step was made inside a parallel region of the
 * host's own; 0 for a null world. */
DRY_API int dry_world_threads(const dry_world *world);

/** The workers of a world: the fields of the same names in dry_world_def. */
typedef struct dry_workers {
    int threads;      /**< the calling thread included, 0 to 1024 */
    dry_team team;    /**< OPENMP or THREADS */
    bool pin_threads; /**< binds the workers, but not the calling thread, to cores */
    dry_tasks tasks;  /**< null functions take the threads of `team` */
} dry_workers;

/** Gives a world other workers from its next step or batch of queries on; the bits stay the same. Threads of
 * the world's own end before this returns, and new ones start as dry_world_def.threads says. Workers like the
 * present ones change nothing; with threads = 0 they are counted anew. Other workers take the spans of the
 * last step with them (dry_world_worker_spans). The next step may allocate. Errors: ARGUMENT (as in
 * dry_world_create; the log says which); UNSUPPORTED (team); LOCKED (also for a room's world: its workers are
 * the pool's); MEMORY. */
DRY_API dry_result dry_world_set_workers(dry_world *world, const dry_workers *workers);

/** Returns the workers that were asked for last: dry_world_threads and dry_world_team tell what came of it.
 * All 0 for a null world. */
DRY_API dry_workers dry_world_get_workers(const dry_world *world);

/** Returns where the workers come from: TASKS where they are lent, and THREADS where OPENMP was asked for and
 * could not be had. THREADS for a null world. */
DRY_API dry_team dry_world_team(const dry_world *world);

/** Returns "openmp", "threads" or "tasks"; null if out of range. */
DRY_API const char *dry_team_name(dry_team team);
/** Finds the team of a name. Returns false for an unknown name. */
DRY_API bool dry_team_from_name(const char *name, dry_team *team);
/** Tells whether dry_world_def.team may be this: THREADS always, OPENMP if this build has it. */
DRY_API bool dry_team_available(dry_team team);

/** Returns "scalar", "sse2", "neon", "avx2", "avx512" or "auto"; null if out of range. */
DRY_API const char *dry_isa_name(dry_isa isa);
/** Finds the instruction set of a name. Returns false for an unknown name. */
DRY_API bool dry_isa_from_name(const char *name, dry_isa *isa);
/** Tells whether this build has the instruction set and this processor runs it. */
DRY_API bool dry_isa_available(dry_isa isa);
/** Tells whether this build has the instruction set. */
DRY_API bool dry_isa_compiled(dry_isa isa);

/** The machine as this process may use it. */
typedef struct dry_machine {
    char processor[128];                 /**< the model's name; empty if unknown */
    int cores;                           /**< physical cores */
    int hardware_threads;                /**< logical processors */
    int numa_nodes;                      /**< memory nodes */
    size_t l1_bytes, l2_bytes, l3_bytes; /**< data caches that one core uses; 0 if unknown */
} dry_machine;
/** Describes the machine. */
DRY_API dry_machine dry_machine_describe(void);

/** The tiers of islands: 1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96 and 128 substeps in steps of
 * 1/60 s. */
#define DRY_TIER_COUNT 13
/** Returns the substeps of a tier in steps of 1/60 s, before dry_settings.substeps_min and _max apply; 0 if
 * out of range. */
DRY_API int dry_tier_substeps(int tier);

/** The measure of an island that decides its tier: the one that asks for the highest. Of two that ask for the
 * same, the first of this list decides. */
typedef enum dry_tier_reason {
    DRY_TIER_FLOOR =
        0, /**< no measure asks for more than dry_settings.substeps_min, once contacts are as soft as that */
    DRY_TIER_LOAD,     /**< the load of its bodies, as measured */
    DRY_TIER_GUESS,    /**< a guess of that load, until each body has a measured one, which starts there */
    DRY_TIER_BUCKLING, /**< the slenderness of a stack under its load; with DRY_LEVERS_TRUE only */
    DRY_TIER_JOINTS,   /**< the load of its joints, at first the weight that hangs on them, then as measured;
                          a spring beside other constraints; the vibration of direct joints */
    DRY_TIER_REASON_COUNT
} dry_tier_reason;
/** Returns "floor", "load", "guess", "buckling" or "joints"; null if out of range. */
DRY_API const char *dry_tier_reason_name(dry_tier_reason reason);

/** Counts of the last step's articulations: sets of awake bodies that hang together by joints which are
 * solved directly. */
typedef struct dry_articulation_statistics {
    int count;
    int joints;           /**< that are solved directly */
    int rows;             /**< of their factors: locked rows of joints, locked axes of bodies, and 6 for each
                               part but one of a split body */
    int redundant_rows;   /**< of these, the ones that others imply, as far as their pivots tell */
    int raised_pivots;    /**< pivots below what joint_regularization adds to their rows, which take
                               that value [Tomcin 4] */
    uint64_t nonzeros;    /**< of the factors L, with their diagonals */
    uint64_t corrections; /**< of poses, until all joints are closed; at most 4 in each substep that an
                               articulation by itself tries */
    uint64_t iterations;  /**< of all those, by Newton's method with one factor [Tomcin 3] */
    int iterations_max;   /**< of one of them, at most 50 */
} dry_articulation_statistics;

/** Counts and times of a world, all of which it keeps: reading them costs the same for every world. */
typedef struct dry_statistics {
    double step_ms;                         /**< time of the last step */
    double stage_ms[DRY_STAGE_COUNT];       /**< times of its stages; 0 if nothing is awake */
    double stage_start_ms[DRY_STAGE_COUNT]; /**< from the begin of the step to that of the stage */
    int bodies;                             /**< disabled ones included */
    int dynamic_bodies;                     /**< disabled ones included */
    int awake_bodies;                       /**< dynamic and awake */
    int quarantined_bodies;                 /**< at present in quarantine */
    int spin_limited;                       /**< bodies whose spin spin_max has limited in the last step */
    int shapes;                             /**< all */
    int joints;                             /**< all */
    int open_joints;   /**< open by over 1 cm or 0.1 rad when the last step began (dry_joint_get_error) */
    int pairs;         /**< pairs of shapes whose fat boxes overlap, sleeping ones included */
    int crowded_pairs; /**< pairs left out by shape_pairs_max in the last step that left out any; 0 once
                            crowded_body is gone or has fewer pairs */
    dry_body_id crowded_body; /**< a body of such a pair, if there is one: its island is the crowded one */
    uint64_t triangle_pairs;  /**< pairs of two shapes of triangles, at least one on a kinematic body, that
                                   steps found near each other since the world was created: they do not
                                   touch. A step finds a pair again when one of them leaves its fat box */
    int manifolds;            /**< touching pairs, sleeping ones included */
    int awake_manifolds;      /**< touching pairs with an awake body: those that the last step solved */
    uint64_t impacts;         /**< impacts since the world was created */
    uint64_t
        impacts_limited; /**< of those, the ones whose impulse was shortened so that it gains no energy */
    uint64_t repairs;    /**< since the world was created: steps of islands with joints of which energy was
                              taken back, since more came out than joints, springs and forces tell */
    int colors;          /**< colors in use */
    int overflow;        /**< constraints that found no free color */
    int islands;         /**< awake islands */
    int islands_in_tier[DRY_TIER_COUNT];          /**< awake islands by tier */
    int islands_by_reason[DRY_TIER_REASON_COUNT]; /**< awake islands by the reason of their tier */
    int substeps; /**< largest number of substeps of an island in the last step */
    dry_articulation_statistics articulations;
    size_t memory_bytes;               /**< memory that the world holds from the allocator */
    uint64_t allocations;              /**< calls of dry_allocator.allocate so far */
    uint64_t allocations_in_steps;     /**< those of them inside dry_world_step */
    uint64_t allocations_in_last_step; /**< those inside the last step */
} dry_statistics;

/** Returns the statistics; counts of bodies, shapes, joints and contacts are the present ones. The
 * articulations are those of the last step that succeeded. All 0 for a null world. */
DRY_API dry_statistics dry_world_statistics(const dry_world *world);

/** Gives memory back that the world no longer needs, of a world that lost most of its bodies, say. Bodies,
 * ids, contacts and the future's bits stay. Some 150 bytes stay for each slot of ids that was ever in use,
 * and the room of pairs up to the last one that lives, and of 1/16 more. No world becomes larger. The next
 * steps allocate what they need for what is awake. The events of the last step end. Takes as long as some
 * steps, and meanwhile the memory that is left besides that of before. Errors: ARGUMENT (the world has a
 * history, which may go back to more bodies), LOCKED, MEMORY; then nothing has changed. */
DRY_API dry_result dry_world_trim(dry_world *world);

/** Counts of touching pairs that a world does not keep. */
typedef struct dry_contact_counts {
    int points;             /**< contact points, those of sleeping pairs included */
    int recycled_manifolds; /**< of the awake manifolds, those updated and not rebuilt by the last step */
    int lever_rebuilds;     /**< of the awake manifolds, those rebuilt only because their lever arms had been
                                 held as far as lever_distance and lever_angle allow */
} dry_contact_counts;

/** Counts what dry_statistics leaves out. Goes through all touching pairs in each call, sleeping ones
 * included. All 0 for a null world. */
DRY_API dry_contact_counts dry_world_count_contacts(const dry_world *world);

/** The mechanical energy of a world. */
typedef struct dry_energy {
    double kinetic_J;       /**< 1/2 m v^2 + 1/2 w . I w */
    double gravitational_J; /**< -m g . x with the body's own gravity_scale; 0 at the world's origin */
    double elastic_J;       /**< 1/2 k q^2 of spring joints, and of contacts whose contact_stiffness is not 0,
                               their shapes' or the world's */
    double total_J;         /**< the sum of the three */
} dry_energy;

/** Computes the energy of all dynamic bodies at their present poses and velocities, sleeping, disabled and
 * quarantined ones included. A quarantined body stands still at its last valid pose, so it may lose its
 * kinetic energy, and gains none. Contacts without contact_stiffness count as rigid. Goes through all bodies
 * and joints in each call; a step does no work for it. Equal for every thread count, instruction set and
 * compiler; all 0 for a null world. */
DRY_API dry_energy dry_world_energy(const dry_world *world);

/** A span of time in which one worker did items of one stage without a pause. */
typedef struct dry_worker_span {
    dry_stage stage;
    double begin_ms, end_ms; /**< from the step's begin, as dry_statistics.stage_start_ms */
} dry_worker_span;

/** Returns the spans of one worker in the last step, in order and without overlap; worker 0 is the calling
 * thread. Sets *count to their number, and *lost (which may be null) to the number of spans that found no
 * room; the next step begins with more room. A stage that runs on the calling thread alone may have no span.
 * The spans are valid until the next step. Returns null, and sets both to 0, if there are no spans, if
 * dry_world_def.trace_workers is off, or if `worker` is out of range. */
DRY_API const dry_worker_span *dry_world_worker_spans(const dry_world *world, int worker, int *count,
                                                      int *lost);

/** Returns a hash of all that decides the future: bodies, shapes, contacts and joints with all that the
 * engine keeps about them, their order in memory and in lists, the slots and generations behind ids, fat
 * bounds, settings, and events that are still to be told. User data, the numbers in ids, reserved room and
 * threads do not enter. Settings at their defaults add nothing. Equal for every thread count, instruction set
 * and compiler; 0 for a null world. */
DRY_API uint64_t dry_world_hash(const dry_world *world);

/** Returns a hash of all poses and velocities, in the order in which the bodies were created. Worlds that
 *  move alike have equal motion hashes, whatever else they keep: ids, sleep timers and impulses do not enter.
 *  Equal for every thread count, instruction set and compiler; 0 for a null world. */
DRY_API uint64_t dry_world_motion_hash(const dry_world *world);

/** The state hash as it was after `stage` of the last step; 0 without dry_world_def.hash_stages, and for
 * stages that a step of length 0 leaves out. */
DRY_API uint64_t dry_world_stage_hash(const dry_world *world, dry_stage stage);

#ifdef __cplusplus
}
#endif

#endif
