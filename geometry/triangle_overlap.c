/* Finds the triangles near a sphere or a box, and tests each as the scale leaves it. The ground below a
 * triangle of a height field is a prism.
 *
 * Reads: a geometry. Next: mesh_queries.c, height_field_queries.c. */
#include "geometry/triangle_overlap.h"

#include "geometry/height_field.h"
#include "geometry/kind.h"
#include "geometry/scaled.h"
#include "geometry/shape_data.h"
#include "geometry/triangle.h"

/* A triangle or a prism, and a box about the origin. */
typedef struct prism {
    double point[6][3], edge[4][3];
    int points, edges; /* 3 and 3, or 6 and 4 */
    const double *half;
} prism;

/* Tells whether the points lie on one side of the box along an axis. The product of parallel edges has no
 * direction, and separates nothing. */
static bool separates(const prism *p, const double axis[3], double least)
{
    if (!(array3_dot(axis, axis) > least))
        return false;
    const double reach = p->half[0] * fabs(axis[0]) + p->half[1] * fabs(axis[1]) + p->half[2] * fabs(axis[2]);
    double low = DBL_MAX, high = -DBL_MAX;
    for (int i = 0; i < p->points; i++) {
        const double along = array3_dot(axis, p->point[i]);
        low = along < low ? along : low;
        high = along > high ? along : high;
    }
    return low > reach || high < -reach;
}

static prism prism_of(double corner[3][3], const double depth[3], const double half[3])
{
    prism p = {.points = depth ? 6 : 3, .edges = depth ? 4 : 3, .half = half};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            p.point[i][k] = corner[i][k];
            p.point[3 + i][k] = corner[i][k] + (depth ? depth[k] : 0.0);
            p.edge[i][k] = corner[(i + 1) % 3][k] - corner[i][k];
            p.edge[3][k] = depth ? depth[k] : 0.0;
        }
    return p;
}

bool dry_triangle_meets_box(double corner[3][3], const double depth[3], const double half[3])
{
    const prism p = prism_of(corner, depth, half);
    double axis[3];
    for (int k = 0; k < 3; k++) {
        const double face[3] = {k == 0, k == 1, k == 2};
        if (separates(&p, face, 0.0))
            return false;
    }
    for (int i = 0; i < p.edges; i++) {
        const double square = array3_dot(p.edge[i], p.edge[i]);
        /* The triangle's normal, and those of a prism's sides. */
        const double *other = i == 3 ? p.edge[0] : p.edge[depth ? 3 : (i + 1) % 3];
        array3_cross(p.edge[i], other, axis);
        if (separates(&p, axis, 1e-24 * square * array3_dot(other, other)))
            return false;
        for (int k = 0; k < 3; k++) {
            const double side[3] = {k == 0, k == 1, k == 2};
            array3_cross(p.edge[i], side, axis);
            if (separates(&p, axis, 1e-24 * square))
                return false;
        }
    }
    array3_cross(p.edge[0], p.edge[1], axis);
    return !separates(&p, axis, 0.0);
}

static bool meets_sphere(double corner[3][3], const double center[3], double radius)
{
    double point[3];
    dry_triangle_nearest(corner, center, point);
    return dry_square_between(point, center) <= radius * radius;
}

/* Tells whether a sphere whose center is not in the prism touches its underside or a side. */
static bool prism_meets_sphere(double corner[3][3], const double depth[3], const double center[3],
                               double radius)
{
    double low[3][3], face[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            low[i][k] = corner[i][k] + depth[k];
    bool meets = meets_sphere(low, center, radius);
    for (int i = 0; i < 3 && !meets; i++)
        for (int half = 0; half < 2 && !meets; half++) {
            const int j = (i + 1) % 3;
            for (int k = 0; k < 3; k++) {
                face[0][k] = corner[i][k];
                face[1][k] = half ? low[j][k] : corner[j][k];
                face[2][k] = half ? low[i][k] : low[j][k];
            }
            meets = meets_sphere(face, center, radius);
        }
    return meets;
}

/* A search for a triangle that meets a sphere or a box. */
typedef struct search {
    dry_vec3 scale;
    const dry_geometry *convex;
    dry_mat3 axes; /* of the box */
    double center[3], half[3], depth[3];
    bool has_depth, found;
} search;

/* Writes a vector of the triangles' frame along the axes of the box. */
static void along_axes(const search *s, const double v[3], double out[3])
{
    const dry_vec3 *axis = &s->axes.x;
    for (int k = 0; k < 3; k++)
        out[k] = v[0] * (double)axis[k].x + v[1] * (double)axis[k].y + v[2] * (double)axis[k].z;
}

static bool judge(search *s, double corner[3][3])
{
    const double scale[3] = {(double)s->scale.x, (double)s->scale.y, (double)s->scale.z};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            corner[i][k] *= scale[k];
    if (s->convex->type == DRY_SHAPE_SPHERE) {
        s->found = meets_sphere(corner, s->center, s->half[0]) ||
                   (s->has_depth && prism_meets_sphere(corner, s->depth, s->center, s->half[0]));
        return !s->found;
    }
    double seen[3][3], depth[3];
    for (int i = 0; i < 3; i++) {
        const double from[3] = {corner[i][0] - s->center[0], corner[i][1] - s->center[1],
                                corner[i][2] - s->center[2]};
        along_axes(s, from, seen[i]);
    }
    along_axes(s, s->depth, depth);
    s->found = dry_triangle_meets_box(seen, s->has_depth ? depth : NULL, s->half);
    return !s->found;
}

static bool judge_slot(void *context, const dry_mesh_tree *tree, uint32_t slot)
{
    double corner[3][3];
    dry_mesh_tree_corner_points(tree, slot, corner);
    return judge(context, corner);
}

static bool judge_cell(void *context, const dry_height_field *field, uint32_t triangle)
{
    double corner[3][3];
    dry_height_field_triangle(field, triangle, corner);
    return judge(context, corner);
}

bool dry_triangles_overlap(const dry_geometry *triangles, const dry_geometry *convex,
                           const dry_transform *convex_pose)
{
    const dry_vec3 at = convex_pose->position, size = convex->size;
    search s = {.scale = triangles->size,
                .convex = convex,
                .axes = mat3_from_quat(convex_pose->orientation),
                .center = {(double)at.x, (double)at.y, (double)at.z},
                .half = {(double)size.x, (double)size.y, (double)size.z}};
    if (dry_geometry_contains(triangles, s.center))
        return true;
    const dry_piece piece = {*convex, *convex_pose, 0.0f};
    dry_box box = dry_unscaled_box(triangles->size, dry_piece_bounds(&piece));
    if (triangles->type == DRY_SHAPE_MESH) {
        dry_mesh_tree_visit_box(triangles->data->form, &box, judge_slot, &s);
        return s.found;
    }
    const dry_height_field *field = triangles->data->form;
    s.has_depth = field->solid_depth > 0.0f;
    s.depth[1] = -(double)field->solid_depth * (double)s.scale.y;
    box.max[1] += field->solid_depth + FLT_EPSILON * dry_abs(box.max[1]);
    dry_height_field_visit_box(field, &box, judge_cell, &s);
    return s.found;
}
