#!/usr/bin/python3
"""Draws the benchmarks' reports.

    perf/plot.py FOLDER      reads kernels.json, stages.json, steps.json, worlds.json, rooms.json, saves.json,
                             history.json and evenness.json there, those that are there, and writes
                             kernels.svg, roofline.svg, stages.svg, steps.svg, scaling.svg, worlds.svg,
                             rooms.svg, saves.svg and history.svg beside them; evenness has no drawing
    perf/plot.py --check FOLDER     draws all of them from a copy of FOLDER that is then removed

Without matplotlib the exit status is 77, which the test suite takes for a test to be skipped.

Each report is rewritten with one line for each benchmark and without what names the machine or its folders.
"""

import json
import os
import re
import shutil
import sys
import tempfile

try:
    import matplotlib
except ImportError:
    print("plot.py: no drawings without matplotlib (Debian: python3-matplotlib)", file=sys.stderr)
    sys.exit(77)

matplotlib.use("svg")
import matplotlib.pyplot as plt

matplotlib.rcParams.update({
    "svg.fonttype": "none",  # text stays text: small files, and a diff that can be read
    "svg.hashsalt": "drystone",  # the same names in the file from run to run
    "font.size": 9,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
})

ISAS = ["scalar", "sse2", "neon", "avx2", "avx512"]
COLORS = {"scalar": "#777777", "sse2": "#c2a000", "neon": "#c2a000", "avx2": "#2a7ab0", "avx512": "#b5391f"}
STAGES = ["pairs", "contacts", "graph", "prepare", "solve", "repair", "store", "finalize"]
STAGE_COLORS = ["#4c4c4c", "#2a7ab0", "#c2a000", "#76a646", "#b5391f", "#d98cb3", "#8c6bb1", "#5bb5a2"]
# Kernels with their name in the roofline.
NAMED = {"contact_warm": "warm", "contact_solve_cone": "solve", "contact_prepare": "prepare",
         "bodies_begin": "begin", "bodies_finish": "finish"}
CONTEXT = ["date", "revision", "processor", "cores", "caches", "compiler", "flags", "tiny"]
DROPPED = {"family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
           "repetition_index", "cpu_time"}


def load(path):
    """The report's head and its benchmarks; the file is tidied in passing."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    head = {key: report["context"][key] for key in CONTEXT if key in report["context"]}
    runs = []
    for run in report["benchmarks"]:
        run = {key: round_off(value) for key, value in run.items() if key not in DROPPED}
        run["name"] = re.sub(r"/iterations:\d+|/manual_time", "", run["name"])
        # Google Benchmark has a field of that name too.
        threads = re.search(r"/threads:(\d+)", run["name"])
        if threads:
            run["threads"] = int(threads.group(1))
        runs.append(run)
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"context": ' + json.dumps(head, indent=1) + ',\n"benchmarks": [\n')
        file.write(",\n".join(json.dumps(run) for run in runs) + "\n]}\n")
    return head, [run for run in runs if not run.get("error_occurred")]


def round_off(value):
    return float(f"{value:.6g}") if isinstance(value, float) else value


def save(figure, folder, name, head):
    flags = " ".join(flag for flag in head["flags"].split() if not flag.startswith("-D"))
    caption = (f"{head['processor']}, {head['cores']} cores; {head['compiler']}; medians on a shared machine, "
               f"{head['date'][:10]}, revision {head.get('revision', 'unknown')}\n{flags}")
    figure.text(0.01, 0.005, caption, fontsize=6, color="#555555", va="bottom")
    figure.savefig(os.path.join(folder, name + ".svg"), metadata={"Date": None})
    plt.close(figure)


def of(runs, pattern):
    """(match, run) for each benchmark whose whole name matches."""
    return [(match, run) for run in runs if (match := re.fullmatch(pattern, run["name"]))]


def ns_of(run):
    return next(value for key, value in run.items()
                if key.startswith("ns_per_") and not key.endswith("_min"))


def title_of(size):
    return "in L2" if size == "l2" else size.replace("MB", " MB")


def dots(axis, labels, values, colors="#2a7ab0"):
    """Values on a logarithmic axis, each with its number beside it."""
    axis.scatter(values, labels, c=colors, s=16)
    for label, value in zip(labels, values):
        text = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
        axis.annotate(text, (value, label), xytext=(5, 0), textcoords="offset points", fontsize=6, va="center",
                      color="#555555")
    axis.set_xscale("log")
    axis.set_xlim(min(values) / 1.5, max(values) * 3)
    axis.tick_params(axis="y", labelsize=7)


def draw_kernels(head, runs, folder):
    found = of(runs, r"kernel/(\w+)/(\w+)/(\w+)")
    sizes = list(dict.fromkeys(match[3] for match, _ in found))
    names = list(dict.fromkeys(match[1] for match, _ in found))
    figure, axes = plt.subplots(1, len(sizes), figsize=(9.5, 6.6), sharey=True, squeeze=False)
    for axis, size in zip(axes[0], sizes):
        for isa in ISAS:
            points = [(ns_of(run), names.index(match[1])) for match, run in found
                      if match[2] == isa and match[3] == size]
            if points:
                axis.plot(*zip(*points), "o", color=COLORS[isa], label=isa, markersize=4)
        axis.set_xscale("log")
        axis.set_xlabel("ns an item, one thread")
        axis.set_title(title_of(size), fontsize=10)
        axis.set_yticks(range(len(names)), names)
    axes[0][0].invert_yaxis()
    axes[0][-1].legend(loc="lower right", fontsize=8)
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    save(figure, folder, "kernels", head)


def draw_roofline(head, runs, folder):
    found = of(runs, r"kernel/(\w+)/(\w+)/(\w+)")
    limits = {match[1] + "/" + match[2]: run for match, run in of(runs, r"limit/([\w-]+)/(\w+)")}
    sizes = list(dict.fromkeys(match[3] for match, _ in found))
    widest = [isa for isa in ISAS if any(match[2] == isa for match, _ in found)][-1]
    figure, axes = plt.subplots(1, len(sizes), figsize=(9.5, 4), sharey=True, squeeze=False)
    intensity = [0.2, 8.0]
    for axis, size in zip(axes[0], sizes):
        for where in ("l1", "l2", "l3", "memory"):
            limit = limits.get("read/" + where)
            if limit:
                own = where == {"l2": "l2", "8MB": "l3", "80MB": "memory"}.get(size)
                axis.plot(intensity, [x * limit["GB_per_s"] for x in intensity],
                          color="#333333" if own else "#aaaaaa", linewidth=1.4 if own else 0.7)
                axis.annotate(f"{where}, {limit['GB_per_s']:.0f} GB/s", (0.21, 0.21 * limit["GB_per_s"]),
                              fontsize=6, color="#666666", va="bottom")
        for isa in ISAS:
            limit = limits.get("multiply-add/" + isa)
            if limit:
                axis.axhline(limit["Gflop_per_s"], color=COLORS[isa], linewidth=0.8, linestyle="--")
            points = [(run["flops"] / run["bytes"], run["Gflop_per_s"], match[1]) for match, run in found
                      if match[2] == isa and match[3] == size and "flops" in run]
            if not points:
                continue
            axis.plot([x for x, _, _ in points], [y for _, y, _ in points], "o", color=COLORS[isa], label=isa,
                      markersize=3.5, alpha=0.8)
            for x, y, name in points:
                if isa == widest and name in NAMED:
                    axis.annotate(NAMED[name], (x, y), xytext=(4, 3), textcoords="offset points", fontsize=6)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlim(intensity)
        axis.set_ylim(0.5, 600)
        axis.set_xticks([0.25, 0.5, 1, 2, 4, 8], ["1/4", "1/2", "1", "2", "4", "8"])
        axis.minorticks_off()
        axis.set_xlabel("flop a byte moved")
        axis.set_title(title_of(size), fontsize=10)
    axes[0][0].set_ylabel("Gflop/s, one thread")
    axes[0][-1].legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=7,
                       title="dashed:\nmultiply-add\nalone", title_fontsize=6)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    save(figure, folder, "roofline", head)


def draw_stages(head, runs, folder):
    figure, axes = plt.subplots(1, 3, figsize=(9.5, 4))
    groups = [("broadphase, ns a box", r"broadphase/(.+)"), ("collide, ns a pair", r"collide/(.+)"),
              ("ns a contact or manifold", r"((?:contacts|prepare)/.+)")]
    for axis, (title, pattern) in zip(axes, groups):
        found = of(runs, pattern)
        if found:
            dots(axis, [match[1] for match, _ in found], [ns_of(run) for _, run in found])
        axis.set_title(title, fontsize=10)
        axis.invert_yaxis()
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    save(figure, folder, "stages", head)


def draw_steps(head, runs, folder):
    found = of(runs, r"step/([\w-]+)/(\w+)/threads:(\d+)")
    if not found:
        return
    most = max(int(match[3]) for match, _ in found)
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.2))
    rows = [(match, run) for match, run in found if int(match[3]) in (1, most)]
    labels = [f"{match[1]} {match[2].replace('_', ' ')}, {match[3]} thread{'s' * (match[3] != '1')}"
              for match, _ in rows]
    dots(axes[0], labels, [run["step_ms"] for _, run in rows],
         ["#b5391f" if match[3] == "1" else "#2a7ab0" for match, _ in rows])
    axes[0].set_title("step, ms", fontsize=10)
    left = [0.0] * len(rows)
    for stage, tint in zip(STAGES, STAGE_COLORS):
        share = [100 * run[stage + "_ms"] / sum(run[s + "_ms"] for s in STAGES) for _, run in rows]
        axes[1].barh(labels, share, left=left, height=0.6, color=tint, label=stage)
        left = [a + b for a, b in zip(left, share)]
    axes[1].set_title("where it goes, %", fontsize=10)
    axes[1].set_yticks([])
    axes[1].set_xlim(0, 100)
    axes[1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    for axis in axes:
        axis.invert_yaxis()
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    save(figure, folder, "steps", head)


def draw_scaling(head, runs, folder):
    figure, axis = plt.subplots(figsize=(5.5, 4))
    most = 1
    for (scene, state), tint in ((("pyramids", "resting"), "#b5391f"), (("pyramid", "base_447"), "#7a9a3a"),
                                   (("pile", "settled"), "#2a7ab0")):
        found = sorted((int(match[1]), run["step_ms"], run["step_ms_min"])
                       for match, run in of(runs, rf"step/{scene}/{state}/threads:(\d+)"))
        if not found:
            continue
        threads = [count for count, _, _ in found]
        most = max(most, threads[-1])
        axis.plot(threads, [found[0][1] / ms for _, ms, _ in found], "o-", color=tint,
                  label=f"{scene}, {state}: median, {found[0][1]:.1f} ms on one thread")
        axis.plot(threads, [found[0][2] / ms for _, _, ms in found], "o--", color=tint, mfc="white",
                  label=f"the same: least, {found[0][2]:.1f} ms")
    axis.plot([1, most], [1, most], ":", color="#999999", linewidth=0.8, label="linear")
    axis.set_xlabel("threads")
    axis.set_ylabel("times one thread's speed")
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.legend(fontsize=8)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    save(figure, folder, "scaling", head)


def draw_worlds(head, runs, folder):
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 2.4))
    awake = of(runs, r"world/awake:100/(\w+)/asleep:(\d+)")
    axes[0].plot([1e3 * run["step_ms"] for _, run in awake],
                 [f"{match[1]}, {int(match[2]):,} asleep" for match, _ in awake], "o", color="#2a7ab0", markersize=4)
    axes[0].set_title("step of 100 awake, us", fontsize=10)
    life = of(runs, r"world/life/(\w+)/(\w+)")
    labels = [f"{match[1]}, {match[2].replace('_', ' ')}" for match, _ in life]
    for what, tint in (("create", "#b5391f"), ("destroy", "#2a7ab0")):
        axes[1].plot([1e6 * run[what + "_ms"] / run["items"] for _, run in life], labels, "o", color=tint,
                     label=what, markersize=4)
    axes[1].set_title("ns a body", fontsize=10)
    axes[1].legend(fontsize=8)
    for axis in axes:
        axis.set_xlim(left=0)
        axis.tick_params(axis="y", labelsize=7)
        axis.invert_yaxis()
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    save(figure, folder, "worlds", head)


def draw_rooms(head, runs, folder):
    found = of(runs, r"rooms/(pool|piles):(\d+)/(\d+)")
    contents = {"pool": "ten towers of ten", "piles": "pile of 100"}
    labels = [f"{contents[match[1]]}, {int(match[2]):,} room{'s' * (match[2] != '1')}, "
              f"{match[3]} worker{'s' * (match[3] != '1')}" for match, _ in found]
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 2.8), sharey=True)
    for what, legend, tint in (("hot", "one world again and again", "#777777"),
                               ("turn", "as many worlds in turn", "#2a7ab0"),
                               ("tick", "a tick of the pool", "#b5391f")):
        axes[0].plot([run[what + "_us"] for _, run in found], labels, "o", color=tint, label=legend, markersize=4)
    axes[0].set_title("processor time of a step, us", fontsize=10)
    axes[0].legend(fontsize=7)
    axes[1].barh(labels, [run["surplus"] for _, run in found], height=0.5, color="#b5391f")
    axes[1].set_title("a tick's surplus over a hot step", fontsize=10)
    axes[0].set_xlim(left=0)
    axes[0].invert_yaxis()
    for axis in axes:
        axis.tick_params(axis="y", labelsize=7)
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    save(figure, folder, "rooms", head)


def draw_shares(head, found, shares, title, folder, name):
    """Ratios of each case, and 1 as a line."""
    labels = [f"{match[1]} of {match[2]}" for match, _ in found]
    figure, axis = plt.subplots(figsize=(7, 2.6))
    for (what, legend), tint in zip(shares.items(), STAGE_COLORS[1:]):
        axis.plot([run[what] for _, run in found], labels, "o", color=tint, label=legend, markersize=4)
    axis.axvline(1.0, color="#999999", linewidth=0.8)
    axis.set_xlim(left=0)
    axis.set_title(title, fontsize=10)
    axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    axis.invert_yaxis()
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    save(figure, folder, name, head)


def draw_saves(head, runs, folder):
    draw_shares(head, of(runs, r"saves/(\w+):(\d+)"),
                {"save_share": "a save, over creating", "load_share": "a load, likewise",
                 "restore_share": "a restoration, likewise", "step_share": "first step, over a usual one"},
                "time beside the call that creates the bodies, or beside a step", folder, "saves")


def draw_history(head, runs, folder):
    draw_shares(head, of(runs, r"history/(\w+):(\d+)"),
                {"keep_share": "keeping a step, over a step", "rewind_share": "going back 8 steps, over a load",
                 "step_share": "first step after it, over a usual one"},
                "time of a history beside steps and loads", folder, "history")


DRAWINGS = {"kernels": (draw_kernels, draw_roofline), "stages": (draw_stages,),
            "steps": (draw_steps, draw_scaling), "worlds": (draw_worlds,), "rooms": (draw_rooms,),
            "saves": (draw_saves,), "history": (draw_history,), "evenness": ()}


def plot(folder):
    for name, draws in DRAWINGS.items():
        path = os.path.join(folder, name + ".json")
        if os.path.exists(path):
            head, runs = load(path)
            for draw in draws:
                draw(head, runs, folder)


def check(results):
    """What is wrong with the drawings of a folder's reports; nothing, one hopes."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        there = [name for name in DRAWINGS if os.path.exists(os.path.join(results, name + ".json"))]
        if not there:
            wrong.append("there are no reports")
        for name in there:
            shutil.copyfile(os.path.join(results, name + ".json"), os.path.join(folder, name + ".json"))
        plot(folder)
        for draw in [draw for name in there for draw in DRAWINGS[name]]:
            name = draw.__name__.removeprefix("draw_") + ".svg"
            path = os.path.join(folder, name)
            if not os.path.exists(path):
                wrong.append(f"{name} was not drawn")
                continue
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if not text.rstrip().endswith("</svg>") or "; kernels -O" not in text:
                wrong.append(f"{name} is not whole, or does not tell the flags")
            if not re.search(", revision [0-9a-f]{7}", text):
                wrong.append(f"{name} does not tell the revision that it was made on")
    return wrong


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        wrong = check(sys.argv[2])
        print(*(f"plot.py: {line}\n" for line in wrong), sep="", end="", file=sys.stderr)
        sys.exit(1 if wrong else 0)
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    plot(sys.argv[1])


if __name__ == "__main__":
    main()
