/* Geometric stiffness as a mass term in the engine's worlds: the step of a pendulum, and falling chains. */
#include "tools/lab/geometric.h"

#include "tools/lab/bodies.h"
#include "tools/lab/variants.h"

#include <math.h>

enum { LINKS = 10, STEPS = 300 };
#define ARM 0.5f /* from the center of a link to its joints, m */

static dry_settings settings_of(dry_solver solver, bool stiff, int substeps, int sweeps)
{
    dry_settings settings = dry_default_settings();
    settings.sleep = false;
    settings.method.solver = solver;
    settings.method.geometric_stiffness = stiff;
    settings.substeps = substeps;
    settings.sweeps = sweeps;
    return settings;
}

/* Lets a ball swing about a point of its surface from 0.02 rad, a substep a step of dt. Returns the factor by
 * which a step shrinks the swing: angles follow a'' = t a' - d a, and the factor is the root of d. */
static double swing(lab_run *run, bool stiff, double dt)
{
    enum { FIRST = 2, ANGLES = 6 };
    const double begin = 0.02, r = 0.1;
    const dry_settings settings = settings_of(DRY_SOLVER_PBD, stiff, 1, 32);
    dry_world *world = lab_world(run, &settings);
    const dry_shape_def ball = lab_shape(DRY_SHAPE_SPHERE, r);
    const dry_position at = {r * sin(begin), -r * cos(begin), 0.0};
    const dry_body_id id = lab_add_body(run, world, &ball, 1.0, at, (dry_vec3){0.0f, 0.0f, 0.0f});
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_b = id;
    def.anchor_b = (dry_vec3){(float)-at.x, (float)-at.y, 0.0f};
    lab_check(run, dry_world_create_joint(world, &def, &(dry_joint_id){0}));
    double angle[ANGLES];
    for (int i = 0; i < ANGLES; i++) {
        lab_check(run, dry_world_step(world, (float)dt));
        const dry_position p = lab_position(run, world, id);
        angle[i] = atan2(p.x, -p.y);
    }
    const double *a = angle + FIRST;
    return sqrt((a[1] * a[3] - a[2] * a[2]) / (a[0] * a[2] - a[1] * a[1]));
}

static void pendulum_rows(lab_run *run)
{
    static const double dt[] = {1.0 / 60, 1.0 / 20, 1.0 / 10};
    for (int i = 0; i < (int)(sizeof dt / sizeof *dt); i++)
        for (int stiff = 0; stiff < 2; stiff++) {
            const double square = 9.81 / (1.4 * 0.1) * dt[i] * dt[i];
            lab_add(run, "Waterson 7.20", NAN, 1.0, swing(run, stiff, dt[i]), 1e-3,
                    "swing after a substep, w h = %.2f, engine's PBD, %s", sqrt(square),
                    stiff ? "stiff" : "plain");
        }
}

/* Ten bodies of 1 kg on ball joints, in a line; the last one has a load. */
typedef struct fall {
    const char *name;
    dry_vec3 half; /* of the boxes, m */
    double load;   /* kg */
    int substeps, sweeps;
} fall;

typedef struct fall_outcome {
    double open; /* largest, m */
    double lost; /* energy, over the load's weight times 10 m */
} fall_outcome;

/* Lets a chain fall from the horizontal for 5 s. */
static fall_outcome let_fall(lab_run *run, const fall *f, dry_solver solver, bool stiff)
{
    const dry_settings settings = settings_of(solver, stiff, f->substeps, f->sweeps);
    dry_world *world = lab_world(run, &settings);
    dry_shape_def box = lab_shape(DRY_SHAPE_BOX, 0.5);
    dry_body_id id[LINKS];
    dry_joint_id joint[LINKS];
    box.half_extents = f->half;
    box.filter.group = -1;
    for (int i = 0; i < LINKS; i++) {
        const dry_position at = {i + 0.5, 0.0, 0.0};
        id[i] =
            lab_add_body(run, world, &box, i < LINKS - 1 ? 1.0 : f->load, at, (dry_vec3){0.0f, 0.0f, 0.0f});
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.body_b = id[i];
        def.anchor_b.x = -ARM;
        if (i > 0) {
            def.body_a = id[i - 1];
            def.anchor_a.x = ARM;
        }
        lab_check(run, dry_world_create_joint(world, &def, &joint[i]));
    }
    const double begin = dry_world_energy(world).total_J;
    fall_outcome outcome = {0.0, 0.0};
    for (int step = 0; step < STEPS; step++) {
        lab_check(run, dry_world_step(world, 1.0f / 60.0f));
        for (int i = 0; i < LINKS; i++) {
            float gap, turn;
            lab_check(run, dry_joint_get_error(world, joint[i], &gap, &turn));
            outcome.open = fmax(outcome.open, (double)gap);
        }
    }
    outcome.lost = (begin - dry_world_energy(world).total_J) / (9.81 * LINKS * f->load);
    return outcome;
}

#define ROD                                                                                                  \
    {                                                                                                        \
        0.5f, 0.025f, 0.025f                                                                                 \
    }
#define CUBE                                                                                                 \
    {                                                                                                        \
        0.05f, 0.05f, 0.05f                                                                                  \
    }

static void fall_rows(lab_run *run)
{
    enum { CUBES = 5 }; /* where they begin in the list */
    static const char unknown[] = "no theory: the number beside it is the same fall without the term";
    static const fall falls[] = {{"rods", ROD, 1.0, 4, 4},     {"rods", ROD, 100.0, 4, 4},
                                 {"rods", ROD, 100.0, 16, 16}, {"rods", ROD, 1e4, 16, 4},
                                 {"rods", ROD, 1e4, 64, 16},   {"cubes", CUBE, 1.0, 4, 4},
                                 {"cubes", CUBE, 100.0, 4, 4}, {"cubes", CUBE, 100.0, 16, 16},
                                 {"cubes", CUBE, 1e4, 16, 4},  {"cubes", CUBE, 1e4, 64, 16}};
    for (int i = 0; i < (int)(sizeof falls / sizeof *falls); i++) {
        const fall *f = &falls[i];
        if (run->options->quick && (f->load > 100.0 || f->substeps > 4))
            continue;
        fall_outcome outcome[2];
        for (int stiff = 0; stiff < 2; stiff++) {
            outcome[stiff] = let_fall(run, f, DRY_SOLVER_PBD, stiff);
            const char *how = stiff ? "stiff" : "plain";
            /* As in the model, the term changes nothing that counts where rods hang under a load. */
            lab_row *row = lab_add(run, "Waterson 7.20", NAN, outcome[0].open, outcome[stiff].open, 0.03,
                                   "engine's PBD: opening, %s, %g kg, %d substeps of %d, %s, m", f->name,
                                   f->load, f->substeps, f->sweeps, how);
            if (i >= CUBES || f->load == 1.0)
                lab_unbounded(row, unknown);
            row = lab_add(run, "Waterson 7.20", NAN, outcome[0].lost, outcome[stiff].lost, INFINITY,
                          "engine's PBD: energy lost, %s, %g kg, %d substeps of %d, %s", f->name, f->load,
                          f->substeps, f->sweeps, how);
            lab_unbounded(row, unknown);
        }
    }
}

/* Draws the opening over the arm's length, in radii of gyration: cubes of 1 m to 4 cm. */
static void draw(lab_run *run)
{
    enum { COUNT = 7 };
    static const float half[COUNT] = {0.5f, 0.3f, 0.2f, 0.12f, 0.08f, 0.04f, 0.02f};
    static const struct {
        const char *name;
        dry_solver solver;
        bool stiff;
    } curves[] = {{"PBD", DRY_SOLVER_PBD, false},
                  {"PBD, stiff", DRY_SOLVER_PBD, true},
                  {"AVBD", DRY_SOLVER_AVBD, false},
                  {"Gauss-Seidel", DRY_SOLVER_GAUSS_SEIDEL, false}};
    lab_plot *plot = lab_add_plot(run, "arms", "100 kg on nine cubes, 4 substeps of 4 sweeps, the engine",
                                  "arm over radius of gyration", "largest opening in 5 s, m");
    plot->log_x = plot->log_y = true;
    for (int k = 0; k < (int)(sizeof curves / sizeof *curves); k++) {
        double ratio[COUNT], open[COUNT];
        for (int i = 0; i < COUNT; i++) {
            const fall f = {"cubes", {half[i], half[i], half[i]}, 100.0, 4, 4};
            ratio[i] = (double)ARM / ((double)half[i] * sqrt(2.0 / 3.0));
            open[i] = let_fall(run, &f, curves[k].solver, curves[k].stiff).open;
        }
        lab_add_curve(run, curves[k].name, ratio, open, COUNT);
    }
}

void lab_geometric_worlds(lab_run *run)
{
    pendulum_rows(run);
    fall_rows(run);
    if (!run->options->quick)
        draw(run);
}
