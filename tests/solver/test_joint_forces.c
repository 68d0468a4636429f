/* Joints tell of their forces: the mean of a step, which bounds are compared with, and the peak. */
#include "tests/test_joint.h"

enum { PHASES = 40 };

static const double momentum = 50; /* N s, that the ball brings */

/* A cube on a joint to the world, and a ball that meets it after some steps, in any phase of a step. */
typedef struct rig {
    dry_world *world;
    dry_body_id cube;
    dry_joint_id joint;
} rig;

static rig make_rig(int way, dry_joint_type type, int phase, const dry_joint_def *bounds)
{
    rig r = {.world = world_with(joint_settings(way, test_settings_weightless()))};
    r.cube = add_dynamic(r.world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
    dry_joint_def def = dry_default_joint_def(type);
    def.body_b = r.cube;
    if (type == DRY_JOINT_SLIDER) { /* its stop bears the impact */
        def.axes[DRY_AXIS_X].min = 0;
        def.axes[DRY_AXIS_X].max = 1;
    }
    def.break_force = bounds->break_force;
    def.event_force = bounds->event_force;
    r.joint = join(r.world, &def);
    const double speed = 10, gap = 0.7 + speed / 60 * phase / PHASES;
    const dry_shape_def shape = sphere_shape(0.1);
    dry_body_def ball = body_def(DRY_BODY_DYNAMIC, pose_at(0.6 + gap, 0, 0), &shape);
    ball.mass = (float)(momentum / speed);
    ball.velocity.linear = v3(-speed, 0, 0);
    add_def(r.world, &ball);
    return r;
}

static const dry_joint_type types[] = {DRY_JOINT_FIXED, DRY_JOINT_BALL, DRY_JOINT_HINGE, DRY_JOINT_SLIDER};

/* Forces of all steps times dt are the momentum. A substep's is no less than its step's, and at most the
 * momentum in one of its substeps. */
static void test_reactions_add_up_to_the_impact(void **state)
{
    (void)state;
    const dry_joint_def none = {0};
    for (int way = 0; way < VELOCITY_WAYS; way++)
        for (int t = 0; t < COUNT_OF(types); t++)
            for (int phase = 0; phase < PHASES; phase += 3) {
                rig r = make_rig(way, types[t], phase, &none);
                double sum = 0, largest = 0;
                for (int step = 0; step < 20; step++) {
                    run_steps(r.world, 1, TEST_DT);
                    dry_vec3 force, torque;
                    float peak;
                    assert_ok(dry_joint_get_reaction(r.world, r.joint, &force, &torque));
                    assert_ok(dry_joint_get_peak_force(r.world, r.joint, &peak));
                    assert_at_most(d3_length(d3_of(force)), (double)peak * (1 + 1e-6) + 1e-18);
                    assert_at_most(peak, 1.05 * momentum * 60 * 64);
                    largest = fmax(largest, (double)peak);
                    sum += force.x / 60;
                }
                assert_near(sum, momentum, 0.01 * momentum);
                assert_true(largest > momentum * 60 / 2);
                dry_world_destroy(r.world);
            }
}

/* An impact at the end of a step goes on in the next one: a step has at least a half of it. A bound below
 * breaks the joint in every phase, and the event tells the force; a bound above the whole does in none. */
static void test_impacts_break_in_every_phase(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; way++)
        for (int t = 0; t < COUNT_OF(types); t++)
            for (int kind = 0; kind < 3; kind++) { /* breaks; bears it; tells of it */
                int found = 0;
                const double bound = (kind == 1 ? 1.1 : 0.48) * momentum * 60;
                dry_joint_def bounds = {0};
                *(kind < 2 ? &bounds.break_force : &bounds.event_force) = (float)bound;
                for (int phase = 0; phase < PHASES; phase++) {
                    rig r = make_rig(way, types[t], phase, &bounds);
                    bool told = false;
                    for (int step = 0; step < 20; step++) {
                        run_steps(r.world, 1, TEST_DT);
                        const dry_events events = dry_world_events(r.world);
                        for (int i = 0; i < events.joint_count; i++) {
                            const dry_joint_event *e = &events.joints[i];
                            assert_true(e->joint.bits == r.joint.bits && e->broken == (kind == 0));
                            assert_true((double)e->force_N > bound && e->peak_force_N >= e->force_N);
                            assert_at_most(e->force_N, 1.1 * momentum * 60);
                            told = true;
                        }
                    }
                    bool enabled;
                    assert_ok(dry_joint_get_enabled(r.world, r.joint, &enabled));
                    assert_true(enabled == !(told && kind == 0));
                    found += told;
                    dry_world_destroy(r.world);
                }
                assert_int_equal(found, kind == 1 ? 0 : PHASES);
            }
}

/* A steady load: mean and peak are the weight. */
static void test_steady_load_has_no_peak(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; way++)
        for (int t = 0; t < COUNT_OF(types); t++) {
            dry_world *world = world_with(joint_settings(way, test_settings()));
            dry_joint_def def = dry_default_joint_def(types[t]);
            def.body_b = add_dynamic(world, pose_at(0, -1, 0), box_shape(0.5, 0.5, 0.5));
            def.anchor_b = v3(0, 1, 0);
            const dry_joint_id id = join(world, &def);
            run_steps(world, 60, TEST_DT);
            const double weight = mass_of(world, def.body_b).mass * TEST_G;
            dry_vec3 force, torque;
            float peak;
            assert_ok(dry_joint_get_reaction(world, id, &force, &torque));
            assert_ok(dry_joint_get_peak_force(world, id, &peak));
            assert_near(force.y, weight, 1e-3 * weight);
            assert_near(peak, weight, 2e-3 * weight);
            dry_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reactions_add_up_to_the_impact),
        cmocka_unit_test(test_impacts_break_in_every_phase),
        cmocka_unit_test(test_steady_load_has_no_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
