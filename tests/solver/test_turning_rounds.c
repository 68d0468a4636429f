/* Round bodies that roll and rock on round ones keep their energy: balls and rods on rails, rods on logs.
 *
 * Scenes are drawn. Each case prints how many of them gain over 1 % of their largest kinetic energy, which is
 * none, and what they keep in the mean. */
#include "tests/solver/turning.h"

/* A drawn scene: a dynamic body on static round ones of one radius whose axes are along z. */
typedef struct scene {
    dry_world *world;
    dry_body_id id;
    double size, radius, under; /* of all, of the body, of what is under it, m */
} scene;

static const double mu = 5; /* nothing slides */

static scene draw_scene(uint64_t *seed)
{
    scene s = {.world = world_with(test_settings()), .size = pow(10, random_in(seed, -1, 0.3))};
    s.radius = s.size * random_in(seed, 0.3, 1);
    s.under = s.size * random_in(seed, 0.1, 0.6);
    return s;
}

/* Adds a rail or a log whose ridge is at a height. */
static void add_rail(const scene *s, round_shape shape, double x, double height)
{
    dry_shape_def def = round_along_z(shape, s->under, 300 * s->size);
    def.friction = (float)mu;
    add_body(s->world, DRY_BODY_STATIC, pose_at(x, height - s->under, 0), def);
}

/* Runs a scene, and adds its largest gain and its last loss of energy, over its largest kinetic energy. */
static void run_scene(scene *s, double seconds, double *gain, double *loss)
{
    const double start = dry_world_energy(s->world).total_J;
    double kinetic = kinetic_energy(s->world, s->id), largest = 0, last = 0;
    for (int i = 0; i < (int)(60 * seconds); i++) {
        run_steps(s->world, 1, TEST_DT);
        last = dry_world_energy(s->world).total_J - start;
        largest = fmax(largest, last);
        kinetic = fmax(kinetic, kinetic_energy(s->world, s->id));
    }
    *gain = fmax(*gain, largest / kinetic);
    *loss += -last / kinetic;
    dry_world_destroy(s->world);
}

/* A ball rolls along two rails. */
static void roll_ball(uint64_t *seed, round_shape rail, double *gain, double *loss)
{
    scene s = draw_scene(seed);
    const double from = fmin(s.under * random_in(seed, 1, 1.5), 0.9 * (s.radius + s.under)),
                 distance = s.radius + s.under, height = sqrt(distance * distance - from * from);
    add_rail(&s, rail, from, s.under);
    add_rail(&s, rail, -from, s.under);
    dry_shape_def ball = sphere_shape(s.radius);
    ball.friction = (float)mu;
    s.id = add_dynamic(s.world, pose_at(0, height, 0), ball);
    run_steps(s.world, 30, TEST_DT);
    const double v = sqrt(TEST_G * s.size) * random_in(seed, 0.1, 2);
    set_velocity(s.world, s.id, (d3){0, 0, v}, (d3){v * distance / (s.radius * height), 0, 0});
    run_scene(&s, 5, gain, loss);
}

/* A rod or a disk that lies across two rails rolls along them. */
static void roll_rod(uint64_t *seed, round_shape rail, double *gain, double *loss)
{
    scene s = draw_scene(seed);
    const double length = s.size * random_in(seed, 1, 2);
    add_rail(&s, rail, 0.6 * length, 0);
    add_rail(&s, rail, -0.6 * length, 0);
    dry_shape_def rod = round_along_z(rail, s.radius, length);
    rod.friction = (float)mu;
    dry_pose pose = pose_at(0, s.radius, 0);
    pose.orientation = quat_about((d3){0, 1, 0}, TEST_PI / 2);
    s.id = add_dynamic(s.world, pose, rod);
    run_steps(s.world, 30, TEST_DT);
    const double v = sqrt(TEST_G * s.radius) * random_in(seed, 0.1, 1);
    set_velocity(s.world, s.id, (d3){0, 0, v}, (d3){v / s.radius, 0, 0});
    run_scene(&s, 5, gain, loss);
}

/* A rod rocks on a log that it crosses, as far out as it has rolled. */
static void rock_rod(uint64_t *seed, round_shape log, double *gain, double *loss)
{
    scene s = draw_scene(seed);
    s.under = s.radius; /* the log's; the rod is thinner, so that it comes back */
    s.radius *= random_in(seed, 0.1, 0.7);
    add_rail(&s, log, 0, 0);
    const double length = s.under * random_in(seed, 1, 4), angle = random_in(seed, 0.05, 0.2);
    dry_shape_def rod = round_along_z(CAPSULE, s.radius, length);
    rod.friction = (float)mu;
    const double x = cos(angle), y = sin(angle), out = s.under * angle;
    dry_pose pose =
        pose_at(-(s.under + s.radius) * y - x * out, (s.under + s.radius) * x - y * out - s.under, 0);
    const dry_quat along_x = quat_about((d3){0, 1, 0}, TEST_PI / 2), q = quat_about((d3){0, 0, 1}, angle);
    pose.orientation = (dry_quat){q.w * along_x.x - q.z * along_x.y, q.w * along_x.y + q.z * along_x.x,
                                  q.z * along_x.w + q.w * along_x.z, q.w * along_x.w - q.z * along_x.z};
    s.id = add_dynamic(s.world, pose, rod);
    run_scene(&s, 20, gain, loss);
}

/* A ball that is heavy below rocks on two rails, along them. */
static void rock_ball(uint64_t *seed, round_shape rail, double *gain, double *loss)
{
    scene s = draw_scene(seed);
    add_rail(&s, rail, 0, 0);
    dry_shape_def ball = sphere_shape(s.radius);
    ball.friction = (float)mu;
    const double angle = random_in(seed, 0.1, 0.6);
    s.id = add_dynamic(s.world, (dry_pose){{0, s.radius, 0}, quat_about((d3){1, 0, 0}, angle)}, ball);
    const float inertia = (float)(0.4 * s.radius * s.radius);
    const dry_mass mass = {.mass = 1,
                           .center = v3(0, -0.4 * s.radius, 0),
                           .inertia = {{inertia, 0, 0}, {0, inertia, 0}, {0, 0, inertia}}};
    assert_ok(dry_body_set_mass(s.world, s.id, &mass));
    run_scene(&s, 20, gain, loss);
}

typedef void play(uint64_t *seed, round_shape under, double *gain, double *loss);

static void test_rounds_on_rounds_keep_their_energy(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        play *play;
        double keeps;
    } rows[] = {{"balls roll on rails", roll_ball, 0.99},
                {"rods roll on rails", roll_rod, 0.95},
                {"rods rock on logs", rock_rod, 0.9},
                {"balls rock on a log", rock_ball, 0.9}};
    const int scenes = test_quick() ? 8 : 40;
    for (int i = 0; i < COUNT_OF(rows); i++)
        for (int shape = CAPSULE; shape <= CYLINDER; shape++) {
            uint64_t seed = 31;
            double gain = 0, loss = 0;
            for (int k = 0; k < scenes; k++)
                rows[i].play(&seed, (round_shape)shape, &gain, &loss);
            char name[120];
            snprintf(name, sizeof name, "%s (%s): largest gain", rows[i].name,
                     shape == CAPSULE ? "capsules" : "cylinders");
            holds(name, gain, 0, 0.01);
            snprintf(name, sizeof name, "%s (%s): kept", rows[i].name,
                     shape == CAPSULE ? "capsules" : "cylinders");
            holds(name, 1 - loss / scenes, rows[i].keeps, 1.001);
        }
    assert_rows_held();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds_on_rounds_keep_their_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
