#!/usr/bin/env python3
"""Writes the scene of docs/picture.png: a pyramid of 5,050 cubes that a ball strikes, beside a heap that settles.

    docs/draw/film.py > my_scene.json
    drystone stress my_scene.json --steps 480 --every 6 --film docs/picture.png"""
import json
import math
import random

BASE, HEAP = 100, 500


def main():
    draw = random.Random(1)
    cube = {"type": "box", "half_extents": [0.5, 0.5, 0.5]}
    bodies = [{"id": "ground", "type": "static", "shapes": [{"type": "halfspace", "normal": [0, 1, 0], "offset": 0}]}]
    for row in range(BASE):
        for place in range(BASE - row):
            bodies.append({"id": f"cube {row} {place}", "type": "dynamic", "shapes": [cube],
                           "position": [place + 0.5 * (row - BASE + 1), row + 0.5, 0]})
    bodies.append({"id": "ball", "type": "dynamic", "shapes": [{"type": "sphere", "radius": 5}],
                   "position": [4, 32, 60], "velocity": [0, 4, -60]})
    for i in range(HEAP):
        size = [draw.uniform(0.4, 0.8) for _ in range(3)]
        turn = [draw.gauss(0, 1) for _ in range(4)]
        length = math.sqrt(sum(t * t for t in turn))
        bodies.append({"id": f"box {i}", "type": "dynamic", "shapes": [{"type": "box", "half_extents": size}],
                       "position": [62 + 3 * (i % 5) + draw.uniform(-0.2, 0.2), 4 + 3 * (i // 25), 26 + 3 * (i // 5 % 5)],
                       "orientation": [t / length for t in turn]})
    print(json.dumps({"format": "drystone-scene", "version": 1, "name": "a pyramid, a ball and a heap", "bodies": bodies}))


if __name__ == "__main__":
    main()
