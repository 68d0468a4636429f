/* Makes random pairs that nearly touch (near_pairs.h). */
#include "perf/near_pairs.h"

dry_geometry near_shape(dry_shape_type type)
{
    dry_geometry geometry = {{0.0f, 0.0f, 0.0f}, (int32_t)type, NULL};
    if (type == DRY_SHAPE_SPHERE)
        geometry.size = (dry_vec3){0.5f, 0.0f, 0.0f};
    else if (type == DRY_SHAPE_CAPSULE)
        geometry.size = (dry_vec3){0.3f, 0.4f, 0.0f};
    else if (type == DRY_SHAPE_BOX)
        geometry.size = (dry_vec3){0.5f, 0.5f, 0.5f};
    return geometry;
}

void near_poses(dry_transform *poses, int count, bool halfspace)
{
    uint64_t seed = 7;
    for (int i = 0; i < count; i++) {
        dry_vec3 axis = {0.0f, 0.0f, 0.0f};
        float length = 0.0f;
        while (length < 0.1f || length > 1.0f) {
            axis = (dry_vec3){bench_random_in(&seed, -1, 1), bench_random_in(&seed, -1, 1),
                              bench_random_in(&seed, -1, 1)};
            length = vec3_length(axis);
        }
        float apart = bench_random_in(&seed, 0.8f, 1.1f);
        poses[i].position = vec3_scale(axis, apart / length);
        if (halfspace)
            poses[i].position.y = bench_random_in(&seed, 0.3f, 0.6f);
        dry_quat q = {bench_random_in(&seed, -1, 1), bench_random_in(&seed, -1, 1),
                      bench_random_in(&seed, -1, 1), bench_random_in(&seed, 0.1f, 1)};
        poses[i].orientation = quat_normalize(q);
    }
}

uint64_t near_hash(const dry_local_manifold *found, int count)
{
    uint64_t hash = BENCH_HASH_BEGIN;
    for (int i = 0; i < count; i++) {
        const dry_local_manifold *m = &found[i];
        hash = bench_hash(hash, &m->count, sizeof m->count);
        if (m->count > 0) {
            hash = bench_hash(hash, &m->normal, sizeof m->normal);
            hash = bench_hash(hash, m->points, (size_t)m->count * sizeof *m->points);
        } else {
            hash = bench_hash(hash, &m->separation_min, sizeof m->separation_min);
        }
    }
    return hash;
}
