/* Whitening of single bodies: see whitening.h. */
#include "solver/bodies/whitening.h"

dry_whitening dry_whitening_of(const dry_solver_row *row, dry_quat orientation)
{
    dry_whitening w = {.inv_sqrt_mass = row->inv_sqrt_mass};
    dry_mat3 r = mat3_from_quat(orientation);
    const dry_vec3 *axis = &r.x;
    for (int i = 0; i < 3; i++) {
        float root = row->inv_sqrt_inertia[i];
        w.axes[i][0] = axis[i].x * root;
        w.axes[i][1] = axis[i].y * root;
        w.axes[i][2] = axis[i].z * root;
        w.sqrt_inertia[i] = root > 0.0f ? 1.0f / root : 0.0f;
    }
    return w;
}

dry_vec3 dry_whitening_to_world(const dry_whitening *w, const float u[3])
{
    return vec3(w->axes[0][0] * u[0] + w->axes[1][0] * u[1] + w->axes[2][0] * u[2],
                w->axes[0][1] * u[0] + w->axes[1][1] * u[1] + w->axes[2][1] * u[2],
                w->axes[0][2] * u[0] + w->axes[1][2] * u[1] + w->axes[2][2] * u[2]);
}

void dry_whitening_lock(const dry_whitening *w, uint32_t locks, float ul[3], float ua[3])
{
    for (int i = 0; i < 3; i++)
        if (locks & (DRY_LOCK_LINEAR_X << i))
            ul[i] = 0.0f;
    if (!(locks & DRY_LOCKS_ANGULAR))
        return;
    dry_vec3 v = dry_whitening_to_world(w, ua);
    float *const axis[3] = {&v.x, &v.y, &v.z};
    for (int i = 0; i < 3; i++)
        if (locks & (DRY_LOCK_ANGULAR_X << i))
            *axis[i] = 0.0f;
    /* D^(1/2) R^T v = D W v */
    for (int i = 0; i < 3; i++) {
        float root = w->sqrt_inertia[i];
        ua[i] = (w->axes[i][0] * v.x + w->axes[i][1] * v.y + w->axes[i][2] * v.z) * root * root;
    }
}
