"""Says when the Python client connects again and how long it waits, in the words of reconnection.c."""

import select
import socket
import struct
import sys

from posed_client import Client, Disconnected, Hello, client as module

HELLO, BYE = bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3])


class Clock:
    """Goes on only where the client waits."""

    now = 1.0
    POLLIN = select.POLLIN

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds

    def poll(self):
        return Waiting()

    def uniform(self, _, longest):
        return longest


class Waiting:
    """Waits by that clock."""

    def __init__(self):
        self.descriptors = select.poll()

    def register(self, descriptor, events):
        self.descriptors.register(descriptor, events)

    def poll(self, milliseconds):
        ready = self.descriptors.poll(0)
        if not ready:
            clock.now += milliseconds / 1000
        return ready


clock = Clock()
module.time = module.select = module.random = clock
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(sys.argv[1])
listener.listen(4)
listener.setblocking(False)
client = Client(sys.argv[1])
connection = None


def hang_up():
    global connection
    if connection:
        connection.close()
    connection = None


def step():
    """Lets the client go on by 10 ms. Returns what it found, and whether it has begun a connection."""
    global connection
    clock.now += 0.01
    try:
        update = client.next(0)
    except Disconnected as reason:
        update = reason
    if connection:
        return update, False
    try:
        connection = listener.accept()[0]
    except BlockingIOError:
        pass
    return update, connection is not None


def refuse():
    begin, connections = clock.now, 0
    while clock.now < begin + 5:
        update, has_begun = step()
        if has_begun:
            connections += 1
            connection.send(HELLO)
        if isinstance(update, Hello):
            connection.send(BYE)
        if isinstance(update, Disconnected):
            hang_up()
    print(f"refused: {connections} connections in 5 s")


def serve():
    update = None
    while not isinstance(update, Disconnected):
        update, has_begun = step()
        if has_begun:
            connection.send(HELLO)
        if isinstance(update, Hello):
            connection.send(struct.pack("<IHHIIQ", 0x44534F50, 1, 999, 24, 0, 2))
        elif update is not None:
            hang_up()
    lost = clock.now
    while not step()[1]:
        pass
    print(f"served: again after {round((clock.now - lost) * 10)} tenths of a second")


def stay_silent():
    begin, count = clock.now, 0
    try:
        while client.next(0.3) is None:
            count += 1
    except Disconnected as reason:
        text = f"{round((clock.now - begin) * 1000)} ms: {reason}"
        print(f"silent: nothing {count} times, then after {text}")


refuse()
hang_up()
serve()
stay_silent()
client.close()
