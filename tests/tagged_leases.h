/* The leases of a tag, for tables of slots that belong to no world. */
#ifndef TESTS_TAGGED_LEASES_H
#define TESTS_TAGGED_LEASES_H

#include "core/leases.h"

/* Returns leases that last until the next call of the same program. */
static inline dry_leases *leases_of_tag(uint16_t tag)
{
    static dry_leases leases;
    dry_leases_of_tag(&leases, tag);
    return &leases;
}

#endif
