/* Builds jointed bodies of scenes: bars between points, and joints at points of the world. */
#include "tools/scenes/links.h"

#include <math.h>

dry_point dry_point_add(dry_point a, dry_point b)
{
    return (dry_point){a.x + b.x, a.y + b.y, a.z + b.z};
}

dry_point dry_point_between(dry_point a, dry_point b)
{
    return (dry_point){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
}

static dry_point subtract(dry_point a, dry_point b)
{
    return (dry_point){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double length(dry_point a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

double dry_point_distance(dry_point a, dry_point b)
{
    return length(subtract(a, b));
}

static dry_point cross(dry_point a, dry_point b)
{
    return (dry_point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* v + 2 w (u x v) + 2 u x (u x v) */
dry_point dry_point_rotate(dry_rotation q, dry_point v)
{
    const dry_point u = {q.x, q.y, q.z}, uv = cross(u, v), uuv = cross(u, uv);
    return (dry_point){v.x + 2.0 * (q.w * uv.x + uuv.x), v.y + 2.0 * (q.w * uv.y + uuv.y),
                       v.z + 2.0 * (q.w * uv.z + uuv.z)};
}

static dry_rotation inverse(dry_rotation q)
{
    return (dry_rotation){-q.x, -q.y, -q.z, q.w};
}

dry_rotation dry_rotation_multiply(dry_rotation a, dry_rotation b)
{
    return (dry_rotation){
        a.w * b.x + b.w * a.x + a.y * b.z - a.z * b.y, a.w * b.y + b.w * a.y + a.z * b.x - a.x * b.z,
        a.w * b.z + b.w * a.z + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/* The half angle's sine or cosine, whichever is larger, comes from the direction's x; the other one from its
 * part across x, which does not cancel. */
dry_rotation dry_rotation_toward(dry_point direction)
{
    const double l = length(direction);
    const dry_point d = {direction.x / l, direction.y / l, direction.z / l};
    const double across = sqrt(d.y * d.y + d.z * d.z);
    if (across == 0.0)
        return d.x > 0.0 ? DRY_UPRIGHT : (dry_rotation){0.0, 0.0, 1.0, 0.0};
    const double cosine = d.x > 0.0 ? sqrt(0.5 * (1.0 + d.x)) : 0.5 * across / sqrt(0.5 * (1.0 - d.x));
    const double sine = 0.5 * across / cosine;
    return (dry_rotation){0.0, -d.z / across * sine, d.y / across * sine, cosine};
}

static dry_vec3 rounded(dry_point v)
{
    return (dry_vec3){(float)v.x, (float)v.y, (float)v.z};
}

static dry_quat rounded_rotation(dry_rotation q)
{
    return (dry_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}

dry_link dry_link_add(maker *m, const char *id, dry_body_type type, dry_point at, dry_rotation rotation)
{
    char next[24];
    if (!id)
        snprintf(next, sizeof next, "b%d", ++m->cubes);
    dry_link link = {add_body(m, id ? id : next, type, at.x, at.y, at.z), at, rotation};
    if (!m->failed)
        m->scene->bodies[link.body].def.pose.orientation = rounded_rotation(rotation);
    return link;
}

void dry_link_shape(maker *m, dry_shape_def shape, dry_point at, int group)
{
    shape.pose.position = rounded(at);
    shape.filter.group = group;
    add_shape(m, &shape);
}

dry_link dry_link_bar(maker *m, dry_point from, dry_point to, double half, int group)
{
    const dry_point along = subtract(to, from);
    dry_link bar =
        dry_link_add(m, NULL, DRY_BODY_DYNAMIC, dry_point_between(from, to), dry_rotation_toward(along));
    dry_link_shape(m, box_of((float)(0.5 * length(along)), (float)half, (float)half), (dry_point){0}, group);
    return bar;
}

dry_point dry_link_local(const dry_link *link, dry_point at)
{
    return dry_point_rotate(inverse(link->rotation), subtract(at, link->at));
}

void dry_link_edge(maker *m, const dry_link *link, dry_point from, dry_point to, double half, int group)
{
    const dry_point along = subtract(to, from);
    dry_shape_def beam = box_of((float)(0.5 * length(along)), (float)half, (float)half);
    beam.pose.orientation =
        rounded_rotation(dry_rotation_multiply(inverse(link->rotation), dry_rotation_toward(along)));
    dry_link_shape(m, beam, dry_link_local(link, dry_point_between(from, to)), group);
}

void dry_link_mass(maker *m, const dry_link *link, double mass)
{
    if (m->failed)
        return;
    m->scene->bodies[link->body].def.mass = (float)mass;
    m->scene->bodies[link->body].has_mass = true;
}

void dry_link_move(maker *m, const dry_link *link, dry_point linear, dry_point angular)
{
    if (!m->failed)
        m->scene->bodies[link->body].def.velocity = (dry_velocity){rounded(linear), rounded(angular)};
}

void dry_link_spin(maker *m, const dry_link *link, dry_point pivot, dry_point angular)
{
    dry_link_move(m, link, cross(angular, subtract(link->at, pivot)), angular);
}

static void place_anchors(dry_joint_def *def, const dry_link *a, const dry_link *b, dry_point at)
{
    if (a->body == DRY_SCENE_WORLD)
        def->target = (dry_position){at.x, at.y, at.z};
    else
        def->anchor_a = rounded(dry_link_local(a, at));
    def->anchor_b = rounded(dry_link_local(b, at));
}

void dry_link_join(maker *m, dry_joint_def def, const dry_link *a, const dry_link *b, dry_point at,
                   dry_rotation frame)
{
    place_anchors(&def, a, b, at);
    if (dry_scene_joint_forms[def.type].framed) {
        def.orientation_a = rounded_rotation(dry_rotation_multiply(inverse(a->rotation), frame));
        def.orientation_b = rounded_rotation(dry_rotation_multiply(inverse(b->rotation), frame));
    }
    add_joint(m, def, a->body, b->body);
}

void dry_link_ball(maker *m, const dry_link *a, const dry_link *b, dry_point at)
{
    dry_link_join(m, dry_default_joint_def(DRY_JOINT_BALL), a, b, at, DRY_UPRIGHT);
}

void dry_link_hinge(maker *m, const dry_link *a, const dry_link *b, dry_point at)
{
    const float half_turn_root = 0.70710678f; /* a rotation by -90 degrees about y brings x to z */
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
    place_anchors(&def, a, b, at);
    def.orientation_a = def.orientation_b = (dry_quat){0.0f, -half_turn_root, 0.0f, half_turn_root};
    add_joint(m, def, a->body, b->body);
}
