"""What the tests of the drystone tool share: they look at it from outside, at what it prints, writes, refuses and
returns. Standard library only; every test runs in a folder of its own."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

SMALL = ["stress", "tower", "--size", "5", "--steps", "20", "--threads", "1"]
LONG = ["stress", "tower", "--size", "3", "--steps", "1000000000", "--threads", "1", "--sleep", "off"]


def usual_signals():
    """Signals act as at a terminal, even where this test runs in the background of a shell, which ignores some."""
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        signal.signal(number, signal.SIG_DFL)


class ToolTest(unittest.TestCase):
    tool = ""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_tool(self, *arguments, **more):
        more.setdefault("text", True)
        return subprocess.run([self.tool, *arguments], cwd=self.folder.name, capture_output=True, timeout=120,
                              **more)

    def start(self, *arguments, preexec_fn=usual_signals):
        return subprocess.Popen([self.tool, *arguments], cwd=self.folder.name, text=True, preexec_fn=preexec_fn,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def read(self, name, mode="r"):
        with open(self.path(name), mode) as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def done(self, *arguments, **more):
        result = self.run_tool(*arguments, **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def refused(self, *arguments, said="", **more):
        """Bad usage or input: status 2, one line on standard error, nothing on standard output, no file."""
        before = sorted(os.listdir(self.folder.name))
        result = self.run_tool(*arguments, **more)
        self.assertEqual(result.returncode, 2, f"{arguments}: {result.stdout} {result.stderr}")
        self.assertEqual(result.stdout, "", arguments)
        self.assertRegex(result.stderr, r"\Adrystone: [^\n]+\n\Z", arguments)
        for word in [said] if isinstance(said, str) else said:
            self.assertIn(word, result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder.name)), before, arguments)
        return result

    def write_scene(self, file="scene.json", **changes):
        scene = {
            "format": "drystone-scene", "version": 1, "name": "two", "gravity": [0, -9.81, 0],
            "bodies": [
                {"id": "floor", "type": "static", "position": [0, -1, 0],
                 "shapes": [{"type": "box", "half_extents": [50, 1, 50]}]},
                {"id": 'a "b", c', "type": "dynamic", "position": [0.1, 0.5, 0.3],
                 "shapes": [{"type": "box", "half_extents": [0.5, 0.5, 0.5]}]}]}
        scene.update(changes)
        self.write(file, json.dumps(scene))


def main():
    """Runs the tests of a script that was given the path of the tool."""
    if len(sys.argv) < 2:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} PATH_TO_DRYSTONE")
    ToolTest.tool = os.path.abspath(sys.argv.pop(1))
    unittest.main()
