/* Sleep of bodies whose joints close by rotation about far anchors: they move their centers by little and
 * have no velocity, since overlaps and gaps close by displacement. */
#include "tests/test_joint.h"

enum { SCENES = 3 };

static char place[128];

typedef struct far_scene {
    dry_world *world;
    dry_body_id body[4];
    dry_joint_id joint;
} far_scene;

static d3 unit_of(uint64_t *seed)
{
    return d3_unit(random_d3(seed, 1));
}

/* Bodies at rest in space, off from where a joint at far anchors would have them, in places that a seed
 * draws. */
static far_scene make_scene(const dry_settings *settings, dry_joint_type type, double arm, uint64_t seed)
{
    far_scene s = {.world = world_with(*settings)};
    const bool held = type != DRY_JOINT_VOLUME && random_in(&seed, 0, 1) < 0.5;
    for (int i = 0; i < (type == DRY_JOINT_VOLUME ? 4 : 2); i++) {
        const d3 half = random_d3_in(&seed, 0, 1);
        dry_shape_def box = box_shape(0.05 + 0.5 * half.z, 0.05 + 0.5 * half.y, 0.05 + 0.5 * half.x);
        box.filter.group = -1;
        const double away = 0.5 + 2 * random_in(&seed, 0, 1);
        const d3 at = d3_scale(unit_of(&seed), away);
        dry_pose pose = pose_at(at.x, at.y, at.z);
        const double angle = 0.5 * random_in(&seed, 0, 1);
        pose.orientation = quat_about(unit_of(&seed), angle);
        s.body[i] = add_body(s.world, i == 0 && held ? DRY_BODY_STATIC : DRY_BODY_DYNAMIC, pose, box);
    }
    const d3 far = d3_scale(unit_of(&seed), arm);
    dry_volume_def def = {.joint = dry_default_joint_def(type)};
    def.joint.body_a = s.body[0];
    def.joint.body_b = s.body[1];
    def.joint.anchor_b = v3_of(far);
    def.joint.anchor_a = random_in(&seed, 0, 1) < 0.3 ? v3(0, 0, 0) : v3_of(far);
    if (type == DRY_JOINT_VOLUME) {
        def.body_c = s.body[2];
        def.body_d = s.body[3];
        def.anchor_c = def.anchor_d = v3_of(far);
        def.joint.volume = (float)random_in(&seed, 0, 1);
        assert_ok(dry_world_create_volumes(s.world, 1, &def, &s.joint));
    } else {
        s.joint = join(s.world, &def.joint);
    }
    return s;
}

/* Runs a scene until its last body sleeps. Returns whether it came to that. */
static bool runs_to_sleep(const far_scene *s, int steps)
{
    for (int step = 0; step < steps; step++) {
        run_steps(s->world, 1, TEST_DT);
        if (!dry_body_is_awake(s->world, s->body[1]))
            return true;
    }
    return false;
}

/* A joint is closed, but for what a body at rest may move by, or would stay open, too, if its bodies were
 * awake. Direct joints come to that. */
static void assert_closed(const far_scene *s, dry_settings settings)
{
    float gap, turn, later_gap, later_turn;
    assert_ok(dry_joint_get_error(s->world, s->joint, &gap, &turn));
    if ((double)gap <= 0.025 && (double)turn <= 0.025)
        return;
    settings.sleep = false;
    assert_ok(dry_world_set_settings(s->world, &settings));
    run_steps(s->world, 120, TEST_DT);
    assert_ok(dry_joint_get_error(s->world, s->joint, &later_gap, &later_turn));
    if (!((double)(gap - later_gap) <= 0.01 && (double)(turn - later_turn) <= 0.01))
        fail_msg("%s: sleeps %g m and %g rad open; %g m and %g rad two seconds later", place, (double)gap,
                 (double)turn, (double)later_gap, (double)later_turn);
}

/* Whatever sleeps has closed its joint, and most do sleep. When a joint's closing kept nothing awake, 122 of
 * these scenes slept with joints up to 100 m open. */
static void test_far_anchors_close_before_sleep(void **state)
{
    (void)state;
    static const double arms[] = {0, 1, 10, 30, 100};
    static const dry_joint_type types[] = {DRY_JOINT_BALL,   DRY_JOINT_DISTANCE, DRY_JOINT_HINGE,
                                           DRY_JOINT_SLIDER, DRY_JOINT_FIXED,    DRY_JOINT_VOLUME};
    for (int solver = 0; solver <= DRY_SOLVER_COUNT; solver++) {
        int slept = 0, scenes = 0;
        for (int k = 0; k < COUNT_OF(arms) * COUNT_OF(types) * SCENES; k += test_pick(1, 5)) {
            dry_settings settings = test_settings_weightless();
            settings.sleep = true;
            settings.solver = solver < DRY_SOLVER_COUNT ? (dry_solver)solver : DRY_SOLVER_GAUSS_SEIDEL;
            const dry_joint_type type = types[k % COUNT_OF(types)];
            if (solver == DRY_SOLVER_COUNT)
                settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
            if (solver == DRY_SOLVER_AVBD && type == DRY_JOINT_VOLUME)
                continue;
            const double arm = arms[k / COUNT_OF(types) % COUNT_OF(arms)];
            const far_scene s = make_scene(&settings, type, arm, (uint64_t)k);
            snprintf(place, sizeof place, "solver %d, type %d, arm %g, scene %d", solver, type, arm, k);
            const bool sleeps = runs_to_sleep(&s, 60 * (arm < 10 ? 20 : 6));
            if (sleeps && dry_world_statistics(s.world).quarantined_bodies == 0)
                assert_closed(&s, settings);
            scenes += arm < 10;
            slept += arm < 10 && sleeps;
            dry_world_destroy(s.world);
        }
        /* Gaps of some meters are closed by then at the 0.5 m/s that the methods of velocities allow. */
        if (solver < DRY_SOLVER_PBD)
            assert_int_equal(slept, scenes);
        print_message("solver %d: %d of %d\n", solver, slept, scenes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_anchors_close_before_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
