/* Checks the ranges of a scene: those of include/drystone/ for bodies, shapes and joints, and those of the
 * scene file (no zero size, half-spaces on static bodies only, unique ids).
 *
 * Reads a dry_scene with arbitrary numbers; writes one error line. Every comparison is false for NaN. */
#include "tools/scenes/scene_expect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double shapes_mass(const dry_scene *scene, const dry_scene_body *body)
{
    double mass = 0.0;
    for (int i = 0; i < body->def.shape_count; i++) {
        const dry_shape_def *shape = &scene->shapes[body->first_shape + i];
        mass += dry_scene_volume(scene, shape) * (double)shape->density;
    }
    return mass;
}

double dry_scene_body_mass(const dry_scene *scene, const dry_scene_body *body)
{
    return body->has_mass ? (double)body->def.mass : shapes_mass(scene, body);
}

static bool expect_damping(const place *at, const char *field, float damping)
{
    return (damping >= 0.0f && damping < INFINITY) ||
           expect_at(at, field, -1, "a finite number of at least 0", (double)damping);
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
    if (!expect_damping(&at, "linear_damping", def->linear_damping) ||
        !expect_damping(&at, "angular_damping", def->angular_damping))
        return false;

    for (int i = 0; i < def->shape_count; i++) {
        at.shape = i;
        if (!dry_scene_check_shape(scene, &at, &scene->shapes[body->first_shape + i], def->type))
            return false;
    }
    at.shape = -1;
    const double mass = shapes_mass(scene, body);
    if (def->type == DRY_BODY_DYNAMIC && !body->has_mass && mass > DRY_SCENE_MASS_MAX)
        return expect_at(&at, "shapes", -1, "a mass of at most 1e+15 kg together", mass);
    return true;
}

/* Checks which bodies a joint of four has, and its further anchors. */
static bool check_corners(const dry_scene *scene, place at)
{
    const dry_scene_joint *joint = &scene->joints[at.joint];
    static const char *const names[] = {"body_a", "body_b", "body_c", "body_d"};
    const int bodies[] = {joint->body_a, joint->body_b, joint->body_c, joint->body_d};
    for (int i = 0; i < 4; i++) {
        if (bodies[i] < 0 || bodies[i] >= scene->body_count)
            return expect_at(&at, names[i], -1, "the index of a body", (double)bodies[i]);
        for (int k = 0; k < i; k++)
            if (bodies[k] == bodies[i])
                return dry_scene_fail(at.error, at.error_bytes,
                                      "joints[%d].%s: expected another body than %s", at.joint, names[i],
                                      names[k]);
    }
    return expect_components(&at, "anchor_c", joint->anchor_c, -1e6f, 1e6f) &&
           expect_components(&at, "anchor_d", joint->anchor_d, -1e6f, 1e6f);
}

/* Checks which bodies a joint has. */
static bool check_ends(const dry_scene *scene, place at)
{
    const dry_scene_joint *joint = &scene->joints[at.joint];
    if (dry_scene_joint_forms[joint->def.type].corners)
        return check_corners(scene, at);
    const int a = joint->body_a, b = joint->body_b;
    const bool to_world = a == DRY_SCENE_WORLD;
    if (!to_world && (a < 0 || a >= scene->body_count))
        return expect_at(&at, "body_a", -1, "the index of a body", (double)a);
    if (b < 0 || b >= scene->body_count)
        return expect_at(&at, "body_b", -1, "the index of a body", (double)b);
    if (joint->def.type == DRY_JOINT_TARGET && !to_world)
        return dry_scene_fail(at.error, at.error_bytes,
                              "joints[%d].body_a: expected the world, to which a target joint drags",
                              at.joint);
    if (dry_scene_joint_forms[joint->def.type].bare && to_world)
        return dry_scene_fail(at.error, at.error_bytes,
                              "joints[%d].body_a: expected a body for a filter joint, not the world",
                              at.joint);
    if (a == b)
        return dry_scene_fail(at.error, at.error_bytes,
                              "joints[%d].body_b: expected another body than body_a", at.joint);
    return true;
}

/* Checks the joint's frames: anchors, orientations, and the origin of the world's. Fields that the file does
 * not have must have the bits of their defaults. */
static bool check_frames(const place *at, const dry_scene_joint *joint)
{
    const dry_joint_def *def = &joint->def, usual = dry_default_joint_def(def->type);
    const dry_scene_joint_form *form = &dry_scene_joint_forms[def->type];
    const bool framed = form->framed, to_world = joint->body_a == DRY_SCENE_WORLD;
    const double target[3] = {def->target.x, def->target.y, def->target.z};
    for (int k = 0; k < 3; k++)
        if (!(fabs(target[k]) <= 1e9))
            return expect_at(at, "target", k, "a number from -1e+09 to 1e+09", target[k]);
    if (!expect_components(at, "anchor_a", def->anchor_a, -1e6f, 1e6f) ||
        !expect_components(at, "anchor_b", def->anchor_b, -1e6f, 1e6f) ||
        !expect_rotation(at, "orientation_a", def->orientation_a) ||
        !expect_rotation(at, "orientation_b", def->orientation_b))
        return false;
    const struct {
        bool has;
        const char *field;
        const void *now, *usual;
        size_t bytes;
    } fields[] = {
        {to_world, "target", &def->target, &usual.target, sizeof def->target},
        {def->type != DRY_JOINT_TARGET && !form->bare, "anchor_a", &def->anchor_a, &usual.anchor_a,
         sizeof def->anchor_a},
        {!form->bare, "anchor_b", &def->anchor_b, &usual.anchor_b, sizeof def->anchor_b},
        {framed, "orientation_a", &def->orientation_a, &usual.orientation_a, sizeof def->orientation_a},
        {framed, "orientation_b", &def->orientation_b, &usual.orientation_b, sizeof def->orientation_b},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!fields[i].has && memcmp(fields[i].now, fields[i].usual, fields[i].bytes) != 0)
            return dry_scene_fail(at->error, at->error_bytes,
                                  "joints[%d].%s: expected the default for this joint", at->joint,
                                  fields[i].field);
    return true;
}

static bool expect_number(const place *at, const dry_scene_number *number, float x, float usual)
{
    return x == usual || expect_range(at, number->name, -1, x, number->low, number->high);
}

/* A rule among settings, beyond the range of each. */
typedef struct rule {
    bool broken;
    const char *field, *expected;
    float got;
} rule;

static bool expect_rules(const place *at, const rule *rules, int count)
{
    for (int i = 0; i < count; i++)
        if (rules[i].broken)
            return expect_at(at, rules[i].field, -1, rules[i].expected, (double)rules[i].got);
    return true;
}

static bool check_axis(const place *at, const dry_joint_axis *a)
{
    const dry_joint_axis usual = dry_scene_free_axis();
    for (const dry_scene_number *n = dry_scene_axis_numbers; n->name; n++)
        if (!expect_number(at, n, dry_scene_number_of(a, n), dry_scene_number_of(&usual, n)))
            return false;
    if ((unsigned)a->motor >= DRY_MOTOR_COUNT)
        return expect_at(at, "motor", -1, "a known motor", (double)a->motor);
    const dry_axis_uses u = dry_axis_uses_of(a);
    const rule rules[] = {{a->min > a->max, "min", "a number that max is not below", a->min},
#define X(broken, field, expected, error) {broken, #field, expected, a->field},
                          DRY_JOINT_AXIS_RULES(X) DRY_JOINT_AXIS_SCENE_RULES(X)
#undef X
    };
    return expect_rules(at, rules, sizeof rules / sizeof *rules);
}

static bool check_joint(const dry_scene *scene, place at)
{
    const dry_joint_def *def = &scene->joints[at.joint].def;
    if ((unsigned)def->type >= DRY_JOINT_TYPE_COUNT)
        return expect_at(&at, "type", -1, "a known joint type", (double)def->type);
    if ((unsigned)def->solver >= DRY_JOINT_SOLVER_COUNT)
        return expect_at(&at, "solver", -1, "a known solver of joints", (double)def->solver);
    const bool corners = dry_scene_joint_forms[def->type].corners;
    if (corners && (def->solver == DRY_JOINT_SOLVER_DIRECT || def->solver == DRY_JOINT_SOLVER_AUTO))
        return expect_at(&at, "solver", -1, "iterative or none for a volume joint", (double)def->solver);
    if (corners && !def->collide)
        return dry_scene_fail(at.error, at.error_bytes,
                              "joints[%d].collide: expected true for a volume joint", at.joint);
    if (dry_scene_joint_forms[def->type].bare && (def->collide || def->solver != DRY_JOINT_SOLVER_WORLD))
        return dry_scene_fail(at.error, at.error_bytes,
                              "joints[%d].%s: expected the default for a joint of this type", at.joint,
                              def->collide ? "collide" : "solver");
    if (!check_ends(scene, at) || !check_frames(&at, &scene->joints[at.joint]))
        return false;
    const dry_joint_def usual = dry_default_joint_def(def->type);
    for (const dry_scene_number *n = dry_scene_joint_numbers; n->name; n++) {
        const float x = dry_scene_number_of(def, n), other = dry_scene_number_of(&usual, n);
        if (!dry_scene_joint_has(def->type, n) && memcmp(&x, &other, sizeof x) != 0)
            return expect_at(&at, n->name, -1, "the default for a joint of this type", (double)x);
        if (!expect_number(&at, n, x, other))
            return false;
    }
    const rule rules[] = {
        {def->stiffness == 0.0f && def->damping != 0.0f, "damping", "0 for a joint without stiffness",
         def->damping},
        {def->angular_stiffness == 0.0f && def->angular_damping != 0.0f, "angular_damping",
         "0 for a joint without angular_stiffness", def->angular_damping},
        {def->stiffness != 0.0f && def->friction != 0.0f, "friction", "0 for a ball joint with stiffness",
         def->friction},
        {def->teeth_a != (float)(int)def->teeth_a, "teeth_a", "a whole number", def->teeth_a},
        {def->teeth_b != (float)(int)def->teeth_b || def->teeth_b == 0.0f ||
             def->teeth_a + def->teeth_b == 0.0f,
         "teeth_b", "a whole number, neither 0 nor -teeth_a", def->teeth_b},
        {fabsf(def->radius) < 1e-6f, "radius", "a number of 1e-6 or more, or below 0", def->radius},
        {def->length_min > def->length_max, "length_min", "a number that length_max is not below",
         def->length_min},
    };
    if (!expect_rules(&at, rules, sizeof rules / sizeof *rules))
        return false;
    for (at.axis = 0; at.axis < DRY_AXIS_COUNT; at.axis++) {
        const dry_joint_axis *axis = &def->axes[at.axis];
        if (dry_scene_joint_forms[def->type].axes >> at.axis & 1) {
            if (!check_axis(&at, axis))
                return false;
        } else if (memcmp(axis, &usual.axes[at.axis], sizeof *axis) != 0) {
            return dry_scene_fail(at.error, at.error_bytes,
                                  "joints[%d].axes.%s: expected no such axis for a joint of this type",
                                  at.joint, dry_scene_axis_names[at.axis]);
        }
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
    place at = {.body = -1, .shape = -1, .joint = -1, .axis = -1, .error = error, .error_bytes = error_bytes};
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
