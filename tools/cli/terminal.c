/* Decodes and escapes text (terminal.h). */
#include "tools/cli/terminal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 8192
#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

long text_next(const char **text)
{
    /* The smallest code point of each length refuses longer encodings of the same character. */
    static const long smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)*text;
    int length = s[0] < 0x80 ? 1 : s[0] >= 0xf0 && s[0] < 0xf8 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc0 ? 2 : 0;
    ++*text;
    if (length == 1) {
        return s[0];
    }
    if (length == 0 || s[0] >= 0xf8) {
        return -1;
    }
    long point = s[0] & (0x7f >> length);
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return -1;
        }
        point = point << 6 | (s[i] & 0x3f);
    }
    if (point < smallest[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
        return -1;
    }
    *text += length - 1;
    return point;
}

/* Control characters, ends of lines and paragraphs, and marks and overrides of the direction of writing. */
static bool is_unsafe(long point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x61c || point == 0x200e ||
           point == 0x200f || (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

const char *terminal_text(const char *text, char *safe, size_t bytes)
{
    size_t used = 0;
    while (*text != '\0') {
        const char *begin = text;
        long point = text_next(&text);
        char escaped[16];
        if (!is_unsafe(point)) {
            size_t length = (size_t)(text - begin);
            memcpy(escaped, begin, length);
            escaped[length] = '\0';
        } else {
            bool byte = point < 0x80;
            snprintf(escaped, sizeof escaped, byte ? "\\x%02lx" : "\\u%04lx",
                     byte ? (unsigned long)(unsigned char)*begin : (unsigned long)point);
        }
        size_t length = strlen(escaped);
        if (used + length + (*text != '\0' ? 4 : 1) > bytes) {
            snprintf(safe + used, bytes - used, "...");
            return safe;
        }
        memcpy(safe + used, escaped, length);
        used += length;
    }
    safe[used] = '\0';
    return safe;
}

void terminal_error(const char *format, ...)
{
    char line[LINE_BYTES], safe[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "drystone: %s\n", terminal_text(line, safe, sizeof safe));
}

void json_print_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    while (*text != '\0') {
        long point = text_next(&text);
        if (point == '"' || point == '\\') {
            fprintf(stream, "\\%c", (int)point);
        } else if (point >= 0x20 && point < 0x7f) {
            fputc((int)point, stream);
        } else if (point >= 0x10000) { /* two halves of UTF-16 */
            fprintf(stream, "\\u%04lx\\u%04lx", (unsigned long)(0xd7c0 + (point >> 10)),
                    (unsigned long)(0xdc00 + (point & 0x3ff)));
        } else {
            fprintf(stream, "\\u%04lx", point < 0 ? 0xfffdul : (unsigned long)point);
        }
    }
    fputc('"', stream);
}

char *text_to_utf8(const char *text)
{
    char *copy = malloc(strlen(text) * strlen(REPLACEMENT) + 1), *end = copy;
    while (copy != NULL && *text != '\0') {
        const char *begin = text;
        bool valid = text_next(&text) >= 0;
        size_t length = valid ? (size_t)(text - begin) : strlen(REPLACEMENT);
        memcpy(end, valid ? begin : REPLACEMENT, length);
        end += length;
    }
    if (copy != NULL) {
        *end = '\0';
    }
    return copy;
}
