/* Lives the life of one world (life.h). */
#include "tools/cli/soak/life.h"
#include "state/surface.h"
#include "tools/cli/soak/past.h"
#include "tools/cli/stop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_S (1.0f / 60.0f)
#define ENERGY_GAIN_MAX 1e-2 /* of the energy at the start */

enum { LOOK_EVERY = 16, MENDED_MAX = 32, ODDS_OF_ODD = 400, RECORDED_STEPS = 100 };

typedef struct soak_life {
    soak_twin twin;
    soak_model model;
    soak_lots lots;
    soak_forms forms;
    uint64_t seed, reload_every;
    soak_call call;
    soak_figures *figures;
    soak_past *past; /* null: no steps are kept */
    bool calm;       /* nothing is stirred, so that energy may only fall */
    dry_body_id quarantined[MENDED_MAX];
    int quarantined_count;
    double energy_start_J, energy_least_J;
} soak_life;

void figures_add(soak_figures *sum, const soak_figures *figures)
{
    sum->worlds += figures->worlds;
    sum->steps += figures->steps;
    sum->calls += figures->calls;
    sum->refusals += figures->refusals;
    sum->quarantines += figures->quarantines;
    sum->hash += figures->hash;
    sum->simulated_s += figures->simulated_s;
    sum->energy_gained = fmax(sum->energy_gained, figures->energy_gained);
    sum->bytes_max = sum->bytes_max > figures->bytes_max ? sum->bytes_max : figures->bytes_max;
}

static bool goes_on(const soak_life *life)
{
    return !stop_noted() && life->twin.difference[0] == '\0';
}

/* ---- Calls ---- */

static void make_call(soak_life *life)
{
    soak_call *call = &life->call;
    if (call->kind->done != NULL && !model_has_room(&life->model)) {
        return;
    }
    dry_result result = twin_call(&life->twin, call);
    if (result == DRY_OK && life->lots.invalid) {
        twin_differs(&life->twin, "%s: took a number that is none", call->kind->name);
    }
    if (result == DRY_OK && call->kind->done != NULL) {
        call->kind->done(&life->model, life->twin.sides[0].world, call);
    }
    life->lots.invalid = false;
}

static void call_named(soak_life *life, const char *name)
{
    call_draw_named(&life->call, name, &life->lots, &life->model);
    make_call(life);
}

static void call_on_body(soak_life *life, const char *name, dry_body_id body, int choice)
{
    call_draw_named(&life->call, name, &life->lots, &life->model);
    life->call.bodies[0] = body;
    life->call.choice = choice;
    make_call(life);
}

/* ---- Creation ---- */

static dry_isa draw_isa(soak_lots *lots)
{
    dry_isa isa;
    do {
        isa = (dry_isa)lots_below(lots, DRY_ISA_COUNT);
    } while (!dry_isa_available(isa) && isa != DRY_ISA_AUTO);
    return isa;
}

/* Gives the two sides other teams, where the build has two; which side has which follows the seed. */
static dry_team team_of_side(uint64_t seed, int side)
{
    const bool openmp = (seed + (uint64_t)side) % 2 == 0 && dry_team_available(DRY_TEAM_OPENMP);
    return openmp ? DRY_TEAM_OPENMP : DRY_TEAM_THREADS;
}

static bool create(soak_life *life)
{
    soak_lots *lots = &life->lots;
    dry_world_def defs[2];
    const bool many_threads = lots_once_in(lots, 6), odd_settings = !life->calm && lots_once_in(lots, 2);
    const int capacity = lots_once_in(lots, 3) ? lots_below(lots, 100) : 0;
    const bool recorded = lots_once_in(lots, 4);
    const uint16_t tag = (uint16_t)(1 + lots_below(lots, 65535));
    const int odds = lots->odds;
    lots->odds = 0; /* settings that make no sense would make no world */
    call_draw_named(&life->call, "set_settings", lots, &life->model);
    lots->odds = odds;
    for (int i = 0; i < 2; i++) {
        defs[i] = dry_default_world_def();
        defs[i].isa = draw_isa(lots);
        defs[i].threads = many_threads ? 1 + lots_below(lots, WORLD_THREADS) : 1;
        defs[i].team = team_of_side(life->seed, i);
        defs[i].tag = tag;
        defs[i].body_capacity = capacity;
        if (odd_settings) {
            defs[i].settings = life->call.settings;
        }
        defs[i].recording.sums_every = recorded ? 1 : 0; /* twin.h has the sink */
        defs[i].recording.saves_every = recorded ? RECORDED_STEPS : 0;
    }
    return twin_create(&life->twin, defs);
}

/* ---- Filling ---- */

static void add_floor(soak_life *life)
{
    call_draw_named(&life->call, "create_body", &life->lots, &life->model);
    dry_body_def *def = &life->call.body_def;
    *def = dry_default_body_def();
    def->shape_count = 1;
    dry_shape_def *shape = &life->call.shape_defs[0];
    *shape = dry_default_shape_def();
    const int ground = lots_below(&life->lots, 4);
    if (ground == 0) {
        shape->type = DRY_SHAPE_HALFSPACE;
    } else if (ground == 1) {
        shape->half_extents = (dry_vec3){20.0f, 1.0f, 20.0f};
        def->pose.position.y = -1.0;
    } else if (ground == 2) {
        shape->type = DRY_SHAPE_MESH;
        shape->data = life->forms.meshes[0];
    } else {
        shape->type = DRY_SHAPE_HEIGHT_FIELD;
        shape->data = life->forms.fields[0];
        shape->pose.position = (dry_vec3){-8.0f, 0.0f, -8.0f};
    }
    life->lots.invalid = false;
    make_call(life);
}

/* Puts a body at rest where no other is, so that no overlap holds energy that the sum does not count. Bodies
 * that bounce may gain energy in a heap: docs/reliability.md has the case. So may bodies on springs, as each
 * point of a contact has its own, and points come and go. */
static void add_calm_body(soak_life *life)
{
    call_draw_named(&life->call, "create_body", &life->lots, &life->model);
    const int place = life->model.body_count;
    dry_body_def *def = &life->call.body_def;
    const dry_quat rotation = def->pose.orientation;
    *def = dry_default_body_def();
    def->type = DRY_BODY_DYNAMIC;
    def->pose = (dry_pose){{1.7 * (place % 4), 1.0 + 1.7 * (place / 16), 1.7 * (place / 4 % 4)}, rotation};
    def->shape_count = 1;
    dry_shape_def *shape = &life->call.shape_defs[0];
    shape->pose = dry_default_shape_def().pose;
#define X(name, standard, ...) shape->name = standard;
    DRY_SURFACE_NUMBERS(X)
#undef X
    make_call(life);
}

static void fill(soak_life *life)
{
    soak_lots *lots = &life->lots;
    const int bodies = lots_once_in(lots, 60) ? 100 + lots_below(lots, 200) : 4 + lots_below(lots, 24);
    const int joints = !life->calm && lots_once_in(lots, 2) ? lots_below(lots, bodies) : 0;
    if (life->model.body_count == 0) {
        add_floor(life);
    }
    while (life->model.body_count < bodies && goes_on(life)) {
        if (life->calm) {
            add_calm_body(life);
        } else {
            call_named(life, lots_once_in(lots, 4) ? "create_bodies" : "create_body");
        }
    }
    for (int i = 0; i < joints && goes_on(life); i++) {
        call_named(life, lots_once_in(lots, 4) ? "create_volumes" : "create_joint");
    }
}

/* ---- Steps and checks ---- */

static void check_finite(soak_life *life)
{
    const dry_world *world = life->twin.sides[0].world;
    for (int i = 0; i < life->model.body_count; i++) {
        dry_pose p;
        dry_velocity v;
        if (dry_body_get_pose(world, life->model.bodies[i], &p) != DRY_OK ||
            dry_body_get_velocity(world, life->model.bodies[i], &v) != DRY_OK) {
            twin_differs(&life->twin, "the motion of a living body cannot be read");
            return;
        }
        double sum = p.position.x + p.position.y + p.position.z +
                     (double)(p.orientation.x + p.orientation.y + p.orientation.z + p.orientation.w) +
                     (double)(v.linear.x + v.linear.y + v.linear.z) +
                     (double)(v.angular.x + v.angular.y + v.angular.z);
        if (!isfinite(sum)) {
            twin_differs(&life->twin, "the motion of body %016llx is not finite",
                         (unsigned long long)life->model.bodies[i].bits);
        }
    }
    for (int i = 0; i < life->model.joint_count; i++) {
        dry_vec3 impulse;
        if (dry_joint_get_impulse(world, life->model.joints[i].id, &impulse) != DRY_OK ||
            !isfinite(impulse.x + impulse.y + impulse.z)) {
            twin_differs(&life->twin, "the impulse of joint %016llx is not finite",
                         (unsigned long long)life->model.joints[i].id.bits);
        }
    }
}

static void check_energy(soak_life *life)
{
    const double now_J = dry_world_energy(life->twin.sides[0].world).total_J;
    const double gained = (now_J - life->energy_least_J) / life->energy_start_J;
    life->figures->energy_gained = fmax(life->figures->energy_gained, gained);
    life->energy_least_J = fmin(life->energy_least_J, now_J);
    if (!(gained <= ENERGY_GAIN_MAX)) {
        twin_differs(&life->twin, "the energy of a world without stirring rose by %.3g of its start", gained);
    }
}

static void look(soak_life *life)
{
    const char *difference = model_compare(&life->model, life->twin.sides[0].world);
    if (difference == NULL) {
        difference = model_compare(&life->model, life->twin.sides[1].world);
    }
    if (difference != NULL) {
        twin_differs(&life->twin, "%s", difference);
        return;
    }
    check_finite(life);
    if (life->calm) {
        check_energy(life);
    }
}

static void note_quarantines(soak_life *life)
{
    const dry_events events = dry_world_events(life->twin.sides[0].world);
    for (int i = 0; i < events.quarantine_count; i++) {
        life->quarantined[(unsigned)life->quarantined_count++ % MENDED_MAX] = events.quarantines[i].body;
    }
    life->figures->quarantines += (uint64_t)events.quarantine_count;
}

/* Draws which bodies a step names. Bodies that are held make the energy of a calm world no measure. */
static soak_step draw_step(soak_life *life, float dt, dry_body_id named[CALL_BODIES])
{
    soak_lots *lots = &life->lots;
    soak_step step = {STEP_WHOLE, dt, NULL, 0};
    if (lots_once_in(lots, 16)) {
        step = (soak_step){STEP_ALL_NAMED, dt, life->model.bodies, life->model.body_count};
    } else if (!life->calm && lots_once_in(lots, 12)) {
        step = (soak_step){STEP_NAMED, dt, named, lots_below(lots, CALL_BODIES + 1)};
        for (int i = 0; i < step.count; i++) {
            named[i] = draw_body(lots, &life->model);
        }
    }
    return step;
}

static void make_step(soak_life *life, float dt)
{
    if (life->reload_every > 0 && life->twin.steps % life->reload_every == 0 && !twin_reload(&life->twin)) {
        return;
    }
    dry_body_id named[CALL_BODIES];
    const soak_step step = draw_step(life, dt, named);
    const dry_result result = life->past != NULL
                                  ? past_step(life->past, &life->twin, &life->lots, &life->model, &step)
                                  : twin_step(&life->twin, &step);
    if (result != DRY_OK) {
        return;
    }
    life->figures->steps++;
    life->figures->simulated_s += (double)dt;
    note_quarantines(life);
}

/* Puts quarantined bodies where they can be, with no velocity, and enables them. */
static void mend(soak_life *life)
{
    const int odds = life->lots.odds;
    life->lots.odds = 0;
    for (int i = 0; i < life->quarantined_count && i < MENDED_MAX; i++) {
        const dry_body_id body = life->quarantined[i];
        if (!dry_body_is_valid(life->twin.sides[0].world, body)) {
            continue;
        }
        call_on_body(life, "set_pose", body, 0);
        call_on_body(life, "set_mass_from_shapes", body, 0);
        call_on_body(life, "set_gravity_scale", body, 0);
        call_on_body(life, "set_enabled", body, 1);
    }
    life->quarantined_count = 0;
    life->lots.odds = odds;
}

static float draw_dt(soak_lots *lots)
{
    switch (lots_below(lots, 200)) {
    case 0:
        return 0.0f;
    case 1:
        return lots_number(lots, 1e-3, 0.05);
    case 2:
        return -1.0f;
    default:
        return STEP_S;
    }
}

static void stir(soak_life *life, int steps)
{
    soak_lots *lots = &life->lots;
    for (int i = 0; i < steps && goes_on(life); i++) {
        while (!life->calm && lots_once_in(lots, 3) && goes_on(life)) {
            call_draw(&life->call, lots, &life->model);
            make_call(life);
        }
        make_step(life, life->calm ? STEP_S : draw_dt(lots));
        if (life->past != NULL && goes_on(life) && past_rewind(life->past, &life->twin, lots, &life->model)) {
            life->energy_least_J = INFINITY;
        }
        lots->invalid = false;
        if (i % LOOK_EVERY == LOOK_EVERY - 1) {
            twin_compare(&life->twin, "dry_world_step");
            look(life);
        }
        if (life->quarantined_count > 0 && lots_once_in(lots, 30)) {
            mend(life);
        }
    }
}

/* ---- Emptying ---- */

static void empty(soak_life *life)
{
    const int odds = life->lots.odds;
    life->lots.odds = 0;
    while (life->model.body_count > 0 && goes_on(life)) {
        call_on_body(life, "destroy_bodies",
                     life->model.bodies[lots_below(&life->lots, life->model.body_count)], 0);
        if (lots_once_in(&life->lots, 8)) {
            make_step(life, STEP_S);
        }
    }
    if (goes_on(life)) {
        make_step(life, STEP_S);
        life->energy_least_J = INFINITY; /* bodies in a dip have taken energy below 0 along */
        look(life);
        const dry_statistics s = dry_world_statistics(life->twin.sides[0].world);
        if (s.bodies + s.shapes + s.joints + s.pairs + s.manifolds + s.quarantined_bodies != 0) {
            twin_differs(&life->twin, "an emptied world still counts something");
        }
    }
    life->quarantined_count = 0;
    life->lots.odds = odds;
}

static void live(soak_life *life)
{
    soak_lots *lots = &life->lots;
    const int rounds = 1 + lots_below(lots, 3);
    for (int round = 0; round < rounds && goes_on(life); round++) {
        fill(life);
        life->energy_start_J = life->energy_least_J = dry_world_energy(life->twin.sides[0].world).total_J;
        stir(life, 50 + lots_below(lots, 500));
        if (goes_on(life) && twin_compare(&life->twin, "at the end of a round")) {
            life->figures->hash += life->twin.hash;
        }
        if (round + 1 < rounds || !lots_once_in(lots, 3)) {
            empty(life);
        }
    }
}

bool life_run(uint64_t seed, uint64_t reload_every, soak_figures *figures, char *failure,
              size_t failure_bytes)
{
    soak_life *life = calloc(1, sizeof *life);
    if (life == NULL || !forms_make(&life->forms, seed)) {
        snprintf(failure, failure_bytes, "out of memory");
        free(life);
        return false;
    }
    soak_twin *twin = &life->twin;
    life->figures = figures;
    life->seed = seed;
    life->reload_every = reload_every;
    twin->reloads_some = reload_every > 0;
    life->lots = lots_begin(seed);
    life->lots.forms = &life->forms;
    life->calm = lots_once_in(&life->lots, 3);
    life->lots.odds = life->calm || lots_once_in(&life->lots, 2) ? 0 : ODDS_OF_ODD;
    twin->failures = lots_begin(~seed);
    twin->failure_odds = lots_once_in(&life->lots, 4) ? 0 : 4;
    twin->keeps_steps = lots_once_in(&life->lots, 3) && (life->past = calloc(1, sizeof *life->past)) != NULL;
    if (create(life)) {
        live(life);
    }
    if (life->past != NULL) {
        past_end(life->past, twin);
        free(life->past);
    }
    twin_destroy(twin);
    forms_release(&life->forms);
    figures->worlds += !stop_noted();
    figures->calls += twin->calls;
    figures->refusals += twin->refusals;
    figures->bytes_max = twin->sides[0].memory.bytes_max;
    snprintf(failure, failure_bytes, "step %llu: %s", (unsigned long long)twin->steps, twin->difference);
    bool good = twin->difference[0] == '\0';
    free(life);
    return good;
}
