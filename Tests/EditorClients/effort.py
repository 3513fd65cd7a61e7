"""Counts the keys that a model of ten entities takes: as XML, by the commands, and with the server's completion.

The commands and the completion make the model, and the three results are compared.
"""
import asyncio
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

from session import Session, applied, position

ENTITIES = {
    "Address": {"city": "String", "postalCode": "String", "street": "String"},
    "Category": {"name": "String"},
    "Customer": {"email": "String", "name": "String", "since": "Date"},
    "Invoice": {"number": "Integer 64", "paid": "Boolean"},
    "Line": {"count": "Integer 32", "price": "Decimal"},
    "Order": {"created": "Date", "number": "Integer 64", "status": "String"},
    "Product": {"name": "String", "price": "Decimal", "sku": "String"},
    "Review": {"stars": "Integer 16", "text": "String", "written": "Date"},
    "Shipment": {"carrier": "String", "sent": "Date"},
    "Supplier": {"name": "String", "phone": "String"},
}

#: One to many: the owner, the other entity. The names are those that a person would give.
RELATIONSHIPS = [
    ("Customer", "Address"), ("Customer", "Order"), ("Customer", "Review"), ("Order", "Line"), ("Order", "Shipment"),
    ("Order", "Invoice"), ("Product", "Line"), ("Product", "Review"), ("Category", "Product"), ("Supplier", "Product"),
]


def lower(name):
    return name[0].lower() + name[1:]


def plural(name):
    return lower(name) + ("es" if name.endswith("s") else "s")


def typed(text):
    """The keys of a text. The editor indents, and closes nothing."""
    return sum(len(line.strip()) + 1 for line in text.splitlines())


def run(server, folder, *arguments):
    result = subprocess.run([server, *arguments], cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def by_commands(server, folder):
    (folder / "Package.swift").write_text('let package = Package(name: "Shop")\n')
    commands = [["init", "Shop"], ["add", "entity", *ENTITIES], ["remove", "Item"]]
    for entity, attributes in ENTITIES.items():
        commands += [["add", "attribute", f"{entity}.{name}", kind] for name, kind in attributes.items()]
    for owner, other in RELATIONSHIPS:
        commands.append(
            ["add", "relationship", f"{owner}.{plural(other)}", f"{other}.{lower(owner)}", "--one-to-many"])
    start = time.perf_counter()
    for command in commands:
        run(server, folder, *command)
    seconds = time.perf_counter() - start
    file = folder / "Models" / "Shop.xcdatamodeld" / "Shop.xcdatamodel" / "contents"
    return sum(len(shlex.join(["ashlar", *command])) + 1 for command in commands), len(commands), seconds, file


class Typist:
    """Takes completions as a person does: types until the wanted one is the first, accepts it, and fills in its places."""

    def __init__(self, session, uri):
        self.session, self.uri, self.text, self.version, self.keys, self.items = session, uri, "", 1, 0, 0
        session.open(uri, "")

    def edit(self, text):
        self.version += 1
        old, self.text = self.text, text
        self.session.change(self.uri, self.version, position(old, 0), position(old, len(old)), text)

    async def take(self, offset, label, values=()):
        """Returns the offset behind what was written."""
        result = await self.session.ask("completion", self.uri, position(self.text, offset))
        items = sorted(result.items, key=lambda item: item.sort_text)
        wanted = next(item for item in items if item.label == label)
        for length in range(len(label) + 1):
            if next(item for item in items if item.label.startswith(label[:length])) is wanted:
                break
        self.keys += length + 1
        self.items += 1
        edit, written = wanted.text_edit, wanted.text_edit.new_text
        for number, value in enumerate(values, 1):
            choice = re.search(r"\$\{%d\|([^|]*)\|\}" % number, written)
            if choice:
                names = choice.group(1).split(",")
                length = next(n for n in range(len(value) + 1)
                              if next(one for one in names if one.startswith(value[:n])) == value)
                self.keys += length + 1
            else:
                self.keys += len(value) + 1
            written = re.sub(r"\$\{%d[:|][^}]*\}|\$%d" % (number, number), value, written)
        edit.new_text = re.sub(r"\$0", "", written)
        before = self.text
        self.edit(applied(before, [edit, *(wanted.additional_text_edits or [])]))
        return self.text.index(edit.new_text) + len(edit.new_text)


async def by_completion(server, file):
    """Begins each line with a key for it."""
    file.parent.mkdir(parents=True)
    file.write_text("")
    session = Session()
    await session.start(server, snippets=True)
    typist = Typist(session, file.as_uri())

    def line(before, content=""):
        """Opens a line in front of a piece of the text, and returns the place in it."""
        typist.keys += 1 + len(content)
        index = typist.text.index(before)
        typist.edit(typist.text[:index] + content + "\n" + typist.text[index:])
        return index + len(content)

    names = list(ENTITIES)
    await typist.take(0, "model", [names[0]])
    for name in names[1:]:
        await typist.take(line("</model>"), "entity", [name])
    for name, attributes in ENTITIES.items():
        for attribute, kind in attributes.items():
            start = typist.text.index(f'<entity name="{name}"')
            end = typist.text[typist.text.index("</entity>", start):]
            await typist.take(line(end), "attribute", [attribute, "NO", kind])
    for owner, other in RELATIONSHIPS:
        start = typist.text.index(f'<entity name="{owner}"')
        end = typist.text[typist.text.index("</entity>", start):]
        await typist.take(line(end), f"relationship {plural(other)} with inverse {other}.{lower(owner)}")
    assert not await session.findings(file.as_uri(), typist.version)
    await session.stop()
    file.write_text(typist.text)
    return typist.keys, typist.items


def parts(server, file):
    """The entities of a formatted file, without attributes that say what is so without them."""
    run(server, file.parent, "format", str(file))
    left_out = r' (representedClassName="[^"]*"|syncable="YES"|optional="NO"|usesScalarValueType="[A-Z]*")'
    return [re.sub(left_out, "", line) for line in file.read_text().splitlines() if line.startswith("    ")]


def main(server):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        commands, count, seconds, file = by_commands(server, folder)
        taken = folder / "Taken" / "Shop.xcdatamodel" / "contents"
        completion, items = asyncio.run(by_completion(server, taken))
        assert parts(server, file) == parts(server, taken)
        print(f"XML by hand   {typed(file.read_text()):6d} keys")
        print(f"commands      {commands:6d} keys, {count} commands that run {seconds:.1f} s in all")
        print(f"completion    {completion:6d} keys, {items} completions")


main(str(pathlib.Path(sys.argv[1]).resolve()))
