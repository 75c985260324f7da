#include "motion.h"

#include <math.h>
#include <stdint.h>

static const double pi = 3.14159265358979323846;
static const double gravity = 9.80665;
static const double rest_seconds = 8.0; // level and still: time to find the gyro's offsets
static const double fade_in_seconds = 4.0; // the amplitude grows smoothly, so that no angle, rate or acceleration jumps

// One angle: amplitude * fade(t) * sin(2 pi f t + phase), t counted from the end of the rest.
struct swing {
    double amplitude, frequency, phase;
};
static const struct swing roll_swing = {20.0, 0.20, 0.0};
static const struct swing pitch_swing = {15.0, 0.20, 60.0};
static const struct swing yaw_swing = {25.0, 0.03, 0.0};

struct angle {
    double value, rate;
};

// The quintic step 6u^5 - 15u^4 + 10u^3: value and first two derivatives continuous at both ends.
static struct angle fade(double t) {
    if (t <= 0) return (struct angle){0, 0};
    if (t >= fade_in_seconds) return (struct angle){1, 0};
    double u = t / fade_in_seconds;
    return (struct angle){u * u * u * (u * (6 * u - 15) + 10), 30 * u * u * (u - 1) * (u - 1) / fade_in_seconds};
}

static struct angle swing_at(struct swing s, double t) {
    struct angle f = fade(t);
    double omega = 2 * pi * s.frequency, argument = omega * t + s.phase * pi / 180, amplitude = s.amplitude * pi / 180;
    return (struct angle){
        amplitude * f.value * sin(argument), amplitude * (f.rate * sin(argument) + f.value * omega * cos(argument))};
}

struct motion_reading motion_ideal(double seconds) {
    double t = seconds - rest_seconds;
    struct angle roll = swing_at(roll_swing, t), pitch = swing_at(pitch_swing, t), yaw = swing_at(yaw_swing, t);
    double sr = sin(roll.value), cr = cos(roll.value), sp = sin(pitch.value), cp = cos(pitch.value);
    return (struct motion_reading){
        .angular_rate = {roll.rate - yaw.rate * sp, pitch.rate * cr + yaw.rate * cp * sr,
            yaw.rate * cp * cr - pitch.rate * sr},
        .specific_force = {-gravity * sp, gravity * cp * sr, gravity * cp * cr},
    };
}

// A hash of the number, spread evenly over -1..1 (SplitMix64's finisher).
static double even(uint64_t n) {
    n = (n + 1) * 0x9E3779B97F4A7C15u;
    n = (n ^ (n >> 30)) * 0xBF58476D1CE4E5B9u;
    n = (n ^ (n >> 27)) * 0x94D049BB133111EBu;
    n ^= n >> 31;
    return (double)(n >> 11) / 4503599627370496.0 - 1.0;
}

struct motion_reading motion_measured(double seconds, unsigned long long index) {
    static const double rate_offset[3] = {0.006, -0.004, 0.003}, force_offset[3] = {0.020, -0.015, 0.030};
    // Peak of an even distribution of 1-sigma 0.002 rad/s and 0.02 m/s2.
    static const double rate_noise = 0.002 * 1.7320508, force_noise = 0.02 * 1.7320508;
    struct motion_reading reading = motion_ideal(seconds);
    for (int axis = 0; axis < 3; axis++) {
        reading.angular_rate[axis] += rate_offset[axis] + rate_noise * even(6 * index + axis);
        reading.specific_force[axis] += force_offset[axis] + force_noise * even(6 * index + 3 + axis);
    }
    return reading;
}
