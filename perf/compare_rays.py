"""Runs build/perf/rays and writes its table: Drystone's rays on a mesh beside Embree's. For perf/compare."""

import json
import subprocess

COLUMNS = ["rays", "way", "million a second", "of single rays", "end elsewhere"]
TINY = ["--triangles", "2000", "--rays", "500", "--turns", "2"]


def measure(build, tiny, folder):
    """The report of the program; None where it is not built."""
    program, report = build / "perf" / "rays", folder / "rays.json"
    if not program.exists():
        return None
    words = [str(program), "--report", str(report)] + (TINY if tiny else [])
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return json.loads(report.read_text())


def write(folder, machine, report):
    """Writes rays.md and rays.json."""
    rows = [[row["rays"], row["way"], f"{row['million_per_s']:.3g}", f"{row['of_single']:.2f}",
             str(row["elsewhere"])] for row in report["rows"]]
    lines = [
        "# Rays on a mesh", "",
        f"{machine['processor']}, one thread; Drystone by {machine['compiler']}, `{machine['flags']}`.",
        f"{report['triangles']:,} triangles, {report['rays']:,} rays of each kind; written by `perf/compare`,",
        f"{machine['date']}, revision {machine['revision']}.", "",
        "| " + " | ".join(COLUMNS) + " |", "|---|---|" + "---:|" * (len(COLUMNS) - 2),
    ]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    lines += [
        "", f"The mesh took {report['build_s']:.2f} s to build and {report['load_of_build']:.3f} of that to load, and has",
        f"{report['bytes_per_triangle']:.1f} bytes a triangle. Rays go across the ground from above, from one camera, or a few",
        "meters close to the ground. Ways take turns, and the least processor time of each counts.", "",
    ]
    (folder / "rays.md").write_text("\n".join(lines))
    (folder / "rays.json").write_text(json.dumps({"machine": machine} | report, indent=1) + "\n")


def faults(folder):
    """What is wrong with the files just written."""
    rows = json.loads((folder / "rays.json").read_text())["rows"]
    table = [line for line in (folder / "rays.md").read_text().splitlines() if line.startswith("| ")]
    wrong = [] if len(table) == len(rows) + 1 else ["the table of rays has other rows than rays.json"]
    return wrong + [f"a rate of rays is not above 0: {row}" for row in rows if not row["million_per_s"] > 0]
