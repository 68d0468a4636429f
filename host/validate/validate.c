/* Validation: a world beside what a load of its save makes. Next: snapshot/restore.c,
 * host/validate/layout.c. */
#include "host/validate/validate.h"

#include "host/validate/check.h"
#include "snapshot/restore.h"
#include "world/state_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Reports what a field of a column has against it. */
static void fail(const dry_validation *validation, const char *column, const char *field, int64_t row,
                 const char *text)
{
    char condition[192];
    snprintf(condition, sizeof condition, "section %s, row %" PRId64 ", field %s: %s", column, row,
             field ? field : "-", text);
    validation->failed(validation, condition, __FILE__, __LINE__);
}

/* Tells whether a load makes a field as it is in a living world. Places in memory may be others; and a load
 * wants the leases of taken slots, too, which are drawn. */
static bool is_remade(int column, const dry_field *field)
{
    return field->origin == DRY_FIELD_DERIVED && column != DRY_COLUMN_SHAPE_ASSET &&
           column != DRY_COLUMN_SHAPE_MATERIAL && strcmp(field->name, "wanted") != 0;
}

static void compare_row(int column, const dry_column_rows *now, const dry_column_rows *then, int row,
                        const dry_validation *validation)
{
    const char *a = dry_row_at(now, row);
    const char *b = dry_row_at(then, row);
    for (int i = 0; i < dry_columns[column].field_count; i++) {
        const dry_field *field = &dry_columns[column].fields[i];
        if (is_remade(column, field) && memcmp(a + field->offset, b + field->offset, field->size) != 0)
            fail(validation, dry_columns[column].id, field->name, row, "not what a load makes");
    }
}

static void compare_columns(const dry_world *world, dry_tables *loaded, const dry_validation *validation)
{
    const dry_tables state = dry_world_state(world);
    dry_column_rows now[DRY_COLUMN_COUNT], then[DRY_COLUMN_COUNT];
    dry_find_column_rows(&state, now);
    dry_find_column_rows(loaded, then);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++)
        for (int row = 0; row < then[id].count; row++)
            if (dry_row_counts(&then[id], row))
                compare_row(id, &now[id], &then[id], row, validation);
}

/* Compares values that no column has: counts, the map of pairs, the list of active contacts. */
static void compare_contacts(const dry_contacts *now, const dry_contacts *then,
                             const dry_validation *validation)
{
    int listed = 0;
    CHECK(now->count == then->count && now->active_count == then->active_count);
    CHECK(now->touching_count == then->touching_count);
    CHECK(now->awake_touching_count == then->awake_touching_count);
    CHECK(now->begun_count == then->begun_count);
    CHECK(now->pairs.count == then->pairs.count);
    for (int i = -1; (i = dry_contacts_next(then, i)) >= 0;)
        CHECK(dry_contact_is_child(&now->link[i]) ||
              dry_pair_map_find(&now->pairs, dry_contact_key(now, i)) == i);
    for (int word = 0; word < dry_contact_words(now); word++) {
        CHECK(now->begun_bits[word] == 0 || word >= now->begun_word);
        CHECK(word >= now->full || ~now->used_bits[word] == 0);
        if (now->listed && now->active_bits[word] != 0)
            CHECK(now->active_words[listed++] == word);
    }
    CHECK(!now->listed || listed == now->active_word_count);
}

static void check_settled(const dry_contacts *contacts, dry_settled settled, const dry_validation *validation)
{
    for (int i = -1; (i = dry_contacts_next(contacts, i)) >= 0;) {
        const dry_contact_link *link = &contacts->link[i];
        const bool touching = link->flags & DRY_CONTACT_TOUCHING, awake = link->flags & DRY_CONTACT_ACTIVE;
        if (settled < (awake ? DRY_SETTLED_AWAKE : DRY_SETTLED_ALL))
            continue;
        CHECK(touching == (link->points > 0));
        CHECK(!(link->flags & (DRY_CONTACT_CHANGED | DRY_CONTACT_LOST)));
    }
}

void dry_world_validate(const dry_world *world, dry_settled settled, const dry_validation *validation)
{
    dry_memory memory;
    dry_tables loaded;
    dry_save_fault fault;
    dry_memory_init(&memory, (dry_allocator){0});
    const bool sound = dry_restore_own(world, 0, &memory, &loaded, &fault);
    if (fault.text)
        fail(validation, fault.section, fault.field, fault.row, fault.text);
    CHECK(sound);
    compare_columns(world, &loaded, validation);
    compare_contacts(&world->contacts, &loaded.contacts, validation);
    check_settled(&world->contacts, settled, validation);
    dry_shapes_hold_data(&loaded.shapes, false);
    dry_memory_release_all(&memory);
    dry_world_validate_islands(world, validation);
    (void)dry_world_validate_layout(world, validation);
}
