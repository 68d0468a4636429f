/* How many workers the next gathering has.
 *
 * A helper that loses its core to another process in the middle of a block keeps everyone waiting until it
 * has a core again, a scheduler's slice of some ms. A team that lost more time than its size gains, twice in
 * a row, is made smaller, and after a rest tries one size more. Each such loss makes rests longer; a rest's
 * time without one halves them. Results do not depend on the size of the team, so not on the clock either.
 */
#ifndef JOBS_TEAM_SIZE_H
#define JOBS_TEAM_SIZE_H

typedef struct dry_team_size {
    int most;
    int size;
    int losses; /* in a row */
    double rest_ms;
    double until_ms; /* when the present rest is over */
} dry_team_size;

dry_team_size dry_team_size_of(int most);

/* The size for a gathering that begins now. */
int dry_team_size_begin(dry_team_size *team, double now_ms);

/* That gathering took so long, of which so much was waiting for helpers. */
void dry_team_size_end(dry_team_size *team, double now_ms, double took_ms, double lost_ms);

#endif
