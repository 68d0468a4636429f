/* Figures of what turns on a contact, each with its bounds: for the programs test_turning*.c. Sleep is off,
 * nothing damps.
 *
 * Without DRYSTONE_TEST_QUICK these programs measure: they run all cases, and print each figure with its
 * bounds. A pattern as an argument runs what the engine still owes, too: "*" runs all. */
#ifndef TESTS_SOLVER_TURNING_H
#define TESTS_SOLVER_TURNING_H

#include "tests/meshes.h"

/* Figures that left their bounds, of one test. */
static int rows_off;

/* Prints a figure, and counts it if it leaves its bounds. A value that is not a number leaves them. */
static inline void holds(const char *what, double figure, double least, double most)
{
    const bool inside = figure >= least && figure <= most;
    if (!inside || !test_quick())
        print_message("%s %-78s %10.4g  (%g to %g)\n", inside ? "     " : "FAILS", what, figure, least, most);
    rows_off += !inside;
}

static inline void assert_rows_held(void)
{
    const int count = rows_off;
    rows_off = 0;
    assert_int_equal(count, 0);
}

/* How an energy went, as shares of that at the start. */
typedef struct course {
    double start, most, last;
} course;

static inline course course_from(double energy)
{
    return (course){energy, 1, 1};
}

static inline void course_goes(course *c, double energy)
{
    c->last = energy / c->start;
    c->most = fmax(c->most, c->last);
}

/* Bounds the energy at the end by `most`, and the largest on the way by `largest`: velocities are half a
 * substep older than poses, so that the sum of both energies sways within a swing. */
static inline void course_holds(const course *c, const char *what, double least, double most, double largest)
{
    char name[160];
    snprintf(name, sizeof name, "%s: energy at the end", what);
    holds(name, c->last, least, most);
    snprintf(name, sizeof name, "%s: largest", what);
    holds(name, c->most, 0, largest);
}

/* Returns kinetic and gravitational energy, the latter above a height of the center of mass. */
static inline double energy_above(const dry_world *world, dry_body_id id, double height)
{
    return kinetic_energy(world, id) + mass_of(world, id).mass * TEST_G * (center_of(world, id).y - height);
}

static inline dry_shape_def cylinder_shape(double radius, double half_length)
{
    dry_shape_def def = capsule_shape(radius, half_length);
    def.type = DRY_SHAPE_CYLINDER;
    return def;
}

static inline void add_data(dry_world *world, dry_shape_type type, dry_shape_data *data, d3 at,
                            double friction)
{
    dry_shape_def shape = data_shape(type, data);
    shape.friction = (float)friction;
    add_body(world, DRY_BODY_STATIC, pose_at(at.x, at.y, at.z), shape);
    dry_shape_data_release(data);
}

static inline void add_surface(dry_world *world, surface *s, d3 at, double friction)
{
    const dry_mesh mesh = surface_mesh(s);
    dry_shape_data *data = NULL;
    assert_ok(dry_mesh_create(&mesh, NULL, NULL, &data, NULL));
    add_data(world, DRY_SHAPE_MESH, data, at, friction);
    surface_free(s);
}

typedef enum round_shape { BALL, CAPSULE, CYLINDER, ROUND_COUNT } round_shape;
static const char *const round_names[] = {"ball", "capsule", "cylinder"};

/* The axis of a capsule and of a cylinder lies along z. */
static inline dry_shape_def round_along_z(round_shape shape, double radius, double half_length)
{
    dry_shape_def def = shape == BALL      ? sphere_shape(radius)
                        : shape == CAPSULE ? capsule_shape(radius, half_length)
                                           : cylinder_shape(radius, half_length);
    if (shape != BALL)
        def.pose.orientation = quat_about((d3){1, 0, 0}, TEST_PI / 2);
    def.friction = 1;
    return def;
}

/* Runs the tests; with a pattern as the program's argument those that match, and of what is owed. */
#define RUN_ROWS(count, arguments, tests, owed)                                                              \
    ((count) == 1 ? cmocka_run_group_tests(tests, NULL, NULL)                                                \
                  : (cmocka_set_test_filter((arguments)[1]),                                                 \
                     cmocka_run_group_tests(tests, NULL, NULL) + cmocka_run_group_tests(owed, NULL, NULL)))

#endif
