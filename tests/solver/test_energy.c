/* Mechanical energy: dry_world_energy against closed forms and against sums made from the public calls, the
 * record that the tool keeps of it, and the law that a world left to itself gains none. */
#include "tests/scene_worlds.h"
#include "tools/scenes/generated.h"
#include "tools/scenes/measure/energy.h"

/* Sums over bodies from the public calls alone: -m s g . x and 1/2 m v^2 + 1/2 w . I w. */
static double body_energy(const dry_world *world, dry_body_id id)
{
    dry_body_def def;
    assert_ok(dry_body_get_def(world, id, &def));
    const d3 g = d3_of(dry_world_get_settings(world).gravity);
    return kinetic_energy(world, id) -
           mass_of(world, id).mass * def.gravity_scale * d3_dot(g, center_of(world, id));
}

static void test_energy_is_the_sum_over_bodies(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    settings.gravity = v3(1, -9, 3);
    dry_world *world = world_with(settings);
    uint64_t random = 17;
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < 40; i++) {
        const d3 p = d3_add((d3){6.0 * i, 0, 0}, random_d3(&random, 1));
        dry_shape_def shapes[2] = {box_shape(0.2, 0.5, 0.9), capsule_shape(0.3, 0.4)};
        shapes[1].pose.position = v3(0.4, -0.3, 0.2); /* the center of mass is not the body's origin */
        dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(p.x, p.y, p.z), shapes);
        def.shape_count = 1 + i % 2;
        def.pose.orientation = random_quat(&random);
        def.velocity = (dry_velocity){v3_of(random_d3(&random, 3)), v3_of(random_d3(&random, 5))};
        def.gravity_scale = (float)random_in(&random, -1, 2);
        dry_body_id id = add_def(world, &def);
        sum += body_energy(world, id);
        size += fabs(body_energy(world, id));
    }
    add_floor(world, 0.5, 0.0);
    dry_body_id pusher = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, 50, 0), box_shape(1, 1, 1));
    set_velocity(world, pusher, (d3){1, 2, 3}, (d3){1, 0, 0});
    const dry_energy energy = dry_world_energy(world);
    assert_near(energy.total_J, sum, 1e-6 * size);
    assert_near(energy.total_J, energy.kinetic_J + energy.gravitational_J + energy.elastic_J, 1e-12 * size);
    assert_true(energy.elastic_J == 0.0 && energy.kinetic_J > 0.0);
    dry_world_destroy(world);
    assert_true(dry_world_energy(NULL).total_J == 0.0);
}

/* 1/2 m (g t)^2 after a fall by t, whatever became of the gravitational energy. */
static void test_energy_of_a_falling_box(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id box = add_dynamic(world, pose_at(3, 100, -7), box_shape(0.5, 0.5, 0.5));
    const double m = mass_of(world, box).mass;
    assert_near(dry_world_energy(world).gravitational_J, m * TEST_G * 100, 1e-6 * m * TEST_G * 100);
    run_steps(world, 120, TEST_DT);
    const double speed = TEST_G * 120 * (double)TEST_DT, height = 100 - position_of(world, box).y;
    const dry_energy energy = dry_world_energy(world);
    assert_near(energy.kinetic_J, 0.5 * m * speed * speed, 1e-5 * energy.kinetic_J);
    assert_near(energy.gravitational_J, m * TEST_G * (100 - height), 1e-6 * m * TEST_G * 100);
    assert_at_most(energy.total_J, m * TEST_G * 100 * (1 + 1e-7));
    dry_world_destroy(world);
}

/* A body with three different moments tumbles, and its energy stays 1/2 w . I w. */
static void test_energy_of_a_tumbling_body(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    dry_body_id box = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.1, 0.5, 1.0));
    set_velocity(world, box, (d3){0, 0, 0}, (d3){0.1, 4, 0.2});          /* about the middle axis: unstable */
    const double m = mass_of(world, box).mass, h[3] = {0.01, 0.25, 1.0}; /* squared half extents */
    const double expected = m / 6.0 * (0.01 * (h[1] + h[2]) + 16.0 * (h[0] + h[2]) + 0.04 * (h[0] + h[1]));
    assert_near(dry_world_energy(world).kinetic_J, expected, 1e-6 * expected);
    for (int i = 0; i < 10; i++) {
        run_steps(world, 60, TEST_DT);
        assert_near(dry_world_energy(world).total_J, expected, 2e-5 * expected);
    }
    dry_world_destroy(world);
}

/* 1/2 k x^2, with x from the anchors' distance: lever arms rotate with the bodies. */
static void test_energy_of_spring_joints(void **state)
{
    (void)state;
    for (int distance = 0; distance < 2; distance++) {
        dry_world *world = world_with(test_settings_weightless());
        dry_body_id a = add_dynamic(world, pose_at(1e5, 0, 0), box_shape(0.5, 0.5, 0.5));
        dry_body_def def = dry_default_body_def();
        dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
        def = body_def(DRY_BODY_DYNAMIC, pose_at(1e5 + 3, 0, 0), &shape);
        def.pose.orientation = quat_about((d3){0, 0, 1}, TEST_PI / 2); /* x axis along the world's y */
        dry_body_id b = add_def(world, &def);
        dry_joint_def joint = dry_default_joint_def(distance ? DRY_JOINT_DISTANCE : DRY_JOINT_BALL);
        joint.body_a = a;
        joint.body_b = b;
        joint.anchor_a = v3(1, 0, 0);
        joint.anchor_b = v3(2, 0, 0); /* in the world (3, 2, 0): (2, 2, 0) from a's anchor */
        joint.length = 0.5f;
        joint.collide = true;
        dry_joint_id id;
        assert_ok(dry_world_create_joint(world, &joint, &id));
        assert_true(dry_world_energy(world).elastic_J == 0.0); /* rigid */
        assert_ok(dry_joint_destroy(world, id));
        joint.stiffness = 5e4f;
        assert_ok(dry_world_create_joint(world, &joint, &id));
        const double x = sqrt(8.0) - (distance ? 0.5 : 0.0);
        assert_near(dry_world_energy(world).elastic_J, 0.5 * 5e4 * x * x, 1e-6 * 5e4 * x * x);
        assert_near(dry_world_energy(world).total_J, 0.5 * 5e4 * x * x, 1e-6 * 5e4 * x * x);
        dry_world_destroy(world);
    }
}

/* A box that has come to rest on four contact points of k each lies m g / (4 k) deep: 4 * 1/2 k q^2. */
static void test_energy_of_contacts_with_stiffness(void **state)
{
    (void)state;
    const double k = 1e6;
    dry_settings settings = test_settings();
    settings.contact_stiffness = (float)k;
    dry_world *world = world_with(settings);
    add_floor(world, 0.5, 0.0);
    dry_body_id box = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 600, TEST_DT);
    const double weight = mass_of(world, box).mass * TEST_G, deep = weight / (4 * k);
    const dry_energy energy = dry_world_energy(world);
    assert_near(position_of(world, box).y, 0.5 - deep, 1e-3 * deep);
    assert_near(energy.elastic_J, 2 * k * deep * deep, 1e-3 * 2 * k * deep * deep);
    assert_near(energy.gravitational_J, weight * (0.5 - deep), 1e-6 * weight);
    settings.contact_stiffness = 0.0f;
    assert_ok(dry_world_set_settings(world, &settings));
    assert_true(dry_world_energy(world).elastic_J == 0.0);
    dry_world_destroy(world);
}

/* Bodies that rest keep their energy; one in quarantine keeps all but its motion. */
static void test_energy_of_bodies_that_rest(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id box = add_dynamic(world, pose_at(0, 10, 0), box_shape(0.5, 0.5, 0.5));
    const double weight = mass_of(world, box).mass * TEST_G;
    assert_ok(dry_body_set_awake(world, box, false));
    assert_near(dry_world_energy(world).total_J, weight * 10, 1e-6 * weight * 10);
    assert_ok(dry_body_set_enabled(world, box, false));
    assert_near(dry_world_energy(world).total_J, weight * 10, 1e-6 * weight * 10);
    assert_ok(dry_body_set_enabled(world, box, true));
    set_velocity(world, box, (d3){0, 0, 9e4}, (d3){0, 0, 0});
    assert_ok(dry_body_apply_impulse(world, box, v3(0, 0, 1e9)));
    assert_ok(dry_world_step(world, TEST_DT));
    assert_int_equal(dry_world_statistics(world).quarantined_bodies, 1);
    assert_near(dry_world_energy(world).total_J, weight * 10, 1e-6 * weight * 10);
    dry_world_destroy(world);
}

/* Threads and instruction sets change no bit of it. */
static void test_energy_is_the_same_for_every_team(void **state)
{
    (void)state;
    dry_energy first = {0};
    for (int threads = 1; threads <= 3; threads += 2) {
        dry_world_def def = test_world_def();
        def.threads = threads;
        def.isa = threads == 1 ? DRY_ISA_SCALAR : DRY_ISA_AUTO;
        dry_world *world = world_from(&def);
        dry_scene scene = scene_of("pile", 300);
        dry_body_id *ids = built_in(world, &scene);
        run_steps(world, 60, TEST_DT);
        const dry_energy energy = dry_world_energy(world);
        if (threads == 1)
            first = energy;
        assert_memory_equal(&energy, &first, sizeof energy);
        free(ids);
        dry_scene_free(&scene);
        dry_world_destroy(world);
    }
}

/* A body of 2 kg whose speeds are given: its energy is the speed squared. */
static void test_record(void **state)
{
    (void)state;
    static const struct {
        double speed, gained;
    } looks[] = {{2, 0}, {3, 5}, {1, 5}, {2.5, 5.25}, {0, 5.25}, {2, 5.25}, {2.4, 5.76}, {1, 5.76}};
    dry_world *world = world_with(test_settings_weightless());
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(5, 6, 7), NULL);
    dry_shape_def shape = sphere_shape(0.5);
    def.shapes = &shape;
    def.shape_count = 1;
    def.mass = 2.0f;
    dry_body_id body = add_def(world, &def);
    set_velocity(world, body, (d3){0, 3, 0}, (d3){0, 0, 0});
    dry_energy_record record;
    dry_energy_begin(&record, world);
    assert_true(record.gained_J == 0.0);
    for (int i = 0; i < COUNT_OF(looks); i++) {
        set_velocity(world, body, (d3){0, 0, looks[i].speed}, (d3){0, 0, 0});
        dry_energy_look(&record, world);
        assert_near(record.gained_J, looks[i].gained, 1e-5);
        assert_near(record.end_J, looks[i].speed * looks[i].speed, 1e-5);
    }
    assert_near(record.start_J, 9.0, 1e-5);
    dry_world_destroy(world);
}

/* Gravitational energy is 0 at the start, wherever the scene is. */
static void test_record_begins_without_gravitational_energy(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id box = add_dynamic(world, pose_at(0, 1e6, 0), box_shape(0.5, 0.5, 0.5));
    const double weight = mass_of(world, box).mass * TEST_G;
    dry_energy_record record;
    dry_energy_begin(&record, world);
    assert_true(record.start_J == 0.0);
    dry_pose pose = pose_at(0, 1e6 - 2, 0);
    assert_ok(dry_body_set_pose(world, box, pose));
    dry_energy_look(&record, world);
    assert_near(record.end_J, -2 * weight, 1e-5 * weight);
    dry_world_destroy(world);
}

/* The law. */

/* Sums m g L over the dynamic bodies; L is the diameter of the sphere about the origin that holds the body.
 */
static double weights_by_size(const dry_scene *scene, const dry_world *world, const dry_body_id *ids)
{
    const double g = d3_length(d3_of(scene->gravity));
    double sum = 0.0;
    for (int i = 0; i < scene->body_count; i++) {
        const dry_body_def *def = &scene->bodies[i].def;
        double size = 0.0;
        for (int k = 0; k < def->shape_count; k++) {
            const dry_shape_def *s = &def->shapes[k];
            const double round =
                (double)s->radius + (s->type == DRY_SHAPE_CAPSULE ? (double)s->half_length : 0.0);
            size = fmax(size, 2.0 * (d3_length(d3_of(s->pose.position)) +
                                     (s->type == DRY_SHAPE_BOX ? d3_length(d3_of(s->half_extents)) : round)));
        }
        sum += def->type == DRY_BODY_DYNAMIC ? mass_of(world, ids[i]).mass * g * size : 0.0;
    }
    return sum;
}

/* Returns the energy that open joints store as springs do, half of force times gap, J: substeps no longer
 * follow a load of 10,000 times a link, which rests a centimeter deep and swings there. */
static double stored_in_gaps(const dry_scene *scene, const dry_world *world, const dry_body_id *ids)
{
    double sum = 0.0;
    for (int i = 0; i < scene->body_count; i++) {
        dry_joint_id joints[8];
        int count = 0;
        assert_ok(dry_body_get_joints(world, ids[i], joints, COUNT_OF(joints), &count));
        for (int k = 0; k < count; k++) {
            dry_vec3 force, torque;
            float gap, turn;
            assert_ok(dry_joint_get_reaction(world, joints[k], &force, &torque));
            assert_ok(dry_joint_get_error(world, joints[k], &gap, &turn));
            sum += 0.25 * d3_length(d3_of(force)) * (double)gap; /* each joint is met from both sides */
        }
    }
    return sum;
}

#define STANDING "tests/data/standing/"

/* A scene that stands, falls or rolls gains nothing: at most 1e-4 of the energy that it has lost, or 1e-7 of
 * its weights times their sizes, or what its joints in sweeps store. The energy is looked at every 30 steps,
 * as the tool does. The quick form has a third of the steps. */
static const struct {
    const char *name;
    int size, steps; /* size: the seed of chains and planks, which are generated */
    bool direct;
} scenes_no_scene_gains_energy[] = {
    {"chain", 0, 1200, false}, /* ten links of 1 kg with 10 t below */
    {"chain", 0, 1200, true},
    {"chain", 3, 600, false},
    {"chain", 3, 600, true},
    {"chain", 6, 600, false},
    {"planks", 3, 900, false}, /* rings at the substeps that its load asks for */
    {"tower", 4, 300, false},
    {"pile", 60, 300, false},
    {"mass-ratio", 10, 300, false},
    {"kapla", 2, 300, false},
    {"spheres", 3, 300, false},
    {"tests/data/stonehenge.json", 0, 120, false},
    {"tower", 30, 900, false},
    {"pyramid", 20, 600, false},
    {"pyramids", 3, 600, false},
    {STANDING "room.json", 0, 600, false},
    {STANDING "overhang10.json", 0, 900, false},
    {STANDING "planks_edge20.json", 0, 900, false},
    {STANDING "doubling10.json", 0, 900, false},
    {STANDING "logcabin60.json", 0, 600, false},
    {STANDING "pyramid3d_20.json", 0, 60, false},
};

static void test_no_scene_gains_energy(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(scenes_no_scene_gains_energy); i++) {
        dry_scene scene;
        char error[300], path[600];
        const char *root = getenv("DRYSTONE_SOURCE_ROOT");
        snprintf(path, sizeof path, "%s/%s", root ? root : ".", scenes_no_scene_gains_energy[i].name);
        if (!(dry_scene_find_family(scenes_no_scene_gains_energy[i].name)
                  ? dry_scene_generate(scenes_no_scene_gains_energy[i].name,
                                       (uint64_t)scenes_no_scene_gains_energy[i].size, &scene, error,
                                       sizeof error)
              : strstr(scenes_no_scene_gains_energy[i].name, ".json")
                  ? dry_scene_read(path, &scene, error, sizeof error)
                  : dry_scene_make(scenes_no_scene_gains_energy[i].name, scenes_no_scene_gains_energy[i].size,
                                   &scene, error, sizeof error)))
            fail_msg("%s", error);
        assert_true(dry_scene_keeps_energy(&scene));
        dry_settings settings = test_settings();
        settings.gravity = scene.gravity;
        settings.joint_solver =
            scenes_no_scene_gains_energy[i].direct ? DRY_JOINT_SOLVER_DIRECT : DRY_JOINT_SOLVER_ITERATIVE;
        dry_world *world = world_with(settings);
        dry_body_id *ids = built_in(world, &scene);
        double stored = 0.0;
        dry_energy_record record;
        dry_energy_begin(&record, world);
        const int steps = scenes_no_scene_gains_energy[i].steps / test_pick(1, 6);
        const int between = steps < 30 ? steps : 30; /* looks at the energy */
        for (int step = 0; step < steps; step += between) {
            run_steps(world, between, scene.dt);
            dry_energy_look(&record, world);
            if (!scenes_no_scene_gains_energy[i].direct)
                stored = fmax(stored, stored_in_gaps(&scene, world, ids));
        }
        const double bound = fmax(
            stored, fmax(1e-4 * (record.start_J - record.end_J), 1e-7 * weights_by_size(&scene, world, ids)));
        if (!(record.gained_J <= bound))
            fail_msg("%s gains %g J, with %g J lost since the start; expected at most %g J",
                     scenes_no_scene_gains_energy[i].name, record.gained_J, record.start_J - record.end_J,
                     bound);
        free(ids);
        dry_scene_free(&scene);
        dry_world_destroy(world);
    }
}

/* A slender plank that falls across a bar and hits several times within a step gains no energy. Its inertia
 * about its length is 1/85 of the others, so that momentum which ends up there would have 85 times the
 * energy. Pushing shapes apart may add the energy of its speed. */
static void test_a_plank_that_hits_twice_gains_no_energy(void **state)
{
    (void)state;
    enum { PLANKS = 100 };
    const double fall = 12.0;
    dry_settings settings = test_settings();
    for (int lever = 0; lever < 2; lever++) {
        settings.levers = lever ? DRY_LEVERS_HELD : DRY_LEVERS_TRUE;
        dry_world *world = world_with(settings);
        dry_body_id planks[PLANKS];
        double least[PLANKS];
        uint64_t random = 29;
        for (int i = 0; i < PLANKS; i++) {
            const double x = 10.0 * i;
            add_body(world, DRY_BODY_STATIC, pose_at(x, -0.6, 0), box_shape(3, 0.5, 3));
            add_body(world, DRY_BODY_STATIC, pose_at(x + 0.3, 0, 0), box_shape(0.05, 0.05, 1));
            dry_pose pose = pose_at(x, 1.0 + 0.5 * random_in(&random, 0, 1), 0);
            pose.orientation = random_quat(&random);
            planks[i] = add_body(world, DRY_BODY_DYNAMIC, pose, box_shape(0.65, 0.05, 0.05));
            set_velocity(world, planks[i], (d3){0, -fall, 0}, random_d3(&random, 10));
            least[i] = body_energy(world, planks[i]);
        }
        const double m = mass_of(world, planks[0]).mass, push = (double)settings.push_out_speed_max;
        for (int step = 0; step < 120; step++) {
            run_steps(world, 1, TEST_DT);
            for (int i = 0; i < PLANKS; i++) {
                const double energy = body_energy(world, planks[i]);
                least[i] = fmin(least[i], energy);
                if (energy - least[i] > 0.02 * m * fall * fall + m * push * push)
                    fail_msg("plank %d has gained %g of its %g J after step %d", i, energy - least[i],
                             0.5 * m * fall * fall, step);
            }
        }
        dry_world_destroy(world);
    }
}

/* Overlap in the start state is worked off without throwing anything: a column of boxes that overlap, or one
 * box in the ground, rises at a bounded speed, no higher than that speed carries it, and stays together. */
static void test_overlap_is_worked_off_gently(void **state)
{
    (void)state;
    static const double depths[] = {0.01, 0.05, 0.3};
    enum { BOXES = 8 };
    for (int k = 0; k < COUNT_OF(depths); k++) {
        for (int count = 1; count <= BOXES; count *= 2) {
            dry_settings settings = test_settings();
            dry_world *world = world_with(settings);
            dry_body_id boxes[BOXES];
            add_floor(world, 0.6, 0.0);
            for (int i = 0; i < count; i++)
                boxes[i] = add_dynamic(world, pose_at(0, (0.5 + i) * (1.0 - depths[k]) - 0.5 * depths[k], 0),
                                       box_shape(0.5, 0.5, 0.5));
            for (int step = 0; step < 300; step++) {
                run_steps(world, 1, TEST_DT);
                for (int i = 0; i < count; i++) {
                    const double speed = (i + 1) * (double)settings.push_out_speed_max;
                    assert_at_most(position_of(world, boxes[i]).y, 0.5 + i + speed * speed / (2 * TEST_G));
                    assert_at_most(velocity_of(world, boxes[i]).y, speed);
                }
            }
            for (int i = 0; i < count; i++) {
                /* A contact may rest 2.8 mm deep under its load (solver/plan/difficulty.c). */
                assert_near(position_of(world, boxes[i]).y, 0.5 + i, 0.0028 * (i + 1));
                assert_at_most(d3_length(velocity_of(world, boxes[i])), 0.02);
            }
            dry_world_destroy(world);
        }
    }
}

/* Two boxes that overlap in weightless space part, and do not fly apart. */
static void test_overlapping_boxes_part_gently(void **state)
{
    (void)state;
    static const double depths[] = {0.01, 0.05, 0.3};
    for (int k = 0; k < COUNT_OF(depths); k++) {
        dry_world *world = world_with(test_settings_weightless());
        dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
        dry_body_id b = add_dynamic(world, pose_at(1.0 - depths[k], 0.1, 0.2), box_shape(0.5, 0.5, 0.5));
        run_steps(world, 240, TEST_DT);
        const double gap = position_of(world, b).x - position_of(world, a).x - 1.0;
        assert_near(gap, 0.0, 0.02);
        assert_at_most(d3_length(d3_sub(velocity_of(world, b), velocity_of(world, a))), 0.01);
        dry_world_destroy(world);
    }
}

static void test_a_moving_kinematic_body_brings_energy(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool keeps;
    } expected[] = {{"mixed", false}, {"tower", true}, {"bridge", true}};
    for (int i = 0; i < COUNT_OF(expected); i++) {
        dry_scene scene = scene_of(expected[i].name, 0);
        assert_int_equal(dry_scene_keeps_energy(&scene), expected[i].keeps);
        dry_scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_is_the_sum_over_bodies),
        cmocka_unit_test(test_energy_of_a_falling_box),
        cmocka_unit_test(test_energy_of_a_tumbling_body),
        cmocka_unit_test(test_energy_of_spring_joints),
        cmocka_unit_test(test_energy_of_contacts_with_stiffness),
        cmocka_unit_test(test_energy_of_bodies_that_rest),
        cmocka_unit_test(test_energy_is_the_same_for_every_team),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_record_begins_without_gravitational_energy),
        cmocka_unit_test(test_a_moving_kinematic_body_brings_energy),
        cmocka_unit_test(test_overlap_is_worked_off_gently),
        cmocka_unit_test(test_overlapping_boxes_part_gently),
        cmocka_unit_test(test_no_scene_gains_energy),
        cmocka_unit_test(test_a_plank_that_hits_twice_gains_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
