/* Runs joint scenes and keeps their figures (joint_trial.h). */
#include "tools/scenes/joints/joint_trial.h"

#include "tools/scenes/measure/energy.h"
#include "tools/scenes/scene_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the larger number; NaN if one is, so that no number hides it. */
static double larger(double a, double b)
{
    return a >= b || a != a ? a : b;
}

static bool fail_memory(const dry_joint_trial *trial, char *error, size_t error_bytes)
{
    return dry_scene_fail(error, error_bytes, "%s: out of memory", trial->scene->name);
}

static int by_id(const void *a, const void *b)
{
    const uint64_t x = ((const dry_joint_id *)a)->bits, y = ((const dry_joint_id *)b)->bits;
    return (x > y) - (x < y);
}

/* Adds the joints of the bodies from `first` on, each once: those of all bodies have most of them twice. */
static bool list_joints(dry_joint_trial *trial, int first, int most)
{
    const size_t room = (size_t)(trial->joint_count + 2 * most) + 1;
    dry_joint_id *joints = realloc(trial->joints, room * sizeof *joints);
    if (!joints)
        return false;
    trial->joints = joints;
    int end = trial->joint_count;
    for (int b = first; b < trial->body_count; b++) {
        int count = 0;
        if (dry_body_get_joints(trial->world, trial->bodies[b], joints + end, (int)room - end, &count) ==
            DRY_OK)
            end += count;
    }
    qsort(joints, (size_t)end, sizeof *joints, by_id);
    int kept = 0;
    for (int j = 0; j < end; j++)
        if (j == 0 || joints[j].bits != joints[j - 1].bits)
            joints[kept++] = joints[j];
    trial->joint_count = kept;
    return true;
}

/* Returns what the bodies of a scene lose by falling as far as they can, J. */
static double fall_J(const dry_scene *scene, bool has_floor)
{
    double low = INFINITY, corner[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < scene->body_count; i++) {
        const dry_position p = scene->bodies[i].def.pose.position;
        const double x[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; k++) {
            corner[0][k] = fmin(corner[0][k], x[k]);
            corner[1][k] = fmax(corner[1][k], x[k]);
        }
        low = fmin(low, p.y);
    }
    const double dx = corner[1][0] - corner[0][0], dy = corner[1][1] - corner[0][1],
                 dz = corner[1][2] - corner[0][2];
    low = has_floor ? 0.0 : low - sqrt(dx * dx + dy * dy + dz * dz) - 1.0;
    double sum = 0.0;
    for (int i = 0; i < scene->body_count; i++) {
        const dry_scene_body *body = &scene->bodies[i];
        if (body->def.type == DRY_BODY_DYNAMIC)
            sum += dry_scene_body_mass(scene, body) * (double)body->def.gravity_scale *
                   (body->def.pose.position.y - low);
    }
    return -(double)scene->gravity.y * sum;
}

/* Adds the energy that a wave brings to all records. */
static void count_wave(dry_joint_trial *trial, const dry_scene *part, double before_J)
{
    const dry_energy now = dry_world_energy(trial->world);
    const double brought = now.total_J - before_J;
    const double motion_J = trial->steps == 0 ? now.kinetic_J + now.elastic_J : 0.0;
    trial->scale_J += motion_J + fall_J(part, trial->has_floor);
    if (trial->steps == 0) {
        trial->origin_J = now.gravitational_J;
        trial->start_J = trial->least_J = trial->end_J = motion_J;
        return;
    }
    trial->start_J += brought;
    trial->least_J += brought;
    trial->end_J += brought;
}

static bool has_floor(const dry_scene *scene)
{
    for (int i = 0; i < scene->body_count; i++)
        if (strcmp(scene->bodies[i].id, "floor") == 0)
            return true;
    return false;
}

static bool add_wave(dry_joint_trial *trial, const dry_scene *part, char *error, size_t error_bytes)
{
    const int first = trial->body_count;
    const size_t count = (size_t)(first + part->body_count) + 1;
    dry_body_id *bodies = realloc(trial->bodies, count * sizeof *bodies);
    if (!bodies)
        return fail_memory(trial, error, error_bytes);
    trial->bodies = bodies;
    const double before_J = dry_world_energy(trial->world).total_J;
    const dry_result built = dry_scene_build(part, trial->world, bodies + first);
    if (built != DRY_OK)
        return dry_scene_fail(error, error_bytes, "%s: %s", trial->scene->name, dry_result_name(built));
    trial->body_count += part->body_count;
    trial->has_floor |= has_floor(part);
    trial->passive &= dry_scene_keeps_energy(part) && trial->scene->torque_Nm == 0.0;
    count_wave(trial, part, before_J);
    return list_joints(trial, first, part->joint_count) || fail_memory(trial, error, error_bytes);
}

static bool begin_world(dry_joint_trial *trial, const dry_scene *part, const dry_world_def *def, float dt,
                        char *error, size_t error_bytes)
{
    dry_world_def own = *def;
    own.settings.gravity = part->gravity;
    trial->dt = dt > 0.0f ? dt : part->dt;
    const dry_result made = dry_world_create(&own, &trial->world);
    if (made != DRY_OK)
        return dry_scene_fail(error, error_bytes, "%s: %s", trial->scene->name, dry_result_name(made));
    return add_wave(trial, part, error, error_bytes);
}

bool dry_joint_trial_begin(dry_joint_trial *trial, const dry_joint_scene *scene, const dry_joint_setup *setup,
                           const dry_world_def *def, float dt, char *error, size_t error_bytes)
{
    *trial = (dry_joint_trial){.scene = scene, .setup = *setup, .passive = true, .asleep_after = -1};
    if (trial->setup.size == 0)
        trial->setup.size = scene->size;
    dry_scene part;
    if (!dry_joint_scene_make(scene, &trial->setup, &part, error, error_bytes))
        return false;
    const bool good = begin_world(trial, &part, def, dt, error, error_bytes);
    dry_scene_free(&part);
    if (!good)
        dry_joint_trial_end(trial);
    return good;
}

static bool add_next_wave(dry_joint_trial *trial, char *error, size_t error_bytes)
{
    dry_joint_setup setup = trial->setup;
    setup.wave = trial->steps / trial->scene->wave_steps;
    dry_scene part;
    if (!dry_joint_scene_make(trial->scene, &setup, &part, error, error_bytes))
        return false;
    const bool good = add_wave(trial, &part, error, error_bytes);
    dry_scene_free(&part);
    return good;
}

bool dry_joint_trial_ready(dry_joint_trial *trial, char *error, size_t error_bytes)
{
    const dry_joint_scene *scene = trial->scene;
    const bool wave = trial->steps > 0 && scene->wave_steps > 0 && trial->steps % scene->wave_steps == 0 &&
                      trial->steps / scene->wave_steps < scene->waves;
    if (wave && !add_next_wave(trial, error, error_bytes))
        return false;
    if (scene->torque_Nm != 0.0) {
        const dry_vec3 torque = {0.0f, 0.0f, (float)scene->torque_Nm};
        (void)dry_body_apply_torque(trial->world, trial->bodies[0], torque);
    }
    return true;
}

static void look_at_joints(dry_joint_trial *trial)
{
    trial->end_gap_m = trial->end_gap_rad = 0.0;
    for (int j = 0; j < trial->joint_count; j++) {
        float m, rad;
        bool enabled = false; /* a joint that broke holds nothing */
        if (dry_joint_get_enabled(trial->world, trial->joints[j], &enabled) != DRY_OK || !enabled ||
            dry_joint_get_error(trial->world, trial->joints[j], &m, &rad) != DRY_OK)
            continue;
        trial->end_gap_m = larger(trial->end_gap_m, (double)m);
        trial->end_gap_rad = larger(trial->end_gap_rad, (double)rad);
    }
    trial->gap_m = larger(trial->gap_m, trial->end_gap_m);
    trial->gap_rad = larger(trial->gap_rad, trial->end_gap_rad);
}

static void look_at_energy(dry_joint_trial *trial)
{
    const double now = dry_world_energy(trial->world).total_J - trial->origin_J;
    trial->end_J = now;
    trial->gained_J = larger(trial->gained_J, now - trial->least_J);
    trial->above_J = larger(trial->above_J, now - trial->start_J);
    trial->least_J = now < trial->least_J ? now : trial->least_J;
}

static void look_at_speeds(dry_joint_trial *trial)
{
    trial->fastest_m_s = 0.0;
    for (int i = 0; i < trial->body_count; i++) {
        dry_velocity v;
        if (dry_body_get_velocity(trial->world, trial->bodies[i], &v) != DRY_OK)
            continue;
        const double x = (double)v.linear.x, y = (double)v.linear.y, z = (double)v.linear.z;
        trial->fastest_m_s = larger(trial->fastest_m_s, sqrt(x * x + y * y + z * z));
    }
}

void dry_joint_trial_look(dry_joint_trial *trial)
{
    trial->steps++;
    look_at_joints(trial);
    look_at_energy(trial);
    look_at_speeds(trial);
    const dry_statistics statistics = dry_world_statistics(trial->world);
    if (statistics.quarantined_bodies > trial->lost)
        trial->lost = statistics.quarantined_bodies;
    if (statistics.substeps > trial->substeps)
        trial->substeps = statistics.substeps;
    if (statistics.articulations.corrections > trial->corrections)
        trial->corrections = statistics.articulations.corrections;
    if (statistics.awake_bodies > 0)
        trial->asleep_after = -1;
    else if (trial->asleep_after < 0)
        trial->asleep_after = trial->steps;
}

void dry_joint_trial_end(dry_joint_trial *trial)
{
    dry_world_destroy(trial->world);
    free(trial->bodies);
    free(trial->joints);
    trial->world = NULL;
    trial->bodies = NULL;
    trial->joints = NULL;
}
