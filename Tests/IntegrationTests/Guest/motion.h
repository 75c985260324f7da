// The motion of the emulated sensor: a rigid body turning about the sensor itself, as a pure function of the time since
// its start.
//
// Axes: body x forward, y left, z up; world east, north, up. Angles are z-y-x: yaw about up, then pitch about y
// (positive is nose down), then roll about x. GuestMotion.swift states the same motion for the test that compares.
#pragma once

struct motion_reading {
    double angular_rate[3];   // rad/s, what the gyro shows
    double specific_force[3]; // m/s2, what the accelerometer shows: +g upwards at rest
};

// What ideal sensors read `seconds` after the start of the motion.
struct motion_reading motion_ideal(double seconds);

// The same with the constant offsets and the white noise of a consumer-grade part; the noise of reading `index` is
// always the same.
struct motion_reading motion_measured(double seconds, unsigned long long index);
