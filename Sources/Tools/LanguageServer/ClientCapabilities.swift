/// The capabilities that a client announces.
struct ClientCapabilities {
    var encoding = PositionEncoding.utf16
    var acceptsSnippets = false
    var acceptsMarkdown = false
    var acceptsRelatedPlaces = false
    var acceptsCodeLinks = false
    var acceptsSymbolTrees = false
    var acceptsCodeActionLiterals = false
    var acceptsVersionedEdits = false
    var acceptsFileCreation = false

    init() {}

    init(_ parameters: JSONValue) {
        let all = parameters["capabilities"]
        let document = all["textDocument"]
        if all["general"]["positionEncodings"].array.contains("utf-8") { encoding = .utf8 }
        acceptsSnippets = document["completion"]["completionItem"]["snippetSupport"].bool ?? false
        acceptsMarkdown = document["hover"]["contentFormat"].array.contains("markdown")
        acceptsRelatedPlaces = document["publishDiagnostics"]["relatedInformation"].bool ?? false
        acceptsCodeLinks = document["publishDiagnostics"]["codeDescriptionSupport"].bool ?? false
        acceptsSymbolTrees = document["documentSymbol"]["hierarchicalDocumentSymbolSupport"].bool ?? false
        acceptsCodeActionLiterals = !document["codeAction"]["codeActionLiteralSupport"].isNull
        let edits = all["workspace"]["workspaceEdit"]
        let operations = edits["resourceOperations"].array
        // Neovim announces the operations alone, which are among versioned edits.
        acceptsVersionedEdits = edits["documentChanges"].bool ?? !operations.isEmpty
        acceptsFileCreation = acceptsVersionedEdits && operations.contains("create")
    }
}
