/* Bodies that ride a turntable keep their place as long as friction holds them, and slide as a point does
 * beyond. */
#include "tests/solver/turning.h"

/* Turntables. */

typedef enum rider_kind { RIDES_BOX, RIDES_DISC, RIDES_CAPSULE, RIDES_SLED, RIDER_COUNT } rider_kind;
static const char *const rider_names[] = {"box", "disc", "capsule", "sled"};

typedef struct ride {
    rider_kind rider;
    bool motor;             /* turns the table; else the table is kinematic */
    double share, rate, at; /* of the friction that holds; rad/s; m from the axis */
} ride;

static const double ride_friction = 0.6;

/* Returns a table whose top is y = 0. */
static dry_body_id add_turntable(dry_world *world, const ride *r)
{
    dry_shape_def shape = cylinder_shape(r->at + 3, 0.1);
    shape.friction = (float)ride_friction;
    const dry_body_id table =
        add_body(world, r->motor ? DRY_BODY_DYNAMIC : DRY_BODY_KINEMATIC, pose_at(0, -0.1, 0), shape);
    set_velocity(world, table, (d3){0, 0, 0}, (d3){0, r->rate, 0});
    if (!r->motor)
        return table;
    dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
    hinge.body_b = table;
    assert_ok(dry_joint_def_place(world, &hinge, (dry_position){0, -0.1, 0}, v3(0, 1, 0)));
    hinge.axes[DRY_AXIS_RX].motor = DRY_MOTOR_VELOCITY;
    hinge.axes[DRY_AXIS_RX].velocity = (float)r->rate;
    dry_joint_id id;
    assert_ok(dry_world_create_joint(world, &hinge, &id));
    return table;
}

/* A capsule lies along the radius. It would roll off along the table's rim, where it is not in balance, and
 * so has a rolling resistance; a sled of two capsules needs none. */
static dry_body_id add_rider(dry_world *world, const ride *r)
{
    dry_shape_def shapes[2] = {box_shape(0.2, 0.1, 0.2)};
    if (r->rider == RIDES_DISC)
        shapes[0] = cylinder_shape(0.2, 0.1);
    if (r->rider == RIDES_CAPSULE || r->rider == RIDES_SLED) {
        shapes[0] = capsule_shape(0.1, 0.2);
        shapes[0].pose.orientation = quat_about((d3){0, 0, 1}, TEST_PI / 2);
        shapes[0].rolling_resistance = r->rider == RIDES_CAPSULE ? 0.05f : 0.0f;
    }
    shapes[0].friction = (float)ride_friction;
    shapes[1] = shapes[0];
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(r->at, 0.1, 0), shapes);
    if (r->rider == RIDES_SLED) {
        def.shape_count = 2;
        shapes[0].pose.position.z = -0.15f;
        shapes[1].pose.position.z = 0.15f;
    }
    def.velocity.linear = v3(0, 0, -r->rate * r->at);
    def.velocity.angular = v3(0, r->rate, 0);
    return add_def(world, &def);
}

/* Returns where the rider is in the frame of the table. */
static d3 on_table(const dry_world *world, dry_body_id table, dry_body_id rider)
{
    return d3_turn_back(pose_of(world, table).orientation, position_of(world, rider));
}

/* Returns how far the rider drifts over the table. */
static double drift_of_ride(const ride *r, double seconds)
{
    dry_world *world = world_with(test_settings());
    const dry_body_id table = add_turntable(world, r), rider = add_rider(world, r);
    const d3 start = on_table(world, table, rider);
    double drift = 0;
    for (int i = 0; i < seconds * 60; ++i) {
        run_steps(world, 1, TEST_DT);
        const d3 moved = d3_sub(on_table(world, table, rider), start);
        drift = fmax(drift, hypot(moved.x, moved.z));
    }
    dry_world_destroy(world);
    return drift;
}

/* Returns how far a point with Coulomb friction slides over the table. */
static double slide_of_a_point(const ride *r, double seconds)
{
    const double h = 1e-5;
    double x = r->at, z = 0, vx = 0, vz = -r->rate * r->at;
    for (double t = 0; t < seconds; t += h) {
        const double ux = vx - r->rate * z, uz = vz + r->rate * x, u = fmax(hypot(ux, uz), 1e-6);
        vx -= h * ride_friction * TEST_G * ux / u;
        vz -= h * ride_friction * TEST_G * uz / u;
        x += h * vx;
        z += h * vz;
    }
    const double c = cos(r->rate * seconds), s = sin(r->rate * seconds);
    return hypot(x * c - z * s - r->at, x * s + z * c);
}

static void name_ride(char *name, size_t size, const ride *r, const char *figure)
{
    snprintf(name, size, "turntable%s, %s at %.2f m, %.3f rad/s, %g of friction: %s",
             r->motor ? " (motor)" : "", rider_names[r->rider], r->at, r->rate, r->share, figure);
}

/* Places a ride so that it needs its share of the friction: 2 m off the axis, or where its rate says. */
static ride ride_of(rider_kind rider, bool motor, double share, double rate)
{
    const double most = share * ride_friction * TEST_G;
    return (ride){rider, motor, share, rate > 0 ? rate : sqrt(most / 2), rate > 0 ? most / (rate * rate) : 2};
}

/* Most of the drift in 30 s, mm: 0.5 mm/s. */
enum { DRIFT_MOST = 15 };

/* Holds the rides whose turning the engine follows, or those that are owed: fast tables, and those that
 * barely hold what a motor turns or what has round feet. */
static void keep_rides(bool owed)
{
    static const double shares[] = {0.2, 0.5, 0.8, 0.9, 0.95}, rates[] = {0, 0.5, 4};
    for (int i = 0; i < RIDER_COUNT * 2 * COUNT_OF(shares) * COUNT_OF(rates); ++i) {
        const int share = i % COUNT_OF(shares), rate = i / COUNT_OF(shares) % COUNT_OF(rates);
        const int kind = i / (COUNT_OF(shares) * COUNT_OF(rates));
        const bool carried = kind % 2 == 0 && (kind / 2 == RIDES_BOX || kind / 2 == RIDES_DISC);
        const bool follows = rates[rate] == 0.5 || (rates[rate] == 0 && (carried || shares[share] <= 0.5));
        if (follows == owed || (test_quick() && (share + rate + kind) % 5))
            continue;
        const ride r = ride_of((rider_kind)(kind / 2), kind % 2, shares[share], rates[rate]);
        char name[160];
        name_ride(name, sizeof name, &r, "drift in 30 s, mm");
        holds(name, 1e3 * drift_of_ride(&r, 30), 0, DRIFT_MOST);
    }
    assert_rows_held();
}

static void test_turntables_keep_what_friction_holds(void **state)
{
    (void)state;
    keep_rides(false);
}

static void test_fast_turntables_keep_what_friction_holds(void **state)
{
    (void)state;
    keep_rides(true);
}

/* Beyond what friction holds a rider slides as a point does; a capsule rolls, too. */
static void test_turntables_lose_what_friction_does_not_hold(void **state)
{
    (void)state;
    static const double shares[] = {1.1, 1.5};
    for (int i = 0; i < RIDER_COUNT * 2 * COUNT_OF(shares); ++i) {
        const ride r = ride_of((rider_kind)(i / 4), i / 2 % 2, shares[i % 2], 0);
        if (r.rider == RIDES_CAPSULE)
            continue;
        char name[160];
        name_ride(name, sizeof name, &r, "slide in 1 s over the law's");
        holds(name, drift_of_ride(&r, 1) / slide_of_a_point(&r, 1), 0.97, 1.03);
    }
    assert_rows_held();
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turntables_keep_what_friction_holds),
        cmocka_unit_test(test_turntables_lose_what_friction_does_not_hold),
    };
    const struct CMUnitTest owed[] = {
        cmocka_unit_test(test_fast_turntables_keep_what_friction_holds),
    };
    return RUN_ROWS(count, arguments, tests, owed);
}
