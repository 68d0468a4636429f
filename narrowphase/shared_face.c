/* Faces that press on several surfaces at once: what a contact bears of its face, and how it rubs there.
 * Reads a body's contacts. Called by solver/sweeps/contacts/source.c. */
#include "core/math.h"
#include "narrowphase/manifold.h"
#include "narrowphase/surface/same_surface.h"
#include "state/iterators.h"

/* Weights on a plane: their sum, and those of their products with x, y, xx, xy, yy. */
typedef struct moments {
    float all, x, y, xx, xy, yy;
} moments;

static void add_weight(moments *m, float weight, float x, float y)
{
    m->all += weight, m->x += weight * x, m->y += weight * y;
    m->xx += weight * x * x, m->xy += weight * x * y, m->yy += weight * y * y;
}

/* Returns the center of weights, and their mean squares about it. */
static moments means_of(const moments *m)
{
    const float x = m->x / m->all, y = m->y / m->all;
    return (moments){m->all, x, y, m->xx / m->all - x * x, m->xy / m->all - x * y, m->yy / m->all - y * y};
}

/* A face in the frame of one of its contacts, whose origin is the mean of the contact's points. */
typedef struct shared_face {
    const dry_contacts *contacts;
    const dry_bodies *bodies;
    int side; /* of the body */
    dry_position origin;
    dry_vec3 normal, u, v;
    moments area, load;
} shared_face;

/* Tells whether a contact has a patch that presses on the body from the face's side. */
static bool is_beside(const shared_face *f, int contact, int side)
{
    const int a = dry_bodies_row(f->bodies, f->contacts->link[contact].body_a);
    const dry_vec3 n = dry_manifold_normal(&f->contacts->manifold[contact], &f->bodies->pose[a]);
    const float cosine = vec3_dot(n, f->normal);
    return f->contacts->link[contact].points > 2 && (side == f->side ? cosine : -cosine) > 0.5f;
}

/* Adds the patch of a contact to a face, unless it lies off the plane, or hovers: it bore nothing. A third of
 * a triangle's area at the middle of each edge has its moments. Points 0 and 1 lie across from each other. */
static bool add_patch(shared_face *f, int contact)
{
    const shared_face before = *f;
    const dry_contact_link *link = &f->contacts->link[contact];
    const dry_manifold *m = &f->contacts->manifold[contact];
    const dry_body_pose *b = &f->bodies->pose[dry_bodies_row(f->bodies, link->body_b)];
    const dry_vec3 from = position_sub(b->position, f->origin);
    bool lies = true;
    float x[4], y[4];
    for (int i = 0; i < link->points; i++) {
        const dry_vec3 p = vec3_add(from, quat_rotate(b->orientation, m->points[i].anchor_b));
        lies &= dry_abs(vec3_dot(p, f->normal)) <= SAME_SURFACE;
        x[i] = vec3_dot(p, f->u), y[i] = vec3_dot(p, f->v);
        add_weight(&f->load, m->impulse[i], x[i], y[i]);
    }
    for (int i = 2; i < link->points; i++) {
        const float area = dry_abs((x[1] - x[0]) * (y[i] - y[0]) - (y[1] - y[0]) * (x[i] - x[0]));
        for (int k = 0; k < 3; k++) {
            const int j = k == 2 ? 0 : k, l = k == 0 ? 1 : i;
            add_weight(&f->area, area, 0.5f * (x[j] + x[l]), 0.5f * (y[j] + y[l]));
        }
    }
    lies &= f->area.all > before.area.all && (before.load.all == 0.0f || f->load.all > before.load.all);
    if (!lies)
        *f = before;
    return lies;
}

/* Finds how a patch rubs at a velocity v and a spin w. The pressure is linear over the face, and balances its
 * load. Coulomb's law about the center of a patch's load, with r its radius of gyration and k the part of r^2
 * along v, is within some percent
 *     f = -mu N F(s) v / u,  t = -mu N r^2 T(s) w / u,  u^2 = v^2 + r^2 w^2,  s = r^2 w^2 / u^2 */
static void find_part(const shared_face *f, const moments *own, float bore, dry_vec3 velocity, float w,
                      float slow, dry_face_part *part)
{
    const moments face = means_of(&f->area);
    const float determinant = face.xx * face.yy - face.xy * face.xy, spread = face.xx + face.yy;
    /* Rounding hides how wide a face of more than 1 to 1,000 is. */
    const bool tilts = determinant > 0x1p-20f * spread * spread && f->load.all > 0.0f;
    const float lx = tilts ? (f->load.x / f->load.all - face.x) / determinant : 0.0f,
                ly = tilts ? (f->load.y / f->load.all - face.y) / determinant : 0.0f;
    const float rise_x = face.yy * lx - face.xy * ly, rise_y = face.xx * ly - face.xy * lx;
    const float press = 1.0f + rise_x * (own->x - face.x) + rise_y * (own->y - face.y);
    const float scale = 1.0f / dry_max(press, 0.5f), dx = scale * (own->xx * rise_x + own->xy * rise_y),
                dy = scale * (own->xy * rise_x + own->yy * rise_y);
    part->x = own->x + dx, part->y = own->y + dy;
    part->spun = vec3_add_scaled(vec3_scale(f->u, -w * part->y), w * part->x, f->v);
    const float xx = own->xx - dx * dx, xy = own->xy - dx * dy, yy = own->yy - dy * dy;
    const float vx = vec3_dot(velocity, f->u) - w * part->y, vy = vec3_dot(velocity, f->v) + w * part->x;
    const float vv = dry_max(vx * vx + vy * vy, FLT_MIN), square = dry_max(xx + yy, FLT_MIN),
                uu = vv + square * w * w + slow * slow, s = square * w * w / uu;
    const float along = (vx * vx * xx + 2.0f * vx * vy * xy + vy * vy * yy) / (vv * square),
                k = dry_clamp(along, 0.0f, 1.0f);
    part->drag = square * (k + (12.0f / 13.0f - k) * dry_min(4.0f * s * s, 1.0f)) / sqrtf(uu);
    part->share = sqrtf(1.0f - s) * (1.0f + 3.0f / 4.0f * (1.0f - k) * s * (1.0f - 2.0f * s));
    if (bore > 0.0f)
        part->share *= dry_clamp(press * f->load.all * own->all / (face.all * bore), 0.0f, 2.0f);
}

bool dry_contact_shares_face(const dry_contacts *contacts, const dry_shapes *shapes, const dry_bodies *bodies,
                             int contact, int side, float slow, dry_face_part *part)
{
    const dry_contact_link *link = &contacts->link[contact];
    const dry_manifold *m = &contacts->manifold[contact];
    const int row[2] = {dry_bodies_row(bodies, link->body_a), dry_bodies_row(bodies, link->body_b)};
    shared_face f = {.contacts = contacts, .bodies = bodies, .side = side};
    bool unlike = false;
    dry_contact_iterator it = dry_contacts_of(contacts, &bodies->state[row[side]]);
    while (!unlike && dry_next_contact(&it))
        if (it.contact != contact && contacts->link[it.contact].points > 2 &&
            (shapes->belt || contacts->manifold[it.contact].friction != m->friction)) {
            f.normal = dry_manifold_normal(m, &bodies->pose[row[0]]);
            unlike = is_beside(&f, it.contact, it.side);
        }
    if (!unlike)
        return false;
    const dry_vec3 n = f.normal;
    const float sign = n.z < 0.0f ? -1.0f : 1.0f, r = 1.0f / (1.0f + dry_abs(n.z)), mixed = -n.x * r * n.y;
    f.u = vec3(1.0f - n.x * r * n.x, mixed, -sign * n.x);
    f.v = vec3(sign * mixed, sign * (1.0f - n.y * r * n.y), -n.y);
    dry_vec3 mean = vec3(0.0f, 0.0f, 0.0f), velocity = mean, spin = mean;
    for (int i = 0; i < link->points; i++)
        mean = vec3_add_scaled(mean, 1.0f / (float)link->points, m->points[i].anchor_b);
    f.origin =
        position_add(bodies->pose[row[1]].position, quat_rotate(bodies->pose[row[1]].orientation, mean));
    const moments own = add_patch(&f, contact) ? means_of(&f.area) : f.area;
    const float bore = f.load.all;
    it = dry_contacts_of(contacts, &bodies->state[row[side]]);
    while (own.all > 0.0f && dry_next_contact(&it))
        if (it.contact != contact && is_beside(&f, it.contact, it.side))
            add_patch(&f, it.contact);
    for (int i = 0; i < 2; i++) {
        const dry_body_velocity v = dry_bodies_motion(bodies, row[i]);
        const dry_vec3 belt = dry_contacts_material(contacts, shapes, contact, i).surface_velocity,
                       moves = quat_rotate(dry_bodies_user_pose(bodies, row[i]).orientation, belt),
                       arm = position_sub(f.origin, bodies->pose[row[i]].position);
        velocity = vec3_sub(vec3_add(vec3_add(v.linear, moves), vec3_cross(v.angular, arm)), velocity);
        spin = vec3_sub(v.angular, spin);
    }
    if (f.area.all > own.all)
        find_part(&f, &own, bore, velocity, vec3_dot(spin, n), slow * m->friction, part);
    return f.area.all > own.all;
}
