/* Handles signals (stop.h). The variables are static, since a handler has no argument of its own, and free of
 * locks. Every thread may read them. */
#define _XOPEN_SOURCE 700
#include "tools/cli/stop.h"

#include "tools/cli/output_file.h"

#include <signal.h>
#include <stdatomic.h>

static atomic_bool noting, noted;

static void handle(int signal_number)
{
    if (noting && !noted) {
        noted = true;
        return;
    }
    output_file_remove_temporaries();
    signal(signal_number, SIG_DFL);
    raise(signal_number); /* takes effect as the handler returns */
}

void stop_catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < (int)(sizeof signals / sizeof signals[0]); i++) {
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

void stop_note_signals(void)
{
    noting = true;
}

bool stop_noted(void)
{
    return noted;
}
