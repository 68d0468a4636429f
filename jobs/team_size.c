#include "jobs/team_size.h"

#include "core/assert.h"
#include "core/math.h"

/* A short disturbance costs a step or two. Lasting other work costs some time slices at first, then one a
 * second. */
#define REST_MS_MIN 1.0
#define REST_MS_MAX 1000.0
#define REST_GROWTH 4.0

/* This number of losses in a row makes the team smaller. A single one may be the waking of a helper, which
 * takes ms on a virtual machine; every try after a rest would then fail, and the next rest would be longer.
 */
enum { LOSSES_MAX = 2 };

static int smaller(int size)
{
    return size > 1 ? size - dry_max_int(size / 4, 1) : 1;
}

dry_team_size dry_team_size_of(int most)
{
    return (dry_team_size){.most = most, .size = most, .rest_ms = REST_MS_MIN};
}

int dry_team_size_begin(dry_team_size *team, double now_ms)
{
    if (team->size < team->most && now_ms >= team->until_ms) {
        team->size = dry_min_int(team->most, team->size + dry_max_int(team->size / 3, 1));
        team->until_ms = now_ms + team->rest_ms;
    }
    DRY_ASSERT(team->size >= 1 && team->size <= team->most);
    return team->size;
}

/* Returns the gain of a smaller team, whose helpers do as much each. */
static double gain_of(int less, int size, double gain)
{
    return size > 1 ? 1.0 + (gain - 1.0) * (less - 1) / (size - 1) : 1.0;
}

void dry_team_size_end(dry_team_size *team, double now_ms, double took_ms, double lost_ms, double gain)
{
    /* A smaller team that loses nothing takes at most (took - lost) gain / its gain. */
    const int less = smaller(team->size);
    DRY_ASSERT(less >= 1 && less <= team->size && team->losses < LOSSES_MAX);
    const bool loses = (took_ms - lost_ms) * gain < took_ms * gain_of(less, team->size, gain);
    team->losses = loses ? team->losses + 1 : 0;
    if (team->losses == LOSSES_MAX) {
        team->losses = 0;
        team->size = less;
        team->rest_ms = team->rest_ms < REST_MS_MAX / REST_GROWTH ? team->rest_ms * REST_GROWTH : REST_MS_MAX;
        team->until_ms = now_ms + team->rest_ms;
    } else if (!loses && team->size == team->most && now_ms >= team->until_ms) {
        team->rest_ms = team->rest_ms > REST_MS_MIN * 2.0 ? team->rest_ms / 2.0 : REST_MS_MIN;
        team->until_ms = now_ms + team->rest_ms;
    }
}
