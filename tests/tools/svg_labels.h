/* The labels of a chart as a reader sees them: boxes around each text of an SVG. */
#ifndef TESTS_TOOLS_SVG_LABELS_H
#define TESTS_TOOLS_SVG_LABELS_H

#include "tools/lab/labels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SVG_LABELS_MAX = 256 };

typedef struct svg_label {
    double left, right, top, bottom;
    char text[200];
} svg_label;

typedef struct svg_labels {
    double width, height;
    svg_label label[SVG_LABELS_MAX];
    int count;
} svg_labels;

/* Returns the number behind a name; `otherwise` if the name is not before `end`. */
static inline double svg_number(const char *from, const char *end, const char *name, double otherwise)
{
    const char *at = strstr(from, name);
    return at && at < end ? strtod(at + strlen(name), NULL) : otherwise;
}

/* Copies text without the escapes of XML. Returns its length. */
static inline int svg_unescape(const char *from, const char *end, char *to, int room)
{
    int length = 0;
    while (from < end && length + 1 < room) {
        to[length++] = strncmp(from, "&lt;", 4) == 0    ? '<'
                       : strncmp(from, "&gt;", 4) == 0  ? '>'
                       : strncmp(from, "&amp;", 5) == 0 ? '&'
                                                        : *from;
        from = *from == '&' ? strchr(from, ';') + 1 : from + 1;
    }
    to[length] = '\0';
    return length;
}

/* Reads the texts of a chart that lab_write_svg wrote. A group turns its texts by a quarter, upward. */
static inline void svg_read_labels(const char *svg, svg_labels *labels)
{
    char *next;
    labels->width = strtod(strstr(svg, "viewBox=\"0 0 ") + strlen("viewBox=\"0 0 "), &next);
    labels->height = strtod(next, NULL);
    labels->count = 0;
    const char *group = strstr(svg, "<g transform="), *group_end = group ? strstr(group, "</g>") : NULL;
    for (const char *at = strstr(svg, "<text "); at && labels->count < SVG_LABELS_MAX;
         at = strstr(at + 1, "<text ")) {
        svg_label *label = &labels->label[labels->count++];
        const char *begin = strchr(at, '>') + 1;
        const double size = svg_number(at, begin, "font-size=\"", 12.0);
        const int length =
            svg_unescape(begin, strstr(begin, "</text>"), label->text, (int)sizeof label->text);
        const double width = lab_text_width(label->text, length, size);
        double x = svg_number(at, begin, " x=\"", 0.0), y = svg_number(at, begin, " y=\"", 0.0);
        const char *anchor = strstr(at, "text-anchor=\"");
        if (anchor && anchor < begin)
            x -= strncmp(anchor + strlen("text-anchor=\""), "end", 3) == 0 ? width : 0.5 * width;
        *label =
            (svg_label){.left = x, .right = x + width, .top = y - 0.76 * size, .bottom = y + 0.24 * size};
        svg_unescape(begin, strstr(begin, "</text>"), label->text, (int)sizeof label->text);
        if (group && at > group && at < group_end) {
            const double gx = svg_number(group, group_end, "translate(", 0.0);
            const double gy = strtod(strchr(strstr(group, "translate("), ' '), NULL);
            const svg_label turned = *label;
            label->left = gx + turned.top, label->right = gx + turned.bottom;
            label->top = gy - turned.right, label->bottom = gy - turned.left;
        }
    }
}

/* Returns the first label that is cut off or covers another one; null if all fit. */
static inline const svg_label *svg_label_that_fails(const svg_labels *labels)
{
    for (int i = 0; i < labels->count; i++) {
        const svg_label *a = &labels->label[i];
        if (a->left < 0.0 || a->top < 0.0 || a->right > labels->width || a->bottom > labels->height)
            return a;
        for (int k = 0; k < i; k++) {
            const svg_label *b = &labels->label[k];
            if (a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom)
                return a;
        }
    }
    return NULL;
}

#endif
