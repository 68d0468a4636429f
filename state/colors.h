/* The colors of constraints: no two constraints of one color hold the same dynamic body. */
#ifndef STATE_COLORS_H
#define STATE_COLORS_H

enum {
    DRY_COLOR_NONE = -1,     /* inactive, or without points */
    DRY_COLOR_OVERFLOW = 64, /* no color was free: solved one after the other */
    DRY_COLOR_COUNT = 65
};

#endif
