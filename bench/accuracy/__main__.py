"""Measures the accuracy of posed, and prints each figure beside what is asked of it.

usage: python3 bench/accuracy --programs FOLDER [--cut] [--check] [--only WORDS]... [--page FILE] [--renew]
"""
import argparse
import concurrent.futures
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
# The folder of the sources stays as it is.
sys.dont_write_bytecode = True

from conditions import all_conditions  # noqa: E402
from report import REACHED, Report, load_reached  # noqa: E402
from running import Bench, combine  # noqa: E402


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--programs', required=True, help='folder of posectl and posed-accuracy')
    parser.add_argument('--recordings', default=os.path.join(ROOT, '..', 'shared'),
                        help='folder with data/ and tools/; default: ../shared')
    parser.add_argument('--cut', action='store_true', help='only the rows of the quick check')
    parser.add_argument('--check', action='store_true', help='exit status 1 if a figure is worse than it may be')
    parser.add_argument('--only', action='append', default=[], help='only rows whose name contains these words')
    parser.add_argument('--page', help='also write the table to this file, if all rows were measured')
    parser.add_argument('--reached', default=REACHED, help='file with what is reached where it is not what is asked')
    parser.add_argument('--renew', action='store_true', help='store what is reached where it is not what is asked')
    parser.add_argument('--jobs', type=int, default=2, help='replays at the same time')
    return parser.parse_args()


def chosen(options, bench):
    """The rows to run, with those that others refer to, and the reason why some are skipped."""
    rows = all_conditions()
    for word in options.only:
        if not any(word in row.name for row in rows):
            sys.exit(f'no row is named {word}')
    wanted = [row for row in rows if (row.in_cut or not options.cut)
              and (not options.only or any(word in row.name for word in options.only))]
    bases = {row.base for row in wanted}
    is_mean = any(row.kind == 'mean' for row in wanted)
    wanted = [row for row in rows if row in wanted or row.name in bases or (is_mean and row.kind == 'orientation')]
    missing = bench.missing()
    if missing:
        wanted = [row for row in wanted if row.kind == 'simulated']
    return wanted, missing


def main():
    """Runs the rows and reports them; returns the exit status."""
    options = arguments()
    bench = Bench(os.path.abspath(options.programs), os.path.abspath(options.recordings), options.cut)
    rows, missing = chosen(options, bench)
    if missing:
        print(f'rows from recordings are skipped: {missing}')
        if options.check and bench.has_recordings():
            print('a check needs these rows where the recordings are there')
            return 1
    began = time.monotonic()
    parts = {}
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        # The longest first, so that none is left over at the end.
        tasks = sorted(((row, k) for row in rows for k in range(bench.replays(row))),
                       key=lambda task: -bench.cost(task[0]))
        running = {pool.submit(bench.run, row, k): (row.name, k) for row, k in tasks}
        for task in concurrent.futures.as_completed(running):
            parts[running[task]] = task.result()
    figures = {row.name: combine(row, [parts[row.name, k] for k in range(bench.replays(row))])
               for row in rows if bench.replays(row)}
    for row in rows:
        bench.relate(row, figures)
    measured = [row for row in rows if row.name in figures]
    report = Report(measured, figures, load_reached(options.reached))
    print(report.text())
    print(f'{len(parts)} replays and simulations in {time.monotonic() - began:.0f} s', file=sys.stderr)
    if options.renew:
        report.renew(options.reached)
    if options.page and not (options.cut or options.only or missing):
        # With what has just been stored.
        Report(measured, figures, load_reached(options.reached)).write_page(options.page)
    for problem in report.problems:
        print(problem)
    return 1 if options.check and report.problems else 0


if __name__ == '__main__':
    sys.exit(main())
