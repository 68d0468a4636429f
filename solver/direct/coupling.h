/* Contacts and bounded axes of articulations: between the halves of a solve of joints, each is solved for
 * what all joints let it move [Tomcin 7].
 *
 * With A = L D L^T, a body's joint rows G_b and its whitened velocity u_b without the joints' impulses, let
 * x be what the rows' speeds lack, y = D^-1/2 L^-1 x and Y_b = D^-1/2 L^-1 G_b. Then the body's velocity with
 * the joints' impulses is u_b + Y_b^T y. An impulse f on it adds f to u_b and takes Y_b f from y. Y_b is
 * nonzero on one path of the elimination tree alone. */
#ifndef SOLVER_DIRECT_COUPLING_H
#define SOLVER_DIRECT_COUPLING_H

#include "core/memory.h"
#include "solver/data/constraint.h"
#include "solver/data/coupled.h"
#include "sparse/panel.h"

struct dry_linkage;
struct dry_solver_step;
struct dry_tier_range;

/* A body of an articulation that contacts or bounded axes act on: a part of it, if it is split. */
typedef struct dry_coupled_body {
    int32_t body;                 /* of the articulations' list */
    int32_t articulation;         /* of the list */
    int32_t node_begin, node_end; /* in `node`: the joints of the part */
    int32_t supernode;            /* the first one of the path of Y */
    int32_t part_begin, parts;    /* in `part`: the path */
    int64_t columns;              /* Y, in `values` */
    double u[6];                  /* velocity without the joints' impulses */
    double impulse[6];            /* in this sweep */
    double mobility[6][6];        /* what a unit impulse gives: parts I - Y^T Y */
} dry_coupled_body;

/* A lane of a bundle. */
typedef struct dry_coupled_item {
    dry_kind kind;
    int32_t bundle, lane;
    int32_t group;
    int32_t body[2]; /* coupled bodies; -1: a body of no articulation, or none */
    dry_coupled_rows rows;
    dry_coupled_block block;
    bool passive;       /* it gives no energy */
    float before[2][6]; /* velocities of its rows, while the motion that carries on is weighed (carried.c) */
} dry_coupled_item;

/* A hard stop of a joint where the step ends, as an item of positions. Or a coordinate that something holds,
 * as one of velocities, while those are corrected. */
typedef struct dry_coupled_stop {
    int32_t body[2]; /* coupled bodies; -1: none */
    double g[12];    /* whitened, as dry_coupled_rows */
    double mobility; /* that joints leave it */
    double gap;      /* to it, m or rad; negative: passed */
    double speed;    /* at which it opens */
    bool bounces;
    double impulse; /* of displacements; it does not attract */
} dry_coupled_stop;

/* Items that share articulations or free bodies. They are solved in turn; groups go side by side. */
typedef struct dry_coupled_group {
    int32_t item_begin, item_end;
    int32_t tier;
} dry_coupled_group;

/* Values of work on columns for each row of a padded vector, which has more rows than the articulation: two
 * panels, and the sides of a body, of all rows at most. */
enum { DRY_COUPLING_WORK = 5 * DRY_PATH_COLUMNS };

typedef struct dry_coupling {
    dry_coupled_item *item; /* by group */
    dry_coupled_body *body; /* by articulation */
    dry_coupled_group *group;
    dry_coupled_stop *stop; /* by articulation */
    double *stop_matrix;    /* of each worker: S of the stops of its articulation, and room for its factor */
    int32_t *body_of;       /* of each articulated body: its coupled body; -1: none */
    int32_t *first;         /* of each articulation, and one more at the end: its first coupled body */
    int32_t *y_first;       /* of each articulation, and one more at the end: its first value in `y` */
    int32_t *node;          /* joints of each coupled body, from the first one of its articulation on */
    uint8_t *side;          /* and which of their bodies it is */
    dry_path_part *part;
    double *values;
    double *y; /* of each articulation, padded */
    double *work;
    int item_capacity, body_capacity, group_capacity, body_of_capacity, first_capacity, y_first_capacity;
    int node_capacity, side_capacity, part_capacity, values_capacity, y_capacity, work_capacity,
        stop_capacity, stop_matrix_capacity;
    int items, bodies, groups;
    int stop_elements; /* of one worker's part of `stop_matrix` */
} dry_coupling;

void dry_coupling_free(dry_coupling *coupling, dry_memory *memory);
/* Lists the items of the layout. False if memory fails. */
bool dry_coupling_update(struct dry_solver_step *step, dry_memory *memory);

/* Finds Y of an articulation's bodies, once its rows are factored. */
void dry_coupling_find_columns(const struct dry_linkage *linkage);
/* Finds the rows and S of all items of a tier, null: of all tiers; again, of those on fine factors. Marks
 * heavy articulations, and returns whether there are any. */
bool dry_coupling_find_blocks(struct dry_solver_step *step, const struct dry_tier_range *range, bool again);

/* Does a warm or exchange sweep over the items of a tier, of one kind or of all (DRY_KIND_COUNT). */
void dry_coupling_apply(struct dry_solver_step *step, const struct dry_tier_range *range,
                        const dry_sweep *sweep, dry_sweep_kind kind, dry_kind only);
/* Begins visits, once the joints are solved: y is 0, and u that of the bodies' rows. */
void dry_coupling_begin(const struct dry_linkage *linkage);
/* Visits the items of a tier between the halves. */
void dry_coupling_visit(struct dry_solver_step *step, const struct dry_tier_range *range,
                        const dry_sweep *sweep, dry_sweep_kind kind);
/* The back half: the impulses of the linkage's rows from y. */
void dry_coupling_answer(const struct dry_linkage *linkage);
/* Returns the whitened impulse that the items gave to a body in the visits; null: none. */
const double *dry_coupling_given(const struct dry_linkage *linkage, int body);
/* Fills a body's velocity with the joints' impulses, u + Y^T y. */
void dry_coupling_velocity(const struct dry_solver_step *step, const dry_coupled_body *body, double v[6]);
/* Gives a whitened impulse to a body, and to its joints. */
void dry_coupling_push(const struct dry_solver_step *step, dry_coupled_body *body, const double f[6]);
/* Returns whether items act on an articulation. */
bool dry_coupling_acts(const struct dry_linkage *linkage);

#endif
