/* The value of one option of the smaller commands, whose options are no table. */
#ifndef TOOLS_CLI_OPTION_VALUE_H
#define TOOLS_CLI_OPTION_VALUE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the value of an option given as --out FILE or --out=FILE, and moves *at to its last argument.
 * Returns null if the argument is another one, and an empty text if the value is missing. */
const char *option_value(const char *name, int count, char **arguments, int *at);

/* Reads all of `text` as a whole number from `low` to `high`. Returns false with a line that names the option
 * and the expected value. */
bool option_count(const char *name, const char *text, int low, int high, int *value, char *error,
                  size_t bytes);

#endif
