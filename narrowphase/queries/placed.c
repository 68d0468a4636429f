/* Convex shapes in double: their places and supports.
 *
 * Reads: geometries. Next: gap.c. */
#include "narrowphase/queries/placed.h"

#include "geometry/shape_data.h"
#include "narrowphase/pairs/cylinder.h"

static dry_triple from_axes(const dry_triple axis[3], dry_triple v)
{
    return triple_add_scaled(triple_add_scaled(triple_scale(axis[0], v.x), v.y, axis[1]), v.z, axis[2]);
}

static dry_triple along_axes(const dry_triple axis[3], dry_triple v)
{
    return triple(triple_dot(axis[0], v), triple_dot(axis[1], v), triple_dot(axis[2], v));
}

dry_placed_pose dry_placed_pose_mul(const dry_placed_pose *pose, const dry_transform *inner)
{
    dry_triple axis[3];
    triple_axes(pose->orientation, axis);
    const dry_triple way = from_axes(axis, triple_of(inner->position));
    return (dry_placed_pose){triple_add_scaled(pose->position, 1.0, way),
                             quat_mul(pose->orientation, inner->orientation)};
}

dry_triple dry_placed_vector_inverse(const dry_placed_pose *pose, dry_triple vector)
{
    dry_triple axis[3];
    triple_axes(pose->orientation, axis);
    return along_axes(axis, vector);
}

dry_triple dry_placed_point_inverse(const dry_placed_pose *pose, dry_triple point)
{
    return dry_placed_vector_inverse(pose, triple_sub(point, pose->position));
}

static void place_hull(dry_placed *s, const dry_geometry *geometry)
{
    const dry_vec3 size = geometry->size;
    s->hull = geometry->data->form;
    const dry_hull_measures *m = &s->hull->measures;
    double largest = 0.0;
    for (int i = 0; i < 3; i++) {
        s->scale[i] = (double)vec3_get(size, i);
        largest = double_max(largest, double_abs(s->scale[i]));
    }
    /* Vertices are kept about the hull's center: it may be far from the hull's origin. */
    const dry_triple center = triple((double)m->center[0] * s->scale[0], (double)m->center[1] * s->scale[1],
                                     (double)m->center[2] * s->scale[2]);
    s->center = triple_add_scaled(s->center, 1.0, from_axes(s->axis, center));
    s->reach = (double)m->radius_about_center * largest;
}

dry_placed dry_placed_of(const dry_geometry *geometry, const dry_placed_pose *pose)
{
    const double x = (double)geometry->size.x, y = (double)geometry->size.y, z = (double)geometry->size.z;
    dry_placed s = {.center = pose->position};
    triple_axes(pose->orientation, s.axis);
    switch (geometry->type) {
    case DRY_SHAPE_SPHERE:
        s.kind = DRY_PLACED_POINT;
        s.radius = x;
        break;
    case DRY_SHAPE_CAPSULE:
        s.kind = DRY_PLACED_SEGMENT;
        s.radius = x;
        s.half[1] = s.reach = y;
        break;
    case DRY_SHAPE_CYLINDER:
        s.kind = DRY_PLACED_CYLINDER;
        s.half[0] = x, s.half[1] = y;
        s.reach = sqrt(x * x + y * y);
        break;
    case DRY_SHAPE_BOX:
        s.kind = DRY_PLACED_BOX;
        s.half[0] = x, s.half[1] = y, s.half[2] = z;
        s.reach = sqrt(x * x + y * y + z * z);
        break;
    case DRY_SHAPE_HULL:
        s.kind = DRY_PLACED_HULL;
        place_hull(&s, geometry);
        break;
    default:
        s.kind = DRY_PLACED_HALFSPACE;
        break;
    }
    return s;
}

dry_placed dry_placed_point(dry_triple point)
{
    return (dry_placed){.kind = DRY_PLACED_POINT, .center = point};
}

dry_placed dry_placed_box(const double half[3])
{
    dry_placed s = {.kind = DRY_PLACED_BOX, .axis = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    for (int i = 0; i < 3; i++)
        s.half[i] = half[i];
    s.reach = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    return s;
}

dry_placed dry_placed_triangle(const dry_triple corner[3])
{
    dry_placed s = {.kind = DRY_PLACED_TRIANGLE};
    for (int i = 0; i < 3; i++)
        s.center = triple_add_scaled(s.center, 1.0 / 3.0, corner[i]);
    for (int i = 0; i < 3; i++) {
        s.corner[i] = triple_sub(corner[i], s.center);
        s.reach = double_max(s.reach, triple_length(s.corner[i]));
    }
    return s;
}

dry_triple dry_placed_direction(const dry_placed *s, dry_triple local)
{
    return from_axes(s->axis, local);
}

static dry_triple hull_point(const dry_placed *s, int vertex)
{
    const dry_vec3 v = dry_hull_vertex(s->hull, vertex);
    const float *c = s->hull->measures.center;
    return from_axes(s->axis, triple(((double)v.x - (double)c[0]) * s->scale[0],
                                     ((double)v.y - (double)c[1]) * s->scale[1],
                                     ((double)v.z - (double)c[2]) * s->scale[2]));
}

/* Returns the vertex farthest along a direction: the first of several. */
static int hull_support(const dry_placed *s, dry_triple d)
{
    const float *x = dry_hull_vertices(s->hull, 0), *y = dry_hull_vertices(s->hull, 1);
    const float *z = dry_hull_vertices(s->hull, 2);
    const dry_triple local = along_axes(s->axis, d);
    const double a = local.x * s->scale[0], b = local.y * s->scale[1], c = local.z * s->scale[2];
    double farthest = -DBL_MAX;
    int best = 0;
    for (int i = 0; i < s->hull->vertex_count; i++) {
        const double along = a * (double)x[i] + b * (double)y[i] + c * (double)z[i];
        best = along > farthest ? i : best;
        farthest = along > farthest ? along : farthest;
    }
    return best;
}

dry_triple dry_placed_support(const dry_placed *s, dry_triple d, int *number)
{
    dry_triple at = triple(0.0, 0.0, 0.0);
    *number = 0;
    switch (s->kind) {
    case DRY_PLACED_SEGMENT:
        *number = triple_dot(d, s->axis[1]) < 0.0 ? 1 : 0;
        at = triple_scale(s->axis[1], *number ? -s->half[1] : s->half[1]);
        break;
    case DRY_PLACED_BOX:
        for (int i = 0; i < 3; i++) {
            const bool back = triple_dot(d, s->axis[i]) < 0.0;
            at = triple_add_scaled(at, back ? -s->half[i] : s->half[i], s->axis[i]);
            *number |= back ? 1 << i : 0;
        }
        break;
    case DRY_PLACED_CYLINDER:
        *number = -1;
        at = dry_turned_cylinder_support(at, s->axis[1], s->half[0], s->half[1], d);
        break;
    case DRY_PLACED_HULL:
        *number = hull_support(s, d);
        at = hull_point(s, *number);
        break;
    case DRY_PLACED_TRIANGLE:
        for (int i = 1; i < 3; i++)
            if (triple_dot(d, s->corner[i]) > triple_dot(d, s->corner[*number]))
                *number = i;
        at = s->corner[*number];
        break;
    default:
        break;
    }
    return triple_add_scaled(s->center, 1.0, at);
}

int dry_placed_support_at(const void *solid, const double along[3], double point[3])
{
    int number;
    const dry_triple at = dry_placed_support(solid, triple(along[0], along[1], along[2]), &number);
    point[0] = at.x, point[1] = at.y, point[2] = at.z;
    return number;
}
