"""Frames of posed as ROS 2 messages: dictionaries with the fields of nav_msgs/Odometry, sensor_msgs/Imu,
sensor_msgs/NavSatFix and geometry_msgs/TransformStamped. Needs no ROS. Frames and axes are those of REP 103 and 105."""

import math
import time

GRAVITY_M_S2 = 9.80665
HAS_FIX = ("aligned", "coarse", "aligning")  # the states in which a fix supports the position now
UNKNOWN_VARIANCE = 1e6  # nav_msgs has no mark for unknown: a variance that no filter trusts


def xyz(vector):
    return dict(zip("xyz", vector))


def turned_back(q, v):
    """A vector of the world in the axes of the body: the rotation (w, x, y, z) the other way round."""
    w, x, y, z = q[0], -q[1], -q[2], -q[3]
    a = (2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0]))
    return (v[0] + w * a[0] + y * a[2] - z * a[1], v[1] + w * a[1] + z * a[0] - x * a[2],
            v[2] + w * a[2] + x * a[1] - y * a[0])


def square(sigmas, size, unknown):
    """A covariance matrix, row by row, from 1-sigmas; None is unknown."""
    values = [0.0] * size * size
    for index, sigma in enumerate(sigmas):
        values[index * (size + 1)] = unknown if sigma is None else float(sigma) ** 2
    return values


def turned_back_sigmas(q, sigmas):
    """1-sigmas of the world's axes as those of the body's axes; None is unknown."""
    if not sigmas or None in sigmas:
        return [None] * 3
    axes = [turned_back(q, axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    return [math.hypot(*(axis[i] * sigma for axis, sigma in zip(axes, sigmas))) for i in range(3)]


def messages(frame, world="map", body="base_link"):
    """The messages of a frame, by their topics; a message whose content is unknown is left out."""
    pose, out = frame.pose, {}
    # posed's times are monotonic: ROS has the system's clock.
    nanoseconds = time.time_ns() - time.monotonic_ns() + round(frame.stamp.time_s * 1e9)
    stamp = {"sec": nanoseconds // 10**9, "nanosec": nanoseconds % 10**9}
    head = lambda name: {"stamp": stamp, "frame_id": name}
    q = pose.q_enu_body
    orientation = dict(zip("wxyz", q or (1.0, 0.0, 0.0, 0.0)))
    tilt, heading = pose.tilt_sigma_deg, pose.heading_sigma_deg
    angles = [None if sigma is None else math.radians(sigma) for sigma in (tilt, tilt, heading)]
    # After so long a reckoning the position means nothing.
    if pose.state != "lost" and pose.enu_m and q and pose.heading_deg is not None and pose.vel_enu_m_s:
        six = lambda first, second: square(list(first or [None] * 3) + list(second), 6, UNKNOWN_VARIANCE)
        out["odom"] = {
            "header": head(world), "child_frame_id": body,
            "pose": {"pose": {"position": xyz(pose.enu_m), "orientation": orientation},
                     "covariance": six(pose.sigma_enu_m, angles)},
            "twist": {"twist": {"linear": xyz(turned_back(q, pose.vel_enu_m_s)),
                                "angular": xyz(pose.rate_body_rad_s or (0.0, 0.0, 0.0))},
                      "covariance": six(turned_back_sigmas(q, pose.vel_sigma_enu_m_s), [None] * 3)}}
        out["tf"] = {"transforms": [{"header": head(world), "child_frame_id": body, "transform": {
            "translation": xyz(pose.enu_m), "rotation": orientation}}]}
    if pose.rate_body_rad_s and pose.accel_body_m_s2 and pose.gravity_body:
        # ROS wants what an accelerometer feels: gravity is a part of it, upwards.
        force = [a - GRAVITY_M_S2 * g for a, g in zip(pose.accel_body_m_s2, pose.gravity_body)]
        known = q and pose.heading_deg is not None and None not in angles
        out["imu"] = {
            "header": head(body), "orientation": orientation,
            "orientation_covariance": square(angles, 3, 0.0) if known else [-1.0] + [0.0] * 8,
            "angular_velocity": xyz(pose.rate_body_rad_s), "angular_velocity_covariance": [0.0] * 9,
            "linear_acceleration": xyz(force), "linear_acceleration_covariance": [0.0] * 9}
    if pose.lat_deg is not None and pose.lon_deg is not None:
        sigma = pose.sigma_enu_m
        out["fix"] = {
            "header": head(body),
            "status": {"status": 0 if pose.state in HAS_FIX and pose.fix_mode >= 2 else -1, "service": 1},
            "latitude": pose.lat_deg, "longitude": pose.lon_deg,
            "altitude": math.nan if pose.alt_hae_m is None else pose.alt_hae_m,
            "position_covariance": square(sigma or [None] * 3, 3, 0.0),
            "position_covariance_type": 2 if sigma else 0}
    return out
