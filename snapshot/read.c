/* Sections of a save. Next: snapshot/decode.c. */
#include "snapshot/read.h"

#include <drystone/save.h>
#include <string.h>

bool dry_save_fail(dry_save_fault *fault, const char *section, const char *field, int64_t row,
                   const char *text)
{
    *fault = (dry_save_fault){section, field, row, text};
    return false;
}

/* Returns the id of a column with a number; -1: there is none. */
static int find_column(int number)
{
    for (int id = 0; id < DRY_COLUMN_COUNT; id++)
        if (dry_columns[id].number == number)
            return id;
    return -1;
}

static bool read_header(dry_saved *saved, dry_save_fault *fault)
{
    if (saved->size < sizeof saved->header || saved->size % 8 != 0)
        return dry_save_fail(fault, "header", NULL, -1, "the bytes are no save, or end too early");
    memcpy(&saved->header, saved->bytes, sizeof saved->header);
    if (saved->header.magic != DRY_SAVE_MAGIC || saved->header.zero != 0)
        return dry_save_fail(fault, "header", NULL, -1, "the bytes are no save");
    if (saved->header.format == 0)
        return dry_save_fail(fault, "header", "format", -1, "there is no format 0");
    if (saved->header.format > DRY_SAVE_FORMAT) /* sections may be of any kind */
        return dry_save_fail(fault, "header", "format", -1, "a newer library wrote the save");
    return true;
}

/* Reads the header of the section at a place, and checks its checksum. */
static bool read_section(const dry_saved *saved, size_t at, dry_section_header *header, dry_save_fault *fault)
{
    const size_t around = sizeof *header + sizeof(uint64_t), left = saved->size - at;
    if (left < around)
        return dry_save_fail(fault, "sections", NULL, -1, "the bytes end before section END");
    memcpy(header, saved->bytes + at, sizeof *header);
    if (header->bytes % 8 != 0 || header->bytes > left - around)
        return dry_save_fail(fault, "sections", NULL, -1, "a section ends beyond the bytes");
    const size_t size = sizeof *header + (size_t)header->bytes;
    dry_checksum sum = dry_checksum_begin();
    uint64_t saved_sum;
    dry_checksum_add(&sum, saved->bytes + at, size / 8);
    memcpy(&saved_sum, saved->bytes + at + size, sizeof saved_sum);
    if (saved_sum != dry_checksum_end(&sum))
        return dry_save_fail(fault, "sections", NULL, -1, "a checksum is wrong");
    return true;
}

/* Keeps the section of a column. */
static bool keep_column(dry_saved *saved, size_t at, const dry_section_header *header, dry_save_fault *fault)
{
    const int id = find_column(header->number);
    if (id < 0 && (header->kind & DRY_SECTION_MAY_BE_SKIPPED))
        return true;
    if (id < 0)
        return dry_save_fail(fault, "sections", NULL, header->number, "no column has this number");
    dry_saved_column *column = &saved->column[id];
    if (column->bytes)
        return dry_save_fail(fault, dry_columns[id].id, NULL, -1, "the column has two sections");
    if (header->rows / 8 > saved->size || header->rows > INT32_MAX / 2 || header->present > header->rows)
        return dry_save_fail(fault, dry_columns[id].id, NULL, -1, "there are more rows than bytes for them");
    *column = (dry_saved_column){saved->bytes + at + sizeof *header, (size_t)header->bytes, header->fields,
                                 header->rows, header->present};
    return true;
}

/* Keeps the section of a program. */
static bool keep_program(dry_saved *saved, size_t at, const dry_section_header *header, dry_save_fault *fault)
{
    if (saved->program.bytes || header->present > 7 || header->bytes < 8)
        return dry_save_fail(fault, "program", NULL, -1, "the section comes twice, or has no bytes");
    saved->program =
        (dry_saved_data){saved->bytes + at + sizeof *header, (size_t)header->bytes - header->present};
    return true;
}

bool dry_saved_find(const void *bytes, size_t size, dry_saved *saved, dry_save_fault *fault)
{
    memset(saved, 0, sizeof *saved);
    saved->bytes = bytes;
    saved->size = size;
    if (!read_header(saved, fault))
        return false;
    dry_section_header header;
    uint32_t count = 0;
    for (size_t at = sizeof saved->header;; at += sizeof header + (size_t)header.bytes + 8, count++) {
        if (!read_section(saved, at, &header, fault))
            return false;
        const int kind = header.kind & ~DRY_SECTION_MAY_BE_SKIPPED;
        if (kind == DRY_SECTION_COLUMN && !keep_column(saved, at, &header, fault))
            return false;
        saved->data_count += header.kind == DRY_SECTION_DATA;
        if (header.kind == DRY_SECTION_END)
            return (header.bytes == 0 && header.rows == count && size - at == sizeof header + 8) ||
                   dry_save_fail(fault, "sections", NULL, -1, "section END is not the end of all sections");
        if (header.kind == DRY_SECTION_PROGRAM && !keep_program(saved, at, &header, fault))
            return false;
        if (kind != DRY_SECTION_COLUMN && header.kind != DRY_SECTION_DATA &&
            header.kind != DRY_SECTION_PROGRAM)
            return dry_save_fail(fault, "sections", NULL, -1, "a section is of no known kind");
    }
}

bool dry_saved_next_data(const dry_saved *saved, size_t *at, dry_saved_data *data)
{
    dry_section_header header;
    *at = *at ? *at : sizeof saved->header;
    for (;;) {
        memcpy(&header, saved->bytes + *at, sizeof header);
        if (header.kind == DRY_SECTION_END)
            return false;
        *data = (dry_saved_data){saved->bytes + *at + sizeof header, (size_t)header.bytes};
        *at += sizeof header + (size_t)header.bytes + 8;
        if (header.kind == DRY_SECTION_DATA)
            return true;
    }
}

const char *dry_next_field(const char **at, const char *end, dry_field_header *field)
{
    if ((size_t)(end - *at) < sizeof *field)
        return NULL;
    const char *values = *at + sizeof *field;
    memcpy(field, *at, sizeof *field);
    const uint64_t bytes = dry_values_bytes(field);
    if (bytes > (size_t)(end - values))
        return NULL;
    *at = values + bytes;
    return values;
}

/* Returns the first row from `row` on that the section has, or lacks; the number of rows if there is none. */
static int find_row(const dry_saved_rows *saved, int row, bool has)
{
    const dry_column_rows rows = *saved->rows;
    const int count = saved->count;
    if (saved->all)
        return has ? row : count;
    while (!saved->set && row < count && dry_row_counts(&rows, row) != has)
        row++;
    for (; saved->set && row < count; row = (row | 63) + 1) {
        uint64_t word;
        memcpy(&word, saved->set + row / 64 * 8, sizeof word);
        word = (has ? word : ~word) >> row % 64;
        if (word)
            return dry_min_int(row + dry_lowest_bit(word), count);
    }
    return dry_min_int(row, count);
}

bool dry_next_run(const dry_saved_rows *saved, int *begin, int *end)
{
    *begin = find_row(saved, *end, true);
    *end = find_row(saved, *begin, false);
    return *begin < *end;
}

/* The memory of rows is at most this for each byte of a save. A column with holes has a bit for each of its
 * rows, and a row at most 256 bytes. In one without holes rows have numbers that differ, as slots do. */
enum { BYTES_OF_A_BYTE = 8 * 256 };

bool dry_saved_sizes(const dry_saved *saved, dry_table_sizes *sizes, dry_save_fault *fault)
{
    const dry_saved_column *column = saved->column;
#define ROWS(ID) ((int)column[DRY_COLUMN_##ID].rows)
    *sizes = (dry_table_sizes){.bodies = ROWS(BODY_STATE),
                               .body_slots = ROWS(BODY_SLOT),
                               .shapes = ROWS(SHAPE_SLOT),
                               .proxies = ROWS(PROXY_FLAGS),
                               .contacts = ROWS(CONTACT_LINK),
                               .joints = ROWS(JOINT_SLOT),
                               .sleep_changes = ROWS(SLEEP_CHANGE),
                               .pending_ends = ROWS(PENDING_END),
                               .slabs = ROWS(SLAB),
                               .materials = ROWS(LISTED_MATERIAL),
                               .leases = ROWS(LEASE),
                               .contacts_to_come = sizes->contacts_to_come};
#undef ROWS
    for (int id = 0; id < DRY_COLUMN_COUNT; id++)
        sizes->has[id] = column[id].bytes != NULL;
    if (sizes->body_slots > DRY_SLOTS_MAX || sizes->shapes > DRY_SLOTS_MAX || sizes->joints > DRY_SLOTS_MAX)
        return dry_save_fail(fault, "BODY_SLOT, SHAPE_SLOT, JOINT_SLOT", NULL, -1,
                             "there are too many slots");
    if (dry_tables_bytes(sizes) / BYTES_OF_A_BYTE > saved->size)
        return dry_save_fail(fault, "sections", NULL, -1, "there are more rows than bytes for them");
    if (sizes->leases > DRY_LEASES_MAX)
        return dry_save_fail(fault, "LEASE", NULL, -1, "there are more than 16 leases");
    if (sizes->bodies > sizes->body_slots)
        return dry_save_fail(fault, "BODY_STATE", NULL, -1, "there are more bodies than slots");
    if (sizes->sleep_changes > sizes->bodies || sizes->slabs > sizes->bodies)
        return dry_save_fail(fault, "SLEEP_CHANGE, SLAB", NULL, -1, "there are more rows than bodies");
    return true;
}
