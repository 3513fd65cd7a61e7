extension ModelServer {
    package func result(of method: String, _ parameters: JSONValue) throws(ResponseError) -> JSONValue {
        switch method {
        case "initialize":
            client = ClientCapabilities(parameters)
            return capabilities
        case "textDocument/completion": return try completion(parameters)
        case "textDocument/hover": return try hover(parameters)
        case "textDocument/definition": return try definition(parameters)
        case "textDocument/references": return try references(parameters)
        case "textDocument/documentHighlight": return try highlights(parameters)
        case "textDocument/documentSymbol": return try documentSymbols(parameters)
        case "workspace/symbol": return workspaceSymbols(parameters["query"].string ?? "")
        case "textDocument/prepareRename": return try prepareRename(parameters)
        case "textDocument/rename": return try rename(parameters)
        case "textDocument/formatting": return try formatting(parameters)
        case "textDocument/codeAction": return try codeActions(parameters)
        default: throw ResponseError(.methodNotFound, "There is no method '\(method)'.")
        }
    }

    func receive(_ method: String, _ parameters: JSONValue) {
        let document = parameters["textDocument"]
        guard let uri = document["uri"].string else {
            if method == "workspace/didChangeWatchedFiles" { forgetFiles() }
            return
        }
        switch method {
        case "textDocument/didOpen":
            open(uri, document["text"].string ?? "", version: document["version"].integer)
        case "textDocument/didChange":
            change(uri, parameters["contentChanges"].array, version: document["version"].integer)
        case "textDocument/didSave": forgetFiles()
        case "textDocument/didClose": close(uri)
        default: break
        }
    }

    private var capabilities: JSONValue {
        [
            "serverInfo": ["name": "ashlar", "version": .string(version)],
            "capabilities": [
                "positionEncoding": .string(client.encoding.rawValue),
                "textDocumentSync": ["openClose": true, "change": 2, "save": ["includeText": false]],
                "completionProvider": ["triggerCharacters": ["<", "\"", "'", " ", ".", "@", "$"]],
                "hoverProvider": true,
                "definitionProvider": true,
                "referencesProvider": true,
                "documentHighlightProvider": true,
                "documentSymbolProvider": true,
                "workspaceSymbolProvider": true,
                "renameProvider": ["prepareProvider": true],
                "documentFormattingProvider": true,
                "codeActionProvider": ["codeActionKinds": ["quickfix", "refactor"]],
            ],
        ]
    }

    /// The open document that a request is about.
    func document(_ parameters: JSONValue) throws(ResponseError) -> OpenDocument {
        guard let uri = parameters["textDocument"]["uri"].string else {
            throw ResponseError(.invalidParameters, "The request names no document.")
        }
        guard let path = FileURI.path(uri), let document = documents[path] else {
            throw ResponseError(.requestFailed, "'\(uri)' is not an open document of a model.")
        }
        return document
    }

    /// The offset that a request is about.
    func offset(_ parameters: JSONValue, in document: OpenDocument) throws(ResponseError) -> Int {
        guard let position = Position(parameters["position"]) else {
            throw ResponseError(.invalidParameters, "The request has no position.")
        }
        return document.text.offset(of: position, client.encoding)
    }
}
