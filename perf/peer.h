// The interface of a peer engine that runs a Drystone scene, for peers.cpp.
#ifndef PERF_PEER_H
#define PERF_PEER_H

#include "tools/scenes/measure/parts.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

class Peer
{
  public:
    virtual ~Peer() = default;

    // Returns name, version, and the settings that decide speed and quality.
    virtual std::string describe() const = 0;
    // Runs all the work of a frame: collision, solving, integration.
    virtual void step(double dt) = 0;
    // Returns the pose of the origin, and the velocity of the center of mass, of the scene's body `index`.
    virtual void read(int index, dry_pose &pose, dry_velocity &velocity) const = 0;
};

// The variations of articulations_ode.cpp.
struct OdeOptions {
    bool direct = false; // dWorldStep in place of dWorldQuickStep
    int iterations = 20; // of QuickStep
    double erp = 0.2;    // ODE's default
    double cfm = 1e-10;  // ODE's default for doubles
};

// An engine that measures its joints as dry_joint_get_error does, and its energy.
class JointedPeer : public Peer
{
  public:
    // Returns the largest distance between the two anchors of a ball joint or hinge, m.
    virtual double joint_error() const = 0;
    // Returns kinetic and potential energy, J.
    virtual double energy() const = 0;
};

// Each throws std::runtime_error if the engine cannot represent the scene; returns null if not built in.
std::unique_ptr<Peer> make_bullet(const dry_scene &scene);
std::unique_ptr<Peer> make_ode(const dry_scene &scene);
std::unique_ptr<JointedPeer> make_ode_with(const dry_scene &scene, const OdeOptions &options);

using Point = std::array<double, 3>;

// A shape of a body, or a child of a compound, in the frame of its body.
struct PeerPart {
    const dry_shape_def *shape; // the scene's
    dry_shape_type type;        // no compound
    dry_solid solid;            // center, right-handed axes and sizes
    const dry_scene_form *form; // of a mesh or a height field; else null
    // A hull has the axes of its body: vertices from its center, and corners counterclockwise.
    std::vector<Point> vertices;
    std::vector<std::array<unsigned, 3>> triangles;
};

// A body's parts, and its mass if it is dynamic.
struct PeerBody {
    std::vector<PeerPart> parts;
    double mass = 0;       // kg
    Point center = {};     // of mass, in the frame of the body
    Point inertia[3] = {}; // about the center, kg m^2
};

// Reads a body of a scene. Throws std::runtime_error if it has what no peer can represent.
PeerBody read_body(const dry_scene &scene, const dry_scene_body &body);

// Returns the coefficients of a shape with one surface.
float friction_of(const dry_shape_def &shape);
float restitution_of(const dry_shape_def &shape);

#endif
