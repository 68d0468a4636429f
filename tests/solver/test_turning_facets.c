/* Bodies that slide without friction in troughs and bowls of facets gain no energy. */
#include "tests/solver/turning.h"

/* Troughs and bowls of facets. */

/* Half a pipe along z with its axis at y = r: facets touch a circle of radius r from outside. */
static surface trough_surface(int facets, double r, double half_length)
{
    surface s = {0};
    const double corner = r / cos(TEST_PI / (2 * facets));
    for (int i = 0; i <= facets; ++i) {
        const double a = TEST_PI * ((double)i / facets - 0.5);
        for (int side = -1; side <= 1; side += 2)
            surface_vertex(&s, (d3){corner * sin(a), r - corner * cos(a), side * half_length});
    }
    for (int i = 0; i < 2 * facets; i += 2) {
        surface_triangle(&s, i, i + 1, i + 3);
        surface_triangle(&s, i, i + 3, i + 2);
    }
    return s;
}

/* Half a ball with its center at y = r, of so many facets around and a quarter of them up, all outside of a
 * sphere of radius r. */
static surface bowl_surface(int facets, double r)
{
    surface s = {0};
    const double corner = r / (cos(TEST_PI / facets) * cos(TEST_PI / facets));
    surface_vertex(&s, (d3){0, r - corner, 0});
    for (int ring = 1; ring <= facets / 4; ++ring)
        for (int i = 0; i < facets; ++i) {
            const double up = 2 * TEST_PI * ring / facets, a = 2 * TEST_PI * i / facets;
            surface_vertex(&s,
                           (d3){corner * sin(up) * cos(a), r - corner * cos(up), corner * sin(up) * sin(a)});
        }
    for (int i = 0; i < facets; ++i)
        surface_triangle(&s, 0, 1 + (i + 1) % facets, 1 + i);
    for (int ring = 0; ring < facets / 4 - 1; ++ring)
        for (int i = 0; i < facets; ++i) {
            const int a = 1 + ring * facets + i, b = 1 + ring * facets + (i + 1) % facets;
            surface_triangle(&s, a, b, b + facets);
            surface_triangle(&s, a, b + facets, a + facets);
        }
    return s;
}

/* Slides a body without friction from 0.5 rad off the lowest place. Its center goes round that of the
 * surface, `low` inside of it, and cannot come below `lowest`. */
static course slide_in(surface s, double r, const dry_shape_def *shape, double low, double lowest,
                       double heading, double seconds)
{
    dry_world *world = world_with(test_settings());
    add_surface(world, &s, (d3){0, 0, 0}, 0);
    dry_shape_def smooth = *shape;
    smooth.friction = 0;
    const double a = 0.5, out = (r - low) * sin(a);
    const dry_body_id id =
        add_dynamic(world,
                    (dry_pose){{out * cos(heading), r - (r - low) * cos(a), out * sin(heading)},
                               quat_about((d3){-sin(heading), 0, cos(heading)}, a)},
                    smooth);
    course energy = course_from(energy_above(world, id, lowest));
    for (int i = 0; i < seconds * 60; ++i) {
        run_steps(world, 1, TEST_DT);
        course_goes(&energy, energy_above(world, id, lowest));
    }
    dry_world_destroy(world);
    return energy;
}

static const double radii[] = {2, 0.3}, rounding = 1e-4; /* of single precision */

/* Slides bodies in troughs, and bounds their energy at the end, or the largest on the way, too. */
static void slide_in_troughs(bool largest)
{
    const int seconds = test_pick(30, 6);
    for (int i = 0; i < 2; ++i)
        for (int form = 0; form < 4; ++form) {
            const double R = radii[i], size = R / 20;
            /* The bottom edges of a box stay on the circle. */
            const double low = form < 3 ? size : R - (sqrt(R * R - size * size) - size);
            const dry_shape_def shape =
                form < 3 ? round_along_z((round_shape)form, size, size) : box_shape(size, size, size);
            const course c = slide_in(trough_surface(257, R, 0.5), R, &shape, low, low, 0, seconds);
            char name[120];
            snprintf(name, sizeof name, "%s in a trough of %g m", form < 3 ? round_names[form] : "box", R);
            if (largest)
                course_holds(&c, name, 0.5, 1.0 + rounding, 1.0 + rounding);
            else
                holds(name, c.last, 0.5, 1.0 + rounding);
        }
    assert_rows_held();
}

static void test_troughs_give_no_energy(void **state)
{
    (void)state;
    slide_in_troughs(false);
}

static void test_troughs_never_have_more(void **state)
{
    (void)state;
    slide_in_troughs(true);
}

static void slide_in_bowls(int facets)
{
    for (int i = 0; i < 2; ++i) {
        const double R = radii[i];
        const dry_shape_def ball = sphere_shape(R / 20);
        const double corner = R / pow(cos(TEST_PI / facets), 2); /* the lowest is one */
        const course c =
            slide_in(bowl_surface(facets, R), R, &ball, R / 20, R - corner + R / 20, 0.4, test_pick(30, 6));
        char name[120];
        snprintf(name, sizeof name, "ball in a bowl of %g m and %d facets", R, facets);
        course_holds(&c, name, 0, 1.0 + rounding, 1.0 + rounding);
    }
    assert_rows_held();
}

static void test_coarse_bowls_give_no_energy(void **state)
{
    (void)state;
    slide_in_bowls(64);
}

static void test_fine_bowls_give_no_energy(void **state)
{
    (void)state;
    slide_in_bowls(256);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coarse_bowls_give_no_energy),
        cmocka_unit_test(test_troughs_give_no_energy),
    };
    const struct CMUnitTest owed[] = {
        cmocka_unit_test(test_troughs_never_have_more),
        cmocka_unit_test(test_fine_bowls_give_no_energy),
    };
    return RUN_ROWS(count, arguments, tests, owed);
}
