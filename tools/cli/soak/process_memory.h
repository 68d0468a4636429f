/* The memory of the whole process, between rounds of a soak, when no world lives. */
#ifndef TOOLS_CLI_SOAK_PROCESS_MEMORY_H
#define TOOLS_CLI_SOAK_PROCESS_MEMORY_H

#include <stddef.h>

typedef struct process_memory {
    size_t resident;  /* all pages in RAM, those of code and files included, bytes; 0 if the system does not
                         tell */
    size_t anonymous; /* those of heap, stacks and variables */
} process_memory;

/* Makes all threads share one heap: with a heap for each thread, chance decides which free pages stay. The C
 * library keeps the stacks of threads that ended, so that the largest number of them at one time and their
 * deepest use would count as growth. `threads` stacks, as many as worlds may have at one time, are used here
 * to the depth that they may reach. */
void process_memory_begin(int threads);
/* The same for the stack of the calling thread. */
void process_memory_use_stack(void);

process_memory process_memory_now(void);

#endif
