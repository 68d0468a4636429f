/* Stage "contacts": one contact's manifold, updated while its bodies barely moved, rebuilt otherwise.
 *
 * Reads poses, shapes, the old manifold. Writes the manifold and the contact's flags. Next: world/touch.c.
 */
#include "narrowphase/collide.h"
#include "narrowphase/contact_columns.h"

/* Where b's body is, seen from a's. */
typedef struct relative_pose {
    double position[3]; /* a's principal axes */
    dry_quat orientation;
    dry_mat3 rotation;
} relative_pose;

static relative_pose relative_pose_of(const dry_body_pose *a, const dry_body_pose *b, const dry_mat3 *ra)
{
    relative_pose r;
    double x = b->position.x - a->position.x, y = b->position.y - a->position.y,
           z = b->position.z - a->position.z;
    const dry_vec3 *axes = &ra->x;
    for (int i = 0; i < 3; i++)
        r.position[i] = (double)axes[i].x * x + (double)axes[i].y * y + (double)axes[i].z * z;
    r.orientation = quat_mul(quat_conjugate(a->orientation), b->orientation);
    r.rotation = mat3_from_quat(r.orientation);
    return r;
}

/* An upper bound of how far any point of b's shape has moved in a's frame since the anchors were made. */
static float moved_since_built(const dry_manifold *m, const relative_pose *r, float reach_b)
{
    dry_vec3 moved =
        vec3((float)(r->position[0] - m->built_position[0]), (float)(r->position[1] - m->built_position[1]),
             (float)(r->position[2] - m->built_position[2]));
    dry_quat turn = quat_mul(quat_conjugate(m->built_orientation), r->orientation);
    /* A turn by t moves a point at distance l by 2 l sin(t / 2). */
    float half_sine = vec3_length(vec3(turn.x, turn.y, turn.z));
    return vec3_length(moved) + 2.0f * half_sine * reach_b;
}

/* Separations from the anchors as they are. */
static void measure_anchors(dry_manifold *m, const relative_pose *r)
{
    dry_vec3 moved =
        vec3((float)(r->position[0] - m->built_position[0]), (float)(r->position[1] - m->built_position[1]),
             (float)(r->position[2] - m->built_position[2]));
    for (int i = 0; i < m->count; i++) {
        dry_manifold_point *p = &m->points[i];
        dry_vec3 gap = vec3_sub(vec3_add(moved, mat3_mul(&r->rotation, p->anchor_b)), m->offset_a[i]);
        p->separation = vec3_dot(gap, m->normal);
    }
}

/* b's shape in the frame that dry_collide works in: a's shape, but a half-space slides along under b, so
 * that far from its origin nothing is lost. `shift` is that slide, in the half-space's frame. */
static dry_transform shape_b_in_a(const dry_shape_form *a, const dry_shape_form *b, const relative_pose *r,
                                  double shift[3])
{
    dry_vec3 b_local = mat3_mul(&r->rotation, b->pose.position);
    double offset[3] = {r->position[0] + (double)b_local.x - (double)a->pose.position.x,
                        r->position[1] + (double)b_local.y - (double)a->pose.position.y,
                        r->position[2] + (double)b_local.z - (double)a->pose.position.z};
    dry_mat3 axes = mat3_from_quat(a->pose.orientation);
    const dry_vec3 *axis = &axes.x;
    double in_a[3];
    for (int i = 0; i < 3; i++) {
        in_a[i] =
            (double)axis[i].x * offset[0] + (double)axis[i].y * offset[1] + (double)axis[i].z * offset[2];
        shift[i] = a->geometry.type == DRY_SHAPE_HALFSPACE && i != 1 ? in_a[i] : 0.0;
    }
    dry_transform t;
    t.position = vec3((float)(in_a[0] - shift[0]), (float)(in_a[1] - shift[1]), (float)(in_a[2] - shift[2]));
    t.orientation =
        quat_mul(quat_conjugate(a->pose.orientation), quat_mul(r->orientation, b->pose.orientation));
    return t;
}

/* Puts the point farthest from the first beside it: the solver takes points two by two, and pairs from
 * across the patch keep a flat landing flat. */
static void pair_across(dry_local_manifold *found)
{
    int farthest = 1;
    float most = -1.0f;
    for (int i = 1; i < found->count; i++) {
        float distance = vec3_distance(found->points[i].position, found->points[0].position);
        if (distance > most) {
            most = distance;
            farthest = i;
        }
    }
    if (found->count > 2) {
        dry_local_point p = found->points[1];
        found->points[1] = found->points[farthest];
        found->points[farthest] = p;
    }
}

/* New anchors; impulses of points whose features persist are kept. */
static void rebuild(dry_manifold *m, const dry_shape_form *a, const dry_shape_form *b, const relative_pose *r,
                    float margin)
{
    double shift[3];
    dry_transform b_in_a = shape_b_in_a(a, b, r, shift);
    dry_local_manifold found;
    dry_collide(&a->geometry, &b->geometry, &b_in_a, margin, &found);

    pair_across(&found);

    dry_manifold old = *m;
    dry_mat3 axes = mat3_from_quat(a->pose.orientation);
    m->count = found.count;
    m->normal = found.count ? mat3_mul(&axes, found.normal) : m->normal;
    for (int i = 0; i < 3; i++)
        m->built_position[i] = r->position[i];
    m->built_orientation = r->orientation;
    /* From the collision frame's origin to b's centre, a's principal axes. */
    dry_vec3 slide = mat3_mul(&axes, vec3((float)shift[0], (float)shift[1], (float)shift[2]));
    dry_vec3 origin = vec3((float)((double)a->pose.position.x - r->position[0] + (double)slide.x),
                           (float)((double)a->pose.position.y - r->position[1] + (double)slide.y),
                           (float)((double)a->pose.position.z - r->position[2] + (double)slide.z));
    if (a->geometry.type == DRY_SHAPE_HALFSPACE) {
        /* The same without the cancellation: b's shape lies b_in_a away from the origin. */
        origin = vec3_sub(mat3_mul(&r->rotation, b->pose.position), mat3_mul(&axes, b_in_a.position));
    }
    for (int i = 0; i < found.count; i++) {
        dry_manifold_point *p = &m->points[i];
        dry_vec3 middle = vec3_add(origin, mat3_mul(&axes, found.points[i].position));
        float half = 0.5f * found.points[i].separation;
        m->offset_a[i] = vec3_add_scaled(middle, -half, m->normal);
        p->anchor_b = mat3_mul_transposed(&r->rotation, vec3_add_scaled(middle, half, m->normal));
        p->separation = found.points[i].separation;
        m->feature[i] = found.points[i].feature;
        m->impulse[i] = 0.0f;
        for (int j = 0; j < old.count; j++)
            if (old.feature[j] == m->feature[i])
                m->impulse[i] = old.impulse[j];
    }
    if (m->count == 0) {
        m->friction_impulse = vec3(0.0f, 0.0f, 0.0f);
        m->twist_impulse = 0.0f;
    }
    measure_anchors(m, r);
}

double dry_halfspace_height(const dry_bodies *bodies, const dry_shape_form *halfspace, dry_position point)
{
    const dry_body_pose *pose = &bodies->pose[dry_bodies_row(bodies, halfspace->body)];
    dry_vec3 n =
        quat_rotate(quat_mul(pose->orientation, halfspace->pose.orientation), vec3(0.0f, 1.0f, 0.0f));
    dry_vec3 local = quat_rotate(pose->orientation, halfspace->pose.position);
    double x = point.x - pose->position.x - (double)local.x, y = point.y - pose->position.y - (double)local.y,
           z = point.z - pose->position.z - (double)local.z;
    return (double)n.x * x + (double)n.y * y + (double)n.z * z;
}

/* Whether the pair is far enough apart to be forgotten. Shapes that touch have overlapping fat bounds: the
 * fat margin exceeds the speculative one. */
static bool is_lost(const dry_bodies *bodies, const dry_broadphase *broadphase, const dry_shape_form *a,
                    const dry_shape_form *b, const dry_body_pose *pose_b)
{
    if (a->geometry.type == DRY_SHAPE_HALFSPACE) {
        dry_position center =
            position_add(pose_b->position, quat_rotate(pose_b->orientation, b->pose.position));
        return dry_halfspace_height(bodies, a, center) > (double)(b->radius + 2.0f * DRY_HALFSPACE_MARGIN);
    }
    return !dry_broadphase_overlaps(broadphase, a->proxy, b->proxy);
}

void dry_contact_update(dry_contacts *contacts, const dry_bodies *bodies, const dry_shapes *shapes,
                        const dry_broadphase *broadphase, const dry_contact_settings *settings, int contact)
{
    dry_contact_link *link = &contacts->link[contact];
    dry_manifold *m = &contacts->manifold[contact];
    const dry_shape_form *a = &shapes->form[link->shape_a], *b = &shapes->form[link->shape_b];
    const dry_body_pose *pose_a = &bodies->pose[dry_bodies_row(bodies, link->body_a)];
    const dry_body_pose *pose_b = &bodies->pose[dry_bodies_row(bodies, link->body_b)];
    dry_mat3 ra = mat3_from_quat(pose_a->orientation);
    relative_pose r = relative_pose_of(pose_a, pose_b, &ra);
    unsigned flags = link->flags & ~(unsigned)(DRY_CONTACT_CHANGED | DRY_CONTACT_LOST | DRY_CONTACT_RECYCLED);

    float reach_b = b->radius + vec3_length(b->pose.position);
    /* What closes in within the step is met before it gets there, however fast. */
    const dry_body_velocity *va = &bodies->velocity[dry_bodies_row(bodies, link->body_a)];
    const dry_body_velocity *vb = &bodies->velocity[dry_bodies_row(bodies, link->body_b)];
    float closing = vec3_distance(vb->linear, va->linear) * settings->dt;
    float margin = settings->margin + dry_min(closing, DRY_CLOSING_MAX);
    /* Anchors are kept while the bodies barely move; so is the knowledge that there are none: what was
     * farther apart than the margin is still apart if they moved since, and will close in, by less than half
     * of it. */
    float moved = moved_since_built(m, &r, reach_b);
    bool keep =
        moved < settings->recycle_distance && (m->count > 0 || moved + closing < 0.5f * settings->margin);
    if (keep) {
        measure_anchors(m, &r);
        flags |= DRY_CONTACT_RECYCLED;
    } else {
        rebuild(m, a, b, &r, margin);
    }
    if ((m->count > 0) != ((flags & DRY_CONTACT_TOUCHING) != 0))
        flags |= DRY_CONTACT_CHANGED;
    if (m->count == 0 && is_lost(bodies, broadphase, a, b, pose_b))
        flags |= DRY_CONTACT_LOST;
    link->flags = (uint16_t)flags;
}
