"""Compares what a client reads in the golden packets with the values beside them.

usage: golden.py FOLDER            the Python client, which must be importable
       golden.py FOLDER OUTPUT     lines `NAME PATH VALUE` that another client printed

Every member of the stored lines is compared; numbers to half a unit of their last decimal.
"""

import dataclasses
import decimal
import json
import pathlib
import sys

#: Members that only the stream has, or that its form adds.
STREAM_ONLY = {"type", "protocol"}
#: Members of a line that have another name, or another place, in the Python client.
RENAMED = {
    "seq": "stamp.frame_sequence", "t_s": "stamp.time_s", "utc_s": "stamp.utc_s", "measured_s": "stamp.measured_s",
    "published_s": "stamp.published_s", "simulated": "stamp.simulated", "dropped": "stamp.dropped",
    "pose.ecef_m": "ecef_m",
}
EVENTS = {"state", "route_version", "reset_count", "epoch", "maneuver", "waypoint"}


def flat(value, path=""):
    """The leaves of a JSON value with their paths."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from flat(member, f"{path}.{name}" if path else name)
    elif isinstance(value, (list, tuple)):
        yield f"{path}.count", len(value)
        for index, element in enumerate(value):
            yield from flat(element, f"{path}.{index}")
    else:
        yield path, value


def agrees(stored, value):
    if isinstance(stored, decimal.Decimal):
        if value is None or isinstance(value, str) and value == "null":
            return False
        unit = decimal.Decimal(1).scaleb(stored.as_tuple().exponent)
        # A UTC in seconds has sixteen digits in double precision.
        tolerance = unit * decimal.Decimal("0.501") + abs(stored) * decimal.Decimal("3e-16")
        return abs(decimal.Decimal(value) - stored) <= tolerance
    return stored == value


def of_python(message):
    """The leaves of a message of the Python client by the names of the stream."""
    values = dataclasses.asdict(message)
    kind = type(message).__name__
    named = {}
    if kind == "Frame":
        frame = {"pose": message.pose, "guidance": message.guidance, "speed": message.speed, "sources": message.sources}
        for part, content in frame.items():
            if content is not None:
                named.update(flat(dataclasses.asdict(content), part))
        named.update(flat(dataclasses.asdict(message.stamp), "stamp"))
        named.update(flat(message.ecef_m, "ecef_m"))
    elif kind == "Event":
        named = dict(flat(values))
        for name in EVENTS:
            named[name] = values["value"]
        named.update({"event": values["kind"], "t_s": values["time_s"], "target": None})
    else:
        named = dict(flat(values))
        named["t_s"] = values.get("time_s")
        for path in list(named):
            named[path.replace(".sight.", ".")] = named[path]
    return named


def python_name(name, path, is_frame):
    head, _, rest = path.partition(".")
    if is_frame:
        for old, new in RENAMED.items():
            if path == old or path.startswith(old + "."):
                return new + path[len(old):]
        part, *inner = path.split(".")
        # The members of an object within a part are one name: origin.epoch is origin_epoch.
        if inner and inner[0] == "origin" and len(inner) > 1:
            return f"{part}.origin_" + ".".join(inner[1:])
    return path


def check(name, stored, find):
    """Compares every leaf of a stored line; returns how many, and the problems."""
    problems, count = [], 0
    for path, value in stored:
        if path in STREAM_ONLY:
            continue
        found = find(path)
        count += 1
        if not agrees(value, found):
            problems.append(f"{name} {path}: {found}, not {value}")
    return count, problems


def main():
    folder = pathlib.Path(sys.argv[1])
    printed = {}
    if len(sys.argv) > 2:
        for line in pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").splitlines():
            name, path, value = line.split(" ", 2)
            printed.setdefault(name, {})[path] = value
    total, problems = 0, []
    for file in sorted(folder.glob("*.json")):
        name = file.stem
        if name.endswith("subscribe") or name == "shared":
            continue
        stored = json.loads(file.read_text(encoding="utf-8"), parse_float=decimal.Decimal)
        if printed:
            values = printed.get(name, {})
            # A client prints what it knows of the binary message; what it prints must be all of a frame.
            leaves = [(path, text_of(leaf)) for path, leaf in flat(named_points(stored)) if path in values]
            if stored["type"] == "frame" and len(leaves) < len(dict(flat(stored))) // 2:
                problems.append(f"{name}: only {len(leaves)} values")
            result = check(name, leaves, values.get)
        else:
            import posed_client

            message = posed_client.decode(bytes.fromhex((folder / f"{name}.hex").read_text()))
            values = of_python(message)
            is_frame = stored["type"] == "frame"
            leaves = [leaf for leaf in flat(named_points(stored)) if "topics" not in leaf[0] and leaf[0] != "target"]
            result = check(name, leaves, lambda path: lenient(values, python_name(name, path, is_frame)))
        total += result[0]
        problems += result[1]
    print(total, "values")
    print("\n".join(problems[:40]))
    return 1 if problems or total < 300 else 0


def text_of(leaf):
    """A leaf as a client prints it."""
    if leaf is None:
        return "null"
    if isinstance(leaf, bool):
        return "true" if leaf else "false"
    return decimal.Decimal(leaf) if isinstance(leaf, int) else leaf


def lenient(values, path):
    """A value by its path; a vector that is unknown has none of its elements."""
    if path in values:
        return values[path]
    return values.get(path.rsplit(".", 1)[0]) if path.rsplit(".", 1)[-1].isdigit() else None


def named_points(stored):
    """A line in which the points of a route have names, as the clients have them."""
    names = ("lat_deg", "lon_deg", "along_route_m")
    if stored["type"] == "route":
        stored = {**stored, "line": [dict(zip(names, point)) for point in stored["line"]]}
    return stored


if __name__ == "__main__":
    sys.exit(main())
