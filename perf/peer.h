// A peer engine that runs a Drystone scene: what peers.cpp asks of each.
#ifndef PERF_PEER_H
#define PERF_PEER_H

#include "scenes/scenes.h"

#include <memory>
#include <string>

class Peer
{
  public:
    virtual ~Peer() = default;

    // Name, version and the settings that decide its speed and quality.
    virtual std::string describe() const = 0;
    // Everything a frame costs: collision, solving, integration.
    virtual void step(double dt) = 0;
    // Of the scene's body `index`: the pose of its origin, the velocity of its centre of mass.
    virtual void read(int index, dry_pose &pose, dry_velocity &velocity) const = 0;
};

// Each throws std::runtime_error where the engine lacks what the scene asks for; null if not built in.
std::unique_ptr<Peer> make_bullet(const dry_scene &scene);
std::unique_ptr<Peer> make_ode(const dry_scene &scene);

// The volume of a shape, m^3; 0 for a half-space.
double shape_volume(const dry_shape_def &shape);

// Masses of a body's shapes, kg: volume times density, scaled so that their sum is the stated mass if the
// body states one. Returns the sum.
double shape_masses(const dry_scene_body &body, double *masses);

#endif
