/* Checks the ranges of a scene: those of include/drystone/ for bodies, shapes and joints, and those of the
 * scene file (no zero size, half-spaces on static bodies only, unique ids).
 *
 * Reads a dry_scene with arbitrary numbers; writes one error line. Every comparison is false for NaN. */
#include "scenes/scene_parts.h"

#include <math.h>
#include <stdio.h>

/* The place of a value in a scene; indices that do not apply are -1. */
typedef struct place {
    int body, shape, joint;
    char *error;
    size_t error_bytes;
} place;

/* Writes a place such as bodies[3].shapes[0].radius; with a component, bodies[3].position[1]. */
static void place_text(const place *at, const char *field, int component, char *text, size_t bytes)
{
    char part[32] = "", owner[64] = "";
    if (component >= 0)
        snprintf(part, sizeof part, "[%d]", component);
    if (at->joint >= 0)
        snprintf(owner, sizeof owner, "joints[%d].", at->joint);
    else if (at->shape >= 0)
        snprintf(owner, sizeof owner, "bodies[%d].shapes[%d].", at->body, at->shape);
    else if (at->body >= 0)
        snprintf(owner, sizeof owner, "bodies[%d].", at->body);
    snprintf(text, bytes, "%s%s%s", owner, field, part);
}

static bool expect_at(const place *at, const char *field, int component, const char *expected, double got)
{
    char text[128];
    place_text(at, field, component, text, sizeof text);
    return dry_scene_fail(at->error, at->error_bytes, "%s: expected %s, got %.9g", text, expected, got);
}

static bool expect_range(const place *at, const char *field, int component, float x, float low, float high)
{
    if (x >= low && x <= high)
        return true;
    char expected[64];
    snprintf(expected, sizeof expected, "a number from %g to %g", (double)low, (double)high);
    return expect_at(at, field, component, expected, (double)x);
}

static bool expect_components(const place *at, const char *field, dry_vec3 v, float low, float high)
{
    return expect_range(at, field, 0, v.x, low, high) && expect_range(at, field, 1, v.y, low, high) &&
           expect_range(at, field, 2, v.z, low, high);
}

static double length(dry_vec3 v)
{
    return sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
}

static bool expect_length(const place *at, const char *field, dry_vec3 v, double max)
{
    double got = length(v);
    if (got <= max)
        return true;
    char expected[64];
    snprintf(expected, sizeof expected, "a vector of length at most %g", max);
    return expect_at(at, field, -1, expected, got);
}

static bool expect_unit(const place *at, const char *field, double got)
{
    return fabs(got - 1.0) <= 1e-3 || expect_at(at, field, -1, "unit length within 0.001", got);
}

static bool expect_rotation(const place *at, const char *field, dry_quat q)
{
    return expect_unit(at, field,
                       sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w));
}

static bool check_shape(const place *at, const dry_shape_def *shape, dry_body_type body_type)
{
    bool ok = true;
    switch (shape->type) {
    case DRY_SHAPE_BOX:
        ok = expect_components(at, "half_extents", shape->half_extents, 1e-4f, 1e6f);
        break;
    case DRY_SHAPE_CAPSULE:
        ok = expect_range(at, "radius", -1, shape->radius, 1e-4f, 1e6f) &&
             expect_range(at, "half_length", -1, shape->half_length, 0.0f, 1e6f);
        /* The scene file allows no size of zero: a capsule without length is a sphere. */
        if (ok && !(shape->half_length > 0.0f))
            ok = expect_at(at, "half_length", -1, "more than 0", (double)shape->half_length);
        break;
    case DRY_SHAPE_SPHERE:
        ok = expect_range(at, "radius", -1, shape->radius, 1e-4f, 1e6f);
        break;
    case DRY_SHAPE_HALFSPACE:
        if (body_type != DRY_BODY_STATIC)
            return dry_scene_fail(at->error, at->error_bytes,
                                  "bodies[%d].shapes[%d].type: expected a static body under a halfspace, got "
                                  "a %s one",
                                  at->body, at->shape,
                                  body_type == DRY_BODY_DYNAMIC ? "dynamic" : "kinematic");
        ok = expect_unit(at, "normal", length(shape->normal)) &&
             expect_range(at, "offset", -1, shape->offset, -1e6f, 1e6f);
        break;
    default:
        return expect_at(at, "type", -1, "a known shape type", (double)shape->type);
    }
    return ok && expect_length(at, "position", shape->pose.position, 1e6) &&
           expect_rotation(at, "orientation", shape->pose.orientation) &&
           expect_range(at, "density", -1, shape->density, 0.0f, 1e9f) &&
           expect_range(at, "friction", -1, shape->friction, 0.0f, 1e3f) &&
           expect_range(at, "restitution", -1, shape->restitution, 0.0f, 1.0f) &&
           expect_range(at, "rolling_resistance", -1, shape->rolling_resistance, 0.0f, 1e3f);
}

static double volume(const dry_shape_def *shape)
{
    const double pi = 3.14159265358979323846;
    double r = (double)shape->radius;
    switch (shape->type) {
    case DRY_SHAPE_SPHERE:
        return 4.0 / 3.0 * pi * r * r * r;
    case DRY_SHAPE_CAPSULE:
        return pi * r * r * (4.0 / 3.0 * r + 2.0 * (double)shape->half_length);
    case DRY_SHAPE_BOX:
        return 8.0 * (double)shape->half_extents.x * (double)shape->half_extents.y *
               (double)shape->half_extents.z;
    default:
        return 0.0;
    }
}

static bool check_body(const dry_scene *scene, place at)
{
    const dry_scene_body *body = &scene->bodies[at.body];
    const dry_body_def *def = &body->def;
    if (body->id[0] == '\0')
        return dry_scene_fail(at.error, at.error_bytes,
                              "bodies[%d].id: expected a string of at least one character", at.body);
    if ((unsigned)def->type >= DRY_BODY_TYPE_COUNT)
        return expect_at(&at, "type", -1, "a known body type", (double)def->type);
    const double position[3] = {def->pose.position.x, def->pose.position.y, def->pose.position.z};
    for (int k = 0; k < 3; k++)
        if (!(fabs(position[k]) <= 1e9))
            return expect_at(&at, "position", k, "a number from -1e+09 to 1e+09", position[k]);
    if (!expect_rotation(&at, "orientation", def->pose.orientation) ||
        !expect_length(&at, "velocity", def->velocity.linear, 1e5) ||
        !expect_length(&at, "angular_velocity", def->velocity.angular, 1e4))
        return false;
    if (body->has_mass && !(def->mass > 0.0f && (double)def->mass <= DRY_SCENE_MASS_MAX))
        return expect_at(&at, "mass", -1, "more than 0 and at most 1e+15", (double)def->mass);

    double mass = 0.0;
    for (int i = 0; i < def->shape_count; i++) {
        const dry_shape_def *shape = &scene->shapes[body->first_shape + i];
        at.shape = i;
        if (!check_shape(&at, shape, def->type))
            return false;
        mass += volume(shape) * (double)shape->density;
    }
    at.shape = -1;
    if (def->type == DRY_BODY_DYNAMIC && !body->has_mass && mass > DRY_SCENE_MASS_MAX)
        return expect_at(&at, "shapes", -1, "a mass of at most 1e+15 kg together", mass);
    return true;
}

static bool check_joint(const dry_scene *scene, place at)
{
    const dry_scene_joint *joint = &scene->joints[at.joint];
    const dry_joint_def *def = &joint->def;
    if ((unsigned)def->type >= DRY_JOINT_TYPE_COUNT)
        return expect_at(&at, "type", -1, "a known joint type", (double)def->type);
    const int ends[2] = {joint->body_a, joint->body_b};
    for (int k = 0; k < 2; k++)
        if (ends[k] < 0 || ends[k] >= scene->body_count)
            return expect_at(&at, k == 0 ? "body_a" : "body_b", -1, "the index of a body", (double)ends[k]);
    if (joint->body_a == joint->body_b)
        return dry_scene_fail(at.error, at.error_bytes,
                              "joints[%d].body_b: expected another body than body_a", at.joint);
    if (scene->bodies[joint->body_a].def.type != DRY_BODY_DYNAMIC &&
        scene->bodies[joint->body_b].def.type != DRY_BODY_DYNAMIC)
        return dry_scene_fail(at.error, at.error_bytes,
                              "joints[%d].body_a: expected at least one of the two bodies to be dynamic",
                              at.joint);
    if (!expect_components(&at, "anchor_a", def->anchor_a, -1e6f, 1e6f) ||
        !expect_components(&at, "anchor_b", def->anchor_b, -1e6f, 1e6f) ||
        !expect_range(&at, "stiffness", -1, def->stiffness, 0.0f, 1e15f) ||
        !expect_range(&at, "damping", -1, def->damping, 0.0f, 1e15f))
        return false;
    if (def->stiffness == 0.0f && def->damping != 0.0f)
        return expect_at(&at, "damping", -1, "0 for a joint without stiffness", (double)def->damping);
    const dry_scene_joint_field *fields = dry_scene_joint_forms[def->type].fields;
    for (const dry_scene_joint_field *f = fields; f->name; f++) {
        float value = *(const float *)(const void *)((const char *)def + f->offset);
        if (!expect_range(&at, f->name, -1, value, 0.0f, f->high))
            return false;
    }
    return true;
}

static bool check_ids(const dry_scene *scene, char *error, size_t error_bytes)
{
    dry_scene_ids ids;
    int duplicate;
    if (!dry_scene_ids_make(&ids, scene, &duplicate))
        return dry_scene_fail(error, error_bytes, "out of memory");
    if (duplicate >= 0) {
        const char *id = scene->bodies[duplicate].id;
        dry_scene_fail(error, error_bytes,
                       "bodies[%d].id: expected an id of its own, got \"%.60s\", which is also bodies[%d]",
                       duplicate, id, dry_scene_ids_find(&ids, scene, id));
    }
    dry_scene_ids_free(&ids);
    return duplicate < 0;
}

bool dry_scene_check(const dry_scene *scene, char *error, size_t error_bytes)
{
    place at = {.body = -1, .shape = -1, .joint = -1, .error = error, .error_bytes = error_bytes};
    if (!expect_components(&at, "gravity", scene->gravity, -1e6f, 1e6f))
        return false;
    if (!(scene->dt >= 1e-7f && scene->dt <= 1.0f))
        return expect_at(&at, "dt", -1, "a number from 1e-7 to 1", (double)scene->dt);
    if (scene->body_count > DRY_SCENE_BODIES_MAX)
        return expect_at(&at, "bodies", -1, "at most 16777215 of them", (double)scene->body_count);
    for (at.body = 0; at.body < scene->body_count; at.body++)
        if (!check_body(scene, at))
            return false;
    at.body = -1;
    for (at.joint = 0; at.joint < scene->joint_count; at.joint++)
        if (!check_joint(scene, at))
            return false;
    return check_ids(scene, error, error_bytes);
}
