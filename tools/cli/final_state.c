/* Writes the final state as CSV (final_state.h). Positions are doubles (17 digits), all other numbers floats
 * (9). */
#include "tools/cli/final_state.h"

#include "tools/cli/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes an id; one with a comma, a quote or a line end is quoted, and its quotes are doubled (RFC 4180). On
 * a terminal, control characters are escaped. */
static void write_id(FILE *stream, const char *id)
{
    if (strpbrk(id, ",\"\r\n") == NULL) {
        fputs(id, stream);
        return;
    }
    fputc('"', stream);
    for (; *id != '\0'; id++) {
        if (*id == '"') {
            fputc('"', stream);
        }
        fputc(*id, stream);
    }
    fputc('"', stream);
}

static void write_row(FILE *stream, const char *id, const dry_pose *pose, const dry_velocity *velocity,
                      bool awake)
{
    dry_position p = pose->position;
    dry_quat q = pose->orientation;
    dry_vec3 v = velocity->linear, w = velocity->angular;
    write_id(stream, id);
    fprintf(stream, ",%.17g,%.17g,%.17g", p.x, p.y, p.z);
    fprintf(stream, ",%.9g,%.9g,%.9g,%.9g", (double)q.x, (double)q.y, (double)q.z, (double)q.w);
    fprintf(stream, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d\n", (double)v.x, (double)v.y, (double)v.z, (double)w.x,
            (double)w.y, (double)w.z, awake ? 1 : 0);
}

bool final_state_write(FILE *stream, const dry_scene *scene, const dry_world *world, const dry_body_id *ids)
{
    size_t count = (size_t)scene->body_count;
    bool terminal = isatty(fileno(stream)); /* which would obey control characters in an id */
    char safe[1024];
    dry_pose *poses = calloc(count + 1, sizeof *poses);
    dry_velocity *velocities = calloc(count + 1, sizeof *velocities);
    bool *awake = calloc(count + 1, sizeof *awake);
    bool good = poses != NULL && velocities != NULL && awake != NULL &&
                dry_world_get_motion(world, scene->body_count, ids, poses, velocities, awake) == DRY_OK;
    errno = 0;
    if (good) {
        fputs("id,px,py,pz,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz,awake\n", stream);
        for (size_t i = 0; i < count && !ferror(stream); i++) {
            const char *id = scene->bodies[i].id;
            write_row(stream, terminal ? terminal_text(id, safe, sizeof safe) : id, &poses[i], &velocities[i],
                      awake[i]);
        }
    }
    free(poses);
    free(velocities);
    free(awake);
    return good;
}
