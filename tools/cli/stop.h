/* Stops the tool at a signal: Ctrl-C, a polite kill, a terminal that closes. A signal that was ignored when
 * the tool started stays ignored, as nohup and shells that start background jobs ask for. */
#ifndef TOOLS_CLI_STOP_H
#define TOOLS_CLI_STOP_H

#include <stdbool.h>

/* Catches the signals. Each then removes temporary files and ends the process, which shows the signal to its
 * parent (a shell shows status 130 for Ctrl-C). */
void stop_catch_signals(void);

/* Lets the first signal only be noted from now on; the second one ends the process. */
void stop_note_signals(void);

/* Tells whether a signal was noted. Any thread may ask. */
bool stop_noted(void);

#endif
