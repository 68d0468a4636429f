/* Builds W, V, R, q and s of one step from what the public calls tell (contact_problem.h). */
#include "tools/lab/contact_problem.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EQUATIONS_MAX = 4000 };

/* Fills a unit vector across the normal, and the one across both. */
static void tangents(const double n[3], double t[2][3])
{
    const int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0
                      : fabs(n[1]) <= fabs(n[2])                           ? 1
                                                                           : 2;
    double length = 0.0;
    for (int k = 0; k < 3; k++) {
        t[0][k] = (k == least ? 1.0 : 0.0) - n[least] * n[k];
        length += t[0][k] * t[0][k];
    }
    for (int k = 0; k < 3; k++)
        t[0][k] /= sqrt(length);
    for (int k = 0; k < 3; k++)
        t[1][k] = n[(k + 1) % 3] * t[0][(k + 2) % 3] - n[(k + 2) % 3] * t[0][(k + 1) % 3];
}

static double speed_of(const lab_system_row *row, double (*velocity)[6])
{
    return (row->a >= 0 ? lab_dot(row->ja, velocity[row->a], 6) : 0.0) +
           (row->b >= 0 ? lab_dot(row->jb, velocity[row->b], 6) : 0.0);
}

/* Writes the velocities that bodies would have after the step without contacts and joints: forces, damping as
 * the engine divides by it, and the gyroscopic torque of the step's begin. */
static void free_motion(lab_run *run, const dry_world *world, const lab_system *s, double h,
                        double (*free)[6])
{
    const dry_vec3 g = dry_world_get_settings(world).gravity;
    for (int i = 0; i < s->bodies; i++) {
        dry_body_def def;
        memcpy(free[i], s->velocity[i], sizeof free[i]);
        if (s->inverse_mass[i] <= 0.0)
            continue;
        lab_check(run, dry_body_get_def(world, s->id[i], &def));
        const double fall[3] = {g.x, g.y, g.z};
        double torque[3];
        lab_system_gyroscopic(s, i, torque);
        for (int k = 0; k < 3; k++) {
            free[i][k] = (free[i][k] + h * (double)def.gravity_scale * fall[k]) /
                         (1.0 + h * (double)def.linear_damping);
            for (int j = 0; j < 3; j++)
                free[i][3 + k] += h * s->inverse_inertia[i][3 * k + j] * torque[j];
            free[i][3 + k] /= 1.0 + h * (double)def.angular_damping;
        }
    }
}

/* Ends the reading if a body moves that nothing pushes: q has no place for its motion yet. */
static void check_at_rest(lab_run *run, const dry_world *world, dry_body_id id)
{
    dry_body_def def;
    if (!id.bits)
        return;
    lab_check(run, dry_body_get_def(world, id, &def));
    const dry_vec3 v = def.velocity.linear, w = def.velocity.angular;
    if (def.type == DRY_BODY_KINEMATIC &&
        (v.x != 0.0f || v.y != 0.0f || v.z != 0.0f || w.x != 0.0f || w.y != 0.0f || w.z != 0.0f))
        lab_fail(run, "a kinematic body moves, which the lab does not read");
}

/* Ends the reading if a joint of a body is no equation. */
static void check_joints(lab_run *run, const dry_world *world, dry_body_id id)
{
    int count;
    lab_check(run, dry_body_get_joints(world, id, NULL, 0, &count));
    dry_joint_id *joint = lab_take(run, (size_t)count + 1, sizeof *joint);
    lab_check(run, dry_body_get_joints(world, id, joint, count, &count));
    for (int i = 0; i < count; i++) {
        dry_joint_def def;
        lab_check(run, dry_joint_get_def(world, joint[i], &def));
        if (def.stiffness > 0.0f ||
            (def.type == DRY_JOINT_DISTANCE && (def.length_min > 0.0f || def.length_max < INFINITY)))
            lab_fail(run, "a joint is a spring, a rope or a strut, which the format cannot hold");
        check_at_rest(run, world, def.body_a);
        check_at_rest(run, world, def.body_b);
    }
}

/* Reads a contact's points: their rows, coefficients and the part of q that is not motion. */
static void read_contact(lab_contact_problem *p, const dry_world *world, const dry_contact *c)
{
    lab_run *run = &p->run;
    dry_shape_def a, b;
    lab_check(run, dry_shape_get_def(world, c->shape_a, &a));
    lab_check(run, dry_shape_get_def(world, c->shape_b, &b));
    if (a.rolling_resistance > 0.0f || b.rolling_resistance > 0.0f)
        lab_fail(run, "a shape has rolling resistance, which the format cannot hold");
    if (a.static_friction > a.friction || b.static_friction > b.friction)
        lab_fail(run, "a shape has static friction, which the format cannot hold");
    check_at_rest(run, world, c->body_a);
    check_at_rest(run, world, c->body_b);
    const int body_a = lab_system_index(&p->system, c->body_a),
              body_b = lab_system_index(&p->system, c->body_b);
    if (body_a < 0 && body_b < 0)
        return;
    double axis[3][3] = {{c->normal.x, c->normal.y, c->normal.z}};
    tangents(axis[0], axis + 1);
    const double e = a.restitution > b.restitution ? a.restitution : b.restitution;
    const double bounces_from = dry_world_get_settings(world).restitution_speed_min;
    for (int i = 0; i < c->point_count; i++) {
        const dry_contact_point *point = &c->points[i];
        const double at[3] = {point->position.x, point->position.y, point->position.z};
        const int n = p->points++;
        p->shapes[n][0] = c->shape_a, p->shapes[n][1] = c->shape_b;
        p->feature[n] = point->feature;
        p->mu[n] = sqrt((double)a.friction * (double)b.friction);
        for (int k = 0; k < 3; k++)
            p->rows[3 * n + k] = lab_system_row_at(run, world, &p->system, body_a, body_b, at, axis[k]);
        const double approach = -speed_of(&p->rows[3 * n], p->system.velocity);
        if (point->separation > 0.0f)
            p->q[3 * n] = (double)point->separation / p->h;
        else if (approach > bounces_from)
            p->q[3 * n] = -e * approach;
    }
}

/* ---- Matrices ---- */

/* The rows of each body, in rising order: those of body i are item[start[i]] to item[start[i + 1]]. */
typedef struct body_rows {
    int *start, *item;
} body_rows;

static body_rows rows_of_bodies(lab_contact_problem *p, int from, int to)
{
    const int bodies = p->system.bodies;
    body_rows list = {lab_take(&p->run, (size_t)bodies + 2, sizeof(int)),
                      lab_take(&p->run, 2 * (size_t)(to - from) + 1, sizeof(int))};
    for (int i = from; i < to; i++)
        for (int side = 0; side < 2; side++) {
            const int body = side ? p->rows[i].b : p->rows[i].a;
            if (body >= 0)
                list.start[body + 2]++;
        }
    for (int i = 0; i < bodies; i++)
        list.start[i + 2] += list.start[i + 1];
    for (int i = from; i < to; i++)
        for (int side = 0; side < 2; side++) {
            const int body = side ? p->rows[i].b : p->rows[i].a;
            if (body >= 0)
                list.item[list.start[body + 1]++] = i;
        }
    return list;
}

static int compare_ints(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* One column of a product: which rows it has, and their values. `value` is 0 elsewhere. */
typedef struct column {
    int count, *found;
    bool *has;
    double *value;
} column;

/* Fills the column of one row: its products with the rows of `list`, which begin at `from`. */
static void fill_column(const lab_contact_problem *p, const body_rows *list, const lab_system_row *of,
                        int from, column *c)
{
    c->count = 0;
    for (int side = 0; side < 2; side++) {
        const int body = side ? of->b : of->a;
        double pushed[6];
        if (body < 0)
            continue;
        lab_system_push(&p->system, body, side ? of->jb : of->ja, pushed);
        for (int i = list->start[body]; i < list->start[body + 1]; i++) {
            const int k = list->item[i] - from;
            const lab_system_row *row = &p->rows[list->item[i]];
            if (!c->has[k])
                c->found[c->count++] = k;
            c->has[k] = true;
            c->value[k] += lab_dot(row->a == body ? row->ja : row->jb, pushed, 6);
        }
    }
    qsort(c->found, (size_t)c->count, sizeof *c->found, compare_ints);
}

/* Writes a column behind the entries before it, if there is a place for it, and clears it. */
static void take_column(column *c, int *row, double *value)
{
    for (int k = 0; k < c->count; k++) {
        const int at = c->found[k];
        if (row) {
            row[k] = at;
            value[k] = c->value[at];
        }
        c->value[at] = 0.0;
        c->has[at] = false;
    }
}

/* Returns the products J_i M^-1 J_j of rows [row_from, row_to) with rows [from, to). */
static lab_matrix products(lab_contact_problem *p, int row_from, int row_to, int from, int to)
{
    lab_run *run = &p->run;
    const body_rows list = rows_of_bodies(p, row_from, row_to);
    lab_matrix m = {.rows = row_to - row_from, .columns = to - from};
    m.start = lab_take(run, (size_t)m.columns + 1, sizeof(int));
    column c = {.found = lab_take(run, (size_t)m.rows + 1, sizeof *c.found),
                .has = lab_take(run, (size_t)m.rows + 1, sizeof *c.has),
                .value = lab_doubles(run, m.rows + 1)};
    for (int pass = 0; pass < 2; pass++) { /* counts, then fills */
        int entries = 0;
        for (int j = 0; j < m.columns; j++) {
            fill_column(p, &list, &p->rows[from + j], row_from, &c);
            take_column(&c, m.row ? m.row + entries : NULL, m.row ? m.value + entries : NULL);
            if (c.count > INT_MAX - entries)
                lab_fail(run, "more entries than an int counts");
            m.start[j] = entries;
            entries += c.count;
        }
        m.start[m.columns] = entries;
        if (pass == 0) {
            m.row = lab_take(run, (size_t)entries + 1, sizeof *m.row);
            m.value = lab_take(run, (size_t)entries + 1, sizeof *m.value);
        }
    }
    return m;
}

/* y += A x, or A^T x. */
static void multiply(const lab_matrix *a, bool transposed, const double *x, double *y)
{
    for (int j = 0; j < a->columns; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            if (transposed)
                y[j] += a->value[k] * x[a->row[k]];
            else
                y[a->row[k]] += a->value[k] * x[j];
        }
}

/* ---- The problem ---- */

typedef struct reading {
    lab_contact_problem *problem;
    const dry_world *world;
} reading;

static void read_problem(lab_run *run, void *context)
{
    const reading *r = context;
    lab_contact_problem *p = r->problem;
    p->system = lab_system_of(run, r->world);
    for (int i = 0; i < p->system.bodies; i++)
        check_joints(run, r->world, p->system.id[i]);
    const int contacts = dry_world_get_contacts(r->world, NULL, 0);
    const size_t room = 4 * (size_t)contacts + 1, equations = (size_t)p->system.rows;
    dry_contact *contact = lab_take(run, (size_t)contacts + 1, sizeof *contact);
    dry_world_get_contacts(r->world, contact, contacts);
    p->rows = lab_take(run, 3 * room + equations, sizeof *p->rows);
    p->shapes = lab_take(run, room, sizeof *p->shapes);
    p->feature = lab_take(run, room, sizeof *p->feature);
    p->mu = lab_take(run, room, sizeof *p->mu);
    p->q = lab_take(run, 3 * room, sizeof *p->q);
    p->impulse = lab_take(run, 3 * room, sizeof *p->impulse);
    p->s = lab_take(run, equations + 1, sizeof *p->s);
    p->force = lab_take(run, equations + 1, sizeof *p->force);
    for (int i = 0; i < contacts; i++)
        read_contact(p, r->world, &contact[i]);
    const int unknowns = 3 * p->points;
    for (int i = 0; i < p->system.rows; i++)
        if (!p->system.row[i].contact)
            p->rows[unknowns + p->equations++] = p->system.row[i];
    const int all = unknowns + p->equations;
    double(*motion)[6] = lab_take(run, (size_t)p->system.bodies + 1, sizeof *motion);
    free_motion(run, r->world, &p->system, p->h, motion);
    for (int i = 0; i < unknowns; i++)
        p->q[i] += speed_of(&p->rows[i], motion);
    for (int i = 0; i < p->equations; i++)
        p->s[i] = speed_of(&p->rows[unknowns + i], motion);
    p->w = products(p, 0, unknowns, 0, unknowns);
    p->v = products(p, 0, unknowns, unknowns, all);
    p->r = products(p, unknowns, all, unknowns, all);
}

const char *lab_contact_problem_of(lab_contact_problem *p, const dry_world *world, double h)
{
    *p = (lab_contact_problem){.h = h};
    return lab_try(&p->run, read_problem, &(reading){p, world});
}

void lab_contact_problem_free(lab_contact_problem *p)
{
    lab_run_end(&p->run);
    *p = (lab_contact_problem){0};
}

static int find_point(const lab_contact_problem *p, const dry_contact *c, uint32_t feature)
{
    for (int i = 0; i < p->points; i++)
        if (p->shapes[i][0].bits == c->shape_a.bits && p->shapes[i][1].bits == c->shape_b.bits &&
            p->feature[i] == feature)
            return i;
    return -1;
}

/* Writes the tangential part of an impulse to a point. */
static void put_friction(lab_contact_problem *p, int n, const double impulse[3])
{
    for (int t = 1; t < 3; t++) {
        const lab_system_row *row = &p->rows[3 * n + t];
        double along = 0.0;
        for (int j = 0; j < 3; j++)
            along += impulse[j] * (row->b >= 0 ? row->jb[j] : -row->ja[j]);
        p->impulse[3 * n + t] = along;
    }
}

/* The engine has one impulse of friction at the middle of a contact's points, and one about the normal. Equal
 * parts and a couple about the middle are the same for the bodies. */
static void read_contact_impulses(lab_contact_problem *p, const dry_contact *c)
{
    const double scale = c->substep_s > 0.0f ? p->h / (double)c->substep_s : 0.0;
    const double friction[3] = {c->friction_impulse_Ns.x, c->friction_impulse_Ns.y, c->friction_impulse_Ns.z};
    const double normal[3] = {c->normal.x, c->normal.y, c->normal.z};
    double arm[4][3], middle[3] = {0}, square = 0.0;
    for (int k = 0; k < c->point_count; k++) {
        const dry_position at = c->points[k].position;
        arm[k][0] = at.x, arm[k][1] = at.y, arm[k][2] = at.z;
        for (int j = 0; j < 3; j++)
            middle[j] += arm[k][j] / c->point_count;
    }
    for (int k = 0; k < c->point_count; k++)
        for (int j = 0; j < 3; j++) {
            arm[k][j] -= middle[j];
            square += arm[k][j] * arm[k][j];
        }
    for (int k = 0; k < c->point_count; k++) {
        const int n = find_point(p, c, c->points[k].feature);
        if (n < 0)
            continue;
        const double turn = square > 0.0 ? (double)c->torsion_impulse_Nms / square : 0.0;
        double impulse[3];
        for (int j = 0; j < 3; j++)
            impulse[j] =
                scale * (friction[j] / c->point_count + turn * (normal[(j + 1) % 3] * arm[k][(j + 2) % 3] -
                                                                normal[(j + 2) % 3] * arm[k][(j + 1) % 3]));
        p->impulse[3 * n] = scale * (double)c->points[k].normal_impulse_Ns;
        put_friction(p, n, impulse);
    }
}

static void read_impulses(lab_run *run, void *context)
{
    const reading *r = context;
    lab_contact_problem *p = r->problem;
    const int contacts = dry_world_get_contacts(r->world, NULL, 0);
    dry_contact *contact = lab_take(run, (size_t)contacts + 1, sizeof *contact);
    dry_world_get_contacts(r->world, contact, contacts);
    for (int i = 0; i < contacts; i++)
        read_contact_impulses(p, &contact[i]);
    if (p->equations == 0)
        return;
    /* Joints' impulses follow from the others: R l = -(V^T r + s). */
    if (p->equations > EQUATIONS_MAX)
        lab_fail(run, "more than 4,000 rows of joints, whose impulses the lab finds with a dense matrix");
    lab_problem joints = lab_problem_of(run, p->equations);
    for (int j = 0; j < p->equations; j++) {
        for (int k = p->r.start[j]; k < p->r.start[j + 1]; k++)
            joints.a[p->r.row[k] * p->equations + j] = p->r.value[k];
        joints.b[j] = -p->s[j];
    }
    double *from_points = lab_doubles(run, p->equations);
    multiply(&p->v, true, p->impulse, from_points);
    for (int j = 0; j < p->equations; j++)
        joints.b[j] -= from_points[j];
    lab_solve(run, &joints, p->force);
}

const char *lab_contact_problem_read_impulses(lab_contact_problem *p, const dry_world *world)
{
    return lab_try(&p->run, read_impulses, &(reading){p, world});
}

/* Projects onto the cone |x_T| <= mu x_N. */
static void project(double mu, double x[3])
{
    const double t = hypot(x[1], x[2]);
    if (t <= mu * x[0])
        return;
    if (mu * t <= -x[0]) {
        x[0] = x[1] = x[2] = 0.0;
        return;
    }
    const double normal = (x[0] + mu * t) / (1.0 + mu * mu), scale = mu * normal / t;
    x[0] = normal, x[1] *= scale, x[2] *= scale;
}

double lab_contact_problem_residual(const lab_contact_problem *p, const double *impulse, const double *force,
                                    double *velocity)
{
    const int unknowns = 3 * p->points;
    memcpy(velocity, p->q, (size_t)unknowns * sizeof *velocity);
    multiply(&p->w, false, impulse, velocity);
    multiply(&p->v, false, force, velocity);
    double sum = 0.0;
    for (int i = 0; i < p->points; i++) {
        const double *u = &velocity[3 * i], *r = &impulse[3 * i];
        double x[3] = {r[0] - u[0] - p->mu[i] * hypot(u[1], u[2]), r[1] - u[1], r[2] - u[2]};
        project(p->mu[i], x);
        for (int k = 0; k < 3; k++)
            sum += (r[k] - x[k]) * (r[k] - x[k]);
    }
    for (int j = 0; j < p->equations; j++) {
        double open = p->s[j];
        for (int k = p->v.start[j]; k < p->v.start[j + 1]; k++)
            open += p->v.value[k] * impulse[p->v.row[k]];
        for (int k = p->r.start[j]; k < p->r.start[j + 1]; k++)
            open += p->r.value[k] * force[p->r.row[k]];
        sum += open * open;
    }
    const double scale = hypot(lab_length(p->q, unknowns), lab_length(p->s, p->equations));
    return scale > 0.0 ? sqrt(sum) / scale : sqrt(sum);
}
