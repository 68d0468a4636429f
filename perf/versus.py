#!/usr/bin/python3
"""Times another revision beside this tree, in turns, so that a change cannot make a step slower unseen.

    perf/versus.py REVISION [REGEX...] [--turns N] [--build FOLDER] [--write]
    perf/versus.py --list       lists the scenes

Builds REVISION under build/versus/ and runs the scenes whose names match, all but the largest by default,
once by each program in each turn. A time of a scene is the least of its turns; the table has the times here, and
their ratios to those of REVISION. A ratio that is above 1.05 in the best of the turns is named, and makes the exit status
1. Programs run as copies: a library that was just linked can be 40 % slower than a copy of its file. A scene
that REVISION lacks has a time and no ratio. --write keeps the results in perf/results/versus.json.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

from revision import revision

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ["drystone", "perf/joints"]
SLOWER = 1.05
RESULTS = ROOT / "perf/results/versus.json"
STEP = ["min", "median", "p99"]
STAGES = ["pairs", "contacts", "graph", "prepare", "solve", "repair", "store", "finalize"]


def stress(scene, *, size=None, steps=300, warmup=0, sleep="off", threads=1):
    """A scene of the tool, by default its first 300 steps, awake."""
    file = ROOT / "tests/data/standing" / (scene + ".json")
    size = ["--size", str(size)] if size else []
    return ["drystone", "stress", str(file) if file.exists() else scene, *size, "--steps", str(warmup + steps),
            "--warmup", str(warmup), "--threads", str(threads), "--sleep", sleep, "--no-quality", "--quiet", "--report", "-"]


def joints(row, solver="iterative"):
    return ["perf/joints", row, "--solver", solver, "--report", "/dev/stderr"]


LARGE = {
    "pyramid 447": stress("pyramid", size=447, steps=60),
    "pile 10,000": stress("pile", size=10000),
    "pile 10,000, settled": stress("pile", size=10000, steps=100, warmup=900),
    "pile 1,000,000, two threads": stress("pile", size=1000000, steps=20, threads=2),
}
SCENES = {
    "pyramids 10": stress("pyramids", size=10),
    "pyramids 10, settled": stress("pyramids", size=10, steps=200, warmup=600),
    "pyramid 100": stress("pyramid", size=100),
    "pyramid 100, settled": stress("pyramid", size=100, steps=100, warmup=900),
    "pyramid3d_20": stress("pyramid3d_20"),
    "wall_50x40": stress("wall_50x40"),
    **{f"tower {n}": stress("tower", size=n) for n in [100, 30, 10]},
    "tower 30, settled": stress("tower", size=30, steps=1000, warmup=1000),
    "1 kg under 1000 kg": stress("mass-ratio", size=1000),
    **{f"heap of {n}": stress("pile", size=n, steps=600, warmup=0) for n in [50, 100, 500]},
    "heap of 500, asleep": stress("pile", size=500, steps=1000, warmup=1500, sleep="on"),
    "mixed": stress("mixed"),
    "elastic spheres": stress("spheres-elastic"),
    "ragdolls": stress("ragdolls", size=30),
    "bridge": stress("bridge"),
    "vehicle": stress("vehicle", steps=600),
    **{row: joints(row) for row in ["joint grid", "rain", "ragdolls 8", "ragdoll pile", "ragdolls falling 100",
                                    "ball and chain", "bridge 150", "chain of 100 balls", "4000 balls calm",
                                    "4000 balls turning", "4000 cones calm", "4000 cones turning"]},
    **{f"{row}, {solver}": joints(row, solver) for solver in ["direct", "auto"]
       for row in ["chain of 100 balls", "chain of 20 hinges"]},
    "bridge 30 direct": joints("bridge 30 direct", "direct"),
    **LARGE,
}


def build(name):
    """Builds a revision in a folder of its own, once. Returns the folder of its programs."""
    words = ["git", "-C", ROOT, "rev-parse", "--verify", "--quiet", name + "^{commit}"]
    commit = subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()
    if not commit:
        sys.exit(f"versus.py: git knows no revision {name!r}")
    folder = ROOT / "build/versus" / commit[:7]
    if not (folder / "build/perf/joints").exists():
        print(f"building {name} in {folder.relative_to(ROOT)}", file=sys.stderr)
        if not folder.exists():
            folder.mkdir(parents=True)
            archive = subprocess.run(["git", "-C", ROOT, "archive", commit], capture_output=True, check=True).stdout
            subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        for command in [["meson", "setup", "build", ".", "-Dtool=enabled", "-Dtests=disabled", "-Dperf=auto",
                         "-Dlab=disabled"],
                        ["ninja", "-C", "build", "drystone", "perf/joints"]]:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"versus.py: {name} does not build:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return folder / "build", commit[:7]


def copy(built, to):
    shutil.rmtree(to, ignore_errors=True)
    (to / "perf").mkdir(parents=True)
    for name in [*PROGRAMS, *(library.name for library in built.glob("lib*.so.0"))]:
        shutil.copy(built / name, to / name)
    return to


def times(folder, command):
    """Runs a scene. Returns its times in ms by name; null if the program refuses it."""
    done = subprocess.run([folder / command[0], *command[1:]], capture_output=True, text=True, check=False,
                          env={"LD_LIBRARY_PATH": str(folder)})
    try:
        if command[0] == "drystone":
            report = json.loads(done.stdout)
            stages = {"stage " + stage: report["stage_ms"][stage] for stage in STAGES}
            return {name: report["step_ms"][name] for name in STEP} | stages
        row = next(row for row in json.loads(done.stderr)["rows"] if row["row"] == command[1])
        return {"median": row["median_ms"], "p99": row["p99_ms"]}
    except (ValueError, LookupError, StopIteration):
        return None


def compare(here, there, command, turns):
    """Returns by name: the least time here, its ratio to the least one there, and the least ratio of a turn."""
    pairs = []
    for turn in range(turns):
        order = [here, there] if turn % 2 else [there, here]
        ran = {folder: times(folder, command) for folder in order}
        if ran[here] is None:
            return None
        pairs.append((ran[here], ran[there]))
    rows = {}
    for name in pairs[0][0]:
        rows[name] = {"ms": min(mine[name] for mine, _ in pairs)}
        both = [(mine[name], other[name]) for mine, other in pairs if other and other[name] > 0]
        if both:
            rows[name]["ratio"] = rows[name]["ms"] / min(other for _, other in both)
            rows[name]["best"] = min(mine / other for mine, other in both)
    return rows


def slower(rows):
    """What is slower in every turn, of what takes over a twentieth of a step: shorter stages are noise."""
    least = SLOWER - 1
    return [name for name, row in rows.items()
            if row.get("best", 0) > SLOWER and row["ms"] > least * rows["median"]["ms"]]


def cell(rows, name):
    return f"{rows[name]['ratio']:.2f}" if "ratio" in rows.get(name, {}) else "-"


def processor():
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return found.group(1).strip() if found else "unknown processor"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", nargs="?")
    parser.add_argument("scenes", nargs="*", metavar="REGEX")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(SCENES))
        return 0
    if not options.revision:
        parser.error("a revision is needed, to compare with")
    chosen = [name for name in SCENES if any(re.search(word, name) for word in options.scenes)] \
        if options.scenes else [name for name in SCENES if name not in LARGE]
    if not chosen:
        parser.error("no scene has a name like that: --list")

    built, there = build(options.revision)
    folders = [copy(options.build, ROOT / "build/versus/here"), copy(built, ROOT / "build/versus/there")]
    results = {"here": revision(), "there": there, "turns": options.turns, "processor": processor(), "scenes": {}}
    named = []
    print(f"{'scene':<30}{'median ms':>10}" + "".join(f"{name:>10}" for name in STEP + STAGES))
    for scene in chosen:
        rows = compare(*folders, SCENES[scene], options.turns)
        if rows is None:
            sys.exit(f"versus.py: {scene} does not run here: {' '.join(SCENES[scene])}")
        results["scenes"][scene] = rows
        named += [f"{scene}: {name} {rows[name]['best']:.2f} or more in each turn" for name in slower(rows)]
        print(f"{scene:<30}{rows['median']['ms']:>10.4g}" +
              "".join(f"{cell(rows, name):>10}" for name in STEP + ["stage " + stage for stage in STAGES]), flush=True)
    print("\n".join(named) if named else f"nothing is above {SLOWER} in every turn")
    if options.write:
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 1 if named else 0


if __name__ == "__main__":
    sys.exit(main())
