"""Where an object is on a display, computed from positions and attitude alone.

It uses nothing of posed: WGS 84 with Earth-centred coordinates, rotation matrices from roll, pitch and heading, and a
pinhole camera. So it can check what posed sends in `scene`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Tuple

Vector = Tuple[float, float, float]

SEMI_MAJOR_AXIS_M = 6378137.0
FLATTENING = 1 / 298.257223563


def earth_centred(lat_deg: float, lon_deg: float, height_m: float) -> Vector:
    """Earth-centred coordinates of a geodetic position, metres."""
    lat, lon = math.radians(lat_deg), math.radians(lon_deg)
    semi_minor_axis_m = SEMI_MAJOR_AXIS_M * (1 - FLATTENING)
    # The reduced latitude describes the ellipse; the height is added along its normal.
    reduced = math.atan2(semi_minor_axis_m * math.sin(lat), SEMI_MAJOR_AXIS_M * math.cos(lat))
    radius = SEMI_MAJOR_AXIS_M * math.cos(reduced) + height_m * math.cos(lat)
    up = semi_minor_axis_m * math.sin(reduced) + height_m * math.sin(lat)
    return (radius * math.cos(lon), radius * math.sin(lon), up)


def east_north(lat_deg: float, lon_deg: float, offset: Vector) -> Tuple[float, float]:
    """The horizontal components of an Earth-centred offset at a position, metres."""
    lat, lon = math.radians(lat_deg), math.radians(lon_deg)
    x, y, z = offset
    toward = x * math.cos(lon) + y * math.sin(lon)
    return (y * math.cos(lon) - x * math.sin(lon), z * math.cos(lat) - toward * math.sin(lat))


def to_body(offset_enu: Vector, roll_deg: float, pitch_deg: float, heading_deg: float) -> Vector:
    """An east-north-up offset in the axes of the body: forward, left, up. Three rotations, one after the other: heading
    clockwise from north, pitch with the nose up, roll with the right side down."""
    east, north, up = offset_enu
    heading, pitch, roll = (math.radians(angle) for angle in (heading_deg, pitch_deg, roll_deg))
    ahead = east * math.sin(heading) + north * math.cos(heading)
    left = north * math.sin(heading) - east * math.cos(heading)
    forward = ahead * math.cos(pitch) + up * math.sin(pitch)
    above = up * math.cos(pitch) - ahead * math.sin(pitch)
    return (
        forward,
        left * math.cos(roll) + above * math.sin(roll),
        above * math.cos(roll) - left * math.sin(roll),
    )  # fmt: skip


@dataclass(frozen=True)
class Display:
    """A display that looks forward; its fields of view as in posed's settings."""

    horizontal_deg: float = 60.0
    vertical_deg: float = 53.0

    def place(self, body_m: Sequence[float]) -> Optional[Tuple[float, float]]:
        """Right and down from the centre, -1 to 1 at the edges; None behind the display."""
        forward, left, up = body_m
        if forward <= 0:
            return None
        return (
            -left / forward / math.tan(math.radians(self.horizontal_deg) / 2),
            -up / forward / math.tan(math.radians(self.vertical_deg) / 2),
        )  # fmt: skip


def body_position(pose: Mapping[str, Any], point: Mapping[str, Any]) -> Optional[Vector]:
    """A point of a scene relative to the body of a pose, metres; None while something for it is unknown.

    Both are members of posed's JSON lines. Where the heights of both are known, both are at these heights; otherwise
    both are on the ellipsoid. The height at which the point is drawn is a choice of posed, so it is taken from it.
    """
    angles = [pose[name] for name in ("roll_deg", "pitch_deg", "heading_deg")]
    if None in angles or pose["lat_deg"] is None or point["lat_deg"] is None:
        return None
    height, elevation = pose["alt_msl_m"], point["elevation_m"]
    if height is None or elevation is None:
        own, other = 0.0, 0.0
    else:
        own, other = height, elevation
    here = earth_centred(pose["lat_deg"], pose["lon_deg"], own)
    there = earth_centred(point["lat_deg"], point["lon_deg"], other)
    east, north = east_north(
        pose["lat_deg"], pose["lon_deg"], (there[0] - here[0], there[1] - here[1], there[2] - here[2])
    )
    if pose["enu_m"] is None or point["enu_m"] is None:
        return None
    return to_body((east, north, point["enu_m"][2] - pose["enu_m"][2]), *angles)
