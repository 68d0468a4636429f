/* Writes a scene as a scene file, under a temporary name until the file is complete.
 *
 * Reads a dry_scene; writes a file. Refuses a scene with a value for which the format has no field. */
#include "tools/scenes/scene_parts.h"
#include "tools/scenes/scene_print.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void print_body(FILE *file, const dry_scene *scene, const dry_scene_body *body)
{
    static const char *const types[DRY_BODY_TYPE_COUNT] = {"static", "kinematic", "dynamic"};
    const dry_body_def *def = &body->def;
    fputs("  {\"id\": ", file);
    dry_print_text(file, body->id);
    fprintf(file, ", \"type\": \"%s\"", types[def->type]);
    dry_print_place(file, "position", def->pose.position);
    dry_print_rotation(file, "orientation", def->pose.orientation);
    dry_print_vector(file, "velocity", def->velocity.linear);
    dry_print_vector(file, "angular_velocity", def->velocity.angular);
    if (body->has_mass)
        dry_print_number(file, "mass", def->mass);
    if (def->linear_damping != 0.0f)
        dry_print_number(file, "linear_damping", def->linear_damping);
    if (def->angular_damping != 0.0f)
        dry_print_number(file, "angular_damping", def->angular_damping);
    fputs(",\n   \"shapes\": [", file);
    for (int i = 0; i < def->shape_count; i++) {
        if (i > 0)
            fputs(",\n    ", file);
        dry_print_shape(file, scene, &scene->shapes[body->first_shape + i]);
    }
    fputs("]}", file);
}

static const char *state_of(const dry_joint_axis *axis)
{
    if (axis->min == axis->max)
        return "locked";
    return axis->min > -INFINITY || axis->max < INFINITY ? "limited" : "free";
}

static void print_axis(FILE *file, const char *name, const dry_joint_axis *axis, bool states)
{
    const dry_joint_axis plain = dry_scene_free_axis();
    const char *before = "";
    fprintf(file, "\"%s\": {", name);
    if (states) {
        fprintf(file, "\"state\": \"%s\"", state_of(axis));
        before = ", ";
    }
    for (const dry_scene_number *n = dry_scene_axis_numbers; n->name; n++) {
        const float x = dry_scene_number_of(axis, n), usual = dry_scene_number_of(&plain, n);
        /* The presence of a motor's target tells which motor there is. */
        if (n->motor != DRY_MOTOR_OFF ? !(axis->motor & n->motor) : memcmp(&x, &usual, sizeof x) == 0)
            continue;
        fprintf(file, "%s\"%s\": ", before, n->name);
        dry_print_float(file, x);
        before = ", ";
    }
    fputc('}', file);
}

/* Prints the axes that differ from those of a joint whose file names none. */
static void print_axes(FILE *file, const dry_joint_def *def, const dry_joint_def *plain)
{
    const dry_scene_joint_form *form = &dry_scene_joint_forms[def->type];
    bool any = false;
    for (int i = 0; i < DRY_AXIS_COUNT; i++) {
        if (!(form->axes >> i & 1) || memcmp(&def->axes[i], &plain->axes[i], sizeof def->axes[i]) == 0)
            continue;
        fputs(any ? ",\n      " : ",\n   \"axes\": {", file);
        print_axis(file, dry_scene_axis_names[i], &def->axes[i], form->states);
        any = true;
    }
    fputs(any ? "}" : "", file);
}

static void print_body_a(FILE *file, const dry_scene *scene, const dry_scene_joint *joint)
{
    fputs(", \"body_a\": ", file);
    if (joint->body_a == DRY_SCENE_WORLD)
        fputs("null", file);
    else
        dry_print_text(file, scene->bodies[joint->body_a].id);
}

static void print_joint(FILE *file, const dry_scene *scene, const dry_scene_joint *joint)
{
    const dry_joint_def *def = &joint->def, plain = dry_default_joint_def(def->type);
    const dry_scene_joint_form *form = &dry_scene_joint_forms[def->type];
    fprintf(file, "  {\"type\": \"%s\"", form->name);
    print_body_a(file, scene, joint);
    fputs(", \"body_b\": ", file);
    dry_print_text(file, scene->bodies[joint->body_b].id);
    if (joint->body_a == DRY_SCENE_WORLD)
        dry_print_place(file, "target", def->target);
    if (def->type != DRY_JOINT_TARGET && !form->bare)
        dry_print_vector(file, "anchor_a", def->anchor_a);
    if (!form->bare)
        dry_print_vector(file, "anchor_b", def->anchor_b);
    if (form->corners) {
        fputs(", \"body_c\": ", file);
        dry_print_text(file, scene->bodies[joint->body_c].id);
        fputs(", \"body_d\": ", file);
        dry_print_text(file, scene->bodies[joint->body_d].id);
        dry_print_vector(file, "anchor_c", joint->anchor_c);
        dry_print_vector(file, "anchor_d", joint->anchor_d);
    }
    if (form->framed) {
        dry_print_rotation(file, "orientation_a", def->orientation_a);
        dry_print_rotation(file, "orientation_b", def->orientation_b);
    }
    for (const dry_scene_number *n = dry_scene_joint_numbers; n->name; n++) {
        const float x = dry_scene_number_of(def, n), usual = dry_scene_number_of(&plain, n);
        if (dry_scene_joint_needs(def, n) || memcmp(&x, &usual, sizeof x) != 0)
            dry_print_number(file, n->name, x);
    }
    if (def->collide)
        fputs(", \"collide\": true", file);
    if (def->solver != DRY_JOINT_SOLVER_WORLD)
        fprintf(file, ", \"solver\": \"%s\"",
                dry_scene_joint_solver_names[def->solver - DRY_JOINT_SOLVER_ITERATIVE]);
    print_axes(file, def, &plain);
    fputc('}', file);
}

static void print_scene(FILE *file, const dry_scene *scene)
{
    fputs("{\"format\": \"drystone-scene\",\n \"version\": 1,\n \"name\": ", file);
    dry_print_text(file, scene->name ? scene->name : "");
    dry_print_vector(file, "gravity", scene->gravity);
    dry_print_number(file, "dt", scene->dt);
    fputs(",\n \"bodies\": [\n", file);
    for (int i = 0; i < scene->body_count && !ferror(file); i++) {
        print_body(file, scene, &scene->bodies[i]);
        fputs(i + 1 < scene->body_count ? ",\n" : "", file);
    }
    fputs("],\n \"joints\": [\n", file);
    for (int i = 0; i < scene->joint_count && !ferror(file); i++) {
        print_joint(file, scene, &scene->joints[i]);
        fputs(i + 1 < scene->joint_count ? ",\n" : "", file);
    }
    fputs("]}\n", file);
}

/* Names a field of the definition that the format lacks and that differs from the reader's default; null if
 * none. */
static const char *unwritable_body(const dry_body_def *def)
{
    dry_body_def plain = dry_default_body_def();
    if (def->gravity_scale != plain.gravity_scale)
        return "gravity_scale";
    if (def->locks != plain.locks)
        return "locks";
    if (def->enabled != plain.enabled || def->awake != plain.awake || def->can_sleep != plain.can_sleep)
        return "enabled, awake, can_sleep";
    return def->user_data != plain.user_data ? "user_data" : NULL;
}

static const char *unwritable_shape(const dry_shape_def *def)
{
    dry_shape_def plain = dry_default_shape_def();
    if (def->filter.category != plain.filter.category || def->filter.mask != plain.filter.mask)
        return "filter";
    return def->user_data != plain.user_data ? "user_data" : NULL;
}

static bool check_writable(const dry_scene *scene, char *error, size_t error_bytes)
{
    for (int i = 0; i < scene->body_count; i++) {
        const dry_scene_body *body = &scene->bodies[i];
        const char *field = unwritable_body(&body->def);
        for (int k = 0; !field && k < body->def.shape_count; k++)
            field = unwritable_shape(&scene->shapes[body->first_shape + k]);
        if (field)
            return dry_scene_fail(error, error_bytes,
                                  "bodies[%d]: expected default %s, which a scene file cannot hold", i,
                                  field);
    }
    for (int i = 0; i < scene->joint_count; i++)
        if (scene->joints[i].def.user_data != 0)
            return dry_scene_fail(error, error_bytes,
                                  "joints[%d]: expected default user_data, which a scene file cannot hold",
                                  i);
    return true;
}

/* Creates a new file beside `path`; *name comes from malloc. */
static FILE *open_beside(const char *path, char **name)
{
    size_t bytes = strlen(path) + 16;
    *name = malloc(bytes);
    for (int i = 0; *name && i < 100; i++) {
        snprintf(*name, bytes, "%s.part%d", path, i);
        FILE *file = fopen(*name, "wx");
        if (file || errno != EEXIST)
            return file;
    }
    return NULL;
}

bool dry_scene_print(const dry_scene *scene, FILE *stream, char *error, size_t error_bytes)
{
    if (!dry_scene_check(scene, error, error_bytes) || !check_writable(scene, error, error_bytes))
        return false;
    print_scene(stream, scene);
    return true;
}

bool dry_scene_write(const dry_scene *scene, const char *path, char *error, size_t error_bytes)
{
    char what[256];
    if (!dry_scene_check(scene, what, sizeof what) || !check_writable(scene, what, sizeof what))
        return dry_scene_fail(error, error_bytes, "%s: %s", path, what);

    /* Renaming cannot replace a device or a pipe, which is therefore written directly. */
    struct stat status;
    bool direct = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    char *name = NULL;
    FILE *file = direct ? fopen(path, "w") : open_beside(path, &name);
    if (!file) {
        dry_scene_fail(error, error_bytes, "%s: expected a path to write to: %s", path, strerror(errno));
        free(name);
        return false;
    }
    errno = 0;
    print_scene(file, scene);
    bool ok = !ferror(file);
    int reason = errno;
    if (fclose(file) != 0 && ok) {
        reason = errno;
        ok = false;
    }
    if (ok && !direct && rename(name, path) != 0) {
        reason = errno;
        ok = false;
    }
    if (!ok) {
        dry_scene_fail(error, error_bytes, "%s: expected room to write to: %s", path, strerror(reason));
        if (!direct)
            remove(name);
    }
    free(name);
    return ok;
}
