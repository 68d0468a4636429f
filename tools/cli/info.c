/* Runs `drystone info`: describes the machine, and the instruction set, threads and team that a world would
 * use. */
#include "tools/cli/commands.h"
#include "tools/cli/output_file.h"
#include "tools/cli/terminal.h"

#include <drystone/drystone.h>
#include <stdlib.h>

static void print_cache(const char *name, size_t bytes)
{
    if (bytes == 0) {
        printf("%-13s unknown\n", name);
    } else if (bytes >= (size_t)1 << 20) {
        printf("%-13s %.4g MiB\n", name, (double)bytes / (1 << 20));
    } else {
        printf("%-13s %.4g KiB\n", name, (double)bytes / 1024.0);
    }
}

static void print_instruction_sets(const char *title, bool (*has)(dry_isa isa))
{
    printf("%-13s", title);
    for (int i = DRY_ISA_SCALAR; i < DRY_ISA_COUNT; i++) {
        if (has((dry_isa)i)) {
            printf(" %s", dry_isa_name((dry_isa)i));
        }
    }
    putchar('\n');
}

int info_command(int count, char **arguments)
{
    int status;
    if (!command_takes_no_arguments("info", "describes this machine, and what the library would use on it",
                                    count, arguments, &status)) {
        return status;
    }
    char text[1024];
    dry_machine machine = dry_machine_describe();
    printf("%-13s %s\n", "drystone", dry_version());
    printf("%-13s %s\n", "processor",
           machine.processor[0] != '\0' ? terminal_text(machine.processor, text, sizeof text) : "unknown");
    printf("%-13s %d, with %d hardware threads\n", "cores", machine.cores, machine.hardware_threads);
    printf("%-13s %d\n", "NUMA nodes", machine.numa_nodes);
    print_cache("L1 data", machine.l1_bytes);
    print_cache("L2", machine.l2_bytes);
    print_cache("L3", machine.l3_bytes);
    print_instruction_sets("compiled in", dry_isa_compiled);
    print_instruction_sets("runs here", dry_isa_available);

    dry_world_def def = dry_default_world_def();
    dry_world *world = NULL;
    dry_result result = dry_world_create(&def, &world);
    const char *forced = getenv("DRYSTONE_ISA");
    if (result != DRY_OK) {
        fflush(stdout);
        terminal_error("info: no world could be made: %s%s%s", dry_result_name(result),
                       forced != NULL ? "; DRYSTONE_ISA is " : "", forced != NULL ? forced : "");
        return result == DRY_ERROR_MEMORY ? STATUS_FAILED : STATUS_USAGE;
    }
    printf("%-13s %s%s, %d thread%s (%s)\n", "would use", dry_isa_name(dry_world_isa(world)),
           forced != NULL ? " (DRYSTONE_ISA is set)" : "", dry_world_threads(world),
           dry_world_threads(world) == 1 ? "" : "s", dry_team_name(dry_world_team(world)));
    dry_world_destroy(world);
    return finish_standard_output();
}
