/* The check of settings, which world creation shares. */
#ifndef API_SETTINGS_H
#define API_SETTINGS_H

#include <drystone/world.h>

/* Returns what is wrong with settings, in words; null if nothing is. */
const char *dry_settings_error(const dry_settings *settings);

#endif
