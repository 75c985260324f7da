"""Says what the Python client finds, in the words of probe.c."""

import sys

from posed_client import Client, Disconnected, Frame, Hello, Topics, Unknown

KINDS = {"Maneuver": 4, "Event": 5, "Status": 7, "Scene": 8, "Points": 9, "Route": 11}


def number(value):
    return "none" if value is None else f"{value:.9g}"


def show(frame, client):
    pose, guidance, speed = frame.pose, frame.guidance, frame.speed
    words = {
        "seq": frame.stamp.frame_sequence,
        "dropped": frame.stamp.dropped,
        "lat": number(pose and pose.lat_deg),
        "heading": number(pose and pose.heading_deg),
        "turn_rate": number(pose and pose.turn_rate_deg_s),
        "turn_in": number(guidance and guidance.distance_to_turn_m),
        "jump": number(guidance.jump_delta_m if guidance and guidance.jump_count else None),
        "speed": number(speed and speed.speed_m_s),
        "lost": client.lost,
    }
    return "frame " + " ".join(f"{name}={value}" for name, value in words.items())


def main():
    flags = int(sys.argv[2])
    client = Client(sys.argv[1], Topics(511), 0, every=bool(flags & 1), smooth=bool(flags & 2), shared=bool(flags & 4))
    for _ in range(int(sys.argv[3])):
        try:
            message = client.next(3.0)
        except Disconnected as problem:
            print("disconnected", problem, flush=True)
            continue
        if message is None:
            print("nothing")
        elif isinstance(message, Hello):
            print("connected")
        elif isinstance(message, Frame):
            print(show(message, client))
        else:
            print("type", message.type if isinstance(message, Unknown) else KINDS[type(message).__name__])
        if client.memory and not isinstance(message, Hello):
            frame = client.memory.read()
            print("memory", show(frame, client) if frame else "none")
        sys.stdout.flush()


main()
