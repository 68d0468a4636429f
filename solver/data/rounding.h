/* Rounding: shares of the terms of a difference below which it counts as none. */
#ifndef SOLVER_DATA_ROUNDING_H
#define SOLVER_DATA_ROUNDING_H

/* The rounding of numbers that were float once, some with a rounding of 6e-8 each. */
#define DRY_FLOAT_ROUNDING 1e-6
/* The rounding of numbers that were double all the way. */
#define DRY_DOUBLE_ROUNDING 1e-12

#endif
