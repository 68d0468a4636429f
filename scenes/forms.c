/* Keeps the shape data of a scene: creates them, finds equal ones, releases them.
 *
 * Two hash tables with open addressing lie behind each other in `form_slots`, each at most half full: the
 * first finds forms by a hash of their contents, the second by the hash of their data. A slot holds the index
 * of a form + 1; 0 is empty. Next: scene_shapes.c, which reads forms from scene files. */
#include "scenes/polytope.h"
#include "scenes/scene_parts.h"

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

/* Computes the FNV-1a hash of what describes a form, in 64 bits. */
static uint64_t hash_contents(const dry_scene_form *form)
{
    const int numbers[] = {(int)form->type, form->point_count, form->max_vertices, form->child_count};
    uint64_t hash = mix(0xcbf29ce484222325u, numbers, sizeof numbers);
    if (form->point_count > 0)
        hash = mix(hash, form->points, (size_t)form->point_count * sizeof *form->points);
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

static bool equal_forms(const dry_scene_form *a, const dry_scene_form *b)
{
    if (a->contents != b->contents || a->type != b->type || a->point_count != b->point_count ||
        a->max_vertices != b->max_vertices || a->child_count != b->child_count)
        return false;
    if (a->point_count > 0 && memcmp(a->points, b->points, (size_t)a->point_count * sizeof *a->points) != 0)
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

static const dry_scene_form *find_equal(const dry_scene *scene, const dry_scene_form *wanted)
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

static void *copy_of(const void *from, int count, size_t element_bytes)
{
    void *copy = malloc((size_t)count * element_bytes + 1);
    if (copy && count > 0)
        memcpy(copy, from, (size_t)count * element_bytes);
    return copy;
}

/* Adds a form with new data, whose reference the scene takes over. The form's arrays are copied. */
static dry_result keep(dry_scene *scene, const dry_scene_form *described, dry_shape_data *data)
{
    dry_scene_form form = *described;
    form.data = data;
    form.points = copy_of(described->points, described->point_count, sizeof *form.points);
    form.children = copy_of(described->children, described->child_count, sizeof *form.children);
    if (form.type == DRY_SHAPE_HULL && form.points)
        form.polytope = dry_polytope_make(form.points, form.point_count);
    if (!form.points || !form.children || (form.type == DRY_SHAPE_HULL && !form.polytope) ||
        !reserve(scene)) {
        dry_polytope_free(form.polytope);
        free(form.points);
        free(form.children);
        dry_shape_data_release(data);
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

void dry_scene_free_forms(dry_scene *scene)
{
    for (int i = scene->form_count - 1; i >= 0; i--) {
        dry_shape_data_release(scene->forms[i].data);
        dry_polytope_free(scene->forms[i].polytope);
        free(scene->forms[i].points);
        free(scene->forms[i].children);
    }
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
