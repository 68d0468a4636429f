/* Floors made of boxes, or of one half-space, for tests of seams. */
#ifndef TESTS_NARROWPHASE_TILE_FLOOR_H
#define TESTS_NARROWPHASE_TILE_FLOOR_H

#include "tests/test_world.h"

typedef enum floor_kind {
    HALFSPACE,
    ONE_STATIC,
    MANY_STATIC,
    COMPOUND,
    ONE_KINEMATIC,
    MANY_KINEMATIC
} floor_kind;

enum { TILES_MAX = 4096 };
typedef struct tile_floor {
    floor_kind kind;
    double friction;
    d3 velocity; /* of kinematic tiles */
    int count;
    d3 center[TILES_MAX], half[TILES_MAX];
} tile_floor;

static inline void add_tile(tile_floor *f, double x0, double x1, double z0, double z1, double top,
                            double thick)
{
    assert_true(f->count < TILES_MAX);
    f->center[f->count] = (d3){(x0 + x1) / 2, top - thick / 2, (z0 + z1) / 2};
    f->half[f->count++] = (d3){(x1 - x0) / 2, thick / 2, (z1 - z0) / 2};
}

static inline void add_grid(tile_floor *f, int columns, int rows, double x0, double z0)
{
    for (int i = 0; i < columns; i++)
        for (int k = 0; k < rows; k++)
            add_tile(f, x0 + i, x0 + i + 1, z0 + k, z0 + k + 1, 0, 1);
}

static inline void make_tiles(dry_world *world, const tile_floor *f, dry_quat turn)
{
    const bool moves = f->kind >= ONE_KINEMATIC,
               one = f->kind == ONE_STATIC || f->kind == ONE_KINEMATIC || f->kind == COMPOUND;
    dry_body_def def = dry_default_body_def();
    def.type = moves ? DRY_BODY_KINEMATIC : DRY_BODY_STATIC;
    def.pose.orientation = turn;
    def.velocity.linear = v3_of(d3_turn(turn, f->velocity));
    dry_shape_def *shapes = calloc((size_t)f->count, sizeof *shapes);
    assert_non_null(shapes);
    for (int i = 0; i < f->count; i++) {
        shapes[i] = box_shape(f->half[i].x, f->half[i].y, f->half[i].z);
        if (f->kind != COMPOUND)
            shapes[i].friction = (float)f->friction;
        const d3 center = d3_turn(turn, f->center[i]);
        def.shapes = &shapes[i];
        def.shape_count = 1;
        def.pose.position = (dry_position){center.x, center.y, center.z};
        if (one)
            shapes[i].pose.position = v3_of(f->center[i]);
        else
            add_def(world, &def);
    }
    def.shapes = shapes;
    def.shape_count = f->count;
    def.pose.position = (dry_position){0, 0, 0};
    dry_shape_def compound = dry_default_shape_def();
    if (f->kind == COMPOUND) {
        assert_ok(dry_compound_create(shapes, f->count, NULL, &compound.data));
        compound.type = DRY_SHAPE_COMPOUND;
        compound.friction = (float)f->friction;
        def.shapes = &compound;
        def.shape_count = 1;
    }
    if (one)
        add_def(world, &def);
    dry_shape_data_release(compound.data);
    free(shapes);
}

static inline void make_floor(dry_world *world, const tile_floor *f, dry_quat turn)
{
    if (f->kind != HALFSPACE) {
        make_tiles(world, f, turn);
        return;
    }
    dry_shape_def shape = halfspace_shape(v3(0, 1, 0), 0);
    shape.friction = (float)f->friction;
    add_body(world, DRY_BODY_STATIC, (dry_pose){{0, 0, 0}, turn}, shape);
}

/* The same, as slides.h asks for it. */
static inline void make_tile_floor(dry_world *world, const void *of, dry_quat turn)
{
    make_floor(world, of, turn);
}

/* The floor of the test that runs: too large for a stack. */
static tile_floor floors[1];

#endif
