"""Real models: the findings are those of `ashlar check`, and no edit or request ends the server."""
import asyncio
import json
import os
import pathlib
import random
import shutil
import subprocess

import pytest

from conftest import CORPUS, SERVER
from pygls.exceptions import JsonRpcException

from session import REQUESTS, Session, applied, position

EFFORT = float(os.environ.get("ASHLAR_TEST_EFFORT", "1"))
SEED = int(os.environ.get("ASHLAR_TEST_SEED", str(random.randrange(1_000_000))))

pytestmark = pytest.mark.skipif(not CORPUS.exists(), reason="there is no corpus of real models on this machine")

#: Findings that come after a pause.
LATER = {"missing-index", "unbuilt-model"}


def bundles():
    for folder in sorted(CORPUS.rglob("*.xcdatamodel*")):
        if folder.suffix == ".xcdatamodeld" and folder.is_dir():
            yield folder
        elif folder.suffix == ".xcdatamodel" and folder.parent.suffix != ".xcdatamodeld" and folder.is_dir():
            yield folder


def versions(bundle):
    files = [bundle / "contents"] if bundle.suffix == ".xcdatamodel" else sorted(bundle.glob("*.xcdatamodel/contents"))
    return [file for file in files if file.exists() and not file.read_bytes().startswith(b"bplist")]


def checked(bundle):
    """The findings of the check by files: code, line and column."""
    result = subprocess.run([SERVER, "check", str(bundle), "--format", "json"], capture_output=True, text=True)
    assert result.returncode in (0, 1), result.stderr
    found = {}
    for item in json.loads(result.stdout)["findings"] if result.stdout else []:
        if item["code"] not in LATER:
            found.setdefault(item["file"], []).append((item["code"], item["line"], item["column"]))
    return {file: sorted(items) for file, items in found.items()}


def saved(bundle, file, text, work):
    """The result of some work while a file has a text."""
    before = file.read_bytes()
    file.write_text(text, encoding="utf-8")
    try:
        return work(bundle)
    finally:
        file.write_bytes(before)


def errors(bundle, file):
    """The number of errors of the check in a file, by codes."""
    result = subprocess.run([SERVER, "check", str(bundle), "--format", "json"], capture_output=True, text=True)
    found = json.loads(result.stdout)["findings"] if result.stdout else []
    codes = [item["code"] for item in found if item["severity"] == "error" and item["file"] == str(file)]
    return {code: codes.count(code) for code in codes}


async def renamed(session, uri, text, place):
    """A text after a rename of the server; None where it refuses one."""
    try:
        edit = await session.ask("rename", uri, position(text, place))
    except JsonRpcException:
        return None
    changes = (edit.changes or {}) if edit else {}
    return applied(text, changes.get(uri, [])) if list(changes) == [uri] else None


def formatted(file):
    """The text of a file after `ashlar format`; None where it refuses to."""
    result = subprocess.run([SERVER, "format", str(file.parent)], capture_output=True, text=True)
    return file.read_text(encoding="utf-8") if result.returncode == 0 else None


def shown(diagnostics, text):
    """The findings of the server: code, line and column in bytes."""
    lines = text.split("\n")
    result = []
    for item in diagnostics:
        if item.code in LATER:
            continue
        place = item.range.start
        units = lines[place.line].encode("utf-16-le")[:2 * place.character] if place.line < len(lines) else b""
        result.append((item.code, place.line + 1, len(units.decode("utf-16-le").encode("utf-8")) + 1))
    return sorted(result)


def compare(expected, found, message):
    # A finding about a whole file, or about the bundle, has no place.
    whole = [code for code, line, _ in expected if line == 0]
    placed = sorted(item for item in expected if item[1] > 0)
    rest = list(found)
    for code in whole:
        rest.remove((code, 1, 1))
    assert rest == placed, message


@pytest.mark.asyncio
async def test_every_file_has_the_findings_of_the_check():
    session = Session()
    await session.start(SERVER)
    count = 0
    for bundle in list(bundles())[::max(1, round(1 / EFFORT))]:
        expected = checked(bundle)
        for file in versions(bundle):
            uri = file.as_uri()
            text = file.read_text(encoding="utf-8")
            session.open(uri, text)
            found = shown(await session.findings(uri, 1), text)
            # Those of the bundle itself are shown in the current version.
            own = [item for item in found if item not in [(code, 1, 1) for code, *_ in expected.get(str(bundle), [])]]
            compare(expected.get(str(file), []), own if str(bundle) in expected else found, str(file))
            count += 1
        # All at once, so that the versions are read once.
        for file in versions(bundle):
            session.close(file.as_uri())
    print(f"{count} files")
    assert await session.stop() == 0


@pytest.mark.asyncio
async def test_random_edits_and_requests(tmp_path):
    print(f"ASHLAR_TEST_SEED={SEED}")
    generator = random.Random(SEED)
    all_bundles = [bundle for bundle in bundles() if versions(bundle)]
    pieces = ["", "", "<", ">", "\"", "&", "/>", "</entity>", "<attribute name=\"x\" attributeType=\"String\"/>",
              "<relationship name=\"", "YES", "\n", "\U0001F600", "\u00E9", "=", "<!--", "-->", "<entity name=\"Post\">", "x"]
    session = Session()
    await session.start(SERVER)
    edits = requests = compared = renames = 0
    memory = []
    # The third time needs no more memory than the second; the first fills the allocator's free lists.
    chosen = [generator.choice(all_bundles) for _ in range(max(1, round(8 * EFFORT)))]
    for original in chosen * 3:
        copy = tmp_path / original.name
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(original, copy)
        subprocess.run(["chmod", "-R", "u+w", str(copy)], check=True)
        file = generator.choice(versions(copy))
        uri = file.as_uri()
        text = file.read_text(encoding="utf-8")
        version = 1
        session.open(uri, text)
        for _ in range(40):
            version += 1
            if generator.random() < 0.25:
                # Back to a text that is well-formed.
                start, end, new = 0, len(text), file.read_text(encoding="utf-8")
                place = generator.randrange(len(new))
                new = new.replace("YES", generator.choice(["YES", "NO", "Maybe"]), 1) if place % 2 else new
            else:
                start = generator.randrange(len(text) + 1)
                end = min(len(text), start + generator.choice([0, 0, 1, 3, 30]))
                new = generator.choice(pieces)
            session.change(uri, version, position(text, start), position(text, end), new)
            text = text[:start] + new + text[end:]
            edits += 1
            for _ in range(3):
                kind = generator.choice(REQUESTS)
                await session.ask(kind, uri, position(text, generator.randrange(len(text) + 1)))
                requests += 1
            if generator.random() < 0.15:
                found = shown(await session.findings(uri, version), text)
                expected = saved(copy, file, text, checked).get(str(file), [])
                compared += 1
                if any(code == "malformed-xml" for code, *_ in expected + found):
                    # Of a broken text, the server says more. The place of the error may be within a character.
                    lines = [item[:2] for item in found]
                    missing = [item for item in expected if item[1] > 0 and item[:2] not in lines]
                    assert not missing, f"{missing} {found}"
                else:
                    placed = [item for item in expected if item[1] > 0]
                    left = [item for item in found if item not in placed and item[1:] != (1, 1)]
                    assert not left and all(item in found for item in placed), (
                        f"version {version} of {file}:\n{placed}\n{found}")
                    # A rename makes no error, and the formatter is that of the tool.
                    places = [index for index in range(len(text)) if text.startswith('ame="', index)]
                    new = await renamed(session, uri, text, generator.choice(places) + 5) if places else None
                    if new is not None:
                        renames += 1
                        before, after = (
                            saved(copy, file, one, lambda bundle: errors(bundle, file)) for one in (text, new))
                        assert all(after[code] <= before.get(code, 0) for code in after), (
                            f"version {version} of {file}:\n{before}\n{after}")
                    lines = applied(text, await session.ask("formatting", uri, position(text, 0)) or [])
                    expected = saved(copy, file, text, lambda _: formatted(file))
                    assert lines == (text if expected is None else expected), f"version {version} of {file}"
                    requests += 2
        session.close(uri)
        memory.append(session.memory)
    second, third = max(memory[len(chosen):2 * len(chosen)]), max(memory[2 * len(chosen):])
    print(f"{edits} edits, {requests} requests, {compared} comparisons, {renames} renames, {second} and {third} kB")
    assert third < second * 1.25, memory
    assert await session.stop() == 0
