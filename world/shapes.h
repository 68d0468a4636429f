/* Creation and removal of shapes in the columns, for calls that create and destroy shapes and bodies. */
#ifndef WORLD_SHAPES_H
#define WORLD_SHAPES_H

#include "core/bounds.h"

#include <drystone/shape.h>

/* Reserves room for `more` shapes wherever they will be listed. Returns false if memory fails. */
bool dry_shape_reserve(dry_world *world, int more);
/* The tables that have rare columns of shapes, in a world or in a save, and their memory. */
typedef struct dry_shape_tables {
    struct dry_bodies *bodies;
    struct dry_shapes *shapes;
    struct dry_contacts *contacts;
    struct dry_memory *memory;
} dry_shape_tables;

/* Creates the rare columns that a shape needs but for those of its materials. Room for the shape and its body
 * must be reserved. Returns false if memory fails. */
bool dry_shape_need_columns(const dry_shape_tables *t, const dry_shape_def *def);
/* Creates the rare columns that a shape needs: its pose, its filter, its events and its materials, where they
 * differ from the defaults, and with a pose its body's own frame. Room for the shape and its body must be
 * reserved. Returns false if memory fails. */
bool dry_shape_reserve_rare(dry_world *world, const dry_shape_def *def);
/* Returns how many materials a definition needs room for in the list of shapes that have several. */
static inline int dry_shape_listed_materials(const dry_shape_def *def)
{
    return def->material_count > 1 ? def->material_count : 0;
}
/* Reserves what a new filter needs. Returns false if memory fails. */
bool dry_shape_reserve_filter(dry_world *world, const dry_filter *filter);
/* Stores a shape's geometry, data, scale, pose and density, for which dry_shape_reserve_rare made room.
 * Neither mass nor broadphase knows it yet. */
void dry_shape_set_form(dry_world *world, int shape, const dry_shape_def *def);
/* Creates a shape and appends it to its body's list. Neither mass nor broadphase knows it yet. */
int dry_shape_add(dry_world *world, int body, const dry_shape_def *def);
/* Takes a detached shape off its body's list and releases its slot. */
void dry_shape_remove(dry_world *world, int shape);
/* Drops a shape's reference to its data. */
void dry_shape_release_data(dry_world *world, int shape);
/* Returns the number of a body's shapes. */
int dry_body_shape_count(const dry_world *world, int slot);

/* Takes up new heights within a box of a height field: `box` holds old and new ones, in the field's frame and
 * without the scale. Contacts near them are looked at anew, and bodies near them wake. */
void dry_shape_heights_changed(dry_world *world, int shape, const dry_box *box);

#endif
