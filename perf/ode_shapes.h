// Shapes of ODE, for peer_ode.cpp.
#ifndef PERF_ODE_SHAPES_H
#define PERF_ODE_SHAPES_H

#include "perf/peer.h"

#include <ode/ode.h>

// Makes geoms, and owns the data that they share with the scene; it must outlive them.
class OdeShapes
{
  public:
    OdeShapes() = default;
    ~OdeShapes();
    OdeShapes(const OdeShapes &) = delete;
    OdeShapes &operator=(const OdeShapes &) = delete;

    // Makes the geom of a part, but of a half-space, and sets its place in the frame of the body.
    dGeomID make(dSpaceID space, const PeerPart &part, dVector3 center, dMatrix3 rotation);

  private:
    dGeomID make_hull(dSpaceID space, const PeerPart &part);
    dGeomID make_mesh(dSpaceID space, const dry_scene_form &form);
    dGeomID make_field(dSpaceID space, const dry_scene_form &form, dVector3 center, dMatrix3 rotation);

    struct Hull {
        std::vector<dReal> points, planes;
        std::vector<unsigned> polygons;
    };
    std::vector<std::unique_ptr<Hull>> hulls;
    std::vector<std::vector<float>> heights;
    std::vector<dTriMeshDataID> meshes;
    std::vector<dHeightfieldDataID> fields;
};

#endif
