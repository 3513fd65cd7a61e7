"""Sessions of the language server with clients of other makers."""
import os
import pathlib
import shutil
import subprocess

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVER = os.environ.get("ASHLAR_SERVER", str(ROOT / ".build" / "debug" / "ashlar"))
CORPUS = ROOT.parent / "shared" / "corpus" / "models"
EDITORS = ["neovim", "emacs", "visual_studio_code"]

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


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[SERVER, "language-server"]), params=EDITORS)
async def client(request, lsp_client: LanguageClient):
    result = await lsp_client.initialize_session(
        types.InitializeParams(capabilities=client_capabilities(request.param), workspace_folders=None))
    assert result.server_info.name == "ashlar"
    assert result.server_info.version
    lsp_client.encoding = result.capabilities.position_encoding
    yield
    await lsp_client.shutdown_session()


def open_document(client, file, text):
    client.text_document_did_open(types.DidOpenTextDocumentParams(
        types.TextDocumentItem(uri=file.as_uri(), language_id="xcdatamodel", version=1, text=text)))


async def diagnostics(client, file):
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return list(client.diagnostics.get(file.as_uri(), []))


def position(client, text, before):
    """The position in front of a piece of a text, as the client counts."""
    offset = text.index(before)
    line = text[:offset].count("\n")
    start = text.rfind("\n", 0, offset) + 1
    part = text[start:offset]
    unit = len(part.encode("utf-8")) if client.encoding == "utf-8" else len(part.encode("utf-16-le")) // 2
    return types.Position(line=line, character=unit)


def run(command, **environment):
    """Runs a program to its end, and returns what it printed."""
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


def block(language, number=0, program=SERVER):
    """A block of code of the page about editors, with the server that is tested."""
    text = (ROOT / "Documentation" / "Editing.md").read_text().split("## Editors", 1)[1]
    blocks = []
    for part in text.split("```")[1::2]:
        name, _, body = part.partition("\n")
        if name == language:
            blocks.append(body)
    return blocks[number].replace(".build/release/ashlar", str(program))


def require(program):
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} on this machine")
