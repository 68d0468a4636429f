/* The cost of public calls by the size of the world: time a call, in worlds of more and more bodies.
 *
 *   call_growth [BODIES...]     1,000, 10,000 and 100,000 by default
 *
 * The bodies are cubes that touch, in a block as deep and wide as high, after two steps. Single calls are
 * made 1,000 times on bodies chosen at random. */
#define _POSIX_C_SOURCE 200809L

#include "tools/scenes/random.h"

#include <drystone/drystone.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 1000, SIZES_MAX = 8, SHAPES_MAX = 10000 };

typedef struct block {
    dry_world *world;
    dry_body_id *body;
    dry_joint_id *joint;
    dry_shape_id *shape;
    dry_ray_hit *hit;
    dry_contact *contact;
    dry_body_id hub; /* a body apart */
    int bodies, side;
    int turn; /* of the calls of one kind */
    uint64_t random;
} block;

static void check(dry_result result, const char *what)
{
    if (result == DRY_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, dry_result_name(result));
    exit(1);
}

static void *room_for(size_t count, size_t bytes)
{
    void *room = calloc(count, bytes);
    if (!room)
        check(DRY_ERROR_MEMORY, "room");
    return room;
}

static int any(block *b, int below)
{
    return (int)(dry_random_bits(&b->random) % (uint64_t)below);
}

static dry_body_id any_body(block *b)
{
    return b->body[any(b, b->bodies)];
}

static dry_body_id add_cube(dry_world *world, dry_position at)
{
    dry_shape_def shape = dry_default_shape_def();
    shape.type = DRY_SHAPE_BOX;
    shape.half_extents = (dry_vec3){0.5f, 0.5f, 0.5f};
    dry_body_def def = dry_default_body_def();
    def.type = DRY_BODY_DYNAMIC;
    def.pose.position = at;
    def.shapes = &shape;
    def.shape_count = 1;
    dry_body_id id;
    check(dry_world_create_body(world, &def, &id), "dry_world_create_body");
    return id;
}

static void create_body(block *b)
{
    const int i = b->turn, side = b->side;
    b->body[i] = add_cube(
        b->world, (dry_position){1.001 * (i % side), 0.5 + i / side % side, 1.001 * (i / side / side)});
}

static void step(block *b)
{
    check(dry_world_step(b->world, 1.0f / 60), "dry_world_step");
}

static void set_pose(block *b)
{
    const dry_body_id id = any_body(b);
    dry_pose pose;
    check(dry_body_get_pose(b->world, id, &pose), "dry_body_get_pose");
    check(dry_body_set_pose(b->world, id, pose), "dry_body_set_pose");
}

static void set_velocity(block *b)
{
    check(dry_body_set_velocity(b->world, any_body(b), (dry_velocity){{0, 0, 0}, {0, 0, 0}}),
          "dry_body_set_velocity");
}

static void apply_impulse(block *b)
{
    check(dry_body_apply_impulse(b->world, any_body(b), (dry_vec3){0, 1, 0}), "dry_body_apply_impulse");
}

static void body_contacts(block *b)
{
    int count;
    check(dry_body_get_contacts(b->world, any_body(b), b->contact, 100, &count), "dry_body_get_contacts");
}

static dry_ray any_ray(block *b)
{
    return (dry_ray){.origin = {any(b, b->side) + 0.1, b->side + 5.0, any(b, b->side) + 0.1},
                     .translation = {0, -2.0f * (float)b->side - 10.0f, 0},
                     .mask = ~UINT64_C(0)};
}

static void cast_ray(block *b)
{
    const dry_ray ray = any_ray(b);
    check(dry_world_cast_ray(b->world, &ray, b->hit), "dry_world_cast_ray");
}

static void cast_ray_all(block *b)
{
    const dry_ray ray = any_ray(b);
    int count;
    check(dry_world_cast_ray_all(b->world, &ray, b->hit, b->bodies, &count), "dry_world_cast_ray_all");
}

static void find_overlaps(block *b, dry_position center, float half)
{
    const dry_pose pose = {center, {0, 0, 0, 1}};
    const dry_overlap overlap = {.pose = pose, .half_extents = {half, half, half}, .mask = ~UINT64_C(0)};
    int count;
    check(dry_world_overlap(b->world, &overlap, b->shape, b->bodies, &count), "dry_world_overlap");
}

static void overlap_few(block *b)
{
    find_overlaps(b, (dry_position){any(b, b->side), 0.5 + any(b, b->side), any(b, b->side)}, 0.1f);
}

static void overlap_all(block *b)
{
    find_overlaps(b, (dry_position){0, 0, 0}, 1e4f);
}

static void get_bodies(block *b)
{
    dry_body_id *ids = room_for((size_t)b->bodies, sizeof *ids);
    dry_world_get_bodies(b->world, ids, b->bodies);
    free(ids);
}

static void get_contacts(block *b)
{
    dry_world_get_contacts(b->world, b->contact, 8 * b->bodies);
}

static void statistics(block *b)
{
    (void)dry_world_statistics(b->world);
}

static void count_contacts(block *b)
{
    (void)dry_world_count_contacts(b->world);
}

static void energy(block *b)
{
    (void)dry_world_energy(b->world);
}

/* A double pyramid over a ring: as many triangles as bodies. */
static void mesh_mass(block *b)
{
    const int ring = b->bodies / 2;
    dry_vec3 *vertex = room_for((size_t)ring + 2, sizeof *vertex);
    int32_t *corner = room_for(6 * (size_t)ring, sizeof *corner);
    vertex[ring] = (dry_vec3){0.0f, 1.0f, 0.0f};
    vertex[ring + 1] = (dry_vec3){0.0f, -1.0f, 0.0f};
    for (int k = 0; k < ring; k++) {
        const double angle = 6.283185307179586 * k / ring;
        vertex[k] = (dry_vec3){(float)cos(angle), 0.0f, (float)-sin(angle)};
        const int32_t next = (k + 1) % ring, of_two[6] = {k, next, ring, next, k, ring + 1};
        for (int c = 0; c < 6; c++)
            corner[6 * k + c] = of_two[c];
    }
    const dry_mesh mesh = {vertex, corner, ring + 2, 2 * ring};
    dry_mesh_mass mass;
    check(dry_mesh_get_mass(&mesh, 1000.0f, NULL, &mass, NULL), "dry_mesh_get_mass");
    free(vertex);
    free(corner);
}

static void hash(block *b)
{
    (void)dry_world_hash(b->world);
}

static dry_joint_def joint_between(dry_body_id a, dry_body_id b, float length)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
    def.body_a = a;
    def.body_b = b;
    def.length = length;
    return def;
}

static void create_joint(block *b)
{
    const int first = any(b, b->bodies - 1);
    const dry_joint_def def = joint_between(b->body[first], b->body[first + 1], 1.0f);
    check(dry_world_create_joint(b->world, &def, &b->joint[b->turn]), "dry_world_create_joint");
}

static void destroy_joint(block *b)
{
    check(dry_joint_destroy(b->world, b->joint[b->turn]), "dry_joint_destroy");
}

static void disable_and_enable(block *b)
{
    const dry_body_id id = any_body(b);
    check(dry_body_set_enabled(b->world, id, false), "dry_body_set_enabled");
    check(dry_body_set_enabled(b->world, id, true), "dry_body_set_enabled");
}

static void change_type(block *b)
{
    const dry_body_id id = any_body(b);
    check(dry_body_set_type(b->world, id, DRY_BODY_KINEMATIC), "dry_body_set_type");
    check(dry_body_set_type(b->world, id, DRY_BODY_DYNAMIC), "dry_body_set_type");
}

static void create_shape(block *b)
{
    dry_shape_def def = dry_default_shape_def();
    def.type = DRY_SHAPE_SPHERE;
    def.radius = 0.1f;
    def.pose.position = (dry_vec3){0.3f * (float)b->turn, 0, 0};
    dry_shape_id id;
    check(dry_body_create_shape(b->world, b->hub, &def, &id), "dry_body_create_shape");
}

static void join_hub(block *b)
{
    const dry_joint_def def = joint_between(b->hub, b->body[b->turn], 100.0f);
    check(dry_world_create_joint(b->world, &def, &b->joint[b->turn]), "dry_world_create_joint");
}

static void destroy_hub(block *b)
{
    check(dry_body_destroy(b->world, b->hub), "dry_body_destroy");
}

static void destroy_body(block *b)
{
    check(dry_body_destroy(b->world, b->body[b->turn]), "dry_body_destroy");
}

static void destroy_half(block *b)
{
    check(dry_world_destroy_bodies(b->world, b->bodies / 2, b->body + b->bodies / 2),
          "dry_world_destroy_bodies");
}

typedef enum often { ONCE, SOME, EACH, SHAPES } often;

static const struct {
    const char *name;
    void (*run)(block *b);
    often often;
} calls[] = {
    {"create a body", create_body, EACH},
    {"first step", step, ONCE},
    {"second step", step, ONCE},
    {"set a pose", set_pose, SOME},
    {"set a velocity", set_velocity, SOME},
    {"apply an impulse", apply_impulse, SOME},
    {"contacts of a body", body_contacts, SOME},
    {"cast a ray", cast_ray, SOME},
    {"cast a ray through a column", cast_ray_all, SOME},
    {"overlap, a few found", overlap_few, SOME},
    {"overlap, all found", overlap_all, ONCE},
    {"all bodies", get_bodies, ONCE},
    {"all contacts", get_contacts, ONCE},
    {"statistics", statistics, ONCE},
    {"counts of contacts", count_contacts, ONCE},
    {"energy", energy, ONCE},
    {"hash", hash, ONCE},
    {"mass of a mesh of n triangles", mesh_mass, ONCE},
    {"create a joint", create_joint, SOME},
    {"destroy a joint", destroy_joint, SOME},
    {"disable and enable a body", disable_and_enable, SOME},
    {"change a type, and back", change_type, SOME},
    {"create one of n shapes, at most 10,000, at one body", create_shape, SHAPES},
    {"create one of n joints at one body", join_hub, EACH},
    {"destroy that body", destroy_hub, ONCE},
    {"destroy a body", destroy_body, SOME},
    {"destroy half of the bodies", destroy_half, ONCE},
};
enum { KINDS = (int)(sizeof calls / sizeof *calls) };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int calls_of(often how, int bodies)
{
    switch (how) {
    case ONCE:
        return 1;
    case SOME:
        return bodies / 2 < CALLS ? bodies / 2 : CALLS;
    case EACH:
        return bodies;
    default:
        return bodies < SHAPES_MAX ? bodies : SHAPES_MAX;
    }
}

static void measure(int bodies, double us[KINDS])
{
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    block b = {.bodies = bodies, .side = (int)ceil(cbrt(bodies)), .random = 7};
    check(dry_world_create(&def, &b.world), "dry_world_create");
    const size_t count = (size_t)bodies;
    b.body = room_for(count, sizeof *b.body);
    b.joint = room_for(count, sizeof *b.joint);
    b.shape = room_for(count, sizeof *b.shape);
    b.hit = room_for(count, sizeof *b.hit);
    b.contact = room_for(8 * count + 100, sizeof *b.contact);
    b.hub = add_cube(b.world, (dry_position){0, -100, 0});
    for (int k = 0; k < KINDS; k++) {
        const int times = calls_of(calls[k].often, bodies);
        const double began = seconds();
        for (b.turn = 0; b.turn < times; b.turn++)
            calls[k].run(&b);
        us[k] = 1e6 * (seconds() - began) / times;
    }
    dry_world_destroy(b.world);
    free(b.body);
    free(b.joint);
    free(b.shape);
    free(b.hit);
    free(b.contact);
}

int main(int argc, char **argv)
{
    static double us[SIZES_MAX][KINDS];
    int sizes[SIZES_MAX] = {1000, 10000, 100000}, count = 3;
    if (argc > 1)
        count = argc - 1 < SIZES_MAX ? argc - 1 : SIZES_MAX;
    for (int s = 0; s < count; s++) {
        if (argc > 1)
            sizes[s] = atoi(argv[s + 1]);
        if (sizes[s] < 8 || sizes[s] > 1000000) {
            fprintf(stderr, "call_growth: a number of bodies must be 8 to 1000000\n");
            return 2;
        }
        measure(sizes[s], us[s]);
    }
    printf("| us a call |");
    for (int s = 0; s < count; s++)
        printf(" n = %d |", sizes[s]);
    printf("\n|---|");
    for (int s = 0; s < count; s++)
        printf("--:|");
    for (int k = 0; k < KINDS; k++) {
        printf("\n| %s |", calls[k].name);
        for (int s = 0; s < count; s++)
            printf(" %.4g |", us[s][k]);
    }
    printf("\n");
    return 0;
}
