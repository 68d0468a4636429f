/* rotor_half_turn of several bodies at once: loops over lanes in double, without branches, which compilers
 * turn into vectors. Each lane has the bits of the function of one body. */
#ifndef CORE_HALF_TURNS_H
#define CORE_HALF_TURNS_H

#include "core/integrate.h"

enum { DRY_HALF_TURNS = 16 };

/* Bodies in lanes: as the arguments of rotor_half_turn, and its result. */
typedef struct dry_half_turns {
    int count;
    double inertia[3][DRY_HALF_TURNS], inverse[3][DRY_HALF_TURNS], momentum[3][DRY_HALF_TURNS];
    double h[DRY_HALF_TURNS], half[3][DRY_HALF_TURNS];
    double going[DRY_HALF_TURNS]; /* 1: Newton's method has not ended */
} dry_half_turns;

static DRY_ALWAYS_INLINE dry_double3 half_turns_get(double (*of)[DRY_HALF_TURNS], int i)
{
    return (dry_double3){of[0][i], of[1][i], of[2][i]};
}

static DRY_ALWAYS_INLINE void half_turns_set(double (*of)[DRY_HALF_TURNS], int i, dry_double3 v)
{
    of[0][i] = v.x, of[1][i] = v.y, of[2][i] = v.z;
}

static DRY_ALWAYS_INLINE dry_rotor half_turns_rotor(dry_half_turns *l, int i)
{
    return (dry_rotor){.inertia = half_turns_get(l->inertia, i), .inverse = half_turns_get(l->inverse, i)};
}

/* Adds a body in the next lane. */
static inline void half_turns_add(dry_half_turns *l, const dry_rotor *rotor, dry_double3 momentum, double h)
{
    const int i = l->count++;
    half_turns_set(l->inertia, i, rotor->inertia);
    half_turns_set(l->inverse, i, rotor->inverse);
    half_turns_set(l->momentum, i, momentum);
    l->h[i] = h;
}

/* Takes the first of Newton's steps. A lane whose matrix has no inverse becomes no number. */
static inline void half_turns_begin(dry_half_turns *l)
{
    for (int i = 0; i < DRY_HALF_TURNS; i++) {
        const dry_rotor r = half_turns_rotor(l, i);
        dry_double3 t;
        const bool solved = rotor_half_turn_begin(&r, half_turns_get(l->momentum, i), l->h[i], &t);
        const double valid = solved ? 1.0 : NAN;
        half_turns_set(l->half, i, (dry_double3){valid * t.x, valid * t.y, valid * t.z});
        l->going[i] = solved && !rotor_half_turn_is_small(t) ? 1.0 : 0.0;
    }
}

/* Takes another one in the lanes that go on. One that turns far becomes no number, too. */
static inline void half_turns_step(dry_half_turns *l)
{
    for (int i = 0; i < DRY_HALF_TURNS; i++) {
        const dry_rotor r = half_turns_rotor(l, i);
        const dry_double3 t = half_turns_get(l->half, i);
        dry_double3 next = t, change;
        const bool solved = rotor_half_turn_step(&r, half_turns_get(l->momentum, i),
                                                 rotation_from_small_vector(t), l->h[i], &next, &change);
        const double of_small = double3_dot(t, t) * 0.25 < DRY_SMALL_ANGLE2 ? 1.0 : NAN;
        const double valid = solved ? of_small : NAN;
        const double on = rotor_half_turn_ends(next, change) ? 0.0 : l->going[i];
        l->half[0][i] = l->going[i] > 0.0 ? valid * next.x : t.x;
        l->half[1][i] = l->going[i] > 0.0 ? valid * next.y : t.y;
        l->half[2][i] = l->going[i] > 0.0 ? valid * next.z : t.z;
        l->going[i] = valid > 0.0 ? on : 0.0;
    }
}

/* Finds the vectors of the half rotations of all lanes. Those that fail, or turn far, end with no number, or
 * do not end. */
static inline void half_turns_find(dry_half_turns *l)
{
    if (l->count == 0)
        return;
    half_turns_begin(l);
    bool going = true;
    for (int step = 0; step < ROTOR_HALF_TURN_STEPS && going; step++) {
        half_turns_step(l);
        going = false;
        for (int i = 0; i < l->count; i++)
            going |= l->going[i] > 0.0;
    }
}

/* Returns the vector of a lane, which is found alone where it has none. */
static inline dry_double3 half_turns_vector(dry_half_turns *l, int i)
{
    if (l->going[i] <= 0.0 && !isnan(l->half[0][i]))
        return half_turns_get(l->half, i);
    const dry_rotor r = half_turns_rotor(l, i);
    return rotor_half_turn(&r, half_turns_get(l->momentum, i), l->h[i]);
}

#endif
