/* Rollback: an input that comes late is played where it should have been, and a client looks ahead with the
 * body that its player touches alone.
 *
 *     cc rollback.c -o rollback $(pkg-config --cflags --libs drystone) && ./rollback */
#include <drystone/drystone.h>
#include <stdio.h>
#include <stdlib.h>

static const float dt = 1.0f / 60.0f;

static void must(dry_result result)
{
    if (result != DRY_OK) {
        fprintf(stderr, "%s\n", dry_last_error());
        exit(1);
    }
}

/* A ball on the ground. */
static dry_world *make_world(dry_body_id *ball)
{
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    def.tag = 1; /* both worlds of this program have the same ids */
    dry_world *world;
    must(dry_world_create(&def, &world));
    dry_shape_def shape = dry_default_shape_def();
    shape.type = DRY_SHAPE_HALFSPACE;
    dry_body_def body = dry_default_body_def();
    body.shapes = &shape;
    body.shape_count = 1;
    must(dry_world_create_body(world, &body, ball));
    shape.type = DRY_SHAPE_SPHERE;
    body.type = DRY_BODY_DYNAMIC;
    body.pose.position.y = 0.5;
    must(dry_world_create_body(world, &body, ball));
    return world;
}

static void step(dry_world *world, int count)
{
    for (int i = 0; i < count; i++)
        must(dry_world_step(world, dt));
}

static void jump(dry_world *world, dry_body_id ball)
{
    const dry_velocity up = {{0.0f, 5.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    must(dry_body_set_velocity(world, ball, up));
}

int main(void)
{
    dry_body_id ball;
    dry_world *late = make_world(&ball), *in_time = make_world(&ball);
    dry_history *history; /* the last 20 steps */
    must(dry_world_create_history(late, 20, &history));

    step(in_time, 13);
    jump(in_time, ball); /* the input of step 14 */
    step(in_time, 7);

    step(late, 20); /* where it comes after step 20 */
    must(dry_history_rewind(history, 7));
    jump(late, ball);
    step(late, 7);
    const bool same = dry_world_hash(late) == dry_world_hash(in_time);
    printf("the late input %s\n", same ? "counts as in time" : "was lost");

    dry_pose pose;
    for (int i = 0; i < 10; i++) /* all other bodies are held meanwhile */
        must(dry_world_step_only(late, dt, &ball, 1));
    must(dry_body_get_pose(late, ball, &pose));
    printf("in ten steps the ball will be %.1f m high\n", pose.position.y);
    must(dry_history_rewind(history, 10)); /* as the server's state replaces a prediction */
    const bool back = dry_world_hash(late) == dry_world_hash(in_time);
    dry_world_destroy(late); /* with its history */
    dry_world_destroy(in_time);
    return same && back ? 0 : 1;
}
