/* Decides how many workers the next parallel region has.
 *
 * A helper that loses its core to another process within a block keeps all others waiting for a time slice of
 * some ms. A team that twice in a row lost more time than its size gains becomes smaller, and tries a larger
 * size after a rest. Each such loss makes rests longer, and a rest's time without a loss halves them. Results
 * do not depend on the size of the team, and so not on the clock. */
#ifndef JOBS_TEAM_SIZE_H
#define JOBS_TEAM_SIZE_H

typedef struct dry_team_size {
    int most;
    int size;
    int losses; /* in a row */
    double rest_ms;
    double until_ms; /* end of the present rest */
} dry_team_size;

dry_team_size dry_team_size_of(int most);

/* Returns the size for a region that begins now. */
int dry_team_size_begin(dry_team_size *team, double now_ms);

/* Records that the region took `took_ms`, of which it lost `lost_ms` in waiting for helpers. All workers
 * together did `gain` times the calling thread's share of the loops, 1 to the size. */
void dry_team_size_end(dry_team_size *team, double now_ms, double took_ms, double lost_ms, double gain);

#endif
