/* The inverse of core/quat_pack.h in plain C: lanes are compared with it. */
#ifndef TESTS_CORE_QUAT_UNPACK_H
#define TESTS_CORE_QUAT_UNPACK_H

#include "core/quat_pack.h"

static inline dry_quat dry_quat_unpack(const uint16_t packed[3])
{
    const float unit = 0.707106781f / DRY_QUAT_PACK_STEPS;
    const int zero = (int)DRY_QUAT_PACK_STEPS + 1;
    const uint64_t bits = (uint64_t)packed[2] << 32 | (uint64_t)packed[1] << 16 | packed[0];
    const float a = unit * (float)((int)(bits >> 30 & 0x7fff) - zero);
    const float b = unit * (float)((int)(bits >> 15 & 0x7fff) - zero);
    const float c = unit * (float)((int)(bits & 0x7fff) - zero);
    const float largest = sqrtf(dry_max(1.0f - (a * a + b * b + c * c), 0.0f));
    switch (bits >> 45 & 3) {
    case 0:
        return (dry_quat){largest, a, b, c};
    case 1:
        return (dry_quat){c, largest, a, b};
    case 2:
        return (dry_quat){b, c, largest, a};
    default:
        return (dry_quat){a, b, c, largest};
    }
}

#endif
