/* Validation finds what is wrong: one byte of a sound world's structures is flipped at a time, in a process
 * of its own, and the check has to fail. Changed fields are found with the column and field that they are. */
#include "tests/world_checker.h"

#include "broadphase/internal.h"
#include "host/validate/changes.h"
#include "world/state_tables.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BOXES = 4, FOUND = 7 };

typedef struct sound {
    dry_world *world;
    dry_body_id box[BOXES];
    int body, row; /* slot and row of the second box */
    int contact;   /* a touching one */
} sound;

/* A stack of boxes on a fixed box, two of them jointed, after some steps. */
static void make_sound(sound *s)
{
    dry_world_def def = test_world_def();
    def.settings = test_settings();
    s->world = world_from(&def);
    add_body(s->world, DRY_BODY_STATIC, pose_at(0, -1, 0), box_shape(5, 1, 5));
    for (int i = 0; i < BOXES; ++i)
        s->box[i] = add_dynamic(s->world, pose_at(0, 0.5 + i, 0), box_shape(0.5, 0.5, 0.5));
    dry_joint_def joint = dry_default_joint_def(DRY_JOINT_BALL);
    joint.body_a = s->box[0];
    joint.body_b = s->box[1];
    joint.anchor_a.y = 0.5f;
    joint.anchor_b.y = -0.5f;
    joint.collide = true;
    dry_joint_id id;
    assert_ok(dry_world_create_joint(s->world, &joint, &id));
    run_steps(s->world, 5, TEST_DT);
    s->body = dry_slots_of(s->box[1].bits);
    s->row = dry_bodies_row(&s->world->bodies, s->body);
    s->contact = dry_body_state_of(&s->world->bodies, s->body)->contacts >> 1;
}

typedef void *place(const sound *s);

static void *slot_row(const sound *s)
{
    return &s->world->bodies.slots.slots[s->body].row;
}

static void *body_flags(const sound *s)
{
    return &s->world->bodies.state[s->row].flags;
}

static void *body_type(const sound *s)
{
    return &s->world->bodies.state[s->row].type;
}

static void *body_colors(const sound *s)
{
    return (char *)&s->world->bodies.state[s->row].colors + 4;
}

static void *body_newer(const sound *s)
{
    return &s->world->bodies.state[s->row].newer;
}

static void *body_shapes(const sound *s)
{
    return &s->world->bodies.state[s->row].last_shape;
}

static void *body_height(const sound *s)
{
    return (char *)&s->world->bodies.pose[s->row].position.y + 7;
}

static void *sleep_count(const sound *s)
{
    return &s->world->sleep_changed_count;
}

static void *dynamic_count(const sound *s)
{
    return &s->world->bodies.dynamic_count;
}

static void *awake_dynamic_count(const sound *s)
{
    return &s->world->bodies.awake_dynamic_count;
}

static void *quarantined_count(const sound *s)
{
    return &s->world->bodies.quarantined_count;
}

static void *awake_touching_count(const sound *s)
{
    return &s->world->contacts.awake_touching_count;
}

static void *fat_box(const sound *s)
{
    int proxy = s->world->shapes.form[s->world->bodies.state[s->row].first_shape].proxy;
    return (char *)&s->world->broadphase->proxies.box[proxy].max[1] + 3;
}

static void *contact_color(const sound *s)
{
    return &s->world->contacts.link[s->contact].color;
}

static void *contact_next(const sound *s)
{
    return &s->world->contacts.link[s->contact].prev[1];
}

static void *contact_body(const sound *s)
{
    return &s->world->contacts.link[s->contact].body_a;
}

static void *contact_points(const sound *s)
{
    return &s->world->contacts.link[s->contact].points;
}

static void *touching_bits(const sound *s)
{
    return (char *)&s->world->contacts.touching_bits[s->contact / 64] + s->contact % 64 / 8;
}

static void *pair_count(const sound *s)
{
    return &s->world->contacts.pairs.count;
}

static void *joint_active(const sound *s)
{
    return &s->world->joints.joint[0].active;
}

static void *joint_color(const sound *s)
{
    return &s->world->joints.joint[0].color;
}

static void *body_island(const sound *s)
{
    return &s->world->bodies.sleep[s->row].island;
}

static void *island_bodies(const sound *s)
{
    return &s->world->islands.island[0].bodies;
}

static void *scheduled_row(const sound *s)
{
    return &s->world->solver.plan.order[0];
}

static void *scheduled_contact(const sound *s)
{
    return &s->world->solver.sweeps.bundles[DRY_KIND_CONTACT].members[0].index[0];
}

typedef struct flip {
    const char *what;
    place *place;
    unsigned char bits;
} flip;

static const flip flips[] = {
    {"a slot leads to another row", slot_row, 1},
    {"an awake body is disabled", body_flags, DRY_BODY_ENABLED},
    {"a flag says that a force acts", body_flags, DRY_BODY_FORCED},
    {"a flag lists the body as woken", body_flags, DRY_BODY_SLEEP_LISTED},
    {"an awake body is static", body_type, DRY_BODY_STATIC ^ DRY_BODY_DYNAMIC},
    {"a body holds a color that no constraint has", body_colors, 1},
    {"the list of bodies skips one", body_newer, 1},
    {"a list of shapes has another end", body_shapes, 1},
    {"a body is far from its fat box", body_height, 0x40},
    {"a woken body is missing", sleep_count, 1},
    {"a dynamic body is not counted", dynamic_count, 1},
    {"an awake body is not counted", awake_dynamic_count, 1},
    {"a body in quarantine is counted that is not", quarantined_count, 1},
    {"an awake contact that touches is not counted", awake_touching_count, 1},
    {"a fat box is upside down", fat_box, 0x80},
    {"two constraints share a color", contact_color, 1},
    {"a contact's link leads back to nowhere", contact_next, 2},
    {"a contact is in the list of another body", contact_body, 1},
    {"a touching contact has no points", contact_points, 4},
    {"a bit says that the contact is apart", touching_bits, 0},
    {"a pair is missing", pair_count, 1},
    {"an active joint is in no list", joint_active, 1},
    {"a joint has another color than its bodies", joint_color, 8},
    {"a body is in another island", body_island, 1},
    {"an island has other members", island_bodies, 1},
    {"a tier lists a body twice", scheduled_row, 1},
    {"a lane holds another contact", scheduled_contact, 1},
};

static void found(const dry_validation *validation, const char *condition, const char *file, int line)
{
    (void)validation;
    (void)condition;
    (void)file;
    (void)line;
    _exit(FOUND);
}

/* Returns the exit status of a process that flips the bits and validates. */
static int validate_flipped(const sound *s, const flip *one)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        unsigned char *byte = one->place(s);
        *byte ^= one->bits ? one->bits : (unsigned char)(1u << s->contact % 8);
        dry_world_validate(s->world, DRY_SETTLED_ALL, &(dry_validation){.failed = found, .place = one->what});
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_every_flip_is_found(void **state)
{
    (void)state;
    sound s;
    make_sound(&s);
    snprintf(checker_place, sizeof checker_place, "nothing is wrong yet");
    check_world(s.world, true);
    check(check_layout(s.world) == 1);
    for (int i = 0; i < COUNT_OF(flips); ++i) {
        snprintf(checker_place, sizeof checker_place, "%s", flips[i].what);
        check(validate_flipped(&s, &flips[i]) == FOUND);
    }
    dry_world_destroy(s.world);
}

/* A validating build's step checks by itself. */
static void test_steps_check(void **state)
{
    (void)state;
#ifdef DRY_VALIDATE
    sound s;
    make_sound(&s);
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        *(unsigned char *)body_colors(&s) ^= 1;
        (void)dry_world_step(s.world, TEST_DT);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    dry_world_destroy(s.world);
#else
    skip();
#endif
}

/* Returns the first field that a writer may not have changed, or "". */
static const char *changed(const dry_state_copy *before, const dry_world *world, uint16_t writers)
{
    dry_tables now = dry_world_state(world);
    dry_state_change change;
    return dry_state_find_change(before, &now, writers, &change) ? change.field->name : "";
}

static void test_changes_have_writers(void **state)
{
    (void)state;
    sound s;
    make_sound(&s);
    dry_tables view = dry_world_state(s.world);
    dry_state_copy *before = dry_state_copy_create(&view);
    assert_non_null(before);
    assert_string_equal(changed(before, s.world, 0), "");

    s.world->bodies.velocity[s.row].angular.y += 1.0f;
    assert_string_equal(changed(before, s.world, DRY_BY_STORE), "angular");
    assert_string_equal(changed(before, s.world, DRY_BY_FINALIZE), "");
    s.world->contacts.manifold[s.contact].impulse[0] += 1.0f;
    assert_string_equal(changed(before, s.world, DRY_BY_FINALIZE), "impulse");
    assert_string_equal(changed(before, s.world, DRY_BY_FINALIZE | DRY_BY_STORE), "");
    s.world->settings.sweeps++;
    assert_string_equal(changed(before, s.world, DRY_BY_FINALIZE | DRY_BY_STORE), "sweeps");
    s.world->settings.sweeps--;
    dry_state_copy_destroy(before);

    /* A swap of rows changes no body, only where the slots lead. */
    view = dry_world_state(s.world);
    before = dry_state_copy_create(&view);
    dry_bodies_swap(&s.world->bodies, s.row, s.row == 0 ? 1 : s.row - 1);
    assert_string_equal(changed(before, s.world, DRY_BY_STORE), "row");
    assert_string_equal(changed(before, s.world, DRY_BY_GRAPH), "");
    dry_state_copy_destroy(before);
    dry_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_flip_is_found),
        cmocka_unit_test(test_steps_check),
        cmocka_unit_test(test_changes_have_writers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
