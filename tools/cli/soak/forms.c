/* Makes the shape data of a soak (forms.h). Reads lots; creates data through the library's public calls. */
#include "tools/cli/soak/forms.h"
#include "tools/cli/soak/lots.h"

enum { POINTS_MAX = 40, CHILDREN_MAX = 5 };

static dry_shape_data *make_hull(soak_lots *lots)
{
    dry_vec3 points[POINTS_MAX];
    dry_shape_data *data = NULL;
    const int count = 8 + lots_below(lots, POINTS_MAX - 7);
    const int limit = lots_once_in(lots, 4) ? 4 + lots_below(lots, 12) : 0;
    for (int i = 0; i < count; i++) {
        points[i] = lots_vector(lots, 0.35);
    }
    return dry_hull_create(points, count, limit, NULL, &data, NULL) == DRY_OK ? data : NULL;
}

static dry_shape_data *make_compound(soak_lots *lots, dry_shape_data *hull)
{
    static const dry_shape_type types[] = {DRY_SHAPE_BOX, DRY_SHAPE_SPHERE, DRY_SHAPE_CAPSULE,
                                           DRY_SHAPE_CYLINDER, DRY_SHAPE_HULL};
    dry_shape_def children[CHILDREN_MAX];
    dry_shape_data *data = NULL;
    const int count = 1 + lots_below(lots, CHILDREN_MAX);
    for (int i = 0; i < count; i++) {
        dry_shape_def *child = &children[i];
        *child = dry_default_shape_def();
        child->type = types[lots_below(lots, (int)(sizeof types / sizeof *types))];
        child->half_extents = (dry_vec3){0.2f, lots_number(lots, 0.05, 0.2), lots_number(lots, 0.05, 0.2)};
        child->radius = lots_number(lots, 0.05, 0.15);
        child->half_length = lots_number(lots, 0.05, 0.15);
        child->data = hull;
        child->scale = child->type == DRY_SHAPE_HULL ? (dry_vec3){0.5f, -0.5f, 0.25f} : child->scale;
        child->pose.position = lots_vector(lots, 0.2);
        if (lots_once_in(lots, 2)) {
            child->pose.orientation = lots_rotation(lots);
        }
    }
    return dry_compound_create(children, count, NULL, &data) == DRY_OK ? data : NULL;
}

/* Draws heights that are nowhere above 0. */
static void draw_heights(soak_lots *lots, float deep, float *heights)
{
    for (int i = 0; i < FIELD_SIDE * FIELD_SIDE; i++) {
        heights[i] = lots_number(lots, -(double)deep, 0.0);
    }
}

/* Makes a mesh of a field's triangles, of which each third is turned the other way if it has two sides. */
static dry_shape_data *make_mesh(soak_lots *lots, float step, bool with_materials, bool two_sided)
{
    enum { CELLS = FIELD_SIDE - 1, TRIANGLES = 2 * CELLS * CELLS };
    float heights[FIELD_SIDE * FIELD_SIDE];
    dry_vec3 vertices[FIELD_SIDE * FIELD_SIDE];
    int32_t triangles[3 * TRIANGLES];
    uint16_t materials[TRIANGLES];
    draw_heights(lots, 0.4f * step, heights);
    for (int i = 0; i < FIELD_SIDE * FIELD_SIDE; i++) {
        vertices[i] = (dry_vec3){step * (float)(i % FIELD_SIDE - CELLS / 2), heights[i],
                                 step * (float)(i / FIELD_SIDE - CELLS / 2)};
    }
    for (int i = 0; i < TRIANGLES; i++) {
        const int a = i / 2 / CELLS * FIELD_SIDE + i / 2 % CELLS, b = a + 1, d = a + FIELD_SIDE, e = d + 1;
        const int32_t corner[2][3] = {{a, d, e}, {a, e, b}};
        const bool turned = two_sided && i % 3 == 0;
        for (int k = 0; k < 3; k++) {
            triangles[3 * i + k] = corner[i % 2][turned ? 2 - k : k];
        }
        materials[i] = (uint16_t)lots_below(lots, FORM_MATERIALS);
    }
    const dry_mesh mesh = {vertices, triangles, FIELD_SIDE * FIELD_SIDE, TRIANGLES};
    const dry_mesh_options options = {two_sided, false, with_materials ? materials : NULL};
    dry_shape_data *data = NULL;
    return dry_mesh_create(&mesh, &options, NULL, &data, NULL) == DRY_OK ? data : NULL;
}

/* Makes the solid that a box bounds. */
static dry_shape_data *make_solid(soak_lots *lots)
{
    static const int32_t triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                             {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                             {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    dry_vec3 vertices[8];
    const float wide = lots_number(lots, 0.3, 0.8), high = lots_number(lots, 0.2, 0.6);
    for (int i = 0; i < 8; i++) {
        vertices[i] = (dry_vec3){i & 1 ? wide : -wide, i & 2 ? high : -high, i & 4 ? 0.6f : -0.6f};
    }
    const dry_mesh mesh = {vertices, triangles[0], 8, 12};
    const dry_mesh_options options = {.solid = true};
    dry_shape_data *data = NULL;
    return dry_mesh_create(&mesh, &options, NULL, &data, NULL) == DRY_OK ? data : NULL;
}

static dry_shape_data *make_field(soak_lots *lots, float step, bool with_materials, bool with_holes)
{
    enum { CELLS = (FIELD_SIDE - 1) * (FIELD_SIDE - 1) };
    float heights[FIELD_SIDE * FIELD_SIDE];
    uint16_t materials[CELLS];
    uint8_t holes[CELLS];
    draw_heights(lots, 0.4f * step, heights);
    for (int i = 0; i < CELLS; i++) {
        materials[i] = (uint16_t)lots_below(lots, FORM_MATERIALS);
        holes[i] = lots_once_in(lots, 8);
    }
    const dry_height_field_def def = {.rows = FIELD_SIDE,
                                      .columns = FIELD_SIDE,
                                      .spacing = {step, step},
                                      .heights = heights,
                                      .holes = with_holes ? holes : NULL,
                                      .material_indices = with_materials ? materials : NULL,
                                      .solid_depth = lots_once_in(lots, 2) ? 2.0f : 0.0f,
                                      .diagonal = (dry_diagonal)lots_below(lots, 2)};
    dry_shape_data *data = NULL;
    return dry_height_field_create(&def, NULL, &data, NULL) == DRY_OK ? data : NULL;
}

bool forms_make(soak_forms *forms, uint64_t seed)
{
    soak_lots lots = lots_begin(seed ^ 0x5eed0f0a5u);
    bool made = true;
    *forms = (soak_forms){.hulls = {NULL}};
    for (int i = 0; i < FORMS_EACH && made; i++) {
        const float step = i < 2 ? 1.0f : 0.1f;
        forms->hulls[i] = make_hull(&lots);
        forms->compounds[i] = forms->hulls[i] != NULL ? make_compound(&lots, forms->hulls[i]) : NULL;
        forms->meshes[i] = i == 2 ? make_solid(&lots) : make_mesh(&lots, step, i & 1, i == 3);
        forms->fields[i] = make_field(&lots, step, i & 1, i == 2);
        made = forms->compounds[i] != NULL && forms->meshes[i] != NULL && forms->fields[i] != NULL;
    }
    if (!made) {
        forms_release(forms);
    }
    return made;
}

void forms_release(soak_forms *forms)
{
    for (int i = 0; i < FORMS_EACH; i++) {
        dry_shape_data_release(forms->hulls[i]); /* compounds hold theirs */
        dry_shape_data_release(forms->compounds[i]);
        dry_shape_data_release(forms->meshes[i]);
        dry_shape_data_release(forms->fields[i]);
    }
    *forms = (soak_forms){.hulls = {NULL}};
}
