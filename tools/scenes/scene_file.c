/* Reads a scene file into a dry_scene. Every deviation from the format is an error with its place.
 *
 * Checks the form: required and unknown fields, types, known names. scene_shapes.c reads the shapes,
 * scene_json.c checks the syntax, and scene_check.c the ranges. */
#include "tools/scenes/scene_json.h"

#include <math.h>
#include <string.h>

static void read_body(dry_json_reader *r, const dry_json_place *at, json_t *object)
{
    static const char *const types[DRY_BODY_TYPE_COUNT] = {"static", "kinematic", "dynamic"};
    static const char *const known[] = {
        "id",   "type",           "position",        "orientation", "velocity", "angular_velocity",
        "mass", "linear_damping", "angular_damping", "shapes",      NULL};
    if (!dry_json_expect_kind(r, at, object, JSON_OBJECT))
        return;
    dry_body_def def = dry_default_body_def();
    const json_t *id = dry_json_field(r, at, object, "id", JSON_STRING, DRY_JSON_REQUIRED);
    int type = dry_json_name(r, at, object, "type", types, DRY_BODY_TYPE_COUNT);
    json_t *shapes = dry_json_field(r, at, object, "shapes", JSON_ARRAY, DRY_JSON_REQUIRED);
    dry_json_expect_known(r, at, object, known);
    double position[3] = {0.0, 0.0, 0.0};
    dry_json_doubles(r, at, object, "position", DRY_JSON_OPTIONAL, position, 3);
    dry_json_rotation(r, at, object, "orientation", &def.pose.orientation);
    dry_json_vector(r, at, object, "velocity", DRY_JSON_OPTIONAL, &def.velocity.linear);
    dry_json_vector(r, at, object, "angular_velocity", DRY_JSON_OPTIONAL, &def.velocity.angular);
    const bool has_mass = dry_json_field(r, at, object, "mass", JSON_REAL, DRY_JSON_OPTIONAL) != NULL;
    dry_json_float(r, at, object, "mass", DRY_JSON_OPTIONAL, &def.mass);
    dry_json_float(r, at, object, "linear_damping", DRY_JSON_OPTIONAL, &def.linear_damping);
    dry_json_float(r, at, object, "angular_damping", DRY_JSON_OPTIONAL, &def.angular_damping);
    if (r->failed)
        return;
    def.type = (dry_body_type)type;
    def.pose.position = (dry_position){position[0], position[1], position[2]};
    int index = dry_scene_add_body(r->scene, json_string_value(id), &def);
    if (index < 0) {
        dry_json_fail(r, at, "out of memory");
        return;
    }
    r->scene->bodies[index].has_mass = has_mass;
    const dry_json_place list = {at, "shapes", 0};
    for (size_t i = 0; i < json_array_size(shapes) && !r->failed; i++) {
        const dry_json_place here = {&list, NULL, (int)i};
        dry_json_shape(r, &here, json_array_get(shapes, i));
    }
}

static int read_body_reference(dry_json_reader *r, const dry_json_place *at, const json_t *object,
                               const char *key)
{
    const json_t *id = dry_json_field(r, at, object, key, JSON_STRING, DRY_JSON_REQUIRED);
    if (!id)
        return -1;
    int index = dry_scene_ids_find(&r->ids, r->scene, json_string_value(id));
    const dry_json_place here = {at, key, 0};
    if (index < 0)
        dry_json_fail(r, &here, "expected the id of a body, got \"%.60s\", which none has",
                      json_string_value(id));
    return index;
}

/* Lets the reader fail at a field that no joint, or no joint of this type, has. */
static void expect_joint_fields(dry_json_reader *r, const dry_json_place *at, json_t *object,
                                dry_joint_type type)
{
    const dry_scene_joint_form *form = &dry_scene_joint_forms[type];
    const char *known[32] = {"type", "body_a", "body_b"};
    static const char *const common[] = {"target", "anchor_b", "collide", "solver"};
    static const char *const further[] = {"body_c", "body_d", "anchor_c", "anchor_d"};
    int count = 3;
    for (int i = 0; i < 4 && !form->bare; i++)
        known[count++] = common[i];
    if (type != DRY_JOINT_TARGET && !form->bare)
        known[count++] = "anchor_a";
    for (int i = 0; i < 4 && form->corners; i++)
        known[count++] = further[i];
    if (form->framed) {
        known[count++] = "orientation_a";
        known[count++] = "orientation_b";
    }
    for (const dry_scene_number *n = dry_scene_joint_numbers; n->name; n++)
        if (dry_scene_joint_has(type, n))
            known[count++] = n->name;
    if (form->axes != 0)
        known[count++] = "axes";
    dry_json_expect_known(r, at, object, known);
}

/* Reads the fields that are present, and the motor that these make. */
static void read_axis_numbers(dry_json_reader *r, const dry_json_place *at, json_t *object, bool states,
                              dry_joint_axis *axis)
{
    const char *known[32];
    int count = 0, motor = DRY_MOTOR_OFF;
    for (const dry_scene_number *n = dry_scene_axis_numbers; n->name; n++)
        known[count++] = n->name;
    if (states)
        known[count++] = "state";
    known[count] = NULL;
    dry_json_expect_known(r, at, object, known);
    for (const dry_scene_number *n = dry_scene_axis_numbers; n->name; n++) {
        dry_json_float(r, at, object, n->name, DRY_JSON_OPTIONAL, dry_scene_number_in(axis, n));
        if (json_object_get(object, n->name))
            motor |= (int)n->motor;
    }
    axis->motor = (dry_motor)motor;
}

/* Reads whether an axis is locked, limited or free, and holds its stops to it. A state that is left out is
 * that of the stops; without stops the axis is locked. */
static void read_axis_state(dry_json_reader *r, const dry_json_place *at, json_t *object,
                            dry_joint_axis *axis)
{
    enum { LOCKED, LIMITED, FREE, STATES };
    static const char *const names[STATES] = {"locked", "limited", "free"};
    const bool low = json_object_get(object, "min") != NULL, high = json_object_get(object, "max") != NULL;
    const dry_json_place min = {at, "min", 0}, max = {at, "max", 0};
    int state = low || high ? LIMITED : LOCKED;
    if (json_object_get(object, "state"))
        state = dry_json_name(r, at, object, "state", names, STATES);
    if (state == LIMITED && !low && !high)
        dry_json_fail(r, &min, "expected min or max for a limited axis, but both are missing");
    if (state == FREE && (low || high))
        dry_json_fail(r, low ? &min : &max, "expected no stop for a free axis");
    if (state == LOCKED && (low || high) && !(axis->min == axis->max))
        dry_json_fail(r, low ? &max : &min, "expected a locked axis to have equal min and max, or neither");
    if (state == LOCKED && !low && !high)
        axis->min = axis->max = 0.0f;
}

static void read_axes(dry_json_reader *r, const dry_json_place *at, json_t *object,
                      const dry_scene_joint_form *form, dry_joint_def *def)
{
    json_t *axes = dry_json_field(r, at, object, "axes", JSON_OBJECT, DRY_JSON_OPTIONAL);
    if (!axes)
        return;
    const dry_json_place list = {at, "axes", 0};
    const char *known[DRY_AXIS_COUNT + 1];
    int count = 0;
    for (int i = 0; i < DRY_AXIS_COUNT; i++)
        if (form->axes >> i & 1)
            known[count++] = dry_scene_axis_names[i];
    known[count] = NULL;
    dry_json_expect_known(r, &list, axes, known);
    for (int i = 0; i < DRY_AXIS_COUNT; i++) {
        const char *name = dry_scene_axis_names[i];
        json_t *fields = dry_json_field(r, &list, axes, name, JSON_OBJECT, DRY_JSON_OPTIONAL);
        const dry_json_place here = {&list, name, 0};
        if (!fields)
            continue;
        def->axes[i] = dry_scene_free_axis();
        read_axis_numbers(r, &here, fields, form->states, &def->axes[i]);
        if (form->states)
            read_axis_state(r, &here, fields, &def->axes[i]);
    }
}

/* Reads body_a, which may be the world, and with it the anchor there. */
static int read_body_a(dry_json_reader *r, const dry_json_place *at, json_t *object, dry_joint_def *def)
{
    const bool drags = def->type == DRY_JOINT_TARGET;
    const json_t *body = json_object_get(object, "body_a");
    const dry_json_place here = {at, "body_a", 0}, target = {at, "target", 0};
    if (dry_scene_joint_forms[def->type].bare)
        return read_body_reference(r, at, object, "body_a");
    if (!drags)
        dry_json_vector(r, at, object, "anchor_a", DRY_JSON_REQUIRED, &def->anchor_a);
    else if (body && !json_is_null(body))
        dry_json_fail(r, &here, "expected null for a target joint, which drags to a place in the world");
    if (!drags && !json_is_null(body)) {
        if (json_object_get(object, "target"))
            dry_json_fail(r, &target, "expected none for a joint of two bodies");
        return read_body_reference(r, at, object, "body_a");
    }
    double place[3] = {0.0, 0.0, 0.0};
    dry_json_doubles(r, at, object, "target", drags ? DRY_JSON_REQUIRED : DRY_JSON_OPTIONAL, place, 3);
    def->target = (dry_position){place[0], place[1], place[2]};
    return DRY_SCENE_WORLD;
}

/* Adds a joint to the scene, one of four bodies with its further ones. Returns its index; -1 without memory.
 */
static int add_read_joint(dry_json_reader *r, const dry_json_place *at, json_t *object,
                          const dry_joint_def *def, int body_a, int body_b)
{
    dry_scene_joint joint = {.def = *def, .body_a = body_a, .body_b = body_b};
    if (dry_scene_joint_forms[def->type].corners) {
        joint.body_c = read_body_reference(r, at, object, "body_c");
        joint.body_d = read_body_reference(r, at, object, "body_d");
        dry_json_vector(r, at, object, "anchor_c", DRY_JSON_REQUIRED, &joint.anchor_c);
        dry_json_vector(r, at, object, "anchor_d", DRY_JSON_REQUIRED, &joint.anchor_d);
    }
    const int index = r->failed ? 0 : dry_scene_add_joint(r->scene, def, body_a, body_b);
    if (!r->failed && index >= 0)
        r->scene->joints[index] = joint;
    return index;
}

static void read_joint(dry_json_reader *r, const dry_json_place *at, json_t *object)
{
    if (!dry_json_expect_kind(r, at, object, JSON_OBJECT))
        return;
    const char *names[DRY_JOINT_TYPE_COUNT];
    for (int i = 0; i < DRY_JOINT_TYPE_COUNT; i++)
        names[i] = dry_scene_joint_forms[i].name;
    int type = dry_json_name(r, at, object, "type", names, DRY_JOINT_TYPE_COUNT);
    if (type < 0)
        return;
    const dry_scene_joint_form *form = &dry_scene_joint_forms[type];
    dry_joint_def def = dry_default_joint_def((dry_joint_type)type);
    expect_joint_fields(r, at, object, def.type);
    int body_a = read_body_a(r, at, object, &def);
    int body_b = read_body_reference(r, at, object, "body_b");
    if (!form->bare)
        dry_json_vector(r, at, object, "anchor_b", DRY_JSON_REQUIRED, &def.anchor_b);
    if (form->framed) {
        dry_json_rotation(r, at, object, "orientation_a", &def.orientation_a);
        dry_json_rotation(r, at, object, "orientation_b", &def.orientation_b);
    }
    for (const dry_scene_number *n = dry_scene_joint_numbers; n->name; n++)
        if (dry_scene_joint_has(def.type, n))
            dry_json_float(r, at, object, n->name, dry_scene_joint_needs(&def, n),
                           dry_scene_number_in(&def, n));
    def.collide = dry_json_bool(r, at, object, "collide", def.collide);
    if (json_object_get(object, "solver"))
        def.solver = (dry_joint_solver)(dry_json_name(r, at, object, "solver", dry_scene_joint_solver_names,
                                                      DRY_SCENE_JOINT_SOLVERS) +
                                        DRY_JOINT_SOLVER_ITERATIVE);
    read_axes(r, at, object, form, &def);
    if (add_read_joint(r, at, object, &def, body_a, body_b) < 0)
        dry_json_fail(r, at, "out of memory");
}

/* Returns the file's name without folders and .json, which names a scene whose file states no name. */
static char *name_of_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = dry_scene_copy_text(slash ? slash + 1 : path);
    size_t length = name ? strlen(name) : 0;
    if (length > 5 && strcmp(name + length - 5, ".json") == 0)
        name[length - 5] = '\0';
    return name;
}

static void read_joints(dry_json_reader *r, const dry_json_place *root, json_t *joints)
{
    int duplicate;
    if (!dry_scene_ids_make(&r->ids, r->scene, &duplicate))
        dry_json_fail(r, root, "out of memory");
    const dry_json_place list = {root, "joints", 0};
    for (size_t i = 0; i < json_array_size(joints) && !r->failed; i++) {
        const dry_json_place here = {&list, NULL, (int)i};
        read_joint(r, &here, json_array_get(joints, i));
    }
    dry_scene_ids_free(&r->ids);
}

static void read_root(dry_json_reader *r, json_t *object)
{
    static const char *const known[] = {"format", "version", "name",   "source", "gravity",
                                        "dt",     "bodies",  "joints", NULL};
    static const char *const formats[] = {"drystone-scene"};
    const dry_json_place root = {NULL, NULL, 0};
    if (!dry_json_expect_kind(r, &root, object, JSON_OBJECT))
        return;
    dry_json_name(r, &root, object, "format", formats, 1);
    double version = dry_json_double(r, &root, object, "version", DRY_JSON_REQUIRED, 1.0);
    const dry_json_place version_place = {&root, "version", 0};
    if (version != 1.0)
        dry_json_fail(r, &version_place, "expected 1, got %.9g", version);
    json_t *bodies = dry_json_field(r, &root, object, "bodies", JSON_ARRAY, DRY_JSON_REQUIRED);
    json_t *joints = dry_json_field(r, &root, object, "joints", JSON_ARRAY, DRY_JSON_OPTIONAL);
    const json_t *name = dry_json_field(r, &root, object, "name", JSON_STRING, DRY_JSON_OPTIONAL);
    dry_json_field(r, &root, object, "source", JSON_STRING, DRY_JSON_OPTIONAL);
    dry_json_expect_known(r, &root, object, known);
    r->scene->gravity = (dry_vec3){0.0f, -9.81f, 0.0f};
    r->scene->dt = 1.0f / 60.0f;
    dry_json_vector(r, &root, object, "gravity", DRY_JSON_OPTIONAL, &r->scene->gravity);
    dry_json_float(r, &root, object, "dt", DRY_JSON_OPTIONAL, &r->scene->dt);
    if (r->failed)
        return;
    r->scene->name = name ? dry_scene_copy_text(json_string_value(name)) : name_of_file(r->file);
    if (!r->scene->name)
        dry_json_fail(r, &root, "out of memory");

    const dry_json_place list = {&root, "bodies", 0};
    for (size_t i = 0; i < json_array_size(bodies) && !r->failed; i++) {
        const dry_json_place here = {&list, NULL, (int)i};
        read_body(r, &here, json_array_get(bodies, i));
    }
    if (!r->failed && joints)
        read_joints(r, &root, joints);
}

void dry_scene_normalize(float *const *x, int count)
{
    double squared = 0.0;
    for (int k = 0; k < count; k++)
        squared += (double)*x[k] * (double)*x[k];
    if (fabs(squared - 1.0) <= 5e-7)
        return;
    double scale = 1.0 / sqrt(squared);
    for (int k = 0; k < count; k++)
        *x[k] = (float)((double)*x[k] * scale);
}

static void normalize_scene(dry_scene *scene)
{
    for (int i = 0; i < scene->body_count; i++) {
        dry_quat *q = &scene->bodies[i].def.pose.orientation;
        dry_scene_normalize((float *const[]){&q->x, &q->y, &q->z, &q->w}, 4);
    }
    for (int i = 0; i < scene->shape_count; i++) {
        dry_quat *q = &scene->shapes[i].pose.orientation;
        dry_vec3 *n = &scene->shapes[i].normal;
        dry_scene_normalize((float *const[]){&q->x, &q->y, &q->z, &q->w}, 4);
        if (scene->shapes[i].type == DRY_SHAPE_HALFSPACE)
            dry_scene_normalize((float *const[]){&n->x, &n->y, &n->z}, 3);
    }
    for (int i = 0; i < scene->joint_count; i++) {
        dry_quat *a = &scene->joints[i].def.orientation_a, *b = &scene->joints[i].def.orientation_b;
        dry_scene_normalize((float *const[]){&a->x, &a->y, &a->z, &a->w}, 4);
        dry_scene_normalize((float *const[]){&b->x, &b->y, &b->z, &b->w}, 4);
    }
}

bool dry_scene_read(const char *path, dry_scene *scene, char *error, size_t error_bytes)
{
    memset(scene, 0, sizeof *scene);
    dry_json_reader r = {.file = path, .scene = scene, .error = error, .error_bytes = error_bytes};
    json_t *root = dry_json_parse(&r);
    if (root) {
        read_root(&r, root);
        json_decref(root);
    }
    dry_json_free_points(&r);
    char what[256];
    if (!r.failed && !dry_scene_check(scene, what, sizeof what))
        dry_json_fail(&r, NULL, "%s", what);
    if (r.failed) {
        dry_scene_free(scene);
        return false;
    }
    normalize_scene(scene);
    dry_scene_finish(scene);
    return true;
}
