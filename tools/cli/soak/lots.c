/* Draws pseudo-random numbers (lots.h): splitmix64. */
#include "tools/cli/soak/lots.h"

#include <math.h>

soak_lots lots_begin(uint64_t seed)
{
    return (soak_lots){.state = seed * 0xd1342543de82ef95u + 0x9e3779b97f4a7c15u};
}

uint64_t lots_bits(soak_lots *lots)
{
    uint64_t z = lots->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int lots_below(soak_lots *lots, int end)
{
    return (int)((lots_bits(lots) >> 33) % (uint64_t)end);
}

bool lots_once_in(soak_lots *lots, int in)
{
    return lots_below(lots, in) == 0;
}

static double sound_number(soak_lots *lots, double low, double high)
{
    return low + (high - low) * ((double)(lots_bits(lots) >> 11) * 0x1p-53);
}

/* Draws a number that a program with a fault in it might give. */
static float odd_number(soak_lots *lots)
{
    static const float odd[] = {0.0f,  -0.0f, 1e-38f, 1e-20f, 1e-9f, -1e-4f, -1.0f,    1e4f,      1e5f, 1e6f,
                                -1e6f, 1e9f,  1e15f,  1e18f,  1e30f, -3e38f, INFINITY, -INFINITY, NAN,  -NAN};
    float number = odd[lots_below(lots, (int)(sizeof odd / sizeof *odd))];
    lots->invalid |= !isfinite(number);
    return number;
}

float lots_number(soak_lots *lots, double low, double high)
{
    if (lots->odds > 0 && lots_once_in(lots, lots->odds)) {
        return odd_number(lots);
    }
    return (float)sound_number(lots, low, high);
}

dry_vec3 lots_vector(soak_lots *lots, double size)
{
    float x = lots_number(lots, -size, size), y = lots_number(lots, -size, size);
    return (dry_vec3){x, y, lots_number(lots, -size, size)};
}

dry_quat lots_rotation(soak_lots *lots)
{
    double u = sound_number(lots, 0.0, 1.0), a = sound_number(lots, 0.0, 6.283185307179586);
    double b = sound_number(lots, 0.0, 6.283185307179586);
    double r = sqrt(1.0 - u), s = sqrt(u);
    dry_quat q = {(float)(r * sin(a)), (float)(r * cos(a)), (float)(s * sin(b)), (float)(s * cos(b))};
    if (lots->odds > 0 && lots_once_in(lots, lots->odds)) {
        q.x = odd_number(lots);
    }
    return q;
}
