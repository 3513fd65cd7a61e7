"""The parts of the protocol that break other servers, with the capabilities that editors announce."""
import asyncio
import os

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

from conftest import MODEL, diagnostics, open_document, position

WRONG = MODEL.replace('attributeType="Integer 64"', 'attributeType="Integr 64"')


def change(client, file, version, text):
    """Replaces the whole text."""
    client.text_document_did_change(types.DidChangeTextDocumentParams(
        text_document=types.VersionedTextDocumentIdentifier(version=version, uri=file.as_uri()),
        content_changes=[types.TextDocumentContentChangeWholeDocument(text=text)]))


def recorded(client):
    """The findings that the server sends from now on, and the requests that it makes."""
    found, requests = [], []
    notification, request = client.protocol._handle_notification, client.protocol._handle_request

    def note(method, params):
        if method == types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS:
            found.append((params.uri, params.version, [item.code for item in params.diagnostics]))
        notification(method, params)

    def ask(identifier, method, params):
        requests.append(method)
        request(identifier, method, params)

    client.protocol._handle_notification, client.protocol._handle_request = note, ask
    return found, requests


async def hover(client, file, text, before='Person" inverseName'):
    return await client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(uri=file.as_uri()), position(client, text, before)))


def expect_silence(client):
    assert not client.messages and not client.log_messages


@pytest.mark.asyncio
async def test_settings_may_be_null_or_missing(client, contents):
    _, requests = recorded(client)
    for message in [
        {"method": "workspace/didChangeConfiguration", "params": {"settings": None}},
        {"method": "workspace/didChangeConfiguration", "params": {}},
        {"method": "workspace/didChangeConfiguration", "params": None},
        {"method": "workspace/didChangeConfiguration"},
        {"method": "workspace/didChangeConfiguration", "params": {"settings": {"ashlar": None}}},
        # The answers to requests for settings, which the server does not make.
        {"id": 1, "result": None}, {"id": "settings", "result": [None]},
        {"id": 2, "error": {"code": -32601, "message": "There is no method 'workspace/configuration'."}},
    ]:
        client.protocol._send_data({"jsonrpc": "2.0", **message})
    open_document(client, contents, WRONG)
    assert [item.code for item in await diagnostics(client, contents)] == ["unknown-attribute-type"]
    assert await hover(client, contents, WRONG) is not None
    # No settings are asked for, and no files are watched.
    assert requests == []
    expect_silence(client)


@pytest.mark.asyncio
async def test_findings_of_an_old_text_are_dropped(client, contents):
    found, _ = recorded(client)
    open_document(client, contents, MODEL)
    last = 60
    for version in range(2, last + 1):
        change(client, contents, version, WRONG if version % 2 == 0 else MODEL)
        if version % 7 == 0:
            await asyncio.sleep(0.02)
    while not any(version == last for _, version, _ in found):
        await diagnostics(client, contents)
    for _, version, codes in found:
        assert codes == (["unknown-attribute-type"] if version % 2 == 0 else []), found
    versions = [version for _, version, _ in found]
    assert versions == sorted(set(versions)) and len(versions) < last, found
    # A text cannot become older.
    change(client, contents, last - 1, "")
    assert await hover(client, contents, WRONG) is not None
    assert [item.code for item in client.diagnostics[contents.as_uri()]] == ["unknown-attribute-type"]


@pytest.mark.asyncio
async def test_an_edit_is_of_the_text_that_the_server_had(client, contents):
    open_document(client, contents, MODEL)
    document = types.TextDocumentIdentifier(uri=contents.as_uri())
    answer = client.protocol.send_request(types.TEXT_DOCUMENT_RENAME, types.RenameParams(
        document, position(client, MODEL, 'title" attributeType'), "headline"))
    change(client, contents, 2, MODEL.replace("\n", "\n\n"))
    edit = await asyncio.wrap_future(answer)
    # The client drops the edit, because the document has another version now.
    assert [item.text_document.version for item in edit.document_changes] == [1]
    assert contents.read_text() == MODEL


@pytest.mark.asyncio
async def test_cancellation_is_no_error_and_keeps_the_findings(client, contents):
    open_document(client, contents, WRONG)
    before = await diagnostics(client, contents)
    assert [item.code for item in before] == ["unknown-attribute-type"]
    found, _ = recorded(client)
    document = types.TextDocumentIdentifier(uri=contents.as_uri())
    place = position(client, WRONG, 'Person" inverseName')
    # All arrive at once, so that most wait while the first are answered.
    writer, sent = client.protocol.writer, []
    client.protocol.writer = type("Collector", (), {"write": lambda _, data: sent.append(data)})()
    answers = [
        asyncio.wrap_future(client.protocol.send_request(
            types.TEXT_DOCUMENT_HOVER, types.HoverParams(document, place), msg_id=f"hover {number}"))
        for number in range(100)
    ]
    requests = b"".join(sent)
    sent.clear()
    # Requests that wait, one that is answered, and one that nobody made.
    for number in [*range(50, 100), 0, 1000]:
        client.protocol.notify(types.CANCEL_REQUEST, types.CancelParams(id=f"hover {number}"))
    client.protocol.writer = writer
    writer.write(requests + b"".join(sent))
    results = await asyncio.gather(*answers, return_exceptions=True)
    assert all(item.contents for item in results[1:50])
    assert all(isinstance(item, JsonRpcRequestCancelled) or item.contents for item in results)
    assert any(isinstance(item, JsonRpcRequestCancelled) for item in results)
    assert await hover(client, contents, WRONG) is not None
    assert list(client.diagnostics[contents.as_uri()]) == before and not [one for one in found if not one[2]]
    expect_silence(client)


@pytest.mark.asyncio
async def test_each_finding_is_reported_once_and_for_its_file(client, contents):
    """Two versions of one bundle and another bundle are open."""
    second = contents.parents[1] / "Feed 2.xcdatamodel" / "contents"
    other = contents.parents[2] / "Other.xcdatamodeld" / "Other.xcdatamodel" / "contents"
    for file in [second, other]:
        file.parent.mkdir(parents=True)
        file.write_text(MODEL)
    (contents.parents[1] / ".xccurrentversion").write_text(
        '<plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Feed 2.xcdatamodel</string></dict></plist>')
    texts = {contents: WRONG, second: MODEL, other: MODEL}
    for file, text in texts.items():
        open_document(client, file, text)
    while {file.as_uri() for file in texts} - set(client.diagnostics):
        await diagnostics(client, contents)
    assert {uri: [item.code for item in items] for uri, items in client.diagnostics.items()} == {
        contents.as_uri(): ["unknown-attribute-type"], second.as_uri(): [], other.as_uri(): []}


@pytest.mark.asyncio
async def test_only_bundles_of_open_documents_are_read(client, contents):
    """A reader of the other models would wait for the writer of a pipe, for ever."""
    root = contents.parents[2]
    pipes = []
    for folder in [".build/checkouts/Other", "DerivedData/Other", "Models"]:
        pipe = root / folder / "Trap.xcdatamodeld" / "Trap.xcdatamodel" / "contents"
        pipe.parent.mkdir(parents=True)
        os.mkfifo(pipe)
        pipes.append(pipe)
    client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(
        types.WorkspaceFoldersChangeEvent(added=[types.WorkspaceFolder(root.as_uri(), "all")], removed=[])))
    open_document(client, contents, WRONG)
    await diagnostics(client, contents)
    symbols = await client.workspace_symbol_async(types.WorkspaceSymbolParams("t"))
    assert {item.location.uri for item in symbols} == {contents.as_uri()}
    # After the pause, too.
    await asyncio.sleep(1)
    assert await hover(client, contents, WRONG) is not None
    assert list(client.diagnostics) == [contents.as_uri()]
    # An older version that is a pipe is refused, and not waited for.
    older = contents.parents[1] / "Feed 0.xcdatamodel" / "contents"
    older.parent.mkdir()
    os.mkfifo(older)
    change(client, contents, 2, WRONG + "\n")
    await asyncio.sleep(1)
    assert await hover(client, contents, WRONG) is not None
    for pipe in pipes:
        with pytest.raises(OSError):
            os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)


@pytest.mark.asyncio
async def test_nothing_is_written(client, contents):
    def files():
        return {file: file.read_bytes() for file in contents.parents[2].rglob("*") if file.is_file()}

    before = files()
    open_document(client, contents, WRONG)
    await diagnostics(client, contents)
    document = types.TextDocumentIdentifier(uri=contents.as_uri())
    place = position(client, WRONG, 'title" attributeType')
    edit = await client.text_document_rename_async(types.RenameParams(document, place, "headline"))
    assert edit.document_changes
    assert await client.text_document_formatting_async(
        types.DocumentFormattingParams(document, types.FormattingOptions(4, True)))
    assert await client.text_document_code_action_async(types.CodeActionParams(
        document, types.Range(place, position(client, WRONG, "</model>")), types.CodeActionContext([])))
    assert files() == before
