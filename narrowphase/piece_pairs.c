/* The pairs of convex pieces of two shapes that are near: of a compound and a convex shape, or of two
 * compounds. Surfaces of triangles are no convex pieces: patches/patch_search.c looks at them.
 *
 * Reads: poses, shapes, the parent's children. Writes: a search and its list. Next: families.c. */
#include "geometry/compound.h"
#include "narrowphase/family_search.h"
#include "narrowphase/piece.h"

/* The piece of a shape that is no compound. */
enum { ALONE = 0 };

/* A walk over the pairs of pieces of one parent. */
typedef struct piece_walk {
    const dry_contacts *contacts;
    dry_family_search *search;
    const dry_geometry *compound;
    bool in_b;      /* the pieces that the query finds are b's */
    uint32_t other; /* the piece that they are near to */
} piece_walk;

/* Returns the child of a pair of pieces; -1 if there is none. */
static int child_of(const dry_contacts *contacts, int parent, const uint32_t piece[2])
{
    int child = contacts->family[parent].first;
    for (; child >= 0; child = contacts->family[child].next) {
        const dry_contact_family *family = &contacts->family[child];
        if (family->piece[0] == piece[0] && family->piece[1] == piece[1])
            break;
    }
    return child;
}

/* Takes a piece; those of triangles have contacts of another kind. */
static void take_piece(void *context, int child)
{
    piece_walk *walk = context;
    dry_family_search *s = walk->search;
    if (dry_type_has_triangles(dry_compound_piece(walk->compound, child).geometry.type))
        return;
    if (s->count < s->room) {
        dry_wanted *pair = &s->wanted[s->count];
        pair->piece[walk->in_b] = dry_compound_of(walk->compound)->first[child];
        pair->piece[!walk->in_b] = walk->other;
        pair->child = child_of(walk->contacts, s->parent, pair->piece);
    }
    s->count++;
}

/* Visits the pieces of a compound that are within reach of a piece in the compound's frame. */
static void visit_near(piece_walk *walk, const dry_geometry *compound, const dry_piece *piece)
{
    const float reach = walk->search->reach;
    walk->compound = compound;
    dry_extents box = dry_piece_bounds(piece);
    box.low = vec3_sub(box.low, vec3(reach, reach, reach));
    box.high = vec3_add(box.high, vec3(reach, reach, reach));
    dry_compound_query(compound, &box, take_piece, walk);
}

void dry_search_pieces(const dry_contact_update *u, dry_family_search *s)
{
    const dry_manifold *m = &u->contacts->manifold[s->parent];
    const dry_piece a = dry_piece_of(u->shapes, m->shape_a), b = dry_piece_of(u->shapes, m->shape_b);
    const dry_relative_pose relative = dry_contact_relative_pose(u, s->parent);
    const dry_transform b_in_a = dry_pair_frame_of(&a, &b, &relative).b_in_a;
    DRY_ASSERT(a.geometry.type == DRY_SHAPE_COMPOUND || b.geometry.type == DRY_SHAPE_COMPOUND);
    piece_walk walk = {.contacts = u->contacts, .search = s, .other = ALONE};
    if (a.geometry.type != DRY_SHAPE_COMPOUND) {
        const dry_transform identity = transform_identity();
        const dry_piece seen = {a.geometry, transform_relative(&b_in_a, &identity), a.radius};
        walk.in_b = true;
        visit_near(&walk, &b.geometry, &seen);
        return;
    }
    const int pieces = b.geometry.type == DRY_SHAPE_COMPOUND ? dry_compound_of(&b.geometry)->count : 0;
    for (int i = 0; i < pieces; i++) {
        dry_piece seen = dry_compound_piece(&b.geometry, i);
        seen.pose = transform_mul(&b_in_a, &seen.pose);
        walk.other = (uint32_t)i;
        visit_near(&walk, &a.geometry, &seen);
    }
    if (pieces == 0) {
        const dry_piece seen = {b.geometry, b_in_a, b.radius};
        visit_near(&walk, &a.geometry, &seen);
    }
}
