/* Declares the functions that make joint scenes, one for each element of dry_joint_scenes. */
#ifndef TOOLS_SCENES_JOINTS_MAKERS_H
#define TOOLS_SCENES_JOINTS_MAKERS_H

#include "tools/scenes/joints/joint_scenes.h"
#include "tools/scenes/links.h"

/* spans.c: what hangs or spans between fixed points. */
void dry_make_joint_grid(maker *m, const dry_joint_setup *setup);
void dry_make_ball_and_chain(maker *m, const dry_joint_setup *setup);
void dry_make_plank_bridge(maker *m, const dry_joint_setup *setup);
void dry_make_taut_bridge(maker *m, const dry_joint_setup *setup);
void dry_make_chain_of_balls(maker *m, const dry_joint_setup *setup);
void dry_make_chain_of_hinges(maker *m, const dry_joint_setup *setup);
void dry_make_chain_of_welds(maker *m, const dry_joint_setup *setup);
void dry_make_many_balls(maker *m, const dry_joint_setup *setup);
void dry_make_many_cones(maker *m, const dry_joint_setup *setup);
void dry_make_many_bodies(maker *m, const dry_joint_setup *setup);
void dry_make_calm_chains(maker *m, const dry_joint_setup *setup);
void dry_make_hung_chain(maker *m, const dry_joint_setup *setup);
void dry_make_ten_tons(maker *m, const dry_joint_setup *setup);

/* figures.c: ragdolls. */
void dry_make_rain(maker *m, const dry_joint_setup *setup);
void dry_make_figure_pairs(maker *m, const dry_joint_setup *setup);
void dry_make_figure_pile(maker *m, const dry_joint_setup *setup);
void dry_make_falling_figures(maker *m, const dry_joint_setup *setup);

/* passive.c: nothing drives these, so that their energy may only fall. */
void dry_make_two_cubes(maker *m, const dry_joint_setup *setup);
void dry_make_random_passive(maker *m, const dry_joint_setup *setup);
void dry_make_random_trees(maker *m, const dry_joint_setup *setup);
void dry_make_random_wild(maker *m, const dry_joint_setup *setup);
void dry_make_conflict(maker *m, const dry_joint_setup *setup);

/* rigs.c: rigs whose motion is known. */
void dry_make_arm(maker *m, const dry_joint_setup *setup);
void dry_make_crank(maker *m, const dry_joint_setup *setup);
void dry_make_hub(maker *m, const dry_joint_setup *setup);
void dry_make_springs_at_rest(maker *m, const dry_joint_setup *setup);
void dry_make_springs_riding(maker *m, const dry_joint_setup *setup);
void dry_make_springs_jerked(maker *m, const dry_joint_setup *setup);
void dry_make_touching_links(maker *m, const dry_joint_setup *setup);
void dry_make_swinging_rods(maker *m, const dry_joint_setup *setup);
void dry_make_impact(maker *m, const dry_joint_setup *setup);
void dry_make_open_joint(maker *m, const dry_joint_setup *setup);
void dry_make_servo(maker *m, const dry_joint_setup *setup);

/* mechanisms.c: published mechanisms. */
void dry_make_governor(maker *m, const dry_joint_setup *setup);
void dry_make_andrews(maker *m, const dry_joint_setup *setup);

#endif
