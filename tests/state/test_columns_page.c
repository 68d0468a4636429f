/* Holds the tables of docs/columns.md to the lists that declare the columns. DRYSTONE_RENEW_COLUMNS=path
 * writes them into the page at that path. */
#include "core/compiler.h"
#include "tests/test_world.h"

#include "state/columns.h"

#define PAGE "docs/columns.md"
#define BEGIN                                                                                                \
    "<!-- The tables from here on are made from the lists in state/: see tests/state/test_columns_page.c "   \
    "-->\n"

enum { TEXT_MAX = 1 << 17 };

typedef struct text {
    char bytes[TEXT_MAX];
    size_t length;
} text;

static void add(text *t, const char *format, ...) DRY_PRINTF(2, 3);
static void add(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(t->bytes + t->length, TEXT_MAX - t->length, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && t->length + (size_t)length < TEXT_MAX);
    t->length += (size_t)length;
}

/* Returns a default as a reader says it. */
static const char *standard_of(const dry_field *field)
{
    static const char *const names[][2] = {{"DRY_VEC3_DEFAULT", "0"},
                                           {"DRY_POSITION_DEFAULT", "0"},
                                           {"DRY_ARRAY_DEFAULT", "0"},
                                           {"DRY_GEOMETRY_DEFAULT", "0"},
                                           {"DRY_POINTS_DEFAULT", "0"},
                                           {"{0}", "0"},
                                           {"DRY_QUAT_DEFAULT", "identity"},
                                           {"DRY_QUAT_NONE", "0"},
                                           {"DRY_ENDS_DEFAULT", "-1, -1"},
                                           {"DRY_NEVER_BUILT", "infinity"},
                                           {"DRY_TRANSFORM_DEFAULT", "identity"},
                                           {"DRY_GRAVITY_DEFAULT", "(0, -9.81, 0)"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(field->standard, names[i][0]) == 0)
            return names[i][1];
    return field->standard;
}

static void add_writers(text *t, unsigned writers)
{
    static const char *const names[] = {"pairs",  "contacts", "graph",    "prepare", "solve",
                                        "repair", "store",    "finalize", "publish", "calls"};
    const char *comma = "";
    for (unsigned i = 0; i < sizeof names / sizeof *names; ++i)
        if (writers >> i & 1) {
            add(t, "%s%s", comma, names[i]);
            comma = ", ";
        }
}

static const char *saved_as(const dry_field *field)
{
    static const char *const names[DRY_FIELD_CLASS_COUNT] = {
        [DRY_FIELD_STATE] = "yes",
        [DRY_FIELD_CALLER] = "yes, the caller's",
        [DRY_FIELD_DERIVED] = "derived",
        [DRY_FIELD_MADE_ANEW] = "made anew",
    };
    return names[field->origin];
}

static void add_column(text *t, const dry_column *column)
{
    add(t, "\n### `%s`: `%s`, %zu bytes\n\n", column->name, column->type, column->size);
    add(t, "| field | type | unit | default | written by | in the state hash | in a save | meaning |\n");
    add(t, "|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < column->field_count; ++i) {
        const dry_field *f = &column->fields[i];
        const char *hashed = f->by_point                    ? "of its points"
                             : f->hashed_bits == UINT64_MAX ? "yes"
                             : f->hashed_bits               ? "some bits"
                                                            : f->unhashed;
        add(t, "| `%s%s` | `%s` | %s | %s | ", f->name, f->extent, f->type, f->unit, standard_of(f));
        add_writers(t, f->writers);
        add(t, " | %s%s | %s | %s |\n", f->hashed_bits ? "" : "no: ", hashed, saved_as(f), f->meaning);
    }
}

static void add_group(text *t, const char *title, const char *prefix)
{
    add(t, "\n## %s\n", title);
    for (int id = 0; id < DRY_COLUMN_COUNT; ++id)
        if (strncmp(dry_columns[id].id, prefix, strlen(prefix)) == 0)
            add_column(t, &dry_columns[id]);
}

static void make_tables(text *t)
{
    static const char *const groups[][2] = {
        {"Bodies", "BOD"},        {"Shapes", "SHAPE"}, {"Proxies in the broadphase", "PROX"},
        {"Contacts", "CONTACT_"}, {"Joints", "JOINT"}, {"Settings", "SETTINGS"}};
    t->length = 0;
    add(t, "%s", BEGIN);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; ++i)
        add_group(t, groups[i][0], groups[i][1]);
    add(t, "\n## The rest\n");
    for (int id = 0; id < DRY_COLUMN_COUNT; ++id) {
        bool grouped = false;
        for (size_t i = 0; i < sizeof groups / sizeof *groups; ++i)
            grouped |= strncmp(dry_columns[id].id, groups[i][1], strlen(groups[i][1])) == 0;
        if (!grouped)
            add_column(t, &dry_columns[id]);
    }
}

static void read_page(const char *path, text *page)
{
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s", path);
    page->length = fread(page->bytes, 1, TEXT_MAX - 1, file);
    page->bytes[page->length] = 0;
    assert_int_equal(fclose(file), 0);
}

static text page, tables;

static void test_page(void **state)
{
    (void)state;
    const char *renew = getenv("DRYSTONE_RENEW_COLUMNS");
    make_tables(&tables);
    read_page(renew ? renew : PAGE, &page);
    char *begin = strstr(page.bytes, BEGIN);
    if (!begin)
        fail_msg("%s lacks the line before its tables: %s", PAGE, BEGIN);
    if (renew) {
        FILE *file = fopen(renew, "w");
        assert_non_null(file);
        *begin = 0;
        fprintf(file, "%s%s", page.bytes, tables.bytes);
        assert_int_equal(fclose(file), 0);
        return;
    }
    if (strcmp(begin, tables.bytes) != 0)
        fail_msg("%s differs from the lists in state/: renew it with DRYSTONE_RENEW_COLUMNS=%s", PAGE, PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
