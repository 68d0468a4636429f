/* Tints the bodies by one of the properties of picture_tint (picture.h). Reads velocities, contacts and
 * substep tiers with their reasons; writes a color for each body and the legend. */
#include "tools/cli/picture/parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct scale_stop {
    double at;
    unsigned char r, g, b; /* sRGB */
} scale_stop;

static const scale_stop speed_stops[] = {{0.0, 208, 198, 182}, {0.06, 176, 188, 200}, {0.25, 66, 126, 196},
                                         {0.5, 92, 178, 178},  {0.75, 240, 200, 96},  {1.0, 238, 104, 32}};
static const scale_stop depth_stops[] = {
    {0.0, 208, 198, 182}, {0.35, 240, 208, 110}, {0.7, 232, 110, 48}, {1.0, 176, 28, 48}};
static const unsigned char palette[12][3] = {
    {204, 102, 92}, {94, 148, 196},  {222, 180, 92}, {120, 170, 110}, {160, 126, 190}, {226, 142, 84},
    {96, 178, 172}, {206, 132, 168}, {150, 142, 98}, {124, 136, 204}, {190, 204, 120}, {150, 110, 92}};

#define STONE color_from_srgb(208, 198, 182)

const char *picture_tint_name(int tint)
{
    static const char *const names[PICTURE_TINT_COUNT] = {"speed", "island", "color",
                                                          "depth", "tier",   "reason"};
    return tint >= 0 && tint < PICTURE_TINT_COUNT ? names[tint] : NULL;
}

static color scale_color(const scale_stop *stops, int count, double at)
{
    int i = 1;
    while (i < count - 1 && at > stops[i].at) {
        i++;
    }
    double share = clamp01((at - stops[i - 1].at) / (stops[i].at - stops[i - 1].at));
    return color_mix(color_from_srgb(stops[i - 1].r, stops[i - 1].g, stops[i - 1].b),
                     color_from_srgb(stops[i].r, stops[i].g, stops[i].b), share);
}

/* Returns the smallest of 1, 2, 5, 10, ... that is at least x. */
static double round_up(double x)
{
    double unit = pow(10.0, floor(log10(x)));
    return x <= unit ? unit : x <= 2.0 * unit ? 2.0 * unit : x <= 5.0 * unit ? 5.0 * unit : 10.0 * unit;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Tints each body by its value, on a scale from 0 to a round number. The largest two values in a thousand may
 * lie beyond the scale's end. A film keeps the end that its first frame has, at least `film_top`. */
static bool tint_by_scale(picture_scene *scene, const double *values, double least_top, double film_top,
                          const scale_stop *stops, int stop_count, picture_legend *legend, double *top)
{
    picture_camera *camera = scene->camera;
    int count = scene->request->scene->body_count;
    double *sorted = malloc(((size_t)count + 1) * sizeof *sorted);
    if (sorted == NULL) {
        return false;
    }
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
    *top = fmax(least_top, count > 0 ? sorted[(int)((count - 1) * 0.998)] : 0.0);
    *top = round_up(camera != NULL ? fmax(film_top, *top) : *top);
    if (camera != NULL) {
        *top = camera->placed ? camera->scale_top : *top;
        camera->scale_top = *top;
    }
    free(sorted);
    for (int i = 0; i < count; i++) {
        scene->tints[i] = scale_color(stops, stop_count, values[i] / *top);
    }
    legend->stop_count = 32;
    for (int i = 0; i < legend->stop_count; i++) {
        legend->stops[i] = scale_color(stops, stop_count, i / 31.0);
    }
    return true;
}

static bool tint_by_speed(picture_scene *scene, picture_legend *legend)
{
    int count = scene->request->scene->body_count;
    double *speeds = malloc(((size_t)count + 1) * sizeof *speeds), top;
    if (speeds == NULL) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        speeds[i] = vec_length(vec_from(scene->velocities[i].linear));
    }
    /* A fall from half the scene's height. */
    const double height = scene->bounds.high.y - scene->bounds.low.y;
    const double fall = sqrt(vec_length(vec_from(scene->request->scene->gravity)) * height);
    bool good = tint_by_scale(scene, speeds, 1.0, fall, speed_stops,
                              sizeof speed_stops / sizeof speed_stops[0], legend, &top);
    free(speeds);
    snprintf(legend->title, sizeof legend->title, "speed");
    snprintf(legend->low, sizeof legend->low, "0");
    snprintf(legend->high, sizeof legend->high, "%g m/s", top);
    return good;
}

/* Contacts and joints, with bodies as indices into the scene. */

typedef struct body_link {
    int a, b;
    double depth;
} body_link;

typedef struct id_entry {
    uint64_t bits;
    int index;
} id_entry;

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = ((const id_entry *)a)->bits, y = ((const id_entry *)b)->bits;
    return (x > y) - (x < y);
}

static int find_body(const id_entry *entries, int count, dry_body_id id)
{
    id_entry key = {.bits = id.bits};
    const id_entry *found = bsearch(&key, entries, (size_t)count, sizeof key, compare_ids);
    return found != NULL ? found->index : -1;
}

static body_link *collect_links(const picture_scene *scene, int *count)
{
    const dry_scene *source = scene->request->scene;
    int bodies = source->body_count, contacts = dry_world_get_contacts(scene->request->world, NULL, 0);
    dry_contact *list = malloc(((size_t)contacts + 1) * sizeof *list);
    id_entry *entries = malloc(((size_t)bodies + 1) * sizeof *entries);
    body_link *links = malloc(((size_t)contacts + (size_t)source->joint_count + 1) * sizeof *links);
    *count = 0;
    if (list != NULL && entries != NULL && links != NULL) {
        for (int i = 0; i < bodies; i++) {
            entries[i] = (id_entry){scene->request->ids[i].bits, i};
        }
        qsort(entries, (size_t)bodies, sizeof *entries, compare_ids);
        contacts = dry_world_get_contacts(scene->request->world, list, contacts);
        for (int i = 0; i < contacts; i++) {
            body_link link = {find_body(entries, bodies, list[i].body_a),
                              find_body(entries, bodies, list[i].body_b), 0.0};
            for (int p = 0; p < list[i].point_count; p++) {
                link.depth = fmax(link.depth, -(double)list[i].points[p].separation);
            }
            if (link.a >= 0 && link.b >= 0) {
                links[(*count)++] = link;
            }
        }
        for (int i = 0; i < source->joint_count; i++) {
            if (source->joints[i].body_a != DRY_SCENE_WORLD) {
                links[(*count)++] = (body_link){source->joints[i].body_a, source->joints[i].body_b, 0.0};
            }
        }
    } else {
        free(links);
        links = NULL;
    }
    free(list);
    free(entries);
    return links;
}

static color tier_color(int tier)
{
    return scale_color(speed_stops, sizeof speed_stops / sizeof speed_stops[0],
                       (tier + 1) / (double)DRY_TIER_COUNT);
}

static bool is_dynamic(const picture_scene *scene, int body)
{
    return scene->request->scene->bodies[body].def.type == DRY_BODY_DYNAMIC;
}

static bool tint_by_depth(picture_scene *scene, const body_link *links, int link_count,
                          picture_legend *legend)
{
    int count = scene->request->scene->body_count;
    double *depths = calloc((size_t)count + 1, sizeof *depths), top;
    if (depths == NULL) {
        return false;
    }
    for (int i = 0; i < link_count; i++) {
        depths[links[i].a] = fmax(depths[links[i].a], is_dynamic(scene, links[i].a) ? links[i].depth : 0.0);
        depths[links[i].b] = fmax(depths[links[i].b], is_dynamic(scene, links[i].b) ? links[i].depth : 0.0);
    }
    bool good = tint_by_scale(scene, depths, 1e-4, 0.01 * scene->bounds.typical, depth_stops,
                              sizeof depth_stops / sizeof depth_stops[0], legend, &top);
    free(depths);
    snprintf(legend->title, sizeof legend->title, "deepest overlap");
    snprintf(legend->low, sizeof legend->low, "0");
    snprintf(legend->high, sizeof legend->high, "%g mm", top * 1e3);
    return good;
}

/* Returns a muted color whose hue the golden ratio spreads evenly over the numbers. */
static color number_color(unsigned number)
{
    double hue = 6.0 * fmod(0.08 + 0.6180339887498949 * number, 1.0);
    double channels[3];
    for (int i = 0; i < 3; i++) {
        double distance = fabs(fmod(hue + 6.0 - 2.0 * i, 6.0) - 3.0);
        channels[i] = 112.0 + 104.0 * clamp01(distance - 1.0);
    }
    return color_from_srgb((int)channels[0], (int)channels[1], (int)channels[2]);
}

static int find_root(int *parents, int i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

static bool tint_by_island(picture_scene *scene, const body_link *links, int link_count,
                           picture_legend *legend)
{
    int count = scene->request->scene->body_count, islands = 0;
    int *parents = malloc(((size_t)count + 1) * sizeof *parents);
    int *sizes = calloc((size_t)count + 1, sizeof *sizes);
    int *numbers = calloc((size_t)count + 1, sizeof *numbers);
    bool good = parents != NULL && sizes != NULL && numbers != NULL;
    for (int i = 0; good && i < count; i++) {
        parents[i] = i;
    }
    for (int i = 0; good && i < link_count; i++) {
        if (is_dynamic(scene, links[i].a) && is_dynamic(scene, links[i].b)) {
            int a = find_root(parents, links[i].a), b = find_root(parents, links[i].b);
            parents[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int i = 0; good && i < count; i++) {
        sizes[find_root(parents, i)]++;
    }
    for (int i = 0; good && i < count; i++) {
        int root = find_root(parents, i);
        if (root == i && sizes[i] > 1) {
            numbers[i] = islands++;
        }
        scene->tints[i] = sizes[root] > 1 ? number_color((unsigned)numbers[root]) : STONE;
    }
    free(parents);
    free(sizes);
    free(numbers);
    snprintf(legend->title, sizeof legend->title, "%d island%s", islands, islands == 1 ? "" : "s");
    return good;
}

/* Colors the graph of touching bodies greedily, in the scene's order, with at most 64 colors. */
static bool tint_by_color(picture_scene *scene, const body_link *links, int link_count,
                          picture_legend *legend)
{
    int count = scene->request->scene->body_count, used = 0;
    int *starts = calloc((size_t)count + 2, sizeof *starts);
    int *others = malloc((2 * (size_t)link_count + 1) * sizeof *others);
    int *chosen = malloc(((size_t)count + 1) * sizeof *chosen);
    bool good = starts != NULL && others != NULL && chosen != NULL;
    for (int i = 0; good && i < link_count; i++) {
        starts[links[i].a + 1]++;
        starts[links[i].b + 1]++;
    }
    for (int i = 0; good && i < count; i++) {
        starts[i + 1] += starts[i];
        chosen[i] = starts[i]; /* until the next loop ends, where the next neighbor goes */
    }
    for (int i = 0; good && i < link_count; i++) {
        others[chosen[links[i].a]++] = links[i].b;
        others[chosen[links[i].b]++] = links[i].a;
    }
    for (int i = 0; good && i < count; i++) {
        uint64_t taken = 0;
        for (int k = starts[i]; k < starts[i + 1]; k++) {
            if (others[k] < i && is_dynamic(scene, others[k])) {
                taken |= (uint64_t)1 << chosen[others[k]];
            }
        }
        int number = 0;
        while (number < 63 && (taken >> number & 1) != 0) {
            number++;
        }
        chosen[i] = number;
        if (is_dynamic(scene, i)) {
            used = number + 1 > used ? number + 1 : used;
        }
        const unsigned char *c = palette[number % 12];
        scene->tints[i] = color_from_srgb(c[0], c[1], c[2]);
    }
    free(starts);
    free(others);
    free(chosen);
    legend->stop_count = used < 32 ? used : 32;
    for (int i = 0; i < legend->stop_count; i++) {
        legend->stops[i] = color_from_srgb(palette[i % 12][0], palette[i % 12][1], palette[i % 12][2]);
    }
    snprintf(legend->title, sizeof legend->title, "%d color%s", used, used == 1 ? "" : "s");
    return good;
}

/* Tints each body in an island by the island's substep tier; bodies in no island stay the color of stone. */
static void tint_by_tier(picture_scene *scene, picture_legend *legend)
{
    for (int i = 0; i < scene->request->scene->body_count; i++) {
        int tier = dry_body_tier(scene->request->world, scene->request->ids[i]);
        scene->tints[i] = tier >= 0 ? tier_color(tier) : STONE;
    }
    legend->stop_count = DRY_TIER_COUNT;
    for (int i = 0; i < DRY_TIER_COUNT; i++) {
        legend->stops[i] = tier_color(i);
    }
    snprintf(legend->title, sizeof legend->title, "substeps asked for");
    snprintf(legend->low, sizeof legend->low, "%d", dry_tier_substeps(0));
    snprintf(legend->high, sizeof legend->high, "%d", dry_tier_substeps(DRY_TIER_COUNT - 1));
}

static color reason_color(int reason)
{
    const unsigned char *c = palette[reason];
    return color_from_srgb(c[0], c[1], c[2]);
}

/* Tints each body in an island by the reason of the island's tier; the legend names those in use. */
static void tint_by_reason(picture_scene *scene, picture_legend *legend)
{
    bool used[DRY_TIER_REASON_COUNT] = {false};
    for (int i = 0; i < scene->request->scene->body_count; i++) {
        int reason = dry_body_tier_reason(scene->request->world, scene->request->ids[i]);
        scene->tints[i] = reason >= 0 ? reason_color(reason) : STONE;
        if (reason >= 0) {
            used[reason] = true;
        }
    }
    size_t length = 0;
    for (int i = 0; i < DRY_TIER_REASON_COUNT; i++) {
        if (used[i]) {
            length += (size_t)snprintf(legend->title + length, sizeof legend->title - length, "%s%s",
                                       length > 0 ? " " : "", dry_tier_reason_name((dry_tier_reason)i));
            legend->stops[legend->stop_count++] = reason_color(i);
        }
    }
}

bool picture_set_tints(picture_scene *scene, picture_legend *legend)
{
    *legend = (picture_legend){.stop_count = 0};
    if (scene->request->tint == PICTURE_SPEED) {
        return tint_by_speed(scene, legend);
    }
    if (scene->request->tint == PICTURE_TIER) {
        tint_by_tier(scene, legend);
        return true;
    }
    if (scene->request->tint == PICTURE_REASON) {
        tint_by_reason(scene, legend);
        return true;
    }
    int link_count;
    body_link *links = collect_links(scene, &link_count);
    if (links == NULL) {
        return false;
    }
    bool good = scene->request->tint == PICTURE_DEPTH    ? tint_by_depth(scene, links, link_count, legend)
                : scene->request->tint == PICTURE_ISLAND ? tint_by_island(scene, links, link_count, legend)
                                                         : tint_by_color(scene, links, link_count, legend);
    free(links);
    return good;
}
