/* Follows how a scene stands. Reads a scene, poses and velocities; writes a dry_standing. */
#include "tools/scenes/measure/standing.h"

#include "tools/scenes/measure/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Windows end at multiples of their length, which a sum of steps misses by rounding. */
#define TIME_SLACK_S 1e-6

static double length_of(dry_vec3 v)
{
    return sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
}

/* Returns how far a solid reaches from the origin. */
static double reach_of(const dry_solid *s)
{
    const double *c = s->center, *h = s->half;
    double reach = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]) + s->radius, most = 0.0;
    if (s->type == DRY_SHAPE_CYLINDER)
        return reach + sqrt(h[0] * h[0] + h[1] * h[1]);
    for (int i = 0; s->polytope && i < s->polytope->vertex_count; i++) {
        const double *x = s->polytope->vertices[i];
        const double y[3] = {h[0] * x[0], h[1] * x[1], h[2] * x[2]};
        most = fmax(most, sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]));
    }
    return reach + (s->polytope ? most : sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]));
}

/* Sets mass and radius of a body, and adds to the sum of weights. Returns the body's volume, m^3. */
static double describe_body(dry_standing *s, int body)
{
    const dry_scene_body *b = &s->scene->bodies[body];
    const dry_pose origin = {.orientation = {0.0f, 0.0f, 0.0f, 1.0f}};
    double mass = 0.0, volume = 0.0;
    for (int i = 0; i < b->def.shape_count; i++) {
        const dry_shape_def *shape = &s->scene->shapes[b->first_shape + i];
        const int parts = dry_solids_of(s->scene, shape);
        for (int part = 0; part < parts; part++) {
            dry_solid solid = dry_solid_place(s->scene, shape, part, &origin);
            mass += dry_solid_get_mass(&solid).mass;
            s->radius_m[body] = fmax(s->radius_m[body], reach_of(&solid));
            solid.density = 1.0;
            volume += dry_solid_get_mass(&solid).mass;
        }
    }
    s->mass_kg[body] = b->has_mass ? (double)b->def.mass : mass;
    s->weight_J += s->mass_kg[body] * length_of(s->scene->gravity) * cbrt(volume);
    return volume;
}

bool dry_standing_begin(dry_standing *standing, const dry_scene *scene, float slow_m_s)
{
    size_t room = (size_t)scene->body_count + 1;
    *standing = (dry_standing){
        .scene = scene,
        .slow_m_s = slow_m_s,
        .settled = calloc(room, sizeof(dry_position)),
        .mass_kg = calloc(room, sizeof(double)),
        .radius_m = calloc(room, sizeof(double)),
        .slow_since_s = -1.0,
        .calm_s = -1.0,
    };
    if (!standing->settled || !standing->mass_kg || !standing->radius_m) {
        dry_standing_end(standing);
        return false;
    }
    double volume = 0.0;
    int count = 0;
    for (int i = 0; i < scene->body_count; i++) {
        if (scene->bodies[i].def.type != DRY_BODY_DYNAMIC)
            continue;
        volume += describe_body(standing, i);
        count++;
    }
    standing->scale_m = count > 0 ? cbrt(volume / count) : 1.0;
    return true;
}

/* Returns the squared length of the part of v that is perpendicular to gravity. */
static double across_squared(const dry_scene *scene, const double *v)
{
    const double g[3] = {(double)scene->gravity.x, (double)scene->gravity.y, (double)scene->gravity.z};
    double pull = g[0] * g[0] + g[1] * g[1] + g[2] * g[2], along = v[0] * g[0] + v[1] * g[1] + v[2] * g[2];
    double share = pull > 0.0 ? along / pull : 0.0, sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += (v[k] - share * g[k]) * (v[k] - share * g[k]);
    return sum;
}

static bool add_sway(dry_standing *s, double sway)
{
    int window = (int)((s->time_s - TIME_SLACK_S) / DRY_STANDING_WINDOW_S);
    while (window >= s->window_count) {
        if (s->window_count == s->window_capacity) {
            int capacity = s->window_capacity > 0 ? 2 * s->window_capacity : 64;
            double *more = realloc(s->sway_J, (size_t)capacity * sizeof *more);
            if (!more)
                return false;
            s->sway_J = more;
            s->window_capacity = capacity;
        }
        s->sway_J[s->window_count++] = 0.0;
    }
    if (!(sway <= s->sway_J[window])) /* also infinity and what is not a number */
        s->sway_J[window] = sway;
    return true;
}

bool dry_standing_look(dry_standing *standing, double time_s, const dry_pose *poses,
                       const dry_velocity *velocities)
{
    dry_standing *s = standing;
    const dry_vec3 g = s->scene->gravity;
    double sway = 0.0, fell = 0.0;
    bool slow = true;
    for (int i = 0; i < s->scene->body_count; i++) {
        if (!(s->mass_kg[i] > 0.0))
            continue;
        const dry_vec3 linear = velocities[i].linear;
        const double v[3] = {(double)linear.x, (double)linear.y, (double)linear.z};
        const dry_position *p = &poses[i].position, *from = &s->scene->bodies[i].def.pose.position;
        sway += 0.5 * s->mass_kg[i] * across_squared(s->scene, v);
        fell += s->mass_kg[i] * ((double)g.x * (p->x - from->x) + (double)g.y * (p->y - from->y) +
                                 (double)g.z * (p->z - from->z));
        slow = slow &&
               length_of(linear) + length_of(velocities[i].angular) * s->radius_m[i] <= (double)s->slow_m_s;
    }
    double before = s->time_s;
    s->time_s = time_s;
    s->fell_J = fmax(s->fell_J, fell);
    if (!slow)
        s->slow_since_s = -1.0;
    else if (s->slow_since_s < 0.0)
        s->slow_since_s = before;
    if (slow && s->calm_s < 0.0 && time_s - s->slow_since_s >= DRY_STANDING_CALM_S - TIME_SLACK_S)
        s->calm_s = time_s;
    if (!s->has_settled && time_s >= DRY_STANDING_SETTLE_S - TIME_SLACK_S) {
        for (int i = 0; i < s->scene->body_count; i++)
            s->settled[i] = poses[i].position;
        s->has_settled = true;
    }
    return add_sway(s, sway);
}

double dry_standing_sideways(const dry_standing *standing, const dry_pose *poses)
{
    double most = 0.0;
    for (int i = 0; standing->has_settled && i < standing->scene->body_count; i++) {
        const dry_position *p = &poses[i].position, *from = &standing->settled[i];
        const double d[3] = {p->x - from->x, p->y - from->y, p->z - from->z};
        double across = across_squared(standing->scene, d);
        if (standing->mass_kg[i] > 0.0)
            most = fmax(most, isfinite(across) ? across : INFINITY);
    }
    return sqrt(most);
}

double dry_standing_sway(const dry_standing *standing, double from_s, double to_s)
{
    double most = 0.0;
    for (int i = 0; i < standing->window_count; i++) {
        double begin = i * DRY_STANDING_WINDOW_S;
        if (begin >= from_s - TIME_SLACK_S && begin + DRY_STANDING_WINDOW_S <= to_s + TIME_SLACK_S)
            most = isfinite(standing->sway_J[i]) ? fmax(most, standing->sway_J[i]) : INFINITY;
    }
    return most;
}

double dry_standing_growth(const dry_standing *standing)
{
    int last = standing->window_count - 1;
    if (last < 2 || !(standing->sway_J[1] > 0.0))
        return 0.0;
    return pow(standing->sway_J[last] / standing->sway_J[1], 1.0 / (last - 1));
}

void dry_standing_end(dry_standing *standing)
{
    free(standing->settled);
    free(standing->mass_kg);
    free(standing->radius_m);
    free(standing->sway_J);
    memset(standing, 0, sizeof *standing);
}
