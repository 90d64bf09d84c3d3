"""A line between browser and server that is slow, or dead for a while: a TCP proxy in a process of
its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys


class DelayedLine:
    """Forwards `port` to `target` on this machine. Every byte takes `delay_s` each way; while it is
    dead, nothing passes.
    """

    def __init__(self, port: int, target: int, delay_s: float = 0.0) -> None:
        self.port = port
        command = [sys.executable, __file__, str(port), str(target), str(delay_s)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def die(self) -> None:
        self._tell("die")

    def live(self) -> None:
        self._tell("live")

    def _tell(self, what: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


class _Proxy:
    def __init__(self, target: int, delay_s: float) -> None:
        self._target, self._delay_s = target, delay_s
        self.alive = asyncio.Event()
        self.alive.set()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.alive.wait()
        try:
            to_reader, to_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self._pass(reader, to_writer), self._pass(to_reader, writer))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One direction: what comes in goes out later, in order."""
        late: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        sending = asyncio.ensure_future(self._send(late, writer))
        now_s = asyncio.get_running_loop().time
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                late.put_nowait((now_s() + self._delay_s, data))
        late.put_nowait((now_s() + self._delay_s, b""))
        await sending

    async def _send(
        self, late: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter
    ) -> None:
        now_s = asyncio.get_running_loop().time
        with contextlib.suppress(OSError):
            while True:
                due_s, data = await late.get()
                await asyncio.sleep(max(0.0, due_s - now_s()))
                await self.alive.wait()
                if not data:
                    break
                writer.write(data)
                await writer.drain()
        with contextlib.suppress(OSError):
            writer.close()


async def _main(port: int, target: int, delay_s: float) -> None:
    proxy = _Proxy(target, delay_s)
    await asyncio.start_server(proxy.accept, "127.0.0.1", port)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while line := await asyncio.to_thread(sys.stdin.readline):
        proxy.alive.set() if line.strip() == "live" else proxy.alive.clear()


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
