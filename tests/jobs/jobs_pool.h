/* A server's pool of threads that counts what is asked of it: a queue, oldest first, and threads that may be
 * none at all; whoever waits for a task runs others meanwhile. */
#ifndef TESTS_JOBS_JOBS_POOL_H
#define TESTS_JOBS_JOBS_POOL_H

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "jobs/jobs.h"

#include <pthread.h>
#include <stdlib.h>

enum { POOL_TASKS = 4096 };

typedef struct pool_task {
    void (*run)(void *argument);
    void *argument;
    int state; /* 0 queued, 1 running, 2 done */
} pool_task;

typedef struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pool_task tasks[POOL_TASKS];
    int queued, taken;
    bool stop;
    pthread_t threads[16];
    int thread_count;
    int starts, finishes;
    void (*after_push)(struct pool *pool, pool_task *own);
} pool;

/* Runs the oldest queued task if there is one; the mutex is held before and after. */
static inline bool pool_run_one(pool *p)
{
    if (p->taken == p->queued)
        return false;
    pool_task *task = &p->tasks[p->taken++];
    task->state = 1;
    pthread_mutex_unlock(&p->mutex);
    task->run(task->argument);
    pthread_mutex_lock(&p->mutex);
    task->state = 2;
    pthread_cond_broadcast(&p->changed);
    return true;
}

static inline void *pool_thread(void *argument)
{
    pool *p = argument;
    pthread_mutex_lock(&p->mutex);
    while (!p->stop)
        if (!pool_run_one(p))
            pthread_cond_wait(&p->changed, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

static inline void *pool_start(void (*run)(void *argument), void *argument, void *user)
{
    pool *p = user;
    pthread_mutex_lock(&p->mutex);
    if (p->queued == POOL_TASKS)
        abort();
    pool_task *task = &p->tasks[p->queued++];
    *task = (pool_task){.run = run, .argument = argument};
    p->starts++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->mutex);
    if (p->after_push)
        p->after_push(p, task);
    return task;
}

/* Runs whatever is queued, other worlds' tasks too, until its own is done. */
static inline void pool_finish(void *handle, void *user)
{
    pool *p = user;
    pool_task *task = handle;
    pthread_mutex_lock(&p->mutex);
    p->finishes++;
    while (task->state != 2)
        if (!pool_run_one(p))
            pthread_cond_wait(&p->changed, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
}

static inline pool *pool_create(int threads)
{
    pool *p = calloc(1, sizeof *p);
    assert_non_null(p);
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->thread_count = threads;
    for (int i = 0; i < threads; i++)
        assert_int_equal(pthread_create(&p->threads[i], NULL, pool_thread, p), 0);
    return p;
}

static inline void pool_destroy(pool *p)
{
    pthread_mutex_lock(&p->mutex);
    p->stop = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->mutex);
    for (int i = 0; i < p->thread_count; i++)
        pthread_join(p->threads[i], NULL);
    pthread_mutex_destroy(&p->mutex);
    pthread_cond_destroy(&p->changed);
    free(p);
}

static inline dry_tasks pool_tasks(pool *p)
{
    return (dry_tasks){pool_start, pool_finish, p};
}

#endif
