/* Makes the built-in scenes of hulls and of all shapes. Their points come from integer arithmetic and sqrt
 * alone.
 *
 * Writes a dry_scene through maker.h. Next: builtin.c, which lists the scenes. */
#include "tools/scenes/heaps.h"

enum { POINTS_MIN = 12, POINTS_MAX = 32 };

/* Draws a point of the unit sphere. */
static void draw_direction(maker *m, double *x)
{
    double squared;
    do {
        for (int k = 0; k < 3; k++)
            x[k] = dry_random_signed(&m->random);
        squared = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    } while (squared > 1.0 || squared < 0.01);
    const double length = sqrt(squared);
    for (int k = 0; k < 3; k++)
        x[k] /= length;
}

dry_shape_data *dry_draw_hull(maker *m)
{
    dry_vec3 points[POINTS_MAX];
    double half[3], x[3];
    dry_shape_data *data = NULL;
    const int count = POINTS_MIN + (int)(dry_random_bits(&m->random) % (POINTS_MAX - POINTS_MIN + 1));
    for (int k = 0; k < 3; k++)
        half[k] = 0.65 + 0.15 * dry_random_signed(&m->random);
    for (int i = 0; i < count; i++) {
        draw_direction(m, x);
        points[i] = (dry_vec3){(float)(half[0] * x[0]), (float)(half[1] * x[1]), (float)(half[2] * x[2])};
    }
    m->failed = m->failed || dry_scene_add_hull(m->scene, points, count, 0, &data, NULL) != DRY_OK;
    return data;
}

void dry_make_hulls(maker *m, int size)
{
    dry_shape_data *forms[DRY_HULL_FORMS];
    const int count = size < DRY_HULL_FORMS ? size : DRY_HULL_FORMS;
    for (int i = 0; i < count; i++)
        forms[i] = dry_draw_hull(m);
    const bin b = add_bin(m, size, 1.75);
    for (int i = 0; i < size; i++) {
        dry_shape_def hull = shape_of(DRY_SHAPE_HULL);
        hull.data = forms[i % DRY_HULL_FORMS];
        add_in_bin(m, b, i);
        add_shape(m, &hull);
    }
}

/* Returns a mallet: a box with a head across. */
static dry_shape_def mallet_of(maker *m)
{
    dry_shape_def part[2] = {shape_of(DRY_SHAPE_BOX), shape_of(DRY_SHAPE_CYLINDER)};
    part[0].half_extents = (dry_vec3){0.1f, 0.5f, 0.1f};
    part[1].radius = 0.25f;
    part[1].half_length = 0.35f;
    part[1].pose = (dry_transform){{0.0f, 0.5f, 0.0f}, {0.70710678f, 0.0f, 0.0f, 0.70710678f}};
    dry_shape_def mallet = shape_of(DRY_SHAPE_COMPOUND);
    m->failed = m->failed || dry_scene_add_compound(m->scene, part, 2, &mallet.data) != DRY_OK;
    return mallet;
}

void dry_make_shapes(maker *m, int size)
{
    dry_shape_def shape[] = {shape_of(DRY_SHAPE_SPHERE),   shape_of(DRY_SHAPE_CAPSULE),
                             shape_of(DRY_SHAPE_CYLINDER), shape_of(DRY_SHAPE_BOX),
                             shape_of(DRY_SHAPE_HULL),     mallet_of(m)};
    enum { SHAPES = sizeof shape / sizeof *shape };
    shape[1].radius = 0.3f;
    shape[2].radius = 0.5f;
    shape[2].half_length = 0.3f;
    shape[4].data = dry_draw_hull(m);
    shape[4].scale = (dry_vec3){1.0f, -0.7f, 1.0f};
    const bin b = add_bin(m, size, 1.75);
    for (int i = 0; i < size; i++) {
        add_in_bin(m, b, i);
        add_shape(m, &shape[i % SHAPES]);
    }
}
