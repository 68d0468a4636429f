/* Labels of charts: how wide they are, and where a line of them ends. */
#ifndef TOOLS_LAB_LABELS_H
#define TOOLS_LAB_LABELS_H

#include <stdio.h>

/* Returns the width of text in DejaVu Sans, pixels. Arial, Helvetica and Liberation
 * Sans are narrower, so that text fits in each of them. */
double lab_text_width(const char *text, int length, double size);

/* Returns the bytes of the first line of text, at most `most` pixels wide: up to a space if there is one. One
 * byte at least, unless the text is empty. */
int lab_line_length(const char *text, double size, double most);

/* Returns the lines that text takes, and the largest width of one. */
int lab_line_count(const char *text, double size, double most, double *width);

/* Writes text for XML. */
void lab_write_escaped(FILE *stream, const char *text, int length);

#endif
