"""The revision of the sources that figures are made on, for reports, drawings and tables."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def revision():
    """The commit, seven digits of it; "+" if files differ from it; "unknown" outside a repository."""
    words = ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=7", "--exclude=*", "--dirty=+"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def made_on(revisions):
    """The line under a table whose rows were made on these revisions."""
    return "Made on " + " and ".join(sorted(set(revisions))) + "."
