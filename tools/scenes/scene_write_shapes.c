/* Writes the shapes of a scene file, with the data that they share.
 *
 * Reads shapes and forms of a scene; writes a stream. */
#include "tools/scenes/scene_parts.h"
#include "tools/scenes/scene_print.h"

static void print_children(FILE *file, const dry_scene *scene, const dry_scene_form *form);

static void print_places(FILE *file, const char *key, const dry_scene_form *form)
{
    fprintf(file, ", \"%s\": [", key);
    for (int i = 0; i < form->point_count; i++) {
        const float x[3] = {form->points[i].x, form->points[i].y, form->points[i].z};
        for (int k = 0; k < 3; k++) {
            fputs(k > 0 ? ", " : i > 0 ? ", [" : "[", file);
            dry_print_float(file, x[k]);
        }
        fputc(']', file);
    }
    fputc(']', file);
}

/* Prints whole numbers in brackets, `each` of them together. */
static void print_whole(FILE *file, const char *key, const int32_t *x, int count, int each)
{
    fprintf(file, ", \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        fputs(each > 1 && i % each == 0 ? (i > 0 ? ", [" : "[") : i > 0 ? ", " : "", file);
        fprintf(file, "%d", (int)x[i]);
        fputs(each > 1 && i % each == each - 1 ? "]" : "", file);
    }
    fputc(']', file);
}

static void print_hull(FILE *file, const dry_scene_form *form)
{
    print_places(file, "points", form);
    if (form->max_vertices != 0)
        fprintf(file, ", \"max_vertices\": %d", form->max_vertices);
}

static void print_materials(FILE *file, const dry_scene_form *form, int count)
{
    for (int i = 0; form->material_indices && i < count; i++)
        fprintf(file, "%s%d", i > 0 ? ", " : ", \"material_indices\": [", (int)form->material_indices[i]);
    fputs(form->material_indices ? "]" : "", file);
}

static void print_mesh(FILE *file, const dry_scene_form *form)
{
    print_places(file, "vertices", form);
    print_whole(file, "triangles", form->triangles, 3 * form->triangle_count, 3);
    print_materials(file, form, form->triangle_count);
    fputs(form->two_sided ? ", \"two_sided\": true" : "", file);
    fputs(form->solid ? ", \"solid\": true" : "", file);
}

static void print_height_field(FILE *file, const dry_scene_form *form)
{
    const dry_height_field_def *field = &form->field;
    const int cells = (field->rows - 1) * (field->columns - 1);
    fprintf(file, ", \"rows\": %d, \"columns\": %d", field->rows, field->columns);
    dry_print_floats(file, "spacing", field->spacing, 2);
    dry_print_floats(file, "heights", form->heights, field->rows * field->columns);
    for (int i = 0; form->holes && i < cells; i++)
        fprintf(file, "%s%d", i > 0 ? ", " : ", \"holes\": [", form->holes[i] != 0);
    fputs(form->holes ? "]" : "", file);
    print_materials(file, form, cells);
    if (field->diagonal == DRY_DIAGONAL_BACKWARD)
        fputs(", \"diagonal\": \"backward\"", file);
    if (field->solid_depth != 0.0f)
        dry_print_number(file, "solid_depth", field->solid_depth);
}

/* Prints what a shape and a child of a compound have alike, without the last brace. */
static void print_form(FILE *file, const dry_scene *scene, const dry_shape_def *shape)
{
    fprintf(file, "{\"type\": \"%s\"", dry_scene_shape_names[shape->type]);
    switch (shape->type) {
    case DRY_SHAPE_BOX:
        dry_print_vector(file, "half_extents", shape->half_extents);
        break;
    case DRY_SHAPE_CAPSULE:
    case DRY_SHAPE_CYLINDER:
        dry_print_number(file, "radius", shape->radius);
        dry_print_number(file, "half_length", shape->half_length);
        break;
    case DRY_SHAPE_SPHERE:
        dry_print_number(file, "radius", shape->radius);
        break;
    case DRY_SHAPE_HULL:
        print_hull(file, dry_scene_form_of(scene, shape->data));
        break;
    case DRY_SHAPE_MESH:
        print_mesh(file, dry_scene_form_of(scene, shape->data));
        break;
    case DRY_SHAPE_HEIGHT_FIELD:
        print_height_field(file, dry_scene_form_of(scene, shape->data));
        break;
    case DRY_SHAPE_COMPOUND:
        print_children(file, scene, dry_scene_form_of(scene, shape->data));
        break;
    default:
        dry_print_vector(file, "normal", shape->normal);
        dry_print_number(file, "offset", shape->offset);
    }
    if (shape->scale.x != 1.0f || shape->scale.y != 1.0f || shape->scale.z != 1.0f)
        dry_print_vector(file, "scale", shape->scale);
    dry_print_vector(file, "position", shape->pose.position);
    dry_print_rotation(file, "orientation", shape->pose.orientation);
}

static void print_children(FILE *file, const dry_scene *scene, const dry_scene_form *form)
{
    fputs(", \"children\": [", file);
    for (int i = 0; i < form->child_count; i++) {
        fputs(i > 0 ? ",\n     " : "\n     ", file);
        print_form(file, scene, &form->children[i]);
        fputc('}', file);
    }
    fputs("]", file);
}

void dry_print_shape(FILE *file, const dry_scene *scene, const dry_shape_def *shape)
{
    print_form(file, scene, shape);
    dry_print_number(file, "density", shape->density);
    dry_print_surface(file, shape);
    if (shape->filter.group != 0)
        fprintf(file, ", \"group\": %d", (int)shape->filter.group);
    if (shape->events != DRY_SHAPE_EVENTS_ALL)
        fprintf(file, ", \"events\": \"%s\"", dry_scene_event_names[shape->events]);
    fputc('}', file);
}
