/* Convex shapes in double: their places and supports.
 *
 * Reads: geometries. Next: gap.c, pairs/cylinder_gap.c. */
#include "narrowphase/placed.h"

#include "core/assert.h"
#include "geometry/shape_data.h"

dry_placed_pose dry_placed_pose_mul(const dry_placed_pose *pose, const dry_transform *inner)
{
    dry_double3 axis[3];
    double3_axes(pose->orientation, axis);
    const dry_double3 way = double3_from_axes(axis, double3_of(inner->position));
    return (dry_placed_pose){double3_add(pose->position, way),
                             quat_mul(pose->orientation, inner->orientation)};
}

dry_double3 dry_placed_vector_inverse(const dry_placed_pose *pose, dry_double3 vector)
{
    dry_double3 axis[3];
    double3_axes(pose->orientation, axis);
    return double3_along_axes(axis, vector);
}

dry_double3 dry_placed_point_inverse(const dry_placed_pose *pose, dry_double3 point)
{
    return dry_placed_vector_inverse(pose, double3_sub(point, pose->position));
}

static dry_placed place_hull(dry_placed s, const dry_geometry *geometry)
{
    s.hull = geometry->data->form;
    /* Vertices are kept about the hull's center: it may be far from the hull's origin. */
    const dry_hull_measures *m = &s.hull->measures;
    s.about = vec3(m->center[0], m->center[1], m->center[2]);
    const dry_double3 center = double3_mul(double3_of(s.about), double3_of(s.geometry.size));
    s.center = double3_add(s.center, double3_from_axes(s.axis, center));
    s.reach = (double)m->radius_about_center * (double)vec3_largest(vec3_abs(geometry->size));
    return s;
}

dry_placed dry_placed_of(const dry_geometry *geometry, const dry_placed_pose *pose)
{
    const double x = (double)geometry->size.x, y = (double)geometry->size.y, z = (double)geometry->size.z;
    dry_placed s = {.axis = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                    .geometry = *geometry,
                    .turn = quat_identity()};
    if (pose) {
        s.center = pose->position;
        s.turn = pose->orientation;
        double3_axes(pose->orientation, s.axis);
    }
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
        return place_hull(s, geometry);
    default:
        DRY_ASSERT(geometry->type == DRY_SHAPE_HALFSPACE);
        s.kind = DRY_PLACED_HALFSPACE;
        break;
    }
    return s;
}

dry_placed dry_placed_below(dry_double3 point, dry_double3 normal)
{
    const dry_geometry halfspace = {{0.0f, 1.0f, 0.0f}, DRY_SHAPE_HALFSPACE, NULL};
    const dry_placed_pose pose = {point, dry_halfspace_frame(vec3_of(normal), 0.0f).orientation};
    return dry_placed_of(&halfspace, &pose);
}

dry_placed dry_placed_point(dry_double3 point)
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

dry_placed dry_placed_triangle(const dry_double3 corner[3])
{
    dry_placed s = {.kind = DRY_PLACED_TRIANGLE, .turn = {0.0f, 0.0f, 0.0f, 1.0f}};
    for (int i = 0; i < 3; i++)
        s.center = double3_add_scaled(s.center, 1.0 / 3.0, corner[i]);
    for (int i = 0; i < 3; i++) {
        s.corner[i] = double3_sub(corner[i], s.center);
        s.reach = double_max(s.reach, double3_dot(s.corner[i], s.corner[i]));
    }
    s.reach = sqrt(s.reach);
    return s;
}

void dry_placed_see_from(const dry_placed *place, dry_placed *solid)
{
    solid->center = double3_along_axes(place->axis, double3_sub(solid->center, place->center));
    for (int i = 0; i < 3; i++)
        solid->axis[i] = double3_along_axes(place->axis, solid->axis[i]); /* or a corner */
}

dry_double3 dry_placed_hull_normal(const dry_placed *s, int face, double *offset)
{
    const dry_double3 own = double3_of(dry_hull_normal(s->hull, face)), scale = double3_of(s->geometry.size);
    const dry_double3 n =
        double3_from_axes(s->axis, double3(own.x / scale.x, own.y / scale.y, own.z / scale.z));
    const double share = 1.0 / double3_length(n);
    if (offset)
        *offset = share * (double)dry_hull_offset(s->hull, face);
    return double3_scale(n, share);
}

double dry_placed_inner_radius(const dry_placed *s)
{
    double least = s->kind == DRY_PLACED_HULL ? s->reach : double_min(s->half[0], s->half[1]), offset;
    if (s->kind == DRY_PLACED_BOX)
        least = double_min(least, s->half[2]);
    for (int i = 0; s->kind == DRY_PLACED_HULL && i < s->hull->face_count; i++) {
        dry_placed_hull_normal(s, i, &offset);
        least = double_min(least, offset);
    }
    return s->radius + least;
}

/* Returns the point of a cylinder that lies farthest along a direction. */
static dry_double3 cylinder_support(const dry_placed *s, dry_double3 d)
{
    const double along = double3_dot(d, s->axis[1]);
    dry_double3 across = double3_add_scaled(d, -along, s->axis[1]);
    const double length = double3_length(across);
    const dry_double3 end = double3_add_scaled(s->center, along < 0.0 ? -s->half[1] : s->half[1], s->axis[1]);
    /* Across a direction along the axis there is only rounding error. */
    if (!(length > 1e-12 * fabs(along)))
        return end;
    /* The little that is left of a direction almost along the axis needs its error along it taken off. */
    across = double3_scale(across, 1.0 / length);
    across = double3_add_scaled(across, -double3_dot(across, s->axis[1]), s->axis[1]);
    return double3_add_scaled(end, s->half[0], across);
}

static dry_double3 hull_vertex(const dry_placed *s, int vertex)
{
    const dry_double3 from = double3_sub(double3_of(dry_hull_vertex(s->hull, vertex)), double3_of(s->about)),
                      own = double3_mul(from, double3_of(s->geometry.size));
    const dry_double3 at = double3_add_scaled(s->center, own.x, s->axis[0]);
    return double3_add_scaled(double3_add_scaled(at, own.y, s->axis[1]), own.z, s->axis[2]);
}

/* Returns the vertex farthest along a direction: the first of several. In float: of vertices that are equally
 * far but for rounding any will do. */
static int hull_support(const dry_placed *s, dry_double3 direction)
{
    const float *x = dry_hull_vertices(s->hull, 0), *y = dry_hull_vertices(s->hull, 1);
    const float *z = dry_hull_vertices(s->hull, 2);
    const dry_vec3 d = vec3_mul(s->geometry.size, vec3_of(double3_along_axes(s->axis, direction))),
                   c = s->about;
    float along[DRY_HULL_VERTICES_MAX], farthest = -FLT_MAX;
    int best = 0;
    for (int i = 0; i < s->hull->vertex_room; i++)
        along[i] = d.x * (x[i] - c.x) + d.y * (y[i] - c.y) + d.z * (z[i] - c.z);
    for (int i = 0; i < s->hull->vertex_count; i++) {
        best = along[i] > farthest ? i : best;
        farthest = along[i] > farthest ? along[i] : farthest;
    }
    return best;
}

dry_double3 dry_placed_support(const void *solid, dry_double3 d, int *number)
{
    const dry_placed *s = solid;
    dry_double3 at = s->center;
    double along[3];
    *number = 0;
    switch (s->kind) {
    case DRY_PLACED_SEGMENT:
        *number = double3_dot(d, s->axis[1]) < 0.0 ? 1 : 0;
        return double3_add_scaled(at, *number ? -s->half[1] : s->half[1], s->axis[1]);
    case DRY_PLACED_BOX:
        for (int i = 0; i < 3; i++) {
            const int back = double3_dot(d, s->axis[i]) < 0.0; /* as a number: no branch tells sides well */
            at = double3_add_scaled(at, (1 - 2 * back) * s->half[i], s->axis[i]);
            *number |= back << i;
        }
        return at;
    case DRY_PLACED_CYLINDER:
        *number = -1;
        return cylinder_support(s, d);
    case DRY_PLACED_HULL:
        *number = hull_support(s, d);
        return hull_vertex(s, *number);
    case DRY_PLACED_TRIANGLE:
        for (int i = 0; i < 3; i++)
            along[i] = double3_dot(d, s->corner[i]);
        *number = along[2] > double_max(along[0], along[1]) ? 2 : along[1] > along[0];
        return double3_add(at, s->corner[*number]);
    default:
        return at;
    }
}
