/* Writes a scene as a scene file, under a temporary name until the file is complete.
 *
 * Reads a dry_scene; writes a file. Refuses a scene with a value for which the format has no field. */
#include "scenes/scene_parts.h"
#include "state/surface.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Prints digits with a decimal point, which JSON requires; a locale may have printed a comma. */
static void print_digits(FILE *file, char *digits)
{
    char *comma = strchr(digits, ',');
    if (comma)
        *comma = '.';
    fputs(digits, file);
}

/* Prints 6 digits if they read back exactly, else 9 digits (15 or 17 for a double): 0.6 stays 0.6. */
static void print_float(FILE *file, float x)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.6g", (double)x);
    if ((float)strtod(digits, NULL) != x)
        snprintf(digits, sizeof digits, "%.9g", (double)x);
    print_digits(file, digits);
}

static void print_double(FILE *file, double x)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.15g", x);
    if (strtod(digits, NULL) != x)
        snprintf(digits, sizeof digits, "%.17g", x);
    print_digits(file, digits);
}

static void print_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', file);
        if (*c < 0x20)
            fprintf(file, "\\u%04x", *c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}

static void print_number(FILE *file, const char *key, float x)
{
    fprintf(file, ", \"%s\": ", key);
    print_float(file, x);
}

static void print_floats(FILE *file, const char *key, const float *x, int count)
{
    fprintf(file, ", \"%s\": [", key);
    for (int k = 0; k < count; k++) {
        if (k > 0)
            fputs(", ", file);
        print_float(file, x[k]);
    }
    fputc(']', file);
}

static void print_vector(FILE *file, const char *key, dry_vec3 v)
{
    print_floats(file, key, (const float[]){v.x, v.y, v.z}, 3);
}

static void print_rotation(FILE *file, const char *key, dry_quat q)
{
    print_floats(file, key, (const float[]){q.x, q.y, q.z, q.w}, 4);
}

static void print_place(FILE *file, const char *key, dry_position p)
{
    const double x[3] = {p.x, p.y, p.z};
    fprintf(file, ", \"%s\": [", key);
    for (int k = 0; k < 3; k++) {
        fputs(k > 0 ? ", " : "", file);
        print_double(file, x[k]);
    }
    fputc(']', file);
}

static void print_children(FILE *file, const dry_scene *scene, const dry_scene_form *form);

static void print_points(FILE *file, const dry_scene_form *form)
{
    fputs(", \"points\": [", file);
    for (int i = 0; i < form->point_count; i++) {
        const float x[3] = {form->points[i].x, form->points[i].y, form->points[i].z};
        for (int k = 0; k < 3; k++) {
            fputs(k > 0 ? ", " : i > 0 ? ", [" : "[", file);
            print_float(file, x[k]);
        }
        fputc(']', file);
    }
    fputc(']', file);
    if (form->max_vertices != 0)
        fprintf(file, ", \"max_vertices\": %d", form->max_vertices);
}

/* Prints what a shape and a child of a compound have alike, without the last brace. */
static void print_form(FILE *file, const dry_scene *scene, const dry_shape_def *shape)
{
    fprintf(file, "{\"type\": \"%s\"", dry_scene_shape_names[shape->type]);
    switch (shape->type) {
    case DRY_SHAPE_BOX:
        print_vector(file, "half_extents", shape->half_extents);
        break;
    case DRY_SHAPE_CAPSULE:
    case DRY_SHAPE_CYLINDER:
        print_number(file, "radius", shape->radius);
        print_number(file, "half_length", shape->half_length);
        break;
    case DRY_SHAPE_SPHERE:
        print_number(file, "radius", shape->radius);
        break;
    case DRY_SHAPE_HULL:
        print_points(file, dry_scene_form_of(scene, shape->data));
        break;
    case DRY_SHAPE_COMPOUND:
        print_children(file, scene, dry_scene_form_of(scene, shape->data));
        break;
    default:
        print_vector(file, "normal", shape->normal);
        print_number(file, "offset", shape->offset);
    }
    if (shape->scale.x != 1.0f || shape->scale.y != 1.0f || shape->scale.z != 1.0f)
        print_vector(file, "scale", shape->scale);
    print_vector(file, "position", shape->pose.position);
    print_rotation(file, "orientation", shape->pose.orientation);
}

static void print_children(FILE *file, const dry_scene *scene, const dry_scene_form *form)
{
    fputs(", \"children\": [", file);
    for (int i = 0; i < form->child_count; i++) {
        fputs(i > 0 ? ",\n     " : "\n     ", file);
        print_form(file, scene, &form->children[i]);
        fputc('}', file);
    }
    fputs("]", file);
}

static void print_shape(FILE *file, const dry_scene *scene, const dry_shape_def *shape)
{
    print_form(file, scene, shape);
    print_number(file, "density", shape->density);
#define X(name, standard, high, error, column, member, mix, kept, written, ...)                              \
    if ((written) || shape->name != 0.0f)                                                                    \
        print_number(file, #name, shape->name);
    DRY_SURFACE_NUMBERS(X)
#undef X
    if (shape->filter.group != 0)
        fprintf(file, ", \"group\": %d", (int)shape->filter.group);
    fputc('}', file);
}

static void print_body(FILE *file, const dry_scene *scene, const dry_scene_body *body)
{
    static const char *const types[DRY_BODY_TYPE_COUNT] = {"static", "kinematic", "dynamic"};
    const dry_body_def *def = &body->def;
    fputs("  {\"id\": ", file);
    print_text(file, body->id);
    fprintf(file, ", \"type\": \"%s\"", types[def->type]);
    print_place(file, "position", def->pose.position);
    print_rotation(file, "orientation", def->pose.orientation);
    print_vector(file, "velocity", def->velocity.linear);
    print_vector(file, "angular_velocity", def->velocity.angular);
    if (body->has_mass)
        print_number(file, "mass", def->mass);
    if (def->linear_damping != 0.0f)
        print_number(file, "linear_damping", def->linear_damping);
    if (def->angular_damping != 0.0f)
        print_number(file, "angular_damping", def->angular_damping);
    fputs(",\n   \"shapes\": [", file);
    for (int i = 0; i < def->shape_count; i++) {
        if (i > 0)
            fputs(",\n    ", file);
        print_shape(file, scene, &scene->shapes[body->first_shape + i]);
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
        print_float(file, x);
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
        print_text(file, scene->bodies[joint->body_a].id);
}

static void print_joint(FILE *file, const dry_scene *scene, const dry_scene_joint *joint)
{
    const dry_joint_def *def = &joint->def, plain = dry_default_joint_def(def->type);
    const dry_scene_joint_form *form = &dry_scene_joint_forms[def->type];
    fprintf(file, "  {\"type\": \"%s\"", form->name);
    print_body_a(file, scene, joint);
    fputs(", \"body_b\": ", file);
    print_text(file, scene->bodies[joint->body_b].id);
    if (joint->body_a == DRY_SCENE_WORLD)
        print_place(file, "target", def->target);
    if (def->type != DRY_JOINT_TARGET && !form->bare)
        print_vector(file, "anchor_a", def->anchor_a);
    if (!form->bare)
        print_vector(file, "anchor_b", def->anchor_b);
    if (form->corners) {
        fputs(", \"body_c\": ", file);
        print_text(file, scene->bodies[joint->body_c].id);
        fputs(", \"body_d\": ", file);
        print_text(file, scene->bodies[joint->body_d].id);
        print_vector(file, "anchor_c", joint->anchor_c);
        print_vector(file, "anchor_d", joint->anchor_d);
    }
    if (form->framed) {
        print_rotation(file, "orientation_a", def->orientation_a);
        print_rotation(file, "orientation_b", def->orientation_b);
    }
    for (const dry_scene_number *n = dry_scene_joint_numbers; n->name; n++) {
        const float x = dry_scene_number_of(def, n), usual = dry_scene_number_of(&plain, n);
        if (dry_scene_joint_needs(def, n) || memcmp(&x, &usual, sizeof x) != 0)
            print_number(file, n->name, x);
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
    print_text(file, scene->name ? scene->name : "");
    print_vector(file, "gravity", scene->gravity);
    print_number(file, "dt", scene->dt);
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
