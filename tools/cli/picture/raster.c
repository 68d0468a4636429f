/* Draws into the depth buffer (raster.h). Reads solids, writes keys and ids. */
#include "tools/cli/picture/keys.h"

#include <stdlib.h>
#include <string.h>

#define TILE 8
#define STALE_QUERIES 4 /* of 1, 4 and 8 the fastest, by 3 % of a frame */
#define FAR_PARALLEL -3e38f

raster_view raster_view_perspective(vec eye, vec forward, vec right, double scale, int width, int height)
{
    vec down = vec_cross(forward, right);
    double step = 2.0 * scale / width;
    raster_view v = {
        .perspective = true, .width = width, .height = height, .forward = forward, .origin = eye};
    v.dx = vec_scale(right, step);
    v.dy = vec_scale(down, step);
    v.direction = vec_along(vec_along(forward, -0.5 * width, v.dx), -0.5 * height, v.dy);
    return v;
}

raster_view raster_view_parallel(vec center, double radius, vec forward, int size)
{
    vec side = fabs(forward.x) < 0.6 ? vec_make(1.0, 0.0, 0.0) : vec_make(0.0, 0.0, 1.0);
    vec right = vec_unit(vec_cross(forward, side));
    vec down = vec_cross(forward, right);
    double step = 2.0 * radius / size;
    raster_view v = {.width = size, .height = size, .forward = forward, .direction = forward};
    v.dx = vec_scale(right, step);
    v.dy = vec_scale(down, step);
    v.origin = vec_along(vec_along(center, -radius, right), -radius, down);
    return v;
}

vec raster_ray(const raster_view *view, double x, double y)
{
    return vec_along(vec_along(view->direction, x, view->dx), y, view->dy);
}

void raster_project(const raster_view *view, vec point, double *x, double *y, double *t)
{
    vec from = vec_sub(point, view->origin);
    double step2 = vec_dot(view->dx, view->dx);
    *t = vec_dot(from, view->forward);
    if (view->perspective) {
        double scale = 1.0 / (*t * step2);
        *x = vec_dot(from, view->dx) * scale + 0.5 * view->width;
        *y = vec_dot(from, view->dy) * scale + 0.5 * view->height;
    } else {
        *x = vec_dot(from, view->dx) / step2;
        *y = vec_dot(from, view->dy) / step2;
    }
}

bool raster_create(raster *r, int width, int height, bool with_ids)
{
    size_t pixels = (size_t)width * (size_t)height;
    int tiles_x = (width + TILE - 1) / TILE, tiles_y = (height + TILE - 1) / TILE;
    size_t tiles = (size_t)tiles_x * (size_t)tiles_y;
    *r = (raster){.width = width, .height = height, .tiles_x = tiles_x};
    r->key = malloc(pixels * sizeof *r->key);
    r->id = with_ids ? malloc(pixels * sizeof *r->id) : NULL;
    r->tile_far = malloc(tiles * sizeof *r->tile_far);
    r->tile_stale = malloc(tiles * sizeof *r->tile_stale);
    if (r->key == NULL || (with_ids && r->id == NULL) || r->tile_far == NULL || r->tile_stale == NULL) {
        raster_free(r);
        return false;
    }
    return true;
}

void raster_free(raster *r)
{
    free(r->key);
    free(r->id);
    free(r->tile_far);
    free(r->tile_stale);
    *r = (raster){0};
}

void raster_clear(raster *r, bool perspective)
{
    size_t pixels = (size_t)r->width * (size_t)r->height;
    size_t tiles = (size_t)r->tiles_x * (size_t)((r->height + TILE - 1) / TILE);
    float far_key = perspective ? 0.0f : FAR_PARALLEL;
    for (size_t i = 0; i < pixels; i++) {
        r->key[i] = far_key;
    }
    for (size_t i = 0; i < tiles; i++) {
        r->tile_far[i] = far_key;
        r->tile_stale[i] = 0;
    }
    if (r->id != NULL) {
        memset(r->id, 0, pixels * sizeof *r->id);
    }
}

/* Returns a whole number of pixels within the picture; what is far outside does not fit an int. */
static int pixel_within(double at, int size)
{
    return at > 0.0 ? (int)lesser(at, size) : 0;
}

raster_rect raster_bounds(const raster_view *view, const solid *s)
{
    raster_rect whole = {0, 0, view->width, view->height};
    if (s->kind == SOLID_HALFSPACE) {
        return whole;
    }
    const bool curved = raster_is_curved(s);
    double x0 = 1e300, y0 = 1e300, x1 = -1e300, y1 = -1e300;
    for (int corner = 0; corner < 8; corner++) {
        double half[3] = {s->half[0], s->half[1], s->half[2]};
        if (curved) {
            half[0] = half[2] = s->half[0];
            half[1] = s->kind == SOLID_CYLINDER  ? s->half[1]
                      : s->kind == SOLID_CAPSULE ? s->half[0] + s->half[1]
                                                 : s->half[0];
        }
        vec p = s->center;
        for (int i = 0; i < 3; i++) {
            p = vec_along(p, (corner >> i & 1) != 0 ? half[i] : -half[i], s->axis[i]);
        }
        double x, y, t;
        raster_project(view, p, &x, &y, &t);
        if (view->perspective && t <= 1e-6) {
            return whole;
        }
        x0 = lesser(x0, x);
        x1 = larger(x1, x);
        y0 = lesser(y0, y);
        y1 = larger(y1, y);
    }
    return (raster_rect){
        pixel_within(floor(x0 - 0.5), view->width), pixel_within(floor(y0 - 0.5), view->height),
        pixel_within(ceil(x1 + 0.5), view->width), pixel_within(ceil(y1 + 0.5), view->height)};
}

/* Fills the tiles of a rectangle. Keys are evaluated in float from the corner of a tile, which is exact
 * enough. */
static bool fill_convex(raster *r, bool perspective, const convex *hull, raster_rect rect, uint32_t id)
{
    float start[2 * PLANES_MAX], across[2 * PLANES_MAX], down[2 * PLANES_MAX];
    int fronts = hull->front_count, planes = fronts + hull->back_count;
    bool any = false;
    for (int i = 0; i < planes; i++) {
        const key_plane *p = i < fronts ? &hull->front[i] : &hull->back[i - fronts];
        start[i] = (float)(p->a + p->b * (rect.x0 + 0.5) + p->c * (rect.y0 + 0.5));
        across[i] = (float)p->b;
        down[i] = (float)p->c;
    }
    for (int y = rect.y0; y < rect.y1; y++) {
        size_t row = (size_t)y * (size_t)r->width;
        float dy = (float)(y - rect.y0);
        for (int x = rect.x0; x < rect.x1; x++) {
            float dx = (float)(x - rect.x0);
            float key = 3e38f;
            for (int i = 0; i < fronts; i++) {
                float k = start[i] + across[i] * dx + down[i] * dy;
                key = k < key ? k : key;
            }
            if (!(key > r->key[row + (size_t)x]) || (perspective && key <= 0.0f)) {
                continue;
            }
            float limit = -3e38f;
            for (int i = fronts; i < planes; i++) {
                float k = start[i] + across[i] * dx + down[i] * dy;
                limit = k > limit ? k : limit;
            }
            if (key >= limit) {
                r->key[row + (size_t)x] = key;
                if (r->id != NULL) {
                    r->id[row + (size_t)x] = id;
                }
                any = true;
            }
        }
    }
    return any;
}

static bool fill_curved(raster *r, const raster_view *view, const solid *s, raster_rect rect, uint32_t id)
{
    bool any = false;
    for (int y = rect.y0; y < rect.y1; y++) {
        size_t row = (size_t)y * (size_t)r->width;
        for (int x = rect.x0; x < rect.x1; x++) {
            double key;
            if (raster_curved_key(view, s, x + 0.5, y + 0.5, &key) && (float)key > r->key[row + (size_t)x]) {
                r->key[row + (size_t)x] = (float)key;
                if (r->id != NULL) {
                    r->id[row + (size_t)x] = id;
                }
                any = true;
            }
        }
    }
    return any;
}

/* Returns a lower bound of a tile's keys. Keys only grow, so that an old one holds: to look at all pixels
 * anew costs as much as to draw a small box. */
static float tile_far_key(raster *r, int tile_x, int tile_y)
{
    size_t tile = (size_t)tile_y * (size_t)r->tiles_x + (size_t)tile_x;
    if (r->tile_stale[tile] > 0 && r->tile_stale[tile]++ == STALE_QUERIES) {
        float least = 3e38f;
        for (int y = tile_y * TILE; y < tile_y * TILE + TILE && y < r->height; y++) {
            for (int x = tile_x * TILE; x < tile_x * TILE + TILE && x < r->width; x++) {
                float key = r->key[(size_t)y * (size_t)r->width + (size_t)x];
                least = key < least ? key : least;
            }
        }
        r->tile_far[tile] = least;
        r->tile_stale[tile] = 0;
    }
    return r->tile_far[tile];
}

/* Returns the key of the nearest point of a solid's bounding ball. */
static double nearest_key(const raster_view *view, const solid *s)
{
    double t = vec_dot(vec_sub(s->center, view->origin), view->forward) - s->radius;
    if (view->perspective) {
        return t > 1e-6 ? 1.0 / t : 1e30;
    }
    return -t;
}

static void draw_solid(raster *r, const raster_view *view, const solid *s, uint32_t id)
{
    convex hull;
    bool curved = raster_is_curved(s);
    raster_rect rect = raster_bounds(view, s);
    if (rect.x0 >= rect.x1 || rect.y0 >= rect.y1) {
        return;
    }
    if (!curved) {
        raster_make_convex(view, s, &hull);
        if (hull.front_count == 0) { /* the viewer is inside */
            return;
        }
    }
    float best = s->kind == SOLID_HALFSPACE ? 3e38f : (float)nearest_key(view, s);
    for (int ty = rect.y0 / TILE; ty * TILE < rect.y1; ty++) {
        for (int tx = rect.x0 / TILE; tx * TILE < rect.x1; tx++) {
            if (best + 1e-5f * fabsf(best) < tile_far_key(r, tx, ty)) {
                continue;
            }
            raster_rect part = {tx * TILE > rect.x0 ? tx * TILE : rect.x0,
                                ty * TILE > rect.y0 ? ty * TILE : rect.y0,
                                tx * TILE + TILE < rect.x1 ? tx * TILE + TILE : rect.x1,
                                ty * TILE + TILE < rect.y1 ? ty * TILE + TILE : rect.y1};
            bool drawn = curved ? fill_curved(r, view, s, part, id)
                                : fill_convex(r, view->perspective, &hull, part, id);
            unsigned char *stale = &r->tile_stale[(size_t)ty * (size_t)r->tiles_x + (size_t)tx];
            *stale = drawn && *stale == 0 ? 1 : *stale;
        }
    }
}

void raster_draw(raster *r, const raster_view *view, const solid *solids, const int *order, int count)
{
    for (int i = 0; i < count; i++) {
        draw_solid(r, view, &solids[order[i]], (uint32_t)order[i] + 1);
    }
}

typedef struct sort_entry {
    float distance;
    int index;
} sort_entry;

static int compare_entries(const void *a, const void *b)
{
    const sort_entry *p = a, *q = b;
    if (p->distance != q->distance) {
        return p->distance < q->distance ? -1 : 1;
    }
    return (p->index > q->index) - (p->index < q->index);
}

bool raster_sort(const raster_view *view, const solid *solids, int *order, int count)
{
    sort_entry *entries = malloc(((size_t)count + 1) * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        vec from = vec_sub(solids[order[i]].center, view->origin);
        entries[i] = (sort_entry){(float)vec_dot(from, view->forward), order[i]};
    }
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    for (int i = 0; i < count; i++) {
        order[i] = entries[i].index;
    }
    free(entries);
    return true;
}
