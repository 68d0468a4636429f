/* Spectral radius and diagonal dominance [Waterson 4.71] of stacks, pyramids and grids of joints. */
#include "tools/lab/experiments.h"
#include "tools/lab/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char lab_dominance_text[] =
    "r is the largest sum of |A_ij| off the diagonal over A_ii [Waterson 4.71]. Below 1 it bounds the "
    "radius of Gauss-Seidel; above 1 it says nothing. Softness e, eps as a share of the largest "
    "diagonal element [Spook 11], divides it by 1 + e. Contacts of spheres and joints have one row "
    "each. In a tower of spheres each row but the lowest has r = 1 / (1 + e), the rows are ordered as "
    "in a chain, and so the radius is at most (1 / (1 + e))^2. The bound is close where the tower is "
    "long. The rows with *at most* hold the radius against these bounds.\n\n"
    "**The bound is not that of all towers.** Cubes touch in four points. The four rows of a contact "
    "depend on each other, they are not ordered as a chain's, and r is near 3. The radius of a tower of "
    "cubes is above (1 / (1 + e))^2: slightly where contacts are nearly rigid, by 30 % at e = 0.5. So "
    "is that of pyramids and of grids of joints. A larger r goes with a larger radius at the same e, "
    "but not in proportion.\n\n"
    "The engine's values are measured from its residuals. Its sweeps go forward and backward in turn "
    "through the colors, which a greedy choice in the order of creation gives, or in the order of the "
    "row; the exact value is the radius of these sweeps on A. The four points of a contact are solved "
    "two by two, each pair twice in a sweep of springs, with 63/64 of the coupling of its points. The "
    "double-precision sweeps do the same. The slowest mode of a tower is a tilt: load goes from a point "
    "to the one across from it, alike in all contacts. The loads at the begin are nearly even and "
    "hardly excite it, so that the residuals fall faster within 120 sweeps. The rows \"rate\" therefore "
    "hold the engine's rate against that of the same sweeps in double precision, and give their radius "
    "as predicted.\n";

static const float step_s = 0.01f;

/* The share of the coupling of two points that the engine takes, so that equal points do not make it
 * singular. */
static const double pair_coupling = 1.0 - 1.0 / 64.0;

/* Softness as a share of the largest diagonal element, and a stiffness and a damping that give it. */
typedef struct softness {
    double stiffness, damping; /* N/m, substeps */
} softness;

static softness softness_of(const lab_problem *hard, double share)
{
    double largest = 0.0;
    for (int i = 0; i < hard->n; i++)
        largest = fmax(largest, hard->a[i * hard->n + i]);
    /* A fifth of what sweeps converge on, and the damping that leaves this softness [Spook 11]. */
    const double h = (double)step_s, stiffness = 0.3 / (h * h * largest), soft = share * largest;
    return (softness){stiffness, (4.0 / (h * h * stiffness * soft) - 1.0) / 4.0};
}

typedef dry_world *build_function(lab_run *run, int size, const softness *soft, const dry_settings *settings);

static dry_body_id add(lab_run *run, dry_world *world, const dry_shape_def *shape, bool dynamic,
                       dry_position at, dry_vec3 spin)
{
    dry_body_def def = dry_default_body_def();
    def.type = dynamic ? DRY_BODY_DYNAMIC : DRY_BODY_STATIC;
    def.shapes = shape;
    def.shape_count = 1;
    def.mass = dynamic ? 1.0f : 0.0f;
    def.pose.position = at;
    def.velocity.angular = spin;
    dry_body_id id;
    lab_check(run, dry_world_create_body(world, &def, &id));
    return id;
}

/* Returns a slow spin for body number i, which excites the modes that even loads do not. */
static dry_vec3 spin_of(int i)
{
    return (dry_vec3){0.005f * (float)(i % 3 - 1), 0.0f, 0.004f * (float)(i * i % 5 - 2)};
}

static dry_world *with_floor(lab_run *run, const softness *soft, const dry_settings *settings)
{
    dry_settings changed = *settings;
    changed.gravity.y = -9.81f;
    changed.contact_stiffness = (float)soft->stiffness;
    changed.contact_damping = (float)soft->damping;
    changed.levers = DRY_LEVERS_TRUE;
    dry_world *world = lab_world(run, &changed);
    dry_shape_def ground = dry_default_shape_def();
    ground.type = DRY_SHAPE_HALFSPACE;
    ground.friction = 0.0f;
    add(run, world, &ground, false, (dry_position){0}, (dry_vec3){0});
    return world;
}

static dry_shape_def slippery(dry_shape_type type)
{
    dry_shape_def shape = dry_default_shape_def();
    shape.type = type;
    shape.friction = 0.0f;
    return shape;
}

static dry_world *sphere_tower(lab_run *run, int size, const softness *soft, const dry_settings *settings)
{
    dry_world *world = with_floor(run, soft, settings);
    const dry_shape_def sphere = slippery(DRY_SHAPE_SPHERE);
    for (int i = 0; i < size; i++)
        add(run, world, &sphere, true, (dry_position){0.0, 0.5 + i, 0.0}, (dry_vec3){0});
    return world;
}

static dry_world *cube_tower(lab_run *run, int size, const softness *soft, const dry_settings *settings)
{
    dry_world *world = with_floor(run, soft, settings);
    const dry_shape_def cube = slippery(DRY_SHAPE_BOX);
    for (int i = 0; i < size; i++)
        add(run, world, &cube, true, (dry_position){0.0, 0.5 + i, 0.0}, spin_of(i));
    return world;
}

static dry_world *pyramid(lab_run *run, int size, const softness *soft, const dry_settings *settings)
{
    dry_world *world = with_floor(run, soft, settings);
    const dry_shape_def cube = slippery(DRY_SHAPE_BOX);
    for (int row = 0; row < size; row++)
        for (int i = 0; i < size - row; i++)
            add(run, world, &cube, true, (dry_position){1.1 * (i + 0.5 * row), 0.5 + row, 0.0},
                spin_of(3 * row + i));
    return world;
}

/* Bodies in a plane, joined to their neighbors and along one diagonal of each cell; the highest row is fixed.
 * All start at rest: the engine counts the centripetal acceleration of moving ones, which the equation does
 * not. */
static dry_world *joint_grid(lab_run *run, int size, const softness *soft, const dry_settings *settings)
{
    enum { GRID_MAX = 8 };
    static const int across[3] = {1, 0, 1}, down[3] = {0, 1, 1};
    dry_settings changed = *settings;
    changed.gravity.y = -9.81f;
    dry_world *world = lab_world(run, &changed);
    dry_body_id id[GRID_MAX][GRID_MAX];
    dry_shape_def sphere = slippery(DRY_SHAPE_SPHERE);
    sphere.radius = 0.1f;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            id[i][j] = add(run, world, &sphere, j > 0, (dry_position){i, -j, 0.0}, (dry_vec3){0});
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            for (int k = 0; k < 3; k++) {
                if (i + across[k] >= size || j + down[k] >= size || (j == 0 && k == 0))
                    continue;
                dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
                def.body_a = id[i][j];
                def.body_b = id[i + across[k]][j + down[k]];
                def.length = k == 2 ? sqrtf(2.0f) : 1.0f;
                def.stiffness = (float)soft->stiffness;
                def.damping = (float)(soft->damping * soft->stiffness * (double)step_s);
                lab_check(run, dry_world_create_joint(world, &def, &(dry_joint_id){0}));
            }
    return world;
}

/* Builds the equation of a scene; contacts are found by a step of no time. */
static lab_problem equation(lab_run *run, build_function *build, int size, const softness *soft, bool hard,
                            lab_system *system)
{
    const dry_settings settings = lab_settings(1);
    dry_world *world = build(run, size, soft, &settings);
    lab_check(run, dry_world_step(world, 0.0f));
    *system = lab_system_of(run, world);
    lab_spook spook = lab_spook_of(soft->stiffness, soft->damping, (double)step_s);
    if (hard)
        spook.softness = 0.0;
    return lab_system_problem(run, system, &spook, dry_world_get_settings(world).gravity, (double)step_s);
}

/* The rows of a sweep of the engine. A joint has one row; a contact has those of its points, and its first
 * two points are solved together, and so are the other two, twice in each sweep where contacts are springs.
 */
typedef struct engine_rows {
    int *order, *partner;
    int count;
} engine_rows;

/* Returns the rows behind row i that are of the same contact, itself included. */
static int contact_rows(const lab_system *s, int i)
{
    int end = i + 1;
    while (s->row[i].contact && end < s->rows && s->row[end].contact && s->row[end].a == s->row[i].a &&
           s->row[end].b == s->row[i].b)
        end++;
    return end - i;
}

/* Adds the rows of one contact or joint. */
static void add_rows(engine_rows *e, int first, int count)
{
    for (int twice = 0; twice < (count > 2 ? 2 : 1); twice++)
        for (int i = 0; i < count; i += 2) {
            e->order[e->count++] = first + i;
            e->partner[first + i] = i + 1 < count ? first + i + 1 : -1;
        }
}

/* Returns contacts and joints in the order of the colors: each takes the lowest color that none of its bodies
 * has. */
static engine_rows color_order(lab_run *run, const lab_system *s, bool backward)
{
    engine_rows e = {.order = lab_take(run, 2 * (size_t)s->rows, sizeof *e.order),
                     .partner = lab_take(run, (size_t)s->rows, sizeof *e.partner)};
    int *color = lab_take(run, (size_t)s->rows, sizeof *color), colors = 0;
    uint64_t *taken = lab_take(run, (size_t)s->bodies, sizeof *taken);
    for (int i = 0; i < s->rows; i += contact_rows(s, i)) {
        const int a = s->row[i].a, b = s->row[i].b;
        const uint64_t both = (a >= 0 ? taken[a] : 0) | (b >= 0 ? taken[b] : 0);
        while (color[i] < 64 && both >> color[i] & 1)
            color[i]++;
        if (color[i] == 64)
            lab_fail(run, "more than 64 colors");
        if (a >= 0)
            taken[a] |= (uint64_t)1 << color[i];
        if (b >= 0)
            taken[b] |= (uint64_t)1 << color[i];
        colors = color[i] >= colors ? color[i] + 1 : colors;
    }
    for (int c = 0; c < colors; c++)
        for (int i = 0; i < s->rows; i += contact_rows(s, i))
            if (color[i] == (backward ? colors - 1 - c : c))
                add_rows(&e, i, contact_rows(s, i));
    return e;
}

typedef struct scene {
    const char *name;
    build_function *build;
    int size;
    bool single;  /* each pair has one row, so that the engine's sweeps are those of rows */
    bool bounded; /* (1 / (1 + e))^2 bounds the radius */
} scene;

/* The engine's orders, and what they are of rows. */
typedef struct engine_order {
    const char *name;
    dry_order order;
    bool by_color, alternate, reversed;
} engine_order;

static void against_engine(lab_run *run, const scene *of, const softness *soft, const lab_problem *p,
                           const lab_system *system, double share, const engine_order *how)
{
    enum { SWEEPS = 120 };
    const engine_rows forward = color_order(run, system, false), backward = color_order(run, system, true);
    for (int i = 0; i < p->n && !how->by_color; i++) {
        /* A tower's bodies are numbered upward after the floor, and so is the higher body of each contact. */
        const int a = system->row[i].a, b = system->row[i].b, height = (a > b ? a : b) - 1;
        forward.order[how->reversed ? p->n - 1 - height : height] = i;
    }
    const lab_method method = {.kind = LAB_GAUSS_SEIDEL,
                               .relaxation = 1.0,
                               .order = forward.order,
                               .back = how->by_color ? backward.order : NULL,
                               .order_count = forward.count,
                               .partner = forward.partner,
                               .coupling = pair_coupling,
                               .alternate = how->alternate};
    double *x = lab_doubles(run, p->n), *r = lab_doubles(run, p->n), *own = lab_doubles(run, p->n),
           *lengths = lab_doubles(run, SWEEPS + 1);
    double *own_lengths = lab_doubles(run, SWEEPS + 1);
    lengths[0] = own_lengths[0] = lab_residual(p, x, r);
    double apart = 0.0, largest = 0.0;
    for (int k = 1; k <= SWEEPS; k++) {
        dry_settings settings = lab_settings(k);
        settings.method.order = how->order;
        dry_world *world = of->build(run, of->size, soft, &settings);
        lab_check(run, dry_world_step(world, 0.0f));
        lab_check(run, dry_world_step(world, step_s));
        lab_system_impulses(run, system, world, x);
        lengths[k] = lab_residual(p, x, r);
        lab_sweep(p, &method, k - 1, own, r);
        own_lengths[k] = lab_residual(p, own, r);
        for (int i = 0; i < p->n && k == 10; i++) {
            apart = fmax(apart, fabs(own[i] - x[i]));
            largest = fmax(largest, fabs(own[i]));
        }
    }
    const double radius = lab_sweep_radius(run, p, &method),
                 rate = lab_tail_rate(lengths, SWEEPS + 1, 0.4, 1e-5);
    if (of->single)
        lab_add(run, "Waterson 4.70", NAN, radius, rate, 0.01, "radius, the engine%s, %s, e = %g", how->name,
                of->name, share);
    else
        lab_add(run, "Waterson 4.70", radius, lab_tail_rate(own_lengths, SWEEPS + 1, 0.4, 1e-5), rate, 0.01,
                "rate, the engine%s, %s, e = %g (predicted: radius)", how->name, of->name, share);
    if (share < 0.05 && how->order == DRY_ORDER_COLOR) {
        double *shares = lab_doubles(run, SWEEPS + 1);
        for (int k = 0; k <= SWEEPS; k++)
            shares[k] = lengths[k] / lengths[0];
        lab_add_sequence(run, of->name, 0.0, shares, SWEEPS + 1);
    }
    lab_add(run, "Spook 17-20", NAN, 0.0, apart / largest, 1e-5,
            "impulses after 10 sweeps, the engine's against double precision");
}

static void scene_rows(lab_run *run, const scene *of, double share)
{
    const softness unit = {1.0, 1.0};
    lab_system system;
    const lab_problem hard = equation(run, of->build, of->size, &unit, true, &system);
    const softness soft = softness_of(&hard, share);
    const lab_problem p = equation(run, of->build, of->size, &soft, false, &system);
    const lab_method sweep = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0};
    const double r = lab_dominance(&p), radius = lab_sweep_radius(run, &p, &sweep),
                 bound = 1.0 / ((1.0 + share) * (1.0 + share));
    lab_add(run, "(1 / (1 + e))^2", bound, radius, lab_sweep_power_radius(run, &p, &sweep, 20000), 1e-3,
            "radius, %s, e = %g, r = %.3g", of->name, share, r);
    if (r < 1.0)
        lab_bound(lab_add(run, "Waterson 4.68", r, NAN, radius, 0.0, "the same"), LAB_AT_MOST);
    if (of->bounded)
        lab_bound(lab_add(run, "(1 / (1 + e))^2", bound, NAN, radius, 0.0, "the same"), LAB_AT_MOST);
    static const engine_order orders[] = {{"", DRY_ORDER_COLOR, true, true, false},
                                          {" forward", DRY_ORDER_FORWARD, true, false, false},
                                          {" by layers up", DRY_ORDER_LAYERS_UP, false, false, false},
                                          {" by layers down", DRY_ORDER_LAYERS_DOWN, false, false, true},
                                          {" by layers up and down", DRY_ORDER_LAYERS, false, true, false}};
    /* The layers of a tower are its contacts. Rates of fast or long ones end in rounding before the slowest
     * mode is alone. */
    const int count = of->build == sphere_tower && of->size <= 10 && share < 0.05 ? 5 : share < 0.5 ? 2 : 1;
    for (int i = 0; i < count; i++)
        against_engine(run, of, &soft, &p, &system, share, &orders[i]);
}

void lab_radius_and_dominance(lab_run *run)
{
    static const scene scenes[] = {
        {"tower of 10 spheres", sphere_tower, 10, true, true},
        {"tower of 40 spheres", sphere_tower, 40, true, true},
        {"tower of 5 cubes", cube_tower, 5, false, false},
        {"tower of 10 cubes", cube_tower, 10, false, false},
        {"pyramid of base 5", pyramid, 5, false, false},
        {"grid of 4 x 4 joints", joint_grid, 4, true, false},
    };
    lab_add_plot(run, "residuals", "The engine's residuals, colors forward and backward in turn, e = 0.02",
                 "sweeps", "residual, share of the first")
        ->log_y = true;
    for (int i = 0; i < 6; i++) {
        lab_part(run);
        if (run->options->quick && (i == 1 || i == 3 || i == 4))
            continue;
        scene_rows(run, &scenes[i], 0.02);
        scene_rows(run, &scenes[i], 0.1);
        /* The modes of a long soft tower are too close to each other for a rate within 120 sweeps. */
        if (!run->options->quick && scenes[i].size < 40)
            scene_rows(run, &scenes[i], 0.5);
    }
}
