"""The table: each figure beside what is asked, and beside what is reached where that is worse."""
import json
import math
import os
import textwrap

from conditions import AT_LEAST, FIGURES
from reasons import reason

REACHED = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'reached.json')
TABLE_HEAD = '| condition | figure | measured | asked | reached | |\n|---|---|---|---|---|---|'
# What is stored leaves room for other orders of rounding on other processors.
MARGIN = 0.03


def load_reached(path=REACHED):
    """Row: figure: value that is reached, for figures that are not what is asked."""
    with open(path) as file:
        return json.load(file)


def number(value, name):
    """A figure with its decimals."""
    if value is None or math.isnan(value):
        return 'none'
    return 'never' if math.isinf(value) else f'{value:.{FIGURES[name][2]}f}'


class Line:
    """One figure of one row."""

    def __init__(self, row, name, value, asked, reached):
        self.row, self.name, self.value, self.asked, self.reached = row, name, value, asked, reached
        self.is_asked_met = asked is None or self.keeps(asked)
        self.is_reached_kept = reached is not None and self.keeps(reached)

    def keeps(self, limit):
        """Whether the figure as printed keeps a limit; what is unknown keeps none."""
        if self.value is None or math.isnan(self.value):
            return False
        if math.isinf(self.value):
            return False
        value = round(self.value, FIGURES[self.name][2])
        return value >= limit if self.name in AT_LEAST else value <= limit

    @property
    def verdict(self):
        """One word for the table."""
        if self.asked is None:
            return ''
        if self.is_asked_met:
            return 'ok'
        return 'not met' if self.is_reached_kept else 'WORSE'

    def columns(self):
        """Title, measured, asked, reached and verdict."""
        title, unit, _ = FIGURES[self.name]
        sign = '>=' if self.name in AT_LEAST else '<='
        value = number(self.value, self.name)
        measured = f'{value} {unit}' if unit and value not in ('none', 'never') else value
        asked = '' if self.asked is None else f'{sign} {self.asked:g}'
        reached = '' if self.is_asked_met or self.reached is None else f'{sign} {self.reached:g}'
        return title, measured, asked, reached, self.verdict


class Report:
    """All figures of a run."""

    def __init__(self, rows, figures, reached):
        self.rows, self.figures = rows, figures
        self.lines = [
            Line(row, name, figures[row.name].get(name), asked, reached.get(row.name, {}).get(name))
            for row in rows for name, asked in row.asked.items()]

    @property
    def problems(self):
        """A line for each figure that is worse than it may be."""
        found = []
        for line in self.lines:
            if line.verdict != 'WORSE':
                continue
            title, measured, asked, reached, _ = line.columns()
            reason = self.figures[line.row.name].get('problem', f'{title} is {measured}')
            limits = f'asked {asked}' + (f', reached before {reached}' if reached else '')
            found.append(f'WORSE: {line.row.name}: {reason}; {limits}')
        return found

    def text(self):
        """The table for a terminal."""
        out, group, name = [], None, None
        for line in self.lines:
            if line.row.group != group:
                group = line.row.group
                out.append(f'\n{group}')
                out.append(f'  {"":56} {"":40} {"measured":>12}  {"asked":10} {"reached":10}')
            title, measured, asked, reached, verdict = line.columns()
            first = line.row.name if line.row.name != name else ''
            name = line.row.name
            out.append(f'  {first:56} {title:40} {measured:>12}  {asked:10} {reached:10} {verdict}'.rstrip())
        notes = [note for row in self.rows for note in self.figures[row.name].get('notes', [])]
        if notes:
            out += ['', 'Worse than their receiver:'] + [f'  {note}' for note in notes]
        met = sum(line.is_asked_met for line in self.lines if line.asked is not None)
        count = sum(line.asked is not None for line in self.lines)
        out.append(f'\n{met} of {count} figures are what is asked.')
        return '\n'.join(out)

    def write_page(self, path):
        """The table as a page of the documentation."""
        out = [INTRODUCTION]
        group, name = None, None
        for line in self.lines:
            if line.row.group != group:
                group = line.row.group
                out.append(f'\n## {group}\n{TABLE_HEAD}')
            title, measured, asked, reached, verdict = line.columns()
            first = line.row.name if line.row.name != name else ''
            name = line.row.name
            out.append(f'| {first} | {title} | {measured} | {asked} | {reached} | {verdict} |')
        met = sum(line.is_asked_met for line in self.lines if line.asked is not None)
        count = sum(line.asked is not None for line in self.lines)
        out.append(f'\n{met} of {count} figures are what is asked.')
        out += self.not_met()
        with open(path, 'w') as file:
            file.write('\n'.join(out) + '\n')

    def not_met(self):
        """A section with the reason for each row that has a figure that is not what is asked."""
        rows = list(dict.fromkeys(line.row.name for line in self.lines if not line.is_asked_met))
        reasons = dict.fromkeys(reason(name) for name in rows)
        out = ['\n## Why figures are not what is asked'] if rows else []
        for text in reasons:
            names = '; '.join(name for name in rows if reason(name) == text)
            out += textwrap.wrap(
                f'- **{names}**: {text}', 120, subsequent_indent='  ', break_on_hyphens=False)
        return out

    def renew(self, path):
        """Stores what is reached now for each figure that is not what is asked, and forgets those that are."""
        reached = load_reached(path)
        for line in self.lines:
            kept = reached.setdefault(line.row.name, {})
            kept.pop(line.name, None)
            if not line.is_asked_met and line.value is not None and math.isfinite(line.value):
                kept[line.name] = rounded_up(line.value, line.name)
        with open(path, 'w') as file:
            json.dump({row: kept for row, kept in sorted(reached.items()) if kept}, file, indent=2)
            file.write('\n')


def rounded_up(value, name):
    """A figure with the margin, rounded to the side that it may be on."""
    decimals = FIGURES[name][2]
    if decimals == 0:
        return round(value)
    scale = 10 ** decimals
    if name in AT_LEAST:
        return math.floor(value * (1 - MARGIN) * scale) / scale
    return math.ceil(value * (1 + MARGIN) * scale) / scale


INTRODUCTION = """# Accuracy

`make accuracy` wrote this page: it measures every figure again and prints the same digits each time. The recordings and
the tools that change them are not part of the project; without them only the simulated drives run.

- **measured**: the figure of this version.
- **asked**: the aim. `ok`: it is met.
- **reached**: where the aim is not met, the bound that this version keeps and a later one may not exceed: the measured
  value when it was stored, and 3 % for other orders of rounding (`bench/accuracy/reached.json`). `not met`: worse than
  asked, within what was reached. `WORSE`: beyond both, which fails `--check`.

Unless a row says otherwise, a row is the drive of 549 s in a car with a 100 Hz MEMS IMU and one RTK fix per second,
compared with the fixes in between; the first 30 s are not scored. The mount, the attitude and the biases are not given.
What must be found while driving (lags, stamps) is scored from 120 s after the first motion, the antenna's place from
180 s. The heading is compared with the course of the true positions above 5 m/s. An outage counts with its largest
horizontal error. [bench/accuracy](../bench/README.md) has the exact conditions."""
