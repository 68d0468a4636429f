/* Disjoint sets of the numbers below a count: a forest in an array, where each number names its parent, and a
 * root itself. */
#ifndef CORE_DISJOINT_SETS_H
#define CORE_DISJOINT_SETS_H

#include <stdint.h>

/* Makes each number a set of its own. */
static inline void dry_sets_begin(int32_t *parent, int count)
{
    for (int i = 0; i < count; i++)
        parent[i] = i;
}

/* Returns the root of a number's set, and halves the way to it. */
static inline int dry_sets_root(int32_t *parent, int number)
{
    while (parent[number] != number)
        number = parent[number] = parent[parent[number]];
    return number;
}

/* Unites the sets of two numbers under the smaller root, so that the order of unions does not show. */
static inline void dry_sets_unite(int32_t *parent, int a, int b)
{
    a = dry_sets_root(parent, a);
    b = dry_sets_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

#endif
