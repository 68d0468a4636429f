/* Makes scenes of linkages, trees and lattices of joints, most of them after [Tomcin]. The comment of each
 * says how many rows its joints have and how many of them are redundant.
 *
 * Writes a dry_scene through links.h. */
#include "tools/scenes/linkages.h"

#include "tools/scenes/links.h"

#include <math.h>

#define GRAVITY 9.81

/* Makes a row of flaps, each on two ball joints that make a hinge [Tomcin Fig. 1a]: 6 rows of rank 5 each.
 * All anchors are exact. The flaps begin level and fall. */
void dry_make_ball_hinge(maker *m, int size)
{
    dry_link before = DRY_WORLD_LINK;
    for (int i = 0; i < size; i++) {
        const dry_link flap =
            dry_link_add(m, NULL, DRY_BODY_DYNAMIC, (dry_point){i + 0.5, 0.0, 0.0}, DRY_UPRIGHT);
        dry_link_shape(m, box_of(0.4375f, 0.0625f, 0.375f), (dry_point){0}, -1);
        for (int side = -1; side <= 1; side += 2)
            dry_link_ball(m, &before, &flap, (dry_point){(double)i, 0.0, 0.25 * side});
        before = flap;
    }
}

/* Makes Peaucellier-Lipkin linkages side by side [Tomcin Fig. 3], each of 7 bars and 10 hinges about z: 50
 * rows, 9 of them redundant, and one degree of freedom. Two arms of 4 m hang from O. Four bars of 2 m make a
 * rhombus A C B D on the arms' ends A and B. The crank of 1.5 m holds C to Q, 1.5 m below O, so that C stays
 * on a circle through O. Its inverse by |OC| |OD| = 4^2 - 2^2 m^2 is a line: the pen D stays on y = -4 m. All
 * lengths are exact.
 *
 * While D hangs below O, |OC| is at its largest, and all bars but the crank rotate about O as one body, at w;
 * the crank rotates about Q at 2 w. The linkage is singular where |OC| = 4 - 2 m, which is where OD has swung
 * by acos(2/3): sin^2 = 5/9. The heights of the bars' centers give a gain of m_g g sin^2 in potential energy,
 * m_g = 129.6 kg, and the kinetic energy at the start is I w^2 / 2, I = 997.4 kg m^2. So w = 1.1895 rad/s
 * ends the swing at sin^2 = 0.5550. */
void dry_make_peaucellier(maker *m, int size)
{
    const double w = 1.1895, across = sqrt(3.75); /* A is 4 m from O and 2 m from C and D */
    m->scene->dt = 0.03f;
    for (int i = 0; i < size; i++) {
        const double z = i;
        const dry_point o = {0.0, 0.0, z}, q = {0.0, -1.5, z}, c = {0.0, -3.0, z}, d = {0.0, -4.0, z};
        const dry_point a = {-across, -3.5, z}, b = {across, -3.5, z};
        const dry_point ends[DRY_PEAUCELLIER_BARS][2] = {
            [DRY_BAR_ARM_LEFT] = {o, a},    [DRY_BAR_ARM_RIGHT] = {o, b}, [DRY_BAR_INNER_LEFT] = {a, c},
            [DRY_BAR_INNER_RIGHT] = {b, c}, [DRY_BAR_PEN] = {a, d},       [DRY_BAR_OUTER_RIGHT] = {b, d},
            [DRY_BAR_CRANK] = {q, c},
        };
        dry_link bars[DRY_PEAUCELLIER_BARS];
        for (int k = 0; k < DRY_PEAUCELLIER_BARS; k++) {
            const bool crank = k == DRY_BAR_CRANK;
            bars[k] = dry_link_bar(m, ends[k][0], ends[k][1], 0.04, -1 - i);
            dry_link_spin(m, &bars[k], crank ? q : o, (dry_point){0.0, 0.0, crank ? 2.0 * w : w});
        }
        const dry_link world = DRY_WORLD_LINK;
        dry_link_hinge(m, &world, &bars[DRY_BAR_ARM_LEFT], o);
        dry_link_hinge(m, &world, &bars[DRY_BAR_ARM_RIGHT], o);
        dry_link_hinge(m, &world, &bars[DRY_BAR_CRANK], q);
        dry_link_hinge(m, &bars[DRY_BAR_ARM_LEFT], &bars[DRY_BAR_INNER_LEFT], a);
        dry_link_hinge(m, &bars[DRY_BAR_ARM_LEFT], &bars[DRY_BAR_PEN], a);
        dry_link_hinge(m, &bars[DRY_BAR_ARM_RIGHT], &bars[DRY_BAR_INNER_RIGHT], b);
        dry_link_hinge(m, &bars[DRY_BAR_ARM_RIGHT], &bars[DRY_BAR_OUTER_RIGHT], b);
        dry_link_hinge(m, &bars[DRY_BAR_INNER_LEFT], &bars[DRY_BAR_INNER_RIGHT], c);
        dry_link_hinge(m, &bars[DRY_BAR_INNER_LEFT], &bars[DRY_BAR_CRANK], c);
        dry_link_hinge(m, &bars[DRY_BAR_PEN], &bars[DRY_BAR_OUTER_RIGHT], d);
    }
}

/* Makes a scissor lift [Tomcin Fig. 6a]. A segment has two pairs of crossed bars of 1 m and, across both
 * pairs, two axles at its top: 6 bodies, 10 hinges, 50 rows. The lowest left ends are hinged to the world,
 * the right ones to a carriage on a slider (5 rows). A lift has one degree of freedom beside the rotations of
 * its 2 n axles: of its 50 n + 5 rows 16 n are redundant.
 *
 * The bars rotate at w, with sine 0.6 and cosine 0.8 at the start. A motor draws the carriage in at 0.6 w, up
 * to a stop, and the top rises at 0.8 m/s at the start. */
void dry_make_scissor(maker *m, int size)
{
    const double half = 0.4, rise = 0.6, side_z = 0.25, w = 1.0 / size;
    const dry_link world = DRY_WORLD_LINK;
    dry_link left = world;
    dry_link right = dry_link_add(m, "carriage", DRY_BODY_DYNAMIC, (dry_point){half, 0.0, 0.0}, DRY_UPRIGHT);
    dry_link_shape(m, box_of(0.04f, 0.04f, 0.3125f), (dry_point){0}, -1);
    dry_link_move(m, &right, (dry_point){-0.6 * w, 0.0, 0.0}, (dry_point){0});
    dry_joint_def slider = dry_default_joint_def(DRY_JOINT_SLIDER);
    slider.axes[DRY_AXIS_X].motor = DRY_MOTOR_VELOCITY;
    slider.axes[DRY_AXIS_X].velocity = (float)(-0.6 * w);
    slider.axes[DRY_AXIS_X].force_max = 200.0f * (float)size * (float)size; /* the weight takes 73 n^2 N */
    slider.axes[DRY_AXIS_X].min = -0.2f;
    dry_link_join(m, slider, &world, &right, right.at, DRY_UPRIGHT);
    for (int i = 0; i < size; i++) {
        const double low = rise * i, high = rise * (i + 1);
        dry_link axles[2], bars[2][2];
        for (int k = 0; k < 2; k++) { /* left, right */
            axles[k] = dry_link_add(m, NULL, DRY_BODY_DYNAMIC, (dry_point){k ? half : -half, high, 0.0},
                                    DRY_UPRIGHT);
            dry_link_shape(m, box_of(0.03f, 0.03f, 0.3125f), (dry_point){0}, -1);
            dry_link_move(m, &axles[k], (dry_point){k ? -0.6 * w : 0.0, 0.8 * w * (i + 1), 0.0},
                          (dry_point){0});
        }
        for (int side = 0; side < 2; side++) {
            const double z = side ? side_z : -side_z;
            for (int k = 0; k < 2; k++) { /* from the left end up, from the right end up */
                const double x = k ? half : -half;
                const dry_point from = {x, low, z}, to = {-x, high, z};
                bars[side][k] = dry_link_bar(m, from, to, 0.02, -1);
                dry_link_move(m, &bars[side][k], (dry_point){-0.3 * w, 0.8 * w * (i + 0.5), 0.0},
                              (dry_point){0.0, 0.0, k ? -w : w});
                dry_link_hinge(m, k ? &right : &left, &bars[side][k], from);
                dry_link_hinge(m, &axles[1 - k], &bars[side][k], to);
            }
            dry_link_hinge(m, &bars[side][0], &bars[side][1], (dry_point){0.0, 0.5 * (low + high), z});
        }
        left = axles[0];
        right = axles[1];
    }
}

/* Makes a chain of links of 1 kg on ball joints, with a load of 1,000 kg at its end. It begins straight below
 * its pivot and rotates about it as one body, so as to swing by some 0.2 rad. */
void dry_make_chain(maker *m, int size)
{
    const double pitch = 0.25, load_half = 0.5;
    const double w = 0.2 * sqrt(GRAVITY / (pitch * size + load_half));
    const dry_point pivot = {0.0, 0.0, 0.0};
    dry_link before = DRY_WORLD_LINK;
    for (int i = 0; i <= size; i++) {
        const double top = -pitch * i, down = i < size ? 0.5 * pitch : load_half;
        const dry_link link =
            dry_link_add(m, NULL, DRY_BODY_DYNAMIC, (dry_point){0.0, top - down, 0.0}, DRY_UPRIGHT);
        dry_link_shape(m, i < size ? box_of(0.02f, 0.1f, 0.02f) : box_of(0.5f, 0.5f, 0.5f), (dry_point){0},
                       -1);
        dry_link_mass(m, &link, i < size ? 1.0 : 1000.0);
        dry_link_spin(m, &link, pivot, (dry_point){0.0, 0.0, w});
        dry_link_ball(m, &before, &link, (dry_point){0.0, top, 0.0});
        before = link;
    }
}

/* Makes a spider [Tomcin Fig. 5a]: a square plate with legs on ball joints along its four edges, 3 rows a
 * leg, dropped by 0.4 m. */
void dry_make_spider(maker *m, int size)
{
    const double pitch = 0.125, height = 1.25;
    const int across = (size + 3) / 4;
    const double half = fmax(0.25, 0.5 * pitch * across);
    add_floor(m, half + 5.0, half + 5.0);
    const dry_link plate =
        dry_link_add(m, "plate", DRY_BODY_DYNAMIC, (dry_point){0.0, height, 0.0}, DRY_UPRIGHT);
    dry_link_shape(m, box_of((float)half, 0.0625f, (float)half), (dry_point){0}, -1);
    for (int i = 0; i < size; i++) {
        static const int out[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
        const double x = out[i % 4][0], z = out[i % 4][1], along = pitch * (i / 4 - 0.5 * (across - 1));
        const dry_point hip = {half * x + along * z, height, half * z - along * x};
        const dry_point foot = {hip.x + 0.6 * x, height - 0.8, hip.z + 0.6 * z};
        const dry_link leg = dry_link_bar(m, hip, foot, 0.03, -1);
        dry_link_ball(m, &plate, &leg, hip);
    }
}

/* Makes a binary tree of bars [Tomcin Fig. 5b], a mobile: each bar has a bar below each of its ends, down to
 * `size` levels below the first one. The tree rotates about its pivot as one body. */
void dry_make_tree(maker *m, int size)
{
    const dry_point drop = {0.0, -0.5, 0.0}, pivot = {0.0, 0.0, 0.0};
    const int first = m->scene->body_count;
    for (int level = 0; level <= size; level++) {
        const double half = 0.25 * (double)(1 << ((size - level + 1) / 2));
        /* Bars lie along x and z in turn; every second level up they are twice as long. */
        const bool along_x = level % 2 == 0;
        for (int i = 0; i < 1 << level; i++) {
            dry_link parent = DRY_WORLD_LINK;
            dry_point hook = pivot;
            if (level > 0) {
                if (m->failed)
                    return;
                parent.body = first + (1 << (level - 1)) - 1 + i / 2;
                const dry_scene_body *body = &m->scene->bodies[parent.body];
                parent.at = (dry_point){body->def.pose.position.x, body->def.pose.position.y,
                                        body->def.pose.position.z};
                const double out = (i % 2 ? 0.25 : -0.25) * (double)(1 << ((size - level + 2) / 2));
                hook = dry_point_add(parent.at,
                                     along_x ? (dry_point){0.0, 0.0, out} : (dry_point){out, 0.0, 0.0});
            }
            const dry_link bar =
                dry_link_add(m, NULL, DRY_BODY_DYNAMIC, dry_point_add(hook, drop), DRY_UPRIGHT);
            dry_link_shape(m, box_of(along_x ? (float)half : 0.04f, 0.04f, along_x ? 0.04f : (float)half),
                           (dry_point){0}, -1);
            dry_link_spin(m, &bar, pivot, (dry_point){0.0, 0.25, 0.0});
            dry_link_ball(m, &parent, &bar, hook);
        }
    }
}

/* Makes a long lever [Tomcin Fig. 1d]: a rod of 5 m and 50 kg hinged to a static mount, with a heavy block
 * hinged below its far end. The rod falls onto the mount's knob, 0.5 m from the pivot, where an impulse moves
 * almost nothing but the rod. 10 rows. `size` is the block's mass. */
void dry_make_lever(maker *m, int size)
{
    const dry_point pivot = {0.0, 0.0, 0.0}, end = {4.8, 1.4, 0.0};
    const dry_link mount = dry_link_add(m, "mount", DRY_BODY_STATIC, pivot, DRY_UPRIGHT);
    dry_shape_def knob = shape_of(DRY_SHAPE_SPHERE);
    knob.radius = 0.125f;
    dry_link_shape(m, knob, (dry_point){0.5, -0.1875, 0.0}, 0); /* the rod is 0.125 m thick */
    const dry_link rod = dry_link_bar(m, pivot, end, 0.0625, 0);
    dry_link_mass(m, &rod, 50.0);
    const dry_link block = dry_link_add(m, "block", DRY_BODY_DYNAMIC,
                                        dry_point_add(end, (dry_point){0.0, -1.0, 0.0}), DRY_UPRIGHT);
    dry_link_shape(m, box_of(0.75f, 0.75f, 0.75f), (dry_point){0}, 0);
    dry_link_mass(m, &block, (double)size);
    dry_link_hinge(m, &mount, &rod, pivot);
    if (!m->failed)
        m->scene->joints[m->scene->joint_count - 1].def.collide = true;
    dry_link_hinge(m, &rod, &block, end);
}

/* Makes parallelograms that swing below the world: three equal rockers of 1 m and a coupler, 4 bodies and 6
 * hinges, 30 rows. The third rocker is redundant, in its plane too: with it, 7 rows are. The middle rocker of
 * the first parallelogram is 1 % too long, so that no pose closes all its hinges. */
void dry_make_four_bar(maker *m, int size)
{
    const dry_link world = DRY_WORLD_LINK;
    for (int i = 0; i < size; i++) {
        const double z = i, w = 2.0;
        const dry_link coupler =
            dry_link_add(m, NULL, DRY_BODY_DYNAMIC, (dry_point){0.0, -1.0, z}, DRY_UPRIGHT);
        dry_link_shape(m, box_of(1.0f, 0.04f, 0.04f), (dry_point){0}, -1 - i);
        dry_link_move(m, &coupler, (dry_point){w, 0.0, 0.0}, (dry_point){0});
        for (int k = -1; k <= 1; k++) {
            const dry_point top = {(double)k, 0.0, z}, end = {(double)k, -1.0, z};
            const bool wrong = i == 0 && k == 0;
            const dry_link rocker =
                dry_link_bar(m, top, wrong ? (dry_point){0.0, -1.01, z} : end, 0.04, -1 - i);
            dry_link_spin(m, &rocker, top, (dry_point){0.0, 0.0, w});
            dry_link_hinge(m, &world, &rocker, top);
            dry_link_hinge(m, &rocker, &coupler, end);
            if (wrong && !m->failed)
                m->scene->joints[m->scene->joint_count - 1].def.anchor_a = (dry_vec3){0.505f, 0.0f, 0.0f};
        }
    }
}

/* Adds a node of a lattice: a ball at which bars meet. */
static dry_link add_node(maker *m, dry_body_type type, dry_point at)
{
    const dry_link node = dry_link_add(m, NULL, type, at, DRY_UPRIGHT);
    dry_shape_def ball = shape_of(DRY_SHAPE_SPHERE);
    ball.radius = 0.04f;
    dry_link_shape(m, ball, (dry_point){0}, -1);
    return node;
}

static dry_link add_strut(maker *m, const dry_link *from, const dry_link *to)
{
    const dry_link bar = dry_link_bar(m, from->at, to->at, 0.015, -1);
    dry_link_ball(m, from, &bar, from->at);
    dry_link_ball(m, to, &bar, to->at);
    return bar;
}

/* Makes a tube of rings that hangs from a static ring. A ring has 6 nodes and 18 bars on ball joints: 6
 * around it, 6 up and 6 aslant to the ring before; 24 bodies, 108 rows. Triangles make the tube rigid without
 * any redundant row; only bars and nodes turn about themselves. */
void dry_make_tube(maker *m, int size)
{
    const double pitch = 0.5, side = 0.25 * sqrt(3.0);
    const double around[6][2] = {{0.5, 0.0},  {0.25, side},   {-0.25, side},
                                 {-0.5, 0.0}, {-0.25, -side}, {0.25, -side}};
    dry_link before[6], ring[6];
    for (int i = 0; i <= size; i++) {
        for (int k = 0; k < 6; k++)
            ring[k] = add_node(m, i == 0 ? DRY_BODY_STATIC : DRY_BODY_DYNAMIC,
                               (dry_point){around[k][0], -pitch * i, around[k][1]});
        for (int k = 0; k < 6 && i > 0; k++) {
            add_strut(m, &ring[k], &ring[(k + 1) % 6]);
            add_strut(m, &before[k], &ring[k]);
            add_strut(m, &before[k], &ring[(k + 1) % 6]);
        }
        for (int k = 0; k < 6; k++)
            before[k] = ring[k];
    }
}

/* Makes a cube of size^3 nodes with bars of 0.5 m along its edges. The nodes of the top layer are static;
 * below it a node has a bar up and, but at the far faces, one along x and one along z. 6 rows a bar, none
 * redundant. The cube begins with a shear, in which layers move along x the faster the lower they are. */
void dry_make_lattice(maker *m, int size)
{
    const double pitch = 0.5, rate = 0.5 / size;
    const int first = m->scene->body_count;
    for (int i = 0; i < size * size * size; i++) {
        const int layer = i / (size * size), row = i / size % size, column = i % size;
        const dry_link node = add_node(m, layer == 0 ? DRY_BODY_STATIC : DRY_BODY_DYNAMIC,
                                       (dry_point){pitch * column, -pitch * layer, pitch * row});
        if (layer > 0)
            dry_link_move(m, &node, (dry_point){rate * pitch * layer, 0.0, 0.0}, (dry_point){0});
    }
    static const int steps[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}; /* column, row, layer */
    for (int i = size * size; i < size * size * size; i++) {
        const int place[3] = {i % size, i / size % size, i / (size * size)};
        for (int k = 0; k < 3; k++) {
            int next[3];
            for (int axis = 0; axis < 3; axis++)
                next[axis] = place[axis] + steps[k][axis];
            if (next[0] == size || next[1] == size)
                continue;
            const dry_link from = {.body = first + i,
                                   .at = {pitch * place[0], -pitch * place[2], pitch * place[1]},
                                   .rotation = DRY_UPRIGHT};
            const dry_link to = {.body = first + (next[2] * size + next[1]) * size + next[0],
                                 .at = {pitch * next[0], -pitch * next[2], pitch * next[1]},
                                 .rotation = DRY_UPRIGHT};
            const dry_link bar = add_strut(m, &from, &to);
            dry_link_move(m, &bar, (dry_point){rate * pitch * 0.5 * (place[2] + next[2]), 0.0, 0.0},
                          (dry_point){0.0, 0.0, k == 2 ? rate : 0.0});
        }
    }
}
