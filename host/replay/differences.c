/* Differences between a replay and its recording: finds the first, and says it in words. */
#include "host/replay/replay.h"

#include "world/state_tables.h"
#include "world/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A unit whose sums differ, and the row that explains it, if one does. */
typedef struct unit_difference {
    int column, unit; /* unit is -1 where nothing differs */
    dry_sum_difference row;
} unit_difference;

static int column_of(const dry_sum_units *units, int unit)
{
    int column = 0;
    while (unit >= units->layout[column].end)
        column++;
    return column;
}

/* Finds the first column that differs; in it the first unit that one row explains, or else the first. */
static unit_difference find_unit(const dry_replay *r, const dry_column_rows *rows)
{
    unit_difference first = {.unit = -1};
    for (int i = 0; i < r->recorded; i++) {
        const int unit = r->unit_of[i];
        if (unit < 0 || r->there[i] == r->here[unit])
            continue;
        const int column = column_of(&r->units, unit);
        if (first.unit >= 0 && column != first.column)
            break;
        const dry_sum_difference row =
            dry_sum_find_row(&r->units, column, unit, &rows[column], r->here[unit], r->there[i]);
        if (first.unit < 0 || row.row >= 0)
            first = (unit_difference){column, unit, row};
        if (row.row >= 0)
            break;
    }
    return first;
}

/* Names the thing that has a row of a column. */
static void name_thing(dry_difference *d, const dry_world *world, const dry_column_rows *rows, int row)
{
    if (rows->bodies) {
        d->body = dry_body_id_of(world, rows->bodies[row].slot);
    } else if (rows->points) {
        d->body = dry_body_id_of(world, rows->points[row].body_a);
        d->body_b = dry_body_id_of(world, rows->points[row].body_b);
    } else if (rows->slots == &world->shapes.slots) {
        d->shape = dry_shape_id_of(world, row);
    } else if (rows->slots == &world->joints.slots) {
        d->joint = (dry_joint_id){dry_slots_id(&world->joints.slots, row)};
    }
}

/* Writes what a unit is and was. */
static void describe_values(const dry_field *field, const dry_sum_difference *row, char *text, size_t bytes)
{
    static const char *const of_floats[] = {"float", "dry_vec3", "dry_quat"};
    for (size_t i = 0; i < sizeof of_floats / sizeof *of_floats; i++)
        if (strcmp(field->type, of_floats[i]) == 0) {
            float here, there;
            memcpy(&here, &row->here, sizeof here);
            memcpy(&there, &row->there, sizeof there);
            snprintf(text, bytes, " is %.9g, was recorded as %.9g", (double)here, (double)there);
            return;
        }
    snprintf(text, bytes, " is 0x%" PRIx32 ", was recorded as 0x%" PRIx32, row->here, row->there);
}

bool dry_replay_compare_sums(dry_replay *r, dry_difference_kind kind)
{
    dry_difference *d = &r->report.difference;
    const dry_tables state = dry_world_state(r->world);
    dry_column_rows rows[DRY_COLUMN_COUNT];
    char values[96] = " differs";
    dry_find_column_rows(&state, rows);
    const unit_difference first = find_unit(r, rows);
    if (first.unit < 0)
        return false;
    const dry_field *field = &dry_columns[first.column].fields[r->units.unit[first.unit].field];
    d->kind = d->kind == DRY_DIFFERENCE_NONE ? kind : d->kind;
    d->column = dry_columns[first.column].id;
    d->field = field->name;
    if (first.row.row >= 0) {
        name_thing(d, r->world, &rows[first.column], first.row.row);
        describe_values(field, &first.row, values, sizeof values);
    }
    dry_replay_describe(r, values);
    return true;
}

static void add(char **at, size_t *left, const char *what, uint64_t id)
{
    const int used = id != 0 ? snprintf(*at, *left, ", %s %016" PRIx64, what, id) : 0;
    *at += used;
    *left -= (size_t)used;
}

void dry_replay_describe(dry_replay *r, const char *what)
{
    dry_difference *d = &r->report.difference;
    char things[128] = "", *at = things;
    size_t left = sizeof things;
    add(&at, &left, "body", d->body.bits);
    add(&at, &left, "body", d->body_b.bits);
    add(&at, &left, "shape", d->shape.bits);
    add(&at, &left, "joint", d->joint.bits);
    char call[80] = "";
    if (d->call > 0)
        snprintf(call, sizeof call, ", call %" PRIu64 " (%s)", d->call, d->name);
    snprintf(d->text, sizeof d->text, "step %" PRIu64 "%s%s%s%s:%s%s%s%s%s", d->step,
             d->stage ? ", stage " : "", d->stage ? d->stage : "", call, things, d->column ? " " : "",
             d->column ? d->column : "", d->column ? "." : "", d->field ? d->field : "", what);
}
