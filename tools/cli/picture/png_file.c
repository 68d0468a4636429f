/* Writes an image as PNG, through libpng (png_file.h). */
#include "tools/cli/picture/png_file.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

typedef struct png_output {
    image_take *take;
    void *user;
    char *fault;
    size_t fault_bytes;
} png_output;

static void ignore_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void fail_png(png_structp png, png_const_charp text)
{
    png_output *output = png_get_error_ptr(png);
    snprintf(output->fault, output->fault_bytes, "%s", text);
    png_longjmp(png, 1);
}

static void write_bytes(png_structp png, png_bytep bytes, size_t count)
{
    png_output *output = png_get_io_ptr(png);
    errno = 0;
    if (!output->take(output->user, bytes, count)) {
        png_error(png, errno != 0 ? strerror(errno) : "an earlier write failed");
    }
}

static void flush_bytes(png_structp png)
{
    (void)png; /* the stream is flushed by its owner */
}

bool png_file_write(const picture_image *image, image_take *take, void *user, char *fault, size_t fault_bytes)
{
    png_output output = {take, user, fault, fault_bytes};
    snprintf(fault, fault_bytes, "out of memory");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &output, fail_png, ignore_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL || setjmp(png_jmpbuf(png)) != 0) {
        int reason = errno;
        png_destroy_write_struct(&png, &info);
        errno = reason;
        return false;
    }
    png_set_write_fn(png, &output, write_bytes, flush_bytes);
    png_set_compression_level(png, image->level);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 image->palette != NULL ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    if (image->palette != NULL) {
        png_color colors[256];
        png_byte alpha[256];
        for (int i = 0; i < image->colors; i++) {
            const unsigned char *c = image->palette + 3 * (size_t)i;
            colors[i] = (png_color){c[0], c[1], c[2]};
            alpha[i] = i + 1 < image->colors ? 255 : 0;
        }
        png_set_PLTE(png, info, colors, image->colors);
        png_set_tRNS(png, info, alpha, image->colors, NULL);
    }
    png_write_info(png, info);
    for (int y = 0; y < image->height; y++) {
        png_write_row(png, image->pixels + (size_t)y * image->stride);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}
