/* The contacts of a convex piece with a surface of triangles: one for each plane in which triangles touch,
 * however many they are, and one for each ridge. Next: patches.c; narrowphase/families.c asks for them. */
#ifndef NARROWPHASE_PATCHES_PATCHES_H
#define NARROWPHASE_PATCHES_PATCHES_H

#include "narrowphase/local_manifold.h"
#include "narrowphase/pairs/patch.h"
#include "narrowphase/patches/near_triangles.h"

/* A contact that was found: points in one plane. */
typedef struct dry_patch {
    dry_local_manifold found; /* along the surface's axes, about the piece's center */
    uint32_t slot;            /* of the largest triangle */
    uint16_t material;
} dry_patch;

/* A plane of a search, and its contact. */
typedef struct dry_patch_plane {
    dry_patch patch;
    float offset;         /* along the normal, m */
    float area;           /* of the largest triangle, twice, m^2 */
    dry_vec3 x, z;        /* unit, along the plane */
    int32_t first, count; /* points to choose from, a list */
    bool is_cut;          /* points lie beside the triangles: each one is looked at by itself */
} dry_patch_plane;

typedef struct dry_patch_candidate {
    dry_patch_point point;
    bool is_spare; /* on the border to another surface that goes on */
    int32_t next;  /* -1: none */
} dry_patch_candidate;

/* Adds a candidate to a plane and counts it, unless one has its name or lies within `same` (m) of it. A place
 * is spare if all who add it say so. */
void dry_candidates_add(dry_patch_candidate *all, int *count, dry_patch_plane *plane,
                        const dry_patch_candidate *candidate, float same);

/* Leaves the best four candidates of a plane; `same` as for dry_patch_choose. Spare ones take only places
 * that others leave: they would take those of corners that are less deep, on which the piece then tips. */
void dry_candidates_reduce(dry_patch_candidate *all, dry_patch_plane *plane, float same);

/* Elements that a search takes for each near triangle that is counted, at most: its plane and that of a
 * ridge; four points that its own contact has, and four of its plane, which lie over it or ahead. */
enum { DRY_PLANES_PER_TRIANGLE = 2, DRY_CANDIDATES_PER_TRIANGLE = 8 };

/* Memory of a search. */
typedef struct dry_patch_room {
    dry_near_triangle *triangles;
    int triangle_count;
    dry_patch_plane *planes; /* one more than DRY_PLANES_PER_TRIANGLE for each triangle */
    dry_patch_candidate *candidates;
} dry_patch_room;

/* The outcome of a search. */
typedef struct dry_patches_found {
    int near; /* triangles; if the room has fewer, nothing has been looked for */
    int count;
    float separation_min; /* without any contact: a lower bound of the distance, m */
} dry_patches_found;

/* Finds the contacts and writes them to the front of room->planes. */
dry_patches_found dry_patches_find(const dry_patch_pair *pair, const dry_patch_room *room);

/* A shorter way, relative to the piece's radius, takes no center from the front of a surface to its back. */
#define DRY_WAY_SHORTEST 0.05f

/* Finds planes that stop a piece whose center would pass the surface within the step, three or `most` at
 * most. Returns their number. */
int dry_way_find(const dry_near_list *near, dry_patch_plane *planes, int most);

/* The patches of all parents, by number: the first parts are those of parents with few. */
typedef struct dry_patch_lists {
    dry_patch *few, *many;
    int few_count;
} dry_patch_lists;

static inline dry_patch *dry_patch_at(const dry_patch_lists *lists, int number)
{
    return number < lists->few_count ? &lists->few[number] : &lists->many[number - lists->few_count];
}

#endif
