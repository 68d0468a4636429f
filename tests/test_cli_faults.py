#!/usr/bin/env python3
"""Tests what the drystone tool does when something goes wrong: full disks, signals, kills, names that would take
over a terminal, bodies in quarantine.

Usage: test_cli_faults.py PATH_TO_DRYSTONE PATH_TO_FAIL_NTH."""

import csv
import io
import itertools
import json
import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from cli_tool import LONG, SMALL, ToolTest, main, usual_signals

FAIL_NTH = ""  # path of tests/fail_nth.c's program; empty where the system cannot build it
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# A name that clears the screen, rings, uses the 8-bit form of ESC [, and turns the direction of writing.
EVIL = "a\x1b[2J\x07\x9b31m\u202eb\r\nc\\\"\x7f\U0001f600"


class CliFaults(ToolTest):
    # Writes that fail.

    def fail_each_write(self, outputs, *arguments, numbers=None):
        """Lets each write of a run fail once, or those with these numbers. The run then fails with a line that names
        the file and the reason, or the call was not needed; under its final name a file is whole or what it was
        before. Returns the calls."""
        if not FAIL_NTH:
            self.skipTest("the system cannot let a system call fail")
        calls, names = [], sorted(outputs)
        for number in numbers or itertools.count(1):
            if calls and calls[-1] == "none":
                break
            for name in names:
                self.write(name, "before")
            with open(self.path("stdout"), "w") as stdout:
                result = subprocess.run(
                    [FAIL_NTH, str(number), os.path.realpath(self.folder.name), self.tool, *arguments],
                    cwd=self.folder.name, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=60)
            if result.returncode == 77:
                self.skipTest(result.stderr)
            *said, last = result.stderr.splitlines()
            calls.append(last.removeprefix("fail_nth: "))
            place = f"call {number}, {calls[-1]}: {said}"
            self.assertEqual(sorted(os.listdir(self.folder.name)), sorted([*names, "stdout"]), place)
            old = [name for name in names if self.read(name, "rb") == b"before"]
            for name in set(names) - set(old):
                self.assertTrue(outputs[name](self.read(name, "rb")), f"{place}: {name}")
            if result.returncode == 0:
                self.assertIn(calls[-1], ["none", "flock", "close"], place)
                self.assertEqual([old, said], [[], []], place)
                continue
            self.assertIn(result.returncode, [1, 2], place)
            reasons = [line for line in said if re.search(
                r"\((No space left on device|Input/output error)\)", line)
                and any(name in line for name in [*names, "standard output"])]
            self.assertTrue(reasons, place)
            for name in old:  # nothing was opened, or this file is the one that failed
                self.assertTrue(result.returncode == 2 or any(name in line for line in reasons), place)
        return calls

    def test_every_write_fails_once(self):
        def is_json(data):
            return type(json.loads(data)) is dict

        def is_state(data):
            rows = list(csv.reader(io.StringIO(data.decode())))
            return [len(row) for row in rows] == [15] * 7 and data.endswith(b"\n")

        calls = self.fail_each_write(
            {"report.json": is_json, "final.csv": is_state, "trace.json": is_json, "scene.json": is_json},
            *SMALL, "--steps", "3", "--hash-every", "2", "--report", "report.json", "--final", "final.csv",
            "--trace", "trace.json", "--scene-out", "scene.json")
        for call, count in {"open": 4, "fchmod": 4, "fsync": 4, "rename": 4, "close": 4, "write": 9}.items():
            self.assertGreaterEqual(calls.count(call), count, call)

    def test_a_series_that_cannot_be_written_keeps_its_whole_rows(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        result = self.run_tool(*LONG, "--quiet", "--series", "s.csv", preexec_fn=small_files)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Adrystone: tower: stopped after \d{1,3} of 1000000000 steps: --series s.csv: "
                                        r"writing failed \(File too large\); its whole rows stay\n\Z")
        text = self.read("s.csv")
        self.assertTrue(19500 < len(text) <= 20000 and text.endswith("\n"))
        self.assertEqual({line.count(",") for line in text.splitlines()}, {19})

    def test_a_write_of_a_film_fails(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        for option, name in (("--film", "f.png"), ("--frames", "frames"), ("--plot", "p.svg")):
            result = self.run_tool(*SMALL, "--quiet", option, name, preexec_fn=small_files)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, rf"\Adrystone: [^\n]*{option} [^\n]*\(File too large\)[^\n]*\n\Z")
            self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_write_of_a_picture_fails(self):
        # A picture takes seconds and has some hundred writes: one of them, unless all are asked for.
        calls = self.fail_each_write({"p.png": lambda data: data.endswith(b"IEND\xae\x42\x60\x82")},
                                     *SMALL, "--steps", "1", "--quiet", "--picture", "p.png",
                                     numbers=None if os.environ.get("DRYSTONE_TEST_ALL") else [20])
        self.assertEqual(calls[0] if len(calls) == 1 else "write", "write")

    def test_a_full_disk_stops_a_trace_at_once(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        result = self.run_tool(*LONG, "--quiet", "--trace", "t.json", "--report", "r.json", preexec_fn=small_files)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Adrystone: tower: stopped after \d{1,3} of 1000000000 steps: "
                                        r"--trace t.json: writing failed \(File too large\)[^\n]*\n\Z")
        self.assertEqual(os.listdir(self.folder.name), ["r.json"])
        report = json.loads(self.read("r.json"))
        self.assertIn("--trace t.json", report["failure"])
        self.assertIs(report["interrupted"], False)

    def test_output_does_not_go_into_a_file_in_the_place_of_a_closed_stream(self):
        for closed in [[1], [2], [0, 1, 2]]:
            def close_streams():
                for stream in closed:
                    os.close(stream)

            result = self.run_tool(*SMALL, "--hash-every", "1", "--trace", "t.json", "--report", "r.json",
                                   preexec_fn=close_streams)
            self.assertEqual(result.returncode, 1 if 1 in closed else 0, closed)
            for name in os.listdir(self.folder.name):
                self.assertTrue(json.loads(self.read(name)), name)

    def test_a_picture_without_memory_says_so(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_DATA, (80 << 20, 80 << 20))

        if self.run_tool(*SMALL, "--quiet", preexec_fn=little_memory).returncode != 0:
            self.skipTest("this build needs more memory for itself")
        result = self.run_tool(*SMALL, "--quiet", "--picture", "p.png", preexec_fn=little_memory)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "drystone: --picture p.png: the picture could not be drawn: out of memory "
                                        "for 1600 x 1000 pixels, 6 shapes and 6 bodies\n")
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_full_disk_leaves_no_part_of_a_contact_problem(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        self.write("p.hdf5", "old")
        os.mkdir(self.path("temporary"))
        result = self.run_tool("contacts", "tower", "--size", "40", "--step", "3", "--out", "p.hdf5",
                               preexec_fn=small_files, env={**os.environ, "TMPDIR": self.path("temporary")})
        if "no FCLIB" in result.stderr:
            self.skipTest("this build has no FCLIB")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"drystone: contacts: [^\n]*FCLIB could not write the problem\n\Z")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["p.hdf5", "temporary"])
        self.assertEqual(os.listdir(self.path("temporary")), [])
        self.assertEqual(self.read("p.hdf5"), "old")

    def test_a_failed_write_leaves_what_was_there(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

        # A tower stays where it is to the last bit: its last state is shorter than that.
        pyramid = ["stress", "pyramid", "--size", "12", "--steps", "20", "--threads", "1"]
        for option in ["--report", "--final", "--trace", "--picture", "--scene-out"]:
            for before in ["old"] if option == "--picture" else [None, "old"]:
                if before is not None:
                    self.write("out", before)
                result = self.run_tool(*pyramid, "--quiet", option, "out", preexec_fn=small_files)
                self.assertEqual(result.returncode, 1, option)
                self.assertRegex(result.stderr, f"\\Adrystone: .*{option} out: writing failed \\(File too large\\)")
                self.assertEqual(os.listdir(self.folder.name), ["out"] if before else [])
                if before is not None:
                    self.assertEqual(self.read("out"), before)
                    os.remove(self.path("out"))

    def test_a_full_disk_under_standard_output(self):
        if os.path.exists("/dev/full"):
            for arguments in [["--report", "-"], [], ["--hash-every", "1"]]:
                with open("/dev/full", "w") as full:
                    result = subprocess.run([self.tool, *SMALL, *arguments], stdout=full, stderr=subprocess.PIPE,
                                            text=True, timeout=60)
                self.assertEqual(result.returncode, 1)
                self.assertIn("standard output", result.stderr)

    # What a killed run leaves.

    def wait_for_file(self, tool):
        while not os.listdir(self.folder.name):
            self.assertIsNone(tool.poll())
            time.sleep(0.01)

    def test_the_next_run_clears_what_a_killed_one_left(self):
        with self.start(*LONG, "--trace", "t.json", "--hash-every", "100") as tool:
            tool.stdout.readline()
            tool.kill()
        left = os.listdir(self.folder.name)
        self.assertRegex(" ".join(left), r"\At\.json\.drystone-\w{6}\Z")
        self.done(*SMALL, "--quiet", "--trace", "other.json")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["other.json", *left])
        self.done(*SMALL, "--quiet", "--trace", "t.json")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["other.json", "t.json"])

    def test_a_run_clears_no_file_of_another_run_or_program(self):
        foreign = ["t.json.drystone-", "t.json.drystone-abcde", "t.json.drystone-abcdefg", "t.json.drystoneXabcdef",
                   "at.json.drystone-abcdef", "t.json.abcdef"]
        for name in foreign:
            self.write(name, "")
        os.mkdir(self.path("t.json.drystone-folder"))
        os.symlink("t.json.abcdef", self.path("t.json.drystone-linked"))
        os.mkfifo(self.path("t.json.drystone-namedp"))
        before = set(os.listdir(self.folder.name))
        with self.start(*LONG, "--trace", "t.json", "--hash-every", "100") as tool:
            tool.stdout.readline()
            running = set(os.listdir(self.folder.name))
            self.assertEqual(len(running - before), 1)
            self.done(*SMALL, "--quiet", "--trace", "t.json")
            self.assertEqual(set(os.listdir(self.folder.name)), running | {"t.json"})
            tool.send_signal(signal.SIGINT)
            tool.communicate(timeout=60)
        self.assertEqual(set(os.listdir(self.folder.name)), before | {"t.json"})
        self.assertGreater(len(json.loads(self.read("t.json"))["traceEvents"]), 500)  # the longer run ended last

    # Signals.

    def test_nohup_is_not_overridden(self):
        def ignore():
            usual_signals()
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for a job in the background

        with self.start(*LONG, "--hash-every", "1000", preexec_fn=ignore) as tool:
            tool.stdout.readline()
            tool.send_signal(signal.SIGHUP)
            tool.send_signal(signal.SIGINT)
            for _ in range(20):
                self.assertRegex(tool.stdout.readline(), r"\A\d+ [0-9a-f]{16}\n\Z")
            self.assertIsNone(tool.poll())
            tool.send_signal(signal.SIGTERM)
            self.assertIn("interrupted", tool.communicate(timeout=60)[1])
            self.assertEqual(tool.returncode, 1)

    def test_a_closed_terminal_stops_a_run_that_keeps_its_files(self):
        with self.start(*LONG, "--hash-every", "1000", "--report", "r.json") as tool:
            tool.stdout.readline()
            tool.send_signal(signal.SIGHUP)
            self.assertIn("interrupted", tool.communicate(timeout=60)[1])
        self.assertIs(json.loads(self.read("r.json"))["interrupted"], True)

    def test_ctrl_c_ends_the_loading_of_a_scene(self):
        os.mkfifo(self.path("slow.json"))
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            with self.start("stress", "slow.json", "--report", "r.json") as tool:
                with open(self.path("slow.json"), "w") as scene:
                    scene.write('{"format": "drystone-scene", "version": 1, "bodies": [')
                    scene.flush()
                    tool.send_signal(number)
                    self.assertEqual(tool.wait(timeout=60), -number)
            self.assertEqual(os.listdir(self.folder.name), ["slow.json"])

    def test_ctrl_c_while_the_world_is_built_leaves_no_file(self):
        with self.start("stress", "pyramid", "--size", "1000", "--steps", "1", "--no-quality", "--threads", "1",
                        "--trace", "t.json") as tool:
            self.wait_for_file(tool)
            tool.send_signal(signal.SIGINT)
            self.assertIn(tool.wait(timeout=60), [-signal.SIGINT, 0])  # 0: it was faster
            if tool.returncode != 0:
                self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_second_signal_ends_at_once_and_cleans_up(self):
        with self.start(*LONG, "--picture", "p.png", "--report", "r.json", "--hash-every", "1000") as tool:
            tool.stdout.readline()
            tool.send_signal(signal.SIGINT)
            self.assertIn("interrupted", tool.stderr.readline())  # now it measures and draws
            tool.send_signal(signal.SIGINT)
            self.assertEqual(tool.wait(timeout=60), -signal.SIGINT)
        for name in os.listdir(self.folder.name):
            self.assertIn(name, ["r.json", "p.png"])

    def test_stopping_early(self):
        for stop in [signal.SIGINT, signal.SIGTERM]:
            with self.start(*LONG, "--report", "r.json", "--hash-every", "1000") as tool:
                tool.stdout.readline()
                tool.send_signal(stop)
                _, errors = tool.communicate(timeout=60)
                self.assertEqual(tool.returncode, 1)
                self.assertIn("interrupted", errors)
            report = json.loads(self.read("r.json"))
            self.assertIs(report["interrupted"], True)
            self.assertTrue(0 < report["steps"] < 1000000000)
            self.assertEqual(os.listdir(self.folder.name), ["r.json"])

    def test_a_reader_that_goes_away(self):
        with self.start(*LONG, "--hash-every", "100", "--report", "r.json") as tool:
            tool.stdout.readline()
            tool.stdout.close()
            self.assertEqual(tool.wait(timeout=60), 1)
            self.assertIn("hashes", tool.stderr.read())

    # Names that would take over a terminal.

    def in_terminal(self, *arguments):
        """Runs the tool with all its output on a terminal; returns its status and what it showed."""
        ours, theirs = pty.openpty()
        with subprocess.Popen([self.tool, *arguments], cwd=self.folder.name, stdout=theirs, stderr=theirs,
                              stdin=subprocess.DEVNULL, env=dict(os.environ, TERM="dumb")) as tool:
            os.close(theirs)
            shown = b""
            try:
                while select.select([ours], [], [], 60)[0]:
                    shown += os.read(ours, 65536)
            except OSError:
                pass
            status = tool.wait(timeout=60)
        os.close(ours)
        return status, shown.decode("utf-8").replace("\r\n", "\n")

    def test_names_in_a_scene_do_not_reach_the_terminal_raw(self):
        fast = {"id": EVIL, "type": "dynamic", "position": [9, 9, 9], "velocity": [99999, 0, 0],
                "shapes": [{"type": "sphere", "radius": 0.5}]}
        slow = dict(fast, id="slow", position=[0, 0, 0], velocity=[0, 0, 0])
        self.write_scene(name=EVIL, gravity=[1000, 0, 0], bodies=[fast, slow])
        run = ["stress", "scene.json", "--steps", "5", "--threads", "1"]
        for more in [[], ["--final", "-"], ["--trace", "-"], ["--report", "-"], ["--trace", "/dev/full"]]:
            status, shown = self.in_terminal(*run, *more)
            self.assertEqual(status, 1 if "/dev/full" in more else 0, shown)
            self.assertIsNone(CONTROL.search(shown), repr(shown))
            self.assertRegex(shown, r"a(\\x|\\u00)1[bB]\[2J")
        self.assertIn(r"QUARANTINE 1 of 2", self.in_terminal(*run)[1])
        # Files hold the name itself.
        self.done(*run, "--quiet", "--report", "r.json", "--trace", "t.json", "--final", "f.csv", "--scene-out", "s.json")
        self.assertEqual(json.loads(self.read("r.json"))["scene"], EVIL)
        self.assertIn({"name": EVIL}, [e.get("args") for e in json.loads(self.read("t.json"))["traceEvents"]])
        self.assertEqual(json.loads(self.read("s.json"))["name"], EVIL)
        with open(self.path("f.csv"), newline="", encoding="utf-8") as file:
            self.assertEqual(next(csv.DictReader(file))["id"], EVIL)

    def test_paths_and_options_do_not_reach_the_terminal_raw(self):
        for arguments in [[EVIL], ["help", EVIL], ["help", "info", EVIL], ["--version", EVIL], ["info", EVIL],
                          ["info", "--help", EVIL], ["scenes", EVIL], ["stress", EVIL], ["stress", "tower", EVIL],
                          ["stress", EVIL + ".json"], ["stress", "--" + EVIL], ["stress", "--quiet=" + EVIL],
                          ["stress", "--isa", EVIL], ["stress", "--steps", EVIL], ["stress", "--sleep", EVIL],
                          ["stress", "--report", EVIL + "/x"], ["stress", "--picture-by", EVIL, "--picture", "p"],
                          ["stress", EVIL + ".json", "--size", "1"], ["soak", EVIL], ["soak", "--steps", EVIL]]:
            status, shown = self.in_terminal(*arguments)
            self.assertEqual(status, 2, arguments)
            self.assertIsNone(CONTROL.search(shown), repr(shown))
            self.assertRegex(shown, r"\Adrystone: [^\n]*\n\Z")

    def test_a_report_is_json_whatever_the_name(self):
        # A scene without a name takes that of its file, which may hold any byte but / and NUL.
        for name in [bytes(range(1, 47)), bytes(range(48, 160)), bytes(range(160, 256)), b"\xff", b"\xed\xa0\x80",
                     b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xe2\x82", "\u00e9\u4e2d\U0001f600".encode(), b"\xf0\x9f"]:
            path = os.path.join(os.fsencode(self.folder.name), name + b".json")
            self.write_scene()
            scene = json.loads(self.read("scene.json"))
            del scene["name"]
            with open(path, "w") as file:
                json.dump(scene, file)
            result = self.done("stress", path, "--steps", "1", "--report", "-", "--trace", "t.json", text=False)
            expected = name.decode("utf-8", "replace")
            for got in [json.loads(result.stdout.decode("ascii"))["scene"],
                        next(e["args"]["name"] for e in json.loads(self.read("t.json"))["traceEvents"]
                             if e["name"] == "process_name")]:
                # Decoders differ in how many bytes one replacement stands for.
                self.assertEqual(re.sub("\ufffd+", "?", got), re.sub("\ufffd+", "?", expected))
            self.assertNotRegex(self.done("stress", path, "--steps", "1", text=False).stdout, b"[\x00-\x09\x0b-\x1f]")
            os.remove(path)

    # Bodies in quarantine.

    def write_falling(self, *fast):
        """Three balls, of which some cross the limit of valid motion: they are pulled away at 1,000 m/s^2."""
        ball = {"type": "dynamic", "shapes": [{"type": "sphere", "radius": 0.5}]}
        self.write_scene(gravity=[1000, 0, 0], bodies=[
            dict(ball, id=name, position=[0, 3 * i, 0], velocity=[99990 if name in fast else 0, 0, 0])
            for i, name in enumerate("abc")])

    def test_a_run_fails_if_every_body_ends_in_quarantine(self):
        self.write_falling("a", "b", "c")
        for more in [[], ["--quiet"]]:
            result = self.run_tool("stress", "scene.json", "--steps", "5", "--report", "r.json", *more)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, r"\ndrystone: two: 3 of 3 dynamic bodies are in quarantine, the first "
                                            r"\([abc]\) since step 1: the run failed\n\Z")
        report = json.loads(self.read("r.json"))
        self.assertEqual([report["failure"], report["steps"], report["interrupted"]],
                         ["all dynamic bodies are in quarantine", 5, False])
        self.assertEqual([report["quality"][k] for k in
                          ["quarantined", "quarantined_dynamic", "quarantined_first_step"]], [3, 3, 1])

    def test_a_run_tells_how_many_bodies_are_in_quarantine(self):
        self.write_falling("b")
        result = self.done("stress", "scene.json", "--steps", "5", "--report", "r.json")
        self.assertTrue(result.stderr.endswith(
            "\ndrystone: two: 1 of 3 dynamic bodies is in quarantine, the first (b) since step 1\n"), result.stderr)
        self.assertIn("\nQUARANTINE 1 of 3 dynamic bodies", result.stdout)
        report = json.loads(self.read("r.json"))
        self.assertNotIn("failure", report)
        self.assertEqual([report["quality"][k] for k in ["quarantined", "quarantined_dynamic", "quarantined_first"]],
                         [1, 1, "b"])
        self.write_falling()
        quality = json.loads(self.done("stress", "scene.json", "--steps", "5", "--report", "-").stdout)["quality"]
        self.assertEqual([quality["quarantined"], "quarantined_dynamic" in quality], [0, False])


if __name__ == "__main__":
    FAIL_NTH = os.path.abspath(sys.argv.pop(2)) if len(sys.argv) > 2 and os.path.exists(sys.argv[2]) else ""
    main()
