/* The main function of the drystone tool: calls the command's function. */
#include "cli/commands.h"
#include "cli/output_file.h"

#include <drystone/drystone.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

static void print_usage(FILE *stream)
{
    fputs(
        "usage: drystone COMMAND [options]\n\n"
        "  drystone stress [SCENE]  run a scene, measure it, report (drystone stress --help)\n"
        "  drystone soak            worlds made, stirred and destroyed beside a twin (drystone soak --help)\n"
        "  drystone scenes          the built-in scenes\n"
        "  drystone info            this machine, and what the library would use on it\n"
        "  drystone --version\n"
        "  drystone --help\n",
        stream);
}

int main(int argc, char **argv)
{
    /* A closed pipe or a limit on file size then makes a write fail, as a full disk does. */
    signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN);
#endif
    if (argc < 2) {
        fputs("drystone: expected a command: stress, soak, scenes or info (drystone --help tells more)\n",
              stderr);
        return STATUS_USAGE;
    }
    const char *command = argv[1];
    if (strcmp(command, "stress") == 0) {
        return stress_command(argc - 2, argv + 2);
    }
    if (strcmp(command, "soak") == 0) {
        return soak_command(argc - 2, argv + 2);
    }
    if (strcmp(command, "scenes") == 0) {
        return scenes_command(argc - 2, argv + 2);
    }
    if (strcmp(command, "info") == 0) {
        return info_command(argc - 2, argv + 2);
    }
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0 || strcmp(command, "help") == 0) {
        print_usage(stdout);
        return finish_standard_output();
    }
    if (strcmp(command, "--version") == 0) {
        printf("drystone %s\n", dry_version());
        return finish_standard_output();
    }
    fprintf(stderr, "drystone: %s: unknown command; expected stress, soak, scenes or info\n", command);
    return STATUS_USAGE;
}
