/* Finds the control groups of this process and reads their limits.
 *
 * A line of /proc/self/cgroup names the group of a hierarchy: "0::/path" for version 2, "4:cpu,cpuacct:/path"
 * for version 1. A line of /proc/self/mountinfo says which group of the hierarchy is seen where: in a
 * container the group at the mount point is mostly the container's own. Limits hold for all groups below, so
 * every folder from the process's own up to the mount point is asked. */
#include "jobs/cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Linux has no longer path, and longer lines of the two files are no groups of processors. */
enum { PATH_BYTES = 4096, LINE_BYTES = 2 * PATH_BYTES, TEXT_BYTES = 64 };

/* A share below one processor is one worker all the same. A worker beyond the whole processors would make
 * all others wait once the share is used, so parts of a processor count for nothing. */
static int whole_processors(double quota, double period)
{
    const double processors = quota / period;
    if (!(quota >= 0.0) || !(period > 0.0) || processors >= DRY_CGROUP_UNLIMITED)
        return DRY_CGROUP_UNLIMITED;
    return processors < 1.0 ? 1 : (int)processors;
}

/* Reads a number of microseconds, and sets *rest to what follows. Returns a negative one if there is none. */
static double microseconds(const char *text, const char **rest)
{
    char *end;
    const long long number = strtoll(text, &end, 10);
    *rest = end;
    return end == text || (*end && !strchr(" \n", *end)) ? -1.0 : (double)number;
}

int dry_cgroup_parse_max(const char *text)
{
    const char *rest, *end;
    const double quota = microseconds(text, &rest);
    return quota < 0.0 ? DRY_CGROUP_UNLIMITED : whole_processors(quota, microseconds(rest, &end));
}

int dry_cgroup_parse_quota(const char *quota, const char *period)
{
    const char *end;
    return whole_processors(microseconds(quota, &end), microseconds(period, &end));
}

/* Reads the begin of a small file. Returns false if there is none. */
static bool read_text(const char *folder, const char *name, char text[TEXT_BYTES])
{
    char path[LINE_BYTES];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const size_t bytes = fread(text, 1, TEXT_BYTES - 1, file);
    fclose(file);
    text[bytes] = '\0';
    return bytes > 0;
}

/* Returns the limit of one group. */
static int limit_of(const char *folder, bool unified)
{
    char quota[TEXT_BYTES], period[TEXT_BYTES];
    if (unified)
        return read_text(folder, "cpu.max", quota) ? dry_cgroup_parse_max(quota) : DRY_CGROUP_UNLIMITED;
    return read_text(folder, "cpu.cfs_quota_us", quota) && read_text(folder, "cpu.cfs_period_us", period)
               ? dry_cgroup_parse_quota(quota, period)
               : DRY_CGROUP_UNLIMITED;
}

/* Tells whether a list of words with commas between them has a word. */
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* Finds this process's group in the hierarchy. Returns false if it has none there. */
static bool find_group(const char *root, bool unified, char group[PATH_BYTES])
{
    char line[LINE_BYTES];
    bool found = false;
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *file = fopen(line, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        found = (unified ? strcmp(line, "0:") == 0 : has_word(list + 1, "cpu")) && strlen(path) < PATH_BYTES;
        if (found)
            strcpy(group, path);
    }
    if (file)
        fclose(file);
    return found;
}

typedef struct mount {
    char group[PATH_BYTES]; /* the one that is seen at the mount point */
    char point[PATH_BYTES];
} mount;

/* Finds where the hierarchy is mounted: "36 25 0:30 /group /point options ... - cgroup2 cgroup2 options". */
static bool find_mount(const char *root, bool unified, mount *found)
{
    char line[LINE_BYTES];
    bool is_found = false;
    snprintf(line, sizeof line, "%s/proc/self/mountinfo", root);
    FILE *file = fopen(line, "r");
    while (file && !is_found && fgets(line, sizeof line, file)) {
        char type[16], options[256] = "";
        const char *dash = strstr(line, " - ");
        if (!dash || sscanf(dash, " - %15s %*s %255s", type, options) < 1 ||
            strcmp(type, unified ? "cgroup2" : "cgroup") != 0 || (!unified && !has_word(options, "cpu")))
            continue;
        is_found = sscanf(line, "%*s %*s %*s %4095s %4095s", found->group, found->point) == 2;
    }
    if (file)
        fclose(file);
    return is_found;
}

/* Returns the least limit of a hierarchy. */
static int limit_of_hierarchy(const char *root, bool unified)
{
    char group[PATH_BYTES], folder[LINE_BYTES];
    mount seen;
    if (!find_group(root, unified, group) || !find_mount(root, unified, &seen))
        return DRY_CGROUP_UNLIMITED;
    /* The group lies below the one that is mounted, or it is not seen at all. */
    const size_t above = strcmp(seen.group, "/") == 0 ? 0 : strlen(seen.group);
    const bool below = strncmp(group, seen.group, above) == 0 && (group[above] == '/' || !group[above]);
    const int length =
        snprintf(folder, sizeof folder, "%s%s%s", root, seen.point, below ? group + above : "");
    const size_t top = strlen(root) + strlen(seen.point);
    int least = DRY_CGROUP_UNLIMITED;
    if (length < 0 || (size_t)length >= sizeof folder)
        return least;
    for (;;) {
        const int limit = limit_of(folder, unified);
        least = limit < least ? limit : least;
        char *last = strrchr(folder + top, '/');
        if (!last)
            return least;
        *last = '\0';
    }
}

int dry_cgroup_processors(const char *root)
{
    const int unified = limit_of_hierarchy(root, true), old = limit_of_hierarchy(root, false);
    return unified < old ? unified : old;
}
