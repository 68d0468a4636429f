/* Inertia tensors: sums, principal axes by Jacobi's rotations, and the check of a user's tensor. */
#include "core/inertia.h"

dry_inertia dry_inertia_from_float(const float m[3][3])
{
    dry_inertia inertia;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inertia.m[i][j] = (double)m[i][j];
    return inertia;
}

void dry_inertia_to_float(const dry_inertia *inertia, float m[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] = (float)inertia->m[i < j ? i : j][i < j ? j : i];
}

void dry_inertia_add_rotated(dry_inertia *inertia, dry_quat q, const double moments[3])
{
    if (quat_is_identity(q)) {
        for (int i = 0; i < 3; i++)
            inertia->m[i][i] += moments[i];
        return;
    }
    dry_mat3 r = mat3_from_quat(q);
    const dry_vec3 *axis = &r.x;
    for (int k = 0; k < 3; k++) {
        const double a[3] = {axis[k].x, axis[k].y, axis[k].z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                inertia->m[i][j] += moments[k] * a[i] * a[j];
    }
}

void dry_inertia_add_point_mass(dry_inertia *inertia, double mass, const double r[3])
{
    double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inertia->m[i][j] += mass * ((i == j ? r2 : 0.0) - r[i] * r[j]);
}

bool dry_inertia_invert(const dry_inertia *inertia, dry_double3 inverse[3])
{
    dry_double3 row[3];
    for (int i = 0; i < 3; i++)
        row[i] = double3(inertia->m[i][0], inertia->m[i][1], inertia->m[i][2]);
    for (int i = 0; i < 3; i++)
        inverse[i] = double3_cross(row[(i + 1) % 3], row[(i + 2) % 3]);
    const double determinant = double3_dot(row[0], inverse[0]);
    for (int i = 0; i < 3 && determinant > 0.0; i++)
        inverse[i] = double3_over(inverse[i], determinant);
    return determinant > 0.0;
}

/* Zeroes the element (p, q) of a tensor by one rotation about the third axis; turns the columns of v along.
 */
static void rotate_pair(dry_inertia *t, double v[3][3], int p, int q)
{
    double apq = t->m[p][q];
    if (apq == 0.0)
        return;
    double theta = (t->m[q][q] - t->m[p][p]) / (2.0 * apq);
    double root = sqrt(theta * theta + 1.0);
    double tangent = theta >= 0.0 ? 1.0 / (theta + root) : -1.0 / (root - theta);
    double c = 1.0 / sqrt(tangent * tangent + 1.0), s = tangent * c;
    for (int i = 0; i < 3; i++) {
        double a = t->m[i][p], b = t->m[i][q];
        t->m[i][p] = c * a - s * b;
        t->m[i][q] = s * a + c * b;
    }
    for (int i = 0; i < 3; i++) {
        double a = t->m[p][i], b = t->m[q][i];
        t->m[p][i] = c * a - s * b;
        t->m[q][i] = s * a + c * b;
    }
    for (int i = 0; i < 3; i++) {
        double a = v[i][p], b = v[i][q];
        v[i][p] = c * a - s * b;
        v[i][q] = s * a + c * b;
    }
}

/* By Jacobi's eigenvalue rotations. */
void dry_inertia_diagonalize(dry_inertia *t, double v[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            v[i][j] = i == j ? 1.0 : 0.0;
    double trace = t->m[0][0] + t->m[1][1] + t->m[2][2];
    for (int sweep = 0; sweep < 32; sweep++) {
        double off_diagonal = fabs(t->m[0][1]) + fabs(t->m[0][2]) + fabs(t->m[1][2]);
        /* Float cannot represent an inertia that differs by less. */
        if (off_diagonal <= 1e-9 * trace)
            return;
        rotate_pair(t, v, 0, 1);
        rotate_pair(t, v, 0, 2);
        rotate_pair(t, v, 1, 2);
    }
}

dry_quat dry_quat_from_axes(double v[3][3])
{
    double t = v[0][0] + v[1][1] + v[2][2], q[4];
    if (t > 0.0) {
        double s = sqrt(t + 1.0) * 2.0;
        q[3] = 0.25 * s;
        q[0] = (v[2][1] - v[1][2]) / s;
        q[1] = (v[0][2] - v[2][0]) / s;
        q[2] = (v[1][0] - v[0][1]) / s;
    } else {
        int i = v[1][1] > v[0][0] ? 1 : 0;
        if (v[2][2] > v[i][i])
            i = 2;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double s = sqrt(v[i][i] - v[j][j] - v[k][k] + 1.0) * 2.0;
        q[i] = 0.25 * s;
        q[3] = (v[k][j] - v[j][k]) / s;
        q[j] = (v[j][i] + v[i][j]) / s;
        q[k] = (v[k][i] + v[i][k]) / s;
    }
    return quat_normalize((dry_quat){(float)q[0], (float)q[1], (float)q[2], (float)q[3]});
}

dry_quat dry_inertia_principal_axes(const dry_inertia *inertia, double moments[3])
{
    dry_inertia t = *inertia;
    dry_quat axes = quat_identity();
    bool is_diagonal = t.m[0][1] == 0.0 && t.m[0][2] == 0.0 && t.m[1][2] == 0.0;
    if (!is_diagonal) {
        double v[3][3];
        dry_inertia_diagonalize(&t, v);
        axes = dry_quat_from_axes(v);
    }
    for (int i = 0; i < 3; i++)
        moments[i] = t.m[i][i];
    return axes;
}

const char *dry_inertia_error(const float m[3][3])
{
    float largest = 0.0f;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (!(dry_abs(m[i][j]) <= 1e25f))
                return "inertia must be finite";
            largest = dry_max(largest, dry_abs(m[i][j]));
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            if (dry_abs(m[i][j] - m[j][i]) > 1e-4f * largest)
                return "inertia must be symmetric";
    /* Sylvester's criterion, with a tolerance for rounding. */
    double a = m[0][0], b = (double)m[0][0] * (double)m[1][1] - (double)m[0][1] * (double)m[0][1];
    double c = (double)m[0][0] * ((double)m[1][1] * (double)m[2][2] - (double)m[1][2] * (double)m[1][2]) -
               (double)m[0][1] * ((double)m[0][1] * (double)m[2][2] - (double)m[1][2] * (double)m[0][2]) +
               (double)m[0][2] * ((double)m[0][1] * (double)m[1][2] - (double)m[1][1] * (double)m[0][2]);
    double size = (double)largest;
    if (!(a > 1e-9 * size && b > 1e-12 * size * size && c > 1e-18 * size * size * size))
        return "inertia must be positive definite";
    if (largest < 1e-20f)
        return "inertia is too small";
    return NULL;
}
