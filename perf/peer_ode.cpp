// Runs a Drystone scene on ODE: QuickStep, 20 iterations, unless the caller asks for other options; one
// thread, auto-disable off, all else ODE's default.
#include "perf/ode_shapes.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace
{

constexpr int contacts_max = 64; // of one pair of shapes; two boxes have at most 8

void set_quaternion(dQuaternion out, dry_quat q)
{
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}

// Tells whether the filters of two shapes let them touch.
bool filters_agree(const dry_filter &a, const dry_filter &b)
{
    if (a.group != 0 && a.group == b.group)
        return a.group > 0;
    return (a.mask & b.category) != 0 && (b.mask & a.category) != 0;
}

// Tells whether nothing acts along an axis.
bool is_free(const dry_joint_axis &axis)
{
    return std::isinf(axis.min) && std::isinf(axis.max) && axis.motor == DRY_MOTOR_OFF &&
           axis.stiffness == 0 && axis.damping == 0 && axis.friction == 0;
}

class OdePeer final : public JointedPeer
{
  public:
    OdePeer(const dry_scene &scene, const OdeOptions &wanted) : options(wanted)
    {
        dInitODE();
        world = dWorldCreate();
        space = dHashSpaceCreate(nullptr);
        contacts = dJointGroupCreate(0);
        dWorldSetGravity(world, scene.gravity.x, scene.gravity.y, scene.gravity.z);
        dWorldSetQuickStepNumIterations(world, options.iterations);
        dWorldSetERP(world, options.erp);
        dWorldSetCFM(world, options.cfm);
        dWorldSetAutoDisableFlag(world, 0);
        for (int i = 0; i < scene.body_count; ++i)
            add_body(scene, scene.bodies[i]);
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
        const std::string method =
            options.direct ? "Step, " : "QuickStep, " + std::to_string(options.iterations) + " iterations, ";
        return std::string("ODE ") + dODE_VERSION + ", " + method +
               (sizeof(dReal) == 8 ? "double" : "single") + " precision";
    }

    void step(double dt) override
    {
        dSpaceCollide(space, this, touch);
        if (options.direct)
            dWorldStep(world, static_cast<dReal>(dt));
        else
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

    double joint_error() const override
    {
        double largest = 0;
        for (dJointID joint : joints) {
            dVector3 a, b;
            if (dJointGetType(joint) == dJointTypeHinge) {
                dJointGetHingeAnchor(joint, a);
                dJointGetHingeAnchor2(joint, b);
            } else {
                dJointGetBallAnchor(joint, a);
                dJointGetBallAnchor2(joint, b);
            }
            largest = std::max(largest, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
        }
        return largest;
    }

    double energy() const override
    {
        dVector3 gravity;
        dWorldGetGravity(world, gravity);
        double sum = 0;
        for (const Body &body : bodies) {
            if (!body.body || dBodyIsKinematic(body.body))
                continue;
            dMass mass;
            dBodyGetMass(body.body, &mass);
            const dReal *v = dBodyGetLinearVel(body.body), *x = dBodyGetPosition(body.body);
            dVector3 w, moment;
            const dReal *spin = dBodyGetAngularVel(body.body);
            dBodyVectorFromWorld(body.body, spin[0], spin[1], spin[2], w);
            dMultiply0_331(moment, mass.I, w);
            sum += 0.5 * (mass.mass * dCalcVectorDot3(v, v) + dCalcVectorDot3(w, moment)) -
                   mass.mass * dCalcVectorDot3(gravity, x);
        }
        return sum;
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
        if (!filters_agree(static_cast<const dry_shape_def *>(dGeomGetData(a))->filter,
                           static_cast<const dry_shape_def *>(dGeomGetData(b))->filter))
            return;

        const auto *shape_a = static_cast<const dry_shape_def *>(dGeomGetData(a));
        const auto *shape_b = static_cast<const dry_shape_def *>(dGeomGetData(b));
        dContact found[contacts_max];
        const int count = dCollide(a, b, contacts_max, &found[0].geom, sizeof found[0]);
        for (int i = 0; i < count; ++i) {
            dSurfaceParameters &surface = found[i].surface;
            surface = {};
            surface.mode = dContactApprox1;
            surface.mu = std::sqrt(friction_of(*shape_a) * friction_of(*shape_b));
            surface.bounce = std::max(restitution_of(*shape_a), restitution_of(*shape_b));
            if (surface.bounce > 0) {
                surface.mode |= dContactBounce;
                surface.bounce_vel = 1;
            }
            dJointAttach(dJointCreateContact(self->world, self->contacts, &found[i]), body_a, body_b);
        }
    }

    // Makes a plane in world axes, since ODE's planes have no pose.
    dGeomID make_plane(const dry_solid &halfspace, const dry_pose &pose)
    {
        dQuaternion q;
        set_quaternion(q, pose.orientation);
        dMatrix3 r;
        dQtoR(q, r);
        const double *local = halfspace.axis[1];
        dVector3 n;
        dMultiply0_331(n, r, local);
        const dry_position &p = pose.position;
        return dCreatePlane(space, n[0], n[1], n[2], halfspace.offset + n[0] * p.x + n[1] * p.y + n[2] * p.z);
    }

    // Adds a part to a body, whose frame lies at its center of mass, or to the world.
    void add_part(const PeerPart &part, const Body &body, const dry_pose &pose)
    {
        dGeomID geom;
        if (part.type == DRY_SHAPE_HALFSPACE) {
            geom = make_plane(part.solid, pose);
        } else {
            dVector3 t;
            dMatrix3 rotation;
            geom = shapes.make(space, part, t, rotation);
            if (body.body) {
                dGeomSetBody(geom, body.body);
                dGeomSetOffsetPosition(geom, t[0] - body.center[0], t[1] - body.center[1],
                                       t[2] - body.center[2]);
                dGeomSetOffsetRotation(geom, rotation);
            } else {
                place_static(geom, pose, t, rotation);
            }
        }
        dGeomSetData(geom, const_cast<dry_shape_def *>(part.shape));
    }

    void add_body(const dry_scene &scene, const dry_scene_body &source)
    {
        const dry_body_def &def = source.def;
        const PeerBody read = read_body(scene, source);
        Body body = {nullptr, {read.center[0], read.center[1], read.center[2], 0}, def.pose};
        if (def.type != DRY_BODY_STATIC) {
            const dry_position &p = def.pose.position;
            dQuaternion orientation;
            set_quaternion(orientation, def.pose.orientation);
            body.body = dBodyCreate(world);
            dBodySetPosition(body.body, p.x, p.y, p.z);
            dBodySetQuaternion(body.body, orientation);
            dVector3 center;
            dBodyGetRelPointPos(body.body, body.center[0], body.center[1], body.center[2], center);
            dBodySetPosition(body.body, center[0], center[1], center[2]);
        }
        for (const PeerPart &part : read.parts)
            add_part(part, body, def.pose);
        if (def.type == DRY_BODY_DYNAMIC) {
            const Point *i = read.inertia;
            dMass mass;
            dMassSetParameters(&mass, read.mass, 0, 0, 0, i[0][0], i[1][1], i[2][2], i[0][1], i[0][2],
                               i[1][2]);
            dBodySetMass(body.body, &mass);
        } else if (def.type == DRY_BODY_KINEMATIC) {
            dBodySetKinematic(body.body);
        }
        if (body.body) {
            const dry_velocity &v = def.velocity;
            dBodySetLinearVel(body.body, v.linear.x, v.linear.y, v.linear.z);
            dBodySetAngularVel(body.body, v.angular.x, v.angular.y, v.angular.z);
        }
        bodies.push_back(body);
    }

    static void place_static(dGeomID geom, const dry_pose &pose, const dVector3 t, const dMatrix3 rotation)
    {
        dQuaternion q;
        set_quaternion(q, pose.orientation);
        dMatrix3 r, turned;
        dQtoR(q, r);
        dMultiply0_333(turned, r, rotation);
        dVector3 shift;
        dMultiply0_331(shift, r, t);
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

    // Returns the ODE body of a joint's side; null for the world and for static bodies.
    dBodyID side(int index) const
    {
        return index == DRY_SCENE_WORLD ? nullptr : bodies[static_cast<size_t>(index)].body;
    }

    // Adds a ball joint or a hinge where body b has its anchor and its axis at the start.
    // dJointSetBallAnchor2 would not do: it takes body b's frame.
    void add_pinned(const dry_scene_joint &source)
    {
        const bool swapped = !side(source.body_b);
        const int index = swapped ? source.body_a : source.body_b;
        const dry_joint_def &def = source.def;
        dVector3 anchor, axis;
        world_point(index, swapped ? def.anchor_a : def.anchor_b, anchor);
        dQuaternion q;
        set_quaternion(q, swapped ? def.orientation_a : def.orientation_b);
        dMatrix3 frame;
        dQtoR(q, frame);
        dBodyVectorToWorld(side(index), frame[0], frame[4], frame[8], axis);
        dJointID joint = def.type == DRY_JOINT_HINGE ? dJointCreateHinge(world, nullptr)
                                                     : dJointCreateBall(world, nullptr);
        dJointAttach(joint, side(source.body_a), side(source.body_b));
        if (def.type == DRY_JOINT_HINGE) {
            dJointSetHingeAnchor(joint, anchor[0], anchor[1], anchor[2]);
            dJointSetHingeAxis(joint, axis[0], axis[1], axis[2]);
        } else {
            dJointSetBallAnchor(joint, anchor[0], anchor[1], anchor[2]);
        }
        joints.push_back(joint);
    }

    void add_joint(const dry_scene_joint &source)
    {
        const dry_joint_def &def = source.def;
        if (!side(source.body_a) && !side(source.body_b))
            return;
        const bool bounded = def.length_min > 0 || std::isfinite(def.length_max);
        if (def.type == DRY_JOINT_HINGE && !is_free(def.axes[DRY_AXIS_RX]))
            throw std::runtime_error("only hinges without stops and motors go to ODE");
        if (def.type == DRY_JOINT_HINGE || (def.type == DRY_JOINT_BALL && !(def.stiffness > 0)))
            return add_pinned(source);
        if (def.type != DRY_JOINT_DISTANCE || def.stiffness > 0 || bounded ||
            source.body_a == DRY_SCENE_WORLD)
            throw std::runtime_error("only hinges and rigid ball and distance joints go to ODE");
        dVector3 anchor_a, anchor_b;
        world_point(source.body_a, def.anchor_a, anchor_a);
        world_point(source.body_b, def.anchor_b, anchor_b);
        dJointID joint = dJointCreateDBall(world, nullptr);
        dJointAttach(joint, side(source.body_a), side(source.body_b));
        dJointSetDBallAnchor1(joint, anchor_a[0], anchor_a[1], anchor_a[2]);
        dJointSetDBallAnchor2(joint, anchor_b[0], anchor_b[1], anchor_b[2]);
        dJointSetDBallDistance(joint, def.length);
    }

    OdeOptions options;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    OdeShapes shapes;
    std::vector<Body> bodies;
    std::vector<dJointID> joints; // ball joints and hinges
};

} // namespace

std::unique_ptr<Peer> make_ode(const dry_scene &scene)
{
    return std::make_unique<OdePeer>(scene, OdeOptions());
}

std::unique_ptr<JointedPeer> make_ode_with(const dry_scene &scene, const OdeOptions &options)
{
    return std::make_unique<OdePeer>(scene, options);
}
