"""Checks what a program leaves on the disk when it, the disk or the machine fails at any of its calls.

usage: crash_check.py --library crash_disk.so --folder FOLDER [--atomic NAME]... [--reader COMMAND] [--least N]
                      [--seconds S] [--interfere] COMMAND [ARGUMENT...]

1. The program runs once, and every call that changes the folder is written down. From that follow the states that a
   power failure after each call may leave: what was synchronised is there; of what was not, none, all, a torn part, or
   zeros; entries of the folder in their order up to any of them, or with one missing that no later one needs.
2. In each state, every --atomic file has its old or its new content. --reader is run by the shell with the folder as
   $0; it prints a number of items, which must not be smaller than after the last synchronisation. At the end of the
   first run they are --least or more.
3. --interfere: the program runs again once per call and kind of failure (killed before the call, half written, ENOSPC,
   EIO, EROFS, from that call on ENOSPC). The files have their old or new content, a run that says 0 has written the
   new one, no NAME.new is left by a failure, and the next run succeeds. The items of --reader do not become fewer.

--seconds: the program is a daemon, and gets SIGTERM that time after its first call: a busy machine starts it slowly. No
failure of a call ends it, and it exits with 0; where it cannot begin, it may refuse its settings (78).
Prints one line; exits with 1 and the failures if there are some.
"""

import argparse
import errno
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Nothing takes so long, seconds. This only ends what hangs.
LONGEST = 600


def snapshot(folder):
    """Path below the folder -> content; None for a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        found[name] = None if path.is_dir() else path.read_bytes()
    return found


def restore(folder, files):
    """Makes the folder contain exactly these files."""
    for path in sorted(folder.iterdir()):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    for name, content in files.items():
        path = folder / name
        if content is None:
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


class Node:
    """A file's content: what is on the disk, and the changes that are not yet."""

    def __init__(self, content=b""):
        self.durable = bytes(content)
        self.pending = []

    def whole(self):
        return apply(self.durable, self.pending)

    def variants(self):
        """Contents that a power failure may leave."""
        yield "none", self.durable
        if not self.pending:
            return
        yield "all", self.whole()
        last = self.pending[-1]
        if last[0] == "write":
            torn = ("write", last[1], last[2][: len(last[2]) // 2])
            yield "torn", apply(self.durable, self.pending[:-1] + [torn])
        whole = self.whole()
        yield "zeros", self.durable[: len(whole)] + bytes(max(len(whole) - len(self.durable), 0))


def apply(content, changes):
    content = bytearray(content)
    for change in changes:
        if change[0] == "truncate":
            size = change[1]
            content = content[:size] + bytes(max(size - len(content), 0))
        else:
            _, offset, data = change
            content += bytes(max(offset - len(content), 0))
            content[offset : offset + len(data)] = data
    return bytes(content)


class Disk:
    """The folder as the log of calls makes it."""

    def __init__(self, files):
        self.durable = {name: None if data is None else Node(data) for name, data in files.items()}
        self.now = dict(self.durable)
        self.entries = []  # changes of entries that are not durable: (operation, names, node)

    def perform(self, call, words):
        """One call of the log."""
        if call in ("create", "mkdir"):
            node = Node() if call == "create" else None
            self._enter((call, (words[0],), node))
        elif words[0] not in self.now and call != "fsync":
            return  # a file without a name, or one whose name was made in another way: nothing refers to it
        elif call == "empty":
            self.now[words[0]].pending.append(("truncate", 0))
        elif call == "rename":
            self._enter((call, tuple(words[:2]), None))
        elif call == "unlink":
            self._enter((call, (words[0],), None))
        elif call == "truncate":
            self.now[words[0]].pending.append(("truncate", int(words[1])))
        elif call == "write":
            self.now[words[0]].pending.append(("write", int(words[1]), bytes.fromhex(words[2])))
        elif call == "fsync":
            self._synchronise(words[0])

    def _enter(self, change):
        self.entries.append(change)
        self.now = enter(self.now, change)

    def _synchronise(self, name):
        node = self.now.get(name)
        if isinstance(node, Node):
            node.durable, node.pending = node.whole(), []
            return
        # A folder: its entries are durable, those of other folders are not.
        kept = []
        for change in self.entries:
            if all(os.path.dirname(entry) == name for entry in change[1]):
                self.durable = enter(self.durable, change)
            else:
                kept.append(change)
        self.entries = kept

    def states(self):
        """What a power failure may leave: name -> content."""
        orders = [self.entries[:count] for count in range(len(self.entries) + 1)]
        for index, change in enumerate(self.entries):
            later = {name for other in self.entries[index + 1 :] for name in other[1]}
            if not later & set(change[1]):
                orders.append(self.entries[:index] + self.entries[index + 1 :])
        for order in orders:
            tree = self.durable
            for change in order:
                tree = enter(tree, change)
            for variant in ("none", "all", "torn", "zeros"):
                state = {}
                for name, node in tree.items():
                    if node is None:
                        state[name] = None
                        continue
                    contents = dict(node.variants())
                    state[name] = contents.get(variant, contents["none"])
                # A file in a folder that is not there is not there.
                folders = {name for name, content in state.items() if content is None} | {""}
                yield {name: data for name, data in state.items() if os.path.dirname(name) in folders}


def enter(tree, change):
    operation, names, node = change
    tree = dict(tree)
    if operation in ("create", "mkdir"):
        tree[names[0]] = node
    elif operation == "unlink":
        tree.pop(names[0], None)
    elif names[0] in tree:
        tree[names[1]] = tree.pop(names[0])
    return tree


class Check:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.folder)
        self.before = snapshot(self.folder)
        self.after = {}
        self.failures = []
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="posed-crash-"))

    def run(self, **interference):
        """Runs the program from the first state; returns its exit code and the log."""
        restore(self.folder, self.before)
        return self.run_here(**interference)

    def run_here(self, **interference):
        log = self.work / "log"
        log.unlink(missing_ok=True)
        environment = dict(
            os.environ, LD_PRELOAD=str(pathlib.Path(self.options.library).resolve()),
            POSED_CRASH_FOLDER=str(self.folder), POSED_CRASH_LOG=str(log),
            **{f"POSED_CRASH_{key.upper()}": str(value) for key, value in interference.items()})
        with open(self.work / "output", "wb") as output:
            program = subprocess.Popen(self.options.command, env=environment, stdout=output, stderr=output)
            try:
                if self.options.seconds:
                    self.await_call(program, log, 10 if interference else LONGEST)
                code = program.wait(timeout=self.options.seconds or LONGEST)
            except subprocess.TimeoutExpired:
                program.send_signal(signal.SIGTERM if self.options.seconds else signal.SIGKILL)
                code = program.wait(timeout=LONGEST)
                if not self.options.seconds:
                    self.fail(f"hangs with {interference}")
        lines = log.read_text().splitlines() if log.exists() else []
        return code, [line.split() for line in lines]

    @staticmethod
    def await_call(program, log, seconds):
        """Waits until the program has made a call that changes the folder, or has ended; where each fails, in vain."""
        until = time.monotonic() + seconds
        while program.poll() is None and time.monotonic() < until:
            if log.exists() and log.stat().st_size > 0:
                return
            time.sleep(0.01)

    def name(self, path):
        return "" if path == str(self.folder) else os.path.relpath(path, self.folder)

    def fail(self, text):
        if len(self.failures) < 20:
            self.failures.append(text)

    def items(self, state):
        """The number that the reader prints for a state."""
        place = self.work / "state"
        place.mkdir(exist_ok=True)
        restore(place, state)
        result = subprocess.run(
            ["sh", "-c", self.options.reader, str(place)], capture_output=True, text=True, timeout=LONGEST)
        try:
            return int(result.stdout.split()[-1]) if result.returncode == 0 else None
        except (IndexError, ValueError):
            return None

    def judge(self, files, place):
        """Every file that is replaced as a whole has its old or its new content."""
        for name in self.options.atomic:
            if files.get(name) not in (self.before.get(name), self.after.get(name)):
                size = len(files[name]) if files.get(name) is not None else "no file"
                self.fail(f"{place}: {name} is neither old nor new ({size})")

    def power_failures(self, log):
        """Checks all states; returns their number."""
        disk = Disk(self.before)
        seen = {}
        promised = self.items(self.before) if self.options.reader else 0
        for index, (_, _, call, *words) in enumerate(log):
            paths = [self.name(word) if word.startswith("/") else word for word in words]
            disk.perform(call, paths)
            if call == "fsync" and self.options.reader:
                kept = {name: None if node is None else node.durable for name, node in disk.now.items()}
                promised = max(promised or 0, self.items(kept) or 0)
            for state in disk.states():
                key = frozenset(state.items())
                if key not in seen:
                    seen[key] = self.items(state) if self.options.reader else 0
                    self.judge(state, f"power failure after call {index + 1} ({call} {paths[0]})")
                if self.options.reader and (seen[key] is None or seen[key] < (promised or 0)):
                    self.fail(
                        f"power failure after call {index + 1} ({call} {paths[0]}): {seen[key]} items of {promised}: "
                        + ", ".join(f"{name} {len(data or b'')}" for name, data in sorted(state.items())))
        return len(seen)

    def failing_calls(self, calls):
        """Runs the program once per call and failure; returns the number of runs."""
        kinds = [("kill", None), ("short", None), *((code, None) for code in (errno.ENOSPC, errno.EIO, errno.EROFS)),
                 (errno.ENOSPC, 1)]
        runs = 0
        for number in range(1, calls + 1):
            for what, lasting in kinds:
                code, _ = self.run(at=number, do=what, **({"on": 1} if lasting else {}))
                runs += 1
                files = snapshot(self.folder)
                place = f"call {number} {what}{' and later ones' if lasting else ''}, exit code {code}"
                self.judge(files, place)
                if self.options.reader and (self.items(files) or 0) < (self.items(self.before) or 0):
                    self.fail(f"{place}: {self.items(files)} items of {self.items(self.before)}")
                if self.options.seconds and what != "kill" and code not in (0, 78):
                    self.fail(f"{place}: the daemon ended: {(self.work / 'output').read_text(errors='replace')[-500:]}")
                if code == 0 and any(files.get(name) != self.after.get(name) for name in self.options.atomic):
                    self.fail(f"{place}: says it is written, but it is not")
                if what != "kill" and any(name.endswith(".new") for name in files):
                    self.fail(f"{place}: leaves a new file")
                code, _ = self.run_here()
                files = snapshot(self.folder)
                if code != 0 or any(files.get(name) != self.after.get(name) for name in self.options.atomic):
                    self.fail(f"{place}: the next run does not succeed ({code})")
        return runs

    def all(self):
        code, log = self.run()
        self.after = snapshot(self.folder)
        if code != 0:
            self.fail(f"exit code {code}: {(self.work / 'output').read_text(errors='replace')[-2000:]}")
        if self.options.atomic and all(self.after.get(n) == self.before.get(n) for n in self.options.atomic):
            self.fail("nothing was written")
        if self.options.reader and (self.items(self.after) or 0) < self.options.least:
            self.fail(f"only {self.items(self.after)} items were written")
        calls = [int(line[0]) for line in log]
        states = self.power_failures(log)
        runs = self.failing_calls(max(calls, default=0)) if self.options.interfere else 0
        restore(self.folder, self.before)
        shutil.rmtree(self.work)
        print(f"{len(log)} calls, {states} states after a power failure, {runs} interrupted runs: "
              + (f"{len(self.failures)} failures" if self.failures else "all as promised"))
        for failure in self.failures:
            print(failure)
        return 1 if self.failures or not log else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--atomic", action="append", default=[])
    parser.add_argument("--reader")
    parser.add_argument("--least", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--interfere", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.command[:1] == ["--"]:
        options.command = options.command[1:]
    sys.exit(Check(options).all())


main()
