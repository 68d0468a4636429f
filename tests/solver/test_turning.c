/* Bodies that rock and roll on a contact keep their energy: roly-polys, boards on logs, Euler's disk, blocks.
 */
#include "tests/solver/turning.h"

/* Returns the angle about z, of a body that turns about z alone. */
static double angle_about_z(const dry_world *world, dry_body_id id)
{
    const dry_quat q = pose_of(world, id).orientation;
    return 2 * atan2(q.z, q.w);
}

/* Level floors, y = 0. */
typedef enum ground { ON_HALFSPACE, ON_BOX, ON_MESH, ON_FIELD, GROUND_COUNT } ground;
static const char *const ground_names[] = {"half-space", "box", "mesh", "field"};

/* The cells of a mesh or a field are so small that what rocks rolls over their edges. */
static void add_ground(dry_world *world, ground kind, double friction)
{
    enum { CELLS = 24 };
    const double cell = 0.13;
    const d3 corner = {-CELLS * cell / 2, 0, -CELLS * cell / 2};
    if (kind == ON_HALFSPACE) {
        add_floor(world, friction, 0);
    } else if (kind == ON_BOX) {
        dry_shape_def box = box_shape(5, 1, 5);
        box.friction = (float)friction;
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), box);
    } else if (kind == ON_MESH) {
        uint64_t seed = 5;
        surface s = grid_surface(CELLS, cell, 0, &seed);
        add_surface(world, &s, corner, friction);
    } else {
        static const float heights[(CELLS + 1) * (CELLS + 1)];
        const dry_height_field_def def = {.rows = CELLS + 1,
                                          .columns = CELLS + 1,
                                          .spacing = {(float)cell, (float)cell},
                                          .heights = heights};
        dry_shape_data *data = NULL;
        assert_ok(dry_height_field_create(&def, NULL, &data, NULL));
        add_data(world, DRY_SHAPE_HEIGHT_FIELD, data, corner, friction);
    }
}

/* Roly-polys. */

typedef struct roly_poly {
    double radius, below, angle, seconds, least;
} roly_poly;

/* A round body of 1 kg with its center of mass below its middle rocks, and loses nothing as it rolls. Its
 * height is that of its angle: how deep it lies in the floor under its weight is not counted. */
static course rock_roly_poly(const roly_poly *r, round_shape shape, ground kind)
{
    dry_world *world = world_with(test_settings());
    add_ground(world, kind, 1);
    const dry_shape_def def = round_along_z(shape, r->radius, r->radius);
    const dry_body_id id =
        add_dynamic(world, (dry_pose){{0.3, r->radius, 0.2}, quat_about((d3){0, 0, 1}, r->angle)}, def);
    const float inertia = (float)(0.4 * r->radius * r->radius);
    const dry_mass mass = {.mass = 1,
                           .center = v3(0, -r->below, 0),
                           .inertia = {{inertia, 0, 0}, {0, inertia, 0}, {0, 0, inertia}}};
    assert_ok(dry_body_set_mass(world, id, &mass));
    course c = course_from(TEST_G * r->below * (1 - cos(r->angle)));
    for (int i = 0; i < r->seconds * 60; ++i) {
        run_steps(world, 1, TEST_DT);
        const double up = d3_turn(pose_of(world, id).orientation, (d3){0, 1, 0}).y;
        course_goes(&c, kinetic_energy(world, id) + TEST_G * r->below * (1 - up));
    }
    dry_world_destroy(world);
    return c;
}

static void test_roly_polys_keep_their_energy(void **state)
{
    (void)state;
    static const roly_poly rows[] = {
        {0.1, 0.04, 0.3, 30, 0.9}, {0.1, 0.04, 0.02, 60, 0.9}, {0.5, 0.2, 0.3, 30, 0.95}};
    for (int i = 0; i < COUNT_OF(rows); ++i)
        for (int shape = 0; shape < ROUND_COUNT; ++shape)
            for (int kind = 0; kind < GROUND_COUNT; ++kind) {
                if (test_quick() && (i + shape + kind) % 3)
                    continue;
                const course c = rock_roly_poly(&rows[i], (round_shape)shape, (ground)kind);
                char name[120];
                snprintf(name, sizeof name, "roly-poly, %s of %g m, %g rad, on a %s", round_names[shape],
                         rows[i].radius, rows[i].angle, ground_names[kind]);
                course_holds(&c, name, rows[i].least, 1.01, INFINITY);
            }
    assert_rows_held();
}

/* Boards on logs. */

typedef struct log_board {
    double radius, half_length, half_thickness, angle;
} log_board;

/* Returns the energy of a board that touches a log about z: its center is R + h off the axis across itself,
 * and where it is along itself. */
static double board_energy(const dry_world *world, dry_body_id id, const log_board *b)
{
    const double angle = angle_about_z(world, id), off_axis = b->radius + b->half_thickness;
    const double along = d3_dot(position_of(world, id), (d3){cos(angle), sin(angle), 0});
    return kinetic_energy(world, id) +
           mass_of(world, id).mass * TEST_G * (off_axis * (cos(angle) - 1) + along * sin(angle));
}

/* A board that lies across a static log, and has rolled on it by an angle, rocks. */
static course rock_board(const log_board *b, double seconds, bool *stays)
{
    dry_world *world = world_with(test_settings());
    dry_shape_def wood = round_along_z(CYLINDER, b->radius, 0.5),
                  board = box_shape(b->half_length, b->half_thickness, 0.3);
    wood.friction = board.friction = 2;
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), wood);
    const double s = sin(b->angle), c = cos(b->angle), across = b->radius + b->half_thickness,
                 along = b->radius * b->angle;
    const dry_body_id id = add_dynamic(
        world,
        (dry_pose){{along * c - across * s, across * c + along * s, 0}, quat_about((d3){0, 0, 1}, b->angle)},
        board);
    course energy = course_from(board_energy(world, id, b));
    *stays = true;
    for (int i = 0; i < seconds * 60 && *stays; ++i) {
        run_steps(world, 1, TEST_DT);
        course_goes(&energy, board_energy(world, id, b));
        *stays = position_of(world, id).y > b->radius;
    }
    dry_world_destroy(world);
    return energy;
}

static void test_boards_rock_on_logs(void **state)
{
    (void)state;
    static const log_board boards[] = {{0.3, 0.6, 0.02, 0.15}, {0.2, 0.3, 0.02, 0.15}};
    for (int i = 0; i < COUNT_OF(boards); ++i) {
        bool stays;
        const course c = rock_board(&boards[i], 30, &stays);
        char name[120];
        snprintf(name, sizeof name, "board of %g m on a log of %g m", 2 * boards[i].half_length,
                 boards[i].radius);
        course_holds(&c, name, 0.9, 1.01, INFINITY);
        snprintf(name, sizeof name, "board of %g m: stays", 2 * boards[i].half_length);
        holds(name, stays, 1, 1);
    }
    assert_rows_held();
}

/* Euler's disk. */

/* Returns the share of its energy that a disk keeps for a second that rolls about its own center, at rest,
 * as it leans by 0.5 rad. Its spin w, along the line from the center to the contact, goes round the vertical
 * at W: W^2 sin (A cos - C h/r sin) = m g (r cos - h sin), w = W sin / r along each of the radius r and the
 * half thickness h, with A across and C about the axis. */
static course spin_disk(double hertz)
{
    const double r = 0.5, h = 0.01, lean = 0.5, s = sin(lean), c = cos(lean);
    dry_world *world = world_with(test_settings());
    add_floor(world, 2, 0);
    dry_shape_def shape = cylinder_shape(r, h);
    shape.friction = 2;
    const dry_body_id id =
        add_dynamic(world, (dry_pose){{0, r * s + h * c, 0}, quat_about((d3){0, 0, 1}, -lean)}, shape);
    const dry_mass mass = mass_of(world, id);
    const double across = mass.inertia[0][0], about = mass.inertia[1][1];
    const double rate = sqrt(mass.mass * TEST_G * (r * c - h * s) / (s * (across * c - about * h / r * s)));
    /* The lowest point of the rim lies at +x; down the slope is (c, -s), the axis (s, c). */
    const d3 down = {c, -s, 0}, axis = {s, c, 0};
    set_velocity(world, id, (d3){0, 0, 0},
                 d3_add(d3_scale(down, -rate * s), d3_scale(axis, rate * s * h / r)));
    course energy = course_from(energy_above(world, id, h));
    for (int i = 0; i < hertz; ++i) {
        run_steps(world, 1, (float)(1 / hertz));
        course_goes(&energy, energy_above(world, id, h));
    }
    dry_world_destroy(world);
    return energy;
}

static void test_eulers_disk_keeps_its_energy(void **state)
{
    (void)state;
    const course slow = spin_disk(60), fast = spin_disk(240);
    course_holds(&slow, "Euler's disk at 60 Hz, 1 s", 0.95, 1.01, 1.01);
    course_holds(&fast, "Euler's disk at 240 Hz, 1 s", 0.99, 1.01, 1.01);
    assert_rows_held();
}

/* Rocking blocks. */

/* Lets a block of 1 m, and of 1/slender of it in width, rock from a share of the angle at which it would
 * topple. Returns the ratio of its angular speeds after the first impact and before: that of the roots of its
 * energy at the first step's end beyond the upright and at the start. */
static double ratio_of_first_impact(double slender, double share, double hertz)
{
    const double h = 0.5, b = h / slender, topples = atan(1 / slender), r = hypot(h, b);
    const double angle = share * topples;
    dry_world *world = world_with(test_settings());
    add_floor(world, 2, 0);
    dry_shape_def shape = box_shape(b, h, h / 2);
    shape.friction = 2;
    /* The corner at +x bears it, at the origin. */
    const d3 at = {-r * sin(topples - angle), r * cos(topples - angle), 0};
    const dry_body_id id =
        add_dynamic(world, (dry_pose){{at.x, at.y, 0}, quat_about((d3){0, 0, 1}, -angle)}, shape);
    for (int i = 0; i < 10 * hertz && angle_about_z(world, id) <= 0; ++i)
        run_steps(world, 1, (float)(1 / hertz));
    const double rises = TEST_G * r * (cos(topples - fabs(angle_about_z(world, id))) - cos(topples));
    const double start = TEST_G * r * (cos(topples - angle) - cos(topples));
    const double after = kinetic_energy(world, id) / mass_of(world, id).mass + rises;
    dry_world_destroy(world);
    return sqrt(after / start);
}

/* A block loses what Housner's ratio says, 1 - 3/2 sin^2 of the angle at which it topples. */
static void rock_blocks(double hertz)
{
    static const double slender[] = {4, 3, 6, 8}, shares[] = {0.5, 0.8};
    for (int i = 0; i < COUNT_OF(slender) * COUNT_OF(shares); ++i) {
        const double h = slender[i / 2], share = shares[i % 2];
        const double s = sin(atan(1 / h)), housner = 1 - 1.5 * s * s;
        char name[120];
        snprintf(name, sizeof name, "block 1:%g from %g of toppling, %g Hz: over Housner's %.4f", h, share,
                 hertz, housner);
        holds(name, ratio_of_first_impact(h, share, hertz) / housner, 0.99, 1.01);
    }
    assert_rows_held();
}

static void test_rocking_blocks_lose_what_housner_says(void **state)
{
    (void)state;
    rock_blocks(240);
}

static void test_rocking_blocks_at_60_hz(void **state)
{
    (void)state;
    rock_blocks(60);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roly_polys_keep_their_energy),
        cmocka_unit_test(test_boards_rock_on_logs),
        cmocka_unit_test(test_eulers_disk_keeps_its_energy),
        cmocka_unit_test(test_rocking_blocks_lose_what_housner_says),
    };
    const struct CMUnitTest owed[] = {
        cmocka_unit_test(test_rocking_blocks_at_60_hz),
    };
    return RUN_ROWS(count, arguments, tests, owed);
}
