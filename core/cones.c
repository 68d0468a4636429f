/* Newton's method for springs with cones. */
#include "core/cones.h"

#include "core/double3.h"

#include <string.h>

/* Finds a cone's force, what it leaves of the loads, and its terms of the matrix. */
static void press(dry_cones *c, dry_cone *g, bool with_matrix)
{
    double p[3] = {0.0, 0.0, 0.0}, way[12];
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 3 && g->block[i / 6] >= 0; k++)
            p[k] -= (double)g->way[k][i] * c->at[6 * g->block[i / 6] + i % 6];
    const double size = sqrt(p[1] * p[1] + p[2] * p[2]);
    const bool sticks = p[0] >= 0.0 && size <= g->friction * p[0];
    const bool slides = !sticks && g->friction * size > -p[0];
    const double mu = slides ? g->friction : 0.0, share = 1.0 / (1.0 + mu * mu);
    const double x = slides ? p[1] / size : 1.0, y = slides ? p[2] / size : 0.0;
    /* The force of one that slides follows a line of the cone, and turns with the displacement. */
    const double axis[3][3] = {{1.0, mu * x, mu * y}, {0.0, -y, x}, {0.0, x, y}};
    const double turns = slides ? mu * share * (p[0] + mu * size) / size : 0.0;
    const double stiffness[3] = {sticks || slides ? share : 0.0, sticks ? 1.0 : turns, sticks ? 1.0 : 0.0};
    memset(g->force, 0, sizeof g->force);
    for (int k = 0; k < 3 && stiffness[k] > 0.0; k++) {
        const double *to = axis[k], force = stiffness[k] * (to[0] * p[0] + to[1] * p[1] + to[2] * p[2]);
        for (int i = 0; i < 3; i++)
            g->force[i] += force * to[i];
        for (int i = 0; i < 12; i++) {
            way[i] =
                to[0] * (double)g->way[0][i] + to[1] * (double)g->way[1][i] + to[2] * (double)g->way[2][i];
            if (g->block[i / 6] >= 0)
                c->left[6 * g->block[i / 6] + i % 6] += force * way[i];
        }
        if (with_matrix)
            dry_envelope_add(&c->blocks, g->block, way, stiffness[k]);
    }
}

/* Finds what all forces leave, and the matrix. Returns its work along Newton's step. */
static double press_all(dry_cones *c, bool with_matrix)
{
    double work = 0.0;
    memcpy(c->left, c->load, 6 * (size_t)c->blocks.count * sizeof *c->left);
    for (int k = 0; k < c->count; k++)
        press(c, &c->cone[k], with_matrix);
    for (int i = 0; i < 6 * c->blocks.count; i++)
        work += c->left[i] * c->to[i];
    return work;
}

/* Tells whether less than a small part of each block's load is left. */
static bool is_balanced(const dry_cones *c)
{
    enum { SMALL = 1 << 14 };
    for (int i = 0; i < 6 * c->blocks.count; i++) {
        double load = 0.0;
        for (int k = i - i % 6; k < i - i % 6 + 6; k++)
            load += c->load[k] * c->load[k];
        if (!(c->left[i] * c->left[i] * SMALL * SMALL < load))
            return false;
    }
    return true;
}

bool dry_cones_balance(dry_cones *c, int steps)
{
    enum { TRIES_MAX = 20, HELD = 1 << 30 };
    const int n = 6 * c->blocks.count;
    /* A small part of a spring holds the bodies that no cone holds. It does most of a step's work where no
     * forces balance. */
    for (int loose = 0; steps > 0 && loose < 3; steps--) {
        dry_envelope_clear(&c->blocks, 1.0 / HELD);
        press_all(c, true);
        if (is_balanced(c))
            return true;
        dry_envelope_solve(&c->blocks, c->left, c->to);
        double work = 0.0, held = 0.0, share = 1.0;
        for (int i = 0; i < n; i++) {
            work += c->left[i] * c->to[i];
            held += c->to[i] * c->to[i] / HELD;
            c->at[i] += c->to[i];
        }
        loose = 4.0 * held > 3.0 * work ? loose + 1 : 0;
        for (int k = 0; k < TRIES_MAX; k++) {
            const double now = 4.0 * press_all(c, false);
            if (now > -work && (now < work || k == 0))
                break;
            share *= 0.5;
            for (int i = 0; i < n; i++)
                c->at[i] += (now < 0.0 ? -share : share) * c->to[i];
        }
    }
    return false;
}
