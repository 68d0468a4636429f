/* Stage "graph", between islands and their tiers: which joints are solved directly that leave it to the
 * library.
 *
 * A group is the joints with locked rows, and stiff springs, that hang together by bodies of islands. It is
 * solved directly, with all springs between its bodies,
 *
 * - if its graph has a loop, the world being one body, and a motor drives it or it is small;
 * - or once the load of a joint is more than sweeps bear in 32 substeps.
 *
 * The first follows from the graph. It is found with the islands, and kept as long as rows and joints do not
 * change. Reads active joints, rows, masses, loads; writes flags of joints. Next: difficulty.c. */

#include "core/disjoint_sets.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/plan/islands.h"

/* A passive loop of more joints is a structure: a net, a lattice, a walking machine without a motor. Sweeps
 * hold it within 3 mm, and to solve it directly takes 2 (tube) to 14 times (grid of balls) as long. A taut
 * bridge of 62 joints gains 3 % of its energy in sweeps. */
enum { PASSIVE_LOOP_JOINTS = 64 };

/* Tells whether a joint has locked rows: the load of such a joint decides. */
static bool is_locked(const dry_joints *joints, int joint)
{
    return dry_joint_may_be_direct(&joints->joint[joint]) && dry_joint_count(&joints->def[joint]).locked > 0;
}

float dry_joint_spring_square(const dry_solver_step *step, int joint)
{
    const dry_joint_def *def = &step->joints->def[joint];
    int row[DRY_JOINT_SIDES];
    if (!(def->stiffness > 0.0f || def->angular_stiffness > 0.0f) ||
        dry_joint_sides(&step->joints->joint[joint]) > 2)
        return 0.0f;
    float square = 0.0f;
    for (int i = 0, count = dry_joint_rows_of(step, joint, row); i < count; i++) {
        const dry_body_mass *mass = &step->bodies->mass[row[i]];
        const dry_vec3 turns = mass->inverse_inertia;
        square += dry_max(def->stiffness * mass->inverse_mass,
                          def->angular_stiffness * dry_max(turns.x, dry_max(turns.y, turns.z)));
    }
    return square;
}

/* A spring that is faster asks for more substeps than the default floor, 4 of 1/60 s, rad/s. */
#define FLOOR_SPEED (DRY_SPRING_ANGLE * 4 * 60)

/* Tells whether a joint may close a loop: it is locked, or a stiff spring. */
static bool closes(const dry_solver_step *step, int joint)
{
    return is_locked(step->joints, joint) ||
           (dry_joint_may_be_direct(&step->joints->joint[joint]) &&
            dry_joint_spring_square(step, joint) > FLOOR_SPEED * FLOOR_SPEED);
}

/* Tells whether the library chooses the solver of a joint: its user leaves that open, and the method would
 * honor a direct solve. */
static bool is_auto(const dry_solver_step *step, int joint)
{
    const dry_joint *of = &step->joints->joint[joint];
    if (!dry_joint_may_be_direct(of) ||
        dry_joint_solver_of(step->settings, of->features) != DRY_JOINT_SOLVER_AUTO)
        return false;
    dry_joint_def def = step->joints->def[joint];
    def.solver = DRY_JOINT_SOLVER_DIRECT;
    return !step->method->refuses_joint || !step->method->refuses_joint(&def);
}

/* Tells whether some active joint is chosen for; the others keep no mark of an earlier choice. */
static bool has_auto(const dry_solver_step *step)
{
    bool found = false;
    for (int i = 0; i < step->joints->active_count; i++) {
        const int joint = step->joints->active[i];
        if (is_auto(step, joint))
            found = true;
        else
            step->joints->joint[joint].flags &= ~(DRY_JOINT_LOADED | DRY_JOINT_DIRECT);
    }
    return found;
}

/* The sides of an active joint: rows of islands, or -1. Returns false if the joint closes no loop. */
static bool find_rows(const dry_solver_step *step, int joint, int rows[2])
{
    rows[0] = dry_island_row(step, step->joints->joint[joint].body_a);
    rows[1] = dry_island_row(step, step->joints->joint[joint].body_b);
    return (rows[0] >= 0 || rows[1] >= 0) && closes(step, joint);
}

/* Lets soft springs join the group of a body of theirs, with which they are solved. */
static void add_springs(const dry_solver_step *step, int32_t *root, const int32_t *group_of_root)
{
    dry_islands *islands = step->islands;
    for (int i = 0; i < step->joints->active_count; i++) {
        const int joint = step->joints->active[i];
        int rows[2];
        if (find_rows(step, joint, rows) || !dry_joint_may_be_direct(&step->joints->joint[joint]))
            continue;
        for (int side = 0; side < 2 && islands->group_of[i] < 0; side++)
            if (rows[side] >= 0)
                islands->group_of[i] = group_of_root[dry_sets_root(root, rows[side])];
    }
}

/* Counts the joints and the bodies of each group. `root` becomes the group of each root. */
static void count_groups(const dry_solver_step *step, int32_t *root, int32_t *group_of_root)
{
    dry_islands *islands = step->islands;
    dry_sets_begin(root, step->bodies->awake_count);
    for (int row = 0; row < step->bodies->awake_count; row++)
        group_of_root[row] = -1;
    for (int i = 0; i < step->joints->active_count; i++) {
        int rows[2];
        if (find_rows(step, step->joints->active[i], rows) && rows[0] >= 0 && rows[1] >= 0)
            dry_sets_unite(root, rows[0], rows[1]);
    }
    for (int i = 0; i < step->joints->active_count; i++) {
        int rows[2];
        islands->group_of[i] = -1;
        if (!find_rows(step, step->joints->active[i], rows))
            continue;
        const int row = rows[0] >= 0 ? rows[0] : rows[1];
        int32_t *index = &group_of_root[dry_sets_root(root, row)];
        if (*index < 0) {
            *index = islands->group_count++;
            islands->group[*index] = (dry_joint_group){0};
        }
        dry_joint_group *group = &islands->group[*index];
        islands->group_of[i] = *index;
        const int joint = step->joints->active[i];
        group->joints++;
        group->grounded = group->grounded || rows[0] < 0 || rows[1] < 0;
        group->locked = group->locked || is_locked(step->joints, joint);
        group->driven = group->driven || (step->joints->joint[joint].features & DRY_JOINT_MOTORED);
        group->loaded = group->loaded || (step->joints->joint[joint].flags & DRY_JOINT_LOADED);
    }
    add_springs(step, root, group_of_root);
    for (int row = 0; row < step->bodies->awake_count; row++) {
        const int index = group_of_root[dry_sets_root(root, row)];
        if (index >= 0)
            islands->group[index].bodies++;
    }
}

/* Sets the marks of joints to what their groups say. */
static void mark(const dry_solver_step *step)
{
    for (int i = 0; i < step->joints->active_count; i++) {
        const int joint = step->joints->active[i];
        const int of = step->islands->group_of[i];
        const dry_joint_group *group = of < 0 ? &(dry_joint_group){0} : &step->islands->group[of];
        if (!is_auto(step, joint))
            continue;
        int32_t *flags = &step->joints->joint[joint].flags;
        *flags = (*flags & ~(DRY_JOINT_LOADED | DRY_JOINT_DIRECT)) | (group->loaded ? DRY_JOINT_LOADED : 0) |
                 (group->direct || group->loaded ? DRY_JOINT_DIRECT : 0);
    }
    step->islands->scheduled = false;
}

bool dry_joint_groups_update(dry_solver_step *step, dry_memory *memory, dry_scratch *scratch)
{
    dry_islands *islands = step->islands;
    if (islands->grouped)
        return true;
    islands->group_count = 0;
    if (!has_auto(step)) {
        islands->grouped = true;
        return true;
    }
    const size_t rows = (size_t)step->bodies->awake_count;
    if (!DRY_RESERVE(memory, islands->group_of, islands->group_of_capacity, step->joints->active_count) ||
        !DRY_RESERVE(memory, islands->group, islands->group_capacity, step->joints->active_count) ||
        !dry_scratch_reserve(scratch, memory, 2 * dry_scratch_bytes(rows, sizeof(int32_t))))
        return false;
    const size_t before = scratch->used;
    int32_t *root = DRY_SCRATCH_TAKE(scratch, int32_t, rows);
    int32_t *group_of_root = DRY_SCRATCH_TAKE(scratch, int32_t, rows);
    count_groups(step, root, group_of_root);
    dry_scratch_give_back(scratch, before);
    for (int i = 0; i < islands->group_count; i++) {
        dry_joint_group *group = &islands->group[i];
        const bool loop = group->locked && group->joints > group->bodies - !group->grounded;
        group->direct = loop && (group->driven || group->joints <= PASSIVE_LOOP_JOINTS);
    }
    mark(step);
    islands->grouped = true;
    return true;
}

bool dry_joint_groups_load(dry_solver_step *step, bool (*is_overloaded)(const dry_solver_step *, int))
{
    dry_islands *islands = step->islands;
    bool more = false;
    for (int i = 0; i < step->joints->active_count && islands->group_count > 0; i++) {
        const int joint = step->joints->active[i];
        if (islands->group_of[i] < 0 || !is_auto(step, joint) || !is_locked(step->joints, joint))
            continue;
        dry_joint_group *group = &islands->group[islands->group_of[i]];
        if (group->direct || group->loaded)
            continue;
        group->loaded = is_overloaded(step, joint);
        more = more || group->loaded;
    }
    if (more)
        mark(step);
    return more;
}
