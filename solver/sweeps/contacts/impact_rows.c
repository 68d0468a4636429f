/* The rows of an impact: normals and lever arms when the surfaces meet. Reads a bundle, and the frames of
 * bodies that turn. Next: impact.c. */
#include "solver/sweeps/contacts/impact_rows.h"

#include "solver/bodies/turned.h"
#include "solver/data/context.h"

#include <math.h>
#include <stdbool.h>

static void cross3(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

void dry_impact_frame(const dry_contact_bundle *c, int lane, double frame[3][3])
{
    const double x = (double)c->normal[0][lane], y = (double)c->normal[1][lane],
                 z = (double)c->normal[2][lane];
    const double sign = z < 0.0 ? -1.0 : 1.0, r = 1.0 / (1.0 + fabs(z));
    const double axes[3][3] = {{1.0 - x * x * r, -x * y * r, -sign * x},
                               {-sign * x * y * r, sign * (1.0 - y * y * r), -y},
                               {x, y, z}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            frame[k][i] = axes[k][i];
}

/* The geometry of a contact when its surfaces meet, in the bundle's frame. Lever arms and normal of the
 * bundle are those of the step's beginning. Meanwhile b's center has moved by a shift relative to a's: unless
 * both lever arms lead to one point again, the impulse would change the pair's angular momentum. */
typedef struct impact_geometry {
    double frame[3][3];
    double axis[3][3]; /* the tangents and the normal of the impact */
    double lever[2][3];
    double root[2];  /* 1 / sqrt(m) */
    double at[4][2]; /* the points, from the patch's center along the tangents */
} impact_geometry;

/* Returns true if the lever arm is along the normal, as a sphere's is. */
static bool is_central(const double r[3])
{
    return r[0] * r[0] + r[1] * r[1] <= 1e-8 * r[2] * r[2];
}

/* Turns normal and lever arms of two spheres to the line of their centers. */
static void turn_to_centers(impact_geometry *g, const double shift[3])
{
    double between[3];
    for (int i = 0; i < 3; i++)
        between[i] = g->lever[0][i] - g->lever[1][i] + shift[i];
    const double length = sqrt(dry_dot3(between, between));
    const double scale = length / (g->lever[0][2] - g->lever[1][2]);
    for (int i = 0; i < 3; i++)
        g->axis[2][i] = between[i] / length;
    for (int side = 0; side < 2; side++) {
        const double along = g->lever[side][2] * scale;
        for (int i = 0; i < 3; i++)
            g->lever[side][i] = along * g->axis[2][i];
    }
    /* Tangents across the new normal. */
    const double out = dry_dot3(g->axis[0], g->axis[2]);
    for (int i = 0; i < 3; i++)
        g->axis[0][i] -= out * g->axis[2][i];
    const double size = sqrt(dry_dot3(g->axis[0], g->axis[0]));
    for (int i = 0; i < 3; i++)
        g->axis[0][i] /= size;
    cross3(g->axis[2], g->axis[0], g->axis[1]);
}

/* Splits the shift between the lever arms. A fixed body takes it all, and so does the partner of a sphere,
 * whose own lever arm stays along the normal. */
static void split_shift(const dry_contact_bundle *c, int lane, impact_geometry *g, const double shift[3])
{
    const bool central[2] = {is_central(g->lever[0]), is_central(g->lever[1])};
    const bool fixed[2] = {c->row_a[lane] == 0, c->row_b[lane] == 0};
    double share = 0.5;
    if (fixed[0] || fixed[1])
        share = fixed[0] ? 1.0 : 0.0;
    else if (central[0] != central[1])
        share = central[0] ? 0.0 : 1.0;
    for (int i = 0; i < 3; i++) {
        g->lever[0][i] += share * shift[i];
        g->lever[1][i] -= (1.0 - share) * shift[i];
    }
}

static void find_geometry(const dry_contact_bundle *c, int lane, const double shift[3], impact_geometry *g)
{
    dry_impact_frame(c, lane, g->frame);
    double last[2] = {0.0, 0.0};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            g->at[i][k] = i < 3 ? (double)c->offset[i][k][lane] : last[k];
            last[k] -= g->at[i][k];
        }
    for (int i = 0; i < 3; i++) {
        g->lever[0][i] = (double)c->lever_arm_a[i][lane];
        g->lever[1][i] = (double)c->lever_arm_b[i][lane];
        for (int k = 0; k < 3; k++)
            g->axis[i][k] = i == k ? 1.0 : 0.0;
    }
    const bool fixed = c->row_a[lane] == 0 || c->row_b[lane] == 0;
    if (!fixed && is_central(g->lever[0]) && is_central(g->lever[1]) && g->lever[0][2] > g->lever[1][2])
        turn_to_centers(g, shift);
    else
        split_shift(c, lane, g, shift);
}

/* Writes one body's half of a row from an impulse and its torque, in the bundle's frame. */
static void set_half(const dry_contact_bundle *c, int lane, const impact_geometry *geometry, int side,
                     const double impulse[3], const double torque[3], double g[12])
{
    const dry_lanes(*axis)[3] = (const dry_lanes(*)[3])(side ? c->axis_b : c->axis_a);
    const double root = geometry->root[side], sign = side ? 1.0 : -1.0;
    for (int i = 0; i < 3; i++) {
        double linear = 0.0, angular = 0.0;
        for (int k = 0; k < 3; k++) {
            linear += impulse[k] * geometry->frame[k][i];
            angular += torque[k] * (double)axis[k][i][lane];
        }
        g[6 * side + i] = sign * root * linear;
        g[6 * side + 3 + i] = sign * angular;
    }
}

static void find_side(const dry_contact_bundle *c, int lane, const impact_geometry *g, int side,
                      dry_impact_rows *rows)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    double torque[3];
    for (int i = 0; i < rows->points; i++) {
        double arm[3];
        for (int k = 0; k < 3; k++)
            arm[k] = g->lever[side][k] + g->at[i][0] * g->axis[0][k] + g->at[i][1] * g->axis[1][k];
        cross3(arm, g->axis[2], torque);
        set_half(c, lane, g, side, g->axis[2], torque, rows->g[i]);
    }
    for (int k = 0; k < 2; k++) {
        cross3(g->lever[side], g->axis[k], torque);
        set_half(c, lane, g, side, g->axis[k], torque, rows->g[DRY_IMPACT_TANGENT + k]);
    }
    set_half(c, lane, g, side, none, g->axis[2], rows->g[DRY_IMPACT_TORSION]);
}

/* Takes a body's half of the rows from the frame of its bundle to that of the substep. */
static void turn_side(const dry_solver_step *step, int32_t row, int side, dry_impact_rows *rows)
{
    const dry_turned_row *turned = row > 0 ? dry_turned_of(step, row - 1) : NULL;
    for (int i = 0; turned && i < DRY_IMPACT_ROWS; i++) {
        if (i >= rows->points && i < DRY_IMPACT_TANGENT)
            continue;
        double *angular = rows->g[i] + 6 * side + 3;
        float g[3] = {(float)angular[0], (float)angular[1], (float)angular[2]};
        dry_turned_row_in(turned, &step->state->bodies.rows[row], g);
        for (int k = 0; k < 3; k++)
            angular[k] = (double)g[k];
    }
}

void dry_impact_rows_find(const dry_solver_step *step, const dry_contact_bundle *c, int lane,
                          const double root[2], const double shift[3], dry_impact_rows *rows)
{
    impact_geometry g = {.root = {root[0], root[1]}};
    find_geometry(c, lane, shift, &g);
    rows->points = 0;
    while (rows->points < 4 && c->inverse_mass[rows->points][lane] > 0.0f)
        rows->points++;
    find_side(c, lane, &g, 0, rows);
    find_side(c, lane, &g, 1, rows);
    if (step->state->bodies.turned_count > 0) {
        turn_side(step, c->row_a[lane], 0, rows);
        turn_side(step, c->row_b[lane], 1, rows);
    }
}
