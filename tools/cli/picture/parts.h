/* Declares what the files of the picture share.
 *
 * picture.c gathers the solids -> camera.c frames them -> tint.c tints them -> light.c computes sun and sky
 * at each sample -> shade.c makes pixels -> text.c writes the caption. crew.c shares the work among threads;
 * the pixels do not depend on their number. All positions are relative to `center`, so that scenes far from
 * the world's origin lose no digits. */
#ifndef TOOLS_CLI_PICTURE_PARTS_H
#define TOOLS_CLI_PICTURE_PARTS_H

#include "tools/cli/picture/canvas.h"
#include "tools/cli/picture/picture.h"
#include "tools/cli/picture/raster.h"

#define PICTURE_SAMPLES 2 /* per pixel and direction */
#define PICTURE_GLASS_MAX 16

/* The cost and the form of a picture: a still, or a frame of a film. */
typedef struct picture_style {
    int width, height; /* pixels */
    int caption;       /* rows of pixels at the bottom */
    int text_scale;    /* pixels of a dot of the font */
    int suns, sun_map; /* lights, and pixels along a side of their shadow maps */
    int skies, sky_map;
    bool fast; /* shades a pixel once whose samples see one face, and adds no noise to the sky */
} picture_style;

typedef struct color {
    float r, g, b; /* linear light */
} color;

typedef enum picture_role { ROLE_DYNAMIC, ROLE_KINEMATIC, ROLE_STATIC, ROLE_BACKDROP } picture_role;

typedef struct picture_bounds {
    vec low, high; /* of the framed bodies, in the frame's axes */
    vec center;
    double radius;
    double typical; /* median radius of the framed bodies' bounding balls */
} picture_bounds;

struct picture_camera {
    bool placed; /* false until the first frame */
    dry_position center;
    picture_bounds bounds;
    raster_view view;
    double scale_top; /* end of the tint's scale */
    bool *glass;      /* of every solid */
};

typedef struct picture_scene {
    const picture_request *request;
    const picture_style *style;
    picture_camera *camera; /* null for a still, which is framed by itself */
    dry_pose *poses;        /* of every body */
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
    float *sun, *sky;     /* per sample: visible share of the sun, received share of the sky's light */
    signed char *normals; /* per sample: three; 127 stands for 1 */
    vec sun_direction;    /* towards the sun */
} picture_light;

color color_from_srgb(int r, int g, int b);
color color_mix(color a, color b, double share);
color color_scale(color a, double s);
float color_to_srgb(float linear); /* 0 to 1 */

bool picture_set_tints(picture_scene *scene, picture_legend *legend);

/* Chooses the bodies to frame and places the viewer so that they fill the picture. */
bool picture_frame(picture_scene *scene);
/* Tells whether a solid is a floor: wider than the scene, and below it. A floor throws no shadow and never
 * becomes glass. */
bool picture_is_floor(const picture_scene *scene, int index);
/* Draws the visible solids into `samples` and chooses the walls that become glass. */
bool picture_draw(picture_scene *scene, raster *samples);

bool picture_light_samples(picture_scene *scene, const raster *samples, picture_light *light);

/* Returns the outward normal of a solid at a point of its surface, and the distance to the next edge of a
 * box, a cylinder or a hull. */
vec picture_normal(const solid *s, vec point, double *edge);

void picture_shade(const picture_scene *scene, const raster *samples, const picture_light *light,
                   unsigned char *rgb);

/* Computes PICTURE_SWATCHES colors of the legend's tints in sun and shadow, three bytes each. */
void picture_make_swatches(const picture_legend *legend, unsigned char *rgb);

/* Calls work(user, i) for each i below `count`, on up to `threads` threads, this one included. */
void picture_crew(int threads, int count, void (*work)(void *user, int i), void *user);

void picture_write_caption(const picture_scene *scene, const picture_legend *legend, unsigned char *rgb);

#endif
