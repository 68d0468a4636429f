/* Starts, wakes and joins the threads that a world owns, and tries whether threads can be started.
 *
 * A thread waits at a gate: a number that is above the thread's index while the thread has work, and negative
 * once it shall end. Opening the gate costs a system call for each thread that sleeps, and none for threads
 * that still look at the gate. */
#ifndef JOBS_THREADS_H
#define JOBS_THREADS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* The stack of a thread, in bytes: four times the need that `dry_tasks` states. The system takes memory only
 * for the pages in use. */
#define DRY_THREAD_STACK_BYTES (256 * 1024)

typedef struct dry_thread {
    pthread_t id;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    _Atomic bool asleep;
} dry_thread;

/* Returns the stack size of a thread for which none is asked, in bytes. */
size_t dry_thread_default_stack_bytes(void);

/* Blocks all signals in the calling thread except those that a fault in the thread itself raises. Threads
 * that it starts inherit this. */
void dry_thread_block_signals(sigset_t *before);

/* Lets `count` threads live at one time, at most 1024, and waits for their end. Returns 0, or the system's
 * error number if one of them could not be started. */
int dry_threads_try(int count, size_t stack_bytes);

/* The calling thread's use of the processor so far. */
typedef struct dry_thread_use {
    double processor_ms;
    long sleeps; /* number of times that it has waited for something */
} dry_thread_use;
dry_thread_use dry_thread_use_now(void);

/* Starts a thread that calls run(argument). All signals are blocked in the thread except those that a fault
 * in the thread itself raises, so the host's handlers run on the host's threads. Returns 0, or the system's
 * error number. */
int dry_thread_start(dry_thread *thread, void *(*run)(void *argument), void *argument);

/* Waits until the thread has returned. */
void dry_thread_join(dry_thread *thread);

/* Sleeps while the gate is closed for the calling thread: while 0 <= *gate <= index. */
void dry_thread_sleep(dry_thread *self, const _Atomic int *gate, int index);

/* Wakes the thread if it sleeps. The gate is opened before by a store with memory_order_seq_cst. */
void dry_thread_wake(dry_thread *thread);

#endif
