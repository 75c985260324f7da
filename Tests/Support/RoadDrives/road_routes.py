#!/usr/bin/env python3
"""Makes routes for cars from an OpenStreetMap extract, with nothing but the standard library.

usage: road_routes.py FILE.osm.pbf COUNT SEED

Prints one route a line, as JSON:
  points     [latitude, longitude] in degrees
  limits     km/h of each segment
  tunnels    0 or 1 for each segment
  junctions  index of the point, whether the route turns there (1) or goes straight on (0)
  planned    a route that is the same up to a junction and takes another road there; null where there is none
  fork       index of the point where the planned route leaves this one
"""

import heapq
import json
import math
import random
import struct
import sys
import zlib

SPEEDS = {
    "motorway": 110,
    "motorway_link": 60,
    "trunk": 80,
    "trunk_link": 50,
    "primary": 60,
    "primary_link": 40,
    "secondary": 50,
    "secondary_link": 40,
    "tertiary": 50,
    "tertiary_link": 30,
    "unclassified": 40,
    "residential": 30,
    "living_street": 15,
}


def fields(data):
    """The fields of a protocol buffer message: number and value."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            size = 8 if kind == 1 else 4
            value, at = data[at : at + size], at + size
        yield key >> 3, value


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def deltas(data):
    total, values = 0, []
    for value in packed(data):
        total += (value >> 1) ^ -(value & 1)
        values.append(total)
    return values


def blocks(path):
    with open(path, "rb") as file:
        while size := file.read(4):
            header = dict(fields(file.read(struct.unpack(">I", size)[0])))
            blob = dict(fields(file.read(header[3])))
            if header[1] == b"OSMData":
                yield zlib.decompress(blob[3]) if 3 in blob else blob[1]


def read(path):
    """Places of nodes, and ways for cars as (node ids, tags)."""
    places, ways = {}, []
    for block in blocks(path):
        parts = list(fields(block))
        strings = [text for number, text in fields(next(v for n, v in parts if n == 1)) if number == 1]
        unit = next((v for n, v in parts if n == 17), 100) * 1e-9
        for group in (v for n, v in parts if n == 2):
            for number, value in fields(group):
                if number == 2:
                    dense = dict(fields(value))
                    for node, lat, lon in zip(deltas(dense[1]), deltas(dense[8]), deltas(dense[9])):
                        places[node] = (lat * unit, lon * unit)
                elif number == 3:
                    way = dict(fields(value))
                    tags = {
                        strings[k].decode(): strings[v].decode()
                        for k, v in zip(packed(way.get(2, b"")), packed(way.get(3, b"")))
                    }
                    if tags.get("highway") in SPEEDS and tags.get("access") not in ("no", "private"):
                        ways.append((deltas(way[8]), tags))
    return places, ways


def offset(a, b):
    """East and north from one place to another, metres."""
    north = math.radians(b[0] - a[0]) * 6_371_000
    return math.radians(b[1] - a[1]) * 6_371_000 * math.cos(math.radians(a[0])), north


class Roads:
    def __init__(self, path):
        self.places, ways = read(path)
        self.edges, neighbours = {}, {}
        for nodes, tags in ways:
            speed = SPEEDS[tags["highway"]]
            limit = int(tags["maxspeed"]) if tags.get("maxspeed", "").isdigit() else speed
            tunnel = int(tags.get("tunnel", "no") not in ("no", "building_passage"))
            oneway = (
                tags.get("oneway") in ("yes", "1", "true")
                or tags.get("junction") == "roundabout"
                or tags["highway"] == "motorway"
            )
            for a, b in zip(nodes, nodes[1:]):
                if a == b or a not in self.places or b not in self.places:
                    continue
                meters = math.hypot(*offset(self.places[a], self.places[b]))
                for start, end in ((a, b),) if oneway else ((a, b), (b, a)):
                    self.edges.setdefault(start, {})[end] = (meters, limit, tunnel, meters / speed)
                neighbours.setdefault(a, set()).add(b)
                neighbours.setdefault(b, set()).add(a)
        self.degree = {node: len(others) for node, others in neighbours.items()}

    def path(self, start, goal, avoiding=None):
        """The fastest way, not by the edge to avoid; None where there is none."""
        best, queue, before = {start: 0.0}, [(0.0, start)], {}
        while queue:
            cost, node = heapq.heappop(queue)
            if node == goal:
                nodes = [node]
                while node in before:
                    node = before[node]
                    nodes.append(node)
                return nodes[::-1]
            if cost > best[node]:
                continue
            for other, edge in self.edges.get(node, {}).items():
                if (node, other) in (avoiding or ()):
                    continue
                total = cost + edge[3]
                if total < best.get(other, math.inf):
                    best[other], before[other] = total, node
                    heapq.heappush(queue, (total, other))
        return None

    def turn(self, a, b, c):
        """How much the way turns at b, degrees, right positive."""
        one, two = offset(self.places[a], self.places[b]), offset(self.places[b], self.places[c])
        return (math.degrees(math.atan2(*two) - math.atan2(*one)) + 180) % 360 - 180

    def meters(self, nodes):
        return sum(self.edges[a][b][0] for a, b in zip(nodes, nodes[1:]))

    def drivable(self, nodes):
        return all(abs(self.turn(*three)) < 140 for three in zip(nodes, nodes[1:], nodes[2:]))

    def planned(self, nodes, maker):
        """Another route that shares the first part of this one, and where it leaves."""
        forks = [i for i in range(2, len(nodes) - 2) if self.degree[nodes[i]] >= 3]
        maker.shuffle(forks)
        for fork in forks[:12]:
            if self.meters(nodes[: fork + 1]) < 400 or self.meters(nodes[fork:]) < 600:
                continue
            for other in self.edges[nodes[fork]]:
                if other in (nodes[fork - 1], nodes[fork + 1]):
                    continue
                rest = self.path(other, nodes[-1], {(other, nodes[fork]), (nodes[fork], nodes[fork + 1])})
                if rest and self.meters(rest) > 300 and nodes[fork] not in rest:
                    return nodes[: fork + 1] + rest, fork
        return None, None

    def form(self, nodes):
        edges = [self.edges[a][b] for a, b in zip(nodes, nodes[1:])]
        junctions = [
            [i, int(abs(self.turn(nodes[i - 1], nodes[i], nodes[i + 1])) > 35)]
            for i in range(1, len(nodes) - 1)
            if self.degree[nodes[i]] >= 3
        ]
        return {
            "points": [[round(x, 7) for x in self.places[node]] for node in nodes],
            "limits": [edge[1] for edge in edges],
            "tunnels": [edge[2] for edge in edges],
            "junctions": junctions,
        }


def main():
    path, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    roads, maker = Roads(path), random.Random(seed)
    nodes = sorted(node for node in roads.edges if roads.degree[node] != 2)
    made = 0
    while made < count:
        way = [maker.choice(nodes)]
        # One to three parts, so that some routes cross themselves or come back.
        for _ in range(maker.choice((1, 1, 2, 3))):
            part = roads.path(way[-1], maker.choice(nodes), {(way[-1], way[-2])} if len(way) > 1 else None)
            way += part[1:] if part else []
        while len(way) > 10 and roads.meters(way) > 15_000:
            way = way[: len(way) * 3 // 4]
        if len(way) < 10 or roads.meters(way) < 1_500 or not roads.drivable(way):
            continue
        route = roads.form(way)
        planned, fork = roads.planned(way, maker)
        route["planned"], route["fork"] = (roads.form(planned)["points"], fork) if planned else (None, None)
        print(json.dumps(route, separators=(",", ":")))
        made += 1


main()
