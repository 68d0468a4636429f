/* FCLIB's file of a contact problem, HDF5. */
#ifndef TOOLS_CLI_CONTACTS_FCLIB_FILE_H
#define TOOLS_CLI_CONTACTS_FCLIB_FILE_H

#include "tools/lab/contact_problem.h"

#include <stdbool.h>

/* Tells whether this build has FCLIB. */
bool fclib_file_available(void);

/* Writes a problem, and as a guess the impulses that it holds, to a file that does not exist yet. Returns
 * false if it cannot. Where a call of HDF5 fails FCLIB ends the process, with a line on standard error. */
bool fclib_file_write(const lab_contact_problem *p, const char *title, const char *path);

#endif
