"""Runs the replays of a row: makes the recording with the tools beside the recordings, replays it, scores it."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

# What is longest is begun first: relative times of one replay.
COSTS = {'never_worse': 100, 'installations': 90, 'simulated': 50, 'clipped': 2, 'orientation': 2, 'second_replay': 2}
# Simulated drives in the quick check, and in the whole one.
CUT_DRIVES, ALL_DRIVES = 50, 200


class Bench:
    """Where the programs, recordings and tools are."""

    def __init__(self, programs, recordings, is_cut):
        self.programs, self.is_cut = programs, is_cut
        self.data, self.tools = os.path.join(recordings, 'data'), os.path.join(recordings, 'tools')

    def has_recordings(self):
        """Whether the recordings and their tools are there, which are not part of the project."""
        return os.path.isdir(self.data) and os.path.isdir(self.tools)

    def missing(self):
        """Why rows from recordings cannot be measured; None if they can."""
        for folder in (self.data, self.tools):
            if not os.path.isdir(folder):
                return f'{folder} is not there; the recordings are not part of the project'
        if importlib.util.find_spec('numpy') is None:
            return f'{sys.executable} has no numpy (Debian: python3-numpy)'
        return None

    def replays(self, row):
        """The number of replays of a row."""
        if row.kind == 'mean':
            return 0
        return max(1, len(row.variants), len(row.begins))

    def cost(self, row):
        """How long one of them takes, relative to others."""
        return COSTS.get(row.kind, 3 if row.command == 'smooth' else 1)

    def run(self, row, k):
        """The figures of one replay."""
        try:
            if row.kind == 'simulated':
                return self.simulate(row.variants[k])
            if row.kind == 'never_worse':
                return self.never_worse(row.variants[k])
            if row.kind == 'installations':
                return self.installations(*map(int, row.variants[k].split()))
            return self.replay(row, k)
        except (subprocess.CalledProcessError, ValueError, IndexError, OSError) as problem:
            # One row without figures must not cost the others.
            return {'problem': str(problem)}

    def replay(self, row, k):
        """Makes the recording, replays it and scores it."""
        import tracks
        with tempfile.TemporaryDirectory(prefix='posed-accuracy.') as folder:
            recording = os.path.join(self.data, row.source)
            if row.variants:
                recording = self.make(recording, folder, 'variant', 'score.py', ['variant'], row.variants[k])
            changes = row.perturbed + (f' begin={row.begins[k]}' if row.begins else '')
            if changes:
                recording = self.make(recording, folder, 'perturbed', 'perturb.py', [], changes)
            if row.kind == 'second_replay':
                return self.second_replay(row, recording, os.path.join(folder, 'state'))
            track = self.track(row, recording)
            if row.kind == 'orientation':
                return tracks.score_orientation(track, recording)
            if row.kind == 'clipped':
                limits = [float(x) for x in row.perturbed.partition('=')[2].split(',')]
                return tracks.score_clipped(track, recording, *limits)
            found = tracks.score_position(track, recording, row.skip, row.after_motion)
            if 'walking_heading' in row.asked:
                reference = self.track(row, os.path.join(self.data, row.source))
                found.update(tracks.score_heading(track, reference, recording))
            return found

    def second_replay(self, row, recording, state):
        """Replays a recording twice, the second time with what the first has stored: how the first minute gains."""
        import tracks
        os.mkdir(state)
        first, second = (
            tracks.score_first_minute(self.track(row, recording, ['--state', state]), recording) for _ in range(2))
        return {**second, **{f'{name}_ratio': second[name] / first[name] for name in first}}

    def track(self, row, recording, options=()):
        """Replays a recording."""
        import tracks
        command = [os.path.join(self.programs, 'posectl'), row.command, recording, '--profile', row.profile,
                   '--frames', '-', '--quiet', *row.options.split(), *options]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
            track = tracks.Track(child.stdout)
        if child.returncode != 0:
            raise ValueError(f'{" ".join(command)} ended with status {child.returncode}')
        return track

    def make(self, source, folder, name, tool, command, arguments):
        """A changed copy of a recording, by one of the tools."""
        made = os.path.join(folder, name)
        subprocess.run(
            [sys.executable, os.path.join(self.tools, tool), *command, source, made, *arguments.split()], check=True,
            stdout=subprocess.DEVNULL)
        return made

    def simulate(self, name):
        """The figures of simulated drives."""
        count = CUT_DRIVES if self.is_cut else ALL_DRIVES
        kind, *options = name.split()
        command = [os.path.join(self.programs, 'posed-accuracy'), kind, str(count), *options]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)

    def never_worse(self, arguments):
        """How many random installations are worse than their receiver."""
        command = [sys.executable, os.path.join(self.tools, 'never_worse.py'), os.path.join(self.programs, 'posectl'),
                   *arguments.split()]
        lines = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        return {'worse': int(lines[-1].split()[0]), 'notes': [line for line in lines[:-1] if line]}

    def installations(self, count, seed):
        """The same on simulated drives."""
        import installations
        runner = installations.Runner(os.path.join(self.programs, 'posectl'), self.tools)
        notes = list(installations.bad_cases(runner, count, seed))
        return {'worse': len(notes), 'notes': notes}

    def relate(self, row, figures):
        """Adds the figures that refer to other rows."""
        found = figures.get(row.name)
        if row.kind == 'mean':
            of = [figures[name] for name in figures if name.startswith('trial ') and 'total' in figures[name]]
            if of:
                figures[row.name] = {
                    name: sum(f[name] for f in of) / len(of) for name in ('total', 'inclination')}
        if found and row.base in figures:
            base = figures[row.base]
            for name in ('heading', 'p95'):
                if name in found and name in base:
                    found[f'{name}_ratio'] = found[name] / base[name]


def combine(row, parts):
    """The figures of several replays as one."""
    problems = [part['problem'] for part in parts if 'problem' in part]
    if problems:
        return {'problem': problems[0]}
    found = {'notes': [note for part in parts for note in part.get('notes', [])]}
    outages = [error for part in parts for error in part.get('outages', [])]
    held = [error for part in parts for error in part.get('held', [])]
    for name in parts[0]:
        if name in ('outages', 'held', 'notes'):
            continue
        values = [part[name] for part in parts]
        if name in ('resets', 'worse'):
            found[name] = sum(values)
        elif name == 'to_aligned':
            found[name] = max(values)
        else:
            found[name] = sum(values) / len(values)
    if outages:
        found['outage'] = root_mean_square(outages)
    if held and outages:
        found['outage_ratio'] = found['outage'] / root_mean_square(held)
    if 'within_north' in found:
        shares = [found[f'within_{axis}'] for axis in ('north', 'east', 'down')]
        found['within_least'], found['within_most'] = min(shares), max(shares)
        found['plane_least'], found['plane_most'] = min(shares[:2]), max(shares[:2])
    return found


def root_mean_square(values):
    """Root of the mean of the squares."""
    return (sum(value * value for value in values) / len(values)) ** 0.5
