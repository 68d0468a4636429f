/* What the files of the picture share.
 *
 * picture.c gathers the solids -> picture_tint.c colours them -> picture_camera.c frames them ->
 * picture_light.c finds how much sun and sky reaches each sample -> picture_shade.c makes pixels ->
 * picture_text.c writes the caption. All lengths are relative to `center`, so that far from the world's
 * origin nothing is lost. */
#ifndef CLI_PICTURE_PARTS_H
#define CLI_PICTURE_PARTS_H

#include "cli/picture/picture.h"
#include "cli/picture/raster.h"

#define PICTURE_WIDTH 1600
#define PICTURE_HEIGHT 1000
#define PICTURE_CAPTION 44 /* rows at the bottom */
#define PICTURE_SAMPLES 2  /* per pixel, each way */
#define PICTURE_GLASS_MAX 16

typedef struct color {
    float r, g, b; /* linear light */
} color;

typedef enum picture_role { ROLE_DYNAMIC, ROLE_KINEMATIC, ROLE_STATIC, ROLE_BACKDROP } picture_role;

typedef struct picture_bounds {
    vec low, high; /* of the bodies that matter, in the frame's axes */
    vec center;
    double radius;
} picture_bounds;

typedef struct picture_scene {
    const picture_request *request;
    dry_pose *poses; /* of every body */
    dry_velocity *velocities;
    color *tints;        /* of every body */
    solid *solids;       /* of every shape */
    picture_role *roles; /* of every solid */
    bool *glass;         /* of every solid: a wall that would hide bodies */
    int count;
    dry_position center; /* where the local origin is */
    vec up, east, south; /* a right-handed frame: east x up = south, from which the viewer looks */
    picture_bounds bounds;
    raster_view view; /* of the samples */
    int glass_list[PICTURE_GLASS_MAX];
    int glass_count;
} picture_scene;

/* A legend of the tint, for the caption. */
typedef struct picture_legend {
    char title[48];
    char low[24], high[24]; /* ends of the scale; empty where there is none */
    int stop_count;
    color stops[32];
} picture_legend;

typedef struct picture_light {
    float *sun, *sky;  /* per sample: share of the sun seen, of the sky's light received */
    vec sun_direction; /* towards it */
} picture_light;

color color_from_srgb(int r, int g, int b);
color color_mix(color a, color b, double share);
color color_scale(color a, double s);
float color_to_srgb(float linear); /* 0 to 1 */

bool picture_set_tints(picture_scene *scene, picture_legend *legend);

/* Finds the bodies that matter and puts the viewer where they fill the picture. */
bool picture_frame(picture_scene *scene);
/* Draws what is seen into `samples` and finds the walls that must be glass. */
bool picture_draw(picture_scene *scene, raster *samples);

bool picture_light_samples(picture_scene *scene, const raster *samples, picture_light *light);

/* The surface of a solid at a point on it: outward normal, and how far the next edge is (a box's). */
vec picture_normal(const solid *s, vec point, double *edge);

void picture_shade(const picture_scene *scene, const raster *samples, const picture_light *light,
                   unsigned char *rgb);

void picture_write_caption(const picture_scene *scene, const picture_legend *legend, unsigned char *rgb);

#endif
