/* Corners of the overlap of two faces, in lanes, and the choice of four.
 *
 * Corners lie in slots in the order in which the kernel adds them; a slot is off in the lanes that lack it.
 * Kernel files only. */
#ifndef NARROWPHASE_PAIRS_BOX_CORNERS_H
#define NARROWPHASE_PAIRS_BOX_CORNERS_H

#include "narrowphase/pairs/box_lanes.h"

typedef struct lane_corner {
    lane x, y;   /* over the reference face, m */
    lane height; /* of the other face above the reference face, m */
    lane feature;
    lane_mask on;
} lane_corner;

typedef struct lane_corners {
    lane_corner slot[16];
    int used;
    lane margin;
} lane_corners;

/* Adds a corner in the lanes of `on` where it is no higher than the margin. */
LANE_INLINE void lane_add_corner(lane_corners *corners, lane x, lane y, lane height, lane feature,
                                 lane_mask on)
{
    on = lane_mask_and(on, lane_less_equal(height, corners->margin));
    if (lane_any(on))
        corners->slot[corners->used++] = (lane_corner){x, y, height, feature, on};
}

/* Returns twice the signed area of a triangle. */
LANE_INLINE lane lane_area(const lane_corner *a, const lane_corner *b, const lane_corner *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* Returns the gain of taking p as point k, given those before it: a place in a fixed direction for the first,
 * the distance from it for the second, then the area that p adds. `side` is the sign that makes the area
 * outside the first three points positive. */
LANE_INLINE lane lane_gain(const lane_corner *chosen, int k, lane side, const lane_corner *p)
{
    lane dx = p->x - chosen[0].x, dy = p->y - chosen[0].y;
    if (k == 0)
        return PAIR_FIRST_X * p->x + PAIR_FIRST_Y * p->y;
    if (k == 1)
        return dx * dx + dy * dy;
    if (k == 2)
        return lane_abs(lane_area(&chosen[0], &chosen[1], p));
    return lane_max(
        side * lane_area(&chosen[0], &chosen[1], p),
        lane_max(side * lane_area(&chosen[1], &chosen[2], p), side * lane_area(&chosen[2], &chosen[0], p)));
}

LANE_INLINE lane_corner lane_corner_select(lane_mask mask, const lane_corner *yes, const lane_corner *no)
{
    return (lane_corner){lane_select(mask, yes->x, no->x), lane_select(mask, yes->y, no->y),
                         lane_select(mask, yes->height, no->height),
                         lane_select(mask, yes->feature, no->feature), no->on};
}

/* Decides which corners come first. */
typedef struct lane_choice {
    lane_mask few;   /* lanes with four corners at the most, which take all of them */
    lane deepest;    /* corners below this height count as the deepest */
    lane deep;       /* half as deep, or as deep */
    lane touching;   /* corners below this height touch */
    lane area_least; /* m^2, of a corner that comes before less deep ones */
} lane_choice;

/* Returns the value of taking p as point k. Deep corners come first, then those that touch. Without a point
 * at a deep corner the body would tilt until the corner is deeper than the chosen ones. It would then be
 * chosen instead of one of them, and the body would tilt back. */
LANE_INLINE lane lane_value(const lane_corner *chosen, int k, lane side, const lane_choice *choice,
                            const lane_corner *p)
{
    lane value = lane_gain(chosen, k, side, p);
    if (k == 0)
        return value;
    const lane_mask adds = lane_less(choice->area_least, value);
    const lane_mask touches = lane_mask_and(lane_less_equal(p->height, choice->touching), adds);
    const lane_mask deep = lane_mask_and(lane_less_equal(p->height, choice->deep), adds);
    value = lane_select(touches, BOX_FIRST * value, value);
    return lane_select(deep, BOX_FIRST * value, value);
}

/* Takes point k out of the slots: the best of those left, or in lanes of few points the first. The first
 * point left takes the slot of the chosen one, as if they had been swapped. */
LANE_INLINE void lane_choose_point(lane_corners *corners, lane_corner *chosen, int k,
                                   const lane_choice *choice)
{
    const lane_mask few = choice->few;
    lane side = lane_set(-1.0f), none = lane_set(-1.0f);
    if (k == 3)
        side = lane_select(lane_less(lane_area(&chosen[0], &chosen[1], &chosen[2]), lane_zero()),
                           lane_set(1.0f), side);
    lane_corner nothing = {lane_zero(), lane_zero(), lane_zero(), lane_zero(),
                           lane_less(lane_zero(), lane_zero())};
    lane_corner best = nothing, first = nothing;
    lane best_value = lane_zero(), place = none, first_place = none;
    lane_mask seen = nothing.on, got = nothing.on;
    for (int i = 0; i < corners->used; i++) {
        const lane_corner *p = &corners->slot[i];
        lane number = lane_set((float)i);
        lane value = lane_value(chosen, k, side, choice, p);
        lane_mask is_first = lane_mask_without(p->on, seen), take;
        seen = lane_mask_or(seen, p->on);
        if (k == 0) {
            lane_mask low = lane_mask_and(p->on, lane_less_equal(p->height, choice->deepest));
            take =
                lane_mask_or(lane_mask_without(low, got), lane_mask_and(low, lane_less(best_value, value)));
            take = lane_mask_or(lane_mask_without(take, few), lane_mask_and(is_first, few));
        } else {
            lane_mask better = lane_mask_and(p->on, lane_less(PAIR_CLEARLY * best_value, value));
            take = lane_mask_or(is_first, lane_mask_without(better, few));
            value = lane_select(is_first, lane_max(value, lane_zero()), value);
        }
        got = lane_mask_or(got, take);
        best_value = lane_select(take, value, best_value);
        place = lane_select(take, number, place);
        first_place = lane_select(is_first, number, first_place);
        best = lane_corner_select(take, p, &best);
        first = lane_corner_select(is_first, p, &first);
    }
    for (int i = 0; i < corners->used; i++) {
        lane_corner *p = &corners->slot[i];
        lane number = lane_set((float)i);
        lane_mask here = lane_mask_and(lane_less_equal(place, number), lane_less_equal(number, place));
        lane_mask on = lane_mask_without(
            p->on, lane_mask_and(lane_less_equal(first_place, number), lane_less_equal(number, first_place)));
        *p = lane_corner_select(here, &first, p);
        p->on = on;
    }
    best.on = got;
    chosen[k] = best;
}

/* Takes the four points that best stand for all: of the deepest, one in a fixed direction; the one farthest
 * from it; the two that add most area. Deep corners come first, then those that touch. The first of near ties
 * wins, so that the choice does not flicker. `half` is the shorter half side of the reference face. Returns
 * the number of points, at most four. */
LANE_INLINE lane lane_choose_four(lane_corners *corners, lane half, lane_corner chosen[4])
{
    lane count = lane_zero(), deepest = lane_set(FLT_MAX), four = lane_set(4.0f);
    const lane same_depth = PAIR_SAME_DEPTH * half;
    for (int i = 0; i < corners->used; i++) {
        const lane_corner *c = &corners->slot[i];
        count = count + lane_truth(c->on);
        deepest = lane_select(c->on, lane_min(deepest, c->height), deepest);
    }
    const lane_choice choice = {
        .few = lane_less_equal(count, four),
        .deepest = deepest + same_depth,
        .deep = lane_max(0.5f * deepest, deepest + same_depth),
        .touching = lane_max(deepest, lane_zero()) + same_depth,
        .area_least = BOX_AREA_LEAST * half * half,
    };
    for (int k = 0; k < 4; k++)
        lane_choose_point(corners, chosen, k, &choice);
    return lane_min(count, four);
}

#endif
