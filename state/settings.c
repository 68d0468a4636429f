/* Settings: defaults and ranges, from the list. */
#include "state/settings.h"

dry_settings dry_settings_default(void)
{
    return (dry_settings){DRY_SETTINGS_FIELDS(DRY_FIELD_DEFAULT, dry_settings)};
}

static bool is_within(double value, double low, double high)
{
    return value >= low && value <= high;
}

static bool is_vector_within(dry_vec3 v, double low, double high)
{
    return is_within(v.x, low, high) && is_within(v.y, low, high) && is_within(v.z, low, high);
}

const char *dry_settings_range_error(const dry_settings *s)
{
#define F(T, number, type, name, extent, standard, unit, rule, writers, meaning, low, high, error)           \
    if (!_Generic(s->name, dry_vec3 : is_vector_within, default : is_within)(s->name, low, high))            \
        return error;
    DRY_SETTINGS_FIELDS(F, dry_settings)
#undef F
    return NULL;
}
