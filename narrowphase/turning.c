/* Contacts whose bodies turn: where their planes and points are in the middle of the step.
 *
 * A plane turns with its body, and a point is fixed in the other one. The point of a round side lies where
 * its surface faces the plane. Two round sides roll on each other, and edges that cross take the mean of both
 * bodies. Called by solver/sweeps/contacts/arms.c. */
#include "narrowphase/turning.h"

#include "core/rotation.h"
#include "geometry/triangles.h"
#include "narrowphase/piece.h"

#include <float.h>
#include <math.h>

/* A body as it moves when the step begins. */
typedef struct turning_body {
    const dry_body_pose *pose;
    const dry_body_mass *mass;
    const dry_body_velocity *velocity;
} turning_body;

typedef struct turning_side {
    const turning_body *body;
    int type;     /* of the shape */
    float size;   /* the first of its sizes, m */
    dry_quat own; /* its orientation in its body's principal frame */
    dry_quat turn;
    float radius;  /* of a side that rolls, about a point, a segment or an axis; else 0 */
    dry_vec3 axis; /* that axis; else zero */
} turning_side;

/* Rotates a vector. One function: the compiler would write it out two dozen times. */
DRY_NOINLINE static dry_vec3 rotated(dry_quat q, dry_vec3 v)
{
    return quat_rotate(q, v);
}

/* Returns by what something turns. */
static dry_quat turn_of(dry_vec3 angular, float ahead)
{
    const dry_vec3 v = vec3_scale(angular, ahead);
    if (vec3_is_zero(v))
        return quat_identity();
    return dry_rotation_is_small(v) ? quat_from_small_rotation(v) : dry_quat_of_rotation(v);
}

DRY_NOINLINE static dry_quat orientation_of(const turning_side *s)
{
    const dry_quat own = s->own, q = s->body->pose->orientation;
    return quat_is_identity(own) ? q : quat_mul(q, own);
}

/* Tells whether the cosine of two directions is that of one. */
static bool is_along(float cosine)
{
    return cosine > 1.0f - (float)(1 << 10) * FLT_EPSILON;
}

/* Tells of a side that does not roll whether it is a plane across the normal: 1 if it is, 0 if it is not, and
 * 1/2 where its form does not tell. */
static float plane_of(const turning_side *s, dry_vec3 n)
{
    if (s->type == DRY_SHAPE_HALFSPACE || dry_type_has_triangles(s->type))
        return 1.0f;
    if (s->type != DRY_SHAPE_BOX && s->type != DRY_SHAPE_CYLINDER)
        return 0.5f;
    const dry_vec3 own = vec3_abs(quat_rotate_inverse(orientation_of(s), n));
    return is_along(s->type == DRY_SHAPE_CYLINDER ? own.y : vec3_largest(own)) ? 1.0f : 0.0f;
}

/* Returns the way from a side's core to its surface along a normal: about an axis, across it. */
DRY_NOINLINE static dry_vec3 way_out(const turning_side *s, dry_vec3 n, bool turned)
{
    const dry_vec3 axis = turned ? rotated(s->turn, s->axis) : s->axis;
    const dry_vec3 across = vec3_add_scaled(n, -vec3_dot(n, axis), axis);
    return vec3_scale(across, s->radius / dry_max(vec3_length(across), FLT_MIN));
}

/* Finds what of a side rolls on the other. */
static void find_core(turning_side *s, dry_vec3 n)
{
    if (dry_type_is_round(s->type))
        s->radius = s->size;
    if (s->type != DRY_SHAPE_CYLINDER)
        return;
    s->axis = rotated(orientation_of(s), vec3(0.0f, 1.0f, 0.0f));
    s->radius = is_along(dry_abs(vec3_dot(n, s->axis))) ? 0.0f : s->size;
}

/* Finds how the point of a round side moves over it: a ball's along the normal's turning, that of a side
 * round about an axis across the axis alone. */
static void find_rolling_off(const turning_side *s, dry_turning_contact *found)
{
    found->ball = s->radius;
    found->rim = vec3(0.0f, 0.0f, 0.0f);
    if (s->radius == 0.0f || vec3_is_zero(s->axis))
        return;
    const dry_vec3 across = vec3_cross(rotated(s->turn, s->axis), found->normal);
    const float length = dry_max(vec3_length(across), FLT_MIN);
    found->ball = 0.0f;
    found->rim = vec3_scale(across, sqrtf(s->radius / length) / length);
}

/* Returns the axis along which a round side is straight where its normal is n, or zero. */
static dry_vec3 straight_along(const turning_side *s, dry_vec3 n)
{
    const dry_vec3 axis = rotated(orientation_of(s), vec3(0.0f, 1.0f, 0.0f));
    const float along = vec3_dot(n, axis);
    const bool beside = s->type != DRY_SHAPE_SPHERE && is_along(1.0f - 0.5f * along * along);
    return vec3_scale(axis, beside ? 1.0f : 0.0f);
}

/* Returns how fast the normal of a round side turns as a point moves over it at v: curvature times v, 1/s.
 * A side that is round about an axis bends across it alone, and a rim, which is an edge, along it, too. */
DRY_NOINLINE static dry_vec3 curve(const turning_side *s, dry_vec3 n, dry_vec3 v)
{
    const dry_vec3 line = straight_along(s, n), axis = s->type == DRY_SHAPE_CYLINDER ? s->axis : line;
    const float round = 1.0f / s->radius;
    if (vec3_is_zero(axis))
        return vec3_scale(v, round);
    const dry_vec3 across = vec3_cross(axis, n);
    const float length = dry_max(vec3_length(across), FLT_MIN), moved = vec3_dot(across, v) / length;
    const dry_vec3 about = vec3_scale(across, round * moved),
                   rest = vec3_add_scaled(v, -moved / length, across);
    return vec3_is_zero(line) ? vec3_add_scaled(about, (float)(1 << 10) * round, rest) : about;
}

/* Finds how two round sides roll on each other. With their curvatures A and B, the velocity u of b's surface
 * over a's, and e = w x n of its normal, their point moves over b at s = (A + B)^-1 (e - A u), of which its
 * slide is the part along an axis, and the plane over a turns the normal by A (s + u) [Montana]. */
static void roll_over(const turning_side side[2], const dry_manifold *m, dry_vec3 between, dry_vec3 n,
                      dry_turning_contact *found)
{
    const dry_body_velocity *a = side[0].body->velocity, *b = side[1].body->velocity;
    const dry_vec3 arm = rotated(side[1].body->pose->orientation, m->points[0].anchor_b),
                   by_a = vec3_add(a->linear, vec3_cross(a->angular, vec3_add(between, arm))),
                   u = vec3_sub(vec3_add(b->linear, vec3_cross(b->angular, arm)), by_a),
                   turned = vec3_cross(vec3_sub(b->angular, a->angular), n),
                   e = vec3_sub(turned, curve(&side[0], n, u)), x = vec3_perpendicular(n),
                   y = vec3_cross(n, x), line = straight_along(&side[1], n);
    dry_vec3 of[3] = {x, y, e}; /* the sum of curvatures times each */
    for (int i = 0; i < 3; i++)
        of[i] = vec3_add(curve(&side[0], n, of[i]), curve(&side[1], n, of[i]));
    const float xx = vec3_dot(of[0], x), xy = vec3_dot(of[0], y), yy = vec3_dot(of[1], y), trace = xx + yy,
                det = xx * yy - xy * xy;
    /* Sides that lie along one axis have no curvature along it: they roll across it alone. */
    const bool crossed = det > (float)(1 << 10) * FLT_EPSILON * trace * trace;
    const dry_vec3 s = crossed ? vec3_scale(vec3_sub(vec3_scale(e, trace), of[2]), 1.0f / det)
                               : vec3_scale(of[2], 1.0f / (trace * trace));
    found->slide = vec3_scale(line, vec3_dot(line, s));
    found->bend = vec3_cross(n, curve(&side[0], n, vec3_add(s, u)));
}

/* Returns whose plane a contact has: 0 a's, 1 b's, 1/2 that of neither. */
static float find_side(turning_side side[2], bool rolls, dry_vec3 n)
{
    for (int k = 0; k < 2 && rolls; k++)
        find_core(&side[k], n);
    if (side[0].radius > 0.0f || side[1].radius > 0.0f)
        return side[1].radius > 0.0f ? 0.0f : 1.0f;
    const float a = plane_of(&side[0], n), b = a < 1.0f ? plane_of(&side[1], n) : 0.0f;
    return a == 1.0f || (a == 0.5f && b < 1.0f) ? 0.0f : b > 0.0f ? 1.0f : 0.5f;
}

/* Finds the normal in the middle, and what the points have moved besides the rotation of the body that
 * carries them: round ones with their core, and along its axis. */
static void find_normal(const turning_side side[2], const dry_manifold *m, dry_vec3 between, dry_vec3 n,
                        float ahead, dry_turning_contact *found)
{
    if (found->side == 0.5f) { /* edges that cross: both bodies' points say where the contact is */
        const dry_vec3 point = rotated(side[1].body->pose->orientation, m->points[0].anchor_b),
                       by_a = vec3_sub(rotated(side[0].turn, vec3_add(between, point)), found->later);
        found->moved = vec3_scale(vec3_sub(by_a, rotated(side[1].turn, point)), 0.5f);
        found->normal = vec3_normalize_or(vec3_add(rotated(side[0].turn, n), rotated(side[1].turn, n)), n);
        return;
    }
    const turning_side *carrier = &side[found->side < 1.0f], *plane = &side[found->side == 1.0f];
    found->normal = rotated(plane->turn, n);
    found->moved = vec3_add_scaled(vec3_scale(found->slide, ahead), -found->side, found->later);
    if (carrier->radius == 0.0f)
        return;
    const dry_vec3 off =
        vec3_sub(rotated(carrier->turn, way_out(carrier, n, false)), way_out(carrier, found->normal, true));
    found->moved = vec3_add_scaled(found->moved, 1.0f - 2.0f * found->side, off);
}

/* Returns the least speed of an impact that changes a body's spin by 1 rad/s, m/s: twice its radius of
 * gyration, here of the mean of its axes. Infinite: no impulse turns it. */
static float least_impact(const dry_body_mass *m)
{
    const float sum = m->inverse_inertia.x + m->inverse_inertia.y + m->inverse_inertia.z;
    return sum > 0.0f ? 2.0f * sqrtf(3.0f * m->inverse_mass / sum) : INFINITY;
}

/* Tells whether some point of a contact approaches faster than a speed, m/s. */
static bool approaches(const dry_manifold *m, int points, const turning_body body[2], dry_vec3 between,
                       dry_vec3 n, float speed)
{
    const dry_body_velocity *a = body[0].velocity, *b = body[1].velocity;
    const dry_vec3 spin = vec3_sub(b->angular, a->angular),
                   linear = vec3_sub(vec3_sub(b->linear, a->linear), vec3_cross(a->angular, between));
    const float along = vec3_dot(n, linear);
    if (along - vec3_length(spin) * dry_manifold_radius_b(m) >= -speed)
        return false;
    const dry_vec3 about = vec3_cross(n, spin); /* n . (w x r) = r . (n x w) */
    for (int i = 0; i < points; i++)
        if (along + vec3_dot(about, rotated(body[1].pose->orientation, m->points[i].anchor_b)) < -speed)
            return true;
    return false;
}

/* Finds the way between the centers later: straight on, or about the center of a body that no impulse moves,
 * which carries the other one with it. What rolls is not carried. */
static void find_later(const turning_side side[2], dry_vec3 between, float ahead, dry_turning_contact *found)
{
    const turning_body *a = side[0].body, *b = side[1].body;
    const turning_side *carrier = &side[a->mass->inverse_mass > 0.0f];
    const dry_vec3 w = carrier->body->velocity->angular,
                   way = vec3_sub(b->velocity->linear, a->velocity->linear);
    found->later = vec3_add_scaled(between, ahead, way);
    found->gained = vec3(0.0f, 0.0f, 0.0f);
    if (carrier->body->mass->inverse_mass > 0.0f || vec3_is_zero(w) || side[0].radius + side[1].radius > 0.0f)
        return;
    const dry_vec3 past = vec3_sub(way, vec3_cross(w, between));
    found->later = vec3_add_scaled(rotated(carrier->turn, between), ahead, past);
    found->gained = vec3_sub(vec3_add(rotated(carrier->turn, past), vec3_cross(w, found->later)), way);
}

/* Fills a side of a contact, whose body turns for so many seconds. */
static void fill_side(turning_side *s, const dry_contacts *contacts, const dry_shapes *shapes, int contact,
                      int k, const turning_body *body, float ahead)
{
    const dry_manifold *m = &contacts->manifold[contact];
    const dry_shape_form *form = &shapes->form[k ? m->shape_b : m->shape_a];
    *s = (turning_side){.body = body,
                        .type = form->geometry.type,
                        .size = form->geometry.size.x,
                        .own = form->pose.orientation,
                        .turn = turn_of(body->velocity->angular, ahead)};
    if (s->type == DRY_SHAPE_COMPOUND) {
        const dry_piece piece = dry_contact_piece(contacts, shapes, contact, k);
        s->type = piece.geometry.type;
        s->size = piece.geometry.size.x;
        s->own = piece.pose.orientation;
    }
}

/* Returns the way in a step along the surface of a of the middle of a contact's points, and that middle from
 * a's center, m. What is round is carried by its center. */
static dry_vec3 way_over(const dry_contact_link *link, const dry_manifold *m, const turning_body body[2],
                         dry_vec3 between, dry_vec3 n, float dt, dry_vec3 *from)
{
    const dry_body_velocity *a = body[0].velocity, *b = body[1].velocity;
    dry_vec3 arm = vec3_add(m->points[0].anchor_b, m->points[link->points > 1].anchor_b);
    arm = rotated(body[1].pose->orientation, vec3_scale(arm, 0.5f));
    *from = vec3_add(between, arm);
    dry_vec3 u = vec3_sub(vec3_sub(b->linear, a->linear), vec3_cross(a->angular, *from));
    if (!(link->flags & DRY_CONTACT_ROUND))
        u = vec3_add(u, vec3_cross(b->angular, arm));
    return vec3_scale(vec3_add_scaled(u, -vec3_dot(n, u), n), dt);
}

/* Returns how a plane turns as the other body slides over facets that rise: from the one that it is over to
 * the one where the step ends, rad/s. Held where the step begins, a facet would bear bodies past its end, and
 * then push them up, with energy that nobody gave. What bends by over twice the angle of `landing` is an
 * edge, and four points stand on a facet until they have left it. */
static dry_vec3 find_bend(const dry_contacts *contacts, const dry_shapes *shapes, int contact,
                          const turning_body body[2], dry_vec3 between, dry_vec3 n,
                          const dry_turning_time *time)
{
    const dry_vec3 none = vec3(0.0f, 0.0f, 0.0f);
    const dry_contact_link *link = &contacts->link[contact];
    const dry_manifold *m = &contacts->manifold[contact];
    dry_vec3 from;
    const dry_vec3 u = way_over(link, m, body, between, n, time->dt, &from);
    const float way = vec3_length(u), least = (float)(1 << 10) * FLT_EPSILON; /* m, and rad */
    if (link->points > 2 || way < least)
        return none;
    const dry_piece piece = dry_contact_piece(contacts, shapes, contact, 0);
    if (!dry_type_has_triangles(piece.geometry.type))
        return none;
    const dry_quat q = quat_mul(body[0].pose->orientation, piece.pose.orientation), back = quat_conjugate(q);
    const dry_vec3 over = vec3_add_scaled(vec3_add(from, u), way, n),
                   center = rotated(body[0].pose->orientation, piece.pose.position),
                   at = rotated(back, vec3_sub(over, center)),
                   down = rotated(back, vec3_scale(n, -2.0f * way));
    const dry_mesh_ray ray =
        dry_triangles_ray(&piece.geometry, double3_of(at), double3_of(down), DRY_MESH_FRONTS);
    dry_mesh_hit hit;
    if (!dry_triangles_cast_ray(&piece.geometry, &ray, &hit) || hit.slot >= DRY_TRIANGLES_END)
        return none;
    const dry_vec3 then = rotated(q, dry_triangles_normal(&piece.geometry, &hit)), turn = vec3_cross(n, then);
    const float angle = vec3_length(turn);
    const bool bends = vec3_dot(then, u) < 0.0f && angle > least && angle < 2.0f * time->landing * time->dt;
    return bends ? vec3_scale(turn, 1.0f / time->dt) : none;
}

bool dry_turning_find(const dry_bodies *bodies, const dry_contacts *contacts, const dry_shapes *shapes,
                      int contact, const dry_body_velocity velocity[2], dry_vec3 n,
                      const dry_turning_time *time, dry_turning_contact *found)
{
    const dry_contact_link *link = &contacts->link[contact];
    const dry_manifold *m = &contacts->manifold[contact];
    const int a = dry_bodies_row(bodies, link->body_a), b = dry_bodies_row(bodies, link->body_b);
    const turning_body body[2] = {{&bodies->pose[a], &bodies->mass[a], &velocity[0]},
                                  {&bodies->pose[b], &bodies->mass[b], &velocity[1]}};
    const dry_vec3 between = position_sub(body[1].pose->position, body[0].pose->position);
    found->bend = dry_contact_is_child(link) ? find_bend(contacts, shapes, contact, body, between, n, time)
                                             : vec3(0.0f, 0.0f, 0.0f);
    if (!time->turns && vec3_is_zero(found->bend))
        return false;
    const bool resolved = vec3_length_squared(between) * FLT_EPSILON * FLT_EPSILON < 1.0f;
    const float speed = time->landing * dry_min(least_impact(body[0].mass), least_impact(body[1].mass));
    if (!resolved || approaches(m, link->points, body, between, n, speed))
        return false;
    turning_side side[2];
    for (int k = 0; k < 2; k++)
        fill_side(&side[k], contacts, shapes, contact, k, &body[k], time->ahead);
    found->side = find_side(side, link->flags & DRY_CONTACT_ROUND, n);
    found->slide = vec3(0.0f, 0.0f, 0.0f);
    if (side[0].radius > 0.0f && side[1].radius > 0.0f)
        roll_over(side, m, between, n, found);
    if (!vec3_is_zero(found->bend))
        side[0].turn = quat_mul(turn_of(found->bend, time->ahead), side[0].turn);
    find_later(side, between, time->ahead, found);
    find_normal(side, m, between, n, time->ahead, found);
    const turning_side *carrier = &side[found->side < 1.0f];
    find_rolling_off(carrier, found);
    found->carry = carrier->turn;
    found->from = found->side == 1.0f ? between : vec3(0.0f, 0.0f, 0.0f);
    return true;
}
