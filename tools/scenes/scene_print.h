/* Prints the values of a scene file, whose numbers read back exactly. */
#ifndef TOOLS_SCENES_SCENE_PRINT_H
#define TOOLS_SCENES_SCENE_PRINT_H

#include "tools/scenes/scenes.h"

void dry_print_float(FILE *file, float x);
void dry_print_double(FILE *file, double x);
void dry_print_text(FILE *file, const char *text);

/* Each prints a comma, a key and a value. */
void dry_print_number(FILE *file, const char *key, float x);
void dry_print_floats(FILE *file, const char *key, const float *x, int count);
void dry_print_vector(FILE *file, const char *key, dry_vec3 v);
void dry_print_rotation(FILE *file, const char *key, dry_quat q);
void dry_print_place(FILE *file, const char *key, dry_position p);

/* Prints the coefficients or the materials of a shape (scene_materials.c). */
void dry_print_surface(FILE *file, const dry_shape_def *shape);
/* Prints a shape (scene_write_shapes.c). */
void dry_print_shape(FILE *file, const dry_scene *scene, const dry_shape_def *shape);

#endif
