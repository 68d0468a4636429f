/* Columns beside their copy: what differs in the rows that may have changed.
 *
 * Reads: columns. Writes: the copy, old bytes. Next: snapshot/history.c. */
#include "snapshot/shadow_parts.h"

#include "simd/fours.h"
#include "state/iterators.h"

static inline bool differ(const dry_granule *a, const void *b)
{
    const bits4 low = bits4_load(a) ^ bits4_load(b),
                high = bits4_load((const char *)a + 16) ^ bits4_load((const char *)b + 16);
    return !bits4_none(low | high);
}

/* Returns the granules of a block, of some of them, that differ from other bytes. */
static uint64_t find_changed(const dry_shadow_block *a, const char *b, uint64_t some)
{
    uint64_t changed = 0;
    if (some == UINT64_MAX && memcmp(a, b, sizeof *a) == 0)
        return 0;
    for (uint64_t left = some; left; left &= left - 1) {
        const int g = dry_lowest_bit(left);
        changed |= (uint64_t)differ(&a->granule[g], b + (size_t)g * DRY_GRANULE_BYTES) << g;
    }
    return changed;
}

/* Returns the granules of a block that have bytes at or beyond a place, counted from the block's begin. */
static uint64_t granules_from(int64_t place)
{
    const int64_t first = place <= 0 ? 0 : place / DRY_GRANULE_BYTES;
    return first >= DRY_BLOCK_GRANULES ? 0 : UINT64_MAX << first;
}

/* Returns the granules of a block that have bytes before a place. */
static uint64_t granules_before(int64_t place)
{
    return place <= 0 ? 0 : ~granules_from(place + DRY_GRANULE_BYTES - 1);
}

/* Writes the old granules of a block. Returns false if memory fails. */
static bool write_undo(dry_undo *undo, dry_memory *memory, int column, int block, uint64_t granules,
                       const dry_shadow_block *old)
{
    const dry_undo_header header = {
        .granules = granules, .block = (uint32_t)block, .column = (uint32_t)column};
    const int needed = undo->used + 1 + dry_count_bits(granules);
    if (granules == 0)
        return true;
    if (!DRY_RESERVE(memory, undo->granule, undo->capacity, needed))
        return false;
    undo->holds_data = undo->holds_data || column == DRY_COLUMN_SHAPE_ASSET;
    memcpy(&undo->granule[undo->used++], &header, sizeof header);
    for (uint64_t left = granules; left; left &= left - 1)
        undo->granule[undo->used++] = old->granule[dry_lowest_bit(left)];
    return true;
}

/* A column on its way into its shadow. */
typedef struct column_follower {
    dry_shadow_column *shadow;
    dry_memory *memory;
    dry_undo *undo;
    const char *live;
    int64_t stride, old_bytes, new_bytes;
    int id;
} column_follower;

/* Returns a granule of the column; bytes behind the last row are 0. */
static dry_granule granule_now(const column_follower *f, int64_t begin)
{
    dry_granule granule = {{0}};
    const int64_t left = f->new_bytes - begin;
    if (left >= DRY_GRANULE_BYTES)
        memcpy(&granule, f->live + begin, sizeof granule);
    else if (left > 0)
        memcpy(&granule, f->live + begin, (size_t)left);
    return granule;
}

/* Returns the granules of a block, of some of them, that differ from the column. */
static uint64_t find_new(const column_follower *f, const dry_shadow_block *old, int64_t begin, uint64_t some)
{
    const int64_t new_bytes = f->new_bytes - begin;
    const uint64_t whole = ~granules_from(new_bytes), part = granules_from(new_bytes) & some;
    uint64_t changed = some & whole ? find_changed(old, f->live + begin, some & whole) : 0;
    if (part & granules_before(new_bytes)) {
        const int g = dry_lowest_bit(part);
        const dry_granule last = granule_now(f, begin + (int64_t)g * DRY_GRANULE_BYTES);
        changed |= (uint64_t)differ(&old->granule[g], &last) << g;
    }
    return changed;
}

/* Follows some granules of a block. Returns false if memory fails. */
static bool follow_block(const column_follower *f, int block, uint64_t some)
{
    const int64_t begin = (int64_t)block * (int64_t)DRY_SHADOW_BLOCK_BYTES;
    const int64_t old_bytes = f->old_bytes - begin, new_bytes = f->new_bytes - begin;
    dry_shadow_block *old = &f->shadow->block[block];
    /* Rows that went are kept whatever they had. */
    const uint64_t gone =
        new_bytes < old_bytes ? granules_from(new_bytes) & granules_before(old_bytes) : UINT64_C(0);
    const uint64_t changed = find_new(f, old, begin, some) | gone,
                   kept = changed & granules_before(old_bytes);
    if (changed == 0)
        return true;
    if (!write_undo(f->undo, f->memory, f->id, block, kept, old))
        return false;
    for (uint64_t left = changed; left; left &= left - 1) {
        const int g = dry_lowest_bit(left);
        old->granule[g] = granule_now(f, begin + (int64_t)g * DRY_GRANULE_BYTES);
        if (f->id == DRY_COLUMN_SHAPE_ASSET)
            dry_granule_hold_data(&old->granule[g], true);
    }
    return true;
}

/* Follows rows. Returns false if memory fails. Many call it, and its code is long: it is not inlined. */
static DRY_NOINLINE bool follow_rows(const column_follower *f, int64_t first, int64_t end)
{
    const int64_t begin_byte = first * f->stride, end_byte = end * f->stride, size = DRY_SHADOW_BLOCK_BYTES;
    for (int64_t block = begin_byte / size; block * size < end_byte; block++)
        if (!follow_block(f, (int)block,
                          granules_from(begin_byte - block * size) &
                              granules_before(end_byte - block * size)))
            return false;
    return true;
}

/* Begins to follow a column. Returns false if memory fails. */
static bool begin_column(column_follower *f, dry_shadow *shadow, int id, const dry_column_rows *rows)
{
    dry_shadow_column *column = &shadow->column[id];
    f->id = id;
    f->shadow = column;
    f->live = rows->rows;
    f->stride = (int64_t)rows->stride;
    f->old_bytes = (int64_t)column->count * f->stride;
    f->new_bytes = (int64_t)rows->count * f->stride;
    const int64_t most = f->old_bytes > f->new_bytes ? f->old_bytes : f->new_bytes;
    const int blocks = (int)((most + (int64_t)DRY_SHADOW_BLOCK_BYTES - 1) / (int64_t)DRY_SHADOW_BLOCK_BYTES);
    column->stride = rows->stride;
    column->count = rows->count;
    return DRY_RESERVE(f->memory, column->block, column->block_capacity, blocks) &&
           DRY_RESERVE(f->memory, column->changed, column->changed_capacity, blocks);
}

static bool follow_all(const column_follower *f)
{
    const int64_t most = f->old_bytes > f->new_bytes ? f->old_bytes : f->new_bytes;
    return follow_rows(f, 0, (most + f->stride - 1) / f->stride);
}

/* Returns the granules of a manifold that a step may write in an active contact, by the writers of its
 * fields. `built`: stage contacts has built it. Rows that stage pairs or calls write are marked. */
static uint64_t manifold_granules(bool built)
{
    const dry_column *column = &dry_columns[DRY_COLUMN_CONTACT_MANIFOLD];
    const unsigned contacts = DRY_BY_CONTACTS, marked = DRY_BY_PAIRS | DRY_BY_CALLS;
    uint64_t granules = 0;
    for (int i = 0; i < column->field_count; i++) {
        const dry_field *field = &column->fields[i];
        const unsigned writers = field->writers & ~marked;
        if (built || (!(writers & DRY_WHERE_BUILT) && (writers & ~contacts)))
            granules |= granules_from(field->offset) & granules_before(field->offset + field->size);
    }
    return granules;
}

/* Follows the active manifolds of a word of contacts: `parts` are the granules of one that stage contacts
 * kept, and of one that it built. */
static bool follow_word(const column_follower *f, const dry_contacts *contacts, int word,
                        const uint64_t parts[2])
{
    enum { GRANULES = sizeof(dry_manifold) / DRY_GRANULE_BYTES, BLOCKS = GRANULES };
    _Static_assert(GRANULES * DRY_GRANULE_BYTES == sizeof(dry_manifold), "a word of manifolds fills blocks");
    uint64_t some[BLOCKS + 1] = {0};
    for (uint64_t left = contacts->active_bits[word]; left; left &= left - 1) {
        const int row = dry_lowest_bit(left), g = GRANULES * row;
        const uint64_t part = parts[(contacts->built_bits[word] | contacts->parent_bits[word]) >> row & 1];
        DRY_PREFETCH(contacts->manifold[64 * word + row].impulse);
        DRY_PREFETCH_TO_WRITE(&f->shadow->block[BLOCKS * word + (g + 2) / 64].granule[(g + 2) % 64]);
        some[g / 64] |= part << g % 64;
        if (g % 64 > 64 - GRANULES)
            some[g / 64 + 1] |= part >> (64 - g % 64);
    }
    for (int block = 0; block < BLOCKS; block++)
        if (some[block] != 0 && !follow_block(f, BLOCKS * word + block, some[block]))
            return false;
    return true;
}

static bool follow_manifolds(const column_follower *f, const dry_contacts *contacts)
{
    const uint64_t parts[2] = {manifold_granules(false), manifold_granules(true)};
    for (int i = 0; i < contacts->active_word_count; i++)
        if (!follow_word(f, contacts, contacts->active_words[i], parts))
            return false;
    return true;
}

/* Follows active contacts, or with `words` the words of a set of them. Words of contacts that follow each
 * other go together. */
static bool follow_active_contacts(const column_follower *f, const dry_contacts *contacts, bool words)
{
    const int32_t *word = contacts->active_words;
    for (int i = 0, end; i < contacts->active_word_count; i = end) {
        for (end = i + 1; end < contacts->active_word_count && word[end] == word[end - 1] + 1;)
            end++;
        const int64_t first = word[i], last = word[end - 1] + 1, rows = words ? 1 : 64;
        if (!follow_rows(f, rows * first, words || 64 * last < contacts->used ? rows * last : contacts->used))
            return false;
    }
    return true;
}

/* Tells whether no step writes a column, so that only marked rows may have changed. */
static bool is_cold(int id)
{
    return dry_columns[id].writers == DRY_BY_CALLS;
}

/* Follows marked rows, or with `words` the words of a set of them. */
static bool follow_marked(const column_follower *f, const dry_hot_rows *hot, dry_marked what, bool words)
{
    const dry_mark_set *set = &hot->marks->set[what];
    const int64_t rows = f->shadow->count;
    for (int i = 0; i < set->word_count; i++) {
        const int64_t word = set->word[i];
        if (words && word < rows && !follow_rows(f, word, word + 1))
            return false;
        for (uint64_t left = words ? 0 : set->bits[word]; left; left &= left - 1) {
            const int64_t row = 64 * word + dry_lowest_bit(left);
            if (row < rows && !follow_rows(f, row, row + 1))
                return false;
        }
    }
    return true;
}

static bool follow_bodies(const column_follower *f, const dry_hot_rows *hot)
{
    return (hot->held || is_cold(f->id) || follow_rows(f, 0, hot->state->bodies.awake_count)) &&
           follow_marked(f, hot, DRY_MARKED_BODY, false);
}

/* Follows contacts, or with `words` the words of a set of them. */
static bool follow_contacts(const column_follower *f, const dry_hot_rows *hot, bool words)
{
    const dry_contacts *contacts = &hot->state->contacts;
    const bool manifolds = f->id == DRY_COLUMN_CONTACT_MANIFOLD;
    return (hot->held ||
            (manifolds ? follow_manifolds(f, contacts) : follow_active_contacts(f, contacts, words))) &&
           follow_marked(f, hot, DRY_MARKED_CONTACT, words);
}

static bool follow_joints(const column_follower *f, const dry_hot_rows *hot)
{
    const dry_joints *joints = &hot->state->joints;
    const int active = hot->held || is_cold(f->id) ? 0 : joints->active_count;
    for (int i = 0; i < active; i++)
        if (!follow_rows(f, joints->active[i], joints->active[i] + 1))
            return false;
    return follow_marked(f, hot, DRY_MARKED_JOINT, false);
}

/* Follows the proxies of a body. */
static bool follow_proxies_of(const column_follower *f, const dry_tables *state, int64_t row)
{
    dry_shape_iterator it = dry_shapes_of(&state->shapes, &state->bodies.state[row]);
    while (dry_next_shape(&it)) {
        const int64_t proxy = state->shapes.form[it.shape].proxy;
        if (proxy >= 0 && !follow_rows(f, proxy, proxy + 1))
            return false;
    }
    return true;
}

static bool follow_proxies(const column_follower *f, const dry_hot_rows *hot)
{
    const int64_t used = hot->state->proxies.used, bodies = hot->state->bodies.count;
    const dry_mark_set *set = &hot->marks->set[DRY_MARKED_BODY];
    for (int block = 0; block < hot->moved_count; block++) {
        const int64_t first = (int64_t)block * DRY_SHADOW_PROXIES, end = first + DRY_SHADOW_PROXIES;
        if (hot->moved[block] && !follow_rows(f, first, end < used ? end : used))
            return false;
    }
    for (int i = 0; i < set->word_count; i++)
        for (uint64_t left = set->bits[set->word[i]]; left; left &= left - 1) {
            const int64_t row = 64 * (int64_t)set->word[i] + dry_lowest_bit(left);
            if (row < bodies && !follow_proxies_of(f, hot->state, row))
                return false;
        }
    for (int row = 0; hot->marks->boxes && !hot->held && row < hot->state->bodies.awake_count; row++)
        if (!follow_proxies_of(f, hot->state, row))
            return false;
    return true;
}

/* Follows the rows of a column that may have changed. */
static bool follow_hot(const column_follower *f, const dry_hot_rows *hot)
{
    const dry_table_array *array = &dry_table_arrays[f->id];
    if (array->set || array->table == DRY_IN_CONTACTS)
        return follow_contacts(f, hot, array->set);
    if (array->table == DRY_IN_BODIES)
        return follow_bodies(f, hot);
    if (array->table == DRY_IN_JOINTS)
        return follow_joints(f, hot);
    if (array->table == DRY_IN_PROXIES)
        return is_cold(f->id) || follow_proxies(f, hot);
    switch (f->id) {
    case DRY_COLUMN_SHAPE_SLOT:
    case DRY_COLUMN_JOINT_SLOT:
        return true;
    case DRY_COLUMN_BODY_SLOT:
        return follow_marked(f, hot, DRY_MARKED_BODY_SLOT, false);
    case DRY_COLUMN_JOINT_ACTIVE:
        return hot->marks->set[DRY_MARKED_JOINT].word_count == 0 || follow_all(f);
    default:
        return array->table == DRY_IN_SHAPES || is_cold(f->id) || follow_all(f);
    }
}

/* Tells whether rows of a column come to it by being marked, so that only these need a look although there
 * are more rows than before. */
static bool marks_new_rows(int id)
{
    return dry_table_arrays[id].set || dry_table_arrays[id].table == DRY_IN_CONTACTS;
}

int dry_shadow_find_other(const dry_shadow *shadow, const dry_column_rows rows[DRY_COLUMN_COUNT])
{
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const dry_shadow_column *column = &shadow->column[id];
        const size_t bytes = (size_t)column->count * rows[id].stride;
        if (dry_is_shadowed(id) && id != DRY_COLUMN_PROXY_FLAGS &&
            (column->count != rows[id].count ||
             (bytes > 0 && memcmp(column->block, rows[id].rows, bytes) != 0)))
            return id;
    }
    return -1;
}

bool dry_shadow_follow(dry_shadow *shadow, dry_memory *memory, const dry_column_rows rows[DRY_COLUMN_COUNT],
                       const dry_hot_rows *hot, dry_undo *undo)
{
    column_follower f = {.memory = memory, .undo = undo};
    DRY_ASSERT(undo->used == 0);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const int before = shadow->column[id].count;
        const bool same = before == rows[id].count,
                   grown = before > 0 && before < rows[id].count && marks_new_rows(id);
        undo->count[id] = before;
        if (!dry_is_shadowed(id) || (same && rows[id].count == 0))
            continue;
        if (!begin_column(&f, shadow, id, &rows[id]) ||
            !(hot && (same || grown) ? follow_hot(&f, hot) : follow_all(&f)))
            return false;
    }
    DRY_ASSERT(dry_shadow_find_other(shadow, rows) == -1);
    return true;
}
