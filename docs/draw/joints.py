#!/usr/bin/env -S python3 -B
"""Draws docs/joints/TYPE.svg: bodies, frames and axes of each joint type.

    docs/draw/joints.py FOLDER [ROOT]     writes into FOLDER; ROOT is the source root

The types and the axes that each of them names come from state/joint_list.h, so that a new type fails here
until it has a drawing. Body a is gray and body b is blue. Orange marks what an axis of the joint lets move, towards larger
values.
"""

import math
import pathlib
import re
import sys

from drawing import AXIS_COLORS, BLUE, GRAY, INK, Drawing, add, cross, scale, turned

ORANGE = "#d35400"
AXES = ["X", "Y", "Z", "RX", "RY", "RZ"]
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def types_of(root):
    """Returns the axes that each joint type names, by the type's name in scene files."""
    text = (root / "state/joint_list.h").read_text(encoding="utf-8")
    table = re.search(r"define DRY_JOINT_TYPES_OF\(X, Y\)(.*?)clang-format on", text, re.S)[1]
    sets = {"DRY_AXES_ROTATIONS": AXES[3:], "DRY_AXES_ALL": AXES}
    found = {}
    for row in re.split(r"\b[XY]\(", table)[1:]:
        axes = re.findall(r"DRY_AXIS_(\w+)\)", row) + [axis for name in sets if name in row for axis in sets[name]]
        found[row.split('"')[1]] = [axis for axis in AXES if axis in axes]
    return found


def start(name, origin=(180, 142), zoom=78):
    d = Drawing(360, 308, origin, zoom)
    d.write(14, 24, name, 16, bold=True)
    return d


def bodies(d, a=None, b=None):
    for letter, at in (("A", a), ("B", b)):
        if at:
            d.label(at[0], letter, *at[1:], size=17, bold=True, color="#444444", anchor="middle")


def ending(d, lines):
    for i, line in enumerate(lines):
        d.write(14, d.height - 16 - 19 * (len(lines) - 1 - i), line, 12.5, halo=False)


def turning(d, center, axis, radius_vector, angle, name, right=0, down=0):
    points = d.arc(center, axis, radius_vector, angle, ORANGE)
    d.label(points[16], name, right, down, color=ORANGE, bold=True, size=14, anchor="middle")


def sliding(d, begin, end, name, right=0, down=0, both=True):
    d.arrow(begin, end, ORANGE, 2.4, both=both)
    d.label(scale(0.5, add(begin, end)), name, right, down, color=ORANGE, bold=True, size=14, anchor="middle")


def ball():
    d = start("ball")
    d.box((-0.95, -0.25, 0), (0.8, 0.28, 0.3))
    axis = turned(X, Z, math.radians(28))
    d.box(scale(0.95, axis), (0.75, 0.25, 0.25), (axis, cross(Z, axis), Z), BLUE)
    d.ball((0, 0, 0), 0.09, ORANGE)
    d.label((0, 0, 0), "anchor_a = anchor_b", 4, -66, anchor="middle")
    d.path([(0, 0.1, 0), (0, 0.72, 0)], stroke="#777777", dash="3 3")
    bodies(d, ((-0.95, -0.25, 0.3), 0, 0), ((1.0, 0.5, 0.25), 0, 0))
    ending(d, ["**locked:** the two anchors, in one place", "**free:** all rotations; orientations are not used"])
    return d


def distance():
    d = start("distance", (180, 125))
    d.box((-1.2, 0.35, 0), (0.45, 0.35, 0.35))
    d.box((1.15, -0.25, 0), (0.45, 0.35, 0.35), fill=BLUE)
    a, b = (-0.72, 0.45, 0.1), (0.7, -0.1, 0.1)
    d.path([a, b], stroke=ORANGE, width=2.6)
    d.ball(a, 0.06, INK)
    d.ball(b, 0.06, INK)
    d.label(a, "anchor_a", 8, -16)
    d.label(b, "anchor_b", -12, 26, anchor="end")
    d.label(scale(0.5, add(a, b)), "length", 12, -10, color=ORANGE, bold=True, size=14)
    bodies(d, ((-1.2, 0.35, 0.35), -8, 0), ((1.15, -0.25, 0.35), 8, 0))
    ending(d, ["**locked:** the distance of the anchors, at length;", "**or free** between length_min and length_max;",
               "**or a spring** of stiffness k about length"])
    return d


def target():
    d = start("target", (165, 130))
    d.box((-0.55, -0.4, 0), (0.55, 0.4, 0.45), fill=BLUE)
    b, t = (-0.1, -0.05, 0.45), (1.25, 0.7, 0)
    points = []
    for i in range(61):
        part = i / 60
        wave = 0.07 * math.sin(part * 16 * math.pi) if 0.1 < part < 0.9 else 0
        points.append(add(b, scale(part, add(t, scale(-1, b))), (-0.53 * wave, 0.85 * wave, 0)))
    d.path(points, stroke=ORANGE, width=2)
    d.ball(b, 0.06, INK)
    d.path([add(t, (-0.16, 0, 0)), add(t, (0.16, 0, 0))], stroke=INK, width=2.2)
    d.path([add(t, (0, -0.16, 0)), add(t, (0, 0.16, 0))], stroke=INK, width=2.2)
    d.label(t, "target, in the world", 8, -24, anchor="middle")
    d.label(b, "anchor_b", 12, 16)
    bodies(d, None, ((-0.6, -0.45, 0.45), 0, 8))
    ending(d, ["**dragged:** anchor_b to target, by a spring of at", "most force_max; body_a is null, the world",
               "**free:** all rotations"])
    return d


def hinge():
    d = start("hinge", (158, 138))
    angle = math.radians(48)  # x of the joint's frames is up, y to the right
    d.box((-0.85, 0, 0), (0.62, 0.85, 0.1))
    y_b = turned(X, Y, angle)
    d.box(scale(0.85, y_b), (0.62, 0.75, 0.07), (y_b, Y, cross(y_b, Y)), BLUE)
    d.path([(0, -0.95, 0), (0, 0, 0)], stroke="#777777", dash="4 3")
    d.triad((0, 0, 0), (Y, X, (0, 0, -1)), 1.1, "x", shift={"x": (-12, 4)})
    d.arrow((0, 0, 0), scale(1.7, X), AXIS_COLORS["y"], 1.8)
    d.label(scale(1.75, X), "y of a", 0, 18, color=AXIS_COLORS["y"], bold=True, size=14, anchor="middle")
    d.arrow((0, 0, 0), scale(1.85, y_b), AXIS_COLORS["y"], 1.6, dash="4 3")
    d.label(scale(1.85, y_b), "y of b", 24, -4, color=AXIS_COLORS["y"], bold=True, size=14, anchor="middle")
    turning(d, (0, 0, 0), Y, scale(1.35, X), angle, "rx", 14, 5)
    bodies(d, ((-0.95, 0.2, 0.1), 0, 0), (scale(0.75, y_b), 0, 44))
    ending(d, ["**locked:** x, y, z, ry, rz", "**free:** rx, about the x axes of both frames;", "0 where their y axes coincide"])
    return d


def slider():
    d = start("slider", (165, 142))
    d.box((0.15, -0.42, 0), (1.6, 0.12, 0.3))
    d.box((0.62, 0.02, 0), (0.42, 0.3, 0.35), fill=BLUE)
    d.triad((-1.1, -0.3, 0), (X, Y, Z), 0.75, shift={"x": (0, -12), "y": (10, 0), "z": (-10, -2)})
    d.ball((-1.1, -0.3, 0), 0.05, INK)
    d.label((-1.1, -0.3, 0), "anchor_a", -30, 46)
    d.path([(-1.1, -0.3, 0), (-1.1, -0.72, 0)], stroke="#777777", dash="3 3")
    d.ball((0.62, -0.3, 0.35), 0.05, INK)
    sliding(d, (-1.1, 0.75, 0), (0.62, 0.75, 0), "x", 0, -10, both=False)
    d.path([(0.62, 0.85, 0), (0.62, -0.3, 0)], stroke="#777777", dash="3 3")
    d.path([(-1.1, 0.55, 0), (-1.1, 0.85, 0)], stroke="#777777", dash="3 3")
    d.label((0.62, -0.3, 0.35), "anchor_b", -14, 40)
    d.path([(0.62, -0.3, 0.35), (0.62, -0.62, 0.35)], stroke="#777777", dash="3 3")
    bodies(d, ((1.52, -0.44, 0.3), 0, 0), ((0.62, 0.05, 0.35), 0, -4))
    ending(d, ["**locked:** y, z, rx, ry, rz", "**free:** x, along x of frame a;", "0 where the anchors coincide"])
    return d


def universal():
    d = start("universal", (180, 138))
    d.box((-1.1, 0, 0), (0.7, 0.16, 0.16))
    out = turned(X, Z, math.radians(24))
    d.box(scale(1.15, out), (0.7, 0.16, 0.16), (out, cross(Z, out), Z), BLUE)
    d.path([(0, 0, 0), (-0.4, 0, 0)], stroke="#777777", width=4)
    d.path([(0, 0, 0), scale(0.45, out)], stroke="#6d93c4", width=4)
    d.arrow((0, 0, 0), scale(1.05, Y), AXIS_COLORS["y"], 2.2)
    d.label(scale(1.18, Y), "y of a", 8, 2, color=AXIS_COLORS["y"], bold=True, size=14)
    d.arrow((0, 0, 0), scale(1.1, Z), AXIS_COLORS["z"], 2.2)
    d.label(scale(1.22, Z), "z of b", -4, 14, color=AXIS_COLORS["z"], bold=True, size=14, anchor="middle")
    d.arrow((0, 0, 0), scale(2.15, out), AXIS_COLORS["x"], 1.4, dash="4 3")
    d.label(scale(2.2, out), "x of b", -26, -16, color=AXIS_COLORS["x"], bold=True, size=14, anchor="middle")
    d.path([(0, 0, 0), (1.75, 0, 0)], stroke=AXIS_COLORS["x"], width=1.4, dash="4 3")
    d.label((1.75, 0, 0), "x of a", -2, 16, color=AXIS_COLORS["x"], bold=True, size=14, anchor="middle")
    turning(d, scale(0.62, Y), Y, (0, 0, 0.26), math.radians(280), "", 0, 0)
    d.label(scale(0.62, Y), "ry", -34, 4, color=ORANGE, bold=True, size=14, anchor="middle")
    turning(d, (0, 0, 0), Z, (0.92, 0, 0), math.radians(24), "rz", 16, 3)
    bodies(d, ((-1.3, 0.02, 0.16), 0, 0), (add(scale(1.3, out), (0, 0, 0.16)), 0, -3))
    ending(d, ["**locked:** x, y, z, rx", "**free:** ry, about y of frame a, then rz, about z of",
               "frame b; the x axes are the shafts"])
    return d


def fixed():
    d = start("fixed", (180, 140))
    d.box((-0.75, 0, 0), (0.75, 0.4, 0.4))
    d.box((0.75, 0, 0), (0.75, 0.4, 0.4), fill=BLUE)
    d.triad((0, 0, 0.4), (X, Y, Z), 0.8, shift={"x": (2, -12), "y": (12, 0), "z": (-4, 4)})
    d.label((0, 0, 0.4), "both frames", -26, 58, anchor="middle")
    bodies(d, ((-0.9, 0.1, 0.4), 0, 0), ((0.9, -0.1, 0.4), 8, 8))
    ending(d, ["**locked:** x, y, z, rx, ry, rz", "**free:** nothing"])
    return d


def cone_twist():
    d = start("cone-twist", (150, 140))
    d.box((-0.8, 0, 0), (0.55, 0.35, 0.35))
    half, length = math.radians(32), 1.55
    rim = [add(scale(length * math.cos(half), X), turned(scale(length * math.sin(half), Y), X, 2 * math.pi * i / 48))
           for i in range(49)]
    swing = turned(X, Z, math.radians(17))
    d.box(scale(0.9, swing), (0.55, 0.12, 0.12), (swing, cross(Z, swing), Z), BLUE)
    d.path(rim, stroke="#888888", dash="4 3")
    for i in (3, 27):
        d.path([(0, 0, 0), rim[i]], stroke="#888888", dash="4 3")
    d.triad((0, 0, 0), (X, Y, Z), 1.0, "yz", shift={"y": (0, 2), "z": (-2, 8)})
    d.arrow((0, 0, 0), scale(2.1, X), AXIS_COLORS["x"], 1.8)
    d.label(scale(2.1, X), "x of a", 10, -14, color=AXIS_COLORS["x"], bold=True, size=14, anchor="middle")
    d.arrow((0, 0, 0), scale(2.0, swing), AXIS_COLORS["x"], 1.6, dash="4 3")
    d.label(scale(2.0, swing), "x of b", 26, -2, color=AXIS_COLORS["x"], bold=True, size=14, anchor="middle")
    turning(d, scale(1.7, swing), swing, scale(0.2, cross(Z, swing)), math.radians(300), "", 0, 0)
    d.label(scale(1.7, swing), "rx", 0, -28, color=ORANGE, bold=True, size=14, anchor="middle")
    turning(d, scale(0.7, Y), Y, (0, 0, 0.2), math.radians(280), "", 0, 0)
    d.label(scale(0.7, Y), "ry", 32, -2, color=ORANGE, bold=True, size=14, anchor="middle")
    turning(d, scale(0.66, Z), Z, (0.2, 0, 0), math.radians(280), "", 0, 0)
    d.label(scale(0.66, Z), "rz", 30, 12, color=ORANGE, bold=True, size=14, anchor="middle")
    d.label(rim[24], "swing_max", -10, 0, anchor="end", color="#555555")
    bodies(d, ((-0.85, 0, 0.35), -8, 0), (add(scale(0.85, swing), (0, 0, 0.12)), 0, 0))
    ending(d, ["**locked:** x, y, z", "**free:** a twist rx about x, then a swing by",
               "the vector (0, ry, rz)"])
    return d


def wheel():
    d = start("wheel", (180, 122))
    d.box((-0.2, 0.62, 0), (0.95, 0.28, 0.4))
    c = (0.1, -0.5, 0.5)
    d.disc(c, X, 0.52, 0.16)
    d.arrow(c, add(c, scale(1.35, X)), AXIS_COLORS["x"], 1.8)
    d.label(add(c, scale(1.4, X)), "x of b", 4, 16, color=AXIS_COLORS["x"], bold=True, size=14, anchor="middle")
    d.arrow(c, add(c, scale(1.25, Y)), AXIS_COLORS["y"], 1.8)
    d.label(add(c, scale(1.25, Y)), "y of a", 10, -2, color=AXIS_COLORS["y"], bold=True, size=14)
    turning(d, add(c, scale(0.75, X)), X, (0, 0.3, 0), math.radians(250), "", 0, 0)
    d.label(add(c, scale(0.75, X)), "rx", 4, -34, color=ORANGE, bold=True, size=14, anchor="middle")
    sliding(d, (-0.95, -0.9, 0.5), (-0.95, 0.05, 0.5), "y", -12, 4)
    turning(d, add(c, scale(0.72, Y)), Y, (0, 0, 0.26), math.radians(280), "", 0, 0)
    d.label(add(c, scale(0.72, Y)), "ry", -36, 4, color=ORANGE, bold=True, size=14, anchor="middle")
    bodies(d, ((-0.75, 0.62, 0.4), 0, 0), ((0.1, -0.62, 0.66), -18, 6))
    ending(d, ["**locked:** x, z, rz", "**free:** y, the suspension; rx, the spin",
               "**ry,** the steering, is locked at 0 until it is set"])
    return d


def generic():
    d = start("generic", (190, 158))
    d.box((-0.95, -0.12, 0), (0.45, 0.3, 0.3))
    d.path([(-0.5, 0, 0), (0, 0, 0)], stroke="#777777", dash="4 3")
    for axis, name, shift in ((X, "x", (6, 2)), (Y, "y", (14, 4)), (Z, "z", (-4, 6))):
        d.arrow((0, 0, 0), scale(1.35, axis), AXIS_COLORS[name], 1.8)
        d.label(scale(1.45, axis), name, *shift, color=AXIS_COLORS[name], bold=True, size=15, anchor="middle")
    for axis, side, name, shift in ((X, Y, "rx", (2, -34)), (Y, Z, "ry", (-38, 0)), (Z, X, "rz", (38, 14))):
        turning(d, scale(1.02, axis), axis, scale(0.24, side), math.radians(280), "", 0, 0)
        d.label(scale(1.02, axis), name, *shift, color=ORANGE, bold=True, size=14, anchor="middle")
    for axis, other, name, shift in ((X, (0, -0.2, 0), "x", (0, 16)), (Y, (0.2, 0, 0), "y", (14, 4)),
                                     (Z, (-0.25, 0, 0), "z", (-12, -6))):
        sliding(d, add(scale(0.25, axis), other), add(scale(0.8, axis), other), name, *shift)
    d.box((0, 0, 0), (0.17, 0.17, 0.17), fill=BLUE)
    bodies(d, ((-0.95, -0.12, 0.3), -8, 0), ((0, 0, 0.17), -3, 0))
    ending(d, ["**locked** until they are set: x, y, z, rx, ry, rz", "x y z: anchor b along the axes of frame a",
               "rx ry rz: as of a cone-twist"])
    return d


def align():
    d = start("align", (180, 140))
    d.box((-1.15, 0.15, 0), (0.4, 0.5, 0.35))
    d.box((0.95, -0.2, 0), (0.4, 0.4, 0.35), fill=BLUE)
    tilt = turned(X, Z, math.radians(20))
    for origin, name, right, down in (((-1.0, 0.25, 0.35), "x of a", 6, -10), ((0.8, -0.25, 0.35), "x of b", 10, -12)):
        d.arrow(origin, add(origin, scale(1.15, tilt)), AXIS_COLORS["x"], 2)
        d.path([origin, add(origin, scale(-0.5, tilt))], stroke=AXIS_COLORS["x"], width=1.2, dash="4 3")
        d.label(add(origin, scale(1.2, tilt)), name, right, down, color=AXIS_COLORS["x"], bold=True, size=14,
                anchor="middle")
    turning(d, add((0.8, -0.25, 0.35), scale(0.75, tilt)), tilt, scale(0.22, cross(Z, tilt)), math.radians(290), "", 0, 0)
    d.label(add((0.8, -0.25, 0.35), scale(0.75, tilt)), "rx", 26, 22, color=ORANGE, bold=True, size=14, anchor="middle")
    bodies(d, ((-1.2, -0.2, 0.35), 0, 0), ((0.85, -0.45, 0.35), -10, 4))
    ending(d, ["**locked:** ry, rz: the x axes stay parallel", "**free:** rx, and x, y, z, wherever the anchors are"])
    return d


def volume():
    d = start("volume", (165, 150))
    a, b, c, e = (-1.05, -0.45, 0.3), (1.0, -0.35, 0.55), (0.55, -0.35, -0.9), (0.05, 0.95, 0)
    for p, q, dash in ((a, c, "4 3"), (a, b, None), (b, c, None), (a, e, None), (b, e, None), (c, e, None)):
        d.path([p, q], stroke=ORANGE, width=1.8, dash=dash)
    for point, name, right, down, fill in ((a, "a", -16, 16, GRAY), (b, "b", 18, 16, BLUE), (c, "c", 20, -6, "#d9d2e9"),
                                           (e, "d", -20, -8, "#d5e8d4")):
        d.box(point, (0.14, 0.14, 0.14), fill=fill)
        d.label(point, name, right, down, size=16, bold=True, anchor="middle", color="#444444")
    d.label((0.05, 0.0, 0.1), "volume", -2, 0, color=ORANGE, bold=True, size=14, anchor="middle")
    ending(d, ["**locked:** (b - a) . ((c - a) x (d - a)) / 6, m^3, of four", "anchors, each on a body of its own",
               "**free:** all else"])
    return d


def filtered():
    d = start("filter", (170, 140))
    d.box((-0.3, -0.1, 0), (0.75, 0.35, 0.35))
    d.box((0.55, 0.25, 0.2), (0.6, 0.3, 0.3), fill=BLUE)
    bodies(d, ((-0.75, -0.1, 0.35), 0, 0), ((0.9, 0.25, 0.5), 0, 0))
    ending(d, ["**free:** all; the two bodies do not touch each other"])
    return d


def teeth(d, center, radius, count, shift=0.0):
    for i in range(count):
        angle = 2 * math.pi * (i + shift) / count
        out = (math.cos(angle), math.sin(angle), 0)
        d.path([add(center, scale(0.9 * radius, out), (0, 0, 0.12)), add(center, scale(1.1 * radius, out), (0, 0, 0.12))],
               stroke="#777777", width=2)


def gear():
    d = start("gear", (165, 140))
    d.disc((-0.72, 0.1, 0), Z, 0.5, 0.12, fill=GRAY)
    d.disc((0.55, 0.1, 0), Z, 0.77, 0.12)
    teeth(d, (-0.72, 0.1, 0), 0.5, 12)
    teeth(d, (0.55, 0.1, 0), 0.77, 18, 0.5)
    turning(d, (-0.72, 0.1, 0.15), Z, (0.28, 0, 0), math.radians(250), "", 0, 0)
    turning(d, (0.55, 0.1, 0.15), Z, (-0.42, 0, 0), math.radians(-250), "", 0, 0)
    bodies(d, ((-0.72, 0.1, 0.15), 0, 5), ((0.55, 0.1, 0.15), 0, 5))
    ending(d, ["**locked:** no slip where the wheels meet:", "teeth_a a' + teeth_b b' = 0, against the line of centers",
               "**free:** all else; other joints hold the wheels"])
    return d


def rack():
    d = start("rack", (170, 130))
    d.disc((0, 0.35, 0), Z, 0.5, 0.12, fill=GRAY)
    d.box((0, -0.3, 0), (1.3, 0.1, 0.15), fill=BLUE)
    teeth(d, (0, 0.35, 0), 0.5, 12)
    turning(d, (0, 0.35, 0.15), Z, (0.28, 0, 0), math.radians(250), "", 0, 0)
    sliding(d, (0.55, -0.05, 0.15), (1.15, -0.05, 0.15), "", 0, 0)
    bodies(d, ((0, 0.35, 0.15), 0, 5), ((-1.05, -0.3, 0.15), 0, 6))
    ending(d, ["**locked:** no slip where they meet: radius a' = s',", "along y of frame b",
               "**free:** all else; other joints hold both"])
    return d


DRAWINGS = {"ball": ball, "distance": distance, "target": target, "hinge": hinge, "slider": slider,
            "universal": universal, "fixed": fixed, "cone-twist": cone_twist, "wheel": wheel, "generic": generic,
            "align": align, "volume": volume, "filter": filtered,
            "gear": gear, "rack": rack}


def main(folder, root):
    types = types_of(root)
    if set(types) != set(DRAWINGS):
        sys.exit(f"joint types without a drawing, or drawings without a type: {sorted(set(types) ^ set(DRAWINGS))}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, axes in types.items():
        text = DRAWINGS[name]().text()
        named = {axis.upper() for axis in re.findall(r">(r?[xyz])<", text)}  # the labels that are an axis alone
        missing = [axis for axis in axes if axis not in named]
        if missing:
            sys.exit(f"{name}: no label for the axes {missing}")
        (folder / (name + ".svg")).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parent
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else here.parent.parent)
