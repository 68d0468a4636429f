/* SPDX-License-Identifier: MIT
 * How the constraint equation is solved: methods beside the default, for those who compare them. */
#ifndef DRYSTONE_METHODS_H
#define DRYSTONE_METHODS_H

#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The method that iterates the constraint equation. */
typedef enum dry_solver {
    DRY_SOLVER_GAUSS_SEIDEL = 0, /**< color by color [Spook 17-20]; the default */
    DRY_SOLVER_JACOBI, /**< all constraints from the same velocities; each body's mass is divided among its
                          constraints, and each sweep runs twice. What rests stands as with the default, at
                          2.6 times its instructions in a pyramid of 40. Sweeps push half as fast: bodies that
                          are calm before they have parted stay some mm deep. Kernels are at most AVX2 */
    DRY_SOLVER_PBD,  /**< position-based dynamics [Waterson 4.8, 5]: XPBD with rigid constraints alone, which
                        tremble in stacks. Costs as much. Refuses also springs, soft stops, motors to a
                        position, target joints, contact_hertz and contact_stiffness, that of shapes, too. */
    DRY_SOLVER_XPBD, /**< position-based dynamics with compliance [Waterson 6.4]. Each contact is measured at
                        the bodies as the others have moved and turned them, joints before each sweep.
                        Velocities follow from positions. The relax sweeps solve sliding friction of
                        contacts. Springs are those of implicit Euler steps once sweeps converge, since joints
                        begin each substep without impulses: a chain of ten bodies of 1 kg on springs of 10
                        kN/m, which stretches by 0.054 m in closed form, does by 0.187, 0.099 and 0.057 m with
                        1, 4 and 16 sweeps in 1/60 s, by 0.054 m with 4 in 1/240 s. 10 t on ten links of 1 kg
                        take 64 substeps of 16 sweeps. Refuses DRY_FRICTION_TWO_PHASE, direct joints,
                        relax_sweeps of 0, an adaptive relaxation, and a push_factor or integrator other than
                        the default. */
    DRY_SOLVER_AVBD, /**< block descent with an augmented Lagrangian [Waterson 7.1]: a sweep goes over bodies,
                        each of which solves its 6x6 system of all its contacts and joints; then multipliers
                        and penalties follow, which the next step begins with. A load does not pass from body
                        to body by the ratio of their masses: ten cubes whose masses double upward sink by
                        less than 0.2 mm, 1000 kg on 1 kg by less than 0.1 mm. Six sweeps for each that
                        Gauss-Seidel has; relax_sweeps correct no position. A sweep keeps no momentum (two
                        unit particles may move by -1/2 and +1/4); each step gives it back to what nothing
                        holds, within 1e-5, but not among bodies that a fixed one holds. Turning joints are
                        damped: a pendulum of 1 m from 0.5 rad in 4 substeps has 0.498 rad after a minute, in
                        one substep 0.1 rad. Overlaps close by 5 % in a step. The world keeps
                        some 350 bytes more for each contact. Errors, as settings and in calls that make or
                        change joints: friction other than CONE; contact_hertz, contact_stiffness and
                        contact_damping_ratio other than their defaults; joint_solver, and a joint's solver,
                        other than ITERATIVE; a target joint with a finite force_max; a
                        relaxation, order, push_factor or integrator other than the default; shapes
                        with contact_stiffness */
    DRY_SOLVER_COUNT
} dry_solver;

/** The model of friction. Friction is an impulse f along the two tangents at the center of a contact's patch.
 * This impulse stops the sliding velocity v there if its limit allows. mu >= 0 is the pair's coefficient, N
 * the sum of the normal impulses of the contact's points over a substep of length h. An impulse about the
 * normal, torsion, stops the spinning within mu N times the mean distance of the points from the center.
 * Gauss-Seidel and Jacobi take every model with both kinds of stiffness. Costs are instructions of a whole
 * step of a pyramid of 210 cubes. */
typedef enum dry_friction {
    DRY_FRICTION_CONE = 0,   /**< |f| <= mu N with the present N. A patch that slides has f = -mu N v / |v|
                                [Spook 3-5]. The default, and the fastest. */
    DRY_FRICTION_SCALED_BOX, /**< |f_1|, |f_2| <= mu m g h along each tangent while the contact has an
                                impulse, with 1 / m = 1 / m_a + 1 / m_b and g the length of gravity [Spook
                                43-44]. The limit ignores the load: it is right for one body on level ground,
                                too low under a stack, 0 without gravity, and up to sqrt(2) higher between the
                                tangents. Costs 3 % more than the cone. */
    DRY_FRICTION_TWO_PHASE,  /**< |f| <= mu N_0, where N_0 is the normal impulse of the same substep without
                                any friction [Spook p. 9]. Each substep first solves without friction, and then
                                with friction while N_0 stays. The limit is right where friction does not
                                change the normal forces; N_0 of soft springs is close to N. A patch that
                                slides has f = -mu N_0 v / |v|. Costs 40 % more than the cone. */
    DRY_FRICTION_VELOCITY,   /**< |f| <= mu N with the present N, and each sweep changes f along the present
                                sliding alone, by -v / (d^T K d) with d = v / |v| and K the 2x2 matrix of the
                                tangents, before it clamps f [Spook p. 9, as 4-5]. It slides as the cone does.
                                Where K differs between directions, a patch takes more sweeps to stick. Costs
                                3 % more than the cone. */
    DRY_FRICTION_WEIGHT_BOX, /**< |f_1|, |f_2| <= mu m |g . n| h along each tangent while the contact has an
                                impulse, with n its normal and m the mass of both bodies together, or of the
                                one that moves [Tamis 5.4]. It is right for one body on a slope of any angle.
                                Under a stack it is too low, between the bodies of a stack too high, and 0 at
                                a wall and without gravity. Costs as much as SCALED_BOX. */
    DRY_FRICTION_COUNT
} dry_friction;

/** The order in which a sweep goes through constraints. Constraints of one color share no body and go side by
 * side, so that an order is one of colors. The order decides how far a sweep hands loads on [Spook, notes on
 * Gauss-Seidel], and which errors sweeps leave. Joints that are solved directly, and what acts on their
 * bodies, come after all others in an order of their own. Jacobi's sweeps have no order, and refuse any but
 * the first one. Costs are instructions of a whole step of a pyramid of 210 cubes. */
typedef enum dry_order {
    DRY_ORDER_COLOR = 0,   /**< by color, one sweep forward and the next one backward; the default */
    DRY_ORDER_FORWARD,     /**< by color, always forward: over-relaxation converges as [Waterson 8.22] says in
                                this order alone */
    DRY_ORDER_LAYERS_UP,   /**< from the lowest layer of each island along gravity to the highest, by color in
                                each layer. Without gravity there is one layer. Layers are found in each step
                                and are narrow: a step costs 2.5 times as much */
    DRY_ORDER_LAYERS_DOWN, /**< from the highest layer to the lowest */
    DRY_ORDER_LAYERS,      /**< one sweep up and the next one down */
    DRY_ORDER_SHUFFLED,    /**< colors in an order that a fixed generator draws for each step from the number
                                of steps done; one sweep in this order and the next one backward */
    DRY_ORDER_SHUFFLED_SWEEPS, /**< the same, drawn anew for each sweep */
    DRY_ORDER_COUNT
} dry_order;

/** The integrator of dynamic bodies without locked axes. Gauss-Seidel and Jacobi solve velocities in substeps
 * of length h, and the integrator turns them into motion; the other solvers refuse all but the default. All
 * but the default are of first order: they also move the center of mass by semi-implicit Euler, x' = x + v'
 * h, so that a fall of n substeps is g h^2 / 2 n longer than the parabola. They need joints that are solved
 * in sweeps, because direct ones move their bodies themselves. A step of boxes that only spin takes 2,430
 * instructions a body with the default, and 2,880 to 3,280 with the others. */
typedef enum dry_integrator {
    DRY_INTEGRATOR_RUNGE_KUTTA = 0, /**< of fourth order, in parts of a tenth of a radian, with the parabola
                                       of bodies that only forces move; bounds the energy that a rotation adds
                                       to an impulse. The default */
    DRY_INTEGRATOR_EULER,           /**< semi-implicit Euler with the momentum L as state [Tamis 3.2]:
                                       o' = o + h/2 (I^-1 L') o, normalized: a rotation by w h falls short by
                                       (w h)^3 / 12. Keeps L exactly, the energy to first order */
    DRY_INTEGRATOR_EXPONENTIAL, /**< rotates by |w| h about w = I^-1 L' [CSE169, Tamis 12.4.1]. Exact for a
                                   sphere; keeps L exactly, the energy to first order */
    DRY_INTEGRATOR_EXPLICIT,    /**< the gyroscopic torque of the substep's beginning [Waterson 4.4]:
                                   w' = w - h I^-1 (w x I w), then as EXPONENTIAL. Gains energy, without
                                   bound where a body spins fast */
    DRY_INTEGRATOR_IMPLICIT,    /**< the gyroscopic torque of the substep's end, by one step of Newton's
                                   method in the body's frame, then as EXPONENTIAL [Waterson 4.1]. Loses
                                   energy, and stays bounded */
    DRY_INTEGRATOR_COUNT
} dry_integrator;

/** Settings of methods, part of dry_settings; defaults last. */
typedef struct dry_method_settings {
    dry_solver solver;     /**< Gauss-Seidel */
    dry_friction friction; /**< cone */
    float relaxation;      /**< the share of its error that a constraint removes in a sweep with the position
                                term, xi of [Waterson 4.73], above 0 and below 2. Above 1 (over-relaxation) loads
                                pass through chains in fewer sweeps, if many sweeps go in one direction: see
                                DRY_ORDER_FORWARD. Below 1 sweeps converge more slowly. Sweeps without the position
                                term, impacts and direct joints have 1. All solvers but AVBD take it, with every
                                friction model and stiffness. With PBD it is the stiffness k of [Waterson 4.13]:
                                below 1 joints are softer, the fewer sweeps the more. With PBD and XPBD an
                                overshoot goes on as motion: a joint alone swings up from 4/3 on with one sweep,
                                ragdolls come apart from 1.2 on. Another value than 1 costs Gauss-Seidel 12 % of a
                                step's instructions; 1 */
    bool relaxation_adaptive; /**< finds a relaxation of its own for each tier in each step, from `relaxation`
                           on [Waterson 4.9.3]: it follows the ratio of the changes of velocity of successive
                           sweeps with the position term, up while they shrink and down while they grow, 0.05
                           to 1.9. Needs two such sweeps in a substep to compare: `sweeps`, or `sweeps_min`
                           where that is 0, of at least 2. Islands of one tier share one. Made for orders that
                           go in one direction, and with the solver Jacobi; where sweeps alternate it mostly
                           goes too far. Refused by PBD, XPBD and AVBD. Costs 26 % of a step's instructions;
                           false */
    dry_order order;          /**< in which a sweep goes through constraints; COLOR */
    float push_factor;        /**< beta of contacts, 0 to 1; 0. Above 0, contacts are rigid in place of
                                   springs, and each substep takes back the share beta of an overlap q, at
                                   the speed beta q / h, at most push_out_speed_max [Tamis 5.3.1]. Needs
                                   contact_hertz 0 and contact_stiffness 0. The speed stays with the bodies
                                   where relax_sweeps is 0 (Baumgarte). Relax sweeps take it back, and are
                                   the second solve of [Tamis 8.1] once they converge; substeps 1 makes h the
                                   step. [Tamis 8.2]'s restitution is that of impacts. Costs nothing */
    dry_integrator integrator; /**< Runge-Kutta */
    bool modified_inertia; /**< rotates bodies by what impulses do to a spinning top: in a step, they turn a
                                body by (I + I [w dt]x - [I w dt]x)^-1 in place of I^-1 times their angular
                                impulse and time [Waterson 4.17]. The impulses themselves are solved with I,
                                since the matrix of constraints must stay symmetric. Needs an integrator of
                                first order; false */
    bool geometric_stiffness;    /**< adds h^2 times the geometric stiffness of a body's joints to its inertia
                                      while positions are swept [Waterson 7.20], from the impulses of the last
                                      step. No substep of a pendulum of frequency w is too long then; without,
                                      it diverges from (w h)^2 = 4 on. For arms beyond the radius of gyration:
                                      ten cubes of 0.1 m on arms of 0.5 m, with 100 kg below, open by 62 mm in
                                      place of 1.2 m in 4 substeps of 4 sweeps; rods open as before.
                                      Costs 10 % with ragdolls, nothing without joints. PBD and XPBD have it.
                                      Gauss-Seidel and Jacobi, which solve for velocities, and AVBD, which has
                                      its own always, refuse it; false */
    double joint_regularization; /**< of direct joints: what is added to the diagonal of A = G M^-1 G^T, as a
                                      share of its largest sum of a column, less for rows at split bodies:
                                      eps_T of [Tomcin 4], 1e-16 to 1e-4. It keeps redundant rows from a
                                      pivot of 0; a large one takes more iterations. Slender articulations,
                                      such as a scissor lift of over 10 segments, take less of it, 1e-15 at
                                      least, or they would give way; 1e-10 */
    int colors_max;              /**< colors before constraints overflow, 0 to 64; 0 takes 64; 0 */
} dry_method_settings;

/** Returns "gauss-seidel", "jacobi", "pbd", "xpbd" or "avbd"; null if out of range. */
DRY_API const char *dry_solver_name(dry_solver solver);
/** Finds the solver of a name. Returns false for an unknown name. */
DRY_API bool dry_solver_from_name(const char *name, dry_solver *solver);

/** Adds to the engine what libdrystone_methods has, and is part of that library: the solvers PBD, XPBD and
 * AVBD, joints that are solved directly, volume joints, adaptive relaxation, a push_factor, and all models of
 * friction, orders of sweeps and integrators but the defaults. It is called as the library is loaded, and no
 * world may step meanwhile. A program calls it before it makes a world where the linker would leave the
 * library out: where it is static, or with --as-needed. Further calls do nothing, and return once the library
 * has been added. */
DRY_API void dry_methods_register(void);

#ifdef __cplusplus
}
#endif

#endif
