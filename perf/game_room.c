/* A room of a game (game_room.h). Draws what players do from the room's seed. Next: bench_rooms.c. */
#include "perf/game_room.h"

#include "perf/bench.h"

#include <time.h>

static const float HALF_ROOM = 10.0f; /* m */
enum { RAYS = 4, TURN_TICKS = 30, DOOR_TICKS = 120, PUSH_TICKS = 60 };

static dry_body_id add(dry_world *world, dry_body_def *def, dry_shape_def *shape, double x, double y,
                       double z)
{
    dry_body_id id;
    def->pose.position = (dry_position){x, y, z};
    def->shapes = shape;
    def->shape_count = 1;
    bench_check(dry_world_create_body(world, def, &id), "a body");
    return id;
}

static void add_walls(dry_world *world)
{
    dry_body_def def = dry_default_body_def();
    dry_shape_def floor = dry_default_shape_def(), wall = dry_default_shape_def();
    floor.type = DRY_SHAPE_HALFSPACE;
    def.type = DRY_BODY_STATIC;
    add(world, &def, &floor, 0.0, 0.0, 0.0);
    for (int i = 0; i < 4; i++) {
        const double side = i % 2 ? 1.0 : -1.0, far = side * ((double)HALF_ROOM + 0.5);
        const bool along_x = i < 2;
        wall.half_extents = along_x ? (dry_vec3){0.5f, 3.0f, HALF_ROOM} : (dry_vec3){HALF_ROOM, 3.0f, 0.5f};
        add(world, &def, &wall, along_x ? far : 0.0, 3.0, along_x ? 0.0 : far);
    }
}

/* Adds boxes in 20 stacks of five. */
static void add_boxes(dry_world *world, uint64_t *seed)
{
    dry_body_def def = dry_default_body_def();
    dry_shape_def box = dry_default_shape_def();
    def.type = DRY_BODY_DYNAMIC;
    box.half_extents = (dry_vec3){0.4f, 0.4f, 0.4f};
    for (int i = 0; i < GAME_BOXES; i++) {
        const float shift = bench_random_in(seed, -0.1f, 0.1f);
        add(world, &def, &box, 3.5 * (i / 5 % 5 - 2) + (double)shift, 0.4 + 0.8 * (i % 5),
            3.5 * (i / 25) - 5.0);
    }
}

static void add_players(dry_world *world, game_room *room)
{
    dry_body_def def = dry_default_body_def();
    dry_shape_def capsule = dry_default_shape_def();
    capsule.type = DRY_SHAPE_CAPSULE;
    capsule.radius = 0.3f;
    capsule.half_length = 0.6f;
    def.type = DRY_BODY_DYNAMIC;
    def.locks = DRY_LOCK_ANGULAR_X | DRY_LOCK_ANGULAR_Y | DRY_LOCK_ANGULAR_Z;
    for (int i = 0; i < GAME_PLAYERS; i++)
        room->player[i] = add(world, &def, &capsule, 2.2 * i - 8.0, 0.9, -8.5);
}

/* Adds doors on hinges that a motor turns about the vertical axis. */
static void add_doors(dry_world *world, game_room *room)
{
    const float half = 0.70710678f;
    const dry_quat x_up = {0.0f, 0.0f, half, half};
    dry_body_def def = dry_default_body_def();
    dry_shape_def leaf = dry_default_shape_def();
    dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
    def.type = DRY_BODY_DYNAMIC;
    leaf.half_extents = (dry_vec3){0.6f, 1.0f, 0.05f};
    hinge.anchor_b = (dry_vec3){-0.6f, 0.0f, 0.0f};
    hinge.orientation_a = hinge.orientation_b = x_up;
    hinge.axes[DRY_AXIS_RX].motor = DRY_MOTOR_POSITION;
    hinge.axes[DRY_AXIS_RX].force_max = 200.0f;
    for (int i = 0; i < GAME_DOORS; i++) {
        const double x = 4.0 * i - 6.0;
        hinge.body_b = add(world, &def, &leaf, x, 1.05, 8.0);
        hinge.target = (dry_position){x - 0.6, 1.05, 8.0};
        bench_check(dry_world_create_joint(world, &hinge, &room->door[i]), "a door");
    }
}

dry_world *game_room_world(game_room *room, uint64_t seed)
{
    dry_world_def def = dry_default_world_def();
    dry_world *world;
    room->seed = seed;
    def.threads = 1;
    def.count_stage_times = false;
    bench_check(dry_world_create(&def, &world), "a world");
    add_walls(world);
    add_boxes(world, &room->seed);
    add_players(world, room);
    add_doors(world, room);
    return world;
}

static double processor_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Lets a player look around, and push the box that it meets once a second. */
static void look(dry_world *world, game_room *room, int player, bool pushes)
{
    dry_pose pose;
    dry_ray_hit hit;
    dry_shape_id near[16];
    int count;
    bench_check(dry_body_get_pose(world, room->player[player], &pose), "a pose");
    for (int i = 0; i < RAYS; i++) {
        dry_ray ray = {
            .origin = pose.position, .mask = UINT64_MAX, .ignore = &room->player[player], .ignore_count = 1};
        ray.translation.x = bench_random_in(&room->seed, -8.0f, 8.0f);
        ray.translation.y = bench_random_in(&room->seed, -0.5f, 0.5f);
        ray.translation.z = bench_random_in(&room->seed, -8.0f, 8.0f);
        bench_check(dry_world_cast_ray(world, &ray, &hit), "a ray");
        if (pushes && i == 0 && hit.shape.bits != 0)
            (void)dry_body_apply_impulse(
                world, hit.body, (dry_vec3){20.0f * ray.translation.x, 0.0f, 20.0f * ray.translation.z});
    }
    const dry_overlap sphere = {.pose = pose, .radius = 1.5f, .mask = UINT64_MAX};
    bench_check(dry_world_overlap(world, &sphere, near, 16, &count), "an overlap");
}

static void walk(dry_world *world, game_room *room, int player)
{
    dry_velocity velocity;
    bench_check(dry_body_get_velocity(world, room->player[player], &velocity), "a velocity");
    velocity.linear.x = bench_random_in(&room->seed, -4.0f, 4.0f);
    velocity.linear.z = bench_random_in(&room->seed, -4.0f, 4.0f);
    bench_check(dry_body_set_velocity(world, room->player[player], velocity), "a walk");
}

void game_room_before(dry_room_call *call, void *user)
{
    game_room *room = user;
    dry_joint_def def;
    for (int i = 0; i < GAME_PLAYERS; i++) {
        const uint64_t tick = call->tick + 7 * (uint64_t)i;
        if (tick % TURN_TICKS == 0)
            walk(call->world, room, i);
        look(call->world, room, i, tick % PUSH_TICKS == 0);
    }
    for (int i = 0; i < GAME_DOORS; i++)
        if ((call->tick + 30 * (uint64_t)i) % DOOR_TICKS == 0) {
            bench_check(dry_joint_get_def(call->world, room->door[i], &def), "a door");
            def.axes[DRY_AXIS_RX].position = def.axes[DRY_AXIS_RX].position > 0.5f ? 0.0f : 1.4f;
            bench_check(dry_joint_set_def(call->world, room->door[i], &def), "a door's motor");
        }
    room->began_s = processor_s();
}

void game_room_after(dry_room_call *call, void *user)
{
    game_room *room = user;
    const double took_s = processor_s() - room->began_s;
    const uint64_t settling = (uint64_t)room->settling;
    if (call->tick < settling || call->tick - settling >= (uint64_t)room->steps)
        return;
    double *least_s = &room->step_s[call->tick - settling];
    *least_s = took_s < *least_s ? took_s : *least_s;
}
