"""Pages of posed-web without a browser, well-behaved and others; prints what became of them as one line of JSON.

usage: viewers.py PORT watch COUNT SECONDS    COUNT pages read for SECONDS
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
            head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), 20)
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


async def frames(port, seconds):
    """How many frames a page gets, and the longest gap between two of them, seconds."""
    page = Page(port)
    if not await page.open():
        return {"frames": 0, "gap": None}
    count, gap, last, until = 0, 0.0, None, time.monotonic() + seconds
    while time.monotonic() < until:
        line = await page.next()
        if line is None:
            break
        if line["type"] == "frame":
            now = time.monotonic()
            gap = max(gap, now - last) if last else 0.0
            count, last = count + 1, now
    page.close()
    return {"frames": count, "gap": gap}


async def watch(port, count, seconds):
    return {"pages": await asyncio.gather(*[frames(port, seconds) for _ in range(count)])}


async def crowd(port, count):
    """Many pages at once, after a good one has begun to read."""
    good = asyncio.create_task(frames(port, 6))
    await asyncio.sleep(1)
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

    await asyncio.gather(*[asyncio.wait_for(first(page), 20) for page, is_open in zip(pages, opened) if is_open])
    result = await good
    for page, is_open in zip(pages, opened):
        if is_open:
            page.close()
    await asyncio.sleep(2)
    # Afterwards there is room again.
    later = await frames(port, 2)
    return {"opened": sum(opened), "shown": shown, "reasons": reasons, "good": result, "later": later}


async def noise(port, seed):
    """Bytes that are no frames, frames that are no requests (all at once, or each after the reply to the one before),
    requests without an end, pages that do not read."""
    numbers = random.Random(seed)
    good = asyncio.create_task(frames(port, 12))
    await asyncio.sleep(1)
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
                await asyncio.sleep(8)
            elif kind == "words":
                for _ in range(40):
                    page.send(numbers.choice(words))
            # What is ended in any case may take long on a busy machine.
            wait = 60 if kind in ("words", "talk") else 8
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
    return {"ends": {code: codes.count(code) for code in sorted(set(codes))}, "good": await good}


def main():
    port, check = int(sys.argv[1]), sys.argv[2]
    print(json.dumps(asyncio.run(globals()[check](port, *[int(word) for word in sys.argv[3:]]))))


main()
