/* Labels of charts (labels.h). */
#include "tools/lab/labels.h"

#include <math.h>
#include <string.h>

/* Advances of the characters from space to tilde, thousandths of the font's size. */
static const short advances[] = {
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361,  318, 337, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 531, 1000, 685, 687, 699, 771, 632,
    576, 775, 752, 295, 295, 656, 558, 863, 749, 788, 604, 788, 695, 635,  611, 732, 685, 989, 686,
    611, 686, 391, 337, 391, 838, 500, 500, 613, 635, 550, 635, 616, 353,  635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592,  525, 637, 337, 637, 838,
};

double lab_text_width(const char *text, int length, double size)
{
    int sum = 0;
    for (int i = 0; i < length; i++)
        sum += text[i] >= ' ' && text[i] <= '~' ? advances[text[i] - ' '] : 1000;
    return sum * size / 1000.0;
}

int lab_line_length(const char *text, double size, double most)
{
    const int all = (int)strlen(text);
    int fits = 0, at_space = 0;
    while (fits < all && lab_text_width(text, fits + 1, size) <= most) {
        fits++;
        if (text[fits] == ' ')
            at_space = fits;
    }
    if (fits == all || (fits == 0 && all > 0))
        return fits == all ? all : 1;
    return at_space > 0 ? at_space : fits;
}

int lab_line_count(const char *text, double size, double most, double *width)
{
    int lines = 0;
    *width = 0.0;
    while (*text) {
        const int length = lab_line_length(text, size, most);
        *width = fmax(*width, lab_text_width(text, length, size));
        text += length;
        text += *text == ' ';
        lines++;
    }
    return lines;
}

void lab_write_escaped(FILE *stream, const char *text, int length)
{
    for (int i = 0; i < length; i++) {
        if (text[i] == '<')
            fputs("&lt;", stream);
        else if (text[i] == '>')
            fputs("&gt;", stream);
        else if (text[i] == '&')
            fputs("&amp;", stream);
        else
            fputc(text[i], stream);
    }
}
