/* Checks of one value of a scene, with a message that names its place and the expected value. */
#ifndef TOOLS_SCENES_SCENE_EXPECT_H
#define TOOLS_SCENES_SCENE_EXPECT_H

#include "tools/scenes/scene_parts.h"

#include <math.h>
#include <stdio.h>

/* The place of a value in a scene; indices that do not apply are -1. */
typedef struct place {
    int body, shape, joint, axis;
    char *error;
    size_t error_bytes;
} place;

/* Writes a place such as bodies[3].shapes[0].radius or joints[2].axes.rx.min; with a component,
 * bodies[3].position[1]. */
static inline void place_text(const place *at, const char *field, int component, char *text, size_t bytes)
{
    char part[32] = "", owner[64] = "";
    if (component >= 0)
        snprintf(part, sizeof part, "[%d]", component);
    if (at->joint >= 0 && at->axis >= 0)
        snprintf(owner, sizeof owner, "joints[%d].axes.%s.", at->joint, dry_scene_axis_names[at->axis]);
    else if (at->joint >= 0)
        snprintf(owner, sizeof owner, "joints[%d].", at->joint);
    else if (at->shape >= 0)
        snprintf(owner, sizeof owner, "bodies[%d].shapes[%d].", at->body, at->shape);
    else if (at->body >= 0)
        snprintf(owner, sizeof owner, "bodies[%d].", at->body);
    snprintf(text, bytes, "%s%s%s", owner, field, part);
}

static inline bool expect_at(const place *at, const char *field, int component, const char *expected,
                             double got)
{
    char text[256];
    place_text(at, field, component, text, sizeof text);
    return dry_scene_fail(at->error, at->error_bytes, "%s: expected %s, got %.9g", text, expected, got);
}

static inline bool expect_range(const place *at, const char *field, int component, float x, float low,
                                float high)
{
    if (x >= low && x <= high)
        return true;
    char expected[64];
    snprintf(expected, sizeof expected, "a number from %g to %g", (double)low, (double)high);
    return expect_at(at, field, component, expected, (double)x);
}

static inline bool expect_components(const place *at, const char *field, dry_vec3 v, float low, float high)
{
    return expect_range(at, field, 0, v.x, low, high) && expect_range(at, field, 1, v.y, low, high) &&
           expect_range(at, field, 2, v.z, low, high);
}

static inline double length(dry_vec3 v)
{
    return sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
}

static inline bool expect_length(const place *at, const char *field, dry_vec3 v, double max)
{
    double got = length(v);
    if (got <= max)
        return true;
    char expected[64];
    snprintf(expected, sizeof expected, "a vector of length at most %g", max);
    return expect_at(at, field, -1, expected, got);
}

static inline bool expect_unit(const place *at, const char *field, double got)
{
    return fabs(got - 1.0) <= 1e-3 || expect_at(at, field, -1, "unit length within 0.001", got);
}

static inline bool expect_rotation(const place *at, const char *field, dry_quat q)
{
    return expect_unit(at, field,
                       sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w));
}

/* Checks a shape of a body of a type. */
bool dry_scene_check_shape(const dry_scene *scene, const place *at, const dry_shape_def *shape,
                           dry_body_type body_type);
/* Checks the materials of a shape. */
bool dry_scene_check_materials(const place *at, const dry_shape_def *shape);

#endif
