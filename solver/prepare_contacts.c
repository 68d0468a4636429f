/* Stage "prepare": contact bundles from manifolds.
 *
 * Reads manifolds, poses, velocities, whitening. Writes bundles [begin, end). Next: substeps.c.
 *
 * Both bodies' lever arms lead to one point, midway between the surfaces: then a contact's impulses change
 * neither the pair's momentum nor its angular momentum. */
#include "solver/bodies.h"

#include <string.h>

/* One side of a lane. */
typedef struct side {
    const dry_whitening *w; /* null: static or kinematic, nothing to push */
    dry_vec3 linear, angular; /* velocity when the step began */
    int32_t row;
} side;

static const dry_whitening immovable = {0};

static side side_of(const dry_solver_step *step, int body)
{
    const dry_bodies *bodies = step->bodies;
    int row = dry_bodies_row(bodies, body);
    side s = {&immovable, bodies->velocity[row].linear, bodies->velocity[row].angular, 0};
    if (row < bodies->awake_count && bodies->state[row].type == DRY_BODY_DYNAMIC) {
        s.w = &step->state->whitening[row];
        s.row = row + 1;
    } else if (row >= bodies->awake_count) {
        s.linear = s.angular = vec3(0.0f, 0.0f, 0.0f);
    }
    return s;
}

static dry_vec3 whiten(const dry_whitening *w, dry_vec3 v)
{
    return vec3(w->axes[0][0] * v.x + w->axes[0][1] * v.y + w->axes[0][2] * v.z,
                w->axes[1][0] * v.x + w->axes[1][1] * v.y + w->axes[1][2] * v.z,
                w->axes[2][0] * v.x + w->axes[2][1] * v.y + w->axes[2][2] * v.z);
}

static void put3(dry_lanes *lanes, int lane, dry_vec3 v)
{
    lanes[0][lane] = v.x;
    lanes[1][lane] = v.y;
    lanes[2][lane] = v.z;
}

static bool is_driven(const dry_solver_step *step, int body)
{
    int row = dry_bodies_row(step->bodies, body);
    return row < step->bodies->awake_count && step->bodies->state[row].type == DRY_BODY_KINEMATIC;
}

typedef struct lane_context {
    const dry_solver_step *step;
    dry_contact_bundle *c;
    dry_contact_bundle_rare *rare;
    int lane;
    side a, b;
    float lin;              /* 1/m_a + 1/m_b, with shares */
    float share_a, share_b;
    dry_vec3 kinematic_linear_a, kinematic_angular_a, kinematic_linear_b, kinematic_angular_b;
    bool driven;
} lane_context;

/* What a row's diagonal is with whitened angular parts ga and gb. */
static float diagonal(const lane_context *l, float lin, dry_vec3 ga, dry_vec3 gb)
{
    return lin + l->share_a * vec3_dot(ga, ga) + l->share_b * vec3_dot(gb, gb);
}

static float kinematic_speed(const lane_context *l, dry_vec3 direction, dry_vec3 ra, dry_vec3 rb)
{
    dry_vec3 va = vec3_add(l->kinematic_linear_a, vec3_cross(l->kinematic_angular_a, ra));
    dry_vec3 vb = vec3_add(l->kinematic_linear_b, vec3_cross(l->kinematic_angular_b, rb));
    return vec3_dot(direction, vec3_sub(vb, va));
}

static dry_vec3 get3(dry_lanes *lanes, int lane)
{
    return vec3(lanes[0][lane], lanes[1][lane], lanes[2][lane]);
}

/* Points are solved two by two from the same motion. Where both push the same way (S_ij > 0) each would do
 * the other's work again, so a row's diagonal grows by that; across a patch S_ij is negative and nothing
 * changes. */
static void couple_pairs(const lane_context *l, int count)
{
    dry_contact_bundle *c = l->c;
    for (int i = 0; i + 1 < count; i += 2) {
        float coupling = l->lin +
                         l->share_a * vec3_dot(get3(c->ang_a[i], l->lane), get3(c->ang_a[i + 1], l->lane)) +
                         l->share_b * vec3_dot(get3(c->ang_b[i], l->lane), get3(c->ang_b[i + 1], l->lane));
        for (int k = i; k < i + 2 && coupling > 0.0f; k++) {
            float *mass = &c->inverse_mass[k][l->lane];
            *mass = *mass / (1.0f + *mass * coupling);
        }
    }
}

static void prepare_friction(lane_context *l, const dry_manifold *m, dry_vec3 n, dry_vec3 t1, dry_vec3 ra,
                             dry_vec3 rb, float impulse_scale)
{
    dry_contact_bundle *c = l->c;
    int lane = l->lane;
    dry_vec3 t2 = vec3_cross(n, t1);
    dry_vec3 a1 = vec3_neg(whiten(l->a.w, vec3_cross(ra, t1))), b1 = whiten(l->b.w, vec3_cross(rb, t1));
    dry_vec3 a2 = vec3_neg(whiten(l->a.w, vec3_cross(ra, t2))), b2 = whiten(l->b.w, vec3_cross(rb, t2));
    put3(c->friction_a[0], lane, a1);
    put3(c->friction_b[0], lane, b1);
    put3(c->friction_a[1], lane, a2);
    put3(c->friction_b[1], lane, b2);
    float xx = diagonal(l, l->lin, a1, b1), yy = diagonal(l, l->lin, a2, b2);
    float xy = l->share_a * vec3_dot(a1, a2) + l->share_b * vec3_dot(b1, b2);
    float determinant = xx * yy - xy * xy;
    float inverse = determinant > 0.0f ? 1.0f / determinant : 0.0f;
    c->friction_mass[0][lane] = yy * inverse;
    c->friction_mass[1][lane] = -xy * inverse;
    c->friction_mass[2][lane] = xx * inverse;
    c->friction_impulse[0][lane] = impulse_scale * vec3_dot(m->friction_impulse, t1);
    c->friction_impulse[1][lane] = impulse_scale * vec3_dot(m->friction_impulse, t2);

    dry_vec3 ta = vec3_neg(whiten(l->a.w, n)), tb = whiten(l->b.w, n);
    put3(c->twist_a, lane, ta);
    put3(c->twist_b, lane, tb);
    float twist = diagonal(l, 0.0f, ta, tb);
    c->twist_mass[lane] = twist > 0.0f ? 1.0f / twist : 0.0f;
    c->twist_impulse[lane] = impulse_scale * m->twist_impulse;
    c->friction[lane] = m->friction;
    if (l->driven) {
        l->rare->driven_friction[0][lane] = kinematic_speed(l, t1, ra, rb);
        l->rare->driven_friction[1][lane] = kinematic_speed(l, t2, ra, rb);
        l->rare->driven_twist[lane] = vec3_dot(n, vec3_sub(l->kinematic_angular_b, l->kinematic_angular_a));
    }
}

static void prepare_lane(const dry_solver_step *step, dry_contact_bundle *c, dry_contact_bundle_rare *rare,
                         int lane, float h)
{
    int index = rare->contact[lane];
    const dry_contact_link *link = &step->contacts->link[index];
    const dry_manifold *m = &step->contacts->manifold[index];
    const dry_bodies *bodies = step->bodies;
    int row_a = dry_bodies_row(bodies, link->body_a), row_b = dry_bodies_row(bodies, link->body_b);
    const dry_body_pose *pose_a = &bodies->pose[row_a], *pose_b = &bodies->pose[row_b];
    bool jacobi = step->settings->solver == DRY_SOLVER_JACOBI;

    lane_context l = {.step = step, .c = c, .rare = rare, .lane = lane};
    l.a = side_of(step, link->body_a);
    l.b = side_of(step, link->body_b);
    l.share_a = jacobi ? dry_max(1.0f, l.a.w->share) : 1.0f;
    l.share_b = jacobi ? dry_max(1.0f, l.b.w->share) : 1.0f;
    if (is_driven(step, link->body_a)) {
        l.driven = true;
        l.kinematic_linear_a = l.a.linear;
        l.kinematic_angular_a = l.a.angular;
    }
    if (is_driven(step, link->body_b)) {
        l.driven = true;
        l.kinematic_linear_b = l.b.linear;
        l.kinematic_angular_b = l.b.angular;
    }
    if (l.driven)
        rare->flags |= DRY_BUNDLE_DRIVEN;
    float la = l.a.w->lin, lb = l.b.w->lin;
    l.lin = l.share_a * la * la + l.share_b * lb * lb;

    dry_vec3 n = quat_rotate(pose_a->orientation, m->normal);
    dry_vec3 t1 = vec3_perpendicular(n);
    c->row_a[lane] = l.a.row;
    c->row_b[lane] = l.b.row;
    c->lin_a[lane] = la;
    c->lin_b[lane] = lb;
    put3(c->normal, lane, n);
    put3(c->tangent, lane, t1);
    rare->share_a[lane] = l.share_a;
    rare->share_b[lane] = l.share_b;
    rare->restitution[lane] = m->restitution;

    float impulse_scale = 0.0f;
    if (step->settings->warm_start && m->substep > 0.0f)
        impulse_scale = m->substep == h ? 1.0f : h / m->substep;

    dry_vec3 apart = position_sub(pose_b->position, pose_a->position);
    dry_mat3 rotation_b = mat3_from_quat(pose_b->orientation);
    dry_vec3 levers[4], center = vec3(0.0f, 0.0f, 0.0f);
    float fastest = 0.0f;
    for (int i = 0; i < m->count; i++) {
        const dry_manifold_point *p = &m->points[i];
        dry_vec3 rb = vec3_add_scaled(mat3_mul(&rotation_b, p->anchor_b), -0.5f * p->separation, n);
        dry_vec3 ra = vec3_add(apart, rb);
        levers[i] = rb;
        center = vec3_add(center, rb);
        dry_vec3 ga = vec3_neg(whiten(l.a.w, vec3_cross(ra, n))), gb = whiten(l.b.w, vec3_cross(rb, n));
        put3(c->ang_a[i], lane, ga);
        put3(c->ang_b[i], lane, gb);
        float s = diagonal(&l, l.lin, ga, gb);
        c->inverse_mass[i][lane] = s > 0.0f ? 1.0f / s : 0.0f;
        c->separation[i][lane] = p->separation;
        c->impulse[i][lane] = impulse_scale * p->impulse;
        dry_vec3 va = vec3_add(l.a.linear, vec3_cross(l.a.angular, ra));
        dry_vec3 vb = vec3_add(l.b.linear, vec3_cross(l.b.angular, rb));
        float approach = vec3_dot(n, vec3_sub(vb, va));
        rare->approach[i][lane] = approach;
        rare->peak[i][lane] = 0.0f;
        rare->met[i][lane] = approach;
        fastest = dry_min(fastest, approach);
        if (l.driven)
            rare->driven_normal[i][lane] = kinematic_speed(&l, n, ra, rb);
    }
    if (m->restitution > 0.0f && fastest < -step->settings->restitution_speed_min) {
        rare->flags |= DRY_BUNDLE_IMPACT;
        atomic_store_explicit(&step->state->impacts, true, memory_order_relaxed);
    }
    if (fastest < -step->settings->hit_speed_min) {
        rare->flags |= DRY_BUNDLE_IMPACT;
        atomic_fetch_add_explicit(&step->state->hits, 1, memory_order_relaxed);
    }
    couple_pairs(&l, m->count);
    float inverse_count = 1.0f / (float)m->count;
    center = vec3_scale(center, inverse_count);
    float reach = 0.0f;
    for (int i = 0; i < m->count; i++)
        reach += vec3_distance(levers[i], center);
    c->reach[lane] = reach * inverse_count;
    prepare_friction(&l, m, n, t1, vec3_add(apart, center), center, impulse_scale);
    /* The reduced mass of the pair carries the representative load [Spook 43-44]. */
    float pair = la * la + lb * lb;
    rare->friction_box[lane] =
        pair > 0.0f ? m->friction * vec3_length(step->settings->gravity) / pair : 0.0f;
}

void dry_prepare_contacts(const dry_solver_step *step, int begin, int end, float h)
{
    for (int b = begin; b < end; b++) {
        dry_contact_bundle *c = &step->state->contact[b];
        dry_contact_bundle_rare *rare = &step->state->rare[b];
        int32_t contact[DRY_BUNDLE];
        memcpy(contact, rare->contact, sizeof contact);
        memset(c, 0, sizeof *c);
        memset(rare, 0, sizeof *rare);
        memcpy(rare->contact, contact, sizeof contact);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            rare->share_a[lane] = rare->share_b[lane] = 1.0f;
            if (contact[lane] >= 0)
                prepare_lane(step, c, rare, lane, h);
        }
    }
}
