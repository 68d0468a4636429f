// Runs a Drystone scene on Bullet: sequential impulse, 10 iterations, one thread, sleeping off. All else is
// Bullet's default, but for the rules that combine friction and restitution of two shapes.
#include "perf/peer.h"

#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace
{

btVector3 vector(dry_vec3 v)
{
    return {v.x, v.y, v.z};
}

btQuaternion quaternion(dry_quat q)
{
    return {q.x, q.y, q.z, q.w};
}

bool is_identity(const dry_transform &t)
{
    return t.position.x == 0 && t.position.y == 0 && t.position.z == 0 && t.orientation.x == 0 &&
           t.orientation.y == 0 && t.orientation.z == 0;
}

btScalar larger_restitution(const btCollisionObject *a, const btCollisionObject *b)
{
    return std::max(a->getRestitution(), b->getRestitution());
}

class BulletPeer final : public Peer
{
  public:
    explicit BulletPeer(const dry_scene &scene)
        : dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration)
    {
        gCalculateCombinedRestitutionCallback = larger_restitution;
        world.setGravity(vector(scene.gravity));
        for (int i = 0; i < scene.body_count; ++i)
            add_body(scene.bodies[i]);
        for (int i = 0; i < scene.joint_count; ++i)
            add_joint(scene.joints[i]);
    }

    ~BulletPeer() override
    {
        for (auto &constraint : constraints)
            world.removeConstraint(constraint.get());
        for (auto &body : bodies)
            world.removeRigidBody(body.get());
    }

    std::string describe() const override
    {
        return "Bullet " + std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100) +
               ", sequential impulse, " + std::to_string(solver_iterations()) + " iterations";
    }

    void step(double dt) override
    {
        world.stepSimulation(static_cast<btScalar>(dt), 0);
    }

    void read(int index, dry_pose &pose, dry_velocity &velocity) const override
    {
        const btRigidBody &body = *bodies[static_cast<size_t>(index)];
        // A body's transform is that of its principal frame; the scene's is that of its origin.
        btTransform t = body.getWorldTransform() * principal_frames[static_cast<size_t>(index)].inverse();
        const btVector3 &p = t.getOrigin();
        const btQuaternion q = t.getRotation();
        pose.position = {p.x(), p.y(), p.z()};
        pose.orientation = {q.x(), q.y(), q.z(), q.w()};
        const btVector3 &v = body.getLinearVelocity();
        const btVector3 &w = body.getAngularVelocity();
        velocity.linear = {v.x(), v.y(), v.z()};
        velocity.angular = {w.x(), w.y(), w.z()};
    }

  private:
    int solver_iterations() const
    {
        return const_cast<btDiscreteDynamicsWorld &>(world).getSolverInfo().m_numIterations;
    }

    btCollisionShape *make_shape(const dry_shape_def &def)
    {
        switch (def.type) {
        case DRY_SHAPE_SPHERE:
            shapes.push_back(std::make_unique<btSphereShape>(def.radius));
            break;
        case DRY_SHAPE_CAPSULE:
            shapes.push_back(std::make_unique<btCapsuleShape>(def.radius, 2 * def.half_length));
            break;
        case DRY_SHAPE_BOX:
            // The margin (0.04 m) lies inside these extents.
            shapes.push_back(std::make_unique<btBoxShape>(vector(def.half_extents)));
            break;
        case DRY_SHAPE_HALFSPACE:
            shapes.push_back(std::make_unique<btStaticPlaneShape>(vector(def.normal), def.offset));
            break;
        default:
            throw std::runtime_error("a shape type that the peers do not know");
        }
        return shapes.back().get();
    }

    void add_body(const dry_scene_body &source)
    {
        const dry_body_def &def = source.def;
        const bool dynamic = def.type == DRY_BODY_DYNAMIC;
        std::vector<btScalar> masses(static_cast<size_t>(def.shape_count));
        std::vector<double> exact(masses.size());
        const double mass = shape_masses(source, exact.data());
        std::copy(exact.begin(), exact.end(), masses.begin());

        btCollisionShape *shape = nullptr;
        btVector3 inertia(0, 0, 0);
        btTransform principal = btTransform::getIdentity();
        if (def.shape_count == 1 && is_identity(def.shapes[0].pose)) {
            shape = make_shape(def.shapes[0]);
            if (dynamic)
                shape->calculateLocalInertia(static_cast<btScalar>(mass), inertia);
        } else {
            auto compound = std::make_unique<btCompoundShape>();
            for (int i = 0; i < def.shape_count; ++i) {
                const dry_transform &t = def.shapes[i].pose;
                compound->addChildShape(btTransform(quaternion(t.orientation), vector(t.position)),
                                        make_shape(def.shapes[i]));
            }
            if (dynamic) {
                compound->calculatePrincipalAxisTransform(masses.data(), principal, inertia);
                for (int i = 0; i < def.shape_count; ++i)
                    compound->updateChildTransform(i, principal.inverse() * compound->getChildTransform(i));
            }
            shape = compound.get();
            shapes.push_back(std::move(compound));
        }

        const dry_position &p = def.pose.position;
        const btTransform start(
            quaternion(def.pose.orientation),
            {static_cast<btScalar>(p.x), static_cast<btScalar>(p.y), static_cast<btScalar>(p.z)});
        btRigidBody::btRigidBodyConstructionInfo info(dynamic ? static_cast<btScalar>(mass) : 0, nullptr,
                                                      shape, inertia);
        info.m_startWorldTransform = start * principal;
        // Bullet multiplies the two bodies' coefficients; the scene's pair has sqrt(fa * fb).
        info.m_friction = def.shape_count > 0 ? std::sqrt(def.shapes[0].friction) : 0;
        info.m_restitution = def.shape_count > 0 ? def.shapes[0].restitution : 0;
        auto body = std::make_unique<btRigidBody>(info);
        if (def.type == DRY_BODY_KINEMATIC)
            body->setCollisionFlags(body->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
        if (def.type != DRY_BODY_STATIC) {
            body->setLinearVelocity(vector(def.velocity.linear));
            body->setAngularVelocity(vector(def.velocity.angular));
            body->setActivationState(DISABLE_DEACTIVATION);
        }
        world.addRigidBody(body.get());
        bodies.push_back(std::move(body));
        principal_frames.push_back(principal);
    }

    void add_joint(const dry_scene_joint &source)
    {
        if (source.body_a == DRY_SCENE_WORLD || source.def.type != DRY_JOINT_BALL || source.def.stiffness > 0)
            throw std::runtime_error("only rigid ball joints of two bodies go to Bullet");
        const auto a = static_cast<size_t>(source.body_a), b = static_cast<size_t>(source.body_b);
        auto joint = std::make_unique<btPoint2PointConstraint>(
            *bodies[a], *bodies[b], principal_frames[a].inverse() * vector(source.def.anchor_a),
            principal_frames[b].inverse() * vector(source.def.anchor_b));
        world.addConstraint(joint.get(), !source.def.collide);
        constraints.push_back(std::move(joint));
    }

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> constraints;
    std::vector<btTransform> principal_frames; // of each body, in the scene's body frame
};

} // namespace

std::unique_ptr<Peer> make_bullet(const dry_scene &scene)
{
    return std::make_unique<BulletPeer>(scene);
}
