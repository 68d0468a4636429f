#!/usr/bin/env -S python3 -B
"""Draws docs/architecture.svg: the folders on their floors, what is in each, and which folders each uses.

    docs/draw/architecture.py FILE [ROOT]     ROOT is the source root

The floors are those of tests/test_includes, the folders and the includes those of the tree, and the words those of the
table "Folders" in docs/README.md, up to the first colon or semicolon.
"""

import importlib.machinery
import importlib.util
import pathlib
import re
import sys
import textwrap

from drawing import FONT, escaped

WIDTH, LEFT, GAP, LINE = 900, 16, 8, 17
FACE = "include/drystone"


def include_test(root):
    """Returns the test of includes as a module: it has the floors and walks the includes."""
    loader = importlib.machinery.SourceFileLoader("test_includes", str(root / "tests/test_includes"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("test_includes", loader))
    loader.exec_module(module)
    return module


def words_of(root):
    """Returns the words about each folder from the table in docs/README.md."""
    table = (root / "docs/README.md").read_text(encoding="utf-8").split("## Folders")[1]
    words = {}
    for folder, text in re.findall(r"^\| \[([\w./]+)/\]\(\.\./[\w./]+\) \| (.*) \|$", table, re.M):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("`", "")
        words[folder] = re.split(r"[;:]", text)[0].strip()
    return words


def rooms_of(root, folder):
    return sorted(path.name for path in (root / folder).iterdir() if path.is_dir() and any(path.glob("*.[ch]")))


def text_at(x, y, text, size=12, color="#222222", bold=False, anchor="start"):
    return (f'<text x="{x}" y="{y}" {FONT} font-size="{size}" fill="{color}" text-anchor="{anchor}"'
            + (' font-weight="bold"' if bold else "") + f">{escaped(text)}</text>")


def block(x, y, width, name, words, rooms, uses, fill):
    """Returns the height of a folder's block and its lines."""
    characters = int((width - 24) / 6.9)
    lines, at = [], y + 22
    lines.append(text_at(x + 12, at, name + "/", 15, bold=True))
    indent = 30 + 10 * len(name)
    first = textwrap.wrap(words, max(12, characters - int(indent / 6.9)))[:1] or [""]
    rest = textwrap.wrap(words[len(first[0]):].strip(), characters)
    lines.append(text_at(x + indent, at, first[0]))
    for line in rest:
        at += LINE
        lines.append(text_at(x + 12, at, line))
    if rooms:
        at += 12
        across = x + 12
        for room in rooms:
            wide = 14 + 7 * len(room)
            if across + wide > x + width - 10:
                across, at = x + 12, at + 26
            lines.append(f'<rect x="{across}" y="{at}" width="{wide}" height="21" rx="4" fill="#ffffff" stroke="#888888"/>')
            lines.append(text_at(across + wide // 2, at + 15, room, 12, anchor="middle"))
            across += wide + 6
        at += 21
    if uses:
        for line in textwrap.wrap("uses " + " ".join(uses), int((width - 24) / 6.2)):
            at += LINE
            lines.append(text_at(x + 12, at, line, 11, "#666666"))
    height = at + 11 - y
    frame = f'<rect x="{x}" y="{y}" width="{width}" height="%d" rx="6" fill="{fill}" stroke="#555555"/>'
    return height, frame, lines


def main(file, root):
    test = include_test(root)
    words = words_of(root)
    uses = {}
    for source, targets in test.includes_of(root).items():
        for target in targets:
            a, b = test.folder_of(source), test.folder_of(target)
            if a != b:
                uses.setdefault(a, set()).add(b)
    floors = [[FACE]] + [list(floor) for floor in reversed(test.FLOORS)]
    engine = set(test.ENGINE)
    order = [folder for floor in floors for folder in floor]
    missing = [folder for folder in order if folder not in words]
    if missing:
        sys.exit(f"docs/README.md, Folders: no line of its own for {missing}")

    # The public face lies between those who use it alone and the engine.
    above = [floor for floor in floors[1:] if not engine & set(floor)]
    floors = above + [[FACE]] + [floor for floor in floors[1:] if engine & set(floor)]
    picture, y = [], 50
    for floor in floors:
        width = (WIDTH - 2 * LEFT - GAP * (len(floor) - 1)) // len(floor)
        blocks = []
        for i, folder in enumerate(floor):
            fill = "#f7e3c3" if folder == FACE else "#d9e7f5" if folder in engine else "#e4e4e4"
            rooms = [] if folder == FACE else rooms_of(root, folder)
            if folder == "solver":
                rooms = list(reversed(test.ROOMS))
            used = [name for name in order if name in uses.get(folder, ())]
            blocks.append(block(LEFT + i * (width + GAP), y, width, folder, words[folder], rooms, used, fill))
        height = max(part[0] for part in blocks)
        for _, frame, lines in blocks:
            picture += [frame % height, *lines]
        y += height + GAP
    y += 6
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}">',
            f'<rect width="{WIDTH}" height="{y}" rx="8" fill="#ffffff"/>',
            text_at(LEFT, 20, "A folder uses only folders below it. Folders side by side do not use each other."),
            text_at(LEFT, 38, "Gray uses the public headers and lists alone; blue is the library, which implements them.")]
    file.write_text("\n".join(head + picture + ["</svg>"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parent
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else here.parent.parent)
