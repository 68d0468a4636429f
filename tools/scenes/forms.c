/* Keeps the shape data of a scene: creates them, finds equal ones, releases them.
 *
 * Two hash tables with open addressing lie behind each other in `form_slots`, each at most half full: the
 * first finds forms by a hash of their contents, the second by the hash of their data. A slot holds the index
 * of a form + 1; 0 is empty. Next: scene_shapes.c, which reads forms from scene files. */
#include "tools/scenes/polytope.h"
#include "tools/scenes/scene_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHILD_NUMBERS = 15 };

/* Collects the numbers of a child that decide its form. */
static void child_numbers(const dry_shape_def *child, float *x)
{
    const dry_vec3 *half = &child->half_extents, *scale = &child->scale, *at = &child->pose.position;
    const dry_quat *q = &child->pose.orientation;
    const float numbers[CHILD_NUMBERS] = {half->x,  half->y,  half->z,  child->radius, child->half_length,
                                          scale->x, scale->y, scale->z, at->x,         at->y,
                                          at->z,    q->x,     q->y,     q->z,          q->w};
    memcpy(x, numbers, sizeof numbers);
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

/* An array of a form: a place in the form, and its bytes; 0 if the form has none. */
typedef struct form_array {
    void **at;
    size_t bytes;
} form_array;

enum { FORM_ARRAYS = 5 };

/* Lists the arrays of plain numbers. */
static void list_arrays(dry_scene_form *form, form_array array[FORM_ARRAYS])
{
    const dry_height_field_def *f = &form->field;
    const size_t samples = (size_t)f->rows * (size_t)f->columns;
    const size_t cells = samples ? (size_t)(f->rows - 1) * (size_t)(f->columns - 1) : 0;
    const size_t triangles = (size_t)form->triangle_count;
    const size_t materials = form->type == DRY_SHAPE_MESH ? triangles : cells;
    array[0] = (form_array){(void **)&form->points, (size_t)form->point_count * sizeof *form->points};
    array[1] = (form_array){(void **)&form->triangles, 3 * triangles * sizeof *form->triangles};
    array[2] = (form_array){(void **)&form->heights, samples * sizeof *form->heights};
    array[3] = (form_array){(void **)&form->holes, form->holes ? cells : 0};
    array[4] = (form_array){(void **)&form->material_indices,
                            form->material_indices ? materials * sizeof *form->material_indices : 0};
}

enum { FORM_NUMBERS = 12 };

/* Collects the numbers of a form but for its arrays. */
static void form_numbers(const dry_scene_form *form, int32_t *x)
{
    const dry_height_field_def *f = &form->field;
    const int32_t numbers[FORM_NUMBERS] = {
        (int32_t)form->type,  form->point_count,    form->max_vertices,  form->child_count,
        form->triangle_count, form->two_sided,      form->solid,         f->rows,
        f->columns,           (int32_t)f->diagonal, form->holes != NULL, form->material_indices != NULL};
    memcpy(x, numbers, sizeof numbers);
}

/* Computes the FNV-1a hash of what describes a form, in 64 bits. */
static uint64_t hash_contents(dry_scene_form *form)
{
    const float sizes[] = {form->field.spacing[0], form->field.spacing[1], form->field.solid_depth};
    int32_t numbers[FORM_NUMBERS];
    form_array array[FORM_ARRAYS];
    form_numbers(form, numbers);
    uint64_t hash = mix(mix(0xcbf29ce484222325u, numbers, sizeof numbers), sizes, sizeof sizes);
    list_arrays(form, array);
    for (int i = 0; i < FORM_ARRAYS; i++)
        hash = mix(hash, *array[i].at, array[i].bytes);
    for (int i = 0; i < form->child_count; i++) {
        const dry_shape_def *child = &form->children[i];
        const uint64_t data = child->data ? dry_shape_data_hash(child->data) : (uint64_t)child->type;
        float x[CHILD_NUMBERS];
        child_numbers(child, x);
        hash = mix(mix(hash, x, sizeof x), &data, sizeof data);
    }
    return hash ^ (hash >> 32);
}

static bool equal_children(const dry_shape_def *a, const dry_shape_def *b)
{
    float x[CHILD_NUMBERS], y[CHILD_NUMBERS];
    child_numbers(a, x);
    child_numbers(b, y);
    return a->type == b->type && a->data == b->data && memcmp(x, y, sizeof x) == 0;
}

static bool equal_forms(dry_scene_form *a, dry_scene_form *b)
{
    int32_t x[FORM_NUMBERS], y[FORM_NUMBERS];
    form_array of_a[FORM_ARRAYS], of_b[FORM_ARRAYS];
    form_numbers(a, x);
    form_numbers(b, y);
    list_arrays(a, of_a);
    list_arrays(b, of_b);
    if (a->contents != b->contents || memcmp(x, y, sizeof x) != 0 ||
        memcmp(a->field.spacing, b->field.spacing, sizeof a->field.spacing) != 0 ||
        a->field.solid_depth != b->field.solid_depth)
        return false;
    for (int i = 0; i < FORM_ARRAYS; i++)
        if (of_a[i].bytes > 0 && memcmp(*of_a[i].at, *of_b[i].at, of_a[i].bytes) != 0)
            return false;
    for (int i = 0; i < a->child_count; i++)
        if (!equal_children(&a->children[i], &b->children[i]))
            return false;
    return true;
}

const dry_scene_form *dry_scene_form_of(const dry_scene *scene, const dry_shape_data *data)
{
    if (!data || !scene->form_slots)
        return NULL;
    const int *slots = scene->form_slots + scene->form_mask + 1;
    for (size_t at = (size_t)dry_shape_data_hash(data) & scene->form_mask; slots[at] != 0;
         at = (at + 1) & scene->form_mask)
        if (scene->forms[slots[at] - 1].data == data)
            return &scene->forms[slots[at] - 1];
    return NULL;
}

static const dry_scene_form *find_equal(const dry_scene *scene, dry_scene_form *wanted)
{
    if (!scene->form_slots)
        return NULL;
    for (size_t at = (size_t)wanted->contents & scene->form_mask; scene->form_slots[at] != 0;
         at = (at + 1) & scene->form_mask)
        if (equal_forms(&scene->forms[scene->form_slots[at] - 1], wanted))
            return &scene->forms[scene->form_slots[at] - 1];
    return NULL;
}

static void put(int *slots, size_t mask, uint64_t hash, int form)
{
    size_t at = (size_t)hash & mask;
    while (slots[at] != 0)
        at = (at + 1) & mask;
    slots[at] = form + 1;
}

/* Makes room for one more form, in the list and in the tables. */
static bool reserve(dry_scene *scene)
{
    if (!dry_scene_grow((void **)&scene->forms, &scene->form_capacity, scene->form_count,
                        sizeof *scene->forms))
        return false;
    const size_t size = scene->form_slots ? scene->form_mask + 1 : 0;
    if (2 * ((size_t)scene->form_count + 1) <= size)
        return true;
    const size_t wanted = size > 0 ? 2 * size : 16;
    int *slots = calloc(2 * wanted, sizeof *slots);
    if (!slots)
        return false;
    for (int i = 0; i < scene->form_count; i++) {
        put(slots, wanted - 1, scene->forms[i].contents, i);
        put(slots + wanted, wanted - 1, dry_shape_data_hash(scene->forms[i].data), i);
    }
    free(scene->form_slots);
    scene->form_slots = slots;
    scene->form_mask = wanted - 1;
    return true;
}

/* Gives back what a form holds. */
static void free_form(dry_scene_form *form)
{
    form_array array[FORM_ARRAYS];
    list_arrays(form, array);
    dry_shape_data_release(form->data);
    dry_polytope_free(form->polytope);
    for (int i = 0; i < FORM_ARRAYS; i++)
        free(*array[i].at);
    free(form->children);
}

/* Replaces the arrays that describe a form by copies. Returns false if memory fails. */
static bool copy_arrays(const dry_scene_form *described, dry_scene_form *form)
{
    form_array array[FORM_ARRAYS], children = {(void **)&form->children, 0};
    bool ok = true;
    *form = *described;
    children.bytes = (size_t)form->child_count * sizeof *form->children;
    list_arrays(form, array);
    for (int i = 0; i <= FORM_ARRAYS; i++) {
        const form_array *a = i < FORM_ARRAYS ? &array[i] : &children;
        void *copy = a->bytes > 0 ? malloc(a->bytes) : NULL;
        if (copy)
            memcpy(copy, *a->at, a->bytes);
        ok = ok && (copy || a->bytes == 0);
        *a->at = copy;
    }
    form->field.heights = form->heights;
    form->field.holes = form->holes;
    form->field.material_indices = form->type == DRY_SHAPE_HEIGHT_FIELD ? form->material_indices : NULL;
    return ok;
}

/* Adds a form with new data, whose reference the scene takes over. The form's arrays are copied. */
static dry_result keep(dry_scene *scene, const dry_scene_form *described, dry_shape_data *data)
{
    dry_scene_form form;
    const bool copied = copy_arrays(described, &form);
    form.data = data;
    if (copied && form.type == DRY_SHAPE_HULL)
        form.polytope = dry_polytope_make(form.points, form.point_count);
    if (!copied || (form.type == DRY_SHAPE_HULL && !form.polytope) || !reserve(scene)) {
        free_form(&form);
        return DRY_ERROR_MEMORY;
    }
    put(scene->form_slots, scene->form_mask, form.contents, scene->form_count);
    put(scene->form_slots + scene->form_mask + 1, scene->form_mask, dry_shape_data_hash(data),
        scene->form_count);
    scene->forms[scene->form_count++] = form;
    return DRY_OK;
}

dry_result dry_scene_add_hull(dry_scene *scene, const dry_vec3 *points, int count, int max_vertices,
                              dry_shape_data **data, dry_hull_report *report)
{
    *data = NULL;
    dry_scene_form form = {.type = DRY_SHAPE_HULL,
                           .points = (dry_vec3 *)points,
                           .point_count = count,
                           .max_vertices = max_vertices};
    if (count > 0 && points) {
        form.contents = hash_contents(&form);
        const dry_scene_form *equal = find_equal(scene, &form);
        if (equal) {
            *data = equal->data;
            return DRY_OK;
        }
    }
    dry_shape_data *made = NULL;
    dry_result result = dry_hull_create(points, count, max_vertices, NULL, &made, report);
    if (result == DRY_OK)
        result = keep(scene, &form, made);
    if (result == DRY_OK)
        *data = made;
    return result;
}

dry_result dry_scene_add_compound(dry_scene *scene, const dry_shape_def *children, int count,
                                  dry_shape_data **data)
{
    *data = NULL;
    dry_scene_form form = {
        .type = DRY_SHAPE_COMPOUND, .children = (dry_shape_def *)children, .child_count = count};
    form.contents = hash_contents(&form);
    const dry_scene_form *equal = find_equal(scene, &form);
    if (equal) {
        *data = equal->data;
        return DRY_OK;
    }
    dry_shape_data *made = NULL;
    dry_result result = dry_compound_create(children, count, NULL, &made);
    if (result == DRY_OK)
        result = keep(scene, &form, made);
    if (result == DRY_OK)
        *data = made;
    return result;
}

dry_result dry_scene_add_mesh(dry_scene *scene, const dry_mesh *mesh, const dry_mesh_options *options,
                              dry_shape_data **data, dry_mesh_report *report)
{
    *data = NULL;
    dry_scene_form form = {.type = DRY_SHAPE_MESH,
                           .points = (dry_vec3 *)mesh->vertices,
                           .point_count = mesh->vertex_count,
                           .triangles = (int32_t *)mesh->triangles,
                           .triangle_count = mesh->triangle_count,
                           .two_sided = options->two_sided,
                           .solid = options->solid,
                           .material_indices = (uint16_t *)options->material_indices};
    form.contents = hash_contents(&form);
    const dry_scene_form *equal = find_equal(scene, &form);
    if (equal) {
        *data = equal->data;
        return DRY_OK;
    }
    dry_shape_data *made = NULL;
    dry_result result = dry_mesh_create(mesh, options, NULL, &made, report);
    if (result == DRY_OK)
        result = keep(scene, &form, made);
    if (result == DRY_OK)
        *data = made;
    return result;
}

/* Lists the points of a height field, and the triangles of its cells that are no holes, for the measure and
 * the picture. Both arrays come from malloc. Returns false if memory fails. */
static bool list_triangles(const dry_height_field_def *f, dry_scene_form *form)
{
    const int cells = (f->rows - 1) * (f->columns - 1);
    form->points = malloc((size_t)f->rows * (size_t)f->columns * sizeof *form->points);
    form->triangles = malloc(6 * (size_t)cells * sizeof *form->triangles);
    if (!form->points || !form->triangles)
        return false;
    for (int r = 0; r < f->rows; r++)
        for (int c = 0; c < f->columns; c++)
            form->points[form->point_count++] = (dry_vec3){
                f->spacing[0] * (float)c, f->heights[r * f->columns + c], f->spacing[1] * (float)r};
    for (int i = 0; i < cells; i++) {
        const int a = i / (f->columns - 1) * f->columns + i % (f->columns - 1), b = a + 1;
        const int d = a + f->columns, e = d + 1;
        const bool backward = f->diagonal == DRY_DIAGONAL_BACKWARD;
        const int32_t corner[6] = {
            a, d, backward ? b : e, backward ? b : a, backward ? d : e, backward ? e : b};
        if (f->holes && f->holes[i])
            continue;
        memcpy(form->triangles + 3 * form->triangle_count, corner, sizeof corner);
        form->triangle_count += 2;
    }
    return true;
}

dry_result dry_scene_add_height_field(dry_scene *scene, const dry_height_field_def *field,
                                      dry_shape_data **data, dry_height_field_report *report)
{
    *data = NULL;
    dry_shape_data *made = NULL;
    dry_result result = dry_height_field_create(field, NULL, &made, report);
    if (result != DRY_OK)
        return result;
    dry_scene_form form = {.type = DRY_SHAPE_HEIGHT_FIELD,
                           .field = *field,
                           .heights = (float *)field->heights,
                           .holes = (uint8_t *)field->holes,
                           .material_indices = (uint16_t *)field->material_indices};
    const bool listed = list_triangles(field, &form);
    form.contents = listed ? hash_contents(&form) : 0;
    const dry_scene_form *equal = listed ? find_equal(scene, &form) : NULL;
    if (!listed || equal)
        dry_shape_data_release(made);
    result = !listed ? DRY_ERROR_MEMORY : equal ? DRY_OK : keep(scene, &form, made);
    if (result == DRY_OK)
        *data = equal ? equal->data : made;
    free(form.points);
    free(form.triangles);
    return result;
}

void dry_scene_free_forms(dry_scene *scene)
{
    for (int i = scene->form_count - 1; i >= 0; i--)
        free_form(&scene->forms[i]);
    free(scene->forms);
    free(scene->form_slots);
}

double dry_scene_volume(const dry_scene *scene, const dry_shape_def *shape)
{
    const double pi = 3.14159265358979323846;
    const double stretch = fabs((double)shape->scale.x * (double)shape->scale.y * (double)shape->scale.z);
    const double r = (double)shape->radius, h = (double)shape->half_length;
    const dry_scene_form *form = dry_scene_form_of(scene, shape->data);
    double sum = 0.0;
    switch (shape->type) {
    case DRY_SHAPE_SPHERE:
        return stretch * 4.0 / 3.0 * pi * r * r * r;
    case DRY_SHAPE_CAPSULE:
        return stretch * pi * r * r * (4.0 / 3.0 * r + 2.0 * h);
    case DRY_SHAPE_CYLINDER:
        return stretch * pi * r * r * 2.0 * h;
    case DRY_SHAPE_BOX:
        return stretch * 8.0 * (double)shape->half_extents.x * (double)shape->half_extents.y *
               (double)shape->half_extents.z;
    case DRY_SHAPE_HULL:
        return form ? stretch * form->polytope->volume : 0.0;
    case DRY_SHAPE_COMPOUND:
        for (int i = 0; form && i < form->child_count; i++)
            sum += dry_scene_volume(scene, &form->children[i]);
        return stretch * sum;
    default:
        return 0.0;
    }
}
