/* Fuzzes scene files. An input is the text of one. A file that can be read can be written; what was written
 * reads back as the same scene, and a second writing gives the same bytes. The scene then becomes two twin
 * worlds of different instruction sets, whose state hashes are equal after each of some steps; all numbers
 * stay finite, and all memory comes back.
 *
 * libFuzzer changes texts by bytes; half of the changes here are of numbers, fields and elements. */
#include "tests/fuzz/model.h"

#include "tools/scenes/scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/counting_allocator.h"

enum { BODIES_BUILT_MAX = 48, SHAPES_BUILT_MAX = 96, STEPS = 6, PATH_BYTES = 256 };

static char folder[PATH_BYTES / 2];

static void path_of(const char *name, char *path)
{
    snprintf(path, PATH_BYTES, "%s/%s", folder, name);
}

static void remove_folder(void)
{
    static const char *const names[] = {"input.json", "once.json", "twice.json"};
    for (int i = 0; i < COUNT_OF(names); ++i) {
        char path[PATH_BYTES];
        path_of(names[i], path);
        remove(path);
    }
    rmdir(folder);
}

static void make_folder(void)
{
    if (folder[0])
        return;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/drystone_fuzz_XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(2);
    }
    atexit(remove_folder);
}

static void write_bytes(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file && fwrite(data, 1, size, file) == size);
    fclose(file);
}

static uint64_t hash_of_file(const char *path)
{
    uint64_t hash = FUZZ_HASH_BEGIN;
    char block[4096];
    size_t got;
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file);
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        hash = fuzz_hash(hash, block, got);
    fclose(file);
    return hash;
}

/* The parts of definitions that a scene file holds; comparing numbers as bits tells 0 from -0. */

static void check_same_shape(const dry_shape_def *a, const dry_shape_def *b)
{
    FUZZ_CHECK(a->type == b->type);
    FUZZ_CHECK(memcmp(&a->half_extents, &b->half_extents, sizeof a->half_extents) == 0);
    FUZZ_CHECK(memcmp(&a->normal, &b->normal, sizeof a->normal) == 0);
    FUZZ_CHECK(memcmp(&a->pose, &b->pose, sizeof a->pose) == 0);
    FUZZ_CHECK(memcmp(&a->scale, &b->scale, sizeof a->scale) == 0);
    FUZZ_CHECK(!a->data == !b->data);
    FUZZ_CHECK(!a->data || dry_shape_data_hash(a->data) == dry_shape_data_hash(b->data));
    const float x[] = {
        a->radius,      a->half_length,        a->offset,          a->density,           a->friction,
        a->restitution, a->rolling_resistance, a->static_friction, a->contact_stiffness, a->contact_damping};
    const float y[] = {
        b->radius,      b->half_length,        b->offset,          b->density,           b->friction,
        b->restitution, b->rolling_resistance, b->static_friction, b->contact_stiffness, b->contact_damping};
    FUZZ_CHECK(memcmp(x, y, sizeof x) == 0);
    FUZZ_CHECK(a->filter.group == b->filter.group && a->events == b->events);
}

static void check_same_body(const dry_scene_body *a, const dry_scene_body *b)
{
    FUZZ_CHECK(strcmp(a->id, b->id) == 0 && a->def.type == b->def.type);
    FUZZ_CHECK(memcmp(&a->def.pose.position, &b->def.pose.position, sizeof(dry_position)) == 0);
    FUZZ_CHECK(memcmp(&a->def.pose.orientation, &b->def.pose.orientation, sizeof(dry_quat)) == 0);
    FUZZ_CHECK(memcmp(&a->def.velocity, &b->def.velocity, sizeof(dry_velocity)) == 0);
    FUZZ_CHECK(memcmp(&a->def.mass, &b->def.mass, sizeof(float)) == 0 && a->has_mass == b->has_mass);
    FUZZ_CHECK(a->def.linear_damping == b->def.linear_damping);
    FUZZ_CHECK(a->def.angular_damping == b->def.angular_damping);
    FUZZ_CHECK(a->first_shape == b->first_shape && a->def.shape_count == b->def.shape_count);
}

static void check_same_joint(const dry_scene_joint *a, const dry_scene_joint *b)
{
    FUZZ_CHECK(a->body_a == b->body_a && a->body_b == b->body_b && a->def.type == b->def.type);
    FUZZ_CHECK(memcmp(&a->def.anchor_a, &b->def.anchor_a, sizeof(dry_vec3)) == 0);
    FUZZ_CHECK(memcmp(&a->def.anchor_b, &b->def.anchor_b, sizeof(dry_vec3)) == 0);
    FUZZ_CHECK(memcmp(&a->def.orientation_a, &b->def.orientation_a, sizeof(dry_quat)) == 0);
    FUZZ_CHECK(memcmp(&a->def.orientation_b, &b->def.orientation_b, sizeof(dry_quat)) == 0);
    FUZZ_CHECK(memcmp(&a->def.target, &b->def.target, sizeof(dry_position)) == 0);
    const float x[] = {a->def.length,       a->def.length_min,  a->def.length_max,  a->def.stiffness,
                       a->def.damping,      a->def.force_max,   a->def.swing_max,   a->def.break_force,
                       a->def.break_torque, a->def.event_force, a->def.event_torque};
    const float y[] = {b->def.length,       b->def.length_min,  b->def.length_max,  b->def.stiffness,
                       b->def.damping,      b->def.force_max,   b->def.swing_max,   b->def.break_force,
                       b->def.break_torque, b->def.event_force, b->def.event_torque};
    FUZZ_CHECK(memcmp(x, y, sizeof x) == 0 && a->def.collide == b->def.collide);
    FUZZ_CHECK(a->def.solver == b->def.solver);
    FUZZ_CHECK(memcmp(a->def.axes, b->def.axes, sizeof a->def.axes) == 0);
}

static void check_same_scene(const dry_scene *a, const dry_scene *b)
{
    FUZZ_CHECK(strcmp(a->name, b->name) == 0);
    FUZZ_CHECK(memcmp(&a->gravity, &b->gravity, sizeof a->gravity) == 0);
    FUZZ_CHECK(memcmp(&a->dt, &b->dt, sizeof a->dt) == 0);
    FUZZ_CHECK(a->body_count == b->body_count && a->shape_count == b->shape_count);
    FUZZ_CHECK(a->joint_count == b->joint_count);
    for (int i = 0; i < a->body_count; ++i)
        check_same_body(&a->bodies[i], &b->bodies[i]);
    FUZZ_CHECK(a->form_count == b->form_count);
    for (int i = 0; i < a->form_count; ++i)
        FUZZ_CHECK(a->forms[i].contents == b->forms[i].contents);
    for (int i = 0; i < a->shape_count; ++i)
        check_same_shape(&a->shapes[i], &b->shapes[i]);
    for (int i = 0; i < a->joint_count; ++i)
        check_same_joint(&a->joints[i], &b->joints[i]);
}

/* Writes a scene and reads it again. */
static void check_written(const dry_scene *scene)
{
    char once[PATH_BYTES], twice[PATH_BYTES], error[512] = "";
    dry_scene again;
    path_of("once.json", once);
    path_of("twice.json", twice);
    bool ok = dry_scene_write(scene, once, error, sizeof error) &&
              dry_scene_read(once, &again, error, sizeof error);
    fuzz_place("%s", error);
    FUZZ_CHECK(ok);
    check_same_scene(scene, &again);
    FUZZ_CHECK(dry_scene_write(&again, twice, error, sizeof error));
    FUZZ_CHECK(hash_of_file(once) == hash_of_file(twice));
    dry_scene_free(&again);
}

typedef struct twin {
    dry_world *world;
    counting_allocator counter;
    dry_body_id ids[BODIES_BUILT_MAX];
    dry_result result;
} twin;

static void build_twin(const dry_scene *scene, dry_isa isa, dry_solver solver, twin *t)
{
    memset(t, 0, sizeof *t);
    t->counter.fail_at = -1;
    dry_world_def def = dry_default_world_def();
    def.tag = 7;
    def.threads = 1;
    def.isa = isa;
    def.settings.gravity = scene->gravity;
    def.settings.method.solver = solver;
    def.allocator = counting_hooks(&t->counter);
    FUZZ_CHECK(dry_world_create(&def, &t->world) == DRY_OK);
    t->result = dry_scene_build(scene, t->world, t->ids);
}

static bool is_finite(dry_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/* Checks that all that can be read of a joint is finite. */
static void check_joint_finite(const dry_world *world, dry_joint_id id)
{
    dry_vec3 impulse, force, torque;
    float error_m, error_rad;
    FUZZ_CHECK(dry_joint_get_impulse(world, id, &impulse) == DRY_OK && is_finite(impulse));
    FUZZ_CHECK(dry_joint_get_reaction(world, id, &force, &torque) == DRY_OK);
    FUZZ_CHECK(is_finite(force) && is_finite(torque));
    FUZZ_CHECK(dry_joint_get_error(world, id, &error_m, &error_rad) == DRY_OK);
    FUZZ_CHECK(isfinite(error_m) && isfinite(error_rad));
    for (int axis = 0; axis < DRY_AXIS_COUNT; ++axis) {
        dry_joint_axis_state now;
        if (dry_joint_get_axis(world, id, (dry_axis)axis, &now) != DRY_OK)
            continue;
        FUZZ_CHECK(isfinite(now.value) && isfinite(now.speed) && isfinite(now.spring_force));
        FUZZ_CHECK(isfinite(now.motor_force) && isfinite(now.friction_force) && isfinite(now.stop_force));
    }
}

/* Checks that all that can be read of the moving bodies, joints and contacts is finite. */
static void check_finite(const twin *t, int body_count)
{
    static dry_contact contacts[FUZZ_PAIRS_MAX];
    const dry_statistics statistics = dry_world_statistics(t->world);
    int disabled = 0;
    for (int i = 0; i < body_count; ++i) {
        dry_body_def def;
        FUZZ_CHECK(dry_body_get_def(t->world, t->ids[i], &def) == DRY_OK);
        const dry_position p = def.pose.position;
        const dry_quat q = def.pose.orientation;
        const dry_vec3 v = def.velocity.linear, w = def.velocity.angular;
        FUZZ_CHECK(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
        FUZZ_CHECK(isfinite(q.x) && isfinite(q.y) && isfinite(q.z) && isfinite(q.w));
        FUZZ_CHECK(isfinite(v.x) && isfinite(v.y) && isfinite(v.z));
        FUZZ_CHECK(isfinite(w.x) && isfinite(w.y) && isfinite(w.z));
        disabled += !def.enabled;
        dry_joint_id joints[64];
        int count;
        FUZZ_CHECK(dry_body_get_joints(t->world, t->ids[i], joints, 64, &count) == DRY_OK);
        for (int k = 0; k < count && k < 64; ++k)
            check_joint_finite(t->world, joints[k]);
    }
    FUZZ_CHECK(disabled == statistics.quarantined_bodies);
    const int count = dry_world_get_contacts(t->world, contacts, FUZZ_PAIRS_MAX);
    for (int i = 0; i < count && i < FUZZ_PAIRS_MAX; ++i) {
        FUZZ_CHECK(isfinite(contacts[i].normal.x + contacts[i].normal.y + contacts[i].normal.z));
        for (int k = 0; k < contacts[i].point_count; ++k)
            FUZZ_CHECK(isfinite(contacts[i].points[k].separation) &&
                       isfinite(contacts[i].points[k].normal_impulse_Ns));
    }
}

/* Any scene file that can be read can be built: the reader checks the ranges. */
static void check_built(const dry_scene *scene, uint64_t random)
{
    static twin a, b;
    /* A method refuses what it cannot honor, springs or direct joints; Gauss-Seidel takes every scene. */
    dry_solver solver = (dry_solver)((random >> 8 & 0xff) % DRY_SOLVER_COUNT);
    build_twin(scene, fuzz_isa((unsigned)random & 15), solver, &a);
    if (a.result == DRY_ERROR_ARGUMENT && solver != DRY_SOLVER_GAUSS_SEIDEL) {
        dry_world_destroy(a.world);
        FUZZ_CHECK(a.counter.bytes == 0 && a.counter.wrong == 0);
        solver = DRY_SOLVER_GAUSS_SEIDEL;
        build_twin(scene, fuzz_isa((unsigned)random & 15), solver, &a);
    }
    build_twin(scene, fuzz_isa((unsigned)(random >> 4 & 15)), solver, &b);
    FUZZ_CHECK(a.result == b.result && a.result == DRY_OK);
    fuzz_sums.built++;
    for (int i = 0; i < STEPS; ++i) {
        fuzz_place("step %d", i);
        fuzz_sums.steps++;
        FUZZ_CHECK(dry_world_step(a.world, scene->dt) == DRY_OK);
        FUZZ_CHECK(dry_world_step(b.world, scene->dt) == DRY_OK);
        FUZZ_CHECK(dry_world_hash(a.world) == dry_world_hash(b.world));
        fuzz_sums.quarantines += (uint64_t)dry_world_events(b.world).quarantine_count;
        check_finite(&a, scene->body_count);
        check_finite(&b, scene->body_count);
    }
    dry_world_destroy(a.world);
    dry_world_destroy(b.world);
    FUZZ_CHECK(a.counter.bytes == 0 && a.counter.wrong == 0);
    FUZZ_CHECK(b.counter.bytes == 0 && b.counter.wrong == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[PATH_BYTES], error[512] = "";
    dry_scene scene;
    make_folder();
    fuzz_count_input();
    path_of("input.json", path);
    write_bytes(path, data, size);
    if (!dry_scene_read(path, &scene, error, sizeof error)) {
        FUZZ_CHECK(error[0] && strlen(error) < sizeof error && !strpbrk(error, "\n\r\t\033"));
        return 0;
    }
    check_written(&scene);
    if (scene.body_count <= BODIES_BUILT_MAX && scene.shape_count <= SHAPES_BUILT_MAX)
        check_built(&scene, fuzz_hash(FUZZ_HASH_BEGIN, data, size) >> 20);
    dry_scene_free(&scene);
    return 0;
}
