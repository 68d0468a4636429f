/* Wires of light links and cloth of distance joints [Spook p. 9]: what sweeps, k and d, the start, the order
 * and other solvers do to their stretch. */
#include "tools/lab/bodies.h"
#include "tools/lab/experiments.h"
#include "tools/lab/system.h"
#include "tools/lab/variants.h"

#include <math.h>
#include <string.h>

const char lab_wires_text[] =
    "**A wire** of ten links, nine of 1 kg and a load, hangs at 4 substeps of 1/60 s. Its rigid "
    "joints are springs of 0.19 of the substep rate on the reduced mass of their bodies. With these "
    "masses it would stretch at rest as the column *exact* says, which bounds the stretch: the "
    "engine lets links that bear more than the substeps do count as heavier, never as lighter. With "
    "8 sweeps or more the wire stretches by 0.18 % to 0.23 %, whatever its load. From a cold start "
    "each substep begins without impulses, and with one sweep the wire is *much more elastic than "
    "it should be* [Spook p. 9]: it stretches by 74 % at 1:10, 240 times as far as it should, and "
    "by 96 % at 1:10^5. A warm start cures that: with one sweep it swings, by up to 3.3 % of its "
    "length, as these settings relax nothing.\n\n"
    "**k and d.** A wire of softer springs needs fewer sweeps an e-fold and stretches as its "
    "springs do, whatever d is: the notes' regularization buys convergence with stretch. Damping "
    "grows with d, and so do the sweeps.\n\n"
    "**Orders** are worth most from a cold start, where few sweeps have to carry the load through. "
    "By layers from the load upward they do: with 4 sweeps the wire of 1:100 stretches by 0.23 % in "
    "place of 0.31 %, and the worst joint of a cloth, whose lower corners bear 20 kg each, by 0.28 "
    "% in place of 0.45 %. Layers that turn back lose much of that. Shuffling in each step helps a "
    "cloth and a tower, shuffling in each sweep all three: an error that one order adds up in one "
    "direction goes to all sides. A cold tower then leans by 0.2 mm in 20 s, where colors in turn "
    "lean by 17 mm and other orders by 1 to 2 mm. After a warm start no order is better than "
    "another: stretches agree within 0.1 %, and towers lean by less than 0.1 mm.\n\n"
    "**Other solvers** with the substeps that the default's tiers choose, and 1:1000. A direct "
    "solution leaves 5e-10 of the length. AVBD leaves 0.22 times the default's stretch, Jacobi as "
    "much, and PBD and XPBD 1.4 times. Conjugate gradients take as many steps as there are rows, or "
    "fewer, where sweeps take 10^7; the chapter on orders has them with contacts.\n";

enum { LINKS = 10, SUBSTEPS = 4, SIDE = 6, TOWER = 10 };
static const double g = 9.81;
static const float dt = 1.0f / 60.0f;
static const dry_vec3 still = {0.0f, 0.0f, 0.0f};

/* A setup whose bodies hang or stand, and the places of rigid ones. */
typedef struct setup {
    dry_body_id id[SIDE * SIDE];
    dry_joint_id joint[2 * SIDE * SIDE];
    int bodies, joints;
} setup;

static void add_rod(lab_run *run, dry_world *world, setup *s, const dry_body_id *above, dry_position at,
                    int below, double k, double c)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
    def.body_b = s->id[below];
    if (above)
        def.body_a = *above;
    else
        def.target = at;
    def.stiffness = (float)k;
    def.damping = (float)c;
    lab_check(run, dry_world_create_joint(world, &def, &s->joint[s->joints++]));
}

/* A wire of links of 1 kg and 1 m, whose last one has another mass. k is 0 for rigid joints. */
static setup wire(lab_run *run, dry_world *world, double load, double k, double c)
{
    const dry_shape_def sphere = lab_shape(DRY_SHAPE_SPHERE, 0.1);
    setup s = {0};
    for (int i = 0; i < LINKS; i++) {
        const dry_position at = {0.0, -1.0 - i, 0.0}, top = {0.0, 0.0, 0.0};
        s.id[s.bodies++] = lab_add_body(run, world, &sphere, i + 1 < LINKS ? 1.0 : load, at, still);
        add_rod(run, world, &s, i > 0 ? &s.id[i - 1] : NULL, top, i, k, c);
    }
    return s;
}

/* A cloth of masses of 0.1 kg, 1 m apart, that hangs from its highest row, with 20 kg at both lower corners.
 */
static setup cloth(lab_run *run, dry_world *world)
{
    const dry_shape_def sphere = lab_shape(DRY_SHAPE_SPHERE, 0.05);
    setup s = {0};
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            const dry_position at = {column, -1.0 - row, 0.0}, top = {column, 0.0, 0.0};
            const bool corner = row == SIDE - 1 && (column == 0 || column == SIDE - 1);
            s.id[s.bodies++] = lab_add_body(run, world, &sphere, corner ? 20.0 : 0.1, at, still);
            add_rod(run, world, &s, row > 0 ? &s.id[s.bodies - 1 - SIDE] : NULL, top, s.bodies - 1, 0.0, 0.0);
            if (column > 0)
                add_rod(run, world, &s, &s.id[s.bodies - 2], top, s.bodies - 1, 0.0, 0.0);
        }
    return s;
}

/* A tower of cubes, each 2 mm aside of the one below, in turn to both sides. */
static setup tower(lab_run *run, dry_world *world)
{
    const dry_shape_def cube = lab_shape(DRY_SHAPE_BOX, 0.5);
    setup s = {0};
    lab_add_plane(run, world, (dry_vec3){0.0f, 1.0f, 0.0f}, 0.6f);
    for (int i = 0; i < TOWER; i++)
        s.id[s.bodies++] =
            lab_add_body(run, world, &cube, 1.0, (dry_position){1e-3 * (i % 2), 0.5 + i, 0.0}, still);
    return s;
}

static dry_settings hanging(int sweeps, bool warm)
{
    dry_settings settings = lab_settings(sweeps);
    settings.gravity.y = (float)-g;
    settings.substeps = SUBSTEPS;
    settings.warm_start = warm;
    return settings;
}

static void step(lab_run *run, dry_world *world, int steps)
{
    for (int i = 0; i < (run->options->quick ? (steps + 4) / 5 : steps); i++)
        lab_check(run, dry_world_step(world, dt));
}

/* Returns how far the end of a wire is too low, as a share of its length. */
static double wire_stretch(lab_run *run, const dry_world *world, const setup *s)
{
    return -lab_position(run, world, s->id[s->bodies - 1]).y / s->bodies - 1.0;
}

/* Returns the largest error of a joint's length of 1 m. */
static double worst_stretch(lab_run *run, const dry_world *world, const setup *s)
{
    double worst = 0.0;
    for (int i = 0; i < s->joints; i++) {
        float gap, angle;
        lab_check(run, dry_joint_get_error(world, s->joint[i], &gap, &angle));
        worst = fmax(worst, (double)gap);
    }
    return worst;
}

/* Returns how far a tower's top has gone sideways; its height where it has fallen. */
static double lean(lab_run *run, const dry_world *world, const setup *s)
{
    const dry_position top = lab_position(run, world, s->id[s->bodies - 1]);
    return top.y < s->bodies - 1.0 ? s->bodies : hypot(top.x - 1e-3 * ((s->bodies - 1) % 2), top.z);
}

/* Returns how far a wire stretches at rest: joint n bears the links below it and the load. k is 0 for rigid
 * joints, which are springs of 0.19 of the substep rate on the reduced mass of their bodies. */
static double rest_stretch(double load, double k)
{
    const double w = 2.0 * 3.14159265358979323846 * 0.19 * SUBSTEPS / (double)dt;
    double sum = 0.0;
    for (int n = 0; n < LINKS; n++) {
        const double below = n + 1 < LINKS ? 1.0 : load, above = n > 0 ? 1.0 : INFINITY;
        const double rigid = w * w / (1.0 / below + 1.0 / above);
        sum += (load + LINKS - 1 - n) * g / (k > 0.0 ? k : rigid);
    }
    return sum / LINKS;
}

/* Returns how far the column of a cloth above a corner of 20 kg stretches its lowest joint, likewise: a
 * spring on the reduced mass of 0.1 kg and 20 kg. */
static double corner_stretch(void)
{
    const double w = 2.0 * 3.14159265358979323846 * 0.19 * SUBSTEPS / (double)dt;
    return 20.0 * g * (1.0 / 0.1 + 1.0 / 20.0) / (w * w);
}

/* Stretch of a wire over sweeps, for loads of 1:10 to 1:10^5, from cold and warm starts. */
static void over_sweeps(lab_run *run)
{
    enum { SAMPLES = 7 };
    for (int warm = 0; warm < 2; warm++) {
        lab_plot *plot = lab_add_plot(run, warm ? "warm" : "cold",
                                      warm ? "A wire of 10 links after 4 s, warm start, by load"
                                           : "A wire of 10 links after 4 s, cold start, by load",
                                      "sweeps a substep", "stretch over that of springs on the true masses");
        plot->log_x = plot->log_y = true;
        for (double load = 10.0; load <= 1e5; load *= 10.0) {
            double sweeps[SAMPLES], share[SAMPLES];
            char name[64];
            for (int i = 0; i < SAMPLES; i++) {
                const dry_settings settings = hanging(1 << i, warm);
                dry_world *world = lab_world(run, &settings);
                const setup s = wire(run, world, load, 0.0, 0.0);
                step(run, world, 240);
                sweeps[i] = settings.sweeps;
                share[i] = wire_stretch(run, world, &s) / rest_stretch(load, 0.0);
                if (settings.sweeps != 1 && settings.sweeps != 8 && settings.sweeps != 64)
                    continue;
                /* Links count as heavier, never as lighter: springs on the true masses are the softest. */
                lab_row *row =
                    lab_add(run, "Spook p. 9", NAN, rest_stretch(load, 0.0), wire_stretch(run, world, &s),
                            0.0, "stretch of a wire, 1:%g, %s start, sweeps %d, share", load,
                            warm ? "warm" : "cold", settings.sweeps);
                if (warm || settings.sweeps > 1)
                    lab_bound(row, LAB_AT_MOST);
                else
                    lab_unbounded(row,
                                  "one sweep from no impulses hands a load on by few links in a substep");
            }
            snprintf(name, sizeof name, "1:%g", load);
            lab_add_curve(run, name, sweeps, share, SAMPLES);
        }
    }
}

/* A wire of springs k with a damping of d substeps: its stretch, and how fast sweeps converge. */
static void over_stiffness(lab_run *run)
{
    static const double stiffness[] = {1e4, 3e4}, damping[] = {2.0, 8.0};
    const double load = 100.0, h = (double)dt / SUBSTEPS;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const double k = stiffness[i], d = damping[j];
            if (run->options->quick && (i == 0 || j == 0))
                continue;
            dry_settings settings = hanging(64, true);
            dry_world *world = lab_world(run, &settings);
            const setup s = wire(run, world, load, k, d * h * k);
            const lab_system system = lab_system_of(run, world);
            const lab_spook spook = lab_spook_of(k, d, h);
            const lab_problem p = lab_system_problem(run, &system, &spook, settings.gravity, h);
            const lab_method sweep = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0};
            lab_add(run, "Spook 11", NAN, -1.0 / log(lab_sweep_radius(run, &p, &sweep)),
                    -1.0 / log(lab_sweep_power_radius(run, &p, &sweep, 20000)), 1e-3,
                    "sweeps an e-fold, a wire of 1:%g, k %g N/m, d %g", load, k, d);
            double sum = 0.0; /* the load still swings */
            for (int n = 0; n < 1800; n++) {
                lab_check(run, dry_world_step(world, dt));
                sum += n < 1200 ? 0.0 : wire_stretch(run, world, &s) / 600.0;
            }
            lab_add(run, "M g / k", load * g / k, rest_stretch(load, k), sum, 0.01,
                    "its mean stretch, 64 warm sweeps, share");
        }
}

/* The worst joint of a cloth over sweeps. */
static void cloth_over_sweeps(lab_run *run)
{
    static const struct {
        const char *name;
        dry_order order;
        bool warm;
    } ways[] = {{"cold, by color", DRY_ORDER_COLOR, false},
                {"cold, layers up", DRY_ORDER_LAYERS_UP, false},
                {"cold, shuffled in each sweep", DRY_ORDER_SHUFFLED_SWEEPS, false},
                {"warm, by color", DRY_ORDER_COLOR, true}};
    enum { SAMPLES = 7 };
    lab_plot *plot = lab_add_plot(run, "cloth", "A cloth of 6 x 6 masses after 4 s", "sweeps a substep",
                                  "stretch of the worst joint, share");
    plot->log_x = plot->log_y = true;
    for (int i = 0; i < 4; i++) {
        double sweeps[SAMPLES], stretch[SAMPLES];
        for (int k = 0; k < SAMPLES; k++) {
            dry_settings settings = hanging(1 << k, ways[i].warm);
            settings.method.order = ways[i].order;
            dry_world *world = lab_world(run, &settings);
            const setup s = cloth(run, world);
            step(run, world, 240);
            sweeps[k] = settings.sweeps;
            stretch[k] = worst_stretch(run, world, &s);
        }
        lab_add_curve(run, ways[i].name, sweeps, stretch, SAMPLES);
    }
}

/* Orders and starts against a wire's stretch, a cloth's and a tower's lean after few sweeps. */
static void over_orders(lab_run *run)
{
    static const struct {
        const char *name;
        dry_order order;
    } orders[] = {
        {"by color", DRY_ORDER_COLOR},
        {"by color, forward", DRY_ORDER_FORWARD},
        {"layers up", DRY_ORDER_LAYERS_UP},
        {"layers down", DRY_ORDER_LAYERS_DOWN},
        {"layers up and down", DRY_ORDER_LAYERS},
        {"shuffled in each step", DRY_ORDER_SHUFFLED},
        {"shuffled in each sweep", DRY_ORDER_SHUFFLED_SWEEPS},
    };
    enum { ORDERS = sizeof orders / sizeof *orders };
    for (int warm = 0; warm < 2; warm++)
        for (int i = 0; i < ORDERS; i++) {
            const char *start = warm ? "warm" : "cold", *order = orders[i].name;
            dry_settings settings = hanging(4, warm);
            settings.method.order = orders[i].order;
            dry_world *world = lab_world(run, &settings);
            setup s = wire(run, world, 100.0, 0.0, 0.0);
            step(run, world, 240);
            lab_add(run, "Spook p. 9", NAN, 0.0, wire_stretch(run, world, &s), rest_stretch(100.0, 0.0),
                    "wire of 1:100, 4 sweeps, %s, %s: stretch, share", start, order);
            world = lab_world(run, &settings);
            s = cloth(run, world);
            step(run, world, 240);
            lab_add(run, "Spook p. 9", NAN, 0.0, worst_stretch(run, world, &s), corner_stretch(),
                    "cloth, 4 sweeps, %s, %s: worst joint, share", start, order);
            world = lab_world(run, &settings);
            s = tower(run, world);
            step(run, world, 1200);
            /* A tower stands while its top is above its foot. */
            lab_add(run, "Spook p. 9", NAN, 0.0, lean(run, world, &s), 0.5,
                    "tower of 10, 4 sweeps, %s, %s: lean after 20 s, m", start, order);
        }
}

/* The other solvers of the notes: what a wire and a cloth get from them. */
static void other_solvers(lab_run *run)
{
    for (int i = 0; i < LAB_VARIANTS; i++) {
        const lab_variant *v = &lab_variants[i];
        dry_settings settings = dry_default_settings();
        settings.sleep = false;
        lab_variant_apply(v, &settings);
        dry_world *world = lab_world(run, &settings);
        setup s = wire(run, world, 1000.0, 0.0, 0.0);
        step(run, world, 240);
        lab_add(run, "Spook p. 9", NAN, 0.0, wire_stretch(run, world, &s), 0.01,
                "wire of 1:1000, substeps of its tier: stretch, share, %s", v->name);
        world = lab_world(run, &settings);
        s = cloth(run, world);
        step(run, world, 240);
        lab_add(run, "Spook p. 9", NAN, 0.0, worst_stretch(run, world, &s), 0.01,
                "cloth, substeps of its tier: worst joint, share, %s", v->name);
    }
}

/* Conjugate gradients on the equation of a wire's and of a cloth's step. */
static void gradients(lab_run *run)
{
    const dry_settings settings = hanging(1, false);
    for (int i = 0; i < 2; i++) {
        dry_world *world = lab_world(run, &settings);
        const setup s = i ? cloth(run, world) : wire(run, world, 1e5, 0.0, 0.0);
        const lab_system system = lab_system_of(run, world);
        const lab_spook rigid = {.approach = 1.0, .softness = 1e-9};
        const lab_problem p =
            lab_system_problem(run, &system, &rigid, settings.gravity, (double)dt / SUBSTEPS);
        double *x = lab_doubles(run, p.n), *lengths = lab_doubles(run, 10 * p.n + 1);
        const int steps = lab_conjugate_gradients(run, &p, true, x, 10 * p.n, lengths);
        int k = 0;
        while (k < steps && lengths[k] > 1e-9 * lengths[0])
            k++;
        const lab_method sweep = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0};
        lab_bound(lab_add(run, "Spook p. 9", s.joints, NAN, k, 0.0,
                          "steps of conjugate gradients to 1e-9, %s (Gauss-Seidel: %.2g sweeps)",
                          i ? "cloth" : "wire of 1:100000",
                          lab_sweeps_to(lab_sweep_radius(run, &p, &sweep), 1e-9)),
                  LAB_AT_MOST);
    }
}

void lab_wires(lab_run *run)
{
    lab_part(run);
    over_sweeps(run);
    lab_part(run);
    over_stiffness(run);
    cloth_over_sweeps(run);
    lab_part(run);
    over_orders(run);
    lab_part(run);
    other_solvers(run);
    gradients(run);
}
