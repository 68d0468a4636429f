/* The contacts of one dynamic body with static and kinematic solids, as the rule of seams goes over them. */
#ifndef NARROWPHASE_SURFACE_SEAM_BODY_H
#define NARROWPHASE_SURFACE_SEAM_BODY_H

#include "narrowphase/surface/seam_contact.h"

/* Contacts that are looked at, and solids near one contact. More would not fit on a worker's stack: a contact
 * beyond these stays as it is, and a solid beyond them hides nothing. */
enum { DRY_SEAM_CONTACTS_MAX = 1024, DRY_SEAM_NEAR_MAX = 48 };

/* Parts of a normal below this are rounding errors. A body that slides over such an edge at 5 m/s rises by 8
 * um within a step of 1/60 s. */
#define DRY_SEAM_STRAYS_LEAST 1e-4f

/* Positions are relative to the body's center. */
typedef struct dry_seam_body {
    const dry_seam_columns *columns;
    const dry_body_pose *pose; /* of the body */
    int count;
    int bearer; /* the contact that was last found to bear in place of another */
    int32_t contact[DRY_SEAM_CONTACTS_MAX];
    /* A sphere that holds the solid, and what lies on it: its center and radius, m. */
    float x[DRY_SEAM_CONTACTS_MAX], y[DRY_SEAM_CONTACTS_MAX], z[DRY_SEAM_CONTACTS_MAX];
    float radius[DRY_SEAM_CONTACTS_MAX];
    float strays[DRY_SEAM_CONTACTS_MAX];   /* the largest part of the normal that a solid lacks */
    uint8_t hidden[DRY_SEAM_CONTACTS_MAX]; /* a bit for each point whose normal a solid lacks */
    bool is_rebuilt[DRY_SEAM_CONTACTS_MAX];
    dry_seam_face face[DRY_SEAM_CONTACTS_MAX]; /* on which a contact is built anew */
    uint8_t is_near[DRY_SEAM_CONTACTS_MAX];    /* scratch */
} dry_seam_body;

/* The solids near one contact that move as its own does, without that one. */
typedef struct dry_seam_near {
    int count;
    dry_fixed_solid solid[DRY_SEAM_NEAR_MAX];
} dry_seam_near;

/* Lists the contacts of a dynamic body with fixed solids. A solid that is near without a point may hide an
 * edge, too. Returns whether there may be a seam: two solids, and points that may lie on one. */
bool dry_seam_list(dry_seam_body *b, const dry_body_state *moving);

/* Finds the solids near contact i. */
void dry_seam_find_near(dry_seam_body *b, int i, const dry_seam_contact *c, dry_seam_near *near);

/* Finds the hidden points of a contact, and how far the contact strays. */
void dry_seam_rate(dry_seam_body *b, int i);

#endif
