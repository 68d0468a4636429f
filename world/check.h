/* Reports of failed calls, and argument checks that several calls share. */
#ifndef WORLD_CHECK_H
#define WORLD_CHECK_H

#include "core/compiler.h"
#include "state/geometry.h"

#include <drystone/body.h>
#include <drystone/joint.h>
#include <drystone/shape.h>
#include <drystone/world.h>

/* Tells why a call fails, as dry_fail does; `world` may be null. */
dry_result dry_world_fail(const dry_world *world, dry_result result, const char *format, ...)
    DRY_PRINTF(3, 4);

/* Tells that an argument of the call `name` is wrong, as the text says. Returns ARGUMENT. */
dry_result dry_refuse(const dry_world *world, const char *name, const char *text);
/* Tells that the call `name` lacks memory. Returns MEMORY. */
dry_result dry_lacks_memory(const dry_world *world, const char *name);

/* Checks that there is a world, and that no step is under way, for a call that only reads. `name` is the
 * call. Returns the result of the call that is refused, and DRY_OK for one that is not. */
dry_result dry_check_read(const dry_world *world, const char *name);
/* Checks that there is a world, and that it is not stepping or writing to a sink on this thread; likewise. */
dry_result dry_check_world(const dry_world *world, const char *name);
/* Returns from a call that is refused, with its result. */
#define DRY_RETURN_REFUSAL(check)                                                                            \
    do {                                                                                                     \
        const dry_result refused = (check);                                                                  \
        if (refused != DRY_OK)                                                                               \
            return refused;                                                                                  \
    } while (0)
/* Says that a call which only reads the world begins or ends to hand bytes to a sink. Calls of the sink into
 * the world are refused meanwhile; other threads may read it. */
void dry_writes_to_sink(const dry_world *world, bool writes);
/* Notes that a call may change any row. */
void dry_note_change(dry_world *world);
/* Checks the same for a call that may change something, which it notes. */
dry_result dry_check_change(dry_world *world, const char *name);
/* Checks the same for a call on many bodies, and that every id names a body. */
dry_result dry_check_bodies(const dry_world *world, const char *name, int count, const dry_body_id *ids);
bool dry_finite3(dry_vec3 v, float limit);
static inline bool dry_finite_position(dry_position p)
{
    return p.x >= -1e9 && p.x <= 1e9 && p.y >= -1e9 && p.y <= 1e9 && p.z >= -1e9 && p.z <= 1e9;
}
/* Returns what is wrong with a pose and a velocity, of which either may be null; null if nothing is. */
const char *dry_motion_error(const dry_pose *pose, const dry_velocity *velocity);
/* Room for a message that names an element. */
typedef struct dry_fault {
    char text[192];
} dry_fault;
/* Returns what is wrong with a shape's definition for a body of this type, in words; null if nothing is. */
const char *dry_shape_def_error(const dry_settings *settings, const dry_shape_def *def,
                                dry_body_type body_type, dry_fault *fault);
/* The same for all but its surface, for a shape that has a number of materials. */
const char *dry_shape_form_error(const dry_shape_def *def, dry_body_type body_type, int materials,
                                 dry_fault *fault);
/* Returns why a body of this type can have no shape of that type; null if it can. */
const char *dry_body_type_error(const dry_geometry *shape, dry_body_type body_type);
/* Returns what is wrong with one material; null if nothing is. */
const char *dry_material_error(const dry_settings *settings, const dry_material *def);
/* Returns what is wrong with the materials of a shape, with the index; null if nothing is. `data` may be
 * null.
 */
enum { DRY_MATERIALS_MAX = 1 << 16 };
const char *dry_materials_error(const dry_settings *settings, const dry_material *materials, int count,
                                const dry_shape_data *data, dry_fault *fault);

/* Returns the slot that an id names. Below 0 are refusals, of which the log has been told the reason: this
 * function's and those of the functions below that return a slot or a row. */
int dry_find_body(const dry_world *world, dry_body_id id, const char *name);
int dry_find_joint(const dry_world *world, dry_joint_id id, const char *name);
/* Returns the result of the call that is refused so; DRY_OK for a slot or a row. */
static inline dry_result dry_refusal(int found)
{
    return found < 0 ? (dry_result)-found : DRY_OK;
}

/* Returns the row of a body, or the slot of a shape or joint, that a call reads into `out`; or a refusal. */
int dry_row_to_read(const dry_world *world, dry_body_id id, const void *out, const char *name);
int dry_shape_to_read(const dry_world *world, dry_shape_id id, const void *out, const char *name);
int dry_joint_to_read(const dry_world *world, dry_joint_id id, const void *out, const char *name);
/* Defines a public call that reads one value: what the expression behind the type says of `world` and of
 * `at`, the row or slot that `find`, one of the functions above, returns. */
#define DRY_READ_CALL(call, find, id_type, type, ...)                                                        \
    dry_result call(const dry_world *world, id_type id, type *out)                                           \
    {                                                                                                        \
        const int at = find(world, id, out, #call);                                                          \
        DRY_RETURN_REFUSAL(dry_refusal(at));                                                                 \
        *out = __VA_ARGS__;                                                                                  \
        return DRY_OK;                                                                                       \
    }

/* Notes that a call changes the row of a body, and what waking it changes, and nothing else. */
void dry_note_body_change(dry_world *world, int slot);
/* Returns the slot that a call changes; or a refusal. */
int dry_body_to_change(dry_world *world, dry_body_id id, const char *name);
int dry_shape_to_change(dry_world *world, dry_shape_id id, const char *name);
int dry_joint_to_change(dry_world *world, dry_joint_id id, const char *name);

#endif
