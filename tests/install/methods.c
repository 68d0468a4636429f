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

int main(void)
{
#ifdef WITH_METHODS
    dry_methods_register();
#endif
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    def.settings.method.solver = DRY_SOLVER_AVBD;
    dry_world *world = NULL;
    dry_result result = say("avbd", dry_world_create(&def, &world));
    if (result == DRY_OK)
        result = dry_world_step(world, 1.0f / 60.0f);
    dry_world_destroy(world);

    world = NULL;
    def.settings.method = dry_default_settings().method;
    def.settings.method.order = DRY_ORDER_LAYERS_UP;
    const dry_result ordered = say("layers-up", dry_world_create(&def, &world));
    if (ordered == DRY_OK && dry_world_step(world, 1.0f / 60.0f) != DRY_OK)
        return 2;
    dry_world_destroy(world);

    world = NULL;
    def = dry_default_world_def();
    def.threads = 1;
    def.settings.method.integrator = DRY_INTEGRATOR_EULER;
    const dry_result turned = say("euler", dry_world_create(&def, &world));
    dry_world_destroy(world);

    world = NULL;
    def.settings = dry_default_settings();
    if (dry_world_create(&def, &world) != DRY_OK)
        return 2;
    dry_shape_def box = dry_default_shape_def();
    dry_body_def body = dry_default_body_def();
    body.type = DRY_BODY_DYNAMIC;
    body.shapes = &box;
    body.shape_count = 1;
    dry_joint_def ball = dry_default_joint_def(DRY_JOINT_BALL);
    ball.solver = DRY_JOINT_SOLVER_DIRECT;
    dry_joint_id joint;
    if (dry_world_create_body(world, &body, &ball.body_b) != DRY_OK)
        return 2;
    const dry_result made = say("direct", dry_world_create_joint(world, &ball, &joint));
    if (made == DRY_OK && dry_world_step(world, 1.0f / 60.0f) != DRY_OK)
        return 2;
    const dry_result kept = say("save", keep(world, "SAVE"));
    dry_settings settings = dry_world_get_settings(world);
    settings.joint_solver = DRY_JOINT_SOLVER_AUTO;
    const dry_result set = say("auto", dry_world_set_settings(world, &settings));
    dry_world_destroy(world);

    world = NULL;
    if (dry_world_create(&def, &world) != DRY_OK)
        return 2;
    dry_volume_def four = {.joint = dry_default_joint_def(DRY_JOINT_VOLUME)};
    dry_body_id *const corner[] = {&four.joint.body_a, &four.joint.body_b, &four.body_c, &four.body_d};
    for (int i = 0; i < 4; i++)
        if (dry_world_create_body(world, &body, corner[i]) != DRY_OK)
            return 2;
    const dry_result held = say("volume", dry_world_create_volumes(world, 1, &four, &joint));
    if (dry_world_step(world, 1.0f / 60.0f) != DRY_OK)
        return 2;
    const dry_result again = say("save", keep(world, "SAVE_VOLUME"));
    dry_world_destroy(world);
    return result == DRY_OK && ordered == DRY_OK && held == DRY_OK && again == DRY_OK && made == DRY_OK &&
                   set == DRY_OK && turned == DRY_OK && kept == DRY_OK
               ? 0
               : 1;
}
