/* Options with a value (option_value.h). */
#include "cli/option_value.h"

#include <stddef.h>
#include <string.h>

const char *option_value(const char *name, int count, char **arguments, int *at)
{
    const size_t length = strlen(name);
    const char *argument = arguments[*at];
    if (strncmp(argument, name, length) != 0 || (argument[length] != '\0' && argument[length] != '=')) {
        return NULL;
    }
    if (argument[length] == '=') {
        return argument + length + 1;
    }
    return *at + 1 < count && strncmp(arguments[*at + 1], "--", 2) != 0 ? arguments[++*at] : "";
}
