/* Makes the shape data of a soak (forms.h). Reads lots; creates data through the library's public calls. */
#include "cli/soak/forms.h"
#include "cli/soak/lots.h"

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

bool forms_make(soak_forms *forms, uint64_t seed)
{
    soak_lots lots = lots_begin(seed ^ 0x5eed0f0a5u);
    bool made = true;
    *forms = (soak_forms){.hulls = {NULL}};
    for (int i = 0; i < FORMS_EACH && made; i++) {
        forms->hulls[i] = make_hull(&lots);
        forms->compounds[i] = forms->hulls[i] != NULL ? make_compound(&lots, forms->hulls[i]) : NULL;
        made = forms->compounds[i] != NULL;
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
    }
    *forms = (soak_forms){.hulls = {NULL}};
}
