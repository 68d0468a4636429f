/* The queries, which change nothing. Their answers go to the call, where those of both sides are compared. */
#include "tools/cli/soak/call.h"

static void draw_ray(soak_call *call, soak_lots *lots, const soak_model *model)
{
    (void)model;
    const dry_vec3 origin = lots_vector(lots, 5.0);
    call->point = (dry_position){(double)origin.x, (double)origin.y, (double)origin.z};
    call->vector = lots_vector(lots, 10.0);
}

static dry_result make_cast_ray(dry_world *world, soak_call *call)
{
    const dry_ray ray = {.origin = call->point, .translation = call->vector, .mask = UINT64_MAX};
    return dry_world_cast_ray(world, &ray, &call->answer.hit);
}

static void draw_overlap(soak_call *call, soak_lots *lots, const soak_model *model)
{
    (void)model;
    call->poses[0] = draw_pose(lots);
    float x = lots_number(lots, 0.1, 4.0), y = lots_number(lots, 0.1, 4.0);
    call->vector = (dry_vec3){x, y, lots_number(lots, 0.1, 4.0)};
}

static dry_result make_overlaps(dry_world *world, soak_call *call)
{
    const dry_overlap overlap = {.pose = call->poses[0], .half_extents = call->vector, .mask = UINT64_MAX};
    return dry_world_overlaps(world, 1, &overlap, call->answer.shapes, CALL_FOUND, &call->answer.count);
}

/* Draws a convex shape at a pose. A query reads the geometry alone. */
static void draw_solid(soak_call *call, soak_lots *lots)
{
    do {
        lots->invalid = false;
        call->shape_defs[0] = draw_geometry(lots);
    } while (call->shape_defs[0].type == DRY_SHAPE_COMPOUND);
    call->poses[0] = draw_pose(lots);
}

static void draw_cast(soak_call *call, soak_lots *lots, const soak_model *model)
{
    (void)model;
    draw_solid(call, lots);
    call->vector = lots_vector(lots, 6.0);
}

static void draw_near(soak_call *call, soak_lots *lots, const soak_model *model)
{
    (void)model;
    draw_solid(call, lots);
    call->number = lots_number(lots, 0.0, 1.0);
}

/* Notes where and what a query met. */
static void note(soak_call *call, int at, dry_shape_id shape, dry_position point, float number)
{
    const double seen[4] = {point.x, point.y, point.z, (double)number};
    call->answer.shapes[at] = shape;
    for (int i = 0; i < 4; i++) {
        call->answer.numbers[4 * at + i] = seen[i];
    }
}

static dry_result make_cast_shape(dry_world *world, soak_call *call)
{
    const dry_cast_query query = {.shape = &call->shape_defs[0],
                                  .pose = call->poses[0],
                                  .translation = call->vector,
                                  .mask = UINT64_MAX};
    dry_cast_hit hit;
    const dry_result result = dry_world_cast_shape(world, &query, &hit);
    if (result == DRY_OK) {
        note(call, 0, hit.shape, hit.point, hit.fraction);
    }
    return result;
}

enum { HITS = CALL_NUMBERS / 4 };

static dry_result make_collide(dry_world *world, soak_call *call)
{
    const dry_collide_query query = {
        .shape = &call->shape_defs[0], .pose = call->poses[0], .margin = call->number, .mask = UINT64_MAX};
    dry_collide_hit hits[HITS];
    const dry_result result = dry_world_collides(world, 1, &query, hits, HITS, &call->answer.count);
    for (int i = 0; result == DRY_OK && i < call->answer.count && i < HITS; i++) {
        note(call, i, hits[i].shape, hits[i].points[0].position, hits[i].depth);
    }
    return result;
}

static dry_result make_closest(dry_world *world, soak_call *call)
{
    const dry_closest_query query = {.shape = &call->shape_defs[0],
                                     .pose = call->poses[0],
                                     .max_distance = call->number,
                                     .mask = UINT64_MAX};
    dry_closest_hit hit;
    const dry_result result = dry_world_closests(world, 1, &query, &hit);
    if (result == DRY_OK) {
        note(call, 0, hit.shape, hit.point, hit.distance);
    }
    return result;
}

static void draw_point(soak_call *call, soak_lots *lots, const soak_model *model)
{
    (void)model;
    const dry_vec3 at = lots_vector(lots, 3.0);
    call->point = (dry_position){(double)at.x, (double)at.y, (double)at.z};
}

static dry_result make_contains(dry_world *world, soak_call *call)
{
    const dry_contains_query query = {.point = call->point, .mask = UINT64_MAX};
    dry_contains_hit hits[CALL_FOUND];
    const dry_result result = dry_world_contains(world, &query, hits, CALL_FOUND, &call->answer.count);
    for (int i = 0; result == DRY_OK && i < call->answer.count && i < CALL_FOUND; i++) {
        call->answer.shapes[i] = hits[i].shape;
    }
    return result;
}

const call_kind query_calls[] = {
    {"cast_ray", 2, draw_ray, make_cast_ray, NULL},
    {"overlaps", 2, draw_overlap, make_overlaps, NULL},
    {"cast_shape", 2, draw_cast, make_cast_shape, NULL},
    {"collide", 1, draw_near, make_collide, NULL},
    {"closest", 1, draw_near, make_closest, NULL},
    {"contains", 1, draw_point, make_contains, NULL},
    {0},
};
