#!/usr/bin/env python3
"""A gpsd whose receiver drives along a line: gpsd_drive.py PORT FILE SPEED_M_S; FILE holds "lat lon" lines."""

import datetime, json, math, socket, sys, threading, time

port, path, speed = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
points = [tuple(map(float, line.split())) for line in open(path) if line.strip()]
along = [0.0]
for (a, b), (c, d) in zip(points, points[1:]):
    along.append(along[-1] + math.hypot((c - a) * 111120, (d - b) * 111320 * math.cos(math.radians(a))))
began = time.monotonic()


def place(seconds):
    way = min(speed * seconds, along[-1] - 0.1)
    i = next(k for k in range(1, len(along)) if along[k] > way)
    part = (way - along[i - 1]) / max(along[i] - along[i - 1], 1e-9)
    (a, b), (c, d) = points[i - 1], points[i]
    course = math.degrees(math.atan2((d - b) * math.cos(math.radians(a)), c - a)) % 360
    return a + (c - a) * part, b + (d - b) * part, course, way < along[-1] - 1


def report(now):
    lat, lon, course, moves = place(now)
    utc = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    return {
        "class": "TPV",
        "device": "/dev/ttyTEST",
        "mode": 3,
        "status": 1,
        "time": utc,
        "lat": round(lat, 8),
        "lon": round(lon, 8),
        "altHAE": 1050.0,
        "altMSL": 1000.0,
        "geoidSep": 50.0,
        "epx": 2.0,
        "epy": 2.0,
        "epv": 4.0,
        "eps": 0.4,
        "epd": 2.0,
        "ept": 0.005,
        "track": round(course, 2),
        "speed": speed if moves else 0.0,
        "climb": 0.0,
    }


def serve(client):
    def say(value):
        # As gpsd writes it: without spaces, which libgps does not expect.
        client.sendall(json.dumps(value, separators=(",", ":")).encode() + b"\r\n")

    try:
        say({"class": "VERSION", "release": "3.22", "rev": "3.22", "proto_major": 3, "proto_minor": 14})
        client.recv(4096)
        say(
            {
                "class": "DEVICES",
                "devices": [
                    {
                        "class": "DEVICE",
                        "path": "/dev/ttyTEST",
                        "driver": "NMEA0183",
                        "activated": "2026-01-01T00:00:00.000Z",
                    }
                ],
            }
        )
        say(
            {
                "class": "WATCH",
                "enable": True,
                "json": True,
                "nmea": False,
                "raw": 0,
                "scaled": False,
                "timing": False,
                "split24": False,
                "pps": False,
            }
        )
        while True:
            say(report(time.monotonic() - began))
            time.sleep(0.2)
    except OSError:
        client.close()


def accept(server):
    while True:
        client, _ = server.accept()
        threading.Thread(target=serve, args=(client,), daemon=True).start()


accept(socket.create_server(("127.0.0.1", port)))
