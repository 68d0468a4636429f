/* Meshes, which belong to no world. */
#include "core/fail.h"
#include "core/memory.h"
#include "geometry/mesh.h"

#include <drystone/mesh.h>

enum { TRIANGLES_MAX = 200 * 1000 * 1000 };

const char *dry_mesh_fault_name(dry_mesh_fault_kind kind)
{
    static const char *const names[] = {
        [DRY_MESH_SOUND] = "sound",
        [DRY_MESH_BAD_VERTEX] = "a corner has no vertex, or one that is not finite or beyond 1e6 m",
        [DRY_MESH_DEGENERATE] = "a triangle has no area",
        [DRY_MESH_OPEN] = "an edge lies on an odd number of triangles",
        [DRY_MESH_FLIPPED] = "two triangles run along an edge in the same direction",
        [DRY_MESH_INSIDE_OUT] = "a surface faces inward and is no cavity",
        [DRY_MESH_NESTED] = "a surface faces outward within the solid",
        [DRY_MESH_FLAT] = "a surface bounds no volume",
    };
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

/* Finds the first fault of a mesh. Returns false if there is no memory for that. */
static bool find_fault(const dry_mesh *mesh, const dry_allocator *allocator, dry_mesh_fault *fault)
{
    dry_memory memory;
    dry_memory_init(&memory, allocator ? *allocator : (dry_allocator){0});
    const size_t sides = 3 * (size_t)mesh->triangle_count * sizeof(dry_mesh_side);
    const size_t parts = (size_t)mesh->triangle_count * sizeof(int32_t);
    dry_mesh_side *side = dry_memory_allocate(&memory, sides, DRY_CACHE_LINE);
    int32_t *part = dry_memory_allocate(&memory, parts, DRY_CACHE_LINE);
    if (side && part)
        *fault = dry_mesh_find_fault(mesh, side, part);
    if (part)
        dry_memory_release(&memory, part, parts);
    if (side)
        dry_memory_release(&memory, side, sides);
    return side && part;
}

static dry_mesh_mass mass_of(const dry_solid *solid, double density)
{
    dry_inertia inertia = solid->inertia;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inertia.m[i][j] *= density;
    double moments[3];
    dry_mesh_mass mass = {.volume = solid->volume};
    mass.principal_axes = dry_inertia_principal_axes(&inertia, moments);
    for (int i = 0; i < 3; i++)
        mass.principal[i] = (float)moments[i];
    mass.mass.mass = (float)(density * solid->volume);
    mass.mass.center = (dry_vec3){(float)solid->center[0], (float)solid->center[1], (float)solid->center[2]};
    dry_inertia_to_float(&inertia, mass.mass.inertia);
    return mass;
}

dry_result dry_mesh_get_mass(const dry_mesh *mesh, float density, const dry_allocator *allocator,
                             dry_mesh_mass *mass, dry_mesh_fault *fault)
{
    dry_mesh_fault found = {DRY_MESH_SOUND, -1, {-1, -1}};
    if (fault)
        *fault = found;
    if (!mesh || !mass || !mesh->vertices || !mesh->triangles || mesh->vertex_count < 0 ||
        mesh->triangle_count < 1 || mesh->triangle_count > TRIANGLES_MAX || !(density > 0.0f) ||
        (allocator && !allocator->allocate != !allocator->release))
        return dry_fail(NULL, DRY_ERROR_ARGUMENT, "%s: a null pointer, or a count or density out of range",
                        __func__);
    if (!find_fault(mesh, allocator, &found))
        return dry_fail(NULL, DRY_ERROR_MEMORY, "%s: out of memory", __func__);
    if (fault)
        *fault = found;
    if (found.kind != DRY_MESH_SOUND)
        return dry_fail(NULL, DRY_ERROR_ARGUMENT, "%s: triangle %d: %s", __func__, found.triangle,
                        dry_mesh_fault_name(found.kind));
    const dry_solid solid = dry_mesh_integrate(mesh);
    const dry_mesh_mass result = mass_of(&solid, (double)density);
    if (!(result.mass.mass > 0.0f && result.mass.mass <= 1e15f) || dry_inertia_error(result.mass.inertia))
        return dry_fail(NULL, DRY_ERROR_ARGUMENT, "%s: no body may have the mass or the inertia", __func__);
    *mass = result;
    return DRY_OK;
}
