/* Shares of ticks by priority. Reads the demand of rooms. Writes shares. Next: schedule.c, which leaves ticks
 * out. */
#include "host/rooms/shed.h"

#include "core/assert.h"

#include <math.h>

double dry_demand_load(const dry_demand *demand, int workers)
{
    int64_t all = 0;
    for (int p = 0; p < DRY_ROOM_PRIORITIES; p++)
        all += demand->asked[p];
    return 1e-9 * (double)all / workers;
}

void dry_shed_shares(const dry_demand *demand, int workers, double load_max,
                     double share[DRY_ROOM_PRIORITIES])
{
    double left = 1e9 * load_max * workers;
    for (int p = DRY_ROOM_PRIORITIES - 1; p >= 0; p--) {
        const double asked = (double)demand->asked[p];
        share[p] = asked <= left ? 1.0 : left / asked;
        left -= asked <= left ? asked : left;
        DRY_ASSERT(asked >= 0.0 && left >= 0.0);
    }
}

dry_shares dry_shares_new(void)
{
    dry_shares shares = {.oldest = 0};
    for (int p = 0; p < DRY_ROOM_PRIORITIES; p++) {
        shares.now[p] = 1.0;
        for (int i = 0; i < DRY_SHARE_SAMPLES; i++)
            shares.called_for[i][p] = 1.0;
    }
    return shares;
}

void dry_shares_follow(dry_shares *shares, const dry_demand *demand, int workers, double load_max)
{
    dry_shed_shares(demand, workers, load_max, shares->called_for[shares->oldest]);
    shares->oldest = (shares->oldest + 1) % DRY_SHARE_SAMPLES;
    for (int p = 0; p < DRY_ROOM_PRIORITIES; p++) {
        shares->now[p] = 0.0;
        for (int i = 0; i < DRY_SHARE_SAMPLES; i++)
            shares->now[p] = fmax(shares->now[p], shares->called_for[i][p]);
        DRY_ASSERT(shares->now[p] >= 0.0 && shares->now[p] <= 1.0);
    }
}

bool dry_shares_are_whole(const dry_shares *shares)
{
    bool whole = true;
    for (int p = 0; p < DRY_ROOM_PRIORITIES; p++)
        whole = whole && shares->now[p] >= 1.0;
    return whole;
}
