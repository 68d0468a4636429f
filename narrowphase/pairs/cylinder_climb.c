/* The direction along which two cylinders are farthest apart, near a start.
 *
 * The separation along a direction n is n . (b - a), with the points a and b of the two that lie farthest
 * along n and -n. It has kinks where n is across an axis, and a line of the side lies farthest, or along one,
 * and all of an end does; the best direction is often there. So a climb holds n across an axis while the
 * point that touches lies within the side, and goes on to the rim of an end where it does not. Newton's
 * method does the rest: in two dimensions between rims, in one between a rim and a side; that of two sides is
 * known. The separation of shapes that are apart is concave, and the result is their distance.
 *
 * Reads: a pair. Writes: a gap. Next: cylinder_gap.c. */
#include "narrowphase/pairs/cylinder.h"

enum { STEPS_MAX = 16 };

/* A start this near to across an axis, by the sine, is across it. */
#define ACROSS 1e-3
/* A direction this near to an axis, by the sine, is first looked at as along it, and then if it is nearer. */
#define NEARLY_ALONG 1e-4
#define ALONG 1e-9
/* A turn away from an end by less than this gains too little, rad. */
#define TURN_LEAST 1e-6
/* The longest step, rad, and the one after which there is no other: its square is left. */
#define STEP_LONGEST 0.5
#define STEP_LAST 1e-4
/* Separations differ by this by rounding, of the size. */
#define ROUNDING 1e-12

/* One of the cylinders. Its direction is n or -n. */
typedef struct side {
    dry_double3 center, axis;
    double radius, half, toward; /* 1 or -1: the sign of its direction */
    dry_double3 at, out;         /* the farthest point, and the unit vector to it from the axis */
    double across;               /* the component of n across the axis */
} side;

typedef struct aim {
    dry_double3 n;
    int end[2]; /* on which the point of a side lies, 1 or -1; 0: n is across the axis */
} aim;

typedef struct climbing {
    side of[2];
    aim aim;
} climbing;

static int sign_of(double x)
{
    return x < 0.0 ? -1 : 1;
}

static dry_double3 unit(dry_double3 v)
{
    return double3_scale(v, 1.0 / double3_length(v));
}

static dry_double3 across_axis(const side *s, dry_double3 v)
{
    return double3_add_scaled(v, -double3_dot(s->axis, v), s->axis);
}

static double along_axis(const side *s, dry_double3 n)
{
    return s->toward * double3_dot(s->axis, n);
}

/* Turns n, and holds it across an axis that it has passed, and across one that held it. The direction across
 * both may be far away: then the second one lets go. */
static void turn_to(climbing *c, dry_double3 n)
{
    aim *to = &c->aim;
    to->n = n;
    for (int k = 0, turned = 1; k < 2 + turned; k++) {
        const int i = k & 1;
        const side *s = &c->of[i];
        if (to->end[i] * along_axis(s, to->n) > 0.0)
            continue;
        turned = i == 1 && to->end[0] != 0;
        to->end[i] = 0;
        if (to->end[!i] != 0) {
            to->n = across_axis(s, to->n);
            continue;
        }
        const dry_double3 both = double3_cross(s->axis, c->of[!i].axis);
        const double square = double3_dot(both, both), cosine = double3_dot(both, n);
        if (cosine * cosine > 0.64 * square * double3_dot(n, n) && square > 1e-18)
            to->n = double3_scale(both, sign_of(cosine));
        else
            to->end[i] = sign_of(along_axis(s, to->n));
    }
    to->n = unit(to->n);
}

static void choose_ends(climbing *c, double across)
{
    for (int i = 0; i < 2; i++) {
        const double along = along_axis(&c->of[i], c->aim.n);
        c->aim.end[i] = fabs(along) < across ? 0 : sign_of(along);
    }
}

/* Finds the points that lie farthest along n, in the middle of a side or an end if all of it does. Returns
 * the number of the cylinder to whose axis n is parallel, by the sine `along`, or -1. */
static int find_points(climbing *c, double along)
{
    int parallel = -1;
    for (int i = 0; i < 2; i++) {
        side *s = &c->of[i];
        s->out = double3_scale(across_axis(s, c->aim.n), s->toward);
        s->across = double3_length(s->out);
        s->at = double3_add_scaled(s->center, c->aim.end[i] * s->half, s->axis);
        if (s->across < along)
            parallel = i;
        else
            s->at = double3_add_scaled(s->at, s->radius, s->out = double3_scale(s->out, 1.0 / s->across));
    }
    return parallel;
}

/* Moves a point along its side. If it would leave that, it goes to the end. */
static bool slide(climbing *c, int i, double way)
{
    side *s = &c->of[i];
    c->aim.end[i] = fabs(way) <= s->half * (1.0 + 1e-9) ? 0 : sign_of(way);
    s->at = double3_add_scaled(s->at, dry_clamp_double(way, -s->half, s->half), s->axis);
    return c->aim.end[i] == 0;
}

/* Moves the points along the sides that hold n to where they are opposite each other. Returns false if one
 * has left its side, the one that is farther beyond it. */
static bool slide_points(climbing *c)
{
    const side *a = &c->of[0], *b = &c->of[1];
    const dry_double3 w = double3_sub(b->at, a->at);
    double way_a = double3_dot(a->axis, w), way_b = -double3_dot(b->axis, w);
    if (c->aim.end[0] != 0)
        return c->aim.end[1] != 0 || slide(c, 1, way_b);
    if (c->aim.end[1] != 0)
        return slide(c, 0, way_a);
    const double k = double3_dot(a->axis, b->axis);
    way_b = (k * way_a + way_b) / (1.0 - k * k);
    way_a += k * way_b;
    if (fabs(way_a) - a->half > fabs(way_b) - b->half)
        return slide(c, 0, way_a) && slide(c, 1, way_b);
    return slide(c, 1, way_b) && slide(c, 0, way_a);
}

/* Looks at an end from along its axis: if the other cylinder has a point over it that lies farthest, this is
 * the best direction near here. Otherwise finds a step towards that point. */
static bool is_over_end(climbing *c, int i, dry_double3 *step)
{
    side *s = &c->of[i], *other = &c->of[!i];
    c->aim.n = double3_scale(s->axis, s->toward * c->aim.end[i]);
    choose_ends(c, 1e-12);
    find_points(c, 1e-7);
    const bool ends = other->across < 1e-7;
    if (c->aim.end[!i] == 0)
        slide(c, !i, double3_dot(other->axis, double3_sub(s->at, other->at)));
    const dry_double3 w = double3_sub(other->at, s->at), aside = across_axis(s, w);
    const double length = double3_length(aside), out = length - s->radius - (ends ? other->radius : 0.0);
    const double curve = fabs(double3_dot(c->aim.n, w)) + (ends ? 0.0 : other->radius);
    s->at = double3_add_scaled(s->at, length > s->radius ? s->radius / length : 1.0, aside);
    if (ends)
        other->at = double3_add(double3_sub(w, aside), s->at);
    if (!(out > TURN_LEAST * curve))
        return true;
    *step = double3_scale(aside, s->toward * double_min(out / curve, STEP_LONGEST) / length);
    return false;
}

/* Returns the step of Newton's method. The rims limit it: beyond an axis all is different. */
static dry_double3 step_of(const climbing *c, double separation, bool *is_last)
{
    const side *a = &c->of[0], *b = &c->of[1];
    const bool held_a = c->aim.end[0] == 0, held = held_a || c->aim.end[1] == 0;
    const dry_double3 w = double3_sub(b->at, a->at), turn_a = double3_cross(a->axis, a->out),
                      turn_b = double3_cross(b->axis, b->out);
    /* u is the way along which n may turn; between rims v is, too. */
    const dry_double3 u = held && !held_a ? turn_b : turn_a, v = double3_cross(c->aim.n, u);
    const double bend_a = a->radius / a->across, bend_b = b->radius / b->across;
    const double au = double3_dot(turn_a, u), av = double3_dot(turn_a, v), bu = double3_dot(turn_b, u),
                 bv = double3_dot(turn_b, v);
    const double uu = bend_a * au * au + bend_b * bu * bu + separation;
    const double uv = held ? 0.0 : bend_a * au * av + bend_b * bu * bv;
    const double vv = held ? 1.0 : bend_a * av * av + bend_b * bv * bv + separation;
    const double on_u = double3_dot(w, u), on_v = held ? 0.0 : double3_dot(w, v), det = uu * vv - uv * uv;
    dry_double3 step = double3_add_scaled(double3_scale(u, on_u), on_v, v); /* uphill, where no top is near */
    if (det > 0.0 && uu > 0.0)
        step = double3_add_scaled(double3_scale(u, (vv * on_u - uv * on_v) / det),
                                  (uu * on_v - uv * on_u) / det, v);
    const double most = double_min(STEP_LONGEST, double_min(a->across, b->across)),
                 length = double3_length(step);
    *is_last = length < 2.0 * STEP_LAST * most;
    return length > most || !(det > 0.0 && uu > 0.0) ? double3_scale(step, most / (length + DBL_MIN)) : step;
}

bool dry_cylinders_climb(const dry_cylinder_pair *pair, dry_double3 start, dry_cylinder_gap *gap)
{
    const dry_cylinder *own = &pair->cylinder;
    const dry_placed *p = &pair->partner;
    climbing c = {{{.axis = {0.0, 1.0, 0.0}, .radius = own->radius, .half = own->half_length, .toward = 1.0},
                   {p->center, p->axis[1], p->half[0], p->half[1], .toward = -1.0}},
                  {.n = start}};
    const side *a = &c.of[0], *b = &c.of[1];
    const double rounding = ROUNDING * (a->radius + a->half + b->radius + b->half);
    choose_ends(&c, ACROSS);
    turn_to(&c, start);
    aim best = c.aim;
    double most = -DBL_MAX;
    dry_double3 step = {0.0, 0.0, 0.0};
    bool is_last = false, looked = false;
    for (int i = 0; i < STEPS_MAX; i++) {
        dry_double3 next = step;
        const int parallel = find_points(&c, looked ? ALONG : NEARLY_ALONG);
        if (parallel >= 0) {
            looked = true;
            is_last = is_over_end(&c, parallel, &next);
        } else if (!slide_points(&c)) {
            is_last = false;
            continue;
        }
        const double separation = double3_dot(c.aim.n, double3_sub(b->at, a->at));
        const bool rises = separation >= most - rounding, sides = c.aim.end[0] == 0 && c.aim.end[1] == 0;
        if (rises && (is_last || sides)) {
            *gap = (dry_cylinder_gap){c.aim.n, separation, a->at};
            return true;
        }
        if (rises) {
            step = parallel >= 0 ? next : step_of(&c, separation, &is_last);
            best = c.aim;
            most = separation;
        } else { /* too far */
            is_last = false;
            step = double3_scale(step, 0.25);
            c.aim = best;
        }
        turn_to(&c, double3_add(c.aim.n, step));
    }
    return false;
}
