/* Makes two mechanisms of the multibody literature with their published data.
 *
 * Writes a dry_scene through links.h. Points are constants: sine and cosine differ in the last bit between
 * machines. */
#include "tools/scenes/joints/makers.h"

enum { APART = -1 };

/* Adds a body with a mass and a moment of inertia about z: a square plate, upright in the world. */
static dry_link add_plate(maker *m, dry_point center, double mass, double inertia)
{
    const double half = sqrt(1.5 * inertia / mass);
    const dry_link link = dry_link_add(m, NULL, DRY_BODY_DYNAMIC, center, DRY_UPRIGHT);
    dry_link_shape(m, box_of((float)half, (float)half, 1e-3f), (dry_point){0}, APART);
    dry_link_mass(m, &link, mass);
    return link;
}

static dry_vec3 rounded(dry_point p)
{
    return (dry_vec3){(float)p.x, (float)p.y, (float)p.z};
}

/* Adds a spring between points of the world on two bodies. */
static void add_spring(maker *m, const dry_link *a, dry_point on_a, const dry_link *b, dry_point on_b,
                       const dry_joint_def *spring)
{
    dry_joint_def def = *spring;
    if (a->body == DRY_SCENE_WORLD)
        def.target = (dry_position){on_a.x, on_a.y, on_a.z};
    else
        def.anchor_a = rounded(dry_link_local(a, on_a));
    def.anchor_b = rounded(dry_link_local(b, on_b));
    add_joint(m, def, a->body, b->body);
}

/* Makes the squeezing mechanism of Andrews: seven bodies in a plane, ten hinges, one degree of freedom, a
 * spring, and a crank of 7 mm that a constant torque drives (dry_joint_scene.torque_Nm). Data and the pose at
 * the start are those of the test set for solvers of initial value problems (Mazzia and Magherini); after
 * 0.03 s the crank has turned to 15.8107711963 rad. */
void dry_make_andrews(maker *m, const dry_joint_setup *setup)
{
    (void)setup;
    m->scene->gravity = (dry_vec3){0};
    const dry_point o = {0.0, 0.0, 0.0}, a = {-0.06934, -0.00227, 0.0}, b = {-0.03635, 0.03273, 0.0},
                    c = {0.014, 0.072, 0.0};
    const dry_point p = {0.0069866741154514453, -0.00043172306456889549, 0.0};
    const dry_point e = {-0.020960022346354336, 0.0012951691937066864, 0.0};
    const dry_point d = {-0.010472393888814626, 0.025357788530275253, 0.0};
    const dry_point g = {-0.033997203885839981, 0.016461971674997682, 0.0};
    const dry_point h = {-0.031633134507408893, -0.015618868668304536, 0.0};
    const dry_point center3 = {-0.018742186670315457, 0.020485106789073934, 0.0};
    const dry_point center5 = {-0.053236828155704137, 0.016631847966616306, 0.0};
    const dry_point center7 = {-0.059262402801791715, -0.010600698332712844, 0.0};
    const double crank = 0.00092 / 0.007, second = 0.0115 / 0.028, fourth = 0.00579 / 0.02;
    const dry_point center1 = {crank * p.x, crank * p.y, 0.0};
    const dry_point center2 = {p.x + second * (e.x - p.x), p.y + second * (e.y - p.y), 0.0};
    const dry_point center4 = {g.x + fourth * (e.x - g.x), g.y + fourth * (e.y - g.y), 0.0};
    const dry_point center6 = {h.x + fourth * (e.x - h.x), h.y + fourth * (e.y - h.y), 0.0};
    const dry_link world = DRY_WORLD_LINK;
    const dry_link k1 = add_plate(m, center1, 0.04325, 2.194e-6);
    const dry_link k2 = add_plate(m, center2, 0.00365, 4.410e-7);
    const dry_link k3 = add_plate(m, center3, 0.02373, 5.255e-6);
    const dry_link k4 = add_plate(m, center4, 0.00706, 5.667e-7);
    const dry_link k5 = add_plate(m, center5, 0.07050, 1.169e-5);
    const dry_link k6 = add_plate(m, center6, 0.00706, 5.667e-7);
    const dry_link k7 = add_plate(m, center7, 0.05498, 1.912e-5);
    dry_link_hinge(m, &world, &k1, o);
    dry_link_hinge(m, &k1, &k2, p);
    dry_link_hinge(m, &k2, &k3, e);
    dry_link_hinge(m, &k2, &k4, e);
    dry_link_hinge(m, &k2, &k6, e);
    dry_link_hinge(m, &world, &k3, b);
    dry_link_hinge(m, &k4, &k5, g);
    dry_link_hinge(m, &world, &k5, a);
    dry_link_hinge(m, &k6, &k7, h);
    dry_link_hinge(m, &world, &k7, a);
    dry_joint_def spring = dry_default_joint_def(DRY_JOINT_DISTANCE);
    spring.length = 0.07785f;
    spring.stiffness = 4530.0f;
    add_spring(m, &world, c, &k3, d, &spring);
}

/* Makes the stiff flyball governor of the benchmark library of IFToMM (problem A05): a shaft with 2 pi rad/s,
 * two rods at 30 degrees below the horizontal with points of 5 kg at their ends, and a slider that two stiff
 * springs with dampers hold to the rods' middles. The shaft is along y. */
void dry_make_governor(maker *m, const dry_joint_setup *setup)
{
    (void)setup;
    const double density = 3000.0, cosine = 0.86602540378443865, sine = 0.5, aside = 0.05;
    const double speed = 6.283185307179586;
    const dry_point up = {0.0, 1.0, 0.0}, toward = {0.0, 0.0, 1.0}, spin = {0.0, speed, 0.0};
    const dry_point foot = {0.0, 0.0, 0.0};
    const dry_link world = DRY_WORLD_LINK;
    dry_shape_def bar = box_of(0.5f, 0.005f, 0.005f);
    bar.density = (float)density;
    const dry_link shaft =
        dry_link_add(m, NULL, DRY_BODY_DYNAMIC, (dry_point){0.0, 0.5, 0.0}, dry_rotation_toward(up));
    dry_link_shape(m, bar, (dry_point){0}, APART);
    dry_link_spin(m, &shaft, foot, spin);
    dry_link_join(m, dry_default_joint_def(DRY_JOINT_HINGE), &world, &shaft, foot, dry_rotation_toward(up));
    const dry_point at = {0.0, 0.5, 0.0};
    const dry_link slider = dry_link_add(m, NULL, DRY_BODY_DYNAMIC, at, DRY_UPRIGHT);
    dry_shape_def cube = box_of(0.05f, 0.05f, 0.05f);
    cube.density = (float)density;
    dry_link_shape(m, cube, (dry_point){0}, APART);
    dry_link_spin(m, &slider, foot, spin);
    dry_link_join(m, dry_default_joint_def(DRY_JOINT_SLIDER), &shaft, &slider, at, dry_rotation_toward(up));
    dry_joint_def spring = dry_default_joint_def(DRY_JOINT_DISTANCE);
    spring.length = 0.5f;
    spring.stiffness = 8e5f;
    spring.damping = 4e4f;
    for (int side = -1; side <= 1; side += 2) {
        const dry_point top = {aside * side, 1.0, 0.0};
        const dry_point out = {cosine * side, -sine, 0.0}; /* along the rod */
        const dry_point middle = {top.x + 0.5 * out.x, top.y + 0.5 * out.y, 0.0};
        const dry_link rod = dry_link_add(m, NULL, DRY_BODY_DYNAMIC, middle, dry_rotation_toward(out));
        dry_link_shape(m, bar, (dry_point){0}, APART);
        dry_shape_def point = shape_of(DRY_SHAPE_SPHERE);
        point.radius = 0.01f;
        point.density = (float)(5.0 / (4.0 / 3.0 * 3.14159265358979323846 * 1e-6));
        dry_link_shape(m, point, (dry_point){0.5, 0.0, 0.0}, APART);
        /* A body's velocity is that of its center of mass: 0.3 kg at 0.5 m and 5 kg at 1 m of the rod. */
        const double reach = (0.3 * 0.5 + 5.0 * 1.0) / 5.3;
        dry_link_move(m, &rod, (dry_point){0.0, 0.0, -speed * (top.x + reach * out.x)}, spin);
        dry_link_join(m, dry_default_joint_def(DRY_JOINT_HINGE), &shaft, &rod, top,
                      dry_rotation_toward(toward));
        add_spring(m, &slider, (dry_point){aside * side, at.y, 0.0}, &rod, middle, &spring);
    }
}
