/* Declares the tool's commands. Each receives the arguments after its name and returns the exit status. */
#ifndef TOOLS_CLI_COMMANDS_H
#define TOOLS_CLI_COMMANDS_H

#include <stdbool.h>

int stress_command(int count, char **arguments);
int replay_command(int count, char **arguments);
int soak_command(int count, char **arguments);
int rooms_command(int count, char **arguments);
int lab_command(int count, char **arguments);
int shape_command(int count, char **arguments);
int scenes_command(int count, char **arguments);
int contacts_command(int count, char **arguments);
int info_command(int count, char **arguments);

/* For a command without arguments: returns true if there are none. Otherwise prints the help that they ask
 * for, or refuses them, and sets *status. `help` completes the sentence "drystone NAME ...". */
bool command_takes_no_arguments(const char *name, const char *help, int count, char **arguments, int *status);

#endif
