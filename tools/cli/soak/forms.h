/* The shape data that the shapes of one life share, on both sides of the twin. */
#ifndef TOOLS_CLI_SOAK_FORMS_H
#define TOOLS_CLI_SOAK_FORMS_H

#include <drystone/drystone.h>

enum { FORMS_EACH = 4, FORM_MATERIALS = 3, FIELD_SIDE = 17 };

/* The first two meshes and fields are ground of 16 m about the origin of a floor, the others are small. The
 * second and the fourth name up to FORM_MATERIALS materials. */
typedef struct soak_forms {
    dry_shape_data *hulls[FORMS_EACH], *compounds[FORMS_EACH], *meshes[FORMS_EACH], *fields[FORMS_EACH];
} soak_forms;

/* Makes hulls, compounds of them and of other shapes, meshes and height fields from a seed. All but ground
 * stay within 1.5 m of their origin. Returns false, and has released all, if a call failed. */
bool forms_make(soak_forms *forms, uint64_t seed);
void forms_release(soak_forms *forms);

#endif
