/* Declares the fuzzer's own model of a world: which ids live, which shapes touch, which bodies sleep. */
#ifndef TESTS_FUZZ_MODEL_H
#define TESTS_FUZZ_MODEL_H

#include "tests/fuzz/fuzz.h"

#include <drystone/drystone.h>

enum {
    FUZZ_BODIES_MAX = 160,
    FUZZ_SHAPES_MAX = 400,
    FUZZ_SHAPES_EACH_MAX = 8,
    FUZZ_JOINTS_MAX = 64,
    FUZZ_DEAD_MAX = 32,
    FUZZ_PAIRS_MAX = 4096,
    FUZZ_MADE_MAX = 128
};

typedef struct fuzz_model_body {
    dry_body_id id;
    dry_body_type type;
    bool enabled, quarantined, told_asleep;
} fuzz_model_body;

typedef struct fuzz_model_shape {
    dry_shape_id id;
    dry_body_id body;
} fuzz_model_shape;

typedef struct fuzz_model_joint {
    dry_joint_id id;
    dry_body_id a, b, far[2]; /* far: c and d of a volume joint, else null */
} fuzz_model_joint;

/* Two shapes; `touching` counts their begin events less their end events. */
typedef struct fuzz_pair {
    uint64_t a, b;
    int touching;
} fuzz_pair;

/* All lists are in creation order, but the dead and the pairs. */
typedef struct fuzz_model {
    fuzz_model_body bodies[FUZZ_BODIES_MAX];
    fuzz_model_shape shapes[FUZZ_SHAPES_MAX];
    fuzz_model_joint joints[FUZZ_JOINTS_MAX];
    fuzz_pair pairs[FUZZ_PAIRS_MAX];
    uint64_t dead[FUZZ_DEAD_MAX]; /* ids of any kind */
    int body_count, shape_count, joint_count, pair_count, dead_count;
} fuzz_model;

/* The change that a call makes, which the model takes over where the call succeeds. */
typedef struct fuzz_change {
    dry_body_id made_bodies[FUZZ_MADE_MAX];
    dry_body_type made_types[FUZZ_MADE_MAX];
    bool made_enabled[FUZZ_MADE_MAX];
    fuzz_model_joint made_joints[4];
    dry_body_id gone_bodies[4];
    fuzz_model_shape made_shape; /* null if none */
    dry_shape_id gone_shape;
    dry_joint_id gone_joint;
    dry_body_id set_body; /* null if none: its type and whether it is enabled */
    int set_type;         /* -1: stays */
    int set_enabled;      /* -1: stays */
    int made_body_count, made_joint_count, gone_body_count;
} fuzz_change;

const fuzz_model_body *fuzz_model_find_body(const fuzz_model *model, uint64_t bits);
bool fuzz_model_has_shape(const fuzz_model *model, uint64_t bits);
bool fuzz_model_has_joint(const fuzz_model *model, uint64_t bits);
/* Tells whether the lists can take so many more. */
bool fuzz_model_has_room(const fuzz_model *model, int bodies, int shapes);

/* Takes over what a call changed, which `world` now holds. */
void fuzz_model_apply(fuzz_model *model, const fuzz_change *change, const dry_world *world);

/* Takes over the events of a step and checks them. */
void fuzz_model_take_events(fuzz_model *model, const dry_world *world, bool moves_time);

/* Checks that ids, lists, statistics and sleep states of a world are those of the model, and that every
 * number that can be read is finite. */
void fuzz_model_check(const fuzz_model *model, const dry_world *world);

#endif
