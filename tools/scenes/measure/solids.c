/* Places the shapes of bodies in the world as solids (parts.h). Reads a scene's shapes and forms. Next:
 * overlap.c. */
#include "tools/scenes/double3.h"
#include "tools/scenes/measure/parts.h"

#include <float.h>
#include <string.h>

/* Computes the rotation matrix of a quaternion whose length need not be exactly 1; axis[i] is its column i.
 */
static void axes_of(dry_quat q, double axis[3][3])
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double s = 2.0 / (x * x + y * y + z * z + w * w);
    const double rows[3][3] = {
        {1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
        {s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)},
        {s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)},
    };
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            axis[i][k] = rows[k][i];
}

/* Computes the vector whose components along three axes are v. */
static void along_axes(double axis[3][3], const double *v, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = v[0] * axis[0][k] + v[1] * axis[1][k] + v[2] * axis[2][k];
}

static void to_doubles(dry_vec3 v, double *x)
{
    x[0] = (double)v.x;
    x[1] = (double)v.y;
    x[2] = (double)v.z;
}

/* A frame in the world: x goes to origin + the sum of x[i] stretch[i] axis[i]. */
typedef struct frame {
    double origin[3], axis[3][3], stretch[3];
} frame;

/* Puts a pose and then a scale within a frame. The frame's stretch leaves the new axes at right angles. */
static void enter(frame *f, const dry_transform *pose, dry_vec3 scale)
{
    double rotation[3][3], at[3], own[3];
    axes_of(pose->orientation, rotation);
    to_doubles(pose->position, at);
    to_doubles(scale, own);
    double shift[3], turned[3][3], stretch[3];
    for (int k = 0; k < 3; k++)
        at[k] *= f->stretch[k];
    along_axes(f->axis, at, shift);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            rotation[i][k] *= f->stretch[k];
        along_axes(f->axis, rotation[i], turned[i]);
        stretch[i] = d3_length(turned[i]);
        for (int k = 0; k < 3; k++)
            turned[i][k] /= stretch[i];
        stretch[i] *= own[i];
    }
    for (int k = 0; k < 3; k++)
        f->origin[k] += shift[k];
    memcpy(f->axis, turned, sizeof turned);
    memcpy(f->stretch, stretch, sizeof stretch);
}

static double bound_along(const dry_solid *s, int k)
{
    double reach = 0.0;
    for (int i = 0; i < 3; i++)
        reach += s->half[i] * fabs(s->axis[i][k]);
    if (s->type != DRY_SHAPE_CYLINDER)
        return reach;
    const double y = s->axis[1][k];
    return s->half[1] * fabs(y) + s->half[0] * sqrt(fmax(1.0 - y * y, 0.0));
}

static void set_bounds(dry_solid *solid)
{
    for (int k = 0; k < 3; k++) {
        const double pad = solid->radius + 0.5 * DRY_QUALITY_GAP;
        double low, high;
        if (solid->type == DRY_SHAPE_HULL || solid->type == DRY_SHAPE_MESH) {
            const double up[3] = {k == 0, k == 1, k == 2}, down[3] = {-up[0], -up[1], -up[2]};
            double point[3];
            dry_solid_support(solid, up, point);
            high = point[k];
            dry_solid_support(solid, down, point);
            low = point[k];
        } else {
            high = bound_along(solid, k);
            low = -high;
        }
        solid->low[k] = solid->center[k] + low - pad;
        solid->high[k] = solid->center[k] + high + pad;
    }
}

static void set_halfspace(dry_solid *solid, const dry_shape_def *shape)
{
    double normal[3], world[3];
    to_doubles(shape->normal, normal);
    const double length = d3_length(normal);
    along_axes(solid->axis, normal, world);
    for (int k = 0; k < 3; k++)
        solid->axis[1][k] = world[k] / length;
    solid->offset = (double)shape->offset / length + d3_dot(solid->axis[1], solid->center);
}

/* Places triangle i of a form. A scale that mirrors reverses the corners, so that the front stays the front.
 */
static void set_triangle(dry_solid *solid, const dry_scene_form *form, int i, const frame *f)
{
    const bool mirrored = f->stretch[0] * f->stretch[1] * f->stretch[2] < 0.0;
    solid->type = DRY_SHAPE_MESH;
    solid->two_sided = form->two_sided;
    for (int corner = 0; corner < 3; corner++) {
        double local[3];
        to_doubles(form->points[form->triangles[3 * i + (mirrored ? 2 - corner : corner)]], local);
        for (int k = 0; k < 3; k++)
            local[k] *= f->stretch[k];
        along_axes(solid->axis, local, solid->corner[corner]);
    }
}

static void set_sizes(dry_solid *solid, const dry_scene *scene, const dry_shape_def *shape, const frame *f)
{
    const double x = fabs(f->stretch[0]), y = fabs(f->stretch[1]), z = fabs(f->stretch[2]);
    const dry_scene_form *form = dry_scene_form_of(scene, shape->data);
    switch (shape->type) {
    case DRY_SHAPE_BOX:
        solid->half[0] = x * (double)shape->half_extents.x;
        solid->half[1] = y * (double)shape->half_extents.y;
        solid->half[2] = z * (double)shape->half_extents.z;
        break;
    case DRY_SHAPE_CYLINDER:
        solid->half[0] = solid->half[2] = x * (double)shape->radius;
        solid->half[1] = y * (double)shape->half_length;
        break;
    case DRY_SHAPE_HULL:
        memcpy(solid->half, f->stretch, sizeof solid->half);
        solid->polytope = form ? form->polytope : NULL;
        break;
    case DRY_SHAPE_HALFSPACE:
        set_halfspace(solid, shape);
        break;
    default:
        solid->radius = x * (double)shape->radius;
        solid->half[1] = shape->type == DRY_SHAPE_CAPSULE ? y * (double)shape->half_length : 0.0;
    }
}

static bool has_triangles(const dry_shape_def *shape)
{
    return shape->type == DRY_SHAPE_MESH || shape->type == DRY_SHAPE_HEIGHT_FIELD;
}

int dry_solids_of(const dry_scene *scene, const dry_shape_def *shape)
{
    if (shape->type != DRY_SHAPE_COMPOUND && !has_triangles(shape))
        return 1;
    const dry_scene_form *form = dry_scene_form_of(scene, shape->data);
    if (has_triangles(shape))
        return form->triangle_count;
    int solids = 0;
    for (int i = 0; i < form->child_count; i++)
        solids += dry_solids_of(scene, &form->children[i]);
    return solids;
}

/* Returns the child of a compound that has a solid, and takes the solids of those before it from the number.
 */
static const dry_shape_def *child_with(const dry_scene *scene, const dry_shape_def *compound, int *solid)
{
    const dry_shape_def *child = dry_scene_form_of(scene, compound->data)->children;
    for (int solids; *solid >= (solids = dry_solids_of(scene, child)); child++)
        *solid -= solids;
    return child;
}

dry_solid dry_solid_place(const dry_scene *scene, const dry_shape_def *shape, int i, const dry_pose *pose)
{
    frame f = {.origin = {pose->position.x, pose->position.y, pose->position.z}, .stretch = {1.0, 1.0, 1.0}};
    axes_of(pose->orientation, f.axis);
    enter(&f, &shape->pose, shape->scale);
    const dry_shape_def *part = shape;
    if (shape->type == DRY_SHAPE_COMPOUND) {
        part = child_with(scene, shape, &i);
        enter(&f, &part->pose, part->scale);
    }
    dry_solid solid = {.type = part->type, .filter = shape->filter, .density = (double)shape->density};
    memcpy(solid.center, f.origin, sizeof solid.center);
    memcpy(solid.axis, f.axis, sizeof solid.axis);
    if (has_triangles(part))
        set_triangle(&solid, dry_scene_form_of(scene, part->data), i, &f);
    else
        set_sizes(&solid, scene, part, &f);
    set_bounds(&solid);
    return solid;
}

static void support_of_polytope(const dry_solid *s, const double *direction, double *point)
{
    double local[3], most = -DBL_MAX;
    int best = 0;
    for (int k = 0; k < 3; k++)
        local[k] = s->half[k] * d3_dot(s->axis[k], direction);
    for (int i = 0; i < s->polytope->vertex_count; i++) {
        const double along = d3_dot(local, s->polytope->vertices[i]);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    const double *vertex = s->polytope->vertices[best];
    for (int k = 0; k < 3; k++)
        point[k] = s->half[0] * vertex[0] * s->axis[0][k] + s->half[1] * vertex[1] * s->axis[1][k] +
                   s->half[2] * vertex[2] * s->axis[2][k];
}

void dry_solid_support(const dry_solid *solid, const double *direction, double *point)
{
    const dry_solid *s = solid;
    if (s->polytope) {
        support_of_polytope(s, direction, point);
        return;
    }
    if (s->type == DRY_SHAPE_MESH) {
        int best = 0;
        for (int i = 1; i < 3; i++)
            if (d3_dot(s->corner[i], direction) > d3_dot(s->corner[best], direction))
                best = i;
        memcpy(point, s->corner[best], sizeof s->corner[best]);
        return;
    }
    double along[3], x[3];
    for (int k = 0; k < 3; k++) {
        along[k] = d3_dot(s->axis[k], direction);
        x[k] = along[k] < 0.0 ? -s->half[k] : s->half[k];
    }
    if (s->type == DRY_SHAPE_CYLINDER) {
        const double across = sqrt(along[0] * along[0] + along[2] * along[2]);
        x[0] = across > 0.0 ? s->half[0] * along[0] / across : 0.0;
        x[2] = across > 0.0 ? s->half[2] * along[2] / across : 0.0;
    }
    for (int k = 0; k < 3; k++)
        point[k] = x[0] * s->axis[0][k] + x[1] * s->axis[1][k] + x[2] * s->axis[2][k];
}
