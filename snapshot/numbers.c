/* Numbers of a world, which are input as calls are: recordings hold them.
 *
 * Reads: what the slots want. Writes: leases. Next: snapshot/record.h. */
#include "snapshot/numbers.h"

#include "snapshot/record.h"
#include "world/check.h"

dry_result dry_draw_numbers(dry_world *world, const char *name)
{
    const int wanted = dry_max_int(dry_max_int(world->bodies.slots.wanted, world->shapes.slots.wanted),
                                   world->joints.slots.wanted);
    const int had = world->leases.count;
    const bool drawn = wanted <= had || dry_leases_draw(&world->leases, wanted);
    for (int i = had; i < world->leases.count; i++)
        (void)DRY_RECORD(world, dry_world_take_lease, &world->leases.first[i]);
    return drawn
               ? DRY_OK
               : dry_world_fail(world, DRY_ERROR_NUMBERS, "%s: the process has no world numbers left", name);
}

dry_result dry_world_take_lease(dry_world *world, uint64_t first)
{
    dry_leases leases = world->leases;
    const char *error = "a world has at most 16 leases";
    if (leases.count < DRY_LEASES_MAX) {
        leases.first[leases.count++] = first;
        error = dry_leases_error(&leases);
    }
    if (error)
        return dry_refuse(world, __func__, error);
    dry_leases_pass_over(&leases);
    world->leases = leases;
    return DRY_OK;
}
