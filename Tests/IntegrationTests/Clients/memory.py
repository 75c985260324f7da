"""Reads the shared memory of a daemon that it plays, and loses the connection.

usage: memory.py SOCKET HELLO SHARED FRAME, the packets in hexadecimal
"""

import os
import socket
import struct
import sys

from posed_client import Client, Disconnected, Topics

hello, shared, frame = [bytes.fromhex(word) for word in sys.argv[2:5]]
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(sys.argv[1])
listener.listen(4)


def connected(client):
    """The daemon's end of the client's connection."""
    assert client.next(0) is None
    connection = listener.accept()[0]
    connection.send(hello)
    assert client.next(10) is not None
    return connection


def loses(call):
    """Whether the connection is found lost."""
    try:
        call()
    except Disconnected:
        return True
    return False


client = Client(sys.argv[1], shared=True)
connection = connected(client)
descriptor = os.memfd_create("test")
os.ftruncate(descriptor, 4096)
os.pwrite(descriptor, struct.pack("<IHHIIQI", 0x44534F50, 1, 64, 0, 4032, 2, 0), 0)
os.pwrite(descriptor, frame, 64)
socket.send_fds(connection, [shared], [descriptor])
client.next(10)
memory = client.memory
assert memory.read().stamp.dropped == 3 and not memory.closed
os.pwrite(descriptor, struct.pack("<I", 1), 24)
assert memory.closed and memory.read()
connection.close()
assert loses(lambda: client.next(10))
# Nobody writes this memory any more.
assert client.memory is None and memory.closed and memory.read() is None

other = Client(sys.argv[1])
connected(other).close()
assert loses(lambda: other.subscribe(Topics.SPEED))
