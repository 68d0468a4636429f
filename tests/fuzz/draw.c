/* Draws the arguments of calls from an input's bytes. */
#include "tests/fuzz/draw.h"

#include <float.h>
#include <math.h>
#include <string.h>

unsigned draw_byte(fuzz_turn *t)
{
    return t->at < t->end ? *t->at++ : 0;
}

int draw_below(fuzz_turn *t, int end)
{
    return (int)(draw_byte(t) % (unsigned)end);
}

bool draw_chance(fuzz_turn *t, int one_in)
{
    return draw_byte(t) >= 256u - 256u / (unsigned)one_in;
}

uint64_t draw_bits(fuzz_turn *t, int bytes)
{
    uint64_t bits = 0;
    for (int i = 0; i < bytes; ++i)
        bits |= (uint64_t)draw_byte(t) << 8 * i;
    return bits;
}

float draw_wild_number(fuzz_turn *t, double typical)
{
    static const float extremes[] = {NAN,    INFINITY, FLT_MAX, FLT_MIN, FLT_TRUE_MIN, 1e-38f, 1e-30f, 1e-20f,
                                     1e-12f, 1e-8f,    1e-7f,   1e-6f,   1e-5f,        1e-4f,  1e-3f,  0.0f,
                                     1.0f,   1.001f,   1e2f,    1e3f,    1e4f,         1e5f,   1e6f,   1e7f,
                                     1e8f,   1e9f,     1e12f,   1e15f,   1e18f,        1e20f,  1e30f,  63.0f};
    const unsigned how = draw_byte(t);
    if (how < 128)
        return how < 64 ? extremes[how % 32] : -extremes[how % 32];
    if (how < 160) {
        const uint32_t bits = (uint32_t)draw_bits(t, 4);
        float x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    return (float)ldexp(typical, (int)draw_byte(t) - 128);
}

float draw_number(fuzz_turn *t, double typical)
{
    const unsigned b = draw_byte(t);
    if (!t->wild || b < 224)
        return (float)((int8_t)b / 128.0 * typical);
    const float x = draw_wild_number(t, typical);
    t->bad_number |= !isfinite(x);
    return x;
}

float draw_between(fuzz_turn *t, double low, double high)
{
    const float x = draw_number(t, 1);
    return fabsf(x) <= 1 ? (float)(low + (high - low) * 0.5 * (1 + (double)x)) : x;
}

dry_vec3 draw_vector(fuzz_turn *t, double typical)
{
    const float x = draw_number(t, typical), y = draw_number(t, typical);
    return (dry_vec3){x, y, draw_number(t, typical)};
}

dry_position draw_position(fuzz_turn *t)
{
    const double x = (double)draw_number(t, 2), y = (double)draw_number(t, 2) + 1;
    return (dry_position){x, y, (double)draw_number(t, 2)};
}

dry_quat draw_rotation(fuzz_turn *t)
{
    if (!draw_chance(t, 2))
        return (dry_quat){0, 0, 0, 1};
    const float x = draw_number(t, 1), y = draw_number(t, 1), z = draw_number(t, 1), w = draw_number(t, 1);
    const float scale = sqrtf(x * x + y * y + z * z + w * w);
    if (!(scale > 0.01f && scale < 10) || (t->wild && draw_chance(t, 8)))
        return (dry_quat){x, y, z, w};
    return (dry_quat){x / scale, y / scale, z / scale, w / scale};
}

dry_pose draw_pose(fuzz_turn *t)
{
    const dry_position p = draw_position(t);
    return (dry_pose){p, draw_rotation(t)};
}

dry_velocity draw_velocity(fuzz_turn *t)
{
    if (!draw_chance(t, 2))
        return (dry_velocity){{0, 0, 0}, {0, 0, 0}};
    const dry_vec3 v = draw_vector(t, 5);
    return (dry_velocity){v, draw_vector(t, 10)};
}

int draw_whole(fuzz_turn *t, int low, int high)
{
    const int x = low + draw_below(t, high - low + 1);
    return t->wild && draw_chance(t, 8) ? (int)(uint32_t)draw_bits(t, 4) : x;
}

/* Returns the index of a live object for most bytes, -1 for an id that is wrong. */
static int draw_index(fuzz_turn *t, int count)
{
    const unsigned which = draw_byte(t);
    return count && which < 240 ? (int)which % count : -1;
}

/* Returns the id of a live body as bits; 0 if there is none. */
static uint64_t draw_live_body(fuzz_turn *t)
{
    const fuzz_model *m = t->model;
    return m->body_count ? m->bodies[draw_below(t, m->body_count)].id.bits : 0;
}

/* Returns an id that should name nothing: null, dead, of another world or kind, one bit off, made up. */
static uint64_t draw_wrong_id(fuzz_turn *t)
{
    const fuzz_model *m = t->model;
    const int dead = m->dead_count < FUZZ_DEAD_MAX ? m->dead_count : FUZZ_DEAD_MAX;
    uint64_t body;
    switch (draw_below(t, 8)) {
    case 0:
        return 0;
    case 1:
        return draw_bits(t, 8);
    case 2:
        body = draw_live_body(t);
        return body ? body ^ 1ull << draw_below(t, 64) : 0;
    case 3:
        return m->shape_count ? m->shapes[draw_below(t, m->shape_count)].id.bits : 0;
    case 4:
        return m->joint_count ? m->joints[draw_below(t, m->joint_count)].id.bits : 0;
    case 5: /* the number lies in the highest 34 bits, the slot in the lowest 24 */
        body = draw_live_body(t);
        return body ? body ^ 3ull << (draw_chance(t, 2) ? 48 : 0) : 0;
    default:
        return dead ? m->dead[draw_below(t, dead)] : 0;
    }
}

dry_body_id draw_body(fuzz_turn *t)
{
    const int i = draw_index(t, t->model->body_count);
    if (i >= 0)
        return t->model->bodies[i].id;
    const dry_body_id id = {draw_wrong_id(t)};
    t->bad_id |= !fuzz_model_find_body(t->model, id.bits);
    return id;
}

dry_shape_id draw_shape(fuzz_turn *t)
{
    const int i = draw_index(t, t->model->shape_count);
    if (i >= 0)
        return t->model->shapes[i].id;
    const dry_shape_id id = {draw_wrong_id(t)};
    t->bad_id |= !fuzz_model_has_shape(t->model, id.bits);
    return id;
}

dry_joint_id draw_joint(fuzz_turn *t)
{
    const int i = draw_index(t, t->model->joint_count);
    if (i >= 0)
        return t->model->joints[i].id;
    const dry_joint_id id = {draw_wrong_id(t)};
    t->bad_id |= !fuzz_model_has_joint(t->model, id.bits);
    return id;
}

dry_filter draw_filter(fuzz_turn *t)
{
    const uint64_t category = 1ull << draw_below(t, 2), mask = 1 + (uint64_t)draw_below(t, 3);
    return (dry_filter){category, mask, draw_below(t, 3) - 1};
}

/* The shape data of all inputs, which live as long as the process. */
enum { FORMS = 3 };
static dry_shape_data *hulls[FORMS], *compounds[FORMS], *meshes[FORMS], *fields[FORMS],
    *lands[FORMS]; /* compounds with triangles */

/* A box, solid or open or of two sides, and a field of another depth. */
static void make_triangles(int i)
{
    enum { SAMPLES = FUZZ_FIELD_SIDE * FUZZ_FIELD_SIDE };
    static const int32_t sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    dry_vec3 corner[8];
    int32_t triangles[36];
    float heights[SAMPLES];
    for (int k = 0; k < 8; ++k)
        corner[k] = (dry_vec3){k & 1 ? 0.6f : -0.6f, k & 2 ? 0.3f : -0.3f, k & 4 ? 0.5f : -0.5f};
    for (int k = 0; k < 36; ++k) {
        static const int order[6] = {0, 1, 2, 0, 2, 3};
        triangles[k] = sides[k / 6][order[k % 6]];
    }
    for (int k = 0; k < SAMPLES; ++k)
        heights[k] = 0.2f * (float)(k * k % 7);
    const dry_mesh mesh = {corner, triangles, 8, i == 1 ? 11 : 12};
    const dry_mesh_options options = {.two_sided = i == 2, .solid = i == 0};
    const dry_height_field_def field = {.rows = FUZZ_FIELD_SIDE,
                                        .columns = FUZZ_FIELD_SIDE,
                                        .spacing = {0.5f, 0.4f},
                                        .heights = heights,
                                        .solid_depth = 0.5f * (float)i,
                                        .diagonal = (dry_diagonal)(i % 2)};
    FUZZ_CHECK(dry_mesh_create(&mesh, &options, NULL, &meshes[i], NULL) == DRY_OK);
    FUZZ_CHECK(dry_height_field_create(&field, NULL, &fields[i], NULL) == DRY_OK);
}

/* A mesh, a field and a box side by side. */
static void make_land(int i)
{
    dry_shape_def children[3];
    for (int k = 0; k < 3; ++k) {
        children[k] = dry_default_shape_def();
        children[k].half_extents = (dry_vec3){0.4f, 0.2f, 0.4f};
        children[k].pose.position.x = 0.8f * (float)k - 0.8f;
    }
    children[0].type = DRY_SHAPE_MESH;
    children[0].data = meshes[i];
    children[1].type = DRY_SHAPE_HEIGHT_FIELD;
    children[1].data = fields[i];
    children[0].pose.orientation = i == 2 ? (dry_quat){0.6f, 0, 0, 0.8f} : children[0].pose.orientation;
    FUZZ_CHECK(dry_compound_create(children, 2 + i % 2, NULL, &lands[i]) == DRY_OK);
}

static void make_forms(void)
{
    static const dry_vec3 points[] = {{-0.4f, -0.4f, -0.4f}, {0.4f, -0.4f, -0.4f}, {0.0f, 0.5f, -0.3f},
                                      {0.1f, 0.0f, 0.5f},    {0.4f, 0.4f, 0.2f},   {-0.4f, 0.2f, 0.4f},
                                      {-0.1f, -0.5f, 0.3f},  {0.3f, -0.3f, 0.4f},  {-0.5f, 0.3f, -0.1f}};
    for (int i = 0; i < FORMS; ++i) {
        dry_shape_def children[4];
        for (int k = 0; k < 4; ++k) {
            children[k] = dry_default_shape_def();
            children[k].half_extents = (dry_vec3){0.3f, 0.1f, 0.15f};
            children[k].radius = children[k].half_length = 0.2f;
            children[k].pose.position.x = 0.2f * (float)k - 0.3f;
        }
        FUZZ_CHECK(dry_hull_create(points, 4 + 2 * i, 0, NULL, &hulls[i], NULL) == DRY_OK);
        children[1].type = DRY_SHAPE_CYLINDER;
        children[2].type = i == 1 ? DRY_SHAPE_SPHERE : DRY_SHAPE_CAPSULE;
        children[3].type = DRY_SHAPE_HULL;
        children[3].data = hulls[i];
        children[2].pose.orientation = i == 2 ? (dry_quat){0.6f, 0, 0, 0.8f} : children[2].pose.orientation;
        FUZZ_CHECK(dry_compound_create(children, 2 + i, NULL, &compounds[i]) == DRY_OK);
        make_triangles(i);
        make_land(i);
    }
}

/* Draws the type: for a quarter of the bytes one that came after the others, so that inputs kept before
 * still mean much the same. */
static dry_shape_type draw_shape_type(fuzz_turn *t, dry_body_type of)
{
    static const dry_shape_type later[] = {DRY_SHAPE_CYLINDER, DRY_SHAPE_HULL, DRY_SHAPE_COMPOUND,
                                           DRY_SHAPE_MESH, DRY_SHAPE_HEIGHT_FIELD};
    const unsigned which = draw_byte(t);
    if (t->wild && draw_chance(t, 16))
        return (dry_shape_type)draw_byte(t);
    return which < 192 ? (dry_shape_type)(which % (of == DRY_BODY_STATIC ? 4 : 3))
                       : later[which % (of == DRY_BODY_DYNAMIC ? 3 : 5)];
}

/* Draws data and scale of a shape that has data, and a cylinder's sizes. */
static void draw_form(fuzz_turn *t, dry_body_type of, dry_shape_def *def)
{
    const unsigned how = draw_byte(t);
    if (!hulls[0])
        make_forms();
    if (def->type == DRY_SHAPE_CYLINDER) {
        def->radius = draw_between(t, 0.1, 0.5);
        def->half_length = draw_between(t, 0.1, 0.5);
    } else {
        dry_shape_data *const *const forms[] = {hulls, compounds, meshes, fields};
        const bool swapped = t->wild && how >= 250;
        def->data = forms[((int)def->type - DRY_SHAPE_HULL + swapped) % 4][how % FORMS];
        if (def->type == DRY_SHAPE_COMPOUND && how & 8 && (of != DRY_BODY_DYNAMIC || (t->wild && how >= 240)))
            def->data = lands[how % FORMS];
    }
    if (how & 16) {
        const float x = draw_between(t, 0.5, 1.5), y = how & 32 ? draw_between(t, 0.5, 1.5) : x;
        def->scale = (dry_vec3){x, how & 64 ? -y : y, how & 128 ? -x : x};
    }
}

dry_shape_def draw_shape_def(fuzz_turn *t, dry_body_type of)
{
    dry_shape_def def = dry_default_shape_def();
    def.type = draw_shape_type(t, of);
    if (def.type == DRY_SHAPE_BOX) {
        const float x = draw_between(t, 0.1, 0.7), y = draw_between(t, 0.1, 0.7);
        def.half_extents = (dry_vec3){x, y, draw_between(t, 0.1, 0.7)};
    } else if (def.type == DRY_SHAPE_HALFSPACE) {
        if (t->wild && draw_chance(t, 4)) {
            def.normal = draw_vector(t, 1);
            def.offset = draw_number(t, 1);
        }
    } else if (def.type >= DRY_SHAPE_CYLINDER && def.type < DRY_SHAPE_TYPE_COUNT) {
        draw_form(t, of, &def);
    } else {
        def.radius = draw_between(t, 0.1, 0.5);
        if (def.type == DRY_SHAPE_CAPSULE)
            def.half_length = draw_between(t, 0, 0.5);
    }
    const unsigned more = draw_byte(t);
    if (more & 1 && def.type != DRY_SHAPE_HALFSPACE) {
        const dry_vec3 p = draw_vector(t, 0.5);
        def.pose = (dry_transform){p, draw_rotation(t)};
    }
    if (more & 2 && def.type != DRY_SHAPE_HALFSPACE)
        def.density = draw_chance(t, 2) ? 0 : draw_between(t, 1, 5000);
    if (more & 4)
        def.friction = draw_between(t, 0, 1);
    if (more & 8)
        def.restitution = draw_between(t, 0, 1);
    if (more & 16)
        def.rolling_resistance = draw_between(t, 0, 0.2);
    if (more & 32)
        def.filter = draw_filter(t);
    if (more & 128)
        def.static_friction = draw_between(t, 0, 1.5);
    if (more & 64)
        def.user_data = draw_bits(t, 2);
    return def;
}
