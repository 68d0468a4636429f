/* A round shape that meets another shape within a step, or passes it: the time at which two balls touch in
 * closed form, and for all pairs what a time of meeting and a normal have to keep. */
#include "narrowphase/collide.h"
#include "narrowphase/meeting.h"
#include "narrowphase/placed.h"
#include "tests/collide_shapes.h"

static dry_vec3 random_direction(random_source *rng)
{
    dry_vec3 v;
    do
        v = random_vector(rng, 1);
    while (vec3_length(v) < 0.1f || vec3_length(v) > 1);
    return vec3_scale(v, 1.0f / vec3_length(v));
}

typedef struct flight {
    dry_piece a, b;
    dry_relative_pose start, then;
    dry_meeting meeting;
    dry_pair_frame frame;
    dry_local_manifold found;
    dry_vec3 way, normal; /* in a's principal frame */
    float gap;
} flight;

static dry_piece piece_of(random_source *rng, dry_geometry geometry, bool aside)
{
    const dry_vec3 at = aside ? random_vector(rng, 0.2f) : vec3(0, 0, 0);
    return (dry_piece){.geometry = geometry, .pose = {at, aside ? random_quat(rng) : quat_identity()}};
}

/* A pair that flies towards a point near each other. */
static void draw_flight(random_source *rng, flight *f, bool balls)
{
    const float r = powf(10, (float)uniform(rng, -1.7f, -0.3f));
    const int kind = balls ? 0 : below(rng, 3);
    dry_geometry under;
    if (kind == 0) {
        under = sphere(powf(10, (float)uniform(rng, -1.7f, -0.3f)));
    } else if (kind == 1) {
        const float radius = (float)uniform(rng, 0.05f, 0.5f);
        under = capsule(radius, (float)uniform(rng, 0.1f, 1));
    } else {
        const float x = (float)uniform(rng, 0.1f, 1), y = (float)uniform(rng, 0.1f, 1);
        under = box(x, y, (float)uniform(rng, 0.1f, 1));
    }
    f->a = piece_of(rng, under, !balls);
    const dry_geometry over = balls || below(rng, 2) ? sphere(r) : capsule(r, (float)uniform(rng, 0.1f, 1));
    f->b = piece_of(rng, over, !balls);
    const dry_vec3 aside = random_direction(rng);
    const dry_vec3 from = vec3_scale(aside, (float)uniform(rng, 0.5f, 2)), to = random_vector(rng, 0.5f);
    f->start = (dry_relative_pose){{from.x, from.y, from.z}, balls ? quat_identity() : random_quat(rng)};
    f->meeting = (dry_meeting){.a = &f->a,
                               .b = &f->b,
                               .velocity = vec3_scale(vec3_sub(to, from), (float)uniform(rng, 0.2f, 2) * 60),
                               .ahead = 1.0f / 60,
                               .margin = 4};
    f->then = f->start;
    f->way = dry_meeting_collide(&f->meeting, &f->then, &f->frame, &f->found);
    assert_true(f->found.count > 0);
    f->normal = quat_rotate(f->a.pose.orientation, f->found.normal);
    f->gap = FLT_MAX;
    for (int i = 0; i < f->found.count; i++)
        f->gap = dry_min(f->gap, f->found.points[i].separation);
}

static bool overlap_at(const flight *f, double time)
{
    dry_relative_pose relative = f->start;
    relative.position = double3_add_scaled(relative.position, time, double3_of(f->meeting.velocity));
    const dry_pair_frame frame = dry_pair_frame_of(&f->a, &f->b, &relative);
    const dry_placed_pose home = {{0.0, 0.0, 0.0}, quat_identity()},
                          there = {double3_of(frame.b_in_a.position), frame.b_in_a.orientation};
    const dry_placed a = dry_placed_of(&frame.a, &home), b = dry_placed_of(&frame.b, &there);
    return dry_placed_overlap(&a, &b);
}

/* Two balls meet where |x + v t| is the sum of the radii. */
static void balls_meet_where_they_touch(void **state)
{
    (void)state;
    random_source rng = {.state = 5};
    int met = 0;
    for (int i = 0; i < 20000; i++) {
        flight f;
        draw_flight(&rng, &f, true);
        const double r = (double)f.a.geometry.size.x + (double)f.b.geometry.size.x, *x = &f.start.position.x;
        const double v[3] = {f.meeting.velocity.x, f.meeting.velocity.y, f.meeting.velocity.z};
        const double vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        const double xv = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
        const double xx = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        const double square = xv * xv - vv * (xx - r * r);
        if (xx <= r * r || square < 0.01 * vv * r * r)
            continue; /* overlap, or hardly touch */
        const double time = (-xv - sqrt(square)) / vv;
        if (time < 0 || time > 0.99 * (double)f.meeting.ahead)
            continue;
        met++;
        const double least = fmin((double)f.a.geometry.size.x, (double)f.b.geometry.size.x);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs((double)vec3_get(f.way, k) - time * v[k]) < 2e-3 * least + 1e-6);
            const double n = (x[k] + time * v[k]) / r;
            assert_true(fabs((double)vec3_get(f.normal, k) - n) < 2e-3 + 1e-5 / least);
        }
    }
    assert_true(met > 2000);
}

/* All pairs with a round shape: none overlaps before it meets, and one that passes has a normal along which
 * it is apart when the step begins and when it ends. */
static void round_shapes_meet_or_pass(void **state)
{
    (void)state;
    random_source rng = {.state = 6};
    int met = 0, passed = 0;
    for (int i = 0; i < 20000; i++) {
        flight f;
        draw_flight(&rng, &f, false);
        const double dt = (double)f.meeting.ahead, speed = (double)vec3_length(f.meeting.velocity);
        if (overlap_at(&f, 0)) {
            assert_true(vec3_length_squared(f.way) == 0);
            continue;
        }
        const double time = (double)vec3_length(f.way) / speed,
                     room = 1e-4 * (double)f.b.geometry.size.x + 1e-5;
        const double along = (double)vec3_dot(f.normal, f.meeting.velocity);
        const double begin = (double)f.gap - along * time, end = (double)f.gap + along * (dt - time);
        assert_true(begin > -room);
        if ((double)f.gap <= room) {
            met += time > 0;
            for (int k = 0; k < 8; k++)
                assert_false(overlap_at(&f, 0.999 * time * k / 8));
        } else if (end > -room) {
            passed += time > 0;
            for (int k = 1; k <= 8; k++)
                assert_false(overlap_at(&f, dt * k / 8 * (1 - 1e-4)));
        } else {
            fail_msg("flight %d: neither meets nor passes", i);
        }
    }
    assert_true(met > 2000 && passed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_meet_where_they_touch),
        cmocka_unit_test(round_shapes_meet_or_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
