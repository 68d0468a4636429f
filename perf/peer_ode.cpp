// Runs a Drystone scene on ODE: QuickStep, 20 iterations, one thread, auto-disable off, all else ODE's
// default.
#include "perf/peer.h"

#include <ode/ode.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace
{

constexpr int iterations = 20;
constexpr int contacts_max = 8; // of one pair of shapes; two boxes have at most 8

void set_quaternion(dQuaternion out, dry_quat q)
{
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}

class OdePeer final : public Peer
{
  public:
    explicit OdePeer(const dry_scene &scene)
    {
        dInitODE();
        world = dWorldCreate();
        space = dHashSpaceCreate(nullptr);
        contacts = dJointGroupCreate(0);
        dWorldSetGravity(world, scene.gravity.x, scene.gravity.y, scene.gravity.z);
        dWorldSetQuickStepNumIterations(world, iterations);
        dWorldSetAutoDisableFlag(world, 0);
        for (int i = 0; i < scene.body_count; ++i)
            add_body(scene.bodies[i]);
        for (int i = 0; i < scene.joint_count; ++i)
            add_joint(scene.joints[i]);
    }

    ~OdePeer() override
    {
        dJointGroupDestroy(contacts);
        dSpaceDestroy(space);
        dWorldDestroy(world);
        dCloseODE();
    }

    std::string describe() const override
    {
        return std::string("ODE ") + dODE_VERSION + ", QuickStep, " + std::to_string(iterations) +
               " iterations, " + (sizeof(dReal) == 8 ? "double" : "single") + " precision";
    }

    void step(double dt) override
    {
        dSpaceCollide(space, this, touch);
        dWorldQuickStep(world, static_cast<dReal>(dt));
        dJointGroupEmpty(contacts);
    }

    void read(int index, dry_pose &pose, dry_velocity &velocity) const override
    {
        const Body &body = bodies[static_cast<size_t>(index)];
        if (!body.body) {
            pose = body.start;
            velocity = {};
            return;
        }
        dVector3 origin; // the origin of ODE's body frame is the center of mass
        dBodyGetRelPointPos(body.body, -body.center[0], -body.center[1], -body.center[2], origin);
        const dReal *q = dBodyGetQuaternion(body.body);
        const dReal *v = dBodyGetLinearVel(body.body);
        const dReal *w = dBodyGetAngularVel(body.body);
        pose.position = {origin[0], origin[1], origin[2]};
        pose.orientation = {static_cast<float>(q[1]), static_cast<float>(q[2]), static_cast<float>(q[3]),
                            static_cast<float>(q[0])};
        velocity.linear = {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
        velocity.angular = {static_cast<float>(w[0]), static_cast<float>(w[1]), static_cast<float>(w[2])};
    }

  private:
    struct Body {
        dBodyID body; // null for a static body
        dVector3 center;
        dry_pose start;
    };

    static void touch(void *data, dGeomID a, dGeomID b)
    {
        auto *self = static_cast<OdePeer *>(data);
        const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
        const bool dynamic_a = body_a && !dBodyIsKinematic(body_a);
        const bool dynamic_b = body_b && !dBodyIsKinematic(body_b);
        if ((!dynamic_a && !dynamic_b) || body_a == body_b)
            return;
        if (body_a && body_b && dAreConnectedExcluding(body_a, body_b, dJointTypeContact))
            return;

        const auto *shape_a = static_cast<const dry_shape_def *>(dGeomGetData(a));
        const auto *shape_b = static_cast<const dry_shape_def *>(dGeomGetData(b));
        dContact found[contacts_max];
        const int count = dCollide(a, b, contacts_max, &found[0].geom, sizeof found[0]);
        for (int i = 0; i < count; ++i) {
            dSurfaceParameters &surface = found[i].surface;
            surface = {};
            surface.mode = dContactApprox1;
            surface.mu = std::sqrt(shape_a->friction * shape_b->friction);
            surface.bounce = std::max(shape_a->restitution, shape_b->restitution);
            if (surface.bounce > 0) {
                surface.mode |= dContactBounce;
                surface.bounce_vel = 1;
            }
            dJointAttach(dJointCreateContact(self->world, self->contacts, &found[i]), body_a, body_b);
        }
    }

    // A half-space is a plane in world axes, since ODE's planes have no pose.
    dGeomID make_plane(const dry_shape_def &def, const dry_pose &pose)
    {
        dQuaternion body_q, shape_q, q;
        set_quaternion(body_q, pose.orientation);
        set_quaternion(shape_q, def.pose.orientation);
        dQMultiply0(q, body_q, shape_q);
        dMatrix3 body_r, r;
        dQtoR(body_q, body_r);
        dQtoR(q, r);
        const dVector3 local_normal = {def.normal.x, def.normal.y, def.normal.z, 0};
        const dVector3 local_offset = {def.pose.position.x, def.pose.position.y, def.pose.position.z, 0};
        dVector3 n, shift;
        dMultiply0_331(n, r, local_normal);
        dMultiply0_331(shift, body_r, local_offset);
        const dry_position &p = pose.position;
        const double offset =
            def.offset + n[0] * (p.x + shift[0]) + n[1] * (p.y + shift[1]) + n[2] * (p.z + shift[2]);
        return dCreatePlane(space, n[0], n[1], n[2], offset);
    }

    // ODE's capsules lie along z, the scene's along y.
    static void shape_rotation(const dry_shape_def &def, dMatrix3 rotation)
    {
        dQuaternion q;
        set_quaternion(q, def.pose.orientation);
        if (def.type == DRY_SHAPE_CAPSULE) {
            dQuaternion z_to_y, turned;
            dQFromAxisAndAngle(z_to_y, 1, 0, 0, -std::acos(0.0));
            dQMultiply0(turned, q, z_to_y);
            dQtoR(turned, rotation);
        } else {
            dQtoR(q, rotation);
        }
    }

    dGeomID make_shape(const dry_shape_def &def, double mass, dMass &properties)
    {
        dGeomID geom;
        switch (def.type) {
        case DRY_SHAPE_SPHERE:
            geom = dCreateSphere(space, def.radius);
            if (mass > 0)
                dMassSetSphereTotal(&properties, mass, def.radius);
            break;
        case DRY_SHAPE_CAPSULE:
            geom = dCreateCapsule(space, def.radius, 2 * def.half_length);
            if (mass > 0)
                dMassSetCapsuleTotal(&properties, mass, 3, def.radius, 2 * def.half_length);
            break;
        case DRY_SHAPE_BOX: {
            const double x = 2.0 * def.half_extents.x, y = 2.0 * def.half_extents.y,
                         z = 2.0 * def.half_extents.z;
            geom = dCreateBox(space, x, y, z);
            if (mass > 0)
                dMassSetBoxTotal(&properties, mass, x, y, z);
            break;
        }
        default:
            throw std::runtime_error("a shape type that the peers do not know on a body that may move");
        }
        return geom;
    }

    void add_body(const dry_scene_body &source)
    {
        const dry_body_def &def = source.def;
        Body body = {nullptr, {0, 0, 0, 0}, def.pose};
        std::vector<double> masses(static_cast<size_t>(def.shape_count));
        shape_masses(source, masses.data());
        if (def.type == DRY_BODY_DYNAMIC)
            for (double mass : masses)
                if (mass <= 0)
                    throw std::runtime_error("ODE takes no shape without mass on a dynamic body");

        const dry_position &p = def.pose.position;
        dQuaternion orientation;
        set_quaternion(orientation, def.pose.orientation);
        if (def.type != DRY_BODY_STATIC) {
            body.body = dBodyCreate(world);
            dBodySetPosition(body.body, p.x, p.y, p.z);
            dBodySetQuaternion(body.body, orientation);
        }

        std::vector<dGeomID> geoms;
        dMass total;
        dMassSetZero(&total);
        for (int i = 0; i < def.shape_count; ++i) {
            const dry_shape_def &shape = def.shapes[i];
            dGeomID geom;
            if (shape.type == DRY_SHAPE_HALFSPACE) {
                geom = make_plane(shape, def.pose);
            } else {
                const bool weighs = def.type == DRY_BODY_DYNAMIC;
                dMass properties;
                geom = make_shape(shape, weighs ? masses[static_cast<size_t>(i)] : 0, properties);
                dMatrix3 rotation;
                shape_rotation(shape, rotation);
                const dry_vec3 &t = shape.pose.position;
                if (weighs) {
                    dMassRotate(&properties, rotation);
                    dMassTranslate(&properties, t.x, t.y, t.z);
                    dMassAdd(&total, &properties);
                }
                if (body.body) {
                    dGeomSetBody(geom, body.body);
                    dGeomSetOffsetPosition(geom, t.x, t.y, t.z);
                    dGeomSetOffsetRotation(geom, rotation);
                } else {
                    place_static(geom, def.pose, t, rotation);
                }
            }
            dGeomSetData(geom, const_cast<dry_shape_def *>(&shape));
            geoms.push_back(geom);
        }

        if (def.type == DRY_BODY_DYNAMIC) {
            std::copy_n(total.c, 3, body.center);
            dVector3 center;
            dBodyGetRelPointPos(body.body, total.c[0], total.c[1], total.c[2], center);
            for (dGeomID geom : geoms) {
                const dReal *t = dGeomGetOffsetPosition(geom);
                dGeomSetOffsetPosition(geom, t[0] - total.c[0], t[1] - total.c[1], t[2] - total.c[2]);
            }
            dBodySetPosition(body.body, center[0], center[1], center[2]);
            dMassTranslate(&total, -total.c[0], -total.c[1], -total.c[2]);
            dBodySetMass(body.body, &total);
        } else if (def.type == DRY_BODY_KINEMATIC) {
            dBodySetKinematic(body.body);
        }
        if (body.body) {
            dBodySetLinearVel(body.body, def.velocity.linear.x, def.velocity.linear.y, def.velocity.linear.z);
            dBodySetAngularVel(body.body, def.velocity.angular.x, def.velocity.angular.y,
                               def.velocity.angular.z);
        }
        bodies.push_back(body);
    }

    static void place_static(dGeomID geom, const dry_pose &pose, const dry_vec3 &t, const dMatrix3 rotation)
    {
        dQuaternion q;
        set_quaternion(q, pose.orientation);
        dMatrix3 r, turned;
        dQtoR(q, r);
        dMultiply0_333(turned, r, rotation);
        const dVector3 local = {t.x, t.y, t.z, 0};
        dVector3 shift;
        dMultiply0_331(shift, r, local);
        dGeomSetPosition(geom, pose.position.x + shift[0], pose.position.y + shift[1],
                         pose.position.z + shift[2]);
        dGeomSetRotation(geom, turned);
    }

    // Returns an anchor of the scene's body frame in world axes.
    void world_point(int index, const dry_vec3 &anchor, dVector3 out) const
    {
        const Body &body = bodies[static_cast<size_t>(index)];
        if (body.body) {
            dBodyGetRelPointPos(body.body, anchor.x - body.center[0], anchor.y - body.center[1],
                                anchor.z - body.center[2], out);
            return;
        }
        dQuaternion q;
        set_quaternion(q, body.start.orientation);
        dMatrix3 r;
        dQtoR(q, r);
        const dVector3 local = {anchor.x, anchor.y, anchor.z, 0};
        dMultiply0_331(out, r, local);
        out[0] += body.start.position.x;
        out[1] += body.start.position.y;
        out[2] += body.start.position.z;
    }

    void add_joint(const dry_scene_joint &source)
    {
        const bool bounded = source.def.length_min > 0 || std::isfinite(source.def.length_max);
        if (source.body_a == DRY_SCENE_WORLD || source.def.stiffness > 0 || bounded ||
            (source.def.type != DRY_JOINT_BALL && source.def.type != DRY_JOINT_DISTANCE))
            throw std::runtime_error("only rigid ball and distance joints of two bodies go to ODE");
        const dBodyID a = bodies[static_cast<size_t>(source.body_a)].body;
        const dBodyID b = bodies[static_cast<size_t>(source.body_b)].body;
        dVector3 anchor_a, anchor_b;
        world_point(source.body_a, source.def.anchor_a, anchor_a);
        world_point(source.body_b, source.def.anchor_b, anchor_b);
        if (source.def.type == DRY_JOINT_BALL) {
            dJointID joint = dJointCreateBall(world, nullptr);
            dJointAttach(joint, a, b);
            dJointSetBallAnchor(joint, anchor_a[0], anchor_a[1], anchor_a[2]);
            dJointSetBallAnchor2(joint, anchor_b[0], anchor_b[1], anchor_b[2]);
        } else {
            dJointID joint = dJointCreateDBall(world, nullptr);
            dJointAttach(joint, a, b);
            dJointSetDBallAnchor1(joint, anchor_a[0], anchor_a[1], anchor_a[2]);
            dJointSetDBallAnchor2(joint, anchor_b[0], anchor_b[1], anchor_b[2]);
            dJointSetDBallDistance(joint, source.def.length);
        }
    }

    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    std::vector<Body> bodies;
};

} // namespace

std::unique_ptr<Peer> make_ode(const dry_scene &scene)
{
    return std::make_unique<OdePeer>(scene);
}
