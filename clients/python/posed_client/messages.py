"""The messages of posed, version 1, as docs/protocol.md describes them.

A reader skips what it does not know: messages of unknown type, blocks of unknown id, the rest of longer blocks. Shorter
blocks of an older daemon are padded with zeros, whose validity bits are 0 as well.
"""

from __future__ import annotations

import enum
import struct
from dataclasses import dataclass
from typing import Dict, Optional, Sequence, Tuple, Union

from .fields import BLOCK, Fields, ProtocolError, Quaternion, Vector, name_of, text_of
from .parts import (
    GUIDANCE_STATES,
    POSE_STATES,
    SOURCE_STATES,
    Guidance,
    Pose,
    Sources,
    Speed,
    read_guidance,
    read_pose,
    read_sources,
    read_speed,
)
from .surroundings import Points, Route, Scene, read_points, read_route, read_scene

MAGIC = 0x44534F50
VERSION = 1
HEADER = struct.Struct("<IHHIIQ")


class Topics(enum.IntFlag):
    """Parts of a frame, and separate messages."""

    NONE = 0
    POSE = 1
    GUIDANCE = 2
    SPEED = 4
    SOURCES = 8
    EVENTS = 16
    STATUS = 32
    SCENE = 64
    POINTS = 128
    ROUTE = 256
    FRAMES = 15


MOUNT_ORIGINS = ("unknown", "configured", "kept", "found")
MAGNETOMETER_STATES = ("unknown", "collecting", "calibrated", "disturbed", "implausible")
LANE_DIRECTIONS = ("", "uTurn", "sharpRight", "right", "slightRight", "straight", "slightLeft", "left", "sharpLeft")
SOURCE_NAMES = ("gps", "imu", "magnetometer", "barometer", "wheels")
BYE_REASONS = ("unknown", "stopping", "tooSlow", "tooMany", "malformed", "flood", "descriptors", "badRequest")


@dataclass(frozen=True)
class Stamp:
    """The times of a frame; in every frame. Times are CLOCK_MONOTONIC, as time.monotonic() returns it."""

    frame_sequence: int
    time_s: float
    utc_s: Optional[float]
    dropped: int
    measured_s: float
    reset_count: int
    origin_epoch: int
    published_s: float
    simulated: bool = False


@dataclass(frozen=True)
class Frame:
    """One frame. A part that was not subscribed is None."""

    sequence: int
    stamp: Stamp
    pose: Optional[Pose]
    guidance: Optional[Guidance]
    speed: Optional[Speed]
    sources: Optional[Sources]
    #: Earth-centred position, WGS 84, metres; only with ecef=True and while the height above the ellipsoid is known.
    ecef_m: Optional[Vector] = None


@dataclass(frozen=True)
class Hello:
    """The first message of the daemon."""

    sequence: int
    topics: Topics
    default_rate_hz: float
    slowest_rate_hz: float
    fastest_rate_hz: float
    release: str
    simulated: bool = False


@dataclass(frozen=True)
class Lane:
    """One lane before a maneuver; direction is the arrow to follow, None if the router does not report it."""

    arrows: Tuple[str, ...]
    valid: bool
    recommended: bool
    direction: Optional[str]


@dataclass(frozen=True)
class Maneuver:
    """The next maneuver on the route; index is None if there is none ahead."""

    sequence: int
    route_version: int
    index: Optional[int]
    lat_deg: Optional[float]
    lon_deg: Optional[float]
    turn_angle_deg: Optional[float]
    along_route_m: float
    text: str
    kind: str
    lanes: Tuple[Lane, ...]
    then: Optional[Maneuver] = None


@dataclass(frozen=True)
class Event:
    """A change of state; kind names it, value is its new state or number. count is the number of maneuvers or
    waypoints that were reached or skipped at once; value is the last of them. ahead is whether the vehicle rejoined the
    route farther along than where it left. rate_hz is the measured rate of the frames of this client."""

    sequence: int
    time_s: float
    kind: str
    source: Optional[str]
    value: Union[str, int]
    count: Optional[int] = None
    ahead: Optional[bool] = None
    rate_hz: Optional[float] = None


@dataclass(frozen=True)
class Mount:
    """The mount of the IMU: rotation from its axes to the body's axes (w, x, y, z); the same as roll, pitch and yaw;
    1-sigma about the body axes."""

    origin: str
    q: Quaternion
    rpy_deg: Vector
    sigma_deg: Vector


@dataclass(frozen=True)
class Magnetometer:
    """The calibration of the magnetometer: (identity + soft_iron) times (reading - iron_ut) is the field; soft_iron has
    its rows in order."""

    state: str
    iron_ut: Vector
    soft_iron: Sequence[float]
    field_ut: float
    dip_deg: float
    sigma_deg: float


@dataclass(frozen=True)
class Status:
    """The status of the daemon."""

    sequence: int
    time_s: float
    uptime_s: float
    frames_made: int
    frames_repeated: int
    messages_lost: int
    measurements_lost: int
    imu_rate_hz: Optional[float]
    fix_rate_hz: Optional[float]
    clients: int
    client_limit: int
    why: Sequence[str]
    fixes_accepted: int
    fixes_rejected: int
    pose_state: str
    guidance_state: str
    sources: Sources
    mount: Optional[Mount] = None
    magnetometer: Optional[Magnetometer] = None
    simulated: bool = False


@dataclass(frozen=True)
class Bye:
    """The last message of the daemon."""

    sequence: int
    reason: str
    text: str


@dataclass(frozen=True)
class Unknown:
    """A message of a type that this reader does not know; to be skipped."""

    sequence: int
    type: int
    size: int = 0


Message = Union[Frame, Hello, Maneuver, Event, Status, Scene, Points, Route, Bye, Unknown]


def _stamp(data: bytes) -> Stamp:
    f = Fields(data, "QqqQqIIq")
    sequence, time_ns, utc_ns, dropped, measured_ns = f.integer(), f.integer(), f.integer(), f.integer(), f.integer()
    utc = utc_ns * 1e-9 if f.valid & 1 else None
    return Stamp(
        sequence, time_ns * 1e-9, utc, dropped, measured_ns * 1e-9, f.integer(), f.integer(), f.integer() * 1e-9,
        bool(f.valid & 2),
    )  # fmt: skip


def _source_states(f: Fields) -> Sources:
    gps, imu, magnetometer, barometer, wheels = (name_of(SOURCE_STATES, f.integer(), "absent") for _ in range(5))
    return Sources(gps, imu, magnetometer, barometer, wheels, None, None, None, None, None)


def _hello(sequence: int, data: bytes) -> Hello:
    f = Fields(data, "IIIIHHI")
    topics, default, slowest, fastest, offset, length, flags = (f.integer() for _ in range(7))
    return Hello(
        sequence, Topics(topics & 511), default / 1000, slowest / 1000, fastest / 1000, text_of(data, offset, length),
        bool(flags & 1),
    )  # fmt: skip


def _maneuver(sequence: int, data: bytes, then: Optional[bytes] = None) -> Maneuver:
    f = Fields(data, "II4d7H2x")
    version, index = f.integer(), f.integer()
    lat, lon, turn, along = f.number(1), f.number(1), f.number(2), f.always()
    text, text_length, kind, kind_length, count, size, offset = (f.integer() for _ in range(7))
    if not f.valid >> 3 & 1:
        count = 0
    if count and (size < 8 or offset + count * size > len(data)):
        raise ProtocolError("a lane is outside of its block")
    lanes = tuple(_lane(data, offset + place * size) for place in range(count))
    return Maneuver(
        sequence, version, index if f.valid & 1 else None, lat, lon, turn, along, text_of(data, text, text_length),
        text_of(data, kind, kind_length),
        lanes, _maneuver(sequence, then) if then else None,
    )  # fmt: skip


def _lane(data: bytes, place: int) -> Lane:
    arrows, flags, direction = struct.unpack_from("<HBB", data, place)
    drawn = tuple(name for code, name in enumerate(LANE_DIRECTIONS) if name and arrows >> code & 1)
    followed = name_of(LANE_DIRECTIONS, direction, "") or None
    return Lane(drawn, bool(flags & 1), bool(flags & 2), followed)


def _event(sequence: int, data: bytes) -> Message:
    f = Fields(data, "qHHI")
    time_ns, kind, subject, code = (f.integer() for _ in range(4))
    at = time_ns * 1e-9
    if kind == 1:
        return Event(sequence, at, "pose", None, name_of(POSE_STATES, code, "lost"))
    if kind == 2:
        return Event(sequence, at, "guidance", None, name_of(GUIDANCE_STATES, code, "waiting"))
    if kind == 3 and subject < len(SOURCE_NAMES):
        return Event(sequence, at, "source", SOURCE_NAMES[subject], name_of(SOURCE_STATES, code, "absent"))
    if kind == 7:
        return Event(sequence, at, "target", None, "near" if code == 1 else "far")
    if kind in (8, 9, 12):
        name = {8: "maneuverReached", 9: "waypointReached", 12: "waypointSkipped"}[kind]
        return Event(sequence, at, name, None, code, subject)
    if kind == 11:
        return Event(sequence, at, "rejoined", None, code, None, subject == 1)
    if kind == 13:
        return Event(sequence, at, "frameRate", None, "low" if subject == 1 else "enough", rate_hz=code / 1000)
    names = {4: "route", 5: "reset", 6: "origin", 10: "departed"}
    return Event(sequence, at, names[kind], None, code) if kind in names else Unknown(sequence, 5)


def _status(sequence: int, data: bytes) -> Status:
    f = Fields(data, "qd6Q2dII8BHHI25d2B6x")
    time_ns, uptime = f.integer(), f.always()
    made, repeated, lost, measurements, accepted, rejected = (f.integer() for _ in range(6))
    imu, fix = f.number(0), f.number(1)
    clients, limit = f.integer(), f.integer()
    pose, guidance = name_of(POSE_STATES, f.integer(), "lost"), name_of(GUIDANCE_STATES, f.integer(), "waiting")
    sources = _source_states(f)
    simulated = bool(f.integer() & 1)
    why = text_of(data, f.integer(), f.integer()).splitlines()
    f.integer()
    q, rpy, mount_sigma = f.quaternion(2), f.vector(2), f.vector(2)
    iron, soft = f.vector(3), [f.number(3) for _ in range(9)]
    field, dip, sigma = f.number(3), f.number(3), f.number(3)
    origin, state = f.integer(), f.integer()
    mount, magnetometer = None, None
    if q and rpy and mount_sigma:
        mount = Mount(name_of(MOUNT_ORIGINS, origin, "unknown"), q, rpy, mount_sigma)
    rows = [value for value in soft if value is not None]
    if iron and len(rows) == 9 and field is not None and dip is not None and sigma is not None:
        magnetometer = Magnetometer(name_of(MAGNETOMETER_STATES, state, "unknown"), iron, rows, field, dip, sigma)
    return Status(
        sequence,
        time_ns * 1e-9,
        uptime,
        made,
        repeated,
        lost,
        measurements,
        imu,
        fix,
        clients,
        limit,
        why,
        accepted,
        rejected,
        pose,
        guidance,
        sources,
        mount,
        magnetometer,
        simulated,
    )


def _bye(sequence: int, data: bytes) -> Bye:
    f = Fields(data, "HHH")
    reason, offset, length = f.integer(), f.integer(), f.integer()
    return Bye(sequence, name_of(BYE_REASONS, reason, "unknown"), text_of(data, offset, length))


def decode(packet: bytes) -> Message:
    """Decodes one packet of the socket; raises ProtocolError for an invalid one."""
    if len(packet) < HEADER.size:
        raise ProtocolError("shorter than a header")
    magic, version, kind, length, count, sequence = HEADER.unpack_from(packet)
    if magic != MAGIC or version != VERSION or length != len(packet):
        raise ProtocolError("not a message of version 1")
    blocks: Dict[int, bytes] = {}
    place = HEADER.size
    for _ in range(count):
        if len(packet) - place < BLOCK.size:
            raise ProtocolError("a block is outside of the message")
        block, size, _ = BLOCK.unpack_from(packet, place)
        if size < BLOCK.size or size > len(packet) - place:
            raise ProtocolError("a block is outside of the message")
        blocks.setdefault(block, packet[place : place + size])
        place += size
    if place != len(packet):
        raise ProtocolError("bytes after the last block")
    return _message(kind, sequence, blocks)


def _message(kind: int, sequence: int, blocks: Dict[int, bytes]) -> Message:
    try:
        if kind == 1:
            return _hello(sequence, blocks[16])
        if kind == 3:
            pose, guidance, speed, sources = blocks.get(2), blocks.get(3), blocks.get(4), blocks.get(5)
            return Frame(
                sequence, _stamp(blocks[1]), read_pose(pose) if pose else None,
                read_guidance(guidance) if guidance else None,
                read_speed(speed) if speed else None, read_sources(sources) if sources else None,
                Fields(blocks[27], "3d").vector(0) if 27 in blocks else None,
            )  # fmt: skip
        if kind == 4:
            return _maneuver(sequence, blocks[18], blocks.get(25))
        if kind == 5:
            return _event(sequence, blocks[19])
        if kind == 6:
            return _bye(sequence, blocks[20])
        if kind == 7:
            return _status(sequence, blocks[21])
        if kind == 8:
            return read_scene(sequence, blocks[22])
        if kind == 9:
            return read_points(sequence, blocks[23])
        if kind == 11:
            return read_route(sequence, blocks[26])
        if kind == 10:
            return Unknown(sequence, kind, struct.unpack_from("<8xI", blocks[24].ljust(16, b"\0"))[0])
    except KeyError as missing:
        raise ProtocolError(f"a message of type {kind} without its block {missing}") from None
    return Unknown(sequence, kind)


def subscription(
    topics: Topics, rate_hz: float = 0, *, every: bool = False, smooth: bool = False, shared: bool = False,
    ecef: bool = False, lead_ms: int = 0,
) -> bytes:  # fmt: skip
    """The packet that subscribes to topics at a rate; 0 is every frame. smooth blends corrections of the pose, ecef
    adds Earth-centred coordinates, lead_ms (0 to 100) predicts the pose to the time when it is seen."""
    flags = (1 if every else 0) | (2 if smooth else 0) | (4 if shared else 0) | (8 if ecef else 0)
    block = struct.pack("<HHIIIII", 17, 24, 0, int(topics), round(rate_hz * 1000), flags, lead_ms)
    return HEADER.pack(MAGIC, VERSION, 2, HEADER.size + len(block), 1, 0) + block
