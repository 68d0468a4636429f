/* Shares work among threads (parts.h). Threads begin and end with each call: a call takes milliseconds, a
 * thread some microseconds. */
#include "tools/cli/picture/parts.h"

#include <pthread.h>
#include <stdatomic.h>

#define CREW_MAX 64

typedef struct crew {
    void (*work)(void *user, int i);
    void *user;
    int count;
    atomic_int next;
} crew;

static void *take_items(void *of)
{
    crew *c = of;
    for (int i; (i = atomic_fetch_add(&c->next, 1)) < c->count;) {
        c->work(c->user, i);
    }
    return NULL;
}

void picture_crew(int threads, int count, void (*work)(void *user, int i), void *user)
{
    crew c = {.work = work, .user = user, .count = count};
    pthread_t others[CREW_MAX];
    int started = 0;
    while (started < CREW_MAX && started < threads - 1 && started < count - 1 &&
           pthread_create(&others[started], NULL, take_items, &c) == 0) {
        started++;
    }
    take_items(&c);
    for (int i = 0; i < started; i++) {
        pthread_join(others[i], NULL);
    }
}
