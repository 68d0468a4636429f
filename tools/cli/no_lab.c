/* Stands for the commands that use the bench of methods in a tool that was built without it. */
#include "tools/cli/commands.h"

#include "tools/cli/output_file.h"
#include "tools/cli/terminal.h"

static int say_how(const char *command)
{
    terminal_error("%s: this tool was built without the lab; `./run setup --all` builds it "
                   "(or meson's option -Dlab=enabled)",
                   command);
    return STATUS_USAGE;
}

int lab_command(int count, char **arguments)
{
    (void)count;
    (void)arguments;
    return say_how("lab");
}

int contacts_command(int count, char **arguments)
{
    (void)count;
    (void)arguments;
    return say_how("contacts");
}
