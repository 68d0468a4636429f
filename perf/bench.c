/* Implements batches, hashes and worlds for the benchmarks (bench.h). */
#include "perf/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_begin(bench_batches *batches)
{
    batches->began = bench_now();
}

void bench_end(bench_batches *batches, bench_state *state)
{
    bench_add(batches, state, bench_now() - batches->began);
}

void bench_add(bench_batches *batches, bench_state *state, double seconds)
{
    if (batches->count == batches->capacity) {
        batches->capacity = 2 * batches->capacity + 64;
        batches->seconds = realloc(batches->seconds, (size_t)batches->capacity * sizeof *batches->seconds);
        bench_check(batches->seconds ? DRY_OK : DRY_ERROR_MEMORY, "batches");
    }
    batches->seconds[batches->count++] = seconds;
    bench_took(state, seconds);
}

void bench_work(bench_batches *batches, uint64_t hash)
{
    if (batches->count == 1)
        batches->hash = hash;
    else if (hash != batches->hash)
        batches->differs = true;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_quantile(double *values, int count, double q)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count ? values[(int)(q * (double)(count - 1) + 0.5)] : 0.0;
}

double bench_report(bench_batches *batches, bench_state *state, double items, const char *item)
{
    double median = bench_quantile(batches->seconds, batches->count, 0.5);
    char text[64];
    snprintf(text, sizeof text, "ns_per_%s", item);
    bench_counter(state, text, 1e9 * median / items);
    snprintf(text, sizeof text, "ns_per_%s_min", item);
    bench_counter(state, text, 1e9 * bench_quantile(batches->seconds, batches->count, 0.0) / items);
    bench_counter(state, "items", items);
    snprintf(text, sizeof text, "%016llx", (unsigned long long)batches->hash);
    bench_label(state, text);
    if (batches->differs)
        bench_fail(state, "two batches of the same work differ");
    free(batches->seconds);
    *batches = (bench_batches){0};
    return median / items;
}

/* Applies FNV's step to four streams of 64-bit words side by side, so that hashing is as fast as memory. */
uint64_t bench_hash(uint64_t hash, const void *data, size_t bytes)
{
    const uint64_t prime = 0x100000001b3u;
    const char *at = data;
    uint64_t stream[4] = {hash, hash + 1, hash + 2, hash + 3}, word[4];
    for (; bytes >= sizeof word; bytes -= sizeof word, at += sizeof word) {
        memcpy(word, at, sizeof word);
        for (int i = 0; i < 4; i++) {
            stream[i] = (stream[i] ^ word[i]) * prime;
            stream[i] ^= stream[i] >> 32;
        }
    }
    for (; bytes > 0; bytes--, at++)
        stream[0] = (stream[0] ^ (unsigned char)*at) * prime;
    for (int i = 1; i < 4; i++)
        stream[0] = (stream[0] ^ stream[i]) * prime;
    return stream[0];
}

void *bench_allocate(size_t bytes)
{
    void *block = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    bench_check(block ? DRY_OK : DRY_ERROR_MEMORY, "memory for a benchmark");
    memset(block, 0, bytes);
    return block;
}

/* Draws a number by SplitMix64 (Steele, Lea, Flood 2014). */
bool bench_append(void *user, const void *bytes, size_t size)
{
    bench_bytes *to = user;
    if (to->size + size > to->room)
        return false;
    memcpy(to->at + to->size, bytes, size);
    to->size += size;
    return true;
}

bool bench_count(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)user += size;
    return true;
}

uint64_t bench_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

float bench_random_in(uint64_t *seed, float low, float high)
{
    return low + (high - low) * ((float)(bench_random(seed) >> 40) * 0x1p-24f);
}

void bench_check(dry_result result, const char *what)
{
    if (result == DRY_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, dry_result_name(result));
    exit(1);
}

dry_world_def bench_world_def(int threads)
{
    dry_world_def def = dry_default_world_def();
    def.threads = threads;
    def.settings.sleep = false;
    return def;
}

bench_world bench_world_make(const char *scene, int size, int steps, const dry_world_def *base)
{
    bench_world made = {0};
    char error[256] = "";
    if (!dry_scene_make(scene, size, &made.scene, error, sizeof error)) {
        fprintf(stderr, "%s: %s\n", scene, error);
        exit(1);
    }
    dry_world_def def = *base;
    def.settings.gravity = made.scene.gravity;
    def.body_capacity = made.scene.body_count;
    dry_body_id *ids = bench_allocate((size_t)made.scene.body_count * sizeof *ids);
    bench_check(dry_world_create(&def, &made.world), scene);
    bench_check(dry_scene_build(&made.scene, made.world, ids), scene);
    free(ids);
    for (int i = 0; i < steps; i++)
        bench_check(dry_world_step(made.world, made.scene.dt), scene);
    return made;
}

void bench_world_free(bench_world *made)
{
    dry_world_destroy(made->world);
    if (made->world)
        dry_scene_free(&made->scene);
    *made = (bench_world){0};
}

bool bench_tiny(int *argc, char **argv)
{
    for (int i = 1; i < *argc; i++)
        if (strcmp(argv[i], "--tiny") == 0) {
            memmove(&argv[i], &argv[i + 1], (size_t)(*argc - i) * sizeof *argv);
            --*argc;
            return true;
        }
    return false;
}

int bench_main(int argc, char **argv, bool tiny)
{
    dry_machine machine = dry_machine_describe();
    char text[256];
    bench_describe("processor", machine.processor);
    snprintf(text, sizeof text, "%d", machine.cores);
    bench_describe("cores", text);
    snprintf(text, sizeof text, "%zu kB, %zu kB, %zu kB", machine.l1_bytes / 1024, machine.l2_bytes / 1024,
             machine.l3_bytes / 1024);
    bench_describe("caches", text);
    bench_describe("compiler", BENCH_COMPILER);
    bench_describe("flags", BENCH_FLAGS);
    bench_describe("tiny", tiny ? "yes" : "no");

    /* The first argument, so that the caller's own argument replaces it. */
    static char short_time[] = "--benchmark_min_time=0.05", no_time[] = "--benchmark_min_time=0.0001";
    char **arguments = bench_allocate(((size_t)argc + 2) * sizeof *arguments);
    arguments[0] = argv[0];
    arguments[1] = tiny ? no_time : short_time;
    memcpy(arguments + 2, argv + 1, (size_t)(argc - 1) * sizeof *arguments);
    argc++;
    int status = bench_run(argc, arguments);
    free(arguments);
    return status;
}
