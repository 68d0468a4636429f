/* J, M^-1 and A of a world (system.h). */
#include "tools/lab/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double c[3])
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x, c[1] = y, c[2] = z;
}

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The columns of r are the axes of the body's frame. */
static void rotation(dry_quat q, double r[3][3])
{
    const double n = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
    const double x = q.x / n, y = q.y / n, z = q.z / n, w = q.w / n;
    const double m[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
    };
    memcpy(r, m, sizeof m);
}

static void invert3(double m[3][3], double inverse[3][3])
{
    double c[3][3];
    for (int i = 0; i < 3; i++)
        cross(m[(i + 1) % 3], m[(i + 2) % 3], c[i]);
    const double determinant = dot3(m[0], c[0]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inverse[i][j] = c[j][i] / determinant;
}

/* I^-1 in world axes. Locked angular axes take their rows and columns out of I^-1; more than one locked axis,
 * but not all, is beyond this. */
static void read_mass(lab_run *run, const dry_world *world, lab_system *s, int i)
{
    dry_body_def def;
    dry_mass mass;
    lab_check(run, dry_body_get_def(world, s->id[i], &def));
    if (def.type != DRY_BODY_DYNAMIC || !def.enabled)
        return;
    if (def.locks & ~(unsigned)(DRY_LOCK_ANGULAR_X | DRY_LOCK_ANGULAR_Y | DRY_LOCK_ANGULAR_Z))
        lab_fail(run, "a body with locked linear axes");
    lab_check(run, dry_body_get_mass(world, s->id[i], &mass));
    s->inverse_mass[i] = 1.0 / mass.mass;
    const unsigned angular = def.locks / DRY_LOCK_ANGULAR_X;
    if (angular == 7)
        return;
    if (angular != 0)
        lab_fail(run, "a body with one locked angular axis");
    double inertia[3][3], inverse[3][3], r[3][3];
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            inertia[j][k] = mass.inertia[j][k];
    invert3(inertia, inverse);
    rotation(def.pose.orientation, r);
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < 9; m++)
                s->inverse_inertia[i][3 * j + k] += r[j][m / 3] * inverse[m / 3][m % 3] * r[k][m % 3];
}

int lab_system_index(const lab_system *s, dry_body_id id)
{
    for (int i = 0; i < s->bodies; i++)
        if (s->id[i].bits == id.bits)
            return s->inverse_mass[i] > 0.0 ? i : -1;
    return -1;
}

/* Fills a side of a row: an impulse along `axis` at the world point `at`. */
static void put_side(lab_run *run, const dry_world *world, const lab_system *s, int body, const double at[3],
                     const double axis[3], double sign, double j[6])
{
    if (body < 0)
        return;
    dry_position center;
    lab_check(run, dry_body_get_center(world, s->id[body], &center));
    const double arm[3] = {at[0] - center.x, at[1] - center.y, at[2] - center.z};
    cross(arm, axis, j + 3);
    for (int k = 0; k < 3; k++)
        j[k] = sign * axis[k], j[3 + k] *= sign;
}

static void put_row(lab_run *run, const dry_world *world, lab_system *s, int a, int b, const double at_a[3],
                    const double at_b[3], const double axis[3], double error, double impulse, bool contact)
{
    lab_system_row *row = &s->row[s->rows++];
    *row = (lab_system_row){.a = a, .b = b, .error = error, .impulse = impulse, .contact = contact};
    put_side(run, world, s, a, at_a, axis, -1.0, row->ja);
    put_side(run, world, s, b, at_b, axis, 1.0, row->jb);
}

lab_system_row lab_system_row_at(lab_run *run, const dry_world *world, const lab_system *s, int a, int b,
                                 const double at[3], const double axis[3])
{
    lab_system_row row = {.a = a, .b = b};
    put_side(run, world, s, a, at, axis, -1.0, row.ja);
    put_side(run, world, s, b, at, axis, 1.0, row.jb);
    return row;
}

/* Writes the axes of a joint's frame on one of its bodies as columns; a null body is the world. */
static void frame(lab_run *run, const dry_world *world, dry_body_id body, dry_quat local, double r[3][3])
{
    dry_pose pose = {.orientation = {0.0f, 0.0f, 0.0f, 1.0f}};
    if (body.bits)
        lab_check(run, dry_body_get_pose(world, body, &pose));
    double outer[3][3], inner[3][3];
    rotation(pose.orientation, outer);
    rotation(local, inner);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j] = outer[i][0] * inner[0][j] + outer[i][1] * inner[1][j] + outer[i][2] * inner[2][j];
}

/* Ends the reading if anything acts along an axis: the lab reads equations alone. */
static void check_free(lab_run *run, const dry_joint_axis *axis)
{
    if (axis->min > -INFINITY || axis->max < INFINITY || axis->motor != DRY_MOTOR_OFF ||
        axis->stiffness > 0.0f || axis->damping > 0.0f || axis->friction > 0.0f)
        lab_fail(run,
                 "a joint has a stop, motor, spring or friction along an axis, which the lab does not read");
}

/* Adds the two rows by which a hinge keeps the x axes of its frames together: rotations about y and z of a.
 */
static void put_rotations(lab_run *run, const dry_world *world, lab_system *s, const dry_joint_def *def,
                          int a, int b)
{
    double of_a[3][3], of_b[3][3], turned[3];
    frame(run, world, def->body_a, def->orientation_a, of_a);
    frame(run, world, def->body_b, def->orientation_b, of_b);
    const double x_a[3] = {of_a[0][0], of_a[1][0], of_a[2][0]}, x_b[3] = {of_b[0][0], of_b[1][0], of_b[2][0]};
    cross(x_a, x_b, turned);
    for (int k = 1; k < 3; k++) {
        const double axis[3] = {of_a[0][k], of_a[1][k], of_a[2][k]};
        lab_system_row *row = &s->row[s->rows++];
        *row = (lab_system_row){.a = a, .b = b, .error = dot3(axis, turned), .impulse = NAN};
        for (int i = 0; i < 3; i++) {
            row->ja[3 + i] = a >= 0 ? -axis[i] : 0.0;
            row->jb[3 + i] = b >= 0 ? axis[i] : 0.0;
        }
    }
}

static void anchor(lab_run *run, const dry_world *world, dry_body_id body, dry_vec3 local,
                   dry_position origin, double at[3])
{
    dry_pose pose = {.position = origin, .orientation = {0.0f, 0.0f, 0.0f, 1.0f}};
    if (body.bits)
        lab_check(run, dry_body_get_pose(world, body, &pose));
    double r[3][3];
    rotation(pose.orientation, r);
    const double p[3] = {pose.position.x, pose.position.y, pose.position.z},
                 v[3] = {local.x, local.y, local.z};
    for (int k = 0; k < 3; k++)
        at[k] = p[k] + dot3(r[k], v);
}

static void read_joint(lab_run *run, const dry_world *world, lab_system *s, dry_joint_id id)
{
    dry_joint_def def;
    dry_vec3 impulse;
    bool enabled;
    lab_check(run, dry_joint_get_def(world, id, &def));
    lab_check(run, dry_joint_get_impulse(world, id, &impulse));
    lab_check(run, dry_joint_get_enabled(world, id, &enabled));
    if (!enabled)
        return;
    const int a = def.body_a.bits ? lab_system_index(s, def.body_a) : -1, b = lab_system_index(s, def.body_b);
    const double given[3] = {impulse.x, impulse.y, impulse.z};
    double at_a[3], at_b[3], apart[3];
    anchor(run, world, def.body_a, def.anchor_a, def.target, at_a);
    anchor(run, world, def.body_b, def.anchor_b, def.target, at_b);
    for (int k = 0; k < 3; k++)
        apart[k] = at_b[k] - at_a[k];
    if (def.type == DRY_JOINT_DISTANCE) {
        const double length = sqrt(dot3(apart, apart));
        double axis[3] = {0.0, 1.0, 0.0};
        for (int k = 0; k < 3 && length > 0.0; k++)
            axis[k] = apart[k] / length;
        put_row(run, world, s, a, b, at_a, at_b, axis, length - def.length, dot3(axis, given), false);
    } else if (def.type == DRY_JOINT_BALL || def.type == DRY_JOINT_HINGE) {
        for (int k = 0; k < 3; k++) {
            double axis[3] = {0.0, 0.0, 0.0};
            axis[k] = 1.0;
            put_row(run, world, s, a, b, at_a, at_b, axis, apart[k], given[k], false);
        }
        if (def.type == DRY_JOINT_HINGE) {
            check_free(run, &def.axes[DRY_AXIS_RX]);
            put_rotations(run, world, s, &def, a, b);
        }
    } else {
        lab_fail(run, "a joint of a type that the lab does not read");
    }
}

static void read_contact(lab_run *run, const dry_world *world, lab_system *s, const dry_contact *c)
{
    const double normal[3] = {c->normal.x, c->normal.y, c->normal.z};
    const int a = lab_system_index(s, c->body_a), b = lab_system_index(s, c->body_b);
    for (int i = 0; i < c->point_count; i++) {
        const dry_contact_point *p = &c->points[i];
        const double at[3] = {p->position.x, p->position.y, p->position.z};
        put_row(run, world, s, a, b, at, at, normal, p->separation, p->normal_impulse_Ns, true);
    }
}

static dry_contact *contacts_of(lab_run *run, const dry_world *world, int *count)
{
    *count = dry_world_get_contacts(world, NULL, 0);
    dry_contact *contacts = lab_take(run, (size_t)*count + 1, sizeof *contacts);
    dry_world_get_contacts(world, contacts, *count);
    return contacts;
}

/* Returns all joints, each once: at the body that has it as body_a, or as body_b where body_a is the world.
 */
static dry_joint_id *joints_of(lab_run *run, const dry_world *world, const lab_system *s, int *count)
{
    const int all = dry_world_statistics(world).joints;
    dry_joint_id *found = lab_take(run, (size_t)all + 1, sizeof *found),
                 *of_body = lab_take(run, (size_t)all + 1, sizeof *of_body);
    *count = 0;
    for (int i = 0; i < s->bodies; i++) {
        int n;
        lab_check(run, dry_body_get_joints(world, s->id[i], of_body, all, &n));
        for (int j = 0; j < n; j++) {
            dry_joint_def def;
            lab_check(run, dry_joint_get_def(world, of_body[j], &def));
            if ((def.body_a.bits ? def.body_a.bits : def.body_b.bits) == s->id[i].bits)
                found[(*count)++] = of_body[j];
        }
    }
    return found;
}

lab_system lab_system_of(lab_run *run, const dry_world *world)
{
    lab_system s = {.bodies = dry_world_get_bodies(world, NULL, 0)};
    const size_t bodies = (size_t)s.bodies + 1;
    s.id = lab_take(run, bodies, sizeof *s.id);
    s.inverse_mass = lab_take(run, bodies, sizeof *s.inverse_mass);
    s.inverse_inertia = lab_take(run, bodies, sizeof *s.inverse_inertia);
    s.velocity = lab_take(run, bodies, sizeof *s.velocity);
    dry_world_get_bodies(world, s.id, s.bodies);
    for (int i = 0; i < s.bodies; i++) {
        dry_velocity v;
        read_mass(run, world, &s, i);
        lab_check(run, dry_body_get_velocity(world, s.id[i], &v));
        const float values[6] = {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z};
        for (int k = 0; k < 6; k++)
            s.velocity[i][k] = values[k];
    }
    int joints, contacts;
    const dry_joint_id *joint = joints_of(run, world, &s, &joints);
    const dry_contact *contact = contacts_of(run, world, &contacts);
    s.row = lab_take(run, 5 * (size_t)joints + 4 * (size_t)contacts + 1, sizeof *s.row);
    for (int i = 0; i < joints; i++)
        read_joint(run, world, &s, joint[i]);
    for (int i = 0; i < contacts; i++)
        read_contact(run, world, &s, &contact[i]);
    return s;
}

void lab_system_impulses(lab_run *run, const lab_system *s, const dry_world *world, double *impulse)
{
    const lab_system now = lab_system_of(run, world);
    if (now.rows != s->rows)
        lab_fail(run, "the contacts of a world changed within a step");
    for (int i = 0; i < s->rows; i++) {
        if (now.row[i].a != s->row[i].a || now.row[i].b != s->row[i].b)
            lab_fail(run, "the contacts of a world changed within a step");
        impulse[i] = now.row[i].impulse;
    }
}

lab_spook lab_spook_of(double stiffness, double damping, double h)
{
    const double scale = 1.0 / (1.0 + 4.0 * damping);
    return (lab_spook){
        .rate = 4.0 * scale / h,
        .approach = 4.0 * damping * scale,
        .softness = 4.0 * scale / (h * h * stiffness),
    };
}

void lab_system_push(const lab_system *s, int body, const double j[6], double change[6])
{
    for (int k = 0; k < 3; k++) {
        change[k] = s->inverse_mass[body] * j[k];
        change[3 + k] = dot3(&s->inverse_inertia[body][3 * k], j + 3);
    }
}

static double product(const double *x, const double *y)
{
    return lab_dot(x, y, 6);
}

void lab_system_gyroscopic(const lab_system *s, int body, double torque[3])
{
    double inverse[3][3], inertia[3][3], momentum[3];
    memset(torque, 0, 3 * sizeof *torque);
    memcpy(inverse, s->inverse_inertia[body], sizeof inverse);
    if (dot3(inverse[0], inverse[0]) == 0.0)
        return; /* its angular axes are locked */
    invert3(inverse, inertia);
    for (int k = 0; k < 3; k++)
        momentum[k] = dot3(inertia[k], s->velocity[body] + 3);
    cross(momentum, s->velocity[body] + 3, torque);
}

void lab_system_changes(const lab_system *s, const double *x, double (*change)[6])
{
    memset(change, 0, (size_t)s->bodies * sizeof *change);
    for (int i = 0; i < s->rows; i++) {
        const lab_system_row *row = &s->row[i];
        double y[6];
        for (int side = 0; side < 2; side++) {
            const int body = side ? row->b : row->a;
            if (body < 0)
                continue;
            lab_system_push(s, body, side ? row->jb : row->ja, y);
            for (int k = 0; k < 6; k++)
                change[body][k] += x[i] * y[k];
        }
    }
}

lab_problem lab_system_problem(lab_run *run, const lab_system *s, const lab_spook *spook, dry_vec3 gravity,
                               double h)
{
    lab_problem p = lab_problem_of(run, s->rows);
    double *unit = lab_doubles(run, s->rows);
    double(*change)[6] = lab_take(run, (size_t)s->bodies + 1, sizeof *change);
    const double fall[6] = {h * gravity.x, h * gravity.y, h * gravity.z, 0.0, 0.0, 0.0};
    bool contacts = false;
    for (int i = 0; i < s->rows; i++) {
        const lab_system_row *row = &s->row[i];
        unit[i] = 1.0;
        lab_system_changes(s, unit, change);
        unit[i] = 0.0;
        for (int j = 0; j < s->rows; j++) {
            const lab_system_row *other = &s->row[j];
            double *element = &p.a[j * s->rows + i];
            if (other->a >= 0)
                *element += product(other->ja, change[other->a]);
            if (other->b >= 0)
                *element += product(other->jb, change[other->b]);
        }
        p.a[i * s->rows + i] += spook->softness;
        p.b[i] = -spook->rate * row->error;
        for (int side = 0; side < 2; side++) {
            const int body = side ? row->b : row->a;
            const double *j = side ? row->jb : row->ja;
            if (body >= 0)
                p.b[i] -= spook->approach * product(j, s->velocity[body]) + product(j, fall);
        }
        contacts = contacts || row->contact;
    }
    if (!contacts)
        return p;
    p.lo = lab_doubles(run, s->rows);
    p.hi = lab_doubles(run, s->rows);
    for (int i = 0; i < s->rows; i++) {
        p.lo[i] = s->row[i].contact ? 0.0 : -DBL_MAX;
        p.hi[i] = DBL_MAX;
    }
    return p;
}

void lab_system_momentum(const lab_system *s, const dry_world *world, double (*velocity)[6],
                         double momentum[6])
{
    memset(momentum, 0, 6 * sizeof *momentum);
    for (int i = 0; i < s->bodies; i++) {
        dry_position center;
        if (s->inverse_mass[i] <= 0.0 || dry_body_get_center(world, s->id[i], &center) != DRY_OK)
            continue;
        const double at[3] = {center.x, center.y, center.z};
        double linear[3], orbital[3], inertia[3][3], inverse[3][3];
        for (int k = 0; k < 3; k++)
            linear[k] = velocity[i][k] / s->inverse_mass[i];
        cross(at, linear, orbital);
        memcpy(inverse, s->inverse_inertia[i], sizeof inverse);
        invert3(inverse, inertia);
        for (int k = 0; k < 3; k++) {
            momentum[k] += linear[k];
            momentum[3 + k] += orbital[k] + dot3(inertia[k], velocity[i] + 3);
        }
    }
}
