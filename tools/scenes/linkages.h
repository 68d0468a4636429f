/* Declares the built-in scenes of jointed bodies: linkages and lattices (linkages.c), octahedra
 * (octahedra.c), a walking machine (walker.c), and machines with motors and stops (machines.c).
 *
 * The bodies of one linkage have a negative group: they do not touch each other. */
#ifndef TOOLS_SCENES_LINKAGES_H
#define TOOLS_SCENES_LINKAGES_H

struct maker;

/* Each linkage of `peaucellier` adds these seven bars to the scene, in this order. Its pen is the point
 * (DRY_PEN_X, 0, 0) of the bar DRY_BAR_PEN, which stays on the line y = DRY_PEN_LINE. */
enum {
    DRY_BAR_ARM_LEFT,
    DRY_BAR_ARM_RIGHT,
    DRY_BAR_INNER_LEFT,
    DRY_BAR_INNER_RIGHT,
    DRY_BAR_PEN,
    DRY_BAR_OUTER_RIGHT,
    DRY_BAR_CRANK,
    DRY_PEAUCELLIER_BARS
};
#define DRY_PEN_X 1.0
#define DRY_PEN_LINE (-4.0)

void dry_make_ball_hinge(struct maker *m, int size);
void dry_make_peaucellier(struct maker *m, int size);
void dry_make_scissor(struct maker *m, int size);
void dry_make_chain(struct maker *m, int size);
void dry_make_spider(struct maker *m, int size);
void dry_make_tree(struct maker *m, int size);
void dry_make_lever(struct maker *m, int size);
void dry_make_four_bar(struct maker *m, int size);
void dry_make_tube(struct maker *m, int size);
void dry_make_lattice(struct maker *m, int size);

void dry_make_octahedra(struct maker *m, int size);
void dry_make_octahedra_cube(struct maker *m, int size);

void dry_make_strandbeest(struct maker *m, int size);

void dry_make_ragdolls(struct maker *m, int size);
void dry_make_door(struct maker *m, int size);
void dry_make_springboard(struct maker *m, int size);
void dry_make_hoist(struct maker *m, int size);
void dry_make_vehicle(struct maker *m, int size);
void dry_make_crane(struct maker *m, int size);
void dry_make_excavator(struct maker *m, int size);

#endif
