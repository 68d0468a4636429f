/* Measures what single rows have of their own, most of it against a closed form, into trial->own[0]. The
 * other elements keep what a look needs from one step to the next. */
#include "tools/scenes/joints/joint_rows.h"

#include <math.h>

#define TWO_PI 6.283185307179586

static dry_pose pose_of(const dry_joint_trial *trial, int body)
{
    dry_pose pose = {0};
    (void)dry_body_get_pose(trial->world, trial->bodies[body], &pose);
    return pose;
}

static dry_velocity velocity_of(const dry_joint_trial *trial, int body)
{
    dry_velocity velocity = {0};
    (void)dry_body_get_velocity(trial->world, trial->bodies[body], &velocity);
    return velocity;
}

/* Returns the larger number; NaN if one is. */
static double larger(double a, double b)
{
    return a >= b || a != a ? a : b;
}

static double length(dry_vec3 v)
{
    const double x = (double)v.x, y = (double)v.y, z = (double)v.z;
    return sqrt(x * x + y * y + z * z);
}

/* Returns the rotation about z, rad, from -pi to pi. */
static double angle_of(dry_quat q)
{
    return 2.0 * atan2((double)q.z, (double)q.w) -
           TWO_PI * rint(2.0 * atan2((double)q.z, (double)q.w) / TWO_PI);
}

void dry_look_arm(dry_joint_trial *trial)
{
    const dry_pose pose = pose_of(trial, trial->body_count - 1);
    const double a = angle_of(pose.orientation), half = 0.5 * DRY_ROD_M,
                 reach = DRY_ROD_M * trial->body_count;
    const double x = pose.position.x + half * cos(a) - reach, y = pose.position.y + half * sin(a);
    trial->own[0] = sqrt(x * x + y * y + pose.position.z * pose.position.z) / reach;
}

/* Returns the kinetic energy of the crank, its rod and the piston at an angle of the crank. With w the
 * crank's speed and sin b = (r / l) sin a, the rod turns at -w (r / l) cos a / cos b. */
static double crank_energy(double a, double w)
{
    const double r = DRY_CRANK_M, l = DRY_CONROD_M;
    const double sb = r / l * sin(a), cb = sqrt(1.0 - sb * sb), wb = w * r / l * cos(a) / cb;
    const double piston = -r * w * sin(a) - l * wb * sb;
    const double x = -r * w * sin(a) - 0.5 * l * wb * sb, y = r * w * cos(a) - 0.5 * l * wb * cb;
    const double bar = 4e-4; /* squared thickness of both bars, m^2 */
    return 0.5 * DRY_CRANK_KG * (r * r / 3.0 + bar / 12.0) * w * w +
           0.5 * DRY_CONROD_KG * (x * x + y * y + (l * l + bar) / 12.0 * wb * wb) +
           0.5 * DRY_PISTON_KG * piston * piston;
}

void dry_look_crank(dry_joint_trial *trial)
{
    const double w = trial->setup.value * TWO_PI / 60.0;
    double most = 0.0;
    for (int i = 0; i < 360; i++)
        most = fmax(most, crank_energy(TWO_PI * i / 360.0, w));
    trial->own[0] = larger(trial->own[0], dry_world_energy(trial->world).kinetic_J / most);
}

void dry_look_hub(dry_joint_trial *trial)
{
    const dry_velocity hub = velocity_of(trial, 0);
    for (int i = 1; i < trial->body_count; i++) {
        const dry_velocity v = velocity_of(trial, i);
        const dry_vec3 apart = {v.linear.x - hub.linear.x, v.linear.y - hub.linear.y,
                                v.linear.z - hub.linear.z};
        trial->own[0] = larger(trial->own[0], length(apart));
    }
}

/* Compares each spring with its closed form: the spring above body i of n bears n - i bodies. */
void dry_look_springs(dry_joint_trial *trial)
{
    const int n = trial->body_count - 1; /* the first body is the trolley */
    const double one = DRY_SPRING_KG * (double)9.81f / trial->setup.value;
    trial->own[0] = 0.0;
    for (int i = 0; i < n; i++) {
        const double stretch = one * (n - i);
        const double spring = pose_of(trial, i).position.y - pose_of(trial, i + 1).position.y - DRY_SPRING_M;
        trial->own[0] = larger(trial->own[0], fabs(spring - stretch) / stretch);
    }
}

/* Sums energy in the trolley's frame, where the springs are passive: 1/2 m |v - u|^2, gravity, springs. */
void dry_look_jerked(dry_joint_trial *trial)
{
    const double u = 1.0;
    double momentum = 0.0, mass = 0.0;
    for (int i = 1; i < trial->body_count; i++) {
        momentum += DRY_SPRING_KG * (double)velocity_of(trial, i).linear.x;
        mass += DRY_SPRING_KG;
    }
    const double energy = dry_world_energy(trial->world).total_J - u * momentum + 0.5 * mass * u * u;
    if (trial->steps == 0)
        trial->own[1] = energy;
    trial->own[0] = larger(trial->own[0], (energy - trial->own[1]) / (0.5 * mass * u * u));
}

void dry_look_rest(dry_joint_trial *trial)
{
    trial->own[0] = trial->fastest_m_s;
}

void dry_look_load(dry_joint_trial *trial)
{
    const double y = pose_of(trial, trial->body_count - 1).position.y;
    if (trial->steps == 0)
        trial->own[1] = y;
    trial->own[0] = fabs((y - trial->own[1]) / trial->own[1]);
}

/* Counts faults. own[1] is the impulse along x that the reactions of the second joint tell: the momentum that
 * its plate and ball have lost. own[2] counts the steps with an event, own[3] whether the first joint broke.
 */
void dry_look_impact(dry_joint_trial *trial)
{
    if (trial->steps == 0)
        return;
    const dry_events events = dry_world_events(trial->world);
    for (int i = 0; i < events.joint_count; i++)
        trial->own[events.joints[i].broken ? 3 : 2] += 1.0;
    dry_vec3 force = {0}, torque;
    if (trial->joint_count == 2 &&
        dry_joint_get_reaction(trial->world, trial->joints[1], &force, &torque) == DRY_OK)
        trial->own[1] -= (double)force.x * (double)trial->dt;
    double lost = DRY_IMPACT_NS;
    for (int i = 2; i < trial->body_count; i++) {
        dry_mass mass = {0};
        (void)dry_body_get_mass(trial->world, trial->bodies[i], &mass);
        lost -= (double)mass.mass * (double)velocity_of(trial, i).linear.x;
    }
    const bool told = fabs(trial->own[1] - lost) <= 5e-3 * DRY_IMPACT_NS; /* the ledger may take a part */
    trial->own[0] = (trial->own[3] == 0.0) + (trial->own[2] == 0.0) + !told;
}

/* Compares the angle with the response to a step of the target from rest:
 * 1 - exp(-z w t) (cos d t + z w / d sin d t), d^2 = w^2 (1 - z^2). */
void dry_look_servo(dry_joint_trial *trial)
{
    const double w = TWO_PI * DRY_SERVO_HERTZ, z = DRY_SERVO_RATIO, d = w * sqrt(1.0 - z * z);
    const double t = (double)trial->dt * trial->steps;
    const double expected = DRY_SERVO_RAD * (1.0 - exp(-z * w * t) * (cos(d * t) + z * w / d * sin(d * t)));
    trial->own[0] = larger(trial->own[0], fabs(angle_of(pose_of(trial, 0).orientation) - expected));
}

/* Compares the slider's height after 2 s with a Runge-Kutta integration of the three coordinates that
 * symmetry leaves, in steps of 1e-5 s. */
void dry_look_governor(dry_joint_trial *trial)
{
    const double at_2s = 0.505920352;
    if (trial->steps == (int)lround(2.0 / (double)trial->dt))
        trial->own[0] = fabs(pose_of(trial, 1).position.y - at_2s);
}

/* Counts whole turns of the crank, own[1] being its last angle and own[2] the sum. The crank turns by less
 * than pi in a step. */
void dry_look_andrews(dry_joint_trial *trial)
{
    const double begin = -0.0617138900142764496, end = 15.8107711962990400;
    const double angle = angle_of(pose_of(trial, 0).orientation);
    if (trial->steps > 0)
        trial->own[2] += angle - trial->own[1] - TWO_PI * rint((angle - trial->own[1]) / TWO_PI);
    trial->own[1] = angle;
    trial->own[0] = fabs(begin + trial->own[2] - end);
}

void dry_look_corrections(dry_joint_trial *trial)
{
    const dry_statistics s = dry_world_statistics(trial->world);
    if (trial->steps > 0 && s.substeps > 0)
        trial->own[0] = larger(trial->own[0], (double)s.articulations.corrections / s.substeps);
}
