// Asks FCL for distances and casts of convex shapes (convex_fcl.h). The library is not linked to it.
#include "tests/narrowphase/convex_fcl.h"

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/math/motion/translation_motion.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/distance.h>

#include <memory>
#include <vector>

namespace
{

using Geometry = fcl::CollisionGeometry<double>;
using Place = fcl::Transform3<double>;
using Vector = fcl::Vector3<double>;

std::shared_ptr<Geometry> geometry_of(const fcl_shape &shape)
{
    const double *h = shape.half;
    switch (shape.kind) {
    case FCL_BOX:
        return std::make_shared<fcl::Box<double>>(2 * h[0], 2 * h[1], 2 * h[2]);
    case FCL_CYLINDER:
        return std::make_shared<fcl::Cylinder<double>>(h[0], 2 * h[1]);
    case FCL_CAPSULE:
        if (h[1] == 0)
            return std::make_shared<fcl::Sphere<double>>(h[0]);
        return std::make_shared<fcl::Capsule<double>>(h[0], 2 * h[1]);
    case FCL_CONVEX:
        break;
    }
    auto vertices = std::make_shared<std::vector<Vector>>();
    for (int i = 0; i < shape.vertex_count; ++i)
        vertices->emplace_back(shape.vertices[i][0], shape.vertices[i][1], shape.vertices[i][2]);
    const int *end = shape.faces;
    for (int i = 0; i < shape.face_count; ++i)
        end += *end + 1;
    auto faces = std::make_shared<std::vector<int>>(shape.faces, end);
    return std::make_shared<fcl::Convex<double>>(vertices, shape.face_count, faces);
}

// FCL's capsules and cylinders lie along z.
Place place_of(const fcl_shape &shape)
{
    Place place = Place::Identity();
    if (shape.kind == FCL_CONVEX)
        return place;
    const double *q = shape.rotation;
    place.linear() = Eigen::Quaterniond(q[3], q[0], q[1], q[2]).normalized().toRotationMatrix();
    if (shape.kind != FCL_BOX) {
        Eigen::Matrix3d turn;
        turn << 1, 0, 0, 0, 0, 1, 0, -1, 0;
        place.linear() = place.linear() * turn;
    }
    place.translation() = Vector(shape.center[0], shape.center[1], shape.center[2]);
    return place;
}

} // namespace

double fcl_distance_of(const fcl_shape *a, const fcl_shape *b)
{
    const auto first = geometry_of(*a), second = geometry_of(*b);
    fcl::DistanceRequest<double> request;
    request.gjk_solver_type = fcl::GST_LIBCCD;
    request.distance_tolerance = 1e-9;
    fcl::DistanceResult<double> result;
    fcl::distance(first.get(), place_of(*a), second.get(), place_of(*b), request, result);
    return result.min_distance;
}

double fcl_time_of_impact(const fcl_shape *a, const fcl_shape *b, const double way[3], double tolerance)
{
    const auto first = geometry_of(*a), second = geometry_of(*b);
    const Place at = place_of(*a), begin = place_of(*b);
    Place end = begin;
    end.translation() += Vector(way[0], way[1], way[2]);
    const fcl::ContinuousCollisionRequest<double> request(1000, tolerance, fcl::CCDM_TRANS, fcl::GST_LIBCCD,
                                                          fcl::CCDC_CONSERVATIVE_ADVANCEMENT);
    fcl::ContinuousCollisionResult<double> result;
    fcl::continuousCollide(first.get(), at, at, second.get(), begin, end, request, result);
    return result.is_collide ? result.time_of_contact : 1;
}
