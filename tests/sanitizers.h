/* Tells which sanitizer a test is built with, for the few tests whose subject a sanitizer replaces. */
#ifndef TESTS_SANITIZERS_H
#define TESTS_SANITIZERS_H

#if defined(__has_feature)
#define TEST_HAS_FEATURE(feature) __has_feature(feature)
#else
#define TEST_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_THREAD__) || TEST_HAS_FEATURE(thread_sanitizer)
#define TEST_THREAD_SANITIZER 1
#else
#define TEST_THREAD_SANITIZER 0
#endif

#if defined(__SANITIZE_ADDRESS__) || TEST_HAS_FEATURE(address_sanitizer)
#define TEST_ADDRESS_SANITIZER 1
#else
#define TEST_ADDRESS_SANITIZER 0
#endif

/* The thread sanitizer refuses threads in a child of a process with threads. The address sanitizer's
 * allocator may be locked by a thread that just starts when another one forks: no thread of the child then
 * gets on. */
#define SKIP_FORK_UNDER_SANITIZERS()                                                                         \
    do {                                                                                                     \
        if (TEST_THREAD_SANITIZER || TEST_ADDRESS_SANITIZER)                                                 \
            skip();                                                                                          \
    } while (0)

#endif
