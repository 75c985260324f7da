#!/usr/bin/env python3
"""Draws the scene of posed as a page for a browser: an SVG picture that reloads itself.

usage: hud.py PAGE.html [SOCKET]           draws live, ten times per second, from posed's socket `stream`
       hud.py PAGE.html FRAMES SCENES      draws the last scene of files that `posectl replay` wrote

Circles are where this program projects the objects, from their latitude, longitude and height (projection.py); crosses
are the screen positions of posed, if `scene.display` is set. They must lie on each other.
"""

import html
import json
import os
import socket
import sys

from projection import Display, body_position

WIDTH, HEIGHT = 960, 848
COLOURS = {"marker": "#7cf", "arrow": "#7f9", "turn": "#fd5", "waypoint": "#f9f", "destination": "#f66"}
SUBSCRIPTION = {"cmd": "subscribe", "rate_hz": 10, "topics": ["pose", "speed", "guidance", "scene"], "smooth": False}


def pixels(place):
    return (0.5 + 0.5 * place[0]) * WIDTH, (0.5 + 0.5 * place[1]) * HEIGHT


def shapes(frame, scene, display):
    """The SVG elements of the points in front of the display, the farthest first."""
    for point in sorted(scene["points"], key=lambda point: -(point["distance_m"] or 0)):
        body = body_position(frame["pose"], point)
        place = display.place(body) if body else None
        if place is None or max(map(abs, place)) > 1:
            continue
        x, y = pixels(place)
        colour = COLOURS.get(point["kind"], "#ccc")
        radius = 3 + 12 * (point["size"] or 0)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="none" stroke="{colour}" stroke-width="2"/>'
        if point["kind"] in ("turn", "waypoint", "destination"):
            label = f"{point['kind']} {point['distance_m']:.0f} m"
            yield f'<text x="{x + radius + 4:.1f}" y="{y:.1f}" fill="{colour}">{html.escape(label)}</text>'
        if point["screen"] and point["in_view"]:
            x, y = pixels(point["screen"])
            yield f'<path d="M{x - 4:.1f} {y:.1f}h8M{x:.1f} {y - 4:.1f}v8" stroke="#fff"/>'


def words(frame):
    """The line of text: heading, speed, limit, next turn; dashes for what is unknown."""
    heading, speed = frame["pose"]["heading_deg"], frame["speed"]["speed_m_s"]
    limit, turn = frame["speed"]["limit_m_s"], frame["guidance"]["distance_to_turn_m"]
    text = ["--- deg" if heading is None else f"{heading:03.0f} deg"]
    text.append("--- km/h" if speed is None else f"{speed * 3.6:.0f} km/h")
    text += [] if limit is None else [f"of {limit * 3.6:.0f}"]
    text += [] if turn is None else [f"turn in {turn:.0f} m"]
    return "  ".join(text + ([] if frame["pose"]["state"] == "aligned" else ["(uncertain)"]))


def page(frame, scene, display):
    picture = "\n".join(shapes(frame, scene, display))
    return f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"/><meta http-equiv="refresh" content="0.5"/><title>posed</title></head>
<body style="background:#111"><svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"
 font-family="sans-serif" font-size="18"><rect width="{WIDTH}" height="{HEIGHT}" fill="#223"/>
{picture}
<text x="20" y="{HEIGHT - 20}" fill="#fff" font-size="28">{html.escape(words(frame))}</text>
</svg></body></html>
"""


def live(path):
    """Yields a frame and the scene that belongs to it, as they arrive: a scene is sent after its frame."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall((json.dumps(SUBSCRIPTION) + "\n").encode())
        frame = None
        for line in connection.makefile(encoding="utf-8"):
            message = json.loads(line)
            if message["type"] == "frame":
                frame = message
            elif message["type"] == "scene" and frame:
                yield frame, message
            elif message["type"] == "bye":
                sys.exit(f"posed disconnected: {message['text']}")


def stored(frames, scenes):
    """The last scene of two files, with the frame of the same time."""
    with open(scenes, encoding="utf-8") as lines:
        *_, scene = map(json.loads, lines)
    with open(frames, encoding="utf-8") as lines:
        yield next(frame for frame in map(json.loads, lines) if frame["t_s"] == scene["t_s"]), scene


def main():
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    target = sys.argv[1]
    source = stored(*sys.argv[2:]) if len(sys.argv) == 4 else live((sys.argv[2:] or ["/run/posed/stream"])[0])
    for frame, scene in source:
        with open(target + ".new", "w", encoding="utf-8") as file:
            file.write(page(frame, scene, Display()))
        os.replace(target + ".new", target)


if __name__ == "__main__":
    main()
