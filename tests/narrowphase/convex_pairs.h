/* Pairs of convex shapes drawn by a seed, as the queries take them and as the oracles do. */
#ifndef TESTS_NARROWPHASE_CONVEX_PAIRS_H
#define TESTS_NARROWPHASE_CONVEX_PAIRS_H

#include "geometry/shape_data.h"
#include "narrowphase/placed.h"
#include "tests/narrowphase/convex_oracle.h"
#include "tests/narrowphase/hull_pairs.h"

typedef struct drawn {
    convex oracle;
    dry_placed solid;
} drawn;

static inline double length_in(uint64_t *seed)
{
    return exp(random_in(seed, log(0.05), log(3)));
}

static inline void draw_triangle(drawn *d, d3 at, uint64_t *seed)
{
    d->oracle.kind = CONVEX_TRIANGLE;
    dry_double3 corner[3];
    const double wide = length_in(seed);
    for (int i = 0; i < 3; i++) {
        d->oracle.corner[i] = d3_add(at, random_d3(seed, wide));
        const d3 p = d->oracle.corner[i];
        corner[i] = double3(p.x, p.y, p.z);
    }
    d->solid = dry_placed_triangle(corner);
    d->oracle.size = d->solid.reach;
}

static inline void draw_hull_at(drawn *d, dry_geometry *geometry, d3 at, uint64_t *seed)
{
    geometry->type = DRY_SHAPE_HULL;
    geometry->data = hulls[random_below(seed, HULLS)];
    const dry_hull *hull = geometry->data->form;
    const double sx = random_in(seed, 0.3, 2), sy = random_in(seed, 0.3, 2);
    geometry->size = v3(random_below(seed, 4) ? sx : -sx, sy, random_in(seed, 0.3, 2));
    const float *c = hull->measures.center;
    const d3 center = {c[0] * geometry->size.x, c[1] * geometry->size.y, c[2] * geometry->size.z};
    const dry_transform pose = {v3_of(d3_sub(at, d3_turn(d->oracle.turn, center))), d->oracle.turn};
    d->oracle.kind = CONVEX_HULL;
    d->oracle.center = d3_of(pose.position);
    solid_make(&d->oracle.hull, hull, geometry->size, &pose);
}

/* Draws a shape about a place. */
static inline void draw_solid(drawn *d, int kind, d3 at, uint64_t *seed)
{
    memset(d, 0, sizeof *d);
    dry_geometry geometry = {.type = DRY_SHAPE_SPHERE};
    d->oracle.center = at;
    /* A quarter lies along the axes, so that faces and edges are parallel. */
    d->oracle.turn = random_below(seed, 4) ? random_quat(seed) : QUAT_IDENTITY;
    d->oracle.kind = CONVEX_ROUND;
    const double x = length_in(seed), y = length_in(seed), z = length_in(seed);
    geometry.size = v3(x, y, z);
    d->oracle.radius = geometry.size.x;
    d->oracle.arm = kind == 0 ? 0 : geometry.size.y;
    d->oracle.half = d3_of(geometry.size);
    if (kind == 5) {
        draw_triangle(d, at, seed);
        return;
    }
    if (kind == 1)
        geometry.type = DRY_SHAPE_CAPSULE;
    if (kind == 2) {
        geometry.type = DRY_SHAPE_CYLINDER;
        d->oracle.kind = CONVEX_CYLINDER;
    }
    if (kind == 3) {
        geometry.type = DRY_SHAPE_BOX;
        d->oracle.kind = CONVEX_BOX;
    }
    if (kind == 4)
        draw_hull_at(d, &geometry, at, seed);
    const d3 p = d->oracle.center;
    const dry_placed_pose pose = {double3(p.x, p.y, p.z), d->oracle.turn};
    d->solid = dry_placed_of(&geometry, &pose);
    d->oracle.size = d->solid.reach + d->solid.radius;
}

static inline void draw_both(drawn *a, drawn *b, int i, uint64_t *seed)
{
    draw_solid(a, i % 6, (d3){0, 0, 0}, seed);
    draw_solid(b, i / 6 % 5, (d3){0, 0, 0}, seed);
    /* Apart, touching, or within each other. Some lie straight beside each other, or about one center. */
    d3 way = d3_scale(sphere_point(seed), random_in(seed, 0, 1.3) * (a->oracle.size + b->oracle.size));
    const int lay = random_below(seed, 8);
    if (lay == 0)
        way.x = way.z = 0;
    if (lay == 1)
        way = (d3){0, 0, 0};
    const drawn before = *b;
    b->oracle = convex_moved(&before.oracle, way);
    b->solid.center = double3_add_scaled(before.solid.center, 1.0, double3(way.x, way.y, way.z));
}

#endif
