/* The cost of worlds in which nothing moves, or one body: processor time of a step and of
 * dry_world_statistics, beside the same world without the bodies that rest.
 *
 *   idle_worlds [BODIES...]     1,000, 10,000, 100,000 and 1,000,000 by default
 *
 * Both worlds step in turns. A row has the medians over batches of steps. */
#define _POSIX_C_SOURCE 200809L

#include <drystone/drystone.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIZES_MAX = 8, BATCHES = 101, STEPS = 20 };

static const double RATIO_MAX = 1.5, STATISTICS_MAX_US = 5.0;

static void check(dry_result result, const char *what)
{
    if (result == DRY_OK)
        return;
    fprintf(stderr, "idle_worlds: %s: %s\n", what, dry_result_name(result));
    exit(1);
}

static dry_world *make_world(void)
{
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    dry_world *world;
    check(dry_world_create(&def, &world), "dry_world_create");
    return world;
}

static dry_body_id add_cube(dry_world *world, dry_body_type type, dry_position at, bool awake)
{
    dry_shape_def shape = dry_default_shape_def();
    shape.type = DRY_SHAPE_BOX;
    shape.half_extents = (dry_vec3){0.5f, 0.5f, 0.5f};
    dry_body_def def = dry_default_body_def();
    def.type = type;
    def.pose.position = at;
    def.shapes = &shape;
    def.shape_count = 1;
    def.awake = awake;
    dry_body_id id;
    check(dry_world_create_body(world, &def, &id), "dry_world_create_body");
    return id;
}

static void add_floor(dry_world *world)
{
    dry_shape_def shape = dry_default_shape_def();
    shape.type = DRY_SHAPE_HALFSPACE;
    shape.normal = (dry_vec3){0.0f, 1.0f, 0.0f};
    dry_body_def def = dry_default_body_def();
    def.type = DRY_BODY_STATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    dry_body_id id;
    check(dry_world_create_body(world, &def, &id), "dry_world_create_body");
}

/* Returns a place in a square on the floor, `apart` meters from the next. */
static dry_position place(int i, int n, double apart)
{
    const int side = (int)ceil(sqrt(n));
    return (dry_position){apart * (i % side), 0.5, apart * (i / side)};
}

static void step(dry_world *world)
{
    check(dry_world_step(world, 1.0f / 60), "dry_world_step");
}

static void make_nothing(dry_world *world, int n)
{
    (void)world;
    (void)n;
}

static void make_fixed(dry_world *world, int n)
{
    for (int i = 0; i < n; i++)
        add_cube(world, DRY_BODY_STATIC, place(i, n, 1.0), true);
}

static void make_disabled(dry_world *world, int n)
{
    for (int i = 0; i < n; i++)
        check(dry_body_set_enabled(world, add_cube(world, DRY_BODY_DYNAMIC, place(i, n, 1.5), true), false),
              "dry_body_set_enabled");
}

static void make_kinematic(dry_world *world, int n)
{
    for (int i = 0; i < n; i++)
        add_cube(world, DRY_BODY_KINEMATIC, place(i, n, 1.5), true);
    step(world);
}

/* Steps until all bodies sleep. */
static void fall_asleep(dry_world *world)
{
    dry_settings settings = dry_world_get_settings(world);
    settings.sleep_after = 0.0f;
    settings.sleep_speed_max = 1.0f;
    check(dry_world_set_settings(world, &settings), "dry_world_set_settings");
    for (int i = 0; i < 4; i++)
        step(world);
    if (dry_world_statistics(world).awake_bodies > 0) {
        fprintf(stderr, "idle_worlds: some body is awake\n");
        exit(1);
    }
}

static void make_apart(dry_world *world, int n)
{
    add_floor(world);
    for (int i = 0; i < n; i++)
        add_cube(world, DRY_BODY_DYNAMIC, place(i, n, 1.5), true);
    fall_asleep(world);
}

static void make_block(dry_world *world, int n)
{
    const int side = (int)ceil(cbrt(n));
    add_floor(world);
    for (int i = 0; i < n; i++)
        add_cube(world, DRY_BODY_DYNAMIC,
                 (dry_position){1.001 * (i % side), 0.5 + i / side % side, 1.001 * (i / side / side)}, true);
    fall_asleep(world);
}

static void make_chains(dry_world *world, int n)
{
    dry_body_id before = {0};
    for (int i = 0; i < n; i++) {
        const dry_position at = {1.5 * (i % 10), 1.5 * (i / 10), 0.0};
        const dry_body_id id = add_cube(world, DRY_BODY_DYNAMIC, at, true);
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.body_a = id;
        def.body_b = before;
        def.anchor_a = (dry_vec3){-0.75f, 0.0f, 0.0f};
        def.anchor_b = (dry_vec3){0.75f, 0.0f, 0.0f};
        dry_joint_id joint;
        if (i % 10)
            check(dry_world_create_joint(world, &def, &joint), "dry_world_create_joint");
        before = id;
    }
    dry_settings settings = dry_world_get_settings(world);
    settings.gravity = (dry_vec3){0.0f, 0.0f, 0.0f};
    check(dry_world_set_settings(world, &settings), "dry_world_set_settings");
    fall_asleep(world);
}

/* Adds a body that flies on and touches nothing. */
static void add_mover(dry_world *world)
{
    const dry_body_id id = add_cube(world, DRY_BODY_DYNAMIC, (dry_position){0.0, 1000.0, 0.0}, true);
    check(dry_body_set_can_sleep(world, id, false), "dry_body_set_can_sleep");
    check(dry_body_set_gravity_scale(world, id, 0.0f), "dry_body_set_gravity_scale");
    check(dry_body_set_velocity(world, id, (dry_velocity){{1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}}),
          "dry_body_set_velocity");
}

static void make_mover(dry_world *world, int n)
{
    (void)n;
    add_mover(world);
}

static void make_mover_and_fixed(dry_world *world, int n)
{
    make_fixed(world, n);
    add_mover(world);
}

static void make_mover_and_asleep(dry_world *world, int n)
{
    make_apart(world, n);
    add_mover(world);
}

static void make_mover_and_block(dry_world *world, int n)
{
    make_block(world, n);
    add_mover(world);
}

typedef void make_world_of(dry_world *world, int n);

static const struct {
    const char *name;
    make_world_of *make, *beside;
} kinds[] = {
    {"fixed bodies", make_fixed, make_nothing},
    {"disabled bodies", make_disabled, make_nothing},
    {"kinematic bodies that stand still", make_kinematic, make_nothing},
    {"sleeping cubes, apart", make_apart, make_nothing},
    {"sleeping cubes, in a block", make_block, make_nothing},
    {"sleeping cubes, in chains of ten", make_chains, make_nothing},
    {"one body moves, fixed ones", make_mover_and_fixed, make_mover},
    {"one body moves, sleeping cubes apart", make_mover_and_asleep, make_mover},
    {"one body moves, sleeping cubes in a block", make_mover_and_block, make_mover},
};
enum { KINDS = (int)(sizeof kinds / sizeof *kinds) };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_steps(dry_world *world)
{
    const double began = seconds();
    for (int i = 0; i < STEPS; i++)
        step(world);
    return 1e6 * (seconds() - began) / STEPS;
}

static double time_statistics(dry_world *world)
{
    const double began = seconds();
    (void)dry_world_statistics(world);
    return 1e6 * (seconds() - began);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

/* Costs in us; `beside`: of a step of the world without the bodies that rest. */
typedef struct cost {
    double step, beside, statistics;
} cost;

static cost measure(int kind, int n)
{
    double us[3][BATCHES];
    dry_world *world = make_world(), *beside = make_world();
    kinds[kind].make(world, n);
    kinds[kind].beside(beside, n);
    for (int i = 0; i < 8; i++) {
        step(world);
        step(beside);
    }
    for (int i = 0; i < BATCHES; i++) {
        us[0][i] = time_steps(world);
        us[1][i] = time_steps(beside);
    }
    for (int i = 0; i < BATCHES; i++)
        us[2][i] = time_statistics(world);
    dry_world_destroy(world);
    dry_world_destroy(beside);
    return (cost){median(us[0], BATCHES), median(us[1], BATCHES), median(us[2], BATCHES)};
}

int main(int argc, char **argv)
{
    int sizes[SIZES_MAX] = {1000, 10000, 100000, 1000000}, count = 4;
    if (argc > 1)
        count = argc - 1 < SIZES_MAX ? argc - 1 : SIZES_MAX;
    for (int s = 0; s < count && argc > 1; s++) {
        sizes[s] = atoi(argv[s + 1]);
        if (sizes[s] < 1 || sizes[s] > 4000000) {
            fprintf(stderr, "idle_worlds: a number of bodies must be 1 to 4000000\n");
            return 2;
        }
    }
    printf("A step of an idle world may take %.1f times as long as that of an empty one, and the statistics "
           "%.0f us.\n\n",
           RATIO_MAX, STATISTICS_MAX_US);
    printf("| world | bodies | step, us | without them, us | ratio | statistics, us |\n"
           "|---|--:|--:|--:|--:|--:|\n");
    for (int k = 0; k < KINDS; k++)
        for (int s = 0; s < count; s++) {
            const cost c = measure(k, sizes[s]);
            const bool over = c.step > RATIO_MAX * c.beside || c.statistics > STATISTICS_MAX_US;
            printf("| %s | %d | %.3f | %.3f | %.2f | %.2f |%s\n", kinds[k].name, sizes[s], c.step, c.beside,
                   c.step / c.beside, c.statistics, over ? " over" : "");
            fflush(stdout);
        }
    return 0;
}
