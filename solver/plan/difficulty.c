/* The difficulty of an island, which decides its stiffness, and with it the number of substeps [DESIGN 5].
 *
 * A contact under load gives way: a point that carries F and moves a mass m rests F / (m w^2) deep, w being
 * the contact's frequency. A = F / m is the point's *load*. An island is as stiff as its largest load asks,
 * so that it rests DEPTH deep, and no stiffer. Its compliance 1 / w^2 follows that slowly, and substeps
 * follow from the compliance, since sweeps converge only on frequencies below a share of the substep rate
 * (solver/constraint/spook.h). docs/quality.md derives the constants.
 *
 * With true lever arms a stack also buckles under its own weight if it is too soft: with N = A / 2 g cubes of
 * side L above each other, below w = N^1.5 sqrt(g / L) (Greenhill).
 *
 * Reads the bodies' loads, compliance and velocities, and islands; poses where a load is not known
 * yet. Writes the islands' tiers with their reasons, and their measures, which finalize gives to the bodies
 * when the step cannot fail any more. Next: solver/plan/partitions.c, layout.c.
 */
#include "solver/plan/difficulty.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/constraint/spook.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/data/terms.h"
#include "solver/plan/islands.h"
#include "state/iterators.h"

#include <math.h>

/* The depth at which the most loaded point of an island may rest, m. Bodies whose radius is below SMALL rest
 * less deep, in proportion. */
static const float DEPTH = 0.004f, SMALL = 0.26f;
/* How far a joint may gape under a steady load, m: a third of 5 mm, since what is let go from the side pulls
 * three times as hard as it hangs, where it swings through. And as a share of the joint's shorter lever arm,
 * if that is less: a body turns by the gap over its arm. An arm shorter than the first is none. */
static const float GAP = 0.005f / 3.0f, GAP_OF_ARM = 0.01f;
/* No load asks for more than the first, 16 substeps, no stiffness for more than the last. An island that may
 * settle has 8 while it moves, or less than half of its bodies bear more and none rests over 4 DEPTH deep. */
enum { LOAD_TIER_MAX = 6, FALLEN_TIER_MAX = 4, STIFFEST_TIER = 8 };
/* How far above the critical frequency of buckling an island is. */
static const float BUCKLING_MARGIN = 1.2f;

static const int tier_substeps[DRY_TIER_COUNT] = {1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};

int dry_tier_substeps(int tier)
{
    return tier >= 0 && tier < DRY_TIER_COUNT ? tier_substeps[tier] : 0;
}

const char *dry_tier_reason_name(dry_tier_reason reason)
{
    static const char *const names[] = {"floor", "load", "guess", "buckling", "joints"};
    _Static_assert(sizeof names / sizeof names[0] == DRY_TIER_REASON_COUNT, "one name each");
    return (unsigned)reason < DRY_TIER_REASON_COUNT ? names[reason] : NULL;
}

/* The steps a second at which a tier has its number of substeps. */
static const float NOMINAL_RATE = 60.0f;

/* Returns the frequency of contacts on which a tier's substeps converge in steps of 1/60 s, Hz. */
static float tier_hertz(int tier)
{
    return DRY_HERTZ_PER_SUBSTEP_RATE * NOMINAL_RATE * (float)tier_substeps[tier];
}

/* Contacts are at least as stiff as a load may ask for where their substeps converge on it, 182 Hz: in
 * shorter steps than 1/60 s bodies that land or roll sink less. At 1 ms a box on which balls roll errs by
 * 1e-5 m^2/s^2 with 72 Hz and by 1e-6 with 200. */
float dry_tier_hertz(int tier)
{
    return tier_hertz(dry_max_int(tier, LOAD_TIER_MAX));
}

static int tier_of_substeps(int substeps)
{
    int tier = 0;
    while (tier < STIFFEST_TIER && tier_substeps[tier] < substeps)
        tier++;
    return tier;
}

/* Returns the substeps that a tier's stiffness asks for in steps of `dt` seconds. */
static int substeps_asked(int tier, float dt)
{
    return dry_max_int(1, (int)ceilf((float)tier_substeps[tier] * NOMINAL_RATE * dt - 0.01f));
}

int dry_island_substeps(const dry_settings *settings, int tier, float dt)
{
    if (settings->substeps > 0)
        return settings->substeps;
    if (tier == 0) /* of islands that no sweep has to converge for */
        return 1;
    const int least = tier < tier_of_substeps(settings->substeps_min) ? 1 : settings->substeps_min;
    return dry_max_int(least, dry_min_int(substeps_asked(tier, dt), settings->substeps_max));
}

int dry_island_sweeps(const dry_settings *settings, int tier, float dt)
{
    if (settings->sweeps > 0)
        return settings->sweeps;
    int substeps = dry_island_substeps(settings, tier, dt);
    int wanted = settings->substeps > 0 ? 1 : (substeps_asked(tier, dt) + substeps - 1) / substeps;
    return dry_max_int(settings->sweeps_min, dry_min_int(wanted, settings->sweeps_max));
}

/* Returns the lowest tier up to `most` whose constraints have a frequency of which w^2 is at least `square`,
 * rad^2/s^2. */
static int tier_of_frequency(float square, int most)
{
    int tier = 0;
    for (; tier < most; tier++) {
        const float w = 6.2831853f * tier_hertz(tier);
        if (w * w >= square)
            break;
    }
    return tier;
}

float dry_load_of_size(float load, float radius)
{
    return radius < SMALL ? load * (SMALL / dry_max(radius, FLT_MIN)) : load;
}

/* An impact's load lasts a step or two, and must not count: a load rises by a quarter a step at most. It
 * begins above what was measured under a stack that was placed, and falls slowly, since a load that rose
 * would stiffen contacts and lift. The first contact of a body that falls is an impact, and begins with the
 * guess. Within a band about the measured load it stays, so that the jolt of a lower tier does not raise the
 * tier again. */
float dry_load_sustained(float load, float measured, float guess, float first, float gravity, float dt)
{
    measured = dry_load_bounded(measured);
    if (load < 0.0f)
        return measured > 0.0f ? dry_max(first * measured, guess) : load;
    if (measured > DRY_LOAD_BAND * load)
        return dry_min(measured, DRY_LOAD_BAND * load + (DRY_LOAD_BAND - 1.0f) * gravity);
    return measured < 0.9f * load ? load + (measured - load) * dry_min(dt, 1.0f) : load;
}

/* Returns the side of a cube of which a body has the bounding radius, on the mean over an island's bodies. */
static float mean_side(const dry_island *island, const dry_island_measure *measure)
{
    return 2.0f / sqrtf(3.0f) * measure->radius / (float)island->bodies;
}

/* A tier that an island needs, and why. */
typedef struct tier_choice {
    int tier;
    dry_tier_reason reason;
} tier_choice;

static void raise_tier(tier_choice *choice, int tier, dry_tier_reason reason)
{
    if (tier > choice->tier)
        *choice = (tier_choice){tier, reason};
}

/* Raises a choice to the tier that a load of an island asks for. */
static void raise_for_load(tier_choice *choice, const dry_solver_step *step, const dry_island *island,
                           const dry_island_measure *measure, float load)
{
    const dry_settings *settings = step->settings;
    const bool few = 2 * measure->heavy < island->bodies, moves = dry_moves(measure->squares, island->bodies),
               fallen = dry_island_may_settle(step, island) && (few || moves);
    const int slow = moves ? 0 : tier_of_frequency(load / (4.0f * DEPTH), LOAD_TIER_MAX);
    raise_tier(choice,
               tier_of_frequency(load / DEPTH, fallen ? dry_max_int(slow, FALLEN_TIER_MAX) : LOAD_TIER_MAX),
               island->rated.guess > measure->load ? DRY_TIER_GUESS : DRY_TIER_LOAD);
    if (!few)
        raise_tier(choice, tier_of_frequency(load / (16.0f * DEPTH), DRY_TIER_COUNT - 1), DRY_TIER_LOAD);
    const float gravity = vec3_length(settings->gravity);
    if (settings->levers == DRY_LEVERS_TRUE && gravity > 0.0f && island->bodies > 2) {
        const float levels = load / (2.0f * gravity);
        const float square =
            levels * levels * levels * gravity / dry_max(mean_side(island, measure), FLT_MIN);
        raise_tier(choice, tier_of_frequency(BUCKLING_MARGIN * BUCKLING_MARGIN * square, STIFFEST_TIER),
                   DRY_TIER_BUCKLING);
    }
}

/* Returns how far a joint may gape, m. */
static float gap_of(const dry_joint *joint)
{
    const float arm[2] = {vec3_length(joint->anchor_a), vec3_length(joint->anchor_b)};
    float gap = GAP;
    for (int side = 0; side < 2; side++)
        if ((side ? joint->body_b : joint->body_a) >= 0 && arm[side] > GAP)
            gap = dry_min(gap, GAP_OF_ARM * arm[side]);
    return gap;
}

float dry_joint_load_borne_by(const dry_joint *joint, float h)
{
    const float w = 6.2831853f * dry_hertz_of_substep(h);
    return gap_of(joint) * w * w;
}

/* The motion of a joint's lever arms with its bodies. */
typedef struct arm_motion {
    float load;   /* the acceleration by which rotation alone parts the anchors, m/s^2 */
    float square; /* of how fast the faster arm turns, rad^2/s^2 */
} arm_motion;

static arm_motion arm_motion_of(const dry_solver_step *step, const dry_joint *joint)
{
    dry_vec3 apart = vec3(0.0f, 0.0f, 0.0f);
    float square = 0.0f;
    for (int side = 0; side < 2; side++) {
        const int row = dry_island_row(step, side ? joint->body_b : joint->body_a);
        if (row < 0)
            continue;
        const dry_vec3 spin = step->bodies->velocity[row].angular;
        const dry_vec3 arm =
            quat_rotate(step->bodies->pose[row].orientation, side ? joint->anchor_b : joint->anchor_a);
        const dry_vec3 swept = vec3_cross(spin, arm);
        apart = vec3_add_scaled(apart, side ? 1.0f : -1.0f, vec3_cross(spin, swept));
        if (vec3_length_squared(arm) > GAP * GAP)
            square = dry_max(square, vec3_length_squared(swept) / vec3_length_squared(arm));
    }
    return (arm_motion){vec3_length(apart), square};
}

/* Returns the square of the frequency that a joint's load asks for, rad^2/s^2: at first it bears at least
 * what the rotation of its bodies asks for. */
static float square_of_load(const dry_solver_step *step, int index)
{
    const dry_joint *joint = &step->joints->joint[index];
    float load = dry_max(step->joints->load[index].value, 0.0f);
    if (joint->substep == 0.0f && !(step->joints->def[index].stiffness > 0.0f))
        load = dry_max(load, arm_motion_of(step, joint).load);
    return dry_min(load, DRY_LOAD_MAX) / gap_of(joint);
}

/* Returns the square of the frequency of joints that a spring of two sides beside other constraints asks for,
 * rad^2/s^2. */
static float square_of_spring(const dry_solver_step *step, int joint)
{
    int row[DRY_JOINT_SIDES];
    const float square = dry_joint_spring_square(step, joint);
    bool shared = false;
    for (int i = 0, count = square > 0.0f ? dry_joint_rows_of(step, joint, row) : 0; i < count; i++) {
        const uint64_t colors = step->bodies->state[row[i]].colors;
        shared = shared || (colors & (colors - 1)) != 0;
    }
    const float share = 6.2831853f * DRY_HERTZ_PER_SUBSTEP_RATE / DRY_SPRING_ANGLE;
    return shared ? share * share * square : 0.0f;
}

/* Returns the frequency of which substeps follow the turning of a joint that motors drive, Hz: its rows turn
 * by DRY_TURNING_ANGLE_MIN in a substep at most, since a motor makes up for what rows lose. Its energy is off
 * by 16 times the square: a crank with a rod of 4 times its length and a piston of its mass has 1.04 of its
 * largest energy at most at 0.041 rad, 1.05 at 0.055 and 1.17 at 0.082. */
static float hertz_of_turning(const dry_solver_step *step, int island, int joint)
{
    if (!(step->islands->island[island].features & DRY_JOINT_TO_SPEED))
        return 0.0f;
    return DRY_HERTZ_PER_SUBSTEP_RATE / DRY_TURNING_ANGLE_MIN *
           sqrtf(arm_motion_of(step, &step->joints->joint[joint]).square);
}

void dry_joint_measure_swept(const dry_solver_step *step, int joint, float *hertz, float *square)
{
    *hertz = dry_max(*hertz, hertz_of_turning(step, dry_joint_island(step, joint), joint));
    *square = dry_max(*square, square_of_spring(step, joint));
}

/* Tells whether a joint's load is more than sweeps bear. */
static bool is_overloaded(const dry_solver_step *step, int joint)
{
    const int most = dry_min_int(tier_substeps[STIFFEST_TIER], step->settings->substeps_max);
    const float h = 1.0f / (NOMINAL_RATE * (float)most);
    return step->joints->load[joint].value > dry_joint_load_borne_by(&step->joints->joint[joint], h);
}

static void set_tier(dry_islands *islands, int island, int tier, dry_tier_reason reason)
{
    islands->island[island].reason = (uint8_t)reason;
    if (islands->island[island].tier == tier)
        return;
    islands->island[island].tier = (int16_t)tier;
    islands->scheduled = false;
}

/* Finds the stiffness that each island's joints ask for; those that are solved directly ask for none. */
static void measure_joints(const dry_solver_step *step)
{
    const dry_joints *joints = step->joints;
    for (int i = 0; i < joints->active_count; i++) {
        const int joint = joints->active[i], island = dry_joint_island(step, joint);
        if (island < 0)
            continue;
        dry_island_measure *m = &step->islands->measure[island];
        const dry_motor_masses *masses = dry_motor_masses_of(step, joint);
        const float w = masses ? 6.2831853f * DRY_HERTZ_PER_SUBSTEP_RATE * masses->rate : 0.0f;
        float square = w * w, hertz = joints->def[joint].hertz;
        if (dry_joint_is_direct(step->settings, joints, joint)) {
            m->direct += !dry_joint_has_lane(step->settings, joints, joint, DRY_KIND_AXES);
            m->vibration = dry_max(m->vibration, joints->direct[joint].vibration);
        } else {
            square = dry_max(square, square_of_load(step, joint));
            if (step->method->joints->measure)
                step->method->joints->measure(step, joint, &hertz, &square);
        }
        m->hertz = dry_max(m->hertz, hertz);
        m->joint_square = dry_max(m->joint_square, square);
    }
}

/* Finds each island's largest load, and its speed. Returns true if some island needs a guess of its load. */
static bool measure_bodies(const dry_solver_step *step)
{
    const dry_bodies *bodies = step->bodies;
    dry_island *islands = step->islands->island;
    dry_island_measure *measures = step->islands->measure;
    const dry_island_measure none = {
        .low = FLT_MAX, .high = -FLT_MAX, .lightest_alone = FLT_MAX, .least_inverse = FLT_MAX};
    for (int i = 0; i < step->islands->count; i++)
        measures[i] = none, islands[i].rated = (dry_island_rating){0};
    bool unknown = false;
    const float w = 6.2831853f * tier_hertz(FALLEN_TIER_MAX);
    /* Neighbors in memory mostly belong to one island: its sums stay in registers meanwhile. */
    int island = -1;
    dry_island_measure m = none;
    dry_island_rating rated = {0};
    for (int row = 0; row < bodies->awake_count; row++) {
        const dry_body_sleep *body = &bodies->sleep[row];
        if (body->island < 0)
            continue;
        if (body->island != island) {
            if (island >= 0)
                measures[island] = m, islands[island].rated = rated;
            island = body->island;
            m = measures[island], rated = islands[island].rated;
        }
        if (body->compliance >= 0.0f && (m.settled == 0 || body->load > m.load))
            rated.compliance = body->compliance;
        m.load = dry_max(m.load, body->load);
        m.heavy += body->load > DEPTH * w * w;
        m.settled += body->compliance >= 0.0f;
        const bool rests = body->rest > 0.0f || body->rest < DRY_REST_ENDS;
        if (rests && m.resting == 0)
            rated.rest = body->rest;
        m.resting += rests && body->rest == rated.rest;
        rated.fading = dry_max(rated.fading, -body->rest);
        m.squares += vec3_length_squared(bodies->velocity[row].linear);
        m.spin = dry_max(m.spin, vec3_length_squared(bodies->velocity[row].angular));
        const float inverse = bodies->mass[row].inverse_mass;
        m.least_inverse = inverse > 0.0f ? dry_min(m.least_inverse, inverse) : m.least_inverse;
        m.most_inverse = dry_max(m.most_inverse, inverse);
        m.fresh |= body->load < 0.0f;
        unknown |= body->load < 0.0f && islands[island].bodies > 1;
    }
    if (island >= 0)
        measures[island] = m, islands[island].rated = rated;
    measure_joints(step);
    return unknown;
}

/* An island whose bodies' speeds have a smaller mean square does not move yet. */
static const float STILL = 0.5f;

bool dry_joints_hold_directly(const dry_solver_step *step, int row)
{
    for (dry_joint_iterator it = dry_joints_of(step->joints, &step->bodies->state[row]); dry_next_joint(&it);)
        if ((step->joints->joint[it.joint].flags & DRY_JOINT_ENABLED) &&
            dry_joint_is_direct(step->settings, step->joints, it.joint))
            return true;
    return false;
}

/* Guesses the load of islands with bodies whose load is not known: the lightest body carries as many bodies
 * of the mean mass as the island has levels. */
static void guess_loads(const dry_solver_step *step, bool all)
{
    const dry_bodies *bodies = step->bodies;
    dry_island_measure *measures = step->islands->measure;
    const dry_vec3 gravity = step->settings->gravity;
    const dry_vec3 up = vec3_normalize_or(vec3_neg(gravity), vec3(0.0f, 1.0f, 0.0f));
    const dry_position origin = bodies->pose[0].position;
    for (int row = 0; row < bodies->awake_count; row++) {
        const int island = bodies->sleep[row].island;
        if (island < 0 || !(all || measures[island].fresh))
            continue;
        dry_island_measure *m = &measures[island];
        const float at = vec3_dot(up, position_sub(bodies->pose[row].position, origin));
        m->low = dry_min(m->low, at);
        m->high = dry_max(m->high, at);
        m->radius += bodies->state[row].radius;
        const float inverse = bodies->mass[row].inverse_mass, mass = inverse > 0.0f ? 1.0f / inverse : 0.0f;
        m->mass += mass;
        if (mass > 0.0f && !dry_joints_hold_directly(step, row))
            m->lightest_alone = dry_min(m->lightest_alone, mass);
    }
    for (int i = 0; i < step->islands->count; i++) {
        dry_island_measure *m = &measures[i];
        dry_island *island = &step->islands->island[i];
        /* Without contacts, only stops and motors of direct joints have the sweeps of a load that is not
         * known. */
        if (!m->fresh || island->bodies < 2 || (island->manifolds == 0 && m->direct == 0))
            continue;
        const float levels = dry_min((m->high - m->low) / mean_side(island, m) + 1.0f, (float)island->bodies);
        const float least = m->most_inverse > 0.0f ? 1.0f / m->most_inverse : FLT_MAX;
        const float lightest =
            m->lightest_alone == least ? least : dry_min(m->lightest_alone, m->mass / (float)island->bodies);
        const float carried = 2.0f * levels * m->mass / (lightest * (float)island->bodies);
        /* A stack that was placed at rest has its impulses already, but for uneven ones. One that has just
         * come to rest may be pressed harder for a while, and one that moves is hardly pressed yet. */
        const bool still = m->squares < STILL * STILL * (float)island->bodies;
        const float most = island->placed == DRY_PLACED ? 2.0f * carried
                           : still                      ? dry_max(10.0f * levels, carried)
                                                        : 2.0f * levels;
        island->rated.guess = dry_min(vec3_length(gravity) * most, DRY_LOAD_MAX);
    }
}

/* An island's compliance follows the one that its load asks for. A stack that becomes soft at once falls,
 * overshoots and rises again, so softening begins and ends gently: c' = c (1 - c / wanted) / SOFTEN, which
 * excites slower motions alone; what rises before it settles would sink, and keeps its stiffness. What was
 * placed at rest begins with FIRST of what is wanted. Stiffening lifts what is carried, and takes STIFFEN s,
 * what may settle only if its load is another now. What moves is hardly pressed, and takes STIFFEN_MOVING. */
static const float SOFTEN = 0.6f, STIFFEN = 2.0f, STIFFEN_MOVING = 0.1f, FIRST = 1.0f / 16.0f;

/* Returns an island's compliance, s^2, when its load asks for `wanted`; negative while nothing touches or
 * holds its bodies. */
static float compliance_of(const dry_solver_step *step, float wanted, float stiffest,
                           const dry_island *island, const dry_island_measure *measure)
{
    const bool placed = island->placed == DRY_PLACED;
    /* A stack that is placed on what rests does not begin as soft as that. */
    if (2 * measure->settled > island->bodies || (measure->settled > 0 && !placed)) {
        const float now = island->rated.compliance, dt = step->dt;
        const bool moves = dry_moves(measure->squares, island->bodies);
        float next = now;
        if (wanted > now)
            next += moves || !island->rises ? now * (1.0f - now / wanted) * dry_min(dt / SOFTEN, 1.0f) : 0.0f;
        else if (moves || !dry_island_may_settle(step, island) || dry_load_changed(now, wanted))
            next += (wanted - now) * dry_min(dt / (moves ? STIFFEN_MOVING : STIFFEN), 1.0f);
        return dry_abs(wanted - next) > 1e-4f * wanted ? next : wanted;
    }
    if (island->manifolds + island->joints == 0)
        return -1.0f;
    return placed ? dry_max(FIRST * wanted, stiffest) : wanted;
}

/* A tier's sweeps converge on this share of its compliance too: a tier is left without a jump. */
static const float CONVERGED = 0.999f;

/* Raises a choice to the tier that an island's joints ask for. */
static void raise_for_joints(tier_choice *choice, const dry_island_measure *measure)
{
    const float w = 6.2831853f * measure->hertz, share = 6.2831853f * DRY_HERTZ_PER_SUBSTEP_RATE;
    /* A substep takes 1 rad of a vibration at most. */
    const float square = dry_max(w * w, share * share * measure->vibration);
    raise_tier(choice, tier_of_frequency(measure->joint_square, STIFFEST_TIER), DRY_TIER_JOINTS);
    raise_tier(choice, tier_of_frequency(square, DRY_TIER_COUNT - 1), DRY_TIER_JOINTS);
}

/* Returns the lowest tier of what rests: half the floor of what moves. Springs at rest answer for changes
 * alone, and a light load gives way by little where they are soft. */
static int tier_at_rest(const dry_settings *settings)
{
    return tier_of_substeps((settings->substeps_min + 1) / 2);
}

/* Returns the share of its last fall by which an impulse beyond the sustained load is expected to fall on in
 * the next substep: a sweep that changes velocities one by one unloads a light body under a heavy one by the
 * share of their masses, and leaves the rest. The sum over bodies, not their mean, tells whether something
 * hits a large island. */
static float fall_of(const dry_solver_step *step, const dry_island *island, const dry_island_measure *measure)
{
    if (island->manifolds == 0 || dry_island_rests(island) || !dry_moves(measure->squares, 1))
        return 0.0f;
    return step->method->falls * dry_max(1.0f - measure->least_inverse / measure->most_inverse, 0.0f);
}

/* Returns the compliance that an island's load asks for, with which a choice was made. What softens goes on
 * to where a load that is less by DRY_LOAD_BAND would stop: stopped by a load that is a little more, it would
 * rise again. */
static float wanted_compliance(const dry_solver_step *step, const float *compliances, int chosen,
                               const dry_island *island, const dry_island_measure *measure, float load)
{
    const float wanted = compliances[chosen];
    if (!dry_island_may_settle(step, island) || dry_moves(measure->squares, island->bodies) ||
        island->rated.compliance <= wanted)
        return wanted;
    tier_choice less = {tier_of_substeps(step->settings->substeps_min), DRY_TIER_FLOOR};
    raise_for_load(&less, step, island, measure, load / DRY_LOAD_BAND);
    return compliances[less.tier] < island->rated.compliance ? wanted : compliances[less.tier];
}

/* Sets an island's tier and compliance. */
static void rate_island(const dry_solver_step *step, const float *compliances, int index)
{
    const dry_settings *settings = step->settings;
    dry_island *island = &step->islands->island[index];
    dry_island_measure *measure = &step->islands->measure[index];
    /* Nothing acts on what falls, and nothing is known of what did. */
    if (island->manifolds + island->joints == 0 && measure->settled == 0 && measure->load == 0.0f) {
        island->rated.compliance = -1.0f;
        island->compliance = 1.0f;
        island->strained = false;
        set_tier(step->islands, index, tier_of_substeps(settings->substeps_min), DRY_TIER_FLOOR);
        return;
    }
    const bool rests = dry_island_rests(island);
    island->rated.fall = fall_of(step, island, measure);
    step->islands->unloads |= island->rated.fall > 0.0f;
    tier_choice loaded = {tier_of_substeps(settings->substeps_min), DRY_TIER_FLOOR};
    tier_choice choice = {rests ? tier_at_rest(settings) : loaded.tier, DRY_TIER_FLOOR};
    const float load = dry_max(measure->load, island->rated.guess);
    raise_for_load(&loaded, step, island, measure, load);
    raise_for_joints(&loaded, measure);
    raise_for_joints(&choice, measure);
    /* A first contact in motion is an impact, and its island has a guess where there is gravity. */
    island->rated.falls = measure->squares > STILL * STILL * (float)island->bodies &&
                          vec3_length_squared(settings->gravity) > 0.0f;
    if (!rests) {
        const float wanted = wanted_compliance(step, compliances, loaded.tier, island, measure, load);
        island->rated.compliance = compliance_of(step, wanted, compliances[STIFFEST_TIER], island, measure);
        const float sag = measure->load * island->rated.compliance * (float)island->bodies;
        island->deep = island->phase == DRY_ISLAND_RISES || (island->rises && sag > DRY_CALM);
    }
    float compliance = island->rated.rest;
    if (!rests && island->phase != DRY_ISLAND_SETTLES)
        choice = loaded, compliance = island->rated.compliance;
    const bool given = dry_spook_is_given(settings);
    while (compliance > 0.0f && !given && choice.tier < DRY_TIER_COUNT - 1 &&
           CONVERGED * compliances[choice.tier] > compliance)
        choice.tier++; /* to the lowest whose sweeps converge on it */
    const bool alone = island->joints > 0 && island->manifolds == 0 && measure->direct == island->joints;
    const float share = compliance / compliances[choice.tier];
    island->compliance = given || share < CONVERGED ? 1.0f : share;
    if (alone)
        choice = (tier_choice){0, DRY_TIER_FLOOR};
    if ((island->solved == DRY_JOINTS_ALONE) != alone) {
        island->solved = alone ? DRY_JOINTS_ALONE : DRY_JOINTS_NONE;
        step->islands->scheduled = false;
    }
    set_tier(step->islands, index, choice.tier, choice.reason);
    /* Joints may bear more than the tier's substeps do. Both squares are rounded. */
    const float h = step->dt / (float)dry_island_substeps(settings, choice.tier, step->dt);
    const float w = 6.2831853f * dry_hertz_of_substep(h);
    island->strained = measure->joint_square > CONVERGED * w * w;
}

static void rate_islands(dry_solver_step *step)
{
    dry_islands *islands = step->islands;
    const bool buckles = step->settings->levers == DRY_LEVERS_TRUE;
    float compliances[DRY_TIER_COUNT]; /* of the stiffest contacts on which a tier's sweeps converge, s^2 */
    for (int tier = 0; tier < DRY_TIER_COUNT; tier++) {
        const float h = step->dt / (float)dry_island_substeps(step->settings, tier, step->dt);
        const float w = 6.2831853f * dry_min(dry_hertz_of_substep(h), dry_tier_hertz(tier));
        compliances[tier] = 1.0f / (w * w);
    }
    if (measure_bodies(step) || buckles)
        guess_loads(step, buckles);
    /* Joints that are solved directly from now on bear no load that a tier follows. */
    if (dry_joint_groups_load(step, is_overloaded) && (measure_bodies(step) || buckles))
        guess_loads(step, buckles);
    dry_rest_find(step, compliances, tier_at_rest(step->settings),
                  tier_of_substeps(step->settings->substeps_min),
                  DRY_LOAD_BAND * DEPTH / compliances[LOAD_TIER_MAX]);
    islands->unloads = false;
    for (int i = 0; i < islands->count; i++)
        rate_island(step, compliances, i);
}

bool dry_difficulty_rate(dry_solver_step *step, dry_memory *memory, dry_scratch *scratch)
{
    dry_islands *islands = step->islands;
    const size_t count = (size_t)islands->count;
    if (!dry_scratch_reserve(scratch, memory, dry_scratch_bytes(count, sizeof *islands->measure)))
        return false;
    const size_t mark = scratch->used;
    islands->measure = DRY_SCRATCH_TAKE(scratch, dry_island_measure, count);
    rate_islands(step);
    islands->measure = NULL;
    dry_scratch_give_back(scratch, mark);
    return true;
}
