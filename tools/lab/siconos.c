/* Siconos in a child process (siconos.h). A build without its headers has a solver that refuses. */
#define _DEFAULT_SOURCE
#include "tools/lab/siconos.h"

#if DRY_HAVE_SICONOS

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

bool lab_siconos_available(void)
{
    return true;
}

/* Memory that parent and child share; the impulses are behind it. */
typedef struct siconos_answer {
    bool solved;
    double impulse[];
} siconos_answer;

/* The functions of the library that a solution takes. */
typedef struct siconos_calls {
    NumericsMatrix *(*matrix)(NM_types storage, int rows, int columns);
    void (*room)(NumericsMatrix *m, long entries);
    void (*enter)(NumericsMatrix *m, int row, int column, double value);
    FrictionContactProblem *(*problem_of)(int dimension, int points, NumericsMatrix *m, double *q,
                                          double *mu);
    SolverOptions *(*options_of)(int solver);
    int (*drive)(FrictionContactProblem *problem, double *reaction, double *velocity, SolverOptions *options);
} siconos_calls;

/* Stores the address of a function of the library; ISO C has no conversion for it. */
static bool find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static bool load(siconos_calls *calls)
{
    void *library = dlopen("libsiconos_numerics.so", RTLD_NOW | RTLD_LOCAL);
    return library && find(library, "NM_create", &calls->matrix) &&
           find(library, "NM_triplet_alloc", &calls->room) && find(library, "NM_entry", &calls->enter) &&
           find(library, "frictionContactProblem_new_with_data", &calls->problem_of) &&
           find(library, "solver_options_create", &calls->options_of) &&
           find(library, "fc3d_driver", &calls->drive);
}

/* Returns W as a sparse matrix of Siconos, or null. */
static NumericsMatrix *matrix_of(const siconos_calls *calls, const lab_matrix *w)
{
    NumericsMatrix *m = calls->matrix(NM_SPARSE, w->rows, w->columns);
    if (!m)
        return NULL;
    calls->room(m, w->start[w->columns]);
    for (int j = 0; j < w->columns; j++)
        for (int k = w->start[j]; k < w->start[j + 1]; k++)
            calls->enter(m, w->row[k], j, w->value[k]);
    return m;
}

/* Runs in the child, whose memory ends with it. */
static void solve(const lab_contact_problem *p, double tolerance, int sweeps, siconos_answer *answer)
{
    const int n = 3 * p->points;
    siconos_calls calls;
    double *velocity = calloc((size_t)n + 1, sizeof *velocity);
    if (!velocity || !load(&calls))
        return;
    NumericsMatrix *m = matrix_of(&calls, &p->w);
    FrictionContactProblem *problem = m ? calls.problem_of(3, p->points, m, p->q, p->mu) : NULL;
    SolverOptions *options = calls.options_of(SICONOS_FRICTION_3D_NSGS);
    if (!problem || !options)
        return;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = sweeps;
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    answer->solved = calls.drive(problem, answer->impulse, velocity, options) == 0;
}

/* The signals that end the child, whatever the tool does with them. */
static const int defaults[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};

bool lab_siconos_solve(const lab_contact_problem *p, double tolerance, int sweeps, double *impulse)
{
    const size_t doubles = 3 * (size_t)p->points * sizeof *impulse, bytes = sizeof(siconos_answer) + doubles;
    siconos_answer *answer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (answer == MAP_FAILED)
        return false;
    fflush(NULL);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        for (int i = 0; i < (int)(sizeof defaults / sizeof *defaults); i++)
            signal(defaults[i], SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a tool that ends takes it along */
        if (getppid() != parent)
            _exit(1);
        alarm(LAB_SICONOS_SECONDS);
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        setenv("OMP_NUM_THREADS", "1", 1);
        solve(p, tolerance, sweeps, answer);
        _exit(0);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const bool solved = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && answer->solved;
    if (solved)
        memcpy(impulse, answer->impulse, doubles);
    munmap(answer, bytes);
    return solved;
}

#else

bool lab_siconos_available(void)
{
    return false;
}

bool lab_siconos_solve(const lab_contact_problem *p, double tolerance, int sweeps, double *impulse)
{
    (void)p, (void)tolerance, (void)sweeps, (void)impulse;
    return false;
}

#endif
