/* Declares what the tests of scenes share: a file to write, and those in tests/data. */
#ifndef TESTS_SCENE_FILES_H
#define TESTS_SCENE_FILES_H

#include "tests/scene_worlds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME_BYTES 512

/* A name in the temporary folder; the last one's file is removed at the end. */
static char scratch[FILE_NAME_BYTES];

static inline int make_scratch(void **state)
{
    (void)state;
    const char *folder = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%s/drystone_test_scenes_XXXXXX", folder ? folder : "/tmp");
    int descriptor = mkstemp(scratch);
    if (descriptor < 0)
        return 1;
    FILE *file = fdopen(descriptor, "w");
    return file ? fclose(file) : 1;
}

static inline int remove_scratch(void **state)
{
    (void)state;
    return remove(scratch);
}

static inline void write_scratch(const void *bytes, size_t count)
{
    FILE *file = fopen(scratch, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static inline void data_path(const char *name, char *path)
{
    const char *root = getenv("DRYSTONE_SOURCE_ROOT");
    snprintf(path, FILE_NAME_BYTES, "%s/tests/data/%s", root ? root : ".", name);
}

static inline void read_file(const char *path, dry_scene *scene)
{
    char error[512];
    if (!dry_scene_read(path, scene, error, sizeof error))
        fail_msg("%s", error);
}

#endif
