/* Definitions of shapes for the tests of queries. */
#ifndef TESTS_QUERY_SHAPES_H
#define TESTS_QUERY_SHAPES_H

#include "tests/test_world.h"

static inline dry_shape_def cylinder_shape(double radius, double half_length)
{
    dry_shape_def def = capsule_shape(radius, half_length);
    def.type = DRY_SHAPE_CYLINDER;
    return def;
}

#endif
