/* Embree's rays, one by one and in packets of eight, with its settings for surfaces without gaps.
 *
 * Reads: a mesh, rays. Writes: fractions. Next: rays.c. */
#include "perf/rays.h"

#include <embree3/rtcore.h>
#include <string.h>

static RTCDevice device;
static RTCScene scene;

static void end_scene(void)
{
    if (scene)
        rtcReleaseScene(scene);
    if (device)
        rtcReleaseDevice(device);
    scene = NULL;
    device = NULL;
}

static bool make_scene(const dry_mesh *mesh)
{
    device = rtcNewDevice("threads=1");
    if (!device)
        return false;
    scene = rtcNewScene(device);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    const size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    void *vertex = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                           sizeof(dry_vec3), vertices);
    void *index = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                          3 * sizeof(int32_t), triangles);
    if (!vertex || !index)
        return false;
    memcpy(vertex, mesh->vertices, vertices * sizeof(dry_vec3));
    memcpy(index, mesh->triangles, triangles * 3 * sizeof(int32_t));
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    return rtcGetDeviceError(device) == RTC_ERROR_NONE;
}

static void cast_single(const dry_ray *rays, int count, float *fractions)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (int i = 0; i < count; ++i) {
        const dry_ray *ray = &rays[i];
        struct RTCRayHit hit = {.ray = {.org_x = (float)ray->origin.x,
                                        .org_y = (float)ray->origin.y,
                                        .org_z = (float)ray->origin.z,
                                        .dir_x = ray->translation.x,
                                        .dir_y = ray->translation.y,
                                        .dir_z = ray->translation.z,
                                        .tfar = 1.0f,
                                        .mask = UINT32_MAX},
                                .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
        rtcIntersect1(scene, &context, &hit);
        fractions[i] = hit.hit.geomID == RTC_INVALID_GEOMETRY_ID ? 2.0f : hit.ray.tfar;
    }
}

static void cast_packets(const dry_ray *rays, int count, float *fractions)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (int i = 0; i < count; i += 8) {
        _Alignas(32) struct RTCRayHit8 hit = {0};
        _Alignas(32) int valid[8] = {0};
        const int end = count - i < 8 ? count - i : 8;
        for (int k = 0; k < end; ++k) {
            const dry_ray *ray = &rays[i + k];
            valid[k] = -1;
            hit.ray.org_x[k] = (float)ray->origin.x;
            hit.ray.org_y[k] = (float)ray->origin.y;
            hit.ray.org_z[k] = (float)ray->origin.z;
            hit.ray.dir_x[k] = ray->translation.x;
            hit.ray.dir_y[k] = ray->translation.y;
            hit.ray.dir_z[k] = ray->translation.z;
            hit.ray.tfar[k] = 1.0f;
            hit.ray.mask[k] = UINT32_MAX;
            hit.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
        }
        rtcIntersect8(valid, scene, &context, &hit);
        for (int k = 0; k < end; ++k)
            fractions[i + k] = hit.hit.geomID[k] == RTC_INVALID_GEOMETRY_ID ? 2.0f : hit.ray.tfar[k];
    }
}

/* Packets take the scene of single rays, which is made first and released last. */
static bool keep_scene(const dry_mesh *mesh)
{
    (void)mesh;
    return scene != NULL;
}

static void leave_scene(void)
{
}

const ray_way embree_rays = {"Embree, one by one", make_scene, cast_single, end_scene};
const ray_way embree_packets = {"Embree, packets of 8", keep_scene, cast_packets, leave_scene};
