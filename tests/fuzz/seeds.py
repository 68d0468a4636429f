#!/usr/bin/env python3
"""Makes the inputs from which the fuzz targets began. The same inputs every time.

    seeds.py calls FOLDER
    seeds.py deltas FOLDER
    seeds.py hulls FOLDER
    seeds.py saves FOLDER
    seeds.py scenes FOLDER      also copies the small scene files of tests/data
    seeds.py triangles FOLDER"""
import json
import pathlib
import random
import struct
import sys

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"

# Numbers of calls: their places in FUZZ_CALLS (calls.h).
STEP, CREATE_BODIES, CREATE_BODY, CREATE_CROWD, MEND, BREAK, JOINT, SETTINGS = 0, 1, 2, 3, 16, 28, 36, 39
KINDS = 64


def calls(rng, at):
    """A stream of calls: bodies and joints first, then anything."""
    data = bytearray(rng.randbytes(4))
    wild = 0x40 if at % 3 == 0 else 0
    if at % 8 == 0:
        data += bytes([CREATE_CROWD]) + rng.randbytes(3)
    for _ in range(rng.randrange(1, 5)):
        data += bytes([rng.choice([CREATE_BODIES, CREATE_BODY, CREATE_BODY, JOINT])]) + rng.randbytes(30)
    for _ in range(rng.randrange(10, 80)):
        kind = rng.choice([STEP, STEP, SETTINGS, BREAK, MEND, CREATE_BODY, JOINT] + [rng.randrange(KINDS)] * 7)
        starved = 0x80 if rng.random() < 0.15 else 0
        data += bytes([kind | (wild if rng.random() < 0.3 else 0) | starved]) + rng.randbytes(rng.randrange(1, 16))
    return bytes(data)


def form(rng):
    """A cylinder, a hull or a compound."""
    kind = rng.choice(["cylinder", "hull", "compound"])
    made = {"type": kind}
    if kind == "cylinder":
        made.update(radius=round(rng.uniform(0.1, 0.7), 3), half_length=round(rng.uniform(0.1, 0.7), 3))
    elif kind == "hull":
        made["points"] = [[round(rng.uniform(-1, 1), 2) for _ in range(3)] for _ in range(rng.randrange(4, 12))]
        made.update(rng.choice([{}, {}, {"max_vertices": 6}]))
    else:
        made["children"] = [{"type": "box", "half_extents": [0.1, 0.3, 0.2], "position": [0.5, 0, 0]},
                            {"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]},
                            {"type": "cylinder", "radius": 0.2, "half_length": 0.4, "scale": [1, 2, 1]}][:rng.randrange(1, 4)]
    made.update(rng.choice([{}, {"scale": [0.5, -0.5, 0.5]}]))
    return made


def shape(rng, static):
    if rng.random() < 0.3:
        return form(rng)
    kind = rng.choice(["box", "sphere", "capsule"] + ["halfspace"] * static)
    made = {"type": kind}
    if kind == "box":
        made["half_extents"] = [round(rng.uniform(0.1, 1), 3) for _ in range(3)]
    elif kind == "halfspace":
        made.update(normal=[0, 1, 0], offset=round(rng.uniform(-1, 1), 3))
    else:
        made["radius"] = round(rng.uniform(0.1, 0.7), 3)
        if kind == "capsule":
            made["half_length"] = round(rng.uniform(0.1, 0.7), 3)
    if rng.random() < 0.3:
        made.update(friction=0.3, static_friction=0.5, contact_stiffness=1e6, contact_damping=1e3, restitution=0.5, density=500, rolling_resistance=0.1)
    if rng.random() < 0.3:
        made.update(position=[0.5, 0, 0.25], orientation=[0.6, 0, 0, 0.8])
    return made


# The joint types that have axes, and these; as in tools/scenes/scene_joints.c.
AXES = {"hinge": ["rx"], "slider": ["x"], "universal": ["ry", "rz"], "cone-twist": ["rx", "ry", "rz"],
        "wheel": ["y", "rx", "ry"], "generic": ["x", "y", "z", "rx", "ry", "rz"], "align": ["rx"]}
STOPS = [{"min": -0.5, "max": 0.5}, {"max": 0.25}, {"min": -1}, {"min": 0.25, "max": 0.25}, {}, {}]
SOFT = [{}, {"stop_hertz": 4, "stop_damping_ratio": 1}, {"stop_stiffness": 1e4, "stop_damping": 10},
        {"stop_restitution": 0.5}]
MOTORS = [{}, {}, {"velocity": 2}, {"position": 0.5}, {"velocity": 1, "position": 0.25, "force_max": 100},
          {"position": -0.5, "motor_hertz": 2, "motor_damping_ratio": 0.5}]
FORCES = [{}, {"stiffness": 100, "damping": 5, "rest": 0.1}, {"damping": 3}, {"friction": 2}]


def axis(rng, kind):
    made = dict(rng.choice(STOPS))
    locked = "min" in made and made.get("min") == made.get("max")
    if made and not locked:
        made.update(rng.choice(SOFT))
    if kind == "generic":
        state = "locked" if locked or rng.random() < 0.3 else "free"
        if made and not locked:
            state = "limited"
        made["state"] = state
        locked = state == "locked"
    if not locked:
        made.update(rng.choice(MOTORS))
        made.update(rng.choice(FORCES))
    return made


def joint(rng, bodies):
    """A joint of two of the bodies, or of one and the world; None where neither can move."""
    kind = rng.choice(["ball", "distance", "target", "fixed"] + 2 * list(AXES))
    b = rng.choice(bodies)
    a = None if kind == "target" or rng.random() < 0.2 else rng.choice(bodies)
    if a is b or "dynamic" not in (b["type"], a and a["type"]):
        return None
    made = {"type": kind, "body_a": a and a["id"], "body_b": b["id"], "anchor_b": [0.25, 0, 0]}
    if kind != "target":
        made["anchor_a"] = [0, 0.5, 0]
    if kind == "target" or (a is None and rng.random() < 0.7):
        made["target"] = [round(rng.uniform(-1, 1), 3) for _ in range(3)]
    if kind == "distance":
        made.update(rng.choice([{"length": 1}, {"length_min": 0.5}, {"length_max": 1.5, "length": 1}]))
    if kind in ("ball", "target") or "length" in made:
        made.update(rng.choice([{}, {}, {"stiffness": 1e4, "damping": 10}]))
    if kind == "target":
        made.update(rng.choice([{}, {"force_max": 1e3}]))
    if kind == "cone-twist":
        made.update(rng.choice([{}, {"swing_max": 0.75}]))
    if kind in AXES or kind == "fixed":
        made.update(rng.choice([{}, {"orientation_a": [0, 0.6, 0, 0.8], "orientation_b": [0, 0, 1, 0]}]))
    if kind in AXES and rng.random() < 0.8:
        made["axes"] = {name: axis(rng, kind) for name in AXES[kind] if rng.random() < 0.8}
    made.update(rng.choice([{}, {"collide": True}, {"break_force": 1e4, "break_torque": 1e3},
                            {"event_force": 10, "event_torque": 5}]))
    made.update(rng.choice([{}, {"solver": "iterative"}, {"solver": "direct"}, {"solver": "direct"}, {"solver": "auto"}]))
    return made


def scene(rng):
    bodies = []
    for i in range(rng.randrange(1, 8)):
        kind = rng.choice(["static", "kinematic", "dynamic", "dynamic", "dynamic"])
        body = {"id": f"b{i}", "type": kind,
                "position": [round(rng.uniform(-1, 1), 3) for _ in range(3)],
                "shapes": [shape(rng, kind == "static") for _ in range(rng.randrange(3))]}
        if rng.random() < 0.5:
            body.update(velocity=[1, -2, 0], angular_velocity=[0, 3, 1])
        if rng.random() < 0.3:
            body["mass"] = rng.choice([1, 1e-3, 1e6])
        bodies.append(body)
    joints = [joint(rng, bodies) for _ in range(rng.randrange(6))]
    joints = [made for made in joints if made]
    whole = {"format": "drystone-scene", "version": 1, "bodies": bodies}
    if joints:
        whole["joints"] = joints
    if rng.random() < 0.3:
        whole.update(name="a", source="b", gravity=[0, 0, -9.81], dt=0.01)
    return json.dumps(whole).encode()


def hull(rng, at):
    """A limit, a form of numbers, two exponents, points, and changes of the block's bytes."""
    form = at % 4
    data = bytearray([rng.choice([0, 0, 4, 8, 32, 200]), form, rng.randrange(256), rng.randrange(256)])
    flat, size = rng.random() < 0.3, 10 ** rng.uniform(-3, 5)
    for _ in range(rng.choice([4, 8, 20, 100, 300])):
        if form == 0:
            point = [rng.gauss(0, 1) for _ in range(3)]
            scale = size / sum(x * x for x in point) ** 0.5 if at % 8 else size
            data += b"".join(struct.pack(">f", x * scale) for x in point)
        else:
            data += bytes([rng.randrange(17), 8 if flat else rng.randrange(17), rng.choice([0, 16, rng.randrange(17)])])
            data += rng.randbytes(form == 3)
    return bytes(data) + rng.randbytes(12)


def triangles(rng, at):
    """A mesh or a height field, and changes of its block. Every fourth mesh is a box, closed and solid."""
    how = rng.randrange(256)
    numbers = (lambda count: rng.randbytes(4 * count)) if how & 2 and at % 8 == 0 else \
        lambda count: bytes(rng.randrange(17) for _ in range(count))
    how = how if how & 2 and at % 8 == 0 else how & ~2
    if how & 1:
        rows, columns = rng.randrange(1, 12), rng.randrange(1, 12)
        samples = b"".join(numbers(1) + (bytes([rng.randrange(256)]) if how & 4 else b"")
                           for _ in range((rows + 1) * (columns + 1)))
        data = bytes([how, 10, rows, columns]) + numbers(3 if how & 32 else 2) + samples
    elif at % 4 == 0:
        corners = b"".join(bytes([8 * (i & 1) + 4, 8 * (i >> 1 & 1) + 4, 8 * (i >> 2) + 4]) for i in range(8))
        sides = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
        data = bytes([how & ~2 | 8, 10, 7]) + corners + b"".join(bytes([a, b, c, a, c, d]) for a, b, c, d in sides)
    else:
        vertices = rng.randrange(1, 40)
        data = bytes([how & ~8, 10, vertices - 1]) + numbers(3 * vertices)
        data += bytes(rng.randrange(256 if at % 7 == 0 else vertices) for _ in range(3 * rng.randrange(1, 60)))
    return data + rng.randbytes(16)


def saves(rng, at):
    """The number of a save or a delta, and changes of its bytes: a place in 3 bytes, how, and a value in 2."""
    return bytes([at % 256]) + rng.randbytes(6 * rng.choice([0, 1, 1, 1, 1, 2, 3]))


def main(target, folder):
    rng = random.Random(13)
    folder.mkdir(parents=True, exist_ok=True)
    for i in range({"saves": 400, "deltas": 60}.get(target, 200)):
        made = {"calls": calls, "deltas": saves, "hulls": hull, "saves": saves, "triangles": triangles}[target](rng, i) if target != "scenes" else scene(rng)
        (folder / f"seed{i:03}").write_bytes(made)
    if target == "scenes":
        for path in sorted(DATA.rglob("*.json")):
            if path.stat().st_size < 8000:
                (folder / path.name).write_bytes(path.read_bytes())


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("calls", "deltas", "hulls", "saves", "scenes", "triangles"):
        sys.exit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
