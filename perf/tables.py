#!/usr/bin/python3
"""Fills the tables of docs/performance.md from the benchmarks' reports.

    perf/tables.py [--check] [FOLDER [DOCUMENT]]     perf/results and docs/performance.md by default

What stands between a line `<!-- NAME -->` and the next `<!-- end -->` is written anew from the reports in
FOLDER (kernels.json, stages.json, steps.json); the names are those of the functions in TABLES. With --check
nothing is written: the exit status is 1, and the first table that differs is named, unless all agree.
"""

import json
import pathlib
import re
import sys

from revision import made_on

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGES = ["pairs", "contacts", "graph", "prepare", "solve", "repair", "store", "finalize"]
SCENES = {"pyramid/resting": "pyramid of base 100, standing", "pyramids/resting": "10 x 10 pyramids of base 10",
          "pile/falling": "10,000 cubes falling together", "pile/settled": "the same, settled",
          "pyramid/base_447": "pyramid of base 447, its first second"}
ISAS = ["scalar", "sse2", "neon", "avx2", "avx512"]
SIZES = {"l2": "in L2", "8MB": "8 MB", "80MB": "80 MB"}
KERNELS = ["contact_warm", "contact_solve_cone", "contact_relax_cone", "contact_prepare",
           "bodies_begin", "bodies_finish", "collide_boxes", "point_solve", "line_solve"]


def load(folder, name):
    report = json.loads((folder / (name + ".json")).read_text(encoding="utf-8"))
    return report["context"], {run["name"]: run for run in report["benchmarks"]}


def made_by(folder, name, lines):
    """A table of a report, with the revision below."""
    head, _ = load(folder, name)
    return lines + ["", made_on([head["revision"]])]


def number(value):
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.01 else "0" if value < 0.0005 else f"{value:.3f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---|" * (len(head) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def ns_of(run):
    return next(value for key, value in run.items() if key.startswith("ns_per_") and not key.endswith("_min"))


def machine(folder):
    head, _ = load(folder, "steps")
    flags = " ".join(flag for flag in head["flags"].split() if not flag.startswith("-D"))
    return [f"{head['processor']}, {head['cores']} cores, caches of {head['caches']}; {head['compiler']},",
            f"`{flags}`; {head['date'][:10]}."]


def steps(folder):
    _, runs = load(folder, "steps")
    rows = []
    for name, title in SCENES.items():
        run = runs[f"step/{name}/threads:1"]
        rows.append([title, number(run["step_ms"]), number(run["step_ms_min"])] +
                    [number(run[stage + "_ms"]) for stage in STAGES])
    return made_by(folder, "steps", table(["ms, one thread", "step", "least"] + STAGES, rows))


def shares(folder):
    _, runs = load(folder, "steps")
    rows = []
    for name, title in SCENES.items():
        run = runs[f"step/{name}/threads:1"]
        whole = sum(run[stage + "_ms"] for stage in STAGES)
        solve = 1e6 * run["solve_ms"] / run["manifolds"]
        rows.append([title, f"{run['bodies']:,.0f}", f"{run['manifolds']:,.0f}", f"{run['substeps']:.0f}",
                     number(solve), number(1e6 * run["prepare_ms"] / run["manifolds"]),
                     number(1e6 * whole / run["bodies"]), f"{100 * run['solve_ms'] / whole:.0f} %"])
    head = ["one thread", "cubes", "manifolds", "substeps at most", "solve, ns a manifold", "prepare, ns a manifold",
            "step, ns a cube", "solve's share"]
    return made_by(folder, "steps", table(head, rows))


def threads(folder):
    _, runs = load(folder, "steps")
    rows = []
    most = max(int(match[1]) for name in runs if (match := re.search(r"/threads:(\d+)$", name)))
    for name, title in SCENES.items():
        one, all_ = runs[f"step/{name}/threads:1"], runs[f"step/{name}/threads:{most}"]
        rows.append([title, number(one["step_ms"]), number(all_["step_ms"]),
                     f"{one['step_ms'] / all_['step_ms']:.2f}",
                     f"{one['step_ms_min'] / all_['step_ms_min']:.2f}"])
    head = ["ms", "one thread", f"{most} threads", "times as fast", "by the least steps"]
    return made_by(folder, "steps", table(head, rows))


def limits(folder):
    _, runs = load(folder, "kernels")
    wheres = [where for where in ("l1", "l2", "l3", "memory") if f"limit/read/{where}" in runs]
    rows = [[title] + [number(runs[f"limit/{what}/{where}"]["GB_per_s"]) for where in wheres]
            for what, title in (("read", "read"), ("triad", "a = b + s c"))]
    flops = [f"{isa} {number(runs['limit/multiply-add/' + isa]['Gflop_per_s'])}" for isa in ISAS
             if f"limit/multiply-add/{isa}" in runs]
    lines = table(["GB/s, one core"] + wheres, rows)
    return made_by(folder, "kernels", lines + ["", f"Multiply-adds on registers alone, Gflop/s: {', '.join(flops)}."])


def kernels(folder):
    _, runs = load(folder, "kernels")
    isa = [isa for isa in ISAS if f"kernel/contact_warm/{isa}/l2" in runs][-1]
    rows = []
    for kernel in KERNELS:
        found = {size: runs.get(f"kernel/{kernel}/{isa}/{size}") for size in SIZES}
        row = [f"`{kernel}`", number(found["l2"]["bytes"]),
               number(found["l2"]["flops"]) if "flops" in found["l2"] else ""]
        for run in found.values():
            row += [number(ns_of(run)), f"{number(run['GB_per_s'])} ({100 * run['share_of_limit']:.0f} %)"] if run else ["", ""]
        rows.append(row)
    head = [isa, "bytes", "flop"]
    for title in SIZES.values():
        head += [f"{title}: ns", "GB/s (of the limit)"]
    return made_by(folder, "kernels", table(head, rows))


def levels(folder):
    _, runs = load(folder, "kernels")
    isas = [isa for isa in ISAS if f"kernel/contact_warm/{isa}/l2" in runs]
    rows = [[f"`{kernel}`"] + [number(ns_of(runs[f"kernel/{kernel}/{isa}/l2"])) for isa in isas]
            for kernel in KERNELS]
    return made_by(folder, "kernels", table(["ns an item, in L2"] + isas, rows))


def collide(folder):
    _, runs = load(folder, "stages")
    shapes = ["sphere", "capsule", "box"]
    rows = []
    for a in ["half-space"] + shapes:
        cells = [runs.get(f"collide/{a}/{b}") for b in shapes]
        rows.append([a] + [number(ns_of(run)) if run else "" for run in cells])
    batch = runs.get("collide/box/box/batch")
    if batch:
        rows[-1][-1] += f", in batches of 64: {number(ns_of(batch))}"
    return made_by(folder, "stages", table(["ns a pair"] + shapes, rows))


TABLES = {made.__name__: made for made in (machine, steps, shares, threads, limits, kernels, levels, collide)}


def main():
    check = sys.argv[1:2] == ["--check"]
    paths = sys.argv[1 + check:]
    if len(paths) > 2 or any(path.startswith("-") for path in paths):
        sys.exit(__doc__)
    folder = pathlib.Path(paths[0]) if paths else ROOT / "perf" / "results"
    document = pathlib.Path(paths[1]) if len(paths) > 1 else ROOT / "docs" / "performance.md"
    found = []

    def fill(match):
        if match[1] not in TABLES:
            sys.exit(f"tables.py: {document} asks for {match[1]}; there are {', '.join(TABLES)}")
        filled = "\n".join([f"<!-- {match[1]} -->"] + TABLES[match[1]](folder) + ["<!-- end -->"])
        if check and filled != match[0]:
            sys.exit(f"tables.py: {document}: {match[1]} is not what {folder} says; perf/tables.py writes it")
        found.append(match[1])
        return filled

    text = document.read_text(encoding="utf-8")
    text = re.sub(r"<!-- (\w+) -->\n.*?<!-- end -->", fill, text, flags=re.DOTALL)
    if check and set(found) != set(TABLES):
        sys.exit(f"tables.py: {document} lacks {', '.join(name for name in TABLES if name not in found)}")
    if not check:
        document.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
