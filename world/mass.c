/* Mass properties: summed from shapes, turned to principal axes, put into the columns [CSE169]. */
#include "geometry/geometry.h"
#include "state/iterators.h"
#include "world/world.h"

#include <string.h>

/* Sizes and densities at the ends of their ranges give masses that single precision cannot carry: what is
 * heavier than the first, or has a larger inverse than the others, counts as these. */
static const double MASS_MAX = 1e15;
static const double INERTIA_RATIO_MIN = 1e-7;
static const float INVERSE_MASS_MAX = 1e15f, INVERSE_INERTIA_MAX = 1e25f;

/* Symmetric 3x3 in double: sums of many shapes, and the rotation to principal axes. */
typedef struct tensor {
    double m[3][3];
} tensor;

static void add_shifted(tensor *t, double mass, const double r[3])
{
    double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t->m[i][j] += mass * ((i == j ? r2 : 0.0) - r[i] * r[j]);
}

static bool is_unturned(dry_quat q)
{
    return q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 1.0f;
}

/* R diag(d) R^T, added. */
static void add_rotated(tensor *t, dry_quat q, const double d[3])
{
    if (is_unturned(q)) {
        for (int i = 0; i < 3; i++)
            t->m[i][i] += d[i];
        return;
    }
    dry_mat3 r = mat3_from_quat(q);
    const dry_vec3 *axis = &r.x;
    for (int k = 0; k < 3; k++) {
        const double a[3] = {axis[k].x, axis[k].y, axis[k].z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                t->m[i][j] += d[k] * a[i] * a[j];
    }
}

dry_mass dry_mass_from_shapes(const dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    double total = 0.0, center[3] = {0.0, 0.0, 0.0};
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);) {
        int s = it.shape;
        const dry_shape_link *link = &world->shapes.link[s];
        double mass = (double)link->density * dry_geometry_volume(&world->shapes.form[s].geometry);
        total += mass;
        const dry_vec3 *at = &dry_shapes_pose(&world->shapes, s)->position;
        center[0] += mass * (double)at->x;
        center[1] += mass * (double)at->y;
        center[2] += mass * (double)at->z;
    }
    dry_mass out = {0};
    if (total <= 0.0)
        return out;
    tensor t = {0};
    for (int i = 0; i < 3; i++)
        center[i] /= total;
    double scale = 1.0;
    if (state->flags & DRY_BODY_MASS_SCALED)
        scale = (double)state->mass / total;
    else if (total > MASS_MAX)
        scale = MASS_MAX / total;
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);) {
        int s = it.shape;
        const dry_transform *pose = dry_shapes_pose(&world->shapes, s);
        const dry_geometry *geometry = &world->shapes.form[s].geometry;
        double mass = (double)world->shapes.link[s].density * dry_geometry_volume(geometry) * scale;
        dry_vec3 unit = dry_geometry_unit_inertia(geometry);
        const double d[3] = {mass * (double)unit.x, mass * (double)unit.y, mass * (double)unit.z};
        add_rotated(&t, pose->orientation, d);
        const double r[3] = {(double)pose->position.x - center[0], (double)pose->position.y - center[1],
                             (double)pose->position.z - center[2]};
        add_shifted(&t, mass, r);
    }
    out.mass = (float)(total * scale);
    out.center = vec3((float)center[0], (float)center[1], (float)center[2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out.inertia[i][j] = (float)t.m[i < j ? i : j][i < j ? j : i];
    return out;
}

static bool is_diagonal(const tensor *t)
{
    return t->m[0][1] == 0.0 && t->m[0][2] == 0.0 && t->m[1][2] == 0.0;
}

/* Jacobi's eigenvalue rotations: t becomes diagonal, the columns of v its axes. An already diagonal tensor
 * keeps the axes it has, so a box's principal frame is the user's frame. */
static void diagonalize(tensor *t, double v[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            v[i][j] = i == j ? 1.0 : 0.0;
    double trace = t->m[0][0] + t->m[1][1] + t->m[2][2];
    for (int sweep = 0; sweep < 32; sweep++) {
        static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
        double off = 0.0;
        for (int k = 0; k < 3; k++) {
            double e = t->m[pairs[k][0]][pairs[k][1]];
            off += e < 0.0 ? -e : e;
        }
        /* Below single precision's last bit of the inertia there is nothing to rotate away. */
        if (off <= 1e-9 * trace)
            return;
        for (int k = 0; k < 3; k++) {
            int p = pairs[k][0], q = pairs[k][1];
            double apq = t->m[p][q];
            if (apq == 0.0)
                continue;
            double theta = (t->m[q][q] - t->m[p][p]) / (2.0 * apq);
            double root = sqrt(theta * theta + 1.0);
            double tangent = theta >= 0.0 ? 1.0 / (theta + root) : -1.0 / (root - theta);
            double c = 1.0 / sqrt(tangent * tangent + 1.0), s = tangent * c;
            for (int i = 0; i < 3; i++) {
                double a = t->m[i][p], b = t->m[i][q];
                t->m[i][p] = c * a - s * b;
                t->m[i][q] = s * a + c * b;
            }
            for (int i = 0; i < 3; i++) {
                double a = t->m[p][i], b = t->m[q][i];
                t->m[p][i] = c * a - s * b;
                t->m[q][i] = s * a + c * b;
            }
            for (int i = 0; i < 3; i++) {
                double a = v[i][p], b = v[i][q];
                v[i][p] = c * a - s * b;
                v[i][q] = s * a + c * b;
            }
        }
    }
}

/* The quaternion of a rotation matrix given by columns v. */
static dry_quat quat_of(double v[3][3])
{
    double t = v[0][0] + v[1][1] + v[2][2], q[4];
    if (t > 0.0) {
        double s = sqrt(t + 1.0) * 2.0;
        q[3] = 0.25 * s;
        q[0] = (v[2][1] - v[1][2]) / s;
        q[1] = (v[0][2] - v[2][0]) / s;
        q[2] = (v[1][0] - v[0][1]) / s;
    } else {
        int i = v[1][1] > v[0][0] ? 1 : 0;
        if (v[2][2] > v[i][i])
            i = 2;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double s = sqrt(v[i][i] - v[j][j] - v[k][k] + 1.0) * 2.0;
        q[i] = 0.25 * s;
        q[3] = (v[k][j] - v[j][k]) / s;
        q[j] = (v[j][i] + v[i][j]) / s;
        q[k] = (v[k][i] + v[i][k]) / s;
    }
    return quat_normalize((dry_quat){(float)q[0], (float)q[1], (float)q[2], (float)q[3]});
}

/* Where a shape is in its body's user frame; a half-space's y axis is turned to the normal and its origin put
 * on the plane. */
static dry_transform user_pose_of(const dry_shapes *shapes, int shape)
{
    const dry_geometry *geometry = &shapes->form[shape].geometry;
    const dry_transform *pose = dry_shapes_pose(shapes, shape);
    if (geometry->type != DRY_SHAPE_HALFSPACE)
        return *pose;
    dry_vec3 n = vec3_normalize_or(geometry->size, vec3(0.0f, 1.0f, 0.0f));
    dry_quat turn = n.y > -0.999999f ? quat_normalize((dry_quat){n.z, 0.0f, -n.x, 1.0f + n.y})
                                     : (dry_quat){1.0f, 0.0f, 0.0f, 0.0f};
    dry_transform plane = {vec3_scale(n, shapes->link[shape].offset), turn};
    return transform_mul(pose, &plane);
}

/* Where a body's shapes and joints are in its principal frame. */
static void place_parts(dry_world *world, int row)
{
    const dry_transform *origin = dry_bodies_origin(&world->bodies, row);
    dry_body_state *state = &world->bodies.state[row];
    world->islands.stale = true; /* they know radii */
    state->radius = 0.0f;
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);) {
        dry_shape_form *form = &world->shapes.form[it.shape];
        dry_transform pose = user_pose_of(&world->shapes, it.shape);
        form->pose = transform_mul(origin, &pose);
        form->pose.orientation = quat_normalize(form->pose.orientation);
        if (form->geometry.type != DRY_SHAPE_HALFSPACE)
            state->radius = dry_max(state->radius, vec3_length(form->pose.position) + form->radius);
    }
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);) {
        dry_joint *joint = &world->joints.joint[it.joint];
        if (it.side)
            joint->anchor_b = transform_point(origin, joint->def.anchor_b);
        else
            joint->anchor_a = transform_point(origin, joint->def.anchor_a);
    }
}

/* What contacts remember in the body's old principal frame, `change` leading to the new one: where they are
 * stays right for whoever asks, and the next step makes new anchors. */
static void move_anchors(dry_world *world, int row, const dry_transform *change)
{
    const dry_body_state *state = &world->bodies.state[row];
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);) {
        dry_manifold *m = &world->contacts.manifold[it.contact];
        if (it.side) {
            for (int i = 0; i < world->contacts.link[it.contact].points; i++)
                m->points[i].anchor_b = transform_point(change, m->points[i].anchor_b);
        } else {
            m->normal = quat_rotate(change->orientation, m->normal);
            m->height += (double)vec3_dot(m->normal, change->position);
        }
    }
    dry_contacts_void_anchors(&world->contacts, state);
}

/* The body's principal frame is now `principal`, given in the user's frame, which stays where it is. */
static void change_frame(dry_world *world, int row, const dry_transform *principal)
{
    dry_bodies *bodies = &world->bodies;
    const dry_transform *origin = dry_bodies_origin(bodies, row), identity = transform_identity();
    dry_transform now = transform_relative(principal, &identity);
    bool own = !transform_is_identity(&now);
    if (!own)
        now = identity; /* and no negative zeros: that of an absent column */
    if (memcmp(&now, origin, sizeof now) == 0)
        return;
    dry_pose user = dry_pose_of_origin(&bodies->pose[row], origin);
    dry_position old_center = bodies->pose[row].position;
    dry_transform from_old = transform_relative(origin, &identity);
    dry_transform change = transform_mul(&now, &from_old);
    bodies->local[row].origin = now;
    bodies->state[row].flags &= ~(uint32_t)DRY_BODY_OWN_FRAME;
    if (own)
        bodies->state[row].flags |= DRY_BODY_OWN_FRAME;
    bodies->pose[row] = dry_bodies_inner_pose(bodies, row, &user);
    /* The body goes on turning as it did: the new centre's velocity is v + omega x r. */
    dry_vec3 moved = position_sub(bodies->pose[row].position, old_center);
    dry_body_velocity *v = &bodies->velocity[row];
    v->linear = vec3_add(v->linear, vec3_cross(v->angular, moved));
    move_anchors(world, row, &change);
}

/* Inverses of principal inertias. What rounding leaves of a rod's smallest may be less than nothing. */
static dry_vec3 inverse_of(double x, double y, double z)
{
    double largest = x > y ? x : y;
    largest = z > largest ? z : largest;
    double least = largest * INERTIA_RATIO_MIN;
    return vec3(dry_min((float)(1.0 / (x > least ? x : least)), INVERSE_INERTIA_MAX),
                dry_min((float)(1.0 / (y > least ? y : least)), INVERSE_INERTIA_MAX),
                dry_min((float)(1.0 / (z > least ? z : least)), INVERSE_INERTIA_MAX));
}

/* A given mass stays while the type changes. Forces and impulses move dynamic bodies only, so others have
 * none and keep it aside. */
static void keep_mass(dry_bodies *bodies, int row)
{
    uint32_t *flags = &bodies->state[row].flags;
    bool keep = bodies->state[row].type != DRY_BODY_DYNAMIC;
    if (keep == ((*flags & DRY_BODY_MASS_KEPT) != 0))
        return;
    *flags ^= DRY_BODY_MASS_KEPT;
    dry_body_mass mass = keep ? bodies->mass[row] : bodies->force[row].kept;
    bodies->mass[row] = keep ? (dry_body_mass){0} : mass;
    bodies->force[row] = (dry_body_force){0};
    if (keep)
        bodies->force[row].kept = mass;
}

/* The principal frame in the user's frame, and the moments of inertia about its axes. */
static dry_transform principal_frame(const dry_mass *mass, double moments[3])
{
    tensor t;
    double v[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t.m[i][j] = (double)mass->inertia[i][j];
    dry_transform frame = {mass->center, quat_identity()};
    if (!is_diagonal(&t)) {
        diagonalize(&t, v);
        frame.orientation = quat_of(v);
    }
    for (int i = 0; i < 3; i++)
        moments[i] = t.m[i][i];
    return frame;
}

bool dry_mass_reserve(dry_world *world, const dry_mass *mass)
{
    double moments[3];
    dry_transform frame = principal_frame(mass, moments);
    return transform_is_identity(&frame) || dry_bodies_need_local(&world->bodies, &world->memory);
}

void dry_mass_apply(dry_world *world, int slot, const dry_mass *mass)
{
    dry_bodies *bodies = &world->bodies;
    int row = dry_bodies_row(bodies, slot);
    dry_body_state *state = &bodies->state[row];
    dry_transform principal = {mass->center, quat_identity()};
    bodies->mass[row] = (dry_body_mass){0};
    if (state->flags & DRY_BODY_MASS_KEPT)
        bodies->force[row] = (dry_body_force){0};
    state->flags &= ~(uint32_t)DRY_BODY_MASS_KEPT;
    if (state->type == DRY_BODY_DYNAMIC && mass->mass > 0.0f) {
        double moments[3];
        principal = principal_frame(mass, moments);
        bodies->mass[row].inverse_mass = dry_min(1.0f / mass->mass, INVERSE_MASS_MAX);
        bodies->mass[row].inverse_inertia = inverse_of(moments[0], moments[1], moments[2]);
    }
    if (!(state->flags & DRY_BODY_MASS_SCALED))
        state->mass = mass->mass;
    world->islands.stale = true; /* they know the ratios of masses */
    change_frame(world, row, &principal);
    place_parts(world, row);
    dry_update_bounds(world, row, vec3(0.0f, 0.0f, 0.0f));
}

void dry_mass_refresh(dry_world *world, int slot)
{
    const dry_bodies *bodies = &world->bodies;
    int row = dry_bodies_row(bodies, slot);
    if (bodies->state[row].flags & DRY_BODY_MASS_GIVEN) {
        keep_mass(&world->bodies, row);
        place_parts(world, row);
        return;
    }
    dry_mass mass = dry_mass_from_shapes(world, slot);
    if (bodies->state[row].type == DRY_BODY_DYNAMIC && mass.mass <= 0.0f) {
        /* No shapes, or none with a density: a unit ball's mass keeps the body movable. */
        float amount = bodies->state[row].flags & DRY_BODY_MASS_SCALED ? bodies->state[row].mass : 1.0f;
        mass = (dry_mass){.mass = amount};
        for (int i = 0; i < 3; i++)
            mass.inertia[i][i] = 0.4f * amount;
    }
    dry_mass_apply(world, slot, &mass);
}

dry_mass dry_mass_of(const dry_world *world, int slot)
{
    const dry_bodies *bodies = &world->bodies;
    int row = dry_bodies_row(bodies, slot);
    dry_mass mass = {0};
    dry_transform identity = transform_identity();
    dry_transform principal = transform_relative(dry_bodies_origin(bodies, row), &identity);
    mass.center = principal.position;
    dry_vec3 inverse = bodies->mass[row].inverse_inertia;
    mass.mass = bodies->mass[row].inverse_mass > 0.0f ? 1.0f / bodies->mass[row].inverse_mass : 0.0f;
    const double d[3] = {inverse.x > 0.0f ? 1.0 / (double)inverse.x : 0.0,
                         inverse.y > 0.0f ? 1.0 / (double)inverse.y : 0.0,
                         inverse.z > 0.0f ? 1.0 / (double)inverse.z : 0.0};
    tensor t = {0};
    add_rotated(&t, principal.orientation, d);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            mass.inertia[i][j] = (float)t.m[i < j ? i : j][i < j ? j : i];
    return mass;
}

const char *dry_mass_error(const dry_mass *mass)
{
    if (!(mass->mass > 0.0f && mass->mass <= 1e15f))
        return "mass must be above 0 and at most 1e15";
    if (!dry_finite3(mass->center, 1e6f))
        return "center must be finite and at most 1e6";
    const float(*m)[3] = mass->inertia;
    float largest = 0.0f;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (!(dry_abs(m[i][j]) <= 1e25f))
                return "inertia must be finite";
            largest = dry_max(largest, dry_abs(m[i][j]));
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            if (dry_abs(m[i][j] - m[j][i]) > 1e-4f * largest)
                return "inertia must be symmetric";
    /* Sylvester's criterion, with room for rounding. */
    double a = m[0][0], b = (double)m[0][0] * (double)m[1][1] - (double)m[0][1] * (double)m[0][1];
    double c = (double)m[0][0] * ((double)m[1][1] * (double)m[2][2] - (double)m[1][2] * (double)m[1][2]) -
               (double)m[0][1] * ((double)m[0][1] * (double)m[2][2] - (double)m[1][2] * (double)m[0][2]) +
               (double)m[0][2] * ((double)m[0][1] * (double)m[1][2] - (double)m[1][1] * (double)m[0][2]);
    double size = (double)largest;
    if (!(a > 1e-9 * size && b > 1e-12 * size * size && c > 1e-18 * size * size * size))
        return "inertia must be positive definite";
    if (largest < 1e-20f)
        return "inertia is too small";
    return NULL;
}
