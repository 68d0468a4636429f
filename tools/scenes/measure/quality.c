/* Measures the quality of a scene's state: overlap, speed, energy, and how far bodies moved.
 *
 * Reads a scene and its bodies' poses and velocities; writes a dry_quality. Everything is computed from the
 * scene's shapes in double precision. Pairs that must not touch do not count: bodies of a joint without
 * `collide`, filtered shapes, disabled bodies. A body with an infinite state, or one that is not a number, is
 * infinitely far and fast and touches no other body. */
#include "tools/scenes/measure/quality.h"

#include "tools/scenes/measure/parts.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double length_squared(const double *v)
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

/* Returns w . I w of a part about a point. */
static double spin_of(const dry_solid_mass *m, const double *about, const double *w)
{
    double spin = 0.0, arm[3];
    for (int i = 0; i < 3; i++) {
        spin += m->second[i][i] * length_squared(w);
        for (int k = 0; k < 3; k++)
            spin -= w[i] * m->second[i][k] * w[k];
        arm[i] = m->center[i] - about[i];
    }
    const double along = w[0] * arm[0] + w[1] * arm[1] + w[2] * arm[2];
    return spin + m->mass * (length_squared(w) * length_squared(arm) - along * along);
}

/* Returns 1/2 m v^2 + 1/2 w . I w, with the inertia I summed over the shapes about the body's center of mass:
 * w . I w is the integral of w^2 x^2 - (w . x)^2. */
static double kinetic_energy(const dry_scene *scene, const dry_scene_body *body, const dry_pose *pose,
                             const dry_velocity *velocity)
{
    const dry_shape_def *shapes = scene->shapes + body->first_shape;
    const double v[3] = {(double)velocity->linear.x, (double)velocity->linear.y, (double)velocity->linear.z};
    const double w[3] = {(double)velocity->angular.x, (double)velocity->angular.y,
                         (double)velocity->angular.z};
    double mass = 0.0, center[3] = {0.0, 0.0, 0.0}, spin = 0.0;
    /* Relative to the body's origin: far from the world's origin the lever arms would lose digits. */
    const dry_pose rotated = {.orientation = pose->orientation};
    for (int pass = 0; pass < 2 && (pass == 0 || mass > 0.0); pass++) {
        for (int i = 0; i < body->def.shape_count; i++) {
            const int parts = dry_solids_of(scene, &shapes[i]);
            for (int part = 0; part < parts; part++) {
                const dry_solid solid = dry_solid_place(scene, &shapes[i], part, &rotated);
                const dry_solid_mass m = dry_solid_get_mass(&solid);
                if (pass == 1) {
                    spin += spin_of(&m, center, w);
                    continue;
                }
                mass += m.mass;
                for (int k = 0; k < 3; k++)
                    center[k] += m.mass * m.center[k];
            }
        }
        for (int k = 0; k < 3 && pass == 0 && mass > 0.0; k++)
            center[k] /= mass;
    }
    double scale = body->has_mass && mass > 0.0 ? (double)body->def.mass / mass : 1.0;
    double stated = body->has_mass ? (double)body->def.mass : mass;
    return 0.5 * stated * length_squared(v) + 0.5 * scale * spin;
}

/* The two bodies of a joint without `collide`, the smaller index first; the array of all is sorted. */
typedef struct joined {
    int low, high;
} joined;

static int compare_joined(const void *a, const void *b)
{
    const joined *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

typedef struct overlap_sum {
    const joined *joints;
    int joint_count;
    double depth_sum;
    dry_quality *quality;
} overlap_sum;

static bool filters_allow(const dry_filter *a, const dry_filter *b)
{
    if (a->group != 0 && a->group == b->group)
        return a->group > 0;
    return (a->mask & b->category) != 0 && (b->mask & a->category) != 0;
}

static void add_pair(const dry_solid *a, const dry_solid *b, void *user)
{
    overlap_sum *sum = user;
    double overlap = dry_solid_overlap(a, b);
    if (!(overlap > -DRY_QUALITY_GAP) || !filters_allow(&a->filter, &b->filter))
        return;
    joined key = {a->body < b->body ? a->body : b->body, a->body < b->body ? b->body : a->body};
    if (sum->joint_count > 0 &&
        bsearch(&key, sum->joints, (size_t)sum->joint_count, sizeof key, compare_joined))
        return;
    double depth = overlap > 0.0 ? overlap : 0.0;
    sum->quality->touching_pairs++;
    sum->depth_sum += depth;
    if (depth > sum->quality->penetration_max_m)
        sum->quality->penetration_max_m = depth;
}

static bool is_finite_state(const dry_pose *pose, const dry_velocity *velocity)
{
    const dry_quat *q = &pose->orientation;
    const dry_vec3 *v = &velocity->linear, *w = &velocity->angular;
    double sum = pose->position.x * 0.0 + pose->position.y * 0.0 + pose->position.z * 0.0 +
                 (double)(v->x * 0.0f + v->y * 0.0f + v->z * 0.0f + w->x * 0.0f + w->y * 0.0f + w->z * 0.0f);
    double length = (double)q->x * q->x + (double)q->y * q->y + (double)q->z * q->z + (double)q->w * q->w;
    return sum == 0.0 && length > 0.0 && isfinite(length);
}

static void add_motion(const dry_scene *scene, int i, const dry_pose *pose, const dry_velocity *velocity,
                       dry_quality *quality)
{
    const dry_scene_body *body = &scene->bodies[i];
    const double g[3] = {(double)scene->gravity.x, (double)scene->gravity.y, (double)scene->gravity.z};
    double moved = INFINITY, sideways = INFINITY, speed = INFINITY, energy = INFINITY;
    if (is_finite_state(pose, velocity)) {
        const dry_position *from = &body->def.pose.position;
        const double d[3] = {pose->position.x - from->x, pose->position.y - from->y,
                             pose->position.z - from->z};
        const double v[3] = {(double)velocity->linear.x, (double)velocity->linear.y,
                             (double)velocity->linear.z};
        double pull = length_squared(g), fall = d[0] * g[0] + d[1] * g[1] + d[2] * g[2], across[3];
        for (int k = 0; k < 3; k++)
            across[k] = pull > 0.0 ? d[k] - fall / pull * g[k] : d[k];
        moved = sqrt(length_squared(d));
        sideways = sqrt(length_squared(across));
        speed = sqrt(length_squared(v));
        energy = kinetic_energy(scene, body, pose, velocity);
    }
    quality->moved_max_m = fmax(quality->moved_max_m, moved);
    quality->moved_sideways_max_m = fmax(quality->moved_sideways_max_m, sideways);
    quality->speed_max_m_s = fmax(quality->speed_max_m_s, speed);
    quality->kinetic_energy_J += energy;
    quality->moved_over_quarter_m += moved > 0.25;
}

/* Measures the bodies that are present; all of them if `present` is null. */
static bool measure(const dry_scene *scene, const dry_pose *poses, const dry_velocity *velocities,
                    const bool *present, dry_quality *quality)
{
    memset(quality, 0, sizeof *quality);
    size_t room = 1;
    for (int i = 0; i < scene->shape_count; i++)
        room += (size_t)dry_solids_of(scene, &scene->shapes[i]);
    dry_solid *solids = room <= INT_MAX ? malloc(room * sizeof *solids) : NULL;
    joined *joints = malloc(((size_t)scene->joint_count + 1) * sizeof *joints);
    overlap_sum sum = {.joints = joints, .quality = quality};
    bool ok = solids && joints;
    int count = 0;
    for (int i = 0; ok && i < scene->body_count; i++) {
        const dry_scene_body *body = &scene->bodies[i];
        if (present && !present[i])
            continue;
        if (body->def.type == DRY_BODY_DYNAMIC)
            add_motion(scene, i, &poses[i], &velocities[i], quality);
        if (!body->def.enabled || !is_finite_state(&poses[i], &velocities[i]))
            continue;
        for (int k = 0; k < body->def.shape_count; k++) {
            const dry_shape_def *shape = &scene->shapes[body->first_shape + k];
            const int parts = dry_solids_of(scene, shape);
            for (int part = 0; part < parts; part++) {
                solids[count] = dry_solid_place(scene, shape, part, &poses[i]);
                solids[count].body = i;
                solids[count++].dynamic = body->def.type == DRY_BODY_DYNAMIC;
            }
        }
    }
    for (int i = 0; ok && i < scene->joint_count; i++) {
        const dry_scene_joint *joint = &scene->joints[i];
        if (joint->def.collide || joint->body_a == DRY_SCENE_WORLD)
            continue;
        bool ordered = joint->body_a < joint->body_b;
        joints[sum.joint_count++] =
            (joined){ordered ? joint->body_a : joint->body_b, ordered ? joint->body_b : joint->body_a};
    }
    if (ok)
        qsort(joints, (size_t)sum.joint_count, sizeof *joints, compare_joined);
    ok = ok && dry_solid_pairs(solids, count, add_pair, &sum);
    if (ok && quality->touching_pairs > 0)
        quality->penetration_mean_m = sum.depth_sum / quality->touching_pairs;
    free(solids);
    free(joints);
    return ok;
}

bool dry_quality_measure_poses(const dry_scene *scene, const dry_pose *poses, const dry_velocity *velocities,
                               dry_quality *quality)
{
    return measure(scene, poses, velocities, NULL, quality);
}

bool dry_quality_measure(const dry_scene *scene, const dry_world *world, const dry_body_id *ids,
                         dry_quality *quality)
{
    size_t room = (size_t)scene->body_count + 1;
    dry_pose *poses = calloc(room, sizeof *poses);
    dry_velocity *velocities = calloc(room, sizeof *velocities);
    bool *present = calloc(room, sizeof *present);
    bool ok = poses && velocities && present;
    for (int i = 0; ok && i < scene->body_count; i++) {
        present[i] = dry_body_is_valid(world, ids[i]);
        if (present[i])
            ok = dry_world_get_motion(world, 1, &ids[i], &poses[i], &velocities[i], NULL) == DRY_OK;
    }
    ok = ok && measure(scene, poses, velocities, present, quality);
    free(poses);
    free(velocities);
    free(present);
    return ok;
}
