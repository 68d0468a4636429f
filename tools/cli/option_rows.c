/* Tables of options with a value (option_rows.h). */
#include "tools/cli/option_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const option_row *find(const option_rows *all, const char *argument, size_t length)
{
    for (int i = 0; i < all->count; i++) {
        if (strlen(all->rows[i].name) == length && strncmp(all->rows[i].name, argument, length) == 0) {
            return &all->rows[i];
        }
    }
    return NULL;
}

const option_row *option_rows_find(const option_rows *all, int count, char **arguments, int *at,
                                   const char **value, char *error, size_t error_bytes)
{
    const char *argument = arguments[*at], *equals = strchr(argument, '=');
    const size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    const option_row *row = find(all, argument, length);
    if (row == NULL) {
        snprintf(error, error_bytes, "%s: unknown option; expected one that `drystone %s --help` lists",
                 argument, all->command);
        return NULL;
    }
    if (equals == NULL && (*at + 1 == count || strncmp(arguments[*at + 1], "--", 2) == 0)) {
        snprintf(error, error_bytes, "%s: expected a value (%s) after it", row->name, row->argument);
        return NULL;
    }
    *value = equals != NULL ? equals + 1 : arguments[++*at];
    return row;
}

bool option_row_number(const option_row *row, const char *text, double *value)
{
    char *end = NULL;
    errno = 0;
    *value = row->whole ? (double)strtoll(text, &end, 10) : strtod(text, &end);
    const bool all = text[0] != '\0' && strchr(" \t\n\v\f\r", text[0]) == NULL && *end == '\0' && errno == 0;
    return all && *value >= row->low && *value <= row->high;
}

bool option_row_refuse(const option_row *row, const char *value, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "%s %s: expected %s", row->name, value, row->expected);
    return false;
}

void option_rows_help(const option_rows *all, FILE *stream)
{
    for (int i = 0; i < all->count; i++) {
        char left[40];
        snprintf(left, sizeof left, "%s %s", all->rows[i].name, all->rows[i].argument);
        fprintf(stream, "  %-21s %s\n", left, all->rows[i].help);
    }
}
