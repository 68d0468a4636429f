/* Measures the memory that an engine holds, in the same way for all engines and independently of their own
 * counts. The measure is the growth of the process's resident memory from before the creation of the world to
 * the end of the steps. */
#ifndef TOOLS_SCENES_MEASURE_RESIDENT_H
#define TOOLS_SCENES_MEASURE_RESIDENT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the bytes of RAM that hold data of this process: heap, stacks and variables, but no code and no
 * files. First returns free memory of malloc to the system, so that memory for reading a scene, or that an
 * engine has outgrown, does not count. Returns 0 if the system does not tell. */
size_t dry_resident_bytes(void);

/* Returns the growth of that number since it was `before`; 0 if it has not grown, or if the system does not
 * tell. */
size_t dry_resident_since(size_t before);

#ifdef __cplusplus
}
#endif

#endif
