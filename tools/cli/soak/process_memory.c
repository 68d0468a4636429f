/* Measures the memory of the process (process_memory.h). */
#include "tools/cli/soak/process_memory.h"
#include "tools/scenes/measure/resident.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void process_memory_use_stack(void)
{
    volatile char used[64 << 10]; /* the need that dry_tasks states */
    for (size_t i = 0; i < sizeof used; i += 1024) {
        used[i] = 0;
    }
}

static void *use_stack(void *gate)
{
    process_memory_use_stack();
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Lets `count` threads live at one time. One that does not start leaves no stack behind. */
static void use_stacks(int count)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t attributes;
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    if (threads != NULL && pthread_attr_init(&attributes) == 0) {
        pthread_attr_setstacksize(&attributes, 256 << 10); /* as the threads of a world */
        pthread_mutex_lock(&gate);
        int started = 0;
        while (started < count && pthread_create(&threads[started], &attributes, use_stack, &gate) == 0) {
            started++;
        }
        pthread_mutex_unlock(&gate);
        for (int i = 0; i < started; i++) {
            pthread_join(threads[i], NULL);
        }
        pthread_attr_destroy(&attributes);
    }
    free(threads);
}

void process_memory_begin(int threads)
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 128 << 10); /* a fixed one: the heap keeps no large block of a recording */
#endif
    use_stacks(threads);
}

/* Reads the exact sum over the page tables; other counts of Linux may be some hundred kB off. */
static size_t resident_bytes(void)
{
    char line[256];
    size_t kib = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    if (file == NULL) {
        return 0;
    }
    while (fgets(line, sizeof line, file) != NULL && sscanf(line, "Rss: %zu kB", &kib) != 1) {
    }
    fclose(file);
    return kib * 1024;
}

process_memory process_memory_now(void)
{
    process_memory memory = {.anonymous = dry_resident_bytes()};
    memory.resident = resident_bytes();
    return memory;
}
