"""Sessions of the language server with clients of other makers."""
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVER = os.environ.get("ASHLAR_SERVER", str(ROOT / ".build" / "debug" / "ashlar"))
CORPUS = ROOT.parent / "shared" / "corpus" / "models"

MODEL = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
    <entity name="Post" representedClassName=".Post" syncable="YES">
        <attribute name="title" attributeType="String"/>
        <attribute name="likes" attributeType="Integer 64" defaultValueString="0" usesScalarValueType="YES"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Person" inverseName="posts" inverseEntity="Person"/>
    </entity>
    <entity name="Person" representedClassName=".Person" syncable="YES">
        <attribute name="name" attributeType="String"/>
        <relationship name="posts" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Post" inverseName="author" inverseEntity="Post"/>
    </entity>
</model>
"""


@pytest.fixture
def contents(tmp_path):
    """The file of a model's only version."""
    file = tmp_path / "Feed.xcdatamodeld" / "Feed.xcdatamodel" / "contents"
    file.parent.mkdir(parents=True)
    file.write_text(MODEL)
    return file


def run(command, **environment):
    """Runs a program to its end, and returns what it printed."""
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


def block(language, number=0):
    """A block of code of the page about editors, with the server that is tested."""
    text = (ROOT / "Documentation" / "Editing.md").read_text().split("## Editors", 1)[1]
    blocks = []
    for part in text.split("```")[1::2]:
        name, _, body = part.partition("\n")
        if name == language:
            blocks.append(body)
    return blocks[number].replace(".build/release/ashlar", SERVER)


def require(program):
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} on this machine")
