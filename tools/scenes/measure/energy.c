/* Keeps the record of a world's energy. Reads a world through dry_world_energy. */
#include "tools/scenes/measure/energy.h"

static bool moves(const dry_velocity *velocity)
{
    const dry_vec3 v = velocity->linear, w = velocity->angular;
    return v.x != 0.0f || v.y != 0.0f || v.z != 0.0f || w.x != 0.0f || w.y != 0.0f || w.z != 0.0f;
}

bool dry_scene_keeps_energy(const dry_scene *scene)
{
    for (int i = 0; i < scene->body_count; i++)
        if (scene->bodies[i].def.type == DRY_BODY_KINEMATIC && moves(&scene->bodies[i].def.velocity))
            return false;
    for (int i = 0; i < scene->joint_count; i++)
        for (int k = 0; k < DRY_AXIS_COUNT; k++)
            if (scene->joints[i].def.axes[k].motor != DRY_MOTOR_OFF)
                return false;
    return true;
}

void dry_energy_begin(dry_energy_record *record, const dry_world *world)
{
    const dry_energy energy = dry_world_energy(world);
    const double start = energy.kinetic_J + energy.elastic_J;
    *record = (dry_energy_record){energy.gravitational_J, start, start, start, 0.0};
}

void dry_energy_look(dry_energy_record *record, const dry_world *world)
{
    const dry_energy energy = dry_world_energy(world);
    const double now = energy.kinetic_J + (energy.gravitational_J - record->origin_J) + energy.elastic_J;
    record->end_J = now;
    if (now - record->least_J > record->gained_J)
        record->gained_J = now - record->least_J;
    if (now < record->least_J)
        record->least_J = now;
}
