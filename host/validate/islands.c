/* Validation of islands. Next: host/validate/layout.c. */
#include "solver/plan/islands.h"
#include "host/validate/check.h"

/* Returns the representative of a row's component, with the path to it halved. */
static int component_of(int *parent, int row)
{
    while (parent[row] != row)
        row = parent[row] = parent[parent[row]];
    return row;
}

/* Joins the components of two bodies that move, if both do. */
static void join_bodies(const dry_world *world, int *parent, int body_a, int body_b)
{
    if (!checked_moves(world, body_a) || !checked_moves(world, body_b))
        return;
    int a = component_of(parent, dry_bodies_row(&world->bodies, body_a));
    int b = component_of(parent, dry_bodies_row(&world->bodies, body_b));
    parent[a] = b;
}

static void join_constraints(const dry_world *world, int *parent)
{
    const dry_contacts *contacts = &world->contacts;
    for (int i = 0; i < contacts->used; i++)
        if ((contacts->link[i].flags & DRY_CONTACT_TOUCHING) &&
            (contacts->link[i].flags & DRY_CONTACT_ACTIVE))
            join_bodies(world, parent, contacts->link[i].body_a, contacts->link[i].body_b);
    for (int i = 0; i < world->joints.active_count; i++) {
        int bodies[DRY_JOINT_SIDES];
        const int count = dry_joint_find_bodies(&world->joints, world->joints.active[i], bodies);
        for (int a = 0; a < count; a++)
            for (int b = a + 1; b < count; b++)
                join_bodies(world, parent, bodies[a], bodies[b]);
    }
}

void dry_world_validate_islands(const dry_world *world, const dry_validation *validation)
{
    const dry_bodies *bodies = &world->bodies;
    const dry_islands *islands = &world->islands;
    if (islands->stale)
        return;
    int rows = bodies->awake_count;
    int *parent = checked_array(validation, rows, sizeof *parent);
    int *component = checked_array(validation, islands->count, sizeof *component); /* by island */
    int *members = checked_array(validation, islands->count, sizeof *members);
    int *roots = checked_array(validation, rows, sizeof *roots); /* by root: its island + 1 */
    for (int row = 0; row < rows; row++)
        parent[row] = row;
    join_constraints(world, parent);
    for (int i = 0; i < islands->count; i++)
        component[i] = -1;
    for (int row = 0; row < rows; row++) {
        int island = bodies->sleep[row].island, root = component_of(parent, row);
        CHECK((island >= 0) == (bodies->state[row].type == DRY_BODY_DYNAMIC) && island < islands->count);
        if (island < 0)
            continue;
        CHECK(component[island] < 0 || component[island] == root);
        CHECK(roots[root] == 0 || roots[root] == island + 1);
        component[island] = root;
        roots[root] = island + 1;
        members[island]++;
    }
    for (int i = 0; i < islands->count; i++)
        CHECK(islands->island[i].bodies == members[i]);
    free(parent);
    free(component);
    free(members);
    free(roots);
}
