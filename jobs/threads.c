#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "jobs/threads.h"

#include <errno.h>
#include <sys/resource.h>

/* A signal of a fault stays unblocked: the kernel kills the process when it cannot deliver one, and the
 * host's crash handler would not run. */
void dry_thread_block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t blocked;
    sigfillset(&blocked);
    for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, before);
}

static int create_thread(pthread_t *thread, size_t stack_bytes, void *(*run)(void *argument), void *argument)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error)
        return error;
    if (stack_bytes)
        (void)pthread_attr_setstacksize(&attributes, stack_bytes);
    error = pthread_create(thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return error;
}

int dry_thread_start(dry_thread *thread, void *(*run)(void *argument), void *argument)
{
    pthread_mutex_init(&thread->mutex, NULL);
    pthread_cond_init(&thread->wake, NULL);
    atomic_init(&thread->asleep, false);
    /* The new thread inherits the mask, so no signal can arrive before it is set. */
    sigset_t before;
    dry_thread_block_signals(&before);
    int error = create_thread(&thread->id, DRY_THREAD_STACK_BYTES, run, argument);
    /* A host whose thread-local variables alone are larger than this stack has a default size that fits. */
    if (error == EINVAL)
        error = create_thread(&thread->id, 0, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        pthread_cond_destroy(&thread->wake);
        pthread_mutex_destroy(&thread->mutex);
    }
    return error;
}

size_t dry_thread_default_stack_bytes(void)
{
    size_t bytes = 0;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) == 0) {
        (void)pthread_attr_getstacksize(&attributes, &bytes);
        pthread_attr_destroy(&attributes);
    }
    return bytes;
}

dry_thread_use dry_thread_use_now(void)
{
    struct rusage use = {0};
    (void)getrusage(RUSAGE_THREAD, &use);
    const double s = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec);
    const double us = (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
    return (dry_thread_use){1e3 * s + 1e-3 * us, use.ru_nvcsw};
}

static void *wait_at(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int dry_threads_try(int count, size_t stack_bytes)
{
    pthread_t threads[1024];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    sigset_t before;
    int started = 0, error = 0;
    dry_thread_block_signals(&before);
    pthread_mutex_lock(&gate);
    while (started < count && !error) {
        error = create_thread(&threads[started], stack_bytes, wait_at, &gate);
        started += !error;
    }
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&gate);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

void dry_thread_join(dry_thread *thread)
{
    pthread_join(thread->id, NULL);
    pthread_cond_destroy(&thread->wake);
    pthread_mutex_destroy(&thread->mutex);
}

static bool is_closed(const _Atomic int *gate, int index)
{
    int open = atomic_load_explicit(gate, memory_order_seq_cst);
    return 0 <= open && open <= index;
}

/* `asleep` is stored before the gate is read, and the gate is stored before `asleep` is read. In the one
 * order of these four, either this thread sees the gate open or dry_thread_wake sees it asleep. */
void dry_thread_sleep(dry_thread *self, const _Atomic int *gate, int index)
{
    pthread_mutex_lock(&self->mutex);
    atomic_store_explicit(&self->asleep, true, memory_order_seq_cst);
    while (is_closed(gate, index))
        pthread_cond_wait(&self->wake, &self->mutex);
    atomic_store_explicit(&self->asleep, false, memory_order_relaxed);
    pthread_mutex_unlock(&self->mutex);
}

void dry_thread_wake(dry_thread *thread)
{
    if (!atomic_load_explicit(&thread->asleep, memory_order_seq_cst))
        return;
    /* A thread that holds the mutex has not slept yet. */
    pthread_mutex_lock(&thread->mutex);
    pthread_mutex_unlock(&thread->mutex);
    pthread_cond_signal(&thread->wake);
}
