#!/usr/bin/python3
"""Measures and draws what docs/articulations.md shows of sizes, eps_T, [Bar96] and ODE, and writes two tables.

    perf/articulation_plot.py [--build FOLDER] [--only NAME] [--take NAME=FILE]
                              runs the programs of build/perf, or takes their output from files, keeps their
                              tables in perf/results/articulations.json, then draws and writes
    perf/articulation_plot.py --write      draws and writes from that file alone
    perf/articulation_plot.py --check      writes nothing; fails if the document's tables are not the file's

The drawings are perf/results/articulation_*.svg. The document's tables stand between a line
`<!-- articulations NAME -->` and the next `<!-- end -->`. Drawing wants matplotlib; --check does without.
"""

import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys

from revision import made_on, revision

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "perf" / "results" / "articulations.json"
DOCUMENT = ROOT / "docs" / "articulations.md"
COMMANDS = {"ode": ["articulations_ode"], "growth": ["factor_growth"],
            "sizes": ["articulation_curves", "sizes"], "eps": ["articulation_curves", "eps"],
            "swing": ["articulation_curves", "swing"]}
SCENES = ["chain", "tree", "spider", "strandbeest", "scissor", "tube", "lattice"]
COLORS = dict(zip(SCENES, ["#2a7ab0", "#76a646", "#c2a000", "#b5391f", "#8c6bb1", "#5bb5a2", "#4c4c4c"]))


def parse(text):
    """The rows of a table of Markdown as dictionaries; numbers are numbers, empty cells None."""
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines()
             if line.startswith("|")]
    return [dict(zip(lines[0], map(value_of, line))) for line in lines[2:]]


def value_of(cell):
    try:
        return json.loads(cell) if cell else None
    except ValueError:
        try:
            return float(cell)
        except ValueError:
            return cell


def processor():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return "processor unknown"


def measure(options):
    """Adds the tables of programs that ran, and of files, to the results."""
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    taken = dict(word.split("=", 1) for word in options.take)
    names = [options.only] if options.only else list(taken) or list(COMMANDS)
    for name in names:
        if name in taken:
            text = pathlib.Path(taken[name]).read_text(encoding="utf-8")
        else:
            program, *words = COMMANDS[name]
            text = subprocess.run([options.build / "perf" / program, *words], check=True, capture_output=True,
                                  text=True).stdout
        today = datetime.date.today().isoformat()
        results[name] = {"date": today, "revision": revision(), "processor": processor(), "rows": parse(text)}
    lines = [f' "{name}": {{"date": "{table["date"]}", "revision": "{table["revision"]}", '
             f'"processor": "{table["processor"]}", "rows": [\n  ' +
             ",\n  ".join(json.dumps(row) for row in table["rows"]) + "\n ]}"
             for name, table in results.items()]
    RESULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def of(table, **wanted):
    return [row for row in table["rows"] if all(row[key] == value for key, value in wanted.items())]


def curve(axis, rows, x, y, **style):
    points = [(row[x], row[y]) for row in rows if row[y] is not None and row[y] != 0]
    if points:
        axis.plot(*zip(*points), marker="o", markersize=2.5, linewidth=1, **style)


def label(axis, title, x, y, log="both"):
    axis.set_title(title, fontsize=9)
    axis.set_xlabel(x, fontsize=8)
    axis.set_ylabel(y, fontsize=8)
    axis.tick_params(labelsize=7)
    if log in ("both", "x"):
        axis.set_xscale("log")
    if log in ("both", "y"):
        axis.set_yscale("log")


def claim(axis, xs, ys, name):
    """Draws what the document says: a dashed line, or a mark, in black. Returns it for a legend."""
    return axis.plot(xs, ys, color="black", linewidth=1, linestyle="--", marker="_" if len(xs) == 1 else None,
                     label=name)


def draw_fill(results, figure):
    """Operations of the forms of a hub and of trees; nonzeros of linkages and lattices; the longest path."""
    table = results["growth"]
    forms, nonzeros, path = figure.subplots(1, 3)
    for scene in ["spider", "tree", "chain"]:
        for form, line in [("ours", "-"), ("whole", ":"), ("indefinite", "--")]:
            name = {"ours": scene, "whole": scene + ", not split", "indefinite": scene + ", [Bar96]"}[form]
            curve(forms, of(table, scene=scene, form=form), "rows", "multiply-adds a row",
                  color=COLORS[scene], linestyle=line, label=name)
    label(forms, "operations a row", "rows", "multiply-adds a row")
    forms.legend(fontsize=6)
    for scene in SCENES:
        rows = of(table, scene=scene, form="ours")
        curve(nonzeros, rows, "rows", "nonzeros a row", color=COLORS[scene], label=scene)
        curve(path, rows, "rows", "path, rows", color=COLORS[scene], label=scene)
    curve(nonzeros, of(table, scene="strandbeest", form="whole"), "rows", "nonzeros a row",
          color=COLORS["strandbeest"], linestyle=":")
    label(nonzeros, "nonzeros a row; dotted: not split", "rows", "nonzeros a row")
    label(path, "longest path of the elimination tree", "rows", "rows")
    path.legend(fontsize=6, loc="upper left")


def draw_sizes(results, figure):
    """Errors, iterations and times of steps over rows; times of a factor."""
    table = results["sizes"]
    (error, step), (iterations, factor) = figure.subplots(2, 2)
    for scene in SCENES:
        direct = of(table, scene=scene, joints="direct")
        swept = of(table, scene=scene, joints="iterative")
        color = COLORS[scene]
        curve(error, direct, "rows", "error m", color=color, label=scene)
        curve(error, swept, "rows", "error m", color=color, linestyle=":")
        curve(step, direct, "rows", "ms a step", color=color, label=scene)
        curve(step, swept, "rows", "ms a step", color=color, linestyle=":")
        curve(iterations, direct, "rows", "iterations", color=color, label=scene)
        curve(factor, of(results["growth"], scene=scene, form="ours"), "rows", "factor, ms", color=color,
              label=scene)
    ends = [min(row["rows"] for row in table["rows"]), max(row["rows"] for row in table["rows"])]
    closed = claim(error, ends, [1e-9, 1e-9], "[Tomcin 3]: eps_P")
    claim(factor, ends, [3e-5 * rows for rows in ends], "[Tomcin 6]: linear")
    error.legend(handles=closed, fontsize=6, loc="center right")
    label(error, "largest error; dotted: iterative joints", "rows", "m")
    label(step, "median step; dotted: iterative joints", "rows", "ms")
    label(iterations, "iterations of a joint correction, mean", "rows", "iterations", log="x")
    label(factor, "one factor", "rows", "ms")
    iterations.set_ylim(bottom=0)
    factor.legend(fontsize=6)


def draw_eps(results, figure):
    """The swing of [Tomcin Fig. 3], and mean iterations over eps_T."""
    swing, means = figure.subplots(1, 2, gridspec_kw={"width_ratios": [2, 1]})
    rows = results["swing"]["rows"]
    epsilons = [name for name in rows[0] if name not in ("t", "condition")]
    colors = ["#b5391f", "#d98c2b", "#c2a000", "#76a646", "#5bb5a2", "#2a7ab0", "#8c6bb1"]
    shades = dict(zip(epsilons, colors))
    for i, name in enumerate(epsilons):  # in falling widths, so that none hides another
        swing.plot([row["t"] for row in rows], [row[name] for row in rows], color=shades[name],
                   linewidth=1 + 0.7 * (len(epsilons) - 1 - i), label="eps_T " + name)
    label(swing, "Peaucellier-Lipkin linkage, step 0.03 s", "s", "iterations of a joint correction",
          log="none")
    swing.set_ylim(bottom=0)
    condition = swing.twinx()
    condition.plot([row["t"] for row in rows], [row["condition"] for row in rows], color="#777777",
                   linewidth=1, linestyle="--")
    condition.set_yscale("log")
    condition.set_ylabel("condition number of A, dashed", fontsize=8)
    condition.tick_params(labelsize=7)
    condition.grid(False)
    swing.legend(fontsize=6, loc="lower left", ncol=4)
    for scene, size in dict.fromkeys((row["scene"], row["size"]) for row in results["eps"]["rows"]):
        curve(means, of(results["eps"], scene=scene, size=size), "eps_T", "iterations",
              label=f"{scene} {size}")
    label(means, "mean over a run", "eps_T", "iterations of a joint correction", log="x")
    means.set_ylim(bottom=0)
    means.legend(fontsize=6)


def draw_ode(results, figure):
    """Times and errors beside ODE, both at 2 ms."""
    axes = figure.subplots(2, 2)
    rows = [row for row in results["ode"]["rows"] if row["h ms"] == 2]
    solvers = dict.fromkeys(row["solver"] for row in rows)
    shades = dict(zip(solvers, ["#b5391f", "#2a7ab0", "#5bb5a2", "#c2a000"]))
    for i, (scene, unit) in enumerate([("chain", "links"), ("strandbeest", "legs")]):
        for solver, shade in shades.items():
            own = [dict(row, size=int(row["scene"].split()[1])) for row in rows
                   if row["solver"] == solver and re.fullmatch(scene + r" \d+", row["scene"])]
            curve(axes[0][i], own, "size", "ms a step", color=shade, label=solver)
            curve(axes[1][i], [row for row in own if row["s"] >= 0.3], "size", "error m", color=shade,
                  label=solver)
        label(axes[0][i], f"{scene}: median step of 2 ms", unit, "ms")
        label(axes[1][i], f"{scene}: largest error", unit, "m")
    claim(axes[0][1], [50], [3e3], "[Tomcin 7]: dWorldStep in the air")
    claim(axes[0][1], [50, 50], [4e3, 1e4], "[Tomcin 7]: feet down")
    axes[0][0].legend(fontsize=6)
    axes[0][1].legend(fontsize=6)


DRAWINGS = {"fill": (draw_fill, (9.5, 3.4), ["growth"]),
            "sizes": (draw_sizes, (9.5, 6.4), ["sizes", "growth"]),
            "eps": (draw_eps, (9.5, 3.6), ["eps", "swing"]), "ode": (draw_ode, (9.5, 6.4), ["ode"])}


def draw(results):
    import matplotlib  # here: tables are checked without it

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "drystone", "font.size": 9,
                                "axes.grid": True, "grid.color": "#dddddd", "axes.axisbelow": True})
    for name, (function, size, tables) in DRAWINGS.items():
        figure = plt.figure(figsize=size)
        function(results, figure)
        figure.tight_layout(rect=(0, 0.03, 1, 1))
        first = results[tables[0]]
        figure.text(0.01, 0.005, f"{first['processor']}, one thread; a shared machine, {first['date']}, revision {first['revision']}; " +
                    ", ".join("build/perf/" + " ".join(COMMANDS[table]) for table in tables), fontsize=6,
                    color="#555555", va="bottom")
        figure.savefig(RESULTS.parent / f"articulation_{name}.svg", metadata={"Date": None})
        plt.close(figure)


def cell(value):
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    whole = abs(value) >= (1000 if isinstance(value, float) else 10000)
    return f"{value:,.0f}" if whole else f"{value:.3g}" if isinstance(value, float) else str(value)


def table_of(rows, columns):
    lines = ["| " + " | ".join(columns) + " |"]
    words = [any(isinstance(row[column], str) for row in rows) for column in columns]
    lines.append("|" + "|".join("---" if word else "--:" for word in words) + "|")
    return lines + ["| " + " | ".join(cell(row[column]) for column in columns) + " |" for row in rows]


def some_sizes(rows, which):
    """The rows of the sizes of each scene that `which` chooses out of a sorted list."""
    kept = []
    for scene in dict.fromkeys(row["scene"] for row in rows):
        sizes = list(dict.fromkeys(row["size"] for row in rows if row["scene"] == scene))
        kept += [row for row in rows if row["scene"] == scene and row["size"] in which(sizes)]
    return kept


def fill_table(results):
    rows = [row for row in results["growth"]["rows"] if row["form"] == "ours"
            and row["scene"] in ("chain", "scissor", "tube", "lattice")]
    return table_of(some_sizes(rows, lambda sizes: (sizes[0], sizes[-1])),
                    ["scene", "size", "rows", "nonzeros a row", "multiply-adds a row", "path, rows", "factor, ms", "solve, ms"])


def sizes_table(results):
    return table_of(some_sizes(of(results["sizes"], joints="direct"), lambda sizes: sizes[-1:]),
                    ["scene", "size", "rows", "error m", "iterations", "corrections a step", "gained J", "ms a step"])


TABLES = {"fill": fill_table, "sizes": sizes_table}


def write(results, check):
    text = DOCUMENT.read_text(encoding="utf-8")
    found = []

    def fill(match):
        found.append(match[1])
        lines = [*TABLES[match[1]](results), "", made_on([results[{"fill": "growth"}.get(match[1], match[1])]["revision"]])]
        return "\n".join([f"<!-- articulations {match[1]} -->", *lines, "<!-- end -->"])

    filled = re.sub(r"<!-- articulations (\w+) -->\n.*?<!-- end -->", fill, text, flags=re.DOTALL)
    if set(found) != set(TABLES):
        sys.exit(f"articulation_plot.py: {DOCUMENT} does not ask once for each of {', '.join(TABLES)}")
    if not check:
        DOCUMENT.write_text(filled, encoding="utf-8")
    elif filled != text:
        sys.exit(f"articulation_plot.py: the tables of {DOCUMENT} are not those of {RESULTS}; --write them")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--only", choices=COMMANDS)
    parser.add_argument("--take", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not options.write and not options.check:
        measure(options)
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    write(results, options.check)
    if not options.check:
        draw(results)


if __name__ == "__main__":
    main()
