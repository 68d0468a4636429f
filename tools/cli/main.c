/* The main function of the drystone tool: calls the command's function. */
#include "tools/cli/commands.h"
#include "tools/cli/output_file.h"
#include "tools/cli/terminal.h"

#include <drystone/drystone.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

typedef struct command_row {
    const char *name, *usage, *help;
    int (*run)(int count, char **arguments);
} command_row;

static const command_row commands[] = {
    {"stress", "stress [SCENE]", "run a scene, measure it, report (drystone stress --help)", stress_command},
    {"replay", "replay FILE", "a recording once more, until something differs (drystone replay --help)",
     replay_command},
    {"soak", "soak", "worlds made, stirred and destroyed beside a twin (drystone soak --help)", soak_command},
    {"rooms", "rooms [SCENE]", "many rooms on one pool of threads (drystone rooms --help)", rooms_command},
    {"lab", "lab [EXPERIMENT...]", "predictions about solvers against measurements (drystone lab --help)",
     lab_command},
    {"contacts", "contacts SCENE",
     "the contact problem of one step, for other solvers (drystone contacts --help)", contacts_command},
    {"shape", "shape FILE", "the hull of an OBJ or STL file (drystone shape --help)", shape_command},
    {"scenes", "scenes", "the built-in scenes", scenes_command},
    {"info", "info", "this machine, and what the library would use on it", info_command},
};
#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

static void print_usage(FILE *stream)
{
    fputs("usage: drystone COMMAND [options]\n\n", stream);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        fprintf(stream, "  drystone %-15s %s\n", commands[i].usage, commands[i].help);
    }
    fputs("  drystone --version\n  drystone help [COMMAND]\n\n" STATUS_HELP, stream);
}

/* Refuses a word that is not a command, or an empty command line. */
static int refuse(const char *word)
{
    char names[200] = "";
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const char *before = i == 0 ? "" : i + 1 == COMMAND_COUNT ? " or " : ", ";
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", before, commands[i].name);
    }
    if (word == NULL) {
        terminal_error("expected a command: %s (drystone --help tells more)", names);
    } else {
        terminal_error("%s: unknown command; expected %s", word, names);
    }
    return STATUS_USAGE;
}

static int run_command(const char *name, int count, char **arguments)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return commands[i].run(count, arguments);
        }
    }
    return refuse(name);
}

static int help_command(int count, char **arguments)
{
    if (count == 0) {
        print_usage(stdout);
        return finish_standard_output();
    }
    if (count > 1) {
        terminal_error("help: %s: expected one command", arguments[1]);
        return STATUS_USAGE;
    }
    char option[] = "--help", *options[] = {option};
    return run_command(arguments[0], 1, options);
}

/* Opens the standard streams that the caller closed: the next file that the tool opens would otherwise take
 * their place and receive what is printed. A write to such a stream fails. */
static void open_standard_streams(void)
{
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) {
            return;
        }
    }
}

int main(int argc, char **argv)
{
    open_standard_streams();
    dry_methods_register();
    /* A closed pipe or a limit on file size then makes a write fail, as a full disk does. */
    signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN);
#endif
    if (argc < 2) {
        return refuse(NULL);
    }
    const char *command = argv[1];
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0 || strcmp(command, "help") == 0) {
        return help_command(argc - 2, argv + 2);
    }
    if (strcmp(command, "--version") == 0) {
        if (argc > 2) {
            terminal_error("--version: %s: expected nothing after it", argv[2]);
            return STATUS_USAGE;
        }
        printf("drystone %s\n", dry_version());
        return finish_standard_output();
    }
    return run_command(command, argc - 2, argv + 2);
}
