"""Prints how many messages the files of the bridge's message store contain; a reader of its own.

usage: store_count.py FOLDER [--most N]

With --most, a larger number is printed as N: for a store that leaves messages out, but never most of them.
"""

import pathlib
import re
import struct
import sys
import zlib


def records(content):
    """Messages up to the first one that is not whole."""
    place, count = 0, 0
    while place + 12 <= len(content):
        checksum, length = struct.unpack_from("<II", content, place)
        end = place + 12 + length
        if end > len(content) or zlib.crc32(content[place + 4 : end]) != checksum:
            break
        place, count = end, count + 1
    return count


def main():
    total = 0
    closed = set()
    files = sorted(path for path in pathlib.Path(sys.argv[1]).rglob("*") if path.is_file() and path.suffix != ".new")
    for path in files:
        content = path.read_bytes()
        if content.startswith(b"POSEDMQ1"):
            try:
                total += records(zlib.decompress(content[16:]))
            except zlib.error:
                continue
            closed.add(int(re.sub(r"\D.*", "", re.sub(r"^\D*", "", path.name)) or 0))
    # What was open is closed under the same number: a file that is in both forms counts once.
    opened = [path for path in files if re.fullmatch(r"open-\d+", path.name) and int(path.name[5:]) not in closed]
    newest = sorted(opened, key=lambda path: int(path.name[5:]))[-1:]
    total += sum(records(path.read_bytes()) for path in newest)
    print(min(total, int(sys.argv[3])) if sys.argv[2:3] == ["--most"] else total)


main()
