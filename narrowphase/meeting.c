/* Stage "contacts": the points of a round shape where it meets another shape.
 *
 * A round shape rolls and flies past edges and other round shapes, so that its contact has another normal and
 * other points when the surfaces meet than when the step begins. Bodies are moved by their centers'
 * velocities; their rotations within a step are left out, as rows leave them out. The distance of two convex
 * shapes on such a path is a convex function of time. Newton's method from its beginning never passes the
 * time at which they meet; a normal at which the shapes are apart when the step begins and when it ends keeps
 * them apart.
 *
 * Reads: the pair's shapes and motion. Writes: points. Next: manifold_build.c. */
#include "narrowphase/meeting.h"

#include "core/math.h"
#include "narrowphase/collide.h"

/* Collisions of one pair. Balls that meet head on need two, at 60 degrees four. */
enum { TRIES_MAX = 24 };

/* Surfaces have met when they are nearer than this share of the smaller radius. */
#define MET 1e-4f

static float radius_of(const dry_piece *piece)
{
    return dry_type_is_curved(piece->geometry.type) ? piece->geometry.size.x : FLT_MAX;
}

static void collide_at(const dry_meeting *m, const dry_relative_pose *start, float time,
                       dry_relative_pose *relative, dry_pair_frame *frame, dry_local_manifold *found)
{
    relative->position = double3_add(start->position, double3_of(vec3_scale(m->velocity, time)));
    *frame = dry_pair_frame_of(m->a, m->b, relative);
    dry_collide_leaning(&frame->a, &frame->b, &frame->b_in_a, m->margin, m->lean, found);
}

/* The distance of the shapes at a time, and how fast it grows: a line that lies nowhere above the distance.
 */
typedef struct tangent {
    float time, gap, speed;
} tangent;

static tangent tangent_at(const dry_meeting *m, float time, const dry_local_manifold *found)
{
    const dry_vec3 normal = quat_rotate(m->a->pose.orientation, found->normal);
    return (tangent){time, dry_local_manifold_nearest(found), vec3_dot(normal, m->velocity)};
}

/* Tells whether a normal keeps the shapes apart all the time. */
static bool keeps_apart(const tangent *t, float ahead)
{
    return t->gap - t->speed * t->time >= 0.0f && t->gap + t->speed * (ahead - t->time) >= 0.0f;
}

/* Returns the next time: when the distance of approaching shapes would be 0, but no later than where their
 * tangent meets that of shapes which move apart again. */
static float next_time(const tangent *before, const tangent *after)
{
    const float zero = before->time - before->gap / before->speed;
    if (after->speed <= 0.0f)
        return zero;
    const float fall = before->gap - before->speed * before->time;
    const float rise = after->gap - after->speed * after->time;
    return dry_min(zero, (fall - rise) / (after->speed - before->speed));
}

dry_vec3 dry_meeting_collide(const dry_meeting *m, dry_relative_pose *relative, dry_pair_frame *frame,
                             dry_local_manifold *found)
{
    const dry_relative_pose start = *relative;
    const float met = MET * dry_min(radius_of(m->a), radius_of(m->b));
    tangent before = {0}, after = {0};
    float time = 0.0f;
    collide_at(m, &start, time, relative, frame, found);
    /* The normal of a half-space is the same everywhere. */
    if (m->a->geometry.type == DRY_SHAPE_HALFSPACE)
        return vec3(0.0f, 0.0f, 0.0f);
    for (int i = 1; i < TRIES_MAX && found->count > 0; i++) {
        const tangent now = tangent_at(m, time, found);
        if (now.gap <= met || keeps_apart(&now, m->ahead))
            return vec3_scale(m->velocity, time);
        *(now.speed < 0.0f ? &before : &after) = now;
        time = next_time(&before, &after);
        collide_at(m, &start, time, relative, frame, found);
    }
    if (time > 0.0f)
        collide_at(m, &start, 0.0f, relative, frame, found);
    return vec3(0.0f, 0.0f, 0.0f);
}
