/* Taking colors and giving them back. */
#include "solver/islands/coloring.h"

#include "core/assert.h"

static dry_body_state *dynamic_state(dry_bodies *bodies, int body)
{
    if (body < 0)
        return NULL;
    dry_body_state *state = dry_body_state_of(bodies, body);
    return state->type == DRY_BODY_DYNAMIC ? state : NULL;
}

int dry_color_take(dry_bodies *bodies, int body_a, int body_b, int colors_max)
{
    dry_body_state *a = dynamic_state(bodies, body_a), *b = dynamic_state(bodies, body_b);
    uint64_t taken = (a ? a->colors : 0) | (b ? b->colors : 0);
    if (~taken == 0)
        return DRY_COLOR_OVERFLOW;
    int color = __builtin_ctzll(~taken);
    if (color >= colors_max)
        return DRY_COLOR_OVERFLOW;
    if (a)
        a->colors |= 1ull << color;
    if (b)
        b->colors |= 1ull << color;
    return color;
}

void dry_color_release(dry_bodies *bodies, int body_a, int body_b, int color)
{
    if (color < 0 || color >= DRY_COLOR_OVERFLOW)
        return;
    dry_body_state *a = dynamic_state(bodies, body_a), *b = dynamic_state(bodies, body_b);
    DRY_ASSERT(!a || (a->colors >> color & 1));
    DRY_ASSERT(!b || (b->colors >> color & 1));
    if (a)
        a->colors &= ~(1ull << color);
    if (b)
        b->colors &= ~(1ull << color);
}
