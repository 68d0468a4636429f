/* Text that comes from a file, a path or an option, made safe: for a terminal, which obeys control
 * characters, and for JSON, which is UTF-8. */
#ifndef TOOLS_CLI_TERMINAL_H
#define TOOLS_CLI_TERMINAL_H

#include "core/compiler.h"

#include <stddef.h>
#include <stdio.h>

/* Reads the character at *text and moves *text past it. Returns its code point, or -1 for a byte that is not
 * part of valid UTF-8. */
long text_next(const char **text);

/* Copies text into `safe` and returns `safe`. Control characters, marks that change the direction of writing
 * and bytes that are not UTF-8 become \xNN or \uNNNN. Text without room ends in three dots. */
const char *terminal_text(const char *text, char *safe, size_t bytes);

/* Prints "drystone: " and the formatted text, made safe, as one line on standard error. */
void terminal_error(const char *format, ...)
#if defined(__GNUC__)
    DRY_PRINTF(1, 2)
#endif
        ;

/* Writes a JSON string of ASCII characters; a byte that is not UTF-8 becomes U+FFFD. */
void json_print_text(FILE *stream, const char *text);

/* Returns a copy from malloc in which U+FFFD replaces each byte that is not UTF-8; null if there is no
 * memory. */
char *text_to_utf8(const char *text);

#endif
