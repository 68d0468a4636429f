/* Checks the ranges of shapes and of the children of compounds, and which scales they can take.
 *
 * Reads shapes and forms of a scene; writes one error line. Next: scene_check.c, which checks all else. */
#include "state/surface.h"
#include "tools/scenes/scene_expect.h"

static bool check_surface(const place *at, const dry_shape_def *def)
{
    bool ok = true;
#define X(name, standard, high, ...) ok = ok && expect_range(at, #name, -1, def->name, 0.0f, high);
    DRY_SURFACE_NUMBERS(X)
#undef X
    return ok;
}

static bool expect_radius(const place *at, const dry_shape_def *shape)
{
    return expect_range(at, "radius", -1, shape->radius, 1e-4f, 1e6f);
}

static bool check_capsule(const place *at, const dry_shape_def *shape)
{
    if (!expect_radius(at, shape) || !expect_range(at, "half_length", -1, shape->half_length, 0.0f, 1e6f))
        return false;
    /* The scene file allows no size of zero: a capsule without length is a sphere. */
    return shape->half_length > 0.0f ||
           expect_at(at, "half_length", -1, "more than 0", (double)shape->half_length);
}

static bool check_sizes(const dry_scene *scene, const place *at, const dry_shape_def *shape)
{
    const dry_scene_form *form;
    switch (shape->type) {
    case DRY_SHAPE_BOX:
        return expect_components(at, "half_extents", shape->half_extents, 1e-4f, 1e6f);
    case DRY_SHAPE_CAPSULE:
        return check_capsule(at, shape);
    case DRY_SHAPE_CYLINDER:
        return expect_radius(at, shape) &&
               expect_range(at, "half_length", -1, shape->half_length, 1e-4f, 1e6f);
    case DRY_SHAPE_SPHERE:
        return expect_radius(at, shape);
    case DRY_SHAPE_HALFSPACE:
        return expect_unit(at, "normal", length(shape->normal)) &&
               expect_range(at, "offset", -1, shape->offset, -1e6f, 1e6f);
    case DRY_SHAPE_HULL:
    case DRY_SHAPE_COMPOUND:
    case DRY_SHAPE_MESH:
    case DRY_SHAPE_HEIGHT_FIELD:
        form = dry_scene_form_of(scene, shape->data);
        return (form && form->type == shape->type) ||
               expect_at(at, "data", -1, "data of the scene, of the shape's type", (double)shape->type);
    default:
        return expect_at(at, "type", -1, "a known shape type", (double)shape->type);
    }
}

/* Returns the scales that leave a shape in its type, as a message has them; null if this one does. */
static const char *scale_error(dry_shape_type type, dry_vec3 scale)
{
    const float x = fabsf(scale.x), y = fabsf(scale.y), z = fabsf(scale.z);
    if (type == DRY_SHAPE_HALFSPACE && !(scale.x == 1.0f && scale.y == 1.0f && scale.z == 1.0f))
        return "1, 1, 1 for a halfspace";
    if ((type == DRY_SHAPE_SPHERE || type == DRY_SHAPE_CAPSULE) && !(x == y && y == z))
        return "three numbers alike but for signs for a sphere or a capsule";
    return type == DRY_SHAPE_CYLINDER && x != z ? "x and z alike but for signs for a cylinder" : NULL;
}

/* Returns the scale that the children of a compound can take; null if they can take this one. A scale that
 * differs by axis would shear a rotated child. */
static const char *compound_scale_error(const dry_scene_form *form, dry_vec3 scale)
{
    const bool uniform = fabsf(scale.x) == fabsf(scale.y) && fabsf(scale.y) == fabsf(scale.z);
    for (int i = 0; i < form->child_count; i++) {
        const dry_quat *q = &form->children[i].pose.orientation;
        if (!uniform && (q->x != 0.0f || q->y != 0.0f || q->z != 0.0f))
            return "three numbers alike but for signs for a compound with rotated children";
        if (scale_error(form->children[i].type, scale))
            return "a scale that each child of the compound can take";
    }
    return NULL;
}

static bool check_scale(const dry_scene *scene, const place *at, const dry_shape_def *shape)
{
    const float components[] = {shape->scale.x, shape->scale.y, shape->scale.z};
    for (int k = 0; k < 3; k++)
        if (!(fabsf(components[k]) >= 1e-3f && fabsf(components[k]) <= 1e3f))
            return expect_at(at, "scale", k, "a number from 0.001 to 1000, or its negative",
                             (double)components[k]);
    const char *error = scale_error(shape->type, shape->scale);
    if (!error && shape->type == DRY_SHAPE_COMPOUND)
        error = compound_scale_error(dry_scene_form_of(scene, shape->data), shape->scale);
    char text[128];
    place_text(at, "scale", -1, text, sizeof text);
    return !error || dry_scene_fail(at->error, at->error_bytes, "%s: expected %s", text, error);
}

/* Checks what a shape and a child of a compound have alike. */
static bool check_form(const dry_scene *scene, const place *at, const dry_shape_def *shape)
{
    return check_sizes(scene, at, shape) && check_scale(scene, at, shape) &&
           expect_length(at, "position", shape->pose.position, 1e6) &&
           expect_rotation(at, "orientation", shape->pose.orientation);
}

static bool is_surface(const dry_shape_def *shape)
{
    return shape->type == DRY_SHAPE_MESH || shape->type == DRY_SHAPE_HEIGHT_FIELD;
}

/* Returns the first child of a compound that is a surface of triangles; null if it is no compound with one.
 */
static const dry_shape_def *surface_child(const dry_scene *scene, const dry_shape_def *shape)
{
    if (shape->type != DRY_SHAPE_COMPOUND)
        return NULL;
    const dry_scene_form *form = dry_scene_form_of(scene, shape->data);
    for (int i = 0; form && i < form->child_count; i++)
        if (is_surface(&form->children[i]))
            return &form->children[i];
    return NULL;
}

/* Checks that a number of materials is enough for the triangles of a mesh or a height field. */
static bool check_surface_indices(const place *at, const dry_shape_def *shape, const dry_scene_form *form,
                                  int materials, int child)
{
    const int64_t cells = (int64_t)(form->field.rows - 1) * (form->field.columns - 1);
    const int64_t count = shape->type == DRY_SHAPE_MESH ? form->triangle_count : cells;
    for (int64_t i = 0; i < count && form->material_indices; i++)
        if (form->material_indices[i] >= materials) {
            char field[64];
            int length = 0;
            if (child >= 0)
                length = snprintf(field, sizeof field, "children[%d].", child);
            snprintf(field + length, sizeof field - (size_t)length, "material_indices[%lld]", (long long)i);
            return expect_at(at, field, -1, "the number of one of the shape's materials",
                             (double)form->material_indices[i]);
        }
    return true;
}

/* Checks that a shape has a material for each index of its triangles, or its children's. */
static bool check_indices(const dry_scene *scene, const place *at, const dry_shape_def *shape)
{
    const int materials = shape->material_count > 0 ? shape->material_count : 1;
    const dry_scene_form *form = dry_scene_form_of(scene, shape->data);
    if (is_surface(shape))
        return check_surface_indices(at, shape, form, materials, -1);
    for (int i = 0; shape->type == DRY_SHAPE_COMPOUND && i < form->child_count; i++) {
        const dry_shape_def *child = &form->children[i];
        if (is_surface(child) &&
            !check_surface_indices(at, child, dry_scene_form_of(scene, child->data), materials, i))
            return false;
    }
    return true;
}

bool dry_scene_check_child(const dry_scene *scene, const dry_shape_def *child, char *error,
                           size_t error_bytes)
{
    const place at = {
        .body = -1, .shape = -1, .joint = -1, .axis = -1, .error = error, .error_bytes = error_bytes};
    return check_form(scene, &at, child);
}

bool dry_scene_check_shape(const dry_scene *scene, const place *at, const dry_shape_def *shape,
                           dry_body_type body_type)
{
    if (shape->type == DRY_SHAPE_HALFSPACE && body_type != DRY_BODY_STATIC)
        return dry_scene_fail(at->error, at->error_bytes,
                              "bodies[%d].shapes[%d].type: expected a static body under a halfspace, got "
                              "a %s one",
                              at->body, at->shape, body_type == DRY_BODY_DYNAMIC ? "dynamic" : "kinematic");
    const dry_shape_def *surface = is_surface(shape) ? shape : surface_child(scene, shape);
    if (surface && body_type == DRY_BODY_DYNAMIC)
        return dry_scene_fail(
            at->error, at->error_bytes,
            "bodies[%d].shapes[%d].type: expected a static or kinematic body under a %s, got a "
            "dynamic one; a dynamic one takes a compound of hulls",
            at->body, at->shape, dry_scene_shape_names[surface->type]);
    if (fabs((double)shape->filter.group) > DRY_SCENE_GROUP_MAX)
        return expect_at(at, "group", -1, "a number from -1e9 to 1e9", (double)shape->filter.group);
    if (shape->events > DRY_SHAPE_EVENTS_ALL)
        return expect_at(at, "events", -1, "bits of dry_shape_events", (double)shape->events);
    return check_form(scene, at, shape) && expect_range(at, "density", -1, shape->density, 0.0f, 1e9f) &&
           check_surface(at, shape) && dry_scene_check_materials(at, shape) &&
           check_indices(scene, at, shape);
}
