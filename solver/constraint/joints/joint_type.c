/* The table of joint types, what all definitions must hold, and the parts of joints with frames. */
#include "solver/constraint/joints/joint_type.h"

#include "core/angle.h"

#include <stddef.h>
#include <string.h>

#define ADDED(...)
#define X(type, ...) extern const dry_joint_description dry_joint_##type;
DRY_JOINT_TYPES_OF(X, ADDED)
#undef X

/* Written as the library of methods is loaded. */
const dry_joint_description *dry_joint_types[DRY_JOINT_TYPE_COUNT] = {
#define X(type, TYPE, ...) [DRY_JOINT_##TYPE] = &dry_joint_##type,
    DRY_JOINT_TYPES_OF(X, ADDED)
#undef X
};

static const char *const missing[DRY_JOINT_TYPE_COUNT] = {
#define X(type, TYPE, name, ...) [DRY_JOINT_##TYPE] = "type " name DRY_NEEDS_METHODS,
    DRY_JOINT_TYPES_OF(ADDED, X)
#undef X
};

void dry_joint_type_add(dry_joint_type type, const dry_joint_description *description)
{
    DRY_ASSERT(missing[type] && (!dry_joint_types[type] || dry_joint_types[type] == description));
    dry_joint_types[type] = description;
}

static const dry_joint_def plain = {DRY_JOINT_DEF_FIELDS(DRY_FIELD_DEFAULT, dry_joint_def)};

dry_joint_def dry_joint_common_defaults(dry_joint_type type)
{
    dry_joint_def def = plain;
    def.type = type;
    for (int i = 0; i < DRY_AXIS_COUNT; i++)
        def.axes[i] = dry_joint_axis_default(dry_joint_has_axis(type, i));
    return def;
}

static bool is_locked(const dry_joint_axis *axis)
{
    return axis->min == axis->max;
}

static bool is_sprung(const dry_joint_axis *axis)
{
    return axis->stiffness > 0.0f || axis->damping > 0.0f;
}

/* Tells whether anything but a spring acts along a free axis. */
static bool acts_otherwise(const dry_joint_axis *axis)
{
    return axis->min > -INFINITY || axis->max < INFINITY || axis->motor != DRY_MOTOR_OFF ||
           axis->friction > 0.0f;
}

dry_joint_counts dry_joint_count(const dry_joint_def *def)
{
    const dry_joint_description *type = dry_joint_types[def->type];
    const bool frames = type->kind == DRY_KIND_BLOCK, soft = !frames && def->stiffness > 0.0f;
    dry_joint_axis more;
    const bool has_more = type->more && type->more(def, &more);
    const int rubbing = dry_joint_has(def->type, DRY_JOINT_HAS_FRICTION) ? 3 : 0;
    dry_joint_counts of = {.coordinates = dry_count_bits(dry_joint_traits_of[def->type].axes) +
                                          (type->more != NULL) + rubbing,
                           .locked = soft ? 0 : type->locked,
                           .springs = soft ? type->locked : 0,
                           .stops = frames && has_more && dry_joint_has_hard_stop(&more),
                           .bounded = has_more || dry_joint_rubs(def)};
    for (int i = 0; i < DRY_AXIS_COUNT; i++) {
        const dry_joint_axis *axis = &def->axes[i];
        if (!dry_joint_has_axis(def->type, i))
            continue;
        if (is_locked(axis)) {
            of.locked++;
            continue;
        }
        of.springs += is_sprung(axis);
        of.stops += dry_joint_has_hard_stop(axis);
        of.bounded |= acts_otherwise(axis);
        of.unbounded_motor |= axis->motor != DRY_MOTOR_OFF && axis->force_max == INFINITY;
    }
    return of;
}

/* Returns the kinds of bundles in which a joint has a lane, as bits. */
static uint32_t kinds_of(const dry_joint_def *def, const dry_joint_counts *of)
{
    const uint32_t block = 1u << DRY_KIND_BLOCK, axes = 1u << DRY_KIND_AXES;
    const dry_kind kind = dry_joint_types[def->type]->kind;
    if (kind != DRY_KIND_BLOCK && !dry_joint_rubs(def))
        return of->bounded ? axes : 1u << kind;
    return (of->locked > 0 ? block : 0) | (of->bounded || of->springs > 0 ? axes : 0);
}

void dry_joint_find_coordinates(const dry_joint_def *def, dry_joint_coordinates *of)
{
    const dry_joint_description *type = dry_joint_types[def->type];
    const bool more = type->more && type->more(def, &of->other), frames = type->kind == DRY_KIND_BLOCK;
    of->locked_count = !frames && (more || dry_joint_is_spring(def)) ? 0 : type->locked;
    of->free_count = 0;
    for (int i = 0; i < of->locked_count; i++) {
        of->locked_form[i] = type->locked_form[i];
        of->locked_at[i] = type->kind == DRY_KIND_LINE ? def->length : 0.0f;
    }
    for (int i = 0; i < DRY_AXIS_COUNT; i++) {
        const dry_joint_axis *axis = &def->axes[i];
        if (!dry_joint_has_axis(def->type, i) ||
            (!is_locked(axis) && !acts_otherwise(axis) && !is_sprung(axis)))
            continue;
        if (is_locked(axis)) {
            of->locked_form[of->locked_count] = type->axis_form[i];
            of->locked_at[of->locked_count++] = axis->min;
            continue;
        }
        of->coordinate[of->free_count] = i;
        of->free_form[of->free_count++] = type->axis_form[i];
    }
    if (dry_joint_rubs(def)) { /* a ball joint, which has no other coordinates */
        of->other = dry_joint_axis_default(true);
        of->other.friction = def->friction;
        for (int i = DRY_AXIS_RX; i < DRY_AXIS_COUNT; i++) {
            of->coordinate[of->free_count] = i;
            of->free_form[of->free_count++] = type->axis_form[i];
        }
    } else if (more) {
        of->coordinate[of->free_count] = DRY_COORDINATE_MORE;
        of->free_form[of->free_count++] = type->more_form;
    }
}

void dry_joint_find_parts(const dry_joint_def *def, const dry_joint_frames *frames, dry_joint_parts *parts)
{
    dry_joint_coordinates of;
    dry_swing_twist swing = {0};
    dry_joint_find_coordinates(def, &of);
    parts->locked_count = of.locked_count;
    parts->free_count = of.free_count;
    for (int i = 0; i < of.locked_count; i++) {
        parts->locked[i] = dry_joint_form_row(def, frames, (dry_row_form)of.locked_form[i], &swing);
        parts->locked[i].error -= (double)of.locked_at[i];
    }
    for (int i = 0; i < of.free_count; i++) {
        parts->coordinate[i] = of.coordinate[i];
        parts->acts[i] = *dry_joint_acts(def, &of, i);
        parts->free[i] = dry_joint_form_row(def, frames, (dry_row_form)of.free_form[i], &swing);
    }
}

uint32_t dry_joint_features(const dry_joint_def *def)
{
    const dry_kind kind = dry_joint_types[def->type]->kind;
    const dry_joint_counts of = dry_joint_count(def);
    const uint32_t kinds = kinds_of(def, &of);
    const bool rows =
        kind == DRY_KIND_BLOCK ? of.locked + of.springs > 0 : (kinds & 1u << kind) || dry_joint_rubs(def);
    const bool direct = def->type != DRY_JOINT_TARGET && kind != DRY_KIND_QUAD && rows;
    const bool quad_works = kind == DRY_KIND_QUAD && def->stiffness > 0.0f;
    return dry_joint_drives_of(def) | (quad_works ? DRY_JOINT_WORKS : 0) |
           (direct ? DRY_JOINT_MAY_BE_DIRECT : 0) | (uint32_t)def->solver * DRY_JOINT_SOLVERS |
           kinds * DRY_JOINT_KINDS;
}

bool dry_joint_is_direct(const dry_settings *settings, const dry_joints *joints, int joint)
{
    const dry_joint *of = &joints->joint[joint];
    const dry_joint_solver solver = dry_joint_solver_of(settings, of->features);
    const bool chosen = solver == DRY_JOINT_SOLVER_AUTO && (of->flags & DRY_JOINT_DIRECT);
    return (solver == DRY_JOINT_SOLVER_DIRECT || chosen) && dry_joint_may_be_direct(of);
}

bool dry_joint_has_lane(const dry_settings *settings, const dry_joints *joints, int joint, dry_kind kind)
{
    if (!dry_joint_is_direct(settings, joints, joint))
        return dry_joint_has_kind(&joints->joint[joint], kind);
    return kind == DRY_KIND_AXES && dry_joint_count(&joints->def[joint]).bounded;
}

int dry_joint_find_springs(const dry_joint_def *def, dry_spring_def springs[DRY_BLOCK_ROWS])
{
    const dry_joint_description *type = dry_joint_types[def->type];
    int count = 0;
    if (type->kind != DRY_KIND_BLOCK) {
        const dry_spring_def spring = {(double)def->stiffness, (double)def->damping, 0.0, -1};
        while (def->stiffness > 0.0f && count < type->locked)
            springs[count++] = spring;
        return count;
    }
    for (int i = 0; i < DRY_AXIS_COUNT; i++) {
        const dry_joint_axis *axis = &def->axes[i];
        if (dry_joint_has_axis(def->type, i) && !is_locked(axis) && is_sprung(axis))
            springs[count++] =
                (dry_spring_def){(double)axis->stiffness, (double)axis->damping, (double)axis->rest, i};
    }
    return count;
}

int dry_joint_find_direct(dry_joint_type of, const dry_joint_def *def, const dry_joint_frames *frames,
                          dry_joint_row rows[DRY_BLOCK_ROWS])
{
    const dry_joint_description *type = dry_joint_types[of];
    if (type->kind != DRY_KIND_BLOCK) {
        dry_swing_twist none; /* they have no angles */
        for (int i = 0; i < type->locked; i++)
            rows[i] = dry_joint_form_row(def, frames, (dry_row_form)type->locked_form[i], &none);
        if (type->kind == DRY_KIND_LINE)
            rows[0].error -= (double)def->length;
        return type->locked;
    }
    dry_joint_parts parts;
    dry_joint_find_parts(def, frames, &parts);
    int count = parts.locked_count;
    for (int i = 0; i < parts.locked_count; i++)
        rows[i] = parts.locked[i];
    for (int i = 0; i < parts.free_count; i++)
        if (parts.coordinate[i] < DRY_AXIS_COUNT && is_sprung(&parts.acts[i]))
            rows[count++] = parts.free[i];
    return count;
}

/* Returns the middle of an axis's stops, or if it has not both, the value nearest its rest. */
static double middle_of(const dry_joint_axis *acts)
{
    if (acts->min > -INFINITY && acts->max < INFINITY)
        return 0.5 * ((double)acts->min + (double)acts->max);
    return (double)dry_clamp(acts->rest, acts->min, acts->max);
}

double dry_joint_fades_to(const dry_joint_def *def, int coordinate, bool direct)
{
    if (coordinate < DRY_AXIS_RX || coordinate > DRY_AXIS_RZ)
        return INFINITY;
    const dry_row_form form = dry_joint_form_of(dry_joint_types[def->type], coordinate);
    const dry_joint_axis *acts = &def->axes[coordinate];
    const bool stops = acts->min > -INFINITY || acts->max < INFINITY;
    const bool stores = acts->stiffness > 0.0f || (!direct && stops);
    /* A swing about one axis keeps its direction. Springs about both hold it off pi, where they would rest.
     */
    const dry_joint_axis *other = &def->axes[coordinate == DRY_AXIS_RY ? DRY_AXIS_RZ : DRY_AXIS_RY];
    const bool swings = (form == DRY_FORM_SWING_Y || form == DRY_FORM_SWING_Z) && !is_locked(other) &&
                        other->stiffness == 0.0f;
    /* A twist still has hard stops there, from the middle of which it counts (dry_joint_twist_origin). */
    const bool twists = form == DRY_FORM_TWIST &&
                        (direct || ((!stops || acts->stop_stiffness > 0.0f) && acts->friction == 0.0f));
    if (!stores || !(acts->motor == DRY_MOTOR_OFF || direct) || !(twists || swings))
        return INFINITY;
    return direct ? (double)acts->rest : middle_of(acts);
}

double dry_joint_twist_origin(const dry_joint_def *def, int coordinate)
{
    if (coordinate == DRY_COORDINATE_MORE ||
        dry_joint_form_of(dry_joint_types[def->type], coordinate) != DRY_FORM_TWIST)
        return INFINITY;
    const dry_joint_axis *acts = &def->axes[coordinate];
    const bool between = acts->min > -INFINITY && acts->max < INFINITY;
    return between ? middle_of(acts) : dry_joint_fades_to(def, coordinate, false);
}

double dry_joint_counted_value(const dry_joint_def *def, int coordinate, double value, double faded,
                               const dry_joint_axes_state *counted)
{
    if (coordinate == DRY_COORDINATE_MORE || !(dry_joint_types[def->type]->winds & DRY_AXIS_BIT(coordinate)))
        return value;
    const double before = (double)counted->angle[coordinate - DRY_AXIS_RX];
    const double origin = faded > 0.0 ? dry_joint_twist_origin(def, coordinate) : INFINITY;
    return dry_angle_near(value, origin < INFINITY ? origin + (1.0 - faded) * (before - origin) : before);
}

double dry_joint_known_value(const dry_joint_def *def, int coordinate, bool direct,
                             const dry_joint_axes_state *counted, dry_joint_row *row, double *value)
{
    *value = dry_joint_counted_value(def, coordinate, row->error, row->faded, counted);
    const double rest = row->faded == 0.0 ? INFINITY : dry_joint_fades_to(def, coordinate, direct);
    if (rest == INFINITY)
        return *value;
    const double left = 1.0 - row->faded, off = *value - rest;
    const dry_double3 slope = double3_add_scaled((dry_double3){0}, off, row->fading);
    row->angular_a = double3_add_scaled(slope, left, row->angular_a);
    row->angular_b = double3_add_scaled(slope, left, row->angular_b);
    return rest + left * off;
}

static bool is_within(dry_vec3 v, float limit)
{
    return dry_abs(v.x) <= limit && dry_abs(v.y) <= limit && dry_abs(v.z) <= limit;
}

static bool is_unit(dry_quat q)
{
    return in_range(quat_length_squared(q), 0.998f, 1.002f);
}

/* Returns what is wrong with a number, in words; null if nothing. `foreign`: the joint's type lacks it. */
static const char *number_error(float x, float standard, float low, float high, const char *foreign,
                                const char *range)
{
    if (x == standard || foreign)
        return x == standard ? NULL : foreign;
    return in_range(x, low, high) ? NULL : range;
}

/* Returns what is wrong with a joint's numbers each by itself, in words; null if nothing. */
static const char *numbers_error(const dry_joint_def *def)
{
    const uint32_t has = dry_joint_traits_of[def->type].has;
    const char *error = NULL;
#define X(name, low, high, owner, foreign, range)                                                            \
    error =                                                                                                  \
        number_error(def->name, plain.name, low, high, has & DRY_JOINT_HAS_##owner ? NULL : foreign, range); \
    if (error)                                                                                               \
        return error;
    DRY_JOINT_NUMBERS(X)
#undef X
    return NULL;
}

/* Returns what is wrong with an axis that a joint has, in words; null if nothing. */
static const char *axis_error(const dry_joint_axis *a)
{
    const dry_joint_axis standard = DRY_JOINT_AXIS_DEFAULT;
    const char *error = NULL;
    if (!(a->min <= a->max) || a->min == INFINITY || a->max == -INFINITY)
        return "min must not exceed max";
    if ((unsigned)a->motor >= DRY_MOTOR_COUNT)
        return "motor is unknown";
#define X(name, low, high, motor, range)                                                                     \
    error = number_error(a->name, standard.name, low, high, NULL, range);                                    \
    if (error)                                                                                               \
        return error;
    DRY_JOINT_AXIS_NUMBERS(X)
#undef X
    const dry_axis_uses u = dry_axis_uses_of(a);
#define X(broken, field, expected, text)                                                                     \
    if (broken)                                                                                              \
        return text;
    DRY_JOINT_AXIS_RULES(X)
#undef X
    return NULL;
}

const char *dry_joint_axis_error(dry_joint_type type, int axis, const dry_joint_axis *settings)
{
    if (!dry_joint_has_axis(type, axis)) {
        const dry_joint_axis locked = dry_joint_axis_default(false);
        return memcmp(settings, &locked, sizeof locked) == 0 ? NULL : "joints of this type lack the axis";
    }
    return axis_error(settings);
}

bool dry_joint_anchor_is_valid(dry_vec3 anchor)
{
    return is_within(anchor, 1e6f);
}

const char *dry_joint_def_error(const dry_joint_def *def)
{
    if ((unsigned)def->type >= DRY_JOINT_TYPE_COUNT)
        return "type is unknown";
    if (!dry_joint_types[def->type])
        return missing[def->type];
    if (!dry_joint_anchor_is_valid(def->anchor_a) || !dry_joint_anchor_is_valid(def->anchor_b))
        return "anchors must be finite and at most 1e6";
    if (!is_unit(def->orientation_a) || !is_unit(def->orientation_b))
        return "orientations must be unit quaternions";
    if ((unsigned)def->solver >= DRY_JOINT_SOLVER_COUNT)
        return "solver is unknown";
    const char *error = numbers_error(def);
    if (!error && def->stiffness == 0.0f && def->damping != 0.0f)
        error = "damping needs a stiffness";
    if (!error && def->angular_stiffness == 0.0f && def->angular_damping != 0.0f)
        error = "angular_damping needs an angular_stiffness";
    if (!error && dry_joint_types[def->type]->kind != DRY_KIND_BLOCK &&
        (!quat_is_identity(def->orientation_a) || !quat_is_identity(def->orientation_b)))
        error = "orientations: joints of this type have none";
    for (int i = 0; i < DRY_AXIS_COUNT && !error; i++)
        error = dry_joint_axis_error(def->type, i, &def->axes[i]);
    const dry_joint_description *type = dry_joint_types[def->type];
    return error || !type->check ? error : type->check(def);
}
