/* Writes an animated PNG (apng.h). libpng compresses each frame as a PNG of its own, whose chunks are taken
 * apart: the first frame's go into the file as they are, and of the others their data as fdAT.
 *
 * A frame is the rectangle that differs from the one before; in it, a pixel that is the same is transparent.
 * A pixel whose color differs by less than LOOKS_SAME stays as it is: light that moves far away changes
 * thousands of them by a level or two. */
#include "tools/cli/picture/apng.h"

#include "tools/cli/picture/png_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOOKS_SAME 6 /* levels of 256, in each channel */

typedef struct rectangle {
    int x, y, width, height;
} rectangle;

static bool write_failed(apng *a)
{
    snprintf(a->fault, sizeof a->fault, "%s", errno != 0 ? strerror(errno) : "an earlier write failed");
    return false;
}

static void put32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (unsigned char)(value >> (24 - 8 * i));
    }
}

static uint32_t get32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The CRC of PNG, bit by bit over a table of half bytes. */
static uint32_t crc(uint32_t sum, const unsigned char *bytes, size_t count)
{
    static const uint32_t half[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                      0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                      0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    for (size_t i = 0; i < count; i++) {
        sum ^= bytes[i];
        sum = half[sum & 15] ^ sum >> 4;
        sum = half[sum & 15] ^ sum >> 4;
    }
    return sum;
}

/* Writes a chunk whose data are two parts; the first has at most 32 bytes. */
static bool put_chunk(apng *a, const char *type, const unsigned char *first, size_t first_count,
                      const unsigned char *second, size_t second_count)
{
    unsigned char head[40], tail[4];
    put32(head, (uint32_t)(first_count + second_count));
    memcpy(head + 4, type, 4);
    memcpy(head + 8, first, first_count);
    put32(tail, ~crc(crc(0xffffffffu, head + 4, 4 + first_count), second, second_count));
    errno = 0;
    return (fwrite(head, 1, 8 + first_count, a->stream) == 8 + first_count &&
            fwrite(second, 1, second_count, a->stream) == second_count &&
            fwrite(tail, 1, 4, a->stream) == 4) ||
           write_failed(a);
}

static bool put_frame_count(apng *a, uint32_t frames)
{
    unsigned char data[8];
    put32(data, frames);
    put32(data + 4, 0); /* repeats for ever */
    return put_chunk(a, "acTL", data, 8, data, 0);
}

static bool put_control(apng *a, rectangle r)
{
    unsigned char data[26];
    uint32_t per_second = 10000;
    while (a->delay_s * per_second > 65535.0 && per_second > 1) {
        per_second /= 10;
    }
    put32(data, a->sequence++);
    put32(data + 4, (uint32_t)r.width);
    put32(data + 8, (uint32_t)r.height);
    put32(data + 12, (uint32_t)r.x);
    put32(data + 16, (uint32_t)r.y);
    put32(data + 20, (uint32_t)(a->delay_s * per_second + 0.5) << 16 | per_second);
    data[24] = 0; /* leaves what is drawn */
    data[25] = a->frames > 0;
    return put_chunk(a, "fcTL", data, 26, data, 0);
}

static bool take(void *user, const void *bytes, size_t count)
{
    apng *a = user;
    if (a->size + count > a->capacity) {
        const size_t capacity = 2 * (a->size + count);
        unsigned char *more = realloc(a->bytes, capacity);
        if (more == NULL) {
            return false;
        }
        a->bytes = more;
        a->capacity = capacity;
    }
    memcpy(a->bytes + a->size, bytes, count);
    a->size += count;
    return true;
}

/* Writes the chunks of a frame's PNG. The first frame's are those of the film. */
static bool put_chunks(apng *a, rectangle r)
{
    const unsigned char *end = a->bytes + a->size;
    bool good = a->frames > 0 || fwrite(a->bytes, 1, 8, a->stream) == 8 || write_failed(a);
    for (const unsigned char *at = a->bytes + 8; good && at < end; at += 12 + get32(at)) {
        const size_t length = get32(at);
        const bool data = memcmp(at + 4, "IDAT", 4) == 0, last = memcmp(at + 4, "IEND", 4) == 0;
        if (a->frames > 0 && data) {
            unsigned char sequence[4];
            put32(sequence, a->sequence++);
            good = put_chunk(a, "fdAT", sequence, 4, at + 8, length);
        } else if (a->frames == 0 && !last) {
            good = (!data || a->sequence > 0 || put_control(a, r)) &&
                   put_chunk(a, (const char *)at + 4, at, 0, at + 8, length);
            if (good && memcmp(at + 4, "IHDR", 4) == 0) {
                a->frames_at = ftell(a->stream);
                good = put_frame_count(a, a->frames_expected);
            }
        }
    }
    return good;
}

bool apng_begin(apng *a, FILE *stream, int width, int height, palette *colors, double delay_s,
                uint32_t frames_expected)
{
    const size_t pixels = (size_t)width * (size_t)height;
    *a = (apng){.stream = stream,
                .width = width,
                .height = height,
                .colors = colors,
                .delay_s = delay_s,
                .frames_expected = frames_expected,
                .shown = malloc(pixels),
                .part = malloc(pixels)};
    return a->shown != NULL && a->part != NULL;
}

/* Tells whether a pixel may keep the color of an index. */
static bool looks_same(const apng *a, int index, const unsigned char *rgb)
{
    const unsigned char *c = a->colors->rgb + 3 * index;
    return abs(c[0] - rgb[0]) < LOOKS_SAME && abs(c[1] - rgb[1]) < LOOKS_SAME &&
           abs(c[2] - rgb[2]) < LOOKS_SAME;
}

/* Returns the index of a pixel's color. A pattern mixes the two colors nearest to it, so that the sky shows
 * no bands: the same in each frame, so that it does not move. */
static int nearest_index(apng *a, int x, int y, const unsigned char *rgb)
{
    static const signed char pattern[4][4] = {{-4, 0, -3, 1}, {2, -2, 3, -1}, {-3, 1, -4, 0}, {3, -1, 2, -2}};
    unsigned char mixed[3];
    for (int k = 0; k < 3; k++) {
        const int level = rgb[k] + pattern[y & 3][x & 3];
        mixed[k] = (unsigned char)(level < 0 ? 0 : level > 255 ? 255 : level);
    }
    return palette_nearest(a->colors, mixed);
}

/* Writes the indices of a frame, transparent where it looks the same, and returns where it differs. */
static rectangle index_pixels(apng *a, const unsigned char *rgb)
{
    int x0 = a->width, y0 = a->height, x1 = 0, y1 = 0;
    size_t i = 0;
    for (int y = 0; y < a->height; y++) {
        for (int x = 0; x < a->width; x++, i++, rgb += 3) {
            a->part[i] = (unsigned char)a->colors->count;
            if (a->frames > 0 && looks_same(a, a->shown[i], rgb)) {
                continue;
            }
            const unsigned char index = (unsigned char)nearest_index(a, x, y, rgb);
            if (a->frames > 0 && index == a->shown[i]) {
                continue;
            }
            a->part[i] = a->shown[i] = index;
            x0 = x < x0 ? x : x0;
            x1 = x >= x1 ? x + 1 : x1;
            y0 = y < y0 ? y : y0;
            y1 = y + 1;
        }
    }
    return x0 < x1 ? (rectangle){x0, y0, x1 - x0, y1 - y0} : (rectangle){0, 0, 1, 1};
}

bool apng_add(apng *a, const unsigned char *rgb)
{
    const rectangle r = index_pixels(a, rgb);
    const picture_image image = {.width = r.width,
                                 .height = r.height,
                                 .stride = (size_t)a->width,
                                 .pixels = a->part + (size_t)r.y * (size_t)a->width + (size_t)r.x,
                                 .palette = a->colors->rgb,
                                 .colors = a->colors->count + 1,
                                 .level = 9};
    a->size = 0;
    errno = 0;
    if (!png_file_write(&image, take, a, a->fault, sizeof a->fault) ||
        (a->frames > 0 && !put_control(a, r)) || !put_chunks(a, r)) {
        return false;
    }
    a->frames++;
    return true;
}

bool apng_end(apng *a)
{
    if (!put_chunk(a, "IEND", (const unsigned char *)"", 0, (const unsigned char *)"", 0)) {
        return false;
    }
    if (a->frames == a->frames_expected) {
        return true;
    }
    errno = 0;
    return (a->frames_at >= 0 && fseek(a->stream, a->frames_at, SEEK_SET) == 0 &&
            put_frame_count(a, a->frames) && fseek(a->stream, 0, SEEK_END) == 0) ||
           write_failed(a);
}

void apng_free(apng *a)
{
    free(a->shown);
    free(a->part);
    free(a->bytes);
    a->shown = a->part = a->bytes = NULL;
}
