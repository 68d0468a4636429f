/* A contact with a static or kinematic box or half-space, as the rule of seams reads it. */
#ifndef NARROWPHASE_SURFACE_SEAM_CONTACT_H
#define NARROWPHASE_SURFACE_SEAM_CONTACT_H

#include "narrowphase/contact_settings.h"
#include "narrowphase/piece.h"
#include "narrowphase/surface/fixed_solid.h"
#include "state/bodies.h"
#include "state/contacts.h"
#include "state/shapes.h"

/* The columns that the rule works on. */
typedef struct dry_seam_columns {
    dry_contacts *contacts;
    const dry_bodies *bodies;
    const dry_shapes *shapes;
    const dry_contact_settings *settings;
} dry_seam_columns;

/* One contact. Vectors have world axes; points are relative to the dynamic body's center. */
typedef struct dry_seam_contact {
    int count;
    bool fixed_is_a;
    int fixed_shape, moving_shape, fixed_body;
    dry_fixed_solid solid;
    dry_vec3 normal;    /* of the fixed solid */
    dry_vec3 points[4]; /* on the fixed solid's surface, m: points of edges that miss each other lie off it */
} dry_seam_contact;

static inline bool dry_seam_is_dynamic(const dry_bodies *bodies, int slot)
{
    return dry_body_state_of(bodies, slot)->type == DRY_BODY_DYNAMIC;
}

/* Returns the way from one center to another, m. */
static inline dry_vec3 dry_seam_way(const dry_body_pose *from, const dry_body_pose *to)
{
    return vec3((float)(to->position.x - from->position.x), (float)(to->position.y - from->position.y),
                (float)(to->position.z - from->position.z));
}

/* Returns the side of a contact that is fixed. */
static inline int dry_seam_fixed_side(const dry_seam_columns *columns, int contact)
{
    return dry_seam_is_dynamic(columns->bodies, columns->contacts->link[contact].body_a);
}

/* Returns the fixed piece of a contact. */
static inline dry_piece dry_seam_fixed_piece(const dry_seam_columns *columns, int contact)
{
    return dry_contact_piece(columns->contacts, columns->shapes, contact,
                             dry_seam_fixed_side(columns, contact));
}

static inline int dry_seam_fixed_body(const dry_seam_columns *columns, int contact)
{
    const dry_contact_link *link = &columns->contacts->link[contact];
    return dry_seam_fixed_side(columns, contact) ? link->body_b : link->body_a;
}

/* Returns the pose of the body of a contact's fixed piece. */
static inline const dry_body_pose *dry_seam_fixed_pose(const dry_seam_columns *columns, int contact)
{
    return dry_body_pose_of(columns->bodies, dry_seam_fixed_body(columns, contact));
}

/* Reads a contact. Points of a round shape that flies are those where the surfaces will meet. */
dry_seam_contact dry_seam_read(const dry_seam_columns *columns, int contact);

/* Returns the fixed solid of a contact as seen from the center of a dynamic body. */
dry_fixed_solid dry_seam_solid(const dry_seam_columns *columns, int contact, const dry_body_pose *moving);

/* A face on which a contact is built anew. */
typedef struct dry_seam_face {
    dry_solid_face face; /* of the contact's box; the axis is -1 if no face goes on: then it has no points */
    int bearer;          /* the contact that bears beside it */
    bool deep;           /* ends below the face count, too */
} dry_seam_face;

/* Builds a contact anew on one face of its fixed box, as if that face were the whole surface: its points are
 * the ends of the moving shape that lie over the face, within the margin. There may be none. */
void dry_seam_build_on_face(const dry_seam_columns *columns, int contact, const dry_seam_face *face);

#endif
