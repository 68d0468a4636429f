/* A pool of POSIX threads behind dry_tasks: stands for a server's own threads, and lets the thread
 * sanitizer see every synchronisation (it does not know OpenMP's own).
 *
 * A task that no thread has taken up when `finish` is called runs inside `finish`. */
#ifndef TESTS_PTHREAD_TASKS_H
#define TESTS_PTHREAD_TASKS_H

#include <drystone/drystone.h>
#include <pthread.h>
#include <stdlib.h>

#define TEST_POOL_THREADS_MAX 16

typedef struct test_task {
    void (*run)(void *argument);
    void *argument;
    struct test_task *next;
    bool taken, done;
} test_task;

typedef struct test_pool {
    pthread_mutex_t lock;
    pthread_cond_t work_or_done;
    pthread_t threads[TEST_POOL_THREADS_MAX];
    test_task *first; /* queued, the oldest last */
    int thread_count;
    bool stopping;
} test_pool;

static inline void test_pool_run_locked(test_pool *pool, test_task *task)
{
    test_task **link = &pool->first;
    while (*link != task)
        link = &(*link)->next;
    *link = task->next;
    task->taken = true;
    pthread_mutex_unlock(&pool->lock);
    task->run(task->argument);
    pthread_mutex_lock(&pool->lock);
    task->done = true;
    pthread_cond_broadcast(&pool->work_or_done);
}

static inline void *test_pool_thread(void *argument)
{
    test_pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    while (!pool->stopping) {
        if (pool->first)
            test_pool_run_locked(pool, pool->first);
        else
            pthread_cond_wait(&pool->work_or_done, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static inline void test_pool_start(test_pool *pool, int threads)
{
    *pool = (test_pool){0};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work_or_done, NULL);
    for (int i = 0; i < threads && i < TEST_POOL_THREADS_MAX; ++i) {
        if (pthread_create(&pool->threads[pool->thread_count], NULL, test_pool_thread, pool) == 0)
            pool->thread_count++;
    }
}

static inline void test_pool_stop(test_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->work_or_done);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->thread_count; ++i)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->work_or_done);
    pthread_mutex_destroy(&pool->lock);
}

static inline void *test_pool_task_start(void (*run)(void *argument), void *argument, void *user)
{
    test_pool *pool = user;
    test_task *task = malloc(sizeof *task);
    if (!task)
        abort();
    pthread_mutex_lock(&pool->lock);
    *task = (test_task){.run = run, .argument = argument, .next = pool->first};
    pool->first = task;
    pthread_cond_broadcast(&pool->work_or_done);
    pthread_mutex_unlock(&pool->lock);
    return task;
}

static inline void test_pool_task_finish(void *handle, void *user)
{
    test_pool *pool = user;
    test_task *task = handle;
    pthread_mutex_lock(&pool->lock);
    if (!task->taken)
        test_pool_run_locked(pool, task);
    while (!task->done)
        pthread_cond_wait(&pool->work_or_done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    free(task);
}

/* One pool for the whole test program, started at first use and joined at exit. */
static test_pool test_shared_pool;

static inline void test_shared_pool_stop(void)
{
    test_pool_stop(&test_shared_pool);
}

static inline dry_tasks test_pool_tasks(void)
{
    if (test_shared_pool.thread_count == 0) {
        test_pool_start(&test_shared_pool, 4);
        if (test_shared_pool.thread_count == 0)
            abort();
        atexit(test_shared_pool_stop);
    }
    return (dry_tasks){test_pool_task_start, test_pool_task_finish, &test_shared_pool};
}

#endif
