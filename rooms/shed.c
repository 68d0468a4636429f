/* Shares of ticks by priority. Reads the demand of rooms. Next: schedule.c, which leaves ticks out. */
#include "rooms/shed.h"

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
    }
}
