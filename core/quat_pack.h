/* Unit quaternions in 48 bits: the index of the largest component, then the other three in 15 bits each. */
#ifndef CORE_QUAT_PACK_H
#define CORE_QUAT_PACK_H

#include "core/math.h"

#include <stdint.h>

/* The three smaller components lie within -1/sqrt(2) and 1/sqrt(2), and are whole numbers of steps. No
 * rotation, and half turns about the axes, are exact; all others are within DRY_QUAT_PACK_ERROR. */
#define DRY_QUAT_PACK_STEPS 16383.0f
#define DRY_QUAT_PACK_ERROR 1.5e-4f /* rad */

static inline void dry_quat_pack(dry_quat q, uint16_t packed[3])
{
    const float sqrt2 = 1.41421356f;
    float c[4] = {q.x, q.y, q.z, q.w};
    int largest = 3;
    for (int i = 0; i < 3; i++)
        if (dry_abs(c[i]) > dry_abs(c[largest]))
            largest = i;
    float scale = c[largest] < 0.0f ? -sqrt2 * DRY_QUAT_PACK_STEPS : sqrt2 * DRY_QUAT_PACK_STEPS;
    uint64_t bits = (uint64_t)largest;
    for (int i = 1; i < 4; i++) {
        float steps = dry_clamp(scale * c[(largest + i) & 3], -DRY_QUAT_PACK_STEPS, DRY_QUAT_PACK_STEPS);
        int whole = (int)(steps + DRY_QUAT_PACK_STEPS + 1.5f);
        bits = bits << 15 | (uint64_t)whole;
    }
    for (int i = 0; i < 3; i++)
        packed[i] = (uint16_t)(bits >> 16 * i);
}

/* Returns the quaternion that was packed, or its negative: lanes unpack to the same bits. */
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
