/* Measures the quality of a scene's state: overlap, speed, energy, and how far bodies moved.
 *
 * Reads a scene and its bodies' poses and velocities; writes a dry_quality. Everything is computed from the
 * scene's shapes in double precision. Pairs that must not touch do not count: bodies of a joint without
 * `collide`, filtered shapes, disabled bodies. A body with an infinite state, or one that is not a number, is
 * infinitely far and fast and touches no other body. */
#include "scenes/measure/quality.h"

#include "scenes/measure/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Computes the rotation matrix of a quaternion whose length need not be exactly 1; axis[i] is its column i.
 */
static void axes_of(dry_quat q, double axis[3][3])
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double s = 2.0 / (x * x + y * y + z * z + w * w);
    const double rows[3][3] = {
        {1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
        {s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)},
        {s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)},
    };
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            axis[i][k] = rows[k][i];
}

/* Computes the vector whose components along three axes are v. */
static void along_axes(double axis[3][3], const double *v, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = v[0] * axis[0][k] + v[1] * axis[1][k] + v[2] * axis[2][k];
}

static double length_squared(const double *v)
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

static void set_bounds(dry_solid *solid)
{
    for (int k = 0; k < 3; k++) {
        double reach = solid->radius + 0.5 * DRY_QUALITY_GAP;
        for (int i = 0; i < 3; i++)
            reach += solid->half[i] * fabs(solid->axis[i][k]);
        solid->low[k] = solid->center[k] - reach;
        solid->high[k] = solid->center[k] + reach;
    }
}

static dry_solid place_shape(const dry_shape_def *shape, const dry_pose *pose)
{
    dry_solid solid = {.type = shape->type, .filter = shape->filter};
    double body_axis[3][3], shape_axis[3][3], offset[3];
    axes_of(pose->orientation, body_axis);
    axes_of(shape->pose.orientation, shape_axis);
    const double local[3] = {(double)shape->pose.position.x, (double)shape->pose.position.y,
                             (double)shape->pose.position.z};
    along_axes(body_axis, local, offset);
    solid.center[0] = pose->position.x + offset[0];
    solid.center[1] = pose->position.y + offset[1];
    solid.center[2] = pose->position.z + offset[2];
    for (int i = 0; i < 3; i++)
        along_axes(body_axis, shape_axis[i], solid.axis[i]);

    if (shape->type == DRY_SHAPE_BOX) {
        solid.half[0] = (double)shape->half_extents.x;
        solid.half[1] = (double)shape->half_extents.y;
        solid.half[2] = (double)shape->half_extents.z;
    } else if (shape->type == DRY_SHAPE_HALFSPACE) {
        double normal[3] = {(double)shape->normal.x, (double)shape->normal.y, (double)shape->normal.z};
        double length = sqrt(length_squared(normal)), world[3];
        along_axes(solid.axis, normal, world);
        for (int k = 0; k < 3; k++)
            solid.axis[1][k] = world[k] / length;
        solid.offset = (double)shape->offset / length + solid.axis[1][0] * solid.center[0] +
                       solid.axis[1][1] * solid.center[1] + solid.axis[1][2] * solid.center[2];
    } else {
        solid.radius = (double)shape->radius;
        solid.half[1] = shape->type == DRY_SHAPE_CAPSULE ? (double)shape->half_length : 0.0;
    }
    set_bounds(&solid);
    return solid;
}

double dry_solid_mass(const dry_shape_def *shape, double *moments)
{
    const double pi = 3.14159265358979323846;
    double density = (double)shape->density, r = (double)shape->radius, mass;
    if (shape->type == DRY_SHAPE_BOX) {
        double x = (double)shape->half_extents.x, y = (double)shape->half_extents.y;
        double z = (double)shape->half_extents.z;
        mass = 8.0 * x * y * z * density;
        moments[0] = mass / 3.0 * (y * y + z * z);
        moments[1] = mass / 3.0 * (x * x + z * z);
        moments[2] = mass / 3.0 * (x * x + y * y);
    } else if (shape->type == DRY_SHAPE_SPHERE) {
        mass = 4.0 / 3.0 * pi * r * r * r * density;
        moments[0] = moments[1] = moments[2] = 0.4 * mass * r * r;
    } else if (shape->type == DRY_SHAPE_CAPSULE) {
        /* A cylinder of length l and two hemispheres, whose centers of mass lie 3/8 r outside the cylinder's
         * ends. */
        double l = 2.0 * (double)shape->half_length;
        double cylinder = pi * r * r * l * density, ball = 4.0 / 3.0 * pi * r * r * r * density;
        mass = cylinder + ball;
        moments[1] = 0.5 * cylinder * r * r + 0.4 * ball * r * r;
        moments[0] = moments[2] =
            cylinder * (l * l / 12.0 + 0.25 * r * r) + ball * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
    } else {
        mass = moments[0] = moments[1] = moments[2] = 0.0;
    }
    return mass;
}

/* Returns 1/2 m v^2 + 1/2 w . I w, with the inertia I summed over the shapes about the body's center of mass.
 */
static double kinetic_energy(const dry_scene *scene, const dry_scene_body *body, const dry_pose *pose,
                             const dry_velocity *velocity)
{
    const dry_shape_def *shapes = scene->shapes + body->first_shape;
    const double v[3] = {(double)velocity->linear.x, (double)velocity->linear.y, (double)velocity->linear.z};
    const double w[3] = {(double)velocity->angular.x, (double)velocity->angular.y,
                         (double)velocity->angular.z};
    double mass = 0.0, center[3] = {0.0, 0.0, 0.0}, moments[3], spin = 0.0;
    /* Relative to the body's origin: far from the world's origin the lever arms would lose digits. */
    const dry_pose rotated = {.orientation = pose->orientation};
    for (int i = 0; i < body->def.shape_count; i++) {
        dry_solid solid = place_shape(&shapes[i], &rotated);
        double part = dry_solid_mass(&shapes[i], moments);
        mass += part;
        for (int k = 0; k < 3; k++)
            center[k] += part * solid.center[k];
    }
    for (int i = 0; i < body->def.shape_count && mass > 0.0; i++) {
        dry_solid solid = place_shape(&shapes[i], &rotated);
        double part = dry_solid_mass(&shapes[i], moments), arm[3];
        for (int k = 0; k < 3; k++) {
            double rate = w[0] * solid.axis[k][0] + w[1] * solid.axis[k][1] + w[2] * solid.axis[k][2];
            spin += moments[k] * rate * rate;
            arm[k] = solid.center[k] - center[k] / mass;
        }
        double along = w[0] * arm[0] + w[1] * arm[1] + w[2] * arm[2];
        spin += part * (length_squared(w) * length_squared(arm) - along * along);
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
    dry_solid *solids = malloc(((size_t)scene->shape_count + 1) * sizeof *solids);
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
            solids[count] = place_shape(&scene->shapes[body->first_shape + k], &poses[i]);
            solids[count].body = i;
            solids[count++].dynamic = body->def.type == DRY_BODY_DYNAMIC;
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
