/* A copy of all tables, in room for what they hold.
 *
 * Reads: all columns. Writes: memory. Next: world/trim.c. */
#include "state/tables.h"

#include "core/assert.h"

#include <string.h>

int dry_contacts_in_use(const dry_contacts *contacts)
{
    int word = dry_contact_words(contacts);
    while (word > 0 && contacts->used_bits[word - 1] == 0)
        word--;
    return word > 0 ? 64 * word - 63 + dry_highest_bit(contacts->used_bits[word - 1]) : 0;
}

/* Returns for how many more contacts a copy has room: a sixteenth of them, so that one more does not ask for
 * a quarter, but no more than there was. */
static int contacts_to_come(const dry_contacts *contacts)
{
    const int used = dry_contacts_in_use(contacts);
    return dry_min_int(used / 16, contacts->manifold_capacity - used);
}

static dry_table_sizes sizes_of(const dry_tables *t)
{
    dry_table_sizes sizes = {.bodies = t->bodies.count,
                             .body_slots = t->bodies.slots.used,
                             .shapes = t->shapes.slots.used,
                             .proxies = t->proxies.used,
                             .contacts = dry_contacts_in_use(&t->contacts),
                             .joints = t->joints.slots.used,
                             .sleep_changes = t->sleep_change_count,
                             .pending_ends = t->pending.contact_end_count,
                             .slabs = t->schedule.slab_rows,
                             .materials = t->shapes.listed,
                             .contacts_to_come = contacts_to_come(&t->contacts)};
#define X(ID, type, name, ...) sizes.has[DRY_COLUMN_##ID] = t->bodies.name != NULL;
    DRY_BODY_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) sizes.has[DRY_COLUMN_##ID] = t->shapes.name != NULL;
    DRY_SHAPE_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) sizes.has[DRY_COLUMN_##ID] = t->contacts.name != NULL;
    DRY_CONTACT_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...) sizes.has[DRY_COLUMN_##ID] = t->joints.name != NULL;
    DRY_JOINT_RARE_COLUMNS(X)
#undef X
    return sizes;
}

#define KEEP(table, array, capacity) table.array = to->table.array, table.capacity = to->table.capacity
#define X(ID, type, name, ...) TABLE.name = to->TABLE.name, TABLE.name##_capacity = to->TABLE.name##_capacity;

/* Copies what tables of bodies and shapes keep besides their rows. */
static void copy_numbers_of_bodies(dry_tables *to, const dry_tables *from)
{
    dry_bodies bodies = from->bodies;
    dry_shapes shapes = from->shapes;
#define BODY(ID, type, name, ...) bodies.name = to->bodies.name;
    DRY_BODY_COLUMNS(BODY)
    DRY_BODY_RARE_COLUMNS(BODY)
#undef BODY
    bodies.capacity = to->bodies.capacity;
    KEEP(bodies, slots.slots, slots.capacity);
#define TABLE shapes
    DRY_SHAPE_COLUMNS(X)
    DRY_SHAPE_RARE_COLUMNS(X)
    DRY_MATERIAL_COLUMNS(X)
#undef TABLE
    KEEP(shapes, slots.slots, slots.capacity);
    to->bodies = bodies;
    to->shapes = shapes;
}

/* Does so for contacts, joints and proxies. */
static void copy_numbers_of_contacts(dry_tables *to, const dry_tables *from)
{
    dry_contacts contacts = from->contacts;
    dry_joints joints = from->joints;
    dry_proxies proxies = from->proxies;
#define TABLE contacts
    DRY_CONTACT_COLUMNS(X)
    DRY_CONTACT_RARE_COLUMNS(X)
    DRY_CONTACT_SETS(X)
#undef TABLE
    KEEP(contacts, active_words, active_words_capacity);
    contacts.pairs = to->contacts.pairs;
    contacts.used = to->contacts.used;
    contacts.full = dry_min_int(contacts.full, dry_contact_words(&contacts));
    contacts.listed = false;
#define TABLE joints
    DRY_JOINT_COLUMNS(X)
    DRY_JOINT_RARE_COLUMNS(X)
#undef TABLE
    KEEP(joints, slots.slots, slots.capacity);
    KEEP(joints, active, active_capacity);
#define TABLE proxies
    DRY_PROXY_COLUMNS(X)
#undef TABLE
    to->contacts = contacts;
    to->joints = joints;
    to->proxies = proxies;
}
#undef X
#undef KEEP

/* Keeps of a field what a load would have: steps make the rest anew, and some of that stands for what is kept
 * beside the tables. */
static void keep_saved(const dry_column *column, const dry_field *field, const dry_column_rows *rows)
{
    const char *standard = (const char *)column->standard + field->offset;
    const bool anew = field->origin == DRY_FIELD_MADE_ANEW;
    if (!anew && (field->origin != DRY_FIELD_STATE || field->saved_bits == UINT64_MAX))
        return;
    for (int row = 0; row < rows->count; row++) {
        char *at = (char *)rows->rows + (size_t)row * rows->stride + field->offset;
        for (int byte = 0; byte < field->size; byte++)
            at[byte] = anew ? standard[byte] : (char)(at[byte] & (int)(field->saved_bits >> byte % 8 * 8));
    }
}

/* Copies the rows of all columns. */
static void copy_rows(dry_tables *to, const dry_tables *from)
{
    dry_column_rows old[DRY_COLUMN_COUNT], copy[DRY_COLUMN_COUNT];
    const dry_state state = dry_tables_state(from);
    dry_find_column_rows(&state, old);
    dry_tables_find_rows(to, copy);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        DRY_ASSERT(copy[id].count <= old[id].count && copy[id].stride == old[id].stride);
        if (copy[id].count == 0 || dry_column_is_single[id])
            continue;
        memcpy((void *)copy[id].rows, old[id].rows, (size_t)copy[id].count * copy[id].stride);
        for (int i = 0; i < dry_columns[id].field_count; i++)
            keep_saved(&dry_columns[id], &dry_columns[id].fields[i], &copy[id]);
    }
}

bool dry_tables_copy(dry_tables *to, const dry_tables *from, dry_memory *memory)
{
    const dry_table_sizes sizes = sizes_of(from);
    dry_pair_map pairs = {.entries = NULL};
    dry_tables_init(to);
    if (!dry_tables_reserve(to, memory, &sizes) ||
        !dry_pair_map_reserve(&pairs, memory, from->contacts.pairs.count + sizes.contacts_to_come))
        return false;
    copy_numbers_of_bodies(to, from);
    copy_numbers_of_contacts(to, from);
    to->settings = from->settings;
    to->schedule = from->schedule;
    to->world = from->world;
    copy_rows(to, from);
    dry_contacts *contacts = &to->contacts;
    DRY_RELEASE(memory, contacts->pairs.entries, contacts->pairs.capacity);
    contacts->pairs = pairs;
    for (int contact = -1; (contact = dry_contacts_next(contacts, contact)) >= 0;)
        if (!dry_contact_is_child(&contacts->link[contact]))
            dry_pair_map_insert(&contacts->pairs, dry_contact_key(contacts, contact), contact);
    return true;
}
