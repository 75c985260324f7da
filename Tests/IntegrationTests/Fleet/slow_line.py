"""A slow line: passes connections on to a port, with a delay in each direction and a limit of bytes per second.

usage: slow_line.py PORT DELAY_S BYTES_PER_S    prints its own port; SIGUSR1 takes both away
"""

import asyncio
import signal
import sys

target, delay, rate = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])


async def passes(reader, writer):
    """Passes on what one end sends."""
    line = asyncio.Queue(64)

    async def send():
        while (piece := await line.get()) is not None:
            data, due = piece
            await asyncio.sleep(max(due - asyncio.get_running_loop().time(), len(data) / rate))
            writer.write(data)
            await writer.drain()
        writer.close()

    sender = asyncio.create_task(send())
    try:
        while data := await reader.read(2048):
            await line.put((data, asyncio.get_running_loop().time() + delay))
    except OSError:
        pass
    await line.put(None)
    await asyncio.gather(sender, return_exceptions=True)


async def connect(reader, writer):
    there = await asyncio.open_connection("127.0.0.1", target)
    await asyncio.gather(passes(reader, there[1]), passes(there[0], writer))


async def main():
    def quicken():
        global delay, rate
        delay, rate = 0.0, 1e9

    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, quicken)
    # Small buffers, so that what waits does not wait here.
    server = await asyncio.start_server(connect, "127.0.0.1", 0, limit=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


signal.pthread_sigmask(signal.SIG_SETMASK, [])
asyncio.run(main())
