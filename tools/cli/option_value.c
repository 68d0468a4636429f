/* Options with a value (option_value.h). */
#include "tools/cli/option_value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

bool option_count(const char *name, const char *text, int low, int high, int *value, char *error,
                  size_t bytes)
{
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    const bool whole =
        text[0] != '\0' && strchr(" \t\n\v\f\r", text[0]) == NULL && *end == '\0' && errno == 0;
    if (!whole || number < low || number > high) {
        snprintf(error, bytes, "%s %s: expected a whole number from %d to %d", name, text, low, high);
        return false;
    }
    *value = (int)number;
    return true;
}
