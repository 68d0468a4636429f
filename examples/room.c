/* A room of a game: a level, a door that a trigger opens, a belt that carries a crate through it, a lift with
 * a passenger, two ragdolls, and rays.
 *
 *     cc room.c -o room $(pkg-config --cflags --libs drystone) && ./room */
#include <drystone/drystone.h>
#include <stdio.h>
#include <stdlib.h>

/* The kinds of shapes, for queries: bits of its filter's category. */
enum { LEVEL = 1, DOOR = 2, CRATE = 4, FIGURE = 8 };

static const float dt = 1.0f / 60.0f;
static const dry_body_id the_world = {0};

static void must(dry_result result)
{
    if (result != DRY_OK) {
        fprintf(stderr, "%s\n", dry_last_error());
        exit(1);
    }
}

static dry_shape_def box(float x, float y, float z, uint64_t category)
{
    dry_shape_def shape = dry_default_shape_def();
    shape.half_extents = (dry_vec3){x, y, z};
    shape.filter.category = category;
    return shape;
}

static dry_body_id add(dry_world *world, dry_body_type type, dry_position at, const dry_shape_def *shapes,
                       int count)
{
    dry_body_def def = dry_default_body_def();
    def.type = type;
    def.pose.position = at;
    def.shapes = shapes;
    def.shape_count = count;
    dry_body_id id;
    must(dry_world_create_body(world, &def, &id));
    return id;
}

/* The ground, two walls beside the doorway at x = 6, and the far wall, in one static body. */
static dry_body_id add_level(dry_world *world)
{
    dry_shape_def shapes[4] = {box(1, 1, 1, LEVEL), box(0.1f, 1.5f, 1.5f, LEVEL),
                               box(0.1f, 1.5f, 1.5f, LEVEL), box(0.1f, 1.5f, 4, LEVEL)};
    shapes[0].type = DRY_SHAPE_HALFSPACE; /* all points with y <= 0 */
    shapes[1].pose.position = (dry_vec3){6, 1.5f, -2.15f};
    shapes[2].pose.position = (dry_vec3){6, 1.5f, 2.15f};
    shapes[3].pose.position = (dry_vec3){12, 1.5f, 0};
    return add(world, DRY_BODY_STATIC, (dry_position){0, 0, 0}, shapes, 4);
}

/* A surface that moves past its body. */
static void add_belt(dry_world *world)
{
    dry_material belt = dry_default_material();
    belt.surface_velocity = (dry_vec3){1.5f, 0, 0}; /* m/s */
    dry_shape_def shape = box(4, 0.1f, 0.5f, LEVEL);
    shape.materials = &belt;
    shape.material_count = 1;
    add(world, DRY_BODY_STATIC, (dry_position){4, 0.1, 0}, &shape, 1);
}

typedef struct door {
    dry_body_id panel;
    dry_joint_id hinge;
} door;

/* A panel on a hinge, whose motor holds it shut. */
static door add_door(dry_world *world)
{
    const dry_shape_def shape = box(0.05f, 1, 0.6f, DOOR);
    door d = {.panel = add(world, DRY_BODY_DYNAMIC, (dry_position){6, 1.25, 0}, &shape, 1)};
    dry_joint_def hinge =
        dry_hinge_def(world, the_world, d.panel, (dry_position){6, 1.25, -0.6}, (dry_vec3){0, 1, 0});
    dry_joint_axis *axis = &hinge.axes[DRY_AXIS_RX];
    axis->min = 0; /* rad */
    axis->max = 1.5f;
    axis->motor = DRY_MOTOR_POSITION;
    axis->motor_hertz = 1;
    must(dry_world_create_joint(world, &hinge, &d.hinge));
    return d;
}

enum { LIMBS = 4, JOINTS = LIMBS + 1 };

typedef struct ragdoll {
    dry_body_id torso;
    dry_joint_id joints[JOINTS];
} ragdoll;

/* A torso with a head, two arms and two legs, each on a joint with a cone of its own. */
static ragdoll add_ragdoll(dry_world *world, dry_position at)
{
    static const struct {
        float x, y, length, swing; /* where the joint is, from the torso; m, rad */
    } limbs[LIMBS] = {{-0.25f, 0.25f, 0.5f, 1.4f},
                      {0.25f, 0.25f, 0.5f, 1.4f},
                      {-0.12f, -0.4f, 0.8f, 0.8f},
                      {0.12f, -0.4f, 0.8f, 0.8f}};
    const dry_shape_def trunk = box(0.2f, 0.35f, 0.12f, FIGURE);
    ragdoll doll = {.torso = add(world, DRY_BODY_DYNAMIC, at, &trunk, 1)};
    for (int i = 0; i < JOINTS; i++) {
        dry_shape_def shape = box(1, 1, 1, FIGURE);
        shape.type = DRY_SHAPE_CAPSULE;
        shape.radius = i < LIMBS ? 0.07f : 0.12f; /* the last one is the head */
        shape.half_length = i < LIMBS ? 0.5f * limbs[i].length - 0.07f : 0.02f;
        dry_position joint = {at.x, at.y + 0.38, at.z}, center = {at.x, at.y + 0.52, at.z};
        if (i < LIMBS) {
            joint = (dry_position){at.x + limbs[i].x, at.y + limbs[i].y, at.z};
            center = (dry_position){joint.x, joint.y - 0.5 * limbs[i].length, at.z};
        }
        const dry_body_id limb = add(world, DRY_BODY_DYNAMIC, center, &shape, 1);
        dry_joint_def def = dry_cone_twist_def(world, doll.torso, limb, joint, (dry_vec3){0, -1, 0});
        def.swing_max = i < LIMBS ? limbs[i].swing : 0.5f;
        def.axes[DRY_AXIS_RX].min = -0.5f;
        def.axes[DRY_AXIS_RX].max = 0.5f;
        must(dry_world_create_joint(world, &def, &doll.joints[i]));
    }
    return doll;
}

/* Returns the body that somebody who looks along the corridor sees. */
static dry_body_id seen(const dry_world *world)
{
    dry_ray ray = dry_default_ray();
    ray.origin = (dry_position){3, 1.3, 0};
    ray.translation = (dry_vec3){20, 0, 0};
    ray.mask = LEVEL | DOOR;
    dry_ray_hit hit;
    must(dry_world_cast_ray(world, &ray, &hit));
    return hit.body;
}

/* A trigger: a part of the room that tells whether a crate is in it. */
static bool is_triggered(const dry_world *world)
{
    dry_overlap zone = dry_default_overlap();
    zone.pose.position = (dry_position){4, 0.7, 0};
    zone.mask = CRATE;
    bool met;
    must(dry_world_overlap_any(world, &zone, &met));
    return met;
}

int main(void)
{
    const dry_world_def world_def = dry_default_world_def();
    dry_world *world;
    must(dry_world_create(&world_def, &world));
    const dry_body_id level = add_level(world);
    add_belt(world);
    const door door = add_door(world);
    const dry_shape_def cube = box(0.3f, 0.3f, 0.3f, CRATE), platform = box(0.6f, 0.1f, 0.6f, LEVEL);
    const dry_body_id crate = add(world, DRY_BODY_DYNAMIC, (dry_position){0.5, 0.5, 0}, &cube, 1);
    const dry_body_id lift = add(world, DRY_BODY_KINEMATIC, (dry_position){-2, 0.1, 0}, &platform, 1);
    const dry_body_id passenger = add(world, DRY_BODY_DYNAMIC, (dry_position){-2, 0.5, 0}, &cube, 1);
    const ragdoll dolls[2] = {add_ragdoll(world, (dry_position){0, 1.8, 2}),
                              add_ragdoll(world, (dry_position){2, 2.5, 2})};
    const bool shut = seen(world).bits == door.panel.bits;

    for (int step = 1; step <= 360; step++) { /* six seconds */
        if (is_triggered(world))
            must(dry_joint_set_motor(world, door.hinge, DRY_AXIS_RX, DRY_MOTOR_POSITION, 1.4f));
        if (step <= 120) { /* 1 m/s upward; the body arrives at the end of the step */
            const dry_pose next = {{-2, 0.1 + step * (double)dt, 0}, {0, 0, 0, 1}};
            must(dry_body_move_to(world, lift, next, dt));
        }
        must(dry_world_step(world, dt));
    }

    dry_joint_axis_state hinge;
    dry_pose carried, lifted;
    float gap, turn, worst = 0;
    must(dry_joint_get_axis(world, door.hinge, DRY_AXIS_RX, &hinge));
    must(dry_body_get_pose(world, crate, &carried));
    must(dry_body_get_pose(world, passenger, &lifted));
    for (int i = 0; i < 2 * JOINTS; i++) {
        must(dry_joint_get_error(world, dolls[i / JOINTS].joints[i % JOINTS], &gap, &turn));
        worst = gap > worst ? gap : worst;
    }
    const bool open = seen(world).bits == level.bits, closed = worst < 0.01f;
    printf("one sees %s, and then %s\n", shut ? "the door" : "?", open ? "the far wall" : "?");
    printf("the door is open by %.1f rad, and the crate is %.1f m behind it\n", hinge.value,
           carried.position.x - 6);
    printf("the passenger of the lift is %.1f m up\n", lifted.position.y);
    printf("the joints of the ragdolls are open by %s than 1 cm\n", closed ? "less" : "more");
    dry_world_destroy(world);
    return shut && open && closed && carried.position.x > 7 && lifted.position.y > 2.4 ? 0 : 1;
}
