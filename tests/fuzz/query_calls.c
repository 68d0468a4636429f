/* The calls that ask about a convex shape at a pose: casts, contacts, closest points; and about a point. */
#include "tests/fuzz/calls.h"
#include "tests/fuzz/draw.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

enum { HITS = 8 };

/* Queries read the form of a definition alone: a number elsewhere that is not finite is no fault. */
static dry_shape_def query_shape(fuzz_turn *t)
{
    const bool bad = t->bad_number;
    const dry_shape_def def = draw_shape_def(t, DRY_BODY_DYNAMIC);
    t->bad_number = bad;
    return def;
}

static void answer_who(fuzz_turn *t, dry_shape_id shape, dry_body_id body, dry_position point,
                       dry_vec3 normal)
{
    FUZZ_CHECK(fuzz_model_has_shape(t->model, shape.bits));
    FUZZ_CHECK(fuzz_model_find_body(t->model, body.bits));
    FUZZ_CHECK(isfinite(point.x) && isfinite(point.y) && isfinite(point.z));
    FUZZ_CHECK(isfinite(normal.x) && isfinite(normal.y) && isfinite(normal.z));
    fuzz_answer_number(t, shape.bits);
    FUZZ_ANSWER(t, point);
    FUZZ_ANSWER(t, normal);
}

static dry_result ask_cast(fuzz_turn *t, const dry_cast_query *q)
{
    dry_cast_hit first, hits[HITS];
    int count;
    bool met;
    const dry_result result = dry_world_cast_shape(t->world, q, &first);
    FUZZ_CHECK(dry_world_cast_shape_all(t->world, q, hits, HITS, &count) == result);
    FUZZ_CHECK(dry_world_cast_shape_any(t->world, q, &met) == result);
    if (result != DRY_OK)
        return result;
    FUZZ_CHECK((count > 0) == met && met == (first.shape.bits != 0));
    FUZZ_CHECK(!met || (first.shape.bits == hits[0].shape.bits && first.fraction == hits[0].fraction));
    for (int i = 0; i < count && i < HITS; i++) {
        FUZZ_CHECK(hits[i].fraction >= 0 && hits[i].fraction <= 1 && hits[i].depth >= 0);
        FUZZ_CHECK(i == 0 || hits[i].fraction >= hits[i - 1].fraction);
        answer_who(t, hits[i].shape, hits[i].body, hits[i].point, hits[i].normal);
        FUZZ_ANSWER(t, hits[i].fraction);
    }
    dry_cast_hit again;
    FUZZ_CHECK(dry_world_cast_shapes(t->world, 1, q, &again) == DRY_OK);
    FUZZ_CHECK(again.shape.bits == first.shape.bits && again.fraction == first.fraction);
    return result;
}

static dry_result cast_shape(fuzz_turn *t)
{
    const dry_shape_def shape = query_shape(t);
    const dry_pose pose = draw_pose(t);
    dry_cast_query q = {.shape = &shape, .pose = pose, .translation = draw_vector(t, 4)};
    q.mask = draw_chance(t, 4) ? draw_byte(t) : ~0ull;
    dry_body_id ignored = {0};
    bool bad = t->bad_id;
    if (draw_chance(t, 3)) {
        q.body = draw_body(t);
        if (!q.body.bits) /* all bodies */
            t->bad_id = bad;
    }
    bad = t->bad_id;
    if (draw_chance(t, 3))
        ignored = draw_body(t); /* a dead body may be ignored */
    t->bad_id = bad;
    q.ignore = &ignored;
    q.ignore_count = 1;
    return ask_cast(t, &q);
}

static dry_result collide_shape(fuzz_turn *t)
{
    const dry_shape_def shape = query_shape(t);
    dry_collide_query q = {.shape = &shape, .pose = draw_pose(t)};
    q.margin = draw_between(t, 0, 1);
    q.mask = draw_chance(t, 4) ? draw_byte(t) : ~0ull;
    dry_collide_hit hits[HITS];
    int count, again;
    const dry_result result = dry_world_collide(t->world, &q, hits, HITS, &count);
    FUZZ_CHECK(dry_world_collides(t->world, 1, &q, NULL, 0, &again) == result);
    if (result != DRY_OK)
        return result;
    FUZZ_CHECK(count == again);
    for (int i = 0; i < count && i < HITS; i++) {
        FUZZ_CHECK(hits[i].count >= 1 && hits[i].count <= 4);
        FUZZ_CHECK(i == 0 || hits[i].depth <= hits[i - 1].depth);
        answer_who(t, hits[i].shape, hits[i].body, hits[i].points[0].position, hits[i].normal);
        FUZZ_ANSWER(t, hits[i].depth);
    }
    return result;
}

static dry_result closest_shape(fuzz_turn *t)
{
    const dry_shape_def shape = query_shape(t);
    dry_closest_query q = {.shape = draw_chance(t, 3) ? NULL : &shape, .pose = draw_pose(t)};
    q.max_distance = draw_between(t, 0, 5);
    q.mask = draw_chance(t, 4) ? draw_byte(t) : ~0ull;
    dry_closest_hit first, hits[HITS];
    int count;
    const dry_result result = dry_world_closest(t->world, &q, &first);
    FUZZ_CHECK(dry_world_closest_all(t->world, &q, hits, HITS, &count) == result);
    if (result != DRY_OK)
        return result;
    FUZZ_CHECK((count > 0) == (first.shape.bits != 0));
    FUZZ_CHECK(!count || (first.shape.bits == hits[0].shape.bits && first.distance == hits[0].distance));
    for (int i = 0; i < count && i < HITS; i++) {
        FUZZ_CHECK(hits[i].distance <= q.max_distance &&
                   (i == 0 || hits[i].distance >= hits[i - 1].distance));
        answer_who(t, hits[i].shape, hits[i].body, hits[i].point, hits[i].normal);
        FUZZ_ANSWER(t, hits[i].distance);
    }
    return result;
}

static dry_result contains_point(fuzz_turn *t)
{
    const dry_contains_query q = {.point = draw_position(t), .mask = ~0ull};
    dry_contains_hit hits[HITS];
    int count;
    const dry_result result = dry_world_contains(t->world, &q, hits, HITS, &count);
    for (int i = 0; result == DRY_OK && i < count && i < HITS; i++) {
        FUZZ_CHECK(fuzz_model_has_shape(t->model, hits[i].shape.bits));
        fuzz_answer_number(t, hits[i].shape.bits);
    }
    return result;
}

dry_result ask_about_shape(fuzz_turn *t)
{
    switch (draw_below(t, 4)) {
    case 0:
        return cast_shape(t);
    case 1:
        return collide_shape(t);
    case 2:
        return closest_shape(t);
    default:
        return contains_point(t);
    }
}
