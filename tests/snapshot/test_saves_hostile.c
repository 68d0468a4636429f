/* Saves that are no saves: each byte that changes is refused, also where the checksums are those of the
 * changed bytes, or gives a sound world. Each allocation fails once. A restoration is all or nothing. */
#include "tests/every_call.h"
#include "tests/memory_scenes.h"
#include "tests/saved_worlds.h"
#include "tests/world_checker.h"

#include "snapshot/format.h"
#include "state/tables.h"

enum { SECTIONS_MAX = 100 };

static bool ignore_lines; /* the log is not printed */
static int lines_written; /* of the log */

static void write_line(const char *line, void *user)
{
    (void)user;
    ++lines_written;
    if (!ignore_lines)
        print_message("%s\n", line);
}

/* Makes all checksums those of the bytes. Returns false if the sections end elsewhere. */
static bool repair(bytes *b)
{
    for (size_t at = sizeof(dry_save_header); at + sizeof(dry_section_header) + 8 <= b->size;) {
        dry_section_header header;
        memcpy(&header, b->at + at, sizeof header);
        const size_t left = b->size - at - sizeof header - 8;
        if (header.bytes % 8 != 0 || header.bytes > left)
            return false;
        dry_checksum sum = dry_checksum_begin();
        dry_checksum_add(&sum, b->at + at, (sizeof header + (size_t)header.bytes) / 8);
        const uint64_t end = dry_checksum_end(&sum);
        memcpy(b->at + at + sizeof header + header.bytes, &end, sizeof end);
        at += sizeof header + (size_t)header.bytes + 8;
    }
    return true;
}

/* A sink without room. */
static bool refuse(void *user, const void *some, size_t size)
{
    (void)user;
    (void)some;
    (void)size;
    return false;
}

static dry_result try_load(const bytes *b, const dry_allocator *allocator, dry_world **world)
{
    dry_world_def def = test_world_def();
    const int before = lines_written;
    def.log = (dry_log){write_line, NULL};
    if (allocator)
        def.allocator = *allocator;
    const dry_result result = dry_world_load(b->at, b->size, &def, NULL, world, NULL);
    assert_true((result == DRY_OK) == (*world != NULL));
    assert_true(result == DRY_OK || lines_written > before);
    return result;
}

/* A world of the kinds of things that saves have. */
static void make_rich_scene(scene *s, const char *name)
{
    int kind = 0;
    while (strcmp(kinds[kind].name, name) != 0)
        ++kind;
    make_scene(s, &kinds[kind]);
    run_steps(s->world, 30, TEST_DT);
    assert_ok(dry_body_destroy(s->world, s->ids[4]));
}

/* Writes which section a byte is in. */
static void name_byte(const bytes *b, size_t at)
{
    dry_section_header header = {0};
    size_t begin = sizeof(dry_save_header), next = begin;
    while (next <= at) {
        begin = next;
        memcpy(&header, b->at + begin, sizeof header);
        next = begin + sizeof header + (size_t)header.bytes + 8;
    }
    size_t field_at =
        begin + sizeof header + (header.present < header.rows ? (header.rows + 63) / 64 * 8 : 0);
    dry_field_header field = {0};
    for (size_t end = field_at; end <= at && end + sizeof field < next;) {
        field_at = end;
        memcpy(&field, b->at + field_at, sizeof field);
        end += sizeof field + ((size_t)field.count * field.size + 7) / 8 * 8;
    }
    snprintf(checker_place, sizeof checker_place,
             "column %d, field %d, byte %lld of values of %d bytes, bit %zu", header.number, field.number,
             (long long)(at - field_at) - (long long)sizeof field, field.size, at % 8);
}

/* Changes one byte of a copy. Without repair it is refused; with it, refused or a world that is sound and
 * steps. */
static void check_byte(const bytes *b, bytes *copy, size_t at, int *sound)
{
    memcpy(copy->at, b->at, b->size);
    copy->at[at] = (char)(copy->at[at] ^ (1 << at % 8));
    dry_world *world = NULL;
    if (at >= sizeof(dry_save_header))
        assert_int_equal(try_load(copy, NULL, &world), DRY_ERROR_ARGUMENT);
    if (!repair(copy) || try_load(copy, NULL, &world) != DRY_OK)
        return;
    ++*sound;
    name_byte(b, at);
    check_world(world, false);
    run_steps(world, 3, TEST_DT);
    check_world(world, false);
    dry_world_destroy(world);
}

/* Changes every byte of a world's save, or one of many from the first that is told; ends the world. */
static void check_bytes(dry_world *world, const char *name, size_t first)
{
    bytes b = save_of(world);
    dry_world_destroy(world);
    bytes copy = {malloc(b.size), b.size, b.size};
    assert_non_null(copy.at);
    int sound = 0;
    ignore_lines = true;
    const size_t step = (size_t)test_pick(1, 53);
    for (size_t at = first % step; at < b.size; at += step)
        check_byte(&b, &copy, at, &sound);
    ignore_lines = false;
    print_message("%s: %zu bytes, %d changes gave a sound world\n", name, b.size, sound);
    free(copy.at);
    free(b.at);
}

static void test_flipped_bytes(void **state)
{
    (void)state;
    const char *only = getenv("DRYSTONE_ONLY");
    for (int i = 0; i < COUNT_OF(kinds); ++i)
        if (!only || strcmp(only, kinds[i].name) == 0) {
            scene s;
            make_rich_scene(&s, kinds[i].name);
            check_bytes(s.world, kinds[i].name, (size_t)i);
        }
}

/* Every byte of the save of a pile of 100 boxes that fall, by ./run long. */
static void test_flipped_pile(void **state)
{
    (void)state;
    if (test_quick())
        return;
    dry_world_def def = test_world_def();
    dry_world *world = world_from(&def);
    add_floor(world, 0.6, 0);
    for (int i = 0; i < 100; ++i)
        add_dynamic(world, pose_at(i % 5, 0.55 + 1.05 * (i / 25), i / 5 % 5), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 30, TEST_DT);
    check_bytes(world, "pile of 100", 0);
}

static void test_cut_bytes(void **state)
{
    (void)state;
    scene s;
    make_rich_scene(&s, "materials");
    bytes b = save_of(s.world);
    dry_world_destroy(s.world);
    ignore_lines = true;
    const size_t step = (size_t)test_pick(1, 7);
    for (bytes cut = b; cut.size > 0; cut.size -= step < cut.size ? step : cut.size) {
        dry_world *world = NULL;
        if (cut.size < b.size)
            assert_int_equal(try_load(&cut, NULL, &world), DRY_ERROR_ARGUMENT);
    }
    ignore_lines = false;
    free(b.at);
}

/* A load whose allocations fail, one after the other, makes no world and keeps no memory. */
static void test_failing_allocations(void **state)
{
    (void)state;
    const char *const names[] = {"materials", "compounds", "direct"};
    for (int i = 0; i < COUNT_OF(names); ++i) {
        scene s;
        make_rich_scene(&s, names[i]);
        bytes b = save_of(s.world);
        ignore_lines = true;
        dry_result result = DRY_ERROR_MEMORY;
        for (int fail_at = 0; result != DRY_OK; ++fail_at) {
            counting_allocator counter = {.fail_at = fail_at};
            const dry_allocator hooks = counting_hooks(&counter);
            dry_world *world = NULL;
            result = try_load(&b, &hooks, &world);
            assert_true(result == DRY_OK || result == DRY_ERROR_MEMORY);
            if (world)
                assert_true(dry_world_hash(world) == dry_world_hash(s.world));
            dry_world_destroy(world);
            assert_int_equal(counter.bytes, 0);
            assert_int_equal(counter.wrong, 0);
            assert_true(fail_at < 1000);
        }
        ignore_lines = false;
        dry_world_destroy(s.world);
        free(b.at);
    }
}

/* Restores a world to an earlier state of another one; what fails changes nothing. */
static void test_restore(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(kinds); ++i) {
        scene s, other;
        make_scene(&s, &kinds[i]);
        make_scene(&other, &kinds[(i + 7) % COUNT_OF(kinds)]);
        run_steps(s.world, 10, TEST_DT);
        run_steps(other.world, 5, TEST_DT);
        bytes b = save_of(s.world);
        const uint64_t hash = dry_world_hash(s.world), before = dry_world_hash(other.world);
        dry_result result = DRY_ERROR_MEMORY;
        for (int fail_at = 0; result != DRY_OK; ++fail_at) {
            other.counter.fail_at = (int64_t)other.counter.calls + fail_at;
            result = dry_world_restore(other.world, b.at, b.size, NULL, NULL);
            other.counter.fail_at = -1;
            assert_true(result == DRY_OK || result == DRY_ERROR_MEMORY);
            assert_true(dry_world_hash(other.world) == (result == DRY_OK ? hash : before));
            snprintf(checker_place, sizeof checker_place, "%s, failure %d", s.kind->name, fail_at);
            check_world(other.world, false);
        }
        bytes again = save_of(other.world);
        assert_same_bytes(&b, &again);
        for (int step = 0; step < 20; ++step) {
            run_steps(s.world, 1, TEST_DT);
            run_steps(other.world, 1, TEST_DT);
            assert_true(dry_world_hash(s.world) == dry_world_hash(other.world));
        }
        /* And back: the same steps again. */
        const uint64_t end = dry_world_hash(s.world);
        assert_ok(dry_world_restore(s.world, b.at, b.size, NULL, NULL));
        run_steps(s.world, 20, TEST_DT);
        assert_true(dry_world_hash(s.world) == end);
        dry_world_destroy(s.world);
        dry_world_destroy(other.world);
        assert_int_equal(s.counter.bytes, 0);
        assert_int_equal(other.counter.bytes, 0);
        assert_int_equal(other.counter.wrong, 0);
        free(b.at);
        free(again.at);
    }
}

/* Finds the section of a column. Returns where its header is. */
static size_t find_section(const bytes *b, int column, dry_section_header *header)
{
    for (size_t at = sizeof(dry_save_header);; at += sizeof *header + (size_t)header->bytes + 8) {
        memcpy(header, b->at + at, sizeof *header);
        assert_int_not_equal(header->kind, DRY_SECTION_END);
        if (header->number == dry_columns[column].number)
            return at;
    }
}

/* A column that this library does not know is skipped if no step reads it, and refused else. */
static void test_unknown_columns(void **state)
{
    (void)state;
    scene s;
    make_rich_scene(&s, "chain");
    bytes b = save_of(s.world);
    dry_section_header header;
    const size_t at = find_section(&b, DRY_COLUMN_BODY_CORRECTION, &header);
    assert_int_equal(header.kind, DRY_SECTION_COLUMN | DRY_SECTION_MAY_BE_SKIPPED);
    header.number = 1000;
    memcpy(b.at + at, &header, sizeof header);
    assert_true(repair(&b));
    dry_world *world = NULL;
    assert_ok(try_load(&b, NULL, &world));
    check_world(world, false);
    assert_true(dry_world_hash(world) == dry_world_hash(s.world));
    run_steps(world, 20, TEST_DT);
    run_steps(s.world, 20, TEST_DT);
    assert_true(dry_world_hash(world) == dry_world_hash(s.world));
    dry_world_destroy(world);
    header.kind = DRY_SECTION_COLUMN;
    memcpy(b.at + at, &header, sizeof header);
    assert_true(repair(&b));
    assert_int_equal(try_load(&b, NULL, &world), DRY_ERROR_ARGUMENT);
    dry_world_destroy(s.world);
    free(b.at);
}

/* The state of a step that memory has stopped can be saved and loaded, and goes on like its original. */
static void check_stopped_steps(const scene_kind *kind)
{
    dry_result result = DRY_ERROR_MEMORY;
    for (int fail_at = 0; result != DRY_OK; ++fail_at) {
        scene s;
        make_scene(&s, kind);
        s.ids[4] = add_dynamic(s.world, pose_at(0.4, 0.5, 0.3), box_shape(0.4, 0.4, 0.4));
        snprintf(checker_place, sizeof checker_place, "%s, failure %d", kind->name, fail_at);
        for (int i = 0; i < BODIES; i += 2)
            (void)dry_body_set_velocity(s.world, s.ids[i], (dry_velocity){v3(i % 3, 20, 1), v3(0, 0, 3)});
        s.counter.fail_at = (int64_t)s.counter.calls + fail_at;
        s.counter.fail_all = true;
        for (int i = 0; i < 4 && (i == 0 || result == DRY_OK); i++)
            result = dry_world_step(s.world, TEST_DT);
        s.counter.fail_at = -1;
        /* A contact that has lost its points and is not told of yet takes no color when it wakes. */
        for (int i = 0; i < BODIES; i++)
            assert_ok(dry_body_set_awake(s.world, s.ids[i], false));
        for (int i = 0; i < BODIES; i++)
            assert_ok(dry_body_set_awake(s.world, s.ids[i], true));
        bytes b = save_of(s.world);
        dry_world *world = NULL;
        assert_ok(try_load(&b, NULL, &world));
        check_world(world, false);
        for (int i = 0; i < 3; i++) {
            assert_true(dry_world_hash(world) == dry_world_hash(s.world));
            run_steps(world, 1, TEST_DT);
            run_steps(s.world, 1, TEST_DT);
        }
        dry_world_destroy(world);
        dry_world_destroy(s.world);
        free(b.at);
    }
}

static void test_stopped_steps(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(kinds); i += test_pick(1, 5))
        check_stopped_steps(&kinds[i]);
}

/* Each shape has a place of its own in the order of creation, whatever slots they have. */
static void test_creation_order(void **state)
{
    (void)state;
    for (int reused = 0; reused < 2; reused++) {
        scene s;
        make_rich_scene(&s, "heap");
        if (reused)
            s.ids[4] = add_dynamic(s.world, pose_at(9, 9, 9), sphere_shape(0.3));
        bytes b = save_of(s.world);
        dry_section_header header;
        const size_t at = find_section(&b, DRY_COLUMN_SHAPE_CREATION, &header) + sizeof header +
                          (header.present < header.rows ? (header.rows + 63) / 64 * 8 : 0) +
                          sizeof(dry_field_header);
        dry_world *world = NULL;
        assert_ok(try_load(&b, NULL, &world));
        dry_world_destroy(world);
        memcpy(b.at + at, b.at + at + 24, 8);
        assert_true(repair(&b));
        assert_int_equal(try_load(&b, NULL, &world), DRY_ERROR_ARGUMENT);
        dry_world_destroy(s.world);
        free(b.at);
    }
}

/* Calls refuse these arguments, and say why. */
static void test_bad_calls(void **state)
{
    (void)state;
    dry_world_def def = test_world_def();
    def.log = (dry_log){write_line, NULL};
    dry_world *world = world_from(&def), *made = NULL;
    add_dynamic(world, pose_at(0, 1, 0), sphere_shape(0.5));
    bytes b = save_of(world);
    const uint64_t hash = dry_world_hash(world);
    ignore_lines = true;
    const dry_sink none = {NULL, NULL}, full = {refuse, NULL};
    const dry_save_options options = {.program_size = 4};
    const int before = lines_written;
    assert_int_equal(dry_world_save(world, NULL, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_save(world, NULL, &none), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_save(world, NULL, &full), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_save(world, &options, &full), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_restore(world, NULL, 8, NULL, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_restore(world, b.at, 0, NULL, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(lines_written, before + 6);
    assert_int_equal(dry_world_save(NULL, NULL, &full), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_restore(NULL, b.at, b.size, NULL, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_load(NULL, 8, &def, NULL, &made, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_load(b.at, b.size, NULL, NULL, &made, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_load(b.at, b.size, &def, NULL, NULL, NULL), DRY_ERROR_ARGUMENT);
    def.threads = -1;
    assert_int_equal(dry_world_load(b.at, b.size, &def, NULL, &made, NULL), DRY_ERROR_ARGUMENT);
    uint32_t format = DRY_SAVE_FORMAT + 1;
    memcpy(b.at + offsetof(dry_save_header, format), &format, sizeof format);
    assert_int_equal(dry_world_restore(world, b.at, b.size, NULL, NULL), DRY_ERROR_UNSUPPORTED);
    b.at[sizeof(dry_save_header) + offsetof(dry_section_header, kind)] = 77; /* that a newer one may have */
    assert_int_equal(dry_world_restore(world, b.at, b.size, NULL, NULL), DRY_ERROR_UNSUPPORTED);
    assert_true(!made && dry_world_hash(world) == hash);
    ignore_lines = false;
    dry_world_destroy(world);
    free(b.at);
}

static void add_bytes(bytes *b, const void *some, size_t size)
{
    memcpy(b->at + b->size, some, size);
    b->size += size;
}

/* Adds a section that is empty or, by its header, has zeros behind it. */
static void add_section(bytes *b, dry_section_header header)
{
    add_bytes(b, &header, sizeof header);
    memset(b->at + b->size, 0, (size_t)header.bytes + 8);
    b->size += (size_t)header.bytes + 8;
}

/* A save that gives each table as many rows as its bytes have bits takes no more memory than the header of
 * the call says, 4,096 bytes for each of its own. */
static void test_rows_without_bytes(void **state)
{
    (void)state;
    enum { SIZE = 65536 };
    bytes b = {.at = malloc(SIZE)};
    assert_non_null(b.at);
    const dry_save_header first = {.magic = DRY_SAVE_MAGIC, .format = DRY_SAVE_FORMAT, .arithmetic = 1};
    add_bytes(&b, &first, sizeof first);
    uint32_t count = 0;
    for (int id = 0; id < DRY_COLUMN_COUNT; ++id) {
        const bool few = dry_table_arrays[id].bytes == 0;
        add_section(&b, (dry_section_header){.kind = DRY_SECTION_COLUMN,
                                             .number = dry_columns[id].number,
                                             .rows = few ? 1 : 8 * SIZE,
                                             .present = few ? 1 : 8 * SIZE});
        ++count;
    }
    add_section(&b, (dry_section_header){.kind = DRY_SECTION_PROGRAM,
                                         .bytes = SIZE - b.size - 2 * (sizeof(dry_section_header) + 8)});
    add_section(&b, (dry_section_header){.kind = DRY_SECTION_END, .rows = count + 1});
    assert_int_equal(b.size, SIZE);
    assert_true(repair(&b));
    counting_allocator counter = {.fail_at = -1};
    const dry_allocator allocator = counting_hooks(&counter);
    dry_world *world = NULL;
    assert_int_equal(try_load(&b, &allocator, &world), DRY_ERROR_ARGUMENT);
    assert_int_equal(counter.bytes, 0);
    assert_at_most((double)counter.most_bytes, 4096.0 * SIZE);
    free(b.at);
}

/* Makes END count the sections, and all checksums those of the bytes. */
static void count_sections(bytes *b)
{
    uint32_t count = 0;
    for (size_t at = sizeof(dry_save_header); at < b->size; count++) {
        dry_section_header header;
        memcpy(&header, b->at + at, sizeof header);
        if (header.kind == DRY_SECTION_END)
            header.rows = count;
        memcpy(b->at + at, &header, sizeof header);
        at += sizeof header + (size_t)header.bytes + 8;
    }
    assert_true(repair(b));
}

/* Finds where sections begin. Returns their number; the end of the bytes comes behind the last. */
static int find_sections(const bytes *b, size_t *begin)
{
    int count = 0;
    for (size_t at = sizeof(dry_save_header);; count++) {
        assert_true(count < SECTIONS_MAX);
        begin[count] = at;
        if (at == b->size)
            return count;
        dry_section_header header;
        memcpy(&header, b->at + at, sizeof header);
        at += sizeof header + (size_t)header.bytes + 8;
    }
}

static uint32_t name_of_section(const bytes *b, size_t at)
{
    dry_section_header header;
    memcpy(&header, b->at + at, sizeof header);
    return (uint32_t)(header.kind & 255) << 16 | header.number;
}

/* Makes each call on each body, shape and joint of a world. */
static void make_all_calls(dry_world *world)
{
    dry_body_id bodies[2 * BODIES];
    dry_shape_id shapes[4];
    dry_joint_id joints[4];
    const int found = (int)dry_world_get_bodies(world, bodies, 2 * BODIES);
    for (int i = 0; i < found; i++) {
        int count = 0;
        for (int which = 0; which < SHAPE_CALLS; which++)
            if (dry_body_get_shapes(world, bodies[i], shapes, 4, &count) == DRY_OK && count > 0)
                (void)call_with_shape(world, which, shapes[0]);
        for (int which = 0; which < JOINT_CALLS; which++)
            if (dry_body_get_joints(world, bodies[i], joints, 4, &count) == DRY_OK && count > 0)
                (void)call_with_joint(world, which, joints[0]);
        (void)dry_body_set_type(world, bodies[i], i % 2 ? DRY_BODY_STATIC : DRY_BODY_KINEMATIC);
        for (int which = 0; which < BODY_CALLS; which++)
            (void)call_with_body(world, which, bodies[i]);
    }
    check_world(world, false);
    run_steps(world, 1, TEST_DT);
}

/* Loads a save of other sections. It is refused, or a sound world, which steps and takes calls. */
static bool loads(bytes *b, const char *name, const char *what, uint32_t section)
{
    dry_world *world = NULL;
    count_sections(b);
    snprintf(checker_place, sizeof checker_place, "%s: section %x, %s", name, section, what);
    if (getenv("DRYSTONE_VERBOSE"))
        print_message("%s\n", checker_place);
    const bool sound = try_load(b, NULL, &world) == DRY_OK, calls = what[0] == 'l';
    if (sound) {
        check_world(world, false);
        run_steps(world, 4, TEST_DT);
        check_world(world, false);
        if (calls)
            make_all_calls(world);
        dry_world_destroy(world);
    }
    free(b->at);
    return sound;
}

/* Returns the bytes with sections replaced: from `begin` to `end` stands what `more` has. */
static bytes replaced(const bytes *b, size_t begin, size_t end, const char *more, size_t size)
{
    bytes made = {0};
    append(&made, b->at, begin);
    append(&made, more, size);
    append(&made, b->at + end, b->size - end);
    return made;
}

/* Leaves out, doubles and swaps each section of a save, and takes each section of another one in its place.
 */
static void check_sections(const bytes *b, const bytes *other, const char *name, int *left_out)
{
    size_t begin[SECTIONS_MAX + 1], from[SECTIONS_MAX + 1];
    const int count = find_sections(b, begin) - 1, others = find_sections(other, from) - 1;
    int sound[4] = {0};
    for (int i = 0; i < count; i++) {
        const size_t at = begin[i], end = begin[i + 1];
        const uint32_t section = name_of_section(b, at);
        bytes changed = replaced(b, at, end, NULL, 0);
        if (loads(&changed, name, "left out", section)) {
            ++sound[0];
            ++left_out[section & 255];
        }
        changed = replaced(b, end, end, b->at + at, end - at);
        sound[1] += loads(&changed, name, "doubled", section);
        if (i + 1 < count) {
            changed = replaced(b, at, end, NULL, 0);
            bytes swapped =
                replaced(&changed, at + begin[i + 2] - end, at + begin[i + 2] - end, b->at + at, end - at);
            free(changed.at);
            assert_true(loads(&swapped, name, "swapped", section) || section >> 16 == DRY_SECTION_DATA);
        }
        for (int k = 0; k < others; k++)
            if (name_of_section(other, from[k]) == section) {
                changed = replaced(b, at, end, other->at + from[k], from[k + 1] - from[k]);
                sound[2] += loads(&changed, name, "another's", section);
            }
    }
    for (int k = 0; k < others; k++) {
        bytes changed = replaced(b, begin[count], begin[count], other->at + from[k], from[k + 1] - from[k]);
        sound[3] += loads(&changed, name, "added", name_of_section(other, from[k]));
    }
    print_message(
        "%s: %d sections; sound without one: %d, with one twice: %d, with another's: %d, with one more: %d\n",
        name, count, sound[0], sound[1], sound[2], sound[3]);
    assert_int_equal(sound[1], 0);
}

/* A world that has rare columns of shapes, and bodies that lie on a mesh whose second material alone asks for
 * drawn properties of surfaces. */
static dry_world *lush_world(uint64_t seed)
{
    static const dry_vec3 corners[4] = {{-5, 0, -5}, {5, 0, -5}, {-5, 0, 5}, {5, 0, 5}};
    static const int32_t triangles[6] = {0, 2, 1, 1, 2, 3};
    static const uint16_t of_triangles[2] = {1, 1};
    const dry_mesh mesh = {corners, triangles, 4, 2};
    const dry_mesh_options options = {.material_indices = of_triangles};
    dry_material materials[2] = {dry_default_material(), dry_default_material()};
    dry_material *m = &materials[1];
#define X(name, standard, high, error, column, member, mix, kept, written, odds, low, most)                  \
    m->name = random_below(&seed, 2) ? (float)random_in(&seed, low, most) : m->name;
    DRY_SURFACE_NUMBERS(X)
#undef X
    m->contact_damping = m->contact_stiffness > 0 ? m->contact_damping : 0;
    m->surface_velocity.x = random_below(&seed, 2) ? 0.5f : 0;
    m->friction_rule = random_below(&seed, 2) ? DRY_COMBINE_MEAN : m->friction_rule;
    m->id = random_below(&seed, 2) ? 7 : 0;
    dry_world_def world_def = test_world_def();
    dry_world *world = world_from(&world_def);
    dry_shape_def ground = dry_default_shape_def();
    ground.type = DRY_SHAPE_MESH;
    assert_ok(dry_mesh_create(&mesh, &options, NULL, &ground.data, NULL));
    ground.materials = materials;
    ground.material_count = COUNT_OF(materials);
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), ground);
    dry_shape_data_release(ground.data);
    for (int i = 0; i < 6; i++) {
        dry_shape_def shape = i % 3 == 0   ? sphere_shape(0.3)
                              : i % 3 == 1 ? capsule_shape(0.2, 0.2)
                                           : box_shape(0.3, 0.3, 0.3);
        if (i > 2) {
            shape.pose = (dry_transform){v3(0.1, 0, 0.05), {0, 0.6f, 0, 0.8f}};
            shape.filter.group = 5;
            shape.events = DRY_SHAPE_EVENTS_ALL & ~1u;
        }
        const dry_body_id id = add_dynamic(world, pose_at(i - 3, 0.35, 0), shape);
        assert_ok(dry_body_apply_force(world, id, v3(i, 0, 0)));
    }
    run_steps(world, 20, TEST_DT);
    return world;
}

static void test_sections(void **state)
{
    (void)state;
    enum { LUSH = 5, WORLDS = COUNT_OF(kinds) + LUSH };
    bytes saves[WORLDS];
    int left_out[256] = {0};
    const uint64_t seed = getenv("DRYSTONE_SEED") ? strtoull(getenv("DRYSTONE_SEED"), NULL, 0) : 1;
    for (int i = 0; i < COUNT_OF(kinds); i++) {
        scene s;
        make_rich_scene(&s, kinds[i].name);
        saves[i] = save_of(s.world);
        dry_world_destroy(s.world);
    }
    for (int i = COUNT_OF(kinds); i < WORLDS; i++) {
        dry_world *world = lush_world(seed + (uint64_t)i);
        saves[i] = save_of(world);
        dry_world_destroy(world);
    }
    ignore_lines = true;
    for (int i = 0; i < WORLDS; i += test_pick(1, 3))
        check_sections(&saves[i], &saves[(i + 7) % WORLDS], i < COUNT_OF(kinds) ? kinds[i].name : "lush",
                       left_out);
    ignore_lines = false;
    for (int i = 0; i < 256; i++)
        if (left_out[i])
            print_message("column %d may be left out of %d saves\n", i, left_out[i]);
    for (int i = 0; i < WORLDS; i++)
        free(saves[i].at);
}

/* Calls into the world that is being restored, which refuses all. */
static bool call_into(void *user, const void *own, size_t size)
{
    dry_world *world = user;
    (void)own;
    (void)size;
    assert_int_equal(dry_world_step(world, TEST_DT), DRY_ERROR_LOCKED);
    assert_int_equal(dry_world_trim(world), DRY_ERROR_LOCKED);
    dry_world_destroy(world);
    return true;
}

/* A sink of a world, into which it calls. */
static bool call_from_sink(void *user, const void *some, size_t size)
{
    dry_world *world = user;
    dry_body_id ids[4];
    (void)some;
    (void)size;
    dry_world_get_bodies(world, ids, 4);
    assert_int_equal(dry_world_destroy_bodies(world, 1, ids), DRY_ERROR_LOCKED);
    return call_into(user, some, size);
}

static void test_functions_that_call(void **state)
{
    (void)state;
    scene s;
    make_rich_scene(&s, "materials");
    bytes b = save_of(s.world);
    const uint64_t hash = dry_world_hash(s.world);
    const dry_load_options options = {.read_program = call_into, .user = s.world};
    const dry_sink sink = {call_from_sink, s.world};
    dry_history *history = NULL;
    assert_ok(dry_world_create_history(s.world, 8, &history));
    run_steps(s.world, 5, TEST_DT);
    const uint64_t later = dry_world_hash(s.world);
    assert_ok(dry_world_save(s.world, NULL, &sink));
    assert_ok(dry_world_save_delta(s.world, dry_world_step_count(s.world) - 2, &sink));
    assert_true(dry_world_hash(s.world) == later);
    assert_ok(dry_world_restore(s.world, b.at, b.size, &options, NULL));
    assert_true(dry_world_hash(s.world) == hash);
    run_steps(s.world, 1, TEST_DT);
    dry_world_destroy(s.world);
    assert_int_equal(s.counter.bytes, 0);
    free(b.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_columns),
        cmocka_unit_test(test_stopped_steps),
        cmocka_unit_test(test_creation_order),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_restore),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_cut_bytes),
        cmocka_unit_test(test_flipped_bytes),
        cmocka_unit_test(test_flipped_pile),
        cmocka_unit_test(test_functions_that_call),
        cmocka_unit_test(test_rows_without_bytes),
        cmocka_unit_test(test_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
