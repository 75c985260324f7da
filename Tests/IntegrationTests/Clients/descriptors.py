"""Reads a message over a descriptor with a number that select() does not take. usage: descriptors.py SOCKET HELLO"""

import os
import resource
import socket
import sys

from posed_client import Client, Hello

soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1100) if soft >= 0 else soft, hard))
taken = [os.open(os.devnull, os.O_RDONLY) for _ in range(1024)]
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(sys.argv[1])
listener.listen(1)
client = Client(sys.argv[1])
assert client.next(0) is None
connection = listener.accept()[0]
connection.send(bytes.fromhex(sys.argv[2]))
assert isinstance(client.next(1), Hello)
