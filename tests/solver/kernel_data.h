/* Declares what the kernel tests share: bundles, rows and what else a kernel reads, the names of all their
 * fields, every kernel of contacts and joints and how it is called, and a comparison that says which field
 * differs first. */
#ifndef TESTS_SOLVER_KERNEL_DATA_H
#define TESTS_SOLVER_KERNEL_DATA_H

#include "tests/test_world.h"

#include "methods/added_kernels.h"
#include "methods/volumes/quad.h"
#include "solver/bodies/frames.h"
#include "solver/data/contacts/bundle.h"
#include "solver/data/contacts/source.h"
#include "solver/data/joints/axes.h"
#include "solver/data/joints/block.h"
#include "solver/data/joints/line.h"
#include "solver/data/joints/point.h"
#include "solver/data/joints/row_form.h"
#include "solver/sweeps/contacts/kernel_list.h"
#include "solver/sweeps/joints/kernel_list.h"

enum {
    DATA_BUNDLES = 5,
    DATA_ROWS = 1 + 40,                            /* few enough that the bundles of one range share bodies */
    DATA_MANIFOLDS = 1 + DATA_BUNDLES * DRY_BUNDLE /* 0 is empty */
};

/* A dry_contact_source with indices for pointers, so that it may be copied and compared. Orientation 0 is no
 * rotation. */
typedef struct data_source {
    int32_t manifold[DRY_BUNDLE], orientation_a[DRY_BUNDLE], orientation_b[DRY_BUNDLE];
    int32_t held[DRY_BUNDLE]; /* 1: lever arms are held */
    dry_lanes normal[3], between[3], friction, compliance, rise, impulse_scale, count, patch_least, share[2],
        kinematic[4][3], rolling_limit, rolling_impulse[3];
} data_source;

typedef struct kernel_data {
    _Alignas(64) dry_contact_bundle contact[DATA_BUNDLES];
    _Alignas(64) dry_contact_cold cold[DATA_BUNDLES];
    _Alignas(64) dry_contact_stiction stiction[DATA_BUNDLES];
    _Alignas(64) dry_contact_spring springs[DATA_BUNDLES];
    _Alignas(64) dry_contact_past past[DATA_BUNDLES];
    _Alignas(64) dry_contact_impact impact[DATA_BUNDLES];
    _Alignas(64) dry_contact_compliance compliance[DATA_BUNDLES];
    _Alignas(64) dry_point_bundle point[DATA_BUNDLES];
    _Alignas(64) dry_line_bundle line[DATA_BUNDLES];
    _Alignas(64) dry_block_bundle block[DATA_BUNDLES];
    _Alignas(64) dry_axes_bundle axes[DATA_BUNDLES];
    _Alignas(64) dry_quad_bundle quad[DATA_BUNDLES];
    _Alignas(64) data_source source[DATA_BUNDLES];
    dry_contact_speeds speeds[DATA_BUNDLES];
    dry_contact_header headers[DATA_BUNDLES]; /* each bundle has its own record; lanes as filled */
    _Alignas(64) dry_solver_row rows[DATA_ROWS];
    _Alignas(64) dry_solver_row sums[DATA_ROWS];
    dry_start_row start[DATA_ROWS];
    dry_row_frame frames[DATA_ROWS]; /* row r has frames[r - 1] */
    uint32_t loads[DATA_ROWS];       /* row r has loads[r - 1] */
    _Alignas(64) dry_manifold manifold[DATA_MANIFOLDS];
    _Alignas(64) dry_quat orientation[DATA_ROWS];
    dry_sweep sweep;
    dry_prepare prepare;
    dry_making making;
    bool turning; /* bodies turn their frames: making reads them */
} kernel_data;

/* Fields. */

typedef enum field_kind {
    FIELD_INTEGER, /* compared exactly; never a number that a kernel computes */
    FIELD_SIGNED,
    FIELD_UNIT, /* -1 to 1 */
    FIELD_POSITIVE,
    FIELD_SHARE,  /* at least 1, in empty lanes too */
    FIELD_DOUBLE, /* in double precision, -2 to 2 */
    FIELD_BOOLEAN,
    FIELD_FORM,  /* a dry_row_form of each lane, as a float */
    FIELD_LANES, /* how many lanes of the bundle are in use */
    FIELD_CHOICE /* an integer of the whole bundle, 0 to `most`, which a kernel loops to or tests */
} field_kind;

typedef enum field_side { NO_SIDE, SIDE_A, SIDE_B, SIDE_C, SIDE_D } field_side;

typedef struct field {
    const char *name;
    size_t offset, bytes;
    field_kind kind;
    field_side side; /* zero where that side is static */
    int32_t most;
} field;

#define FIELD(type, name, kind, side)                                                                        \
    {                                                                                                        \
#name, offsetof(type, name), sizeof(((type *)0)->name), kind, side, 0                                \
    }
#define CHOICE(type, name, most)                                                                             \
    {                                                                                                        \
#name, offsetof(type, name), sizeof(((type *)0)->name), FIELD_CHOICE, NO_SIDE, most                  \
    }

#define CONTACT(name, kind, side) FIELD(dry_contact_bundle, name, kind, side)
static const field contact_fields[] = {
    CONTACT(row_a, FIELD_INTEGER, NO_SIDE),
    CONTACT(row_b, FIELD_INTEGER, NO_SIDE),
    CONTACT(normal, FIELD_UNIT, NO_SIDE),
    CONTACT(axis_a, FIELD_SIGNED, SIDE_A),
    CONTACT(axis_b, FIELD_SIGNED, SIDE_B),
    CONTACT(lever_arm_a, FIELD_SIGNED, NO_SIDE),
    CONTACT(lever_arm_b, FIELD_SIGNED, NO_SIDE),
    CONTACT(offset, FIELD_SIGNED, NO_SIDE),
    CONTACT(separation, FIELD_SIGNED, NO_SIDE),
    CONTACT(inverse_mass, FIELD_POSITIVE, NO_SIDE),
    CONTACT(coupling, FIELD_SIGNED, NO_SIDE),
    CONTACT(pair_coupling, FIELD_SIGNED, NO_SIDE),
    CONTACT(impulse, FIELD_POSITIVE, NO_SIDE),
    CONTACT(friction_mass, FIELD_SIGNED, NO_SIDE),
    CONTACT(friction_impulse, FIELD_SIGNED, NO_SIDE),
    CONTACT(torsion_impulse, FIELD_SIGNED, NO_SIDE),
    CONTACT(friction, FIELD_POSITIVE, NO_SIDE),
    CONTACT(patch_radius, FIELD_POSITIVE, NO_SIDE),
};
#undef CONTACT

#define COLD(name, kind, side) FIELD(dry_contact_cold, name, kind, side)
static const field cold_fields[] = {
    COLD(kinematic_normal, FIELD_SIGNED, NO_SIDE),
    COLD(kinematic_tangent, FIELD_SIGNED, NO_SIDE),
    COLD(kinematic_torsion, FIELD_SIGNED, NO_SIDE),
    COLD(rolling_limit, FIELD_POSITIVE, NO_SIDE),
    COLD(rolling_mass, FIELD_POSITIVE, NO_SIDE),
    COLD(rolling_impulse, FIELD_SIGNED, NO_SIDE),
    COLD(kinematic_rolling, FIELD_SIGNED, NO_SIDE),
    COLD(share_a, FIELD_SHARE, NO_SIDE),
    COLD(share_b, FIELD_SHARE, NO_SIDE),
    COLD(friction_box, FIELD_POSITIVE, NO_SIDE),
    COLD(rubbing, FIELD_POSITIVE, NO_SIDE),
    COLD(other_impulse, FIELD_POSITIVE, NO_SIDE),
    COLD(other_friction, FIELD_SIGNED, NO_SIDE),
    COLD(other_torsion, FIELD_SIGNED, NO_SIDE),
    COLD(other_rolling, FIELD_SIGNED, NO_SIDE),
    COLD(flags, FIELD_INTEGER, NO_SIDE),
    COLD(padding, FIELD_INTEGER, NO_SIDE),
};
#undef COLD

#define IMPACT(name, kind, side) FIELD(dry_contact_impact, name, kind, side)
static const field impact_fields[] = {
    IMPACT(restitution, FIELD_POSITIVE, NO_SIDE), IMPACT(speed, FIELD_SIGNED, NO_SIDE),
    IMPACT(time, FIELD_POSITIVE, NO_SIDE),        IMPACT(shift, FIELD_SIGNED, NO_SIDE),
    IMPACT(impulse, FIELD_SIGNED, NO_SIDE),       IMPACT(lanes, FIELD_INTEGER, NO_SIDE),
    IMPACT(moved, FIELD_INTEGER, NO_SIDE),        IMPACT(limited, FIELD_INTEGER, NO_SIDE),
    IMPACT(padding, FIELD_INTEGER, NO_SIDE),
};
#undef IMPACT

static const field compliance_fields[] = {FIELD(dry_contact_compliance, lane, FIELD_POSITIVE, NO_SIDE)};

/* The fields of dry_joint_places and of dry_joint_frame_places. */
#define PLACES(type)                                                                                         \
    FIELD(type, places.side[0].orientation, FIELD_UNIT, NO_SIDE),                                            \
        FIELD(type, places.side[0].arm, FIELD_SIGNED, NO_SIDE),                                              \
        FIELD(type, places.side[0].velocity, FIELD_SIGNED, NO_SIDE),                                         \
        FIELD(type, places.side[0].spin, FIELD_SIGNED, NO_SIDE),                                             \
        FIELD(type, places.side[1].orientation, FIELD_UNIT, NO_SIDE),                                        \
        FIELD(type, places.side[1].arm, FIELD_SIGNED, NO_SIDE),                                              \
        FIELD(type, places.side[1].velocity, FIELD_SIGNED, NO_SIDE),                                         \
        FIELD(type, places.side[1].spin, FIELD_SIGNED, NO_SIDE),                                             \
        FIELD(type, places.apart, FIELD_SIGNED, NO_SIDE),                                                    \
        FIELD(type, places.shared, FIELD_POSITIVE, NO_SIDE),                                                 \
        FIELD(type, places.gap, FIELD_POSITIVE, NO_SIDE), FIELD(type, places.turn, FIELD_POSITIVE, NO_SIDE), \
        CHOICE(type, places.moves, 1), FIELD(type, places.padding, FIELD_INTEGER, NO_SIDE)
#define FRAME_PLACES(type)                                                                                   \
    FIELD(type, frames.side[0], FIELD_UNIT, NO_SIDE), FIELD(type, frames.side[1], FIELD_UNIT, NO_SIDE)
#define FORM_BITS ((1 << DRY_FORM_COUNT) - 1)

#define POINT(name, kind, side) FIELD(dry_point_bundle, name, kind, side)
static const field point_fields[] = {
    POINT(row_a, FIELD_INTEGER, NO_SIDE),
    POINT(row_b, FIELD_INTEGER, NO_SIDE),
    POINT(inv_sqrt_mass_a, FIELD_POSITIVE, SIDE_A),
    POINT(inv_sqrt_mass_b, FIELD_POSITIVE, SIDE_B),
    PLACES(dry_point_bundle),
    POINT(given, FIELD_POSITIVE, NO_SIDE),
    POINT(relative, FIELD_POSITIVE, NO_SIDE),
    POINT(angular_a, FIELD_SIGNED, SIDE_A),
    POINT(angular_b, FIELD_SIGNED, SIDE_B),
    POINT(error, FIELD_SIGNED, NO_SIDE),
    POINT(past, FIELD_SIGNED, NO_SIDE),
    POINT(kinematic, FIELD_SIGNED, NO_SIDE),
    POINT(acceleration, FIELD_SIGNED, NO_SIDE),
    POINT(inverse, FIELD_SIGNED, NO_SIDE),
    POINT(softness, FIELD_SIGNED, NO_SIDE),
    POINT(mass_scale, FIELD_POSITIVE, NO_SIDE),
    POINT(rate, FIELD_POSITIVE, NO_SIDE),
    POINT(approach, FIELD_POSITIVE, NO_SIDE),
    POINT(rigid, FIELD_POSITIVE, NO_SIDE),
    POINT(most, FIELD_POSITIVE, NO_SIDE),
    POINT(impulse, FIELD_SIGNED, NO_SIDE),
    POINT(sum, FIELD_SIGNED, NO_SIDE),
    POINT(peak, FIELD_POSITIVE, NO_SIDE),
    CHOICE(dry_point_bundle, limited, 1),
    FIELD(dry_point_bundle, lanes, FIELD_LANES, NO_SIDE),
};
#undef POINT

/* The fields of dry_single_row, by their names in it. */
#define SINGLE(type, name, kind)                                                                             \
    {                                                                                                        \
#name, offsetof(type, single.name), sizeof(((type *)0)->single.name), kind, NO_SIDE, 0               \
    }
#define SINGLE_ROW(type)                                                                                     \
    SINGLE(type, error, FIELD_SIGNED), SINGLE(type, kinematic, FIELD_SIGNED),                                \
        SINGLE(type, acceleration, FIELD_SIGNED), SINGLE(type, inverse, FIELD_POSITIVE),                     \
        SINGLE(type, relax_inverse, FIELD_POSITIVE), SINGLE(type, rate, FIELD_POSITIVE),                     \
        SINGLE(type, softness, FIELD_POSITIVE), SINGLE(type, approach, FIELD_POSITIVE),                      \
        SINGLE(type, rigid, FIELD_POSITIVE), SINGLE(type, impulse, FIELD_SIGNED),                            \
        SINGLE(type, sum, FIELD_SIGNED), SINGLE(type, peak, FIELD_POSITIVE)

#define LINE(name, kind, side) FIELD(dry_line_bundle, name, kind, side)
static const field line_fields[] = {
    LINE(row_a, FIELD_INTEGER, NO_SIDE),
    LINE(row_b, FIELD_INTEGER, NO_SIDE),
    LINE(inv_sqrt_mass_a, FIELD_POSITIVE, SIDE_A),
    LINE(inv_sqrt_mass_b, FIELD_POSITIVE, SIDE_B),
    PLACES(dry_line_bundle),
    LINE(given, FIELD_POSITIVE, NO_SIDE),
    LINE(relative, FIELD_POSITIVE, NO_SIDE),
    LINE(rest, FIELD_POSITIVE, NO_SIDE),
    LINE(past, FIELD_SIGNED, NO_SIDE),
    LINE(axis, FIELD_UNIT, NO_SIDE),
    LINE(angular_a, FIELD_SIGNED, SIDE_A),
    LINE(angular_b, FIELD_SIGNED, SIDE_B),
    SINGLE_ROW(dry_line_bundle),
    FIELD(dry_line_bundle, lanes, FIELD_LANES, NO_SIDE),
};
#undef LINE

#define BLOCK(name, kind, side) FIELD(dry_block_bundle, name, kind, side)
#define BLOCK_ROW(i)                                                                                         \
    BLOCK(row[i].pair.linear_a, FIELD_SIGNED, SIDE_A), BLOCK(row[i].pair.angular_a, FIELD_SIGNED, SIDE_A),   \
        BLOCK(row[i].pair.linear_b, FIELD_SIGNED, SIDE_B),                                                   \
        BLOCK(row[i].pair.angular_b, FIELD_SIGNED, SIDE_B),                                                  \
        BLOCK(row[i].pair.linear, FIELD_SIGNED, NO_SIDE), BLOCK(row[i].pair.about, FIELD_SIGNED, NO_SIDE),   \
        BLOCK(row[i].pair.kinematic, FIELD_SIGNED, NO_SIDE),                                                 \
        BLOCK(row[i].pair.acceleration, FIELD_SIGNED, NO_SIDE),                                              \
        BLOCK(row[i].pair.force, FIELD_POSITIVE, NO_SIDE), BLOCK(row[i].pair.sum, FIELD_SIGNED, NO_SIDE),    \
        BLOCK(row[i].offset, FIELD_SIGNED, NO_SIDE), BLOCK(row[i].error, FIELD_SIGNED, NO_SIDE),             \
        BLOCK(row[i].weight, FIELD_POSITIVE, NO_SIDE), BLOCK(row[i].impulse, FIELD_SIGNED, NO_SIDE)
static const field block_fields[] = {
    BLOCK(row_a, FIELD_INTEGER, NO_SIDE),
    BLOCK(row_b, FIELD_INTEGER, NO_SIDE),
    PLACES(dry_block_bundle),
    FRAME_PLACES(dry_block_bundle),
    BLOCK(form, FIELD_FORM, NO_SIDE),
    BLOCK(mesh, FIELD_SIGNED, NO_SIDE),
    BLOCK_ROW(0),
    BLOCK_ROW(1),
    BLOCK_ROW(2),
    BLOCK_ROW(3),
    BLOCK_ROW(4),
    BLOCK_ROW(5),
    BLOCK(block, FIELD_SIGNED, NO_SIDE),
    BLOCK(inverse, FIELD_SIGNED, NO_SIDE),
    BLOCK(share, FIELD_POSITIVE, NO_SIDE),
    BLOCK(rate, FIELD_POSITIVE, NO_SIDE),
    BLOCK(whole, FIELD_POSITIVE, NO_SIDE),
    BLOCK(peak, FIELD_POSITIVE, NO_SIDE),
    CHOICE(dry_block_bundle, forms, FORM_BITS),
    CHOICE(dry_block_bundle, rows, DRY_BLOCK_ROWS),
    CHOICE(dry_block_bundle, paired, 0),
    FIELD(dry_block_bundle, lanes, FIELD_LANES, NO_SIDE),
};
#undef BLOCK_ROW
#undef BLOCK

#define AXES(name, kind, side) FIELD(dry_axes_bundle, name, kind, side)
#define AXES_PART(i, p)                                                                                      \
    AXES(row[i].part[p].error, FIELD_SIGNED, NO_SIDE), AXES(row[i].part[p].speed, FIELD_SIGNED, NO_SIDE),    \
        AXES(row[i].part[p].rate, FIELD_POSITIVE, NO_SIDE),                                                  \
        AXES(row[i].part[p].offset, FIELD_SIGNED, NO_SIDE),                                                  \
        AXES(row[i].part[p].given, FIELD_POSITIVE, NO_SIDE),                                                 \
        AXES(row[i].part[p].relative, FIELD_POSITIVE, NO_SIDE),                                              \
        AXES(row[i].part[p].softness, FIELD_POSITIVE, NO_SIDE),                                              \
        AXES(row[i].part[p].approach, FIELD_POSITIVE, NO_SIDE),                                              \
        AXES(row[i].part[p].mass, FIELD_POSITIVE, NO_SIDE),                                                  \
        AXES(row[i].part[p].rigid, FIELD_POSITIVE, NO_SIDE),                                                 \
        AXES(row[i].part[p].most, FIELD_POSITIVE, NO_SIDE),                                                  \
        AXES(row[i].part[p].impulse, FIELD_SIGNED, NO_SIDE)
#define AXES_ROW(i)                                                                                          \
    AXES(row[i].pair.linear_a, FIELD_SIGNED, SIDE_A), AXES(row[i].pair.angular_a, FIELD_SIGNED, SIDE_A),     \
        AXES(row[i].pair.linear_b, FIELD_SIGNED, SIDE_B), AXES(row[i].pair.angular_b, FIELD_SIGNED, SIDE_B), \
        AXES(row[i].pair.linear, FIELD_SIGNED, NO_SIDE), AXES(row[i].pair.about, FIELD_SIGNED, NO_SIDE),     \
        AXES(row[i].pair.kinematic, FIELD_SIGNED, NO_SIDE),                                                  \
        AXES(row[i].pair.acceleration, FIELD_SIGNED, NO_SIDE),                                               \
        AXES(row[i].pair.force, FIELD_POSITIVE, NO_SIDE), AXES(row[i].pair.sum, FIELD_SIGNED, NO_SIDE),      \
        AXES(row[i].near, FIELD_SIGNED, NO_SIDE), AXES(row[i].origin, FIELD_SIGNED, NO_SIDE),                \
        AXES(row[i].fades_to, FIELD_SIGNED, NO_SIDE), AXES(row[i].value, FIELD_SIGNED, NO_SIDE),             \
        AXES(row[i].past, FIELD_SIGNED, NO_SIDE), AXES(row[i].winds, FIELD_POSITIVE, NO_SIDE),               \
        AXES(row[i].diagonal, FIELD_POSITIVE, NO_SIDE), AXES(row[i].inverse, FIELD_POSITIVE, NO_SIDE),       \
        AXES(row[i].stop_restitution, FIELD_POSITIVE, NO_SIDE), AXES(row[i].hard, FIELD_POSITIVE, NO_SIDE),  \
        AXES_PART(i, DRY_PART_SPRING), AXES_PART(i, DRY_PART_MOTOR), AXES_PART(i, DRY_PART_FRICTION),        \
        AXES_PART(i, DRY_PART_LOWER), AXES_PART(i, DRY_PART_UPPER)
#define AXES_USES(i) CHOICE(dry_axes_bundle, uses[i], (1 << DRY_PART_COUNT) - 1)
static const field axes_fields[] = {
    AXES(row_a, FIELD_INTEGER, NO_SIDE),
    AXES(row_b, FIELD_INTEGER, NO_SIDE),
    AXES(share_a, FIELD_POSITIVE, NO_SIDE),
    AXES(share_b, FIELD_POSITIVE, NO_SIDE),
    PLACES(dry_axes_bundle),
    FRAME_PLACES(dry_axes_bundle),
    AXES(whole, FIELD_POSITIVE, NO_SIDE),
    AXES(locked_form, FIELD_FORM, NO_SIDE),
    AXES(form, FIELD_FORM, NO_SIDE),
    AXES_ROW(0),
    AXES_ROW(1),
    AXES_ROW(2),
    AXES_ROW(3),
    AXES_ROW(4),
    AXES_ROW(5),
    AXES_ROW(6),
    AXES(round.axis[0], FIELD_SIGNED, NO_SIDE),
    AXES(round.axis[1], FIELD_SIGNED, NO_SIDE),
    AXES(round.axis[2], FIELD_SIGNED, NO_SIDE),
    AXES(round.diagonal, FIELD_POSITIVE, NO_SIDE),
    AXES(round.most, FIELD_POSITIVE, NO_SIDE),
    AXES(round.impulse, FIELD_SIGNED, NO_SIDE),
    AXES(peak, FIELD_POSITIVE, NO_SIDE),
    CHOICE(dry_axes_bundle, locked_forms, FORM_BITS),
    CHOICE(dry_axes_bundle, forms, FORM_BITS),
    AXES_USES(0),
    AXES_USES(1),
    AXES_USES(2),
    AXES_USES(3),
    AXES_USES(4),
    AXES_USES(5),
    AXES_USES(6),
    CHOICE(dry_axes_bundle, rows, DRY_AXES_ROWS),
    CHOICE(dry_axes_bundle, locked, DRY_BLOCK_ROWS),
    CHOICE(dry_axes_bundle, bounces, 1),
    CHOICE(dry_axes_bundle, begins, 1),
    CHOICE(dry_axes_bundle, rounds, 1),
    CHOICE(dry_axes_bundle, coupled, 1),
    CHOICE(dry_axes_bundle, block, 0),
    FIELD(dry_axes_bundle, lanes, FIELD_LANES, NO_SIDE),
};
#undef AXES_USES
#undef AXES_ROW
#undef AXES_PART
#undef AXES

#define QUAD(name, kind) FIELD(dry_quad_bundle, name, kind, NO_SIDE)
#define QUAD_SIDE(label, i, which)                                                                           \
    {label, offsetof(dry_quad_bundle, side[i].row), sizeof(int32_t[DRY_BUNDLE]), FIELD_INTEGER, NO_SIDE, 0}, \
        FIELD(dry_quad_bundle, side[i].linear, FIELD_SIGNED, which),                                         \
        FIELD(dry_quad_bundle, side[i].angular, FIELD_SIGNED, which)
static const field quad_fields[] = {
    QUAD_SIDE("row_a", 0, SIDE_A),   QUAD_SIDE("row_b", 1, SIDE_B),
    QUAD_SIDE("row_c", 2, SIDE_C),   QUAD_SIDE("row_d", 3, SIDE_D),
    SINGLE_ROW(dry_quad_bundle),     QUAD(per_length, FIELD_POSITIVE),
    QUAD(direction_b, FIELD_SIGNED), FIELD(dry_quad_bundle, lanes, FIELD_LANES, NO_SIDE),
};
#undef QUAD_SIDE
#undef QUAD

static const field stiction_fields[] = {
    FIELD(dry_contact_stiction, friction, FIELD_POSITIVE, NO_SIDE),
    FIELD(dry_contact_stiction, box, FIELD_POSITIVE, NO_SIDE),
    FIELD(dry_contact_stiction, state, FIELD_SHARE, NO_SIDE),
    FIELD(dry_contact_stiction, excess, FIELD_SHARE, NO_SIDE),
    FIELD(dry_contact_stiction, braking[0], FIELD_SHARE, NO_SIDE),
    FIELD(dry_contact_stiction, braking[1], FIELD_SHARE, NO_SIDE),
};

static const field spring_fields[] = {
    FIELD(dry_contact_spring, rate, FIELD_POSITIVE, NO_SIDE),
    FIELD(dry_contact_spring, softness, FIELD_POSITIVE, NO_SIDE),
    FIELD(dry_contact_spring, approach, FIELD_POSITIVE, NO_SIDE),
    FIELD(dry_contact_spring, given, FIELD_SIGNED, NO_SIDE),
};

static const field past_fields[] = {
    FIELD(dry_contact_past, impulse, FIELD_POSITIVE, NO_SIDE),
    FIELD(dry_contact_past, sustained, FIELD_POSITIVE, NO_SIDE),
    FIELD(dry_contact_past, fall, FIELD_POSITIVE, NO_SIDE),
};

#define SOURCE(name, kind) FIELD(data_source, name, kind, NO_SIDE)
static const field source_fields[] = {
    SOURCE(manifold, FIELD_INTEGER),
    SOURCE(orientation_a, FIELD_INTEGER),
    SOURCE(orientation_b, FIELD_INTEGER),
    SOURCE(held, FIELD_INTEGER),
    SOURCE(normal, FIELD_UNIT),
    SOURCE(between, FIELD_SIGNED),
    SOURCE(friction, FIELD_POSITIVE),
    SOURCE(compliance, FIELD_POSITIVE),
    SOURCE(rise, FIELD_SIGNED),
    SOURCE(impulse_scale, FIELD_POSITIVE),
    SOURCE(count, FIELD_INTEGER),
    SOURCE(patch_least, FIELD_POSITIVE),
    SOURCE(share, FIELD_SHARE),
    SOURCE(kinematic, FIELD_SIGNED),
    SOURCE(rolling_limit, FIELD_POSITIVE),
    SOURCE(rolling_impulse, FIELD_SIGNED),
};
#undef SOURCE

static const field speeds_fields[] = {
    FIELD(dry_contact_speeds, fastest, FIELD_SIGNED, NO_SIDE),
    FIELD(dry_contact_speeds, tangent, FIELD_SIGNED, NO_SIDE),
};

#define ROW(name) FIELD(dry_solver_row, name, FIELD_SIGNED, NO_SIDE)
static const field row_fields[] = {ROW(ul),           ROW(ua), ROW(dl), ROW(da), ROW(inv_sqrt_inertia),
                                   ROW(inv_sqrt_mass)};
#undef ROW

#define FRAME(name, kind) FIELD(dry_row_frame, name, kind, NO_SIDE)
static const field frame_fields[] = {
    FRAME(slope, FIELD_DOUBLE), FRAME(curve, FIELD_DOUBLE),  FRAME(before, FIELD_SIGNED),
    FRAME(force, FIELD_SIGNED), FRAME(turn, FIELD_DOUBLE),   FRAME(orientation, FIELD_UNIT),
    FRAME(ahead, FIELD_UNIT),   FRAME(turns, FIELD_BOOLEAN),
};
#undef FRAME

/* Bits: loads that are no numbers must not depend on the processor. */
static const field load_fields[] = {{"load", 0, sizeof(uint32_t), FIELD_INTEGER, NO_SIDE, 0}};

/* One of kernel_data's arrays. */
typedef struct array {
    const char *name;
    size_t offset, element_bytes;
    const field *fields;
    int field_count, count;
} array;

#define ARRAY(name, fields, count)                                                                           \
    {                                                                                                        \
#name, offsetof(kernel_data, name),                                                                  \
            sizeof((kernel_data *)0)->name[0], fields, COUNT_OF(fields), count                               \
    }
enum {
    BUNDLE_ARRAYS = 14,
    RANDOM_ARRAYS = 6,
    SPRING_ARRAY = RANDOM_ARRAYS + 1,
    QUAD_ARRAY,
    PAST_ARRAY,
    IMPACT_ARRAY,
    COMPLIANCE_ARRAY
}; /* the first of them: one element per bundle */
static const array data_arrays[] = {
    ARRAY(contact, contact_fields, DATA_BUNDLES),
    ARRAY(cold, cold_fields, DATA_BUNDLES),
    ARRAY(point, point_fields, DATA_BUNDLES),
    ARRAY(line, line_fields, DATA_BUNDLES),
    ARRAY(block, block_fields, DATA_BUNDLES),
    ARRAY(axes, axes_fields, DATA_BUNDLES),
    ARRAY(stiction, stiction_fields, DATA_BUNDLES),
    ARRAY(springs, spring_fields, DATA_BUNDLES),
    ARRAY(quad, quad_fields, DATA_BUNDLES),
    ARRAY(past, past_fields, DATA_BUNDLES),
    ARRAY(impact, impact_fields, DATA_BUNDLES),
    ARRAY(compliance, compliance_fields, DATA_BUNDLES),
    ARRAY(source, source_fields, DATA_BUNDLES),
    ARRAY(speeds, speeds_fields, DATA_BUNDLES),
    ARRAY(rows, row_fields, DATA_ROWS),
    ARRAY(sums, row_fields, DATA_ROWS),
    ARRAY(frames, frame_fields, DATA_ROWS),
    ARRAY(loads, load_fields, DATA_ROWS),
};

/* Kernels: one list of all, in the list's order. */

/* The array of kernel_data on which a kernel works; the first ones are those of dry_kind. */
typedef enum kernel_kind {
    KERNEL_POINT = DRY_KIND_POINT,
    KERNEL_LINE = DRY_KIND_LINE,
    KERNEL_BLOCK = DRY_KIND_BLOCK,
    KERNEL_AXES = DRY_KIND_AXES,
    KERNEL_QUAD = DRY_KIND_QUAD,
    KERNEL_CONTACT = DRY_KIND_CONTACT,
    KERNEL_PREPARE = DRY_KIND_COUNT
} kernel_kind;

/* The work of a kernel. */
typedef enum kernel_work {
    WORK_SWEEP, /* or prepare: KERNEL_PREPARE */
    WORK_MAKE,  /* makes rows: writes bundles */
    WORK_SLOPE  /* line search: writes frames */
} kernel_work;

/* The place of its pointer. */
typedef enum kernel_table { TABLE_ALL, TABLE_RARE, TABLE_ADDED } kernel_table;

typedef struct kernel_entry {
    const char *name;
    kernel_kind kind;
    kernel_table table;
    kernel_work work;
    size_t offset; /* in its family's table */
} kernel_entry;

static const kernel_entry all_kernels[] = {
#define X(name) {#name, KERNEL_CONTACT, TABLE_ALL, WORK_SWEEP, offsetof(dry_contact_kernels, name)},
    DRY_CONTACT_SWEEPS(X)
#undef X
#define X(name) {#name, KERNEL_CONTACT, TABLE_RARE, WORK_SWEEP, offsetof(dry_rare_contact_kernels, name)},
        DRY_RARE_CONTACT_SWEEPS(X)
#undef X
#define X(name) {#name, KERNEL_CONTACT, TABLE_ADDED, WORK_SWEEP, offsetof(dry_added_contact_kernels, name)},
            DRY_ADDED_CONTACT_SWEEPS(X)
#undef X
    /* The same kernels, told to add to the sums. */
    {"contact_solve_summed", KERNEL_CONTACT, TABLE_RARE, WORK_SWEEP,
     offsetof(dry_rare_contact_kernels, contact_solve_any)},
    {"contact_relax_summed", KERNEL_CONTACT, TABLE_RARE, WORK_SWEEP,
     offsetof(dry_rare_contact_kernels, contact_relax_any)},
    {"contact_solve_model_summed", KERNEL_CONTACT, TABLE_ADDED, WORK_SWEEP,
     offsetof(dry_added_contact_kernels, contact_solve_model)},
    {"contact_relax_model_summed", KERNEL_CONTACT, TABLE_ADDED, WORK_SWEEP,
     offsetof(dry_added_contact_kernels, contact_relax_model)},
    {"contact_prepare", KERNEL_PREPARE, TABLE_ALL, WORK_SWEEP,
     offsetof(dry_contact_kernels, contact_prepare)},
#define KERNEL(kind, KIND, sweep, SWEEP, UPDATE, table)                                                      \
    {#kind "_" #sweep, KERNEL_##KIND, table, WORK_SWEEP,                                                     \
     offsetof(dry_joint_kernels, kernel[DRY_KIND_##KIND][DRY_SWEEP_##SWEEP][DRY_UPDATE_##UPDATE])},
#define X(kind, KIND, sweep, SWEEP, UPDATE) KERNEL(kind, KIND, sweep, SWEEP, UPDATE, TABLE_ALL)
#define KIND(kind, KIND) DRY_JOINT_SWEEPS(X, kind, KIND)
    DRY_BOOK_JOINT_KINDS(KIND)
#undef KIND
#undef X
#define X(kind, KIND, sweep, SWEEP, UPDATE) KERNEL(kind, KIND, sweep, SWEEP, UPDATE, TABLE_RARE)
#define KIND(kind, KIND) DRY_RARE_JOINT_SWEEPS(X, kind, KIND)
        DRY_BOOK_JOINT_KINDS(KIND)
#undef KIND
#undef X
#define X(kind, KIND, sweep, SWEEP, UPDATE) KERNEL(kind, KIND, sweep, SWEEP, UPDATE, TABLE_ADDED)
            DRY_ADDED_JOINT_SWEEPS(X)
#undef X
#undef KERNEL
#define X(kind, KIND)                                                                                        \
    {#kind "_make", KERNEL_##KIND, TABLE_ALL, WORK_MAKE,                                                     \
     offsetof(dry_seldom_joint_kernels, make[DRY_KIND_##KIND])},
                DRY_BOOK_JOINT_KINDS(X)
#undef X
                    {"axes_keep", KERNEL_AXES, TABLE_ALL, WORK_MAKE,
                     offsetof(dry_seldom_joint_kernels, keep[DRY_KIND_AXES])},
#define X(kind, KIND)                                                                                        \
    {#kind "_slope", KERNEL_##KIND, TABLE_ALL, WORK_SLOPE,                                                   \
     offsetof(dry_seldom_joint_kernels, slope[DRY_KIND_##KIND])},
    DRY_BOOK_JOINT_KINDS(X)
#undef X
        {"quad_slope", KERNEL_QUAD, TABLE_ADDED, WORK_SLOPE,
         offsetof(dry_added_joint_kernels, slope[DRY_KIND_QUAD])},
};

/* Returns where a level's table has the pointer to a kernel. */
static inline const void *kernel_at(const kernel_entry *kernel, dry_level level)
{
    if (kernel->work != WORK_SWEEP && kernel->table != TABLE_ADDED)
        return (const char *)dry_seldom_joint_kernels_at(level) + kernel->offset;
    const void *const contacts[] = {dry_contact_kernels_at(level), dry_rare_contact_kernels_at(level),
                                    dry_added_contact_kernels_at(level)},
                      *const joints[] = {dry_joint_kernels_at(level), dry_rare_joint_kernels_at(level),
                                         dry_added_joint_kernels_at(level)};
    const bool of_contacts = kernel->kind == KERNEL_CONTACT || kernel->kind == KERNEL_PREPARE;
    return (const char *)(of_contacts ? contacts : joints)[kernel->table] + kernel->offset;
}

/* Returns whether a kernel adds its changes to the sums. */
static inline bool kernel_is_summed(const kernel_entry *kernel)
{
    return strstr(kernel->name, "_summed") != NULL;
}

/* With or without cold blocks. */
static inline void prepare_run(dry_contact_prepare *run, kernel_data *data, int begin, int end, bool cold)
{
    static const float zero[4][3][DRY_BUNDLE];
    data->prepare.rows = data->rows;
    for (int b = begin; b < end; b++) {
        const data_source *from = &data->source[b];
        dry_contact_source source;
        source.any_held = source.any_rest = source.any_turning = false;
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            source.held[lane] = (float)from->held[lane];
            source.any_held |= from->held[lane] > 0;
            source.manifold[lane] = &data->manifold[from->manifold[lane]];
            source.orientation_a[lane] = &data->orientation[from->orientation_a[lane]];
            source.orientation_b[lane] = &data->orientation[from->orientation_b[lane]];
        }
        memcpy(source.normal, from->normal, sizeof source.normal);
        memcpy(source.between, from->between, sizeof source.between);
        memcpy(source.friction, from->friction, sizeof source.friction);
        memcpy(source.compliance, from->compliance, sizeof source.compliance);
        memcpy(source.rise, from->rise, sizeof source.rise);
        memcpy(source.impulse_scale, from->impulse_scale, sizeof source.impulse_scale);
        memcpy(source.count, from->count, sizeof source.count);
        memcpy(source.patch_least, from->patch_least, sizeof source.patch_least);
        memcpy(source.share, from->share, sizeof source.share);
        memcpy(source.kinematic, from->kinematic, sizeof source.kinematic);
        memcpy(source.rolling_limit, from->rolling_limit, sizeof source.rolling_limit);
        memcpy(source.rolling_impulse, from->rolling_impulse, sizeof source.rolling_impulse);
        source.flags = b % 2 != 0 ? DRY_BUNDLE_STICTION : 0;
        if (memcmp(from->rolling_limit, zero, sizeof source.rolling_limit) != 0)
            source.flags |= DRY_BUNDLE_ROLLING;
        if (memcmp(from->kinematic, zero, sizeof zero) != 0)
            source.flags |= DRY_BUNDLE_KINEMATIC;
        run(&source, &data->contact[b], cold ? &data->cold[b] : NULL, &data->speeds[b], &data->prepare);
    }
}

/* Clears the empty lanes of a bundle: the rows that a level makes there are nobody's. */
static inline void clear_empty_lanes(kernel_data *data, const array *all, int bundle, int lanes)
{
    char *element = (char *)data + all->offset + (size_t)bundle * all->element_bytes;
    for (int f = 0; f < all->field_count; f++)
        for (size_t at = 0; at + sizeof(dry_lanes) <= all->fields[f].bytes; at += sizeof(dry_lanes))
            memset(element + all->fields[f].offset + at + 4 * (size_t)lanes, 0,
                   4 * (size_t)(DRY_BUNDLE - lanes));
}

/* Returns how many lanes of a bundle are in use; they are its last field. */
static inline int lanes_of(const kernel_data *data, const array *all, int bundle)
{
    int32_t lanes;
    const field *last = &all->fields[all->field_count - 1];
    memcpy(&lanes, (const char *)data + all->offset + (size_t)bundle * all->element_bytes + last->offset, 4);
    return lanes;
}

static inline void kernel_run(const kernel_entry *kernel, dry_level level, kernel_data *data, int begin,
                              int end)
{
    const void *slot = kernel_at(kernel, level);
    data->sweep.rows = data->rows;
    data->sweep.sums = data->sums;
    data->sweep.start = data->start;
    data->sweep.search = data->frames;
    data->sweep.loads = data->loads;
    data->sweep.headers = data->headers;
    for (int b = 0; b < DATA_BUNDLES; b++)
        data->headers[b].cold = b;
    data->sweep.cold = data->cold;
    data->sweep.impact = data->impact;
    data->sweep.compliance = data->compliance;
    data->sweep.stiction = data->stiction;
    data->sweep.springs = data->springs;
    data->sweep.past = data->past;
    data->sweep.summed = kernel_is_summed(kernel);
    if (kernel->kind == KERNEL_PREPARE) {
        dry_contact_prepare *run;
        memcpy(&run, slot, sizeof run);
        prepare_run(run, data, begin, end, true);
        return;
    }
    void *const bundles[] = {
        [KERNEL_POINT] = data->point, [KERNEL_LINE] = data->line, [KERNEL_BLOCK] = data->block,
        [KERNEL_AXES] = data->axes,   [KERNEL_QUAD] = data->quad, [KERNEL_CONTACT] = data->contact};
    if (kernel->work == WORK_MAKE) {
        data->making.rows = data->rows;
        data->making.frames = data->turning ? data->frames : NULL;
        data->making.blocks = data->block;
        dry_make_kernel *make;
        memcpy(&make, slot, sizeof make);
        make(bundles[kernel->kind], begin, end, &data->making);
        static const int arrays[] = {
            [KERNEL_POINT] = 2, [KERNEL_LINE] = 3, [KERNEL_BLOCK] = 4, [KERNEL_AXES] = 5};
        for (int b = begin; b < end; b++) {
            const array *all = &data_arrays[arrays[kernel->kind]];
            clear_empty_lanes(data, all, b, lanes_of(data, all, b));
            if (kernel->kind == KERNEL_AXES) /* which may share it */
                clear_empty_lanes(data, &data_arrays[4], b, lanes_of(data, &data_arrays[4], b));
        }
        return;
    }
    dry_sweep_kernel *run;
    memcpy(&run, slot, sizeof run);
    run(bundles[kernel->kind], begin, end, &data->sweep);
}

/* Comparison. */

static inline bool word_is_nan(uint32_t word)
{
    return (word & 0x7fffffffu) > 0x7f800000u;
}

/* The processor chooses the NaN of an operation, and no later result depends on the choice. */
static inline bool same_word(uint32_t a, uint32_t b, field_kind kind)
{
    return a == b || (kind != FIELD_INTEGER && word_is_nan(a) && word_is_nan(b));
}

/* The same of the double precision number that a word is part of. */
static inline bool same_double(const char *a, const char *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return memcmp(a, b, sizeof x) == 0 || (isnan(x) && isnan(y));
}

/* True, and nothing printed, if elements [begin, end) are the same; of all arrays or the one named. */
static inline bool data_same(const kernel_data *a, const kernel_data *b, const char *only, int begin, int end)
{
    for (int k = 0; k < COUNT_OF(data_arrays); k++) {
        const array *all = &data_arrays[k];
        if (only && strcmp(only, all->name) != 0)
            continue;
        for (int i = begin; i < end && i < all->count; i++) {
            size_t at = all->offset + (size_t)i * all->element_bytes;
            if (memcmp((const char *)a + at, (const char *)b + at, all->element_bytes) == 0)
                continue;
            for (int f = 0; f < all->field_count; f++)
                for (size_t w = 0; w < all->fields[f].bytes; w += 4) {
                    uint32_t x = 0, y = 0;
                    const size_t bytes = all->fields[f].kind == FIELD_BOOLEAN ? 1 : 4;
                    size_t word = at + all->fields[f].offset + w;
                    if (all->fields[f].kind == FIELD_DOUBLE &&
                        same_double((const char *)a + word - w % 8, (const char *)b + word - w % 8))
                        continue;
                    memcpy(&x, (const char *)a + word, bytes);
                    memcpy(&y, (const char *)b + word, bytes);
                    if (same_word(x, y, all->fields[f].kind))
                        continue;
                    float fx, fy;
                    memcpy(&fx, &x, 4);
                    memcpy(&fy, &y, 4);
                    print_error("%s[%d].%s, number %d of its lanes: expected %08x (%a), found %08x (%a)\n",
                                all->name, i, all->fields[f].name, (int)(w / 4), x, (double)fx, y,
                                (double)fy);
                    return false;
                }
        }
    }
    return true;
}

static inline bool data_all_same(const kernel_data *a, const kernel_data *b)
{
    return data_same(a, b, NULL, 0, DATA_ROWS > DATA_BUNDLES ? DATA_ROWS : DATA_BUNDLES);
}

#endif
