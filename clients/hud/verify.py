#!/usr/bin/env python3
"""Checks the scenes of posed against a projection of its own.

usage: verify.py FRAMES SCENES [HEADING_ERROR]

FRAMES and SCENES are files of JSON lines, as `posectl replay --frames FRAMES --scene SCENES` writes them. For every
point of a scene the position relative to the body and on the screen is computed from the pose of the frame of the same
time and from the point's latitude, longitude and height. HEADING_ERROR in degrees is added to the heading, to see that
the check can fail. Prints the largest differences; exit status 1 beyond the tolerance.
"""

import json
import sys

from projection import Display, body_position

#: Positions are rounded to 0.1 mm in latitude and longitude and to 1 mm in `body_m`, elevations to 1 cm, and the angles
#: of the attitude to 0.0001 degrees, 2 mm at 1000 m.
BODY_TOLERANCE_M = 0.005
BODY_TOLERANCE_PER_M = 1e-5
#: `screen` is rounded to 0.0001; what the tolerance of the position makes of it is added.
SCREEN_TOLERANCE = 0.0002


def compare(pose, point, display):
    """The differences of one point from posed's, each divided by its tolerance; None where posed has no value."""
    body = body_position(pose, point)
    if body is None or point["body_m"] is None:
        return None
    allowed = BODY_TOLERANCE_M + BODY_TOLERANCE_PER_M * point["distance_m"]
    worst = max(abs(one - other) for one, other in zip(body, point["body_m"])) / allowed
    if not point["in_view"]:
        return worst, None
    place = display.place(body)
    if place is None:
        return worst, float("inf")
    allowed = SCREEN_TOLERANCE + 3 * allowed / body[0]
    return worst, max(abs(one - other) for one, other in zip(place, point["screen"])) / allowed


def main():
    error = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    with open(sys.argv[1], encoding="utf-8") as lines:
        poses = {frame["t_s"]: frame["pose"] for frame in map(json.loads, lines)}
    display, bodies, screens = Display(), [], []
    with open(sys.argv[2], encoding="utf-8") as lines:
        for scene in map(json.loads, lines):
            pose = dict(poses[scene["t_s"]])
            if pose["heading_deg"] is not None:
                pose["heading_deg"] += error
            for point in scene["points"]:
                result = compare(pose, point, display)
                if result is not None:
                    bodies.append(result[0])
                    screens += [] if result[1] is None else [result[1]]
    print(f"{len(bodies)} positions, {len(screens)} of them on the screen")
    print(f"largest difference / tolerance: body {max(bodies, default=0):.3f}, screen {max(screens, default=0):.3f}")
    return 0 if bodies and max(bodies) <= 1 and max(screens, default=0) <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
