/* Ties DRY_ARITHMETIC_REVISION to tests/golden_hashes.txt: the number rises whenever the hash of a scene that
 * was there changes. tests/data/arithmetic.txt has the number and the lines of golden_hashes.txt at the time
 * at which it rose. DRYSTONE_RENEW_ARITHMETIC=path writes it, for a number above the file's. */
#include "tests/test_world.h"

#define GOLDEN "tests/golden_hashes.txt"
#define KEPT "tests/data/arithmetic.txt"

enum { LINES_MAX = 1000, LINE_BYTES = 256 };

typedef struct lines {
    char text[LINES_MAX][LINE_BYTES];
    int count;
} lines;

/* Reads the lines of a file that are no comments. */
static void read_lines(const char *path, lines *to)
{
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s", path);
    to->count = 0;
    while (to->count < LINES_MAX && fgets(to->text[to->count], LINE_BYTES, file))
        to->count += to->text[to->count][0] != '#' && to->text[to->count][0] != '\n';
    assert_true(to->count < LINES_MAX);
    fclose(file);
}

/* Returns the length of the part of a line that names the run: all but the two hashes. */
static size_t name_length(const char *line)
{
    const char *end = line;
    for (int words = 0; words < 3 && end; ++words)
        end = strchr(words ? end + 1 : end, ' ');
    return end ? (size_t)(end - line) : strlen(line);
}

static const char *find_line(const lines *in, const char *like)
{
    const size_t length = name_length(like);
    for (int i = 0; i < in->count; ++i)
        if (name_length(in->text[i]) == length && memcmp(in->text[i], like, length) == 0)
            return in->text[i];
    return NULL;
}

static lines golden, kept;

static void write_kept(const char *path, unsigned before)
{
    if (DRY_ARITHMETIC_REVISION <= before)
        fail_msg("raise DRY_ARITHMETIC_REVISION in include/drystone/save.h above %u first", before);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "# The lines of golden_hashes.txt when DRY_ARITHMETIC_REVISION became this number.\n%u\n",
            DRY_ARITHMETIC_REVISION);
    for (int i = 0; i < golden.count; ++i)
        fputs(golden.text[i], file);
    assert_int_equal(fclose(file), 0);
}

static void test_revision(void **state)
{
    (void)state;
    const char *renew = getenv("DRYSTONE_RENEW_ARITHMETIC");
    read_lines(GOLDEN, &golden);
    read_lines(renew ? renew : KEPT, &kept);
    assert_true(kept.count > 0);
    const unsigned revision = (unsigned)strtoul(kept.text[0], NULL, 10);
    if (renew) {
        write_kept(renew, revision);
        return;
    }
    for (int i = 1; i < kept.count; ++i) {
        const char *now = find_line(&golden, kept.text[i]);
        if (now && strcmp(now, kept.text[i]) != 0)
            fail_msg(
                "%.*s has another hash: raise DRY_ARITHMETIC_REVISION in include/drystone/save.h, and renew "
                "the file with DRYSTONE_RENEW_ARITHMETIC=" KEPT,
                (int)name_length(now), now);
    }
    assert_int_equal(revision, DRY_ARITHMETIC_REVISION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_revision)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
