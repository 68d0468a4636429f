/* Declares what the files of the picture share.
 *
 * picture.c gathers the solids -> tint.c tints them -> camera.c frames them -> light.c computes sun and sky
 * at each sample -> shade.c makes pixels -> text.c writes the caption. All positions are relative to
 * `center`, so that scenes far from the world's origin lose no digits. */
#ifndef CLI_PICTURE_PARTS_H
#define CLI_PICTURE_PARTS_H

#include "cli/picture/picture.h"
#include "cli/picture/raster.h"

#define PICTURE_WIDTH 1600
#define PICTURE_HEIGHT 1000
#define PICTURE_CAPTION 44 /* rows of pixels at the bottom */
#define PICTURE_SAMPLES 2  /* per pixel and direction */
#define PICTURE_GLASS_MAX 16

typedef struct color {
    float r, g, b; /* linear light */
} color;

typedef enum picture_role { ROLE_DYNAMIC, ROLE_KINEMATIC, ROLE_STATIC, ROLE_BACKDROP } picture_role;

typedef struct picture_bounds {
    vec low, high; /* of the framed bodies, in the frame's axes */
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
    bool *glass;         /* of every solid; true for a wall that would hide bodies */
    int count;
    dry_position center; /* position of the local origin in the world */
    vec up, east, south; /* a right-handed frame, east x up = south; the viewer is in the south */
    picture_bounds bounds;
    raster_view view; /* of the samples */
    int glass_list[PICTURE_GLASS_MAX];
    int glass_count;
} picture_scene;

/* The legend of the tint in the caption. */
typedef struct picture_legend {
    char title[48];
    char low[24], high[24]; /* labels of the scale's ends; empty without a scale */
    int stop_count;
    color stops[32];
} picture_legend;

typedef struct picture_light {
    float *sun, *sky;  /* per sample: visible share of the sun, received share of the sky's light */
    vec sun_direction; /* towards the sun */
} picture_light;

color color_from_srgb(int r, int g, int b);
color color_mix(color a, color b, double share);
color color_scale(color a, double s);
float color_to_srgb(float linear); /* 0 to 1 */

bool picture_set_tints(picture_scene *scene, picture_legend *legend);

/* Chooses the bodies to frame and places the viewer so that they fill the picture. */
bool picture_frame(picture_scene *scene);
/* Draws the visible solids into `samples` and chooses the walls that become glass. */
bool picture_draw(picture_scene *scene, raster *samples);

bool picture_light_samples(picture_scene *scene, const raster *samples, picture_light *light);

/* Returns the outward normal of a solid at a point of its surface, and the distance to the next edge of a
 * box, a cylinder or a hull. */
vec picture_normal(const solid *s, vec point, double *edge);

void picture_shade(const picture_scene *scene, const raster *samples, const picture_light *light,
                   unsigned char *rgb);

void picture_write_caption(const picture_scene *scene, const picture_legend *legend, unsigned char *rgb);

#endif
