"""What a replay published, and how it is scored against the truth of its recording.

The definitions are those of ``score.py`` beside the recordings: errors are interpolated to the true epochs, the heading
is compared with the course of the true positions above 5 m/s, an outage counts with its largest horizontal error. In
addition: the share of time within the stated sigma, the time until the heading is found, and the resets.
"""
import csv
import json
import os

import numpy as np

# WGS 84.
SEMI_MAJOR_METERS = 6378137.0
ECCENTRICITY_SQUARED = 6.69437999014e-3
# Speed from which a course is a heading, m/s; and from which something moves.
COURSE_SPEED, MOVING_SPEED = 5.0, 1.0
# The heading of a walk is judged from here on, seconds of walking.
WALKED_SECONDS = 60.0
# Half the span of the true positions that give a course, seconds.
COURSE_SPAN = 0.55
# Errors after an outage are not counted among those outside of it, seconds.
AFTER_OUTAGE = 1.3
# Errors after the end of a range are expected for so long, seconds.
AFTER_SATURATION = 5.0
# The first minute of a drive, seconds; and a heading of which nothing is known, degrees RMS.
FIRST_SECONDS, ANY_HEADING = 60.0, 180 / 3 ** 0.5
# A one-sigma circle of two independent errors with the same sigma each holds 68 % from this factor on.
CIRCLE_68 = 1.52


def rms(values):
    """Root mean square; NaN of nothing."""
    return float(np.sqrt(np.mean(np.square(values)))) if len(values) else float('nan')


def wrapped(angle):
    """An angle between -pi and pi, rad."""
    return np.arctan2(np.sin(angle), np.cos(angle))


def table(path):
    """The columns of a CSV file by name; an empty field is NaN."""
    with open(path) as file:
        head = file.readline().strip().split(',')
        rows = file.readlines()
    data = np.genfromtxt(rows, delimiter=',', ndmin=2) if rows else np.zeros((0, len(head)))
    return {name: data[:, i] for i, name in enumerate(head)}


class Track:
    """The poses of one replay, by time: arrays of the same length. Unknown values are NaN."""

    def __init__(self, lines):
        """Reads the JSON lines of a replay."""
        rows = []
        self.states = []
        unknown = float('nan')
        for line in lines:
            # The other topics of a line are long and not needed.
            frame = json.loads(line.partition(b',"guidance":')[0] + b'}')
            pose = frame.get('pose')
            if not pose:
                continue

            def values(name, count):
                value = pose.get(name)
                if value is None:
                    return [unknown] * count
                return value if count > 1 else [value]

            rows.append(
                [frame['t_s']] + values('lat_deg', 1) + values('lon_deg', 1) + values('alt_hae_m', 1)
                + values('q_enu_body', 4) + values('sigma_enu_m', 3) + values('heading_deg', 1)
                + values('course_deg', 1) + values('tilt_sigma_deg', 1) + [pose['reset_count']])
            self.states.append(pose['state'])
        if len(rows) < 10:
            raise ValueError('the replay gave fewer than 10 poses')
        rows = np.array(rows, float)
        order = np.argsort(rows[:, 0], kind='stable')
        rows = rows[order]
        self.states = [self.states[i] for i in order]
        self.seconds, self.place, self.attitude = rows[:, 0], rows[:, 1:4], rows[:, 4:8]
        self.sigma_enu, self.heading_deg, self.course_deg = rows[:, 8:11], rows[:, 11], rows[:, 12]
        self.tilt_sigma_deg, self.resets = rows[:, 13], rows[:, 14]

    def heading(self, has_imu):
        """Heading from north, rad: of the body's x axis, or without an IMU the course."""
        if not has_imu:
            return np.radians(self.course_deg)
        w, x, y, z = self.attitude.T
        return np.arctan2(1 - 2 * (y * y + z * z), 2 * (x * y + w * z))


class Truth:
    """The true positions of a recording, in metres north, east and down of the first."""

    def __init__(self, folder):
        t = table(os.path.join(folder, 'truth.csv'))
        self.seconds = t['t_s']
        self.is_good = t['rtk_fixed'] == 1 if 'rtk_fixed' in t else np.ones(len(t['t_s']), bool)
        self.origin = (t['lat_deg'][0], t['lon_deg'][0], t['alt_hae_m'][0])
        self.ned = self.from_degrees(t['lat_deg'], t['lon_deg'], t['alt_hae_m'])
        self.course, self.speed = self.course_at(self.seconds)
        moving = np.flatnonzero(self.speed > MOVING_SPEED)
        self.first_motion = float(self.seconds[moving[0]]) if len(moving) else float(self.seconds[0])

    def from_degrees(self, latitude, longitude, altitude):
        """Positions in metres north, east and down of the first true one."""
        lat0, lon0, alt0 = self.origin
        sine = np.sin(np.radians(lat0))
        s = 1 - ECCENTRICITY_SQUARED * sine ** 2
        meridian = SEMI_MAJOR_METERS * (1 - ECCENTRICITY_SQUARED) / s ** 1.5
        normal = SEMI_MAJOR_METERS / np.sqrt(s)
        return np.stack(
            [np.radians(latitude - lat0) * (meridian + alt0),
             np.radians(longitude - lon0) * (normal + alt0) * np.cos(np.radians(lat0)),
             -(altitude - alt0)], -1)

    def course_at(self, t):
        """Course from north, rad, and speed, m/s, of the true positions before and after a time."""
        before, after = t - COURSE_SPAN, t + COURSE_SPAN
        north, east = (
            np.interp(after, self.seconds, self.ned[:, i]) - np.interp(before, self.seconds, self.ned[:, i])
            for i in (0, 1))
        bad = (before < self.seconds[0]) | (after > self.seconds[-1])
        return (np.where(bad, np.nan, np.arctan2(east, north)),
                np.where(bad, 0, np.hypot(north, east) / (2 * COURSE_SPAN)))


def outages(folder):
    """Begin and end of each outage of a recording, seconds."""
    path = os.path.join(folder, 'outages.csv')
    if not os.path.exists(path):
        return []
    t = table(path)
    return list(zip(t['start_s'], t['end_s']))


def held_fix_errors(folder, truth, windows):
    """Per outage the largest distance from the fix before it, metres: what a receiver that holds its fix shows."""
    fixes = table(os.path.join(folder, 'gnss.csv'))
    places = truth.from_degrees(fixes['lat_deg'], fixes['lon_deg'], fixes['alt_hae_m'])
    worst = []
    for begin, end in windows:
        inside = (truth.seconds > begin) & (truth.seconds <= end) & truth.is_good
        last = np.flatnonzero(fixes['t_s'] <= begin)
        if inside.any() and len(last):
            error = truth.ned[inside, :2] - places[last[-1], :2]
            worst.append(np.hypot(error[:, 0], error[:, 1]).max())
    return worst


def score_position(track, folder, skip=30.0, after_motion=None):
    """The figures of a replay with a true position, by name.

    ``skip``: seconds of frames that are not scored; with ``after_motion`` scoring begins so many seconds after the
    first motion instead.
    """
    truth = Truth(folder)
    known = np.isfinite(track.place).all(1)
    has_imu = np.isfinite(track.attitude).all(1).any()
    if has_imu:
        known &= np.isfinite(track.attitude).all(1)
    t, place = track.seconds[known], truth.from_degrees(*track.place[known].T)
    begin = t[0] + skip if after_motion is None else truth.first_motion + after_motion
    error = np.stack([np.interp(truth.seconds, t, place[:, i]) for i in range(3)], 1) - truth.ned
    horizontal = np.hypot(error[:, 0], error[:, 1])
    span = (truth.seconds >= begin) & (truth.seconds <= t[-1]) & truth.is_good
    inside, worst, windows = np.zeros(len(horizontal), bool), [], outages(folder)
    for start, end in windows:
        m = (truth.seconds > start) & (truth.seconds <= end) & truth.is_good & (truth.seconds <= t[-1])
        inside |= (truth.seconds > start) & (truth.seconds <= end + AFTER_OUTAGE)
        if m.any():
            worst.append(float(horizontal[m].max()))
    m = span & ~inside
    found = {
        'north': rms(error[m, 0]), 'east': rms(error[m, 1]), 'down': rms(error[m, 2]),
        'horizontal': rms(horizontal[m]), 'p95': float(np.percentile(horizontal[m], 95)),
        'largest': float(horizontal[m].max()), 'resets': float(track.resets[-1]), 'outages': worst,
        'held': held_fix_errors(folder, truth, windows) if windows else [],
    }
    # The sigma that was published last, as a user reads it.
    i = np.clip(np.searchsorted(t, truth.seconds, 'right') - 1, 0, len(t) - 1)
    sigma = track.sigma_enu[known][i][:, [1, 0, 2]]
    within = 100 * np.mean(np.abs(error[span]) < sigma[span], axis=0)
    found.update(within_north=within[0], within_east=within[1], within_down=within[2])
    heading = np.interp(truth.seconds, t, np.unwrap(track.heading(has_imu)[known]))
    off = np.degrees(wrapped(heading - truth.course))
    fast = m & (truth.speed > COURSE_SPEED) & np.isfinite(truth.course) & np.isfinite(off)
    found['heading'] = rms(off[fast]) if fast.sum() > 20 else float('nan')
    aligned = [s for s, state in zip(track.seconds, track.states) if state == 'aligned']
    found['to_aligned'] = max(0.0, float(aligned[0]) - truth.first_motion) if aligned else float('inf')
    return found


def score_first_minute(track, folder):
    """Errors of the first minute with a position: horizontal RMS, metres, and heading in motion, degrees; one that is
    not stated counts as any."""
    truth = Truth(folder)
    known = np.isfinite(track.place[:, :2]).all(1)
    t, place = track.seconds[known], truth.from_degrees(*track.place[known].T)
    m = (truth.seconds >= t[0]) & (truth.seconds < t[0] + FIRST_SECONDS) & truth.is_good
    error = [np.interp(truth.seconds[m], t, place[:, i]) - truth.ned[m, i] for i in (0, 1)]
    fast = m & (truth.speed > COURSE_SPEED) & np.isfinite(truth.course)
    i = np.clip(np.searchsorted(track.seconds, truth.seconds[fast], 'right') - 1, 0, len(track.seconds) - 1)
    off = np.degrees(wrapped(np.radians(track.heading_deg[i]) - truth.course[fast]))
    off[~np.isfinite(off)] = ANY_HEADING
    return {'first_place': rms(np.hypot(*error)), 'first_heading': rms(off)}


def score_heading(track, reference, folder):
    """Heading after a minute of walking, RMS, degrees, against that of the same walk with a better receiver: nothing
    else tells how the sensor is held against the way."""
    truth = Truth(folder)
    known = np.isfinite(track.attitude).all(1) & (track.seconds > truth.first_motion + WALKED_SECONDS)
    with_both = np.isfinite(reference.attitude).all(1)
    expected = np.interp(
        track.seconds[known], reference.seconds[with_both], np.unwrap(reference.heading(True)[with_both]))
    return {'walking_heading': np.degrees(rms(wrapped(track.heading(True)[known] - expected)))}


def product(a, b):
    """Products of two rows of quaternions, w first."""
    w, x, y, z = a.T
    p, q, r, s = b.T
    return np.stack([w * p - x * q - y * r - z * s, w * q + x * p + y * s - z * r,
                     w * r - x * s + y * p + z * q, w * s + x * r - y * q + z * p], -1)


def attitude_errors(track, folder):
    """Of each true epoch: seconds, whether it is scored, quaternion of the error, stated tilt sigma in degrees."""
    t = table(os.path.join(folder, 'truth.csv'))
    q = np.stack([t[name] for name in ('q_enu_from_sensor_w', 'q_x', 'q_y', 'q_z')], -1)
    known = np.isfinite(track.attitude).all(1)
    seconds, attitude, sigma = track.seconds[known], track.attitude[known], track.tilt_sigma_deg[known]
    i = np.clip(np.searchsorted(seconds, t['t_s'], side='right') - 1, 0, len(seconds) - 1)
    good = np.isfinite(q).all(1) & (t['t_s'] >= seconds[0])
    error = product(attitude[i], q * [1, -1, -1, -1])
    return t['t_s'], t['moving'] == 1, good, error / np.linalg.norm(error, axis=1)[:, None], sigma[i]


def score_orientation(track, folder):
    """Total error and its parts about and across the vertical, RMS while moving, degrees."""
    _, moving, good, error, _ = attitude_errors(track, folder)
    error = error[moving & good]
    total = 2 * np.arccos(np.clip(np.abs(error[:, 0]), 0, 1))
    heading = 2 * np.arctan2(np.abs(error[:, 3]), np.abs(error[:, 0]))
    return {'total': np.degrees(rms(total)), 'heading': np.degrees(rms(heading)),
            'inclination': np.degrees(rms(inclination(error)))}


def inclination(error):
    """The part of an error that is no turn about the vertical, rad."""
    return 2 * np.arccos(np.clip(np.hypot(error[:, 0], error[:, 3]), 0, 1))


def score_clipped(track, folder, rate_limit_deg_s, force_limit):
    """Tilt while a range ends and for 5 s after it: how often it is within the sigma; and its error later."""
    seconds, _, good, error, sigma = attitude_errors(track, folder)
    with open(os.path.join(folder, 'imu.csv')) as file:
        samples = np.array([[float(x) for x in row[:7]] for row in list(csv.reader(file))[1:]])
    at_end = (np.abs(samples[:, 1:4]) >= np.radians(rate_limit_deg_s) * 0.9999).any(1)
    at_end |= (np.abs(samples[:, 4:7]) >= force_limit * 0.9999).any(1)
    ends = samples[at_end, 0]
    if not len(ends):
        raise ValueError('no reading reaches the end of its range')
    tilt = np.degrees(inclination(error))
    j = np.searchsorted(ends, seconds, side='right') - 1
    since = np.where(j >= 0, seconds - ends[np.clip(j, 0, None)], np.inf)
    near, later = good & (since < AFTER_SATURATION), good & (since > AFTER_SATURATION) & np.isfinite(since)
    return {'tilt_within': 100 * float(np.mean(tilt[near] < CIRCLE_68 * sigma[near])),
            'tilt_near': rms(tilt[near]), 'tilt_later': float(tilt[later].max()) if later.any() else 0.0}
