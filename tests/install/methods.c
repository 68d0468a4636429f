/* A program of another project that asks for a solver and an order of sweeps of the second volume, for a
 * joint that is solved directly, and for one of volume. Prints what the engine says, and returns 0 if all
 * step. Built by test_install with that library, which saves worlds to the files that SAVE and SAVE_VOLUME
 * name, and without it, which loads these files. */
#include <drystone/drystone.h>

#include <stdio.h>
#include <stdlib.h>

static dry_result say(const char *what, dry_result result)
{
    printf("%s: %s\n", what, result == DRY_OK ? "ok" : dry_last_error());
    return result;
}

#ifdef WITH_METHODS
static bool write(void *file, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, file) == size;
}

static dry_result keep(dry_world *world, const char *name)
{
    FILE *file = fopen(getenv(name), "wb");
    if (!file)
        return DRY_ERROR_ARGUMENT;
    const dry_sink sink = {write, file};
    const dry_result result = dry_world_save(world, NULL, &sink);
    fclose(file);
    return result;
}
#else
static dry_result keep(dry_world *world, const char *name)
{
    static char bytes[1 << 20];
    FILE *file = fopen(getenv(name), "rb");
    if (!file)
        return DRY_ERROR_ARGUMENT;
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return dry_world_restore(world, bytes, size, NULL, NULL);
}
#endif

static dry_world *make(dry_method_settings method, const char *what, bool *all)
{
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    def.settings.method = method;
    dry_world *world = NULL;
    *all &= say(what, dry_world_create(&def, &world)) == DRY_OK;
    return world;
}

/* Adds a body of one box. */
static dry_body_id add_body(dry_world *world)
{
    dry_shape_def box = dry_default_shape_def();
    dry_body_def def = dry_default_body_def();
    def.type = DRY_BODY_DYNAMIC;
    def.shapes = &box;
    def.shape_count = 1;
    dry_body_id body = {0};
    dry_world_create_body(world, &def, &body);
    return body;
}

/* Asks for a world with settings of a method, and steps it: kernels of the library sweep a joint and
 * contacts.
 */
static void try_method(dry_method_settings method, const char *what, bool *all)
{
    dry_world *world = make(method, what, all);
    dry_joint_def ball = dry_default_joint_def(DRY_JOINT_BALL);
    dry_joint_id joint;
    if (!world)
        return;
    ball.body_a = add_body(world), ball.body_b = add_body(world), add_body(world);
    *all &= dry_world_create_joint(world, &ball, &joint) == DRY_OK;
    *all &= dry_world_step(world, 1.0f / 60.0f) == DRY_OK;
    dry_world_destroy(world);
}

static void try_direct(bool *all)
{
    dry_world *world = make(dry_default_settings().method, "default", all);
    dry_joint_def ball = dry_default_joint_def(DRY_JOINT_BALL);
    ball.solver = DRY_JOINT_SOLVER_DIRECT;
    ball.body_b = add_body(world);
    dry_joint_id joint;
    *all &= say("direct", dry_world_create_joint(world, &ball, &joint)) == DRY_OK;
    *all &= dry_world_step(world, 1.0f / 60.0f) == DRY_OK;
    *all &= say("save", keep(world, "SAVE")) == DRY_OK;
    dry_settings settings = dry_world_get_settings(world);
    settings.joint_solver = DRY_JOINT_SOLVER_AUTO;
    *all &= say("auto", dry_world_set_settings(world, &settings)) == DRY_OK;
    dry_world_destroy(world);
}

static void try_volume(bool *all)
{
    dry_world *world = make(dry_default_settings().method, "default", all);
    dry_volume_def four = {.joint = dry_default_joint_def(DRY_JOINT_VOLUME)};
    dry_body_id *const corner[] = {&four.joint.body_a, &four.joint.body_b, &four.body_c, &four.body_d};
    for (int i = 0; i < 4; i++)
        *corner[i] = add_body(world);
    dry_joint_id joint;
    *all &= say("volume", dry_world_create_volumes(world, 1, &four, &joint)) == DRY_OK;
    *all &= dry_world_step(world, 1.0f / 60.0f) == DRY_OK;
    *all &= say("save", keep(world, "SAVE_VOLUME")) == DRY_OK;
    dry_world_destroy(world);
}

int main(void)
{
#ifdef WITH_METHODS
    dry_methods_register();
#endif
    bool all = true;
    dry_method_settings method = dry_default_settings().method;
    method.solver = DRY_SOLVER_AVBD;
    try_method(method, "avbd", &all);
    method.solver = DRY_SOLVER_XPBD;
    try_method(method, "xpbd", &all);
    method = dry_default_settings().method;
    method.order = DRY_ORDER_LAYERS_UP;
    try_method(method, "layers-up", &all);
    method = dry_default_settings().method;
    method.integrator = DRY_INTEGRATOR_EULER;
    try_method(method, "euler", &all);
    method = dry_default_settings().method;
    method.friction = DRY_FRICTION_VELOCITY;
    try_method(method, "velocity", &all);
    method = dry_default_settings().method;
    method.joint_regularization = 1e-8;
    try_method(method, "regularization", &all);
    try_direct(&all);
    try_volume(&all);
    return all ? 0 : 1;
}
