/* Reads and checks the options of `drystone stress`, all of them before anything runs. */
#include "tools/cli/options.h"

#include "tools/cli/film.h"
#include "tools/cli/option_value.h"
#include "tools/cli/output_file.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 1000000000

typedef enum option_kind {
    OPTION_FLAG,
    OPTION_COUNT,  /* int, low to high */
    OPTION_REAL,   /* float, low to high */
    OPTION_FILE,   /* a file name */
    OPTION_STREAM, /* a file name, or - for standard output */
    OPTION_ON_OFF,
    OPTION_NAME /* one of `names`, of which the first stands for the value `low` */
} option_kind;

/* Returns the name of a value; null past the last one. */
typedef const char *option_name(int value);

typedef struct option_row {
    const char *name, *argument;
    option_kind kind;
    size_t offset; /* of the value in stress_options */
    double low, high;
    option_name *names;
    const char *help;
} option_row;

static const char *isa_name(int value)
{
    return value < DRY_ISA_COUNT ? dry_isa_name((dry_isa)value) : NULL;
}

static const char *team_name(int value)
{
    return value < DRY_TEAM_TASKS ? dry_team_name((dry_team)value) : NULL;
}

static const char *solver_name(int value)
{
    return value < DRY_SOLVER_COUNT ? dry_solver_name((dry_solver)value) : NULL;
}

static const char *friction_name(int value)
{
    static const char *const names[] = {"cone", "scaled-box", "two-phase", "velocity", "weight-box"};
    _Static_assert(sizeof names / sizeof names[0] == DRY_FRICTION_COUNT, "one name each");
    return value < DRY_FRICTION_COUNT ? names[value] : NULL;
}

static const char *levers_name(int value)
{
    static const char *const names[] = {"true", "held"};
    _Static_assert(sizeof names / sizeof names[0] == DRY_LEVERS_COUNT, "one name each");
    return value < DRY_LEVERS_COUNT ? names[value] : NULL;
}

static const char *integrator_name(int value)
{
    static const char *const names[] = {"runge-kutta", "euler", "exponential", "explicit", "implicit"};
    _Static_assert(sizeof names / sizeof names[0] == DRY_INTEGRATOR_COUNT, "one name each");
    return value < DRY_INTEGRATOR_COUNT ? names[value] : NULL;
}

static const char *joints_name(int value)
{
    static const char *const names[] = {"iterative", "direct", "auto"};
    _Static_assert(DRY_JOINT_SOLVER_ITERATIVE + sizeof names / sizeof names[0] == DRY_JOINT_SOLVER_COUNT,
                   "one name each");
    return value < DRY_JOINT_SOLVER_COUNT - DRY_JOINT_SOLVER_ITERATIVE ? names[value] : NULL;
}

static const char *order_name(int value)
{
    static const char *const names[] = {"color",  "forward",  "layers-up",      "layers-down",
                                        "layers", "shuffled", "shuffled-sweeps"};
    _Static_assert(sizeof names / sizeof names[0] == DRY_ORDER_COUNT, "one name each");
    return value < DRY_ORDER_COUNT ? names[value] : NULL;
}

static const char *tint_name(int value)
{
    return picture_tint_name(value);
}

/* The offset of a value. */
#define OWN(member) offsetof(stress_options, member)
#define SETTING(member) OWN(settings.member)

static const option_row rows[] = {
    {"--size", "N", OPTION_COUNT, OWN(size), 1, 2147483647, NULL,
     "the built-in scene's size, in its own unit (its default)"},
    {"--steps", "N", OPTION_COUNT, OWN(steps), 1, STEPS_MAX, NULL, "steps to run (600)"},
    {"--warmup", "N", OPTION_COUNT, OWN(warmup), 0, STEPS_MAX, NULL,
     "first steps left out of the timings (10); the first half if there are no more steps than that"},
    {"--dt", "S", OPTION_REAL, OWN(dt), 1e-7, 1, NULL, "step length, seconds (the scene's; 1/60)"},
    {"--disorder", "M", OPTION_REAL, OWN(disorder), 0, 1e3, NULL,
     "shift each dynamic body along x and z by up to M, m (0)"},
    {"--seed", "N", OPTION_COUNT, OWN(seed), 0, 2147483647, NULL,
     "which of the pseudo-random shifts of --disorder (0)"},
    {"--solver", "NAME", OPTION_NAME, SETTING(method.solver), 0, 0, solver_name,
     "how constraints are iterated (gauss-seidel)"},
    {"--friction", "NAME", OPTION_NAME, SETTING(method.friction), 0, 0, friction_name,
     "how friction is limited (cone)"},
    {"--substeps", "N", OPTION_COUNT, SETTING(substeps), 0, 256, NULL,
     "substeps a step; 0 = each island by its difficulty (0)"},
    {"--sweeps", "N", OPTION_COUNT, SETTING(sweeps), 0, 256, NULL,
     "sweeps with the position term a substep; 0 = each island by its difficulty (0)"},
    {"--relax", "N", OPTION_COUNT, SETTING(relax_sweeps), 0, 256, NULL,
     "sweeps without the position term a substep (1)"},
    {"--relaxation", "X", OPTION_REAL, SETTING(method.relaxation), 1e-6, 1.999999, NULL,
     "share of its error that a constraint removes in a sweep with the position term (1)"},
    {"--relaxation-adaptive", "on|off", OPTION_ON_OFF, SETTING(method.relaxation_adaptive), 0, 0, NULL,
     "follow the convergence of each tier's sweeps, from --relaxation on; needs --sweeps 2 or more (off)"},
    {"--order", "NAME", OPTION_NAME, SETTING(method.order), 0, 0, order_name,
     "in which a sweep goes through constraints (color)"},
    {"--hertz", "F", OPTION_REAL, SETTING(contact_hertz), 0, 1e5, NULL,
     "contact stiffness as a frequency on the pair's mass, Hz; 0 = as the island's load asks (0)"},
    {"--damping-ratio", "F", OPTION_REAL, SETTING(contact_damping_ratio), 0, 1e3, NULL,
     "damping ratio of that contact spring (3)"},
    {"--stiffness", "K", OPTION_REAL, SETTING(contact_stiffness), 0, 1e15, NULL,
     "contact stiffness, N/m, in place of --hertz; 0 = --hertz (0)"},
    {"--damping", "D", OPTION_REAL, SETTING(contact_damping), 0, 1e3, NULL,
     "damping that goes with --stiffness, in substeps (2)"},
    {"--push-factor", "BETA", OPTION_REAL, SETTING(method.push_factor), 0, 1, NULL,
     "share of an overlap that a substep takes back, in place of a spring; 0 = --hertz (0)"},
    {"--spin-max", "W", OPTION_REAL, SETTING(spin_max), 1e-3, 1e6, NULL,
     "angular speed that a body keeps at most where a step ends, rad/s (1e5)"},
    {"--recycle", "M", OPTION_REAL, SETTING(recycle_distance), 0, 1e3, NULL,
     "update a manifold, and do not rebuild it, while its bodies moved less, m; 0 = rebuild always (0.005)"},
    {"--levers", "true|held", OPTION_NAME, SETTING(levers), 0, 0, levers_name,
     "lever arms of contacts: at each step's begin, or held as when the contact was built (held)"},
    {"--lever-distance", "M", OPTION_REAL, SETTING(lever_distance), 0, 1e3, NULL,
     "relative motion at which held lever arms are renewed, m (0.005)"},
    {"--lever-angle", "RAD", OPTION_REAL, SETTING(lever_angle), 0, 1, NULL,
     "rotation of either body at which held lever arms are renewed, rad (0.0044)"},
    {"--integrator", "NAME", OPTION_NAME, SETTING(method.integrator), 0, 0, integrator_name,
     "how velocities become motion (runge-kutta)"},
    {"--modified-inertia", "on|off", OPTION_ON_OFF, SETTING(method.modified_inertia), 0, 0, NULL,
     "impulses turn a body as they turn a spinning top; with an integrator of first order (off)"},
    {"--geometric-stiffness", "on|off", OPTION_ON_OFF, SETTING(method.geometric_stiffness), 0, 0, NULL,
     "pbd, xpbd: inertia with the geometric stiffness of joints (off)"},
    {"--joints", "iterative|direct|auto", OPTION_NAME, SETTING(joint_solver), DRY_JOINT_SOLVER_ITERATIVE, 0,
     joints_name, "how joints are solved that say nothing themselves (iterative)"},
    {"--threads", "N", OPTION_COUNT, OWN(threads), 0, 1024, NULL, "workers; 0 = one per physical core (0)"},
    {"--team", "openmp|threads", OPTION_NAME, OWN(team), 0, 0, team_name,
     "where workers come from (openmp where this build has it)"},
    {"--isa", "NAME", OPTION_NAME, OWN(isa), 0, 0, isa_name, "instruction set of the kernels (auto)"},
    {"--sleep", "on|off", OPTION_ON_OFF, SETTING(sleep), 0, 0, NULL, "put islands at rest to sleep (on)"},
    {"--report", "FILE", OPTION_STREAM, OWN(report), 0, 0, NULL,
     "the report as JSON; - = standard output, with nothing else on it"},
    {"--final", "FILE", OPTION_STREAM, OWN(final), 0, 0, NULL, "the last state as CSV"},
    {"--hash-every", "N", OPTION_COUNT, OWN(hash_every), 1, STEPS_MAX, NULL,
     "print step number and state hash every N steps"},
    {"--trace", "FILE", OPTION_STREAM, OWN(trace), 0, 0, NULL,
     "the work of each worker, stage by stage, as a trace for Perfetto"},
    {"--counters", NULL, OPTION_FLAG, OWN(counters), 0, 0, NULL,
     "cycles, instructions, cache and branch misses by stage, where the kernel counts them"},
    {"--picture", "FILE.png", OPTION_FILE, OWN(picture), 0, 0, NULL, "a shaded picture of the last state"},
    {"--picture-by", "NAME", OPTION_NAME, OWN(picture_by), 0, 0, tint_name,
     "the property that the tint shows (speed)"},
    {"--frames", "DIR", OPTION_FILE, OWN(frames), 0, 0, NULL,
     "a picture of the start and one every K steps, from one camera: DIR/step-000010.png"},
    {"--film", "FILE", OPTION_FILE, OWN(film), 0, 0, NULL,
     "these pictures as one film: an animated PNG (.png), or .webm where ffmpeg is installed"},
    {"--series", "FILE.csv", OPTION_FILE, OWN(series), 0, 0, NULL,
     "one row a step as the run goes: times, counts, memory; every K steps energy, fastest body, deepest "
     "overlap"},
    {"--list-series", NULL, OPTION_FLAG, OWN(list_series), 0, 0, NULL,
     "the columns of --series, with their units"},
    {"--plot", "FILE", OPTION_FILE, OWN(plot), 0, 0, NULL,
     "these curves on one sheet, .svg or .png: time of a step, overlap, energy, awake bodies"},
    {"--compare", "OTHER.csv", OPTION_FILE, OWN(compare), 0, 0, NULL, "a series of another run beside them"},
    {"--every", "K", OPTION_COUNT, OWN(every), 1, STEPS_MAX, NULL, "that K (10)"},
    {"--scene-out", "FILE", OPTION_FILE, OWN(scene_out), 0, 0, NULL,
     "write the scene, as it starts, as a scene file"},
    {"--save", "FILE", OPTION_FILE, OWN(save), 0, 0, NULL,
     "the last state as a save, which --load goes on from"},
    {"--load", "FILE", OPTION_FILE, OWN(load), 0, 0, NULL,
     "begin with the state of a save of this scene, settings included"},
    {"--record", "FILE", OPTION_FILE, OWN(record), 0, 0, NULL,
     "every call and step with sums of the state, which `drystone replay` compares"},
    {"--reload-every", "N", OPTION_COUNT, OWN(reload_every), 1, STEPS_MAX, NULL,
     "save, destroy and load the world every N steps, with other threads and another instruction set"},
    {"--rollback", "K", OPTION_COUNT, OWN(rollback), 1, DRY_HISTORY_STEPS_MAX, NULL,
     "after each step go back by the last K steps, and do them again"},
    {"--no-quality", NULL, OPTION_FLAG, OWN(no_quality), 0, 0, NULL,
     "do not measure penetration, motion and errors of joints at the end"},
    {"--quiet", NULL, OPTION_FLAG, OWN(quiet), 0, 0, NULL, "no progress, no report on the terminal"},
    {"--help", NULL, OPTION_FLAG, OWN(help), 0, 0, NULL, "this text"},
};

#define ROW_COUNT ((int)(sizeof rows / sizeof rows[0]))
_Static_assert(sizeof rows / sizeof rows[0] <= 64, "stress_options.given has a bit for each");

static void list_names(const option_row *row, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; row->names(i) != NULL; i++) {
        int more = snprintf(text + used, bytes - used, "%s%s", i > 0 ? ", " : "", row->names(i));
        if (more < 0 || (size_t)more >= bytes - used) {
            return;
        }
        used += (size_t)more;
    }
}

/* Reads all of `text` as one finite number. */
static bool read_number(const char *text, double *number)
{
    char *end = NULL;
    if (text[0] == '\0' || strchr(" \t\n\v\f\r", text[0]) != NULL) {
        return false;
    }
    *number = strtod(text, &end);
    return *end == '\0' && *number >= -1e300 && *number <= 1e300;
}

static bool set_real(const option_row *row, const char *text, float *value, char *error, size_t error_bytes)
{
    double number = 0.0;
    if (!read_number(text, &number) || number < row->low || number > row->high) {
        snprintf(error, error_bytes, "%s %s: expected a number from %g to %g", row->name, text, row->low,
                 row->high);
        return false;
    }
    *value = (float)number;
    return true;
}

/* Scripts that were written before the tool spelled the American way say "colour". */
static const char *american(const char *name)
{
    return strcmp(name, "colour") == 0 ? "color" : name;
}

static bool set_name(const option_row *row, const char *text, void *value, char *error, size_t error_bytes)
{
    for (int i = 0; row->names(i) != NULL; i++) {
        if (strcmp(row->names(i), american(text)) == 0) {
            _Static_assert(sizeof(dry_isa) == sizeof(int) && sizeof(dry_team) == sizeof(int) &&
                               sizeof(dry_solver) == sizeof(int) && sizeof(dry_friction) == sizeof(int) &&
                               sizeof(dry_levers) == sizeof(int) && sizeof(dry_joint_solver) == sizeof(int) &&
                               sizeof(dry_order) == sizeof(int) && sizeof(dry_integrator) == sizeof(int) &&
                               sizeof(picture_tint) == sizeof(int),
                           "enumerations are stored as int");
            memcpy(value, &(int){(int)row->low + i}, sizeof i);
            return true;
        }
    }
    char names[200];
    list_names(row, names, sizeof names);
    snprintf(error, error_bytes, "%s %s: expected one of %s", row->name, text, names);
    return false;
}

static bool set_value(const option_row *row, const char *text, stress_options *options, char *error,
                      size_t error_bytes)
{
    void *value = (char *)options + row->offset;
    switch (row->kind) {
    case OPTION_COUNT:
        return option_count(row->name, text, (int)row->low, (int)row->high, value, error, error_bytes);
    case OPTION_REAL:
        return set_real(row, text, value, error, error_bytes);
    case OPTION_NAME:
        return set_name(row, text, value, error, error_bytes);
    case OPTION_ON_OFF:
        if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0) {
            snprintf(error, error_bytes, "%s %s: expected on or off", row->name, text);
            return false;
        }
        *(bool *)value = strcmp(text, "on") == 0;
        return true;
    default:
        if (text[0] == '\0' || (row->kind == OPTION_FILE && strcmp(text, "-") == 0)) {
            snprintf(error, error_bytes, "%s '%s': expected a file name", row->name, text);
            return false;
        }
        *(const char **)value = text;
        return true;
    }
}

/* Finds the row of an argument such as --steps or --steps=5; null if unknown. *value is the text after the
 * equals sign, or null. */
static const option_row *find_row(const char *argument, const char **value)
{
    const char *equals = strchr(argument, '=');
    size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    *value = equals != NULL ? equals + 1 : NULL;
    for (int i = 0; i < ROW_COUNT; i++) {
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, argument, length) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static bool was_given(const stress_options *options, const option_row *row)
{
    return (options->given >> (row - rows) & 1) != 0;
}

static bool given(const stress_options *options, const char *name)
{
    const char *value;
    return was_given(options, find_row(name, &value));
}

/* Refuses contact stiffness by frequency and by N/m at once: only one of them would have an effect. */
static bool check_stiffness(const stress_options *options, char *error, size_t error_bytes)
{
    if (options->settings.contact_stiffness > 0.0f) {
        const char *other = given(options, "--hertz")           ? "--hertz"
                            : given(options, "--damping-ratio") ? "--damping-ratio"
                                                                : NULL;
        if (other != NULL) {
            snprintf(error, error_bytes, "%s: expected without --stiffness, which takes its place", other);
        }
        return other == NULL;
    }
    if (given(options, "--damping")) {
        snprintf(error, error_bytes, "--damping: expected --stiffness K above 0 with it");
        return false;
    }
    return true;
}

static bool check_sweeps(const stress_options *options, char *error, size_t error_bytes)
{
    const dry_settings *settings = &options->settings;
    if (settings->method.relaxation_adaptive && settings->sweeps < 2) {
        snprintf(error, error_bytes,
                 "--relaxation-adaptive on: expected --sweeps of at least 2, which it compares");
        return false;
    }
    if (settings->method.order != DRY_ORDER_COLOR && settings->method.solver == DRY_SOLVER_JACOBI) {
        snprintf(error, error_bytes,
                 "--order %s: expected without --solver jacobi, which solves all constraints at once",
                 order_name((int)settings->method.order));
        return false;
    }
    return true;
}

/* Refuses what a save brings along, or what a reload changes. */
static bool check_saves(const stress_options *options, char *error, size_t error_bytes)
{
    const size_t settings = OWN(settings), end = settings + sizeof options->settings;
    for (int i = 0; i < ROW_COUNT && options->load != NULL; i++) {
        const bool set = rows[i].offset >= settings && rows[i].offset < end;
        if (was_given(options, &rows[i]) && (set || rows[i].offset == OWN(disorder))) {
            snprintf(error, error_bytes, "%s: expected without --load, whose file has it", rows[i].name);
            return false;
        }
    }
    static const char *const changed[] = {"--isa", "--threads", "--trace", "--record"};
    for (int i = 0; i < 4 && options->reload_every > 0; i++) {
        if (given(options, changed[i])) {
            snprintf(error, error_bytes,
                     "%s: expected without --reload-every, whose worlds have other workers and isa",
                     changed[i]);
            return false;
        }
    }
    if (options->rollback > 0 && (options->reload_every > 0 || options->counters)) {
        snprintf(error, error_bytes, "--rollback: expected without %s",
                 options->counters ? "--counters, which would count steps that are done again"
                                   : "--reload-every, which ends the history");
        return false;
    }
    return true;
}

/* Checks what the options say together. */
static bool check_together(const stress_options *options, char *error, size_t error_bytes)
{
    const char *streams[] = {options->report, options->final, options->trace};
    int on_standard_output = 0;
    for (int i = 0; i < 3; i++) {
        on_standard_output += streams[i] != NULL && strcmp(streams[i], "-") == 0;
    }
    if (on_standard_output > 1) {
        snprintf(error, error_bytes,
                 "--report, --final, --trace: expected at most one of them on standard output (-)");
        return false;
    }
    if (options->film != NULL) {
        char reason[256];
        if (!film_name_is_good(options->film, reason, sizeof reason)) {
            snprintf(error, error_bytes, "--film %s", reason);
            return false;
        }
    }
    if (options->scene_is_file && options->size != 0) {
        snprintf(error, error_bytes, "--size %d: expected a built-in scene; %s is a scene file",
                 options->size, options->scene);
        return false;
    }
    if (!dry_isa_available(options->isa) && options->isa != DRY_ISA_AUTO) {
        char names[200] = "auto";
        for (int i = DRY_ISA_SCALAR; i < DRY_ISA_COUNT; i++) {
            if (dry_isa_available((dry_isa)i)) {
                size_t used = strlen(names);
                snprintf(names + used, sizeof names - used, ", %s", dry_isa_name((dry_isa)i));
            }
        }
        snprintf(error, error_bytes, "--isa %s: not %s; expected one of %s", dry_isa_name(options->isa),
                 dry_isa_compiled(options->isa) ? "something this processor has" : "compiled into this build",
                 names);
        return false;
    }
    if (!dry_team_available(options->team)) {
        snprintf(error, error_bytes, "--team %s: not compiled into this build; expected %s",
                 dry_team_name(options->team), dry_team_name(DRY_TEAM_THREADS));
        return false;
    }
    return check_stiffness(options, error, error_bytes) && check_sweeps(options, error, error_bytes) &&
           check_saves(options, error, error_bytes);
}

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), more = strlen(ending);
    return length > more && strcmp(path + length - more, ending) == 0;
}

bool stress_options_parse(int count, char **arguments, stress_options *options, char *error,
                          size_t error_bytes)
{
    const dry_world_def def = dry_default_world_def();
    *options =
        (stress_options){.steps = 600, .warmup = 10, .every = 10, .team = def.team, .settings = def.settings};
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i];
        if (strcmp(argument, "-h") == 0) {
            options->help = true;
            continue;
        }
        if (argument[0] != '-') {
            if (options->scene != NULL) {
                snprintf(error, error_bytes, "%s: expected one scene, and %s was given before", argument,
                         options->scene);
                return false;
            }
            options->scene = argument;
            continue;
        }
        const char *value = NULL;
        const option_row *row = find_row(argument, &value);
        if (row == NULL) {
            snprintf(error, error_bytes,
                     "%s: unknown option; expected one that `drystone stress --help` lists", argument);
            return false;
        }
        options->given |= (uint64_t)1 << (row - rows);
        if (row->kind == OPTION_FLAG) {
            if (value != NULL) {
                snprintf(error, error_bytes, "%s: expected no value", argument);
                return false;
            }
            *(bool *)((char *)options + row->offset) = true;
            continue;
        }
        if (value == NULL && (i + 1 == count || strncmp(arguments[i + 1], "--", 2) == 0)) {
            snprintf(error, error_bytes, "%s: expected a value (%s) after it", row->name, row->argument);
            return false;
        }
        value = value != NULL ? value : arguments[++i];
        if (!set_value(row, value, options, error, error_bytes)) {
            return false;
        }
    }
    const bool moving = options->frames != NULL || options->film != NULL;
    if (given(options, "--picture-by") && options->picture == NULL && !moving) {
        snprintf(error, error_bytes, "--picture-by: expected --picture, --frames or --film with it");
        return false;
    }
    const bool rows_wanted = options->series != NULL || options->plot != NULL;
    if (given(options, "--every") && !moving && !rows_wanted) {
        snprintf(error, error_bytes, "--every: expected --series, --plot, --frames or --film with it");
        return false;
    }
    if (options->compare != NULL && options->plot == NULL) {
        snprintf(error, error_bytes, "--compare: expected --plot FILE with it");
        return false;
    }
    if (options->plot != NULL && !ends_in(options->plot, ".svg") && !ends_in(options->plot, ".png")) {
        snprintf(error, error_bytes, "--plot %s: expected a name that ends in .svg or .png", options->plot);
        return false;
    }
    if (options->scene == NULL) {
        options->scene = "pyramid";
    }
    if (given(options, "--seed") && !given(options, "--disorder")) {
        snprintf(error, error_bytes, "--seed: expected --disorder M with it");
        return false;
    }
    size_t length = strlen(options->scene);
    options->scene_is_file = length >= 5 && strcmp(options->scene + length - 5, ".json") == 0;
    return options->help || options->list_series || check_together(options, error, error_bytes);
}

void stress_options_help(FILE *stream)
{
    fputs(
        "usage: drystone stress [SCENE] [options]\n\n"
        "Runs a scene and reports how long its steps took and what became of it. SCENE is the name of a\n"
        "built-in scene (`drystone scenes` lists them; pyramid, 5,050 boxes) or a path ending in .json.\n\n",
        stream);
    for (int i = 0; i < ROW_COUNT; i++) {
        char left[40], names[200];
        snprintf(left, sizeof left, "%s %s", rows[i].name, rows[i].argument != NULL ? rows[i].argument : "");
        fprintf(stream, "  %-21s %s\n", left, rows[i].help);
        if (rows[i].names != NULL) {
            list_names(&rows[i], names, sizeof names);
            fprintf(stream, "  %-21s %s\n", "", names);
        }
    }
    fputs("\nCtrl-C stops after the present step and still writes what was asked for; a second one ends at\n"
          "once. Before the first step, the first one ends at once and leaves no file.\n" STATUS_HELP,
          stream);
}
