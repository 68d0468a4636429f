/* Writes the report of a run (report.h). Reads the run's figures, writes a stream. */
#include "tools/cli/report.h"

#include "tools/cli/terminal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One thread has 0.0001 to 0.016, the latter where clocks are read around steps of 4 us; threads that share a
 * core have 0.03 to 0.28 (tower, pile, pyramid on 1, 2 and 6 threads of two cores). */
#define OUTSIDE_SHARE 0.02

const char *report_count(long long count, char *text, size_t bytes)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", count);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < bytes; i++) {
        text[used++] = digits[i];
        int left = length - 1 - i;
        if (left > 0 && left % 3 == 0 && digits[i] != '-') {
            text[used++] = ',';
        }
    }
    text[used] = '\0';
    return text;
}

static double bytes_per_body(const run_report *r)
{
    double over = (double)r->statistics.memory_bytes - (double)r->empty_bytes;
    return r->statistics.dynamic_bodies > 0 ? over / r->statistics.dynamic_bodies : 0.0;
}

static double mean_step_ms(const run_report *r)
{
    return r->times->seen > 0 ? r->times->first_sum / (double)r->times->seen : 0.0;
}

static double real_time_factor(const run_report *r)
{
    double median = samples_quantile(r->times, 0, 0.5);
    return median > 0.0 ? (double)r->dt * 1e3 / median : 0.0;
}

/* Writes null for a number that is not finite, since JSON has none. */
static void put_real(json_t *object, const char *name, double value)
{
    json_object_set_new(object, name, isfinite(value) ? json_real(value) : json_null());
}

static void put_count(json_t *object, const char *name, long long value)
{
    json_object_set_new(object, name, json_integer(value));
}

static void put_text(json_t *object, const char *name, const char *text)
{
    char *valid = text_to_utf8(text);
    json_object_set_new(object, name, valid != NULL ? json_string(valid) : json_null());
    free(valid);
}

/* Returns the share of the steps' time that lies outside all stages. */
static double outside_share(const run_report *r)
{
    return r->staged_ms > 0.0 ? r->outside_ms / r->staged_ms : 0.0;
}

static json_t *times_json(const run_report *r)
{
    json_t *object = json_object();
    put_real(object, "median", samples_quantile(r->times, 0, 0.5));
    put_real(object, "mean", mean_step_ms(r));
    put_real(object, "min", r->times->first_min);
    put_real(object, "max", r->times->first_max);
    put_real(object, "p99", samples_quantile(r->times, 0, 0.99));
    return object;
}

/* Returns the mean of a count over the timed steps. */
static double mean_count(const run_report *r, int stage, int counter)
{
    double total = counters_total(r->counters, (dry_stage)stage, counter);
    return r->times->seen > 0 ? total / (double)r->times->seen : (double)NAN;
}

static json_t *counters_json(const run_report *r)
{
    if (!r->counters->open) {
        return json_null();
    }
    json_t *object = json_object();
    for (int i = 0; i < DRY_STAGE_COUNT; i++) {
        json_t *stage = json_object();
        for (int k = 0; k < COUNTER_COUNT; k++) {
            put_real(stage, counter_name(k), mean_count(r, i, k));
        }
        json_object_set_new(object, dry_stage_name((dry_stage)i), stage);
    }
    return object;
}

static json_t *quality_json(const run_report *r)
{
    json_t *object = json_object();
    if (r->has_quality) {
        const dry_quality *q = &r->quality;
        put_real(object, "penetration_max_m", q->penetration_max_m);
        put_real(object, "penetration_mean_m", q->penetration_mean_m);
        put_real(object, "speed_max_m_s", q->speed_max_m_s);
        put_real(object, "kinetic_energy_J", q->kinetic_energy_J);
        put_real(object, "moved_max_m", q->moved_max_m);
        put_count(object, "moved_over_0.25m", q->moved_over_quarter_m);
        put_real(object, "moved_sideways_max_m", q->moved_sideways_max_m);
        put_count(object, "touching_pairs", q->touching_pairs);
        put_real(object, "joint_error_m", r->joint_errors.max_m);
        put_real(object, "joint_error_rad", r->joint_errors.max_rad);
    }
    put_count(object, "quarantined", r->statistics.quarantined_bodies);
    if (r->quarantined_dynamic > 0) {
        put_count(object, "quarantined_dynamic", r->quarantined_dynamic);
        put_text(object, "quarantined_first", r->quarantined_first);
        put_count(object, "quarantined_first_step", r->quarantined_first_step);
    }
    return object;
}

static json_t *articulations_json(const run_report *r)
{
    const dry_articulation_statistics *a = &r->articulations;
    json_t *object = json_object();
    put_count(object, "count", a->count);
    put_count(object, "joints", a->joints);
    put_count(object, "rows", a->rows);
    put_count(object, "redundant_rows", a->redundant_rows);
    put_count(object, "raised_pivots", a->raised_pivots);
    put_count(object, "nonzeros", (long long)a->nonzeros);
    put_count(object, "corrections", (long long)a->corrections);
    put_count(object, "iterations", (long long)a->iterations);
    put_count(object, "iterations_max", a->iterations_max);
    return object;
}

static json_t *energy_json(const run_report *r)
{
    if (!r->has_energy) {
        return json_null();
    }
    json_t *object = json_object();
    put_real(object, "start_J", r->energy.start_J);
    put_real(object, "end_J", r->energy.end_J);
    put_real(object, "gained_J", r->energy.gained_J);
    return object;
}

static json_t *memory_json(const run_report *r)
{
    json_t *object = json_object();
    put_count(object, "bytes", (long long)r->statistics.memory_bytes);
    put_real(object, "bytes_per_body", bytes_per_body(r));
    put_count(object, "peak_rss_bytes", (long long)r->peak_rss_bytes);
    json_object_set_new(object, "engine_bytes",
                        r->engine_bytes > 0 ? json_integer((json_int_t)r->engine_bytes) : json_null());
    put_count(object, "allocations_in_steps", (long long)r->allocations_in_steps);
    return object;
}

/* Writes a part of the report. A DEL, which jansson leaves as it is, is escaped for the sake of terminals. */
static int write_part(const char *part, size_t bytes, void *stream)
{
    for (const char *end = part + bytes; part < end;) {
        const char *del = memchr(part, 0x7f, (size_t)(end - part));
        size_t plain = (size_t)((del != NULL ? del : end) - part);
        if (fwrite(part, 1, plain, stream) != plain || (del != NULL && fputs("\\u007f", stream) < 0)) {
            return -1;
        }
        part += plain + (del != NULL);
    }
    return 0;
}

bool report_write_json(FILE *stream, const run_report *r)
{
    const dry_statistics *s = &r->statistics;
    dry_machine machine = dry_machine_describe();
    json_t *root = json_object();
    put_text(root, "scene", r->scene);
    put_count(root, "bodies", s->bodies);
    put_count(root, "dynamic_bodies", s->dynamic_bodies);
    put_count(root, "steps", r->steps);
    put_count(root, "steps_asked", r->steps_asked);
    put_count(root, "warmup", r->warmup);
    put_real(root, "dt", (double)r->dt);
    put_count(root, "substeps", r->substeps);
    put_count(root, "substeps_set", r->substeps_set);
    put_text(root, "solver", dry_solver_name(r->solver));
    put_count(root, "threads", r->threads);
    put_text(root, "team", dry_team_name(r->team));
    put_text(root, "isa", dry_isa_name(r->isa));
    put_text(root, "sweep_isa", dry_isa_name(r->sweep_isa));
    json_object_set_new(root, "sleep", json_boolean(r->sleep));
    json_object_set_new(root, "interrupted", json_boolean(r->interrupted));
    if (r->failure != NULL || r->quarantined_all) {
        put_text(root, "failure", r->failure != NULL ? r->failure : "all dynamic bodies are in quarantine");
    }
    json_object_set_new(root, "step_ms", times_json(r));
    json_t *stages = json_object();
    for (int i = 0; i < DRY_STAGE_COUNT; i++) {
        put_real(stages, dry_stage_name((dry_stage)i), samples_quantile(r->times, 1 + i, 0.5));
    }
    json_object_set_new(root, "stage_ms", stages);
    json_t *outside = json_object();
    put_real(outside, "share", outside_share(r));
    put_real(outside, "max_ms", r->outside_max_ms);
    put_count(outside, "lost_cores", r->lost_cores);
    json_object_set_new(root, "outside_stages", outside);
    if (r->counters != NULL) {
        json_object_set_new(root, "counters", counters_json(r));
        if (!r->counters->open) {
            put_text(root, "counters_refused", r->counters->refused);
        }
    }
    put_real(root, "real_time_factor", real_time_factor(r));
    put_real(root, "wall_s", r->wall_s);
    put_count(root, "manifolds", s->manifolds);
    put_count(root, "points", r->contacts.points);
    put_count(root, "joints", s->joints);
    put_count(root, "open_joints", s->open_joints);
    json_object_set_new(root, "articulations", articulations_json(r));
    put_count(root, "colors", s->colors);
    put_count(root, "overflow", s->overflow);
    put_count(root, "impacts", (long long)s->impacts);
    put_count(root, "repairs", (long long)s->repairs);
    put_count(root, "impacts_limited", (long long)s->impacts_limited);
    put_count(root, "islands", s->islands);
    put_count(root, "awake", s->awake_bodies);
    json_t *tiers = json_array();
    for (int i = 0; i < DRY_TIER_COUNT; i++) {
        json_array_append_new(tiers, json_integer(s->islands_in_tier[i]));
    }
    json_object_set_new(root, "islands_in_tier", tiers);
    json_t *reasons = json_object();
    for (int i = 0; i < DRY_TIER_REASON_COUNT; i++) {
        json_object_set_new(reasons, dry_tier_reason_name((dry_tier_reason)i),
                            json_integer(s->islands_by_reason[i]));
    }
    json_object_set_new(root, "islands_by_reason", reasons);
    json_object_set_new(root, "memory", memory_json(r));
    json_object_set_new(root, "quality", quality_json(r));
    json_object_set_new(root, "energy", energy_json(r));
    char hash[17];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)r->hash);
    put_text(root, "state_hash", hash);
    put_text(root, "processor", machine.processor);
    put_text(root, "version", dry_version());
    bool good = json_dump_callback(root, write_part, stream,
                                   JSON_INDENT(2) | JSON_REAL_PRECISION(9) | JSON_ENSURE_ASCII) == 0 &&
                fputc('\n', stream) != EOF && !ferror(stream);
    json_decref(root);
    return good;
}

/* Text. */

static void print_bytes(FILE *stream, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    while (bytes >= 1024.0 && unit < 4) {
        bytes /= 1024.0;
        unit++;
    }
    fprintf(stream, "%.*f %s", unit == 0 || bytes >= 100.0 ? 0 : 1, bytes, units[unit]);
}

/* Prints a length or a speed with the prefix that keeps it short. */
static void print_si(FILE *stream, double value, const char *unit)
{
    double size = fabs(value);
    if (size > 0.0 && size < 1e-3) {
        fprintf(stream, "%.3g u%s", value * 1e6, unit);
    } else if (size > 0.0 && size < 1.0) {
        fprintf(stream, "%.3g m%s", value * 1e3, unit);
    } else if (size < 1e4) {
        fprintf(stream, "%.3g %s", value, unit);
    } else {
        fprintf(stream, "%.3g k%s", value / 1e3, unit);
    }
}

static void print_head(FILE *stream, const run_report *r)
{
    const dry_statistics *s = &r->statistics;
    dry_machine machine = dry_machine_describe();
    char bodies[32], all[32], joints[32], steps[32], text[2048];
    fprintf(stream, "drystone %s\n\n", dry_version());
    fprintf(stream, "scene      %s: %s dynamic bodies of %s, %s joints\n",
            terminal_text(r->scene, text, sizeof text),
            report_count(s->dynamic_bodies, bodies, sizeof bodies), report_count(s->bodies, all, sizeof all),
            report_count(s->joints, joints, sizeof joints));
    fprintf(stream, "machine    %s, %d cores, %d hardware threads; used: %d thread%s (%s), %s",
            terminal_text(machine.processor, text, sizeof text), machine.cores, machine.hardware_threads,
            r->threads, r->threads == 1 ? "" : "s", dry_team_name(r->team), dry_isa_name(r->isa));
    if (r->sweep_isa != r->isa) {
        fprintf(stream, " (sweeps of these settings: %s)", dry_isa_name(r->sweep_isa));
    }
    fputc('\n', stream);
    fprintf(stream, "run        %s steps of %.4g ms, %s, ", report_count(r->steps, steps, sizeof steps),
            (double)r->dt * 1e3, dry_solver_name(r->solver));
    if (r->substeps_set > 0) {
        fprintf(stream, "%d substeps", r->substeps_set);
    } else {
        fprintf(stream, "up to %d substeps by difficulty", r->substeps);
    }
    fprintf(stream, ", sleep %s; %.2f s in all\n", r->sleep ? "on" : "off", r->wall_s);
    if (r->interrupted || r->failure != NULL) {
        fprintf(stream, "           stopped early: %d steps were asked for (%s)\n", r->steps_asked,
                r->failure != NULL ? terminal_text(r->failure, text, sizeof text) : "interrupted");
    }
}

static void print_times(FILE *stream, const run_report *r)
{
    double median = samples_quantile(r->times, 0, 0.5);
    char measured[32];
    fprintf(stream, "\nstep, ms   median %.4g   mean %.4g   min %.4g   max %.4g   p99 %.4g   over %s steps\n",
            median, mean_step_ms(r), r->times->first_min, r->times->first_max,
            samples_quantile(r->times, 0, 0.99), report_count(r->times->seen, measured, sizeof measured));
    fprintf(stream, "           %.3g times real time\n\n", real_time_factor(r));
    double medians[DRY_STAGE_COUNT], sum = 0.0;
    for (int i = 0; i < DRY_STAGE_COUNT; i++) {
        medians[i] = samples_quantile(r->times, 1 + i, 0.5);
        sum += medians[i];
    }
    if (sum <= 0.0 && r->times->seen > 0) {
        fprintf(stream, "stages     not timed in most steps: all slept\n");
        return;
    }
    const char *title = "stage";
    for (int i = 0; i < DRY_STAGE_COUNT; i++) {
        double share = sum > 0.0 ? medians[i] / sum : 0.0;
        char bar[34] = "";
        if (share >= 1.0 / 60.0) {
            memset(bar, '#', 2 + (size_t)(share * 30.0 + 0.5));
            bar[0] = bar[1] = ' ';
        }
        fprintf(stream, "%-10s %-9s %9.4f ms %5.1f %%%s\n", title, dry_stage_name((dry_stage)i), medians[i],
                share * 100.0, bar);
        title = "";
    }
}

/* Names time that no stage has, if it is more than clocks and the start of a team take. */
static void print_outside(FILE *stream, const run_report *r)
{
    char losses[32];
    if (outside_share(r) > OUTSIDE_SHARE) {
        fprintf(stream,
                "%-10s %-9s %.3g %% of all steps' time, at most %.4g ms: threads waited for a core\n"
                "%-10s %-9s (in all steps the kernel took one away %s times)\n",
                "", "no stage", 100.0 * outside_share(r), r->outside_max_ms, "", "",
                report_count(r->lost_cores, losses, sizeof losses));
    }
}

/* Prints thousands, or - for a count that is not known. */
static void print_thousands(FILE *stream, int width, double count)
{
    if (isfinite(count)) {
        fprintf(stream, " %*.1f", width, count * 1e-3);
    } else {
        fprintf(stream, " %*s", width, "-");
    }
}

static void print_counters(FILE *stream, const run_report *r)
{
    if (r->counters == NULL) {
        return;
    }
    if (!r->counters->open) {
        fprintf(stream, "\ncounters   %s\n", r->counters->refused);
        return;
    }
    fprintf(stream, "\n%-10s %-9s %12s %13s %9s %13s %14s   (thousands a step, all threads)\n", "counters",
            "stage", "cycles", "instructions", "per cycle", "cache misses", "branch misses");
    for (int i = 0; i < DRY_STAGE_COUNT; i++) {
        double cycles = mean_count(r, i, COUNTER_CYCLES);
        double instructions = mean_count(r, i, COUNTER_INSTRUCTIONS);
        fprintf(stream, "%-10s %-9s", "", dry_stage_name((dry_stage)i));
        print_thousands(stream, 12, cycles);
        print_thousands(stream, 13, instructions);
        if (isfinite(instructions) && cycles > 0.0) {
            fprintf(stream, " %9.2f", instructions / cycles);
        } else {
            fprintf(stream, " %9s", "-");
        }
        print_thousands(stream, 13, mean_count(r, i, COUNTER_CACHE_MISSES));
        print_thousands(stream, 14, mean_count(r, i, COUNTER_BRANCH_MISSES));
        fputc('\n', stream);
    }
}

static void print_contacts(FILE *stream, const run_report *r)
{
    const dry_statistics *s = &r->statistics;
    char a[32], b[32], c[32];
    fprintf(stream, "\ncontacts   %s manifolds, %s points, %d colors, %s without one\n",
            report_count(s->manifolds, a, sizeof a), report_count(r->contacts.points, b, sizeof b), s->colors,
            report_count(s->overflow, c, sizeof c));
    fprintf(stream, "awake      %s bodies in %s island%s, %s manifolds solved\n",
            report_count(s->awake_bodies, a, sizeof a), report_count(s->islands, b, sizeof b),
            s->islands == 1 ? "" : "s", report_count(s->awake_manifolds, c, sizeof c));
    if (r->articulations.count > 0) {
        const dry_articulation_statistics *k = &r->articulations;
        fprintf(stream, "direct     %s joints, %s rows, %s of them redundant, ",
                report_count(k->joints, a, sizeof a), report_count(k->rows, b, sizeof b),
                report_count(k->redundant_rows, c, sizeof c));
        fprintf(stream, "%s nonzeros, up to %d iterations\n",
                report_count((long long)k->nonzeros, a, sizeof a), k->iterations_max);
    }
    int listed = 0;
    for (int i = 0; i < DRY_TIER_COUNT; i++) {
        if (s->islands_in_tier[i] > 0) {
            fprintf(stream, "%s %s asking for %d substeps", listed++ == 0 ? "difficulty" : ",",
                    report_count(s->islands_in_tier[i], a, sizeof a), dry_tier_substeps(i));
        }
    }
    if (listed > 0) {
        fputs(" (islands)\n", stream);
    }
    listed = 0;
    for (int i = 0; i < DRY_TIER_REASON_COUNT; i++) {
        if (s->islands_by_reason[i] > 0) {
            fprintf(stream, "%s %s by %s", listed++ == 0 ? "reason    " : ",",
                    report_count(s->islands_by_reason[i], a, sizeof a),
                    dry_tier_reason_name((dry_tier_reason)i));
        }
    }
    if (listed > 0) {
        fputs(" (islands)\n", stream);
    }
}

static void print_memory(FILE *stream, const run_report *r)
{
    fputs("memory     ", stream);
    print_bytes(stream, (double)r->statistics.memory_bytes);
    fprintf(stream, ", %.0f bytes a dynamic body; process peak ", bytes_per_body(r));
    print_bytes(stream, (double)r->peak_rss_bytes);
    fprintf(stream, "; %llu allocations in the measured steps\n",
            (unsigned long long)r->allocations_in_steps);
}

static void print_quality(FILE *stream, const run_report *r)
{
    const dry_quality *q = &r->quality;
    char a[32], b[32];
    if (r->has_quality) {
        fputs("quality    deepest overlap ", stream);
        print_si(stream, q->penetration_max_m, "m");
        fputs(", mean ", stream);
        print_si(stream, q->penetration_mean_m, "m");
        fprintf(stream, " over %s touching pairs\n", report_count(q->touching_pairs, a, sizeof a));
        fputs("           fastest ", stream);
        print_si(stream, q->speed_max_m_s, "m/s");
        fputs(", kinetic energy ", stream);
        print_si(stream, q->kinetic_energy_J, "J");
        fputs("\n           moved furthest ", stream);
        print_si(stream, q->moved_max_m, "m");
        fputs(" (sideways ", stream);
        print_si(stream, q->moved_sideways_max_m, "m");
        fprintf(stream, "), %s bodies over 0.25 m\n", report_count(q->moved_over_quarter_m, a, sizeof a));
        if (r->statistics.joints > 0) {
            fputs("           joints off by up to ", stream);
            print_si(stream, r->joint_errors.max_m, "m");
            fputs(" and ", stream);
            print_si(stream, r->joint_errors.max_rad, "rad");
            fputc('\n', stream);
        }
    }
    if (r->quarantined_dynamic > 0) {
        char first[256];
        fprintf(stream,
                "QUARANTINE %s of %s dynamic bodies had a motion that was not finite or out of range and\n",
                report_count(r->quarantined_dynamic, a, sizeof a),
                report_count(r->statistics.dynamic_bodies, b, sizeof b));
        fprintf(stream, "           are out of the run, the first (%s) since step %s\n",
                terminal_text(r->quarantined_first, first, sizeof first),
                report_count(r->quarantined_first_step, a, sizeof a));
    }
}

static void print_energy(FILE *stream, const run_report *r)
{
    if (!r->has_energy) {
        return;
    }
    fputs("energy     changed by ", stream);
    print_si(stream, r->energy.end_J - r->energy.start_J, "J");
    fputs(" since the start, largest rise ", stream);
    print_si(stream, r->energy.gained_J, "J");
    fputc('\n', stream);
}

void report_print(FILE *stream, const run_report *r)
{
    print_head(stream, r);
    print_times(stream, r);
    print_outside(stream, r);
    print_counters(stream, r);
    print_contacts(stream, r);
    print_memory(stream, r);
    print_quality(stream, r);
    print_energy(stream, r);
    fprintf(stream, "state      %016llx\n", (unsigned long long)r->hash);
}
