/* Lists the joint scenes, and makes one of a setup.
 *
 * Writes a dry_scene through scene_parts.h. */
#include "tools/scenes/joints/makers.h"

#include <string.h>

static const dry_joint_scene scenes[] = {
    {"joint-grid", "a grid of spheres on ball joints, hung by its edge", "spheres a side", NULL, 100, 1, 0,
     0.0, dry_make_joint_grid},
    {"rain", "ragdolls in ten waves, each figure of 14 bodies and 13 joints", "figures a wave", NULL, 30, 10,
     30, 0.0, dry_make_rain},
    {"figure-pairs", "ragdolls that fall 15 m in pairs", "figures", NULL, 8, 1, 0, 0.0,
     dry_make_figure_pairs},
    {"figure-pile", "ragdolls with soft springs that pile up", "figures", NULL, 20, 1, 0, 0.0,
     dry_make_figure_pile},
    {"falling-figures", "ragdolls that fall 5 m in random orientations", "figures", NULL, 100, 1, 0, 0.0,
     dry_make_falling_figures},
    {"ball-and-chain", "a chain with friction and a ball of 33.5 t, let go horizontally", "links", NULL, 32,
     1, 0, 0.0, dry_make_ball_and_chain},
    {"plank-bridge", "a bridge of planks on sprung cone-twist joints", "planks", NULL, 150, 1, 0, 0.0,
     dry_make_plank_bridge},
    {"taut-bridge", "a bridge as long as its span, two ball joints a seam", "planks", NULL, 30, 1, 0, 0.0,
     dry_make_taut_bridge},
    {"chain-of-balls", "spheres on ball joints, let go horizontally", "links", NULL, 100, 1, 0, 0.0,
     dry_make_chain_of_balls},
    {"hung-chain", "the same spheres, hanging at rest", "links", NULL, 20, 1, 0, 0.0, dry_make_hung_chain},
    {"chain-of-hinges", "capsules on hinges, let go horizontally", "links", NULL, 20, 1, 0, 0.0,
     dry_make_chain_of_hinges},
    {"chain-of-welds", "a cantilever of boxes on fixed joints", "boxes", NULL, 10, 1, 0, 0.0,
     dry_make_chain_of_welds},
    {"many-balls", "chains of 20 links on ball joints", "joints", "0: at rest; 1: let go horizontally", 4000,
     1, 0, 0.0, dry_make_many_balls},
    {"many-cones", "the same on cone-twist joints with limits, friction and springs", "joints",
     "0: at rest; 1: let go horizontally", 4000, 1, 0, 0.0, dry_make_many_cones},
    {"many-bodies", "the same bodies without joints", "bodies", "0: in columns; 1: in rows", 4000, 1, 0, 0.0,
     dry_make_many_bodies},
    {"calm-chains", "chains at rest, and one that spins apart from them", "chains at rest",
     "speed of the one that spins, rad/s", 1000, 1, 0, 0.0, dry_make_calm_chains},
    {"ten-tons", "links of 1 kg with a load below", "links", "load, kg", 10, 1, 0, 0.0, dry_make_ten_tons},
    {"two-cubes", "two cubes in space on one sprung cone-twist joint", NULL,
     "stiffness of the twist, N m/rad", 2, 1, 0, 0.0, dry_make_two_cubes},
    {"random-passive", "20 boxes with passive joints of all types, drawn", NULL,
     "least stiffness, N/m or N m/rad", 20, 1, 0, 0.0, dry_make_random_passive},
    {"random-trees", "20 boxes whose joints form a tree, without stops or friction, drawn", NULL,
     "least stiffness, N/m or N m/rad", 20, 1, 0, 0.0, dry_make_random_trees},
    {"random-wild", "2 to 20 boxes with joints of any values, drawn", NULL, NULL, 20, 1, 0, 0.0,
     dry_make_random_wild},
    {"conflict", "two cubes with two joints that do not fit, drawn", NULL, NULL, 2, 1, 0, 0.0,
     dry_make_conflict},
    {"arm", "horizontal rods whose motors hold their pose", "rods", "frequency of the motors, Hz; 0: default",
     6, 1, 0, 0.0, dry_make_arm},
    {"swinging-rods", "rods on hinges, let go horizontally", "rods", NULL, 10, 1, 0, 0.0,
     dry_make_swinging_rods},
    {"crank", "a crank, a rod and a piston", NULL, "speed, rpm", 3, 1, 0, 0.0, dry_make_crank},
    {"hub", "a falling cube with small cubes around it on ball joints", "small cubes", NULL, 200, 1, 0, 0.0,
     dry_make_hub},
    {"springs-at-rest", "critically damped springs that hang at rest", "springs", "stiffness, N/m", 10, 1, 0,
     0.0, dry_make_springs_at_rest},
    {"springs-riding", "the same under a trolley, moving with it", "springs", "stiffness, N/m", 10, 1, 0, 0.0,
     dry_make_springs_riding},
    {"springs-jerked", "the same at rest under a trolley that moves", "springs", "stiffness, N/m", 10, 1, 0,
     0.0, dry_make_springs_jerked},
    {"touching-links", "links that touch with 1,000 kg below, let go horizontally", "links", NULL, 10, 1, 0,
     0.0, dry_make_touching_links},
    {"impact", "balls that hit two plates, each on a fixed joint", NULL, "phase of the step, 0 to 1", 2, 1, 0,
     0.0, dry_make_impact},
    {"open-joint", "two cubes on a ball joint that begins open", NULL, "gap, m", 2, 1, 0, 0.0,
     dry_make_open_joint},
    {"servo", "a rod that a motor of 20 Hz rotates by 1 rad", "rods", NULL, 1, 1, 0, 0.0, dry_make_servo},
    {"governor", "the stiff flyball governor of IFToMM's benchmarks", NULL, NULL, 4, 1, 0, 0.0,
     dry_make_governor},
    {"andrews", "the squeezing mechanism of Andrews", NULL, NULL, 7, 1, 0, 0.033, dry_make_andrews},
    {NULL, NULL, NULL, NULL, 0, 0, 0, 0.0, NULL},
};

const dry_joint_scene *dry_joint_scenes(void)
{
    return scenes;
}

const dry_joint_scene *dry_joint_scene_find(const char *name)
{
    for (const dry_joint_scene *scene = scenes; scene->name; scene++)
        if (strcmp(scene->name, name) == 0)
            return scene;
    return NULL;
}

bool dry_joint_scene_make(const dry_joint_scene *kind, const dry_joint_setup *setup, dry_scene *scene,
                          char *error, size_t error_bytes)
{
    memset(scene, 0, sizeof *scene);
    dry_joint_setup chosen = *setup;
    if (chosen.size == 0)
        chosen.size = kind->size;
    scene->name = dry_scene_copy_text(kind->name);
    scene->gravity = (dry_vec3){0.0f, -9.81f, 0.0f};
    scene->dt = 1.0f / 60.0f;
    uint64_t random = setup->seed + (uint64_t)setup->wave;
    maker m = {.scene = scene, .failed = !scene->name, .random = dry_random_bits(&random)};
    kind->make(&m, &chosen);
    if (m.failed) {
        dry_scene_free(scene);
        return dry_scene_fail(error, error_bytes, "%s: out of memory for size %d", kind->name, chosen.size);
    }
    dry_scene_finish(scene);
    return true;
}
