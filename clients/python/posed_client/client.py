"""The connection: subscribes, reads, and reconnects."""

from __future__ import annotations

import array
import mmap
import os
import random
import select
import socket
import struct
import time
from typing import Iterator, Optional, Tuple

from .fields import ProtocolError
from .messages import Bye, Frame, Hello, Message, Topics, Unknown, decode, subscription

DEFAULT_PATH = "/run/posed/frames"
_LONGEST = 65536
_SHORTEST_WAIT_S = 0.1
_LONGEST_WAIT_S = 5.0
#: How long the daemon may take for its hello, seconds.
_HELLO_S = 2.0
#: A frame older than this was in the socket while its reader slept, seconds.
_OLD_S = 0.05


class Disconnected(Exception):
    """The connection was lost or could not be made; the text has the reason. The next call tries again, after a delay
    that grows from 0.1 to 5 s."""


class SharedMemory:
    """The newest frame, read from memory that the daemon writes: no system call, no queue. It ends with the
    connection."""

    def __init__(self, descriptor: int, size: int) -> None:
        self._map = mmap.mmap(descriptor, size, mmap.MAP_SHARED, mmap.PROT_READ)
        _, _, self._offset, _, self._capacity = struct.unpack_from("<IHHII", self._map)

    @property
    def closed(self) -> bool:
        """Whether the daemon or the connection has ended: the frame does not change any more."""
        return self._map.closed or bool(struct.unpack_from("<I", self._map, 24)[0])

    def read(self) -> Optional[Frame]:
        """The newest frame; None if there is none yet, and after the end of the connection."""
        if self._map.closed:
            return None
        for _ in range(1000):
            (before,) = struct.unpack_from("<Q", self._map, 16)
            (length,) = struct.unpack_from("<I", self._map, self._offset + 8)
            if length == 0 and before == 0:
                return None
            if before & 1 or not 24 <= length <= self._capacity:
                continue
            packet = bytes(self._map[self._offset : self._offset + length])
            if struct.unpack_from("<Q", self._map, 16)[0] == before:
                message = decode(packet)
                return message if isinstance(message, Frame) else None
        return None

    def close(self) -> None:
        """Unmaps the memory."""
        self._map.close()


class Client:
    """A client of the binary socket. One thread uses it."""

    def __init__(
        self, path: str = DEFAULT_PATH, topics: Topics = Topics.FRAMES, rate_hz: float = 0, *,
        every: bool = False, smooth: bool = False, shared: bool = False, ecef: bool = False, lead_ms: int = 0,
    ) -> None:  # fmt: skip
        self.path = path
        #: Number of messages for this client that it did not receive, over all connections.
        self.lost = 0
        #: The shared memory with the newest frame; None until it is received, and without a connection. Only with
        #: shared=True.
        self.memory: Optional[SharedMemory] = None
        self._subscription = subscription(
            topics, rate_hz, every=every, smooth=smooth, shared=shared, ecef=ecef, lead_ms=lead_ms)
        self._lead_s = lead_ms / 1000
        self._socket: Optional[socket.socket] = None
        self._expected = 1
        self._wait_s = 0.0
        self._retry_at = 0.0
        #: Until when hello must come; None once it has come, and without a connection.
        self._hello_by: Optional[float] = None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection. The next read connects again."""
        if self._socket:
            self._socket.close()
        self._socket = None
        self._hello_by = None
        if self.memory:
            self.memory.close()
        self.memory = None

    def subscribe(
        self, topics: Topics, rate_hz: float = 0, *, every: bool = False, smooth: bool = False, shared: bool = False,
        ecef: bool = False, lead_ms: int = 0,
    ) -> None:  # fmt: skip
        """Changes the subscription, now and for later connections. Raises Disconnected."""
        self._subscription = subscription(
            topics, rate_hz, every=every, smooth=smooth, shared=shared, ecef=ecef, lead_ms=lead_ms)
        self._lead_s = lead_ms / 1000
        if self._socket and self._hello_by is None:
            self._send_subscription()

    def next(self, timeout_s: float = 1.0) -> Optional[Message]:
        """The next message, Hello first; None when the timeout is over. Raises Disconnected."""
        until = time.monotonic() + timeout_s
        connection = self._socket
        if connection is None:
            if self._retry_at > until:
                time.sleep(max(0.0, until - time.monotonic()))
                return None
            time.sleep(max(0.0, self._retry_at - time.monotonic()))
            connection = self._connect()
        hello_by = self._hello_by
        limit = until if hello_by is None else min(until, hello_by)
        # Not select(), which takes no descriptor above 1023.
        waiting = select.poll()
        waiting.register(connection, select.POLLIN)
        if not waiting.poll(max(0.0, limit - time.monotonic()) * 1000):
            if hello_by is not None and time.monotonic() >= hello_by:
                raise self._failed(f"no hello message within {_HELLO_S:.0f} s")
            return None
        message = self._read_message()
        if hello_by is not None:
            return self._greeted(message)
        # A message after hello: the daemon has taken the subscription.
        self._wait_s = 0.0
        return message

    def latest(self, timeout_s: float = 1.0) -> Optional[Frame]:
        """The newest frame: reads all that have arrived, and skips those that became old while this program slept.
        None if there is none within the timeout, also while the daemon is not running."""
        until = time.monotonic() + timeout_s
        newest: Optional[Frame] = None
        while True:
            # A frame with a lead is of a time later than its publishing.
            is_fresh = newest is not None and time.monotonic() - newest.stamp.time_s + self._lead_s <= _OLD_S
            remaining = 0.0 if is_fresh else max(0.0, until - time.monotonic())
            try:
                message = self.next(remaining)
            except Disconnected:
                if newest is not None or time.monotonic() >= until:
                    return newest
                continue
            if isinstance(message, Frame):
                newest = message
            if message is None and (is_fresh or time.monotonic() >= until):
                return newest

    def frames(self) -> Iterator[Frame]:
        """Yields frames for ever, as they arrive; waits while the daemon is not running."""
        while True:
            try:
                message = self.next(1.0)
            except Disconnected:
                continue
            if isinstance(message, Frame):
                yield message

    def _connect(self) -> socket.socket:
        """Begins a connection."""
        self._socket = connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.setblocking(False)
        self._expected = 1
        try:
            connection.connect(self.path)
        except OSError as problem:
            raise self._failed(f"{self.path}: {problem}") from None
        self._hello_by = time.monotonic() + _HELLO_S
        return connection

    def _greeted(self, message: Message) -> Message:
        """Answers the first message of a connection."""
        if not isinstance(message, Hello):
            raise self._failed("the first message is not hello")
        self._hello_by = None
        self._send_subscription()
        return message

    def _send_subscription(self) -> None:
        assert self._socket is not None
        try:
            self._socket.send(self._subscription)
        except OSError as problem:
            raise self._failed(str(problem)) from None

    def _read_message(self) -> Message:
        assert self._socket is not None
        try:
            packet, descriptor = self._receive(self._socket)
            if not packet:
                raise self._failed("the daemon closed the connection")
            message = decode(packet)
        except (OSError, ProtocolError) as problem:
            raise self._failed(str(problem)) from None
        if message.sequence > self._expected:
            self.lost += message.sequence - self._expected
        self._expected = message.sequence + 1
        if descriptor >= 0:
            self._map_memory(message, descriptor)
        if isinstance(message, Bye):
            raise self._failed(f"{message.reason}: {message.text}")
        return message

    @staticmethod
    def _receive(connection: socket.socket) -> Tuple[bytes, int]:
        descriptors = array.array("i")
        packet, control, _, _ = connection.recvmsg(_LONGEST, socket.CMSG_SPACE(4))
        for level, kind, data in control:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                descriptors.frombytes(data[: len(data) - len(data) % 4])
        return packet, descriptors[0] if descriptors else -1

    def _map_memory(self, message: Message, descriptor: int) -> None:
        if isinstance(message, Unknown) and message.size:
            self.memory = SharedMemory(descriptor, message.size)
        os.close(descriptor)

    def _failed(self, why: str) -> Disconnected:
        self.close()
        self._wait_s = min(self._wait_s * 2, _LONGEST_WAIT_S) if self._wait_s else _SHORTEST_WAIT_S
        # Random, so that many clients do not reconnect at the same time.
        self._retry_at = time.monotonic() + self._wait_s * random.uniform(0.8, 1.0)
        return Disconnected(why)
