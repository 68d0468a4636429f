/* Settings: the list of all fields with default, unit and range.
 *
 * A row has three arguments more than other lists have (state/fields.h): the least and the largest value, and
 * what the log says of a value outside. `s` in a bound is the settings themselves. */
#ifndef STATE_SETTINGS_H
#define STATE_SETTINGS_H

#include "core/shared.h"
#include "state/fields.h"

#include <drystone/world.h>
#include <float.h>

/* The largest angular speed, that of small bodies, rad/s. */
#define DRY_SPIN_MAX 1e6f

/* clang-format off */
#define DRY_GRAVITY_DEFAULT {0.0f, -9.81f, 0.0f}
/* clang-format on */

#define DRY_SETTINGS_FIELDS(F, T)                                                                            \
    F(T, 1, dry_vec3, gravity, , DRY_GRAVITY_DEFAULT, "m/s^2", DRY_HASHED, DRY_BY_CALLS,                     \
      "acts on all dynamic bodies", -1e6, 1e6, "gravity must be finite, each component at most 1e6")         \
    F(T, 2, dry_solver, method.solver, , DRY_SOLVER_GAUSS_SEIDEL, "", DRY_HASHED, DRY_BY_CALLS,              \
      "how the constraint equation is iterated", 0, DRY_SOLVER_COUNT - 1, "solver is unknown")               \
    F(T, 3, dry_friction, method.friction, , DRY_FRICTION_CONE, "", DRY_HASHED, DRY_BY_CALLS,                \
      "how friction is limited", 0, DRY_FRICTION_COUNT - 1, "friction is unknown")                           \
    F(T, 4, int, substeps, , 0, "", DRY_HASHED, DRY_BY_CALLS,                                                \
      "of all islands; 0: each island its own, by its difficulty", 0, 256, "substeps must be 0 to 256")      \
    F(T, 5, int, substeps_min, , 4, "", DRY_HASHED, DRY_BY_CALLS, "floor of the automatic choice", 1, 256,   \
      "substeps_min must be 1 to 256")                                                                       \
    F(T, 6, int, substeps_max, , 128, "", DRY_HASHED, DRY_BY_CALLS, "ceiling of the automatic choice",       \
      s->substeps_min, 256, "substeps_max must be substeps_min to 256")                                      \
    F(T, 7, int, sweeps, , 0, "", DRY_HASHED, DRY_BY_CALLS,                                                  \
      "with the position term in a substep; 0: each island its own", 0, 256, "sweeps must be 0 to 256")      \
    F(T, 8, int, sweeps_min, , 1, "", DRY_HASHED, DRY_BY_CALLS, "floor of the automatic choice", 1, 256,     \
      "sweeps_min must be 1 to 256")                                                                         \
    F(T, 9, int, sweeps_max, , 4, "", DRY_HASHED, DRY_BY_CALLS, "ceiling of the automatic choice",           \
      s->sweeps_min, 256, "sweeps_max must be sweeps_min to 256")                                            \
    F(T, 10, int, relax_sweeps, , 1, "", DRY_HASHED, DRY_BY_CALLS, "without the position term in a substep", \
      0, 256, "relax_sweeps must be 0 to 256")                                                               \
    F(T, 51, float, method.relaxation, , 1.0f, "", DRY_HASHED, DRY_BY_CALLS,                                 \
      "share of its error that a constraint removes in a sweep with the position term", FLT_MIN, 1.9999999f, \
      "relaxation must be above 0 and below 2")                                                              \
    F(T, 53, bool, method.relaxation_adaptive, , false, "", DRY_HASHED, DRY_BY_CALLS,                        \
      "relaxation follows the convergence of each tier's sweeps", 0,                                         \
      s->sweeps >= 2 || (s->sweeps == 0 && s->sweeps_min >= 2),                                              \
      "relaxation_adaptive compares sweeps: sweeps, or sweeps_min if that is 0, must be at least 2")         \
    F(T, 52, dry_order, method.order, , DRY_ORDER_COLOR, "", DRY_HASHED, DRY_BY_CALLS,                       \
      "in which a sweep goes through constraints", 0, DRY_ORDER_COUNT - 1, "order is unknown")               \
    F(T, 11, bool, warm_start, , true, "", DRY_HASHED, DRY_BY_CALLS, "start from the last step's impulses",  \
      0, 1, "warm_start must be false or true")                                                              \
    F(T, 12, float, contact_hertz, , 0.0f, "Hz", DRY_HASHED, DRY_BY_CALLS,                                   \
      "contact stiffness as a frequency on the pair's own mass; 0: as the island's load asks", 0.0f, 1e5f,   \
      "contact_hertz must be 0 to 1e5")                                                                      \
    F(T, 13, float, contact_damping_ratio, , 3.0f, "", DRY_HASHED, DRY_BY_CALLS, "of that spring", 0.0f,     \
      1e3f, "contact_damping_ratio must be 0 to 1e3")                                                        \
    F(T, 14, float, contact_stiffness, , 0.0f, "N/m", DRY_HASHED, DRY_BY_CALLS,                              \
      "if not 0, replaces contact_hertz", 0.0f, 1e15f, "contact_stiffness must be 0 to 1e15")                \
    F(T, 15, float, contact_damping, , 2.0f, "substeps", DRY_HASHED, DRY_BY_CALLS,                           \
      "used with contact_stiffness", 0.0f, 1e3f, "contact_damping must be 0 to 1e3")                         \
    F(T, 41, float, method.push_factor, , 0.0f, "", DRY_HASHED, DRY_BY_CALLS,                                \
      "share of an overlap that a substep takes back; 0: contacts are springs", 0.0f,                        \
      s->contact_hertz > 0.0f || s->contact_stiffness > 0.0f ? 0.0f : 1.0f,                                  \
      "push_factor must be 0 to 1, and 0 with contact_hertz or contact_stiffness")                           \
    F(T, 16, float, push_out_speed_max, , 0.5f, "m/s", DRY_HASHED, DRY_BY_CALLS,                             \
      "largest speed at which overlap is pushed apart", FLT_MIN, FLT_MAX,                                    \
      "push_out_speed_max must be finite and above 0")                                                       \
    F(T, 17, float, restitution_speed_min, , 1.0f, "m/s", DRY_HASHED, DRY_BY_CALLS,                          \
      "approach speed below which nothing bounces", 0.0f, FLT_MAX,                                           \
      "restitution_speed_min must be finite and not negative")                                               \
    F(T, 62, float, spin_max, , 1e5f, "rad/s", DRY_HASHED, DRY_BY_CALLS,                                     \
      "angular speed that a dynamic body keeps at most where a step ends", FLT_MIN, DRY_SPIN_MAX,            \
      "spin_max must be above 0 and at most 1e6")                                                            \
    F(T, 18, float, hit_speed_min, , 1.0f, "m/s", DRY_HASHED, DRY_BY_CALLS,                                  \
      "approach speed above which a hit event is made", 0.0f, FLT_MAX,                                       \
      "hit_speed_min must be finite and not negative")                                                       \
    F(T, 19, float, speculative_margin, , 0.02f, "m", DRY_HASHED, DRY_BY_CALLS,                              \
      "contacts exist from this distance on", 0.0f, 1.0f, "speculative_margin must be 0 to 1")               \
    F(T, 20, float, recycle_distance, , 0.005f, "m", DRY_HASHED, DRY_BY_CALLS,                               \
      "a manifold is kept while its bodies moved less; 0: made anew in every step", 0.0f, FLT_MAX,           \
      "recycle_distance must be finite and not negative")                                                    \
    F(T, 25, dry_levers, levers, , DRY_LEVERS_HELD, "", DRY_HASHED, DRY_BY_CALLS,                            \
      "lever arms of contacts: true, or held as built", 0, DRY_LEVERS_COUNT - 1, "levers is unknown")        \
    F(T, 26, float, lever_distance, , 0.005f, "m", DRY_HASHED, DRY_BY_CALLS,                                 \
      "held lever arms are renewed when the bodies moved by this", 0.0f, FLT_MAX,                            \
      "lever_distance must be finite and not negative")                                                      \
    F(T, 27, float, lever_angle, , 0.0044f, "rad", DRY_HASHED, DRY_BY_CALLS,                                 \
      "held lever arms are renewed when either body turned by this", 0.0f, 1.0f,                             \
      "lever_angle must be 0 to 1")                                                                          \
    F(T, 28, int, shape_pairs_max, , 64, "", DRY_HASHED, DRY_BY_CALLS,                                       \
      "pairs for each shape of a body before it gets no more with bodies that have as many", 16, 1 << 24,    \
      "shape_pairs_max must be 16 to 2^24")                                                                  \
    F(T, 42, dry_integrator, method.integrator, , DRY_INTEGRATOR_RUNGE_KUTTA, "", DRY_HASHED, DRY_BY_CALLS,  \
      "from velocities to motion", 0, DRY_INTEGRATOR_COUNT - 1, "integrator is unknown")                     \
    F(T, 43, bool, method.modified_inertia, , false, "", DRY_HASHED, DRY_BY_CALLS,                           \
      "impulses turn a body as they turn a spinning top", 0,                                                 \
      s->method.integrator != DRY_INTEGRATOR_RUNGE_KUTTA,                                                    \
      "modified_inertia needs an integrator of first order")                                                 \
    F(T, 61, bool, method.geometric_stiffness, , false, "", DRY_HASHED, DRY_BY_CALLS,                        \
      "inertia has the geometric stiffness of joints while positions are swept", 0, 1,                       \
      "geometric_stiffness must be false or true")                                                           \
    F(T, 29, dry_joint_solver, joint_solver, , DRY_JOINT_SOLVER_ITERATIVE, "", DRY_HASHED, DRY_BY_CALLS,     \
      "of joints that name none", DRY_JOINT_SOLVER_ITERATIVE,                                                \
      s->method.integrator == DRY_INTEGRATOR_RUNGE_KUTTA ? DRY_JOINT_SOLVER_COUNT - 1                        \
                                                         : DRY_JOINT_SOLVER_ITERATIVE,                       \
      "joint_solver must be iterative, direct or auto; iterative with an integrator of first order")         \
    F(T, 30, double, method.joint_regularization, , 1e-10, "", DRY_HASHED, DRY_BY_CALLS,                     \
      "of direct joints: added to the diagonal of A, as a share of its norm", 1e-16, 1e-4,                   \
      "joint_regularization must be 1e-16 to 1e-4")                                                          \
    F(T, 21, int, method.colors_max, , 0, "", DRY_HASHED, DRY_BY_CALLS,                                      \
      "colors before constraints overflow; 0: 64", 0, 64, "colors_max must be 0 to 64")                      \
    F(T, 22, bool, sleep, , true, "", DRY_HASHED, DRY_BY_CALLS, "islands at rest fall asleep", 0, 1,         \
      "sleep must be false or true")                                                                         \
    F(T, 23, float, sleep_speed_max, , 0.05f, "m/s", DRY_HASHED, DRY_BY_CALLS,                               \
      "speed below which a body counts as at rest", 0.0f, FLT_MAX,                                           \
      "sleep_speed_max must be finite and not negative")                                                     \
    F(T, 24, float, sleep_after, , 0.5f, "s", DRY_HASHED, DRY_BY_CALLS, "at rest before sleep", 0.0f,        \
      FLT_MAX, "sleep_after must be finite and not negative")

DRY_LIST_MATCHES(dry_settings, DRY_SETTINGS_FIELDS, 19);

/* Returns the settings' defaults. */
DRY_SHARED dry_settings dry_settings_default(void);
/* Returns what is wrong with the first setting that is out of its range, null if all are within theirs. */
const char *dry_settings_range_error(const dry_settings *settings);

#endif
