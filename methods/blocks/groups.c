/* Groups of bodies for block descent: what each body has of contacts and rows of joints, the colors of
 * bodies, and groups of up to sixteen bodies of one color with the entries and the locked axes of each.
 *
 * Reads contacts, rows, the order of bodies; writes lists, colors, groups, entries, locks. */
#include "core/assert.h"
#include "methods/blocks/blocks.h"

#include "core/math.h"
#include "solver/bodies/whitening.h"
#include "solver/data/context.h"

#include <string.h>

/* Colors of bodies; a body whose neighbors have all of them is a color of its own. */
enum { COLORS = 64 };

/* Finds the two rows of bodies of contact or row number i. */
typedef const int32_t *ends_of(const dry_blocks *b, int i);

static const int32_t *ends_of_contact(const dry_blocks *b, int i)
{
    return b->contact[i].row;
}

static const int32_t *ends_of_row(const dry_blocks *b, int i)
{
    return b->row[i].row;
}

/* Lists what each body has of `count` contacts or rows, by rising number. */
static void list_ends(const dry_blocks *b, ends_of *ends, int count, int rows, int32_t *first, int32_t *list)
{
    memset(first, 0, (size_t)(rows + 2) * sizeof *first);
    for (int i = 0; i < count; i++)
        for (int side = 0; side < 2; side++)
            if (ends(b, i)[side])
                first[ends(b, i)[side] + 1]++;
    for (int row = 0; row <= rows; row++)
        first[row + 1] += first[row];
    /* Filling moves each beginning to its end, which is the next one's beginning. */
    for (int i = 0; i < count; i++)
        for (int side = 0; side < 2; side++)
            if (ends(b, i)[side])
                list[first[ends(b, i)[side]]++] = 2 * i + side;
    for (int row = rows; row >= 0; row--)
        first[row + 1] = first[row];
    first[0] = 0;
}

/* Adds the color of a body to a set of colors, unless it has none. */
static uint64_t with_color_of(const dry_blocks *b, int row, uint64_t taken)
{
    return row && b->body_color[row - 1] < COLORS ? taken | UINT64_C(1) << b->body_color[row - 1] : taken;
}

/* Gives each body of a tier the lowest color that no neighbor before it has; COLORS if none is left. */
static void color_bodies(const dry_solver_state *s, dry_blocks *b, const dry_tier_range *range,
                         int count[COLORS + 1])
{
    for (int i = range->body_begin; i < range->body_end; i++)
        b->body_color[s->plan.order[i]] = UINT8_MAX;
    for (int i = range->body_begin; i < range->body_end; i++) {
        const int row = s->plan.order[i] + 1;
        uint64_t taken = 0;
        for (int k = b->first[row]; k < b->first[row + 1]; k++)
            taken = with_color_of(b, b->contact[b->list[k] >> 1].row[1 - (b->list[k] & 1)], taken);
        for (int k = b->row_first[row]; k < b->row_first[row + 1]; k++)
            taken = with_color_of(b, b->row[b->row_list[k] >> 1].row[1 - (b->row_list[k] & 1)], taken);
        const int color = ~taken ? dry_lowest_bit(~taken) : COLORS;
        b->body_color[row - 1] = (uint8_t)color;
        count[color]++;
    }
}

/* Makes the colors of a tier and the empty groups of their bodies. Each body of COLORS has a group that is a
 * color. `next` becomes the place of each color's next body: 16 * group + lane. Room must be reserved. */
static void place_groups(dry_blocks *b, const int count[COLORS + 1], int next[COLORS + 1])
{
    for (int color = 0; color <= COLORS; color++) {
        const int groups = color == COLORS ? count[color] : (count[color] + DRY_BUNDLE - 1) / DRY_BUNDLE;
        next[color] = b->group_count * DRY_BUNDLE;
        DRY_ASSERT(b->group_count + groups <= b->group_capacity);
        for (int i = 0; i < groups; i++) {
            b->group[b->group_count + i] = (dry_block_group){.locks = -1};
            if (color == COLORS)
                b->color[b->color_count++] = (dry_block_color){b->group_count + i, b->group_count + i + 1};
        }
        if (color < COLORS && groups > 0)
            b->color[b->color_count++] = (dry_block_color){b->group_count, b->group_count + groups};
        b->group_count += groups;
    }
}

static void fill_groups(const dry_solver_state *s, dry_blocks *b, const dry_tier_range *range,
                        int next[COLORS + 1])
{
    for (int i = range->body_begin; i < range->body_end; i++) {
        const int row = s->plan.order[i] + 1, color = b->body_color[row - 1], at = next[color];
        dry_block_group *group = &b->group[at / DRY_BUNDLE];
        DRY_ASSERT(at / DRY_BUNDLE < b->group_count && group->row[at % DRY_BUNDLE] == 0);
        group->row[at % DRY_BUNDLE] = row;
        group->lanes = at % DRY_BUNDLE + 1;
        group->count = dry_max_int(group->count, dry_block_degree(b->first, row));
        group->row_count = dry_max_int(group->row_count, dry_block_degree(b->row_first, row));
        next[color] += color == COLORS ? DRY_BUNDLE : 1;
    }
}

/* Finds where the entries of each group are, and how many there are. */
static void place_entries(dry_blocks *b)
{
    b->entry_count = b->row_entry_count = 0;
    for (int g = 0; g < b->group_count; g++) {
        b->group[g].entry = b->entry_count;
        b->group[g].row_entry = b->row_entry_count;
        b->entry_count += DRY_BUNDLE * b->group[g].count;
        b->row_entry_count += DRY_BUNDLE * b->group[g].row_count;
    }
}

/* Fills the entries of a lane, from `begin` on, from its body's list, and those that are left with `empty`.
 */
static void fill_lane(int32_t *entry, int begin, int count, const int32_t *first, const int32_t *list,
                      int row, int32_t empty)
{
    const int degree = row ? dry_block_degree(first, row) : 0;
    DRY_ASSERT(degree >= 0 && degree <= count);
    for (int j = 0; j < count; j++)
        entry[begin + DRY_BUNDLE * j] = j < degree ? list[first[row] + j] : empty;
}

static void fill_entries(dry_blocks *b)
{
    for (int g = 0; g < b->group_count; g++) {
        const dry_block_group *group = &b->group[g];
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            fill_lane(b->entry, group->entry + lane, group->count, b->first, b->list, group->row[lane],
                      2 * b->contact_count);
            fill_lane(b->row_entry, group->row_entry + lane, group->row_count, b->row_first, b->row_list,
                      group->row[lane], 2 * b->row_count);
        }
    }
}

/* Writes the locked axes of a body. */
static void lock_lane(const dry_solver_step *step, dry_block_locks *locks, int lane, int row)
{
    const uint32_t locked = step->bodies->properties[row].locks;
    const dry_whitening w =
        dry_whitening_of(&step->state->bodies.rows[row + 1], step->bodies->pose[row].orientation);
    for (int i = 0; i < 3; i++) {
        locks->linear[i][lane] = locked & (DRY_LOCK_LINEAR_X << i) ? 1.0f : 0.0f;
        if (!(locked & (DRY_LOCK_ANGULAR_X << i)))
            continue;
        const dry_vec3 axis = vec3(w.axes[0][i], w.axes[1][i], w.axes[2][i]);
        const float length = vec3_length(axis);
        if (length > 0.0f) {
            locks->angular[i][0][lane] = axis.x / length;
            locks->angular[i][1][lane] = axis.y / length;
            locks->angular[i][2][lane] = axis.z / length;
        }
    }
}

static bool lock_groups(const dry_solver_step *step, dry_blocks *b, dry_memory *memory)
{
    b->locks_count = 0;
    for (int g = 0; g < b->group_count; g++)
        for (int lane = 0; lane < b->group[g].lanes; lane++)
            if (b->group[g].row[lane] && step->bodies->properties[b->group[g].row[lane] - 1].locks &&
                b->group[g].locks < 0)
                b->group[g].locks = b->locks_count++;
    if (!DRY_RESERVE(memory, b->locks, b->locks_capacity, b->locks_count))
        return false;
    for (int g = 0; g < b->group_count; g++) {
        const dry_block_group *group = &b->group[g];
        if (group->locks < 0)
            continue;
        b->locks[group->locks] = (dry_block_locks){0};
        for (int lane = 0; lane < group->lanes; lane++)
            if (group->row[lane])
                lock_lane(step, &b->locks[group->locks], lane, group->row[lane] - 1);
    }
    return true;
}

/* Makes the colors and the groups of a tier. */
static void group_tier(const dry_solver_state *s, dry_blocks *b, int t)
{
    const dry_bundle_range bundles = dry_tier_bundles(s, &s->plan.ranges[t], DRY_KIND_CONTACT);
    int count[COLORS + 1] = {0}, next[COLORS + 1];
    b->tier[t].color_begin = b->color_count;
    b->tier[t].contact_begin = bundles.begin * DRY_BUNDLE;
    b->tier[t].contact_end = bundles.end * DRY_BUNDLE;
    color_bodies(s, b, &s->plan.ranges[t], count);
    place_groups(b, count, next);
    fill_groups(s, b, &s->plan.ranges[t], next);
    b->tier[t].color_end = b->color_count;
    DRY_ASSERT(b->color_count <= b->color_capacity && b->color_count <= b->group_count);
}

bool dry_block_groups_make(const dry_solver_step *step, dry_blocks *b, dry_memory *memory)
{
    const int awake = step->bodies->awake_count;
    list_ends(b, ends_of_contact, b->contact_count, awake, b->first, b->list);
    list_ends(b, ends_of_row, b->row_count, awake, b->row_first, b->row_list);
    b->group_count = b->color_count = 0;
    for (int t = 0; t < step->state->plan.range_count; t++)
        group_tier(step->state, b, t);
    place_entries(b);
    if (!DRY_RESERVE(memory, b->entry, b->entry_capacity, b->entry_count) ||
        !DRY_RESERVE(memory, b->row_entry, b->row_entry_capacity, b->row_entry_count))
        return false;
    fill_entries(b);
    return lock_groups(step, b, memory);
}
