/* Runs `drystone shape`: reads a file of points or triangles, and tells of its convex hull and its mesh. */
#define _XOPEN_SOURCE 700
#include "tools/cli/commands.h"
#include "tools/cli/option_value.h"
#include "tools/cli/output_file.h"
#include "tools/cli/shape_mesh.h"
#include "tools/cli/terminal.h"
#include "tools/scenes/point_file.h"

#include <drystone/drystone.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS_MAX = 1024, ERROR_BYTES = 512, BUILDS = 5 };

/* Volumes are those of masses at this density, kg/m^3. */
#define DENSITY 1000.0

typedef struct shape_options {
    const char *file, *out;
    bool quiet, help;
    int threads, max_vertices;
} shape_options;

typedef struct shape_run {
    shape_options options;
    dry_point_file points;
    dry_shape_data *hull;
    dry_hull_report report;
    shape_mesh mesh; /* if the file has triangles */
    dry_mass mass;
    double build_ms;
    char error[ERROR_BYTES];
} shape_run;

static void print_help(void)
{
    puts("usage: drystone shape FILE [options]\n\n"
         "Reads an OBJ or STL file, and tells of the convex hull of its vertices: vertices, faces, the\n"
         "distance that was cut off, volume, center of mass, moments of inertia at a density of 1 about the\n"
         "principal axes, bytes, and the least time of a few builds. Where there are triangles, it tells of\n"
         "their mesh, too: faults, edges, the solid that it bounds, bytes and build time.\n\n"
         "  --out FILE            save the mesh, or the hull where there are no triangles, as bytes for\n"
         "                        dry_shape_data_load\n"
         "  --max-vertices N      simplify to at most this many vertices, 4 to 256 (256)\n"
         "  --threads N           workers; a hull is built by one (0)\n"
         "  --quiet               no figures on the terminal; only what is wrong\n"
         "  --help                this text\n\n" STATUS_HELP);
}

static bool parse(int count, char **arguments, shape_options *o, char *error)
{
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i], *value;
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            o->help = true;
        } else if (strcmp(argument, "--quiet") == 0) {
            o->quiet = true;
        } else if ((value = option_value("--threads", count, arguments, &i)) != NULL) {
            if (!option_count("--threads", value, 0, THREADS_MAX, &o->threads, error, ERROR_BYTES)) {
                return false;
            }
        } else if ((value = option_value("--max-vertices", count, arguments, &i)) != NULL) {
            if (!option_count("--max-vertices", value, 4, 256, &o->max_vertices, error, ERROR_BYTES)) {
                return false;
            }
        } else if ((value = option_value("--out", count, arguments, &i)) != NULL) {
            if (*value == '\0') {
                snprintf(error, ERROR_BYTES, "--out: expected a file");
                return false;
            }
            o->out = value;
        } else if (argument[0] == '-') {
            snprintf(error, ERROR_BYTES,
                     "%s: unknown option; expected one that `drystone shape --help` lists", argument);
            return false;
        } else if (o->file != NULL) {
            snprintf(error, ERROR_BYTES, "%s: expected one file, and %s was given before", argument, o->file);
            return false;
        } else {
            o->file = argument;
        }
    }
    if (o->help || o->file != NULL) {
        return true;
    }
    snprintf(error, ERROR_BYTES, "expected a file (drystone shape --help tells more)");
    return false;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Builds the hull a few times, at most for about a second, and keeps one. */
static dry_result build(shape_run *run)
{
    const double begin_ms = now_ms();
    for (int i = 0; i < BUILDS && now_ms() - begin_ms < 1e3; i++) {
        dry_shape_data *hull = NULL;
        const double start_ms = now_ms();
        const dry_result result = dry_hull_create(run->points.points, run->points.point_count,
                                                  run->options.max_vertices, NULL, &hull, &run->report);
        const double ms = now_ms() - start_ms;
        if (result != DRY_OK) {
            return result;
        }
        run->build_ms = i == 0 || ms < run->build_ms ? ms : run->build_ms;
        dry_shape_data_release(run->hull);
        run->hull = hull;
    }
    return DRY_OK;
}

/* Asks the library for the mass of a body that has the hull alone. */
static dry_result weigh(shape_run *run)
{
    dry_world_def world_def = dry_default_world_def();
    dry_shape_def shape = dry_default_shape_def();
    dry_body_def body = dry_default_body_def();
    dry_world *world = NULL;
    dry_body_id id;
    world_def.threads = 1;
    shape.type = DRY_SHAPE_HULL;
    shape.data = run->hull;
    shape.density = (float)DENSITY;
    body.type = DRY_BODY_DYNAMIC;
    body.shapes = &shape;
    body.shape_count = 1;
    dry_result result = dry_world_create(&world_def, &world);
    if (result == DRY_OK) {
        result = dry_world_create_body(world, &body, &id);
    }
    if (result == DRY_OK) {
        result = dry_body_get_mass(world, id, &run->mass);
    }
    dry_world_destroy(world);
    return result;
}

/* Turns a symmetric matrix about axes a and b so that its element there becomes 0. */
static void rotate(double m[3][3], int a, int b)
{
    if (m[a][b] == 0.0) {
        return;
    }
    const double theta = (m[b][b] - m[a][a]) / (2.0 * m[a][b]);
    const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double x = m[k][a], y = m[k][b];
        m[k][a] = c * x - s * y;
        m[k][b] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
        const double x = m[a][k], y = m[b][k];
        m[a][k] = c * x - s * y;
        m[b][k] = s * x + c * y;
    }
}

/* Computes the principal moments, the smallest first, by Jacobi's rotations. */
static void find_moments(const dry_mass *mass, double *moments)
{
    double m[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            m[i][k] = (double)mass->inertia[i][k] / DENSITY;
        }
    }
    for (int sweep = 0; sweep < 30; sweep++) {
        rotate(m, 0, 1);
        rotate(m, 1, 2);
        rotate(m, 2, 0);
    }
    for (int i = 0; i < 3; i++) {
        int k = i;
        for (; k > 0 && moments[k - 1] > m[i][i]; k--) {
            moments[k] = moments[k - 1];
        }
        moments[k] = m[i][i];
    }
}

static void print_figures(const shape_run *run)
{
    double moments[3];
    char name[256];
    const dry_vec3 center = run->mass.center;
    find_moments(&run->mass, moments);
    printf("%-12s %s\n", "file", terminal_text(run->options.file, name, sizeof name));
    printf("%-12s %d points, %d triangles\n", "holds", run->points.point_count, run->points.triangle_count);
    printf("%-12s %d vertices, %d faces, cut by %.3g m, flat by %.3g m\n", "hull", run->report.vertices,
           run->report.faces, run->report.cut_m, run->report.flat_m);
    printf("%-12s %.6g m^3\n", "volume", (double)run->mass.mass / DENSITY);
    printf("%-12s %.6g, %.6g, %.6g m\n", "center", (double)center.x, (double)center.y, (double)center.z);
    printf("%-12s %.6g, %.6g, %.6g kg m^2 at 1 kg/m^3\n", "moments", moments[0], moments[1], moments[2]);
    printf("%-12s %zu\n", "bytes", dry_shape_data_bytes(run->hull));
    printf("%-12s %.3g ms\n", "build", run->build_ms);
    if (run->points.triangle_count > 0) {
        shape_mesh_print(&run->points, &run->mesh);
    }
}

/* Writes the saved bytes of a mesh or a hull. */
static int save(shape_run *run)
{
    const dry_shape_data *data = run->mesh.data != NULL ? run->mesh.data : run->hull;
    size_t size = 0;
    output_file file = {0};
    dry_shape_data_save(data, NULL, 0, &size);
    void *bytes = malloc(size);
    if (bytes == NULL || dry_shape_data_save(data, bytes, size, &size) != DRY_OK) {
        snprintf(run->error, ERROR_BYTES, "%.300s: out of memory", run->options.out);
        free(bytes);
        return STATUS_FAILED;
    }
    int status = STATUS_USAGE;
    if (output_file_open(&file, run->options.out, run->error, ERROR_BYTES)) {
        errno = 0;
        fwrite(bytes, 1, size, file.stream);
        status = output_file_commit(&file, run->error, ERROR_BYTES) ? STATUS_DONE : STATUS_FAILED;
    }
    free(bytes);
    return status;
}

static int perform(shape_run *run)
{
    const char *file = run->options.file;
    if (!dry_point_file_read(file, &run->points, run->error, ERROR_BYTES)) {
        return strstr(run->error, ": out of memory") != NULL ? STATUS_FAILED : STATUS_USAGE;
    }
    dry_result result = build(run);
    if (result == DRY_ERROR_ARGUMENT) {
        snprintf(run->error, ERROR_BYTES, "%.300s: expected points that span a hull, but %s", file,
                 dry_hull_fault_name(run->report.fault));
        return STATUS_USAGE;
    }
    if (result == DRY_OK) {
        result = weigh(run);
    }
    if (result == DRY_OK && run->points.triangle_count > 0) {
        result = shape_mesh_build(&run->points, &run->mesh);
    }
    if (result != DRY_OK) {
        snprintf(run->error, ERROR_BYTES, "%.300s: %s", file, dry_result_name(result));
        return result == DRY_ERROR_MEMORY ? STATUS_FAILED : STATUS_USAGE;
    }
    if (run->options.out != NULL) {
        const int status = save(run);
        if (status != STATUS_DONE) {
            return status;
        }
    }
    if (!run->options.quiet) {
        print_figures(run);
    }
    return finish_standard_output();
}

int shape_command(int count, char **arguments)
{
    shape_run run = {0};
    if (!parse(count, arguments, &run.options, run.error)) {
        terminal_error("shape: %s", run.error);
        return STATUS_USAGE;
    }
    if (run.options.help) {
        print_help();
        return finish_standard_output();
    }
    const int status = perform(&run);
    if (run.error[0] != '\0') {
        terminal_error("shape: %s", run.error);
    }
    dry_shape_data_release(run.hull);
    dry_shape_data_release(run.mesh.data);
    dry_point_file_free(&run.points);
    return status;
}
