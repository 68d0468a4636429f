/* The memory of the whole process, between rounds of a soak, when no world lives. */
#ifndef CLI_SOAK_PROCESS_MEMORY_H
#define CLI_SOAK_PROCESS_MEMORY_H

#include <stddef.h>

typedef struct process_memory {
    size_t resident;  /* all pages in RAM, those of code and files included, bytes; 0 if the system does not
                         tell */
    size_t anonymous; /* those of heap, stacks and variables */
} process_memory;

/* Makes all threads share one heap. With a heap for each thread, chance decides which free pages stay. */
void process_memory_begin(void);

process_memory process_memory_now(void);

#endif
