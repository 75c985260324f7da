#!/usr/bin/env python3
"""Prints a line for a head-up display: heading, speed and limit, next turn. usage: hud.py [SOCKET] [LINES]"""

import sys

from posed_client import DEFAULT_PATH, Client, Topics


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else DEFAULT_PATH
    lines = int(sys.argv[2]) if len(sys.argv) > 2 else -1
    client = Client(path, Topics.POSE | Topics.SPEED | Topics.GUIDANCE, rate_hz=10, smooth=True)
    while lines:
        frame = client.latest()
        if frame is None or frame.pose is None or frame.speed is None or frame.guidance is None:
            print("no pose", flush=True)
            continue
        heading, speed = frame.pose.heading_deg, frame.speed.speed_m_s
        limit, turn = frame.speed.limit_m_s, frame.guidance.distance_to_turn_m
        words = ["--- deg" if heading is None else f"{heading:03.0f} deg"]
        words += ["--- km/h" if speed is None else f"{speed * 3.6:3.0f} km/h"]
        words += [] if limit is None else [f"of {limit * 3.6:.0f}"]
        words += [] if turn is None else [f"turn in {turn:.0f} m"]
        print("  ".join(words + ([] if frame.pose.state == "aligned" else ["(uncertain)"])), flush=True)
        lines -= 1


if __name__ == "__main__":
    main()
