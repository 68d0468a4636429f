/* Keeps a scene in memory: growth, the table of ids, release, and building the scene into a world.
 *
 * Reads and writes a dry_scene; dry_scene_build writes a world through the public calls. */
#include "tools/scenes/scene_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool dry_scene_fail(char *error, size_t error_bytes, const char *format, ...)
{
    if (!error || error_bytes == 0)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, error_bytes, format, arguments);
    va_end(arguments);
    for (char *c = error; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = ' ';
    return false;
}

char *dry_scene_copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

bool dry_scene_grow(void **array, int *capacity, int count, size_t element_bytes)
{
    if (count < *capacity)
        return true;
    int wanted = *capacity < 16 ? 16 : *capacity * 2;
    void *grown = realloc(*array, (size_t)wanted * element_bytes);
    if (!grown)
        return false;
    *array = grown;
    *capacity = wanted;
    return true;
}

int dry_scene_add_body(dry_scene *scene, const char *id, const dry_body_def *def)
{
    if (!dry_scene_grow((void **)&scene->bodies, &scene->body_capacity, scene->body_count,
                        sizeof *scene->bodies))
        return -1;
    char *copy = dry_scene_copy_text(id);
    if (!copy)
        return -1;
    dry_scene_body *body = &scene->bodies[scene->body_count];
    *body = (dry_scene_body){.id = copy, .def = *def, .first_shape = scene->shape_count};
    body->def.shapes = NULL;
    body->def.shape_count = 0;
    body->has_mass = def->mass != 0.0f;
    return scene->body_count++;
}

int dry_scene_add_shape(dry_scene *scene, const dry_shape_def *def)
{
    if (!dry_scene_grow((void **)&scene->shapes, &scene->shape_capacity, scene->shape_count,
                        sizeof *scene->shapes))
        return -1;
    dry_shape_def shape = *def;
    shape.materials = NULL;
    if (def->material_count > 0) {
        const size_t bytes = (size_t)def->material_count * sizeof *def->materials;
        dry_material *materials = malloc(bytes);
        if (!materials)
            return -1;
        memcpy(materials, def->materials, bytes);
        shape.materials = materials;
    }
    scene->shapes[scene->shape_count] = shape;
    scene->bodies[scene->body_count - 1].def.shape_count++;
    return scene->shape_count++;
}

int dry_scene_add_joint(dry_scene *scene, const dry_joint_def *def, int body_a, int body_b)
{
    if (!dry_scene_grow((void **)&scene->joints, &scene->joint_capacity, scene->joint_count,
                        sizeof *scene->joints))
        return -1;
    scene->joints[scene->joint_count] = (dry_scene_joint){.def = *def, .body_a = body_a, .body_b = body_b};
    return scene->joint_count++;
}

void dry_scene_finish(dry_scene *scene)
{
    for (int i = 0; i < scene->body_count; i++) {
        dry_scene_body *body = &scene->bodies[i];
        body->def.shapes = body->def.shape_count > 0 ? &scene->shapes[body->first_shape] : NULL;
    }
}

bool dry_scene_add_load(dry_scene *scene, const char *id, double times)
{
    dry_scene_body *loaded = NULL;
    double total = 0.0;
    for (int i = 0; i < scene->body_count; i++) {
        dry_scene_body *body = &scene->bodies[i];
        if (body->def.type != DRY_BODY_DYNAMIC)
            continue;
        total += dry_scene_body_mass(scene, body);
        if (strcmp(body->id, id) == 0)
            loaded = body;
    }
    const double mass = loaded ? dry_scene_body_mass(scene, loaded) + times * total : 0.0;
    if (!(mass > 0.0 && mass <= DRY_SCENE_MASS_MAX))
        return false;
    loaded->def.mass = (float)mass;
    loaded->has_mass = true;
    return true;
}

void dry_scene_free(dry_scene *scene)
{
    if (!scene)
        return;
    for (int i = 0; i < scene->body_count; i++)
        free(scene->bodies[i].id);
    free(scene->bodies);
    for (int i = 0; i < scene->shape_count; i++)
        free((void *)(uintptr_t)scene->shapes[i].materials); /* copies of dry_scene_add_shape */
    free(scene->shapes);
    free(scene->joints);
    dry_scene_free_forms(scene);
    free(scene->name);
    memset(scene, 0, sizeof *scene);
}

/* Computes the FNV-1a hash in 64 bits. */
static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash ^ (hash >> 32);
}

/* Returns the slot that holds the id, or the empty slot for it. */
static size_t find_slot(const dry_scene_ids *ids, const dry_scene *scene, const char *id)
{
    size_t slot = (size_t)hash_text(id) & ids->mask;
    while (ids->slots[slot] != 0 && strcmp(scene->bodies[ids->slots[slot] - 1].id, id) != 0)
        slot = (slot + 1) & ids->mask;
    return slot;
}

bool dry_scene_ids_make(dry_scene_ids *ids, const dry_scene *scene, int *duplicate)
{
    size_t size = 16;
    while (size < 2 * (size_t)scene->body_count)
        size *= 2;
    ids->slots = calloc(size, sizeof *ids->slots);
    ids->mask = size - 1;
    *duplicate = -1;
    if (!ids->slots)
        return false;
    for (int i = 0; i < scene->body_count; i++) {
        size_t slot = find_slot(ids, scene, scene->bodies[i].id);
        if (ids->slots[slot] == 0)
            ids->slots[slot] = i + 1;
        else if (*duplicate < 0)
            *duplicate = i;
    }
    return true;
}

int dry_scene_ids_find(const dry_scene_ids *ids, const dry_scene *scene, const char *id)
{
    return ids->slots[find_slot(ids, scene, id)] - 1;
}

void dry_scene_ids_free(dry_scene_ids *ids)
{
    free(ids->slots);
    ids->slots = NULL;
}

dry_result dry_scene_create_volumes(dry_world *world, int count, const dry_scene_joint *joints,
                                    const dry_body_id *bodies, dry_joint_id *ids)
{
    dry_volume_def *defs = malloc((size_t)count * sizeof *defs);
    if (!defs)
        return DRY_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        const dry_scene_joint *joint = &joints[i];
        defs[i] = (dry_volume_def){joint->def, bodies[joint->body_c], bodies[joint->body_d], joint->anchor_c,
                                   joint->anchor_d};
        defs[i].joint.body_a = bodies[joint->body_a];
        defs[i].joint.body_b = bodies[joint->body_b];
    }
    const dry_result result = dry_world_create_volumes(world, count, defs, ids);
    free(defs);
    return result;
}

/* Creates joints in the scene's order: neighbors with the same number of bodies at once. */
static dry_result build_in_runs(const dry_scene *scene, dry_world *world, const dry_body_id *ids,
                                const dry_joint_def *defs, dry_joint_id *joint_ids)
{
    dry_result result = DRY_OK;
    for (int begin = 0, end; begin < scene->joint_count && result == DRY_OK; begin = end) {
        const bool corners = dry_scene_joint_forms[defs[begin].type].corners;
        for (end = begin + 1;
             end < scene->joint_count && dry_scene_joint_forms[defs[end].type].corners == corners;)
            end++;
        result = corners ? dry_scene_create_volumes(world, end - begin, &scene->joints[begin], ids, joint_ids)
                         : dry_world_create_joints(world, end - begin, defs + begin, joint_ids);
    }
    return result;
}

static dry_result build_joints(const dry_scene *scene, dry_world *world, const dry_body_id *ids)
{
    size_t count = (size_t)scene->joint_count;
    dry_joint_def *defs = malloc(count * sizeof *defs);
    dry_joint_id *joint_ids = malloc(count * sizeof *joint_ids);
    dry_result result = DRY_ERROR_MEMORY;
    if (defs && joint_ids) {
        for (int i = 0; i < scene->joint_count; i++) {
            defs[i] = scene->joints[i].def;
            const int a = scene->joints[i].body_a;
            defs[i].body_a = a == DRY_SCENE_WORLD ? (dry_body_id){0} : ids[a];
            defs[i].body_b = ids[scene->joints[i].body_b];
        }
        result = build_in_runs(scene, world, ids, defs, joint_ids);
    }
    free(defs);
    free(joint_ids);
    return result;
}

dry_result dry_scene_build(const dry_scene *scene, dry_world *world, dry_body_id *ids)
{
    if (!scene || !world || (!ids && scene->body_count > 0))
        return DRY_ERROR_ARGUMENT;
    if (scene->body_count == 0)
        return DRY_OK;
    dry_body_def *defs = malloc((size_t)scene->body_count * sizeof *defs);
    if (!defs)
        return DRY_ERROR_MEMORY;
    for (int i = 0; i < scene->body_count; i++)
        defs[i] = scene->bodies[i].def;
    dry_result result = dry_world_create_bodies(world, scene->body_count, defs, ids);
    free(defs);
    if (result != DRY_OK || scene->joint_count == 0)
        return result;
    result = build_joints(scene, world, ids);
    if (result != DRY_OK)
        (void)dry_world_destroy_bodies(world, scene->body_count, ids);
    return result;
}
