#!/usr/bin/env python3
"""A ROS 2 node that publishes posed: odom (nav_msgs/Odometry), imu (sensor_msgs/Imu), fix (sensor_msgs/NavSatFix) and
the transform from map to base_link. Parameters: socket, rate_hz, world, body.

    python3 posed_ros.py --ros-args -p rate_hz:=50.0
"""

import rclpy
from mapping import messages
from nav_msgs.msg import Odometry
from posed_client import DEFAULT_PATH, Client, Disconnected, Frame, Topics
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rosidl_runtime_py.set_message import set_message_fields
from sensor_msgs.msg import Imu, NavSatFix
from tf2_msgs.msg import TFMessage

KINDS = {"odom": Odometry, "imu": Imu, "fix": NavSatFix, "tf": TFMessage}


def main():
    rclpy.init()
    node = Node("posed")
    value = lambda name, default: node.declare_parameter(name, default).value
    client = Client(value("socket", DEFAULT_PATH), Topics.POSE, value("rate_hz", 50.0))
    world, body = value("world", "map"), value("body", "base_link")
    # tf is one topic for all nodes, whatever this one is called.
    publishers = {key: node.create_publisher(kind, "/tf" if key == "tf" else key, 10) for key, kind in KINDS.items()}
    epoch = None
    try:
        while rclpy.ok():
            rclpy.spin_once(node, timeout_sec=0)
            try:
                frame = client.next(0.5)
            except Disconnected as reason:
                node.get_logger().warning(f"no frames: {reason}", throttle_duration_sec=10)
                continue
            if not isinstance(frame, Frame) or frame.pose is None:
                continue
            if epoch not in (None, frame.stamp.origin_epoch):
                node.get_logger().warning(f"{world} has a new origin: earlier positions refer to another one")
            epoch = frame.stamp.origin_epoch
            for key, fields in messages(frame, world, body).items():
                message = KINDS[key]()
                set_message_fields(message, fields)
                publishers[key].publish(message)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        client.close()
        node.destroy_node()


if __name__ == "__main__":
    main()
