#!/usr/bin/env python3
"""Packs the inputs of a fuzz target into one file, and unpacks them into a folder for libFuzzer.

    corpus.py pack FOLDER FILE      sorted by size and content, without duplicates
    corpus.py unpack FILE FOLDER

The file begins with 8 bytes, DRYFUZZ1; each input follows its size in 4 bytes, the lowest first."""
import hashlib
import pathlib
import struct
import sys

MAGIC = b"DRYFUZZ1"


def pack(folder, file):
    inputs = sorted({path.read_bytes() for path in folder.iterdir()}, key=lambda data: (len(data), data))
    file.write_bytes(MAGIC + b"".join(struct.pack("<I", len(data)) + data for data in inputs))
    print(f"{file}: {len(inputs)} inputs, {file.stat().st_size} bytes")


def unpack(file, folder):
    data = file.read_bytes()
    if not data.startswith(MAGIC):
        sys.exit(f"{file}: expected a corpus")
    folder.mkdir(parents=True, exist_ok=True)
    at = len(MAGIC)
    while at < len(data):
        size, = struct.unpack_from("<I", data, at)
        at += 4
        one = data[at:at + size]
        (folder / hashlib.sha1(one).hexdigest()).write_bytes(one)
        at += size


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
        sys.exit(__doc__)
    {"pack": pack, "unpack": unpack}[sys.argv[1]](pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
