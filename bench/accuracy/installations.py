"""Random installations on simulated drives: with fixes that arrive, the pose may not be worse than the receiver.

usage: python3 bench/accuracy/installations.py POSECTL TOOLS COUNT SEED [--keep FOLDER]

A case is a random way and driver, an IMU, a receiver with its errors, and up to three faults of the installation, which
``perturb.py`` in the folder TOOLS makes of the recording. It is bad where the 95th percentile of the horizontal error
exceeds 1.2 times the receiver's and 0.5 m, where the largest exceeds the receiver's by 15 m, where the heading above
5 m/s is off by 5 deg RMS, or where the error exceeds 6 sigma and 3 m in more than 1 % of the time. The receiver's own
error is that of the newest fix that has arrived, moved on by its velocity. Prints the bad cases and their number.
--keep leaves the recording and the replay of each case in a folder. Exit status 1 if a case is bad.
"""
import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tracks  # noqa: E402

# Scored from here on, seconds after the first fix.
BEGIN_SECONDS = 5.0
# The receiver's velocity moves its fix on for at most so long, seconds.
LONGEST_AGE = 10.0
FRAMES_PER_SECOND = 10
# Rate of an IMU of which samples are dropped, Hz.
SLOWEST_IMU = 25
# What a receiver states instead of the 1-sigma of each axis: one figure over two axes, and one over three.
STATED = {'horizontal_sigma_m': ('eph_m', 2 ** 0.5), 'speed_sigma_m_s': ('sacc_m_s', 3 ** 0.5)}
RTK_FIXED = '3'


class Case:
    """What is drawn for one case."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.seed = seed
        self.is_precise = r.random() < 0.4
        self.scenario = {
            'route': {'random': r.choice([16, 24, 32])},
            'speed': {'limit_km_h': r.choice([30, 50, 80]), 'standing_before_s': r.choice([2, 10, 35])},
            'hills': {'height_m': r.choice([0, 5, 20]), 'wavelength_m': 400},
            'receiver': self.receiver(r, self.is_precise),
            'imu': {'grade': r.choice(['consumer', 'automotive', 'automotive']),
                    'vibration': r.random() < 0.7, 'rate_hz': r.choice([50, 100, 200]),
                    'mount_deg': r.choice([[0, 0, 0], [0, 0, 90], [180, 30, -125], [20, -15, 40], [90, 0, 10]])},
            'seed': seed,
        }
        self.faults = self.faults_of_installation(r, self.scenario['imu']['rate_hz'] // SLOWEST_IMU)

    @staticmethod
    def receiver(r, is_precise):
        """The errors of a receiver, and what it states of them."""
        receiver = {
            'rate_hz': r.choice([1, 1, 5, 10]), 'white_m': 0.01 if is_precise else round(r.uniform(0.2, 1), 2),
            'wandering_m': 0.015 if is_precise else round(r.uniform(1, 3), 1),
            'velocity_m_s': round(r.uniform(0.03, 0.3), 2)}
        if r.random() < 0.3:
            receiver['stated_scale'] = round(r.uniform(0.4, 2), 1)
        if not is_precise and r.random() < 0.3:
            receiver.update(multipath_per_minute=1, multipath_m=r.choice([5, 15, 30]), multipath_s=r.choice([3, 8]))
        return receiver

    @staticmethod
    def faults_of_installation(r, most_dropped):
        """Arguments of ``perturb.py``; at most one sample in ``most_dropped`` is left."""
        u = r.uniform
        lag = u(0, 1)
        values = {
            'lag': f'{lag:.2f},{lag + u(0, 0.8):.2f}', 'shift': f'{u(-0.08, 0.2):.3f}',
            'arm': f'{u(-2, 2):.1f},{u(-0.8, 0.8):.1f},{u(0, 1.5):.1f}', 'gap': f'{u(0.5, 3):.1f}',
            'lose': f'{u(0.05, 0.3):.2f}', 'noise': f'{u(0.02, 0.3):.2f}', 'gyro_bias': f'{u(0, 4):.1f}',
            'misalign': f'{u(0, 0.03):.3f}', 'quantise': f'{u(0.05, 0.5):.2f}',
            'drop': str(r.choice(range(2, most_dropped + 1))), 'no_velocity': '', 'no_speed_accuracy': '',
            'no_accuracy': '', 'late': f'{u(0.2, 6):.1f}',
            'begin': f'{u(20, 100):.0f}', 'clip': f'{u(60, 250):.0f},{u(12, 20):.1f}',
            'wheel': f'{u(0, 0.5):.2f},{u(0.93, 1.05):.2f},{r.choice([5, 10, 50])}{r.choice(["", ",0.278"])}'}
        names = r.sample(sorted(values), r.choice([0, 1, 2, 3]))
        return [name + (f'={values[name]}' if values[name] else '') for name in names]

    def __str__(self):
        receiver, imu = self.scenario['receiver'], self.scenario['imu']
        words = [f'{name}={value}' for name, value in receiver.items()]
        return f'{self.seed}: {" ".join(words)} {imu["grade"]} {imu["rate_hz"]} Hz {" ".join(self.faults)}'


class Runner:
    """Makes and replays cases."""

    def __init__(self, posectl, tools):
        self.posectl, self.tools = posectl, tools

    def run(self, case, folder):
        """What is wrong with a case; empty if nothing is."""
        scenario, made, installed, frames = (
            os.path.join(folder, name) for name in ('scenario.yaml', 'made', 'installed', 'frames'))
        with open(scenario, 'w') as file:
            # JSON is YAML.
            json.dump(case.scenario, file)
        self.call(self.posectl, 'simulate', scenario, '-o', made, '--quiet')
        prepare(made, case.is_precise)
        if case.faults:
            self.call(sys.executable, os.path.join(self.tools, 'perturb.py'), made, installed, *case.faults)
        else:
            os.rename(made, installed)
        self.call(self.posectl, 'replay', installed, '--profile', 'vehicle', '--rate', str(FRAMES_PER_SECOND),
                  '--frames', frames, '--events', os.path.join(folder, 'events'), '--quiet')
        with open(frames, 'rb') as file:
            try:
                track = tracks.Track(file)
            except ValueError:
                return ['no pose']
        return judge(track, installed)

    @staticmethod
    def call(*command):
        """Runs a program; its errors are shown."""
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def prepare(folder, is_precise):
    """Writes the accuracies of a made recording into the columns from which ``perturb.py`` takes them away."""
    path = os.path.join(folder, 'gnss.csv')
    with open(path) as file:
        fixes = list(csv.DictReader(file))
    for fix in fixes:
        for name, (stated, factor) in STATED.items():
            value = fix.pop(name)
            fix[stated] = repr(factor * float(value)) if value else ''
        del fix['climb_sigma_m_s']
        if is_precise:
            fix['quality'] = RTK_FIXED
    with open(path, 'w', newline='') as file:
        writer = csv.DictWriter(file, fixes[0], lineterminator='\n')
        writer.writeheader()
        writer.writerows(fixes)


def receiver_errors(folder, truth, seconds):
    """Horizontal error of the newest fix at each time, moved on by its velocity, metres."""
    fixes = tracks.table(os.path.join(folder, 'gnss.csv'))
    places = truth.from_degrees(fixes['lat_deg'], fixes['lon_deg'], fixes['alt_hae_m'])
    i = np.clip(np.searchsorted(fixes['arrival_s'], seconds, 'right') - 1, 0, None)
    age = np.clip(seconds - fixes['t_s'][i], 0, LONGEST_AGE)
    velocity = np.nan_to_num(np.stack([fixes['vel_n_m_s'][i], fixes['vel_e_m_s'][i]], 1))
    return np.hypot(*(places[i, :2] + velocity * age[:, None] - true_places(truth, seconds)).T)


def true_places(truth, seconds):
    """Metres north and east."""
    return np.stack([np.interp(seconds, truth.seconds, truth.ned[:, i]) for i in (0, 1)], 1)


def judge(track, folder):
    """What is wrong with a replay, in words."""
    truth = tracks.Truth(folder)
    fixes = tracks.table(os.path.join(folder, 'gnss.csv'))
    known = np.isfinite(track.place[:, :2]).all(1)
    known &= (track.seconds > fixes['arrival_s'][0] + BEGIN_SECONDS) & (track.seconds < truth.seconds[-1])
    if known.sum() < 5 * FRAMES_PER_SECOND:
        return ['no pose']
    t = track.seconds[known]
    place = truth.from_degrees(*np.nan_to_num(track.place[known]).T)[:, :2]
    error = np.hypot(*(place - true_places(truth, t)).T)
    raw = receiver_errors(folder, truth, t)
    wrong = []
    ours, receivers = np.percentile(error, 95), np.percentile(raw, 95)
    if ours > 1.2 * receivers + 0.5:
        wrong.append(f'p95 {ours:.1f} m, receiver {receivers:.1f}')
    if error.max() > raw.max() + 15:
        wrong.append(f'largest {error.max():.0f} m, receiver {raw.max():.0f}')
    course, speed = truth.course_at(t)
    off = np.degrees(tracks.wrapped(np.radians(track.heading_deg[known]) - course))
    off = off[(speed > tracks.COURSE_SPEED) & np.isfinite(off)]
    if len(off) > 5 * FRAMES_PER_SECOND and tracks.rms(off) > 5:
        wrong.append(f'heading {tracks.rms(off):.0f} deg')
    sigma = np.hypot(*track.sigma_enu[known, :2].T)
    beyond = 100 * np.mean(error > 6 * np.where(np.isfinite(sigma), sigma, np.inf) + 3)
    if beyond > 1:
        wrong.append(f'{beyond:.0f} % beyond 6 sigma')
    return wrong


def bad_cases(runner, count, first, keep=None):
    """A line for each bad case."""
    for seed in range(first, first + count):
        case = Case(seed)
        with tempfile.TemporaryDirectory(prefix='posed-installation.') as folder:
            if keep:
                folder = os.path.join(keep, str(seed))
                os.makedirs(folder)
            wrong = runner.run(case, folder)
        if wrong:
            yield f'{case}: {", ".join(wrong)}'


def main():
    """Runs the cases; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('posectl', help='the program')
    parser.add_argument('tools', help='folder of perturb.py')
    parser.add_argument('count', type=int, help='number of cases')
    parser.add_argument('seed', type=int, help='of the first case')
    parser.add_argument('--keep', help='leave the recordings and replays in this folder')
    options = parser.parse_args()
    bad = 0
    for line in bad_cases(Runner(options.posectl, options.tools), options.count, options.seed, options.keep):
        print(line, flush=True)
        bad += 1
    print(f'{bad} of {options.count} installations worse than the receiver or beyond their sigma')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
