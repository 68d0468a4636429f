/* Convex shapes in double: their places and supports.
 *
 * Reads: geometries. Next: gap.c, pairs/cylinder_gap.c. */
#include "narrowphase/placed.h"

#include "core/assert.h"
#include "geometry/shape_data.h"

dry_placed_pose dry_placed_pose_mul(const dry_placed_pose *pose, const dry_transform *inner)
{
    dry_triple axis[3];
    triple_axes(pose->orientation, axis);
    const dry_triple way = triple_from_axes(axis, triple_of(inner->position));
    return (dry_placed_pose){triple_add_scaled(pose->position, 1.0, way),
                             quat_mul(pose->orientation, inner->orientation)};
}

dry_triple dry_placed_vector_inverse(const dry_placed_pose *pose, dry_triple vector)
{
    dry_triple axis[3];
    triple_axes(pose->orientation, axis);
    return triple_along_axes(axis, vector);
}

dry_triple dry_placed_point_inverse(const dry_placed_pose *pose, dry_triple point)
{
    return dry_placed_vector_inverse(pose, triple_sub(point, pose->position));
}

static dry_placed place_hull(dry_placed s, const dry_geometry *geometry)
{
    s.hull = geometry->data->form;
    /* Vertices are kept about the hull's center: it may be far from the hull's origin. */
    const dry_hull_measures *m = &s.hull->measures;
    s.about = vec3(m->center[0], m->center[1], m->center[2]);
    const dry_triple center =
        triple((double)s.about.x * (double)s.geometry.size.x, (double)s.about.y * (double)s.geometry.size.y,
               (double)s.about.z * (double)s.geometry.size.z);
    s.center = triple_add_scaled(s.center, 1.0, triple_from_axes(s.axis, center));
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
        triple_axes(pose->orientation, s.axis);
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

dry_placed dry_placed_below(dry_triple point, dry_triple normal)
{
    const dry_geometry halfspace = {{0.0f, 1.0f, 0.0f}, DRY_SHAPE_HALFSPACE, NULL};
    const dry_placed_pose pose = {point, dry_halfspace_frame(triple_round(normal), 0.0f).orientation};
    return dry_placed_of(&halfspace, &pose);
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
    dry_placed s = {.kind = DRY_PLACED_TRIANGLE, .turn = {0.0f, 0.0f, 0.0f, 1.0f}};
    for (int i = 0; i < 3; i++)
        s.center = triple_add_scaled(s.center, 1.0 / 3.0, corner[i]);
    for (int i = 0; i < 3; i++) {
        s.corner[i] = triple_sub(corner[i], s.center);
        s.reach = double_max(s.reach, triple_dot(s.corner[i], s.corner[i]));
    }
    s.reach = sqrt(s.reach);
    return s;
}

void dry_placed_see_from(const dry_placed *place, dry_placed *solid)
{
    solid->center = triple_along_axes(place->axis, triple_sub(solid->center, place->center));
    for (int i = 0; i < 3; i++)
        solid->axis[i] = triple_along_axes(place->axis, solid->axis[i]); /* or a corner */
}

dry_triple dry_placed_hull_normal(const dry_placed *s, int face, double *offset)
{
    const dry_triple own = triple_of(dry_hull_normal(s->hull, face)), scale = triple_of(s->geometry.size);
    const dry_triple n = triple_from_axes(s->axis, triple(own.x / scale.x, own.y / scale.y, own.z / scale.z));
    const double share = 1.0 / triple_length(n);
    if (offset)
        *offset = share * (double)dry_hull_offset(s->hull, face);
    return triple_scale(n, share);
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
static dry_triple cylinder_support(const dry_placed *s, dry_triple d)
{
    const double along = triple_dot(d, s->axis[1]);
    dry_triple across = triple_add_scaled(d, -along, s->axis[1]);
    const double length = triple_length(across);
    const dry_triple end = triple_add_scaled(s->center, along < 0.0 ? -s->half[1] : s->half[1], s->axis[1]);
    /* Across a direction along the axis there is only rounding error. */
    if (!(length > 1e-12 * double_abs(along)))
        return end;
    /* The little that is left of a direction almost along the axis needs its error along it taken off. */
    across = triple_scale(across, 1.0 / length);
    across = triple_add_scaled(across, -triple_dot(across, s->axis[1]), s->axis[1]);
    return triple_add_scaled(end, s->half[0], across);
}

static dry_triple hull_vertex(const dry_placed *s, int vertex)
{
    const dry_vec3 v = dry_hull_vertex(s->hull, vertex), c = s->about, size = s->geometry.size;
    dry_triple at = triple_add_scaled(s->center, ((double)v.x - (double)c.x) * (double)size.x, s->axis[0]);
    at = triple_add_scaled(at, ((double)v.y - (double)c.y) * (double)size.y, s->axis[1]);
    return triple_add_scaled(at, ((double)v.z - (double)c.z) * (double)size.z, s->axis[2]);
}

/* Returns the vertex farthest along a direction: the first of several. In float: of vertices that are equally
 * far but for rounding any will do. */
static int hull_support(const dry_placed *s, dry_triple direction)
{
    const float *x = dry_hull_vertices(s->hull, 0), *y = dry_hull_vertices(s->hull, 1);
    const float *z = dry_hull_vertices(s->hull, 2);
    const dry_vec3 d = vec3_mul(s->geometry.size, triple_round(triple_along_axes(s->axis, direction))),
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

dry_triple dry_placed_support(const void *solid, dry_triple d, int *number)
{
    const dry_placed *s = solid;
    dry_triple at = s->center;
    double along[3];
    *number = 0;
    switch (s->kind) {
    case DRY_PLACED_SEGMENT:
        *number = triple_dot(d, s->axis[1]) < 0.0 ? 1 : 0;
        return triple_add_scaled(at, *number ? -s->half[1] : s->half[1], s->axis[1]);
    case DRY_PLACED_BOX:
        for (int i = 0; i < 3; i++) {
            const int back = triple_dot(d, s->axis[i]) < 0.0; /* as a number: no branch tells sides well */
            at = triple_add_scaled(at, (1 - 2 * back) * s->half[i], s->axis[i]);
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
            along[i] = triple_dot(d, s->corner[i]);
        *number = along[2] > double_max(along[0], along[1]) ? 2 : along[1] > along[0];
        return triple_add_scaled(at, 1.0, s->corner[*number]);
    default:
        return at;
    }
}
