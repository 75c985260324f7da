#!/usr/bin/env python3
"""Asks a Valhalla server for the way between two places and writes its line: road_line.py PORT LAT LON LAT LON; "lat
lon" lines."""

import json, sys, urllib.request

port, a, b, c, d = int(sys.argv[1]), *map(float, sys.argv[2:6])
body = json.dumps({"locations": [{"lat": a, "lon": b}, {"lat": c, "lon": d}], "costing": "auto"}).encode()
trip = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/route", body, timeout=60))["trip"]
text, at, lat, lon = trip["legs"][0]["shape"], 0, 0, 0


def number():
    global at
    value, shift = 0, 0
    while True:
        byte = ord(text[at]) - 63
        at += 1
        value |= (byte & 0x1F) << shift
        shift += 5
        if byte < 0x20:
            return ~(value >> 1) if value & 1 else value >> 1


while at < len(text):
    lat += number()
    lon += number()
    print(lat / 1e6, lon / 1e6)
