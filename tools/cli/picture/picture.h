/* Draws a shaded picture of a world in software. */
#ifndef TOOLS_CLI_PICTURE_PICTURE_H
#define TOOLS_CLI_PICTURE_PICTURE_H

#include "tools/scenes/scenes.h"
#include <drystone/drystone.h>
#include <stdio.h>

/* The property of a body that its tint shows. */
typedef enum picture_tint {
    PICTURE_SPEED = 0,
    PICTURE_ISLAND, /* bodies joined by contacts and joints share a tint */
    PICTURE_COLOR,  /* touching bodies differ */
    PICTURE_DEPTH,  /* deepest overlap of a body's contacts */
    PICTURE_TIER,   /* substep tier of a body's island */
    PICTURE_REASON, /* why the island has that tier */
    PICTURE_TINT_COUNT
} picture_tint;

/* Returns "speed", "island", "color", "depth", "tier" or "reason"; null if out of range. */
const char *picture_tint_name(int tint);

typedef struct picture_request {
    const dry_scene *scene;
    const dry_world *world;
    const dry_body_id *ids; /* the array that dry_scene_build filled */
    picture_tint tint;
    int steps;
    double time_s;
    int threads; /* that draw */
} picture_request;

/* The sizes of a still and of a frame of a film, pixels. */
#define PICTURE_WIDTH 1600
#define PICTURE_HEIGHT 1000
#define FILM_WIDTH 640
#define FILM_HEIGHT 400

/* Writes a still as PNG. Returns false with a one-line message if memory or the stream fails. */
bool picture_write(FILE *stream, const picture_request *request, char *error, size_t error_bytes);

/* Writes an image of three bytes a pixel as PNG. Fails as picture_write does. */
bool picture_png(FILE *stream, const unsigned char *rgb, int width, int height, char *error,
                 size_t error_bytes);

/* A camera that a film keeps: its first frame places it. */
typedef struct picture_camera picture_camera;
picture_camera *picture_camera_create(void); /* Returns null if there is no memory. */
void picture_camera_destroy(picture_camera *camera);

/* Colors of tinted bodies in sun and shadow, for a palette made before they appear. */
#define PICTURE_SWATCHES (32 * 12)

/* Draws a frame of a film, FILM_WIDTH x FILM_HEIGHT pixels of three bytes, and the swatches, three bytes
 * each. Returns false with a one-line message. */
bool picture_film(picture_camera *camera, const picture_request *request, unsigned char *rgb,
                  unsigned char *swatches, char *error, size_t error_bytes);

#endif
