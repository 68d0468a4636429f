/* Makes convex hulls: the farthest point outside of any face comes next (Barber, Dobkin, Huhdanpaa 1996).
 *
 * Reads points; writes a dry_polytope. Every point outside belongs to one face that sees it. When a face dies
 * its points go to the new faces that see them. */
#include "tools/scenes/polytope.h"

#include "tools/scenes/double3.h"

#include <stdlib.h>
#include <string.h>

/* ---- The surface ---- */

static void set_plane(const dry_surface *s, dry_surface_face *face)
{
    const double *a = s->vertices[face->corner[0]];
    double ab[3], ac[3];
    d3_sub(s->vertices[face->corner[1]], a, ab);
    d3_sub(s->vertices[face->corner[2]], a, ac);
    d3_cross(ab, ac, face->normal);
    const double area = d3_length(face->normal);
    const bool flat = !(area > s->tolerance * fmax(d3_length(ab), d3_length(ac)));
    for (int k = 0; k < 3; k++)
        face->normal[k] = flat ? 0.0 : face->normal[k] / area;
    face->offset = d3_dot(face->normal, a);
}

static void add_face(dry_surface *s, int a, int b, int c)
{
    dry_surface_face *face = &s->faces[s->face_count++];
    *face = (dry_surface_face){.corner = {a, b, c}, .alive = true};
    set_plane(s, face);
}

void dry_surface_begin(dry_surface *surface)
{
    double ab[3], ac[3], ad[3], normal[3];
    d3_sub(surface->vertices[1], surface->vertices[0], ab);
    d3_sub(surface->vertices[2], surface->vertices[0], ac);
    d3_sub(surface->vertices[3], surface->vertices[0], ad);
    d3_cross(ab, ac, normal);
    const int b = d3_dot(normal, ad) < 0.0 ? 1 : 2, c = 3 - b;
    surface->vertex_count = 4;
    surface->face_count = 0;
    add_face(surface, 0, b, c);
    add_face(surface, 0, 3, b);
    add_face(surface, b, 3, c);
    add_face(surface, c, 3, 0);
}

static double height_above(const dry_surface_face *face, const double *point)
{
    return d3_dot(face->normal, point) - face->offset;
}

/* Tells whether one of the faces from `first` on that are dying has the edge from a to b. */
static bool has_edge(const dry_surface *s, const int *dying, int count, int a, int b)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const int *corner = s->faces[dying[i]].corner;
            if (corner[k] == a && corner[(k + 1) % 3] == b)
                return true;
        }
    return false;
}

bool dry_surface_add(dry_surface *surface, const double point[3])
{
    enum { DYING_MAX = 2048 };
    dry_surface *s = surface;
    int dying[DYING_MAX], count = 0;
    for (int i = 0; i < s->face_count; i++) {
        if (!s->faces[i].alive || !(height_above(&s->faces[i], point) > s->tolerance))
            continue;
        if (count == DYING_MAX)
            return false;
        dying[count++] = i;
    }
    if (count == 0 || s->vertex_count >= s->vertex_room || s->face_count + 3 * count > s->face_room)
        return false;
    const int vertex = s->vertex_count++;
    memcpy(s->vertices[vertex], point, sizeof s->vertices[vertex]);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const int a = s->faces[dying[i]].corner[k], b = s->faces[dying[i]].corner[(k + 1) % 3];
            if (!has_edge(s, dying, count, b, a))
                add_face(s, a, b, vertex);
        }
    for (int i = 0; i < count; i++)
        s->faces[dying[i]].alive = false;
    return true;
}

/* ---- Hulls of points ---- */

enum { VERTICES = DRY_POLYTOPE_VERTICES_MAX, FACES = 16 * VERTICES };

typedef struct hull_work {
    dry_surface surface;
    const dry_vec3 *points;
    int count;
    int *owner;      /* of each point: the face that sees it, or -1 */
    double *highest; /* of each face: how far out its farthest point lies; 0 without one */
    int *farthest;
    double size;
} hull_work;

static void point_at(const hull_work *w, int i, double *x)
{
    x[0] = (double)w->points[i].x;
    x[1] = (double)w->points[i].y;
    x[2] = (double)w->points[i].z;
}

/* Returns the point with the largest value of `measure` relative to the vertices chosen so far. */
static int find_farthest(const hull_work *w, double (*measure)(const dry_surface *s, const double *x),
                         double *most)
{
    int best = 0;
    *most = -1.0;
    for (int i = 0; i < w->count; i++) {
        double x[3];
        point_at(w, i, x);
        const double value = measure(&w->surface, x);
        if (value > *most) {
            *most = value;
            best = i;
        }
    }
    return best;
}

static double from_point(const dry_surface *s, const double *x)
{
    double d[3];
    d3_sub(x, s->vertices[0], d);
    return d3_length(d);
}

static double from_line(const dry_surface *s, const double *x)
{
    double along[3], d[3], across[3];
    d3_sub(s->vertices[1], s->vertices[0], along);
    d3_sub(x, s->vertices[0], d);
    d3_cross(along, d, across);
    return d3_length(across) / d3_length(along);
}

static double from_plane(const dry_surface *s, const double *x)
{
    double ab[3], ac[3], d[3], normal[3];
    d3_sub(s->vertices[1], s->vertices[0], ab);
    d3_sub(s->vertices[2], s->vertices[0], ac);
    d3_sub(x, s->vertices[0], d);
    d3_cross(ab, ac, normal);
    return fabs(d3_dot(normal, d)) / d3_length(normal);
}

/* Chooses four points far from each other. Returns false if the points span no volume. */
static bool choose_tetrahedron(hull_work *w)
{
    double (*const measures[])(const dry_surface *s, const double *x) = {from_point, from_line, from_plane};
    double most;
    point_at(w, 0, w->surface.vertices[0]);
    point_at(w, find_farthest(w, from_point, &most), w->surface.vertices[0]);
    for (int i = 0; i < 3; i++) {
        point_at(w, find_farthest(w, measures[i], &most), w->surface.vertices[i + 1]);
        if (i == 0)
            w->size = most;
        if (!(most > 1e-9 * w->size) || !(w->size > 0.0))
            return false;
    }
    w->surface.tolerance = 1e-11 * w->size;
    dry_surface_begin(&w->surface);
    return true;
}

/* Gives a point to that of the faces from `first` on above which it lies highest. */
static void assign(hull_work *w, int i, int first)
{
    double x[3], most = 1e-9 * w->size;
    point_at(w, i, x);
    w->owner[i] = -1;
    for (int f = first; f < w->surface.face_count; f++) {
        const double height = height_above(&w->surface.faces[f], x);
        if (w->surface.faces[f].alive && height > most) {
            most = height;
            w->owner[i] = f;
        }
    }
    const int face = w->owner[i];
    if (face >= 0 && most > w->highest[face]) {
        w->highest[face] = most;
        w->farthest[face] = i;
    }
}

static void grow(hull_work *w)
{
    for (int i = 0; i < w->count; i++)
        assign(w, i, 0);
    for (;;) {
        int best = -1;
        for (int f = 0; f < w->surface.face_count; f++)
            if (w->surface.faces[f].alive && w->highest[f] > (best < 0 ? 0.0 : w->highest[best]))
                best = f;
        double x[3];
        const int first = w->surface.face_count;
        if (best < 0)
            return;
        point_at(w, w->farthest[best], x);
        if (!dry_surface_add(&w->surface, x))
            return;
        for (int i = 0; i < w->count; i++)
            if (w->owner[i] >= 0 && !w->surface.faces[w->owner[i]].alive)
                assign(w, i, first);
    }
}

/* ---- Results ---- */

/* Integrates over the tetrahedra between the first vertex and each triangle: with corners a, b, c and
 * s = a + b + c, the integral of x y is V / 20 (s s + a a + b b + c c). */
static void integrate(dry_polytope *p)
{
    const double *origin = p->vertices[0];
    double first[3] = {0.0}, second[3][3] = {{0.0}};
    for (int t = 0; t < p->triangle_count; t++) {
        double x[3][3], s[3], normal[3];
        for (int k = 0; k < 3; k++)
            d3_sub(p->vertices[p->triangles[t][k]], origin, x[k]);
        d3_cross(x[0], x[1], normal);
        const double volume = d3_dot(normal, x[2]) / 6.0;
        for (int i = 0; i < 3; i++) {
            s[i] = x[0][i] + x[1][i] + x[2][i];
            first[i] += 0.25 * volume * s[i];
        }
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                second[i][k] +=
                    volume / 20.0 * (s[i] * s[k] + x[0][i] * x[0][k] + x[1][i] * x[1][k] + x[2][i] * x[2][k]);
        p->volume += volume;
    }
    for (int i = 0; i < 3; i++) {
        p->center[i] = origin[i] + first[i] / p->volume;
        for (int k = 0; k < 3; k++)
            p->second[i][k] = second[i][k] - first[i] * first[k] / p->volume;
    }
}

/* Adds the plane of a face, unless a coplanar face had it. */
static void add_plane(const dry_surface_face *face, double size, dry_polytope *p)
{
    if (d3_dot(face->normal, face->normal) < 0.5)
        return;
    for (int i = 0; i < p->plane_count; i++) {
        const double *plane = p->planes[i];
        if (d3_dot(plane, face->normal) > 1.0 - 1e-12 && fabs(plane[3] - face->offset) < 1e-6 * size)
            return;
    }
    double *plane = p->planes[p->plane_count++];
    memcpy(plane, face->normal, sizeof face->normal);
    plane[3] = face->offset;
}

static bool copy_surface(const dry_surface *s, double size, dry_polytope *p)
{
    int renamed[VERTICES], faces = 0;
    for (int f = 0; f < s->face_count; f++)
        faces += s->faces[f].alive;
    p->vertices = malloc((size_t)s->vertex_count * sizeof *p->vertices);
    p->triangles = malloc((size_t)faces * sizeof *p->triangles);
    p->planes = malloc((size_t)faces * sizeof *p->planes);
    if (!p->vertices || !p->triangles || !p->planes)
        return false;
    for (int i = 0; i < s->vertex_count; i++)
        renamed[i] = -1;
    for (int f = 0; f < s->face_count; f++) {
        if (!s->faces[f].alive)
            continue;
        for (int k = 0; k < 3; k++) {
            const int corner = s->faces[f].corner[k];
            if (renamed[corner] < 0) {
                renamed[corner] = p->vertex_count++;
                memcpy(p->vertices[renamed[corner]], s->vertices[corner], sizeof p->vertices[0]);
            }
            p->triangles[p->triangle_count][k] = renamed[corner];
        }
        p->triangle_count++;
        add_plane(&s->faces[f], size, p);
    }
    for (int k = 0; k < 3; k++) {
        p->low[k] = p->high[k] = p->vertices[0][k];
        for (int i = 1; i < p->vertex_count; i++) {
            p->low[k] = fmin(p->low[k], p->vertices[i][k]);
            p->high[k] = fmax(p->high[k], p->vertices[i][k]);
        }
    }
    integrate(p);
    return true;
}

dry_polytope *dry_polytope_make(const dry_vec3 *points, int count)
{
    dry_polytope *p = calloc(1, sizeof *p);
    hull_work w = {.points = points, .count = count};
    w.surface.vertices = malloc(VERTICES * sizeof *w.surface.vertices);
    w.surface.faces = malloc(FACES * sizeof *w.surface.faces);
    w.surface.vertex_room = VERTICES;
    w.surface.face_room = FACES;
    w.owner = malloc((size_t)count * sizeof *w.owner);
    w.highest = calloc(FACES, sizeof *w.highest);
    w.farthest = calloc(FACES, sizeof *w.farthest);
    bool made = p && w.surface.vertices && w.surface.faces && w.owner && w.highest && w.farthest &&
                choose_tetrahedron(&w);
    if (made) {
        grow(&w);
        made = copy_surface(&w.surface, w.size, p);
    }
    free(w.surface.vertices);
    free(w.surface.faces);
    free(w.owner);
    free(w.highest);
    free(w.farthest);
    if (!made) {
        dry_polytope_free(p);
        return NULL;
    }
    return p;
}

void dry_polytope_free(dry_polytope *polytope)
{
    if (!polytope)
        return;
    free(polytope->vertices);
    free(polytope->triangles);
    free(polytope->planes);
    free(polytope);
}
