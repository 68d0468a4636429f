/* Judges whether a scene stands: runs it and prints one line of figures and a verdict.
 *
 *     standing [SCENE] [options of the judge] [options of drystone stress]
 *
 * perf/README.md describes the figures. The options of `drystone stress` are the tool's own, so that every
 * setting of the solver can be judged; the judge's defaults differ: --threads 1, --sleep off. */
#include "tools/scenes/measure/standing.h"
#include "tools/cli/options.h"
#include "tools/cli/samples.h"
#include "tools/scenes/generated.h"
#include "tools/scenes/measure/energy.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ERROR_BYTES 1024
#define ENERGY_EVERY 30 /* steps, as the tool */
#define MEASURE_EVERY_S 1.0
#define ASLEEP_AFTER_CALM_S 10.0
#define FAILED_BYTES 128
#define MOVED_M 0.25 /* a body that moved farther has fallen */
/* How long a generated pile may take until it is calm, and runs then. */
#define PILE_CALM_S 120.0
#define PILE_AFTER_S 30.0

/* Rules: which of the figures a verdict looks at. */
typedef enum rule {
    RULE_STAND, /* none moved over 0.25 m, sideways since t = 1 s, deepest, fastest, energy gained */
    RULE_TALL, /* none moved over 0.25 m, sway of the last minute at most that of the second, energy gained */
    RULE_PILE, /* calm, deepest, mean depth, fastest, energy gained */
    RULE_COUNT
} rule;

static const char *const rule_names[RULE_COUNT] = {"stand", "tall", "pile"};

typedef struct bounds {
    double far_mm, side_mm, deep_mm, mean_mm, fast_mm_s;
} bounds;

static const bounds rule_bounds[RULE_COUNT] = {
    {250.0, 20.0, 5.0, INFINITY, 1.0},
    {250.0, INFINITY, INFINITY, INFINITY, INFINITY},
    {INFINITY, INFINITY, 20.0, 1.0, 10.0},
};

typedef struct judge_options {
    double seconds;      /* time to run; after the scene is calm if until_calm_s is above 0 */
    double until_calm_s; /* longest time to wait for the scene to be calm; 0 does not wait */
    bool give_up;        /* stop as soon as a body has moved more than 0.25 m */
    rule rule;
    bool rule_given;
    bounds most;
} judge_options;

typedef struct judge {
    judge_options own;
    stress_options options;
    dry_scene scene;
    bool has_small_bounds; /* bounds are smaller in the scale of the scene's bodies, below 1 m */
    double share;          /* factor on the bounds of lengths and speeds */
    dry_world *world;
    dry_body_id *ids;
    dry_pose *poses;
    dry_velocity *velocities;
    dry_standing standing;
    dry_energy_record energy;
    bool has_energy;
    samples times;
    dry_quality quality;
    double fell_at_s; /* first second at which a body had moved more than 0.25 m; negative if none */
    double asleep_s;  /* first time at which all bodies slept; negative if never */
    int awake_again;  /* later steps with a body awake */
    int substeps;     /* largest number of an island in any step */
    double sideways_m;
    char failed[FAILED_BYTES]; /* names of the bounds that do not hold, with commas; empty if all hold */
} judge;

static void complain(const char *text)
{
    fprintf(stderr, "standing: %s\n", text);
}

static bool read_positive(const char *text, double *number)
{
    char *end = NULL;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= 0.0 && *number <= 1e9;
}

/* Takes one of the judge's own options. Returns the number of arguments it used, 0 if it is none of them, and
 * -1 if its value is wrong. */
static int take_own(judge_options *own, int left, char **arguments)
{
    struct {
        const char *name;
        double *value;
    } numbers[] = {
        {"--seconds", &own->seconds},     {"--until-calm", &own->until_calm_s},
        {"--far", &own->most.far_mm},     {"--side", &own->most.side_mm},
        {"--deep", &own->most.deep_mm},   {"--mean", &own->most.mean_mm},
        {"--fast", &own->most.fast_mm_s},
    };
    if (strcmp(arguments[0], "--give-up") == 0) {
        own->give_up = true;
        return 1;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(arguments[0], numbers[i].name) == 0)
            return left > 1 && read_positive(arguments[1], numbers[i].value) ? 2 : -1;
    if (strcmp(arguments[0], "--rule") != 0)
        return 0;
    for (int i = 0; left > 1 && i < RULE_COUNT; i++) {
        if (strcmp(arguments[1], rule_names[i]) == 0) {
            own->rule = (rule)i;
            own->rule_given = true;
            own->most = rule_bounds[i];
            return 2;
        }
    }
    return -1;
}

/* Separates the judge's own options from those of the tool. */
static bool parse(judge *j, int count, char **arguments, char *error)
{
    static char defaults[][12] = {"--threads", "1", "--sleep", "off"};
    char **rest = calloc((size_t)count + 4, sizeof *rest);
    int kept = 0;
    if (!rest) {
        snprintf(error, ERROR_BYTES, "out of memory");
        return false;
    }
    for (int i = 0; i < 4; i++)
        rest[kept++] = defaults[i];
    j->own = (judge_options){.seconds = 60.0, .most = rule_bounds[RULE_STAND]};
    bool good = true;
    for (int i = 0; good && i < count;) {
        int used = take_own(&j->own, count - i, arguments + i);
        if (used < 0) {
            snprintf(error, ERROR_BYTES,
                     "%s: expected a number from 0 to 1e9, or stand, tall or pile for --rule", arguments[i]);
            good = false;
        } else if (used == 0) {
            rest[kept++] = arguments[i++];
        } else {
            i += used;
        }
    }
    good = good && stress_options_parse(kept, rest, &j->options, error, ERROR_BYTES);
    free(rest);
    return good;
}

/* Makes the scene FAMILY:SEED, with the rule and the bounds of its family unless the arguments name a rule.
 */
static bool generate(judge *j, const char *text, const char *colon, char *error)
{
    char family[64], *end = NULL;
    snprintf(family, sizeof family, "%.*s", (int)(colon - text), text);
    unsigned long long seed = strtoull(colon + 1, &end, 10);
    if (end == colon + 1 || *end != '\0') {
        snprintf(error, ERROR_BYTES, "%s: expected FAMILY:SEED", text);
        return false;
    }
    if (!dry_scene_generate(family, seed, &j->scene, error, ERROR_BYTES))
        return false;
    const dry_scene_family *found = dry_scene_find_family(family);
    judge_options *own = &j->own;
    if (own->rule_given)
        return true;
    if (found->kind == DRY_SCENE_FALLS) {
        own->rule = RULE_PILE;
        own->most = rule_bounds[RULE_PILE];
        own->until_calm_s = own->until_calm_s > 0.0 ? own->until_calm_s : PILE_CALM_S;
        own->seconds = fmin(own->seconds, PILE_AFTER_S);
    } else {
        own->most.deep_mm = 1e3 * found->deep_m;
        j->has_small_bounds = found->kind == DRY_SCENE_STANDS;
    }
    return true;
}

static bool load(judge *j, char *error)
{
    const stress_options *o = &j->options;
    const char *colon = strrchr(o->scene, ':');
    if (o->scene_is_file ? !dry_scene_read(o->scene, &j->scene, error, ERROR_BYTES)
        : colon != NULL  ? !generate(j, o->scene, colon, error)
                         : !dry_scene_make(o->scene, o->size, &j->scene, error, ERROR_BYTES))
        return false;
    if (o->dt > 0.0f)
        j->scene.dt = o->dt;
    if (o->disorder > 0.0f)
        dry_scene_disorder(&j->scene, (double)o->disorder, (uint64_t)o->seed);
    return o->scene_out == NULL || dry_scene_write(&j->scene, o->scene_out, error, ERROR_BYTES);
}

static void print_log(const char *line, void *user)
{
    (void)user;
    complain(line);
}

static bool build(judge *j, char *error)
{
    const stress_options *o = &j->options;
    size_t room = (size_t)j->scene.body_count + 1;
    j->ids = calloc(room, sizeof *j->ids);
    j->poses = calloc(room, sizeof *j->poses);
    j->velocities = calloc(room, sizeof *j->velocities);
    samples_init(&j->times, 1);
    if (!j->ids || !j->poses || !j->velocities ||
        !dry_standing_begin(&j->standing, &j->scene, o->settings.sleep_speed_max)) {
        snprintf(error, ERROR_BYTES, "out of memory");
        return false;
    }
    dry_world_def def = dry_default_world_def();
    def.settings = o->settings;
    def.settings.gravity = j->scene.gravity;
    def.threads = o->threads;
    def.isa = o->isa;
    def.log.write = print_log;
    dry_result result = dry_world_create(&def, &j->world);
    if (result == DRY_OK)
        result = dry_scene_build(&j->scene, j->world, j->ids);
    if (result != DRY_OK) {
        snprintf(error, ERROR_BYTES, "%s: %s", j->scene.name, dry_result_name(result));
        return false;
    }
    j->share = j->has_small_bounds ? fmin(1.0, j->standing.scale_m) : 1.0;
    j->has_energy = dry_scene_keeps_energy(&j->scene);
    dry_energy_begin(&j->energy, j->world);
    return true;
}

static void look_at_sleep(judge *j, const dry_statistics *statistics)
{
    if (j->asleep_s < 0.0 && statistics->awake_bodies == 0)
        j->asleep_s = j->standing.time_s;
    else if (j->asleep_s >= 0.0 && statistics->awake_bodies > 0)
        j->awake_again++;
}

/* Does one step and looks at it. Returns null, or what failed. */
static const char *step(judge *j, int number)
{
    const int bodies = j->scene.body_count;
    dry_result result = dry_world_step(j->world, j->scene.dt);
    if (result != DRY_OK)
        return dry_result_name(result);
    dry_statistics statistics = dry_world_statistics(j->world);
    if (number > j->options.warmup && !samples_add(&j->times, &statistics.step_ms))
        return "out of memory";
    j->substeps = statistics.substeps > j->substeps ? statistics.substeps : j->substeps;
    result = dry_world_get_motion(j->world, bodies, j->ids, j->poses, j->velocities, NULL);
    if (result != DRY_OK)
        return dry_result_name(result);
    if (!dry_standing_look(&j->standing, number * (double)j->scene.dt, j->poses, j->velocities))
        return "out of memory";
    look_at_sleep(j, &statistics);
    if (number % ENERGY_EVERY == 0)
        dry_energy_look(&j->energy, j->world);
    return NULL;
}

/* Returns the largest distance of a dynamic body from its place in the scene, m. */
static double moved_most(const judge *j)
{
    double most = 0.0;
    for (int i = 0; i < j->scene.body_count; i++) {
        const dry_position *p = &j->poses[i].position, *from = &j->scene.bodies[i].def.pose.position;
        double x = p->x - from->x, y = p->y - from->y, z = p->z - from->z;
        if (j->scene.bodies[i].def.type == DRY_BODY_DYNAMIC)
            most = fmax(most, sqrt(x * x + y * y + z * z));
    }
    return most;
}

static const char *run(judge *j)
{
    const judge_options *own = &j->own;
    const double dt = (double)j->scene.dt;
    const int each_second = (int)lround(fmax(1.0, MEASURE_EVERY_S / dt));
    double end = own->until_calm_s > 0.0 ? own->until_calm_s : own->seconds;
    bool waits = own->until_calm_s > 0.0;
    for (int number = 1; number * dt <= end + 0.5 * dt; number++) {
        const char *failure = step(j, number);
        if (failure)
            return failure;
        if (waits && j->standing.calm_s >= 0.0) {
            waits = false;
            end = j->standing.calm_s + own->seconds;
        }
        if (number % each_second == 0 && j->fell_at_s < 0.0 && !(moved_most(j) <= MOVED_M * j->share))
            j->fell_at_s = j->standing.time_s;
        if (own->give_up && j->fell_at_s >= 0.0)
            break;
    }
    dry_energy_look(&j->energy, j->world);
    j->sideways_m = dry_standing_sideways(&j->standing, j->poses);
    if (!dry_quality_measure_poses(&j->scene, j->poses, j->velocities, &j->quality))
        return "out of memory";
    return NULL;
}

static void expect(judge *j, bool holds, const char *name)
{
    size_t used = strlen(j->failed);
    if (!holds)
        snprintf(j->failed + used, sizeof j->failed - used, "%s%s", used > 0 ? "," : "", name);
}

static double energy_bound(const judge *j)
{
    return fmax(1e-4 * j->standing.fell_J, 1e-7 * j->standing.weight_J);
}

static double sway_of_second_minute(const judge *j)
{
    return dry_standing_sway(&j->standing, 60.0, 120.0);
}

static double sway_of_last_minute(const judge *j)
{
    return dry_standing_sway(&j->standing, j->standing.time_s - 60.0, j->standing.time_s);
}

static void give_verdict(judge *j)
{
    const bounds *most = &j->own.most;
    const dry_quality *q = &j->quality;
    const double share = j->share;
    expect(j, 1e3 * q->moved_max_m <= most->far_mm * share, "moved");
    expect(j, 1e3 * j->sideways_m <= most->side_mm * share, "side");
    expect(j, 1e3 * q->penetration_max_m <= most->deep_mm * share, "deep");
    expect(j, 1e3 * q->penetration_mean_m <= most->mean_mm * share, "mean");
    expect(j, 1e3 * q->speed_max_m_s <= most->fast_mm_s * share, "fast");
    if (j->own.rule == RULE_TALL && j->standing.time_s > 119.0)
        expect(j, sway_of_last_minute(j) <= sway_of_second_minute(j), "sway");
    if (j->own.rule == RULE_PILE)
        expect(j, j->standing.calm_s >= 0.0, "calm");
    if (j->has_energy)
        expect(j, j->energy.gained_J <= energy_bound(j), "energy");
    if (j->options.settings.sleep)
        expect(j,
               j->standing.calm_s >= 0.0 && j->asleep_s >= 0.0 &&
                   j->asleep_s <= j->standing.calm_s + ASLEEP_AFTER_CALM_S && j->awake_again == 0,
               "sleep");
    expect(j, dry_world_statistics(j->world).quarantined_bodies == 0, "quarantine");
}

static void print_time(const char *name, double time_s)
{
    if (time_s >= 0.0)
        printf(" %s=%.1f", name, time_s);
    else
        printf(" %s=-", name);
}

static void print_line(const judge *j)
{
    const dry_quality *q = &j->quality;
    printf("%-14s scale_m=%.2g t=%.0f moved=%d far_mm=%.1f side_mm=%.3g deep_mm=%.3g mean_mm=%.3g "
           "fast_mm_s=%.3g",
           j->scene.name, j->standing.scale_m, j->standing.time_s, q->moved_over_quarter_m,
           1e3 * q->moved_max_m, 1e3 * j->sideways_m, 1e3 * q->penetration_max_m, 1e3 * q->penetration_mean_m,
           1e3 * q->speed_max_m_s);
    if (j->standing.time_s > 119.0)
        printf(" sway2_J=%.3g sway_last_J=%.3g", sway_of_second_minute(j), sway_of_last_minute(j));
    printf(" growth=%.3g sway_J=", dry_standing_growth(&j->standing));
    int shown = j->standing.window_count < 6 ? j->standing.window_count : 6;
    for (int i = 0; i < shown; i++)
        printf("%s%.2g", i > 0 ? "," : "", j->standing.sway_J[i]);
    if (j->has_energy)
        printf(" gained_J=%.3g/%.3g", j->energy.gained_J, energy_bound(j));
    print_time("fell_s", j->fell_at_s);
    print_time("calm_s", j->standing.calm_s);
    if (j->options.settings.sleep) {
        print_time("asleep_s", j->asleep_s);
        printf(" awake_again=%d", j->awake_again);
    }
    printf(" substeps=%d ms=%.4g %s%s\n", j->substeps, samples_quantile(&j->times, 0, 0.5),
           j->failed[0] ? "FAILS:" : "HOLDS", j->failed);
}

static json_t *real_or_null(double value, bool known)
{
    return known && isfinite(value) ? json_real(value) : json_null();
}

static bool write_report(const judge *j)
{
    const dry_quality *q = &j->quality;
    const dry_standing *s = &j->standing;
    json_t *sway = json_array(), *report = json_object();
    struct {
        const char *name;
        json_t *value;
    } rows[] = {
        {"scene", json_string(j->scene.name)},
        {"seconds", json_real(s->time_s)},
        {"bodies", json_integer(j->scene.body_count)},
        {"moved_over_0.25m", json_integer(q->moved_over_quarter_m)},
        {"moved_max_m", real_or_null(q->moved_max_m, true)},
        {"sideways_m", real_or_null(j->sideways_m, true)},
        {"penetration_max_m", real_or_null(q->penetration_max_m, true)},
        {"penetration_mean_m", real_or_null(q->penetration_mean_m, true)},
        {"speed_max_m_s", real_or_null(q->speed_max_m_s, true)},
        {"kinetic_energy_J", real_or_null(q->kinetic_energy_J, true)},
        {"sway_J", sway},
        {"sway_second_minute_J", real_or_null(sway_of_second_minute(j), s->time_s > 119.0)},
        {"sway_last_minute_J", real_or_null(sway_of_last_minute(j), s->time_s > 119.0)},
        {"growth", real_or_null(dry_standing_growth(s), true)},
        {"gained_J", real_or_null(j->energy.gained_J, j->has_energy)},
        {"gained_bound_J", real_or_null(energy_bound(j), j->has_energy)},
        {"fell_s", real_or_null(j->fell_at_s, j->fell_at_s >= 0.0)},
        {"calm_s", real_or_null(s->calm_s, s->calm_s >= 0.0)},
        {"asleep_s", real_or_null(j->asleep_s, j->asleep_s >= 0.0)},
        {"awake_again_steps", json_integer(j->awake_again)},
        {"substeps", json_integer(j->substeps)},
        {"median_step_ms", json_real(samples_quantile(&j->times, 0, 0.5))},
        {"rule", json_string(rule_names[j->own.rule])},
        {"failed", json_string(j->failed)},
    };
    bool good = sway && report;
    for (int i = 0; good && i < s->window_count; i++)
        good = json_array_append_new(sway, real_or_null(s->sway_J[i], true)) == 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        good = json_object_set_new(report, rows[i].name, rows[i].value) == 0 && good;
    bool own_stream = strcmp(j->options.report, "-") != 0;
    FILE *stream = own_stream ? fopen(j->options.report, "w") : stdout;
    good = good && stream && json_dumpf(report, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(7)) == 0 &&
           fputc('\n', stream) != EOF;
    if (stream && own_stream)
        good = fclose(stream) == 0 && good;
    json_decref(report);
    return good;
}

static int work(judge *j, int count, char **arguments)
{
    char error[ERROR_BYTES] = "";
    if (!parse(j, count, arguments, error) || !load(j, error) || !build(j, error)) {
        complain(error);
        return 2;
    }
    const char *failure = run(j);
    if (failure) {
        complain(failure);
        return 2;
    }
    give_verdict(j);
    if (j->options.report == NULL || strcmp(j->options.report, "-") != 0)
        print_line(j);
    if (j->options.report != NULL && !write_report(j)) {
        complain("the report could not be written");
        return 2;
    }
    return j->failed[0] != '\0';
}

int main(int count, char **arguments)
{
    judge j = {.fell_at_s = -1.0, .asleep_s = -1.0};
    int status = work(&j, count - 1, arguments + 1);
    dry_world_destroy(j.world);
    dry_standing_end(&j.standing);
    samples_free(&j.times);
    free(j.ids);
    free(j.poses);
    free(j.velocities);
    dry_scene_free(&j.scene);
    return status;
}
