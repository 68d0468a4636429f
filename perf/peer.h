// The interface of a peer engine that runs a Drystone scene, for peers.cpp.
#ifndef PERF_PEER_H
#define PERF_PEER_H

#include "scenes/scenes.h"

#include <memory>
#include <string>

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

// Returns the volume of a shape, m^3; 0 for a half-space.
double shape_volume(const dry_shape_def &shape);

// Computes the masses of a body's shapes, kg: volume times density, scaled so that their sum is the body's
// mass if the body states one. Returns the sum.
double shape_masses(const dry_scene_body &body, double *masses);

#endif
