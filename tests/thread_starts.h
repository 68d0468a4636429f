/* A pthread_create that counts and fails as a test asks. Programs that include this are linked with
 * --wrap=pthread_create, so that the library's thread starts come here. */
#ifndef TESTS_THREAD_STARTS_H
#define TESTS_THREAD_STARTS_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* The starts of the test and of the library, counted together. */
static struct {
    _Atomic int count; /* starts so far; several threads may start others at once */
    int fail_from;     /* the first start that fails, from 1; 0 fails none */
    int fail_until;    /* the last one */
    int error;
    size_t refused_stack_bytes; /* a start with this stack size is refused with EINVAL, uncounted */
} thread_starts;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    size_t stack_bytes = 0;
    if (attributes)
        pthread_attr_getstacksize(attributes, &stack_bytes);
    if (thread_starts.refused_stack_bytes && stack_bytes == thread_starts.refused_stack_bytes)
        return EINVAL;
    int number = ++thread_starts.count;
    if (thread_starts.fail_from <= number && number <= thread_starts.fail_until)
        return thread_starts.error;
    return __real_pthread_create(thread, attributes, run, argument);
}

/* Lets the starts `from` to `until` from now on fail, the first one being 1. */
static inline void thread_starts_fail(int from, int until, int error)
{
    thread_starts.count = 0;
    thread_starts.fail_from = from;
    thread_starts.fail_until = until;
    thread_starts.error = error;
}

static inline void thread_starts_work(void)
{
    thread_starts_fail(0, -1, 0);
    thread_starts.refused_stack_bytes = 0;
}

#endif
