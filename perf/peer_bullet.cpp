// Runs a Drystone scene on Bullet: sequential impulse, 10 iterations, one thread, sleeping off. All else is
// Bullet's default, but for the rules that combine friction and restitution of two shapes, and for margins: a
// hull is shrunk by its margin, and triangles have none. Else bodies would float 4 cm above each other.
#include "perf/peer.h"

#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>
#include <LinearMath/btConvexHullComputer.h>
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

btVector3 vector(const double *v)
{
    return {static_cast<btScalar>(v[0]), static_cast<btScalar>(v[1]), static_cast<btScalar>(v[2])};
}

btTransform place_of(const PeerPart &part)
{
    btMatrix3x3 basis;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            basis[i][k] = static_cast<btScalar>(part.solid.axis[k][i]);
    return btTransform(basis, vector(part.solid.center));
}

// Returns the frame of a dynamic body's principal axes, and its moments about them; of others the body's own.
btTransform principal_frame(const PeerBody &body, btVector3 &moments)
{
    btMatrix3x3 tensor, rotation = btMatrix3x3::getIdentity();
    for (size_t i = 0; i < 3; ++i)
        tensor[static_cast<int>(i)] = vector(body.inertia[i].data());
    tensor.diagonalize(rotation, static_cast<btScalar>(1e-5), 100);
    moments = {tensor[0][0], tensor[1][1], tensor[2][2]};
    return btTransform(rotation, vector(body.center.data()));
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
            add_body(scene, scene.bodies[i]);
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

    template <typename Shape, typename... Arguments> Shape *keep(Arguments &&...arguments)
    {
        auto shape = std::make_unique<Shape>(std::forward<Arguments>(arguments)...);
        Shape *kept = shape.get();
        shapes.push_back(std::move(shape));
        return kept;
    }

    // The margin lies inside the hull, as it lies inside Bullet's boxes.
    btCollisionShape *make_hull(const PeerPart &part, const btTransform &from_body)
    {
        std::vector<btVector3> points;
        for (const Point &p : part.vertices)
            points.push_back(from_body * (vector(p.data()) + vector(part.solid.center)));
        btConvexHullComputer core;
        const btScalar margin =
            core.compute(&points[0].x(), sizeof points[0], static_cast<int>(points.size()),
                         CONVEX_DISTANCE_MARGIN, static_cast<btScalar>(0.5));
        if (margin < 0)
            throw std::runtime_error("Bullet cannot shrink a hull by its margin");
        auto *hull = keep<btConvexHullShape>(&core.vertices[0].x(), core.vertices.size(),
                                             static_cast<int>(sizeof core.vertices[0]));
        hull->setMargin(margin);
        return hull;
    }

    // Reads the scene's own arrays in every step.
    btCollisionShape *make_mesh(const dry_scene_form &form)
    {
        btIndexedMesh mesh;
        mesh.m_numTriangles = form.triangle_count;
        mesh.m_triangleIndexBase = reinterpret_cast<const unsigned char *>(form.triangles);
        mesh.m_triangleIndexStride = 3 * sizeof *form.triangles;
        mesh.m_numVertices = form.point_count;
        mesh.m_vertexBase = reinterpret_cast<const unsigned char *>(form.points);
        mesh.m_vertexStride = sizeof *form.points;
        mesh.m_vertexType = PHY_FLOAT;
        meshes.push_back(std::make_unique<btTriangleIndexVertexArray>());
        meshes.back()->addIndexedMesh(mesh, PHY_INTEGER);
        return keep<btBvhTriangleMeshShape>(meshes.back().get(), true);
    }

    // Bullet's height field has its origin in the middle of its samples and of its heights.
    btCollisionShape *make_field(const dry_scene_form &form, btTransform &place)
    {
        const dry_height_field_def &f = form.field;
        const auto range = std::minmax_element(f.heights, f.heights + f.rows * f.columns);
        auto *field = keep<btHeightfieldTerrainShape>(f.columns, f.rows, f.heights, *range.first,
                                                      *range.second, 1, f.diagonal == DRY_DIAGONAL_FORWARD);
        field->setLocalScaling({f.spacing[0], 1, f.spacing[1]});
        const btVector3 middle(f.spacing[0] * static_cast<btScalar>(f.columns - 1) / 2,
                               (*range.first + *range.second) / 2,
                               f.spacing[1] * static_cast<btScalar>(f.rows - 1) / 2);
        place = place * btTransform(btQuaternion::getIdentity(), middle);
        return field;
    }

    // Makes the shape of a part, and sets its place in a frame of the body. A hull without a place of its own
    // has its points in that frame.
    btCollisionShape *make_shape(const PeerPart &part, const btTransform &from_body, btTransform &place)
    {
        const dry_solid &s = part.solid;
        btCollisionShape *shape = nullptr;
        place = from_body * place_of(part);
        switch (part.type) {
        case DRY_SHAPE_SPHERE:
            return keep<btSphereShape>(static_cast<btScalar>(s.radius));
        case DRY_SHAPE_CAPSULE:
            return keep<btCapsuleShape>(static_cast<btScalar>(s.radius),
                                        static_cast<btScalar>(2 * s.half[1]));
        case DRY_SHAPE_BOX: // the margin (0.04 m) lies inside these extents, as it does inside a cylinder's
            return keep<btBoxShape>(vector(s.half));
        case DRY_SHAPE_CYLINDER:
            return keep<btCylinderShape>(vector(s.half));
        case DRY_SHAPE_HALFSPACE:
            place = from_body;
            return keep<btStaticPlaneShape>(vector(s.axis[1]), static_cast<btScalar>(s.offset));
        case DRY_SHAPE_HULL:
            place = btTransform::getIdentity();
            return make_hull(part, from_body);
        case DRY_SHAPE_MESH:
            shape = make_mesh(*part.form);
            break;
        case DRY_SHAPE_HEIGHT_FIELD:
            shape = make_field(*part.form, place);
            break;
        default:
            throw std::runtime_error("a shape type that the peers do not know");
        }
        shape->setMargin(0);
        return shape;
    }

    // Makes the shape of a body in a frame of it: a compound, unless one shape lies in that frame.
    btCollisionShape *make_shapes(const PeerBody &body, const btTransform &from_body)
    {
        std::vector<btCollisionShape *> made;
        std::vector<btTransform> places(body.parts.size());
        for (size_t i = 0; i < body.parts.size(); ++i)
            made.push_back(make_shape(body.parts[i], from_body, places[i]));
        if (made.size() == 1 && places[0] == btTransform::getIdentity())
            return made[0];
        auto *compound = keep<btCompoundShape>();
        for (size_t i = 0; i < made.size(); ++i)
            compound->addChildShape(places[i], made[i]);
        return compound;
    }

    void add_body(const dry_scene &scene, const dry_scene_body &source)
    {
        const dry_body_def &def = source.def;
        const PeerBody read = read_body(scene, source);
        btVector3 inertia(0, 0, 0);
        btTransform principal = btTransform::getIdentity();
        if (def.type == DRY_BODY_DYNAMIC)
            principal = principal_frame(read, inertia);
        btCollisionShape *shape = make_shapes(read, principal.inverse());

        const dry_position &p = def.pose.position;
        const btTransform start(
            quaternion(def.pose.orientation),
            {static_cast<btScalar>(p.x), static_cast<btScalar>(p.y), static_cast<btScalar>(p.z)});
        btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(read.mass), nullptr, shape,
                                                      inertia);
        info.m_startWorldTransform = start * principal;
        // Bullet multiplies the two bodies' coefficients; the scene's pair has sqrt(fa * fb).
        info.m_friction = def.shape_count > 0 ? std::sqrt(friction_of(def.shapes[0])) : 0;
        info.m_restitution = def.shape_count > 0 ? restitution_of(def.shapes[0]) : 0;
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
    std::vector<std::unique_ptr<btTriangleIndexVertexArray>> meshes;
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
