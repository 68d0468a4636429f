/* Names of teams, and which of them this build has. */
#include "jobs/helpers.h"

#include <string.h>

static const char *const names[] = {
    [DRY_TEAM_OPENMP] = "openmp",
    [DRY_TEAM_THREADS] = "threads",
    [DRY_TEAM_TASKS] = "tasks",
};
_Static_assert(sizeof names / sizeof *names == DRY_TEAM_COUNT, "one name each");

const char *dry_team_name(dry_team team)
{
    return (unsigned)team < DRY_TEAM_COUNT ? names[team] : NULL;
}

bool dry_team_from_name(const char *name, dry_team *team)
{
    for (int i = 0; name && team && i < DRY_TEAM_COUNT; i++)
        if (strcmp(names[i], name) == 0) {
            *team = (dry_team)i;
            return true;
        }
    return false;
}

bool dry_team_available(dry_team team)
{
    return team == DRY_TEAM_THREADS || (team == DRY_TEAM_OPENMP && dry_openmp_built());
}
