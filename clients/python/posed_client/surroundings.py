"""Scene and points of interest: the messages with elements."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Iterator, Optional, Sequence, Tuple

from .fields import Fields, ProtocolError, Vector, name_of, text_of

SCENE_KINDS = ("unknown", "marker", "arrow", "turn", "waypoint", "destination")


@dataclass(frozen=True)
class Sight:
    """The position of an object relative to the body and the display."""

    enu_m: Optional[Vector]
    body_m: Optional[Vector]
    screen: Optional[Tuple[float, float]]
    edge_deg: Optional[float]
    distance_m: Optional[float]
    bearing_deg: Optional[float]
    relative_bearing_deg: Optional[float]
    size: Optional[float]
    elevation_m: Optional[float]
    in_view: bool
    behind: bool
    draw_elevation_m: Optional[float] = None
    elevation_angle_deg: Optional[float] = None


@dataclass(frozen=True)
class ScenePoint:
    """A marker, an arrow, a turn, a waypoint or the destination; its number is constant for one route."""

    number: int
    kind: str
    lat_deg: Optional[float]
    lon_deg: Optional[float]
    along_route_m: Optional[float]
    sight: Sight


@dataclass(frozen=True)
class Scene:
    """The points to draw along the route; window changes when other points are shown."""

    sequence: int
    time_s: float
    route_version: int
    window: int
    origin_epoch: int
    points: Sequence[ScenePoint]


@dataclass(frozen=True)
class Point:
    """A point of interest."""

    id: str
    name: str
    category: str
    lat_deg: Optional[float]
    lon_deg: Optional[float]
    sight: Sight


@dataclass(frozen=True)
class Points:
    """Nearby points of interest, the nearest first; total includes those not listed."""

    sequence: int
    time_s: float
    radius_m: float
    set_version: int
    origin_epoch: int
    total: int
    points: Sequence[Point]


@dataclass(frozen=True)
class RoutePoint:
    """One point of the route's line."""

    lat_deg: float
    lon_deg: float
    along_route_m: float


@dataclass(frozen=True)
class RoutePlace:
    """A turn, a waypoint, the destination or a marker on the map."""

    number: int
    kind: str
    lat_deg: float
    lon_deg: float
    along_route_m: Optional[float]


@dataclass(frozen=True)
class Route:
    """The route for a map: the line ahead with the part just passed; without a route it has no points."""

    sequence: int
    route_version: int
    length_m: float
    tolerance_m: float
    line: Sequence[RoutePoint]
    places: Sequence[RoutePlace]


def _elements(data: bytes, count: int, size: int, offset: int) -> Iterator[bytes]:
    """The elements of a block, each as bytes; its reader truncates longer ones and pads shorter ones with zeros."""
    if count and (size < 8 or offset + count * size > len(data)):
        raise ProtocolError("elements are outside of their block")
    for index in range(count):
        yield data[offset + index * size : offset + (index + 1) * size]


def _sight(data: bytes, valid: int, flags: int) -> Sight:
    f = Fields(struct.pack("<I", valid) + data, "16f", is_element=True)
    enu, body, screen = f.vector(8), f.vector(9), f.pair(10)
    edge, distance, bearing, relative, size, elevation, drawn, angle = (f.number(bit) for bit in range(11, 19))
    return Sight(
        enu, body, screen, edge, distance, bearing, relative, size, elevation, bool(flags & 1), bool(flags & 2),
        drawn, angle,
    )  # fmt: skip


def read_scene(sequence: int, data: bytes) -> Scene:
    """A posed_scene block and its elements."""
    f = Fields(data, "qIIIHHH")
    time_ns, route, window, epoch, count, size, offset = (f.integer() for _ in range(7))
    points = []
    for element in _elements(data, count, size, offset):
        point = Fields(element, "IBB6x3d", is_element=True)
        number, kind, flags = point.integer(), point.integer(), point.integer()
        lat, lon, along = point.number(0), point.number(0), point.number(1)
        points.append(
            ScenePoint(
                number, name_of(SCENE_KINDS, kind, "unknown"), lat, lon, along, _sight(element[40:], point.valid, flags)
            )
        )
    return Scene(sequence, time_ns * 1e-9, route, window, epoch, points)


def read_points(sequence: int, data: bytes) -> Points:
    """A posed_points block and its elements."""
    f = Fields(data, "qdIIIHHH")
    time_ns, radius = f.integer(), f.always()
    version, epoch, total, count, size, offset = (f.integer() for _ in range(6))
    points = []
    for element in _elements(data, count, size, offset):
        point = Fields(element, "B3x2d6H4x", is_element=True)
        flags, lat, lon = point.integer(), point.number(0), point.number(0)
        texts = [text_of(data, point.integer(), point.integer()) for _ in range(3)]
        points.append(Point(texts[0], texts[1], texts[2], lat, lon, _sight(element[40:], point.valid, flags)))
    return Points(sequence, time_ns * 1e-9, radius, version, epoch, total, points)


def read_route(sequence: int, data: bytes) -> Route:
    """A posed_route block and its elements."""
    f = Fields(data, "I4xdd6H4x")
    version, length, tolerance = f.integer(), f.always(), f.always()
    count, size, offset, place_count, place_size, place_offset = (f.integer() for _ in range(6))
    line = [
        RoutePoint(*struct.unpack("<3d", element[:24].ljust(24, b"\0")))
        for element in _elements(data, count, size, offset)
    ]
    places = []
    for element in _elements(data, place_count, place_size, place_offset):
        place = Fields(element, "IB7x3d", is_element=True)
        number, kind, lat, lon = place.integer(), place.integer(), place.always(), place.always()
        places.append(RoutePlace(number, name_of(SCENE_KINDS, kind, "unknown"), lat, lon, place.number(0)))
    return Route(sequence, version, length, tolerance, line, places)
