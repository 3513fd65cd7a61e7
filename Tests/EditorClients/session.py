"""A session with the server by pygls, for many edits."""
import asyncio
import pathlib

from lsprotocol import types
from pygls.lsp.client import LanguageClient


class Session(LanguageClient):
    """A client that remembers the newest findings of each document."""

    def __init__(self):
        super().__init__("ashlar-tests", "1")
        self.found = {}
        self.arrived = asyncio.Event()
        self.ended = False

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _(parameters):
            self.found[parameters.uri] = (parameters.version, parameters.diagnostics)
            self.arrived.set()

    async def server_exit(self, server):
        self.ended = True
        self.arrived.set()

    async def start(self, server, snippets=False):
        await self.start_io(str(server), "language-server")
        await self.initialize_async(types.InitializeParams(
            capabilities=types.ClientCapabilities(
                general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf16]),
                text_document=types.TextDocumentClientCapabilities(
                    completion=types.CompletionClientCapabilities(
                        completion_item=types.ClientCompletionItemOptions(snippet_support=snippets)),
                    publish_diagnostics=types.PublishDiagnosticsClientCapabilities(version_support=True),
                    code_action=types.CodeActionClientCapabilities(
                        code_action_literal_support=types.ClientCodeActionLiteralOptions(
                            types.ClientCodeActionKindOptions([]))))),
            process_id=None, root_uri=None))
        self.initialized(types.InitializedParams())

    async def stop(self):
        await self.shutdown_async(None)
        self.exit(None)
        await asyncio.wait_for(self._server.wait(), 20)
        return self._server.returncode

    @property
    def memory(self):
        """The resident memory of the server, in kB."""
        for line in pathlib.Path(f"/proc/{self._server.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1])

    async def findings(self, uri, version):
        """Waits for the findings of a version of a document."""
        while True:
            known = self.found.get(uri)
            if known and known[0] == version:
                return known[1]
            if self.ended:
                raise AssertionError("the server ended")
            self.arrived.clear()
            await asyncio.wait_for(self.arrived.wait(), 60)

    def open(self, uri, text, version=1):
        self.text_document_did_open(types.DidOpenTextDocumentParams(
            types.TextDocumentItem(uri=uri, language_id="xcdatamodel", version=version, text=text)))

    def close(self, uri):
        self.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
        self.found.pop(uri, None)

    def change(self, uri, version, start, end, text):
        self.text_document_did_change(types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(version=version, uri=uri),
            content_changes=[types.TextDocumentContentChangePartial(range=types.Range(start, end), text=text)]))

    async def ask(self, kind, uri, position):
        """One of the requests that an editor makes."""
        document = types.TextDocumentIdentifier(uri)
        if kind == "completion":
            return await self.text_document_completion_async(types.CompletionParams(document, position))
        if kind == "hover":
            return await self.text_document_hover_async(types.HoverParams(document, position))
        if kind == "definition":
            return await self.text_document_definition_async(types.DefinitionParams(document, position))
        if kind == "references":
            return await self.text_document_references_async(
                types.ReferenceParams(types.ReferenceContext(True), document, position))
        if kind == "rename":
            return await self.text_document_rename_async(types.RenameParams(document, position, "renamedThing"))
        if kind == "highlights":
            return await self.text_document_document_highlight_async(types.DocumentHighlightParams(document, position))
        if kind == "formatting":
            return await self.text_document_formatting_async(
                types.DocumentFormattingParams(document, types.FormattingOptions(4, True)))
        if kind == "symbols":
            return await self.text_document_document_symbol_async(types.DocumentSymbolParams(document))
        return await self.text_document_code_action_async(types.CodeActionParams(
            document, types.Range(position, position), types.CodeActionContext([])))


REQUESTS = ["completion", "hover", "definition", "references", "highlights", "symbols", "actions"]


def position(text, offset):
    """The position of a character as UTF-16 counts."""
    start = text.rfind("\n", 0, offset) + 1
    return types.Position(text.count("\n", 0, offset), len(text[start:offset].encode("utf-16-le")) // 2)


def offset(text, place):
    """The offset of a position, which counts UTF-16."""
    start = 0
    for _ in range(place.line):
        start = text.index("\n", start) + 1
    end = text.find("\n", start)
    line = text[start:] if end < 0 else text[start:end]
    return start + len(line.encode("utf-16-le")[:2 * place.character].decode("utf-16-le"))


def applied(text, edits):
    """A text with the edits of the server."""
    places = [(offset(text, edit.range.start), offset(text, edit.range.end), edit.new_text) for edit in edits]
    for start, end, new in sorted(places, reverse=True):
        text = text[:start] + new + text[end:]
    return text
