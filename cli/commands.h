/* Declares the tool's commands. Each receives the arguments after its name and returns the exit status. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

int stress_command(int count, char **arguments);
int soak_command(int count, char **arguments);
int scenes_command(int count, char **arguments);
int info_command(int count, char **arguments);

#endif
