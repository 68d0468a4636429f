/* Writes a contact problem by FCLIB (fclib_file.h). A build without FCLIB has a writer that refuses. */
#include "tools/cli/contacts/fclib_file.h"

#if DRY_HAVE_FCLIB

#include <fclib.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

bool fclib_file_available(void)
{
    return true;
}

/* FCLIB's structs point to what they may change; it changes nothing that it writes. */
static struct fclib_matrix matrix_of(const lab_matrix *m)
{
    return (struct fclib_matrix){
        .nzmax = m->start[m->columns],
        .m = m->rows,
        .n = m->columns,
        .p = m->start,
        .i = m->row,
        .x = m->value,
        .nz = -1, /* compressed columns */
    };
}

bool fclib_file_write(const lab_contact_problem *p, const char *title, const char *path)
{
    char description[] =
        "One step of Drystone: impulses in N s, velocities in m/s, components normal, tangent, "
        "tangent. Gaps may close within the step; overlaps and open joints stay.";
    char math[] = "W is symmetric and positive semidefinite.";
    char *name = strdup(title);
    struct fclib_matrix w = matrix_of(&p->w), v = matrix_of(&p->v), r = matrix_of(&p->r);
    struct fclib_info info = {.title = name, .description = description, .math_info = math};
    struct fclib_local problem = {.W = &w, .mu = p->mu, .q = p->q, .spacedim = 3, .info = &info};
    if (p->equations > 0) {
        problem.V = &v;
        problem.R = &r;
        problem.s = p->s;
    }
    double *velocity = calloc(3 * (size_t)p->points + 1, sizeof *velocity);
    bool written = name && velocity;
    if (written) {
        lab_contact_problem_residual(p, p->impulse, p->force, velocity);
        struct fclib_solution guess = {
            .u = velocity, .r = p->impulse, .l = p->equations > 0 ? p->force : NULL};
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* FCLIB says what failed */
        written = fclib_write_local(&problem, path) == 1 && fclib_write_guesses(1, &guess, path) == 1;
    }
    free(velocity);
    free(name);
    return written;
}

#else

bool fclib_file_available(void)
{
    return false;
}

bool fclib_file_write(const lab_contact_problem *p, const char *title, const char *path)
{
    (void)p, (void)title, (void)path;
    return false;
}

#endif
