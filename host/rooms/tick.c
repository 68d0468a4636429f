/* One tick: the world's workers, the function before, the cap of substeps, the step, the function after.
 *
 * Reads the room's definition and inputs. Writes its world, and then what the pool counts of it. Next:
 * host/rooms/empty.c, worker.c. */
#include "host/rooms/tick.h"

#include "core/assert.h"
#include "core/clock.h"
#include "host/rooms/empty.h"
#include "host/rooms/lend.h"
#include "host/rooms/ticks.h"
#include "world/world.h"

static int lower_cap(int cap, int than)
{
    return cap > 0 && cap < than ? cap : than;
}

/* Sets the cap of substeps by an ordinary call, if another one holds. The program's own setting comes back
 * when there is no cap. A history that goes back brings an old cap along, which no call has set. */
static void apply_cap(dry_room *room, dry_tick *tick)
{
    dry_settings settings = dry_world_get_settings(room->world);
    if (room->world->substeps_set && settings.substeps_max != room->substeps_cap)
        room->substeps_own = settings.substeps_max;
    const int most = lower_cap(room->def.substeps_max, room->substeps_own);
    const int wanted = dry_max_int(lower_cap(room->budget.cap, most), settings.substeps_min);
    room->substeps_cap = wanted == room->substeps_own ? 0 : wanted;
    tick->limits = (dry_budget_limits){(double)room->def.budget_ms, settings.substeps_min, most,
                                       settings.substeps > 0, (double)room->def.rate};
    tick->substeps_max = wanted;
    if (settings.substeps_max != wanted) {
        settings.substeps_max = wanted;
        (void)dry_world_set_settings(room->world, &settings);
    }
    room->world->substeps_set = false;
}

/* Lets a room's functions make steps again which they took back, and no others: those are the pool's. */
static void lend_steps(dry_room *room)
{
    room->world->pooled_steps = room->world->step_count;
}

/* Makes the step, or counts it if nothing would happen in it. */
static dry_result step(dry_room *room, dry_prefetch *prefetch, dry_tick *tick)
{
    if (dry_step_is_empty(room->world, room->dt)) {
        dry_step_count_empty(room->world, 1);
        tick->slept++;
        tick->stepped++;
        return DRY_OK;
    }
    dry_step_prefetches(room->world, prefetch);
    room->world->pooled_steps = UINT64_MAX;
    const dry_result result = dry_world_step(room->world, room->dt);
    dry_step_prefetches(room->world, NULL);
    tick->stepped += result == DRY_OK;
    return result;
}

void dry_tick_run(dry_room *room, const dry_input *inputs, dry_prefetch *prefetch, dry_tick *tick)
{
    const dry_room_functions *functions = &room->def.functions;
    dry_room_call call = {.rooms = room->rooms,
                          .room = room->id,
                          .world = room->world,
                          .tick = room->due_tick,
                          .inputs = inputs ? &inputs->input : NULL,
                          .result = DRY_OK,
                          .wake_at = room->wake_at > room->due_tick ? room->wake_at : 0};
    *tick = (dry_tick){.begin_ms = dry_clock_ms()};
    DRY_ASSERT(room->next <= room->due_tick);
    if (room->asleep) {
        tick->slept = tick->stepped = room->due_tick - room->next;
        dry_step_count_empty(room->world, tick->slept);
    }
    dry_lend_apply(room);
    lend_steps(room);
    if (functions->before)
        functions->before(&call, functions->user);
    apply_cap(room, tick);
    call.result = step(room, prefetch, tick);
    tick->failed = call.result != DRY_OK;
    lend_steps(room);
    if (functions->after)
        functions->after(&call, functions->user);
    const dry_statistics statistics = dry_world_statistics(room->world);
    tick->asleep = dry_step_is_empty(room->world, room->dt);
    tick->wake_at = call.wake_at < DRY_TICKS_BEGIN_END - 1 ? call.wake_at : 0;
    tick->substeps = statistics.substeps;
    tick->awake_bodies = statistics.awake_bodies;
    tick->memory_bytes = statistics.memory_bytes;
    tick->end_ms = dry_clock_ms();
}

void dry_tick_follow_cost(dry_room *room, double processor_ms)
{
    dry_cost_follow(&room->cost, processor_ms);
    dry_room_ask(
        room, room->asleep ? 0 : dry_demand_of(room->cost.ms, (double)room->def.rate / room->budget.divisor));
}

bool dry_tick_follow(dry_room *room, const dry_tick *tick)
{
    dry_rooms *rooms = room->rooms;
    dry_room_counts *counts = &room->counts;
    counts->steps += tick->stepped;
    counts->slept += tick->slept;
    counts->failed += tick->failed;
    counts->substeps = tick->substeps;
    counts->substeps_max = tick->substeps_max;
    counts->awake_bodies = tick->awake_bodies;
    counts->memory_bytes = tick->memory_bytes;
    dry_histogram_add(&counts->step, tick->end_ms - tick->begin_ms);
    if (room->def.rate > 0.0f) {
        const double late_ms = tick->begin_ms - room->due.ms;
        DRY_ASSERT(late_ms >= 0.0);
        dry_histogram_add(&counts->lateness, late_ms);
        dry_histogram_add(&rooms->lateness, late_ms);
    }
    rooms->ticks++;
    rooms->busy_ms += tick->end_ms - tick->begin_ms;
    rooms->asleep_count += tick->asleep - room->asleep;
    DRY_ASSERT(rooms->asleep_count >= 0 && rooms->asleep_count <= rooms->room_count);
    room->asleep = tick->asleep;
    room->wake_at = tick->wake_at;
    room->next = room->due_tick + 1;
    const bool changed =
        dry_budget_follow(&room->budget, &tick->limits, tick->end_ms, tick->processor_ms, tick->substeps);
    dry_tick_follow_cost(room, tick->processor_ms);
    dry_lend_decide(room, tick->processor_ms);
    return changed;
}
