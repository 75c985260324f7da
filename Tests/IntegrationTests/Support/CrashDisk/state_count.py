"""Prints how many of the daemon's state files can be read, with the file before in place of a damaged one; a reader of
its own. The pose of the last stop does not count: it is removed when the vehicle drives on.

usage: state_count.py FOLDER
"""

import json
import pathlib
import sys


def checksum(body):
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in body:
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{value:016x}"


def is_whole(path):
    """Whether a file is JSON that has the checksum which it states."""
    if not path.is_file():
        return False
    content = path.read_bytes()
    body, mark, _ = content.rpartition(b',"check":')
    try:
        return bool(mark) and json.loads(content)["check"] == checksum(body)
    except ValueError:
        return False


def main():
    files = [path for kind in ("mount", "sensors") for path in pathlib.Path(sys.argv[1]).rglob(f"{kind}-*.json*")]
    names = {path.with_name(path.name.split(".json")[0] + ".json") for path in files}
    print(sum(is_whole(path) or is_whole(path.with_name(path.name + ".previous")) for path in names))


main()
