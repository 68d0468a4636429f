/* Restoring a world, for the calls that come by the bytes of a save in different ways. */
#ifndef API_SAVES_H
#define API_SAVES_H

#include <drystone/save.h>

/* Restores a world that is not stepping from the bytes of a save. `name` is the call, for the log. */
dry_result dry_restore_bytes(dry_world *world, const char *name, const void *bytes, size_t size,
                             const dry_load_options *options, dry_load_report *report);

#endif
