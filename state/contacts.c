/* Contacts: adding and removing them, and the set of active ones. */
#include "state/contacts.h"

#include "state/iterators.h"

static void mark(const dry_contacts *contacts, int contact)
{
    dry_mark(contacts->marks, DRY_MARKED_CONTACT, contact);
}

void dry_contacts_init(dry_contacts *contacts)
{
    *contacts = (dry_contacts){.begun_word = INT32_MAX};
}

bool dry_contacts_reserve(dry_contacts *contacts, dry_memory *memory, int more)
{
    int holes = contacts->used - contacts->count;
    int needed = contacts->used + (more > holes ? more - holes : 0);
    int words = needed / 64 + 1;
    if (!DRY_RESERVE(memory, contacts->manifold, contacts->manifold_capacity, needed))
        return false;
#define X(ID, type, name, ...)                                                                               \
    if (!DRY_FIT(memory, contacts->name, contacts->name##_capacity, contacts->manifold_capacity))            \
        return false;
    DRY_CONTACT_COLUMNS(X)
#undef X
#define X(ID, type, name, ...)                                                                               \
    if (contacts->name &&                                                                                    \
        !DRY_FIT(memory, contacts->name, contacts->name##_capacity, contacts->manifold_capacity))            \
        return false;
    DRY_CONTACT_RARE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...)                                                                               \
    if (!DRY_RESERVE(memory, contacts->name, contacts->name##_capacity, words))                              \
        return false;
    DRY_CONTACT_SETS(X)
#undef X
    return DRY_RESERVE(memory, contacts->active_words, contacts->active_words_capacity, words) &&
           dry_pair_map_reserve(&contacts->pairs, memory, contacts->count + more);
}

#define X(ID, type, name, ...)                                                                               \
    bool dry_contacts_need_##name(dry_contacts *contacts, dry_memory *memory)                                \
    {                                                                                                        \
        return DRY_MAKE(memory, contacts->name, contacts->name##_capacity,                                   \
                        dry_max_int(contacts->link_capacity, 1), contacts->used,                             \
                        dry_contact_default_##name);                                                         \
    }
DRY_CONTACT_RARE_COLUMNS(X)
#undef X

void dry_contacts_void_anchors(dry_contacts *contacts, const dry_body_state *body)
{
    for (dry_contact_iterator it = dry_contacts_of(contacts, body); dry_next_contact(&it);)
        contacts->link[it.contact].flags |= DRY_CONTACT_VOID;
}

void dry_contacts_set_active(dry_contacts *contacts, int contact, bool active)
{
    dry_contact_link *link = &contacts->link[contact];
    DRY_ASSERT(link->flags & DRY_CONTACT_USED);
    if (((link->flags & DRY_CONTACT_ACTIVE) != 0) == active)
        return;
    link->flags ^= DRY_CONTACT_ACTIVE;
    mark(contacts, contact);
    uint64_t bit = UINT64_C(1) << contact % 64, *word = &contacts->active_bits[contact / 64];
    if ((*word & ~bit) == 0)
        contacts->listed = false;
    *word ^= bit;
    const int touching = (link->flags & DRY_CONTACT_TOUCHING) != 0;
    contacts->active_count += active ? 1 : -1;
    contacts->awake_touching_count += active ? touching : -touching;
}

void dry_contacts_set_touching(dry_contacts *contacts, int contact, bool touching)
{
    dry_contact_link *link = &contacts->link[contact];
    DRY_ASSERT(link->flags & DRY_CONTACT_USED);
    if (((link->flags & DRY_CONTACT_TOUCHING) != 0) == touching)
        return;
    link->flags ^= DRY_CONTACT_TOUCHING;
    mark(contacts, contact);
    contacts->touching_bits[contact / 64] ^= UINT64_C(1) << contact % 64;
    const int awake = (link->flags & DRY_CONTACT_ACTIVE) != 0;
    contacts->touching_count += touching ? 1 : -1;
    contacts->awake_touching_count += touching ? awake : -awake;
}

void dry_contacts_set_begun(dry_contacts *contacts, int contact)
{
    DRY_ASSERT(contacts->link[contact].flags & (DRY_CONTACT_TOUCHING | DRY_CONTACT_PARENT));
    DRY_ASSERT(!(contacts->begun_bits[contact / 64] >> contact % 64 & 1));
    contacts->begun_bits[contact / 64] |= UINT64_C(1) << contact % 64;
    mark(contacts, contact);
    contacts->begun_count++;
    contacts->begun_word = dry_min_int(contacts->begun_word, contact / 64);
}

bool dry_contacts_forget_begun(dry_contacts *contacts, int contact)
{
    uint64_t bit = UINT64_C(1) << contact % 64;
    if (!(contacts->begun_bits[contact / 64] & bit))
        return false;
    contacts->begun_bits[contact / 64] ^= bit;
    mark(contacts, contact);
    contacts->begun_count--;
    return true;
}

int dry_contacts_next_begun(dry_contacts *contacts)
{
    if (contacts->begun_count == 0) {
        contacts->begun_word = INT32_MAX;
        return -1;
    }
    while (contacts->begun_bits[contacts->begun_word] == 0)
        contacts->begun_word++;
    int contact = 64 * contacts->begun_word + dry_lowest_bit(contacts->begun_bits[contacts->begun_word]);
    dry_contacts_forget_begun(contacts, contact);
    return contact;
}

void dry_contacts_list_active(dry_contacts *contacts)
{
    if (contacts->listed)
        return;
    contacts->active_word_count = 0;
    for (int word = 0; word < dry_contact_words(contacts); word++)
        if (contacts->active_bits[word])
            contacts->active_words[contacts->active_word_count++] = word;
    contacts->listed = true;
}

static void link_to_body(dry_contacts *contacts, dry_bodies *bodies, int contact, int side, int body)
{
    dry_body_state *state = dry_body_state_of(bodies, body);
    dry_contact_link *link = &contacts->link[contact];
    link->prev[side] = -1;
    link->next[side] = state->contacts;
    dry_mark(contacts->marks, DRY_MARKED_BODY, dry_bodies_row(bodies, body));
    if (state->contacts >= 0) {
        mark(contacts, state->contacts >> 1);
        contacts->link[state->contacts >> 1].prev[state->contacts & 1] = contact * 2 + side;
    }
    state->contacts = contact * 2 + side;
}

static void unlink_from_body(dry_contacts *contacts, dry_bodies *bodies, int contact, int side, int body)
{
    dry_contact_link *link = &contacts->link[contact];
    int prev = link->prev[side], next = link->next[side];
    DRY_ASSERT((prev < 0 ? dry_body_state_of(bodies, body)->contacts
                         : contacts->link[prev >> 1].next[prev & 1]) == contact * 2 + side);
    DRY_ASSERT(next < 0 || contacts->link[next >> 1].prev[next & 1] == contact * 2 + side);
    if (prev >= 0) {
        mark(contacts, prev >> 1);
        contacts->link[prev >> 1].next[prev & 1] = next;
    } else {
        dry_mark(contacts->marks, DRY_MARKED_BODY, dry_bodies_row(bodies, body));
        dry_body_state_of(bodies, body)->contacts = next;
    }
    if (next >= 0) {
        mark(contacts, next >> 1);
        contacts->link[next >> 1].prev[next & 1] = prev;
    }
}

/* The lowest free index. */
static int take_index(dry_contacts *contacts)
{
    while (~contacts->used_bits[contacts->full] == 0)
        contacts->full++;
    uint64_t *word = &contacts->used_bits[contacts->full];
    int contact = 64 * contacts->full + dry_lowest_bit(~*word);
    DRY_ASSERT(contact < contacts->link_capacity && contact < contacts->manifold_capacity);
    *word |= UINT64_C(1) << contact % 64;
    contacts->used = dry_max_int(contacts->used, contact + 1);
    contacts->count++;
    return contact;
}

/* Adds a contact that is in no map and in no family. */
static int add_contact(dry_contacts *contacts, dry_bodies *bodies, const dry_shapes *shapes, int shape_a,
                       int shape_b, unsigned flags, int parent)
{
    int contact = take_index(contacts);
    mark(contacts, contact);
    dry_contact_link *link = &contacts->link[contact];
    dry_manifold *manifold = &contacts->manifold[contact];
#define X(ID, type, name, FIELDS, number)                                                                    \
    if (contacts->name)                                                                                      \
        contacts->name[contact] = (type){FIELDS(DRY_FIELD_DEFAULT, type)};
    DRY_CONTACT_COLUMNS(X)
    DRY_CONTACT_RARE_COLUMNS(X)
#undef X
    link->body_a = shapes->form[shape_a].body;
    link->body_b = shapes->form[shape_b].body;
    DRY_ASSERT(link->body_a != link->body_b);
    link->flags = (uint16_t)(DRY_CONTACT_USED | DRY_CONTACT_VOID | flags);
    link->parent = parent;
    manifold->shape_a = shape_a;
    manifold->shape_b = shape_b;
    dry_contacts_mix(contacts, shapes, contact);
    link_to_body(contacts, bodies, contact, 0, link->body_a);
    link_to_body(contacts, bodies, contact, 1, link->body_b);
    if (dry_bodies_is_awake(bodies, link->body_a) || dry_bodies_is_awake(bodies, link->body_b))
        dry_contacts_set_active(contacts, contact, true);
    return contact;
}

int dry_contacts_add(dry_contacts *contacts, dry_bodies *bodies, const dry_shapes *shapes, int shape_a,
                     int shape_b)
{
    const int properties = dry_type_properties(shapes->form[shape_a].geometry.type) |
                           dry_type_properties(shapes->form[shape_b].geometry.type);
    const bool parent = properties & DRY_TYPE_PIECES;
    DRY_ASSERT(!parent || contacts->family);
    const int contact =
        add_contact(contacts, bodies, shapes, shape_a, shape_b, parent ? DRY_CONTACT_PARENT : 0, -1);
    if (parent)
        contacts->parent_bits[contact / 64] |= UINT64_C(1) << contact % 64;
    dry_pair_map_insert(&contacts->pairs, dry_contact_key(contacts, contact), contact);
    return contact;
}

int dry_contacts_add_child(dry_contacts *contacts, dry_bodies *bodies, const dry_shapes *shapes, int parent)
{
    const dry_manifold *m = &contacts->manifold[parent];
    const int child = add_contact(contacts, bodies, shapes, m->shape_a, m->shape_b, 0, parent);
    mark(contacts, parent);
    contacts->family[child].next = contacts->family[parent].first;
    contacts->family[parent].first = child;
    return child;
}

/* Takes a child out of its parent's list, or a parent away from its children. */
static void leave_family(dry_contacts *contacts, int contact)
{
    const int parent = contacts->link[contact].parent;
    for (int child = contacts->family[contact].first; child >= 0; child = contacts->family[child].next) {
        mark(contacts, child);
        contacts->link[child].parent = DRY_CONTACT_ORPHAN;
    }
    if (parent < 0)
        return;
    int32_t *at = &contacts->family[parent].first;
    mark(contacts, parent);
    while (*at != contact) {
        mark(contacts, *at);
        at = &contacts->family[*at].next;
    }
    *at = contacts->family[contact].next;
}

/* Contacts of one word, which are in no list and in no pair any more, become holes. */
static void forget_word(dry_contacts *contacts, int word, uint64_t mask)
{
    DRY_ASSERT((contacts->used_bits[word] & mask) == mask && (contacts->begun_bits[word] & mask) == 0);
    const uint64_t active = contacts->active_bits[word] & mask;
    const uint64_t touching = contacts->touching_bits[word] & mask;
    contacts->active_count -= dry_count_bits(active);
    contacts->touching_count -= dry_count_bits(touching);
    contacts->awake_touching_count -= dry_count_bits(active & touching);
    contacts->count -= dry_count_bits(mask);
    contacts->active_bits[word] &= ~mask;
    contacts->touching_bits[word] &= ~mask;
    contacts->used_bits[word] &= ~mask;
    contacts->parent_bits[word] &= ~mask;
    contacts->full = dry_min_int(contacts->full, word);
    contacts->listed = false;
}

void dry_contacts_remove(dry_contacts *contacts, dry_bodies *bodies, int contact)
{
    dry_contact_link *link = &contacts->link[contact];
    DRY_ASSERT((link->flags & DRY_CONTACT_USED) && link->color == DRY_COLOR_NONE);
    DRY_ASSERT(!(contacts->begun_bits[contact / 64] >> contact % 64 & 1));
    mark(contacts, contact);
    dry_contacts_set_active(contacts, contact, false);
    dry_contacts_set_touching(contacts, contact, false);
    unlink_from_body(contacts, bodies, contact, 0, link->body_a);
    unlink_from_body(contacts, bodies, contact, 1, link->body_b);
    if (link->flags & DRY_CONTACT_PARENT || dry_contact_is_child(link))
        leave_family(contacts, contact);
    if (!dry_contact_is_child(link))
        dry_pair_map_remove(&contacts->pairs, dry_contact_key(contacts, contact));
    link->flags = 0;
    contacts->used_bits[contact / 64] &= ~(UINT64_C(1) << contact % 64);
    contacts->parent_bits[contact / 64] &= ~(UINT64_C(1) << contact % 64);
    contacts->full = dry_min_int(contacts->full, contact / 64);
    contacts->count--;
}

void dry_contacts_mark_leaving(dry_contacts *contacts, const uint32_t *leaving, int *count, int *touching)
{
    *count = *touching = 0;
    for (int word = 0; word < dry_contact_words(contacts); word++) {
        contacts->lost_bits[word] = 0;
        for (uint64_t bits = contacts->used_bits[word]; bits; bits &= bits - 1) {
            int bit = dry_lowest_bit(bits);
            const dry_contact_link *link = &contacts->link[64 * word + bit];
            int leaves = dry_slot_set_has(leaving, link->body_a) | dry_slot_set_has(leaving, link->body_b);
            contacts->lost_bits[word] |= (uint64_t)leaves << bit;
            *count += leaves;
            *touching += leaves & ((link->flags & DRY_CONTACT_TOUCHING) != 0);
        }
    }
}

/* How far ahead the shapes of a contact are prefetched, and then the place of their pair. */
enum { SHAPES_AHEAD = 16, PAIRS_AHEAD = 8 };

static DRY_ALWAYS_INLINE void prefetch_pair(const dry_contacts *contacts, const int32_t *list, int count,
                                            int i)
{
    if (i + SHAPES_AHEAD < count) {
        DRY_PREFETCH(&contacts->manifold[list[i + SHAPES_AHEAD]].shape_a);
    }
    if (i + PAIRS_AHEAD < count)
        DRY_PREFETCH(dry_pair_map_home(&contacts->pairs, dry_contact_key(contacts, list[i + PAIRS_AHEAD])));
}

static void remove_pairs(dry_contacts *contacts)
{
    int32_t list[DRY_CONTACT_CHUNK];
    for (int word = 0, count; (count = dry_contacts_chunk(contacts, contacts->lost_bits, &word, list)) > 0;)
        for (int i = 0; i < count; i++) {
            prefetch_pair(contacts, list, count, i);
            if (!dry_contact_is_child(&contacts->link[list[i]]))
                dry_pair_map_remove(&contacts->pairs, dry_contact_key(contacts, list[i]));
        }
}

void dry_contacts_renew_pairs(dry_contacts *contacts)
{
    int32_t list[DRY_CONTACT_CHUNK];
    dry_pair_map_clear(&contacts->pairs);
    for (int word = 0, count; (count = dry_contacts_chunk(contacts, contacts->used_bits, &word, list)) > 0;)
        for (int i = 0; i < count; i++) {
            prefetch_pair(contacts, list, count, i);
            if (!dry_contact_is_child(&contacts->link[list[i]]))
                dry_pair_map_insert(&contacts->pairs, dry_contact_key(contacts, list[i]), list[i]);
        }
}

void dry_contacts_remove_leaving(dry_contacts *contacts, dry_bodies *bodies, int count,
                                 const uint32_t *leaving)
{
    bool most = count > contacts->count / 2;
    dry_mark_all(contacts->marks);
    if (!most)
        remove_pairs(contacts);
    for (int word = 0; word < dry_contact_words(contacts); word++) {
        for (uint64_t bits = contacts->lost_bits[word]; bits; bits &= bits - 1) {
            int contact = 64 * word + dry_lowest_bit(bits);
            dry_contact_link *link = &contacts->link[contact];
            if (!dry_slot_set_has(leaving, link->body_a))
                unlink_from_body(contacts, bodies, contact, 0, link->body_a);
            if (!dry_slot_set_has(leaving, link->body_b))
                unlink_from_body(contacts, bodies, contact, 1, link->body_b);
            link->flags = 0;
        }
        if (contacts->lost_bits[word])
            forget_word(contacts, word, contacts->lost_bits[word]);
    }
    if (most)
        dry_contacts_renew_pairs(contacts);
}

int dry_contacts_in_use(const dry_contacts *contacts)
{
    int word = dry_contact_words(contacts);
    while (word > 0 && contacts->used_bits[word - 1] == 0)
        word--;
    return word > 0 ? 64 * word - 63 + dry_highest_bit(contacts->used_bits[word - 1]) : 0;
}
