/* Tells when ticks are due: pure functions of times, in ms of one clock.
 *
 * Tick k is due at start + k / rate. Times of ticks do not add up, so that no error grows over weeks. */
#ifndef HOST_ROOMS_TICKS_H
#define HOST_ROOMS_TICKS_H

#include <stdint.h>

/* Ticks have numbers below this, which a double holds: 4.7 million years of 60 Hz. */
#define DRY_TICKS_END (UINT64_C(1) << 53)
/* A room begins, and wakes, below this: the same time is ahead of it, and its number never ends. */
#define DRY_TICKS_BEGIN_END (DRY_TICKS_END / 2)

/* Returns when a tick is due. */
static inline double dry_tick_due_ms(double start_ms, double rate, uint64_t tick)
{
    return start_ms + 1e3 * (double)tick / rate;
}

/* Returns the first tick that is due at `now_ms` or later. */
static inline uint64_t dry_tick_from(double start_ms, double rate, double now_ms)
{
    if (now_ms <= start_ms)
        return 0;
    /* Rounding may miss by one on both sides. */
    uint64_t tick = (uint64_t)((now_ms - start_ms) * rate * 1e-3);
    while (tick > 0 && dry_tick_due_ms(start_ms, rate, tick - 1) >= now_ms)
        tick--;
    while (dry_tick_due_ms(start_ms, rate, tick) < now_ms)
        tick++;
    return tick;
}

/* Returns where in the period the n-th room of a pool begins, 0 to below 1. Multiples of the golden ratio are
 * spread evenly however many there are. */
static inline double dry_tick_phase(uint64_t n)
{
    /* 2^64 over the golden ratio. */
    return (double)(n * UINT64_C(0x9e3779b97f4a7c15) >> 11) * 0x1p-53;
}

#endif
