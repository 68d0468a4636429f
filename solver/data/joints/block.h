/* The bundle of joints with up to six rows, solved as one block. */
#ifndef SOLVER_DATA_JOINTS_BLOCK_H
#define SOLVER_DATA_JOINTS_BLOCK_H

#include "solver/data/bundle.h"
#include "solver/data/joints/places.h"
#include "solver/data/joints/triangle.h"

/* One row of each lane; zero in lanes that have fewer. */
typedef struct dry_block_row {
    dry_pair_row pair;
    dry_lanes offset;  /* the coordinate's value at which the row is kept, m or rad */
    dry_lanes error;   /* dry_sweep.present, m or rad */
    dry_lanes weight;  /* (m/s)^2 of the bias velocity for each of its own squared unit: its bound is one */
    dry_lanes impulse; /* N s or N m s per substep */
} dry_block_row;

typedef struct dry_block_bundle {
    _Alignas(64) int32_t row_a[DRY_BUNDLE], row_b[DRY_BUNDLE];
    dry_joint_places places;
    dry_joint_frame_places frames;
    dry_lanes form[DRY_BLOCK_ROWS]; /* a dry_row_form of each lane's rows */
    dry_lanes mesh[2];              /* of dry_joint_find_mesh */
    dry_block_row row[DRY_BLOCK_ROWS];
    dry_lanes block[DRY_BLOCK_ELEMENTS];   /* G M^-1 G^T, 1/kg */
    dry_lanes inverse[DRY_BLOCK_ELEMENTS]; /* its inverse, or that of its diagonal, kg */
    dry_lanes share;                       /* the softness over the block */
    dry_lanes rate;                        /* a [Spook 9], 1/s */
    dry_lanes whole;                       /* 1; 0: the joint is torn, and its rows' turning does not count */
    dry_lanes peak;                        /* the largest force's impulse of a substep, squared */
    uint32_t forms[DRY_BLOCK_ROWS];        /* bit f: some lane has form f */
    int32_t rows;                          /* of the lane with the most */
    int32_t paired;                        /* 1: its rows are made with those of an axes bundle */
    int32_t lanes;                         /* lanes before this one are in use */
} dry_block_bundle;

#endif
