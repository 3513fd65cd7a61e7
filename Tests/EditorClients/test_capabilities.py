"""The server with the capabilities that editors announce."""
import pytest
from lsprotocol import types

from conftest import MODEL, diagnostics, open_document, position


@pytest.mark.asyncio
async def test_findings_follow_the_text(client, contents):
    open_document(client, contents, MODEL)
    assert await diagnostics(client, contents) == []
    start = position(client, MODEL, '"Person" inverseName')
    client.text_document_did_change(types.DidChangeTextDocumentParams(
        text_document=types.VersionedTextDocumentIdentifier(version=2, uri=contents.as_uri()),
        content_changes=[types.TextDocumentContentChangePartial(
            range=types.Range(start=start, end=types.Position(start.line, start.character + 8)), text='"Persn"')]))
    found = await diagnostics(client, contents)
    assert "unknown-destination" in [item.code for item in found]
    assert found[0].source == "ashlar"


@pytest.mark.asyncio
async def test_characters_outside_the_bmp(client, contents):
    text = MODEL.replace("<attribute name=\"title\"", "<!-- \U0001F600\u4E2D\u00E9 --><attribute nme=\"title\"")
    open_document(client, contents, text)
    found = await diagnostics(client, contents)
    item = next(item for item in found if item.code == "unknown-attribute")
    assert item.range.start == position(client, text, "nme=")


@pytest.mark.asyncio
async def test_answers(client, contents):
    open_document(client, contents, MODEL)
    document = types.TextDocumentIdentifier(uri=contents.as_uri())
    place = position(client, MODEL, 'Person" inverseName')
    hover = await client.text_document_hover_async(types.HoverParams(document, place))
    assert "Person" in hover.contents.value
    found = await client.text_document_definition_async(types.DefinitionParams(document, place))
    assert found[0].range.start == position(client, MODEL, 'Person" representedClassName')
    references = await client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(True), document, place))
    assert len(references) == 3
    completion = await client.text_document_completion_async(types.CompletionParams(document, place))
    assert [item.label for item in completion.items] == ["Post", "Person"]
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert symbols[0].name == "Post"


@pytest.mark.asyncio
async def test_hover_in_a_predicate_shows_its_sql(client, contents):
    request = '<fetchRequest name="popular" entity="Post" predicateString="likes &gt; 10"/>'
    text = MODEL.replace("</model>", f"    {request}\n</model>")
    open_document(client, contents, text)
    hover = await client.text_document_hover_async(types.HoverParams(
        types.TextDocumentIdentifier(uri=contents.as_uri()), position(client, text, "gt; 10")))
    assert "SELECT" in hover.contents.value and "likes" in hover.contents.value
