/* The numbers of one world. */
#include "core/leases.h"

static uint64_t length_of(int lease)
{
    return UINT64_C(1) << lease;
}

void dry_leases_of_tag(dry_leases *leases, uint16_t tag)
{
    leases->count = DRY_LEASES_MAX;
    for (int i = 0; i < DRY_LEASES_MAX; i++)
        leases->first[i] = ((uint64_t)tag << DRY_NUMBER_TAG_BITS) + length_of(i) - 1;
}

bool dry_leases_draw(dry_leases *leases, int count)
{
    for (int i = leases->count; i < count; i++) {
        const uint64_t first = dry_numbers_draw(length_of(i));
        if (first == 0)
            return false;
        leases->first[i] = first;
        leases->count = i + 1;
    }
    return true;
}

bool dry_leases_agree(const dry_leases *a, const dry_leases *b)
{
    for (int i = 0; i < a->count && i < b->count; i++)
        if (a->first[i] != b->first[i])
            return false;
    return true;
}

static bool overlap(const dry_leases *leases, int i, int k)
{
    return leases->first[i] < leases->first[k] + length_of(k) &&
           leases->first[k] < leases->first[i] + length_of(i);
}

const char *dry_leases_error(const dry_leases *leases)
{
    if (leases->count < 1 || leases->count > DRY_LEASES_MAX)
        return "there must be 1 to 16 leases";
    if (leases->first[0] < DRY_NUMBERS_BEGIN) {
        dry_leases tagged;
        const uint64_t tag = leases->first[0] >> DRY_NUMBER_TAG_BITS;
        dry_leases_of_tag(&tagged, (uint16_t)tag);
        const bool good = tag > 0 && leases->count == DRY_LEASES_MAX && dry_leases_agree(leases, &tagged);
        return good ? NULL : "numbers below 2^32 are those of a tag, all of them";
    }
    for (int i = 0; i < leases->count; i++) {
        if (leases->first[i] < DRY_NUMBERS_BEGIN || leases->first[i] > DRY_NUMBERS_END - length_of(i))
            return "a lease lies outside of all numbers";
        for (int k = 0; k < i; k++)
            if (overlap(leases, i, k))
                return "two leases overlap";
    }
    return NULL;
}

void dry_leases_pass_over(const dry_leases *leases)
{
    for (int i = 0; i < leases->count; i++)
        dry_numbers_pass_over(leases->first[i], length_of(i));
}
