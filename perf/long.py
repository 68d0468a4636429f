#!/usr/bin/python3
"""Runs what must stand for minutes, with the judge, and the fuzzer of saves for hours. Writes the tables of
docs/quality.md and docs/reliability.md.

    perf/long.py [--judge FILE] [--only REGEX] [--results FILE] [--jobs N] [--tall-seconds T] [--fuzz-seconds T]
    perf/long.py --write        writes the tables from the results alone
    perf/long.py --check        writes nothing, and fails if the documents' tables differ from the results
    perf/long.py --list         lists the rows

Results stay in perf/results/long.json row by row, so that rows that --only names replace just themselves. The
exit status is 1 if a row that ran does not hold.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

from revision import made_on, revision

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "docs/quality.md", ROOT / "docs/reliability.md"]
STANDING = ["pyramid3d_20", "wall_50x40", "room", "logcabin60", "overhang10", "planks_edge20", "doubling10"]
DEEP_MM = {"pyramid3d_20": "2", "wall_50x40": "2", "doubling10": "20"}
TALL = [("tower", 10), ("tower", 30), ("tower", 60), ("tower", 100), ("pyramid", 60), ("pyramid", 100)]
FAMILIES = ["wall", "thin-wall", "pyramid3d", "heap", "cabin", "room", "overhang", "planks", "plates", "tower-of",
            "pillar", "doubling", "heavy", "cap", "storeys", "chain"]
PILES = ["pile-planks", "pile-boxes", "pile-both"]
TUNING, HELD_OUT = range(1, 7), range(100, 103)
SLEEPERS = [("tower", 10), ("tower", 30), ("tower", 100), ("pyramid", 60), ("pyramid", 100), ("pyramids", 10),
            ("mass-ratio", 1000)]
# Fuzzers, their seeds, and inputs of one process: the next one goes on from the inputs that it kept.
FUZZERS, FUZZ_SEEDS, FUZZ_PORTION = {"saves": 512}, range(1, 5), 20000
FUZZ_BUILD = ROOT / "build-fuzz-full"


def rows(tall_seconds):
    """Returns the rows: name -> (table, arguments of the judge)."""
    found = {}
    for scene in STANDING:
        file = str(ROOT / "tests/data/standing" / (scene + ".json"))
        deep = ["--deep", DEEP_MM[scene]] if scene in DEEP_MM else []
        found[scene] = ("standing", [file, "--seconds", "60"] + deep)
        found[scene + " asleep"] = ("sleep", [file, "--seconds", "30", "--sleep", "on"] + deep)
    found["1 kg under 1000 kg"] = ("ratios", ["mass-ratio", "--size", "1000", "--seconds", "60", "--deep", "10"])
    # 1 % of ten links of 0.5 m.
    found["10 links of 1 kg, 10 t below"] = ("ratios", ["chain:0", "--seconds", "60", "--far", "50"])
    for scene, size in TALL:
        for seed in range(1, 4):
            found[f"{scene} {size} seed {seed}"] = (
                "tall", [scene, "--size", str(size), "--disorder", "0.001", "--seed", str(seed), "--seconds",
                         str(tall_seconds), "--rule", "tall"])
    pile = ["--rule", "pile", "--until-calm", "120", "--seconds", "30"]
    found["pile 10,000"] = ("piles", ["pile", "--size", "10000"] + pile)
    for family in PILES:
        for seed in [1, 2, 3, 100]:
            found[f"{family} seed {seed}"] = ("piles", [f"{family}:{seed}"] + pile)
    for family in FAMILIES:
        for seed in [*TUNING, *HELD_OUT]:
            found[f"{family} seed {seed}"] = ("generated", [f"{family}:{seed}", "--seconds", "60"])
    for scene, size in SLEEPERS:
        found[f"{scene} {size} asleep"] = ("sleep", [scene, "--size", str(size), "--sleep", "on", "--seconds", "30"])
    found["kapla"] = ("blocks", ["kapla", "--seconds", "600", "--far", "5"])
    for target in FUZZERS:
        for seed in FUZZ_SEEDS:
            found[f"{target} seed {seed}"] = ("fuzz", [target, str(seed)])
    return found


building = threading.Lock()


def build_fuzzer(target):
    """Builds a fuzzer with all sanitizers, kernels included, and returns it."""
    environment = os.environ | {"CC": "clang", "CXX": "clang++"}
    with building:
        if not (FUZZ_BUILD / "build.ninja").exists():
            subprocess.run(["meson", "setup", FUZZ_BUILD, ROOT, "-Dtests=enabled", "-Dperf=disabled", "-Dfuzz=full",
                            "-Dbuildtype=debugoptimized", "-Db_sanitize=address,undefined", "-Db_lundef=false",
                            "-Dc_args=-fno-sanitize-recover=all -g1"], check=True, env=environment, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", FUZZ_BUILD, "--quiet", f"tests/libfuzzer_{target}"], check=True)
    return FUZZ_BUILD / f"tests/libfuzzer_{target}"


def fuzz(target, seed, seconds):
    """Fuzzes for this processor time, s, or until a finding, which stays in a file."""
    fuzzer, folder = build_fuzzer(target), FUZZ_BUILD / f"{target}-{seed}"
    subprocess.run([ROOT / "tests/fuzz/corpus.py", "unpack", ROOT / f"tests/fuzz/{target}.corpus", folder / "corpus"],
                   check=True)
    counts = folder / "counts"
    row = {"inputs": 0, "refused": 0, "steps": 0, "processor_s": 0, "failed": "", "revision": revision()}
    portion = 0
    while row["processor_s"] < seconds and not row["failed"]:
        portion += 1
        done = subprocess.run(
            [fuzzer, f"-seed={seed}{portion:04}", f"-runs={FUZZ_PORTION}", "-entropic=0", "-verbosity=0",
             f"-max_len={FUZZERS[target]}", "-timeout=120", f"-artifact_prefix={folder}/", folder / "corpus"],
            check=False, cwd=ROOT, env=os.environ | {"DRYSTONE_FUZZ_COUNTS": str(counts)}, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            row["failed"] = "a finding"
            print(done.stderr[-4000:], file=sys.stderr)
        else:
            found = dict(line.split() for line in counts.read_text(encoding="utf-8").splitlines())
            for key in ("inputs", "refused", "steps", "processor_s"):
                row[key] += int(found[key])
    return row


def run(options, kind, name, arguments):
    if kind == "fuzz":
        try:
            return name, fuzz(*arguments, options.fuzz_seconds)
        except (OSError, subprocess.CalledProcessError) as error:
            return name, {"error": str(error)}
    command = [options.judge, *arguments, "--report", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return name, {"error": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "failed"}
    return name, json.loads(done.stdout) | {"revision": revision()}


def number(value, factor=1.0):
    if value is None:
        return "-"
    value *= factor
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2g}" if abs(value) < 100 else f"{value:.0f}"


def verdict(row):
    if "error" in row:
        return row["error"]
    return "yes" if not row["failed"] else "no: " + row["failed"].replace(",", ", ")


def table(head, lines):
    return ["| " + " | ".join(head) + " |", "|---|" + "---|" * (len(head) - 1)] + \
           ["| " + " | ".join(line) + " |" for line in lines]


def chosen(results, names, which):
    return [(name, results[name]) for name, (kind, _) in names.items() if kind == which and name in results]


def figures(row):
    return [str(row["moved_over_0.25m"]), number(row["sideways_m"], 1e3), number(row["penetration_max_m"], 1e3),
            number(row["penetration_mean_m"], 1e3), number(row["speed_max_m_s"], 1e3)]


def worst_of_seeds(found):
    """Merges the rows of a scene's seeds: the largest of each number, and every bound that fails."""
    merged = {}
    for name, row in found:
        if "error" not in row:
            scene = name.partition(" seed")[0]
            first = merged.setdefault(scene, dict(row))
            for key, value in row.items():
                if key == "failed":
                    first[key] = ",".join(sorted(set(f"{first[key]},{value}".split(",")) - {""}))
                elif isinstance(value, (int, float)):
                    first[key] = max(first[key], value)
    return merged.items()


FIGURES = ["over 0.25 m", "aside mm", "deepest mm", "mean mm", "fastest mm/s"]


def standing(results, names):
    lines = []
    for which in ("standing", "ratios", "blocks"):
        for name, row in chosen(results, names, which):
            lines.append([name] + (figures(row) + [number(row["gained_J"]), str(row["substeps"]),
                                                   number(row["median_step_ms"])]
                                   if "error" not in row else [""] * 8) + [verdict(row)])
    return table(["scene"] + FIGURES + ["gained J", "substeps", "step ms", "holds"], lines)


def tall(results, names):
    lines = []
    for name, row in worst_of_seeds(chosen(results, names, "tall")):
        lines.append([name, number(row["seconds"]), str(row["moved_over_0.25m"]), number(row["sideways_m"], 1e3),
                      number(row["sway_second_minute_J"]), number(row["sway_last_minute_J"]), number(row["gained_J"]),
                      str(row["substeps"]), number(row["median_step_ms"]), verdict(row)])
    return table(["scene", "s", "over 0.25 m", "aside mm", "sway, second minute J", "last minute J", "gained J",
                  "substeps", "step ms", "holds"], lines)


def piles(results, names):
    lines = []
    for name, row in worst_of_seeds(chosen(results, names, "piles")):
        lines.append([name, number(row["calm_s"])] + figures(row)[2:] +
                     [number(row["gained_J"]), number(row["gained_bound_J"]), verdict(row)])
    return table(["scene", "calm after s"] + FIGURES[2:] + ["gained J", "bound J", "holds"], lines)


def generated(results, names):
    """How many seeds of a family hold, all bounds and without that of energy. Families that hold share a line."""
    lines = {}
    found = chosen(results, names, "generated")
    for family in FAMILIES:
        line = [family]
        for seeds in (TUNING, HELD_OUT):
            runs = [row for name, row in found for seed in seeds if name == f"{family} seed {seed}" and "error" not in row]
            stands = sum(not set(row["failed"].split(",")) - {"", "energy"} for row in runs)
            line += [f"{stands} of {len(runs)}", f"{sum(not row['failed'] for row in runs)} of {len(runs)}"]
        failed = sorted({f"{name.split()[-1]}: {row['failed'].replace(',', ', ')}" for name, row in found
                         if name.startswith(family + " seed") and "error" not in row
                         and set(row["failed"].split(",")) - {"", "energy"}})
        lines.setdefault(tuple(line[1:] + ["; ".join(failed)]), []).append(family)
    lines = [[", ".join(families), *figures_of_all] for figures_of_all, families in lines.items()]
    return table(["family", "tuning seeds that stand", "also without energy gained", "held-out seeds that stand",
                  "also without energy gained", "seeds that do not stand"], lines)


def fuzzed(results, names):
    """The sums of a fuzzer's seeds."""
    lines = []
    for target in FUZZERS:
        found = [row for name, row in chosen(results, names, "fuzz") if name.startswith(target) and "error" not in row]
        lines += [[f"`fuzz_{target}.c`"] + [f"{sum(row[key] for row in found):,}" for key in
                                          ("processor_s", "inputs", "refused", "steps")] +
                  [str(sum(row["failed"] != "" for row in found))]] if found else []
    return table(["target", "processor time s", "inputs", "refused", "steps", "findings"], lines)


TABLES = {"standing": standing, "tall": tall, "piles": piles, "generated": generated, "fuzz": fuzzed}


def fill_tables(text, results, names):
    def fill(match):
        if match[1] not in TABLES:
            return match[0]
        kinds = ("standing", "ratios", "blocks") if match[1] == "standing" else (match[1],)
        made = [row["revision"] for kind in kinds for _, row in chosen(results, names, kind) if "error" not in row]
        if not made:
            return match[0]
        lines = TABLES[match[1]](results, names) + ["", made_on(made)]
        return "\n".join([f"<!-- {match[1]} -->"] + lines + ["<!-- end -->"])

    return re.sub(r"<!-- (\w+) -->\n.*?<!-- end -->", fill, text, flags=re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", default=str(ROOT / "build/perf/standing"))
    parser.add_argument("--only", default="", help="rows whose table and name, as in 'tall/tower 10 seed 1', match")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "perf/results/long.json")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once; times are good with 1 only")
    parser.add_argument("--tall-seconds", type=int, default=600)
    parser.add_argument("--fuzz-seconds", type=int, default=3600, help="processor time of each seed of a fuzzer")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()

    names = rows(options.tall_seconds)
    wanted = {name: arguments for name, (kind, arguments) in names.items()
              if re.search(options.only, f"{kind}/{name}")}
    if options.list:
        print("\n".join(f"{names[name][0]}/{name}: {' '.join(arguments)}" for name, arguments in wanted.items()))
        return 0
    results = json.loads(options.results.read_text(encoding="utf-8")) if options.results.exists() else {}
    if options.check:
        for document in DOCUMENTS:
            text = document.read_text(encoding="utf-8")
            if fill_tables(text, results, names) != text:
                sys.exit(f"long.py: {document} is not what {options.results} says; perf/long.py --write writes it")
        return 0
    bad = 0
    if not options.write:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            jobs = [pool.submit(run, options, names[name][0], name, arguments) for name, arguments in wanted.items()]
            for job in concurrent.futures.as_completed(jobs):
                name, row = job.result()
                results[name] = row
                bad += bool(row.get("failed", "error"))
                print(f"{names[name][0]}/{name}: {verdict(row)}", flush=True)
                options.results.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        document.write_text(fill_tables(text, results, names), encoding="utf-8")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
