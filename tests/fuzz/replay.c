/* Runs a fuzz target over inputs without libFuzzer: the main function of a target in an ordinary build.
 *
 * Arguments: files, each a corpus (corpus.py packs them) or a single input such as libFuzzer's crash-... */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'D', 'R', 'Y', 'F', 'U', 'Z', 'Z', '1'};

static uint8_t *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(2);
    }
    long bytes = ftell(file);
    rewind(file);
    uint8_t *data = malloc((size_t)bytes + 1);
    if (!data || fread(data, 1, (size_t)bytes, file) != (size_t)bytes) {
        perror(path);
        exit(2);
    }
    fclose(file);
    *size = (size_t)bytes;
    return data;
}

/* Runs an input in memory of its own, so that a sanitizer sees reads beyond its end. */
static void run_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + (size == 0));
    if (!copy)
        abort();
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* Runs the inputs of a corpus: after the magic bytes, each has its size in 4 bytes, the lowest first. */
static int run_corpus(const uint8_t *data, size_t size)
{
    int count = 0;
    size_t at = sizeof magic;
    while (at + 4 <= size) {
        size_t bytes =
            data[at] | (size_t)data[at + 1] << 8 | (size_t)data[at + 2] << 16 | (size_t)data[at + 3] << 24;
        at += 4;
        FUZZ_CHECK(bytes <= size - at);
        if (getenv("DRYSTONE_FUZZ_VERBOSE"))
            fprintf(stderr, "input %d, %zu bytes\n", count, bytes);
        run_copy(data + at, bytes);
        at += bytes;
        count++;
    }
    FUZZ_CHECK(at == size && count > 0);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; ++i) {
        size_t size;
        uint8_t *data = read_all(argv[i], &size);
        if (size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0) {
            count += run_corpus(data, size);
        } else {
            run_copy(data, size);
            count++;
        }
        free(data);
    }
    printf("%d inputs: %llu calls (%llu refused, %llu of them for want of memory), %llu steps, "
           "%llu bodies into quarantine, %llu out of it\n",
           count, (unsigned long long)fuzz_sums.calls, (unsigned long long)fuzz_sums.refused,
           (unsigned long long)fuzz_sums.starved, (unsigned long long)fuzz_sums.steps,
           (unsigned long long)fuzz_sums.quarantines, (unsigned long long)fuzz_sums.mended);
    return count > 0 ? 0 : 2;
}
