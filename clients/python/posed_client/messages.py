"""The messages of posed, version 1, as docs/protocol.md has them.

A reader skips what it does not know: messages of unknown type, blocks of unknown id, the rest of longer blocks. Shorter blocks of an older daemon are
filled up with zeros, whose validity bits are zeros too.
"""

from __future__ import annotations

import enum
import struct
from dataclasses import dataclass
from typing import Dict, Optional, Sequence, Tuple, Union

from .fields import BLOCK, Fields, ProtocolError, Quaternion, Vector, name_of, text_of
from .surroundings import Points, Scene, read_points, read_scene

MAGIC = 0x44534F50
VERSION = 1
HEADER = struct.Struct("<IHHIIQ")


class Topics(enum.IntFlag):
    """Parts of a frame, and messages of their own."""

    NONE = 0
    POSE = 1
    GUIDANCE = 2
    SPEED = 4
    SOURCES = 8
    EVENTS = 16
    STATUS = 32
    SCENE = 64
    POINTS = 128
    FRAMES = 15


POSE_STATES = ("starting", "aligning", "coarse", "aligned", "deadReckoning", "lost")
GUIDANCE_STATES = (
    "noRoute",
    "waiting",
    "onRoute",
    "offStep",
    "offRoute",
    "wrongWay",
    "uTurnNeeded",
    "rejoinedAhead",
    "arrived",
)
SOURCE_STATES = ("absent", "opening", "waiting", "streaming", "stale", "lost")
MOUNT_ORIGINS = ("unknown", "configured", "kept", "found")
MAGNETOMETER_STATES = ("unknown", "collecting", "calibrated", "disturbed", "implausible")
COLOURS = ("unknown", "blue", "orange", "red")
LIMIT_SOURCES = ("none", "route", "road", "roadClass", "fallback")
LANE_DIRECTIONS = ("", "uTurn", "sharpRight", "right", "slightRight", "straight", "slightLeft", "left", "sharpLeft")
SOURCE_NAMES = ("gps", "imu", "magnetometer", "barometer", "wheels")
BYE_REASONS = ("unknown", "stopping", "tooSlow", "tooMany", "malformed", "flood", "descriptors", "badRequest")


@dataclass(frozen=True)
class Stamp:
    """When: in every frame. Times are CLOCK_MONOTONIC, as time.monotonic() tells it."""

    frame_sequence: int
    time_s: float
    utc_s: Optional[float]
    dropped: int
    measured_s: float
    reset_count: int
    origin_epoch: int
    published_s: float


@dataclass(frozen=True)
class Pose:
    """Where and how turned."""

    state: str
    fix_mode: int
    satellites_used: Optional[int]
    standing_still: bool
    origin_epoch: int
    reset_count: int
    lat_deg: Optional[float]
    lon_deg: Optional[float]
    alt_hae_m: Optional[float]
    alt_msl_m: Optional[float]
    sigma_enu_m: Optional[Vector]
    enu_m: Optional[Vector]
    origin_lat_deg: Optional[float]
    origin_lon_deg: Optional[float]
    origin_alt_hae_m: Optional[float]
    vel_enu_m_s: Optional[Vector]
    vel_sigma_enu_m_s: Optional[Vector]
    course_deg: Optional[float]
    q_enu_body: Optional[Quaternion]
    roll_deg: Optional[float]
    pitch_deg: Optional[float]
    heading_deg: Optional[float]
    heading_magnetic_deg: Optional[float]
    tilt_sigma_deg: Optional[float]
    heading_sigma_deg: Optional[float]
    heading_trim_deg: float
    rate_body_rad_s: Optional[Vector]
    accel_body_m_s2: Optional[Vector]
    gravity_body: Optional[Vector]
    slip_m_s2: Optional[float]
    fix_age_s: Optional[float]
    reset_delta_enu_m: Vector
    reset_delta_heading_deg: float
    accel_enu_m_s2: Optional[Vector]
    turn_rate_deg_s: Optional[float]
    glide_enu_m: Vector
    glide_heading_deg: float


@dataclass(frozen=True)
class Guidance:
    """Along the route."""

    state: str
    route_version: int
    next_maneuver: Optional[int]
    progress_m: Optional[float]
    cross_track_m: Optional[float]
    segment_bearing_deg: Optional[float]
    distance_to_turn_m: Optional[float]
    straight_distance_to_turn_m: Optional[float]
    turn_angle_deg: Optional[float]
    distance_left_m: Optional[float]
    time_left_s: Optional[float]
    jump_count: int
    jump_delta_m: float
    in_tunnel: bool


@dataclass(frozen=True)
class Speed:
    """How fast against the limit."""

    colour: str
    limit_source: str
    speed_m_s: Optional[float]
    limit_m_s: Optional[float]
    ratio: Optional[float]
    next_limit_m_s: Optional[float]
    next_limit_distance_m: Optional[float]
    next_limit_source: str
    curve_speed_m_s: Optional[float]
    curve_distance_m: Optional[float]
    has_condition: bool
    indicated_m_s: Optional[float]


@dataclass(frozen=True)
class Sources:
    """State of each source."""

    gps: str
    imu: str
    magnetometer: str
    barometer: str
    wheels: str


@dataclass(frozen=True)
class Frame:
    """One instant. A part that was not asked for is None."""

    sequence: int
    stamp: Stamp
    pose: Optional[Pose]
    guidance: Optional[Guidance]
    speed: Optional[Speed]
    sources: Optional[Sources]


@dataclass(frozen=True)
class Hello:
    """The daemon's first word."""

    sequence: int
    topics: Topics
    default_rate_hz: float
    slowest_rate_hz: float
    fastest_rate_hz: float
    release: str


@dataclass(frozen=True)
class Lane:
    """One lane before a maneuver; direction is the arrow to follow, where the router tells."""

    arrows: Tuple[str, ...]
    valid: bool
    recommended: bool
    direction: Optional[str]


@dataclass(frozen=True)
class Maneuver:
    """The next thing to do on the route; index is None when none is ahead."""

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


@dataclass(frozen=True)
class Event:
    """Something changed; kind says what, value is its new state or number."""

    sequence: int
    time_s: float
    kind: str
    source: Optional[str]
    value: Union[str, int]


@dataclass(frozen=True)
class Mount:
    """How the IMU sits in the vehicle: rotation from its axes to the body's (w, x, y, z); roll, pitch and yaw of it; 1-sigma about the body's axes."""

    origin: str
    q: Quaternion
    rpy_deg: Vector
    sigma_deg: Vector


@dataclass(frozen=True)
class Magnetometer:
    """What was found of the magnetometer; the rows of soft_iron and one, times a reading less the iron, give the field."""

    state: str
    iron_ut: Vector
    soft_iron: Sequence[float]
    field_ut: float
    dip_deg: float
    sigma_deg: float


@dataclass(frozen=True)
class Status:
    """How the daemon is."""

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


@dataclass(frozen=True)
class Bye:
    """The daemon's last word."""

    sequence: int
    reason: str
    text: str


@dataclass(frozen=True)
class Unknown:
    """A message of a type that this reader does not know: to be passed over."""

    sequence: int
    type: int
    size: int = 0


Message = Union[Frame, Hello, Maneuver, Event, Status, Scene, Points, Bye, Unknown]


def _stamp(data: bytes) -> Stamp:
    f = Fields(data, "QqqQqIIq")
    sequence, time_ns, utc_ns, dropped, measured_ns = f.integer(), f.integer(), f.integer(), f.integer(), f.integer()
    utc = utc_ns * 1e-9 if f.valid & 1 else None
    return Stamp(
        sequence, time_ns * 1e-9, utc, dropped, measured_ns * 1e-9, f.integer(), f.integer(), f.integer() * 1e-9
    )


def _pose(data: bytes) -> Pose:
    f = Fields(data, "BBHIII54d")
    state, fix_mode, satellites, flags, epoch, resets = (f.integer() for _ in range(6))
    return Pose(
        state=name_of(POSE_STATES, state, "lost"), fix_mode=fix_mode, satellites_used=satellites if f.valid >> 22 & 1 else None,
        standing_still=bool(flags & 1), origin_epoch=epoch, reset_count=resets, lat_deg=f.number(0), lon_deg=f.number(0),
        alt_hae_m=f.number(1), alt_msl_m=f.number(2), sigma_enu_m=f.vector(3), enu_m=f.vector(4), origin_lat_deg=f.number(5),
        origin_lon_deg=f.number(5), origin_alt_hae_m=f.number(6), vel_enu_m_s=f.vector(7), vel_sigma_enu_m_s=f.vector(8),
        course_deg=f.number(14), q_enu_body=f.quaternion(9), roll_deg=f.number(10), pitch_deg=f.number(11), heading_deg=f.number(12),
        heading_magnetic_deg=f.number(13), tilt_sigma_deg=f.number(15), heading_sigma_deg=f.number(16), heading_trim_deg=f.always(),
        rate_body_rad_s=f.vector(17), accel_body_m_s2=f.vector(18), gravity_body=f.vector(19), slip_m_s2=f.number(20),
        fix_age_s=f.number(21), reset_delta_enu_m=f.always_vector(), reset_delta_heading_deg=f.always(), accel_enu_m_s2=f.vector(23),
        turn_rate_deg_s=f.number(24), glide_enu_m=f.always_vector(), glide_heading_deg=f.always(),
    )  # fmt: skip


def _guidance(data: bytes) -> Guidance:
    f = Fields(data, "B3xII4x8dIId")
    state, version, following = f.integer(), f.integer(), f.integer()
    numbers = [f.number(bit) for bit in (0, 1, 2, 4, 5, 6, 7, 8)]
    jumps, flags = f.integer(), f.integer()
    return Guidance(
        state=name_of(GUIDANCE_STATES, state, "waiting"), route_version=version, next_maneuver=following if f.valid >> 3 & 1 else None,
        progress_m=numbers[0], cross_track_m=numbers[1], segment_bearing_deg=numbers[2], distance_to_turn_m=numbers[3],
        straight_distance_to_turn_m=numbers[4], turn_angle_deg=numbers[5], distance_left_m=numbers[6], time_left_s=numbers[7],
        jump_count=jumps, jump_delta_m=f.always(), in_tunnel=bool(flags & 1),
    )  # fmt: skip


def _speed(data: bytes) -> Speed:
    f = Fields(data, "BB6x7dBB6xd")
    colour, source = f.integer(), f.integer()
    speed, limit, ratio, following, begin, curve, distance = (f.number(bit) for bit in range(7))
    following_source, flags = f.integer(), f.integer()
    return Speed(
        colour=name_of(COLOURS, colour, "unknown"), limit_source=name_of(LIMIT_SOURCES, source, "none"), speed_m_s=speed, limit_m_s=limit, ratio=ratio,
        next_limit_m_s=following, next_limit_distance_m=begin, next_limit_source=name_of(LIMIT_SOURCES, following_source, "none"),
        curve_speed_m_s=curve, curve_distance_m=distance, has_condition=bool(flags & 1), indicated_m_s=f.number(7),
    )  # fmt: skip


def _sources(data: bytes) -> Sources:
    return _source_states(Fields(data, "5B"))


def _source_states(f: Fields) -> Sources:
    gps, imu, magnetometer, barometer, wheels = (name_of(SOURCE_STATES, f.integer(), "absent") for _ in range(5))
    return Sources(gps, imu, magnetometer, barometer, wheels)


def _hello(sequence: int, data: bytes) -> Hello:
    f = Fields(data, "IIIIHH")
    topics, default, slowest, fastest, offset, length = (f.integer() for _ in range(6))
    return Hello(
        sequence, Topics(topics & 255), default / 1000, slowest / 1000, fastest / 1000, text_of(data, offset, length)
    )


def _maneuver(sequence: int, data: bytes) -> Maneuver:
    f = Fields(data, "II4d7H2x")
    version, index = f.integer(), f.integer()
    lat, lon, turn, along = f.number(1), f.number(1), f.number(2), f.always()
    text, text_length, kind, kind_length, count, size, offset = (f.integer() for _ in range(7))
    if not f.valid >> 3 & 1:
        count = 0
    if count and (size < 8 or offset + count * size > len(data)):
        raise ProtocolError("a lane lies outside of its block")
    lanes = tuple(_lane(data, offset + place * size) for place in range(count))
    return Maneuver(
        sequence, version, index if f.valid & 1 else None, lat, lon, turn, along, text_of(data, text, text_length), text_of(data, kind, kind_length),
        lanes,
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
    names = {4: "route", 5: "reset", 6: "origin"}
    return Event(sequence, at, names[kind], None, code) if kind in names else Unknown(sequence, 5)


def _status(sequence: int, data: bytes) -> Status:
    f = Fields(data, "qd6Q2dII8BHHI25d2B6x")
    time_ns, uptime = f.integer(), f.always()
    made, repeated, lost, measurements, accepted, rejected = (f.integer() for _ in range(6))
    imu, fix = f.number(0), f.number(1)
    clients, limit = f.integer(), f.integer()
    pose, guidance = name_of(POSE_STATES, f.integer(), "lost"), name_of(GUIDANCE_STATES, f.integer(), "waiting")
    sources = _source_states(f)
    f.integer()
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
    )


def _bye(sequence: int, data: bytes) -> Bye:
    f = Fields(data, "HHH")
    reason, offset, length = f.integer(), f.integer(), f.integer()
    return Bye(sequence, name_of(BYE_REASONS, reason, "unknown"), text_of(data, offset, length))


def decode(packet: bytes) -> Message:
    """One packet of the socket as a message; raises ProtocolError for what is none."""
    if len(packet) < HEADER.size:
        raise ProtocolError("shorter than a header")
    magic, version, kind, length, count, sequence = HEADER.unpack_from(packet)
    if magic != MAGIC or version != VERSION or length != len(packet):
        raise ProtocolError("no message of version 1")
    blocks: Dict[int, bytes] = {}
    place = HEADER.size
    for _ in range(count):
        if len(packet) - place < BLOCK.size:
            raise ProtocolError("a block lies outside of the message")
        block, size, _ = BLOCK.unpack_from(packet, place)
        if size < BLOCK.size or size > len(packet) - place:
            raise ProtocolError("a block lies outside of the message")
        blocks.setdefault(block, packet[place : place + size])
        place += size
    if place != len(packet):
        raise ProtocolError("bytes behind the last block")
    return _message(kind, sequence, blocks)


def _message(kind: int, sequence: int, blocks: Dict[int, bytes]) -> Message:
    try:
        if kind == 1:
            return _hello(sequence, blocks[16])
        if kind == 3:
            pose, guidance, speed, sources = blocks.get(2), blocks.get(3), blocks.get(4), blocks.get(5)
            return Frame(
                sequence, _stamp(blocks[1]), _pose(pose) if pose else None, _guidance(guidance) if guidance else None,
                _speed(speed) if speed else None, _sources(sources) if sources else None,
            )  # fmt: skip
        if kind == 4:
            return _maneuver(sequence, blocks[18])
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
        if kind == 10:
            return Unknown(sequence, kind, struct.unpack_from("<8xI", blocks[24].ljust(16, b"\0"))[0])
    except KeyError as missing:
        raise ProtocolError(f"a message of type {kind} without its block {missing}") from None
    return Unknown(sequence, kind)


def subscription(
    topics: Topics, rate_hz: float = 0, *, every: bool = False, smooth: bool = False, shared: bool = False
) -> bytes:
    """The packet that asks for topics at a rate; 0 is every frame."""
    flags = (1 if every else 0) | (2 if smooth else 0) | (4 if shared else 0)
    block = struct.pack("<HHIIIII", 17, 24, 0, int(topics), round(rate_hz * 1000), flags, 0)
    return HEADER.pack(MAGIC, VERSION, 2, HEADER.size + len(block), 1, 0) + block
