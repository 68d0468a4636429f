/* Blows go through columns and rows of bodies without restitution: what lands stays down, and what is hit
 * moves on together. */
#include "tests/solver/turning.h"

static const char *const solver_names[] = {"gauss-seidel", "jacobi", "pbd", "xpbd", "avbd"};

/* Floors, y = 0: a column falls on the first three, and stands on lifts. */
typedef enum floor_kind {
    ON_HALFSPACE,
    ON_BOX,
    ON_MESH,
    ON_LIFT_THAT_STARTS,
    ON_LIFT_THAT_STOPS,
    FLOOR_COUNT
} floor_kind;
static const char *const floor_names[] = {"half-space", "box", "mesh", "lift that starts", "lift that stops"};

enum { MOST = 20 };
static const int counts[] = {2, 3, 5, 10, MOST};

/* Bodies that a blow goes through, and the blow. */
typedef struct struck {
    dry_solver solver;
    floor_kind floor;
    int count, hertz;   /* steps a second */
    double side, speed; /* m, m/s */
    double way;         /* before the blow, in ways of a step */
} struck;

/* Draws the size, the speed, the place of the blow within a step, and the step. */
static struck draw(uint64_t *seed, dry_solver solver, floor_kind floor, int count)
{
    return (struck){.solver = solver,
                    .floor = floor,
                    .count = count,
                    .hertz = random_in(seed, 0, 1) < 0.5 ? 60 : 240,
                    .side = 0.05 * pow(100, random_in(seed, 0, 1)),
                    .speed = pow(10, random_in(seed, 0, 1)),
                    .way = random_in(seed, 0, 1)};
}

static dry_body_id add_column_floor(dry_world *world, const struck *c)
{
    if (c->floor == ON_HALFSPACE)
        return add_floor(world, 0.6, 0);
    if (c->floor == ON_MESH) {
        uint64_t seed = 5;
        surface s = grid_surface(8, c->side, 0, &seed);
        add_surface(world, &s, (d3){-4.3 * c->side, 0, -4.4 * c->side}, 0.6);
        return (dry_body_id){0};
    }
    dry_shape_def box = box_shape(4 * c->side, 1, 4 * c->side);
    box.friction = 0.6f;
    return add_body(world, c->floor == ON_BOX ? DRY_BODY_STATIC : DRY_BODY_KINEMATIC, pose_at(0, -1, 0), box);
}

/* Gives the floor another velocity once the column has moved with the one before for a second. */
static void move_lift(dry_world *world, dry_body_id floor, const dry_body_id *cubes, const struck *c,
                      double before, double after)
{
    for (int i = 0; i < c->count; ++i)
        set_velocity(world, cubes[i], (d3){0, before, 0}, (d3){0, 0, 0});
    set_velocity(world, floor, (d3){0, before, 0}, (d3){0, 0, 0});
    run_steps(world, c->hertz, 1.0f / (float)c->hertz);
    set_velocity(world, floor, (d3){0, after, 0}, (d3){0, 0, 0});
}

/* How a blow went through a column, relative to its floor. */
typedef struct column_blow {
    double hop;  /* the top's largest speed upward, over that of the blow */
    double most; /* the largest energy of motion upward, over the blow's */
} column_blow;

static column_blow strike_column(const struck *c)
{
    const bool lifted = c->floor >= ON_LIFT_THAT_STARTS;
    const double drift = c->floor == ON_LIFT_THAT_STARTS ? c->speed : 0;
    dry_settings settings = test_settings();
    settings.method.solver = c->solver;
    dry_world *world = world_with(settings);
    const dry_body_id floor = add_column_floor(world, c);
    dry_body_id cubes[MOST];
    for (int i = 0; i < c->count; ++i) {
        dry_shape_def cube = box_shape(c->side / 2, c->side / 2, c->side / 2);
        cube.friction = 0.6f;
        const double gap = lifted ? 0 : c->way * c->speed / c->hertz;
        cubes[i] = add_dynamic(world, pose_at(0, gap + (0.5 + i) * c->side, 0), cube);
        set_velocity(world, cubes[i], (d3){0, -c->speed, 0}, (d3){0, 0, 0});
    }
    if (lifted)
        move_lift(world, floor, cubes, c, drift - c->speed, drift);
    column_blow blow = {0};
    for (int k = 0; k < 2 * c->hertz; ++k) {
        run_steps(world, 1, 1.0f / (float)c->hertz);
        double upward = 0;
        for (int i = 0; i < c->count; ++i) {
            const double v = (velocity_of(world, cubes[i]).y - drift) / c->speed;
            upward += v > 0 ? v * v / c->count : 0;
            blow.hop = i == c->count - 1 ? fmax(blow.hop, v) : blow.hop;
        }
        blow.most = fmax(blow.most, upward);
    }
    dry_world_destroy(world);
    return blow;
}

/* Strikes drawn columns of each count on each floor, and bounds the highest figures of all. */
static void strike_columns(dry_solver solver, double hop)
{
    uint64_t seed = 69;
    for (int floor = 0; floor < FLOOR_COUNT; ++floor)
        for (int i = 0; i < COUNT_OF(counts); ++i) {
            column_blow most = {0};
            for (int k = 0; k < test_pick(12, 1); ++k) {
                const struck c = draw(&seed, solver, (floor_kind)floor, counts[i]);
                const column_blow blow = strike_column(&c);
                most = (column_blow){fmax(most.hop, blow.hop), fmax(most.most, blow.most)};
            }
            char name[120];
            snprintf(name, sizeof name, "%s, %d cubes, %s: hop", solver_names[solver], counts[i],
                     floor_names[floor]);
            holds(name, most.hop, 0, hop);
            snprintf(name, sizeof name, "%s, %d cubes, %s: energy upward", solver_names[solver], counts[i],
                     floor_names[floor]);
            holds(name, most.most, 0, 1);
        }
}

/* A column has no more energy after the blow than it came with, and its top is not thrown faster. */
static void test_columns_gain_nothing(void **state)
{
    (void)state;
    strike_columns(DRY_SOLVER_GAUSS_SEIDEL, 1);
    assert_rows_held();
}

static void test_columns_stay_down(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; ++solver)
        strike_columns((dry_solver)solver, 0.05);
    assert_rows_held();
}

/* How a ball's blow went through a row. */
typedef struct row_blow {
    double off;      /* the largest error of a ball's velocity, over what all have together */
    double momentum; /* error of the sum, over the blow's */
    double energy;   /* over the blow's */
    double closing;  /* the largest speed at which neighbors still approach, over the blow's */
} row_blow;

/* Lets a ball hit a row of balls that touch, in weightless space: they move on together. */
static row_blow strike_row(const struck *c)
{
    dry_settings settings = test_settings_weightless();
    settings.method.solver = c->solver;
    dry_world *world = world_with(settings);
    dry_body_id balls[MOST];
    for (int i = 0; i < c->count; ++i)
        balls[i] = add_dynamic(world, pose_at(i > 0 ? i * c->side : -c->way * c->speed / c->hertz, 0, 0),
                               sphere_shape(c->side / 2));
    set_velocity(world, balls[0], (d3){c->speed, 0, 0}, (d3){0, 0, 0});
    run_steps(world, c->hertz / 2, 1.0f / (float)c->hertz);
    row_blow blow = {.momentum = -1};
    for (int i = 0; i < c->count; ++i) {
        const double v = velocity_of(world, balls[i]).x / c->speed;
        const double next = i + 1 < c->count ? velocity_of(world, balls[i + 1]).x / c->speed : v;
        blow.off = fmax(blow.off, fabs(v * c->count - 1));
        blow.momentum += v;
        blow.energy += v * v;
        blow.closing = fmax(blow.closing, v - next);
    }
    dry_world_destroy(world);
    return blow;
}

static void strike_rows(dry_solver solver, double off)
{
    uint64_t seed = 7;
    for (int i = 0; i < COUNT_OF(counts); ++i) {
        row_blow most = {0};
        for (int k = 0; k < test_pick(12, 3); ++k) {
            const struck c = draw(&seed, solver, ON_HALFSPACE, counts[i]);
            const row_blow blow = strike_row(&c);
            most = (row_blow){fmax(most.off, blow.off), fmax(most.momentum, fabs(blow.momentum)),
                              fmax(most.energy, blow.energy), fmax(most.closing, blow.closing)};
        }
        char name[120];
        const char *const of = solver_names[solver];
        snprintf(name, sizeof name, "%s, row of %d balls: off", of, counts[i]);
        holds(name, most.off, 0, counts[i] == 2 ? 0.01 : off);
        snprintf(name, sizeof name, "%s, row of %d balls: error of momentum", of, counts[i]);
        holds(name, most.momentum, 0, 1e-5);
        snprintf(name, sizeof name, "%s, row of %d balls: energy", of, counts[i]);
        holds(name, most.energy, 1.0 / counts[i] - 1e-5, 1);
        snprintf(name, sizeof name, "%s, row of %d balls: still closing", of, counts[i]);
        holds(name, most.closing, 0, 0.01);
    }
}

/* A row keeps its momentum, has the energy of bodies that move together at least, and nobody goes through its
 * neighbor. Two balls are exact. */
static void test_rows_keep_momentum(void **state)
{
    (void)state;
    strike_rows(DRY_SOLVER_GAUSS_SEIDEL, INFINITY);
    strike_rows(DRY_SOLVER_JACOBI, INFINITY);
    assert_rows_held();
}

static void test_rows_move_on_together(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; ++solver)
        strike_rows((dry_solver)solver, 0.01);
    assert_rows_held();
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_gain_nothing),
        cmocka_unit_test(test_rows_keep_momentum),
    };
    const struct CMUnitTest owed[] = {
        cmocka_unit_test(test_columns_stay_down),
        cmocka_unit_test(test_rows_move_on_together),
    };
    return RUN_ROWS(count, arguments, tests, owed);
}
