/* Draws the caption: text, legend and scale bar on a dark strip. Reads scene and legend, writes pixels. All
 * lengths are in dots of the font. */
#include "tools/cli/picture/parts.h"
#include "tools/cli/report.h"

#define ADVANCE 6
#define MARGIN 10

static const byte_color ink = {236, 238, 240}, dim_ink = {168, 174, 180};

static void darken_strip(const canvas *c, int rows, bool flat)
{
    static const int tone[3] = {30, 35, 42};
    const size_t row = 3 * (size_t)c->width, end = row * (size_t)c->height;
    for (size_t i = end - row * (size_t)rows; i < end; i++) {
        c->rgb[i] = (unsigned char)(flat ? tone[i % 3] : (c->rgb[i] * 12 + tone[i % 3] * 88) / 100);
    }
}

/* Draws a bar of a round length, correct at the center of the scene; returns the bar's left end. */
static int draw_scale_bar(const picture_scene *scene, const canvas *c, int right, int y)
{
    const int dot = c->text_scale;
    const double longest = 100.0 * dot;
    double distance = vec_dot(vec_sub(scene->bounds.center, scene->view.origin), scene->view.forward);
    double pixels_per_m = 1.0 / (distance * vec_length(scene->view.dx) * PICTURE_SAMPLES);
    double length = pow(10.0, floor(log10(longest / pixels_per_m)));
    length *= 5.0 * length * pixels_per_m <= longest   ? 5.0
              : 2.0 * length * pixels_per_m <= longest ? 2.0
                                                       : 1.0;
    char label[32];
    if (length >= 1e3) {
        snprintf(label, sizeof label, "%g km", length / 1e3);
    } else if (length >= 1.0) {
        snprintf(label, sizeof label, "%g m", length);
    } else if (length >= 0.01) {
        snprintf(label, sizeof label, "%g cm", length * 100.0);
    } else {
        snprintf(label, sizeof label, "%g mm", length * 1e3);
    }
    int x = right - canvas_text_width(c, label);
    canvas_text(c, x, y, label, ink);
    int end = x - 5 * dot, begin = end - (int)(length * pixels_per_m + 0.5), middle = y + 7 * dot / 2;
    canvas_fill(c, begin, middle - dot / 2, end, middle - dot / 2 + dot, ink);
    canvas_fill(c, begin, middle - 3 * dot, begin + dot, middle + 3 * dot, ink);
    canvas_fill(c, end - dot, middle - 3 * dot, end, middle + 3 * dot, ink);
    return begin;
}

static byte_color to_bytes(color c)
{
    return (byte_color){(unsigned char)(color_to_srgb(c.r) * 255.0f),
                        (unsigned char)(color_to_srgb(c.g) * 255.0f),
                        (unsigned char)(color_to_srgb(c.b) * 255.0f)};
}

/* Draws the legend and returns its left end. */
static int draw_legend(const picture_legend *legend, const canvas *c, int right, int y)
{
    const int dot = c->text_scale;
    int x = right;
    if (legend->high[0] != '\0') {
        x -= canvas_text_width(c, legend->high);
        canvas_text(c, x, y, legend->high, ink);
        x -= 5 * dot;
    }
    bool scale = legend->low[0] != '\0';
    int width = (scale ? 3 : 6) * dot;
    x -= legend->stop_count * width;
    for (int i = 0; i < legend->stop_count; i++) {
        int gap = scale ? 0 : dot;
        color next = legend->stops[scale && i + 1 < legend->stop_count ? i + 1 : i];
        for (int k = 0; k < width - gap; k++) {
            color mixed = color_mix(legend->stops[i], next, (double)k / width);
            canvas_fill(c, x + i * width + k, y, x + i * width + k + 1, y + 7 * dot, to_bytes(mixed));
        }
    }
    if (scale) {
        x -= 5 * dot + canvas_text_width(c, legend->low);
        canvas_text(c, x, y, legend->low, ink);
    }
    x -= (legend->stop_count > 0 ? 7 * dot : 0) + canvas_text_width(c, legend->title);
    canvas_text(c, x, y, legend->title, dim_ink);
    return x;
}

/* Draws text where it fits, and returns the position after it and a gap. */
static int draw_if_it_fits(const canvas *c, int x, int y, const char *text, byte_color tone, int end)
{
    if (x + canvas_text_width(c, text) > end) {
        return x;
    }
    return canvas_text(c, x, y, text, tone) + 2 * ADVANCE * c->text_scale;
}

void picture_write_caption(const picture_scene *scene, const picture_legend *legend, unsigned char *rgb)
{
    const picture_request *request = scene->request;
    const picture_style *style = scene->style;
    const canvas c = {rgb, style->width, style->height, style->text_scale};
    const int gap = 2 * ADVANCE * c.text_scale, margin = MARGIN * c.text_scale;
    int dynamic = 0, y = style->height - style->caption / 2 - 7 * c.text_scale / 2;
    char name[41], text[128], number[32];
    for (int i = 0; i < request->scene->body_count; i++) {
        dynamic += request->scene->bodies[i].def.type == DRY_BODY_DYNAMIC;
    }
    darken_strip(&c, style->caption, style->fast);
    int left = draw_scale_bar(scene, &c, style->width - margin, y);
    const int end = draw_legend(legend, &c, left - 2 * gap, y) - gap;
    snprintf(name, sizeof name, "%s", request->scene->name);
    int x = draw_if_it_fits(&c, margin, y, name, ink, end);
    snprintf(text, sizeof text, "%s %s", report_count(dynamic, number, sizeof number),
             dynamic == 1 ? "body" : "bodies");
    x = draw_if_it_fits(&c, x, y, text, dim_ink, end);
    if (!style->fast) {
        snprintf(text, sizeof text, "step %s", report_count(request->steps, number, sizeof number));
        x = draw_if_it_fits(&c, x, y, text, dim_ink, end);
    }
    snprintf(text, sizeof text, style->fast ? "%.2f s" : "%.4g s", request->time_s);
    draw_if_it_fits(&c, x, y, text, dim_ink, end);
}
