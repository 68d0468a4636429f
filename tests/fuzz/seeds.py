#!/usr/bin/env python3
"""Makes the inputs from which the fuzz targets began. The same inputs every time.

    seeds.py calls FOLDER
    seeds.py scenes FOLDER      also copies the small scene files of tests/data"""
import json
import pathlib
import random
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


def shape(rng, static):
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
        made.update(friction=0.3, restitution=0.5, density=500, rolling_resistance=0.1)
    if rng.random() < 0.3:
        made.update(position=[0.5, 0, 0.25], orientation=[0.6, 0, 0, 0.8])
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
    joints = []
    for _ in range(rng.randrange(4)):
        a, b = rng.choice(bodies), rng.choice(bodies)
        if a is b or "dynamic" not in (a["type"], b["type"]):
            continue
        joint = {"type": rng.choice(["ball", "distance"]), "body_a": a["id"], "body_b": b["id"],
                 "anchor_a": [0, 0.5, 0], "anchor_b": [0.25, 0, 0]}
        if joint["type"] == "distance":
            joint["length"] = 1
        if rng.random() < 0.4:
            joint.update(stiffness=1e4, damping=10, collide=True)
        joints.append(joint)
    whole = {"format": "drystone-scene", "version": 1, "bodies": bodies}
    if joints:
        whole["joints"] = joints
    if rng.random() < 0.3:
        whole.update(name="a", source="b", gravity=[0, 0, -9.81], dt=0.01)
    return json.dumps(whole).encode()


def main(target, folder):
    rng = random.Random(13)
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(200):
        made = calls(rng, i) if target == "calls" else scene(rng)
        (folder / f"seed{i:03}").write_bytes(made)
    if target == "scenes":
        for path in sorted(DATA.rglob("*.json")):
            if path.stat().st_size < 8000:
                (folder / path.name).write_bytes(path.read_bytes())


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("calls", "scenes"):
        sys.exit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
