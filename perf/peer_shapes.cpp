// Reads the bodies of a scene for the peer engines: compounds as their children, scaled shapes, and masses.
#include "perf/peer.h"

#include <cmath>
#include <stdexcept>

namespace
{

void check_surface(const dry_shape_def &shape)
{
    if (shape.material_count > 1)
        throw std::runtime_error("the peers do not know surfaces of parts of a shape");
    const dry_vec3 zero = {}, &v = shape.material_count == 1 ? shape.materials[0].surface_velocity : zero;
    if (v.x != 0 || v.y != 0 || v.z != 0)
        throw std::runtime_error("the peers do not know surfaces that move past their bodies");
}

// Returns the determinant of a solid's axes: -1 if they are mirrored.
double handedness(const dry_solid &solid)
{
    const auto &a = solid.axis;
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

// Moves a hull's vertices into the axes of its body, and its center to its center of mass.
void place_hull(PeerPart &part)
{
    dry_solid &solid = part.solid;
    const dry_polytope &hull = *solid.polytope;
    const dry_solid_mass mass = dry_solid_get_mass(&solid);
    const double *scale = solid.half;
    for (int v = 0; v < hull.vertex_count; ++v) {
        Point p;
        for (size_t k = 0; k < 3; ++k) {
            p[k] = solid.center[k] - mass.center[k];
            for (int i = 0; i < 3; ++i)
                p[k] += hull.vertices[v][i] * scale[i] * solid.axis[i][k];
        }
        part.vertices.push_back(p);
    }
    const bool mirrored = scale[0] * scale[1] * scale[2] * handedness(solid) < 0;
    for (int t = 0; t < hull.triangle_count; ++t) {
        const int *corner = hull.triangles[t];
        part.triangles.push_back({static_cast<unsigned>(corner[mirrored ? 2 : 0]),
                                  static_cast<unsigned>(corner[1]),
                                  static_cast<unsigned>(corner[mirrored ? 0 : 2])});
    }
    for (int i = 0; i < 3; ++i) {
        solid.center[i] = mass.center[i];
        for (int k = 0; k < 3; ++k)
            solid.axis[i][k] = i == k;
    }
}

void add_parts(PeerBody &body, const dry_scene &scene, const dry_shape_def &shape)
{
    const dry_pose origin = {{0, 0, 0}, {0, 0, 0, 1}};
    const bool is_triangles = shape.type == DRY_SHAPE_MESH || shape.type == DRY_SHAPE_HEIGHT_FIELD;
    const dry_vec3 &scale = shape.scale;
    check_surface(shape);
    if (is_triangles && (scale.x != 1 || scale.y != 1 || scale.z != 1))
        throw std::runtime_error("the peers do not know triangles with a scale");
    const int count = is_triangles ? 1 : dry_solids_of(&scene, &shape);
    for (int i = 0; i < count; ++i) {
        PeerPart part = {&shape, shape.type, dry_solid_place(&scene, &shape, i, &origin), nullptr, {}, {}};
        if (is_triangles)
            part.form = dry_scene_form_of(&scene, shape.data);
        else
            part.type = part.solid.type;
        if (part.form && (part.form->solid || part.form->holes || part.form->field.solid_depth > 0))
            throw std::runtime_error("the peers do not know solid triangles and holes");
        if (part.type == DRY_SHAPE_HULL)
            place_hull(part);
        else if (handedness(part.solid) < 0)
            for (double &x : part.solid.axis[0])
                x = -x;
        body.parts.push_back(part);
    }
}

// Sums the masses of all parts, scaled so that the sum is the body's mass if the body states one.
void add_masses(PeerBody &body, const dry_scene &scene, const dry_scene_body &source)
{
    const dry_pose origin = {{0, 0, 0}, {0, 0, 0, 1}};
    std::vector<dry_solid_mass> masses;
    for (int s = 0; s < source.def.shape_count; ++s)
        for (int i = 0; i < dry_solids_of(&scene, &source.def.shapes[s]); ++i) {
            const dry_solid solid = dry_solid_place(&scene, &source.def.shapes[s], i, &origin);
            masses.push_back(dry_solid_get_mass(&solid));
            body.mass += masses.back().mass;
            for (size_t k = 0; k < 3; ++k)
                body.center[k] += masses.back().mass * masses.back().center[k];
        }
    if (!(body.mass > 0))
        throw std::runtime_error("the peers do not know dynamic bodies whose shapes have no mass");
    for (double &x : body.center)
        x /= body.mass;
    const double stated = source.def.mass > 0 ? static_cast<double>(source.def.mass) / body.mass : 1;
    for (const dry_solid_mass &m : masses)
        for (size_t i = 0; i < 3; ++i)
            for (size_t k = 0; k < 3; ++k) {
                const double moment =
                    m.second[i][k] + m.mass * (m.center[i] - body.center[i]) * (m.center[k] - body.center[k]);
                body.inertia[i][k] -= stated * moment;
                if (i == k)
                    for (size_t j = 0; j < 3; ++j)
                        body.inertia[j][j] += stated * moment;
            }
    body.mass *= stated;
}

} // namespace

PeerBody read_body(const dry_scene &scene, const dry_scene_body &source)
{
    PeerBody body;
    for (int i = 0; i < source.def.shape_count; ++i)
        add_parts(body, scene, source.def.shapes[i]);
    if (source.def.type == DRY_BODY_DYNAMIC)
        add_masses(body, scene, source);
    return body;
}

float friction_of(const dry_shape_def &shape)
{
    return shape.material_count == 1 ? shape.materials[0].friction : shape.friction;
}

float restitution_of(const dry_shape_def &shape)
{
    return shape.material_count == 1 ? shape.materials[0].restitution : shape.restitution;
}
