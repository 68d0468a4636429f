/* Spook's notes on convergence, depth and box friction. */
#include "tools/lab/bodies.h"
#include "tools/lab/experiments.h"
#include "tools/lab/system.h"

#include <math.h>
#include <string.h>

const char lab_spook_text[] =
    "A sphere of m1 = 1 kg lies under one of m2. The two contacts share the light sphere, and "
    "Gauss-Seidel has the radius 1 / (1 + m1 / m2): 13,800 sweeps to 1e-6 at 1:1000. The notes say "
    "that an error falls as 1 / N, so that 1e-6 takes 10^6 sweeps; it falls as a power. In the engine "
    "the two contacts have two colors, and a sweep is half of one (see the chains). Contacts given as "
    "a frequency w are springs of w^2 m1 under the light sphere, which bears both: it rests at (m1 + "
    "m2) g / (m1 w^2), for a heavy m2 (m2 / m1) g / w^2.\n\n"
    "A wire of n links of 1 kg that hangs from the world and bears M: the error leaves by the last "
    "row alone, and the Rayleigh quotient of the constant vector gives (n - 1) M / m sweeps an "
    "e-fold. The next chapter has its stretch.\n\n"
    "Box friction [Spook 43-44] bounds each tangent by itself: along the diagonal both act, and a "
    "plate stops within 1 / sqrt(2) of the distance. Its limit is that of the reduced mass of the "
    "pair and ignores load and slope: the friction under a stack of n plates stays that of one, where "
    "the cone's grows with n, and on a slope it is that of level ground. Tamis's box cures the slope. "
    "The alternatives of the notes, limits from a solution without friction and the direction of "
    "sliding, cure all three, as the cone does.\n";

static const double gravity = 9.81;

static const dry_vec3 up = {0.0f, 1.0f, 0.0f}, still = {0.0f, 0.0f, 0.0f};

static dry_world *two_spheres(lab_run *run, double heavy, const dry_settings *settings, dry_body_id *light)
{
    const dry_shape_def sphere = lab_shape(DRY_SHAPE_SPHERE, 0.5);
    dry_world *world = lab_world(run, settings);
    lab_add_plane(run, world, up, 0.6f);
    *light = lab_add_body(run, world, &sphere, 1.0, (dry_position){0.0, 0.5, 0.0}, still);
    lab_add_body(run, world, &sphere, heavy, (dry_position){0.0, 1.5, 0.0}, still);
    return world;
}

static void mass_ratio(lab_run *run, double heavy)
{
    enum { SWEEPS = 256 };
    const float h = 0.01f;
    dry_settings settings = lab_settings(1);
    settings.gravity.y = (float)-gravity;
    settings.contact_hertz = 1e5f; /* contacts without softness */
    settings.levers = DRY_LEVERS_TRUE;
    dry_body_id light;
    dry_world *world = two_spheres(run, heavy, &settings, &light);
    lab_check(run, dry_world_step(world, 0.0f));
    const lab_system system = lab_system_of(run, world);
    const lab_spook rigid = {.rate = 1.0 / (double)h, .approach = 1.0};
    const lab_problem p = lab_system_problem(run, &system, &rigid, settings.gravity, (double)h);
    if (p.n != 2)
        lab_fail(run, "two spheres have other than two contacts");
    const lab_method sweep = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0};
    const double predicted = 1.0 / (1.0 + 1.0 / heavy), exact = lab_sweep_radius(run, &p, &sweep);
    lab_add(run, "here, 1 / (1 + m1 / m2)", predicted, exact, lab_sweep_power_radius(run, &p, &sweep, 100),
            1e-6, "radius, Gauss-Seidel, 1 kg under %g kg", heavy);
    double x[2], r[2], lengths[SWEEPS + 1] = {0}, work[2];
    for (int k = 0; k <= SWEEPS; k++) {
        settings.sweeps = k > 0 ? k : 1;
        world = two_spheres(run, heavy, &settings, &light);
        lab_check(run, dry_world_step(world, 0.0f));
        if (k > 0)
            lab_check(run, dry_world_step(world, h));
        lab_system_impulses(run, &system, world, x);
        lengths[k] = lab_residual(&p, x, r);
    }
    char curve[64];
    snprintf(curve, sizeof curve, "1 kg under %g kg", heavy);
    for (int k = SWEEPS; k >= 0; k--)
        lengths[k] /= lengths[0];
    lab_add_sequence(run, curve, 0.0, lengths, SWEEPS + 1);
    lab_add(run, "the same, half sweeps", -1.0 / log(sqrt(predicted)), -1.0 / log(sqrt(exact)),
            -1.0 / log(lab_tail_rate(lengths, SWEEPS + 1, 0.5, 1e-4)), 0.01,
            "sweeps an e-fold, the engine, 1 kg under %g kg", heavy);
    /* Error of the impulses, from 0. */
    double solution[2];
    lab_solve(run, &p, solution);
    memset(x, 0, sizeof x);
    int k = 0;
    for (; k < 1000000; k++) {
        const double error[2] = {x[0] - solution[0], x[1] - solution[1]};
        if (lab_length(error, 2) <= 1e-6 * lab_length(solution, 2))
            break;
        lab_sweep(&p, &sweep, k, x, work);
    }
    lab_add(run, "Spook p. 9", 1e6, lab_sweeps_to(exact, 1e-6), k, 0.02, "sweeps to 1e-6, 1 kg under %g kg",
            heavy);
}

static void depth(lab_run *run, double heavy, double hertz)
{
    dry_settings settings = lab_settings(100);
    settings.gravity.y = (float)-gravity;
    settings.substeps = 4;
    settings.warm_start = true;
    settings.contact_hertz = (float)hertz;
    dry_body_id light;
    dry_world *world = two_spheres(run, heavy, &settings, &light);
    for (int step = 0; step < 240; step++)
        lab_check(run, dry_world_step(world, 1.0f / 60.0f));
    dry_pose pose;
    lab_check(run, dry_body_get_pose(world, light, &pose));
    const double w = 2.0 * 3.14159265358979323846 * hertz;
    lab_add(run, "here, (m2 / m1) g / w^2", heavy * gravity / (w * w), (1.0 + heavy) * gravity / (w * w),
            0.5 - pose.position.y, 0.01, "depth of 1 kg under %g kg, contacts of %g Hz, m", heavy, hertz);
}

static dry_world *hang_wire(lab_run *run, int links, double load, const dry_settings *settings,
                            dry_body_id *last)
{
    dry_world *world = lab_world(run, settings);
    const dry_shape_def sphere = lab_shape(DRY_SHAPE_SPHERE, 0.1);
    dry_body_id above = {0};
    for (int i = 0; i < links; i++) {
        const dry_position at = {0.0, -1.0 - i, 0.0};
        *last = lab_add_body(run, world, &sphere, i + 1 < links ? 1.0 : load, at, still);
        lab_add_rod(run, world, i > 0 ? &above : NULL, (dry_position){0.0, 0.0, 0.0}, *last, 1.0);
        above = *last;
    }
    return world;
}

static void wire(lab_run *run)
{
    enum { LINKS = 10 };
    dry_settings settings = lab_settings(1);
    settings.gravity.y = (float)-gravity;
    dry_body_id last;
    for (double load = 100.0; load <= 1e5; load *= 10.0) {
        const lab_system system = lab_system_of(run, hang_wire(run, LINKS, load, &settings, &last));
        const lab_spook none = {.approach = 1.0};
        const lab_problem p = lab_system_problem(run, &system, &none, settings.gravity, 0.01);
        const lab_method sweep = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0};
        const double radius = lab_sweep_radius(run, &p, &sweep);
        lab_add(run, "here, (n - 1) M / m", (LINKS - 1) * load, -1.0 / log(radius),
                -1.0 / log(lab_sweep_power_radius(run, &p, &sweep, 200000)), 1e-3,
                "sweeps an e-fold, a wire of 10 links that bears 1:%g", load);
    }
}

enum { SUBSTEPS = 8 };
static const float plate_half_height = 0.05f, friction = 0.5f;

/* A stack of plates of 1 kg on the floor, all with the same velocity. Gravity leans along x by an angle. */
static dry_world *slide(lab_run *run, dry_friction model, int plates, dry_vec3 velocity, double angle,
                        dry_body_id *lowest)
{
    dry_settings settings = dry_default_settings();
    settings.gravity = (dry_vec3){(float)(gravity * sin(angle)), (float)(-gravity * cos(angle)), 0.0f};
    settings.method.friction = model;
    settings.sleep = false;
    settings.substeps = SUBSTEPS;
    dry_world *world = lab_world(run, &settings);
    lab_add_plane(run, world, up, friction);
    dry_shape_def plate = dry_default_shape_def();
    plate.half_extents.y = plate_half_height;
    plate.friction = friction;
    for (int i = 0; i < plates; i++) {
        const dry_position at = {0.0, (double)(plate_half_height * (1.0f + 2.0f * (float)i)), 0.0};
        const dry_body_id id = lab_add_body(run, world, &plate, 1.0, at, velocity);
        if (i == 0)
            *lowest = id;
    }
    return world;
}

static double stopping_distance(lab_run *run, dry_friction model, double degrees)
{
    const double angle = degrees * 3.14159265358979323846 / 180.0, speed = 3.0;
    const dry_vec3 velocity = {(float)(speed * cos(angle)), 0.0f, (float)(speed * sin(angle))};
    dry_body_id plate;
    dry_world *world = slide(run, model, 1, velocity, 0.0, &plate);
    for (int step = 0; step < 120; step++)
        lab_check(run, dry_world_step(world, 1.0f / 60.0f));
    dry_pose pose;
    lab_check(run, dry_body_get_pose(world, plate, &pose));
    return hypot(pose.position.x, pose.position.z);
}

/* Returns the friction of the floor on a stack that slides, in units of mu m g. */
static double floor_friction(lab_run *run, dry_friction model, int plates)
{
    dry_body_id lowest;
    dry_world *world = slide(run, model, plates, (dry_vec3){8.0f, 0.0f, 0.0f}, 0.0, &lowest);
    double sum = 0.0;
    enum { WAIT = 10, STEPS = 10 };
    for (int step = 0; step < WAIT + STEPS; step++) {
        lab_check(run, dry_world_step(world, 1.0f / 60.0f));
        dry_contact contacts[8];
        int count;
        lab_check(run, dry_body_get_contacts(world, lowest, contacts, 8, &count));
        for (int i = 0; i < count && step >= WAIT; i++) {
            dry_body_def def;
            lab_check(run, dry_body_get_def(world, contacts[i].body_a, &def));
            bool on_floor = def.type == DRY_BODY_STATIC;
            lab_check(run, dry_body_get_def(world, contacts[i].body_b, &def));
            on_floor = on_floor || def.type == DRY_BODY_STATIC;
            if (on_floor)
                sum += fabs((double)contacts[i].friction_impulse_Ns.x) / (double)contacts[i].substep_s;
        }
    }
    return sum / STEPS / ((double)friction * gravity);
}

/* Returns the acceleration of a plate down a slope of 45 degrees, in units of g. */
static double slope_acceleration(lab_run *run, dry_friction model)
{
    enum { STEPS = 60 };
    dry_body_id plate;
    dry_world *world = slide(run, model, 1, still, atan(1.0), &plate);
    for (int step = 0; step < STEPS; step++)
        lab_check(run, dry_world_step(world, 1.0f / 60.0f));
    dry_velocity v;
    lab_check(run, dry_body_get_velocity(world, plate, &v));
    return (double)v.linear.x / (STEPS / 60.0) / gravity;
}

/* The alternatives of [Spook p. 9] and of Tamis to box friction: the direction, the load and the slope. */
static void friction_models(lab_run *run)
{
    static const struct {
        const char *name, *source;
        dry_friction model;
        bool box, loaded, leans; /* limits by axis; with the load above; with the slope */
    } models[] = {
        {"scaled box", "Spook 43-44", DRY_FRICTION_SCALED_BOX, true, false, false},
        {"weight box", "Tamis 5.4", DRY_FRICTION_WEIGHT_BOX, true, false, true},
        {"two-phase", "Spook p. 9", DRY_FRICTION_TWO_PHASE, false, true, true},
        {"velocity", "Spook p. 9", DRY_FRICTION_VELOCITY, false, true, true},
        {"cone", "Spook 3", DRY_FRICTION_CONE, false, true, true},
    };
    const double mu = (double)friction, sine = sqrt(0.5);
    for (int i = 0; i < 5; i++) {
        const dry_friction model = models[i].model;
        const double ratio = models[i].box ? sqrt(2.0) : 1.0, load = models[i].loaded ? 10.0 : 1.0,
                     slope = sine - mu * (models[i].leans ? sine : 1.0);
        lab_add(run, models[i].source, ratio, ratio,
                stopping_distance(run, model, 0.0) / stopping_distance(run, model, 45.0), 0.005,
                "%s: stopping distances, 0 to 45 degrees", models[i].name);
        lab_add(run, models[i].source, load, load, floor_friction(run, model, 10), 0.02,
                "%s: friction under 10 plates over mu m g (true: 10)", models[i].name);
        lab_add(run, models[i].source, slope, slope, slope_acceleration(run, model), 0.01,
                "%s: acceleration down 45 degrees over g (true: %.4f)", models[i].name, sine * (1.0 - mu));
    }
}

static void box_friction(lab_run *run)
{
    const double speed = 3.0, distance = speed * speed / (2.0 * (double)friction * gravity);
    const double straight = stopping_distance(run, DRY_FRICTION_SCALED_BOX, 0.0),
                 diagonal = stopping_distance(run, DRY_FRICTION_SCALED_BOX, 45.0);
    /* Substeps change the velocity before they move: half a substep of it is missing. */
    const double late = speed / (60.0 * SUBSTEPS) / 2.0;
    lab_add(run, "Spook 43", distance, distance - late, straight, 0.002,
            "stopping distance at 0 degrees, box friction, m");
    lab_add(run, "Spook 43-44", distance / sqrt(2.0), distance / sqrt(2.0) - late, diagonal, 0.002,
            "stopping distance at 45 degrees, box friction, m");
    static const int plates[] = {1, 2, 5};
    for (int i = 0; i < 3; i++)
        lab_add(run, "Spook 43", 1.0, 1.0, floor_friction(run, DRY_FRICTION_SCALED_BOX, plates[i]), 0.01,
                "friction under %d plates over mu m g, box friction", plates[i]);
    for (int i = 0; i < 3; i++)
        lab_add(run, "Spook 3", plates[i], plates[i], floor_friction(run, DRY_FRICTION_CONE, plates[i]), 0.02,
                "friction under %d plates over mu m g, cone", plates[i]);
}

void lab_spook_notes(lab_run *run)
{
    lab_part(run);
    lab_add_plot(run, "mass-ratio", "The engine's residual, a light sphere under a heavy one", "sweeps",
                 "residual, share of the first")
        ->log_y = true;
    for (double heavy = 10.0; heavy <= 1000.0; heavy *= 10.0)
        mass_ratio(run, heavy);
    lab_part(run);
    depth(run, 100.0, 60.0);
    depth(run, 1000.0, 120.0);
    lab_part(run);
    wire(run);
    lab_part(run);
    box_friction(run);
    friction_models(run);
}
