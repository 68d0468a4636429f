/* The columns of contacts and joints, their lists at the bodies and of what is active: long random sequences
 * of calls against plain models, and allocators that fail. */
#include "tests/tagged_leases.h"

#include "state/contacts.h"
#include "state/joints.h"

#include "tests/counted_memory.h"

enum { BODIES = 60, SHAPES = 120, THINGS_MAX = 300, NEVER = -1 };

typedef struct link_model {
    int index, a, b; /* shapes of contacts, bodies of joints */
} link_model;

static dry_bodies make_bodies(void)
{
    dry_bodies bodies = {0};
    dry_slots_init(&bodies.slots, leases_of_tag(1));
    assert_true(dry_bodies_reserve(&bodies, &memory, BODIES));
    for (int i = 0; i < BODIES; i++)
        dry_bodies_add(&bodies);
    return bodies;
}

static int body_of_shape(int shape)
{
    return shape * 7 % BODIES;
}

/* A body's list holds exactly its contacts, each with the right side, and reads the same backwards. */
static void assert_contact_lists(const dry_contacts *contacts, const dry_bodies *bodies,
                                 const link_model *model, int count)
{
    static int8_t seen[2 * 2 * THINGS_MAX];
    memset(seen, 0, sizeof seen);
    int total = 0;
    for (int body = 0; body < BODIES; body++) {
        int prev = -1;
        for (int c = dry_body_state_of(bodies, body)->contacts; c >= 0;) {
            const dry_contact_link *link = &contacts->link[c >> 1];
            assert_int_equal(c & 1 ? link->body_b : link->body_a, body);
            assert_int_equal(link->prev[c & 1], prev);
            assert_int_equal(seen[c]++, 0);
            total++;
            prev = c;
            c = link->next[c & 1];
        }
    }
    assert_int_equal(total, 2 * count);
    for (int k = 0; k < count; k++)
        assert_true(seen[2 * model[k].index] == 1 && seen[2 * model[k].index + 1] == 1);
}

static int find_contact(const dry_contacts *contacts, const link_model *m)
{
    return dry_pair_map_find(&contacts->pairs, dry_pair_key_of((uint32_t)m->b, (uint32_t)m->a));
}

static void assert_contacts(dry_contacts *contacts, const dry_bodies *bodies, const link_model *model,
                            int count)
{
    assert_int_equal(contacts->count, count);
    assert_contact_lists(contacts, bodies, model, count);
    int active = 0, touching = 0, both = 0;
    for (int k = 0; k < count; k++) {
        const dry_contact_link *link = &contacts->link[model[k].index];
        assert_int_equal(contacts->manifold[model[k].index].shape_a, model[k].a);
        assert_int_equal(contacts->manifold[model[k].index].shape_b, model[k].b);
        assert_int_equal(link->color, DRY_COLOR_NONE);
        assert_true(link->flags & DRY_CONTACT_USED);
        assert_int_equal(find_contact(contacts, &model[k]), model[k].index);
        active += (link->flags & DRY_CONTACT_ACTIVE) != 0;
        touching += (link->flags & DRY_CONTACT_TOUCHING) != 0;
        both += (link->flags & DRY_CONTACT_ACTIVE) && (link->flags & DRY_CONTACT_TOUCHING);
    }
    assert_int_equal(contacts->active_count, active);
    assert_int_equal(contacts->touching_count, touching);
    assert_int_equal(contacts->awake_touching_count, both);
    /* By rising index, each once. */
    dry_contacts_list_active(contacts);
    int word = 0;
    for (int contact = -1; (contact = dry_contacts_next_active(contacts, contact)) >= 0;) {
        assert_true(contacts->link[contact].flags & DRY_CONTACT_ACTIVE);
        active--;
        if (word == 0 || contacts->active_words[word - 1] != contact / 64)
            assert_int_equal(contacts->active_words[word++], contact / 64);
    }
    assert_int_equal(active, 0);
    assert_int_equal(contacts->active_word_count, word);
}

static dry_shapes make_shapes(void)
{
    dry_shapes shapes = {0};
    dry_slots_init(&shapes.slots, leases_of_tag(1));
    assert_true(dry_shapes_reserve(&shapes, &memory, SHAPES));
    for (int i = 0; i < SHAPES; i++) {
        int shape = dry_slots_take(&shapes.slots, i);
        assert_int_equal(shape, i);
        shapes.form[i] = (dry_shape_form){.body = body_of_shape(i), .friction = 0.25f, .restitution = 0.1f};
    }
    shapes.form[0].friction = 1.0f;
    shapes.form[0].restitution = 0.5f;
    return shapes;
}

static void test_contacts(void **state)
{
    (void)state;
    begin_memory();
    dry_bodies bodies = make_bodies();
    dry_shapes shapes = make_shapes();
    for (int i = 0; i < BODIES; i += 3)
        dry_bodies_set_awake(&bodies, i, true);
    dry_contacts contacts;
    dry_contacts_init(&contacts);
    link_model model[THINGS_MAX];
    int count = 0, removed = 0;
    uint64_t seed = 41;
    for (int i = 0; i < 8000; i++) {
        int a = random_below(&seed, SHAPES), b = random_below(&seed, SHAPES);
        int what = random_below(&seed, 10), k = count ? random_below(&seed, count) : 0;
        if (what < (i / 1000 % 2 ? 4 : 6) && count < THINGS_MAX) {
            if (body_of_shape(a) == body_of_shape(b) ||
                find_contact(&contacts, &(link_model){.a = a, .b = b}) >= 0)
                continue;
            assert_true(dry_contacts_reserve(&contacts, &memory, 1));
            uint64_t calls = counter.calls;
            int index = dry_contacts_add(&contacts, &bodies, &shapes, a, b), lower = 0;
            assert_int_equal(counter.calls, calls);
            for (int j = 0; j < count; j++) {
                assert_int_not_equal(model[j].index, index);
                lower += model[j].index < index;
            }
            assert_int_equal(lower, index);
            bool awake = dry_bodies_is_awake(&bodies, body_of_shape(a)) ||
                         dry_bodies_is_awake(&bodies, body_of_shape(b));
            assert_int_equal((contacts.link[index].flags & DRY_CONTACT_ACTIVE) != 0, awake);
            const dry_manifold *manifold = &contacts.manifold[index];
            assert_true(contacts.link[index].points == 0 && manifold->built_orientation.w == 1 &&
                        manifold->substep == 0);
            model[count++] = (link_model){index, a, b};
        } else if (what < 7 && count) {
            dry_contacts_remove(&contacts, &bodies, model[k].index);
            assert_int_equal(find_contact(&contacts, &model[k]), -1);
            assert_false(contacts.link[model[k].index].flags & DRY_CONTACT_USED);
            model[k] = model[--count];
            removed++;
        } else if (what < 8 && count) {
            dry_contacts_set_touching(&contacts, model[k].index, random_below(&seed, 2));
        } else if (what < 9 && count) {
            bool active = random_below(&seed, 2);
            dry_contacts_set_active(&contacts, model[k].index, active);
            assert_int_equal((contacts.link[model[k].index].flags & DRY_CONTACT_ACTIVE) != 0, active);
        } else {
            /* Contacts hang on slots: rows may move. */
            int low = random_below(&seed, 2) ? 0 : bodies.awake_count,
                high = low ? BODIES : bodies.awake_count;
            int first = low + random_below(&seed, high - low);
            dry_bodies_swap(&bodies, first, low + random_below(&seed, high - low));
        }
        if (i % 40 == 0)
            assert_contacts(&contacts, &bodies, model, count);
    }
    assert_true(removed > 500);
    /* Holes are used before new indices, the lowest first. */
    assert_true(contacts.used <= THINGS_MAX);
    while (count)
        dry_contacts_remove(&contacts, &bodies, model[--count].index);
    assert_contacts(&contacts, &bodies, model, 0);
    end_memory();
}

/* A pair's friction is the geometric mean, its restitution the larger [include/drystone/shape.h]. */
static void test_contact_mixing(void **state)
{
    (void)state;
    begin_memory();
    dry_bodies bodies = make_bodies();
    dry_shapes shapes = make_shapes();
    dry_contacts contacts;
    dry_contacts_init(&contacts);
    assert_true(dry_contacts_reserve(&contacts, &memory, 2));
    for (int side = 0; side < 2; side++) {
        int index = dry_contacts_add(&contacts, &bodies, &shapes, side ? 1 + side : 0, side ? 0 : 1);
        assert_true(contacts.manifold[index].friction == 0.5f);
        assert_true(contacts.manifold[index].restitution == 0.5f);
    }
    /* Only this body's anchors are made anew. */
    for (int i = 0; i < 2; i++)
        contacts.link[i].flags &= (uint16_t)~DRY_CONTACT_VOID;
    dry_contacts_void_anchors(&contacts, dry_body_state_of(&bodies, body_of_shape(2)));
    assert_false(contacts.link[0].flags & DRY_CONTACT_VOID);
    assert_true(contacts.link[1].flags & DRY_CONTACT_VOID);
    end_memory();
}

static void assert_joints(const dry_joints *joints, const dry_bodies *bodies, const link_model *model,
                          int count)
{
    int total = 0, active = 0;
    assert_int_equal(joints->slots.count, count);
    for (int body = 0; body < BODIES; body++) {
        int prev = -1;
        for (int j = dry_body_state_of(bodies, body)->joints; j >= 0;) {
            const dry_joint *joint = &joints->joint[j >> 1];
            assert_int_equal(j & 1 ? joint->body_b : joint->body_a, body);
            assert_int_equal(joint->prev[j & 1], prev);
            total++;
            prev = j;
            j = joint->next[j & 1];
        }
    }
    assert_int_equal(total, 2 * count);
    for (int k = 0; k < count; k++) {
        const dry_joint *joint = &joints->joint[model[k].index];
        assert_true(joint->body_a == model[k].a && joint->body_b == model[k].b);
        assert_true(joint->color == DRY_COLOR_NONE && joint->substep == 0);
        if (joint->active >= 0) {
            active++;
            assert_int_equal(joints->active[joint->active], model[k].index);
        }
    }
    assert_int_equal(joints->active_count, active);
}

/* Several joints may hold the same two bodies. */
static void test_joints(void **state)
{
    (void)state;
    begin_memory();
    dry_bodies bodies = make_bodies();
    dry_joints joints = {0};
    dry_slots_init(&joints.slots, leases_of_tag(1));
    link_model model[THINGS_MAX];
    int count = 0, removed = 0;
    uint64_t seed = 71;
    for (int i = 0; i < 6000; i++) {
        int a = random_below(&seed, BODIES / 4), b = random_below(&seed, BODIES / 4);
        int what = random_below(&seed, 10), k = count ? random_below(&seed, count) : 0;
        if (what < (i / 1000 % 2 ? 3 : 5) && count < THINGS_MAX && a != b) {
            assert_true(dry_joints_reserve(&joints, &memory, 1));
            int index = dry_joints_add(&joints, &bodies, 2, (const int[]){a, b});
            assert_int_equal(joints.joint[index].active, -1);
            model[count++] = (link_model){index, a, b};
        } else if (what < 6 && count) {
            dry_joints_remove(&joints, &bodies, model[k].index);
            model[k] = model[--count];
            removed++;
        } else if (count) {
            dry_joints_set_active(&joints, model[k].index, random_below(&seed, 2));
        }
        if (i % 40 == 0)
            assert_joints(&joints, &bodies, model, count);
    }
    assert_true(removed > 300);
    end_memory();
}

/* Whichever array's memory fails, what was there is there. */
static void test_links_without_memory(void **state)
{
    (void)state;
    int failures = 0;
    for (int at = 0; at < 20; at++) {
        begin_memory();
        dry_bodies bodies = make_bodies();
        dry_shapes shapes = make_shapes();
        dry_contacts contacts;
        dry_contacts_init(&contacts);
        dry_joints joints = {0};
        dry_slots_init(&joints.slots, leases_of_tag(1));
        assert_true(dry_contacts_reserve(&contacts, &memory, 4) && dry_joints_reserve(&joints, &memory, 4));
        link_model contact[4], joint[4];
        for (int k = 0; k < 4; k++) {
            contact[k] = (link_model){dry_contacts_add(&contacts, &bodies, &shapes, k, k + 1), k, k + 1};
            joint[k] = (link_model){dry_joints_add(&joints, &bodies, 2, (const int[]){k, k + 1}), k, k + 1};
        }
        counter.fail_at = (int64_t)counter.calls + at;
        bool ok = dry_contacts_reserve(&contacts, &memory, 2000);
        ok = dry_joints_reserve(&joints, &memory, 2000) && ok;
        failures += !ok;
        counter.fail_at = NEVER;
        assert_contacts(&contacts, &bodies, contact, 4);
        assert_joints(&joints, &bodies, joint, 4);
        assert_true(dry_contacts_reserve(&contacts, &memory, 2000) &&
                    dry_joints_reserve(&joints, &memory, 2000));
        assert_true(contacts.link_capacity >= 2004 && contacts.active_words_capacity >= 2004 / 64);
        assert_true(joints.joint_capacity >= 2004 && joints.active_capacity >= 2004);
        assert_contacts(&contacts, &bodies, contact, 4);
        assert_joints(&joints, &bodies, joint, 4);
        end_memory();
    }
    assert_int_equal(failures, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_contact_mixing),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_links_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
