/* Follows a scene through a run: whether it stands, how its sway grows or decays, and when it is calm.
 * Takes poses and velocities alone, so that every engine is judged in the same way. */
#ifndef TOOLS_SCENES_MEASURE_STANDING_H
#define TOOLS_SCENES_MEASURE_STANDING_H

#include "tools/scenes/measure/quality.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A scene has this time to settle before its bodies' places count as places of rest. */
#define DRY_STANDING_SETTLE_S 1.0
/* The scene is calm if every body has been slow for this time. */
#define DRY_STANDING_CALM_S 1.0
/* Sway is the largest kinetic energy of horizontal motion in a window of this length. */
#define DRY_STANDING_WINDOW_S 10.0

typedef struct dry_standing {
    const dry_scene *scene;
    float slow_m_s;        /* a body is slow if its center and its rim are slower, m/s: sleep_speed_max */
    dry_position *settled; /* where each body was at the end of the settling time */
    double *mass_kg;       /* of each dynamic body; 0 for others */
    double *radius_m;      /* largest distance of a body's points from its origin */
    double scale_m;        /* typical size of the dynamic bodies: the cube root of their mean volume */
    double weight_J;       /* sum of m g L over dynamic bodies; L is the cube root of a body's volume */
    double time_s;         /* of the last look */
    double *sway_J;        /* of each window, the last one as far as it went */
    int window_count, window_capacity;
    bool has_settled;
    double fell_J;       /* largest loss of potential energy since the start, at any look */
    double slow_since_s; /* begin of the present time in which every body is slow; negative if none */
    double calm_s;       /* time at which the scene was calm first; negative before */
} dry_standing;

/* Begins at time 0. `scene` must live as long. Returns false if there is no memory. */
bool dry_standing_begin(dry_standing *standing, const dry_scene *scene, float slow_m_s);

/* Looks at the state after the step that ends at `time_s`; bodies are in the scene's order. Returns false if
 * there is no memory. */
bool dry_standing_look(dry_standing *standing, double time_s, const dry_pose *poses,
                       const dry_velocity *velocities);

/* Returns the largest distance, perpendicular to gravity, of a dynamic body from its place at the end of the
 * settling time, m; infinity if a pose is not finite, and 0 before that time. */
double dry_standing_sideways(const dry_standing *standing, const dry_pose *poses);

/* Returns the largest sway of the windows that begin at `from_s` or later and end at `to_s` or earlier, J. */
double dry_standing_sway(const dry_standing *standing, double from_s, double to_s);

/* Returns the factor by which sway changes from one window to the next: the geometric mean from the second
 * window to the last. Below 1 it decays. Returns 0 if there are fewer than three windows or no sway. */
double dry_standing_growth(const dry_standing *standing);

void dry_standing_end(dry_standing *standing);

#ifdef __cplusplus
}
#endif

#endif
