/* Parts that all queries share. Reads shapes, bodies and poses; changes nothing. */
#include "api/query.h"

#include "world/check.h"

/* Fields that are not named are 0. */
#define DEFAULT_QUERY(type, name, ...)                                                                       \
    type name(void)                                                                                          \
    {                                                                                                        \
        return (type){.mask = UINT64_MAX, __VA_ARGS__};                                                      \
    }
DEFAULT_QUERY(dry_ray, dry_default_ray, .ignore_count = 0)
DEFAULT_QUERY(dry_cast_query, dry_default_cast_query, .pose.orientation.w = 1.0f)
DEFAULT_QUERY(dry_overlap, dry_default_overlap, .pose.orientation.w = 1.0f,
              .half_extents = {0.5f, 0.5f, 0.5f})
DEFAULT_QUERY(dry_collide_query, dry_default_collide_query, .pose.orientation.w = 1.0f)
DEFAULT_QUERY(dry_closest_query, dry_default_closest_query, .pose.orientation.w = 1.0f, .max_distance = 1e7f)
DEFAULT_QUERY(dry_contains_query, dry_default_contains_query, .ignore_count = 0)

bool dry_asks(const dry_world *world, const dry_asked *asked, int shape)
{
    if (!(dry_shapes_filter(&world->shapes, shape)->category & asked->mask))
        return false;
    if (!asked->body.bits && asked->ignore_count == 0)
        return true;
    const dry_body_id body = dry_body_id_of(world, world->shapes.form[shape].body);
    if (asked->body.bits && body.bits != asked->body.bits)
        return false;
    for (int i = 0; i < asked->ignore_count; i++)
        if (asked->ignore[i].bits == body.bits)
            return false;
    return true;
}

const char *dry_query_shape_error(const dry_shape_def *shape, const dry_pose *pose)
{
    const char *error = dry_motion_error(pose, NULL);
    if (error || !shape)
        return error;
    error = dry_geometry_def_error(shape);
    if (error)
        return error;
    if (dry_type_properties((int32_t)shape->type) & (DRY_TYPE_PIECES | DRY_TYPE_UNBOUNDED))
        return "shape.type must be a sphere, capsule, cylinder, box or hull";
    return dry_pose_error(&shape->pose);
}

/* Writes the least and the largest coordinates of a solid along an axis of the frame, with some to spare. */
static void span_of(const dry_placed *solid, dry_double3 axis, double *low, double *high)
{
    int number;
    *low = double3_dot(axis, dry_placed_support(solid, double3_neg(axis), &number)) - solid->radius;
    *high = double3_dot(axis, dry_placed_support(solid, axis, &number)) + solid->radius;
    const double pad = 1e-6 * (fabs(*low) + fabs(*high));
    *low -= pad;
    *high += pad;
}

dry_query_shape dry_query_shape_of(const dry_shape_def *shape, const dry_pose *pose)
{
    dry_query_shape q = {.origin = pose->position, .solid = dry_placed_point(double3(0.0, 0.0, 0.0))};
    if (shape) {
        const dry_geometry geometry = dry_geometry_from_def(shape);
        const dry_placed_pose body = {{0.0, 0.0, 0.0}, pose->orientation};
        const dry_placed_pose own = dry_placed_pose_mul(&body, &shape->pose);
        q.solid = dry_placed_of(&geometry, &own);
    }
    dry_double3 low, high;
    span_of(&q.solid, double3(1.0, 0.0, 0.0), &low.x, &high.x);
    span_of(&q.solid, double3(0.0, 1.0, 0.0), &low.y, &high.y);
    span_of(&q.solid, double3(0.0, 0.0, 1.0), &low.z, &high.z);
    q.bounds = (dry_bounds){dry_query_place(q.origin, low), dry_query_place(q.origin, high)};
    return q;
}

dry_target dry_target_of(const dry_world *world, int shape, dry_position origin, dry_triangle_sides sides)
{
    const dry_shape_form *form = &world->shapes.form[shape];
    const dry_body_pose *pose = dry_body_pose_of(&world->bodies, form->body);
    const dry_placed_pose body = {
        {pose->position.x - origin.x, pose->position.y - origin.y, pose->position.z - origin.z},
        pose->orientation};
    return (dry_target){dry_shapes_geometry(&world->shapes, shape), dry_placed_pose_mul(&body, &form->pose),
                        sides, 0};
}

dry_query_part dry_query_whole(const dry_world *world, int shape, int material)
{
    const int body = world->shapes.form[shape].body;
    return (dry_query_part){.shape = dry_shape_id_of(world, shape),
                            .body = dry_body_id_of(world, body),
                            .shape_user_data = world->shapes.link[shape].user_data,
                            .body_user_data = dry_body_state_of(&world->bodies, body)->user_data,
                            .material = dry_shapes_material_id(&world->shapes, shape, material),
                            .material_index = material,
                            .child = -1,
                            .triangle = -1};
}

/* The weights of corners are those of the caller's order, which a mirrored triangle does not have. */
dry_query_part dry_query_part_of(const dry_world *world, int shape, const dry_query_piece *piece,
                                 dry_double3 point, dry_double3 normal)
{
    dry_query_part part = dry_query_whole(world, shape, piece->material);
    part.child = piece->child;
    part.triangle = piece->triangle;
    if (piece->triangle < 0)
        return part;
    const dry_double3 at = double3_sub(point, piece->solid.center), *corner = piece->solid.corner;
    double weight[3], sum = 0.0;
    for (int i = 0; i < 3; i++) {
        const dry_double3 from = double3_sub(corner[(i + 1) % 3], at),
                          to = double3_sub(corner[(i + 2) % 3], at);
        weight[i] = double_max(double3_dot(piece->normal, double3_cross(from, to)), 0.0);
        sum += weight[i];
    }
    const int second = piece->mirrored ? 2 : 1;
    part.barycentric =
        vec3((float)(weight[0] / sum), (float)(weight[second] / sum), (float)(weight[3 - second] / sum));
    part.back = double3_dot(normal, piece->normal) < 0.0;
    return part;
}

int dry_compare_ages(const dry_world *world, dry_shape_id a, dry_shape_id b)
{
    const dry_shape_creation *creation = world->shapes.creation;
    const uint64_t first = creation[dry_slots_of(a.bits)].index,
                   second = creation[dry_slots_of(b.bits)].index;
    return (first > second) - (first < second);
}

bool dry_is_older(const void *world, const void *a, const void *b)
{
    return dry_compare_ages(world, *(const dry_shape_id *)a, *(const dry_shape_id *)b) < 0;
}

#define HAS_MEMBERS_OF_ASKED(type)                                                                           \
    (offsetof(type, body) - offsetof(type, mask) == offsetof(dry_asked, body) &&                             \
     offsetof(type, ignore) - offsetof(type, mask) == offsetof(dry_asked, ignore) &&                         \
     offsetof(type, ignore_count) - offsetof(type, mask) == offsetof(dry_asked, ignore_count))
_Static_assert(HAS_MEMBERS_OF_ASKED(dry_ray) && HAS_MEMBERS_OF_ASKED(dry_cast_query) &&
                   HAS_MEMBERS_OF_ASKED(dry_overlap) && HAS_MEMBERS_OF_ASKED(dry_collide_query) &&
                   HAS_MEMBERS_OF_ASKED(dry_closest_query) && HAS_MEMBERS_OF_ASKED(dry_contains_query),
               "the members of dry_asked have its order");

static dry_asked asked_by(const dry_query_kind *kind, const void *query)
{
    dry_asked asked = {.sides = DRY_SIDES_OF_SHAPE};
    memcpy(&asked, (const char *)query + kind->asked_at, kind->asked_bytes);
    asked.mask = asked.mask ? asked.mask : UINT64_MAX;
    return asked;
}

/* Returns what is wrong with a query, in words; null if nothing is. Sets the result of its call then. */
static const char *query_error(const dry_world *world, const dry_query_kind *kind, const void *query,
                               dry_result *result)
{
    const char *error = kind->error(query);
    const dry_asked asked = asked_by(kind, query);
    *result = DRY_ERROR_ARGUMENT;
    if (error)
        return error;
    if (asked.ignore_count < 0)
        return "ignore_count must be 0 or more";
    if (asked.ignore_count > 0 && !asked.ignore)
        return "ignore is null, but ignore_count is not 0";
    if ((int)asked.sides < 0 || asked.sides >= DRY_SIDES_COUNT)
        return "sides is unknown";
    *result = DRY_ERROR_STALE_ID;
    if (asked.body.bits && dry_slots_find(&world->bodies.slots, asked.body.bits) < 0)
        return "body names no body of this world";
    return NULL;
}

dry_search dry_search_begin(const dry_world *world, const dry_query_kind *kind, dry_wanted wanted,
                            const void *query, void *hits, int capacity)
{
    if (wanted == DRY_WANT_FIRST)
        memcpy(hits, kind->no_hit, kind->hit_bytes);
    return (dry_search){.world = world,
                        .query = query,
                        .asked = asked_by(kind, query),
                        .wanted = wanted,
                        .hits = {hits, kind->hit_bytes, capacity, 0, kind->comes_before, world}};
}

static int find(const dry_world *world, const dry_query_kind *kind, dry_wanted wanted, const void *query,
                void *hits, int capacity)
{
    dry_search search = dry_search_begin(world, kind, wanted, query, hits, capacity);
    kind->find(&search);
    return search.count;
}

static bool has_null(dry_wanted wanted, const void *query, const void *hits, int capacity, const int *count)
{
    return !query || capacity < 0 || (capacity > 0 && !hits) || (wanted != DRY_WANT_FIRST && !count);
}

dry_result dry_query_answer(const dry_world *world, const char *name, const dry_query_kind *kind,
                            dry_wanted wanted, const void *query, void *hits, int capacity, int *count)
{
    dry_result result;
    DRY_RETURN_REFUSAL(dry_check_read(world, name));
    if (has_null(wanted, query, hits, capacity, count))
        return dry_refuse(world, name, "an argument is null or negative");
    const char *error = query_error(world, kind, query, &result);
    if (error)
        return dry_world_fail(world, result, "%s: %s", name, error);
    const int found = find(world, kind, wanted, query, hits, capacity);
    if (wanted != DRY_WANT_FIRST)
        *count = found;
    return DRY_OK;
}

dry_result dry_query_answer_any(const dry_world *world, const char *name, const dry_query_kind *kind,
                                const void *query, bool *met)
{
    int count;
    if (!met)
        return dry_refuse(world, name, "an argument is null or negative");
    const dry_result result = dry_query_answer(world, name, kind, DRY_WANT_ANY, query, NULL, 0, &count);
    if (result == DRY_OK)
        *met = count > 0;
    return result;
}

typedef struct batch {
    const dry_world *world;
    const dry_query_kind *kind;
    dry_wanted wanted;
    int count;
    const char *queries;
    char *hits;
    int capacity_each;
    int *counts;
} batch;

static void answer_some(void *context, dry_items items)
{
    const batch *b = context;
    const dry_query_kind *kind = b->kind;
    const char *query = b->queries + (size_t)items.begin * kind->query_bytes;
    const size_t bytes_each = (size_t)b->capacity_each * kind->hit_bytes;
    char *hits = b->hits ? b->hits + (size_t)items.begin * bytes_each : NULL;
    if (kind->find_first_of_each) {
        kind->find_first_of_each(b->world, query, items.end - items.begin, hits);
        return;
    }
    for (int i = items.begin; i < items.end; i++) {
        const int found = find(b->world, kind, b->wanted, query, hits, b->capacity_each);
        if (b->counts)
            b->counts[i] = found;
        query += kind->query_bytes;
        hits = hits ? hits + bytes_each : NULL;
    }
}

static void answer_all(void *context)
{
    batch *b = context;
    dry_jobs_for(b->world->jobs, b->count, 16, answer_some, b);
}

dry_result dry_query_answer_batch(dry_world *world, const char *name, const dry_query_kind *kind,
                                  dry_wanted wanted, int query_count, const void *queries, void *hits,
                                  int capacity_each, int *counts)
{
    dry_result result;
    DRY_RETURN_REFUSAL(dry_check_world(world, name));
    if (query_count < 0 || capacity_each < 0 ||
        (query_count > 0 && has_null(wanted, queries, hits, capacity_each, counts)))
        return dry_refuse(world, name, "an argument is null or negative");
    for (int i = 0; i < query_count; i++) {
        const void *query = (const char *)queries + (size_t)i * kind->query_bytes;
        const char *error = query_error(world, kind, query, &result);
        if (error)
            return dry_world_fail(world, result, "%s: %s[%d].%s", name, kind->list, i, error);
    }
    if (query_count == 0)
        return DRY_OK;
    batch b = {world, kind, wanted, query_count, queries, hits, capacity_each, counts};
    world->stepping = true;
    dry_jobs_begin_parallel(world->jobs, answer_all, &b);
    world->stepping = false;
    return DRY_OK;
}
