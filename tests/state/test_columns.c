/* The columns of bodies and the slots behind ids: long random sequences of calls against plain models, and
 * allocators that fail. Contacts and joints: test_links.c. */
#include "tests/tagged_leases.h"

#include "state/bodies.h"
#include "state/iterators.h"

#include "tests/counted_memory.h"

enum { THINGS_MAX = 300, NEVER = -1 };

/* Slots. */

static void test_slots(void **state)
{
    (void)state;
    begin_memory();
    dry_slots slots;
    dry_slots_init(&slots, leases_of_tag(77));
    uint64_t ids[THINGS_MAX], stale[4096];
    int rows[THINGS_MAX], freed[4096];
    int living = 0, dead = 0, free_count = 0, fresh = 0;
    uint64_t seed = 5;
    assert_int_equal(dry_slots_find(&slots, 0), -1);
    for (int i = 0; i < 4000; i++) {
        if (living < THINGS_MAX && random_below(&seed, 100) < (i / 500 % 2 ? 40 : 60)) {
            assert_true(dry_slots_reserve(&slots, &memory, 1));
            int slot = dry_slots_take(&slots, i);
            /* Last freed, first reused; a new one only if none is free. Once all are, they are new again. */
            assert_int_equal(slot, free_count ? freed[free_count - 1] : fresh++);
            free_count -= free_count > 0;
            ids[living] = dry_slots_id(&slots, slot);
            rows[living++] = i;
        } else if (living) {
            int k = random_below(&seed, living);
            int slot = dry_slots_find(&slots, ids[k]);
            dry_slots_release(&slots, slot);
            freed[free_count++] = slot;
            if (living == 1)
                free_count = fresh = 0;
            stale[dead++] = ids[k];
            ids[k] = ids[--living];
            rows[k] = rows[living];
        }
        assert_int_equal(slots.count, living);
        if (i % 50)
            continue;
        for (int k = 0; k < living; k++) {
            int slot = dry_slots_find(&slots, ids[k]);
            assert_true(slot >= 0 && ids[k] != 0);
            assert_int_equal(slots.slots[slot].row, rows[k]);
            /* A neighbor's use, another world's numbers, nobody's slot. */
            assert_int_equal(dry_slots_find(&slots, ids[k] ^ (1ull << 24)), -1);
            assert_int_equal(dry_slots_find(&slots, ids[k] ^ (1ull << 39)), -1);
            assert_int_equal(dry_slots_find(&slots, ids[k] ^ (1ull << 40)), -1);
            assert_int_equal(dry_slots_find(&slots, ids[k] ^ (1ull << 63)), -1);
            assert_int_equal(dry_slots_find(&slots, ids[k] | 0xffffffull), -1);
            assert_int_equal(dry_slots_find(&slots, ids[k] & ~0xffffffull), -1);
        }
        for (int k = 0; k < dead; k++)
            assert_int_equal(dry_slots_find(&slots, stale[k]), -1);
    }
    assert_true(dead > 1000);
    assert_int_equal(ids[0] >> 46, 77);
    end_memory();
}

/* Ids of a slot rise from lease to lease. After its last use the slot is retired, and the next one is taken:
 * the count goes on from where a test puts it. */
static void test_reuses(void **state)
{
    (void)state;
    begin_memory();
    dry_slots slots;
    dry_slots_init(&slots, leases_of_tag(77));
    assert_true(dry_slots_reserve(&slots, &memory, 1));
    int slot = dry_slots_take(&slots, 0);
    const uint64_t first = dry_slots_id(&slots, slot);
    uint64_t before = first;
    for (uint32_t reuse = 1; reuse < 70000; reuse++) { /* eleven leases, each with another number of uses */
        dry_slots_release(&slots, slot);
        assert_int_equal(dry_slots_find(&slots, first), -1);
        assert_int_equal(dry_slots_take(&slots, 0), slot);
        uint64_t id = dry_slots_id(&slots, slot);
        assert_true(id - before == UINT64_C(1) << DRY_ID_SLOT_BITS);
        assert_int_equal(dry_slots_find(&slots, id), slot);
        assert_int_equal(dry_slots_find(&slots, first), -1);
        assert_int_equal(dry_slots_find(&slots, before), -1);
        before = id;
    }
    assert_int_equal(slots.wanted, 11);
    slots.slots[slot].generation = 2 * (DRY_SLOT_USES_MAX - 3) + 1;
    for (int left = 3; left > 0; left--) {
        const uint64_t id = dry_slots_id(&slots, slot);
        assert_int_equal(id >> 46, 77);
        dry_slots_release(&slots, slot);
        assert_int_equal(dry_slots_find(&slots, id), -1);
        assert_true(dry_slots_reserve(&slots, &memory, 1));
        assert_int_equal(dry_slots_take(&slots, 0), left > 1 ? slot : slot + 1);
    }
    assert_int_equal(slots.wanted, DRY_LEASES_MAX);
    assert_true(slots.retired == 1 && slots.used == 2 && slots.count == 1);
    /* Once all are free they are taken in order, without the retired one. */
    dry_slots_release(&slots, slot + 1);
    assert_int_equal(dry_slots_take(&slots, 0), slot + 1);
    assert_true(dry_slots_reserve(&slots, &memory, 1));
    assert_int_equal(dry_slots_take(&slots, 0), slot + 2);
    end_memory();
}

/* The highest slot has an id, and a table takes no more than ids can name. */
static void test_slots_end(void **state)
{
    (void)state;
    begin_memory();
    dry_slots slots;
    dry_slots_init(&slots, leases_of_tag(0xffff));
    assert_false(dry_slots_reserve(&slots, &memory, DRY_SLOTS_MAX + 1));
    assert_true(dry_slots_reserve(&slots, &memory, DRY_SLOTS_MAX));
    slots.used = slots.count = DRY_SLOTS_MAX - 1;
    int slot = dry_slots_take(&slots, 5);
    assert_int_equal(slot, DRY_SLOTS_MAX - 1);
    uint64_t id = dry_slots_id(&slots, slot);
    assert_true(id == (UINT64_C(0xffff) << 46 | UINT64_C(0xffffff)));
    assert_int_equal(dry_slots_find(&slots, id), slot);
    assert_int_equal(dry_slots_find(&slots, id ^ (1ull << 24)), -1);
    assert_false(dry_slots_reserve(&slots, &memory, 1));
    assert_false(dry_slots_may_hold(&slots, 1));
    end_memory();
}

/* Reserved room is enough for so many, and no less is asked for than needed. */
static void test_slots_reserve(void **state)
{
    (void)state;
    begin_memory();
    dry_slots slots;
    dry_slots_init(&slots, leases_of_tag(1));
    for (int more = 1; more < 200; more += 13) {
        assert_true(dry_slots_reserve(&slots, &memory, more));
        uint64_t before = counter.calls;
        assert_true(dry_slots_reserve(&slots, &memory, more));
        for (int i = 0; i < more; i++) {
            dry_slots_take(&slots, i);
            assert_true(slots.used <= slots.capacity);
        }
        for (int i = 0; i < more / 2; i++)
            dry_slots_release(&slots, slots.used - 1 - i);
        assert_int_equal(counter.calls, before);
    }
    int used = slots.used, count = slots.count;
    counter.fail_at = (int64_t)counter.calls;
    assert_false(dry_slots_reserve(&slots, &memory, 100000));
    assert_true(slots.used == used && slots.count == count);
    counter.fail_at = NEVER;
    end_memory();
}

/* Bodies. */

/* Every column of a row carries the body's own number; the rare ones where they are there. */
static void mark_row(dry_bodies *bodies, int row, int mark)
{
    bodies->pose[row].position.y = mark;
    bodies->velocity[row].angular.z = (float)mark;
    bodies->mass[row].inverse_inertia.y = (float)mark;
    if (bodies->force)
        bodies->force[row].torque.x = (float)mark;
    bodies->properties[row].locks = (uint32_t)mark;
    if (bodies->local)
        bodies->local[row].origin.position.z = (float)mark;
    bodies->state[row].user_data = (uint64_t)mark;
    bodies->sleep[row].timer = (float)mark;
}

static void assert_row(const dry_bodies *bodies, int row, int mark)
{
    assert_true(bodies->pose[row].position.y == mark);
    assert_true(bodies->velocity[row].angular.z == (float)mark);
    assert_true(bodies->mass[row].inverse_inertia.y == (float)mark);
    assert_true(dry_bodies_force(bodies, row)->torque.x == (bodies->force ? (float)mark : 0));
    assert_int_equal(bodies->properties[row].locks, mark);
    assert_true(dry_bodies_origin(bodies, row)->position.z == (bodies->local ? (float)mark : 0));
    assert_int_equal(bodies->state[row].user_data, mark);
    assert_true(bodies->sleep[row].timer == (float)mark);
}

typedef struct body_model {
    int slot, mark;
    bool awake, dynamic, quarantined;
} body_model;

static void assert_bodies(const dry_bodies *bodies, const body_model *model, int count)
{
    int awake = 0, dynamic = 0, both = 0, quarantined = 0;
    assert_int_equal(bodies->count, count);
    for (int k = 0; k < count; k++) {
        int row = dry_bodies_row(bodies, model[k].slot);
        assert_in_range(row, 0, count - 1);
        assert_int_equal(bodies->state[row].slot, model[k].slot);
        assert_row(bodies, row, model[k].mark);
        assert_int_equal(dry_bodies_is_awake(bodies, model[k].slot), model[k].awake);
        awake += model[k].awake;
        dynamic += model[k].dynamic;
        both += model[k].awake && model[k].dynamic;
        quarantined += model[k].quarantined;
    }
    assert_int_equal(bodies->awake_count, awake);
    assert_int_equal(bodies->dynamic_count, dynamic);
    assert_int_equal(bodies->awake_dynamic_count, both);
    assert_int_equal(bodies->quarantined_count, quarantined);
    /* In creation order, which is the model's and the marks'. */
    dry_body_iterator it = dry_bodies_by_age(bodies);
    for (int k = 0; k < count; k++)
        assert_true(dry_next_body(&it) && it.slot == model[k].slot);
    assert_false(dry_next_body(&it));
}

static void test_bodies(void **state)
{
    (void)state;
    begin_memory();
    dry_bodies bodies = {0};
    dry_slots_init(&bodies.slots, leases_of_tag(1));
    body_model model[THINGS_MAX];
    int count = 0, removed = 0;
    uint64_t seed = 11;
    for (int i = 1; i < 6000; i++) {
        /* One rare column after the other, in the middle of a life; what is there has nothing of it yet. */
        if (i == 2000 || i == 4000) {
            assert_true(i == 2000 ? dry_bodies_need_force(&bodies, &memory)
                                  : dry_bodies_need_local(&bodies, &memory));
            for (int m = 0; m < count; m++) {
                int row = dry_bodies_row(&bodies, model[m].slot);
                assert_true(dry_bodies_origin(&bodies, row)->orientation.w == 1);
                assert_true(i == 4000 || dry_bodies_force(&bodies, row)->torque.x == 0);
                mark_row(&bodies, row, model[m].mark);
            }
        }
        int what = random_below(&seed, 10), k = count ? random_below(&seed, count) : 0;
        if (what < (i / 1000 % 2 ? 2 : 4) && count < THINGS_MAX) {
            assert_true(dry_bodies_reserve(&bodies, &memory, 1));
            int slot = dry_bodies_add(&bodies), row = dry_bodies_row(&bodies, slot);
            assert_false(dry_bodies_is_awake(&bodies, slot));
            assert_true(bodies.velocity[row].linear.x == 0 && bodies.state[row].flags == 0);
            assert_true(bodies.pose[row].orientation.w == 1 &&
                        dry_bodies_origin(&bodies, row)->orientation.w == 1);
            assert_int_equal(bodies.state[row].first_shape, -1);
            assert_int_equal(bodies.state[row].contacts, -1);
            assert_int_equal(bodies.state[row].joints, -1);
            assert_int_equal(bodies.sleep[row].island, -1);
            assert_true(dry_bodies_force(&bodies, row)->force.x == 0);
            mark_row(&bodies, row, i);
            model[count++] = (body_model){.slot = slot, .mark = i};
        } else if (what == 8 && count && !model[k].awake) {
            static const int32_t types[] = {DRY_BODY_STATIC, DRY_BODY_DYNAMIC, DRY_BODY_KINEMATIC};
            const int type = random_below(&seed, 3);
            dry_bodies_set_type(&bodies, model[k].slot, types[type]);
            model[k].dynamic = type == 1;
            model[k].quarantined = random_below(&seed, 2);
            dry_bodies_set_quarantined(&bodies, model[k].slot, model[k].quarantined);
        } else if (what < 5 && count) {
            dry_bodies_set_awake(&bodies, model[k].slot, false);
            dry_bodies_remove(&bodies, model[k].slot);
            memmove(&model[k], &model[k + 1], (size_t)(count - k - 1) * sizeof *model);
            count--;
            removed++;
        } else if (what < 9 && count) {
            model[k].awake = random_below(&seed, 2);
            dry_bodies_set_awake(&bodies, model[k].slot, model[k].awake);
        } else if (count) {
            /* Among the awake rows, or among the others. */
            int a = bodies.awake_count, low = random_below(&seed, 2) ? 0 : a, high = low ? count : a;
            if (low < high) {
                int first = low + random_below(&seed, high - low);
                dry_bodies_swap(&bodies, first, low + random_below(&seed, high - low));
            }
        }
        if (i % 20 == 0)
            assert_bodies(&bodies, model, count);
    }
    assert_true(removed > 300 && count > 20);
    end_memory();
}

/* Whichever column's memory fails, all are as they were; with rare columns and without. */
static int fail_each_allocation(bool rare)
{
    int failures = 0;
    for (int at = 0;; at++) {
        begin_memory();
        dry_bodies bodies = {0};
        dry_slots_init(&bodies.slots, leases_of_tag(1));
        body_model model[20];
        assert_true(dry_bodies_reserve(&bodies, &memory, 20));
        if (rare) {
            assert_true(dry_bodies_need_local(&bodies, &memory) && dry_bodies_need_force(&bodies, &memory));
            assert_true(bodies.local && bodies.force);
        }
        for (int k = 0; k < 20; k++) {
            model[k] = (body_model){.slot = dry_bodies_add(&bodies), .mark = 100 + k, .awake = k % 3 == 0};
            mark_row(&bodies, dry_bodies_row(&bodies, model[k].slot), 100 + k);
        }
        for (int k = 0; k < 20; k += 3)
            dry_bodies_set_awake(&bodies, model[k].slot, true);
        counter.fail_at = (int64_t)counter.calls + at;
        size_t bytes = memory.bytes;
        bool ok = dry_bodies_reserve(&bodies, &memory, 1000) && dry_bodies_need_force(&bodies, &memory);
        assert_true(rare || !bodies.local);
        failures += !ok;
        counter.fail_at = NEVER;
        if (!rare && ok)
            for (int k = 0; k < 20; k++)
                dry_body_force_of(&bodies, model[k].slot)->torque.x = (float)model[k].mark;
        assert_bodies(&bodies, model, 20);
        assert_true(ok || at == 0 || memory.bytes >= bytes);
        assert_true(dry_bodies_reserve(&bodies, &memory, 1000));
        assert_bodies(&bodies, model, 20);
        end_memory();
        if (ok)
            return failures;
    }
}

static void test_bodies_without_memory(void **state)
{
    (void)state;
    int without = fail_each_allocation(false), with = fail_each_allocation(true);
    assert_int_equal(without, 8); /* slots, six columns, and force made late */
    assert_int_equal(with, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots),     cmocka_unit_test(test_reuses),
        cmocka_unit_test(test_slots_end), cmocka_unit_test(test_slots_reserve),
        cmocka_unit_test(test_bodies),    cmocka_unit_test(test_bodies_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
