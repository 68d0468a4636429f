#!/usr/bin/env python3
"""Tests the drystone tool from outside: what it prints, writes, refuses and returns.

Usage: test_cli.py PATH_TO_DRYSTONE. test_cli_faults.py has what happens when something goes wrong."""

import csv
import io
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import time
import xml.etree.ElementTree
import zlib

sys.dont_write_bytecode = True
from cli_tool import LONG, SMALL, ToolTest, main, usual_signals


class Cli(ToolTest):
    # Usage.

    def test_commands(self):
        self.refused(said="stress")
        self.refused("dance", said="dance")
        self.refused("scenes", "now", said="now")
        self.refused("info", "now", said="now")
        for words in [["--version", "now"], ["help", "now"], ["--help", "now"], ["-h", "now"], ["help", "info", "now"],
                      ["info", "--help", "now"], ["scenes", "--help", "now"], ["info", "-h", "now"]]:
            self.refused(*words, said="now")
        for name in ["info", "scenes", "stress", "shape"]:
            text = self.done("help", name).stdout
            self.assertTrue(text.startswith(f"usage: drystone {name}"), text)
            self.assertEqual(text, self.done(name, "--help").stdout)
            self.assertIn("Exit status: 0 done; 1 the run failed", text)
        self.assertIn("drystone stress", self.done("--help").stdout)
        self.assertRegex(self.done("--version").stdout, r"\Adrystone \d+\.\d+\.\d+\n\Z")
        listed = [line.split()[0] for line in self.done("scenes").stdout.splitlines()]
        for name in ["tower", "pyramid", "pyramids", "pile", "mass-ratio", "kapla", "spheres", "spheres-elastic",
                     "peaucellier", "strandbeest", "ragdolls", "hulls", "shapes"]:
            self.assertIn(name, listed)
        info = self.done("info").stdout
        for word in ["processor", "cores", "NUMA", "L3", "compiled in", "scalar", "would use"]:
            self.assertIn(word, info)

    def test_help_names_every_option(self):
        text = self.done("stress", "--help").stdout
        for option in """--size --steps --warmup --dt --substeps --solver --threads --team --isa --sleep --report
                --final --hash-every --trace --picture --picture-by --quiet --sweeps --relax --hertz
                --damping-ratio --stiffness --damping --friction --recycle --spin-max --scene-out --no-quality --counters
                --levers --lever-distance --lever-angle --joints --disorder --seed --push-factor --integrator
                --modified-inertia --relaxation --relaxation-adaptive --order
                --geometric-stiffness --save --load --record --reload-every
                --rollback --frames --film --every --series --plot --compare --list-series""".split():
            self.assertIn("  " + option + " ", text)

    def test_bad_options(self):
        for option, values in {
                "--size": ["0", "-1", "x", "1.5", "", "99999999999999999999", "2147483647"],
                "--steps": ["0", "-1", "1e3", "1000000001", " 5", "5 ", "0x10"],
                "--warmup": ["-1", "x", "1000000001"],
                "--dt": ["0", "9e-8", "-0.1", "nan", "inf", "1.1", "1e-60", "x", ""],
                "--disorder": ["-1", "nan", "1001", "x", ""],
                "--seed": ["-1", "1.5", "2147483648"],
                "--substeps": ["-1", "257"],
                "--sweeps": ["-1", "257"],
                "--relax": ["-1", "257"],
                "--relaxation": ["0", "2", "-1", "nan", "x"],
                "--relaxation-adaptive": ["", "yes"],
                "--order": ["", "up", "Layers", "0"],
                "--hertz": ["-1", "nan", "1e6"],
                "--damping-ratio": ["-1", "inf"],
                "--stiffness": ["-1", "nan", "1e16"],
                "--damping": ["-1", "1001", "x"],
                "--recycle": ["-1", "nan"],
                "--spin-max": ["0", "-1", "2e6", "nan"],
                "--push-factor": ["-0.1", "1.1", "x"],
                "--integrator": ["", "Euler", "rk4"],
                "--modified-inertia": ["yes", "1"],
                "--geometric-stiffness": ["yes", "1"],
                "--levers": ["", "false"],
                "--joints": ["", "world", "Direct", "0"],
                "--lever-distance": ["-1", "inf"],
                "--lever-angle": ["-0.1", "1.1"],
                "--threads": ["-1", "1025", "two"],
                "--team": ["", "tasks", "OpenMP", "0"],
                "--hash-every": ["0", "-3"],
                "--solver": ["fast", "", "Jacobi"],
                "--friction": ["ice"],
                "--isa": ["mmx", "AVX2"],
                "--sleep": ["yes", "1"],
                "--report": [""],
                "--scene-out": ["-", ""],
                "--save": ["-", ""],
                "--load": ["-", ""],
                "--record": ["-", ""],
                "--reload-every": ["0", "x"],
                "--rollback": ["0", "x", "3601"],
                "--frames": ["-", ""],
                "--film": ["-", "", "f", "f.gif", ".png"],
                "--every": ["0", "x", "1.5"],
                "--series": ["-", ""],
                "--plot": ["-", "", "p", "p.pdf"],
                "--compare": ["-", ""],
                "--picture": ["-", ""]}.items():
            for value in values:
                self.refused("stress", "tower", option, value, said="size" if option == "--size" else option)
            self.refused("stress", "tower", option, said=option)
            self.refused("stress", "tower", option, "--quiet", said=option)
        self.refused("stress", "tower", "--fast", said="--fast")
        self.refused("stress", "tower", "-x", said="-x")
        self.refused("stress", "tower", "--quiet=1", said="--quiet")
        self.refused("stress", "tower", "pile", said="pile")
        self.refused("stress", "towers", said="towers")
        self.refused("stress", "tower", "--picture-by", "depth", said="--picture")
        self.refused("stress", "tower", "--every", "5", said=["--every", "--film"])
        self.refused("stress", "tower", "--compare", "x.csv", said=["--compare", "--plot"])
        self.refused("stress", "tower", "--compare", "x.csv", "--plot", "p.svg", said=["--compare x.csv", "No such file"])
        self.refused("stress", "tower", "--picture", "p.png", "--picture-by", "mood", said="--picture-by")
        self.refused("stress", "tower", "--report", "-", "--final", "-", said="-")
        for option, value in (("--isa", "scalar"), ("--threads", "2"), ("--trace", "t.json"), ("--record", "r.bin")):
            self.refused("stress", "tower", "--reload-every", "2", option, value, said=option)
        self.refused("stress", "tower", "--rollback", "2", "--reload-every", "2", said="--reload-every")
        self.refused("stress", "tower", "--rollback", "2", "--counters", said="--counters")
        for option, value in (("--solver", "pbd"), ("--sleep", "off"), ("--disorder", "0.1")):
            self.refused("stress", "tower", "--load", "s.bin", option, value, said=option)
        self.refused("stress", "tower", "--report", "-", "--trace", "-", said="-")

    # `drystone replay`.

    def test_replay(self):
        steps = ["stress", "tower", "--size", "5", "--steps", "20", "--no-quality", "--quiet"]
        hashes = self.done(*steps, "--hash-every", "20", "--record", "tower.rec").stdout
        self.assertEqual(self.done("replay", "tower.rec", "--quiet", "--threads", "1", "--isa", "scalar").stdout, hashes)
        text = self.done("replay", "tower.rec", "--from", "20", "--threads", "2").stdout
        self.assertRegex(text, r"\Asteps 0 to 20, \d+ calls: the same\n20 [0-9a-f]{16}\n\Z")
        recording = self.read("tower.rec", "rb")
        with open(self.path("cut.rec"), "wb") as file:
            file.write(recording[:len(recording) * 2 // 3])
        cut = self.done("replay", "cut.rec", "--quiet")
        self.assertRegex(cut.stderr, r"cut after step \d+")
        with open(self.path("bad.rec"), "wb") as file:
            file.write(recording[:1000] + b"x" + recording[1001:])
        self.refused("replay", "bad.rec", said="checksum")
        self.refused("replay", "none.rec", said="none.rec")
        self.refused("replay", said="file")
        self.refused("replay", "tower.rec", "cut.rec", said="cut.rec")
        for option, value in (("--isa", "mmx"), ("--threads", "-1"), ("--from", "x"), ("--fast", "1")):
            self.refused("replay", "tower.rec", option, value, said=option)
        self.assertIn("--from STEP", self.done("replay", "--help").stdout)

    # `drystone shape`.

    CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 2) for y in (0, 1) for z in (0, 1)) + "f 1 2 3 4\n"

    def test_shape_tells_of_the_hull(self):
        self.write("cube.obj", self.CUBE + "v 1 0.5 0.5\n")
        text = self.done("shape", "cube.obj", "--threads", "2").stdout
        for line in [r"holds +9 points, 2 triangles", r"hull +8 vertices, 6 faces, cut by 0 m", r"volume +2 m\^3",
                     r"center +1, 0\.5, 0\.5 m", r"moments +0\.333333, 0\.833333, 0\.833333 kg", r"bytes +\d+\n",
                     r"build +[\d.e-]+ ms\n"]:
            self.assertRegex(text, line)
        self.assertEqual(self.done("shape", "cube.obj", "--quiet").stdout, "")
        self.assertRegex(self.done("shape", "cube.obj", "--max-vertices=4").stdout, r"hull +4 vertices, 4 faces, cut by [01]\.\d+ m")
        triangle = struct.pack("<12fH", *[0] * 3, *[0, 0, 0, 1, 0, 0, 0, 1, 0], 0)
        apex = struct.pack("<12fH", *[0] * 3, *[0, 0, 1, 1, 0, 0, 0, 1, 0], 0)
        with open(self.path("wedge.stl"), "wb") as file:
            file.write(b"\0" * 80 + struct.pack("<I", 2) + triangle + apex)
        self.assertRegex(self.done("shape", "wedge.stl").stdout, r"volume +0\.166667 m\^3")

    TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

    def test_shape_tells_of_the_mesh(self):
        self.write("solid.obj", self.TETRAHEDRON)
        self.write("open.obj", self.TETRAHEDRON + "v 2 0 0\nf 2 2 5\nf 1 3 2\nf 2 5 3\n")
        text = self.done("shape", "solid.obj", "--out", "solid.bytes").stdout
        for line in [r"mesh +4 triangles, of which 0 degenerate, 0 duplicate, 0 needles", r"edges +0 open, 0 of three",
                     r"  volume +0\.166667 m\^3", r"  center +0\.25, 0\.25, 0\.25 m"]:
            self.assertRegex(text, line)
        self.assertGreater(os.path.getsize(self.path("solid.bytes")), 100)
        text = self.done("shape", "open.obj", "--quiet", "--out", "open.bytes").stdout
        self.assertEqual(text, "")
        text = self.done("shape", "open.obj").stdout
        for line in [r"mesh +7 triangles, of which 1 degenerate, 1 duplicate", r"edges +\d+ open, 1 of three"]:
            self.assertRegex(text, line)
        self.refused("shape", "solid.obj", "--out", said="--out")
        self.refused("shape", "solid.obj", "--out", "none/solid.bytes", said="none/solid.bytes")

    def test_shape_refuses(self):
        self.write("cube.obj", self.CUBE)
        self.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n")
        self.write("bad.obj", "v 0 0 0\nv 1 0\n")
        self.refused("shape", said="a file")
        self.refused("shape", "cube.obj", "flat.obj", said="one file")
        self.refused("shape", "cube.obj", "--fast", said="--fast")
        for option, values in {"--max-vertices": ["0", "3", "257", "x", ""], "--threads": ["-1", "x", ""]}.items():
            for value in values:
                self.refused("shape", "cube.obj", option, value, said=option)
            self.refused("shape", "cube.obj", option, said=option)
        self.refused("shape", "none.obj", said=["none.obj", "a file to read"])
        self.refused("shape", "cube.txt", said=["cube.txt", ".obj or .stl"])
        self.refused("shape", "bad.obj", said=["bad.obj:2", "three numbers"])
        self.refused("shape", "flat.obj", said=["flat.obj", "in a plane"])

    # `drystone soak`. The test program `soak` runs one that is longer.

    def test_soak_options(self):
        for option, values in {
                "--minutes": ["0", "-1", "nan", "inf", "x", "", "1e7"],
                "--worlds": ["0", "-1", "1.5", "x", ""],
                "--steps": ["0", "1e3", " 5"],
                "--seed": ["-1", "1.5", "99999999999999999999"],
                "--reload-every": ["0", "x"],
                "--threads": ["-1", "1025"]}.items():
            for value in values:
                self.refused("soak", option, value, said=option)
            self.refused("soak", option, said=option)
            self.assertIn("  " + option + " ", self.done("soak", "--help").stdout)
        self.refused("soak", "--fast", said="--fast")
        self.refused("soak", "tower", said="tower")

    # `drystone rooms`.

    def test_rooms_options(self):
        for option, values in {
                "--rooms": ["0", "-1", "1.5", "x", "", "1e9"],
                "--rate": ["-1", "nan", "0.001", "1e9"],
                "--minutes": ["-1", "inf", ""],
                "--load": ["0", "x"],
                "--priorities": ["0", "5"],
                "--heavy": ["", "pile:", "pile:x", "pile:-1"],
                "--workers": ["-1", "1025"]}.items():
            for value in values:
                self.refused("rooms", option, value, said=option)
            self.refused("rooms", option, said=option)
            self.assertIn("  " + option + " ", self.done("rooms", "--help").stdout)
        self.refused("rooms", "--fast", said="--fast")
        self.refused("rooms", "no-such-scene", said="no-such-scene")
        self.refused("rooms", "--heavy", "no-such-scene:3", said="no-such-scene")
        self.refused("rooms", "--load", "0.5", "--rooms", "3", said="--load")
        self.refused("rooms", "--load", "0.5", "--rate", "0", said="--load")
        self.refused("rooms", "--load", "0.5", "--sleep", said="--load")
        self.refused("rooms", "--priorities", "2", "--rate", "0", said="--priorities")

    def test_rooms_report(self):
        run = self.done("rooms", "tower:3", "--rooms", "6", "--priorities", "3", "--minutes", "0.002", "--heavy", "tower:5",
                        "--workers", "1", "--quiet", "--report", "-")
        report = json.loads(run.stdout)
        self.assertEqual((report["rooms"], report["workers"]), (7, 1))
        groups = report["groups"]
        self.assertEqual({name: groups[name]["rooms"] for name in groups},
                         {"heavy": 1, "priority_1": 2, "priority_2": 2, "priority_3": 2})
        for group in groups.values():
            self.assertEqual(group["ticks"], group["steps"] + group["skipped"])
            self.assertGreaterEqual(group["awake_bodies"], 3 * group["rooms"])
            self.assertTrue(0 < group["substeps"] <= group["substeps_max"])
            self.assertEqual(set(group["slow"]), {"substeps", "ticks", "shed", "late"})
            self.assertLessEqual(max(group["slow"].values()), group["rooms"])
        self.assertTrue(0 < report["core_share"] <= 1)
        self.assertEqual(report["load_asked"], 0)
        self.assertGreaterEqual(report["load"], 0)

    def test_lab(self):
        self.refused("lab", "dance", said="dance")
        self.refused("lab", "--fast", said="--fast")
        self.refused("lab", "chains", "chains", said="once")
        self.refused("lab", "chains", "--long", said="--long")
        for option in ["--out", "--page"]:
            self.refused("lab", option, said=option)
            self.refused("lab", option + "=", said=option)
            self.refused("lab", option, "--quick", said=option)
        for value in ["-1", "1.5", "x", "", "1025"]:
            self.refused("lab", "chains", "--threads", value, said="--threads")
        self.assertTrue(self.done("lab", "--help").stdout.startswith("usage: drystone lab"))
        folder, page = self.path("results"), self.path("lab.md")
        said = self.done("lab", "heavy-ends", "chains", "--quick", "--out", folder, "--page", page).stdout
        self.assertLess(said.index("heavy-ends: "), said.index("chains: "))
        with open(os.path.join(folder, "chains.csv"), encoding="utf-8", newline="") as file:
            rows = {row["quantity"]: row for row in csv.DictReader(file)}
        self.assertAlmostEqual(float(rows["radius, Jacobi, N = 10"]["measured"]), 0.951057, places=5)
        self.assertEqual({row["holds"] for row in rows.values()}, {"yes"})
        with open(os.path.join(folder, "chains_residuals.svg"), encoding="utf-8") as file:
            xml.etree.ElementTree.parse(file)
        with open(os.path.join(folder, "chains_curves.csv"), encoding="utf-8", newline="") as file:
            self.assertIn("the engine's Gauss-Seidel", {row["curve"] for row in csv.DictReader(file)})
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("| radius, Jacobi, N = 10 | Waterson 8.27 | 0.95106 |", text)
        plots = re.findall(r"!\[[^]]+\]\((lab/[a-z0-9_-]+\.svg)\)", text)
        self.assertIn("lab/chains_residuals.svg", plots)
        for plot in plots:
            drawn = self.path(plot)
            self.assertLess(os.path.getsize(drawn), 30000, plot)
            xml.etree.ElementTree.parse(drawn)
        alone = self.done("lab", "chains", "--quick", "--page", "-").stdout
        self.assertTrue(alone.startswith("# The lab\n"))
        self.assertNotIn("chains: ", alone)
        self.assertNotIn("![", alone)
        with open(page, "w", encoding="utf-8") as file:
            file.write("kept")
        result = self.run_tool("lab", "chains", "--quick", "--page", page, "--out", page)
        self.assertEqual(result.returncode, 1)
        with open(page, encoding="utf-8") as file:
            self.assertEqual(file.read(), "kept")

    def test_a_tool_without_the_lab_says_how_to_get_it(self):
        self.tool = TOOL_WITHOUT_LAB
        for command in ["lab", "contacts"]:
            self.refused(command, said=["./run setup --all", "-Dlab=enabled"])
            self.refused(command, "chains", "--quick", said="./run setup --all")
        self.assertIn("lab", self.done("--help").stdout)

    def test_lab_takes_threads(self):
        def rows(threads):
            folder = self.path("by" + threads)
            said = self.done("lab", "chains", "--quick", "--quiet", "--threads", threads, "--out", folder).stdout
            self.assertEqual(said, "")
            with open(os.path.join(folder, "chains.csv"), encoding="utf-8") as file:
                return file.read()
        self.assertEqual(rows("1"), rows("3"))
        self.assertEqual(rows("1"), rows("0"))

    def test_contacts(self):
        self.refused("contacts", "--step", "1", "--out", "x", said="scene")
        self.refused("contacts", "tower", "--out", "x", said="--step")
        self.refused("contacts", "tower", "--step", "1", said="--out")
        for value in ["0", "-1", "1.5", "x", "", "9999999999999"]:
            self.refused("contacts", "tower", "--out", "x", "--step", value, said="--step")
        for value in ["-1", "1.5", "x", "", "1025"]:
            self.refused("contacts", "tower", "--step", "1", "--out", "x", "--threads", value, said="--threads")
        self.refused("contacts", "tower", "pile", said="pile")
        self.refused("contacts", "tower", "--fast", said="--fast")
        path = self.path("problem.hdf5")
        arguments = ["contacts", "tower", "--size", "3", "--step", "30", "--out", path]
        if "no FCLIB" in self.run_tool(*arguments).stderr:
            self.refused(*arguments, said="libfclib-dev")
            self.skipTest("this build has no FCLIB")
        self.assertRegex(self.done(*arguments).stdout, r"\Astep 30: \d+ contact points, 0 rows of joints, ")
        with open(path, "rb") as file:
            self.assertEqual(file.read(8), b"\x89HDF\r\n\x1a\n")
        said = [self.done(*arguments, "--threads", threads).stdout for threads in "13"]
        self.assertEqual(said[0], said[1])
        self.assertEqual(self.done(*arguments, "--quiet", "--threads=2").stdout, "")
        self.refused("contacts", "cube", "--step", "1", "--out", path, said="unknown scene")
        result = self.run_tool("contacts", "excavator", "--step", "1", "--out", path)
        self.assertEqual(result.returncode, 1)
        self.assertIn("joint", result.stderr)
        with open(path, "rb") as file:
            self.assertEqual(file.read(4), b"\x89HDF", "a failed run keeps the file that was there")

    def test_soak_reloads(self):
        line = self.done("soak", "--worlds", "3", "--seed", "5", "--threads", "1", "--reload-every", "3").stdout
        self.assertRegex(line, r"\Asoak: nothing wrong: 3 worlds, 0 of them wrong, ")

    def test_soak_repeats_itself(self):
        lines = [self.done("soak", "--worlds", "2", "--seed", "5", "--threads", threads).stdout for threads in "12"]
        for line in lines:
            self.assertRegex(line, r"\Asoak: nothing wrong: 2 worlds, 0 of them wrong, .* hash [0-9a-f]{16}\n\Z")
        self.assertEqual(lines[0].split()[-1], lines[1].split()[-1])
        self.assertEqual(self.done("soak", "--worlds", "1", "--quiet").stdout, "")

    def test_soak_stops_at_a_signal(self):
        process = self.start("soak", "--minutes", "60")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
        self.assertEqual((process.returncode, error), (1, ""))
        self.assertIn("stopped, nothing wrong", out)

    def test_stiffness(self):
        def depth(*arguments):
            text = self.done("stress", "tower", "--size", "2", "--steps", "120", "--threads", "1", "--sleep", "off",
                             "--report", "-", *arguments).stdout
            return json.loads(text)["quality"]["penetration_max_m"]
        # Four springs of 1e6 N/m carry the two cubes of 1,000 kg: 2 * 1000 * 9.81 / 4e6 m, or 4.9 mm.
        self.assertAlmostEqual(depth("--stiffness", "1e6", "--damping", "2"), 0.0049, delta=0.0005)
        self.assertAlmostEqual(depth("--stiffness", "4e6"), 0.0012, delta=0.0002)
        self.assertLess(depth(), 0.0005)
        self.assertGreater(depth("--hertz", "10", "--damping-ratio", "2"), 0.002)
        self.refused("stress", "tower", "--damping", "2", said=["--damping", "--stiffness"])
        self.refused("stress", "tower", "--damping", "2", "--stiffness", "0", said=["--damping", "--stiffness"])
        for option in ["--hertz", "--damping-ratio"]:
            self.refused("stress", "tower", "--stiffness", "1e6", option, "1", said=[option, "--stiffness"])

    def test_sweeps_that_do_not_go_together(self):
        for arguments in [[], ["--sweeps", "1"], ["--sweeps", "0"]]:
            self.refused("stress", "tower", "--relaxation-adaptive", "on", *arguments,
                         said=["--relaxation-adaptive", "--sweeps"])
        self.refused("stress", "tower", "--solver", "jacobi", "--order", "layers-up",
                     said=["--order layers-up", "--solver jacobi"])
        self.done("stress", "tower", "--size", "2", "--steps", "5", "--sweeps", "2", "--relaxation-adaptive", "on",
                  "--relaxation", "1.3", "--order", "layers", "--quiet")

    def test_every_combination_runs(self):
        for solver in ["gauss-seidel", "jacobi"]:
            for friction in ["cone", "scaled-box", "two-phase", "velocity", "weight-box"]:
                for stiffness in [[], ["--stiffness", "1e7"]]:
                    self.done(*SMALL, "--solver", solver, "--friction", friction, *stiffness)

    def test_isa_that_the_machine_lacks(self):
        here = re.search(r"runs here +(.*)", self.done("info").stdout).group(1).split()
        for isa in ["scalar", "sse2", "neon", "avx2", "avx512"]:
            if isa in here:
                report = json.loads(self.done(*SMALL, "--isa", isa, "--report", "-").stdout)
                self.assertEqual([report["isa"], report["sweep_isa"]], [isa, isa])
                said = self.done(*SMALL, "--isa", isa, "--solver", "jacobi").stdout
                narrower = {"sse2": "scalar", "avx512": "avx2"}.get(isa)
                self.assertEqual(f", {isa} (sweeps of these settings: {narrower})\n" in said, narrower is not None)
                self.assertIn(f", {isa}", said)
            else:
                self.refused(*SMALL, "--isa", isa, said=isa)

    def test_teams(self):
        default = re.search(r"would use .*\((\w+)\)", self.done("info").stdout).group(1)
        scene = ["stress", "pyramid", "--size", "20", "--steps", "20"]
        reports = [json.loads(self.done(*scene, "--threads", threads, "--team", team, "--report", "-").stdout)
                   for threads in "12" for team in dict.fromkeys([default, "threads"])]
        for report in reports:
            self.assertEqual(report["state_hash"], reports[0]["state_hash"])
        self.assertEqual([reports[0]["team"], reports[-1]["team"]], [default, "threads"])
        if default == "threads":
            self.refused(*scene, "--team", "openmp", said=["--team openmp", "threads"])
        self.assertRegex(self.done(*SMALL).stdout, rf"used: 1 thread \({default}\), ")

    def test_bad_scene_files(self):
        self.refused("stress", "none.json", said="none.json")
        self.write("broken.json", '{"format": ')
        self.refused("stress", "broken.json", said="broken.json")
        self.write_scene(bodies=[{"id": "a", "type": "dynamic", "shapes": [{"type": "sphere", "radius": 0}]}])
        self.refused("stress", "scene.json", said=["scene.json", "radius"])
        self.write_scene(dt=9e-8)
        self.refused("stress", "scene.json", said=["scene.json", "dt", "1e-7"])
        self.write_scene()
        self.refused("stress", "scene.json", "--size", "3", said="--size")
        self.done("stress", "scene.json", "--steps", "2", "--dt=0.01")

    # Outputs.

    def test_report(self):
        result = self.done(*SMALL, "--report", "-", "--substeps", "4", "--sleep", "off")
        report = json.loads(result.stdout)
        for name, kind in {"scene": str, "bodies": int, "dynamic_bodies": int, "steps": int, "dt": float,
                           "substeps": int, "solver": str, "threads": int, "team": str, "isa": str, "sleep": bool,
                           "manifolds": int, "points": int, "joints": int, "colors": int, "overflow": int,
                           "islands": int, "awake": int, "islands_in_tier": list,
                           "islands_by_reason": dict, "state_hash": str}.items():
            self.assertIs(type(report[name]), kind, name)
        self.assertEqual([report["scene"], report["bodies"], report["dynamic_bodies"], report["steps"]],
                         ["tower", 6, 5, 20])
        self.assertEqual(list(report["islands_by_reason"]),
                         ["floor", "load", "guess", "buckling", "joints"])
        self.assertEqual(sum(report["islands_by_reason"].values()), report["islands"])
        self.assertEqual([report["threads"], report["sleep"], report["interrupted"]], [1, False, False])
        self.assertAlmostEqual(report["dt"], 1 / 60, places=8)
        self.assertRegex(report["state_hash"], r"\A[0-9a-f]{16}\Z")
        times = report["step_ms"]
        self.assertEqual(set(times), {"median", "mean", "min", "max", "p99"})
        self.assertTrue(0 < times["min"] <= times["median"] <= times["p99"] <= times["max"])
        self.assertEqual(times["p99"], times["max"])  # of so few steps
        self.assertTrue(times["min"] <= times["mean"] <= times["max"])
        self.assertLessEqual({"pairs", "contacts", "graph", "prepare", "solve", "finalize"},
                             set(report["stage_ms"]))
        self.assertLessEqual({"bytes", "bytes_per_body", "peak_rss_bytes", "engine_bytes",
                              "allocations_in_steps"}, set(report["memory"]))
        self.assertTrue(0 < report["memory"]["engine_bytes"] < report["memory"]["peak_rss_bytes"])
        self.assertLessEqual({"penetration_max_m", "penetration_mean_m", "speed_max_m_s", "kinetic_energy_J",
                              "moved_max_m", "moved_over_0.25m", "quarantined"}, set(report["quality"]))
        # Nothing of this scene is solved directly.
        self.assertEqual(set(report["articulations"].values()), {0})
        self.assertNotIn("penetration_max_m",
                         json.loads(self.done(*SMALL, "--report", "-", "--no-quality").stdout)["quality"])

    def test_report_of_articulations(self):
        def report(*arguments):
            run = self.done("stress", "peaucellier", "--size", "2", "--steps", "5", "--report", "-", *arguments)
            return json.loads(run.stdout)["articulations"]
        counts = report("--joints", "direct")
        # Each linkage has 10 hinges of 5 rows, of which 9 say what others do [Tomcin].
        self.assertEqual([counts[name] for name in ("count", "joints", "rows", "redundant_rows", "raised_pivots")],
                         [2, 20, 100, 18, 0])
        self.assertGreater(counts["nonzeros"], 100)
        self.assertGreaterEqual(counts["corrections"], 10)
        self.assertGreaterEqual(counts["iterations"], counts["iterations_max"])
        self.assertTrue(0 < counts["iterations_max"] <= 50)
        self.assertEqual(set(report("--joints", "iterative").values()), {0})
        self.assertRegex(self.done("stress", "peaucellier", "--steps", "2", "--joints", "direct").stdout,
                         "direct +10 joints, 50 rows, 9 of them redundant, [0-9]+ nonzeros, up to [0-9] iterations")

    def joint_errors(self, *arguments, **joint):
        """The errors in a report on a weight that begins 0.25 m below the place to which a joint ties it."""
        self.write_scene(bodies=[
            {"id": "weight", "type": "dynamic", "position": [0, -0.25, 0], "velocity": [1, 0, 0],
             "shapes": [{"type": "box", "half_extents": [0.5, 0.5, 0.5]}]}],
            joints=[{"type": "ball", "body_a": None, "body_b": "weight", "anchor_a": [0, 0, 0], "target": [0, 0, 0],
                     "anchor_b": [0, 0, 0], **joint}])
        quality = json.loads(self.done("stress", "scene.json", "--report", "-", *arguments).stdout)["quality"]
        return quality["joint_error_m"], quality["joint_error_rad"]

    def test_errors_of_joints(self):
        # A ball joint of this world is apart by 0.25 m and what a step moves it, at 1 m/s over 1e-7 s.
        apart, turned = self.joint_errors("--steps", "1", "--dt", "1e-7")
        self.assertAlmostEqual(apart, 0.25, delta=1e-4)
        self.assertEqual(turned, 0)
        # A fixed joint of a body that begins 1/100 rad about z away has an error of rotation, too.
        apart, turned = self.joint_errors("--steps", "1", "--dt", "1e-7", type="fixed",
                                          orientation_b=[0, 0, 0.0049999792, 0.9999875])
        self.assertAlmostEqual(apart, 0.25, delta=1e-4)
        self.assertAlmostEqual(turned, 0.01, delta=1e-5)
        # A world without joints has no error.
        quality = json.loads(self.done(*SMALL, "--report", "-").stdout)["quality"]
        self.assertEqual([quality["joint_error_m"], quality["joint_error_rad"]], [0, 0])
        self.assertRegex(self.done("stress", "scene.json", "--steps", "1").stdout, "joints off by up to .*m and .*rad")

    def test_joints_are_solved_as_the_option_or_the_scene_says(self):
        def final(option, **joint):
            self.joint_errors("--steps", "1", **joint)
            arguments = ["--joints", option] if option else []
            return self.done("stress", "scene.json", "--steps", "20", "--final", "-", *arguments).stdout
        self.assertEqual(final(None), final("iterative"))
        self.assertNotEqual(final("direct"), final("iterative"))
        self.assertEqual(final("direct", solver="iterative"), final("iterative"))
        self.assertEqual(final("auto"), final("iterative"))  # one light body on one joint
        self.assertEqual(final("iterative", solver="auto"), final("auto"))
        self.assertEqual(final("iterative", solver="direct"), final("direct"))

    def test_energy_of_a_fall_is_lost_and_not_gained(self):
        self.write_scene(bodies=[
            {"id": "floor", "type": "static", "position": [0, -1, 0],
             "shapes": [{"type": "box", "half_extents": [50, 1, 50]}]},
            {"id": "ball", "type": "dynamic", "position": [0, 2.5, 0],
             "shapes": [{"type": "sphere", "radius": 0.5, "density": 1000}]}])
        energy = json.loads(self.done("stress", "scene.json", "--steps", "245", "--report", "-").stdout)["energy"]
        self.assertEqual(set(energy), {"start_J", "end_J", "gained_J"})
        weight = 1000 * 3.14159265 / 6 * 9.81
        self.assertEqual(energy["start_J"], 0)
        self.assertAlmostEqual(energy["end_J"], -2 * weight, delta=0.02 * weight)
        self.assertLess(energy["gained_J"], 0.01 * weight)
        self.assertIn("\nenergy     changed by -", self.done("stress", "scene.json").stdout)

    def test_energy_is_null_where_a_kinematic_body_moves(self):
        self.assertIsNone(json.loads(self.done("stress", "mixed", "--size", "8", "--steps", "2", "--report",
                                               "-").stdout)["energy"])

    def test_disorder_shifts_by_seed(self):
        def places(*more):
            self.done("stress", "tower", "--size", "4", "--steps", "1", "--quiet", "--scene-out", "s.json", *more)
            bodies = json.loads(self.read("s.json"))["bodies"]
            return [body.get("position") for body in bodies]
        ordered, once = places(), places("--disorder", "0.25", "--seed", "3")
        self.assertEqual(once, places("--seed", "3", "--disorder=0.25"))
        self.assertNotEqual(once, places("--disorder", "0.25"))
        self.assertEqual(ordered, places("--disorder", "0"))
        self.assertEqual(once[0], ordered[0])  # static
        for place, before in zip(once[1:], ordered[1:]):
            self.assertEqual(place[1], before[1])
            self.assertTrue(0 < abs(place[0] - before[0]) <= 0.25 and 0 < abs(place[2] - before[2]) <= 0.25)
        self.write_scene()
        moved = self.done("stress", "scene.json", "--disorder", "0.001", "--sleep", "off", "--steps", "1", "--report", "-")
        self.assertLess(json.loads(moved.stdout)["quality"]["moved_max_m"], 1e-4)  # from where it was put
        self.refused("stress", "tower", "--seed", "3", said="--disorder")

    def test_report_to_a_file_leaves_the_terminal_its_text(self):
        result = self.done(*SMALL, "--report", "r.json")
        self.assertEqual(json.loads(self.read("r.json"))["steps"], 20)
        self.assertIn("tower", result.stdout)
        self.assertIn(json.loads(self.read("r.json"))["state_hash"], result.stdout)
        quiet = self.done(*SMALL, "--quiet")
        self.assertEqual([quiet.stdout, quiet.stderr], ["", ""])
        self.assertEqual(os.listdir(self.folder.name), ["r.json"])

    def test_default_scene(self):
        report = json.loads(self.done("stress", "--steps", "2", "--report", "-").stdout)
        self.assertEqual([report["scene"], report["dynamic_bodies"]], ["pyramid", 5050])

    def test_hash_every(self):
        lines = self.done(*SMALL, "--hash-every", "8", "--quiet").stdout
        self.assertRegex(lines, r"\A8 [0-9a-f]{16}\n16 [0-9a-f]{16}\n\Z")
        result = self.done(*SMALL, "--hash-every", "10", "--report", "-")
        self.assertRegex(result.stderr, r"\A10 [0-9a-f]{16}\n20 [0-9a-f]{16}\n\Z")
        self.assertEqual(result.stderr.split()[-1], json.loads(result.stdout)["state_hash"])

    def test_saves(self):
        def last_hash(*options, steps=20):
            return self.done("stress", "tower", "--size", "5", "--steps", str(steps), "--quiet", "--hash-every", str(steps),
                             *options).stdout.split()[-1]
        expected = last_hash()
        for every in ("1", "7"):
            self.assertEqual(last_hash("--reload-every", every), expected)
        self.assertEqual(last_hash("--rollback", "8"), expected)
        last_hash("--save", "s.bin", steps=12)
        self.assertEqual(last_hash("--load", "s.bin", steps=8), expected)
        self.refused("stress", "tower", "--size", "6", "--load", "s.bin", said="a save of this scene")
        self.refused("stress", "tower", "--size", "5", "--load", "absent.bin", said="absent.bin")
        with open(self.path("s.bin"), "r+b") as file:
            file.seek(1000)
            file.write(b"\1")
        self.refused("stress", "tower", "--size", "5", "--load", "s.bin", said="section")

    def test_warmup(self):
        text = self.done(*SMALL, "--warmup", "5", "--report", "-").stdout
        self.assertEqual(json.loads(text)["warmup"], 5)
        text = self.done(*SMALL, "--warmup", "0", "--report", "-").stdout
        self.assertEqual(json.loads(text)["warmup"], 0)

    def test_warmup_longer_than_the_run(self):
        report = json.loads(self.done(*SMALL, "--warmup", "1000", "--report", "-").stdout)
        self.assertGreater(report["step_ms"]["median"], 0)

    def test_final(self):
        self.write_scene()
        text = self.done("stress", "scene.json", "--steps", "3", "--final", "-").stdout
        self.assertTrue(text.startswith("id,px,py,pz,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz,awake\n"))
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([row["id"] for row in rows], ["floor", 'a "b", c'])
        self.assertEqual([float(rows[0][k]) for k in ["px", "py", "pz", "qw"]], [0, -1, 0, 1])
        self.assertLess(abs(float(rows[1]["py"]) - 0.5), 0.01)
        self.assertIn(rows[1]["awake"], "01")

    def test_trace(self):
        self.done(*SMALL, "--trace", "t.json")
        events = json.loads(self.read("t.json"))["traceEvents"]
        steps = [e for e in events if e["ph"] == "X" and e["name"] == "step"]
        self.assertEqual([e["args"]["step"] for e in steps], list(range(1, 21)))
        for a, b in zip(steps, steps[1:]):
            self.assertLessEqual(a["ts"], b["ts"])
        stages = [e for e in events if e["ph"] == "X" and e["name"] != "step"]
        self.assertIn("solve", {e["name"] for e in stages})
        for e in stages:
            begin, end = e["ts"] + 0.002, e["ts"] + e["dur"] - 0.002
            self.assertTrue(any(s["ts"] <= begin and end <= s["ts"] + s["dur"] for s in steps), e)

    def test_trace_has_a_lane_for_each_worker(self):
        self.done("stress", "pyramid", "--size", "20", "--steps", "20", "--threads", "3", "--trace", "t.json")
        events = json.loads(self.read("t.json"))["traceEvents"]
        names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
        self.assertEqual(names, {1: "worker 0, the calling thread", 2: "worker 1", 3: "worker 2"})
        slices = [e for e in events if e["ph"] == "X"]
        self.assertLessEqual({e["tid"] for e in slices}, set(names))
        for lane in names:
            open_until = []  # nanoseconds: a slice lies within another or apart from it
            for e in sorted((e for e in slices if e["tid"] == lane), key=lambda e: (e["ts"], -e["dur"])):
                begin, end = round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000)
                while open_until and open_until[-1] <= begin:
                    open_until.pop()
                self.assertTrue(not open_until or end <= open_until[-1], e)
                open_until.append(end)
        work = [e for e in slices if e.get("cat") == "work"]
        self.assertLessEqual({"contacts", "prepare", "solve", "finalize"}, {e["name"] for e in work})
        self.assertTrue(all(e["cat"] == "work" for e in slices if e["tid"] > 1))

    def test_counters(self):
        result = self.done(*SMALL, "--counters", "--report", "-")
        report = json.loads(result.stdout)
        text = self.done(*SMALL, "--counters").stdout
        if report["counters"] is None:
            self.assertRegex(report["counters_refused"], "perf_event_open: .*perf_event_paranoid")
            self.assertEqual(result.stderr, "drystone: --counters: " + report["counters_refused"] + "\n")
            self.assertIn("\ncounters   " + report["counters_refused"] + "\n", text)
        else:
            self.assertEqual(result.stderr, "")
            self.assertEqual(set(report["counters"]), set(report["stage_ms"]))
            for counts in report["counters"].values():
                self.assertEqual(list(counts), ["cycles", "instructions", "cache_misses", "branch_misses"])
                self.assertTrue(all(count is None or count >= 0 for count in counts.values()))
            self.assertIn("branch misses", text)
        plain = json.loads(self.done(*SMALL, "--report", "-").stdout)
        self.assertNotIn("counters", plain)
        self.assertEqual(plain["state_hash"], report["state_hash"])

    def read_png(self, name):
        data = self.read(name, "rb")
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        at, packed, ended = 8, b"", False
        while at < len(data):
            length, kind = struct.unpack(">I4s", data[at:at + 8])
            if kind == b"IHDR":
                size = struct.unpack(">II", data[at + 8:at + 16])
            packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
            ended = kind == b"IEND"
            at += 12 + length
        self.assertTrue(ended)
        return size, zlib.decompress(packed)

    def read_still(self, tint, *run):
        """A run's last still with a tint: it has a sixth of a picture's pixels."""
        self.done(*run, "--every", "20", "--frames", tint, "--picture-by", tint, "--quiet")
        size, rows = self.read_png(os.path.join(tint, max(os.listdir(self.path(tint)))))
        self.assertEqual(size, (640, 400))
        return rows

    def test_picture(self):
        self.done(*SMALL, "--picture", "tier.png", "--picture-by", "tier", "--quiet")
        size, rows = self.read_png("tier.png")
        self.assertEqual(size, (1600, 1000))
        self.assertEqual(len(rows), 1000 * (1 + 3 * 1600))
        tints = ["speed", "island", "color", "depth", "tier", "reason"]
        seen = {self.read_still(tint, *SMALL) for tint in tints}
        self.assertEqual(len(seen), len(tints))
        self.assertIn(self.read_still("colour", *SMALL), seen)

    def test_picture_of_every_field(self):
        every = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "every_field.json")
        # Islands walk the joints, some of which reach to the world.
        self.read_still("island", "stress", every, "--steps", "20")

    def read_series(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_series(self):
        stages = ["pairs", "contacts", "graph", "prepare", "solve", "repair", "store", "finalize"]
        names = ["step", "time_s", "step_ms", *(stage + "_ms" for stage in stages), "awake", "islands", "manifolds", "pairs",
                 "substeps", "energy_J", "speed_max_m_s", "penetration_max_m", "bytes"]
        listed = self.done("stress", "--list-series").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in listed], names)
        self.assertEqual({line.split()[1] for line in listed}, {"1", "s", "ms", "J", "m/s", "m", "byte"})
        run = ["stress", "pile", "--size", "8", "--steps", "40", "--threads", "1", "--series", "s.csv"]
        report = json.loads(self.done(*run, "--every", "8", "--report", "-").stdout)
        self.assertEqual(self.read("s.csv").splitlines()[0], ",".join(names))
        rows = self.read_series("s.csv")
        self.assertEqual([row["step"] for row in rows], [str(step) for step in range(1, 41)])
        every_step, every_k = set(names) - {"energy_J", "speed_max_m_s", "penetration_max_m"}, []
        for row in rows:
            self.assertTrue(all(float(row[name]) >= 0 for name in every_step), row)
            self.assertAlmostEqual(float(row["time_s"]), int(row["step"]) / 60, places=6)
            self.assertLessEqual(sum(float(row[stage + "_ms"]) for stage in stages), 1.001 * float(row["step_ms"]))
            every_k += [row] if row["energy_J"] else []
            for name in ["speed_max_m_s", "penetration_max_m"]:
                self.assertEqual(row[name] == "", row["energy_J"] == "")
        self.assertEqual([row["step"] for row in every_k], ["8", "16", "24", "32", "40"])
        last, quality = rows[-1], report["quality"]
        for name, value in {"awake": report["awake"], "islands": report["islands"], "manifolds": report["manifolds"],
                            "bytes": report["memory"]["bytes"], "energy_J": report["energy"]["end_J"],
                            "speed_max_m_s": quality["speed_max_m_s"],
                            "penetration_max_m": quality["penetration_max_m"]}.items():
            self.assertAlmostEqual(float(last[name]), value, delta=1e-5 * abs(value), msg=name)
        # Falling freely, a body gains the speed g t, and the sum of energies stays.
        self.assertAlmostEqual(float(every_k[0]["speed_max_m_s"]), 9.81 * 8 / 60, delta=0.01)
        self.done(*run, "--no-quality", "--quiet")
        self.assertEqual([row["penetration_max_m"] for row in self.read_series("s.csv")], [""] * 40)
        self.assertEqual([row["step"] for row in self.read_series("s.csv") if row["speed_max_m_s"]], ["10", "20", "30", "40"])
        self.assertLess(report["outside_stages"]["share"], 1)
        # A file is kept until the first step, and a run that is refused makes none.
        self.write("old.csv", "kept")
        self.refused(*run[:-1], "old.csv", "--report", "none/x", said="none/x")
        self.refused(*run[:-1], "new.csv", "--report", "none/x", said="none/x")
        self.refused(*run[:-1], "none/s.csv", said="none/s.csv")
        self.refused(*run[:-1], "old.csv", "--report", "./old.csv", said="old.csv")
        self.assertEqual(self.read("old.csv"), "kept")

    def test_a_series_is_read_as_it_grows(self):
        process = self.start(*LONG, "--series", "s.csv", "--quiet", "--no-quality")
        until = time.time() + 30
        while time.time() < until and not (os.path.exists(self.path("s.csv")) and os.path.getsize(self.path("s.csv")) > 20000):
            time.sleep(0.01)
        text = self.read("s.csv")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertTrue(text.endswith("\n"))
        self.assertEqual({line.count(",") for line in text.splitlines()}, {19})
        self.assertTrue(self.read("s.csv").startswith(text))

    def test_plot(self):
        run = [*SMALL, "--quiet"]
        self.done(*run, "--series", "other.csv", "--substeps", "2")
        self.done(*run, "--plot", "p.svg", "--compare", "other.csv")
        text = "".join(xml.etree.ElementTree.parse(self.path("p.svg")).getroot().itertext())
        for words in ["tower: 5 dynamic bodies, 20 steps of 16.67 ms", "gauss-seidel", "beside it other.csv", "p50 ", "p99 ",
                      "time of a step, ms", "deepest overlap", "mechanical energy", "awake bodies", "simulated time, s"]:
            self.assertIn(words, text)
        lines = re.findall(r'stroke="#(1f6eb4|e26e14)" stroke-width="1.8" points="([^"]*)"', self.read("p.svg"))
        self.assertEqual(len(lines), 8)  # four curves of either run
        self.assertEqual([len(points.split()) for color, points in lines if color == "1f6eb4"], [20, 2, 2, 20])
        for _, points in lines:
            for point in points.split():
                x, y = map(float, point.split(","))
                self.assertTrue(110 <= x <= 1170 and 100 <= y <= 1040, point)
        self.done(*run, "--plot", "p.png", "--every", "5")
        self.assertEqual(self.read_png("p.png")[0], (1200, 1040))
        names, *rows = self.read("other.csv").splitlines()
        for line, bad, said in [(1, [], "no step"), (1, ["step,time_s"], "step_ms"), (3, [names, rows[0], rows[1][3:]], "3"),
                                (2, [names, rows[0].replace(",", ",x", 1)], "time_s 'x"), (2, [names, rows[0] + ",1"], "21 values"),
                                (3, [names, rows[1], rows[0]], "grows"), (2, [names], "rows"),
                                (2, [names, rows[0].replace(",", ",nan,", 1)], "nan")]:
            self.write("bad.csv", "".join(text + "\n" for text in bad))
            self.refused(*run, "--plot", "q.svg", "--compare", "bad.csv", said=[f"--compare bad.csv:{line}: ", said])

    def read_film(self, name):
        """Returns the frames of an animated PNG, each as rows of (r, g, b), as its specification says to draw them."""
        data = self.read(name, "rb")
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        at, numbers, packed, frames, shown, told, control = 8, [], b"", [], None, None, None

        def finish():
            nonlocal packed
            width, height, left, top, num, den, dispose, blend = control
            self.assertEqual((dispose, blend), (0, 1 if frames else 0))
            rows = zlib.decompress(packed)
            for y in range(height):
                row = rows[y * (width + 1):(y + 1) * (width + 1)]
                self.assertEqual(row[0], 0)  # not filtered
                for x, index in enumerate(row[1:]):
                    if index < opaque:
                        shown[top + y][left + x] = colors[index]
            frames.append([list(row) for row in shown])
            packed = b""
            return num / den

        while at < len(data):
            length, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + length]
            self.assertEqual(zlib.crc32(kind + body), struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0])
            at += 12 + length
            if kind == b"IHDR":
                size = struct.unpack(">II", body[:8])
                self.assertEqual(body[8:], b"\x08\x03\0\0\0")
                shown = [[None] * size[0] for _ in range(size[1])]
            elif kind == b"acTL":
                told, plays = struct.unpack(">II", body)
                self.assertEqual(plays, 0)
            elif kind == b"PLTE":
                colors = [tuple(body[i:i + 3]) for i in range(0, length, 3)]
            elif kind == b"tRNS":
                opaque = body.index(b"\0")
            elif kind in (b"fcTL", b"IEND"):
                delay = finish() if control else None
                if kind == b"fcTL":
                    numbers.append(struct.unpack(">I", body[:4])[0])
                    control = struct.unpack(">IIIIHHBB", body[4:])
            elif kind == b"IDAT":
                packed += body
            elif kind == b"fdAT":
                numbers.append(struct.unpack(">I", body[:4])[0])
                packed += body[4:]
        self.assertEqual(kind, b"IEND")
        self.assertEqual(numbers, list(range(len(numbers))))
        self.assertEqual((told, size), (len(frames), (640, 400)))
        return frames, delay

    def test_film(self):
        run = [*SMALL, "--quiet", "--every", "5"]
        self.done(*run, "--film", "f.png", "--frames", "frames")
        stills = [f"step-{step:06d}.png" for step in (0, 5, 10, 15, 20)]
        self.assertEqual(sorted(os.listdir(self.path("frames"))), stills)
        frames, delay = self.read_film("f.png")
        self.assertEqual(len(frames), 5)
        self.assertAlmostEqual(delay, 5 / 60, delta=1e-4)
        # The film has 255 colors: a frame is that of --frames but for a few levels.
        for frame, still in ((frames[0], stills[0]), (frames[-1], stills[-1])):
            size, rows = self.read_png(os.path.join("frames", still))
            self.assertEqual(size, (640, 400))
            width, above, errors = 3 * 640, bytes(3 * 640), []
            for y in range(400):
                kind, line = rows[y * (width + 1)], bytearray(rows[y * (width + 1) + 1:(y + 1) * (width + 1)])
                for x in range(width):
                    a, b, c = (line[x - 3], above[x], above[x - 3]) if x >= 3 else (0, above[x], 0)
                    paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
                    line[x] = line[x] + (0, a, b, (a + b) // 2, paeth)[kind] & 255
                above = bytes(line)
                errors += [abs(level - drawn) for level, drawn in zip(line, (k for pixel in frame[y] for k in pixel))]
            self.assertLess(sum(errors) / len(errors), 3)
            self.assertLess(sorted(errors)[len(errors) * 99 // 100], 16)
        # A drawing does not depend on the number of threads.
        self.done("stress", "tower", "--size", "5", "--steps", "20", "--threads", "3", "--quiet", "--every", "5", "--film",
                  "again.png")
        self.assertEqual(self.read("again.png", "rb"), self.read("f.png", "rb"))
        if shutil.which("ffmpeg"):
            self.done(*run, "--film", "f.webm")
            self.assertEqual(self.read("f.webm", "rb")[:4], b"\x1a\x45\xdf\xa3")
        self.refused(*run, "--film", "g.webm", said="ffmpeg", env={"PATH": self.folder.name})
        self.refused(*run, "--frames", "f.png", said=["--frames f.png", "folder"])
        self.refused(*run, "--film", "g.png", "--report", "none/x", said="none/x")
        self.refused(*run, "--frames", "more", "--report", "none/x", said="none/x")

    def test_a_film_that_is_stopped_ends_as_it_is(self):
        process = self.start(*LONG, "--film", "f.png", "--every", "1", "--quiet", "--no-quality")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertGreater(len(self.read_film("f.png")[0]), 1)

    def test_scene_out_reads_back_the_same(self):
        first = json.loads(self.done(*SMALL, "--scene-out", "s.json", "--report", "-").stdout)
        again = self.done("stress", "s.json", "--steps", "20", "--threads", "1", "--report", "-").stdout
        self.assertEqual(json.loads(again)["state_hash"], first["state_hash"])

    def test_unwritable_outputs_are_found_before_the_run(self):
        os.mkdir(self.path("folder"))
        for option in ["--report", "--final", "--trace", "--picture", "--scene-out"]:
            for place in ["none/x", "folder", "folder/"]:
                self.refused(*LONG, option, place, said=[option, place])
        self.refused(*LONG, "--report", "x.json", "--trace", "./x.json", said="x.json")

    def test_devices_and_links_stay_what_they_are(self):
        self.done(*SMALL, "--quiet", "--report", "/dev/null", "--final", "/dev/null")
        self.write("real.json", "")
        os.symlink("real.json", self.path("link.json"))
        self.done(*SMALL, "--quiet", "--report", "link.json")
        self.assertTrue(os.path.islink(self.path("link.json")))
        self.assertEqual(json.loads(self.read("real.json"))["steps"], 20)

    def test_progress_is_for_terminals(self):
        self.assertEqual(self.done(*SMALL).stderr, "")
        ours, theirs = pty.openpty()
        environment = dict(os.environ, TERM="xterm")
        with subprocess.Popen([self.tool, *LONG, "--no-quality"], stdout=subprocess.DEVNULL, stderr=theirs,
                              env=environment, preexec_fn=usual_signals) as tool:
            os.close(theirs)
            text, until = "", time.time() + 30
            while text.count("%") < 3 and time.time() < until and select.select([ours], [], [], 30)[0]:
                text += os.read(ours, 4096).decode()
            tool.send_signal(signal.SIGINT)
            try:
                while select.select([ours], [], [], 30)[0]:
                    text += os.read(ours, 4096).decode()
            except OSError:
                pass
            self.assertEqual(tool.wait(timeout=60), 1)
        os.close(ours)
        self.assertIn("steps/s", text)
        self.assertIn("left", text)
        shown = re.split(r"\r", text.split("drystone:")[0])
        self.assertEqual(re.sub(r"\x1b\[K", "", shown[-1]), "")
        for line in shown:
            self.assertLess(len(line.replace("\x1b[K", "")), 80)


if __name__ == "__main__":
    TOOL_WITHOUT_LAB = os.path.abspath(sys.argv.pop(2))
    main()
