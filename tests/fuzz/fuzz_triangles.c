/* Fuzzes meshes and height fields. An input is a form of numbers, and triangles or heights in that form. A
 * build ends, and its report tells how. What is built is saved and read back with the same bits, and answers
 * rays, boxes, points and searches with finite numbers. Then some bytes of the block are changed, as the
 * input's end says, and get the hash that they should have: the check reads nothing beyond, and what passes
 * still answers all of that. All memory comes back.
 *
 * Zeros behind an input's end mean an early end: libFuzzer grows inputs from small to large. */
#include "tests/fuzz/fuzz.h"

#include "geometry/geometry.h"
#include "geometry/height_tiles.h"
#include "geometry/shape_data.h"
#include "narrowphase/queries/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/counting_allocator.h"
#include "tests/form_admits.h"

enum { VERTICES_MAX = 48, TRIANGLES_MAX = 200, SIDE_MAX = 12, CHANGES = 16 };

typedef struct reader {
    const uint8_t *at, *end;
} reader;

static unsigned read_byte(reader *r)
{
    return r->at < r->end ? *r->at++ : 0;
}

/* Any float, or a step of a grid of 16 by axis. */
static float read_number(reader *r, bool bits, float step)
{
    if (!bits)
        return step * ((float)(read_byte(r) % 17) - 8.0f);
    uint32_t word = 0;
    float number;
    for (int i = 0; i < 4; ++i)
        word = word << 8 | read_byte(r);
    memcpy(&number, &word, sizeof number);
    return number;
}

static bool is_unit(dry_vec3 v)
{
    return fabs((double)vec3_length_squared(v) - 1.0) < 1e-4;
}

/* Asks all questions that a shape answers, from places on and beside it. */
static void ask_shape(const dry_geometry *shape, uint64_t seed)
{
    const dry_extents bounds = dry_geometry_bounds(shape, (dry_quat){0.0f, 0.0f, 0.6f, 0.8f});
    const float radius = dry_geometry_radius(shape);
    FUZZ_CHECK(radius >= 0.0f && bounds.low.x <= bounds.high.x && bounds.low.y <= bounds.high.y &&
               bounds.low.z <= bounds.high.z);
    for (int i = 0; i < 8; ++i) {
        float x[6], fraction = 2.0f;
        for (int k = 0; k < 6; ++k) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            x[k] = radius * ((float)(seed >> 60) / 8.0f - 1.0f);
        }
        dry_vec3 normal = {0.0f, 0.0f, 0.0f};
        const dry_vec3 from = {x[0], x[1], x[2]}, way = {x[3], x[4], x[5]};
        int child;
        if (dry_geometry_cast_ray(shape, from, way, &fraction, &normal, &child))
            FUZZ_CHECK(fraction >= 0.0f && fraction <= 1.0f && is_unit(normal));
        const dry_geometry ball = {{0.1f * radius + 1e-3f, 0.0f, 0.0f}, DRY_SHAPE_SPHERE, NULL};
        const dry_geometry box = {{0.1f * radius + 1e-3f, 0.2f, 0.3f}, DRY_SHAPE_BOX, NULL};
        const dry_placed_pose at = {double3_of(from), {0.0f, 0.6f, 0.0f, 0.8f}};
        const dry_target target = {*shape, {{0.0, 0.0, 0.0}, quat_identity()}, DRY_SIDES_BOTH, 0};
        const dry_placed round = dry_placed_of(&ball, &at), flat = dry_placed_of(&box, &at);
        const bool in_ball = dry_target_overlaps(&target, &round);
        /* A ball that meets a triangle lies within the radius, with its own. */
        FUZZ_CHECK(!in_ball || vec3_length(from) <= 1.001f * (radius + ball.size.x));
        dry_target_overlaps(&target, &flat);
    }
}

/* Asks questions of a block alone. */
static void ask_mesh(const dry_mesh_tree *tree)
{
    const double up[3] = {0.0, 1.0, 0.0};
    double at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = 0.5 * ((double)tree->bounds.min[k] + (double)tree->bounds.max[k]);
    double point[3], distance = 1e9;
    const int64_t slot = form_nearest(DRY_SHAPE_MESH, tree, at, &distance, point);
    FUZZ_CHECK(slot >= 0 && slot < tree->slot_count && distance >= 0.0);
    form_admits(DRY_SHAPE_MESH, tree, point, up);
    dry_mesh_tree_contains(tree, double3(at[0], at[1], at[2]));
}

static void ask_field(const dry_height_field *field)
{
    const double up[3] = {0.0, 1.0, 0.0}, at[3] = {0.0, 0.0, 0.0};
    double point[3], distance = 1e9;
    FUZZ_CHECK(form_nearest(DRY_SHAPE_HEIGHT_FIELD, field, at, &distance, point) >= 0 && distance >= 0.0);
    form_admits(DRY_SHAPE_HEIGHT_FIELD, field, point, up);
    dry_height_field_contains(field, double3(at[0], at[1], at[2]));
}

/* Gives a changed block the hashes that its bytes should have: a stranger can do so, too. */
static void mend_hash(dry_shape_type type, void *block, size_t bytes)
{
    if (type == DRY_SHAPE_MESH) {
        dry_mesh_tree *tree = block;
        if (tree->bytes == bytes)
            tree->hash = dry_mesh_tree_hash(tree);
        return;
    }
    dry_height_field *field = block;
    dry_height_field laid = *field;
    if (field->rows < 2 || field->rows > SIDE_MAX || field->columns < 2 || field->columns > SIDE_MAX ||
        field->material_bytes > 2 || field->holes_present > 1)
        return;
    dry_height_field_lay_out(&laid);
    if (memcmp(&laid, field, sizeof laid) != 0 || field->bytes != bytes)
        return;
    field->fixed_hash = dry_height_field_fixed_hash(field);
    field->height_sum = dry_height_field_sum(field, 0, dry_height_hash_tiles(field->rows), 0,
                                             dry_height_hash_tiles(field->columns));
    field->hash = dry_height_field_hash(field);
}

/* Changes bytes of the block as the input's last bytes say, and cuts it. */
static void check_changed(const dry_shape_data *data, reader *r)
{
    const size_t bytes = data->block_bytes;
    char *copy = aligned_alloc(64, bytes);
    if (!copy)
        abort();
    memcpy(copy, data->form, bytes);
    for (int i = 0; i < 4; ++i) {
        const size_t high = read_byte(r), at = (high << 8 | read_byte(r)) % bytes;
        copy[at] = (char)((unsigned char)copy[at] ^ read_byte(r));
    }
    mend_hash(data->type, copy, bytes);
    dry_shape_data changed = *data;
    changed.form = copy;
    const dry_geometry shape = {{1.0f, 1.0f, 1.0f}, (int32_t)data->type, &changed};
    if (data->type == DRY_SHAPE_MESH) {
        FUZZ_CHECK(!dry_mesh_tree_check(copy, bytes - 64));
        if (dry_mesh_tree_check(copy, bytes)) {
            ask_mesh((const dry_mesh_tree *)(const void *)copy);
            ask_shape(&shape, bytes);
        }
    } else {
        FUZZ_CHECK(!dry_height_field_check(copy, bytes - 64));
        if (dry_height_field_check(copy, bytes)) {
            ask_field((const dry_height_field *)(const void *)copy);
            ask_shape(&shape, bytes);
        }
    }
    free(copy);
}

/* Saves data and reads them back with the same bits. */
static void check_bytes(const dry_shape_data *data, const dry_data_services *services)
{
    size_t size = 0, again = 0;
    FUZZ_CHECK(dry_shape_data_save(data, NULL, 0, &size) == DRY_OK);
    char *bytes = malloc(2 * size);
    if (!bytes)
        abort();
    dry_shape_data *back = NULL;
    FUZZ_CHECK(dry_shape_data_save(data, bytes, size, &again) == DRY_OK && again == size);
    FUZZ_CHECK(dry_shape_data_load(bytes, size, services, &back) == DRY_OK);
    FUZZ_CHECK(dry_shape_data_save(back, bytes + size, size, &again) == DRY_OK && again == size);
    FUZZ_CHECK(memcmp(bytes, bytes + size, size) == 0);
    FUZZ_CHECK(dry_shape_data_hash(back) == dry_shape_data_hash(data));
    dry_shape_data_release(back);
    free(bytes);
}

static dry_shape_data *make_mesh(reader *r, unsigned how, const dry_data_services *services)
{
    static dry_vec3 vertex[VERTICES_MAX];
    static int32_t corner[3 * TRIANGLES_MAX];
    static uint16_t material[TRIANGLES_MAX];
    const float step = ldexpf(1.0f, (int)(read_byte(r) % 28) - 10);
    dry_mesh mesh = {vertex, corner, 1 + (int)(read_byte(r) % VERTICES_MAX), 0};
    for (int i = 0; i < mesh.vertex_count; ++i) {
        vertex[i].x = read_number(r, how & 2, step);
        vertex[i].y = read_number(r, how & 2, step);
        vertex[i].z = read_number(r, how & 2, step);
    }
    while (r->end - r->at >= 3 && mesh.triangle_count < TRIANGLES_MAX) {
        int32_t *c = &corner[3 * mesh.triangle_count];
        for (int k = 0; k < 3; ++k) {
            const int byte = (int)read_byte(r);
            c[k] = byte == 255 ? -1 : byte == 254 ? mesh.vertex_count : byte % mesh.vertex_count;
        }
        material[mesh.triangle_count++] = (uint16_t)(257 * c[0]);
    }
    const dry_mesh_options options = {
        .two_sided = how & 4, .solid = how & 8, .material_indices = how & 16 ? material : NULL};
    dry_mesh_report report;
    dry_shape_data *data = NULL;
    fuzz_place("mesh of %d triangles over %d vertices", mesh.triangle_count, mesh.vertex_count);
    const dry_result result = dry_mesh_create(&mesh, &options, services, &data, &report);
    FUZZ_CHECK((result == DRY_OK) == (data != NULL) &&
               (result == DRY_OK) == (report.error == DRY_MESH_BUILT));
    FUZZ_CHECK(report.degenerate + report.duplicate <= mesh.triangle_count);
    if (data)
        ask_mesh(data->form);
    return data;
}

static dry_shape_data *make_field(reader *r, unsigned how, const dry_data_services *services)
{
    static float height[SIDE_MAX * SIDE_MAX];
    static uint8_t hole[SIDE_MAX * SIDE_MAX];
    static uint16_t material[SIDE_MAX * SIDE_MAX];
    const float step = ldexpf(1.0f, (int)(read_byte(r) % 28) - 10);
    dry_height_field_def def = {.rows = 1 + (int)(read_byte(r) % SIDE_MAX),
                                .columns = 1 + (int)(read_byte(r) % SIDE_MAX),
                                .heights = height,
                                .holes = how & 4 ? hole : NULL,
                                .material_indices = how & 16 ? material : NULL,
                                .diagonal = (dry_diagonal)(how >> 3 & 1)};
    def.spacing[0] = fabsf(read_number(r, how & 2, step));
    def.spacing[1] = fabsf(read_number(r, how & 2, step));
    def.solid_depth = how & 32 ? fabsf(read_number(r, how & 2, step)) : 0.0f;
    for (int i = 0; i < def.rows * def.columns; ++i) {
        height[i] = read_number(r, how & 2, step);
        hole[i] = how & 4 ? (uint8_t)(read_byte(r) % 4 == 3) : 0;
        material[i] = (uint16_t)(how & 64 ? 300 * i : i);
    }
    dry_height_field_report report;
    dry_shape_data *data = NULL;
    fuzz_place("field of %d x %d samples", def.rows, def.columns);
    const dry_result result = dry_height_field_create(&def, services, &data, &report);
    FUZZ_CHECK((result == DRY_OK) == (data != NULL));
    FUZZ_CHECK((result == DRY_OK) == (report.error == DRY_HEIGHT_BUILT));
    if (data)
        ask_field(data->form);
    return data;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    /* The last bytes are the changes of the block. */
    const size_t body = size > CHANGES ? size - CHANGES : 0;
    reader r = {input, input + body}, changes = {input + body, input + size};
    fuzz_count_input();
    counting_allocator counter = {.fail_at = -1};
    const dry_data_services services = {.allocator = counting_hooks(&counter)};
    const unsigned how = read_byte(&r);
    dry_shape_data *data = how & 1 ? make_field(&r, how, &services) : make_mesh(&r, how, &services);
    if (data) {
        fuzz_sums.built++;
        const dry_geometry plain = {{1.0f, 1.0f, 1.0f}, (int32_t)data->type, data};
        const dry_geometry scaled = {{-0.5f, 2.0f, 1.5f}, (int32_t)data->type, data};
        ask_shape(&plain, size);
        ask_shape(&scaled, size);
        check_bytes(data, &services);
        check_changed(data, &changes);
    }
    dry_shape_data_release(data);
    FUZZ_CHECK(counter.bytes == 0 && counter.wrong == 0);
    return 0;
}
