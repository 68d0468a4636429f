/* Polytopes in lanes: vertices and planes placed in a frame, the farthest vertex, the planes beyond points.
 *
 * Reads and writes: polytopes. Kernel files only. */
#ifndef NARROWPHASE_PAIRS_POLYTOPE_KERNEL_H
#define NARROWPHASE_PAIRS_POLYTOPE_KERNEL_H

#include "narrowphase/pairs/polytope.h"
#include "simd/lane_vectors.h"

LANE_INLINE lane polytope_numbers(void)
{
    static const _Alignas(64) float numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return lane_load(numbers);
}

/* Returns the place of the largest value of any lane: the first of several. There are no branches to guess.
 */
LANE_INLINE int polytope_first_most(lane value, lane place)
{
    _Alignas(64) float values[DRY_LANES], places[DRY_LANES];
    lane_store(values, value);
    lane_store(places, place);
    float most = values[0], first = FLT_MAX;
    for (int i = 1; i < DRY_LANES; i++)
        most = values[i] > most ? values[i] : most;
    for (int i = 0; i < DRY_LANES; i++) {
        const float here = values[i] == most ? places[i] : FLT_MAX;
        first = here < first ? here : first;
    }
    return (int)first;
}

static int polytope_support(const float *points, int room, int count, dry_vec3 about, dry_vec3 along)
{
    const lane_vec3 from = lane_vec3_spread(about), way = lane_vec3_spread(along);
    lane best = lane_set(-FLT_MAX), place = lane_zero(), number = polytope_numbers();
    for (int i = 0; i < count; i += DRY_LANES) {
        const lane value = lane_vec3_dot(lane_vec3_sub(lane_vec3_load(points + i, room), from), way);
        const lane_mask better = lane_less(best, value);
        best = lane_select(better, value, best);
        place = lane_select(better, number, place);
        number = number + (float)DRY_LANES;
    }
    return polytope_first_most(best, place);
}

static void polytope_span(const float *points, int room, dry_vec3 along, float *least, float *most)
{
    lane low = lane_set(FLT_MAX), high = lane_set(-FLT_MAX);
    for (int i = 0; i < room; i += DRY_LANES) {
        const lane value = lane_vec3_dot(lane_vec3_load(points + i, room), lane_vec3_spread(along));
        low = lane_min(low, value);
        high = lane_max(high, value);
    }
    _Alignas(64) float lows[DRY_LANES], highs[DRY_LANES];
    lane_store(lows, low);
    lane_store(highs, high);
    *least = lows[0];
    *most = highs[0];
    for (int i = 1; i < DRY_LANES; i++) {
        *least = dry_min(*least, lows[i]);
        *most = dry_max(*most, highs[i]);
    }
}

static void polytope_place_vertices(struct dry_polytope *p)
{
    const dry_mat3 *r = &p->rotation;
    const lane_mat3 axes = {lane_vec3_spread(vec3_scale(r->x, p->scale.x)),
                            lane_vec3_spread(vec3_scale(r->y, p->scale.y)),
                            lane_vec3_spread(vec3_scale(r->z, p->scale.z))};
    const lane_vec3 center = lane_vec3_spread(p->own_center);
    float *placed = p->vertex_store;
    const int room = p->vertex_room;
    for (int i = 0; i < p->vertex_count; i += DRY_LANES) {
        const lane_vec3 own = lane_vec3_sub(lane_vec3_load(p->own_vertices + i, room), center);
        lane_vec3_store(placed + i, room, lane_mat3_mul(axes, own));
    }
    p->vertices = placed;
}

/* A normal of the scaled hull is n / scale, made a unit vector. Scales are taken relative to the least. */
static void polytope_place_planes(struct dry_polytope *p)
{
    const dry_mat3 *r = &p->rotation;
    const lane_mat3 axes = {lane_vec3_spread(r->x), lane_vec3_spread(r->y), lane_vec3_spread(r->z)};
    const float least = vec3_least(vec3_abs(p->scale));
    const lane_vec3 inverse_scale = lane_vec3_set(least / p->scale.x, least / p->scale.y, least / p->scale.z);
    const float *own = p->own_planes;
    float *placed = p->plane_store;
    const int room = p->face_room;
    for (int i = 0; i < p->face_count; i += DRY_LANES) {
        const lane_vec3 n = lane_vec3_mul(lane_vec3_load(own + i, room), inverse_scale);
        const lane inverse = 1.0f / lane_sqrt(lane_vec3_dot(n, n));
        lane_vec3_store(placed + i, room, lane_mat3_mul(axes, lane_vec3_scale(n, inverse)));
        lane_store(placed + 3 * room + i, lane_load(own + 3 * room + i) * least * inverse);
    }
    p->planes = placed;
}

/* Returns the heights of a point over planes. */
LANE_INLINE lane polytope_heights(const float *planes, int room, int i, dry_vec3 point)
{
    return lane_vec3_dot(lane_vec3_load(planes + i, room), lane_vec3_spread(point)) -
           lane_load(planes + 3 * room + i);
}

static int polytope_cut(const float *planes, int room, int count, dry_vec3 point, float *bound)
{
    lane best = lane_set(-FLT_MAX), place = lane_zero(), number = polytope_numbers();
    for (int i = 0; i < count; i += DRY_LANES) {
        const lane value = lane_min(polytope_heights(planes, room, i, point), lane_load(bound + i));
        lane_store(bound + i, value);
        const lane_mask better = lane_less(best, value);
        best = lane_select(better, value, best);
        place = lane_select(better, number, place);
        number = number + (float)DRY_LANES;
    }
    return polytope_first_most(best, place);
}

static void polytope_mark(const float *planes, int room, int planes_count, const dry_vec3 *points, int count,
                          float threshold, float *marks)
{
    const lane least = lane_set(threshold);
    for (int i = 0; i < planes_count; i += DRY_LANES) {
        lane sum = lane_zero();
        float bit = 1.0f;
        for (int k = 0; k < count; k++, bit *= 2.0f) {
            const lane height = polytope_heights(planes, room, i, points[k]);
            sum = sum + lane_select(lane_less_equal(height, least), lane_set(bit), lane_zero());
        }
        lane_store(marks + i, sum);
    }
}

#endif
