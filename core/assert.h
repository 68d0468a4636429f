/* Assertions about this code's own invariants. A caller's mistake gets an error code instead.
 *
 * Builds without NDEBUG (debug, sanitizers) and validating builds check the condition and abort when it does
 * not hold. A release build compiles the condition and never evaluates it, so the condition must not change
 * anything and costs nothing there. */
#ifndef CORE_ASSERT_H
#define CORE_ASSERT_H

#include "core/shared.h"

#if defined(DRY_VALIDATE) || !defined(NDEBUG)
#define DRY_ASSERTS 1
#else
#define DRY_ASSERTS 0
#endif

#if DRY_ASSERTS
/* Names the condition that does not hold on the standard error stream, then aborts. */
DRY_SHARED _Noreturn void dry_assert_failed(const char *condition, const char *file, int line);
#define DRY_ASSERT(condition) ((condition) ? (void)0 : dry_assert_failed(#condition, __FILE__, __LINE__))
#else
#define DRY_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
