"""Reads the frames of posed: connects, subscribes, reads, and reconnects after a loss.

Standard library only, Python 3.9 and later. Unknown values are None, never 0 or NaN. Angles are in degrees, all other
quantities in SI units; names are those of the JSON lines.

    from posed_client import Client, Topics
    for frame in Client(topics=Topics.POSE, rate_hz=10).frames():
        print(frame.pose.heading_deg)
"""

from .client import DEFAULT_PATH, Client, Disconnected, SharedMemory
from .fields import ProtocolError
from .messages import (
    Bye,
    Event,
    Frame,
    Hello,
    Lane,
    Magnetometer,
    Maneuver,
    Message,
    Mount,
    Stamp,
    Status,
    Topics,
    Unknown,
    decode,
    subscription,
)
from .parts import Guidance, Pose, Sources, Speed
from .surroundings import Point, Points, Route, RoutePlace, RoutePoint, Scene, ScenePoint, Sight

__all__ = [
    "DEFAULT_PATH", "Bye", "Client", "Disconnected", "Event", "Frame", "Guidance", "Hello", "Lane", "Magnetometer",
    "Maneuver", "Message", "Mount", "Point", "Points", "Pose", "ProtocolError", "Route", "RoutePlace", "RoutePoint",
    "Scene", "ScenePoint", "SharedMemory", "Sight", "Sources", "Speed", "Stamp", "Status", "Topics", "Unknown",
    "decode", "subscription",
]  # fmt: skip
