/* The inputs of a contact bundle's preparation, lane by lane.
 *
 * Most contacts need what `find_lane` finds, and no more. What only some steps need is found by fillers,
 * which `dry_contact_prepare_of` lists once a step. Reads manifolds, poses, islands. Writes a
 * dry_contact_source, and the bundle's rows. Next: prepare.c. */
#include "solver/sweeps/contacts/prepare.h"

#include "core/math.h"
#include "narrowphase/manifold.h"
#include "solver/bodies/begin.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/plan/islands.h"

#include <float.h>
#include <string.h>

/* Adds to the velocity with which a side's surface moves otherwise than by impulses. */
static void add_motion(const dry_contact_filling *f, int lane, int side, dry_vec3 more)
{
    dry_lanes *moves = f->source->kinematic[2 * side];
    dry_lanes_put3(moves, lane, vec3_add(dry_lanes_get3((const dry_lanes *)moves, lane), more));
    f->source->flags |= DRY_BUNDLE_KINEMATIC;
}

/* Copies the velocity of a kinematic body. */
static void fill_kinematic(const dry_contact_filling *f, int lane)
{
    for (int side = 0; side < 2; side++) {
        const int row = f->source->row[side][lane];
        if (f->moves[side][lane] > 0 || row >= f->step->bodies->awake_count)
            continue;
        const dry_body_velocity *v = &f->step->bodies->velocity[row];
        dry_lanes_put3(f->source->kinematic[2 * side], lane, v->linear);
        dry_lanes_put3(f->source->kinematic[2 * side + 1], lane, v->angular);
        f->source->flags |= DRY_BUNDLE_KINEMATIC;
    }
}

/* Adds the motion of a side's surface past its body, along the tangents: friction sees it as that of a
 * kinematic body, where the step begins. A belt that moves through the surface presses nobody. */
static void fill_belts(const dry_contact_filling *f, int lane)
{
    const dry_vec3 n =
        dry_manifold_normal(f->source->manifold[lane], dry_start_pose(f->step, f->source->row[0][lane]));
    for (int side = 0; side < 2; side++) {
        const dry_material material =
            dry_contacts_material(f->step->contacts, f->step->shapes, f->contact[lane], side);
        if (vec3_is_zero(material.surface_velocity))
            continue;
        const dry_quat frame = dry_bodies_user_pose(f->step->bodies, f->source->row[side][lane]).orientation;
        const dry_vec3 velocity = quat_rotate(frame, material.surface_velocity);
        add_motion(f, lane, side, vec3_add_scaled(velocity, -vec3_dot(velocity, n), n));
    }
}

/* Softens the contact of a body with a sleeper. */
static void fill_sleepers(const dry_contact_filling *f, int lane)
{
    f->source->compliance[lane] *= dry_sleeper_gives(f->step, f->contact[lane]);
}

/* Finds the lengths of the points' springs, and whether this step gives or changes them. */
static void fill_lengths(const dry_contact_filling *f, int lane)
{
    const dry_island *island = f->source->island[lane];
    const bool had = f->step->contacts->rest && island->before != DRY_ISLAND_MOVES;
    const float *length =
        had ? f->step->contacts->rest[f->contact[lane]].length : dry_contact_default_rest.length;
    const bool has = length[0] != 0.0f || length[1] != 0.0f || length[2] != 0.0f || length[3] != 0.0f;
    const bool changes =
        island->phase & (DRY_ISLAND_SETTLES | DRY_ISLAND_RISES) || (has && !dry_island_rests(island));
    f->source->rest[lane] = length;
    f->source->any_rest |= has;
    f->source->lengthens |= (uint16_t)changes << lane;
}

/* Finds the share by which a contact's impulse goes on to fall, and the load that its bodies bear for long.
 */
static void fill_falls(const dry_contact_filling *f, int lane)
{
    float load = FLT_MAX;
    for (int side = 0; side < 2; side++) {
        const int32_t row = f->moves[side][lane];
        if (row > 0 && f->step->bodies->sleep[row - 1].load >= 0.0f)
            load = dry_min(load, f->step->bodies->sleep[row - 1].load);
    }
    f->source->load[lane] = load;
    f->source->fall[lane] = f->source->island[lane]->rated.fall;
    f->source->any_falls |= f->source->fall[lane] > 0.0f;
}

/* Copies the spring of a pair, and its static friction, for which there is room while some shape has any. */
static void fill_surface(const dry_contact_filling *f, int lane)
{
    const dry_surface pair = dry_contacts_surface(f->step->contacts, f->step->shapes, f->contact[lane]);
    f->source->surface[lane] = pair;
    const uint32_t sticks = f->step->shapes->stiction && pair.static_friction > f->source->friction[lane];
    f->source->flags |= sticks * DRY_BUNDLE_STICTION | (pair.contact_stiffness > 0.0f) * DRY_BUNDLE_SPRING;
}

/* Copies the rolling resistance of a contact with a round shape, if there is any. */
static void fill_rolling(const dry_contact_filling *f, int lane)
{
    const dry_manifold *m = f->source->manifold[lane];
    if (!(f->step->contacts->link[f->contact[lane]].flags & DRY_CONTACT_ROUND) ||
        dry_manifold_rolling_limit(m) == 0.0f)
        return;
    f->source->rolling_limit[lane] = dry_manifold_rolling_limit(m);
    dry_lanes_put3(f->source->rolling_impulse, lane, dry_manifold_rolling_impulse(m));
    f->source->flags |= DRY_BUNDLE_ROLLING;
}

/* Bounds the impulses that a contact of two bodies keeps. Where joints forbid them to part, friction presses
 * them harder from step to step. So two that joints hold keep no more than what bears their island, or would
 * part them, through a lever. Of 600 drawn chains of boxes that overlap 73 lost bodies, and 3 do; with levers
 * of 3 and 30 as many. */
static void fill_joined(const dry_contact_filling *f, int lane)
{
    enum { LEVER = 16 };
    const dry_manifold *m = f->source->manifold[lane];
    const dry_body_state *a = &f->step->bodies->state[f->source->row[0][lane]],
                         *b = &f->step->bodies->state[f->source->row[1][lane]];
    const float part = (a->mass + b->mass) * f->step->settings->push_out_speed_max,
                most = LEVER * (dry_abs(m->substep) * f->source->island[lane]->support + part),
                all = m->impulse[0] + m->impulse[1] + m->impulse[2] + m->impulse[3];
    if (f->source->island[lane]->joints > 0 && f->moves[0][lane] && f->moves[1][lane] && a->joints >= 0 &&
        b->joints >= 0 && all > most)
        f->source->impulse_scale[lane] *= most / all;
}

/* Fills how a contact rubs, and scales its friction, if it shares a face of a body with an unlike surface. */
static void fill_rubbing(const dry_contact_filling *f, int lane)
{
    dry_face_part part = {.share = 1.0f};
    const float slow = f->step->dt * vec3_length(f->step->settings->gravity);
    for (int side = 0; side < 2 && f->source->count[lane] > 2.0f && part.drag == 0.0f; side++)
        if (f->moves[side][lane] > 0 &&
            dry_contact_shares_face(f->step->contacts, f->step->shapes, f->step->bodies, f->contact[lane],
                                    side, slow, &part)) {
            f->source->flags |= DRY_BUNDLE_RUBBING;
            add_motion(f, lane, 1, part.spun); /* friction brakes the load's center */
        }
    f->source->friction[lane] *= part.share, f->source->rubbing[0][lane] = part.x;
    f->source->rubbing[1][lane] = part.y, f->source->rubbing[2][lane] = part.drag;
}

dry_prepare dry_contact_prepare_of(const dry_solver_step *step)
{
    const dry_bodies *bodies = step->bodies;
    const dry_shapes *shapes = step->shapes;
    dry_prepare prepare = {
        .rows = step->state->bodies.rows,
        .gravity_vector = step->settings->gravity,
        .gravity = vec3_length(step->settings->gravity),
        .friction = step->settings->method.friction,
        .split_masses = step->state->plan.constraints != NULL,
    };
    const struct {
        bool needed;
        dry_contact_filler *fill;
    } all[DRY_FILLERS_MAX] = {
        {bodies->awake_dynamic_count < bodies->awake_count, fill_kinematic},
        {step->settings->levers == DRY_LEVERS_HELD || bodies->awake_dynamic_count < bodies->awake_count ||
             dry_some_contacts_turn(step),
         dry_contact_fill_arms},
        {shapes->belt, fill_belts},
        {bodies->awake_dynamic_count < bodies->dynamic_count, fill_sleepers},
        {step->islands->phases & ~DRY_ISLAND_MOVES, fill_lengths},
        {step->islands->unloads, fill_falls},
        {shapes->stiction || shapes->spring, fill_surface},
        {shapes->rolling, fill_rolling},
        {step->joints->active_count > 0, fill_joined},
        {shapes->unlike || shapes->belt, fill_rubbing},
        {step->method->fill_contact != NULL, step->method->fill_contact},
    };
    for (int i = 0; i < DRY_FILLERS_MAX; i++)
        if (all[i].needed)
            prepare.filler[prepare.filler_count++] = all[i].fill;
    return prepare;
}

/* Returns the way from a's center to b's, m; of surfaces that meet within the step where they will be then,
 * but for the way along the normal. */
static dry_vec3 way_between(const dry_contact_link *link, const dry_manifold *m, const dry_body_pose *a,
                            const dry_body_pose *b, dry_vec3 n)
{
    const dry_vec3 between = position_sub(b->position, a->position);
    if (!(link->flags & DRY_CONTACT_MEETS))
        return between;
    const double *p = m->built_position;
    const dry_vec3 then = quat_rotate(a->orientation, vec3((float)p[0], (float)p[1], (float)p[2]));
    const dry_vec3 way = vec3_sub(then, between);
    return vec3_add(between, vec3_add_scaled(way, -vec3_dot(way, n), n));
}

/* Fills a lane of the source and the bundle's rows. Impulses are of substeps of h s; 0: none are kept. */
static void find_lane(const dry_contact_filling *f, int lane, float h)
{
    const dry_contact_link *link = &f->step->contacts->link[f->contact[lane]];
    const dry_manifold *m = &f->step->contacts->manifold[f->contact[lane]];
    dry_contact_source *source = f->source;
    const int row_a = source->row[0][lane] = dry_bodies_row(f->step->bodies, link->body_a),
              row_b = source->row[1][lane] = dry_bodies_row(f->step->bodies, link->body_b);
    const int32_t a_moves = f->moves[0][lane] = dry_island_row(f->step, link->body_a) + 1,
                  b_moves = f->moves[1][lane] = dry_island_row(f->step, link->body_b) + 1;
    DRY_ASSERT(a_moves || b_moves); /* or the contact has no edge */
    const dry_island *island = source->island[lane] =
        &f->step->islands->island[f->step->bodies->sleep[(a_moves ? a_moves : b_moves) - 1].island];
    const dry_body_pose *a = dry_start_pose(f->step, row_a), *b = dry_start_pose(f->step, row_b);
    const dry_vec3 n = dry_manifold_normal(m, a);
    source->manifold[lane] = m;
    source->orientation_a[lane] = &a->orientation;
    source->orientation_b[lane] = &b->orientation;
    dry_lanes_put3(source->between, lane, way_between(link, m, a, b, n));
    dry_lanes_put3(source->normal, lane, n);
    source->friction[lane] = m->friction;
    source->compliance[lane] = island->compliance;
    source->rise[lane] = (float)(dry_manifold_height(n, a, b) - m->height);
    source->count[lane] = (float)link->points;
    source->patch_least[lane] = link->flags & DRY_CONTACT_ROUND ? 0.0f : DRY_PATCH_LEAST;
    const float substep = dry_abs(m->substep);
    source->impulse_scale[lane] = substep > 0.0f ? (substep == h ? 1.0f : h / substep) : 0.0f;
}

static void clear_lane(dry_contact_source *source, dry_contact_bundle *c, int lane)
{
    static const dry_manifold no_manifold;
    c->row_a[lane] = c->row_b[lane] = 0;
    source->island[lane] = NULL;
    source->manifold[lane] = &no_manifold;
    source->orientation_a[lane] = source->orientation_b[lane] = &dry_body_default_rest_pose.orientation;
    source->turning[lane] = 0.0f;
    source->rest[lane] = dry_contact_default_rest.length;
    source->surface[lane] = (dry_surface){0};
    dry_lanes_put3(source->between, lane, vec3(0.0f, 0.0f, 0.0f));
    dry_lanes_put3(source->normal, lane, vec3(0.0f, 1.0f, 0.0f));
    source->compliance[lane] = source->share[0][lane] = source->share[1][lane] = 1.0f;
    source->held[lane] = source->load[lane] = source->fall[lane] = source->patch_least[lane] = 0.0f;
    source->friction[lane] = source->rise[lane] = source->count[lane] = source->impulse_scale[lane] = 0.0f;
}

int dry_contact_find_source(const dry_solver_step *step, const dry_prepare *prepare, int bundle, float h,
                            dry_contact_source *source, dry_contact_bundle *c)
{
    const int32_t *contacts = step->state->sweeps.bundles[DRY_KIND_CONTACT].members[bundle].index;
    const dry_contact_filling f = {
        step, source, {c->row_a, c->row_b}, contacts, dry_some_contacts_turn(step)};
    int lanes = 0;
    if (source->flags & DRY_BUNDLE_KINEMATIC)
        memset(source->kinematic, 0, sizeof source->kinematic);
    if (source->flags & DRY_BUNDLE_ROLLING) {
        memset(source->rolling_limit, 0, sizeof source->rolling_limit);
        memset(source->rolling_impulse, 0, sizeof source->rolling_impulse);
    }
    source->flags = source->round = source->lengthens = 0;
    source->any_held = source->any_rest = source->any_falls = source->any_turning = false;
    source->all_stay = step->settings->levers == DRY_LEVERS_HELD;
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        if (f.contact[lane] < 0) {
            clear_lane(source, c, lane);
            continue;
        }
        find_lane(&f, lane, step->settings->warm_start ? h : 0.0f);
        for (int i = 0; i < prepare->filler_count; i++)
            prepare->filler[i](&f, lane);
        lanes = lane + 1;
    }
    return lanes;
}
