// Makes the shapes of a scene in ODE (ode_shapes.h). Hulls, meshes and fields read arrays that stay where
// they are.
#include "perf/ode_shapes.h"

#include <cmath>
#include <stdexcept>

namespace
{

// Sets a rotation from axes, which are its columns. ODE's capsules and cylinders lie along z, the scene's
// along y.
void set_axes(const PeerPart &part, dMatrix3 rotation)
{
    const auto &axis = part.solid.axis;
    const bool round = part.type == DRY_SHAPE_CAPSULE || part.type == DRY_SHAPE_CYLINDER;
    for (int i = 0; i < 3; ++i) {
        rotation[4 * i] = axis[0][i];
        rotation[4 * i + 1] = round ? -axis[2][i] : axis[1][i];
        rotation[4 * i + 2] = round ? axis[1][i] : axis[2][i];
        rotation[4 * i + 3] = 0;
    }
}

} // namespace

OdeShapes::~OdeShapes()
{
    for (dTriMeshDataID mesh : meshes)
        dGeomTriMeshDataDestroy(mesh);
    for (dHeightfieldDataID field : fields)
        dGeomHeightfieldDataDestroy(field);
}

dGeomID OdeShapes::make_hull(dSpaceID space, const PeerPart &part)
{
    hulls.push_back(std::make_unique<Hull>());
    Hull &hull = *hulls.back();
    for (const Point &p : part.vertices)
        hull.points.insert(hull.points.end(), p.begin(), p.end());
    for (const auto &triangle : part.triangles) {
        const Point &a = part.vertices[triangle[0]], &b = part.vertices[triangle[1]],
                    &c = part.vertices[triangle[2]];
        dVector3 ab, ac, n;
        for (size_t k = 0; k < 3; ++k) {
            ab[k] = b[k] - a[k];
            ac[k] = c[k] - a[k];
        }
        dCalcVectorCross3(n, ab, ac);
        dNormalize3(n);
        hull.planes.insert(hull.planes.end(), {n[0], n[1], n[2], n[0] * a[0] + n[1] * a[1] + n[2] * a[2]});
        hull.polygons.insert(hull.polygons.end(), {3, triangle[0], triangle[1], triangle[2]});
    }
    return dCreateConvex(space, hull.planes.data(), static_cast<unsigned>(part.triangles.size()),
                         hull.points.data(), static_cast<unsigned>(part.vertices.size()),
                         hull.polygons.data());
}

dGeomID OdeShapes::make_mesh(dSpaceID space, const dry_scene_form &form)
{
    meshes.push_back(dGeomTriMeshDataCreate());
    dGeomTriMeshDataBuildSingle(meshes.back(), form.points, sizeof *form.points, form.point_count,
                                form.triangles, 3 * form.triangle_count, 3 * sizeof *form.triangles);
    // Convex shapes need the angles between faces.
    dGeomTriMeshDataPreprocess2(meshes.back(), 1U << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, nullptr);
    return dCreateTriMesh(space, meshes.back(), nullptr, nullptr, nullptr);
}

// ODE's height field has its origin in the middle of its sides, and backward diagonals. One with forward
// diagonals is turned by 90 degrees about y: its x is the scene's -z, and its z the scene's x.
dGeomID OdeShapes::make_field(dSpaceID space, const dry_scene_form &form, dVector3 center, dMatrix3 rotation)
{
    const dry_height_field_def &f = form.field;
    const double wide = f.spacing[0] * static_cast<double>(f.columns - 1),
                 deep = f.spacing[1] * static_cast<double>(f.rows - 1);
    const dVector3 middle = {0.5 * wide, 0, 0.5 * deep, 0};
    dVector3 shift;
    dMultiply0_331(shift, rotation, middle);
    dAddVectors3(center, center, shift);
    fields.push_back(dGeomHeightfieldDataCreate());
    if (f.diagonal == DRY_DIAGONAL_BACKWARD) {
        dGeomHeightfieldDataBuildSingle(fields.back(), f.heights, 0, wide, deep, f.columns, f.rows, 1, 0, 0,
                                        0);
        return dCreateHeightfield(space, fields.back(), 1);
    }
    heights.emplace_back();
    for (int c = 0; c < f.columns; ++c)
        for (int r = f.rows - 1; r >= 0; --r)
            heights.back().push_back(f.heights[r * f.columns + c]);
    dGeomHeightfieldDataBuildSingle(fields.back(), heights.back().data(), 0, deep, wide, f.rows, f.columns, 1,
                                    0, 0, 0);
    const dMatrix3 quarter = {0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0};
    dMatrix3 turned;
    dMultiply0_333(turned, rotation, quarter);
    std::copy(turned, turned + 12, rotation);
    return dCreateHeightfield(space, fields.back(), 1);
}

dGeomID OdeShapes::make(dSpaceID space, const PeerPart &part, dVector3 center, dMatrix3 rotation)
{
    const dry_solid &s = part.solid;
    std::copy(s.center, s.center + 3, center);
    set_axes(part, rotation);
    switch (part.type) {
    case DRY_SHAPE_SPHERE:
        return dCreateSphere(space, s.radius);
    case DRY_SHAPE_CAPSULE:
        return dCreateCapsule(space, s.radius, 2 * s.half[1]);
    case DRY_SHAPE_CYLINDER:
        return dCreateCylinder(space, s.half[0], 2 * s.half[1]);
    case DRY_SHAPE_BOX:
        return dCreateBox(space, 2 * s.half[0], 2 * s.half[1], 2 * s.half[2]);
    case DRY_SHAPE_HULL:
        return make_hull(space, part);
    case DRY_SHAPE_MESH:
        return make_mesh(space, *part.form);
    case DRY_SHAPE_HEIGHT_FIELD:
        return make_field(space, *part.form, center, rotation);
    default:
        throw std::runtime_error("a shape type that the peers do not know on a body that may move");
    }
}
