/* Runs `drystone scenes`: lists the built-in scenes, one line each. */
#include "tools/cli/commands.h"
#include "tools/cli/output_file.h"
#include "tools/cli/report.h"
#include "tools/scenes/scenes.h"

#include <string.h>

int scenes_command(int count, char **arguments)
{
    int status;
    if (!command_takes_no_arguments("scenes", "lists the built-in scenes and their sizes", count, arguments,
                                    &status)) {
        return status;
    }
    int name_width = 0;
    for (const dry_scene_builtin *s = dry_scene_builtins(); s->name != NULL; s++) {
        int length = (int)strlen(s->name);
        name_width = length > name_width ? length : name_width;
    }
    for (const dry_scene_builtin *s = dry_scene_builtins(); s->name != NULL; s++) {
        char low[32], high[32], usual[32];
        printf("%-*s  %s; --size: %s, %s to %s (%s)\n", name_width, s->name, s->summary, s->size_unit,
               report_count(s->size_min, low, sizeof low), report_count(s->size_max, high, sizeof high),
               report_count(s->size_default, usual, sizeof usual));
    }
    return finish_standard_output();
}
