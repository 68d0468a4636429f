/* The Trace Event Format (JSON object form): complete events (ph X) nest by their times within a thread,
 * counters (ph C) draw as graphs; times in microseconds. */
#include "cli/trace.h"

static void write_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(stream, "\\%c", c);
        } else if (c < 0x20 || c >= 0x7f) {
            fprintf(stream, "\\u%04x", c < 0x20 ? c : '?');
        } else {
            fputc(c, stream);
        }
    }
    fputc('"', stream);
}

void trace_begin(FILE *stream, const char *scene)
{
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", stream);
    fputs("{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"steps\"}},\n",
          stream);
    fputs("{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\",\"args\":{\"name\":", stream);
    write_text(stream, scene);
    fputs("}}", stream);
}

void trace_step(FILE *stream, long long step, double start_ms, const dry_statistics *statistics)
{
    fprintf(stream,
            ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"step\",\"ts\":%.3f,\"dur\":%.3f,"
            "\"args\":{\"step\":%lld}}",
            start_ms * 1e3, statistics->step_ms * 1e3, step);
    for (int i = 0; i < DRY_STAGE_COUNT; i++) {
        /* A stage that sticks out of its step by a rounding would not nest in it. */
        double begin = statistics->stage_start_ms[i];
        double end = begin + statistics->stage_ms[i];
        end = end < statistics->step_ms ? end : statistics->step_ms;
        if (end > begin) {
            fprintf(stream, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"%s\",\"ts\":%.3f,\"dur\":%.3f}",
                    dry_stage_name((dry_stage)i), (start_ms + begin) * 1e3, (end - begin) * 1e3);
        }
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
