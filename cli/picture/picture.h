/* Draws a shaded picture of a world in software. */
#ifndef CLI_PICTURE_PICTURE_H
#define CLI_PICTURE_PICTURE_H

#include "scenes/scenes.h"
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
} picture_request;

/* Writes a PNG of 1600 x 1000 pixels. Returns false with a one-line message if memory or the stream fails. */
bool picture_write(FILE *stream, const picture_request *request, char *error, size_t error_bytes);

#endif
