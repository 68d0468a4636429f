/* Marks of what libdrystone_methods, the second library, uses of this one besides its public face. */
#ifndef CORE_SHARED_H
#define CORE_SHARED_H

#include <drystone/types.h>

/* Marks a function that the linker shows to libdrystone_methods. No program may use it: it comes and goes
 * with the headers, to which the symbols' node holds the two libraries (methods/symbols.map.in). */
#define DRY_SHARED DRY_API

/* Text after the name of a value that libdrystone_methods has, where that library is missing. */
#define DRY_NEEDS_METHODS                                                                                    \
    " needs libdrystone_methods: link it, and call dry_methods_register where the linker may leave it out"

#endif
