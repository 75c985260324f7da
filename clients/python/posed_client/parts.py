"""The parts of a frame. Made by `make generated` from posed.h and Sources/Frames/Fields: do not edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .fields import Block, Quaternion, Vector

POSE_STATES = (
    "starting",
    "aligning",
    "coarse",
    "aligned",
    "deadReckoning",
    "lost",
    "attitudeOnly",
)
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
SPEED_COLOURS = (
    "unknown",
    "blue",
    "orange",
    "red",
)
LIMIT_SOURCES = (
    "none",
    "route",
    "road",
    "roadClass",
    "fallback",
)
LIMIT_REASONS = (
    "none",
    "time",
    "season",
    "weather",
    "vehicle",
    "trailer",
    "weight",
    "several",
)
SOURCE_STATES = (
    "absent",
    "opening",
    "waiting",
    "streaming",
    "stale",
    "lost",
)


@dataclass(frozen=True)
class Pose:
    """Position, velocity and attitude."""

    #: how far it can be trusted
    state: str
    #: geodetic, WGS 84
    lat_deg: Optional[float]
    #: (-180, 180]
    lon_deg: Optional[float]
    #: above the ellipsoid
    alt_hae_m: Optional[float]
    #: above mean sea level
    alt_msl_m: Optional[float]
    #: of the position
    sigma_enu_m: Optional[Vector]
    #: position relative to the origin of the local frame
    enu_m: Optional[Vector]
    #: changes when the local frame gets a new origin
    origin_epoch: int
    #: origin of the local frame
    origin_lat_deg: Optional[float]
    origin_lon_deg: Optional[float]
    origin_alt_hae_m: Optional[float]
    #: over ground
    vel_enu_m_s: Optional[Vector]
    vel_sigma_enu_m_s: Optional[Vector]
    #: acceleration over ground: extrapolates position and velocity
    accel_enu_m_s2: Optional[Vector]
    #: over ground, clockwise from true north, [0, 360)
    course_deg: Optional[float]
    #: attitude, body to east-north-up: w, x, y, z; north is the magnetic one where only heading_magnetic_deg is known,
    #: and arbitrary where no heading is
    q_enu_body: Optional[Quaternion]
    #: right side down positive
    roll_deg: Optional[float]
    #: nose up positive
    pitch_deg: Optional[float]
    #: clockwise from true north, [0, 360)
    heading_deg: Optional[float]
    #: clockwise from magnetic north, [0, 360)
    heading_magnetic_deg: Optional[float]
    #: of roll and pitch
    tilt_sigma_deg: Optional[float]
    #: of the true heading
    heading_sigma_deg: Optional[float]
    #: of the magnetic heading
    heading_magnetic_sigma_deg: Optional[float]
    #: current heading trim, clockwise positive
    heading_trim_deg: float
    #: rate of change of the heading, clockwise positive
    turn_rate_deg_s: Optional[float]
    #: angular rate
    rate_body_rad_s: Optional[Vector]
    #: acceleration without gravity
    accel_body_m_s2: Optional[Vector]
    #: direction of gravity (down), unit length
    gravity_body: Optional[Vector]
    #: specific force to the left: a slip ball goes right where it is positive
    slip_m_s2: Optional[float]
    standing_still: bool
    blending: bool
    #: since the last accepted fix was valid
    fix_age_s: Optional[float]
    #: of the last fix: 0 none yet, 1 no fix (replays only), 2 two-dimensional, 3 three-dimensional
    fix_mode: int
    #: in the last fix
    satellites_used: Optional[int]
    #: counts the announced jumps
    reset_count: int
    #: the last announced jump: new minus old
    reset_delta_enu_m: Vector
    #: the last announced jump of the heading: new minus old, clockwise positive
    reset_delta_heading_deg: float
    #: this pose minus the best one, of a subscription to a smooth pose
    glide_enu_m: Vector
    #: this heading minus the best one, clockwise positive; the course without a heading
    glide_heading_deg: float


def read_pose(data: bytes) -> Pose:
    """A posed_pose block."""
    b = Block(data, 464)
    return Pose(
        state=b.name(8, POSE_STATES, "lost"),
        lat_deg=b.number(24, 0),
        lon_deg=b.number(32, 0),
        alt_hae_m=b.number(40, 1),
        alt_msl_m=b.number(48, 2),
        sigma_enu_m=b.vector(56, 3),
        enu_m=b.vector(80, 4),
        origin_epoch=b.count(16, 4),
        origin_lat_deg=b.number(104, 5),
        origin_lon_deg=b.number(112, 5),
        origin_alt_hae_m=b.number(120, 6),
        vel_enu_m_s=b.vector(128, 7),
        vel_sigma_enu_m_s=b.vector(152, 8),
        accel_enu_m_s2=b.vector(392, 23),
        course_deg=b.number(176, 14),
        q_enu_body=b.quaternion(184, 9),
        roll_deg=b.number(216, 10),
        pitch_deg=b.number(224, 11),
        heading_deg=b.number(232, 12),
        heading_magnetic_deg=b.number(240, 13),
        tilt_sigma_deg=b.number(248, 15),
        heading_sigma_deg=b.number(256, 16),
        heading_magnetic_sigma_deg=b.number(456, 25),
        heading_trim_deg=b.always(264),
        turn_rate_deg_s=b.number(416, 24),
        rate_body_rad_s=b.vector(272, 17),
        accel_body_m_s2=b.vector(296, 18),
        gravity_body=b.vector(320, 19),
        slip_m_s2=b.number(344, 20),
        standing_still=b.flag(12, 4, 1),
        blending=b.flag(12, 4, 2),
        fix_age_s=b.number(352, 21),
        fix_mode=b.count(9, 1),
        satellites_used=b.known_count(10, 2, 22),
        reset_count=b.count(20, 4),
        reset_delta_enu_m=b.always_vector(360),
        reset_delta_heading_deg=b.always(384),
        glide_enu_m=b.always_vector(424),
        glide_heading_deg=b.always(448),
    )


@dataclass(frozen=True)
class Guidance:
    """Guidance along the route."""

    #: position relative to the route
    state: str
    #: changes with every route loaded or cleared
    route_version: int
    #: along the route from its start
    progress_m: Optional[float]
    #: sideways, left negative
    cross_track_m: Optional[float]
    #: direction of the route here, clockwise from true north, [0, 360)
    segment_bearing_deg: Optional[float]
    #: index in the route's list
    next_maneuver: Optional[int]
    #: along the route
    distance_to_turn_m: Optional[float]
    #: in a straight line
    straight_distance_to_turn_m: Optional[float]
    #: clockwise positive, (-180, 180]
    turn_angle_deg: Optional[float]
    #: to the end of the route
    distance_left_m: Optional[float]
    time_left_s: Optional[float]
    #: counts the jumps of the progress along one route: a skipped loop, a return further ahead
    jump_count: int
    #: the last jump of the progress, less the distance driven meanwhile; positive: forward
    jump_delta_m: float
    in_tunnel: bool
    #: along the route to the maneuver after the next; known up to 500 m
    then_distance_m: Optional[float]
    #: of the position used
    age_s: Optional[float]


def read_guidance(data: bytes) -> Guidance:
    """A posed_guidance block."""
    b = Block(data, 120)
    return Guidance(
        state=b.name(8, GUIDANCE_STATES, "waiting"),
        route_version=b.count(12, 4),
        progress_m=b.number(24, 0),
        cross_track_m=b.number(32, 1),
        segment_bearing_deg=b.number(40, 2),
        next_maneuver=b.known_count(16, 4, 3),
        distance_to_turn_m=b.number(48, 4),
        straight_distance_to_turn_m=b.number(56, 5),
        turn_angle_deg=b.number(64, 6),
        distance_left_m=b.number(72, 7),
        time_left_s=b.number(80, 8),
        jump_count=b.count(88, 4),
        jump_delta_m=b.always(96),
        in_tunnel=b.flag(92, 4, 1),
        then_distance_m=b.number(104, 10),
        age_s=b.number(112, 9),
    )


@dataclass(frozen=True)
class Speed:
    """Speed and limit."""

    #: over ground
    speed_m_s: Optional[float]
    #: here
    limit_m_s: Optional[float]
    #: speed divided by limit
    ratio: Optional[float]
    colour: str
    limit_source: str
    #: the next limit with a different value
    next_limit_m_s: Optional[float]
    #: along the way to the start of the next limit
    next_limit_distance_m: Optional[float]
    #: as limit_source
    next_limit_source: str
    #: comfortable speed for the next curve
    curve_speed_m_s: Optional[float]
    #: along the way to the point where that speed should be reached
    curve_distance_m: Optional[float]
    has_condition: bool
    #: speed that the vehicle's speedometer shows, from the settings; colour and ratio use it
    indicated_m_s: Optional[float]
    #: why the limit is not the road's general one
    limit_reason: str
    #: as limit_reason
    next_limit_reason: str
    #: of the speed used
    age_s: Optional[float]


def read_speed(data: bytes) -> Speed:
    """A posed_speed block."""
    b = Block(data, 96)
    return Speed(
        speed_m_s=b.number(16, 0),
        limit_m_s=b.number(24, 1),
        ratio=b.number(32, 2),
        colour=b.name(8, SPEED_COLOURS, "unknown"),
        limit_source=b.name(9, LIMIT_SOURCES, "none"),
        next_limit_m_s=b.number(40, 3),
        next_limit_distance_m=b.number(48, 4),
        next_limit_source=b.name(72, LIMIT_SOURCES, "none"),
        curve_speed_m_s=b.number(56, 5),
        curve_distance_m=b.number(64, 6),
        has_condition=b.flag(73, 1, 1),
        indicated_m_s=b.number(80, 7),
        limit_reason=b.name(74, LIMIT_REASONS, "none"),
        next_limit_reason=b.name(75, LIMIT_REASONS, "none"),
        age_s=b.number(88, 8),
    )


@dataclass(frozen=True)
class Sources:
    """State of each source."""

    gps: str
    imu: str
    magnetometer: str
    barometer: str
    wheels: str
    #: of the newest data of each source
    gps_age_s: Optional[float]
    imu_age_s: Optional[float]
    magnetometer_age_s: Optional[float]
    barometer_age_s: Optional[float]
    wheels_age_s: Optional[float]


def read_sources(data: bytes) -> Sources:
    """A posed_sources block."""
    b = Block(data, 56)
    return Sources(
        gps=b.name(8, SOURCE_STATES, "absent"),
        imu=b.name(9, SOURCE_STATES, "absent"),
        magnetometer=b.name(10, SOURCE_STATES, "absent"),
        barometer=b.name(11, SOURCE_STATES, "absent"),
        wheels=b.name(12, SOURCE_STATES, "absent"),
        gps_age_s=b.number(16, 0),
        imu_age_s=b.number(24, 1),
        magnetometer_age_s=b.number(32, 2),
        barometer_age_s=b.number(40, 3),
        wheels_age_s=b.number(48, 4),
    )
