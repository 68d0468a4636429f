/* Colors and islands, against what their definitions say of random graphs. */
#include "tests/counting_allocator.h"
#include "tests/tagged_leases.h"

#include "solver/plan/coloring.h"
#include "solver/plan/islands.h"

enum { BODIES = 80, EDGES_MAX = 400 };

static counting_allocator counter;
static dry_memory memory;
static dry_scratch scratch;

static dry_bodies make_bodies(uint64_t *seed)
{
    counter = (counting_allocator){.fail_at = -1};
    dry_memory_init(&memory, counting_hooks(&counter));
    dry_bodies bodies = {0};
    dry_slots_init(&bodies.slots, leases_of_tag(1));
    assert_true(dry_bodies_reserve(&bodies, &memory, BODIES));
    for (int i = 0; i < BODIES; i++) {
        int slot = dry_bodies_add(&bodies);
        bodies.state[slot].type = i % 10 == 0   ? DRY_BODY_STATIC
                                  : i % 10 == 1 ? DRY_BODY_KINEMATIC
                                                : DRY_BODY_DYNAMIC;
    }
    /* Rows are not slots. */
    for (int i = 0; i < 200; i++) {
        int first = random_below(seed, BODIES);
        dry_bodies_swap(&bodies, first, random_below(seed, BODIES));
    }
    return bodies;
}

static void end(void)
{
    dry_memory_release_all(&memory);
    scratch = (dry_scratch){0};
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
}

static int type_of(const dry_bodies *bodies, int slot)
{
    return dry_body_state_of(bodies, slot)->type;
}

/* Colors. */

typedef struct edge {
    int a, b, color;
} edge;

/* The lowest color that no edge at either dynamic body has. */
static int lowest_free(const dry_bodies *bodies, const edge *edges, int count, int a, int b, int colors_max)
{
    for (int color = 0; color < colors_max; color++) {
        bool taken = false;
        for (int e = 0; e < count; e++) {
            bool meet_a = (edges[e].a == a || edges[e].b == a) && type_of(bodies, a) == DRY_BODY_DYNAMIC;
            bool meet_b = (edges[e].a == b || edges[e].b == b) && type_of(bodies, b) == DRY_BODY_DYNAMIC;
            taken = taken || (edges[e].color == color && (meet_a || meet_b));
        }
        if (!taken)
            return color;
    }
    return DRY_COLOR_OVERFLOW;
}

static void check_colors(int colors_max, int hub_percent, uint64_t seed, int *overflow)
{
    dry_bodies bodies = make_bodies(&seed);
    static edge edges[EDGES_MAX];
    int count = 0;
    for (int i = 0; i < 3000; i++) {
        if (count < EDGES_MAX && random_below(&seed, 10) < (i < 2000 ? 7 : 4)) {
            int a = random_below(&seed, BODIES), b = random_below(&seed, BODIES);
            if (random_below(&seed, 100) < hub_percent)
                a = 7; /* dynamic, and in many constraints */
            if (a == b ||
                (type_of(&bodies, a) != DRY_BODY_DYNAMIC && type_of(&bodies, b) != DRY_BODY_DYNAMIC))
                continue;
            int expected = lowest_free(&bodies, edges, count, a, b, colors_max);
            int color = dry_color_take(&bodies, (const int[]){a, b}, 2, colors_max);
            assert_int_equal(color, expected);
            *overflow += color == DRY_COLOR_OVERFLOW;
            edges[count++] = (edge){a, b, color};
        } else if (count) {
            int e = random_below(&seed, count);
            dry_color_release(&bodies, (const int[]){edges[e].a, edges[e].b}, 2, edges[e].color);
            edges[e] = edges[--count];
        }
    }
    /* Exactly what the edges hold is marked. */
    uint64_t marks[BODIES] = {0};
    for (int e = 0; e < count; e++)
        for (int side = 0; side < 2 && edges[e].color < DRY_COLOR_OVERFLOW; side++) {
            int body = side ? edges[e].b : edges[e].a;
            if (type_of(&bodies, body) == DRY_BODY_DYNAMIC)
                marks[body] |= 1ull << edges[e].color;
        }
    for (int i = 0; i < BODIES; i++)
        assert_int_equal(dry_body_state_of(&bodies, i)->colors, marks[i]);
    while (count) {
        count--;
        dry_color_release(&bodies, (const int[]){edges[count].a, edges[count].b}, 2, edges[count].color);
    }
    for (int i = 0; i < BODIES; i++)
        assert_int_equal(bodies.state[i].colors, 0);
    end();
}

static void test_colors(void **state)
{
    (void)state;
    int overflow = 0;
    check_colors(64, 0, 1, &overflow);
    assert_int_equal(overflow, 0);
    check_colors(64, 40, 2, &overflow); /* more than 64 at one body */
    assert_true(overflow > 0);
    overflow = 0;
    check_colors(3, 0, 3, &overflow);
    assert_true(overflow > 100);
    check_colors(1, 10, 4, &overflow);
}

static void test_colors_not_held(void **state)
{
    (void)state;
    uint64_t seed = 5;
    dry_bodies bodies = make_bodies(&seed);
    int color = dry_color_take(&bodies, (const int[]){2, 3}, 2, 64);
    dry_color_release(&bodies, (const int[]){2, 3}, 2, DRY_COLOR_NONE);
    dry_color_release(&bodies, (const int[]){2, 3}, 2, DRY_COLOR_OVERFLOW);
    assert_int_equal(dry_body_state_of(&bodies, 2)->colors, 1ull << color);
    /* All 64 at one body. */
    for (int i = 0; i < 63; i++)
        assert_int_equal(dry_color_take(&bodies, (const int[]){2, 0}, 2, 64), i + 1);
    assert_int_equal(dry_color_take(&bodies, (const int[]){2, 0}, 2, 64), DRY_COLOR_OVERFLOW);
    assert_int_equal(dry_color_take(&bodies, (const int[]){0, 2}, 2, 64), DRY_COLOR_OVERFLOW);
    dry_color_release(&bodies, (const int[]){2, 0}, 2, 63);
    assert_int_equal(dry_color_take(&bodies, (const int[]){0, 2}, 2, 64), 63);
    end();
}

/* Islands. */

typedef struct graph {
    dry_contacts contacts;
    dry_joints joints;
    dry_shapes shapes; /* shape i belongs to body i */
    dry_islands islands;
} graph;

static void add_contact(graph *g, dry_bodies *bodies, int a, int b, bool touching)
{
    if (a == b || dry_pair_map_find(&g->contacts.pairs, dry_pair_key_of((uint32_t)a, (uint32_t)b)) >= 0)
        return;
    assert_true(dry_contacts_reserve(&g->contacts, &memory, 1));
    int index = dry_contacts_add(&g->contacts, bodies, &g->shapes, a, b);
    if (touching)
        dry_contacts_set_touching(&g->contacts, index, true);
}

static void add_joint(graph *g, dry_bodies *bodies, int a, int b)
{
    if (a == b)
        return;
    assert_true(dry_joints_reserve(&g->joints, &memory, 1));
    int index = dry_joints_add(&g->joints, bodies, 2, (const int[]){a, b});
    dry_joints_set_active(&g->joints, index,
                          dry_bodies_is_awake(bodies, a) || dry_bodies_is_awake(bodies, b));
}

static bool in_an_island(const dry_bodies *bodies, int slot)
{
    return dry_bodies_is_awake(bodies, slot) && type_of(bodies, slot) == DRY_BODY_DYNAMIC;
}

/* The constraints that count, one after the other, joints last; false after the last. */
static bool constraint_at(const graph *g, int i, int *a, int *b, bool *joint)
{
    *joint = false;
    for (int c = -1; (c = dry_contacts_next_active(&g->contacts, c)) >= 0;) {
        const dry_contact_link *link = &g->contacts.link[c];
        if (!(link->flags & DRY_CONTACT_TOUCHING) || i-- > 0)
            continue;
        *a = link->body_a, *b = link->body_b;
        return true;
    }
    if (i >= g->joints.active_count)
        return false;
    *joint = true;
    *a = g->joints.joint[g->joints.active[i]].body_a;
    *b = g->joints.joint[g->joints.active[i]].body_b;
    return true;
}

static uint32_t locks_of(const dry_bodies *bodies, int slot)
{
    return dry_body_properties_of(bodies, slot)->locks;
}

static void check_islands(const graph *g, dry_bodies *bodies)
{
    /* Labels spread along constraints until nothing changes: the lowest row of each island. */
    int label[BODIES], a, b;
    bool joint;
    for (int i = 0; i < BODIES; i++)
        label[i] = in_an_island(bodies, i) ? dry_bodies_row(bodies, i) : -1;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; constraint_at(g, i, &a, &b, &joint); i++)
            if (label[a] >= 0 && label[b] >= 0 && label[a] != label[b]) {
                int *higher = label[a] > label[b] ? &label[a] : &label[b];
                *higher = label[a] < label[b] ? label[a] : label[b];
                changed = true;
            }
    }
    /* Numbered by their first rows. */
    int number[BODIES], islands = 0;
    for (int row = 0; row < BODIES; row++) {
        int slot = bodies->state[row].slot;
        number[row] = label[slot] == row ? islands++ : -1;
    }
    assert_int_equal(g->islands.count, islands);
    int members[BODIES] = {0}, manifolds[BODIES] = {0}, joints[BODIES] = {0};
    bool kinematic[BODIES] = {false}, held[BODIES] = {false};
    for (int i = 0; i < BODIES; i++) {
        int row = dry_bodies_row(bodies, i);
        if (row < bodies->awake_count) {
            assert_int_equal(bodies->sleep[row].island, label[i] < 0 ? -1 : number[label[i]]);
        }
        if (label[i] >= 0)
            members[number[label[i]]]++;
    }
    for (int i = 0; constraint_at(g, i, &a, &b, &joint); i++) {
        int root = label[a] >= 0 ? label[a] : label[b];
        if (root < 0)
            continue;
        (joint ? joints : manifolds)[number[root]]++;
        held[number[root]] =
            held[number[root]] || label[a] < 0 || label[b] < 0 || locks_of(bodies, a) || locks_of(bodies, b);
        for (int side = 0; side < 2; side++) {
            int body = side ? b : a;
            kinematic[number[root]] =
                kinematic[number[root]] ||
                (dry_bodies_is_awake(bodies, body) && type_of(bodies, body) == DRY_BODY_KINEMATIC);
        }
    }
    for (int i = 0; i < islands; i++) {
        assert_int_equal(g->islands.island[i].bodies, members[i]);
        assert_int_equal(g->islands.island[i].manifolds, manifolds[i]);
        assert_int_equal(g->islands.island[i].joints, joints[i]);
        assert_int_equal(g->islands.island[i].kinematic, kinematic[i]);
        assert_int_equal(g->islands.island[i].floating, members[i] > 1 && !held[i]);
    }
    assert_false(g->islands.stale);
}

/* Some contacts end, then some begin, as in a step; the edges are those of a build from nothing. */
static void change_touches(graph *g, dry_bodies *bodies, uint64_t *seed)
{
    dry_contacts *contacts = &g->contacts;
    dry_edge_patch patch = dry_islands_begin_removing(&g->islands);
    int fresh[BODIES * BODIES], count = 0;
    for (int contact = -1; (contact = dry_contacts_next_active(contacts, contact)) >= 0;) {
        bool touched = contacts->link[contact].flags & DRY_CONTACT_TOUCHING;
        if (random_below(seed, 4))
            continue;
        if (touched) {
            dry_contacts_set_touching(contacts, contact, false);
            dry_islands_remove_edge(&patch, contact);
        } else {
            fresh[count++] = contact;
        }
    }
    dry_islands_end_removing(&patch);
    assert_true(dry_islands_reserve(&g->islands, &memory, g->islands.edge_count + count));
    patch = dry_islands_begin_inserting(&g->islands, count);
    while (count--) {
        dry_contacts_set_touching(contacts, fresh[count], true);
        contacts->link[fresh[count]].color = (int8_t)random_below(seed, 64);
        dry_islands_insert_edge(&patch, bodies, contacts, fresh[count]);
    }
}

static void check_patched(graph *g, dry_bodies *bodies, uint64_t *seed)
{
    for (int i = 0; i < 10; i++) {
        change_touches(g, bodies, seed);
        assert_true(
            dry_islands_build(&g->islands, &memory, &scratch, bodies, &g->contacts, &g->shapes, &g->joints));
        check_islands(g, bodies);
        int count = g->islands.edge_count;
        dry_edge patched[BODIES * BODIES];
        if (count)
            memcpy(patched, g->islands.edge, (size_t)count * sizeof *patched);
        g->islands.stale = true;
        assert_true(
            dry_islands_build(&g->islands, &memory, &scratch, bodies, &g->contacts, &g->shapes, &g->joints));
        assert_int_equal(g->islands.edge_count, count);
        if (count)
            assert_memory_equal(patched, g->islands.edge, (size_t)count * sizeof *patched);
    }
}

static void test_islands(void **state)
{
    (void)state;
    int many = 0, few = 0, floating = 0;
    for (int round = 0; round < 60; round++) {
        uint64_t seed = 1000u + (unsigned)round;
        dry_bodies bodies = make_bodies(&seed);
        graph g = {.islands.stale = true};
        dry_contacts_init(&g.contacts);
        dry_slots_init(&g.joints.slots, leases_of_tag(1));
        dry_slots_init(&g.shapes.slots, leases_of_tag(1));
        assert_true(dry_shapes_reserve(&g.shapes, &memory, BODIES));
        for (int i = 0; i < BODIES; i++) {
            dry_slots_take(&g.shapes.slots, i);
            g.shapes.form[i].body = i;
            if (random_below(&seed, 12) == 0)
                dry_body_properties_of(&bodies, i)->locks = DRY_LOCK_LINEAR_Y;
            if (type_of(&bodies, i) != DRY_BODY_STATIC && random_below(&seed, 5))
                dry_bodies_set_awake(&bodies, i, true);
        }
        for (int i = 0; i < round * 2; i++) {
            int a = random_below(&seed, BODIES), b = random_below(&seed, BODIES);
            add_contact(&g, &bodies, a, b, random_below(&seed, 3) > 0);
            if (i % 4 == 0) {
                a = random_below(&seed, BODIES);
                add_joint(&g, &bodies, a, random_below(&seed, BODIES));
            }
        }
        assert_true(dry_islands_reserve(&g.islands, &memory, g.contacts.touching_count));
        assert_true(
            dry_islands_build(&g.islands, &memory, &scratch, &bodies, &g.contacts, &g.shapes, &g.joints));
        check_islands(&g, &bodies);
        for (int i = 0; i < g.islands.count; i++)
            floating += g.islands.island[i].floating;
        many += g.islands.count > 20;
        few += g.islands.count < 15;
        check_patched(&g, &bodies, &seed);
        /* Again after rows moved within the awake ones, into the same memory. */
        for (int i = 0; i < 50; i++) {
            int first = random_below(&seed, bodies.awake_count);
            dry_bodies_swap(&bodies, first, random_below(&seed, bodies.awake_count));
        }
        g.islands.stale = true;
        assert_true(
            dry_islands_build(&g.islands, &memory, &scratch, &bodies, &g.contacts, &g.shapes, &g.joints));
        check_islands(&g, &bodies);
        end();
    }
    assert_true(many > 5 && few > 5 && floating > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_colors),
        cmocka_unit_test(test_colors_not_held),
        cmocka_unit_test(test_islands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
