/* Checks arguments of the commands that take none (commands.h). */
#include "tools/cli/commands.h"

#include "tools/cli/output_file.h"
#include "tools/cli/terminal.h"

#include <string.h>

bool command_takes_no_arguments(const char *name, const char *help, int count, char **arguments, int *status)
{
    if (count == 0) {
        return true;
    }
    bool asked = strcmp(arguments[0], "--help") == 0 || strcmp(arguments[0], "-h") == 0;
    if (asked && count == 1) {
        printf("usage: drystone %s\n\ndrystone %s %s; it takes no arguments.\n\n%s", name, name, help,
               STATUS_HELP);
        *status = finish_standard_output();
    } else {
        terminal_error("%s: %s: expected %s", name, arguments[asked ? 1 : 0],
                       asked ? "nothing after --help" : "no arguments");
        *status = STATUS_USAGE;
    }
    return false;
}
