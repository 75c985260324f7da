"""Pages of posed-web without a browser, well-behaved and others; prints what became of them as one line of JSON.

usage: viewers.py PORT watch COUNT FRAMES     COUNT pages read so many frames
       viewers.py PORT crowd COUNT            COUNT pages are opened and stay for a moment
       viewers.py PORT noise SEED             pages that send what is no request, while a good one reads
"""

import asyncio
import base64
import json
import os
import random
import struct
import sys
import time

# Nothing takes so long, seconds. This only keeps a broken server from blocking the tests.
LONGEST = 120


class Page:
    """One WebSocket."""

    def __init__(self, port):
        self.port = port
        self.code = None
        self.reason = ""

    async def open(self):
        """Connects; False if the server ends the connection instead."""
        try:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 22)
            key = base64.b64encode(os.urandom(16)).decode()
            self.writer.write((f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nUpgrade: websocket\r\n"
                               f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
                               ).encode())
            head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), LONGEST)
            return b" 101 " in head
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
            return False

    async def next(self):
        """The next line; None at the end, with the code and the reason of the server."""
        try:
            first, length = await self.reader.readexactly(2)
            if length == 126:
                length = struct.unpack(">H", await self.reader.readexactly(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", await self.reader.readexactly(8))[0]
            payload = await self.reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError):
            return None
        if first & 15 == 8:
            self.code, self.reason = struct.unpack(">H", payload[:2])[0], payload[2:].decode()
            return None
        return json.loads(payload)

    def send(self, text):
        """Sends a masked message."""
        payload, mask = text.encode(), os.urandom(4)
        size = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + struct.pack(">H", len(payload))
        self.writer.write(b"\x81" + size + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    def close(self):
        """Disconnects."""
        self.writer.close()


class Reader:
    """A page that reads frames until it has enough of them."""

    def __init__(self, port):
        self.page = Page(port)
        self.times = []

    async def read(self, is_enough):
        """The times of the frames by the clock of the engine, seconds; fewer than enough if the server ends it."""
        async def take():
            while not is_enough(self):
                line = await self.page.next()
                if line is None:
                    break
                if line["type"] == "frame":
                    self.times.append(line["t_s"])

        if await self.page.open():
            try:
                await asyncio.wait_for(take(), LONGEST)
            except asyncio.TimeoutError:
                pass
            self.page.close()
        return {"frames": len(self.times), "gaps": sorted(b - a for a, b in zip(self.times, self.times[1:]))}

    async def gets(self, count):
        """Waits until it has so many frames more than now."""
        first, until = len(self.times), time.monotonic() + LONGEST
        while len(self.times) < first + count and time.monotonic() < until:
            await asyncio.sleep(0.02)
        return len(self.times) - first


async def watch(port, count, frames):
    pages = [Reader(port).read(lambda page: len(page.times) >= frames) for _ in range(count)]
    return {"pages": await asyncio.gather(*pages)}


async def crowd(port, count):
    """Many pages at once, after a good one has begun to read and until it has read on."""
    good, is_over = Reader(port), asyncio.Event()
    reading = asyncio.create_task(good.read(lambda _: is_over.is_set()))
    await good.gets(10)
    pages = [Page(port) for _ in range(count)]
    opened = await asyncio.gather(*[page.open() for page in pages])
    shown, reasons = 0, {}

    async def first(page):
        nonlocal shown
        line = await page.next()
        if line is not None:
            shown += 1
        else:
            reasons[f"{page.code} {page.reason}"] = reasons.get(f"{page.code} {page.reason}", 0) + 1

    await asyncio.gather(*[asyncio.wait_for(first(page), LONGEST) for page, is_open in zip(pages, opened) if is_open])
    during = await good.gets(40)
    is_over.set()
    await reading
    for page, is_open in zip(pages, opened):
        if is_open:
            page.close()
    # Afterwards there is room again, as soon as the server has seen their ends.
    later, until = {"frames": 0}, time.monotonic() + LONGEST
    while later["frames"] < 20 and time.monotonic() < until:
        later = await Reader(port).read(lambda page: len(page.times) >= 20)
    return {"opened": sum(opened), "shown": shown, "reasons": reasons, "during": during, "later": later}


async def noise(port, seed):
    """Bytes that are no frames, frames that are no requests (all at once, or each after the reply to the one before),
    requests without an end, pages that do not read."""
    numbers = random.Random(seed)
    good, is_over = Reader(port), asyncio.Event()
    reading = asyncio.create_task(good.read(lambda _: is_over.is_set()))
    await good.gets(10)
    during = asyncio.create_task(good.gets(40))
    codes = []
    words = ["{", '{"cmd":7}', '{"cmd":"reset"}', "[" * 4000, '{"cmd":"record","action":"erase"}', "\x00"]

    async def attack(kind):
        page = Page(port)
        if kind == "endless":
            page.reader, page.writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                page.writer.write(b"GET / HTTP/1.1\r\nX: ")
                for _ in range(2000):
                    page.writer.write(b"a" * 4096)
                    await page.writer.drain()
                codes.append("endless: read")
            except OSError:
                codes.append("endless: ended")
            return
        if not await page.open():
            codes.append(f"{kind}: refused")
            return
        try:
            if kind == "bytes":
                page.writer.write(numbers.randbytes(20000))
            elif kind == "huge":
                page.writer.write(b"\x82\xff" + struct.pack(">Q", (1 << 63) - 1) + b"abcd")
                for _ in range(2000):
                    page.writer.write(numbers.randbytes(4096))
                    await page.writer.drain()
            elif kind == "unreadable":
                await during
            elif kind == "words":
                for _ in range(40):
                    page.send(numbers.choice(words))
            # What is ended in any case may take long on a busy machine.
            wait = LONGEST if kind in ("words", "talk", "huge") else 8
            until = time.monotonic() + wait
            if kind == "talk":
                page.send(numbers.choice(words))
            while time.monotonic() < until:
                line = await asyncio.wait_for(page.next(), wait)
                if line is None:
                    codes.append(f"{kind}: {page.code or 'ended'}")
                    break
                if kind == "talk" and line["type"] == "reply":
                    page.send(numbers.choice(words))
            else:
                codes.append(f"{kind}: stays")
        except asyncio.TimeoutError:
            codes.append(f"{kind}: stays")
        except (OSError, UnicodeDecodeError):
            codes.append(f"{kind}: ended")
        page.close()

    kinds = ["bytes", "huge", "words", "talk", "endless", "unreadable"] * 6
    await asyncio.gather(*[attack(kind) for kind in kinds])
    found = {"ends": {code: codes.count(code) for code in sorted(set(codes))}, "during": await during}
    is_over.set()
    await reading
    return found


def main():
    port, check = int(sys.argv[1]), sys.argv[2]
    print(json.dumps(asyncio.run(globals()[check](port, *[int(word) for word in sys.argv[3:]]))))


main()
