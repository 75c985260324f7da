#!/usr/bin/env python3
"""Reads the boards of a fleet from an MQTT 5 broker: drops repeats, counts what is missing, refuses impostors.

Prints every message once, as a line of JSON {"board": ID, "channel": NAME, "message": {...}}, and with SIGTERM or
SIGINT the counts. Needs paho-mqtt (Debian: python3-paho-mqtt). `Reader` has no network: use it in your own programs.
"""

import argparse
import collections
import json
import signal
import sys


class Numbers:
    """The numbers of one boot of a board. Retained messages are older than what the broker sends after them: they are
    kept apart, and neither begin nor end a gap."""

    def __init__(self, remembered, retained):
        self.seen = collections.deque(maxlen=remembered)
        self.retained = collections.deque(maxlen=retained)
        self.highest = None

    def is_new(self, number):
        is_forgotten = len(self.seen) == self.seen.maxlen and number < self.seen[0]
        return not is_forgotten and number not in self.seen and number not in self.retained


class Reader:
    """Decides which messages are new. The order of one board is kept by the broker, but a message may come twice."""

    # How many numbers are remembered for each boot of a board: more than are on their way at once.
    REMEMBERED = 1024
    # Boots remembered for each board: a message of an older one may still wait on the board's disk.
    BOOTS = 8
    # First numbers of bridges remembered for each board, and numbers of retained messages for each boot.
    STARTS = 64
    RETAINED = 64

    def __init__(self, prefix="posed"):
        self.prefix = prefix.strip("/")
        self.counts = collections.Counter()
        self.boards = {}

    def read(self, topic, payload, retained=False):
        """Returns (board, channel, message), or None for what is no new message of that board. `retained` tells that
        the broker had kept the message: its number lies somewhere before those that follow."""
        levels = topic[len(self.prefix) + 1:].split("/")
        if not topic.startswith(self.prefix + "/") or len(levels) < 2:
            return self.refuse("foreign")
        board, channel = levels[0], levels[1]
        if channel in ("command", "reply"):
            return None
        try:
            message = json.loads(payload)
            is_link = channel == "link"
            origin = message if is_link else message["bridge"]
            sender, boot = origin["id"], origin["boot"]
            # A goodbye begins nothing.
            has_number = not is_link or bool(message.get("online"))
            number = origin["first_sequence" if is_link else "sequence"] if has_number else None
            # bool is an int, too.
            if not isinstance(boot, str) or (has_number and type(number) is not int):
                raise TypeError("a member has another type")
        except (ValueError, KeyError, TypeError, RecursionError):
            return self.refuse("malformed")
        # The broker checks who may publish here; this is the second check.
        if sender != board:
            return self.refuse("impostors")
        if not is_link and not self.is_new(board, boot, number, retained):
            return self.refuse("repeats")
        if is_link and has_number:
            self.note_start(board, boot, number)
        self.counts["accepted"] += 1
        return board, channel, message

    def refuse(self, reason):
        """Counts a message that is not given on."""
        self.counts[reason] += 1

    def note_start(self, board, boot, number):
        """A bridge began with this number: what lies before is not missing."""
        starts = self.boards.setdefault(board, {}).setdefault("starts", collections.deque(maxlen=self.STARTS))
        if (boot, number) not in starts:
            starts.append((boot, number))

    def is_new(self, board, boot, number, retained):
        """Whether this number of this boot comes for the first time."""
        boots = self.boards.setdefault(board, {}).setdefault("boots", collections.OrderedDict())
        numbers = boots.setdefault(boot, Numbers(self.REMEMBERED, self.RETAINED))
        boots.move_to_end(boot)
        while len(boots) > self.BOOTS:
            boots.popitem(last=False)
        is_new = numbers.is_new(number)
        if retained:
            if is_new:
                numbers.retained.append(number)
            return is_new
        highest = number if numbers.highest is None else numbers.highest
        if number > highest + 1 and (boot, number) not in self.boards[board].get("starts", ()):
            # Left out by the board because its store was full, or lost.
            self.counts["missing"] += number - highest - 1
        numbers.highest = max(highest, number)
        if is_new:
            numbers.seen.append(number)
        return is_new


def client(arguments, reader):
    """Returns a connected client of paho-mqtt, release 1.6 or 2."""
    import paho.mqtt.client as mqtt
    from paho.mqtt.properties import Properties
    from paho.mqtt.packettypes import PacketTypes

    kind = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
    # A session that lasts: the broker keeps what arrives while this program is away.
    subscriber = mqtt.Client(*kind, client_id=arguments.name, protocol=mqtt.MQTTv5)
    if arguments.ca:
        subscriber.tls_set(ca_certs=arguments.ca, certfile=arguments.certificate, keyfile=arguments.key)
    if arguments.user:
        with open(arguments.password_file, encoding="utf-8") as file:
            subscriber.username_pw_set(arguments.user, file.readline().rstrip("\n"))

    def on_connect(_client, _data, _flags, reason, *_):
        if reason != 0:
            print(f"the broker refuses: {reason}", file=sys.stderr, flush=True)
            return
        subscriber.subscribe(f"{arguments.prefix}/#", qos=1)
        print("connected", file=sys.stderr, flush=True)

    def on_message(_client, _data, message):
        new = reader.read(message.topic, message.payload, bool(message.retain))
        if new and not (message.retain and new[1] not in ("link", "status", "maneuver")):
            print(json.dumps({"board": new[0], "channel": new[1], "message": new[2]}), flush=True)

    subscriber.on_connect, subscriber.on_message = on_connect, on_message
    properties = Properties(PacketTypes.CONNECT)
    properties.SessionExpiryInterval = 3600
    subscriber.connect(arguments.host, arguments.port, clean_start=False, properties=properties)
    return subscriber


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("host")
    parser.add_argument("--port", type=int, default=8883)
    parser.add_argument("--prefix", default="posed", help="bridge.topic of the boards")
    parser.add_argument("--name", default="posed-consumer", help="client id, unique at the broker")
    parser.add_argument("--ca", help="file of the authorities; without it the connection is not encrypted")
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--user")
    parser.add_argument("--password-file")
    arguments = parser.parse_args()
    reader = Reader(arguments.prefix)
    subscriber = client(arguments, reader)
    # A parent may have blocked them.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: subscriber.disconnect())
    subscriber.loop_forever(retry_first_connection=True)
    print(json.dumps(dict(reader.counts), sort_keys=True), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
