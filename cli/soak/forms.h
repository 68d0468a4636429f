/* The shape data that the shapes of one life share, on both sides of the twin. */
#ifndef CLI_SOAK_FORMS_H
#define CLI_SOAK_FORMS_H

#include <drystone/drystone.h>

enum { FORMS_EACH = 4 };

typedef struct soak_forms {
    dry_shape_data *hulls[FORMS_EACH], *compounds[FORMS_EACH];
} soak_forms;

/* Makes hulls, and compounds of them and of other shapes, from a seed. All stay within 0.7 m of their origin.
 * Returns false, and has released all, if a call failed. */
bool forms_make(soak_forms *forms, uint64_t seed);
void forms_release(soak_forms *forms);

#endif
