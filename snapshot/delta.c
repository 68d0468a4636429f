/* The code of deltas: one walk that writes it, or makes a save of it. */
#include "snapshot/delta.h"

#include <string.h>

enum { CHUNK_WORDS = 32 };

typedef struct coder {
    const dry_saved *base;
    size_t base_at; /* of its section that may be the next one */
    char *save;     /* given if `writes`, else made */
    size_t size, at;
    char *code; /* made if `writes`, else given */
    size_t code_size, code_at;
    bool writes, failed;
} coder;

/* Bytes of the other save; words behind them are 0. */
typedef struct partner {
    const char *bytes;
    size_t size;
} partner;

static uint32_t word_of(const char *bytes, size_t size, size_t at)
{
    uint32_t word = 0;
    if (at + sizeof word <= size)
        memcpy(&word, bytes + at, sizeof word);
    return word;
}

/* Writes or reads bytes of the code. */
static void pass(coder *c, void *bytes, size_t size)
{
    if (c->failed || size > c->code_size - c->code_at) {
        DRY_ASSERT(!c->writes);
        memset(bytes, 0, size);
        c->failed = true;
        return;
    }
    if (c->writes)
        memcpy(c->code + c->code_at, bytes, size);
    else
        memcpy(bytes, c->code + c->code_at, size);
    c->code_at += size;
}

/* Returns the bytes of a word without its leading zeros; at least 1. */
static size_t bytes_of(uint32_t word)
{
    return word >> 24 ? 4 : word >> 16 ? 3 : word >> 8 ? 2 : 1;
}

/* Passes up to CHUNK_WORDS words, as the exclusive or with their partners. */
static void pass_words(coder *c, uint32_t *words, int count)
{
    uint32_t mask = 0, changed = 0;
    uint8_t lengths[CHUNK_WORDS / 4] = {0};
    for (int i = 0; i < count; i++)
        mask |= (uint32_t)(words[i] != 0) << i;
    pass(c, &mask, sizeof mask);
    for (uint32_t left = mask; c->writes && left; left &= left - 1, changed++)
        lengths[changed / 4] |= (uint8_t)((bytes_of(words[dry_lowest_bit(left)]) - 1) << 2 * (changed % 4));
    changed = (uint32_t)dry_count_bits(mask);
    pass(c, lengths, (changed + 3) / 4);
    if (count < CHUNK_WORDS && mask >> count != 0)
        c->failed = true;
    changed = 0;
    for (uint32_t left = c->failed ? 0 : mask; left; left &= left - 1, changed++)
        pass(c, &words[dry_lowest_bit(left)], 1 + (size_t)(lengths[changed / 4] >> 2 * (changed % 4) & 3));
}

/* Passes a piece of the save, whose size is a multiple of 4. */
static void pass_piece(coder *c, size_t size, partner p)
{
    if (c->failed || size > c->size - c->at) {
        c->failed = true;
        return;
    }
    char *piece = c->save + c->at;
    uint8_t differs = 0;
    for (size_t i = 0; c->writes && !differs && i < size; i += 4)
        differs = word_of(piece, size, i) != word_of(p.bytes, p.size, i);
    pass(c, &differs, 1);
    for (size_t first = 0; first < size; first += 4 * CHUNK_WORDS) {
        uint32_t words[CHUNK_WORDS] = {0};
        const size_t end = size - first < 4 * CHUNK_WORDS ? size : first + 4 * CHUNK_WORDS;
        for (size_t i = first; c->writes && differs && i < end; i += 4)
            words[(i - first) / 4] = word_of(piece, size, i) ^ word_of(p.bytes, p.size, i);
        if (differs)
            pass_words(c, words, (int)((end - first) / 4));
        for (size_t i = first; !c->writes && i < end; i += 4) {
            const uint32_t word = words[(i - first) / 4] ^ word_of(p.bytes, p.size, i);
            memcpy(piece + i, &word, sizeof word);
        }
    }
    c->at += size;
}

/* A column of the other save, and where its fields begin. */
typedef struct base_column {
    const dry_saved_column *saved; /* null: there is none */
    partner header, set;
    const char *fields, *end;
} base_column;

static base_column find_base(const coder *c, int number)
{
    base_column b = {0};
    for (int id = 0; id < DRY_COLUMN_COUNT; id++)
        if (dry_columns[id].number == number && c->base->column[id].bytes)
            b.saved = &c->base->column[id];
    if (!b.saved)
        return b;
    const size_t set = dry_set_bytes(b.saved->rows, b.saved->present);
    b.header = (partner){b.saved->bytes - sizeof(dry_section_header), sizeof(dry_section_header)};
    if (set > b.saved->size)
        return b;
    b.set = (partner){b.saved->bytes, set};
    b.fields = b.saved->bytes + set;
    b.end = b.saved->bytes + b.saved->size;
    return b;
}

/* Returns the values of the same field in the other save. */
static partner find_values(const base_column *b, const dry_field_header *field)
{
    dry_field_header h;
    const char *values, *at = b->fields;
    while (at && (values = dry_next_field(&at, b->end, &h)))
        if (h.number == field->number && h.element == field->element && h.size == field->size)
            return (partner){values, (size_t)dry_values_bytes(&h)};
    return (partner){0};
}

/* Passes the set of rows and the fields of a column's section. */
static void pass_column(coder *c, const dry_section_header *section, const base_column *b)
{
    const size_t end = c->at + (size_t)section->bytes;
    const char *at = b->fields;
    if (section->present != section->rows)
        pass_piece(c, dry_set_bytes(section->rows, section->present), b->set);
    for (uint32_t i = 0; i < section->fields && !c->failed; i++) {
        dry_field_header field = {0};
        const char *header = at;
        if (at && !dry_next_field(&at, b->end, &field))
            header = NULL;
        pass_piece(c, sizeof field, (partner){header, header ? sizeof field : 0});
        if (c->failed)
            return;
        memcpy(&field, c->save + c->at - sizeof field, sizeof field);
        const uint64_t bytes = dry_values_bytes(&field);
        if (c->at > end || bytes > end - c->at)
            c->failed = true;
        else
            pass_piece(c, (size_t)bytes, find_values(b, &field));
    }
    c->failed = c->failed || c->at != end;
}

/* Returns the bytes of the section of the other save that may be the next one; 0: there is none. */
static size_t next_of_base(const coder *c, dry_section_header *section)
{
    if (c->base_at >= c->base->size)
        return 0;
    memcpy(section, c->base->bytes + c->base_at, sizeof *section);
    return sizeof *section + (size_t)section->bytes + sizeof(uint64_t);
}

/* Passes a section that differs from the next one of the other save. */
static void pass_other(coder *c, dry_section_header *section)
{
    uint16_t number = 0;
    if (c->writes) {
        c->failed = c->size - c->at < sizeof *section; /* no section ended the save */
        if (c->failed)
            return;
        memcpy(section, c->save + c->at, sizeof *section);
        number = section->kind == DRY_SECTION_COLUMN ? section->number : 0;
    }
    pass(c, &number, sizeof number);
    const base_column b = find_base(c, number);
    if (b.saved)
        c->base_at = (size_t)(b.saved->bytes - c->base->bytes) + b.saved->size + sizeof(uint64_t);
    pass_piece(c, sizeof *section, b.header);
    if (c->failed)
        return;
    memcpy(section, c->save + c->at - sizeof *section, sizeof *section);
    if (section->bytes % 8 != 0 || section->bytes > c->size - c->at)
        c->failed = true;
    else if (section->kind == DRY_SECTION_COLUMN)
        pass_column(c, section, &b);
    else
        pass_piece(c, (size_t)section->bytes, (partner){0});
    pass_piece(c, sizeof(uint64_t), (partner){0});
}

/* Passes a section. Returns false after the last one. */
static bool pass_section(coder *c)
{
    dry_section_header section = {0};
    const size_t same = next_of_base(c, &section);
    const char *from = c->base->bytes + c->base_at;
    const bool fits = same > 0 && same <= c->size - c->at;
    uint8_t differs = !(fits && c->writes && memcmp(c->save + c->at, from, same) == 0);
    pass(c, &differs, 1);
    c->failed = c->failed || (!differs && !fits);
    if (c->failed)
        return false;
    if (differs) {
        pass_other(c, &section);
    } else {
        if (!c->writes)
            memcpy(c->save + c->at, from, same);
        c->at += same;
        c->base_at += same;
    }
    return !c->failed && section.kind != DRY_SECTION_END;
}

/* Passes the whole save. Returns false if the code is none for it. */
static bool pass_save(coder *c)
{
    c->base_at = sizeof(dry_save_header);
    pass_piece(c, sizeof(dry_save_header), (partner){c->base->bytes, sizeof(dry_save_header)});
    while (!c->failed && pass_section(c))
        ;
    return !c->failed && c->at == c->size;
}

uint64_t dry_delta_sum(const void *bytes, size_t size)
{
    dry_checksum sum = dry_checksum_begin();
    DRY_ASSERT(size % 8 == 0);
    dry_checksum_add(&sum, bytes, size / 8);
    return dry_checksum_end(&sum);
}

uint64_t dry_delta_sum_of_save(const char *save, size_t size)
{
    dry_checksum sum = dry_checksum_begin();
    const size_t head = sizeof(dry_save_header), least = sizeof(dry_section_header) + sizeof(uint64_t);
    if (size >= head)
        dry_checksum_add(&sum, save, head / 8);
    for (size_t at = head; at <= size && size - at >= least;) {
        dry_section_header section;
        memcpy(&section, save + at, sizeof section);
        if (section.bytes % 8 != 0 || section.bytes > size - at - least)
            break;
        at += least + (size_t)section.bytes;
        dry_checksum_add(&sum, save + at - sizeof(uint64_t), 1);
    }
    return dry_checksum_end(&sum);
}

size_t dry_delta_code_max(size_t size)
{
    /* A piece has at least 8 bytes. It may take a byte for itself, 4 for each mask and a quarter of a byte
     * for the length of each word; and a section, of at least 32 bytes, 3 more. */
    return 2 * size + 64;
}

size_t dry_delta_encode(const dry_saved *base, const void *save, size_t size, char *code)
{
    coder c = {.base = base, .save = (char *)save, .size = size, .code = code, .writes = true};
    c.code_size = dry_delta_code_max(size);
    if (!pass_save(&c))
        return 0;
    while (c.code_at % 8 != 0)
        code[c.code_at++] = 0;
    return c.code_at;
}

bool dry_delta_decode(const dry_saved *base, const void *code, size_t code_size, char *save, size_t size)
{
    coder c = {.base = base, .save = save, .size = size, .code = (char *)code, .code_size = code_size};
    return pass_save(&c) && code_size - c.code_at < 8;
}
