/* Files of points: every form of OBJ and STL that is read, what is refused with its line, and damaged files.
 * Scenes that name such files, and scenes whose shapes share data. */
#include "tests/scene_files.h"
#include "tools/scenes/point_file.h"
#include "tools/scenes/scene_parts.h"

#include <unistd.h>

static char folder[FILE_NAME_BYTES / 2];

static int make_folder(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/drystone_test_points_XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) ? 0 : 1;
}

static void path_of(const char *name, char *path)
{
    snprintf(path, FILE_NAME_BYTES, "%s/%s", folder, name);
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"a.obj", "a.stl", "a.STL", "s.json", "t.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[FILE_NAME_BYTES];
        path_of(names[i], path);
        remove(path);
    }
    return rmdir(folder);
}

static void write_file(const char *name, const void *bytes, size_t count)
{
    char path[FILE_NAME_BYTES];
    path_of(name, path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static bool read_points(const char *name, dry_point_file *file, char *error)
{
    char path[FILE_NAME_BYTES];
    path_of(name, path);
    return dry_point_file_read(path, file, error, FILE_NAME_BYTES);
}

/* Returns the points and triangles of a text, as a file of that name. */
static dry_point_file points_of(const char *name, const void *bytes, size_t count)
{
    char error[FILE_NAME_BYTES];
    dry_point_file file;
    write_file(name, bytes, count);
    if (!read_points(name, &file, error))
        fail_msg("%s", error);
    return file;
}

static void assert_point(const dry_point_file *file, int i, float x, float y, float z)
{
    assert_true(i < file->point_count);
    assert_true(file->points[i].x == x && file->points[i].y == y && file->points[i].z == z);
}

static void assert_triangle(const dry_point_file *file, int i, int a, int b, int c)
{
    assert_true(i < file->triangle_count);
    const int32_t *t = &file->triangles[3 * i];
    assert_true(t[0] == a && t[1] == b && t[2] == c);
}

static void test_obj(void **state)
{
    (void)state;
    static const char text[] =
        "# comment\r\nmtllib a.mtl\n\n  v 1 2.5 -3e-1\r\nv\t0 0 0 1\nvn 0 0 1\nvt 0 0\n"
        "v 1e6 -1000000 .5\nv 7 8 9 0.1 0.2 0.3\nf 1 2 3 4\nf 1/1 -1/2/3 2//3\nusemtl x";
    dry_point_file file = points_of("a.obj", text, sizeof text - 1);
    assert_int_equal(file.point_count, 4);
    assert_point(&file, 0, 1.0f, 2.5f, -0.3f);
    assert_point(&file, 2, 1e6f, -1e6f, 0.5f);
    assert_point(&file, 3, 7.0f, 8.0f, 9.0f);
    assert_int_equal(file.triangle_count, 3);
    assert_triangle(&file, 0, 0, 1, 2);
    assert_triangle(&file, 1, 0, 2, 3);
    assert_triangle(&file, 2, 0, 3, 1);
    dry_point_file_free(&file);
}

static const char stl_text[] =
    "solid wedge\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n"
    "   vertex 0 1 0.5\n  endloop\n endfacet\nendsolid wedge\n";

static size_t stl_bytes(unsigned char *bytes, const float *numbers, uint32_t triangles)
{
    memset(bytes, 0, 84);
    memcpy(bytes, "solid but bytes", 15);
    memcpy(bytes + 80, &triangles, 4); /* on machines with the lowest byte first, as all that run this are */
    for (uint32_t i = 0; i < triangles; i++) {
        memset(bytes + 84 + 50 * i, 0, 50);
        memcpy(bytes + 84 + 50 * i + 12, numbers + 9 * i, 36);
    }
    return 84 + 50 * (size_t)triangles;
}

static void test_stl(void **state)
{
    (void)state;
    dry_point_file file = points_of("a.stl", stl_text, sizeof stl_text - 1);
    assert_int_equal(file.point_count, 3);
    assert_point(&file, 2, 0.0f, 1.0f, 0.5f);
    assert_triangle(&file, 0, 0, 1, 2);
    dry_point_file_free(&file);
    const float numbers[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.1f, 2, 3, 4, 5, 6, 7, 8, -9};
    unsigned char bytes[184];
    file = points_of("a.STL", bytes, stl_bytes(bytes, numbers, 2));
    assert_int_equal(file.point_count, 6);
    assert_point(&file, 3, 0.1f, 2.0f, 3.0f);
    assert_point(&file, 5, 7.0f, 8.0f, -9.0f);
    assert_triangle(&file, 1, 3, 4, 5);
    dry_point_file_free(&file);
}

static void assert_refused(const char *name, const char *text, size_t count, const char *place,
                           const char *what)
{
    char error[FILE_NAME_BYTES], wanted[FILE_NAME_BYTES + 64];
    dry_point_file file;
    write_file(name, text, count);
    if (read_points(name, &file, error))
        fail_msg("accepted, but should be refused: %s", text);
    assert_true(file.points == NULL && file.triangles == NULL);
    snprintf(wanted, sizeof wanted, "%s/%s%s: expected ", folder, name, place);
    if (strncmp(error, wanted, strlen(wanted)) != 0 || !strstr(error, what))
        fail_msg("expected \"%s\" and \"%s\" in: %s", wanted, what, error);
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *place, *what;
    } bad[] = {
        {"a.obj", "", "", "at least one vertex"},
        {"a.obj", "v 0 0\n", ":1", "three numbers"},
        {"a.obj", "# a\nv 0 0 x\n", ":2", "three numbers"},
        {"a.obj", "v 0 0 nan\n", ":1", "three numbers"},
        {"a.obj", "v 0 0 inf\n", ":1", "three numbers"},
        {"a.obj", "v 0 0 0x1\n", ":1", "three numbers"},
        {"a.obj", "v 0 0 1.0000001e6\n", ":1", "1e+06"},
        {"a.obj", "v 0 0 1,5\n", ":1", "three numbers"},
        {"a.obj", "v 0 0 0\nf 1 1\n", ":2", "a face of at least three"},
        {"a.obj", "v 0 0 0\nf 1 1 2\n", ":2", "above it"},
        {"a.obj", "v 0 0 0\nf 1 1 0\n", ":2", "above it"},
        {"a.obj", "v 0 0 0\nf 1 1 -2\n", ":2", "above it"},
        {"a.obj", "v 0 0 0\nf 1 1 a\n", ":2", "above it"},
        {"a.stl", "", "", "an STL file"},
        {"a.stl", "facet\n", "", "an STL file"},
        {"a.stl", "solid\n", "", "at least one vertex"},
        {"a.stl", "solid\nvertex 0 0\n", ":2", "three numbers"},
        {"a.stl", "solid\nvertex 0 0 0\nendloop\n", ":3", "three vertices"},
        {"a.stl", "solid\nvertex 0 0 0\n", ":2", "three vertices"},
        {"a.stl", "solid\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\n", ":5", "endloop"},
        {"a.stl", "solid\n\nvortex 0 0 0\n", ":3", "a line of an STL file"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(bad[i].name, bad[i].text, strlen(bad[i].text), bad[i].place, bad[i].what);
    const float numbers[9] = {0, 0, 0, 1, 0, 0, 0, 2e6f, 0};
    unsigned char bytes[134];
    assert_refused("a.stl", (const char *)bytes, stl_bytes(bytes, numbers, 1), ": triangle 0", "1e+06");
    char error[FILE_NAME_BYTES];
    dry_point_file file;
    assert_false(dry_point_file_read("a.ply", &file, error, sizeof error));
    assert_non_null(strstr(error, ".obj or .stl"));
    assert_false(dry_point_file_read("/dev/null/a.obj", &file, error, sizeof error));
    assert_non_null(strstr(error, "a file to read"));
}

/* Bytes changed at random: read, or refused with a line. */
static void test_damaged(void **state)
{
    (void)state;
    const float numbers[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.1f, 2, 3, 4, 5, 6, 7, 8, -9};
    uint64_t random = 1;
    int accepted = 0;
    for (int run = 0; run < 2000; run++) {
        char bytes[200], error[FILE_NAME_BYTES];
        size_t count = sizeof stl_text - 1;
        memcpy(bytes, stl_text, count);
        if (run % 2 == 1)
            count = stl_bytes((unsigned char *)bytes, numbers, 2);
        for (int change = 0; change < 3; change++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            bytes[(random >> 40) % count] = (char)(random >> 33);
        }
        count -= run % 5 == 0 ? (random >> 50) % count : 0;
        write_file("a.stl", bytes, count);
        dry_point_file file;
        if (read_points("a.stl", &file, error)) {
            accepted++;
            for (int i = 0; i < 3 * file.triangle_count; i++)
                assert_true(file.triangles[i] >= 0 && file.triangles[i] < file.point_count);
            dry_point_file_free(&file);
        }
    }
    assert_true(accepted > 100);
}

#define CUBE "[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]"

/* Equal data are one form, wherever they come from. */
static void test_scenes_share_data(void **state)
{
    (void)state;
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 1\n";
    static const char text[] =
        "{\"format\": \"drystone-scene\", \"version\": 1, \"bodies\": [{\"id\": \"a\", \"type\": "
        "\"dynamic\", "
        "\"shapes\": [{\"type\": \"hull\", \"points\": [" CUBE
        "]}, {\"type\": \"hull\", \"file\": \"a.obj\"}, "
        "{\"type\": \"hull\", \"points\": [" CUBE "], \"max_vertices\": 8}, "
        "{\"type\": \"compound\", \"children\": [{\"type\": \"hull\", \"points\": [" CUBE "]}]}, "
        "{\"type\": \"compound\", \"children\": [{\"type\": \"hull\", \"file\": \"a.obj\"}]}, "
        "{\"type\": \"compound\", \"children\": [{\"type\": \"hull\", \"file\": \"a.obj\", \"scale\": [1, 1, "
        "2]}]}"
        "]}]}";
    char path[FILE_NAME_BYTES], copy[FILE_NAME_BYTES], error[FILE_NAME_BYTES];
    write_file("a.obj", obj, sizeof obj - 1);
    write_file("s.json", text, sizeof text - 1);
    path_of("s.json", path);
    path_of("t.json", copy);
    for (int again = 0; again < 2; again++) {
        dry_scene scene;
        read_file(again ? copy : path, &scene);
        const dry_shape_def *s = scene.shapes;
        assert_int_equal(scene.form_count, 4);
        assert_true(s[0].data == s[1].data && s[0].data != s[2].data && s[3].data == s[4].data &&
                    s[3].data != s[5].data);
        assert_true(dry_scene_form_of(&scene, s[5].data)->children[0].data == s[0].data);
        assert_null(dry_scene_form_of(&scene, NULL));
        if (!dry_scene_write(&scene, copy, error, sizeof error))
            fail_msg("%s", error);
        dry_scene_free(&scene);
    }
    /* A scene holds no data but its own. */
    dry_scene scene;
    dry_shape_data *data = NULL;
    const dry_vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    assert_int_equal(dry_hull_create(points, 4, 0, NULL, &data, NULL), DRY_OK);
    read_file(path, &scene);
    scene.shapes[0].data = data;
    assert_false(dry_scene_write(&scene, copy, error, sizeof error));
    assert_non_null(strstr(error, "bodies[0].shapes[0].data"));
    dry_shape_data_release(data);
    dry_scene_free(&scene);
}

/* Many forms: tables grow, and each is found again. */
static void test_many_forms(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    dry_scene scene;
    static dry_shape_data *data[COUNT];
    memset(&scene, 0, sizeof scene);
    for (int again = 0; again < 2; again++)
        for (int i = 0; i < COUNT; i++) {
            const float size = 1.0f + (float)i;
            const dry_vec3 points[] = {{0, 0, 0}, {size, 0, 0}, {0, 1, 0}, {0, 0, 1}};
            dry_shape_data *made;
            assert_int_equal(dry_scene_add_hull(&scene, points, 4, 0, &made, NULL), DRY_OK);
            assert_true(again == 0 || made == data[i]);
            data[i] = made;
        }
    assert_int_equal(scene.form_count, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_true(dry_scene_form_of(&scene, data[i])->points[1].x == 1.0f + (float)i);
    dry_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_obj),
        cmocka_unit_test(test_stl),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_scenes_share_data),
        cmocka_unit_test(test_many_forms),
    };
    return cmocka_run_group_tests_name("point_files", tests, make_folder, remove_folder);
}
