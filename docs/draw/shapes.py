#!/usr/bin/env -S python3 -B
"""Draws docs/edges.svg: a ball over two flush tiles, over a ridge and over a step, with the normals that hold.

    docs/draw/shapes.py FILE [ROOT]
"""

import math
import pathlib
import sys

from drawing import FONT, escaped

WIDTH, HEIGHT = 720, 250
INK, GREEN, RED, SOLID = "#222222", "#1e8449", "#c0392b", "#d5d8dc"


def text_at(x, y, text, size=13, color=INK, bold=False):
    return (f'<text x="{x}" y="{y}" {FONT} font-size="{size}" fill="{color}" text-anchor="middle"'
            + (' font-weight="bold"' if bold else "") + f">{escaped(text)}</text>")


def polygon(points):
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon points="{places}" fill="{SOLID}" stroke="{INK}" stroke-width="1"/>'


def arrow(x, y, angle, color, length=58, dash=False):
    """An arrow from a point; the angle is measured from the vertical, clockwise, in degrees."""
    sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
    tip = (x + length * sine, y - length * cosine)
    head = [(tip[0] - 10 * sine + s * 4 * cosine, tip[1] + 10 * cosine + s * 4 * sine) for s in (-1, 1)]
    style = ' stroke-dasharray="5 4"' if dash else ""
    places = " ".join(f"{a:.1f},{b:.1f}" for a, b in [tip, *head])
    return (f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{tip[0]:.1f}" y2="{tip[1]:.1f}" stroke="{color}" stroke-width="2"'
            f'{style}/><polygon points="{places}" fill="{color}"/>')


def ball(x, y, radius):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="#aed6f1" stroke="{INK}" fill-opacity="0.7"/>'


def flush(left):
    base, radius, over = 180, 44, 22
    seam = left + 120
    angle = math.degrees(math.atan2(-over, radius))
    return [polygon([(left, base), (seam, base), (seam, base + 34), (left, base + 34)]),
            polygon([(seam, base), (left + 220, base), (left + 220, base + 34), (seam, base + 34)]),
            ball(seam - over, base - radius, radius), arrow(seam - over, base, 0, GREEN),
            arrow(seam, base, angle, RED, 66, True), text_at(left + 110, 30, "flush tiles", 15, bold=True),
            text_at(left + 110, 236, "the right tile's edge pushes nobody", 12)]


def ridge(left):
    top, radius = 160, 44
    middle, fall = left + 110, 40
    return [polygon([(left, top + fall), (middle, top), (middle, 214), (left, 214)]),
            polygon([(middle, top), (left + 220, top + fall), (left + 220, 214), (middle, 214)]),
            ball(middle, top - radius, radius), arrow(middle, top, 0, GREEN), text_at(middle, 30, "a ridge", 15, bold=True),
            text_at(middle, 236, "normals between the two faces hold", 12)]


def step(left):
    base, rise, radius = 190, 24, 44
    edge = left + 130
    across = math.sqrt(radius ** 2 - (radius - rise) ** 2)
    angle = math.degrees(math.atan2(-across, radius - rise))
    return [polygon([(left, base), (edge, base), (edge, base + 24), (left, base + 24)]),
            polygon([(edge, base - rise), (left + 220, base - rise), (left + 220, base + 24), (edge, base + 24)]),
            ball(edge - across, base - radius, radius), arrow(edge - across, base, 0, GREEN),
            arrow(edge, base - rise, angle, GREEN), text_at(left + 110, 30, "a step of over 1 mm", 15, bold=True),
            text_at(left + 110, 236, "the edge is felt", 12)]


def main(file):
    parts = flush(10) + ridge(250) + step(490)
    picture = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">',
               f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', *parts, "</svg>", ""]
    pathlib.Path(file).write_text("\n".join(picture), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
