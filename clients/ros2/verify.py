#!/usr/bin/env python3
"""Checks the mapping against the definitions of the messages in rosbags: reads frames of a daemon, makes each message,
serialises it as ROS 2 does, reads it back, and compares it with the frame. usage: verify.py SOCKET [FRAMES]"""

import math
import sys

import numpy
from mapping import messages, turned_back, turned_back_sigmas
from posed_client import Client, Topics
from rosbags.typesys import Stores, get_typestore

TYPES = {"odom": "nav_msgs/msg/Odometry", "imu": "sensor_msgs/msg/Imu", "fix": "sensor_msgs/msg/NavSatFix",
         "tf": "tf2_msgs/msg/TFMessage"}


def built(store, name, fields):
    """A message of a type from a dictionary, which must have exactly the fields of the definition."""
    definition = store.fielddefs[name][1]
    assert set(fields) == {field for field, _ in definition}, (name, set(fields))
    values = {}
    for field, (kind, detail) in definition:
        value, kind = fields[field], int(kind)
        if kind == 2:  # a message
            values[field] = built(store, detail, value)
        elif kind in (3, 4) and int(detail[0][0]) == 2:  # an array or sequence of messages
            values[field] = [built(store, detail[0][1], each) for each in value]
        elif kind in (3, 4):
            assert kind == 4 or len(value) == detail[1], (name, field, len(value))
            values[field] = numpy.array(value, dtype=numpy.float64)
        else:
            values[field] = value
    return store.types[name](**values)


def check(frame, read):
    """Compares what was read back with the frame: quantities, axes and order."""
    pose = frame.pose
    if "fix" in read:
        assert (read["fix"].latitude, read["fix"].longitude) == (pose.lat_deg, pose.lon_deg)
        assert numpy.allclose(read["fix"].position_covariance.reshape(3, 3).diagonal(), numpy.square(pose.sigma_enu_m))
    if "odom" in read:
        odom, q = read["odom"].pose.pose.orientation, pose.q_enu_body
        assert (odom.w, odom.x, odom.y, odom.z) == q
        # The yaw of ROS counts from east, counterclockwise; the heading from north, clockwise.
        yaw = math.atan2(2 * (odom.w * odom.z + odom.x * odom.y), 1 - 2 * (odom.y**2 + odom.z**2))
        assert abs(math.remainder(math.radians(90 - pose.heading_deg) - yaw, 2 * math.pi)) < 1e-3
        speed = read["odom"].twist.twist.linear
        assert abs(math.hypot(speed.x, speed.y, speed.z) - math.hypot(*pose.vel_enu_m_s)) < 1e-9
        if math.hypot(*pose.vel_enu_m_s) > 5:
            assert speed.x > 0.95 * math.hypot(*pose.vel_enu_m_s)  # a vehicle drives forwards
    if "imu" in read and pose.standing_still:
        force = read["imu"].linear_acceleration
        assert abs(force.z - 9.81) < 0.5, force  # an accelerometer at rest feels gravity upwards


def main():
    store = get_typestore(Stores.ROS2_HUMBLE)
    north = (math.sqrt(0.5), 0, 0, math.sqrt(0.5))
    assert numpy.allclose(turned_back(north, (0, 1, 0)), (1, 0, 0))
    assert numpy.allclose(turned_back_sigmas(north, (0.05, 0.4, 0.1)), (0.4, 0.05, 0.1))
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seen = {}
    for frame in Client(sys.argv[1], Topics.POSE, rate_hz=20).frames():
        read = {}
        for key, fields in messages(frame).items():
            name = TYPES[key]
            data = store.serialize_cdr(built(store, name, fields), name)
            read[key] = store.deserialize_cdr(data, name)
            seen[key] = seen.get(key, 0) + 1
        check(frame, read)
        count -= 1
        if count <= 0:
            break
    print(" ".join(f"{key}={number}" for key, number in sorted(seen.items())))


if __name__ == "__main__":
    main()
