"""Prints how long the server takes to answer in the largest real models, while somebody types."""
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
            start = time.perf_counter()
            session.change(file.as_uri(), version, position(text, place), position(text, end), new)
            text = text[:place] + new + text[end:]
            await session.findings(file.as_uri(), version)
            times["diagnostics"].append(time.perf_counter() - start)
        for kind in ["completion", "hover", "references", "rename"]:
            start = time.perf_counter()
            try:
                await session.ask(kind, file.as_uri(), position(text, place))
            except JsonRpcException:
                # A name that cannot be changed is refused, which takes as long.
                pass
            times[kind].append(time.perf_counter() - start)
    print(f"{bundle.name}, {len(list(bundle.glob('*.xcdatamodel')))} versions, {file.stat().st_size // 1000} kB")
    print("                  p50 ms   p99 ms")
    for kind, values in times.items():
        print(f"    {kind:12s} {percentiles(values)}")
    await session.stop()


for model in MODELS:
    asyncio.run(measure(pathlib.Path(sys.argv[1]).resolve(), CORPUS / model))
