/* What an engine holds, by one measure for all engines and apart from their own counts: the process's
 * resident memory after the steps less what it was once the scene was read and before the engine's world was
 * made. */
#ifndef SCENES_MEASURE_RESIDENT_H
#define SCENES_MEASURE_RESIDENT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of RAM that hold what this process has written: heap, stacks, variables; no code, no files. What
 * malloc has free is given back to the system first: neither what reading a scene took nor what an engine
 * outgrew counts. Zero where the system does not say. */
size_t dry_resident_bytes(void);

/* The bytes by which that has grown since it was `before`; 0 if it has not, or where the system does not say.
 */
size_t dry_resident_since(size_t before);

#ifdef __cplusplus
}
#endif

#endif
