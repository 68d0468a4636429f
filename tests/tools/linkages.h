/* Built-in scenes of joints in worlds of their own, and the geometry of their bars, for the tests of
 * linkages. */
#ifndef TESTS_TOOLS_LINKAGES_H
#define TESTS_TOOLS_LINKAGES_H

#include "tests/scene_files.h"
#include "tests/scene_worlds.h"

#include "tools/scenes/linkages.h"

/* A scene in a world of its own. */
typedef struct built {
    dry_scene scene;
    dry_world *world;
    dry_body_id *ids;
} built;

static inline built build_scene_with(dry_scene scene, dry_vec3 gravity, dry_joint_solver solver)
{
    built b = {.scene = scene};
    dry_settings settings = test_settings();
    settings.gravity = gravity;
    settings.joint_solver = solver;
    b.world = world_with(settings);
    b.ids = built_in(b.world, &b.scene);
    return b;
}

static inline built build_scene(dry_scene scene, dry_vec3 gravity)
{
    return build_scene_with(scene, gravity, DRY_JOINT_SOLVER_ITERATIVE);
}

static inline void free_built(built *b)
{
    dry_world_destroy(b->world);
    dry_scene_free(&b->scene);
    free(b->ids);
}

/* A body of a scene in double precision; the world is a body that does not move. */
typedef struct side {
    d3 at, velocity, spin;
    dry_quat rotation;
} side;

static inline side side_of(const dry_scene *scene, const dry_scene_joint *joint, bool b)
{
    const int body = b ? joint->body_b : joint->body_a;
    if (body == DRY_SCENE_WORLD)
        return (side){.at = d3_at(joint->def.target), .rotation = QUAT_IDENTITY};
    const dry_body_def *def = &scene->bodies[body].def;
    return (side){d3_at(def->pose.position), d3_of(def->velocity.linear), d3_of(def->velocity.angular),
                  def->pose.orientation};
}

/* Reads the largest errors of all joints of the world. */
static inline void read_errors(const built *b, double *error_m, double *error_rad)
{
    *error_m = *error_rad = 0;
    for (int i = 0; i < b->scene.body_count; i++) {
        int count = 0;
        assert_ok(dry_body_get_joints(b->world, b->ids[i], NULL, 0, &count));
        dry_joint_id *joints = calloc((size_t)count + 1, sizeof *joints);
        assert_non_null(joints);
        assert_ok(dry_body_get_joints(b->world, b->ids[i], joints, count, &count));
        for (int k = 0; k < count; k++) {
            float m, rad;
            assert_ok(dry_joint_get_error(b->world, joints[k], &m, &rad));
            *error_m = fmax(*error_m, (double)m);
            *error_rad = fmax(*error_rad, (double)rad);
        }
        free(joints);
    }
}

/* Returns the intersection to the left of the line from a to b of the circles about them, in the plane of z,
 * by angles. */
static inline d3 meet_left(d3 a, double radius_a, d3 b, double radius_b)
{
    const d3 line = d3_sub(b, a);
    const double l = d3_length(line);
    const double corner = acos((radius_a * radius_a + l * l - radius_b * radius_b) / (2 * radius_a * l));
    const double angle = atan2(line.y, line.x) + corner;
    return d3_add(a, (d3){radius_a * cos(angle), radius_a * sin(angle), 0});
}

#endif
