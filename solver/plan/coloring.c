/* Taking colors and giving them back. */
#include "solver/plan/coloring.h"

static dry_body_state *dynamic_state(dry_bodies *bodies, int body)
{
    if (body < 0)
        return NULL;
    dry_body_state *state = dry_body_state_of(bodies, body);
    return state->type == DRY_BODY_DYNAMIC ? state : NULL;
}

/* The most bodies of a constraint. */
enum { BODIES_MAX = 4 };

int dry_color_take(dry_bodies *bodies, const int *body, int count, int colors_max)
{
    dry_body_state *state[BODIES_MAX];
    uint64_t taken = 0;
    DRY_ASSERT(count <= BODIES_MAX);
    for (int i = 0; i < count; i++) {
        state[i] = dynamic_state(bodies, body[i]);
        taken |= state[i] ? state[i]->colors : 0;
    }
    if (~taken == 0)
        return DRY_COLOR_OVERFLOW;
    int color = dry_lowest_bit(~taken);
    if (color >= colors_max)
        return DRY_COLOR_OVERFLOW;
    for (int i = 0; i < count; i++)
        if (state[i]) {
            dry_bodies_mark(bodies, body[i]); /* which may not move in this step */
            state[i]->colors |= 1ull << color;
        }
    return color;
}

void dry_color_release(dry_bodies *bodies, const int *body, int count, int color)
{
    if (color < 0 || color >= DRY_COLOR_OVERFLOW)
        return;
    for (int i = 0; i < count; i++) {
        dry_body_state *state = dynamic_state(bodies, body[i]);
        DRY_ASSERT(!state || (state->colors >> color & 1));
        if (state) {
            dry_bodies_mark(bodies, body[i]); /* which may not move in this step */
            state->colors &= ~(1ull << color);
        }
    }
}
