/* Slopes in every heading, for the tests of friction and rolling. */
#ifndef TESTS_SLOPES_H
#define TESTS_SLOPES_H

#include "tests/test_world.h"

/* A slope of angle `a` that falls toward heading `phi`: down is its direction of fall, n its normal. */
typedef struct slope {
    d3 down, n;
    dry_quat orientation;
} slope;

static inline slope slope_make(double a, double phi)
{
    double c = cos(phi), s = sin(phi);
    return (slope){
        {c * cos(a), -sin(a), s * cos(a)}, {c * sin(a), cos(a), s * sin(a)}, quat_about((d3){s, 0, -c}, a)};
}

/* A static box, or a half-space, whose surface goes through the origin. */
static inline void add_slope(dry_world *world, const slope *on, double friction, bool halfspace)
{
    dry_shape_def shape = halfspace ? halfspace_shape(v3(0, 1, 0), 0) : box_shape(20, 0.5, 20);
    d3 p = d3_scale(on->n, halfspace ? 0 : -0.5);
    shape.friction = (float)friction;
    add_body(world, DRY_BODY_STATIC, (dry_pose){{p.x, p.y, p.z}, on->orientation}, shape);
}

static inline dry_body_id add_on_slope(dry_world *world, const slope *on, double height, dry_shape_def shape,
                                       double friction)
{
    d3 p = d3_scale(on->n, height);
    shape.friction = (float)friction;
    return add_dynamic(world, (dry_pose){{p.x, p.y, p.z}, on->orientation}, shape);
}

#endif
