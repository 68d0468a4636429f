/* The rows of a contact: normals and lever arms of its bundle, or when its surfaces meet. Reads a bundle. */
#define DRY_LANES 1
#define DRY_LANE_DOUBLE
#include "solver/sweeps/contacts/lane_rows.h"

#include "solver/bodies/gather.h"
#include "solver/constraint/contacts/frame.h"

#include <float.h>
#include <stdbool.h>

/* The geometry of a contact in the bundle's frame. Lever arms and normal of the bundle are those of the
 * step's beginning. Where b's center has moved by a shift relative to a's, both lever arms must lead to one
 * point again: else an impulse would change the pair's angular momentum. */
typedef struct contact_geometry {
    contact_frame frame; /* the bundle's */
    lane_vec3 axis[3];   /* the tangents and the normal */
    lane_vec3 arm[2];
} contact_geometry;

/* Returns true if the lever arm is along the normal, as a sphere's is: the cosine between them is 1. */
static bool is_central(lane_vec3 r)
{
    return r.x * r.x + r.y * r.y <= FLT_EPSILON * r.z * r.z;
}

/* Turns normal and lever arms of two spheres to the line of their centers. */
static void turn_to_centers(contact_geometry *g, lane_vec3 shift)
{
    const lane_vec3 between = lane_vec3_add(lane_vec3_sub(g->arm[0], g->arm[1]), shift);
    const double length = sqrt(lane_vec3_dot(between, between));
    const double scale = length / (g->arm[0].z - g->arm[1].z);
    const lane_vec3 n = lane_vec3_scale(between, 1.0 / length);
    for (int side = 0; side < 2; side++)
        g->arm[side] = lane_vec3_scale(n, g->arm[side].z * scale);
    const lane_vec3 tangent = lane_vec3_sub_scaled(g->axis[T1], n.x, n);
    g->axis[T1] = lane_vec3_scale(tangent, 1.0 / sqrt(lane_vec3_dot(tangent, tangent)));
    g->axis[T2] = lane_vec3_cross(n, g->axis[T1]);
    g->axis[N] = n;
}

static contact_geometry find_geometry(dry_contact_bundle *c, int at, lane_vec3 shift)
{
    contact_geometry g = {contact_frame_of_normal(field_load3(c->normal, at)),
                          {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                          {field_load3(c->lever_arm_a, at), field_load3(c->lever_arm_b, at)}};
    const bool fixed[2] = {c->row_a[at] == 0, c->row_b[at] == 0}, patch = c->inverse_mass[1][at] > 0.0f;
    const bool central[2] = {!patch && is_central(g.arm[0]), !patch && is_central(g.arm[1])};
    const bool shifts = lane_vec3_dot(shift, shift) > 0.0;
    if (shifts && !fixed[0] && !fixed[1] && central[0] && central[1] && g.arm[0].z > g.arm[1].z) {
        turn_to_centers(&g, shift);
        return g;
    }
    /* A fixed body takes the whole shift, and so does the partner of a sphere, whose own lever arm stays
     * along the normal. */
    double share = 0.5;
    if (fixed[0] || fixed[1])
        share = fixed[0] ? 1.0 : 0.0;
    else if (central[0] != central[1])
        share = central[0] ? 0.0 : 1.0;
    g.arm[0] = lane_vec3_add_scaled(g.arm[0], share, shift);
    g.arm[1] = lane_vec3_sub_scaled(g.arm[1], 1.0 - share, shift);
    return g;
}

/* Writes one body's half of a row from an impulse and its torque, in the bundle's frame. */
static void set_half(dry_contact_bundle *c, const contact_frame *frame, int side, double root,
                     lane_vec3 impulse, lane_vec3 torque, double half[6], int at)
{
    const lane_vec3 world = contact_frame_to_world(frame, impulse);
    dry_lanes(*axis)[3] = side ? c->axis_b : c->axis_a;
    lane_vec3 turn = lane_vec3_scale(field_load3(axis[T1], at), torque.x);
    turn = lane_vec3_add_scaled(turn, torque.y, field_load3(axis[T2], at));
    turn = lane_vec3_add_scaled(turn, torque.z, field_load3(axis[N], at));
    const double sign = side ? 1.0 : -1.0;
    half[0] = sign * root * world.x, half[1] = sign * root * world.y, half[2] = sign * root * world.z;
    half[3] = sign * turn.x, half[4] = sign * turn.y, half[5] = sign * turn.z;
}

void dry_contact_find_rows(dry_contact_bundle *c, int at, const double root[2], const double shift[3],
                           dry_coupled_rows *rows)
{
    const contact_geometry g = find_geometry(c, at, (lane_vec3){shift[0], shift[1], shift[2]});
    *rows = (dry_coupled_rows){.row = {c->row_a[at], c->row_b[at]}, .count = ROWS};
    for (int side = 0; side < 2; side++) {
        double last_x = 0.0, last_y = 0.0;
        for (int i = 0; i < ROWS; i++) {
            const int axis = i < POINTS ? N : i < TORSION ? i - TANGENT : i == TORSION ? N : i - ROLLING;
            lane_vec3 impulse = g.axis[axis], arm = g.arm[side];
            if (i < POINTS) {
                const double x = i < 3 ? (double)c->offset[i][0][at] : last_x;
                const double y = i < 3 ? (double)c->offset[i][1][at] : last_y;
                last_x -= x, last_y -= y;
                if (!(c->inverse_mass[i][at] > 0.0f))
                    continue;
                arm = lane_vec3_add_scaled(arm, x, g.axis[T1]);
                arm = lane_vec3_add_scaled(arm, y, g.axis[T2]);
            }
            lane_vec3 torque = lane_vec3_cross(arm, impulse);
            if (i >= TORSION)
                torque = impulse, impulse = lane_vec3_zero();
            set_half(c, &g.frame, side, root[side], impulse, torque, rows->g[i] + 6 * side, at);
        }
    }
}
