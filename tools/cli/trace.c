/* Writes the Trace Event Format in its JSON object form. Complete events (ph X) nest by their times within a
 * thread, counters (ph C) draw as graphs, and times are in microseconds.
 *
 * Each worker is a track. Worker 0, the calling thread, has the steps, in each its stages, and in each the
 * blocks that worker 0 ran. The other tracks have the blocks of their workers. A gap within a stage is serial
 * work of worker 0 or waiting. */
#include "tools/cli/trace.h"

#include "tools/cli/terminal.h"

#include <math.h>

void trace_begin(FILE *stream, const char *scene, int workers)
{
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", stream);
    for (int worker = 0; worker < workers; worker++) {
        fprintf(stream,
                "{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"worker "
                "%d%s\"}},\n"
                "{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%"
                "d}},\n",
                worker + 1, worker, worker == 0 ? ", the calling thread" : "", worker + 1, worker);
    }
    fputs("{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\",\"args\":{\"name\":", stream);
    json_print_text(stream, scene);
    fputs("}}", stream);
}

/* Writes an event without its closing brace. Both ends are rounded to the nanosecond before the difference is
 * taken, so that an event within another one lies within it in the file, too. */
static void begin_slice(FILE *stream, int worker, const char *name, double begin_ms, double end_ms)
{
    double begin = round(begin_ms * 1e6), end = round(end_ms * 1e6);
    fprintf(stream, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"name\":\"%s\",\"ts\":%.3f,\"dur\":%.3f",
            worker + 1, name, begin * 1e-3, (end - begin) * 1e-3);
}

static void write_spans(FILE *stream, int worker, double start_ms, double step_ms, const dry_world *world)
{
    int count, lost;
    const dry_worker_span *spans = dry_world_worker_spans(world, worker, &count, &lost);
    for (int i = 0; i < count; i++) {
        begin_slice(stream, worker, dry_stage_name(spans[i].stage), start_ms + spans[i].begin_ms,
                    start_ms + spans[i].end_ms);
        fputs(",\"cat\":\"work\"}", stream);
    }
    if (lost > 0) {
        fprintf(
            stream,
            ",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":%d,\"name\":\"no room for the rest\",\"ts\":%.3f,"
            "\"args\":{\"spans\":%d}}",
            worker + 1, (start_ms + step_ms) * 1e3, lost);
    }
}

void trace_step(FILE *stream, long long step, double start_ms, const dry_statistics *statistics,
                const dry_world *world)
{
    begin_slice(stream, 0, "step", start_ms, start_ms + statistics->step_ms);
    fprintf(stream, ",\"args\":{\"step\":%lld}}", step);
    for (int i = 0; i < DRY_STAGE_COUNT; i++) {
        double begin = statistics->stage_start_ms[i];
        double end = begin + statistics->stage_ms[i];
        end = end < statistics->step_ms ? end : statistics->step_ms;
        if (end > begin) {
            begin_slice(stream, 0, dry_stage_name((dry_stage)i), start_ms + begin, start_ms + end);
            fputs(",\"cat\":\"stage\"}", stream);
        }
    }
    for (int worker = 0; worker < dry_world_threads(world); worker++) {
        write_spans(stream, worker, start_ms, statistics->step_ms, world);
    }
    fprintf(stream,
            ",\n{\"ph\":\"C\",\"pid\":1,\"name\":\"awake bodies\",\"ts\":%.3f,\"args\":{\"awake\":%d}}"
            ",\n{\"ph\":\"C\",\"pid\":1,\"name\":\"manifolds\",\"ts\":%.3f,\"args\":{\"solved\":%d}}",
            start_ms * 1e3, statistics->awake_bodies, start_ms * 1e3, statistics->awake_manifolds);
}

void trace_end(FILE *stream)
{
    fputs("\n]}\n", stream);
}
