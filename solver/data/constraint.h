/* Constraints as table entries: a *kind* is a layout of bundles, with all that stages do to them. Layout,
 * prepare, sweeps, store, tests and benchmarks walk the table; a kind is named in its own folder alone. */
#ifndef SOLVER_DATA_CONSTRAINT_H
#define SOLVER_DATA_CONSTRAINT_H

#include "core/shared.h"
#include "simd/processor.h"
#include "solver/data/bundle.h"
#include "solver/data/sweep.h"
#include "state/joint_list.h"

#include <stddef.h>

struct dry_solver_state;
struct dry_solver_step;

/* X(kind, KIND): layouts of bundles that types of joints may share, in the order in which a sweep goes
 * through them.
 *
 *   point   three rows along the world's axes, solved as one 3x3 block (point.h, point.c, point_kernels.h)
 *   line    one row along a direction (line.h, line.c, line_kernels.h)
 *   block   up to six rows of any direction, solved as one block (block.h, block.c, block_kernels.h)
 *   axes    rows along free axes, with springs, motors, friction and stops (axes.h, axes.c, axes_kernels.h)
 *
 * A joint with frames may have a lane in a block and one in axes. The second volume has one more:
 *
 *   quad    one row over four bodies (methods/volumes) */
#define DRY_BOOK_JOINT_KINDS(X)                                                                              \
    X(point, POINT)                                                                                          \
    X(line, LINE)                                                                                            \
    X(block, BLOCK)                                                                                          \
    X(axes, AXES)
#define DRY_JOINT_KINDS(X)                                                                                   \
    DRY_BOOK_JOINT_KINDS(X)                                                                                  \
    X(quad, QUAD)

typedef enum dry_kind {
#define X(kind, KIND) DRY_KIND_##KIND,
    DRY_JOINT_KINDS(X)
#undef X
        DRY_KIND_CONTACT,
    DRY_KIND_COUNT,
    DRY_KIND_JOINTS = DRY_KIND_CONTACT /* joints have the kinds below this one */
} dry_kind;

/* The most bodies of a constraint. */
enum { DRY_CONSTRAINT_BODIES = 4 };

typedef struct dry_constraint_kind dry_constraint_kind;

/* The moment at which the bodies of joints are looked at. */
typedef struct dry_moment {
    bool moved;  /* bodies are where their rows are, instead of there */
    float since; /* errors are measured so long after the step's beginning, s */
    float ahead; /* and so long after the place of their rows, s: where positions are solved for */
} dry_moment;
#define DRY_WHERE_STEP_BEGAN ((dry_moment){0})

/* Bundles [begin, end) of a kind, in a tier with substeps of length h; joints' as their bodies are then. */
typedef struct dry_bundle_part {
    const dry_constraint_kind *kind;
    int begin, end;
    float h;
    dry_moment at;
} dry_bundle_part;

typedef void dry_bundle_work(const struct dry_solver_step *step, dry_bundle_part part);

struct dry_constraint_kind {
    const char *name;
    dry_kind index; /* in the table */
    size_t bundle_bytes;
    /* Returns the kernel for a sweep; null where a sweep passes over the kind. `springs`: some shape has a
     * stiffness of its own. */
    dry_sweep_kernel *(*kernel)(const dry_constraint_kind *kind, dry_level level, dry_sweep_kind sweep,
                                dry_update update, const dry_settings *settings, bool springs);
    /* Kinds of joints: returns the line search's kernel (line_search.c). */
    dry_sweep_kernel *(*slope)(const dry_constraint_kind *kind, dry_level level);
    /* Finds the slots of a constraint's bodies. Returns how many there are. */
    int (*bodies)(const struct dry_solver_step *step, int constraint, int body[DRY_CONSTRAINT_BODIES]);
    dry_bundle_work *prepare; /* fills bundles */
    dry_bundle_work *store;   /* keeps the impulses of bundles for the next step */
    /* Returns how many lanes of a bundle a sweep has to visit. */
    int (*lanes)(const struct dry_solver_state *state, const dry_constraint_kind *kind, int bundle);

    /* Lists the impulses of all lanes of a bundle. Returns how many there are. */
    int (*impulses)(void *bundle, dry_lanes **list);
    /* Kinds of joints, for the functions above that they share (sweeps/joints/joint_bundles.h). The offset of
     * the bundle's number of lanes in use. */
    size_t lanes_offset;
    /* Fills the lane of the joint in a slot; null: kernels make the rows. */
    void (*prepare_lane)(const struct dry_solver_step *step, void *bundle, int lane, int joint,
                         const dry_bundle_part *part);
    /* Stores the impulses of the lane of the joint in a slot. */
    void (*store_lane)(const struct dry_solver_step *step, const void *bundle, int lane, int joint, float h);
    /* Kinds whose rows kernels make (joints/make_kernels.h): the offset of the bundle's places; place a joint
     * in a lane, end with what follows from all lanes, set what depends on the rows that were made (false:
     * nothing). */
    size_t places_offset;
    void (*clear)(void *bundle);        /* before any lane is placed; null: it is set to 0 */
    void (*clear_unused)(void *bundle); /* the rest, which no lane uses: before a bundle is hashed */
    void (*place_lane)(const struct dry_solver_step *step, void *bundle, int lane, int joint, float h);
    void (*end_places)(void *bundle);
    void (*end_rows)(const struct dry_solver_step *step, void *bundle, const int32_t *members, float h);
    bool (*soften_lane)(const struct dry_solver_step *step, void *bundle, int lane, int joint, float h);
    /* Returns the energy that the springs of a lane have between the last two places of its rows, J. With
     * `begins` it finds the one before the step from the bodies' velocities first. */
    double (*stored)(const struct dry_solver_step *step, void *bundle, int lane, float h, bool begins);
};

extern const dry_constraint_kind *dry_constraint_kinds[DRY_KIND_COUNT];

/* Adds a kind, before there are joints of it. */
DRY_SHARED void dry_kind_add(const dry_constraint_kind *kind);

#endif
