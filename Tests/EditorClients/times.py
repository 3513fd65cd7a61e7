"""Prints how long the server takes to answer in the largest real models, while somebody types.

The times of its processor do not depend on what else the machine does.
"""
import asyncio
import pathlib
import random
import sys
import time

from pygls.exceptions import JsonRpcException

from conftest import CORPUS
from session import Session, position

MODELS = [
    "StepicOrg+stepik-ios/Stepic/Legacy/Model/Model.xcdatamodeld",
    "woocommerce+woocommerce-ios/Storage/Storage/Model/WooCommerce.xcdatamodeld",
]


class Watch:
    """The time since it was made, and that of the server's processor, in seconds."""

    def __init__(self, session):
        # The clock of another process, as clock_getcpuclockid gives it.
        self.clock = (~session._server.pid << 3) | 2
        self.start = self.now()

    def now(self):
        return time.perf_counter(), time.clock_gettime(self.clock)

    def read(self):
        return tuple(now - start for now, start in zip(self.now(), self.start))


def percentiles(times):
    times = sorted(times)
    return f"{1000 * times[len(times) // 2]:8.1f} {1000 * times[min(len(times) - 1, len(times) * 99 // 100)]:8.1f}"


async def measure(server, bundle):
    file = max(bundle.glob("*.xcdatamodel/contents"), key=lambda file: (file.stat().st_size, str(file)))
    text = file.read_text(encoding="utf-8")
    session = Session()
    await session.start(server)
    session.open(file.as_uri(), text)
    await session.findings(file.as_uri(), 1)
    # A person looks at the file first, while the server reads the other versions.
    await asyncio.sleep(3)
    generator = random.Random(1)
    times = {"diagnostics": [], "completion": [], "hover": [], "references": [], "rename": []}
    version = 1
    places = [index for index in range(len(text)) if text.startswith('name="', index)]
    for _ in range(100):
        place = generator.choice(places) + len('name="')
        for new, end in [("x", place), ("", place + 1)]:
            version += 1
            watch = Watch(session)
            session.change(file.as_uri(), version, position(text, place), position(text, end), new)
            text = text[:place] + new + text[end:]
            await session.findings(file.as_uri(), version)
            times["diagnostics"].append(watch.read())
        for kind in ["completion", "hover", "references", "rename"]:
            watch = Watch(session)
            try:
                await session.ask(kind, file.as_uri(), position(text, place))
            except JsonRpcException:
                # A name that cannot be changed is refused, which takes as long.
                pass
            times[kind].append(watch.read())
    print(f"{bundle.name}, {len(list(bundle.glob('*.xcdatamodel')))} versions, {file.stat().st_size // 1000} kB")
    print("                  p50 ms   p99 ms   of the processor")
    for kind, values in times.items():
        print(f"    {kind:12s} {' '.join(percentiles(column) for column in zip(*values))}")
    await session.stop()


for model in MODELS:
    asyncio.run(measure(pathlib.Path(sys.argv[1]).resolve(), CORPUS / model))
