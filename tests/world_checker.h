/* Checks a world's inner structures (host/validate/validate.h) from a test. A failed check names itself and
 * the place, and fails the test. */
#ifndef TESTS_WORLD_CHECKER_H
#define TESTS_WORLD_CHECKER_H

#include "tests/test_world.h"

#include "host/validate/validate.h"
#include "world/world.h"

#define check(condition) checker_expect((condition), #condition, __FILE__, __LINE__)

/* The text that a failure prints; the running test sets it. */
static char checker_place[256];

static inline void checker_expect(bool holds, const char *condition, const char *file, int line)
{
    if (holds)
        return;
    print_error("%s: does not hold: %s\n", checker_place, condition);
    _fail(file, line);
}

static inline void checker_failed(const dry_validation *validation, const char *condition, const char *file,
                                  int line)
{
    (void)validation;
    checker_expect(false, condition, file, line);
}

static const dry_validation checker_validation = {.failed = checker_failed, .place = checker_place};

/* Returns how many partitions the tier with the most of them has. */
static inline int check_layout(const dry_world *world)
{
    return dry_world_validate_layout(world, &checker_validation);
}

/* `settled`: a step has just been done, and none ran out of memory since the world began, so that flags agree
 * with manifolds. */
static inline void check_world(const dry_world *world, bool settled)
{
    dry_world_validate(world, settled ? DRY_SETTLED_ALL : DRY_SETTLED_NONE, &checker_validation);
    check(!world->stepping);
}

#endif
