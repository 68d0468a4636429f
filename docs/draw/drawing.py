"""Draws bodies, arrows and arcs in space as SVG: what the pages' drawings share.

A point is (x, y, z) in meters: x to the right, y up, z towards the reader. Things are drawn in the order of the calls.
"""

import math

CAMERA_TURN, CAMERA_TILT = math.radians(-28), math.radians(22)  # about y, then about the picture's horizontal
FONT = 'font-family="DejaVu Sans, Verdana, sans-serif"'
GRAY, BLUE, INK = "#c9c9c9", "#a9c6e8", "#222222"
AXIS_COLORS = {"x": "#c0392b", "y": "#1e8449", "z": "#2456a6"}


def add(*vectors):
    return tuple(sum(parts) for parts in zip(*vectors))


def scale(factor, vector):
    return tuple(factor * part for part in vector)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def turned(vector, axis, angle):
    """Returns a vector turned about a unit axis, counterclockwise seen from the axis's tip."""
    c, s = math.cos(angle), math.sin(angle)
    along = sum(a * b for a, b in zip(axis, vector)) * (1 - c)
    return add(scale(c, vector), scale(s, cross(axis, vector)), scale(along, axis))


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Drawing:
    """A picture of `width` by `height` pixels with its origin of space at `origin`, `zoom` pixels to a meter."""

    def __init__(self, width, height, origin, zoom):
        self.width, self.height, self.origin, self.zoom = width, height, origin, zoom
        self.lines = []

    def seen(self, point):
        """Returns the pixel of a point, and its depth towards the reader."""
        x, y, z = point
        c, s = math.cos(CAMERA_TURN), math.sin(CAMERA_TURN)
        x, z = c * x + s * z, c * z - s * x
        c, s = math.cos(CAMERA_TILT), math.sin(CAMERA_TILT)
        y, z = c * y - s * z, c * z + s * y
        return self.origin[0] + self.zoom * x, self.origin[1] - self.zoom * y, z

    def path(self, points, closed=False, fill="none", stroke=INK, width=1.0, dash=None):
        pixels = [self.seen(point) for point in points]
        text = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y, _ in pixels) + ("Z" if closed else "")
        self.lines.append(f'<path d="{text}" fill="{fill}" stroke="{stroke}" stroke-width="{width:g}" stroke-linejoin="round"'
                          + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")

    def write(self, x, y, text, size=13, color=INK, anchor="start", bold=False, halo=True):
        """Writes text at a pixel; `**` marks what is bold."""
        parts = text.split("**")
        spans = "".join(f'<tspan font-weight="bold">{escaped(part)}</tspan>' if i % 2 else escaped(part)
                        for i, part in enumerate(parts))
        outline = ' stroke="#ffffff" stroke-width="3" paint-order="stroke"' if halo else ""
        self.lines.append(f'<text x="{x:.1f}" y="{y:.1f}" {FONT} font-size="{size}" fill="{color}" text-anchor="{anchor}"'
                          + (' font-weight="bold"' if bold else "") + f"{outline}>{spans}</text>")

    def label(self, point, text, right=0, down=0, **how):
        x, y, _ = self.seen(point)
        self.write(x + right, y + down + 4, text, **how)

    def box(self, center, half, axes=((1, 0, 0), (0, 1, 0), (0, 0, 1)), fill=GRAY):
        """Draws the faces of a box that the reader sees."""
        for i in range(3):
            for sign in (1, -1):
                normal = scale(sign, axes[i])
                if self.seen(normal)[2] - self.seen((0, 0, 0))[2] <= 1e-9:
                    continue
                u, v = scale(half[(i + 1) % 3], axes[(i + 1) % 3]), scale(half[(i + 2) % 3], axes[(i + 2) % 3])
                middle = add(center, scale(half[i], normal))
                corners = [add(middle, scale(a, u), scale(b, v)) for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
                light = 0.78 + 0.16 * max(normal[1], 0) + 0.1 * max(normal[2], 0)
                self.path(corners, True, shaded(fill, light), "#555555")

    def disc(self, center, axis, radius, half, fill=BLUE):
        """Draws a wheel: a cylinder about `axis`."""
        u = cross(axis, (0, 1, 0)) if abs(axis[1]) < 0.9 else (1, 0, 0)
        u = scale(1 / math.sqrt(sum(p * p for p in u)), u)
        rim = [turned(scale(radius, u), axis, 2 * math.pi * i / 40) for i in range(40)]
        front = self.seen(axis)[2] > self.seen((0, 0, 0))[2]
        near, far = scale(half if front else -half, axis), scale(-half if front else half, axis)
        # The side: each facet of the rim that faces the reader.
        for a, b in zip(rim, rim[1:] + rim[:1]):
            if self.seen(add(a, b))[2] > self.seen((0, 0, 0))[2]:
                self.path([add(center, near, a), add(center, near, b), add(center, far, b), add(center, far, a)], True,
                          shaded(fill, 0.74), shaded(fill, 0.74))
        self.path([add(center, far, p) for p in rim if self.seen(p)[2] > self.seen((0, 0, 0))[2]], stroke="#555555")
        self.path([add(center, near, p) for p in rim], True, shaded(fill, 0.92), "#555555")

    def ball(self, center, radius, fill=INK, stroke="#555555"):
        x, y, _ = self.seen(center)
        self.lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius * self.zoom:.1f}" fill="{fill}" stroke="{stroke}"/>')

    def head(self, before, tip, color, size=8):
        """Draws an arrow's head at `tip` of a line that comes from `before`."""
        (x0, y0, _), (x1, y1, _) = self.seen(before), self.seen(tip)
        length = math.hypot(x1 - x0, y1 - y0) or 1
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        corners = [(x1, y1), (x1 - size * dx + 0.4 * size * dy, y1 - size * dy - 0.4 * size * dx),
                   (x1 - size * dx - 0.4 * size * dy, y1 - size * dy + 0.4 * size * dx)]
        self.lines.append('<path d="M' + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + f'Z" fill="{color}"/>')

    def arrow(self, begin, end, color=INK, width=1.6, both=False, dash=None):
        self.path([begin, end], stroke=color, width=width, dash=dash)
        self.head(begin, end, color, 4 + 2.5 * width)
        if both:
            self.head(end, begin, color, 4 + 2.5 * width)

    def arc(self, center, axis, start, angle, color, width=2.4, both=False, head=True):
        """Draws an arrow that turns about `axis`, from the vector `start` from the center."""
        points = [add(center, turned(start, axis, angle * i / 32)) for i in range(33)]
        self.path(points, stroke=color, width=width)
        if head:
            self.head(points[-4], points[-1], color, 4 + 2.5 * width)
        if both:
            self.head(points[3], points[0], color, 4 + 2.5 * width)
        return points

    def triad(self, origin, axes, length=0.8, names="xyz", suffix="", dash=None, shift=None):
        """Draws the axes of a frame. `shift` moves labels: {"x": (right, down)}, in pixels."""
        for name, axis in zip("xyz", axes):
            if name not in names:
                continue
            tip = add(origin, scale(length, axis))
            self.arrow(origin, tip, AXIS_COLORS[name], 1.8, dash=dash)
            right, down = (shift or {}).get(name, (0, 0))
            self.label(add(origin, scale(length + 0.13, axis)), name + suffix, right, down, color=AXIS_COLORS[name],
                       anchor="middle", size=14, bold=True)

    def text(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}">\n<rect width="{self.width}" height="{self.height}" rx="8" '
                f'fill="#ffffff"/>\n' + "\n".join(self.lines) + "\n</svg>\n")


def shaded(color, light):
    """Returns a color times a factor up to 1."""
    parts = [int(color[i:i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{min(255, round(part * light)):02x}" for part in parts)
